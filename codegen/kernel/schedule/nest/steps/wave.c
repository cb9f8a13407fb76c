/* Lowering a tile of a wavefront (analysis/wave.h): strips of as many rows as a vector has lanes, each
 * lane `skew` columns behind the one before.
 *
 *   rows of a strip    ------/=============/       before the first slanted line and behind the last
 *                      ----/=============/--       one element after the other,
 *                      --/=============/----       between them in lanes
 *
 * What was computed last stays in registers: of each row `own` steps, of the row before (the lanes
 * moved by one, and the row above the strip from memory) `above` steps. */
#include "../../../../../fdag/index/affine.h"
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Tile {
    const Wave *w;
    int row, column;                           /* axes */
    const KirExpr *lanes, *skew, *begin, *end; /* columns */
    const char *own, *above;                   /* stems */
} Tile;

static KirType element(const Lower *l)
{
    return kir_type((int)result_kind(l->n->def->body), 1);
}

static const KirExpr *kept(Lower *l, const char *stem, int age)
{
    KirType t = element(l);
    t.lanes = l->g.lanes;
    return kir_name(l->a, t, arena_printf(l->a, "%s_%d", stem, age));
}

/* Puts the kernel at this element. */
static void go_to(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    l->places[t->row].at = row;
    l->places[t->column].at = column;
    nest_bind(l, t->row);
    nest_bind(l, t->column);
}

typedef const KirExpr *ToColumn(Lower *l, const Tile *t, const KirExpr *lane);

static const KirExpr *behind(Lower *l, const Tile *t, const KirExpr *lane)
{
    return nest_mul(l, t->skew, lane);
}

/* ---- one after the other ------------------------------------------------------------------------ */

static void give_cell(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    GenScope scope = gen_enter(&l->g, l->g.block);
    go_to(l, t, row, column);
    gen_store(&l->g, l->n->def);
    gen_leave(&l->g, scope);
}

/* Rows [0, rows) from `row` on, of row r the columns from begin(r) to end(r). */
static void give_cells(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *rows,
                       ToColumn *begin, ToColumn *end)
{
    Gen *g = &l->g;
    const KirExpr *r = kir_name(l->a, idx, fresh_name(l->u, "r")),
                  *c = kir_name(l->a, idx, fresh_name(l->u, "c")), *one = kir_int(l->a, 1);
    KirBlock body = {0}, inner = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *from = begin(l, t, r), *to = gen_variable(g, "end", end(l, t, r));
    GenScope in = gen_enter(g, &inner);
    give_cell(l, t, nest_add(l, row, r), c);
    gen_leave(g, in);
    kir_for(l->a, g->block, c->name, from, to, one, false, inner);
    gen_leave(g, scope);
    kir_for(l->a, g->block, r->name, kir_int(l->a, 0), rows, one, false, body);
}

static const KirExpr *from_begin(Lower *l, const Tile *t, const KirExpr *r)
{
    (void)l, (void)r;
    return t->begin;
}

static const KirExpr *to_end(Lower *l, const Tile *t, const KirExpr *r)
{
    (void)l, (void)r;
    return t->end;
}

static const KirExpr *first_column(Lower *l, const Tile *t) /* of lane 0 in lanes */
{
    const KirExpr *others = nest_op(l, FD_OP_SUB, t->lanes, kir_int(l->a, 1));
    return nest_add(l, t->begin, nest_mul(l, t->skew, others));
}

static const KirExpr *to_first(Lower *l, const Tile *t, const KirExpr *r)
{
    return nest_op(l, FD_OP_SUB, first_column(l, t), behind(l, t, r));
}

static const KirExpr *from_last(Lower *l, const Tile *t, const KirExpr *r)
{
    return nest_op(l, FD_OP_SUB, t->end, behind(l, t, r));
}

/* ---- lanes ------------------------------------------------------------------------------------- */

/* Elements are stored in memory as bytes where they are bools. */
static KirType stored(KirType t)
{
    t.lanes = 1;
    return t.kind == SC_BOOL ? kir_type(SC_BYTE, 1) : t;
}

