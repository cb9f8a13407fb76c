/* Where hoisted expressions (hoist.c) are evaluated: conditions of the branches around them, and whether they could fail
 * elsewhere. */
#include "../index/facts/facts.h"
#include "hoist.h"

/* Reads at variables of the expression's own reductions are inside their ranges; reads at the
 * variables around are only as safe as the branch makes them. */
static bool is_safe(const void *expression, const FdNode *read)
{
    for (int k = 0; k < read->nargs; k++) {
        bool var = read->args[k]->kind == FD_VAR;
        if (!fd_is_const(read->args[k]) && !(var && !fd_uses_var(expression, read->args[k])))
            return false;
    }
    return true;
}

/* May reads at its variables be outside? */
static bool is_given(const void *ctx, const FdNode *n)
{
    (void)ctx;
    for (int i = 0; i < n->nvars; i++)
        if (n->doms[i].kind == FD_DOM_GIVEN) return true;
    return false;
}

bool hoist_may_fail(const FdNode *n)
{
    return fdi_may_fail(n, &(FdiFails){is_safe, n}) || fd_any(n, is_given, NULL);
}

/* ---- guards ------------------------------------------------------------------------------------ */

static bool same_guards(const HoistGuard *x, const HoistGuard *y)
{
    for (; x && y && x != y; x = x->up, y = y->up)
        if (x->cond != y->cond || x->truth != y->truth) return false;
    return x == y;
}

void hoist_use_at(Fd *fd, const FdNode *n, int k, int count, const HoistWhere *of,
                  HoistWhere *child)
{
    HoistWhere here = {true, of->known, of->guard};
    int arg = n->kind == FD_APPLY ? k - (count - n->nargs) : -1;
    if (arg > 0 && fd_is_lazy(n, arg)) {
        FdOp op = fd_op_of(n);
        HoistGuard g = {here.guard, n->args[0], op == FD_OP_SELECT ? arg == 1 : op == FD_OP_LAND};
        here.guard = arena_copy(fd->arena, &g, sizeof g);
    }
    if (child->met)
        here.known = here.known && child->known && same_guards(here.guard, child->guard);
    *child = here;
}

static bool has_all(const FdNode *n, const FdNode *cond)
{
    const FdiNode *b = fdi_node(cond);
    for (uint32_t i = 0; i < b->nfree; i++)
        if (!fd_uses_var(n, b->free[i])) return false;
    return true;
}

static bool is_node(const void *n, const FdNode *other)
{
    return n == other;
}

/* n where its guards hold, else 0; NULL: they are of other variables, ask for n themselves (which would be stored in
 * turn, without end), or can fail where nothing asks for them. asked: what is evaluated at each point whatever loops are empty. */
const FdNode *hoist_with_guards(Fd *fd, const FdNode *n, const HoistWhere *where,
                                const FdiMap *asked)
{
    const FdNode *all = NULL;
    uint64_t c;
    if (!where->known || !where->guard || !fd_type_is_scalar(n->type)) return NULL;
    for (const HoistGuard *g = where->guard; g; g = g->up) {
        if (!has_all(n, g->cond) || fd_any(g->cond, is_node, n)) return NULL;
        if (!fdi_map_get(asked, g->cond, &c) && hoist_may_fail(g->cond)) return NULL;
        const FdNode *cond = g->cond;
        if (!g->truth) cond = fd_simple_op(fd, FD_OP_LNOT, SC_BOOL, 1, &cond);
        const FdNode *both[] = {cond, all};
        all = all ? fd_simple_op(fd, FD_OP_LAND, SC_BOOL, 2, both) : cond;
    }
    const FdNode *args[] = {all, n, fd_const(fd, n->type->scalar, (ScalarValue){.i = 0})};
    return fd_simple_op(fd, FD_OP_SELECT, n->type->scalar, 3, args);
}

/* Is the bound one that a number of the program cuts off? Of others the plan finds that they hold for all elements
 * (codegen/kernel/schedule/schedule_plain.c). */
static bool is_cut(const FdNode *bound, FdOp by)
{
    return fdi_is_op(bound, by) && ((fd_is_const(bound->args[0]) && bound->args[0]->value.i) ||
                                    (fd_is_const(bound->args[1]) && bound->args[1]->value.i));
}

/* Narrows the ranges of a sum's variables to where all conditions around it hold; false: they are about others, or say
 * more. */
bool hoist_where_all_hold(Fd *fd, const FdNode *n, const HoistGuard *guard, FdDom *doms)
{
    const FdiNode *b = fdi_node(n);
    bool cut = false, hold = true;
    for (const HoistGuard *g = guard; g; g = g->up) {
        FdExact exact;
        if (!has_all(n, g->cond) || fd_effects(g->cond)) return false;
        fd_where(fd, g->cond, g->truth, (int)b->nfree, b->free, doms, &exact);
        if (exact.n) return false;
    }
    for (const HoistGuard *g = guard; g && hold; g = g->up) {
        FdFacts *f = fd_facts_new(fd, (int)b->nfree, b->free, doms, g->cond);
        const FdNode *now = fd_under(f, g->cond);
        hold = fd_is_const(now) && (now->value.i != 0) == g->truth;
        fd_facts_free(f);
    }
    for (uint32_t i = 0; i < b->nfree; i++)
        cut = cut || is_cut(doms[i].hi, FD_OP_MIN) || is_cut(doms[i].lo, FD_OP_MAX);
    return hold && cut;
}
