/* Memory of results and slots (take.h). */
#include "take.h"

#include "../../device/device.h"
#include "../../device/memory.h"
#include "../../ranks/parts.h"
#include "../../state.h"

/* May a result lie over an array that is read, with nothing to be told of half of it? */
static bool goes_over(const Evaluation *e, Numbers *n)
{
    const CgSchedule *s = &n->schedule;
    bool over = !rt.stops && !numbers_can_fail(e, n);
    for (int i = 0; over && i < s->nlaunches; i++)
        for (int a = 0; a < s->launches[i].nargs; a++)
            over = over && (s->launches[i].over || s->launches[i].args[a].kind != CG_ARG_SLOT);
    return over;
}

/* Memory for those that have none. False with an exception pending. */
bool take_results(const Evaluation *e, Numbers *n, const Results *r, const CsSite *site)
{
    bool over = e->donors && goes_over(e, n);
    for (int i = 0; i < r->n; i++) {
        if (over && e->donors[i] && r->buffers[i]->lent)
            buffer_take_over(r->buffers[i], e->donors[i]->head.buffer);
        else if (!buffer_regain(r->buffers[i], site))
            return false;
    }
    return true;
}

/* The arrays' buffers; `queued`: the host must not write them until launches are over. False with an
 * exception pending. */
bool take_slots(Evaluation *e, Numbers *n, const Results *r, bool queued, const CsSite *site)
{
    const FdOrder *o = &e->composed->order;
    for (int k = 0; k < o->nslots; k++) {
        Array *a = e->leaves.data[o->slots[k]].array;
        if (!a) continue;
        n->slots[k] = a->head.buffer;
        if (a->head.buffer && a->head.buffer->held && !rt_fill(a->head.buffer, site)) return false;
        for (int i = 0; e->donors && i < r->n; i++)
            if (a == e->donors[i] && a->head.buffer->lent) n->slots[k] = r->buffers[i];
        if (queued) a->head.host_state &= ~CS_HOST_WRITE;
    }
    return true;
}
