/* What the files that lower nests share. */
#ifndef CS_CODEGEN_NEST_IMPL_H
#define CS_CODEGEN_NEST_IMPL_H

#include "nest.h"

enum { NEST_DEEPEST = 32 };

/* Where the kernel is along an axis. */
typedef struct NestPlace {
    const KirExpr *n;      /* positions in all; NULL: not asked for yet */
    const KirExpr *at;     /* of the loops around, innermost last */
    const KirExpr *from;   /* a loop begins here: at, or where the one before it ended */
    const KirExpr *span;   /* positions that the loop around covers; NULL: all */
    const KirExpr *limit;  /* and where it ends at the latest; NULL: n */
    const KirExpr *copy;   /* number of the unrolled copy; NULL: none */
    const KirExpr *turn;   /* number of the group; NULL: none */
    const char *placed;    /* stem of the arrays of NEST_PLACE; NULL: none */
    bool clamps;           /* positions may lie beyond the end */
    const KirExpr *masked; /* lanes from here on take nothing; NULL: all do */
    bool lanes;            /* in lanes */
    bool part;             /* of a box: loops go from `from` to `limit`, not to n */
    const KirExpr *jump;   /* positions from here on lie .. ; NULL: none do */
    const KirExpr *gap;    /* .. so much further on */
} NestPlace;

typedef struct NestOpen { /* a loop around */
    int axis;
    const KirExpr *at;  /* the position */
    const KirExpr *off; /* from that of the loop around it */
    bool inner;         /* a copy, lane or work-item, or a pass over a hold */
    const NestStep *of;
} NestOpen;

typedef struct NestKept { /* a hold's memory */
    const char *name;
    int depth;            /* loops around it; -1: not there */
    const KirExpr *stage; /* which of two in local memory; NULL: it is not there */
} NestKept;

typedef struct NestCut { /* positions where parts of an axis begin */
    const KirExpr *from, *begin, *last, *end;
    bool none; /* before `begin` */
} NestCut;

typedef struct Lower {
    Unit *u;
    Arena *a;
    Gen g;
    const Nest *n;
    NestPlace places[NEST_AXES];
    NestOpen open[NEST_DEEPEST];
    int nopen;
    NestCut cuts[NEST_BOXES];
    unsigned place; /* in boxes: nest_at */
    NestKept kept[NEST_HOLDS];
    bool vectors; /* results are kept in vectors or copies; else in scalars only */
    bool items;   /* groups have several work-items */
    bool rest;    /* results begin with what `shared` left: rest0[lane].. */
    bool within;  /* the conditions of reductions hold for all results (NEST_WITHIN) */
    bool joined;  /* which hold the results all alike: one of them writes */
    int dims;
    Num *global[3], *local[3];
    const KirExpr *change; /* where takes ask what may change, and do not take; NULL: they take */
    const KirExpr *row;    /* the group's number, of a stage (bands.h); NULL: the device says it */
    const char *carried;   /* stem of what is carried; NULL: nothing yet */
} Lower;

/* The code of each kind of step, in files of their own; kernel.c has those of loops. */
#define BIND(name, word, ...)
#define STEP(name, word, lower, verify, ...) void lower(Lower *l, const NestStep *s);
#include "steps.def"

/* kernel.c */
void nest_steps(Lower *l, const NestStep *first);
const KirExpr *nest_length(Lower *l, int axis); /* of an axis */
/* Binds an axis' variables to the position where the kernel is. */
void nest_bind(Lower *l, int axis);
/* The variable of an axis of registers, at the first or the last position of the tile. */
void nest_bind_end(Lower *l, const NestRegs *r, bool last);
const KirExpr *nest_number(Lower *l, const char *name, Num *x);
/* How far the open loops over an axis from loop number `from` on have come: all of them, those
 * around copies, lanes and work-items, or only those. */
typedef enum NestWay { NEST_ALL, NEST_OUTER, NEST_INNER } NestWay;
const KirExpr *nest_way(Lower *l, int axis, int from, NestWay which);
Num *nest_group_items(Lower *l, int dim);        /* of a group */
const KirExpr *nest_local_id(Lower *l, int dim); /* as the device counts them */
const KirExpr *nest_group_id(Lower *l);          /* of all work-items of the group, row by row */
void nest_barrier(Lower *l);
/* How far copy number `copy` is from the first: by `step`, in runs of copies side by side (run NULL: one). */
const KirExpr *nest_copy_way(Lower *l, const KirExpr *copy, Num *step, Num *run);
bool nest_in_lanes(const Lower *l, int axis);
const KirExpr *nest_lanes_number(Lower *l); /* how many there are */

/* Where the range of a loop over this axis ends. */
const KirExpr *nest_range_end(Lower *l, int axis);

/* A name for positions of an axis. */
const char *nest_counter(Lower *l, int axis);
/* Is a turn one position, and nothing else? A loop inside over the same axis goes over what a turn covers. */
bool nest_is_single(const NestStep *s);
/* The steps inside a loop, in g's block. */
void nest_turn(Lower *l, const NestStep *s);
void nest_open(Lower *l, const NestStep *s, const KirExpr *off, bool inner); /* a loop */

/* steps.c: a loop in steps; what is left for the next loop over the axis begins at *rest */
void nest_in_steps(Lower *l, const NestStep *s, const KirExpr **rest);

