/* Native runs in blocks (together.h), for tests. */
#include <stdlib.h>
#include <string.h>

#include "../state.h"
#include "guard.h"
#include "together.h"

/* What a block has: garbage, but for what it needs. */
typedef struct Block {
    void **slots, **temps, **outs;
} Block;

static bool copy_needs(const NativeRun *r, int share, const Memory *m, Block *b, Guarded **copies)
{
    const Division *d = r->division;
    for (int i = 0; i < r->nslots; i++) {
        const Need *need = &d->needs[share * d->nslots + i];
        if (!m->slots[i]) continue;
        if (!(b->slots[i] = guard_put(copies, NULL, r->slots[i]->bytes, share & 1))) return false;
        if (need->all) {
            memcpy(b->slots[i], m->slots[i], r->slots[i]->bytes);
            continue;
        }
        for (int k = 0; k < need->n; k++) {
            const FdBox *box = &d->boxes[i];
            RowsLayout *l = rows_layout(d->elements[i], box, 0, box->rank ? 1 : 0);
            Rows rows = {0};
            if (!l) return false;
            rows_of_box(l, box, &need->boxes[k], &rows);
            for (int x = 0; x < rows.n; x++)
                rows_copy(l, b->slots[i], m->slots[i], rows.at[x].lo, rows.at[x].hi);
            mem_object_free(l);
        }
    }
    for (int i = 0; i < r->schedule->ntemps; i++)
        if (m->temps[i] &&
            !(b->temps[i] = guard_put(copies, NULL, r->schedule->temp_bytes[i], share & 1)))
            return false;
    for (int i = 0; i < r->schedule->nouts; i++) {
        if (!m->outs[i]) continue;
        if (!(b->outs[i] = guard_put(copies, NULL, r->outs[i]->bytes, share & 1))) return false;
        if (!d->outs[i] || r->keeps) memcpy(b->outs[i], m->outs[i], r->outs[i]->bytes);
    }
    return true;
}

/* What block number `share` wrote of temporaries, to the others. */
static void hand_round(const Division *d, const DividedLaunch *l, Block *blocks, int share)
{
    for (int i = 0; i < l->cut->nwrites; i++)
        for (int s = 0; s < d->n; s++) {
            const CgWrite *w = &l->cut->writes[i];
            int64_t lo, hi;
            if (!division_sent(l, w, share, s, &lo, &hi)) continue;
            for (int64_t k = 0; k < w->segments; k++) {
                int64_t at = (k * w->entries + lo) * w->bytes;
                memcpy((char *)blocks[s].temps[w->index] + at,
                       (char *)blocks[share].temps[w->index] + at, (size_t)((hi - lo) * w->bytes));
            }
        }
}

/* Blocks that read what others' items do have all that is read. */
static void copy_slots(const NativeRun *r, const DividedLaunch *l, const Memory *m, Block *blocks)
{
    const CgCut *c = l->cut;
    int temp = c ? c->finite - 1 : -1;
    bool all = l->late || (temp >= 0 && division_reads_all(c, blocks[0].temps[temp],
                                                           r->schedule->temp_bytes[temp]));
    if (!all) return;
    for (int s = 0; s < r->division->n; s++)
        for (int i = 0; i < r->nslots; i++)
            if (m->slots[i]) memcpy(blocks[s].slots[i], m->slots[i], r->slots[i]->bytes);
}

static bool run_turns(const NativeRun *r, const Rounds *t, const Memory *m, Block *blocks,
                      uint64_t *args, const CsSite *site)
{
    const Division *d = r->division;
    for (int64_t k = 0; k < t->rounds; k++) {
        for (int s = 0; s < d->n; s++) {
            Memory own = {blocks[s].slots, blocks[s].temps, blocks[s].outs, m->errors};
            RoundItems is;
            for (int64_t at = 0; rounds_next(t, s, k, &at, &is);)
                if (launch_goes_on(m->errors) &&
                    !launch_run(r, &r->schedule->launches[is.launch], &is.range, &own, args, site))
                    return false;
        }
        size_t n = rounds_sent(t, k, NULL);
        RoundBlock *sent = calloc(n + 1, sizeof *sent);
        if (!sent) return rt_throw_memory(site, 0), false;
        rounds_sent(t, k, sent);
        for (size_t x = 0; x < n; x++)
            memcpy((char *)blocks[sent[x].to].outs[sent[x].out] + sent[x].at,
                   (char *)blocks[sent[x].from].outs[sent[x].out] + sent[x].at, sent[x].bytes);
        free(sent);
    }
    return true;
}

static bool launch_blocks(const NativeRun *r, const Memory *m, Block *blocks, uint64_t *args,
                          const CsSite *site)
{
    const Division *d = r->division;
    for (int i = 0; i < d->nlaunches && launch_goes_on(m->errors); i++) {
        const DividedLaunch *l = &d->launches[i];
        Rounds turns; /* those of several units, too */
        if (rounds_from(d, r->schedule, i, d->n % 2 ? 1 : 2, &turns)) {
            if (!run_turns(r, &turns, m, blocks, args, site)) return false;
            i = turns.end - 1;
            continue;
        }
        if (!launch_acts(&r->schedule->launches[i], m->errors)) continue;
        copy_slots(r, l, m, blocks);
        for (int s = 0; s < d->n && launch_goes_on(m->errors); s++) {
            Memory own = {blocks[s].slots, blocks[s].temps, blocks[s].outs, m->errors};
            for (int64_t k = 0; k < (l->cut ? l->cut->repeats : 1); k++) {
                const DivisionRange range = l->cut ? division_range(l, s, k) : (DivisionRange){0};
                if (!launch_run(r, &r->schedule->launches[i], l->cut ? &range : NULL, &own, args,
                                site))
                    return false;
            }
        }
        for (int s = 0; l->cut && l->gathered && s < d->n; s++) hand_round(d, l, blocks, s);
    }
    return true;
}

bool blocks_run(const NativeRun *r, const Memory *m, uint64_t *args, const CsSite *site)
{
    const Division *d = r->division;
    size_t each = (size_t)(r->nslots + r->schedule->ntemps + r->schedule->nouts) + 1;
    Block *blocks = calloc((size_t)d->n, sizeof *blocks);
    void **room = calloc((size_t)d->n * each, sizeof *room);
    Guarded *copies = NULL;
    bool ok = blocks && room;
    for (int s = 0; ok && s < d->n; s++) {
        void **at = room + (size_t)s * each;
        blocks[s] = (Block){at, at + r->nslots, at + r->nslots + r->schedule->ntemps};
        ok = copy_needs(r, s, m, &blocks[s], &copies);
    }
    if (!ok) rt_throw_memory(site, 0);
    ok = ok && launch_blocks(r, m, blocks, args, site);
    for (int i = 0; ok && i < r->schedule->nouts; i++) {
        if (!m->outs[i]) continue;
        if (!d->outs[i]) memcpy(m->outs[i], blocks[d->n - 1].outs[i], r->outs[i]->bytes);
        for (int s = 0; d->outs[i] && s < d->n; s++)
            rows_copy(d->outs[i], m->outs[i], blocks[s].outs[i], d->own[s], d->own[s + 1]);
    }
    guard_end(copies);
    free(blocks);
    free(room);
    return ok;
}
