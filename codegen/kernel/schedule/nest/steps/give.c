/* Lowering GIVE: results go through the rest of the definition to its value, in vectors where all
 * registers are inside, else element by element. */
#include "../impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

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
    const NestBody *b = nest_body_lowered(l->u, n, l->place);
    Def here = *n->def;
    here.body = b->node;
    l->g.here = &b->suspects;
    gen_store(&l->g, &here);
    l->g.here = NULL;
}

/* The definition's value at the bound position, with these results. */
static void give_value(Lower *l, const KirExpr *const *results)
{
    GenScope scope = gen_enter(&l->g, l->g.block);
    if (!l->n->nreduces) nest_remember(l);
    for (int r = 0; r < l->n->nreduces; r++) gen_remember(&l->g, l->n->reduces[r], results[r]);
    give_here(l);
    gen_leave(&l->g, scope);
}

/* Blocked reductions: where the part of a result is; the result itself has room for its own. */
static const KirExpr *part_of(Lower *l, int r, const char **buffer)
{
    const Nest *n = l->n;
    bool own = n->part.temps[r] < 0;
    *buffer = own ? gen_output(&l->g, n->def)
                  : gen_temp(&l->g, n->part.temps[r], nest_scalar_type(l, r), true);
    return gen_variable(&l->g, "at", own ? gen_output_offset(&l->g, n->def) : nest_part_offset(l));
}

static void resume_value(Lower *l, const KirExpr *const *results)
{
    GenScope scope = gen_enter(&l->g, l->g.block);
    for (int r = 0; r < l->n->nreduces; r++) {
        const char *buffer;
        const KirExpr *at = part_of(l, r, &buffer);
        const KirExpr *before = kir_load(l->a, results[r]->type, buffer, at);
        kir_set(l->a, l->g.block, results[r],
                gen_combine(&l->g, l->n->reduces[r]->fn, before, results[r]));
    }
    gen_leave(&l->g, scope);
}

static void keep_value(Lower *l, const KirExpr *const *results)
{
    GenScope scope = gen_enter(&l->g, l->g.block);
    for (int r = 0; r < l->n->nreduces; r++) {
        const char *buffer;
        const KirExpr *at = part_of(l, r, &buffer);
        kir_store(l->a, l->g.block, buffer, at, results[r]);
    }
    gen_leave(&l->g, scope);
}

typedef void OnValue(Lower *l, const KirExpr *const *results);
typedef KirBlock MakeBlock(Lower *l, OnValue *what, const void *ctx);

/* What came before is in the part, and the value is computed with the last block only. */
static KirBlock by_blocks(Lower *l, MakeBlock *make, const void *ctx)
{
    const Nest *n = l->n;
    Arena *a = l->a;
    KirBlock b = {0};
    if (n->block_axis < 0) return make(l, give_value, ctx);
    GenScope scope = gen_enter(&l->g, &b);
    const KirExpr *at = l->places[n->block_axis].at;
    const KirExpr *later = nest_op(l, FD_OP_GT, at, kir_int(a, 0));
    const KirExpr *done = nest_op(l, FD_OP_GE, nest_add(l, at, nest_number(l, "block", n->block)),
                                  nest_length(l, n->block_axis));
    bool same = n->part.temps[0] < 0 && n->def->body == n->reduces[0]; /* it is the value */
    kir_if(a, &b, later, make(l, resume_value, ctx), NULL);
    KirBlock keep = make(l, keep_value, ctx);
    if (same)
        kir_if(a, &b, NULL, keep, NULL);
    else
        kir_if(a, &b, done, make(l, give_value, ctx), &keep);
    gen_leave(&l->g, scope);
    return b;
}

static KirBlock one_block(Lower *l, OnValue *what, const void *results)
{
    KirBlock b = {0};
    GenScope scope = gen_enter(&l->g, &b);
    what(l, results);
    gen_leave(&l->g, scope);
    return b;
}

static void give_one(Lower *l, const KirExpr *const *results)
{
    if (l->n->block_axis < 0)
        give_value(l, results);
    else
        kir_if(l->a, l->g.block, NULL, by_blocks(l, one_block, results), NULL);
}

