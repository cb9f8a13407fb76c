/* Buffers and their pool: blocks in size classes (four to an octave), kept while they are fewer
 * bytes than half the limit. Large blocks come straight from the system, on huge pages where the
 * system gives them. Blocks are aligned so that an OpenCL device that shares the host's memory can
 * use them in place, but for small ones that no device has touched: those are plain memory. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../ranks/parts.h"
#include "../state.h"
#include "device.h"

enum {
    SMALL = 512, /* up to here aligning would cost more than moving.. */
    FEW = 64,    /* ..and so many at most are pooled: malloc has them at hand, too */
    RESTING = 4, /* arrays of a rank and size */
    SHARED_UNIT = 128,
    PAGE = 4096,
    HUGE_PAGE = 2 << 20,
    MAPPED_FROM = 256 << 10,
    EXACT_FROM = 64 << 20
};

int memory_size_from(const char *name, size_t *out, const CsSite *site)
{
    const char *text = getenv(name);
    if (!text || !*text) return 0;
    if (mem_size_from_text(text, out)) return 1;
    rt_throw(RT_DEVICE, site,
             "%s=%s is no size; set it to a number of bytes, with K, M or G behind it, or unset it",
             name, text);
    return -1;
}

/* CS_MEM_LIMIT, else the machine's memory; read once. */
static bool find_limit(const CsSite *site)
{
    if (rt.memory.limit) return true;
    int given = memory_size_from("CS_MEM_LIMIT", &rt.memory.limit, site);
    if (given) return given > 0;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    rt.memory.limit = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX / 2;
    if (rt.ranks.size) rt.memory.limit /= (size_t)rt.ranks.together;
    return true;
}

int64_t cs_kept_bytes(const CsSite *site)
{
    size_t bytes = 0;
    if (rt.memory.kept) return rt.memory.kept;
    int given = memory_size_from("CS_KEEP", &bytes, site);
    if (!given && find_limit(site)) bytes = rt.memory.limit / 4;
    const int64_t kept = (int64_t)(bytes < INT64_MAX ? bytes : INT64_MAX);
    if (given >= 0) rt.memory.kept = kept;
    return kept;
}

/* Size class of a request and the capacity of its blocks; large blocks are exact to a page. */
static int size_class(size_t bytes, size_t *capacity)
{
    if (bytes <= 48) { /* sixteenths, then quarters of an octave */
        *capacity = (bytes + 15) / 16 * 16;
        return (int)(*capacity / 16) - 1;
    }
    if (bytes < 64) bytes = 64;
    if (bytes >= EXACT_FROM) {
        *capacity = (bytes + PAGE - 1) / PAGE * PAGE;
        bytes = *capacity;
    }
    int top = 63 - __builtin_clzll((unsigned long long)bytes);
    size_t quarter = (size_t)1 << (top - 2);
    int step = (int)((bytes - ((size_t)1 << top) + quarter - 1) / quarter); /* 0..4 */
    if (bytes < EXACT_FROM) *capacity = ((size_t)1 << top) + (size_t)step * quarter;
    int c = 3 + (top - 6) * 4 + step;
    return c < RT_SIZE_CLASSES ? c : RT_SIZE_CLASSES - 1;
}

