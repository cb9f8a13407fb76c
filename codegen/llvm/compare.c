/* Comparisons (compare.h). */
#include "compare.h"

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

LLVMValueRef llvm_compare(LLVMBuilderRef b, FdOp op, bool real, bool sign, LLVMValueRef x,
                          LLVMValueRef y)
{
    if (real) return LLVMBuildFCmp(b, real_order(op), x, y, "");
    return LLVMBuildICmp(b, integer_order(op, sign), x, y, "");
}
