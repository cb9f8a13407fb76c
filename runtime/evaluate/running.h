/* What an evaluation by kernels has while it is brought about: numbers (run.c), then the device's kernels
 * (run_device.c) or the program's (run_native.c). */
#ifndef CS_RUNTIME_RUNNING_H
#define CS_RUNTIME_RUNNING_H

#include "../native/native.h"
#include "bind/kernels.h"
#include "bind/numbers.h"
#include "run.h"

/* All that takes blocks: what may run out of memory comes before the device is asked. */
typedef struct Preparation {
    Evaluation *e;
    Numbers numbers;
    const Results *results;
    const CsSite *site;
    Outcome outcome;
    NativeWhen when; /* its native form runs, if it has one */
    bool alone;      /* the device would leave it to a few work-items (run_device_alone) */
    bool large;      /* the device has no buffers as large (run_device_large) */
    bool meanwhile;  /* it runs in the program's form until there is a better one */
} Preparation;

/* ---- run.c ------------------------------------------------------------------------------------- */

/* Binds the plan of a kernel to the numbers. False with an exception pending: the results have no room. */
bool run_bind(Evaluation *e, const Kernel *k, const CgDevice *device, Numbers *n, const Results *r,
              const CsSite *site);
/* The memory of results and slots, of which dumps tell. False with an exception pending. */
bool run_take(Evaluation *e, Numbers *n, const Results *r, bool queued, const CsSite *site);
/* What ranks do together. */
NativeRun run_shared(const Evaluation *e, Numbers *n, const Results *r, int shares,
                     const CsSite *site);
/* Are most of its temporaries kept where they are used, if that is asked for, and no errors told? What goes
 * into an array that it reads has no temporaries, and cannot fail. */
bool run_suits(Preparation *p);
/* Is it held back? Else it is evaluated now, which takes the memory that it lent (hold_wants). */
bool run_is_held(Preparation *p);
/* Is it over, without having been interrupted? Else what it wrote is no result. Kernels of a driver
 * are interrupted in sessions only. */
bool run_is_over(const CsSite *site);
/* What kernels told: FAILED with the exception of an element. */
Outcome run_outcome(const Evaluation *e, const uint32_t *words, const CsSite *site);

/* ---- run_device.c ------------------------------------------------------------------------------ */

/* Finds the kernel: composed->kernel, if it is DONE. */
Outcome run_device_kernel(Evaluation *e, const CsSite *site);
void run_device_prepare(void *preparation); /* binds it, for mem_try; sets the outcome */
Outcome run_device(Evaluation *e, Numbers *n, const Results *r, const CsSite *site);
/* Is there no launch that occupies the device's units? One of a GPU's many work-items is slow: a recurrence in
 * order is for the processor, which has to fetch the operands. */
bool run_device_alone(const Preparation *p);
bool run_device_large(const Preparation *p); /* is there a buffer that the device cannot have? */

/* ---- run_native.c ------------------------------------------------------------------------------ */

/* By the numbers of an evaluation before, whose run may stand ready. */
Outcome run_native_again(Evaluation *e, struct Recalled *last, const Results *r,
                         const CsSite *site);
/* If it is to run here, all of it. INTERPRET: not here. */
Outcome run_native_try(Preparation *p);
/* Natively, whatever is usual. The usual kernel stays what it is: which one an evaluation of reals takes is a
 * function of its sizes alone. */
Outcome run_native_large(Preparation *p);

#endif
