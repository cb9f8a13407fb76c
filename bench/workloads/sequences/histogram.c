/* How often each of 256 values occurs: four tables a thread, so that equal neighbours do not wait
 * for each other. */
#include "../workload.h"

enum { BINS = 256, TABLES = 4 };

static void histogram(long n, const int *restrict data, int *restrict count)
{
    memset(count, 0, BINS * sizeof *count);
#pragma omp parallel
    {
        int table[TABLES][BINS] = {0};
#pragma omp for
        for (long i = 0; i < n / TABLES; i++)
            for (long t = 0; t < TABLES; t++) {
                unsigned bin = (unsigned)data[TABLES * i + t];
                if (bin < BINS) table[t][bin]++;
            }
#pragma omp critical
        for (long bin = 0; bin < BINS; bin++)
            for (long t = 0; t < TABLES; t++) count[bin] += table[t][bin];
    }
    for (long i = n / TABLES * TABLES; i < n; i++)
        if ((unsigned)data[i] < BINS) count[data[i]]++;
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *data = ints(n), count[BINS];
    for (long i = 0; i < n; i++) data[i] = (int)(mix((uint32_t)i) % BINS);
    Runs runs = {0};
    while (more(&runs)) histogram(n, data, count);
    double check = 0;
    for (long bin = 0; bin < BINS; bin++) check += weight(bin) * count[bin];
    return report(&runs, check);
}
