/* Peer: STREAM's kernels (McCalpin, Memory Bandwidth and Machine Balance in Current High Performance Computers, 1995) on
 * floats. `stream plain GB` or `stream nontemporal GB` prints the time in which the fastest of them moves so many 1e9
 * bytes, counted as STREAM does: what is read and what is written, not what a store reads first. */
#include <string.h>

#include "bench.h"

enum { N = 1 << 26 };

typedef struct Stream {
    float *a, *b, *c;
} Stream;

typedef float Line
    __attribute__((vector_size(64))); /* aligned: only such stores go past the caches */

#define KERNEL(name, store)                                                                        \
    static void name##_##store(void *ctx)                                                          \
    {                                                                                              \
        Stream s = *(Stream *)ctx;                                                                 \
        Line *restrict a = (Line *)s.a, *restrict b = (Line *)s.b, *restrict c = (Line *)s.c;      \
        (void)a, (void)b, (void)c;                                                                 \
        _Pragma("omp parallel for") for (size_t i = 0; i < N / 16; i++) name(store);               \
    }
#define plain(p, v) (*(p) = (v))
#ifdef __clang__
#define nontemporal(p, v) __builtin_nontemporal_store(v, p)
#else
#define nontemporal(p, v) (*(p) = (v))
#endif
#define copy(store) store(&c[i], a[i])
#define scale(store) store(&b[i], 3 * c[i])
#define add(store) store(&c[i], a[i] + b[i])
#define triad(store) store(&a[i], b[i] + 3 * c[i])

KERNEL(copy, plain)
KERNEL(scale, plain)
KERNEL(add, plain)
KERNEL(triad, plain)
KERNEL(copy, nontemporal)
KERNEL(scale, nontemporal)
KERNEL(add, nontemporal)
KERNEL(triad, nontemporal)

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*plain)(void *), (*nontemporal)(void *);
        int arrays;
    } kernels[] = {{"copy", copy_plain, copy_nontemporal, 2},
                   {"scale", scale_plain, scale_nontemporal, 2},
                   {"add", add_plain, add_nontemporal, 3},
                   {"triad", triad_plain, triad_nontemporal, 3}};
    if (argc != 3) return 2;
    bool past = strcmp(argv[1], "nontemporal") == 0;
    Stream s = {bench_floats(N, 1), bench_floats(N, 2), bench_floats(N, 3)};
    double best = 0;
    const char *which = "";
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        double seconds = bench_best(past ? kernels[k].nontemporal : kernels[k].plain, &s, 0.3);
        double rate = 4.0 * kernels[k].arrays * N / seconds;
        if (rate > best) which = kernels[k].name;
        if (rate > best) best = rate;
    }
    printf("%.9f %s %.1f GB/s\n", atof(argv[2]) * 1e9 / best, which, best / 1e9);
    return 0;
}
