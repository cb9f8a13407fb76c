/* Walks over captures (walk.h). */
#include "walk.h"

#include "../../../fdag/compose/composition.h"
#include "../../state.h"
#include "../lazy/closure.h"
#include "../steps/waiting.h"

/* What a captured function counts as: itself, or what stands for it now. */
static void *seen(const CsValue *capture)
{
    const Closure *c = capture->ref;
    return c->head.kind == CS_CLOSURE && c->view ? (void *)c->view : capture->ref;
}

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
        what = walk_word(leaf.array);
    } else if (c->kind == FD_CAPTURE_GRAPH) {
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

void walk_captures(Walk *w, const Graph *g, const CsValue *captures)
{
    FdComposing c = {.ctx = w, .visit = ++rt.visit, .look = capture_of, .meet = meet};
    if (w->steps) c.scalar = scalar_of;
    if (w->turning) c.moves = moves;
    fd_compose_walk(&c, g->fd, captures);
    if (w->turning) add_turning(w);
}

static FdCapture typed_capture_of(void *ctx, const void *captures, int slot)
{
    FdCapture c = capture_of(ctx, captures, slot);
    if (c.kind == FD_CAPTURE_ARRAY) c.type = rt_type_of(c.object);
    return c;
}

void walk_build(const Walk *w, const Graph *g, const FdNode *root, const CsValue *captures,
                Composed *c)
{
    FdComposing composing = {.ctx = (Walk *)(uintptr_t)w,
                             .visit = ++rt.visit,
                             .look = typed_capture_of,
                             .steps = w->steps,
                             .turns = w->turning != NULL};
    if (w->turning) composing.moves = moves;
    if (w->steps) composing.scalar = scalar_of;
    fd_compose(c->fd, &composing, g->fd, root, captures, &c->graph, &c->key, &c->order);
}
