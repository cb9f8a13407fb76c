/* Ranges as numbers: bounds and lengths of arrays, of variables, and how many elements they have. */
#include "../unit.h"

const FdDom *plan_known_range(Unit *u, const FdNode *array, int dim)
{
    for (int i = 0; array->kind == FD_VAR && i < u->ndefs; i++)
        if (u->defs[i].node->self == array) return &u->defs[i].doms[dim];
    if (array->kind == FD_VAR) return NULL;
    const FdNode *def = array->slot >= u->ninputs ? u->g->slots[array->slot].def : NULL;
    return def && def->kind == FD_LET ? &def->doms[dim] : NULL;
}

bool plan_is_input(const Unit *u, const FdNode *array)
{
    return array->kind == FD_FUNC && array->leaf == FD_LEAF_SLOT && array->slot < u->ninputs;
}

Num *num_unsayable(Unit *u)
{
    unit_give_up(u, "a range that no plan can say", NULL);
    return num_int(u, 0);
}

Num *plan_array_lo(Unit *u, const FdNode *array, int dim)
{
    if (plan_is_input(u, array)) return num_of(u, fd_domain(u->fd, array, dim).lo);
    const FdDom *d = plan_known_range(u, array, dim);
    return d ? plan_lo(u, d) : num_unsayable(u);
}

Num *plan_array_hi(Unit *u, const FdNode *array, int dim)
{
    const FdDom *d = plan_known_range(u, array, dim), asked = d ? *d : fd_domain(u->fd, array, dim);
    return asked.hi ? num_must(u, asked.hi) : num_unsayable(u);
}

Num *plan_array_n(Unit *u, const FdNode *array, int dim)
{
    if (plan_is_input(u, array)) return num_slot_bound(u, array->slot, dim, false);
    const FdDom *d = plan_known_range(u, array, dim);
    return d ? plan_n(u, d) : num_unsayable(u);
}

Num *plan_lo(Unit *u, const FdDom *d)
{
    return d->lo ? num_must(u, d->lo) : num_unsayable(u);
}

/* Is the range all of a dimension of an array, as most are? */
static bool is_dimension(const FdDom *d)
{
    if (fd_op_of(d->lo) != FD_OP_LOWER || fd_op_of(d->hi) != FD_OP_UPPER) return false;
    const FdNode *f = d->lo->args[0];
    return f == d->hi->args[0] && d->lo->args[1] == d->hi->args[1] && f->kind == FD_FUNC &&
           f->leaf == FD_LEAF_SLOT;
}

Num *plan_n(Unit *u, const FdDom *d)
{
    if (!d->lo) return num_unsayable(u);
    if (is_dimension(d)) return plan_array_n(u, d->lo->args[0], (int)d->lo->args[1]->value.i);
    Num *lo = num_of(u, d->lo), *hi = num_of(u, d->hi);
    if (!lo || !hi) return num_unsayable(u);
    Num *n = num_op(u, FD_OP_SUB, hi, lo);
    if (fd_is_const(n)) return n->value.i < 0 ? num_int(u, 0) : n;
    return num_op(u, FD_OP_MAX, n, num_int(u, 0));
}

Num *plan_elements(Unit *u, int n, const FdDom *doms)
{
    Num *count = num_int(u, 1);
    for (int i = 0; i < n; i++) count = num_op(u, FD_OP_MUL, count, plan_n(u, &doms[i]));
    return count;
}

static bool is_of_moving(const void *unit, const FdNode *n)
{
    Unit *u = (Unit *)(uintptr_t)unit;
    Num *meaning = num_meaning(u, n);
    return unit_moves(u, n) || (meaning != n && num_moves(u, meaning));
}

bool num_moves(Unit *u, Num *x)
{
    return u->g->nmoving && fd_any(x, is_of_moving, u);
}
