/* Algebraic simplification of single operations.
 *   before: x * 1    x + 0    (i - 1) + 1    -(-x)    !!b    (double) (float) h    min(x, x)
 *   after:  x        x        i              x        b      (double) h            x
 *   before: pow(x, 2)    pow(x, -1)    pow(x, 0.5)
 *   after:  x * x        1 / x         x == -inf ? inf : x == 0 ? 0 : sqrt(x)
 *   before: (c ? new R(a, b) : r).x    new R(r.x, r.y)
 *   after:  c ? a : r.x                r
 * Requires: nothing. Keeps: values bit for bit (reals only where signed zeros allow: x - 0, x * 1),
 * and errors: no operand that could throw is dropped. */
#include <math.h>

#include "../internal.h"

static bool is_value(const FdNode *n, double x)
{
    if (!fd_is_const(n)) return false;
    ScalarKind k = n->type->scalar;
    if (scalar_is_real(k)) { /* by bits: 0 is not -0 */
        ScalarValue v = {.f = x};
        return n->value.i == v.i;
    }
    return scalar_is_integer(k) && n->value.i == (int64_t)x;
}

static const FdNode *op2(Fd *fd, FdOp op, const FdNode *a, const FdNode *b, FdLoc loc)
{
    const FdNode *args[2] = {a, b};
    return fd_apply_op(fd, op, SC_INT, 2, args, loc);
}

/* x + c, x - c on integers, where x is such a sum itself: one constant. Sums wrap, so regrouping is
 * exact. */
static const FdNode *regroup(Fd *fd, const FdNode *n, FdOp op)
{
    const FdNode *x = n->args[0], *c = n->args[1];
    ScalarKind k = n->type->scalar;
    if (!scalar_is_integer(k)) return NULL;
    bool swapped = op == FD_OP_ADD && fd_is_const(x);
    if (swapped) x = n->args[1], c = n->args[0];
    if (!fd_is_const(c)) return NULL;
    uint64_t sum = op == FD_OP_ADD ? (uint64_t)c->value.i : 0 - (uint64_t)c->value.i;
    FdOp inner = x->kind == FD_APPLY ? fd_op_of(x) : FD_OP_NONE;
    bool nested = (inner == FD_OP_ADD || inner == FD_OP_SUB) && fd_is_const(x->args[1]);
    if (nested) {
        uint64_t d = (uint64_t)x->args[1]->value.i;
        sum += inner == FD_OP_ADD ? d : 0 - d;
        x = x->args[0];
    }
    ScalarValue v = scalar_convert((ScalarValue){.i = (int64_t)sum}, SC_LONG, k);
    if (v.i == 0) return x;
    bool minus = scalar_is_signed(k) && v.i < 0;
    if (minus) {
        ScalarValue positive =
            scalar_convert((ScalarValue){.i = (int64_t)(0 - (uint64_t)v.i)}, SC_LONG, k);
        minus = positive.i > 0; /* not the least value, which has no opposite */
        if (minus) v = positive;
    }
    FdOp want = minus ? FD_OP_SUB : FD_OP_ADD;
    if (!nested && !swapped && want == op) return NULL;
    return op2(fd, want, x, fd_const(fd, k, v), n->loc);
}

static const FdNode *simplify_arithmetic(Fd *fd, const FdNode *n, FdOp op)
{
    const FdNode *a = n->args[0], *b = n->args[1];
    switch (op) {
    case FD_OP_ADD:
        if (is_value(b, -0.0)) return a;
        if (is_value(a, -0.0)) return b;
        return regroup(fd, n, op);
    case FD_OP_SUB: return is_value(b, 0.0) ? a : regroup(fd, n, op);
    case FD_OP_MUL: return is_value(b, 1) ? a : is_value(a, 1) ? b : NULL;
    case FD_OP_DIV:
        if (fdi_is_integer(n->type) && scalar_is_signed(n->type->scalar) && is_value(b, -1))
            return fd_apply_op(fd, FD_OP_NEG, n->type->scalar, 1, &a, n->loc); /* both wrap */
        return is_value(b, 1) ? a : NULL;
    default: return NULL;
    }
}

/* Does every value of `from` survive in `to`? */
static bool lossless(ScalarKind from, ScalarKind to)
{
    if (!scalar_widens(from, to)) return false;
    if (scalar_is_real(from) || !scalar_is_real(to)) return true;
    size_t bits = scalar_bytes(from) * 8;
    return to == SC_DOUBLE ? bits <= 32 : to == SC_FLOAT ? bits <= 16 : bits <= 8;
}

/* (c) (b) x with x of type a, where (b) loses nothing. */
static const FdNode *simplify_convert(Fd *fd, const FdNode *n)
{
    const FdNode *inner = n->args[0];
    ScalarKind c = n->type->scalar, b = inner->type->scalar;
    if (b == c) return inner;
    if (inner->kind != FD_APPLY || fd_op_of(inner) != FD_OP_CONVERT) return NULL;
    const FdNode *x = inner->args[0];
    ScalarKind a = x->type->scalar;
    if (a == c && lossless(a, b)) return x;
    if (!lossless(a, b)) return NULL;
    /* Integers wrap and reals saturate, so (short) (double) i is not (short) i. */
    if (!scalar_is_real(a) && scalar_is_real(b) && !scalar_is_real(c)) return NULL;
    return fd_apply_op(fd, FD_OP_CONVERT, c, 1, &x, n->loc);
}

static const FdNode *real_const(Fd *fd, ScalarKind k, double x)
{
    return fd_const(fd, k, (ScalarValue){.f = x});
}

