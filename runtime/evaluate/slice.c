/* Assignment to slices of arrays: a box of elements gets those of a function, or one value. */
#include <string.h>

#include "../device/device.h"
#include "../objects/record.h"
#include "../ranks/ranks.h"
#include "../state.h"
#include "into.h"
#include "lazy/restrict.h"
#include "plan.h"

/* The slice of an array, the elements of which are visited in order. */
typedef struct Slice {
    const CsArray *array;
    const int64_t *lo, *hi;
    int64_t index[CS_MAX_RANK];
} Slice;

static int64_t first_of(Slice *s)
{
    int64_t at = 0;
    for (int32_t d = 0; d < s->array->rank; d++) {
        s->index[d] = s->lo[d];
        at += (s->lo[d] - s->array->dim[d].lo) * s->array->dim[d].stride;
    }
    return at;
}

/* The number of the next element, the last index fastest; false after the last. */
static bool next(Slice *s, int64_t *at)
{
    for (int32_t d = s->array->rank - 1; d >= 0; d--) {
        *at += s->array->dim[d].stride;
        if (++s->index[d] < s->hi[d]) return true;
        *at -= (s->hi[d] - s->lo[d]) * s->array->dim[d].stride;
        s->index[d] = s->lo[d];
    }
    return false;
}

/* Checks that it lies in the array. *empty: it has no elements. */
static bool check(const Array *a, const int64_t *lo, const int64_t *hi, uint32_t fixed, bool *empty,
                  const CsSite *site)
{
    const CsArray *h = &a->head;
    *empty = false;
    for (int32_t d = 0; d < h->rank; d++) {
        int64_t first = h->dim[d].lo, end = first + h->dim[d].n;
        *empty |= hi[d] <= lo[d];
        if (lo[d] >= first && hi[d] >= lo[d] && hi[d] <= end) continue;
        if (fixed >> d & 1)
            rt_throw(RT_INDEX, site, "index %lld is outside dimension %d, %lld..%lld",
                     (long long)lo[d], (int)d, (long long)first, (long long)end);
        else
            rt_throw_slice(site, (int)d, lo[d], hi[d], first, end);
        return false;
    }
    return true;
}

static void store_ref(void *data, int64_t at, void *ref)
{
    void **to = (void **)data + at, *old = *to;
    *to = cs_retain(ref);
    cs_release(old);
}

/* ---- scalars and records, by lines ---- */

#define LINE(T)                                                                                    \
    {                                                                                              \
        T *at = to;                                                                                \
        const T *v = values;                                                                       \
        for (int64_t i = 0; i < n; i++) at[i * stride] = v[i * each];                              \
        return;                                                                                    \
    }

/* each: 1, or 0 where all n elements get one value. */
static void copy_line(void *to, int64_t stride, const void *values, int64_t each, int64_t n,
                      size_t bytes)
{
    if (stride == 1 && each == 1) {
        memcpy(to, values, (size_t)n * bytes);
        return;
    }
    switch (bytes) {
    case 1: LINE(uint8_t)
    case 2: LINE(uint16_t)
    case 4: LINE(uint32_t)
    default: LINE(uint64_t)
    }
}

/* A line goes along the last dimension of more than one element: rows, or of a column all of it. */
static void copy_lines(const Array *a, size_t bytes, char *data, const char *values, int64_t each,
                       const int64_t *lo, const int64_t *hi)
{
    int32_t along = a->head.rank - 1;
    while (along > 0 && hi[along] - lo[along] == 1) along--;
    int64_t n = hi[along] - lo[along], stride = a->head.dim[along].stride;
    Slice s = {.array = &a->head, .lo = lo, .hi = hi};
    int64_t to = first_of(&s);
    do {
        copy_line(data + (size_t)to * bytes, stride, values, each, n, bytes);
        values += (size_t)(n * each) * bytes;
        to += (n - 1) * stride;
        s.index[along] = hi[along] - 1;
    } while (next(&s, &to));
}

/* Each leaf's plane, of which `values` have n elements; n 1 with each 0: all get one value. */
static void copy_planes(const Array *a, char *data, const char *values, int64_t n, int64_t each,
                        const int64_t *lo, const int64_t *hi)
{
    const FdType *type = elem_type(a->head.elem);
    const int64_t count = rt_array_count(a);
    for (int i = 0, leaves = fd_type_leaves(type); i < leaves; i++)
        copy_lines(a, scalar_bytes(fd_type_leaf(type, i)), data + fd_plane_offset(type, i, count),
                   values + fd_plane_offset(type, i, n), each, lo, hi);
}

