/* Which loops go on as they began? Arrays that are evaluated are kept in order. If the last few of them are what as
 * many before them were, of arrays one turn older, the loop is one of turns: the runtime holds such back and takes
 * many at a time by one text (fdag/fdag.h, FdGraph.turns). That is three turns, the last of which is made up here:
 *
 *   u1 = step(u0); u2 = step(u1);    so    step(step(step(u0))), of which the second step stands for any number
 *
 * Where a step reads what was two steps before (a wave), two of them are a turn.
 *
 * What looks like one scalar in both turns is taken for the same in all, what does not for one that moves.
 *
 * A scalar that reads the last array is made with it by one evaluation, once the runtime sees that each turn asks
 * for it. */
#include "turns.h"

enum {
    MOST_PERIOD = 24, /* arrays of a turn */
    MOST_MOVING = 8,  /* scalars */
    MOST_BELOW = 64   /* lazy values below one */
};

typedef struct Pair { /* a lazy value of the last turn and the one made up in its place */
    const Value *of;
    Value *made;
} Pair;

typedef struct Scalar { /* that a slot of a graph had last */
    const FdGraph *graph;
    int slot;
    const Value *value;
    uint32_t visit, index;
} Scalar;

typedef struct Moving { /* a scalar of the last turn that is another one in each */
    const void *captures;
    int slot;
} Moving;

typedef struct Turns {
    Foresee *f;
    Value *const
        *last; /* arrays' values of the last turn; those of the turn before stand before it */
    int period;
    bool whole; /* they are a turn of the loop as it is written: from its beginning on */
    int nbelow;
    bool carried[MOST_PERIOD];      /* of the turn before: it is read */
    bool read[MOST_PERIOD];         /* by its own turn */
    Value *results[MOST_PERIOD];    /* of the turn that is made up */
    const Value *kept[MOST_PERIOD]; /* while several are composed: results */
    int nkept;
    VEC(Pair) made;
    VEC(Scalar) scalars;
    VEC(Moving) moving;
    VEC(int) graphs; /* of the program */
} Turns;

/* The number of an array among those of the last turn or (negative) the turn before; period: none. */
static int number_of_array(const Turns *t, const Value *array)
{
    for (int i = -t->period; i < t->period; i++)
        if (t->last[i]->result == array) return i;
    return t->period;
}

static bool same_scalar(const Value *a, const Value *b)
{
    if (!number_is(a) || !number_is(b)) return a == b;
    return a->number.atom == b->number.atom && a->number.offset == b->number.offset;
}

/* Is `a` what b is, one turn later? */
static bool is_turn_of(Turns *t, const Value *a, const Value *b)
{
    bool same = a->graph == b->graph && ++t->nbelow <= MOST_BELOW;
    for (int i = 0; i < a->graph->nslots && same; i++) {
        const Value *x = known_seen(a->captures[i]), *y = known_seen(b->captures[i]);
        if (x->kind != y->kind && x->kind != VAL_ARRAY) return false;
        if (x->kind == VAL_OTHER) {
            const Moving m = {a->captures, i};
            if (!same_scalar(x, y)) vec_push(&t->moving, m);
        } else if (x->kind == VAL_LAZY) {
            same = is_turn_of(t, x, y);
        } else if (x->kind == VAL_ARRAY) {
            int k = number_of_array(t, x);
            if (k < t->period) *(k < 0 ? &t->carried[k + t->period] : &t->read[k]) = true;
            same = k < 0           ? y->kind == VAL_ARRAY
                   : k < t->period ? number_of_array(t, y) == k - t->period
                                   : x == y;
        } else {
            return false;
        }
    }
    return same;
}

static bool are_turns(Turns *t)
{
    bool turns = true, carried = false;
    for (int i = 0; i < t->period && turns; i++) {
        const Value *v = t->last[i], *before = t->last[i - t->period];
        t->nbelow = 0;
        turns =
            v->result && before->result && is_turn_of(t, v, before); /* sessions take some back */
    }
    for (int i = 0; i < t->period; i++) carried = carried || t->carried[i];
    return turns && carried && t->moving.len <= MOST_MOVING;
}

