/* Peer: passes over an n by n matrix of floats, or over vectors of n * n, as loops of C that the
 * compiler is to vectorise and OpenMP to spread. `loops N NAME`; OMP_NUM_THREADS sets the threads. */
#include <string.h>

#include "bench.h"

typedef struct Loops {
    size_t n;
    const float *a, *x; /* n by n, or two vectors of n * n */
    float *y;           /* the result */
} Loops;

/* y[j] = sum of a[i][j] * x[i], or of a[i][j] where x is NULL. */
static void down(size_t n, const float *restrict a, const float *restrict x, float *restrict y)
{
    memset(y, 0, n * sizeof *y);
#pragma omp parallel for reduction(+ : y[:n])
    for (size_t i = 0; i < n; i++) {
        float factor = x ? x[i] : 1;
        for (size_t j = 0; j < n; j++) y[j] += a[i * n + j] * factor;
    }
}

static void colsum(void *ctx)
{
    const Loops *l = ctx;
    down(l->n, l->a, NULL, l->y);
}

static void matvec_t(void *ctx)
{
    const Loops *l = ctx;
    down(l->n, l->a, l->x, l->y);
}

static void rowsum(void *ctx)
{
    const Loops l = *(const Loops *)ctx;
#pragma omp parallel for firstprivate(l)
    for (size_t i = 0; i < l.n; i++) {
        float sum = 0;
        for (size_t j = 0; j < l.n; j++) sum += l.a[i * l.n + j];
        l.y[i] = sum;
    }
}

static void matvec(void *ctx)
{
    const Loops l = *(const Loops *)ctx;
#pragma omp parallel for firstprivate(l)
    for (size_t i = 0; i < l.n; i++) {
        float sum = 0;
        for (size_t j = 0; j < l.n; j++) sum += l.a[i * l.n + j] * l.x[j];
        l.y[i] = sum;
    }
}

static void norm_rows(void *ctx)
{
    const Loops l = *(const Loops *)ctx;
#pragma omp parallel for firstprivate(l)
    for (size_t i = 0; i < l.n; i++) {
        const float *restrict row = l.a + i * l.n;
        float *restrict unit = l.y + i * l.n, sum = 0;
        for (size_t j = 0; j < l.n; j++) sum += row[j] * row[j];
        float factor = 1 / sqrtf(sum);
        for (size_t j = 0; j < l.n; j++) unit[j] = row[j] * factor;
    }
}

/* Numbers: a row at a time, as clang 14 does not vectorise the one long loop that OpenMP splits. */
static void sum(void *ctx)
{
    const Loops l = *(const Loops *)ctx;
    float total = 0;
#pragma omp parallel for firstprivate(l) reduction(+ : total)
    for (size_t i = 0; i < l.n; i++) {
        float part = 0;
        for (size_t j = 0; j < l.n; j++) part += l.a[i * l.n + j];
        total += part;
    }
    l.y[0] = total;
}

static void dot(void *ctx)
{
    const Loops l = *(const Loops *)ctx;
    float total = 0;
#pragma omp parallel for firstprivate(l) reduction(+ : total)
    for (size_t i = 0; i < l.n; i++) {
        float part = 0;
        for (size_t j = 0; j < l.n; j++) part += l.a[i * l.n + j] * l.x[i * l.n + j];
        total += part;
    }
    l.y[0] = total;
}

static void largest(void *ctx)
{
    const Loops l = *(const Loops *)ctx;
    float best = l.a[0];
#pragma omp parallel for firstprivate(l) reduction(max : best)
    for (size_t i = 0; i < l.n; i++) {
        float most = l.a[i * l.n];
        for (size_t j = 0; j < l.n; j++) most = fmaxf(most, l.a[i * l.n + j]);
        best = fmaxf(best, most);
    }
    l.y[0] = best;
}

static const struct {
    const char *name;
    void (*run)(void *ctx);
    bool whole;   /* x is as large as a */
    bool results; /* y is */
} rows[] = {{"colsum", colsum, false, false},     {"rowsum", rowsum, false, false},
            {"sum", sum, false, false},           {"dot", dot, true, false},
            {"max", largest, false, false},       {"matvec", matvec, false, false},
            {"matvec-t", matvec_t, false, false}, {"norm-rows", norm_rows, false, true}};

/* The last element of the result, in doubles. */
static double wanted(const Loops *l, const char *name)
{
    size_t n = l->n, last = n - 1;
    const float *a = l->a;
    double sum = 0, most = (double)a[0];
    if (!strcmp(name, "max") || !strcmp(name, "sum") || !strcmp(name, "dot")) {
        for (size_t i = 0; i < n * n; i++) {
            most = fmax(most, (double)a[i]);
            sum += (double)a[i] * (name[0] == 'd' ? (double)l->x[i] : 1);
        }
        return name[0] == 'm' ? most : sum;
    }
    bool down = !strcmp(name, "colsum") || !strcmp(name, "matvec-t");
    bool factors = !strcmp(name, "matvec") || !strcmp(name, "matvec-t");
    for (size_t k = 0; k < n; k++) {
        double v = (double)a[down ? k * n + last : last * n + k];
        sum += v * (factors ? (double)l->x[k] : name[0] == 'n' ? v : 1);
    }
    return name[0] == 'n' ? (double)a[n * n - 1] / sqrt(sum) : sum;
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? (size_t)atoi(argv[1]) : 0, k = 0, count = sizeof rows / sizeof *rows;
    while (n && k < count && strcmp(rows[k].name, argv[2]) != 0) k++;
    if (!n || k == count) {
        fputs("usage: loops N NAME\n", stderr);
        return 2;
    }
    size_t results = rows[k].results ? n * n : n;
    float *y = bench_floats(results, 0);
    Loops l = {n, bench_floats(n * n, 1), bench_floats(rows[k].whole ? n * n : n, 2), y};
    rows[k].run(&l);
    double best = bench_best(rows[k].run, &l, 1), want = wanted(&l, argv[2]);
    bool number = !strcmp(argv[2], "sum") || !strcmp(argv[2], "dot") || !strcmp(argv[2], "max");
    double got = (double)y[number ? 0 : results - 1];
    return bench_report(best, got, want, 1e-4 * (double)n);
}
