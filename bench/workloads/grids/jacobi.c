/* 20 sweeps of Jacobi's method for Laplace's equation; the border is given. */
#include "../workload.h"

static void sweep(long n, const float *restrict u, float *restrict next)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const float *row = u + i * n;
        float *to = next + i * n;
        if (i == 0 || i == n - 1) {
            memcpy(to, row, (size_t)n * sizeof *to);
            continue;
        }
        to[0] = row[0];
        to[n - 1] = row[n - 1];
        for (long j = 1; j < n - 1; j++)
            to[j] = (row[j - n] + row[j + n] + row[j - 1] + row[j + 1]) / 4;
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *start = floats(n * n), *u = floats(n * n), *next = floats(n * n);
    for (long i = 0; i < n * n; i++) start[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) {
        sweep(n, start, u);
        for (int t = 1; t < 20; t++) {
            sweep(n, u, next);
            float *swap = u;
            u = next;
            next = swap;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * (double)u[i * n + j];
    return report(&runs, check);
}
