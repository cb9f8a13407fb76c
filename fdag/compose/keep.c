/* Functions as arrays, and graphs of several functions.
 *   a sweep and its error:  v = let(i, j) ..      e = sum(i, j, abs(v(i, j) - u(i, j)))
 *   results:                sum(i, j, abs(v(i, j) - u(i, j))), v
 * where v is an array (FD_DOM_ARRAY), so that it becomes a temporary whatever passes think of it; that is
 * then the result. */
#include "../internal.h"

const FdNode *fd_stored(Fd *fd, const FdNode *let)
{
    FdDom doms[FD_MAX_RANK];
    const FdNode *vars[FD_MAX_RANK];
    for (int d = 0; d < let->nvars; d++) {
        doms[d] = (FdDom){FD_DOM_ARRAY, let->doms[d].lo, let->doms[d].hi};
        vars[d] = fd_var(fd, let->vars[d]->type, let->vars[d]->name);
    }
    const FdNode *element = fd_apply(fd, let, let->nvars, vars, let->loc);
    return fd_let(fd, let->nvars, vars, doms, element, let->loc);
}

static FdGraph *graph_over(Fd *fd, int n, const FdType *const *types)
{
    FdGraph *g = arena_new_of(fd->arena, FdGraph);
    *g = (FdGraph){.nslots = n, .nresults = n};
    g->results = arena_array(fd->arena, FdResult, n);
    g->slots = arena_array(fd->arena, FdSlot, n);
    for (int k = 0; k < n; k++) g->slots[k] = (FdSlot){.type = types[k], .name = "f"};
    return g;
}

FdGraph *fd_results(Fd *fd, int n, const FdType *const *types)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    FdGraph *g = graph_over(fd, n, types);
    const FdNode *first = fd_slot(fd, 0, types[0], "f");
    int rank = types[0]->nparams;
    for (int d = 0; d < rank; d++) {
        FdDom of = fd_domain(fd, first, d);
        vars[d] = fd_var(fd, types[0]->params[d], "i");
        doms[d] = (FdDom){FD_DOM_GIVEN, of.lo, of.hi};
    }
    for (int k = 0; k < n; k++) {
        const FdNode *value = fd_apply(fd, fd_slot(fd, k, types[k], "f"), rank, vars, (FdLoc){0});
        g->results[k].node = fd_let(fd, rank, vars, doms, value, (FdLoc){0});
    }
    return g;
}

FdGraph *fd_arrays(Fd *fd, int n, const FdType *const *types)
{
    FdGraph *g = graph_over(fd, n, types);
    for (int k = 0; k < n; k++) g->results[k].node = fd_slot(fd, k, types[k], "f");
    return g;
}