/* Powers that one correctly rounded operation gives. */
static const FdNode *simplify_power(Fd *fd, const FdNode *n)
{
    const FdNode *x = n->args[0], *y = n->args[1];
    ScalarKind k = n->type->scalar;
    if (is_value(y, 1)) return x;
    if (is_value(y, 2)) return op2(fd, FD_OP_MUL, x, x, n->loc);
    if (is_value(y, -1)) return op2(fd, FD_OP_DIV, real_const(fd, k, 1), x, n->loc);
    if (!is_value(y, 0.5)) return NULL;
    /* pow(-0, 0.5) is 0 and pow(-inf, 0.5) is inf */
    const FdNode *zero = real_const(fd, k, 0), *inf = real_const(fd, k, (double)INFINITY);
    const FdNode *minus = real_const(fd, k, -(double)INFINITY);
    const FdNode *root = fd_apply_op(fd, FD_OP_SQRT, k, 1, &x, n->loc);
    const FdNode *at0[] = {op2(fd, FD_OP_EQ, x, zero, n->loc), zero, root};
    const FdNode *rest = fd_apply_op(fd, FD_OP_SELECT, k, 3, at0, n->loc);
    const FdNode *at[] = {op2(fd, FD_OP_EQ, x, minus, n->loc), inf, rest};
    return fd_apply_op(fd, FD_OP_SELECT, k, 3, at, n->loc);
}

static const FdNode *simplify_logic(const FdNode *n, FdOp op)
{
    const FdNode *b = n->args[1];
    bool is_and = op == FD_OP_LAND;
    if (fd_is_const(b) && (b->value.i != 0) == is_and) return n->args[0]; /* x && true */
    return NULL;
}

static bool applies(const FdNode *n, FdOp op)
{
    return n->kind == FD_APPLY && fd_op_of(n) == op;
}

/* ---- records --------------------------------------------------------------------------- */

/* Is a field of n no more work than n is for all fields together? */
static bool is_transparent(const FdNode *n, int depth)
{
    enum { DEEPEST = 16 };
    if (n->kind != FD_APPLY) return n->kind == FD_VAR || n->kind == FD_SCALAR;
    if (applies(n, FD_OP_SELECT))
        return depth < DEEPEST && is_transparent(n->args[1], depth + 1) &&
               is_transparent(n->args[2], depth + 1);
    return fdi_is_leaf(n->fn, FD_LEAF_MAKE) || fdi_is_leaf(n->fn, FD_LEAF_FIELD) ||
           fdi_is_leaf(n->fn, FD_LEAF_SLOT) || n->fn->kind == FD_VAR;
}

/* A field of a selected record is a selected field. */
static const FdNode *field_of(Fd *fd, const FdNode *record, int field, FdLoc loc)
{
    if (!applies(record, FD_OP_SELECT)) return fd_field(fd, record, field, loc);
    const FdNode *args[3] = {record->args[0], field_of(fd, record->args[1], field, loc),
                             field_of(fd, record->args[2], field, loc)};
    return args[1] == args[2] ? args[1] : fd_apply_op(fd, FD_OP_SELECT, SC_INT, 3, args, loc);
}

/* The record whose fields are made into one again, NULL if there is none. */
static const FdNode *remade(const FdNode *n)
{
    const FdNode *record = NULL;
    for (int i = 0; i < n->nargs; i++) {
        const FdNode *f = n->args[i];
        if (!fdi_applies(f, FD_LEAF_FIELD) || f->fn->slot != i) return NULL;
        if (record && f->args[0] != record) return NULL;
        record = f->args[0];
    }
    return record->type == n->type ? record : NULL;
}

static const FdNode *simplify_once(Fd *fd, const FdNode *n)
{
    if (fdi_applies(n, FD_LEAF_MAKE)) return remade(n);
    if (fdi_applies(n, FD_LEAF_FIELD) && applies(n->args[0], FD_OP_SELECT) &&
        is_transparent(n->args[0], 0))
        return field_of(fd, n->args[0], n->fn->slot, n->loc);
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE) return NULL;
    const FdNode *a = n->args[0];
    if (n->nargs == 2 && a == n->args[1] && (fd_op_info(op)->props & FD_IDEMPOTENT)) return a;
    switch (op) {
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_MUL:
    case FD_OP_DIV: return simplify_arithmetic(fd, n, op);
    case FD_OP_NEG:
    case FD_OP_LNOT:
    case FD_OP_BITNOT: return applies(a, op) ? a->args[0] : NULL;
    case FD_OP_CONVERT: return simplify_convert(fd, n);
    case FD_OP_POW: return simplify_power(fd, n);
    case FD_OP_LAND:
    case FD_OP_LOR: return simplify_logic(n, op);
    case FD_OP_SELECT:
        if (applies(a, FD_OP_LNOT)) {
            const FdNode *args[3] = {a->args[0], n->args[2], n->args[1]};
            return fd_apply_op(fd, op, SC_INT, 3, args, n->loc);
        }
        return NULL;
    default: return NULL;
    }
}

const FdNode *fdi_simplify_node(void *ctx, Fd *fd, const FdNode *n)
{
    enum { ROUNDS = 8 };
    (void)ctx;
    const FdNode *now = n;
    for (int i = 0; i < ROUNDS; i++) {
        const FdNode *next = simplify_once(fd, now);
        if (!next) next = fdi_fold_node(NULL, fd, now);
        if (!next || next == now) break;
        now = next;
    }
    return now == n ? NULL : now;
}

/* By now all derivatives are made: Fixed has said what it had to say. */
static const FdNode *simplify_last(void *ctx, Fd *fd, const FdNode *n)
{
    bool fixed = n->kind == FD_APPLY && fd_op_of(n) == FD_OP_GIVEN;
    return fixed && scalar_is_real(n->type->scalar) ? n->args[0] : fdi_simplify_node(ctx, fd, n);
}

bool fd_pass_simplify(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, simplify_last, NULL);
    return true;
}
