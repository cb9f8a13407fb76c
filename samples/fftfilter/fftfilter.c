#include <complex.h>

#include "../sample.h"

static const double turn = 6.283185307179586;

/* The transform of n numbers `step` apart: by two while n is even, the rest as it is defined. */
static void transform(const double complex *in, int step, double complex *out, int n, int sign)
{
    if (n % 2) {
        for (int k = 0; k < n; k++) {
            out[k] = 0;
            for (int j = 0; j < n; j++)
                out[k] += in[j * step] * cexp(sign * turn * I * (j * k % n) / n);
        }
        return;
    }
    int half = n / 2;
    transform(in, 2 * step, out, half, sign);
    transform(in + step, 2 * step, out + half, half, sign);
    for (int k = 0; k < half; k++) {
        double complex a = out[k], b = out[half + k] * cexp(sign * turn * I * k / n);
        out[k] = a + b;
        out[half + k] = a - b;
    }
}

/* Rows, then columns. */
static void transform2(double complex *a, int n, int sign)
{
    for (int pass = 0; pass < 2; pass++) {
        int along = pass ? n : 1, across = pass ? 1 : n;
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            double complex *line = malloc((size_t)n * sizeof *line);
            transform(a + (size_t)i * (size_t)across, along, line, n, sign);
            for (int j = 0; j < n; j++)
                a[(size_t)i * (size_t)across + (size_t)j * (size_t)along] = line[j];
            free(line);
        }
    }
}

static int near(int i, int j, int a, int b, int n)
{
    return abs((i - a + n + n / 2) % n - n / 2) <= 1 && abs((j - b + n + n / 2) % n - n / 2) <= 1;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 48);
    size_t size = (size_t)n * (size_t)n;
    double *clean = malloc(size * sizeof *clean), *striped = malloc(size * sizeof *striped);
    double complex *a = malloc(size * sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int p = i - n / 2, q = j - n / 3;
            size_t at = (size_t)i * (size_t)n + (size_t)j;
            clean[at] = exp(-(p * p + q * q) / (0.02 * n * n));
            a[at] = striped[at] = clean[at] + 0.3 * sin(turn * (12 * i + 5 * j) / n);
        }
    transform2(a, n, -1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (near(i, j, 12, 5, n) || near(i, j, -12, -5, n))
                a[(size_t)i * (size_t)n + (size_t)j] = 0;
    transform2(a, n, 1);
    double before = 0, after = 0, was = 0, is = 0;
    for (size_t k = 0; k < size; k++) {
        double mended = creal(a[k]) / (double)size;
        before = fmax(before, fabs(striped[k] - clean[k]));
        after = fmax(after, fabs(mended - clean[k]));
        was += striped[k];
        is += mended;
    }
    printf("off by %.3f with the stripes, by %.3f without\n", before, after);
    printf("means %.6f and %.6f\n", was / (double)size, is / (double)size);
}
