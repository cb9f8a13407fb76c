/* Calls of exported functions: arguments become the values of the runtime, the result the caller's.
 */
#include <stdlib.h>
#include <string.h>

#include "../objects/record.h"
#include "../stack.h"
#include "embed.h"

enum { FEW = 64 };

typedef struct Call {
    cs_context *context;
    const CsExport *function;
    bool handles;
    CsValue few[FEW], *values; /* of the parameters, records as their leaves */
    int64_t nvalues;
    void *kept[FEW]; /* what is given back afterwards: strings, and arrays that were borrowed */
    int nkept;
    void *slots[FEW]; /* variables of the parameters by reference that are no scalars, ours */
    int nslots;
} Call;

/* ---- arguments ---------------------------------------------------------------------------- */

static int leaves_of(const CsBorder *b)
{
    return elem_is_record(b->elem) && !b->rank && !b->mode ? fd_type_leaves(elem_type(b->elem)) : 1;
}

/* Room for the values. */
static bool make_room(Call *c)
{
    const CsExport *f = c->function;
    size_t n = 0;
    for (int32_t i = 0; i < f->nparams; i++) n += (size_t)leaves_of(&f->params[i]);
    c->values = n <= FEW ? c->few : mem_object(n * sizeof *c->values);
    if (!c->values) rt_throw_memory(NULL, n);
    return c->values != NULL;
}

static void *take_string(Call *c, const char *text)
{
    Str *s = text ? embed_take_text(text) : NULL;
    if (s) c->kept[c->nkept++] = s;
    return s;
}

static void *take_handle(Call *c, const CsBorder *b, const CsValue *args)
{
    Array *a = embed_array_of(c->context, args->ref);
    if (a && a->head.elem == b->elem && a->head.rank == b->rank) return a;
    rt_throw(RT_ARGUMENT, NULL,
             a ? "an argument of %s has another type or rank"
               : "an argument of %s is no array of this context",
             c->function->name);
    return NULL;
}

/* Held twice, so that nobody takes what only the caller has for his own and writes to it. */
static void *take_array(Call *c, const CsBorder *b, const CsValue *args)
{
    if (c->handles) return take_handle(c, b, args);
    int64_t n[CS_MAX_RANK];
    for (int32_t d = 0; d < b->rank; d++) n[d] = args[d + 1].i;
    Array *a = embed_borrow(b->elem, b->rank, n, args->ref);
    if (a) c->kept[c->nkept++] = cs_retain(a);
    return a;
}

/* A scalar or record is passed where it is, which is how C lays it out; what is counted by a variable of
 * ours. */
static void *take_place(Call *c, const CsBorder *b, const CsValue *args)
{
    if (!args->ref) {
        rt_throw(RT_ARGUMENT_NULL, NULL, "the place of an argument of %s is NULL",
                 c->function->name);
        return NULL;
    }
    if (!b->rank && b->elem != CS_ELEM_REF) return args->ref;
    void **slot = &c->slots[c->nslots++], *before = *(void **)args->ref;
    if (b->mode == CS_BY_REF && !b->rank && before) *slot = embed_take_text(before);
    if (b->mode == CS_BY_REF && b->rank) {
        const CsValue handle = {.ref = before};
        *slot = take_handle(c, b, &handle);
        if (*slot) cs_retain(*slot);
    }
    return slot;
}

static void take(Call *c, const CsBorder *b, const CsValue *args)
{
    CsValue *to = &c->values[c->nvalues];
    c->nvalues += leaves_of(b);
    if (b->mode)
        to->ref = take_place(c, b, args);
    else if (b->rank)
        to->ref = take_array(c, b, args);
    else if (b->elem == CS_ELEM_REF)
        to->ref = take_string(c, args->ref);
    else if (!elem_is_record(b->elem))
        *to = *args;
    else if (args->ref)
        embed_unpack(b->elem, args->ref, to);
    else
        rt_throw(RT_ARGUMENT_NULL, NULL, "an argument of %s is NULL", c->function->name);
}

/* ---- the result ---------------------------------------------------------------------------- */

