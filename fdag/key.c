/* The structural key. A graph is written as a string of words in order of visit, in which
 * variables, slots and nodes are numbered by first visit, and the string is hashed once. The walk
 * keeps its marks in the nodes (epochs make clearing them free) and its lists in the Fd, so a key
 * of a small graph costs about a microsecond. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "internal.h"

enum {
    TAG_AGAIN = 1,
    TAG_CONST,
    TAG_SLOT,
    TAG_OP,
    TAG_MAKE,
    TAG_FIELD,
    TAG_USER,
    TAG_VAR,
    TAG_APPLY,
    TAG_BINDER,
    TAG_SELF,
    TAG_STMT,
    TAG_HINT,
    TAG_RESULT,
    TAG_PART,
    TAG_TURNS
};

typedef struct KeyWalk {
    Fd *fd;
    const FdGraph *graph; /* NULL in a user function */
    uint32_t epoch;       /* of this walk's marks */
    FdOrder *order;       /* NULL: not asked for, or in a user function */
    FdiNodes *places;     /* nodes in order of visit; NULL: not asked for */
    uint32_t time;        /* nodes visited */
    uint32_t instances;   /* variables met so far */
    int nslots;
    VEC(int) slots;
    FdiNodes binders;
    VEC(int) range_index;
    FdiUsers users; /* named, in order of visit */
} KeyWalk;

static FdKey user_key(Fd *fd, const FdUser *u);

static void put(KeyWalk *w, uint64_t tag, uint64_t x)
{
    vec_push(&w->fd->words, tag | x << 8);
}

/* Seen before, with its free variables still bound as they were? */
static bool again(const FdiNode *b, uint32_t epoch)
{
    if (b->epoch != epoch) return false;
    for (uint32_t i = 0; i < b->nfree; i++) {
        const FdiNode *v = fdi_node(b->free[i]);
        if (v->epoch == epoch && v->start > b->seen) return false;
    }
    return true;
}

static void visit_slot(KeyWalk *w, FdiNode *b)
{
    const FdNode *n = &b->node;
    const FdSlot *s = w->graph && n->slot < w->graph->nslots ? &w->graph->slots[n->slot] : NULL;
    uint64_t flags = s ? (uint64_t)s->is_array | (uint64_t)(s->def != NULL) << 1 : 0;
    put(w, TAG_SLOT, flags | (uint64_t)(unsigned)w->nslots << 8);
    vec_push(&w->fd->words, fdi_type(n->type)->hash);
    w->nslots++;
    if (w->order) vec_push(&w->slots, n->slot);
    if (s && s->def) vec_push(&w->fd->stack, s->def);
}

/* From here on a variable is another one than before. */
static void bind(KeyWalk *w, const FdNode *var)
{
    FdiNode *v = fdi_node(var);
    v->epoch = w->epoch;
    v->seen = w->instances++;
    v->start = w->time;
}

static void visit_binder(KeyWalk *w, const FdNode *n)
{
    put(w, TAG_BINDER,
        (uint64_t)n->kind | (uint64_t)n->nvars << 8 | (uint64_t)(n->init != NULL) << 16);
    vec_push(&w->fd->stack, n->body);
    if (n->init) vec_push(&w->fd->stack, n->init);
    if (n->fn) vec_push(&w->fd->stack, n->fn);
    for (int i = n->nvars - 1; i >= 0; i--) {
        const FdDom *d = &n->doms[i];
        if (!d->lo) continue;
        vec_push(&w->fd->stack, d->hi);
        vec_push(&w->fd->stack, d->lo);
    }
    for (int i = 0; i < n->nvars; i++) {
        bind(w, n->vars[i]);
        bool closed = fd_range_closed(&n->doms[i]);
        put(w, TAG_VAR, (uint64_t)n->doms[i].kind | (uint64_t)closed << 8);
        vec_push(&w->fd->words, fdi_type(n->vars[i]->type)->hash);
        if (closed && w->order) {
            vec_push(&w->binders, n);
            vec_push(&w->range_index, i);
        }
    }
    if (!n->self) return;
    bind(w, n->self);
    put(w, TAG_SELF, 0);
    for (int i = 0; i < n->nvars; i++) vec_push(&w->fd->words, (uint64_t)(uint8_t)n->order[i]);
}

