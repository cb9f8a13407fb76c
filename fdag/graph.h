/* Graphs: a root and its slots, several as one, their text and keys, substitution, domains (fdag.h). */
#ifndef CS_FDAG_GRAPH_H
#define CS_FDAG_GRAPH_H

#include "node.h"

/* ---- graphs --------------------------------------------------------------------------- */

typedef struct FdSlot {
    const FdType *type; /* scalar or function; of temporaries also a record */
    bool is_array;      /* a function slot that is known to be an array */
    const char *name;
    /* NULL: given from outside. Else a temporary, made by the passes fuse and hoist: the let (or
     * closed scalar expression) to evaluate first; it may use earlier slots. */
    const FdNode *def;
    const char *why; /* of a temporary: why it is one, for people; else NULL */
    bool
        optional; /* a temporary that its readers may as well compute, each element where it is read */
    bool
        mirrored; /* an optional one that is half of a definition: c ? product : 0. The one reader turns it over, or
                    * computes the product */
} FdSlot;

/* A function that a graph applies and that is no temporary: it is computed where it is applied. */
typedef struct FdFused {
    const FdNode *let;
    double cost, times; /* operations of an element; evaluations of each, where loops repeat them */
} FdFused;

/* A condition of language section 4 that is checked when the expression is built: parameter a_dim
 * of function a and b_dim of b have equal ranges (found by domain inference), or that of a, a
 * slice, lies inside that of b and does not end before it begins. Of functions that the root takes
 * as its parameters: when it is applied. */
typedef struct FdAgree {
    const FdNode *a, *b; /* function nodes: slots, closed lets, or variables of the root */
    int a_dim, b_dim;
    bool inside;
    FdLoc loc;
} FdAgree;

/* What evaluating a graph gives: all values of a function, as an array, or a scalar. */
typedef struct FdResult {
    /* A let or a scalar expression; a slot of functional type: the function that it stands for, or the
     * temporary that is the result. A let of FD_DOM_ARRAY is made as an array, which other results may
     * read; lets that bind the same variables are made side by side. */
    const FdNode *node;
    /* NULL: it goes into an array of its own. A slot: into that array, within which its ranges are and
     * the rest of which stays. It may read the array only where it stores, or where it does not store at
     * all. */
    const FdNode *part;
} FdResult;

/* A scalar slot of the middle turn (FdGraph.turns) that has another value in each: that of a slot's array. */
typedef struct FdMoving {
    const FdNode *slot, *values;
} FdMoving;

typedef struct FdGraph {
    int nresults; /* one at least; one in programs' graphs and those below others */
    FdResult *results;
    /* Attributes of what it is made of, for schedules: "Tile=4,2 Unroll=2", NULL: none. The outermost
     * stand first. */
    const char *hints;
    /* NULL, or an integer slot's node, of steps of a loop: three turns of it are composed, of which the
     * middle one's definitions stand for so many, one at least. Each of these is made of what the turn
     * before it gave, as the middle one is made of the first. Kernels that keep steps by rows make it. */
    const FdNode *turns;
    int nmoving;
    FdMoving *moving;
    int nslots;
    FdSlot *slots;
    int nagrees;
    FdAgree *agrees;
    int nfused; /* what the pass fuse left, in no graph that is read or copied */
    const FdFused *fused;
} FdGraph;

/* The node of the first result. */
bool fd_is_result(const FdGraph *g, const FdNode *n);
size_t fd_ids(const FdGraph *g); /* more than any id of a node in the results */
static inline const FdNode *fd_root(const FdGraph *g)
{
    return g->results[0].node;
}
/* Does it give arrays that bind the same variables, and are made side by side? */
static inline bool fd_is_beside(const FdGraph *g)
{
    return fd_root(g)->kind == FD_LET && !fd_is_stored(fd_root(g));
}
/* Does it give a scalar, or a record made of scalars, by operations on scalars that always have a value? */
bool fd_is_arithmetic(const FdGraph *g);
enum { FD_SINGLE_VARS = 3 };
/* The reduction of a graph that gives a number and has no other: over a few variables whose ranges are known before, by an
 * operation, of numbers and elements of arrays at indices that move evenly with them, by what always has a value. NULL: it
 * is another graph. */
const FdNode *fd_single_reduction(const FdGraph *g);
/* Gives g this one result in place of what it has. */
void fd_set_root(Fd *fd, FdGraph *g, const FdNode *node);

/* A word of `hints`, of steps of a loop, each read by the next: they are better made one after the other
 * than by kernels that store them. */
#define FD_HINT_STEPS "Steps"
/* Another, of results that bind the same variables: each may take the memory of a slot that is read at the
 * element which is computed, and nowhere else. */
#define FD_HINT_OVER "Over"

