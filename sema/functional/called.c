/* Functions that are given to functions which only call them. What a statement gives so is for the host, whose
 * own code runs it: a graph would be interpreted, call by call, at a hundred times the cost.
 *
 *     Sort.By(words, (a, b) => a.Length - b.Length)     By hands `compare` to OrderBy, which calls it: a CLOSURE
 *     Roots(x => x * x - 2)                              a LAMBDA where the body of Roots sums over it, too
 *
 * All of this is done on checked trees; lower/special.c asks the same of lowered ones. */
#include "../check/check.h"

enum { MOST_FOLLOWED = 8, MOST_ROUNDS = 4 };

typedef struct Uses {
    const Symbol *param;
    int depth;          /* of calls that were followed */
    bool inside;        /* of what a graph is made of */
    bool called, other; /* something else than a call is done with it */
} Uses;

bool called_is_name(const Ast *n, const Symbol *sym)
{
    return n && n->kind == AST_NAME_REF && n->sym == sym;
}

bool called_has_body(const Symbol *f)
{
    return f->kind == SYM_FUNC && f->slot < 0 && !f->is_ctor && f->decl &&
           f->decl->kind == AST_FUNC && f->decl->func.body;
}

Symbol *called_function(const Ast *n)
{
    bool is_call = n->kind == AST_CALL && n->res == AST_RES_NONE && !n->order;
    Symbol *f = !is_call ? NULL : n->sym ? n->sym : n->call.callee->sym;
    return f && called_has_body(f) && f->decl->func.params.len == n->call.args.len ? f : NULL;
}

/* Is a graph made of it, so that functions in it are no calls of the host? */
static bool makes_graph(const Ast *n)
{
    if (n->res == AST_RES_REDUCE || n->res == AST_RES_PROMOTE) return true;
    switch (n->kind) {
    case AST_REDUCE:
    case AST_LET:
    case AST_LAMBDA:
    case AST_DEFINE: return true;
    case AST_RANGE:
    case AST_INDEX:
    case AST_UNARY:
    case AST_BINARY:
    case AST_COND:
    case AST_CAST:
    case AST_CONVERT: return n->type && type_is_functional(n->type);
    default: return false;
    }
}

/* A parameter that is handed on, to f's i-th. */
static void hand_on(Uses *u, const Symbol *f, int i)
{
    bool itself = f->decl->func.params.data[i]->sym == u->param;
    if (!itself && !called_only(f, i, u->depth + 1)) u->other = true;
    u->called = u->called || !itself;
}

static void visit_uses(Ast **child, void *ctx);

/* The arguments of f, or what a function of its first parameters is made of. */
static void visit_given(Uses *u, const Symbol *f, AstList given)
{
    for (int i = 0; i < given.len; i++)
        if (called_is_name(given.data[i], u->param) && !u->inside)
            hand_on(u, f, i);
        else
            visit_uses(&given.data[i], u);
}

static void visit_uses(Ast **child, void *ctx)
{
    Uses *u = ctx;
    Ast *n = *child;
    if (!n || u->other) return;
    bool around = u->inside;
    u->inside = around || makes_graph(n);
    const Symbol *f = called_function(n);
    bool applies = n->kind == AST_CALL && n->res == AST_RES_APPLY && !u->inside;
    if (applies && called_is_name(n->call.callee, u->param)) {
        u->called = true;
        for (int i = 0; i < n->call.args.len; i++) visit_uses(&n->call.args.data[i], u);
    } else if (f) {
        if (n->call.callee->kind == AST_MEMBER) visit_uses(&n->call.callee->member.base, u);
        visit_given(u, f, n->call.args);
    } else if (n->kind == AST_CLOSURE && !n->sym->self && called_has_body(n->sym)) {
        visit_given(u, n->sym, n->closure.captures);
    } else {
        if (called_is_name(n, u->param)) u->other = true;
        ast_each_child(n, visit_uses, u);
    }
    u->inside = around;
}

bool called_only(const Symbol *f, int i, int depth)
{
    Ast *func = f->decl;
    const Symbol *param = func->func.params.data[i]->sym;
    bool by_value = param->mode == AST_OP_NONE || param->mode == AST_OP_BY_VALUE;
    if (!by_value || param->type->kind != TY_FUNC || depth > MOST_FOLLOWED) return false;
    Uses u = {.param = param, .depth = depth};
    visit_uses(&func->func.body, &u);
    return u.called && !u.other;
}

/* ---- what statements give -------------------------------------------------------------------- */

typedef struct Given {
    Sema *s;
    bool inside, changed;
} Given;

/* A lambda without ranges whose value is no function. */
static bool is_lambda(const Ast *n)
{
    if (n->kind != AST_LAMBDA || n->type->kind != TY_FUNC || type_is_functional(n->type->result))
        return false;
    for (int i = 0; i < n->nbound; i++)
        if (n->bound[i]->constraint) return false;
    return true;
}

static void visit_calls(Ast **child, void *ctx)
{
    Given *g = ctx;
    Ast *n = *child;
    if (!n) return;
    bool around = g->inside;
    const Symbol *f = called_function(n);
    g->inside = around || makes_graph(n);
    for (int i = 0; f && !g->inside && i < n->call.args.len; i++) {
        Ast **arg = &n->call.args.data[i], *a = *arg;
        bool lambda = is_lambda(a), name = a->kind == AST_NAME_REF && a->sym &&
                                           a->sym->kind == SYM_FUNC && a->type &&
                                           a->type->kind == TY_FUNC && called_has_body(a->sym);
        if ((!lambda && !name) || !called_only(f, i, 0)) continue;
        if (lambda)
            closure_lambda(g->s, arg);
        else
            closure_function(g->s, arg);
        g->changed = true;
    }
    ast_each_child(n, visit_calls, g);
    g->inside = around;
}

/* May kernels need the body, in which lambdas are parts of graphs? */
static bool is_for_kernels(const Symbol *f)
{
    bool fits = !f->impure && !f->writes_params && !type_is_hosted(f->type->result);
    for (int i = 0; i < f->type->nparams; i++) fits = fits && !type_is_hosted(f->type->params[i]);
    return fits;
}

void called_close(Sema *s)
{
    Given g = {.s = s, .changed = true};
    for (int round = 0; round < MOST_ROUNDS && g.changed; round++) {
        g.changed = false;
        for (int i = 0; i < s->unit->unit.stmts.len; i++)
            visit_calls(&s->unit->unit.stmts.data[i], &g);
        for (size_t i = 0; i < s->statics.len; i++) visit_calls(&s->statics.data[i]->decl, &g);
        for (size_t i = 0; i < s->funcs.len; i++)
            if (s->funcs.data[i]->decl->kind == AST_FUNC && !is_for_kernels(s->funcs.data[i]))
                visit_calls(&s->funcs.data[i]->decl->func.body, &g);
        for (size_t i = 0; i < s->closures.len; i++) /* more are made */
            visit_calls(&s->closures.data[i]->decl->func.body, &g);
    }
}
