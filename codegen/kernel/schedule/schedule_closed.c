/* Reductions over ranges that depend on the element, over one range for all elements instead:
 *
 *   before   c(i, j) = sum(k : i + 1..m, a(k, i) * b(k, j))
 *   closed   c(i, j) = sum(k : 1..m, a(k, i) * b(k, j))        within i + 1 <= k
 *
 * Its operands do not depend on where an element's own range ends, so that tiles share them. Nests take a value only
 * where its conditions hold, and find the positions at which they do for whole tiles (nest/within.c). Conditions that
 * are written around a value, `k > i ? a(k, i) * b(k, j) : 0`, are such, too. */
#include "../../../fdag/index/contraction.h"
#include "../../../fdag/index/facts/facts.h"
#include "recipes/recipe.h"
#include "schedule.h"

typedef struct Closing {
    Unit *u;
    const Def *d;
    DefWithin all[FD_MAX_REDUCTIONS];
    int n;
} Closing;

static bool is_among(const FdNode *v, int n, const FdNode *const *vars)
{
    for (int i = 0; i < n; i++)
        if (vars[i] == v) return true;
    return false;
}

/* form <= 0, which has to be one of the reduction's variables, the definition's and numbers. */
static bool add_condition(Closing *c, DefWithin *w, const FdNode *reduce, const FdAffine *form)
{
    bool own = false;
    for (int i = 0; i < form->nterms; i++) {
        const FdNode *atom = form->terms[i].atom;
        bool reduced = is_among(atom, reduce->nvars, reduce->vars);
        own = own || reduced;
        if (!reduced && !is_among(atom, c->d->nvars, c->d->vars) && !num_of(c->u, atom))
            return false;
    }
    if (!own || w->n == DEF_CONDITIONS) return false;
    w->conds[w->n++] = fd_condition(c->u->fd, form);
    return true;
}

static void add_exact(DefWithin *w, const FdNode *n)
{
    if (n->kind == FD_APPLY && fd_op_of(n) != FD_OP_CONVERT && result_kind(n) != SC_LONG)
        w->exact[w->nexact++] = n;
}

static bool is_op(const FdNode *n, FdOp op)
{
    return n->kind == FD_APPLY && fd_op_of(n) == op;
}

/* The variable lies behind a lower bound, or before an upper one. */
static bool bounded(Closing *c, DefWithin *w, const FdNode *reduce, const FdNode *v,
                    const FdNode *bound, bool lower)
{
    FdOp ends = lower ? FD_OP_MAX : FD_OP_MIN;
    if (is_op(bound, ends))
        return bounded(c, w, reduce, v, bound->args[0], lower) &&
               bounded(c, w, reduce, v, bound->args[1], lower);
    for (int i = 0; is_op(bound, FD_OP_ADD) && i < 2; i++) { /* min(x, y) + z */
        const FdNode *of = bound->args[i], *more = bound->args[1 - i];
        if (!is_op(of, ends) || fd_closed(bound)) continue;
        for (int k = 0; k < 2; k++) {
            const FdNode *sum[] = {of->args[k], more};
            const FdNode *one = fd_simple_op(c->u->fd, FD_OP_ADD, SC_INT, 2, sum);
            if (!bounded(c, w, reduce, v, one, lower)) return false;
        }
        return true;
    }
    FdAffine form;
    if (fd_closed(bound)) return true; /* the range is within */
    if (!fd_affine(lower ? bound : v, &form) || !fd_affine_add(&form, lower ? v : bound, -1))
        return false;
    form.constant += !lower;
    if (!add_condition(c, w, reduce, &form)) return false;
    add_exact(w, bound);
    return true;
}

/* All conditions that a guard stands for. */
static bool guarded(Closing *c, DefWithin *w, const FdNode *reduce, const FdNode *cond, bool truth)
{
    FdOp op = cond->kind == FD_APPLY ? fd_op_of(cond) : FD_OP_NONE;
    if (op == FD_OP_LNOT) return guarded(c, w, reduce, cond->args[0], !truth);
    if (op == (truth ? FD_OP_LAND : FD_OP_LOR))
        return guarded(c, w, reduce, cond->args[0], truth) &&
               guarded(c, w, reduce, cond->args[1], truth);
    if (op == FD_OP_NONE || !fd_op_compares(op) || fd_effects(cond)) return false;
    if (!truth) op = fd_op_negated(op);
    bool less = op == FD_OP_LT || op == FD_OP_LE;
    if (!less && op != FD_OP_GT && op != FD_OP_GE) return false;
    FdAffine form;
    if (!fd_affine(cond->args[!less], &form) || !fd_affine_add(&form, cond->args[less], -1))
        return false;
    form.constant += op == FD_OP_LT || op == FD_OP_GT;
    if (!add_condition(c, w, reduce, &form)) return false;
    add_exact(w, cond->args[0]);
    add_exact(w, cond->args[1]);
    return true;
}

/* A value under conditions that is the identity elsewhere: the value; else the body itself. */
static const FdNode *unguarded(Closing *c, DefWithin *w, const FdNode *reduce, ScalarValue none)
{
    const FdNode *body = reduce->body;
    while (body->kind == FD_APPLY && fd_op_of(body) == FD_OP_SELECT) {
        int value = 1;
        while (value < 3 &&
               !(fd_is_const(body->args[3 - value]) && body->args[3 - value]->value.i == none.i))
            value++;
        const DefWithin before = *w;
        if (value == 3 || !guarded(c, w, reduce, body->args[0], value == 1)) {
            *w = before;
            break;
        }
        body = body->args[value];
    }
    return body;
}

