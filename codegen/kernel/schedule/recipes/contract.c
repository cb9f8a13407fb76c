/* Contractions: c(.., row, .., col) = f(reductions over k of g(row-side values, col-side values)),
 * where both sides are used again. Tiles of the result stay in registers while k runs.
 *
 *   panel    one launch: a work-item copies its columns' operands into private panels and walks down
 *            the rows with the row operands read in place. For what fits the caches.
 *   direct   the same without panels: the columns' operands are read in place, too. For few rows.
 *   packed   all operands are first copied into panels, k is cut into blocks, and a work-item
 *            computes a block of tiles. For large products, and row operands with far strides.
 *            After Goto and van de Geijn, ACM TOMS 34 (2008).
 *   tiles    GPUs: a group of 16 x 16 work-items computes 64 x 64 results, 4 x 4 each, from tiles of
 *            the operands in local memory.
 *
 * A panel holds the values of a whole operand expression, so exp(a(j, l)) is computed once. The plan
 * chooses by extents and cache sizes. Needs: closed ranges, associative and commutative operations.
 * Keeps: results per device (order of k; tiles: the order of the graph). */
#include "recipe.h"

enum { AHEAD_ROWS = 32, AHEAD_COLUMNS = 16 /* steps of k */, FEW_TILES = 4 };
enum { EDGE = 64, SIDE = 16, EACH = EDGE / SIDE, LOCAL_BYTES = 32 << 10 };

typedef struct Tile {
    Unit *u;
    Contraction c;
    int lanes;
    Num *m, *n, *k, *batch; /* extents; k: the longest */
    Num *ks[NEST_RESULTS];  /* of the reductions that begin a group */
    Num *mr, *nv, *nr;      /* rows, vectors and elements of a tile */
    Num *kb, *kc;           /* k of a private panel, of a block */
    Num *blocks;            /* of k; NULL: k is not cut */
    Num *high, *broad;      /* tiles of a block of rows and columns */
    Num *run, *each;        /* tiles of a chunk of rows; of the batch for each work-item */
    int temps[MAX_OPERANDS];
} Tile;

typedef struct TileAxes { /* of one nest; batch -1: none */
    int row, col, batch;
    int k[NEST_RESULTS]; /* of the reductions that begin a group */
} TileAxes;

static Num *bytes_of(Unit *u, ScalarKind k)
{
    return num_int(u, (int64_t)scalar_bytes(k));
}

static Nest *tile_nest(Tile *t, const char *name, Num *when, TileAxes *x)
{
    Unit *u = t->u;
    const Contraction *c = &t->c;
    Nest *n = nest_new(u, name, c->d, when);
    n->lanes = t->lanes;
    x->row = nest_axis(u, n, c->nrows, c->rows, c->row_doms);
    x->col = nest_axis_of(u, n, c->d, c->col, c->col + 1);
    for (int i = 0; i < c->nreduces; i = recipe_group_end(c->nreduces, c->reduces, i)) {
        const FdNode *r = c->reduces[i];
        x->k[i] = nest_axis(u, n, r->nvars, r->vars, r->doms);
    }
    x->batch = c->nbatch ? nest_axis(u, n, c->nbatch, c->batch, c->batch_doms) : -1;
    return n;
}

static NestHold hold_of(Tile *t, int operand, const TileAxes *x, NestSpace space)
{
    const Operand *o = &t->c.operands[operand];
    bool row = o->side == SIDE_ROW;
    NestHold h = {.name = row ? "x" : "y", .value = o->node, .space = space, .batch = -1};
    h.across = row ? x->row : x->col;
    h.along = -1;
    if (!row && lanes_possible(o->node, t->c.d->vars[t->c.col], recipe_allowed(t->u)))
        h.vectors = t->nv;
    return h;
}

static bool moves_by_one(const void *v, const FdNode *n)
{
    return is_read(n) && read_movement(n, v) == MOVES_UNIT;
}

