/* Operations as nodes. Scalars become applications; promoted operations are pointwise, so at a
 * point they are the operation on their operands at that point: `a + b + c` is one let over one
 * sum. Types were settled by the checker; lower_convert makes up for the few places where it leaves
 * the conversion to the operation.
 */
#include <math.h>
#include <string.h>

#include "build.h"

const FdNode *lower_op(Lower *l, FdOp op, int n, const FdNode *const *args, Loc loc)
{
    const FdNode *node = fd_apply_op(l->fd, op, args[0]->type->scalar, n, args, lower_loc(l, loc));
    return lower_place(l, node, loc);
}

const FdNode *lower_convert(Lower *l, const FdNode *n, const FdType *to, Loc loc)
{
    if (!n || n->type == to || n->type->nparams || to->nparams || n->type->record || to->record)
        return n;
    const FdNode *node = fd_apply_op(l->fd, FD_OP_CONVERT, to->scalar, 1, &n, lower_loc(l, loc));
    return lower_place(l, node, loc);
}

/* Without a place: the node is shared by everything that asks. */
const FdNode *lower_query(Lower *l, FdOp op, const FdNode *f, int dim)
{
    if (f->kind == FD_VAR && f->extent)
        return fd_long(l->fd, op == FD_OP_LOWER ? 0 : f->extent[dim]);
    const FdNode *args[] = {f, fd_int(l->fd, dim)};
    return fd_apply_op(l->fd, op, SC_LONG, 2, args, (FdLoc){0});
}

/* ---- operands --------------------------------------------------------------------------- */

int lower_operands(const Ast *n, const Ast **out)
{
    const AstList *args = NULL;
    switch (n->kind) {
    case AST_UNARY: out[0] = n->unary.operand; return 1;
    case AST_CAST: out[0] = n->cast.operand; return 1;
    case AST_CONVERT: out[0] = n->convert.operand; return 1;
    case AST_BINARY:
        out[0] = n->binary.left;
        out[1] = n->binary.right;
        return 2;
    case AST_COND:
        out[0] = n->cond.cond;
        out[1] = n->cond.then;
        out[2] = n->cond.other;
        return 3;
    case AST_MEMBER:
        if (!n->sym || n->sym->kind != SYM_FIELD || lower_is_static(n)) return 0;
        out[0] = n->member.base;
        return 1;
    case AST_CALL: args = &n->call.args; break;
    case AST_INDEX: args = &n->index.args; break;
    case AST_NEW: args = &n->new_.args; break;
    default: return 0;
    }
    int count = 0;
    if (lower_is_method_call(n)) out[count++] = n->call.callee->member.base;
    for (int i = 0; i < args->len && count < LOWER_MAX_OPERANDS; i++) out[count++] = args->data[i];
    return count;
}

bool lower_is_passed(const Ast *n, int operand)
{
    const Symbol *s = (n->kind == AST_CALL || n->kind == AST_NEW) ? n->sym : NULL;
    const Type *f = s && s->kind == SYM_FUNC ? s->type : NULL;
    if (f) {
        operand -= lower_is_method_call(n);
    } else if (!s && (n->kind == AST_CALL || n->kind == AST_INDEX)) {
        f = (*lower_callee((Ast *)(uintptr_t)n))->type;
        const AstList *args = n->kind == AST_CALL ? &n->call.args : &n->index.args;
        if (!type_is_functional(f) || args->data[operand]->type != f->params[operand]) return false;
    }
    return f && operand >= 0 && operand < f->nparams && type_is_functional(f->params[operand]);
}

/* ---- one operation ------------------------------------------------------------------------ */

static FdOp unary_op(const Ast *n)
{
    switch (n->unary.op) {
    case AST_OP_NEG: return FD_OP_NEG;
    case AST_OP_NOT: return FD_OP_LNOT;
    case AST_OP_BITNOT: return FD_OP_BITNOT;
    default: return FD_OP_NONE;
    }
}

