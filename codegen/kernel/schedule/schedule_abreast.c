/* Rows of two to four elements, taken side by side: pixels, points, complex numbers (fdag/index/abreast.h). Lanes are rows,
 * so their elements are vectors, which are stored in turn.
 *
 *   before   q(i, c) = sum(k : 0..3, m(c, k) * p(i, k))         one element after the other
 *   after    x = m(0, 0) * p(i.., 0) + .., y = .., z = ..       p's coordinates are known to be three apart
 *            q(i, 0).. = x0 y0 z0 x1 y1 z1 ..                    */
#include "../../../fdag/index/abreast.h"
#include "../../../fdag/index/flat.h"
#include "../plan/draw.h"
#include "recipes/recipe.h"
#include "schedule.h"

static Num *is_as_long(Unit *u, const FdDom *last, int64_t length)
{
    Num *n = plan_n(u, last), *lo = plan_lo(u, last);
    if (fd_abreast_length(last)) return num_truth(u, true);
    Num *all = num_op(u, FD_OP_EQ, lo, num_int(u, 0));
    return num_and(u, all, num_op(u, FD_OP_EQ, n, num_int(u, length)));
}

const Def *schedule_abreast(Unit *u, const Def *of, int64_t length, Num **when)
{
    if (of->nvars < 2 || of->node->self || of->flat || of->near || of->nbeside || of->nwithin ||
        of->plain || of->anew || of->slice || of->copy || of->noting || of->abreast ||
        (of->body->type->record && (of->temp >= 0 || !u->nbeside)) || def_is_once(u, of) ||
        u->options->family != CG_CPU || u->options->tile != CG_TILE_AUTO || fd_can_fail(of->body))
        return NULL;
    const FdDom *last = &of->doms[of->nvars - 1];
    if (!fd_closed(last->lo) || !fd_closed(last->hi)) return NULL;
    const FdNode *row = fd_abreast(u->fd, of->nvars, of->vars, of->doms, of->body, length);
    if (!row) return NULL;
    Def *d = def_form(u, of);
    d->nvars = of->nvars - 1;
    d->body = row;
    d->abreast = (int)length;
    FdNear near;
    bool is_near = fd_near(u->fd, row, &near);
    if (when) { /* of reads that are flat nobody asks whether they are inside */
        d->node = fd_let(u->fd, d->nvars, of->vars, of->doms, row, of->node->loc);
        *when = num_and(u, is_as_long(u, last, length), num_not(u, plan_fails(u, of)));
        *when = num_and(u, *when, num_not(u, def_unsafe(u, d)));
        if (is_near) *when = num_and(u, *when, schedule_are_as_long(u, &near));
        if (num_is(*when, 0)) return NULL;
        d = def_form(u, d);
    }
    if (is_near) d->body = near.body;
    if (!lanes_possible(d->body, of->vars[of->nvars - 2], LANES_FAR)) return NULL;
    d->node = fd_let(u->fd, d->nvars, of->vars, of->doms, d->body, of->node->loc);
    def_count(u, d, 0, NULL);
    return d;
}

/* Under `rest`; returns what is left. */
static Num *abreast(Unit *u, const Def *d, int64_t length, Num *rest)
{
    Num *when = NULL;
    const Def *row = schedule_abreast(u, d, length, &when);
    if (!row) return rest;
    when = num_let(u, "abreast", num_and(u, rest, when));
    if (!fd_abreast_length(&d->doms[d->nvars - 1])) num_guess(u, when, false);
    schedule_turn_to(u, row);
    Num *done = recipe_vectors(u, row, when);
    schedule_turn_to(u, d);
    return done ? num_let(u, "rest", num_and(u, rest, num_not(u, done))) : rest;
}

Num *schedule_abreast_first(Unit *u, const Def *d, bool is_flat, Num *rest)
{
    if (d->nvars < 2 || num_is(rest, 0) || draw_skips(u, P_FORM_ABREAST)) return rest;
    const FdDom *last = &d->doms[d->nvars - 1];
    int64_t length = fd_abreast_length(last);
    if (length) return abreast(u, d, length, rest);
    if (is_flat || (d->nvars == 2 && !fd_abreast_told(d->body, last, d->vars[1]))) return rest;
    for (length = 2; length <= FD_ABREAST; length++) rest = abreast(u, d, length, rest);
    return rest;
}
