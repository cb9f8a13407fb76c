/* Native forms of kernels, made where their texts are. */
#ifndef CS_DRIVER_NATIVES_H
#define CS_DRIVER_NATIVES_H

#include "job.h"

typedef struct NativeForms {
    Job *job;
    HostKernel *kernel;
    const SemaEvaluation *evaluation;
    FdOrder order; /* of its graph */
} NativeForms;

/* CgAlso.take, of a NativeForms. */
void natives_add(void *ctx, const CgCode *code);

#endif
