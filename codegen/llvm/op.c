/* Operations (op.h): integers wrap, shifts are masked, functions of reals are LLVM's intrinsics or C's. */
#include "op.h"

#include <stdio.h>
#include <string.h>

#include <llvm/Config/llvm-config.h>

/* ---- what operations share --------------------------------------------------------------------- */

static LLVMTypeRef lane_type(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool is_real(LLVMTypeRef t)
{
    return LLVMGetTypeKind(lane_type(t)) != LLVMIntegerTypeKind;
}

/* v, with the flags of what is computed in reals. */
static LLVMValueRef flagged(const LlvmAt *at, LLVMValueRef v)
{
#if LLVM_VERSION_MAJOR >= 18
    if (at->flags && LLVMCanValueUseFastMathFlags(v)) LLVMSetFastMathFlags(v, at->flags);
#else
    (void)at;
#endif
    return v;
}

LLVMValueRef llvm_intrinsic(const LlvmAt *at, const char *name, unsigned ntypes, LLVMTypeRef *types,
                            unsigned nargs, const LLVMValueRef *args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(at->mod, id, types, ntypes);
    LLVMTypeRef type = LLVMGlobalGetValueType(fn);
    return flagged(at, LLVMBuildCall2(at->b, type, fn, (LLVMValueRef *)args, nargs, ""));
}

/* What no sum takes in; until products are contracted (native/muladd.c). */
static LLVMValueRef fence(const LlvmAt *at, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    return llvm_intrinsic(at, "llvm.arithmetic.fence", 1, &t, 1, &x);
}

static LLVMValueRef all_lanes(LLVMTypeRef t, LLVMValueRef one)
{
    LLVMValueRef all[64];
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return one;
    unsigned lanes = LLVMGetVectorSize(t);
    for (unsigned i = 0; i < lanes; i++) all[i] = one;
    return LLVMConstVector(all, lanes);
}

LLVMValueRef llvm_int(LLVMTypeRef t, int64_t v)
{
    return all_lanes(t, LLVMConstInt(lane_type(t), (unsigned long long)v, true));
}

LLVMValueRef llvm_real(LLVMTypeRef t, double v)
{
    return all_lanes(t, LLVMConstReal(lane_type(t), v));
}

static LLVMValueRef pick(const LlvmAt *at, LLVMValueRef cond, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(at->b, cond, x, y, "");
}

/* ---- comparisons ------------------------------------------------------------------------------- */

static LLVMIntPredicate integer_order(FdOp op, bool sign)
{
    switch (op) {
    case FD_OP_EQ: return LLVMIntEQ;
    case FD_OP_NE: return LLVMIntNE;
    case FD_OP_LT: return sign ? LLVMIntSLT : LLVMIntULT;
    case FD_OP_LE: return sign ? LLVMIntSLE : LLVMIntULE;
    case FD_OP_GT: return sign ? LLVMIntSGT : LLVMIntUGT;
    default: return sign ? LLVMIntSGE : LLVMIntUGE;
    }
}

static LLVMRealPredicate real_order(FdOp op)
{
    switch (op) {
    case FD_OP_EQ: return LLVMRealOEQ;
    case FD_OP_NE: return LLVMRealUNE;
    case FD_OP_LT: return LLVMRealOLT;
    case FD_OP_LE: return LLVMRealOLE;
    case FD_OP_GT: return LLVMRealOGT;
    default: return LLVMRealOGE;
    }
}

static LLVMValueRef compare(const LlvmAt *at, FdOp op, bool sign, LLVMValueRef x, LLVMValueRef y)
{
    return is_real(LLVMTypeOf(x)) ? LLVMBuildFCmp(at->b, real_order(op), x, y, "")
                                  : LLVMBuildICmp(at->b, integer_order(op, sign), x, y, "");
}

/* ---- integers ---------------------------------------------------------------------------------- */

static bool is_in_lanes(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind && LLVMGetIntTypeWidth(lane_type(t)) <= 32;
}

/* No processor divides integers in lanes, so reals do: x (1 + e) / y, cut off. Of |x| < 2^32 (2^16) quotients that are no
 * integers are 2^-32 (2^-16) of themselves below the next one, and more; e is less than that, and more than all that
 * doubles (floats) round. By a y that stays the same in a loop this is a product. */
static LLVMValueRef quotient_by_reals(const LlvmAt *at, bool sign, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = at->b;
    LLVMTypeRef t = LLVMTypeOf(x), lane = lane_type(t);
    LLVMContextRef c = LLVMGetTypeContext(t);
    bool few = LLVMGetIntTypeWidth(lane) <= 16;
    LLVMTypeRef real = LLVMVectorType(few ? LLVMFloatTypeInContext(c) : LLVMDoubleTypeInContext(c),
                                      LLVMGetVectorSize(t));
    LLVMValueRef p = sign ? LLVMBuildSIToFP(b, x, real, "") : LLVMBuildUIToFP(b, x, real, ""),
                 q = sign ? LLVMBuildSIToFP(b, y, real, "") : LLVMBuildUIToFP(b, y, real, "");
    q = LLVMBuildFDiv(b, llvm_real(real, few ? 1 + 0x1p-20 : 1 + 0x1p-40), q, "");
    p = LLVMBuildFMul(b, p, q, "");
    return sign ? LLVMBuildFPToSI(b, p, t, "") : LLVMBuildFPToUI(b, p, t, "");
}

static LLVMValueRef quotient(const LlvmAt *at, bool sign, LLVMValueRef x, LLVMValueRef y)
{
    if (is_in_lanes(LLVMTypeOf(x)) && !LLVMIsConstant(y)) return quotient_by_reals(at, sign, x, y);
    return sign ? LLVMBuildSDiv(at->b, x, y, "") : LLVMBuildUDiv(at->b, x, y, "");
}

static LLVMValueRef remainder_of(const LlvmAt *at, bool sign, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = at->b;
    if (is_in_lanes(LLVMTypeOf(x)) && !LLVMIsConstant(y))
        return LLVMBuildSub(b, x, LLVMBuildMul(b, quotient(at, sign, x, y), y, ""), "");
    return sign ? LLVMBuildSRem(b, x, y, "") : LLVMBuildURem(b, x, y, "");
}

LLVMValueRef llvm_divide(const LlvmAt *at, bool rest, bool sign, LLVMValueRef x, LLVMValueRef y,
                         LlvmDivisor by)
{
    LLVMBuilderRef b = at->b;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(t), none = NULL, turns = NULL, odd = NULL;
    if (by == LLVM_ANY) odd = none = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
    if (by != LLVM_DIVIDES && sign) { /* the machine would trap at MIN / -1 */
        turns = LLVMBuildICmp(b, LLVMIntEQ, y, llvm_int(t, -1), "");
        odd = none ? LLVMBuildOr(b, none, turns, "") : turns;
    }
    if (odd) y = pick(at, odd, llvm_int(t, 1), y); /* by which a remainder is 0 */
    if (rest) return remainder_of(at, sign, x, y);
    LLVMValueRef q = quotient(at, sign, x, y);
    if (turns) q = pick(at, turns, LLVMBuildNeg(b, x, ""), q);
    return none ? pick(at, none, zero, q) : q;
}

static LLVMValueRef shift(const LlvmAt *at, FdOp op, bool sign, LLVMValueRef x, LLVMValueRef by)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    if (LLVMTypeOf(by) != t) by = LLVMBuildIntCast2(at->b, by, t, false, "");
    by = LLVMBuildAnd(at->b, by, llvm_int(t, LLVMGetIntTypeWidth(lane_type(t)) - 1), "");
    if (op == FD_OP_SHL) return LLVMBuildShl(at->b, x, by, "");
    return sign ? LLVMBuildAShr(at->b, x, by, "") : LLVMBuildLShr(at->b, x, by, "");
}

