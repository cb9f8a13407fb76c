/* Lowering loops in steps: where they begin and end, and how steps that would go beyond the end do not
 * (nest.h). */
#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

/* Does a loop of vectors fill a row of a result that is streamed? */
static bool fills_row(const Lower *l, const NestStep *s)
{
    const Def *d = l->n->def;
    if (!l->g.stream || s->tail != NEST_BACK || !d->nvars) return false;
    for (int a = 0; a < l->n->naxes; a++)
        if (a != s->axis && nest_loops_over(s->first, a)) return false;
    const NestAxis *x = &l->n->axes[s->axis];
    return x->nvars == 1 && *x->vars == d->vars[d->nvars - 1];
}

/* How far before `from` whole vectors of the result begin: there steps begin, too. */
static const KirExpr *skew(Lower *l, const NestStep *s, const KirExpr *from)
{
    NestPlace *p = &l->places[s->axis];
    const KirExpr *before = p->at,
                  *lanes = nest_number(l, "lanes", nest_lane_count(l->u, l->n->lanes));
    GenScope scope = gen_enter(&l->g, l->g.block);
    p->at = from;
    nest_bind(l, s->axis);
    const KirExpr *by = gen_skew(&l->g, l->n->def, lanes);
    p->at = before;
    gen_leave(&l->g, scope);
    return by;
}

/* Where conditions of a box do not hold: mostly rows at the border. */
static bool is_outside(const Lower *l)
{
    for (int i = 0; i < l->n->nboxes; i++)
        if (nest_is_at(l->place, NEST_UNLESS, i)) return true;
    return false;
}

/* Around the inside of a box, where positions are few. */
static bool is_border(const Lower *l)
{
    for (int i = 0; i < l->n->nboxes; i++)
        if (nest_is_at(l->place, NEST_AROUND, i)) return true;
    return l->u->steps && is_outside(l);
}

/* Is a turn lanes, without loops inside, and are there many? Much of it is addresses then. */
static bool is_straight(const Lower *l, const NestStep *s)
{
    return !is_outside(l) && nest_find_loop(s->first, NEST_LANES) &&
           !nest_find_loop(s->first, NEST_LOOP) && !nest_find_loop(s->first, NEST_UNROLL);
}

/* What is done at each step; around the loop the kernel was at `before`. */
static void turn(Lower *l, const NestStep *s, const KirExpr *before)
{
    const KirExpr *at = l->places[s->axis].at;
    nest_open(l, s, nest_op(l, FD_OP_SUB, at, before), false);
    nest_turn(l, s);
}

/* Steps from where the kernel is, which is the counter's place unless the first or the last step overlaps its
 * neighbour: those that follow each other up to `last` are a loop of their own, whose addresses move by the
 * step. The counter goes on behind them. */
static void in_a_row(Lower *l, const NestStep *s, const KirExpr *counter, const KirExpr *last,
                     const KirExpr *before)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis];
    const KirExpr *step = nest_number(l, "step", s->step), *from = p->at, *more;
    more = nest_mul(l, nest_op(l, FD_OP_DIV, nest_op(l, FD_OP_SUB, last, counter), step), step);
    more = gen_variable(g, "more", nest_mul(l, more, nest_op(l, FD_OP_EQ, from, counter)));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    p->at = kir_name(l->a, idx, nest_counter(l, s->axis));
    const char *name = p->at->name;
    turn(l, s, before);
    gen_leave(g, scope);
    kir_for(l->a, g->block, name, from, nest_add(l, from, nest_add(l, more, step)), step, false,
            body);
    kir_set(l->a, g->block, counter, nest_add(l, counter, more));
}

void nest_in_steps(Lower *l, const NestStep *s, const KirExpr **rest)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis];
    const KirExpr *step = nest_number(l, "step", s->step), *from = p->from ? p->from : p->at,
                  *end = nest_range_end(l, s->axis), *before = p->at;
    if (s->tail == NEST_WHOLE) {
        const KirExpr *steps = nest_op(l, FD_OP_DIV, nest_op(l, FD_OP_SUB, end, from), step);
        end = *rest = gen_variable(g, "whole", nest_add(l, from, nest_mul(l, steps, step)));
    } else {
        end = gen_variable(g, "end", end);
    }
    const KirExpr *first = from;
    if (fills_row(l, s)) {
        const KirExpr *by = skew(l, s, from);
        if (p->part) by = nest_mul(l, by, nest_op(l, FD_OP_LT, from, end)); /* none of nothing */
        first = nest_op(l, FD_OP_SUB, from, by);
    }
    const KirExpr *counter = kir_name(l->a, idx, nest_counter(l, s->axis)), *at = counter,
                  *last = NULL;
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    if (first != from) at = kir_max(l->a, at, from);
    if (p->jump) {
        const KirExpr *gap = nest_mul(l, p->gap, nest_op(l, FD_OP_GE, at, p->jump));
        at = gen_variable(g, nest_counter(l, s->axis), nest_add(l, at, gap));
    }
    if (s->tail == NEST_BACK) {
        last = nest_op(l, FD_OP_SUB, p->part ? end : nest_length(l, s->axis), step);
        at = gen_variable(g, nest_counter(l, s->axis), kir_min(l->a, at, last));
        if (!p->part) last = kir_min(l->a, last, nest_op(l, FD_OP_SUB, end, kir_int(l->a, 1)));
    }
    *p = (NestPlace){.n = p->n,
                     .at = at,
                     .limit = end,
                     .turn = p->turn,
                     .clamps = p->clamps || s->tail == NEST_CLAMP,
                     .masked = s->tail == NEST_MASKED ? end : NULL,
                     .lanes = p->lanes,
                     .part = p->part};
    p->span = nest_is_single(s) ? NULL : step;
    if (last && is_straight(l, s))
        in_a_row(l, s, counter, last, before);
    else
        turn(l, s, before);
    gen_leave(g, scope);
    kir_for(l->a, g->block, counter->name, first, end, step, false, body);
    g->block->last->rare = nest_is_single(s) && is_border(l);
}
