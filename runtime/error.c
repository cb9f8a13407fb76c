/* Exceptions: the pending one, its frames, and what an uncaught one prints.
 * Frames are copied, innermost first; of very deep stacks the innermost RT_MAX_FRAMES are kept.
 * Messages are one line and end without a full stop. */
#include <stdio.h>
#include <string.h>

#include "state.h"

int32_t cs_pending;

static const char *const names[] = {
    [RT_DOMAIN] = "DomainException",
    [RT_INDEX] = "IndexOutOfRangeException",
    [RT_DIVIDE] = "DivideByZeroException",
    [RT_FORMAT] = "FormatException",
    [RT_IO] = "IOException",
    [RT_MEMORY] = "OutOfMemoryException",
    [RT_DEVICE] = "DeviceException",
};

static void add_frame(const CsSite *site)
{
    if (rt.error.nframes < RT_MAX_FRAMES)
        rt.error.frames[rt.error.nframes++] = *site;
    else
        rt.error.more++;
}

void rt_throw(RtError kind, const CsSite *site, const char *fmt, ...)
{
    if (cs_pending) return;
    cs_pending = 1;
    rt.error.kind = kind;
    rt.error.nframes = rt.error.more = 0;
    text_free(&rt.error.message);
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&rt.error.message, fmt, ap);
    va_end(ap);
    if (site) add_frame(site);
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

void rt_catch(void)
{
    cs_pending = 0;
    rt.error.nframes = rt.error.more = 0;
    text_free(&rt.error.message);
    text_free(&rt.error.full);
    text_free(&rt.error.function);
}

const char *rt_pending_message(void)
{
    if (!cs_pending) return NULL;
    text_free(&rt.error.full);
    text_printf(&rt.error.full, "%s: %s", names[rt.error.kind], rt.error.message.data);
    return rt.error.full.data;
}

/* The function that threw is the first frame already when the throwing call is in it. */
void cs_frame(const CsSite *site)
{
    const CsSite *last = rt.error.nframes == 1 ? &rt.error.frames[0] : NULL;
    if (last && !rt.error.more && last->line == site->line &&
        strcmp(last->function, site->function) == 0 && strcmp(last->file, site->file) == 0)
        return;
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

void cs_throw_divide(const CsSite *site)
{
    rt_throw(RT_DIVIDE, site, "integer division by zero");
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
    text_free(&rt.error.function);
    text_addn(&rt.error.function, u->name, strcspn(u->name, ".")); /* "f.2": the second f */
    s.function = rt.error.function.data;
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

void cs_throw_index(void *array, int32_t n, const int64_t *index, const CsSite *site)
{
    FdBox box = rt_array_box(array);
    box.rank = n < box.rank ? n : box.rank;
    rt_throw_outside(site, NULL, &box, index);
}
