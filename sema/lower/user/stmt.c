/* Bodies of user functions as FdStmt lists: locals and parameters are FD_VAR_LOCAL nodes,
 * functional locals are replaced by their values, every loop is a LOOP that begins with its test, a
 * switch is a LOOP that is left at once. `this` of a constructor is a local record, made anew for
 * each field that is set. What has no statement here fails, and the function stays on the host.
 */
#include "body.h"

static void statement(Body *b, const Ast *n, Tail *out);

FdStmt *body_add(Body *b, Tail *out, FdStmtKind kind, Loc loc)
{
    FdStmt *s = arena_new_of(fd_arena(b->l->fd), FdStmt);
    s->kind = kind;
    s->loc = lower_loc(b->l, loc);
    *out->last = s;
    out->last = &s->next;
    return s;
}

Tail body_tail(FdStmt **list)
{
    return (Tail){NULL, list};
}

void body_fail(Body *b, Loc loc, const char *what)
{
    lower_fail(b->l, loc, "%s", what);
    b->failed = true;
}

/* An expression of a statement. Ranges inside must be given: inference sees graphs, not bodies. */
const FdNode *body_value(Body *b, const Ast *n)
{
    int open = b->l->nopen;
    const FdNode *v = b->failed ? NULL : lower_expr(b->l, n);
    if (v && b->l->nopen != open) {
        body_fail(b, n->loc, "a bound variable inside it has no constraint");
        v = NULL;
    }
    if (!v) b->failed = true;
    return v;
}

void body_set(Body *b, Tail *out, const FdNode *var, const FdNode *v, Loc loc)
{
    if (!v) return;
    FdStmt *s = body_add(b, out, fd_is_element(var) ? FD_STMT_PUT : FD_STMT_SET, loc);
    s->var = var;
    s->expr = lower_convert(b->l, v, var->type, loc);
}

const FdNode *body_truth(Body *b, bool v)
{
    return fd_const(b->l->fd, SC_BOOL, (ScalarValue){.i = v});
}

static const FdNode *inverse(Body *b, const FdNode *v, Loc loc)
{
    return v ? lower_op(b->l, FD_OP_LNOT, 1, &v, loc) : NULL;
}

/* if (!going) break; */
static void leave_unless(Body *b, Tail *out, const FdNode *going, Loc loc)
{
    if (!going) return;
    FdStmt *test = body_add(b, out, FD_STMT_IF, loc);
    test->expr = inverse(b, going, loc);
    Tail then = body_tail(&test->body);
    body_add(b, &then, FD_STMT_BREAK, loc);
}

/* ---- locals ---------------------------------------------------------------------------------- */

static const FdNode *declare(Body *b, Symbol *sym)
{
    const FdType *t = lower_type(b->l, sym->type);
    if (!t || t->nparams) {
        body_fail(b, sym->loc, "it has a local variable that is neither a scalar nor a record");
        return NULL;
    }
    const FdNode *var = fd_local(b->l->fd, t, sym->name);
    sym->fdag = (void *)(uintptr_t)var;
    vec_push(&b->locals, sym);
    return var;
}

static void find_changing(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Symbol *s = (*child)->kind == AST_NAME_REF ? (*child)->sym : NULL;
    bool local = s && (s->kind == SYM_LOCAL || s->kind == SYM_PARAM);
    const FdNode *v = local ? s->fdag : NULL;
    *found = *found || (local && s->assigned_again) || (v && v->kind == FD_VAR && v->extent);
    if (!*found) ast_each_child(*child, find_changing, found);
}

/* A functional local stands for its value, as long as nothing that the value uses changes. */
static void declare_function(Body *b, Symbol *sym, const Ast *n, const FdNode *v)
{
    bool changing = sym->assigned_again;
    Ast *root = (Ast *)(uintptr_t)n;
    find_changing(&root, &changing);
    if (changing) body_fail(b, sym->loc, "it keeps a function of variables that change");
    if (!v) b->failed = true;
    if (b->failed) return;
    sym->fdag = (void *)(uintptr_t)v;
    vec_push(&b->locals, sym);
}

