/* The data mappings of the C$ paper, section 6: operands are re-laid as vectors of four that hold
 * 2x2 submatrices, (x y / z w), and a work-item computes one such submatrix of the result (2x2) or
 * 2x2 of them (4x4), by the swizzles of the paper's figure 5:
 *
 *   acc = acc + (a.xxzz * b.xyxy + a.yyww * b.zwzw)
 *
 * for any body and any associative and commutative operation. Odd extents: submatrices repeat the
 * last row or column, which is never stored; an odd last k takes only the first half of a step.
 * Needs: a separable contraction of scalars of 4 or 8 bytes. Keeps, when precise: the order of k.
 */
#include <string.h>

#include "contract.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Paper {
    Unit *u;
    const Contraction *c;
    int t;                         /* submatrices of a work-item: t x t */
    const char *m, *n, *k, *batch; /* plan names of the extents */
    const char *mh, *nh, *kh;      /* in submatrices */
    int temp[MAX_OPERANDS];        /* the re-laid operands */
} Paper;

static const KirExpr *number(const Paper *p, int64_t v)
{
    return kir_int(p->u->arena, v);
}

static const KirExpr *ar(const Paper *p, const char *op, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(p->u->arena, op, x, y);
}

/* min(x, count - 1) */
static const KirExpr *clamped(const Paper *p, const KirExpr *x, const KirExpr *count)
{
    const KirExpr *args[] = {x, ar(p, "-", count, number(p, 1))};
    return kir_call(p->u->arena, idx, "min", 2, args);
}

static KirType four(ScalarKind k)
{
    return kir_type((int)k, 4);
}

static const FdNode *side_var(const Paper *p, Side s)
{
    return p->c->d->vars[s == SIDE_ROW ? p->c->row : p->c->col];
}

/* ---- re-laying ------------------------------------------------------------------------------- */

/* Which submatrix: rows of a, by k; k, by columns of b. */
static const KirExpr *place(const Paper *p, Side s, const KirExpr *batch, const KirExpr *at,
                            const KirExpr *k, const KirExpr *count, const KirExpr *kh)
{
    const KirExpr *row = s == SIDE_ROW ? at : k, *col = s == SIDE_ROW ? k : at;
    const KirExpr *rows = s == SIDE_ROW ? count : kh, *cols = s == SIDE_ROW ? kh : count;
    return ar(p, "+", ar(p, "*", ar(p, "+", ar(p, "*", batch, rows), row), cols), col);
}

