/* Few results, long reductions: sums of everything, of rows. The reduction is split into parts; a
 * second nest combines them in order.
 *
 *   CPU   rows, or parts of them where they are few, for each work-item, in lanes along the variable
 *         that reads in unit steps
 *   GPU   a part for each work-group (one alone: no second nest), whose items take turns and then
 *         combine theirs in a tree
 *
 * Needs: an associative, commutative operation, closed ranges; chunks need an associative function
 * only and keep the order of the operands. Keeps: the same bits for the same device (the number of
 * parts depends on extents and compute units only). */
#include "rows.h"
#include "../../../../../fdag/index/affine.h"

/* Bytes of an operand that a turn takes. More loads in flight (which would hide the latency of an
 * addition) make a pass over memory slower by a sixth: the prefetchers do better than they. */
enum { TURN_BYTES = 64 };

/* ---- CPU --------------------------------------------------------------------------------------- */

/* Parts are long: what they keep soon changes rarely, so that they ask first. */
static bool asks_first(const RowSplit *s, const Nest *n)
{
    bool keeps = n->part.naxes && n->checks == GEN_PROVED;
    for (int r = 0; r < s->nreduces; r++) keeps = keeps && reduction_keeps(s->reduces[r]);
    return keeps;
}

/* The reductions over what `in` leaves of axes[0], and all of the others, in lanes of axes[lane]. */
static void lane_loops(Unit *u, const RowSplit *s, Nest *n, NestStep *in, const int *axes, int lane,
                       bool masked)
{
    int k = axes[lane];
    Num *width = nest_lane_count(u, n->lanes), *count = n->regs[0].count;
    nest_step(u, in, NEST_START);
    NestStep *inner = in;
    for (int i = 0; i < s->reduces[0]->nvars; i++)
        if (i != lane) inner = nest_loop(u, inner, axes[i], NULL, NEST_CUT);
    NestStep *turn = nest_loop(u, inner, k, num_op(u, FD_OP_MUL, count, width), NEST_WHOLE);
    NestStep *taking = asks_first(s, n) ? nest_step(u, turn, NEST_CHANGES) : turn;
    nest_take(u, nest_lanes(u, nest_unroll(u, taking, k, width, count), k), 0, s->nreduces);
    bool decide = n->checks == GEN_PROVED;
    for (int r = 0; r < s->nreduces; r++) decide = decide && recipe_decides(s->reduces[r]);
    if (decide) nest_step(u, turn, NEST_LEAVE);
    if (!num_is(count, 1) && !fd_is_const(count)) /* long functions are not said once more */
        nest_take(u, nest_lanes(u, nest_loop(u, inner, k, width, NEST_WHOLE), k), 0, s->nreduces);
    NestStep *rest = masked ? nest_lanes(u, nest_loop(u, inner, k, width, NEST_MASKED), k)
                            : nest_loop(u, inner, k, NULL, NEST_CUT);
    nest_take(u, rest, 0, s->nreduces);
    nest_step(u, in, NEST_JOIN);
}

/* Results of functions that wait for each other for several operations: that many side by side. */
static int results_beside(const FdNode *reduce)
{
    const FdType *t = reduce->type;
    if (fd_op_of(reduce) != FD_OP_NONE) return 1;
    return t->record && t->nfields > 4 ? 2 : 4;
}

/* How many vectors a turn takes. Those of functions that loop are as many as 16 registers hold, whatever the
 * processor has: with one form for all, more would spill there. */
static Num *turn_of(Unit *u, const RowSplit *s, bool parts)
{
    int copies = 1;
    for (int r = 0; r < s->nreduces; r++) {
        int n = lanes_copies(s->reduces[r]->body).narrow, m = results_beside(s->reduces[r]);
        if (m > n) n = m;
        copies = n > copies ? n : copies;
    }
    copies = (int)draw(u, P_ROWS_COPIES, copies);
    if (copies > 1) return num_int(u, parts ? copies : 1);
    Num *bytes = draw_num(u, P_ROWS_TURN, TURN_BYTES);
    Num *count = num_op(u, FD_OP_DIV, bytes, num_fact(u, NUM_VECTOR_BYTES));
    return num_define(u, "TURN", num_op(u, FD_OP_MAX, count, num_int(u, 1)));
}

