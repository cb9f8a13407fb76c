#include "../sample.h"

#include <limits.h>
#include <stdbool.h>

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1000), step = 0;
    int *from = malloc(sizeof *from * 3 * (size_t)n),
        *distance = malloc(sizeof *distance * (size_t)n);
    int *next = malloc(sizeof *next * (size_t)n), counts[1000] = {0};
    for (int e = 0; e < 3 * n; e++) {
        float u = uniform(3, (uint64_t)e);
        from[e] = e % 3 == 0   ? (e / 3 + 1) % n
                  : e % 3 == 1 ? (e / 3 + n - 1) % n
                               : (int)(u * u * (float)n);
    }
    for (int v = 0; v < n; v++) distance[v] = v == 0 ? 0 : INT_MAX;
    for (bool more = true; more; step++) {
        more = false;
#pragma omp parallel for reduction(|| : more)
        for (int v = 0; v < n; v++) {
            next[v] = distance[v];
            if (distance[v] <= step) continue;
            for (int e = 3 * v; e < 3 * v + 3; e++)
                if (distance[from[e]] == step) {
                    next[v] = step + 1;
                    more = true;
                    break;
                }
        }
        int *t = distance;
        distance = next;
        next = t;
    }
    double sum = 0;
    for (int v = 0; v < n; v++) {
        sum += distance[v];
        counts[distance[v]]++;
    }
    printf("farthest %d, mean %.3f\nvertices at each distance: [", step - 1, sum / n);
    for (int k = 0; k < step; k++) printf("%s%d", k ? ", " : "", counts[k]);
    puts("]");
}
