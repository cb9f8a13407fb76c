/* What becomes of the text that the rules of lexer.l match: tokens, values, errors. */
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/scalar.h"

enum { MAX_ERRORS = 1000 };

static const struct {
    const char *text;
    TokenClass class;
} table[TOK_COUNT] = {
#define TOKEN(id, text, class) {text, TOKEN_##class},
#include "tokens.def"
#undef TOKEN
};

const char *token_text(TokenKind kind)
{
    return table[kind].text;
}

bool token_is_modifier(TokenKind kind)
{
    return table[kind].class == TOKEN_M;
}

TokenKind token_partner(TokenKind kind)
{
    switch (kind) {
    case TOK_LPAREN:
    case TOK_TUPLE: return TOK_RPAREN;
    case TOK_LBRACKET:
    case TOK_KEY:
    case TOK_COND_BRACKET: return TOK_RBRACKET;
    case TOK_LBRACE: return TOK_RBRACE;
    case TOK_HOLE: return TOK_HOLE_END;
    default: return TOK_END;
    }
}

bool token_closes(TokenKind kind)
{
    return kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE || kind == TOK_HOLE_END;
}

TokenClass token_class(TokenKind kind)
{
    return table[kind].class;
}

void tokens_free(Tokens *tokens)
{
    vec_free(&tokens->list);
    vec_free(&tokens->values);
}

/* ---- emitting ---- */

static Token *add_token(Scan *s, TokenKind kind, uint32_t begin, uint32_t end)
{
    unsigned flags = (s->quiet ? TOKEN_QUIET : 0U) | (s->new_line ? TOKEN_NEW_LINE : 0U);
    Token t = {.kind = (uint16_t)kind, .flags = (uint16_t)flags, .begin = begin, .end = end};
    s->quiet = s->new_line = false;
    vec_push(&s->out->list, t);
    return &vec_last(&s->out->list);
}

static void add_valued(Scan *s, TokenKind kind, uint32_t begin, TokenValue value)
{
    Token *t = add_token(s, kind, begin, s->end);
    t->value = (uint32_t)s->out->values.len;
    vec_push(&s->out->values, value);
}

void scan_token(Scan *s, TokenKind kind)
{
    add_token(s, kind, s->begin, s->end);
}

void scan_shift_right(Scan *s)
{
    add_token(s, TOK_SHR, s->begin, s->begin + 1);
    add_token(s, TOK_GT, s->begin + 1, s->end);
}

static void error_at(Scan *s, uint32_t begin, uint32_t end, DiagCode code, const char *message)
{
    Loc loc = {s->file, begin, end};
    s->quiet = true;
    bool echo = s->errors > 0 && s->last_code == code && s->last_end == begin;
    s->last_code = code;
    s->last_end = end;
    if (echo || s->errors > MAX_ERRORS) return;
    if (s->errors++ == MAX_ERRORS)
        diag(s->diags, loc, DIAG_TOO_MANY_ERRORS, "too many errors");
    else
        diag(s->diags, loc, code, "%s", message);
}

void scan_error(Scan *s, DiagCode code, const char *message)
{
    error_at(s, s->begin, s->end, code, message);
}

void scan_bad_character(Scan *s)
{
    char text[64];
    unsigned char c = (unsigned char)s->text[s->begin];
    if (c == 0) {
        scan_error(s, DIAG_BAD_ENCODING, "NUL byte in the source");
        return;
    }
    if (c < 0x20 || c == 0x7F)
        snprintf(text, sizeof text, "the control character 0x%02X cannot begin a token", c);
    else
        snprintf(text, sizeof text, "'%c' cannot begin a token", c);
    scan_error(s, DIAG_BAD_CHARACTER, text);
}

/* ---- what C# has and C$ has not ---- */

bool scan_directive(Scan *s)
{
    const char *word = s->text + s->begin + 1;
    if (!s->new_line) {
        s->end = s->begin + 1;
        scan_bad_character(s);
        return false;
    }
    /* what follows from the line that was told */
    bool follows = strncmp(word, "end", 3) == 0 || strncmp(word, "el", 2) == 0;
    if (!follows)
        error_at(s, s->begin, s->end, DIAG_FOREIGN,
                 "preprocessor: C$ has none; leave the line out, and put variants into modules");
    s->quiet = false;
    return true;
}

