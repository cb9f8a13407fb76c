/* The remainder of reals, exact, with the sign of the dividend. A quotient that is small enough is
 * taken to the nearest integer; what a multiple of the divisor leaves is then exact. Greater ones
 * take that many bits of the quotient at a time. */
#include "functions.h"

/* x > 0 as a normal number: x or x * 2^54. Its exponent as a real, plus a constant. */
static V normal(V x, V *exponent)
{
    V tiny = v_lt(x, v_num(x, v_is_float(x) ? 0x1p-126 : 0x1p-1022));
    V n = v_keep(v_select(tiny, v_mulc(x, 0x1p54), x));
    *exponent = v_keep(v_whole(v_shr(v_bits(n), v_fraction(x))));
    return n;
}

/* a less the nearest multiple of b, plus b if that is negative; a / b is small */
static V reduced(V a, V b)
{
    V q = v_keep(v_nearest(v_div(a, b), 1, NULL));
    V r = v_keep(v_fma(v_neg(q), b, a));
    return v_select(v_lt(r, v_num(r, 0)), v_add(r, b), r);
}

V math_fmod(const V *arg)
{
    V x = arg[0], y = arg[1], zero = v_num(x, 0), infinite = v_num(x, INFINITY);
    V a = v_var(v_abs(x)), b = v_keep(v_abs(y));
    int bits = v_fraction(x) - 3; /* of a quotient that a quotient's own error does not matter to */
    double most = ldexp(1, bits);
    V valid = v_keep(v_and(v_lt(a, infinite), v_lt(zero, b))); /* no NaN */
    V finite = v_and(valid, v_lt(b, infinite));
    V more = v_var(v_and(finite, v_le(v_mulc(b, most), a)));
    VBranch loop;
    v_while_any(&loop, more); /* a is normal there */
    V upper, lower;
    V divisor = normal(b, &lower);
    normal(a, &upper);
    V multiple = v_keep(v_scale(divisor, v_keep(v_addc(v_sub(upper, lower), 1 - bits))));
    v_set(a, v_select(more, reduced(a, multiple), a));
    v_set(more, v_and(more, v_le(v_mulc(b, most), a)));
    v_end(&loop, x);
    V r = v_select(v_lt(a, b), a, reduced(a, b));
    return v_select(valid, v_copysign(r, x), v_num(x, NAN));
}
