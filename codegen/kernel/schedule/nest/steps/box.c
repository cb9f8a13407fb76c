/* Lowering boxes: the positions of an axis at which all conditions of one hold are known before the
 * loop over them, and what is inside needs no test.
 *
 *   box middle along j times V4 where 1 <= i, 1 <= j, j + 1 < n
 *   begin = last = from; if (1 <= i) { begin = MAX(from, 1); last = MIN(end, n - 1); }
 *   in: begin .. last       around: from .. begin and last .. end, which one loop goes through, when what
 *   lies between has brought their operands into the caches
 */
#include <stdlib.h>

#include "../../../../../fdag/index/facts/facts.h"
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static const KirExpr *most(Lower *l, const KirExpr *x, const KirExpr *y)
{
    return kir_intrinsic(l->a, idx, INTR_MAX, (const KirExpr *[]){x, y});
}

/* Numbers of the plan, and what is known only where the variables around are bound. */
typedef struct Bound {
    Num *number;
    const KirExpr *here;
} Bound;

/* A condition of a box, or its bound. */
static const KirExpr *condition_value(Lower *l, int box, const FdNode *cond, const FdNode *n)
{
    Gen *g = &l->g;
    unit_count(l->u, n);
    PlanSuspects here = nest_condition(l->u, l->n, l->place, box, cond);
    g->here = &here;
    const KirExpr *e = gen_value(g, n);
    g->here = NULL;
    return e;
}

