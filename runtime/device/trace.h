/* CS_TRACE=FILE: when evaluations, builds, kernels and transfers ran, as a trace that Perfetto
 * (ui.perfetto.dev) and chrome://tracing show. Written at the end of the program. */
#ifndef CS_RUNTIME_TRACE_H
#define CS_RUNTIME_TRACE_H

#include <stdint.h>

typedef enum TraceTrack { /* a row of the picture each */
                          TRACE_HOST,
                          TRACE_NATIVE, /* kernels that the program runs itself */
                          TRACE_DEVICE  /* kernels on the device, by its own clock */
} TraceTrack;

uint64_t trace_now(void); /* ns; 0: nothing is traced */
/* Nothing if `from` is 0. */
void trace_span(TraceTrack track, const char *name, uint64_t from, uint64_t to);
/* A kernel of an evaluation (profile_now), of which the trace says where it is if there is a profile, too. */
void trace_kernel(TraceTrack track, const char *name, int evaluation, uint64_t from, uint64_t to);
/* The device's clock was this at trace_now or a little before. */
void trace_clock(uint64_t device, uint64_t now);
void trace_write(void);
void trace_free(void);

#endif
