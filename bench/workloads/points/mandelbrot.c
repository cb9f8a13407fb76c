/* How long points of the plane stay near 0, up to 256 steps: 16 neighbours at once. */
#include "../workload.h"

enum { LANES = 16, STEPS = 256 };

static void draw(long n, int *picture)
{
    float width = 3.0f / (float)n;
#pragma omp parallel for schedule(dynamic, 4)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j += LANES) {
            float x[LANES], y = (float)i * width - 1.5f, re[LANES] = {0}, im[LANES] = {0};
            int steps[LANES];
            for (int l = 0; l < LANES; l++) {
                x[l] = (float)(j + l) * width - 2.25f;
                steps[l] = STEPS;
            }
            for (int k = 0, near = 1; near && k < STEPS; k++) {
                near = 0;
                for (int l = 0; l < LANES; l++) {
                    float t = re[l] * re[l] - im[l] * im[l] + x[l];
                    im[l] = 2 * re[l] * im[l] + y;
                    re[l] = t;
                    int out = re[l] * re[l] + im[l] * im[l] > 4;
                    steps[l] = out && steps[l] == STEPS ? k : steps[l];
                    near |= steps[l] == STEPS;
                }
            }
            for (int l = 0; l < LANES && j + l < n; l++) picture[i * n + j + l] = steps[l];
        }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    int *picture = ints(n * n);
    Runs runs = {0};
    while (more(&runs)) draw(n, picture);
    double check = 0;
    for (long i = 0; i < n * n; i++) check += picture[i];
    return report(&runs, check);
}
