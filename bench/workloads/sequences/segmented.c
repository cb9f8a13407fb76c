/* Sums of neighbours in groups of about 64, of which the beginnings are given. */
#include "../workload.h"

static void add(long groups, const int *restrict first, const float *restrict x, float *restrict y)
{
#pragma omp parallel for
    for (long k = 0; k < groups; k++) {
        float sum = 0;
        for (int i = first[k]; i < first[k + 1]; i++) sum += x[i];
        y[k] = sum;
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), groups = n / 64;
    int *first = ints(groups + 1);
    float *x = floats(n), *y = floats(groups);
    for (long k = 1; k < groups; k++) first[k] = (int)(64 * k - 32 + mix((uint32_t)k) % 64);
    first[groups] = (int)n;
    for (long i = 0; i < n; i++) x[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) add(groups, first, x, y);
    double check = 0;
    for (long k = 0; k < groups; k++) check += weight(k) * (double)y[k];
    return report(&runs, check);
}
