/* What can be shown of numbers: enough for what nests do, false where more would be needed. */
#include "verify.h"

enum { STEPS = 12 }; /* names behind each other, operations inside each other */

static bool is_true(Num *x)
{
    return fd_is_const(x) && x->value.i;
}

bool verify_same(Unit *u, Num *x, Num *y)
{
    for (int i = 0; i < STEPS; i++) {
        if (x == y || is_true(num_op(u, FD_OP_EQ, x, y))) return true;
        Num *mx = num_meaning(u, x), *my = num_meaning(u, y);
        if (is_true(num_op(u, FD_OP_EQ, mx, y)) || is_true(num_op(u, FD_OP_EQ, x, my))) return true;
        if (mx == x && my == y) break;
        x = mx, y = my;
    }
    FdOp op = fd_op_of(x);
    if (op == FD_OP_NONE || op != fd_op_of(y) || x->nargs != 2) return false;
    for (int swap = 0; swap < (fd_op_info(op)->props & FD_COMMUTATIVE ? 2 : 1); swap++)
        if (verify_same(u, x->args[0], y->args[swap]) && verify_same(u, x->args[1], y->args[!swap]))
            return true;
    return false;
}

static bool is_multiple(Unit *u, Num *x, Num *step, int deep)
{
    if (verify_same(u, x, step) || num_is(step, 1)) return true;
    if (fd_is_const(x) && fd_is_const(step))
        return step->value.i > 0 && x->value.i % step->value.i == 0;
    if (deep == STEPS) return false;
    Num *meaning = num_meaning(u, x);
    if (meaning != x) return is_multiple(u, meaning, step, deep + 1);
    Num *whole = num_meaning(u, step);
    switch (fd_op_of(x)) {
    case FD_OP_MUL:
        for (int i = 0; i < 2; i++)
            if (is_multiple(u, x->args[i], step, deep + 1)) return true;
        return fd_op_of(whole) == FD_OP_MUL && /* 8 * (4 * V) of 2 * V */
               is_multiple(u, x->args[0], whole->args[0], deep + 1) &&
               is_multiple(u, x->args[1], whole->args[1], deep + 1);
    case FD_OP_MAX:
    case FD_OP_MIN:
    case FD_OP_ADD:
    case FD_OP_SUB:
        return is_multiple(u, x->args[0], step, deep + 1) &&
               is_multiple(u, x->args[1], step, deep + 1);
    case FD_OP_SELECT:
        return is_multiple(u, x->args[1], step, deep + 1) &&
               is_multiple(u, x->args[2], step, deep + 1);
    default: return false;
    }
}

bool verify_multiple(Unit *u, Num *x, Num *step)
{
    return is_multiple(u, x, step, 0);
}

/* Is y at least x, as max(x, ..) or a multiple of it is? */
static bool reaches(Unit *u, Num *y, Num *x)
{
    if (verify_multiple(u, y, x)) return true;
    y = num_meaning(u, y);
    return fd_op_of(y) == FD_OP_MAX && (reaches(u, y->args[0], x) || reaches(u, y->args[1], x));
}

bool verify_at_least(Unit *u, Num *when, Num *x, Num *least)
{
    if (reaches(u, x, least) || is_true(num_op(u, FD_OP_GE, x, least))) return true;
    if (!when) return false;
    when = num_meaning(u, when);
    if (num_is(when, 0)) return true; /* never asked */
    if (num_says(u, when, num_op(u, FD_OP_GE, x, least))) return true;
    FdOp op = fd_op_of(when);
    if (op == FD_OP_LAND)
        return verify_at_least(u, when->args[0], x, least) ||
               verify_at_least(u, when->args[1], x, least);
    if (op != FD_OP_GE && op != FD_OP_LE) return false;
    Num *large = when->args[op == FD_OP_LE], *small = when->args[op == FD_OP_GE];
    return verify_same(u, large, x) && reaches(u, small, least);
}
