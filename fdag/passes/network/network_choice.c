/* Orders of a network whose lengths nobody knows yet: a few, each the best where some lengths are short or long beside the
 * others, and the conditions on the lengths of a run under which each is the cheapest of them.
 *   sum(k, l : u(i, k) * v(k, l) * w(l, m))    as (u v) w where l and m are short, as u (v w) where i and k are */
#include <float.h>

#include "network.h"

enum {
    WORTH = 4, /* times the cost of another order, for some lengths */
    SHORT = 4, /* beside FDI_COST_TRIPS */
    LONG = 1024,
    FACTORS = 8, /* of which there is more than one order */
    BITS = 56    /* of a cost */
};

/* ---- lengths ------------------------------------------------------------------------------- */

static bool is_known(const FdDom *d)
{
    return fd_is_const(d->lo) && fd_is_const(d->hi);
}

static bool same_length(const FdDom *a, const FdDom *b)
{
    return a->lo == b->lo && a->hi == b->hi;
}

/* Gives all variables with the range of this one another length, where it is not known. */
static void set_length(Network *n, int var, double length)
{
    for (int i = 0; i < n->nvars; i++)
        if (!is_known(&n->doms[i]) && same_length(&n->doms[i], &n->doms[var]))
            n->length[i] = length;
}

/* Are temporaries arrays, and is there a sum outside? Only so can an order be left out by empty ranges. */
static bool can_be_empty(const Network *n, const NetworkOrder *o)
{
    int root = o->nnodes - 1;
    if (o->before[root] == o->after[root]) return false;
    for (int i = 0; i < root; i++)
        if ((i >= n->nfactors || o->before[i] != o->after[i]) && !o->after[i]) return false;
    return true;
}

static bool same_order(const NetworkOrder *a, const NetworkOrder *b)
{
    bool same = a->nnodes == b->nnodes;
    for (int i = 0; same && i < a->nnodes; i++)
        same = a->before[i] == b->before[i] && a->after[i] == b->after[i];
    return same;
}

/* How many times the cheapest of the orders so far an order costs at these lengths. */
static double gain(const Network *n, int norders, const NetworkOrder *orders, const NetworkOrder *o)
{
    double least = DBL_MAX;
    for (int i = 0; i < norders; i++) {
        double cost = network_cost(n, &orders[i]);
        if (same_order(&orders[i], o)) return 1;
        if (cost < least) least = cost;
    }
    return least / o->cost;
}

int network_orders(const Network *of, NetworkOrder *out)
{
    int count = 0;
    network_order(of, &out[count++]);
    if (of->nfactors > FACTORS || !can_be_empty(of, &out[0])) return count;
    while (count < NETWORK_ORDERS) {
        double most = 0;
        for (int i = 0; i < 2 * of->nvars; i++) {
            Network n = *of;
            NetworkOrder o;
            if (is_known(&n.doms[i / 2])) continue;
            set_length(&n, i / 2, i % 2 ? LONG : SHORT);
            network_order(&n, &o);
            double now = can_be_empty(&n, &o) ? gain(&n, count, out, &o) : 0;
            if (now > most) most = now, out[count] = o;
        }
        if (most < WORTH) break;
        count++;
    }
    return count;
}

/* ---- conditions ----------------------------------------------------------------------------- */

typedef struct Costs {
    Fd *fd;
    const Network *n;
    int64_t longest; /* lengths count as that at most: costs do not overflow */
} Costs;

static const FdNode *size_of(const Costs *c, unsigned vars)
{
    const FdNode *size = fd_long(c->fd, 1);
    for (int i = 0; i < c->n->nvars; i++) {
        if (!(vars >> i & 1)) continue;
        const FdNode *hi = fdi_to_long(c->fd, c->n->doms[i].hi),
                     *lo = fdi_to_long(c->fd, c->n->doms[i].lo);
        const FdNode *length = fdi_long_op(c->fd, FD_OP_SUB, hi, lo);
        length = fdi_long_op(c->fd, FD_OP_MAX, length, fd_long(c->fd, 1));
        length = fdi_long_op(c->fd, FD_OP_MIN, length, fd_long(c->fd, c->longest));
        size = fdi_long_op(c->fd, FD_OP_MUL, size, length);
    }
    return size;
}

static const FdNode *cost_node(const Costs *c, const NetworkOrder *o)
{
    const FdNode *cost = fd_long(c->fd, 0);
    for (int i = 0; i < o->nnodes; i++) {
        bool sums = o->before[i] != o->after[i];
        if (i < c->n->nfactors && !sums) continue;
        cost = fdi_long_op(c->fd, FD_OP_ADD, cost, size_of(c, o->before[i]));
        if (!sums) continue;
        const FdNode *stored = fdi_scale(c->fd, size_of(c, o->after[i]), NETWORK_STORED);
        cost = fdi_long_op(c->fd, FD_OP_ADD, cost, stored);
    }
    return cost;
}

void network_conditions(Fd *fd, const Network *n, int norders, const NetworkOrder *orders,
                        const FdNode **out)
{
    const FdNode *costs[NETWORK_ORDERS];
    Costs c = {.fd = fd, .n = n};
    int most = 1;
    for (int i = 0; i < norders; i++)
        for (int k = 0; k < orders[i].nnodes; k++) {
            int count = network_count(orders[i].before[k]);
            if (count > most) most = count;
        }
    c.longest = (int64_t)1 << (BITS / most < 31 ? BITS / most : 31);
    for (int i = 0; i < norders; i++) costs[i] = cost_node(&c, &orders[i]);
    for (int i = 0; i < norders; i++) {
        out[i] = NULL;
        for (int k = 0; k < norders; k++) {
            if (k == i) continue;
            const FdNode *args[] = {costs[i], costs[k]};
            const FdNode *less = fd_simple_op(fd, k < i ? FD_OP_LT : FD_OP_LE, SC_INT, 2, args);
            const FdNode *both[] = {out[i], less};
            out[i] = out[i] ? fd_simple_op(fd, FD_OP_LAND, SC_INT, 2, both) : less;
        }
    }
}
