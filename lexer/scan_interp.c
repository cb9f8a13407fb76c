/* Interpolated strings: pieces of text, holes with expressions, formats. */
#include <string.h>

#include "scan.h"

ScanMode scan_interp_begin(Scan *s, bool verbatim)
{
    Interp i = {.begin = s->begin, .verbatim = verbatim, .first = s->out->list.len};
    vec_push(&s->interps, i);
    scan_token(s, TOK_INTERP);
    return verbatim ? SCAN_VERBATIM : SCAN_TEXT;
}

/* The text of the string that is open goes on. */
static ScanMode text_mode(const Interp *i)
{
    return i->quotes ? SCAN_RAW : i->verbatim ? SCAN_VERBATIM : SCAN_TEXT;
}

static void add_piece(Scan *s, const char *text, size_t len)
{
    if (s->piece.len == 0) s->piece_begin = s->begin;
    text_addn(&s->piece, text, len);
}

void scan_piece(Scan *s)
{
    scan_check_text(s, s->begin, s->end);
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
        uint32_t c = scan_escape(s, &at, s->end);
        add_piece(s, utf8, scan_encode_utf8(utf8, c));
    }
}

/* The text gathered so far becomes a token that ends where the match begins. */
static void end_piece(Scan *s)
{
    if (s->piece.len == 0) return;
    TokenValue v = {.text = arena_strndup(s->arena, s->piece.data, s->piece.len),
                    .len = s->piece.len};
    Token *t = scan_add(s, TOK_TEXT, s->piece_begin, s->begin);
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
    scan_error_at(s, begin, s->begin > begin ? s->begin : s->end, DIAG_UNTERMINATED,
                  s->interps.len == 1 && in_text ? "the string does not end"
                                                 : "the interpolated string does not end");
    for (; s->interps.len > 0; s->interps.len--) {
        if (!in_text) {
            s->quiet = true;
            scan_add(s, TOK_HOLE_END, s->begin, s->begin);
        }
        s->quiet = true;
        scan_add(s, TOK_INTERP_END, s->begin, s->begin);
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
        i->closing = i->dollars ? i->dollars - 1 : 0;
        return text_mode(i);
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
    bool verbatim = vec_last(&s->interps).verbatim;
    Text format = {0};
    scan_check_text(s, s->begin, s->end);
    for (uint32_t at = s->begin; at < s->end;) {
        char utf8[4];
        if (!verbatim && s->text[at] == '\\')
            text_addn(&format, utf8, scan_encode_utf8(utf8, scan_escape(s, &at, s->end)));
        else
            text_addn(&format, &s->text[at++], 1);
    }
    TokenValue v = {.text = arena_strndup(s->arena, format.data ? format.data : "", format.len),
                    .len = format.len};
    text_free(&format);
    scan_add_valued(s, TOK_FORMAT, s->begin, v);
}

/* ---- raw strings with holes ---- */

ScanMode scan_raw_begin(Scan *s)
{
    const char *text = s->text + s->begin;
    uint32_t dollars = (uint32_t)strspn(text, "$");
    Interp i = {.begin = s->begin,
                .verbatim = true,
                .dollars = dollars,
                .quotes = s->end - s->begin - dollars,
                .first = s->out->list.len};
    vec_push(&s->interps, i);
    scan_token(s, TOK_INTERP);
    return SCAN_RAW;
}

/* The first characters of the match are text, the others stay. */
static void split_match(Scan *s, uint32_t len)
{
    if (len > 0) add_piece(s, s->text + s->begin, len);
    s->begin += len;
}

static bool is_blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    return p == end;
}

/* Behind the indent that a line of a raw string begins with; NULL: it does not. */
static const char *behind_indent(const char *p, const char *end, const char *indent, size_t len)
{
    const char *next = memchr(p, '\n', (size_t)(end - p));
    if ((size_t)(end - p) >= len && memcmp(p, indent, len) == 0) return p + len;
    return next && is_blank(p, next) ? next : NULL;
}

typedef struct RawText {
    const char *indent; /* the blanks before the closing quotes */
    size_t len;
} RawText;

