/* Strings, and arrays over shared buffers with copy on write. An array's strides are row-major
 * without gaps; its domain need not begin at 0. */
#include "value.h"

#include <string.h>

#include "device/memory.h"
#include "objects/count.h"
#include "objects/record.h"
#include "ranks/parts.h"
#include "state.h"

/* ---- strings ------------------------------------------------------------------------ */

Str *rt_str_new(const char *bytes, int64_t len)
{
    Str *s = rt_object_new(sizeof *s + (size_t)len + 1, CS_STR);
    if (!s) return NULL;
    s->len = len;
    if (bytes && len) memcpy(s->bytes, bytes, (size_t)len);
    return s;
}

/* ---- arrays ------------------------------------------------------------------------- */

int64_t rt_array_count(const Array *a)
{
    int64_t n = 1;
    for (int32_t d = 0; d < a->head.rank; d++) n *= a->head.dim[d].n;
    return n;
}

void rt_array_box_into(const Array *a, FdBox *out)
{
    out->rank = a->head.rank;
    for (int32_t d = 0; d < a->head.rank; d++) {
        out->dim[d].full = false;
        out->dim[d].lo = a->head.dim[d].lo;
        out->dim[d].hi = a->head.dim[d].lo + a->head.dim[d].n;
    }
}

FdBox rt_array_box(const Array *a)
{
    FdBox box = {0};
    rt_array_box_into(a, &box);
    return box;
}

bool rt_box_count(const FdBox *box, int64_t *out)
{
    bool empty = false, fits = true;
    int64_t n = 1;
    for (int d = 0; d < box->rank; d++) {
        if (box->dim[d].full) return false;
        int64_t extent = box->dim[d].hi - box->dim[d].lo;
        if (extent <= 0)
            empty = true;
        else if (__builtin_mul_overflow(n, extent, &n))
            fits = false;
    }
    *out = empty ? 0 : n;
    return empty || fits;
}

/* Of a box; a negative extent of an empty one is 0. */
static void set_handle(Array *a, int32_t elem, const FdBox *box)
{
    const int32_t rank = box->rank;
    a->head.elem = elem;
    a->head.rank = rank;
    uint64_t stride = 1; /* of an empty array it may wrap */
    for (int32_t d = rank - 1; d >= 0; d--) {
        const int64_t n = box->dim[d].hi - box->dim[d].lo;
        a->head.dim[d].lo = box->dim[d].lo;
        a->head.dim[d].n = n > 0 ? n : 0;
        a->head.dim[d].stride = (int64_t)stride;
        stride *= (uint64_t)a->head.dim[d].n;
    }
}

static Array *new_handle(int32_t elem, const FdBox *box)
{
    const int32_t rank = box->rank;
    Array *a = rt_object_new(offsetof(CsArray, dim) + (size_t)rank * sizeof(CsDim), CS_ARRAY);
    if (!a) return NULL;
    set_handle(a, elem, box);
    if (elem == CS_ELEM_REF) a->head.head.colour = RT_BLACK;
    return a;
}

/* One that rests, of a rank from 1 on, with so many bytes; NULL: there is none. */
static Array *wake(int32_t elem, const FdBox *box, size_t bytes)
{
    Array *a = memory_wake(box->rank, bytes);
    if (!a) return NULL;
    a->head.head.refs = 1;
    a->head.host_state = 0;
    a->head.visit = 0;
    a->head.data = NULL;
    set_handle(a, elem, box);
    rt.value.live++;
    return a;
}

static Array *new_array(int32_t elem, const FdBox *box, bool zero, const CsSite *site)
{
    int64_t count, bytes;
    if (!rt_box_count(box, &count) || !elem_bytes(elem, count, &bytes)) {
        rt_throw_memory(site, SIZE_MAX);
        return NULL;
    }
    Buffer *b = NULL;
    Array *rested = count && !zero && elem != CS_ELEM_REF && box->rank > 0
                        ? wake(elem, box, (size_t)bytes)
                        : NULL;
    if (rested) return rested;
    if (count && !(b = buffer_new((size_t)bytes, zero || elem == CS_ELEM_REF, site))) return NULL;
    Array *a = new_handle(elem, box);
    if (!a) {
        buffer_release(b);
        rt_site(site);
        return NULL;
    }
    a->head.buffer = b;
    if (b && b->host && (zero || elem == CS_ELEM_REF)) {
        a->head.data = b->host;
        a->head.host_state = CS_HOST_READ | CS_HOST_WRITE;
    }
    return a;
}

static FdBox box_from(int32_t rank, const int64_t *lo, const int64_t *n)
{
    FdBox box = {.rank = rank};
    for (int32_t d = 0; d < rank; d++) {
        box.dim[d].lo = lo ? lo[d] : 0;
        box.dim[d].hi = box.dim[d].lo + n[d];
    }
    return box;
}

Array *rt_array_new(int32_t elem, int32_t rank, const int64_t *lo, const int64_t *n, bool zero,
                    const CsSite *site)
{
    const FdBox box = box_from(rank, lo, n);
    return new_array(elem, &box, zero, site);
}

