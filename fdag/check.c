/* The type rules of nodes, in one place: the builders abort on a violation, the reader reports it
 * and the verifier finds what a pass broke. */
#include "internal.h"

bool fdi_is_integer(const FdType *t)
{
    return fd_type_is_scalar(t) && scalar_is_integer(t->scalar);
}

static bool is_scalar(const FdType *t, ScalarKind k)
{
    return fd_type_is_scalar(t) && t->scalar == k;
}

const char *fdi_check_op(FdOp op, const FdType *type)
{
    const FdOpInfo *info = fd_op_info(op);
    if (op <= FD_OP_NONE || op >= FD_OP_COUNT) return "no such operation";
    if (type->nparams != info->arity) return "the operation has another number of operands";
    const FdType *r = type->result, *const *p = type->params;
    if (info->rule == FD_RULE_SELECT) {
        if (!is_scalar(p[0], SC_BOOL)) return "the condition must be bool";
        if (r->result) return "functions cannot be selected";
        return p[1] == p[2] && r == p[1] ? NULL : "must be T(bool, T, T)";
    }
    if (!fd_type_is_scalar(r)) return "operations give scalars";
    if (info->rule == FD_RULE_BOUND) {
        if (p[0]->nparams == 0) return "the first operand must be a function";
        return is_scalar(p[1], SC_INT) && r->scalar == SC_LONG ? NULL
                                                               : "must be long(function, int)";
    }
    for (int i = 0; i < info->arity; i++)
        if (!fd_type_is_scalar(p[i])) return "operands must be scalars";
    ScalarKind k = p[0]->scalar;
    bool same = true;
    for (int i = 1; i < info->arity; i++) same = same && p[i] == p[0];
    switch (info->rule) {
    case FD_RULE_SAME:
        if (!scalar_is_integer(k) && !scalar_is_real(k)) return "operands must be numbers";
        return same && r == p[0] ? NULL : "operands and result must have one type";
    case FD_RULE_REAL:
        if (!scalar_is_real(k)) return "operands must be reals";
        return same && r == p[0] ? NULL : "operands and result must have one type";
    case FD_RULE_BITS:
        if (!scalar_is_integer(k) && k != SC_BOOL) return "operands must be integers or bools";
        return same && r == p[0] ? NULL : "operands and result must have one type";
    case FD_RULE_SHIFT:
        if (!scalar_is_integer(k)) return "the left operand must be an integer";
        return is_scalar(p[1], SC_INT) && r == p[0] ? NULL : "must be T(T, int)";
    case FD_RULE_CMP:
        if (!same) return "operands must have one type";
        return r->scalar == SC_BOOL ? NULL : "a comparison gives bool";
    case FD_RULE_BOOL:
        return same && k == SC_BOOL && r->scalar == SC_BOOL ? NULL : "operands must be bools";
    case FD_RULE_RANDOM:
        return same && k == SC_LONG && r->scalar == SC_FLOAT ? NULL : "must be float(long, long)";
    default: return NULL; /* CONV: any to any */
    }
}

const FdType *fdi_op_type(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args)
{
    const FdOpInfo *info = fd_op_info(op);
    if (op <= FD_OP_NONE || op >= FD_OP_COUNT || n != info->arity) return NULL;
    const FdType *params[FD_MAX_PARAMS];
    for (int i = 0; i < n; i++) params[i] = args[i]->type;
    if (info->rule == FD_RULE_SELECT) return fd_type_func(fd, params[1], n, params);
    ScalarKind result = info->rule == FD_RULE_CONV ? to : fd_op_result(op, params[0]->scalar);
    return fd_type_func(fd, fd_type_scalar(fd, result), n, params);
}

const char *fdi_check_apply(const FdNode *fn, int n, const FdNode *const *args)
{
    if (fn->type->nparams == 0) return "a scalar cannot be applied";
    if (fn->type->nparams != n) return "wrong number of arguments";
    for (int i = 0; i < n; i++)
        if (args[i]->type != fn->type->params[i]) return "an argument has the wrong type";
    if (fn->kind == FD_FUNC && fn->leaf == FD_LEAF_OP &&
        fd_op_info(fn->op)->rule == FD_RULE_BOUND &&
        (!fd_is_const(args[1]) || args[1]->value.i < 0 ||
         args[1]->value.i >= args[0]->type->nparams))
        return "the dimension must be a constant in range";
    return NULL;
}

