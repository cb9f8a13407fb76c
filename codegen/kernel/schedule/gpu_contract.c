/* Contractions on GPUs: a group of 16 x 16 work-items computes a 64 x 64 tile of the result, 4 x 4
 * elements each in registers. All values of the operands' expressions that the tile needs for a few
 * steps of k are first put into local memory, each computed once.
 *
 * Elements outside are clamped to the last row or column and never stored; the last steps of k are
 * counted, so any operation will do. Needs: a separable contraction. Keeps: the order of k.
 */
#include <string.h>

#include "contract.h"

enum { EDGE = 64, SIDE = 16, EACH = EDGE / SIDE, LOCAL_BYTES = 32 << 10 };

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Tiles {
    Unit *u;
    const Contraction *c;
    const char *k; /* plan name */
    int depth;     /* steps of k in local memory */
} Tiles;

static const KirExpr *number(const Tiles *t, int64_t v)
{
    return kir_int(t->u->arena, v);
}

static const KirExpr *ar(const Tiles *t, const char *op, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(t->u->arena, op, x, y);
}

static const KirExpr *min_of(const Tiles *t, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {x, y};
    return kir_call(t->u->arena, idx, "min", 2, args);
}

static const KirExpr *id_of(Gen *g, const Tiles *t, const char *what, int dim)
{
    const KirExpr *d = number(t, dim);
    return gen_variable(g, what + strlen("get_"), kir_call(t->u->arena, idx, what, 1, &d));
}

static KirType type_of(ScalarKind k)
{
    return kir_type((int)k, 1);
}

static const char *operand_name(const Tiles *t, const char *stem, int i)
{
    return arena_printf(t->u->arena, "%s%d", stem, i);
}

static const KirExpr *local_at(const Tiles *t, int i, const KirExpr *q, const KirExpr *w)
{
    const KirExpr *index[] = {q, w};
    return kir_elem(t->u->arena, type_of(t->c->operands[i].kind), operand_name(t, "tile", i), 2,
                    index);
}

static const KirExpr *acc_at(const Tiles *t, const KirExpr *r, const KirExpr *s)
{
    const KirExpr *index[] = {r, s};
    return kir_elem(t->u->arena, type_of(result_kind(t->c->reduce)), "acc", 2, index);
}

/* for (r = 0; r < EACH; r++) for (s = 0; ..) body, unrolled */
static void each_element(Gen *g, const Tiles *t, KirBlock body)
{
    KirBlock rows = {0};
    const KirExpr *zero = number(t, 0), *one = number(t, 1), *n = number(t, EACH);
    kir_for(t->u->arena, &rows, "s", zero, n, one, true, body);
    kir_for(t->u->arena, g->block, "r", zero, n, one, true, rows);
}

/* Does an operand's first read move by one with the last variable of the reduction? */
typedef struct Names {
    Frame f;
    const KirExpr *id, *x, *y, *i0, *j0, *kn, *k0;
} Names;

/* All work-items fill an operand's tile together: neighbours follow its unit stride. */
static void fill(Gen *g, const Tiles *t, const Names *n, int i)
{
    Arena *a = t->u->arena;
    const Operand *o = &t->c->operands[i];
    bool row = o->side == SIDE_ROW,
         along = reads_along(o->node, t->c->reduce->vars[t->c->reduce->nvars - 1]);
    const KirExpr *e = kir_name(a, idx, "e"), *depth = number(t, t->depth), *edge = number(t, EDGE);
    const KirExpr *one = number(t, 1);
    KirBlock each = {0};
    GenScope scope = gen_enter(g, &each);
    const KirExpr *q = gen_variable(g, "q", along ? ar(t, "%", e, depth) : ar(t, "/", e, edge));
    const KirExpr *w = gen_variable(g, "w", along ? ar(t, "/", e, depth) : ar(t, "%", e, edge));
    const KirExpr *at =
        min_of(t, ar(t, "+", row ? n->i0 : n->j0, w), ar(t, "-", row ? n->f.m : n->f.n, one));
    const KirExpr *k = min_of(t, ar(t, "+", n->k0, q), ar(t, "-", n->kn, one));
    gen_bind(g, t->c->d->vars[row ? t->c->row : t->c->col],
             gen_variable(g, "at", ar(t, "+", row ? n->f.row_lo : n->f.col_lo, at)));
    gen_bind_flat(g, t->c->reduce, gen_variable(g, "k", k));
    kir_set(a, &each, local_at(t, i, q, w), gen_value(g, o->node));
    gen_leave(g, scope);
    kir_for(a, g->block, "e", n->id, number(t, EDGE * t->depth), number(t, SIDE * SIDE), false,
            each);
}

