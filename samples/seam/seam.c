#include "../sample.h"

enum { N = 48 };

int main(void)
{
    static float p[N][N], cost[N][N];
    float before = 0, after = 0;
    int n = N, disc = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            p[i][j] = ((j - 24) * (j - 24) + (i - 24) * (i - 24) < 100 ? 1.f : 0.f) +
                      0.002f * (float)((7 * i + 11 * j) % 13) + (j > 36 ? 0.3f : 0);
            before += p[i][j];
        }
    for (; n > N - 12; n--) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < n; j++) {
                int l = j ? j - 1 : 0, r = j < n - 1 ? j + 1 : j, u = i ? i - 1 : 0,
                    d = i < N - 1 ? i + 1 : i;
                cost[i][j] = fabsf(p[i][r] - p[i][l]) + fabsf(p[d][j] - p[u][j]);
                if (i > 0)
                    cost[i][j] += fminf(cost[i - 1][j], fminf(cost[i - 1][l], cost[i - 1][r]));
            }
        int j = 0;
        for (int k = 0; k < n; k++)
            if (cost[N - 1][k] < cost[N - 1][j]) j = k;
        for (int i = N - 1; i >= 0; i--) {
            int best = j;
            if (i < N - 1 && j > 0 && cost[i][j - 1] < cost[i][best]) best = j - 1;
            if (i < N - 1 && j < n - 1 && cost[i][j + 1] < cost[i][best]) best = j + 1;
            j = best;
            memmove(&p[i][j], &p[i][j + 1], sizeof p[i][0] * (size_t)(n - j - 1));
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < n; j++) {
            after += p[i][j];
            disc += p[i][j] > 0.9f;
        }
    printf("%d columns, light %.1f to %.1f, the disc has %d points\n", n, before, after, disc);
}
