/* Reductions whose results lie side by side, in lanes along the last dimension.
 *
 *   strips    a few vectors of results in registers while the reduction runs: stencils with
 *             weights, convolutions, all-pairs sums, correlations
 *   columns   where each step of a long reduction goes to another row in memory (sums of columns):
 *             rows outside, results in memory close by, several rows a turn; bands of rows for the
 *             units, and a second nest that adds the bands
 *   thin      the same for products of few rows with a matrix that no cache holds: rows of that are
 *             read once, for all rows of results, and copied nowhere
 *
 * CPU only: on a GPU neighbours in lanes are work-items. Needs: closed ranges, lanes (and for
 * columns an associative, commutative operation). Keeps: the order within an element (strips); the
 * same bits for the same device (columns). */
#include "../../../../fdag/index/affine.h"
#include "../../../../fdag/index/contraction.h"
#include "recipe.h"

enum { ROWS_A_TURN = 8 };

typedef struct Across {
    const Def *d;
    const FdNode *v; /* the last variable */
    int nreduces;
    const FdNode *reduces[NEST_RESULTS];
    int lanes;
    bool narrow; /* rows are shorter than vectors */
    bool thin;   /* few rows of results, which share what is read */
    bool shifts; /* the ranges of the reductions, from lane to lane */
    Num *n, *rows, *width;
} Across;

/* Is its range one that shifts evenly from lane to lane (NEST_SHARED)? */
static bool shifts(const Unit *u, const Def *d, const FdNode *r, const FdNode *v)
{
    if (u->options->precise || r->nvars != 1 || !r->doms->lo || r->type->record ||
        result_kind(r) == SC_BOOL || result_kind(r) == SC_HALF || fd_op_of(r) == FD_OP_NONE ||
        !fd_has_identity(r) || !fd_reorders(r))
        return false;
    const FdNode *bounds[] = {r->doms->lo, r->doms->hi};
    bool uses = false;
    for (int i = 0; i < 2; i++) {
        FdAffine form;
        int64_t factor;
        if (!fd_affine(bounds[i], &form) || !fd_affine_factor(&form, v, &factor)) return false;
        uses = uses || factor != 0;
    }
    return uses && lanes_possible(r->body, v, recipe_allowed(d));
}

static bool find(Unit *u, const Def *d, Across *x)
{
    *x = (Across){.d = d};
    if (u->options->family == CG_GPU || d->nvars == 0) return false;
    x->nreduces = fd_reductions(d->body, x->reduces);
    if (!x->nreduces) return false;
    x->v = d->vars[d->nvars - 1];
    for (int r = 0; r < x->nreduces; r++) {
        const FdNode *reduce = x->reduces[r];
        bool exact = !u->options->precise || fd_has_identity(reduce);
        bool closed =
            reduction_is_closed(reduce) && reduction_in_lanes(reduce, x->v, recipe_allowed(d));
        x->shifts = x->shifts || !closed;
        if (!exact || !(closed || shifts(u, d, reduce, x->v))) return false;
    }
    if (x->shifts && fd_reductions_end(x->nreduces, x->reduces, 0) < x->nreduces) return false;
    if (!recipe_epilogue_lanes(d, x->nreduces, x->reduces, x->v, recipe_allowed(d))) return false;
    x->lanes = nest_lanes_for(recipe_widest(x->nreduces, x->reduces));
    return true;
}

static void name_extents(Unit *u, Across *x)
{
    x->width = nest_lane_count(u, x->lanes);
    x->n = num_let(u, "n", plan_n(u, &x->d->doms[x->d->nvars - 1]));
    x->rows = num_let(u, "rows", plan_elements(u, x->d->nvars - 1, x->d->doms));
}

