/* Targets and what comes out of them (machine.h). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include "machine.h"

static void bug(const char *what, const char *message)
{
    fprintf(stderr, "csc: internal error in machine code: %s: %s\n", what, message ? message : "");
    abort();
}

/* LLVM's own, of the process. Moving integers of masks to mask registers is a quarter of code generation for long
 * kernels with AVX-512, and changes nothing in how they run. */
static void set_options(void)
{
#if defined(__x86_64__)
    static const char *const options[] = {"csc", "-disable-x86-domain-reassignment"};
    LLVMParseCommandLineOptions(2, options, "");
#endif
}

/* CSC_TARGET: a csc for another machine than its own, whose LLVM has all targets (tests/aarch64.sh). */
static char *own_triple(void)
{
#ifdef CSC_TARGET
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    return LLVMCreateMessage(CSC_TARGET);
#else
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    return LLVMGetDefaultTargetTriple();
#endif
}

LLVMTargetMachineRef llvm_machine(int level)
{
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                 LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char *triple = own_triple(), *error = NULL;
    pthread_once(&once, set_options);
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &error)) bug(triple, error);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, "", "", levels[level & 3], LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

void llvm_machine_module(LLVMTargetMachineRef machine, LLVMModuleRef mod)
{
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(mod, layout);
    LLVMSetTarget(mod, triple);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
}

LLVMMemoryBufferRef llvm_machine_code(LLVMTargetMachineRef machine, LLVMModuleRef mod,
                                      LLVMCodeGenFileType type)
{
    char *message = NULL;
    LLVMMemoryBufferRef bytes = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, mod, type, &message, &bytes))
        bug("none is made", message);
    LLVMDisposeMessage(message);
    return bytes;
}
