/* Reductions inside scalar code in lanes: those of an element of a recurrence, which is one of few
 * that can be computed at a time.
 *
 *   before   for (j..) acc = acc + l(i, j) * x(j)
 *   after    for (j.. in lanes) sum = sum + l(i, j) * x(j);  acc = the lanes of sum;  for (the rest)
 *
 * Needs: an operation that is associative and commutative, operands in lanes of the last variable.
 * Reals are added in another order, so not where that must be kept. */
#include "gen.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

enum { TURN = 4 }; /* sums that do not wait for each other */

bool gen_can_join(ScalarKind k)
{
    return k == SC_INT || k == SC_UINT || k == SC_LONG || k == SC_ULONG || k == SC_FLOAT ||
           k == SC_DOUBLE || k == SC_BOOL;
}

static bool can_be_in_lanes(const void *ctx, const FdNode *n)
{
    const Unit *u = ctx;
    if (n->kind != FD_REDUCE || n->init || n->type->record || fd_op_of(n) == FD_OP_NONE)
        return false;
    unsigned both = FD_ASSOCIATIVE | FD_COMMUTATIVE;
    ScalarKind k = result_kind(n);
    bool exact = u->options->precise && scalar_is_real(k);
    if ((fd_op_info(fd_op_of(n))->props & both) != both || exact || !gen_can_join(k)) return false;
    if (unit_is_empty(u, n)) return false;
    const FdDom *last = &n->doms[n->nvars - 1];
    return last->lo && lanes_possible(n->body, n->vars[n->nvars - 1], 0);
}

bool sums_in_lanes(const Unit *u, const FdNode *n)
{
    return fd_any(n, can_be_in_lanes, u);
}

typedef struct Sum {
    const FdNode *reduce;
    const KirExpr *acc, *lanes;
    KirType type; /* of vectors */
} Sum;

static void add(Gen *g, const Sum *s, const KirExpr *to)
{
    const KirExpr *v = kir_splat(g->u->arena, to->type.lanes, gen_whole(g, s->reduce->body));
    kir_set(g->u->arena, g->block, to, gen_combine(g, s->reduce->fn, to, v));
}

/* The operand `from` on the way from the begin of the range, in lanes or not. */
static void add_at(Gen *g, const Sum *s, const KirExpr *lo, const KirExpr *from, const KirExpr *to)
{
    const FdNode *v = s->reduce->vars[s->reduce->nvars - 1];
    GenScope scope = gen_enter(g, g->block);
    g->lane_var = to->type.lanes == 1 ? NULL : v;
    gen_bind(g, v, kir_arith(g->u->arena, FD_OP_ADD, lo, from));
    add(g, s, to);
    g->lane_var = NULL;
    gen_leave(g, scope);
}

const KirExpr *gen_join_lanes(Gen *g, const FdNode *reduce, const KirExpr *x)
{
    Arena *a = g->u->arena;
    const FdNode *fn = reduce->fn;
    const KirExpr *none = kir_splat(a, g->lanes, gen_identity(g, reduce));
    const KirExpr *last[4];
    bool truth = x->type.kind == SC_BOOL;
    for (int i = 0; i < 4; i++) { /* the last lane of each part, then those of the parts */
        Intrinsic how = i < 2 ? INTR_BEFORE : INTR_PART;
        last[i] = gen_variable(g, "v", kir_moved(a, how, i % 2 + 1, x, none));
        if (i < 2) x = gen_variable(g, "v", gen_combine(g, fn, last[i], x));
    }
    x = gen_variable(g, "v", gen_combine(g, fn, last[2], x)); /* of two parts; two more of four */
    x = gen_combine(g, fn, kir_moved(a, INTR_PART, 2, x, none), x);
    KirType t = kir_type(truth ? SC_INT : x->type.kind, 1);
    x = kir_intrinsic(a, t, INTR_LAST, &x);
    return truth ? kir_convert(a, kir_type(SC_BOOL, 1), x) : x;
}

static const KirExpr *steps_of(Gen *g, const KirExpr *n, const KirExpr *step)
{
    Arena *a = g->u->arena;
    return gen_variable(g, "whole",
                        kir_arith(a, FD_OP_MUL, kir_arith(a, FD_OP_DIV, n, step), step));
}

