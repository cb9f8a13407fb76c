/* Functions of the host in evaluations. Kernels cannot call the program, so what they read of it is
 * gathered first: the box that the evaluation reads (fdag/index/footprint/footprint.h) is called for, in runs where
 * the program offers that, and an array over the box stands for the function, its domain kept. Both
 * executors see the array, so the program sees the same calls.
 *
 * A function stays one, which only the reference executor can call, element by element, where no
 * finite box is needed of it, or where gathering fails: an element that is an error may be one that
 * the evaluation itself never reads. */
#include "../../../fdag/index/footprint/footprint.h"
#include "../../state.h"
#include "../bind/numbers.h"
#include "../lazy/closure.h"
#include "../lazy/restrict.h"
#include "compose.h"

/* What is read of a domain; false: an infinite part of it may be. */
static bool clip(const FdFootprint *reads, const FdBox *domain, FdBox *out)
{
    bool finite = true;
    *out = fd_footprint_hull(reads);
    for (int d = 0; d < domain->rank; d++) {
        if (out->dim[d].full) {
            out->dim[d] = domain->dim[d];
            finite &= !domain->dim[d].full;
        } else if (reads->nboxes == 0) {
            out->dim[d].lo = out->dim[d].hi = domain->dim[d].lo;
        } else if (!domain->dim[d].full) {
            if (out->dim[d].lo < domain->dim[d].lo) out->dim[d].lo = domain->dim[d].lo;
            if (out->dim[d].hi > domain->dim[d].hi) out->dim[d].hi = domain->dim[d].hi;
            if (out->dim[d].hi < out->dim[d].lo) out->dim[d].hi = out->dim[d].lo;
        }
    }
    return finite;
}

/* The box of c as an array with c's domain; NULL: it stays a function, or an exception is pending.
 */
static Lazy *view(Closure *c, const FdFootprint *reads, const CsSite *site)
{
    const FdBox *domain = closure_box(c);
    if (cs_pending || !closure_is_tabular(c)) return NULL;
    FdBox box;
    if (!clip(reads, domain, &box)) {
        if (closure_is_object(c))
            rt_throw(RT_DOMAIN, site,
                     "%s has an infinite domain, and which of its elements are read is known only "
                     "while they are",
                     c->native->name);
        return NULL;
    }
    Array *a = closure_block(c, &box, site);
    Lazy *v = a ? restrict_to(a, domain, site) : NULL;
    cs_release(a);
    if (!v) rt_catch();
    return v;
}

typedef struct Views {
    const Evaluation *e;
    Arena *arena;
    FdFootprint *reads;
    int n;
    Lazy **views;
    Closure **closures;
} Views;

/* What is read of each closure, and room for what stands for them. */
static void look(void *views)
{
    Views *v = views;
    size_t n = v->e->leaves.len;
    Arena *arena = arena_new();
    FdBox *boxes = arena_array(arena, FdBox, n);
    ScalarValue *scalars = arena_array(arena, ScalarValue, n);
    v->reads = arena_array(arena, FdFootprint, n);
    v->views = arena_array(arena, Lazy *, n);
    v->closures = arena_array(arena, Closure *, n);
    numbers_leaves(v->e, boxes, scalars);
    FdEnv env = {boxes, scalars};
    if (!cs_pending)
        fd_footprints(&v->e->composed->graph, &env, NULL, numbers_values, v->e, v->reads);
    v->arena = arena;
}

bool compose_all(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site)
{
    if (!compose(e, g, fd_root(g->fd), captures, site)) return false;
    if (cs_pending || e->nclosures == 0) return !cs_pending;
    Views v = {.e = e};
    size_t n = e->leaves.len;
    if (!mem_try(look, &v)) {
        rt_throw_memory(site, 0);
        return false;
    }
    for (size_t i = 0; i < n && !cs_pending; i++) {
        Closure *c = e->leaves.data[i].closure;
        Lazy *made = c ? view(c, &v.reads[i], site) : NULL;
        if (!made) continue;
        v.closures[v.n] = c;
        v.views[v.n++] = made;
    }
    /* From here on the program does not run: it would see the views. */
    for (int i = 0; i < v.n; i++) v.closures[i]->view = v.views[i];
    if (v.n && !cs_pending) compose_again(e, g, captures, site);
    bool room = vec_try_room(&e->views, (size_t)v.n);
    if (!room) rt_throw_memory(site, 0);
    for (int i = 0; i < v.n; i++) {
        v.closures[i]->view = NULL;
        if (room)
            vec_push(&e->views, v.views[i]);
        else
            cs_release(v.views[i]);
    }
    arena_free(v.arena);
    rt_site(site);
    return !cs_pending;
}
