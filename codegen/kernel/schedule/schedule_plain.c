/* Sums that stand under conditions on the element, where these hold for all elements:
 *
 *   before   w(k, j) = lo <= j && j < hi ? sum(i, a(i, k) * b(i, j)) : 0
 *   plain    w(k, j) = sum(i, a(i, k) * b(i, j))                          when no j lies outside of lo..hi
 *
 * Conditions that speak of lengths often hold for all: nobody says that two arrays are as long as each other, but they
 * are. Only the plan can tell. So sums have tiles, rows and parts. */
#include "../../../fdag/index/contraction.h"
#include "../../../fdag/index/facts/facts.h"
#include "recipes/recipe.h"
#include "schedule.h"

typedef struct Plain {
    const Def *d;
    FdDom doms[FD_MAX_RANK]; /* where the conditions hold */
    bool any, exact;
    FdSeen seen;
    Fd *fd;
} Plain;

/* Narrows the ranges to where the branches with sums are taken. */
static void narrow(Plain *p, const FdNode *n)
{
    if (n->kind != FD_APPLY || !fd_meet(&p->seen, n)) return;
    for (int i = 1; fd_op_of(n) == FD_OP_SELECT && i < 3; i++) {
        FdExact exact;
        if (!(fd_effects(n->args[i]) & FD_REDUCES)) continue;
        fd_where(p->fd, n->args[0], i == 1, p->d->nvars, p->d->vars, p->doms, &exact);
        p->any = true;
        p->exact = p->exact && !exact.n;
        break;
    }
    for (int i = 0; i < n->nargs; i++) narrow(p, n->args[i]);
}

const Def *schedule_plain(Unit *u, const Def *of)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    Plain p = {.d = of, .exact = true, .fd = u->fd};
    if (!of->nvars || of->flat || of->nbeside || of->nwithin || of->plain || of->node->self ||
        of->body->type->record || fd_can_fail(of->body) || !fd_all_reductions(of->body, reduces))
        return NULL;
    for (int i = 0; i < of->nvars; i++) {
        p.doms[i] = of->doms[i];
        if (!of->doms[i].lo) return NULL;
    }
    narrow(&p, of->body);
    fd_seen_free(&p.seen);
    if (!p.any || !p.exact) return NULL;
    FdFacts *f = fd_facts_new(u->fd, of->nvars, of->vars, p.doms, of->body);
    const FdNode *body = fd_under(f, of->body);
    fd_facts_free(f);
    bool some = false;
    for (int i = 0, n = fd_reductions(body, reduces); i < n; i++)
        some = some || fd_is_long(reduces[i]);
    if (body == of->body || !some) return NULL;
    Num *all = num_truth(u, true);
    for (int i = 0; i < of->nvars; i++) {
        Num *lo = num_of(u, p.doms[i].lo), *hi = num_of(u, p.doms[i].hi);
        if (!lo || !hi) return NULL;
        all = num_and(u, all, num_op(u, FD_OP_LE, lo, num_must(u, of->doms[i].lo)));
        all = num_and(u, all, num_op(u, FD_OP_GE, hi, num_must(u, of->doms[i].hi)));
    }
    for (int i = 0, n = fd_reductions(body, reduces); i < n; i++) {
        if (!unit_is_empty(u, reduces[i]))
            continue; /* under the conditions the plan does not report it */
        if (!reduction_is_closed(reduces[i])) return NULL;
        all = num_and(u, all, num_op(u, FD_OP_GT, recipe_length(u, reduces[i]), num_int(u, 0)));
    }
    if (num_is(all, 0)) return NULL;
    Def *d = def_form(u, of);
    d->body = body;
    d->node = fd_let(u->fd, of->nvars, of->vars, of->doms, body, of->node->loc);
    d->noting = false;
    d->plain = all;
    def_count(u, d, 0, NULL);
    return d;
}
