/* Composing (compose.h). A walk over the captures writes the signature and gathers the leaves; the
 * first walk with a signature is followed by one that builds the graph with fd_substitute, each
 * lazy value once. A cheap value under two users stays composed in both; an expensive one is
 * evaluated when it would be composed a second time. */
#include "compose.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../state.h"
#include "closure.h"

enum { BUCKETS = 256, MAX_COMPOSED = 256 };

typedef enum Tag {
    TAG_SCALAR,
    TAG_ARRAY,
    TAG_OLD_ARRAY,
    TAG_LAZY,
    TAG_OLD_LAZY,
    TAG_CLOSURE,
    TAG_OLD_CLOSURE
} Tag;

struct Evals {
    Composed *buckets[BUCKETS];
    int count;
    uint64_t clock;
};

typedef struct Walk {
    Evaluation *e;
    uint32_t visit;
    uint32_t nlazies;
    bool again; /* an evaluation's second walk */
    VEC(uint64_t) words;
} Walk;

/* What a captured value is: an array (itself or a lazy value's result), else NULL. */
static Array *array_of(void *fn)
{
    CsHead *h = fn;
    if (h->kind == CS_ARRAY) return fn;
    return h->kind == CS_LAZY ? ((Lazy *)fn)->result : NULL;
}

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
static bool settle(const Graph *g, const CsValue *captures)
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

/* ---- signatures ------------------------------------------------------------------------------ */

static void word(Walk *w, Tag tag, uint64_t value)
{
    vec_push(&w->words, value << 3 | (uint64_t)tag);
}

static void walk(Walk *w, const Graph *g, const CsValue *captures)
{
    for (int i = 0; i < g->fd->nslots; i++) {
        RtLeaf leaf = {0};
        if (!g->fd->slots[i].type->result) {
            leaf.scalar.i = captures[i].i;
            vec_push(&w->e->leaves, leaf);
            word(w, TAG_SCALAR, 0);
            continue;
        }
        void *fn = seen(&captures[i]);
        leaf.array = array_of(fn);
        if (leaf.array) {
            Array *a = leaf.array;
            if (a->head.visit == w->visit) {
                word(w, TAG_OLD_ARRAY, a->head.index);
                continue;
            }
            a->head.visit = w->visit;
            a->head.index = (uint32_t)w->e->leaves.len;
            vec_push(&w->e->leaves, leaf);
            word(w, TAG_ARRAY, (uint64_t)a->head.elem << 8 | (uint64_t)a->head.rank);
        } else if (((CsHead *)fn)->kind == CS_LAZY) {
            Lazy *l = fn;
            if (l->visit == w->visit) {
                word(w, TAG_OLD_LAZY, l->index);
                continue;
            }
            l->visit = w->visit;
            l->index = w->nlazies++;
            if (!w->again && l->composed < UINT8_MAX) l->composed++;
            word(w, TAG_LAZY, l->graph->serial);
            walk(w, l->graph, l->captures);
        } else {
            Closure *k = fn;
            if (k->visit == w->visit) {
                word(w, TAG_OLD_CLOSURE, k->index);
                continue;
            }
            k->visit = w->visit;
            k->index = (uint32_t)w->e->leaves.len;
            leaf.closure = k;
            w->e->nclosures++;
            vec_push(&w->e->leaves, leaf);
            word(w, TAG_CLOSURE, (uint64_t)(uintptr_t)k->type);
        }
    }
}

/* ---- building -------------------------------------------------------------------------------- */

typedef struct Builder {
    Composed *c;
    uint32_t visit;
    int nslots; /* made so far, in the walk's order */
    VEC(FdSlot) slots;
    VEC(const FdNode *) lazies; /* by index */
} Builder;

static const FdType *import_type(Fd *fd, const FdType *t)
{
    const FdType *parts[FD_MAX_PARAMS];
    if (fd_type_is_scalar(t)) return fd_type_scalar(fd, t->scalar);
    if (t->record) {
        for (int i = 0; i < t->nfields; i++) parts[i] = import_type(fd, t->fields[i]);
        return fd_type_record(fd, t->record, t->nfields, parts, t->field_names);
    }
    for (int i = 0; i < t->nparams; i++) parts[i] = import_type(fd, t->params[i]);
    return fd_type_func(fd, import_type(fd, t->result), t->nparams, parts);
}

