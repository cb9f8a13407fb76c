/* x = f(x), element by element: the variable gives up its array, so the result may take that array's
 * memory (runtime/evaluate/into.c):
 *
 *   x = x + alpha * p;      each element is read where it is written
 *   x = x(i - 1) + x;       is not: others would read what is new
 *
 * What is known here is how the graph reads it. Whether somebody else has the array, and whether the
 * evaluation can fail half way, is known when the program runs. */
#include "../../fdag/index/footprint/footprint.h"
#include "build.h"

/* The variable that both are, a name or a field. */
static bool is_same(const Ast *target, const Ast *value)
{
    if (target->sym != value->sym || !target->sym) return false;
    if (target->kind == AST_NAME_REF) return value->kind == AST_NAME_REF;
    if (target->kind != AST_MEMBER || target->sym->kind != SYM_FIELD) return false;
    bool own = value->kind == AST_MEMBER && target->member.base->kind == AST_THIS &&
               value->member.base->kind == AST_THIS;
    return lower_is_static(target) ? lower_is_static(value) : own;
}

static bool is_array(const Ast *n)
{
    return n->type && n->type->kind == TY_ARRAY && lower_leaves(n->type) == 1;
}

const Ast *lower_over_capture(Lower *l, Ast *graph, bool (*gives)(void *ctx, const Ast *capture),
                              void *ctx)
{
    const FdGraph *g = l->graphs.data[graph->graph.graph].graph;
    for (int i = 0, slot = 0; i < graph->graph.captures.len; i++) {
        const Ast *c = graph->graph.captures.data[i];
        while (c->kind == AST_CONVERT && is_array(c->convert.operand)) c = c->convert.operand;
        if (is_array(c) && gives(ctx, c) && fd_reads_own_only(g, slot)) {
            graph->graph.over = 1 + (uint64_t)slot;
            return c;
        }
        slot += lower_leaves(c->type);
    }
    return NULL;
}

static bool is_target(void *target, const Ast *capture)
{
    return is_same(target, capture);
}

void lower_over(Lower *l, Ast *assign)
{
    Ast *target = assign->assign.target, *value = assign->assign.value;
    if (assign->assign.op == AST_OP_NONE && is_array(target) && value->kind == AST_CONVERT &&
        !value->convert.view && value->convert.operand->kind == AST_GRAPH)
        lower_over_capture(l, value->convert.operand, is_target, target);
}
