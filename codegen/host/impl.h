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
#include "../llvm/objects.h"
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

typedef struct HostClass {     /* Class.host */
    LLVMTypeRef type;          /* an object with its head, or a record as it is stored */
    LLVMValueRef descriptor;   /* CsClass; NULL: a record */
    int record;                /* index in CsProgram.records */
    struct HostClass *program; /* of a unit: what the program's module has */
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
    bool recurs; /* it may call itself: it looks at the stack */
    bool yields; /* it is a coroutine: not on the stack, so that who resumes it looks there */
    bool unit;   /* its code is in a module of its own */
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
    char abi_letters[ABI_COUNT][16]; /* what abi.c found of each */
    LLVMValueRef pending;            /* cs_pending */
    LLVMValueRef stack_limit;        /* cs_stack_limit */
    LLVMValueRef most_short;         /* cs_short */
    LLVMValueRef release;            /* releases slots of a frame */
    LLVMTypeRef release_type;
    const char **exported; /* names of SemaResult.exports */
    LLVMValueRef *graphs;  /* CsGraph of each SemaGraph */
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

    Class **classes;            /* those of sema; of a unit by name, whatever else a program has */
    struct HostModule *unit_of; /* the program's module; NULL: this is it */
    LLVMValueRef *statics;      /* of a unit: the static fields in the program's module */

    KeptName name;      /* of the object in the disk cache */
    const char *object; /* what was kept: no passes are run; NULL: it is to be made */
    size_t size;

    LLVMDIBuilderRef di; /* NULL without -g */
    LLVMMetadataRef di_unit, di_file, di_func_type;
};

typedef struct HostLoop {                    /* what break and continue leave */
    LLVMBasicBlockRef on_break, on_continue; /* on_continue NULL: a switch */
    size_t scope;                            /* named slots outside it */
    struct HostRegion *region;
    struct HostLoop *outer;
    const LLVMBasicBlockRef *sections; /* of a switch, for goto */
} HostLoop;

/* What is known of an array variable within a loop that was entered with its elements at hand: the
 * domain begins at 0, extents fit 31 bits, and nothing in the loop changes that. */
enum { HOST_MAX_KNOWN = 2 };

typedef struct HostFact {
    const Symbol *sym;
    bool write;
    /* variables that the loop leaves alone, which were found inside of this dimension in front of it */
    const Symbol *known[CS_MAX_RANK][HOST_MAX_KNOWN];
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

typedef struct HostLast HostLast;
typedef struct HostCoroutine HostCoroutine;

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
    HostLast *last; /* of the block whose statement is being made */
    HostFacts facts;
    bool versioned;           /* inside a loop that was made in two versions, or never to do so */
    HostCoroutine *coroutine; /* of a function with yield; else NULL */
    LLVMMetadataRef di_scope;
} HostFunc;

/* An internal error: sema and this part disagree. */
_Noreturn void host_bug(const HostModule *m, const Ast *n, const char *what);

/* ---- host.c ------------------------------------------------------------------------ */

/* An empty module in a context of its own, whose arena, options and target are there; what belongs to it
 * besides its LLVM module and context. */
void host_open(HostModule *m, const char *name);
void host_close(HostModule *m);
void host_verify(const HostModule *m);
/* The passes of a unit, on any thread. */
void host_optimise_unit(LLVMModuleRef mod, LLVMTargetMachineRef target);

/* ---- unit.c ------------------------------------------------------------------------ */

/* Is a function of so many nodes, with loops nested so deep, a unit? */
bool host_is_unit(const HostModule *m, const Symbol *sym, int nodes, int loops);
/* All units, before the program's own functions are made. */
void host_make_units(HostModule *m);
/* Makes a symbol of the program's module visible to units. */
void host_show(LLVMValueRef v);
void host_forget_locals(Ast *body);

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
/* Of its result, then its parameters, a letter each: v i32 l (i64) f d p. */
const char *host_abi_signature(HostModule *m, AbiId id);
bool host_abi_throws(AbiId id);
bool host_abi_takes_site(AbiId id); /* as its last argument */
/* Calls a function of the runtime; one that throws gets the site of loc and the check. */
LLVMValueRef host_call_runtime(HostFunc *f, AbiId id, const LLVMValueRef *args, int n, Loc loc);
/* The same of one that changes the array in the slot that is its first argument. */
LLVMValueRef host_call_on_slot(HostFunc *f, AbiId id, LLVMValueRef *args, int n, Loc loc);
/* After a call: leaves if an exception is pending. `frame`: adds this function to its stack. */
void host_release_slots(HostFunc *f, int first, int end); /* of the frame */
void host_check_pending(HostFunc *f, Loc loc, bool frame);
/* Goes on where an exception is pending, to which loc is added; the block where none is. */
LLVMBasicBlockRef host_if_pending(HostFunc *f, Loc loc);
LLVMValueRef host_string(HostFunc *f, AstBytes text); /* a string literal: borrowed */
LLVMValueRef host_constant_text(HostFunc *f,
                                const Symbol *constant); /* the same of a constant; null */
LLVMValueRef host_graph(HostModule *m, uint64_t graph);
LLVMValueRef host_constant(HostModule *m, const char *name, LLVMTypeRef type, LLVMValueRef init,
                           bool writable);
/* Tables of a kernel's native forms (native.c); the forms themselves into the module, if they are to be
 * linked. */
