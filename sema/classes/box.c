/* Values as objects: scalars, enums, strings and records convert to `object` by being put into an
 * object of the library's BoxedValue<T>, and a cast, `is` and `as` take them out again.
 */
#include "class.h"

static bool is_boxable(const Type *t)
{
    return t->kind == TY_SCALAR || t->kind == TY_STRING || t->kind == TY_RECORD;
}

static bool is_object(const Type *t)
{
    return t->kind == TY_OBJECT && class_of(t) && class_is_object(class_of(t));
}

Symbol *box_conversion(Sema *s, const Type *from, const Type *to, bool explicitly)
{
    bool in = is_boxable(from) && is_object(to), out = is_object(from) && is_boxable(to);
    if (!in && !(out && explicitly)) return NULL;
    Symbol *g = scope_library(s, SYM_FUNC, in ? "BoxValue" : "UnboxValue");
    return g && g->generic ? generic_of(s, g, in ? from : to, g->loc) : NULL;
}

/* Is a value of this type asked for in an object? */
static bool asks_value(Sema *s, const Ast *operand, Ast *target, const Type **t)
{
    if (target->kind == AST_NULL_LIT) return false;
    *t = decl_type(s, target);
    return is_boxable(*t) && is_object(peek_type(s, operand));
}

static Ast *try_unbox(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name)
{
    Ast *out = ast_new(s->arena, AST_UNARY, loc), *var = ast_new(s->arena, AST_DECL_EXPR, loc);
    var->decl_expr.vtype = type_node(s, loc, t);
    var->decl_expr.name = name;
    out->unary.op = AST_OP_OUT;
    out->unary.operand = var;
    return tree_call(s, loc, tree_name(s, loc, "TryUnboxValue"), 2, operand, out);
}

static const char *fresh(Sema *s)
{
    return intern_cstr(s->names, arena_printf(s->arena, "$boxed%d", ++s->synthetic));
}

bool box_is(Sema *s, Ast *n)
{
    const Type *t;
    if (!asks_value(s, n->is_.operand, n->is_.target, &t)) return false;
    Ast *call = try_unbox(s, n->loc, n->is_.operand, t, n->is_.name ? n->is_.name : fresh(s));
    check_expr(s, &call, NULL);
    *n = *call;
    return true;
}

bool box_as(Sema *s, Ast *n)
{
    const Type *t;
    if (!asks_value(s, n->as_.operand, n->as_.target, &t) || t->kind != TY_STRING) return false;
    const char *name = fresh(s);
    Ast *choice = ast_new(s->arena, AST_COND, n->loc);
    choice->cond.cond = try_unbox(s, n->loc, n->as_.operand, t, name);
    choice->cond.then = tree_name(s, n->loc, name);
    choice->cond.other = ast_new(s->arena, AST_NULL_LIT, n->loc);
    check_expr(s, &choice, NULL);
    *n = *choice;
    return true;
}
