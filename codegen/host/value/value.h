/* Expressions of the host back end: what the files of this room offer each other and those who need
 * values. */
#ifndef CS_CODEGEN_HOST_VALUE_H
#define CS_CODEGEN_HOST_VALUE_H

#include "../impl.h"

/* ---- expr.c ---------------------------------------------------------------------------- */

typedef struct HostRef {
    LLVMValueRef v;
    bool owned; /* the caller must release it or pass it on */
    bool weak;  /* borrowed from a field or element, which user code may change */
} HostRef;

LLVMValueRef host_value(HostFunc *f, Ast *n); /* references are borrowed until the statement ends */
LLVMValueRef host_owned(HostFunc *f, Ast *n); /* of reference type: the caller's */
HostRef host_ref(HostFunc *f, Ast *n);        /* any expression */
void host_effect(HostFunc *f, Ast *n);        /* for what it does */
/* Owned references become temporaries; so do borrowed ones if a variable may change (`hazard`). */
LLVMValueRef host_keep(HostFunc *f, HostRef r, const Type *type, bool hazard);
/* Results of the runtime (l, i, d, f or p) as C$ values, and back. */
HostRef host_from_abi(HostFunc *f, LLVMValueRef v, char letter, const Type *type, const Ast *n);
LLVMValueRef host_to_abi(HostFunc *f, LLVMValueRef v, const Type *type, char letter);
/* A functional value applied to scalars. */
HostRef host_apply(HostFunc *f, Ast *n, Ast *fn, AstList args);
/* Several operands in order: none changes a reference that an earlier one gave. */
void host_values(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out);
/* The same for an operation that runs no user code: references are borrowed until it is done. */
LLVMValueRef host_peek(HostFunc *f, Ast *n);
void host_peeks(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out);
/* The reference in a slot of an object, a static field or an element: weak. Arrays that were never
 * set become empty; of functions NULL is an exception. */
HostRef host_load_ref(HostFunc *f, LLVMValueRef at, const Type *type, Loc loc);
/* Stores a value at the i-th CsValue of a buffer, a record's leaves; returns the next index. */
int host_put(HostFunc *f, LLVMValueRef buffer, int i, LLVMValueRef v, const Type *type);
/* As host_values; kept: has the statement a reference of its own to it from now on? */
void host_keep_values(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out, bool *kept);
/* The values of these trees in a buffer; null if there are none. */
LLVMValueRef host_pack(HostFunc *f, Ast *const *list, const LLVMValueRef *values, int n);
/* Evaluates a graph node: as a value of `type`, which may be the array of its function. What it captures is
 * given back as soon as that is made: a statement may change it in place afterwards, if nobody else has it. */
HostRef host_graph_value(HostFunc *f, Ast *n, const Type *type);
LLVMValueRef host_take(HostFunc *f, LLVMValueRef buffer, int i, const Type *type);
/* The value of a graph of scalars (fd_is_arithmetic), a scalar or record of this type; slots: its scalars. */
LLVMValueRef host_arithmetic(HostFunc *f, const FdNode *root, const LLVMValueRef *slots,
                             const Type *type, Loc loc);
/* The value of a graph that is one reduction (SemaGraph.reduction) where that is short; slots: arrays and scalars, of
 * these types. Else it leaves for `evaluate`. */
LLVMValueRef host_reduction(HostFunc *f, const SemaGraph *graph, const LLVMValueRef *slots,
                            const Type *const *types, LLVMBasicBlockRef evaluate, const Type *type,
                            Loc loc);
const Type *host_type_of_kind(const HostModule *m, ScalarKind k);

/* ---- call.c ---------------------------------------------------------------------------------- */

HostRef host_call(HostFunc *f, Ast *n); /* CALL, MEMBER, NEW; scalars and void too */
/* A call with values: `this` first if the function takes it. */
HostRef host_call_static(HostFunc *f, const Symbol *sym, LLVMValueRef *args, int n, Loc loc);
struct HostPlace;
/* get (value NULL) or set of a property's place. */
HostRef host_call_accessor(HostFunc *f, const struct HostPlace *p, const Symbol *accessor,
                           LLVMValueRef value);
/* A call n of sym on an object that is not null (self NULL: of a record's constructor). */
HostRef host_call_on(HostFunc *f, Ast *n, const Symbol *sym, LLVMValueRef self, AstList args);

/* ---- closure.c ------------------------------------------------------------------------------- */

/* CsNative of a function whose first `captures` parameters come from the environment. */
LLVMValueRef host_native(HostModule *m, const Symbol *func, int captures);
HostRef host_closure(HostFunc *f, Ast *n); /* CLOSURE, or a NAME_REF of a function */
/* CONVERT n of an object to a function. */
HostRef host_object_function(HostFunc *f, const Ast *n, Ast *object);

