/* From a graph to OpenCL C: schedule (kernel splitting, data mapping, tiling) -> kernel IR -> text.
 * Used by csc ahead of time and by the runtime on a miss: same graph, same options, same bytes.
 *
 * The text describes itself: its leading comment is the plan (docs/kernels.md), which says what
 * temporaries, kernels, NDRanges and arguments one evaluation takes, as integer expressions
 * over extents. What depends on the device enters as -D options. */
#ifndef CS_CODEGEN_CODEGEN_H
#define CS_CODEGEN_CODEGEN_H

#include "../../fdag/fdag.h"

typedef enum CgFamily { CG_CPU, CG_GPU } CgFamily;
typedef enum CgTile { CG_TILE_AUTO, CG_TILE_1X1, CG_TILE_2X2, CG_TILE_4X4 } CgTile;

typedef struct CgOptions {
    CgFamily family;
    CgTile tile;
    bool precise;  /* IEEE per operation, fixed order; of a graph that says so, too */
    bool fast;     /* denormals are zero: of graphs that say so, unless precise */
    uint32_t seed; /* of parameters that are drawn (plan/draw.h), for tests; 0: none are */
    /* Parameters that have these values: "contract.rows=8 map.copies=2", NULL: none. What nobody knows
     * is not there. */
    const char *set;
} CgOptions;

typedef enum CgStatus {
    CG_OK,
    CG_USER_ERROR, /* error says what and where */
    CG_HOST_ONLY   /* needs a host function (FdUser without body): evaluate on the host */
} CgStatus;

/* Lowers one evaluation: g's slots are arrays and scalars only (after fd_substitute), its ranges
 * are no longer OPEN. Runs fd_back_passes on its own copy; g stays as it is. *text is malloc'ed; on
 * CG_USER_ERROR it holds the message that error->message points to. */
CgStatus cg_lower(const FdGraph *g, const CgOptions *options, char **text, FdError *error);

/* n generated texts as one, without a plan; all were made with these options. A kernel's name has
 * CG_JOINED behind it there, with the number of its text. Malloc'ed; NULL if one is damaged. */
#define CG_JOINED "_of%d"
char *cg_join(int n, const char *const *texts, const CgOptions *options);

/* The kernels of a text as kernel IR (ir/kir.h), for printers besides OpenCL's: functions come after
 * those that they call. They live as long as the call that they are handed to. */
typedef struct CgCode {
    const char *text;
    const CgOptions *options;
    int nfuncs;
    const struct KirFunc *funcs;
} CgCode;
typedef void CgTake(void *ctx, const CgCode *code);

/* A parameter of schedules (plan/parameters.def). */
typedef enum CgSteps { CG_STEP_EACH, CG_STEP_DOUBLE, CG_STEP_YES_NO } CgSteps;
typedef struct CgParameter {
    const char *name, *meaning;
    const char *attribute; /* of programs, whose argument it is; "": of none */
    int argument;
    int64_t least, most;
    CgSteps steps; /* from one value to the next */
} CgParameter;
int cg_parameters(void);
const CgParameter *cg_parameter(int k);
int cg_find_parameter(const char *name, size_t len); /* -1: there is none */
/* Has a parameter of this name to do with a kernel of this one? */
bool cg_concerns(const char *parameter, const char *kernel);
/* Does it name parameters, each with a value that it may have? If not, *at is where the wrong word is. */
bool cg_set_is_right(const char *set, size_t *at);

/* Values for single evaluations, as text: a line each (plan/tuned.c). The file of csc tune has comments
 * besides, from # on; false, with the number of the line, if it has something else. */
bool cg_tuned_read(const char *file, Text *tuned, int *line);
void cg_tuned_add(Text *tuned, FdKey graph, CgFamily family, const char *set);
/* Adds those of one evaluation to a CgOptions.set. */
void cg_tuned_find(const char *tuned, FdKey graph, CgFamily family, Text *set);

typedef struct CgAsked {
    bool asked;
    int64_t wide, narrow; /* the usual value, with vectors of 64 bytes and with shorter ones */
} CgAsked;

