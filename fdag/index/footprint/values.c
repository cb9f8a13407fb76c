/* The values that integers of a graph can have (values.h). A node keeps what is known of it while the place
 * is the same. Graphs in which that is not enough (functions applied in functions applied ..) first lose what
 * conditions say, then everything. */
#include "values.h"

#include "../../internal.h"

enum { MOST_STEPS = 200000, MOST_ASSUMING = MOST_STEPS / 4 };
/* Longer than a dimension of an array is. */
static const int64_t long_extent = INT32_MAX / 2;

typedef struct At {      /* of a node */
    uint32_t valued;     /* at which place */
    size_t bound, limit; /* 1 + its place in bound, in limits; 0: none */
    FdRange value;
} At;

struct FdiValues {
    const FdGraph *graph;
    const FdEnv *env;
    FdValuesOf *values;
    const void *ctx;
    FdSpan root[FD_MAX_RANK]; /* the ranges of the root's variables */
    At *at;
    VEC(FdRange) bound;  /* of variables */
    VEC(FdSpans) limits; /* of nodes that conditions speak of */
    uint32_t place, newest;
    int steps;
};

static At *at(FdiValues *w, const FdNode *n)
{
    return &w->at[n->id];
}

static bool is_integer(const FdNode *n)
{
    return fd_type_is_scalar(n->type) && scalar_is_integer(n->type->scalar);
}

static FdRange anything(const FdNode *n)
{
    return fd_range(fd_spans_of(fd_type_is_scalar(n->type) ? n->type->scalar : SC_LONG));
}

static bool is_same(const FdSpans *a, const FdSpans *b)
{
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++)
        same = a->span[i].lo == b->span[i].lo && a->span[i].hi == b->span[i].hi;
    return same;
}

FdiValues *fdi_values_new(const FdGraph *g, size_t n, const FdEnv *env, FdValuesOf *values,
                          const void *ctx)
{
    FdiValues *w = mem_alloc(sizeof *w);
    w->graph = g;
    w->env = env;
    w->values = values;
    w->ctx = ctx;
    w->place = w->newest = 1;
    w->at = mem_alloc(n * sizeof *w->at);
    return w;
}

void fdi_values_free(FdiValues *w)
{
    mem_free(w->at);
    vec_free(&w->bound);
    vec_free(&w->limits);
    mem_free(w);
}

uint32_t fdi_values_place(const FdiValues *w)
{
    return w->place;
}

bool fdi_values_step(FdiValues *w)
{
    return w->steps <= MOST_STEPS && ++w->steps <= MOST_STEPS;
}

/* ---- binders ----------------------------------------------------------------------------------- */

FdiScope fdi_values_hide(FdiValues *w, const FdNode *n)
{
    FdiScope s = {.outer = w->place, .len = w->bound.len};
    for (int i = 0; i < n->nvars; i++) {
        s.hidden[i] = at(w, n->vars[i])->bound;
        at(w, n->vars[i])->bound = 0;
    }
    w->place = ++w->newest;
    return s;
}

static FdSpans range_of(FdiValues *w, const FdNode *v, const FdDom *d)
{
    FdSpans all = fd_spans_of(v->type->scalar);
    if (d->kind == FD_DOM_FULL || !d->lo) return all;
    FdRange lo = fdi_value(w, d->lo), hi = fdi_value(w, d->hi);
    FdSpan first = fd_spans_hull(&lo.is), last = fd_spans_hull(&hi.is);
    if (last.hi == INT64_MIN) return (FdSpans){0};
    FdSpans range = fd_spans(first.lo, last.hi - 1);
    return fd_spans_meet(&range, &all);
}

FdiScope fdi_values_enter(FdiValues *w, const FdNode *n, const FdNode *const *args)
{
    FdRange given[FD_MAX_RANK];
    for (int i = 0; args && i < n->nvars; i++) given[i] = fdi_value(w, args[i]);
    FdiScope s = fdi_values_hide(w, n);
    for (int i = 0; i < n->nvars; i++) {
        if (!is_integer(n->vars[i])) continue;
        FdSpans range = range_of(w, n->vars[i], &n->doms[i]);
        FdRange v = args ? given[i] : fd_range(range);
        v.is = fd_spans_meet(&v.is, &range);
        s.empty |= v.is.n == 0;
        vec_push(&w->bound, v);
        at(w, n->vars[i])->bound = w->bound.len;
    }
    return s;
}

