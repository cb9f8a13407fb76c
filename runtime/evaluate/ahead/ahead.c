/* Evaluations that follow each other, as one: csc finds statements with nothing to be seen between
 * them (sema/lower/together/together.c) and makes one graph of theirs; before the first the program hands it
 * over with the values of its slots. It is evaluated by one kernel, if the ranges are equal and it
 * pays, and each statement gets what is its own, by the graph and the captures that it asks with. Values of
 * different ranges are results apart, which share what they are made of.
 * Whatever goes wrong, an element that is an error or memory, is forgotten: the statements then are
 * evaluated one after the other, and the first that fails throws, with all before it done.
 * Functions of the host are never called from here. */
#include <string.h>

#include "../../device/device.h"
#include "../../device/memory.h"
#include "../../state.h"
#include "ahead_group.h"

enum { ENOUGH = 4 }; /* failures in a row: then it is left alone */

/* ---- handing out --------------------------------------------------------------------------- */

void ahead_drop(void)
{
    Ahead *a = rt.ahead;
    if (!a) return;
    rt.ahead = NULL;
    for (int i = 0; i < a->graph->fd->nslots; i++)
        if (a->graph->fd->slots[i].type->result) cs_release(a->captures[i].ref);
    for (int i = 0; a->arrays && i < a->group->n; i++) cs_release(a->arrays[i]);
    mem_object_free(a->lines);
    mem_object_free(a);
}

static bool has_values(const Ahead *a, const Graph *g, const CsValue *captures)
{
    if (!g || a->group->parts[a->part]->parsed != g) return false;
    for (int i = 0; i < g->fd->nslots; i++) {
        int k = a->at[i];
        if (k < 0 ? captures[i].ref != a->arrays[~k] : captures[i].i != a->captures[k].i)
            return false;
    }
    return true;
}

/* Is this the evaluation that comes next, of the same values? If not a variable has another name,
 * and changed under it: that will not be better the next time. */
static bool is_next(Ahead *a, const Graph *g, const CsValue *captures)
{
    if (has_values(a, g, captures)) return true;
    a->group->failed = ENOUGH;
    ahead_drop();
    return false;
}

/* After part's turn. */
static void go_on(Ahead *a, const Graph *g)
{
    a->at += g->fd->nslots;
    if (++a->part == a->group->n) ahead_drop();
}

/* The array of a part that is no result: later ones have been computed without it, and nobody else asks for
 * an element. */
static Array *unfilled(const Graph *g, const CsValue *captures)
{
    int32_t elem = elem_of_type(fd_root(g->fd)->type->result);
    FdBox box;
    Array *made = lazy_range((Graph *)(uintptr_t)g, captures, &nowhere, &box)
                      ? rt_array_over(elem, &box, &nowhere)
                      : NULL;
    if (cs_pending) rt_catch();
    return made;
}

Array *ahead_array(const Graph *g, const CsValue *captures)
{
    Ahead *a = rt.ahead;
    if (!a || !is_next(a, g, captures)) return NULL;
    if (a->group->inner >> a->part & 1 && !(a->arrays[a->part] = unfilled(g, captures))) {
        ahead_drop();
        return NULL;
    }
    Array *result = cs_retain(a->arrays[a->part]);
    go_on(a, g);
    return result;
}

bool ahead_scalar(const Graph *g, const CsValue *captures, ScalarValue *out)
{
    Ahead *a = rt.ahead;
    if (!a || !is_next(a, g, captures)) return false;
    int n = fd_type_leaves(fd_root(g->fd)->type);
    memcpy(out, a->leaf, (size_t)n * sizeof *out);
    a->leaf += n;
    go_on(a, g);
    return true;
}

/* ---- what it is made of ---------------------------------------------------------------------- */

bool ahead_calls_host(const Graph *g, const CsValue *captures, uint32_t visit)
{
    bool calls = false;
    for (int i = 0; i < g->fd->nslots && !calls; i++) {
        Lazy *l = g->fd->slots[i].type->result ? captures[i].ref : NULL;
        if (!l || l->head.kind == CS_ARRAY) continue;
        calls = l->head.kind == CS_CLOSURE;
        if (calls || l->result || l->visit == visit) continue;
        l->visit = visit;
        calls = ahead_calls_host(l->graph, l->captures, visit);
    }
    return calls;
}

static bool add_lines(Ahead *a)
{
    if (!rt_dumping(RT_DUMP_PLAN)) return true;
    if (!(a->lines = mem_object(sizeof *a->lines))) return false;
    a->lines->n = a->group->n;
    a->lines->inner = (uint64_t)a->group->inner;
    for (int i = 0; i < a->group->n; i++) a->lines->line[i] = a->group->lines[i];
    return true;
}

/* Of the scalars, which are the first result if there are any. */
static int leaves_of(const Graph *g)
{
    const FdType *type = fd_root(g->fd)->type;
    int leaves = type->nparams ? 0 : fd_type_leaves(type);
    return leaves <= RT_MAX_LEAVES ? leaves : 0;
}

/* With the values held; NULL: no memory. */
static Ahead *new_ahead(CsAhead *group, Graph *g, const CsValue *captures)
{
    size_t n = (size_t)g->fd->nslots, results = (size_t)group->n, leaves = (size_t)leaves_of(g);
    Ahead *a = mem_object(sizeof *a + n * sizeof *captures + results * sizeof *a->arrays +
                          leaves * sizeof *a->leaves);
    if (!a) return NULL;
    a->group = group;
    a->graph = g;
    a->at = group->slots;
    a->captures = a->room;
    if (group->chained || g->fd->nresults > 1 || fd_root(g->fd)->type->nparams)
        a->arrays = (Array **)(a->room + n);
    a->leaves = a->leaf = (ScalarValue *)((Array **)(a->room + n) + results);
    if (!add_lines(a)) {
        mem_object_free(a);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        a->captures[i] = captures[i];
        if (g->fd->slots[i].type->result) cs_retain(captures[i].ref);
    }
    return a;
}

/* The graphs of the parts, so that they can be told apart by their address. */
static bool parse_parts(const CsAhead *group)
{
    for (int i = 0; i < group->n; i++)
        if (!graph_of(group->parts[i], &nowhere)) return false;
    return true;
}

/* ---- statements ---------------------------------------------------------------------------------- */

void cs_ahead(CsAhead *group, const CsValue *captures)
{
    ahead_drop();
    if (group->failed >= ENOUGH || device_is_ref() || plan_joins() == PLAN_NONE) return;
    plan_group(group, "functions of the host are in them");
    Graph *g = graph_of(group->graph, &nowhere);
    Ahead *a = g && parse_parts(group) && !ahead_calls_host(g, captures, ++rt.visit)
                   ? new_ahead(group, g, captures)
                   : NULL;
    bool good = a && !ahead_hides(a) && ahead_make(a), held = a && a->held;
    rt.ahead = a;
    if (!good) ahead_drop();
    if (cs_pending) rt_catch();
    if (!held) group->failed = good ? 0 : group->failed + 1;
}
