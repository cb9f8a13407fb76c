/* Files that are saved whole or not at all (save.h): written to a temporary file in the folder of
 * the target, brought to disk and renamed over it; on any failure the temporary goes and the target
 * stays as it was. A target that is no regular file (a pipe, /dev/stdout) is written directly. */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"

enum { MOST_AT_ONCE = 1 << 30, TEMPORARIES = 1000 };

/* Throws "cannot write PATH: why". */
static bool save_fail(const Save *s, const char *why)
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
    case ENOENT: return save_fail(s, "its folder does not exist; create it first");
    case ENOTDIR: return save_fail(s, "what should be its folder is a file");
    case EACCES:
    case EPERM: return save_fail(s, "no permission to write there");
    case EROFS: return save_fail(s, "the file system is read-only");
    case EISDIR: return save_fail(s, "it is a folder");
    case ENOSPC: return save_fail(s, "the disk is full");
    case EDQUOT: return save_fail(s, "the disk quota is used up");
    case EFBIG: return save_fail(s, "the file system does not take files so large");
    default: return save_fail(s, strerror(err));
    }
}

bool save_write(Save *s, const void *data, size_t n)
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
        text_printf(&name, "%s.csc-%ld-%d.tmp", folder, (long)getpid(), i);
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

bool save_open(Save *s, const Str *path, const CsSite *site)
{
    struct stat st;
    *s = (Save){.path = "", .site = site, .fd = -1};
    if (!path || path->len == 0) {
        rt_throw(RT_IO, s->site, "cannot write a file: its name is empty");
        return false;
    }
    s->path = path->bytes;
    if ((int64_t)strlen(path->bytes) != path->len)
        return save_fail(s, "the name of a file cannot have a NUL character");
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
            return errno == EACCES ? save_fail(s, "it is write-protected") : fail_errno(s, errno);
        return open_temporary(s, &st);
    }
    s->fd = open(s->target, O_WRONLY | O_CLOEXEC);
    return s->fd >= 0 || fail_errno(s, errno);
}

/* Closes the file and gives it its name. */
bool save_finish(Save *s)
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

void save_end(Save *s)
{
    if (s->fd >= 0) close(s->fd);
    if (s->temporary) unlink(s->temporary);
    free(s->temporary);
    free(s->target);
}
