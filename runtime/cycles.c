/* Cycles: synchronous trial deletion (Bacon and Rajan, "Concurrent cycle collection in reference
 * counted systems", 2001). A cycle becomes garbage only when a count in it falls to something above
 * zero, so those objects are the candidates. For the objects that the candidates reach, counts are
 * taken away that come from among themselves; who keeps one is reached from outside, and so is
 * what it reaches: there the counts are given back. The rest is garbage.
 *
 * A collection visits what the candidates reach, so it waits until there are as many of them as
 * references that the last one followed in vain: each release and each object made pays for a
 * constant share. Nothing here recurses.
 *
 * Objects that died as candidates wait on the list as empty shells. */
#include <stdlib.h>

#include "count.h"
#include "state.h"

enum { FEWEST = 4096 };            /* candidates before a collection */
enum { BYTES_BETWEEN = 64 << 20 }; /* or array memory since the last one */

typedef struct Stack {
    VEC(CsHead *) on;
    size_t edges; /* references that were found to be alive */
} Stack;

static bool tracked(const CsHead *h)
{
    return h->colour != RT_GREEN && h->refs >= 0;
}

/* ---- the phases ----------------------------------------------------------------------- */

static void try_child(void *ctx, CsHead *child)
{
    if (!tracked(child)) return;
    child->refs--;
    if (child->colour == RT_GRAY) return;
    child->colour = RT_GRAY;
    vec_push(&((Stack *)ctx)->on, child);
}

/* Takes away the counts that come from what `root` reaches. */
static void try_from(CsHead *root, Stack *stack)
{
    if (root->colour == RT_GRAY) return;
    root->colour = RT_GRAY;
    vec_push(&stack->on, root);
    while (stack->on.len) count_children(stack->on.data[--stack->on.len], try_child, stack);
}

static void restore_child(void *ctx, CsHead *child)
{
    ((Stack *)ctx)->edges++;
    if (!tracked(child)) return;
    child->refs++;
    if (child->colour == RT_BLACK) return;
    child->colour = RT_BLACK;
    vec_push(&((Stack *)ctx)->on, child);
}

static void restore_from(CsHead *root, Stack *stack)
{
    root->colour = RT_BLACK;
    stack->edges++;
    vec_push(&stack->on, root);
    while (stack->on.len) count_children(stack->on.data[--stack->on.len], restore_child, stack);
}

static void push_gray(void *ctx, CsHead *child)
{
    if (child->colour == RT_GRAY && tracked(child)) vec_push(&((Stack *)ctx)->on, child);
}

/* Tells what is reached from outside (black again) from what is not (white). */
static void scan_from(CsHead *root, Stack *stack, Stack *blacks)
{
    vec_push(&stack->on, root);
    while (stack->on.len) {
        CsHead *h = stack->on.data[--stack->on.len];
        if (h->colour != RT_GRAY) continue;
        if (h->refs > 0) {
            restore_from(h, blacks);
        } else {
            h->colour = RT_WHITE;
            count_children(h, push_gray, stack);
        }
    }
}

static void push_white(void *ctx, CsHead *child)
{
    if (child->colour != RT_WHITE || !tracked(child)) return;
    child->colour = RT_BLACK;
    vec_push(&((Stack *)ctx)->on, child);
}

/* Appends the white objects that root reaches. */
static void gather_from(CsHead *root, Stack *garbage)
{
    size_t at = garbage->on.len;
    push_white(garbage, root);
    while (at < garbage->on.len) count_children(garbage->on.data[at++], push_white, garbage);
}

/* The counts of tracked children are gone already. */
static void release_untracked(void *ctx, CsHead *child)
{
    (void)ctx;
    if (child->colour == RT_GREEN) cs_release(child);
}

/* ---- a collection --------------------------------------------------------------------- */

/* Frees the shells among the candidates. */
static void drop_shells(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < rt.cycles.roots.len; i++) {
        CsHead *h = rt.cycles.roots.data[i];
        if (h->refs == 0)
            free(h);
        else
            rt.cycles.roots.data[kept++] = h;
    }
    rt.cycles.roots.len = kept;
}

static void settle_thresholds(size_t survivors)
{
    rt.cycles.limit = survivors > FEWEST ? survivors : FEWEST;
    rt.cycles.bytes = 2 * rt.memory.used + BYTES_BETWEEN;
}

int64_t cs_collect(void)
{
    if (rt.value.draining || rt.cycles.collecting) return 0;
    rt.cycles.collecting = true;
    drop_shells();
    Stack stack = {0}, blacks = {0}, garbage = {0};
    size_t n = rt.cycles.roots.len;
    CsHead **roots = rt.cycles.roots.data;
    for (size_t i = 0; i < n; i++) try_from(roots[i], &stack);
    for (size_t i = 0; i < n; i++) scan_from(roots[i], &stack, &blacks);
    for (size_t i = 0; i < n; i++) roots[i]->buffered = 0;
    for (size_t i = 0; i < n; i++) gather_from(roots[i], &garbage);
    rt.cycles.roots.len = 0;
    for (size_t i = 0; i < garbage.on.len; i++) {
        count_children(garbage.on.data[i], release_untracked, NULL);
        count_drop_rest(garbage.on.data[i]);
    }
    for (size_t i = 0; i < garbage.on.len; i++) free(garbage.on.data[i]);
    int64_t freed = (int64_t)garbage.on.len;
    rt.value.live -= freed;
    settle_thresholds(blacks.edges);
    vec_free(&stack.on);
    vec_free(&blacks.on);
    vec_free(&garbage.on);
    rt.cycles.collecting = false;
    return freed;
}

void cycles_candidate(CsHead *h)
{
    h->buffered = 1;
    vec_push(&rt.cycles.roots, h);
    cycles_step();
}

void cycles_step(void)
{
    size_t n = rt.cycles.roots.len;
    if (n == 0 || rt.value.draining || rt.cycles.collecting) return;
    if (rt.cycles.limit == 0) settle_thresholds(0);
    if (n < rt.cycles.limit && rt.memory.used < rt.cycles.bytes) return;
    if (n >= rt.cycles.limit) { /* most may have died by counting */
        drop_shells();
        if (rt.cycles.roots.len < rt.cycles.limit / 2) return;
    }
    cs_collect();
}

void cycles_end(void)
{
    cs_collect();
    vec_free(&rt.cycles.roots);
}
