/* Rows that all rows of a stage read (d(k, j) of Floyd's method, the row of a pivot): a work-item computes them before
 * the first row of its band and keeps them apart, behind the rings of their stage.
 *
 * Of turns, which take two rings in turn, row R of turn number `level` has gone through those before it:
 *
 *   for (level = 0; level <= turns; level++)
 *     the first turn at row R, into ring 0
 *     for (earlier = 0; earlier < level; earlier++)
 *       turn number `earlier` at row R, from ring `earlier` to ring `earlier + 1`
 *     of this the last one is where row R of `level` is saved
 *
 * The rows that turns read of those before them were saved for a smaller `level`. */
#include "bands_kernel.h"

#include <string.h>

int bands_saved(const Bands *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++) n += b->stages[i].nsaved;
    return n;
}

/* The row of this index of a stage. */
static void at_row(BandKernel *k, const BandStage *s, const KirExpr *row)
{
    const KirExpr *lo = bands_number(k, "first_row", plan_lo(k->u, &s->def->doms[s->dim]));
    const KirExpr *at = gen_variable(&k->g, "at_row", kir_arith(k->a, FD_OP_SUB, row, lo));
    bands_stage(k, s, at, kir_int(k->a, 0), bands_number(k, "n_rows", bands_rows(k->u, s)));
}

/* ---- once ------------------------------------------------------------------------------------------ */

/* The memory of its saved row i, behind its ring, which it shares with nobody. */
static UnitRing saved_row(BandKernel *k, const BandStage *s, const UnitRing *own, int i)
{
    UnitRing r = *own;
    Num *row = bands_row(k->u, s), *before = num_op(k->u, FD_OP_MUL, s->keeps, row);
    before = num_op(k->u, FD_OP_ADD, before, num_op(k->u, FD_OP_MUL, row, num_int(k->u, i)));
    r.keeps = num_int(k->u, 1);
    r.row = s->saved[i];
    r.slab =
        gen_variable(&k->g, "slab", bands_plus(k, own->slab, bands_number(k, "saved", before)));
    return r;
}

/* Stage by stage, each saved row of the same row of the stages before it, which saved it. */
static void save(BandKernel *k)
{
    for (int i = 0; i < k->b->n; i++) {
        const BandStage *s = &k->b->stages[i];
        for (int r = 0; r < s->nsaved; r++) {
            k->rings[k->g.nrings] = saved_row(k, s, &k->rings[i], r);
            k->g.nrings++;
            k->g.row = s->saved[r];
            at_row(k, s, bands_number(k, "row", s->saved[r]));
            k->g.row = NULL;
        }
    }
}

/* ---- in turns --------------------------------------------------------------------------------------- */

/* Saved row i of a stage of the first turn, for turn number `level`: behind all rings. */
static const KirExpr *saved_slab(BandKernel *k, const BandStage *s, const KirExpr *slab, int i,
                                 const KirExpr *level)
{
    Unit *u = k->u;
    Num *row = bands_row(u, s), *two = num_int(u, 2), *all = bands_turns(u, k->b);
    Num *rows = num_op(u, FD_OP_ADD, two, num_op(u, FD_OP_MUL, all, num_int(u, i)));
    const KirExpr *at = kir_arith(k->a, FD_OP_MUL, level, bands_number(k, "row", row));
    return bands_plus(
        k, bands_plus(k, slab, bands_number(k, "saved", num_op(u, FD_OP_MUL, rows, row))), at);
}

/* Saved rows of the stages from `first` on, a turn's, stand behind those of the stages before them. */
static void find_from(BandKernel *k, int first, const KirExpr *level)
{
    const BandTurns *t = &k->b->turns;
    int at = k->b->n;
    for (int p = 0; p < first; p++) at += k->b->stages[p].nsaved;
    for (int p = first; p < first + t->period; p++) {
        const BandStage *s = &k->b->stages[p];
        for (int i = 0; i < s->nsaved; i++, at++) {
            const KirExpr *slab = saved_slab(k, s, k->rings[p - first].slab, i, level);
            k->rings[at] = k->rings[p];
            k->rings[at].keeps = num_int(k->u, 1);
            k->rings[at].row = s->saved[i];
            k->rings[at].slab = gen_variable(&k->g, "slab", slab);
        }
    }
}

void bands_find_saved(BandKernel *k, const KirExpr *level)
{
    find_from(k, 0, level);
}

