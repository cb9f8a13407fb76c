/* A scalar of reductions and arrays over their ranges, in one pass:
 *
 *   before   temp 0 = let(i, j) r(i, j) - a * q(i, j), then sum(i, j, t0(i, j) * t0(i, j))
 *   after    sum(i, j, v * v) where v = r(i, j) - a * q(i, j), which is stored as it is taken
 *
 * Needs: all is read at the own point (fdag/index/point.h), equal ranges by the numbers, a CPU. Each element
 * is computed once, so an array may take the memory of one that it is made of. */
#include "../../../fdag/index/contraction.h"
#include "../../../fdag/index/inlined.h"
#include "../../../fdag/index/point.h"
#include "recipes/recipe.h"
#include "schedule.h"

/* The slot that a temporary is. */
static const FdNode *array_of(const Unit *u, const Def *d)
{
    int slot = u->ninputs;
    while (!u->g->slots[slot].def || u->plan_slot[slot] != d->temp) slot++;
    return fd_slot(u->fd, slot, u->g->slots[slot].type, u->g->slots[slot].name);
}

static bool same_ranges(Unit *u, const Def *d, const FdNode *reduce)
{
    bool same = d->nvars == reduce->nvars;
    for (int i = 0; same && i < d->nvars; i++)
        same = plan_n(u, &d->doms[i]) == plan_n(u, &reduce->doms[i]) &&
               plan_lo(u, &d->doms[i]) == plan_lo(u, &reduce->doms[i]);
    return same;
}

/* Nothing but results and what they are made of; no reduction that ends before all of it is taken. */
static bool has_form(Unit *u, int n, const Def *defs, const FdNode *const *reduces, int nreduces)
{
    if (u->options->family != CG_CPU || u->options->tile != CG_TILE_AUTO || u->options->precise ||
        n < 2 || n != u->g->nresults || u->steps || defs[n - 1].temp >= 0 || !fd_is_at_point(u->g))
        return false;
    for (int r = 0; r < nreduces; r++)
        if (recipe_decides(reduces[r]) || reduction_keeps(reduces[r])) return false;
    for (int i = 0; i < n - 1; i++)
        if (!unit_kept(u, defs[i].temp) || !same_ranges(u, &defs[i], reduces[0])) return false;
    return nreduces > 0;
}

const Def *schedule_beside(Unit *u, int n, const Def *defs, Num **when)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS], *lets[FD_MAX_FIELDS], *all[FD_MAX_FIELDS];
    const Def *root = &defs[n - 1];
    int nreduces = n > FD_MAX_FIELDS ? 0 : fd_reductions(root->body, reduces), nall = 0;
    if (!has_form(u, n, defs, reduces, nreduces)) return NULL;
    const Def **beside = arena_array(u->arena, const Def *, n);
    Def *d = def_form(u, root);
    *when = num_truth(u, true);
    for (int i = 0; i < n - 1; i++) {
        const FdNode *body = defs[i].body;
        for (int k = 0; k < i; k++)
            body = fd_inline_inside(u->fd, body, array_of(u, &defs[k]), lets[k]);
        lets[i] = fd_let(u->fd, defs[i].nvars, defs[i].vars, defs[i].doms, body, defs[i].node->loc);
        *when = num_and(u, *when, num_not(u, def_unsafe(u, &defs[i])));
    }
    for (int i = 0; i < n - 1; i++) {
        const FdNode *array = array_of(u, &defs[i]);
        d->body = fd_inline_inside(u->fd, d->body, array, lets[i]);
    }
    nreduces = fd_reductions(d->body, reduces);
    for (int i = 0; i < n - 1; i++) {
        const FdNode *array = array_of(u, &defs[i]), *const *vars = reduces[0]->vars;
        const FdNode *value = fd_apply(u->fd, array, defs[i].nvars, vars, defs[i].node->loc);
        Def *b = def_form(u, &defs[i]);
        b->vars = vars;
        b->doms = reduces[0]->doms;
        b->body = all[nall++] = fd_inline_inside(u->fd, value, array, lets[i]);
        b->copy = true;
        beside[i] = b;
    }
    d->node = d->body;
    d->nbeside = n - 1;
    d->beside = beside;
    *when = num_and(u, *when, num_not(u, def_unsafe(u, d)));
    if (num_is(*when, 0)) return NULL;
    all[nall++] = d->body;
    unit_count_all(u, nall, all);
    return d;
}
