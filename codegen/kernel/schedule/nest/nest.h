/* Kernels as data. A nest computes a definition, or some stage of it, in one launch: axes (what is
 * looped over), a tree of loops with steps between them, and holds (values kept somewhere for a
 * while). Recipes (../recipes) build nests, print.c prints them and read.c reads them back
 * (docs/kernels.md); ../verify says what is legal; lowering (kernel.c, hold.c, result.c) makes each a
 * kernel and a `run` line of the plan.
 *
 *   nest contract when large                   c(i, j) = sum(k, a(i, k) * b(k, j))
 *     result + (a(i, k) * b(k, j))
 *     registers i times 12, j times 2 by V4
 *     vectors j
 *     group j by NR dim 0 clamp
 *       hold b private along k times KB across j times NR vectors 2 = b(k, j)
 *       loop i by 12 clamp
 *         start
 *         loop k
 *           unroll i times 12
 *             unroll j by V4 times 2
 *               lanes j
 *                 take
 *         give
 *
 * After Halide's loop nests (Ragan-Kelley et al., PLDI 2013) and TVM's tensor expressions; whether a
 * form is worth it is the recipes' affair: each says what it needs and leaves no trace where it does
 * not apply.
 */
#ifndef CS_CODEGEN_NEST_H
#define CS_CODEGEN_NEST_H

#include "../../analysis/scan.h"
#include "../../analysis/wave.h"
#include "../../value/gen.h"

enum { NEST_READS = -2 }; /* of AHEAD: what the next GIVE reads in lanes */

enum {
    NEST_AXES = FD_MAX_RANK + 4,
    NEST_HOLDS = 24,
    NEST_RESULTS = 8,
    NEST_CARRIED = 4,
    NEST_BOXES = 4,
    NEST_CONDS = 64,
    NEST_FIXED = 16 /* rows that all rows read */
};

/* What is looped over: the values of one variable, or the combinations of several, the last fastest.
 * Positions are counted from 0; the variables are bound to what a position stands for. */
typedef struct NestAxis {
    const char *name;
    int nvars; /* 0: no variable: parts of a reduction */
    const FdNode *const *vars;
    const FdDom *doms;
    Num *n;    /* positions; NULL: known in the kernel only */
    Num *from; /* of one variable: where they begin, NULL: with the first value */
    Num *to;   /* where they end, NULL: with the last */
    bool down; /* of an ordered axis: from the last to the first */
} NestAxis;

/* steps.def says what each is. */
typedef enum NestBind {
#define BIND(name, word, ...) NEST_##name,
#define STEP(name, word, lower, verify, ...)
#include "steps.def"
} NestBind;

typedef enum NestTail {            /* when the last step is not whole */
                        NEST_CUT,  /* it ends where the loop around it ends */
                        NEST_BACK, /* it begins earlier: elements are computed twice */
                        NEST_CLAMP, /* what lies beyond reads the last element; `give` leaves it out */
                        NEST_SLIDE, /* of groups: back where there are positions enough, else clamp */
                        NEST_GUARD, /* an if */
                        NEST_WHOLE, /* left out: the next loop over the axis goes on from there */
                        NEST_MASKED /* of a reduction in lanes: those behind the end take nothing */
} NestTail;

typedef enum NestKind {
#define BIND(name, word, ...)
#define STEP(name, word, lower, verify, ...) NEST_##name,
#include "steps.def"
} NestKind;

typedef enum NestSpace { NEST_REGISTERS, NEST_PRIVATE, NEST_LOCAL, NEST_GLOBAL } NestSpace;

typedef struct NestStep {
    NestKind kind;
    int axis; /* FOR, PLACE, AHEAD (-1: none) */
    NestBind bind;
    NestTail tail;
    int dim;        /* GROUP, ITEM */
    Num *step;      /* FOR: positions that one turn covers; NULL: 1; AHEAD: steps, elements */
    Num *count;     /* FOR: turns, NULL: to the end; PLACE; AHEAD: lines, NULL: one */
    int hold;       /* HOLD, AHEAD; -1: where the next GIVE reads and writes; NEST_READS */
    int box;        /* IN .. UNLESS */
    int begin, end; /* TAKE: of these reductions */
    bool pieces;    /* FILL: all of a panel's width, a vector or square after the other */
    bool rare;      /* FOR: of few turns; to be built as it is */
    Num *run;       /* UNROLL: of so many copies side by side; NULL: each by itself */
    bool staged;    /* FOR: the next turn's local memory is fetched while this turn uses its own */
    struct NestStep *first, *last, *next;
} NestStep;

