/* A reduction of records whose function combines each field by itself: a reduction of each field, which contractions, sums
 * in lanes and the like are made of.
 *   before: reduce plus (k) new Complex(re(k), im(k))     with plus(a, b) = new Complex(a.re + b.re, a.im + b.im)
 *   after:  new Complex(sum(k, re(k)), sum(k, im(k)))
 * The function is marked associative and commutative, and what it gives of nothing is what the operations give. Values are
 * records made on the spot: others are worked out as a whole. Requires: inline, simplify. Keeps: what the marks promise, so
 * not under --precise. */
#include "../internal.h"

static bool is_field(const FdNode *n, const FdNode *of, int field)
{
    return fdi_applies(n, FD_LEAF_FIELD) && n->fn->slot == field && n->args[0] == of;
}

/* The operation by which a field of the result is made of that field of both parameters. */
static FdOp combined_by(const FdUser *user, const FdNode *made, int field)
{
    const unsigned any_order = FD_ASSOCIATIVE | FD_COMMUTATIVE;
    const FdNode *x = made->args[field], *identity = user->identity->args[field];
    FdOp op = x->kind == FD_APPLY ? fd_op_of(x) : FD_OP_NONE;
    ScalarValue nothing;
    if (op == FD_OP_NONE || x->nargs != 2 || !fd_type_is_scalar(x->type) ||
        (fd_op_info(op)->props & any_order) != any_order || !fd_is_const(identity) ||
        !fd_op_identity(op, x->type->scalar, &nothing) || identity->value.i != nothing.i)
        return FD_OP_NONE;
    for (int swap = 0; swap < 2; swap++)
        if (is_field(x->args[swap], user->params[0], field) &&
            is_field(x->args[!swap], user->params[1], field))
            return op;
    return FD_OP_NONE;
}

static const FdNode *split(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    const FdNode *fields[FD_MAX_FIELDS];
    if (fdi_applies(n, FD_LEAF_FIELD) && fdi_applies(n->args[0], FD_LEAF_MAKE))
        return n->args[0]->args[n->fn->slot]; /* of what was made here */
    const FdUser *user = n->kind == FD_REDUCE && !n->init ? fd_user_of(n) : NULL;
    if (!user || !user->associative || !user->commutative || !user->identity || !user->body ||
        user->body->kind != FD_STMT_RETURN || !fdi_applies(user->body->expr, FD_LEAF_MAKE) ||
        !fdi_applies(user->identity, FD_LEAF_MAKE) || !fdi_applies(n->body, FD_LEAF_MAKE))
        return NULL;
    for (int i = 0; i < n->type->nfields; i++) {
        FdOp op = combined_by(user, user->body->expr, i);
        if (op == FD_OP_NONE) return NULL;
        const FdNode *x = n->body->args[i];
        fields[i] =
            fd_reduce(fd, fd_op(fd, op, fdi_op_type(fd, op, SC_INT, 2, (const FdNode *[]){x, x})),
                      n->nvars, n->vars, n->doms, x, n->loc);
    }
    return fd_make(fd, n->type, fields, n->loc);
}

bool fd_pass_components(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, split, NULL);
    return true;
}
