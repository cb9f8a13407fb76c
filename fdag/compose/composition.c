/* Composing (composition.h): one walk over captures, depth first in the order of slots, which
 * numbers slots and graphs before it goes into them, and builds with fd_substitute where it is to.
 * Recursive: who makes lazy values keeps them from being deep. */
#include "composition.h"

#include <string.h>

#include "../internal.h"

/* A dimension of an array, the range of which another one has as well; `same` stands before it in the order of
 * slots, or is itself. */
typedef struct Range {
    int slot, dim;
    int same_slot, same_dim;
} Range;

typedef struct Composer {
    const FdComposing *c;
    Fd *fd;            /* NULL: nothing is built */
    const char *hints; /* of the graphs so far, the outermost first */
    int nslots;
    uint32_t ngraphs;
    VEC(FdSlot) slots;
    FdiNodes graphs;       /* what each became, by its number */
    VEC(FdResult) kept;    /* of these, in order */
    VEC(uint32_t) moving;  /* slots that do, in order */
    VEC(FdiTurned) turned; /* in turns: what graphs became */
    VEC(Range) ranges;     /* of arrays that have the range of another one */
} Composer;

static bool compose(Composer *m, const FdGraph *g, int n, const FdResult *results,
                    const void *captures, FdResult *out);

static void add_slot(Composer *m, const FdType *type, bool is_array, const char *name)
{
    m->nslots++;
    if (!m->fd) return;
    FdSlot s = {.type = fdi_import_type(m->fd, type), .is_array = is_array};
    s.name = name ? arena_strndup(m->fd->arena, name, strlen(name)) : NULL;
    vec_push(&m->slots, s);
}

static const FdNode *slot_node(const Composer *m, uint32_t index)
{
    const FdSlot *s = &m->slots.data[index];
    return fd_slot(m->fd, (int)index, s->type, s->name);
}

static FdCapture look(const Composer *m, const FdGraph *g, const void *captures, int slot)
{
    if (!g->slots[slot].type->result)
        return m->c->scalar ? m->c->scalar(m->c->ctx, g, captures, slot)
                            : (FdCapture){.kind = FD_CAPTURE_SCALAR};
    return m->c->look(m->c->ctx, captures, slot);
}

/* The function as an array; NULL: it cannot be one. */
static const FdNode *stored(Fd *fd, const FdNode *f)
{
    if (f->kind != FD_LET || f->self) return NULL;
    return fdi_array_of(f) ? f : fd_stored(fd, f);
}

/* The node that slot i of g becomes; NULL if nothing is built. */
static bool capture(Composer *m, const FdGraph *g, const void *captures, int i, const FdNode **out)
{
    const FdSlot *slot = &g->slots[i];
    FdCapture k = look(m, g, captures, i);
    uint32_t own = (uint32_t)m->nslots;
    if (k.kind == FD_CAPTURE_UNKNOWN) return false;
    bool single = k.kind == FD_CAPTURE_SCALAR && !k.visit, graph = k.kind == FD_CAPTURE_GRAPH;
    bool moves = k.kind == FD_CAPTURE_SCALAR && m->c->moves && m->c->moves(m->c->ctx, captures, i);
    if (moves && !single) *k.visit = 0; /* it is no other turn's, whatever their values are now */
    bool again = !single && *k.visit == m->c->visit;
    if (!again && !single) {
        *k.visit = m->c->visit;
        *k.index = graph ? m->ngraphs++ : own;
    }
    if (m->c->meet) m->c->meet(m->c->ctx, &k, captures, i, again);
    if (moves && m->fd) vec_push(&m->moving, own);
    if (!again && !graph)
        add_slot(m, k.type ? k.type : slot->type, k.kind == FD_CAPTURE_ARRAY, slot->name);
    if (!again && graph) {
        FdResult made = {0};
        if (m->fd) vec_push(&m->graphs, NULL);
        if (!compose(m, k.graph, 1, k.graph->results, k.captures, &made)) return false;
        if (m->fd && k.array && !m->c->turns) made.node = fdi_rounded_array(m->fd, made.node);
        if (m->fd && k.kept) {
            if (!(made.node = stored(m->fd, made.node))) return false;
            vec_push(&m->kept, made);
        }
        const FdNode *array = m->fd && m->c->turns && k.array ? stored(m->fd, made.node) : NULL;
        if (m->fd) m->graphs.data[*k.index] = array ? array : made.node;
        if (m->fd && m->c->turns)
            vec_push(&m->turned, ((FdiTurned){k.graph, m->graphs.data[*k.index], k.kept}));
    }
    if (m->fd) *out = graph ? m->graphs.data[*k.index] : slot_node(m, single ? own : *k.index);
    if (moves && !single) *k.visit = 0;
    return true;
}

