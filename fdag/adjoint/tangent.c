/* Forward mode: with each node the change of its value along a direction.
 *   before: sum(i, x(i) * x(i))
 *   after:  sum(i, dx(i) * x(i) + x(i) * dx(i))
 * Requires: the passes that derive.c runs. NULL stands for zeros everywhere. */
#include "derive.h"

typedef struct Tangent {
    FdiDerive *d;
    const FdNode *const *directions;
    FdiMap *known;
} Tangent;

static const FdNode *tangent(Tangent *t, const FdNode *n);

static const FdNode *or_zero(Tangent *t, const FdNode *change, const FdNode *n)
{
    return change ? change : fdi_zero(t->d->fd, n->type);
}

static const FdNode *operation(Tangent *t, const FdNode *n)
{
    Fd *fd = t->d->fd;
    const FdNode *sum = NULL, *a, *b;
    switch (fd_op_of(n)) {
    case FD_OP_CONVERT:
        a = tangent(t, n->args[0]);
        return a ? fd_simple_op(fd, FD_OP_CONVERT, n->type->scalar, 1, &a) : NULL;
    case FD_OP_SELECT:
        a = tangent(t, n->args[1]);
        b = tangent(t, n->args[2]);
        if (!a && !b) return NULL;
        const FdNode *args[] = {n->args[0], or_zero(t, a, n), or_zero(t, b, n)};
        return fd_apply_op(fd, FD_OP_SELECT, SC_INT, 3, args, n->loc);
    default: break;
    }
    for (int i = 0; i < n->nargs; i++) {
        const FdNode *change = fdi_active(t->d, n->args[i]) ? tangent(t, n->args[i]) : NULL;
        if (change) sum = fdi_plus(fd, sum, fdi_chain(t->d, n, i, change));
    }
    return sum;
}

static const FdNode *made(Tangent *t, const FdNode *n)
{
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < n->nargs; i++) fields[i] = or_zero(t, tangent(t, n->args[i]), n->args[i]);
    return fd_make(t->d->fd, n->type, fields, n->loc);
}

static const FdNode *called(Tangent *t, const FdNode *n)
{
    const FdNode *changes[FD_MAX_PARAMS];
    bool any = false;
    for (int i = 0; i < n->nargs; i++) {
        changes[i] = fdi_active(t->d, n->args[i]) ? tangent(t, n->args[i]) : NULL;
        any = any || changes[i];
    }
    return any ? fdi_user_change(t->d, n, changes) : NULL;
}

static const FdNode *application(Tangent *t, const FdNode *n)
{
    const FdNode *f = n->fn, *through = fdi_seen_through(t->d, n, true);
    if (through) return tangent(t, through);
    if (fdi_is_leaf(f, FD_LEAF_OP)) return operation(t, n);
    if (fdi_is_leaf(f, FD_LEAF_MAKE)) return made(t, n);
    if (fdi_is_leaf(f, FD_LEAF_FIELD)) {
        const FdNode *record = tangent(t, n->args[0]);
        return record ? fd_field(t->d->fd, record, f->slot, n->loc) : NULL;
    }
    if (fdi_is_leaf(f, FD_LEAF_USER) && fdi_user_can(f->user)) return called(t, n);
    if (!fdi_can_call(t->d, n)) return NULL;
    const FdNode *change = tangent(t, f);
    return change ? fd_apply(t->d->fd, change, n->nargs, n->args, n->loc) : NULL;
}

static const FdNode *reduction(Tangent *t, const FdNode *n)
{
    Fd *fd = t->d->fd;
    const FdNode *place = fdi_fresh(fd, n), *factor, *when;
    if (!fdi_term(t->d, n, place, &factor, &when)) return NULL;
    const FdNode *term = tangent(t, place->body);
    if (!term) return NULL;
    if (factor) term = fdi_op2(fd, FD_OP_MUL, term, factor);
    term = fdi_guarded(fd, when, term);
    return fdi_sum(fd, place->nvars, place->vars, place->doms, term, n->loc);
}

/* The changes are a recurrence of the same order, in which the values are read. */
static const FdNode *recurrence(Tangent *t, const FdNode *n)
{
    Fd *fd = t->d->fd;
    const FdNode *own = fdi_fresh(fd, n), *self = fd_var(fd, n->type, n->self->name);
    fdi_map_set_node(t->known, n->self, self);
    const FdNode *body = tangent(t, own->body);
    if (!body) return NULL;
    body = fdi_replace_vars(fd, body, 1, &n->self, &n);
    return fd_recurrence(fd, self, n->order, n->nvars, own->vars, own->doms, body, n->loc);
}