Array *rt_array_over(int32_t elem, const FdBox *box, const CsSite *site)
{
    return new_array(elem, box, false, site);
}

Array *rt_array_sized(int32_t elem, const FdBox *box, size_t bytes, const CsSite *site)
{
    Array *a = wake(elem, box, bytes);
    return a ? a : new_array(elem, box, false, site);
}

Array *rt_array_on(Buffer *b, int32_t elem, int32_t rank, const int64_t *n)
{
    const FdBox box = box_from(rank, NULL, n);
    Array *a = new_handle(elem, &box);
    if (a)
        a->head.buffer = b;
    else
        buffer_release(b);
    return a;
}

void *cs_array_new(int32_t elem, int32_t rank, const int64_t *lengths, const CsSite *site)
{
    for (int32_t d = 0; d < rank; d++)
        if (lengths[d] < 0) {
            rt_throw(RT_OVERFLOW, site, "the length of a new array is %lld", (long long)lengths[d]);
            return NULL;
        }
    return rt_array_new(elem, rank, NULL, lengths, true, site);
}

void *cs_array_empty(int32_t elem, int32_t rank)
{
    const FdBox none = {.rank = rank};
    Array *a = new_handle(elem, &none);
    if (a) a->head.host_state = CS_HOST_NULL;
    return a;
}

void *rt_array_data(Array *a, const CsSite *site)
{
    if (!a->head.buffer) return NULL;
    a->head.data = buffer_host(a->head.buffer, false, site);
    if (a->head.data) a->head.host_state |= CS_HOST_READ;
    return a->head.data;
}

void *rt_array_part(const Array *a, bool write, const CsSite *site)
{
    return buffer_host_part(a->head.buffer, write, site);
}

void *cs_array_read(void *array, const CsSite *site)
{
    return rt_array_data(array, site);
}

void *cs_element_read(void *array, int64_t offset, const CsSite *site)
{
    Array *a = array;
    Buffer *b = a->head.buffer;
    if (!b || (b->held && !rt_fill(b, site))) return NULL;
    if (b->part && !part_bring_element(b, offset, site)) return NULL;
    if (!b->part) return rt_array_data(a, site);
    return a->head.data = buffer_host_part(b, false, site);
}

/* Of an array in parts each rank writes its own: those who do not have the element's row write what nobody reads. */
void *cs_element_write(void *array_slot, int64_t offset, const CsSite *site)
{
    Array *a = *(Array **)array_slot;
    Buffer *b = a->head.buffer;
    if (b && b->held && !rt_fill(b, site)) return NULL;
    bool own = b && b->part && a->head.head.refs == 1 && b->refs == 1;
    if (own && !part_bring_element(b, offset, site)) return NULL;
    if (!own || !b->part) return cs_array_write(array_slot, site);
    return a->head.data = buffer_host_part(b, true, site);
}

void *cs_array_write(void *array_slot, const CsSite *site)
{
    Array **slot = array_slot, *a = *slot;
    if (!a->head.buffer) return NULL;
    if (a->head.head.refs != 1 || a->head.buffer->refs != 1) {
        const void *from = buffer_host(a->head.buffer, false, site);
        Buffer *own = from ? buffer_new(a->head.buffer->bytes, false, site) : NULL;
        void *to = own ? buffer_host(own, true, site) : NULL;
        const FdBox box = rt_array_box(a);
        Array *copy = to ? new_handle(a->head.elem, &box) : NULL;
        if (!copy) {
            buffer_release(own);
            rt_site(site);
            return NULL;
        }
        memcpy(to, from, a->head.buffer->bytes);
        if (a->head.elem == CS_ELEM_REF)
            for (int64_t i = 0, n = rt_array_count(a); i < n; i++) cs_retain(((void **)to)[i]);
        copy->head.buffer = own;
        *slot = copy;
        cs_release(a);
        a = copy;
    }
    a->head.data = buffer_host(a->head.buffer, true, site);
    a->head.host_state = a->head.data ? CS_HOST_READ | CS_HOST_WRITE : 0;
    return a->head.data;
}

void *rt_array_store(Array **slot, const CsSite *site)
{
    Buffer *b = (*slot)->head.buffer;
    if (b && b->held && !rt_fill(b, site)) return NULL;
    bool own = b && b->part && (*slot)->head.head.refs == 1 && b->refs == 1;
    return own ? rt_array_part(*slot, true, site) : cs_array_write(slot, site);
}

int32_t cs_array_ready(void *array_slot, int32_t write)
{
    const Array *a = *(Array **)array_slot;
    Buffer *b = a->head.buffer;
    if (cs_pending) return 0;
    if (b && b->part && !b->held && part_is_slow(b->part)) return 0;
    if (write)
        cs_array_write(array_slot, NULL);
    else
        cs_array_read(*(void **)array_slot, NULL);
    int32_t ok = !cs_pending;
    if (!ok) rt_catch();
    return ok;
}

int32_t cs_array_near(void *array)
{
    Array *a = array;
    const Buffer *b = a->head.buffer;
    bool near = b && b->host && !b->held && !b->part && !b->device && !b->host_stale && !cs_pending;
    return near && rt_array_data(a, NULL);
}
