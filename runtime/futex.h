/* Waiting for a word of memory to change: a short look, then sleep. `of`: FUTEX_PRIVATE_FLAG of threads of one
 * process, 0 of processes that share the word. */
#ifndef CS_RUNTIME_FUTEX_H
#define CS_RUNTIME_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while the word is this; may return early. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, int of)
{
    syscall(SYS_futex, word, FUTEX_WAIT | of, value, NULL, NULL, 0);
}

/* Wakes all who sleep. */
static inline void futex_wake(_Atomic uint32_t *word, int of)
{
    syscall(SYS_futex, word, FUTEX_WAKE | of, INT_MAX, NULL, NULL, 0);
}

/* Between two looks: leaves the core to its other thread. */
static inline void futex_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* In nanoseconds, to end a look by. */
static inline int64_t futex_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
