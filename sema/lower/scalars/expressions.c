/* What expressions and statements do with variables that have elements (scalars.c). */
#include "scalars.h"

static bool is_apply(const Ast *n)
{
    return (n->kind == AST_INDEX || n->kind == AST_CALL) && n->res == AST_RES_APPLY;
}

/* The element of a variable at indices that are constants, as a name; NULL: it is not known which. */
static Ast *element(Scalars *s, const Ast *n, int stand)
{
    const Stand *x = &s->stands.data[stand];
    const AstList *args = n->kind == AST_INDEX ? &n->index.args : &n->call.args;
    int64_t at = 0;
    if (args->len != x->box.rank) return NULL;
    for (int d = 0; d < args->len; d++) {
        int64_t i;
        if (!scalars_constant(s, args->data[d], &i) || i < x->box.dim[d].lo ||
            i >= x->box.dim[d].hi)
            return NULL;
        at = at * fd_box_length(&x->box, d) + i - x->box.dim[d].lo;
    }
    return lower_name(s->l->arena, n->loc, x->elements[at]);
}

/* What an element is of, by number; -1: of something else. */
static int indexed(const Scalars *s, Ast *n)
{
    if (n->kind != AST_INDEX && !is_apply(n)) return -1;
    return scalars_named(s, *lower_callee(n));
}

/* An index of what is set, or a place that is given away. */
static void visit_target(Scalars *s, Ast **slot)
{
    int stand = scalars_named(s, *slot), of = stand < 0 ? indexed(s, *slot) : -1;
    Ast *one = of >= 0 ? element(s, *slot, of) : NULL;
    if (one)
        *slot = one;
    else if (stand >= 0 || of >= 0)
        scalars_reject(s, stand >= 0 ? stand : of);
    else
        scalars_uses(slot, s);
}

static void visit_name(Scalars *s, Ast **slot)
{
    const Ast *n = *slot;
    int i = scalars_find(s, n->sym);
    if (i < 0) return;
    if (s->stands.data[i].as) {
        *slot = lower_name(s->l->arena, n->loc, s->stands.data[i].as);
        return;
    }
    if (s->stands.data[i].value) {
        *slot = ast_clone(s->l->arena, s->stands.data[i].value);
        return;
    }
    Ast *array = scalars_array(s, i, n->type, n->loc);
    s->stands.data[i].cost += scalars_weight(s);
    if (array)
        *slot = array;
    else
        scalars_reject(s, i);
}

/* A statement that is all of a body. */
static void visit_single(Scalars *s, Ast **slot)
{
    AstList one = ast_list_add(s->l->arena, (AstList){0}, *slot);
    scalars_statements(s, &one);
    if (one.len == 1) {
        *slot = one.data[0];
        return;
    }
    Ast *block = ast_new(s->l->arena, AST_BLOCK, (*slot)->loc);
    block->block.stmts = one;
    *slot = block;
}

static void visit_loop(Scalars *s, Ast *n)
{
    int stand = n->kind == AST_FOREACH ? scalars_named(s, n->foreach_.seq) : -1;
    if (stand >= 0) scalars_reject(s, stand);
    if (n->kind == AST_FOR) scalars_statements(s, &n->for_.init);
    s->loops++;
    if (n->kind == AST_FOR) {
        scalars_uses(&n->for_.cond, s);
        for (int i = 0; i < n->for_.step.len; i++) scalars_uses(&n->for_.step.data[i], s);
        scalars_uses(&n->for_.body, s);
    } else {
        ast_each_child(n, scalars_uses, s);
    }
    s->loops--;
}

/* A graph, which may be of such arrays; a call. */
static bool visit_value(Scalars *s, Ast **slot)
{
    Ast *n = *slot, *with = NULL;
    if (n->kind == AST_GRAPH && n->type->kind == TY_SCALAR) with = scalars_arithmetic(s, n);
    if (n->kind == AST_CALL && n->type && n->type->kind == TY_SCALAR) with = scalars_called(s, n);
    int of = with ? -1 : indexed(s, n);
    if (of >= 0) with = element(s, n, of);
    if (with) *slot = with;
    return with;
}

void scalars_uses(Ast **slot, void *scalars)
{
    Scalars *s = scalars;
    Ast *n = *slot;
    if (!n || visit_value(s, slot)) return;
    switch (n->kind) {
    case AST_NAME_REF: visit_name(s, slot); return;
    case AST_EXPR_STMT: visit_single(s, slot); return;
    case AST_BLOCK:
        if (n->block.evals)
            ast_each_child(n, scalars_uses, s);
        else
            scalars_statements(s, &n->block.stmts);
        return;
    case AST_CASE:
        for (int i = 0; i < n->case_.labels.len; i++) scalars_uses(&n->case_.labels.data[i], s);
        scalars_statements(s, &n->case_.stmts);
        return;
    case AST_FOR:
    case AST_WHILE:
    case AST_DO:
    case AST_FOREACH: visit_loop(s, n); return;
    case AST_ASSIGN:
        visit_target(s, &n->assign.target);
        scalars_uses(&n->assign.value, s);
        return;
    case AST_INCDEC: visit_target(s, &n->incdec.target); return;
    case AST_UNARY:
        if (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT) {
            visit_target(s, &n->unary.operand);
            return;
        }
        break;
    default: break;
    }
    ast_each_child(n, scalars_uses, s);
}
