/* `yield return` and `yield break`: the statements go into a lambda that runs from one yield to the next, once
 * for each enumerator (YieldCursor of stdlib/core.cs$; codegen/host/statement/yield.c suspends it).
 *
 *     IEnumerable<int> f(int n) { while (true) yield return n++; }
 *     IEnumerable<int> f(int n) {
 *         var $n = n;
 *         return new YieldSequence<int>($y => {
 *             $y.Frame = $Begin();
 *             $Yield();
 *             int n = $n;
 *             while (true) { $y.Item = n++; $Yield(); if ($y.Left) return; }
 *         });
 *     }
 *
 * Parameters that nobody assigns are captured as they are. A List<T> is made of such a sequence at once.
 */
#include "../check/check.h"

#define CURSOR_NAME "$y"

typedef struct Places { /* of yields */
    Sema *s;
    const Ast *first;
    bool guarded, last; /* within a try with catch; within catch or finally */
} Places;

static void find(Ast **child, void *ctx);

static void find_in(const Places *p, Ast *n, bool guarded, bool last, Places *out)
{
    Places inner = *p;
    inner.guarded |= guarded;
    inner.last |= last;
    inner.first = out->first;
    if (n) find(&n, &inner);
    out->first = inner.first;
}

static void find_try(Places *p, Ast *n)
{
    find_in(p, n->try_.body, n->try_.catches.len > 0, false, p);
    for (int i = 0; i < n->try_.catches.len; i++)
        find_in(p, n->try_.catches.data[i], false, true, p);
    find_in(p, n->try_.finally_, false, true, p);
}

static void find(Ast **child, void *ctx)
{
    Places *p = ctx;
    Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    if (n->kind == AST_TRY) {
        find_try(p, n);
        return;
    }
    if (n->kind == AST_YIELD) {
        if (!p->first) p->first = n;
        const char *where = p->last && n->yield_.value      ? "in a catch or finally"
                            : p->guarded && n->yield_.value ? "in a try that has a catch"
                                                            : NULL;
        if (where)
            report(p->s, n->loc, JUMP, "yield return does not stand %s: yield behind it", where);
    }
    ast_each_child(n, find, ctx);
}

/* ---- the statements -------------------------------------------------------------------------- */

static Ast *member(Sema *s, Loc loc, const char *name)
{
    return tree_member(s, loc, tree_name(s, loc, CURSOR_NAME), name);
}

static Ast *suspend(Sema *s, Loc loc)
{
    return tree_stmt(s, tree_call(s, loc, tree_name(s, loc, "$Yield"), 0));
}

static void rewrite(Ast **child, void *ctx)
{
    Sema *s = ctx;
    Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    ast_each_child(n, rewrite, ctx);
    if (n->kind != AST_YIELD) return;
    Ast *end = ast_new(s->arena, AST_RETURN, n->loc), *left;
    *child = end;
    if (!n->yield_.value) return;
    left = ast_new(s->arena, AST_IF, n->loc);
    left->if_.cond = member(s, n->loc, "Left");
    left->if_.then = end;
    *child =
        tree_block(s, n->loc, 3, tree_assign(s, n->loc, member(s, n->loc, "Item"), n->yield_.value),
                   suspend(s, n->loc), left);
}

/* Copies of the parameters that the body assigns: one in front of the lambda, one in it. */
static void copy_params(Sema *s, Ast *func, Ast *outside, Ast *inside)
{
    FreeNames names = {0};
    Ast body = *func;
    body.func.params = (AstList){0};
    free_names(s, &body, &names);
    for (int i = 0; i < func->func.params.len; i++) {
        const Ast *p = func->func.params.data[i];
        if (p->kind != AST_PARAM) continue;
        bool written = false;
        for (size_t k = 0; k < names.len; k++)
            written |= names.data[k].name == p->param.name && names.data[k].writes;
        if (!written) continue;
        const char *copy = arena_printf(s->arena, "$%s", p->param.name);
        Ast *from = tree_local(s, p->loc, NULL, copy, tree_name(s, p->loc, p->param.name));
        Ast *to = tree_local(s, p->loc, p->type ? type_node(s, p->loc, p->type) : NULL,
                             p->param.name, tree_name(s, p->loc, copy));
        outside->block.stmts = ast_list_add(s->arena, outside->block.stmts, from);
        inside->block.stmts = ast_list_add(s->arena, inside->block.stmts, to);
    }
    vec_free(&names);
}