static void var_decl(Body *b, const Ast *n, Tail *out)
{
    for (int i = 0; i < n->var_decl.vars.len && !b->failed; i++) {
        const Ast *d = n->var_decl.vars.data[i], *init = d->declarator.init;
        if (!d->sym || d->sym->kind == SYM_CONST) continue;
        if (type_is_functional(d->sym->type)) {
            if (init && (body_is_new_array(init) || body_array(init))) {
                body_array_decl(b, d, out);
                continue;
            }
            if (!init || d->sym->assigned_again) {
                body_fail(b, d->loc, "it makes an array whose lengths are not known");
                return;
            }
            declare_function(b, d->sym, init, lower_expr(b->l, init));
            continue;
        }
        const FdNode *v = init ? body_value(b, init) : NULL;
        const FdNode *var = b->failed ? NULL : declare(b, d->sym);
        if (!var) return;
        if (!init) v = lower_zero(b->l, var->type);
        body_set(b, out, var, v, d->loc);
    }
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* A variable, or a field of the record that it holds. */
typedef struct Target {
    const FdNode *var;
    int field; /* -1: all of it */
} Target;

static bool is_local(const Ast *n)
{
    if (n->kind != AST_NAME_REF && n->kind != AST_THIS) return false;
    const FdNode *var = n->sym && n->sym->kind != SYM_BOUND ? n->sym->fdag : NULL;
    return var && var->kind == FD_VAR && var->role == FD_VAR_LOCAL;
}

static bool target(Body *b, const Ast *n, Target *out)
{
    const Ast *base = n->kind == AST_MEMBER && n->sym->kind == SYM_FIELD ? n->member.base : n;
    if (base && base->kind == AST_INDEX && body_array(base->index.base)) {
        const FdNode *e = body_value(b, base);
        if (e && fd_is_element(e) && (base == n || e->type->record)) {
            *out = (Target){e, base == n ? -1 : n->sym->field};
            return true;
        }
    }
    if (base && is_local(base)) {
        const FdNode *var = base->sym->fdag;
        if (base == n || var->type->record) {
            *out = (Target){var, base == n ? -1 : n->sym->field};
            return true;
        }
    }
    body_fail(b, n->loc, n->kind == AST_INDEX ? "it writes to an array" : "it writes to this");
    return false;
}

static const FdNode *target_value(Body *b, Target t, Loc loc)
{
    return t.field < 0 ? t.var : fd_field(b->l->fd, t.var, t.field, lower_loc(b->l, loc));
}

static void set_target(Body *b, Tail *out, Target t, const FdNode *v, Loc loc)
{
    if (v && t.field >= 0) {
        v = lower_convert(b->l, v, t.var->type->fields[t.field], loc);
        v = lower_with_field(b->l, t.var, t.field, v, loc);
    }
    body_set(b, out, t.var, v, loc);
}

/* C#'s type of arithmetic on one operand: at least int. */
static ScalarKind widened(ScalarKind k)
{
    bool narrow = k == SC_SBYTE || k == SC_BYTE || k == SC_SHORT || k == SC_USHORT || k == SC_CHAR;
    return narrow ? SC_INT : k;
}

/* var = (its type) (var op v), computed in the type that the checker gave v; shifts in var's. */
static const FdNode *updated(Body *b, const FdNode *old, FdOp op, const FdNode *v, Loc loc)
{
    if (op == FD_OP_NONE || old->type->record || v->type->record || v->type->nparams) {
        body_fail(b, loc, "a device cannot run this assignment");
        return NULL;
    }
    bool shift = op == FD_OP_SHL || op == FD_OP_SHR;
    ScalarKind k = shift ? widened(old->type->scalar) : widened(v->type->scalar);
    const FdType *t = fd_type_scalar(b->l->fd, k);
    const FdNode *args[] = {lower_convert(b->l, old, t, loc),
                            shift ? v : lower_convert(b->l, v, t, loc)};
    return lower_op(b->l, op, 2, args, loc);
}

static void assignment(Body *b, const Ast *n, Tail *out)
{
    Target t;
    if (body_array(n->assign.target)) {
        body_array_assignment(b, body_array(n->assign.target), n, out);
        return;
    }
    const FdNode *v = target(b, n->assign.target, &t) ? body_value(b, n->assign.value) : NULL;
    if (!v) return;
    if (n->assign.op != AST_OP_NONE) {
        const FdNode *args[] = {target_value(b, t, n->loc), v};
        bool user = n->sym && n->sym->kind == SYM_FUNC;
        v = user ? lower_call(b->l, n->sym, 2, args, n->loc)
                 : updated(b, args[0], sema_op(n->assign.op), v, n->loc);
        if (!v) b->failed = true;
    }
    set_target(b, out, t, v, n->loc);
}

static void increment(Body *b, const Ast *n, Tail *out)
{
    Target t;
    if (!target(b, n->incdec.target, &t)) return;
    const FdNode *old = target_value(b, t, n->loc);
    if (n->sym && n->sym->kind == SYM_FUNC) { /* a user's operator */
        const FdNode *v = lower_call(b->l, n->sym, 1, &old, n->loc);
        if (!v) b->failed = true;
        if (v) set_target(b, out, t, v, n->loc);
        return;
    }
    ScalarKind k = widened(old->type->scalar);
    ScalarValue one = scalar_convert((ScalarValue){.i = 1}, SC_INT, k);
    FdOp op = n->incdec.op == AST_OP_ADD ? FD_OP_ADD : FD_OP_SUB;
    set_target(b, out, t, updated(b, old, op, fd_const(b->l->fd, k, one), n->loc), n->loc);
}

/* `: this(..)`: the object that another constructor of the class makes. */
static void chain(Body *b, const Ast *n, Tail *out)
{
    const FdNode *args[FD_MAX_PARAMS];
    const AstList *list = &n->call.args;
    if (list->len > FD_MAX_PARAMS) {
        body_fail(b, n->loc, "it has too many parameters");
        return;
    }
    for (int i = 0; i < list->len; i++)
        if (!(args[i] = body_value(b, list->data[i]))) return;
    const FdNode *v = lower_construct(b->l, n->sym, list->len, args, n->loc);
    if (!v) b->failed = true;
    body_set(b, out, b->made, v, n->loc);
}

static void expression(Body *b, const Ast *n, Tail *out)
{
    if (n->kind == AST_ASSIGN)
        assignment(b, n, out);
    else if (n->kind == AST_INCDEC)
        increment(b, n, out);
    else if (n->kind == AST_CALL && n->call.callee->kind == AST_THIS && b->made)
        chain(b, n, out);
    else
        body_fail(b, n->loc, "it calls this for its effect");
}

/* ---- control --------------------------------------------------------------------------------- */

void body_block(Body *b, const AstList *stmts, Tail *out)
{
    for (int i = 0; i < stmts->len && !b->failed; i++) statement(b, stmts->data[i], out);
}

static void branch(Body *b, const Ast *n, Tail *out)
{
    const FdNode *cond = body_value(b, n->if_.cond);
    if (!cond) return;
    FdStmt *s = body_add(b, out, FD_STMT_IF, n->loc);
    s->expr = cond;
    Tail then = body_tail(&s->body), other = body_tail(&s->other);
    if (n->if_.then) statement(b, n->if_.then, &then);
    if (n->if_.other) statement(b, n->if_.other, &other);
}

void body_next_round(Body *b, Tail *out, Loc loc)
{
    if (!b->again) {
        body_add(b, out, FD_STMT_CONTINUE, loc);
        return;
    }
    b->continued = true;
    body_set(b, out, b->again, body_truth(b, true), loc);
    body_add(b, out, FD_STMT_BREAK, loc);
}

/* The body of a loop: `continue` in it is the loop's own. */
static void looped(Body *b, const Ast *body, Tail *out)
{
    const FdNode *again = b->again;
    b->again = NULL;
    if (body) statement(b, body, out);
    b->again = again;
}

/* while and for: the test comes first. */
static void loop(Body *b, const Ast *cond, const Ast *body, const AstList *steps, Loc loc,
                 Tail *out)
{
    FdStmt *s = body_add(b, out, FD_STMT_LOOP, loc);
    Tail inner = body_tail(&s->body), step = body_tail(&s->other);
    if (cond) leave_unless(b, &inner, body_value(b, cond), cond->loc);
    looped(b, body, &inner);
    if (steps) body_block(b, steps, &step);
}

/* The test after the body also comes after `continue`, so it is the step, tested before the next
 * round. */
static void loop_do(Body *b, const Ast *n, Tail *out)
{
    const FdNode *again = fd_local(b->l->fd, fd_type_scalar(b->l->fd, SC_BOOL), "again");
    body_set(b, out, again, body_truth(b, true), n->loc);
    FdStmt *s = body_add(b, out, FD_STMT_LOOP, n->loc);
    Tail inner = body_tail(&s->body), step = body_tail(&s->other);
    leave_unless(b, &inner, again, n->loc);
    looped(b, n->do_.body, &inner);
    body_set(b, &step, again, body_value(b, n->do_.cond), n->do_.cond->loc);
}

/* What a foreach goes over: numbers of a type from lo up to hi, and the function whose values at them it has;
 * NULL: it has the numbers themselves. */
typedef struct Each {
    const FdNode *lo, *hi, *of;
    const FdType *type;
} Each;

static bool is_sequence(const Type *t)
{
    return type_is_functional(t) && t->nparams == 1 && type_is_value(t->result);
}

static bool each_of(Body *b, const Ast *n, Each *e)
{
    const Ast *seq = n->foreach_.seq;
    while (seq->kind == AST_CONVERT) seq = seq->convert.operand;
    *e = (Each){0};
    if (seq->kind == AST_RANGE) {
        e->lo = body_value(b, seq->range.lo);
        e->hi = body_value(b, seq->range.hi);
        e->type = lower_type(b->l, seq->type->result);
    } else if (is_sequence(seq->type)) {
        e->of = body_value(b, seq);
        if (b->failed) return false;
        e->lo = lower_query(b->l, FD_OP_LOWER, e->of, 0);
        e->hi = lower_query(b->l, FD_OP_UPPER, e->of, 0);
        e->type = e->of->type->params[0];
    } else {
        body_fail(b, n->loc, "it has a foreach over neither a range nor an array of one dimension");
    }
    return !b->failed;
}

static void loop_each(Body *b, const Ast *n, Tail *out)
{
    Each e;
    const FdNode *var = each_of(b, n, &e) ? declare(b, n->sym) : NULL;
    if (!var) return;
    const FdNode *at = fd_local(b->l->fd, e.type, n->sym->name),
                 *end = fd_local(b->l->fd, e.type, "end");
    body_set(b, out, at, e.lo, n->loc);
    body_set(b, out, end, e.hi, n->loc);
    FdStmt *s = body_add(b, out, FD_STMT_LOOP, n->loc);
    Tail inner = body_tail(&s->body), step = body_tail(&s->other);
    const FdNode *ends[] = {at, end}, *value = at;
    leave_unless(b, &inner, lower_op(b->l, FD_OP_LT, 2, ends, n->loc), n->loc);
    if (e.of) value = fd_apply(b->l->fd, e.of, 1, &at, lower_loc(b->l, n->loc));
    body_set(b, &inner, var, value, n->loc);
    looped(b, n->foreach_.body, &inner);
    const FdNode *one = fd_const(b->l->fd, e.type->scalar, (ScalarValue){.i = 1});
    body_set(b, &step, at, updated(b, at, FD_OP_ADD, one, n->loc), n->loc);
}

static void leave(Body *b, const Ast *n, Tail *out)
{
    const FdNode *v = b->made;
    if (!v) v = n->return_.value ? body_value(b, n->return_.value) : NULL;
    if (!v) {
        body_fail(b, n->loc, "it returns nothing");
        return;
    }
    const FdType *t = b->made ? v->type : lower_type(b->l, b->l->in->user->sym->type->result);
    body_add(b, out, FD_STMT_RETURN, n->loc)->expr = lower_convert(b->l, v, t, n->loc);
}

static void statement(Body *b, const Ast *n, Tail *out)
{
    if (b->failed) return;
    switch (n->kind) {
    case AST_BLOCK: body_block(b, &n->block.stmts, out); break;
    case AST_EMPTY: break;
    case AST_VAR_DECL: var_decl(b, n, out); break;
    case AST_DEFINE: declare_function(b, n->sym, n, lower_let(b->l, n)); break;
    case AST_EXPR_STMT: expression(b, n->expr_stmt.expr, out); break;
    case AST_ASSIGN:
    case AST_INCDEC:
    case AST_CALL: expression(b, n, out); break;
    case AST_IF: branch(b, n, out); break;
    case AST_WHILE: loop(b, n->while_.cond, n->while_.body, NULL, n->loc, out); break;
    case AST_DO: loop_do(b, n, out); break;
    case AST_FOR:
        body_block(b, &n->for_.init, out);
        if (!b->failed) loop(b, n->for_.cond, n->for_.body, &n->for_.step, n->loc, out);
        break;
    case AST_FOREACH: loop_each(b, n, out); break;
    case AST_BREAK: body_add(b, out, FD_STMT_BREAK, n->loc); break;
    case AST_CONTINUE: body_next_round(b, out, n->loc); break;
    case AST_SWITCH: body_switch(b, n, out); break;
    case AST_RETURN: leave(b, n, out); break;
    default: body_fail(b, n->loc, "a device cannot run this statement"); break;
    }
}

const FdStmt *lower_body(Lower *l, const LowerSignature *sig)
{
    Body b = {.l = l};
    FdStmt *first = NULL;
    Tail out = body_tail(&first);
    const Symbol *func = l->in->user->sym;
    if (func->is_ctor) {
        b.made = declare(&b, func->self);
        if (b.made) body_set(&b, &out, b.made, lower_zero(l, b.made->type), func->loc);
    }
    statement(&b, sig->body, &out);
    if (b.made && !b.failed) body_add(&b, &out, FD_STMT_RETURN, func->loc)->expr = b.made;
    for (size_t i = 0; i < b.locals.len; i++) b.locals.data[i]->fdag = NULL;
    vec_free(&b.locals);
    return b.failed ? NULL : first;
}
