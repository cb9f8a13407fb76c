/* Lowering a nest: its loops, and where the kernel is along each axis.
 *
 * A position is the sum of the ways of the loops over its axis; a loop runs over what the loop
 * around it over the same axis covers. Variables are bound when the last loop over their axis
 * opens. */
#include <stdio.h>
#include <stdlib.h>

#include "../../../../base/internal.h"
#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

const KirExpr *nest_number(Lower *l, const char *name, Num *x)
{
    return gen_named(&l->g, name, x);
}

static const KirExpr *id_of(Lower *l, Intrinsic what, int dim)
{
    const KirExpr *d = kir_int(l->a, dim);
    return kir_intrinsic(l->a, idx, what, &d);
}

const KirExpr *nest_local_id(Lower *l, int dim)
{
    return id_of(l, INTR_LOCAL_ID, dim);
}

const KirExpr *nest_length(Lower *l, int axis)
{
    NestPlace *p = &l->places[axis];
    const NestAxis *a = &l->n->axes[axis];
    if (p->n) return p->n;
    if (a->n && a->nvars == 1 && !a->from && !a->to) {
        const KirExpr *lo, *n;
        gen_range(&l->g, a->doms, a->vars[0], &lo, &n);
        return p->n = n;
    }
    if (a->n) return p->n = nest_number(l, arena_printf(l->a, "n_%s", a->name), a->n);
    const KirExpr *lo, *n; /* not kept: it holds for the loops around only */
    gen_range(&l->g, a->doms, a->vars[0], &lo, &n);
    return n;
}

const KirExpr *nest_lanes_number(Lower *l)
{
    return nest_number(l, "lanes", nest_lane_count(l->u, l->g.lanes));
}

const KirExpr *nest_copy_way(Lower *l, const KirExpr *copy, Num *step, Num *run)
{
    const KirExpr *by = nest_number(l, "step", step);
    if (!run) return nest_mul(l, copy, by);
    const KirExpr *n = nest_number(l, "run", run);
    return nest_add(l, nest_op(l, FD_OP_REM, copy, n),
                    nest_mul(l, nest_op(l, FD_OP_DIV, copy, n), by));
}

bool nest_in_lanes(const Lower *l, int axis)
{
    return axis >= 0 && l->places[axis].lanes;
}

const KirExpr *nest_way(Lower *l, int axis, int from, NestWay which)
{
    const KirExpr *before = kir_int(l->a, 0), *outer = NULL, *inner = kir_int(l->a, 0);
    for (int i = 0; i < l->nopen; i++) {
        if (l->open[i].axis != axis) continue;
        if (l->open[i].inner)
            inner = nest_add(l, inner, l->open[i].off);
        else
            outer = l->open[i].at;
        if (i < from) before = l->open[i].at;
        if (i < from) inner = kir_int(l->a, 0), outer = NULL;
    }
    if (which == NEST_INNER) return inner;
    const KirExpr *way = outer ? nest_op(l, FD_OP_SUB, outer, before) : kir_int(l->a, 0);
    return which == NEST_ALL ? nest_add(l, way, inner) : way;
}

/* ---- variables --------------------------------------------------------------------------------- */

void nest_bind_end(Lower *l, const NestRegs *r, bool last)
{
    const NestAxis *x = &l->n->axes[r->axis];
    const KirExpr *at = l->places[r->axis].at;
    Num *way = num_op(l->u, FD_OP_MUL, r->count, r->step);
    way = num_op(l->u, FD_OP_SUB, way, num_int(l->u, 1));
    if (last) at = nest_add(l, at, nest_number(l, "way", way));
    gen_bind_at(&l->g, x->doms, x->vars[0], at);
}

