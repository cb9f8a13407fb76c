/* 20 sweeps of Jacobi's method, each with the sum of the squared changes. */
#include "../workload.h"

static double sweep(long n, const float *restrict u, float *restrict next)
{
    double change = 0;
#pragma omp parallel for reduction(+ : change)
    for (long i = 0; i < n; i++) {
        const float *row = u + i * n;
        float *to = next + i * n, sum = 0;
        if (i == 0 || i == n - 1) {
            memcpy(to, row, (size_t)n * sizeof *to);
            continue;
        }
        to[0] = row[0];
        to[n - 1] = row[n - 1];
        for (long j = 1; j < n - 1; j++) {
            float v = (row[j - n] + row[j + n] + row[j - 1] + row[j + 1]) / 4;
            to[j] = v;
            sum += (v - row[j]) * (v - row[j]);
        }
        change += (double)sum;
    }
    return change;
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *start = floats(n * n), *u = floats(n * n), *next = floats(n * n);
    for (long i = 0; i < n * n; i++) start[i] = unit(i);
    double check = 0;
    Runs runs = {0};
    while (more(&runs)) {
        sweep(n, start, u);
        for (int t = 1; t < 20; t++) {
            check = sweep(n, u, next);
            float *swap = u;
            u = next;
            next = swap;
        }
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * (double)u[i * n + j];
    return report(&runs, check);
}
