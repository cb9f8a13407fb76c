/* What fields of objects have (object.h). */
#include "object.h"

#include "number.h"

enum {
    DEEP = 3,          /* objects in objects */
    MOST_FIELDS = 1000 /* that are known at a time */
};

static bool holds(const Type *t, int deep)
{
    const Class *c = t && t->kind == TY_OBJECT && t->decl ? t->decl->cls : NULL;
    for (int i = 0; c && deep > 0 && i < c->nfields; i++) {
        const Type *of = c->fields[i]->type;
        if (of && (type_is_functional(of) || holds(of, deep - 1))) return true;
    }
    return false;
}

bool object_is(const Type *t)
{
    return holds(t, DEEP);
}

Value *object_new(Foresee *f)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_OBJECT;
    return v;
}

/* ---- fields -------------------------------------------------------------------------------------- */

static KnownField *find(Foresee *f, const Value *object, const Symbol *field)
{
    for (size_t i = f->fields.len; i-- > 0;)
        if (f->fields.data[i].object == object && f->fields.data[i].sym == field)
            return &f->fields.data[i];
    return NULL;
}

void object_set_field(Foresee *f, const Value *object, const Symbol *field, Value *v)
{
    KnownField *known = find(f, object, field), made = {object, field, v};
    if (known) {
        known->value = v;
        return;
    }
    if (f->fields.len == MOST_FIELDS) f->fields.len = 0; /* objects that nobody refers to stay */
    vec_push(&f->fields, made);
}

bool object_has(const Ast *n)
{
    bool field =
        n->kind == AST_MEMBER && n->res == AST_RES_NONE && n->sym && n->sym->kind == SYM_FIELD;
    return field && (known_keeps(n->sym->type) || number_is_kept(n->sym));
}

/* The object of a field; NULL: there is none, or nobody knows it. */
static const Value *object_of(Foresee *f, const Ast *member, bool *known)
{
    bool is_static = member->sym->mods & AST_MOD_STATIC;
    const Value *object = is_static ? NULL : foresee_value(f, member->member.base);
    *known = is_static || object->kind == VAL_OBJECT;
    return object;
}

Value *object_field(Foresee *f, const Ast *member)
{
    bool known;
    const Value *object = object_of(f, member, &known);
    const KnownField *field = known ? find(f, object, member->sym) : NULL;
    if (field) return field->value;
    Value *v = number_is_kept(member->sym) ? number_new(f) : known_any(f, member->sym->type);
    if (known) object_set_field(f, object, member->sym, v);
    return v;
}

void object_set(Foresee *f, const Ast *member, Value *v)
{
    bool known;
    const Value *object = object_of(f, member, &known);
    if (!known) return;
    bool number = number_is_kept(member->sym) && !number_is(v);
    object_set_field(f, object, member->sym, number ? number_new(f) : v);
}

uint64_t object_aliases(const Foresee *f, uint64_t hash)
{
    for (size_t i = 0; i < f->fields.len && i < f->nfields; i++) {
        const KnownField *k = &f->fields.data[i];
        size_t first = 0;
        while (f->fields.data[first].value != k->value) first++;
        hash = hash * 1000003 + (k->value->kind == VAL_UNKNOWN ? 0 : first + 1);
    }
    return hash;
}
