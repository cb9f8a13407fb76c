/* Npy.Save: whole or not at all. The array is written to a temporary file in the folder of the
 * target, brought to disk and renamed over it; on any failure the temporary goes and the target
 * stays as it was. A target that is no regular file (a pipe, /dev/stdout) is written directly. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy.h"
#include "record.h"
#include "state.h"
#include "str.h"

enum { MOST_AT_ONCE = 1 << 30, TEMPORARIES = 1000 };

typedef struct Save {
    const char *path; /* as the user gave it */
    const CsSite *site;
    char *target; /* links followed */
    char *temporary;
    int fd;
} Save;

static bool fail(const Save *s, const char *why)
{
    Text t = {0};
    text_add_path(&t, s->path);
    rt_throw(RT_IO, s->site, "cannot write %s: %s", t.data, why);
    text_free(&t);
    return false;
}

static bool fail_errno(const Save *s, int err)
{
    switch (err) {
    case ENOENT: return fail(s, "its folder does not exist; create it first");
    case ENOTDIR: return fail(s, "what should be its folder is a file");
    case EACCES:
    case EPERM: return fail(s, "no permission to write there");
    case EROFS: return fail(s, "the file system is read-only");
    case EISDIR: return fail(s, "it is a folder");
    case ENOSPC: return fail(s, "the disk is full");
    case EDQUOT: return fail(s, "the disk quota is used up");
    case EFBIG: return fail(s, "the file system does not take files so large");
    default: return fail(s, strerror(err));
    }
}

static bool write_all(Save *s, const void *data, size_t n)
{
    const char *p = data;
    while (n) {
        ssize_t w = write(s->fd, p, n < MOST_AT_ONCE ? n : MOST_AT_ONCE);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) return fail_errno(s, errno);
        p += w;
        n -= (size_t)w;
    }
    return true;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

/* Opens a new file beside the target, with the rights of the file it will replace. */
static bool open_temporary(Save *s, const struct stat *old)
{
    char *folder = folder_of(s->target);
    for (int i = 0; folder && i < TEMPORARIES; i++) {
        Text name = {0};
        text_printf(&name, "%s.npy-%ld-%d.tmp", folder, (long)getpid(), i);
        free(s->temporary);
        s->temporary = text_take(&name);
        s->fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (s->fd >= 0 || errno != EEXIST) break;
    }
    int err = errno;
    free(folder);
    if (s->fd < 0) {
        free(s->temporary);
        s->temporary = NULL;
        return fail_errno(s, err);
    }
    if (old) { /* both as far as the user may */
        if (fchown(s->fd, old->st_uid, old->st_gid) != 0) errno = 0;
        if (fchmod(s->fd, old->st_mode & 0777) != 0) errno = 0;
    }
    return true;
}

static bool open_target(Save *s, const Str *path)
{
    struct stat st;
    if (!path || path->len == 0) {
        rt_throw(RT_IO, s->site, "cannot write a file: its name is empty");
        return false;
    }
    s->path = path->bytes;
    if ((int64_t)strlen(path->bytes) != path->len)
        return fail(s, "the name of a file cannot have a NUL character");
    s->target = realpath(s->path, NULL); /* NULL: it is new */
    if (!s->target) s->target = strdup(s->path);
    if (!s->target) return rt_throw_memory(s->site, (size_t)path->len), false;
    if (stat(s->target, &st) != 0) {
        if (errno != ENOENT) return fail_errno(s, errno);
        if (s->target[strlen(s->target) - 1] == '/') return fail_errno(s, EISDIR);
        return open_temporary(s, NULL);
    }
    if (S_ISDIR(st.st_mode)) return fail_errno(s, EISDIR);
    if (S_ISREG(st.st_mode)) {
        if (access(s->target, W_OK) != 0)
            return errno == EACCES ? fail(s, "it is write-protected") : fail_errno(s, errno);
        return open_temporary(s, &st);
    }
    s->fd = open(s->target, O_WRONLY | O_CLOEXEC);
    return s->fd >= 0 || fail_errno(s, errno);
}

static bool write_array(Save *s, Array *a)
{
    Text header = {0};
    npy_header_write(&header, &a->head);
    bool good = write_all(s, header.data, header.len);
    text_free(&header);
    size_t bytes = (size_t)rt_array_count(a) * scalar_bytes((ScalarKind)a->head.elem);
    if (!good || bytes == 0) return good;
    const void *data = rt_array_data(a, s->site);
    return data && write_all(s, data, bytes);
}

/* Closes the file and gives it its name. */
static bool finish(Save *s)
{
    if (s->temporary && fsync(s->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        return fail_errno(s, errno);
    int fd = s->fd;
    s->fd = -1;
    if (close(fd) != 0 && errno != EINTR) return fail_errno(s, errno);
    if (!s->temporary) return true;
    if (rename(s->temporary, s->target) != 0) return fail_errno(s, errno);
    free(s->temporary);
    s->temporary = NULL;
    char *folder = folder_of(s->target); /* the name too should outlive a crash: best effort */
    fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
    return true;
}

static bool finite(void *fn, const CsSite *site)
{
    FdBox room;
    const FdBox *box = rt_box_of(fn, &room);
    for (int d = 0; d < box->rank; d++)
        if (box->dim[d].full) {
            Text type = {0};
            text_add_type(&type, rt_type_of(fn));
            rt_throw(RT_DOMAIN, site,
                     "Npy.Save needs a finite domain, and this %s has none: give it a range, as in "
                     "let(i : 0..n) f(i)",
                     type.data);
            text_free(&type);
            return false;
        }
    return true;
}

void cs_npy_save(void *path, void *fn, const CsSite *site)
{
    Save s = {.path = "", .site = site, .fd = -1};
    Array *a = finite(fn, site) ? cs_force(fn, site) : NULL;
    if (!a) return;
    if (a->head.elem == CS_ELEM_REF)
        rt_throw(RT_IO, site, "an .npy file holds numbers, so this array cannot be saved in one");
    else if (elem_is_record(a->head.elem))
        rt_throw(RT_IO, site,
                 "an .npy file holds numbers, so an array of %s cannot be saved in one; its fields "
                 "can, as in f.x",
                 rt.program->records[a->head.elem - CS_ELEM_RECORD].title);
    else if (open_target(&s, path) && write_array(&s, a))
        finish(&s);
    if (s.fd >= 0) close(s.fd);
    if (s.temporary) unlink(s.temporary);
    free(s.temporary);
    free(s.target);
    cs_release(a);
}
