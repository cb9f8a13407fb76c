/* Functions that compute small arrays, in the place of their calls (scalars.c):
 *
 *   double[] Force(double[] x) { double r = x[0] + x[1]; return new double[] {-r, r}; }
 *   a = Force(x + h * v);
 *   ->
 *   double x0' = x0 + h * v0, x1' = x1 + h * v1;  double r' = x0' + x1';  a0 = -r';  a1 = r';
 *
 * Their statements follow each other and cannot throw: nobody finds that a function is missing on the way. */
#include "../../check/check.h"
#include "../together/group.h"
#include "scalars.h"

enum { DEEPEST = 3, MOST_STATEMENTS = 40 };

/* ---- what cannot throw ------------------------------------------------------------------------ */

static bool is_plain(const Scalars *s, const Ast *n, int depth);

/* A function that is `return e;`, or e after declarations of numbers. */
static bool is_plain_body(const Scalars *s, const Ast *n, int depth)
{
    if (depth > DEEPEST) return false;
    switch (n->kind) {
    case AST_RETURN: return n->return_.value && is_plain(s, n->return_.value, depth);
    case AST_BLOCK:
        for (int i = 0; i < n->block.stmts.len; i++)
            if (!is_plain_body(s, n->block.stmts.data[i], depth)) return false;
        return true;
    case AST_VAR_DECL:
        for (int i = 0; i < n->var_decl.vars.len; i++) {
            const Ast *d = n->var_decl.vars.data[i];
            if (d->declarator.init && !is_plain(s, d->declarator.init, depth)) return false;
        }
        return true;
    case AST_IF:
        return is_plain(s, n->if_.cond, depth) && is_plain_body(s, n->if_.then, depth) &&
               (!n->if_.other || is_plain_body(s, n->if_.other, depth));
    default: return false;
    }
}

static bool is_plain(const Scalars *s, const Ast *n, int depth)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    if (group_is_plain(n)) return true;
    if (n->type->kind != TY_SCALAR) return false;
    if (n->kind == AST_GRAPH) {
        for (int i = 0; i < n->graph.captures.len; i++)
            if (!is_plain(s, n->graph.captures.data[i], depth)) return false;
        return s->l->graphs.data[n->graph.graph].arithmetic;
    }
    const Symbol *f = called_function(n);
    const bool sums = n->kind == AST_BINARY || n->kind == AST_UNARY || n->kind == AST_COND ||
                      n->kind == AST_CONVERT || n->kind == AST_CAST;
    const Builtin *b = n->kind == AST_CALL ? lower_builtin(n) : NULL;
    const bool pure = b && b->pure && b->op != FD_OP_NONE;
    if (f && (f->self || !is_plain_body(s, f->decl->func.body, depth + 1))) return false;
    if (!f && !pure && (!sums || n->res != AST_RES_NONE)) return false;
    if (n->overflow == AST_OVERFLOW_THROWS) return false;
    const bool divides =
        n->kind == AST_BINARY && (n->binary.op == AST_OP_DIV || n->binary.op == AST_OP_REM);
    if (divides && !scalar_is_real(n->type->scalar)) return false;
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (!is_plain(s, operands[i], depth)) return false;
    return count > 0;
}

/* ---- in place --------------------------------------------------------------------------------- */

/* The function, if it may be in place here. */
static const Symbol *suits(const Scalars *s, const Ast *call)
{
    const Symbol *f = called_function(call);
    if (!f || f->self || s->nwithin == SCALARS_CALLS) return NULL;
    for (int i = 0; i < s->nwithin; i++)
        if (s->within[i] == f) return NULL;
    for (int i = 0; i < f->decl->func.params.len; i++) {
        const Symbol *p = f->decl->func.params.data[i]->sym;
        bool by_value = p->mode == AST_OP_NONE || p->mode == AST_OP_BY_VALUE;
        if (!by_value || p->cell) return NULL;
        if (!type_is_value(p->type) && !scalars_suits(p->type)) return NULL;
    }
    return f;
}

/* Its parameters get what they are given. They are found only when all have it: an argument may name them. */
static bool give(Scalars *s, const Symbol *f, const Ast *call)
{
    Stand given[FD_MAX_PARAMS];
    const AstList *params = &f->decl->func.params;
    if (params->len > FD_MAX_PARAMS) return false;
    for (int i = 0; i < params->len; i++) {
        const Symbol *p = params->data[i]->sym;
        Ast *arg = ast_clone(s->l->arena, call->call.args.data[i]), *values[SCALARS_MOST];
        FdBox box;
        if (type_is_functional(p->type)) {
            if (!scalars_elements(s, arg, &box, values)) return false;
            scalars_declare_all(s, NULL, p->type, &box, values, arg->loc);
            given[i] = vec_last(&s->stands);
            s->stands.len--;
            given[i].sym = p;
        } else {
            scalars_uses(&arg, s);
            given[i] = (Stand){.sym = p};
            given[i].as = scalars_declare(s, p->name, p->type, arg, arg->loc);
            given[i].as->assigned_again = p->assigned_again;
        }
    }
    for (int i = 0; i < params->len; i++) vec_push(&s->stands, given[i]);
    return true;
}

