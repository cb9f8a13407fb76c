/* Declarations of a unit: aliases, constants, functions, types as written. Aliases and constants
 * are resolved when they are first needed, so that they may be used before they appear.
 */
#include <string.h>

#include "check.h"

/* ---- types as written ---------------------------------------------------------------------- */

static const Type *named_type(Sema *s, Ast *t)
{
    const char *name = t->type_name.name;
    ScalarKind k;
    Symbol *sym = scope_user(s, name);
    if (t->type_name.args.len > 0) {
        report(s, t->loc, NOT_SUPPORTED, "generic types are not supported yet");
        return s->error;
    }
    if (sym && sym->kind == SYM_TYPE) {
        t->sym = sym;
        return decl_alias(s, sym);
    }
    if (scalar_from_name(name, strlen(name), &k)) return type_scalar(s->types, k);
    if (!strcmp(name, "string")) return s->string;
    if (!strcmp(name, "void")) return s->voids;
    if (!strcmp(name, "Stopwatch")) return type_object(s->types, name, NULL);
    if (is_future(name))
        report(s, t->loc, NOT_SUPPORTED, "'%s' is not supported yet", name);
    else
        report(s, t->loc, UNKNOWN_TYPE, "there is no type '%s'", name);
    return s->error;
}

const Type *decl_array(Sema *s, Loc loc, const Type *elem, int rank)
{
    if (elem == s->error) return elem;
    if (elem->kind != TY_SCALAR && elem->kind != TY_STRING)
        report(s, loc, NOT_SUPPORTED, "arrays of '%s' are not supported yet",
               type_text(s->arena, elem));
    else if (rank > MAX_ARRAY_RANK)
        report(s, loc, NOT_SUPPORTED, "arrays have at most %d dimensions", MAX_ARRAY_RANK);
    else if (elem->kind == TY_STRING && rank > 1)
        report(s, loc, NOT_SUPPORTED, "arrays of strings have one dimension for now");
    else
        return type_array(s->types, elem, rank);
    return s->error;
}

static const Type *written_function(Sema *s, Ast *t)
{
    const Type *result = decl_type(s, t->type_func.result);
    const Type *params[MAX_PARAMS] = {0};
    int n = t->type_func.params.len;
    bool broken = result == s->error;
    if (n > MAX_PARAMS) {
        report(s, t->loc, NOT_SUPPORTED, "functions of more than %d parameters are not supported",
               MAX_PARAMS);
        return s->error;
    }
    for (int i = 0; i < n; i++) {
        params[i] = decl_type(s, t->type_func.params.data[i]);
        if (params[i] == s->voids) {
            report(s, t->type_func.params.data[i]->loc, UNKNOWN_TYPE, "a parameter cannot be void");
            params[i] = s->error;
        }
        broken = broken || params[i] == s->error;
    }
    if (result == s->voids) {
        report(s, t->type_func.result->loc, UNKNOWN_TYPE, "a functional value has a result");
        broken = true;
    }
    if (!n && !broken) {
        report(s, t->loc, UNKNOWN_TYPE, "a functional type has at least one parameter");
        broken = true;
    }
    return broken ? s->error : type_func(s->types, result, n, params);
}

const Type *decl_type(Sema *s, Ast *t)
{
    const Type *type = s->error;
    switch (t->kind) {
    case AST_TYPE_NAME: /* without a name: made by the checker */
        type = t->type_name.name ? named_type(s, t) : t->type;
        break;
    case AST_TYPE_FUNC: type = written_function(s, t); break;
    case AST_TYPE_ARRAY:
        type = decl_array(s, t->loc, decl_type(s, t->type_array.elem), (int)t->type_array.rank);
        break;
    default: break; /* BAD */
    }
    t->type = type;
    return type;
}

/* ---- aliases, constants -----------------------------------------------------------------------
 */

static bool enter(Sema *s, Symbol *sym, const char *what)
{
    for (const Symbol *r = s->resolving; r; r = r->next)
        if (r == sym) {
            report(s, sym->loc, CYCLE, "the %s '%s' is defined by itself", what, sym->name);
            return false;
        }
    sym->next = s->resolving;
    s->resolving = sym;
    return true;
}

