/* Reductions by key of rows (keys.h): sums of rows, counts of groups for each column, centres of clusters.
 *
 *   before   h(b, d) = sum(i, key(i) == b ? v(i, d) : 0)
 *   after    a work-item takes a share of i:  t[b][d] = 0 for all b, d
 *                                             b = key(i);  t[b][d ..] += v(i, d ..)     in lanes of d
 *            h(b, d) = sum over work-items of t[b][d]
 *
 * The key is asked once for all of a row, and rows are read as they lie. On a CPU. Needs: a variable of rows that no guard
 * asks, along which the values can be in lanes and every read is inside; an operation. Keeps: as keys.c. */
#include "keys_form.h"

/* Does a read go far along v? */
static bool goes_far(const void *v, const FdNode *n)
{
    return is_read(n) && fd_movement(n, v) == FD_MOVES_FAR;
}

static bool is_in_lanes(Unit *u, const ByKey *x, int var)
{
    const FdNode *v = x->d->vars[var];
    for (int r = 0; r < x->nreduces; r++) {
        const FdNode *reduce = x->reduces[r];
        KeyForm form;
        ScalarKind k = reduce->type->record ? SC_BOOL : result_kind(reduce);
        if (k == SC_BOOL || k == SC_HALF || fd_op_of(reduce) == FD_OP_NONE ||
            !fd_has_identity(reduce) || !keys_form(u, x->d, reduce, x->keys, &form) ||
            !lanes_possible(reduce->body, v, 0) || fd_any(reduce->body, goes_far, v))
            return false;
        for (int i = 0; i < form.n; i++)
            if (fd_uses_var(form.guards[i].cond, v)) return false;
    }
    return true;
}

/* The last variable of rows that can be in lanes; -1: there is none. */
static int lanes_variable(Unit *u, const ByKey *x)
{
    for (int v = x->d->nvars; v-- > 0;)
        if (!(x->keys >> v & 1) && is_in_lanes(u, x, v)) return v;
    return -1;
}

typedef struct RowNest {
    Nest *n;
    int keys, outer, lane; /* axes; outer -1: there are no other rows */
    Num *width;
} RowNest;

static RowNest begin(Unit *u, const ByKey *x, int var, const char *name, Num *when)
{
    RowNest t = {.n = nest_new(u, name, x->d, when)};
    recipe_use(t.n, x->nreduces, x->reduces);
    for (int r = 0; r < x->nreduces; r++) t.n->part.temps[r] = x->temps[r];
    t.keys = nest_axis_some(u, t.n, x->keys);
    t.outer = nest_axis_some(u, t.n, ~x->keys & ~(1u << var));
    t.lane = nest_axis_of(u, t.n, x->d, var, var + 1);
    t.n->lanes = nest_lanes_for(recipe_widest(x->nreduces, x->reduces));
    t.width = nest_lane_count(u, t.n->lanes);
    return t;
}

/* A table: for each key its rows. */
static void add_table(Unit *u, const ByKey *x, const RowNest *t, int parts)
{
    NestPart *p = &t->n->part;
    const FdDom *lane = t->n->axes[t->lane].doms;
    Num *inner = t->outer < 0 ? x->nrow : plan_n(u, lane);
    Num *outer = num_op(u, FD_OP_DIV, x->nrow, num_op(u, FD_OP_MAX, inner, num_int(u, 1)));
    const int axes[] = {parts, t->keys, t->outer, t->lane};
    Num *const lengths[] = {x->parts, x->nkey, outer, inner};
    for (int i = 0; i < 4; i++) {
        if (axes[i] < 0) continue;
        p->lengths[p->naxes] = lengths[i];
        p->axes[p->naxes++] = axes[i];
    }
}

/* All of a row, in lanes (unless it cannot be) and what is left: what `each` does. */
typedef void EachColumn(Unit *u, NestStep *in, int axis);

