/* Networks of variables that are divided: i / 8 and i % 8 are two variables, which factors tell apart. What is stored has
 * whole ones again: of the two, and of any two of which all that is read is q * 8 + r, r going from 0 to 8.
 *   before: let(i, j) sum(x, y, (c(i % 8, x) * c(j % 8, y)) * p(i / 8 * 8 + x, j / 8 * 8 + y))
 *   after:  let(i, j) sum(y, c(j % 8, y) * t(i, j / 8 * 8 + y))
 *           with slot t = let(i, w) sum(x, c(i % 8, x) * p(i / 8 * 8 + x, w))         w in whole blocks */
#include "network.h"

/* q * by + r in an index, as another variable. */
typedef struct Joining {
    const FdNode *q, *r, *whole;
    int64_t by;
} Joining;

static const FdNode *as_type(Fd *fd, const FdNode *n, const FdType *type)
{
    if (n->type == type) return n;
    return type->scalar == SC_LONG ? fdi_to_long(fd, n)
                                   : fd_simple_op(fd, FD_OP_CONVERT, type->scalar, 1, &n);
}

/* A conversion of what was converted from this type. */
static const FdNode *back(const FdNode *n)
{
    const FdNode *from = n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT ? n->args[0] : NULL;
    bool twice = from && from->kind == FD_APPLY && fd_op_of(from) == FD_OP_CONVERT &&
                 from->args[0]->kind == FD_VAR;
    return twice && from->args[0]->type == n->type && fdi_is_word(from) && fdi_is_word(n)
               ? from->args[0]
               : NULL;
}

static const FdNode *join(void *joining, Fd *fd, const FdNode *n)
{
    const Joining *j = joining;
    FdAffine a;
    int64_t q, r;
    if (!fd_type_is_scalar(n->type) || !fdi_is_word(n)) return NULL;
    if (!fdi_free_in(n, j->q) || !fdi_free_in(n, j->r)) return back(n);
    if (!fd_affine(n, &a) || !fd_affine_factor(&a, j->q, &q) || !fd_affine_factor(&a, j->r, &r) ||
        !r || q != r * j->by)
        return NULL;
    const FdNode *sum = fdi_scale(fd, fdi_to_long(fd, j->whole), r);
    for (int i = 0; i < a.nterms; i++) {
        const FdNode *atom = a.terms[i].atom;
        if (atom == j->q || atom == j->r) continue;
        atom = fdi_scale(fd, fdi_to_long(fd, atom), a.terms[i].factor);
        sum = fdi_long_op(fd, FD_OP_ADD, sum, atom);
    }
    sum = fdi_add_constant(fd, sum, a.constant);
    const FdNode *now = as_type(fd, sum, n->type), *var = back(now);
    return var ? var : now;
}

static const FdNode *divided(Fd *fd, FdOp op, const FdNode *v, int64_t by)
{
    const FdNode *args[] = {v, v->type->scalar == SC_LONG ? fd_long(fd, by) : fd_int(fd, by)};
    return fd_simple_op(fd, op, SC_INT, 2, args);
}

/* n over a whole variable, in place of its quotient and remainder. */
static const FdNode *whole_again(Fd *fd, const Joining *j, const FdNode *n)
{
    const FdNode *parts[] = {j->q, j->r}, *now[2];
    n = fd_rewrite(fd, n, join, (void *)(uintptr_t)j);
    now[0] = divided(fd, FD_OP_DIV, j->whole, j->by);
    now[1] = divided(fd, FD_OP_REM, j->whole, j->by);
    return fdi_replace_vars(fd, n, 2, parts, now);
}

/* Which of the divided variables k is the quotient of; -1: of none. Its remainder follows. */
static int quotient_of(const FdSplit *s, int k)
{
    int nth = 0;
    for (int i = 0; i < k; i++) nth += s->of[i] == s->of[i + 1];
    return k + 1 < s->nvars && s->of[k] == s->of[k + 1] ? nth : -1;
}

static void set_range(FdiMap *doms, Fd *fd, const FdNode *var, const FdDom *d)
{
    fdi_map_set(doms, var, (uint64_t)(uintptr_t)arena_copy(fd->arena, d, sizeof *d));
}

