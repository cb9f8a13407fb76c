/* Ten steps of bodies that attract each other, with an array a coordinate. */
#include "../workload.h"

typedef struct Bodies {
    float *p[3], *v[3], *force[3], *start[3], *mass;
} Bodies;

static void attract(long n, Bodies b)
{
    const float *restrict x = b.p[0], *restrict y = b.p[1], *restrict z = b.p[2];
    const float *restrict mass = b.mass;
#pragma omp parallel for firstprivate(x, y, z, mass)
    for (long i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0, xi = x[i], yi = y[i], zi = z[i];
        for (long j = 0; j < n; j++) {
            float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            float pull = mass[j] * inverse * inverse * inverse;
            fx += pull * dx;
            fy += pull * dy;
            fz += pull * dz;
        }
        b.force[0][i] = fx;
        b.force[1][i] = fy;
        b.force[2][i] = fz;
    }
}

static void run(long n, Bodies b)
{
    for (int d = 0; d < 3; d++) {
        memcpy(b.p[d], b.start[d], (size_t)n * sizeof(float));
        memset(b.v[d], 0, (size_t)n * sizeof(float));
    }
    for (int t = 0; t < 10; t++) {
        attract(n, b);
        for (int d = 0; d < 3; d++)
            for (long i = 0; i < n; i++) {
                b.v[d][i] += 0.01f * b.force[d][i];
                b.p[d][i] += 0.01f * b.v[d][i];
            }
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    Bodies b = {.mass = floats(n)};
    for (int d = 0; d < 3; d++) {
        b.p[d] = floats(n);
        b.v[d] = floats(n);
        b.force[d] = floats(n);
        b.start[d] = floats(n);
        for (long i = 0; i < n; i++) b.start[d][i] = unit(3 * i + d) - 0.5f;
    }
    for (long i = 0; i < n; i++) b.mass[i] = (0.5f + unit(i + 3 * n)) / (float)n;
    Runs runs = {0};
    while (more(&runs)) run(n, b);
    double check = 0;
    for (long i = 0; i < n; i++) {
        check += fabs((double)b.p[0][i]);
        for (int d = 0; d < 3; d++) check += (double)b.v[d][i] * (double)b.v[d][i];
    }
    return report(&runs, check);
}
