/* The last evaluations of a composed graph (recall.h). Values of scalars are put into the bound plan anew. Where it or
 * a range depends on them, it is bound again, and taken if it launches the same kernels. So it is of arrays of other
 * ranges, once there are more of them than are kept. Where a plan asks for values of arrays, they are looked at. */
#include "recall.h"

#include <string.h>

#include "../../native/ready.h"
#include "../../state.h"
#include "../compose/plain.h"
#include "../lazy/domain.h"
#include "instant.h"
#include "kernels.h"
#include "small.h"

/* Have the arrays that the plan asks for the values that they had? */
static bool same_values(const Evaluation *e, const Recalled *r)
{
    const Composed *c = e->composed;
    const CgPlan *plan = r->native ? c->native->plan : c->kernel->plan;
    for (int k = 0; r->values && k < c->order.nslots; k++) {
        const FdBox *before = &r->numbers.slot_boxes[k];
        FdBox now = *before;
        numbers_value(e, plan, k, &now);
        if (before->dim[now.rank].lo != now.dim[now.rank].lo ||
            before->dim[now.rank].hi != now.dim[now.rank].hi)
            return false;
    }
    return true;
}

enum {
    MOST = 8,   /* of a graph */
    TRIES = 3,  /* of them are bound anew, until one launches the same */
    STIFF = 8,  /* times in a row that other numbers made other launches: then nobody tries.. */
    AGAIN = 64, /* ..so many times */
    LITTLE =
        1
        << 20 /* operations, which run natively in any case; others as what was bound before did as many */
};

/* How an evaluation is like one before. */
typedef enum Likeness {
    OTHER,
    SAME,    /* all that counts */
    SCALARS, /* but for scalars that are arguments of kernels */
    PLAN,    /* ..or that its plan or ranges ask for */
    RANGES   /* ..and ranges of arrays */
} Likeness;

static bool is_same(Likeness is)
{
    return is == SAME || is == SCALARS;
}

static Likeness likeness(const Evaluation *e, const Recalled *r)
{
    const Composed *c = e->composed;
    Likeness is = SAME;
    if (r->where != rt.where) return OTHER;
    for (int i = 0; i < c->graph.nslots; i++) {
        const RtLeaf *leaf = &e->leaves.data[i];
        if (leaf->array) {
            if (!rt_array_has(leaf->array, &r->numbers.boxes[i])) is = RANGES;
        } else if (is < PLAN && leaf->scalar.i != r->numbers.scalars[i].i) {
            is = r->exact[i] ? PLAN : SCALARS;
        }
        if (is == RANGES && r->values) return OTHER;
    }
    return same_values(e, r) ? is : OTHER;
}

/* In the plan's order. */
static void place_scalars(const Composed *c, Numbers *n)
{
    for (int k = 0; k < c->order.nslots; k++) n->slot_scalars[k] = n->scalars[c->order.slots[k]];
}

/* With the ranges of arrays. */
static void place(const Composed *c, Numbers *n)
{
    place_scalars(c, n);
    for (int k = 0; k < c->order.nslots; k++)
        fd_box_copy(&n->slot_boxes[k], &n->boxes[c->order.slots[k]]);
}

/* Those of e. */
static void take_scalars(const Evaluation *e, Numbers *n)
{
    for (int i = 0; i < e->composed->graph.nslots; i++)
        if (!e->leaves.data[i].array) n->scalars[i] = e->leaves.data[i].scalar;
    place_scalars(e->composed, n);
}

typedef struct Binding {
    const Composed *composed;
    Recalled *of;
    bool works; /* as much as it did */
    bool follows;
} Binding;

static void bind(void *binding)
{
    Binding *b = binding;
    Numbers *n = &b->of->numbers;
    const CgPlan *plan = b->composed->native->plan;
    if (!b->works) n->work = numbers_work(b->composed, &n->env);
    if ((n->work > LITTLE && !b->works) || !numbers_are_plain(b->composed, n)) return;
    if (!b->of->again) {
        CgDevice device = native_device(n->form);
        b->of->again = cg_plan_again(plan, &n->binding, &device, &n->schedule, n->arena);
    }
    b->follows = cg_plan_bind_again(b->of->again, &n->schedule);
}

/* An evaluation that failed asks again on its way to the full one. */
static bool is_worth_trying(Composed *c)
{
    if (c->tried && c->tried == rt.evaluations) return false;
    return c->stiff < STIFF || ++c->stiff >= STIFF + AGAIN;
}