void cs_slice_fill(void *array_slot, const int64_t *lo, const int64_t *hi, uint32_t fixed,
                   const CsValue *value, const CsSite *site)
{
    Array **at = array_slot;
    bool empty;
    if (!check(*at, lo, hi, fixed, &empty, site) || empty) return;
    void *data = rt_array_store(array_slot, site);
    if (!data) return;
    Array *a = *at;
    if (a->head.elem != CS_ELEM_REF) {
        const FdType *type = elem_type(a->head.elem);
        ScalarValue one[RT_MAX_LEAVES];
        for (int i = 0, n = fd_type_leaves(type); i < n; i++)
            scalar_store((char *)one + fd_plane_offset(type, i, 1), fd_type_leaf(type, i),
                         (ScalarValue){.i = value[i].i});
        copy_planes(a, data, (const char *)one, 1, 0, lo, hi);
        return;
    }
    Slice s = {.array = &a->head, .lo = lo, .hi = hi};
    int64_t k = first_of(&s);
    do store_ref(data, k, value->ref);
    while (next(&s, &k));
}

/* The function's elements for the slice, as an array of as many; NULL with an exception pending. */
static Array *values_for(void *fn, const int64_t *lo, const int64_t *hi, uint32_t fixed,
                         int32_t rank, const CsSite *site)
{
    FdBox room, box = {0};
    const FdBox *own = rt_box_of(fn, &room);
    if (cs_pending) return NULL;
    bool full = false;
    for (int32_t d = 0; d < rank; d++) {
        if (fixed >> d & 1) continue;
        int k = box.rank++;
        box.dim[k].lo = lo[d];
        box.dim[k].hi = hi[d];
        if (own->dim[k].full) {
            full = true;
            continue;
        }
        bool same = own->dim[k].lo == lo[d] && own->dim[k].hi == hi[d];
        bool based = own->dim[k].lo == 0 && own->dim[k].hi == hi[d] - lo[d];
        if (same || based) continue;
        rt_throw(RT_DOMAIN, site,
                 "a function is assigned to a slice that it does not fit: its dimension %d is "
                 "%lld..%lld, that of the slice %lld..%lld",
                 k, (long long)own->dim[k].lo, (long long)own->dim[k].hi, (long long)lo[d],
                 (long long)hi[d]);
        return NULL;
    }
    if (!full) return cs_force(fn, site);
    for (int k = 0; k < box.rank; k++)
        if (!own->dim[k].full) {
            box.dim[k].lo = own->dim[k].lo;
            box.dim[k].hi = own->dim[k].hi;
        }
    Lazy *part = restrict_to(fn, &box, site);
    Array *a = part ? cs_force(part, site) : NULL;
    cs_release(part);
    return a;
}

/* All of the array is evaluated anew, f ?? a, by the device, and nothing is copied. */
static void set_whole(Array **at, const FdBox *box, void *fn, bool moved, const CsSite *site)
{
    Array *a = *at;
    Lazy *part = (moved ? move_to : restrict_to)(fn, box, site);
    void *all = part ? cs_coalesce(part, a, site) : NULL;
    Array *now = all ? cs_force(all, site) : NULL;
    cs_release(all);
    cs_release(part);
    if (now) {
        *at = now;
        cs_release(a);
    }
}

/* Bytes, below which to ask what is read where costs more than it saves; a slice is evaluated and copied, not made anew
 * with the rest of its array; and that is done only where the rest is small. */
enum { ASKED = 1 << 16, COPIED = 1 << 12, REMADE = 1 << 17, REST = 8 };
enum { REFUSED = 2, AGAIN = 64 }; /* answers in a row: then nobody asks so many times */

/* May the values go where they belong? What is learnt of loops is kept by graph. False, perhaps with an exception. */
static bool goes_into(Array *a, const FdBox *box, void *fn, bool moved, const CsSite *site)
{
    Lazy *l = fn;
    Graph *g = l->head.kind == CS_LAZY && !l->result ? l->graph : NULL;
    if (g && g->refused >= REFUSED && ++g->refused < REFUSED + AGAIN) return false;
    bool into = into_set((Over){a, 0}, box, fn, moved, site);
    if (g) g->refused = into ? 0 : g->refused < REFUSED ? (uint8_t)(g->refused + 1) : REFUSED;
    return into;
}

