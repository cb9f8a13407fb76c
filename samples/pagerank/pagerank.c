#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1000), steps = 0;
    int *first = calloc((size_t)n + 1, sizeof *first), *degree = calloc((size_t)n, sizeof *degree);
    for (int i = 0; i < n; i++)
        first[i + 1] = first[i] + 2 + (int)(8 * uniform(6, (uint64_t)i)) + (i < 10 ? 50 : 0);
    int links = first[n], *from = malloc(sizeof *from * (size_t)links);
    for (int k = 0; k < links; k++) {
        from[k] = (int)(uniform(6, 1000000 + (uint64_t)k) * (float)n);
        degree[from[k]]++;
    }
    double *rank = malloc(sizeof *rank * 3 * (size_t)n), *next = rank + n, *share = next + n,
           change = 1;
    for (int i = 0; i < n; i++) rank[i] = 1.0 / n;
    for (; change > 1e-8 && steps < 100; steps++) {
        double lost = 0;
        change = 0;
        for (int i = 0; i < n; i++) {
            if (!degree[i]) lost += rank[i];
            share[i] = degree[i] ? rank[i] / degree[i] : 0;
        }
#pragma omp parallel for reduction(+ : change)
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int k = first[i]; k < first[i + 1]; k++) s += share[from[k]];
            next[i] = (0.15 + 0.85 * lost) / n + 0.85 * s;
            change += fabs(next[i] - rank[i]);
        }
        memcpy(rank, next, sizeof *rank * (size_t)n);
    }
    double sum = 0;
    for (int i = 0; i < n; i++) sum += rank[i];
    printf("%d links, %d steps, sum %.6f\n", links, steps, sum);
    for (int k = 0; k < 3; k++) {
        int best = 0;
        for (int i = 0; i < n; i++)
            if (rank[i] > rank[best]) best = i;
        printf("page %d: %.4f of 1000\n", best, 1000 * rank[best]);
        rank[best] = 0;
    }
}
