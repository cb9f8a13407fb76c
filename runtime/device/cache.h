/* The disk cache (base/cache.h) for the runtime: OutOfMemoryException may be pending afterwards. */
#ifndef CS_RUNTIME_CACHE_H
#define CS_RUNTIME_CACHE_H

#include "../../base/system/cache.h"

char *cache_load(const char *name, size_t *size); /* cache_read */
void cache_store(const char *name, const void *payload, size_t size);

#endif
