/* A sparse matrix by rows, 8 to 24 elements each at random columns, times a vector. */
#include "../workload.h"

static void multiply(long n, const int *restrict row, const int *restrict column,
                     const float *restrict value, const float *restrict x, float *restrict y)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *row = ints(n + 1);
    for (long i = 0; i < n; i++) row[i + 1] = row[i] + 8 + (int)(mix((uint32_t)i) % 17);
    long count = row[n];
    int *column = ints(count);
    float *value = floats(count), *x = floats(n), *y = floats(n);
    for (long k = 0; k < count; k++) {
        column[k] = (int)(mix((uint32_t)(k + n)) % (uint32_t)n);
        value[k] = unit(k);
    }
    for (long i = 0; i < n; i++) x[i] = unit(i + count) - 0.5f;
    Runs runs = {0};
    while (more(&runs)) multiply(n, row, column, value, x, y);
    double check = 0;
    for (long i = 0; i < n; i++) check += weight(i) * fabs((double)y[i]);
    return report(&runs, check);
}