/* ---- one turn more ----------------------------------------------------------------------------- */

static bool moves(void *turns, const void *captures, int slot)
{
    const Turns *t = turns;
    for (size_t i = 0; i < t->moving.len; i++)
        if (t->moving.data[i].captures == captures && t->moving.data[i].slot == slot) return true;
    return false;
}

static Value *one_later(Turns *t, Value *v);

static Value *later_capture(Turns *t, Value *c)
{
    Value *v = known_seen(c);
    if (v->kind == VAL_LAZY) return one_later(t, v);
    int k = v->kind == VAL_ARRAY ? number_of_array(t, v) : t->period;
    return k == t->period ? v : k < 0 ? t->last[k + t->period]->result : t->results[k];
}

/* One that is another in each turn. */
static Value *later_scalar(Turns *t, const Value *v)
{
    return number_is(v) ? number_new(t->f) : arena_copy(t->f->arena, v, sizeof *v);
}

/* v of arrays that are one turn younger. */
static Value *one_later(Turns *t, Value *v)
{
    for (size_t i = 0; i < t->made.len; i++)
        if (t->made.data[i].of == v) return t->made.data[i].made;
    Value *made = arena_copy(t->f->arena, v, sizeof *v);
    made->result = NULL;
    made->visit = 0;
    made->captures = arena_array(t->f->arena, Value *, v->graph->nslots + 1);
    for (int i = 0; i < v->graph->nslots; i++)
        made->captures[i] = moves(t, v->captures, i) ? later_scalar(t, v->captures[i])
                                                     : later_capture(t, v->captures[i]);
    Pair p = {v, made};
    vec_push(&t->made, p);
    return made;
}

/* ---- composing ---------------------------------------------------------------------------------- */

static bool is_kept(const Turns *t, const Value *v)
{
    for (int i = 0; i < t->nkept; i++)
        if (t->kept[i] == v) return true;
    return false;
}

static FdCapture look(void *ctx, const void *captures, int slot)
{
    Value *v = known_seen(((Value *const *)captures)[slot]);
    Value *of = v->kind == VAL_ARRAY ? v->through : v->kind == VAL_LAZY ? v : NULL;
    if (of)
        return (FdCapture){.kind = FD_CAPTURE_GRAPH,
                           .object = of,
                           .visit = &of->visit,
                           .index = &of->index,
                           .graph = of->graph,
                           .captures = of->captures,
                           .kept = is_kept(ctx, of),
                           .array = v->kind == VAL_ARRAY};
    return (FdCapture){.kind = v->kind == VAL_ARRAY ? FD_CAPTURE_ARRAY : FD_CAPTURE_UNKNOWN,
                       .object = v,
                       .visit = &v->visit,
                       .index = &v->index};
}

/* A scalar is the slot that it was in the turn before, as in the runtime's compositions. */
static FdCapture scalar(void *ctx, const FdGraph *g, const void *captures, int slot)
{
    Turns *t = ctx;
    const Value *v = ((Value *const *)captures)[slot];
    size_t i = 0;
    while (i < t->scalars.len && (t->scalars.data[i].graph != g || t->scalars.data[i].slot != slot))
        i++;
    if (i == t->scalars.len) {
        Scalar made = {.graph = g, .slot = slot, .value = v};
        vec_push(&t->scalars, made);
    }
    Scalar *s = &t->scalars.data[i];
    if (!same_scalar(s->value, v)) s->visit = 0;
    s->value = v;
    return (FdCapture){.kind = FD_CAPTURE_SCALAR, .visit = &s->visit, .index = &s->index};
}

/* Arrays of the last turn, or of all three, are composed, not read. */
static void go_through(Turns *t, bool last, bool all)
{
    for (int i = 0; i < t->period; i++) {
        Value *before = t->last[i - t->period], *v = t->last[i];
        before->result->through = all ? before : NULL;
        v->result->through = last ? v : NULL;
        t->results[i]->through = all ? one_later(t, v) : NULL;
    }
}

