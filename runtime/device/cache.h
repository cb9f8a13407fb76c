/* The disk cache of kernel texts and device binaries (docs/runtime.md). Nothing here can fail: an
 * entry that is absent, damaged, unwritable or not the user's own is a miss; but
 * OutOfMemoryException may be pending. */
#ifndef CS_RUNTIME_CACHE_H
#define CS_RUNTIME_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/text.h"

/* The payload, a block with a NUL behind it, or NULL. */
char *cache_load(const char *name, size_t *size);
void cache_store(const char *name, const void *payload, size_t size);
bool cache_is_there(void); /* a folder to store in? */

/* CS_CACHE_DIR (empty: no cache), else $XDG_CACHE_HOME/cs-dollar, else ~/.cache/cs-dollar. Empty
 * text: none. */
Text cache_path(void);

/* Opens a folder, made first (for the user alone) if `make`; -1 unless it is the user's and nobody
 * else can write it. */
int cache_folder(const char *path, bool make);

#endif
