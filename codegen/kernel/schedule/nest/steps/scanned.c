/* Lowering scans whose steps the work-items of a group take together, a tile of them at a time.
 *
 *   TAKE     what all steps of a tile come to. Of operations that commute each work-item takes
 *            every so manieth step, and SAVE joins them
 *   GIVE     steps come from memory side by side and are turned in local memory: a work-item has
 *            `each` of them one after the other. What these come to is scanned over the work-items;
 *            each then gives its elements, which go back side by side
 *   RESUME   parts before this one: a share of them for each work-item, joined in order
 *
 * After Blelloch (CMU-CS-90-190) and Merrill and Garland (2016). The order in which steps are joined
 * depends on extents and the device alone. A product of factors that is not finite sends a tile to
 * one work-item, in order (carry.c). */
#include <string.h>

#include "../../../../../base/internal.h"
#include "../impl.h"

enum { BANKS = 32 };

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static const KirExpr *items(Lower *l)
{
    return nest_number(l, "items", l->n->scan_items);
}

static const KirExpr *each(Lower *l)
{
    return nest_number(l, "each", l->n->scan_each);
}

static const KirExpr *id(Lower *l)
{
    return nest_local_id(l, 0);
}

static void declare_local(Lower *l, const char *stem, const KirExpr *length)
{
    for (int k = 0; k < l->n->scan->n; k++) {
        const char *name = nest_named(l, stem, k);
        for (const KirStmt *s = l->g.head.first; s; s = s->next)
            if (s->name && strcmp(s->name, name) == 0) return;
        kir_array(l->a, &l->g.head, nest_kind(l->n->scan->step[k]), name, true, 1, &length);
    }
}

/* What each work-item's steps come to. */
static const KirExpr *sum_at(Lower *l, int k, const KirExpr *at)
{
    return kir_elem(l->a, nest_kind(l->n->scan->step[k]), nest_named(l, "sums", k), 1, &at);
}

static void sums_at(Lower *l, const KirExpr *at, const KirExpr **out)
{
    for (int k = 0; k < l->n->scan->n; k++) out[k] = sum_at(l, k, at);
    nest_scan_copy(l, "sum", l->n->scan->n, out);
}

static void set_sums(Lower *l, const KirExpr *const *x)
{
    for (int k = 0; k < l->n->scan->n; k++) kir_set(l->a, l->g.block, sum_at(l, k, id(l)), x[k]);
}

/* Steps of a tile lie one after the other, with a gap after each row of banks. */
static const KirExpr *step_at(Lower *l, int k, const KirExpr *at)
{
    at = nest_add(l, at, nest_op(l, FD_OP_DIV, at, kir_int(l->a, BANKS)));
    return kir_elem(l->a, nest_kind(l->n->scan->step[k]), nest_named(l, "steps", k), 1, &at);
}

/* Local sums become those of all work-items up to each: x is this one's. */
static void scan_items(Lower *l, const KirExpr *const *x)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    declare_local(l, "sums", items(l));
    set_sums(l, x);
    nest_barrier(l);
    const KirExpr *far = kir_name(a, idx, fresh_name(l->u, "far"));
    KirBlock step = {0}, body = {0}, set = {0}, leave = {0};
    kir_decl(a, g->block, idx, far->name, kir_int(a, 1));
    GenScope scope = gen_enter(g, &body);
    kir_simple(a, &leave, KIR_BREAK);
    kir_if(a, g->block, nest_op(l, FD_OP_GE, far, items(l)), leave, NULL);
    const KirExpr *y[SCAN_NUMBERS], *z[SCAN_NUMBERS], *has = nest_op(l, FD_OP_GE, id(l), far);
    sums_at(l, nest_op(l, FD_OP_SUB, id(l), nest_mul(l, far, has)), y);
    sums_at(l, id(l), z);
    nest_barrier(l);
    GenScope inner = gen_enter(g, &set);
    nest_scan_both(l, y, z);
    set_sums(l, z);
    gen_leave(g, inner);
    kir_if(a, g->block, has, set, NULL);
    nest_barrier(l);
    gen_leave(g, scope);
    kir_set(a, &step, far, nest_add(l, far, far));
    kir_loop(a, g->block, body, step, false);
}

static const KirExpr *last_item(Lower *l)
{
    return nest_op(l, FD_OP_SUB, items(l), kir_int(l->a, 1));
}

/* to := what it and then x come to. */
static void add_to(Lower *l, const KirExpr *const *to, const KirExpr **x)
{
    nest_scan_both(l, to, x);
    for (int k = 0; k < l->n->scan->n; k++) kir_set(l->a, l->g.block, to[k], x[k]);
}

/* ---- a tile ------------------------------------------------------------------------------------ */

/* Where the tile ends: it may not be whole. */
static const KirExpr *tile_end(Lower *l)
{
    return gen_variable(&l->g, "end", nest_range_end(l, l->n->carry_axis));
}