/* One work-item a submatrix: its four values one after the other. */
static void relay_kernel(Paper *p, int operand)
{
    Unit *u = p->u;
    Arena *a = u->arena;
    const Operand *o = &p->c->operands[operand];
    bool row = o->side == SIDE_ROW;
    const char *count = row ? p->mh : p->nh;
    p->temp[operand] = u->ntemps++;
    plan_line(u, "temp %d bytes max(%s * %s * %s, 1) * %zu", p->temp[operand], p->batch, count,
              p->kh, 4 * scalar_bytes(o->kind));
    KirBlock body = {0}, rows = {0}, cols = {0};
    Gen g = gen_begin(u, row ? "relay_rows" : "relay_columns", &body);
    Frame f = contraction_frame(&g, p->c);
    const KirExpr *kn = gen_param(&g, "kn", KIR_IDX, p->k);
    const KirExpr *i = kir_name(a, idx, "i"), *j = kir_name(a, idx, "j");
    const KirExpr *zero = number(p, 0), *one = number(p, 1), *two = number(p, 2);
    const KirExpr *y = gen_variable(&g, "y", gen_global_id(&g, 1)),
                  *x = gen_variable(&g, "x", gen_global_id(&g, 0));
    const KirExpr *width = kir_call(a, idx, "get_global_size", 1, &zero),
                  *height = kir_call(a, idx, "get_global_size", 1, &one);
    const KirExpr *sub = ar(p, "+", ar(p, "*", gen_global_id(&g, 2), height), y);
    const KirExpr *base =
        gen_variable(&g, "base", ar(p, "*", ar(p, "+", ar(p, "*", sub, width), x), number(p, 4)));
    GenScope in_rows = gen_enter(&g, &rows), in_cols = gen_enter(&g, &cols);
    const KirExpr *high = ar(p, "+", ar(p, "*", y, two), i),
                  *wide = ar(p, "+", ar(p, "*", x, two), j);
    const KirExpr *at = clamped(p, row ? high : wide, row ? f.m : f.n);
    gen_bind(&g, side_var(p, o->side),
             gen_variable(&g, "at", ar(p, "+", row ? f.row_lo : f.col_lo, at)));
    gen_bind_flat(&g, p->c->reduce, gen_variable(&g, "k", clamped(p, row ? wide : high, kn)));
    const KirExpr *value = gen_value(&g, o->node);
    kir_store(a, &cols, gen_temp(&g, p->temp[operand], four(o->kind), true),
              ar(p, "+", base, ar(p, "+", ar(p, "*", i, two), j)), value);
    gen_leave(&g, in_cols);
    kir_for(a, &rows, "j", zero, two, one, true, cols);
    gen_leave(&g, in_rows);
    kir_for(a, &body, "i", zero, two, one, true, rows);
    gen_run(&g, NULL,
            row ? arena_printf(a, "%s, %s, %s", p->kh, p->mh, p->batch)
                : arena_printf(a, "%s, %s, %s", p->nh, p->kh, p->batch),
            "1, 1, 1");
    gen_end(&g, &body);
}

/* ---- the product ----------------------------------------------------------------------------- */

static const char *vector_name(const Paper *p, int operand)
{
    return arena_printf(p->u->arena, p->c->operands[operand].side == SIDE_ROW ? "x%d" : "y%d",
                        operand);
}

static const KirExpr *acc_at(const Paper *p, const KirExpr *r, const KirExpr *s)
{
    const KirExpr *index[] = {r, s};
    return kir_elem(p->u->arena, four(result_kind(p->c->reduce)), "acc", 2, index);
}

/* The body with one half of each operand's k: 0 or 1. */
static const KirExpr *half_step(Gen *g, const Paper *p, int half, const KirExpr *r,
                                const KirExpr *s)
{
    static const char *const swizzles[2][2] = {{"xxzz", "yyww"}, {"xyxy", "zwzw"}};
    const Contraction *c = p->c;
    for (int i = 0; i < c->noperands; i++) {
        Side side = c->operands[i].side;
        const KirExpr *v = kir_elem(p->u->arena, four(c->operands[i].kind), vector_name(p, i), 1,
                                    side == SIDE_ROW ? &r : &s);
        gen_remember(g, c->operands[i].node,
                     kir_swizzle(p->u->arena, v, swizzles[side == SIDE_COL][half]));
    }
    return kir_splat(p->u->arena, 4, gen_value(g, c->reduce->body));
}

/* acc[r][s] with one more step of k; whole: both halves. */
static void step(Gen *g, const Paper *p, bool whole)
{
    Arena *a = p->u->arena;
    const FdNode *fn = p->c->reduce->fn;
    const KirExpr *r = kir_name(a, idx, "r"), *s = kir_name(a, idx, "s");
    const KirExpr *t = number(p, p->t), *zero = number(p, 0), *one = number(p, 1);
    KirBlock rows = {0}, cols = {0};
    GenScope in_rows = gen_enter(g, &rows), in_cols = gen_enter(g, &cols);
    const KirExpr *acc = acc_at(p, r, s), *first = half_step(g, p, 0, r, s), *sum;
    gen_leave(g, in_cols);
    in_cols = gen_enter(g, &cols);
    const KirExpr *second = whole ? half_step(g, p, 1, r, s) : NULL;
    if (!whole)
        sum = gen_combine(g, fn, acc, first);
    else if (p->u->options->precise)
        sum = gen_combine(g, fn, gen_combine(g, fn, acc, first), second);
    else
        sum = gen_combine(g, fn, acc, gen_combine(g, fn, first, second));
    kir_set(a, &cols, acc, sum);
    gen_leave(g, in_cols);
    kir_for(a, &rows, "s", zero, t, one, true, cols);
    gen_leave(g, in_rows);
    kir_for(a, g->block, "r", zero, t, one, true, rows);
}