FdiScope fdi_values_enter_box(FdiValues *w, const FdNode *n, const FdBox *box)
{
    FdiScope s = fdi_values_enter(w, n, NULL);
    for (int d = 0; d < n->nvars && box; d++) {
        size_t bound = at(w, n->vars[d])->bound;
        if (!bound || box->dim[d].full) continue;
        FdSpans part = fd_spans(box->dim[d].lo, box->dim[d].hi - 1),
                is = fd_spans_meet(&w->bound.data[bound - 1].is, &part);
        w->bound.data[bound - 1] = fd_range(is);
        s.empty |= is.n == 0;
    }
    return s;
}

FdiScope fdi_values_enter_root(FdiValues *w, const FdNode *root, const FdBox *box)
{
    FdiScope s = fdi_values_enter_box(w, root, box);
    for (int d = 0; d < root->nvars; d++) {
        size_t bound = at(w, root->vars[d])->bound;
        if (!bound) continue;
        FdSpans is = w->bound.data[bound - 1].is;
        w->bound.data[bound - 1] = (FdRange){is, 1 + (uint32_t)d, 0, 0};
        w->root[d] = fd_spans_hull(&is);
    }
    return s;
}

FdiScope fdi_values_enter_part(FdiValues *w, const FdNode *binder, int var, int64_t from,
                               int64_t to)
{
    FdiScope s = fdi_values_enter(w, binder, NULL);
    size_t bound = var < binder->nvars ? at(w, binder->vars[var])->bound : 0;
    if (!bound) return s;
    FdSpans part = fd_spans(from, to), is = fd_spans_meet(&w->bound.data[bound - 1].is, &part);
    w->bound.data[bound - 1] = fd_range(is);
    s.empty |= is.n == 0;
    return s;
}

void fdi_values_leave(FdiValues *w, const FdNode *n, const FdiScope *s)
{
    for (int i = 0; i < n->nvars; i++) at(w, n->vars[i])->bound = s->hidden[i];
    w->bound.len = s->len;
    w->place = s->outer;
}

/* ---- what conditions say ------------------------------------------------------------------------ */

static void narrow(FdiValues *w, FdiAssumed *a, const FdNode *n, const FdSpans *to)
{
    if (a->n == FDI_ASSUMED || w->steps > MOST_ASSUMING) return;
    FdRange now = fdi_value(w, n);
    FdSpans both = fd_spans_meet(&now.is, to);
    if (is_same(&both, &now.is)) return;
    a->was[a->n].node = n;
    a->was[a->n++].limit = at(w, n)->limit;
    vec_push(&w->limits, both);
    at(w, n)->limit = w->limits.len;
    w->place = ++w->newest;
}

void fdi_values_forget(FdiValues *w, const FdiAssumed *a)
{
    for (int i = a->n; i-- > 0;) at(w, a->was[i].node)->limit = a->was[i].limit;
    w->limits.len = a->len;
    w->place = a->outer;
}

