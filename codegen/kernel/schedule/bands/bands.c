/* Bands of rows (bands.h): what is legal, and the kernel. */
#include "bands_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../base/internal.h"
#include "../../../../fdag/index/affine.h"
#include "../../../../fdag/index/inlined.h"
#include "../schedule.h"

/* ---- legality ---------------------------------------------------------------------------------- */

const char *bands_verify(Unit *u, Bands *b)
{
    if (b->n < 2) return "bands are of several stages";
    if (!bands_find_turns(u, b)) return "turns are stages that are three times alike";
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        bool last = i == b->n - 1 || s->def->copy;
        const NestStep *rows = s->nest ? s->nest->root.first : NULL;
        if (s->inlined && i < b->n - 1 && s->temp >= 0) continue;
        if (!rows || rows->next || rows->kind != NEST_FOR || rows->bind != NEST_GROUP ||
            !num_is(rows->step, 1) || nest_find_loop(rows->first, NEST_GROUP) ||
            nest_find_loop(rows->first, NEST_ITEM))
            return "a stage is one group over its rows, one by one";
        const NestAxis *x = &s->nest->axes[rows->axis];
        if (x->nvars != 1 || x->vars[0] != s->def->vars[s->dim] || x->from || x->to || !x->n)
            return "rows are of one variable, whose range is known before";
        if (s->nest->def != s->def || s->nest->inside || s->nest->again || s->nest->nholds ||
            s->nest->part.naxes || s->nest->keys.axis >= 0 || s->nest->checks == GEN_NOTED)
            return "a stage gives one value after the other";
        if (!last && (s->def->temp < 0 || s->temp < 0)) return "rows of temporaries are kept";
        if (last && s->temp >= 0) return "the last stage is stored whole";
    }
    if (!bands_layout(u, b)) return "stages read each other by rows, earlier ones only";
    return bands_verify_shared(u, b);
}

/* ---- the kernel -------------------------------------------------------------------------------- */

const KirExpr *bands_number(BandKernel *k, const char *name, Num *x)
{
    return gen_named(&k->g, name, x);
}

const KirExpr *bands_plus(BandKernel *k, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(k->a, FD_OP_ADD, x, y);
}

static const BandStage *result_of(const Bands *b)
{
    return &b->stages[b->n - 1];
}

/* Where the row of the result that is counted from 0 is in the range of the stage. */
static Num *shift_of(Unit *u, const Bands *b, const BandStage *s)
{
    const BandStage *last = result_of(b);
    return num_op(u, FD_OP_SUB, plan_lo(u, &last->def->doms[last->dim]),
                  plan_lo(u, &s->def->doms[s->dim]));
}

/* The rows of a stage that the band needs and that there are. */
static void rows_needed(BandKernel *k, const BandStage *s, const KirExpr **first,
                        const KirExpr **past)
{
    Unit *u = k->u;
    Num *shift = shift_of(u, k->b, s);
    *first = bands_plus(k, k->begin, bands_number(k, "low", num_op(u, FD_OP_ADD, shift, s->low)));
    *past = bands_plus(k, k->end, bands_number(k, "high", num_op(u, FD_OP_ADD, shift, s->high)));
    if (s == result_of(k->b) || s->round) return;
    *first = gen_variable(&k->g, "first", kir_max(k->a, *first, kir_int(k->a, 0)));
    *past = gen_variable(&k->g, "past",
                         kir_min(k->a, *past, bands_number(k, "n_rows", bands_rows(u, s))));
}

void bands_turn_to(Unit *u, const Def *d)
{
    u->def = d;
}

static const KirExpr *place_of(BandKernel *k, const BandStage *s, const KirExpr *row)
{
    Num *way = num_op(k->u, FD_OP_ADD, shift_of(k->u, k->b, s), s->ahead);
    return gen_variable(&k->g, "at", bands_plus(k, row, bands_number(k, "way", way)));
}

/* Where a stage is now. */
static void goes_round(BandKernel *k, const BandStage *s, const KirExpr *at, UnitRing *ring)
{
    if (!s->round) return;
    ring->newest = at;
    ring->rows = bands_number(k, "n_rows", bands_rows(k->u, s));
}

