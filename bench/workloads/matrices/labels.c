/* Connected parts of a graph: each vertex takes the least label around it, for 30 turns. */
#include "../workload.h"

#include <stdbool.h>

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), degree = 6;
    int *to = ints(degree * n), *first = ints(n + 1), *label = ints(n), *next = ints(n), turns = 0;
    for (long e = 0; e < degree * n; e++)
        to[e] = (int)((e / degree + (int)(unit(e) * unit(e + 7) * 400) + 1) % n);
    for (long v = 0; v <= n; v++) first[v] = (int)(degree * v);
    Runs runs = {0};
    while (more(&runs)) {
        for (long v = 0; v < n; v++) label[v] = (int)v;
        turns = 0;
        for (bool again = true; again && turns < 30; turns++) {
            again = false;
#pragma omp parallel for reduction(|| : again)
            for (long v = 0; v < n; v++) {
                int least = label[v];
                for (int e = first[v]; e < first[v + 1]; e++)
                    least = label[to[e]] < least ? label[to[e]] : least;
                next[v] = least;
                again = again || least != label[v];
            }
            int *t = label;
            label = next;
            next = t;
        }
    }
    double check = turns;
    for (long v = 0; v < n; v++) check += label[v];
    return report(&runs, check);
}
