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

/* share NULL: all. args: room for those of the launch. False with an exception pending. */
bool launch_run(const NativeRun *r, const CgLaunch *l, const DivisionRange *share, const Memory *m,
                uint64_t *args, const CsSite *site);

/* A kernel that fails leaves the rest undone, which those behind it must not take for numbers. */
static inline bool launch_goes_on(const uint32_t *words)
{
    return words[0] == CG_ERR_NONE || words[0] == CG_ERR_NOTED;
}

#endif
