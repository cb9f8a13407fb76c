/* Footprints (footprint.h). One walk over the graph visits what is evaluated, the values of each integer at
 * hand (values.h): a choice that they decide has one branch, else each branch is visited under what the
 * condition says. A function that is not applied but handed on may be read anywhere. */
#include "footprint.h"

#include "../../internal.h"
#include "reads.h"
#include "values.h"

/* Functions that are looked at once each, for boxes around all that is asked of them. Steps of loops, each of which
 * reads the one before it several times, would be followed far too often. */
typedef struct Apart {
    uint32_t *number; /* by node: 1 + its place in `of`; 0: it has none */
    VEC(struct Asked {
        const FdNode *fn;
        FdFootprint boxes;
        bool done;
    })
    of;
} Apart;

typedef struct Walk {
    FdiValues *values;
    uint32_t *walked; /* by node: at which place */
    FdFootprint *out;
    bool fails;           /* something may fail, reads of slots apart */
    const FdShare *share; /* NULL: all of it */
    int inside;           /* reductions around */
    const FdNode *result; /* whose elements are visited */
    Apart *apart;         /* NULL: functions are followed into wherever they are applied */
} Walk;

static void walk(Walk *w, const FdNode *n);

static bool is_slot(const FdNode *f)
{
    return f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT;
}

/* ---- reads ------------------------------------------------------------------------------------- */

static FdExtent extent_of(const FdRange *v)
{
    FdExtent e = {0};
    if (v->base && v->from > INT64_MIN && v->to < INT64_MAX)
        e = (FdExtent){.near = (int)v->base, .from = v->from, .to = v->to};
    e.full = !fdi_extent(v, &e.lo, &e.hi);
    if (e.full) e.lo = e.hi = 0;
    return e;
}

/* Each interval of the first index that has several is a box of its own. */
static void read_at(Walk *w, const FdNode *n, FdFootprint *f)
{
    FdReads r = {0};
    FdSpans spans = {0};
    int apart = -1;
    for (int d = 0; d < n->nargs; d++) {
        FdRange v = fdi_value(w->values, n->args[d]);
        if (v.is.n == 0) return; /* it is not made */
        r.dim[d] = extent_of(&v);
        if (apart >= 0 || v.is.n < 2 || r.dim[d].full) continue;
        apart = d;
        spans = v.is;
    }
    if (apart < 0) fdi_reads_add(f, &r);
    for (int i = 0; i < spans.n; i++) {
        r.dim[apart].lo = spans.span[i].lo;
        r.dim[apart].hi = spans.span[i].hi + 1;
        fdi_reads_add(f, &r);
    }
}

/* ---- what may fail ------------------------------------------------------------------------------ */

/* Is a number in lo..hi, whatever they are here? */
static bool is_within(Walk *w, const FdNode *n, const FdDom *range)
{
    if (!range->lo || !range->hi) return range->kind == FD_DOM_FULL;
    FdRange value = fdi_value(w->values, n), from = fdi_value(w->values, range->lo),
            to = fdi_value(w->values, range->hi);
    FdSpan v = fd_spans_hull(&value.is), lo = fd_spans_hull(&from.is), hi = fd_spans_hull(&to.is);
    return value.is.n == 0 || (from.is.n && to.is.n && lo.hi <= v.lo && v.hi < hi.lo);
}

static bool may_be_zero(Walk *w, const FdNode *n)
{
    FdRange v = fdi_value(w->values, n);
    FdSpans zero = fd_spans(0, 0), both = fd_spans_meet(&v.is, &zero);
    return both.n > 0;
}

static bool may_be_empty(Walk *w, const FdNode *reduce)
{
    for (int i = 0; i < reduce->nvars; i++)
        if (!is_within(w, reduce->doms[i].lo, &reduce->doms[i])) return true;
    return false;
}

static bool call_may_fail(Walk *w, const FdNode *n)
{
    const FdUser *user = fd_user_of(n);
    if (user) return !user->body || fd_user_effects(user) & FD_MAY_FAIL;
    if (n->kind == FD_REDUCE) return n->fn->kind != FD_LET;
    if (n->fn->kind != FD_LET) return true;
    for (int i = 0; i < n->nargs; i++)
        if (!is_within(w, n->args[i], &n->fn->doms[i])) return true;
    return false;
}

static bool may_fail(Walk *w, const FdNode *n)
{
    FdEffects does = fd_does(n);
    bool other = n->kind == FD_APPLY && does & FD_READS && !is_slot(n->fn);
    return other || does & FD_OUTSIDE || (does & FD_DIVIDES && may_be_zero(w, n->args[1])) ||
           (does & FD_EMPTY && may_be_empty(w, n)) || (does & FD_CALLS && call_may_fail(w, n));
}

