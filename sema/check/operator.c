/* Operators and conditionals: C#'s numeric promotion, string concatenation, and promotion
 * over functional operands. Afterwards the operands' result types are what the operation takes.
 */
#include "check.h"

static bool is_shift(AstOp op)
{
    return op == AST_OP_SHL || op == AST_OP_SHR || op == AST_OP_USHR;
}

static bool is_equality(AstOp op)
{
    return op == AST_OP_EQ || op == AST_OP_NE;
}

static bool is_compare(AstOp op)
{
    return is_equality(op) || op == AST_OP_LT || op == AST_OP_LE || op == AST_OP_GT ||
           op == AST_OP_GE;
}

static bool is_bits(AstOp op)
{
    return op == AST_OP_AND || op == AST_OP_OR || op == AST_OP_XOR;
}

static bool is_logic(AstOp op)
{
    return op == AST_OP_LAND || op == AST_OP_LOR;
}

static bool is_integral(const Type *t)
{
    return type_is_numeric(t) && !scalar_is_real(t->scalar);
}

/* An overloaded function as operand: the overload with the other operand's result, or the only one.
 */
static void settle_group(Sema *s, Ast **slot, const Type *want)
{
    Ast *e = *slot;
    if (e->type->kind != TY_GROUP) return;
    Candidates set = {0};
    if (e->sym && e->sym->kind == SYM_FUNC) set = candidates_of_user(s, e->sym);
    if (e->sym && e->sym->kind == SYM_BUILTIN)
        set = candidates_of_library(s, e->sym->builtin, false);
    const Candidate *found = NULL;
    int fits = 0;
    for (int i = 0; i < set.len; i++) {
        const Candidate *c = &set.data[i];
        if (!c->result || c->result->kind != TY_SCALAR || (want && c->result != want)) continue;
        found = c;
        fits++;
    }
    if (fits != 1) {
        report(s, e->loc, NOT_A_VALUE, "which overload of '%s' is meant is not clear here",
               type_text(s->arena, e->type));
        report_note(s, NOWHERE, "a cast to a functional type says it, as in (float(float)) f");
        e->type = s->error;
        return;
    }
    convert_to(s, slot, type_func(s->types, found->result, found->nparams, found->params), NULL);
}

static void check_operand(Sema *s, Ast **slot, const Type *hint)
{
    if (check_expr(s, slot, hint)->kind != TY_GROUP) require_value(s, *slot);
}

/* ---- unary ------------------------------------------------------------------------------ */

static const Type *unary_type(Sema *s, AstOp op, const Type *t)
{
    if (op == AST_OP_NOT) return t == s->boolean ? t : NULL;
    if (op == AST_OP_BITNOT && type_is_enum(t)) return t;
    if (!type_is_numeric(t) || (op == AST_OP_BITNOT && !is_integral(t))) return NULL;
    if (op == AST_OP_NEG && type_is_scalar(t, SC_UINT)) return s->longs;
    if (op == AST_OP_NEG && type_is_scalar(t, SC_ULONG)) return NULL;
    return common_numeric(s, t, t);
}

void check_unary(Sema *s, Ast *n, const Type *hint)
{
    Ast **operand = &n->unary.operand;
    if (n->unary.op == AST_OP_OUT && (*operand)->kind == AST_DECL_EXPR) {
        check_out_variable(s, *operand, hint);
        n->type = (*operand)->type;
        return;
    }
    if (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT) {
        check_target(s, operand, n->unary.lent ? "lent" : "passed by reference");
        n->type = (*operand)->type;
        return;
    }
    if (n->unary.op == AST_OP_NEG && (*operand)->kind == AST_INT_LIT)
        constant_literal(s, *operand, true);
    else
        check_operand(s, operand, hint);
    settle_group(s, operand, NULL);
    const Type *t = (*operand)->type;
    n->type = s->error;
    if (t == s->error || nullable_unary(s, n) || user_unary(s, n)) return;
    user_operand(s, operand);
    t = object_function(s, operand);
    const Type *to = unary_type(s, n->unary.op, result_of(t));
    if (!to) {
        report(s, n->loc, OPERANDS, "operator '%s' does not exist for '%s'",
               ast_op_text(n->unary.op), type_text(s->arena, t));
        return;
    }
    convert_result(s, operand, to, NULL);
    if (type_is_functional(t)) n->res = AST_RES_PROMOTE;
    n->type = promoted_type(s, n->loc, to, operand, 1);
    if (n->res == AST_RES_NONE) n->type = to;
    constant_fold(n);
}

