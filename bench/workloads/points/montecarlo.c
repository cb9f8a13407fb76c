/* The volume below a quarter of a sphere, by points that are not kept. */
#include "../workload.h"

static double volume(long n)
{
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < (int)n; i++) {
        float x = unit(2 * i), y = unit(2 * i + 1), rest = 1 - x * x - y * y;
        sum += (double)(rest > 0 ? sqrtf(rest) : 0);
    }
    return sum / (double)n;
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    double check = 0;
    Runs runs = {0};
    while (more(&runs)) check = volume(n);
    return report(&runs, check);
}
