/* What an evaluation binds (numbers.h), and what is wrong whatever its elements are: infinite domains,
 * ranges that divide by zero, reductions over nothing. */
#include "numbers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../../fdag/index/footprint/footprint.h"
#include "../../state.h"
#include "../lazy/closure.h"

/* ---- numbers --------------------------------------------------------------------------------- */

bool numbers_infinite(const FdNode *binder, const CsSite *site)
{
    CsSite at = rt_site_at(site, binder->loc);
    rt_throw(RT_DOMAIN, &at, "%s has an infinite domain; a range (i : a..b) would limit it",
             binder->kind == FD_REDUCE ? "the operand of a reduction"
                                       : "a function that is to become an array");
    return false;
}

typedef enum RangeFault { RANGE_FINE, RANGE_DIVIDES, RANGE_INFINITE } RangeFault;

/* What is wrong with range k of those that are known beforehand; others are the kernel's to find. */
static RangeFault range_fault(const Composed *c, int k, const FdEnv *env)
{
    const FdNode *binder = c->order.range_binder[k];
    const FdDom *dom = &binder->doms[c->order.range_index[k]];
    int64_t value;
    FdBoundStatus lo = fd_eval_bound(dom->lo, env, &value),
                  hi = fd_eval_bound(dom->hi, env, &value);
    if (lo == FD_BOUND_DIVIDE_BY_ZERO || hi == FD_BOUND_DIVIDE_BY_ZERO) return RANGE_DIVIDES;
    const bool infinite = lo == FD_BOUND_INFINITE || hi == FD_BOUND_INFINITE;
    /* of a let that is applied: every int is inside */
    const bool counts = binder->kind == FD_REDUCE || fd_is_result(&c->graph, binder);
    return infinite && counts ? RANGE_INFINITE : RANGE_FINE;
}

static bool check_range(const Composed *c, int k, const FdEnv *env, const CsSite *site)
{
    const FdNode *binder = c->order.range_binder[k];
    const RangeFault fault = range_fault(c, k, env);
    if (fault == RANGE_INFINITE) return numbers_infinite(binder, site);
    if (fault == RANGE_FINE) return true;
    CsSite at = rt_site_at(site, binder->loc);
    rt_throw(RT_DIVIDE, &at, "integer division by zero in a range");
    return false;
}

void numbers_leaves(const Evaluation *e, FdBox *boxes, ScalarValue *scalars)
{
    for (size_t i = 0; i < e->leaves.len; i++) {
        const RtLeaf *leaf = &e->leaves.data[i];
        scalars[i] = leaf->scalar;
        if (leaf->array)
            rt_array_box_into(leaf->array, &boxes[i]);
        else if (leaf->closure)
            boxes[i] = *closure_box(leaf->closure);
    }
}

static bool find(const Evaluation *e, Numbers *n, const CsSite *site)
{
    const Composed *c = e->composed;
    const FdOrder *o = &c->order;
    int nslots = c->graph.nslots, some = nslots ? nslots : 1;
    FdBox *boxes = arena_array(n->arena, FdBox, some);
    ScalarValue *scalars = arena_array(n->arena, ScalarValue, some);
    numbers_leaves(e, boxes, scalars);
    n->env = (FdEnv){boxes, scalars};
    FdBox *slot_boxes = arena_array(n->arena, FdBox, o->nslots ? o->nslots : 1);
    ScalarValue *slot_scalars = arena_array(n->arena, ScalarValue, o->nslots ? o->nslots : 1);
    for (int k = 0; k < o->nslots; k++) {
        slot_boxes[k] = boxes[o->slots[k]];
        slot_scalars[k] = scalars[o->slots[k]];
    }
    n->slot_boxes = slot_boxes;
    n->boxes = boxes;
    n->scalars = scalars;
    n->slot_scalars = slot_scalars;
    n->binding = (CgBinding){slot_boxes, slot_scalars, rt.ranks.size || rt.ranks.blocks};
    for (int k = 0; k < o->nranges; k++)
        if (!check_range(c, k, &n->env, site)) return false;
    return true;
}

/* ---- empty reductions ------------------------------------------------------------------------ */

typedef struct Empties {
    const FdEnv *env;
    const CsSite *site;
    unsigned char *seen;
} Empties;

/* 1: a closed range of this reduction is empty. */
static bool is_empty(const FdNode *n, const FdEnv *env)
{
    for (int d = 0; d < n->nvars; d++) {
        int64_t lo, hi;
        if (n->doms[d].kind != FD_DOM_FULL &&
            fd_eval_bound(n->doms[d].lo, env, &lo) == FD_BOUND_OK &&
            fd_eval_bound(n->doms[d].hi, env, &hi) == FD_BOUND_OK && hi <= lo)
            return true;
    }
    return false;
}