/* ---- equal ranges ------------------------------------------------------------------------------ */

static const FdNode *unwrapped(const FdNode *n)
{
    while (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT) n = n->args[0];
    return n;
}

/* The array of which a function has the range in a dimension. False: it has one of its own. */
static bool range_of(const Composer *m, const FdNode *f, int dim, Range *out)
{
    if (f->kind == FD_LET) { /* (int) lower(a, 1) */
        const FdDom *d = &f->doms[dim];
        const FdNode *lo = d->lo ? unwrapped(d->lo) : NULL, *hi = d->lo ? unwrapped(d->hi) : NULL;
        if (!lo || lo->kind != FD_APPLY || hi->kind != FD_APPLY || fd_op_of(lo) != FD_OP_LOWER ||
            fd_op_of(hi) != FD_OP_UPPER || lo->args[0] != hi->args[0] || lo->args[1] != hi->args[1])
            return false;
        f = lo->args[0];
        dim = (int)lo->args[1]->value.i;
    }
    if (!fdi_is_leaf(f, FD_LEAF_SLOT) || !m->slots.data[f->slot].is_array) return false;
    *out = (Range){f->slot, dim, f->slot, dim};
    return true;
}

static Range *find_range(Composer *m, Range r)
{
    for (size_t i = 0; i < m->ranges.len; i++)
        if (m->ranges.data[i].slot == r.slot && m->ranges.data[i].dim == r.dim)
            return &m->ranges.data[i];
    vec_push(&m->ranges, r);
    return &vec_last(&m->ranges);
}

/* What was checked when the functions were made: bounds of equal ranges are one, so that what is shown of an index
 * in one array is shown in the other. */
static void note_agreement(Composer *m, const FdAgree *agree, const FdNode *const *values, int n)
{
    Range a, b;
    if (agree->inside ||
        !range_of(m, fd_substitute(m->fd, agree->a, values, n), agree->a_dim, &a) ||
        !range_of(m, fd_substitute(m->fd, agree->b, values, n), agree->b_dim, &b))
        return;
    a = *find_range(m, a);
    b = *find_range(m, b);
    bool first = a.same_slot != b.same_slot ? a.same_slot < b.same_slot : a.same_dim < b.same_dim;
    const Range to = first ? a : b, from = first ? b : a;
    for (size_t i = 0; i < m->ranges.len; i++) {
        Range *r = &m->ranges.data[i];
        if (r->same_slot != from.same_slot || r->same_dim != from.same_dim) continue;
        r->same_slot = to.same_slot;
        r->same_dim = to.same_dim;
    }
}