static const FdNode *new_slot(Builder *b, const FdType *type, bool is_array, const char *name)
{
    Fd *fd = b->c->fd;
    FdSlot s = {.type = import_type(fd, type), .is_array = is_array};
    s.name = name ? arena_strndup(fd_arena(fd), name, strlen(name)) : NULL;
    vec_push(&b->slots, s);
    return fd_slot(fd, b->nslots++, s.type, s.name);
}

static const FdNode *build(Builder *b, const Graph *g, const FdNode *root, const CsValue *captures)
{
    Fd *fd = b->c->fd;
    int n = g->fd->nslots;
    VEC(const FdNode *) values = {0};
    for (int i = 0; i < n; i++) {
        const FdSlot *slot = &g->fd->slots[i];
        void *fn = slot->type->result ? seen(&captures[i]) : NULL;
        Array *a = fn ? array_of(fn) : NULL;
        const FdNode *v;
        if (!fn) {
            v = new_slot(b, slot->type, false, slot->name);
        } else if (a) {
            if (a->head.visit == b->visit) {
                v = fd_slot(fd, (int)a->head.index, b->slots.data[a->head.index].type,
                            b->slots.data[a->head.index].name);
            } else {
                a->head.visit = b->visit;
                a->head.index = (uint32_t)b->nslots;
                v = new_slot(b, rt_type_of(a), true, slot->name);
            }
        } else if (((CsHead *)fn)->kind == CS_LAZY) {
            Lazy *l = fn;
            if (l->visit != b->visit) {
                l->visit = b->visit;
                l->index = (uint32_t)b->lazies.len;
                vec_push(&b->lazies, NULL); /* number first, as the walk does */
                const FdNode *made = build(b, l->graph, l->graph->fd->root, l->captures);
                b->lazies.data[l->index] = made; /* (which may have moved) */
            }
            v = b->lazies.data[l->index];
        } else {
            Closure *k = fn;
            if (k->visit != b->visit) {
                k->visit = b->visit;
                k->index = (uint32_t)b->nslots;
                new_slot(b, k->type, false, slot->name);
            }
            v = fd_slot(fd, (int)k->index, b->slots.data[k->index].type,
                        b->slots.data[k->index].name);
        }
        vec_push(&values, v);
    }
    const FdNode *out = fd_substitute(fd, root, values.data, n);
    vec_free(&values);
    return out;
}

/* What evaluation asks about a composed graph. */
static void look(Composed *c)
{
    c->cheap = true;
    for (int i = 0; i < c->order.nnodes; i++) {
        const FdNode *n = c->order.nodes[i];
        FdOp op = fd_op_of(n);
        if (op != FD_OP_NONE && (fd_op_info(op)->props & FD_EXPENSIVE)) c->cheap = false;
        if ((n->kind == FD_FUNC && n->leaf == FD_LEAF_USER) || n->self) c->cheap = false;
        if (n->kind != FD_REDUCE) continue;
        c->cheap = false;
        if (!fd_has_identity(n)) c->may_be_empty = true;
        for (int d = 0; d < n->nvars; d++)
            if (n->doms[d].kind == FD_DOM_FULL) c->infinite = n;
    }
}

/* A recurrence whose indices ask functions has no order before those are known, which is now. False
 * if there is none such, or still no order: then evaluating it says so. */
static bool order_recurrences(Composed *c)
{
    FdError error = {0};
    bool any = false;
    for (int i = 0; i < c->order.nnodes; i++) {
        const FdNode *n = c->order.nodes[i];
        any = any || (n->self && n->order[0] == 0);
    }
    return any && fd_pass_find("recur")->run(c->fd, &c->graph, &error);
}