/* For each of a work-item's positions of the tile at `base` that lie before `end`, side by side. */
typedef void OnPosition(Lower *l, const KirExpr *in_tile);
static void side_by_side(Lower *l, const KirExpr *base, const KirExpr *end, OnPosition *inside,
                         OnPosition *beyond)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    NestPlace *p = &l->places[l->n->carry_axis], before = *p;
    const KirExpr *e = kir_name(a, idx, fresh_name(l->u, "e"));
    KirBlock body = {0}, in = {0}, out = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *here = gen_variable(g, "in_tile", nest_add(l, nest_mul(l, e, items(l)), id(l)));
    const KirExpr *at = gen_variable(g, "at", nest_add(l, base, here));
    GenScope inner = gen_enter(g, &in);
    p->at = at;
    nest_bind(l, l->n->carry_axis);
    inside(l, here);
    gen_leave(g, inner);
    if (beyond) {
        inner = gen_enter(g, &out);
        beyond(l, here);
        gen_leave(g, inner);
    }
    kir_if(a, g->block, nest_op(l, FD_OP_LT, at, end), in, beyond ? &out : NULL);
    gen_leave(g, scope);
    *p = before;
    kir_for(a, g->block, e->name, kir_int(a, 0), each(l), kir_int(a, 1), true, body);
}

static void put(Lower *l, const KirExpr *in_tile, const KirExpr *const *x)
{
    for (int k = 0; k < l->n->scan->n; k++) kir_set(l->a, l->g.block, step_at(l, k, in_tile), x[k]);
}

static void put_steps(Lower *l, const KirExpr *in_tile)
{
    const KirExpr *x[SCAN_NUMBERS];
    nest_scan_steps(l, x);
    put(l, in_tile, x);
}

static void put_none(Lower *l, const KirExpr *in_tile)
{
    const KirExpr *x[SCAN_NUMBERS];
    nest_scan_none(l, x);
    put(l, in_tile, x);
}

static void add_step(Lower *l, const KirExpr *in_tile)
{
    const KirExpr *x[SCAN_NUMBERS];
    (void)in_tile;
    nest_scan_steps(l, x);
    nest_scan_add(l, x);
}

static void own_steps(Lower *l, const KirExpr *e, const KirExpr **out)
{
    const KirExpr *at = gen_variable(&l->g, "own", nest_add(l, nest_mul(l, id(l), each(l)), e));
    for (int k = 0; k < l->n->scan->n; k++) out[k] = step_at(l, k, at);
    nest_scan_copy(l, "step", l->n->scan->n, out);
}

/* Local sums := of the steps of the tile up to each work-item. */
static void scan_tile(Lower *l, const KirExpr *base, const KirExpr *end)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const KirExpr *sum[SCAN_NUMBERS], *x[SCAN_NUMBERS];
    const KirExpr *tile = nest_mul(l, items(l), each(l));
    declare_local(l, "steps", nest_add(l, tile, nest_op(l, FD_OP_DIV, tile, kir_int(a, BANKS))));
    side_by_side(l, base, end, put_steps, put_none);
    nest_barrier(l);
    own_steps(l, kir_int(a, 0), sum);
    const KirExpr *e = kir_name(a, idx, fresh_name(l->u, "e"));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    own_steps(l, e, x);
    add_to(l, sum, x);
    gen_leave(g, scope);
    kir_for(a, g->block, e->name, kir_int(a, 1), each(l), kir_int(a, 1), true, body);
    scan_items(l, sum);
}

/* ---- parts ------------------------------------------------------------------------------------- */

static void start(Lower *l)
{
    const KirExpr *none[SCAN_NUMBERS];
    nest_scan_start(l, none);
}

static void take(Lower *l)
{
    const KirExpr *base = l->places[l->n->carry_axis].at, *end = tile_end(l);
    if (l->n->scan->commutes) {
        side_by_side(l, base, end, add_step, NULL);
        return;
    }
    const KirExpr *all[SCAN_NUMBERS];
    scan_tile(l, base, end);
    sums_at(l, last_item(l), all);
    nest_scan_add(l, all);
    nest_barrier(l);
}

static void save(Lower *l)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    const KirExpr *x[SCAN_NUMBERS];
    for (int k = 0; k < n->scan->n; k++) x[k] = nest_scan_number(l, k);
    if (n->scan->commutes) {
        scan_items(l, x);
        sums_at(l, last_item(l), x);
    }
    KirBlock one = {0};
    GenScope scope = gen_enter(g, &one);
    nest_scan_store(l, x);
    gen_leave(g, scope);
    nest_by_one(l, one);
}

static void walk_parts(Lower *l, const KirExpr *part)
{
    (void)part;
    nest_parts_before(l);
}

