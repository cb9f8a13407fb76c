/* One launch of a native run: its items, shared among threads. */
#ifndef CS_RUNTIME_LAUNCH_H
#define CS_RUNTIME_LAUNCH_H

#include "native.h"

/* Pointers of the host, in place of buffers. */
typedef struct Memory {
    void *const *slots, *const *temps, *const *outs;
    uint32_t *errors;
} Memory;

/* Of a launch, what a share does. */
typedef struct Range {
    int dim;
    int64_t from, to;
    int64_t repeats, apart; /* the same again, so many items further on */
} Range;

/* Has the launch anything to do, by what launches before it report? */
static inline bool launch_acts(const CgLaunch *l, const uint32_t *words)
{
    return !l->again || words[0] == CG_ERR_NOTED;
}

static inline Range division_range(const DividedLaunch *l, int share)
{
    return (Range){l->cut->dim, l->from[share], l->to[share], l->cut->repeats, l->cut->apart};
}

/* share NULL: all. args: room for those of the launch. False with an exception pending. */
bool launch_run(const NativeRun *r, const CgLaunch *l, const Range *share, const Memory *m,
                uint64_t *args, const CsSite *site);

/* A kernel that fails leaves the rest undone, which those behind it must not take for numbers. */
static inline bool launch_goes_on(const uint32_t *words)
{
    return words[0] == CG_ERR_NONE || words[0] == CG_ERR_NOTED;
}

#endif
