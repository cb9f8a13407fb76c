#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100000), count[16] = {0}, most = 0;
    float *x = malloc(sizeof *x * (size_t)n);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = (uniform(11, 2 * (uint64_t)i) + uniform(11, 2 * (uint64_t)i + 1)) / 2;
#pragma omp parallel for reduction(+ : count[:16])
    for (int i = 0; i < n; i++) count[(int)(x[i] * 16)]++;
    for (int b = 0; b < 16; b++)
        if (count[b] > most) most = count[b];
    for (int b = 0; b < 16; b++) {
        printf("%.4f %8d ", b / 16.0, count[b]);
        for (int k = 0; k < 50 * count[b] / most; k++) putchar('*');
        putchar('\n');
    }
}
