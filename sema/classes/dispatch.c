/* Virtual generic methods: each instance is called by a selector of its own, as methods of interfaces
 * are, and each class that is used has the function that runs for it.
 */
#include "../check/check.h"

/* Does the generic method that this is an instance of run by the class of its object? */
static bool is_open(const Symbol *f)
{
    if (!f->cls || !f->self || f->is_ctor || (f->mods & AST_MOD_STATIC)) return false;
    return class_is_interface(f->cls) || (f->mods & (AST_MOD_VIRTUAL | AST_MOD_ABSTRACT));
}

void dispatch_instance(Sema *s, Symbol *f)
{
    if (f->slot >= 0 || !is_open(f)) return;
    f->slot = s->selectors++;
    f->selected = true;
}

/* What class c itself has for f: its instance with the same type arguments; NULL. */
static Symbol *own(Sema *s, const Class *c, const Symbol *f)
{
    const Instance *i = f->instance;
    const Type *args[MAX_TYPE_PARAMS] = {0};
    for (int k = 0; k < i->nparams; k++) args[k] = i->params[k]->type;
    for (Symbol *m = member_own(c->sym, f->name); m; m = m->next) {
        bool open = m->kind == SYM_FUNC && m->generic && m->self &&
                    (class_is_interface(f->cls) || (m->mods & AST_MOD_OVERRIDE));
        if (!open || generic_nparams(m) != i->nparams) continue;
        Symbol *with = generic_instance(s, m, args, m->loc);
        if (with && with->type && type_same_params(with->type, f->type) &&
            with->type->result == f->type->result)
            return with;
    }
    return NULL;
}

Symbol *dispatch_target(Sema *s, const Class *c, Symbol *f)
{
    for (const Class *b = c; b && b != f->cls; b = b->base) {
        Symbol *with = own(s, b, f);
        if (with) return with;
    }
    return f;
}

static void implement(Sema *s, Class *c, Symbol *f)
{
    if (class_is_interface(c) || !class_is(c, f->cls)) return;
    Symbol *with = dispatch_target(s, c, f);
    if (!with->decl->func.body) {
        if (c->decl->class_.mods & AST_MOD_ABSTRACT) return;
        report(s, c->sym->loc, ABSTRACT, "'%s' does not override the abstract '%s'", c->sym->name,
               f->name);
        report_note(s, f->loc, "declared here");
        return;
    }
    if (with != f) pure_override(s, f, with);
    struct ClassImpl impl = {f, with};
    c->impls = arena_grow(s->arena, c->impls, sizeof impl * (size_t)c->nimpls, sizeof impl);
    c->impls[c->nimpls++] = impl;
    func_use(s, with);
}

void dispatch_use(Sema *s, Symbol *f)
{
    vec_push(&s->selected, f);
    for (size_t i = 0; i < s->classes.len; i++) implement(s, s->classes.data[i], f);
}

void dispatch_class(Sema *s, Class *c)
{
    for (size_t i = 0; i < s->selected.len; i++) implement(s, c, s->selected.data[i]);
}
