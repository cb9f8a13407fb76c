/* One launch of a native run: its items, shared among threads. */
#ifndef CS_RUNTIME_LAUNCH_H
#define CS_RUNTIME_LAUNCH_H

#include "native.h"

/* Pointers of the host, in place of buffers. */
typedef struct Memory {
    void *const *slots, *const *temps, *const *outs;
    uint32_t *errors;
} Memory;

/* Has the launch anything to do, by what launches before it report? */
static inline bool launch_acts(const CgLaunch *l, const uint32_t *words)
{
    return !l->again || words[0] == CG_ERR_NOTED;
}

/* What is to be done of a launch. */
typedef struct LaunchItems {
    CsKernelCode *code;
    CsKernelAt at;       /* the first item, sizes and variant */
    int64_t n[3], items; /* how many along each dimension, and in all */
    double work;         /* operations of them */
    bool fast;           /* denormals are zero */
} LaunchItems;

/* How many there are, as l says. */
void launch_sizes(const CgLaunch *l, LaunchItems *items);
/* All items; false: the program lacks the kernel. */
bool launch_items(const NativeRun *r, const CgLaunch *l, LaunchItems *out);
/* Runs them, at least one, shared among threads if that pays; args: 8 bytes each. */
void launch_all(const LaunchItems *of, const uint64_t *args);
/* The host's side of buffers, as far as this rank has it; NULL where there is none. False with an exception pending. */
bool launch_sides(Buffer *const *buffers, int n, bool write, void **out, const CsSite *site);
/* An argument: the address of memory, never NULL; a number (of other kinds nothing is written). */
void *launch_memory(const Memory *m, CgArgKind kind, int index);
void launch_value(const CgArg *a, uint64_t *to);

/* share NULL: all. args: room for those of the launch. False with an exception pending. */
bool launch_run(const NativeRun *r, const CgLaunch *l, const DivisionRange *share, const Memory *m,
                uint64_t *args, const CsSite *site);

/* A kernel that fails leaves the rest undone, which those behind it must not take for numbers. */
static inline bool launch_goes_on(const uint32_t *words)
{
    return words[0] == CG_ERR_NONE || words[0] == CG_ERR_NOTED;
}

#endif
