/* What an operation of the language (section 8) is in LLVM IR, for host code and for native kernels: of
 * scalars, and lane by lane of vectors. What constants of it are is in fdag/ops.c. */
#ifndef CS_CODEGEN_LLVM_OP_H
#define CS_CODEGEN_LLVM_OP_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "../../fdag/ops.h"

typedef struct LlvmAt { /* where instructions go */
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    unsigned flags; /* LLVMFastMathFlags of what is computed in reals */
    bool precise;   /* min and max of NaN and a number are the number; else either */
    bool closed;    /* functions of C's library are not at hand */
} LlvmAt;

/* op on operands of one type; a shift's count may be of any width. Comparisons give an i1, or a vector of
 * them: only != holds of a NaN. `sign`: integers are signed. Integers are divided by llvm_divide; NULL: of
 * any other operation that has no code here. */
LLVMValueRef llvm_operate(const LlvmAt *at, FdOp op, bool sign, const LLVMValueRef *args);

typedef enum LlvmDivisor {
    LLVM_DIVIDES, /* neither 0 nor -1 */
    LLVM_WRAPS,   /* not 0; MIN / -1 is MIN */
    LLVM_ANY      /* by 0 quotient and remainder are 0 */
} LlvmDivisor;

LLVMValueRef llvm_divide(const LlvmAt *at, bool rest, bool sign, LLVMValueRef x, LLVMValueRef y,
                         LlvmDivisor by);

/* v, whose integers are signed or not, as a value of another type: the C# cast. Reals saturate, NaN gives
 * 0; to an i1: is it not 0? */
LLVMValueRef llvm_convert(const LlvmAt *at, LLVMValueRef v, bool sign, LLVMTypeRef to,
                          bool to_sign);

LLVMValueRef llvm_int(LLVMTypeRef t, int64_t v); /* an integer, or a vector of it */
LLVMValueRef llvm_real(LLVMTypeRef t, double v);

/* A call of an overload of one of LLVM's intrinsics. */
LLVMValueRef llvm_intrinsic(const LlvmAt *at, const char *name, unsigned ntypes, LLVMTypeRef *types,
                            unsigned nargs, const LLVMValueRef *args);

#endif
