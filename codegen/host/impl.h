/* The host back end's private interface: the module and the function being made, and what its files
 * offer each other. Whatever lives as long as the module is in its arena or in its LLVM context; a
 * HostModule is used by one thread. */
#ifndef CS_CODEGEN_HOST_IMPL_H
#define CS_CODEGEN_HOST_IMPL_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

#include "../../base/vec.h"
#include "../../fdag/ops.h"
#include "../abi/abi.h"
#include "../abi/layouts.h"
#include "host.h"

enum { HOST_MAX_ARGS = 64 }; /* of a buffer that a function shares */

typedef enum HostStruct { /* the structures of csrt.h */
#define STRUCT(id, name) HOST_##id,
#define MEMBER(name, id, type, path)
#define END(id, name)
#include "../abi/layouts.def"
#undef STRUCT
#undef MEMBER
#undef END
                          HOST_NSTRUCTS
} HostStruct;

typedef struct HostClass {   /* Class.host */
    LLVMTypeRef type;        /* an object with its head, or a record as it is stored */
    LLVMValueRef descriptor; /* CsClass; NULL: a record */
    int record;              /* index in CsProgram.records */
} HostClass;

typedef struct HostText { /* a constant: its bytes, or the cell of a string literal */
    const char *bytes;
    size_t len;
    LLVMValueRef global;
} HostText;

/* A descriptor CsNative: of a function whose first `captures` parameters come from the environment,
 * or (sym NULL) of objects of a class with Invoke. */
typedef struct HostNativeEntry {
    const Symbol *sym;
    int captures;
    const Class *cls;
    LLVMValueRef descriptor;
} HostNativeEntry;

typedef struct HostFuncInfo { /* a user function, known before any body is emitted */
    Symbol *sym;
    LLVMValueRef fn;
    LLVMTypeRef type;
    AstList params; /* without `self` */
    Ast *body;
    bool throws;
    bool recurs;                 /* it may call itself: it looks at the stack */
    VEC(const Symbol *) written; /* parameters by value that the body assigns */
} HostFuncInfo;

struct HostModule {
    const SemaResult *sema;
    const Sources *sources;
    const HostOptions *options;
    Arena *arena;

    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;     /* where code goes */
    LLVMBuilderRef entry; /* allocas of the function being made */
    LLVMTargetMachineRef target;
    LLVMTypeRef void_type, i1, i8, i16, i32, i64, half, f32, f64, ptr;
    LLVMTypeRef structs[HOST_NSTRUCTS];

    LLVMValueRef abi[ABI_COUNT]; /* declared when first used */
    LLVMTypeRef abi_type[ABI_COUNT];
    LLVMValueRef pending;     /* cs_pending */
    LLVMValueRef stack_limit; /* cs_stack_limit */
    LLVMValueRef release;     /* releases slots of a frame */
    LLVMTypeRef release_type;
    LLVMValueRef *graphs; /* CsGraph of each SemaGraph */
    int nrecords;
    HostFuncInfo *funcs; /* sorted by symbol */
    int nfuncs;
    struct HostEffort *efforts; /* of functions and the program, sorted by symbol */
    int nefforts;
    bool monstrous;          /* a function is too large for LLVM's better code generator */
    VEC(LLVMValueRef) light; /* functions that get few passes */
    VEC(HostText) texts;
    VEC(HostText) strings;
    VEC(HostNativeEntry) natives;

    LLVMDIBuilderRef di; /* NULL without -g */
    LLVMMetadataRef di_unit, di_file, di_func_type;
};

typedef struct HostLoop {                    /* what break and continue leave */
    LLVMBasicBlockRef on_break, on_continue; /* on_continue NULL: a switch */
    size_t scope;                            /* named slots outside it */
    struct HostRegion *region;
    struct HostLoop *outer;
} HostLoop;

/* What is known of an array variable within a loop that was entered with its elements at hand: the
 * domain begins at 0, extents fit 31 bits, and nothing in the loop changes that. */
