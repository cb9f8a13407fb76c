/* Steps (ranks.h), and when exceptions are agreed on. */
#include <string.h>

#include "ranks.h"
#include "transport.h"

static bool is_before(const struct RankFault *a, const struct RankFault *b)
{
    if (a->evaluation != b->evaluation) return a->evaluation < b->evaluation;
    if (a->site != b->site) return a->site < b->site;
    if (a->index != b->index) return a->index < b->index;
    return a->rank < b->rank;
}

static void add(RankWord *to, const RankWord *other)
{
    bool alike =
        to->number == other->number && to->what == other->what && to->noted == other->noted;
    if (!to->apart) to->apart = alike ? other->apart : other->rank;
    const struct RankFault *a = &to->fault, *b = &other->fault;
    if (a->evaluation != b->evaluation || a->site != b->site || a->index != b->index ||
        a->hash != b->hash || other->differ)
        to->differ = 1;
    if (is_before(b, a)) to->fault = *b;
}

bool ranks_step(RanksDoing doing, const CsSite *site, void *told, size_t bytes)
{
    RankWord w = {.number = rt.ranks.number++,
                  .what = (uint64_t)doing << 56,
                  .noted = rt.ranks.noted,
                  .fault = ranks_own_fault(),
                  .rank = rt.ranks.rank};
    if (site) w.what |= (uint64_t)(uint32_t)site->line << 24 | ((uint32_t)site->col & 0xffffff);
    bool fits = told && bytes <= sizeof w.told;
    if (fits && ranks_first()) memcpy(w.told, told, bytes);
    rt.ranks.by->combine(&w, add);
    if (w.apart) ranks_apart(doing, site, w.apart);
    if (w.fault.evaluation != UINT64_MAX) {
        if (w.differ) ranks_share_fault((int)w.fault.rank);
        rt.error.agreed = true;
        return false;
    }
    if (fits)
        memcpy(told, w.told, bytes);
    else if (told)
        rt.ranks.by->broadcast(0, told, bytes);
    return true;
}

void *ranks_agree(void *ref, const CsSite *site)
{
    if (--rt.ranks.depth > 0 || ranks_step(RANKS_EVALUATES, site, NULL, 0)) return ref;
    cs_release(ref);
    return NULL;
}

bool ranks_agree_scalar(bool good, ScalarValue *leaves, int n, const CsSite *site)
{
    if (--rt.ranks.depth > 0) return good;
    if (good) ranks_note(leaves, (size_t)n * sizeof *leaves);
    return ranks_step(RANKS_EVALUATES, site, leaves, (size_t)n * sizeof *leaves);
}

/* Could it be that a rank has it alone? The others follow from numbers that all have. */
static bool is_of_machine(void)
{
    RtError k = rt.error.kind;
    return !rt.error.object &&
           (k == RT_MEMORY || k == RT_DEVICE || k == RT_INTERNAL || k == RT_STACK);
}

void ranks_handle(void)
{
    if (is_of_machine())
        ranks_step(RANKS_HANDLES, rt.error.nframes ? rt.error.frames : NULL, NULL, 0);
    rt.error.agreed = true;
}
