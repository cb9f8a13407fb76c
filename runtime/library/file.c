/* The class File. Texts are UTF-8; a byte order mark in front of one is left out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../objects/format.h"
#include "../objects/str.h"
#include "../ranks/ranks.h"
#include "save.h"

static void fail(const char *doing, const Str *path, int err, const CsSite *site)
{
    Text t = {0};
    text_add_path(&t, path ? path->bytes : "");
    rt_throw(RT_IO, site, "cannot %s %s: %s", doing, path && path->len ? t.data : "''",
             err == ENOENT   ? "there is no such file"
             : err == EACCES ? "no permission"
                             : save_reason(err));
    text_free(&t);
}

/* False with an exception pending. */
static bool read_file(const Str *path, Text *out, const CsSite *site)
{
    struct stat st;
    int fd = path ? open(path->bytes, O_RDONLY | O_CLOEXEC) : -1;
    int err = fd < 0 ? (path ? errno : ENOENT) : 0;
    if (!err && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) err = EISDIR;
    char block[1 << 16];
    while (!err) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) err = errno;
        if (n <= 0 || out->failed) break;
        text_addn(out, block, (size_t)n);
    }
    if (fd >= 0) close(fd);
    if (!err && !out->failed) return true;
    text_free(out);
    if (err) fail("read", path, err, site);
    rt_site(site);
    return false;
}

/* The bytes of a file; false with an exception pending. */
static bool read_all(const Str *path, Text *out, const CsSite *site)
{
    if (ranks_first()) read_file(path, out, site);
    if (ranks_tell_text(RANKS_READS, out, site)) return true;
    text_free(out);
    return false;
}

