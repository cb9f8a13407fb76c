/* Building functional values: the domain is evaluated and the agreements are checked (domain.h) at once, so a DomainException names the expression's line; elements wait until
 * somebody asks. A value keeps references only. Chains stay cheap: where composing would go too
 * deep, or would compute the same element too often, the captures are marked to be evaluated on
 * their own. */
#include "lazy.h"

#include <stdlib.h>
#include <string.h>

#include "../../objects/count.h"
#include "../../objects/record.h"
#include "../../state.h"
#include "closure.h"
#include "domain.h"

/* What cannot be evaluated on its own (functions of all values) composes deeper, up to DEEPEST. */
enum { MAX_DEPTH = 64, MAX_FACTOR = 8, DEEPEST = 2000 };

/* ---- lazy values ----------------------------------------------------------------------------- */

bool lazy_fits(const FdBox *box, int64_t *count)
{
    return box->rank <= CS_MAX_RANK && rt_box_count(box, count);
}

bool lazy_finite(const Lazy *l)
{
    int64_t count;
    return lazy_fits(&l->box, &count);
}

static Lazy *open_lazy(void *fn)
{
    Lazy *l = fn;
    return l->head.kind == CS_LAZY && !l->result ? l : NULL;
}

/* Depth and factor of a new value; marks captures when either would be too large. */
static void measure(Lazy *l)
{
    const FdGraph *fd = l->graph->fd;
    l->expensive = l->graph->expensive;
    l->recurs = l->graph->recurs;
    l->reduces = l->graph->reduces;
    for (int attempt = 0; attempt < 2; attempt++) {
        bool foreseen = l->graph->foreseen, others = l->graph->embedded && !foreseen;
        unsigned depth = 1, factor = 1;
        double nodes = l->graph->nodes;
        for (int i = 0; i < fd->nslots; i++) {
            Lazy *c = fd->slots[i].type->result ? open_lazy(l->captures[i].ref) : NULL;
            if (!c || c->keep) continue;
            l->expensive |= c->expensive;
            l->recurs |= c->recurs;
            l->reduces |= c->reduces;
            foreseen |= c->foreseen;
            others |= !c->foreseen;
            nodes += c->nodes;
            unsigned points = l->graph->points[i] ? l->graph->points[i] : 1;
            if (c->depth + 1u > depth) depth = c->depth + 1u;
            if (c->factor * points > factor) factor = c->factor * points;
        }
        l->foreseen = foreseen && !others;
        l->depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
        l->nodes = nodes;
        l->factor = (uint16_t)(factor < UINT16_MAX ? factor : UINT16_MAX);
        if (depth <= MAX_DEPTH && factor <= MAX_FACTOR) return;
        for (int i = 0; i < fd->nslots; i++) {
            Lazy *c = fd->slots[i].type->result ? open_lazy(l->captures[i].ref) : NULL;
            if (c && !c->no_keep && lazy_finite(c)) c->keep = true;
        }
    }
}

bool lazy_check(Graph *g, const CsValue *captures, const CsSite *site)
{
    FdBox none;
    return g->fd->nagrees == 0 || domain_find(g, captures, site, &none);
}

Lazy *lazy_new(Graph *g, const CsValue *captures, const CsSite *site)
{
    const FdGraph *fd = g->fd;
    FdBox box;
    if (!domain_find(g, captures, site, &box)) return NULL;
    size_t n = (size_t)fd->nslots;
    Lazy *l = rt_object_new(sizeof *l + n * sizeof(CsValue), CS_LAZY);
    rt_site(site);
    if (!l) return NULL;
    l->graph = g;
    l->site = site;
    l->box = box;
    l->ncaptures = fd->nslots;
    if (n) memcpy(l->captures, captures, n * sizeof(CsValue));
    for (size_t i = 0; i < n; i++)
        if (fd->slots[i].type->result) {
            const CsHead *capture = cs_retain(captures[i].ref);
            if (capture->colour != RT_GREEN) l->head.colour = RT_BLACK;
        }
    measure(l);
    if (l->depth <= DEEPEST) return l;
    rt_throw(RT_DOMAIN, site, "more than %d functions of infinite domain are built on each other",
             (int)DEEPEST);
    cs_release(l);
    return NULL;
}

bool lazy_range(Graph *g, const CsValue *captures, const CsSite *site, FdBox *box)
{
    int i = 0;
    while (i < g->fd->nslots && !(g->fd->slots[i].type->result && open_lazy(captures[i].ref))) i++;
    if (i == g->fd->nslots) return domain_find(g, captures, site, box);
    Lazy *l = lazy_new(g, captures, site);
    if (l) *box = l->box;
    cs_release(l);
    return l != NULL;
}

void rt_lazy_drop(Lazy *l)
{
    for (int32_t i = 0; i < l->ncaptures; i++)
        if (l->graph->fd->slots[i].type->result) cs_release(l->captures[i].ref);
    l->ncaptures = 0;
    cs_release(l->result);
    l->result = NULL;
}

