/* Generic functions and classes: for each list of type arguments a copy of the tree, checked with
 * the type parameters bound to them. Instances are found by their arguments; what goes wrong inside
 * says in which instance.
 */
#include "class.h"

enum { MAX_NESTING = 20 };

struct Generic {
    const AstList *params; /* TYPE_PARAM */
    Symbol *newest;        /* SYM_FUNC or SYM_TYPE; Instance.older leads to the others */
};

void generic_declare(Sema *s, Symbol *sym, const AstList *tparams)
{
    sym->generic = arena_new_of(s->arena, struct Generic);
    sym->generic->params = tparams;
    if (tparams->len > MAX_TYPE_PARAMS)
        report(s, sym->loc, NOT_SUPPORTED, "more than %d type parameters", MAX_TYPE_PARAMS);
}

void generic_note(Sema *s)
{
    if (!s->instance || s->quiet) return;
    diag_note(s->diags, s->instance->loc, "in the instance %s", s->instance->name);
}

int generic_nparams(const Symbol *g)
{
    return g->generic->params->len < MAX_TYPE_PARAMS ? g->generic->params->len : MAX_TYPE_PARAMS;
}

const Ast *generic_param(const Symbol *g, int i)
{
    return g->generic->params->data[i];
}

/* ---- instances ------------------------------------------------------------------------------ */

static Symbol *find(const Symbol *g, const Type *const *args)
{
    for (Symbol *sym = g->generic->newest; sym; sym = sym->instance->older) {
        bool same = true;
        for (int k = 0; k < sym->instance->nparams && same; k++)
            same = sym->instance->params[k]->type == args[k];
        if (same) return sym;
    }
    return NULL;
}

static const char *instance_name(Sema *s, const Symbol *g, const Type *const *args)
{
    const char *text = arena_printf(s->arena, "%s<", g->name);
    for (int i = 0; i < generic_nparams(g); i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", type_text(s->arena, args[i]));
    return arena_printf(s->arena, "%s>", text);
}

/* The instance for these arguments, its tree a copy; NULL after a report. */
static Symbol *instance(Sema *s, Symbol *g, const Type *const *args, Loc loc)
{
    Symbol *sym = find(g, args);
    if (sym) return sym;
    int depth = s->instance ? s->instance->depth + 1 : 1;
    if (depth > MAX_NESTING) {
        report(s, loc, GENERIC, "instances of '%s' need further instances of it without end",
               g->name);
        return NULL;
    }
    Instance *i = arena_new_of(s->arena, Instance);
    i->of = g;
    i->nparams = generic_nparams(g);
    i->params = arena_array(s->arena, Symbol *, i->nparams);
    i->name = instance_name(s, g, args);
    i->loc = loc;
    i->depth = depth;
    for (int k = 0; k < i->nparams; k++) {
        const Ast *p = g->generic->params->data[k];
        i->params[k] = scope_symbol(s, SYM_TYPE, p->type_param.name, args[k], p->loc, NULL);
    }
    sym = arena_new_of(s->arena, Symbol);
    *sym = *g;
    sym->generic = NULL;
    sym->next = NULL;
    sym->cls = g->kind == SYM_TYPE ? NULL : g->cls;
    sym->instance = i;
    sym->decl = ast_clone(s->arena, g->decl);
    sym->decl->sym = sym;
    if (g->self) {
        sym->self = scope_symbol(s, SYM_PARAM, g->self->name, g->self->type, g->loc, NULL);
        sym->self->mode = AST_OP_BY_VALUE;
    }
    i->older = g->generic->newest;
    g->generic->newest = sym;
    return sym;
}

const Type *generic_class(Sema *s, Symbol *g, Ast *written)
{
    const AstList *given = &written->type_name.args;
    const Type *args[MAX_TYPE_PARAMS] = {0};
    bool broken = false;
    if (given->len != generic_nparams(g)) {
        report(s, written->loc, GENERIC, "'%s' takes %d type argument%s, not %d", g->name,
               generic_nparams(g), generic_nparams(g) == 1 ? "" : "s", given->len);
        return s->error;
    }
    for (int i = 0; i < given->len; i++) {
        args[i] = decl_type(s, given->data[i]);
        if (args[i] == s->voids)
            report(s, given->data[i]->loc, GENERIC, "void is no type argument");
        broken = broken || args[i] == s->error || args[i] == s->voids;
    }
    Symbol *sym = broken ? NULL : instance(s, g, args, written->loc);
    if (!sym) return s->error;
    written->sym = sym;
    return class_type(s, sym);
}

Symbol *generic_instance(Sema *s, Symbol *g, const Type *const *args, Loc loc)
{
    Symbol *sym = instance(s, g, args, loc);
    if (!sym || sym->type) return sym;
    Context saved = context_enter(s, sym);
    decl_func(s, sym, sym);
    context_leave(s, &saved);
    class_settle(s);
    return sym;
}

Symbol *generic_of(Sema *s, Symbol *g, const Type *t, Loc loc)
{
    return generic_instance(s, g, &t, loc);
}
