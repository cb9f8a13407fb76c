/* Casts: between numbers and enums, of the results of functions too, between objects, and those that
 * classes declare. */
#include "check.h"

void cast_result(Sema *s, Ast **slot, const Type *to)
{
    Ast *e = *slot;
    if (result_of(e->type) == to) return;
    Ast *n = ast_new(s->arena, AST_CAST, e->loc);
    n->cast.operand = e;
    n->cast.target = type_node(s, e->loc, to);
    n->type = to;
    if (type_is_functional(e->type)) {
        n->res = AST_RES_PROMOTE;
        n->type = type_func(s->types, to, e->type->nparams, e->type->params);
    }
    constant_fold(n);
    *slot = n;
}

static bool castable(const Sema *s, const Type *from, const Type *to)
{
    bool numbers =
        (type_is_numeric(from) || type_is_enum(from)) && (type_is_numeric(to) || type_is_enum(to));
    return from == to || (from != s->error && numbers);
}

/* Casts of objects and user conversions; what converts implicitly needs no cast below. */
static bool cast_class(Sema *s, Ast *n, const Type *from, const Type *to)
{
    const Type *value = type_is_functional(to) ? from : result_of(from);
    if (nullable_cast(s, n, from, to)) return true;
    Symbol *f = from == to ? NULL : user_conversion(s, value, to, true);
    if (!f && value != from) f = user_conversion(s, from, to, true);
    if (f) {
        Ast *operand = n->cast.operand;
        user_convert(s, &operand, f);
        *n = *operand;
        return true;
    }
    if (convert_class(s, n->cast.operand, to) != CONV_NONE &&
        (class_of(from) || class_of(to) || from->kind == TY_NULL))
        return convert_to(s, &n->cast.operand, to, NULL), true;
    if (!object_cast_exists(from, to)) return false;
    class_use(s, class_of(to));
    return true;
}

void check_cast(Sema *s, Ast *n)
{
    const Type *to = decl_type(s, n->cast.target);
    const Type *from = check_expr(s, &n->cast.operand, to);
    if (from->kind == TY_GROUP && type_is_functional(to)) {
        convert_to(s, &n->cast.operand, to, NULL);
        n->type = to;
        return;
    }
    from = require_value(s, n->cast.operand);
    n->type = to;
    if (to == s->error || from == s->error) return;
    if (from->kind == TY_NULL && to->kind == TY_ARRAY) { /* text.Split((char[])null): no elements */
        Ast *target = n->cast.target;
        n->kind = AST_DEFAULT;
        n->default_.target = target;
        check_default(s, n, to);
        return;
    }
    if (cast_class(s, n, from, to)) return;
    from = object_function(s, &n->cast.operand);
    if (to->kind == TY_SCALAR && type_is_functional(from) && castable(s, from->result, to)) {
        n->res = AST_RES_PROMOTE;
        n->type = type_func(s->types, to, from->nparams, from->params);
    } else if (type_same_params(from, to) && castable(s, from->result, to->result)) {
        cast_result(s, &n->cast.operand, to->result);
    } else if (to->kind == TY_SCALAR && castable(s, from, to)) {
        if (to == s->longs) total_widens(s, n->cast.operand);
        constant_fold(n);
    } else if (to->kind == TY_ARRAY && type_is_hosted(to) &&
               convert_class(s, n->cast.operand, to) == CONV_EVAL) {
        convert_to(s, &n->cast.operand, to, NULL);
    } else if (from != to) {
        report(s, n->loc, CONVERSION, "cannot cast '%s' to '%s'", type_text(s->arena, from),
               type_text(s->arena, to));
        if (from == s->string && to->kind == TY_SCALAR && to->scalar != SC_CHAR)
            report_note(s, NOWHERE, "%s.Parse(...) reads a number from a string",
                        type_text(s->arena, to));
        n->type = s->error;
    }
}
