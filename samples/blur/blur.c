#include "../sample.h"

static inline int clamp(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 48), radius = 8;
    size_t size = sizeof(float) * 3 * (size_t)n * (size_t)n;
    float sigma = 2.5f, w[17], total = 0, *p = malloc(size), *q = malloc(size), *r = malloc(size);
    for (int d = -radius; d <= radius; d++)
        total += w[d + radius] = expf((float)(-d * d) / (2 * sigma * sigma));
    for (int d = 0; d <= 2 * radius; d++) w[d] /= total;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int c = 0; c < 3; c++) p[(i * n + j) * 3 + c] = (float)((i / 8 + j / 8 + c) % 2);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int c = 0; c < 3; c++) {
                float s = 0;
                for (int d = -radius; d <= radius; d++)
                    s += w[d + radius] * p[(i * n + clamp(j + d, n)) * 3 + c];
                q[(i * n + j) * 3 + c] = s;
            }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3 * n; j++) {
            float s = 0;
            for (int d = -radius; d <= radius; d++)
                s += w[d + radius] * q[clamp(i + d, n) * n * 3 + j];
            r[i * n * 3 + j] = s;
        }
    const char *names[] = {"sharp", "soft "};
    for (int k = 0; k < 2; k++) {
        float *f = k ? r : p, least = f[0], most = f[0];
        double sum = 0;
        for (int i = 0; i < 3 * n * n; i++) {
            sum += f[i];
            least = fminf(least, f[i]);
            most = fmaxf(most, f[i]);
        }
        printf("%s %.4f, from %.4f to %.4f\n", names[k], sum / (3 * n * n), least, most);
    }
    printf("%.4f %.4f %.4f\n", r[0], r[(n / 2 * n + n / 2) * 3 + 1], r[(5 * n + 20) * 3 + 2]);
}
