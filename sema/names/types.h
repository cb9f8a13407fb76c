/* The types of C$ as sema and the host back end see them. Interned in a Types table: equal types
 * are equal pointers. */
#ifndef CS_SEMA_TYPES_H
#define CS_SEMA_TYPES_H

#include <stdbool.h>

#include "../../base/arena.h"
#include "../../base/scalar.h"
#include "../../base/text.h"

typedef enum TypeKind {
    TY_ERROR, /* after an error: silently fits everything */
    TY_VOID,
    TY_SCALAR,
    TY_STRING,
    TY_FUNC,   /* result(params) */
    TY_ARRAY,  /* elem[,..]: a subtype of elem(int, ..) */
    TY_OBJECT, /* a class: a counted reference; decl NULL for a TextWriter */
    TY_RECORD, /* a final class all of whose fields are scalars or such classes: passed by value,
                  usable in kernels, in arrays one plane a scalar field */
    TY_NULL,   /* of `null` */
    TY_GROUP   /* an overloaded function, operation or namespace name, not a value yet */
} TypeKind;

typedef struct Type Type;
struct Type {
    TypeKind kind;
    ScalarKind scalar;  /* TY_SCALAR; an enum is a scalar type of its own with `decl` */
    const Type *result; /* TY_FUNC: result; TY_ARRAY: element */
    int nparams;        /* TY_FUNC: parameters; TY_ARRAY: rank */
    const Type *const *params;
    const char *name;    /* TY_OBJECT, TY_RECORD, TY_GROUP, enums: "Tree<int>" */
    struct Symbol *decl; /* TY_OBJECT, TY_RECORD: its class (decl->cls); an enum's symbol */
};

typedef struct Types Types;

Types *types_new(Arena *arena);
const Type *type_error(Types *t);
const Type *type_void(Types *t);
const Type *type_string(Types *t);
const Type *type_scalar(Types *t, ScalarKind k);
const Type *type_func(Types *t, const Type *result, int n, const Type *const *params);
const Type *type_array(Types *t, const Type *elem, int rank);
const Type *type_object(Types *t, const char *name, struct Symbol *decl);
const Type *type_record(Types *t, const char *name, struct Symbol *decl);
const Type *type_enum(Types *t, const char *name, ScalarKind k, struct Symbol *decl);
const Type *type_null(Types *t);
const Type *type_group(Types *t, const char *name);

/* Arrays count as functions of ints here. */
bool type_is_functional(const Type *t);
bool type_same_params(const Type *a, const Type *b); /* are they functions of these? */
/* One value at run time: equal types, but for arrays that count as functions. */
bool type_same_value(const Type *a, const Type *b);
bool type_is_numeric(const Type *t); /* integer, real or char scalar */
bool type_is_scalar(const Type *t, ScalarKind k);
bool type_is_enum(const Type *t);
bool type_is_record(const Type *t);
/* A scalar or a record: what graphs compute with. */
bool type_is_value(const Type *t);
/* What a device cannot hold: strings, objects, arrays of references, functions over such. */
bool type_is_hosted(const Type *t);
bool type_is_ref(const Type *t); /* a counted reference at run time: string, func, array, object */

void type_print(Text *out, const Type *t); /* "float(int, int)", "float[,]", "string" */
const char *type_text(Arena *a, const Type *t);

#endif
