/* One form of what is the same but for signs and the order of operands, so that equal terms of an adjoint are one node.
 *   before: sum(j, f(m, j) * (x(m) - x(j))) + -sum(j, f(j, m) * (x(j) - x(m)))    where f(i, j) is f(j, i)
 *   after:  t + t, where t = sum(j, f(m, j) * (x(m) - x(j)))
 * An energy of pairs reads each array at both bodies of a pair: each force is one sum so. Signs go outwards,
 * operands that commute stand in the order in which they were made, and so do arguments of a definition that is
 * symmetric in them. Keeps: values, but for the sign of a zero. */
#include "derive.h"

typedef struct Form {
    const FdNode *node;
    bool minus;
} Form;

static Form form_of(FdiDerive *d, const FdNode *n);

static const FdNode *negated(Fd *fd, const FdNode *n)
{
    return fd_simple_op(fd, FD_OP_NEG, SC_INT, 1, &n);
}

static const FdNode *whole(FdiDerive *d, const FdNode *n)
{
    Form f = form_of(d, n);
    if (f.minus && fdi_is_op(f.node, FD_OP_SUB)) /* as it was, where it was so */
        return fdi_op2(d->fd, FD_OP_SUB, f.node->args[1], f.node->args[0]);
    return f.minus ? negated(d->fd, f.node) : f.node;
}

static bool is_real(const FdNode *n)
{
    return !n->type->nparams && !n->type->record && scalar_is_real(n->type->scalar);
}

/* a + b, with b's sign turned if so. */
static Form added(Fd *fd, Form a, Form b)
{
    bool swapped = a.node->id > b.node->id;
    Form x = swapped ? b : a, y = swapped ? a : b;
    FdOp op = x.minus == y.minus ? FD_OP_ADD : FD_OP_SUB;
    return (Form){fdi_op2(fd, op, x.node, y.node), x.minus};
}

static Form product(Fd *fd, FdOp op, Form a, Form b)
{
    bool swapped = op == FD_OP_MUL && a.node->id > b.node->id;
    const FdNode *n = swapped ? fdi_op2(fd, op, b.node, a.node) : fdi_op2(fd, op, a.node, b.node);
    return (Form){n, a.minus != b.minus};
}

static Form chosen(FdiDerive *d, const FdNode *n)
{
    Form a = form_of(d, n->args[1]), b = form_of(d, n->args[2]);
    bool minus = fdi_is_zero(b.node) ? a.minus : fdi_is_zero(a.node) ? b.minus : a.minus && b.minus;
    const FdNode *args[] = {
        n->args[0], a.minus != minus && !fdi_is_zero(a.node) ? negated(d->fd, a.node) : a.node,
        b.minus != minus && !fdi_is_zero(b.node) ? negated(d->fd, b.node) : b.node};
    return (Form){fd_simple_op(d->fd, FD_OP_SELECT, SC_INT, 3, args), minus};
}

/* Has a definition the same value with these two arguments swapped? */
static bool symmetric(FdiDerive *d, const FdNode *let, int p, int q)
{
    const FdDom *a = &let->doms[p], *b = &let->doms[q];
    if (let->self || !fdi_closed(let) || !is_real(let->body)) return false;
    if (let->vars[p]->type != let->vars[q]->type || a->kind != b->kind || a->lo != b->lo ||
        a->hi != b->hi || !a->lo || !fdi_closed(a->lo) || !fdi_closed(a->hi))
        return false;
    const FdNode *old[] = {let->vars[p], let->vars[q]}, *now[] = {let->vars[q], let->vars[p]};
    const FdNode *swapped = fdi_replace_vars(d->fd, let->body, 2, old, now);
    Form x = form_of(d, let->body), y = form_of(d, swapped);
    return x.node == y.node && x.minus == y.minus;
}

/* The arguments of a definition that is symmetric in some of them, in order. */
static const FdNode *in_order(FdiDerive *d, const FdNode *n)
{
    const FdNode *args[FD_MAX_RANK], *f = n->fn;
    for (int i = 0; i < n->nargs; i++) args[i] = n->args[i];
    for (int p = 0; p < n->nargs; p++)
        for (int q = p + 1; q < n->nargs; q++) {
            if (args[p]->id <= args[q]->id || !symmetric(d, f, p, q)) continue;
            const FdNode *swap = args[p];
            args[p] = args[q];
            args[q] = swap;
        }
    return fd_apply(d->fd, f, n->nargs, args, n->loc);
}

static Form operation(FdiDerive *d, const FdNode *n)
{
    Fd *fd = d->fd;
    const FdNode *args[FD_MAX_RANK];
    Form a = {0}, b = {0};
    FdOp op = fd_op_of(n);
    switch (op) {
    case FD_OP_NEG: a = form_of(d, n->args[0]); return (Form){a.node, !a.minus};
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_MUL:
    case FD_OP_DIV:
        a = form_of(d, n->args[0]);
        b = form_of(d, n->args[1]);
        if (op == FD_OP_MUL || op == FD_OP_DIV) return product(fd, op, a, b);
        b.minus = b.minus != (op == FD_OP_SUB);
        return added(fd, a, b);
    case FD_OP_ABS: a = form_of(d, n->args[0]); break;
    case FD_OP_SELECT: return chosen(d, n);
    default: break;
    }
    if (n->nargs > FD_MAX_RANK) return (Form){n, false};
    for (int i = 0; i < n->nargs; i++)
        args[i] = a.node ? a.node : is_real(n->args[i]) ? whole(d, n->args[i]) : n->args[i];
    return (Form){fd_apply_op(fd, op, n->type->scalar, n->nargs, args, n->loc), false};
}

static Form reduction(FdiDerive *d, const FdNode *n)
{
    if (n->init || fd_op_of(n) != FD_OP_ADD) return (Form){n, false};
    Form body = form_of(d, n->body);
    return (Form){fdi_rebind(d->fd, n, NULL, body.node), body.minus};
}

static Form form_of(FdiDerive *d, const FdNode *n)
{
    uint64_t known;
    if (fdi_map_get(&d->forms, n, &known))
        return (Form){(const FdNode *)(uintptr_t)(known & ~UINT64_C(1)), known & 1};
    Form f = {n, false};
    if (is_real(n) && n->kind == FD_REDUCE)
        f = reduction(d, n);
    else if (is_real(n) && n->kind == FD_APPLY && fd_op_of(n) != FD_OP_NONE)
        f = operation(d, n);
    else if (is_real(n) && n->kind == FD_APPLY && n->fn->kind == FD_LET)
        f.node = in_order(d, n);
    fdi_map_set(&d->forms, n, (uint64_t)(uintptr_t)f.node | f.minus);
    return f;
}

const FdNode *fdi_one_form(FdiDerive *d, const FdNode *n)
{
    return n && is_real(n) ? whole(d, n) : n;
}

bool fdi_opposite(FdiDerive *d, const FdNode *a, const FdNode *b)
{
    if (!is_real(a) || a->type != b->type) return false;
    if (fd_is_const(a) && fd_is_const(b)) return a->value.f == -b->value.f;
    Form x = form_of(d, a), y = form_of(d, b);
    return x.node == y.node && x.minus != y.minus;
}