static const FdNode *find(Tangent *t, const FdNode *n)
{
    int var = fdi_derive_var(t->d, n);
    if (var >= 0) return t->directions[var];
    if (!fdi_active(t->d, n)) return NULL;
    switch (n->kind) {
    case FD_APPLY: return application(t, n);
    case FD_REDUCE: return reduction(t, n);
    case FD_LET: {
        if (n->self) return recurrence(t, n);
        const FdNode *body = tangent(t, n->body);
        return body ? fd_let(t->d->fd, n->nvars, n->vars, n->doms, body, n->loc) : NULL;
    }
    default: return fdi_fail(t->d, n, "a function as a value: write its values as an expression");
    }
}

static const FdNode *tangent(Tangent *t, const FdNode *n)
{
    uint64_t known = 0;
    if (fdi_map_get(t->known, n, &known)) return (const FdNode *)(uintptr_t)known;
    const FdNode *change = find(t, n);
    fdi_map_set(t->known, n, (uint64_t)(uintptr_t)change);
    return change;
}

const FdNode *fdi_tangent(FdiDerive *d, FdiMap *known, const FdNode *n)
{
    Tangent t = {d, NULL, known};
    return tangent(&t, n);
}

static bool all_real(const FdType *t)
{
    bool all = true;
    for (int i = 0; i < fd_type_leaves(t); i++) all = all && scalar_is_real(fd_type_leaf(t, i));
    return all;
}

/* A record with zeros where it has no reals: those do not change. */
static const FdNode *reals_of(Fd *fd, const FdNode *n)
{
    const FdNode *fields[FD_MAX_FIELDS];
    const FdType *t = n->type;
    if (!t->record) return scalar_is_real(t->scalar) ? n : fdi_zero(fd, t);
    for (int i = 0; i < t->nfields; i++) fields[i] = reals_of(fd, fd_field(fd, n, i, n->loc));
    return fd_make(fd, t, fields, n->loc);
}

/* Variables over the ranges of a function. */
static void over(Fd *fd, const FdNode *n, const FdNode **vars, FdDom *doms)
{
    for (int i = 0; i < n->type->nparams; i++) {
        vars[i] = fd_var(fd, n->type->params[i], "m");
        doms[i] = fd_domain(fd, n, i);
        doms[i].kind = FD_DOM_GIVEN;
    }
}

static const FdNode *direction_of(Fd *fd, const FdNode *n)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int rank = n->type->nparams;
    if (all_real(rank ? n->type->result : n->type)) return n;
    if (!rank) return reals_of(fd, n);
    over(fd, n, vars, doms);
    return fd_let(fd, rank, vars, doms, reals_of(fd, fd_apply(fd, n, rank, vars, n->loc)), n->loc);
}

const FdNode *fd_change_sum(Fd *fd, const FdNode *a, const FdNode *b)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int rank = a->type->nparams;
    if (!rank) return fdi_plus(fd, a, b);
    over(fd, a, vars, doms);
    const FdNode *sum =
        fdi_plus(fd, fd_apply(fd, a, rank, vars, a->loc), fd_apply(fd, b, rank, vars, a->loc));
    return fd_let(fd, rank, vars, doms, sum, a->loc);
}

const FdNode *fd_tangent(Fd *fd, FdFunction *f, const FdNode *const *directions, FdError *error)
{
    const FdNode *along[FD_MAX_PARAMS];
    FdiDerive d;
    FdiMap known = {0};
    Tangent t = {&d, along, &known};
    const FdNode *change = NULL;
    if (fdi_derive_begin(&d, fd, f, error)) {
        const FdNode *root = fd_root(&d.graph);
        for (int i = 0; i < f->nvars; i++)
            along[i] = direction_of(fd, fdi_outer_slots(&d, directions[i]));
        change = tangent(&t, root);
        if (!change && !error->message)
            change = root->kind == FD_LET ? fd_let(fd, root->nvars, root->vars, root->doms,
                                                   fdi_zero(fd, root->body->type), root->loc)
                                          : fdi_zero(fd, root->type);
        change = error->message ? NULL : fdi_derive_at(&d, change);
    }
    fdi_map_free(&known);
    fdi_derive_end(&d);
    return change;
}
