/* The host back end's private interface: the module and the function being made, and what its files
 * offer each other. Whatever lives as long as the module is in its arena or in its LLVM context; a
 * HostModule is used by one thread. */
#ifndef CS_CODEGEN_HOST_IMPL_H
#define CS_CODEGEN_HOST_IMPL_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

#include "../base/vec.h"
#include "../fdag/ops.h"
#include "host.h"

enum { HOST_MAX_RANK = 4, HOST_ELEM_REF = 64, HOST_MAX_ARGS = 64 }; /* as in csrt.h */

typedef enum AbiId {
#define ABI(name, signature, throws) ABI_##name,
#include "abi.def"
#undef ABI
    ABI_COUNT
} AbiId;

typedef enum HostStruct { /* the structures of csrt.h */
                          HOST_SITE,
                          HOST_ARRAY,
                          HOST_GRAPH,
                          HOST_NATIVE,
                          HOST_KERNEL,
                          HOST_PROGRAM,
                          HOST_NSTRUCTS
} HostStruct;

enum { /* members of CsArray */
       ARRAY_REFS,
       ARRAY_KIND,
       ARRAY_ELEM,
       ARRAY_RANK,
       ARRAY_STATE,
       ARRAY_DATA,
       ARRAY_LO,
       ARRAY_N,
       ARRAY_STRIDE
};

typedef struct HostText { /* a constant: its bytes, or the cell of a string literal */
    const char *bytes;
    size_t len;
    LLVMValueRef global;
} HostText;

typedef struct HostNativeEntry { /* a user function that graphs may call */
    const Symbol *sym;
    LLVMValueRef descriptor; /* CsNative */
} HostNativeEntry;

typedef struct HostFuncInfo { /* a user function, known before any body is emitted */
    Symbol *sym;
    LLVMValueRef fn;
    LLVMTypeRef type;
    bool throws;
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
    LLVMValueRef pending; /* cs_pending */
    LLVMValueRef release; /* releases slots of a frame */
    LLVMTypeRef release_type;
    LLVMValueRef literal; /* makes a string literal when it is first used */
    LLVMValueRef *graphs; /* CsGraph of each SemaGraph */
    HostFuncInfo *funcs;  /* sorted by symbol */
    int nfuncs;
    VEC(HostText) texts;
    VEC(HostText) strings;
    VEC(HostNativeEntry) natives;

    LLVMDIBuilderRef di; /* NULL without -g */
    LLVMMetadataRef di_unit, di_file, di_func_type;
};

typedef struct HostLoop {
    LLVMBasicBlockRef on_break, on_continue;
    size_t scope; /* named slots outside it */
    struct HostLoop *outer;
} HostLoop;

/* What is known of an array variable within a loop that was entered with its elements at hand: the
 * domain begins at 0, extents fit 31 bits, and nothing in the loop changes that. */
typedef struct HostFact {
    const Symbol *sym;
    bool write;
    LLVMValueRef data, n[HOST_MAX_RANK], stride[HOST_MAX_RANK]; /* n: i32, stride: i64 */
} HostFact;

typedef VEC(HostFact) HostFacts;

typedef struct HostLanding { /* a block that exceptions reach */
    LLVMBasicBlockRef block;
    int first_slot; /* it releases slots from here to the next landing's */
    int nedges;
} HostLanding;

typedef struct HostFunc {
    HostModule *m;
    LLVMValueRef fn;
    const char *name;          /* for sites: the C$ name, or "top level" */
    const Type *ret;           /* NULL: the program */
    VEC(HostLanding) landings; /* empty: nothing throws so far */
    LLVMValueRef frame;        /* the owning reference slots: nslots pointers */
    int nslots;
    VEC(LLVMValueRef) scope;                 /* those of the variables in scope, innermost last */
    VEC(LLVMValueRef) temps;                 /* those of the full statement being made */
    VEC(LLVMValueRef) spare;                 /* temporaries for the statements after it */
    LLVMValueRef buffers[HOST_MAX_ARGS + 1]; /* room for n CsValues or indices */
    LLVMValueRef shadow; /* a slot lent to the runtime instead of a variable's */
    HostLoop *loop;
    HostFacts facts;
    bool versioned; /* inside a loop that was made in two versions */
    LLVMMetadataRef di_scope;
} HostFunc;

/* An internal error: sema and this part disagree. */
_Noreturn void host_bug(const HostModule *m, const Ast *n, const char *what);

/* ---- host_types.c ----------------------------------------------------------------------- */

