/* Hyperbolic functions and their inverses, of exponentials and logarithms of |x|. */
#include "functions.h"

/* (sinh(x) / x - 1) / x^2, |x| up to 1: errors 2^-34 and 2^-63 */
static const double float_sinh[] = {0x1.555556p-3, 0x1.111136p-7, 0x1.9ffe04p-13, 0x1.7a28ap-19};
static const double double_sinh[] = {
    0x1.5555555555556p-3,  0x1.11111111110ap-7,   0x1.a01a01a029333p-13, 0x1.71de3a45e7372p-19,
    0x1.ae64677398d01p-26, 0x1.611a34e54489ep-33, 0x1.b4d119b344414p-41};

/* Where odd functions of x are x. */
static V is_tiny(V a)
{
    return v_lt(a, v_num(a, 0x1p-30));
}

static V same_sign(V r, V x)
{
    return v_xorsign(r, x); /* r is not negative */
}

/* exp(a) / 2 + c / exp(a), a not negative, as twice the half of it, which is finite */
static V exp_and_inverse(V a, double c)
{
    Pair quarter = math_scaled_exp_pair(a, -2);
    V less = v_div(v_num(a, c / 8), quarter.high), infinite = v_num(a, INFINITY);
    V r = v_mulc(pair_value(pair_plus(quarter.high, pair(less, quarter.low))), 2);
    return v_select(v_lt(quarter.high, infinite), r, quarter.high);
}

V math_sinh(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), z = v_keep(v_mul(a, a));
    V p = v_is_float(x) ? v_poly(z, 4, float_sinh) : v_poly(z, 7, double_sinh);
    V small = v_fma(v_mul(a, z), p, a), large;
    if (x.m->precise) {
        large = exp_and_inverse(a, -0.5);
    } else {
        V half = v_keep(math_scaled_exp(a, -1));
        large = v_sub(half, v_div(v_num(x, 0.25), half));
    }
    return same_sign(v_select(v_lt(a, v_num(x, 1)), small, large), x);
}

V math_cosh(const V *arg)
{
    if (arg->m->precise) return exp_and_inverse(v_keep(v_abs(*arg)), 0.5);
    V half = v_keep(math_scaled_exp(v_keep(v_abs(*arg)), -1));
    return v_add(half, v_div(v_num(half, 0.25), half));
}

V math_tanh(const V *arg)
{
    V x = *arg, a = v_abs(x), most = v_num(x, v_is_float(x) ? 10 : 22);
    a = v_keep(v_select(v_lt(most, a), most, a));
    V twice = v_keep(v_mulc(a, 2));
    if (x.m->precise) {
        Pair half = math_half_expm1_pair(twice), more = pair_sum(half.high, v_num(x, 1));
        V r = pair_value(pair_over(half, pair(more.high, v_add(more.low, half.low))));
        return v_select(is_tiny(a), x, same_sign(r, x));
    }
    V u = v_keep(math_expm1(&twice));
    return same_sign(v_div(u, v_addc(u, 2)), x);
}

/* sqrt(1 + z) - 1 */
static Pair sqrt_less_one(Pair z)
{
    V one = v_num(z.high, 1);
    Pair sum = pair_sum(z.high, one);
    Pair root = pair_sqrt(pair(sum.high, v_add(sum.low, z.low)));
    return pair_over(z, pair_plus(one, root));
}

/* Above this 1 is nothing beside a square, which may be infinite. */
static V is_huge(V a)
{
    return v_lt(v_num(a, 0x1p300), a);
}

/* Pairs: asinh(a) = log(1 + a + (sqrt(1 + a^2) - 1)). */
static V precise_asinh(V x)
{
    V a = v_keep(v_abs(x)), zero = v_num(x, 0), huge = v_keep(is_huge(a));
    V usual = v_keep(v_select(huge, zero, a));
    Pair y = pair_add(pair(usual, zero), sqrt_less_one(pair_product(usual, usual)));
    y = pair_select(huge, pair(a, zero), y);
    V r = pair_value(math_log1p_pair(y, v_keep(v_select(huge, v_num(x, 1), zero))));
    r = v_select(v_lt(a, v_num(x, INFINITY)), r, a);
    return v_select(is_tiny(a), x, same_sign(r, x));
}

/* log(1 + t + sqrt(t^2 + 2 t)), x = 1 + t */
static V precise_acosh(V x)
{
    V zero = v_num(x, 0), huge = v_keep(is_huge(x)), t = v_keep(v_addc(x, -1));
    V usual = v_keep(v_select(huge, v_num(x, 1), t));
    Pair square = pair_product(usual, usual), twice = pair(v_mulc(usual, 2), zero);
    Pair y = pair_add(pair(usual, zero), pair_sqrt(pair_add(square, twice)));
    y = pair_select(huge, pair(x, zero), y);
    V r = pair_value(math_log1p_pair(y, v_keep(v_select(huge, v_num(x, 1), zero))));
    r = v_select(v_lt(x, v_num(x, INFINITY)), r, x);
    r = v_select(v_eq(t, zero), zero, r); /* which has divided by 0 */
    return v_select(v_lt(t, zero), v_num(x, NAN), r);
}

/* log(1 + 2 a / (1 - a)) / 2 */
static V precise_atanh(V x)
{
    V a = v_keep(v_abs(x)), zero = v_num(x, 0), one = v_num(x, 1);
    Pair y = pair_over(pair(v_mulc(a, 2), zero), pair_sum(one, v_keep(v_neg(a))));
    V r = v_mulc(pair_value(math_log1p_pair(y, zero)), 0.5);
    r = v_select(v_eq(a, one), v_num(x, INFINITY), r);
    r = v_select(v_lt(one, a), v_num(x, NAN), r);
    return v_select(is_tiny(a), x, same_sign(r, x));
}

V math_asinh(const V *arg)
{
    if (arg->m->precise) return precise_asinh(*arg);
    V x = *arg, a = v_keep(v_abs(x)), z = v_keep(v_mul(a, a)), zero = v_num(x, 0);
    V large = v_keep(v_lt(v_num(x, v_is_float(x) ? 0x1p30 : 0x1p300), a));
    V rest = v_div(z, v_addc(v_sqrt(v_addc(z, 1)), 1)); /* sqrt(1 + x^2) - 1 */
    V y = v_keep(v_select(large, a, v_add(a, rest)));
    V log2 = v_select(large, v_num(x, 0x1.62e42fefa39efp-1), zero);
    return same_sign(v_add(math_log1p(&y), log2), x);
}

V math_acosh(const V *arg)
{
    if (arg->m->precise) return precise_acosh(*arg);
    V x = *arg, t = v_keep(v_addc(x, -1));
    V large = v_keep(v_lt(v_num(x, v_is_float(x) ? 0x1p30 : 0x1p300), x));
    V y = v_add(t, v_sqrt(v_fma(t, t, v_mulc(t, 2))));
    y = v_select(large, x, y);
    y = v_keep(v_select(v_lt(t, v_num(x, 0)), v_num(x, NAN), y));
    V log2 = v_select(large, v_num(x, 0x1.62e42fefa39efp-1), v_num(x, 0));
    return v_add(math_log1p(&y), log2);
}

V math_atanh(const V *arg)
{
    if (arg->m->precise) return precise_atanh(*arg);
    V x = *arg, a = v_keep(v_abs(x));
    V y = v_keep(v_div(v_mulc(a, 2), v_sub(v_num(x, 1), a)));
    return same_sign(v_mulc(math_log1p(&y), 0.5), x);
}
