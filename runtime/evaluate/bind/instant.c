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
    int earlier;       /* AGAIN: the slot */
    int place;         /* VALUE: in the plan's order; -1: it is not there */
    int32_t elem;      /* ARRAY */
    const FdBox *box;  /* the same */
    void **side;       /* where it lies, for launches */
    ScalarValue *last; /* of scalars */
} Slot;

struct Instant {
    bool is; /* it is learnt */
    int n;
    int32_t elem;
    size_t bytes; /* of the result */
    void *nowhere;
    RtLeaf *arrays; /* one a slot */
    Slot *slots;
};

enum { SMALL = 1 << 16 }; /* bytes: hold.h and into.h care for more */

Instant *instant_room(const Evaluation *e, Arena *a)
{
    const int n = e->composed->of->fd->nslots;
    Instant *in = arena_new_of(a, Instant);
    in->n = n;
    in->slots = arena_array(a, Slot, n + 1);
    in->arrays = arena_array(a, RtLeaf, n + 1);
    return in;
}

/* ---- learning ---------------------------------------------------------------------------------- */

static int place_of(const Composed *c, uint32_t leaf)
{
    for (int k = 0; k < c->order.nslots; k++)
        if (c->order.slots[k] == (int)leaf) return k;
    return -1;
}

static int earlier(const Instant *in, int i, uint32_t leaf)
{
    int k = 0;
    while (k < i && (in->slots[k].kind != ARRAY || in->slots[k].leaf != leaf)) k++;
    return k;
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
    s.earlier = earlier(in, i, leaf);
    s.kind = s.earlier < i ? AGAIN : ARRAY;
    s.elem = e->leaves.data[leaf].array->head.elem;
    s.box = &r->numbers.boxes[leaf];
    if (s.place >= 0) s.side = &ready_sides(r->ready)->slots[s.place];
    return s;
}

void instant_learn(Recalled *r, const Evaluation *e, const Graph *g, const FdBox *box)
{
    Instant *in = r->instant;
    const FdType *type = fd_root(g->fd)->type;
    const FdType *elem = type->nparams ? type->result : type;
    const CgSchedule *s = &r->numbers.schedule;
    int64_t count;
    in->is = false;
    if (!r->native || r->values || s->nouts != 1 || elem->result || !small_at_hand(e)) return;
    if (!rt_box_count(box, &count) || in->n != g->fd->nslots) return;
    in->bytes = (size_t)fd_plane_offset(elem, fd_type_leaves(elem), count);
    if (!in->bytes || s->outs[0] > in->bytes || in->bytes >= plan_least(SMALL)) return;
    in->elem = type->nparams ? elem_of_type(elem) : 0;
    for (int i = 0; i < in->n; i++) in->slots[i] = slot_of(in, i, r, e, g);
    in->is = true;
}

/* ---- looking ----------------------------------------------------------------------------------- */

static inline bool has_box(const Array *a, const FdBox *box)
{
    const int rank = a->head.rank;
    if (rank != box->rank) return false;
    for (int d = 0; d < rank; d++)
        if (a->head.dim[d].lo != box->dim[d].lo ||
            a->head.dim[d].lo + a->head.dim[d].n != box->dim[d].hi)
            return false;
    return true;
}

/* Is it an array that was not met on this visit, as the one before was, and at hand? */
static inline bool is_such(const Slot *s, Array *a, uint32_t visit)
{
    Buffer *b = a ? a->head.buffer : NULL;
    if (!b || a->head.elem != s->elem || a->head.visit == visit || !has_box(a, s->box))
        return false;
    if (b->held || b->device || b->host_stale || !b->host) return false;
    if (!b->device_stale) buffer_at_hand(b, false);
    a->head.visit = visit;
    *s->side = b->host;
    return true;
}

/* changed: some scalars have others values. */
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
            continue;
        }
        Array *a = lazy_array(captures[i].ref);
        if (s->kind == ARRAY ? !is_such(s, a, visit) : a != in->arrays[s->earlier].array)
            return false;
        in->arrays[i].array = a;
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

/* What is to run, with where operands lie; NULL: it is not known. */
static Recalled *find(const Graph *g, const CsValue *captures)
{
    Composed *c = plain_flat(g);
    if (!c || cs_pending || !rt_is_calm()) return NULL;
    for (Recalled **at = &c->last, *r; (r = *at); at = &r->next) {
        bool changed;
        if (!r->ranged || !r->instant->is || r->where != rt.where) continue;
        if (!is_same(r->instant, captures, &changed)) continue;
        if (changed) take_scalars(r->instant, r, captures);
        if (r != c->last) recall_first(c, at);
        compose_used(c);
        return r;
    }
    return NULL;
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
    Recalled *r = find(g, captures);
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
    Recalled *r = find(g, captures);
    if (!r || !run(r, room, site)) return false;
    const size_t n = (size_t)r->instant->n;
    if (rt.hold.newest) hold_learn(&(Evaluation){.leaves = {r->instant->arrays, n, n}});
    leaves_load(fd_root(g->fd)->type, room, out);
    return true;
}
