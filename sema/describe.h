/* What an editor asks of the annotated tree: a name's meaning as text, and what may stand behind a
 * dot. */
#ifndef CS_SEMA_DESCRIBE_H
#define CS_SEMA_DESCRIBE_H

#include "sema.h"

/* As a declaration would be written: "float mean(float(int) f)", "class Tree<int> : object",
 * "const int N = 3", "int i". Of a row of the library too. */
void sema_describe(Text *out, const Symbol *sym);

/* " over 0..8, all" of a variable whose initialiser says it; else nothing is added. After lowering. */
void sema_describe_domain(Text *out, const SemaResult *r, const Symbol *sym);

/* The parameter `index` of a function as sema_describe has it within its text: the bytes from *begin
 * to *end. False: there is none. */
bool sema_describe_param(const Symbol *sym, int index, size_t *begin, size_t *end);

/* The lines over a declaration that begin with `mark` ("///", "//"), or such a comment behind it in its
 * line; without the marks. comment.c */
void sema_describe_comment(Text *out, const Sources *sources, const Symbol *sym, const char *mark);

/* A name that may be written, and what it is. */
typedef struct SemaName {
    const char *name;
    SymKind kind;
    const Symbol *sym; /* NULL: a row of the library, which sema_describe_row prints */
    int row;
} SemaName;
typedef void SemaVisit(void *ctx, const SemaName *name);

/* Members of a value of that type, or, with by_type, static ones of the type. Overloads come once;
 * those of a class in the order of their declarations, then of what it derives from. */
void sema_each_member(const Type *t, bool by_type, SemaVisit *visit, void *ctx);
/* Those of a namespace or static class of the library, "Math"; of "" what has a name alone. */
void sema_each_row(const char *space, SemaVisit *visit, void *ctx);
/* Namespaces and types of the library. */
void sema_each_space(SemaVisit *visit, void *ctx);
void sema_describe_row(Text *out, int row);
int sema_first_row(int row); /* of its overloads, which follow each other */

#endif