/* Filled in vectors across, by squares where the operand lies along the reduction, or one by one. */
static NestHold panel_of(Tile *t, int operand, const TileAxes *x, NestSpace space, bool filled)
{
    Unit *u = t->u;
    const Operand *o = &t->c.operands[operand];
    const FdNode *r = t->c.reduces[o->group];
    NestHold h = hold_of(t, operand, x, space);
    bool row = o->side == SIDE_ROW;
    h.along = x->k[o->group];
    h.width = row ? t->mr : t->nr;
    if ((h.filled = filled)) return h;
    if (row && t->c.nrows == 1 && lanes_possible(o->node, t->c.rows[0], recipe_allowed(u)))
        h.vectors =
            num_define(u, fresh_name(u, "MV"), num_ceildiv(u, t->mr, nest_lane_count(u, t->lanes)));
    h.turned = !h.vectors && r->nvars == 1 && fd_any(o->node, moves_by_one, r->vars[0]) &&
               lanes_possible(o->node, r->vars[0], recipe_allowed(u));
    return h;
}

static void use_registers(Tile *t, Nest *n, const TileAxes *x)
{
    recipe_use(n, t->c.nreduces, t->c.reduces);
    n->lanes_axis = x->col;
    n->regs[n->nregs++] = (NestRegs){x->row, t->mr, num_int(t->u, 1)};
    n->regs[n->nregs++] = (NestRegs){x->col, t->nv, nest_lane_count(t->u, t->lanes)};
    n->scalar_give = !recipe_epilogue_lanes(t->c.d, t->c.nreduces, t->c.reduces,
                                            t->c.d->vars[t->c.col], recipe_allowed(t->u));
}

static bool is_on(const Tile *t, int operand, Side side, int group)
{
    const Operand *o = &t->c.operands[operand];
    return o->side == side && o->group == group;
}

/* Packed panels are longer than L1 keeps, and too large for L2 together: what comes some steps later
 * is asked for, and a part of the next columns. */
static void ahead(Tile *t, Nest *n, const TileAxes *x, NestStep *in, int along)
{
    Unit *u = t->u;
    for (int h = 0; h < n->nholds; h++) {
        const NestHold *o = &n->holds[h];
        if (o->space != NEST_GLOBAL || o->along != along) continue;
        bool row = o->across == x->row;
        Num *line = num_int(u, 64 / (int64_t)scalar_bytes(result_kind(o->value)));
        Num *lines = num_define(u, fresh_name(u, "LINES"), num_ceildiv(u, o->width, line));
        Num *steps = row ? draw_num(u, P_CONTRACT_AHEAD_ROWS, AHEAD_ROWS)
                         : draw_num(u, P_CONTRACT_AHEAD_COLUMNS, AHEAD_COLUMNS);
        nest_ahead(u, in, h, steps, lines);
        if (!row)
            nest_ahead_next(u, in, h, x->row, num_let(u, "share", num_ceildiv(u, t->nr, t->high)));
    }
}

/* One step of k for a whole tile. */
static void tile_step(Tile *t, Nest *n, const TileAxes *x, NestStep *k, int begin, int end)
{
    Unit *u = t->u;
    ahead(t, n, x, k, x->k[begin]);
    for (int i = 0; i < t->c.noperands; i++) {
        if (!is_on(t, i, SIDE_COL, begin)) continue;
        NestHold h = hold_of(t, i, x, NEST_REGISTERS);
        h.width = t->nv;
        nest_hold(u, k, nest_add_hold(n, h));
    }
    NestStep *rows = nest_unroll(u, k, x->row, NULL, t->mr);
    for (int i = 0; i < t->c.noperands; i++) {
        if (!is_on(t, i, SIDE_ROW, begin)) continue;
        nest_hold(u, rows, nest_add_hold(n, hold_of(t, i, x, NEST_REGISTERS)));
    }
    NestStep *cols = nest_unroll(u, rows, x->col, nest_lane_count(u, t->lanes), t->nv);
    nest_take(u, nest_lanes(u, cols, x->col), begin, end);
}

