/* Logarithms: x = 2^k (1 + f) with 1 + f between the roots of 1/2 and 2. The greatest parts, k times
 * the logarithm of 2 and f, are added with what that loses; a polynomial is the small rest. */
#include "functions.h"

/* (log(1 + f) - f) / f^2: errors 2^-27.8 and 2^-56.3, relative to the logarithm */
static const double float_log[] = {-0x1.fffff8p-2, 0x1.55555p-2,   -0x1.00044ap-2,
                                   0x1.99a4cap-3,  -0x1.5420dap-3, 0x1.225bf2p-3,
                                   -0x1.0f5afap-3, 0x1.08ebc8p-3,  -0x1.391838p-4};
static const double double_log[] = {
    -0x1.0000000000006p-1, 0x1.555555555555ep-2, -0x1.fffffffffc7fcp-3, 0x1.9999999995605p-3,
    -0x1.55555557ad8e6p-3, 0x1.24924928800bfp-3, -0x1.fffffe9420296p-4, 0x1.c71c6eb8e7104p-4,
    -0x1.9999d49b85d82p-4, 0x1.745db3cc2388p-4,  -0x1.554fe0b7a936bp-4, 0x1.3b01f67ef3704p-4,
    -0x1.24dadd97b0c4p-4,  0x1.123da7ec5e061p-4, -0x1.fc684b4065fd2p-5, 0x1.cb2dce34204acp-5,
    -0x1.c73a0811868a7p-5, 0x1.0ec375a7eb61p-4,  -0x1.06f20f1461bedp-4, 0x1.de7f54f0cdc13p-6,
};

/* A logarithm is log(1 + f) / log(base) + k log(2) / log(base), each factor in two parts; k times
 * the first of the second is exact. */
typedef struct Base {
    double scale[2], two[2];
} Base;

static const Base natural[] = {{{1, 0}, {0x1.62e4p-1, 0x1.7f7d1cp-20}},
                               {{1, 0}, {0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43}}};
static const Base binary[] = {{{0x1.715476p0, 0x1.4ae0cp-26}, {1, 0}},
                              {{0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56}, {1, 0}}};
static const Base decimal[] = {
    {{0x1.bcb7b2p-2, -0x1.5b235ep-27}, {0x1.344p-2, 0x1.3509f8p-18}},
    {{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}, {0x1.34413509f8p-2, -0x1.80433b83b532ap-44}}};

void math_split(V x, V *k, V *m)
{
    uint64_t root = v_is_float(x) ? 0x3F3504F3 : 0x3FE6A09E667F3BCD; /* of 1/2 */
    V from = v_keep(v_addi(v_bits(x), -(int64_t)root));
    *k = v_keep(v_whole(v_sar(from, v_fraction(x))));
    V fraction = v_band(from, v_bits_num(x, (UINT64_C(1) << v_fraction(x)) - 1));
    *m = v_keep(v_real(v_addi(fraction, (int64_t)root)));
}

/* The logarithm of 2^k (1 + f), plus `rest` unless NULL, which is small. */
static V combine(const Base *base, V k, V f, const V *rest)
{
    double c[20];
    int n = v_is_float(f) ? 9 : 20;
    for (int i = 0; i < n; i++) c[i] = (n == 9 ? float_log : double_log)[i] * base->scale[0];
    V head = f, low = v_fmac(k, base->two[1], rest ? *rest : v_num(f, 0));
    if (base->scale[0] != 1) {
        head = v_keep(v_mulc(f, base->scale[0]));
        low = v_add(low, v_fmac(f, base->scale[0], v_neg(head)));
        low = v_fmac(f, base->scale[1], low);
    }
    V twos = v_keep(v_mulc(k, base->two[0]));
    V sum = v_keep(v_add(twos, head));
    low = v_add(low, v_sub(head, v_sub(sum, twos))); /* |k log 2| is greater, or 0 */
    return v_add(sum, v_series(v_keep(v_mul(f, f)), f, n, c, low));
}

/* What is not a positive number: x there, infinity at infinity, and r elsewhere. */
static V edges(V x, V zero, V r)
{
    r = v_select(v_lt(x, v_num(x, INFINITY)), r, x); /* NaN too */
    r = v_select(v_eq(x, zero), v_num(x, -INFINITY), r);
    return v_select(v_lt(x, zero), v_num(x, NAN), r);
}

