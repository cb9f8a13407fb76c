/* The same again at once (instant.h). A capture is an array of the same elements and ranges whose memory is at hand, the
 * same array as another one before and no other's; or a scalar, of the same value where that decides anything. An element
 * that is an error is found again the slower way, which says where it is. */
#include "instant.h"

#include "../../device/memory.h"
#include "../../native/ready.h"
#include "../../objects/record.h"
#include "../../state.h"
#include "../compose/plain.h"
#include "../lazy/domain.h"
#include "../plan.h"
#include "../steps/hold.h"
#include "small.h"

typedef enum Kind {
    FIXED, /* a scalar whose value decides something */
    VALUE, /* any other */
    ARRAY,
    AGAIN /* the array of an earlier slot */
} Kind;

/* A capture. */
typedef struct Slot {
    Kind kind;
    uint32_t leaf;
    int place;         /* VALUE: in the plan's order; -1: it is not there */
    int32_t elem;      /* ARRAY */
    const FdBox *box;  /* the same */
    void **side;       /* where it lies, for launches */
    ScalarValue *last; /* of scalars */
} Slot;

struct Instant {
    bool is;   /* its slots are learnt.. */
    bool fits; /* ..and the result, of the range that it has */
    int n, nleaves;
    const FdType *type; /* of an element */
    int32_t elem;
    size_t bytes; /* of the result */
    void *nowhere;
    RtLeaf *leaves; /* as those of an Evaluation */
    Slot *slots;
};

enum { TRIES = 3 /* to bind one of the last anew */ };

Instant *instant_room(const Evaluation *e, Arena *a)
{
    const int n = e->composed->of->fd->nslots;
    Instant *in = arena_new_of(a, Instant);
    in->n = n;
    in->nleaves = e->composed->graph.nslots;
    in->slots = arena_array(a, Slot, n + 1);
    in->leaves = arena_array(a, RtLeaf, in->nleaves + 1);
    return in;
}

/* ---- learning ---------------------------------------------------------------------------------- */

static int place_of(const Composed *c, uint32_t leaf)
{
    for (int k = 0; k < c->order.nslots; k++)
        if (c->order.slots[k] == (int)leaf) return k;
    return -1;
}

/* Has an earlier slot the same array? */
static bool is_again(const Instant *in, int i, uint32_t leaf)
{
    bool again = false;
    for (int k = 0; k < i; k++)
        again = again || (in->slots[k].kind == ARRAY && in->slots[k].leaf == leaf);
    return again;
}

static Slot slot_of(Instant *in, int i, Recalled *r, const Evaluation *e, const Graph *g)
{
    const Composed *c = e->composed;
    const uint32_t leaf = plain_leaf(g, i);
    Slot s = {.leaf = leaf, .place = place_of(c, leaf), .side = &in->nowhere};
    if (!g->fd->slots[i].type->result) {
        s.kind = r->exact[leaf] || r->ranges[leaf] ? FIXED : VALUE;
        s.last = &r->numbers.scalars[leaf];
        return s;
    }
    s.kind = is_again(in, i, leaf) ? AGAIN : ARRAY;
    s.elem = e->leaves.data[leaf].array->head.elem;
    s.box = &r->numbers.boxes[leaf];
    if (s.place >= 0) s.side = &ready_sides(r->ready)->slots[s.place];
    return s;
}

/* Has the result of this box bytes that nobody else cares for, as many as it is bound to have at least? */
static bool is_small(Instant *in, const Recalled *r, const FdBox *box)
{
    int64_t count;
    if (!rt_box_count(box, &count)) return false;
    in->bytes = in->type->record
                    ? (size_t)fd_plane_offset(in->type, fd_type_leaves(in->type), count)
                    : (size_t)count * scalar_bytes(in->type->scalar);
    return in->bytes && r->numbers.schedule.outs[0] <= in->bytes && plan_is_small(in->bytes);
}

void instant_learn(Recalled *r, const Evaluation *e, const Graph *g, const FdBox *box)
{
    Instant *in = r->instant;
    const FdType *type = fd_root(g->fd)->type;
    in->is = in->fits = false;
    in->type = type->nparams ? type->result : type;
    if (!r->native || r->values || r->numbers.schedule.nouts != 1 || in->type->result) return;
    if (!small_at_hand(e) || in->n != g->fd->nslots || plain_flat(g) != e->composed) return;
    in->elem = type->nparams ? elem_of_type(in->type) : 0;
    for (int i = 0; i < in->n; i++) in->slots[i] = slot_of(in, i, r, e, g);
    in->is = true;
    in->fits = is_small(in, r, box);
}

bool instant_knows(const Recalled *r)
{
    return r->instant->is;
}

/* ---- looking ----------------------------------------------------------------------------------- */

/* An array that was not met on this visit, as the one before was, and at hand. */
static inline Array *met(const Slot *s, void *fn, uint32_t visit)
{
    Array *a = lazy_array(fn);
    Buffer *b = a ? a->head.buffer : NULL;
    if (!b || a->head.elem != s->elem || a->head.visit == visit) return NULL;
    if (b->held || b->device || b->host_stale || !b->host) return NULL;
    if (!b->device_stale) buffer_at_hand(b, false);
    a->head.visit = visit;
    *s->side = b->host;
    return a;
}

