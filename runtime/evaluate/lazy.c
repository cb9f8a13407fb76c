/* Building functional values: the domain is evaluated from the captures' domains and the agreements
 * are checked at once, so a DomainException names the expression's line; elements wait until
 * somebody asks. A value keeps references only. Chains stay cheap: where composing would go too
 * deep, or would compute the same element too often, the captures are marked to be evaluated on
 * their own. */
#include "lazy.h"

#include <stdlib.h>
#include <string.h>

#include "../objects/count.h"
#include "../objects/record.h"
#include "../state.h"
#include "closure.h"
#include "compose.h"

/* What cannot be evaluated on its own (functions of all values) composes deeper, up to DEEPEST. */
enum { MAX_DEPTH = 64, MAX_FACTOR = 8, DEEPEST = 2000 };

/* ---- environments ---------------------------------------------------------------------------- */

typedef struct Env {
    FdEnv env;
    FdBox boxes[8];
    ScalarValue scalars[8];
    void *more;
} Env;

static void env_open(Env *e, const Graph *g, const CsValue *captures)
{
    FdBox *boxes = e->boxes;
    ScalarValue *scalars = e->scalars;
    e->more = NULL;
    int n = g->fd->nslots;
    if (n > 8) {
        boxes = arena_alloc(e->more = arena_new(), (size_t)n * sizeof *boxes);
        scalars = arena_array(e->more, ScalarValue, n);
    }
    for (int i = 0; i < n; i++) {
        if (g->fd->slots[i].type->result) {
            FdBox room;
            boxes[i] = *rt_box_of(captures[i].ref, &room);
            scalars[i].i = 0;
        } else {
            boxes[i].rank = 0;
            scalars[i].i = captures[i].i;
        }
    }
    e->env = (FdEnv){boxes, scalars};
}

