/* A picture of bytes, brighter by a power: by a table. */
#include "../workload.h"

#include <math.h>

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    uint8_t *img = array(n * n, 1), *y = array(n * n, 1), table[256];
    for (long i = 0; i < n * n; i++) img[i] = (uint8_t)(255.9f * unit(i));
    Runs runs = {0};
    while (more(&runs)) {
        for (int k = 0; k < 256; k++)
            table[k] = (uint8_t)(255 * powf((float)k / 255.f, 1 / 2.2f) + .5f);
#pragma omp parallel for
        for (long i = 0; i < n * n; i++) y[i] = table[img[i]];
    }
    double check = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) check += weight(i + j) * y[i * n + j];
    return report(&runs, check);
}
