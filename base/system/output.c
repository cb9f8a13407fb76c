/* See output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../mem.h"
#include "../text.h"

enum { MOST_AT_ONCE = 1 << 30, TEMPORARIES = 1000, MAX_LINKS = 40, BLOCK = 1 << 16 };

/* ---- names ------------------------------------------------------------------------------- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *copy_of(const char *s, size_t n)
{
    Text t = {0};
    text_addn(&t, s, n);
    return text_take(&t);
}

static char *folder_of(const char *path)
{
    size_t n = folder_length(path);
    return copy_of(n ? path : "./", n ? n : 2);
}

/* What `path` names in the end, a block; NULL with errno set. */
static char *follow(const char *path)
{
    char *at = copy_of(path, strlen(path)), link[PATH_MAX];
    for (int i = 0; at && i < MAX_LINKS; i++) {
        ssize_t n = readlink(at, link, sizeof link);
        if (n < 0) return at; /* no link, or nothing yet */
        Text next = {0};
        if (link[0] != '/') text_addn(&next, at, folder_length(at));
        text_addn(&next, link, (size_t)n);
        mem_free(at);
        at = text_take(&next);
    }
    mem_free(at);
    errno = at ? ELOOP : ENOMEM;
    return NULL;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The standard stream that is this very file, or -1. */
static int own_stream(const struct stat *st)
{
    struct stat own;
    for (int fd = 1; fd <= 2; fd++)
        if (fstat(fd, &own) == 0 && same_file(&own, st)) return fd;
    return -1;
}

/* ---- temporaries --------------------------------------------------------------------------- */

/* Gives the file a name in the folder: a new one (fd < 0), or that of fd. */
static int name_temporary(Output *o, const char *folder, int fd, mode_t mode)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    int err = EEXIST;
    for (int i = 0; err == EEXIST && i < TEMPORARIES; i++) {
        Text name = {0};
        text_printf(&name, "%s.csc-%ld-%d.tmp", folder, (long)getpid(), i);
        int made = fd < 0 ? open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
                          : linkat(AT_FDCWD, self, AT_FDCWD, name.data, AT_SYMLINK_FOLLOW);
        err = made < 0 ? errno : 0;
        if (err) {
            text_free(&name);
            continue;
        }
        if (fd < 0) o->fd = made;
        o->temporary.path = text_take(&name);
        process_add_leftover(&o->temporary);
    }
    return err;
}

static int open_in(Output *o, const char *folder, mode_t mode)
{
    if (access("/proc/self/fd", X_OK) == 0) /* else it could not be given a name */
        o->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (o->fd >= 0) return 0;
    sigset_t before = process_hold();
    int err = name_temporary(o, folder, -1, mode);
    process_release(before);
    return err;
}

static void drop_name(Output *o)
{
    if (!o->temporary.path) return;
    process_take_leftover(&o->temporary);
    mem_free((char *)o->temporary.path);
    o->temporary.path = NULL;
}

static bool is_refusal(int err)
{
    return err == EACCES || err == EPERM || err == EROFS || err == EBUSY;
}

static int open_temporary(Output *o, const struct stat *old, mode_t mode)
{
    char *folder = folder_of(o->target);
    if (!folder) return ENOMEM;
    int err = open_in(o, folder, mode);
    mem_free(folder);
    if (old && is_refusal(err)) {
        const char *dir = getenv("TMPDIR");
        Text t = {0};
        text_printf(&t, "%s/", dir && *dir ? dir : "/tmp");
        err = open_in(o, t.data, mode);
        text_free(&t);
        o->in_place = true;
    }
    struct stat new;
    if (err || fstat(o->fd, &new) != 0) return err ? err : errno;
    o->mode = new.st_mode & 0777;
    if (old) { /* both as far as the user may */
        o->mode = (old->st_mode & 0777) | (o->mode & 0111);
        if (fchown(o->fd, old->st_uid, old->st_gid) != 0) errno = 0;
        if (fchmod(o->fd, o->mode) != 0) errno = 0;
    }
    return 0;
}

