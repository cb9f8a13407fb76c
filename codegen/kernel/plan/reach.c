/* Which kernels a plan may run, where something is known of its slots beforehand: its conditions are
 * worked out over spans of numbers. */
#include <string.h>

#include "number.h"
#include "plan.h"

enum { MOST_UNITS = 1 << 16, MOST_CACHE = 1 << 30 };

/* From lo to hi; and, if there is an atom, not below it + from (INT64_MIN: not known) nor above it + to
 * (INT64_MAX: not known). */
typedef struct Span {
    int64_t lo, hi;
    uint32_t atom; /* 0: none */
    int64_t from, to;
} Span;

typedef struct Reach {
    const CgPlan *plan;
    const FdKnown *slots;
    CgDevice device;
    Span *defines, *lets;
    Arena *arena;
} Reach;

static const Span anything = {INT64_MIN, INT64_MAX, 0, INT64_MIN, INT64_MAX};

static Span between(int64_t lo, int64_t hi)
{
    return (Span){lo, hi, 0, INT64_MIN, INT64_MAX};
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t r;
    if (a == INT64_MIN || b == INT64_MIN) return INT64_MIN;
    if (a == INT64_MAX || b == INT64_MAX) return INT64_MAX;
    return __builtin_add_overflow(a, b, &r) ? (a < 0 ? INT64_MIN : INT64_MAX) : r;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t r;
    bool negative = (a < 0) != (b < 0);
    return __builtin_mul_overflow(a, b, &r) ? (negative ? INT64_MIN : INT64_MAX) : r;
}

