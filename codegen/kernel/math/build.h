/* Building the functions of reals as kernel IR, once for floats and doubles, scalars and vectors of
 * any width: a V is a value in a function under construction. Where operations take several values
 * these have the same lanes. Real arithmetic here is exactly what is written: what prints the
 * functions lets no compiler reorder or contract it, so errors of roundings can be computed.
 */
#ifndef CS_CODEGEN_MATH_BUILD_H
#define CS_CODEGEN_MATH_BUILD_H

#include <math.h>

#include "../ir/kir.h"

typedef struct Math {
    Arena *arena;
    KirBlock *block; /* where statements go */
    int names;       /* variables so far */
    bool precise;    /* within 1 unit in the last place, else 4 */
} Math;

typedef struct V {
    Math *m;
    const KirExpr *e;
} V;

bool v_is_float(V x); /* or of floats' width */
/* A constant of x's type. */
V v_num(V x, double c);
V v_bits_num(V x, uint64_t c); /* for the bits of x */
V v_keep(V x);                 /* in a variable, as is right for what is used twice */
V v_var(V x);                  /* the same, and v_set may change it */
void v_set(V var, V x);

V v_add(V x, V y);
V v_sub(V x, V y);
V v_mul(V x, V y);
V v_div(V x, V y);
V v_fma(V x, V y, V z); /* x * y + z, rounded once */
V v_neg(V x);
V v_abs(V x);
V v_sqrt(V x);
V v_addc(V x, double c);
V v_mulc(V x, double c);
V v_fmac(V x, double c, V z);  /* x * c + z */
V v_fmacc(V x, V y, double c); /* x * y + c */
/* c[0] + c[1] x + .. c[n - 1] x^(n - 1) */
V v_poly(V x, int n, const double *c);
/* times (c[0] + c[1] x + ..) + plus, where the first product is not rounded */
V v_series(V times, V x, int n, const double *c, V plus);

/* Masks. */
V v_lt(V x, V y);
V v_le(V x, V y);
V v_eq(V x, V y);
V v_and(V x, V y);
V v_or(V x, V y);
V v_not(V x);
V v_select(V mask, V x, V y); /* mask ? x : y */

/* Unsigned integers as wide as the reals. */
V v_bits(V x); /* of a real */
V v_real(V bits);
V v_band(V x, V y);
V v_shl(V x, int by);
V v_shr(V x, int by); /* fills with zeros */
V v_sar(V x, int by); /* fills with the sign */
V v_whole(V bits);    /* the real of a small integer, which may be negative */
V v_addi(V bits, int64_t c);

int v_fraction(V x); /* bits of the fraction */
V v_copysign(V x, V sign);
V v_xorsign(V x, V sign); /* -x where the sign is set */
/* x * c to the nearest integer, which is below 2^22 in floats and 2^51 in doubles. *bits, unless
 * NULL, is the same as an integer, of which the high bits are anything: for parities. */
V v_nearest(V x, double c, V *bits);
V v_pow2(V k);       /* 2^k, a normal number */
V v_scale(V x, V k); /* x * 2^k, rounded once; k up to twice an exponent */

/* To double and back: the function goes on in doubles. */
V v_widen(V x);
V v_narrow(V x);

/* if (any lane of the mask) { .. }, and while (any lane of the variable) { .. } */
typedef struct VBranch {
    KirBlock *outer;
    KirBlock body;
    const KirExpr *cond; /* NULL: a loop */
} VBranch;
void v_if_any(VBranch *b, V mask);
void v_while_any(VBranch *b, V mask);
void v_end(VBranch *b, V like);
/* A driver's or the prelude's function of the same name and type. */
V v_intrinsic(Intrinsic which, int n, const V *args);

#endif
