/* Pointwise work, and all that has no better form: one value after the other along the last
 * dimension.
 *
 *   CPU   a work-item takes a chunk of a row, in lanes where reads allow it; the last vector of a
 *         row is moved back to end with it, but for results that go into an array which is read
 *         (FdResult.part): what such a vector would compute again is no longer there
 *   GPU   a work-item takes an element; neighbours in a row are neighbours in memory, and short
 *         rows share a group
 *
 * Needs: closed ranges. Keeps: the order of operations within an element. */
#include "../../../../fdag/index/facts/facts.h"
#include "recipe.h"

/* Bytes ahead of what is read: longer than memory takes, short enough to be still in L1. */
enum { AHEAD = 2048 };

/* The dimensions but the last as one axis, -1: there is one only. */
static int rows_axis(Unit *u, Nest *n, const Def *d)
{
    return d->nvars > 1 ? nest_axis_of(u, n, d, 0, d->nvars - 1) : -1;
}

static void whole(Unit *u, const Def *d, Num *when, bool checked)
{
    Nest *n = nest_new(u, "map", d, when);
    if (checked) n->checks = GEN_CHECKED;
    nest_step(u, &n->root, NEST_GIVE);
    nest_lower(u, n);
}

/* ---- CPU --------------------------------------------------------------------------------------- */

/* Positions that are worth a work-item: what begins one costs as much as some hundred operations. Ranks divide less, for they
 * have one unit or two each; work-items are what they divide by. */
static Num *worth(Unit *u, const FdNode *body)
{
    enum { OPERATIONS = 8192 };
    if (recipe_is_long(body)) return num_int(u, 1);
    int64_t least = draw(u, P_CHUNK_WORK, OPERATIONS) / recipe_work(body);
    Num *alone = num_op(u, FD_OP_LE, num_fact(u, NUM_PLACES), num_int(u, 1));
    return num_select(u, alone, num_int(u, least > 0 ? least : 1), num_int(u, 1));
}

Num *recipe_chunk(Unit *u, Num *n, Num *rows, Num *step, const FdNode *body)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), draw_num(u, P_CHUNK_ITEMS, 4));
    Num *work = num_op(u, FD_OP_MUL, n, num_op(u, FD_OP_MAX, rows, num_int(u, 1)));
    Num *share = num_op(u, FD_OP_MAX, num_ceildiv(u, work, units), step);
    if (body) share = num_op(u, FD_OP_MAX, share, worth(u, body));
    return num_select(u, num_op(u, FD_OP_GE, rows, units), num_op(u, FD_OP_MAX, n, num_int(u, 1)),
                      num_roundup(u, share, step));
}

/* Vectors, `copies` of them side by side. */
static void vectors_nest(Unit *u, Nest *n, NestStep *in, int axis, int copies, NestTail tail)
{
    Num *width = nest_lane_count(u, n->lanes), *many = num_int(u, copies);
    in = nest_loop(u, in, axis, num_op(u, FD_OP_MUL, width, many), tail);
    if (copies > 1) in = nest_unroll(u, in, axis, width, many);
    in = nest_lanes(u, in, axis);
    size_t bytes = widest_bytes(n->def->body);
    int64_t ahead = draw(u, P_MAP_AHEAD, AHEAD) / (int64_t)bytes;
    if (ahead > 0) nest_ahead_reads(u, in, -1, num_int(u, ahead));
    nest_step(u, in, NEST_GIVE);
}

/* vector: a KIR_V.., 0 for one by one; lines: rows of a work-item, NULL: one. */
static void row_nest(Unit *u, const Def *d, Num *when, int vector, int copies, bool checked,
                     Num *lines, Num *chunk)
{
    bool lanes = vector != 0;
    const char *name = d->abreast ? "abreast" : lanes ? "map_vector" : "map";
    Nest *n = nest_new(u, name, d, when);
    if (checked) n->checks = GEN_CHECKED;
    if (lanes) n->lanes = vector;
    n->stream =
        lanes && !d->abreast && draw_bool(u, P_MAP_STREAM, d->temp < 0 && !def_is_once(u, d));
    int rows = rows_axis(u, n, d), last = nest_axis_of(u, n, d, d->nvars - 1, d->nvars);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, lines, NEST_CUT);
    in = nest_group(u, in, last, 0, chunk, NEST_CUT);
    if (lines) in = nest_loop(u, in, rows, NULL, NEST_CUT);
    bool once = def_is_once(u, d);
    if (lanes) vectors_nest(u, n, in, last, copies, once ? NEST_WHOLE : NEST_BACK);
    if (lanes && once && copies > 1) vectors_nest(u, n, in, last, 1, NEST_WHOLE);
    if (!lanes || once) nest_step(u, nest_loop(u, in, last, NULL, NEST_CUT), NEST_GIVE);
    nest_lower(u, n);
}

