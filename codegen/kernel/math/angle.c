/* sin, cos and tan: x less the nearest multiple of pi/2, in two parts, then polynomials. pi/2 has
 * three parts; k times the first, and x less that, are exact. Where some lane is
 * too large for that, the prelude's function does all of them. */
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

static Angle reduce(V x)
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

/* Is the quadrant odd? */
static V is_odd(V quadrant)
{
    return v_eq(v_band(quadrant, v_bits_num(quadrant, 1)), v_bits_num(quadrant, 1));
}

/* The sine of what is left, or its cosine in odd quadrants, and the sign. */
static V sine(Angle a, V quadrant)
{
    V r = a.r, z = v_keep(v_mul(r, r)), half = v_keep(v_mulc(z, 0.5)), one = v_num(r, 1);
    bool f = v_is_float(r);
    int n = f ? 3 : 6;
    const double *sine = f ? float_sin : double_sin;
    V p = v_poly(z, n, f ? float_cos : double_cos), c = v_keep(v_sub(one, half)), s;
    if (r.m->precise) {
        s = v_add(r, v_series(v_keep(v_mul(r, z)), z, n, sine, a.low));
        V lost = v_fma(v_neg(r), a.low, v_sub(v_sub(one, c), half));
        c = v_add(c, v_fma(v_mul(z, z), p, lost));
    } else {
        s = v_fma(v_mul(r, z), v_poly(z, n, sine), r);
        c = v_fma(v_mul(z, z), p, c);
    }
    V value = v_select(is_odd(quadrant), c, s);
    return v_xorsign(value, v_real(v_shl(quadrant, v_fraction(r) + (f ? 7 : 10))));
}

/* r where |x| is small enough for reduce, else name(x) of the prelude. */
static V large_too(V x, V r, const char *name)
{
    VBranch large;
    r = v_var(r);
    V small = v_keep(v_lt(v_abs(x), v_num(x, v_is_float(x) ? 0x1p17 : 0x1p30)));
    v_if_any(&large, v_not(small));
    v_set(r, v_select(small, r, v_call(name, 1, &x)));
    v_end(&large, r);
    return r;
}

V math_sin(const V *arg)
{
    V x = *arg;
    Angle a = reduce(v_keep(v_abs(x))); /* -0 stays */
    return large_too(x, v_xorsign(sine(a, a.quadrant), x), "cs_large_sin");
}

V math_cos(const V *arg)
{
    V x = *arg;
    Angle a = reduce(x);
    return large_too(x, sine(a, v_keep(v_addi(a.quadrant, 1))), "cs_large_cos");
}

V math_tan(const V *arg)
{
    V x = *arg;
    Angle a = reduce(v_keep(v_abs(x)));
    V r = a.r, z = v_keep(v_mul(r, r));
    bool f = v_is_float(x);
    int n = f ? 7 : 15;
    const double *c = f ? float_tan : double_tan;
    V odd = is_odd(a.quadrant), t, inverse;
    if (!x.m->precise) {
        t = v_keep(v_fma(v_mul(r, z), v_poly(z, n, c), r));
        t = v_div(v_select(odd, v_num(x, -1), t), v_select(odd, t, v_num(x, 1)));
        return large_too(x, v_xorsign(t, x), "cs_large_tan");
    }
    V low = v_fma(v_fma(v_mulc(z, 0.75), z, z), a.low, a.low); /* times about 1 + tan(r)^2 */
    V rest = v_keep(v_series(v_keep(v_mul(r, z)), z, n, c, low));
    t = v_keep(v_add(r, rest));
    low = v_keep(v_sub(rest, v_sub(t, r))); /* t + low is the tangent */
    inverse = v_keep(v_div(v_num(x, -1), t));
    V error = v_fma(inverse, low, v_fmacc(inverse, t, 1)); /* of 1 + inverse (t + low) */
    inverse = v_fma(inverse, error, inverse);
    return large_too(x, v_xorsign(v_select(odd, inverse, t), x), "cs_large_tan");
}