static void columns(Unit *u, const RowNest *t, NestStep *in, bool lanes, EachColumn *each, int axis)
{
    if (t->outer >= 0) in = nest_loop(u, in, t->outer, NULL, NEST_CUT);
    if (lanes)
        each(u, nest_lanes(u, nest_loop(u, in, t->lane, t->width, NEST_WHOLE), t->lane), axis);
    each(u, nest_loop(u, in, t->lane, NULL, NEST_CUT), axis);
}

static void clear(Unit *u, NestStep *in, int axis)
{
    (void)axis;
    nest_step(u, in, NEST_START);
    nest_step(u, in, NEST_SAVE);
}

static void scatter(Unit *u, NestStep *in, int axis)
{
    (void)axis;
    nest_step(u, in, NEST_SCATTER);
}

static void combine(Unit *u, NestStep *in, int parts)
{
    nest_step(u, in, NEST_START);
    nest_step(u, nest_loop(u, in, parts, NULL, NEST_CUT), NEST_PARTS);
    nest_step(u, in, NEST_GIVE);
}

static void fill(Unit *u, const ByKey *x, int var, Num *when)
{
    const FdNode *r = x->reduces[0];
    RowNest t = begin(u, x, var, "keys_rows", when);
    int axes[FD_MAX_RANK];
    for (int i = 0; i < r->nvars; i++) axes[i] = nest_axis(u, t.n, 1, r->vars + i, r->doms + i);
    add_table(u, x, &t, axes[0]);
    t.n->lanes_axis = t.lane;
    t.n->keys = (NestKeys){.axis = t.keys, .tables = -1};
    NestStep *in = nest_group(u, &t.n->root, axes[0], 0, x->share[0], NEST_CUT);
    columns(u, &t, nest_loop(u, in, t.keys, NULL, NEST_CUT), true, clear, 0);
    for (int i = 0; i < r->nvars; i++) in = nest_loop(u, in, axes[i], NULL, NEST_CUT);
    columns(u, &t, in, true, scatter, 0);
    nest_lower(u, t.n);
}

static void add_up(Unit *u, const ByKey *x, int var, Num *when)
{
    RowNest t = begin(u, x, var, "keys_rows_sum", when);
    int parts = nest_axis_parts(t.n, "parts", x->parts);
    bool lanes = var == x->d->nvars - 1 &&
                 recipe_epilogue_lanes(x->d, x->nreduces, x->reduces, x->d->vars[var], 0);
    add_table(u, x, &t, parts);
    if (lanes) t.n->lanes_axis = t.lane;
    Num *chunk = recipe_lines_each(u, x->nkey, x->nrow, draw(u, P_KEYS_COMBINE, 256));
    NestStep *in = nest_group(u, &t.n->root, t.keys, 0, num_let(u, "chunk", chunk), NEST_CUT);
    columns(u, &t, nest_loop(u, in, t.keys, NULL, NEST_CUT), lanes, combine, parts);
    nest_lower(u, t.n);
}

Num *keys_by_rows(Unit *u, const ByKey *of, Num *work, Num *when)
{
    ByKey x = *of;
    int var = x.ngroups > 1 || x.keys == (1u << x.d->nvars) - 1 ? -1 : lanes_variable(u, &x);
    if (var < 0) return NULL;
    Num *length = plan_n(u, &x.d->doms[var]);
    when = num_and(u, when, num_op(u, FD_OP_GE, length, draw_num(u, P_KEYS_ROWS, 4)));
    when = num_let(u, "rows_by_key", when);
    if (num_is(when, 0)) return NULL;
    /* all rows are in a table: as if there were none, and so many keys more */
    x.nkey = num_op(u, FD_OP_MUL, of->nkey, of->nrow);
    x.nrow = x.copies = num_int(u, 1);
    keys_share_out(u, &x, num_op(u, FD_OP_MUL, work, of->nrow), when);
    x.nkey = of->nkey;
    x.nrow = of->nrow;
    fill(u, &x, var, when);
    add_up(u, &x, var, when);
    return when;
}
