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
 * All that a collection needs is taken before it changes anything: a list of what the candidates
 * reach, and a stack as large. Without memory for them it does not take place, and what was visited
 * in vain is paid for before it is tried again.
 *
 * Objects that died as candidates wait on the list as empty shells. */
#include <stdlib.h>

#include "../device/memory.h"
#include "../state.h"
#include "count.h"

enum { FEWEST = 4096 };            /* candidates before a collection */
enum { BYTES_BETWEEN = 64 << 20 }; /* or array memory since the last one */

typedef struct Reached {
    VEC(CsHead *) all;   /* what the candidates reach, gray until it is found to be alive */
    VEC(CsHead *) alive; /* whose references are still to be followed; room for all */
    size_t edges;        /* references that were found to be alive */
    bool good;
} Reached;

static bool tracked(const CsHead *h)
{
    return h->colour != RT_GREEN && h->refs >= 0;
}

/* ---- the phases ----------------------------------------------------------------------- */

static void reach(void *ctx, CsHead *child)
{
    Reached *r = ctx;
    if (!r->good || !tracked(child) || child->colour == RT_GRAY) return;
    r->good = vec_try(&r->all);
    if (!r->good) return;
    child->colour = RT_GRAY;
    vec_push(&r->all, child);
}

/* Lists what the candidates reach. */
static bool reach_all(Reached *r)
{
    r->good = true;
    for (size_t i = 0; i < rt.cycles.roots.len; i++) reach(r, rt.cycles.roots.data[i]);
    for (size_t i = 0; r->good && i < r->all.len; i++) count_children(r->all.data[i], reach, r);
    r->good = r->good && vec_try_room(&r->alive, r->all.len);
    for (size_t i = 0; !r->good && i < r->all.len; i++) r->all.data[i]->colour = RT_BLACK;
    return r->good;
}

static void take_count(void *ctx, CsHead *child)
{
    (void)ctx;
    if (tracked(child)) child->refs--;
}

static void restore(Reached *r, CsHead *h)
{
    h->colour = RT_BLACK;
    vec_push(&r->alive, h);
}

static void restore_child(void *ctx, CsHead *child)
{
    ((Reached *)ctx)->edges++;
    if (!tracked(child)) return;
    child->refs++;
    if (child->colour == RT_GRAY) restore(ctx, child);
}

/* Gives counts back to what is reached from outside; returns how many objects are not, which are
 * then in front of the list. */
static size_t find_garbage(Reached *r)
{
    for (size_t i = 0; i < r->all.len; i++) count_children(r->all.data[i], take_count, NULL);
    for (size_t i = 0; i < r->all.len; i++) {
        CsHead *h = r->all.data[i];
        if (h->colour != RT_GRAY || h->refs == 0) continue;
        r->edges++;
        restore(r, h);
        while (r->alive.len) count_children(r->alive.data[--r->alive.len], restore_child, r);
    }
    size_t n = 0;
    for (size_t i = 0; i < r->all.len; i++)
        if (r->all.data[i]->colour == RT_GRAY) r->all.data[n++] = r->all.data[i];
    return n;
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
            mem_object_free(h);
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
    Reached r = {0};
    size_t n = 0;
    bool reached = reach_all(&r);
    rt.cycles.wait = reached ? 0 : r.all.len + rt.cycles.roots.len;
    if (reached) {
        n = find_garbage(&r);
        for (size_t i = 0; i < rt.cycles.roots.len; i++) rt.cycles.roots.data[i]->buffered = 0;
        rt.cycles.roots.len = 0;
        for (size_t i = 0; i < n; i++) {
            count_children(r.all.data[i], release_untracked, NULL);
            count_drop_rest(r.all.data[i]);
        }
        for (size_t i = 0; i < n; i++) mem_object_free(r.all.data[i]);
        rt.value.live -= (int64_t)n;
        settle_thresholds(r.edges);
    }
    vec_free(&r.all);
    vec_free(&r.alive);
    rt.cycles.collecting = false;
    return (int64_t)n;
}

/* Is it too early to try again? */
static bool waiting(void)
{
    if (!rt.cycles.wait) return false;
    rt.cycles.wait--;
    return true;
}

/* Room for h on the list: more of it, or that of the list which a collection empties. It holds h,
 * which may be part of the garbage; what died may have been all else that referred to it. */
static bool candidate_fits(CsHead *h)
{
    if (rt.cycles.roots.len < rt.cycles.roots.cap) return true;
    h->refs++;
    bool collecting = rt.cycles.collecting;
    rt.cycles.collecting |= waiting(); /* who is asked for memory would collect */
    bool fits = vec_try(&rt.cycles.roots);
    if (!fits && !rt.cycles.wait) cs_collect();
    rt.cycles.collecting = collecting;
    if (h->refs == 1) {
        cs_release(h);
        return false;
    }
    h->refs--;
    return fits || rt.cycles.roots.len < rt.cycles.roots.cap;
}

void cycles_candidate(CsHead *h)
{
    if (!candidate_fits(h)) return;
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
    if (waiting()) return;
    if (n >= rt.cycles.limit) { /* most may have died by counting */
        drop_shells();
        if (rt.cycles.roots.len < rt.cycles.limit / 2) return;
    }
    cs_collect();
}

void cycles_end(void)
{
    cs_collect();
    if (rt.cycles.roots.len) { /* memory was out */
        memory_trim();
        cs_collect();
    }
    vec_free(&rt.cycles.roots);
}
