/* Copies of large arrays (transfer.h). A device copies from and to memory that the system never moves several
 * times as fast as from other memory, which its driver copies piece by piece on one core (H100: 54 GB/s, 7 and 11).
 * So arrays pass through pieces of such memory, in turn: while the device moves one, all cores copy the next. */
#include "transfer.h"

#include <string.h>

#include "../pool.h"

enum {
    LARGE = 1 << 20, /* bytes: what is smaller goes directly */
    PIECE = 4 << 20,
    SHARE = 256 << 10 /* of a piece, what one core takes */
};

typedef struct Piece {
    cl_mem memory;
    char *host; /* where it is mapped */
    cl_event moving;
} Piece;

struct Transfer {
    bool failed; /* the driver has no such memory */
    unsigned next;
    Piece pieces[4];
};

enum { PIECES = sizeof((struct Transfer *)0)->pieces / sizeof(Piece) };

static void piece_free(struct Device *d, Piece *p)
{
    if (p->moving) clReleaseEvent(p->moving);
    if (p->host) clEnqueueUnmapMemObject(d->queue, p->memory, p->host, 0, NULL, NULL);
    if (p->memory) clReleaseMemObject(p->memory);
    *p = (Piece){0};
}

void transfer_free(struct Device *d)
{
    struct Transfer *t = d->transfer;
    if (!t) return;
    bool whole = !d->stuck && !d->leaving;
    for (int i = 0; whole && i < PIECES; i++) piece_free(d, &t->pieces[i]);
    mem_object_free(t);
    d->transfer = NULL;
}

static bool piece_make(struct Device *d, Piece *p)
{
    cl_int code;
    p->memory =
        clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, PIECE, NULL, &code);
    if (code != CL_SUCCESS) p->memory = NULL;
    if (p->memory)
        p->host = clEnqueueMapBuffer(d->queue, p->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                     PIECE, 0, NULL, NULL, &code);
    return p->host != NULL;
}

/* NULL: arrays are copied directly. */
static struct Transfer *pieces(struct Device *d, size_t bytes)
{
    if (bytes < LARGE) return NULL;
    if (!d->transfer) {
        if (!(d->transfer = mem_object(sizeof *d->transfer))) return NULL;
        for (int i = 0; i < PIECES && !d->transfer->failed; i++)
            d->transfer->failed = !piece_make(d, &d->transfer->pieces[i]);
        for (int i = 0; i < PIECES && d->transfer->failed; i++)
            piece_free(d, &d->transfer->pieces[i]);
    }
    return d->transfer->failed ? NULL : d->transfer;
}

typedef struct Copy {
    char *to;
    const char *from;
    size_t bytes;
} Copy;

static void copy_shares(const void *job, int64_t first, int64_t end)
{
    const Copy *c = job;
    size_t from = (size_t)first * SHARE, to = (size_t)end * SHARE;
    if (to > c->bytes) to = c->bytes;
    memcpy(c->to + from, c->from + from, to - from);
}

static void copy(void *to, const void *from, size_t bytes)
{
    Copy c = {to, from, bytes};
    pool_run(copy_shares, &c, (int64_t)((bytes + SHARE - 1) / SHARE));
}

static cl_int piece_wait(Piece *p)
{
    cl_int code = CL_SUCCESS;
    if (p->moving) {
        code = clWaitForEvents(1, &p->moving);
        clReleaseEvent(p->moving);
    }
    p->moving = NULL;
    return code;
}

static size_t piece_bytes(size_t bytes, size_t at)
{
    return bytes - at < PIECE ? bytes - at : PIECE;
}

cl_int transfer_to_device(struct Device *d, cl_mem to, const void *from, size_t bytes)
{
    struct Transfer *t = pieces(d, bytes);
    if (!t) return clEnqueueWriteBuffer(d->queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
    cl_int code = CL_SUCCESS;
    for (size_t at = 0; at < bytes && code == CL_SUCCESS; at += PIECE) {
        Piece *p = &t->pieces[t->next++ % PIECES];
        size_t n = piece_bytes(bytes, at);
        code = piece_wait(p);
        if (code != CL_SUCCESS) break;
        copy(p->host, (const char *)from + at, n);
        code = clEnqueueWriteBuffer(d->queue, to, CL_FALSE, at, n, p->host, 0, NULL, &p->moving);
        if (code != CL_SUCCESS) p->moving = NULL;
        clFlush(d->queue);
    }
    return code;
}

cl_int transfer_to_host(struct Device *d, void *to, cl_mem from, size_t bytes)
{
    struct Transfer *t = pieces(d, bytes);
    if (!t) return clEnqueueReadBuffer(d->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    cl_int code = CL_SUCCESS;
    size_t asked = 0;
    unsigned first = t->next;
    for (size_t at = 0; at < bytes && code == CL_SUCCESS; at += PIECE) {
        for (; asked < bytes && asked < at + PIECES * (size_t)PIECE && code == CL_SUCCESS;
             asked += PIECE) {
            Piece *p = &t->pieces[t->next++ % PIECES];
            code = piece_wait(p);
            if (code == CL_SUCCESS)
                code = clEnqueueReadBuffer(d->queue, from, CL_FALSE, asked,
                                           piece_bytes(bytes, asked), p->host, 0, NULL, &p->moving);
            if (code != CL_SUCCESS) p->moving = NULL;
        }
        clFlush(d->queue);
        Piece *p = &t->pieces[first++ % PIECES];
        if (code == CL_SUCCESS) code = piece_wait(p);
        if (code == CL_SUCCESS) copy((char *)to + at, p->host, piece_bytes(bytes, at));
    }
    return code;
}
