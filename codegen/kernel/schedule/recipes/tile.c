/* Nests of tiles on CPUs (tile.h). */
#include "tile.h"

enum { AHEAD_ROWS = 32, AHEAD_COLUMNS = 16 /* steps of k */ };

static Num *bytes_of(Unit *u, ScalarKind k)
{
    return num_int(u, (int64_t)scalar_bytes(k));
}

Nest *tile_nest(Tile *t, const char *name, Num *when, TileAxes *x)
{
    Unit *u = t->u;
    const FdContraction *c = &t->c;
    Nest *n = nest_new(u, name, t->d, when);
    n->lanes = t->lanes;
    x->row = nest_axis(u, n, c->nrows, c->rows, c->row_doms);
    x->col = nest_axis_of(u, n, t->d, c->col, c->col + 1);
    for (int i = 0; i < c->nreduces; i = fd_reductions_end(c->nreduces, c->reduces, i)) {
        const FdNode *r = c->reduces[i];
        x->k[i] = nest_axis(u, n, r->nvars, r->vars, r->doms);
    }
    x->batch = c->nbatch ? nest_axis(u, n, c->nbatch, c->batch, c->batch_doms) : -1;
    return n;
}

NestHold tile_hold(Tile *t, int operand, const TileAxes *x, NestSpace space)
{
    const FdOperand *o = &t->c.operands[operand];
    bool row = o->side == FD_SIDE_ROW;
    NestHold h = {.name = row ? "x" : "y", .value = o->node, .space = space, .batch = -1};
    h.across = row ? x->row : x->col;
    h.along = -1;
    if (!row && lanes_possible(o->node, t->c.column, recipe_allowed(t->d))) h.vectors = t->nv;
    return h;
}

static bool moves_by_one(const void *v, const FdNode *n)
{
    return is_read(n) && fd_movement(n, v) == FD_MOVES_UNIT;
}

/* Filled in vectors across, by squares where the operand lies along the reduction, or one by one. */
static NestHold panel_of(Tile *t, int operand, const TileAxes *x, NestSpace space, bool filled)
{
    Unit *u = t->u;
    const FdOperand *o = &t->c.operands[operand];
    const FdNode *r = t->c.reduces[o->group];
    NestHold h = tile_hold(t, operand, x, space);
    bool row = o->side == FD_SIDE_ROW;
    h.along = x->k[o->group];
    h.width = row ? t->mr : t->nr;
    if ((h.filled = filled)) return h;
    if (row && t->c.nrows == 1 && lanes_possible(o->node, t->c.rows[0], recipe_allowed(t->d)))
        h.vectors =
            num_define(u, fresh_name(u, "MV"), num_ceildiv(u, t->mr, nest_lane_count(u, t->lanes)));
    const FdNode *last = r->vars[r->nvars - 1];
    bool rows = r->nvars == 1 || !fd_is_short(&r->doms[r->nvars - 1]);
    h.turned = !h.vectors && rows && fd_any(o->node, moves_by_one, last) &&
               lanes_possible(o->node, last, recipe_allowed(t->d));
    return h;
}

static void use_registers(Tile *t, Nest *n, const TileAxes *x)
{
    recipe_use(n, t->c.nreduces, t->c.reduces);
    n->lanes_axis = x->col;
    n->regs[n->nregs++] = (NestRegs){.axis = x->row, .count = t->mr, .step = num_int(t->u, 1)};
    n->regs[n->nregs++] =
        (NestRegs){.axis = x->col, .count = t->nv, .step = nest_lane_count(t->u, t->lanes)};
    bool far = t->c.col < t->d->nvars - 1; /* results beside each other are not so in memory */
    n->scalar_give = far || !recipe_epilogue_lanes(t->d, t->c.nreduces, t->c.reduces, t->c.column,
                                                   recipe_allowed(t->d));
}

static bool is_on(const Tile *t, int operand, FdSide side, int group)
{
    const FdOperand *o = &t->c.operands[operand];
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
        if (!is_on(t, i, FD_SIDE_COL, begin)) continue;
        NestHold h = tile_hold(t, i, x, NEST_REGISTERS);
        h.width = t->nv;
        nest_hold(u, k, nest_add_hold(n, h));
    }
    NestStep *rows = nest_unroll(u, k, x->row, NULL, t->mr);
    for (int i = 0; i < t->c.noperands; i++) {
        if (!is_on(t, i, FD_SIDE_ROW, begin)) continue;
        nest_hold(u, rows, nest_add_hold(n, tile_hold(t, i, x, NEST_REGISTERS)));
    }
    NestStep *cols = nest_unroll(u, rows, x->col, nest_lane_count(u, t->lanes), t->nv);
    nest_take(u, nest_lanes(u, cols, x->col), begin, end);
}

