/* Scalar types and values, shared by every part: sema, FDAG, code generators, runtime. */
#ifndef CS_BASE_SCALAR_H
#define CS_BASE_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ScalarKind {
#define SCALAR(id, name, ctype, clname, bytes, class, sign) SC_##id,
#include "scalar.def"
#undef SCALAR
    SC_COUNT
} ScalarKind;

/* One value. Every integer, char and bool is kept in `i`, sign- or zero-extended to 64 bits (a
 * ulong keeps its bits); every real in `f`, already rounded to its type. */
typedef union ScalarValue {
    int64_t i;
    double f;
} ScalarValue;

const char *scalar_name(ScalarKind k);    /* "int" */
const char *scalar_cl_name(ScalarKind k); /* "int"; bool is "uchar" */
size_t scalar_bytes(ScalarKind k);        /* size of a stored element */
bool scalar_is_integer(ScalarKind k);     /* sbyte..ulong, not char, not bool */
bool scalar_is_real(ScalarKind k);        /* half, float, double */
bool scalar_is_signed(ScalarKind k);
bool scalar_from_name(const char *name, size_t len, ScalarKind *out);

/* C#'s implicit numeric conversion exists (int -> long, int -> float, char -> int ...); true for
 * equal kinds. */
bool scalar_widens(ScalarKind from, ScalarKind to);

/* The C# cast with C$'s defined edges: integers wrap, real to integer truncates and saturates,
 * NaN gives 0, reals round to nearest even. */
ScalarValue scalar_convert(ScalarValue v, ScalarKind from, ScalarKind to);

/* Reads and writes one stored element (bool as 0/1 byte, half as binary16). */
ScalarValue scalar_load(const void *p, ScalarKind k);
void scalar_store(void *p, ScalarKind k, ScalarValue v);
/* The least and the largest of n > 0 stored elements that are no reals. */
void scalar_range(const void *p, ScalarKind k, int64_t n, int64_t *least, int64_t *largest);

#endif
