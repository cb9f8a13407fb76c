/* The allocator (mem.h). A block has a header in front, which links it into the list of the mem_try
 * that it was made in; objects are the system's own blocks, whose size it knows. */
#include "mem.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Block {
    struct Block *prev, *next; /* NULL: in no list */
    size_t bytes;
    void (*drop)(void *block);
} Block;

_Static_assert(sizeof(Block) % 16 == 0, "blocks are aligned to 16");

struct MemTry {
    jmp_buf back;
    MemTry *outer;
    Block made; /* head of a ring */
};

static Block *block_of(const void *data)
{
    return (Block *)(uintptr_t)data - 1;
}

static struct {
    MemTry *now;
    void (*failed)(size_t bytes);
    size_t used, limit;
    bool (*more)(size_t bytes);
} mem = {.limit = SIZE_MAX};

/* ---- faults ------------------------------------------------------------------------------ */

#ifdef CS_FAULTS
/* CS_FAULT=alloc:N fails the N-th allocation, alloc:N+ all from there on; alloc:0 says at the end
 * how many there were. alloc:N@RANK does so in that process of several. Whatever fails, the end tells
 * what was not given back. */
static struct {
    bool read, on, all, count;
    unsigned long at, number;
} fault;

static void tell(void)
{
    if (fault.count) fprintf(stderr, "allocations: %lu\n", fault.number);
    if (mem.used) fprintf(stderr, "leaked: %zu bytes\n", mem.used);
}

static int fault_rank;

void mem_fault_rank(int rank)
{
    fault_rank = rank;
}

static bool fault_due(void)
{
    if (!fault.read) {
        const char *text = getenv("CS_FAULT");
        fault.read = true;
        if (text && strncmp(text, "alloc:", 6) == 0) {
            char *end;
            fault.at = strtoul(text + 6, &end, 10);
            fault.all = *end == '+';
            const char *rank = strchr(end, '@');
            fault.on = !rank || atoi(rank + 1) == fault_rank;
            fault.count = fault.at == 0;
            if (fault.on) atexit(tell);
        }
    }
    if (!fault.on) return false;
    fault.number++;
    return !fault.count && (fault.all ? fault.number >= fault.at : fault.number == fault.at);
}
#else
void mem_fault_rank(int rank)
{
    (void)rank;
}

static bool fault_due(void)
{
    return false;
}
#endif

/* ---- counting ---------------------------------------------------------------------------- */

bool mem_permits(size_t bytes)
{
    if (fault_due()) return false;
    return bytes < SIZE_MAX / 4 && (mem.used + bytes <= mem.limit || !mem.more || mem.more(bytes));
}

static void counted(void *p)
{
    mem.used += malloc_usable_size(p);
}

static void uncounted(void *p)
{
    mem.used -= malloc_usable_size(p);
}

size_t mem_used(void)
{
    return mem.used;
}

void mem_count(ptrdiff_t bytes)
{
    mem.used += (size_t)bytes;
}

void mem_limit(size_t limit, bool (*more)(size_t bytes))
{
    mem.limit = limit;
    mem.more = more;
}

/* ---- running out --------------------------------------------------------------------------- */

static void link_before(Block *at, Block *b)
{
    b->prev = at->prev;
    b->next = at;
    at->prev->next = b;
    at->prev = b;
}

static void unlink_block(Block *b)
{
    if (!b->next) return;
    b->prev->next = b->next;
    b->next->prev = b->prev;
    b->prev = b->next = NULL;
}

bool mem_try(void (*run)(void *ctx), void *ctx)
{
    MemTry t = {.outer = mem.now};
    t.made.prev = t.made.next = &t.made;
    mem.now = &t;
    bool good = setjmp(t.back) == 0;
    if (good) run(ctx);
    mem.now = t.outer;
    for (Block *b; (b = t.made.next) != &t.made;) {
        unlink_block(b);
        if (good) continue;
        if (b->drop)
            b->drop(b + 1);
        else
            mem_free(b + 1);
    }
    return good;
}

MemTry *mem_suspend(void)
{
    MemTry *t = mem.now;
    mem.now = NULL;
    return t;
}

void mem_resume(MemTry *suspended)
{
    mem.now = suspended;
}

bool mem_trying(void)
{
    return mem.now != NULL;
}

void mem_on_failure(void (*failed)(size_t bytes))
{
    mem.failed = failed;
}

void mem_fail(size_t bytes)
{
    if (mem.now) longjmp(mem.now->back, 1);
    if (mem.failed) mem.failed(bytes);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Zeroed. The C library keeps small blocks at hand for malloc alone; large ones it gets zeroed. */
static void *zeroed(size_t bytes)
{
    enum { SMALL = 1 << 10 };
    if (bytes > SMALL) return calloc(1, bytes);
    void *p = malloc(bytes);
    __asm__("" : "+r"(p)); /* else compilers make it calloc again */
    return p ? memset(p, 0, bytes) : NULL;
}

void *mem_inside(size_t bytes)
{
    Block *b = mem_permits(bytes) ? zeroed(sizeof *b + bytes) : NULL;
    if (!b) {
        mem_fail(bytes);
        return NULL;
    }
    counted(b);
    b->bytes = bytes;
    return b + 1;
}

void *mem_alloc(size_t bytes)
{
    void *p = mem_inside(bytes);
    if (p && mem.now) link_before(&mem.now->made, block_of(p));
    return p;
}

void *mem_beside(const void *older, size_t bytes)
{
    void *p = mem_inside(bytes);
    if (p && block_of(older)->next) link_before(block_of(older), block_of(p));
    return p;
}

void *mem_grow_quietly(void *block, size_t bytes)
{
    Block *b = block ? block_of(block) : NULL, *after = b ? b->next : NULL;
    if (!mem_permits(bytes)) return NULL;
    if (b) unlink_block(b);
    if (b) uncounted(b);
    Block *moved = realloc(b, sizeof *b + bytes);
    if (moved) {
        if (!b) *moved = (Block){0};
        b = moved;
        b->bytes = bytes;
    }
    if (b) counted(b);
    if (b && after) link_before(after, b);
    return moved ? b + 1 : NULL;
}

void *mem_grow(void *block, size_t bytes)
{
    void *p = block ? mem_grow_quietly(block, bytes) : mem_alloc(bytes);
    if (!p && block) mem_fail(bytes);
    return p;
}

void mem_adopt(void *block)
{
    if (block && mem.now) link_before(&mem.now->made, block_of(block));
}

void mem_set_drop(void *block, void (*drop)(void *block))
{
    block_of(block)->drop = drop;
}

void mem_free(void *block)
{
    if (!block) return;
    Block *b = block_of(block);
    unlink_block(b);
    uncounted(b);
    free(b);
}

/* ---- objects ------------------------------------------------------------------------------- */

void *mem_object(size_t bytes)
{
    void *p = mem_permits(bytes) ? zeroed(bytes) : NULL;
    if (p) counted(p);
    return p;
}

void mem_object_free(void *object)
{
    if (!object) return;
    uncounted(object);
    free(object);
}

bool mem_size_from_text(const char *text, size_t *out)
{
    char *end;
    double v = strtod(text, &end);
    const char *unit = *end ? strchr("KkMmGg", *end) : NULL;
    if (unit) {
        int shift = 10 * (int)((unit - "KkMmGg") / 2 + 1);
        v *= (double)((int64_t)1 << shift);
        end++;
    }
    if (*end != '\0' || text[0] < '0' || text[0] > '9' || v < 1 || v >= 9e18) return false;
    *out = (size_t)v;
    return true;
}
