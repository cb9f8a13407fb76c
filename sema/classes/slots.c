/* Which method a call runs: slots of the virtual methods of a class, filled with what overrides
 * them, the methods that implement its interfaces, and those that make an object a function.
 */
#include <string.h>

#include "../check/check.h"

/* ---- slots ---------------------------------------------------------------------------------- */

static int add_slot(Sema *s, Class *c, Symbol *f)
{
    c->virtuals = arena_grow(s->arena, c->virtuals, sizeof f * (size_t)c->nslots, sizeof f);
    c->virtuals[c->nslots] = f;
    return c->nslots++;
}

static bool is_to_string(const Symbol *f)
{
    return !strcmp(f->name, "ToString") && f->type->nparams == 0;
}

static int find_slot(const Class *c, const Symbol *f)
{
    for (int i = 0; i < c->nslots; i++) {
        const Symbol *v = c->virtuals[i];
        if (v ? v->name == f->name && type_same_params(v->type, f->type) : is_to_string(f))
            return i;
    }
    return -1;
}

/* The parameter types of Invoke for runs: an int[] a dimension; its result an array of that rank.
 */
static bool is_block(const Sema *s, const Class *c, const Type *t)
{
    bool block = t->nparams == c->function->nparams && t->result->kind == TY_ARRAY &&
                 t->result->nparams == t->nparams && t->result->result == c->function->result;
    for (int i = 0; i < t->nparams && block; i++)
        block = t->params[i] == type_array(s->types, s->integer, 1);
    return block;
}

/* Which of the functions of its functional type a method is; NULL if none. */
static Symbol **function_part(const Sema *s, Class *c, const Symbol *f)
{
    if (!c->function) return NULL;
    bool bound =
        f->type->nparams == 1 && f->type->params[0] == s->integer && f->type->result == s->integer;
    if (!strcmp(f->name, "GetLowerBound") && bound) return &c->lower;
    if (!strcmp(f->name, "GetUpperBound") && bound) return &c->upper;
    if (strcmp(f->name, "Invoke")) return NULL;
    if (type_same_params(f->type, c->function) && f->type->result == c->function->result)
        return &c->invoke;
    return is_block(s, c, f->type) ? &c->block : NULL;
}

static void report_no_override(Sema *s, const Class *c, const Symbol *f)
{
    report(s, f->loc, OVERRIDE,
           "'%s' overrides nothing: no base has a virtual '%s' with these "
           "parameters",
           f->name, f->name);
    VEC(const char *) names = {0};
    for (int i = 0; i < c->nslots; i++)
        if (c->virtuals[i]) vec_push(&names, c->virtuals[i]->name);
    const char *near = diag_nearest(f->name, names.data, names.len);
    if (near && near != f->name) report_note(s, NOWHERE, "did you mean '%s'?", near);
    for (int i = 0; i < c->nslots; i++)
        if (c->virtuals[i] && c->virtuals[i]->name == f->name)
            report_note(s, c->virtuals[i]->loc, "this one takes other parameters");
    if (c->function && !strcmp(f->name, "Invoke"))
        report_note(s, NOWHERE, "Invoke takes and returns what '%s' says, or arrays of them",
                    type_text(s->arena, c->function));
    vec_free(&names);
}

/* May what overrides give `with` where the base gives `result`? An object of a derived class is one of
 * the base. */
static bool gives_same(const Type *result, const Type *with)
{
    const Class *a = class_of(with), *b = class_of(result);
    return with == result ||
           (with->kind == TY_OBJECT && result->kind == TY_OBJECT && a && b && class_is(a, b));
}

static void override_slot(Sema *s, Class *c, Symbol *f, int slot)
{
    Symbol *base = c->virtuals[slot];
    if (base && (base->mods & AST_MOD_SEALED) && base->cls != c) {
        report(s, f->loc, OVERRIDE, "'%s' is sealed in '%s': nothing overrides it", f->name,
               base->cls->sym->name);
        report_note(s, base->loc, "this one");
    }
    if (base && !gives_same(base->type->result, f->type->result)) {
        report(s, f->loc, OVERRIDE, "'%s' returns '%s', but overrides a method that returns '%s'",
               f->name, type_text(s->arena, f->type->result),
               type_text(s->arena, base->type->result));
        report_note(s, base->loc, "this one");
    }
    if (base) f->mods = (f->mods & ~(uint64_t)AST_MOD_ACCESS) | (base->mods & AST_MOD_ACCESS);
    if (base) pure_override(s, base, f);
    if (base && base->cls != c) base->overridden = true;
    c->virtuals[slot] = f;
    f->slot = slot;
}