/* dim: rows are of that variable alone; -1: of all. */
static Nest *lane_nest(Unit *u, const RowSplit *s, const char *name, Num *when, int dim, int lane,
                       int *rows, int *axes, bool parts)
{
    const FdNode *r = s->reduces[0];
    Nest *n = rows_nest_for(u, s, name, when);
    n->lanes = recipe_sum_lanes(s->d, s->nreduces, s->reduces);
    *rows = dim < 0 ? rows_axis(u, n) : nest_axis_of(u, n, s->d, dim, dim + 1);
    for (int i = 0; i < r->nvars; i++) axes[i] = nest_axis(u, n, 1, r->vars + i, r->doms + i);
    Num *count = turn_of(u, s, parts);
    n->lanes_axis = axes[lane];
    n->regs[n->nregs++] =
        (NestRegs){.axis = axes[lane], .count = count, .step = nest_lane_count(u, n->lanes)};
    return n;
}

typedef struct Shared {
    const FdNode *row, *along; /* the definition's last variable, and one of the reduction */
} Shared;

static bool is_shared(const void *shared, const FdNode *n)
{
    const Shared *s = shared;
    return is_read(n) && fd_uses_var(n, s->along) && !fd_uses_var(n, s->row);
}

/* Rows side by side, where they read some operand all alike: it is loaded once, and their sums do not wait for each
 * other. */
static int rows_beside(Unit *u, const RowSplit *s)
{
    enum { ROWS = 4 };
    const Def *d = s->d;
    bool shares = d->nvars > 0;
    for (int r = 0; shares && r < s->nreduces; r++) {
        const FdNode *reduce = s->reduces[r];
        const Shared x = {d->vars[d->nvars - 1], reduce->vars[reduce->nvars - 1]};
        shares = fd_op_of(reduce) != FD_OP_NONE && !recipe_is_long(reduce->body) &&
                 !recipe_decides(reduce) && fd_any(reduce->body, is_shared, &x);
    }
    return shares ? (int)draw(u, P_ROWS_BESIDE, ROWS) : 1;
}

/* What each row comes to is given, or saved for rows_give. */
static void rows_nest(Unit *u, const RowSplit *s, int lane, Num *when, NestKind end)
{
    int rows, axes[FD_MAX_RANK];
    const char *name = end == NEST_GIVE ? "reduce_rows" : "reduce_sums";
    Nest *n = lane_nest(u, s, name, when, -1, lane, &rows, axes, false);
    NestStep *in = &n->root;
    if (end == NEST_SAVE) rows_use_parts(n, s->temps, rows);
    if (rows >= 0) {
        Num *chunk = recipe_lines_each(u, s->rows, s->work, draw(u, P_ROWS_LINES, 16384));
        in = nest_group(u, in, rows, 0, chunk, NEST_CUT);
        int beside = rows_beside(u, s);
        if (beside > 1) {
            Num *step = num_int(u, beside);
            NestStep *each = nest_loop(u, in, rows, step, NEST_WHOLE);
            each = nest_unroll(u, each, rows, NULL, step);
            lane_loops(u, s, n, each, axes, lane, false);
            nest_step(u, each, end);
        }
        in = nest_loop(u, in, rows, NULL, NEST_CUT);
    }
    lane_loops(u, s, n, in, axes, lane, false);
    nest_step(u, in, end);
    nest_lower(u, n);
}

/* Does what is made of the sums take longer one by one than in lanes of rows (their exp, log or tanh), while the sums
 * are cheap? */
static bool gives_in_lanes(const RowSplit *s)
{
    const Def *d = s->d;
    bool dear = d->nvars == 1 && !d->nbeside && recipe_is_dear(d->body);
    for (int r = 0; r < s->nreduces; r++)
        dear = dear && !recipe_is_long(s->reduces[r]->body) && !recipe_is_dear(s->reduces[r]->body);
    return dear && recipe_epilogue_lanes(d, s->nreduces, s->reduces, d->vars[0], recipe_allowed(d));
}

