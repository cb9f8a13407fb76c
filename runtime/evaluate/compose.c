/* Composing (compose.h). A walk over the captures writes the signature and gathers the leaves; the
 * first walk with a signature is followed by one that builds the graph, each lazy value once (both
 * are fdag/composition.c's). A cheap value under two users stays composed in both; an expensive one is
 * evaluated when it would be composed a second time. */
#include "compose.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../fdag/composition.h"
#include "../state.h"
#include "bind/recall.h"
#include "bind/small.h"
#include "closure.h"
#include "steps/hold.h"
#include "steps/join.h"
#include "steps/waiting.h"

enum { BUCKETS = 256, MAX_COMPOSED = 256 };

typedef struct Scalar { /* that a slot of a graph had last */
    const FdGraph *graph;
    int slot;
    int64_t value;
    uint32_t visit, index;
} Scalar;

typedef struct Room { /* of a walk; the next takes the same */
    VEC(uint64_t) words;
    VEC(Scalar) scalars;
    VEC(int) moving; /* of Turning, in the order in which they were met */
} Room;

struct Evals {
    Composed *buckets[BUCKETS];
    int count;
    uint64_t clock;
    Room room;       /* nothing while a walk has it */
    RtLeaves leaves; /* the same of an evaluation */
};

/* How a graph was composed last, if of arrays and scalars alone. */
struct Plain {
    Composed *composed; /* NULL: it is gone */
    const FdNode *root;
    uint32_t *leaf; /* of each slot */
    uint64_t *what; /* each is (array_word) */
};

typedef struct Walk {
    Evaluation *e;
    bool below;             /* a lazy value is among the captures */
    bool again;             /* an evaluation's second walk */
    bool steps;             /* of a loop: FD_HINT_STEPS */
    const Turning *turning; /* NULL: no turns */
    Room room;
} Walk;

/* What a captured function counts as: itself, or what stands for it now. */
static void *seen(const CsValue *capture)
{
    const Closure *c = capture->ref;
    return c->head.kind == CS_CLOSURE && c->view ? (void *)c->view : capture->ref;
}

/* ---- what is evaluated first ----------------------------------------------------------------- */

static Lazy *pending(const Graph *g, int slot, const CsValue *captures)
{
    if (!g->fd->slots[slot].type->result) return NULL;
    void *fn = captures[slot].ref;
    return ((CsHead *)fn)->kind == CS_LAZY && !((Lazy *)fn)->result ? fn : NULL;
}

/* Is an element expensive, now that captures may have been evaluated? */
static bool costly(const Lazy *l)
{
    if (l->graph->expensive) return true;
    for (int i = 0; i < l->graph->fd->nslots; i++) {
        const Lazy *c = pending(l->graph, i, l->captures);
        if (c && c->expensive) return true;
    }
    return false;
}

static bool wants_result(const Lazy *l)
{
    if (l->no_keep || !lazy_finite(l)) return false;
    return l->keep || (l->composed > 0 && l->expensive && costly(l));
}

/* Evaluates what is to be evaluated on its own, innermost first. Not recursive: chains can be long.
 * False, without an exception, if memory is out. */
static bool settle_all(const Graph *g, const CsValue *captures)
{
    typedef struct Step {
        Lazy *lazy;
        const Graph *graph;
        const CsValue *captures;
        int next;
    } Step;
    VEC(Step) stack = {0};
    uint32_t visit = ++rt.visit;
    Step first = {NULL, g, captures, 0};
    bool good = vec_try(&stack);
    if (good) vec_push(&stack, first);
    while (stack.len) {
        Step *s = &vec_last(&stack);
        if (s->next < s->graph->fd->nslots) {
            Lazy *l = pending(s->graph, s->next++, s->captures);
            if (!l || l->visit == visit) continue;
            l->visit = visit;
            Step below = {l, l->graph, l->captures, 0};
            good = vec_try(&stack);
            if (!good) break;
            vec_push(&stack, below);
            continue;
        }
        Lazy *l = s->lazy;
        stack.len--;
        if (!l || l->result || !wants_result(l)) continue;
        /* An error may be one of elements that nobody asks for: then it is composed. (The
         * evaluation's own walks take marks away from what lies below l: that may be looked at
         * again.) */
        if (!eval_lazy(l, l->site)) {
            rt_catch();
            l->no_keep = true;
        }
    }
    vec_free(&stack);
    return good;
}

