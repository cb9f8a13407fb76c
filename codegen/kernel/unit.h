/* Shared by the schedules: the text being made for one evaluation (Unit), one array or scalar to be
 * computed (Def), and one kernel under construction (Gen). Internal to codegen.
 */
#ifndef CS_CODEGEN_UNIT_H
#define CS_CODEGEN_UNIT_H

#include "../../base/vec.h"
#include "codegen.h"
#include "ir/kir.h"
#include "plan/number.h"

/* ---- the text of one evaluation ------------------------------------------------------------- */

typedef struct UnitRecord {
    const FdType *type;
    int lanes; /* of its fields */
    const KirRecord *record;
} UnitRecord;

/* A user function that is printed. What it takes besides its own arguments (the error buffer,
 * arrays that it reads and numbers about them) are parameters of whoever calls it. */
typedef struct UnitUser {
    const FdUser *user;
    int nmore;
    KirParam *more;
    const char **more_args; /* their plan text */
} UnitUser;

/* Rows of a temporary that one kernel makes and uses (schedule/nest/bands.h): each work-item keeps
 * the last `keeps` of them, row by row, each with all that the other dimensions have. */
typedef struct UnitRing {
    int of;   /* the temporary that they are rows of */
    int temp; /* where they are */
    int dim;  /* that counts them */
    Num *keeps;
    const KirExpr *slab; /* where the work-item's begin */
} UnitRing;

typedef struct Unit {
    Arena *arena;
    Fd *fd;
    const CgOptions *options;
    const FdGraph *g;     /* after the back passes */
    const FdOrder *order; /* of the graph as it was given: numbers of slots and sites */
    int ninputs;          /* slots from here on are temporaries */
    int *plan_slot;       /* slot -> its number in the plan; temporaries -> temporary number */
    int *kept; /* temporary number -> the result that it is plus 1, 0: none (FdGraph.keeps) */
    int nkept;
    Text plan, types, functions, kernels;
    VEC(KirFunc) funcs; /* all that functions and kernels hold, in that order each */
    Text *schedule;     /* NULL, or where the nests are printed */
    Numbers *numbers;
    int ntemps;                  /* temporaries of the plan so far */
    int nnames;                  /* for fresh names */
    int ndrawn;                  /* parameters so far (plan/draw.h) */
    const int64_t *given;        /* of each, INT64_MIN: nothing */
    CgAsked *asked;              /* NULL, or what recipes ask for */
    bool streams;                /* the plan says when results go past the caches */
    bool contracts;              /* some nest is a contraction (recipes/contract.c) */
    const FdLoc *places;         /* where the nodes that `order` numbers stand */
    bool in_lanes;               /* some nest of the definition has lanes, or goes by key */
    bool host_only;              /* something no kernel can do: unit_give_up */
    const char *gave_up;         /* the first reason.. */
    const FdNode *gave_up_at;    /* ..and its node, if there is one */
    bool noting;                 /* nests that are made note what fails (GEN_NOTED) */
    bool notes;                  /* one did since this was last false */
    Num *quiet;                  /* then no kernel reports an error; NULL: never known */
    VEC(UnitUser) users;         /* printed so far */
    VEC(UnitRecord) records;     /* printed so far */
    const struct Def *def;       /* the definition being scheduled: what its `self` reads */
    const struct Def *inside_of; /* whose conditions these are (nest_conditions) */
    int ninside;
    const FdNode **inside;
    bool guessed;                 /* that the inside is most of it */
    VEC(const FdNode *) suspects; /* reads that can fall outside (plan_unsafe) */
    VEC(const FdNode *) nonempty; /* reductions whose emptiness the plan itself reports */
    int nrings;                   /* of the kernel that is being made */
    const UnitRing *rings;
    struct Interior *interior; /* of the recurrence asked about last (value/read/interior.h) */
    uint32_t *uses;            /* by node id: how many nodes use it */
    size_t nnodes;             /* ids are below */
} Unit;

/* What is computed: the let's body over its variables, into the result or a temporary. */
typedef struct Def { /* of a recurrence, node->self stands for it in the body */
    const FdNode *node;
    int temp; /* -1: the result */
    int nvars;
    const FdNode *const *vars;
    const FdDom *doms;
    const FdNode *body;
    bool copy; /* of a temporary that is kept: into the result that it is (def_copy) */
    /* Its last two variables are one: what it was made from, and how (schedule/flat.c). NULL: not so */
    const struct Def *apart;
    const struct FdFlat *flat;
} Def;

/* Its elements are to be computed no more than once: they go where it reads (FdGraph.into). */
bool def_is_once(const Unit *u, const Def *d);

