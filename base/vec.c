/* The out-of-line part of vec.h. */
#include "vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *vec_grow(void *data, size_t *cap, size_t elem)
{
    size_t bigger = *cap ? *cap * 2 : 8;
    if (bigger > SIZE_MAX / 2 / elem || !(data = realloc(data, bigger * elem))) {
        fputs("out of memory\n", stderr);
        abort();
    }
    *cap = bigger;
    return data;
}

void vec_release(void *data)
{
    free(data);
}