void scan_raw(Scan *s)
{
    s->piece_begin = s->begin;
    error_at(s, s->begin, s->end, DIAG_FOREIGN,
             "raw string: C$ has none; write @\"...\" with \"\" for a quote");
}

void scan_raw_end(Scan *s)
{
    TokenValue v = {.text = "", .len = 0};
    s->quiet = false;
    add_valued(s, TOK_STRING, s->piece_begin, v);
}

/* ---- names ---- */

/* The code point at p, n bytes left; gives its length, 0 if it is not UTF-8. */
static size_t decode_utf8(const char *p, size_t n, uint32_t *code)
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

/* Letters, roughly as C11 annex D has them, without invisible and bidirectional controls. */
static bool is_letter(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {'A', 'Z'},         {'_', '_'},       {'a', 'z'},       {0xAA, 0xAA},
        {0xB5, 0xB5},       {0xBA, 0xBA},     {0xC0, 0xD6},     {0xD8, 0xF6},
        {0xF8, 0x167F},     {0x1681, 0x180D}, {0x180F, 0x1FFF}, {0x2070, 0x209C},
        {0x2100, 0x218F},   {0x2460, 0x24FF}, {0x2C00, 0x2DFF}, {0x2E80, 0x2FFF},
        {0x3005, 0x3007},   {0x3021, 0x302F}, {0x3031, 0xD7FF}, {0xF900, 0xFD3D},
        {0xFD40, 0xFDCF},   {0xFDF0, 0xFE0F}, {0xFE20, 0xFE44}, {0xFE70, 0xFEFE},
        {0xFF10, 0xFF19},   {0xFF21, 0xFF3A}, {0xFF41, 0xFFDC}, {0x10000, 0x1EFFF},
        {0x20000, 0x3FFFD},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && c >= ranges[i][0]; i++)
        if (c <= ranges[i][1]) return true;
    return false;
}

/* Keywords by interned name: one comparison of pointers on a hit. */
static TokenKind keyword(const char *word, size_t len)
{
    ScalarKind scalar;
    if (len == 1 && *word == '_') return TOK_UNDERSCORE;
    if (*word < 'a' || *word > 'w' || len > 9) return TOK_NAME;
    for (TokenKind k = TOK_BREAK; table[k].class != TOKEN_P; k++)
        if (table[k].text[0] == *word && strlen(table[k].text) == len &&
            memcmp(table[k].text, word, len) == 0)
            return k == TOK_TYPE || k == TOK_WHEN ? TOK_NAME : k;
    if (scalar_from_name(word, len, &scalar)) return TOK_TYPENAME;
    if ((len == 6 && memcmp(word, "string", 6) == 0) || (len == 4 && memcmp(word, "void", 4) == 0))
        return TOK_TYPENAME;
    return TOK_NAME;
}

static void add_word(Scan *s, uint32_t begin, uint32_t end, bool keywords)
{
    const char *word = s->text + begin;
    size_t len = end - begin;
    TokenKind kind = keywords ? keyword(word, len) : TOK_NAME;
    Token *t = add_token(s, kind, begin, end);
    if (kind != TOK_NAME && kind != TOK_TYPENAME) return;
    t->value = (uint32_t)s->out->values.len;
    TokenValue v = {.text = intern(s->names, word, len)};
    vec_push(&s->out->values, v);
}

/* Letters, digits and whatever else is past ASCII, which may hold no letters at all. */
void scan_word(Scan *s, bool keywords)
{
    uint32_t at = s->begin + !keywords, c = 0; /* past the @ */
    while (at < s->end) {
        uint32_t begin = at;
        while (at < s->end) {
            size_t n = decode_utf8(s->text + at, s->end - at, &c);
            if (!is_letter(c) && (at == begin || c < '0' || c > '9')) break;
            at += (uint32_t)n;
        }
        if (at > begin) {
            add_word(s, begin, at, keywords);
            continue;
        }
        bool quotes = c >= 0x2018 && c <= 0x201F;
        char text[96];
        size_t first = decode_utf8(s->text + at, s->end - at, &c);
        snprintf(text, sizeof text, "'%.*s' cannot begin a token%s", (int)first, s->text + at,
                 quotes ? "; strings are written in \"\"" : "");
        while (at < s->end && !is_letter(c)) {
            at += (uint32_t)decode_utf8(s->text + at, s->end - at, &c);
            if (at < s->end) decode_utf8(s->text + at, s->end - at, &c);
        }
        error_at(s, begin, at, DIAG_BAD_CHARACTER, text);
    }
}

