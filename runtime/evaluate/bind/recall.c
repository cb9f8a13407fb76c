/* The last evaluations of a composed graph (recall.h). Values of scalars are put into the bound plan anew,
 * unless a range or the plan depends on them; where a plan asks for values of arrays, they are looked at. */
#include "recall.h"

#include "../../native/ready.h"
#include "../../state.h"
#include "../compose/plain.h"
#include "../lazy/domain.h"
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

enum { MOST = 8 }; /* of a graph */

/* Is it with the numbers of e? Scalars may have `changed`. */
static bool is_alike(const Evaluation *e, const Recalled *r, bool *changed)
{
    const Composed *c = e->composed;
    *changed = false;
    if (r->where != rt.where) return false;
    for (int i = 0; i < c->graph.nslots; i++) {
        const RtLeaf *leaf = &e->leaves.data[i];
        if (leaf->array ? !rt_array_has(leaf->array, &r->numbers.env.boxes[i])
                        : leaf->scalar.i != r->numbers.scalars[i].i && r->exact[i])
            return false;
        *changed |= !leaf->array && leaf->scalar.i != r->numbers.scalars[i].i;
    }
    return same_values(e, r);
}

/* The one of these numbers is the first then. */
static Recalled *find(const Evaluation *e, bool *changed)
{
    Recalled **at = &e->composed->last;
    while (*at && !is_alike(e, *at, changed)) at = &(*at)->next;
    Recalled *r = *at;
    if (!r) return NULL;
    *at = r->next;
    r->next = e->composed->last;
    return e->composed->last = r;
}

Recalled *recall(const Evaluation *e)
{
    const Composed *c = e->composed;
    bool changed;
    Recalled *r = e->nclosures ? NULL : find(e, &changed);
    if (!r) return NULL;
    uint64_t values = r->numbers.valued ? numbers_hash(e, r->numbers.valued) : 1;
    bool anew = r->numbers.valued && (!values || values != r->numbers.values_hash);
    if (changed || (r->numbers.by_values && anew)) r->numbers.fails = FAIL_UNASKED;
    if (changed || (r->numbers.divided_by_values && anew)) r->numbers.divides = false;
    r->numbers.values_hash = values;
    if (!changed) return r;
    for (int i = 0; i < c->graph.nslots; i++)
        if (!e->leaves.data[i].array) r->numbers.scalars[i] = e->leaves.data[i].scalar;
    for (int k = 0; k < c->order.nslots; k++)
        r->numbers.slot_scalars[k] = r->numbers.scalars[c->order.slots[k]];
    cg_schedule_scalars(&r->numbers.schedule, &r->numbers.binding);
    if (r->ready) ready_values(r->ready);
    return r;
}

Recalled *recall_ready(const Evaluation *e)
{
    Recalled *r = rt_is_calm() ? recall(e) : NULL;
    return r && r->ready && (native_use() == NATIVE_ALL || small_at_hand(e)) ? r : NULL;
}

void recall_range(const Evaluation *e, const Graph *g, const FdBox *box)
{
    Recalled *r = recall_ready(e); /* not of what has no elements: nothing ran then */
    if (!r || !plain_is_flat(g)) return;
    for (int i = 0; i < g->fd->nslots; i++)
        if (domain_asks(g, i)) r->exact[plain_leaf(g, i)] = true;
    r->range = *box;
    r->ranged = true;
}

void recall_room(const Evaluation *e, Numbers *n)
{
    n->room = arena_new_of(n->arena, Recalled);
    n->room->exact = arena_array(n->arena, bool, e->composed->graph.nslots);
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
    bool changed;
    Recalled *r = n->room, *same = find(e, &changed);
    if (same) c->last = same->next;
    if (same) arena_free(same->numbers.arena);
    *r = (Recalled){.next = c->last,
                    .numbers = *n,
                    .native = native,
                    .where = rt.where,
                    .exact = exact,
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
