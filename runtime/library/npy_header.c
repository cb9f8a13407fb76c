/* The header of an .npy file is the text of a Python dictionary with the keys descr, fortran_order
 * and shape. It is read by a small scanner and parser of Python literals, so any header that Python
 * would take is taken, and any other is refused with a reason; nothing in it is trusted. */
#include "npy.h"

#include <string.h>

#include "../objects/str.h"

enum { DEEPEST = 16 };

typedef enum Token { T_END, T_STRING, T_INTEGER, T_WORD, T_PUNCTUATION, T_BAD } Token;

typedef struct Reader {
    const char *at, *end;
    Token token;
    const char *text; /* of the token; of a string what is between the quotes */
    size_t len;
    Text *why;
} Reader;

static const struct {
    ScalarKind kind;
    char code;
    const char *name;
} types[] = {
    {SC_BOOL, 'b', "bool"},       {SC_SBYTE, 'i', "int8"},    {SC_BYTE, 'u', "uint8"},
    {SC_SHORT, 'i', "int16"},     {SC_USHORT, 'u', "uint16"}, {SC_INT, 'i', "int32"},
    {SC_UINT, 'u', "uint32"},     {SC_LONG, 'i', "int64"},    {SC_ULONG, 'u', "uint64"},
    {SC_HALF, 'f', "float16"},    {SC_FLOAT, 'f', "float32"}, {SC_DOUBLE, 'f', "float64"},
    {SC_CHAR, 'U', "characters"},
};
enum { TYPES = sizeof types / sizeof types[0] };

const char *npy_type_name(ScalarKind k)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].kind == k) return types[i].name;
    return scalar_name(k);
}

void npy_add_shape(Text *t, int rank, const int64_t *n)
{
    text_add(t, "(");
    for (int d = 0; d < rank; d++) text_printf(t, "%s%lld", d ? ", " : "", (long long)n[d]);
    text_add(t, rank == 1 ? ",)" : ")");
}

/* ---- scanner ------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static Token scan_string(Reader *r)
{
    char quote = *r->at++;
    r->text = r->at;
    while (r->at < r->end && *r->at != quote && *r->at != '\n') {
        if (*r->at == '\\' && r->at + 1 < r->end) r->at++;
        r->at++;
    }
    r->len = (size_t)(r->at - r->text);
    if (r->at >= r->end || *r->at != quote) return T_BAD;
    r->at++;
    return T_STRING;
}

static Token scan(Reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n\f", *r->at) && *r->at) r->at++;
    r->text = r->at;
    r->len = 0;
    if (r->at == r->end) return r->token = T_END;
    char c = *r->at;
    if (c == '\'' || c == '"') return r->token = scan_string(r);
    if (is_word(c)) {
        bool number = c >= '0' && c <= '9';
        while (r->at < r->end && is_word(*r->at)) r->at++;
        r->len = (size_t)(r->at - r->text);
        if (!number && r->len == 1 && r->at < r->end && (*r->at == '\'' || *r->at == '"') &&
            strchr("ubrUBR", c)) /* u'text' */
            return r->token = scan_string(r);
        return r->token = number ? T_INTEGER : T_WORD;
    }
    r->at++;
    r->len = 1;
    return r->token = c && strchr("{}[](),:-", c) ? T_PUNCTUATION : T_BAD;
}

static bool is(const Reader *r, char c)
{
    return r->token == T_PUNCTUATION && *r->text == c;
}

static bool is_text(const Reader *r, const char *s)
{
    return strlen(s) == r->len && memcmp(r->text, s, r->len) == 0;
}

/* ---- parser ------------------------------------------------------------------------------- */