typedef struct HostFact {
    const Symbol *sym;
    bool write;
    LLVMValueRef data, n[CS_MAX_RANK], stride[CS_MAX_RANK]; /* n: i32, stride: i64 */
    LLVMValueRef count;                                     /* of records: as in HostElement */
} HostFact;

typedef VEC(HostFact) HostFacts;

typedef struct HostLanding { /* a block that exceptions reach */
    LLVMBasicBlockRef block;
    int first_slot; /* it releases slots from here to the next landing's */
    int nedges;
} HostLanding;

typedef struct HostExit { /* a jump that waits until a `finally` has run */
    LLVMBasicBlockRef from, to;
    size_t scope;
    struct HostRegion *outer; /* the region of `to` */
} HostExit;

/* Statements whose exceptions go to the same handler: a function's body, that of a try. */
typedef struct HostRegion {
    struct HostRegion *outer;  /* NULL: the function itself */
    VEC(HostLanding) landings; /* empty: nothing throws so far */
    int first_slot;            /* of the frame: later ones are its own */
    size_t scope;              /* named slots outside it */
    size_t nspare;             /* HostFunc.nspare outside it */
    LLVMBasicBlockRef finally; /* where jumps out of it go first; NULL: no finally */
    LLVMValueRef way;          /* i32: which of the exits, or an exception */
    VEC(HostExit) exits;
} HostRegion;

typedef struct HostFunc {
    HostModule *m;
    LLVMValueRef fn;
    const char *name;   /* for sites: the C$ name, or "top level" */
    const Symbol *sym;  /* NULL: the program, or a function of the module's own */
    const Type *ret;    /* NULL: the program */
    const Symbol *self; /* `this`, or NULL */
    bool makes;         /* a constructor of a record, which returns `this` */
    HostRegion body;
    HostRegion *region; /* the innermost */
    LLVMValueRef frame; /* the owning reference slots: nslots pointers */
    int nslots;
    VEC(LLVMValueRef) scope;                 /* those of the variables in scope, innermost last */
    VEC(LLVMValueRef) temps;                 /* those of the full statement being made */
    VEC(LLVMValueRef) spare;                 /* temporaries for the statements after it */
    size_t nspare;                           /* the first ones are of a region around: not used */
    LLVMValueRef buffers[HOST_MAX_ARGS + 1]; /* room for n CsValues or indices */
    LLVMValueRef shadow;         /* a slot lent to the runtime instead of a variable's */
    LLVMValueRef caught;         /* the slot of the exception that the innermost catch holds */
    LLVMBasicBlockRef on_return; /* for returns through `finally`; NULL: none so far */
    LLVMValueRef result;         /* what they return: a slot or variable */
    HostLoop *loop;
    HostFacts facts;
    bool versioned; /* inside a loop that was made in two versions, or never to do so */
    LLVMMetadataRef di_scope;
} HostFunc;

/* An internal error: sema and this part disagree. */
_Noreturn void host_bug(const HostModule *m, const Ast *n, const char *what);

/* ---- types.c ----------------------------------------------------------------------- */

void host_types_init(HostModule *m);
LLVMTypeRef host_scalar_type(const HostModule *m, ScalarKind k);  /* in a register */
LLVMTypeRef host_stored_type(const HostModule *m, const Type *t); /* in a variable or element */
LLVMTypeRef host_type(const HostModule *m, const Type *t);
LLVMTypeRef host_func_type(const HostModule *m, const Symbol *func, AstList params);
bool host_takes_self(const Symbol *func); /* its first parameter is `this` */
void host_attribute(HostModule *m, LLVMValueRef fn, const char *name);
void host_attribute_value(HostModule *m, LLVMValueRef fn, const char *name, const char *value);
LLVMValueRef host_int(const HostModule *m, int64_t v);  /* i32 */
LLVMValueRef host_long(const HostModule *m, int64_t v); /* i64 */
LLVMValueRef host_null(const HostModule *m);
LLVMValueRef host_const(const HostModule *m, ScalarKind k, ScalarValue v);
int32_t host_elem(const Type *array);       /* the elements' kind, as in CsArray */
const HostClass *host_class(const Type *t); /* of an object or record */
/* Where code goes, to come back to after making another function. */
typedef struct HostSpot {
    LLVMBasicBlockRef block, entry;
    LLVMMetadataRef at;
} HostSpot;
HostSpot host_leave(const HostModule *m);
void host_come_back(HostModule *m, HostSpot spot);

