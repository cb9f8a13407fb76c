/* Operations (llvm/op.h): those whose operands are as kernels have them, and functions of reals, which are
 * our own (kernel/math). */
#include "../kernel/math/math.h"
#include "impl.h"

/* ---- integers ---------------------------------------------------------------------------------- */

static LLVMValueRef quotient(Fn *f, const KirExpr *e)
{
    LlvmAt at = fn_llvm(f);
    LLVMValueRef x = fn_value_as(f, e->args[0], e->type), y = fn_value_as(f, e->args[1], e->type);
    bool rest = e->op == FD_OP_REM, sign = native_is_signed(e->type.kind);
    LlvmDivisor by = kir_divides_plainly(e->args[1]) ? LLVM_DIVIDES : LLVM_ANY;
    return llvm_divide(&at, rest, sign, x, y, by);
}

/* ---- reals ------------------------------------------------------------------------------------- */

static LLVMValueRef math(Fn *f, FdOp op, KirType t, unsigned nargs, LLVMValueRef *args)
{
    Native *n = f->n;
    bool precise = n->code->options->precise;
    t.lanes = (int)native_lanes(n, t.lanes);
    t.kind = t.kind == SC_DOUBLE ? SC_DOUBLE : SC_FLOAT;
    for (size_t i = 0; i < n->math.len; i++) {
        const MathInstance *m = &n->math.data[i];
        if (m->op == op && m->type.kind == t.kind && m->type.lanes == t.lanes)
            return LLVMBuildCall2(f->b, m->function.type, m->function.fn, args, nargs, "");
    }
    KirFunc made;
    bool own = math_function(n->arena, op, t, precise, &made) && native_can(n->code, made.body);
    if (!own && nargs == 1) return fn_by_lane(f, fd_op_info(op)->text, n->f64, args[0]);
    if (!own) native_bug("no function for", fd_op_info(op)->text);
    size_t size = n->size;
    MathInstance m = {op, t, native_function(n, &made, true)};
    n->size = size; /* what calls it counts */
    vec_push(&n->math, m);
    return LLVMBuildCall2(f->b, m.function.type, m.function.fn, args, nargs, "");
}

LLVMValueRef fn_by_lane(Fn *f, const char *name, LLVMTypeRef of, LLVMValueRef x)
{
    Native *n = f->n;
    LLVMTypeRef t = LLVMTypeOf(x), type = LLVMFunctionType(of, &of, 1, false);
    LLVMValueRef fn = native_extern(n, name, type);
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMTypeRef one = vector ? LLVMGetElementType(t) : t;
    unsigned lanes = vector ? LLVMGetVectorSize(t) : 1;
    LLVMValueRef all = LLVMGetUndef(t);
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = llvm_int(n->i32, i);
        LLVMValueRef v = vector ? LLVMBuildExtractElement(f->b, x, lane, "") : x;
        if (one != of) v = LLVMBuildFPCast(f->b, v, of, "");
        v = LLVMBuildCall2(f->b, type, fn, &v, 1, "");
        if (one != of) v = LLVMBuildFPCast(f->b, v, one, "");
        if (!vector) return v;
        all = LLVMBuildInsertElement(f->b, all, v, lane, "");
    }
    return all;
}

/* Philox 4x32-10, as the prelude has it: words are the low halves of longs. */
static LLVMValueRef random_number(Fn *f, const KirExpr *e)
{
    LLVMBuilderRef b = f->b;
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    KirType wide = kir_type(SC_LONG, e->type.lanes);
    LLVMTypeRef t = native_type(f->n, wide);
    LLVMValueRef low = llvm_int(t, 0xFFFFFFFF), half = llvm_int(t, 32);
    LLVMValueRef k0 = fn_value_as(f, e->args[0], wide), k1 = LLVMBuildLShr(b, k0, half, ""),
                 x = fn_value_as(f, e->args[1], wide), y = LLVMBuildLShr(b, x, half, ""),
                 z = llvm_int(t, 0), w = z;
    for (int i = 0; i < 10; i++) {
        LLVMValueRef p = LLVMBuildAnd(b, x, low, ""), q = LLVMBuildAnd(b, z, low, "");
        p = LLVMBuildMul(b, p, llvm_int(t, 0xD2511F53), "");
        q = LLVMBuildMul(b, q, llvm_int(t, 0xCD9E8D57), "");
        x = LLVMBuildXor(b, LLVMBuildXor(b, LLVMBuildLShr(b, q, half, ""), y, ""), k0, "");
        z = LLVMBuildXor(b, LLVMBuildXor(b, LLVMBuildLShr(b, p, half, ""), w, ""), k1, "");
        y = q;
        w = p;
        k0 = LLVMBuildAdd(b, k0, llvm_int(t, 0x9E3779B9), "");
        k1 = LLVMBuildAdd(b, k1, llvm_int(t, 0xBB67AE85), "");
    }
    LLVMTypeRef ints = native_vector(f->n->i32, lanes), reals = native_vector(f->n->f32, lanes);
    x = LLVMBuildTrunc(b, LLVMBuildLShr(b, x, llvm_int(t, 8), ""), ints, "");
    x = LLVMBuildSIToFP(b, LLVMBuildAnd(b, x, llvm_int(ints, 0xFFFFFF), ""), reals, "");
    return LLVMBuildFMul(b, x, llvm_real(reals, 0x1p-24), "");
}

LLVMValueRef fn_op(Fn *f, const KirExpr *e)
{
    LlvmAt at = fn_llvm(f);
    bool real = native_is_real(e->type.kind), shifts = fd_op_info(e->op)->rule == FD_RULE_SHIFT;
    if (e->op == FD_OP_RANDOM) return random_number(f, e);
    if (!real && (e->op == FD_OP_DIV || e->op == FD_OP_REM)) return quotient(f, e);
    LLVMValueRef args[3] = {0};
    for (int i = 0; i < e->nargs - shifts; i++) args[i] = fn_value_as(f, e->args[i], e->type);
    if (shifts)
        args[1] = fn_value_as(f, e->args[1], kir_type(e->args[1]->type.kind, e->type.lanes));
    if (e->op == FD_OP_SQRT && fn_makes_sqrt(f, e->type)) return fn_sqrt(f, e->type, args[0]);
    if (real && fd_op_info(e->op)->own) return math(f, e->op, e->type, (unsigned)e->nargs, args);
    if (e->type.kind == SC_BOOL && e->type.lanes == 1 && e->op == FD_OP_BITNOT)
        return LLVMBuildXor(f->b, args[0], llvm_int(f->n->i32, 1), ""); /* 0 or 1 */
    LLVMValueRef v = llvm_operate(&at, e->op, native_is_signed(e->type.kind), args);
    if (!v) native_bug("no code for", fd_op_info(e->op)->text);
    return v;
}
