/* What rank 0 tells the others (ranks.h). */
#include <string.h>

#include "../objects/str.h"
#include "ranks.h"
#include "transport.h"

bool ranks_tell_bytes(RanksDoing doing, void *data, size_t bytes, const CsSite *site)
{
    return ranks_step(doing, site, data, bytes);
}

int64_t ranks_tell_number(RanksDoing doing, int64_t number, const CsSite *site)
{
    return ranks_tell(doing, &number, sizeof number, site) ? number : 0;
}

bool ranks_tell_text(RanksDoing doing, Text *t, const CsSite *site)
{
    size_t n = t->failed ? 0 : t->len;
    if (!rt.ranks.size) return !cs_pending;
    if (!ranks_step(doing, site, &n, sizeof n)) return false;
    if (!ranks_first() && n) { /* room for it */
        char *room = mem_grow_quietly(NULL, n + 1);
        if (!room) rt_throw_memory(site, n);
        *t = (Text){.data = room, .len = n, .cap = n + 1};
        if (room) room[n] = '\0';
    }
    if (!ranks_outcome(doing, site)) return false; /* everybody has room */
    if (n) rt.ranks.by->broadcast(0, t->data, n);
    return true;
}

Str *ranks_tell_str(RanksDoing doing, Str *s, const CsSite *site)
{
    int64_t n = s ? s->len : -1;
    if (!rt.ranks.size) return s;
    if (!ranks_first()) { /* it is this rank's only */
        cs_release(s);
        s = NULL;
    }
    if (ranks_step(doing, site, &n, sizeof n) && n >= 0) {
        if (!ranks_first()) s = rt_str_new(NULL, n);
        if (ranks_outcome(doing, site)) {
            rt.ranks.by->broadcast(0, s->bytes, (size_t)n);
            return s;
        }
    }
    cs_release(s);
    return NULL;
}

void ranks_wait(void)
{
    if (rt.ranks.size) ranks_step(RANKS_LOOKS, NULL, NULL, 0);
}
