/* Evaluations: by kernels (run.h), else by interpretation; and the entries of the ABI that evaluate. The calls
 * on the way to an error add theirs as frames. */
#include "../device/memory.h"
#include "../objects/record.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "ahead/ahead.h"
#include "bind/instant.h"
#include "into.h"
#include "lazy/closure.h"
#include "lazy/domain.h"
#include "plan.h"
#include "repeat.h"
#include "running.h"
#include "same.h"
#include "steps/hold.h"

/* Fills `out` (count elements of the root's domain, or one scalar). */
static bool evaluate(Evaluation *e, const FdBox *box, Buffer *out, const CsSite *site)
{
    if (!rt_check_variables(site)) return false;
    rt.evaluations++;
    int64_t count = 1;
    if (box) rt_box_count(box, &count);
    Results one = {1, &out, count};
    Outcome outcome = run_on_device(e, &one, site);
    rt_site(site);
    if (outcome != INTERPRET) return outcome == DONE;
    bool ok;
    if (e->lazy && !buffer_regain(out, site)) return false;
    Ref *r = compose_ref(e, NULL, site);
    if (!r) return false;
    void *to = buffer_host(out, true, site);
    ScalarValue v[RT_MAX_LEAVES];
    const FdType *type = fd_root(&e->composed->graph)->type;
    if (!to)
        ok = false;
    else if (box)
        ok = ref_fill(r, e->leaves.data, site, box, to);
    else if ((ok = ref_scalar(r, e->leaves.data, site, v)))
        for (int i = 0, k = fd_type_leaves(type); i < k; i++)
            scalar_store((char *)to + fd_plane_offset(type, i, 1), fd_type_leaf(type, i), v[i]);
    compose_ref_end(e, r);
    return ok;
}

/* A scalar, with an array that it is made of if that waits for it. */
static bool evaluate_told(Evaluation *e, Graph *g, const CsValue *captures, Buffer *out,
                          const CsSite *site)
{
    if (hold_with(e, g, captures, out, site)) return true;
    if (cs_pending || !evaluate(e, NULL, out, site)) return false;
    hold_learn(e);
    return true;
}

bool eval_on_device(Evaluation *e, int n, Buffer *const *results, int64_t count, const CsSite *site)
{
    Results all = {n, results, count};
    if (!rt_check_variables(site)) return false;
    rt.evaluations++;
    return run_on_device(e, &all, site) == DONE;
}

/* The elements of an array of all of l. False with an exception pending. */
static bool extent(const Lazy *l, int64_t *count, const CsSite *site)
{
    for (int d = 0; d < l->box.rank; d++)
        if (l->box.dim[d].full) {
            numbers_infinite(fd_root(l->graph->fd), site);
            return false;
        }
    if (l->box.rank > CS_MAX_RANK || fd_root(l->graph->fd)->type->result->result) {
        rt_throw(RT_DOMAIN, site, "an array has at most %d dimensions, and scalar elements",
                 (int)CS_MAX_RANK);
        return false;
    }
    if (!rt_box_count(&l->box, count)) rt_throw_memory(site, SIZE_MAX);
    return !cs_pending;
}

/* The elements, into an array that was made for them. */
static bool fill(Lazy *l, Array *a, bool holds, const CsSite *site)
{
    Evaluation e;
    bool ok = compose_all(&e, l->graph, l->captures, site);
    if (ok && holds && hold_begin(l, a, site)) e.lazy = l;
    ok = ok && !cs_pending && evaluate(&e, &l->box, a->head.buffer, site);
    if (ok && !holds && !e.composed->recurs && !e.nclosures && plan_is_small(a->head.buffer->bytes))
        recall_range(&e, l->graph, l->captures, &l->box);
    compose_end(&e);
    return ok;
}

/* In memory of its own, or in that of an array which a variable gives up (into.h). */
static Array *elements(Lazy *l, Over over, const CsSite *site)
{
    const FdType *elem = fd_root(l->graph->fd)->type->result;
    int64_t count;
    if (!extent(l, &count, site)) return NULL;
    Array *slice = repeat_eval(l, site);
    if (slice || cs_pending) return slice;
    Array *same = same_array(l);
    if (same || cs_pending) return same;
    int64_t bytes = fd_plane_offset(elem, fd_type_leaves(elem), count);
    bool holds = bytes > 0 && hold_wants(l, (size_t)bytes);
    if (over.array && count && !holds && into_over(over, l, site)) return cs_retain(over.array);
    Array *a = cs_pending ? NULL : rt_array_over(elem_of_type(elem), &l->box, site);
    if (!a && holds && over.array && rt.error.kind == RT_MEMORY) { /* not enough to hold it back */
        rt_catch();
        if (into_over(over, l, site)) return cs_retain(over.array);
        a = cs_pending ? NULL : rt_array_over(elem_of_type(elem), &l->box, site);
    }
    if (!a || !count || fill(l, a, holds, site)) return a;
    cs_release(a);
    return NULL;
}

static void made(const Array *a, Graph *g)
{
    if (!a->head.buffer || a->head.buffer->refs > 1) return; /* another made its memory (same.h) */
    a->head.buffer->maker = g->serial;
    hold_made(g);
}

