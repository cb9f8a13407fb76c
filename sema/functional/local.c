/* Functions inside functions. One becomes a function like others, whose last parameters are what it
 * uses of the function around it: by value what it reads, by reference what it writes. Calls pass
 * them along, and so sees what C# sees; as a value it is a lambda that calls it. In a class it is a
 * method.
 *
 *     int k = 2;  int f(int x) => k * x;  f(3)        int f(int x, int k) => k * x;  f(3, k)
 *
 * A lambda with statements is such a function and a lambda that calls it.
 */
#include <string.h>

#include "../check/check.h"

typedef struct Captured {
    const char *name;
    Symbol *outer;
    bool by_reference;
} Captured;

struct Local {
    Symbol *name;   /* as it is called: its type has the parameters that are written */
    Symbol *func;   /* with what it captures */
    Locals *around; /* the functions that it sees */
    const Symbol
        *home; /* the function that it is declared in; NULL: the statements of the program */
    FreeNames uses;
    VEC(Captured) captured;
    VEC(Symbol *) constants; /* of the functions around */
    const char *shown;       /* in messages; NULL: its name */
    bool lambda, resolved;
};

typedef VEC(Local *) LocalList;

/* Functions that are declared in one list of statements. */
struct Locals {
    LocalList list;
    Locals *outer;
};

int local_captured(const Symbol *f)
{
    return f->local && f->local->func == f ? (int)f->local->captured.len : 0;
}

/* ---- declaration ---------------------------------------------------------------------------- */

static Local *make(Sema *s, Ast *decl, Loc loc)
{
    Local *l = arena_new_of(s->arena, Local);
    vec_push(&s->local_funcs, l);
    l->name = scope_symbol(s, SYM_FUNC, decl->func.name, NULL, loc, decl);
    l->name->slot = -1;
    l->name->local = l;
    l->around = s->locals;
    l->home = s->func;
    free_names(s, decl, &l->uses);
    if (!decl->func.tparams.len) decl_func(s, l->name, l->name);
    return l;
}

Locals *local_open(Sema *s, const AstList *stmts)
{
    Locals *outer = s->locals, *own = NULL;
    for (int i = 0; i < stmts->len; i++) {
        Ast *f = stmts->data[i];
        if (f->kind != AST_FUNC) continue;
        if (!own) {
            own = arena_new_of(s->arena, Locals);
            vec_push(&s->local_lists, own);
            own->outer = outer;
            s->locals = own;
        }
        Loc loc = decl_name_loc(s, f->loc, f->func.ret ? f->func.ret->loc.end : f->loc.begin,
                                f->func.name);
        if (extension_is(f))
            report(s, loc, MISPLACED, "'%s' extends a type: it stands outside of functions",
                   f->func.name);
        if (f->func.tparams.len && s->instance)
            report(s, loc, NOT_SUPPORTED,
                   "a generic function inside a generic one is not supported");
        Local *l = make(s, f, loc);
        vec_push(&own->list, l);
        scope_declare(s, l->name);
    }
    return outer;
}

void local_free(Sema *s)
{
    for (size_t i = 0; i < s->local_funcs.len; i++) {
        vec_free(&s->local_funcs.data[i]->uses);
        vec_free(&s->local_funcs.data[i]->captured);
        vec_free(&s->local_funcs.data[i]->constants);
    }
    for (size_t i = 0; i < s->local_lists.len; i++) vec_free(&s->local_lists.data[i]->list);
    vec_free(&s->local_funcs);
    vec_free(&s->local_lists);
}

/* ---- what it captures ----------------------------------------------------------------------- */

static Local *visible(const Local *l, const char *name)
{
    for (const Locals *at = l->around; at; at = at->outer)
        for (size_t i = 0; i < at->list.len; i++)
            if (at->list.data[i]->name->name == name) return at->list.data[i];
    return NULL;
}

typedef struct Reader {
    Sema *s;
    const Local *l;
    bool reads;
} Reader;

static void read_only(Ast **child, void *ctx)
{
    Reader *r = ctx;
    const Ast *n = *child, *callee = n && n->kind == AST_CALL ? n->call.callee : NULL;
    if (!n || !r->reads) return;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC || n->kind == AST_NEW) r->reads = false;
    if (callee && callee->kind == AST_NAME_REF) {
        const char *name = callee->name_ref.name;
        const Symbol *f = scope_user(r->s, name);
        r->reads = !f || f->kind == SYM_BUILTIN || f == r->l->name;
    } else if (callee) {
        const Ast *base = callee->kind == AST_MEMBER ? callee->member.base : NULL;
        r->reads = base && base->kind == AST_NAME_REF && is_space(r->s, base->name_ref.name);
    }
    ast_each_child(*child, read_only, r);
}