/* Loads the submatrices of one k. */
static void load(Gen *g, const Paper *p, const KirExpr *k, const KirExpr *const at[2],
                 const KirExpr *const count[2], const KirExpr *kh)
{
    Arena *a = p->u->arena;
    const KirExpr *t = number(p, p->t), *r = kir_name(a, idx, "r"), *batch = gen_global_id(g, 2);
    for (int i = 0; i < p->c->noperands; i++) {
        const Operand *o = &p->c->operands[i];
        const char *name = vector_name(p, i);
        KirBlock each = {0};
        kir_array(a, g->block, four(o->kind), name, false, 1, &t);
        const KirExpr *sub =
            place(p, o->side, batch, clamped(p, ar(p, "+", at[o->side], r), count[o->side]), k,
                  count[o->side], kh);
        const KirExpr *v = kir_load(a, four(o->kind), gen_temp(g, p->temp[i], four(o->kind), false),
                                    ar(p, "*", sub, number(p, 4)));
        kir_set(a, &each, kir_elem(a, four(o->kind), name, 1, &r), v);
        kir_for(a, g->block, "r", number(p, 0), t, number(p, 1), true, each);
    }
}

/* The elements of a submatrix that exist, through the epilogue. */
static void store(Gen *g, const Paper *p, const Frame *f, const KirExpr *const at[2])
{
    static const char *const lane[] = {"x", "y", "z", "w"};
    Arena *a = p->u->arena;
    const Def *d = p->c->d;
    const KirExpr *r = kir_name(a, idx, "r"), *s = kir_name(a, idx, "s"), *two = number(p, 2),
                  *t = number(p, p->t), *zero = number(p, 0), *one = number(p, 1);
    KirBlock rows = {0}, cols = {0};
    GenScope in_rows = gen_enter(g, &rows), in_cols = gen_enter(g, &cols);
    const KirExpr *i = gen_variable(g, "i", ar(p, "*", ar(p, "+", at[0], r), two));
    const KirExpr *j = gen_variable(g, "j", ar(p, "*", ar(p, "+", at[1], s), two));
    for (int e = 0; e < 4; e++) {
        KirBlock inside = {0};
        const KirExpr *row = ar(p, "+", i, number(p, e / 2)),
                      *col = ar(p, "+", j, number(p, e % 2));
        GenScope scope = gen_enter(g, &inside);
        gen_bind(g, side_var(p, SIDE_ROW), gen_variable(g, "row", ar(p, "+", f->row_lo, row)));
        gen_bind(g, side_var(p, SIDE_COL), gen_variable(g, "col", ar(p, "+", f->col_lo, col)));
        gen_remember(g, p->c->reduce, kir_swizzle(a, acc_at(p, r, s), lane[e]));
        gen_store(g, d);
        gen_leave(g, scope);
        kir_if(a, &cols, ar(p, "&&", ar(p, "<", row, f->m), ar(p, "<", col, f->n)), inside, NULL);
    }
    gen_leave(g, in_cols);
    kir_for(a, &rows, "s", zero, t, one, true, cols);
    gen_leave(g, in_rows);
    kir_for(a, g->block, "r", zero, t, one, true, rows);
}

