/* Lowering SCATTER: where the guards of a reduction by key hold (keys.h), the value at this position is
 * combined with the part of its key.
 *
 *   key = data[i] - lo;
 *   if (key < n) t0[(group * 8 + copy) * n + key] += value;
 *   if (key < n) t0[(group * n + key) * width + d ..] += values;                            in lanes of a row
 *
 * A key outside the table is no key; what comes after a guard is computed only where it holds. */
#include "../../../analysis/keys.h"
#include "../impl.h"

typedef struct Scatter {
    Lower *l;
    KeyForm forms[NEST_RESULTS];
    const KirExpr *at[FD_MAX_RANK]; /* of the definition's variables that are keys */
} Scatter;

/* Puts the kernel at the position that the keys give. */
static void go_to_key(Scatter *x)
{
    Lower *l = x->l;
    const Def *d = l->n->def;
    const NestAxis *keys = &l->n->axes[l->n->keys.axis];
    const KirExpr *at = kir_int(l->a, 0);
    for (int i = 0; i < keys->nvars; i++) {
        const KirExpr *lo, *n;
        int v = 0;
        while (d->vars[v] != keys->vars[i]) v++;
        gen_range(&l->g, &keys->doms[i], keys->vars[i], &lo, &n);
        at = nest_add(l, i ? nest_mul(l, at, n) : at, x->at[v]);
    }
    l->places[l->n->keys.axis].at = at;
}

static void take_one(Scatter *x, int r)
{
    Lower *l = x->l;
    Gen *g = &l->g;
    const FdNode *reduce = l->n->reduces[r];
    KirType t = gen_type(l->u, reduce->type);
    if (nest_in_lanes(l, l->n->lanes_axis)) t = gen_widen(l->u, t, l->g.lanes);
    go_to_key(x);
    const KirExpr *value = gen_whole(g, reduce->body);
    if (l->n->keys.entries) {
        nest_table_take(l, r, value);
        return;
    }
    const char *buffer = gen_temp(g, l->n->part.temps[r], t, true);
    const KirExpr *offset = gen_variable(g, "part", nest_part_offset(l));
    const KirExpr *before = kir_load(l->a, t, buffer, offset);
    if (t.kind == KIR_RECORD) before = gen_variable(g, "before", before);
    value = gen_splat(l->u, t.lanes, value);
    kir_store(l->a, g->block, buffer, offset, gen_combine(g, reduce->fn, before, value));
}

static void guarded(Scatter *x, unsigned results, int depth);

/* The value of guard's variable for a value of its key, exactly or as no value of the variable, a
 * ulong: as far behind `lo`. */
static const KirExpr *position_of(Gen *g, const Def *d, const KeyGuard *guard, const KirExpr *key,
                                  const KirExpr *lo)
{
    Arena *a = g->u->arena;
    KirType word = kir_type(SC_ULONG, 1);
    const FdNode *side = guard->side, *v = d->vars[guard->var];
    while (side->kind == FD_APPLY && fd_op_of(side) != FD_OP_CONVERT) { /* sums wrap around */
        bool right = fd_uses_var(side->args[1], v);
        bool add = fd_op_of(side) == FD_OP_ADD;
        const KirExpr *rest = gen_value(g, side->args[!right]);
        const KirExpr *args[] = {key, rest};
        if (!add && right) args[0] = rest, args[1] = key;
        FdOp op = add || right ? FD_OP_SUB : FD_OP_ADD;
        key = kir_op(a, op, key->type, 2, args);
        side = side->args[right];
    }
    ScalarKind k = (ScalarKind)key->type.kind, from = v->type->scalar;
    if (scalar_bytes(k) == scalar_bytes(from)) key = kir_convert(a, kir_type((int)from, 1), key);
    const KirExpr *args[] = {kir_convert(a, word, key), kir_convert(a, word, lo)};
    return kir_op(a, FD_OP_SUB, word, 2, args);
}

static const FdDom *no_range(const void *ctx, const FdNode *v)
{
    (void)ctx;
    (void)v;
    return NULL;
}

