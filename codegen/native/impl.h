/* Shared by the files of codegen/native. A Native is a module under construction, a Fn one of its
 * functions. Values are as the OpenCL printer has them: a bool is an i32, 0 or 1, in lanes 0 or -1;
 * a half is a float; an index is an i64. */
#ifndef CS_CODEGEN_NATIVE_IMPL_H
#define CS_CODEGEN_NATIVE_IMPL_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

#include "../../base/arena.h"
#include "../../base/vec.h"
#include "../kernel/ir/kir.h"
#include "../llvm/op.h"
#include "native.h"

typedef enum VarKind {
    VAR_VALUE,   /* a variable: `at` is its place */
    VAR_LET,     /* a variable that is set where it is declared: `at` is the value */
    VAR_NUMBER,  /* a constant: of a loop that is written out */
    VAR_POINTER, /* elements in storage form begin at `at` */
    VAR_ARRAY    /* values, an array of dims */
} VarKind;

typedef struct Var {
    const char *name;
    VarKind kind;
    KirType type; /* of the value or the elements */
    LLVMValueRef at;
    LLVMMetadataRef
        scope; /* VAR_POINTER of a kernel: memory that others do not write as long as it runs */
    bool
        plane; /* VAR_POINTER: of a buffer of records, which may begin anywhere (runtime/native/guard.h) */
    int64_t number;
    int ndims;
    int64_t dims[3];
    unsigned bucket;
    struct Var *next; /* in its bucket */
} Var;

typedef struct Function { /* of the text, or of math/ */
    const char *name;
    LLVMValueRef fn;
    LLVMTypeRef type;
    const KirFunc *of;
} Function;

typedef struct MathInstance {
    FdOp op;
    KirType type;
    Function function;
} MathInstance;

enum { MAX_LANES = 64 };

struct Native {
    Arena *arena;
    NativeOptions options;
    VEC(NativeModule) parts;
    size_t taken; /* of the parts: native_take has handed them out */
    /* of the last part: */
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, nothing;
    unsigned nontemporal, alias_scope, noalias; /* kinds of metadata */
    LLVMMetadataRef domain, fixed; /* of scopes; that of memory that no kernel writes */
    VEC(MathInstance) math;
    LLVMValueRef limit; /* cs_stack_limit, if loops look at it; else NULL */
    size_t size;        /* native_size, and that of functions around kernels */
    const char **kernels;
    /* while it is being made */
    const CgCode *code;
    const CgPlan *plan;
    CgDevice device;
    VEC(Function) functions;
    bool calls;               /* the kernel at hand, functions of code */
    XXH128_hash_t **contents; /* of code's functions, NULL: not yet known */
};

typedef struct Loop {
    LLVMBasicBlockRef leave, again; /* where `break` and `continue` go */
} Loop;

enum { BUCKETS = 128 };

typedef struct Fn {
    Native *n;
    const KirFunc *of;
    LLVMValueRef fn;
    LLVMBuilderRef b, entry; /* entry: where variables are made */
    LLVMValueRef at;         /* of a kernel: ids and sizes (CsKernelCode) */
    LLVMValueRef stream;     /* of a kernel that stores past the caches: an i1 */
    LLVMBasicBlockRef leave; /* of a kernel: its end */
    LLVMBasicBlockRef fail;  /* where checks that fail go; NULL: there is none so far */
    LLVMValueRef failure[5]; /* what comes there: kind, site, index, lo, n */
    bool exact;              /* reals as they are written: no contraction */
    KirType result;
    const Loop *loop;
    Var *buckets[BUCKETS];
    VEC(Var *) scope;
    VEC(LLVMMetadataRef) alone; /* scopes of buffers that nothing else in the kernel writes */
    struct Name *set[BUCKETS];  /* of the variables that are set behind their declarations */
    size_t array_bytes;         /* of its private arrays */
} Fn;

void native_bug(const char *what, const char *name) __attribute__((noreturn));

/* ---- types (native.c) -------------------------------------------------------------------------- */

LLVMTypeRef native_scalar_type(Native *n, int kind);      /* of a value */
LLVMTypeRef native_storage_type(Native *n, int kind);     /* of an element in memory */
LLVMTypeRef native_type(Native *n, KirType t);            /* of a value in lanes */
unsigned native_lanes(Native *n, int lanes);              /* a number of them */
unsigned native_bytes(Native *n, int kind);               /* of a scalar value */
LLVMTypeRef native_vector(LLVMTypeRef t, unsigned lanes); /* t itself for one lane */
int64_t native_macro(Native *n, const char *name, bool *found);
bool native_is_real(int kind);
bool native_is_signed(int kind);
/* A scope of memory: nodes whose names tell them apart. */
LLVMMetadataRef native_scope(Native *n, const char *name);
/* A function of C that kernels call. */
LLVMValueRef native_extern(Native *n, const char *name, LLVMTypeRef type);

