/* Decimal digits of numbers, without their layout. */
#ifndef CS_BASE_NUMERAL_H
#define CS_BASE_NUMERAL_H

#include "scalar.h"

enum { NUMERAL_INTEGER = 20, NUMERAL_SHORTEST = 17, NUMERAL_FIXED = 40 };

/* Of an integer: how many were written; 0 has one. */
int numeral_integer(uint64_t x, char digits[NUMERAL_INTEGER]);
/* The fewest that read back as x, which is positive and finite, as a double, float or half; the first and the last are no
 * zeros. The value is 0.DIGITS * 10^*point. */
int numeral_shortest(double x, ScalarKind kind, char digits[NUMERAL_SHORTEST], int *point);
/* x * 10^decimals to the nearest integer, ties away from zero, of the exact value of x, which is finite and not negative.
 * 0: it is too large, else how many were written. */
int numeral_fixed(double x, int decimals, char digits[NUMERAL_FIXED]);

#endif
