/* Domains of lazy values (domain.h). */
#include "domain.h"

#include "../../objects/record.h"
#include "../../state.h"
#include "../compose/compose.h"

/* ---- environments ---------------------------------------------------------------------------- */

enum { FEW = 8 }; /* slots */

typedef struct Env {
    bool open; /* a bound was a value of an array */
    FdEnv env;
    FdBox boxes[FEW];
    ScalarValue scalars[FEW];
    void *more;
} Env;

static void env_open(Env *e, const Graph *g, const CsValue *captures)
{
    FdBox *boxes = e->boxes;
    ScalarValue *scalars = e->scalars;
    e->more = NULL;
    e->open = false;
    int n = g->fd->nslots;
    if (n > FEW) {
        boxes = arena_alloc(e->more = arena_new(), (size_t)n * sizeof *boxes);
        scalars = arena_array(e->more, ScalarValue, n);
    }
    for (int i = 0; i < n; i++) {
        if (g->fd->slots[i].type->result) {
            void *fn = captures[i].ref;
            if (((CsHead *)fn)->kind == CS_ARRAY)
                rt_array_box_into(fn, &boxes[i]);
            else
                boxes[i] = *rt_box_of(fn, NULL);
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
static FdBoundStatus bound(Graph *g, const FdNode *n, Env *e, const CsValue *captures,
                           const CsSite *site, int64_t *out)
{
    FdBoundStatus s = fd_eval_bound(n, &e->env, out);
    if (s != FD_BOUND_OPEN) return s;
    ScalarValue v = {0};
    e->open = true;
    if (!compose_scalar(g, n, captures, site, &v))
        return FD_BOUND_OPEN; /* an exception is pending */
    *out = v.i;
    return FD_BOUND_OK;
}

/* The range of parameter d of f. False with an exception pending. */
static bool range(Graph *g, const FdNode *f, int d, Env *e, const CsValue *captures,
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
static void suggest(Text *t, Graph *g, const FdAgree *a, Env *e, const CsValue *captures,
                    const CsSite *site)
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

static bool agree(Graph *g, const FdAgree *a, Env *e, const CsValue *captures, const CsSite *site)
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

static bool agree_all(Graph *g, Env *e, const CsValue *captures, const CsSite *site)
{
    for (int i = 0; i < g->fd->nagrees; i++) {
        const FdAgree *a = &g->fd->agrees[i];
        if (a->a->kind == FD_VAR || a->b->kind == FD_VAR) continue; /* once it is applied */
        if (!agree(g, a, e, captures, site)) return false;
    }
    return true;
}

/* ---- what is known ----------------------------------------------------------------------------- */

/* A domain of a graph, and what it was found from: loops ask for the same few again. */
struct Domain {
    bool is;    /* else it holds no more */
    bool plain; /* of a range that is worked out of few numbers, with nothing to be checked */
    struct Domain *next; /* found before */
    FdBox box;
    FdBox *boxes;        /* one a slot.. */
    ScalarValue *values; /* ..and its value, if it is a scalar.. */
    bool *asked;         /* ..on which bounds depend */
};

static void ask(const struct Domain *k, const FdNode *f, int d)
{
    FdDom dom = fd_domain(rt_fd(), f, d);
    graph_range_asks(&dom, k->asked);
}

/* A number, a scalar, a bound of a slot, or sums and the like of a few: to work it out takes no memory. */
static bool is_plain(const FdNode *n, int deepest)
{
    const FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (n->kind == FD_SCALAR) return true;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER)
        return n->args[0]->kind == FD_FUNC && n->args[0]->leaf == FD_LEAF_SLOT;
    bool plain = deepest > 0 && (op == FD_OP_ADD || op == FD_OP_SUB || op == FD_OP_MUL ||
                                 op == FD_OP_MIN || op == FD_OP_MAX || op == FD_OP_CONVERT);
    for (int i = 0; plain && i < n->nargs; i++) plain = is_plain(n->args[i], deepest - 1);
    return plain;
}

static bool has_plain_range(const FdGraph *g)
{
    enum { DEEPEST = 4 };
    const FdNode *root = fd_root(g);
    bool plain = root->kind == FD_LET && g->nslots <= FEW;
    for (int i = 0; plain && i < g->nagrees; i++)
        plain = g->agrees[i].a->kind == FD_VAR || g->agrees[i].b->kind == FD_VAR;
    for (int d = 0; plain && d < root->type->nparams; d++)
        plain = root->doms[d].lo && root->doms[d].hi && is_plain(root->doms[d].lo, DEEPEST) &&
                is_plain(root->doms[d].hi, DEEPEST);
    return plain;
}

static struct Domain *new_domain(const Graph *g)
{
    Arena *arena = fd_arena(rt_fd());
    struct Domain *k = arena_new_of(arena, struct Domain);
    const FdNode *root = fd_root(g->fd);
    k->plain = has_plain_range(g->fd);
    k->boxes = arena_array(arena, FdBox, g->fd->nslots);
    k->values = arena_array(arena, ScalarValue, g->fd->nslots);
    k->asked = arena_array(arena, bool, g->fd->nslots);
    for (int d = 0; d < root->type->nparams; d++) ask(k, root, d);
    for (int i = 0; i < g->fd->nagrees; i++) {
        const FdAgree *a = &g->fd->agrees[i];
        if (a->a->kind == FD_VAR || a->b->kind == FD_VAR) continue;
        ask(k, a->a, a->a_dim);
        ask(k, a->b, a->b_dim);
    }
    return k;
}

static bool same_box(const FdBox *a, const FdBox *b)
{
    for (int d = 0; d < a->rank; d++)
        if (a->dim[d].lo != b->dim[d].lo || a->dim[d].hi != b->dim[d].hi ||
            a->dim[d].full != b->dim[d].full)
            return false;
    return a->rank == b->rank;
}

/* Of a captured function; a closure may give another one each time. */
static bool is_as_before(void *fn, const FdBox *before)
{
    const CsHead *h = fn;
    if (h->kind == CS_ARRAY) return rt_array_has(fn, before);
    return h->kind == CS_LAZY && same_box(&((Lazy *)fn)->box, before);
}

static bool is_of(const struct Domain *k, const Graph *g, const CsValue *captures)
{
    if (!k->is) return false;
    for (int i = 0; i < g->fd->nslots; i++)
        if (g->fd->slots[i].type->result ? !is_as_before(captures[i].ref, &k->boxes[i])
                                         : k->asked[i] && captures[i].i != k->values[i].i)
            return false;
    return true;
}

enum {
    MOST = 8,         /* of a graph.. */
    MISSES = 2 * MOST /* ..of which the first is asked, after so many misses: no loop comes back */
};

/* The first, for what is learnt: a new one, or the oldest of so many. */
static struct Domain *first_domain(Graph *g)
{
    struct Domain **at = &g->domain;
    if (*at && g->misses >= MISSES) return *at;
    for (int i = 0; *at && i < MOST - 1; i++) at = &(*at)->next;
    struct Domain *k = *at ? *at : new_domain(g);
    *at = NULL;
    k->next = g->domain;
    return g->domain = k;
}

static void learn(Graph *g, const Env *e, const FdBox *box)
{
    struct Domain *k = first_domain(g);
    for (int i = 0; i < g->fd->nslots; i++) {
        fd_box_copy(&k->boxes[i], &e->env.boxes[i]);
        k->values[i] = e->env.scalars[i];
    }
    k->box = *box;
    k->is = !e->open;
}

/* ---- finding ----------------------------------------------------------------------------------- */

typedef struct Finding {
    Graph *graph;
    const CsValue *captures;
    const CsSite *site;
    FdBox *box;
    bool ok;
} Finding;

static void find(void *finding)
{
    Finding *f = finding;
    Env e;
    env_open(&e, f->graph, f->captures);
    bool ok = !cs_pending && agree_all(f->graph, &e, f->captures, f->site);
    for (int d = 0; ok && d < f->box->rank; d++) {
        ok = range(f->graph, fd_root(f->graph->fd), d, &e, f->captures, f->site, f->box);
        if (f->box->dim[d].hi < f->box->dim[d].lo) f->box->dim[d].hi = f->box->dim[d].lo;
    }
    if (ok) learn(f->graph, &e, f->box);
    env_close(&e);
    f->ok = ok;
}

const FdBox *domain_again(Graph *g, const CsValue *captures)
{
    struct Domain **at = &g->domain;
    if (cs_pending) return NULL;
    bool found = false;
    for (; *at; at = &(*at)->next)
        if ((found = is_of(*at, g, captures)) || g->misses >= MISSES) break;
    g->misses = found ? 0 : g->misses < MISSES ? (uint8_t)(g->misses + 1) : g->misses;
    if (!found) return NULL;
    struct Domain *k = *at;
    *at = k->next; /* it is the first now */
    k->next = g->domain;
    g->domain = k;
    return &k->box;
}

bool domain_asks(const Graph *g, int slot)
{
    return g->domain && g->domain->asked[slot];
}

/* A range that is worked out of numbers that are at hand; false: it is not that plain. */
static bool find_plain(const Graph *g, const CsValue *captures, FdBox *box)
{
    const FdNode *root = fd_root(g->fd);
    Env e;
    if (!g->domain || !g->domain->plain) return false;
    env_open(&e, g, captures);
    bool good = true;
    for (int d = 0; good && d < box->rank; d++) {
        int64_t lo, hi;
        good = fd_eval_bound(root->doms[d].lo, &e.env, &lo) == FD_BOUND_OK &&
               fd_eval_bound(root->doms[d].hi, &e.env, &hi) == FD_BOUND_OK;
        box->dim[d].full = false;
        box->dim[d].lo = lo;
        box->dim[d].hi = hi > lo ? hi : lo;
    }
    return good;
}

bool domain_find(Graph *g, const CsValue *captures, const CsSite *site, FdBox *box)
{
    const FdBox *again = domain_again(g, captures);
    if (again) {
        *box = *again;
        return true;
    }
    *box = (FdBox){.rank = fd_root(g->fd)->type->nparams};
    if (!cs_pending && g->misses >= MISSES && find_plain(g, captures, box)) return true;
    Finding f = {g, captures, site, box, false};
    if (!mem_try(find, &f)) rt_throw_memory(site, 0);
    rt_site(site);
    return f.ok;
}