/* An operand, kept. In REGISTERS with an axis `along`, a square: as many vectors as they have lanes,
 * evaluated in lanes of `across` and turned into lanes of `along`. */
typedef struct NestHold {
    const char *name;
    const FdNode *value;
    NestSpace space;
    int temp;    /* GLOBAL: the temporary that a nest before fills and this one reads */
    bool filled; /* GLOBAL: by a nest before */
    int batch;   /* GLOBAL: axis of which each position has its own; -1 */
    int along;   /* axis of the reduction: k of them, -1: none; REGISTERS: see below */
    Num *depth;  /* how many */
    Num *
        reach; /* GLOBAL: of all blocks of so many, which lie one after the other; NULL: one block */
    int across; /* axis of the result; -1: none */
    Num *width; /* how many of it side by side; REGISTERS: values or vectors */
    Num *
        vectors; /* the same in vectors, where it can be evaluated in lanes of `across`, else NULL */
    bool turned; /* a panel is filled by squares, evaluated in lanes of `along` */
} NestHold;

/* Where results of reductions stay between nests, or between blocks of one: an element for each
 * position of `axes`, the last fastest. Of the axis of the reduction itself: for each of its groups. */
typedef struct NestPart {
    int temps[NEST_RESULTS]; /* one a reduction; -1: the result of the definition itself */
    int naxes;
    int axes[NEST_AXES];
    Num *lengths[NEST_AXES]; /* at least the axis' own */
} NestPart;

/* Results by key: SCATTER finds positions of `axis`, over which there is no loop, from the values of
 * the reductions (keys.h). Each copy of a loop over them has parts of its own, by `tables`. */
typedef struct NestKeys {
    int axis, tables; /* axis -1: there are no keys; tables -1: one for all copies */
    Num *
        entries; /* a group has its tables in local memory, of so many entries in all; NULL: parts */
    Num *copies;  /* of each key */
    bool ordered; /* values are noted, and JOIN takes them in order; else by atomic operations */
} NestKeys;

/* Results of the reductions are in registers: for each position of an unrolled axis its own. */
typedef struct NestRegs {
    int axis;
    Num *count, *step;
    Num *run; /* so many side by side, the next so many a step further; NULL: one */
} NestRegs;

/* Conditions on where the kernel is (fd_interior): the definition is simpler where all hold. Along an
 * axis they hold from some position to another, or, those of variables bound around, at all or none; else
 * all are of such. */
typedef struct NestBox {
    const char *name;
    int axis;   /* of one variable; -1: none */
    Num *least; /* fewer positions than that are none; NULL: any number */
    int nconds;
    const FdNode *const *conds;
} NestBox;

/* What the definition computes at a place: its body under what holds there. */
typedef struct NestBody {
    unsigned place; /* nest_at of the boxes around */
    const FdNode *node;
    PlanSuspects suspects;
    bool counted; /* how often its nodes are used: what recipes only try counts for nothing */
    struct NestBody *next;
} NestBody;

/* Tiles of a wavefront, those of one diagonal side by side: `give` is for all of one. */
typedef struct NestWave {
    const Wave *of; /* NULL: it is none */
    int axes[2];    /* rows, columns */
    Num *steps[2];  /* of a tile */
    Num *diagonal;
} NestWave;

/* The nest does the rows of one turn of a loop of the plan: it reads some of those before, which other ranks may have done. */
typedef struct NestTurns {
    int axis;         /* rows; -1: it is none of several turns */
    Num *turn, *step; /* this one's rows, one after the other in their order, are so many .. */
    Num *skip;        /* .. from here on */
    int back;         /* rows before these that it reads */
    int across; /* its groups along this axis read what is in their columns alone; -1: all is read */
} NestTurns;

