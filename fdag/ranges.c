/* Ranges as symbols: closed bounds, which a key leaves out, become scalar slots. */
#include "internal.h"

/* The first closed range of `order` that is variable i of this binder; -1: not in the order. */
static int range_number(const FdOrder *o, const FdNode *binder, int i)
{
    for (int k = 0; k < o->nranges; k++)
        if (o->range_binder[k] == binder && o->range_index[k] == i) return k;
    return -1;
}

static const FdNode *bound_slot(Fd *fd, FdGraph *g, int k, bool upper)
{
    const FdType *type = fd_type_scalar(fd, SC_LONG);
    const char *name = arena_printf(fd->arena, "r%d.%s", k, upper ? "hi" : "lo");
    FdSlot slot = {.type = type, .name = name};
    return fd_slot(fd, fdi_add_slot(fd, g, slot), type, name);
}

/* n with its ranges replaced; `done` holds what was rebuilt. */
static const FdNode *replace(Fd *fd, const FdNode *n, const FdOrder *o, const FdNode *const *slots,
                             FdiMap *done)
{
    FdiMap seen = {0};
    FdiNodes list = {0};
    fdi_postorder(n, &seen, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *old = list.data[i];
        if (fdi_map_node(done, old)) continue;
        const FdNode *children[FDI_MAX_CHILDREN];
        int count = fdi_children(old, children), at = old->nvars;
        for (int k = old->nvars; k < count; k++) children[k] = fdi_map_node(done, children[k]);
        for (int v = 0; v < old->nvars; v++) {
            int k = old->doms[v].lo ? range_number(o, old, v) : -1;
            if (k >= 0) {
                children[at] = slots[2 * k];
                children[at + 1] = slots[2 * k + 1];
            }
            at += old->doms[v].lo ? 2 : 0;
        }
        fdi_map_set_node(done, old, fdi_rebuild(fd, old, children));
    }
    fdi_map_free(&seen);
    vec_free(&list);
    return fdi_map_node(done, n);
}

int fd_symbolic_ranges(Fd *fd, FdGraph *g, const FdOrder *order)
{
    int first = g->nslots;
    FdiMap done = {0};
    const FdNode **slots = arena_array(fd->arena, const FdNode *, 2 * order->nranges + 1);
    for (int k = 0; k < order->nranges; k++) {
        slots[2 * k] = bound_slot(fd, g, k, false);
        slots[2 * k + 1] = bound_slot(fd, g, k, true);
    }
    g->root = replace(fd, g->root, order, slots, &done);
    g->nagrees = 0; /* checked when the expression was built; they name the graph as it was */
    fdi_map_free(&done);
    return first;
}
