/* Machine code of modules, for this machine's target at its baseline. Each call may come from a thread
 * of its own once one has returned, as long as nobody else has what hangs on the module's context. */
#ifndef CS_CODEGEN_LLVM_MACHINE_H
#define CS_CODEGEN_LLVM_MACHINE_H

#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

/* level: 0 .. 3, as in -O */
LLVMTargetMachineRef llvm_machine(int level);
/* Data layout and triple of what is made for it. */
void llvm_machine_module(LLVMTargetMachineRef machine, LLVMModuleRef mod);
/* An object file or assembly. */
LLVMMemoryBufferRef llvm_machine_code(LLVMTargetMachineRef machine, LLVMModuleRef mod,
                                      LLVMCodeGenFileType type);

/* instcombine in a list of passes, which is not asked whether it had more to do. */
#if LLVM_VERSION_MAJOR >= 18
#define LLVM_INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define LLVM_INSTCOMBINE "instcombine"
#endif

#endif
