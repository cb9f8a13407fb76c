/* Questions about the local arrays of user functions' bodies. */
#include <string.h>

#include "../internal.h"

bool fd_is_element(const FdNode *n)
{
    return n->kind == FD_APPLY && n->fn->kind == FD_VAR && n->fn->extent;
}

bool fd_same_extent(const FdNode *a, const FdNode *b)
{
    return a->extent && b->extent && a->type == b->type &&
           memcmp(a->extent, b->extent, sizeof *a->extent * (size_t)a->type->nparams) == 0;
}

int64_t fd_extent_count(const FdNode *array)
{
    int64_t count = 1;
    for (int d = 0; d < array->type->nparams; d++) count *= array->extent[d];
    return count;
}

bool fd_uses_array(const FdNode *n)
{
    const FdiNode *b = fdi_node(n);
    for (uint32_t i = 0; i < b->nfree; i++)
        if (b->free[i]->extent) return true;
    return false;
}
