/* Variables of the program's statements that its functions use: they become static fields of a class
 * without a name of its own, whose values the statements set where the variables were declared.
 * Others stay variables of the statements. Classes do not see them.
 *
 *     int n = 1;  void step() { n++; }        static int n;   n = 1;  void step() { n++; }
 */
#include "../check/check.h"

static bool is_known(Sema *s, const char *name)
{
    for (size_t i = 0; i < s->globals_used.len; i++)
        if (s->globals_used.data[i]->name == name) return true;
    return false;
}

/* The class that holds them. */
static Class *program_class(Sema *s)
{
    if (s->program) return s->program;
    Ast *decl = ast_new(s->arena, AST_CLASS, (Loc){s->unit->loc.file, 0, 0});
    decl->class_.name = intern_cstr(s->names, "$Program");
    decl->class_.mods = AST_MOD_STATIC;
    Symbol *sym = scope_symbol(s, SYM_TYPE, decl->class_.name, NULL, decl->loc, decl);
    sym->slot = -1;
    decl->sym = sym;
    sym->type = class_type(s, sym);
    return s->program = sym->cls;
}

static void add(Sema *s, const char *name, Loc loc)
{
    Symbol *f = scope_symbol(s, SYM_FIELD, name, NULL, loc, NULL);
    f->decl = ast_new(s->arena, AST_DECLARATOR, loc);
    f->decl->declarator.name = name;
    f->mods = AST_MOD_PUBLIC | AST_MOD_STATIC;
    f->slot = -1;
    f->cls = program_class(s);
    member_add(s, f->cls->sym, f);
    vec_push(&s->globals_used, f);
    scope_bind(s, f);
}

/* ---- which are used ------------------------------------------------------------------------- */

typedef struct Used {
    Sema *s;
    FreeNames names;
    const Shared *shared;
} Used;

static void offer(Used *u, const char *name, Loc loc)
{
    bool used = shared_has(u->shared, name);
    for (size_t i = 0; i < u->names.len && !used; i++) used = u->names.data[i].name == name;
    if (used && !is_known(u->s, name)) add(u->s, name, loc);
}

/* `f(out int n);` */
static void offer_out(Ast **child, void *ctx)
{
    const Ast *n = *child;
    if (n->kind == AST_DECL_EXPR) offer(ctx, n->decl_expr.name, n->loc);
    if (n->kind != AST_LAMBDA) ast_each_child(*child, offer_out, ctx);
}

static void offer_parts(Used *u, const Ast *tuple)
{
    for (int i = 0; i < tuple->tuple.items.len; i++) {
        const Ast *item = tuple->tuple.items.data[i];
        if (item->kind == AST_TUPLE) offer_parts(u, item);
        if (item->kind == AST_BINDER && item->binder.vtype && item->binder.names.len)
            offer(u, item->binder.names.data[0]->name_ref.name, item->loc);
    }
}

static void use_names(Used *u, const AstList *decls)
{
    for (int i = 0; i < decls->len; i++)
        if (decls->data[i]->kind == AST_FUNC &&
            !sources_get(u->s->sources, decls->data[i]->loc.file)->library)
            free_names(u->s, decls->data[i], &u->names);
}

void program_collect(Sema *s)
{
    const AstList *stmts = &s->unit->unit.stmts;
    Used used = {.s = s};
    if (s->unit->unit.library) return;            /* its statements do not run */
    used.shared = shared_collect(s, NULL, stmts); /* with lambdas */
    if (stmts->len) use_names(&used, &s->unit->unit.decls);
    if (s->unit->unit.session) use_names(&used, &s->unit->unit.imported);
    for (int i = 0; (used.names.len || used.shared) && i < stmts->len; i++) {
        Ast *n = stmts->data[i];
        if (n->kind == AST_DEFINE) offer(&used, n->define.name, n->loc);
        if (is_deconstruction(n)) offer_parts(&used, n->expr_stmt.expr->assign.target);
        if (n->kind == AST_EXPR_STMT) ast_each_child(n, offer_out, &used);
        for (int k = 0; n->kind == AST_VAR_DECL && k < n->var_decl.vars.len; k++) {
            Ast *v = n->var_decl.vars.data[k];
            if (v->kind != AST_DECLARATOR) continue;
            offer(&used, v->declarator.name, v->loc);
            if (v->declarator.init) offer_out(&v->declarator.init, &used);
        }
    }
    vec_free(&used.names);
}

