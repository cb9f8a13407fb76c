/* What a condition says of others: plans choose between forms by conditions that are made of each other
 * ("rest && !taken"), so that much of them says what is known, or contradicts it; then no kernel is made.
 * Only what joins conditions is looked at, and equal comparisons: no numbers. */
#include "number.h"

#include "../unit.h"

enum { MAX_FACTS = 48, MAX_LOOKS = 400 };

typedef struct Fact {
    FdOp op; /* LT, EQ of a and b; NONE: the condition a */
    Num *a, *b;
    bool truth;
} Fact;

typedef struct Given {
    Unit *u;
    int n, looks; /* how much has been looked at: conditions may be long */
    bool never;   /* they contradict each other */
    Fact facts[MAX_FACTS];
} Given;

/* A condition without `!`, and comparisons in one direction. */
static Fact fact_of(Unit *u, Num *x, bool truth)
{
    x = num_meaning(u, x);
    while (fd_op_of(x) == FD_OP_LNOT) {
        x = num_meaning(u, x->args[0]);
        truth = !truth;
    }
    switch (fd_op_of(x)) {
    case FD_OP_LT: return (Fact){FD_OP_LT, x->args[0], x->args[1], truth};
    case FD_OP_GE: return (Fact){FD_OP_LT, x->args[0], x->args[1], !truth};
    case FD_OP_GT: return (Fact){FD_OP_LT, x->args[1], x->args[0], truth};
    case FD_OP_LE: return (Fact){FD_OP_LT, x->args[1], x->args[0], !truth};
    case FD_OP_EQ: return (Fact){FD_OP_EQ, x->args[0], x->args[1], truth};
    case FD_OP_NE: return (Fact){FD_OP_EQ, x->args[0], x->args[1], !truth};
    default: return (Fact){FD_OP_NONE, x, NULL, truth};
    }
}

/* 1, 0, or -1: not known. */
static int look_up(const Given *g, const Fact *f)
{
    for (int i = 0; i < g->n; i++) {
        const Fact *k = &g->facts[i];
        if (k->op == f->op && k->a == f->a && k->b == f->b) return k->truth == f->truth;
    }
    return -1;
}

static void learn(Given *g, Num *x, bool truth)
{
    Fact f = fact_of(g->u, x, truth);
    int known = look_up(g, &f);
    if (known == 0) g->never = true;
    if (known >= 0 || g->looks++ >= MAX_LOOKS || g->n == MAX_FACTS) return;
    g->facts[g->n++] = f;
    FdOp joins = f.truth ? FD_OP_LAND : FD_OP_LOR;
    for (int i = 0; f.op == FD_OP_NONE && fd_op_of(f.a) == joins && i < 2; i++)
        learn(g, f.a->args[i], f.truth);
}

static int decide(Given *g, Num *x);

/* Of a || b that is true, and a && b that is false, one is known not to be the reason: the other is. */
static void conclude(Given *g)
{
    for (int i = 0; i < g->n; i++) {
        const Fact f = g->facts[i];
        FdOp op = f.op == FD_OP_NONE ? fd_op_of(f.a) : FD_OP_NONE;
        if (op != (f.truth ? FD_OP_LOR : FD_OP_LAND)) continue;
        int is[] = {decide(g, f.a->args[0]), decide(g, f.a->args[1])};
        for (int k = 0; k < 2; k++)
            if (is[k] == !f.truth && is[!k] < 0) learn(g, f.a->args[!k], f.truth);
        if (is[0] == !f.truth && is[1] == !f.truth) g->never = true;
    }
}

/* Is x true (1) or false (0) where these are; -1: either. */
static int decide(Given *g, Num *x)
{
    if (fd_is_const(x)) return x->value.i != 0;
    Fact f = fact_of(g->u, x, true);
    int known = look_up(g, &f);
    FdOp op = f.op == FD_OP_NONE ? fd_op_of(f.a) : FD_OP_NONE;
    if (known >= 0 || (op != FD_OP_LAND && op != FD_OP_LOR) || g->looks++ >= MAX_LOOKS)
        return known;
    int a = decide(g, f.a->args[0]), b = decide(g, f.a->args[1]);
    bool strong = op == FD_OP_LOR; /* the truth that one of them is enough for */
    if (a == strong || b == strong) return strong == f.truth;
    return a == !strong && b == !strong ? strong != f.truth : -1;
}

/* What has a name keeps it. */
static Num *simpler(Given *g, Num *x)
{
    int known = decide(g, x);
    if (known >= 0) return num_truth(g->u, known);
    FdOp op = fd_op_of(x);
    if (g->looks >= MAX_LOOKS) return x;
    if (op == FD_OP_LNOT) {
        Num *a = simpler(g, x->args[0]);
        return a == x->args[0] ? x : num_not(g->u, a);
    }
    if (op != FD_OP_LAND && op != FD_OP_LOR) return x;
    Num *a = simpler(g, x->args[0]), *b = simpler(g, x->args[1]);
    return a == x->args[0] && b == x->args[1] ? x : num_op(g->u, op, a, b);
}

static void suppose(Given *g, Unit *u, Num *cond, bool truth)
{
    g->u = u;
    learn(g, cond, truth);
    conclude(g);
}

/* A condition that says the same as x where cond is true, or is false. */
static Num *given(Unit *u, Num *cond, bool truth, Num *x)
{
    if (fd_is_const(x) || fd_is_const(cond)) return x;
    Given g = {0};
    suppose(&g, u, cond, truth);
    return simpler(&g, x);
}

/* The same of whether x is so. */
static int decided(Unit *u, Num *cond, bool truth, Num *x)
{
    Given g = {0};
    suppose(&g, u, cond, truth);
    return decide(&g, x);
}

bool num_says(Unit *u, Num *cond, Num *x)
{
    return decided(u, cond, true, x) == 1;
}

/* Can x and y not both be so? */
static bool contradict(Unit *u, Num *x, Num *y, bool truth)
{
    Given g = {.u = u};
    learn(&g, x, truth);
    suppose(&g, u, y, truth);
    return g.never;
}

/* x || y is what !x && !y is not, so both are looked at in the same way. */
Num *num_joined(Unit *u, bool all, Num *x, Num *y)
{
    if (contradict(u, x, y, all)) return num_truth(u, !all);
    int one = fd_is_const(x) || fd_is_const(y) ? -1 : decided(u, y, all, x);
    if (one >= 0) return one == all ? y : num_truth(u, !all); /* y says x, or that x is not so */
    Num *less = given(u, x, all, y);
    if (less != y) return num_joined(u, all, x, less);
    if (fd_is_const(y)) return (y->value.i != 0) == all ? x : y;
    if (fd_is_const(x)) return (x->value.i != 0) == all ? y : x;
    Num *args[] = {x, y};
    return fd_simple_op(u->fd, all ? FD_OP_LAND : FD_OP_LOR, SC_LONG, 2, args);
}
