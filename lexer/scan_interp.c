/* Interpolated strings: pieces of text, holes with expressions, formats. */
#include <string.h>

#include "scan.h"

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
