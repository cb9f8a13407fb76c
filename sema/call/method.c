/* Calls of methods, and what becomes one: constructors that continue with another, getters of
 * properties, indexers.
 */
#include "../check/check.h"

/* ---- calls ---------------------------------------------------------------------------------- */

static void set_call(Sema *s, Ast *n, Symbol *f, Ast *base, AstList args)
{
    Ast *callee = tree_member(s, n->loc, base, f->name);
    callee->sym = f;
    callee->type = f->type;
    n->kind = AST_CALL; /* whatever it was */
    n->call = (struct Ast_call){.callee = callee, .args = args};
    n->sym = f;
    n->res = AST_RES_NONE;
    n->is_const = false;
    n->type = f->type->result;
    func_use(s, f);
}

void call_static(Sema *s, Ast *n, Symbol *f, AstList args)
{
    Ast *base = f->cls ? type_node(s, n->loc, f->cls->type) : NULL;
    set_call(s, n, f, base, args);
    if (!base) {
        n->call.callee->kind = AST_NAME_REF;
        n->call.callee->name_ref.name = f->name;
    }
    pure_call(s, f, n->loc);
    if (s->functional) pure_need(s, f, n->loc, "is used in a functional expression");
}

void call_method(Sema *s, Ast *n, Symbol *f, Ast *base, AstList args)
{
    set_call(s, n, f, base, args);
    pure_method(s, f, base, n->loc);
    bool made_here = base->kind == AST_CONVERT && !base->convert.operand; /* an initialiser's Add */
    if (s->functional && !made_here) pure_need(s, f, n->loc, "is used in a functional expression");
    if (!type_is_functional(base->type)) return;
    n->res = AST_RES_PROMOTE;
    pure_need(s, f, n->loc, "is promoted over a function");
    n->type = type_func(s->types, f->type->result, base->type->nparams, base->type->params);
}

void place_value(Sema *s, Ast *n)
{
    Symbol *p = n->sym;
    bool place = n->kind == AST_MEMBER || n->kind == AST_INDEX;
    if (!place || !p || p->kind != SYM_PROPERTY || n->type == s->error) return;
    if (!p->get) {
        report(s, n->loc, ACCESSOR, "'%s' can be set, but not read", p->name);
        n->type = s->error;
        return;
    }
    member_check_access(s, p->get, n->loc);
    if (p->storage && p->get->slot < 0) {
        n->sym = p->storage;
        if (p->mods & AST_MOD_STATIC) static_use(s, p->storage);
        return;
    }
    AstList none = {0};
    Ast *base = n->kind == AST_INDEX ? n->index.base : n->member.base;
    AstList args = n->kind == AST_INDEX ? n->index.args : none;
    if (p->mods & AST_MOD_STATIC)
        call_static(s, n, p->get, args);
    else
        call_method(s, n, p->get, base, args);
}

/* Static or not, as the overload says; how the user wrote it must agree. */
static Ast *method_base(Sema *s, Ast *n, const Symbol *f, Ast *base)
{
    bool is_static = f->mods & AST_MOD_STATIC;
    bool by_type = base && (base->kind == AST_TYPE_NAME || base->kind == AST_TYPE_ARRAY);
    if (is_static) {
        if (base && !by_type && !member_is_named_like_type(s, base))
            report(s, n->loc, STATIC, "'%s' is static: write %s.%s", f->name, f->cls->type->name,
                   f->name);
        return type_node(s, n->loc, f->cls->type);
    }
    if (base && !by_type) return base;
    if (base)
        report(s, n->loc, STATIC, "'%s' belongs to each '%s': an object stands before the dot",
               f->name, f->cls->sym->name);
    else if (!has_self(s))
        report(s, n->loc, STATIC, "'%s' belongs to each '%s': a static member has no object",
               f->name, f->cls->sym->name);
    Ast *self = ast_new(s->arena, AST_THIS, n->loc);
    if (has_self(s)) check_this(s, self);
    if (!self->type) self->type = s->error;
    return self;
}

