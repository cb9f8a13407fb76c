/* Recurrences: the loops of a definition that reads itself, in the order that the pass `recur`
 * found.
 *
 *   before   rec s (i, j) order +0: select(i == 0, a(i, j), s(i-1, j) + a(i, j))
 *   after    a work-item takes one j:  for (i = lo; i < hi; i++) out[..] = i == 0 ? a[..] : out[..]
 *
 * Variables along which every read of itself stays where it is are independent: each of their
 * values is a line for a work-item of its own. Reads of itself are checked unless the numbers prove
 * them inside; a point that is read is always an earlier one. Keeps: the order of operations within
 * an element. */
#include <stdlib.h>

#include "../../../../fdag/index/affine.h"
#include "../schedule.h"
#include "recipe.h"

/* Does every read of `self` below n have variable d's own value as its index d? */
static bool stays_below(const Def *d, const FdNode *n, int dim, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    for (int i = 0; i < n->nvars; i++)
        if (n->doms[i].lo && (!stays_below(d, n->doms[i].lo, dim, seen) ||
                              !stays_below(d, n->doms[i].hi, dim, seen)))
            return false;
    if (n->body && !stays_below(d, n->body, dim, seen)) return false;
    if (n->init && !stays_below(d, n->init, dim, seen)) return false;
    if (n->kind == FD_REDUCE && !stays_below(d, n->fn, dim, seen)) return false;
    if (n->kind != FD_APPLY) return n != d->node->self;
    if (n->fn == d->node->self) {
        FdAffine index;
        bool same = fd_affine(n->args[dim], &index) && fd_affine_add(&index, d->vars[dim], -1) &&
                    index.nterms == 0 && index.constant == 0;
        if (!same) return false;
    } else if (!stays_below(d, n->fn, dim, seen)) {
        return false;
    }
    for (int i = 0; i < n->nargs; i++)
        if (!stays_below(d, n->args[i], dim, seen)) return false;
    return true;
}

bool recipe_stays(const Def *d, int dim)
{
    FdSeen seen = {0};
    bool all = stays_below(d, d->body, dim, &seen);
    fd_seen_free(&seen);
    return all;
}

/* ---- loops in order ---------------------------------------------------------------------------- */

/* The variables that stay as one axis, -1: there are none. `but`: this one apart. */
static int lines_axis(Unit *u, Nest *n, const bool *stays, int but)
{
    unsigned lines = 0;
    for (int v = 0; v < n->def->nvars; v++)
        if (stays[v] && v != but) lines |= 1u << v;
    return nest_axis_some(u, n, lines);
}

/* A loop over an ordered variable, between these positions. */
static NestStep *ordered_loop(Unit *u, Nest *n, NestStep *in, int place, Num *from, Num *to)
{
    int order = n->def->node->order[place], v = abs(order) - 1;
    int axis = nest_axis_of(u, n, n->def, v, v + 1);
    n->axes[axis].down = order < 0;
    if (from || to) nest_axis_cut(u, n, axis, from, to);
    return nest_loop(u, in, axis, NULL, NEST_CUT);
}