/* Puts the kernel at the position of a copy: rows and columns from where the registers begin. */
static void go_to(Lower *l, int reg, const KirExpr *copy, const KirExpr *more)
{
    const NestRegs *regs = &l->n->regs[reg];
    NestPlace *p = &l->places[regs->axis];
    p->at = nest_add(l, p->at, nest_copy_way(l, copy, regs->step, regs->run));
    if (more) p->at = nest_add(l, p->at, more);
    p->placed = NULL;
    p->clamps = false;
    nest_bind(l, regs->axis);
}

typedef struct Registers {
    OnValue *what;
} Registers;

static void do_registers(Lower *l, const KirExpr *const copies[2], void *registers)
{
    const Nest *n = l->n;
    const KirExpr *results[NEST_RESULTS];
    NestPlace before[2];
    GenScope scope = gen_enter(&l->g, l->g.block);
    const FdNode *lane = l->g.lane_var;
    for (int i = 0; i < n->nregs; i++) {
        before[i] = l->places[n->regs[i].axis];
        go_to(l, i, copies[i], NULL);
    }
    if (n->lanes_axis >= 0) {
        l->g.lane_var = n->axes[n->lanes_axis].vars[0];
        l->places[n->lanes_axis].lanes = true;
    }
    for (int r = 0; r < n->nreduces; r++) results[r] = nest_registers(l, r, copies);
    ((const Registers *)registers)->what(l, results);
    l->g.lane_var = lane;
    for (int i = 0; i < n->nregs; i++) l->places[n->regs[i].axis] = before[i];
    gen_leave(&l->g, scope);
}

static KirBlock registers_block(Lower *l, OnValue *what, const void *none)
{
    KirBlock b = {0};
    Registers registers = {what};
    (void)none;
    GenScope scope = gen_enter(&l->g, &b);
    nest_each_register(l, do_registers, &registers);
    gen_leave(&l->g, scope);
    return b;
}

/* ---- give: element by element ------------------------------------------------------------------ */

/* Registers that lie side by side: rows of an array, which loops go through as far as they exist. So
 * there is little code, wherever the edge is. */
static bool lies_in_rows(Lower *l)
{
    const Nest *n = l->n;
    bool lanes = false;
    for (int i = 0; i < n->nregs; i++) {
        const NestRegs *regs = &n->regs[i];
        bool across = regs->axis == n->lanes_axis;
        if (across && (i + 1 < n->nregs || regs->step != nest_lane_count(l->u, l->g.lanes)))
            return false;
        if (!across && !num_is(regs->step, 1)) return false;
        lanes = lanes || across;
    }
    return lanes;
}

/* How many positions of these registers exist. */
static const KirExpr *existing(Lower *l, int reg, const KirExpr *size)
{
    const NestPlace *p = &l->places[l->n->regs[reg].axis];
    if (!p->clamps) return size;
    return kir_min(l->a, size, nest_op(l, FD_OP_SUB, nest_length(l, l->n->regs[reg].axis), p->at));
}

static const KirExpr *row_length(Lower *l)
{
    const NestRegs *regs = &l->n->regs[l->n->nregs - 1];
    return nest_mul(l, nest_number(l, "count", regs->count), nest_lanes_number(l));
}

/* Values of one element that are more than a result: computed in lanes, with what lies behind the edge. */
static bool values_in_lanes(const Lower *l)
{
    const Nest *n = l->n;
    const FdNode *body = n->def->body;
    return n->lanes_axis >= 0 && !n->scalar_give && n->block_axis < 0 && n->nreduces > 0 &&
           l->g.checks == GEN_PROVED && body != n->reduces[0] && !body->type->record &&
           result_kind(body) != SC_BOOL && /* which is wider in lanes than in memory */
           n->axes[n->lanes_axis].nvars == 1;
}

static int edges(const Lower *l)
{
    return values_in_lanes(l) ? 1 : l->n->nreduces;
}

