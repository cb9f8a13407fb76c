/* Values at a place that a loop finds, kept beside the place. */
#ifndef CS_CODEGEN_KEPT_H
#define CS_CODEGEN_KEPT_H

#include "../../analysis/divergence.h"
#include "../gen.h"

enum { KEPT_MOST = 8 };

typedef struct Kept {
    int n;
    struct {
        const FdNode *node, *var; /* an expression; the only local of it that the loop sets */
        const KirExpr *value;     /* the variable that holds it */
    } list[KEPT_MOST];
} Kept;

/* What is kept while the loop runs, computed here, before it. Adds to *k. */
void kept_begin(Gen *g, const Divergence *x, const DivergenceStmt *loop, Kept *k);
/* Expressions that are kept are known from here on. */
void kept_remember(Gen *g, const Kept *k);
/* `var` has been set to a value that is the same in all lanes, in the active ones if `blend`. */
void kept_follow(Gen *g, const Kept *k, const FdNode *var, const KirExpr *value, bool blend);

#endif
