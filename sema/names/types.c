/* Interned types: equal types are equal pointers. A program has a few dozen, so a list is searched.
 * A Types table and its types live in the arena that it was made with.
 */
#include "types.h"

#include <string.h>

typedef struct TypeNode TypeNode;
struct TypeNode {
    Type type;
    TypeNode *next;
};

struct Types {
    Arena *arena;
    const Type *error, *voids, *string;
    const Type *scalars[SC_COUNT];
    TypeNode *all;
};

static const Type *type_add(Types *t, Type proto)
{
    TypeNode *node = arena_new_of(t->arena, TypeNode);
    node->type = proto;
    node->next = t->all;
    t->all = node;
    return &node->type;
}

Types *types_new(Arena *arena)
{
    Types *t = arena_new_of(arena, Types);
    t->arena = arena;
    t->error = type_add(t, (Type){.kind = TY_ERROR});
    t->voids = type_add(t, (Type){.kind = TY_VOID});
    t->string = type_add(t, (Type){.kind = TY_STRING});
    for (int k = 0; k < SC_COUNT; k++)
        t->scalars[k] = type_add(t, (Type){.kind = TY_SCALAR, .scalar = (ScalarKind)k});
    return t;
}

const Type *type_error(Types *t)
{
    return t->error;
}

const Type *type_void(Types *t)
{
    return t->voids;
}

const Type *type_string(Types *t)
{
    return t->string;
}

const Type *type_scalar(Types *t, ScalarKind k)
{
    return t->scalars[k];
}

static bool same_params(const Type *a, int n, const Type *const *params)
{
    if (a->nparams != n) return false;
    for (int i = 0; i < n; i++)
        if (a->params[i] != params[i]) return false;
    return true;
}

const Type *type_func(Types *t, const Type *result, int n, const Type *const *params)
{
    for (const TypeNode *p = t->all; p; p = p->next)
        if (p->type.kind == TY_FUNC && p->type.result == result && same_params(&p->type, n, params))
            return &p->type;
    size_t bytes = sizeof(const Type *) * (size_t)(n ? n : 1);
    const Type **copy = arena_alloc(t->arena, bytes);
    for (int i = 0; i < n; i++) copy[i] = params[i];
    return type_add(t, (Type){.kind = TY_FUNC, .result = result, .nparams = n, .params = copy});
}

const Type *type_array(Types *t, const Type *elem, int rank)
{
    for (const TypeNode *p = t->all; p; p = p->next)
        if (p->type.kind == TY_ARRAY && p->type.result == elem && p->type.nparams == rank)
            return &p->type;
    const Type **params = arena_array(t->arena, const Type *, rank ? rank : 1);
    for (int i = 0; i < rank; i++) params[i] = t->scalars[SC_INT];
    return type_add(t, (Type){.kind = TY_ARRAY, .result = elem, .nparams = rank, .params = params});
}

/* A type that a declaration makes: one a name and symbol. */
static const Type *named(Types *t, TypeKind kind, const char *name, ScalarKind k,
                         struct Symbol *decl)
{
    for (const TypeNode *p = t->all; p; p = p->next)
        if (p->type.kind == kind && p->type.decl == decl && p->type.name &&
            !strcmp(p->type.name, name))
            return &p->type;
    return type_add(t, (Type){.kind = kind, .scalar = k, .name = name, .decl = decl});
}

const Type *type_object(Types *t, const char *name, struct Symbol *decl)
{
    return named(t, TY_OBJECT, name, 0, decl);
}

const Type *type_record(Types *t, const char *name, struct Symbol *decl)
{
    return named(t, TY_RECORD, name, 0, decl);
}

const Type *type_enum(Types *t, const char *name, ScalarKind k, struct Symbol *decl)
{
    return named(t, TY_SCALAR, name, k, decl);
}

const Type *type_null(Types *t)
{
    return named(t, TY_NULL, "null", 0, NULL);
}

const Type *type_group(Types *t, const char *name)
{
    for (const TypeNode *p = t->all; p; p = p->next)
        if (p->type.kind == TY_GROUP && !strcmp(p->type.name, name)) return &p->type;
    return type_add(t, (Type){.kind = TY_GROUP, .name = name});
}

bool type_same_params(const Type *a, const Type *b)
{
    if (!type_is_functional(a) || !type_is_functional(b) || a->nparams != b->nparams) return false;
    for (int i = 0; i < a->nparams; i++)
        if (a->params[i] != b->params[i]) return false;
    return true;
}

bool type_same_value(const Type *a, const Type *b)
{
    if (a == b) return true;
    return type_same_params(a, b) && type_same_value(a->result, b->result);
}

bool type_is_functional(const Type *t)
{
    return t && (t->kind == TY_FUNC || t->kind == TY_ARRAY);
}

bool type_is_numeric(const Type *t)
{
    return t && t->kind == TY_SCALAR && !t->decl && t->scalar != SC_BOOL;
}

bool type_is_enum(const Type *t)
{
    return t && t->kind == TY_SCALAR && t->decl;
}

bool type_is_record(const Type *t)
{
    return t && t->kind == TY_RECORD;
}

bool type_is_value(const Type *t)
{
    return t && (t->kind == TY_SCALAR || t->kind == TY_RECORD);
}

bool type_is_hosted(const Type *t)
{
    if (!t || t->kind == TY_STRING || t->kind == TY_OBJECT || t->kind == TY_NULL) return true;
    if (t->kind == TY_ARRAY) return !type_is_value(t->result);
    if (t->kind != TY_FUNC) return false;
    if (!t->nparams || t->result->kind == TY_VOID) return true;
    for (int i = 0; i < t->nparams; i++)
        if (type_is_hosted(t->params[i])) return true;
    return t->result->kind == TY_ARRAY || type_is_hosted(t->result);
}

bool type_is_scalar(const Type *t, ScalarKind k)
{
    return t && t->kind == TY_SCALAR && !t->decl && t->scalar == k;
}

bool type_is_ref(const Type *t)
{
    return t && (t->kind == TY_STRING || t->kind == TY_FUNC || t->kind == TY_ARRAY ||
                 t->kind == TY_OBJECT || t->kind == TY_NULL);
}

void type_print(Text *out, const Type *t)
{
    switch (t->kind) {
    case TY_ERROR: text_add(out, "?"); break;
    case TY_VOID: text_add(out, "void"); break;
    case TY_SCALAR: text_add(out, t->decl ? t->name : scalar_name(t->scalar)); break;
    case TY_STRING: text_add(out, "string"); break;
    case TY_FUNC:
        type_print(out, t->result);
        text_add(out, "(");
        for (int i = 0; i < t->nparams; i++) {
            if (i) text_add(out, ", ");
            type_print(out, t->params[i]);
        }
        text_add(out, ")");
        break;
    case TY_ARRAY: {
        /* C# writes the outermost rank first: int[,][] is a matrix of vectors */
        const Type *elem = t;
        while (elem->kind == TY_ARRAY) elem = elem->result;
        type_print(out, elem);
        for (const Type *a = t; a->kind == TY_ARRAY; a = a->result) {
            text_add(out, "[");
            for (int i = 1; i < a->nparams; i++) text_add(out, ",");
            text_add(out, "]");
        }
        break;
    }
    case TY_NULL:
    case TY_RECORD:
    case TY_OBJECT:
    case TY_GROUP: text_add(out, t->name); break;
    }
}

const char *type_text(Arena *a, const Type *t)
{
    Text text = {0};
    type_print(&text, t);
    const char *copy = arena_strndup(a, text.data ? text.data : "", text.len);
    text_free(&text);
    return copy;
}
