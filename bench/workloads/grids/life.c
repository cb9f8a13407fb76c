/* 50 generations of Conway's life on a torus. */
#include "../workload.h"

typedef uint8_t Cell;

static void step(long n, const Cell *restrict cells, Cell *restrict next)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const Cell *row = cells + i * n;
        const Cell *up = cells + (i + n - 1) % n * n, *down = cells + (i + 1) % n * n;
        Cell *to = next + i * n;
        for (long j = 0; j < n; j += n - 1) { /* the two ends, around the torus */
            long l = (j + n - 1) % n, r = (j + 1) % n;
            Cell around =
                (Cell)(up[l] + up[j] + up[r] + row[l] + row[r] + down[l] + down[j] + down[r]);
            to[j] = (Cell)((around == 3) | ((around == 2) & row[j]));
        }
#pragma omp simd
        for (long j = 1; j < n - 1; j++) {
            Cell around = (Cell)(up[j - 1] + up[j] + up[j + 1] + row[j - 1] + row[j + 1] +
                                 down[j - 1] + down[j] + down[j + 1]);
            to[j] = (Cell)((around == 3) | ((around == 2) & row[j]));
        }
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    Cell *start = array(n * n, 1), *cells = array(n * n, 1), *next = array(n * n, 1);
    for (long i = 0; i < n * n; i++) start[i] = mix((uint32_t)i) & 1;
    Runs runs = {0};
    while (more(&runs)) {
        step(n, start, cells);
        for (int t = 1; t < 50; t++) {
            step(n, cells, next);
            Cell *swap = cells;
            cells = next;
            next = swap;
        }
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * cells[i * n + j];
    return report(&runs, check);
}
