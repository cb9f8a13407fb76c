/* How often each of 64 x 64 pairs of values occurs. */
#include "../workload.h"

enum { BINS = 64 };

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *x = floats(n), *y = floats(n);
    for (long i = 0; i < n; i++) x[i] = unit(i), y[i] = unit(i + n);
    static int count[BINS * BINS];
    Runs runs = {0};
    while (more(&runs)) {
        memset(count, 0, sizeof count);
#pragma omp parallel for reduction(+ : count[:BINS * BINS])
        for (long i = 0; i < n; i++) count[(int)(x[i] * BINS) * BINS + (int)(y[i] * BINS)]++;
    }
    double check = 0;
    for (long p = 0; p < BINS; p++)
        for (long q = 0; q < BINS; q++) check += weight(p + q) * (double)count[p * BINS + q];
    return report(&runs, check);
}