/* The last variable's range: in turns of several vectors, in vectors, one by one. */
static void last_variable(Gen *g, void *ctx)
{
    const Sum *s = ctx;
    Arena *a = g->u->arena;
    const FdNode *r = s->reduce;
    const KirExpr *lo, *n, *zero = kir_int(a, 0), *one = kir_int(a, 1), *turns = kir_int(a, TURN);
    gen_range(g, &r->doms[r->nvars - 1], r->vars[r->nvars - 1], &lo, &n);
    n = gen_variable(g, "n", n);
    const KirExpr *turn = kir_arith(a, FD_OP_MUL, turns, s->lanes);
    const KirExpr *whole = steps_of(g, n, s->lanes);
    KirBlock vectors = {0}, loop[3] = {{0}, {0}, {0}}, copies = {0};
    GenScope scope = gen_enter(g, &vectors);
    const KirExpr *most = steps_of(g, n, turn);
    const char *sums = fresh_name(g->u, "sums");
    const KirExpr *none = kir_splat(a, g->lanes, gen_identity(g, r)),
                  *u = kir_name(a, idx, fresh_name(g->u, "u")), *at[3];
    for (int i = 0; i < 3; i++) at[i] = kir_name(a, idx, gen_var_name(g, r->vars[r->nvars - 1]));
    kir_array(a, g->block, s->type, sums, false, 1, &turns);
    for (int i = 0; i < TURN; i++) {
        const KirExpr *k = kir_int(a, i);
        kir_set(a, g->block, kir_elem(a, s->type, sums, 1, &k), none);
    }
    GenScope in = gen_enter(g, &copies);
    const KirExpr *here = kir_arith(a, FD_OP_ADD, at[0], kir_arith(a, FD_OP_MUL, u, s->lanes));
    add_at(g, s, lo, here, kir_elem(a, s->type, sums, 1, &u));
    gen_leave(g, in);
    kir_for(a, &loop[0], u->name, zero, turns, one, true, copies);
    kir_for(a, g->block, at[0]->name, zero, most, turn, false, loop[0]);
    in = gen_enter(g, &loop[1]);
    add_at(g, s, lo, at[1], kir_elem(a, s->type, sums, 1, &zero));
    gen_leave(g, in);
    kir_for(a, g->block, at[1]->name, most, whole, s->lanes, false, loop[1]);
    const KirExpr *all = kir_elem(a, s->type, sums, 1, &zero);
    for (int i = 1; i < TURN; i++) {
        const KirExpr *k = kir_int(a, i);
        all = gen_combine(g, r->fn, all, kir_elem(a, s->type, sums, 1, &k));
    }
    const KirExpr *sum = gen_join_lanes(g, r, gen_variable(g, "v", all));
    kir_set(a, g->block, s->acc, gen_combine(g, r->fn, s->acc, sum));
    gen_leave(g, scope);
    kir_if(a, g->block, kir_arith(a, FD_OP_GT, whole, zero), vectors, NULL);
    in = gen_enter(g, &loop[2]);
    add_at(g, s, lo, at[2], s->acc);
    gen_leave(g, in);
    kir_for(a, g->block, at[2]->name, whole, n, one, false, loop[2]);
}

const KirExpr *gen_sum_in_lanes(Gen *g, const FdNode *n)
{
    if (!g->sums || g->lane_var || g->mask || g->checks != GEN_PROVED || !can_be_in_lanes(g->u, n))
        return NULL;
    Arena *a = g->u->arena;
    KirType t = gen_type(g->u, n->type);
    Sum s = {.reduce = n,
             .acc = kir_name(a, t, fresh_name(g->u, "acc")),
             .lanes = kir_lane_count(a, g->lanes),
             .type = t};
    s.type.lanes = g->lanes;
    kir_decl(a, g->block, t, s.acc->name, gen_identity(g, n));
    gen_loops_to(g, n, n->nvars - 1, last_variable, &s);
    gen_remember(g, n, s.acc);
    return s.acc;
}
