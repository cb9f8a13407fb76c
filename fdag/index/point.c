/* Results at one point (point.h). */
#include "point.h"

#include "../internal.h"
#include "contraction.h"

/* A read elsewhere than at the variables of a binder, or anything whose reads nobody here sees. */
static bool is_elsewhere(const void *binder, const FdNode *n)
{
    const FdNode *b = binder;
    if (n->kind == FD_REDUCE || n->kind == FD_LET || n->user) return true;
    if (!fdi_applies(n, FD_LEAF_SLOT)) return n->kind == FD_FUNC && n->leaf == FD_LEAF_USER;
    bool own = n->nargs == b->nvars;
    for (int d = 0; own && d < n->nargs; d++) own = n->args[d] == b->vars[d];
    return !own;
}

static bool is_own(const FdNode *binder)
{
    bool closed = !binder->self && !binder->init && !binder->type->record;
    for (int d = 0; closed && d < binder->nvars; d++)
        closed = binder->doms[d].lo && fd_range_closed(&binder->doms[d]);
    return closed && !fd_can_fail(binder->body) && !fd_any(binder->body, is_elsewhere, binder);
}

/* Do reads stand outside of reductions? */
static bool reads_apart(const FdNode *n)
{
    bool reads = fdi_applies(n, FD_LEAF_SLOT);
    for (int i = 0; n->kind == FD_APPLY && !reads && i < n->nargs; i++)
        reads = reads_apart(n->args[i]);
    return reads || (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_NONE);
}

/* It ends where the answer is known, before all arrays are stored. */
static bool may_end(const FdNode *reduce)
{
    FdOp op = fd_op_of(reduce);
    return op == FD_OP_LAND || op == FD_OP_LOR;
}

/* May its ranges be those of the array? What the program says is compared as it is written; what is inferred, by the
 * numbers, when they are known. */
static bool may_be_over(const FdNode *reduce, const FdNode *array)
{
    bool may = reduce->nvars == array->nvars;
    for (int d = 0; may && d < array->nvars; d++) {
        const FdDom *own = &array->doms[d], *dom = &reduce->doms[d];
        may = dom->kind != FD_DOM_GIVEN || (dom->lo == own->lo && dom->hi == own->hi);
    }
    return may;
}

static bool is_scalar_of(const FdNode *root, const FdNode *array)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    int n = root->type->nparams ? 0 : fd_reductions(root, reduces);
    bool all = n > 0 && fd_reductions_end(n, reduces, 0) == n;
    for (int r = 0; all && r < n; r++)
        all = fd_op_of(reduces[r]) != FD_OP_NONE && !may_end(reduces[r]) &&
              may_be_over(reduces[r], array) && is_own(reduces[r]);
    return all && !reads_apart(root);
}

bool fd_is_at_point(const FdGraph *g)
{
    bool all = g->nresults > 1;
    for (int k = 1; all && k < g->nresults; k++) {
        const FdNode *n = g->results[k].node;
        const FdNode *def = fdi_is_leaf(n, FD_LEAF_SLOT) ? g->slots[n->slot].def : NULL;
        all = def && def->kind == FD_LET && !def->body->type->record && is_own(def) &&
              is_scalar_of(fd_root(g), def);
    }
    return all;
}
