/* Constant folding.
 *   before: apply @mul (const 2, const 3)      apply @select (const true, %a, %b)
 *   after:  const 6                            %a
 * Requires: nothing. Keeps: meaning, exactly as ops.c computes; an integer division by zero stays,
 * to throw where it is evaluated. */
#include "../internal.h"

const FdNode *fdi_fold_node(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || op == FD_OP_LOWER || op == FD_OP_UPPER) return NULL;
    if (fd_is_const(n->args[0])) {
        int64_t first = n->args[0]->value.i;
        if (op == FD_OP_SELECT) return n->args[first ? 1 : 2];
        if (op == FD_OP_LAND) return first ? n->args[1] : n->args[0];
        if (op == FD_OP_LOR) return first ? n->args[0] : n->args[1];
    }
    ScalarValue args[3], out;
    for (int i = 0; i < n->nargs; i++) {
        if (!fd_is_const(n->args[i])) return NULL;
        args[i] = n->args[i]->value;
    }
    if (fd_op_eval(op, n->args[0]->type->scalar, n->type->scalar, args, &out) != FD_EVAL_OK)
        return NULL;
    return fd_const(fd, n->type->scalar, out);
}

bool fd_pass_fold(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, fdi_fold_node, NULL);
    return true;
}
