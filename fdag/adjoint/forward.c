/* Functions of the program with statements, by forward mode: what their result changes along changes of their arguments.
 *   before: f(x, n) { y = x; while (n > 0) { y = y * x; n = n - 1; } return y; }
 *   after:  f.along(x, n, dx) { dy = dx; y = x; while (n > 0) { dy = dy * x + y * dx; y = y * x; .. } return dy; }
 * Backward mode calls it once for each real among the arguments that the variables reach. */
#include "derive.h"

typedef struct Along {
    FdiDerive *d;
    FdiMap known; /* variable -> its change */
} Along;

static FdStmt *statements(Along *a, const FdStmt *s);

static const FdNode *local_change(Along *a, const FdNode *var)
{
    uint64_t known = 0;
    Fd *fd = a->d->fd;
    if (fdi_map_get(&a->known, var, &known)) return (const FdNode *)(uintptr_t)known;
    const char *name = arena_printf(fd->arena, "d%s", var->name);
    const FdNode *change = var->extent ? fd_local_array(fd, var->type, var->extent, name)
                                       : fd_local(fd, var->type, name);
    fdi_map_set_node(&a->known, var, change);
    return change;
}

static void find_locals(const FdStmt *s, Along *a)
{
    for (; s; s = s->next) {
        const FdNode *var = s->kind == FD_STMT_PUT && s->var ? s->var->fn : s->var;
        if (var && fdi_is_real(var->type)) local_change(a, var);
        find_locals(s->body, a);
        find_locals(s->other, a);
    }
}

static FdStmt *copy(Along *a, const FdStmt *s)
{
    FdStmt *n = arena_copy(a->d->fd->arena, s, sizeof *s);
    n->next = NULL;
    return n;
}

/* The statement of the change in front of one that gives a variable its value; NULL: it holds no reals. */
static FdStmt *change_of(Along *a, const FdStmt *s)
{
    Fd *fd = a->d->fd;
    const FdNode *array = s->kind == FD_STMT_PUT ? s->var->fn : s->var;
    if (!array || !fdi_is_real(array->type)) return NULL;
    FdStmt *n = copy(a, s);
    const FdNode *to = local_change(a, array);
    n->var =
        s->kind == FD_STMT_PUT ? fd_apply(fd, to, s->var->nargs, s->var->args, s->var->loc) : to;
    if (s->kind == FD_STMT_CLEAR) return n;
    n->expr = fdi_tangent(a->d, &a->known, s->expr);
    if (!n->expr && n->var->type->nparams)
        n->kind = FD_STMT_CLEAR;
    else if (!n->expr)
        n->expr = fdi_zero(fd, n->var->type);
    return n;
}

static FdStmt *statement(Along *a, const FdStmt *s)
{
    FdStmt *n = copy(a, s), *change;
    switch (s->kind) {
    case FD_STMT_SET:
    case FD_STMT_PUT:
    case FD_STMT_CLEAR:
        change = change_of(a, s);
        if (!change) return n;
        change->next = n;
        return change;
    case FD_STMT_RETURN:
        n->expr = fdi_tangent(a->d, &a->known, s->expr);
        if (!n->expr) n->expr = fdi_zero(a->d->fd, s->expr->type);
        return n;
    default:
        n->body = statements(a, s->body);
        n->other = statements(a, s->other);
        return n;
    }
}

static FdStmt *statements(Along *a, const FdStmt *s)
{
    FdStmt *first = NULL, **last = &first;
    for (; s && !a->d->error->message; s = s->next) {
        *last = statement(a, s);
        while (*last) last = &(*last)->next;
    }
    return first;
}

/* Can it be differentiated: are its parameters and its result values? */
bool fdi_user_can(const FdUser *u)
{
    bool can = u->body && !u->type->result->nparams;
    for (int i = 0; i < u->nparams; i++) can = can && !u->params[i]->type->nparams;
    return can;
}

/* Its parameters are u's, and the change of each that has reals. NULL after an error. */
static const FdUser *along(FdiDerive *d, const FdUser *u, const FdNode *at)
{
    Along a = {.d = d};
    Fd *fd = d->fd;
    const FdType *params[FD_MAX_PARAMS];
    const FdNode *all[FD_MAX_PARAMS];
    int n = 0;
    for (int i = 0; i < u->nparams; i++) all[n++] = u->params[i];
    for (int i = 0; i < u->nparams; i++) {
        if (!fdi_is_real(u->params[i]->type)) continue;
        if (n == FD_MAX_PARAMS) {
            fdi_fail(d, at, "a function of so many parameters");
            return NULL;
        }
        all[n++] = local_change(&a, u->params[i]);
    }
    for (int i = 0; i < n; i++) params[i] = all[i]->type;
    FdUser *made = fd_user_declare(fd, arena_printf(fd->arena, "%s.along", u->name),
                                   fd_type_func(fd, u->type->result, n, params));
    if (!made->body) {
        find_locals(u->body, &a);
        const FdStmt *body = statements(&a, u->body);
        if (!d->error->message) {
            made->nparams = n;
            for (int i = 0; i < n; i++) made->params[i] = all[i];
            made->body = body;
        }
    }
    fdi_map_free(&a.known);
    return d->error->message ? NULL : made;
}

