/* The same again at once (instant.h). A capture is an array of the same elements and ranges whose memory is at hand, the
 * same array as another one before and no other's; a scalar, of the same value where that decides anything; or a lazy value
 * of the same graph, made of such. An element that is an error is found again the slower way, which says where it is. */
#include "instant.h"

#include "../../device/memory.h"
#include "../../native/ready.h"
#include "../../objects/record.h"
#include "../../state.h"
#include "../compose/plain.h"
#include "../compose/settle.h"
#include "../lazy/domain.h"
#include "../plan.h"
#include "../steps/hold.h"
#include "small.h"

typedef enum Kind {
    FIXED, /* a scalar whose value decides something */
    VALUE, /* any other */
    ARRAY,
    AGAIN, /* the array of an earlier slot */
    LAZY,  /* its captures follow */
    LAZY_AGAIN
} Kind;

/* A capture. */
typedef struct Slot {
    Kind kind;
    uint32_t number;    /* of the leaf, or of the lazy value */
    int place;          /* VALUE: in the plan's order; -1: it is not there */
    int32_t elem;       /* ARRAY */
    const FdBox *box;   /* the same */
    void **side;        /* where it lies, for launches */
    ScalarValue *last;  /* of scalars */
    const Graph *graph; /* LAZY */
} Slot;

/* A result. */
typedef struct Out {
    const FdType *type; /* of an element, or of all scalars */
    bool is_array;
    int32_t elem;
    size_t bytes;
    FdBox *box; /* its own, of results that have others; else it is Recalled.range */
    int over; /* the slot whose array a variable gives up, which the kernels may write over; -1: none */
} Out;

struct Instant {
    bool is;    /* its slots are learnt.. */
    bool fits;  /* ..and the results, of the ranges that they have.. */
    bool apart; /* ..each of its own.. */
    bool over;  /* ..and some into arrays that are given up, if nothing fails */
    int n, nleaves, nlazies, nouts;
    void *nowhere;
    RtLeaf *leaves; /* as those of an Evaluation */
    Lazy **lazies;
    Slot *slots; /* in the order of a tour (plain.h) */
    Out *outs;
};

enum { TRIES = 3 /* to bind one of the last anew */ };

Instant *instant_room(const Evaluation *e, Arena *a)
{
    const Composed *c = e->composed;
    const Graph *g = c->of;
    Instant *in = arena_new_of(a, Instant);
    in->n = plain_known(g) == c ? plain_size(g) : 0;
    in->nleaves = c->graph.nslots;
    in->nouts = c->graph.nresults;
    in->slots = arena_array(a, Slot, in->n + 1);
    in->lazies = arena_array(a, Lazy *, in->n + 1);
    in->leaves = arena_array(a, RtLeaf, in->nleaves + 1);
    in->outs = arena_array(a, Out, in->nouts);
    for (int i = 0; i < in->nouts && in->nouts > 1; i++) in->outs[i].box = arena_new_of(a, FdBox);
    return in;
}

/* ---- learning ---------------------------------------------------------------------------------- */

typedef struct Learning {
    Instant *in;
    Recalled *of;
    const Composed *composed;
    const Graph *whole;
    int at;
} Learning;

static int place_of(const Composed *c, uint32_t leaf)
{
    for (int k = 0; k < c->order.nslots; k++)
        if (c->order.slots[k] == (int)leaf) return k;
    return -1;
}

/* Has an earlier slot the same array or lazy value? */
static bool is_again(const Learning *l, Kind kind, uint32_t number)
{
    bool again = false;
    for (int k = 0; k < l->at; k++)
        again = again || (l->in->slots[k].kind == kind && l->in->slots[k].number == number);
    return again;
}

/* decides: ranges hang on it. */
static Slot scalar_slot(const Learning *l, uint32_t leaf, bool decides)
{
    Recalled *r = l->of;
    r->ranges[leaf] = r->ranges[leaf] || decides;
    return (Slot){.kind = r->exact[leaf] || r->ranges[leaf] ? FIXED : VALUE,
                  .number = leaf,
                  .place = place_of(l->composed, leaf),
                  .last = &r->numbers.scalars[leaf]};
}

static Slot array_slot(const Learning *l, uint32_t leaf, const Array *a)
{
    const int place = place_of(l->composed, leaf);
    return (Slot){.kind = is_again(l, ARRAY, leaf) ? AGAIN : ARRAY,
                  .number = leaf,
                  .elem = a->head.elem,
                  .box = &l->of->numbers.boxes[leaf],
                  .side = place >= 0 ? &ready_sides(l->of->ready)->slots[place] : &l->in->nowhere};
}

