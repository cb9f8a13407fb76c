/* Reference counts. Objects die through a list, not by recursion: a chain of a million values is
 * released in a loop. */
#include "count.h"

#include <stdlib.h>

#include "closure.h"
#include "memory.h"
#include "object.h"
#include "state.h"

void *rt_object_new(size_t bytes, CsKind kind)
{
    CsHead *h = calloc(1, bytes);
    if (!h) {
        fputs("out of memory\n", stderr);
        abort();
    }
    h->refs = 1;
    h->kind = (int16_t)kind;
    rt.value.live++;
    return h;
}

/* ---- what objects own ----------------------------------------------------------------- */

static void visit_ref(RtVisit *visit, void *ctx, void *ref)
{
    if (ref) visit(ctx, ref);
}

void count_children(CsHead *h, RtVisit *visit, void *ctx)
{
    switch ((CsKind)h->kind) {
    case CS_ARRAY: {
        const Array *a = (Array *)h;
        if (a->head.elem != CS_ELEM_REF || !a->head.buffer) return;
        void **refs = a->head.buffer->host;
        for (int64_t i = 0, n = rt_array_count(a); i < n; i++) visit_ref(visit, ctx, refs[i]);
        return;
    }
    case CS_LAZY: {
        const Lazy *l = (Lazy *)h;
        for (int32_t i = 0; i < l->ncaptures; i++)
            if (l->graph->fd->slots[i].type->result) visit_ref(visit, ctx, l->captures[i].ref);
        visit_ref(visit, ctx, l->result);
        return;
    }
    case CS_OBJECT: {
        const CsClass *cls = ((CsObject *)h)->cls;
        for (int32_t i = 0; i < cls->nrefs; i++)
            visit_ref(visit, ctx, *(void **)((char *)h + cls->refs[i]));
        return;
    }
    case CS_CLOSURE: {
        const Closure *c = (Closure *)h;
        for (int32_t i = 0; i < c->nenv; i++)
            if (c->refs >> i & 1) visit_ref(visit, ctx, c->env[i].ref);
        return;
    }
    case CS_WRITER:
    case CS_STR: return;
    }
}

void count_drop_rest(CsHead *h)
{
    if (h->kind == CS_ARRAY)
        buffer_release(((Array *)h)->head.buffer);
    else if (h->kind == CS_CLOSURE)
        closure_drop_rest((Closure *)h);
    else if (h->kind == CS_OBJECT)
        object_drop_trace((CsObject *)h);
}

/* ---- counts --------------------------------------------------------------------------- */

void *cs_retain(void *ref)
{
    CsHead *h = ref;
    if (h && h->refs >= 0) h->refs++;
    return ref;
}

static void release_child(void *ctx, CsHead *child)
{
    (void)ctx;
    cs_release(child);
}

/* A candidate is still on the collector's list, which frees it. */
static void die(CsHead *h)
{
    count_children(h, release_child, NULL);
    count_drop_rest(h);
    rt.value.live--;
    if (!h->buffered) free(h);
}

void cs_release(void *ref)
{
    CsHead *h = ref;
    if (!h || h->refs < 0) return;
    if (--h->refs > 0) {
        if (h->colour != RT_GREEN && !h->buffered) cycles_candidate(h);
        return;
    }
    vec_push(&rt.value.dying, h);
    if (rt.value.draining) return;
    rt.value.draining = true;
    while (rt.value.dying.len) die(rt.value.dying.data[--rt.value.dying.len]);
    rt.value.draining = false;
    cycles_step();
}
