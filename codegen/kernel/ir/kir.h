/* Kernel IR: what schedules build and the OpenCL printer prints: functions of statements over typed
 * expressions, scalar or vector. It knows nothing of graphs; everything lives in the arena given to
 * the builders.
 *
 * Values: a bool is an int: 0 or 1 as a scalar, 0 or -1 a lane in a vector (a mask). Vectors have
 * 2, 4, 8 or 16 lanes, or KIR_V1, KIR_V2, .. KIR_V16: as many as the device's widest vector has values of
 * 1, 2, .. 16 bytes, the macros V1, V2, .. V16 that a plan defines (text stays the same). Offsets have the kind
 * KIR_IDX: the macro type idx_t, int unless the plan's flag CS_WIDE asks for long.
 */
#ifndef CS_CODEGEN_KIR_H
#define CS_CODEGEN_KIR_H

#include "../../../base/arena.h"
#include "../../../base/scalar.h"
#include "../../../base/text.h"
#include "../../../fdag/ops.h"

/* KirType.lanes that a device chooses; of V1 and V2 more than OpenCL has */
enum { KIR_V1 = -1, KIR_V2 = -2, KIR_V4 = -4, KIR_V8 = -8, KIR_V16 = -16 };
enum { KIR_IDX = SC_COUNT, KIR_RECORD }; /* KirType.kind beyond ScalarKind */

typedef struct KirType {
    int kind;                       /* ScalarKind, KIR_IDX or KIR_RECORD */
    int lanes;                      /* 1, 2, 4, 8, 16, KIR_V1 ..; of a record: its fields' */
    const struct KirRecord *record; /* of a KIR_RECORD */
} KirType;

typedef struct KirRecord { /* a struct of the text; equal records are one pointer */
    const char *name;
    int nfields;
    const KirType *types;
    const char *const *names;
} KirRecord;

typedef enum KirExprKind {
    KIR_CONST, /* value */
    KIR_NAME,  /* a variable, parameter or macro */
    KIR_ELEM,  /* name[args[0]][args[1]].. of a private or local array */
    KIR_LOAD,  /* lanes elements of global buffer `name` at offset args[0]; converts from storage */
    KIR_GATHER,  /* the same, each at args[0] + its lane of args[1] (ints); args[2]: who is used */
    KIR_STEPS,   /* the same, each value.i behind the one before: 2 to 4, or -1 (backwards) */
    KIR_OP,      /* op on args, with the language's meaning (section 8) */
    KIR_CONVERT, /* args[0] to type: the C# cast; equal lanes */
    KIR_BITS,    /* args[0]'s bits as a type of the same width */
    KIR_SPLAT,   /* scalar args[0] in each lane */
    KIR_IOTA,    /* 0, 1, 2, .. of the type */
    KIR_SWIZZLE, /* args[0].name, e.g. "xxzz" */
    KIR_MAKE,    /* the record of args */
    KIR_MEMBER,  /* args[0].name, of a record; value: its number */
    KIR_ARITH,   /* op on args as C has it, for indices: ADD .. REM, comparisons, LAND, LOR */
    KIR_INTRINSIC, /* intrinsic(args), value.i what its spelling calls $n */
    KIR_CALL       /* a function of the text: name(args) */
} KirExprKind;

typedef enum Intrinsic {
#define INTRINSIC(name, nargs, spelling, builder) INTR_##name,
#define OPENCL_ONLY(name, nargs, spelling) INTR_##name,
#include "intrinsics.def"
} Intrinsic;
int intrinsic_arguments(Intrinsic which); /* intrinsics.c */

typedef struct KirExpr {
    KirExprKind kind;
    KirType type;
    ScalarValue value;
    const char *name;
    FdOp op;
    Intrinsic intrinsic;
    int depth; /* of the operations below; 0: none */
    int nargs;
    const struct KirExpr *const *args;
} KirExpr;

