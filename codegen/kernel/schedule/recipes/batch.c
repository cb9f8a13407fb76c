/* Many small products, transforms and sums, whose last dimensions are too short for lanes: lanes are of the variable by
 * which each has rows of its own (analysis/batch.c).
 *
 *   c(b, i, j) = sum(k, a(b, i, k) * x(b, k, j))          100,000 products of 4 x 4
 *   y(b, i) = sum(k, m(i, k) * x(b, k))                   a matrix and 100,000 points
 *
 * Rows go through private memory, where lanes are fastest. CPU only. Needs: all that is read in lanes lies in rows of
 * closed lengths. Keeps: the order within an element. */
#include "../../../../fdag/index/siblings.h"
#include "recipe.h"

enum { MOST = 256, VECTORS = 2 };

/* Are rows of the result known to be short? */
static bool is_short(Unit *u, const Def *d, const Batch *b)
{
    int64_t all = 1;
    if (b->dim == d->nvars - 1) return false;
    for (int i = b->dim + 1; i < d->nvars; i++) {
        Num *lo = num_of(u, d->doms[i].lo), *hi = num_of(u, d->doms[i].hi);
        Num *n = lo && hi ? num_op(u, FD_OP_SUB, hi, lo) : NULL;
        if (!n || !fd_is_const(n) || n->value.i > MOST) return false;
        all *= n->value.i;
    }
    return all <= MOST;
}

/* Are all indices but those of rows variables, or the same for all? Windows of pictures are not. */
static bool is_plain(const Batch *b)
{
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->reads[i]->nargs; k++)
            if (b->reads[i]->args[k]->kind != FD_VAR && !node_is_closed(b->reads[i]->args[k]))
                return false;
    return true;
}

static Num *fits(Unit *u, const Def *d, const Batch *b, Num *most, Num *width)
{
    Num *n = plan_n(u, &d->doms[b->dim]);
    Num *row = plan_elements(u, d->nvars - b->dim - 1, d->doms + b->dim + 1);
    Num *all = num_op(u, FD_OP_LE, row, most);
    if (b->dim < d->nvars - 1)
        all = num_and(u, all, num_op(u, FD_OP_LT, plan_n(u, &d->doms[d->nvars - 1]), width));
    for (int i = 0; i < b->n; i++) {
        Num *length = num_int(u, 1);
        for (int k = b->rows[i] + 1; k < b->reads[i]->nargs; k++)
            length = num_op(u, FD_OP_MUL, length, plan_array_n(u, b->reads[i]->fn, k));
        all = num_and(u, all, num_op(u, FD_OP_LE, length, most));
    }
    Num *least = num_op(u, FD_OP_MUL, width, num_int(u, VECTORS));
    return num_and(u, all, num_op(u, FD_OP_GE, n, least));
}

/* Shares of the batch's axis x, of what is around it each, in lanes: the step of so many. */
static NestStep *share_out(Unit *u, Nest *n, int around, int x, Num *most)
{
    NestStep *in = &n->root;
    Num *width = nest_lane_count(u, n->lanes),
        *outer = around < 0 ? num_int(u, 1) : n->axes[around].n;
    Num *items = recipe_each_unit(u, (int)draw(u, P_BATCH_ITEMS, 8), outer);
    Num *chunk = num_roundup(u, num_ceildiv(u, n->axes[x].n, items), width);
    if (around >= 0) in = nest_group(u, in, around, 1, NULL, NEST_CUT);
    in = nest_group(u, in, x, 0, num_let(u, "chunk", chunk), NEST_CUT);
    in = nest_loop(u, in, x, width, NEST_BACK);
    in = nest_step(u, in, NEST_BATCH);
    in->axis = x;
    in->count = most;
    return in;
}

static void batch_nest(Unit *u, const Def *d, const Batch *b, Num *when, int lanes, Num *most)
{
    Nest *n = nest_new(u, "batch", d, when);
    n->lanes = lanes;
    int around = b->dim ? nest_axis_of(u, n, d, 0, b->dim) : -1,
        x = nest_axis_of(u, n, d, b->dim, b->dim + 1),
        row = b->dim < d->nvars - 1 ? nest_axis_of(u, n, d, b->dim + 1, d->nvars) : -1;
    NestStep *in = share_out(u, n, around, x, most);
    if (row >= 0) in = nest_loop(u, in, row, NULL, NEST_CUT);
    nest_step(u, nest_lanes(u, in, x), NEST_GIVE);
    nest_lower(u, n);
}

