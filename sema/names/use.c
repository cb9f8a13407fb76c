/* What the program needs of what it declares: classes, functions and static fields are checked and
 * compiled once something in use asks for them. Nothing is used by a copy that is only typed.
 */
#include "../check/check.h"

void type_use(Sema *s, const Type *t)
{
    if (!t || s->quiet) return;
    if (class_of(t)) class_use(s, class_of(t));
    if (!type_is_functional(t)) return;
    type_use(s, t->result);
    for (int i = 0; i < t->nparams; i++) type_use(s, t->params[i]);
}

/* It runs once the other static fields have their values. */
static void use_static_constructor(Sema *s, Class *c)
{
    Symbol *ready = member_own(c->sym, intern_cstr(s->names, AST_STATIC_READY));
    if (!ready) return;
    const Members *m = c->sym->members;
    for (int i = 0; i < m->len; i++)
        if (m->data[i]->kind == SYM_FIELD && (m->data[i]->mods & AST_MOD_STATIC) &&
            m->data[i] != ready)
            static_use(s, m->data[i]);
    for (int i = 0; i < m->len; i++) {
        const Symbol *p = m->data[i];
        if (p->kind == SYM_PROPERTY && p->storage && (p->mods & AST_MOD_STATIC))
            static_use(s, p->storage);
    }
    static_use(s, ready);
}

/* The methods with which c implements its interfaces, of those that are used: a program that asks
 * for none has no code for them. What a session shares with later entries has all. */
static void use_implementations(Sema *s, const Class *c)
{
    for (int i = 0; i < c->nimpls; i++)
        if (class_is_asked(c->impls[i].method->cls)) func_use(s, c->impls[i].with);
}

static void use_interface(Sema *s, const Class *interface)
{
    for (size_t i = 0; i < s->classes.len; i++)
        if (class_is(s->classes.data[i], interface)) use_implementations(s, s->classes.data[i]);
}

void class_use(Sema *s, Class *c)
{
    if (s->quiet || c->used) return;
    class_ready(s, c);
    if (!class_is_laid(c)) return;
    c->used = true;
    if (c->base) class_use(s, c->base);
    for (int i = 0; s->unit->unit.session && i < c->ninterfaces; i++)
        class_use(s, c->interfaces[i]);
    if (c->type->kind == TY_RECORD) /* inner records first */
        for (int i = 0; i < c->nfields; i++) type_use(s, c->fields[i]->type);
    c->id = (int)s->classes.len;
    vec_push(&s->classes, c);
    for (int i = 0; i < c->nfields; i++) type_use(s, c->fields[i]->type);
    for (int i = 0; i < c->nslots; i++)
        if (c->slots[i]) func_use(s, c->slots[i]);
    use_implementations(s, c);
    if (class_is_interface(c)) use_interface(s, c);
    dispatch_class(s, c);
    use_static_constructor(s, c);
}

void func_use(Sema *s, Symbol *f)
{
    if (s->quiet || f->used || f->kind != SYM_FUNC || f->generic) return;
    f->used = true;
    f->order = (int)s->funcs.len;
    if (f->cls) class_use(s, f->cls);
    type_use(s, f->type);
    vec_push(&s->funcs, f); /* abstract ones too: they are called */
    if (f->selected) dispatch_use(s, f);
}

void static_use(Sema *s, Symbol *field)
{
    if (s->quiet || field->used || field->decl->kind != AST_DECLARATOR) return;
    field->used = true;
    type_use(s, field->type);
    Ast **init = &field->decl->declarator.init;
    if (*init) {
        Context saved = context_enter(s, field);
        check_initialiser(s, init, field->type, field->name);
        context_leave(s, &saved);
    }
    vec_push(&s->statics, field);
}
