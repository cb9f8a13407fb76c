/* The definitions, each of values of one type, float or double of any lanes. Internal to math/. */
#ifndef CS_CODEGEN_MATH_FUNCTIONS_H
#define CS_CODEGEN_MATH_FUNCTIONS_H

#include "pair.h"

typedef V MathFunction(const V *x);

/* math_exp and the others that fdag/ops.def names. */
#define NONE
#define OWN(name) MathFunction math_##name;
#define WIDE(name) OWN(name)
#define OP(id, text, arity, rule, props, neutral, cl, own, partials) own
#include "../../../fdag/ops.def"
#undef NONE
#undef OWN
#undef WIDE
#undef OP

/* x = 2^k m, m between the roots of 1/2 and 2; x is a normal number. */
void math_split(V x, V *k, V *m);
V math_scaled_exp(V x, double shift); /* exp(x) * 2^shift, shift 0 or -1 */
/* exp(x + low) = what is returned times 2^*k; low may be NULL */
V math_exp_parts(V x, const V *low, V *k);
/* exp(r + low) - 1 for |r| up to log(2) / 2 and, unless NULL, an error `low` of it */
V math_small_exp(V r, const V *low);

V math_is_whole(V x);

/* Of doubles, as pairs. */
Pair math_sin_pi_pair(V r);                   /* sin(pi r), r up to 1/2 */
Pair math_log_of_pair(Pair x, V twos);        /* log(x) + twos log(2), x a normal number */
Pair math_exp_pair(V x, V low, V *k);         /* times 2^*k: exp(x + low) */
Pair math_scaled_exp_pair(V x, double shift); /* exp(x) * 2^shift, x not below -708 */
Pair math_half_expm1_pair(V x);               /* (exp(x) - 1) / 2 */
Pair math_atanh_pair(Pair s);                 /* |s| up to 0.1716 */
Pair math_log1p_pair(Pair y, V twos);         /* log(1 + y) + twos log(2), y a number not below 0 */

#endif
