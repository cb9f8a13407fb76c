/* Declarations of a unit: aliases, constants, functions. Aliases and constants
 * are resolved when they are first needed, so that they may be used before they appear.
 */
#include <string.h>

#include "../../parser/foreign.h"
#include "../check/check.h"

/* ---- aliases, constants ---------------------------------------------------------------------- */

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
    if (sym->type || sym->generic) return sym->type ? sym->type : s->error;
    if (sym->decl->kind == AST_CLASS) return class_type(s, sym);
    if (!enter(s, sym, "type")) return sym->type = s->error;
    if (sym->decl->kind == AST_ENUM) {
        enum_type(s, sym);
    } else {
        Context saved = context_enter(s, sym);
        const Type *t = decl_type(s, sym->decl->type_alias.target);
        if (!sym->type) sym->type = t;
        context_leave(s, &saved);
    }
    leave(s, sym);
    return sym->type;
}

/* `type` is what is written, or NULL for var. */
void decl_const_value(Sema *s, Symbol *sym, Ast **init, const Type *type)
{
    const Type *t = s->error;
    bool none = *init && (*init)->kind == AST_NULL_LIT && type; /* its text has no bytes */
    if (!*init)
        report(s, sym->loc, NOT_CONSTANT, "the constant '%s' needs a value", sym->name);
    else if (check_value(s, init, type) != s->error && (!type || convert_to(s, init, type, NULL)))
        t = (*init)->type;
    bool text = none || (t == s->string && constant_text(s, *init, &sym->text));
    bool made = t != s->error && class_of(t) && constant_decimal(*init);
    if (made) sym->made = *init;
    if (t != s->error && !text && !made && !((*init)->is_const && t->kind == TY_SCALAR)) {
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
    Context saved = context_enter(s, sym);
    decl_const_value(s, sym, &sym->decl->declarator.init, written_or_null(s, sym->written));
    context_leave(s, &saved);
    leave(s, sym);
}

/* ---- names of the unit ------------------------------------------------------------------ */

bool decl_is_top_variable(const Sema *s, const char *name)
{
    const Symbol *f = s->func;
    if (f && (f->imported || (f->cls && f->cls->sym->imported))) return false; /* of a module */
    for (int i = 0; i < s->unit->unit.stmts.len; i++) {
        const Ast *n = s->unit->unit.stmts.data[i];
        if (n->kind == AST_DEFINE && n->define.name == name) return true;
        if (n->kind != AST_VAR_DECL) continue;
        for (int j = 0; j < n->var_decl.vars.len; j++)
            if (n->var_decl.vars.data[j]->declarator.name == name) return true;
    }
    return false;
}

/* The type parameters of a declaration; NULL: it is not that of a class or delegate. */
static const AstList *type_params(const Ast *decl)
{
    if (!decl) return NULL;
    return decl->kind == AST_TYPE_ALIAS ? &decl->type_alias.tparams
           : decl->kind == AST_CLASS    ? &decl->class_.tparams
                                        : NULL;
}

/* Types of one name have different numbers of type parameters. */
static bool types_differ(const Symbol *old, const Ast *decl)
{
    const AstList *mine = type_params(decl);
    for (; mine && old; old = old->other) {
        const AstList *other = type_params(old->decl);
        if (!other || other->len == mine->len) return false;
    }
    return mine != NULL;
}

/* Declarations of a file hide those of the files before it: the library's and modules'. A function
 * may have overloads; those of a module join those of modules before it, which do not see them:
 * the list goes from the newest file to older ones. */
static Symbol *collect_name(Sema *s, SymKind kind, const char *name, Loc loc, Ast *decl)
{
    Symbol *old = scope_user(s, name);
    Symbol *sym = scope_symbol(s, kind, name, NULL, loc, decl);
    sym->imported = !s->unit_depth;
    sym->library = sym->imported && sources_get(s->sources, loc.file)->library;
    sym->slot = -1;
    decl->sym = sym;
    bool functions = old && old->kind == SYM_FUNC && kind == SYM_FUNC;
    if (!old || old->loc.file != loc.file) {
        if (functions && (sym->imported || s->unit->unit.session) && !old->library) sym->next = old;
        scope_bind(s, sym);
    } else if (functions) { /* in source order */
        while (old->next && old->next->loc.file == loc.file) old = old->next;
        sym->next = old->next;
        old->next = sym;
    } else if (kind == SYM_TYPE && types_differ(old, decl)) {
        while (old->other) old = old->other;
        old->other = sym;
    } else {
        report(s, loc, REDECLARED, "'%s' is already declared", name);
        report_note(s, old->loc, "the other declaration of '%s'", name);
    }
    return sym;
}

Loc decl_name_loc(const Sema *s, Loc loc, uint32_t from, const char *name)
{
    const Source *src = sources_get(s->sources, loc.file);
    size_t len = strlen(name);
    for (size_t at = from; at + len <= src->len && at < loc.end; at++) {
        if (memcmp(src->text + at, name, len)) continue;
        return (Loc){loc.file, (uint32_t)at, (uint32_t)(at + len)};
    }
    return loc;
}

int decl_depth(const Sema *s, const Symbol *decl)
{
    if (decl->cls) decl = decl->cls->sym;
    for (size_t i = 0; decl->imported && i < s->files.len; i++)
        if (s->files.data[i] == decl->loc.file) return (int)i;
    return s->unit_depth;
}

static void collect(Sema *s, Ast *d)
{
    Symbol *sym;
    Loc loc;
    switch (d->kind) {
    case AST_TYPE_ALIAS:
        loc = decl_name_loc(s, d->loc, d->loc.begin + 4, d->type_alias.name);
        sym = collect_name(s, SYM_TYPE, d->type_alias.name, loc, d);
        if (d->type_alias.tparams.len) generic_declare(s, sym, &d->type_alias.tparams);
        break;
    case AST_CLASS:
        loc = decl_name_loc(s, d->loc, d->loc.begin, d->class_.name);
        sym = collect_name(s, SYM_TYPE, d->class_.name, loc, d);
        if (d->class_.tparams.len) generic_declare(s, sym, &d->class_.tparams);
        extension_collect(s, sym, d);
        break;
    case AST_ENUM:
        loc = decl_name_loc(s, d->loc, d->loc.begin + 4, d->enum_.name);
        collect_name(s, SYM_TYPE, d->enum_.name, loc, d);
        break;
    case AST_FUNC:
        loc = decl_name_loc(s, d->loc, d->func.ret->loc.end, d->func.name);
        sym = collect_name(s, SYM_FUNC, d->func.name, loc, d);
        if (d->func.tparams.len) generic_declare(s, sym, &d->func.tparams);
        vec_push(&s->declared, sym);
        extension_collect(s, sym, d);
        break;
    case AST_VAR_DECL:
        for (int j = 0; j < d->var_decl.vars.len; j++) {
            Ast *v = d->var_decl.vars.data[j];
            if (v->kind != AST_DECLARATOR) continue;
            sym = collect_name(s, SYM_CONST, v->declarator.name, v->loc, v);
            sym->written = d->var_decl.vtype;
        }
        break;
    default: break;
    }
}

/* A file sees the names of the files that are read before it, its own first: what it uses is among
 * them, and what uses it is not. */
void decl_collect(Sema *s)
{
    const AstList *imported = &s->unit->unit.imported, *decls = &s->unit->unit.decls;
    bool before = s->unit->unit.session; /* earlier entries see the variables, too */
    for (int i = 0; i < imported->len; i++) {
        uint32_t file = imported->data[i]->loc.file;
        bool next = !s->files.len || s->files.data[s->files.len - 1] != file;
        if (next && before && !sources_get(s->sources, file)->library) {
            program_collect(s);
            before = false;
        }
        if (s->files.len && next) scope_push(s);
        if (next) vec_push(&s->files, file);
        collect(s, imported->data[i]);
    }
    if (before) program_collect(s);
    scope_push(s);
    s->unit_depth = s->globals = s->floor = s->depth;
    for (int i = 0; i < decls->len; i++) collect(s, decls->data[i]);
    if (!s->unit->unit.session) program_collect(s);
}

/* ---- types of the unit ------------------------------------------------------------------ */

void decl_func(Sema *s, Symbol *sym, const Symbol *first)
{
    Ast *f = sym->decl;
    const Type *result = s->voids;
    const Type *params[MAX_PARAMS] = {0};
    int n = f->func.params.len;
    s->signatures++;
    if (f->func.ret->kind == AST_TYPE_VAR)
        report(s, f->func.ret->loc, NEEDS_TYPE, "the result type of a function is written");
    else
        result = decl_type(s, f->func.ret);
    if (f->func.ret->kind == AST_TYPE_VAR) result = s->error;
    if (n > MAX_PARAMS)
        report(s, sym->loc, NOT_SUPPORTED,
               "a function has at most %d parameters: make a final class of some, or an array",
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
    s->signatures--;
    sym->type = type_func(s->types, result, n < MAX_PARAMS ? n : MAX_PARAMS, params);
    device_function(s, f);
    check_attrs(s, &f->func.attrs, ATTR_FUNCTION, sym);
    for (int i = 0; i < n && i < MAX_PARAMS; i++)
        if (params[i] == s->error) return;
    bool later = false; /* of the same file: they are compared with this one */
    for (const Symbol *o = first; o && o->kind == SYM_FUNC; o = o->next) {
        later = later || o == sym;
        if (later && o->loc.file == sym->loc.file) continue;
        bool conversion = !strcmp(sym->name, "implicit") || !strcmp(sym->name, "explicit");
        if (!o->type || o->generic || (conversion && o->type->result != sym->type->result) ||
            o->type->nparams != sym->type->nparams)
            continue;
        bool same = true;
        for (int i = 0; i < o->type->nparams; i++)
            same = same && o->type->params[i] == sym->type->params[i];
        if (!same) continue;
        if (s->unit->unit.session && o->loc.file != sym->loc.file) { /* takes its place */
            if (sym->next == o) sym->next = o->next;
            continue;
        }
        report(s, sym->loc, REDECLARED, "'%s' is already declared with these parameters",
               sym->name);
        report_note(s, o->loc, "the other declaration of '%s'", sym->name);
        return;
    }
}

/* The types that are declared, then the functions and constants. */
static void resolve_types(Sema *s, const AstList *decls)
{
    for (int i = 0; i < decls->len; i++)
        if (decls->data[i]->sym && decls->data[i]->sym->kind == SYM_TYPE)
            decl_alias(s, decls->data[i]->sym);
    class_settle(s);
}

static void resolve_constants(Sema *s, const AstList *decls)
{
    for (int i = 0; i < decls->len; i++) {
        if (decls->data[i]->kind != AST_VAR_DECL) continue;
        AstList *vars = &decls->data[i]->var_decl.vars;
        for (int j = 0; j < vars->len; j++)
            if (vars->data[j]->sym) decl_const(s, vars->data[j]->sym);
    }
}

void decl_resolve(Sema *s)
{
    resolve_types(s, &s->unit->unit.imported);
    resolve_types(s, &s->unit->unit.decls);
    for (size_t i = 0; i < s->declared.len; i++) {
        Symbol *f = s->declared.data[i];
        if (f->generic) continue;
        Context saved = context_enter(s, f);
        decl_func(s, f, scope_user(s, f->name));
        context_leave(s, &saved);
    }
    resolve_constants(s, &s->unit->unit.imported);
    resolve_constants(s, &s->unit->unit.decls);
    class_settle(s);
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

AstOp decl_mode(const Ast *param)
{
    return param->param.mode == AST_OP_NONE ? AST_OP_BY_VALUE : param->param.mode;
}

static void check_func(Sema *s, Symbol *sym)
{
    Ast *f = sym->decl;
    int errors = diags_errors(s->diags);
    Context saved = context_enter(s, sym);
    check_defaults(s, sym);
    if (!f->func.body) {
        context_leave(s, &saved);
        return;
    }
    if (s->derives && !sym->as_written) sym->as_written = ast_clone(s->arena, f->func.body);
    s->func = sym;
    s->ret = sym->type->result;
    type_use(s, sym->type);
    local_enter(s, sym);
    scope_push(s);
    s->func_depth = s->depth;
    for (int i = 0; i < f->func.params.len; i++) {
        Ast *p = f->func.params.data[i];
        if (p->kind != AST_PARAM) continue;
        Symbol *param = scope_symbol(s, SYM_PARAM, p->param.name, p->type, p->loc, p);
        param->mode = decl_mode(p);
        p->sym = param;
        scope_declare(s, param);
    }
    yield_expand_local(s, f);
    yield_expand(s, f, s->ret);
    AstList whole = {&f->func.body, 1}, cells = {0};
    s->shared = shared_collect(s, &f->func.params, &whole);
    for (int i = 0; s->shared && i < f->func.params.len; i++) {
        Symbol *param = f->func.params.data[i]->sym;
        Ast *cell = param ? cell_parameter(s, param) : NULL;
        if (cell) cells = ast_list_add(s->arena, cells, cell);
    }
    if (is_deconstruction(f->func.body)) /* it becomes several statements */
        f->func.body = tree_block(s, f->func.body->loc, 1, f->func.body);
    AstList body = {&f->func.body, 1}, *stmts = &body;
    if (s->ret->kind == TY_VOID) void_body(f->func.body);
    if (f->func.body->kind == AST_BLOCK) stmts = &f->func.body->block.stmts;
    check_block(s, stmts);
    if (cells.len) {
        cells = ast_list_add(s->arena, cells, f->func.body);
        f->func.body = tree_block(s, f->loc, 0);
        f->func.body->block.stmts = cells;
        stmts = &f->func.body->block.stmts;
    }
    if (diags_errors(s->diags) == errors)
        flow_check(s, f, &f->func.params, stmts, s->ret, sym->name);
    context_leave(s, &saved);
}

/* A program of `void|int Main(string[] args)` is the statement that calls it. */
static void call_main(Sema *s)
{
    Symbol *f = scope_user(s, intern_cstr(s->names, "Main"));
    if (!f || f->kind != SYM_FUNC || f->imported) return;
    if (s->unit->unit.stmts.len) {
        report(s, f->loc, MISPLACED, "a program is top-level statements or Main, not both");
        report_note(s, s->unit->unit.stmts.data[0]->loc, "the first statement");
        return;
    }
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

/* All that the unit itself declares is checked, used or not; of the library what is used. */
static void use_declared(Sema *s)
{
    for (size_t i = 0; i < s->declared.len; i++)
        if (!s->declared.data[i]->imported) func_use(s, s->declared.data[i]);
    for (size_t i = 0; i < s->all.len; i++) {
        Class *c = s->all.data[i];
        const Members *m = c->sym->members;
        if (c->sym->imported || c->sym->instance) continue;
        class_use(s, c);
        for (Symbol *f = c->ctors; f; f = f->next) func_use(s, f);
        for (int k = 0; k < m->len; k++)
            for (Symbol *f = m->data[k]; f; f = f->next) {
                if (f->kind == SYM_FUNC && !f->implied && f->decl->func.body) func_use(s, f);
                if (f->kind == SYM_FIELD && (f->mods & AST_MOD_STATIC)) static_use(s, f);
                if (f->kind == SYM_CONST && !f->type) decl_const(s, f);
            }
    }
}

/* Functions come to be used while others are checked. */
static size_t check_funcs(Sema *s, size_t from)
{
    for (; from < s->funcs.len; from++) check_func(s, s->funcs.data[from]);
    return from;
}

void decl_bodies(Sema *s)
{
    s->bodies = true;
    s->derives = derivative_asked(s);
    attr_values(s);
    use_declared(s);
    /* functions use the types of variables that the statements declare */
    size_t done = s->globals_used.len ? 0 : check_funcs(s, 0);
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
    s->func_depth = s->program_depth = s->depth;
    s->shared = shared_collect(s, NULL, &s->unit->unit.stmts);
    check_block(s, &s->unit->unit.stmts);
    scope_pop(s);
    scope_pop(s);
    if (diags_errors(s->diags) == errors)
        flow_check(s, s->unit, NULL, &s->unit->unit.stmts, s->voids, NULL);
    check_funcs(s, done);
    attr_values(s);
}