/* A schedule to take in place of those of recipes: nests, and the lines of the plan that are not about
 * them, as text (docs/kernels.md). One that is none of the graph is a user error; `line`, from 1, says
 * where. Programs have no reader: cg_schedule_reader is linked by whoever names it. */
struct Unit;
struct Def;
typedef const char *CgReader(struct Unit *, const char *text, int ndefs, const struct Def *,
                             int *line);
CgReader cg_schedule_reader;
typedef struct CgReading {
    CgReader *reader;
    const char *text;
    int line;
} CgReading;

/* What else to do with a text: each may be NULL. */
typedef struct CgAlso {
    CgReading *read;
    /* The schedule taken is appended, with comments that say what is computed in scalar code and why,
     * or why there is no kernel. */
    Text *printed;
    CgTake *take;
    void *ctx;      /* of take */
    CgAsked *asked; /* cg_parameters of them: which parameters recipes ask for */
} CgAlso;
CgStatus cg_lower_also(const FdGraph *g, const CgOptions *options, const CgAlso *also, char **text,
                       FdError *error);

/* A schedule that was printed in words, for whoever wrote the program (docs/kernels.md). */
void cg_explain(const char *schedule, Text *out);

/* Mixes the options and the generator's version (made by the build from its sources) into a graph's
 * key. */
FdKey cg_key(FdKey graph, const CgOptions *options);
/* "auto" "1x1" "2x2" "4x4"; "cpu" "gpu". False if the text is none of them. */
bool cg_tile_from_text(const char *text, CgTile *out);
bool cg_family_from_text(const char *text, CgFamily *out);
const char *cg_tile_text(CgTile t);

/* ---- plans, at run time ---------------------------------------------------------------- */

enum {
    CG_MOST_L3 = 64 << 20
}; /* of a processor's: what is beyond belongs to others, or to arrays */
/* What a vector of 64 bytes takes of the unit that divides, and a root by an estimate of the others, counted in
 * multiplications. 0: not known. */
typedef struct CgDivider {
    int quotient, root, estimate;
} CgDivider;
typedef struct CgDevice { /* what the device layer reports */
    CgFamily family;
    int units;        /* compute units */
    int places;       /* ranks that each do a share of launches, or blocks; 0: one */
    int vector_bytes; /* 16, 32, 64: widest efficient vector */
    size_t l1, l2, l3;
    size_t cache; /* l2 of the processor at hand; 0: l2. Native kernels are made for some l2 */
    size_t max_group, local_bytes;
    bool has_double;
    bool gathers;         /* has an instruction for it that is sooner than loads one by one */
    int multiplies;       /* of the widest vectors, begun in a cycle */
    CgDivider divider[2]; /* of floats, of doubles */
    bool rounds;          /* quotients and roots of floats are right if that is asked for */
} CgDevice;

/* Levels of x86-64 for which kernels are compiled into programs (codegen/native). */
typedef enum CgNativeLevel {
    CG_NATIVE_V2,
    CG_NATIVE_QUICK, /* v3's vectors; compiled in a fraction of the time, and slower: see native.c */
    CG_NATIVE_V3,
    CG_NATIVE_V4,
    CG_NATIVE_ZEN4, /* v4 where gathers are many operations: runs wherever v4 does */
    CG_NATIVE_LEVELS
} CgNativeLevel;
CgDevice cg_native_device(CgNativeLevel level, int units); /* the device that plans are bound for */
const char *cg_native_cpu(CgNativeLevel level);            /* LLVM's name */
bool cg_native_level_runs(CgNativeLevel level);            /* on this processor */
enum { CG_NATIVE_ALL = (1 << CG_NATIVE_LEVELS) - 1 };
int cg_native_best(
    unsigned levels); /* of these bits: what is best on this processor; -1: none runs */
bool cg_native_is_full(CgNativeLevel level); /* is none much better on this processor? */
bool cg_gathers(void);                       /* of this processor: CgDevice.gathers */
size_t cg_close_cache(
    void); /* bytes of its L3, if that is of a few cores and nearly as fast as L2; 0: it has none such */
bool cg_native_level_from_text(const char *text, size_t len, CgNativeLevel *out); /* "v3" */

