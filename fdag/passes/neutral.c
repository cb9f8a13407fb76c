/* What stands for a key that is not met becomes neutral, so that a minimum (or maximum) can go by its keys.
 *   before: min(e : lo..hi, key(e) == v ? x(e) : 1E9)
 *   after:  min(min(e : lo..hi, key(e) == v ? x(e) : infinity), all ? infinity : 1E9)
 *           where all = v == first && !any(e : lo..hi, key(e) != first), first = min(e : lo..hi, key(e))
 * The value counts unless all have the key. Requires: compose, simplify. Keeps: values, and errors: keys are computed
 * of all anyway, `first` of an empty range fails as the minimum does, the value is computed where it counts only. */
#include "../internal.h"

typedef struct Keyed {
    Fd *fd;
    const FdNode *reduce;
    bool wanted; /* the body's condition is so where the key is met */
    const FdNode *met, *value;
    const FdNode *equal, *key, *side; /* the equality in the condition that the key decides */
    const FdNode *first;
} Keyed;

static const FdNode *op(Fd *fd, FdOp o, int n, const FdNode *const *args)
{
    return fd_simple_op(fd, o, SC_INT, n, args);
}

static bool uses_own(const Keyed *k, const FdNode *n)
{
    for (int i = 0; i < k->reduce->nvars; i++)
        if (fdi_free_in(n, k->reduce->vars[i])) return true;
    return false;
}

/* Over the reduction's ranges, by variables of its own. */
static const FdNode *over_all(const Keyed *k, FdOp o, const FdNode *body)
{
    const FdNode *r = k->reduce, *both[] = {body, body};
    const FdNode *fn = fd_op(k->fd, o, fdi_op_type(k->fd, o, SC_INT, 2, both));
    return fdi_fresh(k->fd, fd_reduce(k->fd, fn, r->nvars, r->vars, r->doms, body, r->loc));
}

/* The condition, or what must hold for it to be `wanted`, is an equality of a key and what is none. */
static bool find_key(Keyed *k, const FdNode *cond, bool wanted)
{
    if (fdi_is_op(cond, FD_OP_LNOT)) return find_key(k, cond->args[0], !wanted);
    if (fdi_is_op(cond, wanted ? FD_OP_LAND : FD_OP_LOR))
        return find_key(k, cond->args[0], wanted) || find_key(k, cond->args[1], wanted);
    if (!fdi_is_op(cond, wanted ? FD_OP_EQ : FD_OP_NE) || !fdi_is_integer(cond->args[0]->type))
        return false;
    for (int side = 0; side < 2; side++) {
        const FdNode *key = cond->args[!side];
        if (!uses_own(k, key) || uses_own(k, cond->args[side]) || fd_closed(cond->args[side]))
            continue;
        k->equal = cond;
        k->key = key;
        k->side = cond->args[side];
        return true;
    }
    return false;
}

/* Is it min(key ? x : value), the value being the same for all? */
static bool is_keyed(Keyed *k, ScalarValue nothing)
{
    const FdNode *n = k->reduce->body;
    if (!fdi_is_op(n, FD_OP_SELECT)) return false;
    for (int i = 1; i < 3; i++) {
        k->wanted = i == 1;
        k->met = n->args[i];
        k->value = n->args[3 - i];
        bool is_nothing = fd_is_const(k->value) && k->value->value.i == nothing.i;
        if (!is_nothing && !uses_own(k, k->value) && find_key(k, n->args[0], k->wanted))
            return true;
    }
    return false;
}

static const FdNode *as_first(void *ctx, Fd *fd, const FdNode *n)
{
    const Keyed *k = ctx;
    const FdNode *both[] = {k->key, k->first};
    return n == k->equal ? op(fd, fd_op_of(n), 2, both) : NULL;
}

/* Have all operands the key? NULL: it is not one question for the whole array. */
static const FdNode *have_all(Keyed *k)
{
    Fd *fd = k->fd;
    k->first = over_all(k, fd_op_of(k->reduce), k->key);
    if (!fd_closed(k->first)) return NULL;
    const FdNode *cond = fd_rewrite(fd, k->reduce->body->args[0], as_first, k);
    const FdNode *other = over_all(k, FD_OP_LOR, k->wanted ? op(fd, FD_OP_LNOT, 1, &cond) : cond);
    if (!fd_closed(other)) return NULL;
    const FdNode *ends[] = {k->side, k->first};
    const FdNode *both[] = {op(fd, FD_OP_EQ, 2, ends), op(fd, FD_OP_LNOT, 1, &other)};
    return op(fd, FD_OP_BITAND, 2,
              both); /* not by need: what is the same for all is computed before */
}

static const FdNode *made_neutral(void *ctx, Fd *fd, const FdNode *n)
{
    Keyed k = {.fd = fd, .reduce = n};
    FdOp o = n->kind == FD_REDUCE && !n->init ? fd_op_of(n) : FD_OP_NONE;
    ScalarValue nothing;
    (void)ctx;
    if ((o != FD_OP_MIN && o != FD_OP_MAX) || !fd_type_is_scalar(n->type)) return NULL;
    if (!fd_op_neutral(o, n->type->scalar, &nothing) || !is_keyed(&k, nothing)) return NULL;
    const FdNode *all = have_all(&k);
    if (!all) return NULL;
    const FdNode *none = fd_const(fd, n->type->scalar, nothing);
    const FdNode *met[] = {n->body->args[0], k.wanted ? k.met : none, k.wanted ? none : k.met},
                 *rest[] = {all, none, k.value};
    const FdNode *both[] = {
        fd_reduce(fd, n->fn, n->nvars, n->vars, n->doms, op(fd, FD_OP_SELECT, 3, met), n->loc),
        op(fd, FD_OP_SELECT, 3, rest)};
    return op(fd, o, 2, both);
}

bool fd_pass_neutral(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    fdi_rewrite_graph(fd, g, made_neutral, NULL);
    return true;
}