void *cs_lazy(CsGraph *graph, const CsValue *captures, const CsSite *site)
{
    Graph *g = graph_of(graph, site);
    return g ? lazy_new(g, captures, site) : NULL;
}

/* ---- what functional values say of themselves ------------------------------------------------ */

const FdType *rt_type_of(void *fn)
{
    CsHead *h = fn;
    if (h->kind == CS_CLOSURE) return ((Closure *)fn)->type;
    if (h->kind == CS_LAZY) return fd_root(((Lazy *)fn)->graph->fd)->type;
    CsArray *a = fn;
    const FdType *elem = elem_type(a->elem);
    return elem ? fd_type_array_of(rt_fd(), elem, a->rank) : NULL;
}

const FdBox *rt_box_of(void *fn, FdBox *room)
{
    CsHead *h = fn;
    if (h->kind == CS_LAZY) return &((Lazy *)fn)->box;
    if (h->kind == CS_CLOSURE) return closure_box(fn);
    *room = rt_array_box(fn);
    return room;
}

int32_t cs_is_finite(void *fn)
{
    FdBox room;
    const FdBox *box = rt_box_of(fn, &room);
    for (int d = 0; d < box->rank; d++)
        if (box->dim[d].full) return 0;
    return 1;
}

int32_t cs_rank(void *fn)
{
    FdBox room;
    return rt_box_of(fn, &room)->rank;
}

int64_t cs_length(void *fn, const CsSite *site)
{
    FdBox room;
    const FdBox *box = rt_box_of(fn, &room);
    int64_t n = 0;
    if (cs_pending) return 0;
    for (int d = 0; d < box->rank; d++)
        if (box->dim[d].full) {
            rt_throw(RT_DOMAIN, site, "the length of a function with an infinite domain");
            return 0;
        }
    if (rt_box_count(box, &n)) return n;
    rt_throw(RT_DOMAIN, site, "the length of a function is more than a long can hold");
    return 0;
}

/* The box of fn if dimension dim exists and is finite. */
static const FdBox *finite(void *fn, int32_t dim, const CsSite *site, FdBox *room)
{
    const FdBox *box = rt_box_of(fn, room);
    if (dim < 0 || dim >= box->rank)
        rt_throw(RT_INDEX, site, "dimension %d of a function with %d", (int)dim, box->rank);
    else if (box->dim[dim].full)
        rt_throw(RT_DOMAIN, site,
                 "dimension %d of a function has no bounds: its domain is infinite", (int)dim);
    else
        return box;
    return NULL;
}

int64_t cs_get_length(void *fn, int32_t dim, const CsSite *site)
{
    FdBox room;
    const FdBox *box = finite(fn, dim, site, &room);
    return box ? box->dim[dim].hi - box->dim[dim].lo : 0;
}

int64_t cs_get_lower(void *fn, int32_t dim, const CsSite *site)
{
    FdBox room;
    const FdBox *box = finite(fn, dim, site, &room);
    return box ? box->dim[dim].lo : 0;
}

int64_t cs_get_upper(void *fn, int32_t dim, const CsSite *site)
{
    FdBox room;
    const FdBox *box = finite(fn, dim, site, &room);
    return box ? box->dim[dim].hi - 1 : 0;
}

/* let(i: lo..hi) i, made once. */
static void make_domain_graph(void *made)
{
    Fd *fd = rt_fd();
    const FdType *bound_type = fd_type_scalar(fd, SC_LONG);
    FdGraph *g = arena_new_of(fd_arena(fd), FdGraph);
    g->nslots = 2;
    g->slots = arena_array(fd_arena(fd), FdSlot, 2);
    g->slots[0] = (FdSlot){.type = bound_type, .name = "lo"};
    g->slots[1] = (FdSlot){.type = bound_type, .name = "hi"};
    const FdNode *i = fd_var(fd, fd_type_scalar(fd, SC_INT), "i");
    FdDom dom = {FD_DOM_GIVEN, fd_slot(fd, 0, bound_type, "lo"), fd_slot(fd, 1, bound_type, "hi")};
    fd_set_root(fd, g, fd_let(fd, 1, &i, &dom, i, (FdLoc){0}));
    *(Graph **)made = graph_adopt(g);
}

void *cs_get_domain(void *fn, int32_t dim, const CsSite *site)
{
    FdBox room;
    const FdBox *box = finite(fn, dim, site, &room);
    if (!box) return NULL;
    CsValue captures[2] = {{.i = box->dim[dim].lo}, {.i = box->dim[dim].hi}};
    if (!rt.domain_graph && !mem_try(make_domain_graph, &rt.domain_graph)) {
        rt_throw_memory(site, 0);
        return NULL;
    }
    return lazy_new(rt.domain_graph, captures, site);
}
