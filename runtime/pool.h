/* Threads that share the items of a job with who has it. They begin with the first job, spin for a
 * while after each and then sleep. A job is over when all of its items are: a thread that comes late
 * holds nobody up. */
#ifndef CS_RUNTIME_POOL_H
#define CS_RUNTIME_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Does items from..to-1 of a job. */
typedef void PoolWork(const void *job, int64_t from, int64_t to);

int pool_units(void); /* threads that work, the caller among them */
/* Does all items, on the caller alone or with the others' help. */
void pool_run(PoolWork *work, const void *job, int64_t items);
void pool_end(void); /* the threads end */

#endif
