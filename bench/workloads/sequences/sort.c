/* Ints in order, by three digits of 11 bits: each thread counts its part's digits and puts its part. */
#include "../workload.h"

enum { DIGIT = 11, VALUES = 1 << DIGIT, THREADS = 256 };

static uint32_t at[THREADS][VALUES];

static void add_up(int threads)
{
    uint32_t before = 0;
    for (int v = 0; v < VALUES; v++)
        for (int t = 0; t < threads; t++) {
            uint32_t here = at[t][v];
            at[t][v] = before;
            before += here;
        }
}

static void pass(long n, const uint32_t *restrict a, uint32_t *restrict b, int shift)
{
#pragma omp parallel
    {
        int t = omp_get_thread_num(), threads = omp_get_num_threads();
        long begin = n * t / threads, end = n * (t + 1) / threads;
        uint32_t *mine = at[t];
        memset(mine, 0, sizeof at[t]);
        for (long i = begin; i < end; i++) mine[a[i] >> shift & (VALUES - 1)]++;
#pragma omp barrier
#pragma omp single
        add_up(threads);
        for (long i = begin; i < end; i++) b[mine[a[i] >> shift & (VALUES - 1)]++] = a[i];
    }
}

/* The n ints of a, which are not below 0, in y. */
static void sort(long n, const int *a, uint32_t *other, int *y)
{
    pass(n, (const uint32_t *)a, (uint32_t *)y, 0);
    pass(n, (const uint32_t *)y, other, DIGIT);
    pass(n, other, (uint32_t *)y, 2 * DIGIT);
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *a = ints(n), *other = ints(n), *y = ints(n);
    if (omp_get_max_threads() > THREADS) omp_set_num_threads(THREADS);
    for (long i = 0; i < n; i++) a[i] = (int)(mix((uint32_t)i) >> 1);
    Runs runs = {0};
    while (more(&runs)) sort(n, a, (uint32_t *)other, y);
    double check = 0;
    for (long i = 0; i < n; i++) check += weight(i) * y[i];
    return report(&runs, check);
}
