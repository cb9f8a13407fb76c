/* User functions in graphs. One whose parameters and result are scalars becomes an FdUser, with its
 * body as statements if a device can run it, without one (called on the host, with a warning) if
 * not. Functions over functions are inlined where their body is definitions and a return.
 */
#include <string.h>

#include "lower_build.h"

/* ---- inlining -------------------------------------------------------------------------------- */

/* The declarations of a straight-line body, whose last statement is the return. */
static bool is_straight(const Ast *func)
{
    const Ast *body = func->func.body;
    for (int i = 0; i < func->func.params.len; i++) {
        const Symbol *p = func->func.params.data[i]->sym;
        if (!p || p->assigned_again || p->mode == AST_OP_REF || p->mode == AST_OP_OUT) return false;
    }
    if (!body) return false;
    if (body->kind == AST_RETURN) return body->return_.value != NULL;
    if (body->kind != AST_BLOCK || !body->block.stmts.len) return false;
    for (int i = 0; i + 1 < body->block.stmts.len; i++) {
        const Ast *s = body->block.stmts.data[i];
        if (s->kind == AST_DEFINE && s->sym && !s->sym->assigned_again) continue;
        if (s->kind == AST_EMPTY) continue;
        if (s->kind != AST_VAR_DECL) return false;
        for (int k = 0; k < s->var_decl.vars.len; k++) {
            const Ast *d = s->var_decl.vars.data[k];
            if (!d->sym || !d->declarator.init || d->sym->assigned_again) return false;
        }
    }
    const Ast *last = body->block.stmts.data[body->block.stmts.len - 1];
    return last->kind == AST_RETURN && last->return_.value;
}

typedef struct Bound {
    Symbol *sym;
    void *outer;
} Bound;
typedef VEC(Bound) Binds;

static void bind(Binds *b, Symbol *sym, const FdNode *value)
{
    Bound one = {sym, sym->fdag};
    vec_push(b, one);
    sym->fdag = (void *)(uintptr_t)value;
}

static const FdNode *inline_body(Lower *l, const Ast *body, Binds *binds)
{
    if (body->kind == AST_RETURN) return lower_expr(l, body->return_.value);
    for (int i = 0; i + 1 < body->block.stmts.len; i++) {
        const Ast *s = body->block.stmts.data[i];
        if (s->kind == AST_DEFINE) {
            const FdNode *f = lower_let(l, s);
            if (!f) return NULL;
            bind(binds, s->sym, f);
        }
        for (int k = 0; s->kind == AST_VAR_DECL && k < s->var_decl.vars.len; k++) {
            const Ast *d = s->var_decl.vars.data[k];
            if (d->sym->kind == SYM_CONST) continue;
            const FdNode *v = lower_expr(l, d->declarator.init);
            if (!v) return NULL;
            bind(binds, d->sym, v);
        }
    }
    return lower_expr(l, vec_last(&body->block.stmts)->return_.value);
}

/* The value of a straight-line function for arguments that are nodes. */
static const FdNode *inline_call(Lower *l, const Symbol *sym, const FdNode *const *args)
{
    const Ast *func = sym->decl;
    Binds binds = {0};
    bool sealed = l->sealed;
    l->sealed = true;
    vec_push(&l->inlining, sym);
    for (int i = 0; i < func->func.params.len; i++)
        bind(&binds, func->func.params.data[i]->sym, args[i]);
    const FdNode *value = inline_body(l, func->func.body, &binds);
    while (binds.len) {
        binds.len--;
        binds.data[binds.len].sym->fdag = binds.data[binds.len].outer;
    }
    vec_free(&binds);
    l->inlining.len--;
    l->sealed = sealed;
    return value;
}

static void find_binder(Ast **child, void *ctx)
{
    bool *found = ctx;
    Ast *n = *child;
    *found = *found || lower_is_machinery(n) || n->kind == AST_DEFINE;
    if (!*found) lower_each_value(n, find_binder, found);
}

/* Functions of scalars without functional expressions inside become FdUsers: they stay readable,
 * and their text is shared. */
static bool wants_inlining(const Symbol *sym)
{
    const Type *t = sym->type;
    bool found = t->nparams == 0 || t->result->kind != TY_SCALAR;
    for (int i = 0; i < t->nparams; i++) found = found || t->params[i]->kind != TY_SCALAR;
    if (!found) find_binder(&sym->decl->func.body, &found);
    return found;
}

static bool is_inlining(const Lower *l, const Symbol *sym)
{
    for (size_t i = 0; i < l->inlining.len; i++)
        if (l->inlining.data[i] == sym) return true;
    return false;
}

/* ---- FdUsers ------------------------------------------------------------------------------------
 */