/* Does a generic method override one? Whether their types agree, instances tell. */
static bool overrides_generic(const Class *c, const Symbol *f)
{
    for (const Class *b = c->base; b; b = b->base)
        for (const Symbol *m = member_own(b->sym, f->name); m; m = m->next)
            if (m->generic && (m->mods & (AST_MOD_VIRTUAL | AST_MOD_ABSTRACT | AST_MOD_OVERRIDE)) &&
                generic_nparams(m) == generic_nparams(f) &&
                m->decl->func.params.len == f->decl->func.params.len)
                return true;
    return false;
}

/* The number by which a method of an interface is found; that of one alike is the same. */
static int selector(Sema *s, const Class *c, const Symbol *f)
{
    int place = 0;
    for (const Symbol *o = member_own(c->sym, f->name); o && o != f; o = o->next) place++;
    const Symbol *like = c->sym->instance ? generic_newest(c->sym->instance->of) : NULL;
    for (; like; like = like->instance->older) {
        if (!like->cls || like->cls == c || !class_alike(like->cls, c)) continue;
        const Symbol *same = member_own(like, f->name);
        for (int i = 0; same && i < place; i++) same = same->next;
        if (same && same->slot >= 0) return same->slot;
    }
    return s->selectors++;
}

static void lay_slot(Sema *s, Class *c, Symbol *f)
{
    if (f->generic && (f->mods & AST_MOD_OVERRIDE) && !overrides_generic(c, f))
        report_no_override(s, c, f);
    if (!f->type || f->type->kind != TY_FUNC || f->generic) return;
    bool marked = f->mods & (AST_MOD_VIRTUAL | AST_MOD_ABSTRACT);
    if (class_is_interface(c)) {
        f->slot = selector(s, c, f);
        return;
    }
    int slot = find_slot(c, f);
    Symbol **part = function_part(s, c, f);
    if (c->type->kind == TY_RECORD) { /* no inheritance; what looks like object's is meant so */
        if (is_to_string(f) && slot == 0) c->virtuals[0] = f;
        bool objects =
            is_to_string(f) || !strcmp(f->name, "Equals") || !strcmp(f->name, "GetHashCode");
        if ((f->mods & AST_MOD_OVERRIDE) && !objects) report_no_override(s, c, f);
        return;
    }
    if (slot >= 0 && ((f->mods & AST_MOD_OVERRIDE) || !c->virtuals[slot]))
        override_slot(s, c, f, slot);
    else if (slot >= 0 && (f->mods & AST_MOD_HIDING)) {
        if (marked) f->slot = add_slot(s, c, f);
    } else if (slot >= 0 && c->virtuals[slot]->cls != c && !(f->mods & AST_MOD_PRIVATE)) {
        report(s, f->loc, HIDES,
               "'%s' hides the virtual method of '%s'; write override to replace it", f->name,
               c->virtuals[slot]->cls->sym->name);
        report_note(s, c->virtuals[slot]->loc, "this one");
    } else if (part || marked)
        f->slot = add_slot(s, c, f);
    else if (f->mods & AST_MOD_OVERRIDE)
        report_no_override(s, c, f);
    if (part) *part = f;
}

void slots_lay(Sema *s, Class *c)
{
    if (c->base) {
        c->nslots = c->base->nslots;
        c->virtuals = arena_copy(s->arena, c->base->virtuals, sizeof(Symbol *) * (size_t)c->nslots);
    } else if (!class_is_interface(c)) {
        add_slot(s, c, NULL); /* ToString */
    }
    const Members *m = c->sym->members;
    for (int i = 0; i < m->len; i++)
        for (Symbol *f = m->data[i]; f; f = f->next)
            if (f->kind == SYM_FUNC && !(f->mods & AST_MOD_STATIC) && !f->is_ctor)
                lay_slot(s, c, f);
    c->slots = arena_array(s->arena, Symbol *, c->nslots ? c->nslots : 1);
    const Symbol *missing = NULL;
    for (int i = 0; i < c->nslots; i++) {
        Symbol *f = c->virtuals[i];
        c->slots[i] = f && f->decl->func.body ? f : NULL;
        if (f && !c->slots[i] && !missing) missing = f;
    }
    bool abstract = c->decl->class_.mods & AST_MOD_ABSTRACT;
    if (missing && !abstract && missing->cls != c) {
        report(s, c->sym->loc, ABSTRACT, "'%s' does not override the abstract '%s'", c->sym->name,
               missing->name);
        report_note(s, missing->loc, "declared here");
    }
    if (c->function && !c->invoke && !abstract)
        report(s, c->sym->loc, ABSTRACT, "'%s' derives from '%s', but has no Invoke of that type",
               c->sym->name, type_text(s->arena, c->function));
}