const KirExpr *bands_either(BandKernel *k, const KirExpr *cond, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {cond, x, y};
    return kir_op(k->a, FD_OP_SELECT, kir_type(KIR_IDX, 1), 3, args);
}

/* The row that a stage that goes round computes at a place; rings know it by the place. */
static const KirExpr *round_row(BandKernel *k, const BandStage *s, const KirExpr *at)
{
    Arena *a = k->a;
    const KirExpr *n = bands_number(k, "n_rows", bands_rows(k->u, s)), *zero = kir_int(a, 0);
    const KirExpr *behind = bands_either(k, kir_arith(a, FD_OP_GE, at, n), n, zero);
    const KirExpr *before = kir_arith(a, FD_OP_SUB, zero, n);
    const KirExpr *away = bands_either(k, kir_arith(a, FD_OP_LT, at, zero), before, behind);
    k->g.round = gen_variable(&k->g, "away", away);
    return gen_variable(&k->g, "row", kir_arith(a, FD_OP_SUB, at, k->g.round));
}

void bands_stage(BandKernel *k, const BandStage *s, const KirExpr *at, const KirExpr *first,
                 const KirExpr *past)
{
    Unit *u = k->u;
    KirBlock body = {0};
    const KirExpr *needed = kir_arith(k->a, FD_OP_GE, at, first);
    if (s != result_of(k->b))
        needed = kir_arith(k->a, FD_OP_LAND, needed, kir_arith(k->a, FD_OP_LT, at, past));
    bands_turn_to(u, s->def);
    GenScope scope = gen_enter(&k->g, &body);
    nest_lower_row(u, &k->g, s->nest, s->round ? round_row(k, s, at) : at);
    k->g.round = NULL;
    gen_leave(&k->g, scope);
    kir_if(k->a, k->g.block, needed, body, NULL);
}

/* The memory of a work-item: ring number `level` of those that share it with the ring of stage i. */
static UnitRing ring(BandKernel *k, int i, const KirExpr *turn, int shared, Num *level)
{
    const BandStage *s = &k->b->stages[i];
    Num *size = num_op(k->u, FD_OP_MUL, s->keeps, bands_row(k->u, s));
    Num *kept = bands_kept(k->u, k->b, i, shared);
    const KirExpr *all = bands_number(k, "ring", kept),
                  *slab = kir_arith(k->a, FD_OP_MUL, turn, all);
    Num *before = num_op(k->u, FD_OP_MUL, size, level);
    if (!num_is(before, 0)) slab = bands_plus(k, slab, bands_number(k, "before", before));
    return (UnitRing){.of = s->def->temp,
                      .temp = s->temp,
                      .dim = s->dim,
                      .keeps = s->keeps,
                      .elements = num_op(k->u, FD_OP_MUL, bands_count(k->u, k->b), kept),
                      .slab = gen_variable(&k->g, "slab", slab)};
}

const KirExpr *bands_ring(BandKernel *k, const BandStage *s, const KirExpr *slab,
                          const KirExpr *level)
{
    Num *size = num_op(k->u, FD_OP_MUL, s->keeps, bands_row(k->u, s));
    const KirExpr *args[] = {level, kir_int(k->a, 2)};
    if (k->b->turns.same_row) level = kir_intrinsic(k->a, kir_type(KIR_IDX, 1), INTR_RING, args);
    return bands_plus(k, slab, kir_arith(k->a, FD_OP_MUL, level, bands_number(k, "ring", size)));
}

/* x - level * less */
static const KirExpr *at_level(BandKernel *k, const KirExpr *x, const KirExpr *level,
                               const char *name, Num *less)
{
    Num *more = num_op(k->u, FD_OP_SUB, num_int(k->u, 0), less);
    return bands_plus(k, x, kir_arith(k->a, FD_OP_MUL, level, bands_number(k, name, more)));
}

