/* What recipes ask of a definition: its reductions, and what a contraction reuses: the bodies split
 * into row-side and column-side operands.
 *
 *   a(j, l) * b(l, k)            operands a(j, l) | b(l, k)
 *   w(l) * exp(x(j) - y(l, k))   operands w(l), x(j) | y(l, k)
 */
#include "recipe.h"

/* ---- reductions -------------------------------------------------------------------------------- */

typedef struct Reductions {
    int n;
    const FdNode **list;
    bool branches; /* those in branches too */
    FdSeen seen;
} Reductions;

static void find_reductions(Reductions *r, const FdNode *n)
{
    if (r->n > NEST_RESULTS || !fd_meet(&r->seen, n)) return;
    if (n->kind == FD_REDUCE) {
        if (r->n++ < NEST_RESULTS) r->list[r->n - 1] = n;
        return;
    }
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (r->branches || !fd_is_lazy(n, i)) find_reductions(r, n->args[i]);
}

static int count_reductions(const Def *d, const FdNode *found[NEST_RESULTS], bool branches)
{
    Reductions r = {.list = found, .branches = branches};
    find_reductions(&r, d->body);
    fd_seen_free(&r.seen);
    return r.n;
}

int recipe_all_reductions(const Def *d, const FdNode *out[NEST_RESULTS])
{
    const FdNode *found[NEST_RESULTS];
    int n = 0, all = count_reductions(d, found, true);
    for (int i = 0; all <= NEST_RESULTS && i < all; i++) {
        if (!found[i]) continue;
        out[n++] = found[i];
        for (int k = i + 1; k < all; k++) {
            if (!found[k] || !fd_same_ranges(found[i], found[k])) continue;
            out[n++] = found[k];
            found[k] = NULL;
        }
    }
    return n;
}

int recipe_reductions(const Def *d, const FdNode *out[NEST_RESULTS])
{
    const FdNode *found[NEST_RESULTS];
    int all = recipe_all_reductions(d, out);
    return count_reductions(d, found, false) == all ? all : 0;
}

int recipe_group_end(int n, const FdNode *const *reduces, int begin)
{
    int end = begin + 1;
    while (end < n && fd_same_ranges(reduces[begin], reduces[end])) end++;
    return end;
}

bool recipe_is_reduction(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE;
}

static bool is_long(const void *ctx, const FdNode *n)
{
    (void)ctx;
    const FdUser *user = n->kind == FD_APPLY ? fd_user_of(n) : NULL;
    return n->kind == FD_REDUCE || (user && user->body && !user_is_plain(user));
}

bool recipe_is_long(const FdNode *n)
{
    return fd_any(n, is_long, NULL);
}

bool recipe_decides(const FdNode *reduce)
{
    FdOp op = fd_op_of(reduce);
    return (op == FD_OP_LAND || op == FD_OP_LOR) && !node_can_fail(reduce->body);
}

Num *recipe_length(Unit *u, const FdNode *reduce)
{
    return plan_elements(u, reduce->nvars, reduce->doms);
}

Num *recipe_lines_each(Unit *u, Num *lines, Num *length, int64_t least)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 8));
    Num *few = num_ceildiv(u, num_int(u, least), num_op(u, FD_OP_MAX, length, num_int(u, 1)));
    return num_let(u, "chunk", num_op(u, FD_OP_MAX, num_ceildiv(u, lines, units), few));
}

Num *recipe_each_unit(Unit *u, int each, Num *rows)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, each));
    return num_ceildiv(u, units, num_op(u, FD_OP_MAX, rows, num_int(u, 1)));
}

Num *recipe_few_lines(Unit *u, Num *lines, Num *length)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 4)), *one = num_int(u, 1);
    Num *few = num_ceildiv(u, draw_num(u, P_CHUNK_LINES, 16384), num_op(u, FD_OP_MAX, length, one));
    few = num_op(u, FD_OP_MIN, few, num_op(u, FD_OP_DIV, lines, units));
    return num_let(u, "lines", num_op(u, FD_OP_MAX, few, one));
}

size_t recipe_widest(int n, const FdNode *const *reduces)
{
    size_t widest = 1;
    for (int r = 0; r < n; r++) {
        size_t w = widest_bytes(reduces[r]);
        widest = w > widest ? w : widest;
    }
    return widest;
}

void recipe_use(Nest *n, int nreduces, const FdNode *const *reduces)
{
    n->nreduces = nreduces;
    for (int i = 0; i < nreduces; i++) n->reduces[i] = reduces[i];
}

bool recipe_epilogue_lanes(const Def *d, int n, const FdNode *const *reduces, const FdNode *v,
                           unsigned allowed)
{
    return !lanes_refused(d->body, v, allowed, n, reduces, NULL);
}

unsigned recipe_allowed(const Def *d)
{
    return d->noting ? LANES_NOTED : 0;
}

/* ---- rows and columns -------------------------------------------------------------------------- */

static bool uses_any(const FdNode *n, const FdNode *const *vars, int count)
{
    for (int i = 0; i < count; i++)
        if (fd_uses_var(n, vars[i])) return true;
    return false;
}

