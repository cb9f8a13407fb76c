/* The order of sums of products. A sum over several factors, sums of sums and products of sums are one network: factors
 * with the variables that they use, and variables that stay. It becomes sums of pairs, in the order that multiplies least;
 * what a pair comes to is a temporary where it is used again, or where it alone has rows and columns.
 *   before: let(i) sum(k, j, (a(i, k) * b(k, j)) * x(j))        sum(i, j, k, (a(i, j) * b(j, k)) * c(k, i))
 *   after:  let(i) sum(k, a(i, k) * t(k))                       sum(i, k, t(i, k) * c(k, i))
 *           with slot t = let(k) sum(j, b(k, j) * x(j))         with slot t = let(i, k) sum(j, a(i, j) * b(j, k))
 * Chains of matrices, vectors behind them, the small matrices of finite elements and transforms of blocks
 * (network_parts.c) are such sums. Nothing is done where
 * that does not halve the work (by lengths that are known, others being taken for equal). Then only factors are moved
 * together that belong to one side of a contraction, which is worked out once an element instead of once a term:
 *   before: let(i, j) sum(k, (a(i, k) * b(k, j)) * w(k))
 *   after:  let(i, j) sum(k, a(i, k) * (b(k, j) * w(k)))
 * The same with minima of sums, and with or and and. Requires: inline, simplify; hoist follows, which stores inner sums that
 * stay where they are. Keeps: integers; reals to rounding, so those not under --precise; errors. */
#include "network.h"

static const NetworkRing rings[] = {
    {FD_OP_ADD, FD_OP_MUL},  {FD_OP_MIN, FD_OP_ADD},  {FD_OP_MAX, FD_OP_ADD},
    {FD_OP_LOR, FD_OP_LAND}, {FD_OP_LAND, FD_OP_LOR},
};

typedef struct Pass {
    Fd *fd;
    FdGraph *graph; /* its slots grow */
    bool reals;     /* these may be rounded otherwise */
    FdiMap strict, doms;
    const FdNode *let; /* the definition at hand */
} Pass;

/* Integers wrap, so their sums are a ring; an addition that wraps has no order, though, which minima need. */
static bool is_ring(const Pass *p, const FdNode *sum, NetworkRing *out)
{
    FdOp op = sum->kind == FD_REDUCE && !sum->init ? fd_op_of(sum) : FD_OP_NONE;
    if (op == FD_OP_NONE || !fd_type_is_scalar(sum->type)) return false;
    ScalarKind k = sum->type->scalar;
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        if (rings[i].sum != op || k == SC_HALF ||
            (k == SC_BOOL) != (op == FD_OP_LOR || op == FD_OP_LAND))
            continue;
        *out = rings[i];
        return k == SC_BOOL || (scalar_is_real(k) ? p->reals : op == FD_OP_ADD);
    }
    return false;
}

static bool is_product(const NetworkRing *ring, const FdNode *n, const FdType *type)
{
    return n->kind == FD_APPLY && fd_op_of(n) == ring->product && n->type == type;
}

/* ---- factors ------------------------------------------------------------------------------- */

static double length_of(const FdDom *d)
{
    if (!fd_is_const(d->lo) || !fd_is_const(d->hi)) return FDI_COST_TRIPS;
    double n = (double)d->hi->value.i - (double)d->lo->value.i;
    return n > 1 ? n : 1;
}

static bool add_var(const Pass *p, Network *n, const FdNode *var, const FdDom *dom)
{
    if (n->nvars == NETWORK_VARS || !dom || !fdi_storable(p->graph, var, dom)) return false;
    n->vars[n->nvars] = var;
    n->doms[n->nvars] = *dom;
    n->length[n->nvars++] = length_of(dom);
    return true;
}

/* The variables of the network in an expression; those of loops around are met here. */
static bool vars_in(const Pass *p, Network *n, const FdNode *x, unsigned *out)
{
    const FdiNode *b = fdi_node(x);
    *out = 0;
    for (uint32_t i = 0; i < b->nfree; i++) {
        if (b->free[i]->type->nparams) return false; /* a recurrence itself */
        int at = network_number(n, b->free[i]);
        if (at < 0) {
            at = n->nvars;
            if (!add_var(p, n, b->free[i], fdi_dom_of(&p->doms, b->free[i]))) return false;
            n->stays |= 1u << at;
        }
        *out |= 1u << at;
    }
    return true;
}

