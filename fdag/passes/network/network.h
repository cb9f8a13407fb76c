/* What the files of the pass `network` share: the factors of a sum of products, and an order to multiply them in. */
#ifndef CS_FDAG_NETWORK_H
#define CS_FDAG_NETWORK_H

#include "../../index/split.h"
#include "../../internal.h"

enum { NETWORK_FACTORS = 16, NETWORK_VARS = 24, NETWORK_NODES = 2 * NETWORK_FACTORS - 1 };

/* Two operations of which the second distributes over the first: sums and products, or and and, .. */
typedef struct NetworkRing {
    FdOp sum, product;
} NetworkRing;

/* The sum over all variables that do not stay of the product of all factors. Sets of variables have a bit each. */
typedef struct Network {
    NetworkRing ring;
    int nvars;
    const FdNode *vars[NETWORK_VARS];
    FdDom doms[NETWORK_VARS];
    double length[NETWORK_VARS]; /* where nobody knows: FDI_COST_TRIPS */
    unsigned stays;              /* variables of loops around the sum */
    int nfactors;
    const FdNode *factors[NETWORK_FACTORS];
    unsigned uses[NETWORK_FACTORS]; /* variables of each factor */
    double written;                 /* the cost of the sums as they are written */
} Network;

/* A tree of pairs: nodes below nfactors are the factors, each of the others is made of two before it, the last one of
 * all. A variable is summed over where all that use it have met. */
typedef struct NetworkOrder {
    int nnodes, left[NETWORK_NODES], right[NETWORK_NODES];
    unsigned before
        [NETWORK_NODES]; /* variables that the factors of a node use, and not summed over below it */
    unsigned after[NETWORK_NODES]; /* those of its value */
    double cost;                   /* multiplications */
} NetworkOrder;

/* The cheapest order, for these lengths. At most that of 10 factors is found by trying all, that of more by taking
 * the cheapest pair first. */
void network_order(const Network *n, NetworkOrder *out);
/* What it costs at the network's lengths. */
double network_cost(const Network *n, const NetworkOrder *o);
enum {
    NETWORK_ORDERS = 6,
    NETWORK_STORED = 2 /* operations that pay for an element of a result in between */
};
/* The cheapest order and, where lengths are not known, others that are much cheaper for some: of NETWORK_ORDERS how many. */
int network_orders(const Network *n, NetworkOrder *out);
/* When each of several is the cheapest: one condition holds, whatever the lengths. */
void network_conditions(Fd *fd, const Network *n, int norders, const NetworkOrder *orders,
                        const FdNode **out);
/* Is a node a product with rows and columns: has each side variables of its own, beside those that are summed over? */
bool network_is_contraction(const NetworkOrder *o, int node);
/* The product of the lengths of some variables. */
double network_size(const Network *n, unsigned vars);
int network_count(unsigned vars);
int network_number(const Network *n, const FdNode *var); /* -1: it is none of its variables */

/* Variables of loops around a sum that it divides, as quotients and remainders. */
typedef struct NetworkParts {
    FdSplit split;
} NetworkParts;
/* The sum over them, whose ranges are in doms then; NULL: it divides none of which that is known (fdag/index/split.h). */
const FdNode *network_split(Fd *fd, FdiMap *doms, const FdNode *sum, NetworkParts *out);
/* n with whole variables again. */
const FdNode *network_whole(Fd *fd, const NetworkParts *parts, const FdNode *n);
typedef struct NetworkVar {
    const FdNode *var;
    const FdDom *dom;
} NetworkVar;
/* Two variables that are one of a temporary: a quotient and its remainder, or q and r in 0..8 of which all that is read is
 * q * 8 + r. */
typedef struct NetworkJoined {
    const FdNode *var, *index; /* index: the two as one, where the temporary is read */
    FdDom dom;
} NetworkJoined;
/* *value over the joined variable; false: they stay two. parts: NULL: no variables are divided. */
bool network_join(Fd *fd, const NetworkParts *parts, const NetworkVar *high, const NetworkVar *low,
                  const FdNode **value, NetworkJoined *out);

/* What is made of a network in an order. */
typedef struct NetworkBuild {
    Fd *fd;
    FdGraph *graph; /* its slots grow */
    const Network *n;
    const NetworkOrder *order;
    const FdNode *sum, *now[NETWORK_FACTORS]; /* the factors, with the sums in them in order */
    const NetworkParts *parts;                /* NULL: none */
    const FdNode *when; /* this order is one of several: elsewhere ranges are empty; NULL: always */
} NetworkBuild;
const FdNode *network_build(const NetworkBuild *b);

#endif
