/* Kernels by key: in memory, embedded in the program, on disk, else lowered now; and their builds
 * for the device at hand. Kernels live until the program ends. */
#ifndef CS_RUNTIME_KERNELS_H
#define CS_RUNTIME_KERNELS_H

#include "../../device/device.h"
#include "../../native/code.h"

typedef struct KernelBuild {
    uint32_t variant;
    const struct Device *device;
    DeviceProgram *program;
} KernelBuild;

typedef struct Kernel {
    struct Kernel *next;
    FdKey key; /* cg_key */
    CgFamily family;
    CgStatus status;
    char *message; /* CG_USER_ERROR */
    FdLoc loc;
    const char *text;
    char *own;        /* the text, if it is ours to free */
    int32_t embedded; /* its number in the program; -1: it is not */
    CgPlan *plan;
    const CsCode *form; /* as machine code, if the program has that */
    Made *made;         /* as machine code that was made since; NULL: not tried */
    int nbuilds;
    KernelBuild *builds;
} Kernel;

/* Its status says whether there is a plan. NULL with OutOfMemoryException pending. The device must
 * be open. */
Kernel *kernels_find(FdKey graph_key, const FdGraph *g, const CsSite *site);
/* What the program has as machine code for this processor, or may have made: by whatever csc is there, or (usual) where
 * evaluations run so; its status may be CG_HOST_ONLY.
 * NULL: neither, or, with OutOfMemoryException pending, memory is out. Opens no device. */
Kernel *kernels_native(FdKey graph_key, const FdGraph *g, bool usual, const CsSite *site);
/* Makes the kernels of a schedule that the form made so far lacks. False: they cannot be; or, unless it waits, are
 * not yet there. */
bool kernels_made(Kernel *k, FdKey graph_key, const FdGraph *g, const CgSchedule *s, bool wait);
/* CgOptions.set of the kernels of a graph. */
void kernels_set(FdKey graph_key, CgFamily family, Text *set);
/* The program of a variant, built if that was not done. NULL with an exception pending. */
DeviceProgram *kernels_program(Kernel *k, uint32_t variant, const CsSite *site);
void kernels_free(void);

#endif
