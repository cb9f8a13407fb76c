#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 64);
    size_t size = (size_t)n * (size_t)n;
    int *a = malloc(4 * size), *b = malloc(4 * size), *p = malloc(4 * size);
    double *e = malloc(8 * size), mean = 0;
    int64_t added = 0, product = 0;
    for (int i = 0; i < n * n; i++) a[i] = i, b[i] = -i / 3;
#pragma omp parallel for reduction(+ : product)
    for (int i = 0; i < n; i++) {
        unsigned *row = (unsigned *)p + i * n;
        memset(row, 0, 4 * (size_t)n);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) row[j] += (unsigned)a[i * n + k] * (unsigned)b[k * n + j];
        for (int j = 0; j < n; j++) product += (int)row[j];
    }
#pragma omp parallel for reduction(+ : added, mean)
    for (int i = 0; i < n * n; i++) {
        added += a[i] + b[i];
        e[i] = exp(a[i] * 1e-6) + exp(b[i] * 1e-6);
        mean += e[i];
    }
    int first = n + 2, last = n * n - 1;
    printf("a + b: %d %d, all together %ld\n", a[first] + b[first], a[last] + b[last], (long)added);
    printf("a b: %d %d, all together %ld\n", p[first], p[last], (long)product);
    printf("exp c + exp d: %.6f %.6f, mean %.6f\n", e[first], e[last], mean / (n * n));
}
