/* Classes: the type of one, and its layout (bases, fields, constructors, slots, interfaces), each
 * made when first needed. A class is typed first, because fields and signatures only need types; it
 * is laid out when somebody asks for its members. What is not written but implied is in implied.c.
 */
#include "../check/check.h"

#include <ctype.h>
#include <string.h>

typedef enum State { CLASS_TYPING, CLASS_TYPED, CLASS_LAYING, CLASS_READY } State;

/* ---- the type of a class -------------------------------------------------------------------- */

bool class_is_final_value(const Class *c)
{
    uint64_t mods = c->decl->class_.mods;
    return (mods & AST_MOD_FINAL) && !(mods & AST_MOD_MUTABLE);
}

bool class_is_struct(const Class *c)
{
    return c->decl->class_.mods & AST_MOD_STRUCT;
}

bool class_is_changeable(const Class *c)
{
    return c->tuple || (class_is_struct(c) && !(c->decl->class_.mods & AST_MOD_READONLY));
}

bool class_has_parts(const Type *t)
{
    while (t && t->kind == TY_ARRAY) t = t->result;
    const Class *c = t ? class_of(t) : NULL;
    return c && class_is_changeable(c);
}

bool class_is_record(const Class *c)
{
    return (c->decl->class_.mods & (AST_MOD_RECORD | AST_MOD_STRUCT)) == AST_MOD_RECORD;
}

bool class_is_interface(const Class *c)
{
    return c->decl->class_.mods & AST_MOD_INTERFACE;
}

bool class_is_automatic(const Class *c, const Ast *p)
{
    const Ast *get = p->property.get, *set = p->property.set;
    return !class_is_interface(c) && !(p->property.mods & AST_MOD_ABSTRACT) &&
           !p->property.params.len && (get || set) && !(get && get->accessor.body) &&
           !(set && set->accessor.body);
}

bool class_is_laid(const Class *c)
{
    return c->state == CLASS_READY;
}

/* What a record may hold: graphs and arrays take it apart into its scalars. */
enum { MAX_FIELDS = FD_MAX_FIELDS, MAX_SCALARS = 64 };

/* How many scalars `n` fields of a type are; more than MAX_SCALARS if it is no value. */
static int scalars_of(const Type *t, int n)
{
    if (!type_is_value(t) || n > MAX_FIELDS) return MAX_SCALARS + 1;
    return n * (t->kind == TY_RECORD ? class_of(t)->scalars : 1);
}

/* The types of the fields of a final class decide whether it is a record. */
static bool fields_are_values(Sema *s, Class *c)
{
    const struct Ast_class_ *d = &c->decl->class_;
    int fields = 0, scalars = 0;
    for (int i = 0; i < d->positional.len; i++) {
        if (d->positional.data[i]->kind != AST_PARAM) continue;
        scalars += scalars_of(decl_type(s, d->positional.data[i]->param.ptype), 1);
        fields++;
    }
    for (int i = 0; i < d->members.len; i++) {
        Ast *m = d->members.data[i];
        if (m->kind == AST_VAR_DECL && !m->var_decl.is_const &&
            !(m->var_decl.mods & AST_MOD_STATIC)) {
            scalars += scalars_of(decl_type(s, m->var_decl.vtype), m->var_decl.vars.len);
            fields += m->var_decl.vars.len;
        } else if (m->kind == AST_PROPERTY && class_is_automatic(c, m) &&
                   !(m->property.mods & AST_MOD_STATIC)) {
            scalars += scalars_of(decl_type(s, m->property.ptype), 1);
            fields++;
        }
        if (scalars > MAX_SCALARS) scalars = MAX_SCALARS + 1; /* no overflow */
    }
    c->scalars = scalars; /* bases may name the class itself: they are looked at later */
    return !d->bases.len && fields > 0 && fields <= MAX_FIELDS && scalars <= MAX_SCALARS;
}

/* ---- names in a session --------------------------------------------------------------------- */

/* "P_3": what an entry's file declares has its letters and digits behind it. */
static void add_declared(Sema *s, Text *out, const Symbol *sym, const char *name)
{
    const Source *file = sources_get(s->sources, sym->loc.file);
    text_add(out, name);
    if (file->library) return;
    text_add(out, "_");
    for (const char *p = file->path; *p; p++)
        if (isalnum((unsigned char)*p)) text_addn(out, p, 1);
}

static void add_mangled(Sema *s, Text *out, const Type *t)
{
    const Class *c = class_of(t);
    if (c) {
        text_add(out, c->mangled);
    } else if (type_is_enum(t)) {
        add_declared(s, out, t->decl, t->name);
    } else if (!type_is_functional(t)) {
        type_print(out, t);
    } else {
        add_mangled(s, out, t->result);
        text_add(out, t->kind == TY_ARRAY ? "_of" : "_at");
        for (int i = 0; i < t->nparams; i++) {
            text_add(out, "_");
            if (t->kind == TY_FUNC) add_mangled(s, out, t->params[i]);
        }
    }
}