/* changed: some scalars have other values. */
static bool is_same(const Instant *in, const CsValue *captures, bool *changed)
{
    const uint32_t visit = ++rt.visit;
    *changed = false;
    for (int i = 0; i < in->n; i++) {
        const Slot *s = &in->slots[i];
        if (s->kind < ARRAY) {
            if (captures[i].i == s->last->i) continue;
            if (s->kind == FIXED) return false;
            *changed = true;
        } else if (s->kind == ARRAY) {
            Array *a = met(s, captures[i].ref, visit);
            if (!a || !rt_array_has(a, s->box)) return false;
            in->leaves[s->leaf].array = a;
        } else if (lazy_array(captures[i].ref) != in->leaves[s->leaf].array) {
            return false;
        }
    }
    return true;
}

/* The same but for ranges and values of scalars; all leaves. ranges: some arrays have others. */
static bool is_alike(const Instant *in, const CsValue *captures, bool *ranges)
{
    const uint32_t visit = ++rt.visit;
    *ranges = false;
    for (int i = 0; i < in->n; i++) {
        const Slot *s = &in->slots[i];
        RtLeaf *leaf = &in->leaves[s->leaf];
        if (s->kind < ARRAY) {
            leaf->scalar.i = captures[i].i;
        } else if (s->kind == ARRAY) {
            if (!(leaf->array = met(s, captures[i].ref, visit))) return false;
            if (leaf->array->head.rank != s->box->rank) return false;
            *ranges = *ranges || !rt_array_has(leaf->array, s->box);
        } else if (lazy_array(captures[i].ref) != leaf->array) {
            return false;
        }
    }
    return true;
}

static void take_scalars(const Instant *in, Recalled *r, const CsValue *captures)
{
    Numbers *n = &r->numbers;
    for (int i = 0; i < in->n; i++) {
        const Slot *s = &in->slots[i];
        if (s->kind != VALUE) continue;
        s->last->i = captures[i].i;
        if (s->place >= 0) n->slot_scalars[s->place] = *s->last;
    }
    ready_scalars(r->ready, n->slot_scalars);
    n->fails = FAIL_UNASKED;
    n->divides = false;
}

/* What is to run, with where operands lie; NULL: it is not known. So it was before. */
static Recalled *find_same(Composed *c, const CsValue *captures)
{
    for (Recalled **at = &c->last, *r; (r = *at); at = &r->next) {
        bool changed;
        if (!r->ranged || !r->instant->fits || r->where != rt.where) continue;
        if (!is_same(r->instant, captures, &changed)) continue;
        if (changed) take_scalars(r->instant, r, captures);
        return r == c->last ? r : recall_first(c, at);
    }
    return NULL;
}

/* Is r bound to these numbers now? Other ranges are tried where no loop comes back to those before. */
static bool is_bound(Recalled *r, Composed *c, const CsValue *captures)
{
    Instant *in = r->instant;
    bool ranges;
    if (!in->is || r->where != rt.where) return false;
    if (!is_alike(in, captures, &ranges) || (ranges && !c->shifts)) return false;
    const size_t n = (size_t)in->nleaves;
    const Evaluation e = {.composed = c, .leaves = {in->leaves, n, n}};
    return recall_bind(&e, r, ranges);
}

/* One of the last, bound to these numbers, with the range of the result: NULL, perhaps with an exception pending, if there is
 * none that can be. */
static Recalled *find_bound(Composed *c, Graph *g, const CsValue *captures, const CsSite *site)
{
    Recalled **at = &c->last, *r;
    int tries = 0;
    while ((r = *at) && tries < TRIES && !is_bound(r, c, captures)) at = &r->next, tries++;
    if (!r || tries == TRIES) return NULL;
    if (tries) recall_first(c, at);
    r->ranged = r->instant->fits = false;
    if (!domain_find(g, captures, site, &r->range)) return NULL;
    r->ranged = r->instant->fits = is_small(r->instant, r, &r->range);
    return r->ranged ? r : NULL;
}

static Recalled *find(Graph *g, const CsValue *captures, const CsSite *site)
{
    Composed *c = plain_flat(g);
    if (!c || cs_pending || !rt_is_calm()) return NULL;
    Recalled *r = find_same(c, captures);
    if (!r) r = find_bound(c, g, captures, site);
    if (r) compose_used(c);
    return r;
}

/* ---- running ----------------------------------------------------------------------------------- */

static bool run(const Recalled *r, void *to, const CsSite *site)
{
    const CsSite *around = rt.at;
    rt.at = site;
    ready_sides(r->ready)->outs[0] = to;
    const bool good = launch_goes_on(ready_go(r->ready));
    rt.at = around;
    rt.evaluations += good; /* else it is done once more */
    return good;
}

Array *instant_array(Graph *g, const CsValue *captures, const CsSite *site)
{
    Recalled *r = find(g, captures, site);
    if (!r) return NULL;
    Array *a = rt_array_sized(r->instant->elem, &r->range, r->instant->bytes, site);
    Buffer *b = a ? a->head.buffer : NULL;
    void *to = b ? buffer_at_hand(b, true) : NULL;
    if (b && !to) to = buffer_host_part(b, true, site);
    if (!to || !run(r, to, site)) {
        cs_release(a);
        return NULL;
    }
    b->maker = g->serial;
    hold_made(g);
    return a;
}

bool instant_scalar(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out)
{
    ScalarValue room[RT_MAX_LEAVES];
    Recalled *r = find(g, captures, site);
    if (!r || !run(r, room, site)) return false;
    const size_t n = (size_t)r->instant->nleaves;
    if (rt.hold.newest) hold_learn(&(Evaluation){.leaves = {r->instant->leaves, n, n}});
    leaves_load(fd_root(g->fd)->type, room, out);
    return true;
}
