/* Modules that become machine code beside each other, on as many threads as the process may use, while
 * the caller goes on with something else; or are found among those that csc is shipped with, or in the
 * disk cache. What comes out depends on none of it. */
#ifndef CS_CODEGEN_LLVM_OBJECTS_H
#define CS_CODEGEN_LLVM_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/text.h"
#include "store.h"

struct LLVMOpaqueModule;
struct LLVMOpaqueContext;
struct LLVMOpaqueTargetMachine;

typedef struct Objects Objects;

typedef enum ObjectsFor {
    OBJECTS_FILES,  /* object files, to be linked; kept ones are found and new ones kept */
    OBJECTS_LINKED, /* bitcode for a module that they are linked into */
    OBJECTS_STORE   /* object files for a store: all are made */
} ObjectsFor;

/* level: of the code generator. shipped: NULL, or a store that is theirs from now on. */
Objects *objects_new(int level, ObjectsFor what, Store *shipped);
ObjectsFor objects_are_for(const Objects *o);
void objects_free(Objects *o); /* what nobody has begun is not made */

typedef struct ObjectsModule {
    struct LLVMOpaqueModule *mod;
    struct LLVMOpaqueContext *context;
    /* Runs its passes, on any thread. */
    void (*optimise)(struct LLVMOpaqueModule *mod, struct LLVMOpaqueTargetMachine *machine);
    bool quick; /* by LLVM's fast selection of instructions, whatever the level */
    /* NULL, or its one function, whose name says all that decides about it: it is kept by that, with a
     * number that its maker wants to find again. */
    const char *function;
    size_t note;
} ObjectsModule;

/* Takes a module with its context. mod NULL: objects_has has found the function. */
void objects_add(Objects *o, const ObjectsModule *m);
/* Is an object of such a function kept? */
bool objects_has(Objects *o, const char *function, size_t *note);

/* Helps until all are made; in the order in which they were added. Until objects_free. */
size_t objects_count(const Objects *o);
const char *objects_bytes(Objects *o, size_t i, size_t *size);

/* The store of all of them. */
void objects_print_store(Objects *o, Text *out);

/* What is kept under a name, until objects_free; NULL: nothing. */
const char *objects_find(Objects *o, const KeptName *name, size_t *size);
/* Puts into the disk cache what the caller made. */
void objects_keep(Objects *o, const KeptName *name, const char *bytes, size_t size);

#endif
