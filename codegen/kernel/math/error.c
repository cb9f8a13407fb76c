/* erf and erfc. Near 0 erf is a polynomial; what is left to 1 above that is the exponential of another
 * one. erfc is exp(-x^2), with what the square loses, times what varies slowly. */
#include "functions.h"

/* erf(x) / x - 1 as a polynomial of x^2, |x| up to 1: errors 2^-29.5 and 2^-56.3 */
static const double float_small[] = {0x1.06eba8p-3, -0x1.81274p-2,   0x1.ce2d52p-4, -0x1.b7fec4p-6,
                                     0x1.542fecp-8, -0x1.a5197ap-11, 0x1.4c5cb4p-14};
static const double double_small[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379fdp-2,  0x1.ce2f21a04362dp-4,  -0x1.b82ce312abf08p-6,
    0x1.565bcd12991cp-8,   -0x1.c02db49b09506p-11, 0x1.f9a335388d2f5p-14, -0x1.f4d333884b5cap-17,
    0x1.b9ee95850f6f5p-20, -0x1.5f9828c55da46p-23, 0x1.fc78cbccf615fp-27, -0x1.46794feb17129p-30,
    0x1.2978304267b48p-34};

/* log(erfc(x)) / x, from 1 to 4 and to 6: errors of erf 2^-30.2 and 2^-56.1 */
static const double float_log[] = {
    -0x1.20e03cp+0,  -0x1.45d0dap-1, -0x1.a7d69cp-4,  0x1.4b2c8ep-6,  -0x1.af290ep-11,
    -0x1.232ed2p-10, 0x1.dc755ap-12, -0x1.8739fep-14, 0x1.61214cp-17, -0x1.16373cp-21};
static const double double_log[] = {
    -0x1.20dd75960993dp+0,  -0x1.45f2f92f078f5p-1,  -0x1.a4f74b3ceb81ep-4,  0x1.39886e352d58dp-6,
    0x1.8ce5f275482cep-13,  -0x1.b30bdb576377bp-10, 0x1.1a1e8ae6a6a1cp-11,  0x1.10e60c56ff263p-15,
    -0x1.ead641369ade4p-14, 0x1.1c270e351df01p-14,  -0x1.aab1c430aedd6p-16, 0x1.df44a714fb009p-18,
    -0x1.a2397fce5fa7dp-20, 0x1.1cd0f3d8df984p-22,  -0x1.2a68938387b54p-25, 0x1.d1a2c3db6318bp-29,
    -0x1.fe092da92afe3p-33, 0x1.5df47fa05e411p-37,  -0x1.c48feefd50ccbp-43};

/* (1 + 2 x) exp(x^2) erfc(x), x from 1/2 to 10.5 and to 28, as a polynomial of (x - c) / (x + c), c = 2
 * and 4; what the first coefficient of doubles lacks: errors 2^-27 and 2^-60.5 */
static const double float_slow[] = {
    0x1.46e80ep+0, -0x1.7bf5eap-4, -0x1.5407b8p-3,  0x1.4ff9d6p-3,   -0x1.bc2e1cp-5, -0x1.06ffcap-7,
    0x1.1e224cp-7, 0x1.40a616p-10, -0x1.858a84p-10, -0x1.5068a4p-12, 0x1.ed0d44p-13};
static const double double_slow[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd756p-7,   0x1.16ecefcfa52cbp-4,
    -0x1.9ddb23c3e8d3bp-4,  0x1.7fee004e148e2p-4,   -0x1.0fb06dfe4f9fbp-4,  0x1.3079edf625e63p-5,
    -0x1.09623883a721cp-6,  0x1.49c672a7c3638p-8,   -0x1.8d4a9b5e4af93p-11, -0x1.a1df43269a3c2p-13,
    0x1.3be05af74fabfp-13,  -0x1.99550cb3dd8aep-16, -0x1.788a9eabae565p-17, 0x1.7ef69b7a3adaep-18,
    0x1.3b1176007530cp-22,  -0x1.b80c8fa0bf1a2p-21, 0x1.422f6c82d29fdp-24,  0x1.bbfc1c35924dep-24,
    -0x1.37446737591ccp-26, -0x1.4d02c356ad891p-27, 0x1.0251e4f5d0482p-29};
static const double slow_low = -0x1.a6ea9d25fb4dep-55;

/* erf(a) / a - 1 */
static V small(V a)
{
    V z = v_keep(v_mul(a, a));
    return v_is_float(a) ? v_poly(z, 7, float_small) : v_poly(z, 13, double_small);
}

static V at_most(V a, double most)
{
    V m = v_num(a, most);
    return v_keep(v_select(v_lt(m, a), m, a)); /* NaN stays */
}

V math_erf(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), one = v_num(x, 1), k;
    bool f = v_is_float(x);
    V least = v_fma(a, small(a), a), b = at_most(a, f ? 4 : 6);
    V log = v_keep(f ? v_poly(b, 10, float_log) : v_poly(b, 19, double_log));
    Pair e = pair_product(b, log);
    V most;
    if (x.m->precise) {
        e = math_exp_pair(e.high, e.low, &k);
        e = pair_scaled(e, v_keep(v_neg(v_pow2(k))));
        most = pair_value(pair_plus(one, e));
    } else {
        V rest = math_exp_parts(e.high, NULL, &k);
        most = v_fma(v_neg(rest), v_pow2(k), one);
    }
    V r = v_select(v_lt(a, one), least, most);
    return v_xorsign(r, x);
}

/* exp(-a^2) times slow / (1 + 2 a), slow + low */
static V tail(V a, V slow, V low)
{
    V minus = v_keep(v_neg(a)), two = v_num(a, 2), one = v_num(a, 1), k;
    Pair square = pair_product(minus, a);
    if (!a.m->precise) {
        V e = v_mul(math_exp_parts(square.high, &square.low, &k), v_add(slow, low));
        return v_scale(v_div(e, v_fma(a, two, one)), k);
    }
    Pair e = math_exp_pair(square.high, square.low, &k), by = pair_ordered_sum(slow, low);
    Pair more = pair_sum(v_keep(v_mul(a, two)), one);
    return v_scale(pair_value(pair_over(pair_times_pair(e, by), more)), k);
}

V math_erfc(const V *arg)
{
    V x = *arg, a = v_keep(v_abs(x)), zero = v_num(x, 0), half = v_num(x, 0.5);
    bool f = v_is_float(x);
    Pair less = pair_sum(v_num(x, 1), v_keep(v_neg(x)));
    V b = at_most(a, f ? 10.5 : 28), center = v_num(x, f ? 2 : 4);
    V t = v_keep(v_div(v_sub(b, center), v_add(b, center)));
    const double *c = f ? float_slow : double_slow;
    V low = v_fmacc(t, v_poly(t, f ? 10 : 22, c + 1), f ? 0 : slow_low);
    V r = v_keep(tail(b, v_num(x, c[0]), v_keep(low)));
    r = v_select(v_lt(x, zero), v_sub(v_num(x, 2), r), r);
    return v_select(v_lt(a, half), v_add(less.high, v_fma(v_neg(x), small(a), less.low)), r);
}
