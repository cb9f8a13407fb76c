/* Evaluations that follow each other, as one: csc finds statements with nothing to be seen between
 * them (sema/lower/together/together.c) and makes one graph of theirs; before the first the program hands it
 * over with the values of its slots. It is evaluated by one kernel, if the ranges are equal and it
 * pays, and each statement gets what is its own, by the graph and the captures that it asks with. Values of
 * different ranges are results apart, which share what they are made of.
 * Whatever goes wrong, an element that is an error or memory, is forgotten: the statements then are
 * evaluated one after the other, and the first that fails throws, with all before it done.
 * Functions of the host are never called from here.
 * Eval(f, g) is the same of functions that are there: one kernel, or what they share is evaluated once. */
#include "ahead.h"

#include <string.h>

#include "../device/device.h"
#include "../device/memory.h"
#include "../objects/record.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "compose/compose.h"
#include "into.h"
#include "plan.h"
#include "steps/hold.h"
#include "steps/join.h"

enum {
    ENOUGH = 4,     /* failures in a row: then it is left alone */
    SMALL = 1 << 14 /* elements: up to here a launch more is felt */
};

typedef struct Ahead {
    CsAhead *group;
    Graph *graph;
    CsValue *captures; /* of the graph; references are ours */
    int part;          /* that comes next */
    bool held;         /* its parts are better held back */
    const int32_t *at; /* its slots in group->slots */
    Array **arrays;    /* one a part, ours; NULL: scalars */
    ScalarValue *leaf; /* the part's first */
    ScalarValue leaves[RT_MAX_LEAVES];
    PlanLines lines;
    CsValue room[];
} Ahead;

static const CsSite nowhere = {"", "", 0, 0}; /* of errors that nobody sees */

/* ---- handing out --------------------------------------------------------------------------- */

