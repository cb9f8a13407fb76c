/* Random C$ programs. A case is a function whose text is a function of a sequence of choices: every
 * sequence gives a well-typed program without run-time errors, 0 is the simplest choice, and the
 * end of a sequence is all zeros. So a failing case is reduced by shortening its sequence
 * (reduce.c), whatever the grammar is.
 *
 * Values are such that every schedule gives the same bits: each expression is asked for with a type
 * and a size, which says how many bits stand before and behind the binary point, so that sums and
 * products of reals are exact. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/text.h"
#include "../../base/vec.h"

typedef enum Ty {
    BOOL,
    SBYTE,
    BYTE,
    SHORT,
    USHORT,
    INT,
    UINT,
    LONG,
    ULONG,
    HALF,
    FLOAT,
    DOUBLE,
    NTYPES
} Ty;

/* |x| <= 2^mag, and x is a multiple of 2^-frac. An integer whose mag is that of its type is any. */
typedef struct Size {
    int mag, frac;
} Size;

enum { MAX_RANK = 3, MAX_NAMES = 64, MAX_PARAMS = 4, MAX_LENGTH = 65, WORK = 60000 };

/* The domain of one dimension: [lo, hi). */
typedef struct Span {
    int lo, hi;
} Span;

/* A function of indices: an array, or a lazy value. */
typedef struct Value {
    char name[16];
    Ty type;
    Size size;
    int rank;
    Span dom[MAX_RANK];
    bool array;
    long work; /* what an element of a lazy value takes to compute, in reads of arrays */
} Value;

typedef struct Scalar {
    char name[16];
    Ty type;
    Size size;
} Scalar;

/* A bound variable. Its range is given, or inferred from plain uses and from affine ones. */
typedef struct Var {
    char name[16];
    bool given, plain, affine;
    Span range;  /* given */
    Span use;    /* of the plain uses */
    Span within; /* where all affine ones are inside */
    int guards;  /* conditions around its binder */
} Var;

typedef struct Func {
    char name[16];
    Ty ret, params[MAX_PARAMS];
    Size ret_size, sizes[MAX_PARAMS];
    int nparams;
    bool array; /* the first parameter is an array of that type, the second an index */
} Func;

typedef struct Choices {
    uint32_t *data; /* what was chosen, or is to be chosen */
    size_t len, cap, at;
    uint64_t state;
    bool replay;
} Choices;

typedef struct Gen {
    Choices *choices;
    Text *out;       /* where expressions go */
    Text decls;      /* functions and classes of this case */
    Text body;       /* its statements */
    int number, ids; /* of the case; names made so far */
    Value values[MAX_NAMES];
    int nvalues;
    Scalar scalars[MAX_NAMES];
    int nscalars;
    Var vars[MAX_NAMES];
    int nvars;
    Func funcs[MAX_NAMES];
    int nfuncs;
    int guarded;  /* conditions around: uses below one do not narrow a range from above it */
    bool in_func; /* only parameters and locals are in scope */
    long work;    /* how often what is written here may be evaluated */
    long reads;   /* of elements of arrays by what has been written: how long the case may take */
    int reductions;
    unsigned indent;
} Gen;

/* ---- choice.c ---- */
/* One of 0 .. n-1; 0 is the simplest. */
int choose(Gen *g, int n);
/* True once in n. */
bool rarely(Gen *g, int n);
void choices_seed(Choices *c, uint64_t seed);
/* Counts a construct for `cases -v`. */
void covered(const char *construct);
void covered_print(void);

/* ---- type.c ---- */
const char *ty_name(Ty t);
bool ty_real(Ty t);
bool ty_signed(Ty t);
int ty_bits(Ty t);  /* a mag that holds every value of an integer */
Size ty_size(Ty t); /* the largest size that expressions of the type are asked for */
Ty choose_type(Gen *g);
bool size_fits(Size inner, Size outer);
bool size_any(Ty t, Size s); /* wrapping is allowed */
int span_len(Span s);
void write_literal(Gen *g, Ty t, Size s);
/* A new name: prefix and a number. */
void new_name(Gen *g, char name[16], const char *prefix);

/* ---- expr.c: scalar expressions, in parentheses where they need them ---- */
void write_expr(Gen *g, Ty t, Size s, int depth);
void write_bool(Gen *g, int depth);
void write_nonzero(Gen *g, Ty t, int depth);