typedef enum KirStmtKind {
    KIR_DECL,  /* type name[dims].. = expr (expr may be NULL) */
    KIR_PLANE, /* name: elements of `type` in buffer `of` from byte `expr` on; writable */
    KIR_SET,   /* target = expr */
    KIR_STORE, /* buffer `name` at offset `target` = expr; converts to storage; lanes of expr */
    KIR_FOR,   /* for (idx_t name = lo; name < hi; name += step) body; fully unrolled if unroll */
    KIR_LOOP,  /* for (;; step body `other`) body; fully unrolled if unroll */
    KIR_IF,    /* if (expr) body else other; NULL: body */
    KIR_BREAK,
    KIR_CONTINUE,
    KIR_RETURN, /* expr may be NULL */
    KIR_EVAL,   /* expr for its effect (KIR_CALL, KIR_INTRINSIC) */
    KIR_BARRIER /* local memory */
} KirStmtKind;

typedef struct KirStmt {
    KirStmtKind kind;
    KirType type;
    const char *name, *of;
    bool local, unroll, writable; /* DECL: in local memory; FOR, LOOP; PLANE */
    bool stream;                  /* STORE of vectors: past the caches, where it can */
    bool rare;                    /* FOR: of few turns; to be built as it is */
    int ndims;
    const KirExpr *dims[3]; /* DECL: constant expressions over macros */
    const KirExpr *target, *expr, *lo, *hi, *step;
    struct KirStmt *body, *other, *next;
} KirStmt;

typedef struct KirParam {
    const char *name;
    KirType type;  /* of the value, or of the elements */
    bool buffer;   /* a __global pointer */
    bool planes;   /* a buffer of planes: to bytes, of which KIR_PLANE makes pointers */
    bool writable; /* not const restrict.. */
    bool alone;    /* ..but restrict: memory that is read and written by this name only */
} KirParam;

typedef struct KirFunc {
    const char *name;
    bool kernel;
    int64_t items[3]; /* of a kernel: its groups have so many work-items; 0: any number */
    KirType result;   /* functions */
    int nparams;
    const KirParam *params;
    const KirStmt *body;
} KirFunc;

/* A list of statements under construction. */
typedef struct KirBlock {
    KirStmt *first, *last;
} KirBlock;

KirType kir_type(int kind, int lanes);
/* Bytes of a value in memory, where a record is a struct (and its bools are ints, its halves
 * floats). */
size_t kir_bytes(KirType t);

const KirExpr *kir_const(Arena *a, ScalarKind k, ScalarValue v);
const KirExpr *kir_int(Arena *a, int64_t v); /* an index constant */
const KirExpr *kir_name(Arena *a, KirType t, const char *name);
const KirExpr *kir_elem(Arena *a, KirType t, const char *name, int n, const KirExpr *const *index);
const KirExpr *kir_load(Arena *a, KirType t, const char *buffer, const KirExpr *offset);
/* mask: lanes whose elements are used, of the others any element may be read; NULL: all are. */
const KirExpr *kir_gather(Arena *a, KirType t, const char *buffer, const KirExpr *offset,
                          const KirExpr *each, const KirExpr *mask);
