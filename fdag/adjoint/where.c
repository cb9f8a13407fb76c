/* Where conditions of an inverted read stand: in ranges of the unknowns that are left, around the sum over them, on the
 * factor that moves with them.
 *   before: sum(i : 0..n, i <= a && m < n ? w(i) : 0)
 *   after:  m < n ? sum(i : 0..a + 1, w(i)) : 0 */
#include <string.h>

#include "solve.h"

enum { FEW = 64 }; /* places that need no narrower range */

/* Is the condition what ranges of the unknowns can say? They then do. */
static bool narrows(FdiSolve *s, const FdNode *guard)
{
    FdDom doms[FDI_SCOPE];
    FdExact exact;
    memcpy(doms, s->left.doms, sizeof doms);
    fd_where(s->d->fd, guard, true, s->left.n, s->left.vars, doms, &exact);
    if (exact.n || !memcmp(doms, s->left.doms, sizeof *doms * (size_t)s->left.n)) return false;
    FdFacts *f = fd_facts_new(s->d->fd, s->left.n, s->left.vars, doms, guard);
    const FdNode *now = fd_under(f, guard);
    fd_facts_free(f);
    if (!fd_is_const(now) || !now->value.i) return false;
    memcpy(s->left.doms, doms, sizeof doms);
    return true;
}

/* The same in a recurrence, whose places are around the sum: of m < i the sum is from m + 1 on. So it reads what comes
 * before it, which a condition does not show. */
static bool narrows_by_place(FdiSolve *s, const FdNode *guard)
{
    Fd *fd = s->d->fd;
    FdAffine forms[2];
    if (!s->recurs || fdi_comparison(guard, true, forms) != 1) return false;
    const FdNode *cond = fd_condition(fd, &forms[0]);
    for (int u = 0; u < s->left.n; u++) {
        bool lower;
        FdDom *dom = &s->left.doms[u];
        const FdNode *end = fd_solve(fd, cond, s->left.vars[u], &lower);
        if (!end || fdi_unknowns(s, end) > 0) continue;
        const FdNode **side = lower ? &dom->lo : &dom->hi;
        *side = fdi_long_op(fd, lower ? FD_OP_MAX : FD_OP_MIN, fdi_to_long(fd, *side), end);
        return true;
    }
    return false;
}

/* The form where unknowns with constant ranges, but u, make it least: it is at most 0 wherever the condition holds. False:
 * other unknowns are in it. */
static bool at_least(const FdiSolve *s, const FdAffine *form, int u, FdAffine *out)
{
    *out = *form;
    for (int i = 0; i < s->left.n; i++) {
        const FdDom *dom = &s->left.doms[i];
        int64_t factor = 0;
        if (!fd_affine_factor(form, s->left.vars[i], &factor)) return false;
        if (i == u || !factor) continue;
        if (!fd_is_const(dom->lo) || !fd_is_const(dom->hi)) return false;
        out->constant += factor * (factor > 0 ? dom->lo->value.i : dom->hi->value.i - 1);
        for (int t = 0; t < out->nterms; t++)
            if (out->terms[t].atom == s->left.vars[i]) out->terms[t--] = out->terms[--out->nterms];
    }
    return true;
}

/* Does the form of u leave but a few places at an end of its range: those before what an array begins with, or behind
 * what it ends with? */
static bool is_edge(const FdAffine *form, const FdNode *u, const FdDom *dom, bool upper)
{
    FdAffine rest = {.constant = form->constant};
    for (int t = 0; t < form->nterms; t++)
        if (form->terms[t].atom != u) rest.terms[rest.nterms++] = form->terms[t];
    const FdOp end = upper ? FD_OP_LOWER : FD_OP_UPPER;
    if (rest.nterms == 1 && rest.terms[0].factor == (upper ? -1 : 1) &&
        fd_op_of(rest.terms[0].atom) == end)
        return true;
    return fd_affine_add(&rest, upper ? dom->lo : dom->hi, upper ? 1 : -1) && !rest.nterms;
}

/* Do ranges of other unknowns tell of this one? */
static bool tells(const FdiSolve *s, const FdNode *var)
{
    bool found = false;
    for (int i = 0; i < s->left.n; i++)
        found =
            found || fdi_free_in(s->left.doms[i].lo, var) || fdi_free_in(s->left.doms[i].hi, var);
    return found;
}

/* What is clamped in a window, c(i + p) with p of a few: where i + p is outside, i is near an end of its range. So that
 * its range can tell, it comes behind p. */
static bool narrows_edge(FdiSolve *s, const FdNode *guard)
{
    Fd *fd = s->d->fd;
    FdAffine forms[2], form;
    if (fdi_comparison(guard, true, forms) != 1) return false;
    for (int u = 0; u < s->left.n; u++) {
        FdDom *dom = &s->left.doms[u];
        const FdNode *var = s->left.vars[u];
        int64_t factor;
        bool lower;
        if (fd_is_const(dom->lo) && fd_is_const(dom->hi) &&
            dom->hi->value.i - dom->lo->value.i <= FEW)
            continue;
        if (!at_least(s, &forms[0], u, &form) || !fd_affine_factor(&form, var, &factor)) continue;
        if ((factor != 1 && factor != -1) || !is_edge(&form, var, dom, factor > 0)) continue;
        const FdNode *end = fd_solve(fd, fd_condition(fd, &forms[0]), var, &lower);
        if (!end || tells(s, var)) continue;
        FdDom now = *dom;
        const FdNode **side = lower ? &now.lo : &now.hi;
        *side = fdi_long_op(fd, lower ? FD_OP_MAX : FD_OP_MIN, fdi_to_long(fd, *side), end);
        for (int i = u; i + 1 < s->left.n; i++) {
            s->left.vars[i] = s->left.vars[i + 1];
            s->left.doms[i] = s->left.doms[i + 1];
        }
        s->left.vars[s->left.n - 1] = var;
        s->left.doms[s->left.n - 1] = now;
        return true;
    }
    return false;
}

