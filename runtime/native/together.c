/* Runs of several ranks (together.h): natively, or on a device each. */
#include "together.h"

#include <string.h>

#include "../device/device.h"
#include "../device/memory.h"
#include "../ranks/ranks.h"
#include "../state.h"

static bool has_rows(const NativeRun *r, int out)
{
    const Part *p = r->outs[out]->part;
    return p && rows_same(r->division->outs[out], p->layout) && !part_is_crowded(p);
}

/* What a result lies over may be read through it, by those who write there. */
static void want_own(const Division *d, bool same, bool new, PartWant *want, Rows *rows)
{
    if (new) want->rows = rows;
    for (int s = 0; new &&s < d->n; s++) rows[s] = (Rows){0};
    if (!same) want->rows = NULL; /* all of it */
    for (int s = 0; same && s < d->n; s++) rows_add(&rows[s], d->own[s], d->own[s + 1]);
}

static int want_needs(const NativeRun *r, const Division *d, PartWant *wants, Rows *rows)
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
        want_own(d, d->outs[i] && has_rows(r, i), k == n, &wants[k], &rows[k * d->n]);
        if (k == n) wants[n++].buffer = r->outs[i];
    }
    return n;
}

/* Who has what of an array of which a part is written; NULL: all ranks have all, once it has come. */
static const Part *before_of(const NativeRun *r, int out)
{
    return r->slice && has_rows(r, out) ? r->outs[out]->part : NULL;
}

/* Of results that are divided. */
static bool new_parts(Together *t)
{
    const Division *d = t->run->division;
    if (!d) return true;
    t->parts = mem_object((size_t)d->nouts * sizeof *t->parts + 1);
    for (int i = 0; t->parts && i < d->nouts; i++)
        if (d->outs[i] && !(t->parts[i] = part_new(d->outs[i], d->own, before_of(t->run, i))))
            return false;
    return t->parts != NULL;
}

/* ---- what is sent of temporaries ------------------------------------------------------------------ */

/* blocks NULL: only how many there would be. */
static size_t add_entries(const Together *t, const CgWrite *w, int from, int to, int64_t lo,
                          int64_t hi, RankBlock *blocks)
{
    for (int64_t k = 0; blocks && k < w->segments; k++) {
        char *at = (char *)t->memory->temps[w->index] + (k * w->entries + lo) * w->bytes;
        blocks[k] = (RankBlock){from, to, at, (size_t)((hi - lo) * w->bytes)};
    }
    return (size_t)w->segments;
}

/* What others wrote of temporaries. */
static size_t list_sent(const Together *t, const Division *d, const DividedLaunch *l,
                        RankBlock *blocks)
{
    size_t n = 0;
    int64_t lo, hi;
    for (int i = 0; i < l->cut->nwrites; i++)
        for (int s = 0; s < d->n; s++) {
            const CgWrite *w = &l->cut->writes[i];
            for (int to = l->own ? 0 : RANKS_ALL; to < (l->own ? d->n : 0); to++)
                if (division_sent(l, w, s, to, &lo, &hi))
                    n += add_entries(t, w, s, to, lo, hi, blocks ? blocks + n : NULL);
        }
    return n;
}

/* Memory of temporaries that a device writes: what this rank sends comes to the host, and what it gets goes there. */
static bool move_temps(const Together *t, const DividedLaunch *l, size_t n, bool in,
                       const CsSite *site)
{
    bool ok = true;
    for (int i = 0; t->device && ok && i < l->cut->nwrites; i++) {
        const CgWrite *w = &l->cut->writes[i];
        Buffer *b = w->kind == CG_ARG_TEMP ? t->device->temps[w->index] : NULL;
        if (b) ok = in ? rt_blocks_in(b, t->sent, n, site) : rt_blocks_out(b, t->sent, n, site);
    }
    return ok;
}

/* A rank that has failed sends what it has: the others wait for it. */
static bool gather(const Together *t, const DividedLaunch *l, bool ok, const CsSite *site)
{
    size_t n = list_sent(t, t->division, l, t->sent);
    ok = ok && move_temps(t, l, n, false, site);
    ranks_exchange(t->sent, (int)n);
    return ok && move_temps(t, l, n, true, site);
}

static int units_each(void)
{
    return rt.ranks.units / rt.ranks.size;
}

static size_t longest_turn(const Rounds *turns)
{
    size_t most = 0;
    for (int64_t k = 0; k < turns->rounds; k++) {
        size_t n = rounds_sent(turns, k, NULL);
        most = n > most ? n : most;
    }
    return most;
}

