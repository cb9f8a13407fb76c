/* .npy files and arrays of which ranks have parts (ranks/parts.h): each reads and writes its own rows. All ranks call
 * these alike. */
#ifndef CS_RUNTIME_NPY_PARTS_H
#define CS_RUNTIME_NPY_PARTS_H

#include "save.h"

struct Part;

/* Is a new array one that ranks are to have parts of? */
bool npy_parts_worth(const Array *a);

/* What this rank reads: `rows` rows from number `from` on, to `data`. part NULL: ranks do not see the same file. */
typedef struct NpyPart {
    struct Part *part;
    int64_t from, rows;
    char *data;
} NpyPart;

/* Opens the file on ranks other than the first, as *fd. False with an exception pending, of all ranks; else npy_parts_end
 * follows if there is a part, whatever exception this rank has by then. */
bool npy_parts_begin(NpyPart *p, Array *a, const char *path, int *fd, const CsSite *site);
bool npy_parts_end(NpyPart *p, Array *a, const CsSite *site);

/* Has each rank rows of a that lie together? */
bool npy_parts_has(const Array *a);
/* Writes them; begin: where elements begin, which the first knows. Whatever has failed before, on the first alone, is
 * everybody's afterwards: false. */
bool npy_parts_save(Save *s, const Array *a, int64_t begin);

#endif
