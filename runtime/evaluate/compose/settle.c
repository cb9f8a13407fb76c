/* What is evaluated before a graph is composed (settle.h). A cheap value under two users stays composed in both; an
 * expensive one is evaluated when it would be composed a second time. */
#include "settle.h"

#include "../../../base/vec.h"
#include "../../state.h"
#include "compose.h"

static Lazy *pending(const Graph *g, int slot, const CsValue *captures)
{
    if (!g->fd->slots[slot].type->result) return NULL;
    void *fn = captures[slot].ref;
    return ((CsHead *)fn)->kind == CS_LAZY && !((Lazy *)fn)->result ? fn : NULL;
}

/* Is an element expensive, now that captures may have been evaluated? */
static bool costly(const Lazy *l)
{
    if (l->graph->expensive) return true;
    for (int i = 0; i < l->graph->fd->nslots; i++) {
        const Lazy *c = pending(l->graph, i, l->captures);
        if (c && c->expensive) return true;
    }
    return false;
}

bool settle_wants(const Lazy *l)
{
    if (l->no_keep || !lazy_finite(l)) return false;
    return l->keep || (l->composed > 0 && l->expensive && costly(l));
}

/* Innermost first. Not recursive: chains can be long. */
static bool settle_all(const Graph *g, const CsValue *captures)
{
    typedef struct Step {
        Lazy *lazy;
        const Graph *graph;
        const CsValue *captures;
        int next;
    } Step;
    VEC(Step) stack = {0};
    uint32_t visit = ++rt.visit;
    Step first = {NULL, g, captures, 0};
    bool good = vec_try(&stack);
    if (good) vec_push(&stack, first);
    while (stack.len) {
        Step *s = &vec_last(&stack);
        if (s->next < s->graph->fd->nslots) {
            Lazy *l = pending(s->graph, s->next++, s->captures);
            if (!l || l->visit == visit) continue;
            l->visit = visit;
            Step below = {l, l->graph, l->captures, 0};
            good = vec_try(&stack);
            if (!good) break;
            vec_push(&stack, below);
            continue;
        }
        Lazy *l = s->lazy;
        stack.len--;
        if (!l || l->result || !settle_wants(l)) continue;
        /* An error may be one of elements that nobody asks for: then it is composed. (The
         * evaluation's own walks take marks away from what lies below l: that may be looked at
         * again.) */
        if (!eval_lazy(l, l->site)) {
            rt_catch();
            l->no_keep = true;
        }
    }
    vec_free(&stack);
    return good;
}

/* Is there anything to be evaluated? */
static bool has_some(const Graph *g, const CsValue *captures, uint32_t visit)
{
    bool some = false;
    for (int i = 0; i < g->fd->nslots && !some; i++) {
        Lazy *l = pending(g, i, captures);
        if (!l || l->visit == visit) continue;
        l->visit = visit;
        some = settle_wants(l) || has_some(l->graph, l->captures, visit);
    }
    return some;
}

bool settle(const Graph *g, const CsValue *captures)
{
    return !has_some(g, captures, ++rt.visit) || settle_all(g, captures);
}
