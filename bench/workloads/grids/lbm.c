/* 20 steps of a lattice Boltzmann method on a torus, nine directions: one pass a step. */
#include "../workload.h"

static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float w[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                           1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

/* Element j, of which lies the left one at l and the right one at r. */
static inline void cell(const float *const *from, float *const *to, long j, long l, long r)
{
    float f[9], rho = 0;
    for (int q = 0; q < 9; q++) f[q] = from[q][cx[q] == 0 ? j : cx[q] == 1 ? l : r];
    for (int q = 0; q < 9; q++) rho += f[q];
    float ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho,
          uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < 9; q++) {
        float along = 3 * (cx[q] * ux + cy[q] * uy);
        to[q][j] = f[q] + 1.2f * (w[q] * rho * (1 + along + 0.5f * along * along - square) - f[q]);
    }
}

static void step(long n, const float *s, float *d)
{
    long plane = n * n;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        const float *from[9];
        float *to[9];
        for (int q = 0; q < 9; q++) {
            from[q] = s + q * plane + (i - cy[q] + n) % n * n;
            to[q] = d + q * plane + i * n;
        }
        cell(from, to, 0, n - 1, 1);
#pragma omp simd
        for (long j = 1; j < n - 1; j++) cell(from, to, j, j - 1, j + 1);
        cell(from, to, n - 1, n - 2, 0);
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), plane = n * n;
    float *start = floats(9 * plane), *s = floats(9 * plane), *d = floats(9 * plane);
    for (long i = 0; i < 9 * plane; i++) start[i] = w[i / plane] * (1 + 0.1f * unit(i));
    Runs runs = {0};
    while (more(&runs)) {
        memcpy(s, start, (size_t)(9 * plane) * sizeof *s);
        for (int t = 0; t < 20; t++) {
            step(n, s, d);
            float *last = s;
            s = d;
            d = last;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double density = 0;
            for (int q = 0; q < 9; q++) density += (double)s[q * plane + i * n + j];
            check += weight(i + j) * density;
        }
    return report(&runs, check);
}