/* Copies side by side, where there are elements enough: gives that condition. */
static Num *beside_nest(Unit *u, const Def *d, Num *when, int vector, int copies, Num *n,
                        Num *lines, Num *chunk)
{
    Num *step = num_op(u, FD_OP_MUL, nest_lane_count(u, vector), num_int(u, copies));
    Num *enough = num_let(u, "wide", num_op(u, FD_OP_GE, n, step));
    row_nest(u, d, num_and(u, when, enough), vector, copies, false, lines, chunk);
    return enough;
}

/* What is noted is gathered, in no more than 16 lanes. */
static int vector_of(Unit *u, const Def *d)
{
    int narrow = d->noting || d->abreast
                     ? 0
                     : lanes_narrow(fd_narrow(u->fd, d->body), d->vars[d->nvars - 1]);
    return narrow ? narrow : nest_lanes_for(widest_bytes(d->body));
}

static void on_cpu(Unit *u, const Def *d, Num *when, Num *unsafe)
{
    int last = d->nvars - 1;
    bool checked = !num_is(unsafe, 0);
    int vector = vector_of(u, d);
    Num *lanes = nest_lane_count(u, vector);
    Num *n = num_let(u, "n", plan_n(u, &d->doms[last]));
    Num *rows = num_let(u, "rows", plan_elements(u, last, d->doms));
    Num *sized = plan_sized(u, d, d->vars[last]);
    bool vectors = u->options->tile != CG_TILE_1X1 && (d->noting || !num_is(unsafe, 1)) &&
                   lanes_possible(d->body, d->vars[last], recipe_allowed(d) | LANES_FAR);
    LanesCopies copies = vectors ? lanes_copies(d->body) : (LanesCopies){1, 1};
    int64_t wide = copies.wide, narrow = copies.narrow;
    if (vectors) draw_widths(u, P_MAP_COPIES, &wide, &narrow);
    Num *is_wide = draw_is_wide(u), *beside = num_int(u, wide);
    if (wide != narrow)
        beside = num_let(u, "beside", num_select(u, is_wide, beside, num_int(u, narrow)));
    Num *step = num_op(u, FD_OP_MUL, lanes, beside);
    Num *chunk = num_let(u, "chunk", recipe_chunk(u, n, rows, step, d->body));
    Num *lines = last && !recipe_is_long(d->body) ? recipe_few_lines(u, rows, n) : NULL;
    if (!vectors) {
        row_nest(u, d, when, 0, 1, checked, lines, chunk);
        return;
    }
    Num *fits = num_and(u, num_op(u, FD_OP_GE, n, lanes), sized);
    if (!d->noting) fits = num_and(u, fits, num_not(u, unsafe));
    fits = num_let(u, "lanes", fits);
    Num *some = num_and(u, when, fits);
    if (wide > 1 || narrow > 1) {
        Num *many = beside_nest(u, d, wide == narrow ? some : num_and(u, some, is_wide), vector,
                                (int)wide, n, lines, chunk);
        if (wide != narrow) {
            Num *few = beside_nest(u, d, num_and(u, some, num_not(u, is_wide)), vector, (int)narrow,
                                   n, lines, chunk);
            many = num_select(u, is_wide, many, few);
        }
        some = num_and(u, some, num_not(u, many));
    }
    row_nest(u, d, some, vector, 1, false, lines, chunk);
    row_nest(u, d, num_and(u, when, num_not(u, fits)), 0, 1, checked, lines, chunk);
}

Num *recipe_vectors_fit(Unit *u, const Def *d)
{
    int last = d->nvars - 1;
    Num *n = plan_n(u, &d->doms[last]), *lanes = nest_lane_count(u, vector_of(u, d));
    return num_and(u, num_op(u, FD_OP_GE, n, lanes), plan_sized(u, d, d->vars[last]));
}

