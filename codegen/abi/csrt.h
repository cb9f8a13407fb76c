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

typedef enum CsKind { CS_ARRAY, CS_LAZY, CS_CLOSURE, CS_STR, CS_OBJECT, CS_WRITER } CsKind;

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
 * is reading it. Compiled code adds its own test that head.refs is 1. */
enum { CS_HOST_READ = 1, CS_HOST_WRITE = 2 };

typedef struct CsDim {
    int64_t lo, n, stride;
} CsDim;

typedef struct CsArray {
    CsHead head;
    int32_t elem; /* ScalarKind, CS_ELEM_REF or CS_ELEM_RECORD + i */
    int32_t rank;
    int32_t host_state; /* CS_HOST_READ | CS_HOST_WRITE */
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

/* A graph that csc embedded; `parsed` starts NULL and belongs to the runtime. turns: 1, it is of turns of a loop
 * that the program can evaluate as one, -1 - n, these have n arrays each, 1 + n, its array is the last; 0, neither. */
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

void cs_start(int32_t argc, char **argv, const CsProgram *program);
int32_t cs_finish(void);
void *cs_args(void);
void *cs_retain(void *ref);
void cs_release(void *ref);
void cs_frame(const CsSite *site);
void cs_throw_divide(const CsSite *site);
/* StackOverflowException, which no handler gets: where one would, the program ends. */
void cs_throw_stack(const CsSite *site);
void cs_throw_overflow(int64_t length, const CsSite *site); /* a length or index that is no int */
void cs_throw_index(void *array, int32_t n, const int64_t *index, const CsSite *site);
void *cs_array_new(int32_t elem, int32_t rank, const int64_t *lengths, const CsSite *site);
void *cs_array_empty(int32_t elem, int32_t rank);
void *cs_array_read(void *array, const CsSite *site);
void *cs_array_write(void *array_slot, const CsSite *site);
/* The same for the element at that offset alone; host_state says nothing of the others then. */
void *cs_element_read(void *array, int64_t offset, const CsSite *site);
void *cs_element_write(void *array_slot, int64_t offset, const CsSite *site);
/* Tries what cs_array_read (write 0) or cs_array_write (write 1) does, and forgets an exception:
 * the access that needs the elements meets it again. 1 if data may be used. Called before loops. */
int32_t cs_array_ready(void *array_slot, int32_t write);
void *cs_lazy(CsGraph *graph, const CsValue *captures, const CsSite *site);
void *cs_native(const CsNative *native);
/* Takes copies of the environment's values; bit i of refs: env[i] is a reference, retained. */
void *cs_combine(void *left, void *right, const CsSite *site);
void *cs_uncombine(void *from, void *what, const CsSite *site);
void *cs_closure(const CsNative *native, int32_t nenv, const CsValue *env, uint64_t refs);
/* Applies any functional value; out has one value a scalar field of a record. References in args
 * are borrowed, one in out is the caller's. */
void cs_apply(void *fn, const CsValue *args, CsValue *out, const CsSite *site);
/* A scalar graph whose root is a record. */
void cs_scalar_record(CsGraph *graph, const CsValue *captures, CsValue *out, const CsSite *site);
/* dst[lo..hi) = fn, element by element (slot: of an array); dims that an index fixes have hi == lo
 * + 1 and bit d of fixed set: fn has no such dimension. fn's domain is the box or 0-based of its
 * lengths. CS_SLICE_LAST in fixed: the caller only drops fn afterwards. */
enum { CS_SLICE_LAST = 1 << 16 };
void cs_slice_set(void *array_slot, const int64_t *lo, const int64_t *hi, uint32_t fixed, void *fn,
                  const CsSite *site);
void cs_slice_fill(void *array_slot, const int64_t *lo, const int64_t *hi, uint32_t fixed,
                   const CsValue *value, const CsSite *site);
/* Is the whole domain finite? */
int32_t cs_is_finite(void *fn);
/* f where it is defined, else g (language 4): a lazy value, or f itself if its domain is full. */
void *cs_coalesce(void *f, void *g, const CsSite *site);
/* ---- objects (object.c, cycles.c) ---- */
void *cs_object_new(const CsClass *cls, const CsSite *site); /* zeroed fields */
int32_t cs_is(void *object, const CsClass *cls);             /* 0 for NULL */
void *cs_cast(void *object, const CsClass *cls,
              const CsSite *site); /* borrowed; InvalidCastException */
const void *cs_find_method(void *object, int64_t selector);
void *cs_object_to_string(void *object);    /* through slot 0; "" for NULL */
void *cs_class_name(void *object);          /* a string */
int32_t cs_compare_i(int64_t a, int64_t b); /* -1, 0, 1 */
int32_t cs_compare_f(double a, double b);   /* NaN is below all numbers and equal to itself */
int32_t cs_hash_i(int64_t value);
int32_t cs_hash_f(double value);
int32_t cs_float_bits(float x);
float cs_bits_float(int32_t bits);
int64_t cs_double_bits(double x);
double cs_bits_double(int64_t bits);
int32_t cs_hash_str(void *s);
int32_t cs_hash_ref(void *object);
int64_t cs_collect(void); /* collects cycles now; objects freed (GC.Collect) */
void cs_throw_null(const CsSite *site);
/* ArgumentNullException: an argument of the library's `function` is null. */
void cs_throw_null_argument(const char *function, const CsSite *site);
/* ---- exceptions (error.c) ---- */
void cs_throw(void *exception, const CsSite *site); /* borrowed; NULL: NullReferenceException */
int32_t cs_catch_is(const CsClass *cls);            /* is the pending exception one? NULL: any */
void *cs_catch(void);                               /* takes it: nothing is pending; owned */
/* Sets a pending exception aside while `finally` runs, and brings it back (unless another one is
 * pending then, which replaces it). What was saved is given back by the second; NULL is fine. */
void *cs_save_exception(void);
void cs_restore_exception(void *saved);
/* Throws the exception of the catch around again, with the stack that it had. */
void cs_rethrow(void *exception);
/* The evaluations that come next, cs_eval or scalars, in order: makes them together if nobody can
 * tell, else does nothing. They are called all the same, and are given what is there already. */
void cs_ahead(CsAhead *group, const CsValue *captures);
void *cs_eval(CsGraph *graph, const CsValue *captures, const CsSite *site);
/* The same where the caller has the array of captures[over] in one variable, and holds so many references besides
 * while it waits. It puts the result in the variable's place: that may be the same array. */
void *cs_eval_over(CsGraph *graph, const CsValue *captures, int32_t over, int32_t besides,
                   const CsSite *site);
void *cs_force(void *fn, const CsSite *site);
void *cs_array_of(void *fn);
void *cs_view(void *fn, const CsSite *site);
void cs_force_all(int32_t n, const CsValue *functions, const CsSite *site);
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
void *cs_str_slice(void *s, int64_t lo, int64_t hi, const CsSite *site); /* [lo, hi) */
void *cs_format_i(int64_t value, int32_t kind, void *format, const CsSite *site);
void *cs_format_f(double value, int32_t kind, void *format, const CsSite *site);
void *cs_format_fn(void *fn, void *format, const CsSite *site);
void *cs_str_pad(void *s, int32_t width);
void cs_console_write(void *s);
void cs_console_write_line(void *s);
void *cs_console_read_line(void);
int64_t cs_parse_i(void *s, int32_t kind, const CsSite *site);
double cs_parse_f(void *s, int32_t kind, const CsSite *site);
/* 0 and a zero if the text is no such number; out is a variable of that kind. */
int32_t cs_try_parse(void *s, void *out, int32_t kind);
/* ---- strings: methods; indices count characters ---- */
void *cs_str_empty(void);
int32_t cs_str_is_empty(void *s);
int32_t cs_str_is_blank(void *s);
int32_t cs_str_equals(void *a, void *b);
void *cs_str_join(void *separator, void *fn, const CsSite *site);
void *cs_str_join_char(int32_t separator, void *fn, const CsSite *site);
int32_t cs_str_find_char(void *s, int32_t c);
int32_t cs_str_find(void *s, void *what);
int32_t cs_str_index_of_char(void *s, int32_t c, int32_t from, const CsSite *site);
int32_t cs_str_index_of(void *s, void *what, int32_t from, const CsSite *site);
int32_t cs_str_last_index_of_char(void *s, int32_t c);
int32_t cs_str_last_index_of(void *s, void *what);
int32_t cs_str_contains_char(void *s, int32_t c);
int32_t cs_str_contains(void *s, void *what);
int32_t cs_str_starts_with_char(void *s, int32_t c);
int32_t cs_str_starts_with(void *s, void *what);
int32_t cs_str_ends_with_char(void *s, int32_t c);
int32_t cs_str_ends_with(void *s, void *what);
void *cs_str_split_space(void *s);
void *cs_str_split_char(void *s, int32_t c);
void *cs_str_split(void *s, void *separator);
void *cs_str_split_any(void *s, void *chars, const CsSite *site); /* char[]; empty: white space */
void *cs_str_substring_from(void *s, int32_t from, const CsSite *site);
void *cs_str_substring(void *s, int32_t from, int32_t n, const CsSite *site);
void *cs_str_remove_from(void *s, int32_t from, const CsSite *site);
void *cs_str_remove(void *s, int32_t from, int32_t n, const CsSite *site);
void *cs_str_insert(void *s, int32_t at, void *what, const CsSite *site);
void *cs_str_trim(void *s);
void *cs_str_trim_char(void *s, int32_t c);
void *cs_str_trim_any(void *s, void *chars, const CsSite *site); /* char[]; empty: white space */
void *cs_str_trim_start(void *s);
void *cs_str_trim_start_char(void *s, int32_t c);
void *cs_str_trim_start_any(void *s, void *chars,
                            const CsSite *site); /* char[]; empty: white space */
void *cs_str_trim_end(void *s);
void *cs_str_trim_end_char(void *s, int32_t c);
void *cs_str_trim_end_any(void *s, void *chars,
                          const CsSite *site); /* char[]; empty: white space */
void *cs_str_to_upper(void *s);
void *cs_str_to_lower(void *s);
void *cs_str_replace_char(void *s, int32_t old, int32_t with);
void *cs_str_replace(void *s, void *old, void *with, const CsSite *site);
void *cs_str_align_right(void *s, int32_t width, const CsSite *site);
void *cs_str_pad_left(void *s, int32_t width, int32_t c, const CsSite *site);
void *cs_str_align_left(void *s, int32_t width, const CsSite *site);
void *cs_str_pad_right(void *s, int32_t width, int32_t c, const CsSite *site);
int32_t cs_char_is_digit(int32_t c);
int32_t cs_char_is_letter(int32_t c);
int32_t cs_char_is_letter_or_digit(int32_t c);
int32_t cs_char_is_white_space(int32_t c);
int32_t cs_char_is_upper(int32_t c);
int32_t cs_char_is_lower(int32_t c);
int32_t cs_char_is_punctuation(int32_t c);
int32_t cs_char_to_upper(int32_t c);
int32_t cs_char_to_lower(int32_t c);
/* ---- files, the environment ---- */
void *cs_file_read_all_text(void *path, const CsSite *site);
void *cs_file_read_all_lines(void *path, const CsSite *site);
void cs_file_write_all_text(void *path, void *text, const CsSite *site);
void cs_file_write_all_lines(void *path, void *lines, const CsSite *site);
void cs_file_append_all_text(void *path, void *text, const CsSite *site);
void *cs_file_read_all_bytes(void *path, const CsSite *site);
void cs_file_write_all_bytes(void *path, void *bytes, const CsSite *site);
void *cs_bytes_text(void *bytes, int32_t from, int32_t n, const CsSite *site);
void *cs_text_bytes(void *text, const CsSite *site);
int32_t cs_device_count(const CsSite *site);
void *cs_device_name(int32_t number, const CsSite *site);
void *cs_device_kind(int32_t number, const CsSite *site);
void *cs_device_driver(int32_t number, const CsSite *site);
int64_t cs_device_fact(int32_t number, int32_t what, const CsSite *site);
int32_t cs_device_default(const CsSite *site);
int32_t cs_device_current(const CsSite *site);
int32_t cs_device_find(void *wish, const CsSite *site);
int32_t cs_device_use(int32_t where, const CsSite *site);
int32_t cs_device_split(int32_t number, int32_t units, const CsSite *site);
int32_t cs_env_run(void *program, void *argument, const CsSite *site);
int32_t cs_console_out_redirected(void);
int32_t cs_console_error_redirected(void);
int32_t cs_file_exists(void *path);
void cs_file_delete(void *path, const CsSite *site);
void *cs_env_get(void *name);
void cs_env_exit(int32_t code);
int32_t cs_env_tick_count(void);
int64_t cs_env_nanoseconds(void);
int64_t cs_env_clock(void);
int64_t cs_env_zone(int64_t ticks);
int32_t cs_env_processor_count(void);
void *cs_env_new_line(void);
void cs_gc_collect(void);
/* Bytes for the states of a loop that is taken back: CS_KEEP, else a quarter of what the program may take. */
int64_t cs_kept_bytes(const CsSite *site);
/* Is it an array whose evaluation is held back? */
int32_t cs_waits(void *fn);
/* Evaluates all that is held back, where it can; 1. */
int32_t cs_settle(void);
/* ---- Console.Out and Console.Error ---- */
void *cs_console_out(void);
void *cs_console_error(void);
void cs_writer_write(void *writer, void *s);
void cs_writer_write_line(void *writer, void *s);
void *cs_sorted(void *fn, const CsSite *site);
void *cs_sorted_first(void *fn, int32_t n, const CsSite *site);
void *cs_sorted_order(void *fn, const CsSite *site);
void *cs_sorted_places(void *fn, const CsSite *site);
void *cs_inverse(void *fn, const CsSite *site);
void *cs_sorted_rows(void *fn, const CsSite *site);
void *cs_sorted_rows_order(void *fn, const CsSite *site);
void *cs_sorted_part(void *fn, int32_t from, int32_t to, const CsSite *site);
void *cs_sorted_part_order(void *fn, int32_t from, int32_t to, const CsSite *site);
void *cs_npy_load(void *path, int32_t elem, int32_t rank, const CsSite *site);
void cs_npy_save(void *path, void *fn, const CsSite *site);

#endif
