/* Elements that are set in an array that waits (hold.h): what the array is then is one more step of its loop, so the turns
 * around it can be taken together.
 *
 *   u = step(u);              held back
 *   u[i, j] = s;              held back, too: u but for one element
 *
 * Only of turns that csc foresaw. Else the array is made, and the element is stored in it. */
#include "../../objects/record.h"
#include "../../ranks/ranks.h"
#include "../../state.h"
#include "hold.h"

/* The step, to be evaluated later; NULL: it cannot be, and nothing has happened. */
static Lazy *step_of(const Array *a, CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    Graph *g = graph_of(graph, site);
    Lazy *l = g && g->foreseen && g->turns != 1 ? lazy_new(g, captures, site) : NULL;
    if (l && rt_array_has(a, &l->box) && hold_wants(l, a->head.buffer->bytes)) return l;
    if (cs_pending) rt_catch(); /* an index is outside: the statement will say so */
    cs_release(l);
    return NULL;
}

int32_t cs_put(void *array_slot, CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    Array **at = array_slot, *a = *at;
    ranks_enter();
    Lazy *l = step_of(a, graph, captures, site);
    Array *now = l ? cs_retain(eval_lazy(l, site)) : NULL;
    cs_release(l);
    ranks_leave(NULL, site);
    if (!now) return 0;
    *at = now;
    cs_release(a);
    return 1;
}
