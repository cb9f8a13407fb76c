/* Native runs of several ranks (together.h). */
#include "together.h"

#include <string.h>

#include "../../base/vec.h"
#include "../device/memory.h"
#include "../ranks/ranks.h"
#include "../ranks/transport.h"
#include "../state.h"

/* All of what is read, and of a result that is not new. */
static void fetch_all(const NativeRun *r, PartWant *wants)
{
    int n = 0;
    for (int i = 0; i < r->nslots; i++)
        if (r->slots[i]) wants[n++] = (PartWant){r->slots[i], NULL};
    for (int i = 0; i < r->schedule->nouts; i++) wants[n++] = (PartWant){r->outs[i], NULL};
    part_fetch(wants, n);
}

/* What a result lies over may be read through it, by those who write there. */
static void want_own(const Division *d, int out, const Part *p, bool new, PartWant *want,
                     Rows *rows)
{
    const PartLayout *l = d->outs[out];
    bool same = l && l->first == p->layout->first && l->count == p->layout->count;
    if (new) want->rows = rows;
    for (int s = 0; new &&s < d->n; s++) rows[s] = (Rows){0};
    if (!same) want->rows = NULL; /* all of it */
    for (int s = 0; same && s < d->n; s++) rows_add(&rows[s], d->own[s], d->own[s + 1]);
}

static void fetch_needs(const NativeRun *r, const Division *d, PartWant *wants, Rows *rows)
{
    int n = 0;
    for (int i = 0; i < r->nslots; i++) {
        bool again = false;
        if (!r->slots[i] || !r->slots[i]->part) continue;
        Rows *of = &rows[n * d->n];
        division_rows(d, i, r->slots[i]->part->layout, of);
        for (int k = 0; k < n && !again; k++) {
            again = wants[k].buffer == r->slots[i];
            for (int s = 0; again && s < d->n; s++)
                for (int x = 0; x < of[s].n; x++)
                    rows_add(&rows[k * d->n + s], of[s].at[x].lo, of[s].at[x].hi);
        }
        if (!again) wants[n] = (PartWant){r->slots[i], of};
        n += !again;
    }
    for (int i = 0; i < d->nouts; i++) {
        int k = 0;
        if (!r->outs[i]->part) continue;
        while (k < n && wants[k].buffer != r->outs[i]) k++;
        want_own(d, i, r->outs[i]->part, k == n, &wants[k], &rows[k * d->n]);
        if (k == n) wants[n++].buffer = r->outs[i];
    }
    part_fetch(wants, n);
}

/* Of results that are divided. */
static bool new_parts(Together *t)
{
    const Division *d = t->run->division;
    if (!d) return true;
    t->parts = mem_object((size_t)d->nouts * sizeof *t->parts + 1);
    for (int i = 0; t->parts && i < d->nouts; i++)
        if (d->outs[i] && !(t->parts[i] = part_new(d->outs[i], d->own))) return false;
    return t->parts != NULL;
}

bool together_begin(Together *t, const CsSite *site)
{
    const NativeRun *r = t->run;
    const Division *d = r->division;
    int most = r->nslots + r->schedule->nouts, n = d ? d->n : 0;
    if (!rt.ranks.size) return true;
    if (!r->meets) {
        for (int i = 0; i < r->nslots; i++)
            if (r->slots[i] && !part_complete(r->slots[i])) return false;
        for (int i = 0; i < r->schedule->nouts; i++)
            if (!part_complete(r->outs[i])) return false;
        return true;
    }
    PartWant *wants = mem_object((size_t)most * sizeof *wants + 1);
    Rows *rows = mem_object((size_t)(most * n) * sizeof *rows + 1);
    bool ok = wants && rows;
    ok = ok && new_parts(t);
    if (!ok) rt_throw_memory(site, 0);
    uint64_t plan = d ? d->hash : 0;
    ok = ranks_meet(&plan, NULL) && ok;
    t->division = plan ? d : NULL;
    if (plan)
        rt.ranks.account.divided++;
    else
        rt.ranks.account.alone++;
    if (ok && plan)
        fetch_needs(r, d, wants, rows);
    else if (ok)
        fetch_all(r, wants);
    mem_object_free(wants);
    mem_object_free(rows);
    return ok;
}

/* What others wrote of temporaries comes here. */
static void gather(const Together *t, const DividedLaunch *l)
{
    VEC(RankBlock) all = {0};
    for (int i = 0; i < l->cut->nwrites; i++) {
        const CgWrite *w = &l->cut->writes[i];
        if (w->kind != CG_ARG_TEMP || w->own) continue;
        for (int s = 0; s < t->division->n; s++) {
            int64_t lo, hi;
            division_entries(l, w, s, &lo, &hi);
            for (int64_t k = 0; k < w->segments && lo < hi; k++) {
                char *at = (char *)t->memory->temps[w->index] + (k * w->entries + lo) * w->bytes;
                RankBlock b = {s, RANKS_ALL, at, (size_t)((hi - lo) * w->bytes)};
                vec_push(&all, b);
            }
        }
    }
    ranks_exchange(all.data, (int)all.len);
    vec_free(&all);
}

bool together_run(const Together *t, uint64_t *args, const CsSite *site)
{
    const NativeRun *r = t->run;
    const Division *d = t->division;
    uint32_t *words = t->memory->errors;
    for (int i = 0; i < r->schedule->nlaunches && launch_goes_on(words); i++) {
        const DividedLaunch *l = d ? &d->launches[i] : NULL;
        Range range = {0};
        bool divided = l && l->cut;
        if (divided) range = division_range(l, rt.ranks.rank);
        if (!launch_run(r, &r->schedule->launches[i], divided ? &range : NULL, t->memory, args,
                        site))
            return false;
        if (divided && l->gathered) gather(t, l);
        uint64_t plan = d ? d->hash : 0;
        if (divided && l->told && !ranks_meet(&plan, words)) return false;
    }
    return true;
}

void together_end(Together *t, bool ok)
{
    const NativeRun *r = t->run;
    int n = t->parts ? r->division->nouts : 0;
    for (int i = 0; ok && i < r->schedule->nouts; i++) part_end(r->outs[i]);
    for (int i = 0; ok && t->division && i < n; i++) {
        r->outs[i]->part = t->parts[i];
        t->parts[i] = NULL;
    }
    for (int i = 0; i < n; i++) part_free(t->parts[i]);
    mem_object_free(t->parts);
}