static bool fail(Reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(Reader *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (r->why->len == 0) text_vprintf(r->why, fmt, ap);
    va_end(ap);
    return false;
}

/* "WHAT at 'text'" */
static bool unexpected(Reader *r, const char *what)
{
    Text quoted = {0};
    text_add_quoted(&quoted, r->text, (int64_t)r->len);
    if (r->token == T_END)
        fail(r, "its header ends where %s is expected", what);
    else
        fail(r, "its header has %s where %s is expected", quoted.data, what);
    text_free(&quoted);
    return false;
}

static bool expect(Reader *r, char c, const char *what)
{
    if (!is(r, c)) return unexpected(r, what);
    scan(r);
    return true;
}

/* Skips any literal. */
static bool skip_value(Reader *r, int depth)
{
    if (depth == DEEPEST) return fail(r, "its header is nested too deeply");
    if (is(r, '-')) scan(r);
    if (r->token == T_STRING || r->token == T_INTEGER || r->token == T_WORD) {
        scan(r);
        return true;
    }
    char close = is(r, '(') ? ')' : is(r, '[') ? ']' : is(r, '{') ? '}' : '\0';
    if (!close) return unexpected(r, "a value");
    for (scan(r); !is(r, close);) {
        if (!skip_value(r, depth + 1)) return false;
        if (is(r, ',') || is(r, ':'))
            scan(r);
        else if (!is(r, close))
            return unexpected(r, "',' or a closing bracket");
    }
    scan(r);
    return true;
}

static bool unsupported(Reader *r, const char *descr)
{
    const char *what = "",
               *remedy = "convert it in NumPy with a.astype('f4') or another numeric type";
    switch (strchr("<>|=", *descr) && *descr ? descr[1] : *descr) {
    case 'c':
        what = "complex numbers";
        remedy = "save a.real and a.imag in NumPy as two files";
        break;
    case 'S':
    case 'U':
    case 'a': what = "strings"; break;
    case 'O': what = "Python objects"; break;
    case 'M':
    case 'm': what = "times"; break;
    case 'V': what = "raw records"; break;
    case 'f': what = "extended reals"; break;
    default: what = "elements of an unknown type"; break;
    }
    Text quoted = {0};
    text_add_quoted(&quoted, descr, (int64_t)strlen(descr));
    fail(r, "it holds %s (%s), which no C$ array can: %s", what, quoted.data, remedy);
    text_free(&quoted);
    return false;
}

static bool read_descr(Reader *r, NpyHeader *h)
{
    if (is(r, '[') || is(r, '('))
        return fail(r, "it holds records with named fields, which no C$ array can: save each field "
                       "on its own, as in np.save('x.npy', a['x'])");
    if (r->token != T_STRING) return unexpected(r, "the element type, as in '<f4'");
    char descr[32];
    if (r->len >= sizeof descr) return fail(r, "its header names an unknown element type");
    memcpy(descr, r->text, r->len);
    descr[r->len] = '\0';
    if (strlen(descr) != r->len) return fail(r, "its header names an unknown element type");
    const char *p = descr;
    char order = *p && strchr("<>|=", *p) ? *p++ : '<';
    if (strcmp(p, "?") == 0) p = "b1";
    for (size_t i = 0; i < TYPES; i++) {
        size_t bytes = scalar_bytes(types[i].kind);
        char size = (char)('0' + (types[i].kind == SC_CHAR ? 1 : bytes));
        if (p[0] != types[i].code || p[1] != size || p[2]) continue;
        h->kind = types[i].kind;
        h->swapped = order == '>' && bytes > 1;
        scan(r);
        return true;
    }
    return unsupported(r, descr);
}

static bool read_order(Reader *r, NpyHeader *h)
{
    h->fortran = is_text(r, "True");
    if (r->token != T_WORD || (!h->fortran && !is_text(r, "False")))
        return unexpected(r, "True or False");
    scan(r);
    return true;
}

static bool read_extent(Reader *r, int64_t *out)
{
    if (is(r, '-')) return fail(r, "its shape has a negative extent");
    if (r->token != T_INTEGER) return unexpected(r, "an extent of the shape");
    *out = 0;
    for (size_t i = 0; i < r->len; i++) {
        char c = r->text[i];
        if (c == '_') continue;
        if ((c == 'L' || c == 'l') && i == r->len - 1) break; /* Python 2 wrote 3L */
        if (c < '0' || c > '9') return unexpected(r, "an extent of the shape");
        if (__builtin_mul_overflow(*out, INT64_C(10), out) ||
            __builtin_add_overflow(*out, (int64_t)(c - '0'), out))
            return fail(r, "its shape has an extent that does not fit 64 bits");
    }
    scan(r);
    return true;
}

static bool read_shape(Reader *r, NpyHeader *h)
{
    h->rank = 0;
    if (!expect(r, '(', "the shape, as in (3, 4)")) return false;
    bool comma = true;
    while (!is(r, ')')) {
        if (!comma) return unexpected(r, "',' or ')'");
        if (h->rank == NPY_MAX_RANK)
            return fail(r, "its shape has more than %d dimensions", NPY_MAX_RANK);
        if (!read_extent(r, &h->n[h->rank++])) return false;
        comma = is(r, ',');
        if (comma) scan(r);
    }
    if (h->rank == 1 && !comma) return fail(r, "its shape is a number, not a tuple such as (3,)");
    scan(r);
    return true;
}

/* The product of the extents; even a product around a zero must fit, so that strides do. */
static bool count(Reader *r, NpyHeader *h)
{
    int64_t product = 1, bytes;
    bool empty = false;
    for (int d = 0; d < h->rank; d++) {
        empty = empty || h->n[d] == 0;
        if (__builtin_mul_overflow(product, h->n[d] ? h->n[d] : 1, &product) ||
            __builtin_mul_overflow(product, INT64_C(16), &bytes))
            return fail(r, "its shape has more elements than any memory");
    }
    h->count = empty ? 0 : product;
    return true;
}

bool npy_header_read(const char *text, size_t len, NpyHeader *h, Text *why)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    Reader r = {.at = text, .end = text + len, .why = why};
    unsigned seen = 0;
    *h = (NpyHeader){0};
    scan(&r);
    if (!is(&r, '{')) return unexpected(&r, "a Python dictionary");
    for (scan(&r); !is(&r, '}');) {
        if (r.token != T_STRING) return unexpected(&r, "a key such as 'shape'");
        unsigned key = is_text(&r, "descr")           ? DESCR
                       : is_text(&r, "fortran_order") ? ORDER
                       : is_text(&r, "shape")         ? SHAPE
                                                      : 0;
        scan(&r);
        if (!expect(&r, ':', "':'")) return false;
        bool good = key == DESCR   ? read_descr(&r, h)
                    : key == ORDER ? read_order(&r, h)
                    : key == SHAPE ? read_shape(&r, h)
                                   : skip_value(&r, 0);
        if (!good) return false;
        seen |= key;
        if (is(&r, ','))
            scan(&r);
        else if (!is(&r, '}'))
            return unexpected(&r, "',' or '}'");
    }
    scan(&r);
    if (r.token != T_END) return unexpected(&r, "the end of the header");
    if (!(seen & DESCR)) return fail(&r, "its header has no 'descr', the type of the elements");
    if (!(seen & ORDER)) return fail(&r, "its header has no 'fortran_order'");
    if (!(seen & SHAPE)) return fail(&r, "its header has no 'shape'");
    return count(&r, h);
}

void npy_header_write(Text *out, const CsArray *a)
{
    Text dict = {0};
    size_t bytes = scalar_bytes((ScalarKind)a->elem);
    char code = 'V';
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].kind == (ScalarKind)a->elem) code = types[i].code;
    int64_t n[CS_MAX_RANK] = {0};
    for (int d = 0; d < a->rank; d++) n[d] = a->dim[d].n;
    text_printf(&dict,
                "{'descr': '%c%c%d', 'fortran_order': False, 'shape': ", bytes == 1 ? '|' : '<',
                code, a->elem == SC_CHAR ? 1 : (int)bytes);
    npy_add_shape(&dict, a->rank, n);
    text_add(&dict, ", }");
    size_t before = NPY_PREFIX + 2, total = (before + dict.len + 1 + 63) / 64 * 64;
    for (size_t i = before + dict.len + 1; i < total; i++) text_add(&dict, " ");
    text_add(&dict, "\n");
    const char prefix[] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(dict.len & 0xFF), (char)(dict.len >> 8)};
    text_addn(out, prefix, sizeof prefix);
    text_addn(out, dict.data, dict.len);
    text_free(&dict);
}