/* Is the key one of the table, whatever it is, as a byte is of 256? */
static bool is_always(Gen *g, const FdDom *d, const FdNode *v, const KeyGuard *guard)
{
    Fd *fd = g->u->fd;
    const FdNode *side = guard->side;
    while (side->kind == FD_APPLY && fd_op_of(side) == FD_OP_CONVERT) side = side->args[0];
    if (side != v || !fd_is_const(d->lo) || !fd_is_const(d->hi)) return false;
    const FdNode *least = fd_extreme_typed(fd, guard->key, false, no_range, NULL),
                 *most = fd_extreme_typed(fd, guard->key, true, no_range, NULL);
    return least && most && fd_is_const(least) && fd_is_const(most) &&
           least->value.i >= d->lo->value.i && most->value.i < d->hi->value.i;
}

/* What a guard lets through. */
static void pass(Scatter *x, const KeyGuard *guard, unsigned results, int depth)
{
    Lower *l = x->l;
    Gen *g = &l->g;
    Arena *a = l->a;
    const Def *d = l->n->def;
    KirType truth = kir_type(SC_BOOL, 1);
    KirBlock inside = {0};
    GenScope scope = gen_enter(g, g->block);
    const KirExpr *holds = NULL, *at = NULL;
    if (guard->var >= 0) {
        const KirExpr *lo, *n;
        gen_range(g, &d->doms[guard->var], d->vars[guard->var], &lo, &n);
        const KirExpr *key = gen_value(g, guard->key);
        at = gen_variable(g, "key", position_of(g, d, guard, key, lo));
        const KirExpr *args[] = {at, kir_convert(a, at->type, n)};
        if (!is_always(g, &d->doms[guard->var], d->vars[guard->var], guard)) {
            holds = kir_op(a, FD_OP_LT, truth, 2, args);
            holds = kir_intrinsic(a, truth, INTR_LIKELY, &holds); /* most keys are in the table */
        }
        at = kir_convert(a, kir_type(KIR_IDX, 1), at);
    } else {
        holds = gen_value(g, guard->cond);
        if (!guard->wanted) holds = kir_op(a, FD_OP_LNOT, truth, 1, &holds);
    }
    GenScope in = gen_enter(g, holds ? &inside : g->block);
    if (at) {
        at = x->at[guard->var] = gen_variable(g, "at", at);
        gen_bind_at(g, &d->doms[guard->var], d->vars[guard->var], at);
    }
    gen_remember(g, guard->cond, kir_const(a, SC_BOOL, (ScalarValue){.i = guard->wanted}));
    guarded(x, results, depth + 1);
    gen_leave(g, in);
    if (holds) kir_if(a, g->block, holds, inside, NULL);
    gen_leave(g, scope);
}

/* The results (bits) whose guards before `depth` hold; those with the same next one share it. */
static void guarded(Scatter *x, unsigned results, int depth)
{
    const KeyGuard *first = NULL;
    bool same = true;
    for (int r = 0; r < x->l->n->nreduces; r++) {
        if (!(results >> r & 1)) continue;
        const KeyForm *form = &x->forms[r];
        const KeyGuard *guard = depth < form->n ? &form->guards[depth] : NULL;
        same = same && guard &&
               (!first || (first->cond == guard->cond && first->wanted == guard->wanted));
        if (!first) first = guard;
    }
    if (same) {
        pass(x, first, results, depth);
        return;
    }
    for (int r = 0; r < x->l->n->nreduces; r++) {
        if (!(results >> r & 1)) continue;
        const KeyForm *form = &x->forms[r];
        if (depth == form->n)
            take_one(x, r);
        else
            pass(x, &form->guards[depth], 1u << r, depth);
    }
}

void nest_scatter(Lower *l, const NestStep *s)
{
    (void)s;
    const Nest *n = l->n;
    Scatter x = {.l = l};
    NestPlace keys = l->places[n->keys.axis];
    unsigned vars = nest_key_variables(n);
    for (int r = 0; r < n->nreduces; r++) keys_form(l->u, n->def, n->reduces[r], vars, &x.forms[r]);
    if (n->keys.tables >= 0) {
        NestPlace *tables = &l->places[n->keys.tables];
        tables->at = kir_int(l->a, 0);
        for (int i = 0; i < n->naxes; i++) {
            const KirExpr *copy = l->places[i].copy;
            if (i != n->keys.tables && copy) tables->at = copy;
        }
    }
    GenScope scope = gen_enter(&l->g, l->g.block);
    nest_remember(l);
    guarded(&x, (1u << n->nreduces) - 1, 0);
    gen_leave(&l->g, scope);
    l->places[n->keys.axis] = keys;
    if (n->keys.tables >= 0) l->places[n->keys.tables].at = kir_int(l->a, 0);
}