void nest_bind(Lower *l, int axis)
{
    Gen *g = &l->g;
    const NestAxis *x = &l->n->axes[axis];
    const NestPlace *p = &l->places[axis];
    const KirExpr *at = p->at, *one = kir_int(l->a, 1);
    if (p->placed && p->copy) {
        for (int i = 0; i < x->nvars; i++)
            gen_bind(g, x->vars[i],
                     kir_elem(l->a, idx, arena_printf(l->a, "%s%d", p->placed, i), 1, &p->copy));
        return;
    }
    if (x->from)
        at = nest_add(l, nest_number(l, arena_printf(l->a, "from_%s", x->name), x->from), at);
    if (x->down) { /* lanes go up nevertheless */
        const KirExpr *lo, *n = nest_length(l, axis);
        if (x->from || x->to) gen_range(g, x->doms, x->vars[0], &lo, &n);
        at = nest_op(l, FD_OP_SUB, nest_op(l, FD_OP_SUB, n, p->lanes ? nest_lanes_number(l) : one),
                     at);
    }
    if (p->clamps) at = kir_min(l->a, at, nest_op(l, FD_OP_SUB, nest_length(l, axis), one));
    if (x->nvars == 1) {
        gen_bind_at(g, x->doms, x->vars[0], at);
        return;
    }
    const KirExpr *rest = x->nvars ? gen_variable(g, "rest", at) : at;
    for (int i = x->nvars - 1; i >= 0; i--) {
        const KirExpr *lo, *n;
        gen_range(g, &x->doms[i], x->vars[i], &lo, &n);
        const KirExpr *here = i ? nest_op(l, FD_OP_REM, rest, n) : rest;
        gen_bind_at(g, &x->doms[i], x->vars[i], gen_variable(g, gen_var_name(g, x->vars[i]), here));
        if (i) rest = gen_variable(g, "rest", nest_op(l, FD_OP_DIV, rest, n));
    }
}

/* ---- loops ------------------------------------------------------------------------------------- */

Num *nest_group_items(Lower *l, int dim)
{
    Num *count = nest_items(l->n->root.first, dim);
    return count ? count : num_int(l->u, 1);
}

const KirExpr *nest_group_id(Lower *l)
{
    const KirExpr *size = nest_number(l, "items", nest_group_items(l, 0));
    return nest_add(l, nest_mul(l, nest_local_id(l, 1), size), nest_local_id(l, 0));
}

void nest_barrier(Lower *l)
{
    kir_simple(l->a, l->g.block, KIR_BARRIER);
}

void nest_open(Lower *l, const NestStep *s, const KirExpr *off, bool inner)
{
    l->open[l->nopen++] = (NestOpen){s->axis, l->places[s->axis].at, off, inner, s};
}

bool nest_is_single(const NestStep *s)
{
    return num_is(s->step, 1) && !nest_loops_over(s->first, s->axis);
}

void nest_turn(Lower *l, const NestStep *s)
{
    if (!nest_loops_over(s->first, s->axis)) nest_bind(l, s->axis);
    nest_steps(l, s->first);
}

const KirExpr *nest_range_end(Lower *l, int axis)
{
    const NestPlace *p = &l->places[axis];
    const KirExpr *limit = p->limit ? p->limit : nest_length(l, axis);
    return p->span ? kir_min(l->a, nest_add(l, p->at, p->span), limit) : limit;
}

const char *nest_counter(Lower *l, int axis)
{
    const NestAxis *x = &l->n->axes[axis];
    return x->nvars == 1 ? gen_var_name(&l->g, x->vars[0])
                         : fresh_name(l->u, x->nvars ? "row" : "part");
}

/* `count` turns from where the kernel is. */
static void loop_counted(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis];
    const KirExpr *step = nest_number(l, "step", s->step),
                  *count = nest_number(l, "count", s->count);
    const KirExpr *turn = kir_name(l->a, idx, fresh_name(l->u, "u"));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *off = nest_copy_way(l, turn, s->step, s->run);
    p->at = nest_add(l, p->at, off);
    bool blocks = s->bind == NEST_LOOP && !nest_is_single(s);
    if (blocks)
        p->span = step;
    else
        p->copy = turn;
    nest_open(l, s, off, !blocks);
    bool copies = s->bind == NEST_UNROLL && fd_is_const(s->count);
    int around = g->beside;
    if (copies) g->beside = (int)s->count->value.i;
    nest_turn(l, s);
    g->beside = around;
    gen_leave(g, scope);
    /* copies of loops wait for each other less as one loop */
    if (copies && kir_has_loop(body.first) &&
        kir_interleave(l->a, &body, turn->name, (int)s->count->value.i)) {
        kir_if(l->a, g->block, NULL, body, NULL);
        return;
    }
    kir_for(l->a, g->block, turn->name, kir_int(l->a, 0), count, kir_int(l->a, 1),
            s->bind == NEST_UNROLL, body);
    g->block->last->rare = s->rare;
}

