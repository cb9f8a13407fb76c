/* Closures (closure.h). A closure's domain is what its native says, asked once, or everything. */
#include "closure.h"

#include <stdlib.h>
#include <string.h>

#include "../../objects/count.h"
#include "../../objects/record.h"
#include "../../state.h"

static void read_type(void *known)
{
    RtNative *k = known;
    const CsNative *native = k->native;
    if (native->type) k->type = fd_type_read(rt_fd(), native->type);
    if (native->type && (!k->type || !k->type->result)) {
        fprintf(stderr, "internal error: the type of %s is \"%s\"\n", native->name, native->type);
        abort();
    }
}

/* False with an exception pending. */
static bool type_of(const CsNative *native, const FdType **out)
{
    RtNative known = {native, NULL};
    size_t i = 0;
    while (i < rt.natives.len && rt.natives.data[i].native != native) i++;
    if (i == rt.natives.len) {
        if (!vec_try(&rt.natives) || !mem_try(read_type, &known)) {
            rt_throw_memory(NULL, sizeof known);
            return false;
        }
        vec_push(&rt.natives, known);
    }
    *out = rt.natives.data[i].type;
    return true;
}

void *cs_closure(const CsNative *native, int32_t nenv, const CsValue *env, uint64_t refs)
{
    const FdType *type;
    if (!type_of(native, &type)) return NULL;
    Closure *c = rt_object_new(sizeof *c + (size_t)nenv * sizeof(CsValue), CS_CLOSURE);
    if (!c) return NULL;
    c->native = native;
    c->type = type;
    c->nenv = nenv;
    c->refs = refs;
    for (int32_t i = 0; i < nenv; i++) {
        c->env[i] = env[i];
        if (!(refs >> i & 1)) continue;
        const CsHead *captured = cs_retain(env[i].ref);
        if (captured && captured->colour != RT_GREEN) c->head.colour = RT_BLACK;
    }
    return c;
}

void *cs_native(const CsNative *native)
{
    return cs_closure(native, 0, NULL, 0);
}

void closure_drop_rest(Closure *c)
{
    mem_object_free((void *)(uintptr_t)c->box);
}

const CsNative *rt_native_find(const char *name)
{
    const CsProgram *p = rt.program;
    for (int32_t i = 0; p && i < p->nnatives; i++)
        if (strcmp(p->natives[i]->name, name) == 0) return p->natives[i];
    return NULL;
}

/* ---- domains -------------------------------------------------------------------------- */

/* What is said of a domain while an exception is pending. */
static const FdBox *empty_box(int rank)
{
    static FdBox boxes[FD_MAX_RANK + 1];
    if (rank > FD_MAX_RANK) rank = FD_MAX_RANK;
    boxes[rank].rank = rank;
    return &boxes[rank];
}

const FdBox *closure_box(Closure *c)
{
    if (c->box) return c->box;
    FdBox *box = mem_object(sizeof *box);
    if (!box) {
        rt_throw_memory(NULL, sizeof *box);
        return empty_box(c->native->nparams);
    }
    MemTry *t = mem_suspend(); /* the program returns, whatever happens */
    /* what has more parameters has no domain */
    box->rank = c->native->nparams < FD_MAX_RANK ? c->native->nparams : FD_MAX_RANK;
    for (int d = 0; d < box->rank; d++) {
        box->dim[d].full = !c->native->lower && !c->native->upper;
        if (box->dim[d].full || cs_pending) continue;
        box->dim[d].lo = c->native->lower ? c->native->lower(c->env, d) : INT32_MIN;
        if (cs_pending) continue;
        box->dim[d].hi =
            c->native->upper ? (int64_t)c->native->upper(c->env, d) + 1 : (int64_t)INT32_MAX + 1;
        if (box->dim[d].hi < box->dim[d].lo) box->dim[d].hi = box->dim[d].lo;
    }
    mem_resume(t);
    if (!cs_pending) return c->box = box;
    mem_object_free(box); /* the next one asks again */
    return empty_box(c->native->nparams);
}

bool closure_is_tabular(const Closure *c)
{
    if (!c->type || c->type->nparams > CS_MAX_RANK || c->type->result->result) return false;
    for (int i = 0; i < c->type->nparams; i++)
        if (c->type->params[i]->result || c->type->params[i]->record ||
            c->type->params[i]->scalar != SC_INT)
            return false;
    return true;
}

