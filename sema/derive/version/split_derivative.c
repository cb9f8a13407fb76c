/* Calls of Grad and its like by values that hold arrays: by the fields of these, whose derivatives are put together as
 * a value of the same type (split.c). */
#include "split.h"

/* A value of type t of the derivatives by its fields: number *at on of `n` that `all` has. */
static Ast *assembled(Sema *s, Loc loc, const Type *t, const Ast *all, int n, int *at)
{
    const Class *c = class_of(t);
    AstList items = {0};
    Ast *made = ast_new(s->arena, AST_NEW, loc);
    if (!split_is(t)) {
        if (!kind_is_real(t)) {
            Ast *none = ast_new(s->arena, AST_DEFAULT, loc);
            none->default_.target = type_node(s, loc, t);
            return none;
        }
        Ast *part = ast_clone(s->arena, all);
        if (n == 1) return part;
        return tree_member(s, loc, part, arena_printf(s->arena, "Item%d", ++*at));
    }
    for (int i = 0; i < c->nfields; i++)
        items = ast_list_add(s->arena, items, assembled(s, loc, c->fields[i]->type, all, n, at));
    made->new_.ntype = type_node(s, loc, t);
    made->new_.args = items;
    return c->tuple ? tree_tuple(s, loc, items) : made;
}

/* The leaves of parameter i, whose value is the block's parameter of this name. */
static Leaves leaves_of(Sema *s, Loc loc, const char *name, const char *value, const Type *t)
{
    Leaves leaves = {0};
    if (split_is(t))
        split_leaves(s, name, t, tree_name(s, loc, value), loc, &leaves);
    else
        vec_push(&leaves, ((Leaf){name, t, tree_name(s, loc, value)}));
    return leaves;
}

Ast *split_derivative(Sema *s, const char *grad, Ast *lambda, const Type *const *types, int n,
                      const Type *result, HostWay way, AstList args)
{
    Split w = {.s = s, .good = true};
    Loc loc = lambda->loc;
    AstList params = {0}, stmts = {0}, direct = {0}, along = {0}, parts = {0};
    Ast *call = tree_call(s, loc, NULL, 0), *open = ast_new(s->arena, AST_LAMBDA, loc);
    int at = 0, count = 0;
    for (int i = 0; i < args.len; i++) { /* of the block: the arguments, evaluated once */
        const Type *t = i < n ? types[i] : way == HOST_ALONG ? types[i - n] : result;
        params =
            ast_list_add(s->arena, params,
                         tree_param(s, loc, type_node(s, loc, t),
                                    intern_cstr(s->names, arena_printf(s->arena, "$of%d", i))));
        params.data[i]->type = t;
    }
    for (int b = 0, i = 0; b < lambda->lambda.binders.len; b++) {
        const Ast *binder = lambda->lambda.binders.data[b];
        for (int k = 0; k < binder->binder.names.len; k++, i++) {
            const char *name = binder->binder.names.data[k]->name_ref.name;
            Leaves leaves = leaves_of(s, loc, name, params.data[i]->param.name, types[i]);
            Leaves changes = {0};
            if (way == HOST_ALONG)
                changes = leaves_of(s, loc, name, params.data[n + i]->param.name, types[i]);
            if (split_is(types[i])) vec_push(&w.wholes, ((Whole){name, types[i]}));
            for (size_t l = 0; l < leaves.len; l++) {
                const Leaf *leaf = &leaves.data[l];
                if (!kind_is_real(leaf->type)) { /* a constant */
                    code_local(s, &stmts, loc, leaf->type, leaf->name, leaf->value);
                    continue;
                }
                open->lambda.binders = ast_list_add(s->arena, open->lambda.binders,
                                                    tree_binder(s, loc, leaf->type, leaf->name));
                direct = ast_list_add(s->arena, direct, leaf->value);
                if (way == HOST_ALONG) along = ast_list_add(s->arena, along, changes.data[l].value);
                count++;
            }
            vec_free(&leaves);
            vec_free(&changes);
        }
    }
    free_names(s, lambda, &w.own);
    open->lambda.wide = true;
    open->lambda.body = lambda->lambda.body;
    split_rewrite(&open->lambda.body, &w);
    vec_free(&w.wholes);
    vec_free(&w.own);
    if (!w.good) return NULL;
    call->call.callee = tree_call(s, loc, tree_name(s, loc, grad), 1, open);
    for (int i = 0; i < along.len; i++) direct = ast_list_add(s->arena, direct, along.data[i]);
    if (way == HOST_BACK_SEED)
        direct = ast_list_add(s->arena, direct, tree_name(s, loc, params.data[n]->param.name));
    call->call.args = direct;
    const char *all = code_fresh(s, "all");
    code_local(s, &stmts, loc, NULL, all, call);
    Ast *whole = tree_name(s, loc, all), *value = whole;
    const Type *given[MAX_PARAMS];
    for (int i = 0; i < n; i++) given[i] = types[i];
    Ast *type = code_tuple_type(s, loc, n, given);
    if (way == HOST_BACK_VALUE) whole = tree_member(s, loc, whole, "Item2");
    for (int i = 0; i < n; i++)
        parts = ast_list_add(s->arena, parts, assembled(s, loc, types[i], whole, count, &at));
    if (way != HOST_ALONG) value = tree_tuple(s, loc, parts);
    if (way == HOST_BACK_VALUE || way == HOST_ALONG) {
        Ast *both = ast_new(s->arena, AST_TYPE_TUPLE, loc), *first = type_node(s, loc, result);
        code_add_item(s, both, first);
        code_add_item(s, both, way == HOST_ALONG ? type_node(s, loc, result) : type);
        AstList two = {0};
        two = ast_list_add(s->arena, two, tree_member(s, loc, tree_name(s, loc, all), "Item1"));
        two = ast_list_add(s->arena, two, value);
        if (way == HOST_BACK_VALUE) value = tree_tuple(s, loc, two);
        type = both;
    }
    stmts = ast_list_add(s->arena, stmts, tree_return(s, value));
    const Type *t = decl_type(s, type);
    class_settle(s);
    return local_block(s, "split", code_block(s, loc, stmts), params, args, t);
}
