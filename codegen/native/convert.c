/* Conversions: the C# cast, with C$'s defined edges. */
#include "impl.h"

/* To the nearest half, even at ties; the value stays a float. A double goes by way of a float that
 * is odd where it is not exact, so that nothing is rounded twice. */
static LLVMValueRef to_half(Fn *f, LLVMValueRef x, unsigned lanes)
{
    Native *n = f->n;
    LLVMTypeRef floats = native_vector(n->f32, lanes), halves = native_vector(n->f16, lanes);
    if (LLVMTypeOf(x) != floats) {
        LLVMTypeRef doubles = native_vector(n->f64, lanes), ints = native_vector(n->i32, lanes);
        LLVMValueRef y = LLVMBuildFPTrunc(f->b, x, floats, "");
        LLVMValueRef back = LLVMBuildFPExt(f->b, y, doubles, ""),
                     a = fn_intrinsic(f, "llvm.fabs", doubles, 1, &back),
                     b = fn_intrinsic(f, "llvm.fabs", doubles, 1, &x);
        LLVMValueRef more = LLVMBuildFCmp(f->b, LLVMRealOGT, a, b, ""),
                     inexact = LLVMBuildFCmp(f->b, LLVMRealONE, a, b, "");
        LLVMValueRef bits = LLVMBuildBitCast(f->b, y, ints, "");
        bits = LLVMBuildSub(f->b, bits, LLVMBuildZExt(f->b, more, ints, ""), "");
        bits = LLVMBuildOr(f->b, bits, LLVMBuildZExt(f->b, inexact, ints, ""), "");
        x = LLVMBuildBitCast(f->b, bits, floats, "");
    }
    return LLVMBuildFPExt(f->b, LLVMBuildFPTrunc(f->b, x, halves, ""), floats, "");
}

LLVMValueRef fn_convert(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    LLVMValueRef x = fn_value(f, e->args[0]);
    int to = e->type.kind, from = e->args[0]->type.kind;
    unsigned lanes = native_lanes(n, e->type.lanes);
    LLVMTypeRef t = native_type(n, e->type);
    LlvmAt at = fn_llvm(f);
    bool sign = native_is_signed(from);
    if (to == SC_BOOL)
        return fn_mask_of_bits(f, llvm_convert(&at, x, sign, native_vector(n->i1, lanes), false));
    if (from == SC_BOOL && lanes > 1) x = LLVMBuildNeg(f->b, x, ""); /* a mask's are 0 or -1 */
    if (to == KIR_IDX && native_is_real(from)) { /* as the OpenCL printer has it */
        x = llvm_convert(&at, x, true, native_vector(n->i32, lanes), true);
        sign = true;
    }
    if (to == SC_HALF && native_is_real(from) && from != SC_HALF) return to_half(f, x, lanes);
    x = llvm_convert(&at, x, sign, t, native_is_signed(to));
    return to == SC_HALF && from != SC_HALF && from != SC_BOOL ? to_half(f, x, lanes) : x;
}