static bool is_zero(const KirExpr *e)
{
    return e->kind == KIR_CONST && e->value.i == 0;
}

static Num *groups_of(Lower *l, const NestStep *s)
{
    return num_ceildiv(l->u, l->n->axes[s->axis].n, s->step);
}

static void loop_group(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis];
    const KirExpr *step = nest_number(l, "step", s->step);
    p->turn = l->row ? l->row : id_of(l, l->items ? INTR_GROUP_ID : INTR_GLOBAL_ID, s->dim);
    const KirExpr *at = nest_mul(l, p->turn, step);
    if (s->tail == NEST_BACK)
        at = kir_min(l->a, at, nest_op(l, FD_OP_SUB, nest_length(l, s->axis), step));
    if (s->tail == NEST_SLIDE) {
        Num *last = num_op(l->u, FD_OP_SUB, l->n->axes[s->axis].n, s->step);
        last = num_op(l->u, FD_OP_MAX, last, num_int(l->u, 0));
        at = kir_min(l->a, at, nest_number(l, "slide", last));
    }
    p->at = gen_variable(g, nest_counter(l, s->axis), at);
    p->clamps = s->tail == NEST_CLAMP || s->tail == NEST_SLIDE;
    if (!nest_is_single(s)) p->span = step;
    if (!l->row) {
        l->global[s->dim] = num_op(l->u, FD_OP_MUL, l->global[s->dim], groups_of(l, s));
        if (s->dim >= l->dims) l->dims = s->dim + 1;
    }
    nest_open(l, s, p->at, false);
    nest_turn(l, s);
}

/* The work-item's place in its group: where neighbours are patches, number w * 32 + i is item i of patch w. */
static const KirExpr *item_of(Lower *l, int dim)
{
    const Nest *n = l->n;
    if (!n->patch[0] || dim > 1) return nest_local_id(l, dim);
    Num *size = nest_group_items(l, 0);
    const KirExpr *rows = kir_int(l->a, n->patch[0]), *cols = kir_int(l->a, n->patch[1]),
                  *all = kir_int(l->a, (int64_t)n->patch[0] * n->patch[1]),
                  *abreast = nest_number(l, "abreast",
                                         num_op(l->u, FD_OP_DIV, size, num_int(l->u, n->patch[1])));
    const KirExpr *id = nest_group_id(l);
    const KirExpr *in = nest_op(l, FD_OP_REM, id, all), *patch = nest_op(l, FD_OP_DIV, id, all);
    if (dim == 0)
        return nest_add(l, nest_mul(l, nest_op(l, FD_OP_REM, patch, abreast), cols),
                        nest_op(l, FD_OP_REM, in, cols));
    return nest_add(l, nest_mul(l, nest_op(l, FD_OP_DIV, patch, abreast), rows),
                    nest_op(l, FD_OP_DIV, in, cols));
}

static void loop_item(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis];
    const KirExpr *off = nest_mul(l, item_of(l, s->dim), nest_number(l, "step", s->step));
    off = gen_variable(g, "item", off);
    p->at = gen_variable(g, nest_counter(l, s->axis), nest_add(l, p->at, off));
    l->global[s->dim] = num_op(l->u, FD_OP_MUL, l->global[s->dim], s->count);
    l->local[s->dim] = s->count;
    if (!nest_is_single(s)) p->span = nest_number(l, "step", s->step);
    nest_open(l, s, off, true);
    if (s->tail != NEST_GUARD) {
        nest_turn(l, s);
        return;
    }
    const KirExpr *exists = nest_op(l, FD_OP_LT, p->at, nest_length(l, s->axis));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    nest_turn(l, s);
    gen_leave(g, scope);
    kir_if(l->a, g->block, exists, body, NULL);
}