LLVMValueRef host_code(HostModule *m, const HostKernel *k, int *count);
void host_link_native(HostModule *m);
/* A structure of layouts.def, from all its members. */
LLVMValueRef host_struct(const HostModule *m, HostStruct which, LLVMValueRef *members);
LLVMValueRef host_table(HostModule *m, const char *name, LLVMTypeRef elem, LLVMValueRef *items,
                        unsigned n); /* null if it is empty */
LLVMValueRef host_c_string(HostModule *m, const char *s);
void host_finish_module(HostModule *m, const HostKernel *kernels, int nkernels,
                        LLVMValueRef program);

/* ---- library/export.c ---------------------------------------------------------------- */

/* What a library has instead of main; program makes its static fields. */
void host_emit_library(HostModule *m, LLVMValueRef description, LLVMValueRef program);

/* ---- session.c ---------------------------------------------------------------------------- */

/* Numbers that are the same in all objects of a session: of a record, of an interface's method. */
int host_record_number(HostModule *m, const Class *c);
int64_t host_selector(const HostModule *m, const Symbol *method);
/* The variables that the statements of an entry declare and use, before code is made for them. */
void host_session_declare(HostModule *m, AstList stmts);
/* Where a variable of the session lives; NULL: it is none. */
LLVMValueRef host_session_variable(HostFunc *f, const Symbol *sym);
/* Around what makes a static field, which one of the objects does: gives where to go on. */
LLVMBasicBlockRef host_session_once(HostFunc *f, const Symbol *field);
void host_session_made(HostFunc *f, const Symbol *field, LLVMBasicBlockRef next);
void host_emit_entry(HostModule *m, LLVMValueRef description, LLVMValueRef program);

/* ---- func.c ------------------------------------------------------------------------- */

void host_declare_functions(HostModule *m);
const HostFuncInfo *host_find_func(const HostModule *m, const Symbol *sym); /* NULL: unused */
const HostFuncInfo *host_func_info(const HostModule *m, const Symbol *sym);
void host_emit_function(HostModule *m, const HostFuncInfo *info);
LLVMValueRef host_emit_program(HostModule *m);
void host_return(HostFunc *f, Ast *n);
/* A function of the module's own, ready to be filled at its first block. */
LLVMValueRef host_add_function(HostModule *m, const char *name, LLVMTypeRef type);

/* ---- frame.c ------------------------------------------------------------------------ */

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
LLVMValueRef host_frame_slot(HostFunc *f, const char *name); /* owns a reference; of no scope */
LLVMValueRef host_slot(HostFunc *f, const char *name);       /* the same, released with the scope */
bool host_in_scope(const HostFunc *f, LLVMValueRef slot);
void host_release_slot(HostFunc *f, LLVMValueRef slot);   /* it owns nothing from here on */
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
/* A variable or `this`, or a field of one. */
bool host_is_chain(const Ast *n);
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
    bool unit;         /* is a module of its own */
    bool light;        /* gets few passes */
} HostEffort;

void host_measure(HostModule *m); /* sets m->efforts and m->monstrous */
bool host_effort_unit(const HostModule *m, const Symbol *sym);
void host_lighten(HostFunc *f);  /* before the function's code is made: if it is light, says so */
void host_freeze(HostModule *m); /* light functions get no passes from now on */

/* ---- try.c ----------------------------------------------------------------------------------- */

void host_emit_landings(HostFunc *f, HostRegion *r, LLVMBasicBlockRef handler);
/* Jumps to a block of region `outer`, whose scope is `scope`, through what is `finally` between. */
void host_jump_out(HostFunc *f, LLVMBasicBlockRef to, HostRegion *outer, size_t scope);
bool host_has_finally(const HostFunc *f); /* around the code being made */
void host_try(HostFunc *f, Ast *n);
void host_throw(HostFunc *f, Ast *n);
void host_raise(HostFunc *f, Ast *n); /* in an expression, whose temporaries stay */
void host_switch(HostFunc *f, Ast *n);

/* ---- yield.c --------------------------------------------------------------------------------- */

/* Before anything else of the function; behind all of it but `failed`. */
void host_coroutine_begin(HostFunc *f, Loc loc);
void host_coroutine_finish(HostFunc *f);
void host_coroutine_return(HostFunc *f);
LLVMValueRef host_coroutine_object(HostFunc *f); /* owned by who asks */
void host_yield(HostFunc *f);
bool host_has_coroutines(LLVMModuleRef mod);

/* ---- stmt.c, loop.c -------------------------------------------------------------- */

void host_stmt(HostFunc *f, Ast *n);
void host_stmts(HostFunc *f, AstList list);
void host_together(HostFunc *f, Ast *n); /* together.c */
void host_put_stmt(HostFunc *f, Ast *n); /* put.c */
/* last.c: which statement of a block has the last use of each of its variables; behind it that is
 * released. */
HostLast *host_last_uses(HostFunc *f, AstList list);
/* A statement is being made; gives what was before, for its end. */
HostLast *host_last_begin(HostFunc *f, HostLast *l, int statement);
void host_last_end(HostFunc *f, HostLast *around);
/* n has read all that it reads, but for the variable that it writes. If it is all of a statement, what has its last use
 * in that is released. */
void host_last_read(HostFunc *f, const Ast *n, const Symbol *written);
void host_last_free(HostLast *l);

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

/* ---- debug.c --------------------------------------------------------------------------------- */

void host_debug_init(HostModule *m);
void host_debug_function(HostFunc *f, Loc loc);
void host_debug_at(HostFunc *f, Loc loc); /* code from here on comes from there */
void host_debug_none(HostModule *m);
void host_debug_variable(HostFunc *f, LLVMValueRef slot, const Symbol *sym, int argument);
void host_debug_finish(HostModule *m);

#endif