/* A stage of turn number `level` at a row, its ring, and that of the turn before. */
static void stage_of_turn(BandKernel *k, const BandTurns *t, const BandStage *s,
                          const KirExpr *level, const KirExpr *row, UnitRing *own, UnitRing *before)
{
    Unit *u = k->u;
    Arena *a = k->a;
    Num *shift = shift_of(u, k->b, s);
    const KirExpr *first =
        bands_plus(k, k->begin, bands_number(k, "low", num_op(u, FD_OP_ADD, shift, s->low)));
    const KirExpr *past =
        bands_plus(k, k->end, bands_number(k, "high", num_op(u, FD_OP_ADD, shift, s->high)));
    first = at_level(k, first, level, "lower", t->low);
    past = at_level(k, past, level, "higher", t->high);
    if (!s->round) {
        first = kir_max(a, first, kir_int(a, 0));
        past = kir_min(a, past, bands_number(k, "n_rows", bands_rows(u, s)));
    }
    first = gen_variable(&k->g, "first", first);
    past = gen_variable(&k->g, "past", past);
    const KirExpr *at = at_level(k, place_of(k, s, row), level, "later", t->ahead);
    at = gen_variable(&k->g, "at", at);
    goes_round(k, s, at, own);
    goes_round(k, s, bands_plus(k, at, bands_number(k, "later", t->ahead)), before);
    bands_stage(k, s, at, first, past);
}

/* The stages of turns at a row. */
static void turns(BandKernel *k, const BandTurns *t, const KirExpr *row)
{
    Unit *u = k->u;
    const KirExpr *level = kir_name(k->a, kir_type(KIR_IDX, 1), fresh_name(u, "level"));
    UnitRing *rings = k->rings,
             *kept = arena_copy(k->a, rings, (size_t)k->g.nrings * sizeof *rings);
    KirBlock body = {0};
    GenScope scope = gen_enter(&k->g, &body);
    if (t == &k->b->turns) bands_find_saved(k, level);
    for (int i = t->first; i < t->first + t->period; i++) {
        const BandStage *s = &k->b->stages[i];
        UnitRing *from = &rings[i - t->period], *to = &rings[i];
        const KirExpr *next = bands_plus(k, level, kir_int(k->a, 1));
        to->slab = gen_variable(&k->g, "slab", bands_ring(k, s, from->slab, next));
        from->slab = gen_variable(&k->g, "slab", bands_ring(k, s, from->slab, level));
    }
    if (t == &k->b->turns) gen_moving(&k->g, level);
    for (int i = t->first; i < t->first + t->period; i++)
        stage_of_turn(k, t, &k->b->stages[i], level, row, &rings[i], &rings[i - t->period]);
    gen_leave(&k->g, scope);
    kir_for(k->a, k->g.block, level->name, kir_int(k->a, 0), bands_number(k, "turns", t->count),
            kir_int(k->a, 1), false, body);
    memcpy(rings, kept, (size_t)k->g.nrings * sizeof *rings);
}

static void print_kept(Unit *u, const BandStage *s, Text *out)
{
    text_printf(out, "# rows %s to %s around those of the result, %s ahead, %s kept",
                num_text(u, s->low), num_text(u, s->high), num_text(u, s->ahead),
                num_text(u, s->keeps));
    if (s->nsaved) text_printf(out, ", %d saved", s->nsaved);
    text_printf(out, "\nrows temp %d in temp %d\n", s->def->temp, s->temp);
}

static void print(Unit *u, const Bands *b, Text *out)
{
    text_printf(out, "bands %s", b->name);
    if (b->when && !num_is(b->when, 1)) text_printf(out, " when %s", num_text(u, b->when));
    text_printf(out, " by %s\n", num_text(u, b->each));
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        if (bands_is_turn(b, i) && i == b->turns.first)
            text_printf(out, "# %s turns, %s rows from one to the next\n",
                        num_text(u, b->turns.count), num_text(u, b->turns.ahead));
        if (s->def->temp < 0)
            text_add(out, "rows result\n");
        else if (s->def->copy)
            text_printf(out, "rows temp %d as result\n", s->def->temp);
        else if (i == b->n - 1)
            text_printf(out, "rows temp %d\n", s->def->temp);
        else if (s->inlined)
            text_printf(out, "rows temp %d in temp %d inlined dim %d\n", s->def->temp, s->temp,
                        s->dim);
        else
            print_kept(u, s, out);
        if (s->inlined) continue;
        bands_turn_to(u, s->def);
        nest_print(u, s->nest, out);
    }
    text_add(out, "end bands\n");
}

