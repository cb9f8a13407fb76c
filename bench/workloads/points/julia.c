/* A Julia set, 32 points at a time while one of them is left. */
#include "../workload.h"

enum { LANES = 32, MOST = 200 };

static void escape(long n, long i, long j, int *turns)
{
    float re[LANES], im[LANES];
    int count[LANES] = {0}, live = 1;
    for (int l = 0; l < LANES; l++) {
        re[l] = 3.0f * (float)(j + l) / (float)n - 1.5f;
        im[l] = 3.0f * (float)i / (float)n - 1.5f;
    }
    for (int t = 0; t < MOST && live; t++) {
        live = 0;
        for (int l = 0; l < LANES; l++) {
            float x = re[l] * re[l], y = im[l] * im[l], next = 2 * re[l] * im[l] + 0.156f;
            int in = x + y < 4;
            re[l] = in ? x - y - 0.8f : re[l];
            im[l] = in ? next : im[l];
            count[l] += in;
            live |= in;
        }
    }
    for (int l = 0; l < LANES && j + l < n; l++) turns[i * n + j + l] = count[l];
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *turns = ints(n * n);
    Runs runs = {0};
    while (more(&runs)) {
#pragma omp parallel for schedule(dynamic)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j += LANES) escape(n, i, j, turns);
    }
    double sum = 0;
    for (long i = 0; i < n * n; i++) sum += turns[i];
    return report(&runs, (double)(long)(sum / (0.001 * (double)n * (double)n) + 0.5));
}
