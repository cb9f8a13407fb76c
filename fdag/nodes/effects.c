/* What evaluating a node may do besides giving a value: the one answer, which passes, schedules and
 * kernels ask for (fdag.h). What a node does itself follows from it alone; what it evaluates adds to
 * that, and is found once, when the node is made. */
#include "../internal.h"

/* Can the divisor be 0? */
static bool may_be_zero(const FdNode *by)
{
    if (fd_is_const(by)) return by->value.i == 0;
    if (by->kind != FD_APPLY || fd_op_of(by) != FD_OP_MAX) return true;
    for (int i = 0; i < 2; i++) /* as Periodic has it */
        if (fd_is_const(by->args[i]) && by->args[i]->value.i > 0) return false;
    return true;
}

bool fd_element_is_shown(const FdNode *element, int d)
{
    const FdNode *index = element->args[d];
    return fd_is_const(index) && index->value.i >= 0 && index->value.i < element->fn->extent[d];
}

static bool may_be_outside(const FdNode *element)
{
    for (int d = 0; d < element->nargs; d++)
        if (!fd_element_is_shown(element, d)) return true;
    return false;
}

static FdEffects apply_does(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (op != FD_OP_NONE) {
        bool throws = (fd_op_info(op)->props & FD_THROWS) && !scalar_is_real(n->type->scalar);
        return throws && may_be_zero(n->args[1]) ? FD_DIVIDES : 0;
    }
    if (fdi_applies(n, FD_LEAF_MAKE) || fdi_applies(n, FD_LEAF_FIELD)) return 0;
    if (fd_is_element(n)) return may_be_outside(n) ? FD_OUTSIDE : 0;
    bool bound = n->fn->kind == FD_VAR && n->fn->role == FD_VAR_BOUND;
    return bound || fdi_applies(n, FD_LEAF_SLOT) ? FD_READS : FD_CALLS;
}

FdEffects fd_does(const FdNode *n)
{
    if (n->kind == FD_APPLY) return apply_does(n);
    if (n->kind != FD_REDUCE) return 0;
    return FD_REDUCES | (fd_has_identity(n) ? 0 : FD_EMPTY) | (fd_op_of(n) ? 0 : FD_CALLS);
}

FdEffects fdi_effects(const FdNode *n, FdEffects below)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    bool bound = op == FD_OP_LOWER || op == FD_OP_UPPER; /* a domain is asked for alone */
    return bound ? 0 : fd_does(n) | below;
}

FdEffects fd_effects(const FdNode *n)
{
    return fdi_node(n)->effects;
}

/* ---- with what is called ----------------------------------------------------------------- */

static bool add_user(const void *ctx, const FdNode *n)
{
    FdEffects *all = *(FdEffects *const *)ctx;
    if (n->user) *all |= fd_user_effects(n->user);
    return false;
}

FdEffects fd_effects_called(const FdNode *n)
{
    FdEffects all = fd_effects(n), *to = &all;
    if (all & FD_CALLS) fd_any(n, add_user, &to);
    return all;
}

static FdEffects body_effects(const FdStmt *s)
{
    FdEffects all = 0;
    for (; s; s = s->next) {
        if (s->expr) all |= fd_effects_called(s->expr);
        if (s->kind == FD_STMT_PUT) all |= fd_effects_called(s->var);
        all |= body_effects(s->body) | body_effects(s->other);
    }
    return all;
}

FdEffects fd_user_effects(const FdUser *user)
{
    FdEffects all = body_effects(user->body);
    return all & (FD_READS | FD_EMPTY) ? all | FD_OUTSIDE : all;
}

bool fd_can_fail(const FdNode *n)
{
    return fd_effects_called(n) & FD_FAILS;
}

/* ---- of scalars ------------------------------------------------------------------------------ */

static bool is_no_arithmetic(const void *ctx, const FdNode *n)
{
    const FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    (void)ctx;
    if (n->kind == FD_SCALAR || n->kind == FD_FUNC)
        return n->type->record || (n->leaf == FD_LEAF_SLOT && n->type->result);
    if (n->kind != FD_APPLY) return true;
    return n->fn->leaf != FD_LEAF_MAKE &&
           (op == FD_OP_NONE || fd_op_info(op)->rule == FD_RULE_BOUND ||
            fd_op_info(op)->rule == FD_RULE_RANDOM);
}

bool fd_is_arithmetic(const FdGraph *g)
{
    const FdNode *n = fd_root(g);
    if (g->nresults != 1 || g->nagrees || n->type->result || fd_effects(n)) return false;
    if (n->kind != FD_APPLY && n->type->record) return false;
    return !fd_any(n, is_no_arithmetic, NULL);
}