static void check(Unit *u, Bands *b)
{
    const char *why = bands_verify(u, b);
    for (int i = 0; i < b->n && !why; i++) {
        if (b->stages[i].inlined) continue;
        bands_turn_to(u, b->stages[i].def);
        why = nest_verify(u, b->stages[i].nest);
    }
    if (!why || u->host_only) return;
    internal_error(arena_printf(u->arena, "bands %s", b->name), why);
}

/* ---- stages in loops ---------------------------------------------------------------------------- */

/* The first of the stages that share the memory of this one. */
static int first_shared(const Bands *b, int i)
{
    while (i > 0 && b->stages[i].temp >= 0 && b->stages[i - 1].temp == b->stages[i].temp) i--;
    return i;
}

/* Is it lowered with others, by loop_after? */
static bool in_loop(const Bands *b, int i)
{
    return b->turns.count ? bands_is_turn(b, i) : first_shared(b, i) < i;
}

/* Which ring of those in its memory is stage i's; of turns, the last one's. */
static Num *level_of(Unit *u, const Bands *b, int i)
{
    Num *count = b->turns.count, *two = num_int(u, 2);
    if (!count) return num_int(u, i - first_shared(b, i));
    if (!bands_is_turn(b, i)) return num_int(u, 0);
    Num *pairs = num_op(u, FD_OP_MUL, num_op(u, FD_OP_DIV, count, two), two);
    return b->turns.same_row ? num_op(u, FD_OP_SUB, count, pairs) : count;
}

/* What is in loops behind stage i, at a row. */
static void loop_after(BandKernel *k, int i, const KirExpr *row)
{
    const Bands *b = k->b;
    int n = bands_shared(b, i);
    if (b->turns.count && i == b->turns.first - 1) turns(k, &b->turns, row);
    if (b->turns.count || n == 1) return;
    const BandTurns alike = bands_roll(k->u, b, i, n);
    turns(k, &alike, row);
}

/* Where stage i is at a row; of turns, the last one. */
static void place_now(BandKernel *k, int i, const KirExpr *row, UnitRing *ring)
{
    const BandStage *s = &k->b->stages[i];
    const BandTurns *t = &k->b->turns;
    if (!s->round) return;
    const KirExpr *at = place_of(k, s, row);
    if (bands_is_turn(k->b, i)) {
        Num *last = num_op(k->u, FD_OP_SUB, t->count, num_int(k->u, 1));
        at = gen_variable(&k->g, "at",
                          at_level(k, at, bands_number(k, "level", last), "later", t->ahead));
    }
    goes_round(k, s, at, ring);
}

/* The last stage's temporary, row by row. */
static void add_rows(Unit *u, const BandStage *s, Text *out)
{
    const Def *d = s->def;
    Num *before = plan_elements(u, s->dim, d->doms),
        *after = plan_elements(u, d->nvars - s->dim - 1, d->doms + s->dim + 1);
    Num *bytes =
        num_op(u, FD_OP_MUL, after, num_int(u, (int64_t)scalar_bytes(d->body->type->scalar)));
    text_printf(out, " temp %d segments %s", d->temp, num_text(u, before));
    text_printf(out, " of %s", num_text(u, bands_rows(u, s)));
    text_printf(out, " bytes %s each 0", num_text(u, bytes));
}

/* A stage that is a result, too, stores the same rows as the last one. False: others. */
static bool add_kept(Unit *u, const Bands *b, const BandStage *s, Text *out)
{
    const BandStage *last = result_of(b);
    if (!s->def->copy) return s->temp >= 0 || s->inlined || !unit_kept(u, s->def->temp);
    bool same = s->dim == last->dim && num_is(s->low, 0) && num_is(s->high, 0) &&
                num_is(shift_of(u, b, s), 0) && bands_rows(u, s) == bands_rows(u, last);
    if (same) text_printf(out, ", out %d", unit_kept(u, s->def->temp) - 1);
    return same;
}