/* ---- string.c -------------------------------------------------------------------------------- */

HostRef host_text(HostFunc *f, Ast *n); /* anything printable as a string */
HostRef host_interpolate(HostFunc *f, Ast *n);
HostRef host_concat(HostFunc *f, Ast *n); /* a + b + c */
HostRef host_string_slice(HostFunc *f, Ast *n);

/* ---- ops.c ----------------------------------------------------------------------------------- */

ScalarKind host_promote(ScalarKind a, ScalarKind b); /* C#'s binary promotion */
LLVMValueRef host_convert(HostFunc *f, LLVMValueRef v, ScalarKind from, ScalarKind to);
/* op on operands of kind k (the second of a shift is an i32). */
LLVMValueRef host_operate(HostFunc *f, FdOp op, ScalarKind k, const LLVMValueRef *args, Loc loc);

/* ---- array.c, place.c ------------------------------------------------------------------------ */

typedef struct HostIndex { /* indices of an access: i32 where the type fits, else i64 */
    int rank;
    LLVMValueRef i[CS_MAX_RANK];
    bool is_signed[CS_MAX_RANK];
} HostIndex;

const HostFact *host_fact(const HostFunc *f, const Ast *base, bool write);
const HostFact *host_fact_of(const HostFunc *f, const Symbol *sym, bool write);
/* Evaluates indices of the array in slot (NULL: there is none, and no index from the end). */
void host_index(HostFunc *f, AstList args, LLVMValueRef slot, HostIndex *out);
Ast *host_index_tree(Ast *n);                                          /* without ^ */
LLVMValueRef host_array_end(HostFunc *f, LLVMValueRef array, int dim); /* one behind the last */
LLVMValueRef host_array_field(HostFunc *f, LLVMValueRef array, unsigned field, LLVMTypeRef type);
/* A member of a dimension: DIM_LO, DIM_N, DIM_STRIDE. */
LLVMValueRef host_array_dim(HostFunc *f, LLVMValueRef array, int member, int dim);
/* An element of an array: of a record it has an address a leaf. */
typedef struct HostElement {
    const Type *type;
    LLVMValueRef data, offset; /* offset: i64, in elements */
    LLVMValueRef count;        /* i64: of all elements; NULL: not a record */
} HostElement;

/* An element, checked, that can be read now; or written, of the array of a slot. */
HostElement host_element_read(HostFunc *f, LLVMValueRef array, const Type *type,
                              const HostIndex *index, Loc loc);
HostElement host_element_write(HostFunc *f, LLVMValueRef slot, const Type *type,
                               const HostIndex *index, Loc loc);
HostElement host_element_by_fact(HostFunc *f, const HostFact *fact, LLVMValueRef array,
                                 const Type *type, const HostIndex *index, Loc loc);
/* Evaluates an access, for reading at once. */
HostElement host_find_element(HostFunc *f, Ast *base, AstList args, Loc loc);
/* The data, with the element at the offset (i64). */
LLVMValueRef host_array_read_at(HostFunc *f, LLVMValueRef array, LLVMValueRef offset, Loc loc);
/* i1: its data cannot be used without a call (csrt.h, host_state). */
LLVMValueRef host_array_not_at_hand(HostFunc *f, LLVMValueRef array, bool write);
/* i1: a reference that is null, or an array that is. */
LLVMValueRef host_is_null(HostFunc *f, LLVMValueRef v, const Type *type);
LLVMValueRef host_array_count(HostFunc *f, LLVMValueRef array, int rank); /* i64 */
HostRef host_read_element(HostFunc *f, Ast *base, AstList args, const Type *elem, Loc loc);
HostRef host_new_array(HostFunc *f, Ast *n);
/* Members of arrays that need no call: Length, GetLength and the like. NULL: it needs one. */
LLVMValueRef host_array_member(HostFunc *f, LibName name, Ast *base, AstList args, Loc loc);
/* An i64 as an i32; OverflowException if it is none. */
LLVMValueRef host_narrow(HostFunc *f, LLVMValueRef v, Loc loc);

/* ---- record.c -------------------------------------------------------------------------- */

