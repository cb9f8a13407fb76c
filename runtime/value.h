/* What the runtime keeps behind the values of compiled programs: counted objects, arrays over
 * shared buffers, lazy functional values; constructors and exceptions for every other file of
 * runtime/. Ownership: functions returning an object hand over one reference; parameters are
 * borrowed. */
#ifndef CS_RUNTIME_VALUE_H
#define CS_RUNTIME_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/mem.h"
#include "../codegen/abi/csrt.h"
#include "../fdag/fdag.h"

/* ---- exceptions (error.c) ----------------------------------------------------------- */

/* What the runtime throws: the classes of CsProgram.exceptions. */
typedef enum RtError {
#define EXCEPTION(id, name) RT_##id = CS_EXC_##id,
#include "../codegen/abi/exceptions.def"
#undef EXCEPTION
} RtError;

/* Sets the pending exception, its first frame being `site` (copied; NULL: none). While one is
 * pending a second is ignored: the first is the cause. */
void rt_throw(RtError kind, const CsSite *site, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void rt_throw_memory(const CsSite *site, size_t bytes); /* OutOfMemoryException; takes no memory */
void rt_out_of_memory(size_t bytes);                    /* the same, for mem_on_failure */
/* For internal_on_error: what ends a mem_try was no lack of memory, so that rt_throw_memory throws an
 * InvalidProgramException with this. */
void rt_internal(const char *where, const char *what);
/* The first frame of a pending exception that has none: one of memory that ran out where nobody
 * knew the site. */
void rt_site(const CsSite *site);
/* IndexOutOfRangeException: `index` (box->rank numbers) is outside the box of `name` (NULL: of an
 * array). */
void rt_throw_outside(const CsSite *site, const char *name, const FdBox *box, const int64_t *index);
/* ArgumentOutOfRangeException: the slice lo..hi of dimension d, which is first..end. */
void rt_throw_slice(const CsSite *site, int d, int64_t lo, int64_t hi, int64_t first, int64_t end);
/* `site` moved to a node's line, if that is known. */
CsSite rt_site_at(const CsSite *site, FdLoc loc);
/* The place of node n of an evaluation of root: in the user function that holds it, else in site's
 * function. For an error about to be thrown, whose only such place it is; then rt_frame_around adds
 * the evaluation's own place if that is another function's. n NULL: not known. */
CsSite rt_site_of(const CsSite *site, const FdNode *root, const FdNode *n);
void rt_frame_around(const CsSite *at, const CsSite *site);
/* Forgets the pending exception: the runtime tried something that nobody asked for. */
void rt_catch(void);
const char *rt_pending_message(void); /* "DomainException: text", NULL if none is pending */

/* ---- buffers (memory.c) ------------------------------------------------------------- */

/* Storage of elements, on the host and, where memory is not shared, on the device. Counted: arrays
 * with the same elements share one. Buffers come from a pool and go back to it. */
typedef struct Buffer {
    int32_t refs;
    uint32_t maker;      /* number of the graph that its elements were last evaluated of; 0: none */
    uint16_t ring;       /* device_buffer.c: its place among the small ones there, plus one */
    uint8_t owner;       /* of the devices that are listed the one that has the device side */
    uint8_t class;       /* memory.c: of its capacity */
    bool host_stale : 1; /* the device wrote it since the host last saw it */
    bool device_stale : 1; /* the host may have written it since the device last saw it */
    bool fresh : 1;        /* just made: it has no contents */
    bool mapped : 1;       /* the host holds the pages it shares with a device that is no CPU */
    bool lent : 1;         /* it has no memory, nor counts as having some: it is held back */
    bool borrowed : 1; /* its host side is somebody else's: read only, and given back at the end */
    bool foreign : 1;  /* its device side is: copied from, whatever the device shares */
    union {
        size_t bytes;        /* asked for */
        struct Buffer *next; /* in the pool */
    };
    size_t capacity;   /* of the block */
    void *host;        /* page-aligned from 4 KiB on; NULL: not needed on the host so far */
    void *small;       /* memory.c's: where a small one was before a device shared it, or NULL */
    void *device;      /* the device layer's; NULL: not needed on the device so far */
    uint64_t used;     /* number of the last launch that uses it (device_wait) */
    uint64_t written;  /* number of the last launch that writes it */
    struct Held *held; /* the evaluation of its elements, if that is held back (hold.c) */
    struct Part *part; /* which rows each rank has (ranks/parts.h); NULL: all have all */
} Buffer;

/* Evaluates what is held back. False with an exception pending. */
bool rt_fill(Buffer *b, const CsSite *site);
void rt_fill_all(void);    /* all there is, before a clock is read */
void rt_unhold(Buffer *b); /* nobody will ask for it any more */

/* ---- objects (value.c, count.c) ------------------------------------------------------ */

typedef CsStr Str;

/* head.data is NULL until the host needs the elements (cs_array_read, cs_array_write). Never copied
 * as a struct: memory ends with the last dimension. */
typedef struct Array {
    CsArray head;
} Array;

typedef struct Graph Graph; /* a parsed CsGraph (lazy.c) */

typedef struct Lazy {
    CsHead head;
    Graph *graph;
    const CsSite *site; /* where it was built; sites are constants of the program */
    FdBox box;
    Array *result;         /* once evaluated: captures are gone then */
    uint16_t depth;        /* lazy values that an evaluation composes, one below the other */
    uint16_t factor;       /* how often an evaluation would recompute the same element, at most */
    bool expensive;        /* an element, captures included, costs more than a few operations */
    bool keep;             /* users evaluate it on its own instead of composing it */
    bool no_keep;          /* evaluating all of it failed or makes no sense: compose it */
    bool recurs;           /* it is made of a recurrence */
    bool reduces;          /* it is made of reductions, one an element */
    bool foreseen;         /* all of it is of turns that the program has a kernel for */
    double nodes;          /* of the graphs that an evaluation composes */
    bool joined;           /* just now: all of it is a result of what it is composed into */
    uint8_t composed;      /* evaluations that composed it into another (saturates) */
    int64_t reads;         /* single elements read so far */
    uint32_t visit, index; /* as in Array */
    int32_t ncaptures;
    CsValue captures[];
} Lazy;

/* Zeroed, one reference; NULL with OutOfMemoryException pending. So are all that follow. */
void *rt_object_new(size_t bytes, CsKind kind);
Str *rt_str_new(const char *bytes, int64_t len); /* copies; bytes NULL: room to be filled */

/* A new array of the domain [lo, lo + n) (lo NULL: from 0), unshared. Elements are zero if `zero`,
 * else undefined. NULL with OutOfMemoryException pending when they do not fit. */
Array *rt_array_new(int32_t elem, int32_t rank, const int64_t *lo, const int64_t *n, bool zero,
                    const CsSite *site);
/* The same over a finite box, its elements undefined. */
Array *rt_array_over(int32_t elem, const FdBox *box, const CsSite *site);
/* The same, if it is known to have so many bytes, at least one. */
Array *rt_array_sized(int32_t elem, const FdBox *box, size_t bytes, const CsSite *site);
/* An array from 0 on whose elements are in b, which it takes over (NULL: there are none). */
Array *rt_array_on(Buffer *b, int32_t elem, int32_t rank, const int64_t *n);
/* The elements for reading or, of an array just made and not shared, for writing, row-major without
 * gaps (strides are those of `n`). Like cs_array_read; NULL only when there are no elements or an
 * exception. */
void *rt_array_data(Array *a, const CsSite *site);
/* The same of an array with elements of which ranks may have parts: what this rank has of them is there. */
void *rt_array_part(const Array *a, bool write, const CsSite *site);
/* Like cs_array_write, for whoever reads nothing of it: each rank writes the same, of an array in parts into its own memory. */
void *rt_array_store(Array **slot, const CsSite *site);
int64_t rt_array_count(const Array *a); /* number of elements */
FdBox rt_array_box(const Array *a);
void rt_array_box_into(const Array *a,
                       FdBox *out); /* the same; the other dimensions stay as they are */
static inline bool rt_array_has(const Array *a, const FdBox *box) /* is it its box? */
{
    if (a->head.rank != box->rank) return false;
    for (int32_t d = 0; d < a->head.rank; d++)
        if (a->head.dim[d].lo != box->dim[d].lo ||
            a->head.dim[d].n != box->dim[d].hi - box->dim[d].lo || box->dim[d].full)
            return false;
    return true;
}

/* The number of elements of a finite box; false if it is infinite or does not fit 63 bits. */
bool rt_box_count(const FdBox *box, int64_t *out);
/* The domain of a functional value (array, lazy, closure). A closure's comes from the program,
 * which can throw: then it is empty, and the exception pending. */
const FdBox *rt_box_of(void *fn, FdBox *room);
/* Its type; NULL for functions over what graphs do not know (strings, objects). */
const FdType *rt_type_of(void *fn);

/* The Fd of parsed graphs and of the types above. */
Fd *rt_fd(void);
/* Gives up what a lazy value refers to (lazy.c). */
void rt_lazy_drop(Lazy *l);

/* Waits until the device has done all it was asked to (nothing if no device was ever used): what
 * measures time calls it first. */
void rt_sync(void);

#endif