/* Is the range as short as some tiles' corners are apart, wherever it is? */
static bool is_narrow(const DefWithin *w)
{
    enum { NARROW = 64 };
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < i; k++) {
            FdAffine both, other;
            if (!fd_condition_form(w->conds[i], &both) || !fd_condition_form(w->conds[k], &other))
                continue;
            bool fits = true; /* lo - v and v - hi + 1 */
            for (int t = 0; t < other.nterms; t++)
                fits = fits && fd_affine_add(&both, other.terms[t].atom, other.terms[t].factor);
            if (fits && !both.nterms && both.constant + other.constant > -NARROW) return true;
        }
    return false;
}

/* What takes part where the conditions hold has no part elsewhere. */
static bool has_nothing(const FdNode *reduce, ScalarValue *none)
{
    FdOp op = fd_op_of(reduce);
    if (op == FD_OP_NONE || !fd_type_is_scalar(reduce->type) || !fd_reorders(reduce) ||
        !fd_op_identity(op, reduce->type->scalar, none))
        return false;
    /* minima of reals: NaN may leave one */
    return !scalar_is_real(reduce->type->scalar) || op == FD_OP_ADD || op == FD_OP_MUL;
}

static const FdNode *closed_range(Closing *c, const FdNode *v, const FdNode *bound, bool greatest)
{
    Fd *fd = c->u->fd;
    if (fd_closed(bound)) return bound;
    const FdNode *end = fd_extreme(fd, bound, greatest, def_range, c->d);
    if (!end || !num_of(c->u, end)) return NULL;
    return end->type == v->type ? end : fd_simple_op(fd, FD_OP_CONVERT, v->type->scalar, 1, &end);
}

static const FdNode *close(void *ctx, Fd *fd, const FdNode *r)
{
    Closing *c = ctx;
    ScalarValue none;
    DefWithin w = {0};
    FdDom doms[FD_MAX_RANK];
    if (r->kind != FD_REDUCE || r->init || fd_effects(r->body) & FD_REDUCES ||
        !has_nothing(r, &none) || c->n == FD_MAX_REDUCTIONS)
        return NULL;
    for (int i = 0; i < r->nvars; i++) {
        doms[i] = r->doms[i];
        if (!doms[i].lo || !bounded(c, &w, r, r->vars[i], doms[i].lo, true) ||
            !bounded(c, &w, r, r->vars[i], doms[i].hi, false))
            return NULL;
        doms[i].lo = closed_range(c, r->vars[i], doms[i].lo, false);
        doms[i].hi = closed_range(c, r->vars[i], doms[i].hi, true);
        if (!doms[i].lo || !doms[i].hi) return NULL;
    }
    const FdNode *body = unguarded(c, &w, r, none);
    if (!w.n || is_narrow(&w)) return NULL;
    const FdNode *all = w.conds[0], *parts[3];
    for (int i = 1; i < w.n; i++) {
        parts[0] = all, parts[1] = w.conds[i];
        all = fd_apply_op(fd, FD_OP_LAND, SC_BOOL, 2, parts, r->loc);
    }
    parts[0] = all, parts[1] = body, parts[2] = fd_const(fd, body->type->scalar, none);
    w.value = fd_apply_op(fd, FD_OP_SELECT, body->type->scalar, 3, parts, r->loc);
    w.reduce = fd_reduce(fd, r->fn, r->nvars, r->vars, doms, body, r->loc);
    c->all[c->n++] = w;
    return w.reduce;
}

const Def *schedule_closed(Unit *u, const Def *of)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS], *values[FD_MAX_REDUCTIONS];
    if (of->nvars < 2 || of->anew || of->slice || of->flat || of->nbeside || of->node->self ||
        of->body->type->record || fd_can_fail(of->body) || !fd_reductions(of->body, reduces))
        return NULL;
    Closing c = {.u = u, .d = of};
    const FdNode *body = fd_rewrite(u->fd, of->body, close, &c);
    if (!c.n) return NULL;
    Def *d = def_form(u, of);
    d->body = body;
    d->node = fd_let(u->fd, of->nvars, of->vars, of->doms, body, of->node->loc);
    d->noting = false;
    d->nwithin = c.n;
    d->within = arena_copy(u->arena, c.all, sizeof c.all);
    for (int i = 0; i < c.n; i++) values[i] = c.all[i].value;
    def_count(u, d, c.n, values);
    return d;
}

/* Tiles of reductions over ranges of their own, or under conditions: over one range, where all of its reads are inside. */
Num *recipe_closed(Unit *u, const Def *d, Num *when)
{
    const Def *of = u->def, *c = schedule_closed(u, d);
    FdContraction form;
    if (!c || num_is(def_unsafe(u, c), 1) || !contraction_find(u, c, &form)) return NULL;
    Num *safe = num_and(u, when, num_not(u, schedule_turn_to(u, c)));
    safe = num_let(u, "closed", safe);
    Num *done = num_is(safe, 0) ? NULL : recipe_contract(u, c, safe);
    schedule_turn_to(u, of);
    return done;
}
