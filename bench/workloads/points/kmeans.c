/* Ten rounds of k-means with 16 centres over points of the plane, in blocks: first the nearest
 * centre of each point, then the sums. */
#include "../workload.h"

enum { K = 16, BLOCK = 1024 };

static void nearest(long count, const float *restrict x, const float *restrict y,
                    const float *restrict cx, const float *restrict cy, int *restrict best)
{
    float least[BLOCK];
    for (long i = 0; i < count; i++) least[i] = 1e30f;
    for (int k = 0; k < K; k++) {
        float ax = cx[k], ay = cy[k];
        for (long i = 0; i < count; i++) {
            float dx = x[i] - ax, dy = y[i] - ay, far = dx * dx + dy * dy;
            best[i] = far < least[i] ? k : best[i];
            least[i] = far < least[i] ? far : least[i];
        }
    }
}

static void round_of(long n, const float *x, const float *y, float *cx, float *cy)
{
    double sx[K] = {0}, sy[K] = {0};
    int members[K] = {0};
#pragma omp parallel for reduction(+ : sx, sy, members)
    for (long begin = 0; begin < n; begin += BLOCK) {
        long count = n - begin < BLOCK ? n - begin : BLOCK;
        int best[BLOCK] = {0};
        nearest(count, x + begin, y + begin, cx, cy, best);
        for (long i = 0; i < count; i++) {
            sx[best[i]] += (double)x[begin + i];
            sy[best[i]] += (double)y[begin + i];
            members[best[i]]++;
        }
    }
    for (int k = 0; k < K; k++) {
        if (!members[k]) continue;
        cx[k] = (float)(sx[k] / members[k]);
        cy[k] = (float)(sy[k] / members[k]);
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *x = floats(n), *y = floats(n), cx[K], cy[K];
    for (long i = 0; i < n; i++) {
        x[i] = unit(2 * i) + (float)(i % 4);
        y[i] = unit(2 * i + 1) + (float)(i / 4 % 4);
    }
    Runs runs = {0};
    while (more(&runs)) {
        for (int k = 0; k < K; k++) {
            cx[k] = x[7 * k];
            cy[k] = y[7 * k];
        }
        for (int round = 0; round < 10; round++) round_of(n, x, y, cx, cy);
    }
    double check = 0;
    for (int k = 0; k < K; k++) check += (double)cx[k] + 2 * (double)cy[k];
    return report(&runs, check);
}
