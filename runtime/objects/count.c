/* Reference counts. Objects die through a list, not by recursion: a chain of a million values is
 * released in a loop. The list takes no memory: the dead are linked through a field of theirs that
 * is of no more use, which of an object is its first reference. */
#include "count.h"

#include "../device/memory.h"
#include "../evaluate/lazy/closure.h"
#include "../state.h"
#include "number.h"
#include "object.h"

void *rt_object_new(size_t bytes, CsKind kind)
{
    CsHead *h = mem_object(bytes);
    if (!h) {
        rt_throw_memory(NULL, bytes);
        return NULL;
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
    case CS_COROUTINE: coroutine_children(h, visit, ctx); return;
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
    else if (h->kind == CS_COROUTINE)
        coroutine_drop_rest(h);
}

/* ---- counts --------------------------------------------------------------------------- */

void *cs_retain(void *ref)
{
    CsHead *h = ref;
    if (h && h->refs >= 0) h->refs++;
    return ref;
}

/* Where a dead object keeps the next one; NULL: it has no references, and needs no list. */
static void **link_of(CsHead *h)
{
    switch ((CsKind)h->kind) {
    case CS_ARRAY: return ((Array *)h)->head.elem == CS_ELEM_REF ? &((Array *)h)->head.data : NULL;
    case CS_LAZY: return (void **)(uintptr_t) & ((Lazy *)h)->site;
    case CS_CLOSURE: return (void **)(uintptr_t) & ((Closure *)h)->type;
    case CS_COROUTINE: return coroutine_link(h);
    case CS_OBJECT: {
        const CsClass *cls = ((CsObject *)h)->cls;
        return cls->nrefs ? (void **)((char *)h + cls->refs[0]) : NULL;
    }
    default: return NULL;
    }
}

/* Is that one less the last one? */
static bool drops(CsHead *h)
{
    if (!h || h->refs < 0) return false;
    if (--h->refs == 0) return true;
    if (h->colour != RT_GREEN && !h->buffered) cycles_candidate(h);
    return false;
}

/* A candidate is still on the collector's list, which frees it. */
static void bury(CsHead *h)
{
    if (rt.numbers.len) number_forget(h);
    rt.value.live--;
    if (h->kind == CS_ARRAY && !h->buffered && memory_rest((Array *)h)) return;
    count_drop_rest(h);
    if (!h->buffered) mem_object_free(h);
}

/* Puts a dead object on the list, and what dies with the field that links it. */
static void doom(CsHead *h)
{
    while (h) {
        void **link = link_of(h);
        if (!link) {
            bury(h);
            return;
        }
        bool object = h->kind == CS_OBJECT;
        CsHead *child = object ? *link : NULL;
        if (object && ((CsObject *)h)->cls->nrefs == 1) { /* of a list: done with it at once */
            bury(h);
        } else {
            *link = rt.value.dying;
            rt.value.dying = h;
        }
        h = drops(child) ? child : NULL;
    }
}

static void release_child(void *ctx, CsHead *child)
{
    (void)ctx;
    if (drops(child)) doom(child);
}

static void die(CsHead *h)
{
    void **link = link_of(h);
    rt.value.dying = *link;
    *link = NULL; /* released already, or no reference */
    count_children(h, release_child, NULL);
    bury(h);
}

void cs_release(void *ref)
{
    CsHead *h = ref;
    if (!drops(h)) return;
    doom(h);
    if (rt.value.draining) return;
    rt.value.draining = true;
    while (rt.value.dying) die(rt.value.dying);
    rt.value.draining = false;
    cycles_step();
}
