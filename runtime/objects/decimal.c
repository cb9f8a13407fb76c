/* Decimal digits of integers and reals, exactly: printf's digits are those of the exact binary
 * value, so all that is left is to round and to lay out. Ties go away from zero, as in .NET; printf
 * takes them to even, so where there may be one, all digits are printed and rounded here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/numeral.h"
#include "format.h"

static void trim(Decimal *d)
{
    int zeros = 0;
    while (zeros < d->n && d->digits[zeros] == '0') zeros++;
    d->n -= zeros;
    d->point -= zeros;
    memmove(d->digits, d->digits + zeros, (size_t)d->n);
    while (d->n && d->digits[d->n - 1] == '0') d->n--;
    if (d->n) return;
    d->point = 0;
    if (!d->real) d->negative = false;
}

void decimal_integer(Decimal *d, uint64_t magnitude, bool negative)
{
    d->n = numeral_integer(magnitude, d->digits);
    d->point = d->n;
    d->negative = negative;
    d->real = false;
    trim(d);
}

static void of_real(Decimal *d, double x)
{
    d->negative = signbit(x);
    d->real = true;
}

/* From printf's "123.456e+05" of a value that is not negative. */
static void from_printed(Decimal *d, double x, const char *p)
{
    d->n = 0;
    d->point = -1;
    for (; *p && *p != 'e'; p++)
        if (*p == '.')
            d->point = d->n;
        else if (d->n < MOST_DIGITS)
            d->digits[d->n++] = *p;
    if (d->point < 0) d->point = d->n;
    if (*p == 'e') d->point += (int)strtol(p + 1, NULL, 10);
    of_real(d, x);
    trim(d);
}

void decimal_read(Decimal *d, const char *text, size_t len)
{
    size_t at = len && *text == '-';
    d->negative = at > 0;
    d->real = false;
    d->n = 0;
    d->point = -1;
    for (; at < len && d->n < MOST_DIGITS; at++)
        if (text[at] == '.')
            d->point = d->n;
        else
            d->digits[d->n++] = text[at];
    if (d->point < 0) d->point = d->n;
    trim(d);
}

/* How many decimals |x| has exactly: as many as its binary fraction has bits. */
static int exact_decimals(double x)
{
    int exponent, bits = 53;
    uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(x), &exponent), bits);
    for (; mantissa && !(mantissa & 1); mantissa >>= 1) bits--;
    return bits > exponent ? bits - exponent : 0;
}

void decimal_fixed(Decimal *d, double x, int decimals)
{
    char printed[MOST_DIGITS + 8];
    if (decimals > MOST_DECIMALS) decimals = MOST_DECIMALS;
    d->n = numeral_fixed(fabs(x), decimals, d->digits);
    if (d->n) {
        d->point = d->n - decimals;
        of_real(d, x);
        trim(d);
        return;
    }
    bool tie = exact_decimals(x) == decimals + 1;
    snprintf(printed, sizeof printed, "%.*f", decimals + tie, fabs(x));
    from_printed(d, x, printed);
    if (tie) decimal_round(d, (int64_t)d->point + decimals);
}

void decimal_significant(Decimal *d, double x, int digits)
{
    char printed[MOST_DIGITS + 16];
    if (digits > MOST_DECIMALS) digits = MOST_DECIMALS;
    snprintf(printed, sizeof printed, "%.*e", digits - 1, fabs(x));
    from_printed(d, x, printed);
    int exact = exact_decimals(x);
    if (exact > 0 && exact > digits - d->point + 1) return; /* no tie */
    snprintf(printed, sizeof printed, "%.*f", exact, fabs(x));
    from_printed(d, x, printed);
    decimal_round(d, digits);
}

void decimal_shortest(Decimal *d, double x, ScalarKind kind)
{
    of_real(d, x);
    d->n = d->point = 0;
    if (x != 0) d->n = numeral_shortest(fabs(x), kind, d->digits, &d->point);
}

void decimal_round(Decimal *d, int64_t keep)
{
    if (keep >= d->n) return;
    bool up = keep >= 0 && d->digits[keep] >= '5';
    d->n = keep > 0 ? (int)keep : 0;
    if (up) {
        while (d->n && d->digits[d->n - 1] == '9') d->n--;
        if (d->n) {
            d->digits[d->n - 1]++;
        } else {
            d->digits[d->n++] = '1';
            d->point++;
        }
    }
    trim(d);
}

void decimal_add_fixed(Text *t, const Decimal *d, int decimals, bool grouped)
{
    if (d->point <= 0) text_add(t, "0");
    for (int i = 0; i < d->point; i++) {
        text_addn(t, i < d->n ? &d->digits[i] : "0", 1);
        int left = d->point - 1 - i;
        if (grouped && left && left % 3 == 0) text_add(t, ",");
    }
    if (decimals > 0) text_add(t, ".");
    for (int i = 0; i < decimals; i++) {
        int at = d->point + i;
        text_addn(t, at >= 0 && at < d->n ? &d->digits[at] : "0", 1);
    }
}

void decimal_add_exponent(Text *t, int exponent, char letter, bool plus, int least)
{
    text_printf(t, "%c%s%0*d", letter, exponent < 0 ? "-" : plus ? "+" : "", least, abs(exponent));
}
