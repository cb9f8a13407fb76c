#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 32), most = argument(argc, argv, 2, 400), steps = 0;
    size_t size = sizeof(float) * (size_t)n * (size_t)n;
    float *u = malloc(size), *v = malloc(size), error = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            u[i * n + j] = i == 0       ? (float)j / (float)(n - 1)
                           : j == n - 1 ? 1 - (float)i / (float)(n - 1)
                                        : 0;
    memcpy(v, u, size);
    for (; error > 1e-5f && steps < most; steps++) {
        error = 0;
#pragma omp parallel for reduction(max : error)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                int at = i * n + j;
                v[at] = 0.25f * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1]);
                error = fmaxf(error, fabsf(v[at] - u[at]));
            }
        float *t = u;
        u = v;
        v = t;
    }
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += u[i];
    printf("%d steps, error %.6f, u in the middle %.4f, mean %.4f\n", steps, error,
           u[n / 2 * n + n / 2], sum / (n * n));
}
