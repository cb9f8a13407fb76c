/* Reductions in lanes whose ranges differ from lane to lane: each lane goes over its own, and is left out at its end.
 *
 *   before   y(i) = min(k : first(i)..first(i + 1), x(to(k)))        in lanes of i
 *   after    k = first(i), end = first(i + 1);  live = k < end;
 *            for (turn = 0; turn < 32; turn++) { if (!any(live)) break; acc = live ? min(acc, x(to(k))) : acc; .. }
 *
 * What is left of longer ranges is taken range by range, in vectors along each. Reads at k are noted (GEN_NOTED): a
 * lane that is not live asks for some element inside and notes nothing. Each lane takes its values in order. Requires what lanes_refused asks of LANES_UNEVEN. */
#include "../plan/draw.h"
#include "gen.h"

static const KirType truth = {.kind = SC_BOOL, .lanes = 1}, idx = {.kind = KIR_IDX, .lanes = 1};

enum { TURNS = 32 };

bool gen_is_uneven(const Gen *g, const FdNode *reduce)
{
    if (!g->lane_var || reduce->nvars != 1 || !reduce->doms->lo) return false;
    return gen_varies(g, reduce->doms->lo) || gen_varies(g, reduce->doms->hi);
}

/* A bound in lanes, as a value of the variable. */
static const KirExpr *bound(Gen *g, const FdNode *reduce, const FdNode *of)
{
    Arena *a = g->u->arena;
    KirType t = kir_type((int)result_kind(reduce->vars[0]), g->lanes);
    return gen_variable(g, "end", kir_splat(a, g->lanes, kir_convert(a, t, gen_value(g, of))));
}

static const KirExpr *less(Gen *g, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {x, y};
    return kir_op(g->u->arena, FD_OP_LT, kir_type(SC_BOOL, g->lanes), 2, args);
}

static const KirExpr *variable(Gen *g, const char *stem, const KirExpr *e)
{
    const KirExpr *v = kir_name(g->u->arena, e->type, fresh_name(g->u, stem));
    kir_decl(g->u->arena, g->block, v->type, v->name, e);
    return v;
}

/* What the lanes that are live take. None ends early: what follows may fail. */
static void turn(Gen *g, const FdNode *n, const KirExpr *k, const KirExpr *end, const KirExpr *live,
                 const KirExpr *acc)
{
    Arena *a = g->u->arena;
    GenScope s = gen_enter(g, g->block);
    g->uneven = n->vars[0];
    gen_bind(g, n->vars[0], k);
    const KirExpr *value = kir_splat(a, g->lanes, gen_whole(g, n->body));
    kir_set(a, g->block, acc, gen_blend(g, live, gen_combine(g, n->fn, acc, value), acc));
    g->uneven = NULL;
    gen_leave(g, s);
    const KirExpr *one = kir_const(a, (ScalarKind)k->type.kind, (ScalarValue){.i = 1}),
                  *sum[] = {k, kir_splat(a, g->lanes, one)};
    kir_set(a, g->block, k, kir_op(a, FD_OP_ADD, k->type, 2, sum));
    kir_set(a, g->block, live, gen_mask_and(g, live, less(g, k, end)));
}

/* ---- one by one -------------------------------------------------------------------------------- */

/* A vector as an array of the work-item, and back; bools are ints there. */
static KirType kept_type(const KirExpr *e)
{
    return kir_type(e->type.kind == SC_BOOL ? SC_INT : e->type.kind, 1);
}

static const char *keep(Gen *g, const char *stem, const KirExpr *e)
{
    Arena *a = g->u->arena;
    KirType t = kept_type(e);
    const char *name = fresh_name(g->u, stem);
    const KirExpr *lanes = kir_lane_count(a, g->lanes);
    kir_array(a, g->block, t, name, false, 1, &lanes);
    kir_store(a, g->block, name, kir_int(a, 0), kir_convert(a, t, e));
    return name;
}

static const KirExpr *kept(Gen *g, const char *name, const KirExpr *e)
{
    KirType t = kept_type(e);
    t.lanes = g->lanes;
    const KirExpr *all = kir_load(g->u->arena, t, name, kir_int(g->u->arena, 0));
    return kir_convert(g->u->arena, e->type, all);
}

static const KirExpr *element(Gen *g, const char *name, KirType t, const KirExpr *at)
{
    return kir_elem(g->u->arena, t, name, 1, &at);
}

/* What is known in lanes of the results is not known along one range, nor the other way round. */
typedef struct Apart {
    const FdNode *lane_var;
    const KirExpr *mask;
    GenMemos memo, indices;
} Apart;

static Apart enter_apart(Gen *g, const FdNode *lane_var)
{
    Apart x = {g->lane_var, g->mask, g->memo, g->indices};
    g->memo = g->indices = (GenMemos){0};
    g->lane_var = lane_var;
    g->mask = NULL;
    return x;
}

static void leave_apart(Gen *g, const Apart *x)
{
    vec_free(&g->memo.list);
    vec_free(&g->memo.at);
    vec_free(&g->indices.list);
    vec_free(&g->indices.at);
    g->memo = x->memo;
    g->indices = x->indices;
    g->lane_var = x->lane_var;
    g->mask = x->mask;
}

