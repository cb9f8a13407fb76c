/* Graphs that programs embed: parsed once, and looked through for what evaluation wants to know:
 * whether an element is expensive, and at how many points it reads each slot. They live in the
 * runtime's Fd until the program ends. */
#include <stdlib.h>
#include <string.h>

#include "../../../base/internal.h"
#include "../../../fdag/index/contraction.h"
#include "../../state.h"
#include "lazy.h"

typedef struct Look {
    unsigned char *seen; /* by node id */
    size_t nseen;
    Graph *graph;
} Look;

static void look(Look *l, const FdNode *n);

static bool is_slot(const FdNode *n)
{
    return (n->kind == FD_FUNC || n->kind == FD_SCALAR) && n->leaf == FD_LEAF_SLOT;
}

/* Marks it, and goes on. */
static bool mark_slot(const void *asked, const FdNode *n)
{
    bool *const *marks = asked;
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT) (*marks)[n->slot] = true;
    return false;
}

void graph_range_asks(const FdDom *d, bool *asked)
{
    if (d->lo) fd_any(d->lo, mark_slot, &asked);
    if (d->hi) fd_any(d->hi, mark_slot, &asked);
}

static void point(Look *l, int slot)
{
    if (l->graph->points[slot] < UINT16_MAX) l->graph->points[slot]++;
}

static void look_apply(Look *l, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return; /* domains cost nothing */
    if (op != FD_OP_NONE) {
        l->graph->expensive |= (fd_op_info(op)->props & FD_EXPENSIVE) != 0;
    } else if (is_slot(n->fn)) {
        point(l, n->fn->slot);
        for (int i = 0; i < n->nargs; i++) /* a gather: an index that is read */
            l->graph->expensive |=
                n->args[i]->kind == FD_APPLY && fd_op_of(n->args[i]) == FD_OP_NONE;
    } else {
        l->graph->expensive |= n->fn->user != NULL;
        look(l, n->fn);
    }
    for (int i = 0; i < n->nargs; i++)
        if (is_slot(n->args[i]) && n->args[i]->kind == FD_FUNC)
            point(l, n->args[i]->slot); /* given to a function */
        else
            look(l, n->args[i]);
}

static void look(Look *l, const FdNode *n)
{
    if (n->id >= l->nseen || l->seen[n->id]) return;
    l->seen[n->id] = 1;
    l->graph->nodes++;
    switch (n->kind) {
    case FD_APPLY: look_apply(l, n); break;
    case FD_REDUCE:
        l->graph->expensive = true;
        look(l, n->body);
        break;
    case FD_LET:
        l->graph->expensive |= n->self != NULL;
        l->graph->recurs |= n->self != NULL;
        look(l, n->body);
        break;
    default: break;
    }
}

const FdNode *graph_add_slots(FdGraph *g, const FdType *t, const char *name)
{
    const FdNode *fields[FD_MAX_FIELDS];
    if (!t->record) {
        g->slots[g->nslots] = (FdSlot){.type = t, .name = name};
        return fd_slot(rt_fd(), g->nslots++, t, name);
    }
    for (int i = 0; i < t->nfields; i++) fields[i] = graph_add_slots(g, t->fields[i], name);
    return fd_make(rt_fd(), t, fields, (FdLoc){0});
}

static bool is_wide(const void *ctx, const FdNode *n)
{
    bool wide = false;
    (void)ctx;
    for (int i = 0; n->kind == FD_REDUCE && i < n->nvars; i++)
        wide = wide || !n->doms[i].lo || !n->doms[i].hi || !fd_is_const(n->doms[i].lo) ||
               !fd_is_const(n->doms[i].hi);
    return wide;
}

static bool is_variable(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_VAR;
}

/* A read of another row than the root's own, which no variable says, or a condition on where the element is. */
static bool is_beside(const void *graph, const FdNode *n)
{
    const FdNode *root = fd_root(graph);
    const FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    bool reads = n->kind == FD_APPLY && is_slot(n->fn), beside = false;
    bool compares = op != FD_OP_NONE && fd_type_is_scalar(n->type) && n->type->scalar == SC_BOOL;
    for (int i = 0; compares && i < n->nargs && !beside; i++)
        beside = !(fd_effects(n->args[i]) & FD_READS) && fd_any(n->args[i], is_variable, NULL);
    for (int d = 0; reads && d + 1 < n->nargs && !beside; d++)
        beside = (d >= root->nvars || n->args[d] != root->vars[d]) &&
                 fd_any(n->args[d], is_variable, NULL);
    return beside;
}

Graph *graph_adopt(FdGraph *fd)
{
    Arena *arena = fd_arena(rt_fd());
    Graph *g = arena_new_of(arena, Graph);
    g->fd = fd;
    g->serial = ++rt.serial;
    g->points = arena_array(arena, uint16_t, fd->nslots ? fd->nslots : 1);
    Look l = {.graph = g, .nseen = (size_t)fd_root(fd)->id + 1};
    l.seen = mem_alloc(l.nseen);
    look(&l, fd_root(fd));
    mem_free(l.seen);
    g->reduces = fd_elements_reduce(fd);
    g->wide = fd_any(fd_root(fd), is_wide, NULL);
    g->neighbours = fd_any(fd_root(fd), is_beside, fd);
    return g;
}

static void parse(void *graph)
{
    CsGraph *g = graph;
    const char *error = NULL;
    FdGraph *fd = fd_read(rt_fd(), g->text, &error);
    if (!fd) internal_error("an embedded graph cannot be read", error); /* csc wrote it */
    Graph *made = graph_adopt(fd);
    made->embedded = true;
    made->foreseen = g->turns & 1;
    made->ends_turn = g->turns & 2;
    made->period = (uint8_t)(g->turns >> 8);
    made->whole = (uint8_t)(g->turns >> 16);
    g->parsed = made;
}

Graph *graph_of(CsGraph *g, const CsSite *site)
{
    if (g->parsed) return g->parsed;
    if (!vec_try(&rt.graphs) || !mem_try(parse, g)) {
        rt_throw_memory(site, 0);
        return NULL;
    }
    vec_push(&rt.graphs, ((RtParsed){g, g->parsed}));
    return g->parsed;
}

void graphs_free(void)
{
    for (size_t i = 0; i < rt.graphs.len; i++) rt.graphs.data[i].graph->parsed = NULL;
    vec_free(&rt.graphs);
}
