/* Register tiles for contractions on CPUs: a work-item computes MR x (NV * VW) elements of c at a
 * time in private arrays that the compiler keeps in registers (loops over them are unrolled).
 *
 *   panel    one launch: the work-item copies its columns' operand into a private panel and walks
 * down the rows with the row operand read in place. For what fits the caches. packed   both
 * operands are first copied into panels, k is cut into blocks of KC, and a work-item computes a
 * block of tiles. For large products, and row operands with far strides.
 *
 * The plan chooses by extents and cache sizes; docs/performance.md has the figures. A panel holds
 * the values of a whole operand expression, so exp(a(j, l)) is computed once per panel rather than
 * once per tile. Elements outside are clamped to the last row or column and never stored. Needs:
 * closed ranges, an associative and commutative operation. Keeps: results per device (order of k).
 */
#include <string.h>

#include "contract.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Tile {
    Unit *u;
    const Contraction *c;
    const char *m, *n, *k;          /* plan names of the extents */
    const char *batch;              /* product of the other output extents */
    bool vector_cols[MAX_OPERANDS]; /* a column operand can be read in lanes */
    bool vector_epilogue;
    int temp[MAX_OPERANDS]; /* packed: the panels */
} Tile;

static const KirExpr *macro(const Tile *t, const char *name)
{
    return kir_name(t->u->arena, idx, name);
}

static const KirExpr *number(const Tile *t, int64_t v)
{
    return kir_int(t->u->arena, v);
}

static const KirExpr *ar(const Tile *t, const char *op, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(t->u->arena, op, x, y);
}

static const KirExpr *min_of(const Tile *t, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {x, y};
    return kir_call(t->u->arena, idx, "min", 2, args);
}

static const char *operand_name(const Tile *t, const char *stem, int i)
{
    return arena_printf(t->u->arena, "%s%d", stem, i);
}

static KirType vec_of(ScalarKind k)
{
    return kir_type((int)k, KIR_VW);
}

static KirType one_of(ScalarKind k)
{
    return kir_type((int)k, 1);
}

static const FdNode *side_var(const Tile *t, Side s)
{
    return t->c->d->vars[s == SIDE_ROW ? t->c->row : t->c->col];
}

