/* Operations of the language (section 8): integers wrap, shifts are masked, functions of reals are
 * our own (kernel/math) or C's. */
#include <string.h>

#include "../kernel/math/math.h"
#include "impl.h"

/* ---- integers ---------------------------------------------------------------------------------- */

/* x / 0 and x % 0 are 0 (and reported by who asks); MIN / -1 wraps. */
LLVMValueRef fn_divide(Fn *f, bool rest, int kind, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef zero = native_int(t, 0), one = native_int(t, 1), minus = native_int(t, -1);
    bool sign = native_is_signed(kind);
    LLVMValueRef none = LLVMBuildICmp(f->b, LLVMIntEQ, y, zero, ""), turns = NULL, odd = none;
    if (sign) {
        turns = LLVMBuildICmp(f->b, LLVMIntEQ, y, minus, "");
        odd = LLVMBuildOr(f->b, none, turns, "");
    }
    LLVMValueRef by = LLVMBuildSelect(f->b, odd, one, y, "");
    if (rest) { /* by 1 it is 0 */
        return sign ? LLVMBuildSRem(f->b, x, by, "") : LLVMBuildURem(f->b, x, by, "");
    }
    LLVMValueRef q = sign ? LLVMBuildSDiv(f->b, x, by, "") : LLVMBuildUDiv(f->b, x, by, "");
    if (sign) q = LLVMBuildSelect(f->b, turns, LLVMBuildNeg(f->b, x, ""), q, "");
    return LLVMBuildSelect(f->b, none, zero, q, "");
}

static LLVMValueRef quotient(Fn *f, const KirExpr *e, LLVMValueRef x, LLVMValueRef y)
{
    bool rest = e->op == FD_OP_REM, sign = native_is_signed(e->type.kind);
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    if (kir_divides_plainly(e->args[1])) {
        if (rest) return sign ? LLVMBuildSRem(f->b, x, y, "") : LLVMBuildURem(f->b, x, y, "");
        return sign ? LLVMBuildSDiv(f->b, x, y, "") : LLVMBuildUDiv(f->b, x, y, "");
    }
    if (lanes == 1) return fn_divide(f, rest, e->type.kind, x, y);
    LLVMValueRef all = LLVMGetUndef(LLVMTypeOf(x));
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = native_int(f->n->i32, i);
        LLVMValueRef a = LLVMBuildExtractElement(f->b, x, lane, ""),
                     b = LLVMBuildExtractElement(f->b, y, lane, "");
        all = LLVMBuildInsertElement(f->b, all, fn_divide(f, rest, e->type.kind, a, b), lane, "");
    }
    return all;
}

static LLVMValueRef shift(Fn *f, const KirExpr *e)
{
    LLVMTypeRef t = native_type(f->n, e->type);
    LLVMValueRef x = fn_value_as(f, e->args[0], e->type), by = fn_value(f, e->args[1]);
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    if (native_lanes(f->n, e->args[1]->type.lanes) != lanes) by = fn_splat(f, by, lanes);
    if (LLVMTypeOf(by) != t) by = LLVMBuildIntCast2(f->b, by, t, false, "");
    int64_t most = (int64_t)native_bytes(f->n, e->type.kind) * 8 - 1;
    by = LLVMBuildAnd(f->b, by, native_int(t, most), "");
    if (e->op == FD_OP_SHL) return LLVMBuildShl(f->b, x, by, "");
    return native_is_signed(e->type.kind) ? LLVMBuildAShr(f->b, x, by, "")
                                          : LLVMBuildLShr(f->b, x, by, "");
}

static LLVMValueRef pick(Fn *f, LLVMValueRef cond, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(f->b, cond, x, y, "");
}

