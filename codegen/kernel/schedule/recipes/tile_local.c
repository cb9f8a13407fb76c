/* Nests of tiles on GPUs (tile.h): a group computes a tile of the result from tiles of the operands in local
 * memory, of which there are two in turn; an item has some rows and columns in registers, in runs side by side
 * that are one read of local memory.
 *
 *   contract_tiles   where there are groups enough
 *   contract_small   smaller tiles, where there are not
 *   contract_tall    results of few columns
 *   .. _parts        where there still are not, k in parts, which contract_sum adds
 *
 * One form for all sizes: what lies outside is fetched from the last position and not stored. */
#include "tile.h"

enum {
    SIDE = 16,
    EACH = 8,
    DEPTH = 8,
    RUN_BYTES = 16,
    LOCAL_BYTES = 32 << 10,
    GROUPS = 4,
    PART = 128
};

typedef struct Shape {
    const char *name;
    int64_t items[2], each[2]; /* rows, columns: of a group, of an item */
} Shape;

typedef struct Local {
    Tile *t;
    int64_t depth;
    int run; /* bytes of an operand give it */
    Num *parts, *share;
    Num *rows, *cols; /* of a part */
    int temps[NEST_RESULTS];
} Local;

static int64_t edge(const Shape *s, int side)
{
    return s->items[side] * s->each[side];
}

static Num *groups_of(const Tile *t, const Shape *s)
{
    Unit *u = t->u;
    Num *rows = num_ceildiv(u, t->m, num_int(u, edge(s, 0))),
        *cols = num_ceildiv(u, t->n, num_int(u, edge(s, 1)));
    return num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, rows, cols), t->batch);
}

/* How many copies are side by side. */
static int run_of(const Local *l, int64_t each)
{
    int run = l->run;
    while (each % run) run /= 2;
    return run;
}

static void registers(const Local *l, Nest *n, int axis, const Shape *s, int side)
{
    Unit *u = l->t->u;
    int run = run_of(l, s->each[side]);
    n->regs[n->nregs++] = (NestRegs){.axis = axis,
                                     .count = num_int(u, s->each[side]),
                                     .step = num_int(u, s->items[side] * run),
                                     .run = run > 1 ? num_int(u, run) : NULL};
}

/* Neighbours read as few different places of both operands as can be. */
static void patches(Nest *n, const Shape *s)
{
    if (s->items[0] % 8 || s->items[1] % 4) return;
    n->patch[0] = 8;
    n->patch[1] = 4;
}

static NestStep *unrolled(Unit *u, NestStep *in, const NestRegs *r)
{
    return nest_unroll_runs(u, in, r->axis, r->step, r->count, r->run);
}

static void blocks(const Local *l, Nest *n, const TileAxes *x, const Shape *s, NestStep *in)
{
    Tile *t = l->t;
    Unit *u = t->u;
    const FdContraction *c = &t->c;
    Num *depth = num_int(u, l->depth);
    NestStep *block = nest_staged(u, in, x->k[0], depth);
    for (int i = 0; i < c->noperands; i++) {
        NestHold h = tile_hold(t, i, x, NEST_LOCAL);
        h.name = "tile";
        h.along = x->k[0];
        h.depth = depth;
        h.width = num_int(u, edge(s, h.across == x->row ? 0 : 1));
        h.vectors = NULL;
        nest_hold(u, block, nest_add_hold(n, h));
    }
    NestStep *k = nest_loop(u, block, x->k[0], NULL, NEST_CUT);
    for (int i = 0; i < c->noperands; i++) {
        NestHold h = tile_hold(t, i, x, NEST_REGISTERS);
        h.width = num_int(u, s->each[h.across == x->row ? 0 : 1]);
        h.vectors = NULL;
        nest_hold(u, k, nest_add_hold(n, h));
    }
    nest_take(u, unrolled(u, unrolled(u, k, &n->regs[0]), &n->regs[1]), 0, c->nreduces);
}

static void use_parts(const Local *l, Nest *n, int parts, const TileAxes *x)
{
    NestPart *p = &n->part;
    const int axes[] = {parts, x->row, x->col};
    Num *const lengths[] = {l->parts, l->rows, l->cols};
    p->naxes = 3;
    for (int i = 0; i < 3; i++) p->axes[i] = axes[i], p->lengths[i] = lengths[i];
    for (int r = 0; r < n->nreduces; r++) p->temps[r] = l->temps[r];
}

