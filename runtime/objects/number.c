/* Numbers of objects, in the order in which they were asked for: the same on all ranks, where addresses are not. A
 * table with open addressing; an object that dies gives its place up. */
#include "number.h"

#include "../state.h"

enum { FIRST_ROOM = 64 };

static size_t place_of(const void *object)
{
    uint64_t x = (uint64_t)(uintptr_t)object >> 4;
    return (size_t)((x * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (rt.numbers.room - 1);
}

static size_t next_of(size_t at)
{
    return (at + 1) & (rt.numbers.room - 1);
}

/* Where it is, or would be. */
static RtNumber *find(const void *object)
{
    size_t at = place_of(object);
    while (rt.numbers.of[at].object && rt.numbers.of[at].object != object) at = next_of(at);
    return &rt.numbers.of[at];
}

static bool grow(void)
{
    size_t before = rt.numbers.room, room = before ? 2 * before : FIRST_ROOM;
    RtNumber *old = rt.numbers.of, *of = mem_object(room * sizeof *of);
    if (!of) return false;
    rt.numbers.of = of;
    rt.numbers.room = room;
    for (size_t i = 0; i < before; i++)
        if (old[i].object) *find(old[i].object) = old[i];
    mem_object_free(old);
    return true;
}

uint64_t number_of(const void *object)
{
    if (2 * (rt.numbers.len + 1) > rt.numbers.room && !grow()) return 0;
    RtNumber *n = find(object);
    if (n->object) return n->number;
    *n = (RtNumber){object, ++rt.numbers.last};
    rt.numbers.len++;
    return n->number;
}

void number_forget(const void *object)
{
    RtNumber *n = find(object);
    if (!n->object) return;
    rt.numbers.len--;
    n->object = NULL;
    for (size_t at = next_of((size_t)(n - rt.numbers.of)); rt.numbers.of[at].object;
         at = next_of(at)) { /* those behind it may have wanted its place */
        RtNumber moved = rt.numbers.of[at];
        rt.numbers.of[at].object = NULL;
        *find(moved.object) = moved;
    }
}

void numbers_end(void)
{
    mem_object_free(rt.numbers.of);
}
