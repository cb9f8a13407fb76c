/* Gamma and the logarithm of its magnitude, both from Stirling's series above 10, in pairs of doubles:
 * Gamma(a) = exp(t) / p, where p = a (a + 1) .. brings a there. Below 0 it is pi / (|x| sin(pi x)
 * Gamma(|x|)), but for signs. Those of floats are rounded from doubles. */
#include "functions.h"

/* What the series is besides (y - 1/2) log(y) - y + log(2 pi) / 2, times y, as a polynomial of 1 / y^2:
 * error 2^-68 */
static const double series[] = {
    0x1.5555555555555p-4,  -0x1.6c16c16c16989p-9,  0x1.a01a019c143c8p-11, -0x1.381377b17e3f8p-11,
    0x1.b9471a923a77fp-11, -0x1.f382baeebb5cep-10, 0x1.682f0c33c23f7p-8};
/* (log(2 pi) - 1) / 2 */
static const double constant[] = {0x1.acfe390c97d69p-2, 0x1.3494bc9001442p-56};
static const double pi[] = {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};

/* log(Gamma(2 + t)) / t, |t| up to 1/2: error 2^-65.5; the first ones in pairs */
static const double near_two[][2] = {{0x1.b0ee6072093cep-2, 0x1.6c5fb145a404fp-58},
                                     {0x1.4a34cc4a60fa6p-2, 0x1.138f83fdb28d6p-56},
                                     {-0x1.13e001a557606p-4, -0x1.c6f237cd811b4p-59},
                                     {0x1.51322ac7d849ap-6, 0x1.6c45b60244682p-62}};
static const double near_two_rest[] = {
    -0x1.e404fc218f85fp-8,  0x1.7add6eadb2e89p-9,  -0x1.38ac5c2bd83adp-10, 0x1.0b36af889ecbcp-11,
    -0x1.d3fd4c92f8bacp-13, 0x1.a127af4f5a4c2p-14, -0x1.78de54c694aa7p-15, 0x1.580e244e245b0p-16,
    -0x1.3cbdb052c37c5p-17, 0x1.258cc020fdd2ep-18, -0x1.1196dea41ed7ap-19, 0x1.0143c80187fdfp-20,
    -0x1.e5eac34c39960p-22, 0x1.b1cef99b14557p-23, -0x1.8c8b2b2f99c8bp-24, 0x1.15be5e8c256aep-24,
    -0x1.1f72f8acd77abp-25};

static Pair number(V like, double high, double low)
{
    return pair(v_num(like, high), v_num(like, low));
}

/* Gamma(a) = exp(*t) / *p, a > 0 */
static void stirling(V a, Pair *t, Pair *p)
{
    enum { ENOUGH = 10 };
    V steps = v_num(a, 0), one = v_num(a, 1);
    *p = number(a, 1, 0);
    for (int i = 0; i < ENOUGH; i++) {
        Pair f = pair_sum(a, v_num(a, i));
        V below = v_keep(v_lt(f.high, v_num(a, ENOUGH)));
        *p = pair_times_pair(*p, pair_select(below, f, number(a, 1, 0)));
        steps = v_add(steps, v_select(below, one, v_num(a, 0)));
    }
    Pair y = pair_sum(a, v_keep(steps));
    V inverse = v_keep(v_div(one, y.high)), z = v_keep(v_mul(inverse, inverse));
    V rest = v_fma(inverse, v_poly(z, 7, series), v_num(a, constant[1]));
    Pair log = pair_add(math_log_of_pair(y, v_num(a, 0)), number(a, -1, 0));
    *t = pair_times_pair(log, pair_add(y, number(a, -0.5, 0)));
    *t = pair_add(*t, pair_ordered_sum(v_num(a, constant[0]), v_keep(rest)));
}

typedef struct Reflected {
    Pair ratio, t;  /* |Gamma(x)| = ratio exp(t) */
    V below, minus; /* x < 0; Gamma(x) < 0 */
} Reflected;

