/* Single elements: cs_apply and its kin. */
#include <string.h>

#include "../../objects/record.h"
#include "../../state.h"
#include "../compose/compose.h"
#include "closure.h"

/* After how many reads of single elements all of a cheap function is evaluated: at least, and for
 * how many elements one. A read takes a microsecond, a kernel that long for a thousand elements. */
enum { MANY_READS = 64, PER_READ = 1024 };

static bool read_element(Array *a, const CsValue *args, ScalarValue *out, const CsSite *site)
{
    const CsArray *h = &a->head;
    int64_t at = 0, index[CS_MAX_RANK];
    bool inside = true;
    for (int32_t d = 0; d < h->rank; d++) {
        index[d] = args[d].i;
        uint64_t x = (uint64_t)index[d] - (uint64_t)h->dim[d].lo;
        inside &= x < (uint64_t)h->dim[d].n;
        at += inside ? (int64_t)x * h->dim[d].stride : 0;
    }
    if (!inside) {
        FdBox box = rt_array_box(a);
        rt_throw_outside(site, NULL, &box, index);
        return false;
    }
    const void *data = cs_element_read(a, at, site);
    if (!data) return false;
    if (h->elem == CS_ELEM_REF)
        out->i = (int64_t)(uintptr_t)cs_retain(((void *const *)data)[at]);
    else
        elem_load(a, data, at, out);
    return true;
}

/* Is it time to evaluate all of l instead of one more element? */
static bool worth_all(Lazy *l)
{
    int64_t count;
    if (l->no_keep || !lazy_finite(l) || !rt_box_count(&l->box, &count)) return false;
    l->reads++;
    return l->expensive || (l->reads > MANY_READS && l->reads > count / PER_READ);
}

/* Scalars that the arguments of a function are: a record is several. */
static int count_args(const FdType *type)
{
    int n = 0;
    for (int i = 0; i < type->nparams; i++) n += fd_type_leaves(type->params[i]);
    return n;
}

/* Are the arguments inside the domain of l? */
static bool is_inside(const Lazy *l, const CsValue *args, const CsSite *site)
{
    int64_t index[FD_MAX_RANK];
    bool inside = true;
    const FdType *type = fd_root(l->graph->fd)->type;
    for (int d = 0, at = 0; d < l->box.rank; d++) {
        index[d] = args[at].i;
        at += fd_type_leaves(type->params[d]);
        if (!l->box.dim[d].full)
            inside &= index[d] >= l->box.dim[d].lo && index[d] < l->box.dim[d].hi;
    }
    if (!inside) rt_throw_outside(site, NULL, &l->box, index);
    return inside;
}

/* Of indices that are one number each; else all values of a type. */
static FdBox point_of(const Lazy *l, const CsValue *args)
{
    const FdType *type = fd_root(l->graph->fd)->type;
    FdBox point = {.rank = type->nparams};
    for (int d = 0, at = 0; d < type->nparams; d++) {
        const FdType *t = type->params[d];
        bool index = fd_type_is_scalar(t) && scalar_is_integer(t->scalar);
        point.dim[d].full = !index;
        if (index) point.dim[d].lo = args[at].i;
        if (index) point.dim[d].hi = args[at].i + 1;
        at += fd_type_leaves(t);
    }
    return point;
}

static bool apply_lazy(Lazy *l, const CsValue *args, ScalarValue *out, const CsSite *site)
{
    enum { MOST = FD_MAX_RANK * FD_MAX_FIELDS };
    ScalarValue in[MOST];
    int n = count_args(fd_root(l->graph->fd)->type);
    for (int i = 0; i < n && i < MOST; i++) in[i].i = args[i].i;
    if (!l->result && worth_all(l) && !eval_lazy(l, site)) {
        rt_catch(); /* the error may be another element's */
        l->no_keep = true;
    }
    if (l->result) return read_element(l->result, args, out, site);
    Evaluation e;
    const CsSite *around = rt.at;
    if (!compose(&e, l->graph, fd_root(l->graph->fd), l->captures, site)) return false;
    rt.at = l->site ? l->site : site;
    FdBox point = point_of(l, args);
    Ref *r = compose_ref(&e, &point, site);
    bool good = r && ref_point(r, e.leaves.data, rt.at, in, out);
    if (r) compose_ref_end(&e, r);
    compose_end(&e);
    rt.at = around;
    return good;
}

