/* The interner: an open-addressing table of pointers into an arena. Each string keeps its hash and
 * length in front, so growing never hashes again. */
#include "intern.h"

#include <stdint.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "arena.h"
#include "mem.h"

typedef struct Entry {
    uint64_t hash;
    size_t len;
    char text[];
} Entry;

struct Interner {
    Arena *arena;
    Entry **table;
    size_t size, used; /* size: a power of two */
};

Interner *interner_new(void)
{
    Arena *arena = arena_new();
    Interner *in = arena_new_of(arena, Interner);
    *in = (Interner){.arena = arena, .size = 256};
    in->table = mem_alloc(in->size * sizeof *in->table);
    return in;
}

void interner_free(Interner *in)
{
    if (!in) return;
    mem_free(in->table);
    arena_free(in->arena);
}

static void grow(Interner *in)
{
    size_t size = in->size * 2;
    Entry **table = mem_beside(in->table, size * sizeof *table);
    for (size_t i = 0; i < in->size; i++) {
        if (!in->table[i]) continue;
        size_t at = in->table[i]->hash & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = in->table[i];
    }
    mem_free(in->table);
    in->table = table;
    in->size = size;
}

const char *intern(Interner *in, const char *s, size_t len)
{
    uint64_t hash = XXH3_64bits(s, len);
    size_t at = hash & (in->size - 1);
    for (Entry *e; (e = in->table[at]); at = (at + 1) & (in->size - 1))
        if (e->hash == hash && e->len == len && memcmp(e->text, s, len) == 0) return e->text;
    Entry *e = arena_alloc(in->arena, sizeof(Entry) + len + 1);
    e->hash = hash;
    e->len = len;
    if (len) memcpy(e->text, s, len);
    in->table[at] = e;
    if (++in->used * 2 > in->size) grow(in);
    return e->text;
}

const char *intern_cstr(Interner *in, const char *s)
{
    return intern(in, s, strlen(s));
}
