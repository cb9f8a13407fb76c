/* Peer: products by BLAS. `sgemm_blas N FORM`: n by n float matrices, each as it is or transposed (nn, nt, tn, tt), of
 * doubles (double), 1000 of them at once (batched), or attention over n positions of 64 numbers; OPENBLAS_CORETYPE
 * and the number of threads in the environment choose kernels. */
#include <cblas.h>
#include <string.h>

#include "bench.h"

__attribute__((weak)) char *openblas_get_corename(void);
__attribute__((weak)) void openblas_set_num_threads(int n);
__attribute__((weak)) void bli_thread_set_num_threads(long n);

enum { BATCHES = 1000, WIDTH = 64 };

typedef struct Product {
    int n;
    enum CBLAS_TRANSPOSE ta, tb;
    float *a, *b, *c, *s;
    double *da, *db, *dc;
} Product;

static void of_floats(void *ctx)
{
    Product *p = ctx;
    cblas_sgemm(CblasRowMajor, p->ta, p->tb, p->n, p->n, p->n, 1, p->a, p->n, p->b, p->n, 0, p->c,
                p->n);
}

static void of_doubles(void *ctx)
{
    Product *p = ctx;
    cblas_dgemm(CblasRowMajor, p->ta, p->tb, p->n, p->n, p->n, 1, p->da, p->n, p->db, p->n, 0,
                p->dc, p->n);
}

/* One thread each: BLAS is told so. */
static void batched(void *ctx)
{
    Product *p = ctx;
    int n = p->n;
#pragma omp parallel for
    for (int t = 0; t < BATCHES; t++) {
        size_t at = (size_t)t * (size_t)n * (size_t)n;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, p->a + at, n, p->b + at,
                    n, 0, p->c + at, n);
    }
}

/* c = softmax(a b^T / 8) b, a row of n weights for each position. */
static void attention(void *ctx)
{
    Product *p = ctx;
    int n = p->n;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, WIDTH, 0.125f, p->a, WIDTH, p->b,
                WIDTH, 0, p->s, n);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float *row = p->s + (size_t)i * (size_t)n, most = row[0], sum = 0;
        for (int j = 0; j < n; j++) most = row[j] > most ? row[j] : most;
        for (int j = 0; j < n; j++) sum += row[j] = expf(row[j] - most);
        for (int j = 0; j < n; j++) row[j] /= sum;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, WIDTH, n, 1, p->s, n, p->b, WIDTH, 0,
                p->c, WIDTH);
}

static double *doubles(const float *from, size_t n)
{
    double *p = (double *)bench_floats(2 * n, 0);
    for (size_t i = 0; from && i < n; i++) p[i] = (double)from[i];
    return p;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 0;
    const char *form = argc > 2 ? argv[2] : "";
    if (n < 1) {
        fputs("usage: sgemm_blas N FORM\n", stderr);
        return 2;
    }
    bool many = strcmp(form, "batched") == 0, wide = strcmp(form, "double") == 0,
         attends = strcmp(form, "attention") == 0;
    size_t square = (size_t)n * (size_t)n, count = square;
    if (many) count *= BATCHES;
    if (attends) count = (size_t)n * WIDTH;
    Product p = {.n = n, .ta = CblasNoTrans, .tb = CblasNoTrans};
    p.a = bench_floats(count, 1), p.b = bench_floats(count, 2), p.c = bench_floats(count, 0);
    if (form[0] == 't') p.ta = CblasTrans;
    if (form[0] && form[1] == 't' && !attends) p.tb = CblasTrans;
    void (*work)(void *) = many ? batched : wide ? of_doubles : attends ? attention : of_floats;
    if (attends) p.s = bench_floats(square, 0);
    if (wide) p.da = doubles(p.a, count), p.db = doubles(p.b, count), p.dc = doubles(NULL, count);
    if (many && openblas_set_num_threads) openblas_set_num_threads(1);
    if (many && bli_thread_set_num_threads) bli_thread_set_num_threads(1);
    work(&p);
    double best = bench_best(work, &p, 0.4);
    if (many || strcmp(form, "nn") == 0) bench_check_product((size_t)n, p.a, p.b, p.c);
    printf("%.9f %s\n", best, openblas_get_corename ? openblas_get_corename() : "blis");
    return 0;
}
