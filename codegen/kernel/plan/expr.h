/* Integer expressions of plans: C syntax over 64-bit integers and named symbols. Equal ones are one, and each is worked
 * out once when a plan is bound, if somebody asks for it. */
#ifndef CS_CODEGEN_EXPR_H
#define CS_CODEGEN_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../base/arena.h"

/* Operators + - * / % << < <= > >= == != && || ! ?: and unary -, parentheses, and the functions
 * min(a, b), max(a, b), ceildiv(a, b), roundup(a, b). Division by zero gives 0. */
typedef struct PlanExpr PlanExpr;

typedef enum PlanCode {
    PLAN_PUSH,   /* a number */
    PLAN_SYMBOL, /* its number */
    PLAN_ADD,
    PLAN_SUB,
    PLAN_MUL,
    PLAN_DIV,
    PLAN_REM,
    PLAN_SHL,
    PLAN_LT,
    PLAN_LE,
    PLAN_GT,
    PLAN_GE,
    PLAN_EQ,
    PLAN_NE,
    PLAN_AND,
    PLAN_OR,
    PLAN_NOT,
    PLAN_NEG,
    PLAN_CHOOSE,
    PLAN_MIN,
    PLAN_MAX,
    PLAN_CEILDIV,
    PLAN_ROUNDUP,
    PLAN_CODES
} PlanCode;

/* What a value hangs on. */
typedef struct PlanNeeds {
    bool turn;      /* a loop's variable */
    uint64_t slots; /* numbers of these (plan_slot_bit) */
} PlanNeeds;

/* The last bit is of all slots from there on. */
static inline uint64_t plan_slot_bit(int slot)
{
    return UINT64_C(1) << (slot < 63 ? slot : 63);
}

typedef struct PlanSymbol {
    int number; /* -1: there is none of that name */
    PlanNeeds needs;
    const PlanExpr *is; /* that it stands for; NULL: plan_expr_eval asks for its value */
} PlanSymbol;
typedef PlanSymbol PlanResolve(void *ctx, const char *name, int len);
/* Is a name one of a slot: s2 (its value: *dim is -1), s0.n1, s0.lo1 (*lower)? */
bool plan_slot_symbol(const char *name, size_t len, int *slot, int *dim, bool *lower);

/* What ceildiv and roundup are made of; b is not 0. */
static inline int64_t plan_quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* The expressions of one plan, in an arena. */
typedef struct PlanExprs PlanExprs;
PlanExprs *plan_exprs_new(Arena *arena);
/* Compiles the expression at *text, leaving *text behind it. NULL with *error (static text) when it
 * is not one. */
const PlanExpr *plan_expr_parse(PlanExprs *all, const char **text, PlanResolve *resolve, void *ctx,
                                const char **error);
PlanNeeds plan_expr_needs(const PlanExpr *e);
void plan_exprs_done(PlanExprs *all); /* no more are compiled: drops what finds equal ones */

/* Value of symbol number `sym`, which stands for no expression. */
typedef int64_t PlanLookup(void *ctx, int sym);
/* What has been worked out. */
typedef struct PlanMemo PlanMemo;
PlanMemo *plan_memo_new(const PlanExprs *all, PlanLookup *lookup, void *ctx, Arena *arena);
void plan_memo_turn(PlanMemo *m); /* a loop's variable has another value */
/* The same, and these slots have other numbers: what was asked for before is worked out again, in order, for nearly all
 * of it is asked for again. */
void plan_memo_again(PlanMemo *m, uint64_t slots);
int64_t plan_expr_eval(const PlanExpr *e, PlanMemo *m);
/* Where its value is, which plan_memo_again keeps; NULL: it hangs on a loop's variable. */
const int64_t *plan_memo_place(PlanMemo *m, const PlanExpr *e);

/* Makes something else of an expression: `build` gives what an operation makes of what its operands
 * gave (value: of PUSH and SYMBOL), NULL if it cannot. NULL, too, if some operation gave NULL. */
typedef const void *PlanBuild(void *ctx, PlanCode code, int64_t value, const void *const *operands);
const void *plan_expr_build(const PlanExpr *e, PlanBuild *build, void *ctx);

#endif
