/* Evaluations by kernels. Errors of elements carry the line of the operation. */
#ifndef CS_RUNTIME_RUN_H
#define CS_RUNTIME_RUN_H

#include "compose/compose.h"

/* FAILED: with an exception pending. INTERPRET: no kernel can do it, or the interpreter better. */
typedef enum Outcome { DONE, FAILED, INTERPRET } Outcome;

typedef struct Results { /* what an evaluation fills: one buffer, or those of several results */
    int n;
    Buffer *const *buffers;
    int64_t count; /* elements of each */
} Results;

/* Fills the results, or holds back what e.lazy is (hold.h). */
Outcome run_on_device(Evaluation *e, const Results *r, const CsSite *site);

#endif
