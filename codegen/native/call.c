/* Calls: functions of the text, and the intrinsics (kernel/ir/intrinsics.def). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static LLVMValueRef pick(Fn *f, LLVMValueRef cond, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(f->b, cond, x, y, "");
}

/* ---- where the work-item is -------------------------------------------------------------------- */

static LLVMValueRef number_at(Fn *f, const KirExpr *e, int64_t first)
{
    int64_t d = 0;
    fn_number(f, e->args[0], &d);
    LLVMValueRef index = llvm_int(f->n->i64, first + d);
    LLVMValueRef place = LLVMBuildGEP2(f->b, f->n->i64, f->at, &index, 1, "");
    return LLVMBuildLoad2(f->b, f->n->i64, place, "");
}

static LLVMValueRef global_id(Fn *f, const KirExpr *e)
{
    return number_at(f, e, 0);
}

static LLVMValueRef global_size(Fn *f, const KirExpr *e)
{
    return number_at(f, e, 3);
}

static LLVMValueRef local_id(Fn *f, const KirExpr *e)
{
    (void)e;
    return llvm_int(f->n->i64, 0);
}

/* ---- errors ------------------------------------------------------------------------------------ */

/* Reports to the error buffer: the runtime does. error, kind, site, index, lo, n */
static void report(Fn *f, LLVMValueRef error, LLVMValueRef kind, LLVMValueRef site,
                   LLVMValueRef index, LLVMValueRef lo, LLVMValueRef n)
{
    Native *m = f->n;
    LLVMTypeRef params[] = {m->ptr, m->i64, m->i64, m->i64, m->i64, m->i64},
                type = LLVMFunctionType(m->nothing, params, 6, false);
    LLVMValueRef args[] = {error, kind, site, index, lo, n};
    LLVMValueRef to = native_extern(m, "cs_kernel_fail", type);
    unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
    LLVMAddAttributeAtIndex(to, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(m->ctx, cold, 0));
    fn_writes(f, LLVMBuildCall2(f->b, type, to, args, 6, ""), NULL);
}

static LLVMValueRef call_fail(Fn *f, const KirExpr *e)
{
    LLVMValueRef x[6];
    x[0] = fn_value(f, e->args[0]);
    for (int i = 1; i < 6; i++) x[i] = fn_value_as(f, e->args[i], idx);
    report(f, x[0], x[1], x[2], x[3], x[4], x[5]);
    return llvm_int(f->n->i32, 0);
}

/* One block of a function reports for all of its checks: each has but numbers to set. */
static LLVMBasicBlockRef failing(Fn *f, LLVMValueRef error)
{
    if (f->fail) return f->fail;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    fn_at(f, f->fail = fn_block(f));
    for (int i = 0; i < 5; i++) f->failure[i] = LLVMBuildPhi(f->b, f->n->i64, "");
    const LLVMValueRef *x = f->failure;
    report(f, error, x[0], x[1], x[2], x[3], x[4]);
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    fn_return(f, result == f->n->nothing ? NULL : LLVMConstNull(result));
    fn_at(f, here);
    return f->fail;
}

/* Goes on only where `good`: else reports, and the function ends. Nobody looks at what an evaluation
 * that failed has made, and what follows may rely on what was checked: LLVM leaves out further
 * checks of the same. */
static void demand(Fn *f, LLVMValueRef good, LLVMValueRef error, CgErrorKind kind,
                   LLVMValueRef site_index_lo_n[4])
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b), after = fn_block(f);
    LLVMBuildCondBr(f->b, good, after, failing(f, error));
    LLVMValueRef number = llvm_int(f->n->i64, kind);
    LLVMAddIncoming(f->failure[0], &number, &here, 1);
    for (int i = 1; i < 5; i++) LLVMAddIncoming(f->failure[i], &site_index_lo_n[i - 1], &here, 1);
    fn_at(f, after);
}