static void clear(Gen *g, const Paper *p)
{
    Arena *a = p->u->arena;
    const KirExpr *r = kir_name(a, idx, "r"), *s = kir_name(a, idx, "s"), *t = number(p, p->t);
    const KirExpr *dims[] = {t, t}, *zero = number(p, 0), *one = number(p, 1);
    kir_array(a, g->block, four(result_kind(p->c->reduce)), "acc", false, 2, dims);
    KirBlock rows = {0}, cols = {0};
    kir_set(a, &cols, acc_at(p, r, s), kir_splat(a, 4, gen_identity(g, p->c->reduce)));
    kir_for(a, &rows, "s", zero, t, one, true, cols);
    kir_for(a, g->block, "r", zero, t, one, true, rows);
}

static void product_kernel(const Paper *p)
{
    Unit *u = p->u;
    Arena *a = u->arena;
    KirBlock body = {0}, steps = {0}, last = {0};
    Gen g = gen_begin(u, p->t == 1 ? "product_2x2" : "product_4x4", &body);
    Frame f = contraction_frame(&g, p->c);
    const KirExpr *kn = gen_param(&g, "kn", KIR_IDX, p->k), *k = kir_name(a, idx, "k"),
                  *zero = number(p, 0), *one = number(p, 1), *two = number(p, 2),
                  *t = number(p, p->t);
    const KirExpr *at[] = {gen_variable(&g, "i0", ar(p, "*", gen_global_id(&g, 1), t)),
                           gen_variable(&g, "j0", ar(p, "*", gen_global_id(&g, 0), t))};
    const KirExpr *count[] = {gen_variable(&g, "mh", ar(p, "/", ar(p, "+", f.m, one), two)),
                              gen_variable(&g, "nh", ar(p, "/", ar(p, "+", f.n, one), two))};
    const KirExpr *kh = gen_variable(&g, "kh", ar(p, "/", ar(p, "+", kn, one), two));
    clear(&g, p);
    GenScope scope = gen_enter(&g, &steps);
    load(&g, p, k, at, count, kh);
    step(&g, p, true);
    gen_leave(&g, scope);
    kir_for(a, &body, "k", zero, ar(p, "/", kn, two), one, false, steps);
    scope = gen_enter(&g, &last);
    load(&g, p, ar(p, "-", kh, one), at, count, kh);
    step(&g, p, false);
    gen_leave(&g, scope);
    kir_if(a, &body, ar(p, "!=", ar(p, "%", kn, two), zero), last, NULL);
    store(&g, p, &f, at);
    gen_run(
        &g, NULL,
        arena_printf(a, "ceildiv(%s, %d), ceildiv(%s, %d), %s", p->nh, p->t, p->mh, p->t, p->batch),
        NULL);
    gen_end(&g, &body);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static bool fits(ScalarKind k)
{
    return k != SC_BOOL && scalar_bytes(k) >= 4;
}

bool schedule_paper(Unit *u, const Def *d)
{
    Contraction c;
    Arena *a = u->arena;
    if (!contraction_find(u, d, &c) || !c.separable || !fits(result_kind(c.reduce))) return false;
    for (int i = 0; i < c.noperands; i++)
        if (!fits(c.operands[i].kind)) return false;
    Paper p = {.u = u, .c = &c, .t = u->options->tile == CG_TILE_4X4 ? 2 : 1};
    p.m = plan_let(u, "m", contraction_m(u, &c));
    p.n = plan_let(u, "n", contraction_n(u, &c));
    p.k = plan_let(u, "k", contraction_k(u, &c));
    p.batch = plan_let(u, "batch", contraction_batch(u, &c));
    p.mh = plan_let(u, "mh", arena_printf(a, "ceildiv(%s, 2)", p.m));
    p.nh = plan_let(u, "nh", arena_printf(a, "ceildiv(%s, 2)", p.n));
    p.kh = plan_let(u, "kh", arena_printf(a, "ceildiv(%s, 2)", p.k));
    for (int i = 0; i < c.noperands; i++) relay_kernel(&p, i);
    product_kernel(&p);
    return true;
}