static void leave(Sema *s, Symbol *sym)
{
    s->resolving = sym->next;
    sym->next = NULL;
}

const Type *decl_alias(Sema *s, Symbol *sym)
{
    if (sym->type) return sym->type;
    if (!enter(s, sym, "type")) return sym->type = s->error;
    const Type *t = decl_type(s, sym->decl->type_alias.target);
    if (!sym->type) sym->type = t;
    leave(s, sym);
    return sym->type;
}

/* `type` is what is written, or NULL for var. */
void decl_const_value(Sema *s, Symbol *sym, Ast **init, const Type *type)
{
    const Type *t = s->error;
    if (!*init)
        report(s, sym->loc, NOT_CONSTANT, "the constant '%s' needs a value", sym->name);
    else if (check_value(s, init, type) != s->error && (!type || convert_to(s, init, type, NULL)))
        t = (*init)->type;
    bool text = t == s->string && constant_text(s, *init, &sym->text);
    if (t != s->error && !text && !((*init)->is_const && t->kind == TY_SCALAR)) {
        report(s, (*init)->loc, NOT_CONSTANT, "the value of '%s' is not a constant", sym->name);
        t = s->error;
    }
    if (*init) sym->value = (*init)->value;
    sym->type = type == s->error || sym->type == s->error ? s->error : t;
}

static const Type *written_or_null(Sema *s, Ast *vtype)
{
    return !vtype || vtype->kind == AST_TYPE_VAR ? NULL : decl_type(s, vtype);
}

void decl_const(Sema *s, Symbol *sym)
{
    if (sym->type) return;
    if (!enter(s, sym, "constant")) {
        sym->type = s->error;
        return;
    }
    Symbol *func = s->func;
    int functional = s->functional, index_depth = s->index_depth, quiet = s->quiet;
    const char *defining = s->defining;
    s->func = NULL;
    s->functional = s->index_depth = s->quiet = 0;
    s->defining = NULL;
    for (int i = 0; i < s->unit->unit.decls.len; i++) { /* find the declaration around it */
        Ast *d = s->unit->unit.decls.data[i];
        if (d->kind != AST_VAR_DECL) continue;
        for (int j = 0; j < d->var_decl.vars.len; j++)
            if (d->var_decl.vars.data[j] == sym->decl)
                decl_const_value(s, sym, &sym->decl->declarator.init,
                                 written_or_null(s, d->var_decl.vtype));
    }
    s->func = func;
    s->functional = functional;
    s->index_depth = index_depth;
    s->quiet = quiet;
    s->defining = defining;
    leave(s, sym);
}

/* ---- names of the unit ------------------------------------------------------------------ */

bool decl_is_top_variable(const Sema *s, const char *name)
{
    for (int i = 0; i < s->unit->unit.stmts.len; i++) {
        const Ast *n = s->unit->unit.stmts.data[i];
        if (n->kind == AST_DEFINE && n->define.name == name) return true;
        if (n->kind != AST_VAR_DECL) continue;
        for (int j = 0; j < n->var_decl.vars.len; j++)
            if (n->var_decl.vars.data[j]->declarator.name == name) return true;
    }
    return false;
}

/* The part of a declaration that messages point at: its first line's name is enough. */
static void collect_name(Sema *s, SymKind kind, const char *name, Loc loc, Ast *decl)
{
    Symbol *old = scope_user(s, name);
    Symbol *sym = scope_symbol(s, kind, name, NULL, loc, decl);
    decl->sym = sym;
    if (kind == SYM_FUNC) vec_push(&s->funcs, sym);
    if (!old) {
        scope_bind(s, sym);
    } else if (old->kind == SYM_FUNC && kind == SYM_FUNC) { /* overloads, in source order */
        while (old->next) old = old->next;
        old->next = sym;
    } else {
        report(s, loc, REDECLARED, "'%s' is already declared", name);
        report_note(s, old->loc, "the other declaration of '%s'", name);
    }
}

