/* Kept lambdas and names of functions that would be graphs, which take the values of what they use when they
 * are made. Where a call might find other values, or where taking them might fail, the host calls them instead,
 * and they read when they are called. On checked trees.
 *
 *     x => x * this.rate         a field that is assigned outside of constructors: CLOSURE (this)
 *     x => x < s.Length          s may be null: CLOSURE (s)
 *     x => x * k                 k is never assigned again (else it has a cell): a graph
 *
 * One that calls what the host runs is run by the host, too: a graph calls what it needs the value of, once or
 * never, but effects count.
 *
 *     Func<int, int> f = x => { n++; return x; }, g = x => { int q = f(x); return x; };
 */
#include "../../check/check.h"

enum { MOST_CALLS = 64 };

typedef struct Late {
    const Symbol *made_in;        /* the function in which the lambda stands; NULL: none */
    const Symbol *in[MOST_CALLS]; /* functions that are looked at, or were */
    int nin;
    bool called; /* what is looked at is the body of a function that it calls */
    bool found;
} Late;

static void visit(Ast **child, void *ctx);

/* A field that a constructor alone assigns is read early, but by the constructor. */
static bool may_change(const Late *l, const Symbol *field)
{
    bool unset = l->made_in && l->made_in->is_ctor && l->made_in->cls == field->cls;
    return field->assigned_again || (unset && !l->called);
}

static void visit_field(Late *l, Ast *n)
{
    const Ast *base = n->member.base;
    bool is_static = n->sym->mods & AST_MOD_STATIC;
    if (!is_static && base->type && base->type->kind != TY_OBJECT) {
        visit(&n->member.base, l);
        return;
    }
    if (is_static || base->kind == AST_THIS)
        l->found = l->found || may_change(l, n->sym);
    else
        l->found = true; /* of an object that may be null */
}

static void visit_function(Late *l, const Symbol *f)
{
    if (f->slot >= 0 || !f->decl || f->decl->kind != AST_FUNC || l->nin == MOST_CALLS) {
        l->found = true;
        return;
    }
    for (int i = 0; i < l->nin; i++)
        if (l->in[i] == f) return;
    l->in[l->nin++] = f;
    bool outer = l->called;
    l->called = true;
    visit(&f->decl->func.body, l);
    l->called = outer;
}

/* Is it asked before there are arguments: a value that lowering captures? */
static bool is_early(const Late *l, const Ast *n)
{
    return !l->called && !mentions_bound(n);
}

static bool is_hosted(const Ast *n)
{
    return n && n->kind != AST_TYPE_NAME && n->type && type_is_hosted(n->type);
}

/* Is it asked of an object or text, which may be null? */
static bool takes_hosted(const Ast *n)
{
    const Ast *callee = n->kind == AST_CALL ? n->call.callee : NULL;
    bool found = n->kind == AST_INDEX && is_hosted(n->index.base);
    if (n->kind == AST_MEMBER) found = is_hosted(n->member.base);
    if (callee && callee->kind == AST_MEMBER) found = is_hosted(callee->member.base);
    for (int i = 0; callee && i < n->call.args.len; i++)
        found = found || is_hosted(n->call.args.data[i]);
    return found;
}

/* A variable that holds a function of the host from the beginning on. */
static bool holds_closure(const Symbol *v)
{
    bool set = v && v->kind == SYM_LOCAL && v->decl && v->decl->kind == AST_DECLARATOR;
    const Ast *init = set ? v->decl->declarator.init : NULL;
    while (init && init->kind == AST_CONVERT) init = init->convert.operand;
    return init && init->kind == AST_CLOSURE;
}

static void visit(Ast **child, void *ctx)
{
    Late *l = ctx;
    Ast *n = *child;
    if (!n || l->found || n->is_const || n->kind == AST_TYPE_NAME) return;
    const Symbol *f = n->sym;
    bool function = f && f->kind == SYM_FUNC;
    switch (n->kind) {
    case AST_MEMBER:
        if (f && f->kind == SYM_FIELD) {
            visit_field(l, n);
            return;
        }
        break;
    case AST_CALL:
        if (!function && n->call.callee->sym && n->call.callee->sym->kind == SYM_FUNC) {
            f = n->call.callee->sym;
            function = true;
        }
        break;
    case AST_NAME_REF: l->found = holds_closure(f); break;
    case AST_CAST: l->found = n->type && type_is_hosted(n->type) && is_early(l, n); break;
    default: break;
    }
    if (function && n->kind != AST_CLOSURE) visit_function(l, f);
    if (is_early(l, n) && (takes_hosted(n) || (n->kind == AST_CALL && function))) l->found = true;
    if (!l->found) ast_each_child(n, visit, l);
}

void late_note(Sema *s, Ast *function)
{
    KeptFunction one = {function, s->func};
    if (!s->quiet) vec_push(&s->kept, one);
}

/* Becomes the note's function a CLOSURE? */
static bool close_one(Sema *s, const KeptFunction *note)
{
    Ast *node = note->node;
    bool lambda = node->kind == AST_LAMBDA, name = node->kind == AST_NAME_REF;
    if ((!lambda && !name) || !node->type || node->type->kind != TY_FUNC) return false;
    Late l = {.made_in = note->func};
    if (lambda)
        visit(&node->lambda.body, &l);
    else if (node->sym->kind == SYM_FUNC)
        visit_function(&l, node->sym);
    if (!l.found) return false;
    Ast *made = arena_copy(s->arena, node, sizeof *node);
    if (lambda)
        closure_lambda(s, &made);
    else
        closure_function(s, &made);
    *node = *made;
    return true;
}

void late_close(Sema *s)
{
    for (bool changed = true; changed;) { /* what calls them becomes one in the next round */
        changed = false;
        for (size_t i = 0; i < s->kept.len; i++)
            changed = close_one(s, &s->kept.data[i]) || changed;
    }
}
