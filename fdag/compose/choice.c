/* Graphs of restrictions and of ??, which no program text has: the runtime makes them when it knows
 * the domains, and the compiler where it foresees that.
 *
 *   restriction  let (i : lo..hi, ..) f(i, ..)              slots f, lo, hi, ..
 *   moved        let (i : lo..hi, ..) f(i - lo, ..)         the same
 *   into         one of these, into a part of a              slots f, a, lo, hi, ..
 *   f ?? g       let (i : lo..hi, ..) inside ? f : g        slots f, g, lo, hi, flo, fhi, ..
 *
 * where a dimension that is infinite has no bounds. */
#include "../internal.h"

typedef struct Writer {
    Fd *fd;
    FdGraph *graph;
} Writer;

static const FdNode *slot(Writer *w, const FdType *type, const char *name)
{
    int i = w->graph->nslots++;
    w->graph->slots[i] = (FdSlot){.type = type, .name = name};
    return fd_slot(w->fd, i, type, name);
}

static const FdNode *op(Writer *w, FdOp o, const FdNode *a, const FdNode *b)
{
    const FdNode *args[2] = {a, b};
    return fd_apply_op(w->fd, o, SC_BOOL, 2, args, (FdLoc){0});
}

/* a && lo <= i && i < hi */
static const FdNode *and_inside(Writer *w, const FdNode *a, const FdNode *i, const FdNode *lo,
                                const FdNode *hi)
{
    const FdNode *wide = i;
    if (i->type->scalar != SC_LONG)
        wide = fd_apply_op(w->fd, FD_OP_CONVERT, SC_LONG, 1, &i, (FdLoc){0});
    const FdNode *in = op(w, FD_OP_LAND, op(w, FD_OP_GE, wide, lo), op(w, FD_OP_LT, wide, hi));
    return a ? op(w, FD_OP_LAND, a, in) : in;
}

/* A long as an index of this type. */
static const FdNode *as(Writer *w, const FdType *type, const FdNode *n)
{
    if (type->scalar == SC_LONG) return n;
    return fd_apply_op(w->fd, FD_OP_CONVERT, type->scalar, 1, &n, (FdLoc){0});
}

bool fd_same_chosen(const FdChosen *a, const FdChosen *b)
{
    return a->type == b->type && a->full == b->full && a->full_first == b->full_first &&
           a->choice == b->choice && a->moved == b->moved && a->into == b->into;
}

FdGraph *fd_chosen(Fd *fd, const FdChosen *c)
{
    int n = c->type->nparams;
    Writer w = {.fd = fd, .graph = arena_new_of(fd->arena, FdGraph)};
    w.graph->slots = arena_array(fd->arena, FdSlot, 2 + 4 * n);
    const FdType *number = fd_type_scalar(fd, SC_LONG);
    const FdNode *f = slot(&w, c->type, "f"), *g = c->choice ? slot(&w, c->type, "g") : NULL;
    const FdNode *into = c->into ? slot(&w, c->type, "a") : NULL;
    const FdNode *vars[FD_MAX_RANK], *at[FD_MAX_RANK], *inside = NULL;
    FdDom doms[FD_MAX_RANK];
    for (int d = 0; d < n; d++) {
        at[d] = vars[d] = fd_var(fd, c->type->params[d], "i");
        doms[d] = (FdDom){FD_DOM_FULL, NULL, NULL};
        if (c->full >> d & 1) continue;
        const FdNode *lo = slot(&w, number, "lo"), *hi = slot(&w, number, "hi");
        doms[d] = (FdDom){FD_DOM_GIVEN, lo, hi};
        if (c->moved) at[d] = op(&w, FD_OP_SUB, vars[d], as(&w, vars[d]->type, lo));
    }
    for (int d = 0; c->choice && d < n; d++) {
        if (c->full_first >> d & 1) continue;
        const FdNode *lo = slot(&w, number, "lo"), *hi = slot(&w, number, "hi");
        inside = and_inside(&w, inside, vars[d], lo, hi);
    }
    const FdNode *body = fd_apply(fd, f, n, at, (FdLoc){0});
    if (c->choice) {
        const FdNode *args[3] = {inside, body, fd_apply(fd, g, n, vars, (FdLoc){0})};
        body = fd_apply_op(fd, FD_OP_SELECT, SC_BOOL, 3, args, (FdLoc){0});
    }
    fd_set_root(fd, w.graph, fd_let(fd, n, vars, doms, body, (FdLoc){0}));
    w.graph->results[0].part = into;
    return w.graph;
}
