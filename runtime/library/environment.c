/* The class Environment, and what a program asks of the runtime itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../base/system/process.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "console.h"

/* NULL if there is none. */
void *cs_env_get(void *name)
{
    const Str *s = name;
    const char *value = s ? getenv(s->bytes) : NULL;
    bool first = value && ranks_first();
    return ranks_tell_str(RANKS_ASKS, first ? rt_str_new(value, (int64_t)strlen(value)) : NULL,
                          NULL);
}

void cs_env_exit(int32_t code)
{
    if (rt.embedded) {
        rt_throw(RT_ARGUMENT, NULL, "Environment.Exit(%d) in a library: it is no process",
                 (int)code);
        return;
    }
    rt_catch();
    int32_t failed = cs_finish();
    exit(failed ? failed : code);
}

static int32_t run(void *program, void *argument, const CsSite *site)
{
    Str *words[] = {program, argument};
    char *const argv[] = {words[0]->bytes, words[1]->bytes, NULL};
    int status = 0, code;
    console_flush();
    code = process_run(argv, &status);
    if (code == ENOENT) return -1;
    if (code) rt_throw(RT_IO, site, "%s cannot be run: %s", words[0]->bytes, strerror(code));
    return code ? -1 : process_exit_code(status);
}

/* Runs a program and waits for it. Gives its exit code; -1: there is no such program. */
int32_t cs_env_run(void *program, void *argument, const CsSite *site)
{
    int32_t code = ranks_first() ? run(program, argument, site) : 0;
    return (int32_t)ranks_tell_number(RANKS_RUNS, code, site);
}

/* Milliseconds since the machine started, as an int that wraps. */
int32_t cs_env_tick_count(void)
{
    struct timespec t;
    rt_fill_all();
    ranks_wait();
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint32_t ms = (uint32_t)t.tv_sec * 1000u + (uint32_t)(t.tv_nsec / 1000000);
    return (int32_t)ranks_tell_number(RANKS_LOOKS, ms, NULL);
}

/* Of the monotonic clock, once the device has done what it was asked: a stopwatch counts work where
 * the program started it. */
int64_t cs_env_nanoseconds(void)
{
    struct timespec t;
    rt_fill_all();
    rt_sync();
    ranks_wait();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ranks_tell_number(RANKS_LOOKS, (int64_t)t.tv_sec * 1000000000 + t.tv_nsec, NULL);
}

enum { TICKS_PER_SECOND = 10000000 };
static const int64_t unix_epoch = 62135596800; /* in seconds since the year 1 */

int64_t cs_env_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    int64_t ticks = ((int64_t)t.tv_sec + unix_epoch) * TICKS_PER_SECOND + t.tv_nsec / 100;
    return ranks_tell_number(RANKS_LOOKS, ticks, NULL);
}

int64_t cs_env_zone(int64_t ticks)
{
    struct tm local;
    time_t at = (time_t)(ticks / TICKS_PER_SECOND - unix_epoch);
    int64_t ahead = localtime_r(&at, &local) ? (int64_t)local.tm_gmtoff * TICKS_PER_SECOND : 0;
    return ranks_tell_number(RANKS_ASKS, ahead, NULL);
}

int32_t cs_env_processor_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return (int32_t)ranks_tell_number(RANKS_ASKS, n > 0 ? n : 1, NULL);
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