static bool is_counting(const FdType *t)
{
    return !t->record && !scalar_is_real(t->scalar);
}

/* The slots of g, and of lazy values below. False: there are others. */
static bool learn_slots(Learning *l, const Graph *g, const CsValue *captures)
{
    Instant *in = l->in;
    bool good = true;
    for (int i = 0; good && i < g->fd->nslots; i++) {
        const FdType *type = g->fd->slots[i].type;
        if (l->at == in->n) return false;
        const uint32_t number = plain_number(l->whole, l->at);
        const Array *a = type->result ? lazy_array(captures[i].ref) : NULL;
        Slot *s = &in->slots[l->at];
        if (!type->result)
            *s = scalar_slot(l, number, domain_asks(g, i) || (in->apart && is_counting(type)));
        else if (a)
            *s = array_slot(l, number, a);
        else
            *s = (Slot){.kind = is_again(l, LAZY, number) ? LAZY_AGAIN : LAZY, .number = number};
        l->at++;
        if (s->kind != LAZY) continue;
        const Lazy *below = captures[i].ref;
        s->graph = below->graph;
        in->nlazies++;
        good = !below->joined && learn_slots(l, below->graph, below->captures);
    }
    return good;
}

/* What a result is, as far as it hangs on the graph alone. */
static bool learn_out(Out *out, const FdGraph *g, int i)
{
    const FdType *type = g->results[i].node->type;
    out->is_array = type->nparams > 0;
    out->type = out->is_array ? type->result : type;
    if (out->type->result) return false;
    out->elem = out->is_array ? elem_of_type(out->type) : 0;
    out->over = -1;
    return true;
}

/* Which of them may go into arrays that variables give up? Those that are alike: whether they are is looked at each time. */
static void learn_over(Instant *in, const Recalled *r, const Graph *g)
{
    const CgSchedule *s = &r->numbers.schedule;
    bool over = g->dying != 0 && plain_is_flat(g);
    in->over = false;
    for (int i = 0; over && i < s->nlaunches; i++)
        for (int k = 0; k < s->launches[i].nargs; k++)
            over = over && (s->launches[i].over || s->launches[i].args[k].kind != CG_ARG_SLOT);
    for (int k = 0; over && k < g->fd->nslots && k < 64; k++) {
        const Slot *slot = &in->slots[k];
        int i = 0;
        if (!(g->dying >> k & 1) || slot->kind != ARRAY) continue;
        while (i < in->nouts &&
               (!in->outs[i].is_array || in->outs[i].over >= 0 || in->outs[i].elem != slot->elem))
            i++;
        if (i == in->nouts) continue;
        in->outs[i].over = k;
        in->over = true;
    }
}

/* Have the results of these boxes bytes that nobody else cares for, as many as they are bound to have at least? */
static bool are_small(Instant *in, const Recalled *r)
{
    bool small = true;
    for (int i = 0; small && i < in->nouts; i++) {
        Out *o = &in->outs[i];
        int64_t count = 1;
        small = !o->is_array || rt_box_count(in->apart ? o->box : &r->range, &count);
        o->bytes = o->type->record
                       ? (size_t)fd_plane_offset(o->type, fd_type_leaves(o->type), count)
                       : (size_t)count * scalar_bytes(o->type->scalar);
        small =
            small && o->bytes && r->numbers.schedule.outs[i] <= o->bytes && plan_is_small(o->bytes);
    }
    return small;
}

void instant_learn(Recalled *r, const Evaluation *e, const Graph *g, const CsValue *captures,
                   const FdBox *apart)
{
    Instant *in = r->instant;
    Learning l = {.in = in, .of = r, .composed = e->composed, .whole = g};
    in->is = in->fits = false;
    in->apart = apart != NULL;
    in->nlazies = 0;
    if (!r->native || r->values || r->numbers.schedule.nouts != in->nouts) return;
    if (g->fd->nresults != in->nouts || !small_at_hand(e) || plain_known(g) != e->composed) return;
    bool good = plain_size(g) == in->n && learn_slots(&l, g, captures) && l.at == in->n;
    for (int i = 0; good && i < in->nouts; i++) {
        if (apart) fd_box_copy(in->outs[i].box, &apart[i]);
        good = learn_out(&in->outs[i], g->fd, i);
    }
    in->is = in->fits = good && are_small(in, r);
    if (in->is) learn_over(in, r, g);
    if (in->over) numbers_can_fail(e, &r->numbers);
}