/* What stores a temporary that is kept, d, as the result that it is: its own elements, which are elsewhere
 * (a ring). */
Def def_copy(Unit *u, const Def *d);

/* No kernel can do what this node (or NULL) says: the evaluation is the host's. */
void unit_give_up(Unit *u, const char *why, const FdNode *at);

/* Numbers of ranges; they give up if plans cannot say them. */
Num *plan_lo(Unit *u, const FdDom *d); /* lower bound of a closed range */
Num *plan_n(Unit *u, const FdDom *d);  /* its length, not negative */
/* Of what a read applies: a slot, or the recurrence being computed. */
Num *plan_array_lo(Unit *u, const FdNode *array, int dim);
Num *plan_array_hi(Unit *u, const FdNode *array, int dim);
Num *plan_array_n(Unit *u, const FdNode *array, int dim);
/* Where plane `leaf` of `count` elements begins, in bytes (fd_plane_offset); the bytes of all. */
Num *plan_plane(Unit *u, const FdType *t, int leaf, Num *count);
Num *plan_bytes(Unit *u, const FdType *t, Num *count);
/* Combinations of the values of n closed ranges. */
Num *plan_elements(Unit *u, int n, const FdDom *doms);
void plan_line(Unit *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Can elements of the arrays that a definition gathers, in lanes of a variable (or NULL), be told apart
 * by ints, and is there one to read in place of others? */
Num *plan_sized(Unit *u, const Def *d, const FdNode *lanes);
/* The flag CS_STREAM: is a result so large that the caches lose it before it is read again? */
void plan_stream(Unit *u, const Def *d);
const UnitRing *unit_ring(const Unit *u,
                          int temp);    /* where its rows are; NULL: it is stored whole */
int unit_kept(const Unit *u, int temp); /* the result that it is plus 1; 0: it is none */
int plan_temp(Unit *u, Num *bytes);     /* a new temporary buffer; its number */
/* Is true if a read of the definition can fall outside; the constant true if only the device can
 * tell. Lists the reads in u->suspects. */
Num *plan_unsafe(Unit *u, const Def *d);
bool is_suspect(const Unit *u, const FdNode *read); /* is it in that list? */
/* The same of a definition of which ranges were narrowed and conditions dropped: what inference knew
 * of its reads is not asked. */
Num *plan_outside(Unit *u, const Def *d);

/* Is true if a read that is made, as its guards have it, can fall outside: if not, no kernel of the
 * definition reports an index. */
Num *plan_fails(Unit *u, const Def *d);

/* The reads of a body of the definition that may fall outside under the facts, and in which
 * dimension. In the arena. */
typedef struct PlanSuspects {
    int n;
    const struct PlanSuspect {
        const FdNode *node;
        int dim;
    } * reads;
    bool calls; /* functions that read: only they know their indices */
} PlanSuspects;
struct FdFacts;
PlanSuspects plan_suspects(Unit *u, const Def *d, const FdNode *body, struct FdFacts *f);

bool reduction_is_closed(const FdNode *reduce); /* ranges known beforehand */
/* An associative and commutative operation (over closed ranges): any part of it can come first. */
bool reduction_reorders(const FdNode *reduce);
bool reduction_splits(const FdNode *reduce); /* by an elementary operation */
/* Can operands and operation be computed in lanes of v, its own or another, and in any order? */
bool reduction_in_lanes(const FdNode *reduce, const FdNode *v, unsigned allowed);
bool reduction_has_identity(const FdNode *reduce); /* else an empty one is an error */
bool reduction_known_nonempty(const Unit *u, const FdNode *reduce); /* the plan reports if not */
/* What combines with any operand to that operand, of an elementary operation: also of min and max. */
bool reduction_identity(const FdNode *reduce, ScalarValue *v);
bool node_is_closed(const FdNode *n); /* uses no bound variable */
int site_of(const FdNode *n);         /* its number in the order; -1: passes made it from nothing */
const char *fresh_name(Unit *u, const char *stem);
ScalarKind result_kind(const FdNode *n); /* of a scalar node */
size_t widest_bytes(const FdNode *n);    /* the widest scalar type among a node's values */

/* How a read of an array moves when v grows by one. */
typedef enum Movement { MOVES_NOT, MOVES_UNIT, MOVES_FAR } Movement;
Movement read_movement(const FdNode *read, const FdNode *v);
/* By how many elements of memory it moves, 2 to 4 or -1: vectors hold them all. 0: it does not. */
int read_stride(const FdNode *read, const FdNode *v);
bool reads_along(const FdNode *n, const FdNode *v); /* is there a read that moves by one? */
/* Is n the read of an array: slot(index..), or of the recurrence itself? */
bool is_read(const FdNode *n);
bool reads_some(const FdNode *n); /* is there a read in it? */
bool is_make(const FdNode *n);
bool is_field(const FdNode *n);
/* The read whose element n is a field of, or a field of a field; NULL if it is no such thing. */
const FdNode *field_of_read(const FdNode *n);
/* KIR_V1 or KIR_V2 if all of it, but for indices, is arithmetic of bytes (and shorts) that vectors of
 * any length have; else 0. */
int lanes_narrow(const FdNode *n, const FdNode *v);
/* Can lanes of v be computed side by side? Reads stay, move by one or go where elements of arrays say.
 * What more is allowed: */
enum {
    LANES_NOTED = 1, /* what can fail: it is noted (Gen.checks) */
    LANES_FAR = 2    /* reads that move in larger steps */
};
/* NULL, or why not, and (unless `at` is NULL) the node that stands in the way. Nodes in `given` are
 * there already. */
const char *lanes_refused(const FdNode *n, const FdNode *v, unsigned allowed, int count,
                          const FdNode *const *given, const FdNode **at);
bool lanes_possible(const FdNode *n, const FdNode *v, unsigned allowed);
/* How many vectors side by side pay: several where functions loop, whose steps wait for each other; fewer
 * with 16 registers than with 32. */
typedef struct LanesCopies {
    int wide, narrow; /* vectors of 64 bytes; shorter ones */
} LanesCopies;
LanesCopies lanes_copies(const FdNode *n);

/* ---- one kernel ------------------------------------------------------------------------------ */

typedef struct GenBinding {
    const FdNode *var;
    const KirExpr *value; /* idx_t: the variable's value (of lane 0, if it is the lane variable) */
    const KirExpr *at;    /* counted from the begin of its range; NULL: unknown */
} GenBinding;

typedef struct GenRange { /* in place of what its bounds say */
    const FdNode *var;
    const KirExpr *lo, *n;
} GenRange;

typedef struct GenMemo {
    const FdNode *node;
    const KirExpr *value;
    int before; /* what was known of the node in the block around, as in GenMemos.at */
} GenMemo;

typedef struct GenMemos { /* values already in a variable, valid in this block */
    VEC(GenMemo) list;
    VEC(int) at; /* by node id: its newest, counted from 1 */
} GenMemos;

/* What a kernel does about reads that can fall outside and divisions that can fail. */
typedef enum GenChecks {
    GEN_PROVED,  /* nothing: it is run only when none can */
    GEN_CHECKED, /* scalar kernels: the first failure is reported */
    GEN_NOTED    /* an element inside is read instead; that it happened is noted at the end, and a
                 checked kernel does the work again */
} GenChecks;

typedef struct Gen {
    Unit *u;
    const char *name;
    KirBlock *block;        /* where statements go */
    KirBlock head;          /* statements before all others: pointers to planes */
    bool user;              /* a user function, not a kernel */
    int lanes;              /* of vectors: a KIR_V.. */
    const FdNode *lane_var; /* grows by one a lane; NULL: scalar code */
    /* The lanes that are active, bools in lanes; NULL: all. What may fail asks it: a lane that is
     * not active neither reads nor reports. */
    const KirExpr *mask;
    bool sums;                      /* reductions in scalar code are in lanes (sums.c) */
    bool body;                      /* of a user function that is written out in lanes */
    VEC(struct PlanSuspect) proved; /* not suspect in this block */
    VEC(GenRange) ranges;           /* that a nest gives variables in this block */
    const PlanSuspects *here;       /* where not the unit's suspects count; NULL: they do */
    GenChecks checks;
    const KirExpr *noted[2]; /* was something noted: by scalars, by lanes; NULL: not asked */
    bool stream;             /* vectors of the result go past the caches */
    int beside;              /* copies of what is made here that stand side by side; 0: one */
    VEC(KirParam) params;
    VEC(const char *) args; /* plan text of each argument */
    VEC(GenBinding) vars;
    GenMemos memo, indices; /* values, and indices as idx_t */
    size_t made;            /* operations so far */
} Gen;

/* The type of values of a type, whose struct is printed if it is a record; the same in lanes. */
KirType gen_type(Unit *u, const FdType *t);
KirType gen_type_in(Unit *u, const FdType *t, int lanes);
KirType gen_widen(Unit *u, KirType t, int lanes); /* of one lane */
/* e in each lane: e itself if it has them. */
const KirExpr *gen_splat(Unit *u, int lanes, const KirExpr *e);
Gen gen_begin(Unit *u, const char *stem, KirBlock *body);
/* Prints the kernel and frees the Gen's lists; gen_run comes before. */
void gen_end(Gen *g, KirBlock *body);
/* The kernel, which is to be given statements, does nothing unless something was noted. */
void gen_only_again(Gen *g);
KirStmt *gen_with_head(Gen *g, const KirBlock *body); /* the head's statements, then these */
void gen_free(Gen *g);                                /* the lists only */
/* The same statements, with no more than some tens of conditionals inside each other. */
KirStmt *flatten_branches(Unit *u, KirStmt *body);
/* run NAME when WHEN global GLOBAL local LOCAL args ... (when may be NULL; dims: at least 1) */
void gen_run(Gen *g, Num *when, int dims, Num *const global[3], Num *const local[3]);

/* The value of a node at the bound variables' current values; in lanes when it depends on the lane
 * variable (or kir_splat asks for them). Emits statements for reductions and branches.
 */
const KirExpr *gen_value(Gen *g, const FdNode *n);
/* Can lanes differ in the node's value: does it use the lane variable, or a variable that is bound
 * to lanes? */
bool gen_varies(const Gen *g, const FdNode *n);
/* The same for an index, as idx_t, lane 0's when it moves with the lane variable. */
const KirExpr *gen_index(Gen *g, const FdNode *n);
const KirExpr *gen_element(Gen *g, const FdNode *n); /* of a local array, its index checked */
const KirExpr *gen_read(Gen *g, const FdNode *n); /* a read, or the value of a temporary scalar */
/* Field n of an element: only its planes are read. NULL if the element is known already. */
const KirExpr *gen_read_field(Gen *g, const FdNode *n);
/* Asks for the memory that some reads of a body need in lanes `by` positions of a variable further on;
 * v NULL: of that in lanes. */
void gen_ahead(Gen *g, const FdNode *body, const FdNode *v, const KirExpr *by);
bool divides_safely(const FdNode *n); /* by a constant that is neither 0 nor -1, or no division */
bool divides_surely(const FdNode *n); /* the same, or by what is above 0, as Periodic does */
bool gen_is_suspect(const Gen *g, const FdNode *read); /* can fall outside */
/* Over n values of a variable from the one that it is bound to: does dimension d of a read, which
 * moves by one with it, leave the array? */
const KirExpr *gen_leaves(Gen *g, const FdNode *read, int d, const KirExpr *n);
/* Notes that `failed` (a bool, or a mask in lanes) holds for some active lane. */
void gen_note(Gen *g, const KirExpr *failed);
/* The last statement of a kernel that notes, to g->block: tells the error buffer. */
void gen_tell(Gen *g);
void gen_bind(Gen *g, const FdNode *var, const KirExpr *value);
/* The same by its distance from the begin of its range. */
void gen_bind_at(Gen *g, const FdDom *d, const FdNode *var, const KirExpr *at);
const KirExpr *gen_zero(Arena *a, KirType t);
/* A variable holding e. */
const KirExpr *gen_variable(Gen *g, const char *stem, const KirExpr *e);
/* The same for what a loop's test would work out in every turn: e itself where that costs nothing. */
const KirExpr *gen_reckoned(Gen *g, const char *stem, const KirExpr *e);
const KirExpr *gen_global_id(Gen *g, int dim);
const char *gen_var_name(Gen *g, const FdNode *v); /* a fresh name for a loop over v */

/* Statements go to `block` until gen_leave, which also forgets bindings and values made since. */
typedef struct GenScope {
    KirBlock *block;
    size_t nvars, nmemo, nindices, nproved, nranges;
} GenScope;
GenScope gen_enter(Gen *g, KirBlock *block);
void gen_leave(Gen *g, GenScope s);
void gen_remember(Gen *g, const FdNode *n, const KirExpr *value);
const KirExpr *gen_known(const Gen *g, const FdNode *n); /* remembered; NULL: not yet */
void gen_remember_index(Gen *g, const FdNode *n, const KirExpr *index);
const KirExpr *gen_known_index(const Gen *g, const FdNode *n);
const KirExpr *gen_bound(Gen *g, const FdNode *v); /* the value of a bound variable */
/* The value of what a block computes (gen_value), after what it computes in any case and several of
 * its parts use: no branch computes that anew, and no branch computes what it guards before. */
const KirExpr *gen_whole(Gen *g, const FdNode *n);
/* One side of a conditional that lanes take differently: result = its value in those active lanes that
 * take it, computed if there is one. */
void gen_where(Gen *g, const FdNode *n, const KirExpr *taken, const KirExpr *result);
bool gen_branches_at(const Gen *g,
                     const FdNode *n); /* can n itself fail, or does it cost a loop? */
/* Parameters, added once per kernel by name. */
const KirExpr *gen_param(Gen *g, const char *name, int kind, const char *plan_arg);
/* A number in the kernel: a constant, a macro, or a parameter of its own name, else of this. */
const KirExpr *gen_number(Gen *g, const char *name, Num *x);
void gen_add_param(Gen *g, KirParam p, const char *plan_arg);
const char *gen_output(Gen *g, const Def *d);                     /* the destination buffer */
const char *gen_temp(Gen *g, int temp, KirType t, bool writable); /* a schedule's temporary */
const KirExpr *gen_error(Gen *g);                                 /* the error buffer */
void gen_range(Gen *g, const FdDom *d, const FdNode *var, const KirExpr **lo, const KirExpr **n);
/* From here on the variable has this range, whatever its bounds are: they may be values of the body, too. */
void gen_give_range(Gen *g, const FdNode *var, const KirExpr *lo, const KirExpr *n);
/* Offset of a definition's element at the bound variables' current values. */
const KirExpr *gen_output_offset(Gen *g, const Def *d);
/* Stores the definition's value (lanes of it) at the bound variables' current values. */
void gen_store(Gen *g, const Def *d);
/* How far the bound position is behind a whole vector of the result, 0 if nothing is streamed. */
const KirExpr *gen_skew(Gen *g, const Def *d, const KirExpr *lanes);
void gen_fail(Gen *g, CgErrorKind kind, const FdNode *at); /* reports */
/* a op b, by elementary operation or user function. */
const KirExpr *gen_combine(Gen *g, const FdNode *fn, const KirExpr *a, const KirExpr *b);
/* Does it keep one of two records, and can it be told from less than all of them that it keeps what it
 * has come to (change.c)? */
bool reduction_keeps(const FdNode *reduce);
/* Of such a reduction: the lanes in which the value may change what it has come to. */
const KirExpr *gen_changes(Gen *g, const FdNode *reduce, const KirExpr *acc, const KirExpr *value);
/* The identity of a reduction's operation, or NULL. */
const KirExpr *gen_identity(Gen *g, const FdNode *reduce);
/* Loops over the first `to` variables of a reduction, innermost last; body(ctx) emits into g->block.
 */
typedef void GenBody(Gen *g, void *ctx);
void gen_loops_to(Gen *g, const FdNode *reduce, int to, GenBody *body, void *ctx);
/* Is there a reduction at or below n whose operands can be in lanes of its last variable, and joined? */
bool sums_in_lanes(const Unit *u, const FdNode *n);
const KirExpr *gen_sum_in_lanes(Gen *g,
                                const FdNode *n); /* where Gen.sums asks for it, else NULL */

/* ---- lanes under masks (value/masked.c) --------------------------------------------------------
 * A mask is a bool in lanes; NULL: all lanes. */
const KirExpr *gen_all_lanes(const Gen *g);
const KirExpr *gen_any(const Gen *g, const KirExpr *mask); /* a scalar: is a lane active? */
const KirExpr *gen_mask_and(const Gen *g, const KirExpr *x, const KirExpr *y); /* x may be NULL */
const KirExpr *gen_mask_not(const Gen *g, const KirExpr *x);
/* x where the mask holds, else y: in lanes, records field by field. */
const KirExpr *gen_blend(Gen *g, const KirExpr *mask, const KirExpr *x, const KirExpr *y);
/* The value of a user function's body for arguments of which some are in lanes; emits its
 * statements. */
const KirExpr *gen_expand(Gen *g, const FdUser *user, const KirExpr *const *args);
/* The value of a statement's expression: its own uses of a node count, not those of others. */
const KirExpr *gen_stmt_value(Gen *g, const FdNode *expr);

/* A call of a user function, which is printed at its first; in lanes its body is written out. */
const KirExpr *gen_call(Gen *g, const FdUser *user, int n, const KirExpr *const *args);
bool node_can_fail(const FdNode *n); /* divides integers, itself or in a function it calls */
void count_uses(const FdNode *n, uint32_t *uses); /* adds those below n */
void unit_count(Unit *u, const FdNode *n);        /* of an expression that was made since */
/* Can its calls be computed whether they are needed or not: it does not fail, and takes few steps? */
bool user_is_plain(const FdUser *user);
bool user_reads(const FdUser *user); /* does its body read arrays? After fd_specialise */

/* Prints a function, or a kernel; keeps it with a copy of its parameters. */
void unit_print(Unit *u, KirFunc f);

/* Emits the kernels and plan lines of all definitions, the result last (schedule/). */
void schedule_all(Unit *u, int n, const Def *defs);

#endif