static const char *check_reduce(const FdNode *n)
{
    const FdNode *fn = n->fn, *init = n->init;
    const FdType *t = fn->type, *b = n->body->type, *r = init ? init->type : b;
    for (int i = 0; init && i < n->nvars; i++)
        if (fdi_free_in(init, n->vars[i])) return "a fold's first value cannot use its variables";
    if (b->result || r->result) return "a reduction combines scalars or records";
    if (t->nparams != 2 || t->params[0] != r || t->params[1] != b || t->result != r)
        return init ? "a fold's function must be R(R, T) with R of the first value, T of the body"
                    : "the reduction's function must be T(T, T) with the body's type T";
    if (!init && fn->kind == FD_FUNC && fn->leaf == FD_LEAF_OP && !fd_op_reduces(fn->op))
        return "the operation is not a reduction";
    return NULL;
}

static const char *check_self(const FdNode *n)
{
    const FdNode *self = n->self, *body = n->body;
    const FdType *t = self->type;
    const int8_t *order = n->order;
    if (self->kind != FD_VAR || self->role != FD_VAR_BOUND) return "not a bound variable";
    if (body->type->result) return "a recurrence gives scalars or records";
    if (t->nparams != n->nvars || t->result != body->type) return "a recurrence has its let's type";
    bool seen[FD_MAX_RANK] = {false};
    for (int i = 0; i < n->nvars; i++) {
        if (t->params[i] != n->vars[i]->type) return "a recurrence has its let's type";
        if (n->doms[i].kind == FD_DOM_FULL) return "a recurrence's range must be finite";
        if ((n->doms[i].lo && fdi_free_in(n->doms[i].lo, self)) ||
            (n->doms[i].hi && fdi_free_in(n->doms[i].hi, self)))
            return "a recurrence's range cannot use itself";
        if (order[0] == 0 && order[i] == 0) continue; /* not known yet */
        int d = (order[i] < 0 ? -order[i] : order[i]) - 1;
        if (d < 0 || d >= n->nvars || seen[d]) return "an order names each variable once";
        seen[d] = true;
    }
    return NULL;
}

static const char *check_bound(const FdNode *bound, int nvars, const FdNode *const *vars, int i)
{
    if (!bound) return "a range needs both bounds";
    if (!fd_type_is_scalar(bound->type) ||
        (bound->type->scalar != SC_INT && bound->type->scalar != SC_LONG))
        return "the bounds of a range must be int or long";
    for (int k = i; k < nvars; k++)
        if (fdi_free_in(bound, vars[k])) return "a range may use only outer and earlier variables";
    return NULL;
}

const char *fdi_check_binder(const FdNode *n)
{
    bool reduce = n->kind == FD_REDUCE;
    if (n->nvars < 1 || n->nvars > FD_MAX_RANK) return "wrong number of variables";
    if (!n->body) return "no body";
    for (int i = 0; i < n->nvars; i++) {
        const FdNode *v = n->vars[i];
        const FdDom *d = &n->doms[i];
        if (v->kind != FD_VAR || v->role != FD_VAR_BOUND) return "not a bound variable";
        for (int k = 0; k < i; k++)
            if (n->vars[k] == v) return "a variable is bound twice";
        if (reduce && !fdi_is_integer(v->type)) return "a reduction's variable must be an integer";
        if (d->kind == FD_DOM_FULL && reduce) return "a reduction's range must be finite";
        if (d->kind != FD_DOM_OPEN && d->kind != FD_DOM_FULL) {
            if (!fdi_is_integer(v->type)) return "a variable with a range must be an integer";
            const char *why = check_bound(d->lo, n->nvars, n->vars, i);
            if (!why) why = check_bound(d->hi, n->nvars, n->vars, i);
            if (why) return why;
        }
    }
    return reduce ? check_reduce(n) : n->self ? check_self(n) : NULL;
}
