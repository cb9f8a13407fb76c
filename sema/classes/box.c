/* Values as objects: scalars, enums, strings and records convert to `object` by being put into an
 * object of the library's BoxedValue<T>, arrays into one of BoxedArray<T>, functions into one of
 * BoxedFunction<T>, and a cast, `is` and `as` take them out again.
 */
#include <string.h>

#include "../check/check.h"

bool box_takes(const Type *t)
{
    return t->kind == TY_SCALAR || t->kind == TY_STRING || t->kind == TY_RECORD ||
           t->kind == TY_ARRAY || t->kind == TY_FUNC;
}

static const char *kind_of(const Type *t, bool in)
{
    if (in && type_is_enum(t)) return "Enum";
    return t->kind == TY_FUNC ? "Function" : t->kind == TY_ARRAY ? "Array" : "Value";
}

static bool is_object(const Type *t)
{
    return t->kind == TY_OBJECT && class_of(t) && class_is_object(class_of(t));
}

Symbol *box_conversion(Sema *s, const Type *from, const Type *to, bool explicitly)
{
    bool in = box_takes(from) && is_object(to), out = is_object(from) && box_takes(to);
    if (!in && !(out && explicitly)) return NULL;
    if (in && nullable_of(from)) return nullable_box(s, from, NOWHERE);
    const char *name =
        arena_printf(s->arena, "%s%s", in ? "Box" : "Unbox", kind_of(in ? from : to, in));
    Symbol *g = scope_library(s, SYM_FUNC, name);
    return g && g->generic ? generic_of(s, g, in ? from : to, g->loc) : NULL;
}

Ast *box_test(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name)
{
    Ast *out = ast_new(s->arena, AST_UNARY, loc), *var = ast_new(s->arena, AST_DECL_EXPR, loc);
    var->decl_expr.vtype = type_node(s, loc, t);
    var->decl_expr.name = name;
    out->unary.op = AST_OP_OUT;
    out->unary.operand = var;
    Ast *object = operand;
    convert_wrap(s, &object, operand->type); /* it is checked */
    const char *unbox = arena_printf(s->arena, "TryUnbox%s", kind_of(t, false));
    Ast *call = tree_call(s, loc, tree_name(s, loc, unbox), 2, object, out);
    check_expr(s, &call, NULL);
    return call;
}

const Type *box_asked(Sema *s, const Type *from, Ast **target)
{
    const Type *t = decl_type(s, *target);
    const Class *c = class_of(t);
    bool any = c && c->sym->library && strcmp(c->sym->name, "Enum") == 0;
    if (!any || !is_object(from)) return t;
    t = class_library(s, "IBoxedEnum");
    *target = type_node(s, (*target)->loc, t);
    return t;
}

bool box_as(Sema *s, Ast *n)
{
    const Type *t = decl_type(s, n->as_.target);
    if ((t->kind != TY_STRING && !type_is_functional(t)) ||
        !is_object(peek_type(s, n->as_.operand)))
        return false;
    const char *name = intern_cstr(s->names, arena_printf(s->arena, "$boxed%d", ++s->synthetic));
    Ast *choice = ast_new(s->arena, AST_COND, n->loc);
    choice->cond.cond = tree_is(s, n->loc, n->as_.operand, t, name);
    choice->cond.then = tree_name(s, n->loc, name);
    choice->cond.other = ast_new(s->arena, AST_NULL_LIT, n->loc);
    check_expr(s, &choice, t);
    *n = *choice;
    return true;
}
