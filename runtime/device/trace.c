/* What CS_TRACE asks for (trace.h), in the format of Chrome's traces. */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../state.h"
#include "profile.h"

enum { MOST = 1 << 20 }; /* spans; what comes later is left out */

typedef struct Span {
    char name[43];
    char track;
    int evaluation; /* of the profile, or -1 */
    uint64_t from, to;
} Span;

struct Trace {
    bool on;
    VEC(Span) spans;
    int64_t ahead; /* of our clock before the device's */
    bool known;
};

static const char *const tracks[] = {"host", "native kernels", "device"};

uint64_t trace_now(void)
{
    if (!rt.trace && !(rt.trace = mem_object(sizeof *rt.trace))) return 0;
    if (!rt.trace->known) {
        const char *path = getenv("CS_TRACE");
        rt.trace->on = path && *path;
        rt.trace->known = true;
    }
    if (!rt.trace->on) return 0;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void trace_kernel(TraceTrack track, const char *name, int evaluation, uint64_t from, uint64_t to)
{
    if (!from || !rt.trace || rt.trace->spans.len >= MOST || !vec_try(&rt.trace->spans)) return;
    Span s = {.track = (char)track, .evaluation = evaluation, .from = from, .to = to};
    snprintf(s.name, sizeof s.name, "%s", name);
    vec_push(&rt.trace->spans, s);
}

void trace_span(TraceTrack track, const char *name, uint64_t from, uint64_t to)
{
    trace_kernel(track, name, -1, from, to);
}

/* The least difference: that of the shortest way from the device's end to our look at the clock. */
void trace_clock(uint64_t device, uint64_t now)
{
    int64_t ahead = (int64_t)(now - device);
    if (rt.trace && now && (!rt.trace->ahead || ahead < rt.trace->ahead)) rt.trace->ahead = ahead;
}

static void write_name(FILE *out, const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c >= ' ' && *c != '"' && *c != '\\') fputc(*c, out);
}

void trace_write(void)
{
    if (!trace_now()) return; /* asked for the first time, if nothing was evaluated */
    const char *path = getenv("CS_TRACE");
    FILE *out = path ? fopen(path, "we") : NULL;
    if (!out) {
        fprintf(stderr, "CS_TRACE: cannot write '%s'\n", path ? path : "");
        return;
    }
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", out);
    for (int k = 0; k < (int)(sizeof tracks / sizeof *tracks); k++)
        fprintf(out,
                "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": %d, "
                "\"args\": {\"name\": \"%s\"}}%s",
                k + 1, tracks[k], k == 2 ? "" : ",\n");
    for (size_t i = 0; i < rt.trace->spans.len; i++) {
        const Span *s = &rt.trace->spans.data[i];
        int64_t from = (int64_t)s->from + (s->track == TRACE_DEVICE ? rt.trace->ahead : 0);
        fputs(",\n{\"ph\": \"X\", \"name\": \"", out);
        write_name(out, s->name);
        fprintf(out, "\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f", s->track + 1,
                (double)from * 1e-3, (double)(s->to - s->from) * 1e-3);
        char at[256];
        if (profile_place(s->evaluation, at, sizeof at)) {
            fputs(", \"args\": {\"at\": \"", out);
            write_name(out, at);
            fputs("\"}", out);
        }
        fputc('}', out);
    }
    fputs("\n]}\n", out);
    fclose(out);
}

void trace_free(void)
{
    if (!rt.trace) return;
    vec_free(&rt.trace->spans);
    mem_object_free(rt.trace);
    rt.trace = NULL;
}