static void loop_lanes(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    const NestAxis *x = &l->n->axes[s->axis];
    const FdNode *before = g->lane_var;
    g->lane_var = x->vars[x->nvars - 1];
    l->places[s->axis].lanes = true;
    if (x->down) nest_bind(l, s->axis);
    nest_open(l, s, kir_int(l->a, 0), true);
    nest_steps(l, s->first);
    g->lane_var = before;
}

void nest_for(Lower *l, const NestStep *s)
{
    NestPlace before[NEST_AXES];
    const KirExpr *rest = NULL;
    const NestAxis *x = &l->n->axes[s->axis];
    const NestPlace *p = &l->places[s->axis];
    int nopen = l->nopen;
    if (nopen == NEST_DEEPEST) internal_error("nest", "loops too deep");
    for (int i = 0; i < l->n->naxes; i++) before[i] = l->places[i];
    GenScope scope = gen_enter(&l->g, l->g.block);
    bool all = num_is(s->step, 1) && s->tail == NEST_CUT && is_zero(p->at) && !p->from && !p->span;
    switch (s->bind) {
    case NEST_LOOP:
        if (s->count)
            loop_counted(l, s);
        else if (s->staged)
            nest_in_stages(l, s);
        else if ((x->nvars > 1 && all && !nest_loops_over(s->first, s->axis) &&
                  nest_asks_variables(l, s)) ||
                 (!x->n && !p->n))
            nest_over_several(l, s);
        else
            nest_in_steps(l, s, &rest);
        break;
    case NEST_GROUP: loop_group(l, s); break;
    case NEST_ITEM: loop_item(l, s); break;
    case NEST_UNROLL: loop_counted(l, s); break;
    case NEST_LANES: loop_lanes(l, s); break;
    }
    gen_leave(&l->g, scope);
    l->nopen = nopen;
    for (int i = 0; i < NEST_HOLDS; i++)
        if (l->kept[i].depth > nopen) l->kept[i].depth = -1;
    for (int i = 0; i < l->n->naxes; i++) {
        const KirExpr *n = l->places[i].n;
        l->places[i] = before[i];
        if (l->n->axes[i].n) l->places[i].n = n; /* others hold here only */
    }
    if (s->bind == NEST_LOOP && !s->count) l->places[s->axis].from = rest; /* NULL: it is done */
}

/* Positions of the copies of an axis that follow: min(at + copy, n - 1), as values of its
 * variables. */
void nest_place_here(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    NestPlace *p = &l->places[s->axis];
    const NestAxis *x = &l->n->axes[s->axis];
    const char *stem = fresh_name(l->u, "at");
    const KirExpr *count = nest_number(l, "count", s->count), *before = p->at;
    const KirExpr *copy = kir_name(l->a, idx, fresh_name(l->u, "u"));
    for (int i = 0; i < x->nvars; i++)
        kir_array(l->a, g->block, idx, arena_printf(l->a, "%s%d", stem, i), false, 1, &count);
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    p->at = nest_add(l, p->at, copy);
    nest_bind(l, s->axis);
    for (int i = 0; i < x->nvars; i++)
        kir_set(l->a, &body, kir_elem(l->a, idx, arena_printf(l->a, "%s%d", stem, i), 1, &copy),
                gen_index(g, x->vars[i]));
    gen_leave(g, scope);
    p->at = before;
    p->placed = stem;
    kir_for(l->a, g->block, copy->name, kir_int(l->a, 0), count, kir_int(l->a, 1), true, body);
}

/* What is done depends on what the nest keeps: tiles, elements of a recurrence, tables or results. */
void nest_form(Lower *l, const NestStep *s)
{
    const Nest *n = l->n;
    bool table = s->kind == NEST_START || s->kind == NEST_JOIN || s->kind == NEST_SAVE;
    if (n->wave.of)
        nest_wave(l);
    else if (n->scan_items)
        nest_scanned(l, s);
    else if (n->carry_axis >= 0)
        nest_carry(l, s);
    else if (n->keys.entries && table)
        nest_table(l, s);
    else
        nest_result(l, s);
}

