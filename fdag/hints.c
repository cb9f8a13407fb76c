/* Hints of graphs: attributes of a program as words, "Tile=4,2 Unroll=2". */
#include <string.h>

#include "internal.h"

static bool have(const char *hints, const char *word, size_t len)
{
    while (hints && *hints) {
        size_t n = strcspn(hints, " ");
        if (n == len && memcmp(hints, word, n) == 0) return true;
        hints += n;
        hints += strspn(hints, " ");
    }
    return false;
}

bool fd_hints_have(const char *hints, const char *word)
{
    return have(hints, word, strlen(word));
}

FdReals fd_hints_reals(const char *hints)
{
    return fd_hints_have(hints, "Precise") ? FD_REALS_PRECISE
           : fd_hints_have(hints, "Fast")  ? FD_REALS_FAST
                                           : FD_REALS_USUAL;
}

const char *fd_hints_join(Fd *fd, const char *first, const char *more)
{
    Text all = {0};
    if (first) text_add(&all, first);
    while (more && *more) {
        size_t n = strcspn(more, " ");
        if (n && !have(all.data, more, n))
            text_printf(&all, "%s%.*s", all.len ? " " : "", (int)n, more);
        more += n;
        more += strspn(more, " ");
    }
    const char *joined = all.len ? arena_strndup(fd->arena, all.data, all.len) : NULL;
    text_free(&all);
    return joined;
}
