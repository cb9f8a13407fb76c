/* Can reads fall outside? The least and greatest value of each index, as a condition over the
 * numbers of a run (see docs/kernels.md). */
#include "../../../fdag/index/facts/facts.h"
#include "../../../fdag/index/flat.h"
#include "analysis.h"

typedef struct Scope { /* binders around a node */
    const struct Scope *up;
    int nvars;
    const FdNode *const *vars;
    const FdDom *doms;
} Scope;

/* A condition that has this value around a node. */
typedef struct Guard {
    const struct Guard *up;
    const FdNode *cond;
    bool truth;
} Guard;

/* Where an index stands: what is asked of it. */
typedef struct Place {
    Unit *u;
    const Scope *scope;
} Place;

static const FdDom *range_of(const void *ctx, const FdNode *v)
{
    const Place *p = ctx;
    for (const Scope *s = p->scope; s; s = s->up)
        for (int i = 0; i < s->nvars; i++)
            if (s->vars[i] == v) return &s->doms[i];
    return NULL;
}

/* Numbers of the run, no elements of arrays and no temporaries. */
static bool is_known(const void *ctx, const FdNode *n)
{
    return num_of(((const Place *)ctx)->u, n) != NULL;
}

/* What a walk over a definition finds. */
typedef struct Walk {
    Unit *u;
    FdSeen
        seen[2]; /* what was met outside branches, and in them, where nothing more can be found */
    DefFacts *facts; /* to list the reads in; NULL: it does not */
    VEC(struct PlanSuspect) suspects;
    Num *any;           /* nonzero: some read falls outside */
    bool guards;        /* what guards say counts (plan_fails).. */
    const Guard *guard; /* ..these, where ranges cannot have it */
    int fuel; /* nodes that are still looked at then: below different guards a node is another */
} Walk;

static void add(Walk *w, Num *condition)
{
    w->any = num_op(w->u, FD_OP_LOR, w->any, condition);
}

/* The index, or as a long, which loses nothing. */
static bool is_index(const FdNode *n, const FdNode *index)
{
    bool widened = n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT &&
                   result_kind(n) == SC_LONG && result_kind(index) == SC_INT;
    return n == index || (widened && n->args[0] == index);
}

typedef struct Ends {
    Num *lo, *hi; /* NULL: not known */
} Ends;

static void begins(Unit *u, Ends *e, Num *lo)
{
    e->lo = e->lo ? num_op(u, FD_OP_MAX, e->lo, lo) : lo;
}

static void ends(Unit *u, Ends *e, Num *hi)
{
    e->hi = e->hi ? num_op(u, FD_OP_MIN, e->hi, hi) : hi;
}

/* What a guard says of an index as a whole: y - e(q) >= 0 && y - e(q) < n. */
static void narrow(Unit *u, const FdNode *cond, bool truth, const FdNode *index, Ends *e)
{
    FdOp op = cond->kind == FD_APPLY ? fd_op_of(cond) : FD_OP_NONE;
    if (op == FD_OP_LNOT) {
        narrow(u, cond->args[0], !truth, index, e);
    } else if (op == (truth ? FD_OP_LAND : FD_OP_LOR)) {
        narrow(u, cond->args[0], truth, index, e);
        narrow(u, cond->args[1], truth, index, e);
    } else if (op != FD_OP_NONE && fd_op_compares(op)) {
        bool first = is_index(cond->args[0], index);
        Num *to = first || is_index(cond->args[1], index) ? num_of(u, cond->args[first]) : NULL;
        if (!truth) op = fd_op_negated(op);
        if (!first) op = fd_op_turned(op);
        if (!to) return;
        Num *one = num_int(u, 1);
        if (op == FD_OP_GE || op == FD_OP_EQ) begins(u, e, to);
        if (op == FD_OP_GT) begins(u, e, num_op(u, FD_OP_ADD, to, one));
        if (op == FD_OP_LE || op == FD_OP_EQ) ends(u, e, to);
        if (op == FD_OP_LT) ends(u, e, num_op(u, FD_OP_SUB, to, one));
    }
}

