/* Lowering holds: operands of reductions that are evaluated once and kept.
 *
 *   registers   y[copy], vectors where the axis is in lanes; or one value
 *   squares     q[copy], registers that are turned: evaluated in lanes of one axis for each position
 *               of another, then for each position of the one in lanes of the other
 *   private,    panels: for each position along the reduction `width` neighbours across, so that an
 *   global      inner product reads them one after the other:
 *               [batch][block][position across / width][position along][position across % width]
 *   local       tile[position along][position across], filled by all work-items of the group
 *
 *   private, not along anything: one row of neighbours, evaluated in vectors for copies that use one each
 *
 * What lies beyond an axis' end repeats its last element. */
#include "../../../../../base/internal.h"
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static KirType element(const NestHold *h)
{
    return kir_type((int)result_kind(h->value), 1);
}

static bool is_square(const NestHold *h)
{
    return h->space == NEST_REGISTERS && h->along >= 0;
}

static KirType kept_type(const Lower *l, const NestHold *h)
{
    KirType t = element(h);
    if (is_square(h) || (h->across >= 0 && h->across == l->n->lanes_axis)) t.lanes = l->g.lanes;
    return t;
}

/* ---- where a value is -------------------------------------------------------------------------- */

static const KirExpr *depth_of(Lower *l, const NestHold *h)
{
    return h->along < 0 ? kir_int(l->a, 1) : nest_number(l, "depth", h->depth);
}

static const KirExpr *width_of(Lower *l, const NestHold *h)
{
    return nest_number(l, "width", h->width);
}

/* The first loop along is that over blocks, if there are any. */
static int loop_over_blocks(const Lower *l, const NestHold *h)
{
    int i = 0;
    while (l->open[i].axis != h->along) i++;
    return i;
}

const KirExpr *nest_panel_steps(Lower *l, int hold)
{
    const NestHold *h = &l->n->holds[hold];
    if (h->along < 0) return kir_int(l->a, 0);
    int from = h->reach ? loop_over_blocks(l, h) + 1 : l->kept[hold].depth;
    return nest_way(l, h->along, from, NEST_ALL);
}

const KirExpr *nest_panel_begin(Lower *l, int hold)
{
    const NestHold *h = &l->n->holds[hold];
    const KirExpr *before = NULL, *depth = depth_of(l, h);
    const KirExpr *panel = nest_way(l, h->across, l->kept[hold].depth, NEST_OUTER);
    if (h->batch >= 0) {
        before = l->places[h->batch].at;
        if (h->reach) before = nest_mul(l, before, nest_number(l, "reach", h->reach));
    }
    if (h->reach) {
        const KirExpr *block = l->open[loop_over_blocks(l, h)].at;
        before = before ? nest_add(l, before, block) : block;
    }
    if (!before) return nest_mul(l, panel, depth);
    Num *rows = num_roundup(l->u, l->n->axes[h->across].n, h->width); /* whole panels */
    before = nest_mul(l, before, nest_number(l, arena_printf(l->a, "rows_%s", h->name), rows));
    if (!h->reach) return nest_mul(l, nest_add(l, before, panel), depth);
    return nest_add(l, before, nest_mul(l, panel, depth));
}

static const KirExpr *panel_offset(Lower *l, int hold)
{
    const NestHold *h = &l->n->holds[hold];
    const KirExpr *at = nest_mul(l, nest_panel_steps(l, hold), width_of(l, h));
    at = nest_add(l, nest_panel_begin(l, hold), at);
    return nest_add(l, at, nest_way(l, h->across, l->kept[hold].depth, NEST_INNER));
}