static void *map_pages(size_t bytes)
{
    size_t extra = bytes >= 2 * (size_t)HUGE_PAGE ? HUGE_PAGE : 0;
    char *p = mmap(NULL, bytes + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (extra) { /* cut to an aligned middle */
        size_t skip = (HUGE_PAGE - ((uintptr_t)p & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
        if (skip) munmap(p, skip);
        p += skip;
        if (extra > skip) munmap(p + bytes, extra - skip);
        madvise(p, bytes, MADV_HUGEPAGE);
    }
    return p;
}

static void free_pages(const Buffer *b)
{
    if (b->host && b->capacity >= MAPPED_FROM)
        munmap(b->host, b->capacity);
    else if (b->host != b->small)
        free(b->host);
    free(b->small);
}

static void free_block(Buffer *b)
{
    bool stuck = b->device && !device_forget(b);
    if (b->borrowed) {
        mem_object_free(b);
        return;
    }
    if (stuck) {
        free(b->small);
        mem_count(-(ptrdiff_t)b->capacity);
        mem_object_free(b);
        return;
    }
    free_pages(b);
    mem_count(-(ptrdiff_t)b->capacity);
    mem_object_free(b);
}

static void free_resting(void)
{
    for (int r = 0; r < CS_MAX_RANK; r++)
        for (int c = 0; c < RT_REST_CLASSES; c++)
            for (Array *a; (a = rt.memory.resting[r][c]);) {
                rt.memory.resting[r][c] = a->head.data;
                free_block(a->head.buffer);
                mem_object_free(a);
            }
}

void memory_trim(void)
{
    for (int c = 0; c < RT_SIZE_CLASSES; c++)
        for (Buffer *b; (b = rt.memory.pool[c]);) {
            rt.memory.pool[c] = b->next;
            free_block(b);
        }
    free_resting();
    rt.memory.pooled = 0;
    rt.memory.few = 0;
}

/* Asked when an allocation would pass the limit: frees what can be. Before the limit is known,
 * which is when the program has taken more than next to nothing, learns it. */
static bool more_memory(size_t bytes)
{
    if (rt.cycles.collecting) return true; /* for its lists, which it gives back */
    if (!find_limit(NULL)) return false;
    mem_limit(rt.memory.limit, more_memory);
    if (mem_used() + bytes > rt.memory.limit) memory_trim();
    if (mem_used() + bytes > rt.memory.limit && cs_collect()) memory_trim();
    return mem_used() + bytes <= rt.memory.limit;
}

bool memory_is_short(size_t bytes)
{
    if (!find_limit(NULL)) return true;
    const size_t limit = rt.memory.limit, used = mem_used() - rt.memory.pooled;
    return used + bytes > limit - limit / 4;
}

void memory_start(void)
{
    enum { NEXT_TO_NOTHING = 1 << 20 };
    const char *given = getenv("CS_MEM_LIMIT"); /* what is wrong with it is told when it is asked */
    size_t limit;
    bool less = given && mem_size_from_text(given, &limit) && limit < NEXT_TO_NOTHING;
    mem_limit(less ? limit : NEXT_TO_NOTHING, more_memory);
}

static void *take_block(size_t capacity, bool plain)
{
    rt.memory.blocks++;
    if (!mem_permits(0)) return NULL; /* the buffer counts its capacity */
    if (plain) return malloc(capacity);
    if (capacity >= MAPPED_FROM) return map_pages(capacity);
    size_t unit = capacity >= PAGE ? PAGE : SHARED_UNIT;
    return aligned_alloc(unit, (capacity + unit - 1) / unit * unit);
}

bool buffer_pages(Buffer *b, bool shared, const CsSite *site)
{
    if (b->host && !(shared && b->host == b->small)) return true;
    bool plain = !shared && b->capacity <= SMALL;
    void *block = take_block(b->capacity, plain);
    if (!block) {
        memory_trim();
        block = take_block(b->capacity, plain);
    }
    if (!block) {
        rt_throw_memory(site, b->bytes);
        return false;
    }
    if (b->host) memcpy(block, b->host, b->bytes);
    if (plain) b->small = block;
    b->host = block;
    return true;
}

/* Is it plain memory, or none at all? */
static bool is_plain(const Buffer *b)
{
    return b->host == b->small && !b->device;
}

/* A pooled block of the class that is large enough, or NULL. */
static Buffer *from_pool(int class, size_t capacity)
{
    if (device_stuck()) return NULL;
    for (Buffer **at = &rt.memory.pool[class]; *at; at = &(*at)->next)
        if ((*at)->capacity >= capacity && (*at)->capacity <= capacity + capacity / 4) {
            Buffer *b = *at;
            *at = b->next;
            rt.memory.pooled -= b->capacity;
            rt.memory.few -= is_plain(b);
            return b;
        }
    return NULL;
}

static void begin(Buffer *b, size_t bytes)
{
    b->refs = 1;
    b->bytes = bytes;
    b->host_stale = b->device_stale = false;
    b->fresh = true;
    b->maker = 0;
    rt.memory.used += b->capacity;
}

Buffer *buffer_new(size_t bytes, bool zero, const CsSite *site)
{
    size_t capacity;
    if (!find_limit(site)) return NULL;
    if (bytes > SIZE_MAX / 4) {
        rt_throw_memory(site, SIZE_MAX);
        return NULL;
    }
    int class = size_class(bytes, &capacity);
    Buffer *b = from_pool(class, capacity);
    bool made = !b;
    if (!b) {
        if (!mem_permits(capacity) || !(b = mem_object(sizeof *b))) {
            rt_throw_memory(site, bytes);
            return NULL;
        }
        b->capacity = capacity;
        mem_count((ptrdiff_t)capacity);
    }
    b->class = (uint8_t) class;
    begin(b, bytes);
    if (zero) {
        void *p = buffer_host(b, true, site);
        if (!p) {
            buffer_release(b);
            return NULL;
        }
        /* Pages just mapped are zero. */
        if (!made || b->capacity < MAPPED_FROM) memset(p, 0, bytes);
    }
    return b;
}

void buffer_release(Buffer *b)
{
    if (!b || --b->refs > 0) return;
    if (b->held) rt_unhold(b);
    if (b->part) part_end(b);
    if (b->lent) {
        mem_object_free(b);
        return;
    }
    size_t capacity;
    int class = size_class(b->capacity, &capacity);
    rt.memory.used -= b->capacity;
    bool few = is_plain(b) && b->host && rt.memory.few < FEW; /* of which there may be very many */
    if ((is_plain(b) && !few) || b->borrowed || b->foreign || device_stuck() ||
        rt.memory.pooled + b->capacity > rt.memory.limit / 2) {
        free_block(b);
        return;
    }
    rt.memory.few += few;
    rt.memory.pooled += b->capacity;
    b->next = rt.memory.pool[class];
    rt.memory.pool[class] = b;
}

/* ---- arrays at rest ---------------------------------------------------------------------- */

bool memory_rest(Array *a)
{
    Buffer *b = a->head.buffer;
    if (!b || b->refs != 1 || b->class >= RT_REST_CLASSES || !b->host || b->device || b->held ||
        b->part || b->lent || b->borrowed || b->foreign || a->head.elem == CS_ELEM_REF)
        return false;
    if (a->head.rank < 1) return false;
    Array **list = &rt.memory.resting[a->head.rank - 1][b->class], *next = *list;
    const bool plain = b->host == b->small;
    const uint32_t n = next ? next->head.index + 1 : 1;
    if (n > RESTING || (plain && rt.memory.few >= FEW) ||
        rt.memory.pooled + b->capacity > rt.memory.limit / 2)
        return false;
    rt.memory.used -= b->capacity;
    rt.memory.pooled += b->capacity;
    rt.memory.few += plain;
    a->head.index = n;
    a->head.data = next;
    *list = a;
    return true;
}

Array *memory_wake(int32_t rank, size_t bytes)
{
    size_t capacity;
    const int class = size_class(bytes, &capacity);
    if (class >= RT_REST_CLASSES) return NULL;
    Array **list = &rt.memory.resting[rank - 1][class], *a = *list;
    if (!a) return NULL;
    Buffer *b = a->head.buffer;
    *list = a->head.data;
    rt.memory.pooled -= b->capacity;
    rt.memory.few -= b->host == b->small;
    begin(b, bytes);
    return a;
}

/* ---- memory of others: taken, lent ------------------------------------------------------- */

/* Of one that has no place among the small ones. */
static void take_memory(Buffer *b, const Buffer *from)
{
    b->host = from->host;
    b->small = from->small;
    b->device = from->device;
    b->owner = from->owner;
    b->capacity = from->capacity;
    b->class = from->class;
    b->used = from->used;
    b->written = from->written;
    b->mapped = from->mapped;
    b->part = from->part;
}

void *memory_nothing(void)
{
    static _Alignas(SHARED_UNIT) char few[SHARED_UNIT];
    static void *zeros; /* addresses only: what is read of them is the system's page of zeros */
    for (size_t bytes = (size_t)1 << 42; !zeros && bytes >= PAGE; bytes /= 2) {
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) zeros = p;
    }
    return zeros ? zeros : few;
}

/* ---- memory of others ------------------------------------------------------------------- */

static Buffer *new_of(size_t bytes, const CsSite *site)
{
    if (!find_limit(site)) return NULL;
    Buffer *b = mem_object(sizeof *b);
    if (!b) {
        rt_throw_memory(site, bytes);
        return NULL;
    }
    b->refs = 1;
    b->bytes = b->capacity = bytes;
    rt.memory.used += bytes;
    return b;
}

Buffer *buffer_borrow(const void *data, size_t bytes, const CsSite *site)
{
    Buffer *b = new_of(bytes, site);
    if (!b) return NULL;
    b->host = (void *)(uintptr_t)data;
    b->borrowed = true;
    b->device_stale = true;
    return b;
}

Buffer *buffer_foreign(void *device, size_t bytes, const CsSite *site)
{
    Buffer *b = device_open(site) ? new_of(bytes, site) : NULL;
    if (!b) return NULL;
    mem_count((ptrdiff_t)bytes); /* of the copy that the host may want */
    if (device_adopt(b, device)) return b;
    buffer_release(b);
    return NULL;
}

bool buffer_keep(Buffer *b, const CsSite *site)
{
    const void *from = buffer_host(b, false, site);
    Buffer *own = from ? buffer_new(b->bytes, false, site) : NULL;
    void *to = own ? buffer_host(own, true, site) : NULL;
    if (to) memcpy(to, from, b->bytes);
    bool foreign = !b->borrowed; /* then the host has a copy that is ours */
    if (!to || (b->device && !device_forget(b))) {
        buffer_release(own);
        return false;
    }
    rt.memory.used -= b->capacity;
    if (foreign) {
        free_pages(b);
        mem_count(-(ptrdiff_t)b->capacity);
    }
    take_memory(b, own);
    b->borrowed = b->foreign = false;
    b->host_stale = false;
    b->device_stale = true;
    mem_object_free(own);
    return true;
}

/* ---- what is held back ------------------------------------------------------------------- */

void buffer_lend(Buffer *b)
{
    Buffer *memory = b->ring || b->lent ? NULL : mem_object(sizeof *memory);
    if (!memory) return;
    memory->refs = 1;
    memory->bytes = b->bytes;
    take_memory(memory, b);
    take_memory(b, &(Buffer){.capacity = b->capacity});
    b->lent = true;
    buffer_release(memory);
}

void buffer_take_over(Buffer *b, Buffer *from)
{
    take_memory(b, from);
    b->host_stale = from->host_stale;
    b->device_stale = from->device_stale;
    b->fresh = from->fresh;
    b->lent = false;
    take_memory(from, &(Buffer){.capacity = from->capacity});
    from->lent = true;
}

bool buffer_regain(Buffer *b, const CsSite *site)
{
    Buffer *memory = b->lent ? buffer_new(b->bytes, false, site) : NULL;
    if (!b->lent) return true;
    if (!memory) return false;
    take_memory(b, memory);
    b->lent = false;
    mem_object_free(memory);
    return true;
}

void *buffer_host(Buffer *b, bool write, const CsSite *site)
{
    if (b->held && !rt_fill(b, site)) return NULL;
    if (b->part && !part_complete(b, site)) return NULL;
    return buffer_host_part(b, write, site);
}

void *buffer_host_part(Buffer *b, bool write, const CsSite *site)
{
    if (b->held && !rt_fill(b, site)) return NULL;
    if (!buffer_pages(b, false, site)) return NULL;
    write |= b->fresh; /* it has no contents: who looks is about to write */
    if (b->device && !device_to_host(b, write, site)) return NULL;
    b->host_stale = false;
    if (write) b->device_stale = true;
    return b->host;
}
