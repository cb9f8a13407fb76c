/* Machine code of modules, for this machine's target at its baseline. Each call may come from a thread
 * of its own once one has returned, as long as nobody else has what hangs on the module's context. */
#ifndef CS_CODEGEN_LLVM_MACHINE_H
#define CS_CODEGEN_LLVM_MACHINE_H

#include <llvm-c/TargetMachine.h>

/* level: 0 .. 3, as in -O */
LLVMTargetMachineRef llvm_machine(int level);
/* Data layout and triple of what is made for it. */
void llvm_machine_module(LLVMTargetMachineRef machine, LLVMModuleRef mod);
/* An object file or assembly. */
LLVMMemoryBufferRef llvm_machine_code(LLVMTargetMachineRef machine, LLVMModuleRef mod,
                                      LLVMCodeGenFileType type);

#endif
