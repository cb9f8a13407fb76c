/* Literals of numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/scalar.h"
#include "scan.h"

int scan_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

void scan_integer(Scan *s, int base)
{
    uint32_t at = s->begin + (base == 10 ? 0 : 2);
    uint64_t value = 0;
    bool fits = true, is_unsigned = false, is_long = false;
    for (; at < s->end && (s->text[at] == '_' || scan_digit(s->text[at]) < base); at++) {
        if (s->text[at] == '_') continue;
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)base, &value) &&
               !__builtin_add_overflow(value, (uint64_t)scan_digit(s->text[at]), &value);
    }
    for (; at < s->end; at++) {
        if (s->text[at] == 'u' || s->text[at] == 'U')
            is_unsigned = true;
        else
            is_long = true;
    }
    if (!fits)
        scan_error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, "the integer does not fit in 64 bits");
    const char *suffix = is_unsigned ? is_long ? "UL" : "u" : is_long ? "L" : NULL;
    TokenValue v = {.text = suffix ? intern_cstr(s->names, suffix) : NULL,
                    .integer = fits ? value : 0};
    if (!fits) s->quiet = false; /* the token is there: what follows is no echo */
    scan_add_valued(s, TOK_INT, s->begin, v);
}

void scan_real(Scan *s)
{
    Text digits = {0};
    uint32_t end = s->end;
    char last = (char)(s->text[end - 1] | 0x20);
    const char *suffix = last == 'f' ? "f" : last == 'd' ? "d" : last == 'h' ? "h" : NULL;
    if (suffix) end--;
    for (uint32_t at = s->begin; at < end; at++)
        if (s->text[at] != '_') text_addn(&digits, s->text + at, 1);
    double value = last == 'f' ? (double)strtof(digits.data, NULL) : strtod(digits.data, NULL);
    text_free(&digits);
    if (isinf(value) || (last == 'h' && value >= 65520)) {
        scan_error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, "the number is too large for its type");
        s->quiet = false;
    }
    TokenValue v = {.text = suffix ? intern_cstr(s->names, suffix) : NULL, .real = value};
    scan_add_valued(s, TOK_REAL, s->begin, v);
}

__extension__ typedef unsigned __int128 Wide;

/* An integer of 96 bits by 10^-scale: digits that do not fit are rounded, half to even. */
void scan_decimal(Scan *s)
{
    Wide value = 0;
    const Wide most = ((Wide)1 << 96) - 1;
    int64_t scale = 0, exponent = 0;
    bool point = false, full = false, more = false;
    int last = 0; /* the first digit that is left out */
    uint32_t at = s->begin;
    for (; at + 1 < s->end && (s->text[at] | 0x20) != 'e'; at++) {
        char c = s->text[at];
        if (c == '.') point = true;
        if (c == '.' || c == '_') continue;
        int digit = scan_digit(c);
        if (full || value * 10 + (unsigned)digit > most || (point && scale == 28)) {
            more = more || (full && digit);
            if (!full) last = digit;
            full = true;
            scale -= !point;
        } else {
            value = value * 10 + (unsigned)digit;
            scale += point;
        }
    }
    if (at + 1 < s->end) exponent = strtol(s->text + at + 1, NULL, 10);
    scale -= exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    bool fits = true;
    for (; scale > 28; scale--) {
        more = more || last;
        last = (int)(value % 10);
        value /= 10;
    }
    if (last > 5 || (last == 5 && (more || value % 2))) value++;
    for (; fits && value && scale < 0; scale++) {
        fits = value <= most / 10 && !full;
        value *= 10;
    }
    if (scale < 0) scale = 0;
    if (!fits || value > most) {
        scan_error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, "the number is too large for decimal");
        s->quiet = false;
    }
    char text[48];
    snprintf(text, sizeof text, "m%d,%lu", (int)scale, (unsigned long)((value >> 64) & UINT32_MAX));
    TokenValue v = {.text = intern_cstr(s->names, text), .integer = (uint64_t)value};
    scan_add_valued(s, TOK_REAL, s->begin, v);
}

void scan_bad_number(Scan *s)
{
    char text[128];
    uint32_t len = s->end - s->begin;
    snprintf(text, sizeof text, "'%.*s%s' is not a number", len < 32 ? (int)len : 32,
             s->text + s->begin, len < 32 ? "" : "...");
    scan_error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, text);
    s->quiet = false;
    TokenValue v = {.integer = 1}; /* not 0, which many a place would refuse once more */
    scan_add_valued(s, TOK_INT, s->begin, v);
}
