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

/* An argument that is the address of an array or a result. */
typedef struct Place {
    uint64_t *to;
    void *const *from;
} Place;

/* One that is the value of a scalar. */
typedef struct Scalar {
    CgArg *arg;
    uint64_t *to;
} Scalar;

typedef struct ReadyLaunch {
    LaunchItems items;
    const CgLaunch *launch;
    uint64_t *args;
} ReadyLaunch;

struct Ready {
    ReadySides sides;
    const CgSchedule *schedule;
    int nslots, nlaunches, nplaces, nscalars;
    Place *places; /* of all launches */
    Scalar *scalars;
    void **temps;
    uint32_t words[CG_ERROR_WORDS];
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

/* What stays as it is; places get the rest. */
static void take_args(Ready *ready, ReadyLaunch *l, Arena *a)
{
    const Memory m = {.temps = ready->temps, .errors = ready->words};
    l->args = arena_array(a, uint64_t, l->launch->nargs + 1);
    for (int i = 0; i < l->launch->nargs; i++) {
        const CgArg *arg = &l->launch->args[i];
        if (arg->kind == CG_ARG_SLOT || arg->kind == CG_ARG_OUT) {
            void **from = arg->kind == CG_ARG_SLOT ? ready->sides.slots : ready->sides.outs;
            ready->places[ready->nplaces++] = (Place){&l->args[i], &from[arg->index]};
        } else if (arg->is_value) {
            ready->scalars[ready->nscalars++] = (Scalar){&l->launch->args[i], &l->args[i]};
        } else if (arg->kind != CG_ARG_BYTES) {
            void *memory = launch_memory(&m, arg->kind, arg->index);
            memcpy(&l->args[i], &memory, sizeof memory);
        }
    }
}

static int args_of(const CgSchedule *s)
{
    int n = 0;
    for (int i = 0; i < s->nlaunches; i++) n += s->launches[i].nargs;
    return n;
}

Ready *ready_new(Arena *a, const NativeRun *r)
{
    const CgSchedule *s = r->schedule;
    if (s->nlaunches > MOST || r->work > MOST_WORK) return NULL;
    Ready *ready = arena_new_of(a, Ready);
    ready->schedule = s;
    ready->nslots = r->nslots;
    ready->sides.slots = arena_array(a, void *, r->nslots + 1);
    ready->sides.outs = arena_array(a, void *, s->nouts + 1);
    ready->places = arena_array(a, Place, args_of(s) + 1);
    ready->scalars = arena_array(a, Scalar, args_of(s) + 1);
    if (!take_temps(ready, a)) return NULL;
    for (int i = 0; i < s->nlaunches; i++) {
        ReadyLaunch *l = &ready->launches[ready->nlaunches];
        l->launch = &s->launches[i];
        if (!launch_items(r, l->launch, &l->items)) return NULL;
        if (l->items.items <= 0) continue;
        take_args(ready, l, a);
        ready->nlaunches++;
    }
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

void ready_scalars(Ready *ready, const ScalarValue *slots)
{
    for (int i = 0; i < ready->nscalars; i++) {
        const Scalar *s = &ready->scalars[i];
        scalar_store(s->arg->bytes, s->arg->type, slots[s->arg->index]);
        memcpy(s->to, s->arg->bytes, sizeof s->arg->bytes); /* launch_value */
    }
}

ReadySides *ready_sides(Ready *ready)
{
    return &ready->sides;
}

const uint32_t *ready_go(Ready *ready)
{
    uint32_t *words = ready->words;
    memset(words, 0, sizeof ready->words);
    for (const Place *p = ready->places, *end = p + ready->nplaces; p < end; p++)
        memcpy(p->to, p->from, sizeof *p->from);
    for (int i = 0; i < ready->nlaunches && launch_goes_on(words); i++) {
        const ReadyLaunch *l = &ready->launches[i];
        if (launch_acts(l->launch, words)) launch_all(&l->items, l->args);
    }
    return words;
}

const uint32_t *ready_run(Ready *ready, Buffer *const *slots, Buffer *const *outs,
                          const CsSite *site)
{
    const ReadySides *sides = &ready->sides;
    if (!launch_sides(slots, ready->nslots, false, sides->slots, site) ||
        !launch_sides(outs, ready->schedule->nouts, true, sides->outs, site))
        return NULL;
    for (int k = 0; k < ready->nslots; k++)
        if (!sides->slots[k]) sides->slots[k] = memory_nothing();
    for (int i = 0; i < ready->schedule->nouts; i++)
        if (!sides->outs[i]) sides->outs[i] = memory_nothing();
    return ready_go(ready);
}