static FdOp binary_op(AstOp op)
{
    static const FdOp table[] = {
        [AST_OP_ADD] = FD_OP_ADD,  [AST_OP_SUB] = FD_OP_SUB,    [AST_OP_MUL] = FD_OP_MUL,
        [AST_OP_DIV] = FD_OP_DIV,  [AST_OP_REM] = FD_OP_REM,    [AST_OP_AND] = FD_OP_BITAND,
        [AST_OP_OR] = FD_OP_BITOR, [AST_OP_XOR] = FD_OP_BITXOR, [AST_OP_SHL] = FD_OP_SHL,
        [AST_OP_SHR] = FD_OP_SHR,  [AST_OP_EQ] = FD_OP_EQ,      [AST_OP_NE] = FD_OP_NE,
        [AST_OP_LT] = FD_OP_LT,    [AST_OP_LE] = FD_OP_LE,      [AST_OP_GT] = FD_OP_GT,
        [AST_OP_GE] = FD_OP_GE,    [AST_OP_LAND] = FD_OP_LAND,  [AST_OP_LOR] = FD_OP_LOR};
    return (size_t)op < sizeof table / sizeof *table ? table[op] : FD_OP_NONE;
}

/* Operands of one type where the operation asks for it; bools of comparisons keep theirs. */
static const FdNode *operate(Lower *l, const Ast *n, FdOp op, int count,
                             const FdNode *const *values)
{
    const FdType *result = fd_type_scalar(l->fd, SC_BOOL), *t = result;
    if (type_is_value(n->type) || type_is_functional(n->type)) {
        const Type *r = type_is_functional(n->type) ? n->type->result : n->type;
        result = lower_type(l, r);
    }
    if (!result || result->nparams)
        return lower_fail(l, n->loc, "this cannot be part of a functional expression");
    FdTypeRule rule = fd_op_info(op)->rule;
    const FdNode *v[3] = {0};
    for (int i = 0; i < count; i++) v[i] = values[i];
    if (op == FD_OP_SELECT && result->record) return lower_select(l, v, n->loc);
    if (rule == FD_RULE_SAME || rule == FD_RULE_BITS || rule == FD_RULE_REAL) t = result;
    if (rule == FD_RULE_CMP) t = v[0]->type;
    for (int i = 0; i < count; i++) {
        const FdType *want = rule == FD_RULE_SHIFT ? (i ? fd_type_scalar(l->fd, SC_INT) : result)
                             : rule == FD_RULE_SELECT && i ? result
                                                           : t;
        v[i] = lower_convert(l, v[i], want, n->loc);
    }
    return lower_convert(l, lower_op(l, op, count, v, n->loc), result, n->loc);
}

/* Operations that evaluate only some operands narrow no range by the others (language section 4),
 * but promoted ones do: their operands must have equal domains like those of any promoted call. So
 * a promoted one is the application of the operation as a function. */
static const FdNode *lazily(Lower *l, const Ast *n, FdOp op, int count, const FdNode *const *values)
{
    if (n->res != AST_RES_PROMOTE) return operate(l, n, op, count, values);
    static const char *const names[] = {"x", "y", "z"};
    const FdNode *vars[3];
    FdDom doms[3] = {{.kind = FD_DOM_FULL}, {.kind = FD_DOM_FULL}, {.kind = FD_DOM_FULL}};
    for (int i = 0; i < count; i++)
        vars[i] = fd_var(l->fd, values[i]->type, names[i + (count < 3)]);
    const FdNode *body = operate(l, n, op, count, vars);
    const FdNode *let = fd_let(l->fd, count, vars, doms, body, lower_loc(l, n->loc));
    return lower_place(l, fd_apply(l->fd, let, count, values, lower_loc(l, n->loc)), n->loc);
}

/* a is null: a graph knows the extents alone, and a null array has no elements. */
static const FdNode *is_null(Lower *l, const Ast *n)
{
    const FdNode *f =
        n->is_.target->kind == AST_NULL_LIT && type_is_functional(n->is_.operand->type)
            ? lower_expr(l, n->is_.operand)
            : NULL;
    if (!f) return lower_fail(l, n->loc, "this cannot be part of a functional expression");
    const FdNode *ends[] = {lower_query(l, FD_OP_UPPER, f, 0), lower_query(l, FD_OP_LOWER, f, 0)};
    return lower_op(l, FD_OP_EQ, 2, ends, n->loc);
}