/* ---- binary ----------------------------------------------------------------------------- */

/* A constant int beside an unsigned takes its type; an unsuffixed real literal beside a float or
 * half too. */
static const Type *adapt(Sema *s, Ast *literal, const Type *other)
{
    if (other->kind != TY_SCALAR) return NULL;
    if (type_is_enum(other)) /* 0 is a value of every enum */
        return convert_class(s, literal, other) == CONV_WIDEN ? other : NULL;
    bool narrow = other->scalar == SC_FLOAT || other->scalar == SC_HALF;
    if (narrow && literal_adapts(literal)) {
        literal_retype(s, literal, other);
        return other;
    }
    bool wide = other->scalar == SC_UINT || other->scalar == SC_ULONG;
    return wide && literal->type != other && constant_fits(literal, other->scalar) ? other : NULL;
}

/* The type that both operands convert to; NULL if the operator does not exist. */
static const Type *operand_type(Sema *s, Ast *n)
{
    AstOp op = n->binary.op;
    const Type *l = result_of(n->binary.left->type), *r = result_of(n->binary.right->type);
    if (is_logic(op)) return l == s->boolean && r == s->boolean ? l : NULL;
    if ((is_bits(op) || is_equality(op)) && l == s->boolean && r == s->boolean) return l;
    if ((is_bits(op) || is_compare(op)) && l == r && type_is_enum(l)) return l;
    if (is_equality(op) && l == s->string && r == s->string && l == n->binary.left->type &&
        r == n->binary.right->type)
        return l;
    const Type *t = adapt(s, n->binary.left, r);
    if (!t) t = adapt(s, n->binary.right, l);
    if (!t) t = common_numeric(s, l, r);
    if (t && is_bits(op) && !is_integral(t)) return NULL;
    return t;
}

static void report_operands(Sema *s, const Ast *n)
{
    const Type *l = n->binary.left->type, *r = n->binary.right->type;
    report(s, n->loc, OPERANDS, "operator '%s' does not exist for '%s' and '%s'",
           ast_op_text(n->binary.op), type_text(s->arena, l), type_text(s->arena, r));
    if (is_logic(n->binary.op) && (type_is_numeric(l) || type_is_numeric(r)))
        report_note(s, NOWHERE, "numbers are no conditions: compare with 0");
}

static void check_shift(Sema *s, Ast *n)
{
    const Type *l = result_of(n->binary.left->type), *r = result_of(n->binary.right->type);
    if (!is_integral(l) || !is_integral(r) ||
        (r != s->integer && !scalar_widens(r->scalar, SC_INT))) {
        report_operands(s, n);
        n->type = s->error;
        return;
    }
    convert_result(s, &n->binary.left, common_numeric(s, l, l), NULL);
    convert_result(s, &n->binary.right, s->integer, NULL);
    n->type = common_numeric(s, l, l);
}

static bool check_concat(Sema *s, Ast *n)
{
    bool string = n->binary.left->type == s->string || n->binary.right->type == s->string;
    if (n->binary.op != AST_OP_ADD || !string) return false;
    convert_string(s, &n->binary.left);
    convert_string(s, &n->binary.right);
    n->type = s->string;
    return true;
}

/* The type of both branches, as scalars or results; NULL if there is none. */
static const Type *branch_type(Sema *s, Ast *a, Ast *b)
{
    const Type *x = result_of(a->type), *y = result_of(b->type);
    if (x == y) return x;
    const Type *t = tuple_common(s, a, b);
    if (!t) t = adapt(s, a, y);
    if (!t) t = adapt(s, b, x);
    if (t) return t;
    bool ab = convert_result_class(s, a, y) != CONV_NONE;
    bool ba = convert_result_class(s, b, x) != CONV_NONE;
    if (ab && ba) return common_numeric(s, x, y);
    return ab ? y : ba ? x : NULL;
}