/* Are there positions at which the conditions of these reductions hold for a whole tile, found from its corners? */
static bool has_within(const Tile *t, int begin, int end)
{
    const FdContraction *c = &t->c;
    bool any = false, corners = c->reduces[begin]->nvars == 1;
    for (int r = begin; r < end; r++) {
        const DefWithin *w = def_within(t->d, c->reduces[r]);
        any = any || w;
        for (int i = 0; w && c->nrows > 1 && i < w->n; i++)
            for (int v = 0; v < c->nrows; v++)
                corners = corners && !fd_uses_var(w->conds[i], c->rows[v]);
    }
    return any && corners;
}

/* The reductions, those over other variables after each other, inside `in`. Of a triangle, tiles on its
 * other side have none. */
static void tile_steps(Tile *t, Nest *n, const TileAxes *x, NestStep *in)
{
    if (t->c.branch.cond && t->c.nrows == 1) in = nest_step(t->u, in, NEST_SOME);
    for (int begin = 0, end; begin < t->c.nreduces; begin = end) {
        end = fd_reductions_end(t->c.nreduces, t->c.reduces, begin);
        NestStep *at = in;
        if (has_within(t, begin, end)) {
            at = nest_step(t->u, in, NEST_WITHIN);
            at->axis = x->k[begin];
        }
        tile_step(t, n, x, nest_loop(t->u, at, x->k[begin], NULL, NEST_CUT), begin, end);
    }
}

/* ---- panels that nests before fill ------------------------------------------------------------- */

/* Does each of the batch have an operand of its own? */
static bool is_batched(const Tile *t, int operand)
{
    bool any = false;
    for (int i = 0; i < t->c.nbatch; i++)
        any = any || fd_uses_var(t->c.operands[operand].node, t->c.batch[i]);
    return any;
}

static NestHold packed_hold(Tile *t, int operand, const TileAxes *x, bool filled)
{
    NestHold h = panel_of(t, operand, x, NEST_GLOBAL, filled);
    h.name = arena_printf(t->u->arena, "panel%d", operand);
    h.temp = t->temps[operand];
    h.batch = is_batched(t, operand) ? x->batch : -1;
    h.depth = t->blocks ? t->kc : t->ks[t->c.operands[operand].group];
    h.reach = t->blocks ? num_op(t->u, FD_OP_MUL, t->blocks, t->kc) : NULL;
    return h;
}

/* How many panels a work-item fills together. */
static Num *abreast(Tile *t, int operand)
{
    Unit *u = t->u;
    bool row = t->c.operands[operand].side == FD_SIDE_ROW;
    Num *panels =
        num_op(u, FD_OP_MUL, num_ceildiv(u, row ? t->m : t->n, row ? t->mr : t->nr), t->blocks);
    if (is_batched(t, operand)) panels = num_op(u, FD_OP_MUL, panels, t->batch);
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 4));
    Num *most = num_op(u, FD_OP_MIN, num_op(u, FD_OP_DIV, panels, units),
                       draw_num(u, P_CONTRACT_ABREAST, 16));
    return num_let(u, "abreast", num_op(u, FD_OP_MAX, most, num_int(u, 1)));
}

/* One work-item a panel, or a block of k of one: MR rows or NR columns. Of operands that lie across,
 * rows of memory are short in one panel and far from each other: several panels side by side are
 * filled by a few rows at a time. */