/* ---- what is evaluated ------------------------------------------------------------------------- */

/* What is asked of a function that is looked at apart; NULL: it is none. */
static FdFootprint *asked_of(Walk *w, const FdNode *f)
{
    bool is = w->apart && f->kind == FD_LET && !f->self && fdi_closed(f) && f->nvars <= FD_MAX_RANK;
    if (!is) return NULL;
    uint32_t *number = &w->apart->number[f->id];
    if (!*number) {
        struct Asked one = {.fn = f, .boxes = {.rank = f->nvars}};
        vec_push(&w->apart->of, one);
        *number = (uint32_t)w->apart->of.len;
    }
    return &w->apart->of.data[*number - 1].boxes;
}

/* A function whose applications are not seen. */
static void hand_on(Walk *w, const FdNode *f)
{
    FdFootprint *asked = asked_of(w, f);
    if (asked) fdi_reads_anywhere(asked);
    if (asked) return;
    if (f->kind != FD_LET) {
        walk(w, f);
        return;
    }
    FdiScope s = fdi_values_hide(w->values, f); /* its variables may be anything */
    walk(w, f->body);
    fdi_values_leave(w->values, f, &s);
}

static void walk_under(Walk *w, const FdNode *cond, bool truth, const FdNode *n)
{
    FdiAssumed a = fdi_values_assume(w->values, cond, truth);
    walk(w, n);
    fdi_values_forget(w->values, &a);
}

static void walk_choice(Walk *w, const FdNode *n)
{
    int is = fdi_decided(w->values, n->args[0]);
    walk(w, n->args[0]);
    if (is != 0) walk_under(w, n->args[0], true, n->args[1]);
    if (is != 1) walk_under(w, n->args[0], false, n->args[2]);
}

static void walk_and_or(Walk *w, const FdNode *n, bool goes_on)
{
    walk(w, n->args[0]);
    if (fdi_decided(w->values, n->args[0]) != !goes_on)
        walk_under(w, n->args[0], goes_on, n->args[1]);
}

static void walk_args(Walk *w, const FdNode *n)
{
    for (int i = 0; i < n->nargs; i++)
        if (n->args[i]->type->result)
            hand_on(w, n->args[i]);
        else
            walk(w, n->args[i]);
}

static void walk_apply(Walk *w, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return;
    if (op == FD_OP_SELECT) {
        walk_choice(w, n);
        return;
    }
    if (op == FD_OP_LAND || op == FD_OP_LOR) {
        walk_and_or(w, n, op == FD_OP_LAND);
        return;
    }
    walk_args(w, n);
    if (op != FD_OP_NONE) return;
    FdFootprint *asked = asked_of(w, n->fn);
    if (asked) {
        read_at(w, n, asked);
    } else if (is_slot(n->fn) && n->nargs <= FD_MAX_RANK) {
        read_at(w, n, &w->out[n->fn->slot]);
    } else if (n->fn->kind == FD_LET && n->fn->self) {
        walk(w, n->fn); /* what is asked for asks for others of its elements */
    } else if (n->fn->kind == FD_LET) {
        FdiScope s = fdi_values_enter(w->values, n->fn, n->args);
        if (!s.empty) walk(w, n->fn->body);
        fdi_values_leave(w->values, n->fn, &s);
    } else if (n->fn->kind == FD_APPLY) {
        hand_on(w, n->fn);
    }
}

static int64_t only_value(Walk *w, const FdNode *n)
{
    FdRange v = n ? fdi_value(w->values, n) : (FdRange){0};
    FdSpan is = fd_spans_hull(&v.is);
    return n && v.is.n && is.lo == is.hi ? is.lo : INT64_MIN;
}

/* The share of an outermost reduction: from..to of variable sum_var. False: it has all. */
static bool find_share(Walk *w, const FdNode *n, int64_t *from, int64_t *to)
{
    int64_t all = 1, inner = 1;
    if (!w->share || !w->share->sum_n || w->inside || n->kind != FD_REDUCE) return false;
    if (w->share->sum_results && n != w->result) return false;
    for (int i = w->share->sum_var; i < n->nvars && all != w->share->sum_n; i++) {
        int64_t lo = only_value(w, n->doms[i].lo), hi = only_value(w, n->doms[i].hi);
        if (lo == INT64_MIN || hi == INT64_MIN || hi <= lo) return false;
        if (__builtin_mul_overflow(all, hi - lo, &all)) return false;
        if (i == w->share->sum_var)
            *from = lo;
        else
            inner *= hi - lo;
    }
    if (all != w->share->sum_n) return false;
    *to = *from + (w->share->sum_to - 1) / inner;
    *from += w->share->sum_from / inner;
    return true;
}

