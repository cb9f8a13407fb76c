/* Arithmetic on pairs (pair.h). */
#include "pair.h"

Pair pair(V high, V low)
{
    return (Pair){v_keep(high), v_keep(low)};
}

V pair_value(Pair x)
{
    return v_add(x.high, x.low);
}

Pair pair_sum(V x, V y)
{
    V high = v_keep(v_add(x, y)), added = v_keep(v_sub(high, x));
    return pair(high, v_add(v_sub(x, v_sub(high, added)), v_sub(y, added)));
}

Pair pair_ordered_sum(V x, V y)
{
    V high = v_keep(v_add(x, y));
    return pair(high, v_sub(y, v_sub(high, x)));
}

Pair pair_plus(V x, Pair y)
{
    V high = v_keep(v_add(x, y.high));
    return pair(high, v_add(v_sub(y.high, v_sub(high, x)), y.low));
}

Pair pair_add(Pair x, Pair y)
{
    Pair s = pair_sum(x.high, y.high);
    return pair_ordered_sum(s.high, v_keep(v_add(s.low, v_add(x.low, y.low))));
}

Pair pair_product(V x, V y)
{
    V high = v_keep(v_mul(x, y));
    return pair(high, v_fma(x, y, v_neg(high)));
}

Pair pair_times(Pair x, V y)
{
    Pair p = pair_product(x.high, y);
    return pair(p.high, v_fma(x.low, y, p.low));
}

Pair pair_times_pair(Pair x, Pair y)
{
    Pair p = pair_times(x, y.high);
    return pair(p.high, v_fma(x.high, y.low, p.low));
}

Pair pair_scaled(Pair x, V by)
{
    return pair(v_mul(x.high, by), v_mul(x.low, by));
}

/* An infinite divisor, and one that is 0, leave no rest. */
Pair pair_over(Pair x, Pair y)
{
    V q = v_keep(v_div(x.high, y.high)), back = v_keep(v_neg(q));
    V rest = v_fma(back, y.low, v_add(v_fma(back, y.high, x.high), x.low));
    rest = v_keep(v_div(rest, y.high));
    return pair(q, v_select(v_eq(rest, rest), rest, v_num(q, 0)));
}

Pair pair_sqrt(Pair x)
{
    V root = v_keep(v_sqrt(x.high));
    V lost = v_add(v_fma(v_neg(root), root, x.high), x.low);
    return pair(root, v_div(lost, v_mulc(root, 2)));
}

Pair pair_select(V mask, Pair x, Pair y)
{
    return pair(v_select(mask, x.high, y.high), v_select(mask, x.low, y.low));
}

Pair pair_poly(V x, int n, const double c[][2], V rest)
{
    Pair p = pair(rest, v_num(x, 0));
    for (int i = n - 1; i >= 0; i--)
        p = pair_add(pair(v_num(x, c[i][0]), v_num(x, c[i][1])), pair_times(p, x));
    return p;
}
