/* Hyperbolic functions and their inverses, of exponentials and logarithms of |x|. */
#include "functions.h"

/* (sinh(x) / x - 1) / x^2, |x| up to 1: errors 2^-34 and 2^-63 */
static const double float_sinh[] = {0x1.555556p-3, 0x1.111136p-7, 0x1.9ffe04p-13, 0x1.7a28ap-19};
static const double double_sinh[] = {
    0x1.5555555555556p-3,  0x1.11111111110ap-7,   0x1.a01a01a029333p-13, 0x1.71de3a45e7372p-19,
    0x1.ae64677398d01p-26, 0x1.611a34e54489ep-33, 0x1.b4d119b344414p-41};

static V same_sign(V r, V x)
{
    return v_xorsign(r, x); /* r is not negative */
}

V math_sinh(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), z = v_keep(v_mul(a, a));
    V p = v_is_float(x) ? v_poly(z, 4, float_sinh) : v_poly(z, 7, double_sinh);
    V small = v_fma(v_mul(a, z), p, a), half = v_keep(math_scaled_exp(a, -1));
    V large = v_sub(half, v_div(v_num(x, 0.25), half));
    return same_sign(v_select(v_lt(a, v_num(x, 1)), small, large), x);
}

V math_cosh(const V *arg)
{
    V half = v_keep(math_scaled_exp(v_keep(v_abs(*arg)), -1));
    return v_add(half, v_div(v_num(half, 0.25), half));
}

V math_tanh(const V *arg)
{
    V x = *arg, a = v_abs(x), most = v_num(x, v_is_float(x) ? 10 : 22);
    a = v_keep(v_select(v_lt(most, a), most, a));
    V twice = v_keep(v_mulc(a, 2)), u = v_keep(math_expm1(&twice));
    return same_sign(v_div(u, v_addc(u, 2)), x);
}

V math_asinh(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), z = v_keep(v_mul(a, a)), zero = v_num(x, 0);
    V large = v_keep(v_lt(v_num(x, v_is_float(x) ? 0x1p30 : 0x1p300), a));
    V rest = v_div(z, v_addc(v_sqrt(v_addc(z, 1)), 1)); /* sqrt(1 + x^2) - 1 */
    V y = v_keep(v_select(large, a, v_add(a, rest)));
    V log2 = v_select(large, v_num(x, 0x1.62e42fefa39efp-1), zero);
    return same_sign(v_add(math_log1p(&y), log2), x);
}

V math_acosh(const V *arg)
{
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
    V x = *arg, a = v_keep(v_abs(x));
    V y = v_keep(v_div(v_mulc(a, 2), v_sub(v_num(x, 1), a)));
    return same_sign(v_mulc(math_log1p(&y), 0.5), x);
}