/* The let that a temporary is of, which the read is of; NULL: it is of something else. */
static const FdNode *temporary(const Unit *u, const FdNode *read)
{
    bool is = is_read(read) && read->fn->kind == FD_FUNC && read->fn->slot >= u->ninputs;
    const FdNode *def = is ? u->g->slots[read->fn->slot].def : NULL;
    return def && def->kind == FD_LET && !def->self ? def : NULL;
}

/* Of all values that it has in its scope; of elements: by the values that the host knows. */
static Ends ends_of(Unit *u, const FdNode *index, const Scope *s, bool elements)
{
    const FdNode *def = temporary(u, index);
    Scope own = {NULL, def ? def->nvars : 0, def ? def->vars : NULL, def ? def->doms : NULL};
    if (def && !temporary(u, def->body)) return ends_of(u, def->body, &own, elements);
    if (elements && is_read(index))
        return (Ends){num_elements(u, index, false), num_elements(u, index, true)};
    Place place = {u, s};
    const FdNode *lo = fd_extreme(u->fd, index, false, range_of, &place),
                 *hi = fd_extreme(u->fd, index, true, range_of, &place);
    return (Ends){lo ? num_of(u, lo) : NULL, hi ? num_of(u, hi) : NULL};
}

static Num *is_outside(Unit *u, Ends e, const FdNode *array, int d)
{
    return num_op(u, FD_OP_LOR, num_op(u, FD_OP_LT, e.lo, plan_array_lo(u, array, d)),
                  num_op(u, FD_OP_GE, e.hi, plan_array_hi(u, array, d)));
}

/* Is the index inside of what is as long as csc knows, whatever the elements are that it is made of? */
static bool is_always_inside(Unit *u, const FdNode *read, int d, const Scope *s)
{
    Place place = {u, s};
    const FdNode *lo = fd_extreme_typed(u->fd, read->args[d], false, range_of, &place),
                 *hi = lo ? fd_extreme_typed(u->fd, read->args[d], true, range_of, &place) : NULL;
    Ends e = {lo ? num_of(u, lo) : NULL, hi ? num_of(u, hi) : NULL};
    return e.lo && e.hi && num_is(is_outside(u, e, read->fn, d), 0);
}

/* Of one read; a node that two scopes share uses what both have only. */
static void unsafe_read(Walk *w, const FdNode *n, const Scope *s, bool branch)
{
    Unit *u = w->u;
    Place place = {u, s};
    for (int d = 0; d < n->nargs; d++) {
        const FdNode *index = n->args[d];
        if (fd_is_flat(n->fn, d)) continue;
        bool made = !branch && n->fn->kind == FD_FUNC; /* no branch hides it from inference */
        if (made && fd_index_inferred(index, range_of, is_known, &place)) continue;
        Ends e = ends_of(u, index, s, w->guards);
        for (const Guard *g = w->guard; g; g = g->up) narrow(u, g->cond, g->truth, index, &e);
        Num *outside = num_truth(u, true); /* only the device can tell */
        if (e.lo && e.hi) outside = is_outside(u, e, n->fn, d);
        if (num_is(outside, 0)) continue; /* whatever the numbers */
        if (!(e.lo && e.hi) && is_always_inside(u, n, d, s)) continue;
        if (w->facts) vec_push(&w->suspects, ((struct PlanSuspect){n, d}));
        add(w, outside);
    }
}

static void unsafe_function(Walk *w, const FdNode *n)
{
    if (calls_reader(NULL, n)) add(w, num_truth(w->u, true));
}

static void unsafe_reads(Walk *w, const FdNode *n, const Scope *s, bool branch);

/* Does an int expression wrap somewhere in its scope? */
static Num *wraps(Unit *u, const FdNode *n, const Scope *s)
{
    Place place = {u, s};
    const FdNode *lo = fd_extreme(u->fd, n, false, range_of, &place),
                 *hi = fd_extreme(u->fd, n, true, range_of, &place);
    Num *least = lo ? num_of(u, lo) : NULL, *most = hi ? num_of(u, hi) : NULL;
    if (!least || !most) return num_truth(u, true);
    return num_op(u, FD_OP_LOR, num_op(u, FD_OP_LT, least, num_int(u, INT32_MIN)),
                  num_op(u, FD_OP_GT, most, num_int(u, INT32_MAX)));
}