/* Of |x| = a > 0; where a is tiny ratio is 2^-200 / a and t is 0. */
static Reflected reflected(V x, V a, V tiny)
{
    Reflected r;
    V zero = v_num(x, 0), one = v_num(x, 1), most = v_num(x, 0x1p51), bits;
    Pair p, t, whole = number(x, 1, 0);
    stirling(a, &t, &p);
    r.below = v_keep(v_lt(x, zero));
    V off = v_keep(v_sub(a, v_nearest(a, 1, &bits)));
    V even = v_eq(v_band(bits, v_bits_num(bits, 1)), v_bits_num(bits, 0));
    V down = v_lt(off, zero); /* the integer below a is the one before the nearest */
    V flag = v_select(even, one, zero);
    flag = v_eq(v_select(down, v_sub(one, flag), flag), one);
    r.minus = v_keep(v_and(r.below, flag));
    Pair sine = math_sin_pi_pair(v_keep(v_abs(off)));
    sine = pair_select(v_keep(v_lt(a, most)), sine, whole); /* or x is an integer */
    Pair top = pair_select(r.below, pair_times_pair(p, number(x, pi[0], pi[1])), whole);
    Pair under = pair_select(r.below, pair_times(sine, a), p);
    V up = v_keep(v_mulc(a, 0x1p200));
    r.ratio = pair_over(pair_select(tiny, whole, top), pair_select(tiny, pair(up, zero), under));
    t = pair_select(r.below, pair(v_neg(t.high), v_neg(t.low)), t);
    r.t = pair_select(tiny, number(x, 0, 0), t);
    return r;
}

static V is_tiny(V a)
{
    return v_keep(v_lt(a, v_num(a, 0x1p-60)));
}

static V is_pole(V x, V a)
{
    return v_and(v_lt(x, v_num(x, 0)), math_is_whole(a));
}

static V gamma_of(V x)
{
    V a = v_keep(v_abs(x)), most = v_num(x, 200), k;
    V large = v_keep(v_lt(most, a)), tiny = is_tiny(a);
    Reflected g = reflected(x, v_keep(v_select(large, most, a)), tiny);
    Pair e = math_exp_pair(g.t.high, g.t.low, &k);
    V r = v_keep(v_scale(pair_value(pair_times_pair(e, g.ratio)), k));
    r = v_select(large, v_select(g.below, v_num(x, 0), v_num(x, INFINITY)), r);
    r = v_select(tiny, v_div(v_num(x, 1), x), v_select(g.minus, v_neg(r), r));
    r = v_select(is_pole(x, a), v_num(x, NAN), r);
    return v_select(v_eq(x, x), r, x);
}

/* Between 1/2 and 5/2, where it has zeros: from log(Gamma(2 + t)), log(1 + t) less if x = 1 + t */
static V middle(V x)
{
    V low = v_keep(v_lt(x, v_num(x, 1.5))), zero = v_num(x, 0), two = v_num(x, 2);
    V t = v_keep(v_sub(x, v_select(low, v_num(x, 1), two)));
    Pair r = pair_times(pair_poly(t, 4, near_two, v_keep(v_poly(t, 17, near_two_rest))), t);
    Pair log = math_log1p_pair(pair(v_select(low, t, zero), zero), zero);
    return pair_value(pair_add(r, pair(v_neg(log.high), v_neg(log.low))));
}

/* exact: doubles are wanted, whose zeros below 0 need care */
static V log_gamma_of(V x, bool exact)
{
    V a = v_keep(v_abs(x)), infinite = v_num(x, INFINITY), zero = v_num(x, 0);
    V tiny = is_tiny(a);
    Reflected g = reflected(x, a, tiny);
    V twos = v_keep(v_select(tiny, v_num(x, 200), zero));
    V r = v_var(pair_value(pair_add(math_log_of_pair(g.ratio, twos), g.t)));
    V between = v_and(v_le(v_num(x, 0.5), x), v_le(x, v_num(x, 2.5)));
    v_set(r, v_select(between, middle(x), r));
    if (exact) {
        V small = v_lt(v_abs(r), v_num(x, 0x1p-4)), some = v_lt(a, v_num(x, 17));
        V near = v_keep(v_and(v_and(small, some), v_lt(x, v_num(x, -2))));
        VBranch b;
        v_if_any(&b, near);
        V high = v_intrinsic(INTR_GAMMA_ZERO_HIGH, 1, &x),
          low = v_intrinsic(INTR_GAMMA_ZERO_LOW, 1, &x);
        V value = v_neg(pair_value(math_log1p_pair(pair(high, low), zero)));
        v_set(r, v_select(near, value, r));
        v_end(&b, x);
    }
    V huge = v_and(v_lt(v_num(x, 0x1p1010), a), v_not(v_eq(r, r))); /* sums of infinities */
    V pole = v_or(is_pole(x, a), v_eq(a, zero));
    return v_select(v_or(huge, v_or(pole, v_eq(a, infinite))), infinite,
                    v_select(v_eq(x, x), r, x));
}

V math_tgamma(const V *arg)
{
    V x = *arg;
    return v_is_float(x) ? v_narrow(gamma_of(v_keep(v_widen(x)))) : gamma_of(x);
}

V math_lgamma(const V *arg)
{
    V x = *arg;
    if (!v_is_float(x)) return log_gamma_of(x, true);
    return v_narrow(log_gamma_of(v_keep(v_widen(x)), false));
}
