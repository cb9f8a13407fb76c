/* Lattice Boltzmann in a cavity with a moving lid, nine directions: 50 steps of collision and
 * streaming with bounce-back. A pass streams what the last collision left and collides again. */
#include "../workload.h"

enum { Q = 9 };
static const int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int back[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const float w[Q] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                           1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
static const float rate = 1.7f, lid = 0.1f;
enum Pass { COLLIDE = 1, STREAM = 2 };

/* One cell; inside, no direction leaves the cavity. */
static inline __attribute__((always_inline)) void cell(long n, long y, long x, bool inside,
                                                       int passes, const float *restrict from,
                                                       float *restrict to)
{
    float f[Q], density = 0, u = 0, v = 0;
#pragma GCC unroll 9
    for (int q = 0; q < Q; q++) {
        long sx = x - ex[q], sy = y - ey[q];
        if (!(passes & STREAM))
            f[q] = from[(q * n + y) * n + x];
        else if (inside || (sx >= 0 && sx < n && sy >= 0 && sy < n))
            f[q] = from[(q * n + sy) * n + sx];
        else
            f[q] = from[(back[q] * n + y) * n + x] + (sy >= n ? 6 * w[q] * (float)ex[q] * lid : 0);
        density += f[q];
        u += (float)ex[q] * f[q];
        v += (float)ey[q] * f[q];
    }
    u /= density;
    v /= density;
#pragma GCC unroll 9
    for (int q = 0; q < Q; q++) {
        float along = 3 * ((float)ex[q] * u + (float)ey[q] * v);
        float rest = w[q] * density * (1 + along + 0.5f * along * along - 1.5f * (u * u + v * v));
        to[(q * n + y) * n + x] = passes & COLLIDE ? f[q] + rate * (rest - f[q]) : f[q];
    }
}

static inline __attribute__((always_inline)) void
row(long n, long y, int passes, const float *restrict from, float *restrict to)
{
    bool border = y == 0 || y == n - 1;
    for (long x = 0; x < n; x += border ? 1 : n - 1) cell(n, y, x, false, passes, from, to);
    if (border) return;
#pragma omp simd
    for (long x = 1; x < n - 1; x++) cell(n, y, x, true, passes, from, to);
}

static void pass(long n, int passes, const float *from, float *to)
{
#pragma omp parallel for
    for (long y = 0; y < n; y++)
        if (passes == COLLIDE)
            row(n, y, COLLIDE, from, to);
        else if (passes == STREAM)
            row(n, y, STREAM, from, to);
        else
            row(n, y, STREAM | COLLIDE, from, to);
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), cells = n * n;
    float *start = floats(Q * cells), *a = floats(Q * cells), *b = floats(Q * cells);
    for (long i = 0; i < Q * cells; i++) start[i] = w[i / cells];
    Runs runs = {0};
    while (more(&runs)) {
        pass(n, COLLIDE, start, a);
        for (int t = 1; t < 50; t++) {
            pass(n, STREAM | COLLIDE, a, b);
            float *swap = a;
            a = b;
            b = swap;
        }
        pass(n, STREAM, a, b);
    }
    double check = 0;
    for (long i = 0; i < cells; i++) {
        float momentum = 0;
        for (int q = 0; q < Q; q++) momentum += (float)ex[q] * b[q * cells + i];
        check += fabs((double)momentum);
    }
    return report(&runs, check);
}
