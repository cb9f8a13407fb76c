/* Native kernels between pages that nobody may touch (CS_GUARD=1, for tests). */
#ifndef CS_RUNTIME_GUARD_H
#define CS_RUNTIME_GUARD_H

#include <stdbool.h>
#include <stddef.h>

bool guard_wanted(void);

/* Copies of the buffers of a run. */
typedef struct Guarded Guarded;

/* The copy of `bytes` at `from` (NULL: of a temporary); `before`: what is untouchable is before its
 * beginning, else behind its end. NULL: no memory. */
void *guard_put(Guarded **all, void *from, size_t bytes, bool before);
void guard_end(Guarded *all); /* writes them back, and gives them up */

#endif