/* All points, or some positions of each ordered variable, one after the other. turns: of one turn, along variable `across`. */
static void loops(Unit *u, const Def *d, Num *when, bool checked, const bool *stays,
                  Num *const *from, Num *const *to, const NestTurns *turns, int across)
{
    Nest *n = nest_new(u, from ? "recur_border" : "recur", d, when);
    if (checked) n->checks = GEN_CHECKED;
    NestStep *in = &n->root;
    int lines = lines_axis(u, n, stays, -1), first = -1;
    if (lines >= 0) in = nest_group(u, in, lines, 0, NULL, NEST_CUT);
    if (turns) n->turns = *turns;
    for (int k = 0; k < d->nvars; k++) {
        int v = abs(d->node->order[k]) - 1;
        if (stays[v]) continue;
        in = ordered_loop(u, n, in, k, from ? from[v] : NULL, to ? to[v] : NULL);
        if (first < 0) first = in->axis;
        if (turns && v == across) n->turns.across = in->axis;
    }
    if (turns) n->turns.axis = first;
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* ---- the interior ------------------------------------------------------------------------------ */

static int first_ordered(const Def *d, const bool *stays)
{
    int k = 0;
    while (k < d->nvars - 1 && stays[abs(d->node->order[k]) - 1]) k++;
    return abs(d->node->order[k]) - 1;
}

/* What lies before the interior, as before: the first positions of each variable, and of the
 * variables before it those that are left. Those of the first variable, and (`rest`) of others. */
static void borders(Unit *u, const Borders *b, const Interior *in, Num *when, Num *rest)
{
    const Def *d = b->def;
    Num *from[FD_MAX_RANK] = {NULL}, *to[FD_MAX_RANK] = {NULL};
    for (int k = 0; k < d->nvars; k++) {
        int v = abs(d->node->order[k]) - 1;
        Num *if_so = v == b->ordered ? when : rest;
        if (in->stays[v] || num_is(in->skip[v], 0)) continue;
        to[v] = in->skip[v];
        if (!num_is(if_so, 0)) loops(u, d, if_so, b->checked, in->stays, from, to, NULL, -1);
        to[v] = NULL;
        from[v] = in->skip[v];
    }
}

void recipe_borders(Unit *u, const Borders *b, const Interior *in, const NestTurns *turns,
                    Num *from, Num *to, Num *when)
{
    const Def *d = b->def;
    Num *lo[FD_MAX_RANK] = {NULL}, *hi[FD_MAX_RANK] = {NULL};
    lo[b->ordered] = from;
    hi[b->ordered] = to;
    for (int k = 0; k < d->nvars; k++) {
        int v = abs(d->node->order[k]) - 1;
        if (v == b->ordered || in->stays[v] || num_is(in->skip[v], 0)) continue;
        hi[v] = in->skip[v];
        loops(u, d, when, b->checked, in->stays, lo, hi, turns, v);
        hi[v] = NULL;
        lo[v] = in->skip[v];
    }
}

/* Its first elements are there when the others begin: nothing at a border reads from inside. What can
 * fail inside is reported in the order of all points. */
static bool borders_first(const Interior *in)
{
    int bordered = 0, ordered = 0;
    bool fails = fd_effects_called(in->def->body) & (FD_FAILS | FD_EMPTY);
    for (int v = 0; v < in->def->nvars; v++) {
        ordered += !in->stays[v];
        bordered += !in->stays[v] && !num_is(in->skip[v], 0);
    }
    return !bordered || ordered == 1 || (in->forward && !fails);
}

/* How many elements before can stay in registers; 0: none. */
static int carried(const Interior *in, int dim)
{
    int most = 0;
    if (!fd_type_is_scalar(in->def->body->type)) return 0;
    for (int i = 0; i < in->nreads; i++) {
        const InteriorRead *r = &in->reads[i];
        bool along = r->before[dim] <= NEST_CARRIED;
        for (int v = 0; v < in->def->nvars; v++)
            along = along && r->constant[v] && (v == dim || r->before[v] == 0);
        if (along && r->before[dim] > most) most = (int)r->before[dim];
    }
    return most;
}

/* One after the other, the last ones in registers. */
static void in_registers(Unit *u, const Interior *in, Num *when)
{
    const Def *d = in->def;
    Nest *n = nest_inside(u, "recur_inside", in, when);
    n->sums = u->options->family == CG_CPU && sums_in_lanes(u, d->body);
    if (n->sums) n->lanes = nest_lanes_for(widest_bytes(d->body));
    NestStep *at = &n->root;
    int lines = lines_axis(u, n, in->stays, -1), last = -1;
    if (lines >= 0) at = nest_group(u, at, lines, 0, NULL, NEST_CUT);
    for (int k = 0; k < d->nvars; k++)
        if (!in->stays[abs(d->node->order[k]) - 1]) last = k;
    for (int k = 0; k <= last; k++) {
        int v = abs(d->node->order[k]) - 1;
        if (in->stays[v]) continue;
        int depth = k == last ? carried(in, v) : 0;
        NestStep *resume = depth ? nest_step(u, at, NEST_RESUME) : NULL;
        at = ordered_loop(u, n, at, k, in->skip[v], NULL);
        if (!resume) continue;
        n->carry_axis = at->axis;
        n->carried = depth;
    }
    nest_step(u, at, NEST_GIVE);
    nest_lower(u, n);
}

static bool sums(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE && fd_op_of(n) != FD_OP_NONE;
}

/* Vectors whose sums run together: none waits for itself, and what they share is read once. */
static int vectors_beside(Unit *u, const Def *d)
{
    enum { VECTORS = 4 };
    return fd_any(d->body, sums, NULL) ? (int)draw(u, P_RECUR_BESIDE, VECTORS) : 1;
}

/* Has it elements of a row, which do not need each other, in lanes? Their number, and that of lanes, say so. */
static Num *lanes_fit(Unit *u, const Interior *in)
{
    const Def *d = in->def;
    int last = d->nvars - 1;
    if (u->options->family == CG_GPU || !in->stays[last]) return NULL;
    if (!lanes_possible(d->body, d->vars[last], 0)) return NULL;
    Num *width = nest_lane_count(u, nest_lanes_for(widest_bytes(d->body)));
    return num_op(u, FD_OP_GE, in->n[last], width);
}

/* How many rows before its own an element reads; 0: that is not known, or are too many. */
static int rows_back(const Interior *in, int row)
{
    int64_t most = 0;
    for (int i = 0; i < in->nreads; i++) {
        const InteriorRead *r = &in->reads[i];
        if (!r->constant[row] || r->before[row] < 0 || r->before[row] >= CG_TURNS_BACK) return 0;
        if (r->before[row] > most) most = r->before[row];
    }
    return (int)most;
}

/* One turn for each place: rows that it does once those before are there. Gives where they begin and end in their order. */
static NestTurns row_turns(Unit *u, const Interior *in, int row, int back, Num *when, Num **from,
                           Num **to)
{
    Num *one = num_int(u, 1), *n = in->n[row], *skip = in->skip[row];
    Num *each = num_ceildiv(u, n, num_fact(u, NUM_PLACES));
    each = num_let(u, "each", num_op(u, FD_OP_MAX, each, one));
    Num *count = num_let(u, "turns", num_ceildiv(u, n, each));
    Num *turn = num_loop(u, "turn", count, when);
    Num *at = turn;
    if (in->down[row]) at = num_op(u, FD_OP_SUB, num_op(u, FD_OP_SUB, count, one), turn);
    Num *lo = num_op(u, FD_OP_MUL, at, each), *hi = num_op(u, FD_OP_ADD, lo, each);
    hi = num_op(u, FD_OP_MIN, hi, n);
    *from = num_op(u, FD_OP_ADD, skip, in->down[row] ? num_op(u, FD_OP_SUB, n, hi) : lo);
    *to = num_op(u, FD_OP_ADD, skip, in->down[row] ? num_op(u, FD_OP_SUB, n, lo) : hi);
    return (NestTurns){.turn = turn, .step = each, .skip = skip, .back = back, .across = -1};
}

/* Lines side by side: the elements of a row, which do not need each other, in lanes. */
static Num *in_lanes(Unit *u, Interior *in, const Borders *b, Num *when)
{
    const Def *d = in->def;
    int last = d->nvars - 1, back = b ? rows_back(in, b->ordered) : 0;
    Num *fit = lanes_fit(u, in), *from = NULL, *to = NULL;
    if (!fit) return NULL;
    Nest *n = nest_inside(u, "recur_lanes", in, NULL);
    n->lanes = nest_lanes_for(widest_bytes(d->body));
    Num *width = nest_lane_count(u, n->lanes), *others = num_int(u, 1);
    for (int v = 0; v < last; v++)
        if (in->stays[v]) others = num_op(u, FD_OP_MUL, others, in->n[v]);
    Num *chunk = recipe_chunk(u, in->n[last], others, width, NULL);
    chunk =
        num_op(u, FD_OP_MIN, chunk, num_op(u, FD_OP_MUL, width, draw_num(u, P_RECUR_CHUNK, 256)));
    chunk = num_let(u, "chunk", chunk);
    n->when = num_let(u, "lanes", num_and(u, when, fit));
    if (back) {
        NestTurns turns = row_turns(u, in, b->ordered, back, n->when, &from, &to);
        recipe_borders(u, b, in, &turns, from, to, n->when);
        n->turns = turns;
    }
    NestStep *at = &n->root;
    int lines = lines_axis(u, n, in->stays, last), row = nest_axis_of(u, n, d, last, last + 1);
    if (lines >= 0) at = nest_group(u, at, lines, 1, NULL, NEST_CUT);
    at = nest_group(u, at, row, 0, chunk, NEST_CUT);
    for (int k = 0; k < d->nvars; k++) {
        int v = abs(d->node->order[k]) - 1;
        bool cut = back && v == b->ordered;
        if (in->stays[v]) continue;
        at = ordered_loop(u, n, at, k, cut ? from : in->skip[v], cut ? to : NULL);
        if (cut) n->turns.axis = at->axis;
    }
    int beside = vectors_beside(u, d);
    if (beside > 1) {
        Num *count = num_int(u, beside);
        NestStep *turn = nest_loop(u, at, row, num_op(u, FD_OP_MUL, width, count), NEST_WHOLE);
        nest_step(u, nest_lanes(u, nest_unroll(u, turn, row, width, count), row), NEST_GIVE);
    }
    nest_step(u, nest_lanes(u, nest_loop(u, at, row, width, NEST_WHOLE), row), NEST_GIVE);
    nest_step(u, nest_loop(u, at, row, NULL, NEST_CUT), NEST_GIVE);
    nest_lower(u, n);
    if (back) plan_line(u, "end");
    return n->when;
}

/* ---- slices ------------------------------------------------------------------------------------ */

/* Steps of the reductions in a slice, or its elements; NULL: there are no reductions. */
static Num *slice_work(Unit *u, const Def *slice, bool sums)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    Num *most = sums ? NULL : num_int(u, 1);
    for (int i = 0, n = sums ? fd_all_reductions(slice->body, reduces) : 0; i < n; i++) {
        if (!reduction_is_closed(reduces[i])) continue;
        Num *length = recipe_length(u, reduces[i]);
        most = most ? num_op(u, FD_OP_MAX, most, length) : length;
    }
    return most ? num_op(u, FD_OP_MUL, most, plan_elements(u, slice->nvars, slice->doms)) : NULL;
}

