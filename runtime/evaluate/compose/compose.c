/* Composing (compose.h): the table of what was composed, by signatures (walk.h). */
#include "compose.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../state.h"
#include "../bind/reads.h"
#include "../bind/recall.h"
#include "../bind/small.h"
#include "../steps/join.h"
#include "plain.h"
#include "settle.h"
#include "walk.h"

enum { BUCKETS = 256, MAX_COMPOSED = 256 };

struct Evals {
    Composed *buckets[BUCKETS];
    int count;
    uint64_t clock;
    Room room;       /* nothing while a walk has it */
    RtLeaves leaves; /* the same of an evaluation */
};

static bool has_reals(const FdType *t)
{
    while (t && t->nparams) t = t->result;
    if (!t || !t->record) return t && scalar_is_real(t->scalar);
    for (int i = 0; i < t->nfields; i++)
        if (has_reals(t->fields[i])) return true;
    return false;
}

/* May a range with this in it be none: by a division, or since there is no end? Arrays have ends. */
static bool is_doubtful(const void *unused, const FdNode *n)
{
    (void)unused;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    const FdNode *of = op == FD_OP_LOWER || op == FD_OP_UPPER ? n->args[0] : NULL;
    return op == FD_OP_DIV || op == FD_OP_REM ||
           (of && (of->kind != FD_FUNC || of->leaf != FD_LEAF_SLOT));
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
    c->steady = true;
    for (int k = 0; k < o->nranges; k++) {
        const FdDom *dom = &o->range_binder[k]->doms[o->range_index[k]];
        graph_range_asks(dom, c->asked);
        c->steady =
            c->steady && !fd_any(dom->lo, is_doubtful, NULL) && !fd_any(dom->hi, is_doubtful, NULL);
    }
    c->work = c->reduces ? 0 : fd_work(&c->graph, NULL);
    small_look(c);
}

static Composed *make(const Walk *w, uint64_t hash, Graph *g, const FdNode *root,
                      const CsValue *captures)
{
    Fd *fd = fd_new();
    Composed *c = arena_new_of(fd_arena(fd), Composed);
    c->fd = fd;
    c->of = g;
    c->hash = hash;
    c->words = arena_copy(fd_arena(c->fd), w->room.words.data,
                          w->room.words.len * sizeof *w->room.words.data);
    c->nwords = w->room.words.len;
    walk_build(w, g, root, captures, c);
    look(c);
    return c;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void forget(Composed *c)
{
    plain_forget(c);
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

static void find_or_make(void *search)
{
    Search *s = search;
    Graph *g = s->graph;
    Walk w = s->walk;
    struct Evals *t = rt.evals;
    take_room(t, &w);
    vec_push(&w.room.words, (uint64_t)g->serial << 32 | s->root->id);
    if (w.steps) vec_push(&w.room.words, UINT64_MAX - (w.turning != NULL));
    walk_captures(&w, g, s->captures);
    uint64_t hash = XXH3_64bits(w.room.words.data, w.room.words.len * sizeof *w.room.words.data);
    Composed *c = find(t, hash, &w);
    if (!c) {
        if (t->count >= MAX_COMPOSED) shrink(t);
        c = make(&w, hash, g, s->root, s->captures);
        c->next = t->buckets[hash % BUCKETS];
        t->buckets[hash % BUCKETS] = c;
        t->count++;
    }
    if (!w.steps && !w.e->nclosures) plain_learn(g, s->root, s->captures, c);
    give_room(t, &w);
    w.e->composed = c;
}

void compose_used(Composed *c)
{
    c->used = ++rt.evals->clock;
}

static void begin(Evaluation *e, Composed *c)
{
    compose_used(c);
    c->busy++;
    e->composed = c;
}

/* Without a walk, if it can be had so. */
static bool search_before(const Search *s, Evaluation *e)
{
    struct Evals *t = rt.evals;
    *e = (Evaluation){.leaves = t->leaves};
    t->leaves = (RtLeaves){0};
    Composed *found = s->walk.steps ? NULL : plain_find(s->graph, s->root, s->captures, e);
    if (!found) e->leaves.len = 0;
    if (!found) return false;
    begin(e, found);
    if (!s->walk.again && !plain_is_flat(s->graph)) plain_count(s->graph, s->captures);
    return true;
}

static bool search(Evaluation *e, Graph *g, const FdNode *root, const CsValue *captures, bool again,
                   bool steps, const Turning *turning, const CsSite *site)
{
    Search s = {{.e = e, .again = again, .steps = steps, .turning = turning}, g, root, captures};
    bool room = rt.evals || (rt.evals = mem_object(sizeof *rt.evals));
    if (room && search_before(&s, e)) return true;
    if (room && mem_try(find_or_make, &s)) {
        begin(e, e->composed);
        return true;
    }
    *e = (Evaluation){0};
    rt_throw_memory(site, 0);
    return false;
}

bool compose_plainly(Evaluation *e, Graph *g, const CsValue *captures)
{
    Search s = {{.e = e}, g, fd_root(g->fd), captures};
    bool flat = plain_is_flat(g);
    if (flat && search_before(&s, e)) return true;
    if (flat) compose_end(e);
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
    Ref *r = compose_ref(&e, NULL, site);
    bool ok = r && ref_scalar(r, e.leaves.data, site, out);
    if (r) compose_ref_end(&e, r);
    compose_end(&e);
    return ok;
}

Ref *compose_ref(Evaluation *e, const FdBox *box, const CsSite *site)
{
    if (rt.ranks.size && !reads_bring(e, box, site)) return NULL;
    for (size_t i = 0; i < e->leaves.len; i++) {
        Array *a = e->leaves.data[i].array;
        bool part = a && a->head.buffer && a->head.buffer->part;
        if (part && !(a->head.data = rt_array_part(a, false, site))) return NULL;
        if (a && a->head.buffer && !part && !rt_array_data(a, site)) return NULL;
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