/* Domain queries of a function whose node is known: f.Length, f.GetLowerBound(0). */
static const FdNode *domain_query(Lower *l, const Ast *n, const Builtin *b, const Ast *base,
                                  const FdNode *dim)
{
    const FdNode *f = lower_expr(l, base);
    if (!f) return NULL;
    Loc loc = n->loc;
    const FdType *to = lower_type(l, n->type);
    if (dim && (!fd_is_const(dim) || dim->value.i < 0 || dim->value.i >= f->type->nparams))
        return lower_fail(l, loc, "the dimension of '%s' is not a constant in range",
                          library_names[b->name]);
    int d = dim ? (int)dim->value.i : 0;
    if (b->name == LIB_GetLowerBound)
        return lower_convert(l, lower_query(l, FD_OP_LOWER, f, d), to, loc);
    if (b->name == LIB_GetUpperBound) {
        const FdNode *last[] = {lower_query(l, FD_OP_UPPER, f, d), fd_long(l->fd, 1)};
        return lower_convert(l, lower_op(l, FD_OP_SUB, 2, last, loc), to, loc);
    }
    bool all = b->name == LIB_Length || b->name == LIB_LongLength;
    if (!all && b->name != LIB_GetLength)
        return lower_fail(l, loc, "'%s' cannot be used here", library_names[b->name]);
    const FdNode *length = NULL;
    for (int i = d; i < (all ? f->type->nparams : d + 1); i++) {
        const FdNode *ends[] = {lower_query(l, FD_OP_UPPER, f, i),
                                lower_query(l, FD_OP_LOWER, f, i)};
        const FdNode *extent = lower_op(l, FD_OP_SUB, 2, ends, loc);
        const FdNode *factors[] = {length, extent};
        length = length ? lower_op(l, FD_OP_MUL, 2, factors, loc) : extent;
    }
    return lower_convert(l, length, to, loc);
}

static const FdNode *random_uniform(Lower *l, const Ast *n, const FdNode *const *values)
{
    const FdType *t = fd_type_scalar(l->fd, SC_LONG);
    const FdNode *args[] = {lower_convert(l, values[0], t, n->loc),
                            lower_convert(l, values[1], t, n->loc)};
    return lower_op(l, FD_OP_RANDOM, 2, args, n->loc);
}

/* x.CompareTo(y) of numbers: -1, 0 or 1; NaN is before all others, and its own equal. */
static const FdNode *compare(Lower *l, const Ast *n, const Ast *base, const FdNode *y)
{
    const FdNode *x = type_is_value(base->type) ? lower_expr(l, base) : NULL;
    const Ast *arg = n->call.args.data[0];
    if (!x) return lower_fail(l, n->loc, "'%s' cannot be used under bound variables", "CompareTo");
    if (arg->kind == AST_CONVERT) arg = arg->convert.operand;
    bool real = scalar_is_real(y->type->scalar);
    bool huge = base->type->scalar == SC_ULONG || arg->type->scalar == SC_ULONG;
    const FdType *t = fd_type_scalar(l->fd, real ? SC_DOUBLE : huge ? SC_ULONG : SC_LONG);
    const FdType *integer = fd_type_scalar(l->fd, SC_INT);
    const FdNode *ends[] = {lower_convert(l, x, t, n->loc), lower_convert(l, y, t, n->loc)};
    const FdNode *nans[2][2] = {{ends[1], ends[1]}, {ends[0], ends[0]}};
    const FdNode *more[] = {lower_op(l, FD_OP_GT, 2, ends, n->loc),
                            lower_op(l, FD_OP_LT, 2, ends, n->loc)};
    const FdNode *less[] = {lower_op(l, FD_OP_NE, 2, nans[0], n->loc),
                            lower_op(l, FD_OP_NE, 2, nans[1], n->loc)};
    for (int i = 0; i < 2; i++) {
        more[i] = lower_convert(l, more[i], integer, n->loc);
        less[i] = lower_convert(l, less[i], integer, n->loc);
    }
    const FdNode *sum[] = {lower_op(l, FD_OP_SUB, 2, more, n->loc),
                           lower_op(l, FD_OP_SUB, 2, less, n->loc)};
    return real ? lower_op(l, FD_OP_ADD, 2, sum, n->loc) : sum[0];
}