/* The name of what is read, f of f(i); NULL: nothing that has a name. */
static const Ast *name_read(const Ast *n)
{
    bool read = n->kind == AST_CALL && n->res == AST_RES_APPLY;
    return read && n->call.callee->kind == AST_NAME_REF ? n->call.callee : NULL;
}

/* f ?? g: f where it is defined, else g; of references: g if f is null. */
static void check_coalesce(Sema *s, Ast *n)
{
    Ast **l = &n->binary.left, **r = &n->binary.right;
    const Type *a = (*l)->type, *b = (*r)->type, *t = NULL;
    if (type_is_functional(a) && type_is_functional(b)) {
        const Type *result = type_same_params(a, b) ? branch_type(s, *l, *r) : NULL;
        if (result) t = type_func(s->types, result, a->nparams, a->params);
        if (result && convert_result(s, l, result, NULL) && convert_result(s, r, result, NULL))
            n->type = t;
    } else if (a->kind == TY_NULL || b->kind == TY_NULL ||
               (!type_is_functional(a) && type_is_ref(a))) {
        if (convert_class(s, *r, a) != CONV_NONE) t = a;
        if (!t && a->kind == TY_NULL) t = b;
        if (!t && convert_class(s, *l, b) != CONV_NONE) t = b;
        if (t && convert_to(s, l, t, NULL) && convert_to(s, r, t, NULL)) n->type = t;
    }
    if (t) return;
    report_operands(s, n);
    const Ast *read = name_read(*l), *otherwise = name_read(*r);
    if (read)
        report_note(s, NOWHERE,
                    "Constant(%s, v)(..) is v where %s has no element; ?? is of functions, %s ?? g",
                    read->name_ref.name, read->name_ref.name, read->name_ref.name);
    else if (otherwise && b->kind == TY_SCALAR)
        report_note(s, NOWHERE, "?? is of functions, not of their elements: (let(..) e) ?? %s",
                    otherwise->name_ref.name);
    else
        report_note(s, NOWHERE,
                    "?? takes references, or functions with equal parameters and results");
}

static void operate(Sema *s, Ast *n);

/* Arithmetic of enums, done in numbers: `e + 1` is (E) ((int) e + 1), and so is 1 + e; the
 * difference of two is a number. False if this is no such operation. */
static bool enum_arithmetic(Sema *s, Ast *n)
{
    AstOp op = n->binary.op;
    const Type *l = result_of(n->binary.left->type), *r = result_of(n->binary.right->type);
    bool left = type_is_enum(l), right = type_is_enum(r), both = left && right;
    if ((!left && !right) || (op != AST_OP_ADD && op != AST_OP_SUB)) return false;
    if (both ? op == AST_OP_ADD || l != r : right && op == AST_OP_SUB) return false;
    const Type *number = type_scalar(s->types, (left ? l : r)->scalar);
    Ast **other = left ? &n->binary.right : &n->binary.left;
    if (!both && convert_result_class(s, *other, number) == CONV_NONE) return false;
    if (!both) convert_result(s, other, number, NULL);
    cast_result(s, &n->binary.left, number);
    cast_result(s, &n->binary.right, number);
    Ast *sum = arena_copy(s->arena, n, sizeof *n);
    operate(s, sum);
    cast_result(s, &sum, both ? number : left ? l : r);
    *n = *sum;
    return true;
}

/* a >>> n   is   (T) ((unsigned T) a >> n): of an unsigned a it is a >> n. */
static void check_unsigned_shift(Sema *s, Ast *n)
{
    const Type *t = result_of(n->binary.left->type);
    n->binary.op = AST_OP_SHR;
    if (!is_integral(t) || !scalar_is_signed(t->scalar)) {
        operate(s, n);
        return;
    }
    t = common_numeric(s, t, t);
    convert_result(s, &n->binary.left, t, NULL);
    cast_result(s, &n->binary.left, type_scalar(s->types, t == s->longs ? SC_ULONG : SC_UINT));
    Ast *shifted = arena_copy(s->arena, n, sizeof *n);
    operate(s, shifted);
    cast_result(s, &shifted, t);
    *n = *shifted;
}