/* The results of sums that were saved, in lanes of rows. */
static void rows_give(Unit *u, const RowSplit *s, Num *when)
{
    Nest *n = rows_nest_for(u, s, "reduce_give", when);
    int rows = rows_axis(u, n);
    n->lanes = nest_lanes_for(recipe_widest(s->nreduces, s->reduces));
    n->lanes_axis = rows;
    rows_use_parts(n, s->temps, rows);
    Num *width = nest_lane_count(u, n->lanes);
    Num *chunk = num_let(u, "chunk", recipe_chunk(u, s->rows, num_int(u, 1), width, NULL));
    NestStep *in = nest_group(u, &n->root, rows, 0, chunk, NEST_CUT);
    in = nest_lanes(u, nest_loop(u, in, rows, width, NEST_BACK), rows);
    nest_step(u, in, NEST_START);
    nest_step(u, in, NEST_PARTS);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

bool recipe_is_reduced_row(Unit *u, const Def *d)
{
    RowSplit s;
    if (u->options->precise || !d->nvars || !rows_find(d, &s)) return false;
    if (d->nvars > 1 && lanes_possible(d->body, d->vars[d->nvars - 1], 0)) return false;
    return rows_lane_variable(&s, recipe_allowed(d)) >= 0;
}

const Nest *recipe_reduced_row(Unit *u, const Def *d, int dim)
{
    RowSplit s;
    int rows, axes[FD_MAX_RANK];
    rows_find(d, &s);
    int lane = rows_lane_variable(&s, recipe_allowed(d));
    Nest *n = lane_nest(u, &s, "row", NULL, dim, lane, &rows, axes, false);
    int rest = nest_axis_some(u, n, ((1u << d->nvars) - 1) & ~(1u << dim));
    NestStep *in = nest_group(u, &n->root, rows, 0, NULL, NEST_CUT);
    if (rest >= 0) in = nest_loop(u, in, rest, NULL, NEST_CUT);
    lane_loops(u, &s, n, in, axes, lane, false);
    nest_step(u, in, NEST_GIVE);
    return n;
}

static void parts_nest(Unit *u, const RowSplit *s, int lane, Num *when)
{
    int rows, axes[FD_MAX_RANK];
    Nest *n = lane_nest(u, s, "reduce_parts", when, -1, lane, &rows, axes, true);
    rows_use_parts(n, s->temps, rows);
    Num *parts = s->across ? num_ceildiv(u, n->axes[axes[0]].n, s->share) : s->parts;
    rows_use_groups(n, axes[0], parts);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, axes[0], s->across ? 1 : 0, s->share, NEST_CUT);
    if (s->across) {
        rows_use_groups(n, axes[1], num_ceildiv(u, n->axes[axes[1]].n, s->across));
        in = nest_group(u, in, axes[1], 0, s->across, NEST_CUT);
    }
    lane_loops(u, s, n, in, axes, lane, false);
    nest_step(u, in, NEST_SAVE);
    nest_lower(u, n);
}

/* So many of n positions, for at most so many parts, by units and by work. */
static Num *share_of(Unit *u, Num *n, Num *const most[2])
{
    Num *parts = num_op(u, FD_OP_MIN, num_op(u, FD_OP_MIN, n, most[0]), most[1]);
    parts = num_op(u, FD_OP_MAX, parts, num_int(u, 1));
    return num_ceildiv(u, n, num_let(u, "wanted", parts));
}

/* Parts of the second variable where the first has few values (directions of a lattice): there are enough of them, and who
 * has a part of the array has it of these. Else all, and *share is kept. */
static Num *parts_across(Unit *u, const FdNode *r, Num *n, Num *const most[2], Num **share)
{
    enum { FEW = 32 };
    Num *one = num_int(u, 1), *m = num_let(u, "n", plan_n(u, &r->doms[1]));
    Num *few = num_and(u, num_op(u, FD_OP_LT, n, num_int(u, FEW)), num_op(u, FD_OP_LT, n, m));
    few = num_let(u, "few", few);
    *share = num_op(u, FD_OP_MAX, num_select(u, few, n, *share), one);
    Num *across = num_select(u, few, share_of(u, m, most), m);
    return num_let(u, "across", num_op(u, FD_OP_MAX, across, one));
}