const KirExpr *kir_steps(Arena *a, KirType t, const char *buffer, const KirExpr *offset, int step);
const KirExpr *kir_op(Arena *a, FdOp op, KirType t, int n, const KirExpr *const *args);
const KirExpr *kir_convert(Arena *a, KirType t, const KirExpr *e); /* e itself if it has the type */
const KirExpr *kir_bits(Arena *a, int kind, const KirExpr *e);
const KirExpr *kir_splat(Arena *a, int lanes, const KirExpr *e); /* e itself if it has the lanes */
const KirExpr *kir_lane_count(Arena *a, int lanes);              /* as an index */
const KirExpr *kir_iota(Arena *a, KirType t);
const KirExpr *kir_swizzle(Arena *a, const KirExpr *e, const char *lanes);
const KirExpr *kir_make(Arena *a, KirType record, const KirExpr *const *fields);
const KirExpr *kir_member(Arena *a, const KirExpr *e, int field); /* of a KIR_MAKE: its operand */
/* Index arithmetic; folds constants and 0 + x, 1 * x, 0 * x. */
const KirExpr *kir_arith(Arena *a, FdOp op, const KirExpr *x, const KirExpr *y);
const KirExpr *kir_min(Arena *a, const KirExpr *x, const KirExpr *y); /* of indices */
const KirExpr *kir_max(Arena *a, const KirExpr *x, const KirExpr *y);
const KirExpr *kir_call(Arena *a, KirType t, const char *name, int n, const KirExpr *const *args);
const KirExpr *kir_intrinsic(Arena *a, KirType t, Intrinsic which, const KirExpr *const *args);
/* Lanes of x moved past each other, those of y where there is none: BEFORE .. NEXT (shuffles.c). */
const KirExpr *kir_moved(Arena *a, Intrinsic how, int by, const KirExpr *x, const KirExpr *y);
/* Lanes of n vectors (2 to 4) in turn, as n vectors: x0 y0 z0 x1 y1 z1 .. */
void kir_in_turn(Arena *a, int n, const KirExpr *const *vectors, const KirExpr **out);
const KirExpr *kir_any(Arena *a, const KirExpr *mask); /* a scalar: does some lane hold? */
bool kir_is(const KirExpr *e, Intrinsic which);
bool kir_divides_plainly(const KirExpr *by); /* a constant that is neither 0 nor -1 */

void kir_append(KirBlock *b, KirStmt *s); /* which stands in no other */
KirStmt *kir_decl(Arena *a, KirBlock *b, KirType t, const char *name, const KirExpr *init);
/* A pointer to one plane of a buffer. */
void kir_plane(Arena *a, KirBlock *b, KirType t, const char *name, const char *buffer,
               const KirExpr *offset, bool writable);
/* A private (or local) array of up to three dimensions. */
KirStmt *kir_array(Arena *a, KirBlock *b, KirType t, const char *name, bool local, int ndims,
                   const KirExpr *const *dims);
void kir_set(Arena *a, KirBlock *b, const KirExpr *target, const KirExpr *e);
void kir_store(Arena *a, KirBlock *b, const char *buffer, const KirExpr *offset, const KirExpr *e);
/* The same past the caches. */
void kir_stream(Arena *a, KirBlock *b, const char *buffer, const KirExpr *offset, const KirExpr *e);
/* The caller fills *body, then calls kir_for; kir_if takes two filled blocks (other may be NULL).
 */
void kir_for(Arena *a, KirBlock *b, const char *var, const KirExpr *lo, const KirExpr *hi,
             const KirExpr *step, bool unroll, KirBlock body);
void kir_loop(Arena *a, KirBlock *b, KirBlock body, KirBlock step, bool unroll);
void kir_if(Arena *a, KirBlock *b, const KirExpr *cond, KirBlock then, const KirBlock *other);
void kir_simple(Arena *a, KirBlock *b, KirStmtKind kind); /* BREAK CONTINUE BARRIER */
void kir_return(Arena *a, KirBlock *b, const KirExpr *e);
void kir_eval(Arena *a, KirBlock *b, const KirExpr *call);

/* Statements for each of the values 0 .. count - 1 of the index `var`, side by side (interleave.c).
 * False, and nothing has changed, where copies would take different branches. */
bool kir_interleave(Arena *a, KirBlock *b, const char *var, int count);
/* What a function does, whatever the names of what it declares, as bytes (content.c): functions with the same
 * bytes do the same. `tell` adds what stands behind the name of something that is declared elsewhere; or NULL. */
typedef void KirTell(void *ctx, Text *to, const char *name);
void kir_content(Text *to, const KirFunc *f, KirTell *tell, void *ctx);
bool kir_has_loop(const KirStmt *s); /* a KIR_LOOP, here or inside */

/* OpenCL C (opencl.c). */
/* Adds the name of our own function (math/) that computes an operation; false: none does. */
bool opencl_own(Text *out, FdOp op, KirType t);
void opencl_print_record(Text *out, const KirRecord *r);
void opencl_print(Text *out, const KirFunc *f);

#endif