static void give_string(Str *s, char **out)
{
    char *copy = s ? malloc(embed_text_bytes(s)) : NULL;
    if (s && !copy) rt_throw_memory(NULL, (size_t)s->len);
    if (copy) embed_put_text(copy, s);
    if (!cs_pending) *out = copy;
    cs_release(s);
}

static void give_array(const Call *c, void *fn, cs_array **out)
{
    static const CsSite site = {"the result", "a library", 0, 0};
    if (!fn) {
        rt_throw(RT_NULL, NULL, "%s gives no array", c->function->name);
        return;
    }
    Array *a = cs_force(fn, &site);
    cs_release(fn);
    cs_array *handle = a && !cs_pending ? embed_handle(c->context, a) : NULL;
    if (handle) *out = handle;
}

static bool has_slot(const CsBorder *b)
{
    return b->mode && (b->rank || b->elem == CS_ELEM_REF);
}

/* What can still fail of the variables' arrays, before anything is given. */
static void force_places(Call *c)
{
    static const CsSite site = {"a parameter", "a library", 0, 0};
    int slot = 0;
    for (int32_t i = 0; i < c->function->nparams && !cs_pending; i++) {
        const CsBorder *b = &c->function->params[i];
        if (!has_slot(b)) continue;
        void *fn = c->slots[slot++];
        if (!b->rank || !fn) continue;
        c->slots[slot - 1] = cs_force(fn, &site);
        cs_release(fn);
    }
}

/* What the variables hold now; as far as there is room. */
static void give_places(Call *c, const CsValue *args)
{
    const CsExport *f = c->function;
    int slot = 0;
    for (int32_t i = 0; i < f->nparams && !cs_pending; i++) {
        const CsBorder *b = &f->params[i];
        if (has_slot(b)) {
            void *now = c->slots[slot];
            c->slots[slot++] = NULL;
            if (b->rank)
                give_array(c, now, args->ref);
            else
                give_string(now, args->ref);
        }
        args += c->handles || b->mode ? 1 : b->rank + 1;
    }
}

static void give(const Call *c, const CsValue *values, void *out)
{
    const CsExport *f = c->function;
    if (f->elem == CS_ELEM_NONE) return;
    if (f->rank)
        give_array(c, values->ref, out);
    else if (f->elem == CS_ELEM_REF)
        give_string(values->ref, out);
    else
        embed_pack(f->elem, out, values);
}

/* ---- the call ------------------------------------------------------------------------------ */

static void call(Call *c, const CsValue *args, void *result)
{
    const CsExport *f = c->function;
    if (!make_room(c)) return;
    const CsValue *all = args;
    for (int32_t i = 0; i < f->nparams && !cs_pending; i++) {
        take(c, &f->params[i], args);
        args += c->handles || f->params[i].mode ? 1 : f->params[i].rank + 1;
    }
    CsValue out[RT_MAX_LEAVES];
    if (!cs_pending) f->call(NULL, c->values, out);
    if (!cs_pending) force_places(c);
    if (!cs_pending) give(c, out, result);
    if (!cs_pending) give_places(c, all);
}

static void end(Call *c)
{
    MemTry *t = mem_suspend();
    for (int i = c->nslots; i-- > 0;) cs_release(c->slots[i]);
    for (int i = c->nkept; i-- > 0;) {
        CsHead *h = c->kept[i];
        if (h->kind == CS_ARRAY)
            embed_give_back(c->kept[i]);
        else
            cs_release(h);
    }
    if (c->values != c->few) mem_object_free(c->values);
    mem_resume(t);
}

cs_error *cs_embed_call(cs_context *context, const CsExport *function, int32_t handles,
                        const CsValue *args, void *result)
{
    if (!context || (!result && function->elem != CS_ELEM_NONE))
        return embed_fail(CS_ARGUMENT_NULL, "ArgumentNullException",
                          "%s: the context or the place of the result is NULL", function->name);
    cs_error *e = embed_refusal();
    if (e) return e;
    Call c = {.context = context, .function = function, .handles = handles != 0};
    embed_enter(context);
    call(&c, args, result);
    e = cs_pending ? embed_take_error() : NULL; /* before anything else goes on */
    stack_enter();                              /* no longer interrupted */
    end(&c);
    cs_error *late = embed_leave();
    if (!e) return late;
    cs_embed_free_error(late);
    return e;
}
