/* Gathers (reads whose lanes lie apart) know elements by ints, and read an element that exists where
 * an index is outside: arrays that are too large or empty for that are read one by one. */
#include "analysis.h"

typedef struct Sized {
    Unit *u;
    const Def *d;
    const FdNode *last; /* the variable in lanes */
    Num *all;
    bool body; /* of a user function: nobody has looked at its reads */
} Sized;

static void look(Sized *s, const FdNode *n, FdSeen *seen);

static void look_into(Sized *s, const FdStmt *body, FdSeen *seen)
{
    bool before = s->body;
    s->body = true;
    for (; body; body = body->next) {
        if (body->expr) look(s, body->expr, seen);
        if (body->kind == FD_STMT_PUT) look(s, body->var, seen);
        look_into(s, body->body, seen);
        look_into(s, body->other, seen);
    }
    s->body = before;
}

static void look(Sized *s, const FdNode *n, FdSeen *seen)
{
    const FdNode *children[FD_MAX_CHILDREN];
    Unit *u = s->u;
    if (!fd_meet(seen, n)) return;
    for (int i = fd_children(n, children); i-- > 0;) look(s, children[i], seen);
    if (n->user) look_into(s, n->user->body, seen);
    if (!is_read(n)) return;
    bool suspect = s->body || def_is_suspect(u, s->d, n);
    if (!suspect && (!s->last || fd_movement(n, s->last) != FD_MOVES_FAR)) return;
    Num *count = num_int(u, 1);
    for (int d = 0; d < n->nargs; d++)
        count = num_op(u, FD_OP_MUL, count, plan_array_n(u, n->fn, d));
    if (suspect) s->all = num_op(u, FD_OP_LAND, s->all, num_op(u, FD_OP_GT, count, num_int(u, 0)));
    s->all = num_op(u, FD_OP_LAND, s->all, num_op(u, FD_OP_LE, count, num_int(u, INT32_MAX)));
}

Num *plan_sized(Unit *u, const Def *d, const FdNode *lanes)
{
    Sized s = {u, d, lanes, num_truth(u, true), false};
    FdSeen seen = {0};
    look(&s, d->body, &seen);
    fd_seen_free(&seen);
    return s.all;
}