/* acc[r][s] = acc[r][s] op body, for one k in local memory */
static void step(Gen *g, const Tiles *t, const Names *n, const KirExpr *q)
{
    Arena *a = t->u->arena;
    const Contraction *c = t->c;
    const KirExpr *r = kir_name(a, idx, "r"), *s = kir_name(a, idx, "s");
    const KirExpr *count = number(t, EACH), *side = number(t, SIDE);
    KirBlock load = {0}, body = {0};
    GenScope scope = gen_enter(g, &body);
    for (int i = 0; i < c->noperands; i++) {
        bool row = c->operands[i].side == SIDE_ROW;
        const char *name = operand_name(t, row ? "x" : "y", i);
        KirType type = type_of(c->operands[i].kind);
        const KirExpr *at = ar(t, "+", row ? n->y : n->x, ar(t, "*", r, side));
        gen_leave(g, scope);
        kir_array(a, g->block, type, name, false, 1, &count);
        kir_set(a, &load, kir_elem(a, type, name, 1, &r), local_at(t, i, q, at));
        scope = gen_enter(g, &body);
    }
    for (int i = 0; i < c->noperands; i++) {
        bool row = c->operands[i].side == SIDE_ROW;
        gen_remember(g, c->operands[i].node,
                     kir_elem(a, type_of(c->operands[i].kind), operand_name(t, row ? "x" : "y", i),
                              1, row ? &r : &s));
    }
    const KirExpr *acc = acc_at(t, r, s), *value = gen_value(g, c->reduce->body);
    kir_set(a, &body, acc, gen_combine(g, c->reduce->fn, acc, value));
    gen_leave(g, scope);
    kir_for(a, g->block, "r", number(t, 0), count, number(t, 1), true, load);
    each_element(g, t, body);
}

/* The elements of the tile that exist, through the epilogue. */
static void store(Gen *g, const Tiles *t, const Names *n)
{
    Arena *a = t->u->arena;
    const Def *d = t->c->d;
    const KirExpr *r = kir_name(a, idx, "r"), *s = kir_name(a, idx, "s"), *side = number(t, SIDE);
    KirBlock body = {0}, inside = {0};
    GenScope scope = gen_enter(g, &body);
    const KirExpr *i =
        gen_variable(g, "i", ar(t, "+", ar(t, "+", n->i0, n->y), ar(t, "*", r, side)));
    const KirExpr *j =
        gen_variable(g, "j", ar(t, "+", ar(t, "+", n->j0, n->x), ar(t, "*", s, side)));
    GenScope in = gen_enter(g, &inside);
    gen_bind(g, d->vars[t->c->row], gen_variable(g, "row", ar(t, "+", n->f.row_lo, i)));
    gen_bind(g, d->vars[t->c->col], gen_variable(g, "col", ar(t, "+", n->f.col_lo, j)));
    gen_remember(g, t->c->reduce, acc_at(t, r, s));
    gen_store(g, d);
    gen_leave(g, in);
    kir_if(a, &body, ar(t, "&&", ar(t, "<", i, n->f.m), ar(t, "<", j, n->f.n)), inside, NULL);
    gen_leave(g, scope);
    each_element(g, t, body);
}

