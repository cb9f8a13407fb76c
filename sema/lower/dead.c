/* A variable of which no statement asks for its array any more, as the next that mentions it gives it another one:
 *
 *   next = 2 * u(i, j) - old(i, j) + ..;     the last that asks for this array of old
 *   old = u;                                 the next mention of old
 *
 * As in x = f(x) (over.c), the result may take that array's memory. The variable gives it up behind the statement: else
 * what is written to the result would be copied first. Nobody can tell: on the way nothing jumps, and there is no try
 * around that might look. */
#include "build.h"

/* Is the next statement behind number `at` that mentions the variable `sym = ..` of other things, and none before it
 * anything that jumps? */
static bool is_given_another(const AstList *stmts, int at, const Symbol *sym)
{
    for (int i = at + 1; i < stmts->len; i++) {
        Ast *s = stmts->data[i];
        if (s->kind != AST_DEFINE && s->kind != AST_VAR_DECL && s->kind != AST_EXPR_STMT)
            return false;
        const Ast *e = s->kind == AST_EXPR_STMT ? s->expr_stmt.expr : NULL;
        if (e && e->kind == AST_ASSIGN && e->assign.op == AST_OP_NONE && !e->sym &&
            e->assign.target->kind == AST_NAME_REF && e->assign.target->sym == sym)
            return lower_uses(s, sym) == 1;
        if (lower_uses(s, sym)) return false;
    }
    return false;
}

/* The graph that a statement evaluates for a variable, as an array; NULL: it does something else. */
static Ast *evaluated(Ast *s)
{
    Ast *value = NULL;
    if (s->kind == AST_DEFINE)
        value = s->define.value;
    else if (s->kind == AST_VAR_DECL && s->var_decl.vars.len == 1)
        value = s->var_decl.vars.data[0]->declarator.init;
    else if (s->kind == AST_EXPR_STMT && s->expr_stmt.expr->kind == AST_ASSIGN &&
             s->expr_stmt.expr->assign.target->kind == AST_NAME_REF)
        value = s->expr_stmt.expr->assign.value;
    bool array = value && value->type && value->type->kind == TY_ARRAY &&
                 value->kind == AST_CONVERT && !value->convert.view;
    return array && value->convert.operand->kind == AST_GRAPH ? value->convert.operand : NULL;
}

typedef struct Place { /* a statement among those of its block */
    const AstList *stmts;
    int at;
} Place;

static bool dies(void *place, const Ast *capture)
{
    const Place *p = place;
    const Symbol *sym = capture->kind == AST_NAME_REF ? capture->sym : NULL;
    return sym && sym->kind == SYM_LOCAL && !sym->cell &&
           lower_uses(p->stmts->data[p->at], sym) == 1 && is_given_another(p->stmts, p->at, sym);
}

static void look_at(Lower *l, const AstList *stmts, int at)
{
    Ast *graph = evaluated(stmts->data[at]);
    Place p = {stmts, at};
    if (!graph || graph->graph.over) return;
    const Ast *dead = lower_over_capture(l, graph, dies, &p);
    if (dead) graph->sym = dead->sym;
}

static void visit(Ast **child, void *ctx)
{
    Ast *n = *child;
    if (n->kind == AST_TRY) return;
    ast_each_child(n, visit, ctx);
    for (int i = 0; n->kind == AST_BLOCK && i < n->block.stmts.len; i++)
        look_at(ctx, &n->block.stmts, i);
}

void lower_dead(Lower *l)
{
    lower_each_body(l->r, visit, l);
}
