/* Elements of arrays: scalars, references and records. A record is a value of several scalars, its
 * leaves; an array keeps them one plane a leaf (fd_plane_offset), and everything else of the
 * runtime passes them one ScalarValue or CsValue a leaf. */
#ifndef CS_RUNTIME_RECORD_H
#define CS_RUNTIME_RECORD_H

#include "../../base/text.h"
#include "../value.h"

/* Declares the program's records in an Fd that was just made (rt_fd), or those that are new. */
void records_declare(Fd *fd);

static inline bool elem_is_record(int32_t elem)
{
    return elem >= CS_ELEM_RECORD;
}

/* The FDAG type of an element, of rt_fd(); NULL for references. And back. */
const FdType *elem_type(int32_t elem);
int32_t elem_of_type(const FdType *type);
/* Bytes of `count` elements; false if they do not fit. */
bool elem_bytes(int32_t elem, int64_t count, int64_t *out);

/* Element number `at` of an array's data: all leaves. Not for references. */
void elem_load(const Array *a, const void *data, int64_t at, ScalarValue *leaves);
void elem_store(const Array *a, void *data, int64_t at, const ScalarValue *leaves);
/* All leaves of one value of the type, as an evaluation has stored it. */
void leaves_load(const FdType *type, const void *data, ScalarValue *leaves);

/* Adds "Complex(1, 2)", or what the record's ToString gives. False after an exception. */
bool text_add_record(Text *t, int32_t elem, const ScalarValue *leaves, const Str *format,
                     const CsSite *site);

enum { RT_MAX_LEAVES = 256 };

#endif
