/* Short rows as one: pixels and their channels, points and their coordinates. Neighbours in memory are
 * lanes then, however few a row has. */
#include "../../../fdag/index/flat.h"
#include "../../../fdag/index/facts/facts.h"
#include "../plan/draw.h"
#include "schedule.h"

enum {
    SHORT = 4,   /* vectors, below which a row is short: longer ones lose little */
    LONGEST = 64 /* elements, known now: no vectors make that short */
};

static bool is_open(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE && !reduction_is_closed(n);
}

/* What is not told by the numbers of a run: another nest has to report it. */
static bool may_fail(const FdNode *n)
{
    return fd_can_fail(n) || fd_any(n, is_open, NULL);
}

/* Matrices have rows that are long, mostly: only where it is known now that they are not. */
static bool may_be_short(Unit *u, const Def *d)
{
    Num *n = num_of(u, d->doms[d->nvars - 1].hi), *lo = num_of(u, d->doms[d->nvars - 1].lo);
    if (!n || !lo) return false;
    n = num_op(u, FD_OP_SUB, n, lo);
    return fd_is_const(n) ? n->value.i > 1 && n->value.i < LONGEST : d->nvars > 2;
}

/* Is the last variable's range that of the arrays' last dimensions? */
static Num *goes_along(Unit *u, const FdDom *last, const FdFlat *flat)
{
    Num *n = plan_n(u, last), *lo = plan_lo(u, last), *when = num_truth(u, true);
    for (int i = 0; i < flat->narrays; i++) {
        const FdNode *array = flat->arrays[i];
        int dim = array->type->nparams - 1;
        Num *length = plan_array_n(u, array, dim), *first = plan_array_lo(u, array, dim);
        when = num_and(u, when, num_op(u, FD_OP_EQ, length, n));
        when = num_and(u, when, num_op(u, FD_OP_EQ, first, lo));
    }
    return when;
}

static Num *conditions(Unit *u, const Def *d, const FdFlat *flat)
{
    const FdDom *last = &d->doms[d->nvars - 1];
    Num *lanes = nest_lane_count(u, nest_lanes_for(widest_bytes(d->body)));
    Num *most = num_op(u, FD_OP_MUL, draw_num(u, P_FLAT_BELOW, SHORT), lanes);
    Num *n = plan_n(u, last), *when = goes_along(u, last, flat);
    when = num_and(u, when, num_op(u, FD_OP_GT, n, num_int(u, 0)));
    when = num_and(u, when, num_op(u, FD_OP_LT, n, most));
    return num_and(u, when, num_not(u, plan_fails(u, d)));
}

bool schedule_flat_has_inside(const Def *flat)
{
    const FdNode *x = flat->vars[flat->nvars - 1];
    return fd_flat_apart(flat->body, x) || !lanes_possible(flat->body, x, 0);
}

/* Do its lanes know neither of the variables that were, wherever all conditions hold? */
static bool is_plain_inside(Unit *u, const Def *f)
{
    const FdNode *x = f->vars[f->nvars - 1], *const * conds;
    int n = nest_conditions(u, f, &conds);
    bool solved = n > 0;
    const FdNode *body = fd_unroll(u->fd, f->body);
    FdFacts *facts = fd_facts_new(u->fd, f->nvars, f->vars, f->doms, body);
    for (int i = 0; i < n; i++) {
        bool lower;
        if (fd_uses_var(conds[i], x) && !fd_solve(u->fd, conds[i], x, &lower)) solved = false;
        fd_assume(facts, conds[i], true);
    }
    body = fd_under(facts, body);
    fd_facts_free(facts);
    return solved && !fd_flat_apart(body, x) && lanes_possible(body, x, 0);
}

const Def *schedule_flat(Unit *u, const Def *d, Num **when)
{
    if (d->nvars < 2 || d->node->self || d->body->type->record || u->options->family != CG_CPU ||
        u->options->tile != CG_TILE_AUTO || !may_be_short(u, d) || may_fail(d->body))
        return NULL;
    FdFlat *flat = arena_new_of(u->arena, FdFlat);
    if (!fd_flat(u->fd, d->nvars, d->vars, d->doms, d->body, flat)) return NULL;
    Def *apart = def_form(u, d), *f = def_form(u, d);
    apart->body = flat->plain;
    f->node = fd_let(u->fd, flat->nvars, flat->vars, flat->doms, flat->body, d->node->loc);
    f->nvars = flat->nvars;
    f->vars = f->node->vars;
    f->doms = f->node->doms;
    f->body = f->node->body;
    f->apart = apart;
    f->flat = flat;
    bool inside = schedule_flat_has_inside(f);
    if (inside && !is_plain_inside(u, f)) return NULL;
    if (when) *when = conditions(u, d, flat);
    if (when && num_is(*when, 0)) return NULL;
    unit_count(u, f->node);
    return f;
}

/* ---- reductions of whole arrays ---------------------------------------------------------------- */