/* ---- numbers ---- */

static int digit_of(char c)
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
    for (; at < s->end && (s->text[at] == '_' || digit_of(s->text[at]) < base); at++) {
        if (s->text[at] == '_') continue;
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)base, &value) &&
               !__builtin_add_overflow(value, (uint64_t)digit_of(s->text[at]), &value);
    }
    for (; at < s->end; at++) {
        if (s->text[at] == 'u' || s->text[at] == 'U')
            is_unsigned = true;
        else
            is_long = true;
    }
    if (!fits)
        error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, "the integer does not fit in 64 bits");
    const char *suffix = is_unsigned ? is_long ? "UL" : "u" : is_long ? "L" : NULL;
    TokenValue v = {.text = suffix ? intern_cstr(s->names, suffix) : NULL,
                    .integer = fits ? value : 0};
    if (!fits) s->quiet = false; /* the token is there: what follows is no echo */
    add_valued(s, TOK_INT, s->begin, v);
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
        error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, "the number is too large for its type");
        s->quiet = false;
    }
    TokenValue v = {.text = suffix ? intern_cstr(s->names, suffix) : NULL, .real = value};
    add_valued(s, TOK_REAL, s->begin, v);
}

void scan_bad_number(Scan *s)
{
    char text[128];
    uint32_t len = s->end - s->begin;
    bool decimal = len > 1 && (s->text[s->end - 1] | 0x20) == 'm';
    for (uint32_t at = s->begin; at + 1 < s->end; at++)
        decimal = decimal && (digit_of(s->text[at]) < 10 || strchr("._", s->text[at]));
    snprintf(text, sizeof text, "'%.*s%s' is not a number%s", len < 32 ? (int)len : 32,
             s->text + s->begin, len < 32 ? "" : "...",
             decimal ? "; there is no decimal, write a double without the m" : "");
    error_at(s, s->begin, s->end, DIAG_BAD_NUMBER, text);
    s->quiet = false;
    TokenValue v = {.integer = 0};
    add_valued(s, TOK_INT, s->begin, v);
}

/* ---- characters and strings ---- */

static size_t encode_utf8(char *out, uint32_t c)
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
    for (*c = 0; n < most && *at < end && digit_of(s->text[*at]) < 16; n++)
        *c = *c << 4 | (uint32_t)digit_of(s->text[(*at)++]);
    return n >= least;
}

/* The character that the escape at *at (a backslash) stands for. A wrong one is reported. */
static uint32_t escape(Scan *s, uint32_t *at, uint32_t end)
{
    static const char names[] = "'\"\\0abfnrtv", values[] = "'\"\\\0\a\b\f\n\r\t\v";
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
    error_at(s, begin, *at, DIAG_BAD_ESCAPE,
             c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? "the escape is not a character"
                                                         : "unknown escape sequence");
    s->quiet = quiet;
    return '?';
}

static bool is_text(const char *p, size_t len)
{
    uint32_t c = 0;
    for (size_t n; len > 0; p += n, len -= n)
        if ((n = decode_utf8(p, len, &c)) == 0 || c == 0) return false;
    return true;
}

static void check_text(Scan *s, uint32_t begin, uint32_t end)
{
    if (is_text(s->text + begin, end - begin)) return;
    bool quiet = s->quiet;
    error_at(s, begin, end, DIAG_BAD_ENCODING, "the text is not UTF-8, or holds a NUL byte");
    s->quiet = quiet;
}

void scan_char(Scan *s, bool ended)
{
    uint32_t at = s->begin + 1, end = s->end - ended, c = 0;
    TokenValue v = {.integer = 0};
    if (!ended) {
        error_at(s, s->begin, s->end, DIAG_UNTERMINATED, "the character does not end");
        add_valued(s, TOK_CHAR, s->begin, v);
        s->quiet = true;
        return;
    }
    int errors = s->errors;
    check_text(s, at, end);
    size_t n = 0;
    if (at < end && s->text[at] == '\\')
        c = escape(s, &at, end);
    else if (at < end && (n = decode_utf8(s->text + at, end - at, &c)) > 0)
        at += (uint32_t)n;
    if (s->errors == errors && (at != end || end == s->begin + 1)) {
        error_at(s, s->begin, s->end, DIAG_BAD_CHAR_LITERAL,
                 end == s->begin + 1 ? "there is no character between the quotes"
                                     : "one character only; a string is written in \"\"");
        s->quiet = false;
    }
    v.integer = c;
    add_valued(s, TOK_CHAR, s->begin, v);
}