/* What all parts before come to: a share of them each, in order. */
static void add_parts(Lower *l)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const Nest *n = l->n;
    const KirExpr *x[SCAN_NUMBERS], *y[SCAN_NUMBERS], *turn = l->places[n->carry_axis].turn;
    const KirExpr *share = nest_op(l, FD_OP_DIV, nest_add(l, turn, last_item(l)), items(l));
    share = gen_variable(g, "share", share);
    const KirExpr *from = gen_variable(g, "from", nest_mul(l, id(l), share));
    const KirExpr *to = gen_variable(g, "to", kir_min(a, nest_add(l, from, share), turn));
    nest_scan_none(l, x);
    nest_scan_copy(l, "sum", n->scan->n, x);
    const KirExpr *part = kir_name(a, idx, fresh_name(l->u, "part"));
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    nest_scan_load(l, part, y);
    add_to(l, x, y);
    gen_leave(g, scope);
    kir_for(a, g->block, part->name, from, to, kir_int(a, 1), false, body);
    scan_items(l, x);
    sums_at(l, last_item(l), x);
    nest_barrier(l);
    nest_scan_parts(l, x, walk_parts, NULL);
}

static void resume(Lower *l)
{
    l->carried = fresh_name(l->u, "before");
    nest_load_before(l);
    if (l->n->part.naxes) add_parts(l);
}

/* ---- elements ---------------------------------------------------------------------------------- */

/* Those of this work-item, in place of their steps. */
static void own_elements(Lower *l, const KirExpr *last)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    int n = l->n->scan->n;
    const KirExpr *sum[SCAN_NUMBERS], *x[SCAN_NUMBERS], *none[SCAN_NUMBERS];
    const KirExpr *first = nest_op(l, FD_OP_EQ, id(l), kir_int(a, 0)), *zero = kir_int(a, 0);
    nest_scan_none(l, sum);
    nest_scan_copy(l, "sum", n, sum);
    KirBlock others = {0};
    GenScope scope = gen_enter(g, &others);
    sums_at(l, nest_op(l, FD_OP_SUB, id(l), kir_int(a, 1)), none);
    for (int k = 0; k < n; k++) kir_set(a, g->block, sum[k], none[k]);
    gen_leave(g, scope);
    kir_if(a, g->block, nest_op(l, FD_OP_EQ, first, zero), others, NULL);
    const KirExpr *e = kir_name(a, idx, fresh_name(l->u, "e"));
    KirBlock body = {0};
    scope = gen_enter(g, &body);
    own_steps(l, e, x);
    add_to(l, sum, x);
    const KirExpr *at = gen_variable(g, "own", nest_add(l, nest_mul(l, id(l), each(l)), e));
    kir_set(a, g->block, step_at(l, 0, at), nest_scan_after(l, last, sum));
    gen_leave(g, scope);
    kir_for(a, g->block, e->name, kir_int(a, 0), each(l), kir_int(a, 1), true, body);
}

static void store_element(Lower *l, const KirExpr *in_tile)
{
    GenScope scope = gen_enter(&l->g, l->g.block);
    const KirExpr *v = gen_variable(&l->g, "v", step_at(l, 0, in_tile));
    gen_remember(&l->g, l->n->def->body, v);
    gen_store(&l->g, l->n->def);
    gen_leave(&l->g, scope);
}

static void give(Lower *l)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const KirExpr *base = l->places[l->n->carry_axis].at, *end = tile_end(l),
                  *last = nest_carried(l, nest_element(l), 0), *zero = kir_int(a, 0);
    scan_tile(l, base, end);
    KirBlock fast = {0}, slow = {0}, one = {0};
    const KirExpr *count = gen_variable(g, "count", nest_op(l, FD_OP_SUB, end, base));
    GenScope scope = gen_enter(g, &fast);
    own_elements(l, last);
    nest_barrier(l);
    kir_set(a, g->block, last, step_at(l, 0, nest_op(l, FD_OP_SUB, count, kir_int(a, 1))));
    side_by_side(l, base, end, store_element, NULL);
    nest_barrier(l);
    gen_leave(g, scope);
    if (!l->n->scan->grows) {
        kir_if(a, g->block, NULL, fast, NULL);
        return;
    }
    const KirExpr *all = gen_variable(g, "all", sum_at(l, 0, last_item(l)));
    scope = gen_enter(g, &slow);
    nest_barrier(l);
    GenScope inner = gen_enter(g, &one);
    nest_scan_walk(l, base, count, true);
    kir_set(a, g->block, step_at(l, 0, zero), last);
    gen_leave(g, inner);
    nest_by_one(l, one);
    nest_barrier(l);
    kir_set(a, g->block, last, step_at(l, 0, zero));
    nest_barrier(l);
    gen_leave(g, scope);
    nest_scan_unless_grown(l, all, fast, slow);
}

void nest_scanned(Lower *l, const NestStep *s)
{
    switch (s->kind) {
    case NEST_START: start(l); break;
    case NEST_RESUME: resume(l); break;
    case NEST_TAKE: take(l); break;
    case NEST_SAVE: save(l); break;
    case NEST_GIVE: give(l); break;
    default: internal_error("scanned", "a step of no form");
    }
}