static const KirExpr *place_of(Lower *l, int hold)
{
    const NestHold *h = &l->n->holds[hold];
    const NestKept *k = &l->kept[hold];
    const KirExpr *zero = kir_int(l->a, 0);
    if (h->space == NEST_LOCAL) {
        const KirExpr *at[] = {k->stage, nest_way(l, h->along, k->depth, NEST_ALL),
                               nest_way(l, h->across, 0, NEST_INNER)};
        return kir_elem(l->a, element(h), k->name, 3, at);
    }
    if (h->space != NEST_REGISTERS) {
        KirType t = element(h);
        if (nest_in_lanes(l, h->across)) t.lanes = l->g.lanes;
        return kir_load(l->a, t, k->name, panel_offset(l, hold));
    }
    if (!h->width) return kir_name(l->a, kept_type(l, h), k->name);
    bool filling = is_square(h) && nest_in_lanes(l, h->across);
    const KirExpr *copy = l->places[filling ? h->along : h->across].copy;
    return kir_elem(l->a, kept_type(l, h), k->name, 1, copy ? &copy : &zero);
}

void nest_remember(Lower *l)
{
    for (int i = 0; i < l->n->nholds; i++)
        if (l->kept[i].depth >= 0) gen_remember(&l->g, l->n->holds[i].value, place_of(l, i));
}

/* ---- filling ----------------------------------------------------------------------------------- */

static void fill_one(Lower *l, int hold)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    int depth = l->kept[hold].depth;
    GenScope scope = gen_enter(g, g->block);
    l->kept[hold].depth = -1; /* it is not there yet */
    nest_remember(l);
    const KirExpr *value = gen_value(g, h->value);
    l->kept[hold].depth = depth;
    const KirExpr *place = place_of(l, hold);
    value = kir_splat(l->a, place->type.lanes, value);
    if (place->kind == KIR_LOAD)
        kir_store(l->a, g->block, place->name, place->args[0], value);
    else
        kir_set(l->a, g->block, place, value);
    gen_leave(g, scope);
}

/* As many vectors as they have lanes, turned. */
static void turn(Lower *l, KirType t, const char *name)
{
    const KirExpr *all = kir_name(l->a, t, name);
    kir_eval(l->a, l->g.block, kir_intrinsic(l->a, t, INTR_SQUARE, &all));
}

/* Vectors of a panel's width, the last of them in part, or squares. */
typedef struct Piece {
    const KirExpr *from;  /* position across where it begins */
    const KirExpr *count; /* positions, where that is less than lanes; else NULL */
} Piece;

static void lanes_over(Lower *l, int axis)
{
    const NestAxis *x = &l->n->axes[axis];
    l->g.lane_var = x->vars[x->nvars - 1];
    l->places[axis].lanes = true;
}

static void store_piece(Lower *l, int hold, const Piece *p, const KirExpr *at, const KirExpr *value)
{
    const NestKept *k = &l->kept[hold];
    if (!p->count) {
        kir_store(l->a, l->g.block, k->name, at, value);
        return;
    }
    KirType t = element(&l->n->holds[hold]);
    const KirExpr *args[] = {kir_name(l->a, t, k->name), at, value, p->count};
    KirType vector = kir_type(t.kind, l->g.lanes);
    kir_eval(l->a, l->g.block, kir_intrinsic(l->a, vector, INTR_PUT, args));
}

/* Not from other panels: what lies in them at this position is not what is in lanes here. */
static const KirExpr *piece_value(Lower *l, int hold)
{
    return kir_splat(l->a, l->g.lanes, gen_value(&l->g, l->n->holds[hold].value));
}

static void vector_piece(Lower *l, int hold, const Piece *p)
{
    int across = l->n->holds[hold].across;
    NestPlace *x = &l->places[across];
    x->at = nest_add(l, x->at, p->from);
    x->clamps = false;
    lanes_over(l, across);
    nest_bind(l, across);
    const KirExpr *value = piece_value(l, hold);
    store_piece(l, hold, p, nest_add(l, panel_offset(l, hold), p->from), value);
}