static size_t mark_of(const Text *t)
{
    return t->len >= 3 && memcmp(t->data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

void *cs_file_read_all_text(void *path, const CsSite *site)
{
    Text t = {0};
    if (!read_all(path, &t, site)) return NULL;
    size_t mark = mark_of(&t);
    Str *s = rt_str_new(t.len ? t.data + mark : "", (int64_t)(t.len - mark));
    text_free(&t);
    return rt_str_at(s, site);
}

/* A byte[] of them. */
static void *bytes_of(const char *data, size_t len, const CsSite *site)
{
    int64_t n = (int64_t)len;
    void *bytes = cs_array_new(SC_BYTE, 1, &n, site);
    char *to = bytes && n ? cs_array_write(&bytes, site) : NULL;
    if (to) memcpy(to, data, len);
    if (to || !n) return bytes;
    cs_release(bytes);
    return NULL;
}

void *cs_file_read_all_bytes(void *path, const CsSite *site)
{
    Text t = {0};
    if (!read_all(path, &t, site)) return NULL;
    void *bytes = NULL;
    if (t.len > INT32_MAX)
        fail("read", path, EFBIG, site);
    else
        bytes = bytes_of(t.data, t.len, site);
    text_free(&t);
    return bytes;
}

void *cs_text_bytes(void *text, const CsSite *site)
{
    const Str *s = text;
    return bytes_of(s ? s->bytes : "", s ? (size_t)s->len : 0, site);
}

void *cs_bytes_text(void *bytes, int32_t from, int32_t n, const CsSite *site)
{
    Array *a = bytes;
    int64_t at = (int64_t)from - a->head.dim[0].lo, count = rt_array_count(a);
    if (at < 0 || n < 0 || at > count - n) {
        rt_throw(RT_RANGE, site, "%d bytes from %d of %lld", n, from, (long long)count);
        return NULL;
    }
    const char *data = n ? rt_array_data(a, site) : "";
    return data ? rt_str_at(rt_str_new(n ? data + at : "", n), site) : NULL;
}

/* The line from *at on, without its end; *at moves behind it. */
static Str *take_line(const char **at, const char *end)
{
    const char *from = *at, *stop = memchr(from, '\n', (size_t)(end - from));
    *at = stop ? stop + 1 : end;
    if (!stop) stop = end;
    if (stop > from && stop[-1] == '\r') stop--;
    return rt_str_new(from, stop - from);
}

void *cs_file_read_all_lines(void *path, const CsSite *site)
{
    Text t = {0};
    if (!read_all(path, &t, site)) return NULL;
    int64_t n = 0;
    const char *from = t.len ? t.data + mark_of(&t) : "", *end = t.len ? t.data + t.len : from;
    for (const char *at = from; at < end; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    void *lines = cs_array_new(CS_ELEM_REF, 1, &n, site);
    void **to = lines ? cs_array_write(&lines, site) : NULL;
    bool good = true;
    for (int64_t i = 0; to && good && i < n; i++) good = (to[i] = take_line(&from, end)) != NULL;
    text_free(&t);
    if (good) return lines;
    cs_release(lines);
    rt_site(site);
    return NULL;
}

static void write_text(void *path, const char *bytes, size_t len, const CsSite *site)
{
    Save s;
    ranks_note(bytes, len);
    if (save_open(&s, path, site) && save_write(&s, bytes, len)) save_finish(&s);
    save_end(&s);
}

void cs_file_write_all_text(void *path, void *text, const CsSite *site)
{
    const Str *s = text;
    write_text(path, s ? s->bytes : "", s ? (size_t)s->len : 0, site);
}

void cs_file_write_all_lines(void *path, void *lines, const CsSite *site)
{
    Array *a = lines ? cs_force(lines, site) : NULL;
    if (lines && !a) return;
    Text t = {0};
    int64_t n = a ? rt_array_count(a) : 0;
    const char *data = n ? rt_array_data(a, site) : NULL;
    bool good = n == 0 || data;
    for (int64_t i = 0; good && i < n; i++) {
        good = text_add_element(&t, a, data, i, NULL, site);
        text_add(&t, "\n");
    }
    rt_site(site);
    if (good && !t.failed) write_text(path, t.len ? t.data : "", t.len, site);
    text_free(&t);
    cs_release(a);
}

void cs_file_write_all_bytes(void *path, void *bytes, const CsSite *site)
{
    int64_t n = rt_array_count(bytes);
    const char *data = n ? rt_array_data(bytes, site) : "";
    if (data) write_text(path, data, (size_t)n, site);
}

/* In one piece: what does not fit is taken back. */
static void append(const Str *file, const Str *s, const CsSite *site)
{
    int fd = file ? open(file->bytes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    struct stat st;
    int err = fd < 0 || fstat(fd, &st) != 0 ? (file ? errno : ENOENT) : 0;
    size_t done = 0, len = s ? (size_t)s->len : 0;
    while (!err && done < len) {
        ssize_t n = write(fd, s->bytes + done, len - done);
        if (n < 0 && errno != EINTR) err = errno;
        if (n > 0) done += (size_t)n;
    }
    if (err && done && ftruncate(fd, st.st_size) != 0) errno = 0;
    if (fd >= 0 && close(fd) != 0 && !err) err = errno;
    if (err) fail("write", file, err, site);
}

void cs_file_append_all_text(void *path, void *text, const CsSite *site)
{
    if (ranks_first()) append(path, text, site);
    ranks_outcome(RANKS_WRITES, site);
}

int32_t cs_file_exists(void *path)
{
    struct stat st;
    const Str *s = path;
    bool there = s && stat(s->bytes, &st) == 0 && !S_ISDIR(st.st_mode);
    return (int32_t)ranks_tell_number(RANKS_ASKS, there, NULL);
}

/* A file that is not there is deleted already, as in C#. */
static void delete_file(const Str *s, const CsSite *site)
{
    if (s && unlink(s->bytes) == 0) return;
    if (!s || errno != ENOENT) fail("delete", s, s ? errno : ENOENT, site);
}

void cs_file_delete(void *path, const CsSite *site)
{
    if (ranks_first()) delete_file(path, site);
    ranks_outcome(RANKS_WRITES, site);
}
