/* Walks: operands of a node, orders of visit, maps from nodes. Nothing here recurses, since a chain
 * built in a loop can be arbitrarily deep. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../internal.h"

static size_t slot_of(const FdNode *key, size_t size)
{
    return (size_t)(fdi_node(key)->hash) & (size - 1);
}

static void grow(FdiMap *m)
{
    FdiMap bigger = {.size = m->size ? m->size * 2 : 32, .used = m->used};
    bigger.keys = mem_alloc(bigger.size * (sizeof *bigger.keys + sizeof *bigger.values));
    bigger.values = (uint64_t *)(bigger.keys + bigger.size);
    for (size_t i = 0; i < m->size; i++) {
        if (!m->keys[i]) continue;
        size_t at = slot_of(m->keys[i], bigger.size);
        while (bigger.keys[at]) at = (at + 1) & (bigger.size - 1);
        bigger.keys[at] = m->keys[i];
        bigger.values[at] = m->values[i];
    }
    fdi_map_free(m);
    *m = bigger;
}

bool fdi_map_get(const FdiMap *m, const FdNode *key, uint64_t *out)
{
    if (m->size == 0) return false;
    for (size_t at = slot_of(key, m->size); m->keys[at]; at = (at + 1) & (m->size - 1))
        if (m->keys[at] == key) {
            *out = m->values[at];
            return true;
        }
    return false;
}

void fdi_map_set(FdiMap *m, const FdNode *key, uint64_t value)
{
    if (m->used * 2 >= m->size) grow(m);
    size_t at = slot_of(key, m->size);
    while (m->keys[at] && m->keys[at] != key) at = (at + 1) & (m->size - 1);
    if (!m->keys[at]) m->used++;
    m->keys[at] = key;
    m->values[at] = value;
}

bool fd_meet(FdSeen *seen, const FdNode *n)
{
    size_t word = n->id / 64;
    if (word >= seen->words) {
        size_t words = word * 2 + 16;
        seen->bits = mem_grow(seen->bits, words * sizeof *seen->bits);
        memset(seen->bits + seen->words, 0, (words - seen->words) * sizeof *seen->bits);
        seen->words = words;
    }
    uint64_t bit = (uint64_t)1 << n->id % 64;
    bool first = !(seen->bits[word] & bit);
    seen->bits[word] |= bit;
    return first;
}

void fd_seen_free(FdSeen *seen)
{
    mem_free(seen->bits);
    *seen = (FdSeen){0};
}

FdWalk fd_walk(const FdNode *root)
{
    FdWalk w = {0};
    fd_walk_add(&w, root);
    return w;
}

void fd_walk_add(FdWalk *w, const FdNode *n)
{
    vec_push(&w->stack, n);
}

const FdNode *fd_walk_next(FdWalk *w)
{
    while (w->stack.len) {
        const FdNode *n = w->stack.data[--w->stack.len];
        if (fd_meet(&w->seen, n)) return n;
    }
    return NULL;
}

void fd_walk_below(FdWalk *w, const FdNode *n)
{
    const FdNode *children[FD_MAX_CHILDREN];
    for (int i = fd_children(n, children); i-- > 0;) fd_walk_add(w, children[i]);
}

void fd_walk_always(FdWalk *w, const FdNode *n)
{
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (!fd_is_lazy(n, i)) fd_walk_add(w, n->args[i]);
}

void fd_walk_end(FdWalk *w)
{
    vec_free(&w->stack);
    fd_seen_free(&w->seen);
}

const FdNode *fdi_map_node(const FdiMap *m, const FdNode *key)
{
    uint64_t v;
    return fdi_map_get(m, key, &v) ? (const FdNode *)(uintptr_t)v : NULL;
}

void fdi_map_set_node(FdiMap *m, const FdNode *key, const FdNode *value)
{
    fdi_map_set(m, key, (uint64_t)(uintptr_t)value);
}

void fdi_map_free(FdiMap *m)
{
    mem_free(m->keys);
    *m = (FdiMap){0};
}

int fd_children(const FdNode *n, const FdNode **out)
{
    int k = 0;
    for (int i = 0; i < n->nvars; i++) out[k++] = n->vars[i];
    if (n->self) out[k++] = n->self;
    for (int i = 0; i < n->nvars; i++) {
        if (n->doms[i].lo) out[k++] = n->doms[i].lo;
        if (n->doms[i].hi) out[k++] = n->doms[i].hi;
    }
    if (n->fn) out[k++] = n->fn;
    if (n->init) out[k++] = n->init;
    for (int i = 0; i < n->nargs; i++) out[k++] = n->args[i];
    if (n->body) out[k++] = n->body;
    return k;
}

bool fd_any(const FdNode *root, FdIs *is, const void *ctx)
{
    FdiMap seen = {0}; /* (FdSeen takes memory for all older nodes) */
    FdiNodes stack = {0};
    bool found = false;
    vec_push(&stack, root);
    while (stack.len > 0 && !found) {
        const FdNode *n = vec_last(&stack), *children[FD_MAX_CHILDREN];
        uint64_t dummy;
        stack.len--;
        if (fdi_map_get(&seen, n, &dummy)) continue;
        fdi_map_set(&seen, n, 1);
        found = is(ctx, n);
        int count = fd_children(n, children);
        for (int i = 0; i < count; i++) vec_push(&stack, children[i]);
    }
    fdi_map_free(&seen);
    vec_free(&stack);
    return found;
}

