/* User operators and conversions: static methods of classes that the operators and conversions of
 * the language find; and what references have: == and != of objects, null.
 */
#include "../check/check.h"

#include <string.h>

/* ---- operators ------------------------------------------------------------------------------ */

/* The overloads of an operator in the classes of both operands. */
static Candidates operators(Sema *s, const char *name, const Type *a, const Type *b)
{
    Class *of[2] = {class_of(result_of(a)), b ? class_of(result_of(b)) : NULL};
    if (of[0] == of[1]) of[1] = NULL;
    Candidates set = {.name = name}, each[2] = {0};
    int n = 0;
    for (int i = 0; i < 2; i++) {
        if (of[i]) each[i] = candidates_of_methods(s, of[i], intern_cstr(s->names, name));
        n += each[i].len;
    }
    set.data = arena_array(s->arena, Candidate, n ? n : 1);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < each[i].len; k++) {
            bool twice = false; /* inherited by both */
            for (int j = 0; j < set.len; j++)
                twice = twice || set.data[j].sym == each[i].data[k].sym;
            if (!twice && each[i].data[k].nparams == (b ? 2 : 1))
                set.data[set.len++] = each[i].data[k];
        }
    return set;
}

/* Does some overload take the operands, functions of them too? */
static bool call_operator(Sema *s, Ast *n, Candidates set, AstList args, bool required)
{
    if (!set.len) return false;
    Fit fit;
    if (!required) {
        s->quiet++;
        int errors = s->quiet_errors;
        const Candidate *c = resolve(s, n, set, args, &fit);
        s->quiet_errors = errors;
        s->quiet--;
        if (!c) return false;
    }
    const Candidate *c = resolve(s, n, set, args, &fit);
    n->type = s->error;
    if (!c) return true;
    resolve_apply(s, c, fit, args, n->loc);
    call_static(s, n, c->sym, args);
    if (fit != FIT_PROMOTED) return true;
    n->res = AST_RES_PROMOTE;
    n->type = promoted_call(s, n->loc, c->result, c, NULL, args);
    return true;
}

bool user_unary(Sema *s, Ast *n)
{
    const Type *t = n->unary.operand->type;
    if (!class_of(result_of(t))) return false;
    const char *name = arena_printf(s->arena, "operator%s", ast_op_text(n->unary.op));
    AstList args = ast_list_add(s->arena, (AstList){0}, n->unary.operand);
    return call_operator(s, n, operators(s, name, t, NULL), args, false);
}

bool user_truth(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    if (!class_of(n->type)) return false;
    Candidates set = operators(s, "operatortrue", n->type, NULL);
    Ast *call = ast_new(s->arena, AST_CALL, n->loc);
    if (!call_operator(s, call, set, ast_list_add(s->arena, (AstList){0}, n), true)) return false;
    *slot = call;
    return true;
}

/* `a op= b`: the method on n->sym where its result is the target's type and the target is taken as
 * it is; else the name of a variable is written out, a = a op b. */
bool user_compound(Sema *s, Ast *n)
{
    Ast *target = n->assign.target, *value = n->assign.value;
    if (!class_of(target->type) && !class_of(value->type)) return false;
    Ast probe = {.kind = AST_BAD, .loc = target->loc, .type = target->type};
    Ast *sum = tree_binary(s, n->loc, n->assign.op, &probe, ast_clone(s->arena, value));
    if (!user_binary(s, sum)) return false;
    if (sum->kind != AST_CALL || sum->type == s->error) return sum->type == s->error;
    Ast **args = sum->call.args.data;
    if (args[0] == &probe && sum->type == target->type && sum->res == AST_RES_NONE) {
        n->sym = sum->sym;
        n->assign.value = args[1];
        return true;
    }
    if (target->kind != AST_NAME_REF) return false;
    n->assign.value = tree_binary(s, n->loc, n->assign.op, ast_clone(s->arena, target), value);
    n->assign.op = AST_OP_NONE;
    user_binary(s, n->assign.value);
    convert_to(s, &n->assign.value, target->type, NULL);
    return true;
}

bool is_repeatable(const Ast *n)
{
    switch (n->kind) {
    case AST_NAME_REF:
    case AST_TYPE_NAME:
    case AST_INT_LIT:
    case AST_THIS: return true;
    case AST_MEMBER: return is_repeatable(n->member.base);
    case AST_BINARY: return is_repeatable(n->binary.left) && is_repeatable(n->binary.right);
    case AST_INDEX:
        for (int i = 0; i < n->index.args.len; i++)
            if (!is_repeatable(n->index.args.data[i])) return false;
        return is_repeatable(n->index.base);
    default: return false;
    }
}