/* The least value of a form but for one of its terms; false: not known. */
static bool least_without(FdiValues *w, const FdAffine *f, int term, int64_t *out)
{
    *out = f->constant;
    for (int i = 0; i < f->nterms; i++) {
        int64_t by;
        if (i == term) continue;
        if (!is_integer(f->terms[i].atom)) return false;
        FdRange v = fdi_value(w, f->terms[i].atom);
        FdSpan is = fd_spans_hull(&v.is);
        if (!v.is.n ||
            __builtin_mul_overflow(f->terms[i].factor > 0 ? is.lo : is.hi, f->terms[i].factor,
                                   &by) ||
            __builtin_add_overflow(*out, by, out))
            return false;
    }
    return true;
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The form is at most 0: so each of its terms is at most what the others leave. */
static void assume_form(FdiValues *w, FdiAssumed *a, const FdAffine *f)
{
    for (int i = 0; i < f->nterms; i++) {
        int64_t rest, factor = f->terms[i].factor;
        if (!is_integer(f->terms[i].atom) || !least_without(w, f, i, &rest) || rest <= -INT64_MAX)
            continue;
        FdSpans to = factor > 0 ? fd_spans(INT64_MIN, floor_quotient(-rest, factor))
                                : fd_spans(-floor_quotient(-rest, -factor), INT64_MAX);
        narrow(w, a, f->terms[i].atom, &to);
    }
}

/* x + more is at most y, as wholes: y - e(q) may have ends that neither y nor e(q) has. */
static void assume_ends(FdiValues *w, FdiAssumed *a, const FdNode *x, const FdNode *y, int64_t more)
{
    FdRange first = fdi_value(w, x), second = fdi_value(w, y);
    if (!first.is.n || !second.is.n) return;
    int64_t hi = fd_spans_hull(&second.is).hi, lo = fd_spans_hull(&first.is).lo;
    FdSpans below = fd_spans(INT64_MIN, hi > INT64_MIN ? hi - more : hi),
            above = fd_spans(lo < INT64_MAX ? lo + more : lo, INT64_MAX);
    narrow(w, a, x, &below);
    narrow(w, a, y, &above);
}

/* x - y + more is at most 0. */
static void assume_difference(FdiValues *w, FdiAssumed *a, const FdNode *x, const FdNode *y,
                              int64_t more)
{
    FdAffine f;
    bool is = fd_affine(x, &f) && fd_affine_add(&f, y, -1) &&
              !__builtin_add_overflow(f.constant, more, &f.constant);
    if (is) assume_form(w, a, &f);
    assume_ends(w, a, x, y, more);
}

/* x is not the one value that y has. */
static void assume_differs(FdiValues *w, FdiAssumed *a, const FdNode *x, const FdNode *y)
{
    FdRange v = fdi_value(w, y);
    FdSpan is = fd_spans_hull(&v.is);
    if (is.lo != is.hi || is.lo == INT64_MIN || is.lo == INT64_MAX) return;
    FdSpans below = fd_spans(INT64_MIN, is.lo - 1), above = fd_spans(is.lo + 1, INT64_MAX),
            other = fd_spans_join(&below, &above);
    narrow(w, a, x, &other);
}

static void assume_compared(FdiValues *w, FdiAssumed *a, FdOp op, const FdNode *x, const FdNode *y)
{
    if (!is_integer(x) || x->type->scalar == SC_ULONG) return;
    if (op == FD_OP_LT || op == FD_OP_LE) assume_difference(w, a, x, y, op == FD_OP_LT);
    if (op == FD_OP_GT || op == FD_OP_GE) assume_difference(w, a, y, x, op == FD_OP_GT);
    if (op == FD_OP_NE) {
        assume_differs(w, a, x, y);
        assume_differs(w, a, y, x);
    }
    if (op == FD_OP_EQ) {
        assume_difference(w, a, x, y, 0);
        assume_difference(w, a, y, x, 0);
    }
}

int fdi_decided(FdiValues *w, const FdNode *cond)
{
    if (cond->kind == FD_SCALAR && cond->leaf == FD_LEAF_CONST) return cond->value.i != 0;
    if (cond->kind != FD_APPLY || !fdi_values_step(w)) return -1;
    FdOp op = fd_op_of(cond);
    if (op == FD_OP_LNOT) {
        int is = fdi_decided(w, cond->args[0]);
        return is < 0 ? is : !is;
    }
    if (op == FD_OP_LAND || op == FD_OP_LOR) {
        int x = fdi_decided(w, cond->args[0]), y = fdi_decided(w, cond->args[1]),
            ends = op == FD_OP_LOR;
        if (x == ends || y == ends) return ends;
        return x < 0 || y < 0 ? -1 : !ends;
    }
    if (!fd_op_compares(op) || !is_integer(cond->args[0])) return -1;
    if (cond->args[0]->type->scalar == SC_ULONG) return -1;
    FdRange x = fdi_value(w, cond->args[0]), y = fdi_value(w, cond->args[1]);
    return fd_spans_compare(op, &x.is, &y.is);
}

static void assume(FdiValues *w, FdiAssumed *a, const FdNode *cond, bool truth)
{
    if (cond->kind != FD_APPLY || !fdi_values_step(w)) return;
    FdOp op = fd_op_of(cond);
    if (op == FD_OP_LNOT) {
        assume(w, a, cond->args[0], !truth);
    } else if (op == (truth ? FD_OP_LAND : FD_OP_LOR)) {
        assume(w, a, cond->args[0], truth);
        assume(w, a, cond->args[1], truth);
    } else if (fd_op_compares(op)) {
        assume_compared(w, a, truth ? op : fd_op_negated(op), cond->args[0], cond->args[1]);
    }
}

FdiAssumed fdi_values_assume(FdiValues *w, const FdNode *cond, bool truth)
{
    FdiAssumed a = {.outer = w->place, .len = w->limits.len};
    assume(w, &a, cond, truth);
    return a;
}

/* ---- values ------------------------------------------------------------------------------------ */

static FdRange chosen(FdiValues *w, const FdNode *n)
{
    int is = fdi_decided(w, n->args[0]);
    if (is >= 0) return fdi_value(w, n->args[is ? 1 : 2]);
    FdiAssumed yes = fdi_values_assume(w, n->args[0], true);
    FdRange a = fdi_value(w, n->args[1]);
    fdi_values_forget(w, &yes);
    FdiAssumed no = fdi_values_assume(w, n->args[0], false);
    FdRange b = fdi_value(w, n->args[2]);
    fdi_values_forget(w, &no);
    return fd_range_join(&a, &b);
}

static FdRange operated(FdiValues *w, const FdNode *n, FdOp op)
{
    ScalarKind k = n->type->scalar;
    FdRange a = fdi_value(w, n->args[0]), b = n->nargs > 1 ? fdi_value(w, n->args[1]) : a;
    FdRange v = fd_range_op(op, k, &a, &b, w->root);
    if (!fd_spans_bounded(&v.is, k)) return fd_range(v.is);
    return op == FD_OP_GIVEN || (op == FD_OP_REM && is_same(&a.is, &v.is)) ? a : v;
}

static FdRange converted(FdiValues *w, const FdNode *n)
{
    if (!is_integer(n->args[0]) || n->args[0]->type->scalar == SC_ULONG) return anything(n);
    FdRange v = fdi_value(w, n->args[0]);
    FdSpans is = fd_spans_convert(&v.is, n->type->scalar);
    return is_same(&is, &v.is) ? v : fd_range(is);
}

bool fdi_extent(const FdRange *v, int64_t *lo, int64_t *hi)
{
    FdSpan is = fd_spans_hull(&v->is);
    *lo = is.lo;
    *hi = is.hi + 1;
    return is.lo >= -long_extent && is.hi <= long_extent;
}

/* An element of an array of integers. */
static FdRange element(FdiValues *w, const FdNode *n)
{
    FdBox box = {.rank = n->nargs};
    FdRange v = anything(n);
    bool slot = n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_SLOT;
    if (!w->values || !slot || n->nargs > FD_MAX_RANK) return v;
    for (int d = 0; d < n->nargs; d++) {
        FdRange index = fdi_value(w, n->args[d]);
        box.dim[d].full = !fdi_extent(&index, &box.dim[d].lo, &box.dim[d].hi);
    }
    return w->values(w->ctx, n->fn->slot, &box, &v.is) ? v : anything(n);
}

static FdRange applied(FdiValues *w, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        int64_t is;
        bool known = fd_eval_bound(n, w->env, &is) == FD_BOUND_OK;
        return known ? fd_range(fd_spans(is, is)) : anything(n);
    }
    if (op == FD_OP_SELECT) return chosen(w, n);
    if (op == FD_OP_CONVERT) return converted(w, n);
    if (op != FD_OP_NONE) return is_integer(n->args[0]) ? operated(w, n, op) : anything(n);
    if (n->fn->kind != FD_LET || n->fn->self) return element(w, n);
    FdiScope s = fdi_values_enter(w, n->fn, n->args);
    FdRange v = fdi_value(w, n->fn->body);
    fdi_values_leave(w, n->fn, &s);
    return v;
}