static Nest *nest_across(Unit *u, const Across *x, const char *name, Num *when, int *rows,
                         int *last)
{
    const Def *d = x->d;
    Nest *n = nest_new(u, name, d, when);
    recipe_use(n, x->nreduces, x->reduces);
    n->lanes = x->lanes;
    *rows = d->nvars > 1 ? nest_axis_of(u, n, d, 0, d->nvars - 1) : -1;
    *last = nest_axis_of(u, n, d, d->nvars - 1, d->nvars);
    n->lanes_axis = *last;
    return n;
}

/* ---- strips ------------------------------------------------------------------------------------ */

static void strip_nest(Unit *u, const Across *x, Num *when, Num *vectors)
{
    int rows, last;
    Nest *n = nest_across(u, x, "strips", when, &rows, &last);
    Num *step = num_op(u, FD_OP_MUL, vectors, x->width);
    n->regs[n->nregs++] = (NestRegs){.axis = last, .count = vectors, .step = x->width};
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, last, 0, num_let(u, "chunk", recipe_chunk(u, x->n, x->rows, step, NULL)),
                    NEST_CUT);
    in = nest_loop(u, in, last, step, NEST_BACK);
    if (!x->shifts) nest_step(u, in, NEST_START);
    for (int begin = 0, end; begin < x->nreduces; begin = end) {
        const FdNode *r = x->reduces[begin];
        end = fd_reductions_end(x->nreduces, x->reduces, begin);
        int k = nest_axis(u, n, r->nvars, r->vars, r->doms);
        if (x->shifts) {
            nest_range(u, in, k, true);
            nest_step(u, in, NEST_START);
        }
        NestStep *sum =
            nest_unroll(u, nest_loop(u, in, k, NULL, NEST_CUT), last, x->width, vectors);
        nest_take(u, nest_lanes(u, sum, last), begin, end);
    }
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Are there results for every unit? Of user functions, long reductions to a few results are better
 * cut into parts. */
static Num *enough(Unit *u, const Across *x, Num *when)
{
    bool user = false;
    if (x->shifts) return when;
    Num *length = num_int(u, 0);
    for (int r = 0; r < x->nreduces; r++) {
        user = user || fd_op_of(x->reduces[r]) == FD_OP_NONE;
        length = num_op(u, FD_OP_MAX, length, recipe_length(u, x->reduces[r]));
    }
    if (!user) return when;
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 2));
    Num *results = num_op(u, FD_OP_MUL, x->rows, x->n);
    Num *many = num_op(u, FD_OP_GE, results, num_op(u, FD_OP_MUL, units, x->width));
    Num *is_short = num_op(u, FD_OP_LT, length, draw_num(u, P_STRIPS_SHORT, 512));
    return num_and(u, when, num_op(u, FD_OP_LOR, many, is_short));
}

/* A sum of products of two elements: each waits for the one before, and there is little else to do
 * meanwhile, so more of them go side by side. (A product over a range is a multiplication without operands.) */
static bool is_thin(const Across *x)
{
    const FdNode *body = x->reduces[0]->body;
    if (x->nreduces != 1 || fd_op_of(x->reduces[0]) != FD_OP_ADD) return false;
    return body->kind == FD_APPLY && fd_op_of(body) == FD_OP_MUL && is_read(body->args[0]) &&
           is_read(body->args[1]);
}

