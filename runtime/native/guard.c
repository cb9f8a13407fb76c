/* CS_GUARD=1, for tests: a run of native kernels gets copies of its buffers, each of which ends at a
 * page that nobody may touch, or in every other run begins behind one. A read or write outside ends
 * the program there, as it would not within a page of other values. Temporaries begin as garbage. */
#include "guard.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../state.h"

enum { PAGE = 4096, GARBAGE = 0xA5 };

struct Guarded {
    Guarded *next;
    char *map, *copy;
    void *from; /* NULL: a temporary, which nobody looks at again */
    size_t mapped, bytes;
};

bool guard_wanted(void)
{
    if (!rt.guard_read) {
        const char *wish = getenv("CS_GUARD");
        rt.guard_read = wish && strcmp(wish, "1") == 0 ? 2 : 1;
    }
    return rt.guard_read == 2;
}

/* The copy of what lies there, which is one buffer whatever its part in the run is. */
static Guarded *find(Guarded *all, const void *from)
{
    while (all && (!from || all->from != from)) all = all->next;
    return all;
}

void *guard_put(Guarded **all, void *from, size_t bytes, bool before)
{
    Guarded *g = find(*all, from);
    if (g) return g->copy;
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE, mapped = pages + 2 * PAGE;
    g = malloc(sizeof *g);
    char *map = g ? mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (map == MAP_FAILED || mprotect(map + PAGE, pages, PROT_READ | PROT_WRITE) != 0) {
        free(g);
        return NULL;
    }
    *g = (Guarded){*all, map, map + PAGE + (before ? 0 : pages - bytes), from, mapped, bytes};
    *all = g;
    memset(map + PAGE, GARBAGE, pages);
    if (from) memcpy(g->copy, from, bytes);
    return g->copy;
}

void guard_end(Guarded *all)
{
    while (all) {
        Guarded *g = all;
        all = g->next;
        if (g->from) memcpy(g->from, g->copy, g->bytes);
        munmap(g->map, g->mapped);
        free(g);
    }
}
