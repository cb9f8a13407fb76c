/* Ten steps of heat in a periodic block; conductivities stay, so that they are an array apart. */
#include "../workload.h"

static void step(long n, const float *restrict k, const float *restrict p, float *restrict q)
{
#pragma omp parallel for collapse(2)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            long at = (i * n + j) * n;
            const float *up = p + ((i + n - 1) % n * n + j) * n,
                        *down = p + ((i + 1) % n * n + j) * n,
                        *left = p + (i * n + (j + n - 1) % n) * n,
                        *right = p + (i * n + (j + 1) % n) * n, *here = p + at;
            for (long l = 0, before = n - 1; l < n; before = l++) {
                if (l == 1 && n > 2) /* the inside, which is all that matters */
                    for (; l < n - 1; before = l++)
                        q[at + l] = here[l] + k[at + l] * (up[l] + down[l] + left[l] + right[l] +
                                                           here[l - 1] + here[l + 1] - 6 * here[l]);
                long after = l + 1 < n ? l + 1 : 0;
                q[at + l] = here[l] + k[at + l] * (up[l] + down[l] + left[l] + right[l] +
                                                   here[before] + here[after] - 6 * here[l]);
            }
        }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), count = n * n * n;
    float *start = floats(count), *k = floats(count), *p = floats(count), *q = floats(count);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long l = 0; l < n; l++) {
                start[(i * n + j) * n + l] = unit((i * n + j) * n + l);
                k[(i * n + j) * n + l] = 0.1f + 0.05f * unit(i + j + l);
            }
    Runs runs = {0};
    while (more(&runs)) {
        memcpy(p, start, (size_t)count * sizeof *p);
        for (int t = 0; t < 10; t++) {
            step(n, k, p, q);
            float *swap = p;
            p = q;
            q = swap;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long l = 0; l < n; l++)
                check += weight(i + j + l) * (double)p[(i * n + j) * n + l];
    return report(&runs, check);
}
