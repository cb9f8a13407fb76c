/* Graphs that keep arrays: a scalar, and arrays of which it is made, by one evaluation.
 *   a sweep and its error:  v = let(i, j) ..      e = sum(i, j, abs(v(i, j) - u(i, j)))
 *   graph:                  keeps make(sum(i, j, abs(v(i, j) - u(i, j))), v(lower, lower))
 * where v is an array (FD_DOM_ARRAY), so that it becomes a temporary whatever passes think of it; the last
 * fields of the record say which temporaries are results. */
#include "internal.h"

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

const FdNode *fd_keep(Fd *fd, const FdNode *root, int n, const FdNode *const *arrays)
{
    const FdNode *fields[FD_MAX_FIELDS], *at[FD_MAX_RANK];
    int first = root ? 1 : 0;
    if (n + first > FD_MAX_FIELDS) return NULL;
    fields[0] = root;
    for (int k = 0; k < n; k++) {
        const FdNode *let = arrays[k];
        for (int d = 0; d < let->nvars; d++)
            at[d] =
                fd_simple_op(fd, FD_OP_CONVERT, let->vars[d]->type->scalar, 1, &let->doms[d].lo);
        fields[first + k] = fd_apply(fd, let, let->nvars, at, let->loc);
    }
    n += first;
    return fd_make(fd, fdi_results_type(fd, n, fields), fields, fields[0]->loc);
}

static FdGraph *graph_over(Fd *fd, int n, const FdType *const *types)
{
    FdGraph *g = arena_new_of(fd->arena, FdGraph);
    *g = (FdGraph){.nslots = n};
    g->slots = arena_array(fd->arena, FdSlot, n);
    for (int k = 0; k < n; k++) g->slots[k] = (FdSlot){.type = types[k], .name = "f"};
    return g;
}

FdGraph *fd_results(Fd *fd, int n, const FdType *const *types)
{
    const FdNode *fields[FD_MAX_FIELDS], *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    FdGraph *g = graph_over(fd, n, types);
    const FdNode *first = fd_slot(fd, 0, types[0], "f");
    for (int d = 0; d < types[0]->nparams; d++) {
        FdDom of = fd_domain(fd, first, d);
        vars[d] = fd_var(fd, types[0]->params[d], "i");
        doms[d] = (FdDom){FD_DOM_GIVEN, of.lo, of.hi};
    }
    for (int k = 0; k < n; k++) {
        const FdNode *f = fd_slot(fd, k, types[k], "f");
        fields[k] = fd_apply(fd, f, types[k]->nparams, vars, (FdLoc){0});
    }
    const FdNode *all = fd_make(fd, fdi_results_type(fd, n, fields), fields, (FdLoc){0});
    g->root = fd_let(fd, types[0]->nparams, vars, doms, all, (FdLoc){0});
    g->several = true;
    return g;
}

FdGraph *fd_arrays(Fd *fd, int n, const FdType *const *types)
{
    const FdNode *fields[FD_MAX_FIELDS], *at[FD_MAX_RANK];
    FdGraph *g = graph_over(fd, n, types);
    for (int k = 0; k < n; k++) {
        const FdNode *f = fd_slot(fd, k, types[k], "f");
        for (int d = 0; d < types[k]->nparams; d++) {
            const FdNode *lower = fd_domain(fd, f, d).lo;
            at[d] = fd_simple_op(fd, FD_OP_CONVERT, types[k]->params[d]->scalar, 1, &lower);
        }
        fields[k] = fd_apply(fd, f, types[k]->nparams, at, (FdLoc){0});
    }
    g->root = fd_make(fd, fdi_results_type(fd, n, fields), fields, (FdLoc){0});
    g->keeps = g->arrays = true;
    return g;
}

const FdNode *fdi_keep_all(Fd *fd, const FdNode *root)
{
    const FdNode *arrays[FD_MAX_FIELDS];
    for (int k = 0; k < root->nargs; k++) {
        const FdNode *f = root->args[k]->fn;
        if (f->kind != FD_LET || f->self) return NULL;
        arrays[k] = fdi_array_of(f) ? f : fd_stored(fd, f);
    }
    return fd_keep(fd, NULL, root->nargs, arrays);
}
