/* What the files that read schedules share. */
#ifndef CS_CODEGEN_NEST_READ_H
#define CS_CODEGEN_NEST_READ_H

#include "../bands/bands.h"
#include "text.h"

enum { READER_DEEPEST = 64 }; /* loops in each other; lowering takes fewer */

typedef struct Reader {
    Unit *u;
    const Def *defs;
    int ndefs, done; /* definitions so far */
    const char *next, *at;
    int line;
    const char *error;
    int error_line;
    NestNames names; /* of `named` */
    const Def *named;
    const Def
        *flat; /* the definition flat, between the lines that say so; NULL: as it is written */
    Interior *interior; /* of the last nest that is inside one */
    int loops;          /* of the plan, open */
    const char *loop;   /* the variable of the last one */
    Nest *n;            /* being read; NULL: none */
    Bands *bands;       /* the same */
    int nest_line, bands_line;
    const char *axis_names[NEST_AXES];
    NestStep *in[READER_DEEPEST + 2]; /* where a step at that depth goes */
    int top;
} Reader;

/* words.c: from where the reader is. What is not there is an error, of which the first counts. */
void reader_fail(Reader *r, const char *why);
void reader_skip(Reader *r);
bool reader_accept(Reader *r, const char *word);
int reader_accept_any(Reader *r, const char *const *words, int n);
void reader_expect(Reader *r, const char *word);
const char *reader_name(Reader *r);
const char *reader_plain_name(Reader *r);
int reader_small_number(Reader *r, int limit);
Num *reader_expression(Reader *r, bool truth);
Num *reader_optional(Reader *r, const char *word);

/* lines.c: a line of a nest, which stands at this depth */
void reader_step(Reader *r, int depth);

#endif
