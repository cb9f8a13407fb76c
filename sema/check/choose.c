/* Switch expressions: conditionals, one within the other; or a function whose statements return one
 * of the values, where that is not enough: the value is not to be computed twice, some pattern
 * declares a variable, or something is thrown.
 */
#include "check.h"

enum { MAX_NESTED = 64 }; /* conditionals: trees are walked recursively */

/* The condition under which the value fits the pattern; NULL: always. */
static Ast *test(Sema *s, const Ast *value, const Ast *p);

static Ast *both(Sema *s, Loc loc, Ast *a, Ast *b)
{
    return !a ? b : !b ? a : tree_binary(s, loc, AST_OP_LAND, a, b);
}

static Ast *test_type(Sema *s, const Ast *value, Loc loc, Ast *type, const char *name)
{
    Ast *is = ast_new(s->arena, AST_IS, loc);
    is->is_.operand = ast_clone(s->arena, value);
    is->is_.target = ast_clone(s->arena, type);
    is->is_.name = name;
    return is;
}

static Ast *test_tuple(Sema *s, const Ast *value, const Ast *p)
{
    Ast *all = NULL;
    bool written = value->kind == AST_TUPLE && value->tuple.items.len == p->tuple.items.len;
    for (int i = 0; i < p->tuple.items.len; i++) {
        const Ast *item = p->tuple.items.data[i];
        const char *name = arena_printf(s->arena, "Item%d", i + 1);
        const Ast *part = written ? value->tuple.items.data[i]
                                  : tree_member(s, item->loc, ast_clone(s->arena, value), name);
        all = both(s, p->loc, all, test(s, part, item));
    }
    return all;
}

static Ast *test(Sema *s, const Ast *value, const Ast *p)
{
    AstOp op = p->kind == AST_PATTERN ? p->pattern.op : AST_OP_EQ;
    if (p->kind == AST_PLACEHOLDER) return NULL;
    if (p->kind == AST_TUPLE) return test_tuple(s, value, p);
    if (p->kind == AST_PATTERN && p->pattern.target)
        return test_type(s, value, p->loc, p->pattern.target, p->pattern.name);
    if (op == AST_OP_LOR || op == AST_OP_LAND) {
        Ast *a = test(s, value, p->pattern.left), *b = test(s, value, p->pattern.right);
        if (op == AST_OP_LAND) return both(s, p->loc, a, b);
        return a && b ? tree_binary(s, p->loc, op, a, b) : NULL;
    }
    const Symbol *sym = p->kind == AST_NAME_REF ? scope_user(s, p->name_ref.name) : NULL;
    if (sym && sym->kind == SYM_TYPE) {
        Ast *type = ast_new(s->arena, AST_TYPE_NAME, p->loc);
        type->type_name.name = sym->name;
        return test_type(s, value, p->loc, type, NULL);
    }
    const Ast *with = p->kind == AST_PATTERN ? p->pattern.right : p;
    return tree_binary(s, p->loc, op, ast_clone(s->arena, value), ast_clone(s->arena, with));
}

static Ast *condition(Sema *s, const Ast *value, const Ast *arm)
{
    Ast *guard = ast_clone(s->arena, arm->arm.guard);
    return both(s, arm->loc, test(s, value, arm->arm.pattern), guard);
}

/* test ? a : test ? b : c */
static Ast *conditionals(Sema *s, const Ast *value, const AstList *arms)
{
    Ast *chain = arms->data[arms->len - 1]->arm.value;
    for (int i = arms->len - 1; i-- > 0;) {
        Ast *arm = arms->data[i], *cond = ast_new(s->arena, AST_COND, arm->loc);
        cond->cond.cond = condition(s, value, arm);
        cond->cond.then = arm->arm.value;
        cond->cond.other = chain;
        chain = cond;
    }
    return chain;
}

/* { if (test) return a; ... } */
static Ast *statements(Sema *s, Loc loc, const Ast *value, const AstList *arms)
{
    Ast *block = tree_block(s, loc, 0);
    for (int i = 0; i < arms->len; i++) {
        Ast *arm = arms->data[i], *result = arm->arm.value, *cond = condition(s, value, arm);
        Ast *stmt = result->kind == AST_THROW ? result : tree_return(s, result);
        if (cond) {
            Ast *choice = ast_new(s->arena, AST_IF, arm->loc);
            choice->if_.cond = cond;
            choice->if_.then = stmt;
            stmt = tree_block(s, arm->loc, 1, choice); /* variables of patterns end with it */
        }
        block->block.stmts = ast_list_add(s->arena, block->block.stmts, stmt);
    }
    return block;
}

static bool takes_all(const Ast *arm)
{
    return arm->arm.pattern->kind == AST_PLACEHOLDER && !arm->arm.guard;
}

static bool check_arms(Sema *s, const Ast *n)
{
    const AstList *arms = &n->switch_expr.arms;
    for (int i = 0; i < arms->len; i++) {
        if (arms->data[i]->kind != AST_ARM) return false;
        if (i + 1 == arms->len || !takes_all(arms->data[i])) continue;
        report(s, arms->data[i + 1]->loc, SWITCH, "the arm before takes every value");
        return false;
    }
    const Ast *last = arms->data[arms->len - 1];
    if (takes_all(last)) return true;
    report(s, n->loc, SWITCH,
           "a switch expression has a value for all others: end it with _ => ...");
    return false;
}

/* Does it take statements? */
static bool wants_function(const Sema *s, const Ast *n)
{
    const Ast *value = n->switch_expr.value;
    const AstList *arms = &n->switch_expr.arms;
    bool repeatable = s->functional || is_repeatable(value);
    for (int i = 0; value->kind == AST_TUPLE && i < value->tuple.items.len; i++)
        repeatable = i == 0 ? is_repeatable(value->tuple.items.data[i])
                            : repeatable && is_repeatable(value->tuple.items.data[i]);
    if (!repeatable || arms->len > MAX_NESTED) return true;
    for (int i = 0; i < arms->len; i++) {
        const Ast *p = arms->data[i]->arm.pattern;
        if (p->kind == AST_PATTERN && p->pattern.name) return true;
        if (arms->data[i]->arm.value->kind == AST_THROW) return true;
    }
    return false;
}

void check_switch_expr(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    n->type = s->error;
    if (!check_arms(s, n)) return;
    const AstList *arms = &n->switch_expr.arms;
    if (!wants_function(s, n)) {
        *slot = conditionals(s, n->switch_expr.value, arms);
        check_expr(s, slot, hint);
        return;
    }
    const Type *t = peek_type(s, n->switch_expr.value);
    if (t == s->error || t->kind == TY_GROUP || t->kind == TY_NULL || t == s->voids) {
        if (check_value(s, &n->switch_expr.value, NULL)->kind == TY_NULL)
            report(s, n->loc, SWITCH, "null has no type to choose by");
        return;
    }
    Loc loc = n->loc;
    AstList params = {0}, args = {0};
    params = ast_list_add(s->arena, params,
                          tree_param(s, loc, type_node(s, loc, result_of(t)), "$value"));
    args = ast_list_add(s->arena, args, n->switch_expr.value);
    bool wanted = hint && !type_is_functional(hint) && hint != s->error;
    Ast *block = statements(s, loc, tree_name(s, loc, "$value"), arms);
    *slot = local_block(s, "switch", block, params, args, wanted ? hint : NULL);
    if (*slot)
        check_expr(s, slot, hint);
    else
        *slot = n;
}