/* ---- abi.c -------------------------------------------------------------------------- */

void host_abi_init(HostModule *m);
const char *host_abi_signature(AbiId id);
bool host_abi_throws(AbiId id);
bool host_abi_takes_site(AbiId id); /* as its last argument */
/* Calls a function of the runtime; one that throws gets the site of loc and the check. */
LLVMValueRef host_call_runtime(HostFunc *f, AbiId id, const LLVMValueRef *args, int n, Loc loc);
/* The same of one that changes the array in the slot that is its first argument. */
void host_call_on_slot(HostFunc *f, AbiId id, LLVMValueRef *args, int n, Loc loc);
/* After a call: leaves if an exception is pending. `frame`: adds this function to its stack. */
void host_release_slots(HostFunc *f, int first, int end); /* of the frame */
void host_check_pending(HostFunc *f, Loc loc, bool frame);
LLVMValueRef host_string(HostFunc *f, AstBytes text); /* a string literal: borrowed */
LLVMValueRef host_graph(HostModule *m, uint64_t graph);
LLVMValueRef host_constant(HostModule *m, const char *name, LLVMTypeRef type, LLVMValueRef init,
                           bool writable);
/* A structure of layouts.def, from all its members. */
LLVMValueRef host_struct(const HostModule *m, HostStruct which, LLVMValueRef *members);
LLVMValueRef host_table(HostModule *m, const char *name, LLVMTypeRef elem, LLVMValueRef *items,
                        unsigned n); /* null if it is empty */
LLVMValueRef host_c_string(HostModule *m, const char *s);
void host_finish_module(HostModule *m, const HostKernel *kernels, int nkernels,
                        LLVMValueRef program);

/* ---- func.c ------------------------------------------------------------------------- */

void host_declare_functions(HostModule *m);
const HostFuncInfo *host_find_func(const HostModule *m, const Symbol *sym); /* NULL: unused */
const HostFuncInfo *host_func_info(const HostModule *m, const Symbol *sym);
void host_emit_function(HostModule *m, const HostFuncInfo *info);
LLVMValueRef host_emit_program(HostModule *m);
void host_return(HostFunc *f, Ast *n);
/* A function of the module's own, ready to be filled at its first block. */
LLVMValueRef host_add_function(HostModule *m, const char *name, LLVMTypeRef type);

LLVMBasicBlockRef host_block(HostFunc *f, const char *name);
void host_enter(HostFunc *f, LLVMBasicBlockRef block); /* code goes there from now on */
void host_jump(HostFunc *f, LLVMBasicBlockRef to);     /* unless the block has ended */
bool host_ended(const HostFunc *f);
/* A branch that is seldom taken. */
void host_branch_cold(HostFunc *f, LLVMValueRef cond, LLVMBasicBlockRef cold,
                      LLVMBasicBlockRef next);
