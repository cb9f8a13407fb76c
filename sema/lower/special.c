/* Functions that are given functions: a copy for each that a call names, which calls it directly. So a sort
 * with a comparison is as fast as one that has it written out, and no function value is made.
 *
 *   before   Merged(items, n, CLOSURE(k) $lambda1)     in Merged:    compare(a, b)
 *   after    Merged'(items, n, k)                      in Merged':   $lambda1(k, a, b)
 *
 * The parameter gives way to what the function captured. A copy hands on what it was given, so a chain of such
 * calls is followed to its end, a function that calls itself back to its own copy. Parameters that are assigned
 * or kept stay values, and so do functions in graphs. All of this is done on lowered trees: copies share the
 * graphs and the variables of what they are copies of, since code is made for one function after the other. */
#include <string.h>

#include "../../base/vec.h"
#include "../check/check.h"
#include "build.h"

enum {
    MOST_PARAMS = 48,
    MOST_COPIES = 1000,
    DEEPEST =
        3, /* of what a lambda captures that captures what a lambda captures: a recursion may go on with such */
};

typedef struct
    Special { /* `made` is `of` with its parameters `known`, as many as it has; NULL: as before */
    const Symbol *of;
    const Symbol **known;
    Symbol *made;
} Special;

typedef struct Specials {
    SemaResult *r;
    Arena *arena;
    VEC(Symbol *) funcs;
    VEC(Special) made;
} Specials;

static void visit(Ast **child, void *ctx);

/* ---- a copy ------------------------------------------------------------------------------------ */

typedef struct Known { /* what stands for a parameter in a copy */
    const Symbol *param, *function;
    AstList captures; /* names of the parameters that took its place */
} Known;

typedef struct Copy {
    Specials *s;
    Known known[MOST_PARAMS];
    int nknown;
} Copy;

static const Known *known_of(const Copy *c, const Ast *n)
{
    for (int i = 0; i < c->nknown; i++)
        if (called_is_name(n, c->known[i].param)) return &c->known[i];
    return NULL;
}

static void put_known(Ast **child, void *ctx)
{
    Copy *c = ctx;
    Ast *n = *child;
    if (!n) return;
    ast_each_child(n, put_known, c);
    Arena *arena = c->s->arena;
    bool applies = n->kind == AST_CALL && n->res == AST_RES_APPLY;
    const Ast *callee = applies ? n->call.callee : NULL;
    if (callee && callee->kind == AST_CLOSURE && !callee->sym->self) { /* put there just now */
        AstList args = callee->closure.captures;
        for (int i = 0; i < n->call.args.len; i++)
            args = ast_list_add(arena, args, n->call.args.data[i]);
        n->res = AST_RES_NONE;
        n->sym = callee->sym;
        n->call.callee = lower_name(arena, callee->loc, callee->sym);
        n->call.args = args;
        return;
    }
    const Known *k = known_of(c, n);
    if (!k) return;
    Ast *closure = ast_new(arena, AST_CLOSURE, n->loc);
    closure->sym = (Symbol *)(uintptr_t)k->function;
    closure->type = n->type;
    closure->closure.captures = ast_list_clone(arena, k->captures);
    *child = closure;
}

static Ast *param_node(Arena *arena, const Ast *like)
{
    Ast *p = arena_copy(arena, like, sizeof *like);
    p->sym = arena_copy(arena, like->sym, sizeof *like->sym);
    p->sym->decl = p;
    p->sym->mode = AST_OP_BY_VALUE;
    p->param.mode = AST_OP_BY_VALUE;
    p->param.rest = false;
    return p;
}

static int captures_of(const Symbol *function, const Type *type)
{
    return function->type->nparams - type->nparams;
}

/* The copy, whose body is f's with the functions in the places of the parameters. */
static Symbol *make(Specials *s, const Symbol *f, const Symbol *const *known)
{
    Arena *arena = s->arena;
    const AstList params = f->decl->func.params;
    Copy c = {.s = s};
    AstList all = {0};
    for (int i = 0; i < params.len; i++) {
        if (!known[i]) {
            all = ast_list_add(arena, all, params.data[i]);
            continue;
        }
        Known *k = &c.known[c.nknown++];
        *k = (Known){.param = params.data[i]->sym, .function = known[i]};
        for (int j = 0, n = captures_of(known[i], k->param->type); j < n; j++) {
            Ast *p = param_node(arena, known[i]->decl->func.params.data[j]);
            all = ast_list_add(arena, all, p);
            k->captures =
                ast_list_add(arena, k->captures, lower_name(arena, params.data[i]->loc, p->sym));
        }
    }
    const Type **types = arena_array(arena, const Type *, all.len + 1);
    for (int i = 0; i < all.len; i++) types[i] = all.data[i]->sym->type;
    Symbol *copy = arena_copy(arena, f, sizeof *f);
    copy->type = type_func(s->r->types, f->type->result, all.len, types);
    copy->decl = arena_copy(arena, f->decl, sizeof *f->decl);
    copy->decl->sym = copy;
    copy->decl->type = copy->type;
    copy->decl->func.params = all;
    copy->decl->func.body = ast_clone(arena, f->decl->func.body);
    copy->special = 1;
    for (int i = 0; i < c.nknown; i++)
        if (c.known[i].function->special >= copy->special)
            copy->special = c.known[i].function->special + 1;
    copy->host = copy->fdag = NULL;
    put_known(&copy->decl->func.body, &c);
    vec_push(&s->funcs, copy);
    return copy;
}

