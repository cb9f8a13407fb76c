/* Entries are files of the cache folder: a header with size and checksum, then the payload. They
 * are written to a temporary and renamed, so readers see whole entries only, whoever else writes.
 * The checksum is seeded with the entry's name: an entry under a wrong name is a miss too.
 * A checksum says that an entry is whole, not who made it, and what is in it will run: folder and
 * entry must be the user's, writable by nobody else. Both are asked of what was opened. */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../vec.h"
#include "output.h"

typedef struct Header {
    char magic[8];
    uint64_t size, checksum; /* of the payload */
} Header;

static const char magic[8] = "C$cache1";
static const uint64_t MAX_ENTRY = UINT64_C(1) << 30;
enum { DEFAULT_LIMIT = 256 << 20, ABANDONED = 3600 /* seconds */ };

/* A program that gained rights by its file goes where the environment says in no case. */
Text cache_path(void)
{
    Text t = {0};
    if (getauxval(AT_SECURE)) return t;
    const char *own = getenv("CS_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own)
        text_add(&t, own);
    else if (xdg && *xdg == '/') /* by its definition a relative one does not count */
        text_printf(&t, "%s/cs-dollar", xdg);
    else if (home && *home)
        text_printf(&t, "%s/.cache/cs-dollar", home);
    return t;
}

static bool is_own(const struct stat *st)
{
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int cache_folder(const char *path, bool make)
{
    Text t = {0};
    text_add(&t, path);
    for (size_t i = 1; make && i <= t.len; i++) /* each on the way, then itself */
        if (t.data[i] == '/' || t.data[i] == '\0') {
            char c = t.data[i];
            t.data[i] = '\0';
            mkdir(t.data, S_IRWXU);
            t.data[i] = c;
        }
    struct stat st;
    int fd = t.len ? open(t.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    text_free(&t);
    if (fd < 0 || (fstat(fd, &st) == 0 && is_own(&st))) return fd;
    close(fd);
    return -1;
}

static int open_folder(bool make)
{
    Text path = cache_path();
    int fd = path.len ? cache_folder(path.data, make) : -1;
    text_free(&path);
    return fd;
}

bool cache_is_there(void)
{
    int fd = open_folder(true);
    if (fd >= 0) close(fd);
    return fd >= 0;
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

/* ---- the limit: least recently used entries go -------------------------------------- */

typedef struct Entry {
    struct timespec used; /* time of the last change: cache_read sets it */
    uint64_t size;
    char name[64];
} Entry;

static int by_age(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Is a name that of an entry (KEY and a kind), or of a temporary of one? The folder may hold files
 * that are not ours. */
static bool is_ours(const char *name, bool *temporary)
{
    static const char *const kinds[] = {".cl", ".bin", ".o", ".x"};
    *temporary = name[0] == '.';
    name += *temporary;
    size_t key = strspn(name, "0123456789abcdef");
    for (size_t k = 0; key == 32 && k < sizeof kinds / sizeof *kinds; k++) {
        size_t n = strlen(kinds[k]);
        const char *rest = name + key + n;
        if (strncmp(name + key, kinds[k], n) != 0) continue;
        if (*temporary ? *rest == '.' && strlen(rest) == 7 : *rest == '\0') return true;
    }
    return false;
}

/* Brings the folder down to three quarters of the limit if it is above. Returns its size. Others
 * may do the same meanwhile: whatever cannot be removed is gone already. */
static uint64_t evict(int fd, uint64_t limit)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = own >= 0 ? fdopendir(own) : NULL;
    if (!folder && own >= 0) close(own);
    if (!folder) return 0;
    VEC(Entry) entries = {0};
    uint64_t total = 0;
    time_t now = time(NULL);
    for (struct dirent *e; (e = readdir(folder));) {
        struct stat st;
        bool temporary;
        if (!is_ours(e->d_name, &temporary)) continue;
        if (fstatat(dirfd(folder), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (temporary) {
            if (now - st.st_mtime > ABANDONED) unlinkat(dirfd(folder), e->d_name, 0);
            continue;
        }
        Entry entry = {.used = st.st_mtim, .size = (uint64_t)st.st_size};
        snprintf(entry.name, sizeof entry.name, "%.63s", e->d_name);
        if (!vec_try(&entries)) break; /* those not seen stay */
        vec_push(&entries, entry);
        total += entry.size;
    }
    if (total > limit) {
        qsort(entries.data, entries.len, sizeof *entries.data, by_age);
        for (size_t i = 0; i < entries.len && total > limit / 4 * 3; i++) {
            unlinkat(dirfd(folder), entries.data[i].name, 0);
            total -= entries.data[i].size;
        }
    }
    closedir(folder);
    vec_free(&entries);
    return total;
}

/* After an entry was written: the folder is looked at when a process writes its first, and again
 * when what it wrote since may have filled the folder. */
static void keep_below_limit(int folder, uint64_t written, uint64_t *held)
{
    const char *given = getenv("CS_CACHE_LIMIT");
    size_t limit = DEFAULT_LIMIT;
    if (given && *given)
        mem_size_from_text(given, &limit); /* the runtime refuses what is no size */
    bool first = *held == 0;
    *held += written;
    if (first || *held > limit) *held = evict(folder, limit);
}

/* ---- entries ------------------------------------------------------------------------ */

/* Anything can lie under an entry's name: what is no file is neither waited for nor followed. */
static int open_entry(const char *name, struct stat *st)
{
    int folder = open_folder(false);
    if (folder < 0) return -1;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    close(folder);
    if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && is_own(st))) return fd;
    close(fd);
    return -1;
}

char *cache_read(const char *name, size_t *size)
{
    struct stat st;
    int fd = open_entry(name, &st);
    if (fd < 0) return NULL;
    Header h;
    char *payload = NULL;
    if (read_all(fd, &h, sizeof h) && h.size < MAX_ENTRY &&
        memcmp(h.magic, magic, sizeof magic) == 0 && (uint64_t)st.st_size == sizeof h + h.size &&
        (payload = mem_alloc((size_t)h.size + 1))) {
        if (read_all(fd, payload, (size_t)h.size) &&
            checksum(name, payload, (size_t)h.size) == h.checksum) {
            payload[h.size] = '\0';
            *size = (size_t)h.size;
            futimens(fd, NULL); /* used now; a folder that is read-only stays as it is */
        } else {
            mem_free(payload);
            payload = NULL;
        }
    }
    close(fd);
    return payload;
}

/* A new file beside the entry, its name in `temporary`; -1 if there can be none. */
static int open_temporary(int folder, const char *name, Text *temporary)
{
    enum { ATTEMPTS = 100 };
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t random = 0;
        char suffix[7] = "";
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random = (uint64_t)getpid() * ATTEMPTS + (uint64_t)i;
        for (int k = 0; k < 6; k++) suffix[k] = digits[random >> (5 * k) & 31];
        text_free(temporary);
        text_printf(temporary, ".%s.%s", name, suffix);
        int fd = openat(folder, temporary->data,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

void cache_write(const char *name, const void *payload, size_t size, uint64_t *held)
{
    int folder = open_folder(true);
    if (folder < 0) return;
    Text temporary = {0};
    Header h = {.size = size, .checksum = checksum(name, payload, size)};
    memcpy(h.magic, magic, sizeof magic);
    sigset_t before = process_hold(); /* a signal leaves no temporary */
    int fd = open_temporary(folder, name, &temporary);
    if (fd >= 0) {
        bool ok = output_to(fd, &h, sizeof h) == 0 && output_to(fd, payload, size) == 0;
        ok &= close(fd) == 0;
        if (ok && renameat(folder, temporary.data, folder, name) == 0)
            keep_below_limit(folder, sizeof h + size, held);
        else
            unlinkat(folder, temporary.data, 0);
    }
    process_release(before);
    text_free(&temporary);
    close(folder);
}
