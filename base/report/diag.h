/* Diagnostics: the one place that prints `file:line:col: error: text [CSnnnn]`, the source line
 * and a caret range. Messages are gathered, sorted by position and printed once per run. */
#ifndef CS_BASE_DIAG_H
#define CS_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "../arena.h"
#include "../text.h"
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

/* Adds a message, once; its severity is the code's. The text is formatted at once. */
void diag(Diags *d, Loc loc, DiagCode code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a note or a suggestion ("did you mean 'x'?") to the newest message; loc.end == 0 with
 * loc.begin == 0 means without a place. */
void diag_note(Diags *d, Loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* What mends the newest message, for editors to offer: `text` in place of `where`, which may be empty.
 * The text is copied; the last call counts. */
void diag_fix(Diags *d, Loc where, const char *text);
/* The note "did you mean 'name'?", and the name in place of `where`. */
void diag_suggest(Diags *d, Loc where, const char *name);

bool diags_has(const Diags *d, DiagCode code); /* whether it was reported */
int diags_errors(const Diags *d);              /* errors so far */
int diags_warnings(const Diags *d);            /* warnings so far */
void diags_print(const Diags *d, FILE *out);
/* One JSON object a line: file, begin, end (bytes), line, column, code, severity, message, notes.
 */
void diags_print_json(const Diags *d, FILE *out);
void diag_add_json(Text *out, const char *s); /* as a string of JSON, in quotes */

/* A message, or a note to the one before it. */
typedef struct DiagView {
    Loc loc; /* of a note: all 0 without a place */
    const char *text;
    DiagCode code;
    bool warning, note;
    const char *fix; /* of a message: diag_fix, or NULL */
    Loc fix_at;
} DiagView;
/* Each message by position, its notes behind it. */
void diags_each(const Diags *d, void (*visit)(void *ctx, const DiagView *view), void *ctx);

/* What becomes of a warning. */
typedef enum DiagLevel { DIAG_WARN, DIAG_IGNORE, DIAG_FAIL } DiagLevel;
/* levels: of DIAG_COUNT codes, not copied; those of errors are not looked at. */
void diags_set_levels(Diags *d, const DiagLevel *levels);

/* diag_explain.c */
int diag_number(DiagCode code);
bool diag_is_warning(DiagCode code);
void diag_explain(Text *out, DiagCode code);             /* Markdown */
void diag_explain_all(Text *out);                        /* by number */
void diag_explain_json(Text *out, const DiagCode *code); /* an object a line; NULL: of each code */
bool diag_from_text(const char *text, DiagCode *code);   /* "CS2001" or "2001" */
/* The text of a -W option: name, no-name, error, error=name. False: there is no such warning. */
bool diag_set_warning(DiagLevel levels[DIAG_COUNT], const char *text);
const char *diag_nearest_warning(Arena *a, const char *text); /* or NULL */

/* The candidate nearest to `name` in edit distance (at most a third of its length), or NULL. */
const char *diag_nearest(const char *name, const char *const *candidates, size_t n);

#endif
