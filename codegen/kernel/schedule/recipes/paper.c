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
#include "recipe.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

typedef struct Paper {
    Unit *u;
    const Def *d;
    const FdContraction *c;
    int t; /* submatrices of a work-item: t x t */
    Num *when;
    Num *m, *n, *k, *batch;    /* extents */
    Num *mh, *nh, *kh;         /* in submatrices */
    int temp[FD_MAX_OPERANDS]; /* the re-laid operands */
} Paper;

static const KirExpr *number(const Paper *p, int64_t v)
{
    return kir_int(p->u->arena, v);
}

static const KirExpr *ar(const Paper *p, FdOp op, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(p->u->arena, op, x, y);
}

/* min(x, count - 1) */
static const KirExpr *clamped(const Paper *p, const KirExpr *x, const KirExpr *count)
{
    return kir_min(p->u->arena, x, ar(p, FD_OP_SUB, count, number(p, 1)));
}

static KirType four(ScalarKind k)
{
    return kir_type((int)k, 4);
}

/* ---- positions --------------------------------------------------------------------------------- */

/* Binds variables to the n-th of their combinations, the last fastest. */
static void bind_flat(Gen *g, int nvars, const FdNode *const *vars, const FdDom *doms,
                      const KirExpr *flat)
{
    Arena *a = g->u->arena;
    const KirExpr *rest = nvars > 1 ? gen_variable(g, "rest", flat) : flat;
    for (int i = nvars - 1; i >= 0; i--) {
        const KirExpr *lo, *n;
        gen_range(g, &doms[i], vars[i], &lo, &n);
        const KirExpr *at = i ? kir_arith(a, FD_OP_REM, rest, n) : rest;
        gen_bind_at(g, &doms[i], vars[i], gen_variable(g, gen_var_name(g, vars[i]), at));
        if (i) rest = gen_variable(g, "rest", kir_arith(a, FD_OP_DIV, rest, n));
    }
}

static void bind_side(Gen *g, const Paper *p, FdSide s, const KirExpr *at)
{
    const FdContraction *c = p->c;
    if (s == FD_SIDE_ROW)
        bind_flat(g, c->nrows, c->rows, c->row_doms, at);
    else
        bind_flat(g, 1, p->d->vars + c->col, p->d->doms + c->col, at);
}

static void bind_reduction(Gen *g, const Paper *p, const KirExpr *k)
{
    const FdNode *r = p->c->reduces[0];
    bind_flat(g, r->nvars, r->vars, r->doms, k);
}

/* How many rows and columns there are; binds the other dimensions of the result. */
typedef struct Frame {
    const KirExpr *m, *n;
} Frame;

static Frame frame_of(Gen *g, const Paper *p)
{
    const FdContraction *c = p->c;
    if (c->nbatch) bind_flat(g, c->nbatch, c->batch, c->batch_doms, gen_global_id(g, 2));
    return (Frame){gen_number(g, "m", p->m), gen_number(g, "n", p->n)};
}

/* ---- re-laying ------------------------------------------------------------------------------- */

/* Which submatrix: rows of a, by k; k, by columns of b. */
static const KirExpr *place(const Paper *p, FdSide s, const KirExpr *batch, const KirExpr *at,
                            const KirExpr *k, const KirExpr *count, const KirExpr *kh)
{
    const KirExpr *row = s == FD_SIDE_ROW ? at : k, *col = s == FD_SIDE_ROW ? k : at;
    const KirExpr *rows = s == FD_SIDE_ROW ? count : kh, *cols = s == FD_SIDE_ROW ? kh : count;
    return ar(p, FD_OP_ADD,
              ar(p, FD_OP_MUL, ar(p, FD_OP_ADD, ar(p, FD_OP_MUL, batch, rows), row), cols), col);
}