static void tiles(const Local *l, const Shape *s, Num *when, bool parts)
{
    Tile *t = l->t;
    Unit *u = t->u;
    TileAxes x;
    const char *name = parts ? arena_printf(u->arena, "%s_parts", s->name) : s->name;
    t->lanes = KIR_V4;
    Nest *n = tile_nest(t, name, when, &x);
    recipe_use(n, t->c.nreduces, t->c.reduces);
    registers(l, n, x.row, s, 0);
    registers(l, n, x.col, s, 1);
    patches(n, s);
    if (parts) use_parts(l, n, x.k[0], &x);
    NestStep *in = &n->root;
    if (parts) in = nest_group(u, in, x.k[0], 2, l->share, NEST_CUT);
    if (x.batch >= 0) in = nest_group(u, in, x.batch, 2, NULL, NEST_CUT);
    in = nest_group(u, in, x.row, 1, num_int(u, edge(s, 0)), NEST_CLAMP);
    in = nest_group(u, in, x.col, 0, num_int(u, edge(s, 1)), NEST_CLAMP);
    in = nest_item(u, in, x.row, 1, num_int(u, run_of(l, s->each[0])), num_int(u, s->items[0]),
                   NEST_CLAMP);
    in = nest_item(u, in, x.col, 0, num_int(u, run_of(l, s->each[1])), num_int(u, s->items[1]),
                   NEST_CLAMP);
    nest_step(u, in, NEST_START);
    blocks(l, n, &x, s, in);
    nest_step(u, in, parts ? NEST_SAVE : NEST_GIVE);
    nest_lower(u, n);
}

/* What the parts come to: an item for each result. */
static void sum_of_parts(const Local *l, Num *when)
{
    Tile *t = l->t;
    Unit *u = t->u;
    TileAxes x;
    Nest *n = tile_nest(t, "contract_sum", when, &x);
    recipe_use(n, t->c.nreduces, t->c.reduces);
    int parts = nest_axis_parts(n, "parts", l->parts);
    Num *group = recipe_group(u);
    use_parts(l, n, parts, &x);
    NestStep *in = nest_group(u, &n->root, x.row, 1, NULL, NEST_CUT);
    in = nest_group(u, in, x.col, 0, group, NEST_CUT);
    in = nest_item(u, in, x.col, 0, NULL, group, NEST_GUARD);
    nest_step(u, in, NEST_START);
    nest_step(u, nest_loop(u, in, parts, NULL, NEST_CUT), NEST_PARTS);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Cuts k where groups are few; the condition under which it is. */
static Num *cut(Local *l, const Shape *small, const Shape *tall, Num *is_tall, Num *when)
{
    Tile *t = l->t;
    Unit *u = t->u;
    if (u->options->precise || t->c.nbatch) return num_truth(u, false);
    Num *groups = num_select(u, is_tall, groups_of(t, tall), groups_of(t, small));
    Num *wish = recipe_each_unit(u, (int)draw(u, P_CONTRACT_ITEMS, GROUPS), groups);
    wish = num_op(u, FD_OP_MIN, wish, num_op(u, FD_OP_DIV, t->k, draw_num(u, P_ROWS_PART, PART)));
    wish = num_let(u, "wish", num_op(u, FD_OP_MAX, wish, num_int(u, 1)));
    Num *share = num_roundup(u, num_ceildiv(u, t->k, wish), num_int(u, l->depth));
    l->share = num_let(u, "share", num_op(u, FD_OP_MAX, share, num_int(u, l->depth)));
    l->parts = num_let(u, "parts", num_ceildiv(u, t->k, l->share));
    l->rows = num_let(u, "all_rows", num_roundup(u, t->m, num_int(u, edge(tall, 0))));
    l->cols = num_let(u, "all_cols", num_roundup(u, t->n, num_int(u, edge(small, 1))));
    when = num_let(u, "in_parts", num_and(u, when, num_op(u, FD_OP_GT, l->parts, num_int(u, 1))));
    Num *count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, l->rows, l->cols), l->parts);
    for (int r = 0; r < t->c.nreduces; r++) {
        int64_t bytes = (int64_t)scalar_bytes(result_kind(t->c.reduces[r]));
        count = num_op(u, FD_OP_MUL, count, num_int(u, bytes));
        l->temps[r] = plan_temp(u, num_select(u, when, count, num_int(u, 0)));
    }
    return when;
}

