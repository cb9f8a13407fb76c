/* Many products of 4 x 4, each applied to a point of its own. */
#include "../workload.h"

static void products(long n, const float *restrict a, const float *restrict b,
                     const float *restrict p, float *restrict c, float *restrict q)
{
#pragma omp parallel for
    for (long s = 0; s < n; s++) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                float sum = 0;
                for (int k = 0; k < 4; k++) sum += a[s * 16 + i * 4 + k] * b[s * 16 + k * 4 + j];
                c[s * 16 + i * 4 + j] = sum;
            }
        for (int i = 0; i < 4; i++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) sum += c[s * 16 + i * 4 + k] * p[s * 4 + k];
            q[s * 4 + i] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *a = floats(n * 16), *b = floats(n * 16), *c = floats(n * 16), *p = floats(n * 4),
          *q = floats(n * 4);
    for (long i = 0; i < n * 16; i++) a[i] = unit(i) - 0.5f, b[i] = unit(i + 7) - 0.5f;
    for (long i = 0; i < n * 4; i++) p[i] = unit(i + 3);
    Runs runs = {0};
    while (more(&runs)) products(n, a, b, p, c, q);
    double check = 0;
    for (long s = 0; s < n; s++)
        for (long i = 0; i < 4; i++) check += weight(s + i) * (double)q[s * 4 + i];
    return report(&runs, check);
}
