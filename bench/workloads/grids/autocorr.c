/* The autocorrelation of a signal for the first 2048 lags, eight far ones at a time (of neighbours
 * compilers carry what they read along, and then do not vectorise); sums of blocks are added, which
 * is faster and more exact than one long sum. */
#include "../workload.h"

enum { BLOCK = 4096 };

/* r[l] += the products of n values with those `step` * l further on in y. */
static void eight(long n, long step, const float *x, const float *y, float *r)
{
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (long i = 0; i < n; i++) {
        s0 += x[i] * y[i];
        s1 += x[i] * y[i + step];
        s2 += x[i] * y[i + 2 * step];
        s3 += x[i] * y[i + 3 * step];
        s4 += x[i] * y[i + 4 * step];
        s5 += x[i] * y[i + 5 * step];
        s6 += x[i] * y[i + 6 * step];
        s7 += x[i] * y[i + 7 * step];
    }
    r[0] += s0;
    r[1] += s1;
    r[2] += s2;
    r[3] += s3;
    r[4] += s4;
    r[5] += s5;
    r[6] += s6;
    r[7] += s7;
}

static void correlate(long n, long step, const float *restrict x, float *restrict r)
{
#pragma omp parallel for
    for (long k = 0; k < step; k++) {
        float s[8] = {0};
        long all = n - k - 7 * step; /* values that all eight have */
        for (long i = 0; i < all; i += BLOCK)
            eight(all - i < BLOCK ? all - i : BLOCK, step, x + i, x + i + k, s);
        for (long l = 0; l < 8; l++) {
            float rest = 0;
            for (long i = all; i < n - k - l * step; i++) rest += x[i] * x[i + k + l * step];
            r[k + l * step] = s[l] + rest;
        }
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), lags = n / 4 < 2048 ? n / 4 : 2048, step = (lags + 7) / 8;
    float *x = floats(n), *r = floats(8 * step);
    for (long i = 0; i < n; i++) x[i] = unit(i) - 0.5f;
    Runs runs = {0};
    while (more(&runs)) correlate(n, step, x, r);
    double check = 0;
    for (long i = 0; i < lags; i++) check += weight(i) * (double)r[i];
    return report(&runs, check);
}