/* The reductions, those over other variables after each other, inside `in`. */
static void tile_steps(Tile *t, Nest *n, const TileAxes *x, NestStep *in)
{
    for (int begin = 0, end; begin < t->c.nreduces; begin = end) {
        end = recipe_group_end(t->c.nreduces, t->c.reduces, begin);
        tile_step(t, n, x, nest_loop(t->u, in, x->k[begin], NULL, NEST_CUT), begin, end);
    }
}

/* ---- private panels ---------------------------------------------------------------------------- */

/* What a work-item computes: a chunk of rows for one panel of columns, or where there are more than
 * enough of those all rows for several of the batch. */
static void cut_rows(Tile *t)
{
    Unit *u = t->u;
    Num *one = num_int(u, 1), *tiles = num_let(u, "tiles", num_ceildiv(u, t->m, t->mr));
    Num *panels = num_op(u, FD_OP_MUL, num_ceildiv(u, t->n, t->nr), t->batch);
    panels = num_let(u, "panels", panels);
    Num *wish = recipe_each_unit(u, (int)draw(u, P_CONTRACT_ITEMS, 8), panels);
    wish = num_let(u, "wish", num_op(u, FD_OP_MAX, num_op(u, FD_OP_MIN, wish, tiles), one));
    t->run = num_let(u, "run", num_ceildiv(u, tiles, wish));
    Num *most = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), draw_num(u, P_CONTRACT_BATCH, 32));
    Num *several = num_op(u, FD_OP_DIV, panels, most);
    if (t->c.nbatch) t->each = num_let(u, "each", num_op(u, FD_OP_MAX, several, one));
}

/* direct: columns are read in place, too. */
static void panel_nest(Tile *t, Num *when, bool direct)
{
    Unit *u = t->u;
    TileAxes x;
    Nest *n = tile_nest(t, direct ? "contract_direct" : "contract_panel", when, &x);
    use_registers(t, n, &x);
    Num *chunk = num_op(u, FD_OP_MUL, t->run, t->mr);
    chunk = num_let(u, "chunk", num_op(u, FD_OP_MAX, chunk, t->mr));
    NestStep *in = &n->root;
    if (x.batch >= 0) in = nest_group(u, in, x.batch, 2, t->each, NEST_CUT);
    in = nest_group(u, in, x.col, 1, t->nr, direct ? NEST_BACK : NEST_CLAMP);
    in = nest_group(u, in, x.row, 0, chunk, NEST_CUT);
    if (x.batch >= 0) in = nest_loop(u, in, x.batch, NULL, NEST_CUT);
    for (int i = 0; !direct && i < t->c.noperands; i++) {
        if (t->c.operands[i].side != SIDE_COL) continue;
        NestHold h = panel_of(t, i, &x, NEST_PRIVATE, false);
        h.name = "panel";
        h.depth = t->kb;
        nest_hold(u, in, nest_add_hold(n, h));
    }
    /* One variable: rows are a stride apart, which takes few registers, so the last tile overlaps the
     * one before. */
    bool strided = t->c.nrows == 1;
    in = nest_loop(u, in, x.row, t->mr, strided ? NEST_BACK : NEST_CLAMP);
    if (!strided) nest_place(u, in, x.row, t->mr);
    nest_step(u, in, NEST_START);
    tile_steps(t, n, &x, in);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* ---- packed panels ----------------------------------------------------------------------------- */

static NestHold packed_hold(Tile *t, int operand, const TileAxes *x, bool filled)
{
    NestHold h = panel_of(t, operand, x, NEST_GLOBAL, filled);
    h.name = arena_printf(t->u->arena, "panel%d", operand);
    h.temp = t->temps[operand];
    h.batch = x->batch;
    h.depth = t->blocks ? t->kc : t->ks[t->c.operands[operand].group];
    h.reach = t->blocks ? num_op(t->u, FD_OP_MUL, t->blocks, t->kc) : NULL;
    return h;
}

/* One work-item a panel, or a block of k of one: MR rows or NR columns. */
static void pack_nest(Tile *t, int operand, Num *when)
{
    Unit *u = t->u;
    const Operand *o = &t->c.operands[operand];
    bool row = o->side == SIDE_ROW;
    Num *width = row ? t->mr : t->nr;
    Num *k = t->blocks ? num_op(u, FD_OP_MUL, t->blocks, t->kc) : t->ks[o->group];
    Num *count = num_op(u, FD_OP_MUL, num_roundup(u, row ? t->m : t->n, width), k);
    count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, count, t->batch), bytes_of(u, o->kind));
    t->temps[operand] = plan_temp(u, num_select(u, when, count, num_int(u, 0)));
    TileAxes x;
    Nest *n = tile_nest(t, row ? "pack_rows" : "pack_columns", when, &x);
    NestStep *in = &n->root;
    if (x.batch >= 0) in = nest_group(u, in, x.batch, 2, NULL, NEST_CUT);
    if (t->blocks) in = nest_group(u, in, x.k[0], 1, t->kc, NEST_CUT);
    in = nest_group(u, in, row ? x.row : x.col, 0, width, NEST_CLAMP);
    nest_hold(u, in, nest_add_hold(n, packed_hold(t, operand, &x, false)));
    nest_lower(u, n);
}

