/* See cache.h. Files are open meanwhile: both return, whatever happens. */
#include "cache.h"

#include "../state.h"

char *cache_load(const char *name, size_t *size)
{
    MemTry *t = mem_suspend();
    char *payload = cache_read(name, size);
    mem_resume(t);
    mem_adopt(payload);
    if (cs_pending) mem_fail(0);
    return payload;
}

void cache_store(const char *name, const void *payload, size_t size)
{
    MemTry *t = mem_suspend();
    cache_write(name, payload, size, &rt.cached);
    mem_resume(t);
}