static Num *rows_on_cpu(Unit *u, RowSplit *s, int lane, Num *when)
{
    const FdNode *r = s->reduces[0];
    Num *one = num_int(u, 1),
        *width = nest_lane_count(u, recipe_sum_lanes(s->d, s->nreduces, s->reduces));
    Num *n = num_let(u, "n", plan_n(u, &r->doms[0]));
    /* Parts cost a launch of their own: they are large, several for every unit. */
    Num *most[] = {recipe_each_unit(u, 4, s->rows),
                   num_op(u, FD_OP_DIV, s->work, rows_least_share(u, s, 128))};
    Num *share = share_of(u, n, most);
    share = num_op(u, FD_OP_MAX, lane ? share : num_roundup(u, share, width), one);
    s->across =
        s->d->nvars || s->d->nbeside || lane < 2 ? NULL : parts_across(u, r, n, most, &share);
    s->share = num_let(u, "share", share);
    s->parts = num_ceildiv(u, n, s->share); /* none of nothing */
    if (s->across)
        s->parts =
            num_op(u, FD_OP_MUL, s->parts, num_ceildiv(u, plan_n(u, &r->doms[1]), s->across));
    s->parts = num_let(u, "parts", s->parts);
    Num *several = num_op(u, FD_OP_GT, s->parts, one);
    several = num_let(u, "several", num_and(u, when, several));
    Num *whole = num_and(u, when, num_not(u, several)), *saved = num_truth(u, false);
    if (gives_in_lanes(s)) {
        Num *many = num_op(u, FD_OP_GE, s->rows, draw_num(u, P_ROWS_SAVED, 256));
        saved = num_and(u, many, num_op(u, FD_OP_GE, s->rows, width));
        saved = num_and(u, saved, num_op(u, FD_OP_GT, s->work, num_int(u, 0)));
        saved = num_let(u, "saved", num_and(u, whole, saved));
        whole = num_and(u, whole, num_not(u, saved));
    }
    rows_temps(u, s, num_op(u, FD_OP_LOR, several, saved));
    rows_nest(u, s, lane, whole, NEST_GIVE);
    if (!num_is(saved, 0)) {
        rows_nest(u, s, lane, saved, NEST_SAVE);
        rows_give(u, s, saved);
    }
    parts_nest(u, s, lane, several);
    rows_combine(u, s, "reduce_combine", several, false);
    return when;
}

/* ---- ragged ------------------------------------------------------------------------------------ */

/* When its range has elements for each row, j : 0..i + 1; NULL: nobody knows. */
static Num *has_some(Unit *u, const Def *d, const FdDom *dom)
{
    FdAffine length;
    if (fd_affine(dom->hi, &length) && fd_affine_add(&length, dom->lo, -1) && !length.nterms)
        return num_truth(u, length.constant > 0);
    const FdNode *hi = fd_extreme(u->fd, dom->hi, false, def_range, d),
                 *lo = fd_extreme(u->fd, dom->lo, true, def_range, d);
    Num *least = hi ? num_of(u, hi) : NULL, *most = lo ? num_of(u, lo) : NULL;
    return least && most ? num_op(u, FD_OP_GT, least, most) : NULL;
}

/* Can lanes behind a row's end take nothing? Their reads note what fails, and no lane's value is one of an element. */
static bool masks(const Def *d, const RowSplit *s)
{
    bool can = d->noting && !d->nbeside;
    for (int i = 0; i < s->nreduces; i++)
        can = can && fd_has_identity(s->reduces[i]) && fd_op_of(s->reduces[i]) != FD_OP_NONE;
    return can;
}

typedef enum RaggedRow {
    RAGGED_ONE,    /* after the other */
    RAGGED_LANES,  /* operands lie side by side; the rest of a row one by one */
    RAGGED_MASKED, /* what whole vectors leave of a row is one more */
    RAGGED_APART /* some operands are gathered: all vectors are of half the lanes, those of a row alone */
} RaggedRow;