/* An index counted from 0. */
static LLVMValueRef inside(Fn *f, const KirExpr *e)
{
    LLVMValueRef index = fn_value_as(f, e->args[0], idx), lo = fn_value_as(f, e->args[1], idx),
                 len = fn_value_as(f, e->args[2], idx), error = fn_value(f, e->args[3]),
                 site = fn_value_as(f, e->args[4], idx);
    LLVMValueRef at = LLVMBuildSub(f->b, index, lo, "");
    LLVMValueRef good = LLVMBuildICmp(f->b, LLVMIntULT, at, len, ""); /* below 0 is far above */
    demand(f, good, error, CG_ERR_INDEX, (LLVMValueRef[]){site, index, lo, len});
    return at;
}

static LLVMValueRef checked_division(Fn *f, const KirExpr *e)
{
    bool rest = e->intrinsic == INTR_CHECKED_REM;
    LLVMValueRef x = fn_value_as(f, e->args[0], e->type), y = fn_value_as(f, e->args[1], e->type),
                 error = fn_value(f, e->args[2]), site = fn_value_as(f, e->args[3], idx);
    LLVMValueRef some = LLVMBuildICmp(f->b, LLVMIntNE, y, LLVMConstNull(LLVMTypeOf(y)), ""),
                 zero = llvm_int(f->n->i64, 0);
    demand(f, some, error, CG_ERR_DIVIDE, (LLVMValueRef[]){site, zero, zero, zero});
    LlvmAt at = fn_llvm(f);
    return llvm_divide(&at, rest, native_is_signed(e->type.kind), x, y, LLVM_WRAPS);
}

static LLVMValueRef note(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    fn_writes(f,
              LLVMBuildAtomicCmpXchg(f->b, fn_value(f, e->args[0]), llvm_int(n->i32, 0),
                                     llvm_int(n->i32, CG_ERR_NOTED), LLVMAtomicOrderingMonotonic,
                                     LLVMAtomicOrderingMonotonic, false),
              NULL);
    return llvm_int(n->i32, 0);
}

/* Is an index (counted from 0) above the last one, or negative: a large number? */
static LLVMValueRef beyond(Fn *f, const KirExpr *e)
{
    LLVMValueRef at = fn_value_as(f, e->args[0], idx), last = fn_value_as(f, e->args[1], idx);
    return fn_mask_of_bits(f, LLVMBuildICmp(f->b, LLVMIntUGT, at, last, ""));
}

static LLVMValueRef within(Fn *f, const KirExpr *e)
{
    LLVMValueRef at = fn_value_as(f, e->args[0], idx), last = fn_value_as(f, e->args[1], idx);
    return pick(f, LLVMBuildICmp(f->b, LLVMIntULT, at, last, ""), at, last);
}

/* The same in lanes. */
static LLVMValueRef beyonds(Fn *f, const KirExpr *e)
{
    LLVMValueRef at = fn_value(f, e->args[0]), last = fn_value(f, e->args[1]);
    return fn_mask_of_bits(f, LLVMBuildICmp(f->b, LLVMIntUGT, at, last, ""));
}

