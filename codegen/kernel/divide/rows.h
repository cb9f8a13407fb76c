/* Rows of arrays: positions along one dimension, or along several as one. Around them are *segments* (combinations of the
 * dimensions before them), and planes where elements are records. */
#ifndef CS_CODEGEN_ROWS_H
#define CS_CODEGEN_ROWS_H

#include "../../../base/mem.h"
#include "../../../fdag/fdag.h"

enum { ROWS_SPANS = 6 };

/* Some rows, ascending: lo..hi-1 of each span. */
typedef struct Rows {
    int n;
    struct RowSpan {
        int64_t lo, hi;
    } at[ROWS_SPANS];
} Rows;

void rows_add(Rows *r, int64_t lo, int64_t hi); /* beyond ROWS_SPANS spans the nearest become one */
int64_t rows_count(const Rows *r);
Rows rows_without(const Rows *r, const Rows *less); /* those of r that `less` lacks */
Rows rows_within(const Rows *r, int64_t lo, int64_t hi);

/* Where rows lie in memory. */
typedef struct RowsLayout {
    FdBox box;                     /* the array's */
    int first, count;              /* dimensions that rows are of */
    int64_t segments, rows, inner; /* inner: elements of a row */
    int nplanes;
    struct RowsPlane {
        int64_t at, bytes; /* where it begins; of a row */
    } planes[];
} RowsLayout;

/* NULL: there is no memory. To be freed by mem_object_free. */
RowsLayout *rows_layout(const FdType *element, const FdBox *box, int first, int count);
/* The rows that a box of elements lies in, which may reach beyond the array; `array` is that array's own box, which is not
 * the layout's where it shares the memory of one of another shape. */
void rows_of_box(const RowsLayout *l, const FdBox *array, const FdBox *box, Rows *out);
bool rows_same(const RowsLayout *a, const RowsLayout *b); /* the same rows of the same box? */
/* The rows `lo`..`hi` of one memory into another of the same layout. */
void rows_copy(const RowsLayout *l, void *to, const void *from, int64_t lo, int64_t hi);

#endif
