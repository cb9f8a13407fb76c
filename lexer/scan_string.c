/* Characters and strings: what their escapes mean. */
#include <string.h>

#include "scan.h"

/* The code point at p, n bytes left; gives its length, 0 if it is not UTF-8. */
size_t scan_decode_utf8(const char *p, size_t n, uint32_t *code)
{
    const unsigned char *u = (const unsigned char *)p;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = u[0] < 0x80 ? 1 : u[0] < 0xC2 ? 0 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    if (len == 0 || len > n) return 0;
    uint32_t c = len == 1 ? u[0] : u[0] & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) {
        if ((u[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (u[i] & 0x3F);
    }
    if (c < least[len] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0;
    *code = c;
    return len;
}

size_t scan_encode_utf8(char *out, uint32_t c)
{
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[len] | c);
    return len;
}

/* Hexadecimal digits at *at, at least `least` and at most `most`; false if there are too few. */
static bool hex_digits(const Scan *s, uint32_t *at, uint32_t end, int least, int most, uint32_t *c)
{
    int n = 0;
    for (*c = 0; n < most && *at < end && scan_digit(s->text[*at]) < 16; n++)
        *c = *c << 4 | (uint32_t)scan_digit(s->text[(*at)++]);
    return n >= least;
}

/* The character that the escape at *at (a backslash) stands for. A wrong one is reported. */
uint32_t scan_escape(Scan *s, uint32_t *at, uint32_t end)
{
    static const char names[] = "'\"\\0abefnrtv", values[] = "'\"\\\0\a\b\033\f\n\r\t\v";
    uint32_t begin = (*at)++, c = 0, low = 0;
    bool ok = *at < end;
    char kind = ok ? s->text[(*at)++] : '\0';
    const char *known = kind ? strchr(names, kind) : NULL;
    if (known) return (unsigned char)values[known - names];
    if (kind == 'x') {
        ok = hex_digits(s, at, end, 1, 4, &c);
    } else if (kind == 'U') {
        ok = hex_digits(s, at, end, 8, 8, &c);
    } else if (kind == 'u') {
        ok = hex_digits(s, at, end, 4, 4, &c);
        uint32_t next = *at + 2; /* the second half of a pair of surrogates */
        if (c >= 0xD800 && c < 0xDC00 && next < end && s->text[*at] == '\\' &&
            s->text[*at + 1] == 'u' && hex_digits(s, &next, end, 4, 4, &low) && low >= 0xDC00 &&
            low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            *at = next;
        }
    } else {
        while (*at < end && ((unsigned char)s->text[*at] & 0xC0) == 0x80) (*at)++;
        ok = false;
    }
    if (ok && c <= 0x10FFFF && (c < 0xD800 || c >= 0xE000)) return c;
    bool quiet = s->quiet;
    scan_error_at(s, begin, *at, DIAG_BAD_ESCAPE,
                  c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? "the escape is not a character"
                                                              : "unknown escape sequence");
    s->quiet = quiet;
    return '?';
}

static bool is_text(const char *p, size_t len)
{
    uint32_t c = 0;
    for (size_t n; len > 0; p += n, len -= n)
        if ((n = scan_decode_utf8(p, len, &c)) == 0 || c == 0) return false;
    return true;
}

void scan_check_text(Scan *s, uint32_t begin, uint32_t end)
{
    if (is_text(s->text + begin, end - begin)) return;
    bool quiet = s->quiet;
    scan_error_at(s, begin, end, DIAG_BAD_ENCODING, "the text is not UTF-8, or holds a NUL byte");
    s->quiet = quiet;
}

void scan_char(Scan *s, bool ended)
{
    uint32_t at = s->begin + 1, end = s->end - ended, c = 0;
    TokenValue v = {.integer = 0};
    if (!ended) {
        scan_error_at(s, s->begin, s->end, DIAG_UNTERMINATED, "the character does not end");
        scan_add_valued(s, TOK_CHAR, s->begin, v);
        s->quiet = true;
        return;
    }
    int errors = s->errors;
    scan_check_text(s, at, end);
    size_t n = 0;
    if (at < end && s->text[at] == '\\')
        c = scan_escape(s, &at, end);
    else if (at < end && (n = scan_decode_utf8(s->text + at, end - at, &c)) > 0)
        at += (uint32_t)n;
    if (s->errors == errors && (at != end || end == s->begin + 1)) {
        scan_error_at(s, s->begin, s->end, DIAG_BAD_CHAR_LITERAL,
                      end == s->begin + 1 ? "there is no character between the quotes"
                                          : "one character only; a string is written in \"\"");
        s->quiet = false;
    }
    v.integer = c;
    scan_add_valued(s, TOK_CHAR, s->begin, v);
}

ScanMode scan_string(Scan *s, bool verbatim, bool ended)
{
    uint32_t at = s->begin + (verbatim ? 2 : 1), end = s->end - ended;
    if (!ended && s->interps.len > 0)
        return scan_interp_broken(s); /* $"{x": that is what is meant */
    if (!ended) scan_error_at(s, s->begin, s->end, DIAG_UNTERMINATED, "the string does not end");
    if (ended) scan_check_text(s, at, end);
    char *text = arena_alloc(s->arena, (size_t)(end - at) + 1);
    size_t len = 0;
    while (at < end) {
        if (s->text[at] == '\\' && !verbatim) {
            if (at + 1 < end || ended)
                len += scan_encode_utf8(text + len, scan_escape(s, &at, end));
            else
                at++;
        } else {
            if (s->text[at] == '"') at++; /* "" */
            text[len++] = s->text[at++];
        }
    }
    TokenValue v = {.text = text, .len = len};
    scan_add_valued(s, TOK_STRING, s->begin, v);
    s->quiet = !ended;
    return SCAN_CODE;
}

/* ---- raw strings ---- */

void scan_raw(Scan *s)
{
    s->piece_begin = s->begin;
    s->raw_quotes = s->end - s->begin;
}

static bool is_blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    return p == end;
}

/* The lines between those of the quotes, without the blanks before the quotes that end the text. */
static size_t raw_lines(Scan *s, char *text, const char *p, const char *end)
{
    const char *last = end, *line = memchr(p, '\n', (size_t)(end - p));
    while (last[-1] != '\n') last--;
    size_t indent = (size_t)(end - last), len = 0;
    if (!is_blank(p, line) || !is_blank(last, end)) {
        scan_error_at(s, s->piece_begin, s->end, DIAG_SYNTAX,
                      "the quotes of a raw string of several lines stand on lines of their own");
        return 0;
    }
    for (p = line + 1; p < last;) {
        const char *next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        bool blank = is_blank(p, next - 1);
        bool inside = (size_t)(next - p) > indent && memcmp(p, last, indent) == 0;
        if (!inside && !blank) {
            uint32_t at = (uint32_t)(p - s->text);
            scan_error_at(s, at, at + 1, DIAG_SYNTAX,
                          "the line begins with the blanks that stand before the closing quotes");
            return 0;
        }
        const char *from = inside ? p + indent : next - 1;
        memcpy(text + len, from, (size_t)(next - from));
        len += (size_t)(next - from);
        p = next;
    }
    if (len > 0 && text[len - 1] == '\n') len--;
    if (len > 0 && text[len - 1] == '\r') len--;
    return len;
}

bool scan_raw_end(Scan *s)
{
    uint32_t quotes = s->raw_quotes, begin = s->piece_begin + quotes, len = s->end - s->begin;
    bool ended = s->end > s->begin && s->text[s->begin] == '"' && s->begin >= begin;
    if (ended && len < quotes && s->end < s->len) return false;
    TokenValue v = {.text = "", .len = 0};
    if (!ended || len < quotes) {
        scan_error_at(s, s->piece_begin, begin, DIAG_UNTERMINATED, "the string does not end");
    } else {
        const char *p = s->text + begin, *end = s->text + s->end - quotes;
        char *text = arena_alloc(s->arena, (size_t)(end - p) + 1);
        scan_check_text(s, begin, s->end);
        v.len = (size_t)(end - p);
        if (memchr(p, '\n', v.len))
            v.len = raw_lines(s, text, p, end);
        else
            memcpy(text, p, v.len);
        v.text = text;
    }
    scan_add_valued(s, TOK_STRING, s->piece_begin, v);
    return true;
}