static void visit(KeyWalk *w, FdiNode *b)
{
    const FdNode *n = &b->node;
    Fd *fd = w->fd;
    if (n->kind == FD_VAR) { /* its marks are its binding's */
        if (b->epoch != w->epoch) {
            b->epoch = w->epoch;
            b->seen = w->instances++;
            b->start = 0;
            for (int d = 0; n->extent && d < n->type->nparams; d++)
                vec_push(&w->fd->words, (uint64_t)n->extent[d]);
            if (n->extent) vec_push(&w->fd->words, fdi_type(n->type)->hash);
        }
        put(w, TAG_VAR, (uint64_t)b->seen << 16 | 0xFF);
        return;
    }
    if (again(b, w->epoch)) {
        put(w, TAG_AGAIN, b->seen);
        return;
    }
    b->epoch = w->epoch;
    b->seen = ++w->time;
    if (w->places) vec_push(w->places, n);
    switch (n->kind) {
    case FD_SCALAR:
    case FD_FUNC:
        if (n->leaf == FD_LEAF_SLOT) {
            visit_slot(w, b);
        } else if (n->leaf == FD_LEAF_CONST) {
            put(w, TAG_CONST, (uint64_t)n->type->scalar);
            vec_push(&fd->words, (uint64_t)n->value.i);
        } else if (n->leaf == FD_LEAF_OP) {
            put(w, TAG_OP, (uint64_t)n->op);
            vec_push(&fd->words, fdi_type(n->type)->hash);
        } else if (n->leaf == FD_LEAF_MAKE || n->leaf == FD_LEAF_FIELD) {
            put(w, n->leaf == FD_LEAF_MAKE ? TAG_MAKE : TAG_FIELD, (uint64_t)n->slot);
            vec_push(&fd->words, fdi_type(n->type)->hash);
        } else {
            put(w, TAG_USER, XXH3_64bits(n->user->name, strlen(n->user->name)));
            vec_push(&w->users, n->user);
        }
        break;
    case FD_APPLY:
        put(w, TAG_APPLY, (uint64_t)n->nargs);
        for (int i = n->nargs - 1; i >= 0; i--) vec_push(&fd->stack, n->args[i]);
        vec_push(&fd->stack, n->fn);
        break;
    default: visit_binder(w, n); break;
    }
}

static void walk(KeyWalk *w, const FdNode *root)
{
    FdiNodes *stack = &w->fd->stack;
    size_t bottom = stack->len;
    vec_push(stack, root);
    while (stack->len > bottom) {
        const FdNode *n = vec_last(stack);
        stack->len--;
        visit(w, fdi_node(n));
    }
}

static FdKey hash(const FdiWords *words, size_t from)
{
    XXH128_hash_t h = XXH3_128bits(words->data + from, (words->len - from) * sizeof words->data[0]);
    return (FdKey){.hi = h.high64, .lo = h.low64};
}

static void walk_stmts(KeyWalk *w, const FdStmt *s)
{
    for (; s; s = s->next) {
        put(w, TAG_STMT, (uint64_t)s->kind);
        if (s->var) walk(w, s->var);
        if (s->expr) walk(w, s->expr);
        walk_stmts(w, s->body);
        put(w, TAG_STMT, 0xFE);
        walk_stmts(w, s->other);
        put(w, TAG_STMT, 0xFF);
    }
}

/* The bodies of the functions a walk named, after it, since their walks use the same marks. */
static void put_users(KeyWalk *w)
{
    for (size_t i = 0; i < w->users.len; i++) {
        FdKey k = user_key(w->fd, w->users.data[i]);
        vec_push(&w->fd->words, k.hi);
        vec_push(&w->fd->words, k.lo);
    }
    vec_free(&w->users);
}

