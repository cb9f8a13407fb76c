/* The score of the best local alignment of two sequences, by Smith and Waterman: blocks along
 * anti-diagonals, in each row first what does not depend on its left neighbour. */
#include "../workload.h"

enum { BLOCK = 256 };

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

static int block(long n, long p, long q, const int *restrict a, const int *restrict b, int *table)
{
    long rows = p + BLOCK < n ? p + BLOCK : n, width = n - q < BLOCK ? n - q : BLOCK;
    int best = 0;
    for (long i = p; i < rows; i++) {
        const int *above = table + i * (n + 1) + q;
        int *restrict row = table + (i + 1) * (n + 1) + q;
        int before[BLOCK], left = row[0];
        for (long j = 0; j < width; j++)
            before[j] = larger(larger(0, above[j] + (a[i] == b[q + j] ? 3 : -3)), above[j + 1] - 2);
        for (long j = 0; j < width; j++) row[j + 1] = left = larger(before[j], left - 2);
        for (long j = 1; j <= width; j++) best = larger(best, row[j]);
    }
    return best;
}

static int score(long n, const int *a, const int *b, int *table)
{
    long blocks = (n + BLOCK - 1) / BLOCK;
    int best = 0;
    for (long d = 0; d < 2 * blocks - 1; d++) {
        long first = d < blocks ? 0 : d - blocks + 1, last = d < blocks ? d : blocks - 1;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : best)
        for (long p = first; p <= last; p++)
            best = larger(best, block(n, p * BLOCK, (d - p) * BLOCK, a, b, table));
    }
    return best;
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *a = ints(n), *b = ints(n), *table = ints((n + 1) * (n + 1)), best = 0;
    for (long i = 0; i < n; i++) {
        a[i] = (int)(mix((uint32_t)i) % 4);
        b[i] = (int)(mix((uint32_t)(i + n)) % 4);
    }
    Runs runs = {0};
    while (more(&runs)) best = score(n, a, b, table);
    return report(&runs, best);
}
