/* Where a vector is greatest: the maxima of blocks, then the place in the block that has it. */
#include "../workload.h"

enum { BLOCK = 4096 };

static long greatest(long n, const float *x)
{
    float best = -1e30f;
    long at = n;
#pragma omp parallel
    {
        float mine = -1e30f;
        long where = n;
#pragma omp for nowait
        for (long begin = 0; begin < n; begin += BLOCK) {
            long end = begin + BLOCK < n ? begin + BLOCK : n;
            float most = -1e30f;
            for (long i = begin; i < end; i++) most = x[i] > most ? x[i] : most;
            if (most <= mine) continue;
            mine = most;
            where = begin;
        }
#pragma omp critical
        if (mine > best || (mine == best && where < at)) {
            best = mine;
            at = where;
        }
    }
    while (at < n && x[at] != best) at++;
    return at;
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv), at = 0;
    float *x = floats(n);
    for (long i = 0; i < n; i++) x[i] = unit(i);
    Runs runs = {0};
    while (more(&runs)) at = greatest(n, x);
    return report(&runs, (double)at);
}