static bool add_factor(const Pass *p, Network *n, const FdNode *x)
{
    if (n->nfactors == NETWORK_FACTORS || !vars_in(p, n, x, &n->uses[n->nfactors])) return false;
    n->factors[n->nfactors++] = x;
    return true;
}

/* Is it part of both factors of a product? Once for all it is cheaper. */
static bool occurs_twice(const NetworkRing *ring, const FdNode *product, const FdNode *x,
                         int *count)
{
    if (product == x) return ++*count > 1;
    if (!is_product(ring, product, x->type)) return false;
    return occurs_twice(ring, product->args[0], x, count) ||
           occurs_twice(ring, product->args[1], x, count);
}

/* The inner sum with variables of its own, where the network has them already. */
static const FdNode *own_variables(Fd *fd, const Network *n, const FdNode *sum)
{
    const FdNode *old[FD_MAX_RANK], *now[FD_MAX_RANK];
    int count = 0;
    for (int i = 0; i < sum->nvars; i++) {
        if (network_number(n, sum->vars[i]) < 0) continue;
        old[count] = sum->vars[i];
        now[count++] = fd_var(fd, sum->vars[i]->type, sum->vars[i]->name);
    }
    return count ? fdi_rename_bound(fd, sum, count, old, now) : sum;
}

static const FdNode *order_below(Pass *p, const FdNode *root);

/* Adds what a sum adds up: the factors of its body. */
static bool add_sum(Pass *p, Network *n, const FdNode *sum)
{
    const FdNode *product = sum->body, *stack[NETWORK_FACTORS + 1];
    int depth = 0;
    for (int i = 0; i < sum->nvars; i++)
        if (!add_var(p, n, sum->vars[i], &sum->doms[i])) return false;
    unsigned all = 0, some;
    for (int i = 0; i < sum->nvars; i++) all |= 1u << network_number(n, sum->vars[i]);
    if (!vars_in(p, n, sum, &some)) return false;
    n->written += network_size(n, all | some);
    stack[depth++] = product;
    while (depth) {
        const FdNode *x = stack[--depth];
        NetworkRing ring;
        int count = 0;
        if (is_product(&n->ring, x, sum->type) && depth + 2 <= NETWORK_FACTORS) {
            stack[depth++] = x->args[1];
            stack[depth++] = x->args[0];
            continue;
        }
        bool inner = is_ring(p, x, &ring) && ring.sum == n->ring.sum && x->type == sum->type &&
                     !occurs_twice(&n->ring, product, x, &count);
        if (inner ? !add_sum(p, n, own_variables(p->fd, n, x)) : !add_factor(p, n, x)) return false;
    }
    return true;
}

/* Is every variable that is summed over used? (Else the others are to be added so many times.) */
static bool uses_all(const Network *n)
{
    unsigned used = n->stays;
    for (int i = 0; i < n->nfactors; i++) used |= n->uses[i];
    return used == (n->nvars < 32 ? (1u << n->nvars) - 1 : ~0u);
}

/* ---- is it worth it? ---------------------------------------------------------------------------- */

/* Rows and columns, in one sum of all? */
static bool is_contraction(const Network *n)
{
    for (int i = 0; i < n->nvars; i++)
        for (int k = 0; k < i; k++) {
            unsigned both = 1u << i | 1u << k;
            bool apart = (n->stays & both) == both;
            for (int f = 0; f < n->nfactors; f++) apart = apart && (n->uses[f] & both) != both;
            if (apart) return true;
        }
    return false;
}

static bool has_contraction(const NetworkOrder *o, int nfactors)
{
    for (int i = nfactors; i < o->nnodes - 1; i++)
        if (network_is_contraction(o, i)) return true;
    return false;
}

static bool fits(const Network *n, const NetworkOrder *o)
{
    for (int i = 0; i < o->nnodes; i++)
        if (network_count(o->after[i]) > FD_MAX_RANK ||
            network_count(o->before[i] & ~o->after[i]) > FD_MAX_RANK)
            return false;
    return n->nfactors > 1;
}