/* cuts.c: of the kernel's run, the text; NULL: it is not divided */
const char *nest_cuts(Unit *u, const Nest *n);

/* stage.c: a staged loop */
void nest_in_stages(Lower *l, const NestStep *s);
/* Registers of a hold from a tile that is there in stages: runs are one load. False: there is none, or no runs. */
bool nest_fill_by_runs(Lower *l, int hold);

/* several.c */
void nest_over_several(Lower *l, const NestStep *s);
/* Do the steps inside need the variables of the loop's axis, not only how far it has come? */
bool nest_asks_variables(const Lower *l, const NestStep *s);

/* hold.c */
void nest_remember(Lower *l); /* values that are kept are taken from there */
const KirExpr *nest_panel_begin(Lower *l,
                                int hold); /* where the panel around this position begins */
const KirExpr *nest_panel_steps(Lower *l, int hold); /* and how many steps have been taken of it */

/* result.c */
void nest_result(Lower *l, const NestStep *s);
const KirExpr *nest_part_offset(Lower *l); /* of the part at the position where the kernel is */
KirType nest_scalar_type(Lower *l, int r);
const char *nest_named(Lower *l, const char *stem, int r); /* of the variables of result r */
/* The registers of these copies (NULL: the first); the scalar beside them. */
const KirExpr *nest_registers(Lower *l, int r, const KirExpr *const copies[2]);
const KirExpr *nest_tail(Lower *l, int r);
/* Of a reduction without identity: has nothing come to these registers? */
const KirExpr *nest_first(Lower *l, int r, const KirExpr *const copies[2]);
/* A value is combined with the result that a step at this position speaks of. */
void nest_take_value(Lower *l, int r, const KirExpr *value);

/* What a take of a result is here: nothing where its conditions do not hold. */
const FdNode *nest_taken(const Lower *l, int r);

const KirExpr *nest_result_here(Lower *l, int r); /* what a step at this position speaks of */
/* Of a reduction without identity: has nothing come to it so far? */
const KirExpr *nest_first_here(Lower *l, int r);
/* Loops over all copies of the registers, written out. */
typedef void NestOnRegisters(Lower *l, const KirExpr *const copies[2], void *ctx);
void nest_each_register(Lower *l, NestOnRegisters *body, void *ctx);
void nest_by_one(Lower *l, KirBlock body); /* by one work-item of those that hold the same */

/* give.c */
void nest_give(Lower *l);

/* join.c */
void nest_join(Lower *l);

/* change.c: a TAKE inside of CHANGES, which asks */
void nest_ask(Lower *l, int r, const KirExpr *value);

/* table.c: the same steps of nests by key with tables in local memory */
void nest_table(Lower *l, const NestStep *s);
void nest_table_take(Lower *l, int r, const KirExpr *value); /* of the key here */

/* carry.c: the same steps of nests that carry values of a recurrence */
void nest_carry(Lower *l, const NestStep *s);

/* of which scanned.c uses: */
KirType nest_kind(const FdNode *n);
KirType nest_element(const Lower *l);
const KirExpr *nest_carried(Lower *l, KirType t, int k);
const KirExpr *nest_scan_number(Lower *l, int k);
void nest_scan_copy(Lower *l, const char *stem, int n, const KirExpr **x); /* to variables */
void nest_scan_both(Lower *l, const KirExpr *const *x, const KirExpr **y); /* y := x, then y */
const KirExpr *nest_scan_after(Lower *l, const KirExpr *before, const KirExpr *const *step);
void nest_scan_steps(Lower *l, const KirExpr **out); /* here */
void nest_scan_none(Lower *l, const KirExpr **out);
void nest_scan_start(Lower *l, const KirExpr **none);    /* numbers := none */
void nest_scan_add(Lower *l, const KirExpr **step);      /* numbers := they, then step */
void nest_scan_store(Lower *l, const KirExpr *const *x); /* to the part here */
void nest_scan_load(Lower *l, const KirExpr *part, const KirExpr **x);
void nest_scan_walk(Lower *l, const KirExpr *at, const KirExpr *count, bool store);
/* fast, or slow where a factor is not finite, if that can be (Scan.grows). */
void nest_scan_unless_grown(Lower *l, const KirExpr *factor, KirBlock fast, KirBlock slow);
/* The last element := the one after steps x, or `walk` goes there one by one. */
void nest_scan_parts(Lower *l, const KirExpr *const *x, void (*walk)(Lower *l, const KirExpr *part),
                     const KirExpr *part);
void nest_load_before(Lower *l);
void nest_parts_before(Lower *l);

/* scanned.c: the same steps where a group takes those of a scan together */
void nest_scanned(Lower *l, const NestStep *s);

/* wave.c: a tile of a wavefront */
void nest_wave(Lower *l);

static inline const KirExpr *nest_op(Lower *l, FdOp op, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(l->a, op, x, y);
}
static inline const KirExpr *nest_add(Lower *l, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(l->a, FD_OP_ADD, x, y);
}
static inline const KirExpr *nest_mul(Lower *l, const KirExpr *x, const KirExpr *y)
{
    return kir_arith(l->a, FD_OP_MUL, x, y);
}

#endif
