/* Kernels as machine code of the host: kernel IR to LLVM IR, the second printer beside OpenCL's
 * (kernel/ir/opencl.c), with the same meaning. A text keeps its plan; each of its kernels becomes a
 * function that does one work-item (CsKernelCode), for one level of the processor with macros fixed
 * by that level's facts (cg_native_device). What is one work-item a group can be had so: texts of
 * the cpu family. */
#ifndef CS_CODEGEN_NATIVE_H
#define CS_CODEGEN_NATIVE_H

#include "../../base/text.h"
#include "../kernel/codegen.h"

typedef struct Native Native; /* a text's kernels for a level: modules, each with its own context */
struct LLVMOpaqueModule;
struct LLVMOpaqueContext;
struct LLVMOpaqueTargetMachine;

/* runs: of each kernel (cg_plan_kernels), is it to have code? NULL: all are.
 * stops: loops end once cs_stack_limit is the largest number, as it is in a session that is interrupted.
 * NULL: the text has something that only OpenCL can do. */
Native *native_new(CgNativeLevel level, const CgCode *code, const bool *runs, bool stops);
void native_free(Native *n); /* with the modules that were not taken */

/* The functions in the order of cg_plan_kernels, as long as n is there; NULL in place of a kernel that
 * has no code. The names tell text and level, so that a program may hold several. */
const char *const *native_functions(const Native *n);
void native_print(Text *out, const Native *n); /* LLVM IR, before the passes */
size_t native_size(const Native *n); /* of statements and operations: what a budget counts */

/* Hands over the next module, which has functions only, and its context; NULL: there is none left.
 * Large texts have several, so that threads share the work. */
struct LLVMOpaqueModule *native_take(Native *n, struct LLVMOpaqueContext **context);
/* Runs the passes on what was taken; on any thread. */
void native_optimise(struct LLVMOpaqueModule *mod, struct LLVMOpaqueTargetMachine *target);

#endif
