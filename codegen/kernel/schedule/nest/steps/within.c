/* Lowering WITHIN: the positions of a reduction at which its conditions hold for the results of a tile.
 *
 *   c(i, j) = sum(k : i + 1..m, a(k, i) * b(k, j))       rows i .. i + 3 of a tile
 *   some     i + 1 .. m        steps at which some row takes a value
 *   all      i + 4 .. m        steps at which all do, without a test; the others have one a row
 *
 * Conditions are affine, so that where one ends along the reduction is greatest or least at a corner of the tile. */
#include "../../../../../fdag/index/facts/facts.h"
#include "../impl.h"

/* Positions from .. to along the axis. */
typedef struct Part {
    const KirExpr *from, *to;
} Part;

static const KirExpr *most(Lower *l, const KirExpr *x, const KirExpr *y)
{
    return kir_intrinsic(l->a, kir_type(KIR_IDX, 1), INTR_MAX, (const KirExpr *[]){x, y});
}

/* Which way the bound that a condition sets moves along an axis of one variable; 0: it stays. */
static int way_along(const FdNode *cond, const NestAxis *x, bool lower)
{
    FdAffine form;
    int64_t factor = 0;
    if (!fd_condition_form(cond, &form) || !fd_affine_factor(&form, x->vars[0], &factor)) return 0;
    return !factor ? 0 : (factor > 0) == lower ? 1 : -1;
}

/* A bound of the axis where it is greatest or least in the tile, as a position. */
static const KirExpr *at_corner(Lower *l, const FdNode *cond, const FdNode *bound, bool lower,
                                int axis, bool greatest)
{
    Gen *g = &l->g;
    GenScope scope = gen_enter(g, g->block);
    for (int i = 0; i < l->n->nregs; i++) {
        const NestRegs *r = &l->n->regs[i];
        const NestAxis *x = &l->n->axes[r->axis];
        int way = x->nvars == 1 ? way_along(cond, x, lower) : 0;
        if (way) nest_bind_end(l, r, (way > 0) == greatest);
    }
    const NestAxis *along = &l->n->axes[axis];
    const KirExpr *lo, *n;
    gen_range(g, along->doms, along->vars[0], &lo, &n);
    const KirExpr *e = kir_convert(l->a, kir_type(KIR_IDX, 1), gen_index(g, bound));
    e = gen_variable(g, "bound", nest_op(l, FD_OP_SUB, e, lo));
    gen_leave(g, scope);
    return e;
}

/* Where the conditions of one reduction hold for some results, and for all. */
static void find_parts(Lower *l, const DefWithin *w, int axis, Part *some, Part *all)
{
    for (int i = 0; i < w->n; i++) {
        bool lower;
        const FdNode *bound = fd_solve(l->u->fd, w->conds[i], l->n->axes[axis].vars[0], &lower);
        unit_count(l->u, bound);
        const KirExpr *least = at_corner(l, w->conds[i], bound, lower, axis, false),
                      *greatest = at_corner(l, w->conds[i], bound, lower, axis, true);
        if (lower) {
            some->from = most(l, some->from, least);
            all->from = most(l, all->from, greatest);
        } else {
            some->to = kir_min(l->a, some->to, greatest);
            all->to = kir_min(l->a, all->to, least);
        }
    }
}

static void steps_in(Lower *l, const NestStep *s, const KirExpr *from, const KirExpr *to)
{
    NestPlace *p = &l->places[s->axis];
    p->from = from;
    p->limit = to;
    p->span = NULL;
    p->part = true;
    nest_steps(l, s->first);
}

/* One copy of the steps for what lies before and behind the part without tests, and one for that. */
void nest_within(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis], before = *p;
    const KirExpr *from = gen_variable(g, "from", p->from ? p->from : p->at),
                  *end = gen_variable(g, "end", nest_range_end(l, s->axis));
    Part some = {end, from}, all = {from, end};
    for (int r = 0; r < l->n->nreduces; r++) {
        if (!nest_is_reduced(l->n, s->axis, r, r + 1)) continue;
        const DefWithin *w = def_within(l->n->def, l->n->reduces[r]);
        Part own = {from, end};
        if (w) find_parts(l, w, s->axis, &own, &all);
        some.from = kir_min(l->a, some.from, own.from);
        some.to = most(l, some.to, own.to);
    }
    const KirExpr *begin = gen_variable(g, "begin", some.from),
                  *to = gen_variable(g, "to", most(l, begin, kir_min(l->a, some.to, end))),
                  *first = gen_variable(g, "first", kir_min(l->a, most(l, begin, all.from), to)),
                  *last = gen_variable(g, "last", most(l, first, kir_min(l->a, all.to, to)));
    const KirExpr *gap = gen_variable(g, "gap", nest_op(l, FD_OP_SUB, last, first));
    p->jump = first;
    p->gap = gap;
    steps_in(l, s, begin, gen_variable(g, "rest", nest_op(l, FD_OP_SUB, to, gap)));
    *p = before;
    l->within = true;
    steps_in(l, s, first, last);
    l->within = false;
    const KirExpr *n = p->n;
    *p = before;
    p->n = n;
}
