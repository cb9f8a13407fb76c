/* Types, interned per Fd; their text; user functions, kept by name in order of declaration. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "internal.h"

static const FdType *intern(Fd *fd, const FdType *t)
{
    uint64_t w[FD_MAX_RANK + 2];
    size_t n = 0;
    w[n++] = t->nparams == 0 ? (uint64_t)t->scalar + 1 : fdi_type(t->result)->hash;
    for (int i = 0; i < t->nparams; i++) w[n++] = fdi_type(t->params[i])->hash;
    uint64_t hash = XXH3_64bits(w, n * sizeof w[0]);
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
    for (FdiType *b; (b = fd->types[at]); at = (at + 1) & (fd->types_size - 1)) {
        const FdType *o = &b->type;
        if (b->hash == hash && o->nparams == t->nparams && o->result == t->result &&
            o->scalar == t->scalar &&
            memcmp(o->params, t->params, sizeof t->params[0] * (size_t)t->nparams) == 0)
            return o;
    }
    FdiType *b = arena_new_of(fd->arena, FdiType);
    b->type = *t;
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

const FdType *fd_type_func(Fd *fd, const FdType *result, int n, const FdType *const *params)
{
    if (n < 1 || n > FD_MAX_RANK) fdi_abort("fd_type_func", "bad number of parameters");
    FdType t = {.result = result, .nparams = n};
    for (int i = 0; i < n; i++) t.params[i] = params[i];
    return intern(fd, &t);
}

const FdType *fd_type_array(Fd *fd, ScalarKind k, int rank)
{
    const FdType *params[FD_MAX_RANK];
    if (rank < 1 || rank > FD_MAX_RANK) fdi_abort("fd_type_array", "bad rank");
    for (int i = 0; i < rank; i++) params[i] = fd_type_scalar(fd, SC_INT);
    return fd_type_func(fd, fd_type_scalar(fd, k), rank, params);
}

const FdType *fdi_import_type(Fd *fd, const FdType *t)
{
    if (fdi_type(t)->fd == fd) return t;
    if (t->nparams == 0) return fd_type_scalar(fd, t->scalar);
    const FdType *params[FD_MAX_RANK];
    for (int i = 0; i < t->nparams; i++) params[i] = fdi_import_type(fd, t->params[i]);
    return fd_type_func(fd, fdi_import_type(fd, t->result), t->nparams, params);
}

void fd_type_print(Text *out, const FdType *t)
{
    if (t->nparams == 0) {
        text_add(out, scalar_name(t->scalar));
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
    if (type->nparams == 0) fdi_abort("fd_user_declare", "not a function type");
    FdiUser *u = arena_new_of(fd->arena, FdiUser);
    u->user.name = arena_strndup(fd->arena, name, strlen(name));
    u->user.type = type;
    u->user.nparams = type->nparams;
    *fd->last_user = u;
    fd->last_user = &u->next;
    return &u->user;
}