static LLVMValueRef sign_of_integer(const LlvmAt *at, bool sign, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(t);
    LLVMValueRef some = LLVMBuildICmp(at->b, LLVMIntNE, x, zero, "");
    LLVMValueRef positive = pick(at, some, llvm_int(t, 1), zero);
    if (!sign) return positive;
    return pick(at, LLVMBuildICmp(at->b, LLVMIntSLT, x, zero, ""), llvm_int(t, -1), positive);
}

static LLVMValueRef integer(const LlvmAt *at, FdOp op, bool sign, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = at->b;
    switch (op) {
    case FD_OP_ADD: return LLVMBuildAdd(b, x, y, "");
    case FD_OP_SUB: return LLVMBuildSub(b, x, y, "");
    case FD_OP_MUL: return LLVMBuildMul(b, x, y, "");
    case FD_OP_NEG: return LLVMBuildNeg(b, x, "");
    case FD_OP_MIN: return pick(at, compare(at, FD_OP_LT, sign, y, x), y, x);
    case FD_OP_MAX: return pick(at, compare(at, FD_OP_GT, sign, y, x), y, x);
    case FD_OP_BITAND:
    case FD_OP_LAND: return LLVMBuildAnd(b, x, y, "");
    case FD_OP_BITOR:
    case FD_OP_LOR: return LLVMBuildOr(b, x, y, "");
    case FD_OP_BITXOR: return LLVMBuildXor(b, x, y, "");
    case FD_OP_BITNOT:
    case FD_OP_LNOT: return LLVMBuildNot(b, x, "");
    case FD_OP_SHL:
    case FD_OP_SHR: return shift(at, op, sign, x, y);
    case FD_OP_ABS:
        if (!sign) return x;
        y = LLVMBuildICmp(b, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)), "");
        return pick(at, y, LLVMBuildNeg(b, x, ""), x); /* of MIN: MIN */
    case FD_OP_SIGN: return sign_of_integer(at, sign, x);
    case FD_OP_GIVEN: return x;
    default: return NULL;
    }
}

