/* Decimal digits of numbers (numeral.h): by arithmetic where that is exact, else by printf. */
#include "numeral.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before the end of a buffer; where they begin. */
static char *digits_before(char *end, uint64_t x)
{
    do *--end = (char)('0' + x % 10);
    while (x /= 10);
    return end;
}

static int moved(char *digits, const char *from, const char *end)
{
    memcpy(digits, from, (size_t)(end - from));
    return (int)(end - from);
}

int numeral_integer(uint64_t x, char digits[NUMERAL_INTEGER])
{
    char room[NUMERAL_INTEGER], *end = room + sizeof room;
    return moved(digits, digits_before(end, x), end);
}

/* ---- shortest -------------------------------------------------------------------------------- */

/* Powers of ten that are exact, and digits that every number of the kind keeps: at most one number of so many digits
 * reads back as x. */
typedef struct Precision {
    int powers, keeps;
    double least; /* that has all its bits */
} Precision;

static Precision precision_of(ScalarKind kind)
{
    switch (kind) {
    case SC_HALF: return (Precision){4, 3, 0x1p-14};
    case SC_FLOAT: return (Precision){10, FLT_DIG, (double)FLT_MIN};
    default: return (Precision){22, DBL_DIG, DBL_MIN};
    }
}

/* Rounds once: all operands are exact. */
static double quotient(double a, double b, ScalarKind kind)
{
    return kind == SC_DOUBLE ? a / b : (double)((float)a / (float)b);
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int without_zeros(const char *digits, int n)
{
    while (n > 1 && digits[n - 1] == '0') n--;
    return n;
}

/* If x is an integer of few digits over a power of ten, that is its number. 0: it is not. */
static int shortest_quotient(double x, ScalarKind kind, Precision p, char *digits, int *point)
{
    const double most = powers[p.keeps];
    for (int k = 0; k <= p.powers; k++) {
        const double near = nearbyint(x * powers[k]);
        if (near >= most) return 0;
        if (near < 1 || quotient(near, powers[k], kind) != x) continue;
        char room[NUMERAL_INTEGER], *end = room + sizeof room;
        const int n = moved(digits, digits_before(end, (uint64_t)near), end);
        *point = n - k;
        return without_zeros(digits, n);
    }
    return 0;
}

static bool reads_back(const char *printed, double x, ScalarKind kind)
{
    ScalarValue back = {.f = kind == SC_DOUBLE ? strtod(printed, NULL)
                                               : (double)strtof(printed, NULL)};
    if (kind == SC_HALF) back = scalar_convert(back, SC_DOUBLE, SC_HALF);
    return back.f == x;
}

int numeral_shortest(double x, ScalarKind kind, char digits[NUMERAL_SHORTEST], int *point)
{
    const Precision p = precision_of(kind);
    char printed[48];
    int n = kind == SC_HALF ? 0 : shortest_quotient(x, kind, p, digits, point);
    if (n) return n;
    int more = x < p.least ? 0 : p.keeps - 1;
    for (; more < NUMERAL_SHORTEST; more++) {
        snprintf(printed, sizeof printed, "%.*e", more, x);
        if (reads_back(printed, x, kind)) break;
    }
    n = 0;
    const char *at = printed;
    for (; *at != 'e'; at++)
        if (*at != '.' && n < NUMERAL_SHORTEST) digits[n++] = *at;
    *point = (int)strtol(at + 1, NULL, 10) + 1;
    return without_zeros(digits, n);
}

/* ---- fixed ------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 Wide;

int numeral_fixed(double x, int decimals, char digits[NUMERAL_FIXED])
{
    enum { MOST_POWER = 19, BITS = 53, WIDE_BITS = 127 };
    if (decimals < 0 || decimals > MOST_POWER) return 0;
    int exponent;
    Wide product = (uint64_t)ldexp(frexp(x, &exponent), BITS);
    exponent -= BITS;
    for (int i = 0; i < decimals; i++) product *= 10; /* 53 and 64 bits */
    if (exponent > WIDE_BITS - BITS - 64) return 0;
    if (exponent > 0) {
        product <<= exponent;
    } else if (exponent < -WIDE_BITS) {
        product = 0;
    } else if (exponent < 0) {
        const int by = -exponent;
        product = (product >> by) + (product >> (by - 1) & 1); /* .5 and more: up */
    }
    const uint64_t chunk = UINT64_C(10000000000000000000); /* 19 digits */
    char room[NUMERAL_FIXED], *end = room + sizeof room, *from = end;
    if (product >= chunk) {
        from = digits_before(end, (uint64_t)(product % chunk));
        while (end - from < MOST_POWER) *--from = '0';
        product /= chunk;
    }
    from = product || from == end ? digits_before(from, (uint64_t)product) : from;
    return moved(digits, from, end);
}