static void one_or_parts(Local *l, const Shape *s, Num *when, Num *in_parts)
{
    Unit *u = l->t->u;
    if (!num_is(in_parts, 0)) tiles(l, s, num_let(u, s->name, num_and(u, when, in_parts)), true);
    tiles(l, s, num_let(u, s->name, num_and(u, when, num_not(u, in_parts))), false);
}

/* Results of an item in each direction: so many that registers hold them. */
static Shape shape_of(const Tile *t)
{
    Unit *u = t->u;
    int64_t side = draw(u, P_CONTRACT_SIDE, SIDE), each = draw(u, P_CONTRACT_EACH, EACH);
    size_t widest = recipe_widest(t->c.nreduces, t->c.reduces);
    int64_t words = t->c.nreduces * (widest > 4 ? 2 : 1);
    side -= side > 1 ? side % 2 : 0; /* smaller shapes divide it */
    Shape s = {"contract_tiles", {side, side}, {each, each}};
    for (int longer; s.each[0] * s.each[1] * words > EACH * EACH && s.each[0] > 1;) {
        longer = s.each[1] > s.each[0];
        s.each[longer] = (s.each[longer] + 1) / 2;
    }
    return s;
}

static int64_t half(int64_t n)
{
    return n > 1 ? n / 2 : 1;
}

/* Fewer columns an item; a dimension with half as many items. */
static Shape smaller(const Shape *s, const char *name, int halved)
{
    Shape out = *s;
    out.name = name;
    out.items[halved] = half(s->items[halved]);
    out.each[1] = half(s->each[1]);
    return out;
}

static bool sizes(Local *l, const Shape *wide)
{
    const FdContraction *c = &l->t->c;
    int64_t each = 0, widest = 1;
    for (int i = 0; i < c->noperands; i++) {
        int64_t bytes = (int64_t)scalar_bytes(c->operands[i].kind);
        each += 2 * bytes * (edge(wide, c->operands[i].side == FD_SIDE_ROW ? 0 : 1) + RUN_BYTES);
        widest = bytes > widest ? bytes : widest;
    }
    l->run = widest > 4 ? 2 : 4;
    l->depth = draw(l->t->u, P_CONTRACT_LOCAL, DEPTH);
    while (l->depth * each > LOCAL_BYTES * 3 / 4) l->depth /= 2;
    return l->depth > 1;
}

Num *tile_local(Tile *t, Num *when)
{
    Unit *u = t->u;
    Local l = {.t = t};
    const Shape wide = shape_of(t), small = smaller(&wide, "contract_small", 0),
                tall = smaller(&wide, "contract_tall", 1);
    if (!sizes(&l, &wide) || fd_reductions_end(t->c.nreduces, t->c.reduces, 0) < t->c.nreduces)
        return NULL;
    /* Smaller results leave most of a tile empty. */
    Num *side = num_int(u, (wide.items[0] + 3) / 4),
        *items = num_int(u, wide.items[0] * wide.items[1]);
    Num *all = num_and(u, num_op(u, FD_OP_GE, t->m, side), num_op(u, FD_OP_GE, t->n, side));
    all = num_and(u, all, num_op(u, FD_OP_GE, num_op(u, FD_OP_MUL, t->m, t->n), items));
    all = num_and(u, all, num_op(u, FD_OP_GE, num_fact(u, NUM_MAX_GROUP), items));
    all =
        num_and(u, all, num_op(u, FD_OP_GE, num_fact(u, NUM_LOCAL_BYTES), num_int(u, LOCAL_BYTES)));
    all = num_let(u, "tiles", num_and(u, when, all));
    /* Three groups for two units keep them as busy as more of smaller tiles. */
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 3));
    Num *enough =
        num_op(u, FD_OP_GE, num_op(u, FD_OP_MUL, groups_of(t, &wide), num_int(u, 2)), units);
    enough = num_and(u, enough, num_op(u, FD_OP_GT, t->n, num_int(u, edge(&small, 1))));
    enough = num_let(u, "enough", num_and(u, all, enough));
    Num *rest = num_let(u, "few", num_and(u, all, num_not(u, enough)));
    Num *narrow = num_op(u, FD_OP_LE, t->n, num_int(u, edge(&tall, 1)));
    tiles(&l, &wide, enough, false);
    Num *in_parts = cut(&l, &small, &tall, narrow, rest);
    one_or_parts(&l, &small, num_and(u, rest, num_not(u, narrow)), in_parts);
    one_or_parts(&l, &tall, num_and(u, rest, narrow), in_parts);
    if (!num_is(in_parts, 0)) sum_of_parts(&l, in_parts);
    return all;
}
