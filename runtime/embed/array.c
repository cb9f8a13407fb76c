/* Arrays of callers: handles, and data that is theirs. */
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "../device/memory.h"
#include "../objects/record.h"
#include "embed.h"

typedef struct Handle Handle;
struct Handle {
    cs_array shown;     /* first: what the caller sees */
    const Handle *self; /* itself, while it lives: of another library's, or of none, it is not */
    int refs;
    cs_context *context;
    Array *array;
    void *packed; /* records as C lays them out, or the texts of strings, once somebody asked */
};

/* ---- handles ---------------------------------------------------------------------------- */

cs_array *embed_handle(cs_context *c, Array *a)
{
    Handle *h = mem_object(sizeof *h);
    if (!h) {
        rt_throw_memory(NULL, sizeof *h);
        cs_release(a);
        return NULL;
    }
    *h = (Handle){.self = h, .refs = 1, .context = c, .array = a};
    h->shown.type = a->head.elem;
    h->shown.rank = a->head.rank;
    for (int32_t d = 0; d < a->head.rank; d++) {
        h->shown.n[d] = a->head.dim[d].n;
        h->shown.lo[d] = a->head.dim[d].lo;
    }
    embed_use(c);
    return &h->shown;
}

static Handle *handle_of(const cs_array *array)
{
    Handle *h = (Handle *)(uintptr_t)array;
    return h && h->self == h ? h : NULL;
}

Array *embed_array_of(const cs_context *c, const cs_array *handle)
{
    const Handle *h = handle_of(handle);
    return h && h->context == c ? h->array : NULL;
}

void cs_embed_retain(cs_array *array)
{
    Handle *h = handle_of(array);
    if (!h || embed_is_refused()) return;
    embed_enter(h->context);
    h->refs++;
    embed_leave();
}

/* Elements that are the caller's: they may go when the handle has gone. */
static bool is_lent(const Array *a)
{
    const Buffer *b = a->head.buffer;
    return b && (b->borrowed || b->foreign);
}

void cs_embed_release(cs_array *array)
{
    Handle *h = handle_of(array);
    if (!h || embed_is_refused()) return;
    cs_context *c = h->context;
    embed_enter(c);
    if (--h->refs == 0) {
        h->self = NULL;
        if (is_lent(h->array)) {
            cs_retain(h->array);
            embed_give_back(h->array);
        } else {
            cs_release(h->array);
        }
        mem_object_free(h->packed);
        mem_object_free(h);
        if (cs_pending) rt_catch();
        embed_unuse(c);
    }
    embed_leave();
}

/* ---- what callers give ------------------------------------------------------------------ */

/* Elements and their bytes as C lays them out. False with an exception pending. */
static bool measure(int32_t elem, int32_t rank, const int64_t *n, int64_t *count, size_t *bytes)
{
    FdBox box = {.rank = rank};
    size_t unit, one = embed_element(elem, &unit);
    for (int32_t d = 0; d < rank; d++) {
        box.dim[d].hi = n[d];
        if (n[d] >= 0) continue;
        rt_throw(RT_RANGE, NULL, "extent %d of an array is %lld", (int)d, (long long)n[d]);
        return false;
    }
    if (rt_box_count(&box, count) && !__builtin_mul_overflow((size_t)*count, one, bytes) &&
        *bytes <= SIZE_MAX / 4)
        return true;
    rt_throw_memory(NULL, SIZE_MAX);
    return false;
}

static bool is_there(const void *data, int64_t count)
{
    if (data || count == 0) return true;
    rt_throw(RT_ARGUMENT_NULL, NULL, "the data of an array of %lld elements is NULL",
             (long long)count);
    return false;
}

/* Of texts, NULL stays null; all null without data. */
static Array *strings_of(int32_t rank, const int64_t *n, const char *const *data, int64_t count)
{
    Array *a = rt_array_new(CS_ELEM_REF, rank, NULL, n, true, NULL);
    void **to = a && count && data ? rt_array_data(a, NULL) : NULL;
    for (int64_t i = 0; to && !cs_pending && i < count; i++)
        if (data[i]) to[i] = embed_take_text(data[i]);
    if (!cs_pending) return a;
    cs_release(a);
    return NULL;
}

