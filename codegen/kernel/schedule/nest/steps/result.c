/* Lowering results: what reductions have come to so far, from START to SAVE.
 *
 *   acc0[copy][copy]   vectors, or scalars where nothing is in lanes: one for each position of the
 *                      unrolled axes (Nest.regs); of lanes along the reduction partial results
 *   tail0              a scalar: what comes outside of lanes, and all together after a JOIN
 *
 * A reduction without identity keeps a flag that is true until its first operand has come: first0 of
 * the scalar, firsts0[copy][copy] of vectors and copies. */
#include "../../../../../base/internal.h"
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

KirType nest_scalar_type(Lower *l, int r)
{
    return gen_type(l->u, l->n->reduces[r]->type);
}

static KirType nest_result_type(Lower *l, int r)
{
    KirType t = nest_scalar_type(l, r);
    return l->n->lanes_axis >= 0 ? gen_widen(l->u, t, l->g.lanes) : t;
}

const char *nest_named(Lower *l, const char *stem, int r)
{
    return arena_printf(l->a, "%s%d", stem, r);
}

static const KirExpr *of_copies(Lower *l, KirType t, const char *name,
                                const KirExpr *const copies[2])
{
    const Nest *n = l->n;
    const KirExpr *at[2];
    for (int i = 0; i < n->nregs; i++) at[i] = copies[i] ? copies[i] : kir_int(l->a, 0);
    return n->nregs ? kir_elem(l->a, t, name, n->nregs, at) : kir_name(l->a, t, name);
}

/* The registers of these copies (NULL: the first). */
const KirExpr *nest_registers(Lower *l, int r, const KirExpr *const copies[2])
{
    return of_copies(l, nest_result_type(l, r), nest_named(l, "acc", r), copies);
}

const KirExpr *nest_tail(Lower *l, int r)
{
    return kir_name(l->a, nest_scalar_type(l, r), nest_named(l, "tail", r));
}

static const KirType truth = {.kind = SC_BOOL, .lanes = 1};

const KirExpr *nest_first(Lower *l, int r, const KirExpr *const copies[2])
{
    return of_copies(l, truth, nest_named(l, "firsts", r), copies);
}

static const KirExpr *tail_first(Lower *l, int r)
{
    return kir_name(l->a, truth, nest_named(l, "first", r));
}

/* Does a step at this position speak of registers, and of which copies, or of the scalar? */
static bool in_registers(Lower *l, const KirExpr *copies[2])
{
    const Nest *n = l->n;
    if (!l->vectors || (n->lanes_axis >= 0 && !nest_in_lanes(l, n->lanes_axis))) return false;
    for (int i = 0; i < n->nregs; i++) copies[i] = l->places[n->regs[i].axis].copy;
    return true;
}

/* What a step at this position speaks of. */
const KirExpr *nest_result_here(Lower *l, int r)
{
    const KirExpr *copies[2] = {NULL, NULL};
    return in_registers(l, copies) ? nest_registers(l, r, copies) : nest_tail(l, r);
}

const KirExpr *nest_first_here(Lower *l, int r)
{
    const KirExpr *copies[2] = {NULL, NULL};
    return in_registers(l, copies) ? nest_first(l, r, copies) : tail_first(l, r);
}

/* ---- loops over the registers ------------------------------------------------------------------ */

static void each_register(Lower *l, int from, const KirExpr *copies[2], NestOnRegisters *body,
                          void *ctx)
{
    Gen *g = &l->g;
    if (from == l->n->nregs) {
        body(l, copies, ctx);
        return;
    }
    const KirExpr *count = nest_number(l, "count", l->n->regs[from].count);
    const KirExpr *copy = kir_name(l->a, idx, fresh_name(l->u, "u"));
    copies[from] = copy;
    KirBlock b = {0};
    GenScope scope = gen_enter(g, &b);
    each_register(l, from + 1, copies, body, ctx);
    gen_leave(g, scope);
    kir_for(l->a, g->block, copy->name, kir_int(l->a, 0), count, kir_int(l->a, 1), true, b);
}

void nest_each_register(Lower *l, NestOnRegisters *body, void *ctx)
{
    const KirExpr *copies[2] = {NULL, NULL};
    each_register(l, 0, copies, body, ctx);
}

/* ---- start ------------------------------------------------------------------------------------- */

static const KirExpr *identity(Lower *l, int r)
{
    return gen_identity(&l->g, l->n->reduces[r]);
}

static const KirExpr *gen_bool(Lower *l, bool b)
{
    return kir_const(l->a, SC_BOOL, (ScalarValue){.i = b});
}

static void clear(Lower *l, const KirExpr *const copies[2], void *ctx)
{
    (void)ctx;
    for (int r = 0; r < l->n->nreduces; r++) {
        const KirExpr *acc = nest_registers(l, r, copies), *first = identity(l, r);
        if (!first) {
            kir_set(l->a, l->g.block, nest_first(l, r, copies), gen_bool(l, true));
            continue;
        }
        if (l->rest) { /* registers lie along the lanes */
            const KirExpr *at = nest_mul(l, copies[0], nest_lanes_number(l));
            first = kir_load(l->a, acc->type, nest_named(l, "rest", r), at);
        }
        kir_set(l->a, l->g.block, acc, gen_splat(l->u, acc->type.lanes, first));
    }
}