/* A scalar slot: of one that moves from turn to turn any of its values. */
static FdRange given(const FdiValues *w, const FdNode *n)
{
    const FdBox all = {.rank = 1, .dim = {{.full = true}}};
    FdRange v = anything(n);
    for (int i = 0; i < w->graph->nmoving; i++) {
        const FdMoving *m = &w->graph->moving[i];
        if (m->slot != n) continue;
        return w->values && w->values(w->ctx, m->values->slot, &all, &v.is) ? v : anything(n);
    }
    return w->env->scalars
               ? fd_range(fd_spans(w->env->scalars[n->slot].i, w->env->scalars[n->slot].i))
               : v;
}

static FdRange fresh_value(FdiValues *w, const FdNode *n)
{
    size_t bound = at(w, n)->bound;
    if (n->kind == FD_VAR) return bound ? w->bound.data[bound - 1] : anything(n);
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_CONST)
        return fd_range(fd_spans(n->value.i, n->value.i));
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT) return given(w, n);
    if (n->kind != FD_APPLY || !fdi_values_step(w)) return anything(n);
    return applied(w, n);
}

FdRange fdi_value(FdiValues *w, const FdNode *n)
{
    if (!is_integer(n)) return anything(n);
    At *k = at(w, n);
    if (k->valued == w->place) return k->value;
    uint32_t scope = w->place;
    FdRange v = fresh_value(w, n);
    if (k->limit) v.is = fd_spans_meet(&v.is, &w->limits.data[k->limit - 1]);
    k->valued = scope;
    k->value = v;
    return v;
}