Num *recipe_vectors(Unit *u, const Def *d, Num *when)
{
    int last = d->nvars - 1, vector = vector_of(u, d);
    Num *lanes = nest_lane_count(u, vector);
    if (!lanes_possible(d->body, d->vars[last], recipe_allowed(d) | LANES_FAR)) return NULL;
    Num *n = num_let(u, "n", plan_n(u, &d->doms[last])), *rows = plan_elements(u, last, d->doms);
    when = num_let(u, "lanes", num_and(u, when, recipe_vectors_fit(u, d)));
    Num *chunk = num_let(u, "chunk", recipe_chunk(u, n, rows, lanes, d->body));
    Num *lines = last && !recipe_is_long(d->body) ? recipe_few_lines(u, rows, n) : NULL;
    row_nest(u, d, when, vector, 1, false, lines, chunk);
    return when;
}

/* ---- GPU --------------------------------------------------------------------------------------- */

Num *recipe_group(Unit *u)
{
    Num *most = num_fact(u, NUM_MAX_GROUP);
    Num *small =
        num_select(u, num_op(u, FD_OP_GE, most, num_int(u, 64)), num_int(u, 64), num_int(u, 4));
    return num_define(
        u, "GROUP",
        num_select(u, num_op(u, FD_OP_GE, most, num_int(u, 256)), num_int(u, 256), small));
}

static void item_nest(Unit *u, const Def *d, Num *when, bool checked, Num *width, Num *height)
{
    Nest *n = nest_new(u, checked ? "map_checked" : "map", d, when);
    if (checked) n->checks = GEN_CHECKED;
    int rows = rows_axis(u, n, d), last = nest_axis_of(u, n, d, d->nvars - 1, d->nvars);
    NestStep *in = &n->root;
    if (rows >= 0) {
        in = nest_group(u, in, rows, 1, height, NEST_CUT);
        in = nest_item(u, in, rows, 1, NULL, height, NEST_GUARD);
    }
    in = nest_group(u, in, last, 0, width, NEST_CUT);
    in = nest_item(u, in, last, 0, NULL, width, NEST_GUARD);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

void recipe_group_shape(Unit *u, Num *n, Num *rows, Num **width, Num **height)
{
    Num *four = draw_num(u, P_MAP_GROUP_ROWS, 4), *group = recipe_group(u);
    Num *few = num_op(u, FD_OP_LT, rows, four);
    Num *near =
        num_select(u, num_op(u, FD_OP_GT, n, num_int(u, 32)), num_int(u, 64),
                   num_select(u, num_op(u, FD_OP_GT, n, num_int(u, 8)), num_int(u, 16), four));
    *width = num_let(u, "width", num_select(u, few, group, num_op(u, FD_OP_MIN, near, group)));
    *height = num_let(u, "height",
                      num_select(u, few, num_int(u, 1), num_op(u, FD_OP_DIV, group, *width)));
}

static void on_gpu(Unit *u, const Def *d, Num *when, Num *unsafe)
{
    int last = d->nvars - 1;
    Num *n = plan_n(u, &d->doms[last]), *rows = num_let(u, "rows", plan_elements(u, last, d->doms));
    Num *width, *height;
    recipe_group_shape(u, n, rows, &width, &height);
    if (!num_is(unsafe, 1))
        item_nest(u, d, num_and(u, when, num_not(u, unsafe)), false, width, height);
    if (!num_is(unsafe, 0)) item_nest(u, d, num_and(u, when, unsafe), true, width, height);
}

void recipe_pointwise(Unit *u, const Def *d, Num *when, Num *unsafe)
{
    if (d->nvars == 0)
        whole(u, d, when, !num_is(unsafe, 0));
    else if (u->options->family == CG_GPU)
        on_gpu(u, d, when, unsafe);
    else
        on_cpu(u, d, when, unsafe);
}

void recipe_again(Unit *u, const Def *d, Num *when)
{
    Nest *n = nest_new(u, "map_again", d, when);
    NestStep *in = &n->root;
    n->checks = GEN_CHECKED;
    n->again = true;
    if (d->nvars) { /* few groups: mostly there is nothing to do */
        int all = nest_axis_of(u, n, d, 0, d->nvars);
        Num *share = num_ceildiv(u, n->axes[all].n, num_fact(u, NUM_UNITS));
        share = num_let(u, "share", num_op(u, FD_OP_MAX, share, num_int(u, 1)));
        in = nest_loop(u, nest_group(u, in, all, 0, share, NEST_CUT), all, NULL, NEST_CUT);
    }
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}
