/* Exceptions: the pending one, its frames, and what an uncaught one prints. One that the runtime
 * throws is a kind and a message until somebody catches it: then it becomes an object.
 * Frames are copied, innermost first; of very deep stacks the innermost RT_MAX_FRAMES are kept.
 * Messages are one line and end without a full stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "library/console.h"
#include "objects/object.h"
#include "ranks/ranks.h"
#include "ranks/transport.h"
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
    rt.error.agreed = false;
    rt.error.evaluation = rt.evaluations;
    rt.error.node = rt.error.index = 0;
    if (site) add_frame(site);
}

void rt_site(const CsSite *site)
{
    if (cs_pending && rt.error.nframes == 0 && site) add_frame(site);
}

void rt_throw(RtError kind, const CsSite *site, const char *fmt, ...)
{
    rt_site(site); /* of memory that ran out on the way here */
    if (cs_pending) return;
    MemTry *t = mem_suspend(); /* an exception outlives what throws it */
    text_free(&rt.error.message);
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&rt.error.message, fmt, ap);
    va_end(ap);
    if (!cs_pending) { /* there was memory for the message */
        pend(site);
        rt.error.kind = kind;
    }
    rt_site(site);
    mem_resume(t);
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
    rt_site(site);
    if (cs_pending) return;
    pend(site);
    rt.error.kind = *rt.error.internal ? RT_INTERNAL : RT_MEMORY;
    text_free(&rt.error.message);
    rt.error.bytes = bytes;
}

void rt_internal(const char *where, const char *what)
{
    snprintf(rt.error.internal, sizeof rt.error.internal, "%s: %s", where, what);
}

void rt_out_of_memory(size_t bytes)
{
    rt_throw_memory(NULL, bytes);
}

/* The message of an exception that the runtime threw. That of an OutOfMemoryException takes no
 * memory; `room` is for it. */
static const char *own_message(char room[64])
{
    size_t bytes = rt.error.bytes;
    if (rt.error.message.data) return rt.error.message.data;
    if (rt.error.kind == RT_INTERNAL) return rt.error.internal;
    if (rt.error.kind != RT_MEMORY) return "";
    if (bytes == SIZE_MAX) return "an array of so many elements does not fit any memory";
    if (bytes < 1 << 20)
        snprintf(room, 64, "no room for %zu bytes", bytes);
    else
        snprintf(room, 64, "no room for %.1f MiB", (double)bytes / 1048576.0);
    return room;
}

/* ---- catching -------------------------------------------------------------------------- */

/* Of every exception the first field. */
static Str **message_of(CsObject *exception)
{
    return (Str **)(exception + 1);
}

/* The second one; NULL: there is none. */
static CsObject *inner_of(CsObject *exception)
{
    return ((CsObject **)(exception + 1))[1];
}

/* The OutOfMemoryException that is there when no other can be made: object, message and trace are
 * made at the start of the program. It is never counted, and whoever catches it shares it. */
bool error_start(void)
{
    static const char text[] = "there is no memory left";
    const CsClass *cls = object_exception_of(RT_MEMORY);
    Str *message = mem_object(sizeof *message + sizeof text);
    CsObject *o = mem_object(object_bytes(cls));
    Trace *trace = mem_object(sizeof *trace + RT_MAX_FRAMES * sizeof(CsSite));
    if (!message || !o || !trace) {
        mem_object_free(message);
        mem_object_free(o);
        mem_object_free(trace);
        return false;
    }
    message->head = (CsHead){.refs = -1, .kind = CS_STR};
    message->len = sizeof text - 1;
    memcpy(message->bytes, text, sizeof text);
    o->head = (CsHead){.refs = -1, .kind = CS_OBJECT};
    object_init(o, cls);
    *message_of(o) = message;
    *object_trace(o) = trace;
    rt.error.spare = o;
    return true;
}

static void free_spare(void)
{
    CsObject *o = rt.error.spare;
    if (!o) return;
    mem_object_free(*message_of(o));
    mem_object_free(*object_trace(o));
    mem_object_free(o);
    rt.error.spare = NULL;
}

void cs_throw_stack(const CsSite *site)
{
    rt_throw(RT_STACK, site, "functions call each other too deep");
}

/* A stack that has no room is no state to go on from: as in C#, the program ends where a handler or
 * `finally` would run, and says what has been left so far. A library goes on. */
static void end_if_stack_overflow(void)
{
    if (rt.embedded || rt.session || !cs_pending || rt.error.object || rt.error.kind != RT_STACK)
        return;
    console_flush();
    if (ranks_first()) error_print(stderr);
    if (rt.ranks.size) rt.ranks.by->end();
    _exit(1);
}

void error_forget(void)
{
    CsObject *object = rt.error.object;
    rt.error.object = NULL;
    cs_pending = 0;
    rt.error.internal[0] = '\0';
    rt.error.nframes = rt.error.more = 0;
    text_free(&rt.error.message);
    text_free(&rt.error.full);
    cs_release(object);
}

void rt_catch(void)
{
    end_if_stack_overflow();
    error_forget();
}

