/* Footprints (footprint.h). One walk over the graph visits what is evaluated, the values of each integer at
 * hand (values.h): a choice that they decide has one branch, else each branch is visited under what the
 * condition says. A function that is not applied but handed on may be read anywhere. */
#include "footprint.h"

#include "../internal.h"
#include "values.h"

typedef struct Walk {
    FdiValues *values;
    uint32_t *walked; /* by node: at which place */
    FdFootprint *out;
    bool fails;           /* something may fail, reads of slots apart */
    const FdShare *share; /* NULL: all of it */
    int inside;           /* reductions around */
    const FdNode *result; /* whose elements are visited */
} Walk;

static void walk(Walk *w, const FdNode *n);

static bool is_slot(const FdNode *f)
{
    return f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT;
}

/* ---- boxes of reads ---------------------------------------------------------------------------- */

static FdExtent around(const FdExtent *a, const FdExtent *b)
{
    FdExtent e = {.full = a->full || b->full};
    if (a->near && a->near == b->near) {
        e.near = a->near;
        e.from = fd_least(a->from, b->from);
        e.to = fd_most(a->to, b->to);
    }
    if (e.full) return e;
    e.lo = fd_least(a->lo, b->lo);
    e.hi = fd_most(a->hi, b->hi);
    return e;
}

static FdReads reads_around(const FdReads *a, const FdReads *b, int rank)
{
    FdReads r = {0};
    for (int d = 0; d < rank; d++) r.dim[d] = around(&a->dim[d], &b->dim[d]);
    return r;
}

static bool is_inside(const FdReads *a, const FdReads *b, int rank)
{
    FdReads both = reads_around(a, b, rank);
    for (int d = 0; d < rank; d++) {
        const FdExtent *x = &both.dim[d], *y = &b->dim[d];
        if (x->full != y->full || x->near != y->near) return false;
        if (!x->full && (x->lo != y->lo || x->hi != y->hi)) return false;
        if (x->near && (x->from != y->from || x->to != y->to)) return false;
    }
    return true;
}

static double elements(const FdReads *r, int rank)
{
    double n = 1;
    for (int d = 0; d < rank; d++)
        n *= r->dim[d].full ? (double)INT32_MAX : (double)(r->dim[d].hi - r->dim[d].lo);
    return n;
}

/* What one box in place of both holds that neither does; what is near the same variable goes together
 * first. */
static double price(const FdReads *a, const FdReads *b, int rank)
{
    FdReads both = reads_around(a, b, rank);
    double more = elements(&both, rank) - elements(a, rank) - elements(b, rank);
    for (int d = 0; d < rank; d++)
        if (a->dim[d].near != b->dim[d].near) more += elements(&both, rank) + 1;
    return more;
}

static void add_reads(FdFootprint *f, const FdReads *r)
{
    FdReads list[FD_FOOTPRINT_BOXES + 1];
    int n = f->nboxes, a = 0, b = 1;
    for (int i = 0; i < n; i++)
        if (is_inside(r, &f->boxes[i], f->rank)) return;
    for (int i = 0; i < n; i++) list[i] = f->boxes[i];
    list[n++] = *r;
    if (n > FD_FOOTPRINT_BOXES) {
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (price(&list[i], &list[j], f->rank) < price(&list[a], &list[b], f->rank)) {
                    a = i;
                    b = j;
                }
        list[a] = reads_around(&list[a], &list[b], f->rank);
        list[b] = list[--n];
    }
    for (int i = 0; i < n; i++) f->boxes[i] = list[i];
    f->nboxes = n;
}

