/* The out-of-line part of vec.h. */
#include "vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static size_t bigger(size_t cap, size_t elem)
{
    size_t more = cap ? cap * 2 : 8;
    return more > SIZE_MAX / 4 / elem ? SIZE_MAX / elem : more;
}

void *vec_grow(void *data, size_t *cap, size_t elem)
{
    size_t more = bigger(*cap, elem);
    data = mem_grow(data, more * elem);
    if (!data) { /* nobody who could be told: a mem_try is missing */
        fputs("internal error: out of memory outside mem_try\n", stderr);
        abort();
    }
    *cap = more;
    return data;
}

bool vec_grow_try(void **data, size_t *cap, size_t n, size_t elem)
{
    size_t more = *cap;
    while (more < n) more = bigger(more, elem);
    if (more == *cap) return true;
    void *grown = mem_grow_quietly(*data, more * elem);
    if (!grown) return false;
    *data = grown;
    *cap = more;
    return true;
}

void vec_release(void *data)
{
    mem_free(data);
}