typedef struct Joining {
    Unit *u;
    Num *when; /* all go along the arrays that they read */
    int n;
    DefJoined of[FD_MAX_REDUCTIONS];
} Joining;

/* Does a range not end before it begins? Lengths are multiplied as they are. */
static Num *goes_up(Unit *u, const FdDom *d)
{
    Num *n = plan_n(u, d);
    bool least = fd_op_of(n) == FD_OP_MAX;
    return least ? num_op(u, FD_OP_GE, n->args[0], n->args[1]) : num_truth(u, true);
}

/* Is its last range a dimension of an array, or does it begin as one and is known to be short? Of three and more it is the
 * latter: ranks have parts of the dimension before it. */
static bool may_be_whole(const FdNode *reduce)
{
    const FdDom *d = &reduce->doms[reduce->nvars - 1];
    if (!d->lo || !d->hi) return false;
    if (fd_op_of(d->lo) == FD_OP_LOWER) return reduce->nvars == 2;
    return fd_is_const(d->lo) && !d->lo->value.i && fd_is_const(d->hi) && d->hi->value.i < LONGEST;
}

/* A reduction over its last two variables as one. */
static const FdNode *join(void *joining, Fd *fd, const FdNode *n)
{
    Joining *j = joining;
    FdFlat flat;
    if (n->kind != FD_REDUCE || n->init || n->nvars < 2 || j->n == FD_MAX_REDUCTIONS ||
        !may_be_whole(n) || !fd_flat(fd, n->nvars, n->vars, n->doms, n->body, &flat))
        return NULL;
    const FdNode *x = flat.vars[flat.nvars - 1];
    if (fd_flat_apart(flat.body, x) || !lanes_possible(flat.body, x, 0)) return NULL;
    const FdDom *last = &n->doms[n->nvars - 1];
    j->when = num_and(j->u, j->when, goes_up(j->u, last));
    j->when = num_and(j->u, j->when, goes_along(j->u, last, &flat));
    j->of[j->n++] = (DefJoined){x, n->vars[n->nvars - 1]};
    return fd_reduce(fd, n->fn, flat.nvars, flat.vars, flat.doms, flat.body, n->loc);
}

const Def *schedule_joined(Unit *u, const Def *of, Num **when)
{
    Joining j = {.u = u, .when = num_truth(u, true)};
    if (of->nvars || of->node->self || of->near || of->nbeside || of->nwithin || of->plain ||
        of->anew || of->slice || of->copy || of->body->type->record || of->noting ||
        u->options->family != CG_CPU || u->options->tile != CG_TILE_AUTO || may_fail(of->body))
        return NULL;
    const FdNode *body = fd_rewrite(u->fd, of->body, join, &j);
    if (!j.n) return NULL;
    if (when) *when = num_and(u, j.when, num_not(u, plan_fails(u, of)));
    if (when && num_is(*when, 0)) return NULL;
    Def *d = def_form(u, of);
    d->node = d->body = body;
    d->njoined = j.n;
    d->joined = arena_copy(u->arena, j.of, (size_t)j.n * sizeof *j.of);
    def_count(u, d, 0, NULL);
    return d;
}

/* ---- a few known last indices ------------------------------------------------------------------ */

Num *schedule_are_as_long(Unit *u, const FdNear *near)
{
    Num *all = num_truth(u, true);
    for (int i = 0; i < near->narrays; i++) {
        const FdNode *array = near->arrays[i];
        int dim = array->type->nparams - 1;
        Num *length = plan_array_n(u, array, dim), *first = plan_array_lo(u, array, dim);
        all = num_and(u, all, num_op(u, FD_OP_EQ, length, num_int(u, near->length[i])));
        all = num_and(u, all, num_op(u, FD_OP_EQ, first, num_int(u, 0)));
    }
    return all;
}

const Def *schedule_near(Unit *u, const Def *of, Num **when)
{
    FdNear near;
    const FdNode *last = of->nvars ? of->vars[of->nvars - 1] : NULL;
    if (of->node->self || of->flat || of->nbeside || of->nwithin || of->plain || of->anew ||
        of->slice || of->copy || of->body->type->record || of->noting ||
        u->options->family != CG_CPU || u->options->tile != CG_TILE_AUTO || may_fail(of->body) ||
        (last && !lanes_possible(of->body, last, LANES_FAR)) || !fd_near(u->fd, of->body, &near))
        return NULL;
    /* lanes read what guards keep inside, too, and flat reads are not asked again */
    if (when) *when = num_and(u, schedule_are_as_long(u, &near), num_not(u, plan_fails(u, of)));
    if (when) *when = num_and(u, *when, num_not(u, def_unsafe(u, of)));
    if (when && num_is(*when, 0)) return NULL;
    Def *d = def_form(u, of);
    d->body = near.body;
    d->node =
        last ? fd_let(u->fd, of->nvars, of->vars, of->doms, near.body, of->node->loc) : near.body;
    d->near = true;
    def_count(u, d, 0, NULL);
    return d;
}
