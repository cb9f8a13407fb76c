#include "../sample.h"

static int escape(float x, float y)
{
    float a = 0, b = 0;
    for (int n = 0; n < 100; n++) {
        float t = a * a - b * b + x;
        b = 2 * a * b + y;
        a = t;
        if (a * a + b * b > 4) return n;
    }
    return 100;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        int n = atoi(argv[1]), sum = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 3 * n / 2; j++)
                sum += escape((float)(j - n) * 2 / (float)n, (float)(i - n / 2) * 2 / (float)n);
        printf("%d steps\n", sum);
        return 0;
    }
    for (int i = 0; i < 24; i++) {
        for (int j = 0; j < 64; j++) {
            int n = escape((float)(j - 44) * 0.05f, (float)(i - 12) * 0.1f);
            putchar(n >= 100 ? '#' : n > 8 ? '+' : n > 4 ? '.' : ' ');
        }
        putchar('\n');
    }
}
