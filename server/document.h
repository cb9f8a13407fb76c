/* A text that an editor has open, and what is known of it. Editors count lines from 0 and, in a line,
 * UTF-16 units; everything else here counts bytes. */
#ifndef CS_SERVER_DOCUMENT_H
#define CS_SERVER_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/report/source.h"
#include "../base/text.h"
#include "../base/vec.h"
#include "analysis.h"

typedef struct Document {
    char *uri, *path, *real; /* real: the path without links, if it is there */
    bool read;               /* from its file; no editor has it open */
    Text text;
    VEC(uint32_t) lines; /* where each begins */
    Analysis *now;       /* of this text; NULL: not made yet */
    Analysis *parsed;    /* of the newest text without errors of syntax, which may be `now` */
} Document;

Document *document_open(const char *uri, const char *text, size_t len);
void document_close(Document *d);
void document_set(Document *d, const char *text, size_t len);
/* One of the changes of textDocument/didChange; false: it is none. */
bool document_change(Document *d, const json_t *change);

/* What is known of the text as it is. */
const Analysis *document_analyse(Document *d, const Around *around);
/* Something else has changed that it reads. */
void document_forget(Document *d);

/* The byte at a position, the nearest one if there is none. */
uint32_t document_offset(const Document *d, const json_t *position);
json_t *document_position(const Document *d, uint32_t offset);
json_t *document_range(const Document *d, uint32_t begin, uint32_t end);

/* "file:///a%20b" as "/a b"; what is no such URI as it is. The caller frees it (mem_free). */
char *uri_to_path(const char *uri);
json_t *uri_from_path(const char *path);

#endif
