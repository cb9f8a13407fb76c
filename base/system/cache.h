/* The disk cache (docs/runtime.md): the compiler's objects, the runtime's kernel texts, device
 * binaries and machine code. Nothing here can fail: an entry that is absent, damaged, unwritable or not the user's own
 * is a miss. */
#ifndef CS_BASE_CACHE_H
#define CS_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../text.h"

/* The payload, a block with a NUL behind it, or NULL. A name is 32 hexadecimal digits and .cl, .bin,
 * .x or .o. */
char *cache_read(const char *name, size_t *size);
/* *held: bytes in the folder as far as this process knows, 0 before the first. */
void cache_write(const char *name, const void *payload, size_t size, uint64_t *held);
bool cache_is_there(void); /* a folder to write in? */

/* CS_CACHE_DIR (empty: no cache), else $XDG_CACHE_HOME/cs-dollar, else ~/.cache/cs-dollar. Empty
 * text: none. None of a program that gained rights by its file. */
Text cache_path(void);

/* Opens a folder, made first (for the user alone) if `make`; -1 unless it is the user's and nobody
 * else can write it. */
int cache_folder(const char *path, bool make);

#endif
