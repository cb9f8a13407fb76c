/* Arrays of turns that one other array reads, and only at its own element: they are part of it.
 *   dx = let(i, j) u(i, j + 1) - u(i, j)
 *   v  = let(i, j) u(i, j) + dx(i, j) * dx(i, j)      dx is stored nowhere
 * All turns stay alike: arrays of one graph are parts of their readers, or none of them is. What the next turn
 * reads is a result of the last one, so it is no part of anything. A reader is what one graph became. */
#include "../internal.h"

typedef struct Entry {
    const FdGraph *graph;
    const FdNode *reader; /* NULL: none so far */
    bool stays;
} Entry;

typedef struct Once {
    Entry *entries;
    FdiMap at; /* of arrays: their entry */
} Once;

static Entry *entry_of(const Once *o, const FdNode *n)
{
    uint64_t i;
    return n && n->kind == FD_LET && fdi_map_get(&o->at, n, &i) ? &o->entries[i] : NULL;
}

static bool is_bound(const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return op == FD_OP_LOWER || op == FD_OP_UPPER;
}

/* Is it read at the element of the body that reads it? */
static bool is_own_element(const FdNode *n, const FdNode *reader)
{
    bool own = reader->kind == FD_LET && n->nargs == reader->nvars;
    for (int i = 0; own && i < n->nargs; i++) own = n->args[i] == reader->vars[i];
    return own;
}

/* What a value of a graph reads of others; false: it has loops, so it is stored. */
static bool read_by(Once *o, const FdNode *reader)
{
    bool plain = true;
    FdWalk w = fd_walk(reader);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        const FdNode *below[FD_MAX_CHILDREN];
        if (n->kind == FD_REDUCE || fdi_applies(n, FD_LEAF_USER)) plain = false;
        for (int i = fd_children(n, below); i-- > 0;) {
            Entry *e = entry_of(o, below[i]);
            if (!e) {
                fd_walk_add(&w, below[i]);
            } else if (!is_bound(n)) {
                bool applied = n->kind == FD_APPLY && i == 0 && n->fn == below[i];
                e->stays = e->stays || !applied || !is_own_element(n, reader) ||
                           (e->reader && e->reader != reader);
                e->reader = reader;
            }
        }
    }
    fd_walk_end(&w);
    return plain;
}

static void replace(Fd *fd, FdGraph *g, const Once *o)
{
    FdiNodes nodes = {0};
    FdiMap done = {0}, seen = {0};
    for (int k = 0; k < g->nresults; k++) fdi_postorder(g->results[k].node, &seen, &nodes);
    for (size_t i = 0; i < nodes.len; i++) {
        const FdNode *old = nodes.data[i], *children[FD_MAX_CHILDREN];
        const Entry *e = entry_of(o, old);
        int count = fd_children(old, children);
        for (int k = fd_nbound(old); k < count; k++) children[k] = fdi_map_node(&done, children[k]);
        fdi_map_set_node(&done, old,
                         e && !e->stays ? fdi_map_node(&done, fdi_array_of(old))
                                        : fdi_rebuild(fd, old, children));
    }
    for (int k = 0; k < g->nresults; k++)
        g->results[k].node = fdi_map_node(&done, g->results[k].node);
    fdi_map_free(&done);
    fdi_map_free(&seen);
    vec_free(&nodes);
}

void fdi_read_once(Fd *fd, FdGraph *g, int n, const FdiTurned *made)
{
    Once o = {.entries = arena_array(fd->arena, Entry, n + 1)};
    int parts = n;
    for (int i = 0; i < n; i++) {
        bool array = fdi_array_of(made[i].value);
        o.entries[i] = (Entry){.graph = made[i].graph, .stays = !array || made[i].kept};
        fdi_map_set(&o.at, made[i].value, (uint64_t)i);
    }
    for (int k = 0; k < g->nresults; k++) {
        const FdNode *of = fdi_array_of(g->results[k].node);
        Entry *e = entry_of(&o, g->results[k].node);
        if (e) e->stays = true;
        if (!e && !entry_of(&o, of)) read_by(&o, of ? of : g->results[k].node);
    }
    for (int i = 0; i < n; i++) {
        const FdNode *of = fdi_array_of(made[i].value);
        if (!read_by(&o, of ? of : made[i].value)) o.entries[i].stays = true;
    }
    for (int i = 0; i < n; i++) {
        Entry *e = &o.entries[i];
        e->stays = e->stays || !e->reader;
        for (int k = 0; e->stays && k < n; k++)
            if (o.entries[k].graph == e->graph) o.entries[k].stays = true;
    }
    for (int i = 0; i < n; i++) parts -= o.entries[i].stays;
    if (parts) replace(fd, g, &o);
    fdi_map_free(&o.at);
}
