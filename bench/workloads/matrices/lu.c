/* LU decomposition without pivoting, in place, a row at a time. */
#include "../workload.h"

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    double *start = array(n * n, sizeof *start), *a = array(n * n, sizeof *a);
    for (long i = 0; i < n * n; i++) start[i] = (double)unit(i) + (i / n == i % n ? (double)n : 0);
    Runs runs = {0};
    while (more(&runs)) {
        memcpy(a, start, (size_t)(n * n) * sizeof *a);
#pragma omp parallel
        for (long k = 0; k + 1 < n; k++) {
            const double *above = a + k * n;
#pragma omp for schedule(static)
            for (long i = k + 1; i < n; i++) {
                double *row = a + i * n, factor = row[k] /= above[k];
                for (long j = k + 1; j < n; j++) row[j] -= factor * above[j];
            }
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * a[i * n + j];
    return report(&runs, check);
}
