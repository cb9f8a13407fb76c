/* sin, cos and tan: x less the nearest multiple of pi/2, in two parts, then polynomials. pi/2 has
 * three parts; k times the first, and x less that, are exact. Lanes that are too large for that get
 * theirs from the prelude's functions. */
#include "functions.h"

/* (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 as polynomials of r^2, |r| up to pi/4:
 * errors 2^-28, 2^-33 and 2^-58, 2^-64 */
static const double float_sin[] = {-0x1.555546p-3, 0x1.110756p-7, -0x1.994b4p-13};
static const double float_cos[] = {0x1.55554ap-5, -0x1.6c0c82p-10, 0x1.99ff4p-16};
static const double double_sin[] = {-0x1.5555555555549p-3,  0x1.111111110f842p-7,
                                    -0x1.a01a019c0a282p-13, 0x1.71de3570fcdacp-19,
                                    -0x1.ae5e60c4225d7p-26, 0x1.5d915df36851p-33};
static const double double_cos[] = {0x1.555555555554cp-5,  -0x1.6c16c16c1514p-10,
                                    0x1.a01a019cab73dp-16, -0x1.27e4f8053380cp-22,
                                    0x1.1ee9e890925acp-29, -0x1.8facd145bb60ep-37};

/* (tan(r) / r - 1) / r^2, |r| up to pi/4: errors 2^-29.5, 2^-60 */
static const double float_tan[] = {0x1.55556p-2,  0x1.110d8p-3,   0x1.bade46p-5, 0x1.5c964p-6,
                                   0x1.639abap-7, 0x1.1e0a34p-14, 0x1.1f82fcp-8};
static const double double_tan[] = {
    0x1.555555555555ep-2,  0x1.1111111110622p-3,   0x1.ba1ba1babaebfp-5,  0x1.664f485e10bcep-6,
    0x1.226e3a637d818p-7,  0x1.d6d2ec97bb6ep-9,    0x1.7db148bc676d1p-10, 0x1.34bedc1675d95p-11,
    0x1.ff06fda558e24p-13, 0x1.5f44870c8d0e9p-14,  0x1.188058844a107p-14, -0x1.a6c0237c0c6fdp-16,
    0x1.94f0c029ca17bp-15, -0x1.943c48fc90f72p-16, 0x1.477672362e49fp-17};

/* pi / 2 in three parts */
static const double half_pi[2][3] = {
    {0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50},
    {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}};

typedef struct Angle {
    V r, low;   /* x less k times pi / 2 */
    V quadrant; /* the bits of k, the high ones anything */
} Angle;

static Angle reduce_near(V x)
{
    const double *part = half_pi[!v_is_float(x)];
    Angle a;
    V k = v_keep(v_nearest(x, 0x1.45f306dc9c883p-1, &a.quadrant));
    V exact = v_keep(v_fmac(k, -part[0], x));
    if (!x.m->precise) {
        a.r = v_keep(v_fmac(k, -part[2], v_fmac(k, -part[1], exact)));
        a.low = v_num(x, 0);
        return a;
    }
    V second = v_keep(v_mulc(k, -part[1])); /* less than exact, or not */
    a.r = v_keep(v_add(exact, second));
    V added = v_keep(v_sub(a.r, exact));
    V lost = v_add(v_sub(exact, v_sub(a.r, added)), v_sub(second, added));
    lost = v_add(v_fmac(k, -part[1], v_neg(second)), v_keep(lost));
    a.low = v_keep(v_fmac(k, -part[2], lost));
    return a;
}

/* Of any x that is not negative. */
static Angle reduce(V x)
{
    bool f = v_is_float(x), precise = x.m->precise;
    const double *part = half_pi[!f];
    Angle a = reduce_near(x);
    V large = v_keep(v_not(v_lt(x, v_num(x, f ? 0x1p17 : 0x1p30))));
    VBranch b;
    a = (Angle){v_var(a.r), precise ? v_var(a.low) : a.low, v_var(a.quadrant)};
    v_if_any(&b, large);
    V high = v_keep(v_intrinsic(INTR_FAR_HIGH, 1, &x)),
      low = v_keep(v_intrinsic(INTR_FAR_LOW, 1, &x));
    Pair r = pair_product(high, v_num(x, part[0]));
    r.low = v_keep(v_fmac(low, part[0], v_fmac(high, part[1], r.low)));
    if (precise) r = pair_ordered_sum(r.high, r.low);
    r.high = v_select(v_lt(x, v_num(x, INFINITY)), r.high, v_num(x, NAN));
    v_set(a.r, v_select(large, precise ? r.high : v_add(r.high, r.low), a.r));
    if (precise) v_set(a.low, v_select(large, r.low, a.low));
    v_set(a.quadrant, v_select(large, v_bits(low), a.quadrant));
    v_end(&b, x);
    return a;
}

