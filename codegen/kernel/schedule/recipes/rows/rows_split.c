/* What recipes of long reductions share: the reductions, their parts, and the nest that combines these. */
#include "rows.h"

int rows_axis(Unit *u, Nest *n)
{
    return n->def->nvars ? nest_axis_of(u, n, n->def, 0, n->def->nvars) : -1;
}

void rows_use_parts(Nest *n, const int *temps, int rows)
{
    NestPart *p = &n->part;
    for (int r = 0; r < n->nreduces; r++) p->temps[r] = temps[r];
    if (rows >= 0) p->axes[p->naxes++] = rows;
}

void rows_use_groups(Nest *n, int axis, Num *parts)
{
    NestPart *p = &n->part;
    p->lengths[p->naxes] = parts;
    p->axes[p->naxes++] = axis;
}

void rows_temps(Unit *u, RowSplit *s, Num *used)
{
    Num *count = num_op(u, FD_OP_MUL, s->rows, s->parts);
    for (int r = 0; r < s->nreduces; r++) {
        Num *each = num_int(u, (int64_t)kir_bytes(gen_type(u, s->reduces[r]->type)));
        Num *bytes = num_op(u, FD_OP_MAX, num_op(u, FD_OP_MUL, count, each), num_int(u, 1));
        s->temps[r] = plan_temp(u, num_select(u, used, bytes, num_int(u, 0)));
    }
}

Nest *rows_nest_for(Unit *u, const RowSplit *s, const char *name, Num *when)
{
    Nest *n = nest_new(u, name, s->d, when);
    recipe_use(n, s->nreduces, s->reduces);
    return n;
}

void rows_combine(Unit *u, const RowSplit *s, const char *name, Num *when, bool checked)
{
    Nest *n = rows_nest_for(u, s, name, when);
    if (checked) n->checks = GEN_CHECKED;
    int rows = rows_axis(u, n), parts = nest_axis_parts(n, "parts", s->parts);
    rows_use_parts(n, s->temps, rows);
    rows_use_groups(n, parts, s->parts);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 0, NULL, NEST_CUT);
    nest_step(u, in, NEST_START);
    nest_step(u, nest_loop(u, in, parts, NULL, NEST_CUT), NEST_PARTS);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

bool rows_find(const Def *d, RowSplit *s)
{
    *s = (RowSplit){.d = d};
    s->nreduces = fd_reductions(d->body, s->reduces);
    return s->nreduces && fd_reductions_end(s->nreduces, s->reduces, 0) == s->nreduces;
}

typedef struct Longest {
    Unit *u;
    Num *length;
} Longest;

static bool meet_reduction(const void *ctx, const FdNode *n)
{
    Longest *x = *(Longest *const *)ctx;
    if (n->kind == FD_REDUCE && reduction_is_closed(n))
        x->length = num_op(x->u, FD_OP_MAX, x->length, recipe_length(x->u, n));
    return false;
}

Num *rows_least_share(Unit *u, const RowSplit *s, int least)
{
    Longest x = {u, num_int(u, 1)}, *inside = &x;
    bool slow = false;
    for (int r = 0; r < s->nreduces; r++) {
        slow = slow || recipe_is_long(s->reduces[r]->body);
        fd_any(s->reduces[r]->body, meet_reduction, &inside);
    }
    if (!slow) return draw_num(u, P_ROWS_SHARE, 16384);
    return num_ceildiv(u, draw_num(u, P_ROWS_LONG, least), x.length);
}

int rows_lane_variable(const RowSplit *s, unsigned allowed)
{
    for (int i = s->reduces[0]->nvars - 1; i >= 0; i--) {
        bool all = true;
        for (int r = 0; r < s->nreduces; r++)
            all = all && reduction_is_closed(s->reduces[r]) &&
                  reduction_in_lanes(s->reduces[r], s->reduces[r]->vars[i], allowed);
        if (all) return i;
    }
    return -1;
}
