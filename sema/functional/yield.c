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
#include <string.h>

#define CURSOR_NAME "$y"

typedef struct Places { /* of yields */
    Sema *s;
    const Ast *first;
    bool guarded, last; /* within a try with catch; within catch or finally */
    bool bad;           /* it was told of */
} Places;

static void find(Ast **child, void *ctx);

static void find_in(const Places *p, Ast *n, bool guarded, bool last, Places *out)
{
    Places inner = *p;
    inner.guarded |= guarded;
    inner.last |= last;
    inner.first = out->first;
    inner.bad = out->bad;
    if (n) find(&n, &inner);
    out->first = inner.first;
    out->bad = inner.bad;
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
        p->bad = p->bad || where;
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
    Ast *made, *cursor, *list; /* types; list: NULL, or a List<T> that is made at once */
} Sequence;

static Ast *written(Sema *s, const char *name, Ast *item, Loc loc)
{
    Ast *n = ast_new(s->arena, AST_TYPE_NAME, loc);
    n->type_name.name = intern_cstr(s->names, name);
    n->type_name.args = ast_list_add(s->arena, n->type_name.args, item);
    return n;
}

static Ast *instance(Sema *s, const char *name, const Type *item, Loc loc)
{
    Symbol *of = scope_library(s, SYM_TYPE, name);
    const Type *t = generic_class(s, of, written(s, name, type_node(s, loc, item), loc));
    class_settle(s);
    return type_node(s, loc, t);
}

static bool sequence_of(Sema *s, const Type *result, Loc loc, Sequence *out)
{
    const Class *c = class_of(result);
    const Instance *i = c ? c->sym->instance : NULL;
    if (!i || i->nparams != 1) return false;
    const Type *item = i->params[0]->type;
    out->cursor = instance(s, "YieldCursor", item, loc);
    bool cursor = i->of == scope_library(s, SYM_TYPE, "IEnumerator");
    out->made = cursor ? out->cursor : instance(s, "YieldSequence", item, loc);
    if (cursor || i->of == scope_library(s, SYM_TYPE, "IEnumerable")) return true;
    out->list = instance(s, "List", item, loc);
    Ast like = {.kind = AST_BAD, .type = out->list->type};
    return convert_class(s, &like, result) != CONV_NONE;
}

/* The same by the form of the type. */
static bool sequence_by_name(Sema *s, const Ast *ret, Loc loc, Sequence *out)
{
    if (!ret || ret->kind != AST_TYPE_NAME || !ret->type_name.name || ret->type_name.args.len != 1)
        return false;
    bool cursor = !strcmp(ret->type_name.name, "IEnumerator");
    if (!cursor && strcmp(ret->type_name.name, "IEnumerable") != 0) return false;
    const Ast *item = ret->type_name.args.data[0];
    out->cursor = written(s, "YieldCursor", ast_clone(s->arena, item), loc);
    out->made =
        written(s, cursor ? "YieldCursor" : "YieldSequence", ast_clone(s->arena, item), loc);
    return true;
}

static Ast *made(Sema *s, Loc loc, Ast *type, Ast *argument)
{
    Ast *n = ast_new(s->arena, AST_NEW, loc);
    n->new_.ntype = type;
    n->new_.args = ast_list_add(s->arena, n->new_.args, argument);
    return n;
}

static const Ast *param_by_ref(const Ast *func)
{
    for (int i = 0; i < func->func.params.len; i++) {
        const Ast *p = func->func.params.data[i];
        if (p->kind == AST_PARAM && (p->param.mode == AST_OP_REF || p->param.mode == AST_OP_OUT))
            return p;
    }
    return NULL;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void expand(Sema *s, Ast *func, Loc loc, const Sequence *q)
{
    Ast **body = &func->func.body;
    Ast *outside = tree_block(s, (*body)->loc, 0), *inside = tree_block(s, (*body)->loc, 0);
    copy_params(s, func, outside, inside);
    rewrite(body, s);
    inside->block.stmts = ast_list_add(s->arena, inside->block.stmts, *body);
    Ast *begin = tree_call(s, loc, tree_name(s, loc, "$Begin"), 0);
    Ast *lambda = ast_new(s->arena, AST_LAMBDA, loc), *cursor = ast_new(s->arena, AST_BINDER, loc);
    cursor->binder.vtype = q->cursor;
    cursor->binder.names =
        ast_list_add(s->arena, cursor->binder.names, tree_name(s, loc, CURSOR_NAME));
    lambda->lambda.binders = ast_list_add(s->arena, lambda->lambda.binders, cursor);
    lambda->lambda.body =
        tree_block(s, (*body)->loc, 3, tree_assign(s, loc, member(s, loc, "Frame"), begin),
                   suspend(s, loc), inside);
    Ast *value = made(s, loc, q->made, lambda);
    if (q->list) value = made(s, loc, q->list, value);
    outside->block.stmts = ast_list_add(s->arena, outside->block.stmts, tree_return(s, value));
    *body = outside;
}

static const Ast *first_yield(Sema *s, Ast *func, bool *bad)
{
    Places places = {.s = s};
    find(&func->func.body, &places);
    /* who looks for sequences will not find it */
    if (places.first && !sources_get(s->sources, places.first->loc.file)->library)
        s->disposes = s->lazy = 1;
    *bad = places.bad;
    return places.first;
}

void yield_expand(Sema *s, Ast *func, const Type *result_type)
{
    bool bad;
    const Ast *first = first_yield(s, func, &bad);
    if (!first) return;
    Sequence q = {0};
    const Ast *by_ref = param_by_ref(func);
    bool good = !by_ref && !bad;
    if (by_ref)
        report(s, by_ref->loc, MISPLACED,
               "a function with yield has no ref or out parameters: it runs when its values are "
               "asked for");
    if (!sequence_of(s, result_type, first->loc, &q)) {
        if (result_type != s->error)
            report(s, first->loc, RETURN_VALUE,
                   "a function with yield gives an IEnumerable<T>, an IEnumerator<T> or a List<T>");
        good = false;
    }
    if (good)
        expand(s, func, first->loc, &q);
    else
        func->func.body = tree_block(s, func->func.body->loc, 0);
}

static void visit_local(Ast **child, void *ctx)
{
    Sema *s = ctx;
    Ast *n = *child;
    if (!n) return;
    ast_each_child(n, visit_local, ctx);
    if (n->kind != AST_FUNC || !n->func.body) return;
    Sequence q = {0};
    bool bad;
    const Ast *first = first_yield(s, n, &bad);
    if (first && bad)
        n->func.body = tree_block(s, n->func.body->loc, 0); /* it was told of */
    else if (first && sequence_by_name(s, n->func.ret, first->loc, &q) && !param_by_ref(n))
        expand(s, n, first->loc, &q);
}

void yield_expand_local(Sema *s, Ast *func)
{
    if (func->func.body) ast_each_child(func->func.body, visit_local, s);
}
