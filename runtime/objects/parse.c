/* int.Parse and its like: text to scalars as C# does in the invariant culture. White space around
 * the number is allowed, anything else that does not belong to it is a FormatException that quotes
 * the text. An integer that does not fit is an OverflowException; a real that is too large is
 * infinite. The messages are C#'s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "str.h"

typedef struct Span {
    const char *at, *end;
} Span;

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static Span trim(const Str *s)
{
    Span t = {s ? s->bytes : "", s ? s->bytes + s->len : ""};
    if (!s) t.end = t.at;
    while (t.at < t.end && is_space(*t.at)) t.at++;
    while (t.at < t.end && is_space(t.end[-1])) t.end--;
    return t;
}

static bool is_word(Span t, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(t.end - t.at) == n && strncasecmp(t.at, word, n) == 0;
}

/* Throws "BEFORE 'text' BEHIND". */
static void refuse(const Str *s, const CsSite *site, const char *before, const char *behind)
{
    Text quoted = {0};
    text_add_quoted(&quoted, s ? s->bytes : "", s ? s->len : 0);
    rt_throw(RT_FORMAT, site, "%s %s %s", before, quoted.data, behind);
    text_free(&quoted);
}

static void refuse_number(const Str *s, const CsSite *site)
{
    refuse(s, site, "The input string", "was not in a correct format.");
}

static int64_t parse_bool(const Str *s, const CsSite *site)
{
    Span t = trim(s);
    if (is_word(t, "true")) return 1;
    if (!is_word(t, "false")) refuse(s, site, "String", "was not recognized as a valid Boolean.");
    return 0;
}

static int64_t parse_char(const Str *s, const CsSite *site)
{
    const char *at = s ? s->bytes : "", *end = s ? at + s->len : at;
    uint32_t c = at < end ? utf8_take(&at, end) : 0;
    if (s && s->len > 0 && at == end) return c;
    rt_throw(RT_FORMAT, site, "String must be exactly one character long.");
    return 0;
}

static void out_of_range(ScalarKind kind, const CsSite *site)
{
    unsigned bits = (unsigned)scalar_bytes(kind) * 8;
    bool with_sign = scalar_is_signed(kind);
    char type[24];
    if (bits == 8)
        snprintf(type, sizeof type, "%s byte", with_sign ? "a signed" : "an unsigned");
    else
        snprintf(type, sizeof type, "%s%u", with_sign ? "an Int" : "a UInt", bits);
    rt_throw(RT_OVERFLOW, site, "Value was either too large or too small for %s.", type);
}

static int64_t parse_integer(const Str *s, ScalarKind kind, const CsSite *site)
{
    Span t = trim(s);
    bool negative = t.at < t.end && *t.at == '-', large = false;
    if (t.at < t.end && (*t.at == '-' || *t.at == '+')) t.at++;
    bool good = t.at < t.end;
    uint64_t u = 0;
    for (; good && t.at < t.end; t.at++) {
        good = is_digit(*t.at);
        large = __builtin_mul_overflow(u, (uint64_t)10, &u) || large;
        large = __builtin_add_overflow(u, (uint64_t)(*t.at - '0'), &u) || large;
    }
    if (!good) {
        refuse_number(s, site);
        return 0;
    }
    unsigned bits = (unsigned)scalar_bytes(kind) * 8 - scalar_is_signed(kind);
    uint64_t most = UINT64_MAX >> (64 - bits);
    if (negative) most = scalar_is_signed(kind) ? most + 1 : 0;
    if (large || u > most) {
        out_of_range(kind, site);
        return 0;
    }
    return negative ? (int64_t)(0 - u) : (int64_t)u;
}

int64_t cs_parse_i(void *s, int32_t kind, const CsSite *site)
{
    if (kind == SC_BOOL) return parse_bool(s, site);
    if (kind == SC_CHAR) return parse_char(s, site);
    return parse_integer(s, (ScalarKind)kind, site);
}

int32_t cs_try_parse(void *s, void *out, int32_t kind)
{
    ScalarValue v = {0};
    if (scalar_is_real((ScalarKind)kind))
        v.f = cs_parse_f(s, kind, NULL);
    else
        v.i = cs_parse_i(s, kind, NULL);
    bool good = !cs_pending;
    if (!good) {
        rt_catch();
        v.i = 0;
    }
    scalar_store(out, (ScalarKind)kind, v);
    return good;
}

/* digits [. digits] [e [sign] digits] with at least one digit in front of the e; commas may stand
 * between digits before the point. Copies it without commas; false if the text is anything else. */
static bool clean(Span t, Text *out)
{
    bool digits = false;
    if (t.at < t.end && (*t.at == '-' || *t.at == '+')) text_addn(out, t.at++, 1);
    for (; t.at < t.end && (is_digit(*t.at) || (*t.at == ',' && digits)); t.at++)
        if (*t.at != ',') {
            text_addn(out, t.at, 1);
            digits = true;
        }
    if (t.at < t.end && *t.at == '.') text_addn(out, t.at++, 1);
    for (; t.at < t.end && is_digit(*t.at); t.at++, digits = true) text_addn(out, t.at, 1);
    if (!digits) return false;
    if (t.at == t.end) return true;
    if (*t.at != 'e' && *t.at != 'E') return false;
    text_addn(out, t.at++, 1);
    if (t.at < t.end && (*t.at == '-' || *t.at == '+')) text_addn(out, t.at++, 1);
    if (t.at == t.end) return false;
    for (; t.at < t.end && is_digit(*t.at); t.at++) text_addn(out, t.at, 1);
    return t.at == t.end;
}

static bool special(Span t, double *out)
{
    bool negative = t.at < t.end && *t.at == '-';
    if (t.at < t.end && (*t.at == '-' || *t.at == '+')) t.at++;
    if (is_word(t, "Infinity"))
        *out = negative ? -(double)INFINITY : (double)INFINITY;
    else if (is_word(t, "NaN"))
        *out = (double)NAN;
    else
        return false;
    return true;
}

double cs_parse_f(void *s, int32_t kind, const CsSite *site)
{
    Span t = trim(s);
    double value = 0;
    if (special(t, &value)) return value;
    Text digits = {0};
    if (!clean(t, &digits))
        refuse_number(s, site);
    else if (digits.failed)
        rt_site(site);
    else if (kind == SC_FLOAT) /* not through double, which could round twice */
        value = (double)strtof(digits.data, NULL);
    else
        value = scalar_convert((ScalarValue){.f = strtod(digits.data, NULL)}, SC_DOUBLE,
                               (ScalarKind)kind)
                    .f;
    text_free(&digits);
    return value;
}