/* a ?? throw e */
static void check_coalesced_throw(Sema *s, Ast *n)
{
    const Type *t = n->binary.left->type;
    n->type = s->error;
    if (t == s->error || nullable_coalesce(s, n)) return;
    if (check_thrown(s, n->binary.right, t) == s->error) return;
    if (!type_is_nullable(t) || t->kind == TY_NULL)
        report(s, n->binary.left->loc, NEVER_NULL, "a '%s' is never null: leave the ?? out",
               type_text(s->arena, t));
    else
        n->type = t;
}

static bool is_default(const Ast *n)
{
    return n->kind == AST_DEFAULT && !n->default_.target;
}

void check_binary(Sema *s, Ast *n, const Type *hint)
{
    (void)hint;
    bool literal = n->binary.left->kind == AST_TUPLE || /* takes its types from the other */
                   is_default(n->binary.left);
    Ast **first = literal ? &n->binary.right : &n->binary.left;
    Ast **second = literal ? &n->binary.left : &n->binary.right;
    check_operand(s, first, NULL);
    if (n->binary.op == AST_OP_COALESCE && (*second)->kind == AST_THROW) {
        check_coalesced_throw(s, n);
        return;
    }
    bool wants = (*second)->kind == AST_TUPLE || is_default(*second) || /* f ?? (x => ..) */
                 ((*second)->kind == AST_LAMBDA && n->binary.op == AST_OP_COALESCE);
    check_operand(s, second, wants ? (*first)->type : NULL);
    binary_checked(s, n);
}

void binary_checked(Sema *s, Ast *n)
{
    if (n->binary.left->type->kind == TY_GROUP && n->binary.right->type->kind == TY_GROUP)
        settle_group(s, &n->binary.right, NULL);
    settle_group(s, &n->binary.left, result_of(n->binary.right->type));
    settle_group(s, &n->binary.right, result_of(n->binary.left->type));
    operate(s, n);
}

/* x == null in generic code, of an instance whose x is never null. */
static bool never_null(Sema *s, Ast *n)
{
    const Ast *l = n->binary.left, *r = n->binary.right, *x = l->kind == AST_NULL_LIT ? r : l;
    if (!s->instance || !is_equality(n->binary.op) || l->kind == r->kind) return false;
    if (l->kind != AST_NULL_LIT && r->kind != AST_NULL_LIT) return false;
    if (!is_repeatable(x) || type_is_nullable(x->type) || nullable_of(x->type)) return false;
    n->type = s->boolean;
    n->is_const = true;
    n->value.i = n->binary.op == AST_OP_NE;
    return true;
}

/* The operation on checked operands. */
static void operate(Sema *s, Ast *n)
{
    AstOp op = n->binary.op;
    const Type *l = n->binary.left->type, *r = n->binary.right->type;
    n->type = s->error;
    if (l == s->error || r == s->error) return;
    if (op == AST_OP_COALESCE) {
        if (!nullable_coalesce(s, n)) check_coalesce(s, n);
        return;
    }
    if (never_null(s, n) || array_is_null(s, n)) return;
    if (l == r && l->kind == TY_FUNC && l->result == s->voids &&
        (op == AST_OP_ADD || op == AST_OP_SUB)) {
        n->type = l; /* calls both, or one less */
        return;
    }
    const Type *tuple = is_equality(op) ? tuple_common(s, n->binary.left, n->binary.right) : NULL;
    if (tuple) {
        convert_result(s, &n->binary.left, tuple, NULL);
        convert_result(s, &n->binary.right, tuple, NULL);
    }
    /* a + "x" is a's operator before it is text, as in C# */
    bool text = op == AST_OP_ADD && (l == s->string || r == s->string);
    if (text && user_binary(s, n)) return;
    if (check_concat(s, n) || nullable_binary(s, n) || user_binary(s, n) || enum_arithmetic(s, n))
        return;
    user_operand(s, &n->binary.left);
    user_operand(s, &n->binary.right);
    l = object_function(s, &n->binary.left);
    r = object_function(s, &n->binary.right);
    if (op == AST_OP_USHR) {
        check_unsigned_shift(s, n);
        return;
    }
    if (is_shift(op)) {
        check_shift(s, n);
        if (n->type == s->error) return;
    } else {
        const Type *t = operand_type(s, n);
        if (!t) {
            report_operands(s, n);
            return;
        }
        convert_result(s, &n->binary.left, t, NULL);
        convert_result(s, &n->binary.right, t, NULL);
        n->type = is_compare(op) ? s->boolean : t;
        const Ast *d = n->binary.right;
        if ((op == AST_OP_DIV || op == AST_OP_REM) && is_integral(t) && d->is_const &&
            d->value.i == 0)
            report(s, n->loc, CONSTANT_VALUE, "division by the constant zero");
    }
    if (type_is_functional(l) || type_is_functional(r)) {
        n->res = AST_RES_PROMOTE;
        Ast *args[] = {n->binary.left, n->binary.right};
        n->type = promoted_type(s, n->loc, n->type, args, 2);
    }
    constant_fold(n);
}

