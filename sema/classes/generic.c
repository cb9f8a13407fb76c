/* Generic functions and classes: for each list of type arguments a copy of the tree, checked with
 * the type parameters bound to them. Instances are found by their arguments; what goes wrong inside
 * says in which instance.
 */
#include <string.h>

#include "../check/check.h"

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

const Symbol *generic_newest(const Symbol *g)
{
    return g->generic->newest;
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
    if (g->library && strcmp(g->name, "Nullable") == 0)
        return arena_printf(s->arena, "%s?", type_text(s->arena, args[0]));
    const char *text = arena_printf(s->arena, "%s<", g->name);
    for (int i = 0; i < generic_nparams(g); i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "", type_text(s->arena, args[i]));
    return arena_printf(s->arena, "%s>", text);
}

/* ---- constraints ---- */

const AstList *generic_wheres(const Symbol *g)
{
    return g->decl->kind == AST_CLASS ? &g->decl->class_.wheres : &g->decl->func.wheres;
}

/* What every number, string, char and bool is in C#, though it is no object of a class here. */
static bool is_of_value(const Class *c, const Type *t)
{
    static const char *const names[] = {"IComparable", "IEquatable"};
    bool value = t->kind == TY_SCALAR || t->kind == TY_STRING || type_is_tuple(t);
    const Class *own = class_of(t);
    bool decimal = own && own->sym->library && strcmp(own->sym->name, "decimal") == 0;
    for (int i = 0; c->sym->library && (type_is_numeric(t) || decimal) && i < c->ninterfaces; i++)
        if (strcmp(c->interfaces[i]->sym->name, "IOfNumbers") == 0) return true;
    if (c->sym->library && strcmp(c->sym->name, "Enum") == 0) return type_is_enum(t);
    for (size_t i = 0; value && c->sym->library && i < sizeof names / sizeof *names; i++)
        if (strcmp(c->sym->name, names[i]) == 0) return true;
    return false;
}

/* An IComparable<Base> takes a Derived, too: it is what IComparable<Derived> asks for. */
static bool compares_as_base(const Class *c, const Class *wanted)
{
    const Instance *i = wanted->sym->instance;
    if (!c || !i || !i->of->library || strcmp(i->of->name, "IComparable") != 0) return false;
    const Class *of = class_of(i->params[0]->type);
    for (const Class *b = of ? of->base : NULL; b; b = b->base) {
        const Symbol *sym = find(i->of, &b->type);
        if (sym && sym->cls && class_is(c, sym->cls)) return true;
    }
    return false;
}

static bool can_be_made(const Type *t)
{
    const Class *c = class_of(t);
    if (!c) return t->kind == TY_SCALAR;
    if (c->decl->class_.mods & (AST_MOD_ABSTRACT | AST_MOD_INTERFACE | AST_MOD_STATIC))
        return false;
    for (const Symbol *f = c->ctors; f; f = f->next)
        if (!f->decl->func.params.len && (f->mods & AST_MOD_PUBLIC)) return true;
    return false;
}

/* What type argument `t` lacks of a constraint; NULL: nothing. */
static const char *lacks(Sema *s, const Ast *where, const Type *t)
{
    bool value = t->kind == TY_SCALAR || (class_of(t) && class_is_final_value(class_of(t)));
    if ((where->where.mods & AST_MOD_STRUCT) && !value) return "is no value";
    if ((where->where.mods & AST_MOD_MUTABLE) && value) return "is no reference";
    for (int i = 0; i < where->where.types.len; i++) {
        Ast *written = ast_clone(s->arena, where->where.types.data[i]);
        const Type *wanted = decl_type(s, written);
        const Class *c = class_of(t), *base = class_of(wanted);
        if (wanted == s->error || wanted == t || (c && base && class_is(c, base))) continue;
        if (base && (is_of_value(base, t) || compares_as_base(c, base))) continue;
        return arena_printf(s->arena, "is no '%s'", type_text(s->arena, wanted));
    }
    if (where->where.makes && !can_be_made(t)) return "has no constructor without parameters";
    return NULL;
}

/* Do the type arguments of an instance have what its constraints ask for? Reports. */
static bool meets_constraints(Sema *s, Symbol *sym, Loc loc)
{
    const AstList *wheres = generic_wheres(sym);
    bool good = true;
    if (!wheres->len || s->laying) return true;
    class_settle(s);
    for (int i = 0; i < wheres->len; i++)
        for (int k = 0; k < sym->instance->nparams; k++) {
            const Symbol *p = sym->instance->params[k];
            if (p->name != wheres->data[i]->where.name) continue;
            Context saved = context_enter(s, sym);
            const char *why = lacks(s, wheres->data[i], p->type);
            context_leave(s, &saved);
            if (!why) continue;
            report(s, loc, GENERIC, "'%s' cannot be the '%s' of '%s': it %s",
                   type_text(s->arena, p->type), p->name, sym->name, why);
            report_note(s, wheres->data[i]->loc, "asked for here");
            good = false;
        }
    return good;
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
    return meets_constraints(s, sym, loc) ? sym : NULL;
}

/* A class inside a generic one, named without the type arguments of that: they are those that are known
 * here by the same names. */
static void take_outer(Sema *s, const Symbol *g, Ast *written)
{
    AstList all = {0};
    int missing = generic_nparams(g) - written->type_name.args.len;
    if (missing <= 0 || !strchr(g->name, '.')) return;
    for (int i = 0; i < missing; i++) {
        const char *name = g->generic->params->data[i]->type_param.name;
        const Symbol *known = scope_type(s, name);
        if (!known || !known->type) return;
        all = ast_list_add(s->arena, all, type_node(s, written->loc, known->type));
    }
    for (int i = 0; i < written->type_name.args.len; i++)
        all = ast_list_add(s->arena, all, written->type_name.args.data[i]);
    written->type_name.args = all;
}

const Type *generic_class(Sema *s, Symbol *g, Ast *written)
{
    take_outer(s, g, written);
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

Symbol *generic_around(Sema *s, Symbol *outer, const Instance *inner)
{
    const Type *args[MAX_TYPE_PARAMS] = {0};
    for (Symbol *sym = outer->generic->newest; sym; sym = sym->instance->older) {
        const Instance *i = sym->instance;
        bool same = i->nparams <= inner->nparams;
        for (int k = 0; same && k < i->nparams; k++)
            same = i->params[k]->type == inner->params[k]->type;
        if (same) return sym;
    }
    if (generic_nparams(outer) > inner->nparams) return NULL;
    for (int k = 0; k < generic_nparams(outer); k++) args[k] = inner->params[k]->type;
    return instance(s, outer, args, inner->loc);
}

Symbol *generic_instance(Sema *s, Symbol *g, const Type *const *args, Loc loc)
{
    Symbol *sym = instance(s, g, args, loc);
    if (!sym || sym->type) return sym;
    Context saved = context_enter(s, sym);
    decl_func(s, sym, sym);
    dispatch_instance(s, sym);
    context_leave(s, &saved);
    class_settle(s);
    return sym;
}

Symbol *generic_of(Sema *s, Symbol *g, const Type *t, Loc loc)
{
    return generic_instance(s, g, &t, loc);
}

const Type *generic_with(Sema *s, Symbol *g, const Type *t, Loc loc)
{
    Ast *written = ast_new(s->arena, AST_TYPE_NAME, loc);
    written->type_name.name = g->name;
    written->type_name.args = ast_list_add(s->arena, (AstList){0}, type_node(s, loc, t));
    return generic_class(s, g, written);
}
