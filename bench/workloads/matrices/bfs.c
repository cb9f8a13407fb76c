/* Breadth-first search in a ring with chords to random vertices. */
#include "../workload.h"

#include <limits.h>
#include <stdbool.h>

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *from = ints(3 * n), *first = ints(n + 1), *distance = ints(n), *next = ints(n), step = 0;
    for (long e = 0; e < 3 * n; e++)
        from[e] = (int)(e % 3 == 0   ? (e / 3 + 1) % n
                        : e % 3 == 1 ? (e / 3 + n - 1) % n
                                     : (int)(unit(e) * unit(e) * (float)n));
    for (long v = 0; v <= n; v++) first[v] = 3 * (int)v;
    Runs runs = {0};
    while (more(&runs)) {
        for (long v = 0; v < n; v++) distance[v] = v == 0 ? 0 : INT_MAX;
        step = 0;
        for (bool again = true; again; step++) {
            again = false;
#pragma omp parallel for reduction(|| : again)
            for (long v = 0; v < n; v++) {
                next[v] = distance[v];
                if (distance[v] <= step) continue;
                for (int e = first[v]; e < first[v + 1]; e++)
                    if (distance[from[e]] == step) {
                        next[v] = step + 1;
                        again = true;
                        break;
                    }
            }
            int *t = distance;
            distance = next;
            next = t;
        }
    }
    double check = step;
    for (long v = 0; v < n; v++) check += distance[v];
    return report(&runs, check);
}
