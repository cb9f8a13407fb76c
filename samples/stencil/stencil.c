#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 64), steps = argument(argc, argv, 2, 200);
    size_t size = (size_t)n * (size_t)n;
    float *u = calloc(size, sizeof *u), *next = calloc(size, sizeof *next);
    for (int j = 0; j < n; j++) u[j] = next[j] = 100;
    for (int step = 0; step < steps; step++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                const float *p = u + (size_t)i * (size_t)n + j;
                next[p - u] = 0.25f * (p[-n] + p[n] + p[-1] + p[1]);
            }
        float *t = u;
        u = next;
        next = t;
    }
    double mean = 0;
    for (size_t i = 0; i < size; i++) mean += u[i];
    printf("centre %.4f, mean %.2f\n", u[(size_t)(n / 2) * (size_t)n + (size_t)(n / 2)],
           mean / (double)size);
}