/* Rows are read in lanes along; the columns that turning makes of them are stored one by one. */
static void square_piece(Lower *l, int hold, const Piece *p)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    NestPlace *x = &l->places[h->across];
    const KirExpr *lanes = nest_lanes_number(l), *zero = kir_int(l->a, 0), *one = kir_int(l->a, 1);
    const KirExpr *to = gen_variable(g, "to", nest_add(l, panel_offset(l, hold), p->from));
    KirType t = kir_type((int)result_kind(h->value), g->lanes);
    const char *name = fresh_name(l->u, "square");
    kir_array(l->a, g->block, t, name, false, 1, &lanes);
    const KirExpr *row = kir_name(l->a, idx, fresh_name(l->u, "u")), *at = x->at;
    KirBlock rows = {0}, columns = {0};
    GenScope scope = gen_enter(g, &rows);
    lanes_over(l, h->along);
    nest_bind(l, h->along);
    x->at = nest_add(l, nest_add(l, at, p->from), row);
    x->clamps = true;
    nest_bind(l, h->across);
    kir_set(l->a, &rows, kir_elem(l->a, t, name, 1, &row), piece_value(l, hold));
    gen_leave(g, scope);
    kir_for(l->a, g->block, row->name, zero, p->count ? p->count : lanes, one, true, rows);
    turn(l, t, name);
    const KirExpr *column = kir_name(l->a, idx, fresh_name(l->u, "u"));
    scope = gen_enter(g, &columns);
    store_piece(l, hold, p, nest_add(l, to, nest_mul(l, column, width_of(l, h))),
                kir_elem(l->a, t, name, 1, &column));
    gen_leave(g, scope);
    kir_for(l->a, g->block, column->name, zero, lanes, one, true, columns);
}

static void one_piece(Lower *l, int hold, const Piece *p)
{
    const NestHold *h = &l->n->holds[hold];
    NestPlace across = l->places[h->across], along = l->places[h->along];
    const FdNode *var = l->g.lane_var;
    (h->turned ? square_piece : vector_piece)(l, hold, p);
    l->places[h->across] = across;
    l->places[h->along] = along;
    l->g.lane_var = var;
}

/* Is the width so many whole vectors by its making? */
static bool is_whole(Lower *l, const NestHold *h)
{
    Num *lanes = nest_lane_count(l->u, l->g.lanes), *width = num_meaning(l->u, h->width);
    return width == lanes ||
           (fd_op_of(width) == FD_OP_MUL && (width->args[0] == lanes || width->args[1] == lanes));
}

static void fill_pieces(Lower *l, int hold)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    const KirExpr *lanes = nest_lanes_number(l), *width = width_of(l, h),
                  *whole = nest_op(l, FD_OP_DIV, width, lanes),
                  *piece = kir_name(l->a, idx, fresh_name(l->u, "u"));
    Piece p = {.from = nest_mul(l, piece, lanes)};
    KirBlock body = {0}, rest = {0};
    GenScope scope = gen_enter(g, &body);
    one_piece(l, hold, &p);
    gen_leave(g, scope);
    kir_for(l->a, g->block, piece->name, kir_int(l->a, 0), whole, kir_int(l->a, 1), !h->turned,
            body);
    g->block->last->rare = h->turned; /* long enough as they are */
    if (is_whole(l, h)) return;
    p = (Piece){nest_mul(l, whole, lanes), nest_op(l, FD_OP_REM, width, lanes)};
    scope = gen_enter(g, &rest);
    one_piece(l, hold, &p);
    gen_leave(g, scope);
    /* A vector of no positions would be read behind those that fill_panel has asked for. */
    kir_if(l->a, g->block, nest_op(l, FD_OP_GT, p.count, kir_int(l->a, 0)), rest, NULL);
}

/* Loops around a NEST_FILL; not that along the reduction. */
static NestStep *fill_loops(Lower *l, NestStep *in, const NestHold *h, bool lanes)
{
    Unit *u = l->u;
    Num *width = lanes ? nest_lane_count(u, l->g.lanes) : num_int(u, 1);
    Num *count = lanes && h->space != NEST_REGISTERS ? h->vectors : h->width;
    const NestRegs *regs = NULL; /* registers lie as those of the results do */
    for (int i = 0; i < l->n->nregs; i++)
        if (h->space == NEST_REGISTERS && l->n->regs[i].axis == h->across) regs = &l->n->regs[i];
    in = nest_unroll_runs(u, in, h->across, regs ? regs->step : width, count,
                          regs ? regs->run : NULL);
    if (h->space != NEST_REGISTERS && !lanes) {
        in->bind = NEST_LOOP;
        in->rare = h->vectors || h->turned; /* elsewhere it goes by vectors */
    }
    return lanes ? nest_lanes(u, in, h->across) : in;
}

