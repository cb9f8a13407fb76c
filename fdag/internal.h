/* What the files of fdag/ share and nobody else sees: the hidden part of nodes, types and users,
 * walks over graphs, type rules. Names begin with fdi_. */
#ifndef CS_FDAG_INTERNAL_H
#define CS_FDAG_INTERNAL_H

#include "../base/internal.h"
#include "../base/vec.h"
#include "fdag.h"
#include "index/affine.h"
#include "index/facts/asked.h"
#include "index/facts/facts.h"

typedef struct FdiType {
    FdType type; /* first: an FdType * is an FdiType * */
    Fd *fd;
    uint64_t hash; /* of the structure, so equal in every Fd */
} FdiType;

/* A node with what every walk wants to know of the graph below it. */
typedef struct FdiNode {
    FdNode node; /* first: an FdNode * is an FdiNode * */
    Fd *fd;
    uint64_t hash;
    const FdNode *const *free; /* free variables, by ascending number */
    uint32_t nfree;
    uint32_t bound_min, bound_max; /* numbers of variables bound below; min > max: none */
    bool evaluable;                /* fd_eval_bound can find its value */
    uint8_t effects;               /* fd_effects */
    /* Scratch of a walk (fd_key, fdi_nodes), valid while epoch is its number. */
    uint32_t epoch, seen, start;
} FdiNode;

typedef struct FdiUser {
    FdUser user; /* first */
    struct FdiUser *next;
    bool keyed; /* key is known */
    FdKey key;
} FdiUser;

typedef VEC(const FdNode *) FdiNodes;
typedef VEC(const FdUser *) FdiUsers;
typedef VEC(uint64_t) FdiWords;

/* An operation that was made lately, for operands of these types; one that was simplified, of these operands. Tables
 * of few, by hash: the last one stays. */
typedef struct FdiMade {
    FdOp op;
    ScalarKind to;
    int n; /* 0: none */
    const void *of[3];
    const FdNode *node;
} FdiMade;
enum { FDI_MADE = 256 };
/* The entry for it, which may hold another; NULL: it has too many operands. */
FdiMade *fdi_made(Fd *fd, FdiMade **table, FdOp op, ScalarKind to, int n, const void *const *of);
bool fdi_is_made(const FdiMade *m, FdOp op, ScalarKind to, int n, const void *const *of);
void fdi_make_known(FdiMade *m, FdOp op, ScalarKind to, int n, const void *const *of,
                    const FdNode *node);

struct Fd {
    Arena *arena;
    FdiNode **nodes; /* hash-consing table, open addressing */
    size_t nodes_size, nodes_used;
    FdiType **types;
    size_t types_size, types_used;
    VEC(const FdType *) records; /* in order of declaration */
    FdiUser *users, **last_user;
    uint32_t next_id, next_var;
    uint32_t epoch;        /* of the last walk with marks in nodes */
    FdiWords words;        /* scratch of fd_key */
    FdiNodes stack;        /* of walks with marks in nodes */
    FdiMade *ops, *simple; /* FDI_MADE each; NULL: none yet */
    FdiKnown **asked;      /* open addressing */
    size_t asked_size, asked_used;
};

static inline FdiNode *fdi_node(const FdNode *n)
{
    return (FdiNode *)(uintptr_t)n;
}
/* The node that is like n, made if it is new (node.c). */
const FdNode *fdi_intern(Fd *fd, const FdNode *n);

static inline const FdiType *fdi_type(const FdType *t)
{
    return (const FdiType *)t;
}

/* ---- walks ---------------------------------------------------------------------------- */

/* Node to 64-bit value. Starts zeroed; fdi_map_free at the end. */
typedef struct FdiMap {
    const FdNode **keys;
    uint64_t *values; /* in the same block */
    size_t size, used;
} FdiMap;

