#include "../sample.h"

static int place(int all, int row, int columns, int left, int right)
{
    if (columns == all) return 1;
    int count = 0;
    for (int free = all & ~(columns | left | right); free; free &= free - 1) {
        int queen = free & -free;
        count += place(all, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return count;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 8);
    for (int k = n < 4 ? n : 4; k <= n; k++) {
        int count = 0, all = (1 << k) - 1;
#pragma omp parallel for schedule(dynamic) reduction(+ : count)
        for (int i = 0; i < k * k; i++) {
            int a = 1 << i / k, b = 1 << i % k;
            if (!(b & (a | a << 1 | a >> 1)))
                count += place(all, 2, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
        }
        printf("%d queens: %d\n", k, count);
    }
}
