/* Inverses of sin, cos and tan: what is large is folded to where one polynomial of odd powers does,
 * by sqrt((1 - x) / 2) or 1 / x. */
#include "functions.h"

/* (asin(x) / x - 1) / x^2, |x| up to 1/2: errors 2^-31.7 and 2^-59.8 */
static const double float_asin[] = {0x1.55554cp-3, 0x1.333892p-4, 0x1.6cabb6p-5,
                                    0x1.04ab02p-5, 0x1.d7a7d6p-7, 0x1.33d72ap-5};
static const double double_asin[] = {
    0x1.5555555555578p-3, 0x1.333333332df05p-4, 0x1.6db6db722bfefp-5, 0x1.f1c71a8b6cd04p-6,
    0x1.6e8bdfeb1f121p-6, 0x1.1c49ddb9efd6ap-6, 0x1.ca214a4b33408p-7, 0x1.757760b8c9837p-7,
    0x1.618b9db5a5592p-7, 0x1.e14ef2620bf5dp-9, 0x1.650576ad0b901p-6, -0x1.59fb0e1a9dcp-6,
    0x1.0be5b9202e403p-5};

/* (atan(x) / x - 1) / x^2, |x| up to tan(pi/8): errors 2^-30.5 and 2^-64 */
static const double float_atan[] = {-0x1.55554ap-2, 0x1.9991a6p-3, -0x1.23b636p-3, 0x1.b1fa18p-4,
                                    -0x1.f22b18p-5};
static const double double_atan[] = {
    -0x1.5555555555554p-2, 0x1.9999999999652p-3, -0x1.249249247598fp-3, 0x1.c71c71b75b428p-4,
    -0x1.745d14bba364p-4,  0x1.3b136e505790fp-4, -0x1.110c74628bdcbp-4, 0x1.e172180611866p-5,
    -0x1.ab7df44a337c2p-5, 0x1.70ee96b8a7eadp-5, -0x1.1239b2e24a77p-5,  0x1.f1ecb7a27a931p-7};

/* c - x, c = n pi / 2 in two parts */
static V from_half_pi(int n, V x)
{
    bool f = v_is_float(x);
    V high = v_num(x, n * (f ? 0x1.921fb6p0 : 0x1.921fb54442d18p0));
    return v_addc(v_sub(high, x), n * (f ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54));
}

/* n pi / 2 - x */
static Pair pair_from_half_pi(int n, Pair x)
{
    V high = v_num(x.high, n * 0x1.921fb54442d18p0), low = v_num(x.high, n * 0x1.1a62633145c07p-54);
    Pair minus = pair(v_neg(x.high), v_sub(low, x.low));
    return pair_plus(high, minus);
}

/* asin of |x| up to 1/2, else of sqrt((1 - |x|) / 2), of which asin(|x|) is pi/2 less twice */
static V folded_asin(V a, V large)
{
    V half = v_num(a, 0.5), z = v_keep(v_select(large, v_fma(a, v_neg(half), half), v_mul(a, a)));
    V s = v_keep(v_select(large, v_sqrt(z), a));
    V p = v_is_float(a) ? v_poly(z, 6, float_asin) : v_poly(z, 13, double_asin);
    return v_keep(v_fma(v_mul(s, z), p, s));
}

/* The same as a pair. */
static Pair folded_asin_pair(V a, V large)
{
    V half = v_num(a, 0.5), zero = v_num(a, 0);
    V z = v_keep(v_select(large, v_fma(a, v_neg(half), half), v_mul(a, a)));
    Pair root = pair_sqrt(pair(z, zero)); /* of what is exact: large ones */
    V none = v_eq(z, zero);
    Pair s = pair_select(large, pair(root.high, v_select(none, zero, root.low)), pair(a, zero));
    return pair(s.high, v_fma(v_mul(s.high, z), v_poly(z, 13, double_asin), s.low));
}

V math_asin(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), large = v_keep(v_lt(v_num(x, 0.5), a));
    if (x.m->precise) {
        Pair s = folded_asin_pair(a, large);
        Pair rest = pair_from_half_pi(1, pair_scaled(s, v_num(x, 2)));
        return v_xorsign(pair_value(pair_select(large, rest, s)), x);
    }
    V r = folded_asin(a, large);
    return v_xorsign(v_select(large, from_half_pi(1, v_mulc(r, 2)), r), x);
}

V math_acos(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), large = v_keep(v_lt(v_num(x, 0.5), a));
    V zero = v_num(x, 0);
    if (x.m->precise) {
        Pair s = folded_asin_pair(a, large), twice = pair_scaled(s, v_num(x, 2));
        Pair same = pair(v_xorsign(s.high, x), v_xorsign(s.low, x));
        twice = pair_select(v_lt(x, zero), pair_from_half_pi(2, twice), twice);
        return pair_value(pair_select(large, twice, pair_from_half_pi(1, same)));
    }
    V r = folded_asin(a, large), twice = v_keep(v_mulc(r, 2));
    V small = from_half_pi(1, v_xorsign(r, x));
    return v_select(large, v_select(v_lt(x, zero), from_half_pi(2, twice), twice), small);
}

