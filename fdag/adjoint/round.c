/* Indices that go round: lo + ((y - lo) mod n), as Periodic has it. Of an unknown that goes round once at most the place
 * is known, and it goes round too: the adjoint of a periodic stencil is a periodic stencil.
 *   before: u((i + 1) mod n), i : 0..n
 *   after:  i = (m - 1) mod n */
#include "solve.h"

/* The form as a node of this kind, what is added first. */
static const FdNode *of_form(Fd *fd, const FdAffine *form, ScalarKind k)
{
    const FdNode *sum =
        fd_const(fd, k, scalar_convert((ScalarValue){.i = form->constant}, SC_LONG, k));
    bool any = form->constant != 0;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < form->nterms; i++) {
            int64_t factor = form->terms[i].factor;
            if ((factor < 0) != (turn > 0)) continue;
            const FdNode *term = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &form->terms[i].atom);
            ScalarValue size = {.i = factor < 0 ? -factor : factor};
            if (size.i != 1)
                term =
                    fdi_op2(fd, FD_OP_MUL, term, fd_const(fd, k, scalar_convert(size, SC_LONG, k)));
            sum = !any && !turn ? term : fdi_op2(fd, turn ? FD_OP_SUB : FD_OP_ADD, sum, term);
            any = true;
        }
    return sum;
}

/* x mod n in 0..n, as lowering writes it. */
static const FdNode *modulo(Fd *fd, const FdNode *x, const FdNode *n)
{
    const FdNode *r = fdi_op2(fd, FD_OP_REM, x, n), *zero = fdi_integer(fd, x, 0);
    const FdNode *args[] = {fdi_op2(fd, FD_OP_LT, r, zero), fdi_op2(fd, FD_OP_ADD, r, n), r};
    return fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
}

/* a - b <= 0? Of a maximum a both operands are, or of a maximum b one wherever the other is not. */
static bool is_at_most(FdiSolve *s, const FdNode *a, const FdNode *b)
{
    FdAffine form = {0};
    if (fdi_is_op(a, FD_OP_MAX))
        return is_at_most(s, a->args[0], b) && is_at_most(s, a->args[1], b);
    if (fd_affine_add(&form, a, 1) && fd_affine_add(&form, b, -1) && fdi_follows(s, &form))
        return true;
    for (int i = 0; i < 2 && fdi_is_op(b, FD_OP_MAX); i++) {
        FdAffine more = {.constant = 1}, rest = {0}; /* a is more than one operand.. */
        if (!fd_affine_add(&more, b->args[i], 1) || !fd_affine_add(&more, a, -1)) continue;
        if (!fd_affine_add(&rest, a, 1) || !fd_affine_add(&rest, b->args[1 - i], -1)) continue;
        FdFacts *f = fd_facts_new(s->d->fd, s->rank, s->m, s->doms, fd_long(s->d->fd, 0));
        fd_fact(f, &more);
        bool shown = fd_shown(f, &rest);
        fd_facts_free(f);
        if (shown) return true;
    }
    return false;
}

static bool is_known(const FdiSolve *s, const FdNode *n)
{
    return !fdi_unknowns(s, n);
}

/* The atom of an index that goes round, all else being known; NULL: none. */
static const FdNode *atom_of(const FdiSolve *s, const FdNode *index, FdRound *round)
{
    FdAffine form;
    const FdNode *found = NULL;
    if (!fdi_is_word(index) || !fd_affine(index, &form)) return NULL;
    for (int i = 0; i < form.nterms; i++) {
        const FdNode *atom = form.terms[i].atom;
        if (is_known(s, atom)) continue;
        bool one = form.terms[i].factor == 1 || form.terms[i].factor == -1;
        if (found || !one || !fdi_is_op(atom, FD_OP_SELECT) ||
            !fd_goes_round(s->d->fd, atom, round) || round->lo || !is_known(s, round->n))
            return NULL;
        found = atom;
    }
    return found;
}

static void put_atom(FdiSolve *s, const FdNode *atom, const FdNode *value)
{
    Fd *fd = s->d->fd;
    for (int i = 0; i < s->rank; i++) s->at[i] = fdi_put(fd, s->at[i], atom, value);
    s->guard = fdi_put(fd, s->guard, atom, value);
    for (int i = 0; i < s->norders; i++) {
        s->orders[i].low = fdi_put(fd, s->orders[i].low, atom, value);
        s->orders[i].high = fdi_put(fd, s->orders[i].high, atom, value);
    }
}

bool fdi_solve_round(FdiSolve *s, int at, const FdNode *m)
{
    Fd *fd = s->d->fd;
    FdRound round;
    int64_t one, factor;
    const FdNode *atom = atom_of(s, s->at[at], &round);
    const FdNode *value = atom ? fdi_solved(s, s->at[at], m, atom, &one) : NULL;
    FdAffine of;
    if (!value || !fd_affine(round.of, &of)) return false;
    for (int u = 0; u < s->left.n; u++) {
        const FdNode *unknown = s->left.vars[u];
        const FdDom *dom = &s->left.doms[u];
        ScalarKind k = unknown->type->scalar;
        if (atom->type != unknown->type || !fd_affine_factor(&of, unknown, &factor) ||
            (factor != 1 && factor != -1))
            continue;
        FdAffine length = {0}, x = {0}; /* factor * (unknown - lo) is value - (of at lo) */
        if (!fd_affine_add(&length, dom->hi, 1) || !fd_affine_add(&length, dom->lo, -1)) continue;
        const FdNode *count = of_form(fd, &length, k);
        if (!is_at_most(s, count, round.n)) continue;
        if (!fd_affine_add(&x, value, factor) || !fd_affine_add(&x, round.of, -factor) ||
            !fd_affine_add(&x, unknown, 1))
            continue;
        const FdNode *lo = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &dom->lo);
        const FdNode *n = fd_simple_op(fd, FD_OP_CONVERT, k, 1, &round.n);
        const FdNode *from = fdi_op2(fd, FD_OP_SUB, of_form(fd, &x, k), lo);
        const FdNode *place = fdi_op2(fd, FD_OP_ADD, lo, modulo(fd, from, n));
        if (!fdi_can_place(s, unknown, place)) continue;
        const FdiOrder low = {fdi_integer(fd, value, 0), value, 0}, high = {value, round.n, 1},
                       end = {place, dom->hi, 1};
        const FdNode *inside = fdi_and(fd, fdi_at_most(s, &low, NULL), fdi_at_most(s, &high, NULL));
        if (!is_at_most(s, round.n, count))
            inside = fdi_and(fd, inside, fdi_at_most(s, &end, NULL));
        put_atom(s, atom, value);
        fdi_place(s, u, place, inside);
        return true;
    }
    return false;
}