/* A bound of the box' axis, which a condition sets, as a position. */
static void tighten(Lower *l, Bound *b, int box, const FdNode *cond, const FdNode *value,
                    bool lower)
{
    const NestAxis *x = &l->n->axes[l->n->boxes[box].axis];
    Num *known = num_of(l->u, value);
    if (known) {
        known = num_op(l->u, FD_OP_SUB, known, plan_lo(l->u, x->doms));
        FdOp op = lower ? FD_OP_MAX : FD_OP_MIN;
        b->number = b->number ? num_op(l->u, op, b->number, known) : known;
        return;
    }
    const KirExpr *lo, *n;
    gen_range(&l->g, x->doms, x->vars[0], &lo, &n);
    const KirExpr *e = kir_convert(l->a, idx, condition_value(l, box, cond, value));
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

/* Do those conditions of variables around hold that read elements, or those that do not? NULL: there are none. */
static const KirExpr *some_hold(Lower *l, int number, bool reading)
{
    const NestBox *box = &l->n->boxes[number];
    const KirExpr *all = NULL;
    for (int i = 0; i < box->nconds; i++) {
        const FdNode *cond = box->conds[i];
        if (!nest_is_turn(l->n, number, cond) || !(fd_effects(cond) & FD_READS) == reading)
            continue;
        const KirExpr *c = condition_value(l, number, cond, cond);
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
    const NestBox *box = &l->n->boxes[number];
    for (int i = 0; i < box->nconds; i++)
        more = more ||
               (nest_is_turn(l->n, number, box->conds[i]) && fd_effects(box->conds[i]) & FD_READS);
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

static void limit(Bound *b, Lower *l, Num *n)
{
    b->number = b->number ? num_op(l->u, FD_OP_MIN, b->number, n) : n;
}

/* Where the inside begins and ends, where conditions of variables around hold. */
static void cut_here(Lower *l, int number, NestCut *cut)
{
    Gen *g = &l->g;
    const NestBox *box = &l->n->boxes[number];
    const NestAxis *x = &l->n->axes[box->axis];
    Bound low = {0}, high = {0};
    for (int i = 0; i < box->nconds; i++) {
        bool lower = false;
        const FdNode *cond = box->conds[i];
        if (nest_is_turn(l->n, number, cond)) continue;
        const FdNode *value = fd_solve(l->u->fd, cond, x->vars[0], &lower);
        if (value) {
            tighten(l, lower ? &low : &high, number, cond, value, lower);
            continue;
        }
        Num *holds = num_op(l->u, FD_OP_LE, num_must(l->u, cond->args[0]),
                            num_must(l->u, cond->args[1])); /* all of the axis, or none */
        limit(&high, l, num_select(l->u, holds, x->n, num_int(l->u, 0)));
    }
    const KirExpr *begin = kir_min(l->a, bound_here(l, &low, true, cut->from), cut->end);
    cut->none = !low.number && !low.here;
    cut->begin = begin = gen_variable(g, "begin", begin);
    cut->last = gen_variable(g, "last", most(l, begin, bound_here(l, &high, false, cut->end)));
    if (!box->least) return;
    KirBlock none = {0};
    kir_set(l->a, &none, cut->last, begin);
    const KirExpr *length = nest_op(l, FD_OP_SUB, cut->last, begin);
    kir_if(l->a, g->block, nest_op(l, FD_OP_LT, length, nest_number(l, "least", box->least)), none,
           NULL);
}

/* One that is set later, too. */
static const KirExpr *variable(Lower *l, const char *name, const KirExpr *e)
{
    const KirExpr *made = kir_name(l->a, e->type, fresh_name(l->u, name));
    kir_decl(l->a, l->g.block, e->type, made->name, e);
    return made;
}

static void find_cuts(Lower *l, int number)
{
    Gen *g = &l->g;
    const NestBox *box = &l->n->boxes[number];
    const NestPlace *p = &l->places[box->axis];
    NestCut *cut = &l->cuts[number], here;
    KirBlock then = {0};
    cut->from = gen_variable(g, "from", p->from ? p->from : p->at);
    cut->end = gen_variable(g, "end", nest_range_end(l, box->axis));
    const KirExpr *inside = all_hold(l, number);
    if (!inside) {
        cut_here(l, number, cut);
        return;
    }
    cut->begin = variable(l, "begin", cut->from);
    cut->last = variable(l, "last", cut->from);
    here = *cut;
    GenScope scope = gen_enter(g, &then);
    cut_here(l, number, &here);
    kir_set(l->a, &then, cut->begin, here.begin);
    kir_set(l->a, &then, cut->last, here.last);
    gen_leave(g, scope);
    cut->none = here.none;
    kir_if(l->a, g->block, inside, then, NULL);
}

static void part(Lower *l, const NestStep *s)
{
    const NestBox *box = &l->n->boxes[s->box];
    NestPlace *p = &l->places[box->axis], before = *p;
    if (s->kind == NEST_IN) find_cuts(l, s->box);
    const NestCut *cut = &l->cuts[s->box];
    p->from = s->kind == NEST_IN ? cut->begin : cut->none ? cut->last : cut->from;
    p->limit = s->kind == NEST_IN ? cut->last : cut->end;
    p->span = NULL;
    p->part = true;
    if (s->kind == NEST_AROUND && !cut->none) {
        p->jump = cut->begin;
        p->gap = gen_variable(&l->g, "gap", nest_op(l, FD_OP_SUB, cut->last, cut->begin));
        p->limit = gen_variable(&l->g, "rest", nest_op(l, FD_OP_SUB, cut->end, p->gap));
    }
    nest_steps(l, s->first);
    const KirExpr *n = p->n;
    *p = before;
    p->n = n;
}

static void turn(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    KirBlock then = {0}, other = {0};
    const KirExpr *all = all_hold(l, s->box);
    unsigned place = l->place;
    const KirExpr *from[NEST_AXES];
    for (int i = 0; i < l->n->naxes; i++) from[i] = l->places[i].from;
    l->place = nest_at(place, NEST_WHEN, s->box);
    GenScope scope = gen_enter(g, &then);
    nest_steps(l, s->first);
    gen_leave(g, scope);
    for (int i = 0; i < l->n->naxes; i++)
        l->places[i].from = from[i]; /* as far as the others are */
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
