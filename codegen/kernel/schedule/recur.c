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
#include <string.h>

#include "../unit.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

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
        const FdNode *index = n->args[dim];
        while (index->kind == FD_APPLY && fd_op_of(index) == FD_OP_CONVERT) index = index->args[0];
        if (index != d->vars[dim]) return false;
    } else if (!stays_below(d, n->fn, dim, seen)) {
        return false;
    }
    for (int i = 0; i < n->nargs; i++)
        if (!stays_below(d, n->args[i], dim, seen)) return false;
    return true;
}

static bool stays(const Def *d, int dim)
{
    FdSeen seen = {0};
    bool all = stays_below(d, d->body, dim, &seen);
    fd_seen_free(&seen);
    return all;
}

/* Loops from the outermost that is left inwards, then the element. */
static void loops(Gen *g, const Def *d, const bool *independent, int from)
{
    Arena *a = g->u->arena;
    if (from == d->nvars) {
        gen_store(g, d);
        return;
    }
    int k = d->node->order[from], v = abs(k) - 1;
    if (v < 0) {
        g->u->host_only = true; /* no order was found */
        return;
    }
    if (independent[v]) {
        loops(g, d, independent, from + 1);
        return;
    }
    const KirExpr *lo, *hi;
    gen_range(g, &d->doms[v], d->vars[v], &lo, &hi);
    const KirExpr *at = kir_name(a, idx, gen_var_name(g, d->vars[v]));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *last = kir_arith(a, "-", kir_arith(a, "+", lo, hi), kir_int(a, 1));
    gen_bind(g, d->vars[v], k > 0 ? at : gen_variable(g, "down", kir_arith(a, "-", last, at)));
    loops(g, d, independent, from + 1);
    gen_leave(g, scope);
    kir_for(a, g->block, at->name, lo, hi, kir_int(a, 1), false, body);
}

bool schedule_recur(Unit *u, const Def *d)
{
    if (!d->node->self) return false;
    bool independent[FD_MAX_RANK];
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    Def lines = {.vars = vars, .doms = doms};
    for (int v = 0; v < d->nvars; v++) {
        independent[v] = stays(d, v);
        if (!independent[v]) continue;
        vars[lines.nvars] = d->vars[v];
        doms[lines.nvars++] = d->doms[v];
    }
    KirBlock body = {0};
    Gen g = gen_begin(u, "recur", &body);
    g.checked = strcmp(plan_unsafe(u, d), "0") != 0;
    gen_outer(&g, &lines, lines.nvars, 0);
    loops(&g, d, independent, 0);
    gen_run(&g, NULL, plan_elements(u, &lines, lines.nvars), NULL);
    gen_end(&g, &body);
    return true;
}
