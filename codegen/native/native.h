/* Kernels as machine code of the host: kernel IR to LLVM IR, the second printer beside OpenCL's
 * (kernel/ir/opencl.c), with the same meaning. A text keeps its plan; each of its kernels becomes a
 * function that does one work-item (CsKernelCode), for one level of the processor with macros fixed
 * by that level's facts (cg_native_device). What is one work-item a group can be had so: texts of
 * the cpu family. */
#ifndef CS_CODEGEN_NATIVE_H
#define CS_CODEGEN_NATIVE_H

#include "../../base/text.h"
#include "../kernel/codegen.h"

typedef struct Native Native;
struct LLVMOpaqueModule;
struct LLVMOpaqueContext;
struct LLVMOpaqueTargetMachine;

Native *native_new(void);
void native_free(Native *n); /* after what is in its context */

/* Adds the functions of one text's kernels for the level: `names` in the order of cg_plan_kernels, in
 * an arena of n's; the name is NULL of a kernel that has no code and does nothing. NULL: the text has
 * something that only OpenCL can do. */
const char *const *native_add(Native *n, CgNativeLevel level, const CgCode *code);
/* Runs the passes and hands over the module, which has functions only. */
struct LLVMOpaqueModule *native_take(Native *n, struct LLVMOpaqueTargetMachine *target);
void native_print(Text *out, Native *n); /* LLVM IR, before the passes */
struct LLVMOpaqueContext *native_context(const Native *n);
/* How much was added since the beginning: statements and operations. What a budget counts. */
size_t native_size(const Native *n);

#endif