static void read_anywhere(FdFootprint *f)
{
    FdReads all = {0};
    for (int d = 0; d < f->rank && d < FD_MAX_RANK; d++) all.dim[d].full = true;
    add_reads(f, &all);
}

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
static void read_at(Walk *w, const FdNode *n)
{
    FdFootprint *f = &w->out[n->fn->slot];
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
    if (apart < 0) add_reads(f, &r);
    for (int i = 0; i < spans.n; i++) {
        r.dim[apart].lo = spans.span[i].lo;
        r.dim[apart].hi = spans.span[i].hi + 1;
        add_reads(f, &r);
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

/* A function whose applications are not seen. */
static void hand_on(Walk *w, const FdNode *f)
{
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
    if (is_slot(n->fn) && n->nargs <= FD_MAX_RANK) {
        read_at(w, n);
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

/* The share of an outermost reduction: from..to of its first variable. False: it has all. */
static bool find_share(Walk *w, const FdNode *n, int64_t *from, int64_t *to)
{
    int64_t all = 1, inner = 1;
    if (!w->share || !w->share->sum_n || w->inside || n->kind != FD_REDUCE) return false;
    if (w->share->sum_results && n != w->result) return false;
    for (int i = 0; i < n->nvars && all != w->share->sum_n; i++) {
        int64_t lo = only_value(w, n->doms[i].lo), hi = only_value(w, n->doms[i].hi);
        if (lo == INT64_MIN || hi == INT64_MIN || hi <= lo) return false;
        if (__builtin_mul_overflow(all, hi - lo, &all)) return false;
        if (i == 0)
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
    FdiScope s =
        part ? fdi_values_enter_part(w->values, n, from, to) : fdi_values_enter(w->values, n, NULL);
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
        read_anywhere(&w->out[n->slot]);
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

/* False: something other than reads may fail, or nobody knows. */
static bool find(const FdGraph *g, const FdEnv *env, const FdBox *box, const FdShare *share,
                 FdValuesOf *values, const void *ctx, FdFootprint *out)
{
    size_t n = nodes_of(g);
    Walk w = {.values = fdi_values_new(n, env, values, ctx),
              .walked = mem_alloc(n * sizeof *w.walked),
              .out = out,
              .share = share};
    for (int i = 0; i < g->nslots; i++) out[i] = (FdFootprint){.rank = g->slots[i].type->nparams};
    walk_graph(&w, g, box);
    bool all = fdi_values_step(w.values);
    for (int i = 0; i < g->nslots && !all; i++)
        if (out[i].rank) read_anywhere(&out[i]);
    mem_free(w.walked);
    fdi_values_free(w.values);
    return all && !w.fails;
}

void fd_footprints(const FdGraph *g, const FdEnv *env, const FdBox *box, FdValuesOf *values,
                   const void *ctx, FdFootprint *out)
{
    find(g, env, box, NULL, values, ctx, out);
}

void fd_footprints_of(const FdGraph *g, const FdEnv *env, const FdShare *share, FdValuesOf *values,
                      const void *ctx, FdFootprint *out)
{
    find(g, env, share->box, share, values, ctx, out);
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

FdBox fd_footprint_hull(const FdFootprint *f)
{
    FdBox box = {.rank = f->rank};
    FdReads r = f->nboxes ? f->boxes[0] : (FdReads){0};
    for (int i = 1; i < f->nboxes; i++) r = reads_around(&r, &f->boxes[i], f->rank);
    for (int d = 0; d < f->rank; d++) {
        box.dim[d].full = r.dim[d].full;
        box.dim[d].lo = r.dim[d].lo;
        box.dim[d].hi = r.dim[d].hi;
    }
    return box;
}

static bool is_own(const FdExtent *e, int d, const FdBox *box)
{
    if (e->near == 1 + d && e->from == 0 && e->to == 0) return true;
    int64_t lo = box->dim[d].lo;
    return !e->full && !box->dim[d].full && box->dim[d].hi == lo + 1 && e->lo == lo &&
           e->hi == lo + 1;
}

bool fd_footprint_apart(const FdFootprint *f, const FdBox *box)
{
    for (int i = 0; i < f->nboxes; i++) {
        bool own = true, outside = false;
        for (int d = 0; d < f->rank; d++) {
            const FdExtent *e = &f->boxes[i].dim[d];
            own = own && is_own(e, d, box);
            outside = outside || (!e->full && !box->dim[d].full &&
                                  (e->hi <= box->dim[d].lo || e->lo >= box->dim[d].hi));
        }
        if (!own && !outside) return false;
    }
    return true;
}

typedef struct Own {
    const FdNode *root;
    int slot;
} Own;

static bool is_own_read(const Own *own, const FdNode *n)
{
    bool same = n->nargs == own->root->nvars;
    for (int d = 0; same && d < n->nargs; d++) same = n->args[d] == own->root->vars[d];
    return same;
}

/* Is it a reduction, or has it the slot for anything but an own read or its domain? */
static bool is_other_use(const void *ctx, const FdNode *n)
{
    const Own *own = ctx;
    const FdNode *children[FD_MAX_CHILDREN];
    if (n->kind == FD_REDUCE) return true;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    for (int i = fd_children(n, children); i-- > 0;) {
        const FdNode *c = children[i];
        if (!is_slot(c) || c->slot != own->slot) continue;
        bool good = op == FD_OP_LOWER || op == FD_OP_UPPER ||
                    (n->kind == FD_APPLY && n->fn == c && is_own_read(own, n));
        if (!good) return true;
    }
    return false;
}

bool fd_reads_own_only(const FdGraph *g, int slot)
{
    Own own = {fd_root(g), slot};
    return fd_root(g)->kind == FD_LET && !fd_root(g)->self && !fd_can_fail(fd_root(g)->body) &&
           !fd_any(fd_root(g), is_other_use, &own);
}
