/* The order in which the factors of a sum are multiplied: dynamic programming over sets of factors, as for chains of
 * matrices and joins. See Pfeifer, Haegeman and Verstraete, Physical Review E 90 (2014), and opt_einsum.
 *   sum(j, k : a(i, j) * b(j, k) * x(k))    as   b * x first, summed over k, then a * that, summed over j
 * Each pair costs the product of the lengths of the variables that it loops over; its result is written and read. */
#include <float.h>

#include "network.h"

enum {
    ALL = 10 /* factors of which every order is tried: 3^10 pairs of sets */
};

int network_count(unsigned vars)
{
    int n = 0;
    for (; vars; vars &= vars - 1) n++;
    return n;
}

int network_number(const Network *n, const FdNode *var)
{
    for (int i = 0; i < n->nvars; i++)
        if (n->vars[i] == var) return i;
    return -1;
}

double network_size(const Network *n, unsigned vars)
{
    double size = 1;
    for (int i = 0; i < n->nvars; i++)
        if (vars >> i & 1) size *= n->length[i];
    return size;
}

bool network_is_contraction(const NetworkOrder *o, int node)
{
    unsigned l = o->after[o->left[node]], r = o->after[o->right[node]], after = o->after[node];
    return o->before[node] != after && l & ~r & after && r & ~l & after;
}

/* The variables that some factors use, and those of them that stay or others use too. */
static unsigned used_by(const Network *n, unsigned set)
{
    unsigned vars = 0;
    for (int i = 0; i < n->nfactors; i++)
        if (set >> i & 1) vars |= n->uses[i];
    return vars;
}

static unsigned left_of(const Network *n, unsigned set)
{
    unsigned all = (1u << n->nfactors) - 1;
    return used_by(n, set) & (n->stays | used_by(n, all & ~set));
}

static double cost_of(const Network *n, unsigned loops, unsigned after)
{
    return network_size(n, loops) + (after != loops ? NETWORK_STORED * network_size(n, after) : 0);
}

/* A factor alone: it may be summed over variables that no other has. */
static double cost_of_one(const Network *n, int factor)
{
    unsigned after = left_of(n, 1u << factor);
    return after == n->uses[factor] ? 0 : cost_of(n, n->uses[factor], after);
}

static void begin(const Network *n, NetworkOrder *o)
{
    *o = (NetworkOrder){.nnodes = n->nfactors};
    for (int i = 0; i < n->nfactors; i++) {
        o->before[i] = n->uses[i];
        o->after[i] = left_of(n, 1u << i);
        o->cost += cost_of_one(n, i);
    }
}

static int add_pair(const Network *n, NetworkOrder *o, int left, int right, unsigned set)
{
    int at = o->nnodes++;
    o->left[at] = left;
    o->right[at] = right;
    o->before[at] = o->after[left] | o->after[right];
    o->after[at] = left_of(n, set);
    o->cost += cost_of(n, o->before[at], o->after[at]);
    return at;
}

double network_cost(const Network *n, const NetworkOrder *o)
{
    double cost = 0;
    for (int i = 0; i < o->nnodes; i++)
        if (i >= n->nfactors || o->before[i] != o->after[i])
            cost += cost_of(n, o->before[i], o->after[i]);
    return cost;
}

/* ---- all orders --------------------------------------------------------------------------- */

typedef struct Best {
    double cost;
    unsigned first; /* one of the two sets that it is split into: the one with the first factor */
} Best;

static int add_set(const Network *n, NetworkOrder *o, const Best *best, unsigned set)
{
    if (network_count(set) == 1) return network_count(set - 1);
    int left = add_set(n, o, best, best[set].first);
    int right = add_set(n, o, best, set & ~best[set].first);
    return add_pair(n, o, left, right, set);
}

/* Of equally good ones the order of the text: as few as can be behind the others, and these the last. */
static bool is_better(double cost, unsigned second, double than, unsigned its_second)
{
    int n = network_count(second), m = network_count(its_second);
    if (cost < than * (1 - 1E-9)) return true;
    return cost < than * (1 + 1E-9) && (n < m || (n == m && second > its_second));
}

static Best best_split(const Network *n, const Best *best, unsigned set)
{
    unsigned after = left_of(n, set), lowest = set & -set;
    Best found = {DBL_MAX, 0};
    for (unsigned first = (set - 1) & set; first; first = (first - 1) & set) {
        unsigned second = set & ~first;
        if (!(first & lowest)) continue;
        unsigned loops = left_of(n, first) | left_of(n, second);
        double cost = best[first].cost + best[second].cost + cost_of(n, loops, after);
        if (is_better(cost, second, found.cost, set & ~found.first)) found = (Best){cost, first};
    }
    return found;
}

static void try_all(const Network *n, NetworkOrder *out)
{
    unsigned all = (1u << n->nfactors) - 1;
    Best *best = mem_alloc(sizeof *best * (all + 1));
    for (unsigned set = 1; set <= all; set++)
        best[set] = network_count(set) == 1 ? (Best){cost_of_one(n, network_count(set - 1)), 0}
                                            : best_split(n, best, set);
    add_set(n, out, best, all);
    mem_free(best);
}

/* ---- the cheapest pair first ------------------------------------------------------------------ */

static void greedily(const Network *n, NetworkOrder *o)
{
    int nodes[NETWORK_FACTORS], count = n->nfactors;
    unsigned sets[NETWORK_FACTORS];
    for (int i = 0; i < count; i++) nodes[i] = i, sets[i] = 1u << i;
    while (count > 1) {
        int x = 0, y = 1;
        double least = DBL_MAX;
        for (int i = 0; i < count; i++)
            for (int k = i + 1; k < count; k++) {
                unsigned loops = o->after[nodes[i]] | o->after[nodes[k]];
                double cost = cost_of(n, loops, left_of(n, sets[i] | sets[k]));
                if (cost < least) least = cost, x = i, y = k;
            }
        nodes[x] = add_pair(n, o, nodes[x], nodes[y], sets[x] | sets[y]);
        sets[x] |= sets[y];
        count--;
        nodes[y] = nodes[count];
        sets[y] = sets[count];
    }
}

void network_order(const Network *n, NetworkOrder *out)
{
    begin(n, out);
    if (n->nfactors <= ALL)
        try_all(n, out);
    else
        greedily(n, out);
}