static KirBlock fill_block(Lower *l, int hold, bool lanes, bool along)
{
    KirBlock b = {0};
    NestStep root = {0}, *in = &root;
    const NestHold *h = &l->n->holds[hold];
    if (along) in = nest_loop(l->u, in, h->along, NULL, NEST_CUT);
    nest_step(l->u, fill_loops(l, in, h, lanes), NEST_FILL)->hold = hold;
    GenScope scope = gen_enter(&l->g, &b);
    NestPlace *p = &l->places[h->across], before = *p;
    p->clamps = !lanes; /* vectors are taken where they are whole */
    nest_steps(l, root.first);
    *p = before;
    gen_leave(&l->g, scope);
    return b;
}

/* All positions along, by squares or by rows of vectors; by: elements of a step. */
static KirBlock pieces_block(Lower *l, int hold, Num *by)
{
    KirBlock b = {0};
    NestStep root = {0};
    const NestHold *h = &l->n->holds[hold];
    NestStep *in = nest_loop(l->u, &root, h->along, by, by ? NEST_BACK : NEST_CUT);
    NestStep *fill = nest_step(l->u, in, NEST_FILL);
    fill->hold = hold;
    fill->pieces = true;
    NestPlace *p = &l->places[h->along], before = *p;
    p->part = true; /* the last step stays in the panel */
    GenScope scope = gen_enter(&l->g, &b);
    nest_steps(l, root.first);
    gen_leave(&l->g, scope);
    l->places[h->along] = before;
    return b;
}

/* Are all vectors of the panel inside? */
static const KirExpr *has_vectors(Lower *l, const NestHold *h)
{
    Num *vectors = num_op(l->u, FD_OP_MUL, nest_lane_count(l->u, l->g.lanes), h->vectors);
    const KirExpr *width = nest_number(l, "width", is_whole(l, h) ? h->width : vectors);
    return nest_op(l, FD_OP_LE, nest_add(l, l->places[h->across].at, width),
                   nest_length(l, h->across));
}

/* Panels in memory: one loop along for both ways. A test of what stays as it is costs less than memory does,
 * and a second loop costs csc a third of its time for the kernel. */
static bool has_one_loop(const NestHold *h)
{
    return h->space == NEST_GLOBAL && h->vectors;
}

static void fill_row(Lower *l, int hold)
{
    const NestHold *h = &l->n->holds[hold];
    KirBlock fast = {0}, slow = fill_block(l, hold, false, false);
    GenScope scope = gen_enter(&l->g, &fast);
    fill_pieces(l, hold);
    gen_leave(&l->g, scope);
    kir_if(l->a, l->g.block, has_vectors(l, h), fast, &slow);
}

/* Where a row of the last variable ends within a square, it goes one by one. */
static void fill_squares(Lower *l, int hold)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    const NestAxis *x = &l->n->axes[h->along];
    const KirExpr *lo, *n, *at = gen_index(g, x->vars[x->nvars - 1]);
    gen_range(g, &x->doms[x->nvars - 1], x->vars[x->nvars - 1], &lo, &n);
    KirBlock fast = {0}, slow = fill_block(l, hold, false, true);
    GenScope scope = gen_enter(g, &fast);
    fill_pieces(l, hold);
    gen_leave(g, scope);
    const KirExpr *end = nest_add(l, at, nest_lanes_number(l));
    kir_if(l->a, g->block, nest_op(l, FD_OP_LE, end, nest_add(l, lo, n)), fast, &slow);
}

/* The value at this position into its place; pieces: those of the whole width. */
void nest_fill_here(Lower *l, const NestStep *s)
{
    const NestHold *h = &l->n->holds[s->hold];
    bool row = has_one_loop(h);
    if (s->pieces && h->turned && l->n->axes[h->along].nvars > 1) {
        fill_squares(l, s->hold);
        return;
    }
    (!s->pieces ? fill_one : row ? fill_row : fill_pieces)(l, s->hold);
}

