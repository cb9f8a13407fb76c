/* One evaluation of all parts of a group (ahead.c): arrays of the same ranges, scalars, a chain, or both. */
#include "../../device/memory.h"
#include "../../state.h"
#include "../bind/recall.h"
#include "../compose/plain.h"
#include "../into.h"
#include "../steps/hold.h"
#include "ahead_group.h"

enum { SMALL = 1 << 14 }; /* elements: up to here a launch more is felt */

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
    e->lines = a->lines;
    plan_group(a->group, "an element fails, or there is not so much memory");
    plain_count(a->graph, a->captures);
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
    if (good) leaves_load(type, p, a->leaves);
    if (good) recall_range(&e, a->graph, a->captures, &(FdBox){0});
    buffer_release(b);
    compose_end(&e);
    return good;
}

/* The range of a part, an array. False, perhaps with an exception pending. slots: its own in group->slots. */
static bool find_part(const Ahead *a, int part, const int32_t *slots, FdBox *box)
{
    enum { FEW = 16 };
    Graph *g = a->group->parts[part]->parsed;
    int n = g->fd->nslots;
    CsValue few[FEW] = {0}, *captures = n <= FEW ? few : mem_object((size_t)n * sizeof *captures);
    for (int i = 0; captures && i < n; i++)
        if (slots[i] < 0)
            captures[i].ref = a->arrays[~slots[i]];
        else
            captures[i] = a->captures[slots[i]];
    bool found = captures && lazy_range(g, captures, &nowhere, box);
    if (captures != few) mem_object_free(captures);
    return found;
}

/* Arrays for parts that are no results: nobody asks for an element of them. They are made before anything is handed out,
 * since later parts have been computed without them. box: of all parts; NULL: each has its own. False with an exception
 * pending. */
static bool make_unfilled(Ahead *a, const FdBox *box)
{
    const CsAhead *group = a->group;
    const int32_t *slots = group->slots;
    bool good = true;
    for (int k = 0; good && group->inner && k < group->n; k++) {
        const FdGraph *part = ((Graph *)group->parts[k]->parsed)->fd;
        Array **last = &a->unfilled[k], *made;
        FdBox own;
        if (group->inner >> k & 1) {
            if (!box && !find_part(a, k, slots, &own)) return false;
            const FdBox *of = box ? box : &own;
            if (*last && !rt_array_has(*last, of)) {
                cs_release(*last);
                *last = NULL;
            }
            const int32_t elem = elem_of_type(fd_root(part)->type->result);
            made = *last ? cs_retain(*last) : rt_array_over(elem, of, &nowhere);
            a->arrays[k] = made;
            good = made != NULL;
            const Buffer *b = good ? made->head.buffer : NULL;
            if (b && !*last && plan_is_small(b->bytes)) *last = cs_retain(made);
        }
        slots += part->nslots;
    }
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
        fd_box_copy(&boxes[i], box);
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

/* Are its parts of turns of a loop that are held back one by one? box: of its arrays. */
static bool is_of_turns(Ahead *a, const FdBox *box)
{
    return a->held = a->graph->foreseen && hold_takes(a->graph, box);
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

bool ahead_make_arrays(Ahead *a)
{
    if (reads_held(a)) {
        plan_group(a->group, "what they read is held back");
        return false;
    }
    int results = a->graph->fd->nresults;
    int64_t count;
    Buffer *buffers[FD_MAX_FIELDS];
    Array *donors[FD_MAX_FIELDS] = {0};
    FdBox box, boxes[FD_MAX_FIELDS];
    Evaluation e = {0};
    bool good = lazy_range(a->graph, a->captures, &nowhere, &box) && lazy_fits(&box, &count) &&
                count > 0 && !is_of_turns(a, &box) && composed(&e, a, count) &&
                make_unfilled(a, &box) && make_arrays(a, &box, buffers, boxes);
    if (good) find_donors(a, boxes, buffers, donors);
    e.donors = donors;
    if (good && !(good = eval_on_device(&e, results, buffers, count, &nowhere)))
        into_give_back(results, buffers, donors);
    if (good) recall_range(&e, a->graph, a->captures, &box);
    compose_end(&e);
    return good;
}

/* The last part, in which the others are: as any other evaluation, it may be held back. */
static bool evaluate_chain(Ahead *a)
{
    Lazy *l = lazy_new(a->graph, a->captures, &nowhere);
    rt.plan.all = a->lines;
    Array *made = l && lazy_finite(l) && !is_of_turns(a, &l->box) ? eval_lazy(l, &nowhere) : NULL;
    rt.plan.all = NULL;
    a->arrays[a->group->n - 1] = made ? cs_retain(made) : NULL;
    cs_release(l);
    return made && make_unfilled(a, NULL);
}

/* ---- arrays and scalars ------------------------------------------------------------------------- */

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
            FdBox *box = &boxes[result];
            good = find_part(a, k, slots, box) && lazy_fits(box, &count) && count > 0 &&
                   (a->arrays[k] =
                        rt_array_over(elem_of_type(fd_root(part)->type->result), box, &nowhere));
            if (good) buffers[result++] = a->arrays[k]->head.buffer;
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
    if (good && scalars) leaves_load(type, p, a->leaves);
    if (good) recall_ranges(&e, a->graph, a->captures, boxes);
    if (scalars) buffer_release(buffers[0]);
    compose_end(&e);
    return good;
}

bool ahead_make(Ahead *a)
{
    plan_group(a->group, "their ranges differ");
    const FdNode *root = fd_root(a->graph->fd);
    bool arrays = root->type->nparams > 0;
    if (arrays && a->group->chained) return evaluate_chain(a);
    if (!arrays && a->graph->fd->nresults == 1) return evaluate_scalars(a);
    return fd_is_beside(a->graph->fd) ? ahead_make_arrays(a) : evaluate_both(a);
}
