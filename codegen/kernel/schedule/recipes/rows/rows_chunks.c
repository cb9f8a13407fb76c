/* Reductions in chunks, which keep the order of the operands. */
#include "rows.h"

/* Reductions by user functions that are associative; others where they cannot be in lanes: 0: no. */
typedef enum Chunked { CHUNKED_NOT, CHUNKED_USERS, CHUNKED_ANY } Chunked;

static Chunked is_chunked(const Unit *u, const RowSplit *s)
{
    bool users = true, any = u->options->family == CG_CPU;
    for (int r = 0; r < s->nreduces; r++) {
        const FdNode *reduce = s->reduces[r];
        if (reduce->init || !reduction_is_closed(reduce)) return CHUNKED_NOT;
        const FdUser *user = fd_user_of(reduce);
        users = users && user && user->associative;
        any =
            any && fd_reorders(reduce) && (reduce->type->record || result_kind(reduce) != SC_HALF);
    }
    if (users) return CHUNKED_USERS;
    return any && rows_lane_variable(s, recipe_allowed(s->d) | LANES_FAR) < 0 ? CHUNKED_ANY
                                                                              : CHUNKED_NOT;
}

Num *recipe_chunks(Unit *u, const Def *d, Num *when, bool checked)
{
    RowSplit s;
    if (u->options->precise || !rows_find(d, &s)) return NULL;
    Chunked chunked = is_chunked(u, &s);
    bool users = chunked == CHUNKED_USERS;
    if (chunked == CHUNKED_NOT) return NULL;
    s.rows = num_let(u, "rows", plan_elements(u, d->nvars, d->doms));
    s.work = num_let(u, "work", recipe_length(u, s.reduces[0]));
    /* Several for every unit, since some may take longer than others. */
    Num *one = num_int(u, 1),
        *least = users ? draw_num(u, P_CHUNKS_SHARE, 256) : rows_least_share(u, &s, 8);
    Num *wish = recipe_each_unit(u, u->options->family == CG_GPU ? 256 : users ? 4 : 16, s.rows);
    wish = num_op(u, FD_OP_MIN, wish, num_op(u, FD_OP_DIV, s.work, least));
    s.share = num_let(u, "share", num_ceildiv(u, s.work, num_op(u, FD_OP_MAX, wish, one)));
    s.parts = num_let(u, "parts", num_ceildiv(u, s.work, s.share));
    Num *several = num_and(u, when, num_op(u, FD_OP_GT, s.parts, one));
    several = num_let(u, "several", several);
    rows_temps(u, &s, several);
    Nest *n = rows_nest_for(u, &s, "reduce_chunk", several);
    if (checked) n->checks = GEN_CHECKED;
    int rows = rows_axis(u, n),
        k = nest_axis(u, n, s.reduces[0]->nvars, s.reduces[0]->vars, s.reduces[0]->doms);
    rows_use_parts(n, s.temps, rows);
    rows_use_groups(n, k, s.parts);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, k, 0, s.share, NEST_CUT);
    nest_step(u, in, NEST_START);
    nest_take(u, nest_loop(u, in, k, NULL, NEST_CUT), 0, s.nreduces);
    nest_step(u, in, NEST_SAVE);
    nest_lower(u, n);
    rows_combine(u, &s, "reduce_chunks", several, checked);
    return several;
}
