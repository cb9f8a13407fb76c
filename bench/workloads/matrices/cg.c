/* 50 iterations of conjugate gradients for Poisson's equation on n x n points, zero around them. */
#include "../workload.h"

/* q = A p, of rows with zeros around them; the sum of p q. */
static double apply(long n, const float *restrict p, float *restrict q)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        const float *u = p + (i + 1) * (n + 2) + 1;
        float *to = q + i * n;
        double part = 0;
        for (long j = 0; j < n; j++) {
            to[j] = 4 * u[j] - u[j - n - 2] - u[j + n + 2] - u[j - 1] - u[j + 1];
            part += (double)(to[j] * u[j]);
        }
        sum += part;
    }
    return sum;
}

/* x += alpha p, r -= alpha q; the sum of r r. */
static double step(long n, float alpha, const float *restrict p, const float *restrict q,
                   float *restrict x, float *restrict r)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        const float *u = p + (i + 1) * (n + 2) + 1, *v = q + i * n;
        float *to = x + i * n, *rest = r + i * n;
        double part = 0;
        for (long j = 0; j < n; j++) {
            to[j] += alpha * u[j];
            float left = rest[j] - alpha * v[j];
            rest[j] = left;
            part += (double)(left * left);
        }
        sum += part;
    }
    return sum;
}

static void turn(long n, float beta, const float *restrict r, float *restrict p)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float *to = p + (i + 1) * (n + 2) + 1 + j;
            *to = r[i * n + j] + beta * *to;
        }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *b = floats(n * n), *x = floats(n * n), *r = floats(n * n), *q = floats(n * n),
          *p = floats((n + 2) * (n + 2));
    for (long i = 0; i < n * n; i++) b[i] = unit(i) - 0.5f;
    Runs runs = {0};
    while (more(&runs)) {
        double rr = 0;
        memset(x, 0, (size_t)(n * n) * sizeof *x);
        memcpy(r, b, (size_t)(n * n) * sizeof *r);
        for (long i = 0; i < n; i++)
            memcpy(p + (i + 1) * (n + 2) + 1, b + i * n, (size_t)n * sizeof *p);
#pragma omp parallel for reduction(+ : rr)
        for (long i = 0; i < n * n; i++) rr += (double)(r[i] * r[i]);
        for (int t = 0; t < 50; t++) {
            float alpha = (float)(rr / apply(n, p, q));
            double next = step(n, alpha, p, q, x, r);
            turn(n, (float)(next / rr), r, p);
            rr = next;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * (double)x[i * n + j];
    return report(&runs, check);
}
