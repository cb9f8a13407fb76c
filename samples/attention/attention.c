#include "../sample.h"

int main(int argc, char **argv)
{
    enum { W = 32 };
    int n = argument(argc, argv, 1, 64);
    float(*q)[W] = malloc(sizeof *q * (size_t)n), (*k)[W] = malloc(sizeof *k * (size_t)n);
    float(*v)[W] = malloc(sizeof *v * (size_t)n), (*a)[W] = calloc((size_t)n, sizeof *a);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < W; d++) q[i][d] = uniform(9, (uint64_t)(i * W + d)) - 0.5f;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < W; d++)
            k[i][d] = q[(i + 1) % n][d] * 40, v[i][d] = (float)((i + d) % n);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float *w = malloc(sizeof *w * (size_t)n), most = -INFINITY, total = 0;
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int d = 0; d < W; d++) s += q[i][d] * k[j][d];
            w[j] = s / sqrtf(W);
            most = fmaxf(most, w[j]);
        }
        for (int j = 0; j < n; j++) total += w[j] = expf(w[j] - most);
        for (int j = 0; j < n; j++)
            for (int d = 0; d < W; d++) a[i][d] += w[j] * v[j][d] / total;
        free(w);
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < W; d++) sum += a[i][d];
    printf("%.2f %.2f %.2f\nmean %.2f\n", a[5][0], a[5][1], a[n - 1][3], sum / (n * W));
}
