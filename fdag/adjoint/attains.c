/* Where a minimum or maximum is attained: a reduction of the values with their places.
 *   before: min(i, x(i))
 *   after:  the place of `first` over i of (x(i), i), where first(a, b) is the lesser, of equal ones the earlier
 * A search for values that equal the minimum would not do: they are computed once more there, and may round
 * otherwise in another loop. */
#include <string.h>

#include "derive.h"

#define FIRST "fd_first_" /* records of value and place */

/* The place of a binder's variables in its order, a long (of one variable: itself); NULL: not a box. */
static const FdNode *place_of(Fd *fd, const FdNode *n)
{
    const FdNode *at = NULL;
    if (n->nvars == 1) return n->vars[0];
    for (int i = 0; i < n->nvars; i++) {
        for (int k = 0; k < n->nvars; k++)
            if (fdi_free_in(n->doms[i].lo, n->vars[k]) || fdi_free_in(n->doms[i].hi, n->vars[k]))
                return NULL;
        const FdNode *lo = fdi_to_long(fd, n->doms[i].lo), *hi = fdi_to_long(fd, n->doms[i].hi);
        const FdNode *own = fdi_long_op(fd, FD_OP_SUB, fdi_to_long(fd, n->vars[i]), lo);
        const FdNode *length = fdi_long_op(fd, FD_OP_SUB, hi, lo);
        at = at ? fdi_long_op(fd, FD_OP_ADD, fdi_long_op(fd, FD_OP_MUL, at, length), own) : own;
    }
    return at;
}

static const FdNode *compare(Fd *fd, FdOp op, const FdNode *a, const FdNode *b, int field)
{
    return fdi_op2(fd, op, fd_field(fd, a, field, (FdLoc){0}), fd_field(fd, b, field, (FdLoc){0}));
}

/* The function of two records of value and place that gives the first to be chosen. */
static const FdUser *chooser(Fd *fd, const FdType *record, FdOp op, const FdNode *nothing)
{
    const FdType *params[] = {record, record};
    FdUser *u = fd_user_declare(fd, arena_printf(fd->arena, "%s_of", record->record),
                                fd_type_func(fd, record, 2, params));
    if (u->body) return u;
    FdStmt *body = arena_new_of(fd->arena, FdStmt);
    const FdNode *a = fd_local(fd, record, "a"), *b = fd_local(fd, record, "b");
    const FdNode *better = compare(fd, op == FD_OP_MIN ? FD_OP_LT : FD_OP_GT, b, a, 0);
    const FdNode *equal = compare(fd, FD_OP_EQ, b, a, 0), *before = compare(fd, FD_OP_LT, b, a, 1);
    const FdNode *take_b = fdi_op2(fd, FD_OP_LOR, better, fdi_and(fd, equal, before));
    const FdNode *args[] = {take_b, b, a};
    *body = (FdStmt){.kind = FD_STMT_RETURN,
                     .expr = fd_apply_op(fd, FD_OP_SELECT, SC_INT, 3, args, (FdLoc){0})};
    u->nparams = 2;
    u->params[0] = a;
    u->params[1] = b;
    u->body = body;
    u->associative = u->commutative = true;
    u->identity = nothing;
    return u;
}

bool fdi_is_first(const FdNode *n)
{
    return n->type->record && !strncmp(n->type->record, FIRST, sizeof FIRST - 1);
}

/* The first value and place of a minimum or maximum, made once; NULL after an error. */
static const FdNode *first_of(FdiDerive *d, const FdNode *n)
{
    static const char *const names[] = {"value", "place"};
    Fd *fd = d->fd;
    const FdNode *other = fdi_fresh(fd, n), *at = place_of(fd, other),
                 *made = fdi_map_node(&d->firsts, n);
    if (made) return made;
    if (!at)
        return fdi_fail(
            d, n, "a min or max whose ranges depend on each other: reduce one variable at a time");
    FdOp op = fd_op_of(n);
    ScalarKind k = n->type->scalar, to = at->type->scalar;
    const FdType *fields[] = {n->type, at->type};
    const char *name = arena_printf(fd->arena, FIRST "%s_%s_%s", fd_op_info(op)->text,
                                    scalar_name(k), scalar_name(to));
    const FdType *record = fd_type_record(fd, name, 2, fields, names);
    ScalarValue least, most = {.i = to == SC_INT ? INT32_MAX : INT64_MAX};
    if (!fd_op_neutral(op, k, &least)) internal_error("attains", "min has no neutral value");
    const FdNode *none[] = {fd_const(fd, k, least), fd_const(fd, to, most)},
                 *both[] = {other->body, at};
    const FdUser *user = chooser(fd, record, op, fd_make(fd, record, none, n->loc));
    const FdNode *first = fd_reduce(fd, fd_user(fd, user), other->nvars, other->vars, other->doms,
                                    fd_make(fd, record, both, n->loc), n->loc);
    fdi_map_set_node(&d->firsts, n, first);
    return first;
}

const FdNode *fdi_attains(FdiDerive *d, const FdNode *n, const FdNode *fresh)
{
    const FdNode *first = first_of(d, n);
    if (!first) return NULL;
    return fdi_op2(d->fd, FD_OP_EQ, fd_field(d->fd, first, 1, n->loc), place_of(d->fd, fresh));
}