/* Numbers of one evaluation, in the key's order (FdOrder): of the k-th visited slot. */
typedef struct CgBinding {
    /* Domain of an array slot; and as one dimension more, which the rank does not count, the least
     * of its values and the greatest plus 1, where cg_plan_asks for them and they are known. */
    const FdBox *slot_boxes;
    const ScalarValue *slot_scalars; /* value of a scalar slot */
    bool cuts;                       /* CgLaunch has them */
} CgBinding;

typedef enum CgArgKind {
    CG_ARG_SLOT,
    CG_ARG_TEMP,
    CG_ARG_OUT,
    CG_ARG_ERROR,
    CG_ARG_BYTES
} CgArgKind;
typedef struct CgArg {
    CgArgKind kind;
    int index;       /* slot (visit order), temporary or result */
    size_t size;     /* BYTES: 1..8 bytes of `bytes` */
    bool is_value;   /* BYTES: the value of scalar slot `index` */
    ScalarKind type; /* in which it is given */
    uint8_t bytes[8];
} CgArg;

/* What items of a launch write: a result, at their positions; or of a temporary, which has `segments` of so many entries
 * of so many bytes: one for each group of `each` positions or (0) for each position. own: whatever reads it is divided
 * alike. light: it is made sooner than it is sent. plain: it comes to some value of whatever is read. */
typedef struct CgWrite {
    CgArgKind kind; /* OUT, TEMP */
    int index;
    bool own, light, plain;
    int64_t segments, entries, bytes, each; /* TEMP, unless own */
} CgWrite;

/* Of a temporary the items of a cut read, of its dimensions `first` to first + count - 1, of which there are n
 * combinations, those from low to high (both included) beside their own positions. each: the temporary has no other
 * dimensions, and all these reads are made for each position. */
typedef struct CgRead {
    int temp, first, count;
    bool each;
    int64_t n, low, high;
} CgRead;

/* Of a launch that is one of several turns, each of which reads what others have written of the same result: `back` rows
 * before its own, which is why shares do them one behind the other, in pieces of columns. */
typedef enum CgTurnsKind {
    CG_TURNS_NONE,
    CG_TURNS_DIAGONAL, /* item g has rows number p = first + g and columns number turn - p, those that there are */
    CG_TURNS_COLUMNS, /* rows number `turn`; an item for some columns */
    CG_TURNS_ROWS     /* the same; the launch is for all columns that these have */
} CgTurnsKind;
enum { CG_TURNS_BACK = 64 }; /* less than so many */
typedef struct CgTurns {
    CgTurnsKind kind;
    bool down; /* the last rows are the first turn's */
    int64_t turn, back;
    int first, count;      /* dimensions of columns, which are combinations as those of a cut .. */
    int64_t step, n, from; /* .. and cut so */
} CgTurns;

/* A dimension of a launch in which items number i do positions i * step to (i + 1) * step - 1 of n, counted from
 * `from`: combinations of `count` of the result's dimensions from `first` on, the last fastest; or (count 0) of a
 * reduction's variables, from `first` on. The last item may begin earlier, to have `step` of them. inner: of a temporary's variables, whatever
 * they are to the result's.
 * step n: one item does all of them, and no others. finite: 1 + a temporary of reals of finite_bytes: if one of them is not
 * finite, items read whatever others do, too; 0: none. */
typedef struct CgCut {
    int dim, first, count;
    bool inner;
    int finite, finite_bytes;
    int64_t step, n, from;
    /* Of some of the dimensions that items are of (divide.c): a position is `each` of theirs, of which an item does `by`; and the
     * same `span` further on, `repeats` times in all. By does not always divide each: then some are done twice. */
    int64_t repeats, each, by, span;
    CgTurns turns;
    int nwrites;
    const CgWrite *writes; /* all that they write */
    int nreads;
    const CgRead *reads; /* of temporaries; of others they may read anything */
} CgCut;

typedef struct CgLaunch {
    const char *kernel;
    int step; /* of the plan */
    int dims;
    size_t global[3], local[3]; /* local[0] == 0: the device chooses */
    int nargs;
    CgArg *args;
    bool quiet; /* whatever it takes, it reports no error on these numbers */
    bool over;  /* results may lie over slots that it reads */
    bool again; /* it does something only if a launch before has noted a failure */
    int ncuts;
    const CgCut *cuts; /* if the binding asked for them */
} CgLaunch;

