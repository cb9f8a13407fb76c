/* cbrt and hypot. */
#include "functions.h"

/* y = x^(-1/3) from the exponent, within 1 in 16; then twice (floats: once) to the fourth power of
 * the error; then x y^2, whose own error is computed. */
V math_cbrt(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), third = v_num(x, 1.0 / 3);
    bool f = v_is_float(x);
    V tiny = v_keep(v_lt(a, v_num(x, f ? 0x1p-126 : 0x1p-1022)));
    V n = v_keep(v_select(tiny, v_mulc(a, 0x1p54), a));
    int low = f ? 9 : 32; /* bits that do not count */
    V bits = v_whole(v_shr(v_bits(n), low)), from = v_num(x, f ? 0x54a2fa8c >> 9 : 0x553ef0ff), k;
    v_nearest(v_keep(v_sub(from, v_mul(bits, third))), 1, &k);
    V y = v_keep(v_abs(v_real(v_shl(k, low))));
    for (int i = 0; i < (f ? 1 : 2); i++) {
        static const double c[] = {1.0 / 3, 2.0 / 9, 14.0 / 81}; /* of (1 - h)^(-1/3) */
        V h = v_keep(v_sub(v_num(x, 1), v_mul(v_mul(v_mul(n, y), y), y)));
        y = v_keep(v_fma(v_mul(y, h), v_poly(h, 3, c), y));
    }
    V square = v_keep(v_mul(y, y)), r = v_keep(v_mul(n, square)), r2 = v_keep(v_mul(r, r));
    V lost = v_fma(r, r, v_neg(r2)); /* n - r^3 = n - (r2 + lost) r */
    V error = v_fma(v_neg(lost), r, v_fma(v_neg(r2), r, n));
    r = v_fma(v_mul(error, square), third, r);
    r = v_select(tiny, v_mulc(r, 0x1p-18), r);
    V whole = v_and(v_lt(v_num(x, 0), a), v_lt(a, v_num(x, INFINITY)));
    return v_select(whole, v_copysign(r, x), v_add(x, x)); /* 0, infinity and NaN */
}

/* Of floats the squares are exact in double; doubles are brought where squares are numbers. */
V math_hypot(const V *arg)
{
    V x = arg[0], y = arg[1], r, infinite = v_num(x, INFINITY), a, b;
    if (v_is_float(x)) {
        a = v_keep(v_widen(x)), b = v_keep(v_widen(y));
        r = v_narrow(v_sqrt(v_fma(a, a, v_mul(b, b))));
    } else {
        a = v_keep(v_abs(x)), b = v_keep(v_abs(y));
        V more = v_lt(a, b), most = v_keep(v_select(more, b, a)), one = v_num(x, 1);
        V least = v_select(more, a, b);
        V huge = v_keep(v_lt(v_num(x, 0x1p500), most)), tiny = v_lt(most, v_num(x, 0x1p-450));
        V by = v_select(huge, v_num(x, 0x1p-600), v_select(tiny, v_num(x, 0x1p600), one));
        V back = v_select(huge, v_num(x, 0x1p600), v_select(tiny, v_num(x, 0x1p-600), one));
        by = v_keep(by);
        most = v_keep(v_mul(most, by)), least = v_keep(v_mul(least, by));
        V square = v_keep(v_mul(most, most));
        V sum = v_keep(v_fma(least, least, square));
        V root = v_keep(v_sqrt(sum));
        /* what the square of the root, the sum and the greater square lack, by half the root */
        V lost = v_fma(least, least, v_sub(square, sum));
        lost = v_add(lost, v_fma(most, most, v_neg(square)));
        lost = v_sub(lost, v_fma(root, root, v_neg(sum)));
        V fixed = v_add(root, v_div(lost, v_mulc(root, 2)));
        V usual = v_and(v_lt(v_num(x, 0), root), v_lt(root, infinite));
        r = v_mul(v_select(usual, fixed, root), back);
    }
    V any = v_or(v_eq(v_abs(x), infinite), v_eq(v_abs(y), infinite));
    return v_select(any, infinite, r);
}
