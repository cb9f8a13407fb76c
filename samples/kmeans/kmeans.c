#include "../sample.h"

static int nearest(const float *p, float c[][3], int k)
{
    int best = 0;
    float least = INFINITY;
    for (int j = 0; j < k; j++) {
        float x = p[0] - c[j][0], y = p[1] - c[j][1], z = p[2] - c[j][2], d = x * x + y * y + z * z;
        if (d < least) least = d, best = j;
    }
    return best;
}

int main(void)
{
    enum { N = 40, K = 4 };
    float p[N * N][3], c[K][3];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < 3; k++)
                p[i * N + j][k] = (i < N / 2 ? 0.2f : 0.7f) +
                                  (j < N / 2 ? 0.1f * (float)k : -0.1f * (float)k) +
                                  0.01f * (float)((7 * i + 5 * j + 3 * k) % 10);
    for (int k = 0; k < K; k++) memcpy(c[k], p[k * N * N / K], sizeof *c);
    for (int t = 0; t < 10; t++) {
        float total[K][3] = {{0}};
        int count[K] = {0};
        for (int i = 0; i < N * N; i++) {
            int k = nearest(p[i], c, K);
            count[k]++;
            for (int d = 0; d < 3; d++) total[k][d] += p[i][d];
        }
        for (int k = 0; k < K; k++)
            for (int d = 0; d < 3 && count[k]; d++) c[k][d] = total[k][d] / (float)count[k];
    }
    double off = 0;
    for (int k = 0; k < K; k++) printf("%.3f %.3f %.3f\n", c[k][0], c[k][1], c[k][2]);
    for (int i = 0; i < N * N; i++)
        for (int d = 0; d < 3; d++) off += fabs(c[nearest(p[i], c, K)][d] - p[i][d]);
    printf("mean difference %.4f\n", off / (3 * N * N));
}