/* In lanes of `across`, for each position along. */
static void fill_square(Lower *l, int hold)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    const KirExpr *width = width_of(l, h);
    KirType t = kept_type(l, h);
    const char *name = l->kept[hold].name;
    kir_array(l->a, g->block, t, name, false, 1, &width);
    KirBlock b = {0};
    NestStep root = {0};
    NestStep *in = nest_unroll(l->u, &root, h->along, NULL, h->depth);
    nest_step(l->u, nest_lanes(l->u, in, h->across), NEST_FILL)->hold = hold;
    GenScope scope = gen_enter(g, &b);
    nest_bind(l, h->across);
    nest_steps(l, root.first);
    gen_leave(g, scope);
    kir_if(l->a, g->block, NULL, b, NULL);
    turn(l, t, name);
}

static void fill_registers(Lower *l, int hold)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    NestKept *k = &l->kept[hold];
    KirType t = kept_type(l, h);
    if (is_square(h)) {
        fill_square(l, hold);
        return;
    }
    if (!h->width) { /* one value, at the positions around */
        kir_decl(l->a, g->block, t, k->name, NULL);
        fill_one(l, hold);
        return;
    }
    const KirExpr *width = width_of(l, h);
    kir_array(l->a, g->block, t, k->name, false, 1, &width);
    if (nest_fill_by_runs(l, hold)) return;
    KirBlock b = fill_block(l, hold, t.lanes != 1, false);
    kir_if(l->a, g->block, NULL, b, NULL);
}

/* Half of a vector: panels are narrow, and turning takes more than in proportion, of LLVM's time too. */
static int lanes_of_squares(int lanes)
{
    return lanes == KIR_V4 ? KIR_V8 : lanes;
}

static void fill_panel(Lower *l, int hold)
{
    Gen *g = &l->g;
    const NestHold *h = &l->n->holds[hold];
    NestKept *k = &l->kept[hold];
    KirType t = element(h);
    if (h->space == NEST_GLOBAL) {
        k->name = gen_temp(g, h->temp, t, !h->filled);
        k->depth = 0;
        if (h->filled) return;
    } else {
        const KirExpr *size = nest_mul(l, depth_of(l, h), width_of(l, h));
        kir_array(l->a, g->block, t, k->name, false, 1, &size);
    }
    bool one = has_one_loop(h);
    if (one || (!h->vectors && !h->turned)) {
        KirBlock all = one ? pieces_block(l, hold, NULL) : fill_block(l, hold, false, true);
        kir_if(l->a, g->block, NULL, all, NULL);
        return;
    }
    KirBlock fast, slow = fill_block(l, hold, false, h->along >= 0);
    const KirExpr *can;
    int lanes = g->lanes;
    if (h->turned) { /* the block has a square's length */
        g->lanes = lanes_of_squares(lanes);
        fast = pieces_block(l, hold, nest_lane_count(l->u, g->lanes));
        const KirExpr *length =
            nest_op(l, FD_OP_SUB, nest_range_end(l, h->along), l->places[h->along].at);
        can = nest_op(l, FD_OP_GE, length, nest_lanes_number(l));
        g->lanes = lanes;
    } else {
        fast =
            is_whole(l, h) ? fill_block(l, hold, true, h->along >= 0) : pieces_block(l, hold, NULL);
        can = has_vectors(l, h);
    }
    kir_if(l->a, g->block, can, fast, &slow);
}

void nest_fill(Lower *l, const NestStep *s)
{
    const NestHold *h = &l->n->holds[s->hold];
    l->kept[s->hold] = (NestKept){.name = fresh_name(l->u, h->name), .depth = l->nopen};
    switch (h->space) {
    case NEST_REGISTERS: fill_registers(l, s->hold); break;
    case NEST_PRIVATE:
    case NEST_GLOBAL: fill_panel(l, s->hold); break;
    case NEST_LOCAL: internal_error("hold", "local memory is filled in stages");
    }
}