/* What blocks of k before this one came to: the result itself has room where it is one reduction of
 * its type; else a temporary each. */
static void use_blocks(Tile *t, Nest *n, const TileAxes *x, Num *when)
{
    Unit *u = t->u;
    const Def *d = t->c.d;
    NestPart *p = &n->part;
    bool own = n->nreduces == 1 && d->body->type == n->reduces[0]->type;
    Num *rows = num_let(u, "all_rows", num_roundup(u, t->m, t->mr)),
        *cols = num_let(u, "all_cols", num_roundup(u, t->n, t->nr));
    Num *several = num_and(u, when, num_op(u, FD_OP_GT, t->k, t->kc));
    Num *count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, rows, cols), t->batch);
    if (x->batch >= 0) p->axes[p->naxes++] = x->batch;
    p->lengths[p->naxes] = rows;
    p->axes[p->naxes++] = x->row;
    p->lengths[p->naxes] = cols;
    p->axes[p->naxes++] = x->col;
    for (int r = 0; r < n->nreduces; r++) {
        Num *bytes = num_op(u, FD_OP_MUL, count, bytes_of(u, result_kind(n->reduces[r])));
        p->temps[r] = own ? -1 : plan_temp(u, num_select(u, several, bytes, num_int(u, 64)));
    }
    n->block_axis = x->k[0];
    n->block = t->kc;
}

