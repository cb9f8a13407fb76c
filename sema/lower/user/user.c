/* User functions in graphs: functions, methods and operators of records (`this` is a parameter like
 * others), constructors (functions that give the object). One whose parameters and result are
 * values becomes an FdUser, with its body as statements if a device can run it, without one (called
 * on the host, with a warning) if not. Functions over functions are inlined where their body is
 * definitions and a return. Static fields that a function reads, and fields of the object whose
 * method it is, are parameters more.
 */
#include <string.h>

#include "../../check/check.h"
#include "../build.h"

/* ---- signatures ------------------------------------------------------------------------------ */

Ast **lower_func_body(const Symbol *func)
{
    Ast *d = func->decl;
    return d && d->kind == AST_FUNC ? &d->func.body : NULL;
}

void lower_each_body(const SemaResult *r, void visit(Ast **child, void *ctx), void *ctx)
{
    for (int i = 0; i < r->nfuncs; i++) {
        Ast **body = lower_func_body(r->funcs[i]);
        if (body && *body) visit(body, ctx);
    }
    AstList *stmts = &r->unit->unit.stmts;
    for (int i = 0; i < stmts->len; i++) visit(&stmts->data[i], ctx);
}

/* False for what no graph can call: `ref` parameters, too many of them. */
static bool signature_of(const Symbol *sym, LowerSignature *out)
{
    Ast **body = lower_func_body(sym);
    if (!body || !sym->type) return false;
    const AstList *params = &sym->decl->func.params;
    *out = (LowerSignature){.body = *body};
    out->result = sym->is_ctor ? sym->cls->type : sym->type->result;
    if (sym->self && !sym->is_ctor && type_is_record(sym->self->type))
        out->params[out->n++] = sym->self;
    if (params->len + out->n > FD_MAX_PARAMS) return false;
    for (int i = 0; i < params->len; i++) {
        Symbol *p = params->data[i]->sym;
        if (!p || p->mode == AST_OP_REF || p->mode == AST_OP_OUT) return false;
        out->params[out->n++] = p;
    }
    return true;
}

/* ---- fields of others ------------------------------------------------------------------------ */

bool lower_is_static(const Ast *n)
{
    return n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD && n->res == AST_RES_NONE &&
           (n->sym->mods & AST_MOD_STATIC);
}

/* A static field, or one of `this`, an object. */
static bool is_outer_field(const Ast *n)
{
    return lower_is_static(n) ||
           (n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD &&
            n->member.base->kind == AST_THIS && n->member.base->type->kind == TY_OBJECT);
}

typedef struct Fields {
    VEC(Ast *) found;
    VEC(const Symbol *) seen;
} Fields;

/* Below *child, and in the functions that it names. */
static void find_fields(Ast **child, void *ctx)
{
    Fields *s = ctx;
    Ast *n = *child;
    bool known = false;
    if (is_outer_field(n) && !n->is_const) {
        for (size_t i = 0; i < s->found.len; i++) known = known || s->found.data[i]->sym == n->sym;
        if (!known) vec_push(&s->found, n);
        return;
    }
    if (n->sym && n->sym->kind == SYM_FUNC && n->kind != AST_FUNC) {
        for (size_t i = 0; i < s->seen.len; i++) known = known || s->seen.data[i] == n->sym;
        Ast **body = lower_func_body(n->sym);
        if (!known) vec_push(&s->seen, n->sym);
        if (!known && body && *body) find_fields(body, s);
    }
    ast_each_child(n, find_fields, s);
}

/* Those that the body reads; -1 if more than `max`. */
static int fields_of(Ast *body, Ast **out, int max)
{
    Fields s = {0};
    find_fields(&body, &s);
    int n = s.found.len > (size_t)max ? -1 : (int)s.found.len;
    for (int i = 0; i < n; i++) out[i] = s.found.data[i];
    vec_free(&s.found);
    vec_free(&s.seen);
    return n;
}

const FdNode *lower_outer_field(Lower *l, const Ast *n)
{
    const LowerUser *u = l->in->user;
    if (!u) return lower_is_static(n) ? lower_capture(l, n) : lower_object_field(l, n);
    for (int i = 0; i < u->nfields; i++)
        if (u->fields[i]->sym == n->sym) return l->in->fields[i];
    return lower_fail(l, n->loc, "it reads the field '%s', which is no number", n->member.name);
}

/* ---- inlining -------------------------------------------------------------------------------- */

