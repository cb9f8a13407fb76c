/* What a contraction reuses: its body split into row-side and column-side operands.
 *
 *   a(j, l) * b(l, k)            operands a(j, l) | b(l, k)
 *   w(l) * exp(x(j) - y(l, k))   operands w(l), x(j) | y(l, k)
 */
#include "contract.h"

static bool uses_any(const FdNode *n, const FdNode *const *vars, int count)
{
    for (int i = 0; i < count; i++)
        if (fd_uses_var(n, vars[i])) return true;
    return false;
}

static bool has_inner_reduction(const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (n->kind == FD_REDUCE) return true;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (has_inner_reduction(n->args[i], seen)) return true;
    return false;
}

static bool add_operand(Contraction *c, const FdNode *n, Side side)
{
    for (int i = 0; i < c->noperands; i++)
        if (c->operands[i].node == n) return true;
    ScalarKind k = result_kind(n);
    if (c->noperands == MAX_OPERANDS || k == SC_BOOL || k == SC_HALF || n->type->record)
        return false;
    c->operands[c->noperands++] = (Operand){n, side, k};
    return true;
}

/* lazy: computed only where a branch is taken, so that what fails must stay there. */
static bool split(Contraction *c, const FdNode *n, const FdNode *row, const FdNode *col, bool lazy,
                  FdSeen seen[2])
{
    if (!fd_meet(&seen[lazy], n)) return true;
    bool on_row = fd_uses_var(n, row), on_col = fd_uses_var(n, col);
    const FdNode *r = c->reduce;
    if (!on_row && !on_col && !uses_any(n, r->vars, r->nvars)) return true;
    if (!on_row || !on_col)
        return !(lazy && node_can_fail(n)) && add_operand(c, n, on_col ? SIDE_COL : SIDE_ROW);
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || op == FD_OP_RANDOM || op == FD_OP_LOWER || op == FD_OP_UPPER)
        return false;
    for (int i = 0; i < n->nargs; i++)
        if (!split(c, n->args[i], row, col, lazy || fd_is_lazy(n, i), seen)) return false;
    return true;
}

static bool both_sides(const Contraction *c)
{
    bool seen[2] = {false, false};
    for (int i = 0; i < c->noperands; i++) seen[c->operands[i].side] = true;
    return seen[SIDE_ROW] && seen[SIDE_COL];
}

/* Can the body's operations between operands run in lanes? */
static bool pointwise_lanes(const Contraction *c, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    for (int i = 0; i < c->noperands; i++)
        if (c->operands[i].node == n) return true;
    if (n->kind == FD_SCALAR) return true;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || op == FD_OP_RANDOM || result_kind(n) == SC_HALF) return false;
    if ((op == FD_OP_DIV || op == FD_OP_REM) && !scalar_is_real(result_kind(n))) return false;
    for (int i = 0; i < n->nargs; i++)
        if (!pointwise_lanes(c, n->args[i], seen)) return false;
    return true;
}

static bool reduces_inside(const FdNode *r)
{
    FdSeen seen = {0};
    bool inner = has_inner_reduction(r->body, &seen);
    fd_seen_free(&seen);
    return inner;
}

static void find_operands(Contraction *c)
{
    FdSeen seen[3] = {{0}, {0}, {0}};
    const FdNode *body = c->reduce->body;
    c->separable = split(c, body, c->d->vars[c->row], c->d->vars[c->col], false, seen) &&
                   pointwise_lanes(c, body, &seen[2]);
    for (int i = 0; i < 3; i++) fd_seen_free(&seen[i]);
}

