/* Contractions: c(.., row, .., col) = f(reductions over k of g(row-side values, col-side values)),
 * where both sides are used again. Tiles of the result stay in registers while k runs.
 *
 *   panel    one launch: a work-item copies its columns' operands into private panels and walks down
 *            the rows with the row operands read in place, or copied into panels before where the
 *            reduction has several variables. For what fits the caches.
 *   direct   the same without panels: the columns' operands are read in place, too. For few rows.
 *   packed   all operands are first copied into panels, k is cut into blocks, and a work-item
 *            computes a block of tiles. For large products, and row operands with far strides.
 *            After Goto and van de Geijn, ACM TOMS 34 (2008).
 *   blocks   panels of the columns again, for a block of k at a time: of many products with columns of
 *            their own, where a packed copy would be used once.
 *   tiles    GPUs: a group computes up to 128 x 128 results from tiles of the operands in local
 *            memory (tile_local.c).
 *
 * A panel holds the values of a whole operand expression, so exp(a(j, l)) is computed once. The plan
 * chooses by extents and cache sizes. Needs: closed ranges, associative and commutative operations.
 * Keeps: results per device (order of k; tiles: the order of the graph). */
#include "tile.h"

enum { FEW_TILES = 4 };

/* ---- CPU --------------------------------------------------------------------------------------- */

static bool moves_far(const void *k, const FdNode *n)
{
    return is_read(n) && fd_movement(n, k) == FD_MOVES_FAR;
}

static bool columns_are_near(const Tile *t)
{
    const FdContraction *c = &t->c;
    bool all = true;
    for (int i = 0; i < c->noperands; i++)
        all = all && (c->operands[i].side == FD_SIDE_ROW ||
                      lanes_possible(c->operands[i].node, c->column, recipe_allowed(t->d)));
    return all;
}

/* Do the row operands move by at most one element with the innermost reduction variable? */
static bool rows_are_near(const FdContraction *c)
{
    bool all = true;
    for (int i = 0; i < c->noperands; i++) {
        const FdNode *r = c->reduces[c->operands[i].group];
        if (c->operands[i].side == FD_SIDE_ROW)
            all = all && !fd_any(c->operands[i].node, moves_far, r->vars[r->nvars - 1]);
    }
    return all;
}

static bool uses_some(const FdNode *n, int count, const FdNode *const *vars)
{
    bool any = false;
    for (int i = 0; i < count; i++) any = any || fd_uses_var(n, vars[i]);
    return any;
}

typedef struct Windows {
    const FdContraction *c;
    const FdNode *reduce;
} Windows;

/* Does a read move in one dimension with rows and with the reduction, so that rows share elements? */
static bool is_window(const void *windows, const FdNode *n)
{
    const Windows *w = windows;
    for (int i = 0; is_read(n) && i < n->nargs; i++)
        if (uses_some(n->args[i], w->c->nrows, w->c->rows) &&
            uses_some(n->args[i], w->reduce->nvars, w->reduce->vars))
            return true;
    return false;
}

/* Loops inside each other over several variables have no registers left for rows in place. Windows
 * stay there all the same: panels of them would be many times what they are made of. */
static bool rows_want_panels(const FdContraction *c)
{
    bool several = false, windows = false;
    for (int i = 0; i < c->noperands; i++) {
        const FdOperand *o = &c->operands[i];
        const Windows w = {c, c->reduces[o->group]};
        several = several || w.reduce->nvars > 1;
        windows = windows || (o->side == FD_SIDE_ROW && fd_any(o->node, is_window, &w));
    }
    return several && !windows;
}

/* Accumulators, a row of column vectors and one broadcast fill the vector registers: 16 of them, 32
 * where vectors are 64 bytes. There fewer rows keep a unit busy that begins one multiplication a cycle, and fewer are
 * computed twice at the end. */