bool closure_is_object(const Closure *c)
{
    return c->native->is_object;
}

/* ---- calls ---------------------------------------------------------------------------- */

bool closure_call(Closure *c, const CsValue *args, CsValue *out, const CsSite *site)
{
    const FdBox *box = closure_box(c);
    int64_t index[FD_MAX_RANK];
    bool inside = true, bounded = c->native->lower || c->native->upper;
    for (int d = 0; bounded && d < box->rank; d++) {
        index[d] = args[d].i;
        inside &= index[d] >= box->dim[d].lo && index[d] < box->dim[d].hi;
    }
    if (cs_pending) return false;
    if (!inside) {
        rt_throw_outside(site, c->native->name, box, index);
        return false;
    }
    MemTry *t = mem_suspend();
    cs_retain(c); /* what it calls may drop it */
    c->native->call(c->env, args, out);
    cs_release(c);
    mem_resume(t);
    if (cs_pending && site) cs_frame(site);
    return !cs_pending;
}

/* int[] of lo..hi, counted from 0. */
static Array *run(int64_t lo, int64_t n, const CsSite *site)
{
    Array *a = rt_array_new(SC_INT, 1, NULL, &n, false, site);
    int32_t *p = a ? rt_array_data(a, site) : NULL;
    for (int64_t i = 0; p && i < n; i++) p[i] = (int32_t)(lo + i);
    return a;
}

/* All at once, through Invoke of arrays. */
static bool fill_block(Closure *c, Array *to, const CsSite *site)
{
    void *indices[CS_MAX_RANK] = {NULL};
    const CsArray *h = &to->head;
    bool good = true;
    for (int32_t d = 0; good && d < h->rank; d++)
        good = (indices[d] = run(h->dim[d].lo, h->dim[d].n, site)) != NULL;
    Array *from = good ? c->native->block(c->env, indices) : NULL;
    for (int32_t d = 0; d < h->rank; d++) cs_release(indices[d]);
    if (cs_pending && site && good) cs_frame(site);
    good = from && !cs_pending;
    if (good && (from->head.elem != h->elem || rt_array_count(from) != rt_array_count(to))) {
        rt_throw(RT_DOMAIN, site, "Invoke of %s was asked for %lld elements and gave %lld",
                 c->native->name, (long long)rt_array_count(to), (long long)rt_array_count(from));
        good = false;
    }
    void *data = good ? rt_array_data(to, site) : NULL;
    const void *given = data ? rt_array_data(from, site) : NULL;
    if (given) memcpy(data, given, to->head.buffer->bytes);
    cs_release(from);
    return given != NULL;
}

static bool fill_elements(Closure *c, Array *to, const CsSite *site)
{
    const CsArray *h = &to->head;
    void *data = rt_array_data(to, site);
    CsValue index[CS_MAX_RANK], out[RT_MAX_LEAVES];
    for (int64_t at = 0, n = rt_array_count(to); data && at < n; at++) {
        int64_t rest = at;
        for (int32_t d = h->rank - 1; d >= 0; d--) {
            index[d].i = h->dim[d].lo + rest % h->dim[d].n;
            rest /= h->dim[d].n;
        }
        out[0].i = 0;
        c->native->call(c->env, index, out);
        if (cs_pending) {
            if (site) cs_frame(site);
            return false;
        }
        ScalarValue leaves[RT_MAX_LEAVES];
        for (int i = 0, k = fd_type_leaves(c->type->result); i < k; i++) leaves[i].i = out[i].i;
        elem_store(to, data, at, leaves);
    }
    return data != NULL;
}

Array *closure_block(Closure *c, const FdBox *box, const CsSite *site)
{
    int64_t count;
    if (!rt_box_count(box, &count)) {
        rt_throw_memory(site, SIZE_MAX);
        return NULL;
    }
    Array *a = rt_array_over(elem_of_type(c->type->result), box, site);
    if (!a || count == 0) return a;
    MemTry *t = mem_suspend();
    cs_retain(c);
    bool good = c->native->block ? fill_block(c, a, site) : fill_elements(c, a, site);
    cs_release(c);
    mem_resume(t);
    if (good) return a;
    cs_release(a);
    return NULL;
}