void tile_pack(Tile *t, int operand, Num *when)
{
    Unit *u = t->u;
    const FdOperand *o = &t->c.operands[operand];
    bool row = o->side == FD_SIDE_ROW;
    Num *width = row ? t->mr : t->nr;
    Num *k = t->blocks ? num_op(u, FD_OP_MUL, t->blocks, t->kc) : t->ks[o->group];
    Num *count = num_op(u, FD_OP_MUL, num_roundup(u, row ? t->m : t->n, width), k);
    if (is_batched(t, operand)) count = num_op(u, FD_OP_MUL, count, t->batch);
    count = num_op(u, FD_OP_MUL, count, bytes_of(u, o->kind));
    t->temps[operand] = plan_temp(u, num_select(u, when, count, num_int(u, 0)));
    TileAxes x;
    Nest *n = tile_nest(t, row ? "pack_rows" : "pack_columns", when, &x);
    NestStep *in = &n->root;
    /* A block for the whole batch, then the next: in memory the batch often lies within it. */
    const bool batched = is_batched(t, operand);
    if (batched) in = nest_group(u, in, x.batch, t->blocks ? 1 : 2, NULL, NEST_CUT);
    if (t->blocks) in = nest_group(u, in, x.k[0], batched ? 2 : 1, t->kc, NEST_CUT);
    NestHold h = packed_hold(t, operand, &x, false);
    int across = row ? x.row : x.col;
    if (t->blocks && h.vectors) {
        in = nest_group(u, in, across, 0, num_op(u, FD_OP_MUL, width, abreast(t, operand)),
                        NEST_CUT);
        in = nest_loop(u, in, x.k[0], draw_num(u, P_CONTRACT_FEW_STEPS, 4), NEST_CUT);
        in = nest_loop(u, in, across, width, NEST_CLAMP);
    } else {
        in = nest_group(u, in, across, 0, width, NEST_CLAMP);
    }
    nest_hold(u, in, nest_add_hold(n, h));
    nest_lower(u, n);
}

/* ---- private panels ---------------------------------------------------------------------------- */

/* What a work-item computes: a chunk of rows for one panel of columns, or where there are more than
 * enough of those all rows for several of the batch. */
