/* The runtime's interface to compiled programs: the data that codegen/host emits (layouts.def), and
 * the functions of abi.def, declared here in C. */
#ifndef CS_CODEGEN_ABI_CSRT_H
#define CS_CODEGEN_ABI_CSRT_H

#include <stdint.h>

/* Heads every counted object. refs < 0: immortal. Only the runtime changes counts: one that falls
 * can make the object a candidate of the cycle collector. */
typedef struct CsHead {
    int32_t refs;
    int16_t kind;             /* CsKind */
    uint8_t colour, buffered; /* the cycle collector's */
} CsHead;

typedef enum CsKind {
    CS_ARRAY,
    CS_LAZY,
    CS_CLOSURE,
    CS_STR,
    CS_OBJECT,
    CS_WRITER,
    CS_COROUTINE
} CsKind;

/* Elements of arrays: a ScalarKind, counted references, or CS_ELEM_RECORD + i: the i-th record of
 * the program, stored one plane a scalar field (fd_plane_offset). */
enum { CS_MAX_RANK = 4, CS_ELEM_REF = 64, CS_ELEM_RECORD = 128 };

/* A place in the source: passed to whatever can throw. */
typedef struct CsSite {
    const char *function; /* C$ function, "top level" for the program */
    const char *file;
    int32_t line, col;
} CsSite;

/* A scalar (as in ScalarValue) or a reference. */
typedef union CsValue {
    int64_t i;
    double f;
    void *ref;
} CsValue;

/* An array. Element (i, j, ..) is at data[(i - dim[0].lo) * dim[0].stride + ...] (strides in
 * elements, row-major without gaps). `data` is current after cs_array_read or cs_array_write, until
 * the next call into the runtime that takes this array.
 *
 * host_state tells compiled code what it may do with `data` without a call. The runtime sets a bit
 * when cs_array_read or cs_array_write return (WRITE implies READ), and clears it before it becomes
 * untrue; 0 is always right, only slower.
 *   CS_HOST_READ   data is the elements, and no device is writing them
 *   CS_HOST_WRITE  also: no other array shares the buffer, no device has a copy that is current or
 * is reading it. Compiled code adds its own test that head.refs is 1.
 *   CS_HOST_NULL   the array is null: a default value, which has no elements and no buffer. It says
 * nothing of data, and nobody clears it: what gets elements is another array. */
enum { CS_HOST_READ = 1, CS_HOST_WRITE = 2, CS_HOST_NULL = 4 };

typedef struct CsDim {
    int64_t lo, n, stride;
} CsDim;

typedef struct CsArray {
    CsHead head;
    int32_t elem; /* ScalarKind, CS_ELEM_REF or CS_ELEM_RECORD + i */
    int32_t rank;
    int32_t host_state; /* CS_HOST_READ | CS_HOST_WRITE, or CS_HOST_NULL */
    uint32_t visit;     /* with index: compose.c, the walk that saw it, and its number there */
    void *data;
    struct Buffer *buffer; /* the runtime's; NULL: no elements */
    uint32_t index;
    CsDim dim[CS_MAX_RANK]; /* only `rank` of them have memory */
} CsArray;

/* A string. Literals are such structs in the program's data, with refs -1: those are never counted.
 */
typedef struct CsStr {
    CsHead head;
    int64_t len;              /* bytes */
    int64_t count;            /* characters + 1; 0: not counted yet */
    int64_t at_char, at_byte; /* a character asked for before, and where it begins */
    char bytes[];             /* UTF-8, NUL-terminated */
} CsStr;

/* A graph that csc embedded; `parsed` starts NULL and belongs to the runtime. turns: bit 0, it is of turns
 * of a loop that the program can evaluate as one, bit 1, its array is the last of one; from bit 8 on how many arrays a
 * turn has, from bit 16 on how many of these are more than one with some elements set (0: not known). */
typedef struct CsGraph {
    const char *text;
    void *parsed;
    int32_t turns;
} CsGraph;

/* Evaluations that follow each other as one: `graph` has a result for each of the n `parts`, which
 * are graphs of statements of their own; scalars, behind all arrays, are one result, the first.
 * slots: for each slot of the first part, then of the second .., the slot of `graph` that has the
 * same value, or ~k: it is what part k gives. */
typedef struct CsAhead {
    CsGraph *graph;
    int32_t n;
    int32_t failed; /* attempts in a row; the runtime's */
    CsGraph *const *parts;
    const int32_t *slots;
    int32_t chained; /* only the last part is a result: the others are arrays that nobody reads */
    int64_t
        dying; /* slots of `graph`, as bits: a variable has the array, and gets a part's result */
    int64_t inner; /* parts, as bits, that are no results: only later ones ask for what they give */
    const int32_t *lines; /* of the parts, for dumps */
} CsAhead;

