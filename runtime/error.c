/* Exceptions: the pending one, its frames, and what an uncaught one prints. One that the runtime
 * throws is a kind and a message until somebody catches it: then it becomes an object.
 * Frames are copied, innermost first; of very deep stacks the innermost RT_MAX_FRAMES are kept.
 * Messages are one line and end without a full stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "object.h"
#include "state.h"

int32_t cs_pending;

/* ---- throwing -------------------------------------------------------------------------- */

static void add_frame(const CsSite *site)
{
    if (rt.error.nframes < RT_MAX_FRAMES)
        rt.error.frames[rt.error.nframes++] = *site;
    else
        rt.error.more++;
}

static void pend(const CsSite *site)
{
    cs_pending = 1;
    rt.error.nframes = rt.error.more = 0;
    if (site) add_frame(site);
}

void rt_throw(RtError kind, const CsSite *site, const char *fmt, ...)
{
    if (cs_pending) return;
    pend(site);
    rt.error.kind = kind;
    text_free(&rt.error.message);
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&rt.error.message, fmt, ap);
    va_end(ap);
}

void cs_throw(void *exception, const CsSite *site)
{
    if (!exception) rt_throw(RT_NULL, site, "null is thrown, which is no exception");
    if (cs_pending) return;
    pend(site);
    rt.error.object = cs_retain(exception);
}

void rt_throw_memory(const CsSite *site, size_t bytes)
{
    if (bytes == SIZE_MAX)
        rt_throw(RT_MEMORY, site, "an array of so many elements does not fit any memory");
    else if (bytes < 1 << 20)
        rt_throw(RT_MEMORY, site, "no room for %zu bytes", bytes);
    else
        rt_throw(RT_MEMORY, site, "no room for %.1f MiB", (double)bytes / 1048576.0);
}

/* ---- catching -------------------------------------------------------------------------- */

void cs_throw_stack(const CsSite *site)
{
    rt_throw(RT_STACK, site, "functions call each other too deep");
}

/* A stack that has no room is no state to go on from: as in C#, the program ends where a handler or
 * `finally` would run, and says what has been left so far. */
static void end_if_stack_overflow(void)
{
    if (!cs_pending || rt.error.object || rt.error.kind != RT_STACK) return;
    console_flush();
    error_print(stderr);
    _exit(1);
}

static void forget(void)
{
    CsObject *object = rt.error.object;
    rt.error.object = NULL;
    cs_pending = 0;
    rt.error.nframes = rt.error.more = 0;
    text_free(&rt.error.message);
    text_free(&rt.error.full);
    cs_release(object);
}

void rt_catch(void)
{
    end_if_stack_overflow();
    forget();
}

static const CsClass *pending_class(void)
{
    return rt.error.object ? rt.error.object->cls : object_exception_of(rt.error.kind);
}

int32_t cs_catch_is(const CsClass *cls)
{
    end_if_stack_overflow();
    return cs_pending && (!cls || object_is(pending_class(), cls));
}

/* Of every exception the first field. */
static Str **message_of(CsObject *exception)
{
    return (Str **)(exception + 1);
}

static void keep_trace(CsObject *exception)
{
    Trace **trace = object_trace(exception);
    size_t bytes = sizeof **trace + (size_t)rt.error.nframes * sizeof(CsSite);
    free(*trace);
    *trace = malloc(bytes);
    if (!*trace) return; /* it will say less */
    (*trace)->nframes = rt.error.nframes;
    (*trace)->more = rt.error.more;
    memcpy((*trace)->frames, rt.error.frames, (size_t)rt.error.nframes * sizeof(CsSite));
}

void *cs_catch(void)
{
    end_if_stack_overflow();
    CsObject *o = cs_retain(rt.error.object);
    if (!o) {
        o = rt_object_new(object_bytes(pending_class()), CS_OBJECT);
        object_init(o, pending_class());
        *message_of(o) = rt_str_new(rt.error.message.data, (int64_t)rt.error.message.len);
    }
    keep_trace(o);
    rt_catch();
    return o;
}

void cs_rethrow(void *exception)
{
    if (!exception) rt_throw(RT_NULL, NULL, "null is thrown, which is no exception");
    if (cs_pending) return;
    pend(NULL);
    rt.error.object = cs_retain(exception);
    const Trace *trace = *object_trace(exception);
    if (!trace) return;
    rt.error.nframes = trace->nframes;
    rt.error.more = trace->more;
    memcpy(rt.error.frames, trace->frames, (size_t)trace->nframes * sizeof(CsSite));
}

