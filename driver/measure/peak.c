/* Peaks (peak.h): the best of a few turns of a copy and of independent multiply-adds, on every unit. */
#include "peak.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../run/child.h"

enum { CHAINS = 12, LANES = 16, STEPS = 1 << 18, TURNS = 5, BYTES = 16 << 20, MOST = 256 };

typedef float Lanes __attribute__((vector_size(LANES * sizeof(float))));

typedef struct Unit {
    pthread_t thread;
    char *from, *to; /* halves of a block */
    float sink;
} Unit;

/* Compiled for the processor of each function that has it. */
#define MULTIPLY(name)                                                                             \
    static float name(float with)                                                                  \
    {                                                                                              \
        Lanes sums[CHAINS], x;                                                                     \
        for (int l = 0; l < LANES; l++) x[l] = with;                                               \
        for (int c = 0; c < CHAINS; c++) sums[c] = x * (float)c;                                   \
        for (int i = 0; i < STEPS; i++)                                                            \
            for (int c = 0; c < CHAINS; c++) sums[c] = sums[c] * x + x;                            \
        float all = 0;                                                                             \
        for (int c = 0; c < CHAINS; c++)                                                           \
            for (int l = 0; l < LANES; l++) all += sums[c][l];                                     \
        return all;                                                                                \
    }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR(arch) __attribute__((optimize("O3,fp-contract=fast"), target(arch)))
FOR("avx512f,prefer-vector-width=512")
MULTIPLY(multiply_512)
FOR("avx2,fma") MULTIPLY(multiply_256) MULTIPLY(multiply_128) static float multiply(float with)
{
    if (__builtin_cpu_supports("avx512f")) return multiply_512(with);
    return __builtin_cpu_supports("fma") ? multiply_256(with) : multiply_128(with);
}
#else
MULTIPLY(multiply)
#endif

static void *do_multiply(void *unit)
{
    Unit *u = unit;
    u->sink += multiply(0.5f);
    return NULL;
}

static void *do_copy(void *unit)
{
    Unit *u = unit;
    memcpy(u->to, u->from, BYTES);
    return NULL;
}

static double best_ms(Unit *units, int n, void *(*work)(void *))
{
    double best = 0;
    for (int k = 0; k < TURNS; k++) {
        double from = child_now_ms();
        int started = 1;
        while (started < n && !pthread_create(&units[started].thread, NULL, work, &units[started]))
            started++;
        work(&units[0]);
        for (int i = 1; i < started; i++) pthread_join(units[i].thread, NULL);
        double ms = child_now_ms() - from;
        if (k == 0 || ms < best) best = ms;
    }
    return best;
}

Peak peak_measure(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int n = online < 1 ? 1 : online > MOST ? MOST : (int)online;
    Unit *units = calloc((size_t)n, sizeof *units);
    bool room = units != NULL;
    for (int i = 0; room && i < n; i++) {
        units[i].from = malloc(2 * (size_t)BYTES);
        room = units[i].from != NULL;
        if (!room) break;
        memset(units[i].from, i, 2 * (size_t)BYTES);
        units[i].to = units[i].from + BYTES;
    }
    Peak p = {1, 1};
    if (room) {
        double copied = 2.0 * BYTES * n, done = 2.0 * STEPS * CHAINS * LANES * n;
        p.gbytes = copied / (best_ms(units, n, do_copy) * 1e6);
        p.gflops = done / (best_ms(units, n, do_multiply) * 1e6);
    }
    for (int i = 0; units && i < n; i++) free(units[i].from);
    free(units);
    return p;
}