/* ---- functions (func.c) ------------------------------------------------------------------------ */

Function native_function(Native *n, const KirFunc *f, bool exact);
/* `name`: of what the runtime calls. */
void native_kernel(Native *n, const KirFunc *f, const char *name);
Var *fn_declare(Fn *f, VarKind kind, const char *name, KirType type, LLVMValueRef at);
Var *fn_find(Fn *f, const char *name); /* NULL: there is none */
Var *fn_declare_value(Fn *f, const char *name, KirType type,
                      LLVMValueRef v);         /* NULL: not yet set */
bool fn_is_set(const Fn *f, const char *name); /* .. behind its declaration */
LLVMValueRef fn_place(Fn *f, LLVMTypeRef t);
LLVMBasicBlockRef fn_block(Fn *f);
void fn_at(Fn *f, LLVMBasicBlockRef b);      /* what follows goes there */
void fn_go(Fn *f, LLVMBasicBlockRef to);     /* unless the block has ended */
void fn_return(Fn *f, LLVMValueRef v);       /* NULL: nothing */
void fn_statements(Fn *f, const KirStmt *s); /* stmt.c */

/* ---- expressions ------------------------------------------------------------------------------- */

LLVMValueRef fn_value(Fn *f, const KirExpr *e);
/* The same converted as C converts it to another type: widened, or a scalar to all lanes. */
LLVMValueRef fn_value_as(Fn *f, const KirExpr *e, KirType t);
LLVMValueRef fn_truth(Fn *f, const KirExpr *e); /* an i1 */
LLVMValueRef fn_splat(Fn *f, LLVMValueRef v, unsigned lanes);
bool fn_number(Fn *f, const KirExpr *e, int64_t *v); /* is it a constant? */
LLVMValueRef fn_op(Fn *f, const KirExpr *e);         /* op.c */
LLVMValueRef fn_convert(Fn *f, const KirExpr *e);    /* convert.c */
/* Square roots (sqrt.c): of vectors of this type, is there something faster than the instruction? */
bool fn_makes_sqrt(const Fn *f, KirType t);
LLVMValueRef fn_sqrt(Fn *f, KirType t, LLVMValueRef x); /* then it is this, the same bit by bit */
/* Is there such a function, of the text or of the prelude? (call.c) */
bool native_knows(const CgCode *code, const KirExpr *call);
bool native_can(const CgCode *code, const KirStmt *s); /* all of these statements (native.c) */
LLVMValueRef fn_call(Fn *f, const KirExpr *e);         /* call.c */
/* A function of C for values of type `of`, lane by lane. */
LLVMValueRef fn_by_lane(Fn *f, const char *name, LLVMTypeRef of, LLVMValueRef x);
/* Memory (memory.c). */
LLVMValueRef fn_element(Fn *f, const KirExpr *e, KirType *t); /* the place of a KIR_ELEM */
LLVMValueRef fn_load(Fn *f, const KirExpr *e);
LLVMValueRef fn_gather(Fn *f, const KirExpr *e);
LLVMValueRef fn_steps(Fn *f, const KirExpr *e);
void fn_store(Fn *f, const KirStmt *s);
/* The scopes of what writes memory; NULL: of anybody who is not alone with it. */
void fn_writes(Fn *f, LLVMValueRef inst, const Var *v);
/* Masks: an i1 a lane, and back. */
LLVMValueRef fn_bits_of_mask(Fn *f, LLVMValueRef mask);
LLVMValueRef fn_mask_of_bits(Fn *f, LLVMValueRef bits);
LLVMValueRef fn_intrinsic(Fn *f, const char *name, LLVMTypeRef t, unsigned nargs,
                          const LLVMValueRef *args);
LLVMValueRef fn_shuffle(Fn *f, LLVMValueRef x, LLVMValueRef y, unsigned n, const int *lanes);
/* cs_square_.. and cs_put_.. (square.c). */
LLVMValueRef fn_square(Fn *f, const KirExpr *e);
LLVMValueRef fn_put(Fn *f, const KirExpr *e);
/* Where instructions go. What LLVM may do with those on reals, unless they are to be exact: contract a
 * product and a sum; if the graph is [Fast], what -cl-unsafe-math-optimizations allows. */
LlvmAt fn_llvm(const Fn *f);
/* muladd.c: products and sums whose flags allow it become fused operations, and LLVM contracts nothing more. To be
 * called once variables are values. */
void native_muladd(LLVMModuleRef mod);

#endif