static const FdNode *test_real(Lower *l, const BuiltinTest *test, const FdNode *x, Loc loc)
{
    const FdNode *r = NULL, *self[] = {x, x};
    if (test->nan) r = lower_op(l, FD_OP_NE, 2, self, loc);
    for (int side = 0; side < 2; side++) {
        if (!(side ? test->above : test->below)) continue;
        ScalarValue end = {.f = side ? (double)INFINITY : -(double)INFINITY};
        const FdNode *ends[] = {x, fd_const(l->fd, x->type->scalar, end)};
        const FdNode *either[] = {r, lower_op(l, FD_OP_EQ, 2, ends, loc)};
        r = r ? lower_op(l, FD_OP_LOR, 2, either, loc) : either[1];
    }
    return test->negated ? lower_op(l, FD_OP_LNOT, 1, &r, loc) : r;
}

static const FdNode *library_call(Lower *l, const Ast *n, const Builtin *b, int count,
                                  const FdNode *const *values)
{
    if (b->op == FD_OP_RANDOM) return random_uniform(l, n, values);
    if (b->op != FD_OP_NONE && count == fd_op_info(b->op)->arity)
        return operate(l, n, b->op, count, values);
    const Ast *callee = n->kind == AST_CALL ? n->call.callee : n;
    if (b->space == SPACE_func && callee->kind == AST_MEMBER)
        return domain_query(l, n, b, callee->member.base, count ? values[0] : NULL);
    BuiltinTest test;
    if (builtin_tests(b, &test) && count == 1) return test_real(l, &test, values[0], n->loc);
    if (builtin_compares(b) && count == 1 && callee->kind == AST_MEMBER)
        return compare(l, n, callee->member.base, values[0]);
    return lower_fail(l, n->loc, "'%s' cannot be used under bound variables",
                      library_names[b->name]);
}

static const FdNode *application(Lower *l, const Ast *n, int count, const FdNode *const *values)
{
    const Ast *callee = *lower_callee((Ast *)(uintptr_t)n);
    const FdNode *f = lower_expr(l, callee), *args[FD_MAX_PARAMS];
    if (!f) return NULL;
    if (f->type->nparams != count)
        return lower_fail(l, n->loc, "'%s' cannot be applied here", "this value");
    for (int i = 0; i < count; i++)
        args[i] = lower_convert(l, values[i], f->type->params[i], n->loc);
    return lower_place(l, fd_apply(l->fd, f, count, args, lower_loc(l, n->loc)), n->loc);
}

/* A field of a record. */
static const FdNode *member(Lower *l, const Ast *n, const FdNode *base)
{
    if (n->sym && n->sym->kind == SYM_FIELD && base->type->record)
        return lower_place(l, fd_field(l->fd, base, n->sym->field, lower_loc(l, n->loc)), n->loc);
    return lower_fail(l, n->loc, "'%s' cannot be part of a functional expression", n->member.name);
}

/* A method called on `this` reads the fields of the object that the host has at hand. */
static const FdNode *function_call(Lower *l, const Ast *n, int count, const FdNode *const *values)
{
    LowerContext inside;
    const Ast *callee = n->call.callee;
    Ast *base = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    LowerObject own = {n->sym->self, base};
    bool here = base && base->kind == AST_THIS && base->type->kind == TY_OBJECT;
    lower_enter(l, &inside);
    if (here && !inside.object && !inside.sealed) inside.object = &own;
    const FdNode *v = lower_call(l, n->sym, count, values, n->loc);
    lower_leave(l);
    return v;
}

/* The value of operation n for its operands' values. */
static const FdNode *combine(Lower *l, const Ast *n, int count, const FdNode *const *values)
{
    FdOp op = FD_OP_NONE;
    switch (n->kind) {
    case AST_UNARY: op = unary_op(n); break;
    case AST_BINARY: op = binary_op(n->binary.op); break;
    case AST_COND: return lazily(l, n, FD_OP_SELECT, 3, values);
    case AST_CAST:
    case AST_CONVERT:
        return lower_convert(l, values[0],
                             lower_type(l, type_is_functional(n->type) ? n->type->result : n->type),
                             n->loc);
    case AST_MEMBER: return member(l, n, values[0]);
    case AST_NEW: return lower_construct(l, n->sym, count, values, n->loc);
    case AST_CALL:
    case AST_INDEX:
        if (lower_builtin(n)) return library_call(l, n, lower_builtin(n), count, values);
        if (lower_hosted_operands(l, n)) return lower_hosted_call(l, n, count, values);
        if (n->kind == AST_CALL && n->sym && n->sym->kind == SYM_FUNC)
            return function_call(l, n, count, values);
        return application(l, n, count, values);
    default: break;
    }
    if (op == FD_OP_NONE)
        return lower_fail(l, n->loc, "this cannot be part of a functional expression");
    if (op == FD_OP_LAND || op == FD_OP_LOR) return lazily(l, n, op, count, values);
    return operate(l, n, op, count, values);
}

