/* Ten steps of PageRank on a sparse graph. */
#include "../workload.h"

static void step(long n, const int *row, const int *from, const int *degree,
                 const float *restrict rank, float *restrict share, float *restrict next)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) share[i] = rank[i] / (float)(degree[i] > 1 ? degree[i] : 1);
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (int k = row[i]; k < row[i + 1]; k++) sum += share[from[k]];
        next[i] = 0.15f / (float)n + 0.85f * sum;
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *row = ints(n + 1), *degree = ints(n);
    for (long i = 0; i < n; i++) row[i + 1] = row[i] + 4 + (int)(mix((uint32_t)i) % 9);
    int *from = ints(row[n]);
    for (int k = 0; k < row[n]; k++) {
        from[k] = (int)(mix((uint32_t)k + 77) % (uint32_t)n);
        degree[from[k]]++;
    }
    float *rank = floats(n), *share = floats(n), *next = floats(n);
    Runs runs = {0};
    while (more(&runs)) {
        for (long i = 0; i < n; i++) rank[i] = 1.0f / (float)n;
        for (int t = 0; t < 10; t++) {
            step(n, row, from, degree, rank, share, next);
            float *swap = rank;
            rank = next;
            next = swap;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++) check += weight(i) * (double)rank[i];
    return report(&runs, check);
}
