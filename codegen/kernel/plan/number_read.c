/* Reading numbers of plans: their text compiled as that of a plan is, and built again. */
#include <string.h>

#include "../unit.h"
#include "expr.h"

typedef struct Reading {
    Unit *u;
    VEC(Num *) symbols;
} Reading;

static PlanSymbol resolve(void *ctx, const char *name, int len)
{
    Reading *r = ctx;
    int slot, dim;
    bool lower;
    Num *x = NULL;
    if (plan_slot_symbol(name, (size_t)len, &slot, &dim, &lower))
        x = num_slot(r->u, slot, dim, lower);
    if (!x) x = num_find(r->u, name, (size_t)len);
    if (x) vec_push(&r->symbols, x);
    return (PlanSymbol){.number = x ? (int)r->symbols.len - 1 : -1};
}

static Num *as_truth(Unit *u, Num *x)
{
    if (result_kind(x) == SC_BOOL) return x;
    if (fd_is_const(x)) return num_truth(u, x->value.i != 0);
    return num_op(u, FD_OP_NE, x, num_int(u, 0));
}

FdOp plan_op(PlanCode code)
{
    static const FdOp ops[PLAN_CODES] = {
        [PLAN_ADD] = FD_OP_ADD, [PLAN_SUB] = FD_OP_SUB, [PLAN_MUL] = FD_OP_MUL,
        [PLAN_DIV] = FD_OP_DIV, [PLAN_REM] = FD_OP_REM, [PLAN_LT] = FD_OP_LT,
        [PLAN_LE] = FD_OP_LE,   [PLAN_GT] = FD_OP_GT,   [PLAN_GE] = FD_OP_GE,
        [PLAN_EQ] = FD_OP_EQ,   [PLAN_NE] = FD_OP_NE,   [PLAN_MIN] = FD_OP_MIN,
        [PLAN_MAX] = FD_OP_MAX};
    return ops[code];
}

static const void *build(void *ctx, PlanCode code, int64_t value, const void *const *x)
{
    const Reading *r = ctx;
    Unit *u = r->u;
    switch (code) {
    case PLAN_PUSH: return num_int(u, value);
    case PLAN_SYMBOL: return r->symbols.data[value];
    case PLAN_NEG: return num_op(u, FD_OP_SUB, num_int(u, 0), num_long(u, x[0]));
    case PLAN_NOT: return num_not(u, as_truth(u, x[0]));
    case PLAN_AND: return num_op(u, FD_OP_LAND, as_truth(u, x[0]), as_truth(u, x[1]));
    case PLAN_OR: return num_op(u, FD_OP_LOR, as_truth(u, x[0]), as_truth(u, x[1]));
    case PLAN_CHOOSE: {
        Num *a = x[1], *b = x[2];
        bool truths = result_kind(a) == SC_BOOL && result_kind(b) == SC_BOOL;
        return num_select(u, as_truth(u, x[0]), truths ? a : num_long(u, a),
                          truths ? b : num_long(u, b));
    }
    case PLAN_CEILDIV: return num_ceildiv(u, num_long(u, x[0]), num_long(u, x[1]));
    case PLAN_ROUNDUP: return num_roundup(u, num_long(u, x[0]), num_long(u, x[1]));
    case PLAN_SHL: return NULL; /* no number is shifted */
    default: return num_op(u, plan_op(code), num_long(u, x[0]), num_long(u, x[1]));
    }
}

Num *num_read(Unit *u, const char **text, bool truth, const char **error)
{
    Reading r = {.u = u};
    PlanExprs *all = plan_exprs_new(u->arena);
    const PlanExpr *e = plan_expr_parse(all, text, resolve, &r, error);
    Num *x = e ? plan_expr_build(e, build, &r) : NULL;
    if (e && !x) *error = "a number is not shifted";
    plan_exprs_done(all);
    vec_free(&r.symbols);
    return x && truth ? as_truth(u, x) : x;
}