/* A piece of a raw string of several lines without what its lines are indented by. */
static bool unindent(Scan *s, TokenValue *v, RawText raw, bool first, bool last)
{
    const char *p = v->text, *end = p + v->len;
    if (first) p = (const char *)memchr(p, '\n', v->len);
    if (last) end -= raw.len + 1;
    Text out = {0};
    bool begins = first; /* a line */
    if (first && p < end) p++;
    while (p && p < end) {
        const char *from = begins ? behind_indent(p, end, raw.indent, raw.len) : p;
        const char *next = from ? memchr(from, '\n', (size_t)(end - from)) : NULL;
        begins = next != NULL;
        p = next ? next + 1 : from ? end : NULL;
        if (from) text_addn(&out, from, (size_t)(p - from));
    }
    bool fits = p && (!begins || last || raw.len == 0); /* else a hole begins the line */
    if (last && out.len > 0 && out.data[out.len - 1] == '\r') out.len--;
    v->text = arena_strndup(s->arena, out.data ? out.data : "", out.len);
    v->len = out.len;
    text_free(&out);
    return fits;
}

/* The next piece of the string itself, not of one in its holes, from token i on. */
static size_t next_piece(const Scan *s, size_t i)
{
    int depth = 0;
    for (; i < s->out->list.len; i++) {
        TokenKind k = s->out->list.data[i].kind;
        depth += (k == TOK_INTERP) - (k == TOK_INTERP_END);
        if (k == TOK_TEXT && depth == 0) return i;
    }
    return i;
}

static TokenValue *value_of(const Scan *s, size_t token)
{
    return &s->out->values.data[s->out->list.data[token].value];
}

static bool has_lines(const Scan *s, size_t first)
{
    for (size_t i = next_piece(s, first); i < s->out->list.len; i = next_piece(s, i + 1))
        if (memchr(value_of(s, i)->text, '\n', value_of(s, i)->len)) return true;
    return false;
}

/* A raw string of several lines: its pieces lose what stands before the closing quotes. */
static const char *unindent_all(Scan *s, size_t first)
{
    size_t last = s->out->list.len - 1, begin = next_piece(s, first);
    const char *alone = "the quotes of a raw string of several lines stand on lines of their own";
    if (begin != first || s->out->list.data[last].kind != TOK_TEXT) return alone;
    TokenValue *head = value_of(s, first), *tail = value_of(s, last);
    const char *line = memchr(head->text, '\n', head->len), *end = tail->text + tail->len;
    RawText raw = {.indent = end};
    while (raw.indent > tail->text && raw.indent[-1] != '\n') raw.indent--;
    raw.len = (size_t)(end - raw.indent);
    bool closed = raw.indent > tail->text && is_blank(raw.indent, end);
    if (!line || !is_blank(head->text, line) || !closed) return alone;
    for (size_t i = first; i <= last; i = next_piece(s, i + 1))
        if (!unindent(s, value_of(s, i), raw, i == first, i == last))
            return "the line begins with the blanks that stand before the closing quotes";
    return NULL;
}

ScanMode scan_raw_quotes(Scan *s)
{
    Interp *i = &vec_last(&s->interps);
    uint32_t len = s->end - s->begin;
    if (len < i->quotes) {
        split_match(s, len);
        return SCAN_RAW;
    }
    split_match(s, len - i->quotes);
    end_piece(s);
    size_t first = i->first + 1;
    const char *wrong = has_lines(s, first) ? unindent_all(s, first) : NULL;
    if (wrong) {
        scan_error_at(s, i->begin, s->end, DIAG_SYNTAX, wrong);
        s->quiet = false;
    }
    return scan_interp_end(s);
}

ScanMode scan_raw_open(Scan *s)
{
    Interp *i = &vec_last(&s->interps);
    uint32_t len = s->end - s->begin;
    if (len >= 2 * i->dollars) {
        scan_error(s, DIAG_BAD_ESCAPE,
                   "as many braces as there are $ begin a hole: write one $ more for text");
        i->closing = len; /* its partners */
    }
    bool hole = len >= i->dollars && !i->closing;
    split_match(s, hole ? len - i->dollars : len);
    return hole ? scan_hole(s) : SCAN_RAW;
}

ScanMode scan_raw_close(Scan *s)
{
    Interp *i = &vec_last(&s->interps);
    uint32_t len = s->end - s->begin, ends = i->closing < len ? i->closing : len;
    s->begin += ends;
    i->closing = 0;
    if (len - ends >= i->dollars)
        scan_error(s, DIAG_BAD_ESCAPE,
                   "as many braces as there are $ end a hole: write one $ more for text");
    split_match(s, len - ends);
    return SCAN_RAW;
}