typedef struct CgSchedule { /* a bound plan, in the arena given to cg_plan_bind */
    uint32_t variant; /* which build of the text: one bit a `flag` of the plan (CS_WIDE: offsets
                         need 64 bits) */
    int ntemps;
    size_t *temp_bytes;
    size_t out_bytes; /* 0: the result has no elements, and nothing is launched */
    int nouts;        /* as many as the graph has results */
    size_t *outs;     /* bytes of each; out_bytes is all of them */
    int nlaunches;
    CgLaunch *launches;
} CgSchedule;

typedef struct CgPlan CgPlan;

/* Reads the plan of a generated text; NULL with *error (static text) if it is damaged. Owns copies.
 */
CgPlan *cg_plan_parse(const char *text, const char **error);
/* How many bytes of a generated text are its plan. Of graphs with one key it is the same: kernels alone have the
 * names of variables. */
size_t cg_plan_bytes(const char *text);
void cg_plan_free(CgPlan *p);
/* The variant of p whose flags have the values that they have in a variant of another plan; flags
 * that are not there are 0. */
uint32_t cg_plan_variant_like(const CgPlan *p, const CgPlan *other, uint32_t variant);
/* The -D and compiler options for clBuildProgram, malloc'ed. */
char *cg_plan_build_options(const CgPlan *p, const CgDevice *d, uint32_t variant);
/* The value of a macro of the kernels (a define of the plan); false: there is none of that name. */
bool cg_plan_macro(const CgPlan *p, const CgDevice *d, const char *name, int64_t *value);
/* The bit of a flag in a variant, -1: there is none of that name. */
int cg_plan_flag(const CgPlan *p, const char *name);
/* How its kernels compute reals: by these among the options of the text. */
#define CG_OPTION_PRECISE "-DCS_PRECISE"
#define CG_OPTION_FAST "-cl-denorms-are-zero"
FdReals cg_plan_reals(const CgPlan *p);
/* Kernel names of the plan, in text order. */
int cg_plan_kernels(const CgPlan *p, const char *const **names);
/* Which of its kernels may run on slots of which this is known, in the key's order, whatever they are
 * otherwise; on a device that may have other units and caches. */
void cg_plan_reach(const CgPlan *p, const CgDevice *d, const FdKnown *slots, bool *kernels);
/* Does the plan ask for the values of an array slot of this rank, or (0) for that of a scalar slot
 * other than as an argument? */
bool cg_plan_asks(const CgPlan *p, int slot, int rank);
bool cg_plan_bind(const CgPlan *p, const CgBinding *b, const CgDevice *d, Arena *arena,
                  CgSchedule *out);
/* Puts other values of scalar slots into a bound plan that asks for none (cg_plan_asks). */
void cg_schedule_scalars(CgSchedule *s, const CgBinding *b);
/* Binds a schedule s of p once more, when numbers of b have changed: what has not changed is not worked out again. b outlives it;
 * in the arena. */
typedef struct CgAgain CgAgain;
CgAgain *cg_plan_again(const CgPlan *p, const CgBinding *b, const CgDevice *d, const CgSchedule *s,
                       Arena *arena);
/* False: with these numbers other kernels run, or temporaries are larger than they are there. s stays as it is then. Takes no memory. */
bool cg_plan_bind_again(CgAgain *a, CgSchedule *s);

/* Kernels report the first error here, in int words: kind (0 none), site (FdOrder node), then for
 * CG_ERR_INDEX three 64-bit numbers, low word first: the index, and the lower bound and length of
 * the dimension. The runtime zeroes it before a run that can fail. */
enum { CG_ERROR_WORDS = 16 };
typedef enum CgErrorKind {
    CG_ERR_NONE,
    CG_ERR_INDEX,
    CG_ERR_DIVIDE,
    CG_ERR_EMPTY,
    /* No error: a kernel in lanes noted that something may have failed, and a checked one has done
     * the work again. */
    CG_ERR_NOTED
} CgErrorKind;

#endif
