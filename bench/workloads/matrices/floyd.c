/* Shortest paths between all pairs of n nodes by Floyd's method, in place. */
#include "../workload.h"

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *start = floats(n * n), *d = floats(n * n);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            start[i * n + j] = i == j                                 ? 0
                               : mix((uint32_t)(i * n + j)) % 10 == 0 ? 1 + 10 * unit(i * n + j)
                                                                      : 1e6f;
    Runs runs = {0};
    while (more(&runs)) {
        memcpy(d, start, (size_t)(n * n) * sizeof *d);
#pragma omp parallel
        for (long k = 0; k < n; k++) {
            const float *through = d + k * n;
#pragma omp for schedule(static)
            for (long i = 0; i < n; i++) {
                float *row = d + i * n, first = row[k];
                if (i == k) continue;
                for (long j = 0; j < n; j++) {
                    float v = first + through[j];
                    row[j] = row[j] < v ? row[j] : v;
                }
            }
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * (double)d[i * n + j];
    return report(&runs, check);
}
