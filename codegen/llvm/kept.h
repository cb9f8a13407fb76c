/* Machine code that is kept in the disk cache (base/cache.h): by names that say all that decides about it,
 * which is the module as it was before its passes (or the name of its one function), this csc and this LLVM. */
#ifndef CS_CODEGEN_LLVM_KEPT_H
#define CS_CODEGEN_LLVM_KEPT_H

struct LLVMOpaqueModule;

typedef struct KeptName {
    char text[40];
} KeptName;

/* `also`: what else decides. */
KeptName kept_name(struct LLVMOpaqueModule *mod, const char *also);
/* Of the module of a function whose name says all but what csc and LLVM do with it. */
KeptName kept_name_of(const char *function, const char *also);

#endif
