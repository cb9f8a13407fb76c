/* Typed growable arrays: `VEC(int) v = {0}; vec_push(&v, 3); v.data[0]; v.len; vec_free(&v);` */
#ifndef CS_BASE_VEC_H
#define CS_BASE_VEC_H

#include <stddef.h>

#include "mem.h"

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        size_t len, cap;                                                                           \
    }

#define vec_push(v, x)                                                                             \
    ((v)->len == (v)->cap ? (void)((v)->data = vec_grow((v)->data, &(v)->cap, sizeof *(v)->data))  \
                          : (void)0,                                                               \
     (void)((v)->data[(v)->len++] = (x)))
/* Room for n in all, so that vec_push cannot fail; false: memory is out. Unwinds nothing. */
#define vec_try_room(v, n)                                                                         \
    vec_grow_try((void **)(void *)&(v)->data, &(v)->cap, (n), sizeof *(v)->data)
#define vec_try(v) ((v)->len < (v)->cap || vec_try_room((v), (v)->len + 1)) /* for one more */
/* Room for n, before the vector is used. */
#define vec_reserve(v, n) ((v)->data = mem_alloc((n) * sizeof *(v)->data), (v)->cap = (n))
#define vec_free(v) (vec_release((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)
#define vec_last(v) ((v)->data[(v)->len - 1])

void *vec_grow(void *data, size_t *cap, size_t elem); /* doubles; within mem_try, or in csc */
bool vec_grow_try(void **data, size_t *cap, size_t n, size_t elem);
void vec_release(void *data);

#endif
