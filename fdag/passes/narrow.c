/* Arithmetic of small integers at the width that their values need (facts.h).
 *   before: reads a, b of bytes: ((int) a + (int) b) - 1 == 3      (byte) (c ? 1 : 0)
 *   after:  ((short) a + (short) b) - 1s == 3s                     c ? 1b : 0b
 * Twice as many shorts as ints are in a register. Only where all values on the way fit: of constants,
 * bytes and shorts through +, -, *, min, max, & and conditionals, to what compares or converts them.
 * Requires: nothing. Keeps: values. */
#include "../internal.h"

typedef struct Range {
    bool fits; /* and so do those below */
    int64_t lo, hi;
} Range;

typedef struct Narrow {
    Fd *fd;
    FdiMap at; /* node -> its place in ranges */
    VEC(Range) ranges;
    FdiMap done; /* node -> itself as a short */
} Narrow;

enum { DEEPEST = 200 };

static Range range_of(Narrow *s, const FdNode *n, int depth);

static Range product(Range x, Range y)
{
    int64_t p[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
    Range r = {true, p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        if (p[i] < r.lo) r.lo = p[i];
        if (p[i] > r.hi) r.hi = p[i];
    }
    return r;
}

static Range joined(FdOp op, Range x, Range y)
{
    bool min = op == FD_OP_MIN, max = op == FD_OP_MAX;
    Range r = {true, x.lo, x.hi};
    if (max ? y.lo > r.lo : y.lo < r.lo) r.lo = y.lo;
    if (min ? y.hi < r.hi : y.hi > r.hi) r.hi = y.hi;
    return r;
}

static Range combined(FdOp op, Range x, Range y)
{
    switch (op) {
    case FD_OP_ADD: return (Range){true, x.lo + y.lo, x.hi + y.hi};
    case FD_OP_SUB: return (Range){true, x.lo - y.hi, x.hi - y.lo};
    case FD_OP_MUL: return product(x, y);
    case FD_OP_MIN:
    case FD_OP_MAX: return joined(op, x, y);
    case FD_OP_BITAND: return (Range){x.lo >= 0 && y.lo >= 0, 0, x.hi < y.hi ? x.hi : y.hi};
    default: return (Range){0};
    }
}

static Range fresh_range(Narrow *s, const FdNode *n, int depth)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    Range r = {0};
    if (n->type->record || n->type->nparams || n->type->scalar != SC_INT || depth > DEEPEST)
        return r;
    if (fd_is_const(n)) {
        r = (Range){true, n->value.i, n->value.i};
    } else if (op == FD_OP_CONVERT) {
        const FdNode *x = n->args[0];
        bool truth = x->type->scalar == SC_BOOL;
        r.fits = truth || fdi_type_range(x, &r.lo, &r.hi);
        if (truth) r.hi = 1;
    } else if (op == FD_OP_NEG) {
        Range x = range_of(s, n->args[0], depth + 1);
        r = (Range){x.fits, -x.hi, -x.lo};
    } else if (op == FD_OP_SELECT || (op != FD_OP_NONE && n->nargs == 2)) {
        Range x = range_of(s, n->args[n->nargs - 2], depth + 1),
              y = range_of(s, n->args[n->nargs - 1], depth + 1);
        if (x.fits && y.fits) r = op == FD_OP_SELECT ? joined(op, x, y) : combined(op, x, y);
    }
    r.fits = r.fits && r.lo >= INT16_MIN && r.hi <= INT16_MAX;
    return r;
}

static Range range_of(Narrow *s, const FdNode *n, int depth)
{
    uint64_t at;
    if (fdi_map_get(&s->at, n, &at)) return s->ranges.data[at];
    Range r = fresh_range(s, n, depth);
    fdi_map_set(&s->at, n, s->ranges.len);
    vec_push(&s->ranges, r);
    return r;
}

static const FdNode *constant(Fd *fd, const FdNode *n, ScalarKind k)
{
    return fd_const(fd, k, scalar_convert(n->value, n->type->scalar, k));
}

/* Of a node that fits; it is not deep. */
static const FdNode *as_short(Narrow *s, const FdNode *n)
{
    const FdNode *known = fdi_map_node(&s->done, n), *now;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (known) return known;
    if (fd_is_const(n)) {
        now = constant(s->fd, n, SC_SHORT);
    } else if (op == FD_OP_CONVERT) {
        now = n->args[0];
        if (now->type->scalar != SC_SHORT)
            now = fd_apply_op(s->fd, op, SC_SHORT, 1, n->args, n->loc);
    } else {
        const FdNode *args[3];
        for (int i = 0; i < n->nargs; i++)
            args[i] = op == FD_OP_SELECT && i == 0 ? n->args[0] : as_short(s, n->args[i]);
        now = fd_apply_op(s->fd, op, SC_SHORT, n->nargs, args, n->loc);
    }
    fdi_map_set_node(&s->done, n, now);
    return now;
}

static const FdNode *narrow(void *ctx, Fd *fd, const FdNode *n)
{
    Narrow *s = ctx;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op >= FD_OP_EQ && op <= FD_OP_GE) {
        if (!range_of(s, n->args[0], 0).fits || !range_of(s, n->args[1], 0).fits) return NULL;
        const FdNode *both[] = {as_short(s, n->args[0]), as_short(s, n->args[1])};
        return fd_apply_op(fd, op, SC_BOOL, 2, both, n->loc);
    }
    if (op != FD_OP_CONVERT) return NULL;
    const FdNode *x = n->args[0];
    ScalarKind k = n->type->scalar;
    bool chosen = x->kind == FD_APPLY && fd_op_of(x) == FD_OP_SELECT && scalar_is_integer(k) &&
                  scalar_bytes(k) < 4 && fd_is_const(x->args[1]) && fd_is_const(x->args[2]);
    if (chosen) {
        const FdNode *args[] = {x->args[0], constant(fd, x->args[1], k),
                                constant(fd, x->args[2], k)};
        return fd_apply_op(fd, FD_OP_SELECT, k, 3, args, n->loc);
    }
    bool leaf = fd_is_const(x) || (x->kind == FD_APPLY && fd_op_of(x) == FD_OP_CONVERT);
    if (leaf || !range_of(s, x, 0).fits) return NULL;
    const FdNode *y = as_short(s, x);
    return k == SC_SHORT ? y : fd_apply_op(fd, op, k, 1, &y, n->loc);
}

const FdNode *fd_narrow(Fd *fd, const FdNode *n)
{
    Narrow s = {.fd = fd};
    const FdNode *now = fd_rewrite(fd, n, narrow, &s);
    fdi_map_free(&s.at);
    fdi_map_free(&s.done);
    vec_free(&s.ranges);
    return now;
}
