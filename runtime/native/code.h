/* Machine code that was made for this run, beside what the program holds: by the compiler at hand (compiler.h),
 * for kernels that a run launches. It stays as long as the kernel's text. */
#ifndef CS_RUNTIME_CODE_H
#define CS_RUNTIME_CODE_H

#include "../../base/vec.h"
#include "../../codegen/kernel/codegen.h"
#include "load.h"

typedef struct Made {
    CsCode form; /* kernels: NULL, those that nobody has launched */
    CsKernelCode **kernels;
    VEC(Loaded) loaded;
    /* Of each kernel, while an answer is asked for and taken: is it wanted, its function's name and code. */
    char *wanted;
    const char **names;
    CsKernelCode **codes;
    struct Request *asked; /* that there is no answer to yet; NULL: none */
    bool refused;          /* it cannot be made */
} Made;

/* The form of a text's kernels that are made; NULL: none can be, or memory is out. */
const CsCode *code_form(Made **made, const CgPlan *plan);

/* What is to be made of. */
typedef struct CodeOf {
    const FdGraph *graph;
    FdKey key; /* fd_key */
    const CgOptions *options;
    const char *text;   /* that it is lowered to, */
    const CgPlan *plan; /* with its plan */
    const CgSchedule *schedule;
} CodeOf;
/* Makes the kernels of launches that the form lacks (native_has). False: they are not there, without an exception:
 * they cannot be made, or not yet, which is no error where nobody waits. */
bool code_make(Made *made, const CodeOf *of, bool wait);
void code_free(Made *made);

#endif