/* Operand i of n, which is not always evaluated if that is a conditional or && or ||. */
static const FdNode *operand_at(Lower *l, const Ast *n, const Ast *operand,
                                const FdNode *const *args)
{
    bool branch =
        n->kind == AST_COND ||
        (n->kind == AST_BINARY && (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR));
    l->nbranches += branch;
    const FdNode *v = args ? lower_at(l, operand, args) : lower_expr(l, operand);
    l->nbranches -= branch;
    return v;
}

/* ---- functions at a point -------------------------------------------------------------------- */

/* Operands of a promoted operation at the point args: equal parameter lists share their part of it,
 * different ones follow each other. */
static const FdNode *promoted_at(Lower *l, const Ast *n, const FdNode *const *args)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    const FdNode *values[LOWER_MAX_OPERANDS];
    int first[LOWER_MAX_OPERANDS], next = 0, count = lower_operands(n, operands);
    for (int i = lower_hosted_operands(l, n); i < count; i++) {
        const Type *t = operands[i]->type;
        if (!type_is_functional(t) || lower_is_passed(n, i)) {
            values[i] = operand_at(l, n, operands[i], NULL);
        } else {
            first[i] = next;
            for (int j = lower_hosted_operands(l, n); j < i; j++)
                if (type_is_functional(operands[j]->type) && !lower_is_passed(n, j) &&
                    type_same_params(operands[j]->type, t)) {
                    first[i] = first[j];
                    break;
                }
            if (first[i] == next) next += t->nparams;
            values[i] = operand_at(l, n, operands[i], args + first[i]);
        }
        if (!values[i]) return NULL;
    }
    return combine(l, n, count, values);
}

/* A function or operation as a value, at a point. */
static const FdNode *group_at(Lower *l, const Ast *n, const FdNode *const *args)
{
    if (n->sym->kind == SYM_FUNC) return lower_call(l, n->sym, n->type->nparams, args, n->loc);
    Ast call = {.kind = AST_CALL, .loc = n->loc, .sym = n->sym, .type = n->type->result};
    call.call.callee = (Ast *)(uintptr_t)n;
    return library_call(l, &call, lower_builtin(n), n->type->nparams, args);
}

const FdNode *lower_at(Lower *l, const Ast *n, const FdNode *const *args)
{
    if (n->res == AST_RES_PROMOTE) return promoted_at(l, n, args);
    if (lower_is_machinery(l, n) && !lower_is_extension(n) && !lower_is_derivative(n)) {
        switch (n->kind) {
        case AST_NAME_REF:
        case AST_MEMBER: return group_at(l, n, args);
        case AST_CONVERT:
        case AST_CAST:
            if (lower_is_invoked(l, n)) break;
            return promoted_at(l, n, args);
        case AST_CALL: {
            const FdNode *values[] = {lower_expr(l, n->call.args.data[0]), args[0]};
            return values[0] ? random_uniform(l, n, values) : NULL;
        }
        default: break;
        }
    }
    const FdNode *f = lower_expr(l, n);
    if (!f) return NULL;
    const FdNode *node = fd_apply(l->fd, f, f->type->nparams, args, lower_loc(l, n->loc));
    return lower_place(l, node, n->loc);
}

/* ---- any expression ------------------------------------------------------------------------ */

static const FdNode *variable(Lower *l, const Ast *n)
{
    if (n->sym && n->sym->fdag && n->sym->kind != SYM_FUNC) return n->sym->fdag;
    return lower_fail(l, n->loc, "'%s' is not known here",
                      n->kind == AST_NAME_REF ? n->name_ref.name : "this");
}

