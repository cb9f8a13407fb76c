/* The scanner: a reentrant flex scanner behind a small interface, shared by the parser and
 * --emit=tokens. Type names are gathered ahead (architecture: the grammar needs no guessing). */
#ifndef CS_LEXER_LEXER_H
#define CS_LEXER_LEXER_H

#include "../base/arena.h"
#include "../base/intern.h"
#include "../base/report/diag.h"
#include "../base/text.h"
#include "../base/vec.h"

typedef enum TokenKind {
#define TOKEN(id, text, class) TOK_##id,
#include "tokens.def"
#undef TOKEN
    TOK_COUNT
} TokenKind;

typedef enum TokenClass { TOKEN_C, TOKEN_K, TOKEN_M, TOKEN_H, TOKEN_P } TokenClass;

enum {
    TOKEN_QUIET = 1, /* an error was reported just before: a syntax error here would be its echo */
    TOKEN_NEW_LINE = 2, /* the first of its line */
    TOKEN_MEMBER = 4    /* the name of a member in a pattern, though it may be a type's too */
};

typedef struct Token {
    uint16_t kind, flags;
    uint32_t begin, end; /* bytes of the source; equal if the scanner made it up */
    uint32_t value;      /* index into Tokens.values, for names and literals */
} Token;

/* text: interned name, interned suffix of a number (f d h L u UL, or NULL), or decoded UTF-8. Of a decimal, a
 * REAL, "mSCALE,HIGH" (scan_decimal), and in `integer` the low 64 bits. */
typedef struct TokenValue {
    const char *text;
    union {
        uint64_t integer; /* INT, and the code point of CHAR */
        double real;
        size_t len; /* of the text of STRING, TEXT, FORMAT */
    };
} TokenValue;

typedef struct Tokens {
    VEC(Token) list; /* the last is END */
    VEC(TokenValue) values;
    bool shows; /* the value of a last statement is used: it is shown (csc repl) */
} Tokens;

/* A set of interned names. */
typedef struct NameSet {
    const char **slots;
    size_t size, used; /* size is a power of two */
} NameSet;

void names_add(NameSet *set, const char *name);
bool names_has(const NameSet *set, const char *name); /* of no set, too: false */
void names_free(NameSet *set);

/* Scans a whole file; every name is a NAME. The caller frees the tokens; decoded text lives in
 * arena, names in names. */
void lexer_scan(Tokens *out, const Sources *sources, uint32_t file, Diags *diags, Interner *names,
                Arena *arena);
void tokens_free(Tokens *tokens);

/* words.c. Turns names into the keywords that they are where they stand; lexer_scan has done it. */
void lexer_mark_words(Tokens *tokens, Interner *names);
/* namespaces.c. Takes namespaces out, which have no meaning, and the names of those before dots. The
 * first of what is done to the tokens of a file. */
void lexer_skip_namespaces(Tokens *tokens, Interner *names);
/* ignored.c. Takes out what says nothing here: attributes of .NET, `in` and `out` of type parameters. */
void lexer_skip_ignored(Tokens *tokens);
/* nested.c. Makes one name of each that means a class inside a class of this file, `Outer.Inner`; with
 * `imported` inside one of those. Before the two below. */
void lexer_nested_types(Tokens *tokens, Interner *names, const NameSet *imported);
/* types.c. Adds the names of the types that the file declares. */
void lexer_declared_types(const Tokens *tokens, Interner *names, NameSet *declared);
/* Turns NAMEs into TYPENAMEs, CTORs and the keyword TYPE: the types that the file declares, those
 * of `imported` (or NULL), type parameters within their declarations, and names that can only be
 * types where they stand. */
void lexer_mark_types(Tokens *tokens, Interner *names, const NameSet *imported);
/* underscore.c. In an entry of a session: `_` as the last value becomes a NAME. After the types are marked. */
void lexer_mark_last(Tokens *tokens, Interner *names);
/* The token behind the `<...>` that begins at token i, if it can be a list of types; else i. */
size_t lexer_skip_type_list(const Tokens *tokens, size_t i);

const char *token_text(TokenKind kind);  /* the text of tokens.def */
TokenClass token_class(TokenKind kind);  /* K of a header, too */
bool token_is_modifier(TokenKind kind);  /* public, static, final .. */
bool token_is_header(TokenKind kind);    /* if, while .. */
TokenKind token_partner(TokenKind kind); /* what closes the bracket that it opens; END: none */
bool token_closes(TokenKind kind);       /* a bracket */

/* Prints the tokens of a file, one a line: line:col kind text. */
void lexer_print_tokens(Text *out, const Sources *sources, uint32_t file, Diags *diags,
                        Interner *names);

#endif