bool fdi_map_get(const FdiMap *m, const FdNode *key, uint64_t *out);
void fdi_map_set(FdiMap *m, const FdNode *key, uint64_t value);
const FdNode *fdi_map_node(const FdiMap *m, const FdNode *key); /* NULL if absent */
void fdi_map_set_node(FdiMap *m, const FdNode *key, const FdNode *value);
void fdi_map_free(FdiMap *m);

/* Appends the nodes reachable from root and not yet in `seen`, operands first; adds them to `seen`
 * with their position in `out`. Iterative: graphs may be deep. */
void fdi_postorder(const FdNode *root, FdiMap *seen, FdiNodes *out);
/* Appends all nodes reachable from root, of fd, in the same order. Cheaper: the marks are fd's. */
void fdi_nodes(Fd *fd, const FdNode *root, FdiNodes *out);

/* All expressions of a graph in order of visit: definitions of temporaries as their slots come up
 * are the caller's to follow. */
bool fdi_free_in(const FdNode *n, const FdNode *var);
/* Of a node that is being made, of nodes that do what is `below`. */
FdEffects fdi_effects(const FdNode *n, FdEffects below);
static inline bool fdi_closed(const FdNode *n)
{
    return fdi_node(n)->nfree == 0;
}

/* ---- type rules (check.c): NULL or what is wrong, a static text ------------------------ */

const char *fdi_check_op(FdOp op, const FdType *type);
const char *fdi_check_apply(const FdNode *fn, int n, const FdNode *const *args);
const char *fdi_check_binder(const FdNode *n); /* a let or reduction; its type is not looked at */
bool fdi_is_integer(const FdType *t);          /* an integer scalar */
/* The operation's function type for these operands; NULL if the number of operands is wrong. */
const FdType *fdi_op_type(Fd *fd, FdOp op, ScalarKind to, int n, const FdNode *const *args);
const FdType *fdi_type_make(Fd *fd, const FdType *record); /* of FD_LEAF_MAKE */
const FdNode *fdi_make(Fd *fd, const FdType *record);      /* the functions themselves */
const FdNode *fdi_field(Fd *fd, const FdType *record, int field);
/* The same slot, read flat (index/flat.h): its node's value is 1. */
const FdNode *fdi_flat_slot(Fd *fd, const FdNode *slot, const FdType *type);
/* The variable that two have become: a long from 0 on, which only positive numbers divide. */
const FdNode *fdi_flat_var(Fd *fd, const char *name);
static inline bool fdi_is_leaf(const FdNode *n, FdLeaf leaf)
{
    return (n->kind == FD_FUNC || n->kind == FD_SCALAR) && n->leaf == leaf;
}
/* An application of this kind of function? */
static inline bool fdi_applies(const FdNode *n, FdLeaf leaf)
{
    return n->kind == FD_APPLY && fdi_is_leaf(n->fn, leaf);
}
/* Does it apply this operation? */
static inline bool fdi_is_op(const FdNode *n, FdOp op)
{
    return n->kind == FD_APPLY && fd_op_of(n) == op;
}
/* A choice whose second branch is a read that its condition, on the array's bounds, finds outside? */
bool fdi_reports(const FdNode *choice);
/* A constant, or a record made of constants. */
bool fdi_is_value(const FdNode *n);

/* ---- rebuilding ----------------------------------------------------------------------- */

/* n with its operands replaced, in the order of fd_children. */
const FdNode *fdi_rebuild(Fd *fd, const FdNode *n, const FdNode *const *children);
/* A binder as n, but with other ranges (NULL: n's) or another body (NULL: n's). */
const FdNode *fdi_rebind(Fd *fd, const FdNode *n, const FdDom *doms, const FdNode *body);

/* n with variables replaced by nodes (capture avoided, bound variables renamed where needed). */
const FdNode *fdi_replace_vars(Fd *fd, const FdNode *n, int nvars, const FdNode *const *vars,
                               const FdNode *const *values);
