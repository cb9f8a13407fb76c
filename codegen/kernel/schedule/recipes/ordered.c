/* Recurrences: the loops of a definition that reads itself, in the order that the pass `recur`
 * found.
 *
 *   before   rec s (i, j) order +0: select(i == 0, a(i, j), s(i-1, j) + a(i, j))
 *   after    a work-item takes one j:  for (i = lo; i < hi; i++) out[..] = i == 0 ? a[..] : out[..]
 *
 * Variables along which every read of itself stays where it is are independent: each of their
 * values is a line for a work-item of its own. Reads of itself are checked unless the numbers prove
 * them inside; a point that is read is always an earlier one. Keeps: the order of operations within
 * an element. */
#include <stdlib.h>

#include "../../../../fdag/affine.h"
#include "recipe.h"

/* Does every read of `self` below n have variable d's own value as its index d? */
static bool stays_below(const Def *d, const FdNode *n, int dim, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    for (int i = 0; i < n->nvars; i++)
        if (n->doms[i].lo && (!stays_below(d, n->doms[i].lo, dim, seen) ||
                              !stays_below(d, n->doms[i].hi, dim, seen)))
            return false;
    if (n->body && !stays_below(d, n->body, dim, seen)) return false;
    if (n->init && !stays_below(d, n->init, dim, seen)) return false;
    if (n->kind == FD_REDUCE && !stays_below(d, n->fn, dim, seen)) return false;
    if (n->kind != FD_APPLY) return n != d->node->self;
    if (n->fn == d->node->self) {
        FdAffine index;
        bool same = fd_affine(n->args[dim], &index) && fd_affine_add(&index, d->vars[dim], -1) &&
                    index.nterms == 0 && index.constant == 0;
        if (!same) return false;
    } else if (!stays_below(d, n->fn, dim, seen)) {
        return false;
    }
    for (int i = 0; i < n->nargs; i++)
        if (!stays_below(d, n->args[i], dim, seen)) return false;
    return true;
}

bool recipe_stays(const Def *d, int dim)
{
    FdSeen seen = {0};
    bool all = stays_below(d, d->body, dim, &seen);
    fd_seen_free(&seen);
    return all;
}

bool recipe_ordered(Unit *u, const Def *d, bool checked)
{
    if (!d->node->self) return false;
    Nest *n = nest_new(u, "recur", d, NULL);
    n->checked = checked;
    const FdNode **vars = arena_array(u->arena, const FdNode *, d->nvars + 1);
    FdDom *doms = arena_array(u->arena, FdDom, d->nvars + 1);
    bool independent[FD_MAX_RANK];
    int lines = 0;
    for (int v = 0; v < d->nvars; v++) {
        independent[v] = recipe_stays(d, v);
        if (!independent[v]) continue;
        vars[lines] = d->vars[v];
        doms[lines++] = d->doms[v];
    }
    NestStep *in = &n->root;
    if (lines) in = nest_group(u, in, nest_axis(u, n, lines, vars, doms), 0, NULL, NEST_CUT);
    for (int k = 0; k < d->nvars; k++) {
        int v = abs(d->node->order[k]) - 1;
        if (v < 0) {
            u->host_only = true; /* no order was found */
            return true;
        }
        if (independent[v]) continue;
        int axis = nest_axis_of(u, n, d, v, v + 1);
        n->axes[axis].down = d->node->order[k] < 0;
        in = nest_loop(u, in, axis, NULL, NEST_CUT);
    }
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
    return true;
}