LLVMBasicBlockRef host_unwind(HostFunc *f); /* where an exception goes; ask anew for each */
LLVMValueRef host_alloca(HostFunc *f, LLVMTypeRef type, const char *name);
LLVMValueRef host_buffer(HostFunc *f, int n); /* [n x i64]; contents last until the next host_* */
/* A named variable: references own, are empty now, and are released when the scope ends. */
LLVMValueRef host_variable(HostFunc *f, const Type *type, const char *name);
LLVMValueRef host_slot(HostFunc *f, const char *name);    /* one that owns a reference */
bool host_is_local(const HostFunc *f, LLVMValueRef slot); /* of this function, not a caller's */
void host_leave_scope(HostFunc *f, size_t mark);   /* releases and forgets the slots above mark */
void host_release_scope(HostFunc *f, size_t mark); /* the same without forgetting: for jumps */
/* A variable that an expression declares: `out var x`, `e is T x`. */
void host_declare_local(HostFunc *f, Symbol *sym);
/* Keeps an owned reference until the end of the statement; returns it. */
LLVMValueRef host_temp(HostFunc *f, LLVMValueRef ref);
/* A temporary whose reference was handed on: its slot is free again. */
void host_untemp(HostFunc *f, LLVMValueRef slot);
void host_release_temps(HostFunc *f, size_t mark);
LLVMValueRef host_load(HostFunc *f, LLVMValueRef from, const Type *type);
void host_store(HostFunc *f, LLVMValueRef to, LLVMValueRef value, const Type *type);
LLVMValueRef host_to_stored(HostFunc *f, LLVMValueRef v, const Type *type);
LLVMValueRef host_from_stored(HostFunc *f, LLVMValueRef v, const Type *type);

/* ---- scan.c: questions about trees --------------------------------------------------- */

void host_scan_functions(HostModule *m); /* which may throw, which parameters they assign */
/* Can the value of a string or an object be null? */
bool host_may_be_null(const Ast *n);
bool host_call_throws(const HostModule *m, const Symbol *sym, bool direct);
/* The variable `args` of the program, if its statements use it. */
Symbol *host_scan_args(AstList stmts);
/* May evaluating n change a variable that holds a reference? */
bool host_may_assign(const Ast *n);
/* Does n leave the places of elements as they are: no calls, no references made or dropped? */
bool host_is_plain(const Ast *n);
/* Can a loop of these parts be entered with facts? They are the array variables that it reads and
 * writes by element only (sym and write are set), `hidden` among them. */
bool host_scan_loop(const HostModule *m, Ast *const *parts, int nparts, const Symbol *hidden,
                    HostFacts *facts);
/* Is it a graph of a..b with bounds that the host has: the identity over a given range? */
bool host_is_range(const HostModule *m, const Ast *n);
/* The node under `ref` or `out`. */
Ast *host_strip_mode(Ast *n);

/* ---- recursion.c ----------------------------------------------------------------------------- */

void host_find_recursion(HostModule *m);     /* sets `recurs` of all functions */
void host_check_stack(HostFunc *f, Loc loc); /* StackOverflowException at its end */

/* ---- effort.c -------------------------------------------------------------------------- */

typedef struct HostEffort {
    const Symbol *sym; /* NULL: the top-level statements */
    int order;         /* in the source */
    int nodes, loops;  /* of the tree; how deep loops are nested */
    int heat;          /* loops around its calls */
    bool light;        /* gets few passes */
} HostEffort;

void host_measure(HostModule *m); /* sets m->efforts and m->monstrous */
void host_lighten(HostFunc *f);   /* before the function's code is made: if it is light, says so */
void host_freeze(HostModule *m);  /* light functions get no passes from now on */

/* ---- try.c ----------------------------------------------------------------------------------- */

void host_emit_landings(HostFunc *f, HostRegion *r, LLVMBasicBlockRef handler);
/* Jumps to a block of region `outer`, whose scope is `scope`, through what is `finally` between. */
void host_jump_out(HostFunc *f, LLVMBasicBlockRef to, HostRegion *outer, size_t scope);
bool host_has_finally(const HostFunc *f); /* around the code being made */
void host_try(HostFunc *f, Ast *n);
void host_throw(HostFunc *f, Ast *n);
void host_switch(HostFunc *f, Ast *n);

/* ---- stmt.c, loop.c -------------------------------------------------------------- */

void host_stmt(HostFunc *f, Ast *n);
void host_stmts(HostFunc *f, AstList list);
void host_together(HostFunc *f, Ast *n); /* together.c */

