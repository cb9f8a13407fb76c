/* Types, interned per Fd; records and how arrays of them are stored; the text of types; user
 * functions, kept by name in order of declaration. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../internal.h"

/* Records are equal by name, but hash by their fields, as keys want it. */
static uint64_t hash_of(const FdType *t)
{
    uint64_t w[FD_MAX_PARAMS + 2];
    size_t n = 0;
    w[n++] = t->nparams  ? fdi_type(t->result)->hash
             : t->record ? (uint64_t)t->nfields << 8 | 0xFF
                         : (uint64_t)t->scalar + 1;
    for (int i = 0; i < t->nparams; i++) w[n++] = fdi_type(t->params[i])->hash;
    for (int i = 0; i < t->nfields; i++) w[n++] = fdi_type(t->fields[i])->hash;
    return XXH3_64bits(w, n * sizeof w[0]);
}

static bool same(const FdType *a, const FdType *b)
{
    if (a->nparams != b->nparams || a->result != b->result || a->scalar != b->scalar) return false;
    if (a->record || b->record) return a->record && b->record && strcmp(a->record, b->record) == 0;
    for (int i = 0; i < a->nparams; i++)
        if (a->params[i] != b->params[i]) return false;
    return true;
}

/* The type equal to *t, made if there is none. Lists of parameters are the caller's and copied. */
static const FdType *intern(Fd *fd, const FdType *t)
{
    uint64_t hash = hash_of(t);
    if (fd->types_used * 2 >= fd->types_size) {
        size_t size = fd->types_size ? fd->types_size * 2 : 64;
        FdiType **bigger = arena_array(fd->arena, FdiType *, size);
        for (size_t i = 0; i < fd->types_size; i++) {
            if (!fd->types[i]) continue;
            size_t at = fd->types[i]->hash & (size - 1);
            while (bigger[at]) at = (at + 1) & (size - 1);
            bigger[at] = fd->types[i];
        }
        fd->types = bigger;
        fd->types_size = size;
    }
    size_t at = hash & (fd->types_size - 1);
    for (FdiType *b; (b = fd->types[at]); at = (at + 1) & (fd->types_size - 1))
        if (b->hash == hash && same(&b->type, t)) return &b->type;
    FdiType *b = arena_new_of(fd->arena, FdiType);
    b->type = *t;
    if (t->nparams)
        b->type.params = arena_copy(fd->arena, t->params, sizeof *t->params * (size_t)t->nparams);
    b->fd = fd;
    b->hash = hash;
    fd->types[at] = b;
    fd->types_used++;
    return &b->type;
}

const FdType *fd_type_scalar(Fd *fd, ScalarKind k)
{
    return intern(fd, &(FdType){.scalar = k});
}

static const FdType *func(Fd *fd, const FdType *result, int n, const FdType *const *params)
{
    return intern(fd, &(FdType){.result = result, .nparams = n, .params = params});
}

const FdType *fd_type_func(Fd *fd, const FdType *result, int n, const FdType *const *params)
{
    if (n < 1 || n > FD_MAX_PARAMS) internal_error("fd_type_func", "bad number of parameters");
    return func(fd, result, n, params);
}

const FdType *fdi_type_make(Fd *fd, const FdType *record)
{
    return func(fd, record, record->nfields, record->fields);
}

const FdType *fd_type_array_of(Fd *fd, const FdType *elem, int rank)
{
    const FdType *params[FD_MAX_RANK];
    if (rank < 1 || rank > FD_MAX_RANK) internal_error("fd_type_array_of", "bad rank");
    for (int i = 0; i < rank; i++) params[i] = fd_type_scalar(fd, SC_INT);
    return fd_type_func(fd, elem, rank, params);
}

const FdType *fd_type_array(Fd *fd, ScalarKind k, int rank)
{
    return fd_type_array_of(fd, fd_type_scalar(fd, k), rank);
}

/* ---- records --------------------------------------------------------------------------- */

const FdType *fd_type_find(Fd *fd, const char *record)
{
    for (size_t i = 0; i < fd->records.len; i++)
        if (strcmp(fd->records.data[i]->record, record) == 0) return fd->records.data[i];
    return NULL;
}

