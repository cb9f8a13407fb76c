/* Arithmetic of small integers at the width that their values need.
 *   before: reads a, b of bytes: ((int) a + (int) b) - 1 == 3      (byte) (c ? 1 : 0)
 *   after:  ((short) a + (short) b) - 1s == 3s                     c ? 1b : 0b
 * Twice as many shorts as ints are in a register, and four times as many bytes.
 *
 *   what compares or converts   in bytes or shorts that hold all values on the way
 *   converts to a byte          modulo 256 through +, -, *, &, |, ^, ~ and << of bytes
 *   compares sums of bytes      terms that cancel are left out; where one side is below 255, in
 *                               bytes that stay at 255: (byte) min(sum, 255) < 255 tells them apart
 *
 * For values in lanes. Requires: nothing. Keeps: values. */
#include "../index/affine.h"
#include "../index/footprint/spans.h"
#include "../internal.h"

enum { DEEPEST = 200, IN_BYTE = 1, IN_SBYTE = 2, IN_SHORT = 4, ALL = 7 };

typedef struct Range {
    unsigned fits; /* the types that hold all values here and below: IN_.. */
    FdSpans is;
} Range;

typedef struct Narrow {
    Fd *fd;
    FdiMap at; /* node -> its place in ranges */
    VEC(Range) ranges;
    FdiMap done[SC_COUNT]; /* node -> itself in the type */
} Narrow;

static const struct {
    unsigned bit;
    ScalarKind kind;
    int64_t lo, hi;
} types[] = {{IN_BYTE, SC_BYTE, 0, UINT8_MAX},
             {IN_SBYTE, SC_SBYTE, INT8_MIN, INT8_MAX},
             {IN_SHORT, SC_SHORT, INT16_MIN, INT16_MAX}};

enum { NTYPES = sizeof types / sizeof *types };

static FdOp op_of(const FdNode *n)
{
    return n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
}

static bool is_small(ScalarKind k)
{
    return k == SC_BOOL || (scalar_is_integer(k) && scalar_bytes(k) < 4);
}

/* ---- ranges ------------------------------------------------------------------------------------ */

static Range range_of(Narrow *s, const FdNode *n, int depth);

/* The types in which an operation can be, if they hold its operands and what it gives. */
static unsigned types_with(Narrow *s, const FdNode *n, int depth)
{
    Range by;
    FdSpan bits;
    switch (op_of(n)) {
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_MIN:
    case FD_OP_MAX:
    case FD_OP_SELECT:
    case FD_OP_BITAND:
    case FD_OP_BITOR:
    case FD_OP_BITXOR:
    case FD_OP_NEG:
    case FD_OP_BITNOT: return ALL;
    case FD_OP_MUL: return IN_SHORT; /* registers have no products of bytes */
    case FD_OP_SHL:
    case FD_OP_SHR: /* whose count is masked */
        by = range_of(s, n->args[1], depth + 1);
        bits = fd_spans_hull(&by.is);
        return bits.lo == bits.hi && bits.lo >= 0 && bits.lo < 8 ? ALL : 0;
    default: return 0;
    }
}

static Range operated(Narrow *s, const FdNode *n, int depth)
{
    FdOp op = op_of(n);
    Range r = {.fits = types_with(s, n, depth)};
    if (r.fits == 0) return r;
    Range x = range_of(s, n->args[op == FD_OP_SELECT], depth + 1),
          y = range_of(s, n->args[n->nargs - 1], depth + 1);
    bool shifts = fd_op_info(op)->rule == FD_RULE_SHIFT;
    r.fits &= shifts ? x.fits : x.fits & y.fits;
    r.is = op == FD_OP_SELECT ? fd_spans_join(&x.is, &y.is) : fd_spans_op(op, SC_INT, &x.is, &y.is);
    return r;
}

