/* See save.h. */
#include "save.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../objects/str.h"
#include "../ranks/ranks.h"
#include "console.h"

const char *save_reason(int err)
{
    switch (err) {
    case ENOENT: return "its folder does not exist; create it first";
    case ENOTDIR: return "what should be its folder is a file";
    case EACCES:
    case EPERM: return "no permission to write there";
    case EROFS: return "the file system is read-only";
    case EISDIR: return "it is a folder";
    case ENOSPC: return "the disk is full";
    case EDQUOT: return "the disk quota is used up";
    case EFBIG: return "files so large are not allowed here";
    default: return strerror(err);
    }
}

bool save_check(const Save *s, int err)
{
    if (!err) return true;
    bool guarded = err == EACCES && access(s->path, F_OK) == 0;
    Text t = {0};
    text_add_path(&t, s->path);
    rt_throw(RT_IO, s->site, "cannot write %s: %s", t.data,
             guarded ? "it is write-protected" : save_reason(err));
    text_free(&t);
    return false;
}

bool save_open(Save *s, const Str *path, const CsSite *site)
{
    *s = (Save){.path = "", .site = site, .output = {.fd = -1}};
    if (!ranks_first()) {
        if (path) s->path = path->bytes;
        return true;
    }
    if (!path || path->len == 0) {
        rt_throw(RT_IO, s->site, "cannot write a file: its name is empty");
        return false;
    }
    s->path = path->bytes;
    if ((int64_t)strlen(path->bytes) != path->len) {
        Text t = {0};
        text_add_path(&t, s->path);
        rt_throw(RT_IO, s->site, "cannot write %s: the name of a file cannot have a NUL character",
                 t.data);
        text_free(&t);
        return false;
    }
    console_flush(); /* it may be what the console writes to */
    return save_check(s, output_open(&s->output, s->path, 0666));
}

bool save_write(Save *s, const void *data, size_t bytes)
{
    return !ranks_first() || save_check(s, output_write(&s->output, data, bytes));
}

bool save_finish(Save *s)
{
    return !ranks_first() || save_check(s, output_finish(&s->output, true));
}

bool save_end(Save *s)
{
    if (ranks_first()) output_end(&s->output);
    return ranks_outcome(RANKS_WRITES, s->site);
}
