#include "../sample.h"

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int n = 1 << argument(argc, argv, 1, 8), wrong = 0;
    size_t size = (size_t)n * sizeof(int);
    int *a = malloc(size), *b = malloc(size), *sorted = malloc(size);
    for (int i = 0; i < n; i++) {
        uint64_t high = (uint64_t)(uniform(17, 2 * (uint64_t)i) * 16777216.0f);
        uint64_t low = (uint64_t)(uniform(17, 2 * (uint64_t)i + 1) * 16777216.0f);
        a[i] = sorted[i] = (int)((high << 24 | low) % 1000000);
    }
    for (int run = 2; run <= n; run *= 2)
        for (int gap = run / 2; gap > 0; gap /= 2) {
#pragma omp parallel for
            for (int i = 0; i < n; i++) {
                int x = a[i], y = a[i ^ gap], least = x < y ? x : y, most = x < y ? y : x;
                b[i] = ((i & gap) == 0) == ((i & run) == 0) ? least : most;
            }
            int *t = a;
            a = b;
            b = t;
        }
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int i = 0; i < n - 1; i++) wrong += a[i] > a[i + 1];
    printf("%d numbers, least %d, largest %d, %d pairs in the wrong order\n", n, a[0], a[n - 1],
           wrong);
    printf("the library sorts them %s; the median is %d\n",
           memcmp(a, sorted, size) == 0 ? "alike" : "otherwise", sorted[n / 2]);
}
