/* exp, exp2 and expm1: x = k log 2 + r with |r| at most half of it, a polynomial of r, and 2^k. */
#include "functions.h"

/* (exp(r) - 1 - r) / r^2: errors 2^-28 (relative to exp) and 2^-64 */
static const double float_exp[] = {0x1p-1, 0x1.55548ep-3, 0x1.55545ep-5, 0x1.123bdep-7,
                                   0x1.6db4e8p-10};
static const double double_exp[] = {
    0x1p-1,
    0x1.555555555555cp-3,
    0x1.555555555555ep-5,
    0x1.111111110eb6dp-7,
    0x1.6c16c16c13509p-10,
    0x1.a01a01b3d6647p-13,
    0x1.a01a01b47737p-16,
    0x1.71ddef4ea9013p-19,
    0x1.27e4bef07a146p-22,
    0x1.af6d470a77c4fp-26,
    0x1.1f9e4a06a7a58p-29,
};

/* log 2 in two parts, of which k times the first is exact */
static const double log2_high[] = {0x1.62e4p-1, 0x1.62e42fefap-1};
static const double log2_low[] = {0x1.7f7d1cp-20, 0x1.cf79abc9e3b4p-40};

/* At most hi; NaN stays. */
static V capped(V x, double hi)
{
    V most = v_num(x, hi);
    return v_keep(v_select(v_lt(most, x), most, x));
}

static V within(V x, double lo, double hi)
{
    V least = v_num(x, lo);
    return capped(v_keep(v_select(v_lt(x, least), least, x)), hi);
}

V math_small_exp(V r, const V *low)
{
    V p = v_is_float(r) ? v_poly(r, 5, float_exp) : v_poly(r, 11, double_exp);
    return low ? v_add(r, v_fma(v_mul(r, r), p, *low)) : v_fma(v_mul(r, r), p, r);
}

/* k and r of x = k log 2 + r; *lost: what r lacks, unless NULL */
static V reduce(V x, V *k, V *lost)
{
    bool f = v_is_float(x);
    *k = v_keep(v_nearest(x, 0x1.71547652b82fep0, NULL));
    V exact = v_keep(v_fmac(*k, -log2_high[!f], x)), r = v_keep(v_fmac(*k, -log2_low[!f], exact));
    if (lost) *lost = v_keep(v_fmac(*k, -log2_low[!f], v_sub(exact, r)));
    return r;
}

/* Is the result zero? It is put there: a processor takes ten times as long for a product so small. */
static V gone(V x, double least, V *other)
{
    V is = v_keep(v_lt(x, v_num(x, least)));
    *other = v_keep(v_select(is, v_num(x, 0), x));
    return is;
}

V math_scaled_exp(V x, double shift)
{
    bool precise = x.m->precise, f = v_is_float(x);
    V k, lost, r, none = gone(x, f ? -104 : -746, &x);
    x = capped(x, f ? 90 : 711);
    r = reduce(x, &k, precise ? &lost : NULL);
    r = v_addc(math_small_exp(r, precise ? &lost : NULL), 1);
    r = v_scale(r, shift != 0 ? v_keep(v_addc(k, shift)) : k);
    return v_select(none, v_num(x, 0), r);
}

V math_exp_parts(V x, const V *low, V *k)
{
    V e = math_small_exp(reduce(x, k, NULL), NULL);
    if (low) {
        e = v_keep(e);
        e = v_add(e, v_fma(*low, e, *low));
    }
    return v_addc(e, 1);
}

V math_exp(const V *arg)
{
    return math_scaled_exp(*arg, 0);
}

Pair math_exp_pair(V x, V low, V *k)
{
    V lost, r = reduce(x, k, &lost);
    V rest = v_keep(v_fma(v_mul(r, r), v_poly(r, 11, double_exp), lost));
    low = v_keep(low);
    rest = v_add(rest, v_fma(low, v_add(r, rest), low));
    Pair e = pair_plus(v_num(x, 1), pair(r, rest));
    return pair_ordered_sum(e.high, e.low);
}

Pair math_scaled_exp_pair(V x, double shift)
{
    V k;
    Pair e = math_exp_pair(within(x, -708, 711), v_num(x, 0), &k);
    return pair_scaled(e, v_keep(v_pow2(v_addc(k, shift))));
}

Pair math_half_expm1_pair(V x)
{
    Pair e = math_scaled_exp_pair(within(x, -50, 710), -1);
    Pair d = pair_sum(e.high, v_num(x, -0.5));
    return pair_ordered_sum(d.high, v_keep(v_add(d.low, e.low)));
}

V math_expm1(const V *arg)
{
    if (arg->m->precise) {
        V tiny = v_lt(v_abs(*arg), v_num(*arg, 0x1p-54));
        V twice = v_mulc(pair_value(math_half_expm1_pair(*arg)), 2);
        return v_select(tiny, *arg, twice);
    }
    V k, lost, x = v_is_float(*arg) ? within(*arg, -30, 89) : within(*arg, -50, 710);
    V r = reduce(x, &k, &lost), e = v_keep(math_small_exp(r, &lost));
    V half = v_keep(v_pow2(v_addc(k, -1))); /* of 2^k, which may be too large */
    r = v_mulc(v_fma(e, half, v_addc(half, -0.5)), 2);
    return v_select(v_eq(*arg, v_num(x, 0)), *arg, r); /* the sign of 0 */
}

V math_exp2(const V *arg)
{
    bool f = v_is_float(*arg);
    V x, none = gone(*arg, f ? -151 : -1076, &x);
    x = capped(x, f ? 129 : 1025);
    V k = v_keep(v_nearest(x, 1, NULL));
    V r = v_keep(v_sub(x, k)); /* exact */
    /* r log 2, the product's error added to the polynomial */
    V high = v_keep(v_mulc(r, 0x1.62e42fefa39efp-1));
    V low = v_fmac(r, v_is_float(x) ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1, v_neg(high));
    low = v_keep(v_fmac(r, v_is_float(x) ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56, low));
    return v_select(none, v_num(x, 0), v_scale(v_addc(math_small_exp(high, &low), 1), k));
}