void tile_cut_rows(Tile *t)
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
void tile_panels(Tile *t, Num *when, bool direct)
{
    Unit *u = t->u;
    TileAxes x;
    bool packed = t->rows_packed && !direct;
    for (int i = 0; packed && i < t->c.noperands; i++)
        if (t->c.operands[i].side == FD_SIDE_ROW) tile_pack(t, i, when);
    Nest *n = tile_nest(t, direct ? "contract_direct" : "contract_panel", when, &x);
    use_registers(t, n, &x);
    Num *chunk = num_op(u, FD_OP_MUL, t->run, t->mr);
    chunk = num_let(u, "chunk", num_op(u, FD_OP_MAX, chunk, t->mr));
    NestStep *in = &n->root;
    if (x.batch >= 0) in = nest_group(u, in, x.batch, 2, t->each, NEST_CUT);
    in = nest_group(u, in, x.col, 1, t->nr, direct ? NEST_BACK : NEST_SLIDE);
    in = nest_group(u, in, x.row, 0, chunk, NEST_CUT);
    if (x.batch >= 0) in = nest_loop(u, in, x.batch, NULL, NEST_CUT);
    for (int i = 0; !direct && i < t->c.noperands; i++) {
        bool row = t->c.operands[i].side == FD_SIDE_ROW;
        if (row && !packed) continue;
        NestHold h = row ? packed_hold(t, i, &x, true) : panel_of(t, i, &x, NEST_PRIVATE, false);
        if (!row) {
            h.name = "panel";
            h.depth = t->kb;
        }
        nest_hold(u, in, nest_add_hold(n, h));
    }
    /* One variable: rows are a stride apart, which takes few registers, so the last tile overlaps the
     * one before. */
    bool strided = t->c.nrows == 1 && !packed;
    in = nest_loop(u, in, x.row, t->mr, strided ? NEST_BACK : NEST_CLAMP);
    if (!strided && !packed) nest_place(u, in, x.row, t->mr);
    nest_step(u, in, NEST_START);
    tile_steps(t, n, &x, in);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* ---- packed panels ----------------------------------------------------------------------------- */

/* What blocks of k before this one came to: the result itself has room where it is one reduction of
 * its type; else a temporary each. */
static void use_blocks(Tile *t, Nest *n, const TileAxes *x, Num *when)
{
    Unit *u = t->u;
    const Def *d = t->d;
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

void tile_packed(Tile *t, Num *when)
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
    if (fd_type_is_scalar(t->d->body->type) && !n->scalar_give) nest_ahead_give(u, in);
    nest_step(u, in, NEST_START);
    tile_steps(t, n, &x, in);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Each panel of columns is of one of many products: whoever uses it copies it, a block of k at a time, which stays
 * close by. */
void tile_blocks(Tile *t, Num *when)
{
    Unit *u = t->u;
    TileAxes x;
    for (int i = 0; t->rows_packed && i < t->c.noperands; i++)
        if (t->c.operands[i].side == FD_SIDE_ROW) tile_pack(t, i, when);
    Nest *n = tile_nest(t, "contract_blocks", when, &x);
    use_registers(t, n, &x);
    use_blocks(t, n, &x, when);
    NestStep *in = nest_group(u, &n->root, x.batch, 1, NULL, NEST_CUT);
    in = nest_group(u, in, x.col, 0, t->nr, NEST_CLAMP);
    in = nest_loop(u, in, x.k[0], t->kc, NEST_CUT);
    in->count = t->blocks;
    for (int i = 0; i < t->c.noperands; i++) {
        bool row = t->c.operands[i].side == FD_SIDE_ROW;
        if (row && !t->rows_packed) continue;
        NestHold h = row ? packed_hold(t, i, &x, true) : panel_of(t, i, &x, NEST_PRIVATE, false);
        if (!row) {
            h.name = "panel";
            h.depth = t->kc;
        }
        nest_hold(u, in, nest_add_hold(n, h));
    }
    in = nest_loop(u, in, x.row, t->mr, NEST_CLAMP);
    if (!t->rows_packed) nest_place(u, in, x.row, t->mr);
    nest_step(u, in, NEST_START);
    tile_steps(t, n, &x, in);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* ---- how work is cut --------------------------------------------------------------------------- */

/* n in parts as long as each other, each of at most `most`: how long. */
static Num *even(Unit *u, Num *n, Num *most)
{
    Num *one = num_int(u, 1);
    Num *parts = num_ceildiv(u, n, num_let(u, "most", num_op(u, FD_OP_MAX, most, one)));
    parts = num_let(u, "parts", num_op(u, FD_OP_MAX, parts, one));
    return num_op(u, FD_OP_MAX, num_ceildiv(u, n, parts), one);
}

/* Blocks of k. */
void tile_cut_blocks(Tile *t)
{
    Unit *u = t->u;
    t->kc = num_let(u, "kc", even(u, t->k, t->kc));
    t->blocks = num_op(u, FD_OP_MAX, num_ceildiv(u, t->k, t->kc), num_int(u, 1));
    t->blocks = num_let(u, "blocks", t->blocks);
}

/* The same of what places divide: each has whole parts of nearly as many. */
static Num *even_for_places(Unit *u, Num *n, Num *most)
{
    Num *one = num_int(u, 1), *places = num_fact(u, NUM_PLACES);
    Num *parts = num_ceildiv(u, n, num_op(u, FD_OP_MAX, most, one));
    Num *each = num_op(u, FD_OP_DIV, num_ceildiv(u, n, places), num_ceildiv(u, parts, places));
    return num_select(u, num_op(u, FD_OP_GT, places, one), num_op(u, FD_OP_MAX, each, one),
                      even(u, n, most));
}

/* What a work-item computes: rows whose operands fill half of L2, and so many columns of tiles that
 * each unit has several work-items. */
void tile_cut_tiles(Tile *t)
{
    Unit *u = t->u;
    size_t bytes = recipe_widest(t->c.nreduces, t->c.reduces);
    Num *eight = draw_num(u, P_CONTRACT_BROAD, 8), *one = num_int(u, 1);
    Num *tiles = num_let(u, "tiles", num_ceildiv(u, t->m, t->mr));
    Num *panels = num_let(u, "panels", num_op(u, FD_OP_MUL, num_ceildiv(u, t->n, t->nr), t->batch));
    Num *tile = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, t->blocks ? t->kc : t->k, t->mr),
                       num_int(u, 2 * (int64_t)bytes));
    Num *fit = num_op(u, FD_OP_DIV, num_fact(u, NUM_CACHE), num_op(u, FD_OP_MAX, tile, one));
    Num *each =
        num_op(u, FD_OP_DIV, tiles, recipe_each_unit(u, (int)draw(u, P_CONTRACT_HIGH, 4), panels));
    t->high = num_let(u, "high", even_for_places(u, tiles, num_op(u, FD_OP_MIN, fit, each)));
    Num *items = num_op(u, FD_OP_MUL, num_ceildiv(u, tiles, t->high), panels);
    Num *most = num_op(u, FD_OP_DIV, items, num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), eight));
    t->broad = num_let(u, "broad",
                       even(u, num_ceildiv(u, t->n, t->nr), num_op(u, FD_OP_MIN, most, eight)));
}