/* ---- reals ------------------------------------------------------------------------------------- */

static const char *const intrinsics[FD_OP_COUNT] = {
    [FD_OP_SQRT] = "llvm.sqrt",         [FD_OP_FMA] = "llvm.fma",
    [FD_OP_COPYSIGN] = "llvm.copysign", [FD_OP_FLOOR] = "llvm.floor",
    [FD_OP_CEILING] = "llvm.ceil",      [FD_OP_ROUND] = "llvm.rint",
    [FD_OP_TRUNCATE] = "llvm.trunc",    [FD_OP_ABS] = "llvm.fabs"};

static void attribute(LLVMContextRef ctx, LLVMValueRef fn, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (kind)
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(ctx, kind, 0));
}

/* Of C's library, which has the table's names. Nobody looks at errno. */
static LLVMValueRef library(const LlvmAt *at, FdOp op, const LLVMValueRef *args)
{
    LLVMTypeRef t = LLVMTypeOf(args[0]), params[] = {t, t, t};
    unsigned n = (unsigned)fd_op_info(op)->arity;
    LLVMTypeRef type = LLVMFunctionType(t, params, n, false);
    bool narrow = LLVMGetTypeKind(t) == LLVMFloatTypeKind;
    char name[32];
    snprintf(name, sizeof name, "%s%s", fd_op_info(op)->text, narrow ? "f" : "");
    LLVMValueRef fn = LLVMGetNamedFunction(at->mod, name);
    if (!fn) {
        LLVMContextRef ctx = LLVMGetModuleContext(at->mod);
        fn = LLVMAddFunction(at->mod, name, type);
        attribute(ctx, fn, "nounwind");
        attribute(ctx, fn, "willreturn");
        attribute(ctx, fn, LLVM_VERSION_MAJOR >= 16 ? "memory" : "readnone"); /* none */
    }
    return LLVMBuildCall2(at->b, type, fn, (LLVMValueRef *)args, n, "");
}

static LLVMValueRef extreme(const LlvmAt *at, FdOp op, const LLVMValueRef *args)
{
    bool least = op == FD_OP_MIN;
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    if (at->precise)
        return llvm_intrinsic(at, least ? "llvm.minnum" : "llvm.maxnum", 1, &t, 2, args);
    LLVMValueRef second = compare(at, least ? FD_OP_LT : FD_OP_GT, true, args[1], args[0]);
    return pick(at, second, args[1], args[0]);
}

static LLVMValueRef sign_of_real(const LlvmAt *at, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(t), one = llvm_real(t, 1);
    LLVMValueRef is_number = LLVMBuildFCmp(at->b, LLVMRealORD, x, x, "");
    LLVMValueRef v = pick(at, is_number, x, zero); /* a zero keeps its sign */
    v = pick(at, LLVMBuildFCmp(at->b, LLVMRealOLT, x, zero, ""), llvm_real(t, -1), v);
    return pick(at, LLVMBuildFCmp(at->b, LLVMRealOGT, x, zero, ""), one, v);
}

