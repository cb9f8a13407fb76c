/* Peer: functions of reals over vectors of n * n floats, as loops of C that the compiler is to
 * vectorise, with the C library's vector functions where it has them, and OpenMP to spread. `maps N
 * NAME`; OMP_NUM_THREADS sets the threads. */
#include <string.h>

#include "bench.h"

typedef struct Maps {
    size_t count;
    const float *a, *b; /* in [-0.5, 0.5) */
    float *y;           /* the result */
} Maps;

static void exp_sin(void *ctx)
{
    const Maps m = *(const Maps *)ctx;
    const float *restrict a = m.a, *restrict b = m.b;
    float *restrict y = m.y;
#pragma omp parallel for
    for (size_t i = 0; i < m.count; i++) y[i] = expf(8 * a[i]) + sinf(10 * b[i]);
}

static void power(void *ctx)
{
    const Maps m = *(const Maps *)ctx;
    const float *restrict a = m.a, *restrict b = m.b;
    float *restrict y = m.y;
#pragma omp parallel for
    for (size_t i = 0; i < m.count; i++) y[i] = powf(a[i] + 1, 9 * b[i]);
}

static inline float normal(float d) /* its distribution, by a polynomial */
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f +
                                      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float c = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1 - c : c;
}

/* A call of strike 100, its price by that of the stock and the time: Black and Scholes. */
static void option(void *ctx)
{
    const Maps m = *(const Maps *)ctx;
    const float *restrict a = m.a, *restrict b = m.b;
    float *restrict y = m.y;
#pragma omp parallel for
    for (size_t i = 0; i < m.count; i++) {
        float s = 100 + 100 * a[i], t = 1 + b[i], v = 0.3f * sqrtf(t);
        float d = (logf(s / 100) + (0.02f + 0.045f) * t) / v;
        y[i] = s * normal(d) - 100 * expf(-0.02f * t) * normal(d - v);
    }
}

static const struct {
    const char *name;
    void (*run)(void *ctx);
} rows[] = {{"exp-sin", exp_sin}, {"pow", power}, {"option", option}};

/* Of the last elements, in doubles. */
static double wanted(const char *name, double a, double b)
{
    if (strcmp(name, "exp-sin") == 0) return exp(8 * a) + sin(10 * b);
    if (strcmp(name, "pow") == 0) return pow(a + 1, 9 * b);
    double s = 100 + 100 * a, t = 1 + b, v = 0.3 * sqrt(t), d = (log(s / 100) + 0.065 * t) / v;
    return s * erfc(-d / sqrt(2)) / 2 - 100 * exp(-0.02 * t) * erfc((v - d) / sqrt(2)) / 2;
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? (size_t)atoi(argv[1]) : 0, k = 0, count = sizeof rows / sizeof *rows;
    while (n && k < count && strcmp(rows[k].name, argv[2]) != 0) k++;
    if (!n || k == count) {
        fputs("usage: maps N NAME\n", stderr);
        return 2;
    }
    size_t last = n * n - 1;
    float *y = bench_floats(n * n, 0);
    Maps m = {n * n, bench_floats(n * n, 1), bench_floats(n * n, 2), y};
    rows[k].run(&m);
    double best = bench_best(rows[k].run, &m, 1);
    double want = wanted(argv[2], (double)m.a[last], (double)m.b[last]), got = (double)y[last];
    return bench_report(best, got, want, 1e-4 * fabs(want) + 1e-4);
}