/* ---- conditional ------------------------------------------------------------------------ */

/* Of a value. False: there is an error. */
static bool to_condition(Sema *s, Ast **slot)
{
    user_truth(s, slot);
    return (*slot)->type != s->error && convert_to(s, slot, s->boolean, "the condition");
}

/* Do both branches convert to the type that is wanted? */
static bool both_convert(Sema *s, const Ast *n, const Type *hint)
{
    return hint && hint != s->error && convert_class(s, n->cond.then, hint) != CONV_NONE &&
           convert_class(s, n->cond.other, hint) != CONV_NONE;
}

void check_cond(Sema *s, Ast *n, const Type *hint)
{
    bool no_then = n->cond.then->kind == AST_THROW, no_other = n->cond.other->kind == AST_THROW;
    const Type *c = check_value(s, &n->cond.cond, NULL);
    const Type *a = no_then ? NULL : check_value(s, &n->cond.then, hint);
    const Type *b = no_other ? NULL : check_value(s, &n->cond.other, hint);
    if (!a && !b) report(s, n->loc, NEEDS_TYPE, "both branches throw: write an if and a throw");
    if (!a) a = check_thrown(s, n->cond.then, b ? b : s->error);
    if (!b) b = check_thrown(s, n->cond.other, a);
    n->type = s->error;
    if (c == s->error || a == s->error || b == s->error) return;
    if (result_of(c) != s->boolean) {
        if (!to_condition(s, &n->cond.cond)) return;
        c = n->cond.cond->type;
    }
    if (hint && nullable_of(hint) && a != b && both_convert(s, n, hint)) { /* b ? 1 : null */
        convert_to(s, &n->cond.then, hint, NULL);
        convert_to(s, &n->cond.other, hint, NULL);
        a = b = hint;
    }
    if (c == s->boolean && a == b) {
        n->type = a;
        constant_fold(n);
        return;
    }
    if (!branch_type(s, n->cond.then, n->cond.other)) {
        a = object_function(s, &n->cond.then);
        b = object_function(s, &n->cond.other);
    }
    const Type *t = branch_type(s, n->cond.then, n->cond.other);
    bool none = !t || (!type_is_value(t) && (type_is_functional(a) || type_is_functional(b)));
    if (none && c == s->boolean && both_convert(s, n, hint)) {
        convert_to(s, &n->cond.then, hint, NULL);
        convert_to(s, &n->cond.other, hint, NULL);
        n->type = hint;
        return;
    }
    if (none) {
        report(s, n->loc, OPERANDS, "the branches have no common type: '%s' and '%s'",
               type_text(s->arena, a), type_text(s->arena, b));
        return;
    }
    if (c == s->boolean && type_same_params(a, b)) { /* one function or the other */
        const Type *f = type_func(s->types, t, a->nparams, a->params);
        convert_to(s, &n->cond.then, f, NULL);
        convert_to(s, &n->cond.other, f, NULL);
        n->type = f;
        return;
    }
    convert_result(s, &n->cond.then, t, NULL);
    convert_result(s, &n->cond.other, t, NULL);
    n->type = t;
    if (type_is_functional(c) || type_is_functional(a) || type_is_functional(b)) {
        n->res = AST_RES_PROMOTE;
        Ast *args[] = {n->cond.cond, n->cond.then, n->cond.other};
        n->type = promoted_type(s, n->loc, t, args, 3);
    }
    constant_fold(n);
}

void check_condition(Sema *s, Ast **slot)
{
    if (check_value(s, slot, NULL) != s->error) to_condition(s, slot);
}
