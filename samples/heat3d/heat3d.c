#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 20), steps = argument(argc, argv, 2, 30), m = n * n;
    size_t size = sizeof(float) * (size_t)n * (size_t)m;
    float *u = malloc(size), *v = malloc(size), *wave = malloc(sizeof *wave * (size_t)n), most = 0;
    for (int i = 0; i < n; i++) wave[i] = sinf(3.14159265f * (float)i / (float)(n - 1));
    for (int i = 0; i < n * m; i++) u[i] = wave[i / m] * wave[i / n % n] * wave[i % n];
    memcpy(v, u, size);
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++) {
                    const float *p = u + i * m + j * n + k;
                    v[i * m + j * n + k] =
                        *p + 0.15f * (p[-m] + p[m] + p[-n] + p[n] + p[-1] + p[1] - 6 * *p);
                }
        float *w = u;
        u = v;
        v = w;
    }
    for (int i = 0; i < n * m; i++) most = fmaxf(most, u[i]);
    double mode = 1 - 6 * 0.15f * (1 - cos(3.141592653589793 / (n - 1)));
    printf("hottest %.4f, of this mode %.4f\n", most, pow(mode, steps) * pow(wave[n / 2], 3));
}
