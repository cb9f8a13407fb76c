/* Definitions that divide their variables, over quotients and remainders: products of blocks have the forms of products
 * then. Forms without reuse gain nothing, so it is asked where a reduction reads what is used again. Where lanes go along
 * neighbours that are not divided, they are faster than tiles of so few rows. */
#include "../../../fdag/index/contraction.h"
#include "../../../fdag/index/split.h"
#include "schedule.h"

typedef struct Shared {
    const FdSplit *split;
    const FdNode *reduce;
} Shared;

/* Does it know a variable of the reduction, and of a divided one either the quotient or the remainder? */
static bool knows_one_part(const void *shared, const FdNode *read)
{
    const Shared *s = shared;
    bool reduced = false, one = false;
    if (read->kind != FD_APPLY || fd_op_of(read) != FD_OP_NONE) return false;
    for (int i = 0; i < s->reduce->nvars; i++)
        reduced = reduced || fd_uses_var(read, s->reduce->vars[i]);
    for (int i = 0; reduced && i + 1 < s->split->nvars; i++)
        if (s->split->of[i] == s->split->of[i + 1])
            one = one ||
                  fd_uses_var(read, s->split->vars[i]) != fd_uses_var(read, s->split->vars[i + 1]);
    return one;
}

/* Does some reduction read what is the same for all quotients, or for all remainders? */
static bool reduces_parts(const FdSplit *s, const FdNode *body)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    int n = fd_all_reductions(body, reduces);
    for (int k = 0; k < n; k++)
        if (fd_any(reduces[k], knows_one_part, &(Shared){s, reduces[k]})) return true;
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