/* ++x is x = operator++(x); for x++ and where x is not to be found twice the operator stands on n->sym. */
bool user_step(Sema *s, Ast *n, Ast *again)
{
    Ast *target = n->incdec.target;
    const char *name = n->incdec.op == AST_OP_ADD ? "operator++" : "operator--";
    const Type *inner = nullable_of(target->type); /* int? has them by its class */
    if (inner && !type_is_numeric(inner) && !type_is_enum(inner) &&
        !operators(s, name, inner, NULL).len)
        return false;
    if (!class_of(target->type)) return false;
    Candidates set = operators(s, name, target->type, NULL);
    if (!set.len) return false;
    n->type = s->error;
    bool once = n->incdec.postfix || !is_repeatable(again);
    Ast probe = {.kind = AST_BAD, .loc = target->loc, .type = target->type};
    if (once)
        again = &probe;
    else
        check_value(s, &again, NULL);
    Ast *value = ast_new(s->arena, AST_CALL, n->loc);
    if (!call_operator(s, value, set, ast_list_add(s->arena, (AstList){0}, again), true) ||
        value->type == s->error)
        return true;
    if (!once) {
        if (!convert_to(s, &value, target->type, NULL)) return true;
        n->kind = AST_ASSIGN;
        n->assign.op = AST_OP_NONE;
        n->assign.target = target;
        n->assign.value = value;
    } else if (value->kind == AST_CALL && value->type == target->type &&
               value->call.args.data[0] == &probe) {
        n->sym = value->sym;
    } else {
        report(s, n->loc, OPERANDS, "%s of '%s' must take a '%s' and return one", name,
               type_text(s->arena, target->type), type_text(s->arena, target->type));
        return true;
    }
    n->type = target->type;
    return true;
}

/* ---- references ----------------------------------------------------------------------------- */

static bool is_reference(const Type *t)
{
    return t->kind == TY_OBJECT || t->kind == TY_NULL;
}

/* == and != of functions of the host, which have no values to compare: are they the same? */
static bool compare_functions(Sema *s, Ast *n)
{
    const Type *a = n->binary.left->type, *b = n->binary.right->type;
    bool equality = n->binary.op == AST_OP_EQ || n->binary.op == AST_OP_NE;
    if (!equality || a != b || a->kind != TY_FUNC || !type_is_hosted(a)) return false;
    n->type = s->boolean;
    return true;
}

/* == and != of objects: both become of one class. */
static bool compare_references(Sema *s, Ast *n)
{
    Ast **l = &n->binary.left, **r = &n->binary.right;
    const Type *a = (*l)->type, *b = (*r)->type;
    const Type *other = a->kind == TY_NULL ? b : b->kind == TY_NULL ? a : s->error;
    bool unset = other == s->string || other->kind == TY_FUNC; /* compared with null alone */
    if (n->binary.op != AST_OP_EQ && n->binary.op != AST_OP_NE) return false;
    if (!unset && (!is_reference(a) || !is_reference(b))) return false;
    n->type = s->boolean;
    if (a->kind == TY_NULL && b->kind == TY_NULL) {
        report(s, n->loc, OPERANDS, "null is compared with null");
        return true;
    }
    if (convert_class(s, *l, b) != CONV_NONE) return convert_to(s, l, b, NULL), true;
    if (convert_class(s, *r, a) != CONV_NONE) return convert_to(s, r, a, NULL), true;
    return false;
}

/* In an instance of a generic, `x == null` may be asked of a value: it is false. */
static bool compare_value(Sema *s, Ast *n)
{
    const Type *a = n->binary.left->type, *b = n->binary.right->type;
    bool null = a->kind == TY_NULL || b->kind == TY_NULL;
    if (!null || (n->binary.op != AST_OP_EQ && n->binary.op != AST_OP_NE)) return false;
    const Type *t = a->kind == TY_NULL ? b : a;
    n->type = s->boolean;
    if (!s->instance) report(s, n->loc, NEVER_NULL, "a '%s' is never null", type_text(s->arena, t));
    bool value = n->binary.op == AST_OP_NE;
    n->kind = AST_BOOL_LIT;
    n->bool_lit.value = value;
    n->is_const = true;
    n->value = (ScalarValue){.i = value};
    return true;
}

