/* Integer expressions of plans: C syntax over 64-bit integers and named symbols. Compiled once to
 * postfix code, so that binding a plan to extents costs nanoseconds. */
#ifndef CS_CODEGEN_EXPR_H
#define CS_CODEGEN_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../base/arena.h"

/* Operators + - * / % << < <= > >= == != && || ! ?: and unary -, parentheses, and the functions
 * min(a, b), max(a, b), ceildiv(a, b), roundup(a, b). Division by zero gives 0. */
typedef struct PlanExpr PlanExpr;

/* Number of a symbol, or -1 if there is none of that name. */
typedef int PlanResolve(void *ctx, const char *name, int len);
/* Value of symbol number `sym`. */
typedef int64_t PlanLookup(const void *ctx, int sym);

/* Compiles the expression at *text, leaving *text behind it. NULL with *error (static text) when it
 * is not one. The result lives in the arena. */
const PlanExpr *plan_expr_parse(Arena *arena, const char **text, PlanResolve *resolve, void *ctx,
                                const char **error);
int64_t plan_expr_eval(const PlanExpr *e, PlanLookup *lookup, const void *ctx);

#endif
