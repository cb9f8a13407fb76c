/* Which statements can be evaluated together (group.h). */
#include "group.h"

#include <string.h>

enum { MAX_TOGETHER = 16, MAX_STEPS = 24 };

/* ---- what may be part ------------------------------------------------------------------------ */

/* Conversions under which a value stays what it is. */
const Ast *group_bare(const Ast *n)
{
    while (n->kind == AST_CONVERT && n->type->kind == TY_FUNC &&
           type_is_functional(n->convert.operand->type))
        n = n->convert.operand;
    return n;
}

/* The variable that a place is: a name, a field of `this`, a static field. */
const Symbol *group_variable(const Ast *n)
{
    const Symbol *s = n->sym;
    if (n->kind == AST_NAME_REF)
        return s && (s->kind == SYM_LOCAL || s->kind == SYM_PARAM) ? s : NULL;
    if (n->kind != AST_MEMBER || !s || s->kind != SYM_FIELD) return NULL;
    return lower_is_static(n) || n->member.base->kind == AST_THIS ? s : NULL;
}

bool group_is_plain(const Ast *n)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    n = group_bare(n);
    if (n->is_const || group_variable(n)) return true;
    if (n->type->kind != TY_SCALAR || n->res != AST_RES_NONE) return false;
    if (n->overflow == AST_OVERFLOW_THROWS) return false;
    bool divides = false;
    switch (n->kind) {
    case AST_BINARY:
        divides = n->binary.op == AST_OP_DIV || n->binary.op == AST_OP_REM;
        if (divides && !scalar_is_real(n->binary.right->type->scalar) &&
            !(n->binary.right->is_const && n->binary.right->value.i))
            return false;
        break;
    case AST_CALL: {
        const Builtin *b = lower_builtin(n);
        if (!b || !b->pure || b->op == FD_OP_NONE) return false;
        break;
    }
    case AST_UNARY:
    case AST_COND:
    case AST_CAST:
    case AST_CONVERT: break;
    default: return false;
    }
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (!operands[i]->type || operands[i]->type->kind != TY_SCALAR ||
            !group_is_plain(operands[i]))
            return false;
    return count > 0;
}

static bool captures_plain(const Ast *graph)
{
    for (int i = 0; i < graph->graph.captures.len; i++)
        if (!group_is_plain(graph->graph.captures.data[i])) return false;
    return true;
}

bool group_is_made(const Ast *n)
{
    n = group_bare(n);
    return n->kind == AST_GRAPH ? captures_plain(n) : group_variable(n) != NULL;
}

/* Appends the evaluations in a scalar value, in their order. False if there is anything in it that
 * could be seen, or that is not always evaluated. */
static bool scalars_in(Group *g, Ast *n)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    if (n->kind == AST_GRAPH) {
        if (n->type->kind == TY_FUNC || !captures_plain(n)) return false;
        if (g->l->graphs.data[n->graph.graph].arithmetic) return true;
        Member m = {n, NULL};
        vec_push(&g->members, m);
        return true;
    }
    if (group_is_plain(n)) return true;
    const Builtin *b = n->kind == AST_CALL ? lower_builtin(n) : NULL;
    bool known =
        n->kind == AST_UNARY || n->kind == AST_CAST || n->kind == AST_CONVERT ||
        (n->kind == AST_BINARY && n->binary.op != AST_OP_LAND && n->binary.op != AST_OP_LOR) ||
        (b && b->pure && b->op != FD_OP_NONE);
    if (!known || n->res != AST_RES_NONE || n->type->kind != TY_SCALAR) return false;
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (!scalars_in(g, (Ast *)(uintptr_t)operands[i])) return false;
    return count > 0;
}

/* No attributes but those that are in the graphs themselves. */
static bool is_usual(const AstList *attrs)
{
    static const char *const known[] = {"Layout", "Fast", "Precise"};
    for (int i = 0; i < attrs->len; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found = found || !strcmp(attrs->data[i]->attr.name, known[k]);
        if (!found) return false;
    }
    return true;
}

