/* Restrictions and ?? (restrict.h): which of the graphs of fdag/choice.c a value gets by its domains. */
#include "restrict.h"

#include "../../state.h"

static void write_graph(void *made)
{
    RtWritten *m = made;
    m->graph = graph_adopt(fd_chosen(rt_fd(), &m->what));
    m->graph->of = m->of;
    if (!m->of) return;
    m->graph->period = m->of->period;
    m->graph->whole = m->of->whole;
    m->graph->ends_turn = m->of->ends_turn;
}

/* Of a part of f. What is learnt of loops is kept by graph, so parts of functions of two places of the program have
 * two. NULL with an exception pending. */
static Graph *graph_for(FdChosen what, const void *f, const CsSite *site)
{
    const Lazy *l = f;
    const Graph *of = l->head.kind == CS_LAZY && !l->result ? l->graph : NULL;
    if (of && !of->embedded) of = of->of;
    for (size_t i = 0; i < rt.written.len; i++)
        if (rt.written.data[i].of == of && fd_same_chosen(&rt.written.data[i].what, &what))
            return rt.written.data[i].graph;
    RtWritten made = {what, of, NULL};
    if (!vec_try(&rt.written) || !mem_try(write_graph, &made)) {
        rt_throw_memory(site, 0);
        return NULL;
    }
    vec_push(&rt.written, made);
    return made.graph;
}

static uint32_t full_of(const FdBox *box)
{
    uint32_t full = 0;
    for (int d = 0; d < box->rank; d++) full |= (uint32_t)box->dim[d].full << d;
    return full;
}

/* Appends the bounds of finite dimensions. */
static int put_bounds(CsValue *captures, int n, const FdBox *box)
{
    for (int d = 0; d < box->rank; d++) {
        if (box->dim[d].full) continue;
        captures[n++].i = box->dim[d].lo;
        captures[n++].i = box->dim[d].hi;
    }
    return n;
}

Lazy *restrict_into(void *f, const FdBox *box, bool moved, Array *into, const CsSite *site)
{
    CsValue captures[2 + 2 * FD_MAX_RANK] = {{.ref = f}, {.ref = into}};
    const FdType *type = rt_type_of(f);
    if (!type) {
        rt_throw(RT_DOMAIN, site, "a function over strings or objects has no finite domain");
        return NULL;
    }
    put_bounds(captures, into ? 2 : 1, box);
    FdChosen what = {.type = type, .full = full_of(box), .moved = moved, .into = into != NULL};
    Graph *g = graph_for(what, f, site);
    return g ? lazy_new(g, captures, site) : NULL;
}

Lazy *restrict_to(void *f, const FdBox *box, const CsSite *site)
{
    return restrict_into(f, box, false, NULL, site);
}

Lazy *move_to(void *f, const FdBox *box, const CsSite *site)
{
    return restrict_into(f, box, true, NULL, site);
}

/* ---- f ?? g --------------------------------------------------------------------------- */

static bool is_empty(const FdBox *b)
{
    for (int d = 0; d < b->rank; d++)
        if (!b->dim[d].full && b->dim[d].lo >= b->dim[d].hi) return true;
    return false;
}

static bool same_dim(const FdBox *a, const FdBox *b, int d)
{
    if (a->dim[d].full || b->dim[d].full) return a->dim[d].full && b->dim[d].full;
    return a->dim[d].lo == b->dim[d].lo && a->dim[d].hi == b->dim[d].hi;
}

static bool holds_dim(const FdBox *a, const FdBox *b, int d)
{
    if (a->dim[d].full) return true;
    return !b->dim[d].full && a->dim[d].lo <= b->dim[d].lo && a->dim[d].hi >= b->dim[d].hi;
}

static bool holds(const FdBox *a, const FdBox *b)
{
    bool all = true;
    for (int d = 0; d < a->rank; d++) all &= holds_dim(a, b, d);
    return all || is_empty(b);
}

/* Neither holds the other: they are one box together if they differ in one dimension and meet
 * there. */
static bool join(const FdBox *a, const FdBox *b, FdBox *out)
{
    int differ = -1;
    *out = *a;
    for (int d = 0; d < a->rank; d++) {
        if (same_dim(a, b, d)) continue;
        if (differ >= 0) return false;
        differ = d;
    }
    int64_t alo = a->dim[differ].lo, ahi = a->dim[differ].hi, blo = b->dim[differ].lo,
            bhi = b->dim[differ].hi;
    if (blo > ahi || alo > bhi) return false;
    out->dim[differ].lo = alo < blo ? alo : blo;
    out->dim[differ].hi = ahi > bhi ? ahi : bhi;
    return true;
}

static void add_box(Text *t, const FdBox *box)
{
    for (int d = 0; d < box->rank; d++) {
        if (d) text_add(t, ", ");
        if (box->dim[d].full)
            text_add(t, "all");
        else
            text_printf(t, "%lld..%lld", (long long)box->dim[d].lo, (long long)box->dim[d].hi);
    }
}

void *cs_coalesce(void *f, void *g, const CsSite *site)
{
    FdBox froom, groom, both;
    if (!f || !g) return cs_retain(f ? f : g); /* null is defined nowhere */
    const FdBox *fbox = rt_box_of(f, &froom), *gbox = rt_box_of(g, &groom);
    const FdType *type = rt_type_of(f);
    if (cs_pending) return NULL;
    if (holds(fbox, gbox)) return cs_retain(f);
    if (is_empty(fbox)) return cs_retain(g);
    if (holds(gbox, fbox)) {
        both = *gbox;
    } else if (!join(fbox, gbox, &both)) {
        Text t = {0};
        text_add(&t, "the domains of the operands of ?? are no box together: ");
        add_box(&t, fbox);
        text_add(&t, " and ");
        add_box(&t, gbox);
        rt_throw(RT_DOMAIN, site, "%s", t.data);
        text_free(&t);
        return NULL;
    }
    if (!type || type != rt_type_of(g)) {
        rt_throw(RT_DOMAIN, site, "the operands of ?? are functions over strings or objects");
        return NULL;
    }
    CsValue captures[2 + 4 * FD_MAX_RANK] = {{.ref = f}, {.ref = g}};
    int n = put_bounds(captures, 2, &both);
    put_bounds(captures, n, fbox);
    FdChosen what = {
        .type = type, .full = full_of(&both), .full_first = full_of(fbox), .choice = true};
    Graph *graph = graph_for(what, f, site);
    return graph ? lazy_new(graph, captures, site) : NULL;
}