Num *recipe_strips(Unit *u, const Def *d, Num *when)
{
    Across x;
    if (!find(u, d, &x)) return NULL;
    name_extents(u, &x);
    when = enough(u, &x, when);
    int leaves = 0;
    for (int r = 0; r < x.nreduces; r++) leaves += fd_type_leaves(x.reduces[r]->type);
    int most = x.nreduces == 1 && leaves <= 4 ? 4 : leaves <= 8 && x.nreduces <= 4 ? 2 : 1;
    int widths[] = {is_thin(&x) ? 8 : most, most, 1};
    widths[0] = (int)draw(u, P_STRIPS_VECTORS, widths[0]);
    widths[1] = (int)draw(u, P_STRIPS_FEWER, widths[1]);
    Num *taken = NULL;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && widths[i] >= widths[i - 1]) continue;
        int vectors = widths[i];
        Num *wide = num_int(u, vectors), *step = num_op(u, FD_OP_MUL, wide, x.width);
        Num *fits = num_and(u, when, num_op(u, FD_OP_GE, x.n, step));
        fits = num_let(u, "strips", fits);
        strip_nest(u, &x, taken ? num_and(u, fits, num_not(u, taken)) : fits, wide);
        taken = fits; /* what more vectors take, fewer would, too */
    }
    return taken;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static bool reads_far(const FdNode *n, const FdNode *k, const FdNode *v, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (is_read(n)) return fd_movement(n, k) == FD_MOVES_FAR && fd_movement(n, v) == FD_MOVES_UNIT;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (reads_far(n->args[i], k, v, seen)) return true;
    return false;
}

static bool has_columns(const Across *x)
{
    bool far = false;
    for (int r = 0; r < x->nreduces; r++) {
        const FdNode *reduce = x->reduces[r];
        FdSeen seen = {0};
        far = far || reads_far(reduce->body, reduce->vars[0], x->v, &seen);
        fd_seen_free(&seen);
        if (reduce->type->record || result_kind(reduce) == SC_BOOL) return false;
        if (fd_op_of(reduce) == FD_OP_NONE && !fd_has_identity(reduce)) return false;
    }
    return far && x->reduces[0]->nvars == 1 &&
           fd_reductions_end(x->nreduces, x->reduces, 0) == x->nreduces;
}

/* The part of a band: a row of results. */
static void use_bands(Nest *n, const int *temps, int rows, int band, Num *bands, int last,
                      Num *length)
{
    NestPart *p = &n->part;
    for (int r = 0; r < n->nreduces; r++) p->temps[r] = temps[r];
    if (rows >= 0) p->axes[p->naxes++] = rows;
    p->lengths[p->naxes] = bands;
    p->axes[p->naxes++] = band;
    p->lengths[p->naxes] = length;
    p->axes[p->naxes++] = last;
}

/* All columns, in lanes (unless `width` is NULL), then those left: what `kind` does before and after
 * `turns` of k. */
static void columns(Unit *u, const Nest *n, NestStep *in, NestKind kind, int last, Num *width,
                    int k, int turns)
{
    for (int lanes = width != NULL; lanes >= 0; lanes--) {
        NestStep *col = nest_loop(u, in, last, lanes ? width : NULL, lanes ? NEST_WHOLE : NEST_CUT);
        if (lanes) col = nest_lanes(u, col, last);
        nest_step(u, col, kind);
        if (turns == 1) nest_take(u, col, 0, n->nreduces);
        if (turns > 1)
            nest_take(u, nest_unroll(u, col, k, NULL, num_int(u, turns)), 0, n->nreduces);
        nest_step(u, col, NEST_SAVE);
    }
}

/* A loop over an axis; -1: there is none. */
static NestStep *each_of(Unit *u, NestStep *in, int axis)
{
    return axis < 0 ? in : nest_loop(u, in, axis, NULL, NEST_CUT);
}

static void band_nest(Unit *u, const Across *x, Num *when, const int *temps, Num *bands, Num *share)
{
    int rows, last, turn = (int)draw(u, P_COLUMNS_TURN, ROWS_A_TURN);
    const FdNode *r = x->reduces[0];
    const char *name = x->narrow ? "few_bands" : x->thin ? "thin_bands" : "column_bands";
    Nest *n = nest_across(u, x, name, when, &rows, &last);
    int k = nest_axis(u, n, 1, r->vars, r->doms);
    use_bands(n, temps, rows, k, bands, last, x->n);
    NestStep *in = &n->root;
    Num *width = nest_lane_count(u, x->lanes);
    int inside = x->thin ? rows : -1; /* results of all rows, of the same rows of memory */
    if (rows >= 0 && !x->thin) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, k, 0, share, NEST_CUT);
    columns(u, n, each_of(u, in, inside), NEST_START, last, width, k, 0);
    NestStep *some = nest_loop(u, in, k, num_int(u, turn), NEST_WHOLE);
    columns(u, n, each_of(u, some, inside), NEST_RESUME, last, width, k, turn);
    some = nest_loop(u, in, k, NULL, NEST_CUT);
    columns(u, n, each_of(u, some, inside), NEST_RESUME, last, width, k, 1);
    nest_lower(u, n);
}

