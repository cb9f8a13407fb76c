/* Shared by the schedules: the text being made for one evaluation (Unit), and one array or scalar to be
 * computed (Def). Internal to codegen.
 */
#ifndef CS_CODEGEN_UNIT_H
#define CS_CODEGEN_UNIT_H

#include "../../base/vec.h"
#include "codegen.h"
#include "ir/kir.h"
#include "node.h"
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

/* Rows of a temporary that one kernel makes and uses (schedule/bands/bands.h): each work-item keeps
 * the last `keeps` of them, row by row, each with all that the other dimensions have. */
typedef struct UnitRing {
    int of;   /* the temporary that they are rows of */
    int temp; /* where they are */
    int dim;  /* that counts them */
    Num *keeps;
    Num *elements;       /* of all work-items' in that memory: planes of records are so long */
    const KirExpr *slab; /* where the work-item's begin */
    Num *
        row; /* NULL, or this is a row of the same index for all readers, for reads of that index alone */
    /* NULL, or rows go round and are known by the places that they had before: that of the newest, and how many rows there are */
    const KirExpr *newest, *rows;
} UnitRing;

/* How many nodes use a node, by its id; ids are below n. */
typedef struct UnitUses {
    uint32_t *of;
    size_t n;
} UnitUses;

typedef struct Unit {
    Arena *arena;
    Fd *fd;
    const CgOptions *options;
    const FdGraph *g;     /* after the back passes */
    const FdOrder *order; /* of the graph as it was given: numbers of slots and sites */
    int ninputs;          /* slots from here on are temporaries */
    int *plan_slot;       /* slot -> its number in the plan; temporaries -> temporary number */
    int nbeside; /* results that are the fields of the root's values (passes/beside.c); 0: it is one */
    bool steps; /* of a loop: FD_HINT_STEPS */
    bool over;  /* results beside each other may lie over slots: FD_HINT_OVER */
    int *kept;  /* temporary number -> the result that it is plus 1, 0: none */
    int nkept;
    Text plan, types, functions, kernels;
    VEC(KirFunc) funcs; /* all that functions and kernels hold, in that order each */
    Text *schedule;     /* NULL, or where the nests are printed */
    Numbers *numbers;
    int ntemps;           /* temporaries of the plan so far */
    int nnames;           /* for fresh names */
    int ndrawn;           /* parameters so far (plan/draw.h) */
    const int64_t *given; /* of each, INT64_MIN: nothing */
    CgAsked *asked;       /* NULL, or what recipes ask for */
    bool streams;         /* the plan says when results go past the caches */
    const FdLoc *places;  /* where the nodes that `order` numbers stand */
    bool host_only;       /* something no kernel can do: unit_give_up */
    bool shares;          /* fd_shares_work: results are better made at once, whatever the forms */
    const char *gave_up;  /* the first reason.. */
    const FdNode *gave_up_at;     /* ..and its node, if there is one */
    VEC(UnitUser) users;          /* printed so far */
    VEC(UnitRecord) records;      /* printed so far */
    const struct Def *def;        /* the definition being scheduled: what its `self` reads */
    VEC(const FdNode *) nonempty; /* reductions whose emptiness the plan itself reports */
    UnitUses uses;                /* of the graph's nodes */
    int ndefs;
    const struct Def *defs; /* all, in the order in which they are computed */
} Unit;

/* Reads that nobody has proved to be inside, and in which dimension. */
typedef struct PlanSuspects {
    int n;
    const struct PlanSuspect {
        const FdNode *node;
        int dim;
    } * reads;
    bool calls; /* functions that read: only they know their indices */
} PlanSuspects;

/* What is known of a definition: each is worked out when it is first asked for, by the function named. */
typedef struct DefFacts {
    Num *quiet;                /* def_quiet; NULL: nobody has asked */
    bool listed;               /* suspects are there */
    PlanSuspects suspects;     /* def_suspects */
    struct Interior *interior; /* of a recurrence: interior_of */
    struct Interior *slices;   /* interior_of_slices */
    const FdNode **inside;     /* NEST_CONDS conditions at most: def_conditions */
    int ninside;
    bool guessed;  /* that the inside is most of it */
    UnitUses uses; /* of the nodes of a body that was made since; n 0: Unit.uses has them */
    bool in_lanes; /* some nest of it has lanes, or goes by key */
    bool notes;    /* some kernel of it notes what fails */
    bool abreast;  /* its rows side by side have nests already */
} DefFacts;

