/* 20 steps of a finite-difference method in the time domain: two electric fields and a magnetic one, in place. */
#include "../workload.h"

static void step(long n, int t, float *restrict ex, float *restrict ey, float *restrict hz)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        float *e = ey + i * n, *x = ex + i * n;
        const float *h = hz + i * n, *above = h - n;
        for (long j = 0; j < n; j++) e[j] = i ? e[j] - 0.5f * (h[j] - above[j]) : (float)t;
        for (long j = 1; j < n; j++) x[j] -= 0.5f * (h[j] - h[j - 1]);
    }
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n - 1; i++) {
        const float *e = ey + i * n, *x = ex + i * n;
        float *h = hz + i * n;
        for (long j = 0; j < n - 1; j++) h[j] -= 0.7f * (x[j + 1] - x[j] + e[j + n] - e[j]);
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *start = floats(n * n + 2), *ex = floats(n * n), *ey = floats(n * n), *hz = floats(n * n);
    for (long i = 0; i < n * n + 2; i++) start[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) {
        size_t bytes = (size_t)(n * n) * sizeof *ex;
        memcpy(ex, start, bytes);
        memcpy(ey, start + 1, bytes);
        memcpy(hz, start + 2, bytes);
        for (int t = 0; t < 20; t++) step(n, t, ex, ey, hz);
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * (double)hz[i * n + j];
    return report(&runs, check);
}
