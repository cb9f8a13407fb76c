/* Lowering results: what reductions have come to so far, from START to GIVE.
 *
 *   acc0[copy][copy]   vectors, or scalars where nothing is in lanes: one for each position of the
 *                      unrolled axes (Nest.regs); of lanes along the reduction partial results
 *   tail0              a scalar: what comes outside of lanes, and all together after a JOIN
 *
 * A reduction without identity keeps a flag that is true until its first operand has come: first0 of
 * the scalar, firsts0[copy][copy] of vectors and copies. */
#include <stdlib.h>

#include "impl.h"

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
static const KirExpr *result(Lower *l, int r)
{
    const KirExpr *copies[2] = {NULL, NULL};
    return in_registers(l, copies) ? nest_registers(l, r, copies) : nest_tail(l, r);
}

/* ---- loops over the registers ------------------------------------------------------------------ */

typedef void OnRegisters(Lower *l, const KirExpr *const copies[2], void *ctx);

static void each_register(Lower *l, int from, const KirExpr *copies[2], OnRegisters *body,
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

static void for_registers(Lower *l, OnRegisters *body, void *ctx)
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
    if (l->vectors && n->nregs) for_registers(l, clear, NULL);
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

static void take(Lower *l, int begin, int end)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    const KirExpr *values[NEST_RESULTS];
    GenScope scope = gen_enter(g, g->block);
    nest_remember(l);
    for (int r = begin; r < end; r++) values[r] = gen_whole(g, n->reduces[r]->body);
    for (int r = begin; r < end; r++) nest_take_value(l, r, values[r]);
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

/* `body` by one work-item of those that hold the same. */
static void by_one(Lower *l, KirBlock body)
{
    const KirExpr *id = nest_local_id(l, 0), *zero = kir_int(l->a, 0);
    kir_if(l->a, l->g.block, nest_op(l, FD_OP_EQ, id, zero), body, NULL);
}

static void save_all(Lower *l)
{
    for (int r = 0; r < l->n->nreduces; r++) {
        const char *buffer = gen_temp(&l->g, l->n->part.temps[r], nest_scalar_type(l, r), true);
        kir_store(l->a, l->g.block, buffer, nest_part_offset(l), result(l, r));
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
    by_one(l, first);
}

static void take_parts(Lower *l)
{
    for (int r = 0; r < l->n->nreduces; r++) {
        const KirExpr *acc = result(l, r);
        const char *buffer = gen_temp(&l->g, l->n->part.temps[r], nest_scalar_type(l, r), false);
        nest_take_value(l, r, kir_load(l->a, acc->type, buffer, nest_part_offset(l)));
    }
}

/* ---- give -------------------------------------------------------------------------------------- */

/* The body is what it is under the conditions of the boxes around and in lanes of bytes and shorts,
 * if there are any. */
static void give_here(Lower *l)
{
    const Nest *n = l->n;
    if ((!l->place && !nest_is_narrow(n)) || n->nreduces) {
        gen_store(&l->g, n->def);
        return;
    }
    const NestBody *b = nest_body(l->u, n, l->place);
    Def here = *n->def;
    here.body = b->node;
    l->g.here = &b->suspects;
    gen_store(&l->g, &here);
    l->g.here = NULL;
}

/* The definition's value at the bound position, with these results. Blocked reductions: what came
 * before is in the part, and the value is computed with the last block only. */
static void give_one(Lower *l, const KirExpr *const *results)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const Nest *n = l->n;
    const KirExpr *all[NEST_RESULTS], *offsets[NEST_RESULTS];
    GenScope scope = gen_enter(g, g->block);
    if (n->block_axis < 0) {
        if (!n->nreduces) nest_remember(l);
        for (int r = 0; r < n->nreduces; r++) gen_remember(g, n->reduces[r], results[r]);
        give_here(l);
        gen_leave(g, scope);
        return;
    }
    const KirExpr *at = l->places[n->block_axis].at;
    const KirExpr *later = nest_op(l, FD_OP_GT, at, kir_int(a, 0));
    const KirExpr *done = nest_op(l, FD_OP_GE, nest_add(l, at, nest_number(l, "block", n->block)),
                                  nest_length(l, n->block_axis));
    KirBlock resume = {0}, last = {0}, keep = {0};
    const char *buffers[NEST_RESULTS];
    bool same = n->part.temps[0] < 0 && n->def->body == n->reduces[0]; /* it is the value */
    for (int r = 0; r < n->nreduces; r++) {
        bool own = n->part.temps[r] < 0;
        buffers[r] = own ? gen_output(g, n->def)
                         : gen_temp(g, n->part.temps[r], nest_scalar_type(l, r), true);
        offsets[r] =
            gen_variable(g, "at", own ? gen_output_offset(g, n->def) : nest_part_offset(l));
        const KirExpr *sum = kir_name(a, results[r]->type, fresh_name(l->u, "sum"));
        kir_decl(a, g->block, sum->type, sum->name, results[r]);
        const KirExpr *before = kir_load(a, sum->type, buffers[r], offsets[r]);
        kir_set(a, &resume, sum, gen_combine(g, n->reduces[r]->fn, before, sum));
        kir_store(a, &keep, buffers[r], offsets[r], sum);
        all[r] = sum;
    }
    kir_if(a, g->block, later, resume, NULL);
    if (same) {
        gen_leave(g, scope);
        kir_if(a, g->block, NULL, keep, NULL);
        return;
    }
    GenScope in = gen_enter(g, &last);
    for (int r = 0; r < n->nreduces; r++) gen_remember(g, n->reduces[r], all[r]);
    gen_store(g, n->def);
    gen_leave(g, in);
    gen_leave(g, scope);
    kir_if(a, g->block, done, last, &keep);
}

/* Puts the kernel at the position of a copy: rows and columns from where the registers begin. */
static void go_to(Lower *l, int reg, const KirExpr *copy, const KirExpr *more)
{
    const NestRegs *regs = &l->n->regs[reg];
    NestPlace *p = &l->places[regs->axis];
    p->at = nest_add(l, p->at, nest_mul(l, copy, nest_number(l, "step", regs->step)));
    if (more) p->at = nest_add(l, p->at, more);
    p->placed = NULL;
    p->clamps = false;
    nest_bind(l, regs->axis);
}

static void give_registers(Lower *l, const KirExpr *const copies[2], void *ctx)
{
    const Nest *n = l->n;
    const KirExpr *results[NEST_RESULTS];
    NestPlace before[2];
    GenScope scope = gen_enter(&l->g, l->g.block);
    const FdNode *lane = l->g.lane_var;
    (void)ctx;
    for (int i = 0; i < n->nregs; i++) {
        before[i] = l->places[n->regs[i].axis];
        go_to(l, i, copies[i], NULL);
    }
    if (n->lanes_axis >= 0) {
        l->g.lane_var = n->axes[n->lanes_axis].vars[0];
        l->places[n->lanes_axis].lanes = true;
    }
    for (int r = 0; r < n->nreduces; r++) results[r] = nest_registers(l, r, copies);
    give_one(l, results);
    l->g.lane_var = lane;
    for (int i = 0; i < n->nregs; i++) l->places[n->regs[i].axis] = before[i];
    gen_leave(&l->g, scope);
}

/* ---- give: element by element ------------------------------------------------------------------ */

static void give_element(Lower *l, const KirExpr *const copies[2], void *ctx)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const Nest *n = l->n;
    bool vector = n->lanes_axis >= 0;
    NestPlace before[2];
    const KirExpr *results[NEST_RESULTS], *cond = NULL;
    const KirExpr *lane = kir_name(a, idx, fresh_name(l->u, "s"));
    KirBlock each = {0}, inside = {0};
    (void)ctx;
    for (int i = 0; i < n->nregs; i++) before[i] = l->places[n->regs[i].axis];
    /* vectors go through memory */
    if (vector)
        for (int r = 0; r < n->nreduces; r++) {
            const KirExpr *lanes = nest_number(l, "lanes", nest_lane_count(l->u, g->lanes));
            const char *edge = nest_named(l, "edge", r);
            kir_array(a, g->block, nest_scalar_type(l, r), edge, false, 1, &lanes);
            kir_store(a, g->block, edge, kir_int(a, 0), nest_registers(l, r, copies));
        }
    GenScope scope = gen_enter(g, &each);
    for (int i = 0; i < n->nregs; i++) {
        const NestRegs *regs = &n->regs[i];
        NestPlace *p = &l->places[regs->axis];
        const KirExpr *at =
            nest_add(l, p->at, nest_mul(l, copies[i], nest_number(l, "step", regs->step)));
        if (vector && regs->axis == n->lanes_axis) at = nest_add(l, at, lane);
        const KirExpr *exists = nest_op(l, FD_OP_LT, at, nest_length(l, regs->axis));
        cond = cond ? nest_op(l, FD_OP_LAND, cond, exists) : exists;
    }
    GenScope in = gen_enter(g, &inside);
    for (int i = 0; i < n->nregs; i++)
        go_to(l, i, copies[i], vector && n->regs[i].axis == n->lanes_axis ? lane : NULL);
    for (int r = 0; r < n->nreduces; r++)
        results[r] = vector
                         ? kir_elem(a, nest_scalar_type(l, r), nest_named(l, "edge", r), 1, &lane)
                         : nest_registers(l, r, copies);
    give_one(l, results);
    gen_leave(g, in);
    kir_if(a, &each, cond, inside, NULL);
    gen_leave(g, scope);
    for (int i = 0; i < n->nregs; i++) l->places[n->regs[i].axis] = before[i];
    if (!vector) {
        kir_if(a, g->block, NULL, each, NULL);
        return;
    }
    kir_for(a, g->block, lane->name, kir_int(a, 0),
            nest_number(l, "lanes", nest_lane_count(l->u, g->lanes)), kir_int(a, 1), false, each);
}