/* ---- interfaces ----------------------------------------------------------------------------- */

typedef VEC(struct ClassImpl) Impls;

static bool fits(const Symbol *f, const Symbol *m)
{
    return f->kind == SYM_FUNC && f->self && !f->is_ctor && f->type &&
           type_same_params(f->type, m->type) && f->type->result == m->type->result;
}

/* `void I.f()`: of this interface and no other, whatever is public. */
static Symbol *explicit_implementation(Sema *s, const Class *c, const Class *i, const Symbol *m)
{
    for (const Class *b = c; b; b = b->base)
        for (int k = 0; k < b->sym->members->len; k++)
            for (Symbol *f = b->sym->members->data[k]; f; f = f->next) {
                const char *dot = strrchr(f->name, '.');
                if (dot && fits(f, m) && f->decl->func.of && strcmp(dot + 1, m->name) == 0 &&
                    decl_type(s, f->decl->func.of) == i->type)
                    return f;
            }
    return NULL;
}

static Symbol *implementation(const Class *c, const Symbol *m)
{
    for (const Class *b = c; b; b = b->base)
        for (int i = 0; i < b->sym->members->len; i++)
            for (Symbol *f = b->sym->members->data[i]; f; f = f->next)
                if (f->name == m->name && fits(f, m))
                    return f->slot >= 0 ? c->virtuals[f->slot] : f;
    return NULL;
}

/* The interface's own method runs where the class has none; the nearest of those that override it. */
static Symbol *default_of(Sema *s, const Class *c, const Class *i, Symbol *m)
{
    Symbol *found = m->decl->func.body ? m : NULL;
    for (int k = 0; k < c->ninterfaces; k++) {
        Symbol *f = class_is(c->interfaces[k], i)
                        ? explicit_implementation(s, c->interfaces[k], i, m)
                        : NULL;
        if (f) found = f;
    }
    return found;
}

static void implement(Sema *s, Class *c, const Class *i, Symbol *m, Impls *impls)
{
    Symbol *with = explicit_implementation(s, c, i, m);
    bool explicit = with != NULL;
    if (!with) with = implementation(c, m);
    if (!with) with = default_of(s, c, i, m);
    if (!with) {
        report(s, c->sym->loc, ABSTRACT, "'%s' does not implement '%s' of the interface '%s'",
               c->sym->name, m->name, i->sym->name);
        report_note(s, m->loc, "declared here");
        return;
    }
    if (!explicit && with != m && !(with->mods & AST_MOD_PUBLIC)) {
        report(s, with->loc, ABSTRACT, "'%s' implements '%s' and must be public", with->name,
               i->sym->name);
        return;
    }
    if (!with->decl->func.body) return; /* abstract: the derived class has it */
    pure_override(s, m, with);
    struct ClassImpl impl = {m, with};
    vec_push(impls, impl);
}

void slots_implement(Sema *s, Class *c)
{
    if (class_is_interface(c)) return;
    Impls impls = {0};
    for (int k = 0; k < c->ninterfaces; k++) {
        const Members *m = c->interfaces[k]->sym->members;
        for (int i = 0; i < m->len; i++)
            for (Symbol *f = m->data[i]; f; f = f->next)
                if (f->kind == SYM_FUNC && f->type && f->self)
                    implement(s, c, c->interfaces[k], f, &impls);
    }
    c->nimpls = (int)impls.len;
    c->impls = arena_copy(s->arena, impls.data, sizeof *impls.data * impls.len);
    vec_free(&impls);
}
