/* Functions with yield: the frame of one that is suspended is in an object, behind its head. Compiled code
 * makes it (codegen/host/statement/yield.c); LLVM puts two functions at its beginning: the first goes on
 * and is NULL at the end, the second gives up what the frame owns. The references among that are the slots
 * of the function, which the collector of cycles sees while nobody runs it. */
#include <string.h>

#include "../device/memory.h"
#include "../state.h"
#include "count.h"

typedef void Step(void *frame);

typedef struct Coroutine {
    CsHead head;
    struct Coroutine *next; /* of the dead (count.c) */
    void **slots;
    int32_t nslots;
    bool running, ended;
    _Alignas(16) Step *steps[]; /* the frame */
} Coroutine;

void *cs_coroutine(int64_t bytes)
{
    Coroutine *c = rt_object_new(sizeof *c + (size_t)bytes, CS_COROUTINE);
    if (c) c->ended = true; /* until the frame is begun */
    return c;
}

void *cs_coroutine_frame(void *coroutine)
{
    return ((Coroutine *)coroutine)->steps;
}

void cs_coroutine_slots(void *coroutine, void *slots, int64_t count)
{
    Coroutine *c = coroutine;
    c->slots = slots;
    c->nslots = (int32_t)count;
    c->head.colour = count ? RT_BLACK : RT_GREEN;
    c->ended = false;
}

/* The frame is of no more use. */
static void end(Coroutine *c)
{
    c->ended = true;
    c->steps[1](c->steps);
    c->nslots = 0;
}

int32_t cs_resume(void *coroutine, const CsSite *site)
{
    Coroutine *c = coroutine;
    if (c->running || c->ended) return 0;
    c->running = true;
    c->steps[0](c->steps);
    c->running = false;
    if (cs_pending) cs_frame(site);
    if (!c->steps[0]) end(c);
    return !c->ended;
}

void coroutine_children(CsHead *h, RtVisit *visit, void *ctx)
{
    const Coroutine *c = (Coroutine *)h;
    for (int32_t i = 0; !c->running && i < c->nslots; i++)
        if (c->slots[i]) visit(ctx, c->slots[i]);
}

void **coroutine_link(CsHead *h)
{
    return (void **)(uintptr_t) & ((Coroutine *)h)->next;
}

/* Its references are given up already. */
void coroutine_drop_rest(CsHead *h)
{
    Coroutine *c = (Coroutine *)h;
    if (c->ended) return;
    if (c->nslots) memset(c->slots, 0, (size_t)c->nslots * sizeof *c->slots);
    end(c);
}
