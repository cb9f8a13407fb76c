/* A 3 by 3 convolution of 64 channels into 64: tiles of 4 channels by 64 columns in registers. */
#include "../workload.h"

enum { C = 64, ROWS = 4, VECTORS = 4, LANES = 16, WIDTH = VECTORS * LANES };
typedef float Vector __attribute__((vector_size(64), aligned(4)));

static void convolve(long n, const float *x, const float *w, float *y)
{
    long m = n - 2;
#pragma omp parallel for collapse(2)
    for (long o = 0; o < C; o += ROWS)
        for (long i = 0; i < m; i++)
            for (long begin = 0; begin < m; begin += WIDTH) {
                long j = begin + WIDTH <= m ? begin : m - WIDTH; /* the last ones overlap */
                Vector sum[ROWS][VECTORS] = {0};
                for (long c = 0; c < C; c++)
                    for (long p = 0; p < 3; p++)
#pragma GCC unroll 3
                        for (long q = 0; q < 3; q++) {
                            const float *from = x + (c * n + i + p) * n + j + q;
#pragma GCC unroll 4
                            for (long r = 0; r < ROWS; r++) {
                                float factor = w[(((o + r) * C + c) * 3 + p) * 3 + q];
#pragma GCC unroll 4
                                for (long v = 0; v < VECTORS; v++)
                                    sum[r][v] += factor * *(const Vector *)(from + v * LANES);
                            }
                        }
#pragma GCC unroll 4
                for (long r = 0; r < ROWS; r++)
#pragma GCC unroll 4
                    for (long v = 0; v < VECTORS; v++)
                        *(Vector *)(y + ((o + r) * m + i) * m + j + v * LANES) = sum[r][v];
            }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), m = n - 2;
    if (m < WIDTH) return 2;
    float *x = floats(C * n * n), *w = floats(C * C * 9), *y = floats(C * m * m);
    for (long i = 0; i < C * n * n; i++) x[i] = unit(i) - 0.5f;
    for (long i = 0; i < C * C * 9; i++) w[i] = unit(i) - 0.5f;
    Runs runs = {0};
    while (more(&runs)) convolve(n, x, w, y);
    double check = 0;
    for (long o = 0; o < C; o++)
        for (long i = 0; i < m; i++)
            for (long j = 0; j < m; j++)
                check += weight(o + i) * fabs((double)y[(o * m + i) * m + j]);
    return report(&runs, check);
}