static bool settle(const Graph *g, const CsValue *captures)
{
    int i = 0;
    while (i < g->fd->nslots && !pending(g, i, captures)) i++;
    return i == g->fd->nslots || settle_all(g, captures);
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* What a captured function is; an array's type is not asked for. */
static FdCapture capture_of(void *ctx, const void *captures, int slot)
{
    (void)ctx;
    void *fn = seen((const CsValue *)captures + slot);
    Array *a = lazy_array(fn);
    struct Held *held = a && a->head.buffer ? a->head.buffer->held : NULL;
    if (held && held->as) held = held->as;
    bool through = held && (held->through || held->view);
    if (a && !through)
        return (FdCapture){.kind = FD_CAPTURE_ARRAY,
                           .object = a,
                           .visit = &a->head.visit,
                           .index = &a->head.index};
    if (through || ((CsHead *)fn)->kind == CS_LAZY) {
        Lazy *l = through ? held->lazy : fn;
        return (FdCapture){.kind = FD_CAPTURE_GRAPH,
                           .object = l,
                           .visit = &l->visit,
                           .index = &l->index,
                           .graph = l->graph->fd,
                           .captures = l->captures,
                           .kept = l->joined,
                           .array = through};
    }
    Closure *k = fn;
    return (FdCapture){.kind = FD_CAPTURE_FUNCTION,
                       .object = k,
                       .visit = &k->visit,
                       .index = &k->index,
                       .type = k->type};
}

/* The number of a scalar of the second turn that is another one in each; -1: it is none. */
static int moving(const Walk *w, const void *captures, int slot)
{
    int n = w->turning ? w->turning->n : 0, i = 0;
    while (i < n &&
           (w->turning->moving[i].captures != captures || w->turning->moving[i].slot != slot))
        i++;
    return i < n ? i : -1;
}

static bool moves(void *ctx, const void *captures, int slot)
{
    return moving(ctx, captures, slot) >= 0;
}

static uint64_t array_word(const Array *a)
{
    return (uint64_t)a->head.elem << 8 | (uint64_t)a->head.rank;
}

/* The word of a capture, and the leaf of one that gets a slot. */
static void meet(void *ctx, const FdCapture *c, const void *captures, int slot, bool again)
{
    Walk *w = ctx;
    RtLeaf leaf = {0};
    Lazy *l = c->object;
    uint64_t what = 0;
    if (c->kind == FD_CAPTURE_SCALAR) {
        int k = moving(w, captures, slot);
        leaf.scalar.i = ((const CsValue *)captures)[slot].i;
        what = (uint64_t)(k + 1);
        if (k >= 0) vec_push(&w->room.moving, k);
    } else if (c->kind == FD_CAPTURE_ARRAY) {
        leaf.array = c->object;
        what = array_word(leaf.array);
    } else if (c->kind == FD_CAPTURE_GRAPH) {
        w->below = true;
        what = l->graph->serial | (uint64_t)c->kept << 32 | (uint64_t)c->array << 33;
        if (!again && !w->again && l->composed < UINT8_MAX) l->composed++;
    } else {
        leaf.closure = c->object;
        what = (uint64_t)(uintptr_t)leaf.closure->type;
        if (!again) w->e->nclosures++;
    }
    if (again) what = (uint64_t)*c->index << 8 | (c->kind == FD_CAPTURE_SCALAR ? what : 0);
    vec_push(&w->room.words, what << 3 | (uint64_t)again << 2 | (uint64_t)c->kind);
    if (!again && c->kind != FD_CAPTURE_GRAPH) vec_push(&w->e->leaves, leaf);
}

/* Steps of a loop that have the same numbers (extents, factors) are alike: these are one slot. */
static FdCapture scalar_of(void *ctx, const FdGraph *g, const void *captures, int slot)
{
    Walk *w = ctx;
    int64_t value = ((const CsValue *)captures)[slot].i;
    size_t i = 0;
    while (i < w->room.scalars.len &&
           (w->room.scalars.data[i].graph != g || w->room.scalars.data[i].slot != slot))
        i++;
    if (i == w->room.scalars.len) {
        Scalar made = {.graph = g, .slot = slot, .value = value};
        vec_push(&w->room.scalars, made);
    }
    Scalar *s = &w->room.scalars.data[i];
    if (s->value != value) s->visit = 0;
    s->value = value;
    return (FdCapture){.kind = FD_CAPTURE_SCALAR, .visit = &s->visit, .index = &s->index};
}

/* The slots behind all others. */
static void add_turning(Walk *w)
{
    const Turning *t = w->turning;
    const RtLeaf turns = {.scalar.i = t->turns};
    vec_push(&w->e->leaves, turns);
    for (size_t i = 0; i < w->room.moving.len; i++) {
        const RtLeaf values = {.array = t->moving[w->room.moving.data[i]].values};
        vec_push(&w->e->leaves, values);
    }
}

static void walk(Walk *w, const Graph *g, const CsValue *captures)
{
    FdComposing c = {.ctx = w, .visit = ++rt.visit, .look = capture_of, .meet = meet};
    if (w->steps) c.scalar = scalar_of;
    fd_compose_walk(&c, g->fd, captures);
}

/* ---- building -------------------------------------------------------------------------------- */

static FdCapture typed_capture_of(void *ctx, const void *captures, int slot)
{
    FdCapture c = capture_of(ctx, captures, slot);
    if (c.kind == FD_CAPTURE_ARRAY) c.type = rt_type_of(c.object);
    return c;
}

static bool has_reals(const FdType *t)
{
    while (t && t->nparams) t = t->result;
    if (!t || !t->record) return t && scalar_is_real(t->scalar);
    for (int i = 0; i < t->nfields; i++)
        if (has_reals(t->fields[i])) return true;
    return false;
}

/* What evaluation asks about a composed graph. */
static void look(Composed *c)
{
    c->cheap = c->exact = true;
    for (int i = 0; i < c->order.nnodes; i++) {
        const FdNode *n = c->order.nodes[i];
        FdOp op = fd_op_of(n);
        if (op != FD_OP_NONE && (fd_op_info(op)->props & FD_EXPENSIVE)) c->cheap = false;
        if (n->user || n->self) c->cheap = false;
        c->recurs = c->recurs || (n->kind == FD_LET && n->self);
        if (has_reals(n->type)) c->exact = false;
        if (n->kind != FD_REDUCE) continue;
        c->cheap = false;
        c->reduces = true;
        if (!fd_has_identity(n)) c->may_be_empty = true;
        for (int d = 0; d < n->nvars; d++)
            if (n->doms[d].kind == FD_DOM_FULL) c->infinite = n;
    }
    const FdOrder *o = &c->order;
    c->asked = arena_array(fd_arena(c->fd), bool, c->graph.nslots);
    for (int k = 0; k < o->nranges; k++)
        graph_range_asks(&o->range_binder[k]->doms[o->range_index[k]], c->asked);
    c->work = c->reduces ? 0 : fd_work(&c->graph, NULL);
    small_look(c);
}

static Composed *make(Walk *w, uint64_t hash, Graph *g, const FdNode *root, const CsValue *captures)
{
    Fd *fd = fd_new();
    Composed *c = arena_new_of(fd_arena(fd), Composed);
    c->fd = fd;
    c->of = g;
    c->hash = hash;
    c->words = arena_copy(fd_arena(c->fd), w->room.words.data,
                          w->room.words.len * sizeof *w->room.words.data);
    c->nwords = w->room.words.len;
    FdComposing composing = {.ctx = w,
                             .visit = ++rt.visit,
                             .look = typed_capture_of,
                             .steps = w->steps,
                             .turns = w->turning != NULL};
    if (w->turning) composing.moves = moves;
    if (w->steps) composing.scalar = scalar_of;
    fd_compose(fd, &composing, g->fd, root, captures, &c->graph, &c->key, &c->order);
    look(c);
    return c;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void forget(Composed *c)
{
    struct Plain *plain = c->of->plain;
    if (plain && plain->composed == c) plain->composed = NULL;
    ref_free(c->ref);
    recall_forget(c->last);
    fd_free(c->fd); /* which holds c */
}

/* Drops the older half of what nobody is evaluating. */
static void shrink(struct Evals *t)
{
    uint64_t limit = t->clock - MAX_COMPOSED / 2;
    for (int i = 0; i < BUCKETS; i++)
        for (Composed **at = &t->buckets[i]; *at;) {
            Composed *c = *at;
            if (c->busy || c->used > limit) {
                at = &c->next;
                continue;
            }
            *at = c->next;
            forget(c);
            t->count--;
        }
}

void evals_free(void)
{
    if (!rt.evals) return;
    for (int i = 0; i < BUCKETS; i++)
        for (Composed *c = rt.evals->buckets[i], *next; c; c = next) {
            next = c->next;
            forget(c);
        }
    vec_free(&rt.evals->room.words);
    vec_free(&rt.evals->room.scalars);
    vec_free(&rt.evals->room.moving);
    vec_free(&rt.evals->leaves);
    mem_object_free(rt.evals);
    rt.evals = NULL;
}

typedef struct Search {
    Walk walk;
    Graph *graph;
    const FdNode *root;
    const CsValue *captures;
} Search;

static Composed *find(const struct Evals *t, uint64_t hash, const Walk *w)
{
    Composed *c = t->buckets[hash % BUCKETS];
    size_t n = w->room.words.len;
    while (c && (c->hash != hash || c->nwords != n ||
                 memcmp(c->words, w->room.words.data, n * sizeof *c->words) != 0))
        c = c->next;
    return c;
}

/* Until a walk gives it back the walk has it, and mem_try frees it if that fails. */
static void take_room(struct Evals *t, Walk *w)
{
    w->room = t->room;
    t->room = (Room){0};
    mem_adopt(w->room.words.data);
    mem_adopt(w->room.scalars.data);
    mem_adopt(w->room.moving.data);
    mem_adopt(w->e->leaves.data);
}

static void give_room(struct Evals *t, Walk *w)
{
    t->room = w->room;
    t->room.words.len = t->room.scalars.len = t->room.moving.len = 0;
}

/* Are the captures what they were, and do they coincide as they did? Then nothing has to be written down. */
static bool is_as_before(const Search *s, Evaluation *e)
{
    const Graph *g = s->graph;
    const struct Plain *p = g->plain;
    if (!p || !p->composed || p->root != s->root || s->walk.steps) return false;
    if (!vec_try_room(&e->leaves, (size_t)g->fd->nslots)) return false;
    uint32_t visit = ++rt.visit;
    for (int i = 0; i < g->fd->nslots; i++) {
        RtLeaf leaf = {0};
        uint32_t own = (uint32_t)e->leaves.len;
        if (g->fd->slots[i].type->result) {
            Array *a = leaf.array = lazy_array(s->captures[i].ref);
            if (!a || array_word(a) != p->what[i] || (a->head.buffer && a->head.buffer->held))
                return false;
            if (a->head.visit == visit) own = a->head.index;
            if (own != p->leaf[i]) return false;
            if (a->head.visit == visit) continue;
            a->head.visit = visit;
            a->head.index = own;
        } else {
            leaf.scalar.i = s->captures[i].i;
        }
        vec_push(&e->leaves, leaf);
    }
    return true;
}

static void learn(const Search *s, const Walk *w, Composed *c)
{
    Graph *g = s->graph;
    Arena *arena = fd_arena(rt_fd());
    int n = g->fd->nslots;
    if (w->below || w->steps || w->e->nclosures || cs_pending) return;
    if (!g->plain) {
        struct Plain *made = arena_new_of(arena, struct Plain);
        made->leaf = arena_array(arena, uint32_t, n);
        made->what = arena_array(arena, uint64_t, n);
        g->plain = made;
    }
    g->plain->root = s->root;
    uint32_t own = 0;
    for (int i = 0; i < n; i++) {
        const Array *a = g->fd->slots[i].type->result ? lazy_array(s->captures[i].ref) : NULL;
        g->plain->what[i] = a ? array_word(a) : 0;
        g->plain->leaf[i] = a && a->head.index < own ? a->head.index : own;
        own += g->plain->leaf[i] == own;
    }
    g->plain->composed = c;
}

static void find_or_make(void *search)
{
    Search *s = search;
    Graph *g = s->graph;
    Walk w = s->walk;
    struct Evals *t = rt.evals;
    take_room(t, &w);
    vec_push(&w.room.words, (uint64_t)g->serial << 32 | s->root->id);
    if (w.steps) vec_push(&w.room.words, UINT64_MAX - (w.turning != NULL));
    walk(&w, g, s->captures);
    if (w.turning) add_turning(&w);
    uint64_t hash = XXH3_64bits(w.room.words.data, w.room.words.len * sizeof *w.room.words.data);
    Composed *c = find(t, hash, &w);
    if (!c) {
        if (t->count >= MAX_COMPOSED) shrink(t);
        c = make(&w, hash, g, s->root, s->captures);
        c->next = t->buckets[hash % BUCKETS];
        t->buckets[hash % BUCKETS] = c;
        t->count++;
    }
    learn(s, &w, c);
    give_room(t, &w);
    w.e->composed = c;
}

static bool begin(Evaluation *e, Composed *c)
{
    c->used = ++rt.evals->clock;
    c->busy++;
    e->composed = c;
    return true;
}

/* Without a walk, if it can be had so. */
static bool search_before(const Search *s, Evaluation *e)
{
    struct Evals *t = rt.evals;
    *e = (Evaluation){.leaves = t->leaves};
    t->leaves = (RtLeaves){0};
    if (is_as_before(s, e)) return begin(e, s->graph->plain->composed);
    e->leaves.len = 0;
    return false;
}

static bool search(Evaluation *e, Graph *g, const FdNode *root, const CsValue *captures, bool again,
                   bool steps, const Turning *turning, const CsSite *site)
{
    Search s = {{.e = e, .again = again, .steps = steps, .turning = turning}, g, root, captures};
    bool room = rt.evals || (rt.evals = mem_object(sizeof *rt.evals));
    if (room && search_before(&s, e)) return true;
    if (room && mem_try(find_or_make, &s)) return begin(e, e->composed);
    *e = (Evaluation){0};
    rt_throw_memory(site, 0);
    return false;
}

bool compose_plainly(Evaluation *e, Graph *g, const CsValue *captures)
{
    Search s = {{.e = e}, g, fd_root(g->fd), captures};
    if (g->plain && search_before(&s, e)) return true;
    if (g->plain) compose_end(e);
    return false;
}

static bool settle_and_search(Evaluation *e, Graph *g, const FdNode *root, const CsValue *captures,
                              bool again, const CsSite *site)
{
    MemTry *t = mem_suspend();
    bool good = settle(g, captures);
    mem_resume(t);
    *e = (Evaluation){0};
    if (!good) rt_throw_memory(site, 0);
    return good && search(e, g, root, captures, again, false, NULL, site);
}

bool compose(Evaluation *e, Graph *g, const FdNode *root, const CsValue *captures,
             const CsSite *site)
{
    return settle_and_search(e, g, root, captures, false, site);
}

bool compose_trial(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site)
{
    return settle_and_search(e, g, fd_root(g->fd), captures, true, site);
}

void compose_count(Graph *g, const CsValue *captures, const CsSite *site)
{
    Evaluation e;
    if (search(&e, g, fd_root(g->fd), captures, false, false, NULL, site)) compose_end(&e);
}

bool compose_again(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site)
{
    compose_end(e);
    return search(e, g, fd_root(g->fd), captures, true, false, NULL, site);
}

bool compose_steps(Evaluation *e, const Lazy *l, bool several, const Turning *turning,
                   const CsSite *site)
{
    const FdNode *root = fd_root(l->graph->fd);
    if (!search(e, l->graph, root, l->captures, true, several, turning, site)) return false;
    e->near = several;
    return true;
}

bool compose_kept(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site)
{
    if (!search(e, g, fd_root(g->fd), captures, true, false, NULL, site)) return false;
    e->near = true;
    return true;
}

bool compose_joined(Evaluation *e, int n, Lazy *const *functions, bool steps,
                    const Turning *turning, const CsSite *site)
{
    CsValue captures[FD_MAX_FIELDS];
    Graph *g = join_graph(n, functions, false, site);
    if (!g) return false;
    for (int i = 0; i < n; i++) {
        captures[i].ref = functions[i];
        functions[i]->joined = true;
    }
    bool ok = search(e, g, fd_root(g->fd), captures, true, steps, turning, site);
    for (int i = 0; i < n; i++) functions[i]->joined = false;
    e->near = ok && steps;
    return ok;
}

void compose_end(Evaluation *e)
{
    if (e->composed) e->composed->busy--;
    for (size_t i = 0; i < e->views.len; i++) cs_release(e->views.data[i]);
    vec_free(&e->views);
    if (rt.evals && !rt.evals->leaves.data) { /* the next one's */
        e->leaves.len = 0;
        rt.evals->leaves = e->leaves;
        e->leaves = (RtLeaves){0};
    }
    vec_free(&e->leaves);
}

bool compose_scalar(Graph *g, const FdNode *n, const CsValue *captures, const CsSite *site,
                    ScalarValue *out)
{
    Evaluation e;
    if (!compose(&e, g, n, captures, site)) return false;
    Ref *r = compose_ref(&e, site);
    bool ok = r && ref_scalar(r, e.leaves.data, site, out);
    if (r) compose_ref_end(&e, r);
    compose_end(&e);
    return ok;
}

Ref *compose_ref(Evaluation *e, const CsSite *site)
{
    for (size_t i = 0; i < e->leaves.len; i++) {
        Array *a = e->leaves.data[i].array;
        if (a && a->head.buffer && !rt_array_data(a, site)) return NULL;
    }
    Composed *c = e->composed;
    Ref *r = c->ref ? c->ref : ref_new(c->fd, fd_root(&c->graph), site);
    c->ref = NULL; /* taken: a host function that it calls may evaluate the same graph */
    return r;
}

void compose_ref_end(Evaluation *e, Ref *r)
{
    if (e->composed->ref || ref_is_broken(r))
        ref_free(r);
    else
        e->composed->ref = r;
}