/* A new array of the box, with its elements; fewer bytes than hold.h and into.h care for, or NULL without an exception. */
static Array *small_array(Evaluation *e, Graph *g, const FdBox *box, Recalled *ready,
                          const CsSite *site)
{
    const FdType *elem = fd_root(g->fd)->type->result;
    int64_t count;
    if (!rt_box_count(box, &count)) return NULL;
    if (!plan_is_small((size_t)fd_plane_offset(elem, fd_type_leaves(elem), count))) return NULL;
    Array *a = rt_array_over(elem_of_type(elem), box, site);
    if (!a || !count) return a;
    const Results one = {1, &a->head.buffer, count};
    if (ready && ready->numbers.schedule.outs[0] > a->head.buffer->capacity) ready = NULL;
    rt.evaluations += ready != NULL;
    if (ready ? run_native_again(e, ready, &one, site) == DONE
              : evaluate(e, box, a->head.buffer, site)) {
        made(a, g);
        return a;
    }
    cs_release(a);
    return NULL;
}

/* What is small and was evaluated before, of such captures: there is nothing to be decided, so it takes no lazy value.
 * NULL, perhaps with an exception pending: it is not so. */
static Array *eval_again(Graph *g, const CsValue *captures, const CsSite *site)
{
    Evaluation e;
    Array *a = NULL;
    if (g->recurs || cs_pending || !compose_plainly(&e, g, captures)) return NULL;
    Recalled *ready = recall_ready(&e);
    const bool known = ready && ready->ranged;
    FdBox found;
    const FdBox *box = known ? &ready->range : domain_again(g, captures);
    if (!box && ready && domain_find(g, captures, site, &found)) box = &found;
    if (box && e.composed->last) {
        const CsSite *around = rt.at;
        rt.at = site;
        a = small_array(&e, g, box, ready, site);
        rt.at = around;
        if (a && !known) recall_range(&e, g, captures, box);
    }
    compose_end(&e);
    return a;
}

/* The same if nothing at all is to be decided, or else. */
static Array *eval_small(Graph *g, const CsValue *captures, const CsSite *site)
{
    Array *a = instant_array(g, captures, site);
    return a ? a : eval_again(g, captures, site);
}

/* All of l, which keeps it. */
static Array *eval_all(Lazy *l, Over over, const CsSite *site)
{
    const CsSite *around = rt.at;
    rt.at = l->site ? l->site : site;
    Array *a = eval_small(l->graph, l->captures, rt.at);
    if (!a && !cs_pending && (a = elements(l, over, rt.at))) made(a, l->graph);
    rt.at = around;
    if (!a) return NULL;
    rt_lazy_drop(l);
    return l->result = a;
}

Array *eval_lazy(Lazy *l, const CsSite *site)
{
    return l->result ? l->result : eval_all(l, (Over){0}, site);
}

bool eval_held(const Lazy *l, Buffer *b, bool whole, const Turning *turning, const CsSite *site)
{
    struct Held *held = b->held;
    const CsSite *at = l->site ? l->site : site;
    Evaluation e = {0};
    int64_t count;
    b->held = NULL;
    bool ok = rt_box_count(&l->box, &count) && buffer_regain(b, at) &&
              compose_steps(&e, l, whole, turning, at);
    ok = ok && (whole ? eval_on_device(&e, 1, &b, count, at) : evaluate(&e, &l->box, b, at));
    compose_end(&e);
    b->held = held;
    return ok;
}

/* All of a closure, into a new array. */
static Array *eval_closure(Closure *c, const CsSite *site)
{
    const FdBox *box = closure_box(c);
    bool finite = closure_is_tabular(c);
    for (int d = 0; d < box->rank; d++) finite &= !box->dim[d].full;
    if (cs_pending) return NULL;
    if (finite) return closure_block(c, box, site);
    rt_throw(RT_DOMAIN, site, "%s has an infinite domain: it cannot become an array",
             c->native->name);
    return NULL;
}

void *cs_force(void *fn, const CsSite *site)
{
    CsHead *h = fn;
    if (h->kind == CS_ARRAY) return cs_retain(fn);
    ranks_enter();
    void *a = h->kind == CS_LAZY ? cs_retain(eval_lazy(fn, site)) : eval_closure(fn, site);
    return ranks_leave(a, site);
}

void *cs_array_of(void *fn)
{
    return cs_force(fn, NULL);
}

static Array *eval_graph(CsGraph *graph, const CsValue *captures, Over over, const CsSite *site)
{
    Graph *g = graph_of(graph, site);
    Array *ahead = ahead_array(g, captures);
    if (ahead) return ahead;
    Array *again = g ? eval_again(g, captures, site) : NULL;
    if (again || cs_pending) return again;
    Lazy *l = g ? lazy_new(g, captures, site) : NULL;
    if (!l) return NULL;
    Array *a = cs_retain(eval_all(l, over, site));
    cs_release(l);
    return a;
}