/* The variable and the value of a statement that sets one; NULL: it is another statement. */
static const Symbol *setting(Ast *stmt, Ast **value)
{
    Ast *n = stmt;
    switch (stmt->kind) {
    case AST_DEFINE: *value = n->define.value; return is_usual(&n->define.attrs) ? n->sym : NULL;
    case AST_VAR_DECL:
        if (n->var_decl.vars.len != 1 || n->var_decl.attrs.len) return NULL;
        n = n->var_decl.vars.data[0];
        *value = n->declarator.init;
        return n->sym && n->sym->kind == SYM_LOCAL ? n->sym : NULL;
    case AST_EXPR_STMT:
        n = n->expr_stmt.expr;
        if (n->kind != AST_ASSIGN || n->sym) return NULL;
        if (n->assign.op != AST_OP_NONE && n->assign.value->type->kind != TY_SCALAR) return NULL;
        *value = n->assign.value;
        return group_variable(n->assign.target);
    default: return NULL;
    }
}

/* Of the array behind a view. */
static const Symbol nobodys;

/* Appends a statement and its evaluations, if it has any; false: it cannot be part of a group. */
bool group_take(Group *g, Ast *stmt)
{
    Ast *value = NULL;
    const Symbol *target = setting(stmt, &value);
    if (!target || !value) return false;
    size_t before = g->members.len;
    const Symbol *array = target; /* that is evaluated */
    if (value->kind == AST_CONVERT && value->convert.view) {
        value = value->convert.operand->graph.captures.data[0];
        array = &nobodys;
    }
    bool evaluates = value->kind == AST_CONVERT && value->convert.operand->kind == AST_GRAPH;
    if (value->type->kind == TY_ARRAY && evaluates) {
        Member m = {value->convert.operand, array};
        if (!captures_plain(m.graph)) return false;
        vec_push(&g->members, m);
    } else if (!group_is_plain(value) && !scalars_in(g, value)) {
        g->members.len = before;
        return false;
    }
    Step step = {stmt, target, g->members.len};
    vec_push(&g->steps, step);
    return true;
}

size_t group_first(const Group *g, size_t step)
{
    return step ? g->steps.data[step - 1].end : 0;
}

/* ---- does it fit the group? ------------------------------------------------------------------ */

/* The member, the last from `first` on and before `end`, whose result a capture is; -1: none. */
int group_result_of(const Group *g, const Ast *capture, size_t first, size_t end)
{
    const Symbol *s = group_variable(group_bare(capture));
    for (size_t i = end; s && i > first; i--)
        if (g->members.data[i - 1].target == s) return (int)(i - 1 - first);
    return -1;
}

/* Does n use a variable that one of the first steps sets? */
static bool uses_set(const Group *g, const Ast *n, size_t steps)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    n = group_bare(n);
    const Symbol *s = group_variable(n);
    for (size_t i = 0; s && i < steps; i++)
        if (g->steps.data[i].target == s) return true;
    if (s || n->is_const) return false;
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (uses_set(g, operands[i], steps)) return true;
    return false;
}

/* The array that a step evaluates for its target; NULL: it does something else. */
const Member *group_array(const Group *g, size_t step)
{
    size_t first = group_first(g, step);
    const Step *s = &g->steps.data[step];
    return first < s->end && g->members.data[first].target == s->target ? &g->members.data[first]
                                                                        : NULL;
}

/* Does the last statement fit those before it? */
bool group_fits(const Group *g)
{
    size_t last = g->steps.len - 1, from = group_first(g, last);
    if (g->members.len > MAX_TOGETHER || g->steps.len > MAX_STEPS) return false;
    for (size_t i = 0; i < last; i++)
        if (g->steps.data[i].target == g->steps.data[last].target &&
            (!group_array(g, i) || !group_array(g, last)))
            return false;
    for (size_t k = from; k < g->members.len; k++) {
        const AstList *captures = &g->members.data[k].graph->graph.captures;
        for (int i = 0; i < captures->len; i++) {
            const Ast *c = captures->data[i];
            if (group_result_of(g, c, 0, from) < 0 && uses_set(g, c, last)) return false;
        }
    }
    return true;
}