/* x - whole * y, of x % y or x / y. */
const FdNode *fdi_rest(Fd *fd, const FdNode *rem, int64_t whole);
/* A binder with some of the variables that it binds renamed, where it binds and uses them. */
const FdNode *fdi_rename_bound(Fd *fd, const FdNode *n, int nvars, const FdNode *const *old,
                               const FdNode *const *now);
/* A binder with variables of its own. */
const FdNode *fdi_fresh(Fd *fd, const FdNode *n);
const FdType *fdi_import_type(Fd *fd, const FdType *t);

/* Rewrites the root and the definitions of a graph. Agreements too. */
void fdi_rewrite_graph(Fd *fd, FdGraph *g, FdMap *map, void *ctx);
/* Replaces the definitions of temporaries and the root, in order. What map appends comes before the temporary that it was
 * made for: temporaries are numbered anew. Agreements are not mapped. */
void fdi_replace_definitions(Fd *fd, FdGraph *g, FdMap *map, void *ctx);
const FdNode *fdi_renumber(void *to_slots, Fd *fd,
                           const FdNode *n); /* FdMap: slot i is to[i], an int * */
/* Appends a slot; returns its number. */
int fdi_add_slot(Fd *fd, FdGraph *g, FdSlot slot);

/* n with one node in place of another; n may be NULL. */
const FdNode *fdi_put(Fd *fd, const FdNode *n, const FdNode *old, const FdNode *now);
/* A map of fd_rewrite. The bound of a let that LOWER or UPPER asks for, as a long; what an operation gives of bounds that
 * are infinite, so that max(lower(f), lower(a)) is a's where f is defined everywhere; a let without such ranges. Else NULL. */
FdMap fdi_known_bound;

/* Is the function one that an agreement can name: closed, or a parameter of the root? */
bool fdi_can_agree(const FdNode *root, const FdNode *f);
/* NULL or what is wrong with one user function. */
const char *fdi_verify_user(Fd *fd, const FdUser *u);
/* fd_print_expr's text, in the arena; a variable's name, "_" if it has none. */
const char *fdi_expr_text(Fd *fd, const FdNode *n);
const char *fdi_var_name(const FdNode *var);
/* "1.5", "true": a constant as the text format and messages show it. */
void fdi_print_value(Text *out, ScalarKind k, ScalarValue v);

/* ---- arithmetic on bounds (bounds.c) ---------------------------------------------------- */

/* Simplified nodes; operands and results are long. */
const FdNode *fdi_to_long(Fd *fd, const FdNode *n);
const FdNode *fdi_long_op(Fd *fd, FdOp op, const FdNode *a, const FdNode *b);
const FdNode *fdi_add_constant(Fd *fd, const FdNode *n, int64_t k);
const FdNode *fdi_scale(Fd *fd, const FdNode *n, int64_t k);
const FdNode *fdi_floor_div(Fd *fd, const FdNode *n, int64_t k); /* k > 0 */
/* The greatest (or least) of n bounds; bounds that differ by a constant become one. */
const FdNode *fdi_extreme(Fd *fd, bool greatest, int n, const FdNode *const *bounds);

/* ---- indices (affine.c) ----------------------------------------------------------------- */

/* An affine index of which all is known but its bound variables. */
typedef struct FdiIndex {
    FdAffine of;        /* its atoms are the variables */
    const FdNode *rest; /* the closed atoms, long; NULL for none */
} FdiIndex;

/* False if n is not affine, or not closed apart from integer bound variables. */
bool fdi_index(Fd *fd, const FdNode *n, FdiIndex *out);
int64_t fdi_index_factor(const FdiIndex *a, const FdNode *var); /* 0: does not occur */
/* Adds factor * n; false, with a undefined, if the sum is no such index. */
bool fdi_index_add(Fd *fd, FdiIndex *a, const FdNode *n, int64_t factor);
void fdi_index_drop(FdiIndex *a, const FdNode *var); /* takes var's term out */

bool fdi_is_word(const FdNode *n); /* an int or long: what the form looks into */
/* Adds factor * times * atom; false as fd_affine_add. */
bool fdi_affine_term(FdAffine *a, const FdNode *atom, int64_t factor, int64_t times);

