/* Records of the program, and elements of arrays (record.h). */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../state.h"
#include "format.h"

/* ---- types ---------------------------------------------------------------------------- */

static const FdType *declare(Fd *fd, int32_t index)
{
    const CsRecord *r = &rt.program->records[index];
    const FdType *fields[FD_MAX_FIELDS];
    for (int32_t i = 0; i < r->nfields; i++)
        fields[i] = elem_is_record(r->kinds[i]) ? declare(fd, r->kinds[i] - CS_ELEM_RECORD)
                                                : fd_type_scalar(fd, (ScalarKind)r->kinds[i]);
    const FdType *t = fd_type_record(fd, r->name, r->nfields, fields, r->names);
    if (t && fd_type_leaves(t) <= RT_MAX_LEAVES) return t;
    fprintf(stderr, "internal error: the record %s cannot be declared\n", r->name);
    abort();
}

/* Types of elements and of arrays are made here, in the one place that may run out of memory for
 * them: later they are only looked up. */
void records_declare(Fd *fd)
{
    int32_t n = rt.program ? rt.program->nrecords : 0;
    for (int k = 0; k < SC_COUNT; k++)
        for (int rank = 1; rank <= CS_MAX_RANK; rank++) fd_type_array(fd, (ScalarKind)k, rank);
    if (!rt.fd) { /* the first time, or the first time failed */
        rt.records.len = 0;
        vec_reserve(&rt.records, (size_t)n + 1);
    }
    for (int32_t i = 0; i < n; i++) {
        if ((size_t)i == rt.records.len) vec_push(&rt.records, NULL);
        if (rt.records.data[i] || !rt.program->records[i].name) continue; /* in no entry so far */
        const FdType *t = rt.records.data[i] = declare(fd, i);
        for (int rank = 1; rank <= CS_MAX_RANK; rank++) fd_type_array_of(fd, t, rank);
    }
}

const FdType *elem_type(int32_t elem)
{
    if (elem == CS_ELEM_REF) return NULL;
    if (!elem_is_record(elem)) return fd_type_scalar(rt_fd(), (ScalarKind)elem);
    rt_fd(); /* declares them */
    return rt.records.data[elem - CS_ELEM_RECORD];
}

int32_t elem_of_type(const FdType *type)
{
    if (!type->record) return (int32_t)type->scalar;
    for (size_t i = 0; i < rt.records.len; i++)
        if (rt.records.data[i] && strcmp(rt.records.data[i]->record, type->record) == 0)
            return CS_ELEM_RECORD + (int32_t)i;
    fprintf(stderr, "internal error: the program has no record %s\n", type->record);
    abort();
}

bool elem_bytes(int32_t elem, int64_t count, int64_t *out)
{
    if (!elem_is_record(elem)) {
        int64_t one =
            elem == CS_ELEM_REF ? (int64_t)sizeof(void *) : (int64_t)scalar_bytes((ScalarKind)elem);
        return !__builtin_mul_overflow(count, one, out);
    }
    const FdType *t = elem_type(elem);
    *out = fd_plane_offset(t, fd_type_leaves(t), count);
    return *out >= 0;
}

/* ---- elements ------------------------------------------------------------------------- */

/* Does it have no record in it? Then its fields are its leaves. */
static bool is_flat(const FdType *t)
{
    for (int i = 0; i < t->nfields; i++)
        if (t->fields[i]->record) return false;
    return true;
}

typedef struct Place {
    char *at;
    ScalarKind kind;
} Place;

/* Where the leaves of element `at` of so many are, each in its plane (fd_plane_offset). How many there are. */
static int places_of(const FdType *t, int64_t count, int64_t at, const void *data,
                     Place out[RT_MAX_LEAVES])
{
    bool flat = is_flat(t);
    int n = flat ? t->nfields : fd_type_leaves(t);
    int64_t plane = 0;
    for (int i = 0; i < n; i++) {
        ScalarKind kind = flat ? t->fields[i]->scalar : fd_type_leaf(t, i);
        int64_t bytes = (int64_t)scalar_bytes(kind);
        out[i] = (Place){(char *)(uintptr_t)data + plane + at * bytes, kind};
        plane = (plane + count * bytes + FD_PLANE_ALIGN - 1) / FD_PLANE_ALIGN * FD_PLANE_ALIGN;
    }
    return n;
}

void elem_load(const Array *a, const void *data, int64_t at, ScalarValue *leaves)
{
    int32_t elem = a->head.elem;
    if (!elem_is_record(elem)) {
        size_t offset = (size_t)at * scalar_bytes((ScalarKind)elem);
        leaves[0] = scalar_load((const char *)data + offset, (ScalarKind)elem);
        return;
    }
    Place places[RT_MAX_LEAVES];
    int n = places_of(elem_type(elem), rt_array_count(a), at, data, places);
    for (int i = 0; i < n; i++) leaves[i] = scalar_load(places[i].at, places[i].kind);
}

void leaves_load(const FdType *type, const void *data, ScalarValue *leaves)
{
    if (!type->record) {
        *leaves = scalar_load(data, type->scalar);
        return;
    }
    for (int i = 0, n = fd_type_leaves(type); i < n; i++)
        leaves[i] =
            scalar_load((const char *)data + fd_plane_offset(type, i, 1), fd_type_leaf(type, i));
}

void elem_store(const Array *a, void *data, int64_t at, const ScalarValue *leaves)
{
    int32_t elem = a->head.elem;
    if (!elem_is_record(elem)) {
        size_t offset = (size_t)at * scalar_bytes((ScalarKind)elem);
        scalar_store((char *)data + offset, (ScalarKind)elem, leaves[0]);
        return;
    }
    Place places[RT_MAX_LEAVES];
    int n = places_of(elem_type(elem), rt_array_count(a), at, data, places);
    for (int i = 0; i < n; i++) scalar_store(places[i].at, places[i].kind, leaves[i]);
}

/* ---- text ----------------------------------------------------------------------------- */

/* The text of one record; *leaves moves behind it. */
static bool add(Text *t, const CsRecord *r, const ScalarValue **leaves, const Str *format,
                const CsSite *site)
{
    bool good = !cs_pending;
    if (good && r->to_string) {
        CsValue values[RT_MAX_LEAVES];
        int n = fd_type_leaves(fd_type_find(rt_fd(), r->name));
        for (int i = 0; i < n; i++) values[i].i = (*leaves)[i].i;
        *leaves += n;
        Str *s = r->to_string(values);
        if (s && !cs_pending) text_addn(t, s->bytes, (size_t)s->len);
        cs_release(s);
        return !cs_pending;
    }
    text_printf(t, "%s(", r->title);
    for (int32_t i = 0; good && i < r->nfields; i++) {
        if (i) text_add(t, ", ");
        if (elem_is_record(r->kinds[i]))
            good = add(t, &rt.program->records[r->kinds[i] - CS_ELEM_RECORD], leaves, format, site);
        else
            good = text_add_scalar(t, *(*leaves)++, (ScalarKind)r->kinds[i], format, site);
    }
    text_add(t, ")");
    return good;
}

bool text_add_record(Text *t, int32_t elem, const ScalarValue *leaves, const Str *format,
                     const CsSite *site)
{
    return add(t, &rt.program->records[elem - CS_ELEM_RECORD], &leaves, format, site);
}
