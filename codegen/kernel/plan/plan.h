/* A plan that was read (plan.c), for those who bind it (bind.c). */
#ifndef CS_CODEGEN_PLAN_H
#define CS_CODEGEN_PLAN_H

#include "../codegen.h"
#include "expr.h"

typedef enum SymbolClass {
    SYM_SLOT_N,
    SYM_SLOT_LO,
    SYM_SLOT_VALUE,
    SYM_DEVICE,
    SYM_DEFINE,
    SYM_LET
} SymbolClass;

enum { CLASS_SHIFT = 28, INDEX_SHIFT = 4 }; /* symbol = class, index, dimension */
enum { MAX_NAMES = 1 << (CLASS_SHIFT - INDEX_SHIFT) };

typedef struct Named {
    const char *name;
    const PlanExpr *expr; /* NULL: the variable of a loop */
    int guess;            /* LET: 1 usual, -1 seldom (num_guess) */
} Named;

typedef struct Names {
    Named *data;
    size_t len, cap; /* a VEC while it is read */
} Names;

typedef struct PlanArg {
    CgArgKind kind;
    int index;
    ScalarKind type;      /* BYTES */
    bool is_value;        /* BYTES: the value of scalar slot `index`, not an expression */
    bool is_index;        /* BYTES: an idx_t, int or long as the flag CS_WIDE says */
    const PlanExpr *expr; /* BYTES */
} PlanArg;

typedef struct PlanWrite {
    CgArgKind kind;
    int index;
    bool own, light, plain;
    const PlanExpr *segments, *entries, *bytes, *each;
} PlanWrite;

typedef struct PlanRead {
    int temp, first, count;
    bool each;
    const PlanExpr *n, *low, *high;
} PlanRead;

typedef struct PlanCut {
    int dim, first, count;
    bool inner;
    int finite, finite_bytes;
    const PlanExpr *step, *n, *from; /* from NULL: 0 */
    struct {
        CgTurnsKind kind;
        bool down;
        int back, first, count;
        const PlanExpr *turn, *step, *n, *from;
    } turns;
    int nwrites;
    const PlanWrite *writes;
    int nreads;
    const PlanRead *reads;
} PlanCut;

typedef enum StepKind { STEP_RUN, STEP_LOOP, STEP_END } StepKind;

typedef struct Step {
    StepKind kind;
    const char *kernel;
    const PlanExpr *when;  /* NULL: always */
    const PlanExpr *quiet; /* no error is reported; NULL: not known */
    bool over, again;
    int dims;
    const PlanExpr *global[3], *local[3]; /* local[0] NULL: the device chooses */
    int nargs;
    const PlanArg *args;
    int ncuts;
    const PlanCut *cuts;
    int let; /* LOOP: its variable */
    const PlanExpr *from, *to, *by;
    int partner; /* LOOP: index of its END; END: of its LOOP */
} Step;

struct CgPlan {
    Arena *arena;
    PlanExprs *exprs;
    unsigned char *asked;   /* by slot: dimensions that are used */
    ScalarKind *slot_types; /* of scalar slots */
    int nslots, ntemps, nouts, nsteps, nkernels;
    Names defines, lets, flags;
    const PlanExpr **temps, **outs;
    const Step *steps;
    const char **kernels;
    const char *options; /* fixed part of the build options.. */
    FdReals reals;       /* ..and what it says of reals */
    int wide;            /* the flag CS_WIDE; -1: there is none */
    bool deep; /* so many lets may stand behind each other that they are worked out in order */
};

/* ---- bind.c ---- */

/* A plan, the numbers that it is bound to, and what has been worked out of them. */
typedef struct Values {
    const CgPlan *plan;
    const CgBinding *binding; /* NULL where only device properties may be used */
    const CgDevice *device;
    bool wide;               /* idx_t is long */
    int64_t *lets;           /* variables of loops.. */
    int64_t *limits, *steps; /* ..which end before these, and grow by these */
    PlanMemo *memo;
} Values;

static inline int64_t bind_number(const PlanExpr *e, const Values *v)
{
    return plan_expr_eval(e, v->memo);
}
Values *bind_values(const CgPlan *p, const CgBinding *b, const CgDevice *d, Arena *arena);
void bind_deep(const Values *v);  /* lets that may stand behind each other without end, in order */
uint32_t bind_variant(Values *v); /* and v->wide */
void bind_value(const PlanArg *a, const Values *v, CgArg *out); /* of BYTES, whose type is there */
bool bind_items(const Step *s, const Values *v, CgLaunch *l);   /* false: it has none */
bool bind_uses(const CgSchedule *s, int temp);

enum { BIND_MAX_PASSED = 1 << 20 /* steps: plans come from files, no loop is endless */ };
typedef struct BindWalk { /* a way through the steps of a plan */
    int at, passed;
} BindWalk;
/* The next that is to be run. NULL: there is none; or (passed) there are too many. */
const Step *bind_next(const Values *v, BindWalk *w);

int64_t plan_device_value(const CgDevice *d, int i); /* of NumFact i */
/* Its number; -1: there is none of that name. */
int plan_find_named(const Names *list, const char *name, size_t len);

#endif
