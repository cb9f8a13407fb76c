/* Several definitions in one kernel, row by row: a work-item has a band of rows of the result and
 * computes what they need of the other definitions just before, kept for as many rows as are read.
 *
 *   h(i, j) = u(i, j - 1) + u(i, j + 1)        y(i, j) = h(i - 1, j) + h(i + 1, j)
 *
 *   for (row = begin - 1 - 1; row < end; row++)
 *     h at row + 1, into its ring of 3 rows
 *     y at row, if it is in the band
 *
 * A stage of which reads go round (Periodic) has rows before the first and behind the last.
 * A row that all rows of a stage read is saved: the work-item computes it before the first.
 * Stages of a loop's turns are one body that runs as often as the plan says (BandTurns).
 * What the result reads once an element need not be kept: it is computed there (fdag/index/inlined.h).
 * Each stage is a nest of one group over its rows; the kernel says which. How far rows are needed
 * around those of the result follows from the reads, so no recipe or text can get it wrong. After
 * Halide's compute_at and store_at (Ragan-Kelley et al., PLDI 2013). */
#ifndef CS_CODEGEN_BANDS_H
#define CS_CODEGEN_BANDS_H

#include "../nest/nest.h"

enum { BANDS_STAGES = 96 };

typedef struct BandStage {
    const Def *def; /* it, or with others inlined */
    int dim;        /* its variable that rows are of */
    bool round;     /* rows before the first and behind the last are those of the other end */
    bool inlined;   /* computed where the last stage reads it: it has no nest */
    const Nest *nest;
    int temp; /* where rows are kept; of the last stage none. Stages in a row that share it are alike
                 from the second on: one body in a loop (roll.c) */
    /* bands_layout */
    Num *low, *high; /* rows from row + low to row + high of a result's are computed */
    Num *ahead;      /* how far ahead of the result's row it is computed */
    Num *keeps;      /* rows that are kept */
    int nsaved; /* rows that later stages read wherever they are: each work-item computes them first */
    Num *saved[NEST_FIXED]; /* their indices; of a turn's, those that the next turn reads */
} BandStage;

/* Stages of one turn of a loop, which are computed `count` times: each turn of the rows of the turn before
 * it, the first one of those of as many stages before them. */
typedef struct BandTurns {
    int first, period;      /* the stages */
    int last[BANDS_STAGES]; /* of each of them, that of the last turn */
    Num *count;             /* NULL: there are none */
    Num *when;              /* they have rows of one form */
    bool same_row; /* all read the row of the turn before that they are at: two rings in turn do */
    /* What a turn's are more than those of the next one. */
    Num *ahead, *low, *high;
} BandTurns;

typedef struct Bands {
    const char *name;
    Num *when; /* NULL: always */
    Num *each; /* rows of a band */
    int n;
    Num *
        round; /* bands_layout: when stages that go round or are read at clamped rows have the same rows, all of those needed */
    BandStage stages[BANDS_STAGES]; /* in order; the last is the result */
    BandTurns turns; /* FdGraph.turns; values of its stages are those of its first turn */
} Bands;

/* How a stage reads another by rows (nest_reach). */
bool bands_reach(Unit *u, const BandStage *reader, const BandStage *read, NestReach *out);

/* The definition with the elements of another in place of its reads of it. */
const Def *bands_inline(Unit *u, const Def *reader, const Def *read);
/* The array that a definition reads another as; NULL: it does not. */
const FdNode *bands_array(const Unit *u, const Def *reader, const Def *read);

/* Fills in what follows from the reads. False: they are not by rows, or not in this order. */
bool bands_layout(Unit *u, Bands *b);
bool bands_layout_stage(Unit *u, Bands *b, int stage); /* of one, those after it being laid out.. */
void bands_keep(Unit *u, Bands *b, int stage);         /* ..or only how many rows it keeps.. */
bool bands_asked_round(Unit *u, Bands *b, int stage); /* ..or whether those that read it go round */
Num *bands_row(Unit *u, const BandStage *s);          /* elements of a row */
Num *bands_rows(Unit *u, const BandStage *s);         /* how many there are */
/* Elements that a work-item has of stage i and those that share its memory, of turns or `alike` of them: rows that are
 * kept, and saved ones. */
Num *bands_kept(Unit *u, const Bands *b, int i, int alike);
Num *bands_halo(Unit *u, const Bands *b);  /* rows that each band computes anew, of all stages */
Num *bands_count(Unit *u, const Bands *b); /* how many bands there are */
/* The stage whose temporary a slot is; -1: none of theirs. */
int bands_stage_of(const Unit *u, const Bands *b, int slot);
/* Are they one graph but for the slots that they read, which the orders list? */
bool bands_same_form(Unit *u, const Def *a, const Def *b, FdOrder *x, FdOrder *y);
/* How many stages from this one on can share memory: it and those after it that are alike; 1: it alone. */
int bands_alike(Unit *u, const Bands *b, int first);
int bands_shared(const Bands *b, int first); /* how many do */
Num *bands_turns(Unit *u, const Bands *b);   /* turns that rows are kept of: all but the last */
const char *bands_verify_shared(Unit *u, const Bands *b);
/* Stages i + 1 to i + n - 1, which share the memory of stage i, as turns. */
BandTurns bands_roll(Unit *u, const Bands *b, int i, int n);

/* Fills in which stages are the turns of a graph that has them, and how many. False: they are not alike. */
bool bands_find_turns(Unit *u, Bands *b);
bool bands_is_turn(const Bands *b, int stage);   /* one of theirs.. */
bool bands_is_before(const Bands *b, int stage); /* ..or of those that the first turn is made of */
/* The values of these stages, of which those of the last turn are laid out. False: they have no values of one form. */
bool bands_layout_turns(Unit *u, Bands *b);
/* NULL, or why lowering cannot do it. */
const char *bands_verify(Unit *u, Bands *b);
/* A unit knows of one definition at a time: from here on of this one. */
void bands_turn_to(Unit *u, const Def *d);
void bands_lower(Unit *u, Bands *b);

#endif