/* The variables of all scopes, where a condition has this value. */
static Scope where(Unit *u, const FdNode *cond, bool truth, const Scope *s, FdExact *exact)
{
    int n = 0, at = 0;
    for (const Scope *o = s; o; o = o->up) n += o->nvars;
    const FdNode **vars = arena_array(u->arena, const FdNode *, n + 1);
    FdDom *doms = arena_array(u->arena, FdDom, n + 1);
    for (const Scope *o = s; o; o = o->up)
        for (int i = 0; i < o->nvars; i++, at++) vars[at] = o->vars[i], doms[at] = o->doms[i];
    fd_where(u->fd, cond, truth, n, vars, doms, exact);
    return (Scope){NULL, n, vars, doms};
}

/* What a guard guards: its variables are where it holds. */
static void guarded_reads(Walk *w, const FdNode *n, int arg, const Scope *s)
{
    Unit *u = w->u;
    FdExact exact;
    bool truth = fd_op_of(n) == FD_OP_SELECT ? arg == 1 : fd_op_of(n) == FD_OP_LAND;
    Guard guard = {w->guard, n->args[0], truth};
    Walk inner = {.u = u, .any = w->any, .guards = true, .guard = &guard, .fuel = w->fuel};
    Scope here = where(u, n->args[0], truth, s, &exact);
    for (int i = 0; i < exact.n; i++) add(&inner, wraps(u, exact.nodes[i], s));
    unsafe_reads(&inner, n->args[arg], &here, true);
    fd_seen_free(&inner.seen[1]);
    w->any = inner.any;
    w->fuel = inner.fuel;
}

static void unsafe_reads(Walk *w, const FdNode *n, const Scope *s, bool branch)
{
    if (!fd_meet(&w->seen[branch], n)) return;
    if (w->guards && w->fuel-- <= 0) {
        w->any = num_truth(w->u, true);
        return;
    }
    if (n->kind == FD_REDUCE) {
        Scope inner = {s, n->nvars, n->vars, n->doms};
        for (int i = 0; i < n->nvars; i++) {
            if (!n->doms[i].lo) continue; /* infinite: no kernel will be made */
            unsafe_reads(w, n->doms[i].lo, s, branch);
            unsafe_reads(w, n->doms[i].hi, s, branch);
        }
        unsafe_reads(w, n->body, &inner, branch);
        if (n->init) unsafe_reads(w, n->init, s, branch);
        unsafe_function(w, n);
        if (n->fn->kind == FD_LET) {
            Scope lambda = {&inner, n->fn->nvars, n->fn->vars, n->fn->doms};
            unsafe_reads(w, n->fn->body, &lambda, branch);
        }
        return;
    }
    if (n->kind != FD_APPLY) return;
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return;
    unsafe_function(w, n);
    for (int i = 0; i < n->nargs; i++) {
        if (w->guards && fd_is_lazy(n, i))
            guarded_reads(w, n, i, s);
        else
            unsafe_reads(w, n->args[i], s, branch || fd_is_lazy(n, i));
    }
    if (is_read(n)) unsafe_read(w, n, s, branch);
}

static Scope scope_of(Unit *u, const Def *d)
{
    if (!d->slice) return (Scope){NULL, d->nvars, d->vars, d->doms};
    const FdNode **vars = arena_array(u->arena, const FdNode *, d->nvars + 1);
    FdDom *doms = arena_array(u->arena, FdDom, d->nvars + 1);
    vars[0] = d->slice;
    doms[0] = d->slices;
    for (int i = 0; i < d->nvars; i++) vars[i + 1] = d->vars[i], doms[i + 1] = d->doms[i];
    return (Scope){NULL, d->nvars + 1, vars, doms};
}