/* In a session classes of one name may follow each other, and all entries are to call each of them
 * the same: they are named after their files, instances and tuples after their types. */
static const char *session_name(Sema *s, const Symbol *sym, const char *name)
{
    Text t = {0};
    if (sym->instance) {
        add_declared(s, &t, sym->instance->of, sym->instance->of->name);
        for (int i = 0; i < sym->instance->nparams; i++) {
            text_add(&t, "_");
            add_mangled(s, &t, sym->instance->params[i]->type);
        }
    } else if (name[0] == '(') {
        const AstList *items = &sym->decl->class_.positional;
        text_add(&t, "tuple");
        for (int i = 0; i < items->len; i++) {
            text_printf(&t, "_%s_", items->data[i]->param.name);
            add_mangled(s, &t, items->data[i]->param.ptype->type);
        }
    } else {
        add_declared(s, &t, sym, name);
    }
    name = arena_strndup(s->arena, t.data, t.len);
    text_free(&t);
    return name;
}

/* A name of letters, digits and _ that no other class has. */
static const char *mangle(Sema *s, const char *name)
{
    if (name[0] == '(') name = arena_printf(s->arena, "tuple%s", name);
    char *text = arena_strndup(s->arena, name, strlen(name));
    for (char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p)) *p = '_';
    for (size_t i = 0; i < s->all.len; i++)
        if (!strcmp(s->all.data[i]->mangled, text))
            return arena_printf(s->arena, "%s_%d", text, ++s->synthetic);
    return text;
}

static void class_begin(Sema *s, Symbol *sym)
{
    Class *c = arena_new_of(s->arena, Class);
    const char *name = sym->instance ? sym->instance->name : sym->name;
    c->sym = sym;
    c->decl = sym->decl;
    c->mangled = mangle(s, s->unit->unit.session ? session_name(s, sym, name) : name);
    c->state = CLASS_TYPING;
    sym->cls = c;
    sym->members = arena_new_of(s->arena, Members);
    vec_push(&s->all, c);
    bool record = false;
    if (class_is_final_value(c)) {
        Context saved = context_enter(s, sym);
        record = fields_are_values(s, c);
        context_leave(s, &saved);
    }
    c->type = record ? type_record(s->types, name, sym) : type_object(s->types, name, sym);
    c->state = CLASS_TYPED;
}

const Type *class_type(Sema *s, Symbol *sym)
{
    if (!sym->cls) class_begin(s, sym);
    if (sym->cls->state != CLASS_TYPING) return sym->cls->type;
    report(s, sym->loc, CYCLE, "the final class '%s' has a field that reaches '%s' itself",
           sym->name, sym->name);
    report_note(s, NOWHERE, "values cannot contain themselves; an ordinary class can");
    return s->error;
}

Class *class_of(const Type *t)
{
    return t && (t->kind == TY_OBJECT || t->kind == TY_RECORD) && t->decl ? t->decl->cls : NULL;
}

bool class_is(const Class *c, const Class *base)
{
    for (const Class *b = c; b; b = b->base) {
        if (class_alike(b, base) || vary_stands(b, base)) return true;
        for (int i = 0; i < b->ninterfaces; i++)
            if (class_alike(b->interfaces[i], base) || vary_stands(b->interfaces[i], base))
                return true;
    }
    return false;
}

bool class_is_object(const Class *c)
{
    return c->sym->library && !strcmp(c->sym->name, "object");
}

/* Its name says so: Outer.Inner (lexer/nested.c). */
Class *class_outer(Sema *s, const Class *c)
{
    const char *name = c->sym->instance ? c->sym->instance->of->name : c->sym->name,
               *dot = strrchr(name, '.');
    if (!dot) return NULL;
    Symbol *outer = scope_type(s, intern(s->names, name, (size_t)(dot - name)));
    if (outer && outer->generic && c->sym->instance)
        outer = generic_around(s, outer, c->sym->instance);
    if (!outer || outer->generic || !outer->decl || outer->decl->kind != AST_CLASS) return NULL;
    class_type(s, outer);
    return outer->cls;
}

const Type *class_library(Sema *s, const char *name)
{
    Symbol *sym = scope_library(s, SYM_TYPE, name);
    return sym ? class_type(s, sym) : s->error;
}

Class *class_object(Sema *s)
{
    Symbol *sym = scope_library(s, SYM_TYPE, "object");
    if (!sym || !sym->decl || sym->decl->kind != AST_CLASS || sym->generic) return NULL;
    class_type(s, sym);
    return sym->cls;
}

