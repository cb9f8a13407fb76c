/* pow: 2 to y times the logarithm of |x|. In doubles for floats; for doubles the logarithm and the
 * product are sums of two doubles. */
#include "functions.h"

/* log2(1 + f) / f, error 2^-38.5; 2^r, error 2^-29: for results that are floats */
static const double short_log2[] = {
    0x1.71547652b58c3p0,  -0x1.71547651b638ap-1, 0x1.ec709de35e93ap-2, -0x1.71547889ba1edp-2,
    0x1.2776b6bf3f65cp-2, -0x1.ec6f2d330ad02p-3, 0x1.a61b81813b3c9p-3, -0x1.7188eaaad9a16p-3,
    0x1.481f7c41e10f6p-3, -0x1.23d51256159a7p-3, 0x1.0ace9e3e821afp-3, -0x1.13bf6df5e6e69p-3,
    0x1.0f647f204cdafp-3, -0x1.1d967bedc2b7bp-4};
static const double short_exp2[] = {
    0x1.000000026b156p0,  0x1.62e430ca7cfc7p-1,  0x1.ebfbdaccf827fp-3, 0x1.c6aed13756b2bp-5,
    0x1.3b2dc1f108637p-7, 0x1.5f4730a538b4dp-10, 0x1.41d1f656e9bb1p-13};

/* log2(2^k m) as 2 / log(2) atanh((m - 1) / (m + 1)) */
static Pair log2_pair(V k, V m)
{
    V one = v_num(m, 1);
    V f = v_keep(v_sub(m, one)), two = v_num(m, 2), d = v_keep(v_add(f, two));
    V inverse = v_keep(v_div(one, d)), high = v_keep(v_mul(f, inverse));
    V rest = v_fma(v_neg(high), v_sub(f, v_sub(d, two)), v_fma(v_neg(high), d, f));
    Pair s = pair(high, v_mul(rest, inverse));
    Pair scale = {v_num(m, 0x1.71547652b82fep1), v_num(m, 0x1.777d0ffda0d24p-55)};
    return pair_plus(k, pair_times_pair(math_atanh_pair(s), scale));
}

static V within(V x, double most)
{
    V m = v_num(x, most);
    return v_select(v_lt(x, v_neg(m)), v_neg(m), v_select(v_lt(m, x), m, x));
}

static V short_power(V x, V y)
{
    V a = v_keep(v_widen(v_abs(x))), b = v_keep(v_widen(y)), k, m;
    math_split(a, &k, &m);
    V f = v_keep(v_addc(m, -1));
    V l = v_fma(f, v_poly(f, 14, short_log2), k);
    l = v_select(v_lt(a, v_num(a, INFINITY)), l, a);
    l = v_select(v_eq(a, v_num(a, 0)), v_num(a, -INFINITY), l);
    V e = v_keep(within(v_keep(v_mul(b, l)), 200)), whole = v_keep(v_nearest(e, 1, NULL));
    V r = v_keep(v_sub(e, whole));
    return v_narrow(v_mul(v_poly(r, 7, short_exp2), v_pow2(whole)));
}

static V long_power(V x, V y)
{
    V a = v_keep(v_abs(x)), k, m, infinite = v_num(x, INFINITY), zero = v_num(x, 0);
    V tiny = v_keep(v_lt(a, v_num(x, 0x1p-1022)));
    math_split(v_keep(v_select(tiny, v_mulc(a, 0x1p54), a)), &k, &m);
    Pair l = log2_pair(v_keep(v_select(tiny, v_addc(k, -54), k)), m);
    l.high = v_select(v_lt(a, infinite), l.high, a);
    l.high = v_keep(v_select(v_eq(a, zero), v_neg(infinite), l.high));
    Pair e = pair_times(l, y);
    V exponent = v_keep(within(e.high, 1100)); /* outside there is no rest */
    e.low = v_keep(v_select(v_eq(exponent, e.high), e.low, zero));
    V whole = v_keep(v_nearest(exponent, 1, NULL)), r = v_keep(v_sub(exponent, whole));
    Pair fraction = pair_plus(r, pair(e.low, zero)); /* or r is 0 */
    Pair t = pair_product(fraction.high, v_num(x, 0x1.62e42fefa39efp-1));
    V low = v_fmac(fraction.low, 0x1.62e42fefa39efp-1, t.low);
    low = v_fmac(fraction.high, 0x1.abc9e3b39803fp-56, low);
    low = v_keep(low);
    return v_scale(v_addc(math_small_exp(t.high, &low), 1), whole);
}

/* 2^fraction and above there is nothing after the point. */
V math_is_whole(V x)
{
    V a = v_keep(v_abs(x)), most = v_num(x, ldexp(1, v_fraction(x)));
    return v_or(v_le(most, a), v_eq(v_sub(v_add(a, most), most), a));
}

V math_pow(const V *arg)
{
    V x = arg[0], y = arg[1], zero = v_num(x, 0), one = v_num(x, 1), infinite = v_num(x, INFINITY);
    V r = v_is_float(x) ? short_power(x, y) : long_power(x, y);
    V whole = v_keep(math_is_whole(y)), odd = v_and(whole, v_not(math_is_whole(v_mulc(y, 0.5))));
    r = v_keep(r);
    r = v_keep(v_select(odd, v_xorsign(r, x), r));
    V none = v_and(v_and(v_lt(x, zero), v_lt(v_neg(infinite), x)), v_not(whole));
    r = v_select(none, v_num(x, NAN), r);
    V minus = v_and(v_eq(x, v_num(x, -1)), v_eq(v_abs(y), infinite));
    V ones = v_or(v_or(v_eq(y, zero), v_eq(x, one)), minus);
    return v_select(ones, one, r);
}