/* Each launch has a place in the schedule: where there are many, slices have to be larger than that. */
static Num *slices_fit(Unit *u, const Def *slice, Num *turns)
{
    enum { MANY = 1 << 14, MOST = 1 << 16, LARGE = 256 }; /* slices, elements */
    Num *large =
        num_op(u, FD_OP_GE, plan_elements(u, slice->nvars, slice->doms), num_int(u, LARGE));
    Num *most = num_select(u, large, num_int(u, MOST), num_int(u, MANY));
    return num_and(u, num_op(u, FD_OP_GT, turns, num_int(u, 0)), num_op(u, FD_OP_LE, turns, most));
}

/* One slice after the other. The first ones, which read what comes before the recurrence, are as they are written. */
static Num *by_slices(Unit *u, const Def *d, Num *rest, bool checked, bool sums)
{
    enum { LEAST = 1 << 9 }; /* steps that are worth some launches */
    bool tried =
        !def_is_once(u, d) && u->options->tile == CG_TILE_AUTO && !draw_skips(u, P_FORM_SLICES);
    const Def *trial = tried && !num_is(rest, 0) ? schedule_slice(u, d, num_int(u, 0)) : NULL;
    Num *work = trial ? slice_work(u, trial, sums) : NULL;
    if (!work || (sums && num_is(def_unsafe(u, trial), 1))) return NULL;
    const Interior *in = interior_of_slices(u, d);
    Num *first[FD_MAX_RANK] = {in->skip[0]}, *from[FD_MAX_RANK] = {NULL};
    Num *turns = num_let(u, "turns", in->n[0]), *when = slices_fit(u, trial, turns);
    when = num_and(u, when, num_op(u, FD_OP_GE, work, draw_num(u, P_RECUR_SLICE, LEAST)));
    if (sums) when = num_and(u, when, num_not(u, def_unsafe(u, trial)));
    when = num_let(u, "slices", num_and(u, rest, when));
    if (!num_is(first[0], 0)) loops(u, d, when, checked, in->stays, from, first, NULL, -1);
    Num *turn = num_loop(u, "turn", turns, when);
    const Def *slice = schedule_slice(u, d, turn);
    schedule_turn_to(u, slice);
    schedule_unordered(u, slice, when);
    plan_line(u, "end");
    schedule_turn_to(u, d);
    return when;
}

