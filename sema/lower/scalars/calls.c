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
static bool are_plain(const Scalars *s, const AstList *list, int depth);

/* x = e; x++; of a variable. */
static bool sets_plainly(const Scalars *s, const Ast *e, int depth)
{
    const bool sets = e->kind == AST_ASSIGN || e->kind == AST_INCDEC;
    if (!sets || e->sym || e->overflow == AST_OVERFLOW_THROWS) return false;
    const Ast *target = e->kind == AST_ASSIGN ? e->assign.target : e->incdec.target;
    if (target->kind != AST_NAME_REF || target->type->kind != TY_SCALAR) return false;
    const bool divides = e->kind == AST_ASSIGN &&
                         (e->assign.op == AST_OP_DIV || e->assign.op == AST_OP_REM) &&
                         !scalar_is_real(e->assign.value->type->scalar);
    return !divides && (e->kind == AST_INCDEC || is_plain(s, e->assign.value, depth));
}

/* A statement; one that returns only of a function that is called. */
static bool is_plain_stmt(const Scalars *s, const Ast *n, int depth)
{
    if (!n) return true;
    switch (n->kind) {
    case AST_EMPTY:
    case AST_BREAK:
    case AST_CONTINUE: return true;
    case AST_RETURN: return depth && n->return_.value && is_plain(s, n->return_.value, depth);
    case AST_BLOCK: return !n->block.evals && are_plain(s, &n->block.stmts, depth);
    case AST_EXPR_STMT: return sets_plainly(s, n->expr_stmt.expr, depth);
    case AST_VAR_DECL:
        for (int i = 0; i < n->var_decl.vars.len; i++) {
            const Ast *init = n->var_decl.vars.data[i]->declarator.init;
            if (init && !is_plain(s, init, depth)) return false;
        }
        return true;
    case AST_IF:
        return is_plain(s, n->if_.cond, depth) && is_plain_stmt(s, n->if_.then, depth) &&
               is_plain_stmt(s, n->if_.other, depth);
    case AST_FOR:
        return are_plain(s, &n->for_.init, depth) &&
               (!n->for_.cond || is_plain(s, n->for_.cond, depth)) &&
               are_plain(s, &n->for_.step, depth) && is_plain_stmt(s, n->for_.body, depth);
    case AST_WHILE:
        return is_plain(s, n->while_.cond, depth) && is_plain_stmt(s, n->while_.body, depth);
    case AST_DO: return is_plain(s, n->do_.cond, depth) && is_plain_stmt(s, n->do_.body, depth);
    default: return false;
    }
}