/* One work-item a submatrix: its four values one after the other. */
static void relay_kernel(Paper *p, int operand)
{
    Unit *u = p->u;
    Arena *a = u->arena;
    const FdOperand *o = &p->c->operands[operand];
    bool row = o->side == FD_SIDE_ROW;
    Num *count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, p->batch, row ? p->mh : p->nh), p->kh);
    count = num_op(u, FD_OP_MAX, count, num_int(u, 1));
    p->temp[operand] =
        plan_temp(u, num_op(u, FD_OP_MUL, count, num_int(u, (int64_t)(4 * scalar_bytes(o->kind)))));
    KirBlock body = {0}, rows = {0}, cols = {0};
    Gen g = gen_begin(u, row ? "relay_rows" : "relay_columns", &body);
    Frame f = frame_of(&g, p);
    const KirExpr *kn = gen_number(&g, "kn", p->k);
    const KirExpr *i = kir_name(a, idx, "i"), *j = kir_name(a, idx, "j");
    const KirExpr *zero = number(p, 0), *one = number(p, 1), *two = number(p, 2);
    const KirExpr *y = gen_variable(&g, "y", gen_global_id(&g, 1)),
                  *x = gen_variable(&g, "x", gen_global_id(&g, 0));
    const KirExpr *width = kir_intrinsic(a, idx, INTR_GLOBAL_SIZE, &zero),
                  *height = kir_intrinsic(a, idx, INTR_GLOBAL_SIZE, &one);
    const KirExpr *sub = ar(p, FD_OP_ADD, ar(p, FD_OP_MUL, gen_global_id(&g, 2), height), y);
    const KirExpr *base = gen_variable(
        &g, "base",
        ar(p, FD_OP_MUL, ar(p, FD_OP_ADD, ar(p, FD_OP_MUL, sub, width), x), number(p, 4)));
    GenScope in_rows = gen_enter(&g, &rows), in_cols = gen_enter(&g, &cols);
    const KirExpr *high = ar(p, FD_OP_ADD, ar(p, FD_OP_MUL, y, two), i),
                  *wide = ar(p, FD_OP_ADD, ar(p, FD_OP_MUL, x, two), j);
    const KirExpr *at = clamped(p, row ? high : wide, row ? f.m : f.n);
    bind_side(&g, p, o->side, gen_variable(&g, "at", at));
    bind_reduction(&g, p, gen_variable(&g, "k", clamped(p, row ? wide : high, kn)));
    const KirExpr *value = gen_value(&g, o->node);
    kir_store(a, &cols, gen_temp(&g, p->temp[operand], four(o->kind), true),
              ar(p, FD_OP_ADD, base, ar(p, FD_OP_ADD, ar(p, FD_OP_MUL, i, two), j)), value);
    gen_leave(&g, in_cols);
    kir_for(a, &rows, "j", zero, two, one, true, cols);
    gen_leave(&g, in_rows);
    kir_for(a, &body, "i", zero, two, one, true, rows);
    Num *each = num_int(u, 1), *local[] = {each, each, each};
    Num *global[] = {row ? p->kh : p->nh, row ? p->mh : p->kh, p->batch};
    gen_run(&g, p->when, 3, global, local);
    gen_end(&g, &body);
}

/* ---- the product ----------------------------------------------------------------------------- */

static const char *vector_name(const Paper *p, int operand)
{
    return arena_printf(p->u->arena, p->c->operands[operand].side == FD_SIDE_ROW ? "x%d" : "y%d",
                        operand);
}

static const KirExpr *acc_at(const Paper *p, const KirExpr *r, const KirExpr *s)
{
    const KirExpr *index[] = {r, s};
    return kir_elem(p->u->arena, four(result_kind(p->c->reduces[0])), "acc", 2, index);
}

/* The body with one half of each operand's k: 0 or 1. */
static const KirExpr *half_step(Gen *g, const Paper *p, int half, const KirExpr *r,
                                const KirExpr *s)
{
    static const char *const swizzles[2][2] = {{"xxzz", "yyww"}, {"xyxy", "zwzw"}};
    const FdContraction *c = p->c;
    for (int i = 0; i < c->noperands; i++) {
        FdSide side = c->operands[i].side;
        const KirExpr *v = kir_elem(p->u->arena, four(c->operands[i].kind), vector_name(p, i), 1,
                                    side == FD_SIDE_ROW ? &r : &s);
        gen_remember(g, c->operands[i].node,
                     kir_swizzle(p->u->arena, v, swizzles[side == FD_SIDE_COL][half]));
    }
    return kir_splat(p->u->arena, 4, gen_value(g, c->reduces[0]->body));
}

/* acc[r][s] with one more step of k; whole: both halves. */
static void step(Gen *g, const Paper *p, bool whole)
{
    Arena *a = p->u->arena;
    const FdNode *fn = p->c->reduces[0]->fn;
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
        const FdOperand *o = &p->c->operands[i];
        const char *name = vector_name(p, i);
        KirBlock each = {0};
        kir_array(a, g->block, four(o->kind), name, false, 1, &t);
        const KirExpr *sub =
            place(p, o->side, batch, clamped(p, ar(p, FD_OP_ADD, at[o->side], r), count[o->side]),
                  k, count[o->side], kh);
        const KirExpr *v = kir_load(a, four(o->kind), gen_temp(g, p->temp[i], four(o->kind), false),
                                    ar(p, FD_OP_MUL, sub, number(p, 4)));
        kir_set(a, &each, kir_elem(a, four(o->kind), name, 1, &r), v);
        kir_for(a, g->block, "r", number(p, 0), t, number(p, 1), true, each);
    }
}

