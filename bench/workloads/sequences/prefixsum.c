/* Running sums of ints: each thread sums its part, then goes over it again from where those before
 * it end. */
#include "../workload.h"

enum { THREADS = 1024 };

static void scan(long n, const int *restrict a, int *restrict y)
{
    int total[THREADS];
#pragma omp parallel
    {
        long t = omp_get_thread_num(), threads = omp_get_num_threads();
        long begin = n * t / threads, end = n * (t + 1) / threads;
        int sum = 0;
        for (long i = begin; i < end; i++) sum += a[i];
        total[t] = sum;
#pragma omp barrier
        sum = 0;
        for (long k = 0; k < t; k++) sum += total[k];
        for (long i = begin; i < end; i++) y[i] = sum += a[i];
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *a = ints(n), *y = ints(n);
    if (omp_get_max_threads() > THREADS) omp_set_num_threads(THREADS);
    for (long i = 0; i < n; i++) a[i] = (int)(mix((uint32_t)i) % 10);
    Runs runs = {0};
    while (more(&runs)) scan(n, a, y);
    double check = 0;
    for (long i = 0; i < n; i++) check += weight(i) * y[i];
    return report(&runs, check);
}