/* Room for the longest of these lists. */
static bool new_sent(Together *t)
{
    const Division *d = t->run->division;
    size_t most = 0;
    Rounds turns;
    for (int i = 0; d && i < d->nlaunches; i++) {
        const DividedLaunch *l = &d->launches[i];
        bool several = rounds_from(d, t->run->schedule, i, units_each(), &turns);
        size_t n = several                 ? longest_turn(&turns)
                   : l->cut && l->gathered ? list_sent(t, d, l, NULL)
                                           : 0;
        if (several) i = turns.end - 1;
        most = n > most ? n : most;
    }
    t->sent = mem_object(most * sizeof *t->sent + 1);
    t->handed = mem_object(most * sizeof *t->handed + 1);
    return t->sent && t->handed;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

/* What comes of arrays, by the division. */
typedef struct Fetch {
    int n;
    PartWant *wants;
    RankBlocks list;
    Rows *rows;
} Fetch;

static bool fetch_begin(const NativeRun *r, Fetch *f, const CsSite *site)
{
    const Division *d = r->division;
    int most = r->nslots + r->schedule->nouts;
    if (!d) return true;
    f->wants = mem_object((size_t)most * sizeof(PartWant) + 1);
    f->rows = mem_object((size_t)(most * d->n) * sizeof *f->rows + 1);
    if (!f->wants || !f->rows) return false;
    f->n = want_needs(r, d, f->wants, f->rows);
    return part_list(f->wants, f->n, &f->list, site);
}

static void fetch_end(Fetch *f)
{
    mem_object_free(f->wants);
    mem_object_free(f->rows);
    vec_free(&f->list);
}

/* Those who do not divide it have what they read, and all of results that are not new. */
static bool complete(const NativeRun *r, const CsSite *site)
{
    for (int i = 0; i < r->schedule->nouts && !r->slice; i++) /* a part all write alike */
        if (!part_complete(r->outs[i], site)) return false;
    return r->bring(r->ctx, site);
}

bool together_begin(Together *t, const CsSite *site)
{
    const NativeRun *r = t->run;
    const Division *d = r->division;
    Fetch f = {0};
    if (!rt.ranks.size) return true;
    if (!r->meets) return complete(r, site);
    bool ok = fetch_begin(r, &f, site) && new_parts(t) && new_sent(t);
    if (!ok && !cs_pending) rt_throw_memory(site, 0);
    uint64_t plan = d ? d->hash : 0;
    ok = ranks_meet(&plan, NULL) && ok;
    t->division = plan ? d : NULL;
    if (plan)
        rt.ranks.account.divided++;
    else
        rt.ranks.account.alone++;
    if (ok && plan) part_fetch(f.wants, f.n, &f.list, site);
    fetch_end(&f);
    return ok && (plan || complete(r, site));
}

/* Copies of guarded runs get it, too. */
static bool complete_slots(const Together *t, const CsSite *site)
{
    const NativeRun *r = t->run;
    for (int i = 0; i < r->nslots; i++) {
        Buffer *b = r->slots[i];
        void *copy = b && !t->device ? t->memory->slots[i] : NULL;
        bool came = b && b->part;
        if (b && !part_complete(b, site)) return false;
        if (came && copy && copy != b->host) memcpy(copy, b->host, b->bytes);
    }
    return true;
}

/* Does what a share is about to do read all there is, so that all ranks have that? False with an exception pending. */
static bool complete_read(const Together *t, const CgCut *c, bool ok, const CsSite *site)
{
    int temp = c->finite - 1;
    uint64_t plan = t->division->hash;
    if (temp < 0) return true;
    if (ok && t->device) buffer_host(t->device->temps[temp], false, site);
    if (t->device && !ranks_meet(&plan, NULL)) return false;
    size_t bytes = t->run->schedule->temp_bytes[temp];
    return !division_reads_all(c, t->memory->temps[temp], bytes) || complete_slots(t, site);
}

/* This rank's share; by NULL: all. */
static bool run_share(const Together *t, const CgLaunch *l, const DividedLaunch *by, uint64_t *args,
                      const CsSite *site)
{
    bool ok = true;
    for (int64_t k = 0; ok && k < (by ? by->cut->repeats : 1); k++) {
        const DivisionRange range = by ? division_range(by, rt.ranks.rank, k) : (DivisionRange){0};
        ok = t->device ? device_launch(t->device, l, by ? &range : NULL, site)
                       : launch_run(t->run, l, by ? &range : NULL, t->memory, args, site);
    }
    return ok;
}

/* All know the errors of all, of which the devices' kernels look at notes. */
static bool tell(const Together *t, bool ok, const CsSite *site)
{
    uint32_t *words = t->memory->errors;
    uint64_t plan = t->division->hash;
    if (ok && t->device) device_errors(words, site);
    if (!ranks_meet(&plan, words)) return false;
    return !t->device || device_set_errors(words, site);
}

/* ---- turns --------------------------------------------------------------------------------------- */

/* The result's memory on a device. */
static bool move_results(const Together *t, size_t n, bool in, const CsSite *site)
{
    bool ok = true;
    for (int i = 0; t->device && ok && i < t->run->schedule->nouts; i++) {
        Buffer *b = t->run->outs[i];
        ok = in ? rt_blocks_in(b, t->sent, n, site) : rt_blocks_out(b, t->sent, n, site);
    }
    return ok;
}

static bool hand_on(const Together *t, const Rounds *turns, int64_t round, bool ok,
                    const CsSite *site)
{
    size_t n = rounds_sent(turns, round, t->handed);
    for (size_t k = 0; k < n; k++) {
        const RoundBlock *b = &t->handed[k];
        char *memory = t->device ? t->run->outs[b->out]->host : t->memory->outs[b->out];
        t->sent[k] = (RankBlock){b->from, b->to, memory + b->at, b->bytes};
    }
    if (!n) return ok;
    ok = ok && move_results(t, n, false, site);
    ranks_exchange(t->sent, (int)n);
    return ok && move_results(t, n, true, site);
}

static bool run_turns(const Together *t, const Rounds *turns, bool ok, uint64_t *args,
                      const CsSite *site)
{
    const CgSchedule *s = t->run->schedule;
    for (int64_t k = 0; k < turns->rounds; k++) {
        RoundItems is;
        for (int64_t at = 0; rounds_next(turns, rt.ranks.rank, k, &at, &is);) {
            const CgLaunch *l = &s->launches[is.launch];
            if (!ok || !launch_goes_on(t->memory->errors)) continue;
            ok = t->device ? device_launch(t->device, l, &is.range, site)
                           : launch_run(t->run, l, &is.range, t->memory, args, site);
        }
        ok = hand_on(t, turns, k, ok, site);
    }
    return ok;
}

/* A rank that fails alone, by its device, goes on with the messages until all hear of it. */
bool together_run(const Together *t, uint64_t *args, const CsSite *site)
{
    const NativeRun *r = t->run;
    const Division *d = t->division;
    uint32_t *words = t->memory->errors;
    bool ok = !cs_pending;
    for (int i = 0; i < r->schedule->nlaunches && launch_goes_on(words); i++) {
        const CgLaunch *launch = &r->schedule->launches[i];
        const DividedLaunch *l = d ? &d->launches[i] : NULL;
        bool divided = l && l->cut;
        bool late = l && l->late;
        Rounds turns;
        if (divided && rounds_from(d, r->schedule, i, units_each(), &turns)) {
            ok = run_turns(t, &turns, ok, args, site);
            if (rounds_tell(&turns) && !tell(t, ok, site)) return false;
            i = turns.end - 1;
            continue;
        }
        if (late && t->device && !t->fails) continue;
        bool asks =
            t->device && t->fails && (divided || late) && launch->again; /* else its kernels look */
        if (asks && !tell(t, ok, site)) return false;
        if ((asks || !t->device) && !launch_acts(launch, words)) continue;
        if (late && !complete_slots(t, site)) return false;
        if (divided && !complete_read(t, l->cut, ok, site)) return false;
        ok = ok && run_share(t, launch, divided ? l : NULL, args, site);
        if (divided && l->gathered) ok = gather(t, l, ok, site);
        if (divided && l->told && !tell(t, ok, site)) return false;
    }
    return ok;
}

void together_end(Together *t, bool ok)
{
    const NativeRun *r = t->run;
    int n = t->parts ? r->division->nouts : 0;
    bool stays = r->slice && !t->division;
    for (int i = 0; ok && !stays && i < r->schedule->nouts; i++) part_end(r->outs[i]);
    for (int i = 0; ok && t->division && i < n; i++) {
        r->outs[i]->part = t->parts[i];
        t->parts[i] = NULL;
    }
    for (int i = 0; i < n; i++) part_free(t->parts[i]);
    mem_object_free(t->parts);
    mem_object_free(t->sent);
    mem_object_free(t->handed);
}

bool together_on_device(Together *t, bool can_fail, const CsSite *site)
{
    const CgSchedule *s = t->run->schedule;
    uint32_t words[CG_ERROR_WORDS] = {0};
    void **temps = mem_object((size_t)s->ntemps * sizeof *temps + 1);
    Memory m = {.temps = temps, .errors = words};
    const Division *d = t->run->division;
    for (int i = 0; d && i < d->nlaunches; i++) can_fail = can_fail || d->launches[i].told;
    t->fails = can_fail;
    bool ok = device_begin(t->device, can_fail, site) && temps;
    if (!temps) rt_throw_memory(site, 0);
    for (int i = 0; ok && i < s->ntemps; i++) {
        Buffer *b = t->device->temps[i];
        ok = !b || buffer_pages(b, true, site);
        temps[i] = b ? b->host : NULL;
    }
    for (int i = 0; ok && d && rounds_are_in(d) && i < s->nouts; i++) /* rows are handed on there */
        ok = rt_blocks_room(t->run->outs[i], site);
    t->memory = &m;
    ok = ok && together_begin(t, site);
    ok = ok && together_run(t, NULL, site);
    together_end(t, ok);
    device_end(t->device);
    mem_object_free(temps);
    return ok;
}
