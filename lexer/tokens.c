/* The table of tokens, and what --emit=tokens prints. */
#include "lexer.h"

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

bool token_is_header(TokenKind kind)
{
    return table[kind].class == TOKEN_H;
}

TokenKind token_partner(TokenKind kind)
{
    switch (kind) {
    case TOK_LPAREN:
    case TOK_BASE_ARGS:
    case TOK_TUPLE:
    case TOK_POSITIONAL: return TOK_RPAREN;
    case TOK_LBRACKET:
    case TOK_KEY:
    case TOK_COLLECTION:
    case TOK_LIST:
    case TOK_COND_BRACKET: return TOK_RBRACKET;
    case TOK_LBRACE:
    case TOK_PROPERTIES: return TOK_RBRACE;
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
    return token_is_header(kind) ? TOKEN_K : table[kind].class;
}

void tokens_drop(Tokens *tokens, const bool *dropped)
{
    size_t to = 0;
    unsigned line = 0; /* a line that begins with what is left out begins with the next */
    for (size_t i = 0; i < tokens->list.len; i++) {
        Token t = tokens->list.data[i];
        line |= t.flags & TOKEN_NEW_LINE;
        if (dropped[i]) continue;
        t.flags |= (uint16_t)line;
        line = 0;
        tokens->list.data[to++] = t;
    }
    tokens->list.len = to;
}

void tokens_free(Tokens *tokens)
{
    vec_free(&tokens->list);
    vec_free(&tokens->values);
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
