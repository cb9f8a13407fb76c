/* Buffers and their pool.
 * A buffer belongs to whoever counts it; buffer_release gives its block back to the pool, where it
 * keeps its host pages and its device side for the next of its size. */
#ifndef CS_RUNTIME_MEMORY_H
#define CS_RUNTIME_MEMORY_H

#include "../value.h"

/* A buffer of at least `bytes` > 0, not shared. NULL with an exception pending. With `zero` its
 * host side is all zeros; else contents are undefined, and host may be NULL. */
Buffer *buffer_new(size_t bytes, bool zero, const CsSite *site);
void buffer_release(Buffer *b); /* NULL is fine */

/* Small arrays that died rest with their memory, if nobody else has it and no device. False: it is none such. */
bool memory_rest(Array *a);
/* One of this rank whose memory has so many bytes, undefined, as that of a new buffer; NULL: none rests. Of the handle
 * nothing else is of use. */
Array *memory_wake(int32_t rank, size_t bytes);

/* The host side, current; after `write` the device side counts as stale. NULL with an exception
 * pending. */
void *buffer_host(Buffer *b, bool write, const CsSite *site);
/* The same where only what this rank has of it is asked for (ranks/parts.h). */
void *buffer_host_part(Buffer *b, bool write, const CsSite *site);
/* The same if nothing has to be done for it; else NULL, without an exception. */
static inline void *buffer_at_hand(Buffer *b, bool write)
{
    if (b->held || b->device || !b->host) return NULL;
    b->host_stale = false;
    b->device_stale |= write | b->fresh;
    return b->host;
}
/* Takes host memory for b if it has none; its contents are undefined. `shared`: memory that a
 * device can use in place. What was small and is moved there keeps its contents, and its old place
 * can be read as long as nobody writes b. False with an exception pending. */
bool buffer_pages(Buffer *b, bool shared, const CsSite *site);

/* Elements that are somebody else's: on the host, or in a cl_mem. They stay as they are until the buffer is released or, for good, has been copied (buffer_keep). */
Buffer *buffer_borrow(const void *data, size_t bytes, const CsSite *site);
Buffer *buffer_foreign(void *device, size_t bytes, const CsSite *site);
bool buffer_keep(Buffer *b, const CsSite *site); /* false with an exception pending */

/* b, which nobody has touched, gives its memory away until it is asked for (Buffer.held). */
void buffer_lend(Buffer *b);
/* b, lent, takes the memory of `from`, which has no place among the small ones, with what is in it; from is lent
 * then. */
void buffer_take_over(Buffer *b, Buffer *from);
bool buffer_regain(Buffer *b, const CsSite *site); /* false with an exception pending */

/* Stands for an array without elements: a kernel looks where its other dimensions say before it tells
 * that the index is outside. Zeros, as far as anything could be; nobody writes them. */
void *memory_nothing(void);

void memory_trim(void); /* frees everything pooled */
/* Is less than a quarter of what a program may have left, with so many bytes more? */
bool memory_is_short(size_t bytes);
void memory_start(void); /* from here on CS_MEM_LIMIT holds */

/* A number of bytes in an environment variable, with K, M or G behind it: 1 and *out if it is one,
 * 0 if there is none, -1 with an exception pending if it is something else. */
int memory_size_from(const char *name, size_t *out, const CsSite *site);

#endif