/* Are ranges as they were that depend on these scalars? */
static bool keeps(const Evaluation *e, const Recalled *r, Likeness is, const bool *scalars)
{
    bool same = is != RANGES;
    for (int i = 0; same && i < e->composed->graph.nslots; i++)
        same = !scalars[i] || e->leaves.data[i].array ||
               e->leaves.data[i].scalar.i == r->numbers.scalars[i].i;
    return same;
}

static void copy_boxes(FdBox *to, const FdBox *from, size_t n)
{
    for (size_t i = 0; i < n; i++) fd_box_copy(&to[i], &from[i]);
}

/* Takes other numbers that the plan asks for, if it launches the same with them. */
static bool rebind(const Evaluation *e, Recalled *r, Likeness is)
{
    const Composed *c = e->composed;
    Numbers *n = &r->numbers;
    const size_t slots = (size_t)c->graph.nslots;
    const double work = n->work;
    Binding b = {.composed = c, .of = r, .works = keeps(e, r, is, c->asked)};
    if (!r->native || r->values || n->valued || (work > LITTLE && !b.works)) return false;
    const bool ranged = r->ranged && keeps(e, r, is, r->ranges);
    memcpy(r->before, n->scalars, slots * sizeof *n->scalars);
    if (is == RANGES) {
        copy_boxes(r->boxes, n->boxes, slots);
        numbers_leaves(e, n->boxes, n->scalars);
        place(c, n);
    } else {
        take_scalars(e, n);
    }
    if (mem_try(bind, &b) && b.follows) {
        r->ranged = ranged;
        return true;
    }
    n->work = work;
    memcpy(n->scalars, r->before, slots * sizeof *n->scalars);
    if (is == RANGES) copy_boxes(n->boxes, r->boxes, slots);
    place(c, n);
    return false;
}

Recalled *recall_first(Composed *c, Recalled **at)
{
    Recalled *r = *at;
    *at = r->next;
    r->next = c->last;
    return c->last = r;
}

static void other_scalars(const Evaluation *e, Recalled *r)
{
    r->ranged = r->ranged && keeps(e, r, SCALARS, r->ranges);
    take_scalars(e, &r->numbers);
    cg_schedule_scalars(&r->numbers.schedule, &r->numbers.binding);
}

/* Of those that are like it in this way, the first that is bound to its numbers and launches the same; NULL: none does. */
static Recalled *find_bound(const Evaluation *e, const Likeness *likes, Likeness like)
{
    Composed *c = e->composed;
    int i = 0, tries = 0;
    for (Recalled **at = &c->last; *at && tries < TRIES; at = &(*at)->next, i++)
        if (likes[i] == like && ++tries && rebind(e, *at, like)) {
            c->stiff = 0;
            return recall_first(c, at);
        }
    return NULL;
}

/* The one of these numbers, which is the first then, or one that is bound to them now. */
static Recalled *find(const Evaluation *e, Likeness *is)
{
    Composed *c = e->composed;
    Likeness likes[MOST];
    int n = 0, near = 0, other = 0;
    for (Recalled **at = &c->last; *at; at = &(*at)->next) {
        likes[n++] = *is = likeness(e, *at);
        if (is_same(*is)) return recall_first(c, at);
        near += *is == PLAN;
        other += *is == RANGES;
    }
    if (n < MOST && !c->shifts) other = 0;
    if (near + other == 0 || !is_worth_trying(c)) return NULL;
    Recalled *r = near ? find_bound(e, likes, *is = PLAN) : NULL;
    if (!r && other) r = find_bound(e, likes, *is = RANGES);
    if (!r && c->stiff < STIFF) c->stiff++;
    if (!r) c->tried = rt.evaluations;
    return r;
}

bool recall_bind(const Evaluation *e, Recalled *r, bool ranges)
{
    if (e->composed->stiff >= STIFF || !rebind(e, r, ranges ? RANGES : PLAN)) return false;
    e->composed->stiff = 0;
    if (r->ready) ready_values(r->ready, r->numbers.work);
    r->numbers.fails = FAIL_UNASKED;
    r->numbers.divides = false;
    return true;
}

