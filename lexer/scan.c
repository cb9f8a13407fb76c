/* What becomes of the text that the rules of lexer.l match: tokens, names, errors. Numbers, strings and
 * interpolated strings have files of their own. */
#include "scan.h"

#include <string.h>

#include "../base/scalar.h"

enum { MAX_ERRORS = 1000 };

/* ---- emitting ---- */

Token *scan_add(Scan *s, TokenKind kind, uint32_t begin, uint32_t end)
{
    unsigned flags = (s->quiet ? TOKEN_QUIET : 0U) | (s->new_line ? TOKEN_NEW_LINE : 0U);
    Token t = {.kind = (uint16_t)kind, .flags = (uint16_t)flags, .begin = begin, .end = end};
    s->quiet = s->new_line = false;
    vec_push(&s->out->list, t);
    return &vec_last(&s->out->list);
}

void scan_add_valued(Scan *s, TokenKind kind, uint32_t begin, TokenValue value)
{
    Token *t = scan_add(s, kind, begin, s->end);
    t->value = (uint32_t)s->out->values.len;
    vec_push(&s->out->values, value);
}

void scan_token(Scan *s, TokenKind kind)
{
    scan_add(s, kind, s->begin, s->end);
}

void scan_shift_right(Scan *s)
{
    scan_add(s, TOK_SHR, s->begin, s->begin + 1);
    scan_add(s, TOK_GT, s->begin + 1, s->end);
}

void scan_error_at(Scan *s, uint32_t begin, uint32_t end, DiagCode code, const char *message)
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
    scan_error_at(s, s->begin, s->end, code, message);
}

void scan_bad_character(Scan *s)
{
    char text[64];
    unsigned char c = (unsigned char)s->text[s->begin];
    if (c == 0) {
        scan_error(s, DIAG_BAD_ENCODING, "NUL byte in the source");
        return;
    }
    if (c == '@') {
        scan_error(s, DIAG_FOREIGN,
                   "a @ b: C$ has none; write var c(i, j) = sum(a(i, k) * b(k, j)); or Linalg.Mul");
        return;
    }
    if (c < 0x20 || c == 0x7F)
        snprintf(text, sizeof text, "the control character 0x%02X cannot begin a token", c);
    else
        snprintf(text, sizeof text, "'%c' cannot begin a token", c);
    scan_error(s, DIAG_BAD_CHARACTER, text);
}

/* ---- what C# has and C$ has not ---- */

static bool is_one_of(const char *word, const char *const *words)
{
    size_t len = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    for (; *words; words++)
        if (strlen(*words) == len && memcmp(*words, word, len) == 0) return true;
    return false;
}

void scan_directive(Scan *s)
{
    static const char *const skipped[] = {"region", "endregion", "nullable", "pragma", NULL};
    static const char *const follow[] = {"elif", "else", "endif",
                                         NULL}; /* from one that was told */
    static const char *const told[] = {"if", "define", "undef", "error", "warning", "line", NULL};
    const char *word = s->text + s->begin + 1;
    if (!s->new_line || (!is_one_of(word, skipped) && !is_one_of(word, follow)))
        scan_error_at(
            s, s->begin, s->end, DIAG_FOREIGN,
            s->new_line && is_one_of(word, told)
                ? "preprocessor: C$ has none; leave the line out, and put variants into modules"
                : "comment with #: C$ has none; write // before it");
    if (s->new_line) s->quiet = false; /* else what follows is an echo */
}

/* ---- names ---- */

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

static void find_keywords(Scan *s)
{
    for (TokenKind k = TOK_BREAK; token_class(k) != TOKEN_P; k++) {
        bool placed = k >= TOK_CHECKED && k <= TOK_WHERE; /* words.c */
        if (placed || k == TOK_TYPE || k == TOK_DELEGATE || k == TOK_YIELD || k == TOK_WHEN ||
            k == TOK_WITH || (k >= TOK_UNDERSCORE && k <= TOK_NOT_WORD))
            continue; /* by their place, in types.c and patterns.c */
        const char *text = token_text(k);
        uint16_t *first = &s->keywords[*text - 'a'][strlen(text)];
        s->next_keyword[k] = *first;
        *first = (uint16_t)k;
    }
}

static TokenKind keyword(const Scan *s, const char *word, size_t len)
{
    ScalarKind scalar;
    if (len == 1 && *word == '_') return TOK_UNDERSCORE;
    if (*word < 'a' || *word > 'w' || len >= KEYWORD_LENGTHS) return TOK_NAME;
    for (TokenKind k = s->keywords[*word - 'a'][len]; k; k = s->next_keyword[k])
        if (memcmp(token_text(k), word, len) == 0) return k;
    if (scalar_from_name(word, len, &scalar)) return TOK_TYPENAME;
    if ((len == 6 && memcmp(word, "string", 6) == 0) || (len == 4 && memcmp(word, "void", 4) == 0))
        return TOK_TYPENAME;
    return TOK_NAME;
}

static void add_word(Scan *s, uint32_t begin, uint32_t end, bool keywords)
{
    const char *word = s->text + begin;
    size_t len = end - begin;
    TokenKind kind = keywords ? keyword(s, word, len) : TOK_NAME;
    Token *t = scan_add(s, kind, begin, end);
    if (kind != TOK_NAME && kind != TOK_TYPENAME) return;
    t->value = (uint32_t)s->out->values.len;
    TokenValue v = {.text = intern(s->names, word, len)};
    vec_push(&s->out->values, v);
}

static bool is_ascii_word(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

/* Letters, digits and whatever else is past ASCII, which may hold no letters at all. */
void scan_word(Scan *s, bool keywords)
{
    uint32_t at = s->begin + !keywords, c = 0; /* past the @ */
    while (at < s->end) {
        uint32_t begin = at;
        while (at < s->end && is_ascii_word(s->text[at], at == begin)) at++;
        while (at < s->end) {
            size_t n = scan_decode_utf8(s->text + at, s->end - at, &c);
            if (!is_letter(c) && (at == begin || c < '0' || c > '9')) break;
            at += (uint32_t)n;
        }
        if (at > begin) {
            add_word(s, begin, at, keywords);
            continue;
        }
        bool quotes = c >= 0x2018 && c <= 0x201F;
        char text[96];
        size_t first = scan_decode_utf8(s->text + at, s->end - at, &c);
        snprintf(text, sizeof text, "'%.*s' cannot begin a token%s", (int)first, s->text + at,
                 quotes ? "; strings are written in \"\"" : "");
        while (at < s->end && !is_letter(c)) {
            at += (uint32_t)scan_decode_utf8(s->text + at, s->end - at, &c);
            if (at < s->end) scan_decode_utf8(s->text + at, s->end - at, &c);
        }
        scan_error_at(s, begin, at, DIAG_BAD_CHARACTER, text);
    }
}

/* ---- a file ---- */

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
        scan_error_at(&s, 0, 0, DIAG_TOO_MANY_ERRORS, "the file is larger than 2 GB");
        s.len = 0;
    }
    if (s.len >= 3 && memcmp(s.text, "\xEF\xBB\xBF", 3) == 0) s.end = 3; /* a byte order mark */
    if (s.len >= 2 && memcmp(s.text, "#!", 2) == 0)
        while (s.end < s.len && s.text[s.end] != '\n') s.end++;
    find_keywords(&s);
    scanner_run(&s);
    lexer_mark_words(out, names);
    vec_free(&s.interps);
    text_free(&s.piece);
}
