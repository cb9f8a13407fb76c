/* Entries are files of the cache folder: a header with size and checksum, then the payload. They
 * are written to a temporary and renamed, so readers see whole entries only, whoever else writes.
 * The checksum is seeded with the entry's name: an entry under a wrong name is a miss too. */
#include "cache.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../base/text.h"

typedef struct Header {
    char magic[8];
    uint64_t size, checksum; /* of the payload */
} Header;

static const char magic[8] = "C$cache1";
static const uint64_t MAX_ENTRY = UINT64_C(1) << 30;

/* CS_CACHE_DIR (empty: no cache), else $XDG_CACHE_HOME/cs-dollar, else ~/.cache/cs-dollar. Empty
 * text: none. */
static Text folder(void)
{
    Text t = {0};
    const char *own = getenv("CS_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own)
        text_add(&t, own);
    else if (xdg && *xdg)
        text_printf(&t, "%s/cs-dollar", xdg);
    else if (home && *home)
        text_printf(&t, "%s/.cache/cs-dollar", home);
    return t;
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0777);
            *p = '/';
        }
    mkdir(path, 0777);
}

static uint64_t checksum(const char *name, const void *payload, size_t size)
{
    return XXH64(payload, size, XXH64(name, strlen(name), 0));
}

static bool read_all(int fd, void *to, size_t n)
{
    for (char *p = to; n > 0;) {
        ssize_t got = read(fd, p, n);
        if (got <= 0) return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t n)
{
    for (const char *p = from; n > 0;) {
        ssize_t put = write(fd, p, n);
        if (put <= 0) return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

char *cache_load(const char *name, size_t *size)
{
    Text path = folder();
    if (path.len == 0) {
        text_free(&path);
        return NULL;
    }
    text_printf(&path, "/%s", name);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC);
    text_free(&path);
    if (fd < 0) return NULL;
    Header h;
    struct stat st;
    char *payload = NULL;
    if (fstat(fd, &st) == 0 && read_all(fd, &h, sizeof h) && h.size < MAX_ENTRY &&
        memcmp(h.magic, magic, sizeof magic) == 0 && (uint64_t)st.st_size == sizeof h + h.size &&
        (payload = malloc((size_t)h.size + 1))) {
        if (read_all(fd, payload, (size_t)h.size) &&
            checksum(name, payload, (size_t)h.size) == h.checksum) {
            payload[h.size] = '\0';
            *size = (size_t)h.size;
        } else {
            free(payload);
            payload = NULL;
        }
    }
    close(fd);
    return payload;
}

void cache_store(const char *name, const void *payload, size_t size)
{
    Text path = folder();
    if (path.len > 0) {
        make_folders(path.data);
        Text temporary = {0};
        text_printf(&temporary, "%s/.%s.XXXXXX", path.data, name);
        text_printf(&path, "/%s", name);
        Header h = {.size = size, .checksum = checksum(name, payload, size)};
        memcpy(h.magic, magic, sizeof magic);
        int fd = mkstemp(temporary.data);
        if (fd >= 0) {
            bool ok = write_all(fd, &h, sizeof h) && write_all(fd, payload, size);
            ok &= close(fd) == 0;
            if (!ok || rename(temporary.data, path.data) != 0) unlink(temporary.data);
        }
        text_free(&temporary);
    }
    text_free(&path);
}