static LLVMValueRef withins(Fn *f, const KirExpr *e)
{
    LLVMValueRef at = fn_value(f, e->args[0]), last = fn_value(f, e->args[1]);
    return pick(f, LLVMBuildICmp(f->b, LLVMIntULT, last, at, ""), last, at);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static LLVMValueRef index_extreme(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value_as(f, e->args[0], idx), y = fn_value_as(f, e->args[1], idx);
    LLVMIntPredicate order = e->intrinsic == INTR_MIN ? LLVMIntSLT : LLVMIntSGT;
    return pick(f, LLVMBuildICmp(f->b, order, x, y, ""), x, y);
}

/* Where line i of a ring is, of n lines, a power of two. */
static LLVMValueRef in_ring(Fn *f, const KirExpr *e)
{
    LLVMValueRef i = fn_value_as(f, e->args[0], idx), n = fn_value_as(f, e->args[1], idx);
    LLVMValueRef mask = LLVMBuildSub(f->b, n, llvm_int(f->n->i64, 1), "");
    return LLVMBuildAnd(f->b, i, mask, "");
}

/* How far an element is behind a whole vector of n, if this run streams. */
static LLVMValueRef skew(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    Var *v = fn_find(f, e->args[0]->name);
    LLVMValueRef at = fn_value_as(f, e->args[1], idx), lanes = fn_value_as(f, e->args[2], idx),
                 zero = llvm_int(n->i64, 0);
    if (!v || v->kind != VAR_POINTER || !f->stream) return zero;
    LLVMTypeRef t = native_storage_type(n, v->type.kind);
    int64_t size = (int64_t)(v->type.kind == KIR_IDX ? 8 : scalar_bytes((ScalarKind)v->type.kind));
    LLVMValueRef place = LLVMBuildGEP2(f->b, t, v->at, &at, 1, "");
    place = LLVMBuildPtrToInt(f->b, place, n->i64, "");
    place = LLVMBuildUDiv(f->b, place, llvm_int(n->i64, size), "");
    LLVMValueRef mask = LLVMBuildSub(f->b, lanes, llvm_int(n->i64, 1), "");
    return pick(f, f->stream, LLVMBuildAnd(f->b, place, mask, ""), zero);
}

static LLVMValueRef fma_of(Fn *f, const KirExpr *e)
{
    LLVMValueRef args[3];
    for (int i = 0; i < 3; i++) args[i] = fn_value_as(f, e->args[i], e->type);
    return fn_intrinsic(f, "llvm.fma", native_type(f->n, e->type), 3, args);
}

static LLVMValueRef any(Fn *f, const KirExpr *e)
{
    LLVMValueRef bits = fn_bits_of_mask(f, fn_value(f, e->args[0]));
    LLVMTypeRef t = LLVMTypeOf(bits);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        bits = fn_intrinsic(f, "llvm.vector.reduce.or", t, 1, &bits);
    return LLVMBuildZExt(f->b, bits, f->n->i32, "");
}

static LLVMValueRef finite(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]);
    LLVMTypeRef t = LLVMTypeOf(x);
    x = fn_intrinsic(f, "llvm.fabs", t, 1, &x);
    LLVMValueRef bits = LLVMBuildFCmp(f->b, LLVMRealOLT, x, llvm_real(t, __builtin_inf()), "");
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        bits = fn_intrinsic(f, "llvm.vector.reduce.and", LLVMTypeOf(bits), 1, &bits);
    return LLVMBuildZExt(f->b, bits, f->n->i32, "");
}

static LLVMValueRef likely(Fn *f, const KirExpr *e)
{
    LLVMValueRef args[] = {LLVMBuildZExt(f->b, fn_truth(f, e->args[0]), f->n->i32, ""),
                           llvm_int(f->n->i32, 1)};
    return fn_intrinsic(f, "llvm.expect", f->n->i32, 2, args);
}

/* ---- lanes among each other -------------------------------------------------------------------- */

/* In scans a vector has parts of 128 bits: of so many lanes. */
static unsigned part_of(const KirExpr *e, unsigned lanes)
{
    unsigned part = e->args[0]->type.lanes == KIR_V8 ? 2 : 4;
    return part < lanes ? part : lanes;
}

/* One or two places inside parts; where there is nothing, those of y. */
static LLVMValueRef moved_inside(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]), y = fn_value_as(f, e->args[1], e->args[0]->type);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x)), part = part_of(e, n);
    unsigned by = (unsigned)e->value.i;
    bool before = e->intrinsic == INTR_BEFORE;
    int lanes[MAX_LANES];
    if (by >= part) return y;
    for (unsigned i = 0; i < n; i++) {
        unsigned in = i % part;
        bool there = before ? in >= by : in + by < part;
        unsigned free = before ? in : in + by - part; /* the how manieth that is not there */
        lanes[i] = (int)(there ? (before ? i - by : i + by) : n + free);
    }
    return fn_shuffle(f, x, y, n, lanes);
}

