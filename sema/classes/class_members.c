/* The members of a class: fields, methods, properties, events, and what its parameters declare. */
#include "../check/check.h"

#include <string.h>

/* Private by default in ordinary classes; public in final ones and interfaces. What overrides has
 * the access of what it overrides. */
static uint64_t implied_access(const Class *c, uint64_t mods)
{
    if (mods & AST_MOD_ACCESS) return mods;
    bool plain = class_is_final_value(c) && !class_is_struct(c);
    bool open = class_is_interface(c) || plain || (mods & (AST_MOD_OVERRIDE | AST_MOD_INTERNAL));
    return mods | (open ? AST_MOD_PUBLIC : AST_MOD_PRIVATE);
}

static Symbol *class_member(Sema *s, Class *c, SymKind kind, const char *name, uint64_t mods,
                            Ast *decl)
{
    Symbol *m = scope_symbol(s, kind, name, NULL, decl->loc, decl);
    m->cls = c;
    m->mods = implied_access(c, mods);
    m->imported = c->sym->imported;
    m->library = c->sym->library;
    m->slot = -1;
    decl->sym = m;
    return m;
}

static const Type *field_type(Sema *s, Ast *written)
{
    const Type *t = s->error;
    if (written->kind == AST_TYPE_VAR)
        report(s, written->loc, NEEDS_TYPE, "the type of a field is written");
    else
        t = decl_type(s, written);
    if (t != s->voids) return t;
    report(s, written->loc, UNKNOWN_TYPE, "a field cannot be void");
    return s->error;
}

static Symbol *add_field(Sema *s, Class *c, const char *name, uint64_t mods, Ast *written,
                         Ast *decl)
{
    Symbol *f = class_member(s, c, SYM_FIELD, name, mods, decl);
    f->written = written;
    f->type = field_type(s, written);
    if (mods & AST_MOD_STATIC) return f;
    if (class_is_final_value(c) && !class_is_changeable(c)) f->mods |= AST_MOD_READONLY;
    f->field = c->nfields;
    c->fields = arena_grow(s->arena, c->fields, sizeof f * (size_t)c->nfields, sizeof f);
    c->fields[c->nfields++] = f;
    return f;
}

static void add_variables(Sema *s, Class *c, Ast *m)
{
    for (int i = 0; i < m->var_decl.vars.len; i++) {
        Ast *v = m->var_decl.vars.data[i];
        if (v->kind != AST_DECLARATOR) continue;
        Symbol *sym;
        if (m->var_decl.is_const) {
            sym = class_member(s, c, SYM_CONST, v->declarator.name,
                               m->var_decl.mods | AST_MOD_STATIC, v);
            sym->written = m->var_decl.vtype;
        } else {
            sym = add_field(s, c, v->declarator.name, m->var_decl.mods, m->var_decl.vtype, v);
            if (class_is_interface(c) && !(sym->mods & AST_MOD_STATIC))
                report(s, v->loc, MEMBER_FORM, "an interface has no fields but static ones");
        }
        if (v->declarator.init) sym->loc.end = v->loc.begin + (uint32_t)strlen(v->declarator.name);
        member_add(s, c->sym, sym);
    }
}

Symbol *class_function(Sema *s, Class *c, Ast *func, Loc loc)
{
    uint64_t mods = func->func.mods;
    const char *name = func->func.name;
    bool op =
        !strncmp(name, "operator", 8) || !strcmp(name, "implicit") || !strcmp(name, "explicit");
    if (op) mods |= AST_MOD_STATIC | AST_MOD_PUBLIC;
    Symbol *f = class_member(s, c, SYM_FUNC, name, mods, func);
    f->loc = loc;
    if (f->mods & AST_MOD_STATIC) return f;
    f->self = scope_symbol(s, SYM_PARAM, intern_cstr(s->names, "this"), c->type, loc, NULL);
    f->self->mode = AST_OP_BY_VALUE;
    return f;
}