static void packed_nest(Tile *t, Num *when)
{
    Unit *u = t->u;
    TileAxes x;
    Nest *n = tile_nest(t, "contract_packed", when, &x);
    use_registers(t, n, &x);
    if (t->blocks) use_blocks(t, n, &x, when);
    Num *rows = num_let(u, "block_rows", num_op(u, FD_OP_MUL, t->mr, t->high)),
        *cols = num_let(u, "block_cols", num_op(u, FD_OP_MUL, t->nr, t->broad));
    NestStep *in = &n->root;
    if (x.batch >= 0) in = nest_group(u, in, x.batch, 2, NULL, NEST_CUT);
    in = nest_group(u, in, x.row, 1, rows, NEST_CUT);
    in = nest_group(u, in, x.col, 0, cols, NEST_CUT); /* the next one has the same rows */
    if (t->blocks) { /* one at least: there is a result for no k, too */
        in = nest_loop(u, in, x.k[0], t->kc, NEST_CUT);
        in->count = t->blocks;
    }
    for (int i = 0; i < t->c.noperands; i++)
        nest_hold(u, in, nest_add_hold(n, packed_hold(t, i, &x, true)));
    in = nest_loop(u, in, x.col, t->nr, NEST_CLAMP);
    in = nest_loop(u, in, x.row, t->mr, NEST_CLAMP);
    if (fd_type_is_scalar(t->c.d->body->type)) nest_ahead_give(u, in);
    nest_step(u, in, NEST_START);
    tile_steps(t, n, &x, in);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* ---- CPU --------------------------------------------------------------------------------------- */

/* n in parts as long as each other, each of at most `most`: how long. */
static Num *even(Unit *u, Num *n, Num *most)
{
    Num *one = num_int(u, 1);
    Num *parts = num_ceildiv(u, n, num_let(u, "most", num_op(u, FD_OP_MAX, most, one)));
    parts = num_let(u, "parts", num_op(u, FD_OP_MAX, parts, one));
    return num_op(u, FD_OP_MAX, num_ceildiv(u, n, parts), one);
}

/* Blocks of k. */
static void cut_blocks(Tile *t)
{
    Unit *u = t->u;
    t->kc = num_let(u, "kc", even(u, t->k, t->kc));
    t->blocks = num_op(u, FD_OP_MAX, num_ceildiv(u, t->k, t->kc), num_int(u, 1));
    t->blocks = num_let(u, "blocks", t->blocks);
}

/* What a work-item computes: rows whose operands fill half of L2, and so many columns of tiles that
 * each unit has several work-items. */
static void cut_tiles(Tile *t)
{
    Unit *u = t->u;
    size_t bytes = recipe_widest(t->c.nreduces, t->c.reduces);
    Num *eight = draw_num(u, P_CONTRACT_BROAD, 8), *one = num_int(u, 1);
    Num *tiles = num_let(u, "tiles", num_ceildiv(u, t->m, t->mr));
    Num *panels = num_let(u, "panels", num_op(u, FD_OP_MUL, num_ceildiv(u, t->n, t->nr), t->batch));
    Num *tile = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, t->blocks ? t->kc : t->k, t->mr),
                       num_int(u, 2 * (int64_t)bytes));
    Num *fit = num_op(u, FD_OP_DIV, num_fact(u, NUM_L2), num_op(u, FD_OP_MAX, tile, one));
    Num *each =
        num_op(u, FD_OP_DIV, tiles, recipe_each_unit(u, (int)draw(u, P_CONTRACT_HIGH, 4), panels));
    t->high = num_let(u, "high", even(u, tiles, num_op(u, FD_OP_MIN, fit, each)));
    Num *items = num_op(u, FD_OP_MUL, num_ceildiv(u, tiles, t->high), panels);
    Num *most = num_op(u, FD_OP_DIV, items, num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), eight));
    t->broad = num_let(u, "broad",
                       even(u, num_ceildiv(u, t->n, t->nr), num_op(u, FD_OP_MIN, most, eight)));
}

static bool moves_far(const void *k, const FdNode *n)
{
    return is_read(n) && read_movement(n, k) == MOVES_FAR;
}

static bool columns_are_near(const Contraction *c, const Unit *u)
{
    bool all = true;
    for (int i = 0; i < c->noperands; i++)
        all = all && (c->operands[i].side == SIDE_ROW ||
                      lanes_possible(c->operands[i].node, c->d->vars[c->col], recipe_allowed(u)));
    return all;
}

/* Do the row operands move by at most one element with the innermost reduction variable? */
static bool rows_are_near(const Contraction *c)
{
    bool all = true;
    for (int i = 0; i < c->noperands; i++) {
        const FdNode *r = c->reduces[c->operands[i].group];
        if (c->operands[i].side == SIDE_ROW)
            all = all && !fd_any(c->operands[i].node, moves_far, r->vars[r->nvars - 1]);
    }
    return all;
}

/* Accumulators, a row of column vectors and one broadcast fill the vector registers: 16 of them, 32
 * where vectors are 64 bytes. */