/* Where the name stands in a function's header: behind its result type. */
static Loc name_loc(const Sema *s, const Ast *decl, uint32_t from, const char *name)
{
    const Source *src = sources_get(s->sources, decl->loc.file);
    size_t len = strlen(name);
    for (size_t at = from; at + len <= src->len && at < decl->loc.end; at++) {
        if (memcmp(src->text + at, name, len)) continue;
        return (Loc){decl->loc.file, (uint32_t)at, (uint32_t)(at + len)};
    }
    return decl->loc;
}

void decl_collect(Sema *s)
{
    AstList *decls = &s->unit->unit.decls;
    for (int i = 0; i < decls->len; i++) {
        Ast *d = decls->data[i];
        if (d->kind == AST_TYPE_ALIAS) {
            Loc loc = name_loc(s, d, d->loc.begin + 4, d->type_alias.name);
            collect_name(s, SYM_TYPE, d->type_alias.name, loc, d);
        } else if (d->kind == AST_CLASS || d->kind == AST_ENUM) {
            check_unknown(s, d);
        } else if (d->kind == AST_FUNC && d->func.tparams.len > 0) {
            report(s, d->loc, NOT_SUPPORTED, "generic functions are not supported yet");
        } else if (d->kind == AST_FUNC) {
            Loc loc = name_loc(s, d, d->func.ret->loc.end, d->func.name);
            collect_name(s, SYM_FUNC, d->func.name, loc, d);
        } else if (d->kind == AST_VAR_DECL) {
            for (int j = 0; j < d->var_decl.vars.len; j++) {
                Ast *v = d->var_decl.vars.data[j];
                if (v->kind == AST_DECLARATOR)
                    collect_name(s, SYM_CONST, v->declarator.name, v->loc, v);
            }
        }
    }
}

/* ---- types of the unit ------------------------------------------------------------------ */

static void resolve_func(Sema *s, Symbol *sym)
{
    Ast *f = sym->decl;
    const Type *result = s->voids;
    const Type *params[MAX_PARAMS] = {0};
    int n = f->func.params.len;
    if (f->func.ret->kind == AST_TYPE_VAR)
        report(s, f->func.ret->loc, NEEDS_TYPE, "the result type of a function is written");
    else
        result = decl_type(s, f->func.ret);
    if (f->func.ret->kind == AST_TYPE_VAR) result = s->error;
    if (n > MAX_PARAMS)
        report(s, sym->loc, NOT_SUPPORTED, "functions of more than %d parameters are not supported",
               MAX_PARAMS);
    for (int i = 0; i < n; i++) {
        Ast *p = f->func.params.data[i];
        const Type *t = p->kind == AST_PARAM ? decl_type(s, p->param.ptype) : s->error;
        if (t == s->voids) {
            report(s, p->loc, UNKNOWN_TYPE, "a parameter cannot be void");
            t = s->error;
        }
        p->type = t;
        if (i < MAX_PARAMS) params[i] = t;
    }
    sym->type = type_func(s->types, result, n < MAX_PARAMS ? n : MAX_PARAMS, params);
    check_attrs(s, &f->func.attrs, ATTR_FUNCTION, sym);
    for (int i = 0; i < n && i < MAX_PARAMS; i++)
        if (params[i] == s->error) return;
    for (Symbol *o = scope_user(s, sym->name); o && o != sym && o->kind == SYM_FUNC; o = o->next) {
        if (!o->type || o->type->nparams != sym->type->nparams) continue;
        bool same = true;
        for (int i = 0; i < o->type->nparams; i++)
            same = same && o->type->params[i] == sym->type->params[i];
        if (!same) continue;
        report(s, sym->loc, REDECLARED, "'%s' is already declared with these parameters",
               sym->name);
        report_note(s, o->loc, "the other declaration of '%s'", sym->name);
        return;
    }
}

