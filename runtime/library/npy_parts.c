/* .npy files and arrays in parts (npy_parts.h). Ranks that see the same file read it and write it each for itself; else
 * the first does, and what it lacks is sent to it in pieces. */
#include "npy_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../ranks/parts.h"
#include "../ranks/ranks.h"
#include "../ranks/transport.h"
#include "../state.h"

enum { LEAST = 1 << 20 /* bytes that are worth it */, PIECE = 4 << 20, PAGE = 4096 };

/* ---- which file it is -------------------------------------------------------------------------- */

/* Alike on all ranks that see the same file, odd; 0: nobody knows. here: all are on one machine. */
static uint64_t file_hash(int fd, bool here)
{
    struct stat st;
    char page[PAGE];
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
    const int64_t facts[] = {(int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec,
                             (int64_t)st.st_mtim.tv_nsec, here ? (int64_t)st.st_ino : 0,
                             here ? (int64_t)st.st_dev : 0};
    ssize_t n = pread(fd, page, sizeof page, 0);
    if (n < 0) return 0;
    return XXH3_64bits_withSeed(page, (size_t)n, XXH3_64bits(facts, sizeof facts)) | 1;
}

/* ---- loading ------------------------------------------------------------------------------------ */

bool npy_parts_worth(const Array *a)
{
    const Buffer *b = a->head.buffer;
    return rt.ranks.size && b && a->head.rank > 0 && (b->bytes >= LEAST || rt.ranks.least == 0);
}

/* By rows of the first dimension. NULL: there is no memory. */
static Part *new_part(const Array *a, int64_t own[RANKS_MOST + 1])
{
    FdBox room;
    RowsLayout *l = rows_layout(rt_type_of((void *)(uintptr_t)a)->result,
                                rt_box_of((void *)(uintptr_t)a, &room), 0, 1);
    if (!l) return NULL;
    for (int r = 0; r <= rt.ranks.size; r++) own[r] = l->rows * r / rt.ranks.size;
    Part *p = part_new(l, own, NULL);
    mem_object_free(l);
    return p;
}

bool npy_parts_begin(NpyPart *p, Array *a, const char *path, int *fd, const CsSite *site)
{
    if (!ranks_first()) *fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = rt_array_part(a, true, site);
    int64_t own[RANKS_MOST + 1];
    Part *part = data ? new_part(a, own) : NULL;
    if (data && !part) rt_throw_memory(site, 0);
    uint64_t plan = file_hash(*fd, false);
    bool met = ranks_meet(&plan, NULL);
    *p = (NpyPart){0};
    if (!met || !plan) {
        part_free(part);
        return met;
    }
    p->part = part;
    p->from = own[rt.ranks.rank];
    p->rows = own[rt.ranks.rank + 1] - p->from;
    p->data = data + p->from * part->layout->planes[0].bytes;
    return true;
}

bool npy_parts_end(NpyPart *p, Array *a, const CsSite *site)
{
    bool good = ranks_outcome(RANKS_READS, site);
    if (good)
        a->head.buffer->part = p->part;
    else
        part_free(p->part);
    return good;
}

/* ---- saving ------------------------------------------------------------------------------------- */

bool npy_parts_has(const Array *a)
{
    const Part *p = a->head.buffer ? a->head.buffer->part : NULL;
    return p && p->layout->segments == 1 && p->layout->nplanes == 1;
}

/* The first one's file, which may have no name. */
typedef struct Offer {
    int64_t process;
    uint64_t file; /* 0: it is no file that others may write */
    int64_t at;    /* where elements begin */
    int32_t fd;
} Offer;

static int open_offered(const Offer *o)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)o->process, (int)o->fd);
    return o->file ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

/* 0, or an errno. */
static int write_at(int fd, const char *data, int64_t bytes, int64_t at)
{
    enum { MOST_AT_ONCE = 1 << 30 };
    while (bytes > 0) {
        ssize_t n = pwrite(fd, data, bytes < MOST_AT_ONCE ? (size_t)bytes : MOST_AT_ONCE, at);
        if (n < 0 && errno != EINTR) return errno;
        if (n < 0) continue;
        data += n;
        bytes -= n;
        at += n;
    }
    return 0;
}

/* Each writes its rows. */
static void write_own(const Save *s, const Part *p, const char *data, int fd, int64_t begin)
{
    int64_t row = p->layout->planes[0].bytes;
    int err = 0;
    for (int k = 0; k < p->nowners && !err; k++) {
        int64_t from = p->owners[k].lo * row, to = p->owners[k + 1].lo * row;
        if (p->owners[k].rank == rt.ranks.rank)
            err = write_at(fd, data + from, to - from, begin + from);
    }
    if (!err && !ranks_first() && fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        err = errno;
    save_check(s, err);
}

/* The first writes all, in order, of which others' come in pieces. */
static void write_sent(const Save *s, const Part *p, char *data, char *room)
{
    int64_t row = p->layout->planes[0].bytes;
    int err = 0;
    for (int k = 0; k < p->nowners; k++) {
        int64_t at = p->owners[k].lo * row, end = p->owners[k + 1].lo * row;
        int r = p->owners[k].rank;
        for (; at < end; at += PIECE) {
            int64_t n = end - at < PIECE ? end - at : PIECE;
            RankBlock b = {r, 0, r == rt.ranks.rank ? data + at : room, (size_t)n};
            if (r > 0) ranks_exchange(&b, 1);
            if (ranks_first() && !err) err = output_to(s->output.fd, b.at, (size_t)n);
        }
    }
    save_check(s, err);
}

bool npy_parts_save(Save *s, const Array *a, int64_t begin)
{
    Buffer *b = a->head.buffer;
    Offer offer = {.process = getpid(), .fd = s->output.fd, .at = begin};
    if (ranks_first() && s->output.target) offer.file = file_hash(s->output.fd, true);
    char *data = rt_array_part(a, false, s->site), *room = mem_object(PIECE);
    if (!room && !cs_pending) rt_throw_memory(s->site, PIECE);
    bool good = ranks_tell(RANKS_WRITES, &offer, sizeof offer, s->site);
    int fd = good && !ranks_first() ? open_offered(&offer) : -1;
    uint64_t plan = ranks_first() ? offer.file : file_hash(fd, true);
    if (plan != offer.file) plan = 0;
    good = good && ranks_meet(&plan, NULL);
    if (good && plan)
        write_own(s, b->part, data, ranks_first() ? s->output.fd : fd, offer.at);
    else if (good)
        write_sent(s, b->part, data, room);
    if (fd >= 0) close(fd);
    mem_object_free(room);
    return good && ranks_outcome(RANKS_WRITES, s->site);
}
