/* Which evaluations could be made together? Statements that follow each other, with nothing between
 * them that could tell: definitions, declarations and assignments of variables, each of whose values
 * is evaluated by the device. They become one TOGETHER statement, with a graph that has all the
 * results (fdag/compose/several.c) and the statements as they were: the runtime evaluates that graph before
 * the first, if it can, and the statements find their values there. What evaluates nothing (t = t + dt)
 * may stand between.
 *   before: float[] a = sum(j : x, f(i, j));  float[] b = a + g;
 *   after:  TOGETHER(graph of both, the statements)
 * Values of different ranges are put together if they share expensive work (fdag/compose/apart.c), as a value and its
 * derivatives do.
 * Arrays of a function's block that only the last of the statements reads are not made at all: its graph
 * has what they are (a chain).
 *   before: float[,] h(i, j) = ..;  float[,] y(i, j) = h(i - 1, j) + h(i + 1, j);     h is nowhere else
 *   after:  TOGETHER(graph of y over what h reads, the statements)
 * Scalars after arrays may be of these: one pass stores the arrays and reduces them (fdag/index/point.h).
 *   before: r = r - alpha * q;  float next = sum(r * r);
 * A statement of several results may read what an earlier one of its group assigns only where that is computed: at the
 * same element. What the graph takes from the host is evaluated before the first statement, so it has to
 * be there without a chance of failing: variables, constants, arithmetic. The runtime compares
 * captures, so a variable that is changed after all (through another name) costs time only.
 */
#include "group.h"

/* Adds the longest run of statements from `first` on that are better together; the first behind it.
 */
static size_t add_run(Group *g, size_t first, AstList *out)
{
    Arena *a = g->l->arena;
    for (size_t end = g->steps.len; end > first + 1; end--) {
        size_t from = group_first(g, first), to = group_first(g, end);
        Ast *graph = group_graph_chains(g, first, end) ? group_graph(g, from, to, true) : NULL;
        if (!graph) graph = group_graph(g, from, to, false);
        if (!graph) continue;
        Ast *together = ast_new(a, AST_TOGETHER, g->steps.data[first].stmt->loc);
        together->together.graph = graph;
        for (size_t i = first; i < end; i++)
            together->together.stmts =
                ast_list_add(a, together->together.stmts, g->steps.data[i].stmt);
        *out = ast_list_add(a, *out, together);
        return end;
    }
    *out = ast_list_add(a, *out, g->steps.data[first].stmt);
    return first + 1;
}

/* Ends a group. */
static void flush(Group *g, AstList *out)
{
    for (size_t i = 0; i < g->steps.len;) i = add_run(g, i, out);
    g->steps.len = g->members.len = 0;
}

static void add_stmt(Group *g, AstList *out, Ast *stmt)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t members = g->members.len;
        if (!group_take(g, stmt)) break;
        if (!g->members.len)
            flush(g, out); /* groups begin with an evaluation, which may use what is set here */
        if (!g->steps.len || group_fits(g)) return;
        g->members.len = members;
        g->steps.len--;
        flush(g, out); /* it begins a new one */
    }
    flush(g, out);
    *out = ast_list_add(g->l->arena, *out, stmt);
}

/* Declarations of several variables are as many statements. */
static void add_stmts(Group *g, AstList *out, Ast *stmt)
{
    if (stmt->kind != AST_VAR_DECL || stmt->var_decl.vars.len < 2) {
        add_stmt(g, out, stmt);
        return;
    }
    for (int i = 0; i < stmt->var_decl.vars.len; i++) {
        Ast *one = arena_copy(g->l->arena, stmt, sizeof *stmt);
        one->var_decl.vars = ast_list_add(g->l->arena, (AstList){0}, stmt->var_decl.vars.data[i]);
        add_stmt(g, out, one);
    }
}

static void regroup(Lower *l, AstList *stmts, bool block)
{
    Group g = {.l = l, .block = block ? stmts : NULL};
    AstList out = {0};
    for (int i = 0; i < stmts->len; i++) add_stmts(&g, &out, stmts->data[i]);
    flush(&g, &out);
    *stmts = out;
    vec_free(&g.steps);
    vec_free(&g.members);
    vec_free(&g.first);
    vec_free(&g.slots);
    vec_free(&g.map);
}

static void visit(Ast **child, void *ctx)
{
    Ast *n = *child;
    ast_each_child(n, visit, ctx);
    if (n->kind == AST_BLOCK) regroup(ctx, &n->block.stmts, true);
}

void lower_together(Lower *l)
{
    lower_each_body(l->r, visit, l);
    regroup(l, &l->r->unit->unit.stmts, false);
}
