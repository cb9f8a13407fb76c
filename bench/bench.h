/* What the peers of `bench/run` share: a clock, repeated timing, reproducible inputs, and the check
 * of a product against double sums. A peer prints one line, "SECONDS NOTE": its best time and how
 * it was reached. */
#ifndef CS_BENCH_H
#define CS_BENCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Runs work(ctx) for about `seconds`, three times at least, unless one run takes that long; the
 * best time. */
static inline double bench_best(void (*work)(void *), void *ctx, double seconds)
{
    double begin = bench_now(), best = 1e30;
    for (int i = 0; i < 3 || bench_now() - begin < seconds; i++) {
        double t = bench_now();
        work(ctx);
        t = bench_now() - t;
        if (t < best) best = t;
        if (t > 3 * seconds) break;
    }
    return best;
}

/* In large pages where there are such, as the arrays of C$ are; filled with numbers in [-0.5, 0.5) or, seed 0, with zeros. */
static inline float *bench_floats(size_t n, uint64_t seed)
{
    size_t page = n * sizeof(float) < 1 << 21 ? 4096 : 1 << 21;
    size_t bytes = (n * sizeof(float) + page - 1) / page * page;
    float *p = aligned_alloc(page, bytes);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    if (page > 4096) madvise(p, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < n; i++) {
        p[i] = seed ? (float)(seed >> 40) / 16777216.0f - 0.5f : 0;
        seed = seed ? seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407) : 0;
    }
    return p;
}

/* The line of a peer that this compiler has made, if what it gives is right; its exit code. */
static inline int bench_report(double best, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) {
        fprintf(stderr, "wrong: %g instead of %g\n", got, want);
        return 1;
    }
#ifdef __clang__
    printf("%.9f clang %d\n", best, __clang_major__);
#else
    printf("%.9f gcc %d, no clang\n", best, __GNUC__);
#endif
    return 0;
}

/* Exits unless some elements of c = a b, n by n, are right. */
static inline void bench_check_product(size_t n, const float *a, const float *b, const float *c)
{
    for (size_t k = 0; k < 200; k++) {
        size_t i = k < 4 ? (k & 1) * (n - 1) : k * 7919 % n,
               j = k < 4 ? (k >> 1) * (n - 1) : k * 104729 % n;
        double sum = 0;
        for (size_t l = 0; l < n; l++) sum += (double)a[i * n + l] * (double)b[l * n + j];
        if (!(fabs(sum - (double)c[i * n + j]) <= 1e-5 * sqrt((double)n))) {
            fprintf(stderr, "wrong product at (%zu, %zu): %g instead of %g\n", i, j,
                    (double)c[i * n + j], sum);
            exit(1);
        }
    }
}

#endif