/* The graph of what a function gives: its parameters are slots. Made once. */
static void make_applied(void *graph)
{
    Graph *g = graph;
    const FdNode *root = fd_root(g->fd), *args[FD_MAX_RANK];
    FdGraph *fd = arena_new_of(fd_arena(rt_fd()), FdGraph);
    *fd = *g->fd;
    fd->slots =
        arena_array(fd_arena(rt_fd()), FdSlot, (size_t)(fd->nslots + count_args(root->type)) + 1);
    memcpy(fd->slots, g->fd->slots, sizeof *fd->slots * (size_t)g->fd->nslots);
    for (int i = 0; i < root->type->nparams; i++) {
        const char *name = root->kind == FD_LET ? root->vars[i]->name : NULL;
        args[i] = graph_add_slots(fd, root->type->params[i], name ? name : "x");
    }
    if (fd->nagrees)
        fd->agrees =
            arena_copy(fd_arena(rt_fd()), fd->agrees, sizeof *fd->agrees * (size_t)fd->nagrees);
    for (int i = 0; i < fd->nagrees; i++) {
        FdAgree *a = &fd->agrees[i];
        for (int k = 0; root->kind == FD_LET && k < root->nvars; k++) {
            if (a->a == root->vars[k]) a->a = args[k];
            if (a->b == root->vars[k]) a->b = args[k];
        }
    }
    fd_set_root(rt_fd(), fd, fd_apply(rt_fd(), root, root->type->nparams, args, root->loc));
    FdError error;
    fd_pass_find("compose")->run(rt_fd(), fd, &error);
    g->applied = graph_adopt(fd);
}

static bool takes_functions(const FdType *type)
{
    for (int i = 0; i < type->nparams; i++)
        if (type->params[i]->result) return true;
    return false;
}

/* A function of functions, or one that gives a function: what it gives is a graph of its own. */
static bool apply_functional(Lazy *l, const CsValue *args, CsValue *out, const CsSite *site)
{
    VEC(CsValue) captures = {0};
    if (!l->graph->applied && !mem_try(make_applied, l->graph)) {
        rt_throw_memory(site, 0);
        return false;
    }
    Graph *g = l->graph->applied;
    const FdType *type = fd_root(g->fd)->type;
    ScalarValue leaves[RT_MAX_LEAVES];
    if (!vec_try_room(&captures, (size_t)g->fd->nslots + 1)) {
        rt_throw_memory(site, (size_t)g->fd->nslots);
        return false;
    }
    for (int i = 0; i < l->ncaptures; i++) vec_push(&captures, l->captures[i]);
    for (int i = l->ncaptures; i < g->fd->nslots; i++) vec_push(&captures, args[i - l->ncaptures]);
    bool good = true;
    if (type->result)
        good = (out->ref = lazy_new(g, captures.data, site)) != NULL;
    else if ((good = eval_scalar(g, captures.data, site, leaves)))
        for (int i = 0, n = fd_type_leaves(type); i < n; i++) out[i].i = leaves[i].i;
    vec_free(&captures);
    return good;
}

void cs_apply(void *fn, const CsValue *args, CsValue *out, const CsSite *site)
{
    CsHead *h = fn;
    ScalarValue leaves[RT_MAX_LEAVES];
    out[0].i = 0;
    if (h->kind == CS_CLOSURE) {
        closure_call(fn, args, out, site);
        return;
    }
    leaves[0].i = 0;
    const FdType *known = h->kind == CS_LAZY ? fd_root(((Lazy *)fn)->graph->fd)->type : NULL;
    if (known && !is_inside(fn, args, site)) return;
    if (known && (known->result->result || takes_functions(known))) {
        cs_retain(fn);
        apply_functional(fn, args, out, site);
        cs_release(fn);
        return;
    }
    cs_retain(fn);
    bool good = h->kind == CS_ARRAY ? read_element(fn, args, leaves, site)
                                    : apply_lazy(fn, args, leaves, site);
    const FdType *type = good ? rt_type_of(fn) : NULL;
    for (int i = 0, n = type ? fd_type_leaves(type->result) : good; i < n; i++)
        out[i].i = leaves[i].i;
    cs_release(fn);
}

static ScalarValue apply_scalar(void *fn, const CsValue *args, const CsSite *site)
{
    CsValue out = {0};
    cs_apply(fn, args, &out, site);
    return (ScalarValue){.i = cs_pending ? 0 : out.i};
}

int64_t cs_apply_i(void *fn, const CsValue *args, const CsSite *site)
{
    return apply_scalar(fn, args, site).i;
}

double cs_apply_f(void *fn, const CsValue *args, const CsSite *site)
{
    return apply_scalar(fn, args, site).f;
}
