/* Machine code that is kept in the disk cache (base/cache.h): by names that say all that decides about it,
 * which is the module as it was before its passes, this csc and this LLVM. */
#ifndef CS_CODEGEN_LLVM_KEPT_H
#define CS_CODEGEN_LLVM_KEPT_H

struct LLVMOpaqueModule;

typedef struct KeptName {
    char text[40];
} KeptName;

/* `also`: what else decides. */
KeptName kept_name(struct LLVMOpaqueModule *mod, const char *also);

#endif