/* default(T) */
static const FdNode *zero(Lower *l, const Ast *n)
{
    const FdType *t = lower_type(l, n->type);
    return t ? lower_zero(l, t) : lower_fail(l, n->loc, "this value cannot be used here");
}

static const FdNode *function(Lower *l, const Ast *n)
{
    if (n->res == AST_RES_PROMOTE) return lower_pointwise(l, n);
    if (lower_is_slice(n)) return lower_slice(l, n);
    if (lower_is_extension(n)) return lower_extension(l, n);
    switch (n->kind) {
    case AST_LET:
    case AST_LAMBDA: return lower_let(l, n);
    case AST_RANGE: return lower_range(l, n);
    case AST_CONVERT:
    case AST_CAST: {
        const Ast *operand = n->kind == AST_CONVERT ? n->convert.operand : n->cast.operand;
        if (lower_is_invoked(l, n)) return lower_invoked(l, n);
        if (!type_is_functional(operand->type))
            return lower_fail(l, n->loc, "this object is not known here");
        bool same = type_same_value(n->type->result, operand->type->result);
        return same ? lower_expr(l, operand) : lower_pointwise(l, n);
    }
    case AST_NAME_REF: return lower_is_machinery(l, n) ? lower_pointwise(l, n) : variable(l, n);
    case AST_MEMBER:
        if (lower_is_machinery(l, n)) return lower_pointwise(l, n);
        return lower_outer_field(l, n);
    case AST_BINARY:
        if (n->binary.op == AST_OP_COALESCE) return lower_coalesce(l, n);
        break;
    case AST_CALL:
        if (lower_is_machinery(l, n)) return lower_pointwise(l, n);
        break;
    case AST_NEW_ARRAY:
    case AST_INIT_LIST:
        if (lower_is_listed(n)) return lower_listed(l, n);
        break;
    default: break;
    }
    if (n->kind != AST_CALL && n->kind != AST_INDEX)
        return lower_fail(l, n->loc,
                          "this function cannot depend on bound variables or parameters");
    const Ast *operands[LOWER_MAX_OPERANDS];
    const FdNode *values[LOWER_MAX_OPERANDS];
    int count = lower_operands(n, operands);
    for (int i = lower_hosted_operands(l, n); i < count; i++)
        if (!(values[i] = operand_at(l, n, operands[i], NULL))) return NULL;
    return combine(l, n, count, values);
}

const FdNode *lower_expr(Lower *l, const Ast *n)
{
    if (n->is_const && n->type->kind == TY_SCALAR)
        return fd_const(l->fd, n->type->scalar, n->value);
    if (lower_is_captured(l, n)) return lower_capture(l, n);
    if (lower_is_derivative(n)) return lower_derivative(l, n);
    if (type_is_functional(n->type)) return function(l, n);
    if (!lower_type(l, n->type)) return lower_no_type(l, n);
    switch (n->kind) {
    case AST_NAME_REF:
    case AST_THIS: return variable(l, n);
    case AST_DEFAULT: return zero(l, n);
    case AST_REDUCE: return lower_reduce(l, n);
    case AST_INDEX:
        if (lower_is_slice(n)) return lower_slice(l, n);
        break;
    case AST_CALL:
        if (lower_is_fold(n)) return lower_fold(l, n);
        if (n->res == AST_RES_REDUCE) return lower_reduce(l, n);
        break;
    case AST_MEMBER:
        if (lower_builtin(n)) return library_call(l, n, lower_builtin(n), 0, NULL);
        if (lower_is_static(n) || n->member.base->type->kind == TY_OBJECT)
            return lower_outer_field(l, n);
        break;
    case AST_IS: return is_null(l, n);
    case AST_ASSIGN:
    case AST_INCDEC: return lower_fail(l, n->loc, "an assignment inside an expression");
    default: break;
    }
    const Ast *operands[LOWER_MAX_OPERANDS];
    const FdNode *values[LOWER_MAX_OPERANDS] = {0};
    int count = lower_operands(n, operands);
    for (int i = lower_hosted_operands(l, n); i < count; i++)
        if (!(values[i] = operand_at(l, n, operands[i], NULL))) return NULL;
    return combine(l, n, count, values);
}
