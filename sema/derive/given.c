/* [Derivative(g)] before a function f: g is called in place of what would be derived. It is one of Vjp(f)'s kind:
 *
 *     [Derivative(solved)] double[] solve(double[,] a, double[] b) { .. }
 *     (double[,], double[]) solved(double[,] a, double[] b, double[] seed) { .. }
 *
 * So f is never looked into, and each call of it is a statement of the host's. What goes along is a second function,
 * [Derivative(g, h)], of f's arguments and their changes. Where there is none it is made of g, which is linear in the
 * seed: what g changes by the seed, weighed with the changes of the arguments, is the change of f. */
#include <string.h>

#include "host.h"

static const Ast *attribute_of(const Symbol *f)
{
    const Ast *d = f->decl;
    for (int i = 0; d && d->kind == AST_FUNC && i < d->func.attrs.len; i++)
        if (d->func.attrs.data[i]->kind == AST_ATTR &&
            !strcmp(d->func.attrs.data[i]->attr.name, "Derivative"))
            return d->func.attrs.data[i];
    return NULL;
}

bool given_is(const Symbol *f)
{
    return attribute_of(f) != NULL;
}

int given_parts(const Symbol *f, int i, int *part)
{
    int parts = 0;
    for (int k = 0; k < f->type->nparams; k++) {
        if (!kind_is_real(f->type->params[k])) continue;
        parts++;
        if (k == i) *part = parts;
    }
    return parts;
}

/* Does a result of this type have the parts that f's parameters ask for? */
static bool gives(const Symbol *f, const Type *result)
{
    int part = 0, parts = given_parts(f, -1, &part), at = 0;
    const Class *c = class_of(result);
    bool fits = parts == 1 || (c && type_is_tuple(result) && c->nfields == parts);
    for (int k = 0; fits && k < f->type->nparams; k++) {
        const Type *t = f->type->params[k];
        if (!kind_is_real(t)) continue;
        fits = (parts == 1 ? result : c->fields[at++]->type) == t;
    }
    return fits && parts > 0;
}

static bool fits(const Symbol *f, const Symbol *g)
{
    const Type *a = f->type, *b = g->kind == SYM_FUNC ? g->type : NULL;
    if (!b || b->nparams != a->nparams + 1 || b->params[a->nparams] != a->result) return false;
    for (int i = 0; i < a->nparams; i++)
        if (a->params[i] != b->params[i]) return false;
    return gives(f, b->result);
}

/* Does it take f's arguments and their changes, and give that of the result? */
static bool fits_along(const Symbol *f, const Symbol *h)
{
    const Type *a = f->type, *b = h->kind == SYM_FUNC ? h->type : NULL;
    int at = a->nparams;
    if (!b || b->result != a->result || b->nparams < a->nparams) return false;
    for (int i = 0; i < a->nparams; i++) {
        if (a->params[i] != b->params[i]) return false;
        if (kind_is_real(a->params[i]) && (at == b->nparams || b->params[at++] != a->params[i]))
            return false;
    }
    return at == b->nparams;
}

/* The function that the attribute names, of the overloads that which fits. NULL: there is none. */
static Symbol *named(Sema *s, Symbol *f, const Ast *arg,
                     bool (*suits)(const Symbol *f, const Symbol *g))
{
    Context saved = context_enter(s, f);
    class_settle(s);
    Symbol *g = arg->kind == AST_NAME_REF ? scope_user(s, arg->name_ref.name) : NULL;
    while (g && !suits(f, g)) g = g->next;
    context_leave(s, &saved);
    return g;
}

static Symbol *given_derivative(Sema *s, Symbol *f)
{
    const Ast *arg = attribute_of(f)->attr.args.data[0];
    Symbol *g = named(s, f, arg, fits);
    if (g) return g;
    report(s, arg->loc, ATTRIBUTE,
           "[Derivative] takes a function of the parameters of '%s' and a seed, a '%s'", f->name,
           type_text(s->arena, f->type->result));
    report_note(
        s, NOWHERE,
        "it gives the derivative by each real and array of reals, a tuple if there are several");
    return NULL;
}

