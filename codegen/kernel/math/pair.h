/* Sums of two values, of which the first is the sum rounded: what results within one unit in the
 * last place are computed with. The second parts are known to a few units of their own. */
#ifndef CS_CODEGEN_MATH_PAIR_H
#define CS_CODEGEN_MATH_PAIR_H

#include "build.h"

typedef struct Pair {
    V high, low;
} Pair;

Pair pair(V high, V low);
V pair_value(Pair x);

Pair pair_sum(V x, V y);         /* x + y, exact */
Pair pair_ordered_sum(V x, V y); /* the same, |x| the greater or 0 */
Pair pair_plus(V x, Pair y);     /* |x| the greater or 0 */
Pair pair_add(Pair x, Pair y);
Pair pair_product(V x, V y); /* exact */
Pair pair_times(Pair x, V y);
Pair pair_times_pair(Pair x, Pair y);
Pair pair_scaled(Pair x, V by); /* by is a power of 2 */
Pair pair_over(Pair x, Pair y);
Pair pair_sqrt(Pair x); /* x > 0 */
Pair pair_select(V mask, Pair x, Pair y);
/* c[0] + x (c[1] + .. x (c[n - 1] + x rest)) */
Pair pair_poly(V x, int n, const double c[][2], V rest);

#endif
