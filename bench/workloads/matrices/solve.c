/* A system of equations with as many right sides, in doubles: factors with pivots and substitution, in blocks. Updates are
 * loops over rows in tiles of columns and of the sum, which the compiler makes vectors of. */
#include <math.h>

#include "../workload.h"

enum { BLOCK = 64, TILE = 256 };

/* y -= a b; of n rows, m columns and k terms, which lie in rows of the lengths that follow. */
static void subtract(long n, long m, long k, const double *restrict a, long la,
                     const double *restrict b, long lb, double *restrict y, long ly)
{
#pragma omp parallel for
    for (long i = 0; i < n; i += 4)
        for (long from = 0; from < m; from += TILE)
            for (long q = 0; q < k; q++) {
                long to = from + TILE < m ? from + TILE : m, end = i + 4 < n ? i + 4 : n;
                if (end - i == 4) {
                    const double *row = b + q * lb;
                    double f0 = a[i * la + q], f1 = a[(i + 1) * la + q];
                    double f2 = a[(i + 2) * la + q], f3 = a[(i + 3) * la + q];
                    double *y0 = y + i * ly, *y1 = y0 + ly, *y2 = y1 + ly, *y3 = y2 + ly;
                    for (long j = from; j < to; j++) {
                        y0[j] -= f0 * row[j];
                        y1[j] -= f1 * row[j];
                        y2[j] -= f2 * row[j];
                        y3[j] -= f3 * row[j];
                    }
                } else
                    for (long r = i; r < end; r++)
                        for (long j = from; j < to; j++)
                            y[r * ly + j] -= a[r * la + q] * b[q * lb + j];
            }
}

static void swap_rows(double *a, double *b, long m)
{
    for (long j = 0; j < m; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

/* Columns from..to-1 of a and their factors; rows of x go with those of a. */
static void panel(long n, double *a, double *x, long from, long to)
{
    for (long k = from; k < to; k++) {
        long p = k;
        for (long i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        if (p != k) {
            swap_rows(a + p * n, a + k * n, n);
            swap_rows(x + p * n, x + k * n, n);
        }
        for (long i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (long j = k + 1; j < to; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

/* Rows from..to-1 of the m columns at y, whose rows before are solved: l has ones on its diagonal. */
static void lower(const double *l, long n, double *y, long m, long from, long to)
{
#pragma omp parallel for
    for (long at = 0; at < m; at += TILE)
        for (long i = from; i < to; i++)
            for (long k = from; k < i; k++)
                for (long j = at; j < m && j < at + TILE; j++)
                    y[i * n + j] -= l[i * n + k] * y[k * n + j];
}

static void upper(const double *r, long n, double *y, long from, long to)
{
#pragma omp parallel for
    for (long at = 0; at < n; at += TILE)
        for (long i = to - 1; i >= from; i--) {
            long end = at + TILE < n ? at + TILE : n;
            for (long k = i + 1; k < to; k++)
                for (long j = at; j < end; j++) y[i * n + j] -= r[i * n + k] * y[k * n + j];
            for (long j = at; j < end; j++) y[i * n + j] /= r[i * n + i];
        }
}

static void solve(long n, double *a, double *x)
{
    for (long from = 0; from < n; from += BLOCK) {
        long to = from + BLOCK < n ? from + BLOCK : n;
        panel(n, a, x, from, to);
        lower(a, n, a + to, n - to, from, to);
        subtract(n - to, n - to, to - from, a + to * n + from, n, a + from * n + to, n,
                 a + to * n + to, n);
    }
    for (long from = 0; from < n; from += BLOCK) {
        long to = from + BLOCK < n ? from + BLOCK : n;
        lower(a, n, x, n, from, to);
        subtract(n - to, n, to - from, a + to * n + from, n, x + from * n, n, x + to * n, n);
    }
    for (long to = n; to > 0;) {
        long from = (to - 1) / BLOCK * BLOCK;
        upper(a, n, x, from, to);
        subtract(from, n, to - from, a + from, n, x + from * n, n, x, n);
        to = from;
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    double *a = array(n * n, sizeof *a), *x = array(n * n, sizeof *x);
    Runs runs = {0};
    while (more(&runs)) {
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {
                a[i * n + j] = (double)unit(i * n + j) + (i == j ? 4 : 0);
                x[i * n + j] = (double)unit(i * n + j + 7);
            }
        solve(n, a, x);
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * x[i * n + j];
    return report(&runs, check);
}
