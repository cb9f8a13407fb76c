/* The arithmetic of bounds. Bounds are long nodes, kept simple as they are built (a constant is
 * added to one base only once), since they end up in messages and in plans. */
#include "../internal.h"

static const FdNode *simple(Fd *fd, const FdNode *n)
{
    const FdNode *folded = fdi_fold_node(NULL, fd, n);
    if (folded) n = folded;
    const FdNode *simplified = fdi_simplify_node(NULL, fd, n);
    return simplified ? simplified : n;
}

const FdNode *fd_simple_op(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args)
{
    const void *of[3];
    for (int i = 0; i < n && i < 3; i++) of[i] = args[i];
    FdiMade *m = fdi_made(fd, &fd->simple, op, to, n, of);
    if (fdi_is_made(m, op, to, n, of)) return m->node;
    const FdNode *made = simple(fd, fd_apply_op(fd, op, to, n, args, (FdLoc){0}));
    fdi_make_known(m, op, to, n, of, made);
    return made;
}

const FdNode *fdi_to_long(Fd *fd, const FdNode *n)
{
    if (n->type->scalar == SC_LONG) return n;
    return fd_simple_op(fd, FD_OP_CONVERT, SC_LONG, 1, &n);
}

const FdNode *fdi_long_op(Fd *fd, FdOp op, const FdNode *a, const FdNode *b)
{
    const FdNode *args[2] = {a, b};
    return fd_simple_op(fd, op, SC_LONG, 2, args);
}

const FdNode *fdi_add_constant(Fd *fd, const FdNode *n, int64_t k)
{
    if (k == 0) return n;
    return fdi_long_op(fd, FD_OP_ADD, n, fd_long(fd, k));
}

const FdNode *fdi_scale(Fd *fd, const FdNode *n, int64_t k)
{
    if (k == 1) return n;
    return fdi_long_op(fd, FD_OP_MUL, n, fd_long(fd, k));
}

const FdNode *fdi_floor_div(Fd *fd, const FdNode *n, int64_t k)
{
    if (k == 1) return n;
    /* (n - ((n % k + k) % k)) / k: / truncates, floor is meant. */
    const FdNode *d = fd_long(fd, k);
    const FdNode *rem = fdi_long_op(fd, FD_OP_REM, n, d);
    rem = fdi_long_op(fd, FD_OP_REM, fdi_add_constant(fd, rem, k), d);
    return fdi_long_op(fd, FD_OP_DIV, fdi_long_op(fd, FD_OP_SUB, n, rem), d);
}

/* n as base + constant; *base NULL for a constant alone. */
static int64_t split(const FdNode *n, const FdNode **base)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    *base = n;
    if (fd_is_const(n)) {
        *base = NULL;
        return n->value.i;
    }
    if ((op != FD_OP_ADD && op != FD_OP_SUB) || !fd_is_const(n->args[1])) return 0;
    *base = n->args[0];
    uint64_t k = (uint64_t)n->args[1]->value.i;
    return (int64_t)(op == FD_OP_ADD ? k : 0 - k);
}

const FdNode *fdi_extreme(Fd *fd, bool greatest, int n, const FdNode *const *bounds)
{
    const FdNode *result = NULL;
    for (int i = 0; i < n; i++) {
        const FdNode *base, *other;
        int64_t k = split(bounds[i], &base), best = k;
        bool first = true;
        for (int j = 0; j < n; j++) {
            int64_t kj = split(bounds[j], &other);
            if (other != base) continue;
            if (j < i) first = false; /* its group is done */
            if (greatest ? kj > best : kj < best) best = kj;
        }
        if (!first) continue;
        const FdNode *b = base ? fdi_add_constant(fd, base, best) : fd_long(fd, best);
        result = result ? fdi_long_op(fd, greatest ? FD_OP_MAX : FD_OP_MIN, result, b) : b;
    }
    return result;
}