/* ---- opening, writing ------------------------------------------------------------------------ */

int output_open(Output *o, const char *path, mode_t mode)
{
    struct stat st, found;
    *o = (Output){.fd = -1};
    if (stat(path, &st) == 0)
        o->exists = true;
    else if (errno != ENOENT)
        return errno;
    else if (*path && path[strlen(path) - 1] == '/')
        return EISDIR;
    if (o->exists && S_ISDIR(st.st_mode)) return EISDIR;
    int own = o->exists ? own_stream(&st) : -1;
    if (own >= 0) {
        o->fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
        return o->fd < 0 ? errno : 0;
    }
    if (o->exists && access(path, W_OK) != 0) return errno;
    o->target = follow(path);
    if (!o->target) return errno;
    bool regular = o->exists && S_ISREG(st.st_mode);
    /* names in /proc lead to files that have no name */
    bool named = regular && lstat(o->target, &found) == 0 && same_file(&st, &found);
    if (!o->exists || named) return open_temporary(o, o->exists ? &st : NULL, mode);
    mem_free(o->target);
    o->target = NULL;
    o->fd = open(path, O_WRONLY | O_CLOEXEC | (regular ? O_TRUNC : 0));
    return o->fd < 0 ? errno : 0;
}

int output_to(int fd, const void *data, size_t bytes)
{
    const char *p = data;
    for (size_t n = bytes; n;) {
        ssize_t w = write(fd, p, n < MOST_AT_ONCE ? n : MOST_AT_ONCE);
        if (w < 0 && errno != EINTR) return errno;
        if (w < 0) continue;
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

int output_write(Output *o, const void *data, size_t bytes)
{
    return output_to(o->fd, data, bytes);
}

/* ---- finishing ------------------------------------------------------------------------------- */

static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* The name too should outlive a crash: best effort. */
static void sync_folder(const char *target)
{
    char *folder = folder_of(target);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    mem_free(folder);
}

/* No signal comes between the name and its change. */
static int replace(Output *o)
{
    char *folder = folder_of(o->target);
    if (!folder) return ENOMEM;
    sigset_t before = process_hold();
    int err = o->temporary.path ? 0 : name_temporary(o, folder, o->fd, 0);
    if (!err && rename(o->temporary.path, o->target) != 0) err = errno;
    if (!err) drop_name(o);
    process_release(before);
    mem_free(folder);
    return err;
}

/* Room is made first, so that a full disk leaves the old bytes as they were. */
static int copy_over(const Output *o)
{
    char block[BLOCK];
    off_t size = lseek(o->fd, 0, SEEK_END);
    if (size < 0 || lseek(o->fd, 0, SEEK_SET) < 0) return errno;
    int to = open(o->target, O_WRONLY | O_CLOEXEC), err = to < 0 ? errno : 0;
    if (!err && size > 0 && fallocate(to, FALLOC_FL_KEEP_SIZE, 0, size) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        err = errno;
    while (!err) {
        ssize_t n = read(o->fd, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) break;
        err = n < 0 ? errno : output_to(to, block, (size_t)n);
    }
    if (!err && ftruncate(to, size) != 0) err = errno;
    if (!err) err = sync_file(to);
    if (to >= 0 && close(to) != 0 && !err && errno != EINTR) err = errno;
    return err;
}

int output_finish(Output *o, bool durable)
{
    int err = o->target && durable ? sync_file(o->fd) : 0;
    if (!err && o->target) {
        err = o->in_place ? EACCES : replace(o);
        if (o->exists && is_refusal(err))
            err = copy_over(o);
        else if (!err && durable)
            sync_folder(o->target);
    }
    int fd = o->fd;
    o->fd = -1;
    if (close(fd) != 0 && !err && errno != EINTR) err = errno;
    return err;
}

void output_end(Output *o)
{
    if (o->fd >= 0) close(o->fd);
    o->fd = -1;
    if (o->temporary.path) unlink(o->temporary.path);
    drop_name(o);
    mem_free(o->target);
    o->target = NULL;
}