const FdType *fd_type_record(Fd *fd, const char *name, int n, const FdType *const *fields,
                             const char *const *names)
{
    const FdType *old = fd_type_find(fd, name);
    if (n < 1 || n > FD_MAX_FIELDS) internal_error("fd_type_record", "bad number of fields");
    for (int i = 0; i < n; i++) {
        if (fields[i]->result || fdi_type(fields[i])->fd != fd)
            internal_error("fd_type_record", "a field is no scalar or record of this Fd");
        if (old && (old->nfields != n || old->fields[i] != fields[i])) return NULL;
    }
    if (old) return old;
    const char **copies = arena_array(fd->arena, const char *, n);
    for (int i = 0; i < n; i++) copies[i] = arena_strndup(fd->arena, names[i], strlen(names[i]));
    const FdType *t =
        intern(fd, &(FdType){.record = arena_strndup(fd->arena, name, strlen(name)),
                             .nfields = n,
                             .fields = arena_copy(fd->arena, fields, sizeof *fields * (size_t)n),
                             .field_names = copies});
    vec_push(&fd->records, t);
    return t;
}

int fd_type_leaves(const FdType *t)
{
    int n = 0;
    for (int i = 0; i < t->nfields; i++) n += fd_type_leaves(t->fields[i]);
    return t->record ? n : 1;
}

ScalarKind fd_type_leaf(const FdType *t, int leaf)
{
    while (t->record) {
        int i = 0;
        for (int n; leaf >= (n = fd_type_leaves(t->fields[i])); i++) leaf -= n;
        t = t->fields[i];
    }
    return t->scalar;
}

int64_t fd_plane_offset(const FdType *t, int leaf, int64_t count)
{
    int leaves = fd_type_leaves(t);
    int64_t at = 0, bytes;
    for (int i = 0; i < leaf; i++) {
        if (__builtin_mul_overflow(count, (int64_t)scalar_bytes(fd_type_leaf(t, i)), &bytes) ||
            __builtin_add_overflow(at, bytes, &at) || at > INT64_MAX - FD_PLANE_ALIGN)
            return -1;
        if (i + 1 < leaves) at = (at + FD_PLANE_ALIGN - 1) / FD_PLANE_ALIGN * FD_PLANE_ALIGN;
    }
    return at;
}

/* ---- other ----------------------------------------------------------------------------- */

const FdType *fdi_import_type(Fd *fd, const FdType *t)
{
    if (fdi_type(t)->fd == fd) return t;
    if (fd_type_is_scalar(t)) return fd_type_scalar(fd, t->scalar);
    const FdType *parts[FD_MAX_PARAMS];
    if (t->record) {
        for (int i = 0; i < t->nfields; i++) parts[i] = fdi_import_type(fd, t->fields[i]);
        const FdType *mine = fd_type_record(fd, t->record, t->nfields, parts, t->field_names);
        if (!mine) internal_error(t->record, "two records of one name");
        return mine;
    }
    for (int i = 0; i < t->nparams; i++) parts[i] = fdi_import_type(fd, t->params[i]);
    return func(fd, fdi_import_type(fd, t->result), t->nparams, parts);
}

void fd_type_print(Text *out, const FdType *t)
{
    if (!t->result) {
        text_add(out, t->record ? t->record : scalar_name(t->scalar));
        return;
    }
    fd_type_print(out, t->result);
    for (int i = 0; i < t->nparams; i++) {
        text_add(out, i ? ", " : "(");
        fd_type_print(out, t->params[i]);
    }
    text_add(out, ")");
}

FdUser *fd_user_find(Fd *fd, const char *name)
{
    for (FdiUser *u = fd->users; u; u = u->next)
        if (strcmp(u->user.name, name) == 0) return &u->user;
    return NULL;
}

FdUser *fd_user_declare(Fd *fd, const char *name, const FdType *type)
{
    FdUser *old = fd_user_find(fd, name);
    if (old) return old;
    if (type->nparams == 0) internal_error("fd_user_declare", "not a function type");
    FdiUser *u = arena_new_of(fd->arena, FdiUser);
    u->user.name = arena_strndup(fd->arena, name, strlen(name));
    u->user.type = type;
    u->user.nparams = type->nparams;
    *fd->last_user = u;
    fd->last_user = &u->next;
    return &u->user;
}