/* The declarations of a straight-line body, whose last statement is the return. */
static bool is_straight(const LowerSignature *sig)
{
    const Ast *body = sig->body;
    for (int i = 0; i < sig->n; i++)
        if (sig->params[i]->assigned_again) return false;
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
            const Ast *init = d->declarator.init;
            if (!d->sym || !init || d->sym->assigned_again) return false;
            const bool made = init->kind == AST_NEW_ARRAY || init->kind == AST_INIT_LIST;
            if (made && !lower_is_listed(init)) return false;
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
static const FdNode *inline_call(Lower *l, const Symbol *sym, const LowerSignature *sig,
                                 const FdNode *const *args)
{
    Binds binds = {0};
    LowerContext inside;
    lower_enter(l, &inside);
    inside.sealed = true;
    vec_push(&l->inlining, sym);
    for (int i = 0; i < sig->n; i++) bind(&binds, sig->params[i], args[i]);
    const FdNode *value = inline_body(l, sig->body, &binds);
    while (binds.len) {
        binds.len--;
        binds.data[binds.len].sym->fdag = binds.data[binds.len].outer;
    }
    vec_free(&binds);
    l->inlining.len--;
    lower_leave(l);
    return value;
}

typedef struct Hosted {
    VEC(const Symbol *) seen;
    bool found;
} Hosted;

/* Calls of what only the host has, below *child and in the functions that it names. */
static void find_hosted(Ast **child, void *ctx)
{
    Hosted *h = ctx;
    Ast *n = *child;
    const Symbol *sym = n->sym;
    if (sym && sym->kind == SYM_BUILTIN && n->kind == AST_CALL) {
        const Builtin *b = &builtins[sym->builtin];
        bool query = b->space == SPACE_func || b->space == SPACE_any;
        h->found = h->found || (b->op == FD_OP_NONE && b->runtime != ABI_NONE && !query);
    }
    if (sym && sym->kind == SYM_FUNC && n->kind != AST_FUNC) {
        Ast **body = lower_func_body(sym);
        for (size_t i = 0; i < h->seen.len; i++)
            if (h->seen.data[i] == sym) body = NULL;
        if (body) vec_push(&h->seen, sym);
        if (body && *body) find_hosted(body, h);
    }
    if (!h->found) ast_each_child(n, find_hosted, h);
}

static bool is_hosted(const LowerSignature *sig)
{
    Hosted h = {0};
    Ast *body = sig->body;
    find_hosted(&body, &h);
    vec_free(&h.seen);
    return h.found;
}

typedef struct Functional {
    const Lower *l;
    bool found;
} Functional;

/* Functional expressions, and fields that are functions. */
static void find_functional(Ast **child, void *ctx)
{
    Functional *f = ctx;
    Ast *n = *child;
    f->found = f->found || lower_is_machinery(f->l, n) || n->kind == AST_DEFINE ||
               (is_outer_field(n) && type_is_functional(n->type));
    if (!f->found) lower_each_value(n, find_functional, f);
}

/* Functions of values without functional expressions inside become FdUsers: they stay readable,
 * and their text is shared. */
static bool wants_inlining(const Lower *l, const LowerSignature *sig)
{
    Functional f = {l, sig->n == 0 || !type_is_value(sig->result)};
    Ast *body = sig->body;
    for (int i = 0; i < sig->n; i++) f.found = f.found || !type_is_value(sig->params[i]->type);
    if (!f.found && body) find_functional(&body, &f);
    return f.found;
}

static bool is_inlining(const Lower *l, const Symbol *sym)
{
    for (size_t i = 0; i < l->inlining.len; i++)
        if (l->inlining.data[i] == sym) return true;
    return false;
}

/* ---- FdUsers --------------------------------------------------------------------------------- */

static LowerUser *find_user(Lower *l, const Symbol *sym)
{
    for (size_t i = 0; i < l->users.len; i++)
        if (l->users.data[i].sym == sym) return &l->users.data[i];
    return NULL;
}

/* Lowers the body of a function that was just declared: the nodes of its parameters come first,
 * then those of static fields. */
static const FdStmt *user_body(Lower *l, LowerUser *u, const LowerSignature *sig)
{
    void *outer[FD_MAX_PARAMS];
    FdUser *user = u->user;
    for (int i = 0; i < sig->n; i++) {
        outer[i] = sig->params[i]->fdag;
        user->params[i] = fd_local(l->fd, user->type->params[i], sig->params[i]->name);
        sig->params[i]->fdag = (void *)(uintptr_t)user->params[i];
    }
    for (int i = 0; i < u->nfields; i++)
        user->params[sig->n + i] =
            fd_local(l->fd, user->type->params[sig->n + i], u->fields[i]->member.name);
    Text hints = {0};
    LowerContext inside;
    lower_enter(l, &inside);
    inside.sealed = true;
    inside.user = u;
    inside.fields = user->params + sig->n;
    inside.hints = &hints;
    if (u->sym->decl && u->sym->decl->kind == AST_FUNC) lower_hints(l, &u->sym->decl->func.attrs);
    const FdStmt *stmts = lower_body(l, sig);
    lower_leave(l);
    if (hints.len) u->hints = arena_strndup(l->arena, hints.data, hints.len);
    text_free(&hints);
    for (int i = 0; i < sig->n; i++) sig->params[i]->fdag = outer[i];
    return stmts;
}

void lower_report_host(Lower *l, const Symbol *sym, const LowerReason *reason, Loc loc)
{
    if (sym->library) return; /* nobody can change it */
    diag(l->diags, loc, DIAG_ON_HOST, "'%s' is called on the host here, element by element: %s",
         sym->name, reason->why);
    if (reason->loc.end && reason->loc.begin != loc.begin)
        diag_note(l->diags, reason->loc, "this is why '%s' stays there", sym->name);
}

/* Its type as an FdUser, the fields that it reads included; NULL with nfields -1 if they cannot be.
 */
static const FdType *user_type(Lower *l, const LowerSignature *sig, LowerUser *u)
{
    const FdType *params[FD_MAX_PARAMS], *result = lower_type(l, sig->result);
    for (int i = 0; i < sig->n; i++)
        if (!(params[i] = lower_type(l, sig->params[i]->type))) return NULL;
    for (int i = 0; i < u->nfields; i++) {
        const FdType *t = lower_type(l, u->fields[i]->type);
        if (!t) {
            u->nfields = -1;
            return NULL;
        }
        params[sig->n + i] = t;
    }
    int n = sig->n + u->nfields;
    return result && n ? fd_type_func(l->fd, result, n, params) : NULL;
}

/* The laws that [Associative], [Commutative] and [Identity] tell. */
static void laws(Lower *l, const LowerUser *u)
{
    const Symbol *sym = u->sym;
    u->user->associative = sym->associative;
    u->user->commutative = sym->commutative;
    bool sum = sym->cls && !strcmp(sym->name, "operator+") && u->user->type->nparams == 2 &&
               u->user->type->result->record;
    if (!sym->identity && sum) u->user->identity = lower_zero(l, u->user->type->result);
    if (!sym->identity) return;
    LowerContext inside;
    lower_enter(l, &inside);
    inside.sealed = true;
    u->user->identity =
        lower_convert(l, lower_expr(l, sym->identity), u->user->type->result, sym->identity->loc);
    lower_leave(l);
}

/* Without a body it cannot be called: the host would want the object. */
static bool is_object_method(const Symbol *sym)
{
    return sym->self && !sym->is_ctor && !type_is_record(sym->self->type);
}

/* The record of a function that graphs use for the first time, with its body if it can have one. */
static LowerUser *new_user(Lower *l, Symbol *sym, const LowerSignature *sig)
{
    LowerUser u = {.sym = sym, .busy = true};
    u.nfields = sig->body ? fields_of(sig->body, u.fields, FD_MAX_PARAMS - sig->n) : 0;
    const FdType *type = u.nfields < 0 ? NULL : user_type(l, sig, &u);
    bool few = u.nfields >= 0;
    if (!few) {
        u.nfields = 0;
        type = user_type(l, sig, &u);
    }
    if (!type) return NULL;
    u.user = fd_user_declare(l->fd, lower_user_name(l, sym), type);
    size_t at = l->users.len;
    vec_push(&l->users, u);

    LowerReason reason = {0}; /* what fails inside is a reason, no error */
    LowerContext inside;
    lower_enter(l, &inside);
    inside.reason = &reason;
    const FdStmt *body = NULL;
    if (type->result->nparams > 0)
        lower_fail(l, sym->loc, "it gives a function, and is not only definitions and a return");
    else if (!few)
        lower_fail(
            l, sym->loc,
            "it reads too many fields, or one that is no number, record or function of them");
    else if (sig->body)
        body = user_body(l, &u, sig);
    laws(l, &u);
    u.busy = false;
    u.user->body = body;
    if (!body) {
        u.why = reason.why ? reason.why : "a device cannot run it";
        u.why_loc = reason.loc;
        u.nfields = 0; /* the host reads them itself */
        u.user->type = user_type(l, sig, &u);
        u.user->nparams = u.user->type ? u.user->type->nparams : 0;
        if (!is_object_method(sym)) vec_push(&l->host_users, sym);
    }
    l->users.data[at] = u;
    lower_leave(l);
    return &l->users.data[at];
}

/* The record of a function, whose body is lowered when it is first used; NULL with the reason. */
static const LowerUser *user_of(Lower *l, Symbol *sym, Loc loc)
{
    LowerUser *u = find_user(l, sym);
    LowerSignature sig;
    if (!u) {
        u = signature_of(sym, &sig) && sig.n ? new_user(l, sym, &sig) : NULL;
        if (u && u->why && !l->in->user && !is_object_method(sym))
            lower_report_host(l, sym, &(LowerReason){u->why, u->why_loc}, loc);
    }
    if (!u)
        lower_fail(l, loc,
                   "the parameters and the result of '%s' must be numbers, bools, records, or "
                   "functions of them",
                   sym->name);
    else if (u->busy)
        lower_fail(l, loc, "'%s' is recursive", sym->name);
    else if (u->why && l->in->user)
        lower_fail(l, loc, "it calls '%s', which runs on the host", sym->name);
    else if (u->why && is_object_method(sym))
        lower_fail(l, u->why_loc, "%s", u->why);
    else
        return u;
    return NULL;
}

const FdNode *lower_user(Lower *l, Symbol *sym, Loc loc)
{
    const LowerUser *u = user_of(l, sym, loc);
    if (!u) return NULL;
    if (u->nfields)
        return lower_fail(l, loc, "'%s' reads fields, so it cannot be a reduction", sym->name);
    if (sym->decl && sym->decl->kind == AST_FUNC) lower_hints(l, &sym->decl->func.attrs);
    lower_hint_words(l, u->hints);
    return fd_user(l->fd, u->user);
}

const FdNode *lower_construct(Lower *l, Symbol *ctor, int n, const FdNode *const *args, Loc loc)
{
    if (!ctor->is_plain) return lower_call(l, ctor, n, args, loc);
    const FdType *t = lower_type(l, ctor->cls->type);
    const FdNode *fields[FD_MAX_FIELDS];
    if (!t || t->nfields != n)
        return lower_fail(l, loc, "'%s' cannot be part of a functional expression", ctor->name);
    for (int i = 0; i < n; i++) fields[i] = lower_convert(l, args[i], t->fields[i], loc);
    return lower_place(l, fd_make(l->fd, t, fields, lower_loc(l, loc)), loc);
}

const FdNode *lower_call(Lower *l, Symbol *sym, int n, const FdNode *const *args, Loc loc)
{
    LowerSignature sig;
    const FdNode *values[FD_MAX_PARAMS];
    if (!signature_of(sym, &sig) || n != sig.n)
        return lower_fail(l, loc, "'%s' cannot be called here", sym->name);
    if (sym->overridden)
        return lower_fail(l, loc, "which method '%s' is depends on the object", sym->name);
    for (int i = 0; i < n; i++) {
        const FdType *t = lower_type(l, sig.params[i]->type);
        if (!t)
            return lower_fail(l, loc, "parameter %d of '%s' is neither a number nor a function",
                              i + 1, sym->name);
        values[i] = lower_convert(l, args[i], t, loc);
    }
    bool hosted = wants_inlining(l, &sig) && is_straight(&sig) && is_hosted(&sig);
    if (hosted && !type_is_value(sig.result))
        return lower_fail(l, loc,
                          "'%s' gives a function and runs on the host, where no bound variable is",
                          sym->name);
    if (!hosted && wants_inlining(l, &sig) && is_straight(&sig) && !is_inlining(l, sym)) {
        const FdNode *v = inline_call(l, sym, &sig, values);
        if (sym->decl && sym->decl->kind == AST_FUNC) lower_hints(l, &sym->decl->func.attrs);
        const FdType *t = lower_type(l, sig.result);
        return v && t ? lower_convert(l, v, t, loc) : NULL;
    }
    for (int i = 0; i < n; i++)
        if (values[i]->type->nparams && fd_uses_array(values[i]))
            return lower_fail(l, loc, "it gives an array that it made to '%s'", sym->name);
    const LowerUser *u = user_of(l, sym, loc);
    if (!u) return NULL;
    const FdNode *f = fd_user(l->fd, u->user);
    if (sym->decl && sym->decl->kind == AST_FUNC) lower_hints(l, &sym->decl->func.attrs);
    lower_hint_words(l, u->hints);
    Ast *fields[FD_MAX_PARAMS];
    int nfields = u->nfields;
    memcpy(fields, u->fields, sizeof fields);
    for (int i = 0; i < nfields; i++)
        if (!(values[n++] = lower_outer_field(l, fields[i]))) return NULL;
    return lower_place(l, fd_apply(l->fd, f, n, values, lower_loc(l, loc)), loc);
}