/* Arguments that it takes as arrays may be other functions: its thunk evaluates them. */
static bool takes_values(const Symbol *f, int from)
{
    for (int i = from; i < f->type->nparams; i++) {
        const Type *t = f->type->params[i];
        AstOp mode = f->decl->func.params.data[i]->sym->mode;
        if (t->kind == TY_ARRAY && !type_is_hosted(t)) return false;
        if (mode != AST_OP_NONE && mode != AST_OP_BY_VALUE) return false;
    }
    return true;
}

/* A function with a body, whatever the object, that takes no `this`: of the type of the parameter. */
static bool is_known(const Ast *n, const Type *as)
{
    const Symbol *f = n->kind == AST_CLOSURE ? n->sym : NULL;
    return f && !f->self && called_has_body(f) && n->type == as &&
           captures_of(f, as) == n->closure.captures.len && takes_values(f, captures_of(f, as));
}

static Symbol *special_of(Specials *s, const Symbol *f, const Symbol *const *known, int n)
{
    for (size_t i = 0; i < s->made.len; i++) {
        const Special *m = &s->made.data[i];
        if (m->of == f && memcmp(m->known, known, sizeof *known * (size_t)n) == 0) return m->made;
    }
    Special m = {f, arena_copy(s->arena, known, sizeof *known * (size_t)n), NULL};
    m.made = make(s, f, known);
    vec_push(&s->made, m);
    return m.made;
}

/* Of f, which `values` are given to, in the place of the first parameters: the copy that is to be called, and what
 * that is given; NULL: f stays. */
static Symbol *specialise(Specials *s, const Symbol *f, AstList *values)
{
    const Symbol *known[MOST_PARAMS] = {NULL};
    const AstList params = f->decl->func.params;
    bool any = false;
    int total = params.len;
    if (params.len > MOST_PARAMS || s->made.len >= MOST_COPIES) return NULL;
    for (int i = 0; i < values->len; i++) {
        const Ast *v = values->data[i];
        if (!is_known(v, params.data[i]->sym->type) || v->sym->special >= DEEPEST ||
            !called_only(f, i, 0))
            continue;
        known[i] = v->sym;
        total += v->closure.captures.len;
        any = true;
    }
    if (!any || total > MOST_PARAMS) return NULL;
    Symbol *copy = special_of(s, f, known, params.len);
    AstList given = {0};
    for (int i = 0; i < values->len; i++) {
        Ast *v = values->data[i];
        if (!known[i]) given = ast_list_add(s->arena, given, v);
        for (int j = 0; known[i] && j < v->closure.captures.len; j++)
            given = ast_list_add(s->arena, given, v->closure.captures.data[j]);
    }
    *values = given;
    return copy;
}

static void visit(Ast **child, void *ctx)
{
    Specials *s = ctx;
    Ast *n = *child;
    if (!n) return;
    ast_each_child(n, visit, s);
    const Symbol *f = called_function(n);
    Symbol *copy = f ? specialise(s, f, &n->call.args) : NULL;
    if (copy) {
        Ast *callee = arena_copy(s->arena, n->call.callee, sizeof *n->call.callee);
        callee->sym = n->sym = copy;
        n->call.callee = callee;
    }
    if (n->kind != AST_CLOSURE || n->sym->self || !called_has_body(n->sym)) return;
    copy = specialise(s, n->sym, &n->closure.captures);
    if (copy) n->sym = copy;
}

void special_functions(SemaResult *r, Arena *arena)
{
    Specials s = {.r = r, .arena = arena};
    for (int i = 0; i < r->nfuncs; i++) vec_push(&s.funcs, r->funcs[i]);
    for (int i = 0; i < r->nstatics; i++) visit(&r->statics[i]->decl, &s);
    for (int i = 0; i < r->unit->unit.stmts.len; i++) visit(&r->unit->unit.stmts.data[i], &s);
    for (size_t i = 0; i < s.funcs.len; i++) { /* copies are added */
        Ast **body = lower_func_body(s.funcs.data[i]);
        if (body && *body) visit(body, &s);
    }
    r->nfuncs = (int)s.funcs.len;
    r->funcs = arena_copy(arena, s.funcs.data, sizeof *r->funcs * s.funcs.len);
    vec_free(&s.funcs);
    vec_free(&s.made);
}
