/* Contexts. The runtime has one state; a context that is not at work keeps its own aside, with its
 * graphs and the static fields of the program, which lie in the library itself. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "../library/console.h"
#include "../stack.h"
#include "embed.h"

struct cs_context {
    const CsLibrary *library;
    RtState state; /* while another one is at work */
    int users;
    char *device;  /* RtState.device_wish */
    char *statics; /* their bytes, while another one is at work */
};

static struct {
    pthread_mutex_t lock;
    cs_context *now; /* whose state `rt` is, or NULL */
    bool watches;    /* forks */
} embed = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- one at a time --------------------------------------------------------------------- */

static void swap_statics(cs_context *c, bool in)
{
    char *at = c->statics;
    for (int32_t i = 0; i < c->library->nstatics; i++) {
        const CsStatic *s = &c->library->statics[i];
        if (in) {
            memcpy(s->at, at, (size_t)s->bytes);
        } else {
            memcpy(at, s->at, (size_t)s->bytes);
            memset(s->at, 0, (size_t)s->bytes);
        }
        at += s->bytes;
    }
}

static void put_aside(cs_context *c)
{
    swap_statics(c, false);
    for (size_t i = 0; i < rt.graphs.len; i++) rt.graphs.data[i].graph->parsed = NULL;
    c->state = rt;
    rt = (RtState){0};
}

static void bring_back(cs_context *c)
{
    rt = c->state;
    for (size_t i = 0; i < rt.graphs.len; i++)
        rt.graphs.data[i].graph->parsed = rt.graphs.data[i].parsed;
    swap_statics(c, true);
}

void embed_enter(cs_context *c)
{
    pthread_mutex_lock(&embed.lock);
    if (!embed.watches) embed_watch_forks(&embed.lock);
    embed.watches = true;
    if (embed.now != c) {
        if (embed.now) put_aside(embed.now);
        embed.now = c;
        bring_back(c);
    }
    stack_enter();
    embed_heed();
}

cs_error *embed_leave(void)
{
    embed_unheed();
    cs_error *e = cs_pending ? embed_take_error() : NULL;
    console_flush();
    pthread_mutex_unlock(&embed.lock);
    return e;
}

/* ---- opening, closing ------------------------------------------------------------------- */

static size_t static_bytes(const CsLibrary *l)
{
    size_t bytes = 1;
    for (int32_t i = 0; i < l->nstatics; i++) bytes += (size_t)l->statics[i].bytes;
    return bytes;
}

static void free_context(cs_context *c)
{
    free(c->statics);
    free(c->device);
    free(c);
}

static cs_context *new_context(const CsLibrary *library, const char *device)
{
    cs_context *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->library = library;
    c->users = 1;
    c->statics = calloc(1, static_bytes(library));
    c->device = device && *device ? strdup(device) : NULL;
    if (c->statics && (c->device || !device || !*device)) return c;
    free_context(c);
    return NULL;
}

/* The state that is here becomes nobody's. */
static void end(cs_context *c)
{
    rt_catch();
    c->library->release();
    rt_end(false);
    embed.now = NULL;
    free_context(c);
}

/* given: OpenCL objects, or NULL. */
static cs_error *open_with(const CsLibrary *library, const char *device, void *const given[3],
                           cs_context **out)
{
    cs_error *refusal = embed_refusal();
    if (refusal) return refusal;
    cs_context *c = new_context(library, device);
    if (!c) return embed_fail(CS_MEMORY, "OutOfMemoryException", "there is no memory left");
    embed_enter(c);
    rt.embedded = true;
    rt.device_wish = given ? "opencl" : c->device;
    if (given) {
        rt.given.context = given[0];
        rt.given.device = given[1];
        rt.given.queue = given[2];
    }
    bool begun = rt_begin(library->program);
    if (begun && given) device_open(NULL);
    if (begun && !given) device_wish_fits();
    if (begun && !cs_pending) library->init();
    if (begun && !cs_pending) {
        *out = c;
        return embed_leave();
    }
    cs_error *e = begun ? embed_take_error()
                        : embed_fail(CS_MEMORY, "OutOfMemoryException", "there is no memory left");
    end(c);
    embed_leave();
    return e;
}

cs_error *cs_embed_open(const CsLibrary *library, const char *device, cs_context **out)
{
    return open_with(library, device, NULL, out);
}

cs_error *cs_embed_open_opencl(const CsLibrary *library, void *context, void *device, void *queue,
                               cs_context **out)
{
    void *const given[3] = {context, device, queue};
    if (!context || !device || !queue)
        return embed_fail(CS_ARGUMENT_NULL, "ArgumentNullException",
                          "context, device and queue are all to be given");
    return open_with(library, NULL, given, out);
}

void embed_use(cs_context *c)
{
    c->users++;
}

void embed_unuse(cs_context *c)
{
    if (--c->users == 0) end(c);
}

void cs_embed_close(cs_context *context)
{
    if (!context || embed_is_refused()) return;
    embed_enter(context);
    embed_unuse(context);
    embed_leave();
}
