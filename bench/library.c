/* The function `call` of bench/library.cs$ on arrays of C: library SIZE CALLS; the best time of a call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "liblibrary_csc.h"

enum { TURNS = 100 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 16, calls = argc > 2 ? atoi(argv[2]) : 100;
    float *a = malloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = (float)(i % 7);
    cs_context *c;
    cs_error *e = library_csc_open(NULL, &c);
    double least = 1e9;
    for (int k = 0; k < calls && !e; k++) {
        double from = now();
        for (int t = 0; t < TURNS && !e; t++) {
            cs_array *sum;
            const void *data;
            e = library_csc_call(c, a, n, a, n, &sum);
            if (!e) e = library_csc_read(sum, &data);
            if (!e && ((const float *)data)[n - 1] != 3 * a[n - 1]) return 1;
            if (!e) library_csc_release(sum);
        }
        double took = (now() - from) / TURNS;
        if (took < least) least = took;
    }
    if (e) fprintf(stderr, "%s: %s\n", e->type, e->message);
    if (e) return 1;
    printf("%.9f\n", least);
    library_csc_close(c);
    free(a);
}