/* Has a reduction a value over nothing? */
static bool starts(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    ScalarValue v;
    if (n->init) return true;
    if (op != FD_OP_NONE) return fd_op_identity(op, n->type->scalar, &v);
    return fd_user_of(n) && fd_user_of(n)->identity;
}

/* Throws where a reduction without identity is certain to be evaluated over nothing. Those under a
 * choice or with ranges known only to the kernel are the kernel's to find. */
static bool check_empty(Empties *e, const FdNode *n)
{
    if (e->seen[n->id]) return true;
    e->seen[n->id] = 1;
    if (n->kind == FD_LET) return check_empty(e, n->body);
    if (n->kind == FD_REDUCE) {
        if (!is_empty(n, e->env)) return check_empty(e, n->body);
        FdOp op = fd_op_of(n);
        if (starts(n)) return !n->init || check_empty(e, n->init);
        CsSite at = rt_site_at(e->site, n->loc);
        rt_throw(RT_DOMAIN, &at, "%s%s of an empty domain",
                 op == FD_OP_NONE ? "a reduction" : fd_op_info(op)->text,
                 op == FD_OP_NONE ? " without identity" : "");
        return false;
    }
    if (n->kind != FD_APPLY) return true;
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return true;
    for (int i = 0; i < n->nargs && !fd_is_lazy(n, i); i++) {
        bool by_need =
            n->fn->kind == FD_LET ? n->fn->doms[i].kind == FD_DOM_FULL : n->fn->kind != FD_FUNC;
        if (by_need || n->args[i]->type->result) continue;
        if (!check_empty(e, n->args[i])) return false;
    }
    return op != FD_OP_NONE || check_empty(e, n->fn);
}

/* What is wrong whatever the elements are. */
static bool check(const Composed *c, const Numbers *n, const CsSite *site)
{
    if (c->infinite) return numbers_infinite(c->infinite, site);
    if (!c->may_be_empty) return true;
    Empties e = {.env = &n->env, .site = site};
    bool good = true;
    e.seen = arena_alloc(n->arena, fd_ids(&c->graph));
    for (int k = 0; k < c->graph.nresults && good; k++)
        good = check_empty(&e, c->graph.results[k].node);
    return good;
}

bool numbers_find(const Evaluation *e, Numbers *n, const CsSite *site)
{
    return find(e, n, site) && check(e->composed, n, site);
}

bool numbers_are_plain(const Composed *c, const Numbers *n)
{
    bool plain = !c->infinite;
    for (int k = 0; k < c->order.nnodes && plain && c->may_be_empty; k++) {
        const FdNode *node = c->order.nodes[k];
        plain = node->kind != FD_REDUCE || fd_has_identity(node) || !is_empty(node, &n->env);
    }
    for (int k = 0; k < c->order.nranges && plain && !c->steady; k++)
        plain = range_fault(c, k, &n->env) == RANGE_FINE;
    return plain;
}

double numbers_work(const Composed *c, const FdEnv *env)
{
    double each = c->work > 0 ? c->work : fd_work(&c->graph, env);
    return fd_elements(&c->graph, env) * each;
}

/* ---- values of arrays ------------------------------------------------------------------------ */

enum { FEW_VALUES = 4096 };

/* The range of an array's values, if it is small and the host has them. */
static void add_values(const Array *a, ScalarKind kind, FdBox *box)
{
    int64_t count, lo = 0, hi = 0;
    const Buffer *b = a->head.buffer;
    bool known = b && b->host && !b->host_stale && !b->held && !b->part &&
                 rt_box_count(box, &count) && count > 0 && count <= FEW_VALUES;
    if (known) {
        scalar_range(b->host, kind, count, &lo, &hi);
        hi++;
    }
    box->dim[box->rank].lo = lo;
    box->dim[box->rank].hi = hi;
}

void numbers_value(const Evaluation *e, const CgPlan *plan, int k, FdBox *box)
{
    const Composed *c = e->composed;
    int slot = c->order.slots[k];
    const Array *a = e->leaves.data[slot].array;
    const FdType *t = c->graph.slots[slot].type;
    if (a && t->nparams && cg_plan_asks(plan, k, box->rank)) add_values(a, t->result->scalar, box);
}

static bool is_inside(const int64_t *index, const FdBox *box)
{
    bool in = true;
    for (int d = 0; d < box->rank; d++)
        in = in && (box->dim[d].full || (box->dim[d].lo <= index[d] && index[d] < box->dim[d].hi));
    return in;
}

