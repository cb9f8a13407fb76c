#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 64), count = argument(argc, argv, 2, 100), total = 0;
    float *v = malloc(sizeof *v * (size_t)n * (size_t)n),
          *c = malloc(sizeof *c * 4 * (size_t)count);
    float *x = c, *y = c + count, *z = y + count, *q = z + count, step = 1.0f / (float)n;
    for (int k = 0; k < count; k++) {
        uint64_t at = 4 * (uint64_t)k;
        x[k] = uniform(5, at), y[k] = uniform(5, at + 1), z[k] = 0.1f + uniform(5, at + 2);
        q[k] = uniform(5, at + 3) < 0.5f ? -1 : 1;
        total += (int)q[k];
    }
    float least = INFINITY, most = -INFINITY;
#pragma omp parallel for reduction(min : least) reduction(max : most)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < count; k++) {
                float dx = (float)j * step - x[k], dy = (float)i * step - y[k];
                s += q[k] / sqrtf(dx * dx + dy * dy + z[k] * z[k]);
            }
            v[i * n + j] = s;
            least = fminf(least, s);
            most = fmaxf(most, s);
        }
    printf("total charge %d, potential %.2f .. %.2f, in the middle %.2f\n", total, least, most,
           v[n / 2 * n + n / 2]);
}
