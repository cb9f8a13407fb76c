/* [Derivative(g)] before a function f: g is called in place of what would be derived. It is one of Vjp(f)'s kind:
 *
 *     [Derivative(solved)] double[] solve(double[,] a, double[] b) { .. }
 *     (double[,], double[]) solved(double[,] a, double[] b, double[] seed) { .. }
 *
 * So f is never looked into, and each call of it is a statement of the host's. */
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

Symbol *given_derivative(Sema *s, Symbol *f)
{
    const Ast *attr = attribute_of(f), *arg = attr->attr.args.data[0];
    Context saved = context_enter(s, f);
    class_settle(s);
    Symbol *g = arg->kind == AST_NAME_REF ? scope_user(s, arg->name_ref.name) : NULL;
    while (g && !fits(f, g)) g = g->next;
    context_leave(s, &saved);
    if (g) return g;
    report(s, arg->loc, ATTRIBUTE,
           "[Derivative] takes a function of the parameters of '%s' and a seed, a '%s'", f->name,
           type_text(s->arena, f->type->result));
    report_note(
        s, NOWHERE,
        "it gives the derivative by each real and array of reals, a tuple if there are several");
    return NULL;
}