static Array *copy_of(int32_t elem, int32_t rank, const int64_t *n, const void *data, int64_t count)
{
    if (elem == CS_ELEM_REF) return strings_of(rank, n, data, count);
    Array *a = rt_array_new(elem, rank, NULL, n, !data, NULL);
    char *to = a && count && data ? rt_array_data(a, NULL) : NULL;
    size_t unit, one = embed_element(elem, &unit);
    if (to && !elem_is_record(elem)) memcpy(to, data, (size_t)count * one);
    for (int64_t i = 0; to && elem_is_record(elem) && i < count; i++) {
        CsValue leaves[RT_MAX_LEAVES];
        ScalarValue values[RT_MAX_LEAVES];
        int k = (int)(embed_unpack(elem, (const char *)data + (size_t)i * one, leaves) - leaves);
        for (int l = 0; l < k; l++) values[l].i = leaves[l].i;
        elem_store(a, to, i, values);
    }
    if (!cs_pending) return a;
    cs_release(a);
    return NULL;
}

Array *embed_borrow(int32_t elem, int32_t rank, const int64_t *n, const void *data)
{
    int64_t count;
    size_t bytes;
    if (!measure(elem, rank, n, &count, &bytes) || !is_there(data, count)) return NULL;
    if (elem_is_record(elem) || elem == CS_ELEM_REF || !count)
        return copy_of(elem, rank, n, data, count);
    Buffer *b = buffer_borrow(data, bytes, NULL);
    return b ? rt_array_on(b, elem, rank, n) : NULL;
}

/* Somebody refers to an array whose elements could not be copied: it has none from now on. */
static void empty(Array *a)
{
    buffer_release(a->head.buffer);
    a->head.buffer = NULL;
    for (int32_t d = 0; d < a->head.rank; d++) a->head.dim[d].n = 0;
}

void embed_give_back(Array *a)
{
    Buffer *b = a->head.buffer;
    if (is_lent(a) && a->head.head.refs > 2) rt_fill_all(); /* who waits reads it now */
    if (is_lent(a) && a->head.head.refs > 2) {
        if (!buffer_keep(b, NULL)) empty(a);
        a->head.data = a->head.buffer ? a->head.buffer->host : NULL;
        a->head.host_state = 0;
    }
    cs_release(a);
    cs_release(a);
}

/* ---- arrays of their own ---------------------------------------------------------------- */

typedef Array *MakeArray(int32_t elem, int32_t rank, const int64_t *n, void *data);

static Array *make_copy(int32_t elem, int32_t rank, const int64_t *n, void *data)
{
    int64_t count;
    size_t bytes;
    return measure(elem, rank, n, &count, &bytes) ? copy_of(elem, rank, n, data, count) : NULL;
}

static Array *make_borrowed(int32_t elem, int32_t rank, const int64_t *n, void *data)
{
    return embed_borrow(elem, rank, n, data);
}

static Array *make_foreign(int32_t elem, int32_t rank, const int64_t *n, void *memory)
{
    int64_t count;
    size_t bytes;
    if (!measure(elem, rank, n, &count, &bytes) || !is_there(memory, count)) return NULL;
    if (elem_is_record(elem) || elem == CS_ELEM_REF) {
        rt_throw(RT_ARGUMENT, NULL, "%s in a buffer of the caller's are not supported",
                 elem == CS_ELEM_REF ? "strings" : "records");
        return NULL;
    }
    if (!count) return copy_of(elem, rank, n, NULL, 0);
    Buffer *b = buffer_foreign(memory, bytes, NULL);
    return b ? rt_array_on(b, elem, rank, n) : NULL;
}

static cs_error *make(cs_context *c, MakeArray *how, int32_t elem, int32_t rank, const int64_t *n,
                      void *data, cs_array **out)
{
    if (!c || !n || !out)
        return embed_fail(CS_ARGUMENT_NULL, "ArgumentNullException", "an argument is NULL");
    cs_error *refusal = embed_refusal();
    if (refusal) return refusal;
    embed_enter(c);
    bool known = (elem >= 0 && elem < SC_COUNT) || elem == CS_ELEM_REF ||
                 (elem >= CS_ELEM_RECORD && elem - CS_ELEM_RECORD < rt.program->nrecords);
    Array *a = NULL;
    if (!known || rank < 1 || rank > CS_MAX_RANK)
        rt_throw(RT_ARGUMENT, NULL, "there are no arrays of type %d and rank %d", (int)elem,
                 (int)rank);
    else
        a = how(elem, rank, n, data);
    if (a) *out = embed_handle(c, a);
    return embed_leave();
}

