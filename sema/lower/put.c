/* Elements that are set between evaluations of a whole array:
 *
 *   u = step(u);
 *   u[n / 2, 0] = s;          before: u is made first, and the element is stored
 *                             after: PUT(graph of what u is then, the statement)
 *
 *   graph     let (i, j) i == n / 2 && j == 0 ? s : u(i, j)
 *
 * While u waits, as one of several turns of a loop, it becomes what the graph says (runtime/evaluate/steps/put.c), which
 * is a step of the loop as any other. Else the statement is as ever. Both evaluate what is in it, which nobody can
 * tell. Only for turns that csc foresees: the others are taken back. */
#include "../check/check.h"
#include "build.h"
#include "together/group.h"

/* Is it a number that can be evaluated early, and twice? */
static bool is_early(const Ast *n)
{
    return !n || (n->type && n->type->kind == TY_SCALAR && group_is_plain(n));
}

static bool are_early(const AstList *args)
{
    for (int i = 0; i < args->len; i++) {
        const Ast *range = sema_range_of(args->data[i]);
        if (range ? !is_early(range->range.lo) || !is_early(range->range.hi)
                  : !is_early(args->data[i]))
            return false;
    }
    return true;
}

/* Is it a function that can be made twice, of as many dimensions as the part has ranges, fewer than all? */
static bool is_function(const Ast *n, const Ast *part)
{
    int ranges = 0;
    for (int i = 0; i < part->index.args.len; i++)
        ranges += sema_range_of(part->index.args.data[i]) != NULL;
    const Type *element = part->index.base->type->result;
    return type_is_functional(n->type) && n->type->result == element &&
           n->type->nparams == ranges && ranges > 0 && ranges < part->index.args.len &&
           group_is_made(n);
}

/* Is the operation one of elements as they are? */
static bool is_own(const Ast *assign, const Type *element)
{
    if (assign->assign.op == AST_OP_NONE) return assign->assign.value->type == element;
    const bool real = scalar_is_real(element->scalar);
    const bool wide = real || element->scalar == SC_INT || element->scalar == SC_LONG;
    const AstOp op = assign->assign.op;
    return wide && assign->assign.value->type == element &&
           (op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL || (op == AST_OP_DIV && real));
}

/* The assignment of a statement that sets elements of a variable's array, of two dimensions or more, to one number, or
 * those of an index to a function; NULL: it is another statement. */
static Ast *setting(Ast *stmt)
{
    Ast *n = stmt->kind == AST_EXPR_STMT ? stmt->expr_stmt.expr : NULL;
    if (!n || n->kind != AST_ASSIGN || n->sym || n->overflow == AST_OVERFLOW_THROWS) return NULL;
    const Ast *target = n->assign.target;
    if (target->kind != AST_INDEX || target->sym) return NULL;
    const Type *array = target->index.base->type;
    const bool plain = n->assign.op == AST_OP_NONE;
    bool can = array && array->kind == TY_ARRAY && array->nparams > 1 &&
               array->result->kind == TY_SCALAR && group_variable(target->index.base) &&
               (plain || !sema_is_part(target)) && are_early(&target->index.args);
    if (!can) return NULL;
    bool number = is_own(n, array->result) && is_early(n->assign.value);
    return number || (plain && is_function(n->assign.value, target)) ? n : NULL;
}

/* The variable to which a statement gives an array that is evaluated as a whole, or most of one; NULL: it does something
 * else. */
static const Symbol *evaluated(const Ast *s)
{
    const Ast *n = s->kind == AST_EXPR_STMT ? s->expr_stmt.expr : s;
    if (s->kind == AST_DEFINE) return s->sym;
    if (s->kind == AST_VAR_DECL && s->var_decl.vars.len == 1) return s->var_decl.vars.data[0]->sym;
    if (n->kind != AST_ASSIGN || n->assign.op != AST_OP_NONE || n->sym) return NULL;
    const Ast *target = n->assign.target;
    if (target->kind != AST_INDEX) return group_variable(target);
    const Type *t = n->assign.value->type;
    bool most = type_is_functional(t) && t->nparams == target->index.args.len;
    return most ? group_variable(target->index.base) : NULL;
}

/* Does another statement of the block give the variable an array? */
static bool is_evaluated(const AstList *stmts, const Ast *base)
{
    for (int i = 0; i < stmts->len; i++)
        if (evaluated(stmts->data[i]) == group_variable(base)) return true;
    return false;
}

/* ---- the graph ----------------------------------------------------------------------------------- */

static const FdNode *graph_of(Lower *l, const Ast *n)
{
    const Ast *target = n->assign.target;
    const FdNode *array = lower_capture(l, target->index.base), *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (!array || array->type->nparams > FD_MAX_RANK) return NULL;
    const int rank = array->type->nparams;
    for (int d = 0; d < rank; d++) {
        vars[d] = fd_var(l->fd, array->type->params[d], "i");
        doms[d] = (FdDom){FD_DOM_GIVEN, lower_query(l, FD_OP_LOWER, array, d),
                          lower_query(l, FD_OP_UPPER, array, d)};
    }
    const FdLoc loc = lower_loc(l, n->loc);
    const FdNode *within = lower_is_within(l, array, target, vars);
    const Ast *given = n->assign.value;
    const FdNode *value = given->is_const ? lower_expr(l, given) : lower_capture(l, given);
    const FdNode *old = fd_apply(l->fd, array, rank, vars, loc);
    if (value && value->type->result) value = lower_moved(l, value, array, target, vars);
    if (!within || !value) return NULL;
    if (n->assign.op != AST_OP_NONE) {
        const FdNode *args[2] = {old, value};
        value = fd_apply_op(l->fd, sema_op(n->assign.op), SC_BOOL, 2, args, loc);
    }
    const FdNode *args[3] = {within, value, old};
    return fd_let(l->fd, rank, vars, doms, lower_select(l, args, n->loc), loc);
}

static Ast *put(Lower *l, const AstList *stmts, Ast *stmt)
{
    const Ast *n = setting(stmt);
    if (!n || !is_evaluated(stmts, n->assign.target->index.base)) return stmt;
    Ast *graph = lower_graph(l, graph_of, n, n->assign.target->index.base->type);
    if (!graph) return stmt;
    Ast *both = ast_new(l->arena, AST_PUT, stmt->loc);
    both->put.graph = graph;
    both->put.stmt = stmt;
    return both;
}

static void visit(Ast **child, void *ctx)
{
    Ast *n = *child;
    ast_each_child(n, visit, ctx);
    for (int i = 0; n->kind == AST_BLOCK && i < n->block.stmts.len; i++)
        n->block.stmts.data[i] = put(ctx, &n->block.stmts, n->block.stmts.data[i]);
}

void lower_put(Lower *l)
{
    lower_each_body(l->r, visit, l);
}

/* ---- those that are of no turn ------------------------------------------------------------------- */

static bool is_of_turns(const SemaResult *r, uint64_t graph)
{
    bool is = false;
    for (int i = 0; i < r->nevaluations; i++)
        for (int k = 0; k < r->evaluations[i].nloops; k++) {
            const SemaTurns *t = &r->evaluations[i].loops[k];
            for (int j = 0; j < t->n; j++) is = is || (uint64_t)t->graphs[j] == graph;
        }
    return is;
}

static void take_back(Ast **child, void *r)
{
    Ast *n = *child;
    if (n->kind == AST_PUT && !is_of_turns(r, n->put.graph->graph.graph)) *child = n->put.stmt;
    ast_each_child(*child, take_back, r);
}

void lower_put_back(SemaResult *r)
{
    lower_each_body(r, take_back, r);
}
