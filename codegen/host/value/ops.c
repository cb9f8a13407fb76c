/* Arithmetic, comparison and conversion of scalars with C$'s semantics (language section 8):
 * integers wrap, shifts are masked, MIN / -1 is MIN, division by zero throws, real to integer
 * saturates. Values have the register types of types.c. */
#include "../../llvm/compare.h"
#include "value.h"

ScalarKind host_promote(ScalarKind a, ScalarKind b)
{
    if (a == SC_BOOL && b == SC_BOOL) return SC_BOOL;
    if (scalar_is_real(a) || scalar_is_real(b)) {
        if (!scalar_is_real(a)) return b;
        return !scalar_is_real(b) || a > b ? a : b; /* half, float, double in this order */
    }
    if (a == SC_ULONG || b == SC_ULONG) return SC_ULONG;
    if (a == SC_LONG || b == SC_LONG) return SC_LONG;
    if (a == SC_UINT || b == SC_UINT) {
        ScalarKind other = a == SC_UINT ? b : a;
        return scalar_is_signed(other) ? SC_LONG : SC_UINT;
    }
    return SC_INT;
}

/* ---- conversions ----------------------------------------------------------------------------- */

static LLVMValueRef real_to_integer(HostFunc *f, LLVMValueRef v, ScalarKind to)
{
    LLVMTypeRef types[] = {host_scalar_type(f->m, to), LLVMTypeOf(v)};
    return host_intrinsic(f, scalar_is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2,
                          &v, 1);
}

LLVMValueRef host_convert(HostFunc *f, LLVMValueRef v, ScalarKind from, ScalarKind to)
{
    LLVMBuilderRef b = f->m->b;
    if (from == to) return v;
    LLVMTypeRef type = host_scalar_type(f->m, to), old = LLVMTypeOf(v);
    bool real = scalar_is_real(from), sign = scalar_is_signed(from);
    if (to == SC_BOOL)
        return real ? LLVMBuildFCmp(b, LLVMRealUNE, v, LLVMConstNull(old), "")
                    : LLVMBuildICmp(b, LLVMIntNE, v, LLVMConstNull(old), "");
    if (real && !scalar_is_real(to)) return real_to_integer(f, v, to);
    if (real) return LLVMBuildFPCast(b, v, type, "");
    if (scalar_is_real(to))
        return sign ? LLVMBuildSIToFP(b, v, type, "") : LLVMBuildUIToFP(b, v, type, "");
    unsigned have = LLVMGetIntTypeWidth(old), want = LLVMGetIntTypeWidth(type);
    if (have == want) return v;
    if (have > want) return LLVMBuildTrunc(b, v, type, "");
    return sign ? LLVMBuildSExt(b, v, type, "") : LLVMBuildZExt(b, v, type, "");
}

/* ---- integers -------------------------------------------------------------------------------- */

static LLVMValueRef divide(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef x, LLVMValueRef y,
                           Loc loc)
{
    HostModule *m = f->m;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef none = LLVMConstNull(t);
    LLVMValueRef by_zero = LLVMBuildICmp(m->b, LLVMIntEQ, y, none, "");
    bool constant = LLVMIsAConstantInt(y) != NULL;
    if (!constant || LLVMConstIntGetZExtValue(y) == 0) {
        LLVMBasicBlockRef zero = host_block(f, "zero"), next = host_block(f, "divide");
        host_branch_cold(f, by_zero, zero, next);
        host_enter(f, zero);
        host_call_runtime(f, ABI_cs_throw_divide, NULL, 0, loc);
        LLVMBuildBr(m->b, host_unwind(f));
        host_enter(f, next);
    }
    if (!scalar_is_signed(k))
        return op == FD_OP_DIV ? LLVMBuildUDiv(m->b, x, y, "") : LLVMBuildURem(m->b, x, y, "");
    LLVMValueRef minus = LLVMConstAllOnes(t);
    if (constant && LLVMConstIntGetSExtValue(y) != -1)
        return op == FD_OP_DIV ? LLVMBuildSDiv(m->b, x, y, "") : LLVMBuildSRem(m->b, x, y, "");
    /* By -1 the machine would trap on MIN: negate instead, the remainder is 0. */
    LLVMValueRef by_minus = LLVMBuildICmp(m->b, LLVMIntEQ, y, minus, "");
    LLVMValueRef safe = LLVMBuildSelect(m->b, by_minus, LLVMConstInt(t, 1, false), y, "");
    if (op == FD_OP_REM) return LLVMBuildSRem(m->b, x, safe, "");
    LLVMValueRef q = LLVMBuildSDiv(m->b, x, safe, "");
    return LLVMBuildSelect(m->b, by_minus, LLVMBuildNeg(m->b, x, ""), q, "");
}