static Num *outside(Unit *u, const Def *d, Walk w, bool branch)
{
    enum { FUEL = 4000 };
    Scope outer = scope_of(u, d);
    w.u = u;
    w.any = num_truth(u, false);
    w.fuel = FUEL;
    unsafe_reads(&w, d->body, &outer, branch);
    for (int i = 0; i < d->nwithin; i++) {
        const DefWithin *in = &d->within[i];
        Scope inner = {&outer, in->reduce->nvars, in->reduce->vars, in->reduce->doms};
        for (int k = 0; k < in->nexact; k++) add(&w, wraps(u, in->exact[k], &inner));
    }
    fd_seen_free(&w.seen[0]);
    fd_seen_free(&w.seen[1]);
    if (w.facts) w.facts->suspects.n = (int)w.suspects.len;
    if (w.suspects.len)
        w.facts->suspects.reads =
            arena_copy(u->arena, w.suspects.data, w.suspects.len * sizeof *w.suspects.data);
    vec_free(&w.suspects);
    return w.any;
}

Num *def_unsafe(Unit *u, const Def *d)
{
    DefFacts *f = d->facts;
    Num *unsafe = outside(u, d, (Walk){.facts = f->listed ? NULL : f}, false);
    f->listed = true;
    return unsafe;
}

const PlanSuspects *def_suspects(Unit *u, const Def *d)
{
    if (!d->facts->listed) def_unsafe(u, d);
    return &d->facts->suspects;
}

bool def_is_suspect(Unit *u, const Def *d, const FdNode *read)
{
    const PlanSuspects *s = def_suspects(u, d);
    for (int i = 0; i < s->n; i++)
        if (s->reads[i].node == read) return true;
    return false;
}

Num *plan_outside(Unit *u, const Def *d)
{
    return outside(u, d, (Walk){0}, true);
}

Num *plan_fails(Unit *u, const Def *d)
{
    return outside(u, d, (Walk){.guards = true}, false);
}

Num *def_quiet(Unit *u, const Def *d)
{
    DefFacts *f = d->facts;
    bool fails = !f->quiet && (fd_can_fail(d->body) || fd_any(d->body, unit_is_empty, u));
    if (!f->quiet) f->quiet = fails ? num_truth(u, false) : num_not(u, plan_fails(u, d));
    return f->quiet;
}

/* ---- under facts ------------------------------------------------------------------------------- */

/* The reads that a body makes in any case: domain inference has seen these. */
static FdWalk made_reads(const FdNode *body)
{
    FdWalk w = fd_walk(body);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        fd_walk_always(&w, n);
        if (n->kind == FD_REDUCE) fd_walk_add(&w, n->body);
    }
    return w;
}

/* All ranges below a body and around it. */
static void gather_scopes(Unit *u, const FdNode *body, const Scope *outer, Scope *all)
{
    FdWalk w = fd_walk(body);
    *all = *outer;
    for (const FdNode *n; (n = fd_walk_next(&w)); fd_walk_below(&w, n)) {
        if (!n->nvars) continue;
        Scope *up = arena_copy(u->arena, all, sizeof *all);
        *all = (Scope){up, n->nvars, n->vars, n->doms};
    }
    fd_walk_end(&w);
}

PlanSuspects plan_suspects(Unit *u, const Def *d, const FdNode *body, struct FdFacts *f)
{
    PlanSuspects out = {0};
    VEC(struct PlanSuspect) reads = {0};
    FdWalk made = made_reads(d->body), w = fd_walk(body);
    Scope outer = scope_of(u, d), all;
    gather_scopes(u, body, &outer, &all);
    Place place = {u, &all};
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_LOWER || op == FD_OP_UPPER) continue;
        fd_walk_below(&w, n);
        if (n->kind != FD_APPLY) continue;
        out.calls = out.calls || calls_reader(NULL, n);
        bool old = is_read(n) && n->fn->kind == FD_FUNC && !fd_meet(&made.seen, n);
        for (int i = 0; is_read(n) && i < n->nargs; i++) {
            if (old && fd_index_inferred(n->args[i], range_of, is_known, &place)) continue;
            if (fd_is_flat(n->fn, i) || fd_read_shown(f, n, i)) continue;
            vec_push(&reads, ((struct PlanSuspect){n, i}));
        }
    }
    fd_walk_end(&w);
    fd_walk_end(&made);
    out.n = (int)reads.len;
    if (reads.len) out.reads = arena_copy(u->arena, reads.data, reads.len * sizeof *reads.data);
    vec_free(&reads);
    return out;
}