static LowerUser *find_user(Lower *l, const Symbol *sym)
{
    for (size_t i = 0; i < l->users.len; i++)
        if (l->users.data[i].sym == sym) return &l->users.data[i];
    return NULL;
}

/* Overloads share a name in C$, users do not. */
static const char *unique_name(Lower *l, const char *name)
{
    const char *unique = name;
    for (int i = 2; fd_user_find(l->fd, unique); i++)
        unique = arena_printf(l->arena, "%s.%d", name, i);
    return unique;
}

/* Lowers the body of a function that was just declared. */
static const FdStmt *user_body(Lower *l, Symbol *sym, FdUser *user)
{
    const AstList *params = &sym->decl->func.params;
    void *outer[FD_MAX_RANK];
    for (int i = 0; i < params->len; i++) {
        Symbol *p = params->data[i]->sym;
        outer[i] = p->fdag;
        user->params[i] = fd_local(l->fd, user->type->params[i], p->name);
        p->fdag = (void *)(uintptr_t)user->params[i];
    }
    bool sealed = l->sealed;
    const Symbol *body = l->body;
    l->sealed = true;
    l->body = sym;
    const FdStmt *stmts = lower_body(l, sym->decl);
    l->sealed = sealed;
    l->body = body;
    for (int i = 0; i < params->len; i++) params->data[i]->sym->fdag = outer[i];
    return stmts;
}

static void report_host_user(Lower *l, const LowerUser *u, Loc loc)
{
    diag(l->diags, loc, DIAG_ON_HOST, "'%s' is called on the host here, element by element: %s",
         u->sym->name, u->why);
    if (u->why_loc.end)
        diag_note(l->diags, u->why_loc, "this is why '%s' stays there", u->sym->name);
}

static const FdNode *use_user(Lower *l, const LowerUser *u, Loc loc)
{
    if (u->busy) return lower_fail(l, loc, "'%s' is recursive", u->sym->name);
    if (u->why && l->body)
        return lower_fail(l, loc, "it calls '%s', which runs on the host", u->sym->name);
    return fd_user(l->fd, u->user);
}

const FdNode *lower_user(Lower *l, Symbol *sym, Loc loc)
{
    const LowerUser *known = find_user(l, sym);
    if (known) return use_user(l, known, loc);
    const FdType *type = sym->type->nparams ? lower_type(l, sym->type) : NULL;
    if (!type || !sym->decl)
        return lower_fail(l, loc,
                          "the parameters and the result of '%s' must be numbers, bools, or "
                          "functions of them",
                          sym->name);
    LowerUser u = {.sym = sym, .busy = true};
    u.user = fd_user_declare(l->fd, unique_name(l, sym->name), type);
    size_t at = l->users.len;
    vec_push(&l->users, u);

    const char *why = l->why; /* what fails inside is a reason, no error */
    Loc why_loc = l->why_loc;
    l->why = NULL;
    bool functional = type->result->nparams > 0;
    for (int i = 0; i < type->nparams; i++) functional = functional || type->params[i]->nparams > 0;
    const FdStmt *body = NULL;
    if (functional)
        lower_fail(l, sym->loc, "it works on functions, and is not only definitions and a return");
    else
        body = user_body(l, sym, u.user);
    u.busy = false;
    u.user->body = body;
    if (!body) {
        u.why = l->why ? l->why : "a device cannot run it";
        u.why_loc = l->why_loc;
        vec_push(&l->host_users, sym);
    }
    l->users.data[at] = u;
    l->why = why;
    l->why_loc = why_loc;
    if (!body && !l->body) report_host_user(l, &u, loc);
    return use_user(l, &u, loc);
}

const FdNode *lower_call(Lower *l, Symbol *sym, int n, const FdNode *const *args, Loc loc)
{
    const FdNode *values[FD_MAX_RANK];
    if (!sym->decl || n > FD_MAX_RANK || n != sym->type->nparams)
        return lower_fail(l, loc, "'%s' cannot be called here", sym->name);
    for (int i = 0; i < n; i++) {
        const FdType *t = lower_type(l, sym->type->params[i]);
        if (!t)
            return lower_fail(l, loc, "parameter %d of '%s' is neither a number nor a function",
                              i + 1, sym->name);
        values[i] = lower_convert(l, args[i], t, loc);
    }
    if (wants_inlining(sym) && is_straight(sym->decl) && !is_inlining(l, sym)) {
        const FdNode *v = inline_call(l, sym, values);
        const FdType *t = lower_type(l, sym->type->result);
        return v && t ? lower_convert(l, v, t, loc) : NULL;
    }
    const FdNode *f = lower_user(l, sym, loc);
    if (!f) return NULL;
    return lower_place(l, fd_apply(l->fd, f, n, values, lower_loc(l, loc)), loc);
}
