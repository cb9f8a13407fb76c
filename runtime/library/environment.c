/* The class Environment, and what a program asks of the runtime itself. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../state.h"

/* NULL if there is none. */
void *cs_env_get(void *name)
{
    const Str *s = name;
    const char *value = s ? getenv(s->bytes) : NULL;
    return value ? rt_str_new(value, (int64_t)strlen(value)) : NULL;
}

void cs_env_exit(int32_t code)
{
    rt_catch();
    int32_t failed = cs_finish();
    exit(failed ? failed : code);
}

/* Milliseconds since the machine started, as an int that wraps. */
int32_t cs_env_tick_count(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int32_t)((uint32_t)t.tv_sec * 1000u + (uint32_t)(t.tv_nsec / 1000000));
}

/* Of the monotonic clock, once the device has done what it was asked: a stopwatch counts work where
 * the program started it. */
int64_t cs_env_nanoseconds(void)
{
    struct timespec t;
    rt_sync();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int32_t cs_env_processor_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int32_t)n : 1;
}

void *cs_env_new_line(void)
{
    return rt_str_new("\n", 1);
}

void *cs_str_empty(void)
{
    return rt_str_new("", 0);
}

void cs_gc_collect(void)
{
    cs_collect();
}