/* Half the work, or as much of it in tiles: not a little less, for one loop over all is worth something. */
static bool pays(const Network *n, const NetworkOrder *o)
{
    return 2 * o->cost <= n->written ||
           (o->cost <= 1.25 * n->written && !is_contraction(n) && has_contraction(o, n->nfactors));
}

/* ---- one sum ------------------------------------------------------------------------------------ */

/* The sum in each order where that is the cheapest: the others are of nothing there. */
static const FdNode *in_orders(Pass *p, const Network *n, int norders, const NetworkOrder *orders,
                               const FdNode *sum, const NetworkParts *parts)
{
    const FdNode *when[NETWORK_ORDERS] = {NULL}, *all = NULL;
    NetworkBuild b = {.fd = p->fd, .graph = p->graph, .n = n, .sum = sum, .parts = parts};
    for (int i = 0; i < n->nfactors; i++) b.now[i] = order_below(p, n->factors[i]);
    if (norders > 1) network_conditions(p->fd, n, norders, orders, when);
    for (int i = 0; i < norders; i++) {
        b.order = &orders[i];
        b.when = when[i];
        const FdNode *args[] = {all, network_build(&b)};
        all = all ? fd_apply_op(p->fd, n->ring.sum, SC_INT, 2, args, sum->loc) : args[1];
    }
    return all;
}

/* The sum of pairs; NULL: that is not worth it. parts: the variables that are quotients and remainders; NULL: none. */
static const FdNode *in_pairs(Pass *p, const NetworkRing *ring, const FdNode *sum,
                              const NetworkParts *parts)
{
    Network n = {.ring = *ring};
    NetworkOrder orders[NETWORK_ORDERS];
    if (!add_sum(p, &n, sum) || n.nfactors < 2 || !uses_all(&n)) return NULL;
    int norders = network_orders(&n, orders);
    if (!fits(&n, &orders[0]) || !pays(&n, &orders[0])) return NULL;
    if (!fd_has_identity(sum)) norders = 1;
    for (int i = 1; i < norders; i++)
        if (!fits(&n, &orders[i])) norders = i;
    return in_orders(p, &n, norders, orders, sum, parts);
}

/* The sum of pairs, where it divides variables over their quotients and remainders; NULL: it stays. */
static const FdNode *ordered(Pass *p, const FdNode *sum)
{
    NetworkRing ring;
    NetworkParts parts;
    uint64_t strict;
    if (!is_ring(p, sum, &ring)) return NULL;
    bool lazy = fd_op_info(ring.product)->props & FD_LAZY;
    if ((lazy || !fdi_map_get(&p->strict, sum, &strict)) && fd_effects(sum) & FD_MAY_FAIL)
        return NULL; /* what fails stays in its branch */
    const FdNode *now = in_pairs(p, &ring, sum, NULL);
    if (now) return now;
    const FdNode *split = network_split(p->fd, &p->doms, sum, &parts);
    now = split ? in_pairs(p, &ring, split, &parts) : NULL;
    return now ? network_whole(p->fd, &parts, now) : NULL;
}

/* ---- rows and columns --------------------------------------------------------------------------- */

typedef struct Factors {
    int n;
    const FdNode *of[NETWORK_FACTORS];
    unsigned uses[NETWORK_FACTORS]; /* of the let's variables, a bit each */
} Factors;

static bool collect(Factors *f, const NetworkRing *ring, const FdNode *n, const FdNode *let)
{
    while (is_product(ring, n, n->type)) {
        if (!collect(f, ring, n->args[0], let)) return false;
        n = n->args[1];
    }
    if (f->n == NETWORK_FACTORS) return false;
    unsigned uses = 0;
    for (int i = 0; i < let->nvars; i++)
        if (fdi_free_in(n, let->vars[i])) uses |= 1u << i;
    f->uses[f->n] = uses;
    f->of[f->n++] = n;
    return true;
}

/* Variables of rows: those that no factor uses together with the last one. 0 where the two are not told apart. */
static unsigned rows_of(const Factors *f, const FdNode *let)
{
    unsigned last = 1u << (let->nvars - 1), beside = 0, all = 0;
    for (int i = 0; i < f->n; i++) {
        all |= f->uses[i];
        if (f->uses[i] & last) beside |= f->uses[i];
    }
    return beside ? all & ~beside : 0;
}

