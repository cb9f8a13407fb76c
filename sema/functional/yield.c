/* `yield return` and `yield break`: the function makes a list at once, and gives it.
 *
 *     IEnumerable<int> f() { yield return 1; }
 *     IEnumerable<int> f() { var $list = new List<int>(); $list.Add(1); return $list; }
 */
#include "../classes/class.h"

#define LIST_NAME "$list"

static void find(Ast **child, void *ctx)
{
    const Ast **found = ctx;
    const Ast *n = *child;
    if (n->kind == AST_YIELD && !*found) *found = n;
    if (n->kind != AST_LAMBDA && n->kind != AST_FUNC) ast_each_child(*child, find, ctx);
}

static void rewrite(Ast **child, void *ctx)
{
    Sema *s = ctx;
    Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    ast_each_child(n, rewrite, ctx);
    if (n->kind != AST_YIELD) return;
    Ast *list = tree_name(s, n->loc, LIST_NAME);
    *child = n->yield_.value
                 ? tree_stmt(s, tree_call(s, n->loc, tree_member(s, n->loc, list, "Add"), 1,
                                          n->yield_.value))
                 : tree_return(s, list);
}

/* List<T> of a function that gives a List<T>, IEnumerable<T> or the like; NULL for others. */
static const Type *list_of(Sema *s, const Type *result, Loc loc)
{
    const Class *c = class_of(result);
    const Instance *i = c ? c->sym->instance : NULL;
    Symbol *list = scope_library(s, SYM_TYPE, "List");
    if (!i || i->nparams != 1 || !list) return NULL;
    Ast *written = ast_new(s->arena, AST_TYPE_NAME, loc);
    written->type_name.name = list->name;
    written->type_name.args =
        ast_list_add(s->arena, (AstList){0}, type_node(s, loc, i->params[0]->type));
    const Type *t = generic_class(s, list, written);
    class_settle(s);
    Ast like = {.kind = AST_BAD, .type = t};
    return convert_class(s, &like, result) == CONV_NONE ? NULL : t;
}

void yield_expand(Sema *s, Ast *func, const Type *result)
{
    const Ast *first = NULL;
    Ast **body = &func->func.body;
    find(body, &first);
    if (!first) return;
    const Type *t = list_of(s, result, first->loc);
    if (!t && result != s->error)
        report(s, first->loc, RETURN_VALUE,
               "a function with yield gives an IEnumerable<T> or a List<T>, made at once");
    rewrite(body, s);
    if (!t) return;
    Ast *made = ast_new(s->arena, AST_NEW, first->loc);
    made->new_.ntype = type_node(s, first->loc, t);
    *body = tree_block(s, (*body)->loc, 3, tree_local(s, first->loc, NULL, LIST_NAME, made), *body,
                       tree_return(s, tree_name(s, first->loc, LIST_NAME)));
}
