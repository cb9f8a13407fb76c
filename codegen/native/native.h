/* Kernels as machine code of the host: kernel IR to LLVM IR, the second printer beside OpenCL's
 * (kernel/ir/opencl.c), with the same meaning. A text keeps its plan; each of its kernels becomes a
 * function that does one work-item (CsKernelCode), for one level of the processor with macros fixed
 * by that level's facts (cg_native_device). What is one work-item a group can be had so: texts of
 * the cpu family. */
#ifndef CS_CODEGEN_NATIVE_H
#define CS_CODEGEN_NATIVE_H

#include "../../base/text.h"
#include "../../base/vec.h"
#include "../kernel/codegen.h"
#include "../llvm/objects.h"

typedef struct Native Native; /* a text's kernels for a level: modules, each with its own context */
struct LLVMOpaqueModule;
struct LLVMOpaqueContext;
struct LLVMOpaqueTargetMachine;

/* Is there such a kernel already, so that none is to be made? NATIVE_KEPT: it is to be handed over without
 * a module, `size` is what it counts (native_size). */
typedef enum NativeFound { NATIVE_NEW, NATIVE_KEPT, NATIVE_THERE } NativeFound;
typedef NativeFound NativeFind(void *ctx, const char *name, size_t *size);

typedef struct NativeOptions {
    CgNativeLevel level;
    bool
        stops; /* loops end once cs_stack_limit is the largest number: in a session that is interrupted */
    NativeFind *find; /* or NULL */
    NativeFind *kept; /* or NULL: the same, of what is not to be made in any case */
    void *ctx;        /* of both */
} NativeOptions;

/* plan: of the text. runs: of each kernel (cg_plan_kernels), is it to have code? NULL: all are.
 * NULL: the text has something that only OpenCL can do. */
Native *native_new(const CgCode *code, const CgPlan *plan, const bool *runs,
                   const NativeOptions *options);
void native_free(Native *n); /* with the modules that were not taken */

/* The functions in the order of cg_plan_kernels, as long as n is there; NULL in place of a kernel that
 * has no code. The names tell all that decides about the code: kernels of one name are the same, whatever
 * text they are of. */
const char *const *native_functions(const Native *n);
void native_print(Text *out, const Native *n); /* LLVM IR, before the passes */
/* Of the kernels' statements and operations: what a budget counts. */
size_t native_size(const Native *n);

typedef struct NativeModule {
    struct LLVMOpaqueModule *mod; /* has functions only; NULL: NativeOptions.find has it */
    struct LLVMOpaqueContext *context;
    const char *kernel; /* NULL: several, which share functions */
    size_t size;        /* what they count */
    bool quick;         /* native_optimise_quickly is for it */
} NativeModule;

/* Hands over the next module, in an order that does not depend on what is kept; false: there is none left.
 * Texts have several, so that threads share the work. */
bool native_take(Native *n, NativeModule *out);
/* Of several texts: what goes to objects.h, a function that some have in common once. */
typedef struct NativeObjects {
    Objects *objects; /* NULL: none are wanted */
    Arena *arena;     /* of the names */
    VEC(const char *) functions;
} NativeObjects;
NativeFind native_objects_find, native_objects_kept;  /* of a NativeObjects */
void native_objects_add(NativeObjects *o, Native *n); /* all that is left to take */

/* Runs the passes on what was taken; on any thread. */
void native_optimise(struct LLVMOpaqueModule *mod, struct LLVMOpaqueTargetMachine *target);
void native_optimise_quickly(struct LLVMOpaqueModule *mod, struct LLVMOpaqueTargetMachine *target);

#endif
