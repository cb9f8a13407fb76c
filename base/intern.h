/* Interned strings: equal text, equal pointer. The interner owns the strings. */
#ifndef CS_BASE_INTERN_H
#define CS_BASE_INTERN_H

#include <stddef.h>

typedef struct Interner Interner;

Interner *interner_new(void);
void interner_free(Interner *in);
const char *intern(Interner *in, const char *s, size_t len);
const char *intern_cstr(Interner *in, const char *s);

#endif