/* for (name = 0; name < count; name++) unrolled, over small constant counts */
static void unrolled(Gen *g, const Tile *t, const char *name, const KirExpr *count, KirBlock body)
{
    kir_for(t->u->arena, g->block, name, number(t, 0), count, number(t, 1), true, body);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static const KirExpr *acc_at(const Tile *t, const KirExpr *r, const KirExpr *v)
{
    const KirExpr *index[] = {r, v};
    return kir_elem(t->u->arena, vec_of(result_kind(t->c->reduce)), "acc", 2, index);
}

static void tile_clear(Gen *g, const Tile *t)
{
    Arena *a = t->u->arena;
    const KirExpr *dims[] = {macro(t, "MR"), macro(t, "NV")}, *r = kir_name(a, idx, "r"),
                  *v = kir_name(a, idx, "v");
    kir_array(a, g->block, vec_of(result_kind(t->c->reduce)), "acc", false, 2, dims);
    KirBlock rows = {0}, cols = {0};
    kir_set(a, &cols, acc_at(t, r, v), kir_splat(a, KIR_VW, gen_identity(g, t->c->reduce)));
    GenScope s = gen_enter(g, &rows);
    unrolled(g, t, "v", dims[1], cols);
    gen_leave(g, s);
    unrolled(g, t, "r", dims[0], rows);
}

/* Where the values of an operand come from inside the k loop. */
typedef const KirExpr *OperandValue(Gen *g, const Tile *t, int operand, const KirExpr *k,
                                    const KirExpr *at);

/* acc[r][v] = acc[r][v] op body(row values of r, column values of v) */
static void tile_step(Gen *g, const Tile *t, const KirExpr *k, OperandValue *row_value,
                      OperandValue *col_value)
{
    Arena *a = t->u->arena;
    const Contraction *c = t->c;
    const KirExpr *mr = macro(t, "MR"), *nv = macro(t, "NV");
    const KirExpr *r = kir_name(a, idx, "r"), *v = kir_name(a, idx, "v");
    KirBlock load = {0};
    for (int i = 0; i < c->noperands; i++) {
        if (c->operands[i].side != SIDE_COL) continue;
        KirType vec = vec_of(c->operands[i].kind);
        const char *y = operand_name(t, "y", i);
        kir_array(a, g->block, vec, y, false, 1, &nv);
        kir_set(a, &load, kir_elem(a, vec, y, 1, &v), col_value(g, t, i, k, v));
    }
    unrolled(g, t, "v", nv, load);
    KirBlock rows = {0}, cols = {0};
    GenScope in_rows = gen_enter(g, &rows);
    for (int i = 0; i < c->noperands; i++) {
        if (c->operands[i].side != SIDE_ROW) continue;
        const KirExpr *x = row_value(g, t, i, k, r);
        const char *name = operand_name(t, "x", i);
        kir_decl(a, g->block, x->type, name, x);
        gen_remember(g, c->operands[i].node, kir_name(a, x->type, name));
    }
    GenScope in_cols = gen_enter(g, &cols);
    for (int i = 0; i < c->noperands; i++)
        if (c->operands[i].side == SIDE_COL)
            gen_remember(g, c->operands[i].node,
                         kir_elem(a, vec_of(c->operands[i].kind), operand_name(t, "y", i), 1, &v));
    const KirExpr *value = kir_splat(a, KIR_VW, gen_value(g, c->reduce->body));
    kir_set(a, &cols, acc_at(t, r, v), gen_combine(g, c->reduce->fn, acc_at(t, r, v), value));
    gen_leave(g, in_cols);
    unrolled(g, t, "v", nv, cols);
    gen_leave(g, in_rows);
    unrolled(g, t, "r", mr, rows);
}

/* ---- results --------------------------------------------------------------------------------- */

/* Stores one value or vector at the bound row and column. `earlier`: k blocks came before (NULL:
 * none did), `last`: none comes after (NULL: this is the last). */
static void store_one(Gen *g, const Tile *t, const KirExpr *acc, const KirExpr *earlier,
                      const KirExpr *last)
{
    Arena *a = t->u->arena;
    const Def *d = t->c->d;
    const char *out = gen_output(g, d);
    const KirExpr *at = gen_variable(g, "at", gen_output_offset(g, d));
    const KirExpr *sum = kir_name(a, acc->type, fresh_name(g->u, "sum"));
    kir_decl(a, g->block, acc->type, sum->name, acc);
    if (earlier) {
        KirBlock add = {0};
        const KirExpr *before = kir_load(a, acc->type, out, at);
        kir_set(a, &add, sum, gen_combine(g, t->c->reduce->fn, before, sum));
        kir_if(a, g->block, earlier, add, NULL);
    }
    if (d->body == t->c->reduce) {
        kir_store(a, g->block, out, at, sum);
        return;
    }
    KirBlock done = {0}, partial = {0};
    GenScope s = gen_enter(g, &done);
    gen_remember(g, t->c->reduce, sum);
    kir_store(a, &done, out, at, kir_splat(a, acc->type.lanes, gen_value(g, d->body)));
    gen_leave(g, s);
    if (!last) {
        kir_if(a, g->block, NULL, done, NULL);
        return;
    }
    kir_store(a, &partial, out, at, sum);
    kir_if(a, g->block, last, done, &partial);
}

/* The tile at row i, column j (counted from 0), of which rows x cols elements exist. */
static void tile_store(Gen *g, const Tile *t, const Frame *f, const KirExpr *i, const KirExpr *j,
                       const KirExpr *earlier, const KirExpr *last)
{
    Arena *a = t->u->arena;
    const Contraction *c = t->c;
    const KirExpr *mr = macro(t, "MR"), *nv = macro(t, "NV"), *vw = macro(t, "VW"),
                  *nr = macro(t, "NR");
    const KirExpr *r = kir_name(a, idx, "r"), *v = kir_name(a, idx, "v"),
                  *s = kir_name(a, idx, "s");
    const FdNode *row = side_var(t, SIDE_ROW), *col = side_var(t, SIDE_COL);
    KirBlock whole = {0}, edge = {0}, rows = {0}, cols = {0};
    GenScope scope = gen_enter(g, &cols);
    const FdNode *lane_before = g->lane_var;
    gen_bind(g, row, ar(t, "+", f->row_lo, ar(t, "+", i, r)));
    gen_bind(g, col, ar(t, "+", f->col_lo, ar(t, "+", j, ar(t, "*", v, vw))));
    g->lane_var = col;
    if (t->vector_epilogue) store_one(g, t, acc_at(t, r, v), earlier, last);
    g->lane_var = lane_before;
    gen_leave(g, scope);
    scope = gen_enter(g, &rows);
    unrolled(g, t, "v", nv, cols);
    gen_leave(g, scope);
    scope = gen_enter(g, &whole);
    unrolled(g, t, "r", mr, rows);
    gen_leave(g, scope);

    /* Element by element, from a copy in memory. */
    KirType one = one_of(result_kind(c->reduce));
    KirBlock spill = {0}, spill_rows = {0}, each = {0}, each_row = {0};
    const KirExpr *size = ar(t, "*", mr, nr);
    const KirExpr *place = ar(t, "+", ar(t, "*", r, nr), ar(t, "*", v, vw));
    kir_array(a, &edge, one, "edge", false, 1, &size);
    kir_store(a, &spill, "edge", place, acc_at(t, r, v));
    scope = gen_enter(g, &spill_rows);
    unrolled(g, t, "v", nv, spill);
    gen_leave(g, scope);
    scope = gen_enter(g, &edge);
    unrolled(g, t, "r", mr, spill_rows);
    gen_leave(g, scope);
    scope = gen_enter(g, &each);
    gen_bind(g, row, ar(t, "+", f->row_lo, ar(t, "+", i, r)));
    gen_bind(g, col, ar(t, "+", f->col_lo, ar(t, "+", j, s)));
    const KirExpr *from = ar(t, "+", ar(t, "*", r, nr), s);
    store_one(g, t, kir_elem(a, one, "edge", 1, &from), earlier, last);
    gen_leave(g, scope);
    kir_for(a, &each_row, "s", number(t, 0), min_of(t, nr, ar(t, "-", f->n, j)), number(t, 1),
            false, each);
    kir_for(a, &edge, "r", number(t, 0), min_of(t, mr, ar(t, "-", f->m, i)), number(t, 1), false,
            each_row);
    if (!t->vector_epilogue) {
        kir_if(a, g->block, NULL, edge, NULL);
        return;
    }
    const KirExpr *inside =
        ar(t, "&&", ar(t, "<=", ar(t, "+", i, mr), f->m), ar(t, "<=", ar(t, "+", j, nr), f->n));
    kir_if(a, g->block, inside, whole, &edge);
}

/* ---- panels ---------------------------------------------------------------------------------- */

typedef struct Pack {
    const Tile *t;
    int operand;
    const char *panel; /* array or buffer */
    bool buffer;
    const KirExpr *base;          /* offset of k = 0 */
    const KirExpr *first, *count; /* first row or column, how many there are in all */
    const KirExpr *lo;
    const KirExpr *k; /* counter over the reduction */
    bool lanes;
} Pack;

static void pack_store(Gen *g, const Pack *p, const KirExpr *at, const KirExpr *value)
{
    const Operand *o = &p->t->c->operands[p->operand];
    Arena *a = p->t->u->arena;
    const KirExpr *offset = ar(p->t, "+", p->base, at);
    if (p->buffer || value->type.lanes != 1)
        kir_store(a, g->block, p->panel, offset, value);
    else
        kir_set(a, g->block, kir_elem(a, one_of(o->kind), p->panel, 1, &offset), value);
}

/* The panel's values at one point of the reduction: W = MR or NR of them. */
static void pack_values(Gen *g, void *ctx)
{
    const Pack *p = ctx;
    const Tile *t = p->t;
    Arena *a = t->u->arena;
    const Operand *o = &t->c->operands[p->operand];
    const FdNode *var = side_var(t, o->side);
    const KirExpr *w = macro(t, o->side == SIDE_ROW ? "MR" : "NR");
    const KirExpr *start = ar(t, "*", p->k, w), *i = kir_name(a, idx, p->lanes ? "v" : "w");
    KirBlock each = {0};
    GenScope scope = gen_enter(g, &each);
    if (p->lanes) {
        const KirExpr *step = ar(t, "*", i, macro(t, "VW"));
        g->lane_var = var;
        gen_bind(g, var, ar(t, "+", p->lo, ar(t, "+", p->first, step)));
        pack_store(g, p, ar(t, "+", start, step), kir_splat(a, KIR_VW, gen_value(g, o->node)));
        g->lane_var = NULL;
    } else {
        const KirExpr *at = min_of(t, ar(t, "+", p->first, i), ar(t, "-", p->count, number(t, 1)));
        gen_bind(g, var, gen_variable(g, "at", ar(t, "+", p->lo, at)));
        pack_store(g, p, ar(t, "+", start, i), gen_value(g, o->node));
    }
    gen_leave(g, scope);
    if (p->lanes)
        unrolled(g, t, "v", macro(t, "NV"), each);
    else
        kir_for(a, g->block, "w", number(t, 0), w, number(t, 1), false, each);
    kir_set(a, g->block, p->k, ar(t, "+", p->k, number(t, 1)));
}

static KirBlock pack_loops(Gen *g, Pack p, bool lanes)
{
    KirBlock b = {0};
    GenScope scope = gen_enter(g, &b);
    p.lanes = lanes;
    p.k = kir_name(p.t->u->arena, idx, fresh_name(g->u, "k"));
    kir_decl(p.t->u->arena, &b, idx, p.k->name, number(p.t, 0));
    gen_loops(g, p.t->c->reduce, 0, pack_values, &p);
    gen_leave(g, scope);
    return b;
}

/* Copies one panel, in lanes where it lies inside and the operand allows it. */
static void pack_panel(Gen *g, Pack p)
{
    const Tile *t = p.t;
    KirBlock slow = pack_loops(g, p, false);
    if (!t->vector_cols[p.operand]) {
        kir_if(t->u->arena, g->block, NULL, slow, NULL);
        return;
    }
    KirBlock fast = pack_loops(g, p, true);
    const KirExpr *inside = ar(t, "<=", ar(t, "+", p.first, macro(t, "NR")), p.count);
    kir_if(t->u->arena, g->block, inside, fast, &slow);
}

/* ---- schedule: private panel ----------------------------------------------------------------- */

/* Row operands in place, at the clamped row rows[r]. */
static const KirExpr *row_in_place(Gen *g, const Tile *t, int operand, const KirExpr *k,
                                   const KirExpr *r)
{
    (void)k;
    gen_bind(g, side_var(t, SIDE_ROW), kir_elem(t->u->arena, idx, "rows", 1, &r));
    return gen_value(g, t->c->operands[operand].node);
}

static const KirExpr *col_offset(const Tile *t, const KirExpr *k, const KirExpr *v)
{
    return ar(t, "+", ar(t, "*", k, macro(t, "NR")), ar(t, "*", v, macro(t, "VW")));
}

static const KirExpr *col_in_panel(Gen *g, const Tile *t, int operand, const KirExpr *k,
                                   const KirExpr *v)
{
    (void)g;
    return kir_load(t->u->arena, vec_of(t->c->operands[operand].kind),
                    operand_name(t, "panel", operand), col_offset(t, k, v));
}

typedef struct StepContext {
    const Tile *t;
    const KirExpr *k;
} StepContext;

static void panel_step(Gen *g, void *ctx)
{
    const StepContext *s = ctx;
    tile_step(g, s->t, s->k, row_in_place, col_in_panel);
    kir_set(s->t->u->arena, g->block, s->k, ar(s->t, "+", s->k, number(s->t, 1)));
}

/* Global: chunks of row tiles, column panels, the other outputs. */
static void panel_kernel(const Tile *t, const char *when)
{
    Unit *u = t->u;
    Arena *a = u->arena;
    const Contraction *c = t->c;
    const char *tiles = plan_let(u, "tiles", arena_printf(a, "ceildiv(%s, MR)", t->m));
    const char *panels = plan_let(u, "panels", arena_printf(a, "ceildiv(%s, NR)", t->n));
    const char *chunk = plan_let(
        u, "chunk",
        arena_printf(a, "ceildiv(%s, max(min(ceildiv(units * 8, max(%s * %s, 1)), %s), 1))", tiles,
                     panels, t->batch, tiles));
    KirBlock body = {0};
    Gen g = gen_begin(u, "contract_panel", &body);
    Frame f = contraction_frame(&g, t->c);
    const KirExpr *mr = macro(t, "MR"), *nr = macro(t, "NR"), *zero = number(t, 0),
                  *one = number(t, 1);
    const KirExpr *size = gen_param(&g, "chunk", KIR_IDX, chunk);
    const KirExpr *j = gen_variable(&g, "j", ar(t, "*", gen_global_id(&g, 1), nr));
    const KirExpr *begin = gen_variable(&g, "begin", ar(t, "*", gen_global_id(&g, 0), size));
    const KirExpr *tiles_in_all = ar(t, "/", ar(t, "-", ar(t, "+", f.m, mr), one), mr);
    const KirExpr *end = gen_variable(&g, "end", min_of(t, ar(t, "+", begin, size), tiles_in_all));
    for (int i = 0; i < c->noperands; i++) {
        if (c->operands[i].side != SIDE_COL) continue;
        const char *panel = operand_name(t, "panel", i);
        const KirExpr *elements = ar(t, "*", macro(t, "KB"), nr);
        kir_array(a, &body, one_of(c->operands[i].kind), panel, false, 1, &elements);
        Pack p = {.t = t,
                  .operand = i,
                  .panel = panel,
                  .base = zero,
                  .first = j,
                  .count = f.n,
                  .lo = f.col_lo};
        pack_panel(&g, p);
    }
    KirBlock tile = {0};
    GenScope scope = gen_enter(&g, &tile);
    const KirExpr *i = gen_variable(&g, "i", ar(t, "*", kir_name(a, idx, "tile"), mr));
    const KirExpr *r = kir_name(a, idx, "r"), *k = kir_name(a, idx, "k");
    KirBlock clamp = {0};
    kir_array(a, &tile, idx, "rows", false, 1, &mr);
    kir_set(a, &clamp, kir_elem(a, idx, "rows", 1, &r),
            ar(t, "+", f.row_lo, min_of(t, ar(t, "+", i, r), ar(t, "-", f.m, one))));
    unrolled(&g, t, "r", mr, clamp);
    tile_clear(&g, t);
    kir_decl(a, &tile, idx, "k", zero);
    StepContext step = {t, k};
    gen_loops(&g, c->reduce, 0, panel_step, &step);
    tile_store(&g, t, &f, i, j, NULL, NULL);
    gen_leave(&g, scope);
    kir_for(a, &body, "tile", begin, end, one, false, tile);
    gen_run(&g, when,
            arena_printf(a, "ceildiv(%s, max(%s, 1)), %s, %s", tiles, chunk, panels, t->batch),
            "1, 1, 1");
    gen_end(&g, &body);
}

/* ---- schedule: packed ------------------------------------------------------------------------ */

static const char *panel_buffer(Gen *g, const Tile *t, int operand, bool writable)
{
    return gen_temp(g, t->temp[operand], kir_type((int)t->c->operands[operand].kind, 1), writable);
}

static const char *panel_width(Side s)
{
    return s == SIDE_ROW ? "MR" : "NR";
}

/* One work-item a panel: all k of MR rows or NR columns. */
static void pack_kernel(Tile *t, int operand, const char *when)
{
    Unit *u = t->u;
    Arena *a = u->arena;
    const Operand *o = &t->c->operands[operand];
    const char *width = panel_width(o->side), *count = o->side == SIDE_ROW ? t->m : t->n;
    const char *panels = arena_printf(a, "ceildiv(%s, %s)", count, width);
    t->temp[operand] = u->ntemps++;
    plan_line(u, "temp %d bytes (%s) * (%s * %s * %s * %s * %zu)", t->temp[operand], when, panels,
              width, t->k, t->batch, scalar_bytes(o->kind));
    KirBlock body = {0};
    Gen g = gen_begin(u, o->side == SIDE_ROW ? "pack_rows" : "pack_columns", &body);
    Frame f = contraction_frame(&g, t->c);
    const KirExpr *k = gen_param(&g, "kn", KIR_IDX, t->k), *w = macro(t, width),
                  *zero = number(t, 0);
    const KirExpr *index = gen_variable(&g, "index", gen_global_id(&g, 0));
    const KirExpr *all = kir_call(a, idx, "get_global_size", 1, &zero);
    const KirExpr *number_of = ar(t, "+", ar(t, "*", gen_global_id(&g, 2), all), index);
    const KirExpr *base = gen_variable(&g, "base", ar(t, "*", ar(t, "*", number_of, k), w));
    Pack p = {.t = t,
              .operand = operand,
              .panel = panel_buffer(&g, t, operand, true),
              .buffer = true,
              .base = base,
              .first = gen_variable(&g, "first", ar(t, "*", index, w)),
              .count = o->side == SIDE_ROW ? f.m : f.n,
              .lo = o->side == SIDE_ROW ? f.row_lo : f.col_lo};
    pack_panel(&g, p);
    gen_run(&g, when, arena_printf(a, "%s, 1, %s", panels, t->batch), "1, 1, 1");
    gen_end(&g, &body);
}

static const KirExpr *packed_row(Gen *g, const Tile *t, int operand, const KirExpr *k,
                                 const KirExpr *r)
{
    const char *buffer = panel_buffer(g, t, operand, false);
    const KirExpr *base = kir_name(t->u->arena, idx, operand_name(t, "base", operand));
    const KirExpr *at = ar(t, "+", base, ar(t, "+", ar(t, "*", k, macro(t, "MR")), r));
    return kir_load(t->u->arena, one_of(t->c->operands[operand].kind), buffer, at);
}

static const KirExpr *packed_col(Gen *g, const Tile *t, int operand, const KirExpr *k,
                                 const KirExpr *v)
{
    const char *buffer = panel_buffer(g, t, operand, false);
    const KirExpr *base = kir_name(t->u->arena, idx, operand_name(t, "base", operand));
    return kir_load(t->u->arena, vec_of(t->c->operands[operand].kind), buffer,
                    ar(t, "+", base, col_offset(t, k, v)));
}

/* One tile of one k block. */
static void packed_tile(Gen *g, const Tile *t, const Frame *f, const KirExpr *ip, const KirExpr *jp,
                        const KirExpr *ni, const KirExpr *nj)
{
    Arena *a = t->u->arena;
    const Contraction *c = t->c;
    const KirExpr *mr = macro(t, "MR"), *nr = macro(t, "NR"), *zero = number(t, 0),
                  *one = number(t, 1);
    const KirExpr *k0 = kir_name(a, idx, "k0"), *kn = kir_name(a, idx, "kn"),
                  *kc = kir_name(a, idx, "kc");
    const KirExpr *batch = gen_global_id(g, 2);
    for (int i = 0; i < c->noperands; i++) {
        bool row = c->operands[i].side == SIDE_ROW;
        const KirExpr *panel = ar(t, "+", ar(t, "*", batch, row ? ni : nj), row ? ip : jp);
        const KirExpr *at = ar(t, "+", ar(t, "*", panel, kn), k0);
        kir_decl(a, g->block, idx, operand_name(t, "base", i), ar(t, "*", at, row ? mr : nr));
    }
    tile_clear(g, t);
    KirBlock steps = {0};
    GenScope scope = gen_enter(g, &steps);
    tile_step(g, t, kir_name(a, idx, "k"), packed_row, packed_col);
    gen_leave(g, scope);
    kir_for(a, g->block, "k", zero, kc, one, false, steps);
    const KirExpr *i = gen_variable(g, "i", ar(t, "*", ip, mr));
    const KirExpr *j = gen_variable(g, "j", ar(t, "*", jp, nr));
    tile_store(g, t, f, i, j, ar(t, ">", k0, zero), ar(t, ">=", ar(t, "+", k0, kc), kn));
}

/* Global: blocks of row tiles, blocks of column panels, the other outputs. */
static void packed_kernel(const Tile *t, const char *when)
{
    Unit *u = t->u;
    Arena *a = u->arena;
    const char *ni = plan_let(u, "row_panels", arena_printf(a, "ceildiv(%s, MR)", t->m));
    const char *nj = plan_let(u, "col_panels", arena_printf(a, "ceildiv(%s, NR)", t->n));
    /* Blocks of 16 x 16 tiles, fewer columns while there are not several blocks for every unit. */
    const char *bi = plan_let(u, "block_rows", "16");
    const char *bj =
        plan_let(u, "block_cols",
                 arena_printf(a, "max(min(%s * ceildiv(%s, %s) * %s / (units * 4), 16), 1)", nj, ni,
                              bi, t->batch));
    KirBlock body = {0};
    Gen g = gen_begin(u, "contract_packed", &body);
    Frame f = contraction_frame(&g, t->c);
    const KirExpr *zero = number(t, 0), *one = number(t, 1);
    const KirExpr *kn = gen_param(&g, "kn", KIR_IDX, t->k), *kc = macro(t, "KC");
    const KirExpr *rows = gen_param(&g, "row_panels", KIR_IDX, ni),
                  *cols = gen_param(&g, "col_panels", KIR_IDX, nj);
    const KirExpr *br = gen_param(&g, "block_rows", KIR_IDX, bi),
                  *bc = gen_param(&g, "block_cols", KIR_IDX, bj);
    const KirExpr *i0 = gen_variable(&g, "i0", ar(t, "*", gen_global_id(&g, 0), br));
    const KirExpr *i1 = gen_variable(&g, "i1", min_of(t, ar(t, "+", i0, br), rows));
    const KirExpr *j0 = gen_variable(&g, "j0", ar(t, "*", gen_global_id(&g, 1), bc));
    const KirExpr *j1 = gen_variable(&g, "j1", min_of(t, ar(t, "+", j0, bc), cols));
    KirBlock blocks = {0}, panels = {0}, tiles = {0};
    GenScope in_blocks = gen_enter(&g, &blocks);
    kir_decl(a, &blocks, idx, "kc", min_of(t, kc, ar(t, "-", kn, kir_name(a, idx, "k0"))));
    GenScope in_panels = gen_enter(&g, &panels), in_tiles = gen_enter(&g, &tiles);
    packed_tile(&g, t, &f, kir_name(a, idx, "ip"), kir_name(a, idx, "jp"), rows, cols);
    gen_leave(&g, in_tiles);
    kir_for(a, &panels, "ip", i0, i1, one, false, tiles);
    gen_leave(&g, in_panels);
    kir_for(a, &blocks, "jp", j0, j1, one, false, panels);
    gen_leave(&g, in_blocks);
    kir_for(a, &body, "k0", zero, kn, kc, false, blocks);
    gen_run(&g, when,
            arena_printf(a, "ceildiv(%s, %s), ceildiv(%s, %s), %s", ni, bi, nj, bj, t->batch),
            "1, 1, 1");
    gen_end(&g, &body);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static bool lanes_to(const Tile *t, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    const FdNode *r = t->c->reduce, *col = side_var(t, SIDE_COL);
    if (n == r) return true;
    if (n->kind != FD_APPLY || is_read(n) || field_of_read(n)) return lanes_possible(n, col);
    FdOp op = fd_op_of(n);
    if (op == FD_OP_NONE || op == FD_OP_RANDOM || result_kind(n) == SC_HALF) return false;
    if ((op == FD_OP_DIV || op == FD_OP_REM) && !scalar_is_real(result_kind(n))) return false;
    for (int i = 0; i < n->nargs; i++)
        if (!lanes_to(t, n->args[i], seen)) return false;
    return true;
}

static bool epilogue_in_lanes(const Tile *t)
{
    FdSeen seen = {0};
    bool possible = lanes_to(t, t->c->d->body, &seen);
    fd_seen_free(&seen);
    return possible;
}

static bool near(const Tile *t, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    const FdNode *r = t->c->reduce;
    if (is_read(n)) return read_movement(n, r->vars[r->nvars - 1]) != MOVES_FAR;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (!near(t, n->args[i], seen)) return false;
    return true;
}

/* Do the row operands move by at most one element with the innermost reduction variable? */
static bool rows_are_near(const Tile *t, const FdNode *n)
{
    FdSeen seen = {0};
    bool all = near(t, n, &seen);
    fd_seen_free(&seen);
    return all;
}

bool schedule_contract(Unit *u, const Def *d)
{
    Contraction c;
    Arena *a = u->arena;
    if (u->options->precise || !contraction_find(u, d, &c) || !c.separable) return false;
    bool same_kind = d->body == c.reduce || result_kind(d->body) == result_kind(c.reduce);
    if (!same_kind) return false; /* partial sums are kept in the result */
    Tile t = {.u = u, .c = &c};
    t.vector_epilogue = epilogue_in_lanes(&t);
    size_t bytes = scalar_bytes(result_kind(c.reduce));
    bool rows_near = true;
    for (int i = 0; i < c.noperands; i++) {
        const Operand *o = &c.operands[i];
        t.vector_cols[i] = o->side == SIDE_COL && lanes_possible(o->node, side_var(&t, SIDE_COL));
        if (o->side == SIDE_ROW) rows_near = rows_near && rows_are_near(&t, o->node);
    }
    /* Accumulators, a row of column vectors and one broadcast fill the vector registers: 16 of
     * them, 32 where vectors are 64 bytes. */
    plan_define(u, "MR", "vector_bytes >= 64 ? 12 : 6");
    plan_define(u, "NV", "2");
    plan_define(u, "NR", "NV * VW");
    plan_define(u, "KC", "512");
    plan_define(u, "KB", arena_printf(a, "max(l2 / (8 * NR * %zu), 64)", bytes));
    t.m = plan_let(u, "m", contraction_m(u, &c));
    t.n = plan_let(u, "n", contraction_n(u, &c));
    t.k = plan_let(u, "k", contraction_k(u, &c));
    t.batch = plan_let(u, "batch", contraction_batch(u, &c));
    const char *fits =
        rows_near ? arena_printf(a, "%s <= KB", t.k)
                  : arena_printf(a, "%s <= KB && %s * %s * %zu <= l2 / 2", t.k, t.m, t.k, bytes);
    const char *panel = plan_let(u, "in_panel", fits);
    const char *packed = plan_let(u, "packed", arena_printf(a, "!%s", panel));
    panel_kernel(&t, panel);
    for (int i = 0; i < c.noperands; i++) pack_kernel(&t, i, packed);
    packed_kernel(&t, packed);
    return true;
}
