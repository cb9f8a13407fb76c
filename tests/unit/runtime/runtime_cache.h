/* Damage to files, for tests of the cache. */
#ifndef CS_TESTS_RUNTIME_CACHE_H
#define CS_TESTS_RUNTIME_CACHE_H

#include "runtime_test.h"

SHARED void damage(const char *path, long at, int what)
{
    FILE *f = fopen(path, "r+b");
    ck_assert_ptr_nonnull(f);
    if (what < 0) {
        ck_assert_int_eq(ftruncate(fileno(f), at), 0);
    } else {
        fseek(f, at, what == 2 ? SEEK_END : SEEK_SET);
        fputc(0x5A ^ what, f);
    }
    fclose(f);
}

/* Flips a byte in the middle of every file of a folder; or removes it. Returns how many there were.
 */
SHARED int each_file(const char *folder, bool erase)
{
    int count = 0;
    DIR *d = opendir(folder);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        count++;
        if (erase)
            unlink(path);
        else
            damage(path, (long)st.st_size / 2, 0);
    }
    closedir(d);
    return count;
}

#endif