static const KirExpr *load(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    GenScope scope = gen_enter(&l->g, l->g.block);
    go_to(l, t, row, column);
    const KirExpr *at = gen_output_offset(&l->g, l->n->def);
    gen_leave(&l->g, scope);
    return kir_load(l->a, element(l), gen_output(&l->g, l->n->def), at);
}

static const KirExpr *per_lane(Lower *l, KirType t, const char *array, const KirExpr *s)
{
    return kir_convert(l->a, t, kir_elem(l->a, stored(t), array, 1, &s));
}

/* A vector whose lane s is of the row that far on and the column that far behind. */
static const KirExpr *gather(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    Gen *g = &l->g;
    KirType type = element(l);
    const char *array = fresh_name(l->u, "lane");
    const KirExpr *s = kir_name(l->a, idx, fresh_name(l->u, "s"));
    kir_array(l->a, g->block, stored(type), array, false, 1, &t->lanes);
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *e =
        load(l, t, nest_add(l, row, s), nest_op(l, FD_OP_SUB, column, behind(l, t, s)));
    kir_set(l->a, &body, kir_elem(l->a, stored(type), array, 1, &s),
            kir_convert(l->a, stored(type), e));
    gen_leave(g, scope);
    kir_for(l->a, g->block, s->name, kir_int(l->a, 0), t->lanes, kir_int(l->a, 1), true, body);
    type.lanes = g->lanes;
    return kir_load(l->a, type, array, kir_int(l->a, 0));
}

/* The steps before the first one in lanes. */
static void fill(Lower *l, Tile *t, const KirExpr *row)
{
    Gen *g = &l->g;
    const KirExpr *first = gen_variable(g, "first", first_column(l, t)), *one = kir_int(l->a, 1);
    t->own = fresh_name(l->u, "own");
    t->above = fresh_name(l->u, "above");
    int own = t->w->own > 1 ? t->w->own : 1; /* the row before is made of its last step */
    for (int k = 1; k <= own; k++) {
        const KirExpr *column = nest_op(l, FD_OP_SUB, first, kir_int(l->a, k)),
                      *v = kept(l, t->own, k);
        kir_decl(l->a, g->block, v->type, v->name, gather(l, t, row, column));
    }
    for (int k = 1; k <= t->w->above; k++) {
        const KirExpr *column = nest_op(l, FD_OP_SUB, first, kir_int(l->a, k + 1 - t->w->skew)),
                      *v = kept(l, t->above, k);
        kir_decl(l->a, g->block, v->type, v->name,
                 gather(l, t, nest_op(l, FD_OP_SUB, row, one), column));
    }
}

/* Positions of the whole range, as the body speaks of them. */
static void bind_wave(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    Gen *g = &l->g;
    const NestAxis *x = l->n->axes;
    if (x[t->row].from) row = nest_add(l, nest_number(l, "from_row", x[t->row].from), row);
    if (x[t->column].from)
        column = nest_add(l, nest_number(l, "from_column", x[t->column].from), column);
    gen_bind(g, t->w->at, row);
    gen_bind(g, t->w->step,
             gen_variable(g, "step", nest_add(l, column, nest_mul(l, t->skew, row))));
}

/* Does the read move back by one from lane to lane, along the last dimension alone? */
static bool moves_back(const FdNode *read, const FdNode *v)
{
    for (int d = 0; d < read->nargs; d++) {
        FdAffine a;
        int64_t c;
        if (!fd_affine(read->args[d], &a) || !fd_affine_factor(&a, v, &c)) return false;
        if (c != (d == read->nargs - 1 ? -1 : 0)) return false;
    }
    return true;
}

