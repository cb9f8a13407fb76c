/* The operation table of ops.def as data, and evaluation of operations on scalar values. */
#ifndef CS_FDAG_OPS_H
#define CS_FDAG_OPS_H

#include <stdbool.h>

#include "../base/scalar.h"

typedef enum FdOp {
    FD_OP_NONE = 0,
#define OP(id, text, arity, rule, props, neutral, cl, own, partials) FD_OP_##id,
#include "ops.def"
#undef OP
    FD_OP_COUNT
} FdOp;

typedef enum FdTypeRule {
    FD_RULE_SAME,
    FD_RULE_BITS,
    FD_RULE_SHIFT,
    FD_RULE_CMP,
    FD_RULE_BOOL,
    FD_RULE_REAL,
    FD_RULE_SELECT,
    FD_RULE_CONV,
    FD_RULE_BOUND,
    FD_RULE_RANDOM
} FdTypeRule;

enum { /* FdOpInfo.props */
       FD_ASSOCIATIVE = 1,
       FD_COMMUTATIVE = 2,
       FD_IDEMPOTENT = 4,
       FD_LAZY = 8,
       FD_THROWS = 16,
       FD_EXPENSIVE = 32,
       FD_ROUNDS = 64
};

/* The element that changes nothing. In this order: */
typedef enum FdNeutral {
    FD_NEUTRAL_NO,
    FD_NEUTRAL_CLEAR, /* all bits.. */
    FD_NEUTRAL_SET,   /* ..of scans, which no reductions are by */
    FD_NEUTRAL_LEAST, /* from here on of reductions; over nothing they throw */
    FD_NEUTRAL_MOST,
    FD_NEUTRAL_ZERO, /* from here on what they give over nothing */
    FD_NEUTRAL_ONE,
    FD_NEUTRAL_TRUE,
    FD_NEUTRAL_FALSE
} FdNeutral;

typedef struct FdOpInfo {
    const char *text;
    int arity;
    FdTypeRule rule;
    unsigned props;
    FdNeutral neutral;
    const char *cl;  /* NULL: codegen's own text */
    const char *own; /* of reals: our function in its place, NULL: as cl says */
    const char
        *partials; /* of reals: derivatives by the operands (adjoint/partial.c), NULL: none */
} FdOpInfo;

const FdOpInfo *fd_op_info(FdOp op);
bool fd_op_compares(FdOp op); /* == != < <= > >= */
FdOp fd_op_negated(FdOp op);  /* of a comparison: what holds where it does not */
FdOp fd_op_turned(FdOp op);   /* of a comparison: the same with its operands in the other order */
FdOp fd_op_from_text(const char *text); /* FD_OP_NONE if there is none */
/* C's operator, where integers have one that needs no care (plans, indices); NULL: they have not. */
const char *fd_op_infix(FdOp op);

/* Result type of op on operands of type k (operand 1 for SHIFT, operand 2 for SELECT); CONVERT's
 * result is its node's. */
ScalarKind fd_op_result(FdOp op, ScalarKind k);

bool fd_op_reduces(FdOp op); /* are there reductions by it? */
/* True with the value if reductions by op over nothing have one. */
bool fd_op_identity(FdOp op, ScalarKind k, ScalarValue *out);
/* What changes nothing beside any value of k, also of min and max, whose reductions over nothing are
 * errors all the same. */
bool fd_op_neutral(FdOp op, ScalarKind k, ScalarValue *out);

typedef enum FdEvalStatus { FD_EVAL_OK, FD_EVAL_DIVIDE_BY_ZERO } FdEvalStatus;

/* op on values of type k, exactly as language.md section 8 defines it; `to` is the result type
 * for CONVERT. Not for LOWER and UPPER. */
FdEvalStatus fd_op_eval(FdOp op, ScalarKind k, ScalarKind to, const ScalarValue *args,
                        ScalarValue *out);

/* Element `index` of Random.Uniform(seed): Philox 4x32-10 on (index, seed), the top 24 bits of
 * one word scaled to [0, 1) (Salmon et al., SC11). The prelude and native/op.c have the same function;
 * tests/kernels/philox compares. */
float fd_random_uniform(int64_t seed, int64_t index);

#endif