/* Does the function only compute with what it sees, so that nothing changes while it runs? Then it takes values. */
static bool is_reader(Sema *s, Local *l)
{
    Reader r = {s, l, true};
    for (size_t i = 0; i < l->uses.len; i++)
        if (l->uses.data[i].writes) return false;
    Ast *body = l->name->decl->func.body;
    read_only(&body, &r);
    return r.reads;
}

/* Does the symbol belong to the struct whose method, which changes it, this is in? */
static bool is_of_self(Sema *s, const Symbol *sym)
{
    bool member = sym->kind == SYM_FIELD || sym->kind == SYM_PROPERTY || sym->kind == SYM_FUNC;
    return member && sym->cls == s->cls && !(sym->mods & AST_MOD_STATIC);
}

/* What one name means where the function is called first, or declared. */
static void capture(Sema *s, Local *l, const FreeName *use)
{
    Symbol *sym = scope_user(s, use->name), *self = l->lambda ? NULL : struct_self(s);
    if (self && sym && is_of_self(s, sym)) sym = self;
    if (!sym || sym->cls) return;
    if (sym->kind == SYM_CONST && !sym->imported && sym->decl && sym->decl->sym == sym &&
        scope_is_inner(s, sym)) {
        vec_push(&l->constants, sym);
        return;
    }
    if (sym->kind != SYM_LOCAL && sym->kind != SYM_PARAM && sym->kind != SYM_BOUND) return;
    const char *name = sym == self ? self->name : use->name;
    if (sym->cell &&
        !is_reader(
            s, l)) { /* the cell goes along, and the variable is known by its name inside, too */
        vec_push(&l->constants, sym);
        name = sym->cell->name;
        sym = scope_user(s, name);
    }
    bool array = sym->type && sym->type->kind == TY_ARRAY;
    bool changes = sym == self || (use->writes == FREE_ITSELF && name == use->name) ||
                   (use->writes == FREE_ELEMENTS && array) ||
                   (use->writes == FREE_PARTS && class_has_parts(sym->type));
    for (size_t i = 0; i < l->captured.len; i++) {
        Captured *c = &l->captured.data[i];
        if (c->name != name) continue;
        c->by_reference = c->by_reference || changes;
        return;
    }
    if (changes && l->lambda) {
        report(s, use->written, IMPURE_INSIDE,
               "a lambda has copies of the variables outside: '%s' cannot be changed in it",
               use->name);
        changes = false;
    }
    Captured one = {name, sym, changes};
    vec_push(&l->captured, one);
}

/* Its own uses and those of the functions that it calls. */
static void gather(Sema *s, Local *l, Local *from, LocalList *seen)
{
    for (size_t i = 0; i < seen->len; i++)
        if (seen->data[i] == from) return;
    vec_push(seen, from);
    for (size_t i = 0; i < from->uses.len; i++) {
        Local *called = visible(from, from->uses.data[i].name);
        if (called)
            gather(s, l, called, seen);
        else
            capture(s, l, &from->uses.data[i]);
    }
}

static Ast *captured_param(Sema *s, const Captured *c, Loc loc)
{
    const Type *t = c->outer->type ? c->outer->type : s->error;
    Ast *p = tree_param(s, loc, type_node(s, loc, t), c->name);
    p->param.mode = c->by_reference ? AST_OP_REF : AST_OP_BY_VALUE;
    return p;
}

/* Makes the function; its body is checked when all that is around it is. */
static Symbol *function(Sema *s, Local *l)
{
    if (l->resolved) return l->func;
    LocalList seen = {0};
    gather(s, l, l, &seen);
    vec_free(&seen);
    l->resolved = true;
    Ast *decl = l->name->decl;
    AstList params = {0};
    for (int i = 0; i < decl->func.params.len; i++)
        params = ast_list_add(s->arena, params, decl->func.params.data[i]);
    for (size_t i = 0; i < l->captured.len; i++)
        params =
            ast_list_add(s->arena, params, captured_param(s, &l->captured.data[i], l->name->loc));
    Ast *lifted = arena_copy(s->arena, decl, sizeof *decl);
    lifted->func.params = params;
    const char *name = l->shown ? l->shown : l->name->name;
    Symbol *f = scope_symbol(s, SYM_FUNC, name, NULL, l->name->loc, lifted);
    f->slot = -1;
    f->local = l;
    f->instance = s->func ? s->func->instance : NULL;
    l->func = lifted->sym = f;
    if (s->cls) { /* a member, by a name that is nobody else's though it may read like another */
        f->name = arena_strndup(s->arena, name, strlen(name));
        f->cls = s->cls;
        f->mods = AST_MOD_PUBLIC;
        if (s->func && s->func->self) {
            f->self =
                scope_symbol(s, SYM_PARAM, s->func->self->name, s->func->self->type, f->loc, NULL);
            f->self->mode = AST_OP_BY_VALUE;
        } else {
            f->mods |= AST_MOD_STATIC;
        }
        member_add(s, s->cls->sym, f);
    }
    if (decl->func.tparams.len)
        generic_declare(s, f, &lifted->func.tparams);
    else
        decl_func(s, f, f);
    func_use(s, f);
    return f;
}

