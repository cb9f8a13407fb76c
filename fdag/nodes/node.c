/* Hash-consing. A node is looked up by its structure and made only if it is new; with it are kept its
 * free variables, so that scope questions need no walk. build.c has the builders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../internal.h"

enum { FIRST_TABLE = 256, MAX_WORDS = 16 + 4 * FD_MAX_RANK + FD_MAX_PARAMS };

Fd *fd_new(void)
{
    Arena *arena = arena_new();
    Fd *fd = arena_new_of(arena, Fd);
    fd->arena = arena;
    fd->last_user = &fd->users;
    fd->nodes_size = FIRST_TABLE;
    fd->nodes = mem_alloc(fd->nodes_size * sizeof(FdiNode *));
    vec_reserve(&fd->records, 8); /* now: what is allocated later may be in a mem_try that fails */
    vec_reserve(&fd->words, 64);
    vec_reserve(&fd->stack, 16);
    return fd;
}

void fd_free(Fd *fd)
{
    if (!fd) return;
    mem_free(fd->nodes);
    vec_free(&fd->records);
    vec_free(&fd->words);
    vec_free(&fd->stack);
    mem_free(fd->asked);
    arena_free(fd->arena);
}

Arena *fd_arena(Fd *fd)
{
    return fd->arena;
}

/* ---- hash-consing ---------------------------------------------------------------------- */

static uint64_t bits(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static uint64_t hash_of(const FdNode *n)
{
    uint64_t w[MAX_WORDS];
    size_t k = 0;
    w[k++] = (uint64_t)n->kind | (uint64_t)n->leaf << 8 | (uint64_t)n->op << 16 |
             (uint64_t)n->nargs << 32 | (uint64_t)n->nvars << 40;
    w[k++] = bits(n->type);
    w[k++] = (uint64_t)n->value.i;
    w[k++] = (uint64_t)(unsigned)n->slot | (uint64_t)n->var << 32;
    w[k++] = bits(n->user);
    w[k++] = bits(n->fn);
    w[k++] = bits(n->body);
    w[k++] = bits(n->init);
    w[k++] = bits(n->self);
    for (int i = 0; n->self && i < n->nvars; i++) w[k++] = (uint64_t)(uint8_t)n->order[i];
    for (int i = 0; i < n->nargs; i++) w[k++] = bits(n->args[i]);
    for (int i = 0; i < n->nvars; i++) {
        w[k++] = bits(n->vars[i]);
        w[k++] = (uint64_t)n->doms[i].kind;
        w[k++] = bits(n->doms[i].lo);
        w[k++] = bits(n->doms[i].hi);
    }
    return XXH3_64bits(w, k * sizeof w[0]);
}

static bool same_node(const FdNode *a, const FdNode *b)
{
    if (a->kind != b->kind || a->leaf != b->leaf || a->op != b->op || a->nargs != b->nargs ||
        a->nvars != b->nvars || a->type != b->type || a->value.i != b->value.i ||
        a->slot != b->slot || a->var != b->var || a->user != b->user || a->fn != b->fn ||
        a->body != b->body || a->init != b->init || a->self != b->self ||
        memcmp(a->order, b->order, sizeof a->order) != 0)
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (a->args[i] != b->args[i]) return false;
    for (int i = 0; i < a->nvars; i++)
        if (a->vars[i] != b->vars[i] || a->doms[i].kind != b->doms[i].kind ||
            a->doms[i].lo != b->doms[i].lo || a->doms[i].hi != b->doms[i].hi)
            return false;
    return true;
}

static void grow(Fd *fd)
{
    size_t size = fd->nodes_size * 2;
    FdiNode **bigger = mem_beside(fd->nodes, size * sizeof *bigger);
    for (size_t i = 0; i < fd->nodes_size; i++) {
        if (!fd->nodes[i]) continue;
        size_t at = fd->nodes[i]->hash & (size - 1);
        while (bigger[at]) at = (at + 1) & (size - 1);
        bigger[at] = fd->nodes[i];
    }
    mem_free(fd->nodes);
    fd->nodes = bigger;
    fd->nodes_size = size;
}

/* ---- what is known of the graph below -------------------------------------------------- */

/* The union of two ascending lists, sharing one of them where it can. */
static void add_free(Fd *fd, FdiNode *b, const FdNode *const *list, uint32_t n)
{
    if (n == 0) return;
    if (b->nfree == 0) {
        b->free = list;
        b->nfree = n;
        return;
    }
    uint32_t i = 0, j = 0, k = 0, both = 0;
    while (i < b->nfree && j < n) { /* count what is common first */
        uint32_t x = b->free[i]->var, y = list[j]->var;
        both += x == y;
        i += x <= y;
        j += y <= x;
    }
    if (both == n) return;
    if (both == b->nfree) {
        b->free = list;
        b->nfree = n;
        return;
    }
    const FdNode **merged = arena_array(fd->arena, const FdNode *, b->nfree + n - both);
    for (i = j = 0; i < b->nfree || j < n;) {
        if (j == n || (i < b->nfree && b->free[i]->var <= list[j]->var)) {
            if (j < n && b->free[i] == list[j]) j++;
            merged[k++] = b->free[i++];
        } else {
            merged[k++] = list[j++];
        }
    }
    b->free = merged;
    b->nfree = k;
}

static void drop_free(Fd *fd, FdiNode *b, int nbound, const FdNode *const *vars)
{
    const FdNode **kept = NULL;
    uint32_t k = 0;
    for (uint32_t i = 0; i < b->nfree; i++) {
        bool bound = false;
        for (int v = 0; v < nbound; v++) bound = bound || vars[v] == b->free[i];
        if (bound && !kept) {
            kept = arena_array(fd->arena, const FdNode *, b->nfree);
            for (k = 0; k < i; k++) kept[k] = b->free[k];
        }
        if (!bound && kept) kept[k++] = b->free[i];
    }
    if (!kept) return;
    b->free = kept;
    b->nfree = k;
}

static bool evaluable(const FdNode *n)
{
    if (n->kind == FD_SCALAR) return !n->type->record;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE) return false;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        const FdNode *f = n->args[0];
        if (f->kind == FD_FUNC) return true;
        if (f->kind != FD_LET) return false;
        const FdDom *d = &f->doms[n->args[1]->value.i];
        return d->kind == FD_DOM_FULL || fd_range_closed(d);
    }
    for (int i = 0; i < n->nargs; i++)
        if (!fdi_node(n->args[i])->evaluable) return false;
    return true;
}

