/* Diagnostics: the one place that prints `file:line:col: error: text [CSnnnn]`, the source line
 * and a caret range. Messages are gathered, sorted by position and printed once per run. */
#ifndef CS_BASE_DIAG_H
#define CS_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "source.h"

/* Codes live in diag.def: DIAG(id, number, severity, "explanation"); id CS1001 and so on. */
typedef enum DiagCode {
#define DIAG(id, number, severity, explanation) DIAG_##id,
#include "diag.def"
#undef DIAG
    DIAG_COUNT
} DiagCode;

typedef struct Diags Diags;

Diags *diags_new(const Sources *sources);
void diags_free(Diags *d);

/* Adds a message; its severity is the code's. The text is formatted at once. */
void diag(Diags *d, Loc loc, DiagCode code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a note or a suggestion ("did you mean 'x'?") to the newest message; loc.end == 0 with
 * loc.begin == 0 means without a place. */
void diag_note(Diags *d, Loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

int diags_errors(const Diags *d);   /* errors so far */
int diags_warnings(const Diags *d); /* warnings so far */
void diags_print(const Diags *d, FILE *out);

/* The candidate nearest to `name` in edit distance (at most a third of its length), or NULL. */
const char *diag_nearest(const char *name, const char *const *candidates, size_t n);

#endif