/* A user function that graphs call on the host, or that functional values are made of. A record
 * takes one CsValue a scalar field, in arguments and results. References in arguments are borrowed,
 * the result is owned by the caller. All may set cs_pending.
 * A functional value made of it (cs_closure) keeps `nenv` values that precede the arguments. */
typedef struct CsNative {
    const char *name; /* FdUser name */
    const char *type; /* FDAG type text without the environment: "float(float)"; NULL: not a
                         function of values (type_is_hosted) */
    void (*call)(const CsValue *env, const CsValue *args, CsValue *out);
    int32_t nparams;
    int32_t is_object; /* 1: env is an object of a class with Invoke */
    /* Of such a class, else NULL: the first and last index of a dimension (NULL: full
     * domain), and a run of consecutive indices at once: indices are int[] arrays, one a parameter;
     * gives an array of that shape, or NULL with an exception. */
    int32_t (*lower)(const CsValue *env, int32_t dim);
    int32_t (*upper)(const CsValue *env, int32_t dim);
    void *(*block)(const CsValue *env, void *const *indices);
} CsNative;

/* A record type: a final class of scalars. Fields of inner records are `record` >= 0. */
typedef struct CsRecord {
    const char *name;  /* FDAG name */
    const char *title; /* as the user wrote it */
    int32_t nfields;
    const char *const *names;
    const int32_t *kinds; /* ScalarKind, or CS_ELEM_RECORD + index */
    /* The text of a value, from its flattened fields; owned by the caller. */
    void *(*to_string)(const CsValue *fields);
} CsRecord;

/* A method of an interface: its selector, and the function that runs. */
typedef struct CsImpl {
    int64_t selector;
    const void *method;
} CsImpl;

/* A class. Methods are at slots; slot 0 is ToString: void *(void *self), owned by the caller. */
typedef struct CsClass {
    const char *name;
    const struct CsClass *base;
    int64_t size; /* of an object */
    int32_t nrefs;
    const int32_t *refs; /* byte offsets of its counted references */
    int32_t nmethods;
    const void *const *methods;
    int32_t nimpls;
    const CsImpl *impls; /* of interfaces, sorted by selector */
    int32_t ninterfaces;
    const struct CsClass *const *interfaces; /* all */
} CsClass;

/* An object; fields follow. Of an Exception the first is its Message, a string. */
typedef struct CsObject {
    CsHead head;
    const CsClass *cls;
} CsObject;

/* What the runtime throws: index into CsProgram.exceptions. */
typedef enum CsException {
#define EXCEPTION(id, name) CS_EXC_##id,
#include "exceptions.def"
#undef EXCEPTION
    CS_NEXCEPTIONS
} CsException;

/* Kernels as machine code: a function does one work-item. Its arguments take 8 bytes each: pointers,
 * and numbers in their low bytes. */
typedef struct CsKernelAt {
    int64_t id[3], size[3]; /* of the work-item; numbers of work-items */
    uint64_t variant;       /* CgSchedule.variant */
} CsKernelAt;
typedef void CsKernelCode(const uint64_t *args, const CsKernelAt *at);

typedef struct CsCode {
    int32_t level;                /* CgNativeLevel: processors that have at least this run it */
    CsKernelCode *const *kernels; /* in the order of cg_plan_kernels; NULL: it has none */
} CsCode;

/* Kernels lowered ahead of time. */
typedef struct CsKernel {
    uint64_t key_hi, key_lo; /* cg_key */
    const char *text;
    int32_t ncodes; /* forms as machine code, the lowest level first */
    const CsCode *codes;
} CsKernel;

typedef struct CsProgram {
    const char *name;
    int32_t tile, precise, schedule_seed; /* CgOptions */
    const char *set, *tuned;              /* CgOptions.set; lines for cg_tuned_find; NULL: none */
    int32_t nkernels;
    const CsKernel *kernels;
    int32_t nnatives;
    const CsNative *const *natives;
    int32_t nrecords;
    const CsRecord *records;
    const CsClass *const *exceptions; /* by CsException */
    const CsClass *any_exception;     /* Exception itself */
    const char
        *compiler; /* path of the csc that makes machine code while the program runs, or NULL */
} CsProgram;

/* Nonzero while an exception is pending. */
extern int32_t cs_pending;
/* Functions that recur throw when their frames are below this address. */
extern uint64_t cs_stack_limit;
/* Reductions over so many elements at most are loops of the program itself. */
extern int64_t cs_short;

/* The last bit of `fixed` of cs_slice_set. */
enum { CS_SLICE_LAST = 1 << 16 };

#define ABI(name, throws, result, parameters) result name parameters;
#include "abi.def"
#undef ABI
void *cs_str(const char *bytes, int64_t len);

#endif
