/* The device layer: the only part that calls OpenCL. The device is opened by the first evaluation.
 * Work is queued in order; hosts wait only for the buffers that they look at.
 * Functions that return bool or a pointer leave an exception pending when they fail. */
#ifndef CS_RUNTIME_DEVICE_H
#define CS_RUNTIME_DEVICE_H

#include "../../codegen/kernel/codegen.h"
#include "../../codegen/kernel/divide/division.h"
#include "../value.h"

typedef struct DeviceProgram DeviceProgram; /* a built program with its kernels */

/* CS_DEVICE=ref, or the program uses that: everything is interpreted; opens nothing */
bool device_is_ref(void);
/* False, with an exception pending, if CS_DEVICE (or a library's wish) names no device that is there. */
bool device_wish_fits(void);
/* How many devices CS_PLACES names: a number; `all`, `gpu`: as many as there are GPUs, at least 1. Below 1: neither. Forks. */
int device_places(const char *wish);
bool device_is_used(void);   /* the program says which device, not the environment */
bool device_is_native(void); /*   its own machine code */
/* The environment names no device, and nothing but this processor can be one: seen without a driver, which
 * takes long to load. False: that is not known. */
bool device_is_processor(void);
bool device_open(const CsSite *site);
/* The process is about to end: from here on what only the driver holds is left to the system, which
 * is done with it sooner (POCL takes 0.1 s to free the compiler that it used). */
void device_leave(void);
void device_close(void);
const CgDevice *device_info(void); /* once open */
bool device_holds(size_t bytes);   /* may a buffer have as many? */
bool device_is_host(void);         /* its memory is the host's, without a copy or a mapping */
/* Name and driver version: what binaries depend on besides text and options. */
const char *device_identity(void);

/* Builds a text, from a binary if one is given (which may fail silently: then NULL without
 * exception). */
DeviceProgram *device_build(const char *text, const char *options, const char *const *kernels,
                            int nkernels, const CsSite *site);
DeviceProgram *device_load(const void *binary, size_t size, const char *options,
                           const char *const *kernels, int nkernels);
/* Are programs' binaries worth a place in the disk cache? CS_CACHE_BINARIES says so, else: unless
 * the driver keeps what it compiles itself. */
bool device_wants_binaries(void);
/* The program's binary, for mem_object_free; NULL without exception if the device has none. */
void *device_binary(const DeviceProgram *p, size_t *size);
/* Kernels of a program that was built without some: what is behind their names there is `suffix`.
 * NULL with an exception pending. The program may be unloaded before. */
DeviceProgram *device_part(const DeviceProgram *whole, const char *suffix,
                           const char *const *kernels, int nkernels, const CsSite *site);
void device_unload(DeviceProgram *p);

/* A cl_mem of somebody else's, of b's bytes at least, becomes the device side of b, which has none. */
bool device_adopt(Buffer *b, void *memory);

/* Arrays without elements are to have as many bytes, which kernels may look at before they tell that an
 * index is outside. */
bool device_nothing(size_t bytes, const CsSite *site);
/* A schedule that is run. `slots` are the buffers in visit order (NULL: no elements, or a scalar), `outs` those of the
 * results. */
typedef struct DeviceRun {
    const DeviceProgram *program;
    const CgSchedule *schedule;
    Buffer *const *slots, *const *outs;
    Buffer **temps; /* its own, from begin to end */
} DeviceRun;
/* Queues all of it. */
bool device_run(DeviceRun *r, bool can_fail, const CsSite *site);
/* The same by launches, of which some items may be left to others: items NULL: all. End comes in any case. */
bool device_begin(DeviceRun *r, bool can_fail, const CsSite *site);
bool device_launch(const DeviceRun *r, const CgLaunch *l, const DivisionRange *items,
                   const CsSite *site);
void device_end(DeviceRun *r);
/* After a run that can fail: waits, and copies the error words; or what the launches to come find there. */
bool device_errors(uint32_t words[CG_ERROR_WORDS], const CsSite *site);
bool device_set_errors(const uint32_t words[CG_ERROR_WORDS], const CsSite *site);

/* Makes b's host side current, waiting for the launches that use it; for writing, also for those
 * that only read it. */
bool device_to_host(Buffer *b, bool write, const CsSite *site);
/* Releases the device side of b. False: a launch may be using it that cannot be waited for; then
 * b's memory must not be freed. */
bool device_forget(Buffer *b);
bool device_stuck(void); /* there are such launches */

#endif
