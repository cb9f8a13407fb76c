/* Of what there are derivatives: reals, records with reals, and arrays of these. The other fields of a record stay
 * zero in its derivatives. */
#include "host.h"

/* Can a value have any fields, so that a derivative is one of it, too? */
static bool is_free(const Class *c)
{
    bool plain = c->tuple || class_is_struct(c);
    for (const Symbol *f = c->ctors; f && !plain; f = f->next) plain = f->is_plain;
    return plain;
}

bool kind_is_free(const Type *t)
{
    if (t->kind == TY_ARRAY) t = t->result;
    if (t->kind != TY_RECORD) return true;
    bool all = is_free(t->decl->cls);
    for (int i = 0; i < t->decl->cls->nfields; i++)
        all = all && kind_is_free(t->decl->cls->fields[i]->type);
    return all;
}

static bool has_reals(const Type *t)
{
    if (t->kind == TY_SCALAR) return scalar_is_real(t->scalar);
    if (t->kind != TY_RECORD) return false;
    bool any = false;
    for (int i = 0; i < t->decl->cls->nfields; i++)
        any = any || has_reals(t->decl->cls->fields[i]->type);
    return any;
}

bool kind_is_real(const Type *t)
{
    return has_reals(t->kind == TY_ARRAY ? t->result : t) && kind_is_free(t);
}

bool kind_has_reals(const Type *t)
{
    return has_reals(type_is_functional(t) ? t->result : t);
}
