/* Sets of integers as a few intervals (spans.h). Bounds are exact: what overflows 64 bits, or leaves the
 * type of the result and so wraps, may be anything that the type has. */
#include "spans.h"

#include "../../internal.h"

FdSpans fd_spans(int64_t lo, int64_t hi)
{
    return (FdSpans){.n = lo <= hi, .span = {{lo, hi}}};
}

FdSpans fd_spans_of(ScalarKind k)
{
    size_t bits = scalar_bytes(k) * 8;
    if (k == SC_BOOL) return fd_spans(0, 1);
    if (bits >= 64) return fd_spans(INT64_MIN, INT64_MAX);
    int64_t half = (int64_t)1 << (bits - 1);
    return scalar_is_signed(k) ? fd_spans(-half, half - 1) : fd_spans(0, 2 * half - 1);
}

FdSpan fd_spans_hull(const FdSpans *s)
{
    return s->n ? (FdSpan){s->span[0].lo, s->span[s->n - 1].hi} : (FdSpan){1, 0};
}

bool fd_spans_bounded(const FdSpans *s, ScalarKind k)
{
    FdSpans all = fd_spans_of(k);
    FdSpan hull = fd_spans_hull(s);
    return s->n && hull.lo > all.span[0].lo && hull.hi < all.span[0].hi;
}

/* ---- unions and intersections ----------------------------------------------------------------- */

static bool touch(FdSpan below, FdSpan above)
{
    return below.hi >= above.lo || below.hi + 1 == above.lo;
}

/* The number of numbers between, as far as it fits. */
static uint64_t gap(FdSpan below, FdSpan above)
{
    return (uint64_t)above.lo - (uint64_t)below.hi;
}

static void unite(FdSpan *list, int *n, int at)
{
    if (list[at + 1].hi > list[at].hi) list[at].hi = list[at + 1].hi;
    for (int i = at + 1; i + 1 < *n; i++) list[i] = list[i + 1];
    --*n;
}

/* Of a list in ascending order of the lower ends. */
static FdSpans of_list(FdSpan *list, int n)
{
    FdSpans out = {0};
    for (int i = 0; i + 1 < n;)
        if (touch(list[i], list[i + 1]))
            unite(list, &n, i);
        else
            i++;
    while (n > FD_SPANS) {
        int nearest = 0;
        for (int i = 1; i + 1 < n; i++)
            if (gap(list[i], list[i + 1]) < gap(list[nearest], list[nearest + 1])) nearest = i;
        unite(list, &n, nearest);
    }
    out.n = n;
    for (int i = 0; i < n; i++) out.span[i] = list[i];
    return out;
}

FdSpans fd_spans_join(const FdSpans *a, const FdSpans *b)
{
    FdSpan list[2 * FD_SPANS];
    int n = 0, i = 0, j = 0;
    while (i < a->n || j < b->n)
        if (j == b->n || (i < a->n && a->span[i].lo <= b->span[j].lo))
            list[n++] = a->span[i++];
        else
            list[n++] = b->span[j++];
    return of_list(list, n);
}

FdSpans fd_spans_meet(const FdSpans *a, const FdSpans *b)
{
    FdSpan list[2 * FD_SPANS];
    int n = 0, i = 0, j = 0;
    while (i < a->n && j < b->n) {
        FdSpan x = a->span[i], y = b->span[j];
        FdSpan both = {fd_most(x.lo, y.lo), fd_least(x.hi, y.hi)};
        if (both.lo <= both.hi) list[n++] = both;
        if (x.hi < y.hi)
            i++;
        else
            j++;
    }
    return of_list(list, n);
}

/* ---- arithmetic on intervals ------------------------------------------------------------------- */

/* Of a op b. False: not of a type that it would leave; *out is then what it is without one, as long as
 * that is known. */
typedef bool Arithmetic(FdSpan a, FdSpan b, FdSpans *out);

static bool is_one(FdSpan a)
{
    return a.lo == a.hi;
}

