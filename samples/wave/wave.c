#include "../sample.h"

static float to_edge(int i, int n)
{
    return (float)(i < n - 1 - i ? i : n - 1 - i);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 64), steps = argument(argc, argv, 2, 150), wide = n + 2;
    size_t size = (size_t)wide * (size_t)wide;
    float *kept = calloc(size, 4), *before = calloc(size, 4), *now = calloc(size, 4),
          *next = calloc(size, 4);
    double start = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at = (i + 1) * wide + j + 1;
            float edge = fminf(to_edge(i, n), to_edge(j, n)) / (float)(n / 4);
            float deep = 1 - fminf(edge, 1);
            kept[at] = 1 - 0.2f * deep * deep;
            float d = (float)((i - n / 2) * (i - n / 2) + (j - n / 3) * (j - n / 3));
            before[at] = now[at] = expf(-d / (0.002f * (float)n * (float)n));
            start += now[at] * now[at];
        }
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int i = 1; i <= n; i++)
            for (int at = i * wide + 1; at <= i * wide + n; at++)
                next[at] = kept[at] * (2 * now[at] - kept[at] * before[at] +
                                       0.4f * (now[at - wide] + now[at + wide] + now[at - 1] +
                                               now[at + 1] - 4 * now[at]));
        float *old = before;
        before = now;
        now = next;
        next = old;
        if ((t + 1) % (steps / 3) == 0) {
            double sum = 0;
            for (size_t i = 0; i < size; i++) sum += now[i] * now[i];
            printf("step %3d: %.2f %% of the squares are left\n", t + 1, 100 * sum / start);
        }
    }
}