/* A device with memory of its own would have to give the array back to have a slice copied. */
static bool is_below(int64_t most, const int64_t *lo, const int64_t *hi, const Array *a)
{
    int64_t count = 1, bytes;
    for (int32_t d = 0; d < a->head.rank; d++) count *= hi[d] - lo[d];
    return (!rt.device || device_is_host()) && elem_bytes(a->head.elem, count, &bytes) &&
           bytes < most && plan_joins() != PLAN_GREEDY;
}

/* Values of the array's type, by a kernel that puts them in place, or anew with the rest of the array if
 * most of it is assigned. last: fn is of no use afterwards. False, having done nothing, if neither is so. */
static bool set_box(Array **at, const int64_t *lo, const int64_t *hi, void *fn, bool last,
                    const CsSite *site)
{
    Array *a = *at;
    FdBox room, box = {.rank = a->head.rank};
    int64_t count = 1;
    bool same = true, based = true; /* in indices of the array, or from 0 on */
    if (a->head.elem == CS_ELEM_REF || rt_type_of(fn) != rt_type_of(a)) return false;
    const FdBox *own = rt_box_of(fn, &room);
    if (cs_pending) return true;
    for (int32_t d = 0; d < box.rank; d++) {
        box.dim[d].lo = lo[d];
        box.dim[d].hi = hi[d];
        count *= hi[d] - lo[d];
        bool full = own->dim[d].full;
        same = same && (full || (own->dim[d].lo == lo[d] && own->dim[d].hi == hi[d]));
        based = based && !full && own->dim[d].lo == 0 && own->dim[d].hi == hi[d] - lo[d];
    }
    if (!same && !based) return false;
    const bool asks = last && !is_below(ASKED, lo, hi, a);
    if ((asks && goes_into(a, &box, fn, !same, site)) || cs_pending) return true;
    const int64_t rest = rt_array_count(a) - count;
    if (count < rest * (is_below(REMADE, lo, hi, a) ? REST : 1)) return false;
    set_whole(at, &box, fn, !same, site);
    return true;
}

/* Values that are reductions have forms of their own, tiles or rows, which they lose in a place that is read
 * or beside the rest of an array. */
static bool reduces(const void *fn)
{
    const Lazy *l = fn;
    return l->head.kind == CS_LAZY && !l->result && l->reduces;
}

static void slice_set(void *array_slot, const int64_t *lo, const int64_t *hi, uint32_t fixed,
                      void *fn, const CsSite *site)
{
    Array **at = array_slot;
    int32_t rank = (*at)->head.rank;
    bool empty;
    if (!check(*at, lo, hi, fixed, &empty, site)) return;
    bool last = fixed & CS_SLICE_LAST;
    fixed &= ~(uint32_t)CS_SLICE_LAST;
    bool boxes = !empty && !fixed && !is_below(COPIED, lo, hi, *at), before = reduces(fn);
    if (boxes && !before && set_box(at, lo, hi, fn, last, site)) return;
    Array *from = values_for(fn, lo, hi, fixed, rank, site);
    if (from && boxes && before && set_box(at, lo, hi, from, true, site)) {
        cs_release(from);
        return;
    }
    const char *values = from && !empty ? rt_array_data(from, site) : NULL;
    void *data = values ? rt_array_store(array_slot, site) : NULL;
    if (data) {
        Array *a = *at;
        if (a->head.elem != CS_ELEM_REF) {
            copy_planes(a, data, values, rt_array_count(from), 1, lo, hi);
            cs_release(from);
            return;
        }
        Slice s = {.array = &a->head, .lo = lo, .hi = hi};
        int64_t to = first_of(&s), n = 0;
        do store_ref(data, to, ((void *const *)(const void *)values)[n++]);
        while (next(&s, &to));
    }
    cs_release(from);
}

void cs_slice_set(void *array_slot, const int64_t *lo, const int64_t *hi, uint32_t fixed, void *fn,
                  const CsSite *site)
{
    ranks_enter();
    slice_set(array_slot, lo, hi, fixed, fn, site);
    ranks_leave(NULL, site);
}
