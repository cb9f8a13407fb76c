/* Derivatives: $Derivative(f, k, x, .., seed) is the adjoint of f's parameter k at x, .. for that seed, and with k -1 the
 * change along the directions that follow the arguments, with -2 the value (sema/derive/grad.c makes both); with -3 it
 * is the sum of two changes of f's parameter, the argument and what follows. f is a lambda, whose body
 * is part of the graph, over variables that the derivative (fdag/adjoint) puts the arguments in place of. */
#include "../../fdag/adjoint/adjoint.h"
#include "build.h"

bool lower_is_derivative(const Ast *n)
{
    return n->kind == AST_CALL && builtin_is(lower_builtin(n), SPACE_global, LIB_Derivative);
}

typedef struct Derivative {
    FdFunction f;
    const FdNode *vars[FD_MAX_PARAMS], *args[FD_MAX_PARAMS], *extra[FD_MAX_PARAMS];
} Derivative;

/* The function's body, whose parameters are the variables. */
static const FdNode *body_of(Lower *l, const Ast *lambda, const FdNode *const *vars)
{
    void *outer[FD_MAX_PARAMS];
    for (int i = 0; i < lambda->nbound; i++) {
        outer[i] = lambda->bound[i]->fdag;
        lambda->bound[i]->fdag = (void *)(uintptr_t)vars[i];
    }
    size_t around = l->derived.len;
    for (int i = 0; i < lambda->nbound; i++) vec_push(&l->derived, vars[i]);
    const FdNode *value = lower_expr(l, lambda->lambda.body);
    l->derived.len = around;
    for (int i = lambda->nbound; i-- > 0;) lambda->bound[i]->fdag = outer[i];
    const FdType *t = lower_type(l, lambda->lambda.body->type);
    return value && t ? lower_convert(l, value, t, lambda->loc) : NULL;
}

static bool operands_of(Lower *l, const Ast *n, Derivative *d)
{
    const Ast *lambda = n->call.args.data[0];
    int count = lambda->nbound;
    for (int i = 0; i < count; i++) {
        const FdType *t = lower_type(l, lambda->bound[i]->type);
        if (!t || !(d->args[i] = lower_expr(l, n->call.args.data[2 + i]))) return false;
        d->vars[i] = fd_var(l->fd, t, lambda->bound[i]->name);
        d->args[i] = lower_convert(l, d->args[i], t, n->loc);
    }
    for (int i = 2 + count; i < n->call.args.len; i++)
        if (!(d->extra[i - 2 - count] = lower_expr(l, n->call.args.data[i]))) return false;
    d->f = (FdFunction){.value = body_of(l, lambda, d->vars), .nvars = count, .vars = d->vars};
    d->f.args = d->args;
    d->f.slots = l->slots.data;
    d->f.nslots = (int)l->slots.len;
    d->f.outer = l->derived.data;
    d->f.nouter = (int)l->derived.len;
    return d->f.value != NULL;
}

const FdNode *lower_derivative(Lower *l, const Ast *n)
{
    Derivative d = {0};
    FdError error = {0};
    const FdNode *out[FD_MAX_PARAMS] = {NULL}, *result;
    int64_t k = n->call.args.data[1]->value.i;
    if (n->call.args.data[0]->kind != AST_LAMBDA)
        return lower_fail(l, n->loc, "what is differentiated is no function that is known here");
    if (!operands_of(l, n, &d)) return lower_fail(l, n->loc, "it cannot be differentiated");
    if (k == -3)
        result = fd_change_sum(l->fd, d.args[0], d.extra[0]);
    else if (k == -2)
        result = fd_differentiated(l->fd, &d.f, &error);
    else if (k < 0)
        result = fd_tangent(l->fd, &d.f, d.extra, &error);
    else
        result = fd_adjoint(l->fd, &d.f, d.extra[0], out, &error) ? out[k] : NULL;
    if (!result) return lower_fail(l, lower_error_place(l, &error, n->loc), "%s", error.message);
    if (!l->in->sealed && !l->nbranches)
        for (int i = 0; i < d.f.nagrees; i++) vec_push(&l->slices, d.f.agrees[i]);
    return lower_place(l, result, n->loc);
}
