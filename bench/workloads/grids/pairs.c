/* How often grey levels stand side by side in a picture of bytes. */
#include "../workload.h"

enum { LEVELS = 256, TABLE = LEVELS * LEVELS };

static void count_pairs(long n, const unsigned char *restrict img, int *restrict count)
{
    memset(count, 0, TABLE * sizeof *count);
#pragma omp parallel
    {
        static _Thread_local int own[TABLE];
        memset(own, 0, sizeof own);
#pragma omp for
        for (long i = 0; i < n; i++)
            for (long j = 0; j + 1 < n; j++) own[img[i * n + j] * LEVELS + img[i * n + j + 1]]++;
#pragma omp critical
        for (int k = 0; k < TABLE; k++) count[k] += own[k];
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    unsigned char *img = array(n * n, 1);
    int *count = ints(TABLE);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            img[i * n + j] = (unsigned char)(200 * unit(i * n + j) * unit(j) + 20);
    Runs runs = {0};
    while (more(&runs)) count_pairs(n, img, count);
    double check = 0;
    for (long i = 0; i < LEVELS; i++)
        for (long j = 0; j < LEVELS; j++) check += weight(i + j) * count[i * LEVELS + j];
    return report(&runs, check);
}