static Range fresh_range(Narrow *s, const FdNode *n, int depth)
{
    Range r = {0};
    if (n->type->record || n->type->nparams || n->type->scalar != SC_INT || depth > DEEPEST)
        return (Range){.is = fd_spans_of(SC_INT)};
    if (fd_is_const(n))
        r = (Range){ALL, fd_spans(n->value.i, n->value.i)};
    else if (op_of(n) != FD_OP_CONVERT)
        r = operated(s, n, depth);
    else if (is_small(n->args[0]->type->scalar))
        r = (Range){ALL, fd_spans_of(n->args[0]->type->scalar)};
    if (!r.fits) r.is = fd_spans_of(SC_INT);
    FdSpan all = fd_spans_hull(&r.is);
    for (int i = 0; i < NTYPES; i++)
        if (all.lo < types[i].lo || all.hi > types[i].hi) r.fits &= ~types[i].bit;
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

/* ---- in another type --------------------------------------------------------------------------- */

static const FdNode *constant(Fd *fd, const FdNode *n, ScalarKind k)
{
    return fd_const(fd, k, scalar_convert(n->value, n->type->scalar, k));
}

/* Of a node of which that is right; it is not deep. */
static const FdNode *as(Narrow *s, const FdNode *n, ScalarKind k)
{
    const FdNode *known = fdi_map_node(&s->done[k], n), *now;
    FdOp op = op_of(n);
    if (known) return known;
    if (fd_is_const(n)) {
        now = constant(s->fd, n, k);
    } else if (op == FD_OP_CONVERT) {
        now = n->args[0];
        if (now->type->scalar != k) now = fd_apply_op(s->fd, op, k, 1, n->args, n->loc);
    } else {
        const FdNode *args[3];
        for (int i = 0; i < n->nargs; i++) {
            bool other =
                (op == FD_OP_SELECT && i == 0) || ((op == FD_OP_SHL || op == FD_OP_SHR) && i == 1);
            args[i] = other ? n->args[i] : as(s, n->args[i], k);
        }
        now = fd_apply_op(s->fd, op, k, n->nargs, args, n->loc);
    }
    fdi_map_set_node(&s->done[k], n, now);
    return now;
}

/* The narrowest of some types. */
static ScalarKind narrowest(unsigned fits)
{
    int i = 0;
    while (!(fits & types[i].bit)) i++;
    return types[i].kind;
}

/* Can it be computed modulo 256, in a type of bytes? */
static bool is_modular(Narrow *s, const FdNode *n, ScalarKind k, int depth)
{
    if (depth > DEEPEST || n->type->scalar != SC_INT) return false;
    unsigned exact = range_of(s, n, depth).fits & (k == SC_BYTE ? IN_BYTE : IN_SBYTE);
    if (exact || fd_is_const(n)) return true;
    switch (op_of(n)) {
    case FD_OP_CONVERT:
        return is_small(n->args[0]->type->scalar) && scalar_bytes(n->args[0]->type->scalar) == 1;
    case FD_OP_SHL: {
        const FdNode *by = n->args[1];
        bool few = fd_is_const(by) && by->value.i >= 0 && by->value.i < 8;
        return few && is_modular(s, n->args[0], k, depth + 1);
    }
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_MUL:
    case FD_OP_NEG:
    case FD_OP_BITAND:
    case FD_OP_BITOR:
    case FD_OP_BITXOR:
    case FD_OP_BITNOT:
    case FD_OP_SELECT:
        for (int i = op_of(n) == FD_OP_SELECT; i < n->nargs; i++)
            if (!is_modular(s, n->args[i], k, depth + 1)) return false;
        return true;
    default: return false;
    }
}

/* ---- sums that are compared -------------------------------------------------------------------- */

enum { MOST_PARTS = 32 };

typedef struct Part { /* a sum of bytes, or 255 if it is larger */
    const FdNode *node;
    int64_t most;
} Part;

static Part plus(Narrow *s, Part x, Part y)
{
    const FdNode *other = y.node, *full = fd_const(s->fd, SC_BYTE, (ScalarValue){.i = UINT8_MAX});
    const FdNode *room[] = {full, x.node};
    if (x.most + y.most > UINT8_MAX) {
        const FdNode *some[] = {y.node,
                                fd_apply_op(s->fd, FD_OP_SUB, SC_BYTE, 2, room, x.node->loc)};
        other = fd_apply_op(s->fd, FD_OP_MIN, SC_BYTE, 2, some, x.node->loc);
    }
    const FdNode *both[] = {x.node, other};
    return (Part){fd_apply_op(s->fd, FD_OP_ADD, SC_BYTE, 2, both, x.node->loc), x.most + y.most};
}

/* An atom as a byte; false: it is more. */
static bool part_of(Narrow *s, const FdNode *atom, Part *out)
{
    ScalarKind k = atom->type->scalar;
    Range r = {k == SC_BYTE || k == SC_BOOL ? IN_BYTE : 0, fd_spans_of(k)};
    if (k == SC_INT) r = range_of(s, atom, 0);
    *out = (Part){atom, fd_spans_hull(&r.is).hi};
    if (!(r.fits & IN_BYTE)) return false;
    if (k == SC_INT) out->node = as(s, atom, SC_BYTE);
    if (k == SC_BOOL) out->node = fd_apply_op(s->fd, FD_OP_CONVERT, SC_BYTE, 1, &atom, atom->loc);
    return true;
}

/* The terms of one sign, in pairs of pairs: none waits for all before it. */
static bool side(Narrow *s, const FdAffine *sum, int sign, Part *out)
{
    Part parts[MOST_PARTS + 1], part;
    int n = 0;
    int64_t c = sum->constant * sign;
    for (int i = 0; i < sum->nterms; i++) {
        if (!part_of(s, sum->terms[i].atom, &part)) return false;
        for (int64_t k = sum->terms[i].factor * sign; k > 0; k--) {
            if (n == MOST_PARTS) return false;
            parts[n++] = part;
        }
    }
    if (c > UINT8_MAX) return false;
    if (c > 0 || n == 0) {
        ScalarValue v = {.i = c > 0 ? c : 0};
        parts[n++] = (Part){fd_const(s->fd, SC_BYTE, v), v.i};
    }
    for (; n > 1; n = (n + 1) / 2) {
        for (int i = 0; i + 1 < n; i += 2) parts[i / 2] = plus(s, parts[i], parts[i + 1]);
        if (n % 2) parts[n / 2] = parts[n - 1];
    }
    *out = parts[0];
    return true;
}

/* x op y of sums of bytes; NULL: not of this form. */
static const FdNode *compare_bytes(Narrow *s, const FdNode *n)
{
    FdAffine sum;
    Part x, y;
    if (!fd_affine(n->args[0], &sum) || !fd_affine_add(&sum, n->args[1], -1)) return NULL;
    if (!side(s, &sum, 1, &x) || !side(s, &sum, -1, &y)) return NULL;
    bool exact = x.most <= UINT8_MAX && y.most <= UINT8_MAX;
    if (!exact && x.most >= UINT8_MAX && y.most >= UINT8_MAX) return NULL;
    const FdNode *both[] = {x.node, y.node};
    return fd_apply_op(s->fd, fd_op_of(n), SC_BOOL, 2, both, n->loc);
}

/* ---- the pass ---------------------------------------------------------------------------------- */

static const FdNode *narrow_compare(Narrow *s, const FdNode *n)
{
    const FdNode *x = n->args[0], *y = n->args[1];
    unsigned fits = range_of(s, x, 0).fits & range_of(s, y, 0).fits;
    if (!fits) return NULL;
    ScalarKind k = narrowest(fits);
    const FdNode *bytes = k == SC_SHORT ? compare_bytes(s, n) : NULL;
    if (bytes) return bytes;
    const FdNode *both[] = {as(s, x, k), as(s, y, k)};
    return fd_apply_op(s->fd, fd_op_of(n), SC_BOOL, 2, both, n->loc);
}

static const FdNode *narrow_convert(Narrow *s, const FdNode *n)
{
    const FdNode *x = n->args[0];
    ScalarKind k = n->type->scalar;
    bool chosen = op_of(x) == FD_OP_SELECT && scalar_is_integer(k) && scalar_bytes(k) < 4 &&
                  fd_is_const(x->args[1]) && fd_is_const(x->args[2]);
    if (chosen) {
        const FdNode *args[] = {x->args[0], constant(s->fd, x->args[1], k),
                                constant(s->fd, x->args[2], k)};
        return fd_apply_op(s->fd, FD_OP_SELECT, k, 3, args, n->loc);
    }
    if (fd_is_const(x) || op_of(x) == FD_OP_CONVERT) return NULL;
    if ((k == SC_BYTE || k == SC_SBYTE) && is_modular(s, x, k, 0)) return as(s, x, k);
    if (!(range_of(s, x, 0).fits)) return NULL;
    ScalarKind by = narrowest(range_of(s, x, 0).fits);
    const FdNode *y = as(s, x, by);
    return k == by ? y : fd_apply_op(s->fd, FD_OP_CONVERT, k, 1, &y, n->loc);
}

static const FdNode *narrow(void *ctx, Fd *fd, const FdNode *n)
{
    (void)fd;
    FdOp op = op_of(n);
    if (fd_op_compares(op)) return narrow_compare(ctx, n);
    return op == FD_OP_CONVERT ? narrow_convert(ctx, n) : NULL;
}

const FdNode *fd_narrow(Fd *fd, const FdNode *n)
{
    Narrow s = {.fd = fd};
    const FdNode *now = fd_rewrite(fd, n, narrow, &s);
    fdi_map_free(&s.at);
    for (int i = 0; i < SC_COUNT; i++) fdi_map_free(&s.done[i]);
    vec_free(&s.ranges);
    return now;
}
