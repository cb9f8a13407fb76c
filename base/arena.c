/* Arenas: a list of chunks, each filled from its front. Chunks double up to a limit, so a small
 * arena stays small and a large one makes few calls; a request too big for a chunk gets its own.
 * Chunks belong to their arena: a mem_try that ends early drops arenas, not chunks. */
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "mem.h"
#include "text.h"

/* Under AddressSanitizer what is not allocated is poisoned, and a gap behind each allocation is
 * never allocated. */
#ifdef __SANITIZE_ADDRESS__ /* gcc */
#define POISON
#elif defined __has_feature
#if __has_feature(address_sanitizer) /* clang */
#define POISON
#endif
#endif
#ifdef POISON
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#define HIDE(p, bytes) ASAN_POISON_MEMORY_REGION(p, bytes)
#define SHOW(p, bytes) ASAN_UNPOISON_MEMORY_REGION(p, bytes)
#else
enum { GAP = 0 };
#define HIDE(p, bytes) ((void)(p), (void)(bytes))
#define SHOW(p, bytes) ((void)(p), (void)(bytes))
#endif

enum { FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20, ALIGN = 16 };

typedef struct Chunk {
    struct Chunk *next;
    size_t used, size;
    _Alignas(ALIGN) unsigned char data[];
} Chunk;

struct Arena {
    Chunk *chunks;     /* the first is the one being filled */
    size_t next_chunk; /* its size */
};

static void drop(void *arena)
{
    arena_free(arena);
}

Arena *arena_new(void)
{
    Arena *a = mem_alloc(sizeof *a);
    if (!a) return NULL;
    mem_set_drop(a, drop);
    *a = (Arena){.chunks = NULL, .next_chunk = FIRST_CHUNK};
    return a;
}

void arena_free(Arena *a)
{
    if (!a) return;
    for (Chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        mem_free(c);
    }
    mem_free(a);
}

static Chunk *new_chunk(size_t size)
{
    Chunk *c = mem_inside(sizeof(Chunk) + size);
    if (!c) return NULL;
    c->size = size;
    HIDE(c->data, size);
    return c;
}

void *arena_alloc(Arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 8) return mem_inside(bytes); /* which fails */
    size_t asked = bytes;
    bytes = (bytes + GAP + (ALIGN - 1)) & ~(size_t)(ALIGN - 1);
    Chunk *c = a->chunks;
    if (!c || c->size - c->used < bytes) {
        if (bytes > a->next_chunk / 4 && c) {
            /* Its own chunk, behind the first, which stays the one being filled. */
            Chunk *own = new_chunk(bytes);
            if (!own) return NULL;
            own->used = bytes;
            own->next = c->next;
            c->next = own;
            SHOW(own->data, asked);
            return own->data;
        }
        size_t size = a->next_chunk > bytes ? a->next_chunk : bytes;
        c = new_chunk(size);
        if (!c) return NULL;
        if (a->next_chunk < LAST_CHUNK) a->next_chunk *= 2;
        c->next = a->chunks;
        a->chunks = c;
    }
    void *p = c->data + c->used;
    c->used += bytes;
    SHOW(p, asked);
    return p;
}

char *arena_strndup(Arena *a, const char *s, size_t len)
{
    char *p = arena_alloc(a, len + 1);
    if (!p) return NULL;
    if (len) memcpy(p, s, len);
    p[len] = '\0';
    return p;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    Text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    char *p = t.failed ? NULL : arena_strndup(a, t.data, t.len);
    text_free(&t);
    return p;
}

void *arena_copy(Arena *a, const void *p, size_t bytes)
{
    return arena_grow(a, p, bytes, 0);
}

void *arena_grow(Arena *a, const void *p, size_t bytes, size_t more)
{
    void *grown = arena_alloc(a, bytes + more);
    if (grown && bytes) memcpy(grown, p, bytes);
    return grown;
}
