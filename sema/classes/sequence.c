/* Sequences: what converts to the library's IEnumerable<T> and its like though it is no class that
 * implements them. Arrays and functions of an int, whose values are put into the library's
 * ArraySequence<T>, which shares the array; strings, as their characters; and sequences of a class as
 * those of its base.
 */
#include <string.h>

#include "../check/check.h"

/* What the elements of a value of type t are that is no object: NULL if it is no sequence. */
const Type *sequence_element(Sema *s, const Type *t)
{
    if (t == s->string) return type_scalar(s->types, SC_CHAR);
    bool indexed = type_is_functional(t) && t->nparams == 1 && t->params[0] == s->integer;
    return indexed ? t->result : NULL;
}

bool sequence_is_interface(const Symbol *generic)
{
    return generic && generic->library && generic->decl->kind == AST_CLASS &&
           (generic->decl->class_.mods & AST_MOD_INTERFACE);
}

bool sequence_is_untyped(Sema *s, const Ast *written)
{
    if (!written || written->kind != AST_TYPE_NAME || written->type_name.args.len) return false;
    const char *name = written->type_name.name;
    if (!name || (strcmp(name, "IEnumerable") != 0 && strcmp(name, "IEnumerator") != 0))
        return false;
    const Symbol *g = scope_type_of(s, name, 1);
    return g && g->generic && sequence_is_interface(g);
}

/* The T of an interface of the library for one type. */
static const Type *asked_element(const Type *to)
{
    const Class *c = class_of(to);
    const Instance *i = c ? c->sym->instance : NULL;
    return i && i->nparams == 1 && sequence_is_interface(i->of) ? i->params[0]->type : NULL;
}

static Symbol *library_instance(Sema *s, const char *name, const Type *const *args)
{
    Symbol *g = scope_library(s, SYM_FUNC, name);
    return g && g->generic ? generic_instance(s, g, args, g->loc) : NULL;
}

/* Is `to` an interface of the sequences that the library makes of values of this type? */
static bool is_made(Sema *s, const Type *element, const Type *to)
{
    Symbol *f = library_instance(s, "SequenceOf", &element);
    return f && class_of(f->type->result) && class_is(class_of(f->type->result), class_of(to));
}

/* The X of the IEnumerable<X> that the value is, or can be; NULL. */
static const Type *own_element(Sema *s, const Type *from)
{
    const Symbol *g = scope_library(s, SYM_TYPE, "IEnumerable");
    const Class *c = class_of(from);
    if (!c) return sequence_element(s, from);
    if (c->sym->instance && c->sym->instance->of == g) return asked_element(from);
    for (int i = 0; i < c->ninterfaces; i++)
        if (c->interfaces[i]->sym->instance && c->interfaces[i]->sym->instance->of == g)
            return asked_element(c->interfaces[i]->type);
    return NULL;
}

const Type *sequence_of_object(Sema *s, const Type *t)
{
    return class_of(t) ? own_element(s, t) : NULL;
}

/* A sequence of references is one of their bases, for who only reads it; any sequence is one of objects. */
static bool is_base(Sema *s, const Type *from, const Type *x, const Type *t, const Type *to)
{
    const Class *c = class_of(to);
    const char *name = c->sym->instance->of->name;
    bool reads = name == intern_cstr(s->names, "IEnumerable") ||
                 name == intern_cstr(s->names, "IReadOnlyList") ||
                 name == intern_cstr(s->names, "IReadOnlyCollection");
    Ast like = {.kind = AST_BAD, .type = x};
    bool reference =
        x->kind == TY_OBJECT || x == s->string ||
        (class_of(t) && class_is_object(class_of(t)) && class_of(from) && box_takes(x));
    return reads && reference && x != t && t->kind == TY_OBJECT &&
           convert_class(s, &like, t) != CONV_NONE;
}

bool sequence_fits(Sema *s, const Type *from, const Type *to)
{
    const Type *t = asked_element(to), *x = t ? own_element(s, from) : NULL;
    if (!x || (type_is_functional(from) && x == s->voids)) return false;
    if (x == t) return !class_of(from) && is_made(s, t, to);
    return is_base(s, from, x, t, to) && is_made(s, t, to);
}

/* *slot becomes f(*slot). */
static void call(Sema *s, Ast **slot, Symbol *f)
{
    Ast *n = ast_new(s->arena, AST_CALL, (*slot)->loc);
    convert_to(s, slot, f->type->params[0], NULL);
    call_static(s, n, f, ast_list_add(s->arena, (AstList){0}, *slot));
    *slot = n;
}

bool sequence_convert_elements(Sema *s, Ast **slot, const Type *to)
{
    const Type *args[] = {(*slot)->type->result, to->result};
    Symbol *f = library_instance(s, "ConvertedOf", args);
    if (!f) return false;
    call(s, slot, f);
    return true;
}

bool sequence_convert(Sema *s, Ast **slot, const Type *to, const char *what)
{
    const Type *from = (*slot)->type, *x = own_element(s, from), *t = asked_element(to);
    if (from == s->string)
        call(s, slot, scope_library(s, SYM_FUNC, "CharactersOf"));
    else if (!class_of(from))
        call(s, slot, library_instance(s, "SequenceOf", &x));
    if (x != t) {
        const Type *args[] = {x, t};
        const Class *c = class_of(to);
        bool any = c && c->sym->instance &&
                   c->sym->instance->of == scope_library(s, SYM_TYPE, "IEnumerable");
        call(s, slot, library_instance(s, any ? "SequenceOfBases" : "SequenceOfBase", args));
    }
    return convert_to(s, slot, to, what);
}