/* Where the borders of variables behind the first come turn by turn; NULL: nowhere. */
static Num *turned(Unit *u, const Borders *b, Interior *in, const bool *skips)
{
    Num *fit = skips[1] ? NULL : lanes_fit(u, in);
    bool lines = in->stays[b->def->nvars - 1];
    if (lines) return fit && rows_back(in, b->ordered) ? fit : NULL;
    const Wave *w = skips[2] || u->options->family == CG_GPU ? NULL : wave_of(u, in);
    return w ? recipe_wave_fits(u, in, w) : NULL;
}

typedef Num *Recipe(Unit *u, Interior *in, const Borders *b, Num *when);

static Num *scan(Unit *u, Interior *in, const Borders *b, Num *when)
{
    (void)b;
    return recipe_scan(u, in, when);
}

static Num *wave(Unit *u, Interior *in, const Borders *b, Num *when)
{
    return recipe_wave(u, in, in->stays[in->def->nvars - 1] ? NULL : b, when);
}

/* Gives the condition under which borders and interior apart compute the definition. */
static Num *apart(Unit *u, const Def *d, Interior *in, Num *rest, bool checked, bool slices)
{
    enum { FEWEST = 1024, FEWEST_SUMS = 32 }; /* elements that are worth a launch of their own */
    bool sums = u->options->family == CG_CPU && sums_in_lanes(u, in->def->body);
    Num *n = num_int(u, 1), *some = num_truth(u, true);
    for (int v = 0; v < d->nvars; v++) {
        n = num_op(u, FD_OP_MUL, n, in->n[v]);
        some = num_and(u, some, num_op(u, FD_OP_GT, in->n[v], num_int(u, 0)));
    }
    if (in->nreads < 0 || num_is(in->safe, 0) || !borders_first(in)) return NULL;
    Num *when = num_and(
        u, num_op(u, FD_OP_GE, n, draw_num(u, P_RECUR_LEAST, sums ? FEWEST_SUMS : FEWEST)), some);
    when = num_let(u, "inside", num_and(u, rest, num_and(u, in->safe, when)));
    if (num_is(when, 0)) return NULL;
    Recipe *const recipes[] = {scan, in_lanes, wave};
    const Parameter forms[] = {P_FORM_SCAN, P_FORM_LINES, P_FORM_WAVE};
    bool skips[3];
    for (int i = 0; i < 3; i++) skips[i] = draw_skips(u, forms[i]);
    for (int v = 0; v < d->nvars; v++) { /* as an axis counts them (nest_axis_cut) */
        Num *skip = skips[0] ? in->skip[v] : recipe_scan_skip(u, in, v);
        in->skip[v] = num_let(u, "skip", skip);
        Num *left = num_op(u, FD_OP_SUB, plan_n(u, &d->doms[v]), in->skip[v]);
        in->n[v] = num_is(in->skip[v], 0) ? plan_n(u, &d->doms[v])
                                          : num_op(u, FD_OP_MAX, left, num_int(u, 0));
    }
    const Borders b = {d, checked, first_ordered(d, in->stays)};
    Num *by_turns = turned(u, &b, in, skips);
    borders(u, &b, in, when, by_turns ? num_and(u, when, num_not(u, by_turns)) : when);
    rest = when;
    for (int i = 0; i < 3 && !num_is(rest, 0); i++) {
        Num *done = skips[i] ? NULL : recipes[i](u, in, by_turns ? &b : NULL, rest);
        if (!done) continue;
        rest = done == rest ? num_truth(u, false)
                            : num_let(u, "rest", num_and(u, rest, num_not(u, done)));
    }
    Num *done = slices ? by_slices(u, d, rest, checked, false) : NULL;
    if (done) rest = num_let(u, "rest", num_and(u, rest, num_not(u, done)));
    if (!num_is(rest, 0)) in_registers(u, in, rest);
    return when;
}

bool recipe_ordered(Unit *u, const Def *d, bool checked)
{
    if (!d->node->self) return false;
    Interior *in = interior_of(u, d);
    if (!in) {
        unit_give_up(u, "a recurrence without an order", d->node);
        return true;
    }
    /* slices with reductions have tiles and rows; others are better in registers and lanes */
    Num *rest = num_truth(u, true), *sums = by_slices(u, d, rest, checked, true), *done = NULL;
    if (sums) rest = num_let(u, "rest", num_not(u, sums));
    if (!num_is(rest, 0) && u->options->tile != CG_TILE_1X1)
        done = apart(u, d, in, rest, checked, !sums);
    if (done) rest = num_and(u, rest, num_not(u, done));
    done = sums ? NULL : by_slices(u, d, rest, checked, false);
    if (done) rest = num_and(u, rest, num_not(u, done));
    if (!num_is(rest, 0)) loops(u, d, rest, checked, in->stays, NULL, NULL, NULL, -1);
    return true;
}