/* ---- where they are declared ---------------------------------------------------------------- */

/* Is this list that of the program, where its variables are? */
static bool is_outside(const Sema *s)
{
    return !s->func && !s->cls && s->depth == s->program_depth;
}

Symbol *program_variable(Sema *s, const char *name)
{
    for (size_t i = 0; is_outside(s) && i < s->globals_used.len; i++)
        if (s->globals_used.data[i]->name == name) return s->globals_used.data[i];
    return NULL;
}

bool program_is_variable(const Sema *s, const Symbol *sym)
{
    return sym && s->program && sym->cls == s->program && sym->kind == SYM_FIELD;
}

Ast *program_use(Sema *s, Symbol *field, Loc loc)
{
    Ast *n = tree_member(s, loc, type_node(s, loc, field->cls->type), field->name);
    n->sym = field;
    n->type = field->type;
    class_use(s, field->cls);
    static_use(s, field);
    return n;
}

/* field = value; both checked */
static Ast *set(Sema *s, Symbol *field, Ast *value)
{
    Ast *assign = ast_new(s->arena, AST_ASSIGN, value->loc);
    assign->assign.target = program_use(s, field, field->loc);
    assign->assign.value = value;
    assign->type = field->type;
    return tree_stmt(s, assign);
}

static bool declares_some(const Sema *s, const Ast *n)
{
    bool some = false;
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        const Ast *v = n->var_decl.vars.data[i];
        some = some || (v->kind == AST_DECLARATOR && program_is_variable(s, v->sym));
    }
    return some;
}

/* The statement, and behind it those that set the variables that it declares. A declaration of several
 * becomes one of each, since values may use the variables before them. */
static AstList with_values(Sema *s, Ast *n)
{
    AstList all = ast_list_add(s->arena, (AstList){0}, n);
    if (n->kind == AST_DEFINE) {
        Symbol *field = program_variable(s, n->define.name);
        if (!field || !n->sym) return all;
        field->type = n->sym->type;
        Ast *value = tree_name(s, n->loc, n->define.name);
        value->sym = n->sym;
        value->type = field->type;
        if (field->type != s->error) all = ast_list_add(s->arena, all, set(s, field, value));
        if (!s->unit->unit.session) scope_bind(s, field);
        return all;
    }
    if (n->kind != AST_VAR_DECL || !declares_some(s, n)) return all;
    const AstList vars = n->var_decl.vars;
    for (int i = 0; i < vars.len; i++) {
        Ast *v = vars.data[i], *alone = i ? arena_copy(s->arena, n, sizeof *n) : n;
        alone->var_decl.vars = ast_list_add(s->arena, (AstList){0}, v);
        if (i) all = ast_list_add(s->arena, all, alone);
        if (v->kind != AST_DECLARATOR || !program_is_variable(s, v->sym)) continue;
        Ast *init = v->declarator.init;
        v->declarator.init = NULL;
        if (v->sym->type == s->error) continue;
        static_use(s, v->sym);
        if (init) all = ast_list_add(s->arena, all, set(s, v->sym, init));
    }
    return all;
}

void program_declared(Sema *s, AstList *stmts, int *at)
{
    Ast *n = stmts->data[*at];
    if (!s->globals_used.len || !is_outside(s)) return;
    AstList now = with_values(s, n), all = {0};
    if (now.len == 1) return;
    for (int i = 0; i < *at; i++) all = ast_list_add(s->arena, all, stmts->data[i]);
    for (int i = 0; i < now.len; i++) all = ast_list_add(s->arena, all, now.data[i]);
    for (int i = *at + 1; i < stmts->len; i++) all = ast_list_add(s->arena, all, stmts->data[i]);
    *stmts = all;
    *at += now.len - 1;
}
