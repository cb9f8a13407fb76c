/* Definitions that divide their variables, over quotients and remainders: products of blocks have the forms of products
 * then. Forms without reuse gain nothing, so it is asked for reductions only. Where lanes go along neighbours that are
 * not divided, they are faster than tiles of so few rows. */
#include "../../../fdag/index/contraction.h"
#include "../../../fdag/index/split.h"
#include "schedule.h"

/* Does some reduction know a variable that came of a division? */
static bool reduces_parts(const FdSplit *s, const FdNode *body)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    if (!fd_all_reductions(body, reduces)) return false;
    for (int k = 0, n = fd_reductions(body, reduces); k < n; k++)
        for (int i = s->first; i < s->nvars; i++)
            if (fd_uses_var(reduces[k], s->vars[i])) return true;
    return false;
}

const Def *schedule_split(Unit *u, const Def *of, Num **when)
{
    FdSplit *split = arena_new_of(u->arena, FdSplit);
    if (!of->nvars || of->node->self || of->flat || of->near || of->nbeside || of->nwithin ||
        of->plain || of->anew || of->slice || of->copy || of->abreast || of->split || of->noting ||
        of->body->type->record || u->options->tile != CG_TILE_AUTO ||
        u->options->family != CG_CPU || fd_can_fail(of->body) || def_is_once(u, of) ||
        unit_kept(u, of->temp) ||
        !fd_split(u->fd, of->nvars, of->vars, of->doms, of->body, split) ||
        lanes_possible(of->body, of->vars[of->nvars - 1], 0) || !reduces_parts(split, split->body))
        return NULL;
    Num *whole = num_truth(u, true);
    for (int i = 0; i < split->nlengths; i++) {
        Num *n = num_of(u, split->lengths[i]), *by = num_int(u, split->by[i]);
        if (!n) return NULL;
        n = num_op(u, FD_OP_REM, n, by);
        whole = num_and(u, whole, num_op(u, FD_OP_EQ, n, num_int(u, 0)));
    }
    if (when) *when = whole;
    if (when && num_is(whole, 0)) return NULL;
    Def *d = def_form(u, of);
    d->node = fd_let(u->fd, split->nvars, split->vars, split->doms, split->body, of->node->loc);
    d->nvars = split->nvars;
    d->vars = d->node->vars;
    d->doms = d->node->doms;
    d->body = d->node->body;
    d->split = split;
    def_count(u, d, 0, NULL);
    return d;
}