void ahead_drop(void)
{
    Ahead *a = rt.ahead;
    if (!a) return;
    rt.ahead = NULL;
    for (int i = 0; i < a->graph->fd->nslots; i++)
        if (a->graph->fd->slots[i].type->result) cs_release(a->captures[i].ref);
    for (int i = 0; a->arrays && i < a->group->n; i++) cs_release(a->arrays[i]);
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
    Lazy *l = lazy_new((Graph *)(uintptr_t)g, captures, &nowhere);
    int32_t elem = elem_of_type(fd_root(g->fd)->type->result);
    Array *made = l ? rt_array_over(elem, &l->box, &nowhere) : NULL;
    cs_release(l);
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

/* ---- evaluating ---------------------------------------------------------------------------- */

static void ask(void *composed)
{
    Composed *c = composed;
    c->pays = fd_several_pays(&c->graph);
}

/* The composition, if it is one for a kernel and pays for as many elements; to be ended in any case. */
static bool composed(Evaluation *e, const Ahead *a, int64_t count)
{
    *e = (Evaluation){0};
    if (!compose_trial(e, a->graph, a->captures, &nowhere)) return false;
    Composed *c = e->composed;
    if (!c->pays && !mem_try(ask, c)) rt_throw_memory(&nowhere, 0);
    bool pays = c->pays == FD_PAYS || (c->pays == FD_PAYS_SMALL && count <= SMALL) ||
                plan_joins() == PLAN_GREEDY;
    if (cs_pending || e->nclosures || !pays) {
        plan_group(a->group, !pays ? "little work is shared, few arrays are read less often"
                                   : "functions of the host are in them");
        return false;
    }
    e->lines = &a->lines;
    plan_group(a->group, "an element fails, or there is not so much memory");
    compose_count(a->graph, a->captures, &nowhere);
    return !cs_pending;
}

static bool evaluate_scalars(Ahead *a)
{
    const FdType *type = fd_root(a->graph->fd)->type;
    int leaves = fd_type_leaves(type);
    Evaluation e = {0};
    Buffer *b = NULL;
    const char *p = NULL;
    bool good = leaves <= RT_MAX_LEAVES && lazy_check(a->graph, a->captures, &nowhere) &&
                composed(&e, a, 1) && !e.composed->cheap &&
                (b = buffer_new((size_t)fd_plane_offset(type, leaves, 1), false, &nowhere)) &&
                (hold_with(&e, a->graph, a->captures, b, &nowhere) ||
                 (!cs_pending && eval_on_device(&e, 1, &b, 1, &nowhere))) &&
                (p = buffer_host(b, false, &nowhere));
    if (good) hold_learn(&e);
    for (int i = 0; good && i < leaves; i++)
        a->leaves[i] = scalar_load(p + fd_plane_offset(type, i, 1), fd_type_leaf(type, i));
    a->leaf = a->leaves;
    buffer_release(b);
    compose_end(&e);
    return good;
}

/* Arrays of one domain for all results, and their buffers and domains. False with an exception pending. */
static bool make_arrays(Ahead *a, const FdBox *box, Buffer **buffers, FdBox *boxes)
{
    const FdGraph *g = a->graph->fd;
    bool good = true;
    for (int i = 0, part = 0; good && i < g->nresults; i++, part++) {
        while (a->group->inner >> part & 1) part++;
        Array *made = rt_array_over(elem_of_type(g->results[i].node->type->result), box, &nowhere);
        good = made != NULL;
        if (good) buffers[i] = made->head.buffer;
        boxes[i] = *box;
        a->arrays[part] = made;
    }
    return good;
}

/* Is it made of what is held back? Then its parts may be, too, and all of that be one evaluation. */
static bool reads_held(const Ahead *a)
{
    bool held = false;
    for (int i = 0; i < a->graph->fd->nslots; i++) {
        const Array *of = a->captures[i].ref;
        if (!a->graph->fd->slots[i].type->result || of->head.head.kind != CS_ARRAY) continue;
        held = held || (of->head.buffer && of->head.buffer->held);
    }
    return held;
}

/* Are its parts of turns of a loop that are held back one by one? l: arrays of its ranges. */
static bool is_of_turns(Ahead *a, const Lazy *l)
{
    for (int i = 0; i < a->group->n && !a->held; i++) {
        const Graph *g = a->group->parts ? a->group->parts[i]->parsed : NULL;
        a->held = g && g->foreseen && hold_takes(l);
    }
    return a->held;
}

/* Arrays that variables give up lend their memory to results: nobody has them but the variable and we. */
static void find_donors(const Ahead *a, const FdBox *boxes, Buffer *const *buffers, Array **donors)
{
    const FdGraph *g = a->graph->fd;
    int first = fd_root(g)->type->nparams ? 0 : 1;
    for (int slot = 0; slot < g->nslots && slot < 64; slot++) {
        int to = first;
        if (!(a->group->dying >> slot & 1)) continue;
        Array *given = a->captures[slot].ref;
        while (to < g->nresults &&
               (donors[to] || !into_gives(given, 2, &boxes[to], g->results[to].node->type)))
            to++;
        if (to == g->nresults) continue;
        buffer_lend(buffers[to]);
        donors[to] = given;
    }
}

static bool evaluate_arrays(Ahead *a)
{
    if (reads_held(a)) {
        plan_group(a->group, "what they read is held back");
        return false;
    }
    int results = a->graph->fd->nresults;
    int64_t count;
    Buffer *buffers[FD_MAX_FIELDS];
    Array *donors[FD_MAX_FIELDS] = {0};
    FdBox boxes[FD_MAX_FIELDS];
    Evaluation e = {0};
    Lazy *l = lazy_new(a->graph, a->captures, &nowhere); /* looks at the ranges */
    bool good = l && lazy_finite(l) && rt_box_count(&l->box, &count) && count > 0 &&
                !is_of_turns(a, l) && composed(&e, a, count) &&
                make_arrays(a, &l->box, buffers, boxes);
    cs_release(l); /* what dies has no other references than the variable's and ours */
    if (good) find_donors(a, boxes, buffers, donors);
    e.donors = donors;
    if (good && !(good = eval_on_device(&e, results, buffers, count, &nowhere)))
        into_give_back(results, buffers, donors);
    compose_end(&e);
    return good;
}

/* The last part, in which the others are: as any other evaluation, it may be held back. */
static bool evaluate_chain(Ahead *a)
{
    Lazy *l = lazy_new(a->graph, a->captures, &nowhere);
    rt.plan.all = &a->lines;
    Array *made = l && lazy_finite(l) && !is_of_turns(a, l) ? eval_lazy(l, &nowhere) : NULL;
    rt.plan.all = NULL;
    a->arrays[a->group->n - 1] = made ? cs_retain(made) : NULL;
    cs_release(l);
    return made != NULL;
}

/* ---- arrays and scalars ------------------------------------------------------------------------- */

/* A part, an array. NULL, perhaps with an exception pending. slots: its own in group->slots. */
static Lazy *part_of(const Ahead *a, int part, const int32_t *slots)
{
    Graph *g = a->group->parts[part]->parsed;
    int n = g->fd->nslots;
    CsValue *captures = mem_object((size_t)(n + 1) * sizeof *captures);
    for (int i = 0; captures && i < n; i++)
        if (slots[i] < 0)
            captures[i].ref = a->arrays[~slots[i]];
        else
            captures[i] = a->captures[slots[i]];
    Lazy *l = captures ? lazy_new(g, captures, &nowhere) : NULL;
    mem_object_free(captures);
    return l;
}

/* Arrays of the parts that are none of the scalars, each of its own domain, and their buffers. False if one cannot be
 * made. */
static bool make_parts(Ahead *a, Buffer **buffers, FdBox *boxes, int64_t *most)
{
    int result = fd_root(a->graph->fd)->type->nparams ? 0 : 1;
    const int32_t *slots = a->group->slots;
    bool good = true;
    *most = 0;
    for (int k = 0; good && k < a->group->n; k++) {
        const FdGraph *part = ((Graph *)a->group->parts[k]->parsed)->fd;
        int64_t count = 0;
        if (fd_root(part)->type->nparams) {
            Lazy *l = part_of(a, k, slots);
            good = l && lazy_finite(l) && rt_box_count(&l->box, &count) && count > 0 &&
                   (a->arrays[k] = rt_array_over(elem_of_type(fd_root(part)->type->result), &l->box,
                                                 &nowhere));
            if (good) {
                boxes[result] = l->box;
                buffers[result++] = a->arrays[k]->head.buffer;
            }
            cs_release(l);
        }
        *most = count > *most ? count : *most;
        slots += part->nslots;
    }
    return good;
}

/* Arrays of ranges of their own, and scalars, which are the first result if there are any. */
static bool evaluate_both(Ahead *a)
{
    const FdGraph *g = a->graph->fd;
    const FdType *type = fd_root(g)->type;
    bool scalars = !type->nparams;
    int leaves = scalars ? fd_type_leaves(type) : 0;
    int64_t count;
    Buffer *buffers[FD_MAX_FIELDS] = {0};
    Array *donors[FD_MAX_FIELDS] = {0};
    FdBox boxes[FD_MAX_FIELDS];
    const char *p = NULL;
    Evaluation e = {0};
    bool good = leaves <= RT_MAX_LEAVES && lazy_check(a->graph, a->captures, &nowhere) &&
                make_parts(a, buffers, boxes, &count) && composed(&e, a, count);
    if (good && scalars)
        good = (buffers[0] =
                    buffer_new((size_t)fd_plane_offset(type, leaves, 1), false, &nowhere)) != NULL;
    if (good) find_donors(a, boxes, buffers, donors);
    e.donors = donors;
    good = good && eval_on_device(&e, g->nresults, buffers, count, &nowhere) &&
           (!scalars || (p = buffer_host(buffers[0], false, &nowhere)));
    if (!good) into_give_back(g->nresults, buffers, donors);
    for (int i = 0; good && i < leaves; i++)
        a->leaves[i] = scalar_load(p + fd_plane_offset(type, i, 1), fd_type_leaf(type, i));
    a->leaf = a->leaves;
    if (scalars) buffer_release(buffers[0]);
    compose_end(&e);
    return good;
}

/* ---- what it is made of ---------------------------------------------------------------------- */

/* Does evaluating it call the program? */
static bool calls_host(const Graph *g, const CsValue *captures, uint32_t visit)
{
    VEC(Lazy *) stack = {0};
    bool calls = false, room = true;
    for (const Lazy *l = NULL; !calls && room;) {
        for (int i = 0; i < g->fd->nslots; i++) {
            if (!g->fd->slots[i].type->result) continue;
            CsHead *h = captures[i].ref;
            Lazy *below = captures[i].ref;
            calls = calls || h->kind == CS_CLOSURE;
            if (h->kind != CS_LAZY || below->result || below->visit == visit) continue;
            below->visit = visit;
            if ((room = room && vec_try(&stack))) vec_push(&stack, below);
        }
        if (!stack.len) break;
        l = stack.data[--stack.len];
        g = l->graph;
        captures = l->captures;
    }
    vec_free(&stack);
    return calls || !room;
}

/* With the values held; NULL: no memory. */
static Ahead *new_ahead(CsAhead *group, Graph *g, const CsValue *captures)
{
    size_t n = (size_t)g->fd->nslots, results = (size_t)group->n;
    Ahead *a = mem_object(sizeof *a + n * sizeof *captures + results * sizeof *a->arrays);
    if (!a) return NULL;
    a->group = group;
    a->graph = g;
    a->at = group->slots;
    a->captures = a->room;
    if (group->chained || g->fd->nresults > 1 || fd_root(g->fd)->type->nparams)
        a->arrays = (Array **)(a->room + n);
    a->lines.n = rt_dumping(RT_DUMP_PLAN) ? group->n : 0;
    a->lines.inner = (uint64_t)group->inner;
    for (int i = 0; i < a->lines.n; i++) a->lines.line[i] = group->lines[i];
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

/* ---- Eval of several functions ----------------------------------------------------------------- */

/* Have all the ranges of the first? */
static bool are_alike(int n, Lazy *const *functions)
{
    const FdType *first = fd_root(functions[0]->graph->fd)->type;
    const FdBox *box = &functions[0]->box;
    bool alike = true;
    for (int i = 0; i < n && alike; i++) {
        const FdType *type = fd_root(functions[i]->graph->fd)->type;
        alike = lazy_finite(functions[i]) && functions[i]->box.rank == box->rank &&
                box->rank <= CS_MAX_RANK && !type->result->result;
        for (int d = 0; d < box->rank && alike; d++)
            alike = type->params[d] == first->params[d] &&
                    functions[i]->box.dim[d].lo == box->dim[d].lo &&
                    functions[i]->box.dim[d].hi == box->dim[d].hi;
    }
    return alike;
}

/* One evaluation of them; if that is none, they are as they were. */
static void force_together(int n, Lazy *const *functions)
{
    CsValue captures[FD_MAX_FIELDS];
    Array *arrays[FD_MAX_FIELDS] = {0};
    CsAhead group = {.n = n};
    Ahead a = {.group = &group, .captures = captures, .arrays = arrays};
    for (int i = 0; i < n; i++) captures[i].ref = functions[i];
    a.graph = join_graph(n, functions, true, &nowhere);
    bool good = a.graph && !calls_host(a.graph, captures, ++rt.visit) && evaluate_arrays(&a);
    if (cs_pending) rt_catch();
    for (int i = 0; i < n; i++) {
        if (!good || functions[i]->result) {
            cs_release(arrays[i]);
            continue;
        }
        arrays[i]->head.buffer->maker = functions[i]->graph->serial;
        rt_lazy_drop(functions[i]);
        functions[i]->result = arrays[i];
    }
}

/* What several of them are made of is evaluated by itself, as if it had been used before. */
static void share(int n, Lazy *const *functions)
{
    VEC(Lazy *) stack = {0};
    uint32_t first = rt.visit + 1;
    bool room = true;
    for (int k = 0; k < n && room; k++) {
        uint32_t visit = ++rt.visit;
        const Lazy *l = functions[k];
        while (l && room) {
            for (int i = 0; i < l->graph->fd->nslots; i++) {
                Lazy *below = l->captures[i].ref;
                if (!l->graph->fd->slots[i].type->result || below->head.kind != CS_LAZY ||
                    below->result || below->visit == visit)
                    continue;
                bool shared = below->visit >= first && below->visit < visit;
                below->visit = visit;
                if (shared && !below->composed) below->composed = 1;
                room = room && vec_try(&stack);
                if (!shared && room) vec_push(&stack, below);
            }
            l = stack.len ? stack.data[--stack.len] : NULL;
        }
    }
    vec_free(&stack);
}

void cs_force_all(int32_t n, const CsValue *functions, const CsSite *site)
{
    Lazy *lazies[FD_MAX_FIELDS];
    int count = 0;
    ranks_enter();
    for (int i = 0; i < n && count < FD_MAX_FIELDS; i++) {
        Lazy *l = functions[i].ref;
        bool pending = l->head.kind == CS_LAZY && !l->result;
        for (int k = 0; k < count && pending; k++) pending = lazies[k] != l;
        if (pending) lazies[count++] = l;
    }
    if (count > 1 && !device_is_ref() && are_alike(count, lazies)) force_together(count, lazies);
    if (count > 1) share(count, lazies);
    for (int i = 0; i < n && !cs_pending; i++) cs_release(cs_force(functions[i].ref, site));
    ranks_leave(NULL, site);
}

/* ---- statements ---------------------------------------------------------------------------------- */

static bool evaluate(Ahead *a)
{
    plan_group(a->group, "their ranges differ");
    const FdNode *root = fd_root(a->graph->fd);
    bool arrays = root->type->nparams > 0;
    if (arrays && a->group->chained) return evaluate_chain(a);
    if (!arrays && a->graph->fd->nresults == 1) return evaluate_scalars(a);
    return fd_is_beside(a->graph->fd) ? evaluate_arrays(a) : evaluate_both(a);
}

void cs_ahead(CsAhead *group, const CsValue *captures)
{
    ahead_drop();
    if (group->failed >= ENOUGH || device_is_ref() || plan_joins() == PLAN_NONE) return;
    plan_group(group, "functions of the host are in them");
    Graph *g = graph_of(group->graph, &nowhere);
    Ahead *a = g && parse_parts(group) && !calls_host(g, captures, ++rt.visit)
                   ? new_ahead(group, g, captures)
                   : NULL;
    bool good = a && evaluate(a), held = a && a->held;
    rt.ahead = a;
    if (!good) ahead_drop();
    if (cs_pending) rt_catch();
    if (!held) group->failed = good ? 0 : group->failed + 1;
}
