/* Graphs that are one reduction of numbers: sum(j : 0..i, l(i, j) * x(j)), and what is made of it. The host goes through
 * short ones itself (codegen/host/value/arithmetic.c). */
#include "../internal.h"
#include "affine.h"

typedef struct Single {
    const FdGraph *graph;
    const FdNode *reduce; /* NULL: none is met so far */
} Single;

static bool is_reduction(const void *single, const FdNode *n)
{
    const Single *s = single;
    return n->kind == FD_REDUCE && n != s->reduce;
}

/* A reduction whose value is there as soon as its range is not empty. */
static bool is_walked(const FdNode *n)
{
    const FdOp op = fd_op_of(n);
    bool plain = op == FD_OP_ADD || op == FD_OP_MUL || op == FD_OP_MIN || op == FD_OP_MAX ||
                 op == FD_OP_LAND || op == FD_OP_LOR;
    for (int i = 0; i < n->nvars; i++) plain = plain && fd_range_closed(&n->doms[i]);
    return plain && n->nvars <= FD_SINGLE_VARS && !n->init;
}

static bool is_array(const Single *s, const FdNode *n)
{
    return n->kind == FD_FUNC && n->leaf == FD_LEAF_SLOT && s->graph->slots[n->slot].is_array &&
           !n->type->result->record;
}

/* A whole number of 64 bits that is no bound of an array: what is made of such may wrap. */
static bool is_wide(const void *ctx, const FdNode *n)
{
    (void)ctx;
    const FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    bool bound = op != FD_OP_NONE && fd_op_info(op)->rule == FD_RULE_BOUND;
    bool number = n->kind != FD_FUNC && fd_type_is_scalar(n->type) && !fd_is_const(n);
    return number && !bound && scalar_bytes(n->type->scalar) > 4;
}

/* An index: as it moves evenly, its values at the ends of the ranges tell where all are. */
static bool is_even(const Single *s, const FdNode *index)
{
    FdAffine form;
    int64_t factor;
    bool even = fdi_is_integer(index->type) && !(fd_effects(index) & FD_READS) &&
                !fd_any(index, is_wide, NULL) && fd_affine(index, &form);
    for (int i = 0; even && i < form.nterms; i++)
        even = form.terms[i].factor >= INT32_MIN && form.terms[i].factor <= INT32_MAX;
    for (int i = 0; i < s->reduce->nvars && even; i++)
        even = fd_affine_factor(&form, s->reduce->vars[i], &factor);
    return even;
}

static bool is_own_variable(const Single *s, const FdNode *n)
{
    int i = 0;
    while (i < s->reduce->nvars && s->reduce->vars[i] != n) i++;
    return i < s->reduce->nvars;
}

static bool is_element(const Single *s, const FdNode *n)
{
    bool even = is_array(s, n->fn) && n->nargs == n->fn->type->nparams;
    for (int d = 0; d < n->nargs && even; d++) even = is_even(s, n->args[d]);
    return even;
}

static bool is_operation(const Single *s, const FdNode *n)
{
    const FdOpInfo *op = fd_op_info(fd_op_of(n));
    if (op->rule == FD_RULE_BOUND) return is_array(s, n->args[0]);
    return op->rule != FD_RULE_RANDOM && !(fd_does(n) & (FD_FAILS | FD_CALLS));
}

/* Is it nothing that a loop of the host can say? */
static bool is_other(const void *single, const FdNode *n)
{
    const Single *s = single;
    switch (n->kind) {
    case FD_SCALAR: return n->type->record != NULL;
    case FD_FUNC: return n->leaf == FD_LEAF_SLOT ? !is_array(s, n) : n->leaf != FD_LEAF_OP;
    case FD_VAR: return !is_own_variable(s, n);
    case FD_REDUCE: return false;
    case FD_APPLY: return fd_op_of(n) != FD_OP_NONE ? !is_operation(s, n) : !is_element(s, n);
    default: return true;
    }
}

static const FdNode *first_reduction(const FdNode *root)
{
    FdWalk w = fd_walk(root);
    const FdNode *found = NULL;
    for (const FdNode *n; !found && (n = fd_walk_next(&w)); fd_walk_below(&w, n))
        if (n->kind == FD_REDUCE) found = n;
    fd_walk_end(&w);
    return found;
}

const FdNode *fd_single_reduction(const FdGraph *g)
{
    const FdNode *root = fd_root(g);
    if (g->nresults != 1 || root->type->result || root->type->record) return NULL;
    Single s = {g, first_reduction(root)};
    if (!s.reduce || !is_walked(s.reduce) || fd_any(root, is_reduction, &s)) return NULL;
    for (int i = 0; i < g->nagrees; i++)
        if (g->agrees[i].inside || !is_array(&s, g->agrees[i].a) || !is_array(&s, g->agrees[i].b))
            return NULL;
    return fd_any(root, is_other, &s) ? NULL : s.reduce;
}
