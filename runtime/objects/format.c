/* Values as text: C#'s standard format specifiers in the invariant culture, and functional values
 * as NumPy prints arrays, "[[1, 2], [3, 4]]", summarised past 1000 elements. A format that does not
 * fit the value is a FormatException. */
#include "format.h"
#include "record.h"

#include <math.h>
#include <string.h>

#include "str.h"

static bool text_add_ref(Text *t, void *ref, const Str *format, const CsSite *site);

enum { SUMMARY_FROM = 1000, EDGE = 3 };

/* ---- standard formats --------------------------------------------------------------------- */

/* A letter and up to nine digits; precision -1: none given. False: a custom pattern. */
static bool read_standard(const Str *format, char *letter, int *precision)
{
    const char *p = format->bytes, *end = p + format->len;
    if (format->len > 10 || !((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'))) return false;
    *letter = *p++;
    *precision = p < end ? 0 : -1;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return false;
        *precision = *precision * 10 + (*p - '0');
    }
    return true;
}

static bool refuse(const Str *format, ScalarKind kind, const CsSite *site)
{
    Text quoted = {0};
    text_add_quoted(&quoted, format->bytes, format->len);
    rt_throw(RT_FORMAT, site, "%s is not a format of %s: it takes %s or a pattern such as 0.00",
             quoted.data, scalar_name(kind),
             scalar_is_real(kind) ? "F, E, G, N, P, C, R" : "D, X, B, F, E, G, N, P, C");
    text_free(&quoted);
    return false;
}

static void add_sign(Text *t, const Decimal *d)
{
    if (d->negative) text_add(t, "-");
}

/* G: positional unless the exponent is below -5 or not below `digits`. */
static void add_general(Text *t, const Decimal *d, int digits, char letter)
{
    add_sign(t, d);
    if (d->point > digits || d->point < -3) {
        Decimal m = *d;
        m.point = 1;
        decimal_add_fixed(t, &m, m.n - 1, false);
        decimal_add_exponent(t, d->point - 1, letter, true, 2);
    } else {
        decimal_add_fixed(t, d, d->n > d->point ? d->n - d->point : 0, false);
    }
}

/* What is left of C, E, F, N, P once the digits are there. */
static void add_decimals(Text *t, const Decimal *d, char upper, int precision)
{
    switch (upper) {
    case 'C':
        text_add(t, d->negative ? "(\xC2\xA4" : "\xC2\xA4");
        decimal_add_fixed(t, d, precision, true);
        if (d->negative) text_add(t, ")");
        break;
    case 'P':
        add_sign(t, d);
        decimal_add_fixed(t, d, precision, true);
        text_add(t, " %");
        break;
    default:
        add_sign(t, d);
        decimal_add_fixed(t, d, precision, upper == 'N');
        break;
    }
}

static void add_scientific(Text *t, const Decimal *d, char letter, int precision)
{
    Decimal m = *d;
    m.point = 1;
    add_sign(t, d);
    decimal_add_fixed(t, &m, precision, false);
    decimal_add_exponent(t, d->n ? d->point - 1 : 0, letter, true, 3);
}

static void add_bits(Text *t, uint64_t bits, ScalarKind kind, char letter, int precision)
{
    char digits[64];
    unsigned step = letter == 'B' || letter == 'b' ? 1 : 4,
             width = (unsigned)scalar_bytes(kind) * 8;
    const char *alphabet = letter == 'x' ? "0123456789abcdef" : "0123456789ABCDEF";
    if (width < 64) bits &= (UINT64_C(1) << width) - 1;
    int n = 0;
    do {
        digits[63 - n++] = alphabet[bits & ((1u << step) - 1)];
        bits >>= step;
    } while (bits);
    for (int i = n; i < precision; i++) text_add(t, "0");
    text_addn(t, digits + 64 - n, (size_t)n);
}

static bool add_integer(Text *t, int64_t v, ScalarKind kind, const Str *format, const CsSite *site)
{
    char letter = 'D';
    int precision = -1;
    Decimal d;
    bool negative = v < 0 && scalar_is_signed(kind);
    uint64_t magnitude = negative ? 0 - (uint64_t)v : (uint64_t)v;
    if (!format || format->len == 0) {
        text_add_integer(t, magnitude, negative);
        return true;
    }
    decimal_integer(&d, magnitude, negative);
    if (!read_standard(format, &letter, &precision)) {
        decimal_add_pattern(t, &d, format->bytes, (size_t)format->len);
        return true;
    }
    char upper = (char)(letter & ~0x20);
    switch (upper) {
    case 'D':
        text_printf(t, "%s%0*llu", negative ? "-" : "", precision > 0 ? precision : 1,
                    (unsigned long long)magnitude);
        return true;
    case 'X':
    case 'B': add_bits(t, (uint64_t)v, kind, letter, precision); return true;
    case 'G':
        if (precision > 0)
            decimal_round(&d, precision);
        else
            precision = d.point;
        add_general(t, &d, precision, letter == 'g' ? 'e' : 'E');
        return true;
    case 'E':
        if (precision < 0) precision = 6;
        decimal_round(&d, (int64_t)precision + 1);
        add_scientific(t, &d, letter, precision);
        return true;
    case 'C':
    case 'F':
    case 'N':
    case 'P':
        if (precision < 0) precision = 2;
        if (upper == 'P' && d.n) d.point += 2;
        add_decimals(t, &d, upper, precision);
        return true;
    default: return refuse(format, kind, site);
    }
}

static bool add_real(Text *t, double x, ScalarKind kind, const Str *format, const CsSite *site)
{
    /* Digits that a pattern is given, and those up to which the default stays positional. */
    int exact = kind == SC_HALF ? 5 : kind == SC_FLOAT ? 7 : 15;
    char letter = 'G';
    int precision = -1;
    Decimal d;
    bool standard = !format || format->len == 0 || read_standard(format, &letter, &precision);
    char upper = (char)(letter & ~0x20);
    if (standard && !strchr("CEFGNPR", upper)) return refuse(format, kind, site);
    if (!isfinite(x)) {
        text_add(t, isnan(x) ? "NaN" : x < 0 ? "-Infinity" : "Infinity");
        return true;
    }
    if (!standard) {
        decimal_significant(&d, x, exact);
        decimal_add_pattern(t, &d, format->bytes, (size_t)format->len);
        return true;
    }
    switch (upper) {
    case 'G':
    case 'R':
        if (upper == 'G' && precision > 0) {
            decimal_significant(&d, x, precision);
            add_general(t, &d, precision, letter == 'g' ? 'e' : 'E');
        } else if (kind == SC_HALF || letter >= 'a') {
            decimal_shortest(&d, x, kind);
            add_general(t, &d, d.n > exact ? d.n : exact, letter >= 'a' ? 'e' : 'E');
        } else if (kind == SC_FLOAT) {
            text_add_float(t, (float)x);
        } else {
            text_add_double(t, x);
        }
        break;
    case 'E':
        if (precision < 0) precision = 6;
        decimal_significant(&d, x, precision < MOST_DIGITS ? precision + 1 : MOST_DIGITS);
        add_scientific(t, &d, letter, precision);
        break;
    default:
        if (precision < 0) precision = 2;
        decimal_fixed(&d, x, precision < MOST_DIGITS && upper == 'P' ? precision + 2 : precision);
        if (upper == 'P' && d.n) d.point += 2;
        add_decimals(t, &d, upper, precision);
        break;
    }
    return true;
}

bool text_add_scalar(Text *t, ScalarValue v, ScalarKind kind, const Str *format, const CsSite *site)
{
    switch (kind) {
    case SC_BOOL: text_add(t, v.i ? "True" : "False"); return true;
    case SC_CHAR: utf8_add(t, (uint32_t)v.i); return true;
    case SC_HALF:
    case SC_FLOAT:
    case SC_DOUBLE: return add_real(t, v.f, kind, format, site);
    default: return add_integer(t, v.i, kind, format, site);
    }
}

static void *result(Text *t, bool good, const CsSite *site)
{
    Str *s = good ? rt_str_of(t) : NULL;
    text_free(t);
    return rt_str_at(s, site);
}

void *cs_format_i(int64_t value, int32_t kind, void *format, const CsSite *site)
{
    Text t = {0};
    bool good = text_add_scalar(&t, (ScalarValue){.i = value}, (ScalarKind)kind, format, site);
    return result(&t, good, site);
}

void *cs_format_f(double value, int32_t kind, void *format, const CsSite *site)
{
    Text t = {0};
    bool good = text_add_scalar(&t, (ScalarValue){.f = value}, (ScalarKind)kind, format, site);
    return result(&t, good, site);
}

/* Decimals (stdlib/Decimal.cs$), of which the text has all digits, at most 58. */
void *cs_format_digits(void *text, void *format, const CsSite *site)
{
    char letter = 'G';
    int precision = -1;
    Decimal d;
    Text t = {0};
    const Str *f = format;
    decimal_read(&d, ((Str *)text)->bytes, (size_t)((Str *)text)->len);
    if (!read_standard(f, &letter, &precision)) {
        decimal_add_pattern(&t, &d, f->bytes, (size_t)f->len);
        return result(&t, true, site);
    }
    char upper = (char)(letter & ~0x20);
    if (!strchr("CEFGNP", upper)) {
        rt_throw(RT_FORMAT, site,
                 "'%c' is not a format of decimal: it takes F, E, G, N, P, C or a "
                 "pattern such as 0.00",
                 letter);
        return NULL;
    }
    if (precision < 0) precision = upper == 'E' ? 6 : upper == 'G' ? 29 : 2;
    if (upper == 'P' && d.n) d.point += 2;
    if (upper == 'G')
        decimal_round(&d, precision ? precision : 29);
    else
        decimal_round(&d, upper == 'E' ? (int64_t)precision + 1 : (int64_t)d.point + precision);
    if (upper == 'G')
        add_general(&t, &d, precision ? precision : 29, letter == 'g' ? 'e' : 'E');
    else if (upper == 'E')
        add_scientific(&t, &d, letter, precision);
    else
        add_decimals(&t, &d, upper, precision);
    return result(&t, true, site);
}

/* ---- functional values -------------------------------------------------------------------- */

typedef struct Printer {
    Text *out;
    Array *array;
    const char *data; /* NULL: for each element anew */
    bool summary;
    const Str *format;
    const CsSite *site;
} Printer;

bool text_add_element(Text *t, const Array *a, const void *data, int64_t at, const Str *format,
                      const CsSite *site)
{
    int32_t elem = a->head.elem;
    if (cs_pending) return false; /* memory ran out in the text: the program is not called now */
    if (elem == CS_ELEM_REF) return text_add_ref(t, ((void *const *)data)[at], format, site);
    ScalarValue leaves[RT_MAX_LEAVES];
    elem_load(a, data, at, leaves);
    if (elem_is_record(elem)) return text_add_record(t, elem, leaves, format, site);
    return text_add_scalar(t, leaves[0], (ScalarKind)elem, format, site);
}

/* Of a summary only the elements that it shows come from other ranks. */
static bool add_element(const Printer *p, int64_t at)
{
    const char *data = p->data ? p->data : cs_element_read(p->array, at, p->site);
    return data && text_add_element(p->out, p->array, data, at, p->format, p->site);
}

static bool add_dimension(const Printer *p, int32_t dim, int64_t at)
{
    const CsArray *a = &p->array->head;
    int64_t n = a->dim[dim].n;
    bool cut = p->summary && n > 2 * EDGE, good = true;
    text_add(p->out, "[");
    for (int64_t i = 0; good && i < n; i++) {
        if (i) text_add(p->out, ", ");
        if (cut && i == EDGE) {
            text_add(p->out, "..., ");
            i = n - EDGE;
        }
        int64_t where = at + i * a->dim[dim].stride;
        good = dim == a->rank - 1 ? add_element(p, where) : add_dimension(p, dim + 1, where);
    }
    text_add(p->out, "]");
    return good;
}

static bool add_array(Text *t, Array *a, const Str *format, const CsSite *site)
{
    int64_t n = rt_array_count(a);
    if (n == 0) {
        text_add(t, "[]");
        return true;
    }
    Printer p = {t, a, NULL, n > SUMMARY_FROM, format, site};
    if (!p.summary && !(p.data = rt_array_data(a, site))) return false;
    return add_dimension(&p, 0, 0);
}

static bool add_function(Text *t, void *fn, const Str *format, const CsSite *site)
{
    const FdType *type = rt_type_of(fn);
    if (!cs_is_finite(fn)) { /* nothing to list: the type says most */
        if (type)
            text_add_type(t, type);
        else
            text_add(t, "function");
        return true;
    }
    if (cs_pending) return false;
    Array *a = cs_force(fn, site);
    bool good = a && add_array(t, a, format, site);
    cs_release(a);
    return good;
}

/* Adds any value that is counted: a string, an array, an object. NULL adds nothing. */
static bool text_add_ref(Text *t, void *ref, const Str *format, const CsSite *site)
{
    if (!ref) return true;
    switch ((CsKind)((CsHead *)ref)->kind) {
    case CS_ARRAY:
    case CS_LAZY:
    case CS_CLOSURE: return add_function(t, ref, format, site);
    case CS_STR:
    case CS_OBJECT: {
        Str *s = cs_object_to_string(ref);
        if (s) text_addn(t, s->bytes, (size_t)s->len);
        cs_release(s);
        return !cs_pending;
    }
    case CS_WRITER: text_add(t, "TextWriter"); return true;
    case CS_COROUTINE: return true;
    }
    return true;
}

void *cs_format_fn(void *fn, void *format, const CsSite *site)
{
    Text t = {0};
    return result(&t, text_add_ref(&t, fn, format, site), site);
}