static int64_t minus(int64_t a)
{
    return a == INT64_MIN ? INT64_MAX : a == INT64_MAX ? INT64_MIN : -a;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static Span truth(int is) /* -1: not known */
{
    return is < 0 ? between(0, 1) : between(is, is);
}

static int is_true(const Span *x)
{
    return x->lo > 0 || x->hi < 0 ? 1 : x->lo == 0 && x->hi == 0 ? 0 : -1;
}

static int not(int is)
{
    return is < 0 ? is : !is;
}

static int is_less(const Span *a, const Span *b)
{
    bool same = a->atom && a->atom == b->atom;
    if (a->hi < b->lo) return 1;
    if (a->lo >= b->hi) return 0;
    if (same && a->to < INT64_MAX && b->from > INT64_MIN && a->to < b->from) return 1;
    if (same && a->from > INT64_MIN && b->to < INT64_MAX && a->from >= b->to) return 0;
    return -1;
}

static int is_equal(const Span *a, const Span *b)
{
    int above = is_less(a, b), below = is_less(b, a);
    if (above == 1 || below == 1) return 0;
    return above == 0 && below == 0 ? 1 : -1;
}

static Span add(const Span *a, const Span *b)
{
    const Span *x = a->atom ? a : b, *y = a->atom ? b : a;
    return (Span){plus(a->lo, b->lo), plus(a->hi, b->hi), x->atom, plus(x->from, y->lo),
                  plus(x->to, y->hi)};
}

/* Of the numbers and atoms with the other sign. */
static Span turned(const Span *a)
{
    return (Span){minus(a->hi), minus(a->lo), a->atom, minus(a->to), minus(a->from)};
}

static Span sub(const Span *a, const Span *b)
{
    Span negative = between(minus(b->hi), minus(b->lo)), r = add(a, &negative);
    if (!a->atom || a->atom != b->atom) return r;
    r.lo = most(r.lo, plus(a->from, minus(b->to)));
    r.hi = least(r.hi, plus(a->to, minus(b->from)));
    return r;
}

static Span smaller(const Span *a, const Span *b)
{
    Span r = between(least(a->lo, b->lo), least(a->hi, b->hi));
    const Span *x = a->atom && a->to < INT64_MAX ? a : b;
    r.atom = x->atom;
    r.to = x->to;
    if (a->atom && a->atom == b->atom) {
        r.from = least(a->from, b->from);
        r.to = least(a->to, b->to);
    }
    return r;
}

static Span larger(const Span *a, const Span *b)
{
    Span x = turned(a), y = turned(b), r = smaller(&x, &y);
    return turned(&r);
}

static Span either(const Span *a, const Span *b)
{
    Span r = between(least(a->lo, b->lo), most(a->hi, b->hi));
    if (!a->atom || a->atom != b->atom) return r;
    r.atom = a->atom;
    r.from = least(a->from, b->from);
    r.to = most(a->to, b->to);
    return r;
}

static Span corners(int64_t (*of)(int64_t, int64_t), const Span *a, int64_t lo, int64_t hi)
{
    int64_t p = of(a->lo, lo), q = of(a->lo, hi), r = of(a->hi, lo), s = of(a->hi, hi);
    return between(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

static int64_t quotient(int64_t a, int64_t b)
{
    return a / b;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* By 0 it is 0. */
static Span divide(const Span *a, const Span *b, bool up)
{
    if (b->hi < 1 || b->lo < 0) return anything;
    Span r = corners(up ? quotient_up : quotient, a, most(b->lo, 1), b->hi), zero = between(0, 0);
    return b->lo < 1 ? either(&r, &zero) : r;
}

static Span remainder_of(const Span *a, const Span *b)
{
    if (a->lo < 0 || b->lo < 0) return anything;
    return between(0, least(a->hi, most(b->hi - 1, 0)));
}

static Span roundup(const Span *a, const Span *b)
{
    if (a->lo < 0 || b->lo < 1) return anything;
    return between(a->lo, plus(a->hi, b->hi));
}

static Span device_span(const Reach *r, int fact)
{
    switch ((NumFact)fact) {
    case NUM_UNITS: return between(1, MOST_UNITS);
    case NUM_CACHE: return between(1, MOST_CACHE);
    default: {
        int64_t v = plan_device_value(&r->device, fact);
        return between(v, v);
    }
    }
}

static Span linear(const FdLinear *x)
{
    if (!x->known) return anything;
    if (!x->atom) return between(x->offset, x->offset);
    return (Span){INT64_MIN, INT64_MAX, x->atom, x->offset, x->offset};
}

static Span symbol(const Reach *r, int sym)
{
    int index = (sym & ((1 << CLASS_SHIFT) - 1)) >> INDEX_SHIFT,
        dim = sym & ((1 << INDEX_SHIFT) - 1);
    switch ((SymbolClass)(sym >> CLASS_SHIFT)) {
    case SYM_DEVICE: return device_span(r, index);
    case SYM_DEFINE: return r->defines[index];
    case SYM_LET: return r->lets[index];
    case SYM_SLOT_VALUE: return linear(&r->slots[index].value);
    default: break;
    }
    bool there = dim < FD_MAX_RANK;
    Span lo = there ? linear(&r->slots[index].lo[dim]) : anything,
         hi = there ? linear(&r->slots[index].hi[dim]) : anything;
    if ((SymbolClass)(sym >> CLASS_SHIFT) == SYM_SLOT_LO) return lo;
    Span n = sub(&hi, &lo), zero = between(0, 0);
    return larger(&n, &zero);
}

static Span made(const Reach *r, PlanCode code, int64_t value, const Span *const *x)
{
    switch (code) {
    case PLAN_PUSH: return between(value, value);
    case PLAN_SYMBOL: return symbol(r, (int)value);
    case PLAN_ADD: return add(x[0], x[1]);
    case PLAN_SUB: return sub(x[0], x[1]);
    case PLAN_MUL: return corners(times, x[0], x[1]->lo, x[1]->hi);
    case PLAN_DIV: return divide(x[0], x[1], false);
    case PLAN_CEILDIV: return divide(x[0], x[1], true);
    case PLAN_REM: return remainder_of(x[0], x[1]);
    case PLAN_ROUNDUP: return roundup(x[0], x[1]);
    case PLAN_MIN: return smaller(x[0], x[1]);
    case PLAN_MAX: return larger(x[0], x[1]);
    case PLAN_LT: return truth(is_less(x[0], x[1]));
    case PLAN_GE: return truth(not(is_less(x[0], x[1])));
    case PLAN_GT: return truth(is_less(x[1], x[0]));
    case PLAN_LE: return truth(not(is_less(x[1], x[0])));
    case PLAN_EQ: return truth(is_equal(x[0], x[1]));
    case PLAN_NE: return truth(not(is_equal(x[0], x[1])));
    case PLAN_NOT: return truth(not(is_true(x[0])));
    case PLAN_AND: {
        int a = is_true(x[0]), b = is_true(x[1]);
        return truth(a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1);
    }
    case PLAN_OR: {
        int a = is_true(x[0]), b = is_true(x[1]);
        return truth(a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1);
    }
    case PLAN_CHOOSE: {
        int is = is_true(x[0]);
        return is < 0 ? either(x[1], x[2]) : is ? *x[1] : *x[2];
    }
    default: return anything;
    }
}

static const void *build(void *ctx, PlanCode code, int64_t value, const void *const *operands)
{
    Reach *r = ctx;
    const Span *x[3] = {NULL, NULL, NULL};
    int n = code == PLAN_PUSH || code == PLAN_SYMBOL ? 0
            : code == PLAN_NOT || code == PLAN_NEG   ? 1
            : code == PLAN_CHOOSE                    ? 3
                                                     : 2;
    for (int i = 0; i < n; i++) x[i] = operands[i];
    Span *out = arena_new_of(r->arena, Span);
    *out = made(r, code, value, x);
    return out;
}

static Span span_of(Reach *r, const PlanExpr *e)
{
    const Span *x = plan_expr_build(e, build, r);
    return *x;
}

static bool may_be(Reach *r, const PlanExpr *when)
{
    Span x = when ? span_of(r, when) : truth(1);
    return is_true(&x) != 0;
}

static bool may_run(Reach *r, const Step *s)
{
    bool may = may_be(r, s->when);
    for (int d = 0; may && d < s->dims; d++) may = span_of(r, s->global[d]).hi > 0;
    return may;
}

static Span let_span(Reach *r, const Named *let)
{
    if (!let->expr) return between(0, INT64_MAX); /* a loop's variable counts from 0 */
    Span x = span_of(r, let->expr);
    return let->guess && is_true(&x) < 0 ? truth(let->guess > 0) : x;
}

void cg_plan_reach(const CgPlan *p, const CgDevice *d, const FdKnown *slots, bool *kernels)
{
    Arena *arena = arena_new();
    Reach r = {.plan = p, .slots = slots, .device = *d, .arena = arena};
    r.defines = arena_array(arena, Span, p->defines.len + 1);
    r.lets = arena_array(arena, Span, p->lets.len + 1);
    for (size_t i = 0; i < p->defines.len; i++) r.defines[i] = span_of(&r, p->defines.data[i].expr);
    for (size_t i = 0; i < p->lets.len; i++) r.lets[i] = let_span(&r, &p->lets.data[i]);
    memset(kernels, 0, (size_t)p->nkernels * sizeof *kernels);
    for (int i = 0; i < p->nsteps; i++) {
        const Step *s = &p->steps[i];
        if (s->kind == STEP_LOOP && !may_be(&r, s->when)) i = s->partner;
        if (s->kind != STEP_RUN || !may_run(&r, s)) continue;
        for (int k = 0; k < p->nkernels; k++)
            kernels[k] = kernels[k] || strcmp(p->kernels[k], s->kernel) == 0;
    }
    arena_free(arena);
}