/* The range of a variable that is left or of m. */
static const FdDom *range_of(const FdiSolve *s, const FdNode *var)
{
    for (int i = 0; i < s->left.n; i++)
        if (s->left.vars[i] == var) return &s->left.doms[i];
    for (int i = 0; i < s->rank; i++)
        if (s->m[i] == var) return &s->doms[i];
    return NULL;
}

/* A read that is inside wherever it is made: at variables whose ranges are those of what it reads. */
static bool is_inside(const void *solve, const FdNode *read)
{
    const FdiSolve *s = solve;
    bool inside =
        read->kind == FD_APPLY && (read->fn->kind == FD_LET || fdi_applies(read, FD_LEAF_SLOT));
    for (int d = 0; inside && d < read->nargs; d++) {
        const FdDom *own = range_of(s, read->args[d]), of = fd_domain(s->d->fd, read->fn, d);
        inside = own && of.lo &&
                 (fdi_same_range(s->d->fd, own, &of) || fdi_agree(s->d, own, &of) ||
                  fdi_within(s->d, own, &of));
    }
    return inside;
}

bool fdi_reads_outside(FdiSolve *s, const FdNode *n)
{
    const FdiFails fails = {is_inside, s};
    if (!n || fdi_closed(n)) return false; /* what is the same everywhere is evaluated anyhow */
    if (n->kind != FD_APPLY || !fdi_is_leaf(n->fn, FD_LEAF_OP)) return fdi_may_fail(n, &fails);
    bool outside = fdi_fails(&fails, n);
    for (int i = 0; i < n->nargs && !outside; i++) outside = fdi_reads_outside(s, n->args[i]);
    return outside;
}

/* Conditions that speak of unknowns stay in the sum, or are in its ranges; the others are around it, unless they read
 * what need not be there where there is no place to sum over. */
void fdi_part_guard(FdiSolve *s, const FdNode *guard, const FdNode **inner, const FdNode **outer)
{
    if (!guard) return;
    if (guard->kind == FD_APPLY && fd_op_of(guard) == FD_OP_LAND) {
        fdi_part_guard(s, guard->args[0], inner, outer);
        fdi_part_guard(s, guard->args[1], inner, outer);
        return;
    }
    if (!fd_effects(guard) && fdi_holds(s, guard, true)) return;
    bool speaks = fdi_unknowns(s, guard) > 0;
    if (speaks && (narrows(s, guard) || narrows_by_place(s, guard) || narrows_edge(s, guard)))
        return;
    const FdNode **to = speaks || (s->left.n && fdi_reads_outside(s, guard)) ? inner : outer;
    *to = fdi_and(s->d->fd, *to, guard);
}

/* Does n use all variables that the condition speaks of? */
static bool uses_all(const FdNode *n, const FdNode *guard)
{
    const FdiNode *b = fdi_node(guard);
    bool all = true;
    for (uint32_t i = 0; all && i < b->nfree; i++) all = fdi_free_in(n, b->free[i]);
    return all;
}

/* A product that is zero outside of a range: the factor is that moves with the range, as an operand that ends in zeros. So
 * sums of products stay sums of products. */
const FdNode *fdi_ended(FdiSolve *s, const FdNode *guard, const FdNode *n)
{
    Fd *fd = s->d->fd;
    const FdiFails fails = {is_inside, s};
    if (!guard) return n;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NEG) {
        const FdNode *a = fdi_ended(s, guard, n->args[0]);
        return fd_simple_op(fd, FD_OP_NEG, SC_INT, 1, &a);
    }
    for (int i = 0; op == FD_OP_MUL && i < 2; i++) {
        const FdNode *own = n->args[i], *other = n->args[1 - i];
        if (!uses_all(own, guard) || uses_all(other, guard) || fdi_may_fail(other, &fails))
            continue;
        const FdNode *now = fdi_ended(s, guard, own);
        return i ? fdi_op2(fd, op, other, now) : fdi_op2(fd, op, now, other);
    }
    return fdi_guarded(fd, guard, n);
}

/* An unknown that the guard says is `at`; NULL: there is none that no index speaks of. */
static const FdNode *known_as(const FdiSolve *s, const FdNode *guard, const FdNode *at)
{
    if (fdi_is_op(guard, FD_OP_LAND)) {
        const FdNode *first = known_as(s, guard->args[0], at);
        return first ? first : known_as(s, guard->args[1], at);
    }
    for (int i = 0; i < 2 && fdi_is_op(guard, FD_OP_EQ); i++) {
        const FdNode *var = guard->args[i];
        if (guard->args[1 - i] != at || var->kind != FD_VAR || !range_of(s, var)) continue;
        bool used = false;
        for (int k = 0; k < s->rank; k++) used = used || fdi_free_in(s->at[k], var);
        if (!used) return var;
    }
    return NULL;
}

void fdi_use_known(FdiSolve *s)
{
    for (int i = 0; i < s->rank && s->guard; i++) {
        const FdNode *var = fdi_unknowns(s, s->at[i]) ? NULL : known_as(s, s->guard, s->at[i]);
        if (var) s->at[i] = var;
    }
}
