/* Reads whose indices are minima, maxima, amounts or choices: one read for each operand, where that is chosen. So the
 * adjoint of a stencil whose edges are clamped is a stencil, with sums at its edges.
 *   before: u(min(max(i - 1, 0), n - 1))
 *   after:  u(i - 1) where 0 <= i - 1 <= n - 1, u(0) where i - 1 < 0, u(n - 1) where n - 1 < i - 1
 * Requires: each operand can be solved for a variable around, or has none. Of others, as a table's element that is
 * clamped, a sum by key has all at once. */
#include "solve.h"

typedef struct Split {
    Fd *fd;
    const FdiScope *scope;
    int rank;
} Split;

static bool has_unknown(const Split *s, const FdNode *n)
{
    for (int i = 0; i < s->scope->n; i++)
        if (fdi_free_in(n, s->scope->vars[i])) return true;
    return false;
}

/* The first choice that an index depends on, an operand of sums; NULL: there is none. */
static const FdNode *choice_in(const Split *s, const FdNode *n)
{
    if (n->kind != FD_APPLY || !fdi_is_word(n) || !has_unknown(s, n)) return NULL;
    FdRound round;
    switch (fd_op_of(n)) {
    case FD_OP_SELECT:
        if (fd_goes_round(s->fd, n, &round)) return NULL;
        return n;
    case FD_OP_MIN:
    case FD_OP_MAX:
    case FD_OP_ABS: return n;
    case FD_OP_ADD:
    case FD_OP_SUB:
    case FD_OP_NEG:
    case FD_OP_MUL:
    case FD_OP_CONVERT:
        for (int i = 0; i < n->nargs; i++) {
            const FdNode *found = choice_in(s, n->args[i]);
            if (found) return found;
        }
        return NULL;
    default: return NULL;
    }
}

static bool add_order(FdiPiece *p, const FdNode *low, int more, const FdNode *high)
{
    if (p->norders == FDI_ORDERS) return false;
    p->orders[p->norders++] = (FdiOrder){low, high, more};
    return true;
}

/* Where the condition has this value. */
static bool add_condition(Fd *fd, FdiPiece *p, const FdNode *cond, bool truth)
{
    FdOp op = cond->kind == FD_APPLY ? fd_op_of(cond) : FD_OP_NONE;
    if (fd_op_compares(op) && fdi_is_word(cond->args[0]) && op != FD_OP_EQ && op != FD_OP_NE) {
        const FdNode *a = cond->args[0], *b = cond->args[1];
        if (!truth) op = fd_op_negated(op);
        bool less = op == FD_OP_LT || op == FD_OP_LE, strict = op == FD_OP_LT || op == FD_OP_GT;
        return add_order(p, less ? a : b, strict, less ? b : a);
    }
    if (!truth) cond = fd_simple_op(fd, FD_OP_LNOT, SC_BOOL, 1, &cond);
    p->guard = fdi_and(fd, p->guard, cond);
    return true;
}

/* One of two values in place of a choice, everywhere. */
static void put(const Split *s, FdiPiece *p, const FdNode *choice, const FdNode *value)
{
    for (int i = 0; i < s->rank; i++) p->at[i] = fdi_put(s->fd, p->at[i], choice, value);
    p->guard = fdi_put(s->fd, p->guard, choice, value);
    for (int i = 0; i < p->norders; i++) {
        p->orders[i].low = fdi_put(s->fd, p->orders[i].low, choice, value);
        p->orders[i].high = fdi_put(s->fd, p->orders[i].high, choice, value);
    }
}

/* Two pieces of one; of equal values the first. */
static bool split(const Split *s, const FdNode *choice, FdiPiece *first, FdiPiece *second)
{
    const FdNode *a = choice->args[0], *b = choice->nargs > 1 ? choice->args[1] : NULL;
    const FdNode *zero = fdi_integer(s->fd, choice, 0);
    *second = *first;
    switch (fd_op_of(choice)) {
    case FD_OP_MIN:
        put(s, first, choice, a);
        put(s, second, choice, b);
        return add_order(first, a, 0, b) && add_order(second, b, 1, a);
    case FD_OP_MAX:
        put(s, first, choice, a);
        put(s, second, choice, b);
        return add_order(first, b, 0, a) && add_order(second, a, 1, b);
    case FD_OP_ABS:
        put(s, first, choice, a);
        put(s, second, choice, fd_simple_op(s->fd, FD_OP_NEG, SC_INT, 1, &a));
        return add_order(first, zero, 0, a) && add_order(second, a, 1, zero);
    default:
        put(s, first, choice, b);
        put(s, second, choice, choice->args[2]);
        return add_condition(s->fd, first, a, true) && add_condition(s->fd, second, a, false);
    }
}

/* Is an index without choices one that can be solved? */
static bool is_solvable(const Split *s, const FdNode *index)
{
    FdAffine form;
    if (!has_unknown(s, index)) return true;
    if (!fdi_is_word(index) || !fd_affine(index, &form)) return false;
    for (int i = 0; i < form.nterms; i++) {
        FdRound round;
        const FdNode *atom = form.terms[i].atom;
        if (atom->kind == FD_VAR || !has_unknown(s, atom)) continue;
        if (!fd_goes_round(s->fd, atom, &round)) return false;
    }
    return true;
}

/* A choice in the indices or orders of a piece. */
static const FdNode *choice_of(const Split *s, const FdiPiece *p)
{
    const FdNode *found = NULL;
    for (int i = 0; i < s->rank && !found; i++) found = choice_in(s, p->at[i]);
    for (int i = 0; i < p->norders && !found; i++) {
        found = choice_in(s, p->orders[i].low);
        if (!found) found = choice_in(s, p->orders[i].high);
    }
    return found;
}

int fdi_pieces(const FdiRead *read, Fd *fd, int rank, FdiPiece out[FDI_PIECES])
{
    const Split s = {fd, read->scope, rank};
    FdiPiece whole = {0};
    int n = 1;
    for (int i = 0; i < rank; i++) whole.at[i] = read->at[i];
    out[0] = whole;
    for (int done = 0; done < n;) {
        const FdNode *choice = choice_of(&s, &out[done]);
        if (choice && (n == FDI_PIECES || !split(&s, choice, &out[done], &out[n++]))) break;
        if (choice) continue;
        bool good = true;
        for (int i = 0; i < rank; i++)
            good = good && (out[done].at[i] == whole.at[i] || is_solvable(&s, out[done].at[i]));
        if (!good) break;
        if (++done == n) return n;
    }
    out[0] = whole;
    return 1;
}
