/* Runs that stand ready (ready.h). */
#include "ready.h"

#include <string.h>

#include "../../base/arena.h"
#include "../device/memory.h"

enum {
    MOST = 8,            /* launches */
    MOST_WORK = 1 << 20, /* operations: from here on nobody feels what is saved */
    SCRATCH = 1 << 14,   /* bytes of temporaries, which stay as long as the numbers */
    LINE = 64            /* that begin at lines */
};

/* An argument that is an address. */
typedef struct Place {
    uint64_t *to;
    CgArgKind kind;
    int index;
} Place;

typedef struct ReadyLaunch {
    LaunchItems items;
    const CgLaunch *launch;
    uint64_t *args;
    int nplaces;
    Place *places;
} ReadyLaunch;

struct Ready {
    const CgSchedule *schedule;
    int nslots, nlaunches;
    void **slots, **temps, **outs;
    ReadyLaunch launches[MOST];
};

/* Memory for temporaries; false: they are many. */
static bool take_temps(Ready *ready, Arena *a)
{
    const CgSchedule *s = ready->schedule;
    size_t bytes = 0;
    for (int i = 0; i < s->ntemps; i++) {
        if (s->temp_bytes[i] > SCRATCH) return false;
        bytes += (s->temp_bytes[i] + LINE - 1) / LINE * LINE;
    }
    if (bytes > SCRATCH) return false;
    ready->temps = arena_array(a, void *, s->ntemps + 1);
    char *at = arena_alloc(a, bytes + LINE);
    at += (LINE - (uintptr_t)at % LINE) % LINE;
    for (int i = 0; i < s->ntemps; i++) {
        ready->temps[i] = s->temp_bytes[i] ? at : NULL;
        at += (s->temp_bytes[i] + LINE - 1) / LINE * LINE;
    }
    return true;
}

static void take_args(ReadyLaunch *l, Arena *a)
{
    l->args = arena_array(a, uint64_t, l->launch->nargs + 1);
    l->places = arena_array(a, Place, l->launch->nargs + 1);
    for (int i = 0; i < l->launch->nargs; i++) {
        const CgArg *arg = &l->launch->args[i];
        if (arg->kind == CG_ARG_BYTES) continue;
        l->places[l->nplaces++] = (Place){&l->args[i], arg->kind, arg->index};
    }
}

Ready *ready_new(Arena *a, const NativeRun *r)
{
    const CgSchedule *s = r->schedule;
    if (s->nlaunches > MOST || r->work > MOST_WORK) return NULL;
    Ready *ready = arena_new_of(a, Ready);
    ready->schedule = s;
    ready->nslots = r->nslots;
    ready->slots = arena_array(a, void *, r->nslots + 1);
    ready->outs = arena_array(a, void *, s->nouts + 1);
    for (int i = 0; i < s->nlaunches; i++) {
        ReadyLaunch *l = &ready->launches[ready->nlaunches];
        l->launch = &s->launches[i];
        if (!launch_items(r, l->launch, &l->items)) return NULL;
        if (l->items.items <= 0) continue;
        take_args(l, a);
        ready->nlaunches++;
    }
    if (!take_temps(ready, a)) return NULL;
    ready_values(ready, r->work);
    return ready;
}

void ready_values(Ready *ready, double work)
{
    for (int i = 0; i < ready->nlaunches; i++) {
        ReadyLaunch *l = &ready->launches[i];
        l->items.work = work;
        launch_sizes(l->launch, &l->items);
        for (int k = 0; k < l->launch->nargs; k++) launch_value(&l->launch->args[k], &l->args[k]);
    }
}

bool ready_run(const Ready *ready, Buffer *const *slots, Buffer *const *outs,
               uint32_t words[CG_ERROR_WORDS], const CsSite *site)
{
    const Memory m = {ready->slots, ready->temps, ready->outs, words};
    memset(words, 0, CG_ERROR_WORDS * sizeof *words);
    if (!launch_sides(slots, ready->nslots, false, ready->slots, site) ||
        !launch_sides(outs, ready->schedule->nouts, true, ready->outs, site))
        return false;
    for (int i = 0; i < ready->nlaunches && launch_goes_on(words); i++) {
        const ReadyLaunch *l = &ready->launches[i];
        if (!launch_acts(l->launch, words)) continue;
        for (int k = 0; k < l->nplaces; k++) {
            const Place *p = &l->places[k];
            void *memory = launch_memory(&m, p->kind, p->index);
            memcpy(p->to, &memory, sizeof memory);
        }
        launch_all(&l->items, l->args);
    }
    return true;
}