static LLVMValueRef integer(Fn *f, const KirExpr *e, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef t = native_type(f->n, e->type);
    bool sign = native_is_signed(e->type.kind);
    LLVMValueRef zero = LLVMConstNull(t);
    switch (e->op) {
    case FD_OP_ADD: return LLVMBuildAdd(f->b, x, y, "");
    case FD_OP_SUB: return LLVMBuildSub(f->b, x, y, "");
    case FD_OP_MUL: return LLVMBuildMul(f->b, x, y, "");
    case FD_OP_NEG: return LLVMBuildNeg(f->b, x, "");
    case FD_OP_DIV:
    case FD_OP_REM: return quotient(f, e, x, y);
    case FD_OP_MIN:
        return pick(f, LLVMBuildICmp(f->b, sign ? LLVMIntSLT : LLVMIntULT, y, x, ""), y, x);
    case FD_OP_MAX:
        return pick(f, LLVMBuildICmp(f->b, sign ? LLVMIntSGT : LLVMIntUGT, y, x, ""), y, x);
    case FD_OP_BITAND:
    case FD_OP_LAND: return LLVMBuildAnd(f->b, x, y, "");
    case FD_OP_BITOR:
    case FD_OP_LOR: return LLVMBuildOr(f->b, x, y, "");
    case FD_OP_BITXOR: return LLVMBuildXor(f->b, x, y, "");
    case FD_OP_BITNOT:
        if (e->type.kind == SC_BOOL && e->type.lanes == 1)
            return LLVMBuildXor(f->b, x, native_int(t, 1), "");
        return LLVMBuildNot(f->b, x, "");
    case FD_OP_LNOT: return LLVMBuildNot(f->b, x, ""); /* of masks */
    case FD_OP_ABS:
        if (!sign) return x;
        return pick(f, LLVMBuildICmp(f->b, LLVMIntSLT, x, zero, ""), LLVMBuildNeg(f->b, x, ""), x);
    case FD_OP_SIGN: {
        LLVMValueRef one = native_int(t, 1), more = LLVMBuildICmp(f->b, LLVMIntNE, x, zero, "");
        LLVMValueRef positive = pick(f, more, one, zero);
        if (!sign) return positive;
        LLVMValueRef less = LLVMBuildICmp(f->b, LLVMIntSLT, x, zero, "");
        return pick(f, less, native_int(t, -1), positive);
    }
    case FD_OP_GIVEN: return x;
    default: native_bug("an operation on integers:", fd_op_info(e->op)->text);
    }
}

/* ---- reals ------------------------------------------------------------------------------------- */

LLVMValueRef fn_math(Fn *f, FdOp op, KirType t, unsigned nargs, LLVMValueRef *args)
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
        LLVMValueRef lane = native_int(n->i32, i);
        LLVMValueRef v = vector ? LLVMBuildExtractElement(f->b, x, lane, "") : x;
        if (one != of) v = LLVMBuildFPCast(f->b, v, of, "");
        v = LLVMBuildCall2(f->b, type, fn, &v, 1, "");
        if (one != of) v = LLVMBuildFPCast(f->b, v, one, "");
        if (!vector) return v;
        all = LLVMBuildInsertElement(f->b, all, v, lane, "");
    }
    return all;
}

/* min and max: those of NaN and a number are the number with --precise, else either. */
static LLVMValueRef extreme(Fn *f, bool least, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef both[] = {x, y};
    if (f->n->code->options->precise)
        return fn_intrinsic(f, least ? "llvm.minnum" : "llvm.maxnum", LLVMTypeOf(x), 2, both);
    return pick(f, LLVMBuildFCmp(f->b, least ? LLVMRealOLT : LLVMRealOGT, y, x, ""), y, x);
}

static LLVMValueRef sign_of(Fn *f, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef zero = native_real(t, 0), one = native_real(t, 1), minus = native_real(t, -1);
    LLVMValueRef number = LLVMBuildFCmp(f->b, LLVMRealORD, x, x, "");
    LLVMValueRef v = pick(f, number, x, zero);
    v = pick(f, LLVMBuildFCmp(f->b, LLVMRealOLT, x, zero, ""), minus, v);
    return pick(f, LLVMBuildFCmp(f->b, LLVMRealOGT, x, zero, ""), one, v);
}

static const char *intrinsic_of(FdOp op)
{
    switch (op) {
    case FD_OP_SQRT: return "llvm.sqrt";
    case FD_OP_FMA: return "llvm.fma";
    case FD_OP_COPYSIGN: return "llvm.copysign";
    case FD_OP_FLOOR: return "llvm.floor";
    case FD_OP_CEILING: return "llvm.ceil";
    case FD_OP_ROUND: return "llvm.rint";
    case FD_OP_TRUNCATE: return "llvm.trunc";
    case FD_OP_ABS: return "llvm.fabs";
    default: return NULL;
    }
}

