/* A file of objects (store.h): a head, an index that is sorted by name, the objects. */
#include "store.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../base/mem.h"

typedef struct Head {
    char magic[8];
    uint64_t count, size; /* of entries, of the file in bytes */
} Head;

typedef struct Entry {
    char name[sizeof(KeptName)];
    uint64_t at, size; /* in the file */
    uint64_t sum;      /* XXH64 of the object, seeded with that of the name */
} Entry;

struct Store {
    const Head *head; /* the mapped file */
    const Entry *entries;
};

static const char magic[8] = "C$kept02";
enum { ALIGN = 16 }; /* of objects */

static uint64_t sum_of(const char name[sizeof(KeptName)], const char *bytes, size_t size)
{
    return XXH64(bytes, size, XXH64(name, strnlen(name, sizeof(KeptName)), 0));
}

/* What is in it is trusted like csc's own code, if it is whole. */
static bool is_whole(const char *file, size_t size)
{
    const Head *h = (const void *)file;
    if (size < sizeof *h || memcmp(h->magic, magic, sizeof magic) != 0 || h->size != size)
        return false;
    if (h->count > (size - sizeof *h) / sizeof(Entry)) return false;
    const Entry *e = (const void *)(h + 1);
    for (uint64_t i = 0; i < h->count; i++)
        if (e[i].at > size || e[i].size > size - e[i].at) return false;
    return true;
}

Store *store_open(const char *path)
{
    struct stat st;
    void *file = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED) return NULL;
    Store *s = is_whole(file, (size_t)st.st_size) ? mem_alloc(sizeof *s) : NULL;
    if (s)
        *s = (Store){.head = file, .entries = (const void *)((const Head *)file + 1)};
    else
        munmap(file, (size_t)st.st_size);
    return s;
}

void store_close(Store *s)
{
    if (!s) return;
    munmap((void *)(uintptr_t)s->head, s->head->size);
    mem_free(s);
}

static int by_name(const void *name, const void *entry)
{
    const Entry *e = entry;
    return strncmp(name, e->name, sizeof e->name);
}

const char *store_find(const Store *s, const KeptName *name, size_t *size)
{
    const Entry *e = s ? bsearch(name->text, s->entries, s->head->count, sizeof *e, by_name) : NULL;
    const char *object = e ? (const char *)s->head + e->at : NULL;
    if (!e || sum_of(e->name, object, e->size) != e->sum) return NULL;
    *size = e->size;
    return object;
}

static int by_names(const void *a, const void *b)
{
    const StoreEntry *x = a, *y = b;
    return strcmp(x->name.text, y->name.text);
}

static size_t aligned(size_t n)
{
    return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void store_print(Text *out, StoreEntry *entries, size_t n)
{
    static const char padding[ALIGN];
    qsort(entries, n, sizeof *entries, by_names);
    size_t unlike = 0; /* entries of one name are the same */
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_names(&entries[i], &entries[unlike - 1]) != 0)
            entries[unlike++] = entries[i];
    Head h = {.count = unlike};
    memcpy(h.magic, magic, sizeof magic);
    size_t first = aligned(sizeof h + unlike * sizeof(Entry)), at = first;
    for (size_t i = 0; i < unlike; i++) at += aligned(entries[i].size);
    h.size = at;
    text_addn(out, (const char *)&h, sizeof h);
    at = first;
    for (size_t i = 0; i < unlike; i++) {
        Entry e = {.at = at, .size = entries[i].size};
        memcpy(e.name, entries[i].name.text, strlen(entries[i].name.text));
        e.sum = sum_of(e.name, entries[i].bytes, entries[i].size);
        text_addn(out, (const char *)&e, sizeof e);
        at += aligned(e.size);
    }
    text_addn(out, padding, first - sizeof h - unlike * sizeof(Entry));
    for (size_t i = 0; i < unlike; i++) {
        text_addn(out, entries[i].bytes, entries[i].size);
        text_addn(out, padding, aligned(entries[i].size) - entries[i].size);
    }
}
