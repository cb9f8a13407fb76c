/* Values that go into an array which exists (into.h). */
#include "into.h"

#include "../device/memory.h"
#include "../objects/record.h"
#include "../state.h"
#include "compose/plain.h"
#include "lazy/restrict.h"
#include "plan.h"
#include "run.h"

/* Bytes: what is smaller stays in a cache, whichever memory it takes. */
enum { ENOUGH = 1 << 19 };

/* held: of what was held back, which is composed as it is. */
static bool evaluate(const Lazy *l, Array *into, bool held, const CsSite *site)
{
    Evaluation e;
    int64_t count;
    if (!rt_check_variables(site) || !rt_box_count(&l->box, &count)) return false;
    bool done = (held ? compose_steps(&e, l, false, NULL, site)
                      : compose_trial(&e, l->graph, l->captures, site)) &&
                !e.nclosures && !e.composed->reduces;
    if (done) {
        Results one = {1, &into->head.buffer, count};
        e.into = into;
        Outcome outcome = run_on_device(&e, &one, site);
        done = outcome == DONE;
        rt.evaluations += done;
        if (outcome != INTERPRET) { /* else it is what it was, made by what made it */
            into->head.host_state = 0;
            into->head.buffer->maker = 0;
        }
    }
    compose_end(&e);
    if (done && !held) plain_count(l->graph, l->captures);
    return done;
}

static int references(const void *fn, const Array *a)
{
    const Lazy *l = fn;
    int n = fn == (const void *)a;
    if (n || l->head.kind != CS_LAZY || l->head.refs != 1 || l->result) return n;
    for (int i = 0; i < l->graph->fd->nslots; i++)
        if (l->graph->fd->slots[i].type->result) n += references(l->captures[i].ref, a);
    return n;
}

/* Has the buffer memory that nobody else looks at? */
static bool is_own(const Buffer *b)
{
    return b && b->refs == 1 && !b->held && !b->lent && !b->borrowed && !b->foreign && !b->ring;
}

bool into_gives(Array *a, int32_t references, const FdBox *box, const FdType *type)
{
    const Buffer *b = a->head.head.kind == CS_ARRAY ? a->head.buffer : NULL;
    return b && b->bytes >= plan_least(ENOUGH) && a->head.head.refs == references && is_own(b) &&
           rt_array_has(a, box) && rt_type_of(a) == type;
}

Array *into_donor(const Lazy *l)
{
    const FdType *type = fd_root(l->graph->fd)->type;
    for (int i = 0; i < l->graph->fd->nslots; i++) {
        Array *a = l->captures[i].ref;
        if (l->graph->fd->slots[i].type->result && into_gives(a, references(l, a), &l->box, type))
            return a;
    }
    return NULL;
}

void into_give_back(int n, Buffer *const *results, Array *const *donors)
{
    for (int i = 0; i < n; i++) {
        Buffer *given = donors[i] ? donors[i]->head.buffer : NULL;
        if (given && given->lent && !results[i]->lent) buffer_take_over(given, results[i]);
    }
}

/* The values go where they belong, if nobody will read what was there. False, having done nothing, if it is
 * not so, or with an exception pending. */
bool into_set(Over over, const FdBox *box, void *fn, bool moved, const CsSite *site)
{
    Array *a = over.array;
    Buffer *b = a->head.buffer;
    if (!b || b->refs != 1 || b->held || b->lent || b->borrowed || b->foreign) return false;
    if (a->head.head.refs != 1 + over.besides + references(fn, a)) return false;
    Lazy *part = restrict_into(fn, box, moved, a, site);
    bool done = part && evaluate(part, a, false, site);
    cs_release(part);
    return done;
}

bool into_dying(Lazy *l, Buffer *b, const CsSite *site)
{
    Array *a = rt.stops ? NULL : into_donor(l);
    Lazy *part = a ? restrict_into(l, &l->box, false, a, site) : NULL;
    bool done = part && evaluate(part, a, true, site);
    cs_release(part);
    if (done) buffer_take_over(b, a->head.buffer);
    return done;
}

bool into_over(Over over, Lazy *l, const CsSite *site)
{
    Array *a = over.array;
    /* ^C would leave some elements new and some old */
    if (rt.stops || !a->head.buffer || a->head.buffer->bytes < plan_least(ENOUGH)) return false;
    return rt_array_has(a, &l->box) && rt_type_of(l) == rt_type_of(a) &&
           into_set(over, &l->box, l, false, site);
}
