#include "../sample.h"

enum { Q = 9 };
static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int back[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const float lid = 0.1f;

static float weight(int q)
{
    return q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 24), steps = argument(argc, argv, 2, 3000), cells = n * n;
    float *f = malloc(sizeof *f * Q * (size_t)cells), *g = malloc(sizeof *g * Q * (size_t)cells);
    float rate = 1 / (3 * (lid * (float)n / 100) + 0.5f);
    for (int q = 0; q < Q; q++)
        for (int k = 0; k < cells; k++) f[q * cells + k] = weight(q);
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int k = y * n + x;
                float rho = 0, u = 0, v = 0;
                for (int q = 0; q < Q; q++) {
                    float d = f[q * cells + k];
                    rho += d;
                    u += (float)cx[q] * d;
                    v += (float)cy[q] * d;
                }
                u /= rho;
                v /= rho;
                for (int q = 0; q < Q; q++) {
                    float a = 3 * ((float)cx[q] * u + (float)cy[q] * v), d = f[q * cells + k];
                    float rest = weight(q) * rho * (1 + a + a * a / 2 - 1.5f * (u * u + v * v));
                    float post = d + rate * (rest - d);
                    int tx = x + cx[q], ty = y + cy[q];
                    if (tx >= 0 && tx < n && ty >= 0 && ty < n)
                        g[q * cells + ty * n + tx] = post;
                    else
                        g[back[q] * cells + k] =
                            post + (ty >= n ? 6 * weight(q) * (float)cx[back[q]] * lid : 0);
                }
            }
        float *h = f;
        f = g;
        g = h;
    }
    static const double heights[] = {0.0547, 0.1719, 0.2813, 0.4531, 0.5000,
                                     0.6172, 0.7344, 0.8516, 0.9531};
    static const double ghia[] = {-0.03717, -0.10150, -0.15662, -0.21090, -0.20581,
                                  -0.13641, 0.00332,  0.23151,  0.68717};
    puts("   y      u here   u of Ghia et al.");
    double worst = 0;
    for (int k = 0; k < 9; k++) {
        double y = heights[k] * n - 0.5, here = 0, u[2][2];
        int row = (int)y, column = n / 2 - (n % 2 == 0);
        for (int i = 0; i < 4; i++) {
            int at = (row + i / 2) * n + column + i % 2;
            u[i / 2][i % 2] = 0;
            for (int q = 0; q < Q; q++) u[i / 2][i % 2] += (double)cx[q] * f[q * cells + at] / lid;
        }
        double s = y - row, half = n % 2 == 0 ? 0.5 : 0;
        here = (1 - s) * ((1 - half) * u[0][0] + half * u[0][1]) +
               s * ((1 - half) * u[1][0] + half * u[1][1]);
        worst = fmax(worst, fabs(here - ghia[k]));
        printf("%.4f %9.3f %9.3f\n", heights[k], here, ghia[k]);
    }
    printf("largest difference %.3f\n", worst);
}