/* A node on a stack, and whether its operands have been pushed above it. */
typedef struct Frame {
    const FdNode *node;
    bool below;
} Frame;

void fdi_postorder(const FdNode *root, FdiMap *seen, FdiNodes *out)
{
    uint64_t at;
    if (fdi_map_get(seen, root, &at)) return;
    VEC(Frame) stack = {0};
    vec_push(&stack, ((Frame){root, false}));
    while (stack.len > 0) {
        Frame *f = &vec_last(&stack);
        const FdNode *n = f->node, *children[FD_MAX_CHILDREN];
        if (f->below || fdi_map_get(seen, n, &at)) {
            stack.len--;
            if (!f->below) continue;
            fdi_map_set(seen, n, out->len);
            vec_push(out, n);
            continue;
        }
        fdi_map_set(seen, n, 0);
        f->below = true;
        for (int i = fd_children(n, children); i-- > 0;)
            if (!fdi_map_get(seen, children[i], &at))
                vec_push(&stack, ((Frame){children[i], false}));
    }
    vec_free(&stack);
}

/* Nodes on the Fd's stack: its marks say whether operands have been pushed. */
void fdi_nodes(Fd *fd, const FdNode *root, FdiNodes *out)
{
    enum { BELOW = 1, DONE };
    FdiNodes *stack = &fd->stack;
    uint32_t epoch = ++fd->epoch;
    size_t bottom = stack->len;
    vec_push(stack, root);
    while (stack->len > bottom) {
        FdiNode *b = fdi_node(vec_last(stack));
        const FdNode *children[FD_MAX_CHILDREN];
        if (b->epoch == epoch) {
            stack->len--;
            if (b->seen == DONE) continue;
            b->seen = DONE;
            vec_push(out, &b->node);
            continue;
        }
        b->epoch = epoch;
        b->seen = BELOW;
        for (int i = fd_children(&b->node, children); i-- > 0;)
            if (fdi_node(children[i])->epoch != epoch) vec_push(stack, children[i]);
    }
}

static void body_postorder(const FdStmt *s, FdiMap *seen, FdiNodes *out)
{
    for (; s; s = s->next) {
        if (s->expr) fdi_postorder(s->expr, seen, out);
        if (s->kind == FD_STMT_PUT) fdi_postorder(s->var, seen, out);
        body_postorder(s->body, seen, out);
        body_postorder(s->other, seen, out);
    }
}

const FdUser *fd_user_around(const FdNode *root, const FdNode *n)
{
    FdiMap seen = {0};
    FdiNodes list = {0};
    const FdUser *around = NULL;
    uint64_t at;
    fdi_postorder(root, &seen, &list);
    bool found = fdi_map_get(&seen, n, &at);
    for (size_t i = 0; !found && i < list.len; i++) { /* a function is one node */
        const FdUser *u = list.data[i]->user;
        if (!u) continue;
        body_postorder(u->body, &seen, &list);
        found = fdi_map_get(&seen, n, &at);
        if (found) around = u;
    }
    fdi_map_free(&seen);
    vec_free(&list);
    return around;
}

bool fd_same_ranges(const FdNode *a, const FdNode *b)
{
    if (a->nvars != b->nvars) return false;
    for (int i = 0; i < a->nvars; i++)
        if (a->vars[i] != b->vars[i] || a->doms[i].lo != b->doms[i].lo ||
            a->doms[i].hi != b->doms[i].hi)
            return false;
    return true;
}

void fdi_gather_strict(const FdNode *root, FdiMap *strict)
{
    FdiNodes stack = {0};
    vec_push(&stack, root);
    while (stack.len > 0) {
        const FdNode *n = vec_last(&stack);
        uint64_t dummy;
        stack.len--;
        if (fdi_map_get(strict, n, &dummy)) continue;
        fdi_map_set(strict, n, 1);
        const FdNode *children[FD_MAX_CHILDREN];
        int count = fd_children(n, children);
        for (int i = 0; i < count; i++) {
            int arg = i - (count - n->nargs);
            if (n->nargs == 0 || !fd_is_lazy(n, arg)) vec_push(&stack, children[i]);
        }
    }
    vec_free(&stack);
}

void fdi_gather_always(const FdNode *body, FdiMap *always)
{
    FdiNodes stack = {0};
    uint64_t mark;
    vec_push(&stack, body);
    while (stack.len) {
        const FdNode *n = stack.data[--stack.len];
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_LOWER || op == FD_OP_UPPER || fdi_map_get(always, n, &mark)) continue;
        fdi_map_set(always, n, 1);
        for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
            if (!fd_is_lazy(n, i)) vec_push(&stack, n->args[i]);
    }
    vec_free(&stack);
}

bool fd_always(const FdNode *body, const FdNode *n)
{
    FdiMap always = {0};
    uint64_t mark;
    fdi_gather_always(body, &always);
    bool found = fdi_map_get(&always, n, &mark);
    fdi_map_free(&always);
    return found;
}

bool fdi_free_in(const FdNode *n, const FdNode *var)
{
    const FdiNode *b = fdi_node(n);
    for (uint32_t i = 0; i < b->nfree; i++)
        if (b->free[i] == var) return true;
    return false;
}

bool fd_uses_var(const FdNode *n, const FdNode *v)
{
    return fdi_free_in(n, v);
}