/* As the last time, at once; NULL, perhaps with an exception pending: not so. */
static inline Array *at_once(const CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    if (!graph->parsed || !rt_is_calm()) return NULL;
    return rt.ahead ? ahead_array(graph->parsed, captures)
                    : instant_array(graph->parsed, captures, site);
}

void *cs_eval(CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    Array *once = at_once(graph, captures, site);
    if (once) return once;
    ranks_enter();
    return ranks_leave(eval_graph(graph, captures, (Over){0}, site), site);
}

void *cs_eval_over(CsGraph *graph, const CsValue *captures, int32_t over, int32_t besides,
                   const CsSite *site)
{
    Array *once = at_once(graph, captures, site);
    if (once) return once;
    ranks_enter();
    const Over from = {captures[over].ref, besides};
    return ranks_leave(eval_graph(graph, captures, from, site), site);
}

/* As eval_again, of a scalar. False, perhaps with an exception pending. */
static bool scalar_again(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out)
{
    Evaluation e;
    if (instant_scalar(g, captures, site, out)) return true;
    if (cs_pending || !compose_plainly(&e, g, captures)) return false;
    Recalled *ready = recall_ready(&e);
    bool ok = ready && (ready->ranged || lazy_check(g, captures, site));
    if (ok) {
        ScalarValue room[RT_MAX_LEAVES];
        Buffer b = {.refs = 1, .bytes = sizeof room, .capacity = sizeof room, .host = room};
        const Results one = {1, &(Buffer *){&b}, 1};
        rt.evaluations++;
        ok = run_native_again(&e, ready, &one, site) == DONE;
        if (ok) hold_learn(&e);
        if (ok) leaves_load(fd_root(g->fd)->type, room, out);
    }
    compose_end(&e);
    return ok;
}

static bool scalar_of(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out)
{
    if (!g) return false;
    if (scalar_again(g, captures, site, out)) return true;
    if (cs_pending || !lazy_check(g, captures, site)) return false;
    Evaluation e;
    if (!compose(&e, g, fd_root(g->fd), captures, site)) return false;
    const FdType *type = fd_root(g->fd)->type;
    bool ok, cheap = e.composed->cheap;
    if (!cheap && e.nclosures) {
        compose_end(&e);
        ok = compose_all(&e, g, captures, site);
    }
    bool slices = !cs_pending && e.composed->recurs && repeat_scalar(&e, site, out);
    if (cs_pending || slices) {
        ok = slices;
    } else if (cheap) {
        Ref *r = compose_ref(&e, NULL, site);
        ok = r && ref_scalar(r, e.leaves.data, site, out);
        if (r) compose_ref_end(&e, r);
    } else {
        int leaves = fd_type_leaves(type);
        Buffer *b = buffer_new((size_t)fd_plane_offset(type, leaves, 1), false, site);
        const char *p = NULL;
        ok = b && evaluate_told(&e, g, captures, b, site) && (p = buffer_host(b, false, site));
        if (ok) leaves_load(type, p, out);
        if (ok && !e.composed->recurs && !e.nclosures) recall_range(&e, g, captures, &(FdBox){0});
        buffer_release(b);
    }
    compose_end(&e);
    return ok;
}

bool eval_scalar(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out)
{
    const CsSite *around = rt.at;
    out->i = 0;
    if (ahead_scalar(g, captures, out)) return true;
    rt.at = site;
    bool ok = scalar_of(g, captures, site, out);
    rt.at = around;
    return ok;
}

/* Of a program's own: rank 0's. */
static bool scalar_leaves(CsGraph *graph, const CsValue *captures, ScalarValue *out, int *n,
                          const CsSite *site)
{
    ranks_enter();
    Graph *g = graph_of(graph, site);
    bool good = g && eval_scalar(g, captures, site, out);
    *n = g ? fd_type_leaves(fd_root(g->fd)->type) : 1;
    return ranks_leave_scalar(good, out, *n, site);
}

void cs_scalar_record(CsGraph *graph, const CsValue *captures, CsValue *out, const CsSite *site)
{
    ScalarValue leaves[RT_MAX_LEAVES];
    int n;
    if (!scalar_leaves(graph, captures, leaves, &n, site)) return; /* nobody looks at out then */
    for (int i = 0; i < n; i++) out[i].i = leaves[i].i;
}

/* As at_once, of a scalar that is no record. False, perhaps with an exception pending: not so. */
static inline bool scalar_at_once(const CsGraph *graph, const CsValue *captures, const CsSite *site,
                                  ScalarValue *out)
{
    if (!graph->parsed || !rt_is_calm()) return false;
    return rt.ahead ? ahead_scalar(graph->parsed, captures, out)
                    : instant_scalar(graph->parsed, captures, site, out);
}

int64_t cs_scalar_i(CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    ScalarValue v;
    int n;
    if (scalar_at_once(graph, captures, site, &v)) return v.i;
    return scalar_leaves(graph, captures, &v, &n, site) ? v.i : 0;
}

double cs_scalar_f(CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    ScalarValue v;
    int n;
    if (scalar_at_once(graph, captures, site, &v)) return v.f;
    return scalar_leaves(graph, captures, &v, &n, site) ? v.f : 0;
}