static void tile_size(Tile *t)
{
    Unit *u = t->u;
    int vectors = (int)draw(u, P_CONTRACT_VECTORS, t->c.nreduces <= 3 ? 2 : 1),
        n = t->c.nreduces * vectors;
    int large = 24 / n > 0 ? 24 / n : 1, small = 12 / n > 0 ? 12 / n : 1;
    int64_t wide = large, narrow = small, half = 16 / n > 0 ? 16 / n : 1;
    draw_widths(u, P_CONTRACT_ROWS, &wide, &narrow);
    Num *one = num_op(u, FD_OP_LT, num_fact(u, NUM_MULTIPLIES), num_int(u, 2)),
        *rows = num_select(u, one, num_int(u, wide == large ? half : wide), num_int(u, wide));
    rows = num_select(u, draw_is_wide(u), rows, num_int(u, narrow));
    t->mr = num_define(u, fresh_name(u, "MR"), rows);
    t->nv = num_int(u, vectors);
    t->nr = num_define(u, fresh_name(u, "NR"),
                       num_op(u, FD_OP_MUL, t->nv, nest_lane_count(u, t->lanes)));
    size_t bytes = 0;
    for (int i = 0; i < t->c.noperands; i++)
        if (t->c.operands[i].side == FD_SIDE_COL) bytes += scalar_bytes(t->c.operands[i].kind);
    Num *row = num_op(u, FD_OP_MUL, t->nr, num_int(u, (int64_t)bytes * 8));
    t->kb = num_define(u, fresh_name(u, "KB"),
                       num_op(u, FD_OP_MAX, num_op(u, FD_OP_DIV, num_fact(u, NUM_L2), row),
                              draw_num(u, P_CONTRACT_PANEL, 64)));
    /* a block of k of a tile's columns stays in L2 beside the rows */
    Num *kc =
        num_op(u, FD_OP_DIV, num_fact(u, NUM_CACHE), num_op(u, FD_OP_MUL, row, num_int(u, 2)));
    kc = num_op(u, FD_OP_MAX, num_op(u, FD_OP_MIN, kc, draw_num(u, P_CONTRACT_DEPTH, 1024)),
                draw_num(u, P_CONTRACT_LEAST_DEPTH, 128));
    t->kc = num_let(u, "most_kc", kc);
}

/* Of several orders of products all but one are of nothing (fdag/passes/network.c). */
static bool is_of_choice(const FdDom *d)
{
    return fd_op_of(d->hi) == FD_OP_SELECT;
}

/* What is copied for no result costs as much as for one. */
static Num *where_any(Tile *t, Num *when)
{
    Unit *u = t->u;
    const FdContraction *c = &t->c;
    bool chosen = is_of_choice(&t->d->doms[c->col]);
    for (int i = 0; i < c->nrows; i++) chosen = chosen || is_of_choice(&c->row_doms[i]);
    if (!chosen) return when;
    Num *any = num_op(u, FD_OP_LT, num_int(u, 0), num_op(u, FD_OP_MIN, t->m, t->n));
    return num_let(u, "any", num_and(u, when, any));
}

/* Have all columns' operands other values for each of the batch? */
static bool columns_are_batched(const FdContraction *c)
{
    bool all = c->nbatch > 0;
    for (int i = 0; i < c->noperands; i++)
        all = all && (c->operands[i].side == FD_SIDE_ROW ||
                      uses_some(c->operands[i].node, c->nbatch, c->batch));
    return all;
}