static const KirExpr *far_read(Lower *l, const Tile *t, const FdNode *read, const KirExpr *row,
                               const KirExpr *column)
{
    Gen *g = &l->g;
    KirType type = kir_type((int)result_kind(read), 1);
    const KirExpr *s = kir_name(l->a, idx, fresh_name(l->u, "s"));
    if (moves_back(read, t->w->at)) {
        GenScope scope = gen_enter(g, g->block);
        bind_wave(l, t, row, column);
        const KirExpr *e = gen_read(g, read);
        gen_leave(g, scope);
        if (e->kind == KIR_LOAD) {
            KirType vector = type;
            vector.lanes = g->lanes;
            const KirExpr *others = nest_op(l, FD_OP_SUB, t->lanes, kir_int(l->a, 1));
            const KirExpr *up =
                kir_load(l->a, vector, e->name, nest_op(l, FD_OP_SUB, e->args[0], others));
            return kir_intrinsic(l->a, vector, INTR_TURNED, &up);
        }
    }
    const char *array = fresh_name(l->u, "lane");
    kir_array(l->a, g->block, stored(type), array, false, 1, &t->lanes);
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    bind_wave(l, t, nest_add(l, row, s), nest_op(l, FD_OP_SUB, column, behind(l, t, s)));
    kir_set(l->a, g->block, kir_elem(l->a, stored(type), array, 1, &s),
            kir_convert(l->a, stored(type), gen_value(g, read)));
    gen_leave(g, scope);
    kir_for(l->a, g->block, s->name, kir_int(l->a, 0), t->lanes, kir_int(l->a, 1), true, body);
    type.lanes = g->lanes;
    return kir_load(l->a, type, array, kir_int(l->a, 0));
}

static void scatter(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column,
                    const KirExpr *v)
{
    Gen *g = &l->g;
    KirType type = element(l);
    const char *array = fresh_name(l->u, "lane");
    const KirExpr *s = kir_name(l->a, idx, fresh_name(l->u, "s"));
    kir_array(l->a, g->block, stored(type), array, false, 1, &t->lanes);
    kir_store(l->a, g->block, array, kir_int(l->a, 0), v);
    KirBlock body = {0};
    GenScope scope = gen_enter(g, &body);
    go_to(l, t, nest_add(l, row, s), nest_op(l, FD_OP_SUB, column, behind(l, t, s)));
    kir_store(l->a, g->block, gen_output(g, l->n->def), gen_output_offset(g, l->n->def),
              per_lane(l, type, array, s));
    gen_leave(g, scope);
    kir_for(l->a, g->block, s->name, kir_int(l->a, 0), t->lanes, kir_int(l->a, 1), true, body);
}

/* One step: row is lane 0's, at this column. Its elements. */
static const KirExpr *step(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    Gen *g = &l->g;
    const Wave *w = t->w;
    const FdNode *lane = g->lane_var;
    GenScope scope = gen_enter(g, g->block);
    const KirExpr *now = kept(l, t->above, 0), *last = kept(l, t->own, 1), *one = kir_int(l->a, 1);
    const KirExpr *above = load(l, t, nest_op(l, FD_OP_SUB, row, one),
                                nest_op(l, FD_OP_SUB, column, kir_int(l->a, 1 - w->skew)));
    const KirExpr *moved[] = {last, above};
    kir_decl(l->a, g->block, now->type, now->name,
             kir_intrinsic(l->a, now->type, INTR_MOVED, moved));
    for (int i = 0; i < w->nfar; i++) {
        const KirExpr *e = far_read(l, t, w->far[i], row, column);
        gen_remember(g, w->far[i], gen_variable(g, "far", e));
    }
    bind_wave(l, t, row, column);
    g->lane_var = w->at;
    for (int i = 0; i < w->nreads; i++)
        gen_remember(g, w->reads[i].node,
                     kept(l, w->reads[i].above ? t->above : t->own, w->reads[i].age));
    const KirExpr *v = gen_variable(g, "v", kir_splat(l->a, g->lanes, gen_value(g, w->body)));
    g->lane_var = lane;
    gen_leave(g, scope);
    for (int k = w->above; k > 0; k--)
        kir_set(l->a, g->block, kept(l, t->above, k), kept(l, t->above, k - 1));
    for (int k = w->own; k > 1; k--)
        kir_set(l->a, g->block, kept(l, t->own, k), kept(l, t->own, k - 1));
    kir_set(l->a, g->block, last, v);
    return v;
}

