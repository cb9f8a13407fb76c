/* The sums of pairs that an order says, with what they come to as temporaries where that is used again. */
#include "network.h"

typedef struct NetworkVars {
    int n, list[NETWORK_VARS];
    unsigned set;
} NetworkVars;

static const FdNode *combine(const NetworkBuild *b, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {x, y};
    return fd_apply_op(b->fd, b->n->ring.product, SC_INT, 2, args, b->sum->loc);
}

/* Empty where the order is not taken. */
static FdDom taken(const NetworkBuild *b, FdDom d)
{
    Fd *fd = b->fd;
    const FdNode *args[] = {b->when, d.hi, d.lo};
    if (b->when) d.hi = fd_simple_op(fd, FD_OP_SELECT, SC_INT, 3, args);
    return d;
}

static const FdNode *sum_over(const NetworkBuild *b, unsigned vars, bool root, const FdNode *body)
{
    Fd *fd = b->fd;
    const FdNode *list[FD_MAX_RANK], *own[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int count = 0;
    for (int i = 0; i < b->n->nvars; i++) {
        if (!(vars >> i & 1)) continue;
        list[count] = b->n->vars[i];
        doms[count] = root && !count ? taken(b, b->n->doms[i]) : b->n->doms[i];
        count++;
    }
    if (!count) return body;
    const FdNode *sum = fd_reduce(fd, b->sum->fn, count, list, doms, body, b->sum->loc);
    for (int i = 0; i < count; i++) own[i] = fd_var(fd, list[i]->type, list[i]->name);
    return b->when ? fdi_rename_bound(fd, sum, count, list, own)
                   : sum; /* each order has ranges of its own */
}

/* Appends some of the network's variables that are not there yet. */
static void append(const Network *n, unsigned some, NetworkVars *out)
{
    for (int i = 0; i < n->nvars; i++) {
        if (!(some & ~out->set & 1u << i)) continue;
        out->list[out->n++] = i;
        out->set |= 1u << i;
    }
}

/* Those of an index; of a sum, as of q * 8 + r, first what moves farthest. */
static void append_index(const Network *n, const FdNode *index, unsigned some, NetworkVars *out)
{
    FdAffine a;
    int64_t most = INT64_MAX;
    int whole = network_number(n, index);
    if (whole >= 0) append(n, some & 1u << whole, out);
    while (whole < 0 && fd_affine(index, &a) && a.nterms > 1) {
        int64_t next = 0;
        for (int i = 0; i < a.nterms; i++)
            if (a.terms[i].factor < most && a.terms[i].factor > next) next = a.terms[i].factor;
        for (int i = 0; i < a.nterms; i++) {
            int at = a.terms[i].factor == next ? network_number(n, a.terms[i].atom) : -1;
            if (at >= 0) append(n, some & 1u << at, out);
        }
        if (!next) break;
        most = next;
    }
}

/* The variables of a node's value, in the order in which it is stored: a factor's as it reads them; of a pair those of the
 * larger side, with those of the other in place of what is summed over. So lengths stay where they are in memory. */
static void in_order(const NetworkBuild *b, int node, NetworkVars *out)
{
    const NetworkOrder *o = b->order;
    const FdNode *x = node < b->n->nfactors ? b->n->factors[node] : NULL;
    unsigned after = o->after[node];
    *out = (NetworkVars){0};
    for (int i = 0; x && fdi_applies(x, FD_LEAF_SLOT) && i < x->nargs; i++)
        append_index(b->n, x->args[i], after, out);
    if (!x) {
        NetworkVars l, r;
        in_order(b, o->left[node], &l);
        in_order(b, o->right[node], &r);
        const NetworkVars *large = r.n > l.n ? &r : &l, *small = r.n > l.n ? &l : &r;
        for (int i = 0; i < large->n; i++) {
            bool stays = after >> large->list[i] & 1;
            for (int k = 0; !stays && k < small->n; k++)
                append(b->n, after & ~large->set & 1u << small->list[k], out);
            append(b->n, after & 1u << large->list[i], out);
        }
    }
    append(b->n, after, out);
}

/* One dimension of a temporary: a variable of the network, or two that are read as one. */
typedef struct Dim {
    const FdNode *var, *index; /* of the temporary; what it is read at */
    FdDom dom;
} Dim;

/* What a node comes to, of its variables in order, as dimensions; those that are parts of one are one where that can be. */
static int dims_of(const NetworkBuild *b, const NetworkVars *in, const FdNode **value, Dim *out)
{
    int rank = 0;
    unsigned taken = 0;
    for (int i = 0; i < in->n; i++) {
        int at = in->list[i];
        const FdNode *old = b->n->vars[at];
        NetworkJoined joined;
        bool joins = false;
        if (taken >> at & 1) continue;
        for (int k = 0; !joins && k < in->n; k++) {
            int with = in->list[k];
            const NetworkVar high = {old, &b->n->doms[at]},
                             low = {b->n->vars[with], &b->n->doms[with]};
            joins =
                !(taken >> with & 1) && network_join(b->fd, b->parts, &high, &low, value, &joined);
            if (joins) taken |= 1u << with;
        }
        taken |= 1u << at;
        if (joins) {
            out[rank++] = (Dim){joined.var, joined.index, joined.dom};
            continue;
        }
        out[rank].var = fd_var(b->fd, old->type, old->name);
        *value = fdi_replace_vars(b->fd, *value, 1, &old, &out[rank].var);
        out[rank].index = old;
        out[rank++].dom = b->n->doms[at];
    }
    return rank;
}

static const FdNode *stored(const NetworkBuild *b, int node, const FdNode *value)
{
    Fd *fd = b->fd;
    Dim dims[FD_MAX_RANK];
    const FdNode *vars[FD_MAX_RANK], *index[FD_MAX_RANK], *def = value;
    FdDom doms[FD_MAX_RANK];
    NetworkVars in;
    in_order(b, node, &in);
    int rank = dims_of(b, &in, &def, dims);
    for (int i = 0; i < rank; i++) {
        vars[i] = dims[i].var;
        index[i] = dims[i].index;
        doms[i] = i ? dims[i].dom : taken(b, dims[i].dom);
    }
    if (rank) def = fd_let(fd, rank, vars, doms, def, value->loc);
    FdSlot slot = {.type = def->type,
                   .is_array = rank > 0,
                   .def = def,
                   .why = "a sum of some of the factors first"};
    slot.name = arena_printf(fd->arena, "t%d", b->graph->nslots);
    const FdNode *t = fd_slot(fd, fdi_add_slot(fd, b->graph, slot), slot.type, slot.name);
    return rank ? fd_apply(fd, t, rank, index, value->loc) : t;
}

/* loops: the variables of the sum that takes the node's value. */
static const FdNode *made(const NetworkBuild *b, int node, unsigned loops)
{
    const NetworkOrder *o = b->order;
    unsigned before = o->before[node], after = o->after[node];
    bool sums = before != after;
    const FdNode *x;
    if (node < b->n->nfactors) {
        x = b->now[node];
    } else {
        unsigned inside = sums || node == o->nnodes - 1 ? before : loops;
        const FdNode *l = made(b, o->left[node], inside);
        x = combine(b, l, made(b, o->right[node], inside));
    }
    x = sum_over(b, before & ~after, node == o->nnodes - 1, x);
    bool again = after != loops || (node >= b->n->nfactors && network_is_contraction(o, node));
    return sums && again && node != o->nnodes - 1 ? stored(b, node, x) : x;
}

const FdNode *network_build(const NetworkBuild *b)
{
    int root = b->order->nnodes - 1;
    return made(b, root, b->order->after[root]);
}