bool contraction_find(Unit *u, const Def *d, Contraction *out)
{
    const FdNode *r = def_reduction(u->arena, d);
    if (!r || d->nvars < 2 || !reduction_is_closed(r) || reduces_inside(r)) return false;
    FdOp op = fd_op_of(r);
    unsigned both = FD_ASSOCIATIVE | FD_COMMUTATIVE;
    if (op == FD_OP_NONE || (fd_op_info(op)->props & both) != both || r->init) return false;
    if (d->body->type->record) return false;
    if (result_kind(r) == SC_BOOL || result_kind(r) == SC_HALF) return false;
    int col = d->nvars - 1; /* stores are contiguous along the last dimension */
    for (int row = col - 1; row >= 0; row--) {
        *out = (Contraction){.d = d, .reduce = r, .row = row, .col = col};
        find_operands(out);
        if (both_sides(out)) return true;
    }
    return false;
}

const char *contraction_m(Unit *u, const Contraction *c)
{
    return plan_n(u, &c->d->doms[c->row]);
}

const char *contraction_n(Unit *u, const Contraction *c)
{
    return plan_n(u, &c->d->doms[c->col]);
}

const char *contraction_k(Unit *u, const Contraction *c)
{
    Def all = {.nvars = c->reduce->nvars, .doms = c->reduce->doms};
    return plan_elements(u, &all, all.nvars);
}

const char *contraction_batch(Unit *u, const Contraction *c)
{
    const char *batch = "1";
    for (int i = 0; i < c->d->nvars; i++)
        if (i != c->row && i != c->col)
            batch = arena_printf(u->arena, "%s * %s", batch, plan_n(u, &c->d->doms[i]));
    return batch;
}

/* ---- kernel pieces --------------------------------------------------------------------------- */

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

const KirExpr *gen_variable(Gen *g, const char *stem, const KirExpr *e)
{
    if (e->kind == KIR_NAME || e->kind == KIR_CONST) return e;
    const char *name = fresh_name(g->u, stem);
    kir_decl(g->u->arena, g->block, e->type, name, e);
    return kir_name(g->u->arena, e->type, name);
}

const KirExpr *gen_global_id(Gen *g, int dim)
{
    const KirExpr *d = kir_int(g->u->arena, dim);
    return kir_call(g->u->arena, idx, "get_global_id", 1, &d);
}

void gen_bind_flat(Gen *g, const FdNode *reduce, const KirExpr *flat)
{
    Arena *a = g->u->arena;
    const KirExpr *rest = flat;
    for (int i = reduce->nvars - 1; i >= 0; i--) {
        const KirExpr *lo, *hi;
        gen_range(g, &reduce->doms[i], reduce->vars[i], &lo, &hi);
        const KirExpr *n = kir_arith(a, "-", hi, lo);
        const KirExpr *at = i ? kir_arith(a, "%", rest, n) : rest;
        gen_bind(g, reduce->vars[i],
                 gen_variable(g, gen_var_name(g, reduce->vars[i]), kir_arith(a, "+", lo, at)));
        if (i) rest = gen_variable(g, "rest", kir_arith(a, "/", rest, n));
    }
}

Frame contraction_frame(Gen *g, const Contraction *c)
{
    Arena *a = g->u->arena;
    const Def *d = c->d;
    Frame f;
    const KirExpr *hi;
    gen_range(g, &d->doms[c->row], d->vars[c->row], &f.row_lo, &hi);
    f.m = gen_variable(g, "m", kir_arith(a, "-", hi, f.row_lo));
    gen_range(g, &d->doms[c->col], d->vars[c->col], &f.col_lo, &hi);
    f.n = gen_variable(g, "n", kir_arith(a, "-", hi, f.col_lo));
    const KirExpr *rest = gen_global_id(g, 2);
    for (int i = d->nvars - 1; i >= 0; i--) {
        const KirExpr *lo, *end;
        if (i == c->row || i == c->col) continue;
        gen_range(g, &d->doms[i], d->vars[i], &lo, &end);
        const KirExpr *len = kir_arith(a, "-", end, lo);
        const KirExpr *at = kir_arith(a, "+", lo, kir_arith(a, "%", rest, len));
        gen_bind(g, d->vars[i], gen_variable(g, gen_var_name(g, d->vars[i]), at));
        rest = gen_variable(g, "rest", kir_arith(a, "/", rest, len));
    }
    return f;
}