static void tile_size(Tile *t)
{
    Unit *u = t->u;
    int vectors = (int)draw(u, P_CONTRACT_VECTORS, t->c.nreduces <= 3 ? 2 : 1),
        n = t->c.nreduces * vectors;
    int large = 24 / n > 0 ? 24 / n : 1, small = 12 / n > 0 ? 12 / n : 1;
    t->mr = num_define(u, fresh_name(u, "MR"), draw_by_width(u, P_CONTRACT_ROWS, large, small));
    t->nv = num_int(u, vectors);
    t->nr = num_define(u, fresh_name(u, "NR"),
                       num_op(u, FD_OP_MUL, t->nv, nest_lane_count(u, t->lanes)));
    size_t bytes = 0;
    for (int i = 0; i < t->c.noperands; i++)
        if (t->c.operands[i].side == SIDE_COL) bytes += scalar_bytes(t->c.operands[i].kind);
    Num *row = num_op(u, FD_OP_MUL, t->nr, num_int(u, (int64_t)bytes * 8));
    t->kb = num_define(u, fresh_name(u, "KB"),
                       num_op(u, FD_OP_MAX, num_op(u, FD_OP_DIV, num_fact(u, NUM_L2), row),
                              draw_num(u, P_CONTRACT_PANEL, 64)));
    /* a block of k of a tile's columns stays in L2 beside the rows */
    Num *kc = num_op(u, FD_OP_DIV, num_fact(u, NUM_L2), num_op(u, FD_OP_MUL, row, num_int(u, 2)));
    kc = num_op(u, FD_OP_MAX, num_op(u, FD_OP_MIN, kc, draw_num(u, P_CONTRACT_DEPTH, 1024)),
                draw_num(u, P_CONTRACT_LEAST_DEPTH, 128));
    t->kc = num_define(u, fresh_name(u, "KC"), kc);
}

static Num *on_cpu(Tile *t, Num *when)
{
    Unit *u = t->u;
    const Contraction *c = &t->c;
    size_t widest = recipe_widest(c->nreduces, c->reduces);
    t->lanes = nest_lanes_for(widest);
    u->contracts = true;
    tile_size(t);
    /* Rows in place must stay in the cache while the columns' panels change, those in far strides with
     * room to spare; few columns are not worth a copy of the rows. */
    Num *fits = num_op(u, FD_OP_LE, t->k, t->kb), *l2 = num_fact(u, NUM_L2);
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
    cut_rows(t);
    if (columns_are_near(c, u)) { /* few tiles are not worth a copy of their columns */
        Num *few = num_op(u, FD_OP_LE, t->run, draw_num(u, P_CONTRACT_DIRECT, FEW_TILES));
        Num *direct = num_and(u, few, num_op(u, FD_OP_GE, t->n, t->nr));
        direct = num_let(u, "direct", num_and(u, panel, direct));
        panel_nest(t, direct, true);
        panel = num_let(u, "copied", num_and(u, panel, num_not(u, direct)));
    }
    panel_nest(t, panel, false);
    if (recipe_group_end(c->nreduces, c->reduces, 0) == c->nreduces) cut_blocks(t);
    cut_tiles(t);
    for (int i = 0; i < c->noperands; i++) pack_nest(t, i, packed);
    packed_nest(t, packed);
    return when;
}

/* ---- GPU --------------------------------------------------------------------------------------- */