static LLVMValueRef shift(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef x, LLVMValueRef by)
{
    LLVMBuilderRef b = f->m->b;
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned bits = LLVMGetIntTypeWidth(t), have = LLVMGetIntTypeWidth(LLVMTypeOf(by));
    if (have > bits) by = LLVMBuildTrunc(b, by, t, "");
    if (have < bits) by = LLVMBuildZExt(b, by, t, "");
    by = LLVMBuildAnd(b, by, LLVMConstInt(t, bits - 1, false), "");
    if (op == FD_OP_SHL) return LLVMBuildShl(b, x, by, "");
    return scalar_is_signed(k) ? LLVMBuildAShr(b, x, by, "") : LLVMBuildLShr(b, x, by, "");
}

static LLVMValueRef pick(HostFunc *f, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef args[] = {x, y};
    return host_intrinsic(f, name, &t, 1, args, 2);
}

static LLVMValueRef sign_of(HostFunc *f, ScalarKind k, LLVMValueRef x)
{
    LLVMBuilderRef b = f->m->b;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef none = LLVMConstNull(t);
    LLVMValueRef more = LLVMBuildZExt(
        b, LLVMBuildICmp(b, scalar_is_signed(k) ? LLVMIntSGT : LLVMIntUGT, x, none, ""), t, "");
    if (!scalar_is_signed(k)) return more;
    LLVMValueRef less = LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntSLT, x, none, ""), t, "");
    return LLVMBuildSub(b, more, less, "");
}

static LLVMValueRef absolute(HostFunc *f, ScalarKind k, LLVMValueRef x)
{
    if (!scalar_is_signed(k)) return x;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef args[] = {x, LLVMConstInt(f->m->i1, 0, false)}; /* of MIN: MIN */
    return host_intrinsic(f, "llvm.abs", &t, 1, args, 2);
}

static LLVMValueRef integer(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef x, LLVMValueRef y,
                            Loc loc)
{
    LLVMBuilderRef b = f->m->b;
    bool sign = scalar_is_signed(k);
    switch (op) {
    case FD_OP_ADD: return LLVMBuildAdd(b, x, y, "");
    case FD_OP_SUB: return LLVMBuildSub(b, x, y, "");
    case FD_OP_MUL: return LLVMBuildMul(b, x, y, "");
    case FD_OP_DIV:
    case FD_OP_REM: return divide(f, op, k, x, y, loc);
    case FD_OP_NEG: return LLVMBuildNeg(b, x, "");
    case FD_OP_MIN: return pick(f, sign ? "llvm.smin" : "llvm.umin", x, y);
    case FD_OP_MAX: return pick(f, sign ? "llvm.smax" : "llvm.umax", x, y);
    case FD_OP_BITAND:
    case FD_OP_LAND: return LLVMBuildAnd(b, x, y, "");
    case FD_OP_BITOR:
    case FD_OP_LOR: return LLVMBuildOr(b, x, y, "");
    case FD_OP_BITXOR: return LLVMBuildXor(b, x, y, "");
    case FD_OP_BITNOT:
    case FD_OP_LNOT: return LLVMBuildNot(b, x, "");
    case FD_OP_SHL:
    case FD_OP_SHR: return shift(f, op, k, x, y);
    case FD_OP_ABS: return absolute(f, k, x);
    case FD_OP_SIGN: return sign_of(f, k, x);
    default: host_bug(f->m, NULL, fd_op_info(op)->text);
    }
}

/* ---- reals ----------------------------------------------------------------------------------- */

static LLVMValueRef real_sign(HostFunc *f, LLVMValueRef x)
{
    LLVMBuilderRef b = f->m->b;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef none = LLVMConstNull(t);
    LLVMValueRef more = LLVMBuildFCmp(b, LLVMRealOGT, x, none, "");
    LLVMValueRef less = LLVMBuildFCmp(b, LLVMRealOLT, x, none, "");
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
    LLVMValueRef rest = LLVMBuildSelect(b, nan, none, x, ""); /* a zero keeps its sign */
    rest = LLVMBuildSelect(b, less, LLVMConstReal(t, -1), rest, "");
    return LLVMBuildSelect(b, more, LLVMConstReal(t, 1), rest, "");
}

static LLVMValueRef real(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = f->m->b;
    switch (op) {
    case FD_OP_ADD: return LLVMBuildFAdd(b, x, y, "");
    case FD_OP_SUB: return LLVMBuildFSub(b, x, y, "");
    case FD_OP_MUL: return LLVMBuildFMul(b, x, y, "");
    case FD_OP_DIV: return LLVMBuildFDiv(b, x, y, "");
    case FD_OP_REM: return LLVMBuildFRem(b, x, y, "");
    case FD_OP_NEG: return LLVMBuildFNeg(b, x, "");
    case FD_OP_SIGN: return real_sign(f, x);
    default: return host_math(f, op, k, (LLVMValueRef[]){x, y});
    }
}

LLVMValueRef host_operate(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef x, LLVMValueRef y,
                          Loc loc)
{
    if (fd_op_compares(op))
        return llvm_compare(f->m->b, op, scalar_is_real(k), scalar_is_signed(k), x, y);
    if (scalar_is_real(k)) return real(f, op, k, x, y);
    return integer(f, op, k, x, y, loc);
}