void host_types_init(HostModule *m);
LLVMTypeRef host_scalar_type(const HostModule *m, ScalarKind k);  /* in a register */
LLVMTypeRef host_stored_type(const HostModule *m, const Type *t); /* in a variable or element */
LLVMTypeRef host_type(const HostModule *m, const Type *t);
LLVMTypeRef host_func_type(const HostModule *m, const Symbol *func);
void host_attribute(HostModule *m, LLVMValueRef fn, const char *name);
LLVMValueRef host_int(const HostModule *m, int64_t v);  /* i32 */
LLVMValueRef host_long(const HostModule *m, int64_t v); /* i64 */
LLVMValueRef host_null(const HostModule *m);
LLVMValueRef host_const(const HostModule *m, ScalarKind k, ScalarValue v);
int32_t host_elem(const Type *array); /* ScalarKind or HOST_ELEM_REF of the elements */

/* ---- host_abi.c -------------------------------------------------------------------------- */

void host_abi_init(HostModule *m);
AbiId host_abi_find(const char *name); /* ABI_COUNT: none */
const char *host_abi_signature(AbiId id);
bool host_abi_throws(AbiId id);
/* Calls a function of the runtime; one that throws gets the site of loc and the check. */
LLVMValueRef host_call_runtime(HostFunc *f, AbiId id, const LLVMValueRef *args, int n, Loc loc);
/* After a call: leaves if an exception is pending. `frame`: adds this function to its stack. */
void host_release_slots(HostFunc *f, int first, int end); /* of the frame */
void host_check_pending(HostFunc *f, Loc loc, bool frame);
LLVMValueRef host_site(HostFunc *f, Loc loc);
LLVMValueRef host_text_constant(HostModule *m, const char *bytes, size_t len); /* NUL-terminated */
LLVMValueRef host_string(HostFunc *f, AstBytes text); /* a string literal: borrowed */
LLVMValueRef host_graph(HostModule *m, uint64_t graph);
LLVMValueRef host_native(HostModule *m, const Symbol *func); /* CsNative */
void host_finish_module(HostModule *m, const HostKernel *kernels, int nkernels,
                        LLVMValueRef program);

/* ---- host_func.c ------------------------------------------------------------------------- */

void host_declare_functions(HostModule *m);
const HostFuncInfo *host_func_info(const HostModule *m, const Symbol *sym);
void host_emit_function(HostModule *m, const HostFuncInfo *info);
LLVMValueRef host_emit_program(HostModule *m);
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
bool host_is_local(const HostFunc *f, LLVMValueRef slot); /* of this function, not a caller's */
void host_leave_scope(HostFunc *f, size_t mark);   /* releases and forgets the slots above mark */
void host_release_scope(HostFunc *f, size_t mark); /* the same without forgetting: for jumps */
/* Keeps an owned reference until the end of the statement; returns it. */
LLVMValueRef host_temp(HostFunc *f, LLVMValueRef ref);
/* A temporary whose reference was handed on: its slot is free again. */
void host_untemp(HostFunc *f, LLVMValueRef slot);
void host_release_temps(HostFunc *f, size_t mark);
LLVMValueRef host_load(HostFunc *f, LLVMValueRef from, const Type *type);
void host_store(HostFunc *f, LLVMValueRef to, LLVMValueRef value, const Type *type);

/* ---- host_scan.c: questions about trees --------------------------------------------------- */

void host_scan_functions(HostModule *m); /* which may throw, which parameters they assign */
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

/* ---- host_stmt.c, host_loop.c -------------------------------------------------------------- */

void host_stmt(HostFunc *f, Ast *n);
void host_stmts(HostFunc *f, AstList list);

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

/* ---- host_expr.c ---------------------------------------------------------------------------- */