/* Those that nobody has called yet see all that the list declares. */
void local_close(Sema *s, Locals *outer)
{
    for (size_t i = 0; s->locals != outer && i < s->locals->list.len; i++)
        function(s, s->locals->list.data[i]);
    s->locals = outer;
}

void local_enter(Sema *s, const Symbol *func)
{
    const Local *l = func->local;
    if (!l) return;
    scope_push(s); /* what is declared inside may hide them */
    VEC(const Locals *) around = {0};
    for (const Locals *at = l->around; at; at = at->outer) vec_push(&around, at);
    while (around.len > 0) {
        const Locals *at = around.data[--around.len];
        for (size_t i = 0; i < at->list.len; i++) scope_bind(s, at->list.data[i]->name);
    }
    vec_free(&around);
    for (size_t i = 0; i < l->constants.len; i++) scope_bind(s, l->constants.data[i]);
    s->locals = l->around;
}

/* ---- uses ----------------------------------------------------------------------------------- */

/* The variable, as an argument. Inside of other functions it is their parameter. */
static Ast *argument(Sema *s, const Local *l, const Captured *c, Loc loc)
{
    const Symbol *now = scope_user(s, c->name);
    bool same = s->func == l->home ? now == c->outer : now && now->kind == SYM_PARAM;
    if (!same && now)
        report(s, loc, REDECLARED,
               "'%s' uses the variable '%s', and here that is the name of another: rename one",
               l->name->name, c->name);
    Ast *value = tree_name(s, loc, c->name);
    if (!c->by_reference) return value;
    Ast *ref = ast_new(s->arena, AST_UNARY, loc);
    ref->unary.op = AST_OP_REF;
    ref->unary.operand = value;
    return ref;
}

void local_call(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot, *callee = n->call.callee;
    Local *l = callee->sym->local;
    Symbol *f = function(s, l);
    const AstList *params = &l->name->decl->func.params;
    Candidate only = {.sym = l->name};
    Candidates set = {.data = &only, .len = 1, .name = l->name->name};
    n->type = s->error;
    if (!named_arguments(s, n, &n->call.args, &set)) return;
    for (int i = n->call.args.len; i >= required_arguments(l->name) && i < params->len; i++)
        if (params->data[i]->kind == AST_PARAM && params->data[i]->param.init)
            n->call.args = ast_list_add(s->arena, n->call.args,
                                        ast_clone(s->arena, params->data[i]->param.init));
    for (size_t i = 0; i < l->captured.len; i++)
        n->call.args =
            ast_list_add(s->arena, n->call.args, argument(s, l, &l->captured.data[i], callee->loc));
    if (!f->cls) {
        check_user_call(s, n, f);
        return;
    }
    Ast *member = ast_new(s->arena, AST_MEMBER, callee->loc);
    member->member.name = f->name;
    member->member.base = f->mods & AST_MOD_STATIC ? type_node(s, callee->loc, f->cls->type)
                                                   : ast_new(s->arena, AST_THIS, callee->loc);
    n->call.callee = member;
    check_member_call(s, slot, hint);
}

Symbol *local_plain(Sema *s, Symbol *name)
{
    Symbol *f = function(s, name->local);
    return name->local->captured.len || f->cls ? NULL : f;
}

void local_value(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    const Symbol *name = n->sym;
    n->type = s->error;
    if (!name->type) {
        report(s, n->loc, NOT_SUPPORTED,
               "'%s' is generic and uses variables around it: only calls are supported",
               name->name);
    } else {
        *slot = call_lambda(s, n, name->type);
        check_expr(s, slot, NULL);
    }
}

/* ---- lambdas with statements ---------------------------------------------------------------- */

/* What the returned values have in common, from a copy; the error type if nothing is known. */
static const Type *returned_type(Sema *s, const Ast *body, const AstList *params, Loc loc)
{
    Ast *copy = ast_clone(s->arena, body);
    const Type *found = NULL, **outer = s->returned;
    int errors = s->quiet_errors, functional = s->functional, func_depth = s->func_depth;
    Symbol *func = s->func;
    s->quiet++;
    scope_push(s);
    s->func_depth = s->depth;
    s->functional = 0;
    s->returned = &found;
    for (int i = 0; i < params->len; i++) {
        Ast *p = params->data[i];
        scope_bind(
            s, scope_symbol(s, SYM_PARAM, p->param.name, decl_type(s, p->param.ptype), p->loc, p));
    }
    check_stmt(s, &copy);
    scope_pop(s);
    s->returned = outer;
    s->func = func;
    s->func_depth = func_depth;
    s->functional = functional;
    s->quiet--;
    s->quiet_errors = errors;
    if (found) return found;
    if (!functional) return s->voids;
    report(s, loc, RETURN_VALUE, "this lambda returns no value: a functional expression needs one");
    return s->error;
}

