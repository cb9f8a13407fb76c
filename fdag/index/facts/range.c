/* Arithmetic of ranges (range.h): of their intervals, and of their distances from a base. */
#include "range.h"

FdRange fd_range(FdSpans is)
{
    return (FdRange){.is = is};
}

FdRange fd_range_near(uint32_t base, int64_t by)
{
    return (FdRange){fd_spans(INT64_MIN, INT64_MAX), base, by, by};
}

static bool is_near_same(const FdRange *a, const FdRange *b)
{
    return a->base && a->base == b->base;
}

/* op of two intervals without end. */
static FdSpan by(FdOp op, FdSpan a, FdSpan b)
{
    FdSpans x = fd_spans(a.lo, a.hi), y = fd_spans(b.lo, b.hi), r = fd_spans_endless(op, &x, &y);
    return fd_spans_hull(&r);
}

static FdSpan distance(const FdRange *a)
{
    return (FdSpan){a->from, a->to};
}

static void set_near(FdRange *r, uint32_t base, FdSpan distance)
{
    r->base = distance.lo == INT64_MIN && distance.hi == INT64_MAX ? 0 : base;
    r->from = r->base ? distance.lo : 0;
    r->to = r->base ? distance.hi : 0;
}

FdRange fd_range_join(const FdRange *a, const FdRange *b)
{
    if (!a->is.n) return *b;
    if (!b->is.n) return *a;
    FdRange r = fd_range(fd_spans_join(&a->is, &b->is));
    if (is_near_same(a, b))
        set_near(&r, a->base, (FdSpan){fd_least(a->from, b->from), fd_most(a->to, b->to)});
    return r;
}

/* What is subtracted from one near the same base is a difference of distances. */
static void add_or_sub(FdOp op, const FdRange *a, const FdRange *b, FdRange *r)
{
    if (op == FD_OP_SUB && is_near_same(a, b)) {
        FdSpan apart = by(op, distance(a), distance(b));
        FdSpans within = fd_spans(apart.lo, apart.hi);
        r->is = fd_spans_meet(&r->is, &within);
    }
    if (a->base)
        set_near(r, a->base, by(op, distance(a), fd_spans_hull(&b->is)));
    else if (b->base && op == FD_OP_ADD)
        set_near(r, b->base, by(op, distance(b), fd_spans_hull(&a->is)));
}

/* Where a is near a base the least of both is not above it; below it is b, if that can be below the base. */
static void min_or_max(FdOp op, const FdRange *a, const FdRange *b, const FdSpan *bases, FdRange *r)
{
    bool least = op == FD_OP_MIN;
    if (is_near_same(a, b)) {
        set_near(r, a->base, by(op, distance(a), distance(b)));
        return;
    }
    const FdRange *x = a->base && (least ? a->to < INT64_MAX : a->from > INT64_MIN) ? a : b,
                  *y = x == a ? b : a;
    if (!x->base) return;
    FdSpan d = distance(x), other = {INT64_MIN, INT64_MAX};
    if (bases) other = by(FD_OP_SUB, fd_spans_hull(&y->is), bases[x->base - 1]);
    if (least)
        d.lo = fd_least(d.lo, other.lo);
    else
        d.hi = fd_most(d.hi, other.hi);
    set_near(r, x->base, d);
}

FdRange fd_range_op(FdOp op, ScalarKind k, const FdRange *a, const FdRange *b, const FdSpan *bases)
{
    bool endless = k == SC_COUNT;
    FdRange r = fd_range(endless ? fd_spans_endless(op, &a->is, &b->is)
                                 : fd_spans_op(op, k, &a->is, &b->is));
    if (!a->is.n || (fd_op_info(op)->arity == 2 && !b->is.n)) return r;
    if (op == FD_OP_ADD || op == FD_OP_SUB) add_or_sub(op, a, b, &r);
    if (op == FD_OP_MIN || op == FD_OP_MAX) min_or_max(op, a, b, bases, &r);
    return r;
}

/* ---- comparisons ------------------------------------------------------------------------------- */

static int is_less(const FdRange *a, const FdRange *b)
{
    int is = fd_spans_compare(FD_OP_LT, &a->is, &b->is);
    if (is >= 0 || !is_near_same(a, b)) return is;
    if (a->to < INT64_MAX && b->from > INT64_MIN && a->to < b->from) return 1;
    return a->from > INT64_MIN && b->to < INT64_MAX && a->from >= b->to ? 0 : -1;
}

static int is_equal(const FdRange *a, const FdRange *b)
{
    int is = fd_spans_compare(FD_OP_EQ, &a->is, &b->is), above = is_less(a, b),
        below = is_less(b, a);
    if (is >= 0) return is;
    if (above == 1 || below == 1) return 0;
    return above == 0 && below == 0 ? 1 : -1;
}

static int not(int is)
{
    return is < 0 ? is : !is;
}

int fd_range_compare(FdOp op, const FdRange *a, const FdRange *b)
{
    switch (op) {
    case FD_OP_LT: return is_less(a, b);
    case FD_OP_GE: return not(is_less(a, b));
    case FD_OP_GT: return is_less(b, a);
    case FD_OP_LE: return not(is_less(b, a));
    case FD_OP_EQ: return is_equal(a, b);
    case FD_OP_NE: return not(is_equal(a, b));
    default: return -1;
    }
}
