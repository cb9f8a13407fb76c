/* Forces between bodies whose coordinates are rows of three. */
#include <math.h>

#include "../workload.h"

static void forces(long n, const float *restrict p, const float *restrict m, float *restrict a)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
        for (long j = 0; j < n; j++) {
            float x = p[3 * j] - p[3 * i], y = p[3 * j + 1] - p[3 * i + 1],
                  z = p[3 * j + 2] - p[3 * i + 2], r2 = x * x + y * y + z * z + 0.01f,
                  w = m[j] / (r2 * sqrtf(r2));
            ax += w * x;
            ay += w * y;
            az += w * z;
        }
        a[3 * i] = ax;
        a[3 * i + 1] = ay;
        a[3 * i + 2] = az;
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *p = floats(3 * n), *a = floats(3 * n), *m = floats(n);
    for (long i = 0; i < 3 * n; i++) p[i] = unit(i);
    for (long i = 0; i < n; i++) m[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) forces(n, p, m, a);
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long c = 0; c < 3; c++) check += weight(i + c) * (double)a[3 * i + c];
    return report(&runs, check);
}