/* The next index, the last dimension fastest. */
static void step(const Array *a, int64_t *index)
{
    for (int d = a->head.rank; d-- > 0;) {
        const CsDim *dim = &a->head.dim[d];
        if (++index[d] < dim->lo + dim->n) return;
        index[d] = dim->lo;
    }
}

bool numbers_values(const void *evaluation, int slot, const FdBox *box, FdSpans *out)
{
    const Evaluation *e = evaluation;
    const Array *a = e->leaves.data[slot].array;
    int64_t index[CS_MAX_RANK], n = a ? rt_array_count(a) : 0;
    if (!a || n > FEW_VALUES || !(a->head.host_state & CS_HOST_READ) || a->head.rank != box->rank)
        return false;
    ScalarKind kind = (ScalarKind)a->head.elem;
    const char *data = a->head.data;
    *out = (FdSpans){0};
    for (int d = 0; d < a->head.rank; d++) index[d] = a->head.dim[d].lo;
    for (int64_t i = 0; i < n; i++, step(a, index)) {
        if (!is_inside(index, box)) continue;
        int64_t v = scalar_load(data + (size_t)i * scalar_bytes(kind), kind).i;
        FdSpans one = fd_spans(v, v);
        *out = fd_spans_join(out, &one);
    }
    return true;
}

enum { LAST_SLOT = 63 }; /* this one, and those behind it: their values are not known */

void numbers_valued(Numbers *n, int slot)
{
    n->valued |= UINT64_C(1) << (slot < LAST_SLOT ? slot : LAST_SLOT);
}

uint64_t numbers_hash(const Evaluation *e, uint64_t slots)
{
    uint64_t hash = 1;
    for (int i = 0; slots >> i && i < LAST_SLOT; i++) {
        const Array *a = e->leaves.data[i].array;
        if (!(slots >> i & 1)) continue;
        int64_t n = a ? rt_array_count(a) : 0;
        if (!a || n > FEW_VALUES || !(a->head.host_state & CS_HOST_READ)) return 0;
        size_t bytes = (size_t)n * scalar_bytes((ScalarKind)a->head.elem);
        hash = XXH3_64bits_withSeed(a->head.data, bytes, hash);
    }
    return slots >> LAST_SLOT ? 0 : hash | 1;
}

size_t numbers_nothing(const Evaluation *e)
{
    size_t most = 0;
    for (size_t i = 0; i < e->leaves.len; i++) {
        const Array *a = e->leaves.data[i].array;
        if (!a || a->head.buffer) continue;
        size_t n = sizeof(double);
        for (int32_t d = a->head.rank; d-- > 0 && a->head.dim[d].n > 0;)
            if (__builtin_mul_overflow(n, (size_t)a->head.dim[d].n, &n)) n = SIZE_MAX / 4;
        if (n > most) most = n;
    }
    return most;
}

/* ---- errors of elements ------------------------------------------------------------------------ */

/* Only what launches a kernel with the error buffer can tell of one. */
static bool reports_errors(const CgSchedule *s)
{
    for (int i = 0; i < s->nlaunches; i++)
        for (int a = 0; !s->launches[i].quiet && a < s->launches[i].nargs; a++)
            if (s->launches[i].args[a].kind == CG_ARG_ERROR) return true;
    return false;
}

typedef struct Asking {
    const Evaluation *e;
    Numbers *numbers;
} Asking;

/* FdValuesOf */
static bool looked_values(const void *asking, int slot, const FdBox *box, FdSpans *out)
{
    const Asking *a = asking;
    bool known = numbers_values(a->e, slot, box, out);
    a->numbers->by_values = a->numbers->by_values || known;
    if (known) numbers_valued(a->numbers, slot);
    return known;
}

static void ask(void *asking)
{
    const Asking *a = asking;
    Numbers *n = a->numbers;
    bool never = fd_cannot_fail(&a->e->composed->graph, &n->env, looked_values, a);
    n->fails = never ? FAIL_NEVER : FAIL_PERHAPS;
    n->values_hash = numbers_hash(a->e, n->valued);
}

bool numbers_never_fail(const Numbers *n)
{
    return n->fails == FAIL_NEVER || !reports_errors(&n->schedule);
}

bool numbers_can_fail(const Evaluation *e, Numbers *n)
{
    if (!reports_errors(&n->schedule)) return false;
    if (n->fails == FAIL_UNASKED && !mem_try(ask, &(Asking){e, n})) return true;
    return n->fails != FAIL_NEVER;
}
