#include "../sample.h"

enum { Q = 19 };
static const int cx[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int cy[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int cz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const float rate = 1.25f, speed = 0.05f;

static inline float balance(int q, float rho, float along, float square)
{
    float w = q == 0 ? 1 / 3.f : q < 7 ? 1 / 18.f : 1 / 36.f;
    return w * rho * (1 + 3 * along + 4.5f * along * along - 1.5f * square);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 12), steps = argument(argc, argv, 2, 20);
    size_t cells = (size_t)n * (size_t)n * (size_t)n;
    float *f = malloc(sizeof *f * Q * cells), *g = malloc(sizeof *g * Q * cells);
    float wave = 2 * 3.14159265f / (float)n;
    for (int q = 0; q < Q; q++)
        for (size_t k = 0; k < cells; k++) {
            float s = speed * sinf(wave * (float)(k / (size_t)(n * n)));
            f[(size_t)q * cells + k] = balance(q, 1, (float)cx[q] * s, s * s);
        }
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int z = 0; z < n; z++)
            for (int y = 0; y < n; y++)
                for (int x = 0; x < n; x++) {
                    size_t k = (size_t)((z * n + y) * n + x);
                    float rho = 0, ux = 0, uy = 0, uz = 0;
                    for (int q = 0; q < Q; q++) {
                        float v = f[(size_t)q * cells + k];
                        rho += v;
                        ux += (float)cx[q] * v;
                        uy += (float)cy[q] * v;
                        uz += (float)cz[q] * v;
                    }
                    ux /= rho;
                    uy /= rho;
                    uz /= rho;
                    float square = ux * ux + uy * uy + uz * uz;
                    for (int q = 0; q < Q; q++) {
                        float v = f[(size_t)q * cells + k];
                        float along = (float)cx[q] * ux + (float)cy[q] * uy + (float)cz[q] * uz;
                        int tz = z + cz[q], ty = y + cy[q], tx = x + cx[q];
                        tz = tz < 0 ? n - 1 : tz == n ? 0 : tz;
                        ty = ty < 0 ? n - 1 : ty == n ? 0 : ty;
                        tx = tx < 0 ? n - 1 : tx == n ? 0 : tx;
                        g[(size_t)q * cells + (size_t)((tz * n + ty) * n + tx)] =
                            v + rate * (balance(q, rho, along, square) - v);
                    }
                }
        float *h = f;
        f = g;
        g = h;
    }
    double mass = 0;
    float most = 0, expected = 0, viscosity = (1 / rate - 0.5f) / 3;
    for (size_t k = 0; k < Q * cells; k++) mass += f[k];
    for (size_t k = 0; k < cells; k++) {
        float u = 0;
        for (int q = 0; q < Q; q++) u += (float)cx[q] * f[(size_t)q * cells + k];
        most = fmaxf(most, u);
    }
    for (int z = 0; z < n; z++) expected = fmaxf(expected, sinf(wave * (float)z));
    printf("mass %.4f\n", mass / (double)cells);
    printf("amplitude %.4f, of viscous decay %.4f\n", most / speed,
           expected * expf(-viscosity * wave * wave * (float)steps));
}