static bool are_plain(const Scalars *s, const AstList *list, int depth)
{
    for (int i = 0; i < list->len; i++)
        if (!is_plain_stmt(s, list->data[i], depth)) return false;
    return true;
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
    if (f && (f->self || depth == DEEPEST || !is_plain_stmt(s, f->decl->func.body, depth + 1)))
        return false;
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

/* ---- functions that are given ------------------------------------------------------------------ */

/* What a function value captured, as it is now: each a name. */
static Ast *closed(Scalars *s, const Ast *n)
{
    Ast *copy = ast_clone(s->l->arena, n);
    for (int i = 0; i < copy->closure.captures.len; i++) {
        Ast *c = copy->closure.captures.data[i], *values[SCALARS_MOST];
        FdBox box;
        Symbol *now;
        if (scalars_suits(c->type)) {
            if (!scalars_elements(s, c, &box, values)) return NULL;
            now = arena_new_of(s->l->arena, Symbol);
            *now = (Symbol){.kind = SYM_LOCAL, .name = "$", .type = c->type, .loc = c->loc};
            scalars_declare_all(s, now, c->type, &box, values, c->loc);
        } else {
            if (!type_is_value(c->type)) return NULL;
            scalars_uses(&c, s);
            now = scalars_declare(s, "$", c->type, c, c->loc);
        }
        copy->closure.captures.data[i] = lower_name(s->l->arena, c->loc, now);
    }
    return copy;
}

static bool is_closure(const Ast *n)
{
    return n->kind == AST_CLOSURE && !n->sym->self && called_has_body(n->sym);
}

/* f(a) with f a parameter that stands for a function: the call of that. Others stay. */
static Ast *direct(const Scalars *s, Ast *call)
{
    Arena *arena = s->l->arena;
    const bool applies = call->kind == AST_CALL && call->res == AST_RES_APPLY;
    const int i = applies && call->call.callee->kind == AST_NAME_REF
                      ? scalars_find(s, call->call.callee->sym)
                      : -1;
    const Ast *f = i >= 0 ? s->stands.data[i].value : NULL;
    if (!f || !is_closure(f)) return call;
    Ast *n = ast_new(arena, AST_CALL, call->loc);
    n->type = call->type;
    n->sym = f->sym;
    n->call.callee = lower_name(arena, call->loc, f->sym);
    for (int k = 0; k < f->closure.captures.len; k++)
        n->call.args = ast_list_add(arena, n->call.args, f->closure.captures.data[k]);
    for (int k = 0; k < call->call.args.len; k++)
        n->call.args = ast_list_add(arena, n->call.args, call->call.args.data[k]);
    return n;
}

/* ---- in place --------------------------------------------------------------------------------- */

/* How it was around a function that is put in place. */
typedef struct Around {
    size_t nstands;
    bool fails, top;
} Around;

static Around begin(Scalars *s)
{
    if (!s->nwithin) s->nbody = s->stands.len;
    return (Around){s->stands.len, s->fails, s->top};
}

static void enter(Scalars *s, const Symbol *f)
{
    s->within[s->nwithin++] = f;
    s->fails = false;
}

static void leave(Scalars *s, Around a)
{
    s->nwithin--;
    s->stands.len = a.nstands;
    s->fails = a.fails;
    s->top = a.top;
}

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
        if (!type_is_value(p->type) && !scalars_suits(p->type) &&
            !is_closure(call->call.args.data[i]))
            return NULL;
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
        if (is_closure(arg)) {
            given[i] = (Stand){.sym = p, .value = closed(s, arg)};
            if (!given[i].value) return false;
        } else if (type_is_functional(p->type)) {
            const int stand = scalars_named(s, arg);
            if (!scalars_elements(s, arg, &box, values)) return false;
            if (stand >= 0) s->stands.data[stand].gain += scalars_weight(s);
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

/* Are the statements from number `first` on such that cannot throw? */
static bool added_plain(const Scalars *s, int first)
{
    for (int i = first; i < s->out->len; i++)
        if (!is_plain_stmt(s, s->out->data[i], 0)) return false;
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
        scalars_statement(s, stmt);
        if (s->fails) return NULL;
    }
    return last->return_.value;
}

/* A value inside of the function, evaluated where its parameters have their values; box: NULL of a scalar. */
static bool settle(Scalars *s, Ast *value, const Ast *call, FdBox *box, Ast **out)
{
    if (!box) {
        scalars_uses(&value, s);
        Symbol *made = scalars_declare(s, "$", call->type, value, call->loc);
        out[0] = lower_name(s->l->arena, call->loc, made);
        return true;
    }
    if (!scalars_elements(s, value, box, out)) return false;
    scalars_declare_all(s, NULL, call->type, box, out, call->loc);
    const Stand made = vec_last(&s->stands);
    for (int i = 0; i < scalars_count(box); i++)
        out[i] = lower_name(s->l->arena, call->loc, made.elements[i]);
    return true;
}

bool scalars_call(Scalars *s, Ast *call, FdBox *box, Ast **out)
{
    call = direct(s, call);
    const Symbol *f = suits(s, call);
    if (!f) return false;
    const Around around = begin(s);
    if (!give(s, f, call)) return false;
    const int first = s->out->len;
    enter(s, f);
    s->top = false;
    Ast *value = run(s, f);
    const bool good = value && !s->fails && settle(s, value, call, box, out) && !s->fails &&
                      added_plain(s, first);
    for (size_t i = around.nstands; i < s->stands.len; i++) s->spared += s->stands.data[i].gain;
    leave(s, around);
    return good;
}

/* Is it given an array with elements? */
static bool takes_array(const Scalars *s, const Ast *call)
{
    for (int i = 0; i < call->call.args.len; i++)
        if (scalars_named(s, call->call.args.data[i]) >= 0) return true;
    return false;
}

void scalars_call_before(Scalars *s, Ast **slot)
{
    Ast *call = *slot, *out;
    const AstList before = *s->out;
    const size_t nstands = s->stands.len;
    if (!call || call->kind != AST_CALL || !call->type || call->type->kind != TY_SCALAR) return;
    Ast *one = scalars_called(s, call);
    if (!one && takes_array(s, call) && scalars_call(s, call, NULL, &out)) one = out;
    if (one) {
        *slot = one;
        return;
    }
    *s->out = before;
    s->stands.len = nstands;
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
    call = direct(s, call);
    const Symbol *f = suits(s, call);
    const Ast *body = f ? f->decl->func.body : NULL;
    if (body && body->kind == AST_BLOCK && body->block.stmts.len == 1)
        body = body->block.stmts.data[0];
    if (!body || body->kind != AST_RETURN || !body->return_.value) return NULL;
    const Around around = begin(s);
    Ast *value = NULL;
    enter(s, f);
    if (lend(s, f, call)) {
        value = ast_clone(s->l->arena, body->return_.value);
        scalars_uses(&value, s);
        if (s->fails || !is_plain(s, value, 0)) value = NULL;
    }
    leave(s, around);
    return value;
}