/* The hints of both, in this order, each word once, in fd's arena; NULL: none. */
const char *fd_hints_join(Fd *fd, const char *first, const char *more);
bool fd_hints_have(const char *hints, const char *word);
/* How reals are computed: [Precise] anywhere in a graph counts for all of it, and before [Fast]. */
typedef enum FdReals { FD_REALS_USUAL, FD_REALS_PRECISE, FD_REALS_FAST } FdReals;
FdReals fd_hints_reals(const char *hints);

/* Several graphs of fd as one: all scalars, or all functions of one rank. slots: for each slot of the
 * part the slot of the new graph that it is, or ~k: it is what part k, an earlier one, gives. */
typedef struct FdPart {
    const FdGraph *graph;
    const int *slots;
    bool
        inner; /* only later parts ask for what it gives: it is no result of functions side by side */
} FdPart;
/* The new graph's agreements say that the parts' ranges are equal. NULL if it cannot be made: a
 * part is a recurrence, infinite, reads an earlier one elsewhere than at its own point, or computes
 * reals otherwise than the first does. */
FdGraph *fd_several(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots);
/* The same of parts with ranges of their own: arrays (FD_DOM_ARRAY), behind one result that has the scalars. NULL as
 * above. */
FdGraph *fd_apart(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots);
/* The graph of the last part with what the parts before it give as functions in it: arrays that
 * nobody else reads are not made for its sake. They may be read anywhere; those of which reads
 * cannot be shown to be inside are stored (FD_DOM_ARRAY), since an array says if one is not. NULL as
 * above. */
FdGraph *fd_chained(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots);
/* The function as an array (FD_DOM_ARRAY). */
const FdNode *fd_stored(Fd *fd, const FdNode *let);
/* What is made of functions of a type by their domains: f within given ranges, or f ?? g. full: bit d
 * says that dimension d of the result is infinite; full_first: of f. Slots: f, (g or the array,) then lo
 * and hi of each finite dimension of the result, then of f (all of it for f ?? g, none otherwise). */
typedef struct FdChosen {
    const FdType *type;
    uint32_t full, full_first;
    bool choice; /* f ?? g: where f has no value that of g */
    bool moved;  /* f within ranges: f(i - lo) */
    bool into;   /* f within ranges, into an array (FdResult.part) */
} FdChosen;
FdGraph *fd_chosen(Fd *fd, const FdChosen *c);
bool fd_same_chosen(const FdChosen *a, const FdChosen *b);
/* A graph over n functions of these types: arrays of all that they give. What it is composed with has to be
 * lets without recurrences. */
FdGraph *fd_arrays(Fd *fd, int n, const FdType *const *types);
/* The same of functions whose ranges are those of the first, side by side. */
FdGraph *fd_results(Fd *fd, int n, const FdType *const *types);
/* Is evaluating it better than one part after the other, if its functions are what they are in this
 * graph? There must be expensive work that the parts share. Without any reductions it spares launches
 * at least, which small arrays feel; large ones would be too many streams for a cache. (Sums that
 * share little are better off each with a schedule of its own.) */
typedef enum FdPays { FD_PAYS_UNKNOWN, FD_PAYS_NOT, FD_PAYS_SMALL, FD_PAYS } FdPays;
FdPays fd_several_pays(const FdGraph *g);
/* Is there expensive work that several results are made of, by way of a function or a value that is closed? What
 * another result gives does not count. */
bool fd_shares_work(const FdGraph *g);

/* ---- text ----------------------------------------------------------------------------- */

/* Prints a graph: its user functions, slots, nodes in order, agreements, root. fd_read reads it
 * back to an equal graph (same key). The format is described in docs/fdag.md. */
void fd_print(Text *out, const FdGraph *g);
void fd_print_dot(Text *out, const FdGraph *g); /* Graphviz */
/* NULL on a syntax or type error, with *error set to "line N: why" in the Fd's arena. */
FdGraph *fd_read(Fd *fd, const char *text, const char **error);
/* One node as an expression for messages: "a(j, l) * b(l, k)". */
void fd_print_expr(Text *out, const FdNode *n);

/* NULL if the graph is well formed, else what is wrong (in the Fd's arena). */
const char *fd_verify(Fd *fd, const FdGraph *g);

/* ---- keys ----------------------------------------------------------------------------- */

typedef struct FdKey {
    uint64_t hi, lo;
} FdKey;

/* The structural key: equal for graphs that differ only in names of variables and slots and in
 * numbers of slots. Range bounds count as they are written: over LOWER and UPPER of slots and over
 * scalar slots, so that extents stay symbolic while the key says which of them coincide. Bound
 * variables, slots and ranges are numbered by first visit; `order`, if not NULL, receives that
 * numbering. */
