/* Strings of C$: UTF-8 of any origin, so possibly malformed; a stray byte counts as one character,
 * U+FFFD. NULL is null, whose text is empty. */
#ifndef CS_RUNTIME_STR_H
#define CS_RUNTIME_STR_H

#include "../../base/text.h"
#include "../value.h"

/* Takes one character from *at, which is before end, and moves *at behind it. */
uint32_t utf8_take(const char **at, const char *end);
void utf8_add(Text *t, uint32_t character);         /* a value that is no character adds U+FFFD */
size_t utf8_put(char bytes[4], uint32_t character); /* how many of them */

/* Characters of a string; where one begins (of a valid index, or the end); and back. */
int64_t str_count(Str *s);
int64_t str_offset(Str *s, int64_t index);
int64_t str_index(Str *s, int64_t offset);

/* A string of the text, which is freed. NULL with an exception pending, of a failed text too. */
Str *rt_str_of(Text *t);
Str *rt_str_at(void *s,
               const CsSite *site); /* s; NULL: the exception gets the site if it has none */

/* Adds a string of the user to a message: in quotes, cut when long, control characters escaped. */
void text_add_quoted(Text *t, const char *bytes, int64_t len);
void text_add_path(Text *t, const char *path); /* whole, without quotes */
/* "float(int, int)" */
void text_add_type(Text *t, const FdType *type);

#endif
