#include "../sample.h"

static float roughness(const float *x, int n)
{
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n - 1; i++) sum += fabsf(x[i + 1] - x[i]);
    return sum;
}

int main(int argc, char **argv)
{
    static const float w[3] = {0.25f, 0.5f, 0.25f};
    int n = argument(argc, argv, 1, 32);
    float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
#pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = (float)sin(i * 0.4) + 0.2f * uniform(3, (uint64_t)i);
#pragma omp parallel for
    for (int i = 0; i < n - 2; i++) y[i] = x[i] * w[0] + x[i + 1] * w[1] + x[i + 2] * w[2];
    printf("%d samples in, %d out\n", n, n - 2);
    printf("roughness %.3f -> %.3f\n", roughness(x, n), roughness(y, n - 2));
}