static Composed *make(Walk *w, uint64_t hash, const Graph *g, const FdNode *root,
                      const CsValue *captures)
{
    Fd *fd = fd_new();
    Composed *c = arena_new_of(fd_arena(fd), Composed);
    c->fd = fd;
    c->hash = hash;
    c->words = arena_copy(fd_arena(c->fd), w->words.data, w->words.len * sizeof *w->words.data);
    c->nwords = w->words.len;
    Builder b = {.c = c, .visit = ++rt.visit};
    c->graph.root = build(&b, g, root, captures);
    c->graph.nslots = (int)b.slots.len;
    c->graph.slots = arena_copy(fd_arena(c->fd), b.slots.data, b.slots.len * sizeof *b.slots.data);
    vec_free(&b.slots);
    vec_free(&b.lazies);
    FdError error;
    fd_pass_find("given")->run(c->fd, &c->graph, &error);
    c->key = fd_key(c->fd, &c->graph, &c->order);
    if (order_recurrences(c)) c->key = fd_key(c->fd, &c->graph, &c->order);
    look(c);
    return c;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void forget(Composed *c)
{
    ref_free(c->ref);
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
    mem_object_free(rt.evals);
    rt.evals = NULL;
}

typedef struct Search {
    Walk walk;
    const Graph *graph;
    const FdNode *root;
    const CsValue *captures;
} Search;

static void find_or_make(void *search)
{
    Search *s = search;
    const Graph *g = s->graph;
    const FdNode *root = s->root;
    const CsValue *captures = s->captures;
    Walk w = s->walk;
    Evaluation *e = w.e;
    vec_push(&w.words, (uint64_t)g->serial << 32 | root->id);
    walk(&w, g, captures);
    uint64_t hash = XXH3_64bits(w.words.data, w.words.len * sizeof *w.words.data);
    if (!rt.evals && !(rt.evals = mem_object(sizeof *rt.evals))) mem_fail(sizeof *rt.evals);
    struct Evals *t = rt.evals;
    Composed **bucket = &t->buckets[hash % BUCKETS], *c = *bucket;
    while (c && (c->hash != hash || c->nwords != w.words.len ||
                 memcmp(c->words, w.words.data, c->nwords * sizeof *c->words) != 0))
        c = c->next;
    if (!c) {
        if (t->count >= MAX_COMPOSED) shrink(t);
        bucket = &t->buckets[hash % BUCKETS];
        c = make(&w, hash, g, root, captures);
        c->next = *bucket;
        *bucket = c;
        t->count++;
    }
    vec_free(&w.words);
    c->used = ++t->clock;
    c->busy++;
    e->composed = c;
}

static bool search(Evaluation *e, const Graph *g, const FdNode *root, const CsValue *captures,
                   bool again, const CsSite *site)
{
    *e = (Evaluation){0};
    Search s = {{.e = e, .visit = ++rt.visit, .again = again}, g, root, captures};
    if (mem_try(find_or_make, &s)) return true;
    *e = (Evaluation){0};
    rt_throw_memory(site, 0);
    return false;
}

bool compose(Evaluation *e, const Graph *g, const FdNode *root, const CsValue *captures,
             const CsSite *site)
{
    MemTry *t = mem_suspend();
    bool good = settle(g, captures);
    mem_resume(t);
    *e = (Evaluation){0};
    if (!good) rt_throw_memory(site, 0);
    return good && search(e, g, root, captures, false, site);
}

bool compose_again(Evaluation *e, const Graph *g, const CsValue *captures, const CsSite *site)
{
    compose_end(e);
    return search(e, g, g->fd->root, captures, true, site);
}

void compose_end(Evaluation *e)
{
    if (e->composed) e->composed->busy--;
    for (size_t i = 0; i < e->views.len; i++) cs_release(e->views.data[i]);
    vec_free(&e->views);
    vec_free(&e->leaves);
}

bool compose_scalar(const Graph *g, const FdNode *n, const CsValue *captures, const CsSite *site,
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
    Ref *r = c->ref ? c->ref : ref_new(c->fd, c->graph.root, site);
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