bool instant_knows(const Recalled *r)
{
    return r->instant->is && !r->instant->apart;
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

/* A lazy value that was not met either, of the same graph, which stays one. */
static Lazy *met_lazy(const Slot *s, void *fn, uint32_t visit)
{
    Lazy *l = fn;
    if (l->head.kind != CS_LAZY || l->result || l->graph != s->graph) return NULL;
    if (l->visit == visit || l->joined || settle_wants(l)) return NULL;
    l->visit = visit;
    return l;
}

/* How captures may differ from those before, as bits. */
enum {
    RANGES = 1,  /* some arrays have others */
    DECIDES = 2, /* some scalars that decide something have other values.. */
    CHANGED = 4  /* ..or any */
};

typedef struct Look {
    const Instant *in;
    const Slot *slot; /* the next */
    uint32_t visit;
    uint32_t differs;
} Look;

static bool looks_alike(Look *l, int n, const CsValue *captures);

static inline bool is_met(Look *l, const Slot *s, void *fn)
{
    const Instant *in = l->in;
    if (s->kind == ARRAY) {
        Array *a = met(s, fn, l->visit);
        const bool same = a && rt_array_has(a, s->box);
        if (!same) l->differs |= RANGES;
        in->leaves[s->number].array = a;
        return same || (a && a->head.rank == s->box->rank);
    }
    if (s->kind == AGAIN) return lazy_array(fn) == in->leaves[s->number].array;
    if (s->kind == LAZY_AGAIN) return fn == in->lazies[s->number];
    Lazy *below = met_lazy(s, fn, l->visit);
    in->lazies[s->number] = below;
    return below && looks_alike(l, s->graph->fd->nslots, below->captures);
}

/* The next n slots. */
static bool looks_alike(Look *l, int n, const CsValue *captures)
{
    for (int i = 0; i < n; i++) {
        const Slot *s = l->slot++;
        if (s->kind < ARRAY) {
            if (captures[i].i != s->last->i)
                l->differs |= s->kind == FIXED ? DECIDES | CHANGED : CHANGED;
            l->in->leaves[s->number].scalar.i = captures[i].i;
        } else if (!is_met(l, s, captures[i].ref)) {
            return false;
        }
    }
    return true;
}

/* Are the captures of g like those that r has, but for numbers? */
static bool is_like(const Recalled *r, const Graph *g, const CsValue *captures, Look *look)
{
    const Instant *in = r->instant;
    *look = (Look){.in = in, .slot = in->slots, .visit = ++rt.visit};
    return in->is && r->where == rt.where && looks_alike(look, g->fd->nslots, captures);
}

/* Values that decide nothing. */
static void take_scalars(const Instant *in, Recalled *r)
{
    Numbers *n = &r->numbers;
    for (const Slot *s = in->slots, *end = s + in->n; s < end; s++) {
        if (s->kind != VALUE) continue;
        s->last->i = in->leaves[s->number].scalar.i;
        if (s->place >= 0) n->slot_scalars[s->place] = *s->last;
    }
    ready_scalars(r->ready, n->slot_scalars);
    n->fails = FAIL_UNASKED;
    n->divides = false;
}

/* Is it the same, but for scalars that decide nothing? */
static bool is_same(const Recalled *r, const Look *look)
{
    return r->ranged && r->instant->fits && !(look->differs & (RANGES | DECIDES));
}

/* Is r, which is like the captures, bound to their numbers now? Other ranges are tried where no loop comes back to those
 * before. */
static bool is_bound(Recalled *r, Composed *c, const Look *look)
{
    const Instant *in = r->instant;
    const bool ranges = look->differs & RANGES;
    if (ranges && (!c->shifts || in->apart)) return false;
    const size_t n = (size_t)in->nleaves;
    const Evaluation e = {.composed = c, .leaves = {in->leaves, n, n}};
    return recall_bind(&e, r, ranges);
}

/* Has it the ranges of the results, now that it is bound to these numbers? */
static bool finds_ranges(Recalled *r, Graph *g, const CsValue *captures, const CsSite *site)
{
    if (r->ranged) return true;
    r->ranged = !r->instant->apart && domain_find(g, captures, site, &r->range);
    return r->ranged;
}

/* One of the last, bound to these numbers, with the ranges of results: NULL, perhaps with an exception pending, if there is
 * none that can be. look: of the first, which was looked at last; else NULL. */
static Recalled *find_bound(Composed *c, Graph *g, const CsValue *captures, const Look *look,
                            const CsSite *site)
{
    Recalled **at = &c->last, *r;
    Look l;
    int tries = 0;
    for (; (r = *at) && tries < TRIES; at = &r->next, tries++) {
        if (!look && !is_like(r, g, captures, &l)) continue;
        if (is_bound(r, c, look ? look : &l)) break;
        look = NULL;
    }
    if (!r || tries == TRIES) return NULL;
    if (tries) recall_first(c, at);
    r->instant->fits = finds_ranges(r, g, captures, site) && are_small(r->instant, r);
    return r->instant->fits ? r : NULL;
}

/* What is to run, with where operands lie; NULL, perhaps with an exception pending: it is not known. */
static Recalled *find(Graph *g, const CsValue *captures, const CsSite *site)
{
    Composed *c = plain_known(g);
    if (!c || cs_pending || !rt_is_calm()) return NULL;
    Recalled **at = &c->last, *r;
    Look look;
    bool like = false;
    for (; (r = *at); at = &r->next)
        if ((like = is_like(r, g, captures, &look)) && is_same(r, &look)) break;
    if (r && look.differs & CHANGED) take_scalars(r->instant, r);
    if (r && r != c->last) recall_first(c, at);
    const bool alone = c->last && !c->last->next;
    if (!r && (like || !alone)) r = find_bound(c, g, captures, alone ? &look : NULL, site);
    if (r) compose_used(c);
    return r;
}

/* ---- running ----------------------------------------------------------------------------------- */

/* The array that a variable gives up for a result, if nobody else has it; else NULL. */
static Array *given(const Instant *in, const Out *o, const FdBox *box)
{
    Array *a = o->over < 0 ? NULL : in->leaves[in->slots[o->over].number].array;
    const Buffer *b = a ? a->head.buffer : NULL;
    const bool own = b && a->head.head.refs == 1 && b->refs == 1 && !b->borrowed && !b->foreign;
    return own && !b->part && rt_array_has(a, box) ? a : NULL;
}

/* An array for a result, and its memory. */
static void *array_for(const Recalled *r, const Out *o, bool over, Array **array,
                       const CsSite *site)
{
    const FdBox *box = r->instant->apart ? o->box : &r->range;
    Array *a = over ? cs_retain(given(r->instant, o, box)) : NULL;
    if (!a) a = rt_array_sized(o->elem, box, o->bytes, site);
    *array = a;
    Buffer *b = a ? a->head.buffer : NULL;
    void *to = b ? buffer_at_hand(b, true) : NULL;
    if (b) b->maker = 0;
    return b && !to ? buffer_host_part(b, true, site) : to;
}

static bool run(const Recalled *r, const CsSite *site)
{
    const Instant *in = r->instant;
    const CsSite *around = rt.at;
    rt.at = site;
    const bool good = launch_goes_on(ready_go(r->ready));
    rt.at = around;
    rt.evaluations += good;               /* else it is done once more */
    for (int i = 0; i < in->nlazies; i++) /* as a walk counts */
        if (good && in->lazies[i]->composed < UINT8_MAX) in->lazies[i]->composed++;
    return good;
}

/* All results of r: arrays, and scalars to room. False, having made none. */
static bool make(Recalled *r, Array **arrays, void *room, const CsSite *site)
{
    const Instant *in = r->instant;
    void **outs = ready_sides(r->ready)->outs;
    const bool over = in->over && numbers_never_fail(&r->numbers);
    bool good = true;
    int n = 0;
    for (int i = 0; good && i < in->nouts; i++) {
        const Out *o = &in->outs[i];
        outs[i] = o->is_array ? array_for(r, o, over, &arrays[n++], site) : room;
        good = outs[i] != NULL;
    }
    if (good && run(r, site)) return true;
    while (n > 0) cs_release(arrays[--n]);
    return false;
}

static void scalars_made(const Recalled *r, const void *room, ScalarValue *out)
{
    const Instant *in = r->instant;
    const size_t n = (size_t)in->nleaves;
    if (rt.hold.newest) hold_learn(&(Evaluation){.leaves = {in->leaves, n, n}});
    leaves_load(in->outs[0].type, room, out);
}

Array *instant_array(Graph *g, const CsValue *captures, const CsSite *site)
{
    Recalled *r = find(g, captures, site);
    Array *a;
    if (!r || !make(r, &a, NULL, site)) return NULL;
    a->head.buffer->maker = g->serial;
    hold_made(g);
    return a;
}

bool instant_scalar(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out)
{
    ScalarValue room[RT_MAX_LEAVES];
    Recalled *r = find(g, captures, site);
    if (!r || !make(r, NULL, room, site)) return false;
    scalars_made(r, room, out);
    return true;
}

bool instant_all(Graph *g, const CsValue *captures, const CsSite *site, Array **arrays,
                 ScalarValue *out)
{
    ScalarValue room[RT_MAX_LEAVES];
    Recalled *r = find(g, captures, site);
    if (!r || !make(r, arrays, room, site)) return false;
    if (!r->instant->outs[0].is_array) leaves_load(r->instant->outs[0].type, room, out);
    return true;
}