static V logarithm(const Base *base, V x)
{
    V least = v_num(x, v_is_float(x) ? 0x1p-126 : 0x1p-1022), zero = v_num(x, 0), k, m;
    V tiny = v_keep(v_lt(x, least));
    V normal = v_keep(v_select(tiny, v_mulc(x, 0x1p54), x));
    math_split(normal, &k, &m);
    k = v_keep(v_select(tiny, v_addc(k, -54), k));
    return edges(x, zero, combine(&base[!v_is_float(x)], k, v_keep(v_addc(m, -1)), NULL));
}

V math_log(const V *arg)
{
    return logarithm(natural, *arg);
}

V math_log2(const V *arg)
{
    return logarithm(binary, *arg);
}

V math_log10(const V *arg)
{
    return logarithm(decimal, *arg);
}

V math_log1p(const V *arg)
{
    V x = *arg, k, m;
    V one = v_num(x, 1), u = v_keep(v_add(x, one));
    V big = v_le(one, x); /* the greater of x and 1 gives what is lost of the sum */
    V lost = v_select(big, v_sub(one, v_sub(u, x)), v_sub(x, v_sub(u, one)));
    lost = v_keep(lost);
    math_split(u, &k, &m);
    V whole = v_keep(v_eq(k, v_num(x, 0)));
    V f = v_keep(v_select(whole, x, v_sub(m, one)));
    /* lost / u, of which a few bits count, and none where k is large */
    V most = v_num(x, 60), by = v_pow2(v_neg(v_keep(v_select(v_lt(most, k), most, k))));
    V rest = v_mul(v_mul(lost, by), v_fma(f, v_addc(f, -1), one));
    rest = v_keep(v_select(whole, v_num(x, 0), rest));
    V r = edges(x, v_num(x, -1), combine(&natural[!v_is_float(x)], k, f, &rest));
    return v_select(v_eq(x, v_num(x, 0)), x, r); /* the sign of 0 */
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* (atanh(s) / s - 1 - s^2 / 3) / s^4 as a polynomial of s^2: error 2^-67 */
static const double atanh_rest[] = {
    0x1.9999999999999p-3, 0x1.2492492492894p-3, 0x1.c71c71c660c37p-4, 0x1.745d17ca8f852p-4,
    0x1.3b137d5b1681dp-4, 0x1.111cda61c62dep-4, 0x1.deca3c2aa24a7p-5, 0x1.e657140bd7feep-5};

Pair math_atanh_pair(Pair s)
{
    V one = v_num(s.high, 1);
    Pair z = pair_times_pair(s, s);
    V w = v_keep(v_mul(z.high, v_poly(z.high, 8, atanh_rest)));
    Pair third = pair(w, v_num(w, 0x1.5555555555555p-56));
    third = pair_plus(v_num(w, 0x1.5555555555555p-2), third);
    return pair_times_pair(s, pair_plus(one, pair_times_pair(z, third)));
}

/* log(2^k (1 + f)), 1 + f between the roots of 1/2 and 2: log(1 + f) = 2 atanh(f / (2 + f)) */
static Pair log_pair(V k, Pair f)
{
    Pair l = math_atanh_pair(pair_over(f, pair_plus(v_num(k, 2), f)));
    Pair twos = pair(v_mulc(k, natural[1].two[0]), v_mulc(k, natural[1].two[1]));
    return pair_add(twos, pair_scaled(l, v_num(k, 2)));
}

/* x as 2^k (1 + f) */
static Pair split_pair(Pair x, V *k)
{
    V m;
    math_split(x.high, k, &m);
    V most = v_num(m, 1000), by = v_pow2(v_neg(v_keep(v_select(v_lt(most, *k), most, *k))));
    return pair_plus(v_keep(v_addc(m, -1)), pair(v_mul(x.low, by), v_num(m, 0)));
}

Pair math_log_of_pair(Pair x, V twos)
{
    V k;
    Pair f = split_pair(x, &k);
    return log_pair(v_keep(v_add(k, twos)), f);
}

Pair math_log1p_pair(Pair y, V twos)
{
    V one = v_num(twos, 1), k;
    Pair u = pair_sum(y.high, one);
    Pair f = split_pair(pair_ordered_sum(u.high, v_keep(v_add(u.low, y.low))), &k);
    f = pair_select(v_keep(v_eq(k, v_num(k, 0))), y, f);
    return log_pair(v_keep(v_add(k, twos)), f);
}