/* The elements of a submatrix that exist, through the epilogue. */
static void store(Gen *g, const Paper *p, const Frame *f, const KirExpr *const at[2])
{
    static const char *const lane[] = {"x", "y", "z", "w"};
    Arena *a = p->u->arena;
    const Def *d = p->d;
    const KirExpr *r = kir_name(a, idx, "r"), *s = kir_name(a, idx, "s"), *two = number(p, 2),
                  *t = number(p, p->t), *zero = number(p, 0), *one = number(p, 1);
    KirBlock rows = {0}, cols = {0};
    GenScope in_rows = gen_enter(g, &rows), in_cols = gen_enter(g, &cols);
    const KirExpr *i = gen_variable(g, "i", ar(p, FD_OP_MUL, ar(p, FD_OP_ADD, at[0], r), two));
    const KirExpr *j = gen_variable(g, "j", ar(p, FD_OP_MUL, ar(p, FD_OP_ADD, at[1], s), two));
    for (int e = 0; e < 4; e++) {
        KirBlock inside = {0};
        const KirExpr *row = ar(p, FD_OP_ADD, i, number(p, e / 2)),
                      *col = ar(p, FD_OP_ADD, j, number(p, e % 2));
        GenScope scope = gen_enter(g, &inside);
        bind_side(g, p, FD_SIDE_ROW, row);
        bind_side(g, p, FD_SIDE_COL, col);
        gen_remember(g, p->c->reduces[0], kir_swizzle(a, acc_at(p, r, s), lane[e]));
        gen_store(g, d);
        gen_leave(g, scope);
        kir_if(a, &cols, ar(p, FD_OP_LAND, ar(p, FD_OP_LT, row, f->m), ar(p, FD_OP_LT, col, f->n)),
               inside, NULL);
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
    kir_array(a, g->block, four(result_kind(p->c->reduces[0])), "acc", false, 2, dims);
    KirBlock rows = {0}, cols = {0};
    kir_set(a, &cols, acc_at(p, r, s), kir_splat(a, 4, gen_identity(g, p->c->reduces[0])));
    kir_for(a, &rows, "s", zero, t, one, true, cols);
    kir_for(a, g->block, "r", zero, t, one, true, rows);
}

static void product_kernel(const Paper *p)
{
    Unit *u = p->u;
    Arena *a = u->arena;
    KirBlock body = {0}, steps = {0}, last = {0};
    Gen g = gen_begin(u, p->t == 1 ? "product_2x2" : "product_4x4", &body);
    Frame f = frame_of(&g, p);
    const KirExpr *kn = gen_number(&g, "kn", p->k), *k = kir_name(a, idx, "k"),
                  *zero = number(p, 0), *one = number(p, 1), *two = number(p, 2),
                  *t = number(p, p->t);
    const KirExpr *at[] = {gen_variable(&g, "i0", ar(p, FD_OP_MUL, gen_global_id(&g, 1), t)),
                           gen_variable(&g, "j0", ar(p, FD_OP_MUL, gen_global_id(&g, 0), t))};
    const KirExpr *count[] = {
        gen_variable(&g, "mh", ar(p, FD_OP_DIV, ar(p, FD_OP_ADD, f.m, one), two)),
        gen_variable(&g, "nh", ar(p, FD_OP_DIV, ar(p, FD_OP_ADD, f.n, one), two))};
    const KirExpr *kh = gen_variable(&g, "kh", ar(p, FD_OP_DIV, ar(p, FD_OP_ADD, kn, one), two));
    clear(&g, p);
    GenScope scope = gen_enter(&g, &steps);
    load(&g, p, k, at, count, kh);
    step(&g, p, true);
    gen_leave(&g, scope);
    kir_for(a, &body, "k", zero, ar(p, FD_OP_DIV, kn, two), one, false, steps);
    scope = gen_enter(&g, &last);
    load(&g, p, ar(p, FD_OP_SUB, kh, one), at, count, kh);
    step(&g, p, false);
    gen_leave(&g, scope);
    kir_if(a, &body, ar(p, FD_OP_NE, ar(p, FD_OP_REM, kn, two), zero), last, NULL);
    store(&g, p, &f, at);
    Num *each = num_int(u, 1), *local[] = {each, each, each}, *tt = num_int(u, p->t);
    Num *global[] = {num_ceildiv(u, p->nh, tt), num_ceildiv(u, p->mh, tt), p->batch};
    gen_run(&g, p->when, 3, global, local);
    gen_end(&g, &body);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static bool fits(ScalarKind k)
{
    return k != SC_BOOL && scalar_bytes(k) >= 4;
}

Num *recipe_paper(Unit *u, const Def *d, Num *when)
{
    FdContraction c;
    if (!contraction_find(u, d, &c) || c.col < d->nvars - 1 || c.nreduces > 1 ||
        !fits(result_kind(c.reduces[0])))
        return NULL;
    for (int i = 0; i < c.noperands; i++)
        if (!fits(c.operands[i].kind)) return NULL;
    Paper p = {.u = u, .d = d, .c = &c, .t = u->options->tile == CG_TILE_4X4 ? 2 : 1, .when = when};
    Num *two = num_int(u, 2);
    p.m = num_let(u, "m", plan_elements(u, c.nrows, c.row_doms));
    p.n = num_let(u, "n", plan_n(u, &d->doms[c.col]));
    p.k = num_let(u, "k", recipe_length(u, c.reduces[0]));
    p.batch = num_let(u, "batch", plan_elements(u, c.nbatch, c.batch_doms));
    p.mh = num_let(u, "mh", num_ceildiv(u, p.m, two));
    p.nh = num_let(u, "nh", num_ceildiv(u, p.n, two));
    p.kh = num_let(u, "kh", num_ceildiv(u, p.k, two));
    for (int i = 0; i < c.noperands; i++) relay_kernel(&p, i);
    product_kernel(&p);
    return when;
}
