/* Pieces of LLVM IR that host code and native kernels have in common. */
#ifndef CS_CODEGEN_LLVM_COMPARE_H
#define CS_CODEGEN_LLVM_COMPARE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "../../fdag/ops.h"

/* x op y as an i1, or a vector of them, for an op that compares (fd_op_compares). Reals compare as
 * IEEE has it: only != holds of a NaN. `sign`: integers are signed. */
LLVMValueRef llvm_compare(LLVMBuilderRef b, FdOp op, bool real, bool sign, LLVMValueRef x,
                          LLVMValueRef y);

#endif
