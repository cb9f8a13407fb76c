/* One slice of a recurrence, step by step (repeat.h): as the loop that computes it would be written,
 *
 *   for (k = first; k <= last; k++) s = step(k, s);
 *
 * so that only the slices are in memory that a step reads, and steps are held back as those of any loop. What
 * comes before the first slice is nobody's to read; footprints show that no step does. */
#include "repeat.h"

#include "../../fdag/index/footprint/footprint.h"
#include "../../fdag/repeat.h"
#include "../device/device.h"
#include "../objects/record.h"
#include "../state.h"
#include "bind/numbers.h"
#include "compose/compose.h"

enum {
    LEAST = 1 << 14, /* elements of a slice: a launch is little beside them */
    FEWEST = 3       /* slices */
};

struct Repeat {
    FdRepeat fd;
    Graph *step, *later, *rest;
};

/* One run of it. */
typedef struct Run {
    const Evaluation *e;
    const struct Repeat *repeat;
    int nslots; /* of the graph: k and slices come behind them */
    FdBox *boxes;
    ScalarValue *scalars;
    CsValue *captures;
    FdBox slice;
    int64_t first, last;
    Arena *arena;
    bool good;
} Run;

static void look(void *composed)
{
    Composed *c = composed;
    struct Repeat *r = arena_new_of(fd_arena(rt_fd()), struct Repeat);
    if (!fd_repeat(rt_fd(), fd_graph_copy(rt_fd(), &c->graph), &r->fd)) return;
    r->step = graph_adopt(r->fd.step);
    r->later = graph_adopt(r->fd.later);
    r->rest = graph_adopt(r->fd.rest);
    c->repeat = r;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static void find_captures(Run *r)
{
    for (int i = 0; i < r->nslots; i++) {
        const RtLeaf *leaf = &r->e->leaves.data[i];
        if (leaf->array)
            r->captures[i].ref = leaf->array;
        else
            r->captures[i].i = leaf->scalar.i;
    }
}

static bool find_range(Run *r, const FdEnv *env)
{
    const FdRepeat *fd = &r->repeat->fd;
    int64_t end;
    return fd_eval_bound(fd->first, env, &r->first) == FD_BOUND_OK &&
           fd_eval_bound(fd->last, env, &r->last) == FD_BOUND_OK &&
           fd_eval_bound(fd->end, env, &end) == FD_BOUND_OK && r->last < end &&
           r->last - r->first >= FEWEST - 1;
}

static bool find_slice(Run *r, const FdEnv *env)
{
    int64_t count;
    return fd_eval_box(rt_fd(), fd_root(r->repeat->step->fd), env, &r->slice) == FD_BOUND_OK &&
           rt_box_count(&r->slice, &count) && count >= LEAST;
}

/* Does no step read a slice before the first? */
static bool begins(const Run *r, const FdEnv *env)
{
    int lags = r->repeat->fd.lags;
    const FdGraph *step = r->repeat->step->fd;
    FdFootprint *reads = mem_alloc((size_t)step->nslots * sizeof *reads);
    bool good = true;
    for (int i = 1; i <= lags; i++) r->boxes[r->nslots + i] = r->slice;
    for (int done = 0; done < lags && good; done++) {
        r->scalars[r->nslots].i = r->first + done;
        fd_footprints(step, env, NULL, NULL, NULL, reads);
        for (int lag = done + 1; lag <= lags; lag++)
            good = good && reads[r->nslots + lag].nboxes == 0;
    }
    mem_free(reads);
    return good;
}

static void prepare(void *run)
{
    Run *r = run;
    int all = r->nslots + 1 + FD_REPEAT_LAGS;
    Arena *arena = r->arena = arena_new();
    r->boxes = arena_array(arena, FdBox, all);
    r->scalars = arena_array(arena, ScalarValue, all);
    r->captures = arena_array(arena, CsValue, all);
    FdEnv env = {r->boxes, r->scalars};
    numbers_leaves(r->e, r->boxes, r->scalars);
    find_captures(r);
    r->good = find_range(r, &env) && find_slice(r, &env) && begins(r, &env);
}

/* ---- slices ------------------------------------------------------------------------------------ */

static Array *evaluate(Graph *g, const CsValue *captures, const CsSite *site)
{
    Lazy *l = lazy_new(g, captures, site);
    Array *a = l ? eval_lazy(l, site) : NULL;
    if (a) cs_retain(a);
    cs_release(l);
    return a;
}

/* What nobody reads, where the first steps have no slice before them. */
static Array *no_slice(const Run *r, const CsSite *site)
{
    int32_t elem = elem_of_type(fd_root(r->repeat->step->fd)->type->result);
    return rt_array_over(elem, &r->slice, site);
}

/* The last slice, where the rest finds it. False with an exception pending. */
static bool run(const Run *r, const CsSite *site)
{
    int lags = r->repeat->fd.lags;
    Array *before[FD_REPEAT_LAGS] = {0};
    bool good = true;
    for (int i = 0; i < lags && good; i++) good = (before[i] = no_slice(r, site)) != NULL;
    for (int64_t k = r->first; k <= r->last && good; k++) {
        r->captures[r->nslots].i = k;
        for (int i = 0; i < lags; i++) r->captures[r->nslots + 1 + i].ref = before[i];
        Graph *step = k < r->first + lags ? r->repeat->step : r->repeat->later;
        Array *slice = evaluate(step, r->captures, site);
        good = slice != NULL;
        cs_release(before[lags - 1]);
        for (int i = lags - 1; i > 0; i--) before[i] = before[i - 1];
        before[0] = slice;
    }
    for (int i = good; i < lags; i++) cs_release(before[i]);
    r->captures[r->nslots].ref = good ? before[0] : NULL;
    return good;
}

/* Is the composition e, whose numbers r gets, one? False, perhaps with an exception pending; r's arena is to be
 * freed in any case. */
static bool is_one(const Evaluation *e, Run *r, const CsSite *site)
{
    Composed *c = e->composed;
    bool room = c->asked_repeat || mem_try(look, c);
    c->asked_repeat = room;
    *r = (Run){.e = e, .repeat = c->repeat, .nslots = c->graph.nslots};
    if (room && r->repeat && !e->nclosures && !cs_pending) room = mem_try(prepare, r);
    if (!room) rt_throw_memory(site, 0);
    return r->good && !cs_pending;
}

static void end(Run *r, bool made)
{
    if (made) cs_release(r->captures[r->nslots].ref);
    if (r->arena) arena_free(r->arena);
}

Array *repeat_eval(const Lazy *l, const CsSite *site)
{
    Evaluation e;
    Run r;
    if (!l->recurs || device_is_ref() || !compose_trial(&e, l->graph, l->captures, site))
        return NULL;
    bool made = is_one(&e, &r, site) && run(&r, site);
    Array *all = made ? evaluate(r.repeat->rest, r.captures, site) : NULL;
    end(&r, made);
    compose_end(&e);
    return all;
}

bool repeat_scalar(Evaluation *e, const CsSite *site, ScalarValue *out)
{
    Run r;
    if (device_is_ref()) return false;
    bool made = is_one(e, &r, site) && run(&r, site);
    bool good = made && eval_scalar(r.repeat->rest, r.captures, site, out);
    end(&r, made);
    return good;
}