/* The program's graphs that v is made of. */
static void add_graphs(Turns *t, const Value *v)
{
    const SemaResult *r = t->f->r;
    for (int i = 0; i < r->ngraphs; i++)
        if (r->graphs[i].graph == v->graph) vec_push(&t->graphs, i);
    for (int i = 0; i < v->graph->nslots; i++) {
        const Value *c = known_seen(v->captures[i]);
        if (c->kind == VAL_LAZY) add_graphs(t, c);
    }
}

static bool same_key(FdKey a, FdKey b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static bool is_noted(const Foresee *f, const KnownTurns *made)
{
    for (size_t i = 0; i < f->turns.len; i++) {
        const KnownTurns *t = &f->turns.data[i];
        const bool same = t->turns.n == made->turns.n && t->turns.last == made->turns.last;
        if (same_key(t->key, made->key) && same &&
            (!t->turns.n || t->turns.graphs[0] == made->turns.graphs[0]))
            return true;
    }
    return false;
}

/* An evaluation of `root` through arrays, behind all others; looked: NULL, or a value that waits for it. */
static void add(Turns *t, const FdComposing *how, const Value *root, const Value *looked, Loc loc)
{
    Foresee *f = t->f;
    KnownTurns made = {.period = t->period,
                       .loops = f->loops,
                       .evaluation.loc = loc,
                       .evaluation.graph = arena_new_of(fd_arena(f->fd), FdGraph),
                       .turns = {.period = t->period, .whole = t->period, .last = -1}};
    if (!fd_compose(f->fd, how, root->graph, fd_root(root->graph), root->captures,
                    made.evaluation.graph, &made.key, NULL))
        return;
    t->graphs.len = 0;
    for (int i = 0; i < t->period && how->turns; i++) {
        made.turns.whole -= t->last[i]->put;
        add_graphs(t, t->last[i]);
        if (t->last[i]->with) vec_push(&t->graphs, (int)(t->last[i]->with - f->r->graphs));
    }
    if (looked) add_graphs(t, looked);
    for (int i = 0; i < f->r->ngraphs && t->period && t->whole; i++)
        if (f->r->graphs[i].graph == t->last[t->period - 1]->of) made.turns.last = i;
    made.turns.n = (int)t->graphs.len;
    made.turns.graphs =
        arena_copy(f->arena, t->graphs.data, t->graphs.len * sizeof *t->graphs.data);
    if (!is_noted(f, &made)) vec_push(&f->turns, made);
}

/* What the next turn reads somebody refers to, and what no turn reads. Results of one evaluation: one value, or
 * those of a graph of several. */
static const Value *root_of(Turns *t, bool later)
{
    Value *values[MOST_PERIOD];
    const FdType *types[MOST_PERIOD];
    int n = 0;
    for (int i = 0; i < t->period; i++) {
        if (!t->carried[i] && t->read[i]) continue;
        values[n] = later ? one_later(t, t->last[i]) : t->last[i];
        types[n] = fd_root(values[n]->graph)->type;
        n++;
    }
    t->nkept = 0;
    if (n == 1) return values[0];
    for (int i = 0; i < n; i++) t->kept[t->nkept++] = values[i];
    Value *all = arena_new_of(t->f->arena, Value);
    *all = (Value){.kind = VAL_LAZY, .graph = fd_arrays(t->f->fd, n, types)};
    all->captures = arena_copy(t->f->arena, values, (size_t)n * sizeof *values);
    return all;
}

/* Three turns, and one by itself for what is left of the others. */
static void compose_turns(Turns *t, Loc loc)
{
    for (int i = 0; i < t->period; i++) {
        t->results[i] = known_array(t->f);
        one_later(t, t->last[i]);
    }
    FdComposing three = {.ctx = t,
                         .visit = ++t->f->visit,
                         .look = look,
                         .scalar = scalar,
                         .steps = true,
                         .turns = true,
                         .moves = moves};
    go_through(t, true, true);
    add(t, &three, root_of(t, true), NULL, loc);
    FdComposing one = {.ctx = t, .visit = ++t->f->visit, .look = look};
    go_through(t, true, false);
    if (t->period > 1) add(t, &one, root_of(t, false), NULL, loc);
    go_through(t, false, false);
    for (int i = 0; i < t->period; i++)
        if (t->last[i]->put) known_evaluated(t->f, t->last[i], NULL, loc);
}

/* ---- what is evaluated ---------------------------------------------------------------------------- */

/* Are the last arrays two turns of so many each? */
static bool ends_turns(Foresee *f, int period, Loc loc)
{
    const size_t n = f->arrays.len, both = (size_t)period * 2;
    if (period > MOST_PERIOD || both > n) return false;
    Turns t = {.f = f, .last = f->arrays.data + n - period, .period = period};
    t.whole = f->turn + (size_t)period == n;
    bool turns = are_turns(&t);
    if (turns) compose_turns(&t, loc);
    vec_free(&t.made);
    vec_free(&t.scalars);
    vec_free(&t.moving);
    vec_free(&t.graphs);
    return turns;
}

/* What looked like turns of the innermost loop, of so many each, are none. Loops inside it have turns of their own. */
static void drop(Foresee *f, int period)
{
    size_t kept = f->begun;
    for (size_t i = f->begun; i < f->turns.len; i++) {
        const KnownTurns turns = f->turns.data[i];
        if (turns.period != period || turns.loops != f->loops) f->turns.data[kept++] = turns;
    }
    f->turns.len = kept;
}

void turns_evaluated(Foresee *f, Value *v, Loc loc)
{
    size_t n = f->arrays.len;
    v->with = f->with;
    vec_push(&f->arrays, v);
    size_t period = 1;
    while (period <= n && f->arrays.data[n - period]->graph != v->graph) period++;
    f->older = false;
    if (period > n || ends_turns(f, (int)period, loc)) return;
    const size_t all = 4 * period; /* arrays of two turns, of twice as many each */
    drop(f, (int)period);
    size_t found = f->turns.len;
    bool turns = ends_turns(f, 2 * (int)period, loc),
         long_enough = n + 1 >= all && f->arrays.data[n + 1 - all]->graph ==
                                           f->arrays.data[n + 1 - all + period]->graph;
    f->older = turns ? f->turns.len > found
                     : !long_enough; /* the first ones may read the same array twice */
}

/* Does v read the array, through what it is made of? */
static bool reads(const Value *v, const Value *array, int *most)
{
    for (int i = 0; v->kind == VAL_LAZY && i < v->graph->nslots && --*most > 0; i++) {
        const Value *c = known_seen(v->captures[i]);
        if (c == array || reads(c, array, most)) return true;
    }
    return false;
}

void turns_looked_at(Foresee *f, Value *v, Loc loc)
{
    Value *last = f->loops && f->arrays.len ? vec_last(&f->arrays) : NULL;
    int most = MOST_BELOW;
    if (!last || !last->result || !reads(v, last->result, &most)) return;
    Turns t = {.f = f, .kept = {last}, .nkept = 1};
    FdComposing both = {.ctx = &t, .visit = ++f->visit, .look = look};
    last->result->through = last;
    add(&t, &both, v, last, loc);
    last->result->through = NULL;
}

/* Is there an earlier one of the same graph? */
static bool is_another(const Foresee *f, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_key(f->turns.data[i].key, f->turns.data[at].key)) return true;
    return false;
}

void turns_found(Foresee *f)
{
    for (size_t i = 0; i < f->turns.len; i++) {
        SemaEvaluation e = f->turns.data[i].evaluation;
        SemaTurns *loops = arena_array(f->arena, SemaTurns, f->turns.len - i);
        if (is_another(f, i)) continue;
        for (size_t k = i; k < f->turns.len; k++) {
            const KnownTurns *t = &f->turns.data[k];
            if (t->turns.n && same_key(t->key, f->turns.data[i].key)) loops[e.nloops++] = t->turns;
        }
        e.loops = loops;
        vec_push(&f->found, e);
    }
}

void turns_end(Foresee *f)
{
    f->arrays.len = 0;
}
