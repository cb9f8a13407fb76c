/* What chooses by patterns (pattern.c). A switch expression becomes conditionals, one within the other;
 * or a function whose statements return one of the values, where that is not enough: the value is not
 * to be computed twice, some pattern declares a variable, or something is thrown. A switch statement
 * whose labels are no plain constants becomes tests, one after the other.
 */
#include "../check/check.h"

enum { MAX_NESTED = 64 }; /* conditionals: trees are walked recursively */

/* $value is pattern && guard */
static Ast *condition(Sema *s, const Ast *value, const Ast *p, Ast *guard)
{
    Ast *is = ast_new(s->arena, AST_IS, p->loc);
    is->is_.operand = ast_clone(s->arena, value);
    is->is_.target = (Ast *)p;
    return guard ? tree_binary(s, p->loc, AST_OP_LAND, is, guard) : is;
}

/* The condition of an arm or of a label; NULL: always. */
static Ast *test(Sema *s, const Ast *value, const Ast *arm)
{
    bool guarded = arm->kind == AST_ARM;
    const Ast *p = guarded ? arm->arm.pattern : arm;
    Ast *guard = guarded ? arm->arm.guard : NULL;
    if (p->kind == AST_PLACEHOLDER) return guard;
    return condition(s, value, p, guard);
}

/* test ? a : test ? b : c */
static Ast *conditionals(Sema *s, const Ast *value, const AstList *arms)
{
    Ast *chain = arms->data[arms->len - 1]->arm.value;
    for (int i = arms->len - 1; i-- > 0;) {
        Ast *arm = arms->data[i], *cond = ast_new(s->arena, AST_COND, arm->loc);
        cond->cond.cond = test(s, value, arm);
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
        Ast *arm = arms->data[i], *result = arm->arm.value, *cond = test(s, value, arm);
        Ast *stmt = tree_return(s, result);
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
    const Ast *p = arm->arm.pattern;
    bool is_var = p->kind == AST_PATTERN_OF && p->pattern_of.target &&
                  p->pattern_of.target->kind == AST_TYPE_VAR;
    return (p->kind == AST_PLACEHOLDER || is_var) && !arm->arm.guard;
}

/* throw new SwitchExpressionException($value) */
static Ast *no_arm(Sema *s, Loc loc, const Type *t)
{
    Ast *make = ast_new(s->arena, AST_NEW, loc), *throw = ast_new(s->arena, AST_THROW, loc);
    make->new_.ntype = type_node(s, loc, class_library(s, "SwitchExpressionException"));
    if (!type_is_functional(t))
        make->new_.args = ast_list_add(s->arena, make->new_.args, tree_name(s, loc, "$value"));
    throw->throw_.value = make;
    return throw;
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
    if (takes_all(last) || !s->functional) return true;
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
    if (!repeatable || arms->len > MAX_NESTED || !takes_all(arms->data[arms->len - 1])) return true;
    for (int i = 0; i < arms->len; i++) {
        if (pattern_declares(arms->data[i]->arm.pattern)) return true;
        if (arms->data[i]->arm.value->kind == AST_THROW) return true;
    }
    return false;
}

void check_switch_expr(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    bool whole = false;
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
    for (int i = 0; i < arms->len && type_is_functional(t); i++)
        if (pattern_takes_whole(arms->data[i]->arm.pattern, t)) whole = true;
    params =
        ast_list_add(s->arena, params,
                     tree_param(s, loc, type_node(s, loc, whole ? t : result_of(t)), "$value"));
    args = ast_list_add(s->arena, args, n->switch_expr.value);
    bool wanted = hint && !type_is_functional(hint) && hint != s->error;
    Ast *block = statements(s, loc, tree_name(s, loc, "$value"), arms);
    if (!takes_all(arms->data[arms->len - 1]))
        block->block.stmts =
            ast_list_add(s->arena, block->block.stmts, no_arm(s, loc, whole ? t : result_of(t)));
    *slot = local_block(s, "switch", block, params, args, wanted ? hint : NULL);
    if (*slot)
        check_expr(s, slot, hint);
    else
        *slot = n;
}

/* ---- switch statements ----------------------------------------------------------------------- */

/* Ends with break where it would run on behind the switch. */
static Ast *section_of(Sema *s, const Ast *section)
{
    Ast *block = tree_block(s, section->loc, 0);
    block->block.stmts = section->case_.stmts;
    block->block.section = true;
    return block;
}

/* goto case number; */
static Ast *jump_to(Sema *s, Loc loc, int number)
{
    Ast *jump = ast_new(s->arena, AST_GOTO, loc);
    jump->goto_.value = tree_int(s, loc, (uint64_t)number);
    return jump;
}

static void add_section(Sema *s, Ast *sw, Ast *label, AstList stmts)
{
    Ast *section = ast_new(s->arena, AST_CASE, label->loc);
    section->case_.labels = ast_list_add(s->arena, (AstList){0}, label);
    section->case_.stmts = stmts;
    sw->switch_.sections = ast_list_add(s->arena, sw->switch_.sections, section);
}

/* { if (test || test) { .. } } */
static Ast *tested(Sema *s, const Ast *section, const Ast *value, Ast *then)
{
    Ast *choice = ast_new(s->arena, AST_IF, section->loc), *cond = NULL;
    for (int i = 0; i < section->case_.labels.len; i++) {
        const Ast *label = section->case_.labels.data[i];
        Ast *one = test(s, value, label);
        if (!one) one = tree_true(s, label->loc);
        cond = cond ? tree_binary(s, label->loc, AST_OP_LOR, cond, one) : one;
    }
    choice->if_.cond = cond;
    choice->if_.then = then;
    return tree_block(s, section->loc, 1, choice);
}

static bool has_default(const Ast *section)
{
    for (int i = 0; i < section->case_.labels.len; i++)
        if (section->case_.labels.data[i]->kind == AST_DEFAULT_LABEL) return true;
    return false;
}

/* { var $value = value; switch (0) { default: if (test) { .. } .. break; } }, where a section that some
 * goto names is one of its own: default: if (test) goto case 2; .. case 2: .. */
void choose_statements(Sema *s, Ast **slot)
{
    Ast *n = *slot, *last = NULL;
    const char *name = arena_printf(s->arena, "$switch%d", ++s->synthetic);
    Ast *chosen = ast_new(s->arena, AST_SWITCH, n->loc);
    AstList tests = {0};
    const bool *targets = label_targets(s, n);
    for (int i = 0; i < n->switch_.sections.len; i++) {
        const Ast *section = n->switch_.sections.data[i];
        if (section->kind != AST_CASE) continue;
        Ast *then = section_of(s, section);
        if (targets[i]) {
            add_section(s, chosen, tree_int(s, section->loc, (uint64_t)(i + 1)),
                        ast_list_add(s->arena, (AstList){0}, then));
            then = jump_to(s, section->loc, i + 1);
        }
        if (has_default(section)) /* its other labels go there too */
            last = then;
        else
            tests = ast_list_add(s->arena, tests,
                                 tested(s, section, tree_name(s, section->loc, name), then));
    }
    if (!last) last = ast_new(s->arena, AST_BREAK, n->loc);
    add_section(s, chosen, ast_new(s->arena, AST_DEFAULT_LABEL, n->loc),
                ast_list_add(s->arena, tests, last));
    chosen->switch_.value = tree_int(s, n->loc, 0);
    Ast *value = tree_local(s, n->switch_.value->loc, NULL, name, n->switch_.value);
    *slot = tree_block(s, n->loc, 2, value, chosen);
    check_stmt(s, slot);
}