static Num *on_cpu(Tile *t, Num *when)
{
    Unit *u = t->u;
    const FdContraction *c = &t->c;
    size_t widest = recipe_widest(c->nreduces, c->reduces);
    t->lanes = nest_lanes_for(widest);
    tile_size(t);
    if (c->nbatch) { /* many small products: panels of each cost more than they give */
        Num *each = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, t->m, t->n), t->k);
        Num *large = num_op(u, FD_OP_GE, each, draw_num(u, P_CONTRACT_LEAST, 2048));
        when = num_let(u, "large", num_and(u, when, large));
    }
    /* Rows in place must stay in the cache while the columns' panels change, those in far strides with
     * room to spare; few columns are not worth a copy of the rows. */
    Num *fits = num_op(u, FD_OP_LE, t->k, t->kb), *l2 = num_fact(u, NUM_CACHE);
    Num *rows = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, t->m, t->k), num_int(u, (int64_t)widest));
    if (rows_are_near(c)) {
        Num *few =
            num_op(u, FD_OP_LT, t->n, num_op(u, FD_OP_MUL, t->nr, draw_num(u, P_CONTRACT_FEW, 4)));
        Num *cached = num_op(u, FD_OP_LE, rows, l2);
        fits = num_and(u, fits, num_op(u, FD_OP_LOR, few, cached));
    } else {
        rows = num_op(u, FD_OP_MUL, rows, num_int(u, 3));
        fits = num_and(u, fits, num_op(u, FD_OP_LE, rows, l2));
    }
    if (c->nrows == 1) fits = num_and(u, fits, num_op(u, FD_OP_GE, t->m, t->mr));
    fits = num_let(u, "fits", fits);
    Num *panel = num_let(u, "in_panel", num_and(u, when, fits));
    Num *packed = num_let(u, "packed", num_and(u, when, num_not(u, fits)));
    tile_cut_rows(t);
    t->rows_packed = rows_want_panels(c);
    if (columns_are_near(t) &&
        !t->rows_packed) { /* few tiles are not worth a copy of their columns */
        Num *few = num_op(u, FD_OP_LE, t->run, draw_num(u, P_CONTRACT_DIRECT, FEW_TILES));
        Num *direct = num_and(u, few, num_op(u, FD_OP_GE, t->n, t->nr));
        direct = num_let(u, "direct", num_and(u, panel, direct));
        tile_panels(t, direct, true);
        panel = num_let(u, "copied", num_and(u, panel, num_not(u, direct)));
    }
    tile_panels(t, panel, false);
    if (fd_reductions_end(c->nreduces, c->reduces, 0) == c->nreduces) tile_cut_blocks(t);
    if (t->blocks && columns_are_batched(c)) {
        Num *many = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 4)),
            *few = num_op(u, FD_OP_MUL, t->nr, draw_num(u, P_CONTRACT_FEW, 4));
        Num *own = num_and(
            u,
            num_op(u, FD_OP_LE, many, num_op(u, FD_OP_MUL, num_ceildiv(u, t->n, t->nr), t->batch)),
            num_op(u, FD_OP_LE, t->n, few));
        own = num_let(u, "own", num_and(u, packed, own));
        Tile of = *t;
        for (int i = 0; i < c->noperands; i++) /* what is dear is computed once */
            of.rows_packed = of.rows_packed || (c->operands[i].side == FD_SIDE_ROW &&
                                                recipe_is_dear(c->operands[i].node));
        of.kc = t->kb;
        of.blocks =
            num_let(u, "blocks", num_op(u, FD_OP_MAX, num_ceildiv(u, t->k, t->kb), num_int(u, 1)));
        tile_blocks(&of, own);
        packed = num_let(u, "shared", num_and(u, packed, num_not(u, own)));
    }
    tile_cut_tiles(t);
    Num *copied = where_any(t, packed);
    for (int i = 0; i < c->noperands; i++) tile_pack(t, i, copied);
    tile_packed(t, packed);
    return when;
}

static Num *with_form(Tile *t, Num *when)
{
    Unit *u = t->u;
    t->m = num_let(u, "m", plan_elements(u, t->c.nrows, t->c.row_doms));
    t->n = num_let(u, "n", plan_n(u, &t->d->doms[t->c.col]));
    for (int i = 0; i < t->c.nreduces; i = fd_reductions_end(t->c.nreduces, t->c.reduces, i)) {
        t->ks[i] = num_let(u, "k", recipe_length(u, t->c.reduces[i]));
        t->k = i ? num_op(u, FD_OP_MAX, t->k, t->ks[i]) : t->ks[i];
    }
    t->batch = num_let(u, "batch", plan_elements(u, t->c.nbatch, t->c.batch_doms));
    return u->options->family == CG_GPU ? tile_local(t, when) : on_cpu(t, when);
}

/* Columns of a longer variable where the last one turns out to be short: of a window's weights. */
static Num *turned(const Tile *of, Num *when)
{
    Tile t = {.u = of->u, .d = of->d};
    if (t.u->options->family == CG_GPU || !contraction_turned(t.u, t.d, &of->c, &t.c)) return NULL;
    Num *few = num_int(t.u, FD_SHORT), *last = plan_n(t.u, &t.d->doms[of->c.col]);
    Num *is = num_op(t.u, FD_OP_LT, last, few),
        *longer = num_op(t.u, FD_OP_GE, plan_n(t.u, &t.d->doms[t.c.col]), few);
    when = num_let(t.u, "turned", num_and(t.u, when, num_and(t.u, is, longer)));
    return num_is(when, 0) ? NULL : with_form(&t, when);
}

Num *recipe_contract(Unit *u, const Def *d, Num *when)
{
    Tile t = {.u = u, .d = d};
    bool gpu = u->options->family == CG_GPU;
    if ((u->options->precise && !gpu) || !contraction_find(u, d, &t.c)) return NULL;
    if (t.c.noperands > (gpu ? 4 : FD_MAX_OPERANDS)) return NULL;
    Num *other = turned(&t, when);
    Num *lines = gpu || t.c.col != d->nvars - 1 ? NULL : recipe_short_rows_pay(u, d);
    if (lines) when = num_let(u, "wide", num_and(u, when, num_not(u, lines)));
    if (num_is(when, 0)) return other;
    if (!other) return with_form(&t, when);
    Num *done = with_form(&t, num_let(u, "rest", num_and(u, when, num_not(u, other))));
    return done ? num_op(u, FD_OP_LOR, other, done) : other;
}
