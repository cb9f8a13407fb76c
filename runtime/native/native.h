/* Kernels that are in the program as machine code (codegen/native), run by a pool of threads on what
 * the host has of the buffers. When an evaluation of reals takes them is a function of the evaluation and
 * its sizes alone, so that a program gives the same bits wherever and whenever it does the same:
 *   CS_DEVICE=native   all that have a form here
 *   CS_DEVICE not set  those of so little work that a launch would be most of it, and of any size those in
 *                      the processor's widest vectors, where the device is that processor (native_when);
 *                      if the host has the operands and neither CS_FAMILY nor CS_INTERPRET=0 is set; and what
 *                      a GPU would leave to a few work-items, wherever its operands are
 *   else               none */
#ifndef CS_RUNTIME_NATIVE_H
#define CS_RUNTIME_NATIVE_H

#include "../../codegen/kernel/codegen.h"
#include "../../codegen/kernel/divide/division.h"
#include "../value.h"

typedef enum NativeUse { NATIVE_NEVER, NATIVE_SMALL, NATIVE_ALL } NativeUse;
NativeUse native_use(void);
/* The best form of a kernel on this processor; NULL: it has none. */
const CsCode *native_form(const CsKernel *k);
/* Has it the kernels of all launches? csc makes those that it foresees. */
bool native_has(const CsCode *form, const CgPlan *plan, const CgSchedule *s);
CgDevice native_device(const CsCode *form); /* what its plan is bound for */
/* Is there no device but this processor? May open one to know; false, too, with an exception pending. */
bool native_is_device(const CsSite *site);
/* Is it so as far as is known without opening one, and is there a csc that makes kernels for it? */
bool native_makes(void);
/* Bytes of the processor's second cache; 0: it does not say. */
size_t native_l2(void);
size_t native_close(void);   /* bytes that may lie in a cache nearly as fast as that; 0: none */
uint64_t native_clock(void); /* nanoseconds; it only goes on */

typedef enum NativeWhen {
    NATIVE_NOT,       /* never here */
    NATIVE_ALWAYS,    /* wherever evaluations are otherwise */
    NATIVE_PROCESSOR, /* if the device is this processor */
    NATIVE_MEANWHILE, /* until there is better code, which is being made: the clock decides, which is.. */
    NATIVE_UNOPENED /* ..or since opening a device would take longer:
                         for evaluations without reals, whose bits are the same everywhere */
} NativeWhen;
/* work: operations, of all elements. exact: there are no reals. */
NativeWhen native_when(const CsCode *form, bool exact, double work);
/* Of what a device with many units would leave to a few work-items: the bits are those of the size, too. */
NativeWhen native_alone(double work);

/* Runs a schedule at once; waits for launches that use the same buffers. `words` are the errors.
 * `work`: operations in all, which says whether sharing them pays. */
typedef struct NativeRun {
    const CsCode *form;
    const CgPlan *plan;
    const CgSchedule *schedule;
    uint32_t variant;
    int nslots;
    Buffer *const *slots, *const *outs; /* as device_run has them */
    double work;
    bool keeps; /* results lie over arrays that may be read through them */
    bool slice; /* ..and are parts of such */
    /* Of several ranks, which do it together: all agree first that they do. */
    bool meets;
    /* Each does all of it: what it reads of arrays of which ranks have parts comes to all. False with an exception pending. */
    bool (*bring)(const void *ctx, const CsSite *site);
    const void *ctx;
    const Division *
        division; /* NULL: each does all; else, of one process, its blocks are done one after the other */
} NativeRun;
bool native_run(const NativeRun *r, uint32_t words[CG_ERROR_WORDS], const CsSite *site);

/* What kernels call. */
void cs_kernel_fail(uint32_t *error, int64_t kind, int64_t site, int64_t index, int64_t lo,
                    int64_t n);
float cs_kernel_far_high_float(float x), cs_kernel_far_low_float(float x); /* far.c */
double cs_kernel_far_high_double(double x), cs_kernel_far_low_double(double x);

#endif