static void start_value(Lower *l, int r, const KirExpr *to, const KirExpr *first, bool resume)
{
    KirType t = to->type;
    KirBlock *b = l->g.block;
    const KirExpr *init;
    if (resume) {
        KirType one = nest_scalar_type(l, r);
        const char *buffer = gen_temp(&l->g, l->n->part.temps[r], one, true);
        init = kir_load(l->a, t, buffer, nest_part_offset(l));
    } else {
        init = identity(l, r);
        if (init) init = gen_splat(l->u, t.lanes, init);
    }
    kir_decl(l->a, b, t, to->name, init);
    if (!init && !resume) kir_decl(l->a, b, first->type, first->name, gen_bool(l, true));
}

static void start(Lower *l, bool resume)
{
    const Nest *n = l->n;
    bool reduced = nest_is_reduced(n, n->lanes_axis, 0, n->nreduces),
         open = nest_in_lanes(l, n->lanes_axis);
    l->vectors = n->nregs || open || reduced;
    l->joined = false;
    bool scalars = !l->vectors || reduced;
    for (int r = 0; r < n->nreduces; r++) {
        const KirExpr *none[2] = {NULL, NULL}, *dims[2];
        if (scalars) start_value(l, r, nest_tail(l, r), tail_first(l, r), resume);
        if (!l->vectors) continue;
        if (!n->nregs) {
            start_value(l, r, nest_registers(l, r, none), nest_first(l, r, none), resume);
            continue;
        }
        for (int i = 0; i < n->nregs; i++) dims[i] = nest_number(l, "count", n->regs[i].count);
        kir_array(l->a, l->g.block, nest_result_type(l, r), nest_named(l, "acc", r), false,
                  n->nregs, dims);
        if (!identity(l, r))
            kir_array(l->a, l->g.block, truth, nest_named(l, "firsts", r), false, n->nregs, dims);
    }
    if (l->vectors && n->nregs) nest_each_register(l, clear, NULL);
    l->rest = false;
}

/* ---- take -------------------------------------------------------------------------------------- */

void nest_take_value(Lower *l, int r, const KirExpr *value)
{
    Gen *g = &l->g;
    const KirExpr *copies[2] = {NULL, NULL};
    bool registers = in_registers(l, copies);
    const KirExpr *acc = registers ? nest_registers(l, r, copies) : nest_tail(l, r);
    const FdNode *reduce = l->n->reduces[r];
    value = gen_splat(l->u, acc->type.lanes, value);
    if (identity(l, r)) {
        kir_set(l->a, g->block, acc, gen_combine(g, reduce->fn, acc, value));
        return;
    }
    KirBlock begin = {0}, go = {0};
    const KirExpr *v = gen_variable(g, "v", value),
                  *first = registers ? nest_first(l, r, copies) : tail_first(l, r);
    kir_set(l->a, &begin, acc, v);
    kir_set(l->a, &begin, first, gen_bool(l, false));
    GenScope scope = gen_enter(g, &go);
    kir_set(l->a, &go, acc, gen_combine(g, reduce->fn, acc, v));
    gen_leave(g, scope);
    kir_if(l->a, g->block, first, begin, &go);
}

/* Arrays beside the reductions: their values here, all of which are computed before one is stored. */
static void store_beside(Lower *l)
{
    Gen *g = &l->g;
    const Def *d = l->n->def;
    for (int i = 0; i < d->nbeside; i++) {
        const FdNode *body = d->beside[i]->body;
        gen_remember(g, body, gen_variable(g, "v", gen_whole(g, body)));
    }
    for (int i = 0; i < d->nbeside; i++) gen_store(g, d->beside[i]);
}

const FdNode *nest_taken(const Lower *l, int r)
{
    const FdNode *reduce = l->n->reduces[r];
    const DefWithin *w = l->within ? NULL : def_within(l->n->def, reduce);
    return w ? w->value : reduce->body;
}

/* The lanes before the end, where the last vector is masked; NULL: all take a value. */
static const KirExpr *live_lanes(Lower *l)
{
    Gen *g = &l->g;
    const int axis = l->n->lanes_axis;
    const NestPlace *p = axis < 0 ? NULL : &l->places[axis];
    if (!p || !p->lanes || !p->masked) return NULL;
    const KirType ints = kir_type(SC_INT, g->lanes);
    const KirExpr *left = nest_op(l, FD_OP_SUB, p->masked, p->at);
    left = kir_convert(l->a, kir_type(SC_INT, 1), kir_min(l->a, left, nest_lanes_number(l)));
    const KirExpr *args[] = {kir_iota(l->a, ints), kir_splat(l->a, g->lanes, left)};
    return gen_variable(g, "live", kir_op(l->a, FD_OP_LT, kir_type(SC_BOOL, g->lanes), 2, args));
}