int host_leaves(const Type *t); /* scalars in a record; of any other type 1 */
const Type *host_leaf_type(const Type *t, int leaf);
LLVMValueRef *host_scatter(HostFunc *f, LLVMValueRef v, const Type *t); /* in the arena */
LLVMValueRef host_gather(HostFunc *f, const Type *t, const LLVMValueRef *leaves);
LLVMValueRef host_element_address(HostFunc *f, const HostElement *e, int leaf);
LLVMValueRef host_element_load(HostFunc *f, const HostElement *e);
void host_element_store(HostFunc *f, const HostElement *e, LLVMValueRef v);
LLVMValueRef host_record_field(HostFunc *f, Ast *n); /* MEMBER of a record */
LLVMValueRef host_describe_records(HostModule *m);   /* CsRecord[] */

/* ---- class.c ---------------------------------------------------------------------------- */

void host_declare_classes(HostModule *m);
void host_describe_classes(HostModule *m);                    /* once functions are declared */
LLVMValueRef host_static(HostModule *m, const Symbol *field); /* the address of a static field */
void host_init_statics(HostFunc *f);                          /* before the program's statements */
void host_release_statics(HostModule *m);
LLVMValueRef host_field_address(HostFunc *f, LLVMValueRef object, const Symbol *field);
/* NullReferenceException if v, the value of tree n, is null; nothing if it cannot be. */
void host_check_null(HostFunc *f, LLVMValueRef v, const Ast *n, Loc loc);
HostRef host_field(HostFunc *f, Ast *n); /* MEMBER: of an object or a static one */
/* What is no object yet of a struct that is one (with references) has fields of zero: that object, NULL of
 * other types; and the object itself or that. */
/* Are its instances values, one of which is null? */
bool host_is_value_class(const Class *c);
LLVMValueRef host_zero_struct(HostFunc *f, const Type *t);
LLVMValueRef host_or_zero(HostFunc *f, LLVMValueRef object, const Type *t);
void host_fill_empty(HostFunc *f, LLVMValueRef slot, const Type *type, Loc loc);
HostRef host_new(HostFunc *f, Ast *n);        /* of a user's class */
HostRef host_is(HostFunc *f, Ast *n);         /* IS, AS */
HostRef host_class_cast(HostFunc *f, Ast *n); /* CAST of an object to a class */
/* The one function that a call of sym runs; NULL if that depends on the object. `direct`: sym
 * itself whatever overrides it, as base.M(). */
const Symbol *host_target(const HostModule *m, const Symbol *sym, bool direct);
/* The address of what a call of sym on self runs. */
LLVMValueRef host_dispatch(HostFunc *f, const Symbol *sym, LLVMValueRef self, bool direct);
LLVMValueRef host_class_named(HostModule *m, const char *name); /* the library's CsClass, or null */

/* ---- place.c ---------------------------------------------------------------------------- */

typedef enum HostPlaceKind {
    PLACE_SLOT,    /* a variable: `slot` */
    PLACE_ELEMENT, /* of the array in place `of` */
    PLACE_FIELD,   /* of `object` */
    PLACE_PART,    /* a field of the record in place `of` */
    PLACE_PROPERTY /* of `object`, with indices: get and set */
} HostPlaceKind;

typedef struct HostPlace { /* something that can be assigned */
    HostPlaceKind kind;
    const Type *type;
    Loc loc;
    LLVMValueRef slot; /* of a property: where what `get` gave is held while it changes */
    struct HostPlace *of;
    const HostFact *fact;
    HostIndex index;
    const Symbol *sym;   /* the field or property */
    Ast *base;           /* the tree of `object`; NULL: none */
    LLVMValueRef object; /* or a record's value */
    Ast *const *args;    /* of a property: indices and their values */
    LLVMValueRef *values;
    int nargs;
} HostPlace;

HostPlace *host_place(HostFunc *f, Ast *n); /* evaluates objects and indices */
/* The same for who changes it from elsewhere (ref, out): a struct around it that is kept as an object, which others may
 * have, becomes one of its own. */
HostPlace *host_place_alone(HostFunc *f, Ast *n);
/* The place's address; not of an element that is a record, nor to write a property. */
LLVMValueRef host_place_address(HostFunc *f, HostPlace *p);
LLVMValueRef host_place_load(HostFunc *f, HostPlace *p); /* references: borrowed */
/* The array in p was changed: one that a property gave goes back to it. p may be NULL. */
void host_place_changed(HostFunc *f, HostPlace *p);
/* value is owned by the place from now on. */
void host_place_store(HostFunc *f, HostPlace *p, LLVMValueRef value);
/* ASSIGN, INCDEC; the value of the expression, if that is used */
LLVMValueRef host_assign(HostFunc *f, Ast *n, bool used);

/* ---- slice.c --------------------------------------------------------------------------------- */

LLVMValueRef host_assign_slice(HostFunc *f, Ast *n, bool used); /* target[a..b] = value */

#endif
