/* The runtime's interface to compiled programs: data layouts that codegen/host_* emits, and the
 * functions of codegen/abi.def (declared here in C). */
#ifndef CS_RUNTIME_CSRT_H
#define CS_RUNTIME_CSRT_H

#include <stdint.h>

/* Heads every counted object. refs < 0: immortal. */
typedef struct CsHead {
    int32_t refs;
    int32_t kind; /* CsKind */
} CsHead;

typedef enum CsKind { CS_ARRAY, CS_LAZY, CS_NATIVE, CS_STR, CS_STOPWATCH } CsKind;

enum { CS_MAX_RANK = 4, CS_ELEM_REF = 64 };

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

/* An array, as compiled code sees it; the runtime keeps more behind it. Element (i, j, ..) is at
 * data[(i - lo[0]) * stride[0] + ...] (strides in elements, row-major). `data` is current after
 * cs_array_read or cs_array_write, until the next call into the runtime that takes this array.
 *
 * host_state tells compiled code what it may do with `data` without a call. The runtime sets a bit
 * when cs_array_read or cs_array_write return (WRITE implies READ), and clears it before it becomes
 * untrue; 0 is always right, only slower.
 *   CS_HOST_READ   data is the elements, and no device is writing them
 *   CS_HOST_WRITE  also: no other array shares the buffer, no device has a copy that is current or
 * is reading it. Compiled code adds its own test that head.refs is 1. */
enum { CS_HOST_READ = 1, CS_HOST_WRITE = 2 };

typedef struct CsArray {
    CsHead head;
    int32_t elem; /* ScalarKind or CS_ELEM_REF */
    int32_t rank;
    int32_t host_state; /* CS_HOST_READ | CS_HOST_WRITE */
    void *data;
    int64_t lo[CS_MAX_RANK], n[CS_MAX_RANK], stride[CS_MAX_RANK];
} CsArray;

/* A graph that csc embedded; `parsed` starts NULL and belongs to the runtime. */
typedef struct CsGraph {
    const char *text;
    void *parsed;
} CsGraph;

/* A user function that graphs call on the host, or that is used as a functional value. */
typedef struct CsNative {
    const char *name;                                /* FdUser name */
    const char *type;                                /* FDAG type text: "float(float)" */
    void (*call)(const CsValue *args, CsValue *out); /* may set cs_pending */
} CsNative;

/* Kernels lowered ahead of time. */
typedef struct CsKernel {
    uint64_t key_hi, key_lo; /* cg_key */
    const char *text;
} CsKernel;

typedef struct CsProgram {
    const char *name;
    int32_t tile, precise; /* CgOptions */
    int32_t nkernels;
    const CsKernel *kernels;
    int32_t nnatives;
    const CsNative *const *natives;
} CsProgram;

/* Nonzero while an exception is pending. */
extern int32_t cs_pending;

void cs_start(int32_t argc, char **argv, const CsProgram *program);
int32_t cs_finish(void);
void *cs_args(void);
void *cs_retain(void *ref);
void cs_release(void *ref);
void cs_frame(const CsSite *site);
void cs_throw_divide(const CsSite *site);
void cs_throw_index(void *array, int32_t n, const int64_t *index, const CsSite *site);
void *cs_array_new(int32_t elem, int32_t rank, const int64_t *lengths, const CsSite *site);
void *cs_array_empty(int32_t elem, int32_t rank);
void *cs_array_read(void *array, const CsSite *site);
void *cs_array_write(void *array_slot, const CsSite *site);
/* Tries what cs_array_read (write 0) or cs_array_write (write 1) does, and forgets an exception:
 * the access that needs the elements meets it again. 1 if data may be used. Called before loops. */
int32_t cs_array_ready(void *array_slot, int32_t write);
void *cs_lazy(CsGraph *graph, const CsValue *captures, const CsSite *site);
void *cs_native(const CsNative *native);
void *cs_eval(CsGraph *graph, const CsValue *captures, const CsSite *site);
void *cs_force(void *fn, const CsSite *site);
int64_t cs_scalar_i(CsGraph *graph, const CsValue *captures, const CsSite *site);
double cs_scalar_f(CsGraph *graph, const CsValue *captures, const CsSite *site);
int64_t cs_apply_i(void *fn, const CsValue *args, const CsSite *site);
double cs_apply_f(void *fn, const CsValue *args, const CsSite *site);
int32_t cs_rank(void *fn);
int64_t cs_length(void *fn, const CsSite *site);
int64_t cs_get_length(void *fn, int32_t dim, const CsSite *site);
int64_t cs_get_lower(void *fn, int32_t dim, const CsSite *site);
int64_t cs_get_upper(void *fn, int32_t dim, const CsSite *site);
void *cs_get_domain(void *fn, int32_t dim, const CsSite *site);
void *cs_str(const char *bytes, int64_t len);
void *cs_str_concat(int32_t n, void *const *strs);
int32_t cs_str_compare(void *a, void *b);
int32_t cs_str_length(void *s);
int32_t cs_str_char(void *s, int32_t index, const CsSite *site);
void *cs_format_i(int64_t value, int32_t kind, void *format, const CsSite *site);
void *cs_format_f(double value, int32_t kind, void *format, const CsSite *site);
void *cs_format_fn(void *fn, void *format, const CsSite *site);
void *cs_str_pad(void *s, int32_t width);
void cs_console_write(void *s);
void cs_console_write_line(void *s);
void *cs_console_read_line(void);
int64_t cs_parse_i(void *s, int32_t kind, const CsSite *site);
double cs_parse_f(void *s, int32_t kind, const CsSite *site);
void *cs_npy_load(void *path, int32_t elem, int32_t rank, const CsSite *site);
void cs_npy_save(void *path, void *fn, const CsSite *site);
void *cs_stopwatch_new(void);
void *cs_stopwatch_start_new(void);
void cs_stopwatch_start(void *s);
void cs_stopwatch_stop(void *s);
void cs_stopwatch_reset(void *s);
void cs_stopwatch_restart(void *s);
double cs_stopwatch_seconds(void *s);
int64_t cs_stopwatch_milliseconds(void *s);

#endif
