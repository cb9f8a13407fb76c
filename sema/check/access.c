/* a?.b and a?[i]: null where a is null, else what follows, up to the end of the chain.
 *
 *     a?.b.c()             a == null ? null : a.b.c()
 *     a?.Length ?? 0       a == null ? 0 : a.Length
 *     f()?.g();            { var $it = f(); if ($it != null) $it.g(); }
 *
 * The base is evaluated once: one that is not to be repeated is the argument of a function.
 */
#include "check.h"

typedef struct Replace {
    Sema *s;
    const char *name;
    const Ast *by;
} Replace;

static void replace(Ast **child, void *ctx)
{
    const Replace *r = ctx;
    if ((*child)->kind == AST_NAME_REF && (*child)->name_ref.name == r->name)
        *child = ast_clone(r->s->arena, r->by);
    else
        ast_each_child(*child, replace, ctx);
}

static Ast *is_null(Sema *s, Ast *value, AstOp op)
{
    Ast *null = ast_new(s->arena, AST_NULL_LIT, value->loc);
    null->null_lit.plain = true; /* by no operator of a class */
    return tree_binary(s, value->loc, op, value, null);
}

/* The type of the base, which can be null; NULL after a report. */
static const Type *base_type(Sema *s, Ast *n)
{
    Ast **base = &n->cond_access.base;
    const Type *t = peek_type(s, *base);
    if (t == s->error || t->kind == TY_GROUP) {
        check_value(s, base, NULL);
        return NULL;
    }
    if ((type_is_nullable(t) && t->kind != TY_NULL) || nullable_of(t)) return t;
    report(s, (*base)->loc, NEVER_NULL, "a '%s' is never null: leave the ? out",
           type_text(s->arena, t));
    return NULL;
}

/* What the rest is asked of: of a T? its value. */
static Ast *subject(Sema *s, const Type *t, Ast *base)
{
    return nullable_of(t) ? tree_member(s, base->loc, base, "Value") : base;
}

/* base == null ? otherwise : rest, unchecked; NULL after a report. `result`: what the rest is cast to,
 * or NULL. */
static Ast *expand(Sema *s, Ast *n, Ast *otherwise, const Type *hint, const Type *result)
{
    const Type *t = base_type(s, n);
    Ast *base = n->cond_access.base, *rest = n->cond_access.rest;
    if (!t) return NULL;
    bool last = rest->kind != AST_COND_ACCESS;
    if (is_repeatable(base)) {
        Replace r = {s, n->cond_access.it, subject(s, t, ast_clone(s->arena, base))};
        replace(&rest, &r);
        if (!last) {
            rest = expand(s, rest, ast_clone(s->arena, otherwise), hint, result);
            if (!rest) return NULL;
        }
        if (last && result) rest = tree_cast(s, n->loc, type_node(s, n->loc, result), rest);
        Ast *cond = ast_new(s->arena, AST_COND, n->loc);
        cond->cond.cond = is_null(s, ast_clone(s->arena, base), AST_OP_EQ);
        cond->cond.then = otherwise;
        cond->cond.other = rest;
        return cond;
    }
    if (nullable_of(t)) {
        Ast *it = tree_name(s, base->loc, n->cond_access.it);
        Replace r = {s, n->cond_access.it, subject(s, t, it)};
        replace(&rest, &r);
    }
    if (!last && result) /* it is a T? itself */
        ;
    else if (!last)
        rest = tree_binary(s, n->loc, AST_OP_COALESCE, rest, ast_clone(s->arena, otherwise));
    else if (result)
        rest = tree_cast(s, n->loc, type_node(s, n->loc, result), rest);
    Ast *choice = ast_new(s->arena, AST_IF, n->loc);
    choice->if_.cond = is_null(s, tree_name(s, base->loc, n->cond_access.it), AST_OP_EQ);
    choice->if_.then = tree_return(s, otherwise);
    Ast *block = tree_block(s, n->loc, 2, choice, tree_return(s, rest));
    AstList params =
        ast_list_add(s->arena, (AstList){0},
                     tree_param(s, base->loc, type_node(s, base->loc, t), n->cond_access.it));
    AstList args = ast_list_add(s->arena, (AstList){0}, base);
    return local_block(s, "access", block, params, args, hint);
}

