/* Operands that end in zeros (hoist.c).
 *   before: sum(o, p, w(o, c, p) * (0 <= i - p && i - p < n ? g(o, i - p) : 0))          for all i and c
 *   after:  sum(o, p, w(o, c, p) * t(o, i - p))
 * The conditions are cheap, but keep the product from having tiles. */
#include "hoist.h"

typedef struct Pair {
    const FdNode *n, *both;
} Pair;

/* A use of the variables of `both` that is not in it. */
static bool uses_apart(const Pair *p, const FdNode *n, FdSeen *seen)
{
    if (n == p->both || !fd_meet(seen, n)) return false;
    if (n == p->both->args[0] || n == p->both->args[1]) return true;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (uses_apart(p, n->args[i], seen)) return true;
    return false;
}

/* Two variables that are used together only. */
static bool is_pair(const void *ctx, const FdNode *both)
{
    FdOp op = both->kind == FD_APPLY ? fd_op_of(both) : FD_OP_NONE;
    if ((op != FD_OP_ADD && op != FD_OP_SUB) || !fdi_is_word(both) ||
        both->args[0]->kind != FD_VAR || both->args[1]->kind != FD_VAR)
        return false;
    const Pair p = {ctx, both};
    FdSeen seen = {0};
    bool apart = uses_apart(&p, p.n, &seen);
    fd_seen_free(&seen);
    return !apart;
}

bool hoist_ends_in_zeros(const FdNode *n)
{
    if (n->kind != FD_APPLY || fd_op_of(n) != FD_OP_SELECT || !fd_is_const(n->args[2]) ||
        !fd_type_is_scalar(n->type) || !scalar_is_real(n->type->scalar) ||
        n->args[2]->value.f != 0 || (fd_effects(n) & (FD_REDUCES | FD_CALLS)))
        return false;
    return fd_does(n->args[1]) & FD_READS && fd_any(n, is_pair, n);
}