/* The same vector, of which LLVM does not know what it is made of. */
static LLVMValueRef opaque(Fn *f, LLVMValueRef v)
{
    static char same[] = "", where[] = "=x,0";
    LLVMTypeRef t = LLVMTypeOf(v), type = LLVMFunctionType(t, &t, 1, false);
    LLVMValueRef code = LLVMGetInlineAsm(type, same, 0, where, strlen(where), false, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(f->b, type, code, &v, 1, "");
}

/* The last lane of the k-th part before (first, after) to all lanes of a part. Of two parts first to all lanes:
 * LLVM would put those of one part into whatever register is at hand and clear the other part, so that it waits
 * for that register, in a scan for the element before. */
static LLVMValueRef moved_parts(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]), y = fn_value_as(f, e->args[1], e->args[0]->type);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x)), part = part_of(e, n), parts = n / part;
    unsigned by = (unsigned)e->value.i;
    bool before = e->intrinsic == INTR_PART;
    int lanes[MAX_LANES], all[MAX_LANES];
    if (by >= parts) return y;
    for (unsigned i = 0; i < n; i++) {
        unsigned p = i / part;
        bool there = before ? p >= by : p + by < parts;
        unsigned from = before ? (p - by) * part + part - 1 : (p + by) * part;
        all[i] = (int)(before ? part - 1 : part);
        lanes[i] = (int)(!there ? n + i % part : parts == 2 ? i : from);
    }
    if (parts == 2) x = fn_shuffle(f, x, NULL, n, all);
    bool is_register =
        n * native_bytes(f->n, e->args[0]->type.kind) == (unsigned)f->n->device.vector_bytes;
    if (parts == 2 && is_register) x = opaque(f, x);
    return fn_shuffle(f, x, y, n, lanes);
}

static LLVMValueRef end_lane(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]);
    bool last = e->intrinsic == INTR_LAST;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    return LLVMBuildExtractElement(f->b, x, llvm_int(f->n->i32, last ? n - 1 : 0), "");
}

/* Lanes of the low, or of the high, halves of two vectors in turn. */
static LLVMValueRef halves(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]), y = fn_value(f, e->args[1]);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    unsigned first = e->intrinsic == INTR_HIGH ? n / 2 : 0;
    int lanes[MAX_LANES];
    for (unsigned i = 0; i < n; i++) lanes[i] = (int)(first + i / 2 + i % 2 * n);
    return fn_shuffle(f, x, y, n, lanes);
}

/* One of the three vectors that the lanes of three in turn come to. */
static LLVMValueRef third(Fn *f, const KirExpr *e)
{
    LLVMValueRef v[3];
    for (int i = 0; i < 3; i++) v[i] = fn_value(f, e->args[i]);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(v[0]));
    int two[MAX_LANES], all[MAX_LANES];
    for (unsigned i = 0; i < n; i++) {
        unsigned at = (unsigned)e->value.i * n + i, of = at % 3;
        two[i] = (int)(of == 2 ? i : of * n + at / 3); /* whichever: it is replaced */
        all[i] = (int)(of == 2 ? n + at / 3 : i);
    }
    return fn_shuffle(f, fn_shuffle(f, v[0], v[1], n, two), v[2], n, all);
}

static LLVMValueRef turned(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    int lanes[MAX_LANES];
    for (unsigned i = 0; i < n; i++) lanes[i] = (int)(n - 1 - i);
    return fn_shuffle(f, x, NULL, n, lanes);
}

/* By one lane, with a new first one. */
static LLVMValueRef moved(Fn *f, const KirExpr *e)
{
    LLVMValueRef x = fn_value(f, e->args[0]);
    KirType one = kir_type(e->args[0]->type.kind, 1);
    LLVMValueRef y = fn_value_as(f, e->args[1], one);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    int lanes[MAX_LANES] = {0};
    for (unsigned i = 1; i < n; i++) lanes[i] = (int)i - 1;
    x = fn_shuffle(f, x, NULL, n, lanes);
    return LLVMBuildInsertElement(f->b, x, y, llvm_int(f->n->i32, 0), "");
}

/* ---- which ------------------------------------------------------------------------------------- */

/* Large angles: the runtime's, lane by lane. */
static LLVMValueRef far_angle(Fn *f, const KirExpr *e)
{
    bool wide = e->type.kind == SC_DOUBLE;
    char name[64];
    snprintf(name, sizeof name, "cs_kernel_%s_%s",
             e->intrinsic == INTR_FAR_HIGH ? "far_high" : "far_low", wide ? "double" : "float");
    return fn_by_lane(f, name, wide ? f->n->f64 : f->n->f32, fn_value(f, e->args[0]));
}

static LLVMValueRef noted(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    LLVMValueRef kind = LLVMBuildLoad2(f->b, n->i32, fn_value(f, e->args[0]), "");
    LLVMSetAlignment(kind, 4);
    LLVMSetOrdering(kind, LLVMAtomicOrderingMonotonic);
    LLVMValueRef is = llvm_int(n->i32, CG_ERR_NOTED);
    return fn_mask_of_bits(f, LLVMBuildICmp(f->b, LLVMIntEQ, kind, is, ""));
}

