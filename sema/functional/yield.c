/* `yield return` and `yield break`: the function makes a list at once, and gives it.
 *
 *     IEnumerable<int> f() { yield return 1; }
 *     IEnumerable<int> f() { var $list = new List<int>(); $list.Add(1); return $list; }
 */
#include "../check/check.h"

#define LIST_NAME "$list"

static void find(Ast **child, void *ctx)
{
    const Ast **found = ctx;
    const Ast *n = *child;
    if (n->kind == AST_YIELD && !*found) *found = n;
    if (n->kind != AST_LAMBDA && n->kind != AST_FUNC) ast_each_child(*child, find, ctx);
}

typedef struct Yields {
    Sema *s;
    bool cursor; /* an IEnumerator<T> is wanted */
} Yields;

static Ast *result(const Yields *y, Loc loc)
{
    Ast *list = tree_name(y->s, loc, LIST_NAME);
    if (!y->cursor) return list;
    return tree_call(y->s, loc, tree_member(y->s, loc, list, "GetEnumerator"), 0);
}

static void rewrite(Ast **child, void *ctx)
{
    const Yields *y = ctx;
    Sema *s = y->s;
    Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    ast_each_child(n, rewrite, ctx);
    if (n->kind != AST_YIELD) return;
    Ast *list = tree_name(s, n->loc, LIST_NAME);
    *child = n->yield_.value
                 ? tree_stmt(s, tree_call(s, n->loc, tree_member(s, n->loc, list, "Add"), 1,
                                          n->yield_.value))
                 : tree_return(s, result(y, n->loc));
}

static bool is_cursor(Sema *s, const Type *result)
{
    const Class *c = class_of(result);
    const Symbol *g = scope_library(s, SYM_TYPE, "IEnumerator");
    return c && c->sym->instance && g && c->sym->instance->of == g;
}

/* List<T> of a function that gives a List<T>, IEnumerable<T>, IEnumerator<T> or the like; NULL for
 * others. */
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
    if (is_cursor(s, result)) return t;
    Ast like = {.kind = AST_BAD, .type = t};
    return convert_class(s, &like, result) == CONV_NONE ? NULL : t;
}

void yield_expand(Sema *s, Ast *func, const Type *result_type)
{
    const Ast *first = NULL;
    Ast **body = &func->func.body;
    find(body, &first);
    if (!first) return;
    const Type *t = list_of(s, result_type, first->loc);
    if (!t && result_type != s->error)
        report(s, first->loc, RETURN_VALUE,
               "a function with yield gives an IEnumerable<T>, IEnumerator<T> or List<T>, made at "
               "once");
    Yields y = {s, is_cursor(s, result_type)};
    rewrite(body, &y);
    if (!t) return;
    Ast *made = ast_new(s->arena, AST_NEW, first->loc);
    made->new_.ntype = type_node(s, first->loc, t);
    *body = tree_block(s, (*body)->loc, 3, tree_local(s, first->loc, NULL, LIST_NAME, made), *body,
                       tree_return(s, result(&y, first->loc)));
}