static Num *on_gpu(Tile *t, Num *when)
{
    Unit *u = t->u;
    const Contraction *c = &t->c;
    size_t bytes = 0;
    int depth = (int)draw(u, P_CONTRACT_LOCAL, 16);
    int64_t items = draw(u, P_CONTRACT_SIDE, SIDE), own = draw(u, P_CONTRACT_EACH, EACH);
    for (int i = 0; i < c->noperands; i++) bytes += scalar_bytes(c->operands[i].kind);
    while ((size_t)depth * bytes * (EDGE + 1) > LOCAL_BYTES) depth /= 2;
    if (depth == 0 || recipe_group_end(c->nreduces, c->reduces, 0) < c->nreduces) return NULL;
    /* Smaller results leave most of a tile empty. */
    Num *side = num_int(u, items), *edge = num_int(u, items * own), *each = num_int(u, own);
    Num *tiles = num_and(u, num_op(u, FD_OP_GE, t->m, side), num_op(u, FD_OP_GE, t->n, side));
    tiles = num_and(u, tiles,
                    num_op(u, FD_OP_GE, num_fact(u, NUM_MAX_GROUP), num_int(u, items * items)));
    tiles = num_and(u, tiles,
                    num_op(u, FD_OP_GE, num_fact(u, NUM_LOCAL_BYTES), num_int(u, LOCAL_BYTES)));
    tiles = num_let(u, "tiles", num_and(u, when, tiles));
    TileAxes x;
    t->lanes = KIR_V4;
    Nest *n = tile_nest(t, "contract_tiles", tiles, &x);
    recipe_use(n, c->nreduces, c->reduces);
    n->regs[n->nregs++] = (NestRegs){x.row, each, side};
    n->regs[n->nregs++] = (NestRegs){x.col, each, side};
    NestStep *in = &n->root;
    if (x.batch >= 0) in = nest_group(u, in, x.batch, 2, NULL, NEST_CUT);
    in = nest_group(u, in, x.row, 1, edge, NEST_CLAMP);
    in = nest_group(u, in, x.col, 0, edge, NEST_CLAMP);
    in = nest_item(u, in, x.row, 1, NULL, side, NEST_CLAMP);
    in = nest_item(u, in, x.col, 0, NULL, side, NEST_CLAMP);
    nest_step(u, in, NEST_START);
    NestStep *block = nest_loop(u, in, x.k[0], num_int(u, depth), NEST_CUT);
    for (int i = 0; i < c->noperands; i++) {
        NestHold h = hold_of(t, i, &x, NEST_LOCAL);
        h.name = "tile";
        h.along = x.k[0];
        h.depth = num_int(u, depth);
        h.width = edge;
        nest_hold(u, block, nest_add_hold(n, h));
    }
    nest_step(u, block, NEST_SYNC);
    NestStep *k = nest_loop(u, block, x.k[0], NULL, NEST_CUT);
    nest_step(u, block, NEST_SYNC);
    for (int i = 0; i < c->noperands; i++) {
        NestHold h = hold_of(t, i, &x, NEST_REGISTERS);
        h.width = each;
        nest_hold(u, k, nest_add_hold(n, h));
    }
    k = nest_unroll(u, nest_unroll(u, k, x.row, side, each), x.col, side, each);
    nest_take(u, k, 0, c->nreduces);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
    return tiles;
}

Num *recipe_contract(Unit *u, const Def *d, Num *when)
{
    Tile t = {.u = u};
    bool gpu = u->options->family == CG_GPU;
    if ((u->options->precise && !gpu) || !contraction_find(u, d, &t.c)) return NULL;
    if (t.c.noperands > (gpu ? 4 : MAX_OPERANDS)) return NULL;
    t.m = num_let(u, "m", plan_elements(u, t.c.nrows, t.c.row_doms));
    t.n = num_let(u, "n", plan_n(u, &d->doms[t.c.col]));
    for (int i = 0; i < t.c.nreduces; i = recipe_group_end(t.c.nreduces, t.c.reduces, i)) {
        t.ks[i] = num_let(u, "k", recipe_length(u, t.c.reduces[i]));
        t.k = i ? num_op(u, FD_OP_MAX, t.k, t.ks[i]) : t.ks[i];
    }
    t.batch = num_let(u, "batch", plan_elements(u, t.c.nbatch, t.c.batch_doms));
    return gpu ? on_gpu(&t, when) : on_cpu(&t, when);
}
