/* Which kernels a plan may run, where something is known of its slots beforehand: its conditions are
 * worked out over ranges of numbers. */
#include <string.h>

#include "../../../fdag/index/facts/range.h"
#include "number.h"
#include "plan.h"

enum { MOST_UNITS = 1 << 16, MOST_CACHE = 1 << 30 };

typedef struct Reach {
    const CgPlan *plan;
    const FdKnown *slots;
    CgDevice device;
    FdRange *defines, *lets;
    Arena *arena;
} Reach;

static FdRange between(int64_t lo, int64_t hi)
{
    return fd_range(fd_spans(lo, hi));
}

static FdRange anything(void)
{
    return between(INT64_MIN, INT64_MAX);
}

static FdRange truth(int is) /* -1: not known */
{
    return is < 0 ? between(0, 1) : between(is, is);
}

static int is_true(const FdRange *x)
{
    FdRange zero = between(0, 0);
    return fd_range_compare(FD_OP_NE, x, &zero);
}

static FdRange op_of(FdOp op, const FdRange *a, const FdRange *b)
{
    return fd_range_op(op, SC_COUNT, a, b, NULL);
}

/* By 0 it is 0. */
static FdRange divide(const FdRange *a, const FdRange *b, bool up)
{
    FdSpan x = fd_spans_hull(&a->is), by = fd_spans_hull(&b->is);
    if (by.hi < 1 || by.lo < 0) return anything();
    int64_t least = fd_most(by.lo, 1);
    FdRange from_1 = between(least, by.hi), zero = between(0, 0), r;
    if (up)
        r = between(plan_quotient_up(x.lo, x.lo < 0 ? least : by.hi),
                    plan_quotient_up(x.hi, x.hi < 0 ? by.hi : least));
    else
        r = op_of(FD_OP_DIV, a, &from_1);
    return by.lo < 1 ? fd_range_join(&r, &zero) : r;
}

static FdRange remainder_of(const FdRange *a, const FdRange *b)
{
    FdSpan x = fd_spans_hull(&a->is), by = fd_spans_hull(&b->is);
    if (x.lo < 0 || by.lo < 0) return anything();
    return by.lo ? op_of(FD_OP_REM, a, b) : between(0, x.hi);
}

static FdRange roundup(const FdRange *a, const FdRange *b)
{
    FdSpan x = fd_spans_hull(&a->is), by = fd_spans_hull(&b->is);
    FdRange more = op_of(FD_OP_ADD, a, b);
    return x.lo < 0 || by.lo < 1 ? anything() : between(x.lo, fd_spans_hull(&more.is).hi);
}

static FdRange device_range(const Reach *r, int fact)
{
    switch ((NumFact)fact) {
    case NUM_UNITS: return between(1, MOST_UNITS);
    case NUM_PLACES: return between(1, MOST_UNITS);
    case NUM_CACHE: return between(1, MOST_CACHE);
    default: {
        int64_t v = plan_device_value(&r->device, fact);
        return between(v, v);
    }
    }
}

static FdRange linear(const FdLinear *x)
{
    if (!x->known) return anything();
    return x->atom ? fd_range_near(x->atom, x->offset) : between(x->offset, x->offset);
}

static FdRange symbol(const Reach *r, int sym)
{
    int index = (sym & ((1 << CLASS_SHIFT) - 1)) >> INDEX_SHIFT,
        dim = sym & ((1 << INDEX_SHIFT) - 1);
    switch ((SymbolClass)(sym >> CLASS_SHIFT)) {
    case SYM_DEVICE: return device_range(r, index);
    case SYM_DEFINE: return r->defines[index];
    case SYM_LET: return r->lets[index];
    case SYM_SLOT_VALUE: return linear(&r->slots[index].value);
    default: break;
    }
    bool there = dim < FD_MAX_RANK;
    FdRange lo = there ? linear(&r->slots[index].lo[dim]) : anything(),
            hi = there ? linear(&r->slots[index].hi[dim]) : anything();
    if ((SymbolClass)(sym >> CLASS_SHIFT) == SYM_SLOT_LO) return lo;
    FdRange n = op_of(FD_OP_SUB, &hi, &lo), zero = between(0, 0);
    return op_of(FD_OP_MAX, &n, &zero);
}

static FdRange made(const Reach *r, PlanCode code, int64_t value, const FdRange *const *x)
{
    switch (code) {
    case PLAN_PUSH: return between(value, value);
    case PLAN_SYMBOL: return symbol(r, (int)value);
    case PLAN_DIV: return divide(x[0], x[1], false);
    case PLAN_CEILDIV: return divide(x[0], x[1], true);
    case PLAN_REM: return remainder_of(x[0], x[1]);
    case PLAN_ROUNDUP: return roundup(x[0], x[1]);
    case PLAN_NOT: return truth(is_true(x[0]) < 0 ? -1 : !is_true(x[0]));
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
        return is < 0 ? fd_range_join(x[1], x[2]) : is ? *x[1] : *x[2];
    }
    default: break;
    }
    FdOp op = plan_op(code);
    if (fd_op_compares(op)) return truth(fd_range_compare(op, x[0], x[1]));
    return op ? op_of(op, x[0], x[1]) : anything();
}

static const void *build(void *ctx, PlanCode code, int64_t value, const void *const *operands)
{
    Reach *r = ctx;
    const FdRange *x[3] = {NULL, NULL, NULL};
    int n = code == PLAN_PUSH || code == PLAN_SYMBOL ? 0
            : code == PLAN_NOT || code == PLAN_NEG   ? 1
            : code == PLAN_CHOOSE                    ? 3
                                                     : 2;
    for (int i = 0; i < n; i++) x[i] = operands[i];
    FdRange *out = arena_new_of(r->arena, FdRange);
    *out = made(r, code, value, x);
    return out;
}

static FdRange range_of(Reach *r, const PlanExpr *e)
{
    const FdRange *x = plan_expr_build(e, build, r);
    return *x;
}

static bool may_be(Reach *r, const PlanExpr *when)
{
    FdRange x = when ? range_of(r, when) : truth(1);
    return is_true(&x) != 0;
}

static bool may_run(Reach *r, const Step *s)
{
    bool may = may_be(r, s->when);
    for (int d = 0; may && d < s->dims; d++) {
        FdRange n = range_of(r, s->global[d]);
        may = fd_spans_hull(&n.is).hi > 0;
    }
    return may;
}

static FdRange let_range(Reach *r, const Named *let)
{
    if (!let->expr) return between(0, INT64_MAX); /* a loop's variable counts from 0 */
    FdRange x = range_of(r, let->expr);
    return let->guess && is_true(&x) < 0 ? truth(let->guess > 0) : x;
}

void cg_plan_reach(const CgPlan *p, const CgDevice *d, const FdKnown *slots, bool *kernels)
{
    Arena *arena = arena_new();
    Reach r = {.plan = p, .slots = slots, .device = *d, .arena = arena};
    r.defines = arena_array(arena, FdRange, p->defines.len + 1);
    r.lets = arena_array(arena, FdRange, p->lets.len + 1);
    for (size_t i = 0; i < p->defines.len; i++)
        r.defines[i] = range_of(&r, p->defines.data[i].expr);
    for (size_t i = 0; i < p->lets.len; i++) r.lets[i] = let_range(&r, &p->lets.data[i]);
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
