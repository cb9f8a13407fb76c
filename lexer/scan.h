/* Between the rules of lexer.l and the code that they call; nobody else includes this.
 * Offsets are bytes of the source; begin and end are those of the current match. */
#ifndef CS_LEXER_SCAN_H
#define CS_LEXER_SCAN_H

#include "lexer.h"

/* An interpolated string that has begun and not ended. */
typedef struct Interp {
    uint32_t begin;     /* of the string */
    int parens, braces; /* open in the current hole; a parenthesis is ( or [ */
    bool verbatim;
    uint32_t quotes, dollars; /* of a raw string; 0: it is none */
    uint32_t closing;         /* braces to come that belong to the end of a hole */
    size_t first;             /* its token */
} Interp;

/* Keywords begin with one of these letters and have fewer characters than this. */
enum { KEYWORD_LETTERS = 'w' - 'a' + 1, KEYWORD_LENGTHS = 10 };

typedef struct Scan {
    Tokens *out;
    Diags *diags;
    Interner *names;
    Arena *arena;
    const char *text;
    size_t len;
    uint32_t file, begin, end;
    VEC(Interp) interps;
    Text piece;           /* text of the current interpolated string, up to here */
    uint32_t piece_begin; /* where it began */
    uint32_t raw_quotes;  /* that began the raw string, whose place is piece_begin */
    bool quiet, new_line; /* flags of the next token */
    DiagCode last_code;   /* the last error and where it ended, so that a run of bad */
    uint32_t last_end;    /* characters is one error */
    int errors;
    /* The first keyword of a letter and length, and the next after each; 0: there is none. */
    uint16_t keywords[KEYWORD_LETTERS][KEYWORD_LENGTHS], next_keyword[TOK_COUNT];
} Scan;

void scanner_run(Scan *s); /* the rules, over text from `end` on */

/* What follows a match. SKIP: the rest of the line is nothing. */
typedef enum ScanMode {
    SCAN_CODE,
    SCAN_TEXT,
    SCAN_VERBATIM,
    SCAN_FORMAT,
    SCAN_SKIP,
    SCAN_RAW
} ScanMode;

/* ---- scan.c ---- */

Token *scan_add(Scan *s, TokenKind kind, uint32_t begin, uint32_t end);
/* To the end of the match. */
void scan_add_valued(Scan *s, TokenKind kind, uint32_t begin, TokenValue value);
void scan_error_at(Scan *s, uint32_t begin, uint32_t end, DiagCode code, const char *message);
void scan_token(Scan *s, TokenKind kind);
void scan_shift_right(Scan *s);
void scan_word(Scan *s, bool keywords);
void scan_error(Scan *s, DiagCode code, const char *message);
void scan_directive(Scan *s);     /* from # to the end of the line */
void scan_bad_character(Scan *s); /* no token begins with it */
ScanMode scan_end(Scan *s);

/* ---- scan_number.c ---- */

int scan_digit(char c); /* its value up to base 16; of another character 16 or more */
void scan_integer(Scan *s, int base);
void scan_real(Scan *s);
void scan_decimal(Scan *s); /* 1.50m */
void scan_bad_number(Scan *s);

/* ---- scan_string.c ---- */

void scan_char(Scan *s, bool ended);
ScanMode scan_string(Scan *s, bool verbatim, bool ended);
void scan_raw(Scan *s);     /* the quotes of a raw string begin here; */
bool scan_raw_end(Scan *s); /* do these end it? Then, and at the end of the file, it is a token */
/* The code point at p, and its bytes: 0 if it is none. */
size_t scan_decode_utf8(const char *p, size_t n, uint32_t *code);
/* Appends a code point; returns the bytes that it takes, at most 4. */
size_t scan_encode_utf8(char *out, uint32_t c);
/* The code point of the escape sequence at *at, which moves behind it. */
uint32_t scan_escape(Scan *s, uint32_t *at, uint32_t end);
/* Reports bytes that are no UTF-8. */
void scan_check_text(Scan *s, uint32_t begin, uint32_t end);

/* ---- scan_interp.c ---- */

ScanMode scan_interp_begin(Scan *s, bool verbatim);
void scan_piece(Scan *s);             /* plain text of an interpolated string */
void scan_piece_char(Scan *s);        /* {{ or }} or "" of one */
void scan_piece_escape(Scan *s);      /* \n of one */
ScanMode scan_interp_end(Scan *s);    /* its closing quote */
ScanMode scan_interp_broken(Scan *s); /* it does not end: closes all that are open */
ScanMode scan_hole(Scan *s);
ScanMode scan_raw_begin(Scan *s);               /* $""" or with more of either */
ScanMode scan_raw_quotes(Scan *s);              /* quotes in it, which may end it */
ScanMode scan_raw_open(Scan *s);                /* { in it, which may begin a hole */
ScanMode scan_raw_close(Scan *s);               /* } in it, of a hole's end or text */
ScanMode scan_bracket(Scan *s, TokenKind kind); /* ( [ { ) ] } : ; which may end a hole */
void scan_format(Scan *s);

#endif
