/* The table of CS_PROFILE=1. Bytes are those of the buffers that a launch touches, each counted
 * once: GB/s is the rate at which they would have streamed, above the memory's where caches serve
 * reads again. Rows are by total time. "building": what the driver took for programs
 * (POCL compiles their kernels when they are first launched). */
#include "profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../state.h"

typedef struct Row {
    char *kernel;
    uint64_t calls, nanoseconds, bytes;
} Row;

struct Profile {
    VEC(Row) rows;
};

void profile_add(const char *kernel, uint64_t nanoseconds, uint64_t bytes)
{
    if (!rt.profile && !(rt.profile = mem_object(sizeof *rt.profile))) return;
    size_t i = 0;
    while (i < rt.profile->rows.len && strcmp(rt.profile->rows.data[i].kernel, kernel) != 0) i++;
    if (i == rt.profile->rows.len) {
        Row row = {0};
        if (!vec_try(&rt.profile->rows) || !(row.kernel = mem_object(strlen(kernel) + 1))) return;
        memcpy(row.kernel, kernel, strlen(kernel));
        vec_push(&rt.profile->rows, row);
    }
    Row *row = &rt.profile->rows.data[i];
    row->calls++;
    row->nanoseconds += nanoseconds;
    row->bytes += bytes;
}

static int by_time(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    return (x->nanoseconds < y->nanoseconds) - (x->nanoseconds > y->nanoseconds);
}

void profile_print(FILE *out)
{
    if (!rt.profile) return;
    qsort(rt.profile->rows.data, rt.profile->rows.len, sizeof(Row), by_time);
    fprintf(out, "%-32s %8s %12s %10s\n", "kernel", "calls", "ms", "GB/s");
    for (size_t i = 0; i < rt.profile->rows.len; i++) {
        const Row *r = &rt.profile->rows.data[i];
        fprintf(out, "%-32s %8" PRIu64 " %12.3f %10.2f\n", r->kernel, r->calls,
                (double)r->nanoseconds * 1e-6,
                r->nanoseconds ? (double)r->bytes / (double)r->nanoseconds : 0.0);
    }
}

void profile_free(void)
{
    if (!rt.profile) return;
    for (size_t i = 0; i < rt.profile->rows.len; i++)
        mem_object_free(rt.profile->rows.data[i].kernel);
    vec_free(&rt.profile->rows);
    mem_object_free(rt.profile);
    rt.profile = NULL;
}