static const FdNode *same_range(void *ctx, Fd *fd, const FdNode *n)
{
    const Composer *m = ctx;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if ((op != FD_OP_LOWER && op != FD_OP_UPPER) || !fdi_is_leaf(n->args[0], FD_LEAF_SLOT))
        return NULL;
    for (size_t i = 0; i < m->ranges.len; i++) {
        const Range *r = &m->ranges.data[i];
        if (r->slot != n->args[0]->slot || r->dim != (int)n->args[1]->value.i) continue;
        const FdNode *args[] = {slot_node(m, (uint32_t)r->same_slot), fd_int(fd, r->same_dim)};
        return fd_apply_op(fd, op, n->type->scalar, 2, args, n->loc);
    }
    return NULL;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static bool compose(Composer *m, const FdGraph *g, int n, const FdResult *results,
                    const void *captures, FdResult *out)
{
    FdiNodes values = {0};
    bool known = true;
    if (m->fd) m->hints = fd_hints_join(m->fd, m->hints, g->hints);
    for (int i = 0; i < g->nslots && known; i++) {
        const FdNode *v = NULL;
        known = capture(m, g, captures, i, &v);
        if (m->fd) vec_push(&values, v);
    }
    for (int i = 0; known && m->fd && i < g->nagrees; i++)
        note_agreement(m, &g->agrees[i], values.data, g->nslots);
    if (known && m->fd) fd_substitute_all(m->fd, n, results, values.data, g->nslots, out);
    vec_free(&values);
    return known;
}

bool fd_compose_walk(const FdComposing *c, const FdGraph *g, const void *captures)
{
    Composer m = {.c = c};
    return compose(&m, g, 0, NULL, captures, NULL);
}

/* A recurrence whose indices ask functions has no order before those are known, which is now. Does
 * the graph hold one? If it still has no order then, evaluating it says so. */
static bool waits(const FdOrder *order)
{
    for (int i = 0; i < order->nnodes; i++)
        if (order->nodes[i]->self && order->nodes[i]->order[0] == 0) return true;
    return false;
}

/* Those of g, if root is the first of them; what is kept beside them. False: one cannot be a result. */
static bool compose_results(Composer *m, const FdGraph *g, const FdNode *root, const void *captures,
                            FdGraph *out)
{
    const FdResult alone = {.node = root};
    bool all = root == fd_root(g), arrays = all && g->nresults > 1 && root->kind == FD_FUNC;
    int n = all ? g->nresults : 1;
    FdResult results[FD_MAX_FIELDS];
    if (!compose(m, g, n, all ? g->results : &alone, captures, results)) return false;
    for (int k = 0; arrays && k < n; k++)
        if (!(results[k].node = stored(m->fd, results[k].node))) return false;
    for (size_t k = 0; !arrays && k < m->kept.len; k++) {
        if (n == FD_MAX_FIELDS) return false;
        results[n++] = m->kept.data[k];
    }
    out->nresults = n;
    out->results = arena_copy(m->fd->arena, results, sizeof *results * (size_t)n);
    return true;
}

static void add_moving(Composer *m, FdGraph *out)
{
    out->nmoving = (int)m->moving.len;
    out->moving = arena_array(m->fd->arena, FdMoving, out->nmoving);
    for (int i = 0; i < out->nmoving; i++) {
        const FdNode *slot = slot_node(m, m->moving.data[i]);
        add_slot(m, fd_type_array_of(m->fd, slot->type, 1), true, "values");
        out->moving[i] = (FdMoving){slot, slot_node(m, (uint32_t)m->nslots - 1)};
    }
}

bool fd_compose(Fd *fd, const FdComposing *c, const FdGraph *g, const FdNode *root,
                const void *captures, FdGraph *out, FdKey *key, FdOrder *order)
{
    Composer m = {.c = c, .fd = fd};
    *out = (FdGraph){0};
    bool known = compose_results(&m, g, root, captures, out);
    out->hints = c->steps ? fd_hints_join(fd, m.hints, FD_HINT_STEPS) : m.hints;
    if (c->turns && known) {
        add_slot(&m, fd_type_scalar(fd, SC_LONG), false, "turns");
        out->turns = slot_node(&m, (uint32_t)m.nslots - 1);
        add_moving(&m, out);
        vec_push(&m.turned, ((FdiTurned){g, out->results[0].node, true}));
        fdi_read_once(fd, out, (int)m.turned.len, m.turned.data);
    }
    vec_free(&m.turned);
    vec_free(&m.moving);
    out->nslots = (int)m.slots.len;
    out->slots = arena_copy(fd->arena, m.slots.data, m.slots.len * sizeof *m.slots.data);
    vec_free(&m.graphs);
    vec_free(&m.kept);
    if (!known) {
        vec_free(&m.ranges);
        vec_free(&m.slots);
        return false;
    }
    FdError error;
    FdOrder room;
    if (!order) order = &room;
    fd_pass_given(fd, out, &error);
    if (m.ranges.len) fdi_rewrite_graph(fd, out, same_range, &m);
    vec_free(&m.ranges);
    vec_free(&m.slots);
    *key = fd_key(fd, out, order);
    if (waits(order) && fd_pass_recur(fd, out, &error)) *key = fd_key(fd, out, order);
    return true;
}
