/* Peer: the product of two n by n float matrices by BLAS. `sgemm_blas N`; OPENBLAS_CORETYPE and
 * OPENBLAS_NUM_THREADS choose kernels and threads. */
#include <cblas.h>

#include "bench.h"

char *openblas_get_corename(void);

typedef struct Product {
    int n;
    float *a, *b, *c;
} Product;

static void multiply(void *ctx)
{
    Product *p = ctx;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p->n, p->n, p->n, 1, p->a, p->n, p->b,
                p->n, 0, p->c, p->n);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fputs("usage: sgemm_blas N\n", stderr);
        return 2;
    }
    size_t count = (size_t)n * (size_t)n;
    Product p = {n, bench_floats(count, 1), bench_floats(count, 2), bench_floats(count, 0)};
    multiply(&p);
    double best = bench_best(multiply, &p, 0.4);
    bench_check_product((size_t)n, p.a, p.b, p.c);
    printf("%.9f %s\n", best, openblas_get_corename());
    return 0;
}