cs_error *cs_embed_array(cs_context *context, int32_t type, int32_t rank, const int64_t *n,
                         const void *data, cs_array **out)
{
    return make(context, make_copy, type, rank, n, (void *)(uintptr_t)data, out);
}

cs_error *cs_embed_wrap(cs_context *context, int32_t type, int32_t rank, const int64_t *n,
                        const void *data, cs_array **out)
{
    return make(context, make_borrowed, type, rank, n, (void *)(uintptr_t)data, out);
}

cs_error *cs_embed_buffer(cs_context *context, int32_t type, int32_t rank, const int64_t *n,
                          void *memory, cs_array **out)
{
    return make(context, make_foreign, type, rank, n, memory, out);
}

/* ---- reading ------------------------------------------------------------------------------ */

static cs_error *not_an_array(void)
{
    return embed_fail(CS_ARGUMENT, "ArgumentException", "it is no array of this library");
}

/* Strings are read where they are, but for those with a 0, whose bytes stand behind the table. */
static bool has_zero(const Str *s)
{
    return s && memchr(s->bytes, 0, (size_t)s->len);
}

static size_t packed_bytes(const Array *a, const char *data)
{
    const Str *const *strings = (const void *)data;
    int64_t n = rt_array_count(a);
    size_t unit, bytes = (size_t)n * embed_element(a->head.elem, &unit);
    for (int64_t i = 0; a->head.elem == CS_ELEM_REF && i < n; i++)
        if (has_zero(strings[i])) bytes += embed_text_bytes(strings[i]);
    return bytes;
}

static void pack_strings(const Str *const *strings, int64_t n, const char **to)
{
    char *room = (char *)(to + n);
    for (int64_t i = 0; i < n; i++) {
        to[i] = !strings[i] ? NULL : has_zero(strings[i]) ? room : strings[i]->bytes;
        if (to[i] == room) room = embed_put_text(room, strings[i]);
    }
}

static void pack_all(const Array *a, const char *data, char *to)
{
    size_t unit, one = embed_element(a->head.elem, &unit);
    if (a->head.elem == CS_ELEM_REF) {
        pack_strings((const void *)data, rt_array_count(a), (const char **)(void *)to);
        return;
    }
    for (int64_t i = 0, n = rt_array_count(a); i < n; i++) {
        ScalarValue leaves[RT_MAX_LEAVES];
        CsValue values[RT_MAX_LEAVES];
        elem_load(a, data, i, leaves);
        for (int k = 0; k < RT_MAX_LEAVES; k++) values[k].i = leaves[k].i;
        embed_pack(a->head.elem, to + (size_t)i * one, values);
    }
}

/* The elements as C lays them out; NULL if there are none, or with an exception pending. */
static const void *elements(Handle *h)
{
    Array *a = h->array;
    const void *data = rt_array_data(a, NULL);
    bool packs = elem_is_record(a->head.elem) || a->head.elem == CS_ELEM_REF;
    if (!data || !packs || h->packed) return h->packed ? h->packed : data;
    size_t bytes = packed_bytes(a, data);
    h->packed = mem_object(bytes);
    if (h->packed)
        pack_all(a, data, h->packed);
    else
        rt_throw_memory(NULL, bytes);
    return h->packed;
}

cs_error *cs_embed_read(cs_array *array, const void **data)
{
    static const _Alignas(64) char none[64]; /* where arrays without elements are */
    Handle *h = handle_of(array);
    cs_error *refusal = embed_refusal();
    if (refusal || !h) return refusal ? refusal : not_an_array();
    embed_enter(h->context);
    const void *found = elements(h);
    if (!cs_pending) *data = found ? found : none;
    return embed_leave();
}

cs_error *cs_embed_copy(cs_array *array, void *to, int64_t bytes)
{
    Handle *h = handle_of(array);
    cs_error *refusal = embed_refusal();
    if (refusal || !h) return refusal ? refusal : not_an_array();
    embed_enter(h->context);
    size_t unit, all = (size_t)rt_array_count(h->array) * embed_element(h->array->head.elem, &unit);
    const void *data = (int64_t)all == bytes ? elements(h) : NULL;
    if (cs_pending)
        ;
    else if ((int64_t)all != bytes)
        rt_throw(RT_ARGUMENT, NULL, "the array has %zu bytes, not %lld", all, (long long)bytes);
    else if (all)
        memcpy(to, data, all);
    return embed_leave();
}
