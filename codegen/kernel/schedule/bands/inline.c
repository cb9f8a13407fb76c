/* A definition with the elements of another in place of its reads of it (bands.h). */
#include "../../../../fdag/index/inlined.h"
#include "../nest/impl.h"
#include "bands.h"

const FdNode *bands_array(const Unit *u, const Def *reader, const Def *read)
{
    FdWalk w = fd_walk(reader->body);
    const FdNode *found = NULL;
    for (const FdNode *n; !found && (n = fd_walk_next(&w)); fd_walk_below(&w, n))
        if (n->kind == FD_APPLY && nest_is_of(u, n->fn, read)) found = n->fn;
    fd_walk_end(&w);
    return found;
}

const Def *bands_inline(Unit *u, const Def *reader, const Def *read)
{
    Def *d = def_form(u, reader);
    d->body = fd_inline_reads(u->fd, d->body, bands_array(u, reader, read), read->node);
    return d;
}