/* Vectors of steps become vectors of rows. */
static void transpose(Lower *l, const Tile *t, KirType type, const char *steps)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const char *turn = fresh_name(l->u, "turn");
    const KirExpr *two = kir_int(a, 2), *one = kir_int(a, 1), *zero = kir_int(a, 0);
    const KirExpr *half = nest_op(l, FD_OP_DIV, t->lanes, two);
    const KirExpr *round = kir_name(a, idx, fresh_name(l->u, "round")),
                  *i = kir_name(a, idx, fresh_name(l->u, "i")),
                  *k = kir_name(a, idx, fresh_name(l->u, "k"));
    kir_array(a, g->block, type, turn, false, 1, &t->lanes);
    KirBlock rounds = {0}, pairs = {0}, back = {0};
    const KirExpr *far = nest_add(l, i, half), *even = nest_mul(l, i, two),
                  *odd = nest_add(l, even, one);
    const KirExpr *pair[] = {kir_elem(a, type, steps, 1, &i), kir_elem(a, type, steps, 1, &far)};
    kir_set(a, &pairs, kir_elem(a, type, turn, 1, &even), kir_intrinsic(a, type, INTR_LOW, pair));
    kir_set(a, &pairs, kir_elem(a, type, turn, 1, &odd), kir_intrinsic(a, type, INTR_HIGH, pair));
    kir_for(a, &rounds, i->name, zero, half, one, true, pairs);
    kir_set(a, &back, kir_elem(a, type, steps, 1, &k), kir_elem(a, type, turn, 1, &k));
    kir_for(a, &rounds, k->name, zero, t->lanes, one, true, back);
    kir_for(a, g->block, round->name, one, t->lanes, round, true, rounds);
}

/* As many steps as there are rows make a vector of each row. */
static void steps(Lower *l, const Tile *t, const KirExpr *row, const KirExpr *column)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    KirType type = element(l);
    type.lanes = g->lanes;
    const char *all = fresh_name(l->u, "steps");
    kir_array(a, g->block, type, all, false, 1, &t->lanes);
    const KirExpr *k = kir_name(a, idx, fresh_name(l->u, "k")),
                  *r = kir_name(a, idx, fresh_name(l->u, "r"));
    KirBlock each = {0}, rows = {0};
    GenScope scope = gen_enter(g, &each);
    const KirExpr *v = step(l, t, row, nest_add(l, column, k));
    kir_set(a, &each, kir_elem(a, type, all, 1, &k), v);
    gen_leave(g, scope);
    kir_for(a, g->block, k->name, kir_int(a, 0), t->lanes, kir_int(a, 1), false, each);
    transpose(l, t, type, all);
    scope = gen_enter(g, &rows);
    const KirExpr *at = nest_op(l, FD_OP_SUB, column, behind(l, t, r)),
                  *v_row = kir_elem(a, type, all, 1, &r);
    if (l->n->axes[t->column].down) { /* the last position comes first in memory */
        at = nest_add(l, at, nest_op(l, FD_OP_SUB, t->lanes, kir_int(a, 1)));
        v_row = kir_intrinsic(a, type, INTR_TURNED, &v_row);
    }
    go_to(l, t, nest_add(l, row, r), at);
    kir_store(a, &rows, gen_output(g, l->n->def), gen_output_offset(g, l->n->def), v_row);
    gen_leave(g, scope);
    kir_for(a, g->block, r->name, kir_int(a, 0), t->lanes, kir_int(a, 1), true, rows);
}

static void strip(Lower *l, Tile *t, const KirExpr *row)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    if (t->w->skew) give_cells(l, t, row, t->lanes, from_begin, to_first);
    fill(l, t, row);
    const KirExpr *first = first_column(l, t), *count = nest_op(l, FD_OP_SUB, t->end, first);
    const KirExpr *whole = nest_mul(l, nest_op(l, FD_OP_DIV, count, t->lanes), t->lanes);
    bool near = t->w->column == l->n->def->nvars - 1; /* columns are neighbours in memory */
    whole = near ? gen_variable(g, "whole", nest_add(l, first, whole)) : first;
    const KirExpr *c[2];
    KirBlock body[2] = {{0}, {0}};
    for (int i = near ? 0 : 1; i < 2; i++) {
        c[i] = kir_name(a, idx, fresh_name(l->u, "c"));
        GenScope scope = gen_enter(g, &body[i]);
        if (i == 0)
            steps(l, t, row, c[i]);
        else
            scatter(l, t, row, c[i], step(l, t, row, c[i]));
        gen_leave(g, scope);
    }
    if (near) kir_for(a, g->block, c[0]->name, first, whole, t->lanes, false, body[0]);
    kir_for(a, g->block, c[1]->name, whole, t->end, kir_int(a, 1), false, body[1]);
    if (t->w->skew) give_cells(l, t, row, t->lanes, from_last, to_end);
}