/* Are all positions of the registers inside? NULL: for sure. */
static const KirExpr *all_inside(Lower *l)
{
    const KirExpr *all = NULL;
    for (int i = 0; i < l->n->nregs; i++) {
        const NestRegs *regs = &l->n->regs[i];
        const NestPlace *p = &l->places[regs->axis];
        if (!p->clamps) continue;
        const KirExpr *size =
            nest_mul(l, nest_number(l, "count", regs->count), nest_number(l, "step", regs->step));
        const KirExpr *inside =
            nest_op(l, FD_OP_LE, nest_add(l, p->at, size), nest_length(l, regs->axis));
        all = all ? nest_op(l, FD_OP_LAND, all, inside) : inside;
    }
    return all;
}

static KirBlock registers_block(Lower *l, OnRegisters *body)
{
    KirBlock b = {0};
    GenScope scope = gen_enter(&l->g, &b);
    for_registers(l, body, NULL);
    gen_leave(&l->g, scope);
    return b;
}

static void give(Lower *l)
{
    const Nest *n = l->n;
    if (!l->vectors || !n->nregs) {
        const KirExpr *results[NEST_RESULTS];
        for (int r = 0; r < n->nreduces; r++) results[r] = result(l, r);
        if (!l->joined) {
            give_one(l, results);
            return;
        }
        KirBlock first = {0};
        GenScope scope = gen_enter(&l->g, &first);
        give_one(l, results);
        gen_leave(&l->g, scope);
        by_one(l, first);
        return;
    }
    const KirExpr *inside = all_inside(l);
    KirBlock whole = {0}, edge = {0};
    bool vector = n->lanes_axis < 0 || !n->scalar_give;
    if (vector && (n->lanes_axis >= 0 || !inside)) whole = registers_block(l, give_registers);
    if (inside || !vector) edge = registers_block(l, give_element);
    if (whole.first && edge.first)
        kir_if(l->a, l->g.block, inside, whole, &edge);
    else
        kir_if(l->a, l->g.block, NULL, whole.first ? whole : edge, NULL);
}

void nest_result(Lower *l, const NestStep *s)
{
    switch (s->kind) {
    case NEST_START: start(l, false); break;
    case NEST_RESUME: start(l, true); break;
    case NEST_TAKE: take(l, s->begin, s->end); break;
    case NEST_PARTS: take_parts(l); break;
    case NEST_LEAVE: nest_leave(l); break;
    case NEST_SCATTER: nest_scatter(l); break;
    case NEST_JOIN: nest_join(l); break;
    case NEST_SAVE: save(l); break;
    case NEST_GIVE: give(l); break;
    default: abort();
    }
}