/* The index of what stage p of the first turn saves as row i, as turn number `level` reads it. */
static const KirExpr *index_of(BandKernel *k, int p, int i, const KirExpr *level)
{
    const BandTurns *t = &k->b->turns;
    const KirExpr *count = bands_number(k, "turns", t->count);
    GenScope scope = gen_enter(&k->g, k->g.block);
    gen_moving(&k->g, kir_min(k->a, level, kir_arith(k->a, FD_OP_SUB, count, kir_int(k->a, 1))));
    const KirExpr *row = bands_number(k, "row", k->b->stages[p].saved[i]);
    gen_leave(&k->g, scope);
    const KirExpr *last = bands_number(k, "row", k->b->stages[p + t->period].saved[i]);
    row = bands_either(k, kir_arith(k->a, FD_OP_LT, level, count), row, last);
    return gen_variable(&k->g, "row", row);
}

/* The ring that stage p of a turn fills now: the saved row if its turn is the last one. */
static const KirExpr *filled(BandKernel *k, int p, int i, const KirExpr *slab, const KirExpr *next,
                             const KirExpr *level)
{
    const BandStage *s = &k->b->stages[p];
    const KirExpr *last = kir_arith(k->a, FD_OP_EQ, next, level);
    return gen_variable(
        &k->g, "slab",
        bands_either(k, last, saved_slab(k, s, slab, i, level), bands_ring(k, s, slab, next)));
}

/* Row i that stage p of the first turn saves, for turn number `level`. */
static void save_row(BandKernel *k, int p, int i, const KirExpr *level)
{
    const BandTurns *t = &k->b->turns;
    UnitRing *rings = k->rings;
    const size_t bytes = (size_t)k->g.nrings * sizeof *rings;
    const UnitRing *kept = arena_copy(k->a, rings, bytes);
    const KirExpr *row = index_of(k, p, i, level), *zero = kir_int(k->a, 0);
    const KirExpr *earlier = kir_name(k->a, kir_type(KIR_IDX, 1), fresh_name(k->u, "earlier"));
    const KirExpr *next = bands_plus(k, earlier, kir_int(k->a, 1));
    KirBlock body = {0};
    rings[p].slab = filled(k, p, i, kept[p].slab, zero, level);
    for (int q = 0; q < t->period; q++) at_row(k, &k->b->stages[q], row);
    memcpy(rings, kept, bytes);
    GenScope scope = gen_enter(&k->g, &body);
    find_from(k, 0, earlier);
    for (int q = 0; q < t->period; q++) {
        const BandStage *s = &k->b->stages[q];
        const KirExpr *slab = kept[q].slab;
        rings[q].slab = gen_variable(&k->g, "slab", bands_ring(k, s, slab, earlier));
        rings[q + t->period].slab = q == p
                                        ? filled(k, q, i, slab, next, level)
                                        : gen_variable(&k->g, "slab", bands_ring(k, s, slab, next));
    }
    gen_moving(&k->g, earlier);
    for (int q = t->first; q < t->first + t->period; q++) at_row(k, &k->b->stages[q], row);
    gen_leave(&k->g, scope);
    kir_for(k->a, k->g.block, earlier->name, zero, level, kir_int(k->a, 1), false, body);
    memcpy(rings, kept, bytes);
}

static void save_in_turns(BandKernel *k, int saved)
{
    const BandTurns *t = &k->b->turns;
    const KirExpr *level = kir_name(k->a, kir_type(KIR_IDX, 1), fresh_name(k->u, "level"));
    const KirExpr *count = bands_number(k, "turns", t->count),
                  *end = bands_number(k, "turns", bands_turns(k->u, k->b));
    KirBlock body = {0};
    for (int i = 0; i < saved; i++) k->rings[k->b->n + i] = (UnitRing){.of = -1};
    k->g.nrings += saved;
    GenScope scope = gen_enter(&k->g, &body);
    for (int p = 0; p < t->period; p++)
        for (int i = 0; i < k->b->stages[p].nsaved; i++) save_row(k, p, i, level);
    gen_leave(&k->g, scope);
    kir_for(k->a, k->g.block, level->name, kir_int(k->a, 0), end, kir_int(k->a, 1), false, body);
    find_from(k, t->period, count);
}

void bands_save(BandKernel *k)
{
    const int saved = bands_saved(k->b);
    if (k->b->turns.count && saved)
        save_in_turns(k, saved);
    else
        save(k);
}