/* ---- bases ---------------------------------------------------------------------------------- */

static void add_interface(Sema *s, Class *c, Class *i)
{
    for (int k = 0; k < c->ninterfaces; k++)
        if (c->interfaces[k] == i) return;
    c->interfaces =
        arena_grow(s->arena, c->interfaces, sizeof i * (size_t)c->ninterfaces, sizeof i);
    c->interfaces[c->ninterfaces++] = i;
    for (int k = 0; k < i->ninterfaces; k++) add_interface(s, c, i->interfaces[k]);
}

static void add_base(Sema *s, Class *c, const Ast *written, Class *b)
{
    class_ready(s, b);
    if (b->state != CLASS_READY)
        report(s, written->loc, CYCLE, "the class '%s' derives from itself", c->sym->name);
    else if (class_is_interface(b))
        add_interface(s, c, b);
    else if (class_is_interface(c))
        report(s, written->loc, BASE,
               "an interface derives from interfaces, not from the class '%s'", b->sym->name);
    else if (b->decl->class_.mods & (AST_MOD_FINAL | AST_MOD_SEALED | AST_MOD_STATIC))
        report(s, written->loc, BASE, "'%s' is %s: no class derives from it", b->sym->name,
               b->decl->class_.mods & AST_MOD_SEALED   ? "sealed"
               : b->decl->class_.mods & AST_MOD_STATIC ? "static"
                                                       : "final");
    else if (class_is_record(c) != class_is_record(b) && !class_is_object(b))
        report(s, written->loc, BASE, "%s derives from a record, and '%s' is %s",
               class_is_record(c) ? "a record" : "only a record", b->sym->name,
               class_is_record(b) ? "one" : "none");
    else if (c->base)
        report(s, written->loc, BASE, "'%s' has a second base class: only interfaces may be many",
               c->sym->name);
    else
        c->base = b;
}

static void lay_bases(Sema *s, Class *c)
{
    const AstList *bases = &c->decl->class_.bases;
    for (int i = 0; i < bases->len; i++) {
        Ast *b = bases->data[i];
        if (sequence_is_untyped(s, b)) continue; /* it is one by its IEnumerable<T> */
        const Type *t = decl_type(s, b);
        if (t == s->error) continue;
        if (type_is_functional(t) && t->kind == TY_FUNC && !class_is_interface(c))
            c->function = t;
        else if (!class_of(t))
            report(s, b->loc, BASE,
                   "a class derives from classes, interfaces and functional types, "
                   "not from '%s'",
                   type_text(s->arena, t));
        else
            add_base(s, c, b, class_of(t));
    }
    if (class_is_final_value(c) && c->base) {
        bool written = !class_is_struct(c);
        report(s, c->sym->loc, BASE, "a %s derives from no other class",
               written ? "final class" : "struct");
        report_note(s, NOWHERE,
                    written ? "`mutable final class` is an ordinary class that is not derived from"
                            : "interfaces may be implemented");
    }
    Class *object =
        c->base || class_is_interface(c) || c->type->kind == TY_RECORD ? NULL : class_object(s);
    if (object && object != c) {
        class_ready(s, object);
        c->base = object;
    }
    const Class *base = c->base;
    if (!base) return;
    for (int i = 0; i < base->ninterfaces; i++) add_interface(s, c, base->interfaces[i]);
    if (!c->function) c->function = base->function;
    c->invoke = base->invoke;
    c->block = base->block;
    c->lower = base->lower;
    c->upper = base->upper;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void resolve_signatures(Sema *s, Class *c)
{
    const Members *m = c->sym->members;
    for (int i = 0; i < m->len; i++)
        for (Symbol *f = m->data[i]; f; f = f->next)
            if (f->kind == SYM_FUNC && !f->generic && !f->type) decl_func(s, f, m->data[i]);
    for (Symbol *f = c->ctors; f; f = f->next) decl_func(s, f, c->ctors);
    if (c->plain) decl_func(s, c->plain, c->plain);
}

/* Classes met on the way are laid out afterwards: they may derive from this one. */
void class_ready(Sema *s, Class *c)
{
    if (c->state != CLASS_TYPED) return;
    c->state = CLASS_LAYING;
    s->laying++;
    Context saved = context_enter(s, c->sym);
    lay_bases(s, c);
    class_lay_members(s, c);
    implied_constructors(s, c);
    if (class_is_final_value(c) || class_is_record(c)) implied_members(s, c);
    resolve_signatures(s, c);
    slots_lay(s, c);
    slots_implement(s, c);
    c->state = CLASS_READY;
    context_leave(s, &saved);
    s->laying--;
    class_settle(s);
}

void class_settle(Sema *s)
{
    if (s->laying) return;
    for (size_t i = 0; i < s->all.len; i++) class_ready(s, s->all.data[i]);
}