/* Reads along the axis may be outside in the others, which note nothing: so they are suspect. */
static const KirExpr *live_value(Lower *l, int r, const KirExpr *live)
{
    Gen *g = &l->g;
    const KirExpr *outer = g->mask;
    g->mask = live;
    g->uneven = l->n->axes[l->n->lanes_axis].vars[0];
    const KirExpr *value = gen_splat(l->u, g->lanes, gen_whole(g, nest_taken(l, r)));
    g->uneven = NULL;
    g->mask = outer;
    return gen_blend(g, live, value, gen_splat(l->u, g->lanes, identity(l, r)));
}

static void take(Lower *l, int begin, int end)
{
    Gen *g = &l->g;
    const KirExpr *values[NEST_RESULTS];
    GenScope scope = gen_enter(g, g->block);
    nest_remember(l);
    const KirExpr *live = live_lanes(l);
    for (int r = begin; r < end; r++)
        values[r] = live ? live_value(l, r, live) : gen_whole(g, nest_taken(l, r));
    for (int r = begin; r < end; r++)
        if (l->change)
            nest_ask(l, r, values[r]);
        else
            nest_take_value(l, r, values[r]);
    if (!begin) store_beside(l);
    gen_leave(g, scope);
}

/* ---- parts ------------------------------------------------------------------------------------- */

const KirExpr *nest_part_offset(Lower *l)
{
    const NestPart *p = &l->n->part;
    const KirExpr *at = kir_int(l->a, 0);
    for (int i = 0; i < p->naxes; i++) {
        const NestPlace *here = &l->places[p->axes[i]];
        const NestAxis *x = &l->n->axes[p->axes[i]];
        bool groups = nest_is_reduced(l->n, p->axes[i], 0, l->n->nreduces) && here->turn;
        const char *name = arena_printf(l->a, "parts_%s", x->name);
        if (i) at = nest_mul(l, at, nest_number(l, name, p->lengths[i]));
        at = nest_add(l, at, groups ? here->turn : here->at);
    }
    return at;
}

void nest_by_one(Lower *l, KirBlock body)
{
    const KirExpr *id = nest_local_id(l, 0), *zero = kir_int(l->a, 0);
    kir_if(l->a, l->g.block, nest_op(l, FD_OP_EQ, id, zero), body, NULL);
}

/* The part has room for all registers, also where there are no results. */
static void save_register(Lower *l, const KirExpr *const copies[2], void *ctx)
{
    const Nest *n = l->n;
    NestPlace before[2];
    (void)ctx;
    for (int i = 0; i < n->nregs; i++) {
        NestPlace *p = &l->places[n->regs[i].axis];
        before[i] = *p;
        p->at = nest_add(l, p->at, nest_copy_way(l, copies[i], n->regs[i].step, n->regs[i].run));
    }
    for (int r = 0; r < n->nreduces; r++) {
        const char *buffer = gen_temp(&l->g, n->part.temps[r], nest_scalar_type(l, r), true);
        kir_store(l->a, l->g.block, buffer, nest_part_offset(l), nest_registers(l, r, copies));
    }
    for (int i = 0; i < n->nregs; i++) l->places[n->regs[i].axis] = before[i];
}

static void save_all(Lower *l)
{
    if (l->vectors && l->n->nregs) {
        nest_each_register(l, save_register, NULL);
        return;
    }
    for (int r = 0; r < l->n->nreduces; r++) {
        const char *buffer = gen_temp(&l->g, l->n->part.temps[r], nest_scalar_type(l, r), true);
        kir_store(l->a, l->g.block, buffer, nest_part_offset(l), nest_result_here(l, r));
    }
}

static void save(Lower *l)
{
    if (!l->joined) {
        save_all(l);
        return;
    }
    KirBlock first = {0};
    GenScope scope = gen_enter(&l->g, &first);
    save_all(l);
    gen_leave(&l->g, scope);
    nest_by_one(l, first);
}

static void take_parts(Lower *l)
{
    for (int r = 0; r < l->n->nreduces; r++) {
        const KirExpr *acc = nest_result_here(l, r);
        const char *buffer = gen_temp(&l->g, l->n->part.temps[r], nest_scalar_type(l, r), false);
        nest_take_value(l, r, kir_load(l->a, acc->type, buffer, nest_part_offset(l)));
    }
}

void nest_result(Lower *l, const NestStep *s)
{
    switch (s->kind) {
    case NEST_START: start(l, false); break;
    case NEST_RESUME: start(l, true); break;
    case NEST_TAKE: take(l, s->begin, s->end); break;
    case NEST_PARTS: take_parts(l); break;
    case NEST_JOIN: nest_join(l); break;
    case NEST_SAVE: save(l); break;
    case NEST_GIVE: nest_give(l); break;
    default: internal_error("result", "a step of no form");
    }
}
