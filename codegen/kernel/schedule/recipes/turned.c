/* Operands that lie the other way round: neighbours in the result are far apart in memory, while
 * another variable of the result moves such a read by one (b(i, j) = a(j, i)). Both sides are then
 * whole vectors: squares of an operand are read in lanes along its own variable and turned in
 * registers.
 *
 *   before   b(i, j) = a(j, i) + c(i, j)
 *   after    for blocks of i and j, in steps of V:  q[0 .. V) = a(j .. j + V, i .. i + V) turned
 *                                                   for i: b(i, j ..) = q[i] + c(i, j ..)
 *
 * CPU only: there a cache line is fetched for each element otherwise. Needs: closed ranges, lanes, no
 * reduction. Keeps: the order of operations within an element. */
#include "recipe.h"

enum { MAX_SQUARES = 8, BLOCK = 64 /* of both; a multiple of all widths, as a quarter of it is */ };

typedef struct Turned {
    const Def *d;
    const FdNode *v; /* the last variable: lanes of the result */
    int other;       /* which variable the squares are read along; -1: none yet */
    int n;
    const FdNode *squares[MAX_SQUARES];
} Turned;

static bool reads_turned(const void *ctx, const FdNode *n)
{
    const FdNode *const *vars = ctx; /* of the result, of the square */
    return is_read(n) && fd_movement(n, vars[0]) == FD_MOVES_FAR &&
           fd_movement(n, vars[1]) == FD_MOVES_UNIT;
}

static bool is_square(const void *ctx, const FdNode *n)
{
    const Turned *t = ctx;
    for (int i = 0; i < t->n; i++)
        if (t->squares[i] == n) return true;
    return false;
}

/* Finds what can be in lanes of v only if it is turned. What is made of a square is so behind its turning. */
static bool find(Turned *t, const FdNode *n, FdSeen *seen)
{
    const Def *d = t->d;
    if (!fd_meet(seen, n) || lanes_possible(n, t->v, 0)) return true;
    for (int i = d->nvars - 2; i >= 0 && t->other < 0; i--) {
        const FdNode *vars[] = {t->v, d->vars[i]};
        if (fd_any(n, reads_turned, vars) && lanes_possible(n, d->vars[i], 0)) t->other = i;
    }
    bool scalar = fd_type_is_scalar(n->type);
    ScalarKind k = scalar ? result_kind(n) : SC_BOOL;
    if (t->other >= 0 && lanes_possible(n, d->vars[t->other], 0) && k != SC_BOOL && k != SC_HALF &&
        !fd_any(n, is_square, t)) {
        if (t->n == MAX_SQUARES) return false;
        t->squares[t->n++] = n;
        return true;
    }
    if (n->kind != FD_APPLY || is_read(n) || (fd_op_of(n) == FD_OP_NONE && !is_make(n)))
        return false;
    for (int i = 0; i < n->nargs; i++)
        if (!find(t, n->args[i], seen)) return false;
    return true;
}

static void square_nest(Unit *u, const Turned *t, Num *when, int lanes)
{
    const Def *d = t->d;
    int last = d->nvars - 1;
    Nest *n = nest_new(u, "turned", d, when);
    n->lanes = lanes;
    n->stream = draw_bool(u, P_MAP_STREAM, d->temp < 0);
    Num *width = nest_lane_count(u, lanes),
        *block = num_int(u, BLOCK << draw(u, P_TURNED_BLOCK, 2) >> 2);
    for (int i = 0; i < t->n; i++) /* long work: each square may be another unit's */
        if (fd_effects(t->squares[i]) & FD_REDUCES) block = width;
    int x = nest_axis_of(u, n, d, t->other, t->other + 1),
        y = nest_axis_of(u, n, d, last, last + 1),
        rest = nest_axis_some(u, n, ~(1u << t->other | 1u << last));
    NestStep *in = &n->root;
    if (rest >= 0) in = nest_group(u, in, rest, 2, NULL, NEST_CUT);
    /* neighbours along x, which are neighbours in memory where squares are read, follow each other */
    in = nest_group(u, in, y, 1, block, NEST_CUT);
    in = nest_group(u, in, x, 0, block, NEST_CUT);
    in = nest_loop(u, in, y, width, NEST_BACK);
    in = nest_loop(u, in, x, width, NEST_BACK);
    for (int i = 0; i < t->n; i++) {
        NestHold h = {.name = "square", .value = t->squares[i], .space = NEST_REGISTERS};
        h.batch = -1;
        h.along = y;
        h.across = x;
        h.depth = h.width = width;
        nest_hold(u, in, nest_add_hold(n, h));
    }
    in = nest_lanes(u, nest_unroll(u, in, x, NULL, width), y);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

Num *recipe_turned(Unit *u, const Def *d, Num *when)
{
    Turned t = {.d = d, .other = -1};
    if (u->options->family == CG_GPU || d->noting || d->nvars < 2) return NULL;
    t.v = d->vars[d->nvars - 1];
    FdSeen seen = {0};
    bool found = find(&t, d->body, &seen);
    fd_seen_free(&seen);
    if (!found || !t.n || !recipe_epilogue_lanes(d, t.n, t.squares, t.v, 0)) return NULL;
    int lanes = nest_lanes_for(widest_bytes(d->body));
    Num *width = nest_lane_count(u, lanes);
    Num *high = num_op(u, FD_OP_GE, plan_n(u, &d->doms[t.other]), width);
    Num *wide = num_op(u, FD_OP_GE, plan_n(u, &d->doms[d->nvars - 1]), width);
    Num *apply = num_let(u, "turned", num_and(u, when, num_and(u, high, wide)));
    square_nest(u, &t, apply, lanes);
    return apply;
}
