/* The potential of 4096 charges on a grid. */
#include "../workload.h"

enum { CHARGES = 4096 };

static void potential(long n, const float *restrict x, const float *restrict y,
                      const float *restrict z, const float *restrict q, float *restrict p)
{
    float width = 1.0f / (float)n;
#pragma omp parallel for collapse(2)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float px = (float)j * width, py = (float)i * width, sum = 0;
            for (long k = 0; k < CHARGES; k++) {
                float dx = px - x[k], dy = py - y[k];
                sum += q[k] / sqrtf(dx * dx + dy * dy + z[k] * z[k]);
            }
            p[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *x = floats(CHARGES), *y = floats(CHARGES), *z = floats(CHARGES), *q = floats(CHARGES);
    float *p = floats(n * n);
    for (long k = 0; k < CHARGES; k++) {
        x[k] = unit(4 * k);
        y[k] = unit(4 * k + 1);
        z[k] = 0.1f + unit(4 * k + 2);
        q[k] = unit(4 * k + 3);
    }
    Runs runs = {0};
    while (more(&runs)) potential(n, x, y, z, q, p);
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * (double)p[i * n + j];
    return report(&runs, check);
}