static KirType edge_type(Lower *l, int r)
{
    if (!values_in_lanes(l)) return nest_scalar_type(l, r);
    return kir_type((int)result_kind(l->n->def->body), 1);
}

/* Lanes behind the edge have the last position's operands, which are gathered. */
static const KirExpr *value_at_edge(Lower *l, const KirExpr *const copies[2])
{
    const Nest *n = l->n;
    Gen *g = &l->g;
    const NestAxis *x = &n->axes[n->lanes_axis];
    const FdNode *var = x->vars[0], *lane = g->lane_var;
    const KirExpr *lo, *size;
    NestPlace before[2];
    GenScope scope = gen_enter(g, g->block);
    for (int i = 0; i < n->nregs; i++) {
        NestPlace *p = &l->places[n->regs[i].axis];
        bool clamps = p->clamps;
        before[i] = *p;
        go_to(l, i, copies[i], NULL);
        p->clamps = clamps;
        if (clamps && n->regs[i].axis != n->lanes_axis) nest_bind(l, n->regs[i].axis);
    }
    KirType t = kir_type((int)result_kind(var), g->lanes);
    gen_range(g, x->doms, var, &lo, &size);
    const KirExpr *last = nest_op(l, FD_OP_SUB, nest_add(l, lo, size), kir_int(l->a, 1));
    const KirExpr *ends[] = {gen_bound(g, var), last}, *sum[2], *both[2];
    KirType one = kir_type(t.kind, 1);
    sum[0] = kir_splat(l->a, g->lanes, kir_convert(l->a, one, ends[0]));
    sum[1] = kir_iota(l->a, t);
    both[0] = kir_op(l->a, FD_OP_ADD, t, 2, sum);
    both[1] = kir_splat(l->a, g->lanes, kir_convert(l->a, one, ends[1]));
    gen_bind(g, var, gen_variable(g, "lane", kir_op(l->a, FD_OP_MIN, t, 2, both)));
    for (int r = 0; r < n->nreduces; r++)
        gen_remember(g, n->reduces[r], nest_registers(l, r, copies));
    g->lane_var = fd_var(l->u->fd, var->type, "lane");
    const KirExpr *v = gen_variable(g, "v", kir_splat(l->a, g->lanes, gen_value(g, n->def->body)));
    g->lane_var = lane;
    for (int i = 0; i < n->nregs; i++) l->places[n->regs[i].axis] = before[i];
    gen_leave(g, scope);
    return v;
}

static void put_in_row(Lower *l, const KirExpr *const copies[2], void *ctx)
{
    int last = l->n->nregs - 1;
    const KirExpr *at = nest_mul(l, copies[last], nest_lanes_number(l));
    bool values = values_in_lanes(l);
    (void)ctx;
    if (last) at = nest_add(l, nest_mul(l, copies[0], row_length(l)), at);
    for (int r = 0; r < edges(l); r++)
        kir_store(l->a, l->g.block, nest_named(l, "edge", r), at,
                  values ? value_at_edge(l, copies) : nest_registers(l, r, copies));
}

/* Loops over the rows that exist and over what exists of each. */
static void give_rows(Lower *l, int from, const KirExpr *row, bool rare)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const Nest *n = l->n;
    bool last = from + 1 == n->nregs;
    const KirExpr *at = kir_name(a, idx, fresh_name(l->u, "s")), *size = row_length(l);
    NestPlace *p = &l->places[n->regs[from].axis], before = *p;
    KirBlock each = {0};
    const KirExpr *some =
        existing(l, from, last ? size : nest_number(l, "count", n->regs[from].count));
    GenScope scope = gen_enter(g, &each);
    p->at = nest_add(l, p->at, at);
    p->placed = NULL;
    p->clamps = false;
    nest_bind(l, n->regs[from].axis);
    if (last) {
        const KirExpr *results[NEST_RESULTS];
        const KirExpr *of = row ? nest_add(l, nest_mul(l, row, size), at) : at;
        for (int r = 0; r < edges(l); r++)
            results[r] = kir_elem(a, edge_type(l, r), nest_named(l, "edge", r), 1, &of);
        if (values_in_lanes(l))
            kir_store(a, g->block, gen_output(g, n->def), gen_output_offset(g, n->def), results[0]);
        else
            give_one(l, results);
    } else {
        give_rows(l, from + 1, at, rare);
    }
    gen_leave(g, scope);
    *p = before;
    kir_for(a, g->block, at->name, kir_int(a, 0), some, kir_int(a, 1), false, each);
    g->block->last->rare = rare;
}

