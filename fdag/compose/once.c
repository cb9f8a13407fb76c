/* Arrays of turns that one other array reads, and only at its own element: they are part of it.
 *   dx = let(i, j) u(i, j + 1) - u(i, j)
 *   v  = let(i, j) u(i, j) + dx(i, j) * dx(i, j)      dx is stored nowhere
 * Of arrays that are others but for some elements, as statements that set elements make them, this holds wherever the next
 * one of that kind reads them:
 *   a = let(i, j) i == 0 ? u(i + 1, j) : u(i, j)
 *   b = let(i, j) j == 0 ? a(i, j + 1) : a(i, j)      a is stored nowhere, but u is
 * All turns stay alike: arrays of one graph are parts of their readers, or none of them is. What the next turn
 * reads is a result of the last one, so it is no part of anything. A reader is what one graph became. */
#include "../internal.h"

enum { MOST_LEAVES = 16 /* reads of a stored array, by one that is it but for some elements */ };

typedef struct Entry {
    const FdGraph *graph;
    const FdNode *reader;  /* NULL: none so far */
    const FdNode *changed; /* of an array that is this one but for some elements: that one */
    int others;            /* reads at other elements */
    bool array;
    bool within; /* a function that is read by arrays of that kind alone: they read what it reads */
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

/* Is it one element of another function? */
static bool is_element(const Once *o, const FdNode *n)
{
    while (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_NONE) {
        const Entry *e = entry_of(o, n->fn);
        if (n->fn->kind != FD_LET || (e && e->array)) return true;
        n = n->fn->body;
    }
    return false;
}

/* Is it made of `old` and numbers? */
static bool is_made_of(const FdNode *n, const FdNode *old)
{
    bool made =
        n == old || n->kind == FD_SCALAR || (n->kind == FD_APPLY && fd_op_of(n) != FD_OP_NONE);
    for (int i = 0; made && n != old && n->kind == FD_APPLY && i < n->nargs; i++)
        made = is_made_of(n->args[i], old);
    return made;
}

/* The array that a value is but for some elements, each set to a number, one made of itself, or another element; NULL:
 * it is no such value. */
static const FdNode *changed_by(const Once *o, const FdNode *n)
{
    if (n->kind != FD_LET || !fdi_is_op(n->body, FD_OP_SELECT)) return NULL;
    const FdNode *set = n->body->args[1], *old = n->body->args[2];
    bool own = old->kind == FD_APPLY && entry_of(o, old->fn) && is_own_element(old, n);
    return own && (is_element(o, set) || is_made_of(set, old)) ? old->fn : NULL;
}

/* What a value of a graph reads of others; false: it has loops, so it is stored. */
static bool read_by(Once *o, const FdNode *reader)
{
    bool plain = true;
    const FdNode *changed = changed_by(o, reader);
    FdWalk w = fd_walk(reader);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        const FdNode *below[FD_MAX_CHILDREN];
        if (n->kind == FD_REDUCE || fdi_applies(n, FD_LEAF_USER)) plain = false;
        for (int i = fd_children(n, below); i-- > 0;) {
            Entry *e = entry_of(o, below[i]);
            const bool within = e && changed && !e->array;
            if (e && !e->array) e->within = within && (e->within || !e->reader);
            if (!e || within) {
                if (e) e->reader = reader;
                fd_walk_add(&w, below[i]);
            } else if (!is_bound(n)) {
                bool applied = n->kind == FD_APPLY && i == 0 && n->fn == below[i];
                const bool other = applied && !is_own_element(n, reader);
                e->others += other;
                e->stays = e->stays || !applied || (other && changed != below[i]) ||
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
        const Entry *e = entry_of(o, old),
                    *read = old->kind == FD_APPLY ? entry_of(o, old->fn) : NULL;
        int count = fd_children(old, children);
        for (int k = fd_nbound(old); k < count; k++) children[k] = fdi_map_node(&done, children[k]);
        const FdNode *now = e && !e->stays
                                ? fdi_rounded_array(fd, fdi_map_node(&done, fdi_array_of(old)))
                                : fdi_rebuild(fd, old, children);
        if (read && now->kind == FD_APPLY && (!read->stays || read->within))
            now = fdi_compose_node(NULL, fd, now); /* of functions nobody thinks again */
        fdi_map_set_node(&done, old, now);
    }
    for (int k = 0; k < g->nresults; k++)
        g->results[k].node = fdi_map_node(&done, g->results[k].node);
    fdi_map_free(&done);
    fdi_map_free(&seen);
    vec_free(&nodes);
}

/* What is read at other elements is an array but for some elements, and so is that, down to one that is stored. */
static void find_leaves(const Once *o, Entry *e)
{
    if (!e->others || e->stays) return;
    int leaves = 1 + e->others;
    Entry *at = e, *next;
    while ((next = at->stays ? NULL : entry_of(o, at->changed))) {
        at = next;
        leaves *= 1 + at->others;
    }
    if (at == e || leaves > MOST_LEAVES)
        e->stays = true;
    else
        at->stays = true;
}

void fdi_read_once(Fd *fd, FdGraph *g, int n, const FdiTurned *made)
{
    Once o = {.entries = arena_array(fd->arena, Entry, n + 1)};
    int parts = n;
    for (int i = 0; i < n; i++) {
        bool array = fdi_array_of(made[i].value);
        o.entries[i] =
            (Entry){.graph = made[i].graph, .stays = !array || made[i].kept, .array = array};
        fdi_map_set(&o.at, made[i].value, (uint64_t)i);
    }
    for (int k = 0; k < g->nresults; k++) {
        const FdNode *of = fdi_array_of(g->results[k].node);
        Entry *e = entry_of(&o, g->results[k].node);
        if (e) e->stays = true;
        if (!e && !entry_of(&o, of)) read_by(&o, of ? of : g->results[k].node);
    }
    for (int i = n; i-- > 0;) { /* readers first */
        const FdNode *of = fdi_array_of(made[i].value);
        if (!o.entries[i].within && !read_by(&o, of ? of : made[i].value))
            o.entries[i].stays = true;
    }
    for (int i = 0; i < n; i++) {
        const FdNode *of = fdi_array_of(made[i].value);
        o.entries[i].changed = changed_by(&o, of ? of : made[i].value);
    }
    for (int i = 0; i < n; i++) find_leaves(&o, &o.entries[i]);
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