static void add_bands(Unit *u, const Across *x, Num *when, const int *temps, Num *bands)
{
    int rows, last;
    const char *name = x->narrow ? "few_sums" : x->thin ? "thin_sums" : "column_sums";
    Nest *n = nest_across(u, x, name, when, &rows, &last);
    if (x->narrow) n->lanes_axis = -1;
    int band = nest_axis_parts(n, "bands", bands);
    use_bands(n, temps, rows, band, bands, last, x->n);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, last, 0,
                    num_let(u, "chunk", recipe_chunk(u, x->n, x->rows, x->width, NULL)), NEST_CUT);
    in = nest_loop(u, in, last, x->narrow ? NULL : x->width, x->narrow ? NEST_CUT : NEST_BACK);
    if (!x->narrow) in = nest_lanes(u, in, last);
    nest_step(u, in, NEST_START);
    nest_step(u, nest_loop(u, in, band, NULL, NEST_CUT), NEST_PARTS);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Under `apply`, for reductions over k values. */
static void bands_of_rows(Unit *u, Across *x, Num *k, Num *apply)
{
    enum { EXACT = 16384 }; /* sums of so many floats lose few digits */
    int temps[NEST_RESULTS];
    Num *one = num_int(u, 1);
    Num *bands = recipe_each_unit(u, (int)draw(u, P_COLUMNS_BANDS, 2), x->thin ? one : x->rows);
    Num *share = num_op(u, FD_OP_MAX, num_ceildiv(u, k, bands), one);
    if (x->narrow) share = num_op(u, FD_OP_MIN, share, num_int(u, EXACT));
    share = num_let(u, "share", share);
    bands = num_let(u, "bands", num_ceildiv(u, k, share));
    Num *count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, x->rows, bands), x->n);
    for (int r = 0; r < x->nreduces; r++) {
        Num *each = num_int(u, (int64_t)kir_bytes(gen_type(u, x->reduces[r]->type)));
        temps[r] =
            plan_temp(u, num_select(u, apply, num_op(u, FD_OP_MUL, count, each), num_int(u, 0)));
    }
    band_nest(u, x, apply, temps, bands, share);
    add_bands(u, x, apply, temps, bands);
}

Num *recipe_columns(Unit *u, const Def *d, Num *when)
{
    Across x;
    if (u->options->precise || !find(u, d, &x) || x.shifts || !has_columns(&x)) return NULL;
    name_extents(u, &x);
    Num *k = num_let(u, "k", recipe_length(u, x.reduces[0]));
    size_t bytes = widest_bytes(x.reduces[0]->body);
    Num *all = num_op(u, FD_OP_MUL, k, num_op(u, FD_OP_MUL, x.n, num_int(u, (int64_t)bytes)));
    /* what stays in the cache can as well be read a column strip at a time */
    Num *far = num_op(u, FD_OP_GT, all, num_fact(u, NUM_L2));
    far = num_and(u, far, num_op(u, FD_OP_GE, k, draw_num(u, P_COLUMNS_LEAST, 64)));
    far = num_and(u, far, num_op(u, FD_OP_GE, x.n, num_op(u, FD_OP_MUL, x.width, num_int(u, 2))));
    Num *apply = num_let(u, "columns", num_and(u, when, far));
    if (num_is(apply, 0)) return NULL;
    bands_of_rows(u, &x, k, apply);
    return apply;
}

