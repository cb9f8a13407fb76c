/* Functions that a library exports (csc --lib): those marked [Export], else all of the file's own
 * that can be called from C. What crosses the border is scalars, strings, records and arrays of
 * scalars, records or strings; functions of ints are arrays there.
 */
#include <string.h>

#include "../check/check.h"

static bool has_elements(const Type *t)
{
    if (!type_is_functional(t)) return false;
    bool strings = t->kind == TY_ARRAY && t->result->kind == TY_STRING;
    if (!strings && !type_is_value(t->result)) return false;
    for (int i = 0; t->kind == TY_FUNC && i < t->nparams; i++)
        if (!type_is_scalar(t->params[i], SC_INT) || type_is_enum(t->params[i])) return false;
    return t->nparams <= MAX_ARRAY_RANK;
}

static bool crosses(const Type *t)
{
    return type_is_value(t) || t->kind == TY_STRING || has_elements(t);
}

static bool crosses_by_ref(const Type *t)
{
    return type_is_value(t) || t->kind == TY_STRING || (t->kind == TY_ARRAY && has_elements(t));
}

const char *export_why_not(Sema *s, const Symbol *f)
{
    const AstList *params = &f->decl->func.params;
    if (f->generic || f->decl->func.tparams.len) return "it is generic";
    if (f->cls) return "it is a member of a class; export a function that calls it";
    for (int i = 0; i < params->len && i < f->type->nparams; i++) {
        const Ast *p = params->data[i];
        if (f->type->params[i] == s->error || p->kind != AST_PARAM) return NULL;
        bool by_ref = p->param.mode == AST_OP_REF || p->param.mode == AST_OP_OUT;
        if (by_ref && crosses(f->type->params[i]) && !crosses_by_ref(f->type->params[i]))
            return arena_printf(s->arena, "'%s' is no parameter by value", p->param.name);
        if (!crosses(f->type->params[i]))
            return arena_printf(s->arena, "'%s' is a %s", p->param.name,
                                type_text(s->arena, f->type->params[i]));
    }
    const Type *result = f->type->result;
    if (result == s->error || result == s->voids || crosses(result)) return NULL;
    return arena_printf(s->arena, "it gives a %s", type_text(s->arena, result));
}

void export_collect(Sema *s, SemaResult *r)
{
    VEC(Symbol *) found = {0};
    bool marked = false;
    for (size_t i = 0; i < s->declared.len; i++)
        marked |= !s->declared.data[i]->imported &&
                  attr_find(&s->declared.data[i]->decl->func.attrs, "Export");
    for (size_t i = 0; i < s->declared.len; i++) {
        Symbol *f = s->declared.data[i];
        if (f->imported || f->local || !f->decl->func.body || f->decl->kind != AST_FUNC) continue;
        const AstList *attrs = &f->decl->func.attrs;
        if (marked ? !attr_find(attrs, "Export")
                   : attr_find(attrs, "Test") || strcmp(f->name, "Main") == 0)
            continue;
        if (!f->generic && f->type && !export_why_not(s, f)) vec_push(&found, f);
    }
    r->exports = arena_copy(s->arena, found.data, sizeof(Symbol *) * found.len);
    r->nexports = (int)found.len;
    vec_free(&found);
}