typedef struct FdOrder {
    int nslots;
    int *slots; /* k-th visited slot -> slot number of the graph */
    int nranges;
    const FdNode **range_binder; /* k-th closed range: its binder ... */
    int *range_index;            /* ... and the variable's index there */
    int nnodes;                  /* of the graph */
    int nplaces; /* with those of the bodies of the functions that it names, which follow */
    const FdNode **nodes; /* k-th visited node: error sites are numbers in this list */
} FdOrder;
FdKey fd_key(Fd *fd, const FdGraph *g, FdOrder *order); /* order's arrays live in the arena */

/* Replaces the position of each node of an order by its number there (the first one), counted from
 * 1 as the line: what passes make of the graph then tells where it came from, and the same for all
 * graphs of one key. Returns the positions before, by number; they live in the arena. */
const FdLoc *fd_number_places(Fd *fd, const FdOrder *order);
/* The user function in whose body n is; NULL if n is among the nodes of the graph of root itself
 * (or nowhere below it). */
const FdUser *fd_user_around(const FdNode *root, const FdNode *n);

/* ---- rebuilding ----------------------------------------------------------------------- */

/* Rebuilds n bottom-up, each node replaced by map(ctx, rebuilt node) (NULL keeps it). Bound
 * variables are kept. Sharing is kept: each node is visited once. */
typedef const FdNode *FdMap(void *ctx, Fd *fd, const FdNode *n);
const FdNode *fd_rewrite(Fd *fd, const FdNode *n, FdMap *map, void *ctx);

/* Replaces slot i by values[i] (NULL keeps it), renaming bound variables of inserted lets apart.
 * n may belong to another Fd: the result belongs to fd. */
const FdNode *fd_substitute(Fd *fd, const FdNode *n, const FdNode *const *values, int nvalues);
/* The same in n results, which go on sharing what they share. */
void fd_substitute_all(Fd *fd, int n, const FdResult *results, const FdNode *const *values,
                       int nvalues, FdResult *out);

/* A copy of a graph that shares nothing with it, in fd (another one or the same). */
FdGraph *fd_graph_copy(Fd *fd, const FdGraph *g);

/* Is variable v free in n? */
bool fd_uses_var(const FdNode *n, const FdNode *v);

/* ---- domains -------------------------------------------------------------------------- */

/* The symbolic range of parameter d of a function node (let: its own; slot: LOWER/UPPER of it;
 * operation, user function: full; int or long nodes for bounds). */
FdDom fd_domain(Fd *fd, const FdNode *f, int d);

/* A concrete domain. */
typedef struct FdBox {
    int rank;
    struct {
        bool full;
        int64_t lo, hi; /* [lo, hi) */
    } dim[FD_MAX_RANK];
} FdBox;
static inline void fd_box_copy(FdBox *to, const FdBox *from) /* its dimensions alone */
{
    to->rank = from->rank;
    for (int d = 0; d < from->rank; d++) to->dim[d] = from->dim[d];
}
static inline int64_t fd_box_length(const FdBox *box, int d) /* of a finite dimension */
{
    return box->dim[d].hi - box->dim[d].lo;
}

/* Values of the slots of a graph, for evaluation of closed scalar nodes. */
typedef struct FdEnv {
    const FdBox *boxes;         /* a function slot's domain */
    const ScalarValue *scalars; /* a scalar slot's value */
} FdEnv;

/* A number as far as it is known before: an atom, which is a number that nobody knows (0: none), and an offset. */
typedef struct FdLinear {
    bool known;
    uint32_t atom;
    int64_t offset;
} FdLinear;

/* What is known of a slot before there is a value. */
typedef struct FdKnown {
    FdLinear value;                            /* of a scalar */
    FdLinear lo[FD_MAX_RANK], hi[FD_MAX_RANK]; /* of an array: its domain */
} FdKnown;

typedef enum FdBoundStatus {
    FD_BOUND_OK,
    FD_BOUND_INFINITE, /* asks for a bound of a full domain */
    FD_BOUND_DIVIDE_BY_ZERO,
    FD_BOUND_OPEN /* depends on a bound variable or on values of an array */
} FdBoundStatus;

/* Evaluates a closed integer node (constants, scalar slots, LOWER/UPPER, operations). */
FdBoundStatus fd_eval_bound(const FdNode *n, const FdEnv *env, int64_t *out);
/* The concrete domain of a function node or let root. */
FdBoundStatus fd_eval_box(Fd *fd, const FdNode *f, const FdEnv *env, FdBox *out);

/* Elements of the root; 1 of a scalar. */
double fd_elements(const FdGraph *g, const FdEnv *env);
bool fd_has_loop(const FdStmt *s); /* here or inside, or behind it */
/* Operations that an element takes, ranges of reductions being as long as they are. Coarse. */
double fd_work(const FdGraph *g, const FdEnv *env);
/* Those of all elements, of arithmetic alone, without indices: what rates are told in. */
double fd_operations(const FdGraph *g, const FdEnv *env);

#endif
