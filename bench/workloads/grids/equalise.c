/* Histogram equalisation of a picture of bytes. */
#include "../workload.h"

#include <limits.h>
#include <math.h>

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    uint8_t *img = array(n * n, 1), *y = array(n * n, 1);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            img[i * n + j] = (uint8_t)(200 * unit(i * n + j) * unit(j) + 20);
    Runs runs = {0};
    while (more(&runs)) {
        int h[256] = {0}, below[256], sum = 0, least = INT_MAX;
        uint8_t table[256];
#pragma omp parallel for reduction(+ : h[:256])
        for (long i = 0; i < n * n; i++) h[img[i]]++;
        for (int k = 0; k < 256; k++) {
            below[k] = sum += h[k];
            if (sum > 0 && sum < least) least = sum;
        }
        for (int k = 0; k < 256; k++)
            table[k] = (uint8_t)rintf((float)(below[k] - least) * 255.f / (float)(n * n - least));
#pragma omp parallel for
        for (long i = 0; i < n * n; i++) y[i] = table[img[i]];
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * y[i * n + j];
    return report(&runs, check);
}
