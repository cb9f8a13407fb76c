/* Long reductions on a GPU: a part for each work-group, whose items combine theirs in a tree. */
#include "rows.h"

typedef enum Stage {
    ROW,   /* one group a result: operands to the result */
    PARTS, /* several groups a result: operands to parts */
    FINAL  /* one group a result: parts to the result */
} Stage;

static void tree_nest(Unit *u, const RowSplit *s, Stage stage, Num *when)
{
    static const char *const names[] = {"reduce_row", "reduce_parts", "reduce_final"};
    const FdNode *r = s->reduces[0];
    Num *group = recipe_group(u);
    Nest *n = rows_nest_for(u, s, names[stage], when);
    int rows = rows_axis(u, n);
    int k = stage == FINAL ? nest_axis_parts(n, "parts", s->parts)
                           : nest_axis(u, n, r->nvars, r->vars, r->doms);
    if (stage != ROW) rows_use_parts(n, s->temps, rows);
    if (stage != ROW) rows_use_groups(n, k, s->parts);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    if (stage == PARTS) in = nest_group(u, in, k, 0, s->share, NEST_CUT);
    nest_step(u, in, NEST_START);
    NestStep *turn = nest_loop(u, in, k, group, NEST_CUT);
    turn = nest_item(u, turn, k, 0, NULL, group, NEST_GUARD);
    if (stage == FINAL)
        nest_step(u, turn, NEST_PARTS);
    else
        nest_take(u, turn, 0, s->nreduces);
    nest_step(u, in, NEST_JOIN);
    nest_step(u, in, stage == PARTS ? NEST_SAVE : NEST_GIVE);
    nest_lower(u, n);
}

Num *rows_tree(Unit *u, RowSplit *s, Num *when)
{
    const Def *d = s->d;
    Num *one = num_int(u, 1), *units = num_fact(u, NUM_UNITS), *group = recipe_group(u);
    Num *tree = num_and(u, when, num_op(u, FD_OP_GE, s->work, draw_num(u, P_ROWS_TREE, 64)));
    /* neighbours in the result that read neighbours: a work-item a result reads well, too */
    if (d->nvars && reads_along(s->reduces[0]->body, d->vars[d->nvars - 1]))
        tree = num_and(u, tree,
                       num_op(u, FD_OP_LT, s->rows,
                              num_op(u, FD_OP_MUL, units, draw_num(u, P_ROWS_MANY, 512))));
    tree = num_let(u, "tree", tree);
    Num *wish = recipe_each_unit(u, 8, s->rows);
    wish =
        num_op(u, FD_OP_MIN, wish, num_op(u, FD_OP_DIV, s->work, draw_num(u, P_ROWS_PART, 2048)));
    Num *share = num_ceildiv(u, s->work, num_op(u, FD_OP_MAX, wish, one));
    s->share = num_let(u, "share", num_roundup(u, num_op(u, FD_OP_MAX, share, one), group));
    s->parts = num_let(u, "parts", num_ceildiv(u, s->work, s->share));
    Num *several = num_and(u, tree, num_op(u, FD_OP_GT, s->parts, one));
    several = num_let(u, "several", several);
    rows_temps(u, s, several);
    tree_nest(u, s, ROW, num_and(u, tree, num_not(u, several)));
    tree_nest(u, s, PARTS, several);
    tree_nest(u, s, FINAL, several);
    return tree;
}
