/* Modules that become machine code beside each other, on as many threads as the process may use, while
 * the caller goes on with something else; or are found in the disk cache. What comes out depends on
 * neither. */
#ifndef CS_CODEGEN_LLVM_OBJECTS_H
#define CS_CODEGEN_LLVM_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "kept.h"

struct LLVMOpaqueModule;
struct LLVMOpaqueContext;
struct LLVMOpaqueTargetMachine;

typedef struct Objects Objects;

/* level: of the code generator. `linked`: bitcode for a module that they are linked into, in place of
 * object files. */
Objects *objects_new(int level, bool linked);
bool objects_are_linked(const Objects *o);
void objects_free(Objects *o); /* what nobody has begun is not made */

/* Takes a module with its context. `optimise` runs its passes, on any thread. */
void objects_add(Objects *o, struct LLVMOpaqueModule *mod, struct LLVMOpaqueContext *context,
                 void (*optimise)(struct LLVMOpaqueModule *mod,
                                  struct LLVMOpaqueTargetMachine *machine));

/* Helps until all are made; in the order in which they were added. Until objects_free. */
size_t objects_count(const Objects *o);
const char *objects_bytes(Objects *o, size_t i, size_t *size);

/* Puts into the disk cache what the caller made. */
void objects_keep(Objects *o, const KeptName *name, const char *bytes, size_t size);

#endif