/* ---- facts (facts.c) -------------------------------------------------------------------- */

typedef struct FdiFact {
    FdAffine form;         /* is at most 0 */
    const FdiKnown *known; /* from here on (asked.h) */
} FdiFact;

enum { FDI_TERM_KINDS = 64, FDI_INDEXED = 128 };

struct FdFacts {
    Fd *fd;
    int nvars;              /* those around all */
    const FdDom *own;       /* their ranges */
    FdiMap doms;            /* the ranges of all variables */
    FdiMap said;            /* atoms of facts, which have been evaluated */
    const FdiKnown *ranges; /* what is known without facts */
    VEC(FdiFact) forms;
    /* Which of the first facts may have a term of this atom and sign (fdi_term_kind): most speak of others. Bits of
     * facts that there are no more say nothing. */
    uint64_t having[FDI_TERM_KINDS][FDI_INDEXED / 64];
};

static inline const FdiKnown *fdi_known(const FdFacts *f)
{
    return f->forms.len ? vec_last(&f->forms).known : f->ranges;
}
/* Those that it was made with are others now: to be said while there are no facts. */
void fdi_ranges_changed(FdFacts *f);
/* A number for a term's atom and sign. */
int fdi_term_kind(const FdAffine *form, int term);

/* The forms that are at most 0 where a comparison has this value: their number, 0 if it says nothing
 * of the kind. */
int fdi_comparison(const FdNode *n, bool truth, FdAffine forms[2]);
/* fd_fact without asking whether it follows from the others. */
void fdi_fact(FdFacts *f, const FdAffine *form);
/* The int expressions in n that may wrap where that matters: `most` of them, most + 1 if there are
 * more. The affine form of what has none is its value. */
int fdi_inexact(const FdFacts *f, const FdNode *n, int most, const FdNode **out);
bool fdi_is_exact(const FdFacts *f, const FdNode *n);
/* At most 0 both where a read is inside in a dimension; false: no forms. */
bool fdi_read_forms(const FdFacts *f, const FdNode *read, int dim, FdAffine out[2]);

/* ---- costs (cost.c) -------------------------------------------------------------------- */

/* The loops around a node: variables by ascending number. */
typedef struct FdiLoops {
    int n;
    const FdNode *const *vars;
} FdiLoops;

/* For each node of `list` (in postorder from one root, `at` its positions) the variables bound on
 * some path to it. per_let: a let's body begins anew with the let's variables. In the arena. */
FdiLoops *fdi_loops(Fd *fd, const FdiNodes *list, const FdiMap *at, bool per_let);

/* ---- siblings (index/siblings.c) ----------------------------------------------------- */

/* The variables of siblings, and those that their sums are over. */
void fdi_gather_siblings(const FdiNodes *list, FdiMap *beside);
/* Is what uses these variables computed once for all of them: is it in their sums? */
bool fdi_shared_beside(const FdiMap *beside, int n, const FdNode *const *vars);
bool fdi_is_sibling(const FdiMap *beside, const FdNode *v);

enum {
    FDI_COST_READ = 2,       /* of an array element, where + is 1 */
    FDI_COST_DIVISION = 4,   /* of ints */
    FDI_COST_EXPENSIVE = 16, /* from here on recomputing in a loop is too much: sin, a reduction */
    FDI_COST_TRIPS = 64      /* assumed length of a range */
};
/* Operations to evaluate n once. lets: position in let_costs of functions whose application has a
 * known cost; may be empty. */
double fdi_cost(const FdNode *n, const FdiMap *lets, const double *let_costs);