static void summarise(Fd *fd, FdiNode *b)
{
    const FdNode *n = &b->node;
    b->bound_min = UINT32_MAX;
    if (n->kind == FD_VAR) {
        const FdNode **self = arena_new_of(fd->arena, const FdNode *);
        *self = n;
        b->free = self;
        b->nfree = 1;
        return;
    }
    const FdNode *children[FD_MAX_CHILDREN];
    int count = fd_children(n, children), nbound = fd_nbound(n);
    FdEffects below = 0;
    for (int i = nbound; i < count; i++) {
        const FdiNode *c = fdi_node(children[i]);
        below |= c->effects;
        add_free(fd, b, c->free, c->nfree);
        if (c->bound_min < b->bound_min) b->bound_min = c->bound_min;
        if (c->bound_max > b->bound_max) b->bound_max = c->bound_max;
    }
    drop_free(fd, b, nbound, children);
    for (int i = 0; i < nbound; i++) {
        if (children[i]->var < b->bound_min) b->bound_min = children[i]->var;
        if (children[i]->var > b->bound_max) b->bound_max = children[i]->var;
    }
    b->evaluable = b->nfree == 0 && evaluable(n);
    b->effects = (uint8_t)fdi_effects(n, below);
}

/* The node equal to *n, made if there is none. Lists in *n are the caller's and copied. */
const FdNode *fdi_intern(Fd *fd, const FdNode *n)
{
    uint64_t hash = hash_of(n);
    size_t at = hash & (fd->nodes_size - 1);
    for (FdiNode *b; (b = fd->nodes[at]); at = (at + 1) & (fd->nodes_size - 1))
        if (b->hash == hash && same_node(&b->node, n)) {
            if (b->node.loc.line == 0) b->node.loc = n->loc;
            return &b->node;
        }
    FdiNode *b = arena_new_of(fd->arena, FdiNode);
    b->node = *n;
    b->fd = fd;
    b->hash = hash;
    b->node.id = fd->next_id++;
    if (n->nargs)
        b->node.args = arena_copy(fd->arena, n->args, sizeof n->args[0] * (size_t)n->nargs);
    if (n->nvars) {
        b->node.vars = arena_copy(fd->arena, n->vars, sizeof n->vars[0] * (size_t)n->nvars);
        b->node.doms = arena_copy(fd->arena, n->doms, sizeof n->doms[0] * (size_t)n->nvars);
    }
    if (n->name) b->node.name = arena_strndup(fd->arena, n->name, strlen(n->name));
    summarise(fd, b);
    fd->nodes[at] = b;
    if (++fd->nodes_used * 2 > fd->nodes_size) grow(fd);
    return &b->node;
}