Recalled *recall(const Evaluation *e)
{
    Likeness is;
    Recalled *r = e->nclosures ? NULL : find(e, &is);
    if (!r) return NULL;
    const bool changed = is != SAME;
    if (is == RANGES && !e->composed->shifts) { /* no loop comes back to those before */
        e->composed->shifts = true;
        recall_forget(r->next);
        r->next = NULL;
    }
    if (is == SCALARS) other_scalars(e, r);
    if (changed && r->ready) ready_values(r->ready, r->numbers.work);
    uint64_t values = r->numbers.valued ? numbers_hash(e, r->numbers.valued) : 1;
    bool anew = r->numbers.valued && (!values || values != r->numbers.values_hash);
    if (changed || (r->numbers.by_values && anew)) r->numbers.fails = FAIL_UNASKED;
    if (changed || (r->numbers.divided_by_values && anew)) r->numbers.divides = false;
    r->numbers.values_hash = values;
    return r;
}

Recalled *recall_ready(const Evaluation *e)
{
    Recalled *r = rt_is_calm() ? recall(e) : NULL;
    return r && r->ready && (native_use() == NATIVE_ALL || small_at_hand(e)) ? r : NULL;
}

/* The one that e has just run by, whose ranges are to be learnt; NULL: there is nothing to be learnt. */
static Recalled *unranged(const Evaluation *e, const Graph *g)
{
    const Composed *c = e->composed;
    const Recalled *last = c->last;
    if (!last || !last->ready || last->ranged || plain_known(g) != c) return NULL;
    if (c->shifts && instant_knows(last)) return NULL;
    return recall_ready(e); /* not of what has no elements: nothing ran then */
}

void recall_range(const Evaluation *e, const Graph *g, const CsValue *captures, const FdBox *box)
{
    Recalled *r = unranged(e, g);
    if (!r) return;
    for (int i = 0; i < g->fd->nslots && plain_is_flat(g); i++)
        if (domain_asks(g, i)) r->ranges[plain_number(g, i)] = true;
    r->range = *box;
    r->ranged = true;
    instant_learn(r, e, g, captures, NULL);
}

void recall_ranges(const Evaluation *e, const Graph *g, const CsValue *captures, const FdBox *boxes)
{
    Recalled *r = unranged(e, g);
    if (!r) return;
    r->ranged = true;
    instant_learn(r, e, g, captures, boxes);
}

void recall_room(const Evaluation *e, Numbers *n)
{
    n->room = arena_new_of(n->arena, Recalled);
    n->room->exact = arena_array(n->arena, bool, e->composed->graph.nslots);
    n->room->ranges = arena_array(n->arena, bool, e->composed->graph.nslots);
    n->room->before = arena_array(n->arena, ScalarValue, e->composed->graph.nslots + 1);
    n->room->boxes = arena_array(n->arena, FdBox, e->composed->graph.nslots + 1);
    n->room->instant = instant_room(e, n->arena);
}

bool recall_keep(const Evaluation *e, Numbers *n, const CgPlan *plan, bool native)
{
    Composed *c = e->composed;
    if (e->nclosures || !n->room || rt_dumps() != RT_DUMP_READ) return false;
    bool *exact = n->room->exact, values = false;
    for (int i = 0; i < c->graph.nslots; i++) exact[i] = c->asked[i];
    for (int k = 0; k < c->order.nslots; k++) {
        const Array *a = e->leaves.data[c->order.slots[k]].array;
        bool asks = cg_plan_asks(plan, k, a ? a->head.rank : 0);
        values |= a && asks;
        exact[c->order.slots[k]] |= !a && asks;
    }
    Recalled *r = n->room, **at = &c->last;
    while (*at && !is_same(likeness(e, *at))) at = &(*at)->next;
    Recalled *same = *at;
    if (same && e->lazy && !same->unrun) return false;
    if (same) *at = same->next;
    if (same) arena_free(same->numbers.arena);
    *r = (Recalled){.next = c->last,
                    .numbers = *n,
                    .native = native,
                    .unrun = e->lazy != NULL,
                    .where = rt.where,
                    .exact = exact,
                    .ranges = r->ranges,
                    .instant = r->instant,
                    .before = r->before,
                    .boxes = r->boxes,
                    .values = values,
                    .near = e->near};
    c->last = r;
    for (int i = 1; r && i < MOST; i++) r = r->next;
    if (r) recall_forget(r->next);
    if (r) r->next = NULL;
    return true;
}

void recall_forget(Recalled *r)
{
    while (r) {
        Recalled *before = r->next;
        arena_free(r->numbers.arena);
        r = before;
    }
}