/* Is the quadrant odd? */
static V is_odd(V quadrant)
{
    return v_eq(v_band(quadrant, v_bits_num(quadrant, 1)), v_bits_num(quadrant, 1));
}

/* The sign of sines in a quadrant. */
static V quadrant_sign(V quadrant)
{
    return v_real(v_shl(quadrant, v_is_float(quadrant) ? 30 : 62));
}

/* The sine of what is left, or its cosine in odd quadrants, and the sign. */
static V sine(Angle a, V quadrant)
{
    V r = a.r, z = v_keep(v_mul(r, r)), one = v_num(r, 1), c = v_fmac(z, -0.5, one);
    bool f = v_is_float(r);
    int n = f ? 3 : 6;
    V s = v_fma(v_mul(r, z), v_poly(z, n, f ? float_sin : double_sin), r);
    c = v_fma(v_mul(z, z), v_poly(z, n, f ? float_cos : double_cos), c);
    return v_xorsign(v_select(is_odd(quadrant), c, s), quadrant_sign(quadrant));
}

/* The sine and the cosine of what is left: the rest r * z * .. is at most a tenth. */
static void sine_pairs(Angle a, Pair *s, Pair *c)
{
    V r = a.r, z = v_keep(v_mul(r, r)), half = v_keep(v_mulc(z, 0.5)), one = v_num(r, 1);
    V low = v_keep(v_fma(a.low, v_neg(half), a.low)); /* times the cosine */
    *s = pair(r, v_series(v_keep(v_mul(r, z)), z, 6, double_sin, low));
    *s = pair_ordered_sum(s->high, s->low);
    V most = v_keep(v_sub(one, half)), lost = v_sub(v_sub(one, most), half);
    lost = v_fma(v_neg(r), a.low, v_fma(v_fma(r, r, v_neg(z)), v_num(r, -0.5), lost));
    *c = pair_ordered_sum(most, v_keep(v_fma(v_mul(z, z), v_poly(z, 6, double_cos), lost)));
}

Pair math_sin_pi_pair(V r)
{
    V half = v_num(r, 0.5), zero = v_num(r, 0), steep = v_keep(v_lt(v_num(r, 0.25), r));
    V q = v_keep(v_select(steep, v_sub(half, r), r));
    Pair angle = pair_product(q, v_num(r, 0x1.921fb54442d18p1)), s, c;
    angle.low = v_keep(v_fmac(q, 0x1.1a62633145c07p-53, angle.low));
    sine_pairs((Angle){angle.high, angle.low, v_bits(zero)}, &s, &c);
    return pair_select(steep, c, s);
}

static V signed_sine(Angle a, V quadrant)
{
    Pair s, c;
    if (!a.r.m->precise) return sine(a, quadrant);
    sine_pairs(a, &s, &c);
    return v_xorsign(v_select(is_odd(quadrant), c.high, s.high), quadrant_sign(quadrant));
}

V math_sin(const V *arg)
{
    Angle a = reduce(v_keep(v_abs(*arg)));
    return v_xorsign(signed_sine(a, a.quadrant), *arg); /* -0 stays */
}

V math_cos(const V *arg)
{
    Angle a = reduce(v_keep(v_abs(*arg)));
    return signed_sine(a, v_keep(v_addi(a.quadrant, 1)));
}

V math_tan(const V *arg)
{
    V x = *arg;
    Angle a = reduce(v_keep(v_abs(x)));
    V r = a.r, odd = v_keep(is_odd(a.quadrant)), t;
    if (x.m->precise) {
        Pair s, c;
        sine_pairs(a, &s, &c);
        Pair minus = pair(v_neg(c.high), v_neg(c.low));
        t = pair_value(pair_over(pair_select(odd, minus, s), pair_select(odd, s, c)));
    } else {
        bool f = v_is_float(x);
        V z = v_keep(v_mul(r, r)), p = v_poly(z, f ? 7 : 15, f ? float_tan : double_tan);
        t = v_keep(v_fma(v_mul(r, z), p, r));
        t = v_div(v_select(odd, v_num(x, -1), t), v_select(odd, t, v_num(x, 1)));
    }
    return v_xorsign(t, x);
}