/* Is there an element that all results of a column share, and none that each row has of its own, in lanes? */
static bool rows_share(const Across *x)
{
    FdContraction c;
    const Def *d = x->d;
    if (!fd_contraction(d->nvars, d->vars, d->doms, d->body, NULL, NULL, &c)) return false;
    return c.col == d->nvars - 1 && !c.nbatch && !c.branch.cond;
}

/* Products of few rows with a matrix that no cache holds: a copy of it, as tiles have, is two passes more. */
Num *recipe_thin(Unit *u, const Def *d, Num *when)
{
    enum { ROWS = 16 };
    Across x;
    if (u->options->precise || d->nvars < 2 || !find(u, d, &x) || x.shifts || !has_columns(&x) ||
        !rows_share(&x))
        return NULL;
    x.thin = true;
    x.width = nest_lane_count(u, x.lanes);
    x.n = plan_n(u, &d->doms[d->nvars - 1]);
    x.rows = plan_elements(u, d->nvars - 1, d->doms);
    Num *k = recipe_length(u, x.reduces[0]), *l2 = num_fact(u, NUM_L2);
    Num *each = num_int(u, (int64_t)widest_bytes(x.reduces[0]->body) * 2);
    Num *row = num_op(u, FD_OP_MUL, x.n, each);
    Num *far =
        num_op(u, FD_OP_GT, num_op(u, FD_OP_MUL, k, row), num_op(u, FD_OP_MUL, l2, num_int(u, 8)));
    Num *near = num_op(u, FD_OP_LE, num_op(u, FD_OP_MUL, x.rows, row), l2);
    Num *wide = num_op(u, FD_OP_GE, x.n, num_op(u, FD_OP_MUL, x.width, num_int(u, 4)));
    Num *few = num_op(u, FD_OP_LE, x.rows, draw_num(u, P_THIN_ROWS, ROWS));
    Num *apply = num_and(u, num_and(u, few, wide), num_and(u, far, near));
    apply = num_let(u, "thin", num_and(u, when, apply));
    if (num_is(apply, 0)) return NULL;
    bands_of_rows(u, &x, k, apply);
    return apply;
}

/* The same where rows are shorter than vectors (means and covariances of a few measures): all results
 * of a row at a time, and bands for the units, where other forms would have one result a work-item. */
Num *recipe_few(Unit *u, const Def *d, Num *when)
{
    enum { ROWS = 16, LONG = 4096 };
    Across x;
    if (u->options->precise || !find(u, d, &x) || x.shifts || !has_columns(&x)) return NULL;
    const FdDom *doms = x.reduces[0]->doms;
    for (int r = 0; r < x.nreduces; r++)
        if (reads_along(x.reduces[r]->body, x.reduces[r]->vars[0])) return NULL;
    if (fd_is_const(doms->lo) && fd_is_const(doms->hi) && doms->hi->value.i < LONG) return NULL;
    x.narrow = true;
    x.thin = d->nvars > 1; /* all rows in one pass: their sums do not wait for each other */
    x.width = nest_lane_count(u, x.lanes);
    x.n = plan_n(u, &d->doms[d->nvars - 1]);
    x.rows = plan_elements(u, d->nvars - 1, d->doms);
    Num *k = recipe_length(u, x.reduces[0]);
    Num *few = num_and(u, num_op(u, FD_OP_LT, x.n, x.width),
                       num_op(u, FD_OP_LE, x.rows, num_int(u, ROWS)));
    few = num_and(u, few, num_op(u, FD_OP_GE, k, draw_num(u, P_FEW_LEAST, LONG)));
    few = num_let(u, "few", num_and(u, when, few));
    if (num_is(few, 0)) return NULL;
    x.lanes *= 2; /* half a vector */
    bands_of_rows(u, &x, k, few);
    return few;
}