typedef struct Nest {
    const char *name;
    const Def *def;
    Num *when; /* NULL: always */
    GenChecks checks;
    bool again;  /* runs only if an earlier nest noted something */
    bool stream; /* vectors of the result go past the caches */
    int lanes;   /* KIR_V1 .. KIR_V16 */
    int naxes;
    NestAxis axes[NEST_AXES];
    int nholds;
    NestHold holds[NEST_HOLDS];
    int nreduces; /* those that START .. GIVE speak of */
    const FdNode *reduces[NEST_RESULTS];
    int nregs;
    NestRegs regs[2];
    int lanes_axis;   /* of the results' lanes; -1: none */
    bool scalar_give; /* what is around the reductions cannot be computed in lanes */
    NestPart part;
    NestKeys keys;
    int block_axis; /* GIVE: this axis of the reductions comes in blocks, earlier ones are in `part`;
                       -1: it does not */
    Num *block;
    const Interior *inside; /* `def` is that of an interior; NULL: the whole */
    int carry_axis;         /* of a recurrence: the last values along it stay in registers; -1 */
    int carried;            /* how many */
    const Scan *scan;       /* steps are taken together; NULL: one after the other */
    Num *scan_each,
        *scan_items; /* steps and work-items of a tile of a group; NULL: there are none */
    int nboxes;
    NestBox boxes[NEST_BOXES];
    NestBody **bodies; /* those asked for so far */
    NestWave wave;
    NestTurns turns;
    bool sums; /* reductions of an element are in lanes, where they can */
    /* Work-items that follow each other are patches of so many of dimension 1 by so many of dimension 0, which
     * divide the group's; 0: rows of dimension 0. */
    int patch[2];
    NestStep root;
} Nest;

/* ---- building ---------------------------------------------------------------------------------- */

const char *nest_word(const char *name); /* itself if it is a word of C, else "_" */
Nest *nest_new(Unit *u, const char *name, const Def *d, Num *when);
int nest_axis(Unit *u, Nest *n, int nvars, const FdNode *const *vars, const FdDom *doms);
int nest_axis_of(Unit *u, Nest *n, const Def *d, int from, int to); /* variables [from, to) */
int nest_axis_some(Unit *u, Nest *n, unsigned which); /* those of these bits; -1: there are none */
int nest_axis_parts(Nest *n, const char *name, Num *count);
/* Of a variable of the definition only the positions from `from` to `to`; NULL: the first, the last. */
void nest_axis_cut(Unit *u, Nest *n, int axis, Num *from, Num *to);
/* The nest computes the interior, of which it is a nest from here on. */
Nest *nest_inside(Unit *u, const char *name, const Interior *in, Num *when);
int nest_places(const Nest *n); /* of a part: results, or numbers of a step */
int nest_carry_dim(
    const Nest *n); /* the variable of the definition that values are carried along */
/* How far along it this read of the recurrence goes back, if that is carried; else 0. */
int64_t nest_carries(const Nest *n, const InteriorRead *read, int dim);
int nest_add_hold(Nest *n, NestHold h);

/* Steps, appended to `in`; step NULL: 1. */
NestStep *nest_step(Unit *u, NestStep *in, NestKind kind);
NestStep *nest_take(Unit *u, NestStep *in, int begin, int end);
NestStep *nest_loop(Unit *u, NestStep *in, int axis, Num *step, NestTail tail);
NestStep *nest_group(Unit *u, NestStep *in, int axis, int dim, Num *step, NestTail tail);
NestStep *nest_item(Unit *u, NestStep *in, int axis, int dim, Num *step, Num *count, NestTail tail);
NestStep *nest_unroll(Unit *u, NestStep *in, int axis, Num *step, Num *count);
/* The same in runs of copies side by side; run NULL: of one. */
NestStep *nest_unroll_runs(Unit *u, NestStep *in, int axis, Num *step, Num *count, Num *run);
/* Blocks of a reduction, whose operands are held in local memory: the first steps inside. Two blocks are there
 * in turn, and work-items wait for each other by themselves. */
NestStep *nest_staged(Unit *u, NestStep *in, int axis, Num *step);
NestStep *nest_lanes(Unit *u, NestStep *in, int axis);
NestStep *nest_place(Unit *u, NestStep *in, int axis, Num *count);
NestStep *nest_hold(Unit *u, NestStep *in, int hold);
NestStep *nest_ahead_give(Unit *u, NestStep *in); /* the next GIVE's memory */
/* What the GIVE so many positions further on reads: of an axis of one variable, -1: of that in lanes. */
NestStep *nest_ahead_reads(Unit *u, NestStep *in, int axis, Num *positions);
/* Of a panel what is taken so many steps later, so many lines of memory. */
NestStep *nest_ahead(Unit *u, NestStep *in, int hold, Num *steps, Num *lines);
/* Of the panel after a panel so many elements at each step: it has come after some turns over an axis. */
NestStep *nest_ahead_next(Unit *u, NestStep *in, int hold, int axis, Num *elements);
NestStep *nest_range(Unit *u, NestStep *in, int axis, bool shared);
/* The conditions under which a point of a definition lies inside (fd_interior): what boxes are made
 * of. */