typedef struct HostRef {
    LLVMValueRef v;
    bool owned; /* the caller must release it or pass it on */
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
/* Evaluates a graph node: as a value of `type`, which may be the array of its function. */
HostRef host_graph_value(HostFunc *f, Ast *n, const Type *type);
/* A functional value applied to scalars. */
HostRef host_apply(HostFunc *f, Ast *n, Ast *fn, AstList args);
/* Several operands in order: none changes a reference that an earlier one gave. */
void host_values(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out);
/* Stores a value as the i-th CsValue of a buffer of n. */
void host_put(HostFunc *f, LLVMValueRef buffer, int n, int i, LLVMValueRef v, const Type *type);
const Type *host_type_of_kind(const HostModule *m, ScalarKind k);

/* ---- host_call.c -------------------------------------------------------------------------------
 */

HostRef host_call(HostFunc *f, Ast *n); /* CALL, MEMBER, NEW; scalars and void too */

/* ---- host_string.c -----------------------------------------------------------------------------
 */

HostRef host_text(HostFunc *f, Ast *n, const AstBytes *format); /* anything printable as a string */
HostRef host_interpolate(HostFunc *f, Ast *n);
HostRef host_concat(HostFunc *f, Ast *n); /* a + b + c */

/* ---- host_ops.c --------------------------------------------------------------------------------
 */

ScalarKind host_promote(ScalarKind a, ScalarKind b); /* C#'s binary promotion */
LLVMValueRef host_convert(HostFunc *f, LLVMValueRef v, ScalarKind from, ScalarKind to);
/* op on operands of kind k (the second of a shift is an i32). */
LLVMValueRef host_operate(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef a, LLVMValueRef b,
                          Loc loc);

/* ---- host_math.c -------------------------------------------------------------------------------
 */

/* The operations of one or two reals of the table that are functions: intrinsics and libm. */
LLVMValueRef host_math(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef host_intrinsic(HostFunc *f, const char *name, LLVMTypeRef *types, int ntypes,
                            LLVMValueRef *args, int nargs);

/* ---- host_array.c, host_place.c
 * ------------------------------------------------------------------ */

typedef struct HostIndex { /* indices of an access: i32 where the type fits, else i64 */
    int rank;
    LLVMValueRef i[HOST_MAX_RANK];
    bool is_signed[HOST_MAX_RANK];
} HostIndex;

const HostFact *host_fact(const HostFunc *f, const Ast *base, bool write);
const HostFact *host_fact_of(const HostFunc *f, const Symbol *sym, bool write);
void host_index(HostFunc *f, AstList args, HostIndex *out);
LLVMValueRef host_array_field(HostFunc *f, LLVMValueRef array, unsigned field, LLVMTypeRef type);
LLVMValueRef host_array_dim(HostFunc *f, LLVMValueRef array, unsigned field, int dim);
/* The address of an element, checked. `data` comes from the array once it may be read. */
LLVMValueRef host_element(HostFunc *f, LLVMValueRef array, const Type *type, const HostIndex *index,
                          Loc loc);
LLVMValueRef host_element_by_fact(HostFunc *f, const HostFact *fact, LLVMValueRef array,
                                  const Type *type, const HostIndex *index, Loc loc);
LLVMValueRef host_array_read(HostFunc *f, LLVMValueRef array, Loc loc); /* its data */
/* i1: its data cannot be used without a call (csrt.h, host_state). */
LLVMValueRef host_array_not_at_hand(HostFunc *f, LLVMValueRef array, bool write);
/* Makes the array of a slot writable; returns it. */
LLVMValueRef host_array_write(HostFunc *f, LLVMValueRef slot, Loc loc);
LLVMValueRef host_array_count(HostFunc *f, LLVMValueRef array, int rank); /* i64 */
HostRef host_read_element(HostFunc *f, Ast *base, AstList args, const Type *elem, Loc loc);
HostRef host_new_array(HostFunc *f, Ast *n);
/* Members of arrays that need no call: Length, GetLength and the like. NULL: it needs one. */
LLVMValueRef host_array_member(HostFunc *f, const char *name, Ast *base, AstList args);

typedef struct HostPlace { /* something that can be assigned */
    const Type *type;
    LLVMValueRef slot;       /* a variable */
    struct HostPlace *array; /* or an element of the array in a place */
    const HostFact *fact;
    HostIndex index;
    Loc loc;
} HostPlace;

HostPlace *host_place(HostFunc *f, Ast *n); /* evaluates indices */
LLVMValueRef host_place_address(HostFunc *f, HostPlace *p);
LLVMValueRef host_place_load(HostFunc *f, HostPlace *p); /* references: borrowed */
/* value is owned by the place from now on. */
void host_place_store(HostFunc *f, HostPlace *p, LLVMValueRef value);
LLVMValueRef host_assign(HostFunc *f, Ast *n); /* ASSIGN, INCDEC; the value of the expression */

/* ---- host_debug.c
 * --------------------------------------------------------------------------------- */

void host_debug_init(HostModule *m);
void host_debug_function(HostFunc *f, Loc loc);
void host_debug_at(HostFunc *f, Loc loc); /* code from here on comes from there */
void host_debug_none(HostModule *m);
void host_debug_variable(HostFunc *f, LLVMValueRef slot, const Symbol *sym, int argument);
void host_debug_finish(HostModule *m);

#endif