void nest_steps(Lower *l, const NestStep *first)
{
    static void (*const lower[])(Lower *, const NestStep *) = {
#define BIND(name, word, ...)
#define STEP(name, word, lower, verify, ...) [NEST_##name] = lower,
#include "steps.def"
    };
    for (const NestStep *s = first; s; s = s->next) lower[s->kind](l, s);
}

/* ---- the kernel -------------------------------------------------------------------------------- */

/* As passes of graphs are: by the compiler, which makes what programs need first. */
static void check(Unit *u, const Nest *n)
{
#ifndef NDEBUG
    const char *why = u->host_only ? NULL : nest_verify(u, n);
    if (!why) return;
    internal_error(arena_printf(u->arena, "nest %s", n->name), why);
#else
    (void)u, (void)n;
#endif
}

void nest_replace_run(Text *schedule, const Text *nest)
{
    size_t at = schedule->len - 1;
    while (at > 0 && schedule->data[at - 1] != '\n') at--;
    schedule->len = at;
    text_addn(schedule, nest->data, nest->len);
}

/* Are rows of this temporary, which is a result, stored whole by a kernel of bands? Nobody reads them there. */
static bool is_whole_stage(const Gen *g, const Def *d)
{
    return g->nrings && unit_kept(g->u, d->temp) && !gen_ring(g, d->temp);
}

static void all_steps(Lower *l)
{
    const Nest *n = l->n;
    l->g.checks = n->checks;
    l->g.stream = n->stream && (n->def->temp < 0 || n->def->copy || is_whole_stage(&l->g, n->def));
    if (l->g.stream) plan_stream(l->u, n->def);
    l->g.lanes = n->lanes;
    l->g.sums = n->sums;
    for (int i = 0; i < n->naxes; i++) l->places[i].at = kir_int(l->a, 0);
    for (int i = 0; i < NEST_HOLDS; i++) l->kept[i].depth = -1;
    for (int d = 0; d < 3; d++) l->global[d] = l->local[d] = num_int(l->u, 1);
    if (n->scan_items) l->global[0] = l->local[0] = n->scan_items;
    nest_steps(l, n->root.first);
}

void nest_lower_row(Unit *u, Gen *g, const Nest *n, const KirExpr *row)
{
    if (nest_find_loop(n->root.first, NEST_LANES) || n->sums) nest_lane_count(u, n->lanes);
    Lower l = {.u = u, .a = u->arena, .g = *g, .n = n, .dims = 1, .row = row};
    all_steps(&l);
    *g = l.g;
}

void nest_lower(Unit *u, const Nest *n)
{
    KirBlock body = {0};
    Text text = {0};
    const Def *whole = u->def;
    if (n->when && num_is(n->when, 0)) return;
    if (n->inside) u->def = n->inside->def;
    check(u, n);
    bool lanes = nest_find_loop(n->root.first, NEST_LANES) || n->wave.of || n->sums;
    if (lanes) nest_lane_count(u, n->lanes);
    if (lanes || n->keys.axis >= 0) def_given(n->def)->facts->in_lanes = true;
    Lower l = {.u = u,
               .a = u->arena,
               .n = n,
               .items = n->scan_items || nest_find_loop(n->root.first, NEST_ITEM),
               .dims = 1};
    l.g = gen_begin(u, n->name, &body);
    if (n->def->slice) gen_bind(&l.g, n->def->slice, gen_number(&l.g, "slice", n->def->at));
    l.g.over = n->def->nbeside > 0 || u->over;
    if (n->again) gen_only_again(&l.g);
    all_steps(&l);
    gen_tell(&l.g);
    if (l.items && fd_is_const(l.local[0]) && fd_is_const(l.local[1]) && fd_is_const(l.local[2]))
        for (int d = 0; d < 3; d++) l.g.items[d] = l.local[d]->value.i;
    if (u->schedule) nest_print(u, n, &text);
    l.g.cuts = nest_cuts(u, n);
    gen_run(&l.g, n->when, l.dims, l.global, l.local);
    if (u->schedule) nest_replace_run(u->schedule, &text);
    text_free(&text);
    gen_end(&l.g, &body);
    u->def = whole;
}