/* What the whole gives where nothing is null. */
static const Type *rest_type(Sema *s, const Ast *n)
{
    Ast *rest = ast_clone(s->arena, n);
    while (rest->kind == AST_COND_ACCESS) {
        const Type *t = peek_type(s, rest->cond_access.base);
        Replace r = {s, rest->cond_access.it, subject(s, t, rest->cond_access.base)};
        Ast *next = rest->cond_access.rest;
        replace(&next, &r);
        rest = next;
    }
    return peek_type(s, rest);
}

void check_cond_access_or(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot, *access = n->binary.left;
    const Type *t = rest_type(s, access);
    bool wanted = hint && !type_is_functional(hint) && hint != s->error;
    n->type = s->error;
    if (t != s->error &&
        (type_is_nullable(t) || nullable_of(t))) { /* what follows can be null itself */
        check_cond_access(s, &n->binary.left, NULL);
        if (n->binary.left->type == s->error) return;
        Ast *left = n->binary.left;
        if (n->binary.right->kind == AST_THROW) {
            check_thrown(s, n->binary.right, left->type);
            n->type = n->binary.right->type;
            return;
        }
        check_expr(s, &n->binary.right, t);
        n->binary.left = left;
        binary_checked(s, n);
        return;
    }
    Ast *expanded = expand(s, access, n->binary.right, wanted ? hint : NULL, NULL);
    if (!expanded) return;
    *slot = expanded;
    check_expr(s, slot, hint);
}

void check_cond_access(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    n->type = s->error;
    const Type *t = rest_type(s, n);
    if (t == s->voids && base_type(s, n)) {
        report(s, n->loc, NOT_A_VALUE, "this call has no result");
        return;
    }
    if (t == s->error && !base_type(s, n)) return;
    const Type *result = t->kind == TY_GROUP || t == s->error ? t : nullable_type(s, t, n->loc);
    bool lifted = nullable_of(result) != NULL;
    if (!lifted && t != s->error && t->kind != TY_GROUP && !type_is_nullable(t)) {
        if (base_type(s, n))
            report(s, n->loc, NEVER_NULL,
                   "a '%s' is never null: say what stands for it, as in x?.Length ?? 0",
                   type_text(s->arena, t));
        return;
    }
    bool wanted = hint && !type_is_functional(hint) && hint != s->error;
    Ast *null = ast_new(s->arena, AST_NULL_LIT, n->loc);
    if (lifted) {
        null = ast_new(s->arena, AST_DEFAULT, n->loc);
        null->default_.target = type_node(s, n->loc, result);
    }
    const Type *made = lifted ? result : wanted ? hint : t == s->error ? NULL : t;
    Ast *expanded = expand(s, n, null, made, lifted ? result : NULL);
    if (!expanded) return;
    if (lifted) hint = NULL;
    *slot = expanded;
    check_expr(s, slot, hint);
}

bool cond_access_statement(Sema *s, Ast **slot)
{
    Ast *n = (*slot)->expr_stmt.expr;
    if (n->kind != AST_COND_ACCESS) return false;
    if (!base_type(s, n)) {
        n->type = s->error;
        return true;
    }
    Ast *choice = ast_new(s->arena, AST_IF, n->loc);
    choice->if_.cond =
        is_null(s, tree_name(s, n->cond_access.base->loc, n->cond_access.it), AST_OP_NE);
    choice->if_.then = tree_block(s, n->loc, 1, tree_stmt(s, n->cond_access.rest));
    *slot = tree_block(s, n->loc, 2,
                       tree_local(s, n->loc, NULL, n->cond_access.it, n->cond_access.base), choice);
    check_stmt(s, slot);
    return true;
}
