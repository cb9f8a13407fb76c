/* Short rows of their own lengths: results side by side in lanes, each of which goes over its own range.
 *
 *   y(i) = min(k : first(i)..first(i + 1), x(to(k)))        edges of a graph, a sparse matrix with few entries a row
 *
 * One by one, the end of each row is mispredicted. Here that is so of the longest of a vector's rows. Needs: vectors for
 * which there are gathers, and an array whose elements are those of all rows, which says how long they are. Keeps: the
 * order within each row. */
#include "rows.h"

/* A row of average length may be as long as this; longer ones are better off one by one. Where gathers are loads, each
 * array that the lanes read apart costs as much as a row's end: then it is so many elements by the arrays. */
enum { LONGEST = 24, CHUNK = 4096 };

typedef struct Uneven {
    const FdNode *v;    /* the variable in lanes */
    const FdNode *read; /* at the variable of such a range alone; NULL: none found */
    bool found, real_extreme;
    int apart; /* most reads that a range's variable moves */
} Uneven;

typedef struct Moving { /* reads that a variable moves */
    const FdNode *var;
    int n;
} Moving;

static bool is_at(const void *var, const FdNode *n)
{
    return is_read(n) && n->fn->kind == FD_FUNC && n->nargs == 1 && n->args[0] == var;
}

static const FdNode *find_read(const FdNode *n, const FdNode *var)
{
    if (is_at(var, n)) return n;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++) {
        const FdNode *found = fd_uses_var(n->args[i], var) ? find_read(n->args[i], var) : NULL;
        if (found) return found;
    }
    return NULL;
}

static bool count_moving(const void *counted, const FdNode *n)
{
    Moving *m = *(Moving *const *)counted;
    m->n += is_read(n) && fd_uses_var(n, m->var);
    return false;
}

static bool find_uneven(const void *ctx, const FdNode *n)
{
    Uneven *x = *(Uneven *const *)ctx;
    if (n->kind != FD_REDUCE || n->nvars != 1 || !n->doms->lo) return false;
    if (!fd_uses_var(n->doms->lo, x->v) && !fd_uses_var(n->doms->hi, x->v)) return false;
    x->found = true;
    Moving m = {n->vars[0], 0}, *counted = &m;
    fd_any(n->body, count_moving, &counted);
    if (m.n > x->apart) x->apart = m.n;
    if (!x->read) x->read = find_read(n->body, n->vars[0]);
    return !x->read; /* nobody knows how long its rows are */
}

Num *recipe_uneven(Unit *u, const Def *d, Num *when)
{
    if (!d->noting || !d->nvars || u->options->precise || u->options->family == CG_GPU) return NULL;
    int last = d->nvars - 1;
    Uneven x = {.v = d->vars[last]}, *to = &x;
    if (fd_any(d->body, find_uneven, &to) || !x.found) return NULL;
    unsigned allowed = recipe_allowed(d) | LANES_FAR | LANES_UNEVEN;
    if (!lanes_possible(d->body, x.v, allowed)) return NULL;
    int vector = nest_lanes_for(widest_bytes(d->body));
    Num *lanes = nest_lane_count(u, vector), *n = plan_n(u, &d->doms[last]),
        *rows = plan_elements(u, d->nvars, d->doms);
    int64_t longest = draw(u, P_ROWS_UNEVEN, LONGEST),
            fewer = longest == LONGEST && x.apart > 1 ? LONGEST / x.apart : longest;
    Num *gathers = num_op(u, FD_OP_GT, num_fact(u, NUM_GATHERS), num_int(u, 0)),
        *most = num_select(u, gathers, num_int(u, longest), num_int(u, fewer));
    most = num_op(u, FD_OP_MUL, rows, most);
    Num *fits = num_op(u, FD_OP_LE, plan_array_n(u, x.read->fn, 0), most);
    fits = num_and(u, num_and(u, fits, num_op(u, FD_OP_GE, n, lanes)), draw_is_wide(u));
    when = num_let(u, "uneven", num_and(u, when, fits));
    if (num_is(when, 0)) return NULL;
    Nest *nest = nest_new(u, "uneven", d, when);
    nest->lanes = vector;
    int outer = last ? nest_axis_of(u, nest, d, 0, last) : -1,
        axis = nest_axis_of(u, nest, d, last, last + 1);
    Num *chunk = num_let(u, "chunk", num_roundup(u, num_int(u, CHUNK), lanes));
    NestStep *in = &nest->root;
    if (outer >= 0) in = nest_group(u, in, outer, 1, NULL, NEST_CUT);
    in = nest_loop(u, nest_group(u, in, axis, 0, chunk, NEST_CUT), axis, lanes, NEST_BACK);
    nest_step(u, nest_lanes(u, in, axis), NEST_GIVE);
    nest_lower(u, nest);
    return when;
}
