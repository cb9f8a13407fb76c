/* What the tests of .npy files share: a folder of their own, writing files byte by byte, loading
 * and saving, looking at elements and at the pending exception. */
#ifndef CS_TESTS_NPY_FILES_H
#define CS_TESTS_NPY_FILES_H

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../base/scalar.h"
#include "../../../base/text.h"
#include "../../../runtime/library/npy.h"

static const CsSite site = {"test", "test.cs$", 7, 3};
static char folder[64];

static inline void make_folder(void)
{
    strcpy(folder, "/tmp/cs-npy-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A path in the test's folder; the newest of a few stays valid. */
static const char *path(const char *name)
{
    static char room[4][128];
    static int next;
    char *p = room[next++ % 4];
    snprintf(p, sizeof room[0], "%s/%s", folder, name);
    return p;
}

static inline void *load(const char *file, ScalarKind elem, int rank)
{
    Str *s = rt_str_new(file, (int64_t)strlen(file));
    void *a = cs_npy_load(s, elem, rank, &site);
    ck_assert_int_eq(a == NULL, cs_pending);
    cs_release(s);
    return a;
}

static inline Array *numpy(const char *name, ScalarKind elem, int rank)
{
    char file[64];
    snprintf(file, sizeof file, "tests/npy/%s.npy", name);
    Array *a = load(file, elem, rank);
    ck_assert_msg(a != NULL, "%s", rt_pending_message());
    return a;
}

static inline void save(const char *file, void *a)
{
    Str *s = rt_str_new(file, (int64_t)strlen(file));
    cs_npy_save(s, a, &site);
    cs_release(s);
}

static inline void put(const char *file, const void *bytes, size_t n)
{
    FILE *f = fopen(file, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

/* Magic, version, length, dictionary, newline, data of n bytes. */
static inline void put_npy(const char *file, const char *dict, size_t n)
{
    Text t = {0};
    text_addn(&t, "\x93NUMPY\x01\x00", 8);
    size_t len = strlen(dict) + 1;
    text_addn(&t, (char[]){(char)(len & 255), (char)(len >> 8)}, 2);
    text_add(&t, dict);
    text_add(&t, "\n");
    for (size_t i = 0; i < n; i++) text_addn(&t, (char[]){(char)i}, 1);
    put(file, t.data, t.len);
    text_free(&t);
}

/* The pending message, which is one line and begins and holds so; it is forgotten. */
static inline void throws(const char *begin, const char *part)
{
    const char *m = rt_pending_message();
    ck_assert_msg(m != NULL, "no exception, expected \"%s...%s\"", begin, part);
    ck_assert_msg(strncmp(m, begin, strlen(begin)) == 0, "\"%s\" does not begin with \"%s\"", m,
                  begin);
    ck_assert_msg(strstr(m, part) != NULL, "\"%s\" has no \"%s\"", m, part);
    ck_assert_ptr_null(strchr(m, '\n'));
    rt_catch();
}

static inline ScalarValue element(Array *a, int64_t at)
{
    ScalarKind k = (ScalarKind)a->head.elem;
    return scalar_load((const char *)rt_array_data(a, &site) + (size_t)at * scalar_bytes(k), k);
}

static inline double number(Array *a, int64_t at)
{
    return scalar_convert(element(a, at), (ScalarKind)a->head.elem, SC_DOUBLE).f;
}

static inline void has_shape(const Array *a, int rank, const int64_t *n)
{
    ck_assert_int_eq(a->head.rank, rank);
    for (int d = 0; d < rank; d++) {
        ck_assert_int_eq(a->head.dim[d].n, n[d]);
        ck_assert_int_eq(a->head.dim[d].lo, 0);
    }
}

static inline Array *sample(ScalarKind kind, int rank, const int64_t *n)
{
    Array *a = rt_array_new(kind, rank, NULL, n, true, &site);
    char *p = rt_array_data(a, &site);
    for (int64_t i = 0; i < rt_array_count(a); i++) {
        ScalarValue v = scalar_convert((ScalarValue){.i = i * 37 - 50}, SC_LONG, kind);
        if (kind == SC_CHAR) v.i = 0x400 + i;
        scalar_store(p + (size_t)i * scalar_bytes(kind), kind, v);
    }
    return a;
}

#endif