/* Are these bounds finite for sure: do they ask only arrays for their domains? */
bool fdi_surely_finite(const FdGraph *g, const FdNode *bound);
/* Can a temporary have this range: closed, finite, of an integer variable? */
/* The function that a let of FD_DOM_ARRAY is; NULL: it is no such let. */
const FdNode *fdi_array_of(const FdNode *let);
/* What a graph became in turns. */
typedef struct FdiTurned {
    const FdGraph *graph;
    const FdNode *value;
    bool kept; /* it is a result, too */
} FdiTurned;
/* Of n values, those that one other reads at its own element become parts of that. */
void fdi_read_once(Fd *fd, FdGraph *g, int n, const FdiTurned *made);
bool fdi_storable(const FdGraph *g, const FdNode *var, const FdDom *dom);
/* A scalar, or an array of ranges that are known before it is evaluated. */
bool fdi_is_whole(const FdNode *root);
/* rounded.c: what an array of this value, or with these, would hold. */
const FdNode *fdi_rounded(Fd *fd, const FdNode *value);
const FdNode *fdi_rounded_array(Fd *fd, const FdNode *let);
bool fdi_compute_alike(int n, const FdPart *parts); /* as to hints on reals */
/* Has it results with ranges of their own, as fd_apart makes them? */
bool fdi_is_apart(const FdGraph *g);
/* The record of several values, named by their types. */
const FdType *fdi_results_type(Fd *fd, int n, const FdNode *const *values);

/* The ranges of the variables that the binders in `list` bind. */
void fdi_gather_doms(const FdiNodes *list, FdiMap *doms);
/* That of a variable; NULL if binders of it differ (a function inlined twice keeps its variables,
 * and its ranges may depend on its arguments), or none binds it. */
const FdDom *fdi_dom_of(const FdiMap *doms, const FdNode *var);
/* Marks in `strict` what is evaluated whenever root is: not operands in branches. */
void fdi_gather_strict(const FdNode *root, FdiMap *strict);
/* The same of a body at each point: not below functions and reductions, nor what only a domain is asked of. */
void fdi_gather_always(const FdNode *body, FdiMap *always);

/* ---- passes --------------------------------------------------------------------------- */

FdPassFn fd_pass_compose, fd_pass_fold, fd_pass_simplify, fd_pass_powers, fd_pass_network,
    fd_pass_exact, fd_pass_components, fd_pass_domains, fd_pass_deadparams, fd_pass_fuse,
    fd_pass_given, fd_pass_beside, fd_pass_hoist, fd_pass_inline, fd_pass_byrows, fd_pass_recur,
    fd_pass_share, fd_pass_pick, fd_pass_adjacent, fd_pass_neutral, fd_pass_divisors,
    fd_pass_tabulate, fd_pass_mirror;
/* As inline, but what fails and gives nothing to the values may not be evaluated. */
void fdi_inline_values(Fd *fd, FdGraph *g);
/* One node's step of composing, folding and simplification; NULL keeps it. For FdMap. */
const FdNode *fdi_compose_node(void *ctx, Fd *fd, const FdNode *n);
/* What can fail: FD_MAY_FAIL, but reads that are safe. */
typedef struct FdiFails {
    FdIs *safe; /* NULL: none is */
    const void *ctx;
} FdiFails;
bool fdi_fails(const void *fails, const FdNode *n); /* the node itself */
/* Can n? A function does where it is applied. */
bool fdi_may_fail(const FdNode *n, const FdiFails *fails);
/* Does n evaluate all of these that can fail (of a record made: its fields)? */
bool fdi_evaluates_all(const FdNode *n, const FdNode *const *due, size_t count,
                       const FdiFails *fails);
/* Does each field of a record made evaluate all that can fail of the others, so that one can be taken alone? */
bool fdi_fields_fail_alike(const FdNode *n, const FdiFails *fails);

/* Marks (@given) the indices of reads that are `decided`: no inference has narrowed them. */
const FdNode *fdi_mark_given(Fd *fd, const FdNode *n, FdIs *decided, const void *ctx);
const FdNode *fdi_fold_node(void *ctx, Fd *fd, const FdNode *n);
const FdNode *fdi_simplify_node(void *ctx, Fd *fd, const FdNode *n);

#endif
