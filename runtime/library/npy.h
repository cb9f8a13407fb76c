/* The header of an .npy file (versions 1.0, 2.0 and 3.0), read and written. */
#ifndef CS_RUNTIME_NPY_H
#define CS_RUNTIME_NPY_H

#include "../../base/text.h"
#include "../value.h"

enum { NPY_PREFIX = 8, NPY_LONGEST_HEADER = 16 << 20, NPY_MAX_RANK = 64 };

typedef struct NpyHeader {
    ScalarKind kind;
    bool swapped; /* stored big-endian */
    bool fortran; /* first index fastest */
    int rank;
    int64_t n[NPY_MAX_RANK];
    int64_t count; /* elements; with their size this fits 62 bits */
} NpyHeader;

/* Reads the dictionary behind the prefix and the length. False with one line in *why, which says
 * what is wrong with the file. */
bool npy_header_read(const char *text, size_t len, NpyHeader *out, Text *why);
/* Adds magic, version, length and dictionary, padded to a multiple of 64 bytes. */
void npy_header_write(Text *out, const CsArray *a);

const char *npy_type_name(ScalarKind k); /* NumPy's: "float32" */
void npy_add_shape(Text *t, int rank, const int64_t *n);

#endif
