#include "../sample.h"

static inline float normal(float d)
{
    return 0.5f * erfcf(-d / 1.41421356f);
}

static inline float price(float spot, float strike, float years, float rate, float volatility,
                          float *put)
{
    float spread = volatility * sqrtf(years);
    float d1 = (logf(spot / strike) + (rate + volatility * volatility / 2) * years) / spread,
          d2 = d1 - spread;
    float discounted = strike * expf(-rate * years);
    *put = discounted * normal(-d2) - spot * normal(-d1);
    return spot * normal(d1) - discounted * normal(d2);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 2000);
    float *all = malloc(sizeof *all * 5 * (size_t)n), *spot = all, *strike = all + n,
          *years = strike + n;
    float *call = years + n, *put = call + n, worst = 0, one;
    double calls = 0, puts = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        uint64_t at = 3 * (uint64_t)i;
        spot[i] = 5 + 25 * uniform(42, at);
        strike[i] = 1 + 99 * uniform(42, at + 1);
        years[i] = 0.25f + 9.75f * uniform(42, at + 2);
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) call[i] = price(spot[i], strike[i], years[i], 0.02f, 0.3f, put + i);
#pragma omp parallel for reduction(+ : calls, puts) reduction(max : worst)
    for (int i = 0; i < n; i++) {
        calls += call[i];
        puts += put[i];
        worst =
            fmaxf(worst, fabsf(call[i] - put[i] - (spot[i] - strike[i] * expf(-0.02f * years[i]))));
    }
    printf("%d options, means %.3f and %.3f\n", n, calls / n, puts / n);
    printf("call - put - (spot - discounted strike): at most %.3f\n", worst);
    float first = price(100, 95, 0.5f, 0.03f, 0.25f, &one);
    printf("spot 100, strike 95, half a year: %.3f %.3f\n", first, one);
}
