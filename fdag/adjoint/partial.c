/* The rules of operations, which are texts in the table (ops.def): "y x div neg" are y / x and its sign turned. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "derive.h"

enum { DEEPEST = 8, LONGEST = 24 };

/* The rule of an operand, up to ';' or the end; NULL: there is none. */
static const char *rule_of(FdOp op, int operand)
{
    const char *p = fd_op_info(op)->partials;
    while (p && operand-- > 0) {
        p = strchr(p, ';');
        if (p) p++;
    }
    return p;
}

static const FdNode *number(Fd *fd, ScalarKind k, double v)
{
    return fd_const(fd, k, scalar_convert((ScalarValue){.f = v}, SC_DOUBLE, k));
}

static const FdNode *op1(Fd *fd, FdOp op, const FdNode *a)
{
    return fd_simple_op(fd, op, a->type->scalar, 1, &a);
}

/* The derivative of the logarithm of the gamma function, to some 1e-14: from z >= 1/2, which 1 - x is for other x, ten up to
 * where the asymptotic series holds (Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18). */
static const FdNode *digamma(Fd *fd, const FdNode *x)
{
    static const double series[] = {-1.0 / 12, 1.0 / 120,  -1.0 / 252,
                                    1.0 / 240, -1.0 / 132, 691.0 / 32760};
    enum { TERMS = sizeof series / sizeof *series, UP = 10 };
    ScalarKind k = x->type->scalar;
    const FdNode *one = number(fd, k, 1), *pi = number(fd, k, 3.14159265358979323846);
    const FdNode *low = fdi_op2(fd, FD_OP_LT, x, number(fd, k, 0.5)), *below = NULL;
    const FdNode *both[] = {low, fdi_op2(fd, FD_OP_SUB, one, x), x};
    const FdNode *z = fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, both);
    for (int i = 0; i < UP; i++) {
        const FdNode *term =
            fdi_op2(fd, FD_OP_DIV, one, fdi_op2(fd, FD_OP_ADD, z, number(fd, k, i)));
        below = below ? fdi_op2(fd, FD_OP_ADD, below, term) : term;
    }
    const FdNode *y = fdi_op2(fd, FD_OP_ADD, z, number(fd, k, UP));
    const FdNode *inverse = fdi_op2(fd, FD_OP_DIV, one, y);
    const FdNode *square = fdi_op2(fd, FD_OP_MUL, inverse, inverse);
    const FdNode *sum = number(fd, k, series[TERMS - 1]);
    for (int i = TERMS - 1; i-- > 0;)
        sum = fdi_op2(fd, FD_OP_ADD, fdi_op2(fd, FD_OP_MUL, sum, square), number(fd, k, series[i]));
    sum = fdi_op2(fd, FD_OP_MUL, sum, square);
    sum = fdi_op2(fd, FD_OP_SUB, sum, fdi_op2(fd, FD_OP_MUL, inverse, number(fd, k, 0.5)));
    sum = fdi_op2(fd, FD_OP_ADD, op1(fd, FD_OP_LOG, y), sum);
    sum = fdi_op2(fd, FD_OP_SUB, sum, below);
    const FdNode *turned =
        fdi_op2(fd, FD_OP_DIV, pi, op1(fd, FD_OP_TAN, fdi_op2(fd, FD_OP_MUL, pi, x)));
    const FdNode *values[] = {low, fdi_op2(fd, FD_OP_SUB, sum, turned), sum};
    return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, values);
}

/* Runs a rule on the operands of n, an application. */
static const FdNode *run(Fd *fd, const char *p, const FdNode *n)
{
    const FdNode *stack[DEEPEST] = {NULL};
    ScalarKind k = n->type->scalar;
    int top = 0;
    while (*(p += strspn(p, " ")) && *p != ';') {
        char word[LONGEST] = {0};
        size_t len = strcspn(p, " ;");
        memcpy(word, p, len < LONGEST ? len : LONGEST - 1);
        p += len;
        if (len == 1 && strchr("xyz", *word)) {
            stack[top++] = n->args[*word - 'x'];
        } else if (!strcmp(word, "digamma") && top) {
            stack[top - 1] = digamma(fd, stack[top - 1]);
        } else if (!strcmp(word, "r")) {
            stack[top++] = n;
        } else if (isdigit((unsigned char)*word) || *word == '-') {
            stack[top++] = number(fd, k, strtod(word, NULL));
        } else {
            FdOp op = fd_op_from_text(word);
            if (op == FD_OP_NONE || top < fd_op_info(op)->arity)
                internal_error("partial", "a rule of ops.def is no expression");
            top -= fd_op_info(op)->arity;
            stack[top] = fd_simple_op(fd, op, k, fd_op_info(op)->arity, stack + top);
            top++;
        }
    }
    if (top != 1) internal_error("partial", "a rule of ops.def is no expression");
    return stack[0];
}

static bool is_number(const FdNode *n, double v)
{
    return fd_is_const(n) && scalar_is_real(n->type->scalar) && n->value.f == v;
}

/* change * factor; what a choice between a factor and 0 leaves out is not multiplied: it may be infinite. */
static const FdNode *times(Fd *fd, const FdNode *change, const FdNode *factor)
{
    if (is_number(factor, 0)) return NULL;
    if (is_number(factor, 1)) return change;
    if (is_number(factor, -1)) return fd_simple_op(fd, FD_OP_NEG, SC_INT, 1, &change);
    if (factor->kind == FD_APPLY && fd_op_of(factor) == FD_OP_SELECT) {
        const FdNode *a = times(fd, change, factor->args[1]);
        const FdNode *b = times(fd, change, factor->args[2]);
        if (!a && !b) return NULL;
        const FdNode *zero = fdi_zero(fd, change->type);
        const FdNode *args[] = {factor->args[0], a ? a : zero, b ? b : zero};
        return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
    }
    return fdi_op2(fd, FD_OP_MUL, change, factor);
}

const FdNode *fdi_chain(FdiDerive *d, const FdNode *n, int operand, const FdNode *change)
{
    const char *rule = rule_of(fd_op_of(n), operand);
    if (!rule)
        return fdi_fail(d, n,
                        arena_printf(d->fd->arena, "'%s': write it with others",
                                     fd_op_info(fd_op_of(n))->text));
    return times(d->fd, change, run(d->fd, rule, n));
}
