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

/* Saturates; NaN gives 0. */
static LLVMValueRef real_to_integer(Fn *f, LLVMValueRef x, int to, unsigned lanes)
{
    Native *n = f->n;
    int kind = to == KIR_IDX ? SC_INT : to; /* as the OpenCL printer has it */
    bool sign = native_is_signed(kind);
    const char *name = sign ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMTypeRef types[] = {native_vector(native_scalar_type(n, kind), lanes), LLVMTypeOf(x)};
    unsigned id = LLVMLookupIntrinsicID(name, 15);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(n->mod, id, types, 2);
    LLVMValueRef v = LLVMBuildCall2(f->b, LLVMGlobalGetValueType(fn), fn, &x, 1, "");
    return to == KIR_IDX ? LLVMBuildSExt(f->b, v, native_vector(n->i64, lanes), "") : v;
}

LLVMValueRef fn_convert(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    LLVMValueRef x = fn_value(f, e->args[0]);
    int to = e->type.kind, from = e->args[0]->type.kind;
    unsigned lanes = native_lanes(n, e->type.lanes);
    LLVMTypeRef t = native_type(n, e->type);
    bool real = native_is_real(from), sign = native_is_signed(from);
    if (to == SC_BOOL) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
        return fn_mask_of_bits(f, real ? LLVMBuildFCmp(f->b, LLVMRealUNE, x, zero, "")
                                       : LLVMBuildICmp(f->b, LLVMIntNE, x, zero, ""));
    }
    if (from == SC_BOOL && lanes > 1) x = LLVMBuildNeg(f->b, x, ""); /* a mask's are 0 or -1 */
    if (real && !native_is_real(to)) return real_to_integer(f, x, to, lanes);
    if (!real && native_is_real(to)) {
        x = sign ? LLVMBuildSIToFP(f->b, x, t, "") : LLVMBuildUIToFP(f->b, x, t, "");
        return to == SC_HALF && from != SC_BOOL ? to_half(f, x, lanes) : x;
    }
    if (to == SC_HALF && from != SC_HALF) return to_half(f, x, lanes);
    if (real) return LLVMTypeOf(x) == t ? x : LLVMBuildFPCast(f->b, x, t, "");
    return LLVMTypeOf(x) == t ? x : LLVMBuildIntCast2(f->b, x, t, sign, "");
}