/* What the runtime threw as an object; without memory for it, the OutOfMemoryException. */
static void make_object(void)
{
    char room[64];
    const CsClass *cls = object_exception_of(rt.error.kind);
    const char *text = own_message(room);
    if (!cs_pending || rt.error.object) return;
    CsObject *o = mem_object(object_bytes(cls));
    Str *message = o ? mem_object(sizeof *message + strlen(text) + 1) : NULL;
    if (!message) {
        mem_object_free(o);
        rt.error.object = rt.error.spare;
        return;
    }
    rt.value.live += 2;
    message->head = (CsHead){.refs = 1, .kind = CS_STR};
    message->len = (int64_t)strlen(text);
    memcpy(message->bytes, text, strlen(text));
    o->head = (CsHead){.refs = 1, .kind = CS_OBJECT};
    object_init(o, cls);
    *message_of(o) = message;
    rt.error.object = o;
}

static const CsClass *pending_class(void)
{
    return rt.error.object ? rt.error.object->cls : object_exception_of(rt.error.kind);
}

int32_t cs_catch_is(const CsClass *cls)
{
    ranks_share_pending();
    end_if_stack_overflow();
    bool deep = !rt.error.object && rt.error.kind == RT_STACK;
    if (deep && (rt.session || (rt.stops && interrupted()))) return 0;
    make_object(); /* which can make it another one */
    return cs_pending && (!cls || object_is(pending_class(), cls));
}

static void keep_trace(CsObject *exception)
{
    Trace **trace = object_trace(exception);
    size_t bytes = sizeof **trace + (size_t)rt.error.nframes * sizeof(CsSite);
    if (exception != rt.error.spare) { /* whose trace has room */
        mem_object_free(*trace);
        *trace = mem_object(bytes);
    }
    if (!*trace) return; /* it will say less */
    (*trace)->nframes = rt.error.nframes;
    (*trace)->more = rt.error.more;
    memcpy((*trace)->frames, rt.error.frames, (size_t)rt.error.nframes * sizeof(CsSite));
}

void *cs_catch(void)
{
    ranks_share_pending();
    end_if_stack_overflow();
    make_object();
    CsObject *o = cs_retain(rt.error.object);
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

static const char *pending_text(char room[64])
{
    const Str *own = rt.error.object ? *message_of(rt.error.object) : NULL;
    return own ? own->bytes : rt.error.object ? "" : own_message(room);
}

int error_told(const char **type, const char **message, char room[64])
{
    const CsClass *cls = pending_class();
    *message = pending_text(room);
    *type = cls->name;
    for (; cls; cls = cls->base)
        for (int i = 0; i < CS_NEXCEPTIONS; i++)
            if (cls == object_exception_of((RtError)i)) return i;
    return CS_NEXCEPTIONS;
}

const char *rt_pending_message(void)
{
    if (!cs_pending) return NULL;
    char room[64];
    text_free(&rt.error.full);
    const char *message = pending_text(room);
    text_printf(&rt.error.full, *message ? "%s: %s" : "%s", pending_class()->name, message);
    return rt.error.full.data;
}

void cs_frame(const CsSite *site)
{
    add_frame(site);
}

static void print_frames(FILE *out, int n, const CsSite *frames, int more)
{
    for (int i = 0; i < n; i++) {
        const CsSite *s = &frames[i];
        fprintf(out, "   at %s (%s:%d:%d)\n", s->function, s->file, (int)s->line, (int)s->col);
    }
    if (more) fprintf(out, "   ... and %d more\n", more);
}

/* What an exception was made of, as .NET prints it: the innermost one's frames come first. */
static void print_inner(FILE *out, CsObject *exception)
{
    if (!exception) return;
    const Str *message = *message_of(exception);
    const Trace *trace = *object_trace(exception);
    fprintf(out, " ---> %s%s%s\n", exception->cls->name, message && *message->bytes ? ": " : "",
            message ? message->bytes : "");
    print_inner(out, inner_of(exception));
    if (trace) print_frames(out, trace->nframes, trace->frames, trace->more);
    fputs("   --- End of inner exception stack trace ---\n", out);
}

void error_print(FILE *out)
{
    char room[64];
    const char *message = pending_text(room);
    fprintf(out, "Unhandled %s%s%s\n", pending_class()->name, *message ? ": " : "", message);
    if (rt.error.object) print_inner(out, inner_of(rt.error.object));
    print_frames(out, rt.error.nframes, rt.error.frames, rt.error.more);
}

void error_end(void)
{
    error_forget();
    if (rt.error.names) interner_free(rt.error.names);
    rt.error.names = NULL;
    free_spare();
}

void cs_throw_divide(const CsSite *site)
{
    rt_throw(RT_DIVIDE, site, "Attempted to divide by zero.");
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

/* The name of the user function that holds node n of root, kept. */
typedef struct FunctionName {
    const FdNode *root, *n;
    const char *kept; /* NULL: there is none */
} FunctionName;

static void find_name(void *name)
{
    FunctionName *f = name;
    const FdUser *u = fd_user_around(f->root, f->n);
    if (!u) return;
    Interner *names = rt.error.names ? rt.error.names : interner_new();
    f->kept = intern(names, u->name, strcspn(u->name, ".")); /* "f.2": the second f */
    rt.error.names = names;
}

CsSite rt_site_of(const CsSite *site, const FdNode *root, const FdNode *n)
{
    CsSite s = rt_site_at(site, n ? n->loc : (FdLoc){0});
    FunctionName f = {.root = root, .n = n};
    if (n && n->loc.line && !cs_pending && mem_try(find_name, &f) && f.kept) s.function = f.kept;
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
    bool from_end = !name && box->rank == 1 && !box->dim[0].full && box->dim[0].lo == 0 &&
                    index[0] < 0 && index[0] >= -box->dim[0].hi; /* in Python */
    if (from_end) text_printf(&t, "; from the end it is ^%lld", -(long long)index[0]);
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
