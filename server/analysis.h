/* What the front end knows of a text: its messages, and of each token of the file what it names. */
#ifndef CS_SERVER_ANALYSIS_H
#define CS_SERVER_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/report/diag.h"
#include "../base/report/source.h"
#include "../base/vec.h"
#include "../lexer/lexer.h"
#include "../sema/sema.h"

/* Of a token: what it names, and the type of the expression whose name or end it is. */
typedef struct Mark {
    Symbol *sym;      /* or NULL */
    const Type *type; /* or NULL */
} Mark;

/* A declared name and the part of the file where it can be used. */
typedef struct Declared {
    Symbol *sym;
    uint32_t begin, end;
} Declared;

typedef struct Analysis {
    Arena *arena;
    Interner *names;
    Sources *sources; /* the text is the file 0 */
    Diags *diags;
    Fd *fd;
    Ast *unit;
    SemaResult *sema;
    Tokens tokens;
    Mark *marks; /* one a token */
    VEC(Declared) declared;
    bool parsed; /* without errors of syntax */
} Analysis;

/* What a text is analysed with: folders of modules, and what other files hold that are being edited. */
typedef struct Around {
    const char *const *folders;
    size_t nfolders;
    const SourceGiven *given;
    size_t ngiven;
} Around;

/* Never fails. path: of the file, for its modules. */
Analysis *analysis_new(const char *path, const char *text, size_t len, const Around *around);
void analysis_free(Analysis *a); /* NULL is fine */
bool analysis_parsed(const Analysis *a);

/* The token that holds the byte, or ends before it; -1: none. */
int analysis_token(const Analysis *a, uint32_t offset);
/* The last token that ends at the offset or before it; -1: none. */
int analysis_token_before(const Analysis *a, uint32_t offset);
/* The text of a token that is a name; NULL of another. */
const char *analysis_name(const Analysis *a, size_t token);
/* The symbol that is named there and its token, or NULL. */
Symbol *analysis_symbol(const Analysis *a, uint32_t offset, int *token);
/* One declaration may have several symbols: instances of what is generic. */
bool analysis_same(const Symbol *a, const Symbol *b);

/* Where a declaration ends: the range of its node may be its head alone. */
uint32_t analysis_end(const Analysis *a, const Ast *declaration);

/* marks.c: fills `marks` and `declared`. To be called before lowering, which replaces expressions. */
void analysis_mark(Analysis *a);

#endif
