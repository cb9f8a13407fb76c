/* The names that may stand at a place of a text (names.c). */
#ifndef CS_SERVER_NAMES_H
#define CS_SERVER_NAMES_H

#include "../../sema/describe.h"
#include "features.h"

typedef enum NamesKind { NAMES_NONE, NAMES_MEMBERS, NAMES_ALL } NamesKind;

/* Visits what may be written in place of the bytes from..to, inner names first; one name may come
 * several times. NAMES_NONE: it is within a comment or a string. Symbols live as long as the visit. */
NamesKind names_at(const Request *r, uint32_t from, uint32_t to, SemaVisit *visit, void *ctx);

/* The document with `with` in place of those bytes. The caller frees it (analysis_free). */
Analysis *names_analyse(const Request *r, uint32_t from, uint32_t to, const char *with);

#endif