static LLVMValueRef real(const LlvmAt *at, FdOp op, const LLVMValueRef *args)
{
    LLVMBuilderRef b = at->b;
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    const FdOpInfo *info = fd_op_info(op);
    if (intrinsics[op])
        return llvm_intrinsic(at, intrinsics[op], 1, &t, (unsigned)info->arity, args);
    switch (op) {
    case FD_OP_ADD: return flagged(at, LLVMBuildFAdd(b, args[0], args[1], ""));
    case FD_OP_SUB: return flagged(at, LLVMBuildFSub(b, args[0], args[1], ""));
    case FD_OP_MUL: return flagged(at, LLVMBuildFMul(b, args[0], args[1], ""));
    case FD_OP_DIV: return flagged(at, LLVMBuildFDiv(b, args[0], args[1], ""));
    case FD_OP_REM: return flagged(at, LLVMBuildFRem(b, args[0], args[1], ""));
    case FD_OP_NEG: return flagged(at, LLVMBuildFNeg(b, args[0], ""));
    case FD_OP_MIN:
    case FD_OP_MAX: return extreme(at, op, args);
    case FD_OP_SIGN: return sign_of_real(at, args[0]);
    case FD_OP_GIVEN: return args[0];
    case FD_OP_ROUNDED: return fence(at, args[0]);
    default: return info->rule == FD_RULE_REAL && !at->closed ? library(at, op, args) : NULL;
    }
}

LLVMValueRef llvm_operate(const LlvmAt *at, FdOp op, bool sign, const LLVMValueRef *args)
{
    LLVMValueRef y = fd_op_info(op)->arity > 1 ? args[1] : NULL;
    if (fd_op_compares(op)) return compare(at, op, sign, args[0], y);
    return is_real(LLVMTypeOf(args[0])) ? real(at, op, args) : integer(at, op, sign, args[0], y);
}

/* ---- conversions ------------------------------------------------------------------------------- */

static LLVMTypeRef with_lanes(LLVMTypeRef lane, LLVMTypeRef like)
{
    return LLVMVectorType(lane, LLVMGetVectorSize(like));
}

/* Is it a vector of integers in which int has all values? */
static bool is_within_int(LLVMTypeRef t, bool sign)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(t)) <= (sign ? 32u : 16u);
}

/* To the nearest value that there is, NaN to 0. LLVM goes lane by lane (llvm.fptosi.sat). */
static LLVMValueRef saturated(const LlvmAt *at, LLVMValueRef v, LLVMTypeRef to, bool to_sign)
{
    LLVMTypeRef from = LLVMTypeOf(v), lane = LLVMGetElementType(to),
                ints = with_lanes(LLVMInt32TypeInContext(LLVMGetTypeContext(to)), to);
    unsigned bits = LLVMGetIntTypeWidth(lane) - to_sign;
    LLVMValueRef zero = LLVMConstNull(from),
                 least = to_sign ? llvm_real(from, -(double)(1u << bits)) : zero,
                 end = llvm_real(from, (double)((int64_t)1 << bits));
    v = pick(at, LLVMBuildFCmp(at->b, LLVMRealORD, v, zero, ""), v, zero);
    v = pick(at, LLVMBuildFCmp(at->b, LLVMRealOLT, v, least, ""), least, v);
    LLVMValueRef beyond = LLVMBuildFCmp(at->b, LLVMRealOGE, v, end, "");
    LLVMValueRef most = llvm_int(ints, ((int64_t)1 << bits) - 1);
    v = LLVMBuildFPToSI(at->b, pick(at, beyond, zero, v), ints, "");
    return LLVMBuildIntCast2(at->b, pick(at, beyond, most, v), to, true, "");
}

LLVMValueRef llvm_convert(const LlvmAt *at, LLVMValueRef v, bool sign, LLVMTypeRef to, bool to_sign)
{
    LLVMTypeRef from = LLVMTypeOf(v), types[] = {to, from};
    bool real = is_real(from), wanted = is_real(to);
    if (from == to) return v;
    if (!wanted && LLVMGetIntTypeWidth(lane_type(to)) == 1)
        return compare(at, FD_OP_NE, sign, v, LLVMConstNull(from));
    if (real && wanted) return LLVMBuildFPCast(at->b, v, to, "");
    if (real && is_within_int(to, to_sign)) return saturated(at, v, to, to_sign);
    if (real)
        return llvm_intrinsic(at, to_sign ? "llvm.fptosi.sat" : "llvm.fptoui.sat", 2, types, 1, &v);
    if (!wanted) return LLVMBuildIntCast2(at->b, v, to, sign, "");
    return sign ? LLVMBuildSIToFP(at->b, v, to, "") : LLVMBuildUIToFP(at->b, v, to, "");
}
