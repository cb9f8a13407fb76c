/* Graphs that are composed as they were last (plain.h). The tour over captures is that of a walk (walk.h), but writes
 * nothing down: what it meets is compared with what it met before. */
#include "plain.h"

#include <string.h>

#include "../../state.h"
#include "walk.h"

enum { MOST = 64, DEEPEST = 16 }; /* captures in all; lazy values one below the other */

/* A capture that was met, and its number: of the leaf, or of the lazy value. */
typedef struct Met {
    uint64_t what;
    uint32_t number;
} Met;

struct Plain {
    Composed *composed; /* NULL: it is gone */
    const FdNode *root;
    bool flat;
    int n;
    Met met[MOST];
};

typedef struct Tour {
    struct Plain *plain; /* what is compared, or.. */
    bool learns;         /* ..written */
    Evaluation *e;       /* gets the leaves; NULL: nobody does */
    uint32_t visit, leaves, lazies;
    int at, depth;
} Tour;

static bool note(struct Plain *p, Met met)
{
    if (p->n == MOST) return false;
    p->met[p->n++] = met;
    return true;
}

static inline bool meet(Tour *t, uint64_t what, uint32_t number)
{
    if (t->learns) return note(t->plain, (Met){what, number});
    const Met *met = &t->plain->met[t->at++];
    return t->at <= t->plain->n && met->what == what && met->number == number;
}

/* There is room for as many as were met. */
static inline void add_leaf(Tour *t, RtLeaf leaf)
{
    t->leaves++;
    if (t->e) vec_push(&t->e->leaves, leaf);
}

enum { SCALAR, ARRAY, LAZY }; /* the low bits of Met.what */

static bool tour(Tour *t, const Graph *g, const CsValue *captures);

static bool tour_array(Tour *t, Array *a)
{
    const bool again = a->head.visit == t->visit;
    if (a->head.buffer && a->head.buffer->held) return false;
    if (!again) a->head.index = t->leaves;
    a->head.visit = t->visit;
    if (!meet(t, walk_word(a) << 2 | ARRAY, a->head.index)) return false;
    if (!again) add_leaf(t, (RtLeaf){.array = a});
    return true;
}

static bool tour_lazy(Tour *t, Lazy *l)
{
    const bool again = l->visit == t->visit;
    if (!again) l->index = t->lazies++;
    l->visit = t->visit;
    if (!meet(t, (uint64_t)l->graph->serial << 3 | (uint64_t)l->joined << 2 | LAZY, l->index))
        return false;
    if (again) return true;
    t->plain->flat = t->plain->flat && !t->learns;
    const bool good = ++t->depth <= DEEPEST && tour(t, l->graph, l->captures);
    t->depth--;
    return good;
}

static bool tour(Tour *t, const Graph *g, const CsValue *captures)
{
    bool good = true;
    for (int i = 0; i < g->fd->nslots && good; i++) {
        if (!g->fd->slots[i].type->result) {
            good = meet(t, SCALAR, t->leaves);
            if (good) add_leaf(t, (RtLeaf){.scalar.i = captures[i].i});
            continue;
        }
        Array *a = lazy_array(captures[i].ref);
        if (a)
            good = tour_array(t, a);
        else
            good = ((CsHead *)captures[i].ref)->kind == CS_LAZY && tour_lazy(t, captures[i].ref);
    }
    return good;
}

Composed *plain_find(const Graph *g, const FdNode *root, const CsValue *captures, Evaluation *e)
{
    struct Plain *p = g->plain;
    if (!p || !p->composed || p->root != root) return NULL;
    if (!vec_try_room(&e->leaves, (size_t)p->n)) return NULL;
    Tour t = {.plain = p, .e = e, .visit = ++rt.visit};
    return tour(&t, g, captures) && t.at == p->n ? p->composed : NULL;
}

Composed *plain_known(const Graph *g)
{
    return g->plain && g->plain->root == fd_root(g->fd) ? g->plain->composed : NULL;
}

bool plain_is_flat(const Graph *g)
{
    return g->plain && g->plain->flat && g->plain->composed;
}

int plain_size(const Graph *g)
{
    return g->plain->n;
}

uint32_t plain_number(const Graph *g, int at)
{
    return g->plain->met[at].number;
}

void plain_learn(Graph *g, const FdNode *root, const CsValue *captures, Composed *c)
{
    if (!g->plain) g->plain = arena_new_of(fd_arena(rt_fd()), struct Plain);
    struct Plain *p = g->plain;
    p->root = root;
    p->flat = true;
    p->n = 0;
    Tour t = {.plain = p, .learns = true, .visit = ++rt.visit};
    p->composed = tour(&t, g, captures) ? c : NULL;
}

void plain_forget(const Composed *c)
{
    struct Plain *p = c->of->plain;
    if (p && p->composed == c) p->composed = NULL;
}

static void count(const Graph *g, const CsValue *captures, uint32_t visit)
{
    for (int i = 0; i < g->fd->nslots; i++) {
        Lazy *l = g->fd->slots[i].type->result ? captures[i].ref : NULL;
        if (!l || l->head.kind != CS_LAZY || l->result || l->visit == visit) continue;
        l->visit = visit;
        if (l->composed < UINT8_MAX) l->composed++;
        count(l->graph, l->captures, visit);
    }
}

void plain_count(const Graph *g, const CsValue *captures)
{
    count(g, captures, ++rt.visit);
}
