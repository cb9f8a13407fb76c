/* A growable string: every printer writes into one. The owner calls text_free or takes the
 * string with text_take. */
#ifndef CS_BASE_TEXT_H
#define CS_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Text {
    char *data; /* NUL-terminated once anything was added; NULL when empty */
    size_t len, cap;
    bool failed; /* memory ran out: what was added is not all there (only where mem.h lets it) */
} Text;

void text_add(Text *t, const char *s);
void text_addn(Text *t, const char *s, size_t len);
void text_printf(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(Text *t, const char *fmt, va_list ap);
/* What a stream holds, to its end; not much more than `most` bytes. */
void text_add_stream(Text *t, FILE *in, size_t most);
char *text_take(Text *t); /* a block, leaving t empty; NULL of a failed one */
void text_free(Text *t);

/* Of a name: a letter, digit, _ or part of any character beyond ASCII. */
bool text_is_letter(char c);
/* Does the text have this name, not as a part of another? */
bool text_mentions(const char *text, size_t len, const char *name);

void text_add_integer(Text *t, uint64_t magnitude, bool negative);
/* Shortest decimal digits that read back as the same float or double, C# style: "1", "0.1",
 * "1E+20", "NaN", "Infinity". */
void text_add_float(Text *t, float x);
void text_add_double(Text *t, double x);

#endif