int nest_conditions(Unit *u, const Def *d, const FdNode *const **out);
int nest_add_box(Nest *n, NestBox b);
NestStep *nest_part(Unit *u, NestStep *in, NestKind kind, int box);
/* Is a condition of the box one of variables around? Others bound its axis, or are numbers of the plan. */
bool nest_is_turn(const Nest *n, int box, const FdNode *cond);
/* What may be outside of the reads of a condition of a box: those of variables around are asked first, those
 * without reads before others, and where conditions of boxes around hold. */
PlanSuspects nest_condition(Unit *u, const Nest *n, unsigned place, int box, const FdNode *cond);
/* Can it be asked there? What may be outside has to be read there in any case. */
bool nest_condition_reads(Unit *u, const Nest *n, unsigned place, int box, const FdNode *cond);
/* The place that a step of this kind leads to from another; 0 is where nothing is known. */
unsigned nest_at(unsigned place, NestKind kind, int box);
/* Did such a step of the box lead there? */
bool nest_is_at(unsigned place, NestKind kind, int box);
/* Are its lanes of bytes or shorts, and bodies without reductions in these types (fd_narrow)? */
bool nest_is_narrow(const Nest *n);
/* The definition there; at place 0 its node is the body itself, whose suspects are the unit's, unless
 * it is narrow. */
const NestBody *nest_body(Unit *u, const Nest *n, unsigned place);
/* The same for code that is made of it: uses of its nodes count from now on. */
const NestBody *nest_body_lowered(Unit *u, const Nest *n, unsigned place);
/* Does a read of it that moves with v perhaps fall outside, so that lanes of v are not possible? */
bool nest_body_fails(const NestBody *b, const FdNode *v);
/* Is the axis (-1: none) one that reductions begin .. end - 1 combine over? */
bool nest_is_reduced(const Nest *n, int axis, int begin, int end);
/* Is there a loop over the axis from here on, or inside? Variables are bound where there is none. */
bool nest_loops_over(const NestStep *s, int axis);

/* The variables of the definition over which the axis of its keys is, as bits. */
unsigned nest_key_variables(const Nest *n);
/* Is there an atomic operation of 32 bits that combines values with such a result? */
bool nest_is_atomic(const FdNode *reduce);
/* The first step of a kind, and the first loop that is bound so, here or inside; NULL: there is none. */
const NestStep *nest_find(const NestStep *s, NestKind kind);
const NestStep *nest_find_loop(const NestStep *s, NestBind bind);
/* How many work-items the loop over them in a dimension, here or inside, has; NULL: there is none. */
Num *nest_items(const NestStep *s, int dim);

int nest_lanes_for(size_t bytes);         /* KIR_V4 or KIR_V8, for values of so many bytes */
Num *nest_lane_count(Unit *u, int lanes); /* V2, V4 or V8 as a number */

/* How far from a row of one definition the rows of another that it reads lie. */
typedef struct NestReach {
    int reads; /* by rows; 0: it does not */
    Num *low, *high;
    Num *
        round; /* NULL, or some read goes round: when that is by the number of rows that there are */
    Num *
        when; /* NULL, or some index is clamped: when that leads nowhere but between the row and where it would go */
    int nfixed; /* rows that it reads whatever its own row is; known before the launch */
    Num *fixed[NEST_FIXED];
} NestReach;
/* In a body whose rows are values of the variable `row`, or which has none (NULL), in this range (NULL: not known);
 * rows of the other are along its dimension dim. False: rows that depend on more than the row, or that are known on
 * the device only, or too many. */
bool nest_reach(Unit *u, const FdNode *body, const FdNode *row, const FdDom *rows, const Def *read,
                int dim, NestReach *out);
/* Is the array the temporary that this definition makes? */
bool nest_is_of(const Unit *u, const FdNode *array, const Def *d);

/* ---- lowering ---------------------------------------------------------------------------------- */

/* NULL, or why lowering cannot do what the nest says (static text, or in the unit's arena). */
const char *nest_verify(Unit *u, const Nest *n);
/* The kernel of a nest and its `run`. */
void nest_lower(Unit *u, const Nest *n);
/* The steps of a nest of one group, for one of its turns, in a kernel that is being made (bands.h). */
void nest_lower_row(Unit *u, Gen *g, const Nest *n, const KirExpr *row);
/* In a schedule a nest stands in place of its `run`, the last line. */
void nest_replace_run(Text *schedule, const Text *nest);
/* All of a nest as text (docs/kernels.md). Long numbers may be named in the plan first. */
void nest_print(Unit *u, const Nest *n, Text *out);

#endif
