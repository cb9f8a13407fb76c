/* Long reductions: what the files of this folder share. */
#ifndef CS_CODEGEN_ROWS_H
#define CS_CODEGEN_ROWS_H

#include "../recipe.h"

typedef struct RowSplit {
    const Def *d;
    int nreduces;
    const FdNode *reduces[NEST_RESULTS];
    Num *rows, *work, *parts, *share;
    Num *across; /* of the second variable a part has so many; NULL: all of them */
    int temps[NEST_RESULTS];
} RowSplit;

/* ---- rows_split.c ------------------------------------------------------------------------------ */

/* Both nests have the definition's dimensions as one axis; -1: it has none. */
int rows_axis(Unit *u, Nest *n);
/* The definition's reductions, if none is inside of another. */
bool rows_find(const Def *d, RowSplit *s);
/* The last variable of the reductions that their operands can be computed in lanes of; -1: none. */
int rows_lane_variable(const RowSplit *s, unsigned allowed);
/* So many operands are worth a work-item of their own: `least` where one takes long, fewer where it is
 * itself made of many. */
Num *rows_least_share(Unit *u, const RowSplit *s, int least);
void rows_temps(Unit *u, RowSplit *s, Num *used); /* of parts, where they are used */
Nest *rows_nest_for(Unit *u, const RowSplit *s, const char *name, Num *when);
/* A part for each result.. */
void rows_use_parts(Nest *n, const int *temps, int rows);
/* ..and group of `axis` (`parts` of them). */
void rows_use_groups(Nest *n, int axis, Num *parts);
/* The nest that combines the parts in order. */
void rows_combine(Unit *u, const RowSplit *s, const char *name, Num *when, bool checked);

/* ---- rows_tree.c: the nests for a GPU, and when they compute the definition --------------------- */

Num *rows_tree(Unit *u, RowSplit *s, Num *when);

#endif