ScanMode scan_string(Scan *s, bool verbatim, bool ended)
{
    uint32_t at = s->begin + (verbatim ? 2 : 1), end = s->end - ended;
    if (!ended && s->interps.len > 0)
        return scan_interp_broken(s); /* $"{x": that is what is meant */
    if (!ended) error_at(s, s->begin, s->end, DIAG_UNTERMINATED, "the string does not end");
    if (ended) check_text(s, at, end);
    char *text = arena_alloc(s->arena, (size_t)(end - at) + 1);
    size_t len = 0;
    while (at < end) {
        if (s->text[at] == '\\' && !verbatim) {
            if (at + 1 < end || ended)
                len += encode_utf8(text + len, escape(s, &at, end));
            else
                at++;
        } else {
            if (s->text[at] == '"') at++; /* "" */
            text[len++] = s->text[at++];
        }
    }
    TokenValue v = {.text = text, .len = len};
    add_valued(s, TOK_STRING, s->begin, v);
    s->quiet = !ended;
    return SCAN_CODE;
}

/* ---- interpolated strings ---- */

ScanMode scan_interp_begin(Scan *s, bool verbatim)
{
    Interp i = {.begin = s->begin, .verbatim = verbatim};
    vec_push(&s->interps, i);
    scan_token(s, TOK_INTERP);
    return verbatim ? SCAN_VERBATIM : SCAN_TEXT;
}

static void add_piece(Scan *s, const char *text, size_t len)
{
    if (s->piece.len == 0) s->piece_begin = s->begin;
    text_addn(&s->piece, text, len);
}

void scan_piece(Scan *s)
{
    check_text(s, s->begin, s->end);
    add_piece(s, s->text + s->begin, s->end - s->begin);
}

void scan_piece_char(Scan *s)
{
    add_piece(s, s->text + s->begin, 1);
}

void scan_piece_escape(Scan *s)
{
    for (uint32_t at = s->begin; at < s->end;) {
        char utf8[4];
        uint32_t c = escape(s, &at, s->end);
        add_piece(s, utf8, encode_utf8(utf8, c));
    }
}

/* The text gathered so far becomes a token that ends where the match begins. */
static void end_piece(Scan *s)
{
    if (s->piece.len == 0) return;
    TokenValue v = {.text = arena_strndup(s->arena, s->piece.data, s->piece.len),
                    .len = s->piece.len};
    Token *t = add_token(s, TOK_TEXT, s->piece_begin, s->begin);
    t->value = (uint32_t)s->out->values.len;
    vec_push(&s->out->values, v);
    s->piece.len = 0;
}

ScanMode scan_interp_end(Scan *s)
{
    end_piece(s);
    scan_token(s, TOK_INTERP_END);
    s->interps.len--;
    return SCAN_CODE; /* of the program, or of a hole around */
}

ScanMode scan_hole(Scan *s)
{
    end_piece(s);
    scan_token(s, TOK_HOLE);
    Interp *i = &vec_last(&s->interps);
    i->parens = i->braces = 0;
    return SCAN_CODE;
}

/* One error at the outermost string that is open; all are closed, so that the parser goes on. */
ScanMode scan_interp_broken(Scan *s)
{
    uint32_t begin = s->interps.data[0].begin;
    bool in_text = vec_last(&s->out->list).kind == TOK_INTERP || s->piece.len > 0 ||
                   vec_last(&s->out->list).kind == TOK_HOLE_END;
    end_piece(s);
    error_at(s, begin, s->begin > begin ? s->begin : s->end, DIAG_UNTERMINATED,
             s->interps.len == 1 && in_text ? "the string does not end"
                                            : "the interpolated string does not end");
    for (; s->interps.len > 0; s->interps.len--) {
        if (!in_text) {
            s->quiet = true;
            add_token(s, TOK_HOLE_END, s->begin, s->begin);
        }
        s->quiet = true;
        add_token(s, TOK_INTERP_END, s->begin, s->begin);
        in_text = false;
    }
    s->quiet = true;
    return SCAN_SKIP;
}