enum { DEF_CONDITIONS = 8 };
/* What a reduction takes where all of these hold: its body; elsewhere nothing. */
typedef struct DefWithin {
    const FdNode *reduce;
    int n;
    const FdNode *conds[DEF_CONDITIONS]; /* affine, each of a variable of the reduction */
    const FdNode *value; /* the body where they hold, else the operation's identity */
    int nexact;
    const FdNode
        *exact[2 * DEF_CONDITIONS]; /* ints that must not wrap for the conditions to be so */
} DefWithin;

/* A variable that two of a reduction became, the last of which was `of`. */
typedef struct DefJoined {
    const FdNode *var, *of;
} DefJoined;

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
    /* Arrays over the ranges of its reductions, whose elements are stored where these take their values
     * (schedule/schedule_beside.c) */
    int nbeside;
    const struct Def *const *beside;
    const struct Def *of; /* the definition that this is another form of; NULL: it is one itself */
    bool anew;            /* with what it would read of temporaries (schedule/schedule_anew.c) */
    /* Its reductions have ranges that are the same for all elements, and take part where conditions hold only
     * (schedule/schedule_closed.c); 0: it is no such form */
    int nwithin;
    const struct DefWithin *within;
    /* Its body under conditions that hold for all elements, and when that is so (schedule/schedule_plain.c); NULL: it is
     * no such form */
    Num *plain;
    /* Its reductions go over whole arrays by variables that were two each (schedule/flat.c); 0: they do not */
    int njoined;
    const struct DefJoined *joined;
    bool near; /* what it reads at a few known last indices is read flat (schedule/flat.c) */
    /* Its values are records of so many elements that follow each other in memory, of which it has one variable less than
     * the array (schedule/schedule_abreast.c); 0: they are none */
    int abreast;
    /* Of a recurrence its elements where its first variable, this one, is `at` (schedule/schedule_slice.c) */
    const FdNode *slice;
    FdDom slices;
    Num *at;
    /* Variables that it divided are quotients and remainders, of which it has more than the array
     * (schedule/schedule_split.c); NULL: not so */
    const struct FdSplit *split;
    bool noting; /* nests of it note what fails (GEN_NOTED) */
    DefFacts *facts;
} Def;

/* In the arena, with facts of its own: the same definition in another form. */
Def *def_form(Unit *u, const Def *of);
/* Of a variable of the definition (an FdRangeOf); NULL: it is none. */
const FdDom *def_range(const void *def, const FdNode *v);
/* The definition that it is a form of, or itself. */
const Def *def_given(const Def *d);
/* Of d, what stands in its body and `more` counts (unit_uses), and nothing else of the unit. */
void def_count(Unit *u, const Def *d, int n, const FdNode *const *more);

/* The conditions of a reduction of d; NULL: it has none. */
const DefWithin *def_within(const Def *d, const FdNode *reduce);

/* Its elements are to be computed no more than once: they go where it reads (FdResult.part, FD_HINT_OVER). */
bool def_is_once(const Unit *u, const Def *d);

/* What stores a temporary that is kept, d, as the result that it is: its own elements, which are elsewhere
 * (a ring). */
const Def *def_copy(Unit *u, const Def *d);

/* No kernel can do what this node (or NULL) says: the evaluation is the host's. */
void unit_give_up(Unit *u, const char *why, const FdNode *at);

void count_uses(const FdNode *n, uint32_t *uses); /* adds those below n */
UnitUses *unit_uses(Unit *u);                     /* as the definition being scheduled has them */
uint32_t unit_used(const Unit *u, const FdNode *n);
void unit_count(Unit *u, const FdNode *n); /* of an expression that was made since */
void unit_count_all(Unit *u, int n,
                    const FdNode *const *nodes); /* of some that are made side by side */

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
/* The flag CS_STREAM: is a result so large that the caches lose it before it is read again? */
void plan_stream(Unit *u, const Def *d);
int unit_kept(const Unit *u, int temp); /* the result that it is plus 1; 0: it is none */
int plan_temp(Unit *u, Num *bytes);     /* a new temporary buffer; its number */
/* May n be a reduction without identity over nothing, which the plan does not report? For fd_any. */
bool unit_is_empty(const void *unit, const FdNode *n);
/* Is it a scalar that is another one in each turn (FdGraph.moving)? */
bool unit_moves(const void *unit, const FdNode *n);
int site_of(const FdNode *n); /* its number in the order; -1: passes made it from nothing */
const char *fresh_name(Unit *u, const char *stem);

/* Prints a function, or a kernel; keeps it with a copy of its parameters. */
void unit_print(Unit *u, KirFunc f);

/* Emits the kernels and plan lines of all definitions, the result last (schedule/). */
void schedule_all(Unit *u, int n, const Def *defs);

#endif
