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
/* All launches, of these buffers. `words` are the errors. Kernels call nobody who could run it again meanwhile. False
 * with an exception pending. */
bool ready_run(const Ready *ready, Buffer *const *slots, Buffer *const *outs,
               uint32_t words[CG_ERROR_WORDS], const CsSite *site);

#endif
