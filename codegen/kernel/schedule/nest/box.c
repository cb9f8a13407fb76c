/* Lowering boxes: the positions of an axis at which all conditions of one hold are known before the
 * loop over them, and what is inside needs no test.
 *
 *   box middle along j times V4 where 1 <= j, j + 1 < n
 *   begin = MAX(from, 1); last = MIN(end, n - 1); ..
 *   before: from .. begin    in: begin .. last    after: last .. end
 */
#include <stdlib.h>

#include "../../../../fdag/index/facts.h"
#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static const KirExpr *most(Lower *l, const KirExpr *x, const KirExpr *y)
{
    return kir_call(l->a, idx, "MAX", 2, (const KirExpr *[]){x, y});
}

/* Numbers of the plan, and what is known only where the variables around are bound. */
typedef struct Bound {
    Num *number;
    const KirExpr *here;
} Bound;

/* A condition, or its bound; in `box`, where those without reads hold. */
static const KirExpr *condition_value(Lower *l, int box, const FdNode *n)
{
    Gen *g = &l->g;
    unit_count(l->u, n);
    PlanSuspects here = nest_condition(l->u, l->n, l->place, box, n);
    g->here = &here;
    const KirExpr *e = gen_value(g, n);
    g->here = NULL;
    return e;
}

/* A condition's bound, as a position. */
static void tighten(Lower *l, Bound *b, const FdNode *value, bool lower, const NestAxis *x)
{
    Num *known = num_of(l->u, value);
    if (known) {
        known = num_op(l->u, FD_OP_SUB, known, plan_lo(l->u, x->doms));
        FdOp op = lower ? FD_OP_MAX : FD_OP_MIN;
        b->number = b->number ? num_op(l->u, op, b->number, known) : known;
        return;
    }
    const KirExpr *lo, *n;
    gen_range(&l->g, x->doms, x->vars[0], &lo, &n);
    const KirExpr *e = kir_convert(l->a, idx, condition_value(l, -1, value));
    e = nest_op(l, FD_OP_SUB, e, lo);
    b->here = !b->here ? e : lower ? most(l, b->here, e) : kir_min(l->a, b->here, e);
}

static const KirExpr *bound_here(Lower *l, const Bound *b, bool lower, const KirExpr *end)
{
    if (b->number) {
        const KirExpr *e = nest_number(l, lower ? "first" : "past", b->number);
        end = lower ? most(l, end, e) : kir_min(l->a, end, e);
    }
    if (b->here) end = lower ? most(l, end, b->here) : kir_min(l->a, end, b->here);
    return end;
}

static void find_cuts(Lower *l, int number)
{
    Gen *g = &l->g;
    const NestBox *box = &l->n->boxes[number];
    const NestAxis *x = &l->n->axes[box->axis];
    const NestPlace *p = &l->places[box->axis];
    NestCut *cut = &l->cuts[number];
    Bound low = {0}, high = {0};
    for (int i = 0; i < box->nconds; i++) {
        bool lower = false;
        const FdNode *cond = box->conds[i];
        const FdNode *value = fd_solve(l->u->fd, cond, x->vars[0], &lower);
        if (!value) { /* all of the axis, or none */
            Num *holds = num_op(l->u, FD_OP_LE, num_must(l->u, cond->args[0]),
                                num_must(l->u, cond->args[1]));
            Num *n = num_select(l->u, holds, x->n, num_int(l->u, 0));
            high.number = high.number ? num_op(l->u, FD_OP_MIN, high.number, n) : n;
            continue;
        }
        tighten(l, lower ? &low : &high, value, lower, x);
    }
    cut->from = gen_variable(g, "from", p->from ? p->from : p->at);
    cut->end = gen_variable(g, "end", nest_range_end(l, box->axis));
    const KirExpr *begin = kir_min(l->a, bound_here(l, &low, true, cut->from), cut->end);
    cut->begin = gen_variable(g, "begin", begin);
    cut->none = !low.number && !low.here;
    cut->last = gen_variable(g, "last", most(l, cut->begin, bound_here(l, &high, false, cut->end)));
    if (!box->least) return;
    KirBlock none = {0};
    kir_set(l->a, &none, cut->last, cut->begin);
    const KirExpr *length = nest_op(l, FD_OP_SUB, cut->last, cut->begin);
    kir_if(l->a, g->block, nest_op(l, FD_OP_LT, length, nest_number(l, "least", box->least)), none,
           NULL);
}

static void part(Lower *l, const NestStep *s)
{
    const NestBox *box = &l->n->boxes[s->box];
    NestPlace *p = &l->places[box->axis], before = *p;
    if (s->kind == NEST_BEFORE) find_cuts(l, s->box);
    const NestCut *cut = &l->cuts[s->box];
    p->from = s->kind == NEST_BEFORE ? cut->from : s->kind == NEST_IN ? cut->begin : cut->last;
    p->limit = s->kind == NEST_BEFORE ? cut->begin : s->kind == NEST_IN ? cut->last : cut->end;
    p->span = NULL;
    p->part = true;
    if (s->kind != NEST_BEFORE || !cut->none) nest_steps(l, s->first);
    const KirExpr *n = p->n;
    *p = before;
    p->n = n;
}

/* Do those conditions of a box hold that read elements, or those that do not? NULL: there are none. */
static const KirExpr *some_hold(Lower *l, int number, bool reading)
{
    const NestBox *box = &l->n->boxes[number];
    const KirExpr *all = NULL;
    for (int i = 0; i < box->nconds; i++) {
        if (reads_some(box->conds[i]) != reading) continue;
        const KirExpr *c = condition_value(l, reading ? number : -1, box->conds[i]);
        all = all ? nest_op(l, FD_OP_LAND, all, c) : c;
    }
    return all;
}

/* Elements are read where the other conditions hold: they may be inside only there. */
static const KirExpr *all_hold(Lower *l, int number)
{
    Gen *g = &l->g;
    const KirExpr *first = some_hold(l, number, false);
    bool more = false;
    for (int i = 0; i < l->n->boxes[number].nconds; i++)
        more = more || reads_some(l->n->boxes[number].conds[i]);
    if (!more) return first;
    if (!first) return some_hold(l, number, true);
    KirBlock then = {0};
    const KirExpr *all = gen_variable(g, "inside", first);
    GenScope scope = gen_enter(g, &then);
    kir_set(l->a, &then, all, some_hold(l, number, true));
    gen_leave(g, scope);
    kir_if(l->a, g->block, all, then, NULL);
    return all;
}

static void turn(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    KirBlock then = {0}, other = {0};
    const KirExpr *all = all_hold(l, s->box);
    unsigned place = l->place;
    l->place = nest_at(place, NEST_WHEN, s->box);
    GenScope scope = gen_enter(g, &then);
    nest_steps(l, s->first);
    gen_leave(g, scope);
    l->place = nest_at(place, NEST_UNLESS, s->box);
    scope = gen_enter(g, &other);
    nest_steps(l, s->next->first);
    gen_leave(g, scope);
    l->place = place;
    kir_if(l->a, g->block, all, then, &other);
}

void nest_box(Lower *l, const NestStep *s)
{
    if (s->kind == NEST_WHEN) turn(l, s);
    if (s->kind == NEST_WHEN || s->kind == NEST_UNLESS) return;
    unsigned place = l->place;
    l->place = nest_at(place, s->kind, s->box);
    part(l, s);
    l->place = place;
}
