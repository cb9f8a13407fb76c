/* Where a guard holds (facts.h): comparisons that solve for a variable are ends of its range. What a variable
 * is not cuts off an end of its range that is that.
 *
 *   i > 0 && i < n - 1 ? u(i - 1) + u(i + 1) : u(i)      in the first branch i is in 1..n - 1
 *   i == 0 ? 0 : u(i - 1)                                in the second from lo == 0 ? lo + 1 : lo on
 */
#include <string.h>

#include "../../internal.h"
#include "facts.h"

typedef struct Guards {
    Fd *fd;
    int nvars;
    const FdNode *const *vars;
    FdDom *doms;
    FdExact *exact;
} Guards;

/* The form, at most 0, solved for each variable; what other variables bound is left out. False: it
 * says nothing. */
static bool narrow(Guards *g, const FdAffine *form)
{
    const FdNode *cond = fd_condition(g->fd, form);
    bool any = false;
    for (int i = 0; i < g->nvars; i++) {
        FdDom *d = &g->doms[i];
        bool lower;
        const FdNode *end = d->lo ? fd_solve(g->fd, cond, g->vars[i], &lower) : NULL;
        if (!end || !fdi_node(end)->evaluable) continue;
        const FdNode **side = lower ? &d->lo : &d->hi;
        *side = fdi_long_op(g->fd, lower ? FD_OP_MAX : FD_OP_MIN, fdi_to_long(g->fd, *side), end);
        any = true;
    }
    return any;
}

static const FdNode *chosen(Fd *fd, const FdNode *x, const FdNode *y, const FdNode *same,
                            const FdNode *other)
{
    const FdNode *cond = fd_simple_op(fd, FD_OP_EQ, SC_BOOL, 2, (const FdNode *[]){x, y});
    return fd_simple_op(fd, FD_OP_SELECT, SC_LONG, 3, (const FdNode *[]){cond, same, other});
}

/* The form is not 0: a variable is not what it would be then. */
static bool cut(Guards *g, const FdAffine *form)
{
    const FdNode *cond = fd_condition(g->fd, form);
    bool any = false;
    for (int i = 0; i < g->nvars; i++) {
        FdDom *d = &g->doms[i];
        bool lower;
        int64_t factor;
        const FdNode *is = d->lo ? fd_solve(g->fd, cond, g->vars[i], &lower) : NULL;
        if (!is || !fdi_node(is)->evaluable || !fd_affine_factor(form, g->vars[i], &factor) ||
            (factor != 1 && factor != -1))
            continue;
        is = fdi_add_constant(g->fd, fdi_to_long(g->fd, is), lower ? 0 : -1);
        const FdNode *lo = fdi_to_long(g->fd, d->lo), *hi = fdi_to_long(g->fd, d->hi),
                     *after = fdi_add_constant(g->fd, is, 1);
        d->lo = chosen(g->fd, lo, is, after, lo);
        d->hi = chosen(g->fd, hi, after, is, hi);
        any = true;
    }
    return any;
}

/* What may wrap in it is somebody else's to find out; false: that is too much. */
static bool demand_exact(Guards *g, const FdFacts *f, const FdNode *n)
{
    int room = FD_EXACT - g->exact->n;
    int count = fdi_inexact(f, n, room, g->exact->nodes + g->exact->n);
    if (count > room) return false;
    g->exact->n += count;
    return true;
}

void fd_where(Fd *fd, const FdNode *cond, bool truth, int nvars, const FdNode *const *vars,
              FdDom *doms, FdExact *exact)
{
    enum { DEEPEST = 64 };
    Guards g = {fd, nvars, vars, doms, exact};
    struct {
        const FdNode *node;
        bool truth;
    } stack[DEEPEST] = {{cond, truth}};
    FdDom *old = arena_array(fd->arena, FdDom, nvars + 1);
    FdFacts *f = fd_facts_new(fd, nvars, vars, doms, cond);
    exact->n = 0;
    for (int depth = 1; depth-- > 0;) {
        const FdNode *n = stack[depth].node;
        bool t = stack[depth].truth;
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        FdAffine forms[2];
        if (op == FD_OP_LNOT || (op == FD_OP_LAND && t) || (op == FD_OP_LOR && !t)) {
            for (int i = n->nargs; i-- > 0 && depth < DEEPEST;) {
                stack[depth].node = n->args[i];
                stack[depth++].truth = op == FD_OP_LNOT ? !t : t;
            }
            continue;
        }
        int count = fdi_comparison(n, t, forms), before = exact->n;
        memcpy(old, doms, sizeof *doms * (size_t)nvars);
        bool any = false, equal = op == FD_OP_EQ || op == FD_OP_NE;
        if (!count && equal && fdi_comparison(n, !t, forms)) any = cut(&g, &forms[0]);
        while (count-- > 0) any = narrow(&g, &forms[count]) || any;
        if (any) fdi_ranges_changed(f);
        if (!any || (demand_exact(&g, f, n->args[0]) && demand_exact(&g, f, n->args[1]))) continue;
        exact->n = before;
        memcpy(doms, old, sizeof *doms * (size_t)nvars);
        fdi_ranges_changed(f);
    }
    fd_facts_free(f);
}