const FdNode *fdi_user_change(FdiDerive *d, const FdNode *n, const FdNode *const *changes)
{
    const FdUser *u = n->fn->user, *made = along(d, u, n);
    const FdNode *args[FD_MAX_PARAMS];
    int count = 0;
    if (!made) return NULL;
    for (int i = 0; i < n->nargs; i++) args[count++] = n->args[i];
    for (int i = 0; i < n->nargs; i++)
        if (fdi_is_real(u->params[i]->type))
            args[count++] = changes[i] ? changes[i] : fdi_zero(d->fd, u->params[i]->type);
    return fd_apply(d->fd, fd_user(d->fd, made), count, args, n->loc);
}

/* One in one real of a record, zeros elsewhere; *leaf counts reals, the one is at 0. */
static const FdNode *unit(Fd *fd, const FdType *t, int *leaf)
{
    const FdNode *fields[FD_MAX_FIELDS];
    if (!t->record) {
        bool one = scalar_is_real(t->scalar) && (*leaf)-- == 0;
        return one ? fd_const(fd, t->scalar,
                              scalar_convert((ScalarValue){.i = 1}, SC_INT, t->scalar))
                   : fdi_zero(fd, t);
    }
    for (int i = 0; i < t->nfields; i++) fields[i] = unit(fd, t->fields[i], leaf);
    return fd_make(fd, t, fields, (FdLoc){0});
}

/* The widest real of a type; SC_HALF if it has none. */
static ScalarKind widest(const FdType *t)
{
    ScalarKind most = SC_HALF;
    for (int i = 0; i < fd_type_leaves(t); i++) {
        const ScalarKind k = fd_type_leaf(t, i);
        if (scalar_is_real(k) && scalar_bytes(k) > scalar_bytes(most)) most = k;
    }
    return most;
}

/* The sum over the reals of a value of weight times change, in a real of this kind. */
static const FdNode *weighed(Fd *fd, const FdNode *weight, const FdNode *change, ScalarKind to)
{
    const FdNode *sum = NULL;
    const FdType *t = weight->type;
    if (!t->record) {
        if (!scalar_is_real(t->scalar)) return NULL;
        const FdNode *product = fdi_op2(fd, FD_OP_MUL, weight, change);
        return t->scalar == to ? product : fd_simple_op(fd, FD_OP_CONVERT, to, 1, &product);
    }
    for (int i = 0; i < t->nfields; i++)
        sum = fdi_plus(fd, sum,
                       weighed(fd, fd_field(fd, weight, i, weight->loc),
                               fd_field(fd, change, i, weight->loc), to));
    return sum;
}

/* A record of this type whose reals are sums of weight times the change along each. */
static const FdNode *part_of(FdiDerive *d, const FdNode *n, int operand, const FdType *t, int *leaf,
                             const FdNode *weight)
{
    Fd *fd = d->fd;
    const FdNode *fields[FD_MAX_FIELDS], *changes[FD_MAX_PARAMS] = {NULL};
    if (t->record) {
        for (int i = 0; i < t->nfields; i++)
            if (!(fields[i] = part_of(d, n, operand, t->fields[i], leaf, weight))) return NULL;
        return fd_make(fd, t, fields, n->loc);
    }
    if (!scalar_is_real(t->scalar)) return fdi_zero(fd, t);
    int at = (*leaf)++;
    changes[operand] = unit(fd, n->fn->user->params[operand]->type, &at);
    const FdNode *change = fdi_user_change(d, n, changes);
    const FdNode *sum = change ? weighed(fd, weight, change, widest(weight->type)) : NULL;
    return sum ? fd_simple_op(fd, FD_OP_CONVERT, t->scalar, 1, &sum) : NULL;
}

const FdNode *fdi_user_part(FdiDerive *d, const FdNode *n, int operand, const FdNode *weight)
{
    int leaf = 0;
    return part_of(d, n, operand, n->args[operand]->type, &leaf, weight);
}