/* sum = sum op the values from `from` to `to`, a scalar or a vector at a time. */
static void take_along(Gen *g, const FdNode *n, const KirExpr *row, const KirExpr *from,
                       const KirExpr *to, const KirExpr *sum)
{
    Arena *a = g->u->arena;
    const FdNode *v = g->lane_var;
    bool lanes = sum->type.lanes != 1;
    const KirExpr *at = kir_name(a, idx, gen_var_name(g, n->vars[0]));
    KirBlock body = {0};
    Apart outer = enter_apart(g, lanes ? n->vars[0] : NULL);
    GenScope s = gen_enter(g, &body);
    gen_bind(g, v, row);
    gen_bind(g, n->vars[0], at);
    const KirExpr *value = kir_splat(a, sum->type.lanes, gen_whole(g, n->body));
    kir_set(a, &body, sum, gen_combine(g, n->fn, sum, value));
    gen_leave(g, s);
    leave_apart(g, &outer);
    kir_for(a, g->block, at->name, from, to, kir_lane_count(a, sum->type.lanes), false, body);
}

/* What a lane has left: in vectors along its range, and the end one by one. */
static void take_rest(Gen *g, const FdNode *n, const KirExpr *lane, const char *from,
                      const char *to, const char *sums, const KirExpr *k, const KirExpr *acc)
{
    Arena *a = g->u->arena;
    KirType t = kept_type(acc), own = kir_type(acc->type.kind, 1);
    const KirExpr *row = gen_variable(g, "row",
                                      kir_arith(a, FD_OP_ADD, gen_bound(g, g->lane_var), lane)),
                  *lo = gen_variable(g, "lo",
                                     kir_convert(a, idx, element(g, from, kept_type(k), lane))),
                  *hi = gen_variable(g, "hi",
                                     kir_convert(a, idx, element(g, to, kept_type(k), lane))),
                  *width = kir_lane_count(a, g->lanes), *whole = lo,
                  *sum = variable(g, "sum", kir_convert(a, own, element(g, sums, t, lane)));
    if (gen_can_join(result_kind(n)) &&
        lanes_possible(n->body, n->vars[0], LANES_NOTED | LANES_FAR)) {
        const KirExpr *left = kir_arith(a, FD_OP_SUB, hi, lo);
        whole = kir_arith(a, FD_OP_MUL, kir_arith(a, FD_OP_DIV, left, width), width);
        whole = gen_variable(g, "whole", kir_arith(a, FD_OP_ADD, lo, whole));
        KirBlock some = {0};
        GenScope s = gen_enter(g, &some);
        const KirExpr *none = kir_splat(a, g->lanes, gen_identity(g, n)),
                      *all = variable(g, "all", none);
        take_along(g, n, row, lo, whole, all);
        kir_set(a, &some, sum, gen_combine(g, n->fn, sum, gen_join_lanes(g, n, all)));
        gen_leave(g, s);
        kir_if(a, g->block, kir_arith(a, FD_OP_LT, lo, whole), some, NULL);
    }
    take_along(g, n, row, whole, hi, sum);
    kir_set(a, g->block, element(g, sums, t, lane), kir_convert(a, t, sum));
}

static void rest(Gen *g, const FdNode *n, const KirExpr *k, const KirExpr *end, const KirExpr *live,
                 const KirExpr *acc)
{
    Arena *a = g->u->arena;
    KirBlock some = {0}, each = {0};
    GenScope s = gen_enter(g, &some);
    const char *from = keep(g, "from", gen_blend(g, live, k, end)), *to = keep(g, "to", end),
               *sums = keep(g, "sums", acc);
    const KirExpr *lane = kir_name(a, idx, fresh_name(g->u, "lane"));
    GenScope in = gen_enter(g, &each);
    take_rest(g, n, lane, from, to, sums, k, acc);
    gen_leave(g, in);
    kir_for(a, &some, lane->name, kir_int(a, 0), kir_lane_count(a, g->lanes), kir_int(a, 1), false,
            each);
    kir_set(a, &some, acc, kept(g, sums, acc));
    gen_leave(g, s);
    kir_if(a, g->block, gen_any(g, live), some, NULL);
}

const KirExpr *gen_uneven(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    const KirExpr *outer = g->mask;
    const KirExpr *lo = bound(g, n, n->doms->lo), *end = bound(g, n, n->doms->hi);
    const KirExpr *k = variable(g, "k", lo), *some = gen_variable(g, "some", less(g, lo, end));
    if (unit_is_empty(g->u, n)) gen_note(g, gen_mask_not(g, some));
    const KirExpr *live = variable(g, "live", outer ? gen_mask_and(g, outer, some) : some),
                  *acc = variable(g, "acc", kir_splat(a, g->lanes, gen_identity(g, n))),
                  *any = gen_any(g, live);
    KirBlock body = {0}, ends = {0};
    GenScope s = gen_enter(g, &body);
    kir_simple(a, &ends, KIR_BREAK);
    kir_if(a, &body, kir_op(a, FD_OP_LNOT, truth, 1, &any), ends, NULL);
    g->mask = live;
    turn(g, n, k, end, live, acc);
    g->mask = outer;
    gen_leave(g, s);
    const KirExpr *turns = kir_int(a, draw_same(g->u, P_LANES_UNEVEN, TURNS));
    kir_for(a, g->block, fresh_name(g->u, "turn"), kir_int(a, 0), turns, kir_int(a, 1), false,
            body);
    rest(g, n, k, end, live, acc);
    gen_remember(g, n, acc);
    return acc;
}