void local_returned(Sema *s, Ast **value)
{
    if (!*value) return;
    const Type *t = check_value(s, value, NULL), *old = *s->returned;
    Ast like = {.kind = AST_BAD, .type = old ? old : t};
    if (t == s->error || t->kind == TY_NULL) return;
    Ast that = {.kind = AST_BAD, .type = t};
    const Type *common = convert_class(s, &like, t) != CONV_NONE ? t : old;
    if (common == old && convert_class(s, &that, old) == CONV_NONE)
        common = common_numeric(s, old, t);
    *s->returned = common ? common : old; /* the one that all convert to */
}

static Ast *block_call(Sema *s, const char *what, Ast *block, AstList params, AstList args,
                       const Type *result, bool lambda)
{
    Loc loc = block->loc;
    if (!result) result = returned_type(s, block, &params, loc);
    if (result == s->error) return NULL;
    const char *name = arena_printf(s->arena, "$%s_%d", what, ++s->synthetic);
    Ast *decl = tree_func(s, loc, 0, type_node(s, loc, result), name, params, block);
    Local *l = make(s, decl, loc);
    l->shown = what;
    l->lambda = lambda;
    scope_bind(s, l->name);
    function(s, l);
    Ast *call = tree_call(s, loc, tree_name(s, loc, name), 0);
    call->call.args = args;
    return call;
}

Ast *local_block(Sema *s, const char *name, Ast *block, AstList params, AstList args,
                 const Type *result)
{
    return block_call(s, name, block, params, args, result, false);
}

/* Does the function inside this one share a variable with what is around it? */
static bool captures_cell(Sema *s, const Symbol *name)
{
    function(s, name->local);
    const Local *l = name->local;
    for (size_t i = 0; i < l->captured.len; i++) {
        const Symbol *v = l->captured.data[i].outer;
        if (v && (v->cell || (v->kind == SYM_LOCAL && v->name[0] == '$'))) return true;
    }
    return false;
}

bool lambda_acts(Sema *s, Ast *n)
{
    FreeNames names = {0};
    bool acts = false, kept = !n->lambda.partial && shared_is_kept(s->shared, n);
    free_names(s, n, &names);
    for (size_t i = 0; i < names.len && !acts; i++) {
        const char *name = names.data[i].name;
        const Symbol *v = scope_user(s, name);
        bool shares = v && (v->cell || (program_is_variable(s, v) && shared_has(s->shared, name)));
        acts = names.data[i].writes > FREE_PARTS || shared_is_recursive(s->shared, name) ||
               (shares && (kept || shared_is_written(s->shared, name))) ||
               (kept && v && v->local && captures_cell(s, v));
    }
    vec_free(&names);
    return acts;
}

/* The type of one of b's names, which b gets if it has none: the one that is wanted, or that of a range's values.
 * NULL: it is told that it is not known. */
static const Type *statement_param(Sema *s, struct Ast_binder *b, const Ast *name,
                                   const Type *wanted)
{
    if (b->vtype && b->vtype->kind != AST_TYPE_VAR) return decl_type(s, b->vtype);
    if (!wanted && b->constraint) wanted = s->integer;
    if (!wanted)
        report(s, name->loc, NEEDS_TYPE, "the type of '%s' is not known here: write it",
               name->name_ref.name);
    else if (!b->constraint)
        b->vtype = type_node(s, name->loc, wanted);
    return wanted;
}

void lambda_statements(Sema *s, Ast *n, const Type *hint)
{
    AstList params = {0}, args = {0};
    Ast *body = n->lambda.body;
    int at = 0;
    n->lambda.body = ast_new(s->arena, AST_BAD, body->loc);
    for (int i = 0; i < n->lambda.binders.len; i++) {
        struct Ast_binder *b = &n->lambda.binders.data[i]->binder;
        if (n->lambda.binders.data[i]->kind != AST_BINDER) return;
        for (int k = 0; k < b->names.len; k++, at++) {
            Ast *name = b->names.data[k];
            const Type *t =
                statement_param(s, b, name, hint && at < hint->nparams ? hint->params[at] : NULL);
            if (!t || t == s->error) return;
            Ast *type = type_node(s, name->loc, t);
            params =
                ast_list_add(s->arena, params, tree_param(s, name->loc, type, name->name_ref.name));
            args = ast_list_add(s->arena, args, tree_name(s, name->loc, name->name_ref.name));
        }
    }
    Ast *call = block_call(s, "lambda", body, params, args, hint ? hint->result : NULL, true);
    if (call) n->lambda.body = call;
}
