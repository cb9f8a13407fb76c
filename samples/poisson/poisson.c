#include "../sample.h"

static void times(int n, const double *u, double *y)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *p = u + i * n + j;
            y[i * n + j] = 4 * *p - (i > 0 ? p[-n] : 0) - (i < n - 1 ? p[n] : 0) -
                           (j > 0 ? p[-1] : 0) - (j < n - 1 ? p[1] : 0);
        }
}

static double dot(int n, const double *x, const double *y)
{
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 31), size = n * n, steps = 0;
    double *all = calloc(5 * (size_t)size, sizeof *all), pi = 3.14159265358979, h = 1.0 / (n + 1);
    double *exact = all, *x = exact + size, *r = x + size, *p = r + size, *ap = p + size;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double a = (i + 1) * h, b = (j + 1) * h;
            exact[i * n + j] = sin(pi * a) * sin(2 * pi * b) + a * (1 - a) * b * (1 - b);
        }
    times(n, exact, r);
    memcpy(p, r, sizeof *p * (size_t)size);
    double rr = dot(size, r, r), first = rr, worst = 0;
    for (; rr > 1e-20 * first; steps++) {
        times(n, p, ap);
        double alpha = rr / dot(size, p, ap), next = 0;
#pragma omp parallel for reduction(+ : next)
        for (int i = 0; i < size; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
            next += r[i] * r[i];
        }
#pragma omp parallel for
        for (int i = 0; i < size; i++) p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
    for (int i = 0; i < size; i++) worst = fmax(worst, fabs(x[i] - exact[i]));
    printf("%d unknowns, %d steps, largest error %.8f\n", size, steps, worst);
}