static void add_method(Sema *s, Class *c, Ast *m)
{
    Ast *inner = struct_split(s, c, m);
    if (inner) add_method(s, c, inner);
    Loc loc =
        decl_name_loc(s, m->loc, m->func.ret ? m->func.ret->loc.end : m->loc.begin, m->func.name);
    Symbol *f = class_function(s, c, m, loc);
    bool abstract = f->mods & AST_MOD_ABSTRACT;
    bool bodyless = abstract || (class_is_interface(c) && !(f->mods & AST_MOD_STATIC));
    if (!m->func.body && !bodyless)
        report(s, loc, MEMBER_FORM, "'%s' needs a body", f->name);
    else if (m->func.body && abstract)
        report(s, loc, MEMBER_FORM, "'%s' has a body, but is abstract", f->name);
    if ((f->mods & AST_MOD_ABSTRACT) && !(c->decl->class_.mods & AST_MOD_ABSTRACT) &&
        !class_is_interface(c))
        report(s, loc, MEMBER_FORM, "'%s' is abstract, but its class '%s' is not", f->name,
               c->sym->name);
    if (extension_is(m) && (f->self || c->sym->instance))
        report(s, loc, MEMBER_FORM,
               "'%s' extends a type: it is static, in a class without type parameters", f->name);
    if (m->func.tparams.len) generic_declare(s, f, &m->func.tparams);
    member_add(s, c->sym, f);
}

/* get_P or set_P, as a function; an automatic one reads or writes the storage. */
static Symbol *add_accessor(Sema *s, Class *c, Symbol *p, Ast *accessor, bool set)
{
    if (!accessor) return NULL;
    const struct Ast_property *d = &p->decl->property;
    Loc loc = accessor->loc;
    const char *what = !strcmp(p->name, "this") ? "Item" : p->name;
    size_t len = strlen(what);
    if (d->of && len > 5 && !strcmp(what + len - 5, ".this")) /* I.this */
        what = arena_printf(s->arena, "%.*sItem", (int)(len - 4), what);
    AstList params = {0};
    for (int i = 0; i < d->params.len; i++)
        params = ast_list_add(s->arena, params, ast_clone(s->arena, d->params.data[i]));
    const char *value = p->mods & AST_MOD_REF ? AST_REF_VALUE : "value";
    if (set) params = ast_list_add(s->arena, params, tree_param(s, loc, d->ptype, value));
    Ast *body = accessor->accessor.body;
    if (p->storage) {
        Ast *field = tree_member(s, loc, ast_new(s->arena, AST_THIS, loc),
                                 arena_printf(s->arena, "$%s", p->name));
        if (p->mods & AST_MOD_STATIC) field->member.base = type_node(s, loc, c->type);
        body = set ? tree_assign(s, loc, field, tree_name(s, loc, "value")) : tree_return(s, field);
        body = tree_block(s, loc, 1, body);
    }
    uint64_t mods = accessor->accessor.mods & AST_MOD_ACCESS
                        ? (p->mods & ~(uint64_t)AST_MOD_ACCESS) | accessor->accessor.mods
                        : p->mods | (accessor->accessor.mods & AST_MOD_INIT);
    const char *dot = d->of ? strrchr(what, '.') + 1 : what; /* I.get_P */
    const char *name =
        arena_printf(s->arena, "%.*s%s_%s", (int)(dot - what), what, set ? "set" : "get", dot);
    Ast *func = tree_func(s, loc, mods, set ? NULL : d->ptype, name, params, body);
    func->func.of = d->of;
    Ast *inner = p->storage ? NULL : struct_split(s, c, func);
    if (inner) member_add(s, c->sym, class_function(s, c, inner, loc));
    Symbol *f = class_function(s, c, func, loc);
    if (!p->storage && !body && !class_is_interface(c) && !(p->mods & AST_MOD_ABSTRACT))
        report(s, loc, MEMBER_FORM, "the accessors of '%s' need bodies, both or none", p->name);
    member_add(s, c->sym, f);
    return f;
}

/* What gives values is added as numbers are: only handlers that give nothing come and go. */
static void check_event(Sema *s, const Symbol *event)
{
    const Type *t = event->type;
    if (!(event->mods & AST_MOD_EVENT) || t->kind != TY_FUNC || t->result == s->voids) return;
    report(s, event->loc, NOT_SUPPORTED,
           "the handlers of an event give nothing, not '%s': keep a List of functions",
           type_text(s->arena, t->result));
}