static LLVMValueRef real(Fn *f, const KirExpr *e, LLVMValueRef *args)
{
    const char *intrinsic = intrinsic_of(e->op);
    if (intrinsic) return fn_intrinsic(f, intrinsic, LLVMTypeOf(args[0]), (unsigned)e->nargs, args);
    if (fd_op_info(e->op)->own) return fn_math(f, e->op, e->type, (unsigned)e->nargs, args);
    switch (e->op) {
    case FD_OP_ADD: return fn_real(f, LLVMBuildFAdd(f->b, args[0], args[1], ""));
    case FD_OP_SUB: return fn_real(f, LLVMBuildFSub(f->b, args[0], args[1], ""));
    case FD_OP_MUL: return fn_real(f, LLVMBuildFMul(f->b, args[0], args[1], ""));
    case FD_OP_DIV: return fn_real(f, LLVMBuildFDiv(f->b, args[0], args[1], ""));
    case FD_OP_NEG: return fn_real(f, LLVMBuildFNeg(f->b, args[0], ""));
    case FD_OP_MIN: return extreme(f, true, args[0], args[1]);
    case FD_OP_MAX: return extreme(f, false, args[0], args[1]);
    case FD_OP_SIGN: return sign_of(f, args[0]);
    case FD_OP_GIVEN: return args[0];
    default:
        if (e->nargs == 1) return fn_by_lane(f, fd_op_info(e->op)->text, f->n->f64, args[0]);
        native_bug("an operation on reals:", fd_op_info(e->op)->text);
    }
}

/* Philox 4x32-10, as the prelude has it: words are the low halves of longs. */
static LLVMValueRef random_number(Fn *f, const KirExpr *e)
{
    LLVMBuilderRef b = f->b;
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    KirType wide = kir_type(SC_LONG, e->type.lanes);
    LLVMTypeRef t = native_type(f->n, wide);
    LLVMValueRef low = native_int(t, 0xFFFFFFFF), half = native_int(t, 32);
    LLVMValueRef k0 = fn_value_as(f, e->args[0], wide), k1 = LLVMBuildLShr(b, k0, half, ""),
                 x = fn_value_as(f, e->args[1], wide), y = LLVMBuildLShr(b, x, half, ""),
                 z = native_int(t, 0), w = z;
    for (int i = 0; i < 10; i++) {
        LLVMValueRef p = LLVMBuildAnd(b, x, low, ""), q = LLVMBuildAnd(b, z, low, "");
        p = LLVMBuildMul(b, p, native_int(t, 0xD2511F53), "");
        q = LLVMBuildMul(b, q, native_int(t, 0xCD9E8D57), "");
        x = LLVMBuildXor(b, LLVMBuildXor(b, LLVMBuildLShr(b, q, half, ""), y, ""), k0, "");
        z = LLVMBuildXor(b, LLVMBuildXor(b, LLVMBuildLShr(b, p, half, ""), w, ""), k1, "");
        y = q;
        w = p;
        k0 = LLVMBuildAdd(b, k0, native_int(t, 0x9E3779B9), "");
        k1 = LLVMBuildAdd(b, k1, native_int(t, 0xBB67AE85), "");
    }
    LLVMTypeRef ints = native_vector(f->n->i32, lanes), reals = native_vector(f->n->f32, lanes);
    x = LLVMBuildTrunc(b, LLVMBuildLShr(b, x, native_int(t, 8), ""), ints, "");
    x = LLVMBuildSIToFP(b, LLVMBuildAnd(b, x, native_int(ints, 0xFFFFFF), ""), reals, "");
    return LLVMBuildFMul(b, x, native_real(reals, 0x1p-24), "");
}

LLVMValueRef fn_op(Fn *f, const KirExpr *e)
{
    if (e->op == FD_OP_SHL || e->op == FD_OP_SHR) return shift(f, e);
    if (e->op == FD_OP_RANDOM) return random_number(f, e);
    LLVMValueRef args[3] = {0};
    for (int i = 0; i < e->nargs; i++) args[i] = fn_value_as(f, e->args[i], e->type);
    return native_is_real(e->type.kind) ? real(f, e, args) : integer(f, e, args[0], args[1]);
}
