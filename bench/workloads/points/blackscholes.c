/* Calls and puts by Black and Scholes, with the normal distribution as a polynomial. */
#include "../workload.h"

static inline float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f +
                                      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

static void price(long n, const float *restrict stock, const float *restrict strike,
                  const float *restrict years, float *restrict call, float *restrict put)
{
    const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for simd
    for (long i = 0; i < n; i++) {
        float s = stock[i], t = years[i], spread = volatility * sqrtf(t);
        float d1 = (logf(s / strike[i]) + (rate + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread, now = strike[i] * expf(-rate * t);
        call[i] = s * normal(d1) - now * normal(d2);
        put[i] = now * (1 - normal(d2)) - s * (1 - normal(d1));
    }
}

int main(int argc, char **argv)
{
    long n = size_of(argc, argv);
    float *stock = floats(n), *strike = floats(n), *years = floats(n);
    float *call = floats(n), *put = floats(n);
    for (long i = 0; i < n; i++) {
        stock[i] = 5 + 25 * unit(i);
        strike[i] = 1 + 99 * unit(i + n);
        years[i] = 0.25f + 9.75f * unit(i + 2 * n);
    }
    Runs runs = {0};
    while (more(&runs)) price(n, stock, strike, years, call, put);
    double check = 0;
    for (long i = 0; i < n; i++) check += (double)call[i] + 2 * (double)put[i];
    return report(&runs, check);
}
