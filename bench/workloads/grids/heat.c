/* 24 steps of heat in a block with a border that is given. */
#include "../workload.h"

static void step(long n, const float *restrict s, float *restrict d)
{
    long plane = n * n;
#pragma omp parallel for schedule(static)
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++) {
            const float *u = s + i * plane + j * n;
            float *to = d + i * plane + j * n;
            for (long k = 1; k < n - 1; k++)
                to[k] = u[k] + 0.1f * (u[k - plane] + u[k + plane] + u[k - n] + u[k + n] +
                                       u[k - 1] + u[k + 1] - 6 * u[k]);
        }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), all = n * n * n;
    float *start = floats(all), *s = floats(all), *d = floats(all);
    for (long i = 0; i < all; i++) start[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) {
        memcpy(s, start, (size_t)all * sizeof *s);
        memcpy(d, start, (size_t)all * sizeof *d);
        for (int t = 0; t < 24; t++) {
            step(n, s, d);
            float *last = s;
            s = d;
            d = last;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                check += weight(i + j + k) * (double)s[(i * n + j) * n + k];
    return report(&runs, check);
}