static void walk_binder(Walk *w, const FdNode *n)
{
    int64_t from = 0, to = 0;
    for (int i = 0; i < n->nvars; i++) {
        if (n->doms[i].lo) walk(w, n->doms[i].lo);
        if (n->doms[i].hi) walk(w, n->doms[i].hi);
    }
    if (n->kind == FD_REDUCE) {
        hand_on(w, n->fn);
        if (n->init) walk(w, n->init);
    }
    bool part = find_share(w, n, &from, &to);
    FdiScope s = part ? fdi_values_enter_part(w->values, n, w->share->sum_var, from, to)
                      : fdi_values_enter(w->values, n, NULL);
    w->inside += n->kind == FD_REDUCE;
    if (!s.empty) walk(w, n->body);
    w->inside -= n->kind == FD_REDUCE;
    fdi_values_leave(w->values, n, &s);
}

static void walk(Walk *w, const FdNode *n)
{
    if (n->kind == FD_VAR || n->kind == FD_SCALAR) return;
    uint32_t place = fdi_values_place(w->values);
    if (w->walked[n->id] == place || !fdi_values_step(w->values)) return;
    w->walked[n->id] = place;
    w->fails = w->fails || may_fail(w, n);
    if (is_slot(n))
        fdi_reads_anywhere(&w->out[n->slot]);
    else if (n->kind == FD_APPLY)
        walk_apply(w, n);
    else if (n->kind != FD_FUNC)
        walk_binder(w, n);
}

/* ---- the root ---------------------------------------------------------------------------------- */

static size_t nodes_of(const FdGraph *g)
{
    size_t n = fd_ids(g);
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def && g->slots[i].def->id >= n) n = (size_t)g->slots[i].def->id + 1;
    return n;
}

static void walk_result(Walk *w, const FdNode *n, const FdBox *box)
{
    w->result = n;
    if (n->kind != FD_LET || (n->self && !w->share)) {
        walk(w, n);
        return;
    }
    FdiScope s = fdi_values_enter_root(w->values, n, box);
    if (!s.empty) walk(w, n->body);
    fdi_values_leave(w->values, n, &s);
}

static void walk_graph(Walk *w, const FdGraph *g, const FdBox *box)
{
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def) walk(w, g->slots[i].def);
    for (int k = 0; k < g->nresults; k++) walk_result(w, g->results[k].node, box);
}

/* ---- functions looked at apart ------------------------------------------------------------------- */

static void walk_asked(Walk *w, const FdNode *f, const FdReads *r)
{
    FdBox box = fd_reads_box(r, f->nvars);
    for (int i = 0; i < f->nvars; i++) {
        if (f->doms[i].lo) walk(w, f->doms[i].lo);
        if (f->doms[i].hi) walk(w, f->doms[i].hi);
    }
    w->inside++; /* for all that is known it is within a reduction */
    FdiScope s = fdi_values_enter_box(w->values, f, &box);
    if (!s.empty) walk(w, f->body);
    fdi_values_leave(w->values, f, &s);
    w->inside--;
}

/* Those that others ask have smaller numbers than these. */
static struct Asked *next_asked(Apart *a)
{
    struct Asked *next = NULL;
    for (size_t i = 0; i < a->of.len; i++)
        if (!a->of.data[i].done && (!next || a->of.data[i].fn->id > next->fn->id))
            next = &a->of.data[i];
    return next;
}

static void walk_apart(Walk *w)
{
    for (struct Asked *next; (next = next_asked(w->apart));) {
        FdFootprint boxes = next->boxes;
        const FdNode *f = next->fn;
        next->done = true; /* more may be asked, which moves it */
        for (int i = 0; i < boxes.nboxes && fdi_values_step(w->values); i++)
            walk_asked(w, f, &boxes.boxes[i]);
    }
}

/* What arrays of each number of dimensions are asked for. */
static void asked_of_all(const Apart *a, FdFootprint all[FD_MAX_RANK + 1])
{
    for (int k = 0; k <= FD_MAX_RANK; k++) all[k] = (FdFootprint){.rank = k};
    for (size_t i = 0; i < a->of.len; i++) {
        const FdFootprint *f = &a->of.data[i].boxes;
        for (int k = 0; k < f->nboxes && fd_is_stored(a->of.data[i].fn); k++)
            fdi_reads_add(&all[f->rank], &f->boxes[k]);
    }
}

/* A turn that stands for several: whatever the one after it asks for, of whichever of its arrays, it may be asked for. What
 * it asks for itself comes in the order of its arrays. */
