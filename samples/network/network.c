#include "../sample.h"

enum { N = 200, H = 16 };

int main(int argc, char **argv)
{
    int steps = argument(argc, argv, 1, 400);
    static float x[N][3], y[N], a[N][H], out[N], w[H][3], v[H];
    for (int i = 0; i < N; i++) {
        float t = 0.5f + (float)(i / 2) * 0.03f;
        y[i] = i % 2 == 0 ? 1 : -1;
        x[i][0] = y[i] * t / 3 * cosf(t), x[i][1] = y[i] * t / 3 * sinf(t), x[i][2] = 1;
    }
    for (int h = 0; h < H; h++) {
        for (int d = 0; d < 3; d++) w[h][d] = 4 * (uniform(4, (uint64_t)(3 * h + d)) - 0.5f);
        v[h] = 2 * (uniform(4, (uint64_t)(1000 + h)) - 0.5f);
    }
    for (int step = 0; step <= steps; step++) {
        float loss = 0, dv[H] = {0}, dw[H][3] = {{0}};
        int right = 0;
        for (int i = 0; i < N; i++) {
            float s = 0;
            for (int h = 0; h < H; h++) {
                a[i][h] = tanhf(x[i][0] * w[h][0] + x[i][1] * w[h][1] + x[i][2] * w[h][2]);
                s += a[i][h] * v[h];
            }
            out[i] = tanhf(s);
            float error = out[i] - y[i], slope = error * (1 - out[i] * out[i]);
            loss += error * error;
            right += out[i] * y[i] > 0;
            for (int h = 0; h < H; h++) {
                dv[h] += slope * a[i][h] / N;
                for (int d = 0; d < 3; d++)
                    dw[h][d] += slope * v[h] * (1 - a[i][h] * a[i][h]) * x[i][d] / N;
            }
        }
        if (step % 100 == 0)
            printf("step %4d: loss %.2f, %d of %d right\n", step, loss / N, right, N);
        for (int h = 0; h < H; h++) {
            v[h] -= 0.3f * dv[h];
            for (int d = 0; d < 3; d++) w[h][d] -= 0.3f * dw[h][d];
        }
    }
}
