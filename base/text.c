/* Growable strings, and numbers as C# prints them: the fewest digits that read back as the same
 * value, in positional notation unless the exponent is below -5 or past the type's precision. */
#include "text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "numeral.h"

/* False: memory is out, and the text stays as it is. */
static bool reserve(Text *t, size_t more)
{
    size_t need = t->len + more + 1;
    if (t->failed) return false;
    if (more < SIZE_MAX / 4 - t->len && need <= t->cap) return true;
    size_t cap = t->cap ? t->cap * 2 : 64;
    while (cap < need) cap *= 2;
    char *data = more < SIZE_MAX / 4 - t->len ? mem_grow(t->data, cap) : (mem_fail(more), NULL);
    t->failed = !data;
    if (t->failed) return false;
    t->data = data;
    t->cap = cap;
    return true;
}

void text_addn(Text *t, const char *s, size_t len)
{
    if (!reserve(t, len)) return;
    if (len) memcpy(t->data + t->len, s, len);
    t->len += len;
    t->data[t->len] = '\0';
}

void text_add(Text *t, const char *s)
{
    text_addn(t, s, strlen(s));
}

void text_add_integer(Text *t, uint64_t magnitude, bool negative)
{
    char digits[1 + NUMERAL_INTEGER] = "-";
    const int n = numeral_integer(magnitude, digits + 1);
    text_addn(t, negative ? digits : digits + 1, (size_t)(negative ? n + 1 : n));
}

static void add_number(Text *t, int64_t x)
{
    text_add_integer(t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0);
}

/* Formats of %s, %d, %c and %% alone, most of those there are, at a fifth of vsnprintf's cost. False: another one,
 * and nothing is added. */
static bool add_simple(Text *t, const char *fmt, va_list ap)
{
    size_t before = t->len;
    for (const char *p = fmt;; p++) {
        const char *from = p;
        while (*p && *p != '%') p++;
        if (p > from) text_addn(t, from, (size_t)(p - from));
        if (!*p) return true;
        char c = '%';
        switch (*++p) {
        case 's': {
            const char *s = va_arg(ap, const char *);
            text_add(t, s ? s : "(null)");
            break;
        }
        case 'd': add_number(t, va_arg(ap, int)); break;
        case 'c': c = (char)va_arg(ap, int); /* fallthrough */
        case '%': text_addn(t, &c, 1); break;
        default: t->len = before; return false;
        }
    }
}

void text_vprintf(Text *t, const char *fmt, va_list ap)
{
    if (!reserve(t, 0)) return;
    va_list simple;
    va_copy(simple, ap);
    bool done = add_simple(t, fmt, simple);
    va_end(simple);
    if (done) return;
    va_list again;
    va_copy(again, ap);
    size_t room = t->cap - t->len;
    int n = vsnprintf(t->data + t->len, room, fmt, ap);
    if (n > 0 && (size_t)n >= room) {
        n = reserve(t, (size_t)n) ? vsnprintf(t->data + t->len, (size_t)n + 1, fmt, again) : 0;
    }
    va_end(again);
    if (t->failed) return; /* and has no block */
    if (n > 0) t->len += (size_t)n;
    t->data[t->len] = '\0';
}

void text_printf(Text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(t, fmt, ap);
    va_end(ap);
}

void text_add_stream(Text *t, FILE *in, size_t most)
{
    char block[1 << 16];
    for (size_t n; t->len < most && (n = fread(block, 1, sizeof block, in)) > 0;)
        text_addn(t, block, n);
}

char *text_take(Text *t)
{
    if (!reserve(t, 0)) {
        text_free(t);
        return NULL;
    }
    t->data[t->len] = '\0';
    char *s = t->data;
    *t = (Text){0};
    return s;
}

void text_free(Text *t)
{
    mem_free(t->data);
    *t = (Text){0};
}

bool text_is_letter(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

bool text_mentions(const char *text, size_t len, const char *name)
{
    const char *end = text + len;
    size_t n = strlen(name);
    for (const char *at = text; n && (at = memmem(at, (size_t)(end - at), name, n)); at++)
        if ((at == text || !text_is_letter(at[-1])) && (at + n == end || !text_is_letter(at[n])))
            return true;
    return false;
}

/* The shortest of x. `pretty` digits before the point stay positional even when they end in zeros, as C# does (15 for
 * double, 7 for float). */
static void add_shortest(Text *t, double x, ScalarKind kind, int pretty)
{
    char digits[NUMERAL_SHORTEST];
    int before, n = numeral_shortest(fabs(x), kind, digits, &before); /* the point */
    if (x < 0) text_addn(t, "-", 1);
    if (before > (n > pretty ? n : pretty) || before < -3) {
        text_addn(t, digits, 1);
        if (n > 1) {
            text_addn(t, ".", 1);
            text_addn(t, digits + 1, (size_t)n - 1);
        }
        text_printf(t, "E%c%02d", before < 1 ? '-' : '+', abs(before - 1));
        return;
    }
    if (before <= 0) {
        text_add(t, "0.");
        for (int i = before; i < 0; i++) text_addn(t, "0", 1);
        text_addn(t, digits, (size_t)n);
        return;
    }
    for (int i = 0; i < before || i < n; i++) {
        if (i == before) text_addn(t, ".", 1);
        text_addn(t, i < n ? &digits[i] : "0", 1);
    }
}

/* NaN, infinities and zeros; false for the rest. */
static bool add_special(Text *t, double x)
{
    if (isnan(x))
        text_add(t, "NaN");
    else if (isinf(x))
        text_add(t, x < 0 ? "-Infinity" : "Infinity");
    else if (x == 0)
        text_add(t, signbit(x) ? "-0" : "0");
    else
        return false;
    return true;
}

void text_add_float(Text *t, float x)
{
    if (!add_special(t, (double)x)) add_shortest(t, (double)x, SC_FLOAT, 7);
}

void text_add_double(Text *t, double x)
{
    if (!add_special(t, x)) add_shortest(t, x, SC_DOUBLE, 15);
}