/* Of the name, type and body; found once. */
static FdKey user_key(Fd *fd, const FdUser *u)
{
    FdiUser *b = (FdiUser *)(uintptr_t)u;
    if (b->keyed) return b->key;
    KeyWalk w = {.fd = fd, .epoch = ++fd->epoch};
    size_t from = fd->words.len;
    vec_push(&fd->words, XXH3_64bits(u->name, strlen(u->name)));
    vec_push(&fd->words, fdi_type(u->type)->hash);
    vec_push(&fd->words, (uint64_t)u->associative | (uint64_t)u->commutative << 1);
    if (u->identity) walk(&w, u->identity);
    for (int i = 0; u->body && i < u->nparams; i++) walk(&w, u->params[i]);
    walk_stmts(&w, u->body);
    put_users(&w);
    b->key = hash(&fd->words, from);
    b->keyed = u->body != NULL; /* a function may still get its body */
    fd->words.len = from;
    return b->key;
}

static bool named(const FdiUsers *users, const FdUser *u)
{
    for (size_t i = 0; i < users->len; i++)
        if (users->data[i] == u) return true;
    return false;
}

/* The nodes of the bodies of the functions that a walk named, and of those that they name. */
static void add_bodies(const KeyWalk *w)
{
    size_t from = w->fd->words.len;
    FdiUsers users = {0};
    for (size_t i = 0; i < w->users.len; i++) vec_push(&users, w->users.data[i]);
    for (size_t i = 0; i < users.len; i++) {
        KeyWalk body = {.fd = w->fd, .places = w->places, .epoch = ++w->fd->epoch};
        walk_stmts(&body, users.data[i]->body);
        for (size_t k = 0; k < body.users.len; k++)
            if (!named(&users, body.users.data[k])) vec_push(&users, body.users.data[k]);
        vec_free(&body.users);
    }
    vec_free(&users);
    w->fd->words.len = from;
}

/* [AutoTune] asks for values, and changes none. */
static void put_hints(KeyWalk *w, const char *hints)
{
    static const char asks[] = "AutoTune";
    for (const char *word = hints; word && *word; word += strspn(word, " ")) {
        size_t n = strcspn(word, " ");
        if (n != sizeof asks - 1 || memcmp(word, asks, n) != 0)
            put(w, TAG_HINT, XXH3_64bits(word, n));
        word += n;
    }
}

FdKey fd_key(Fd *fd, const FdGraph *g, FdOrder *order)
{
    FdiNodes places = {0};
    KeyWalk w = {.fd = fd, .graph = g, .order = order, .epoch = ++fd->epoch};
    if (order) w.places = &places;
    fd->words.len = fd->stack.len = 0;
    put_hints(&w, g->hints);
    for (int k = 0; k < g->nresults; k++) {
        if (k) put(&w, TAG_RESULT, 0);
        walk(&w, g->results[k].node);
        if (!g->results[k].part) continue;
        put(&w, TAG_PART, 0);
        walk(&w, g->results[k].part);
    }
    if (g->turns) {
        put(&w, TAG_TURNS, 0);
        walk(&w, g->turns);
    }
    for (int i = 0; i < g->nmoving; i++) {
        walk(&w, g->moving[i].slot);
        walk(&w, g->moving[i].values);
    }
    size_t nnodes = places.len;
    if (order) add_bodies(&w);
    put_users(&w);
    FdKey key = hash(&fd->words, 0);
    if (order) {
        Arena *a = fd->arena;
        *order = (FdOrder){.nslots = (int)w.slots.len,
                           .nranges = (int)w.binders.len,
                           .nnodes = (int)nnodes,
                           .nplaces = (int)places.len};
        order->slots = arena_copy(a, w.slots.data, w.slots.len * sizeof(int));
        order->range_binder = arena_copy(a, w.binders.data, w.binders.len * sizeof(FdNode *));
        order->range_index = arena_copy(a, w.range_index.data, w.range_index.len * sizeof(int));
        order->nodes = arena_copy(a, places.data, places.len * sizeof(FdNode *));
        vec_free(&w.slots);
        vec_free(&w.binders);
        vec_free(&w.range_index);
        vec_free(&places);
    }
    return key;
}

const FdLoc *fd_number_places(Fd *fd, const FdOrder *order)
{
    FdLoc *before = arena_array(fd->arena, FdLoc, order->nplaces);
    for (int i = 0; i < order->nplaces; i++) before[i] = order->nodes[i]->loc;
    for (int i = order->nplaces - 1; i >= 0; i--) /* a node visited again keeps its first number */
        fdi_node(order->nodes[i])->node.loc = (FdLoc){.line = i + 1};
    return before;
}
