/* Trees that sema makes itself: what the user could have written, built by hand. Nodes are
 * unchecked and live in the arena of the result.
 */
#include <stdarg.h>
#include <string.h>

#include "check.h"

Ast *tree_name(Sema *s, Loc loc, const char *name)
{
    Ast *n = ast_new(s->arena, AST_NAME_REF, loc);
    n->name_ref.name = intern_cstr(s->names, name);
    return n;
}

Ast *tree_member(Sema *s, Loc loc, Ast *base, const char *name)
{
    Ast *n = ast_new(s->arena, AST_MEMBER, loc);
    n->member.base = base;
    n->member.name = intern_cstr(s->names, name);
    return n;
}

Ast *tree_call(Sema *s, Loc loc, Ast *callee, int n, ...)
{
    Ast *call = ast_new(s->arena, AST_CALL, loc);
    call->call.callee = callee;
    va_list args;
    va_start(args, n);
    for (int i = 0; i < n; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, va_arg(args, Ast *));
    va_end(args);
    return call;
}

Ast *tree_binary(Sema *s, Loc loc, AstOp op, Ast *left, Ast *right)
{
    Ast *n = ast_new(s->arena, AST_BINARY, loc);
    n->binary.op = op;
    n->binary.left = left;
    n->binary.right = right;
    return n;
}

Ast *tree_cast(Sema *s, Loc loc, Ast *type, Ast *operand)
{
    Ast *n = ast_new(s->arena, AST_CAST, loc);
    n->cast.target = type;
    n->cast.operand = operand;
    return n;
}

Ast *tree_is(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name)
{
    Ast *is = ast_new(s->arena, AST_IS, loc), *of = ast_new(s->arena, AST_PATTERN_OF, loc);
    of->pattern_of.target = type_node(s, loc, t);
    of->pattern_of.name = intern_cstr(s->names, name);
    is->is_.operand = operand;
    is->is_.target = of;
    return is;
}

Ast *tree_int(Sema *s, Loc loc, uint64_t value)
{
    Ast *n = ast_new(s->arena, AST_INT_LIT, loc);
    n->int_lit.value = value;
    return n;
}

Ast *tree_true(Sema *s, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_BOOL_LIT, loc);
    n->bool_lit.value = true;
    return n;
}

Ast *tree_text(Sema *s, Loc loc, const char *text)
{
    Ast *n = ast_new(s->arena, AST_STRING_LIT, loc);
    n->string_lit.value = (AstBytes){text, strlen(text)};
    return n;
}

Ast *tree_assign(Sema *s, Loc loc, Ast *target, Ast *value)
{
    Ast *n = ast_new(s->arena, AST_ASSIGN, loc);
    n->assign.target = target;
    n->assign.value = value;
    return tree_stmt(s, n);
}

Ast *tree_stmt(Sema *s, Ast *expr)
{
    Ast *n = ast_new(s->arena, AST_EXPR_STMT, expr->loc);
    n->expr_stmt.expr = expr;
    return n;
}

Ast *tree_return(Sema *s, Ast *value)
{
    if (value->kind == AST_THROW) return value;
    Ast *n = ast_new(s->arena, AST_RETURN, value->loc);
    n->return_.value = value;
    return n;
}

Ast *tree_local(Sema *s, Loc loc, Ast *type, const char *name, Ast *init)
{
    Ast *v = ast_new(s->arena, AST_DECLARATOR, loc), *n = ast_new(s->arena, AST_VAR_DECL, loc);
    v->declarator.name = intern_cstr(s->names, name);
    v->declarator.init = init;
    n->var_decl.vtype = type ? type : ast_new(s->arena, AST_TYPE_VAR, loc);
    n->var_decl.vars = ast_list_add(s->arena, n->var_decl.vars, v);
    return n;
}

Ast *tree_block(Sema *s, Loc loc, int n, ...)
{
    Ast *block = ast_new(s->arena, AST_BLOCK, loc);
    va_list stmts;
    va_start(stmts, n);
    for (int i = 0; i < n; i++)
        block->block.stmts = ast_list_add(s->arena, block->block.stmts, va_arg(stmts, Ast *));
    va_end(stmts);
    return block;
}

Ast *tree_param(Sema *s, Loc loc, Ast *type, const char *name)
{
    Ast *p = ast_new(s->arena, AST_PARAM, loc);
    p->param.ptype = type;
    p->param.name = intern_cstr(s->names, name);
    return p;
}

Ast *tree_binder(Sema *s, Loc loc, const Type *t, const char *name)
{
    Ast *b = ast_new(s->arena, AST_BINDER, loc);
    b->binder.vtype = type_node(s, loc, t);
    b->binder.names = ast_list_add(s->arena, b->binder.names, tree_name(s, loc, name));
    return b;
}

Ast *tree_tuple(Sema *s, Loc loc, AstList items)
{
    if (items.len == 1) return items.data[0];
    Ast *n = ast_new(s->arena, AST_TUPLE, loc);
    n->tuple.items = items;
    return n;
}

Ast *tree_func(Sema *s, Loc loc, uint64_t mods, Ast *ret, const char *name, AstList params,
               Ast *body)
{
    Ast *f = ast_new(s->arena, AST_FUNC, loc);
    f->func.mods = mods;
    f->func.ret = ret ? ret : type_node(s, loc, s->voids);
    f->func.name = intern_cstr(s->names, name);
    f->func.params = params;
    f->func.body = body;
    return f;
}
