/* What the files about reads share. */
#ifndef CS_CODEGEN_ACCESS_H
#define CS_CODEGEN_ACCESS_H

#include "../../../../fdag/index/affine.h"
#include "../gen.h"

/* Where the elements are that a read gives. */
typedef struct Where {
    const KirExpr *offset; /* of the only one or the first, as idx_t */
    const KirExpr *each;   /* int lanes, a variable: how far each is from there; NULL: by one */
    const KirExpr *whole;  /* they follow each other only if this holds; NULL: always */
    int step;              /* by how much they follow each other: 0: by one (KIR_STEPS) */
    int lanes;
} Where;

const char *access_name(const Gen *g, const FdNode *array); /* the stem of its parameters */

const char *access_buffer(Gen *g, const FdNode *array); /* the parameter itself */

/* Is it kept by rows (UnitRing)? */
bool access_is_ring(const Gen *g, const FdNode *array);
/* Offset of the element with these indices of an array that is stored whole. */
const KirExpr *access_offset(Gen *g, const FdNode *array, const FdNode *const *index);
/* Elements from one position of dimension d to the next. */
const KirExpr *access_stride(Gen *g, const FdNode *array, int d);

/* The row of a ring for a position counted from 0. */
const KirExpr *access_ring_row(Gen *g, const UnitRing *ring, const KirExpr *at);

/* Of a read at the bound variables' current values. What can fall outside is checked or noted. */
Where offset_of_read(Gen *g, const FdNode *read);
/* Of a read in lanes: each on its own. */
Where offset_gather(Gen *g, const FdNode *read);

/* Where the row of a read begins in memory, which goes by dimension d; where in its row it is. */
const KirExpr *access_row(Gen *g, const FdNode *read, int d);
const KirExpr *access_in_row(Gen *g, const FdNode *read, int d);
/* The same of a definition's element, and how long such a row is. */
const KirExpr *access_output_row(Gen *g, const Def *d, int dim);
const KirExpr *access_output_in_row(Gen *g, const Def *d, int dim);
Num *access_output_length(Gen *g, const Def *d, int dim);

/* What of a batch a read takes, as an offset into its rows (NULL: it reads memory), and where an element goes. */
const char *batch_row(Gen *g, const FdNode *read, const KirExpr **at);
const char *batch_out(Gen *g, const Def *d, const KirExpr **at);

#endif
