/* What the workloads share: reproducible inputs, the clock and a checksum; as workload.cs$ has them.
 * A program takes its size and prints "SECONDS CHECKSUM". */
#ifndef CS_BENCH_WORKLOAD_H
#define CS_BENCH_WORKLOAD_H

#include <omp.h>
#include <string.h>

#include "../bench.h"

static inline uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static inline float unit(long i)
{
    return (float)(mix((uint32_t)i) >> 8) * (1.0f / 16777216);
}

/* The factor of element i, or of (i, j) with i + j, in a checksum. */
static inline double weight(long i)
{
    return (double)(i % 7 + 1);
}

/* Of zeros, in large pages where there are such, spread over the threads. */
static inline void *array(long count, size_t size)
{
    size_t page = 1 << 21, bytes = ((size_t)count * size + page - 1) / page * page;
    char *p = aligned_alloc(page, bytes);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    madvise(p, bytes, MADV_HUGEPAGE);
#pragma omp parallel for
    for (size_t i = 0; i < bytes; i += 4096) memset(p + i, 0, 4096);
    return p;
}

static inline float *floats(long count)
{
    return array(count, sizeof(float));
}
static inline int *ints(long count)
{
    return array(count, sizeof(int));
}

static inline long size_of(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    if (n > 0) return n;
    fputs("usage: a size\n", stderr);
    exit(2);
}

typedef struct Runs {
    int count;
    double begin, one, best;
} Runs;

/* while (more(&runs)) work; with a Runs that begins as zeros. */
static inline bool more(Runs *r)
{
    double now = bench_now(), last = 0;
    if (!r->count)
        r->begin = now;
    else
        last = now - r->one;
    if (r->count && (r->count == 1 || last < r->best)) r->best = last;
    if (last > 3 || (r->count >= 3 && now - r->begin > 1)) return false;
    r->count++;
    r->one = bench_now();
    return true;
}

static inline int report(const Runs *r, double check)
{
    printf("%.9f %.6e\n", r->best, check);
    return 0;
}

#endif
