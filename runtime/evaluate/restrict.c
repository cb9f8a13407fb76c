/* Graphs of restrictions and of ?? (restrict.h):
 *
 *   restriction  let (i : lo..hi, ..) f(i, ..)              slots f, lo, hi, ..
 *   moved        let (i : lo..hi, ..) f(i - lo, ..)         the same
 *   f ?? g       let (i : lo..hi, ..) inside ? f : g        slots f, g, lo, hi, flo, fhi, ..
 *
 * where a dimension that is infinite has no bounds. */
#include "restrict.h"

#include "../state.h"

/* ---- graphs --------------------------------------------------------------------------- */

typedef struct Writer {
    Fd *fd;
    FdGraph *graph;
} Writer;

static const FdNode *slot(Writer *w, const FdType *type, const char *name)
{
    int i = w->graph->nslots++;
    w->graph->slots[i] = (FdSlot){.type = type, .name = name};
    return fd_slot(w->fd, i, type, name);
}

static const FdNode *op(Writer *w, FdOp o, const FdNode *a, const FdNode *b)
{
    const FdNode *args[2] = {a, b};
    return fd_apply_op(w->fd, o, SC_BOOL, 2, args, (FdLoc){0});
}

/* a && lo <= i && i < hi */
static const FdNode *and_inside(Writer *w, const FdNode *a, const FdNode *i, const FdNode *lo,
                                const FdNode *hi)
{
    const FdNode *wide = i;
    if (i->type->scalar != SC_LONG)
        wide = fd_apply_op(w->fd, FD_OP_CONVERT, SC_LONG, 1, &i, (FdLoc){0});
    const FdNode *in = op(w, FD_OP_LAND, op(w, FD_OP_GE, wide, lo), op(w, FD_OP_LT, wide, hi));
    return a ? op(w, FD_OP_LAND, a, in) : in;
}

/* A long as an index of this type. */
static const FdNode *as(Writer *w, const FdType *type, const FdNode *n)
{
    if (type->scalar == SC_LONG) return n;
    return fd_apply_op(w->fd, FD_OP_CONVERT, type->scalar, 1, &n, (FdLoc){0});
}

static void write_graph(void *made)
{
    RtWritten *m = made;
    const FdType *type = m->type;
    bool choice = m->choice;
    Fd *fd = rt_fd();
    Arena *arena = fd_arena(fd);
    int n = type->nparams;
    Writer w = {.fd = fd, .graph = arena_new_of(arena, FdGraph)};
    w.graph->slots = arena_array(arena, FdSlot, 2 + 4 * n);
    const FdType *number = fd_type_scalar(fd, SC_LONG);
    const FdNode *f = slot(&w, type, "f"), *g = choice ? slot(&w, type, "g") : NULL;
    const FdNode *vars[FD_MAX_RANK], *at[FD_MAX_RANK], *inside = NULL;
    FdDom doms[FD_MAX_RANK];
    for (int d = 0; d < n; d++) {
        at[d] = vars[d] = fd_var(fd, type->params[d], "i");
        doms[d] = (FdDom){FD_DOM_FULL, NULL, NULL};
        if (m->full >> d & 1) continue;
        const FdNode *lo = slot(&w, number, "lo"), *hi = slot(&w, number, "hi");
        doms[d] = (FdDom){FD_DOM_GIVEN, lo, hi};
        if (m->moved) at[d] = op(&w, FD_OP_SUB, vars[d], as(&w, vars[d]->type, lo));
    }
    for (int d = 0; choice && d < n; d++) {
        if (m->full_first >> d & 1) continue;
        const FdNode *lo = slot(&w, number, "lo"), *hi = slot(&w, number, "hi");
        inside = and_inside(&w, inside, vars[d], lo, hi);
    }
    const FdNode *body = fd_apply(fd, f, n, at, (FdLoc){0});
    if (choice) {
        const FdNode *args[3] = {inside, body, fd_apply(fd, g, n, vars, (FdLoc){0})};
        body = fd_apply_op(fd, FD_OP_SELECT, SC_BOOL, 3, args, (FdLoc){0});
    }
    w.graph->root = fd_let(fd, n, vars, doms, body, (FdLoc){0});
    m->graph = graph_adopt(w.graph);
}

/* NULL with an exception pending. */
static Graph *graph_for(const FdType *type, uint32_t full, uint32_t full_first, bool choice,
                        bool moved, const CsSite *site)
{
    for (size_t i = 0; i < rt.written.len; i++) {
        const RtWritten *m = &rt.written.data[i];
        if (m->type == type && m->full == full && m->full_first == full_first &&
            m->choice == choice && m->moved == moved)
            return m->graph;
    }
    RtWritten made = {type, full, full_first, choice, moved, NULL};
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

static Lazy *restricted(void *f, const FdBox *box, bool moved, const CsSite *site)
{
    CsValue captures[1 + 2 * FD_MAX_RANK] = {{.ref = f}};
    const FdType *type = rt_type_of(f);
    if (!type) {
        rt_throw(RT_DOMAIN, site, "a function over strings or objects has no finite domain");
        return NULL;
    }
    put_bounds(captures, 1, box);
    Graph *g = graph_for(type, full_of(box), 0, false, moved, site);
    return g ? lazy_new(g, captures, site) : NULL;
}

Lazy *restrict_to(void *f, const FdBox *box, const CsSite *site)
{
    return restricted(f, box, false, site);
}

Lazy *move_to(void *f, const FdBox *box, const CsSite *site)
{
    return restricted(f, box, true, site);
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
    Graph *graph = graph_for(type, full_of(&both), full_of(fbox), true, false, site);
    return graph ? lazy_new(graph, captures, site) : NULL;
}
