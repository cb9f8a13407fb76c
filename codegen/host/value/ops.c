/* Arithmetic, comparison and conversion of scalars with C$'s semantics (language section 8):
 * integers wrap, shifts are masked, MIN / -1 is MIN, division by zero throws, real to integer
 * saturates. Values have the register types of types.c. */
#include "../../llvm/op.h"
#include "value.h"

static LlvmAt host_llvm(const HostFunc *f)
{
    return (LlvmAt){.mod = f->m->mod, .b = f->m->b, .precise = true};
}

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

LLVMValueRef host_convert(HostFunc *f, LLVMValueRef v, ScalarKind from, ScalarKind to)
{
    LlvmAt at = host_llvm(f);
    if (from == to) return v;
    return llvm_convert(&at, v, scalar_is_signed(from), host_scalar_type(f->m, to),
                        scalar_is_signed(to));
}

/* ---- operations ------------------------------------------------------------------------------ */

static void check_divisor(HostFunc *f, LLVMValueRef y, Loc loc)
{
    HostModule *m = f->m;
    if (LLVMIsAConstantInt(y) && LLVMConstIntGetZExtValue(y) != 0) return;
    LLVMValueRef by_zero = LLVMBuildIsNull(m->b, y, "");
    LLVMBasicBlockRef zero = host_block(f, "zero"), next = host_block(f, "divide");
    host_branch_cold(f, by_zero, zero, next);
    host_enter(f, zero);
    host_call_runtime(f, ABI_cs_throw_divide, NULL, 0, loc);
    LLVMBuildBr(m->b, host_unwind(f));
    host_enter(f, next);
}

static LLVMValueRef divide(HostFunc *f, FdOp op, bool sign, const LLVMValueRef *args, Loc loc)
{
    LLVMValueRef y = args[1];
    check_divisor(f, y, loc);
    LlvmAt at = host_llvm(f);
    bool plain = LLVMIsAConstantInt(y) && LLVMConstIntGetSExtValue(y) != -1;
    return llvm_divide(&at, op == FD_OP_REM, sign, args[0], y, plain ? LLVM_DIVIDES : LLVM_WRAPS);
}

LLVMValueRef host_operate(HostFunc *f, FdOp op, ScalarKind k, const LLVMValueRef *args, Loc loc)
{
    LlvmAt at = host_llvm(f);
    LLVMValueRef floats[3];
    bool real = scalar_is_real(k), sign = scalar_is_signed(k), compares = fd_op_compares(op);
    if (k == SC_HALF) { /* as every device without half arithmetic does */
        for (int i = 0; i < fd_op_info(op)->arity; i++)
            floats[i] = host_convert(f, args[i], SC_HALF, SC_FLOAT);
        LLVMValueRef v = host_operate(f, op, SC_FLOAT, floats, loc);
        return compares ? v : host_convert(f, v, SC_FLOAT, SC_HALF);
    }
    if (!real && (op == FD_OP_DIV || op == FD_OP_REM)) return divide(f, op, sign, args, loc);
    LLVMValueRef v = llvm_operate(&at, op, sign, args);
    if (!v) host_bug(f->m, NULL, fd_op_info(op)->text);
    return v;
}