void decl_resolve(Sema *s)
{
    AstList *decls = &s->unit->unit.decls;
    for (int i = 0; i < decls->len; i++)
        if (decls->data[i]->kind == AST_TYPE_ALIAS && decls->data[i]->sym)
            decl_alias(s, decls->data[i]->sym);
    for (size_t i = 0; i < s->funcs.len; i++) resolve_func(s, s->funcs.data[i]);
    for (int i = 0; i < decls->len; i++) {
        if (decls->data[i]->kind != AST_VAR_DECL) continue;
        AstList *vars = &decls->data[i]->var_decl.vars;
        for (int j = 0; j < vars->len; j++)
            if (vars->data[j]->sym) decl_const(s, vars->data[j]->sym);
    }
}

/* ---- bodies ----------------------------------------------------------------------------- */

/* `void f() => g();` has a call for a body, not a returned value. */
static void void_body(Ast *body)
{
    if (body->kind != AST_RETURN || !body->return_.value) return;
    Ast *value = body->return_.value;
    body->kind = AST_EXPR_STMT;
    body->expr_stmt.expr = value;
}

static void check_func(Sema *s, Symbol *sym)
{
    Ast *f = sym->decl;
    int errors = diags_errors(s->diags);
    s->func = sym;
    s->ret = sym->type->result;
    scope_push(s);
    s->func_depth = s->depth;
    for (int i = 0; i < f->func.params.len; i++) {
        Ast *p = f->func.params.data[i];
        if (p->kind != AST_PARAM) continue;
        Symbol *param = scope_symbol(s, SYM_PARAM, p->param.name, p->type, p->loc, p);
        param->mode = p->param.mode == AST_OP_NONE ? AST_OP_BY_VALUE : p->param.mode;
        p->sym = param;
        scope_declare(s, param);
    }
    AstList body = {&f->func.body, 1}, *stmts = &body;
    if (s->ret->kind == TY_VOID) void_body(f->func.body);
    if (f->func.body->kind == AST_BLOCK) stmts = &f->func.body->block.stmts;
    check_block(s, stmts);
    scope_pop(s);
    if (diags_errors(s->diags) == errors)
        flow_check(s, f, &f->func.params, stmts, s->ret, sym->name);
}

/* A program of `void|int Main(string[] args)` is the statement that calls it. */
static void call_main(Sema *s)
{
    Symbol *f = scope_user(s, intern_cstr(s->names, "Main"));
    if (s->unit->unit.stmts.len || !f || f->kind != SYM_FUNC) return;
    bool args = f->type->nparams == 1, value = f->type->result == s->integer;
    Ast *call = ast_new(s->arena, AST_CALL, f->loc), *stmt;
    call->call.callee = ast_new(s->arena, AST_NAME_REF, f->loc);
    call->call.callee->name_ref.name = f->name;
    if (args) {
        Ast *a = ast_new(s->arena, AST_NAME_REF, f->loc);
        a->name_ref.name = intern_cstr(s->names, "args");
        call->call.args = ast_list_add(s->arena, call->call.args, a);
    }
    stmt = ast_new(s->arena, value ? AST_RETURN : AST_EXPR_STMT, f->loc);
    if (value)
        stmt->return_.value = call;
    else
        stmt->expr_stmt.expr = call;
    s->unit->unit.stmts = ast_list_add(s->arena, s->unit->unit.stmts, stmt);
}

void decl_bodies(Sema *s)
{
    for (size_t i = 0; i < s->funcs.len; i++) check_func(s, s->funcs.data[i]);
    int errors = diags_errors(s->diags);
    call_main(s);
    s->func = NULL;
    s->ret = NULL;
    scope_push(s);
    s->func_depth = s->depth;
    const Type *strings = type_array(s->types, s->string, 1);
    Symbol *args =
        scope_symbol(s, SYM_PARAM, intern_cstr(s->names, "args"), strings, NOWHERE, NULL);
    args->mode = AST_OP_BY_VALUE;
    s->unit->sym = args;
    scope_bind(s, args);
    scope_push(s); /* its own scope: a program may declare another `args` */
    s->func_depth = s->depth;
    check_block(s, &s->unit->unit.stmts);
    scope_pop(s);
    scope_pop(s);
    if (diags_errors(s->diags) == errors)
        flow_check(s, s->unit, NULL, &s->unit->unit.stmts, s->voids, NULL);
}
