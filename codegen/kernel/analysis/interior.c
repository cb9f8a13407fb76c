/* Interiors of recurrences (interior.h). A condition that compares a variable with something known
 * beforehand is decided from the first position on that lies beyond it, if it is about the begin of
 * the range at all; one about the end stays. */
#include "interior.h"

#include <stdlib.h>
#include <string.h>

#include "../../../fdag/index/affine.h"

/* ---- conditions -------------------------------------------------------------------------------- */

enum { GUARDS = 32 };

typedef struct Guard {
    const FdNode *node;
    bool value; /* in the interior */
} Guard;

typedef struct Guards {
    Unit *u;
    const Def *d;
    Interior *in;
    int n;
    Guard list[GUARDS];
} Guards;

static const FdNode *long_op(Unit *u, FdOp op, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {num_long(u, x), num_long(u, y)};
    return fd_simple_op(u->fd, op, SC_LONG, 2, args);
}

/* The definition's ordered variable that n is, perhaps as a long; -1: none. */
static int variable(const Guards *g, const FdNode *n)
{
    if (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT && result_kind(n) == SC_LONG)
        n = n->args[0];
    for (int i = 0; i < g->d->nvars; i++)
        if (g->d->vars[i] == n) return g->in->stays[i] || (g->in->first && i) ? -1 : i;
    return -1;
}

/* How far apart they are, if that is a known number; else as far as can be. */
static int64_t distance(const FdNode *x, const FdNode *y)
{
    FdAffine a;
    bool known = fd_affine(x, &a) && fd_affine_add(&a, y, -1) && a.nterms == 0;
    return !known || a.constant == INT64_MIN ? INT64_MAX : llabs(a.constant);
}

/* Is a condition with c about the end of a range, not its begin? Between numbers: the nearer one. Of ends that nobody
 * knows the low one is near 0. */
static bool about_end(const FdNode *c, const FdDom *d, bool down)
{
    int64_t low = distance(c, d->lo), high = distance(c, d->hi);
    if (low == high && low == INT64_MAX) return down && fd_is_const(c) && c->value.i <= 1;
    return down ? low < high : high < low;
}

/* Leaves out what comes before variable v lies beyond c: the interior begins at c or after it. */
static void decide(Guards *g, const FdNode *n, int v, FdOp op, const FdNode *c)
{
    Unit *u = g->u;
    bool down = g->in->down[v];
    FdDom *d = &g->in->doms[v];
    const FdNode *one = fd_long(u->fd, 1);
    /* Upwards v > c or v >= c holds from there on, downwards v < c or v <= c. */
    bool strict = op == FD_OP_EQ || op == FD_OP_NE || op == (down ? FD_OP_GE : FD_OP_LE) ||
                  op == (down ? FD_OP_LT : FD_OP_GT);
    if (down) {
        const FdNode *end = strict ? num_long(u, c) : long_op(u, FD_OP_ADD, c, one);
        d->hi = long_op(u, FD_OP_MIN, d->hi, end);
    } else {
        const FdNode *begin = strict ? long_op(u, FD_OP_ADD, c, one) : num_long(u, c);
        d->lo = long_op(u, FD_OP_MAX, d->lo, begin);
    }
    bool value =
        op == FD_OP_NE || op == (down ? FD_OP_LT : FD_OP_GT) || op == (down ? FD_OP_LE : FD_OP_GE);
    g->list[g->n++] = (Guard){n, value};
}

static void look_at(Guards *g, const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (!fd_op_compares(op) || g->n == GUARDS) return;
    int side = 0, v = variable(g, n->args[0]);
    if (v < 0) side = 1, v = variable(g, n->args[1]);
    if (v < 0) return;
    const FdNode *c = n->args[1 - side];
    const FdDom *whole = &g->d->doms[v];
    if (!scalar_is_integer(result_kind(c)) || !node_is_closed(c) || !num_of(g->u, c)) return;
    if (about_end(c, whole, g->in->down[v])) return;
    decide(g, n, v, side ? fd_op_turned(op) : op, c);
}

static void find_guards(Guards *g)
{
    FdWalk w = fd_walk(g->d->body);
    for (const FdNode *n; (n = fd_walk_next(&w)); fd_walk_below(&w, n)) look_at(g, n);
    fd_walk_end(&w);
}

/* ---- the body ---------------------------------------------------------------------------------- */

static bool is_true(const FdNode *n)
{
    return fd_is_const(n) && n->value.i;
}