bool user_binary(Sema *s, Ast *n)
{
    const Type *a = n->binary.left->type, *b = n->binary.right->type;
    bool null = a->kind == TY_NULL || b->kind == TY_NULL;
    const Ast *r = n->binary.right;
    bool plain = r->kind == AST_NULL_LIT && r->null_lit.plain;
    bool set = null && (a->kind == TY_FUNC || b->kind == TY_FUNC);
    if (!set && !plain && (class_of(result_of(a)) || class_of(result_of(b)))) {
        const char *name = arena_printf(s->arena, "operator%s", ast_op_text(n->binary.op));
        AstList args = ast_list_add(s->arena, (AstList){0}, n->binary.left);
        args = ast_list_add(s->arena, args, n->binary.right);
        if (call_operator(s, n, operators(s, name, a, b), args, false)) return true;
    }
    return compare_references(s, n) || compare_functions(s, n) || compare_value(s, n);
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* A function as an array of its values, also of tuples with other names. */
static bool evaluates(Sema *s, const Type *from, const Type *to)
{
    if (!type_is_functional(from) || to->kind != TY_ARRAY) return false;
    bool same =
        from->result == to->result || (type_is_tuple(from->result) && type_is_tuple(to->result));
    Ast like = {.kind = AST_BAD, .type = from};
    return same && type_same_params(from, to) && convert_class(s, &like, to) != CONV_NONE;
}

Symbol *user_next_conversion(Sema *s, const Class *c, const char *name, const Symbol *last)
{
    Symbol *f = last ? last->next : c ? member_own(c->sym, intern_cstr(s->names, name)) : NULL;
    while (f && (f->kind != SYM_FUNC || !f->type || f->type->nparams != 1)) f = f->next;
    return f;
}

/* Those that fit exactly on both sides are meant before those that need another conversion. */
static Symbol *conversion_of(Sema *s, const Class *cls, const char *name, const Type *from,
                             const Type *to)
{
    Symbol *found = NULL, *f = NULL;
    while ((f = user_next_conversion(s, cls, name, f))) {
        if (f->type->result != to) continue;
        if (f->type->params[0] == from) return f;
        if (!found && evaluates(s, from, f->type->params[0])) found = f;
        Ast like = {.kind = AST_BAD, .type = from};
        bool widens = from->kind == TY_SCALAR && f->type->params[0]->kind == TY_SCALAR &&
                      convert_class(s, &like, f->type->params[0]) != CONV_NONE;
        const Type *p = f->type->params[0];
        if (widens && (!found || scalar_widens(p->scalar, found->type->params[0]->scalar)))
            found = f;
        bool tuples = type_is_tuple(from) && type_is_tuple(p); /* with other names */
        if (!found && tuples && convert_class(s, &like, p) != CONV_NONE) found = f;
    }
    return found;
}

void user_operand(Sema *s, Ast **slot)
{
    const Type *from = result_of((*slot)->type), *to = NULL;
    const Class *cls = nullable_of(from) ? NULL : class_of(from);
    const Symbol *f = NULL;
    while ((f = user_next_conversion(s, cls, "implicit", f))) {
        if (f->type->params[0] != from || f->type->result->kind != TY_SCALAR) continue;
        if (to) return; /* which is meant is not clear */
        to = f->type->result;
    }
    if (to) convert_result(s, slot, to, NULL);
}

Symbol *user_conversion(Sema *s, const Type *from, const Type *to, bool explicitly)
{
    const Class *of[2] = {class_of(from), class_of(to)};
    for (int kind = 0; kind < (explicitly ? 2 : 1); kind++)
        for (int i = 0; i < 2; i++) {
            const char *name = kind ? "explicit" : "implicit";
            Symbol *f = conversion_of(s, of[i], name, from, to);
            if (f) return f;
        }
    Symbol *box = box_conversion(s, from, to, explicitly);
    return box ? box : tuple_conversion(s, from, to);
}

static bool is_span(Sema *s, const Class *c)
{
    const Symbol *g = scope_library(s, SYM_TYPE, "Span");
    return g && c && c->sym->instance && c->sym->instance->of == g;
}

static bool is_place(const Ast *n)
{
    return n->kind == AST_NAME_REF || n->kind == AST_MEMBER || n->kind == AST_INDEX;
}

void user_convert(Sema *s, Ast **slot, Symbol *conversion)
{
    AstList args = ast_list_add(s->arena, (AstList){0}, *slot);
    const Type *from = (*slot)->type, *to = conversion->type->params[0];
    bool whole = type_is_functional(to); /* takes the function itself */
    if (whole && is_span(s, conversion->cls) && is_place(*slot))
        report(
            s, (*slot)->loc, CONVERSION,
            "a Span of this array would change a copy: write ReadOnlySpan<T> to read it, or pass "
            "it by ref");
    if (whole)
        convert_to(s, &args.data[0], to, NULL);
    else
        convert_result(s, &args.data[0], to, NULL);
    Ast *n = ast_new(s->arena, AST_CALL, (*slot)->loc);
    call_static(s, n, conversion, args);
    *slot = n;
    if (whole || !type_is_functional(from)) return;
    n->res = AST_RES_PROMOTE;
    n->type = type_func(s->types, n->type, from->nparams, from->params);
    pure_need(s, conversion, n->loc, "is promoted over a function");
}
