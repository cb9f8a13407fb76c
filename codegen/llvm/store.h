/* Objects that csc is shipped with: machine code of what many programs have in common, made when csc is
 * built (csc --emit=kept) and never written again. By the names of the disk cache (kept.h), which say all
 * that decides about an object: one that another csc has made is found by nobody. */
#ifndef CS_CODEGEN_LLVM_STORE_H
#define CS_CODEGEN_LLVM_STORE_H

#include <stddef.h>

#include "../../base/text.h"
#include "kept.h"

typedef struct Store Store;

/* Maps a file. NULL: it cannot be read, or is no store. */
Store *store_open(const char *path);
void store_close(Store *s);
/* Bytes in the store, as long as it is open; NULL: it has none of this name. s may be NULL. */
const char *store_find(const Store *s, const KeptName *name, size_t *size);

typedef struct StoreEntry {
    KeptName name;
    const char *bytes;
    size_t size;
} StoreEntry;

/* A store as it lies in a file. Sorts the entries. */
void store_print(Text *out, StoreEntry *entries, size_t n);

#endif