const FdNode *network_split(Fd *fd, FdiMap *doms, const FdNode *sum, NetworkParts *out)
{
    const FdiNode *b = fdi_node(sum);
    const FdNode *vars[FD_MAX_RANK];
    FdDom of[FD_MAX_RANK];
    int n = 0;
    for (uint32_t i = 0; i < b->nfree; i++) {
        const FdDom *dom = fdi_dom_of(doms, b->free[i]);
        if (!dom || b->free[i]->type->nparams) continue;
        if (n == FD_MAX_RANK) return NULL;
        vars[n] = b->free[i];
        of[n++] = *dom;
    }
    FdSplit *s = &out->split;
    if (!n || !fd_split(fd, n, vars, of, sum, s)) return NULL;
    for (int i = 0; i < s->nvars; i++) {
        int nth = quotient_of(s, i);
        if (nth < 0) continue;
        const FdNode *length = s->lengths[nth], *by = fd_long(fd, s->by[nth]);
        const FdNode *up = fdi_add_constant(fd, length, s->by[nth] - 1); /* the last may be short */
        s->doms[i].hi = fdi_long_op(fd, FD_OP_DIV, up, by);
        s->doms[i + 1].hi = fdi_long_op(fd, FD_OP_MIN, length, by);
        set_range(doms, fd, s->vars[i], &s->doms[i]);
        set_range(doms, fd, s->vars[i + 1], &s->doms[i + 1]);
    }
    return s->body;
}

const FdNode *network_whole(Fd *fd, const NetworkParts *parts, const FdNode *n)
{
    const FdSplit *s = &parts->split;
    for (int i = 0; i < s->nvars; i++) {
        int nth = quotient_of(s, i);
        if (nth < 0) continue;
        Joining j = {s->vars[i], s->vars[i + 1], s->of[i], s->by[nth]};
        n = whole_again(fd, &j, n);
    }
    return n;
}

/* How long a range from 0 is that is known; 0: it is not known. */
static int64_t known_length(const FdDom *d)
{
    bool known = fd_is_const(d->lo) && fd_is_const(d->hi) && d->lo->value.i == 0;
    return known && d->hi->value.i > 0 ? d->hi->value.i : 0;
}

/* Which of the divided variables has this quotient and this remainder; -1: none. *whole: the variable. */
static int parts_of(const NetworkParts *parts, const FdNode *quotient, const FdNode *remainder,
                    const FdNode **whole)
{
    const FdSplit *s = &parts->split;
    for (int i = 0; i + 1 < s->nvars; i++)
        if (s->vars[i] == quotient && s->vars[i + 1] == remainder) {
            *whole = s->of[i];
            return quotient_of(s, i);
        }
    return -1;
}

bool network_join(Fd *fd, const NetworkParts *parts, const NetworkVar *high, const NetworkVar *low,
                  const FdNode **value, NetworkJoined *out)
{
    const FdNode *q = high->var, *r = low->var, *like = r, *now;
    if (q == r || !fd_is_const(high->dom->lo) || high->dom->lo->value.i != 0) return false;
    int nth = parts ? parts_of(parts, q, r, &like) : -1;
    int64_t by = nth < 0 ? known_length(low->dom) : parts->split.by[nth];
    if (!by) return false;
    out->var = fd_var(fd, q->type, like->name);
    Joining j = {q, r, out->var, by};
    now = nth < 0 ? fd_rewrite(fd, *value, join, &j) : whole_again(fd, &j, *value);
    if (fdi_free_in(now, q) || fdi_free_in(now, r)) return false;
    *value = now;
    const FdNode *index = fdi_scale(fd, fdi_to_long(fd, q), by);
    index = fdi_long_op(fd, FD_OP_ADD, index, fdi_to_long(fd, r));
    out->index = as_type(fd, index, q->type);
    out->dom = (FdDom){.kind = FD_DOM_GIVEN, .lo = fd_long(fd, 0)};
    out->dom.hi =
        nth < 0 ? fdi_scale(fd, fdi_to_long(fd, high->dom->hi), by) : parts->split.lengths[nth];
    return true;
}