void *cs_save_exception(void)
{
    return cs_pending ? cs_catch() : NULL;
}

void cs_restore_exception(void *saved)
{
    if (saved) cs_rethrow(saved);
    cs_release(saved);
}

/* ---- what is told ---------------------------------------------------------------------- */

const char *rt_pending_message(void)
{
    if (!cs_pending) return NULL;
    const Str *own = rt.error.object ? *message_of(rt.error.object) : NULL;
    const char *message = own                     ? own->bytes
                          : rt.error.object       ? ""
                          : rt.error.message.data ? rt.error.message.data
                                                  : "";
    text_free(&rt.error.full);
    text_printf(&rt.error.full, *message ? "%s: %s" : "%s", pending_class()->name, message);
    return rt.error.full.data;
}

void cs_frame(const CsSite *site)
{
    add_frame(site);
}

void error_print(FILE *out)
{
    fprintf(out, "Unhandled %s\n", rt_pending_message());
    for (int i = 0; i < rt.error.nframes; i++) {
        const CsSite *s = &rt.error.frames[i];
        fprintf(out, "   at %s (%s:%d:%d)\n", s->function, s->file, (int)s->line, (int)s->col);
    }
    if (rt.error.more) fprintf(out, "   ... and %d more\n", rt.error.more);
}

void error_end(void)
{
    forget();
    if (rt.error.names) interner_free(rt.error.names);
    rt.error.names = NULL;
}

void cs_throw_divide(const CsSite *site)
{
    rt_throw(RT_DIVIDE, site, "integer division by zero");
}

void cs_throw_overflow(int64_t length, const CsSite *site)
{
    rt_throw(RT_OVERFLOW, site, "%lld does not fit an int; LongLength counts further",
             (long long)length);
}

CsSite rt_site_at(const CsSite *site, FdLoc loc)
{
    CsSite s = site ? *site : (CsSite){"?", "?", 0, 0};
    if (loc.line) {
        s.line = loc.line;
        s.col = loc.col;
    }
    return s;
}

CsSite rt_site_of(const CsSite *site, const FdNode *root, const FdNode *n)
{
    CsSite s = rt_site_at(site, n ? n->loc : (FdLoc){0});
    const FdUser *u = n && n->loc.line ? fd_user_around(root, n) : NULL;
    if (!u || cs_pending) return s;
    if (!rt.error.names) rt.error.names = interner_new();
    s.function = intern(rt.error.names, u->name, strcspn(u->name, ".")); /* "f.2": the second f */
    return s;
}

void rt_frame_around(const CsSite *at, const CsSite *site)
{
    if (site && at->function != site->function) cs_frame(site);
}

void rt_throw_outside(const CsSite *site, const char *name, const FdBox *box, const int64_t *index)
{
    Text t = {0};
    text_add(&t, box->rank == 1 ? "index " : "index (");
    for (int d = 0; d < box->rank; d++)
        text_printf(&t, "%s%lld", d ? ", " : "", (long long)index[d]);
    text_add(&t, box->rank == 1 ? " is outside " : ") is outside ");
    if (name) text_printf(&t, "%s's domain ", name);
    for (int d = 0; d < box->rank; d++)
        if (box->dim[d].full)
            text_printf(&t, "%sall", d ? ", " : "");
        else
            text_printf(&t, "%s%lld..%lld", d ? ", " : "", (long long)box->dim[d].lo,
                        (long long)box->dim[d].hi);
    rt_throw(RT_INDEX, site, "%s", t.data);
    text_free(&t);
}

void rt_throw_slice(const CsSite *site, int d, int64_t lo, int64_t hi, int64_t first, int64_t end)
{
    rt_throw(RT_RANGE, site, "the slice %lld..%lld %s dimension %d, %lld..%lld", (long long)lo,
             (long long)hi, hi < lo ? "ends before it begins, in" : "is outside", d,
             (long long)first, (long long)end);
}

void cs_throw_index(void *array, int32_t n, const int64_t *index, const CsSite *site)
{
    FdBox box = rt_array_box(array);
    box.rank = n < box.rank ? n : box.rank;
    rt_throw_outside(site, NULL, &box, index);
}