/* Does some read below n use both variables? */
static bool reads_both(const FdNode *n, const FdNode *v, const FdNode *w, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (is_read(n) || n->kind != FD_APPLY) return fd_uses_var(n, v) && fd_uses_var(n, w);
    for (int i = 0; i < n->nargs; i++)
        if (reads_both(n->args[i], v, w, seen)) return true;
    return false;
}

static bool is_batch(const Contraction *c, const FdNode *v)
{
    bool both = false, used = false;
    for (int i = 0; i < c->nreduces; i++) {
        FdSeen seen = {0};
        const FdNode *body = c->reduces[i]->body;
        both = both || reads_both(body, v, c->d->vars[c->col], &seen);
        used = used || fd_uses_var(body, v);
        fd_seen_free(&seen);
    }
    return both || !used;
}

static bool is_operand(const Contraction *c, const FdNode *n, int group)
{
    for (int i = 0; i < c->noperands; i++)
        if (c->operands[i].node == n && c->operands[i].group == group) return true;
    return false;
}

static bool add_operand(Contraction *c, const FdNode *n, int group, Side side)
{
    if (is_operand(c, n, group)) return true;
    ScalarKind k = result_kind(n);
    if (c->noperands == MAX_OPERANDS || k == SC_BOOL || k == SC_HALF || n->type->record)
        return false;
    c->operands[c->noperands++] = (Operand){n, group, side, k};
    return true;
}

static bool falls_outside(const void *ctx, const FdNode *n)
{
    const Contraction *c = ctx;
    return def_is_suspect(c->u, c->d, n);
}

/* lazy: computed only where a branch is taken, so that what fails must stay there. */
static bool split(Contraction *c, const FdNode *n, int group, bool lazy, FdSeen seen[2])
{
    if (!fd_meet(&seen[lazy], n)) return true;
    const FdNode *r = c->reduces[group];
    bool on_row = uses_any(n, c->rows, c->nrows), on_col = fd_uses_var(n, c->d->vars[c->col]);
    if (!on_row && !on_col && !uses_any(n, r->vars, r->nvars) && !uses_any(n, c->batch, c->nbatch))
        return true;
    if (!on_row || !on_col)
        return !(lazy && (node_can_fail(n) || fd_any(n, falls_outside, c))) &&
               add_operand(c, n, group, on_col ? SIDE_COL : SIDE_ROW);
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || op == FD_OP_RANDOM || op == FD_OP_LOWER || op == FD_OP_UPPER)
        return false;
    for (int i = 0; i < n->nargs; i++)
        if (!split(c, n->args[i], group, lazy || fd_is_lazy(n, i), seen)) return false;
    return true;
}

/* Can the bodies' operations between operands run in lanes? */
static bool pointwise_lanes(const Contraction *c, const FdNode *n, int group, FdSeen *seen)
{
    if (!fd_meet(seen, n) || is_operand(c, n, group)) return true;
    if (n->kind == FD_SCALAR) return true;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || op == FD_OP_RANDOM || result_kind(n) == SC_HALF) return false;
    if ((op == FD_OP_DIV || op == FD_OP_REM) && !scalar_is_real(result_kind(n))) return false;
    for (int i = 0; i < n->nargs; i++)
        if (!pointwise_lanes(c, n->args[i], group, seen)) return false;
    return true;
}

static bool body_splits(Contraction *c, const FdNode *body, int group)
{
    FdSeen seen[3] = {{0}, {0}, {0}};
    bool fits = !fd_any(body, recipe_is_reduction, NULL) && split(c, body, group, false, seen) &&
                pointwise_lanes(c, body, group, &seen[2]);
    for (int i = 0; i < 3; i++) fd_seen_free(&seen[i]);
    return fits;
}

static bool both_sides(const Contraction *c)
{
    bool seen[2] = {false, false};
    for (int i = 0; i < c->noperands; i++) {
        const FdNode *n = c->operands[i].node;
        if (c->operands[i].side == SIDE_COL)
            seen[SIDE_COL] = true;
        else
            seen[SIDE_ROW] = seen[SIDE_ROW] || uses_any(n, c->rows, c->nrows);
    }
    return seen[SIDE_ROW] && seen[SIDE_COL];
}

bool contraction_find(Unit *u, const Def *d, Contraction *out)
{
    *out = (Contraction){.u = u, .d = d, .col = d->nvars - 1};
    out->nreduces = d->nvars < 2 ? 0 : recipe_reductions(d, out->reduces);
    if (!out->nreduces) return false;
    for (int i = 0; i < out->nreduces; i++) {
        const FdNode *r = out->reduces[i];
        if (!reduction_splits(r) || r->type->record || result_kind(r) == SC_BOOL ||
            result_kind(r) == SC_HALF)
            return false;
    }
    for (int i = 0; i < out->col; i++) {
        bool batch = is_batch(out, d->vars[i]);
        const FdNode **vars = batch ? out->batch : out->rows;
        int *n = batch ? &out->nbatch : &out->nrows;
        (batch ? out->batch_doms : out->row_doms)[*n] = d->doms[i];
        vars[(*n)++] = d->vars[i];
    }
    if (!out->nrows) return false;
    for (int begin = 0, end; begin < out->nreduces; begin = end) {
        end = recipe_group_end(out->nreduces, out->reduces, begin);
        for (int i = begin; i < end; i++)
            if (!body_splits(out, out->reduces[i]->body, begin)) return false;
    }
    return both_sides(out);
}
