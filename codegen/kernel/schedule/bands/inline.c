/* A definition with the elements of another in place of its reads of it (bands.h). */
#include "../../../../fdag/index/inlined.h"
#include "../nest/impl.h"
#include "bands.h"

const FdNode *bands_array(const Unit *u, const Def *reader, const Def *read)
{
    VEC(const FdNode *) stack = {0};
    FdSeen seen = {0};
    const FdNode *found = NULL;
    vec_push(&stack, reader->body);
    while (stack.len && !found) {
        const FdNode *n = stack.data[--stack.len], *children[FD_MAX_CHILDREN];
        if (!fd_meet(&seen, n)) continue;
        if (n->kind == FD_APPLY && nest_is_of(u, n->fn, read)) found = n->fn;
        for (int i = fd_children(n, children); i-- > 0;) vec_push(&stack, children[i]);
    }
    fd_seen_free(&seen);
    vec_free(&stack);
    return found;
}

const Def *bands_inline(Unit *u, const Def *reader, const Def *read)
{
    Def *d = def_form(u, reader);
    d->body = fd_inline_reads(u->fd, d->body, bands_array(u, reader, read), read->node);
    return d;
}