/* The angle of (a, b), neither negative: of the smaller by the greater one, where pi/4 is taken off
 * if it is more than half of that; 0 for (0, 0) and pi/4 for two infinities. */
static V first_quadrant(V a, V b)
{
    V zero = v_num(a, 0), steep = v_keep(v_lt(a, b));
    V least = v_keep(v_select(steep, a, b)), most = v_keep(v_select(steep, b, a));
    V equal = v_keep(v_and(v_eq(a, b), v_lt(zero, a)));
    V middle = v_keep(v_or(equal, v_lt(v_mulc(most, 0x1.a8279ap-2), least)));
    V over = v_select(equal, zero, v_select(middle, v_sub(least, most), least));
    V t = v_div(over, v_select(middle, v_add(least, most), most));
    t = v_keep(v_select(v_eq(least, zero), zero, t));
    V z = v_keep(v_mul(t, t));
    bool f = v_is_float(t);
    V p = f ? v_poly(z, 5, float_atan) : v_poly(z, 12, double_atan);
    V rest = v_keep(v_mul(v_mul(t, z), p)), r = v_keep(v_add(t, rest));
    V quarter = v_addc(r, f ? -0x1.777a5cp-26 : 0x1.1a62633145c07p-55);
    quarter = v_addc(quarter, f ? 0x1.921fb6p-1 : 0x1.921fb54442d18p-1);
    r = v_keep(v_select(middle, quarter, r));
    return v_select(steep, from_half_pi(1, r), r);
}

/* The same as a pair. */
static Pair first_quadrant_pair(V a, V b)
{
    V zero = v_num(a, 0), steep = v_keep(v_lt(a, b));
    V least = v_keep(v_select(steep, a, b)), most = v_keep(v_select(steep, b, a));
    V equal = v_keep(v_and(v_eq(a, b), v_lt(zero, a)));
    V middle = v_keep(v_and(v_not(equal), v_lt(v_mulc(most, 0x1.a8279ap-2), least)));
    Pair more = pair_ordered_sum(most, least), over = pair_ordered_sum(v_keep(v_neg(most)), least);
    over = pair_select(middle, over, pair(v_select(equal, zero, least), zero));
    Pair t = pair_over(over, pair_select(middle, more, pair(most, zero)));
    t = pair_select(v_keep(v_or(equal, v_eq(least, zero))), pair(zero, zero), t);
    V z = v_keep(v_mul(t.high, t.high));
    t = pair(t.high, v_fma(v_mul(t.high, z), v_poly(z, 12, double_atan), t.low));
    Pair quarter = pair(t.high, v_addc(t.low, 0x1.1a62633145c07p-55));
    quarter = pair_plus(v_num(a, 0x1.921fb54442d18p-1), quarter);
    t = pair_select(v_keep(v_or(middle, equal)), quarter, t);
    return pair_select(steep, pair_from_half_pi(1, t), t);
}

V math_atan(const V *arg)
{
    if (arg->m->precise) {
        V x = *arg, a = v_keep(v_abs(x));
        V angle = pair_value(first_quadrant_pair(v_var(v_num(x, 1)), a));
        return v_xorsign(v_select(v_le(a, v_num(x, INFINITY)), angle, x), x); /* NaN */
    }
    V r = first_quadrant(v_var(v_num(*arg, 1)), v_keep(v_abs(*arg)));
    return v_xorsign(v_select(v_le(v_abs(*arg), v_num(r, INFINITY)), r, *arg), *arg); /* NaN */
}

V math_atan2(const V *arg)
{
    V y = arg[0], x = arg[1], huge = v_num(x, v_is_float(x) ? 0x1p126 : 0x1p1022);
    V a = v_keep(v_abs(x)), b = v_keep(v_abs(y));
    V large = v_or(v_lt(huge, a), v_lt(huge, b)); /* whose sum may be infinite */
    V by = v_keep(v_select(large, v_num(x, 0.25), v_num(x, 1)));
    V infinite = v_num(x, INFINITY), left = v_lt(v_copysign(v_num(x, 1), x), v_num(x, 0));
    V numbers = v_and(v_le(a, infinite), v_le(b, infinite));
    if (x.m->precise) {
        V least = v_num(x, 0x1p-800), small = v_and(v_lt(a, least), v_lt(b, least));
        by = v_keep(v_select(small, v_num(x, 0x1p200), by)); /* rests are numbers then */
        Pair p = first_quadrant_pair(v_keep(v_mul(a, by)), v_keep(v_mul(b, by)));
        p = pair_select(v_keep(left), pair_from_half_pi(2, p), p);
        return v_select(numbers, v_xorsign(pair_value(p), y), v_add(x, y));
    }
    V r = v_keep(first_quadrant(v_keep(v_mul(a, by)), v_keep(v_mul(b, by))));
    r = v_xorsign(v_select(left, from_half_pi(2, r), r), y);
    return v_select(numbers, r, v_add(x, y)); /* NaN */
}