/* ---- the tile ---------------------------------------------------------------------------------- */

static Num *tiles(Lower *l, int i)
{
    const NestWave *w = &l->n->wave;
    return num_ceildiv(l->u, l->n->axes[w->axes[i]].n, w->steps[i]);
}

/* The first row of tiles that a diagonal has, and how many it has. */
static Num *first_tile(Lower *l)
{
    Num *d = l->n->wave.diagonal, *last = num_op(l->u, FD_OP_SUB, tiles(l, 1), num_int(l->u, 1));
    return num_op(l->u, FD_OP_MAX, num_op(l->u, FD_OP_SUB, d, last), num_int(l->u, 0));
}

static Num *tile_count(Lower *l)
{
    Num *one = num_int(l->u, 1), *last = num_op(l->u, FD_OP_SUB, tiles(l, 0), one);
    last = num_op(l->u, FD_OP_MIN, l->n->wave.diagonal, last);
    return num_op(l->u, FD_OP_ADD, num_op(l->u, FD_OP_SUB, last, first_tile(l)), one);
}

void nest_wave(Lower *l)
{
    Gen *g = &l->g;
    const NestWave *w = &l->n->wave;
    Tile t = {.w = w->of,
              .row = w->axes[0],
              .column = w->axes[1],
              .lanes = nest_lanes_number(l),
              .skew = kir_int(l->a, w->of->skew)};
    const KirExpr *id = gen_global_id(g, 0), *end[2], *at[2];
    l->global[0] = tile_count(l);
    at[0] = gen_variable(g, "tile", nest_add(l, id, nest_number(l, "first", first_tile(l))));
    at[1] = nest_op(l, FD_OP_SUB, nest_number(l, "diagonal", w->diagonal), at[0]);
    for (int i = 0; i < 2; i++) {
        const KirExpr *size = nest_number(l, "tile_size", w->steps[i]);
        at[i] = gen_variable(g, i ? "column" : "row", nest_mul(l, at[i], size));
        end[i] = kir_min(l->a, nest_add(l, at[i], size), nest_length(l, w->axes[i]));
        end[i] = gen_variable(g, "end", end[i]);
    }
    t.begin = at[1];
    t.end = end[1];
    const KirExpr *rows = nest_op(l, FD_OP_SUB, end[0], at[0]);
    const KirExpr *whole = nest_op(l, FD_OP_DIV, rows, t.lanes);
    whole = gen_variable(g, "whole", nest_add(l, at[0], nest_mul(l, whole, t.lanes)));
    const KirExpr *fits = nest_op(l, FD_OP_LT, first_column(l, &t), t.end);
    const KirExpr *rest = kir_name(l->a, idx, fresh_name(l->u, "rest")),
                  *row = kir_name(l->a, idx, fresh_name(l->u, "row"));
    kir_decl(l->a, g->block, idx, rest->name, at[0]);
    KirBlock strips = {0}, body = {0};
    GenScope scope = gen_enter(g, &strips), in = gen_enter(g, &body);
    strip(l, &t, row);
    gen_leave(g, in);
    kir_for(l->a, &strips, row->name, at[0], whole, t.lanes, false, body);
    kir_set(l->a, &strips, rest, whole);
    gen_leave(g, scope);
    kir_if(l->a, g->block, fits, strips, NULL);
    give_cells(l, &t, rest, nest_op(l, FD_OP_SUB, end[0], rest), from_begin, to_end);
}