/* a op b, or the end that it goes beyond; what is no end stays none. */
static int64_t sum(int64_t a, int64_t b, bool *exact)
{
    int64_t r;
    if (a == INT64_MIN || a == INT64_MAX) return a;
    if (b == INT64_MIN || b == INT64_MAX) return b;
    if (!__builtin_add_overflow(a, b, &r)) return r;
    *exact = false;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t product(int64_t a, int64_t b, bool *exact)
{
    int64_t r;
    if (!__builtin_mul_overflow(a, b, &r)) return r;
    *exact = false;
    return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

static int64_t minus(int64_t a)
{
    return a == INT64_MIN ? INT64_MAX : a == INT64_MAX ? INT64_MIN : -a;
}

static bool add(FdSpan a, FdSpan b, FdSpans *out)
{
    bool exact = true;
    int64_t lo = sum(a.lo, b.lo, &exact), hi = sum(a.hi, b.hi, &exact);
    *out = fd_spans(lo, hi);
    return exact;
}

static bool sub(FdSpan a, FdSpan b, FdSpans *out)
{
    return add(a, (FdSpan){minus(b.hi), minus(b.lo)}, out);
}

static bool mul(FdSpan a, FdSpan b, FdSpans *out)
{
    bool exact = true;
    int64_t p = product(a.lo, b.lo, &exact), q = product(a.lo, b.hi, &exact),
            r = product(a.hi, b.lo, &exact), s = product(a.hi, b.hi, &exact);
    *out =
        fd_spans(fd_least(fd_least(p, q), fd_least(r, s)), fd_most(fd_most(p, q), fd_most(r, s)));
    return exact;
}

/* By positive numbers, rounding towards zero. */
static bool divide(FdSpan a, FdSpan b, FdSpans *out)
{
    if (b.lo <= 0) return false;
    *out = fd_spans(a.lo / (a.lo < 0 ? b.lo : b.hi), a.hi / (a.hi < 0 ? b.hi : b.lo));
    return true;
}

/* Of numbers from lo to hi, none negative, by n: one run, or two where it begins anew. */
static FdSpans wrapped(int64_t lo, int64_t hi, int64_t n)
{
    if (lo > hi) return (FdSpans){0};
    if (hi - lo >= n - 1) return fd_spans(0, n - 1);
    if (lo / n == hi / n) return fd_spans(lo % n, hi % n);
    FdSpan list[] = {{0, hi % n}, {lo % n, n - 1}};
    return of_list(list, 2);
}

static FdSpans turned(const FdSpans *a)
{
    FdSpans out = {.n = a->n};
    for (int i = 0; i < a->n; i++)
        out.span[i] = (FdSpan){-a->span[a->n - 1 - i].hi, -a->span[a->n - 1 - i].lo};
    return out;
}

/* The remainder has the sign of what is divided. */
static bool remainder_of(FdSpan a, FdSpan b, FdSpans *out)
{
    if (b.lo <= 0 || a.lo == INT64_MIN) return false;
    if (!is_one(b)) {
        if (a.lo >= 0 && a.hi < b.lo)
            *out = fd_spans(a.lo, a.hi);
        else
            *out = fd_spans(fd_most(fd_least(a.lo, 0), 1 - b.hi),
                            fd_least(fd_most(a.hi, 0), b.hi - 1));
        return true;
    }
    FdSpans above = wrapped(fd_most(a.lo, 0), a.hi, b.lo),
            below = wrapped(fd_most(-a.hi, 1), -a.lo, b.lo), negative = turned(&below);
    *out = fd_spans_join(&negative, &above);
    return true;
}

/* With 2^k - 1: what remains of a / 2^k, never negative. */
static bool mask(FdSpan a, FdSpan b, FdSpans *out)
{
    int64_t bits = b.hi, n = bits + 1;
    if (!is_one(b) && !is_one(a)) {
        if (a.lo < 0 && b.lo < 0) return false;
        *out = fd_spans(0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : fd_least(a.hi, b.hi));
        return true;
    }
    if (is_one(a) && !is_one(b)) return mask(b, a, out);
    if (bits < 0) {
        if (a.lo < 0) return false;
        *out = fd_spans(0, a.hi);
        return true;
    }
    bool low = bits < INT64_MAX / 4 && (bits & n) == 0;
    int64_t start = low ? (a.lo & bits) : 0;
    if (low && (uint64_t)a.hi - (uint64_t)a.lo < (uint64_t)n)
        *out = wrapped(start, start + (a.hi - a.lo), n);
    else
        *out = fd_spans(0, a.lo >= 0 ? fd_least(a.hi, bits) : bits);
    return true;
}

/* Bits that either of two numbers, not negative, has. */
static bool either(FdSpan a, FdSpan b, FdSpans *out)
{
    int64_t top = fd_most(a.hi, b.hi), bits = 0;
    if (a.lo < 0 || b.lo < 0) return false;
    while (bits < top) bits = 2 * bits + 1;
    *out = fd_spans(0, bits);
    return true;
}

static bool complement(FdSpan a, FdSpan b, FdSpans *out)
{
    (void)b;
    *out = fd_spans(~a.hi, ~a.lo);
    return true;
}

static bool shift_left(FdSpan a, FdSpan b, FdSpans *out)
{
    if (!is_one(b) || b.lo < 0 || b.lo > 31) return false;
    int64_t times = (int64_t)1 << b.lo;
    return mul(a, (FdSpan){times, times}, out);
}

static bool shift_right(FdSpan a, FdSpan b, FdSpans *out)
{
    if (!is_one(b) || b.lo < 0 || b.lo > 31) return false;
    *out = fd_spans(a.lo >> b.lo, a.hi >> b.lo);
    return true;
}

static bool smaller(FdSpan a, FdSpan b, FdSpans *out)
{
    *out = fd_spans(fd_least(a.lo, b.lo), fd_least(a.hi, b.hi));
    return true;
}

static bool larger(FdSpan a, FdSpan b, FdSpans *out)
{
    *out = fd_spans(fd_most(a.lo, b.lo), fd_most(a.hi, b.hi));
    return true;
}

static bool negative(FdSpan a, FdSpan b, FdSpans *out)
{
    (void)b;
    return sub((FdSpan){0, 0}, a, out);
}

static bool magnitude(FdSpan a, FdSpan b, FdSpans *out)
{
    (void)b;
    if (a.lo == INT64_MIN) return false;
    if (a.lo >= 0)
        *out = fd_spans(a.lo, a.hi);
    else
        *out = fd_spans(a.hi < 0 ? -a.hi : 0, fd_most(-a.lo, a.hi));
    return true;
}

static bool same(FdSpan a, FdSpan b, FdSpans *out)
{
    (void)b;
    *out = fd_spans(a.lo, a.hi);
    return true;
}

static Arithmetic *const arithmetic[FD_OP_COUNT] = {
    [FD_OP_ADD] = add,        [FD_OP_SUB] = sub,          [FD_OP_MUL] = mul,
    [FD_OP_DIV] = divide,     [FD_OP_REM] = remainder_of, [FD_OP_BITAND] = mask,
    [FD_OP_SHL] = shift_left, [FD_OP_SHR] = shift_right,  [FD_OP_MIN] = smaller,
    [FD_OP_MAX] = larger,     [FD_OP_NEG] = negative,     [FD_OP_ABS] = magnitude,
    [FD_OP_BITOR] = either,   [FD_OP_BITXOR] = either,    [FD_OP_BITNOT] = complement,
    [FD_OP_GIVEN] = same,
};

FdSpans fd_spans_convert(const FdSpans *a, ScalarKind k)
{
    FdSpans all = fd_spans_of(k);
    FdSpan hull = fd_spans_hull(a);
    return !a->n || (hull.lo >= all.span[0].lo && hull.hi <= all.span[0].hi) ? *a : all;
}

/* False: not exact of some. */
static bool operate(FdOp op, const FdSpans *a, const FdSpans *b, FdSpans *out)
{
    FdSpans one = fd_spans(0, 0);
    bool exact = true;
    *out = (FdSpans){0};
    if (fd_op_info(op)->arity == 1) b = &one;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            FdSpans part = fd_spans(INT64_MIN, INT64_MAX);
            exact = arithmetic[op] && arithmetic[op](a->span[i], b->span[j], &part) && exact;
            *out = fd_spans_join(out, &part);
        }
    return exact;
}

FdSpans fd_spans_op(FdOp op, ScalarKind k, const FdSpans *a, const FdSpans *b)
{
    FdSpans out;
    if (!arithmetic[op] || k == SC_ULONG || !operate(op, a, b, &out)) return fd_spans_of(k);
    return fd_spans_convert(&out, k);
}

FdSpans fd_spans_endless(FdOp op, const FdSpans *a, const FdSpans *b)
{
    FdSpans out;
    operate(op, a, b, &out);
    return out;
}

/* ---- comparisons ------------------------------------------------------------------------------- */

static int is_less(const FdSpans *a, const FdSpans *b, bool or_equal)
{
    FdSpan x = fd_spans_hull(a), y = fd_spans_hull(b);
    if (or_equal ? x.hi <= y.lo : x.hi < y.lo) return 1;
    return (or_equal ? x.lo > y.hi : x.lo >= y.hi) ? 0 : -1;
}

static int is_equal(const FdSpans *a, const FdSpans *b)
{
    FdSpan x = fd_spans_hull(a), y = fd_spans_hull(b);
    if (fd_spans_meet(a, b).n == 0) return 0;
    return is_one(x) && is_one(y) ? 1 : -1;
}

int fd_spans_compare(FdOp op, const FdSpans *a, const FdSpans *b)
{
    int equal;
    if (!a->n || !b->n) return -1;
    switch (op) {
    case FD_OP_LT: return is_less(a, b, false);
    case FD_OP_LE: return is_less(a, b, true);
    case FD_OP_GT: return is_less(b, a, false);
    case FD_OP_GE: return is_less(b, a, true);
    case FD_OP_EQ: return is_equal(a, b);
    case FD_OP_NE: equal = is_equal(a, b); return equal < 0 ? -1 : !equal;
    default: return -1;
    }
}
