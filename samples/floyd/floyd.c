#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 60), most = 0;
    int *way = malloc(sizeof *way * (size_t)n * (size_t)n), *row = malloc(sizeof *row * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int edge = uniform(8, (uint64_t)(i * n + j)) < 0.1f || j == (i + 1) % n;
            int length = 1 + (int)(uniform(8, (uint64_t)((i + n) * n + j)) * 100);
            way[i * n + j] = i == j ? 0 : edge ? length : 1000000;
        }
    for (int k = 0; k < n; k++) {
        memcpy(row, way + k * n, sizeof *row * (size_t)n);
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            int *at = way + i * n, first = at[k];
            for (int j = 0; j < n; j++) at[j] = first + row[j] < at[j] ? first + row[j] : at[j];
        }
    }
    int64_t sum = 0;
    for (int i = 0; i < n * n; i++) {
        sum += way[i];
        if (way[i] > most) most = way[i];
    }
    printf("longest %d, mean %.2f, from 0 to %d %d\n", most, (double)sum / (n * n), n / 2,
           way[n / 2]);
}
