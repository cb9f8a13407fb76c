/* The autocorrelation of a signal for the first 2048 lags, eight at a time. */
#include "workload.h"

static void correlate(long n, long lags, const float *restrict x, float *restrict r)
{
#pragma omp parallel for
    for (long k = 0; k < lags; k += 8) {
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
        const float *y = x + k;
        for (long i = 0; i < n - k - 7; i++) {
            s0 += x[i] * y[i];
            s1 += x[i] * y[i + 1];
            s2 += x[i] * y[i + 2];
            s3 += x[i] * y[i + 3];
            s4 += x[i] * y[i + 4];
            s5 += x[i] * y[i + 5];
            s6 += x[i] * y[i + 6];
            s7 += x[i] * y[i + 7];
        }
        float s[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
        for (long l = 0; l < 8 && k + l < lags; l++) {
            for (long i = n - k - 7; i < n - k - l; i++) s[l] += x[i] * y[i + l];
            r[k + l] = s[l];
        }
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), lags = n / 4 < 2048 ? n / 4 : 2048;
    float *x = floats(n), *r = floats(lags);
    for (long i = 0; i < n; i++) x[i] = unit(i) - 0.5f;
    Runs runs = {0};
    while (more(&runs)) correlate(n, lags, x, r);
    double check = 0;
    for (long i = 0; i < lags; i++) check += weight(i) * (double)r[i];
    return report(&runs, check);
}
