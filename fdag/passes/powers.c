/* Small integer powers as products, by squaring; they are rounded once an operation, so in graphs
 * that are [Fast] alone.
 *   before: pow(x, 5)                       pow(x, -4)
 *   after:  y * y * x  with y = x * x       y * y  with y = z * z, z = 1 / x
 * Requires: simplify ran, which knows the powers that are exact. Keeps: values to a few units in
 * the last place, and those of zeros, infinities and NaN. (1 / (x * x) could overflow in between.)
 */
#include <math.h>

#include "../internal.h"

enum { LARGEST = 8 };

static const FdNode *product(Fd *fd, const FdNode *x, const FdNode *y, FdLoc loc)
{
    const FdNode *args[] = {x, y};
    return y ? fd_apply_op(fd, FD_OP_MUL, SC_INT, 2, args, loc) : x;
}

static const FdNode *to_product(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if (n->kind != FD_APPLY || fd_op_of(n) != FD_OP_POW || !fd_is_const(n->args[1])) return NULL;
    double y = n->args[1]->value.f;
    if (!(fabs(y) >= 2 && fabs(y) <= LARGEST) || y != floor(y)) return NULL;
    const FdNode *square = n->args[0], *all = NULL;
    const FdNode *args[] = {fd_const(fd, n->type->scalar, (ScalarValue){.f = 1}), square};
    if (y < 0) square = fd_apply_op(fd, FD_OP_DIV, SC_INT, 2, args, n->loc);
    for (int k = (int)fabs(y); k; k >>= 1) {
        if (k & 1) all = product(fd, square, all, n->loc);
        if (k > 1) square = product(fd, square, square, n->loc);
    }
    return all;
}

bool fd_pass_powers(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, to_product, NULL);
    return true;
}
