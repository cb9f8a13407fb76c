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

static bool ends(const RankWord *w)
{
    return w->what >> 56 == RANKS_ENDS;
}

static void add(RankWord *to, const RankWord *other)
{
    bool fails = to->fault.evaluation != UINT64_MAX || other->fault.evaluation != UINT64_MAX;
    bool alike = to->number == other->number && /* a rank that fails is ahead of the others.. */
                 ends(to) == ends(other) &&     /* ..but not of those that are done */
                 (fails || (to->what == other->what && to->noted == other->noted));
    if (!to->apart) to->apart = alike ? other->apart : other->rank;
    const struct RankFault *a = &to->fault, *b = &other->fault;
    if (a->evaluation != b->evaluation || a->site != b->site || a->index != b->index ||
        a->hash != b->hash || other->differ)
        to->differ = 1;
    if (is_before(b, a)) to->fault = *b;
    if (to->plan != other->plan) to->plan = 0;
    enum { NONE = 0, NOTED = 4 };
    if (to->words[0] == NONE || (to->words[0] == NOTED && other->words[0] != NONE))
        memcpy(to->words, other->words, sizeof to->words);
}

/* Of a step; false: it failed, everywhere. */
static bool combine(RanksDoing doing, const CsSite *site, RankWord *w)
{
    w->number = rt.ranks.number++;
    w->noted = rt.ranks.noted;
    w->fault = ranks_own_fault();
    w->rank = rt.ranks.rank;
    uint64_t since = rt.ranks.measured ? ranks_clock() : 0;
    rt.ranks.by->combine(w, add);
    if (since) rt.ranks.account.waiting += ranks_clock() - since;
    if (w->apart) ranks_apart(doing, site, w->apart);
    if (w->fault.evaluation == UINT64_MAX) return true;
    if (w->differ) ranks_share_fault((int)w->fault.rank);
    rt.error.agreed = true;
    return false;
}

bool ranks_meet(uint64_t *plan, uint32_t *words)
{
    RankWord w = {.what = (uint64_t)RANKS_EVALUATES << 56, .plan = *plan};
    if (words) memcpy(w.words, words, sizeof w.words);
    if (!combine(RANKS_EVALUATES, NULL, &w)) {
        rt.ranks.met = rt.ranks.depth > 0; /* whoever failed did so at the end of the evaluation */
        return false;
    }
    *plan = w.plan;
    if (words) memcpy(words, w.words, sizeof w.words);
    return true;
}

/* Was the exception agreed on inside? */
static bool has_met(void)
{
    bool met = rt.ranks.met && cs_pending;
    rt.ranks.met = false;
    return met;
}

bool ranks_step(RanksDoing doing, const CsSite *site, void *told, size_t bytes)
{
    RankWord w = {.what = (uint64_t)doing << 56};
    if (site) w.what |= (uint64_t)(uint32_t)site->line << 24 | ((uint32_t)site->col & 0xffffff);
    bool fits = told && bytes <= sizeof w.told;
    if (fits && ranks_first()) memcpy(w.told, told, bytes);
    if (!combine(doing, site, &w)) return false;
    if (fits)
        memcpy(told, w.told, bytes);
    else if (told)
        rt.ranks.by->broadcast(0, told, bytes);
    return true;
}

void *ranks_agree(void *ref, const CsSite *site)
{
    if (--rt.ranks.depth > 0) return ref;
    if (!has_met() && ranks_step(RANKS_EVALUATES, site, NULL, 0)) return ref;
    cs_release(ref);
    return NULL;
}

bool ranks_agree_scalar(bool good, ScalarValue *leaves, int n, const CsSite *site)
{
    if (--rt.ranks.depth > 0) return good;
    if (has_met()) return false;
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