typedef struct HostLoopCode {                     /* a loop, emitted up to three times */
    LLVMValueRef (*cond)(HostFunc *f, void *ctx); /* i1; NULL: always true */
    void (*before)(HostFunc *f, void *ctx);       /* of each round, in the scope of the body */
    Ast *body;
    void (*step)(HostFunc *f, void *ctx);
    void *ctx;
    bool test_last;       /* do .. while */
    const Symbol *hidden; /* an array that `before` reads, or NULL */
    Ast *const *parts;    /* all trees that are emitted */
    int nparts;
} HostLoopCode;
void host_emit_loop(HostFunc *f, const HostLoopCode *loop);

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
/* The values of these trees in a buffer; null if there are none. */
LLVMValueRef host_pack(HostFunc *f, Ast *const *list, const LLVMValueRef *values, int n);
LLVMValueRef host_take(HostFunc *f, LLVMValueRef buffer, int i, const Type *type);
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

HostRef host_text(HostFunc *f, Ast *n, const AstBytes *format); /* anything printable as a string */
HostRef host_interpolate(HostFunc *f, Ast *n);
HostRef host_concat(HostFunc *f, Ast *n); /* a + b + c */
HostRef host_string_slice(HostFunc *f, Ast *n);

/* ---- ops.c ----------------------------------------------------------------------------------- */

ScalarKind host_promote(ScalarKind a, ScalarKind b); /* C#'s binary promotion */
LLVMValueRef host_convert(HostFunc *f, LLVMValueRef v, ScalarKind from, ScalarKind to);
/* op on operands of kind k (the second of a shift is an i32). */
LLVMValueRef host_operate(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef a, LLVMValueRef b,
                          Loc loc);

/* ---- math.c ---------------------------------------------------------------------------------- */

/* The operations of one or two reals of the table that are functions: intrinsics and libm. */
LLVMValueRef host_math(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef const *v);
LLVMValueRef host_intrinsic(HostFunc *f, const char *name, LLVMTypeRef *types, int ntypes,
                            LLVMValueRef *args, int nargs);

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

/* An element, checked; the array's data may be read. */
HostElement host_element(HostFunc *f, LLVMValueRef array, const Type *type, const HostIndex *index,
                         Loc loc);
HostElement host_element_by_fact(HostFunc *f, const HostFact *fact, LLVMValueRef array,
                                 const Type *type, const HostIndex *index, Loc loc);
/* Evaluates an access, for reading at once. */
HostElement host_find_element(HostFunc *f, Ast *base, AstList args, Loc loc);
LLVMValueRef host_array_read(HostFunc *f, LLVMValueRef array, Loc loc); /* its data */
/* i1: its data cannot be used without a call (csrt.h, host_state). */
LLVMValueRef host_array_not_at_hand(HostFunc *f, LLVMValueRef array, bool write);
/* Makes the array of a slot writable; returns it. */
LLVMValueRef host_array_write(HostFunc *f, LLVMValueRef slot, Loc loc);
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
/* The place's address; not of an element that is a record, nor to write a property. */
LLVMValueRef host_place_address(HostFunc *f, HostPlace *p);
LLVMValueRef host_place_load(HostFunc *f, HostPlace *p); /* references: borrowed */
/* The array in p was changed: one that a property gave goes back to it. p may be NULL. */
void host_place_changed(HostFunc *f, HostPlace *p);
/* value is owned by the place from now on. */
void host_place_store(HostFunc *f, HostPlace *p, LLVMValueRef value);
LLVMValueRef host_assign(HostFunc *f, Ast *n); /* ASSIGN, INCDEC; the value of the expression */

/* ---- slice.c --------------------------------------------------------------------------------- */

bool host_is_slice(const Ast *target);
LLVMValueRef host_assign_slice(HostFunc *f, Ast *n); /* target[a..b] = value */

/* ---- debug.c --------------------------------------------------------------------------------- */

void host_debug_init(HostModule *m);
void host_debug_function(HostFunc *f, Loc loc);
void host_debug_at(HostFunc *f, Loc loc); /* code from here on comes from there */
void host_debug_none(HostModule *m);
void host_debug_variable(HostFunc *f, LLVMValueRef slot, const Symbol *sym, int argument);
void host_debug_finish(HostModule *m);

#endif
