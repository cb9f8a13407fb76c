#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 4096), lags = n / 8;
    float *x = malloc(sizeof *x * (size_t)n), *r = malloc(sizeof *r * (size_t)lags);
    for (int i = 0; i < n; i++) x[i] = sinf(i * 0.0628f) + 4 * (uniform(1, (uint64_t)i) - 0.5f);
#pragma omp parallel for schedule(dynamic, 16)
    for (int k = 0; k < lags; k++) {
        float s = 0;
        for (int i = 0; i < n - k; i++) s += x[i] * x[i + k];
        r[k] = s / (float)n;
    }
    int peak = 50;
    for (int k = 50; k < 150; k++)
        if (r[k] > r[peak]) peak = k;
    printf("power %.3f, after half a period %.3f, after a period %.3f\n", r[0], r[50], r[100]);
    printf("the peak is at %d. tens of steps\n", peak / 10);
}
