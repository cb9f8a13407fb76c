/* Lowering JOIN: the lanes, copies and work-items of results become one (result.c); and LEAVE, which
 * asks whether one of them is the last word. */
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

/* all[0] = all[0] op all[1] op .., halving what is left in each round */
static void join_items(Lower *l, int r)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    KirType t = nest_scalar_type(l, r);
    const KirExpr *group = nest_number(l, "items", l->local[0]), *one = kir_int(a, 1),
                  *zero = kir_int(a, 0), *acc = nest_tail(l, r);
    const KirExpr *id = gen_variable(g, "id", nest_local_id(l, 0));
    const char *all = nest_named(l, "all", r);
    kir_array(a, &g->head, t, all, true, 1, &group);
    const KirExpr *round = kir_name(a, idx, fresh_name(l->u, "round"));
    const KirExpr *mine = kir_elem(a, t, all, 1, &id);
    kir_set(a, g->block, mine, acc);
    kir_simple(a, g->block, KIR_BARRIER);
    KirBlock rounds = {0}, half = {0};
    GenScope scope = gen_enter(g, &rounds);
    const KirExpr *left =
        gen_variable(g, "left", nest_op(l, FD_OP_DIV, group, nest_mul(l, round, kir_int(a, 2))));
    const KirExpr *other = nest_add(l, id, left);
    kir_set(a, &half, mine,
            gen_combine(g, l->n->reduces[r]->fn, mine, kir_elem(a, t, all, 1, &other)));
    kir_if(a, &rounds, nest_op(l, FD_OP_LT, id, left), half, NULL);
    kir_simple(a, &rounds, KIR_BARRIER);
    gen_leave(g, scope);
    kir_for(a, g->block, round->name, one, group, round, true, rounds);
    kir_set(a, g->block, acc, kir_elem(a, t, all, 1, &zero));
}

/* Lanes in memory are stored elements: of bools bytes, of halves floats; an array for each scalar of
 * a record. */
static KirType in_memory(KirType t)
{
    t.lanes = 1;
    if (t.kind == SC_BOOL) t.kind = SC_BYTE;
    if (t.kind == SC_HALF) t.kind = SC_FLOAT;
    return t;
}

static void lanes_to_memory(Lower *l, const KirExpr *e, const char *name)
{
    KirType t = in_memory(e->type);
    if (t.kind == KIR_RECORD) {
        for (int i = 0; i < e->type.record->nfields; i++)
            lanes_to_memory(l, kir_member(l->a, e, i), arena_printf(l->a, "%s_%d", name, i));
        return;
    }
    const KirExpr *lanes = nest_lanes_number(l);
    kir_array(l->a, l->g.block, t, name, false, 1, &lanes);
    if (t.kind == SC_FLOAT) e = kir_convert(l->a, t, e);
    kir_store(l->a, l->g.block, name, kir_int(l->a, 0), e);
}

static const KirExpr *lane_in_memory(Lower *l, KirType t, const char *name, const KirExpr *i)
{
    if (t.kind != KIR_RECORD) {
        return kir_convert(l->a, t, kir_elem(l->a, in_memory(t), name, 1, &i));
    }
    const KirExpr **fields = arena_array(l->a, const KirExpr *, t.record->nfields);
    for (int k = 0; k < t.record->nfields; k++)
        fields[k] = lane_in_memory(l, t.record->types[k], arena_printf(l->a, "%s_%d", name, k), i);
    return kir_make(l->a, t, fields);
}

/* Of vectors to which nothing has come, none are left out: copies fill up from the first on. */
static const KirExpr *has_come(Lower *l, int r, const KirExpr *const copies[2])
{
    const KirExpr *first = nest_first(l, r, copies);
    return kir_op(l->a, FD_OP_LNOT, first->type, 1, &first);
}

/* The copies of a vector of partial results: one axis, that of the reduction. */
static const KirExpr *join_copies(Lower *l, int r, bool identity)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const KirExpr *none[2] = {NULL, NULL}, *all = nest_registers(l, r, none);
    if (!l->n->nregs) return all;
    const KirExpr *sum = kir_name(a, all->type, fresh_name(l->u, "sum")),
                  *copy = kir_name(a, idx, fresh_name(l->u, "u"));
    kir_decl(a, g->block, all->type, sum->name, all);
    KirBlock each = {0}, add = {0};
    GenScope scope = gen_enter(g, &add);
    const KirExpr *copies[2] = {copy, NULL};
    kir_set(a, &add, sum, gen_combine(g, l->n->reduces[r]->fn, sum, nest_registers(l, r, copies)));
    gen_leave(g, scope);
    if (!identity) kir_if(a, &each, has_come(l, r, copies), add, NULL);
    kir_for(a, g->block, copy->name, kir_int(a, 1), nest_number(l, "count", l->n->regs[0].count),
            kir_int(a, 1), true, identity ? add : each);
    return sum;
}