/* ---- what it gives --------------------------------------------------------------------------- */

typedef struct Sequence {
    const Type *item, *made, *cursor, *list; /* list: NULL, or a List<T> that is made at once */
} Sequence;

static const Type *instance(Sema *s, const char *name, const Type *item, Loc loc)
{
    Symbol *of = scope_library(s, SYM_TYPE, name);
    Ast *written = ast_new(s->arena, AST_TYPE_NAME, loc);
    written->type_name.name = of->name;
    written->type_name.args =
        ast_list_add(s->arena, written->type_name.args, type_node(s, loc, item));
    const Type *t = generic_class(s, of, written);
    class_settle(s);
    return t;
}

static bool sequence_of(Sema *s, const Type *result, Loc loc, Sequence *out)
{
    const Class *c = class_of(result);
    const Instance *i = c ? c->sym->instance : NULL;
    if (!i || i->nparams != 1) return false;
    out->item = i->params[0]->type;
    out->cursor = instance(s, "YieldCursor", out->item, loc);
    bool cursor = i->of == scope_library(s, SYM_TYPE, "IEnumerator");
    out->made = cursor ? out->cursor : instance(s, "YieldSequence", out->item, loc);
    if (cursor || i->of == scope_library(s, SYM_TYPE, "IEnumerable")) return true;
    out->list = instance(s, "List", out->item, loc);
    Ast like = {.kind = AST_BAD, .type = out->list};
    return convert_class(s, &like, result) != CONV_NONE;
}

static Ast *made(Sema *s, Loc loc, const Type *t, Ast *argument)
{
    Ast *n = ast_new(s->arena, AST_NEW, loc);
    n->new_.ntype = type_node(s, loc, t);
    n->new_.args = ast_list_add(s->arena, n->new_.args, argument);
    return n;
}

static bool check_params(Sema *s, const Ast *func)
{
    for (int i = 0; i < func->func.params.len; i++) {
        const Ast *p = func->func.params.data[i];
        if (p->kind != AST_PARAM || (p->param.mode != AST_OP_REF && p->param.mode != AST_OP_OUT))
            continue;
        report(s, p->loc, MISPLACED,
               "a function with yield has no ref or out parameters: it runs when its values are "
               "asked for");
        return false;
    }
    return true;
}

void yield_expand(Sema *s, Ast *func, const Type *result_type)
{
    Places places = {.s = s};
    Ast **body = &func->func.body;
    find(body, &places);
    if (!places.first) return;
    Loc loc = places.first->loc;
    if (!sources_get(s->sources, loc.file)->library)
        s->disposes = 1; /* who looks will not find it */
    Sequence q = {0};
    bool good = check_params(s, func);
    if (!sequence_of(s, result_type, loc, &q)) {
        if (result_type != s->error)
            report(s, loc, RETURN_VALUE,
                   "a function with yield gives an IEnumerable<T>, an IEnumerator<T> or a List<T>");
        good = false;
    }
    Ast *outside = tree_block(s, (*body)->loc, 0), *inside = tree_block(s, (*body)->loc, 0);
    copy_params(s, func, outside, inside);
    rewrite(body, s);
    if (!good) {
        *body = outside;
        return;
    }
    Ast *begin = tree_call(s, loc, tree_name(s, loc, "$Begin"), 0);
    Ast *lambda = ast_new(s->arena, AST_LAMBDA, loc);
    lambda->lambda.binders =
        ast_list_add(s->arena, lambda->lambda.binders, tree_binder(s, loc, q.cursor, CURSOR_NAME));
    lambda->lambda.body =
        tree_block(s, (*body)->loc, 4, tree_assign(s, loc, member(s, loc, "Frame"), begin),
                   suspend(s, loc), inside, *body);
    if (inside->block.stmts.len) {
        inside->block.stmts = ast_list_add(s->arena, inside->block.stmts, *body);
        lambda->lambda.body->block.stmts.len--;
    }
    Ast *value = made(s, loc, q.made, lambda);
    if (q.list) value = made(s, loc, q.list, value);
    outside->block.stmts = ast_list_add(s->arena, outside->block.stmts, tree_return(s, value));
    *body = outside;
}