/* Are the statements from number `first` on all declarations and assignments of what cannot throw? */
static bool added_plain(const Scalars *s, int first)
{
    for (int i = first; i < s->out->len; i++) {
        const Ast *n = s->out->data[i];
        if (n->kind == AST_VAR_DECL) {
            const Ast *init = n->var_decl.vars.data[0]->declarator.init;
            if (init && !is_plain(s, init, 0)) return false;
        } else {
            const Ast *e = n->kind == AST_EXPR_STMT ? n->expr_stmt.expr : NULL;
            if (!e || e->kind != AST_ASSIGN || e->overflow == AST_OVERFLOW_THROWS || e->sym ||
                e->assign.target->kind != AST_NAME_REF || !is_plain(s, e->assign.value, 0))
                return false;
        }
    }
    return true;
}

/* The statements before the last, which returns; its value. NULL: it is no such function. */
static Ast *run(Scalars *s, const Symbol *f)
{
    Ast *body = ast_clone(s->l->arena, f->decl->func.body);
    if (body->kind == AST_RETURN) return body->return_.value;
    if (body->kind != AST_BLOCK || !body->block.stmts.len) return NULL;
    const int n = body->block.stmts.len;
    Ast *last = body->block.stmts.data[n - 1];
    if (n > MOST_STATEMENTS || last->kind != AST_RETURN || !last->return_.value) return NULL;
    for (int i = 0; i < n - 1; i++) {
        Ast *stmt = body->block.stmts.data[i];
        if (stmt->kind != AST_VAR_DECL && stmt->kind != AST_DEFINE && stmt->kind != AST_EXPR_STMT &&
            stmt->kind != AST_EMPTY)
            return NULL;
        if (stmt->kind != AST_EMPTY) scalars_statement(s, stmt);
        if (s->fails) return NULL;
    }
    return last->return_.value;
}

bool scalars_call(Scalars *s, Ast *call, FdBox *box, Ast **out)
{
    const Symbol *f = suits(s, call);
    const bool fails = s->fails;
    if (!f) return false;
    if (!s->nwithin) s->nbody = s->stands.len;
    const size_t nstands = s->stands.len;
    if (!give(s, f, call)) return false;
    const int first = s->out->len;
    const bool top = s->top;
    s->within[s->nwithin++] = f;
    s->fails = s->top = false;
    Ast *value = run(s, f);
    bool good = value && !s->fails && scalars_elements(s, value, box, out) && !s->fails;
    if (good) { /* evaluated here, where its parameters have their values */
        scalars_declare_all(s, NULL, call->type, box, out, call->loc);
        const Stand made = vec_last(&s->stands);
        for (int i = 0; i < scalars_count(box); i++)
            out[i] = lower_name(s->l->arena, call->loc, made.elements[i]);
        good = added_plain(s, first);
    }
    s->stands.len = nstands;
    s->nwithin--;
    s->top = top;
    s->fails = fails;
    return good;
}

/* Parameters that stand for arrays with elements, and for expressions; false: there are others, or none of the first. */
static bool lend(Scalars *s, const Symbol *f, const Ast *call)
{
    bool any = false;
    const size_t first = s->stands.len;
    for (int i = 0; i < f->decl->func.params.len; i++) {
        const Symbol *p = f->decl->func.params.data[i]->sym;
        Ast *arg = call->call.args.data[i];
        Stand x = {.sym = p};
        int stand = type_is_functional(p->type) ? scalars_named(s, arg) : -1;
        if (stand >= (int)first) return false;
        if (stand >= 0) {
            x = s->stands.data[stand];
            x.sym = p;
            s->stands.data[stand].gain += scalars_weight(s);
            any = true;
        } else {
            x.value = ast_clone(s->l->arena, arg);
            if (p->type->kind != TY_SCALAR || p->assigned_again) return false;
            scalars_uses(&x.value, s);
            if (!is_plain(s, x.value, 0)) return false;
        }
        vec_push(&s->stands, x);
    }
    return any;
}

Ast *scalars_called(Scalars *s, Ast *call)
{
    const Symbol *f = suits(s, call);
    const Ast *body = f ? f->decl->func.body : NULL;
    const bool fails = s->fails;
    if (body && body->kind == AST_BLOCK && body->block.stmts.len == 1)
        body = body->block.stmts.data[0];
    if (!body || body->kind != AST_RETURN || !body->return_.value) return NULL;
    if (!s->nwithin) s->nbody = s->stands.len;
    const size_t nstands = s->stands.len;
    Ast *value = NULL;
    s->fails = false;
    s->within[s->nwithin++] = f;
    if (lend(s, f, call)) {
        value = ast_clone(s->l->arena, body->return_.value);
        scalars_uses(&value, s);
        if (s->fails || !is_plain(s, value, 0)) value = NULL;
    }
    s->nwithin--;
    s->stands.len = nstands;
    s->fails = fails;
    return value;
}