static void env_close(Env *e)
{
    if (e->more) arena_free(e->more);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* One bound as a number; values of arrays are read where the program made it depend on them. */
static FdBoundStatus bound(const Graph *g, const FdNode *n, const Env *e, const CsValue *captures,
                           const CsSite *site, int64_t *out)
{
    FdBoundStatus s = fd_eval_bound(n, &e->env, out);
    if (s != FD_BOUND_OPEN) return s;
    ScalarValue v = {0};
    if (!compose_scalar(g, n, captures, site, &v))
        return FD_BOUND_OPEN; /* an exception is pending */
    *out = v.i;
    return FD_BOUND_OK;
}

/* The range of parameter d of f. False with an exception pending. */
static bool range(const Graph *g, const FdNode *f, int d, const Env *e, const CsValue *captures,
                  const CsSite *site, FdBox *box)
{
    if (f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT) {
        box->dim[d] = e->env.boxes[f->slot].dim[d];
        return true;
    }
    FdDom dom = fd_domain(rt_fd(), f, d);
    box->dim[d].full = dom.kind == FD_DOM_FULL;
    box->dim[d].lo = box->dim[d].hi = 0;
    if (box->dim[d].full) return true;
    FdBoundStatus s = bound(g, dom.lo, e, captures, site, &box->dim[d].lo);
    if (s == FD_BOUND_OK) s = bound(g, dom.hi, e, captures, site, &box->dim[d].hi);
    if (s == FD_BOUND_OK) return true;
    if (s == FD_BOUND_INFINITE) { /* its range is that of a function with all values */
        box->dim[d].full = true;
        return true;
    }
    CsSite at = rt_site_at(site, f->loc);
    if (s == FD_BOUND_DIVIDE_BY_ZERO)
        rt_throw(RT_DIVIDE, &at, "integer division by zero in a range");
    else
        rt_throw(RT_DOMAIN, &at, "the range of a parameter depends on another bound variable");
    return false;
}

/* A slot's own name: the node may carry that of a slot of another graph. */
static void add_function(Text *t, const Graph *g, const FdNode *f)
{
    if (f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT)
        text_add(t, g->fd->slots[f->slot].name);
    else
        fd_print_expr(t, f);
}

typedef struct Search {
    const FdAgree *agree;
    const FdNode **found;
} Search;

static bool is_its_use(const void *search, const FdNode *n)
{
    const Search *s = search;
    FdLoc at = s->agree->loc;
    bool it = n->kind == FD_APPLY && n->loc.line == at.line && n->loc.col == at.col &&
              !fd_op_of(n) && n->nargs <= s->agree->b->type->nparams;
    if (it) *s->found = n;
    return it;
}

/* The variable that an agreement is about: in the application it was made of, the last arguments of
 * which are those of its function. NULL: the graph has it no more. */
static const FdNode *agreeing_variable(const Graph *g, const FdAgree *a)
{
    const FdNode *use = NULL;
    fd_any(fd_root(g->fd), is_its_use, &(Search){a, &use});
    int k = use ? a->b_dim - (a->b->type->nparams - use->nargs) : -1;
    return k >= 0 && use->args[k]->kind == FD_VAR ? use->args[k] : NULL;
}

/* Is f no array that was given: has its range been found from what it reads? */
static bool is_computed(const FdNode *f, const CsValue *captures)
{
    if (f->kind != FD_FUNC) return true;
    return f->leaf == FD_LEAF_SLOT && ((CsHead *)captures[f->slot].ref)->kind == CS_LAZY;
}

/* Where everything that agrees with a's first function has values: the range to write, if one of
 * them is computed from others. (Arrays of different lengths are a mistake to be found.) */
static void suggest(Text *t, const Graph *g, const FdAgree *a, const Env *e,
                    const CsValue *captures, const CsSite *site)
{
    const FdNode *var = agreeing_variable(g, a);
    bool computed = is_computed(a->a, captures);
    int64_t lo = INT64_MIN, hi = INT64_MAX;
    for (int i = 0; i < g->fd->nagrees; i++) {
        const FdAgree *other = &g->fd->agrees[i];
        if (other->inside || other->a != a->a || other->a_dim != a->a_dim ||
            other->b->kind == FD_VAR || agreeing_variable(g, other) != var)
            continue;
        const FdNode *ends[] = {other->a, other->b};
        int dims[] = {other->a_dim, other->b_dim};
        computed = computed || is_computed(other->b, captures);
        for (int k = 0; k < 2; k++) {
            FdBox box = {0};
            if (!range(g, ends[k], dims[k], e, captures, site, &box)) return;
            if (box.dim[dims[k]].full) continue;
            if (box.dim[dims[k]].lo > lo) lo = box.dim[dims[k]].lo;
            if (box.dim[dims[k]].hi < hi) hi = box.dim[dims[k]].hi;
        }
    }
    if (var && computed && lo < hi)
        text_printf(t, "; to compute where all have values, write the range: (%s : %lld..%lld)",
                    var->name, (long long)lo, (long long)hi);
}

static bool agree(const Graph *g, const FdAgree *a, const Env *e, const CsValue *captures,
                  const CsSite *site)
{
    FdBox x = {0}, y = {0};
    if (!range(g, a->a, a->a_dim, e, captures, site, &x) ||
        !range(g, a->b, a->b_dim, e, captures, site, &y))
        return false;
    if (x.dim[a->a_dim].full || (y.dim[a->b_dim].full && !a->inside)) return true;
    int64_t xlo = x.dim[a->a_dim].lo, xhi = x.dim[a->a_dim].hi, ylo = y.dim[a->b_dim].lo,
            yhi = y.dim[a->b_dim].hi;
    if (a->inside) {
        bool full = y.dim[a->b_dim].full;
        if (xlo <= xhi && (full || (xlo >= ylo && xhi <= yhi))) return true;
        CsSite at = rt_site_at(site, a->loc);
        rt_throw_slice(&at, a->b_dim, xlo, xhi, full ? xlo : ylo, full ? xhi : yhi);
        return false;
    }
    if (xlo == ylo && xhi == yhi) return true;
    Text t = {0};
    text_printf(&t, "domains differ: dimension %d of ", a->a_dim);
    add_function(&t, g, a->a);
    text_printf(&t, " is %lld..%lld, dimension %d of ", (long long)xlo, (long long)xhi, a->b_dim);
    add_function(&t, g, a->b);
    text_printf(&t, " is %lld..%lld", (long long)ylo, (long long)yhi);
    suggest(&t, g, a, e, captures, site);
    CsSite at = rt_site_at(site, a->loc);
    rt_throw(RT_DOMAIN, &at, "%s", t.data);
    text_free(&t);
    return false;
}

static bool agree_all(const Graph *g, const Env *e, const CsValue *captures, const CsSite *site)
{
    for (int i = 0; i < g->fd->nagrees; i++) {
        const FdAgree *a = &g->fd->agrees[i];
        if (a->a->kind == FD_VAR || a->b->kind == FD_VAR) continue; /* once it is applied */
        if (!agree(g, a, e, captures, site)) return false;
    }
    return true;
}

/* What is found out about a value before it is made. */
typedef struct Finding {
    const Graph *graph;
    const CsValue *captures;
    const CsSite *site;
    FdBox *box; /* NULL: agreements only */
    bool ok;
} Finding;

static void find(void *finding)
{
    Finding *f = finding;
    Env e;
    env_open(&e, f->graph, f->captures);
    bool ok = !cs_pending && agree_all(f->graph, &e, f->captures, f->site);
    for (int d = 0; ok && f->box && d < f->box->rank; d++) {
        ok = range(f->graph, fd_root(f->graph->fd), d, &e, f->captures, f->site, f->box);
        if (f->box->dim[d].hi < f->box->dim[d].lo) f->box->dim[d].hi = f->box->dim[d].lo;
    }
    env_close(&e);
    f->ok = ok;
}

static bool find_all(const Graph *g, const CsValue *captures, const CsSite *site, FdBox *box)
{
    Finding f = {g, captures, site, box, false};
    if (!mem_try(find, &f)) rt_throw_memory(site, 0);
    rt_site(site);
    return f.ok;
}

bool lazy_check(Graph *g, const CsValue *captures, const CsSite *site)
{
    return g->fd->nagrees == 0 || find_all(g, captures, site, NULL);
}

/* ---- lazy values ----------------------------------------------------------------------------- */

bool lazy_finite(const Lazy *l)
{
    int64_t count;
    return l->box.rank <= CS_MAX_RANK && rt_box_count(&l->box, &count);
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
    l->foreseen = l->graph->foreseen;
    for (int attempt = 0; attempt < 2; attempt++) {
        unsigned depth = 1, factor = 1;
        double nodes = l->graph->nodes;
        for (int i = 0; i < fd->nslots; i++) {
            Lazy *c = fd->slots[i].type->result ? open_lazy(l->captures[i].ref) : NULL;
            if (!c || c->keep) continue;
            l->expensive |= c->expensive;
            l->recurs |= c->recurs;
            l->reduces |= c->reduces;
            l->foreseen |= c->foreseen;
            nodes += c->nodes;
            unsigned points = l->graph->points[i] ? l->graph->points[i] : 1;
            if (c->depth + 1u > depth) depth = c->depth + 1u;
            if (c->factor * points > factor) factor = c->factor * points;
        }
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

Lazy *lazy_new(Graph *g, const CsValue *captures, const CsSite *site)
{
    const FdGraph *fd = g->fd;
    FdBox box = {.rank = fd_root(fd)->type->nparams};
    if (!find_all(g, captures, site, &box)) return NULL;
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