/* ---- read.c: elements of arrays and functions ---- */
/* An element at type t, whatever the value's type is: limited to the size. */
void write_limited_read(Gen *g, const Value *v, Ty t, Size s, int depth);
/* False, and nothing written, if nothing of this type and size can be read. */
bool write_read(Gen *g, Ty t, Size s, int depth);
/* An element of v, of rank n or more, that gives ranges to the last n variables. False if one has
 * another range. */
bool write_anchor(Gen *g, const Value *v, int n);
const Value *any_value(Gen *g);
long value_len(const Value *v);
/* May one more element of v be read here? A lazy value with reductions inside, read in a reduction,
 * is work without end. */
bool affordable(const Gen *g, const Value *v);
void count_read(Gen *g, const Value *v, long times);
/* The value's elements at indices that the variables in scope make. */
void write_element(Gen *g, const Value *v, int depth);
/* From `x`, of type `from`, one of type t and size s. The text of x is written by the function
 * itself. */
void limit_begin(Gen *g, Ty from, Size has, Ty t, Size s);
void limit_end(Gen *g, Ty from, Size has, Ty t, Size s);

/* ---- reduce_expr.c: reductions in expressions ---- */
bool write_reduction(Gen *g, Ty t, Size s, int depth);
/* A new variable in scope; close_var takes it out and gives its range, false if it has none or it
 * is empty. */
Var *open_var(Gen *g, bool given, Span range);
bool close_var(Gen *g, Span *range);

/* ---- func.c: user functions ---- */
bool write_call(Gen *g, Ty t, Size s, int depth);
const Func *need_func(Gen *g, Ty ret, Size s);

/* ---- promote.c: expressions of functions ---- */
/* An expression over the domain of v, with at least one function in it. */
void write_function(Gen *g, Ty t, Size s, const Value *v, int depth);

/* ---- stmt.c, pattern.c, form.c, record.c ---- */
void write_statement(Gen *g);
void line(Gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
Value *new_value(Gen *g, const char *prefix, Ty t, Size s, int rank, const Span *dom, bool array);
void write_type(Gen *g, Ty t, int rank, bool array);
void show(Gen *g, const Value *v);
Value *base_array(Gen *g, Ty t, Size s, int rank, const Span *dom);
Value *base_any(Gen *g);
Span choose_span(Gen *g, int limit);
void stmt_contraction(Gen *g);
void stmt_recurrence(Gen *g);
void stmt_key(Gen *g);
void stmt_chain(Gen *g);
void stmt_ragged(Gen *g);
void stmt_window(Gen *g);
void stmt_user_reduction(Gen *g);
void stmt_fold(Gen *g);
void stmt_record(Gen *g);
void stmt_partial(Gen *g);
void stmt_restriction(Gen *g);
void stmt_range(Gen *g);
void stmt_functional(Gen *g);
void stmt_local_array(Gen *g);
void stmt_solve(Gen *g);
void stmt_given_window(Gen *g);
void stmt_product(Gen *g);
void stmt_together(Gen *g);
void stmt_guarded(Gen *g);

/* ---- network.c, wrong.c, special.c ---- */
void stmt_network(Gen *g);
void stmt_by_slices(Gen *g);
void stmt_wrong(Gen *g);
void stmt_special(Gen *g);

/* ---- slice.c, steps.c, stride.c ---- */
void stmt_slices(Gen *g);
void stmt_steps(Gen *g);
void stmt_stride(Gen *g);
void stmt_pixels(Gen *g);
void stmt_few(Gen *g);
void stmt_operation(Gen *g);
void stmt_user_scan(Gen *g);

/* ---- lane.c, order.c ---- */
int choose_length(Gen *g);
/* The form with each %x of `marks` replaced by its value. */
void write_form(Text *out, const char *form, const char *marks, const char *const *values);
const char *number_text(char text[16], int n);
void stmt_border(Gen *g);
void stmt_narrow(Gen *g);
void stmt_gather(Gen *g);
void stmt_lane_function(Gen *g);
void stmt_shift(Gen *g);
void stmt_turned(Gen *g);
void stmt_scan(Gen *g);
void stmt_wave(Gen *g);
void stmt_table(Gen *g);
void stmt_best(Gen *g);
void stmt_results(Gen *g);

/* ---- case.c ---- */
/* Appends the declarations and the function of one case. */
void write_case(Text *out, int number, Choices *c);
/* Appends what all cases use, and what calls cases[0..n). */
void write_prelude(Text *out);
void write_main(Text *out, const int *numbers, int n);

/* ---- reduce.c ---- */
/* Reduces the case of a seed while `command FILE` succeeds for its program, and appends the
 * smallest; 0 if it failed at all. */
int reduce_case(uint64_t seed, const char *command, const char *file, Text *out);

#endif
