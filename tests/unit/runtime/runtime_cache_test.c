/* The disk cache: entries, whose they are, how many stay. */
#include "runtime_test.h"

#include "runtime_cache.h"

START_TEST(cache)
{
    char folder[] = "/tmp/csrt-test-XXXXXX", path[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deep/er", folder);
    setenv("CS_CACHE_DIR", path, 1);
    size_t size = 0;
    ck_assert_ptr_null(cache_load("k.cl", &size));
    for (int round = 0; round < 5; round++) {
        cache_store("k.cl", "some text", 9);
        char *text = cache_load("k.cl", &size);
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(size, 9);
        ck_assert_str_eq(text, "some text");
        mem_free(text);
        snprintf(path, sizeof path, "%s/deep/er/k.cl", folder);
        switch (round) {
        case 0: damage(path, 20, -1); break; /* cut off in the header */
        case 1: damage(path, 27, -1); break; /* and in the payload */
        case 2: damage(path, 25, 0); break;  /* a byte flipped */
        case 3: damage(path, 0, 2); break;   /* longer than it says */
        case 4: damage(path, 9, 0); break;   /* a wrong size */
        }
        ck_assert_ptr_null(cache_load("k.cl", &size));
    }
    char other[160]; /* under a wrong name */
    cache_store("k.cl", "some text", 9);
    snprintf(other, sizeof other, "%s/deep/er/j.cl", folder);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_ptr_null(cache_load("j.cl", &size));
    unlink(other);
    setenv("CS_CACHE_DIR", "", 1); /* none */
    cache_store("k.cl", "x", 1);
    ck_assert_ptr_null(cache_load("k.cl", &size));
    setenv("CS_CACHE_DIR", "/dev/null/x", 1); /* unwritable */
    cache_store("k.cl", "x", 1);
    ck_assert_ptr_null(cache_load("k.cl", &size));
    snprintf(path, sizeof path, "%s/deep/er", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/deep", folder);
    rmdir(path);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

enum { NOBODY = 65534 };

static bool loads(const char *name)
{
    size_t size;
    char *text = cache_load(name, &size);
    bool there = text != NULL;
    mem_free(text);
    return there;
}

/* Entries and folders that others have made, or can write, do not count; whatever lies under an
 * entry's name is not waited for. */
START_TEST(cache_trust)
{
    char folder[] = "/tmp/csrt-test-XXXXXX", inner[64], entry[96], alias[64];
    struct stat st;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/cache", folder);
    snprintf(entry, sizeof entry, "%s/k.cl", inner);
    snprintf(alias, sizeof alias, "%s/link", folder);
    setenv("CS_CACHE_DIR", inner, 1);
    mode_t mask = umask(0);
    cache_store("k.cl", "some text", 9);
    umask(mask);
    ck_assert(loads("k.cl"));
    ck_assert_int_eq(stat(inner, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(entry, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    static const mode_t open_modes[] = {0620, 0602, 0666};
    for (size_t i = 0; i < sizeof open_modes / sizeof *open_modes; i++) {
        ck_assert_int_eq(chmod(entry, open_modes[i]), 0);
        ck_assert(!loads("k.cl"));
    }
    ck_assert_int_eq(chmod(entry, 0644), 0);
    ck_assert(loads("k.cl"));
    static const mode_t folder_modes[] = {0770, 0707, 01777};
    for (size_t i = 0; i < sizeof folder_modes / sizeof *folder_modes; i++) {
        ck_assert_int_eq(chmod(inner, folder_modes[i]), 0);
        ck_assert(!loads("k.cl"));
        cache_store("j.cl", "x", 1);
    }
    ck_assert_int_eq(chmod(inner, 0755), 0);
    ck_assert(loads("k.cl"));
    ck_assert(!loads("j.cl"));
    if (geteuid() == 0) { /* who else can give files away? */
        ck_assert_int_eq(chown(entry, NOBODY, NOBODY), 0);
        ck_assert(!loads("k.cl"));
        ck_assert_int_eq(chown(entry, 0, 0), 0);
        ck_assert_int_eq(chown(inner, NOBODY, NOBODY), 0);
        ck_assert(!loads("k.cl"));
        ck_assert_int_eq(chown(inner, 0, 0), 0);
    }
    ck_assert_int_eq(symlink("cache", alias), 0); /* a folder may be a alias, an entry may not */
    setenv("CS_CACHE_DIR", alias, 1);
    ck_assert(loads("k.cl"));
    char away[96];
    snprintf(away, sizeof away, "%s/away", inner);
    ck_assert_int_eq(rename(entry, away), 0);
    ck_assert_int_eq(symlink("away", entry), 0);
    ck_assert(!loads("k.cl"));
    cache_store("k.cl", "other", 5); /* replaces the alias, not what it points to */
    ck_assert_int_eq(lstat(entry, &st), 0);
    ck_assert(S_ISREG(st.st_mode));
    ck_assert_int_eq(unlink(entry), 0);
    ck_assert_int_eq(mkfifo(entry, 0600), 0);
    ck_assert(!loads("k.cl"));
    cache_store("k.cl", "some text", 9);
    ck_assert(loads("k.cl"));
    ck_assert_int_eq(unlink(entry), 0);
    ck_assert_int_eq(mkdir(entry, 0700), 0);
    ck_assert(!loads("k.cl"));
    cache_store("k.cl", "some text", 9);
    ck_assert(!loads("k.cl"));
    ck_assert_int_eq(rmdir(entry), 0);
    ck_assert_int_eq(each_file(inner, true), 1); /* no temporaries are left */
    ck_assert_int_eq(rmdir(inner), 0);
    ck_assert_int_eq(mkfifo(inner, 0600), 0); /* in the folder's place */
    ck_assert(!loads("k.cl"));
    cache_store("k.cl", "some text", 9);
    ck_assert_int_eq(unlink(inner), 0);
    ck_assert_int_eq(unlink(alias), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* A name of an entry. */
static void entry_name(int k, char name[64])
{
    snprintf(name, 64, "%032x.bin", k);
}

static bool is_cached(int k)
{
    char name[64];
    size_t size;
    entry_name(k, name);
    char *payload = cache_load(name, &size);
    mem_free(payload);
    return payload != NULL;
}

/* The least recently used entries go when the folder is full; files of others stay. */
START_TEST(cache_limit)
{
    char folder[] = "/tmp/csrt-test-XXXXXX", name[64], path[128];
    static char payload[10000];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("CS_CACHE_DIR", folder, 1);
    setenv("CS_CACHE_LIMIT", "100K", 1);
    snprintf(path, sizeof path, "%s/note.txt", folder);
    FILE *note = fopen(path, "w");
    ck_assert_ptr_nonnull(note);
    fclose(note);
    for (int k = 0; k < 10; k++) { /* all fit; older the lower k is */
        entry_name(k, name);
        cache_store(name, payload, sizeof payload);
        char entry[200];
        snprintf(entry, sizeof entry, "%s/%s", folder, name);
        struct timespec long_ago[2] = {{.tv_sec = 1000000 + k}, {.tv_sec = 1000000 + k}};
        ck_assert_int_eq(utimensat(AT_FDCWD, entry, long_ago, 0), 0);
    }
    ck_assert(is_cached(0)); /* used again */
    for (int k = 10; k < 12; k++) {
        entry_name(k, name);
        cache_store(name, payload, sizeof payload);
    }
    ck_assert(is_cached(0));
    ck_assert(!is_cached(1));
    ck_assert(!is_cached(2));
    ck_assert(is_cached(9));
    ck_assert(is_cached(10));
    ck_assert(is_cached(11));
    rt.cached = 0; /* another program: it looks at the folder when it writes first */
    setenv("CS_CACHE_LIMIT", "20K", 1);
    cache_store(name, payload, sizeof payload);
    ck_assert(!is_cached(9));
    ck_assert(is_cached(11));
    ck_assert_int_eq(access(path, F_OK), 0);
    unsetenv("CS_CACHE_LIMIT");
    each_file(folder, true);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {cache, cache_trust, cache_limit};
    return run_tests("runtime cache", tests, (int)(sizeof tests / sizeof *tests));
}
