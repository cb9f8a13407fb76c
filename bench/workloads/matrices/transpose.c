/* The transpose of a matrix, in blocks that are turned on the side: of rows that alias in the caches, each line is
 * touched once. */
#include "../workload.h"

enum { BLOCK = 64 };

static void transpose(long n, const float *restrict a, float *restrict t)
{
#pragma omp parallel for
    for (long i = 0; i < n; i += BLOCK)
        for (long j = 0; j < n; j += BLOCK) {
            float block[BLOCK][BLOCK];
            long rows = n - i < BLOCK ? n - i : BLOCK, columns = n - j < BLOCK ? n - j : BLOCK;
            for (long y = 0; y < columns; y++)
                memcpy(block[y], &a[(j + y) * n + i], (size_t)rows * sizeof(float));
            for (long x = 0; x < rows; x++)
                for (long y = 0; y < columns; y++) t[(i + x) * n + j + y] = block[y][x];
        }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *a = floats(n * n), *t = floats(n * n);
    for (long i = 0; i < n * n; i++) a[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) transpose(n, a, t);
    double check = 0;
    for (long i = 0; i < n; i++) check += weight(i) * (double)t[i * n + i / 2];
    return report(&runs, check);
}