/* By rows; rare: only where a part of the registers exists. */
static KirBlock rows_block(Lower *l, bool rare)
{
    KirBlock b = {0};
    const KirExpr *size = row_length(l);
    if (l->n->nregs > 1) size = nest_mul(l, nest_number(l, "count", l->n->regs[0].count), size);
    GenScope scope = gen_enter(&l->g, &b);
    for (int r = 0; r < edges(l); r++)
        kir_array(l->a, &b, edge_type(l, r), nest_named(l, "edge", r), false, 1, &size);
    nest_each_register(l, put_in_row, NULL);
    give_rows(l, 0, NULL, rare);
    gen_leave(&l->g, scope);
    return b;
}

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
        const KirExpr *at = nest_add(l, p->at, nest_copy_way(l, copies[i], regs->step, regs->run));
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

static KirBlock elements_block(Lower *l)
{
    KirBlock b = {0};
    GenScope scope = gen_enter(&l->g, &b);
    nest_each_register(l, give_element, NULL);
    gen_leave(&l->g, scope);
    return b;
}

/* From the first of registers in runs to behind the last. */
static Num *reach_of(Unit *u, const NestRegs *regs)
{
    Num *runs = num_op(u, FD_OP_SUB, num_op(u, FD_OP_DIV, regs->count, regs->run), num_int(u, 1));
    return num_op(u, FD_OP_ADD, num_op(u, FD_OP_MUL, runs, regs->step), regs->run);
}

/* Are all positions of the registers inside? NULL: for sure. */
static const KirExpr *all_inside(Lower *l)
{
    const KirExpr *all = NULL;
    for (int i = 0; i < l->n->nregs; i++) {
        const NestRegs *regs = &l->n->regs[i];
        const NestPlace *p = &l->places[regs->axis];
        if (!p->clamps) continue;
        const KirExpr *size = regs->run ? nest_number(l, "reach", reach_of(l->u, regs))
                                        : nest_mul(l, nest_number(l, "count", regs->count),
                                                   nest_number(l, "step", regs->step));
        const KirExpr *inside =
            nest_op(l, FD_OP_LE, nest_add(l, p->at, size), nest_length(l, regs->axis));
        all = all ? nest_op(l, FD_OP_LAND, all, inside) : inside;
    }
    return all;
}

void nest_give(Lower *l)
{
    const Nest *n = l->n;
    if (!l->vectors || !n->nregs) {
        const KirExpr *results[NEST_RESULTS];
        for (int r = 0; r < n->nreduces; r++) results[r] = nest_result_here(l, r);
        if (!l->joined) {
            give_one(l, results);
            return;
        }
        KirBlock first = {0};
        GenScope scope = gen_enter(&l->g, &first);
        give_one(l, results);
        gen_leave(&l->g, scope);
        nest_by_one(l, first);
        return;
    }
    const KirExpr *inside = all_inside(l);
    KirBlock whole = {0}, edge = {0};
    bool vector = n->lanes_axis < 0 || !n->scalar_give;
    bool runs = n->regs[0].run || n->regs[1].run; /* worth code without tests */
    if (vector && (n->lanes_axis >= 0 || runs || !inside))
        whole = by_blocks(l, registers_block, NULL);
    if (inside || !vector) edge = lies_in_rows(l) ? rows_block(l, vector) : elements_block(l);
    if (whole.first && edge.first)
        kir_if(l->a, l->g.block, inside, whole, &edge);
    else
        kir_if(l->a, l->g.block, NULL, whole.first ? whole : edge, NULL);
}
