/* Cells: what holds a variable that lambdas and what is around them share (shared.c).
 *
 *     int n = 0; Action f = () => n++;        var $n = new CapturedVariable<int>(0);
 *                                             Action f = () => $n.Value++;
 */
#include "../../check/check.h"

static const Type *cell_type(Sema *s, const Type *t, Loc loc)
{
    Symbol *cell = scope_library(s, SYM_TYPE, "CapturedVariable");
    if (!cell) return s->error;
    const Type *type = generic_with(s, cell, t, loc);
    class_settle(s);
    return type;
}

/* A list of elements is a new array. */
static Ast *as_value(Sema *s, Ast *init, const Type *t)
{
    if (init->kind != AST_INIT_LIST) return init;
    Ast *n = ast_new(s->arena, AST_NEW_ARRAY, init->loc);
    n->new_array.elem = type_node(s, init->loc, t->result);
    n->new_array.rank = (uint64_t)t->nparams;
    n->new_array.init = init;
    n->type = t;
    return n;
}

static Ast *new_cell(Sema *s, const Type *cell, Ast *value, const Type *t, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_NEW, loc);
    n->new_.ntype = type_node(s, loc, cell);
    if (value) {
        value = as_value(s, value, t);
        value->settled = true;
    } else {
        value = ast_new(s->arena, AST_DEFAULT, loc);
        value->default_.target = type_node(s, loc, t);
    }
    n->new_.args = ast_list_add(s->arena, (AstList){0}, value);
    check_value(s, &n, NULL);
    return n;
}

static Symbol *cell_of(Sema *s, Symbol *sym, Ast *declarator)
{
    const Type *t = cell_type(s, sym->type, sym->loc);
    if (t == s->error) return NULL;
    const char *name = intern_cstr(s->names, arena_printf(s->arena, "$%s", sym->name));
    return scope_symbol(s, SYM_LOCAL, name, t, sym->loc, declarator);
}

void cell_variable(Sema *s, Ast *v, Symbol *sym)
{
    if (sym->type == s->error || sym->type == s->voids) return;
    Symbol *cell = cell_of(s, sym, v);
    if (!cell) return;
    v->declarator.init = new_cell(s, cell->type, v->declarator.init, sym->type, v->loc);
    v->declarator.name = cell->name;
    v->sym = cell;
    v->type = cell->type;
    sym->cell = cell;
    scope_bind(s, cell);
}

Ast *cell_parameter(Sema *s, Symbol *param)
{
    if (!shared_has_typed(s->shared, param->name, param->type) || param->mode != AST_OP_BY_VALUE)
        return NULL;
    if (param->type == s->error || param->name[0] == '$') return NULL;
    Ast *v = ast_new(s->arena, AST_DECLARATOR, param->loc);
    Ast *n = ast_new(s->arena, AST_VAR_DECL, param->loc);
    Ast *value = tree_name(s, param->loc, param->name);
    value->sym = param;
    value->type = param->type;
    v->declarator.init = value;
    Symbol *sym = scope_symbol(s, SYM_LOCAL, param->name, param->type, param->loc, v);
    cell_variable(s, v, sym);
    if (!sym->cell) return NULL;
    scope_bind(s, sym);
    n->var_decl.vtype = type_node(s, param->loc, sym->cell->type);
    n->var_decl.vars = ast_list_add(s->arena, n->var_decl.vars, v);
    return n;
}

/* f(out x) becomes f(out ($x = new CapturedVariable<T>(..)).Value). */
void cell_out(Sema *s, Ast *n, Symbol *sym)
{
    if (sym->type == s->error || s->functional ||
        !shared_has_typed(s->shared, sym->name, sym->type))
        return;
    Symbol *cell = cell_of(s, sym, n);
    if (!cell) return;
    Ast *target = ast_new(s->arena, AST_DECL_EXPR, n->loc);
    target->decl_expr.name = cell->name;
    target->sym = cell;
    target->type = cell->type;
    Ast *made = ast_new(s->arena, AST_ASSIGN, n->loc);
    made->assign.target = target;
    made->assign.value = new_cell(s, cell->type, NULL, sym->type, n->loc);
    made->type = cell->type;
    made->settled = true;
    cell->assigned_again = true;
    sym->cell = cell;
    scope_bind(s, cell);
    Ast *value = tree_member(s, n->loc, made, "Value");
    check_value(s, &value, NULL);
    *n = *value;
}

/* x, of `v is T x`, is set: the condition that makes its cell, which is true. NULL: it has none. */
Ast *cell_pattern(Sema *s, Symbol *sym, Loc loc)
{
    if (!sym || sym->cell || sym->type == s->error || s->functional ||
        !shared_has_typed(s->shared, sym->name, sym->type))
        return NULL;
    Ast *n = ast_new(s->arena, AST_IS, loc), *value = tree_name(s, loc, sym->name);
    Symbol *cell = cell_of(s, sym, n);
    if (!cell || check_value(s, &value, NULL) == s->error) return NULL;
    n->is_.operand = new_cell(s, cell->type, value, sym->type, loc);
    n->is_.target = ast_new(s->arena, AST_TYPE_VAR, loc);
    n->is_.target->type = cell->type;
    n->is_.name = cell->name;
    n->sym = cell;
    n->type = s->boolean;
    sym->cell = cell;
    scope_bind(s, cell);
    return n;
}
