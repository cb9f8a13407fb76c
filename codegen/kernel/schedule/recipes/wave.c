/* Wavefronts (analysis/wave.h) on a CPU: tiles of the interior, a launch for each diagonal of them, a
 * work-item for each tile; rows of a tile in lanes.
 *
 *   before   h(i, j) = max(h(i - 1, j), h(i, j - 1)) + a(i, j)
 *   after    loop d: nest wavefront, tiles (p, q) of p + q == d
 *
 * Needs: constant distances, at most one row back. Keeps: the order of operations within an element. */
#include "recipe.h"

/* Tiles for several work-items on a diagonal, of whole vectors of rows; short ones pay for the ends
 * of their rows, which are not in lanes. */
static Num *tile_size(Unit *u, Num *n, Num *least)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 4));
    return num_let(
        u, "tile",
        num_roundup(u, num_op(u, FD_OP_MAX, num_ceildiv(u, n, units), num_int(u, 1)), least));
}

static int lanes_of(const Wave *w)
{
    return nest_lanes_for(widest_bytes(w->body));
}

Num *recipe_wave_fits(Unit *u, const Interior *in, const Wave *w)
{
    Num *width = nest_lane_count(u, lanes_of(w)),
        *two = num_op(u, FD_OP_MUL, width, num_int(u, 2 * (w->skew + 1)));
    return num_and(u, num_op(u, FD_OP_GE, in->n[w->row], width),
                   num_op(u, FD_OP_GE, in->n[w->column], two));
}

/* The rows of tiles that begin with this diagonal. */
static void border(Unit *u, const Borders *b, const Interior *in, const NestTurns *turns, Num *rows,
                   Num *when)
{
    when = num_and(u, when, num_op(u, FD_OP_LT, turns->turn, rows));
    Num *from = num_op(u, FD_OP_ADD, turns->skip, num_op(u, FD_OP_MUL, turns->turn, turns->step));
    recipe_borders(u, b, in, turns, from, num_op(u, FD_OP_ADD, from, turns->step), when);
}

Num *recipe_wave(Unit *u, Interior *in, const Borders *borders, Num *when)
{
    enum { COLUMNS = 512 };
    const Wave *w = u->options->family == CG_GPU ? NULL : wave_of(u, in);
    if (!w) return NULL;
    const Def *d = in->def;
    int lanes = lanes_of(w);
    Num *width = nest_lane_count(u, lanes), *rows = in->n[w->row], *columns = in->n[w->column];
    when = num_let(u, "wave", num_and(u, when, recipe_wave_fits(u, in, w)));
    Num *tile[2] = {tile_size(u, rows, width), NULL}, *one = num_int(u, 1);
    tile[1] = w->skew > 1 ? num_let(u, "tile", num_op(u, FD_OP_MAX, columns, one))
                          : tile_size(u, columns, draw_num(u, P_WAVE_COLUMNS, COLUMNS));
    /* named: lines about the diagonal stay short, and none of them is before its loop */
    Num *tiles[2] = {num_let(u, "rows", num_ceildiv(u, rows, tile[0])),
                     num_let(u, "columns", num_ceildiv(u, columns, tile[1]))};
    Num *diagonals = num_op(u, FD_OP_SUB, num_op(u, FD_OP_ADD, tiles[0], tiles[1]), one);
    diagonals = num_let(u, "diagonals", diagonals);
    Num *diagonal = num_loop(u, "diagonal", diagonals, when);
    const NestTurns turns = {
        .turn = diagonal, .step = tile[0], .skip = in->skip[w->row], .back = 1};
    if (borders) border(u, borders, in, &turns, tiles[0], when);
    Nest *n = nest_inside(u, "wavefront", in, when);
    n->lanes = lanes;
    int lines = nest_axis_some(u, n, ~(1u << w->row | 1u << w->column));
    NestStep *at = &n->root;
    if (lines >= 0) at = nest_group(u, at, lines, 1, NULL, NEST_CUT);
    n->wave = (NestWave){.of = w, .steps = {tile[0], tile[1]}, .diagonal = diagonal};
    for (int i = 0; i < 2; i++) {
        int v = i ? w->column : w->row, axis = nest_axis_of(u, n, d, v, v + 1);
        n->axes[axis].down = in->down[v];
        nest_axis_cut(u, n, axis, in->skip[v], NULL);
        n->wave.axes[i] = axis;
    }
    nest_step(u, at, NEST_GIVE);
    nest_lower(u, n);
    plan_line(u, "end");
    return when;
}