/* The body of a sum with factors of rows and of columns together; NULL: it stays. */
static const FdNode *grouped(Pass *p, const FdNode *sum)
{
    Factors f = {0};
    NetworkRing ring;
    const FdNode *side[2] = {NULL, NULL}; /* columns, rows */
    if (p->let->kind != FD_LET || !is_ring(p, sum, &ring) ||
        fd_op_info(ring.product)->props & FD_LAZY || p->let->nvars < 2 ||
        !is_product(&ring, sum->body, sum->type) || !collect(&f, &ring, sum->body, p->let) ||
        f.n < 3)
        return NULL;
    unsigned rows = rows_of(&f, p->let);
    for (int i = 0; rows && i < f.n; i++) {
        const FdNode **s = &side[(f.uses[i] & rows) != 0], *args[] = {*s, f.of[i]};
        *s = *s ? fd_apply_op(p->fd, ring.product, SC_INT, 2, args, sum->body->loc) : f.of[i];
    }
    if (!side[0] || !side[1]) return NULL;
    const FdNode *args[] = {side[1], side[0]};
    return fd_apply_op(p->fd, ring.product, SC_INT, 2, args, sum->body->loc);
}

/* ---- the graph --------------------------------------------------------------------------------- */

/* root with its sums in order, the outermost first. */
static const FdNode *order_below(Pass *p, const FdNode *root)
{
    FdiMap at = {0}, done = {0};
    FdiNodes list = {0};
    fdi_postorder(root, &at, &list);
    bool *reached = arena_array(p->fd->arena, bool, list.len);
    reached[list.len - 1] = true;
    for (size_t i = list.len; i-- > 0;) {
        const FdNode *n = list.data[i], *children[FD_MAX_CHILDREN], *now;
        uint64_t c;
        if (!reached[i] || n->kind == FD_LET) continue;
        if ((now = ordered(p, n))) {
            fdi_map_set_node(&done, n, now);
            continue;
        }
        int count = fd_children(n, children);
        for (int k = fd_nbound(n); k < count; k++)
            if (fdi_map_get(&at, children[k], &c)) reached[c] = true;
    }
    const FdNode *result = root;
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *old = list.data[i], *children[FD_MAX_CHILDREN], *body;
        if (!reached[i] || fdi_map_node(&done, old)) continue;
        int count = fd_children(old, children);
        for (int k = fd_nbound(old); k < count; k++) {
            const FdNode *now = fdi_map_node(&done, children[k]);
            if (now) children[k] = now;
        }
        result = fdi_rebuild(p->fd, old, children);
        if ((body = grouped(p, result))) result = fdi_rebind(p->fd, result, NULL, body);
        fdi_map_set_node(&done, old, result);
    }
    result = fdi_map_node(&done, root);
    fdi_map_free(&at);
    fdi_map_free(&done);
    vec_free(&list);
    return result;
}

static const FdNode *order_definition(void *pass, Fd *fd, const FdNode *def)
{
    Pass *p = pass;
    FdiMap at = {0};
    FdiNodes list = {0};
    if (def->self) return def;
    p->let = def;
    fdi_postorder(def, &at, &list);
    fdi_gather_strict(def, &p->strict);
    fdi_gather_doms(&list, &p->doms);
    const FdNode *body = order_below(p, def->kind == FD_LET ? def->body : def);
    fdi_map_free(&p->strict);
    fdi_map_free(&p->doms);
    fdi_map_free(&at);
    vec_free(&list);
    p->strict = p->doms = (FdiMap){0};
    return def->kind == FD_LET ? fdi_rebind(fd, def, NULL, body) : body;
}

bool fd_pass_network(Fd *fd, FdGraph *g, FdError *error)
{
    Pass p = {.fd = fd, .graph = g, .reals = true};
    (void)error;
    fdi_replace_definitions(fd, g, order_definition, &p);
    return true;
}

bool fd_pass_exact(Fd *fd, FdGraph *g, FdError *error)
{
    Pass p = {.fd = fd, .graph = g};
    (void)error;
    fdi_replace_definitions(fd, g, order_definition, &p);
    return true;
}
