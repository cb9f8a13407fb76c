/* Typed growable arrays: `VEC(int) v = {0}; vec_push(&v, 3); v.data[0]; v.len; vec_free(&v);` */
#ifndef CS_BASE_VEC_H
#define CS_BASE_VEC_H

#include <stddef.h>

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        size_t len, cap;                                                                           \
    }

#define vec_push(v, x)                                                                             \
    ((v)->len == (v)->cap ? (void)((v)->data = vec_grow((v)->data, &(v)->cap, sizeof *(v)->data))  \
                          : (void)0,                                                               \
     (void)((v)->data[(v)->len++] = (x)))
#define vec_free(v) (vec_release((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)
#define vec_last(v) ((v)->data[(v)->len - 1])

void *vec_grow(void *data, size_t *cap, size_t elem); /* doubles; aborts when memory is out */
void vec_release(void *data);

#endif