ScanMode scan_bracket(Scan *s, TokenKind kind)
{
    Interp *i = s->interps.len > 0 ? &vec_last(&s->interps) : NULL;
    if (i && kind == TOK_RBRACE && i->braces == 0) {
        scan_token(s, TOK_HOLE_END);
        return i->verbatim ? SCAN_VERBATIM : SCAN_TEXT;
    }
    if (i && kind == TOK_COLON && i->parens == 0 && i->braces == 0) return SCAN_FORMAT;
    if (i && kind == TOK_SEMI) return scan_interp_broken(s); /* no expression holds a ; */
    if (i) {
        i->parens += (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_COND_BRACKET) -
                     (kind == TOK_RPAREN || kind == TOK_RBRACKET);
        i->braces += (kind == TOK_LBRACE) - (kind == TOK_RBRACE);
    }
    scan_token(s, kind);
    return SCAN_CODE;
}

void scan_format(Scan *s)
{
    size_t len = s->end - s->begin;
    check_text(s, s->begin, s->end);
    TokenValue v = {.text = arena_strndup(s->arena, s->text + s->begin, len), .len = len};
    add_valued(s, TOK_FORMAT, s->begin, v);
}

ScanMode scan_end(Scan *s)
{
    s->begin = s->end;
    if (s->interps.len > 0) scan_interp_broken(s);
    scan_token(s, TOK_END);
    return SCAN_CODE;
}

void lexer_scan(Tokens *out, const Sources *sources, uint32_t file, Diags *diags, Interner *names,
                Arena *arena)
{
    const Source *src = sources_get(sources, file);
    Scan s = {.out = out,
              .diags = diags,
              .names = names,
              .arena = arena,
              .text = src->text,
              .len = src->len,
              .file = file,
              .new_line = true};
    if (s.len > INT32_MAX) {
        error_at(&s, 0, 0, DIAG_TOO_MANY_ERRORS, "the file is larger than 2 GB");
        s.len = 0;
    }
    if (s.len >= 3 && memcmp(s.text, "\xEF\xBB\xBF", 3) == 0) s.end = 3; /* a byte order mark */
    if (s.len >= 2 && memcmp(s.text, "#!", 2) == 0)
        while (s.end < s.len && s.text[s.end] != '\n') s.end++;
    scanner_run(&s);
    vec_free(&s.interps);
    text_free(&s.piece);
}

/* ---- --emit=tokens ---- */

static const char *kind_word(TokenKind kind)
{
    switch (kind) {
    case TOK_END: return "end";
    case TOK_NAME: return "name";
    case TOK_TYPENAME: return "typename";
    case TOK_CTOR: return "constructor";
    case TOK_INT: return "int";
    case TOK_REAL: return "real";
    case TOK_CHAR: return "char";
    case TOK_STRING: return "string";
    case TOK_INTERP: return "interp";
    case TOK_TEXT: return "text";
    case TOK_HOLE: return "hole";
    case TOK_FORMAT: return "format";
    case TOK_HOLE_END: return "hole-end";
    case TOK_INTERP_END: return "interp-end";
    default: return token_class(kind) == TOKEN_P ? "op" : "keyword";
    }
}

void lexer_print_tokens(Text *out, const Sources *sources, uint32_t file, Diags *diags,
                        Interner *names)
{
    Tokens tokens = {0};
    Arena *arena = arena_new();
    const Source *src = sources_get(sources, file);
    lexer_scan(&tokens, sources, file, diags, names, arena);
    lexer_mark_types(&tokens, names, NULL);
    uint32_t at = 0;
    int line = 1, col = 1;
    for (size_t i = 0; i < tokens.list.len; i++) {
        Token t = tokens.list.data[i];
        for (; at < t.begin; at++) {
            if (src->text[at] == '\n')
                line++, col = 1;
            else
                col += ((unsigned char)src->text[at] & 0xC0) != 0x80;
        }
        text_printf(out, "%d:%d %s", line, col, kind_word(t.kind));
        if (t.end > t.begin) text_add(out, " ");
        for (uint32_t j = t.begin; j < t.end; j++) {
            unsigned char c = (unsigned char)src->text[j];
            if (c == '\n')
                text_add(out, "\\n");
            else if (c < 0x20 || c == 0x7F)
                text_printf(out, "\\x%02x", c);
            else
                text_addn(out, src->text + j, 1);
        }
        text_add(out, "\n");
    }
    tokens_free(&tokens);
    arena_free(arena);
}