/* Asks for what is at an index of a buffer, to read or to write it: into L1, or (far) L2. */
static LLVMValueRef ahead(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    bool give = e->intrinsic == INTR_AHEAD_GIVE, far = e->intrinsic == INTR_AHEAD_FAR;
    Var *v = fn_find(f, e->args[0]->name);
    if (!v || (v->kind != VAR_POINTER && v->kind != VAR_ARRAY))
        native_bug("no memory is", e->args[0]->name);
    LLVMTypeRef t =
        v->type.kind == KIR_RECORD ? native_type(n, v->type) : native_storage_type(n, v->type.kind);
    LLVMValueRef at = fn_value_as(f, e->args[1], idx);
    LLVMValueRef args[] = {LLVMBuildGEP2(f->b, t, v->at, &at, 1, ""), llvm_int(n->i32, give),
                           llvm_int(n->i32, far ? 2 : 3), llvm_int(n->i32, 1)};
    fn_writes(f, fn_intrinsic(f, "llvm.prefetch", n->ptr, 4, args), NULL);
    return llvm_int(n->i32, 0);
}

/* Elements of a local array, each lane's its own: of vectors, or of one for all lanes. */
static LLVMValueRef pick_elements(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    Var *v = fn_find(f, e->args[0]->name);
    if (!v || v->kind != VAR_ARRAY) native_bug("no array is", e->args[0]->name);
    LLVMTypeRef t = native_scalar_type(n, v->type.kind);
    LLVMValueRef each = fn_value(f, e->args[1]);
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(each)), own = native_lanes(n, v->type.lanes);
    LLVMValueRef all = LLVMGetUndef(LLVMVectorType(t, lanes));
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = llvm_int(n->i32, i);
        LLVMValueRef at = LLVMBuildExtractElement(f->b, each, lane, "");
        at = LLVMBuildSExt(f->b, at, n->i64, "");
        at = LLVMBuildMul(f->b, at, llvm_int(n->i64, own), "");
        if (own > 1) at = LLVMBuildAdd(f->b, at, llvm_int(n->i64, i), "");
        LLVMValueRef x = LLVMBuildGEP2(f->b, t, v->at, &at, 1, "");
        x = LLVMBuildLoad2(f->b, t, x, "");
        all = LLVMBuildInsertElement(f->b, all, x, lane, "");
    }
    return all;
}

static LLVMValueRef text_function(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    const Function *to = NULL;
    for (size_t i = 0; i < n->functions.len && !to; i++)
        if (strcmp(n->functions.data[i].name, e->name) == 0) to = &n->functions.data[i];
    if (!to) native_bug("no function is called", e->name);
    LLVMValueRef *args = arena_array(n->arena, LLVMValueRef, e->nargs + 1);
    for (int i = 0; i < e->nargs; i++) {
        const KirParam *p = &to->of->params[i];
        args[i] = p->buffer ? fn_value(f, e->args[i]) : fn_value_as(f, e->args[i], p->type);
    }
    return LLVMBuildCall2(f->b, to->type, to->fn, args, (unsigned)e->nargs, "");
}

typedef LLVMValueRef Builder(Fn *f, const KirExpr *e);

/* A builder that is missing is an error of the build. */
static Builder *const builders[] = {
#define INTRINSIC(name, nargs, spelling, builder) builder,
#define OPENCL_ONLY(name, nargs, spelling) NULL,
#include "../kernel/ir/intrinsics.def"
};

bool native_knows(const CgCode *code, const KirExpr *call)
{
    if (call->kind == KIR_INTRINSIC) return builders[call->intrinsic] != NULL;
    for (int i = 0; i < code->nfuncs; i++)
        if (!code->funcs[i].kernel && strcmp(code->funcs[i].name, call->name) == 0) return true;
    return false;
}

LLVMValueRef fn_call(Fn *f, const KirExpr *e)
{
    return e->kind == KIR_INTRINSIC ? builders[e->intrinsic](f, e) : text_function(f, e);
}