/* By bands. Rows of a temporary are those of a result only if one is stored beside them. */
static const char *cuts_of(Unit *u, const Bands *b)
{
    const BandStage *last = result_of(b);
    const Def *d = last->def;
    Text t = {0};
    int kept = d->temp >= 0 ? unit_kept(u, d->temp) : 0;
    bool known = !u->nbeside && u->options->family == CG_CPU, result = d->temp < 0 || kept;
    text_printf(&t, " cut 0 by %s", num_text(u, b->each));
    text_printf(&t, " of %s", num_text(u, bands_rows(u, last)));
    text_printf(&t, " rows %d %d writes", last->dim, d->apart && last->dim == d->nvars - 1 ? 2 : 1);
    known = known && (result || !d->body->type->record);
    if (d->temp < 0)
        text_add(&t, " out 0");
    else if (kept)
        text_printf(&t, " out %d", kept - 1);
    else
        add_rows(u, last, &t);
    for (int i = 0; i < b->n - 1; i++) {
        known = known && add_kept(u, b, &b->stages[i], &t);
        result = result || b->stages[i].def->copy;
    }
    known = known && result;
    if (!known) text_free(&t);
    if (!known) return NULL;
    const char *text = arena_strndup(u->arena, t.data, t.len);
    text_free(&t);
    return text;
}

void bands_lower(Unit *u, Bands *b)
{
    KirBlock body = {0}, turn = {0};
    Text text = {0};
    UnitRing *rings = arena_array(u->arena, UnitRing, b->n + bands_saved(b));
    const KirExpr *first[BANDS_STAGES], *past[BANDS_STAGES];
    check(u, b);
    for (int i = 0; i < b->n; i++)
        if (b->stages[i].def->of) unit_count(u, b->stages[i].def->body);
    BandKernel k = {
        .u = u, .a = u->arena, .g = gen_begin(u, b->name, &body), .b = b, .rings = rings};
    Gen *g = &k.g;
    Num *rows = bands_rows(u, result_of(b)), *before = num_int(u, 0);
    const KirExpr *band = gen_variable(g, "band", gen_global_id(g, 0)),
                  *each = bands_number(&k, "each", b->each);
    k.begin = gen_variable(g, "begin", kir_arith(k.a, FD_OP_MUL, band, each));
    k.end = gen_variable(
        g, "end", kir_min(k.a, bands_plus(&k, k.begin, each), bands_number(&k, "n_rows", rows)));
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        before = num_op(u, FD_OP_MAX, before, num_op(u, FD_OP_SUB, s->ahead, s->low));
        rings[i] = (UnitRing){.of = -1};
        if (!in_loop(b, i)) rows_needed(&k, s, &first[i], &past[i]);
        if (s->temp >= 0)
            rings[i] = ring(&k, i, band, bands_shared(b, first_shared(b, i)), level_of(u, b, i));
    }
    g->rings = rings;
    g->nrings = b->n;
    bands_save(&k);
    const KirExpr *from = kir_arith(k.a, FD_OP_SUB, k.begin, bands_number(&k, "before", before)),
                  *row = kir_name(k.a, kir_type(KIR_IDX, 1), fresh_name(u, "row"));
    GenScope scope = gen_enter(g, &turn);
    for (int i = 0; i < b->n; i++) place_now(&k, i, row, &rings[i]);
    for (int i = 0; i < b->n; i++) {
        const BandStage *s = &b->stages[i];
        if (in_loop(b, i)) continue;
        if (!s->inlined) bands_stage(&k, s, place_of(&k, s, row), first[i], past[i]);
        loop_after(&k, i, row);
    }
    gen_leave(g, scope);
    kir_for(k.a, g->block, row->name, from, k.end, kir_int(k.a, 1), false, turn);
    if (u->schedule) print(u, b, &text);
    g->quiet = num_truth(u, true);
    for (int i = 0; i < b->n; i++)
        g->quiet = num_and(u, g->quiet, def_quiet(u, def_given(b->stages[i].def)));
    Num *one = num_int(u, 1), *global[] = {bands_count(u, b), one, one}, *local[] = {one, one, one};
    g->cuts = cuts_of(u, b);
    gen_run(g, b->when, 1, global, local);
    if (u->schedule) nest_replace_run(u->schedule, &text);
    text_free(&text);
    gen_end(g, &body);
}
