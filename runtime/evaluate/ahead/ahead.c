/* Evaluations that follow each other, as one: csc finds statements with nothing to be seen between
 * them (sema/lower/together/together.c) and makes one graph of theirs; before the first the program hands it
 * over with the values of its slots. It is evaluated by one kernel, if the ranges are equal and it
 * pays, and each statement gets what is its own, by the graph and the captures that it asks with. Values of
 * different ranges are results apart, which share what they are made of.
 * Whatever goes wrong, an element that is an error or memory, is forgotten: the statements then are
 * evaluated one after the other, and the first that fails throws, with all before it done.
 * Functions of the host are never called from here. */
#include <string.h>

#include "../../../fdag/index/footprint/footprint.h"
#include "../../device/device.h"
#include "../../device/memory.h"
#include "../../state.h"
#include "../bind/instant.h"
#include "../compose/plain.h"
#include "ahead_group.h"

enum { ENOUGH = 4 }; /* failures in a row: then it is left alone */

/* ---- handing out --------------------------------------------------------------------------- */

/* Forgets what nobody asked for. */
static void ahead_drop(void)
{
    Ahead *a = rt.ahead;
    if (!a) return;
    rt.ahead = NULL;
    for (int i = 0; a->keeps && i < a->graph->fd->nslots; i++)
        if (a->graph->fd->slots[i].type->result) cs_release(a->captures[i].ref);
    for (int i = a->part; a->arrays && i < a->group->n; i++) cs_release(a->arrays[i]);
    if (a->lines) mem_object_free(a->lines);
    a->lines = NULL;
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

Array *ahead_array(const Graph *g, const CsValue *captures)
{
    Ahead *a = rt.ahead;
    if (!a || !is_next(a, g, captures)) return NULL;
    Array *result = a->arrays[a->part];
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

typedef struct Making {
    CsAhead *group;
    Graph *graph;
} Making;

static void make_room(void *making)
{
    const Making *m = making;
    const Graph *g = m->graph;
    Arena *arena = fd_arena(rt_fd());
    Ahead *a = arena_new_of(arena, Ahead);
    a->group = m->group;
    a->graph = m->graph;
    a->captures = arena_array(arena, CsValue, g->fd->nslots + 1);
    if (m->group->chained || g->fd->nresults > 1 || fd_root(g->fd)->type->nparams)
        a->arrays = arena_array(arena, Array *, m->group->n);
    a->unfilled = arena_array(arena, Array *, m->group->n);
    for (int i = 0; i < m->group->n; i++) {
        const Graph *part = m->group->parts[i]->parsed;
        a->may_hide = a->may_hide || (m->group->inner >> i & 1 && !fd_is_surely_good(part->fd));
    }
    m->graph->dying = m->group->chained ? 0 : (uint64_t)m->group->dying;
    a->leaves = arena_array(arena, ScalarValue, leaves_of(g) + 1);
    m->graph->ahead = a;
}

/* The graphs of the parts, so that they can be told apart by their address. */
static bool parse_parts(const CsAhead *group)
{
    for (int i = 0; i < group->n; i++)
        if (!graph_of(group->parts[i], &nowhere)) return false;
    return true;
}

/* For evaluations of the group, with parts that are parsed. NULL, perhaps with an exception pending: no memory. */
static Ahead *ahead_of(CsAhead *group)
{
    Graph *g = graph_of(group->graph, &nowhere);
    if (!g || g->ahead) return g ? g->ahead : NULL;
    return parse_parts(group) && mem_try(make_room, &(Making){group, g}) ? g->ahead : NULL;
}

/* Nothing of it is made; the values are not held. */
static void begin(Ahead *a, CsAhead *group, const CsValue *captures)
{
    memcpy(a->captures, captures, (size_t)a->graph->fd->nslots * sizeof *captures);
    if (a->arrays) memset(a->arrays, 0, (size_t)group->n * sizeof *a->arrays);
    a->group = group;
    a->at = group->slots;
    a->leaf = a->leaves;
    a->part = 0;
    a->held = a->keeps = false;
}

static void hold(Ahead *a)
{
    a->keeps = true;
    for (int i = 0; i < a->graph->fd->nslots; i++)
        if (a->graph->fd->slots[i].type->result) cs_retain(a->captures[i].ref);
}

/* ---- statements ---------------------------------------------------------------------------------- */

/* Are there arrays for all parts that are no results? */
static bool has_unfilled(const Ahead *a)
{
    bool all = true;
    for (int i = 0; all && i < a->group->n; i++)
        all = !(a->group->inner >> i & 1) || a->unfilled[i];
    return all;
}

/* As the last time, at once, which told that they are as good together. */
static bool make_again(Ahead *a)
{
    Array *made[FD_MAX_FIELDS];
    const CsAhead *group = a->group;
    const bool hides = a->may_hide || (group->inner && !plain_is_flat(a->graph));
    if (group->inner && (!has_unfilled(a) || (hides && !group->chained && ahead_hides(a))))
        return false;
    if (!instant_all(a->graph, a->captures, &nowhere, made, a->leaves)) {
        if (cs_pending) rt_catch();
        return false;
    }
    for (int i = 0, part = 0; a->arrays && part < group->n; part++) {
        const Graph *g = group->parts[part]->parsed;
        if (!fd_root(g->fd)->type->nparams) continue;
        a->arrays[part] = group->inner >> part & 1 ? cs_retain(a->unfilled[part]) : made[i++];
    }
    return true;
}

static bool make(Ahead *a)
{
    if (ahead_calls_host(a->graph, a->captures, ++rt.visit)) return false;
    return add_lines(a) && !ahead_hides(a) && ahead_make(a);
}

/* The slower way, which decides. */
static void make_first(CsAhead *group, const CsValue *captures)
{
    if (device_is_ref() || plan_joins() == PLAN_NONE) return;
    plan_group(group, "functions of the host are in them");
    Ahead *a = ahead_of(group);
    if (a) begin(a, group, captures);
    if (a) hold(a);
    const bool good = a && make(a), held = a && a->held;
    rt.ahead = a;
    if (!good) ahead_drop();
    if (cs_pending) rt_catch();
    if (!held) group->failed = good ? 0 : group->failed + 1;
}

void cs_ahead(CsAhead *group, const CsValue *captures)
{
    if (rt.ahead) ahead_drop();
    if (group->failed >= ENOUGH) return;
    const Graph *g = group->graph->parsed;
    Ahead *a = g ? g->ahead : NULL;
    if (a) begin(a, group, captures);
    if (!a || !make_again(a)) {
        make_first(group, captures);
        return;
    }
    rt.ahead = a;
    group->failed = 0;
}

void ahead_end(void)
{
    ahead_drop();
    for (size_t i = 0; i < rt.graphs.len; i++) {
        const Graph *g = rt.graphs.data[i].graph->parsed;
        const Ahead *a = g->ahead;
        for (int k = 0; a && k < a->group->n; k++) cs_release(a->unfilled[k]);
    }
}