/* NULL: there is none, or it is told that it does not fit. */
static Symbol *given_change(Sema *s, Symbol *f)
{
    const AstList args = attribute_of(f)->attr.args;
    Symbol *h = args.len > 1 ? named(s, f, args.data[1], fits_along) : NULL;
    if (h || args.len < 2) return h;
    report(s, args.data[1]->loc, ATTRIBUTE,
           "[Derivative] takes as second a function of the parameters of '%s' and their changes",
           f->name);
    report_note(s, NOWHERE, "it gives the change of the result, a '%s'",
                type_text(s->arena, f->type->result));
    return NULL;
}

void given_check(Sema *s, Symbol *f)
{
    if (given_derivative(s, f)) given_change(s, f);
}

Symbol *given_function(Sema *s, Symbol *f, Loc loc)
{
    Symbol *g = given_derivative(s, f);
    if (g) pure_need(s, g, loc, "is a derivative");
    return g;
}

static void add_param(Sema *s, AstList *params, Loc loc, const Type *t, const char *name)
{
    Ast *p = tree_param(s, loc, type_node(s, loc, t), name);
    p->type = t;
    *params = ast_list_add(s->arena, *params, p);
}

/* A call with f's parameters as arguments. */
static Ast *call_of(Sema *s, Loc loc, const char *name, const AstList *params, int n)
{
    Ast *call = tree_call(s, loc, tree_name(s, loc, name), 0);
    for (int i = 0; i < n; i++)
        call->call.args =
            ast_list_add(s->arena, call->call.args, tree_name(s, loc, params->data[i]->param.name));
    return call;
}

bool given_along(Sema *s, Symbol *f, DerivedWay way, unsigned by, Loc loc, AstList *params,
                 AstList *stmts, Ast **result)
{
    const Type *of = f->type->result, *types[] = {of, of};
    int n = f->type->nparams;
    Symbol *g = given_function(s, f, loc), *h = g ? given_change(s, f) : NULL;
    const Symbol *made = h;
    AstList weights = {0}, both = {0};
    if (h) pure_need(s, h, loc, "is a derivative");
    if (g && !h && n < 32) made = derived_function(s, g, DERIVED_BACK, 1u << n, loc);
    if (!made) return false;
    for (int i = 0; i < n; i++)
        add_param(s, params, loc, f->type->params[i], f->decl->func.params.data[i]->param.name);
    for (int i = 0; i < n; i++) {
        const Type *t = f->type->params[i];
        Variable v = {.name = params->data[i]->param.name, .type = t};
        const bool changes = by >> i & 1;
        const char *change = changes ? code_change(s, v.name) : NULL;
        if (changes) add_param(s, params, loc, t, change);
        if (kind_is_real(t))
            weights = ast_list_add(s->arena, weights,
                                   changes ? tree_name(s, loc, change) : code_zero(s, loc, &v));
    }
    const char *value = code_fresh(s, "value"); /* any seed does: it has the value's ranges */
    code_local(s, stmts, loc, of, value, call_of(s, loc, derived_plain(s, f), params, n));
    Ast *change = call_of(s, loc, h ? derived_plain(s, h) : made->name, params, n);
    AstList behind = h ? weights : ast_list_add(s->arena, (AstList){0}, tree_name(s, loc, value));
    if (!h) behind = ast_list_add(s->arena, behind, tree_tuple(s, loc, weights));
    for (int i = 0; i < behind.len; i++)
        change->call.args = ast_list_add(s->arena, change->call.args, behind.data[i]);
    if (way == DERIVED_ALONG) both = ast_list_add(s->arena, both, tree_name(s, loc, value));
    both = ast_list_add(s->arena, both, change);
    *result = code_tuple_type(s, loc, way == DERIVED_ALONG ? 2 : 1, types);
    *stmts = ast_list_add(s->arena, *stmts, tree_return(s, tree_tuple(s, loc, both)));
    return true;
}
