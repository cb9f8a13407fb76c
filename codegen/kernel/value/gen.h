/* One kernel under construction: its parameters, what is bound and known in the block that statements go
 * to, and the values of nodes as kernel IR. */
#ifndef CS_CODEGEN_GEN_H
#define CS_CODEGEN_GEN_H

#include "../analysis/analysis.h"
#include "../ir/kir.h"

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
    const FdNode *uneven; /* in lanes, of a range that differs from lane to lane; NULL: none is */
    bool sums;            /* reductions in scalar code are in lanes (sums.c) */
    bool body;            /* of a user function that is written out in lanes */
    VEC(struct PlanSuspect) proved; /* not suspect in this block */
    VEC(GenRange) ranges;           /* that a nest gives variables in this block */
    const PlanSuspects *here;       /* where not the unit's suspects count; NULL: they do */
    GenChecks checks;
    const KirExpr *noted[2]; /* was something noted: by scalars, by lanes; NULL: not asked */
    Num *quiet;              /* then it reports nothing; NULL: as the definition (def_quiet) */
    int nrings;              /* temporaries of which this kernel has rows */
    const UnitRing *rings;
    const Num
        *row; /* what is computed is this saved row, of rows saved alike; NULL: rows that move on */
    const KirExpr
        *round;  /* NULL, or how far rings' rows are from those computed, which went round */
    bool stream; /* vectors of the result go past the caches */
    /* Results may lie over slots: each element is stored once, after what is read there */
    bool over;
    bool again;       /* gen_only_again */
    const char *cuts; /* how its items may be divided, for the plan; NULL: nobody knows */
    int64_t items[3]; /* KirFunc.items */
    const struct GenBatch
        *batch; /* rows that are turned in private memory here; NULL: there are none */
    int beside; /* copies of what is made here that stand side by side; 0: one */
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
/* In this block what moves (FdGraph.moving) has the values of turn number `level`. */
void gen_moving(Gen *g, const KirExpr *level);
const KirExpr *gen_read(Gen *g, const FdNode *n); /* a read, or the value of a temporary scalar */
/* Field n of an element: only its planes are read. NULL if the element is known already. */
const KirExpr *gen_read_field(Gen *g, const FdNode *n);
/* Asks for the memory that some reads of a body need in lanes `by` positions of a variable further on;
 * v NULL: of that in lanes. */
void gen_ahead(Gen *g, const FdNode *body, const FdNode *v, const KirExpr *by);
bool gen_is_suspect(const Gen *g, const FdNode *read); /* can fall outside */
/* Over n values of a variable from the one that it is bound to: does dimension d of a read, which
 * moves by one with it, leave the array? */
const KirExpr *gen_leaves(Gen *g, const FdNode *read, int d, const KirExpr *n);
/* Is the index of dimension d, an int, outside of the array? In lanes where it varies. */
const KirExpr *gen_beyonds(Gen *g, const FdNode *read, int d);
/* How long dimension d of its array is, and where the last whole vector along it begins. */
const KirExpr *gen_length(Gen *g, const FdNode *read, int d);
const KirExpr *gen_last_vector(Gen *g, const FdNode *read, int d);
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
void gen_forget(GenMemos *made, const FdNode *n);  /* in this block */
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
/* A number in the kernel: a constant, a macro, or a parameter of this name; gen_named: of the number's own, if it
 * has one (num_name). */
const KirExpr *gen_number(Gen *g, const char *name, Num *x);
const KirExpr *gen_named(Gen *g, const char *name, Num *x);
void gen_add_param(Gen *g, KirParam p, const char *plan_arg);
const char *gen_output(Gen *g, const Def *d);                     /* the destination buffer */
const char *gen_temp(Gen *g, int temp, KirType t, bool writable); /* a schedule's temporary */
const UnitRing *gen_ring(const Gen *g, int temp); /* where its rows are; NULL: it is stored whole */
const UnitRing *gen_ring_row(const Gen *g, int temp,
                             const Num *row); /* where it saves this row; NULL: nowhere */
const KirExpr *gen_error(Gen *g);             /* the error buffer */
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
/* ---- batches (value/read/batch.c) ----
 * Rows of arrays at the positions that are in lanes, in private memory with the lanes fastest, of up to `most`
 * elements each; those of the result, too. Reads and stores go there until the end, which stores the result. */
typedef struct GenBatch {
    const Def *def;
    Batch of;
    const char *names[BATCH_ARRAYS], *out;
} GenBatch;
void gen_batch_begin(Gen *g, GenBatch *b, Num *most);
void gen_batch_end(Gen *g, const GenBatch *b);
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
/* What the lanes of x come to by a reduction's operation; can values of a kind be joined so? */
bool gen_can_join(ScalarKind k);
const KirExpr *gen_join_lanes(Gen *g, const FdNode *reduce, const KirExpr *x);
/* Does the range of a reduction differ from lane to lane? Its value then (value/uneven.c). */
bool gen_is_uneven(const Gen *g, const FdNode *reduce);
const KirExpr *gen_uneven(Gen *g, const FdNode *reduce);

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
/* Can its calls be computed whether they are needed or not: it does not fail, and takes few steps? */
bool user_is_plain(const FdUser *user);

#endif