static void ragged_nest(Unit *u, const RowSplit *s, RaggedRow form, Num *when)
{
    static const char *const names[] = {"ragged", "ragged", "ragged_masked", "ragged_apart"};
    int rows, k;
    Nest *n = lane_nest(u, s, names[form], when, -1, 0, &rows, &k, false);
    if (form == RAGGED_ONE) n->lanes_axis = -1, n->nregs = 0;
    if (form == RAGGED_APART) {
        n->lanes = KIR_V8;
        n->regs[0].count = num_int(u, 1), n->regs[0].step = nest_lane_count(u, n->lanes);
    }
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 64));
    Num *chunk = num_ceildiv(u, n->axes[rows].n, units);
    chunk = num_let(u, "chunk", num_op(u, FD_OP_MAX, chunk, num_int(u, 1)));
    NestStep *in = nest_group(u, &n->root, rows, 0, chunk, NEST_CUT);
    in = nest_loop(u, in, rows, NULL, NEST_CUT);
    nest_range(u, in, k, false);
    if (form == RAGGED_LANES || form == RAGGED_MASKED) {
        lane_loops(u, s, n, in, &k, 0, form == RAGGED_MASKED);
    } else {
        bool apart = form == RAGGED_APART;
        nest_step(u, in, NEST_START);
        NestStep *loop = apart ? nest_loop(u, in, k, n->regs[0].step, NEST_MASKED)
                               : nest_loop(u, in, k, NULL, NEST_CUT);
        nest_take(u, apart ? nest_lanes(u, loop, k) : loop, 0, s->nreduces);
        if (apart) nest_step(u, in, NEST_JOIN);
    }
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Rows of their own lengths: many small shares, since some take longer than others. In lanes where
 * operands lie side by side, or where a gather leaves lanes alone; others are as fast one by one, and rows are short. */
Num *recipe_ragged(Unit *u, const Def *d, Num *when)
{
    RowSplit s;
    if (u->options->precise || u->options->family == CG_GPU || !d->nvars || !rows_find(d, &s))
        return NULL;
    const FdNode *r = s.reduces[0];
    if (r->nvars != 1 || !r->doms->lo || reduction_is_closed(r)) return NULL;
    bool lanes = true, far = true;
    for (int i = 0; i < s.nreduces; i++) {
        if (!reduction_in_lanes(s.reduces[i], r->vars[0], recipe_allowed(d))) return NULL;
        Num *some = d->noting || fd_has_identity(s.reduces[i]) ? when : has_some(u, d, r->doms);
        if (!some) return NULL; /* none is an error */
        when = num_and(u, when, some);
        lanes = lanes && reduction_in_lanes(s.reduces[i], r->vars[0], 0);
        far = far && reduction_in_lanes(s.reduces[i], r->vars[0], LANES_FAR);
    }
    if (num_is(when, 0)) return NULL;
    when = num_let(u, "ragged", when);
    Num *gathers = num_op(u, FD_OP_GT, num_fact(u, NUM_GATHERS), num_int(u, 0));
    Num *masked = masks(d, &s) && (lanes || far) ? num_not(u, gathers) : num_truth(u, false);
    if (!lanes) masked = num_and(u, masked, draw_is_wide(u));
    masked = num_let(u, "masked", num_and(u, when, masked));
    ragged_nest(u, &s, lanes ? RAGGED_LANES : RAGGED_ONE, num_and(u, when, num_not(u, masked)));
    if (!num_is(masked, 0)) ragged_nest(u, &s, lanes ? RAGGED_MASKED : RAGGED_APART, masked);
    return when;
}

bool recipe_rows_beside(Unit *u, const Def *d)
{
    RowSplit s;
    bool all = !u->options->precise && rows_find(d, &s) &&
               rows_lane_variable(&s, recipe_allowed(d)) == s.reduces[0]->nvars - 1;
    for (int i = 0; all && i < d->nbeside; i++)
        all = lanes_possible(d->beside[i]->body, s.reduces[0]->vars[s.reduces[0]->nvars - 1],
                             recipe_allowed(d));
    return all;
}

/* Results that could be side by side, but fewer of which than lanes make a row (components of a force, weights of a
 * mixture): long sums of each are in lanes. When they are; NULL: never. *lane: of the reduction. */
