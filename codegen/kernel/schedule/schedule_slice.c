/* Slices of a recurrence: what it is at one value of its first variable, which is the outermost of its order.
 *
 *   before   h(t, i) = t == 0 ? x(i) : f(sum(j, w(i, j) * h(t - 1, j)))
 *   slice    (i) => f(sum(j, w(i, j) * h(t - 1, j)))                     at t = 1, 2, ..
 *
 * Nothing in a slice reads the slice itself, so it is a definition like any other, with all forms of such: tiles, rows,
 * lanes. What reads do that go before the first slice is left to the first ones, which are computed in order. */
#include "../analysis/interior.h"
#include "schedule.h"

static bool ranges_over(const void *v, const FdNode *n)
{
    bool over = false;
    for (int i = 0; i < n->nvars; i++)
        over = over ||
               (n->doms[i].lo && (fd_uses_var(n->doms[i].lo, v) || fd_uses_var(n->doms[i].hi, v)));
    return over;
}

/* Plans have numbers that are the same for all slices. */
static bool is_alike(const Def *d)
{
    bool alike = !fd_any(d->body, ranges_over, d->vars[0]);
    for (int i = 1; i < d->nvars; i++)
        alike = alike && d->doms[i].lo && fd_closed(d->doms[i].lo) && fd_closed(d->doms[i].hi);
    return alike;
}

const Def *schedule_slice(Unit *u, const Def *of, Num *turn)
{
    const Interior *in = of->nvars > 1 ? interior_of_slices(u, of) : NULL;
    if (!in || !in->slices || of->body->type->record || !is_alike(of)) return NULL;
    Def *d = def_form(u, of);
    d->body = in->def->body;
    if (fd_effects_called(d->body) & (FD_FAILS | FD_EMPTY)) return NULL;
    d->slice = of->vars[0];
    d->slices = in->doms[0];
    Num *last = num_op(u, FD_OP_SUB, num_must(u, d->slices.hi), num_int(u, 1));
    d->at = in->down[0] ? num_op(u, FD_OP_SUB, last, turn)
                        : num_op(u, FD_OP_ADD, plan_lo(u, &d->slices), turn);
    d->nvars = of->nvars - 1;
    d->vars = of->vars + 1;
    d->doms = of->doms + 1;
    d->node = fd_let(u->fd, d->nvars, d->vars, d->doms, d->body, of->node->loc);
    def_count(u, d, 0, NULL);
    return d;
}