/* Siblings side by side, which share what does not use them (fdag/index/siblings.h): sums of any length. */
static void beside_nest(Unit *u, const Def *d, const Batch *b, Num *when, int lanes, Num *most)
{
    Nest *n = nest_new(u, "batch_beside", d, when);
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    recipe_use(n, fd_reductions(d->body, reduces), reduces);
    n->lanes = lanes;
    Num *width = nest_lane_count(u, lanes);
    int around = b->dim ? nest_axis_of(u, n, d, 0, b->dim) : -1,
        x = nest_axis_of(u, n, d, b->dim, b->dim + 1),
        row = nest_axis_of(u, n, d, b->dim + 1, d->nvars);
    const FdNode *r = n->reduces[0];
    int k = nest_axis(u, n, r->nvars, r->vars, r->doms);
    Num *few = n->axes[row].n;
    n->lanes_axis = x;
    n->regs[n->nregs++] = (NestRegs){.axis = row, .count = few, .step = num_int(u, 1)};
    n->regs[n->nregs++] = (NestRegs){.axis = x, .count = num_int(u, 1), .step = width};
    NestStep *in = share_out(u, n, around, x, most);
    nest_step(u, in, NEST_START);
    NestStep *sum = nest_unroll(u, nest_loop(u, in, k, NULL, NEST_CUT), row, NULL, few);
    sum = nest_unroll(u, sum, x, width, num_int(u, 1));
    nest_take(u, nest_lanes(u, sum, x), 0, n->nreduces);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Are all sums shorter? */
static Num *sums_short(Unit *u, int n, const FdNode *const *reduces, Num *than)
{
    Num *all = num_truth(u, true);
    for (int r = 0; r < n; r++)
        if (reduction_is_closed(reduces[r]))
            all = num_and(u, all, num_op(u, FD_OP_LT, recipe_length(u, reduces[r]), than));
    return all;
}

/* Operations of n that do not use v, of elements that do. */
static int shared_operations(const FdNode *n, const FdNode *v, FdSeen *seen)
{
    const FdNode *children[FD_MAX_CHILDREN];
    if (!fd_meet(seen, n)) return 0;
    bool is = n->kind == FD_APPLY && fd_op_of(n) != FD_OP_NONE && !fd_uses_var(n, v);
    int all = is && !node_is_closed(n);
    for (int i = fd_children(n, children); i-- > 0;) all += shared_operations(children[i], v, seen);
    return all;
}

/* Siblings that share enough to be taken side by side. */
static bool is_beside(const Def *d, int dim)
{
    enum { LEAST = 4 };
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    const FdNode *v = fd_sibling(d->nvars, d->vars, d->doms, d->body);
    if (!v || dim != d->nvars - 2) return false;
    int n = fd_reductions(d->body, reduces), all = 0;
    if (n > NEST_RESULTS / 2) return false;
    FdSeen seen = {0};
    for (int i = 0; i < n; i++) all += shared_operations(reduces[i]->body, v, &seen);
    fd_seen_free(&seen);
    return all >= LEAST;
}

typedef struct Batches {
    Unit *u;
    const Def *d;
    int n; /* reductions */
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    bool costly;
    int lanes;
    Num *most, *taken; /* NULL: nothing yet */
} Batches;

static void try_variable(Batches *x, int dim, Num *when)
{
    Unit *u = x->u;
    Batch b;
    bool last = dim == x->d->nvars - 1;
    if (dim < 0 || (last ? !x->n : !x->n && !x->costly) || !batch_find(x->d, dim, &b)) return;
    bool is_known = is_short(u, x->d, &b), deep = false, rows = false;
    for (int i = 0; i < b.n; i++) {
        deep = deep || b.rows[i] > 0;
        rows = rows || b.reads[i]->nargs > b.rows[i] + 1;
    }
    if ((last && !rows) || (!is_known && ((x->taken && !last) || !is_plain(&b)))) return;
    Num *width = nest_lane_count(u, x->lanes),
        *is = num_and(u, when, fits(u, x->d, &b, x->most, width));
    bool beside = is_beside(x->d, dim);
    if (!beside) is = num_and(u, is, sums_short(u, x->n, x->reduces, last ? width : x->most));
    if (x->taken) is = num_and(u, is, num_not(u, x->taken));
    is = num_let(u, "batch", is);
    if (!is_known && !(last && deep))
        num_guess(u, is, false); /* rows of matrices are long, mostly */
    if (num_is(is, 0)) return;
    (beside ? beside_nest : batch_nest)(u, x->d, &b, is, x->lanes, x->most);
    x->taken = x->taken ? num_op(u, FD_OP_LOR, x->taken, is) : is;
}

Num *recipe_batch(Unit *u, const Def *d, Num *when)
{
    Batches x = {.u = u, .d = d};
    if (u->options->family == CG_GPU || d->noting || !d->nvars || d->flat || d->nwithin)
        return NULL;
    x.n = fd_all_reductions(d->body, x.reduces);
    for (int r = 0; r < x.n; r++)
        if (!fd_reorders(x.reduces[r]) && fd_op_of(x.reduces[r]) == FD_OP_NONE) return NULL;
    x.costly = recipe_is_dear(d->body);
    x.lanes = nest_lanes_for(widest_bytes(d->body));
    x.most = draw_num(u, P_BATCH_MOST, MOST);
    /* matrices of each, vectors of each, sums of each; then all that is behind variables further out */
    for (int dim = d->nvars < 3 ? 0 : d->nvars - 3; dim < d->nvars; dim++)
        try_variable(&x, dim, when);
    for (int dim = d->nvars - 4; dim >= 0; dim--) try_variable(&x, dim, when);
    return x.taken;
}
