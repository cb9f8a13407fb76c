/* A triangular system of equations, in blocks of rows: what the solved part gives in parallel, then
 * the block itself in order. */
#include "../workload.h"

enum { BLOCK = 128 };

static void solve(long n, const float *restrict l, const float *restrict b, float *restrict x)
{
    for (long begin = 0; begin < n; begin += BLOCK) {
        long end = begin + BLOCK < n ? begin + BLOCK : n;
#pragma omp parallel for
        for (long i = begin; i < end; i++) {
            float sum = 0;
            for (long j = 0; j < begin; j++) sum += l[i * n + j] * x[j];
            x[i] = b[i] - sum;
        }
        for (long i = begin; i < end; i++) {
            float sum = 0;
            for (long j = begin; j < i; j++) sum += l[i * n + j] * x[j];
            x[i] = (x[i] - sum) / l[i * n + i];
        }
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *l = floats(n * n), *b = floats(n), *x = floats(n);
    for (long i = 0; i < n; i++) {
        b[i] = unit(i + 7);
        for (long j = 0; j < n; j++) l[i * n + j] = (unit(i * n + j) - 0.5f) / (float)n;
        l[i * n + i] = 1 + unit(i);
    }
    Runs runs = {0};
    while (more(&runs)) solve(n, l, b, x);
    double check = 0;
    for (long i = 0; i < n; i++) check += weight(i) * (double)x[i];
    return report(&runs, check);
}