/* Lanes to the scalar, in their order. */
static void join_in_order(Lower *l, int r)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    bool identity = gen_identity(g, l->n->reduces[r]) != NULL;
    const KirExpr *none[2] = {NULL, NULL};
    KirBlock join = {0}, each = {0};
    GenScope whole = gen_enter(g, identity ? g->block : &join);
    const KirExpr *all = join_copies(l, r, identity);
    const KirExpr *i = kir_name(a, idx, fresh_name(l->u, "i"));
    const char *lane = nest_named(l, "lane", r);
    lanes_to_memory(l, all, lane);
    GenScope scope = gen_enter(g, &each);
    nest_take_value(l, r, lane_in_memory(l, nest_scalar_type(l, r), lane, i));
    gen_leave(g, scope);
    kir_for(a, g->block, i->name, kir_int(a, 0), nest_lanes_number(l), kir_int(a, 1), false, each);
    gen_leave(g, whole);
    if (!identity) kir_if(a, g->block, has_come(l, r, none), join, NULL);
}

/* Halves upon each other until all lanes hold the same: one after the other each would wait for the one before. */
static void join_halves(Lower *l, int r)
{
    enum { MOST_LANES = 16 }; /* of OpenCL */
    Gen *g = &l->g;
    Arena *a = l->a;
    const FdNode *fn = l->n->reduces[r]->fn;
    const KirExpr *all = join_copies(l, r, true);
    const KirExpr *sum = kir_name(a, all->type, fresh_name(l->u, "halves"));
    kir_decl(a, g->block, all->type, sum->name, all);
    for (int distinct = MOST_LANES; distinct > 1; distinct /= 2) {
        KirBlock round = {0};
        const KirExpr *both[] = {sum, sum};
        GenScope scope = gen_enter(g, &round);
        const KirExpr *low = kir_intrinsic(a, all->type, INTR_LOW, both),
                      *high = kir_intrinsic(a, all->type, INTR_HIGH, both);
        kir_set(a, &round, sum, gen_combine(g, fn, low, high));
        gen_leave(g, scope);
        const KirExpr *some = nest_op(l, FD_OP_GE, nest_lanes_number(l), kir_int(a, distinct));
        kir_if(a, g->block, some, round, NULL);
    }
    nest_take_value(l, r, kir_intrinsic(a, nest_scalar_type(l, r), INTR_FIRST, &sum));
}

/* Are they numbers, joined by an operation that asks for no order? */
static bool is_of_halves(Lower *l, int r)
{
    const FdNode *reduce = l->n->reduces[r];
    const ScalarKind kind = reduce->type->record ? SC_BOOL : result_kind(reduce);
    return fd_op_of(reduce) != FD_OP_NONE && gen_identity(&l->g, reduce) && kind != SC_BOOL &&
           kind != SC_HALF;
}

void nest_join(Lower *l)
{
    for (int r = 0; r < l->n->nreduces; r++) {
        if (l->vectors && is_of_halves(l, r))
            join_halves(l, r);
        else if (l->vectors)
            join_in_order(l, r);
        if (l->items) join_items(l, r);
    }
    l->vectors = false;
    l->joined = l->items;
}

/* ---- leave ------------------------------------------------------------------------------------- */

/* Does some lane of some copy hold what nothing changes: true of ||, false of &&? */
static const KirExpr *is_decided(Lower *l, int r)
{
    Arena *a = l->a;
    Gen *g = &l->g;
    const FdNode *reduce = l->n->reduces[r];
    const KirExpr *none[2] = {NULL, NULL}, *all = nest_registers(l, r, none);
    if (l->n->nregs) {
        const KirExpr *sum = kir_name(a, all->type, fresh_name(l->u, "sum")),
                      *copy = kir_name(a, idx, fresh_name(l->u, "u"));
        KirBlock each = {0};
        const KirExpr *copies[2] = {copy, NULL};
        kir_decl(a, g->block, all->type, sum->name, all);
        kir_set(a, &each, sum, gen_combine(g, reduce->fn, sum, nest_registers(l, r, copies)));
        kir_for(a, g->block, copy->name, kir_int(a, 1),
                nest_number(l, "count", l->n->regs[0].count), kir_int(a, 1), true, each);
        all = sum;
    }
    if (fd_op_of(reduce) == FD_OP_LAND) all = kir_op(a, FD_OP_LNOT, all->type, 1, &all);
    return gen_any(g, all);
}

void nest_leave(Lower *l, const NestStep *s)
{
    (void)s;
    const KirExpr *decided = NULL;
    KirBlock end = {0};
    for (int r = 0; r < l->n->nreduces; r++) {
        const KirExpr *one = is_decided(l, r), *both[] = {decided, one};
        decided = decided ? kir_op(l->a, FD_OP_LAND, one->type, 2, both) : one;
    }
    kir_simple(l->a, &end, KIR_BREAK);
    kir_if(l->a, l->g.block, decided, end, NULL);
}
