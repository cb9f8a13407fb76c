/* Numbers as decimal digits, and their layouts: what the standard formats (format.c) and the custom
 * patterns (pattern.c) of C# share. Invariant culture: '.', groups of three by ',', '-' in front.
 */
#ifndef CS_RUNTIME_FORMAT_H
#define CS_RUNTIME_FORMAT_H

#include "../../base/text.h"
#include "../value.h"

/* A double has at most 309 digits before the point and 1074 behind it. */
enum { MOST_DIGITS = 1400, MOST_DECIMALS = 1080 };

/* 0.DIGITS * 10^point, without leading or trailing zeros; zero has no digits and point 0. */
typedef struct Decimal {
    bool negative; /* also of a real that is -0 or rounds to it */
    bool real;     /* an integer that rounds to 0 loses its sign */
    int point, n;
    char digits[MOST_DIGITS];
} Decimal;

void decimal_integer(Decimal *d, uint64_t magnitude, bool negative);
/* From digits with a point and a sign, as a decimal is printed. */
void decimal_read(Decimal *d, const char *text, size_t len);
/* Exact value, rounded (ties away from zero) to a number of decimals or of significant digits. */
void decimal_fixed(Decimal *d, double x, int decimals);
void decimal_significant(Decimal *d, double x, int digits);
/* The fewest digits that read back as the same half, float or double. */
void decimal_shortest(Decimal *d, double x, ScalarKind kind);
/* Keeps the first `keep` digits (negative: none), half away from zero. */
void decimal_round(Decimal *d, int64_t keep);

/* 1234.50, with commas if grouped; no sign. */
void decimal_add_fixed(Text *t, const Decimal *d, int decimals, bool grouped);
/* E+005: the letter, a sign (plus only if asked for), at least so many digits. */
void decimal_add_exponent(Text *t, int exponent, char letter, bool plus, int least);

/* Adds d as a custom pattern says. */
void decimal_add_pattern(Text *t, Decimal *d, const char *pattern, size_t len);

/* Adds a scalar in a format (C#'s standard or custom ones; NULL or "": the default). False after
 * throwing a FormatException. */
bool text_add_scalar(Text *t, ScalarValue v, ScalarKind kind, const Str *format,
                     const CsSite *site);

/* Adds element number `at` of an array. */
bool text_add_element(Text *t, const Array *a, const void *data, int64_t at, const Str *format,
                      const CsSite *site);

#endif