/* What a condition with an operand that is decided comes to; what is dropped must not have failed. */
static const FdNode *settle(void *ctx, Fd *fd, const FdNode *n)
{
    const Guards *g = ctx;
    for (int i = 0; i < g->n; i++)
        if (g->list[i].node == n)
            return fd_const(fd, SC_BOOL, (ScalarValue){.i = g->list[i].value});
    if (n->kind != FD_APPLY) return NULL;
    FdOp op = fd_op_of(n);
    const FdNode *x = n->nargs ? n->args[0] : NULL, *y = n->nargs > 1 ? n->args[1] : NULL;
    switch (op) {
    case FD_OP_LNOT:
        return fd_is_const(x) ? fd_const(fd, SC_BOOL, (ScalarValue){.i = !x->value.i}) : NULL;
    case FD_OP_SELECT: return fd_is_const(x) ? n->args[is_true(x) ? 1 : 2] : NULL;
    case FD_OP_LAND:
    case FD_OP_LOR: {
        bool neutral = op == FD_OP_LAND;
        if (fd_is_const(x)) return is_true(x) == neutral ? y : x;
        if (!fd_is_const(y)) return NULL;
        if (is_true(y) == neutral) return x;
        return fd_can_fail(x) ? NULL : y;
    }
    default: return NULL;
    }
}

/* ---- reads of itself --------------------------------------------------------------------------- */

static bool add_read(Interior *in, const FdNode *read)
{
    if (in->nreads == INTERIOR_READS) return false;
    InteriorRead *r = &in->reads[in->nreads++];
    *r = (InteriorRead){.node = read};
    for (int i = 0; i < read->nargs; i++) {
        FdAffine a;
        r->constant[i] = fd_affine(read->args[i], &a) && fd_affine_add(&a, in->def->vars[i], -1) &&
                         a.nterms == 0;
        if (r->constant[i]) r->before[i] = in->down[i] ? a.constant : -a.constant;
    }
    return true;
}

static void find_reads(Interior *in)
{
    const FdNode *self = in->def->node->self;
    bool all = true;
    FdWalk w = fd_walk(in->def->body);
    for (const FdNode *n; all && (n = fd_walk_next(&w));) {
        const FdNode *children[FD_MAX_CHILDREN];
        bool read = n->kind == FD_APPLY && n->fn == self;
        if (read) all = add_read(in, n);
        for (int i = fd_children(n, children); i-- > 0;) {
            if (children[i] == self) all = all && read;
            if (children[i] != self) fd_walk_add(&w, children[i]);
        }
    }
    fd_walk_end(&w);
    if (!all) in->nreads = -1;
}

static bool is_by_slices(const Interior *in)
{
    bool all = in->nreads > 0 && abs(in->def->node->order[0]) == 1;
    for (int i = 0; all && i < in->nreads; i++)
        all = in->reads[i].constant[0] && in->reads[i].before[0] > 0;
    return all;
}

static bool stays(const Interior *in, int dim)
{
    bool all = in->nreads >= 0;
    for (int i = 0; i < in->nreads; i++)
        all = all && in->reads[i].constant[dim] && in->reads[i].before[dim] == 0;
    return all;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void find_ranges(Unit *u, Interior *in)
{
    Def narrow = *in->def;
    narrow.doms = in->doms;
    for (int i = 0; i < narrow.nvars; i++) {
        const FdDom *whole = &in->def->doms[i], *d = &in->doms[i];
        Num *all = plan_n(u, whole);
        in->n[i] = plan_n(u, d);
        in->skip[i] = num_int(u, 0);
        if (d->lo == whole->lo && d->hi == whole->hi) continue;
        Num *skip = in->down[i] ? num_op(u, FD_OP_SUB, num_must(u, whole->hi), num_must(u, d->hi))
                                : num_op(u, FD_OP_SUB, num_must(u, d->lo), num_must(u, whole->lo));
        in->skip[i] = num_op(u, FD_OP_MIN, skip, all);
    }
    in->safe = num_not(u, plan_outside(u, &narrow));
}

static Interior *made(Unit *u, const Def *d, bool first)
{
    Interior *in = arena_new_of(u->arena, Interior);
    in->first = first;
    Guards g = {.u = u, .d = d, .in = in};
    in->def = def_form(u, d);
    in->def->facts->listed = true; /* no read: it runs where it is safe */
    in->doms = arena_array(u->arena, FdDom, d->nvars + 1);
    for (int k = 0; k < d->nvars; k++) {
        int v = abs(d->node->order[k]) - 1;
        if (v < 0 || !d->doms[k].lo) return NULL;
        in->doms[k] = d->doms[k];
        in->down[v] = d->node->order[k] < 0;
    }
    find_reads(in);
    in->forward = in->nreads >= 0;
    in->slices = is_by_slices(in);
    for (int v = 0; v < d->nvars; v++) {
        in->stays[v] = stays(in, v);
        for (int i = 0; i < in->nreads; i++)
            in->forward = in->forward && in->reads[i].constant[v] && in->reads[i].before[v] >= 0;
    }
    find_guards(&g);
    in->def->body = fd_rewrite(u->fd, d->body, settle, &g);
    in->nreads = 0;
    find_reads(in);
    find_ranges(u, in);
    def_count(u, in->def, 0, NULL);
    return in;
}

Interior *interior_of(Unit *u, const Def *d)
{
    if (!d->facts->interior) d->facts->interior = made(u, d, false);
    return d->facts->interior;
}

Interior *interior_of_slices(Unit *u, const Def *d)
{
    if (!d->facts->slices) d->facts->slices = made(u, d, true);
    return d->facts->slices;
}
