/* Npy.Load: the elements go from the file straight into the array's storage; only what must be
 * widened or reordered passes through a small buffer. A regular file is known to be long enough
 * before anything is allocated; what follows the array in the file is left alone, as NumPy does. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../objects/str.h"
#include "../ranks/ranks.h"
#include "npy.h"
#include "npy_parts.h"

enum { CHUNK = 4 << 20, PIECE = 1 << 20, MOST_AT_ONCE = 1 << 30, COLUMNS = 1024, BLOCK = 512 };

typedef struct Load {
    const char *path;
    const CsSite *site;
    int fd;
    int64_t left; /* bytes behind the read position; -1: unknown, a pipe */
    bool alone;   /* each rank reads for itself */
    NpyHeader h;
} Load;

/* ---- errors ------------------------------------------------------------------------------- */

/* Throws an IOException: a lead ("cannot read "), the path, the text. Returns false. */
static bool fail(const Load *l, const char *lead, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(const Load *l, const char *lead, const char *fmt, ...)
{
    Text t = {0};
    text_add(&t, lead);
    text_add_path(&t, l->path);
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    rt_throw(RT_IO, l->site, "%s", t.data);
    text_free(&t);
    return false;
}

static bool fail_errno(const Load *l, int err)
{
    if (err == ENOENT && l->path[0] != '/')
        return fail(
            l, "cannot read ",
            ": there is no such file (the name is relative to the folder the program runs in)");
    const char *why = err == ENOENT                    ? "there is no such file"
                      : err == EACCES || err == EPERM  ? "no permission to read it"
                      : err == EISDIR                  ? "it is a folder"
                      : err == EMFILE || err == ENFILE ? "too many files are open"
                                                       : strerror(err);
    return fail(l, "cannot read ", ": %s", why);
}

static bool fail_truncated(const Load *l, int64_t have)
{
    const NpyHeader *h = &l->h;
    Text shape = {0};
    npy_add_shape(&shape, h->rank, h->n);
    fail(l, "cannot read ",
         ": it is truncated: %s of %s take %lld bytes, the file has %lld; copy or save it again",
         shape.data, npy_type_name(h->kind), (long long)h->count * (long long)scalar_bytes(h->kind),
         (long long)have);
    text_free(&shape);
    return false;
}

static void add_array_type(Text *t, ScalarKind kind, int rank)
{
    text_printf(t, "%s[%.*s]", scalar_name(kind), rank - 1, ",,,");
}

static bool check_type(const Load *l, int32_t elem, int32_t rank)
{
    const NpyHeader *h = &l->h;
    Text want = {0}, holds = {0};
    bool good = h->rank == rank && scalar_widens(h->kind, (ScalarKind)elem);
    if (good) return true;
    if (h->rank == 0)
        fail(l, "",
             " holds one %s value, not an array: save it in NumPy with a.reshape(1) and load into "
             "%s[]",
             npy_type_name(h->kind), scalar_name(h->kind));
    else if (h->rank > CS_MAX_RANK)
        fail(l, "",
             " holds an array of %d dimensions, and C$ arrays have at most %d: save it reshaped",
             h->rank, CS_MAX_RANK);
    else {
        bool fits = scalar_widens(h->kind, (ScalarKind)elem);
        add_array_type(&want, fits ? (ScalarKind)elem : h->kind, h->rank);
        npy_add_shape(&holds, h->rank, h->n);
        if (h->rank != rank)
            fail(l, "",
                 " holds a %d-dimensional array, of shape %s, not a %d-dimensional one: load into "
                 "%s",
                 h->rank, holds.data, (int)rank, want.data);
        else
            fail(l, "", " holds %s values, which do not convert implicitly to %s: load into %s",
                 npy_type_name(h->kind), scalar_name((ScalarKind)elem), want.data);
    }
    text_free(&want);
    text_free(&holds);
    return false;
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_file(const Load *l, void *to, size_t n, size_t *got)
{
    while (*got < n) {
        size_t want = n - *got < MOST_AT_ONCE ? n - *got : MOST_AT_ONCE;
        ssize_t r = read(l->fd, (char *)to + *got, want);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return fail_errno(l, errno);
        if (r == 0) break;
        *got += (size_t)r;
    }
    return true;
}

/* Reads n bytes; fewer are there: *got < n. False after throwing. */
static bool read_some(Load *l, void *to, size_t n, size_t *got)
{
    *got = 0;
    if (l->alone) return read_file(l, to, n, got);
    if (ranks_first()) read_file(l, to, n, got);
    if (!ranks_tell(RANKS_READS, got, sizeof *got, l->site)) return false;
    if (!ranks_tell(RANKS_READS, to, *got, l->site)) return false;
    if (l->left >= 0) l->left -= (int64_t)*got;
    return true;
}

static bool open_at(Load *l)
{
    struct stat st;
    l->fd = open(l->path, O_RDONLY | O_CLOEXEC);
    if (l->fd < 0 || fstat(l->fd, &st) != 0) return fail_errno(l, errno);
    if (S_ISDIR(st.st_mode)) return fail_errno(l, EISDIR);
    l->left = S_ISREG(st.st_mode) ? st.st_size : -1;
    return true;
}

static bool open_file(Load *l, const Str *path)
{
    if (!path || path->len == 0) return fail(l, "", "cannot read a file: its name is empty");
    if ((int64_t)strlen(path->bytes) != path->len)
        return fail(l, "cannot read ", "...: the name of a file cannot have a NUL character");
    l->path = path->bytes;
    if (ranks_first()) open_at(l);
    return ranks_tell(RANKS_READS, &l->left, sizeof l->left, l->site);
}

static bool read_header(Load *l)
{
    static const char magic[] = "\x93NUMPY", zip[] = "PK\3\4";
    static const char remedy[] = "write it with Npy.Save or NumPy's np.save";
    unsigned char prefix[NPY_PREFIX + 4];
    size_t got, more;
    if (!read_some(l, prefix, NPY_PREFIX, &got)) return false;
    if (got == 0) return fail(l, "cannot read ", ": it is empty; %s", remedy);
    if (got >= 4 && memcmp(prefix, zip, 4) == 0)
        return fail(l, "cannot read ",
                    ": it is an archive (.npz): save each array on its own with np.save");
    if (memcmp(prefix, magic, got < 6 ? got : 6) != 0)
        return fail(l, "cannot read ", ": it is no .npy file; %s", remedy);
    if (got == NPY_PREFIX && (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0))
        return fail(l, "cannot read ", ": it is .npy version %u.%u, and 1.0, 2.0 and 3.0 are known",
                    prefix[6], prefix[7]);
    size_t wide = got == NPY_PREFIX && prefix[6] == 1 ? 2 : 4;
    if (!read_some(l, prefix + NPY_PREFIX, wide, &more)) return false;
    size_t len = 0;
    for (size_t i = wide; i-- > 0;) len = len << 8 | prefix[NPY_PREFIX + i];
    bool cut = got < NPY_PREFIX || more < wide;
    if (cut || (l->left >= 0 && len > (uint64_t)l->left))
        return fail(l, "cannot read ", ": it is truncated: it ends within its header");
    if (len > NPY_LONGEST_HEADER)
        return fail(l, "cannot read ", ": its header claims %zu bytes, which no array needs", len);
    char *text = mem_object(len + 1);
    if (!text) return rt_throw_memory(l->site, len), false;
    Text why = {0};
    bool good = read_some(l, text, len, &got);
    if (good && got < len)
        good = fail(l, "cannot read ", ": it is truncated: it ends within its header");
    else if (good && !npy_header_read(text, len, &l->h, &why))
        good = fail(l, "cannot read ", ": %s", why.data);
    text_free(&why);
    mem_object_free(text);
    return good;
}

/* ---- elements ----------------------------------------------------------------------------- */

static void swap_bytes(void *data, size_t n, size_t bytes)
{
    uint16_t *p2 = data;
    uint32_t *p4 = data;
    uint64_t *p8 = data;
    if (bytes == 2)
        for (size_t i = 0; i < n; i++) p2[i] = __builtin_bswap16(p2[i]);
    if (bytes == 4)
        for (size_t i = 0; i < n; i++) p4[i] = __builtin_bswap32(p4[i]);
    if (bytes == 8)
        for (size_t i = 0; i < n; i++) p8[i] = __builtin_bswap64(p8[i]);
}

/* Host byte order; a bool is 0 or 1, whatever the file says. */
static void clean(const NpyHeader *h, void *data, size_t n)
{
    uint8_t *truth = data;
    if (h->swapped) swap_bytes(data, n, scalar_bytes(h->kind));
    if (h->kind == SC_BOOL)
        for (size_t i = 0; i < n; i++) truth[i] = truth[i] != 0;
}

#define LOAD_B(T) LOAD_I(T)
#define LOAD_C(T) LOAD_I(T)
#define LOAD_I(T)                                                                                  \
    for (size_t i = 0; i < n; i++) whole[i] = (int64_t)((const T *)from)[i];
#define LOAD_F(T)                                                                                  \
    for (size_t i = 0; i < n; i++) real[i] = (double)((const T *)from)[i];
#define STORE_B(T) STORE_I(T)
#define STORE_C(T) STORE_I(T)
#define STORE_I(T)                                                                                 \
    for (size_t i = 0; i < n; i++) ((T *)to)[i] = (T)whole[i];
#define STORE_F(T)                                                                                 \
    if (scalar_is_real(fk))                                                                        \
        for (size_t i = 0; i < n; i++) ((T *)to)[i] = (T)real[i];                                  \
    else if (fk == SC_ULONG)                                                                       \
        for (size_t i = 0; i < n; i++) ((T *)to)[i] = (T)(uint64_t)whole[i];                       \
    else                                                                                           \
        for (size_t i = 0; i < n; i++) ((T *)to)[i] = (T)whole[i];

/* Widens at most BLOCK elements by way of the widest type of their class. */
static void widen_block(void *to, ScalarKind tk, const void *from, ScalarKind fk, size_t n)
{
    int64_t whole[BLOCK];
    double real[BLOCK];
    if (fk == SC_HALF || tk == SC_HALF) {
        for (size_t i = 0; i < n; i++) {
            ScalarValue v = scalar_load((const char *)from + i * scalar_bytes(fk), fk);
            scalar_store((char *)to + i * scalar_bytes(tk), tk, scalar_convert(v, fk, tk));
        }
        return;
    }
    switch (fk) {
#define SCALAR(id, name, ctype, clname, bytes, class, sign)                                        \
    case SC_##id:                                                                                  \
        LOAD_##class(ctype) break;
#include "../../base/scalar.def"
#undef SCALAR
    default: return;
    }
    switch (tk) {
#define SCALAR(id, name, ctype, clname, bytes, class, sign)                                        \
    case SC_##id:                                                                                  \
        STORE_##class(ctype) break;
#include "../../base/scalar.def"
#undef SCALAR
    default: return;
    }
}

static void widen(void *to, ScalarKind tk, const void *from, ScalarKind fk, size_t n)
{
    size_t tb = scalar_bytes(tk), fb = scalar_bytes(fk);
    for (size_t at = 0; at < n; at += BLOCK)
        widen_block((char *)to + at * tb, tk, (const char *)from + at * fb, fk,
                    n - at < BLOCK ? n - at : BLOCK);
}

/* The next n elements, as the file holds them, in host byte order. */
static bool read_elements(Load *l, void *to, size_t n)
{
    size_t bytes = n * scalar_bytes(l->h.kind), got;
    if (!read_some(l, to, bytes, &got)) return false;
    if (got < bytes) return fail(l, "cannot read ", ": it is truncated; copy or save it again");
    clean(&l->h, to, n);
    return true;
}

/* The same order, the same type: no copy. */
static bool read_straight(Load *l, char *data)
{
    size_t bytes = scalar_bytes(l->h.kind);
    size_t step = (l->h.swapped || l->h.kind == SC_BOOL ? PIECE : MOST_AT_ONCE) / bytes;
    for (size_t at = 0, n = (size_t)l->h.count; at < n; at += step)
        if (!read_elements(l, data + at * bytes, n - at < step ? n - at : step)) return false;
    return true;
}

static bool read_widening(Load *l, char *data, ScalarKind elem, void *chunk)
{
    size_t step = PIECE / sizeof(int64_t), bytes = scalar_bytes(elem);
    for (size_t at = 0, n = (size_t)l->h.count; at < n; at += step) {
        size_t now = n - at < step ? n - at : step;
        if (!read_elements(l, chunk, now)) return false;
        widen(data + at * bytes, elem, chunk, l->h.kind, now);
    }
    return true;
}

/* Columns of the chunk to where they belong: column w begins at element offset[w] of the array. */
static void scatter(char *data, size_t bytes, const char *chunk, size_t rows, size_t columns,
                    const int64_t *offset, int64_t stride)
{
#define SCATTER(T)                                                                                 \
    for (size_t i = 0; i < rows; i++)                                                              \
        for (size_t w = 0; w < columns; w++)                                                       \
            ((T *)(void *)data)[offset[w] + (int64_t)i * stride] =                                 \
                ((const T *)(const void *)chunk)[w * rows + i];
    switch (bytes) {
    case 1: SCATTER(uint8_t) break;
    case 2: SCATTER(uint16_t) break;
    case 4: SCATTER(uint32_t) break;
    default: SCATTER(uint64_t) break;
    }
#undef SCATTER
}

/* The file has the first index fastest: many whole columns at a time, so that rows are written in
 * runs. */
static bool read_fortran(Load *l, CsArray *a, char *data, char *chunk, char *widened)
{
    const NpyHeader *h = &l->h;
    size_t rows = (size_t)h->n[0], most = CHUNK / sizeof(int64_t);
    int64_t columns = h->count / h->n[0], offset[COLUMNS], index[CS_MAX_RANK] = {0};
    size_t height = rows < most ? rows : most,
           width = most / height < COLUMNS ? most / height : COLUMNS;
    for (int64_t c = 0; c < columns;) {
        size_t w = columns - c < (int64_t)width ? (size_t)(columns - c) : width;
        for (size_t i = 0; i < w; i++) {
            offset[i] = 0;
            for (int d = 1; d < h->rank; d++) offset[i] += index[d] * a->dim[d].stride;
            for (int d = 1; d < h->rank && ++index[d] == h->n[d]; d++) index[d] = 0;
        }
        for (size_t r = 0; r < rows; r += height) { /* more than one part only of a single column */
            size_t now = rows - r < height ? rows - r : height;
            if (!read_elements(l, chunk, now * w)) return false;
            bool same = a->elem == (int32_t)h->kind;
            if (!same) widen(widened, (ScalarKind)a->elem, chunk, h->kind, now * w);
            scatter(data, scalar_bytes((ScalarKind)a->elem), same ? chunk : widened, now, w, offset,
                    a->dim[0].stride);
            offset[0] += (int64_t)now * a->dim[0].stride;
        }
        c += (int64_t)w;
    }
    return true;
}

/* In the order of the array's memory. */
static bool read_in_order(Load *l, ScalarKind elem, char *data)
{
    if (elem == l->h.kind) return read_straight(l, data);
    char *chunk = mem_object(CHUNK);
    if (!chunk) return rt_throw_memory(l->site, CHUNK), false;
    bool good = read_widening(l, data, elem, chunk);
    mem_object_free(chunk);
    return good;
}

/* This rank's rows. */
static bool read_part(Load *l, Array *a, NpyPart *p)
{
    struct stat st = {0};
    int64_t each = l->h.count / l->h.n[0], bytes = each * (int64_t)scalar_bytes(l->h.kind);
    l->alone = true;
    l->h.count = p->rows * each;
    bool seen = fstat(l->fd, &st) == 0 &&
                lseek(l->fd, st.st_size - l->left + p->from * bytes, SEEK_SET) >= 0;
    if (!seen)
        fail_errno(l, errno);
    else
        read_in_order(l, (ScalarKind)a->head.elem, p->data);
    return npy_parts_end(p, a, l->site);
}

static bool read_array(Load *l, Array *a)
{
    if (l->h.count == 0) return true;
    Array *slot = a; /* not shared: stays itself */
    NpyPart part = {0};
    int wide = 0; /* dimensions that an order can concern */
    for (int d = 0; d < l->h.rank; d++) wide += l->h.n[d] > 1;
    bool fortran = l->h.fortran && wide > 1;
    bool worth = !fortran && l->left >= 0 && npy_parts_worth(a);
    if (worth && !npy_parts_begin(&part, a, l->path, &l->fd, l->site)) return false;
    if (part.part) return read_part(l, a, &part);
    char *data = cs_array_write(&slot, l->site);
    if (!data) return false;
    if (!fortran) return read_in_order(l, (ScalarKind)a->head.elem, data);
    char *chunk = mem_object(2 * (size_t)CHUNK);
    if (!chunk) return rt_throw_memory(l->site, 2 * (size_t)CHUNK), false;
    bool good = read_fortran(l, &a->head, data, chunk, chunk + CHUNK);
    mem_object_free(chunk);
    return good;
}

void *cs_npy_load(void *path, int32_t elem, int32_t rank, const CsSite *site)
{
    Load l = {.path = "", .site = site, .fd = -1, .left = -1};
    Array *a = NULL;
    bool good = open_file(&l, path) && read_header(&l);
    if (good && elem == CS_ELEM_REF)
        good = fail(&l, "", " holds %s values: load into %s[]", npy_type_name(l.h.kind),
                    scalar_name(l.h.kind));
    good = good && check_type(&l, elem, rank);
    if (good && l.left >= 0 && l.left / (int64_t)scalar_bytes(l.h.kind) < l.h.count)
        good = fail_truncated(&l, l.left);
    if (good) a = rt_array_new(elem, rank, NULL, l.h.n, false, site);
    if (a && !read_array(&l, a)) {
        cs_release(a);
        a = NULL;
    }
    if (l.fd >= 0) close(l.fd);
    if (!a) rt_site(site);
    return a;
}
