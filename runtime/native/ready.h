/* Runs that stand ready: of a schedule that was bound before, the code of each launch and its arguments, all but for
 * where arrays lie. Evaluations of few elements would spend most of their time on finding these out. */
#ifndef CS_RUNTIME_READY_H
#define CS_RUNTIME_READY_H

#include "launch.h"

typedef struct Ready Ready;

/* Of r, whose numbers it keeps, from the arena, in mem_try. NULL: it takes more than launches of kernels that are there
 * and a few temporaries. */
Ready *ready_new(Arena *a, const NativeRun *r);
/* The schedule has other sizes and arguments; work: operations in all. */
void ready_values(Ready *ready, double work);
/* Scalars alone have other values, of slots in the plan's order, which its schedule gets. */
void ready_scalars(Ready *ready, const ScalarValue *slots);
/* Its arguments that are the addresses of arrays and results: never NULL. */
typedef struct ReadySides {
    void **slots, **outs;
} ReadySides;
ReadySides *ready_sides(Ready *ready);
/* All launches, of these sides; of these buffers. Gives the errors, CG_ERROR_WORDS until the next run. Kernels call nobody
 * who could run it again meanwhile. NULL with an exception pending. */
const uint32_t *ready_go(Ready *ready);
const uint32_t *ready_run(Ready *ready, Buffer *const *slots, Buffer *const *outs,
                          const CsSite *site);

#endif
