/* The pass lists, and running them with the verifier in between. */
#include <string.h>

#include "internal.h"

static const FdPass all[] = {
    {"fold", fd_pass_fold},
    {"domains", fd_pass_domains},
    {"recur", fd_pass_recur},
    {"inline", fd_pass_inline},
    {"share", fd_pass_share},
    {"fuse", fd_pass_fuse},
    {"compose", fd_pass_compose},
    {"simplify", fd_pass_simplify},
    {"hoist", fd_pass_hoist},
    {"deadparams", fd_pass_deadparams},
    {"powers", fd_pass_powers},
    {"given", fd_pass_given},
    {"network", fd_pass_network},
    {"exact", fd_pass_exact},
    {"components", fd_pass_components},
    {"pick", fd_pass_pick},
    {"adjacent", fd_pass_adjacent},
    {"neutral", fd_pass_neutral},
    {"byrows", fd_pass_byrows},
    {"beside", fd_pass_beside},
    {"divisors", fd_pass_divisors},
    {"tabulate", fd_pass_tabulate},
    {"mirror", fd_pass_mirror},
};

const FdPass fd_front_passes[] = {
    {"fold", fd_pass_fold},
    {"domains", fd_pass_domains},
    {"recur", fd_pass_recur},
    {"divisors", fd_pass_divisors},
    {0},
};

/* The back passes, around those that round otherwise than what is written: reductions may, all else
 * in graphs that are [Fast] alone. */
#define FIRST                                                                                      \
    {"beside", fd_pass_beside}, {"inline", fd_pass_inline}, {"divisors", fd_pass_divisors},        \
        {"share", fd_pass_share}, {"fuse", fd_pass_fuse}, {"compose", fd_pass_compose},            \
        {"recur", fd_pass_recur}, {"fold", fd_pass_fold}, {"simplify", fd_pass_simplify},          \
        {"pick", fd_pass_pick}, {"adjacent", fd_pass_adjacent},                                    \
    {                                                                                              \
        "neutral", fd_pass_neutral                                                                 \
    }
#define LAST                                                                                       \
    {"tabulate", fd_pass_tabulate}, {"share", fd_pass_share},                                      \
    {                                                                                              \
        "hoist", fd_pass_hoist                                                                     \
    }
#define END                                                                                        \
    {"deadparams", fd_pass_deadparams},                                                            \
    {                                                                                              \
        0                                                                                          \
    }
#define MIRROR                                                                                     \
    {                                                                                              \
        "mirror", fd_pass_mirror                                                                   \
    }

#define REGROUP                                                                                    \
    {"components", fd_pass_components}, {"network", fd_pass_network},                              \
    {                                                                                              \
        "byrows", fd_pass_byrows                                                                   \
    }

const FdPass fd_back_passes[] = {FIRST, REGROUP, LAST, MIRROR, END};
const FdPass fd_precise_passes[] = {FIRST, {"exact", fd_pass_exact}, LAST, END};
static const FdPass fast_passes[] = {FIRST, {"powers", fd_pass_powers}, REGROUP, LAST, MIRROR, END};

const FdPass *fd_back_passes_for(FdReals reals)
{
    return reals == FD_REALS_PRECISE ? fd_precise_passes
           : reals == FD_REALS_FAST  ? fast_passes
                                     : fd_back_passes;
}

enum { PASSES = sizeof all / sizeof *all };

const FdPass *fd_pass_at(int i)
{
    return i < PASSES ? &all[i] : NULL;
}

const FdPass *fd_pass_find(const char *name)
{
    for (int i = 0; i < PASSES; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    return NULL;
}

bool fd_run_passes(Fd *fd, FdGraph *g, const FdPass *passes, FdError *error, const char *dump_after,
                   Text *dump)
{
    *error = (FdError){0};
    for (const FdPass *p = passes; p->name; p++) {
        if (!p->run(fd, g, error)) return false;
#ifndef NDEBUG
        const char *why = fd_verify(fd, g);
        if (why) internal_error(p->name, why);
#endif
        if (dump && dump_after && strcmp(dump_after, p->name) == 0) fd_print(dump, g);
    }
    return true;
}