static void tile_kernel(const Tiles *t, const char *when, const char *global)
{
    Unit *u = t->u;
    Arena *a = u->arena;
    const Contraction *c = t->c;
    KirBlock body = {0}, clear = {0}, blocks = {0}, steps = {0};
    Gen g = gen_begin(u, "contract_tiles", &body);
    const KirExpr *depth = number(t, t->depth), *zero = number(t, 0), *one = number(t, 1),
                  *edge = number(t, EDGE);
    for (int i = 0; i < c->noperands; i++) { /* one more: columns fall into different banks */
        const KirExpr *dims[] = {depth, number(t, EDGE + 1)};
        kir_array(a, &body, type_of(c->operands[i].kind), operand_name(t, "tile", i), true, 2,
                  dims);
    }
    Names n = {.f = contraction_frame(&g, c), .k0 = kir_name(a, idx, "k0")};
    n.kn = gen_param(&g, "kn", KIR_IDX, t->k);
    n.x = id_of(&g, t, "get_local_id", 0);
    n.y = id_of(&g, t, "get_local_id", 1);
    n.id = gen_variable(&g, "id", ar(t, "+", ar(t, "*", n.y, number(t, SIDE)), n.x));
    n.i0 = gen_variable(&g, "i0", ar(t, "*", id_of(&g, t, "get_group_id", 1), edge));
    n.j0 = gen_variable(&g, "j0", ar(t, "*", id_of(&g, t, "get_group_id", 0), edge));
    const KirExpr *dims[] = {number(t, EACH), number(t, EACH)};
    kir_array(a, &body, type_of(result_kind(c->reduce)), "acc", false, 2, dims);
    kir_set(a, &clear, acc_at(t, kir_name(a, idx, "r"), kir_name(a, idx, "s")),
            gen_identity(&g, c->reduce));
    each_element(&g, t, clear);
    GenScope in_blocks = gen_enter(&g, &blocks);
    for (int i = 0; i < c->noperands; i++) fill(&g, t, &n, i);
    kir_simple(a, &blocks, KIR_BARRIER);
    GenScope in_steps = gen_enter(&g, &steps);
    step(&g, t, &n, kir_name(a, idx, "q"));
    gen_leave(&g, in_steps);
    kir_for(a, &blocks, "q", zero, min_of(t, ar(t, "-", n.kn, n.k0), depth), one, false, steps);
    kir_simple(a, &blocks, KIR_BARRIER);
    gen_leave(&g, in_blocks);
    kir_for(a, &body, "k0", zero, n.kn, depth, false, blocks);
    store(&g, t, &n);
    gen_run(&g, when, global, "16, 16, 1");
    gen_end(&g, &body);
}

const char *schedule_gpu_contract(Unit *u, const Def *d, const char *when)
{
    Contraction c;
    Arena *a = u->arena;
    if (!contraction_find(u, d, &c) || !c.separable) return NULL;
    size_t bytes = 0;
    for (int i = 0; i < c.noperands; i++) bytes += scalar_bytes(c.operands[i].kind);
    Tiles t = {.u = u, .c = &c, .depth = 16};
    while ((size_t)t.depth * bytes * (EDGE + 1) > LOCAL_BYTES) t.depth /= 2;
    const char *m = plan_let(u, "m", contraction_m(u, &c)),
               *n = plan_let(u, "n", contraction_n(u, &c)),
               *batch = plan_let(u, "batch", contraction_batch(u, &c));
    t.k = plan_let(u, "k", contraction_k(u, &c));
    /* Smaller results leave most of a tile empty. */
    const char *tiles = plan_let(
        u, "tiles",
        arena_printf(a, "%s && %s >= 16 && %s >= 16 && max_group >= 256 && local_bytes >= %d", when,
                     m, n, LOCAL_BYTES));
    tile_kernel(&t, tiles,
                arena_printf(a, "ceildiv(%s, 64) * 16, ceildiv(%s, 64) * 16, %s", n, m, batch));
    return tiles;
}
