/* The device side of buffers (device.h): made when a device first touches one, brought up to date
 * for whoever looks. */
#include "device_impl.h"

#include "../ranks/parts.h"
#include "memory.h"
#include "trace.h"
#include "transfer.h"

/* Bytes of b's device side: its capacity may be a bit more than the device takes. */
static size_t side_bytes(const Buffer *b)
{
    size_t most = rt.device->max_buffer;
    return most && b->capacity > most ? most : b->capacity;
}

static Sharing sharing(const Buffer *b)
{
    return b->foreign ? COPIED : rt.device->sharing;
}

/* Is lost what the device wrote to b? Then that is why; else NULL. */
static const Lost *is_lost(const Buffer *b)
{
    const struct Device *d = rt.device;
    for (size_t i = d->lost.len; b->host_stale && i-- > 0;) {
        const Lost *l = &d->lost.data[i];
        if (b->written >= l->from && b->written <= l->to) return l;
    }
    return NULL;
}

static bool intact(const Buffer *b, const CsSite *site)
{
    const Lost *l = is_lost(b);
    return !l || device_good(l->code, "the device failed while it computed these elements", site);
}

/* The device that has b's device side becomes the one in use; gives back which was. */
static struct Device *enter(const Buffer *b)
{
    struct Device *now = rt.device;
    if (b->device) rt.device = device_opened(b->owner);
    return now;
}

static bool to_host(Buffer *b, bool write, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code = CL_SUCCESS;
    if (b->host_stale || (write && sharing(b) == IN_PLACE)) device_wait(b->used);
    if (!intact(b, site)) return false;
    switch (sharing(b)) {
    case IN_PLACE: break;
    case MAPPED:
        if (b->mapped) return true;
        void *at;
        TRY_MAKE(at, code,
                 clEnqueueMapBuffer(d->queue, b->device, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    side_bytes(b), 0, NULL, NULL, &code));
        b->mapped = at && code == CL_SUCCESS;
        break;
    case COPIED:
        if (!b->host_stale) return true;
        TRY(code, transfer_to_host(d, b->host, b->device, b->bytes));
        break;
    }
    return device_good(code, "elements cannot be read from the device", site);
}

bool device_to_host(Buffer *b, bool write, const CsSite *site)
{
    struct Device *now = enter(b);
    bool moves = b->device && b->host_stale && rt.device->sharing != IN_PLACE;
    uint64_t from = moves ? trace_now() : 0;
    bool ok = to_host(b, write, site);
    if (from) trace_span(TRACE_HOST, "to the host", from, trace_now());
    rt.device = now;
    return ok;
}

static bool forget(Buffer *b)
{
    struct Device *d = rt.device;
    device_wait(b->used);
    if (b->ring) d->small[b->ring - 1] = NULL;
    b->ring = 0;
    if (d->stuck) return false;
    if (b->mapped) {
        clEnqueueUnmapMemObject(d->queue, b->device, b->host, 0, NULL, NULL);
        clFinish(d->queue);
        b->mapped = false;
    }
    clReleaseMemObject(b->device);
    b->device = NULL;
    b->foreign = false;
    b->device_stale = true;
    return true;
}

bool device_forget(Buffer *b)
{
    if (!rt.devices) return true; /* an array that outlives the program's end */
    struct Device *now = enter(b);
    bool ok = forget(b);
    rt.device = now;
    return ok;
}

/* From the device that had it last to the host. */
static bool come_home(Buffer *b, const CsSite *site)
{
    if (!b->fresh && !buffer_host(b, true, site)) return false;
    if (device_forget(b)) return true;
    rt_throw(RT_DEVICE, site, "the device that has these elements has failed");
    return false;
}

/* Gives up b's device side if the host has, or shares, its contents; not while b is being bound. */
static bool send_home(Buffer *b)
{
    struct Device *d = rt.device;
    if (b->used > d->launched || sharing(b) == MAPPED) return false;
    if (sharing(b) == IN_PLACE && b->host_stale) {
        device_wait(b->used);
        if (is_lost(b)) return false;
        b->host_stale = false;
    }
    return !b->host_stale && device_forget(b);
}

/* b has got a device side: of small buffers the one that has had its longest may lose it. */
static void enter_ring(Buffer *b)
{
    struct Device *d = rt.device;
    if (b->capacity > SMALL) return;
    unsigned at = d->next_small++ % MAX_SMALL;
    if (d->small[at] && !send_home(d->small[at])) return;
    d->small[at] = b;
    b->ring = (uint16_t)(at + 1);
}

bool device_adopt(Buffer *b, void *memory)
{
    cl_context context = NULL;
    size_t size = 0;
    cl_int code = clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (!device_good(code, "the caller's buffer says nothing of itself", NULL)) return false;
    if (context != rt.device->context || size < b->bytes) {
        rt_throw(RT_ARGUMENT, NULL,
                 context != rt.device->context ? "the buffer is of another OpenCL context"
                                               : "the buffer has %zu bytes, its array %zu",
                 size, b->bytes);
        return false;
    }
    code = clRetainMemObject(memory);
    if (!device_good(code, "the caller's buffer cannot be kept", NULL)) return false;
    b->device = memory;
    b->owner = (uint8_t)rt.device->index;
    b->foreign = b->host_stale = true;
    return true;
}