void check_method_call(Sema *s, Ast *n)
{
    Ast *callee = n->call.callee, *base = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    Class *cls = base                                 ? class_of(result_of(base->type))
                 : class_is(s->cls, callee->sym->cls) ? s->cls
                                                      : callee->sym->cls;
    const char *name = callee->sym->name;
    Candidates set = call_candidates(s, n, candidates_of_methods(s, cls, name));
    Fit fit;
    n->type = s->error;
    if (!set.len) return;
    const Candidate *c = resolve(s, n, set, n->call.args, &fit);
    if (!c) return;
    member_check_access(s, c->sym, callee->loc);
    resolve_apply(s, c, fit, n->call.args, n->loc);
    complete_arguments(s, c, &n->call.args, n->loc);
    base = method_base(s, n, c->sym, base);
    Symbol *f = c->sym;
    if (base->kind == AST_BASE && f->selected) f = dispatch_target(s, s->cls->base, f);
    if (base->kind == AST_BASE && !f->decl->func.body)
        report(s, n->loc, ABSTRACT, "'%s' is abstract: base has none", name);
    if (f->mods & AST_MOD_STATIC)
        call_static(s, n, f, n->call.args);
    else
        call_method(s, n, f, base, n->call.args);
    n->call.callee->loc = callee->loc;
    bool promoted = fit == FIT_PROMOTED || type_is_functional(base->type);
    if (!promoted) return;
    n->res = AST_RES_PROMOTE;
    Ast *instance = type_is_functional(base->type) ? base : NULL;
    n->type = promoted_call(s, n->loc, c->result, c, instance, n->call.args);
}

void check_chain(Sema *s, Ast *n)
{
    Ast *callee = n->call.callee;
    bool base = callee->kind == AST_BASE;
    check_this(s, callee);
    n->type = s->error;
    if (callee->type == s->error) return;
    if (!s->func->is_ctor) {
        report(s, n->loc, STATIC, "only a constructor is continued with %s(...)",
               base ? "base" : "this");
        return;
    }
    Class *cls = base ? s->cls->base : s->cls;
    Candidates set = candidates_of_user(s, cls->ctors);
    set.name = cls->sym->name;
    if (!named_arguments(s, n, &n->call.args, &set)) return;
    set = candidates_for(s, set, n->call.args.len);
    set.name = cls->sym->name;
    Fit fit;
    check_arguments(s, n->call.args, &set);
    const Candidate *c = set.len ? resolve(s, n, set, n->call.args, &fit) : NULL;
    if (!c) return;
    member_check_access(s, c->sym, n->loc);
    resolve_apply(s, c, fit, n->call.args, n->loc);
    complete_arguments(s, c, &n->call.args, n->loc);
    if (c->sym == s->func) report(s, n->loc, CYCLE, "this constructor continues with itself");
    n->sym = c->sym;
    n->type = s->voids;
    pure_method(s, c->sym, callee, n->loc);
    func_use(s, c->sym);
}

/* ---- indexers ------------------------------------------------------------------------------- */

/* The indexers of a class as functions of their indices. */
static Candidates indexers(Sema *s, Symbol *first)
{
    Candidates set = {.name = "this[]"};
    set.data = arena_array(s->arena, Candidate, count_overloads(first) + 1);
    for (Symbol *p = first; p; p = p->next) {
        Symbol *f = p->get ? p->get : p->set;
        if (!f || !f->type || p->kind != SYM_PROPERTY) continue;
        Candidate *c = &set.data[set.len++];
        *c = (Candidate){.sym = f, .nparams = p->decl->property.params.len, .result = p->type};
        for (int i = 0; i < c->nparams && i < MAX_PARAMS; i++) c->params[i] = f->type->params[i];
    }
    return set;
}

bool check_indexer(Sema *s, Ast *n)
{
    Class *cls = class_of(n->index.base->type);
    Symbol *first = cls ? member_find(s, cls, intern_cstr(s->names, "this")) : NULL;
    if (!first) return false;
    class_use(s, cls);
    Candidates set = indexers(s, first);
    Fit fit;
    s->index_depth++;
    check_arguments(s, n->index.args, &set);
    s->index_depth--;
    n->type = s->error;
    const Candidate *c = resolve(s, n, set, n->index.args, &fit);
    if (!c) return true;
    for (Symbol *p = first; p; p = p->next)
        if (p->get == c->sym || p->set == c->sym) n->sym = p;
    member_check_access(s, n->sym, n->loc);
    for (int i = 0; i < n->index.args.len; i++)
        convert_to(s, &n->index.args.data[i], c->params[i], "the index");
    n->type = c->result;
    return true;
}
