/* What is read in a row that an equality gives is read beside the row.
 *   before: i == 0 ? u(1, j) : i == n - 1 ? u(n - 2, j) : ..
 *   after:  i == 0 ? u(i + 1, j) : i == n - 1 ? u(i - 1, j) : ..
 * So a border that is made of the rows next to it is a stencil, of which bands keep few rows. Of the last variable, along
 * which lanes go, columns stay what they are: such a read is one for all lanes. Requires: compose, simplify. Keeps:
 * values, and errors: where the equality holds the two indices are one. */
#include "../../index/affine.h"
#include "../../internal.h"

enum {
    NEAREST = 3, /* rows: of more a band would keep too many */
    MOST = 3     /* equalities around a read */
};

typedef struct Under {
    const FdNode *let;
    int n;
    const FdNode *equal[MOST]; /* that hold */
} Under;

/* Is a + c * (what equalities from number k on say to be 0), for c of -1, 0 or 1 each, a constant? */
static bool is_constant(const Under *u, int k, FdAffine a, int64_t *constant)
{
    if (k == u->n) {
        *constant = a.constant;
        return !a.nterms;
    }
    for (int c = -1; c <= 1; c++) {
        FdAffine b = a;
        const FdNode *const *sides = u->equal[k]->args;
        if (c && !(fd_affine_add(&b, sides[0], c) && fd_affine_add(&b, sides[1], -c))) continue;
        if (is_constant(u, k + 1, b, constant)) return true;
    }
    return false;
}

/* The index as the variable of its dimension, moved; NULL: it is not adjacent. */
static const FdNode *beside(Fd *fd, const Under *u, int dim, const FdNode *index)
{
    const FdNode *var = u->let->vars[dim];
    FdAffine a;
    int64_t by;
    if (index->type != var->type || !fd_closed(index) || !fd_affine(index, &a) ||
        !fd_affine_add(&a, var, -1) || !is_constant(u, 0, a, &by) || by > NEAREST || by < -NEAREST)
        return NULL;
    if (!by) return var;
    const FdNode *sum[] = {var, fd_const(fd, var->type->scalar, (ScalarValue){.i = by})};
    return fd_simple_op(fd, FD_OP_ADD, SC_INT, 2, sum);
}

static const FdNode *read_adjacent(const Under *u, Fd *fd, const FdNode *n)
{
    const FdNode *at[FD_MAX_RANK];
    bool moved = false;
    if (n->nargs != u->let->nvars) return NULL;
    for (int d = 0; d < n->nargs; d++) {
        const FdNode *by = d + 1 < n->nargs ? beside(fd, u, d, n->args[d]) : NULL;
        at[d] = by ? by : n->args[d];
        moved = moved || by;
    }
    return moved ? fd_apply(fd, n->fn, n->nargs, at, n->loc) : NULL;
}

/* The equalities that hold where the condition does. */
static void add_equalities(Under *u, const FdNode *cond)
{
    if (fdi_is_op(cond, FD_OP_LAND)) {
        add_equalities(u, cond->args[0]);
        add_equalities(u, cond->args[1]);
    } else if (fdi_is_op(cond, FD_OP_EQ) && u->n < MOST && fdi_is_integer(cond->args[0]->type)) {
        u->equal[u->n++] = cond;
    }
}

static const FdNode *choose_adjacent(void *under, Fd *fd, const FdNode *n)
{
    Under u = *(const Under *)under;
    if (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_NONE && u.n) return read_adjacent(&u, fd, n);
    if (!fdi_is_op(n, FD_OP_SELECT)) return NULL;
    const int before = u.n;
    add_equalities(&u, n->args[0]);
    const FdNode *then =
        u.n > before ? fd_rewrite(fd, n->args[1], choose_adjacent, &u) : n->args[1];
    if (then == n->args[1]) return NULL;
    const FdNode *args[] = {n->args[0], then, n->args[2]};
    return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
}

static const FdNode *made_adjacent(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    if (n->kind != FD_LET || n->nvars < 2 || n->self) return NULL;
    Under none = {.let = n};
    const FdNode *body = fd_rewrite(fd, n->body, choose_adjacent, &none);
    return body == n->body ? NULL : fdi_rebind(fd, n, NULL, body);
}

bool fd_pass_adjacent(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, made_adjacent, NULL);
    return true;
}