static void add_property(Sema *s, Class *c, Ast *m)
{
    const struct Ast_property *d = &m->property;
    Symbol *p = class_member(s, c, SYM_PROPERTY, d->name, d->mods, m);
    p->written = d->ptype;
    p->type = field_type(s, d->ptype);
    p->loc = decl_name_loc(s, m->loc, d->ptype->loc.end, d->name);
    check_event(s, p);
    for (int i = 0; i < d->params.len; i++)
        if (d->params.data[i]->kind == AST_PARAM)
            d->params.data[i]->type = decl_type(s, d->params.data[i]->param.ptype);
    if (class_is_automatic(c, m)) {
        Ast *v = ast_new(s->arena, AST_DECLARATOR, p->loc);
        v->declarator.name = d->name;
        v->declarator.init = d->init;
        uint64_t set = d->set ? d->set->accessor.mods & AST_MOD_INIT : 0;
        if (!d->set || set) set |= AST_MOD_READONLY;
        p->storage = add_field(s, c, d->name, d->mods | set, d->ptype, v);
        p->storage->mods = (p->storage->mods & ~(uint64_t)AST_MOD_OVERRIDE);
    }
    p->get = add_accessor(s, c, p, d->get, false);
    p->set = add_accessor(s, c, p, d->set, true);
    member_add(s, c->sym, p);
}

/* Does the class write a member of this name itself? */
bool class_writes(const Class *c, const char *name)
{
    const AstList *members = &c->decl->class_.members;
    for (int i = 0; i < members->len; i++) {
        const Ast *m = members->data[i];
        if (m->kind == AST_PROPERTY && m->property.name == name) return true;
        if (m->kind == AST_FUNC && m->func.name == name) return true;
        for (int k = 0; m->kind == AST_VAR_DECL && k < m->var_decl.vars.len; k++)
            if (m->var_decl.vars.data[k]->kind == AST_DECLARATOR &&
                m->var_decl.vars.data[k]->declarator.name == name)
                return true;
    }
    return false;
}

/* What a parameter of the class is: of a final class a field, of a record a property, of others a field that
 * nobody else sees. One that is written has the meaning that is written. */
static void add_positional(Sema *s, Class *c, Ast *p)
{
    uint64_t mods = c->decl->class_.mods;
    bool record = mods & AST_MOD_RECORD, value = class_is_final_value(c) && !class_is_struct(c);
    if ((record || !value) && class_writes(c, p->param.name)) return;
    if (record && c->base && member_find(s, c->base, p->param.name)) return; /* it has that */
    if (record) {
        Ast *n = ast_new(s->arena, AST_PROPERTY, p->loc);
        n->property.mods = AST_MOD_PUBLIC;
        n->property.ptype = p->param.ptype;
        n->property.name = p->param.name;
        n->property.get = ast_new(s->arena, AST_ACCESSOR, p->loc);
        n->property.set = ast_new(s->arena, AST_ACCESSOR, p->loc);
        bool fixed = !(mods & AST_MOD_STRUCT) || (mods & AST_MOD_READONLY);
        if (fixed) n->property.set->accessor.mods = AST_MOD_INIT;
        add_property(s, c, n);
    } else {
        Ast *v = ast_new(s->arena, AST_DECLARATOR, p->loc);
        v->declarator.name = p->param.name;
        uint64_t access = value ? AST_MOD_PUBLIC : AST_MOD_PRIVATE;
        member_add(s, c->sym, add_field(s, c, p->param.name, access, p->param.ptype, v));
    }
}

void class_lay_members(Sema *s, Class *c)
{
    struct Ast_class_ *d = &c->decl->class_;
    if (c->base) {
        c->nfields = c->base->nfields;
        c->fields = c->base->fields;
    }
    for (int i = 0; i < d->positional.len; i++)
        if (d->positional.data[i]->kind == AST_PARAM) add_positional(s, c, d->positional.data[i]);
    for (int i = 0; i < d->members.len; i++) {
        Ast *m = d->members.data[i];
        /* what C# asks for beside the members of IEnumerable<T> */
        if (m->kind == AST_FUNC && sequence_is_untyped(s, m->func.of)) continue;
        if (m->kind == AST_PROPERTY && sequence_is_untyped(s, m->property.of)) continue;
        switch (m->kind) {
        case AST_VAR_DECL: add_variables(s, c, m); break;
        case AST_FUNC: add_method(s, c, m); break;
        case AST_PROPERTY: add_property(s, c, m); break;
        default: break; /* constructors follow; BAD */
        }
    }
}
