/* Stopwatch of C#: time in which it ran, on the monotonic clock. Reading, starting and stopping
 * wait for the device first, so that asynchronous work is counted where the program started it. */
#include <time.h>

#include "value.h"

typedef struct Stopwatch {
    CsHead head;
    bool running;
    int64_t before; /* ns gathered by earlier runs */
    int64_t since;  /* start of this run */
} Stopwatch;

static int64_t now(void)
{
    struct timespec t;
    rt_sync();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t elapsed(const Stopwatch *w)
{
    return w->before + (w->running ? now() - w->since : 0);
}

void *cs_stopwatch_new(void)
{
    return rt_object_new(sizeof(Stopwatch), CS_STOPWATCH);
}

void *cs_stopwatch_start_new(void)
{
    void *w = cs_stopwatch_new();
    cs_stopwatch_start(w);
    return w;
}

void cs_stopwatch_start(void *s)
{
    Stopwatch *w = s;
    if (w->running) return;
    w->since = now();
    w->running = true;
}

void cs_stopwatch_stop(void *s)
{
    Stopwatch *w = s;
    w->before = elapsed(w);
    w->running = false;
}

void cs_stopwatch_reset(void *s)
{
    Stopwatch *w = s;
    w->before = 0;
    w->running = false;
}

void cs_stopwatch_restart(void *s)
{
    cs_stopwatch_reset(s);
    cs_stopwatch_start(s);
}

double cs_stopwatch_seconds(void *s)
{
    return (double)elapsed(s) / 1e9;
}

int64_t cs_stopwatch_milliseconds(void *s)
{
    return elapsed(s) / 1000000;
}