/* The device side of b, without contents. */
static bool make_side(Buffer *b, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code;
    if (sharing(b) != COPIED && !buffer_pages(b, true, site)) return false;
    cl_mem_flags flags = (b->borrowed ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE) |
                         (sharing(b) == COPIED ? 0 : CL_MEM_USE_HOST_PTR);
    void *host = sharing(b) == COPIED ? NULL : b->host;
    TRY_MAKE(b->device, code, clCreateBuffer(d->context, flags, side_bytes(b), host, &code));
    if (!device_good(code, "the device has no room for an array", site)) b->device = NULL;
    b->mapped = false;
    b->owner = (uint8_t)d->index;
    b->used = b->written = 0;
    if (b->device) enter_ring(b);
    return b->device != NULL;
}

bool device_take(Buffer *b, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code = CL_SUCCESS;
    if (b->device && b->owner != d->index && !come_home(b, site)) return false;
    if (!intact(b, site)) return false;
    if (b->bytes > side_bytes(b)) {
        rt_throw(RT_MEMORY, site, "an array of %zu bytes; the device's largest buffer has %zu",
                 b->bytes, d->max_buffer);
        return false;
    }
    if (!b->device && !make_side(b, site)) return false;
    if (b->mapped) {
        TRY(code, clEnqueueUnmapMemObject(d->queue, b->device, b->host, 0, NULL, NULL));
        if (code == CL_SUCCESS) b->mapped = false;
    }
    if (sharing(b) == COPIED && b->device_stale && b->host && code == CL_SUCCESS)
        TRY(code, transfer_to_device(d, b->device, b->host, b->bytes));
    if (!device_good(code, "elements cannot be given to the device", site)) return false;
    b->device_stale = b->fresh = false;
    return true;
}

/* ---- what ranks send of it (ranks/parts.h) ---------------------------------------------------- */

/* Is this block, which lies in b, one that this rank sends, or (in) gets? */
static bool is_own(const Buffer *b, const RankBlock *k, bool in)
{
    const char *at = k->at, *host = b->host;
    bool got = k->from != rt.ranks.rank && (k->to == rt.ranks.rank || k->to == RANKS_ALL);
    return at >= host && at < host + b->bytes && (in ? got : k->from == rt.ranks.rank);
}

/* Between a device's own memory and the host. Waits for it. */
static cl_int move_blocks(const Buffer *b, const RankBlock *blocks, size_t n, bool in)
{
    struct Device *d = rt.device;
    cl_int code = CL_SUCCESS;
    bool any = false;
    for (size_t i = 0; i < n && code == CL_SUCCESS; i++) {
        const RankBlock *k = &blocks[i];
        if (!is_own(b, k, in)) continue;
        size_t at = (size_t)((char *)k->at - (char *)b->host);
        if (in)
            TRY(code, clEnqueueWriteBuffer(d->queue, b->device, CL_FALSE, at, k->bytes, k->at, 0,
                                           NULL, NULL));
        else
            TRY(code, clEnqueueReadBuffer(d->queue, b->device, CL_FALSE, at, k->bytes, k->at, 0,
                                          NULL, NULL));
        any = true;
    }
    if (!any) return CL_SUCCESS;
    cl_int over = clFinish(d->queue);
    return code == CL_SUCCESS ? over : code;
}

bool rt_blocks_room(Buffer *b, const CsSite *site)
{
    return buffer_pages(b, false, site);
}

static bool any_own(const Buffer *b, const RankBlock *blocks, size_t n, bool in)
{
    for (size_t i = 0; i < n; i++)
        if (is_own(b, &blocks[i], in)) return true;
    return false;
}

/* Where the device shares the host's memory, what comes goes where its kernels may still read. */
bool rt_blocks_out(Buffer *b, const RankBlock *blocks, size_t n, const CsSite *site)
{
    bool ok = true;
    if (!b->device) return true;
    struct Device *now = enter(b);
    bool comes = sharing(b) != COPIED && !b->device_stale && any_own(b, blocks, n, true);
    bool goes = b->host_stale && any_own(b, blocks, n, false);
    if (comes || goes) device_wait(comes ? b->used : b->written);
    if (goes && !intact(b, site))
        ok = false;
    else if ((comes || goes) && sharing(b) == MAPPED)
        ok = to_host(b, false, site);
    else if (goes && sharing(b) == COPIED)
        ok = device_good(move_blocks(b, blocks, n, false),
                         "elements cannot be read from the device", site);
    rt.device = now;
    return ok;
}

bool rt_blocks_in(Buffer *b, const RankBlock *blocks, size_t n, const CsSite *site)
{
    bool ok = true;
    if (!b->device) b->device_stale = true;
    if (b->device_stale) return true; /* it gets all, once it is asked */
    struct Device *now = enter(b);
    if (sharing(b) == COPIED)
        ok = device_good(move_blocks(b, blocks, n, true), "elements cannot be given to the device",
                         site);
    rt.device = now;
    return ok;
}