static void walk_again(Walk *w)
{
    FdFootprint all[FD_MAX_RANK + 1];
    asked_of_all(w->apart, all);
    for (size_t i = 0; i < w->apart->of.len; i++) {
        struct Asked *one = &w->apart->of.data[i];
        const int rank = one->boxes.rank;
        one->boxes = fd_is_stored(one->fn) ? all[rank] : (FdFootprint){.rank = rank};
        one->done = false;
    }
    walk_apart(w);
}

/* How often that is. */
static int64_t again_of(const FdGraph *g, const FdEnv *env)
{
    int64_t turns = g->turns && env->scalars ? env->scalars[g->turns->slot].i : 0;
    return turns > 1 ? turns - 1 : 0;
}

static void walk_all(Walk *w, const FdGraph *g, const FdEnv *env, const FdBox *box)
{
    enum { MOST_AGAIN = 64 };
    walk_graph(w, g, box);
    if (!w->apart) return;
    walk_apart(w);
    int64_t again = again_of(g, env);
    for (int64_t i = 0; i < again && again <= MOST_AGAIN; i++) walk_again(w);
    for (int i = 0; again > MOST_AGAIN && i < g->nslots; i++)
        if (w->out[i].rank) fdi_reads_anywhere(&w->out[i]);
}

/* ---- all ----------------------------------------------------------------------------------------- */

typedef enum Known { NOT_KNOWN, MAY_FAIL, CANNOT_FAIL } Known;

static Known find_by(const FdGraph *g, const FdEnv *env, const FdBox *box, const FdShare *share,
                     FdValuesOf *values, const void *ctx, bool apart, FdFootprint *out)
{
    size_t n = nodes_of(g);
    Apart functions = {0};
    Walk w = {.values = fdi_values_new(g, n, env, values, ctx),
              .walked = mem_alloc(n * sizeof *w.walked),
              .out = out,
              .share = share};
    if (apart) functions.number = mem_alloc(n * sizeof *functions.number);
    if (apart) w.apart = &functions;
    for (int i = 0; i < g->nslots; i++) out[i] = (FdFootprint){.rank = g->slots[i].type->nparams};
    walk_all(&w, g, env, box);
    bool all = fdi_values_step(w.values);
    mem_free(w.walked);
    mem_free(functions.number);
    vec_free(&functions.of);
    fdi_values_free(w.values);
    return !all ? NOT_KNOWN : w.fails ? MAY_FAIL : CANNOT_FAIL;
}

/* False: something other than reads may fail, or nobody knows. Of a share of many steps it is known less exactly. */
static bool find(const FdGraph *g, const FdEnv *env, const FdBox *box, const FdShare *share,
                 FdValuesOf *values, const void *ctx, FdFootprint *out)
{
    Known known = NOT_KNOWN;
    if (!share || !g->turns) known = find_by(g, env, box, share, values, ctx, false, out);
    if (share && known == NOT_KNOWN) known = find_by(g, env, box, share, values, ctx, true, out);
    for (int i = 0; i < g->nslots && known == NOT_KNOWN; i++)
        if (out[i].rank) fdi_reads_anywhere(&out[i]);
    return known == CANNOT_FAIL;
}

/* Numbers that are another one in each turn: whoever computes some of the result needs them all. */
static void read_moving(const FdGraph *g, FdFootprint *out)
{
    for (int i = 0; i < g->nmoving; i++) fdi_reads_anywhere(&out[g->moving[i].values->slot]);
}

void fd_footprints(const FdGraph *g, const FdEnv *env, const FdBox *box, FdValuesOf *values,
                   const void *ctx, FdFootprint *out)
{
    find(g, env, box, NULL, values, ctx, out);
    read_moving(g, out);
}

void fd_footprints_of(const FdGraph *g, const FdEnv *env, const FdShare *share, FdValuesOf *values,
                      const void *ctx, FdFootprint *out)
{
    find(g, env, share->box, share, values, ctx, out);
    read_moving(g, out);
}

static bool is_in_domain(const FdFootprint *f, const FdBox *domain)
{
    FdBox hull = fd_footprint_hull(f);
    for (int d = 0; f->nboxes && d < f->rank; d++) {
        bool inside = !hull.dim[d].full && hull.dim[d].lo >= domain->dim[d].lo &&
                      hull.dim[d].hi <= domain->dim[d].hi;
        if (!domain->dim[d].full && !inside) return false;
    }
    return true;
}

bool fd_cannot_fail(const FdGraph *g, const FdEnv *env, FdValuesOf *values, const void *ctx)
{
    FdFootprint *reads = mem_alloc(((size_t)g->nslots + 1) * sizeof *reads);
    bool good = find(g, env, NULL, NULL, values, ctx, reads);
    for (int i = 0; good && i < g->nslots; i++)
        good = !g->slots[i].type->nparams || is_in_domain(&reads[i], &env->boxes[i]);
    mem_free(reads);
    return good;
}