static Num *are_short(Unit *u, const RowSplit *s, Num *when, int *lane)
{
    const Def *d = s->d;
    const FdNode *r = s->reduces[0];
    *lane = rows_lane_variable(s, recipe_allowed(d) | LANES_FAR);
    if (*lane < 0 || fd_is_short(&r->doms[*lane])) return NULL;
    Num *width = nest_lane_count(u, recipe_sum_lanes(d, s->nreduces, s->reduces));
    Num *few = num_op(u, FD_OP_LT, plan_n(u, &d->doms[d->nvars - 1]), width),
        *enough = num_op(u, FD_OP_GE, plan_n(u, &r->doms[*lane]), width);
    when = num_and(u, num_and(u, when, few), num_and(u, enough, plan_sized(u, d, r->vars[*lane])));
    when = num_let(u, "short", when);
    return num_is(when, 0) ? NULL : when;
}

/* Whatever their operands cost, and in parts where few results are all. */
static Num *short_rows(Unit *u, RowSplit *s, Num *when)
{
    const Def *d = s->d;
    const FdNode *r = s->reduces[0];
    bool is_all = d->nvars == 1, is_long = recipe_is_long(r->body);
    int lane;
    when = are_short(u, s, when, &lane);
    if (!when) return NULL;
    s->rows = num_let(u, "rows", plan_elements(u, d->nvars, d->doms));
    s->work = num_let(u, "work", recipe_length(u, r));
    if (is_all || is_long) return rows_on_cpu(u, s, lane, when);
    rows_nest(u, s, lane, when, NEST_GIVE);
    return when;
}

Num *recipe_short_rows_pay(Unit *u, const Def *d)
{
    enum { LEAST = 64 }; /* what lanes come to is added up in ten steps or so */
    RowSplit s;
    int lane;
    if (!d->nvars || !rows_find(d, &s) || rows_lane_variable(&s, recipe_allowed(d)) < 0)
        return NULL;
    for (int r = 0; r < s.nreduces; r++) /* a tile computes what is dear once */
        if (recipe_is_dear(s.reduces[r]->body) || recipe_is_long(s.reduces[r]->body)) return NULL;
    Num *width = nest_lane_count(u, recipe_sum_lanes(d, s.nreduces, s.reduces)),
        *n = plan_n(u, &d->doms[d->nvars - 1]);
    Num *few = num_op(u, FD_OP_LE, num_op(u, FD_OP_MUL, n, num_int(u, 4)),
                      num_op(u, FD_OP_MUL, width, num_int(u, 3))),
        *many = num_op(u, FD_OP_GE, recipe_length(u, s.reduces[0]), num_int(u, LEAST));
    Num *when = num_and(u, few, many);
    if (lanes_possible(d->body, d->vars[d->nvars - 1], recipe_allowed(d)))
        return are_short(u, &s, when, &lane);
    const FdNode *r = s.reduces[0];
    lane = rows_lane_variable(&s, recipe_allowed(d));
    when = num_and(u, when, num_op(u, FD_OP_GE, plan_n(u, &r->doms[lane]), width));
    return num_let(u, "short", when);
}

Num *recipe_rows(Unit *u, const Def *d, Num *when)
{
    RowSplit s;
    if (u->options->precise || !rows_find(d, &s)) return NULL;
    bool gpu = u->options->family == CG_GPU;
    for (int r = 0; gpu && r < s.nreduces; r++)
        if (!reduction_splits(s.reduces[r]) || result_kind(s.reduces[r]) == SC_HALF) return NULL;
    bool across =
        !gpu && d->nvars && lanes_possible(d->body, d->vars[d->nvars - 1], recipe_allowed(d));
    if (across) return gpu ? NULL : short_rows(u, &s, when);
    int lane = gpu ? -1 : rows_lane_variable(&s, recipe_allowed(d));
    if (!gpu &&
        lane < 0) { /* reads that lie apart: where there are few results, whatever they cost */
        lane = d->nvars ? -1 : rows_lane_variable(&s, recipe_allowed(d) | LANES_FAR);
        if (lane < 0) return NULL;
        when = num_let(u, "sized", num_and(u, when, plan_sized(u, d, s.reduces[0]->vars[lane])));
        if (num_is(when, 0)) return NULL;
    }
    s.rows = num_let(u, "rows", plan_elements(u, d->nvars, d->doms));
    s.work = num_let(u, "work", recipe_length(u, s.reduces[0]));
    return gpu ? rows_tree(u, &s, when) : rows_on_cpu(u, &s, lane, when);
}
