/* Functions with `ref` and `out` parameters: a version gives what they have in the end, behind the result.
 *
 *     void bump(ref double x, double by) { x += by; }     double $refs_bump1(double x, double by) { x += by; return x; }
 *     bool root(double a, out double r) { .. return c; }  (bool, double) $refs_root1(double a) { double r; .. return (c, r); }
 */
#include "../host.h"

typedef struct Refs {
    Sema *s;
    const Symbol *f;
} Refs;

static bool is_by_value(const Ast *param)
{
    return decl_mode(param) == AST_OP_BY_VALUE;
}

bool refs_is(const Symbol *f)
{
    bool any = false;
    for (int i = 0; f->decl && f->decl->kind == AST_FUNC && i < f->decl->func.params.len; i++)
        any = any || !is_by_value(f->decl->func.params.data[i]);
    return any;
}

/* What it returns: the result, if it has one, and the variables. */
static Ast *returned(const Refs *r, Loc loc, Ast *value)
{
    Sema *s = r->s;
    const AstList *params = &r->f->decl->func.params;
    const Type *t = r->f->type->result;
    AstList items = {0};
    if (value && t->kind == TY_SCALAR) value = tree_cast(s, loc, type_node(s, loc, t), value);
    if (value) items = ast_list_add(s->arena, items, value);
    for (int i = 0; i < params->len; i++)
        if (!is_by_value(params->data[i]))
            items = ast_list_add(s->arena, items, tree_name(s, loc, params->data[i]->param.name));
    return tree_tuple(s, loc, items);
}

static void give_all(Ast **child, void *ctx)
{
    const Refs *r = ctx;
    Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    if (n->kind == AST_RETURN)
        n->return_.value = returned(r, n->loc, n->return_.value);
    else
        ast_each_child(n, give_all, ctx);
}

Symbol *refs_version(Sema *s, Symbol *f)
{
    Symbol *made = derived_version(s, VERSION_REFS, f);
    const Ast *decl = f->decl;
    Loc loc = decl->loc;
    Refs r = {s, f};
    AstList params = {0}, stmts = {0};
    const Type *types[MAX_PARAMS + 1];
    int count = 0;
    if (made) return made;
    made = derived_copy(s, f, "refs");
    Ast *body = ast_clone(s->arena, f->as_written ? f->as_written : decl->func.body);
    lift_expand(s, f, &body);
    if (f->type->result->kind != TY_VOID) types[count++] = f->type->result;
    for (int i = 0; i < f->type->nparams; i++) {
        const Ast *p = decl->func.params.data[i];
        const Type *t = f->type->params[i];
        if (!is_by_value(p)) types[count++] = t;
        if (decl_mode(p) == AST_OP_OUT)
            code_local(s, &stmts, p->loc, t, p->param.name, NULL);
        else
            params = ast_list_add(s->arena, params,
                                  tree_param(s, p->loc, type_node(s, p->loc, t), p->param.name));
    }
    give_all(&body, &r);
    code_add(s, &stmts, body);
    if (f->type->result->kind == TY_VOID)
        code_add(s, &stmts, tree_return(s, returned(&r, loc, NULL)));
    made->decl = tree_func(s, loc, decl->func.mods, code_tuple_type(s, loc, count, types),
                           made->name, params, code_block(s, loc, stmts));
    return derived_declare(s, VERSION_REFS, f, made);
}
