/* What reductions reuse: bodies split into operands of rows and of columns (contraction.h). */
#include "contraction.h"

#include "affine.h"

/* ---- reductions -------------------------------------------------------------------------------- */

typedef struct Reductions {
    int n;
    const FdNode **list;
    bool branches; /* those in branches too */
    FdSeen seen;
} Reductions;

static void find_reductions(Reductions *r, const FdNode *n)
{
    if (r->n > FD_MAX_REDUCTIONS || !fd_meet(&r->seen, n)) return;
    if (n->kind == FD_REDUCE) {
        if (r->n++ < FD_MAX_REDUCTIONS) r->list[r->n - 1] = n;
        return;
    }
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (r->branches || !fd_is_lazy(n, i)) find_reductions(r, n->args[i]);
}

static int count_reductions(const FdNode *n, const FdNode *found[FD_MAX_REDUCTIONS], bool branches)
{
    Reductions r = {.list = found, .branches = branches};
    find_reductions(&r, n);
    fd_seen_free(&r.seen);
    return r.n;
}

int fd_all_reductions(const FdNode *body, const FdNode *out[FD_MAX_REDUCTIONS])
{
    const FdNode *found[FD_MAX_REDUCTIONS];
    int n = 0, all = count_reductions(body, found, true);
    for (int i = 0; all <= FD_MAX_REDUCTIONS && i < all; i++) {
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

int fd_reductions(const FdNode *body, const FdNode *out[FD_MAX_REDUCTIONS])
{
    const FdNode *found[FD_MAX_REDUCTIONS];
    int all = fd_all_reductions(body, out);
    return count_reductions(body, found, false) == all ? all : 0;
}

static bool compares(FdOp op, int64_t x)
{
    switch (op) {
    case FD_OP_LT: return x < 0;
    case FD_OP_LE: return x <= 0;
    case FD_OP_GT: return x > 0;
    default: return x >= 0;
    }
}

/* j <= i: of two ranges about half of the pairs are on either side. */
static bool is_triangle(const FdNode *cond, int nvars, const FdNode *const *vars, FdBranch *b)
{
    FdOp op = cond->kind == FD_APPLY ? fd_op_of(cond) : FD_OP_NONE;
    bool order = op == FD_OP_LT || op == FD_OP_LE || op == FD_OP_GT || op == FD_OP_GE;
    FdAffine difference;
    if (!order || fd_effects(cond) || !fd_affine(cond->args[0], &difference) ||
        !fd_affine_add(&difference, cond->args[1], -1))
        return false;
    int n = 0;
    int64_t all = 0;
    for (int i = 0; i < nvars; i++) {
        int64_t factor;
        if (!fd_affine_factor(&difference, vars[i], &factor)) return false;
        if (factor && n < 2) b->vars[n] = i;
        n += factor != 0;
        all += factor;
    }
    b->cond = cond;
    b->diagonal = all == 0 && difference.nterms == n && compares(op, difference.constant);
    return n == 2;
}

int fd_reductions_in(int nvars, const FdNode *const *vars, const FdNode *body,
                     const FdNode *out[FD_MAX_REDUCTIONS], FdBranch *branch)
{
    FdBranch b = {0};
    *branch = b;
    int n = fd_reductions(body, out);
    if (n || body->kind != FD_APPLY || fd_op_of(body) != FD_OP_SELECT ||
        !is_triangle(body->args[0], nvars, vars, &b))
        return n;
    const FdNode *all[FD_MAX_REDUCTIONS];
    int nall = fd_all_reductions(body, all);
    for (int i = 1; i <= 2; i++) {
        n = fd_reductions(body->args[i], out);
        if (!n || n != nall) continue;
        *branch = b;
        branch->when = i == 1;
        branch->diagonal = b.diagonal == branch->when;
        return n;
    }
    return 0;
}

int fd_reductions_end(int n, const FdNode *const *reduces, int begin)
{
    int end = begin + 1;
    while (end < n && fd_same_ranges(reduces[begin], reduces[end])) end++;
    return end;
}

bool fd_reorders(const FdNode *r)
{
    if (r->init) return false;
    const FdUser *user = fd_user_of(r);
    if (user) return user->associative && user->commutative;
    FdOp op = fd_op_of(r);
    unsigned both = FD_ASSOCIATIVE | FD_COMMUTATIVE;
    return op != FD_OP_NONE && (fd_op_info(op)->props & both) == both;
}

/* ---- rows and columns -------------------------------------------------------------------------- */

typedef struct Finder {
    FdContraction *c;
    FdIs *outside;
    const void *ctx;
    bool lazy; /* of some rows or columns no element may be asked for */
} Finder;

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
    if (n->kind != FD_APPLY || fd_does(n) & FD_READS) return fd_uses_var(n, v) && fd_uses_var(n, w);
    for (int i = 0; i < n->nargs; i++)
        if (reads_both(n->args[i], v, w, seen)) return true;
    return false;
}

static bool is_batch(const FdContraction *c, const FdNode *v)
{
    bool both = false, used = false;
    for (int i = 0; i < c->nreduces; i++) {
        FdSeen seen = {0};
        const FdNode *body = c->reduces[i]->body;
        both = both || reads_both(body, v, c->column, &seen);
        used = used || fd_uses_var(body, v);
        fd_seen_free(&seen);
    }
    return both || !used;
}

static bool is_operand(const FdContraction *c, const FdNode *n, int group)
{
    for (int i = 0; i < c->noperands; i++)
        if (c->operands[i].node == n && c->operands[i].group == group) return true;
    return false;
}

static bool is_storable(const FdNode *n)
{
    ScalarKind k = n->type->scalar;
    return fd_type_is_scalar(n->type) && k != SC_BOOL && k != SC_HALF;
}

static bool add_operand(FdContraction *c, const FdNode *n, int group, FdSide side)
{
    if (is_operand(c, n, group)) return true;
    if (c->noperands == FD_MAX_OPERANDS || !is_storable(n)) return false;
    c->operands[c->noperands++] = (FdOperand){n, group, side, n->type->scalar};
    return true;
}

/* What is computed in the lanes of a tile is arithmetic that cannot fail. */
static bool is_no_arithmetic(const void *ctx, const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    (void)ctx;
    if (n->kind != FD_APPLY) return false;
    return op == FD_OP_NONE || op == FD_OP_RANDOM || n->type->scalar == SC_HALF ||
           fd_does(n) & FD_DIVIDES;
}

static bool may_fail(const Finder *f, const FdNode *n)
{
    if (fd_can_fail(n)) return true;
    return f->outside ? fd_any(n, f->outside, f->ctx) : fd_effects(n) & FD_READS;
}

/* lazy: computed only where a branch is taken, so that what fails must stay there. */
static bool split(const Finder *f, const FdNode *n, int group, bool lazy, FdSeen seen[2])
{
    FdContraction *c = f->c;
    const FdNode *r = c->reduces[group];
    if (!fd_meet(&seen[lazy], n)) return true;
    bool on_row = uses_any(n, c->rows, c->nrows), on_col = fd_uses_var(n, c->column);
    bool moves = on_row || on_col || uses_any(n, r->vars, r->nvars);
    if (!moves && !uses_any(n, c->batch, c->nbatch)) return !fd_any(n, is_no_arithmetic, NULL);
    if (!on_row || !on_col) {
        return !(lazy && may_fail(f, n)) &&
               add_operand(c, n, group, on_col ? FD_SIDE_COL : FD_SIDE_ROW);
    }
    FdOp op = fd_op_of(n);
    if (n->kind != FD_APPLY || is_no_arithmetic(NULL, n) || op == FD_OP_LOWER || op == FD_OP_UPPER)
        return false;
    for (int i = 0; i < n->nargs; i++)
        if (!split(f, n->args[i], group, lazy || fd_is_lazy(n, i), seen)) return false;
    return true;
}

static bool body_splits(const Finder *f, const FdNode *body, int group)
{
    FdSeen seen[2] = {{0}, {0}};
    bool fits = !(fd_effects(body) & FD_REDUCES) && split(f, body, group, f->lazy, seen);
    for (int i = 0; i < 2; i++) fd_seen_free(&seen[i]);
    return fits;
}

static bool both_sides(const FdContraction *c)
{
    bool row = false, col = false;
    for (int i = 0; i < c->noperands; i++) {
        col = col || c->operands[i].side == FD_SIDE_COL;
        row = row || uses_any(c->operands[i].node, c->rows, c->nrows);
    }
    return row && col;
}

static bool can_be_in_tiles(const FdNode *r)
{
    for (int i = 0; i < r->nvars; i++)
        if (!r->doms[i].lo || !fd_closed(r->doms[i].lo) || !fd_closed(r->doms[i].hi)) return false;
    return fd_op_of(r) != FD_OP_NONE && fd_reorders(r) && is_storable(r);
}

static void find_rows(FdContraction *c, int nvars, const FdNode *const *vars, const FdDom *doms)
{
    for (int i = 0; i < nvars; i++) {
        if (i == c->col) continue;
        bool batch = is_batch(c, vars[i]);
        int *n = batch ? &c->nbatch : &c->nrows;
        (batch ? c->batch_doms : c->row_doms)[*n] = doms[i];
        (batch ? c->batch : c->rows)[(*n)++] = vars[i];
    }
}

/* Of rows and columns over the same range, all are asked for by the diagonal. */
static bool asks_for_all(const FdContraction *c, const FdNode *const *vars, const FdDom *doms)
{
    const FdBranch *b = &c->branch;
    const FdDom *x = &doms[b->vars[0]], *y = &doms[b->vars[1]];
    if (!b->cond) return true;
    return b->diagonal && x->lo && x->lo == y->lo && x->hi == y->hi && c->nrows == 1 &&
           (c->col == b->vars[0] ? c->rows[0] == vars[b->vars[1]]
                                 : c->col == b->vars[1] && c->rows[0] == vars[b->vars[0]]);
}

/* out has the reductions. */
static bool with_column(FdContraction *out, int col, int nvars, const FdNode *const *vars,
                        const FdDom *doms, FdIs *outside, const void *ctx)
{
    out->col = col;
    out->column = vars[col];
    out->nrows = out->nbatch = out->noperands = 0;
    find_rows(out, nvars, vars, doms);
    if (!out->nrows) return false;
    Finder f = {out, outside, ctx, !asks_for_all(out, vars, doms)};
    for (int begin = 0, end; begin < out->nreduces; begin = end) {
        end = fd_reductions_end(out->nreduces, out->reduces, begin);
        for (int i = begin; i < end; i++)
            if (!body_splits(&f, out->reduces[i]->body, begin)) return false;
    }
    return both_sides(out);
}

bool fd_is_short(const FdDom *dom)
{
    return dom->lo && fd_is_const(dom->lo) && fd_is_const(dom->hi) &&
           dom->hi->value.i - dom->lo->value.i < FD_SHORT;
}

bool fd_is_long(const FdNode *reduce)
{
    for (int d = 0; d < reduce->nvars; d++)
        if (!fd_is_short(&reduce->doms[d])) return true;
    return false;
}

static bool is_long_of_element(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE && fd_is_long(n) && !fd_closed(n);
}

bool fd_elements_reduce(const FdGraph *g)
{
    return fd_any(fd_root(g), is_long_of_element, NULL);
}

bool fd_contraction(int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
                    FdIs *outside, const void *ctx, FdContraction *out)
{
    *out = (FdContraction){0};
    if (nvars >= 2) out->nreduces = fd_reductions_in(nvars, vars, body, out->reduces, &out->branch);
    if (!out->nreduces) return false;
    for (int i = 0; i < out->nreduces; i++)
        if (!can_be_in_tiles(out->reduces[i])) return false;
    for (int col = nvars; fd_is_short(&doms[nvars - 1]) && col-- > 0;)
        if (!fd_is_short(&doms[col]) && with_column(out, col, nvars, vars, doms, outside, ctx))
            return true;
    return with_column(out, nvars - 1, nvars, vars, doms, outside, ctx);
}

/* An index in which v stands beside others. */
static bool shares_index(const void *v, const FdNode *n)
{
    for (int i = 0; fd_does(n) & FD_READS && i < n->nargs; i++)
        if (n->args[i] != v && fd_uses_var(n->args[i], v)) return true;
    return false;
}

/* Is it a place of a window, whose length is not known before? Such are often short. */
static bool is_of_window(const FdContraction *c, const FdNode *v, const FdDom *dom)
{
    bool window = dom->lo && !(fd_is_const(dom->lo) && fd_is_const(dom->hi));
    for (int i = 0; i < c->nreduces && window; i++)
        if (fd_any(c->reduces[i]->body, shares_index, v)) return true;
    return false;
}

bool fd_contraction_turned(int nvars, const FdNode *const *vars, const FdDom *doms, FdIs *outside,
                           const void *ctx, const FdContraction *of, FdContraction *out)
{
    if (of->col != nvars - 1 || !is_of_window(of, of->column, &doms[of->col])) return false;
    for (int col = nvars - 1; col-- > 0;) {
        bool batch = false;
        for (int i = 0; i < of->nbatch; i++) batch = batch || of->batch[i] == vars[col];
        if (!batch || fd_is_short(&doms[col]) || is_of_window(of, vars[col], &doms[col])) continue;
        *out = *of;
        if (with_column(out, col, nvars, vars, doms, outside, ctx)) return true;
    }
    return false;
}
