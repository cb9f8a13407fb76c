#include "../sample.h"

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 20000);
    for (int d = 2; d <= 6; d++) {
        long inside = 0;
#pragma omp parallel for reduction(+ : inside)
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int k = 0; k < d; k++) {
                float x = 2 * uniform(2024, (uint64_t)i * (uint64_t)d + (uint64_t)k) - 1;
                s += x * x;
            }
            inside += s < 1;
        }
        double exact = pow(3.141592653589793, d / 2.0) / tgamma(d / 2.0 + 1);
        printf("%d dimensions: %.3f, exactly %.3f\n", d, pow(2, d) * (double)inside / n, exact);
    }
}
