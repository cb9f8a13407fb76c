/* What an array holds is rounded. Where a definition takes the place of its array, a product must not be contracted with a
 * sum that reads it, else the plan would decide about last bits:
 *   s(i) = 0.9 * x(i)      y(i) = a(i) + s(i)
 *   together:  a(i) + rounded(0.9 * x(i)) */
#include "../internal.h"

const FdNode *fdi_rounded(Fd *fd, const FdNode *value)
{
    const FdOp op = value->kind == FD_APPLY ? fd_op_of(value) : FD_OP_NONE;
    if (value->type->result || value->type->record || !scalar_is_real(value->type->scalar))
        return value;
    if (op == FD_OP_MUL)
        return fd_apply_op(fd, FD_OP_ROUNDED, value->type->scalar, 1, &value, value->loc);
    if (op != FD_OP_SELECT) return value;
    const FdNode *args[] = {value->args[0], fdi_rounded(fd, value->args[1]),
                            fdi_rounded(fd, value->args[2])};
    if (args[1] == value->args[1] && args[2] == value->args[2]) return value;
    return fd_apply(fd, value->fn, 3, args, value->loc);
}

const FdNode *fdi_rounded_array(Fd *fd, const FdNode *let)
{
    if (let->kind != FD_LET || let->self) return let;
    const FdNode *body = fdi_rounded(fd, let->body);
    return body == let->body ? let : fd_let(fd, let->nvars, let->vars, let->doms, body, let->loc);
}
