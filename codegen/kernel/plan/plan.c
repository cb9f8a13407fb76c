/* Plans: the leading comment of a generated text, read and bound to the numbers of one evaluation.
 * The grammar is described in docs/kernels.md. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/text.h"
#include "../../../base/vec.h"
#include "../codegen.h"
#include "expr.h"
#include "number.h"

enum {
    MAX_FLAGS = 32, /* bits of a variant */
    MAX_PASSED = 1 << 20,
    LAZY_LETS = 400 /* they may stand behind each other */
};

/* ---- symbols ------------------------------------------------------------------------------- */

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

static int64_t device_value(const CgDevice *d, int i)
{
    const int64_t values[NUM_FACTS] = {[NUM_UNITS] = d->units,
                                       [NUM_VECTOR_BYTES] = d->vector_bytes,
                                       [NUM_L1] = (int64_t)d->l1,
                                       [NUM_L2] = (int64_t)d->l2,
                                       [NUM_L3] = (int64_t)d->l3,
                                       [NUM_MAX_GROUP] = (int64_t)d->max_group,
                                       [NUM_LOCAL_BYTES] = (int64_t)d->local_bytes,
                                       [NUM_GPU] = d->family == CG_GPU,
                                       [NUM_CACHE] = (int64_t)(d->cache ? d->cache : d->l2)};
    return values[i];
}

/* ---- the parsed plan ------------------------------------------------------------------------ */

typedef struct Named {
    const char *name;
    const PlanExpr *expr;
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

typedef enum StepKind { STEP_RUN, STEP_LOOP, STEP_END } StepKind;

typedef struct Step {
    StepKind kind;
    const char *kernel;
    const PlanExpr *when;  /* NULL: always */
    const PlanExpr *quiet; /* no error is reported; NULL: not known */
    int dims;
    const PlanExpr *global[3], *local[3]; /* local[0] NULL: the device chooses */
    int nargs;
    const PlanArg *args;
    int let; /* LOOP: its variable */
    const PlanExpr *from, *to, *by;
    int partner; /* LOOP: index of its END; END: of its LOOP */
} Step;

struct CgPlan {
    Arena *arena;
    unsigned char *asked;   /* by slot: dimensions that are used */
    ScalarKind *slot_types; /* of scalar slots */
    int nslots, ntemps, nouts, nsteps, nkernels;
    Names defines, lets, flags;
    const PlanExpr **temps, **outs;
    const Step *steps;
    const char **kernels;
    const char *options; /* fixed part of the build options */
    bool lazy;           /* lets are worked out where they are asked for */
};

typedef struct Reader {
    CgPlan *plan;
    const char *at; /* in the current line */
    const char *error;
    VEC(ScalarKind) slots;
    VEC(const PlanExpr *) temps, outs;
    VEC(Step) steps;
    VEC(int) open; /* loops */
    VEC(const char *) kernels;
} Reader;

static void fail(Reader *r, const char *why)
{
    if (!r->error) r->error = why;
}

static bool accept(Reader *r, const char *word)
{
    while (*r->at == ' ') r->at++;
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

static const char *read_name(Reader *r)
{
    while (*r->at == ' ') r->at++;
    size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n == 0) fail(r, "plan lacks a name");
    const char *name = arena_strndup(r->plan->arena, r->at, n);
    r->at += n;
    return name;
}

static int read_number(Reader *r, int limit)
{
    while (*r->at == ' ') r->at++;
    char *end;
    long v = strtol(r->at, &end, 10);
    if (end == r->at || v < 0 || v >= limit) {
        fail(r, "plan holds a number out of range");
        return 0;
    }
    r->at = end;
    return (int)v;
}

/* What was defined last is asked for most. */
static int find_named(const Names *list, const char *name, size_t len)
{
    for (size_t i = list->len; i-- > 0;)
        if (strncmp(list->data[i].name, name, len) == 0 && !list->data[i].name[len]) return (int)i;
    return -1;
}

static bool is_named(const char *word, const char *name, size_t len)
{
    return strlen(word) == len && memcmp(word, name, len) == 0;
}

/* s0.n1 s0.lo1 s2, device properties, defines, lets. */
static int resolve(void *ctx, const char *name, int len)
{
    const CgPlan *p = ((Reader *)ctx)->plan;
    size_t n = (size_t)len;
    int slot, dim;
    bool lower;
    if (plan_slot_symbol(name, n, &slot, &dim, &lower) && slot < p->nslots && dim < FD_MAX_RANK) {
        int asked = dim < 0 ? 1 : dim + 1;
        if (asked > p->asked[slot]) p->asked[slot] = (unsigned char)asked;
        SymbolClass class = dim < 0 ? SYM_SLOT_VALUE : lower ? SYM_SLOT_LO : SYM_SLOT_N;
        return (int)class << CLASS_SHIFT | slot << INDEX_SHIFT | (dim < 0 ? 0 : dim);
    }
    for (int i = 0; i < NUM_FACTS; i++)
        if (is_named(num_fact_names[i], name, n))
            return (int)SYM_DEVICE << CLASS_SHIFT | i << INDEX_SHIFT;
    int i = find_named(&p->defines, name, n);
    if (i >= 0) return (int)SYM_DEFINE << CLASS_SHIFT | i << INDEX_SHIFT;
    i = find_named(&p->lets, name, n);
    return i < 0 ? -1 : (int)SYM_LET << CLASS_SHIFT | i << INDEX_SHIFT;
}

static const PlanExpr *read_expr(Reader *r)
{
    const char *error = NULL;
    const PlanExpr *e = plan_expr_parse(r->plan->arena, &r->at, resolve, r, &error);
    if (!e) fail(r, error);
    return e;
}

static void add_named(Reader *r, Names *list, Named n, size_t limit)
{
    if (list->len == limit)
        fail(r, "plan defines too many names");
    else
        vec_push(list, n);
}

static void read_named(Reader *r, Names *list, size_t limit)
{
    const char *name = read_name(r);
    if (!accept(r, "=")) fail(r, "plan lacks '='");
    add_named(r, list, (Named){name, read_expr(r)}, limit);
}

static int read_dims(Reader *r, const PlanExpr *dims[3])
{
    int n = 0;
    do {
        dims[n++] = read_expr(r);
    } while (n < 3 && accept(r, ","));
    return n;
}

static PlanArg read_arg(Reader *r)
{
    PlanArg a = {0};
    ScalarKind kind;
    if (accept(r, "slot ")) {
        a.kind = CG_ARG_SLOT;
        a.index = read_number(r, r->plan->nslots);
    } else if (accept(r, "temp ")) {
        a.kind = CG_ARG_TEMP;
        a.index = read_number(r, (int)r->temps.len);
    } else if (accept(r, "value ")) {
        a.kind = CG_ARG_BYTES;
        a.is_value = true;
        a.index = read_number(r, r->plan->nslots);
        a.type = r->error ? SC_INT : r->slots.data[a.index];
    } else if (accept(r, "out ")) {
        a.kind = CG_ARG_OUT;
        a.index = read_number(r, (int)r->outs.len);
    } else if (accept(r, "out")) {
        a.kind = CG_ARG_OUT;
    } else if (accept(r, "error")) {
        a.kind = CG_ARG_ERROR;
    } else {
        const char *type = read_name(r);
        a.is_index = strcmp(type, "idx") == 0;
        if (a.is_index)
            kind = SC_INT;
        else if (!scalar_from_name(type, strlen(type), &kind) || !scalar_is_integer(kind))
            fail(r, "plan has an unknown kind of argument");
        a.kind = CG_ARG_BYTES;
        a.type = r->error ? SC_INT : kind;
        a.expr = read_expr(r);
    }
    return a;
}

/* run NAME [when E] [quiet E] global E, .. [local E, ..] args A, .. */
static void read_run(Reader *r)
{
    Step s = {.kind = STEP_RUN, .kernel = read_name(r)};
    if (accept(r, "when ")) s.when = read_expr(r);
    if (accept(r, "quiet ")) s.quiet = read_expr(r);
    if (!accept(r, "global ")) fail(r, "plan lacks 'global'");
    s.dims = read_dims(r, s.global);
    if (accept(r, "local ") && read_dims(r, s.local) != s.dims)
        fail(r, "plan's local size differs in rank");
    VEC(PlanArg) args = {0};
    if (accept(r, "args ")) {
        do {
            vec_push(&args, read_arg(r));
        } while (!r->error && accept(r, ","));
    }
    s.nargs = (int)args.len;
    s.args = arena_copy(r->plan->arena, args.data, args.len * sizeof *args.data);
    vec_free(&args);
    size_t known = 0;
    while (known < r->kernels.len && strcmp(r->kernels.data[known], s.kernel) != 0) known++;
    if (known == r->kernels.len) vec_push(&r->kernels, s.kernel);
    vec_push(&r->steps, s);
}

/* loop NAME = from .. to step by [when E]: the steps up to `end` run once for each value. */
static void read_loop(Reader *r)
{
    CgPlan *p = r->plan;
    Step s = {.kind = STEP_LOOP, .let = (int)p->lets.len};
    Named var = {read_name(r), NULL};
    if (!accept(r, "=")) fail(r, "plan lacks '='");
    s.from = read_expr(r);
    if (!accept(r, "to ")) fail(r, "plan lacks 'to'");
    s.to = read_expr(r);
    if (!accept(r, "step ")) fail(r, "plan lacks 'step'");
    s.by = read_expr(r);
    if (accept(r, "when ")) s.when = read_expr(r);
    if (r->error) return;
    add_named(r, &p->lets, var, MAX_NAMES);
    vec_push(&r->open, (int)r->steps.len);
    vec_push(&r->steps, s);
}

static void read_end(Reader *r)
{
    if (r->open.len == 0) {
        fail(r, "plan has an 'end' without a loop");
        return;
    }
    int loop = r->open.data[--r->open.len];
    Step s = {.kind = STEP_END, .partner = loop};
    r->steps.data[loop].partner = (int)r->steps.len;
    vec_push(&r->steps, s);
}

/* slot K array TYPE RANK, or slot K TYPE */
static void read_slot(Reader *r)
{
    if (read_number(r, r->plan->nslots) != (int)r->slots.len)
        fail(r, "plan's slots are out of order");
    bool array = accept(r, "array ");
    const char *type = read_name(r);
    ScalarKind k = SC_INT;
    bool record = array && strcmp(type, "record") == 0;
    if (!record && !scalar_from_name(type, strlen(type), &k)) fail(r, "plan has an unknown type");
    if (array) read_number(r, FD_MAX_RANK + 1);
    vec_push(&r->slots, k);
}

static void read_line(Reader *r)
{
    CgPlan *p = r->plan;
    if (accept(r, "slots ")) {
        p->nslots = read_number(r, 1 << 16);
        p->asked = arena_array(p->arena, unsigned char, p->nslots + 1);
        memset(p->asked, 0, (size_t)p->nslots + 1);
    } else if (accept(r, "slot ")) {
        read_slot(r);
    } else if (accept(r, "define ")) {
        read_named(r, &p->defines, MAX_NAMES);
    } else if (accept(r, "let ")) {
        read_named(r, &p->lets, MAX_NAMES);
    } else if (accept(r, "flag ")) {
        read_named(r, &p->flags, MAX_FLAGS);
    } else if (accept(r, "temp ")) {
        if (read_number(r, 1 << 16) != (int)r->temps.len)
            fail(r, "plan's temporaries are out of order");
        if (!accept(r, "bytes ")) fail(r, "plan lacks 'bytes'");
        vec_push(&r->temps, read_expr(r));
    } else if (accept(r, "out ")) { /* of several with its number */
        bool one = accept(r, "bytes ");
        if ((one ? 0 : read_number(r, FD_MAX_FIELDS)) != (int)r->outs.len)
            fail(r, "plan's results are out of order");
        if (!one && !accept(r, "bytes ")) fail(r, "plan lacks 'bytes'");
        vec_push(&r->outs, read_expr(r));
    } else if (accept(r, "options ")) {
        p->options = arena_strndup(p->arena, r->at, strlen(r->at));
        r->at += strlen(r->at);
    } else if (accept(r, "run ")) {
        read_run(r);
    } else if (accept(r, "loop ")) {
        read_loop(r);
    } else if (accept(r, "end")) {
        read_end(r);
    } else {
        fail(r, "plan has an unknown line");
    }
    while (*r->at == ' ') r->at++;
    if (*r->at) fail(r, "plan has more on a line than it should");
}

/* A list as it was read, moved to the arena. */
static Names names_done(Arena *arena, Names *read)
{
    Names n = {.len = read->len};
    n.data = arena_copy(arena, read->data, read->len * sizeof *read->data);
    vec_free(read);
    return n;
}

/* Most of a plan is of forms that the numbers at hand do not take: lets that nobody asks for are not
 * worked out. Where loops count, all are at once, and where that could take more stack than there is. */
static bool is_lazy(const CgPlan *p)
{
    bool lazy = p->lets.len <= LAZY_LETS;
    for (size_t i = 0; i < p->lets.len; i++) lazy = lazy && p->lets.data[i].expr;
    return lazy;
}

CgPlan *cg_plan_parse(const char *text, const char **error)
{
    static const char head[] = "/* C$ plan\n";
    Arena *arena = arena_new();
    CgPlan *p = arena_new_of(arena, CgPlan);
    p->arena = arena;
    p->options = "";
    Reader r = {.plan = p};
    if (strncmp(text, head, sizeof head - 1) != 0) fail(&r, "text does not begin with a plan");
    const char *line = text + sizeof head - 1;
    while (!r.error && strncmp(line, " */", 3) != 0) {
        const char *end = strchr(line, '\n');
        if (!end || strncmp(line, " * ", 3) != 0) {
            fail(&r, "plan is cut off");
            break;
        }
        r.at = arena_strndup(arena, line + 3, (size_t)(end - line - 3));
        read_line(&r);
        line = end + 1;
    }
    if (r.open.len) fail(&r, "plan has a loop without 'end'");
    if (!r.outs.len || (int)r.slots.len != p->nslots) fail(&r, "plan is incomplete");
    p->ntemps = (int)r.temps.len;
    p->nouts = (int)r.outs.len;
    p->nsteps = (int)r.steps.len;
    p->nkernels = (int)r.kernels.len;
    p->defines = names_done(arena, &p->defines);
    p->lets = names_done(arena, &p->lets);
    p->flags = names_done(arena, &p->flags);
    p->slot_types = arena_copy(arena, r.slots.data, r.slots.len * sizeof *r.slots.data);
    p->temps = arena_copy(arena, r.temps.data, r.temps.len * sizeof *r.temps.data);
    p->outs = arena_copy(arena, r.outs.data, r.outs.len * sizeof *r.outs.data);
    p->steps = arena_copy(arena, r.steps.data, r.steps.len * sizeof *r.steps.data);
    p->kernels = arena_copy(arena, r.kernels.data, r.kernels.len * sizeof *r.kernels.data);
    p->lazy = is_lazy(p);
    vec_free(&r.slots);
    vec_free(&r.temps);
    vec_free(&r.outs);
    vec_free(&r.steps);
    vec_free(&r.open);
    vec_free(&r.kernels);
    if (!r.error) return p;
    *error = r.error;
    arena_free(arena);
    return NULL;
}

void cg_plan_free(CgPlan *p)
{
    if (p) arena_free(p->arena);
}

bool cg_plan_asks(const CgPlan *p, int slot, int rank)
{
    return slot < p->nslots && p->asked[slot] > rank;
}

int cg_plan_kernels(const CgPlan *p, const char *const **names)
{
    *names = p->kernels;
    return p->nkernels;
}

/* ---- binding -------------------------------------------------------------------------------- */

typedef struct Values {
    const CgPlan *plan;
    const CgBinding *binding; /* NULL where only device properties may be used */
    const CgDevice *device;
    bool wide; /* idx_t is long */
    int64_t *defines, *lets;
    bool *known; /* which lets are worked out; NULL: all */
} Values;

static int64_t value_of(const PlanExpr *e, const Values *v);

static int64_t let_value(const Values *v, int index)
{
    if (v->known && !v->known[index]) {
        v->lets[index] = value_of(v->plan->lets.data[index].expr, v);
        v->known[index] = true;
    }
    return v->lets[index];
}

static int64_t lookup(const void *ctx, int sym)
{
    const Values *v = ctx;
    int index = (sym & ((1 << CLASS_SHIFT) - 1)) >> INDEX_SHIFT,
        dim = sym & ((1 << INDEX_SHIFT) - 1);
    const CgBinding *b = v->binding;
    switch ((SymbolClass)(sym >> CLASS_SHIFT)) {
    case SYM_DEVICE: return device_value(v->device, index);
    case SYM_DEFINE: return v->defines[index];
    case SYM_LET: return let_value(v, index);
    default: break;
    }
    if (!b) return 0;
    switch ((SymbolClass)(sym >> CLASS_SHIFT)) {
    case SYM_SLOT_LO: return b->slot_boxes[index].dim[dim].lo;
    case SYM_SLOT_N: return b->slot_boxes[index].dim[dim].hi - b->slot_boxes[index].dim[dim].lo;
    case SYM_SLOT_VALUE: return b->slot_scalars[index].i;
    default: return 0;
    }
}

static int64_t value_of(const PlanExpr *e, const Values *v)
{
    return plan_expr_eval(e, lookup, v);
}

static int64_t *numbers_of(Arena *arena, const Names *names)
{
    return arena_array(arena, int64_t, names->len + 1);
}

static Values values_new(const CgPlan *p, const CgBinding *b, const CgDevice *d, Arena *arena)
{
    Values v = {.plan = p, .binding = b, .device = d};
    v.defines = numbers_of(arena, &p->defines);
    v.lets = numbers_of(arena, &p->lets);
    for (size_t i = 0; i < p->defines.len; i++)
        v.defines[i] = value_of(p->defines.data[i].expr, &v);
    if (b && p->lazy) {
        v.known = arena_array(arena, bool, p->lets.len + 1);
        return v;
    }
    for (size_t i = 0; b && i < p->lets.len; i++)
        if (p->lets.data[i].expr) /* else a loop's variable */
            v.lets[i] = value_of(p->lets.data[i].expr, &v);
    return v;
}

static uint32_t variant_of(const CgPlan *p, const Values *v)
{
    uint32_t variant = 0;
    for (size_t i = 0; i < p->flags.len; i++)
        if (value_of(p->flags.data[i].expr, v)) variant |= 1u << i;
    return variant;
}

uint32_t cg_plan_variant_like(const CgPlan *p, const CgPlan *other, uint32_t variant)
{
    uint32_t out = 0;
    for (size_t i = 0; i < p->flags.len; i++) {
        const char *name = p->flags.data[i].name;
        int at = find_named(&other->flags, name, strlen(name));
        if (at >= 0 && (variant >> at & 1)) out |= 1u << i;
    }
    return out;
}

char *cg_plan_build_options(const CgPlan *p, const CgDevice *d, uint32_t variant)
{
    Arena *arena = arena_new();
    Values v = values_new(p, NULL, d, arena);
    Text t = {0};
    text_add(&t, p->options);
    for (size_t i = 0; i < p->defines.len; i++)
        text_printf(&t, " -D%s=%" PRId64, p->defines.data[i].name, v.defines[i]);
    for (size_t i = 0; i < p->flags.len; i++)
        text_printf(&t, " -D%s=%d", p->flags.data[i].name, (int)(variant >> i & 1));
    arena_free(arena);
    return text_take(&t);
}

bool cg_plan_macro(const CgPlan *p, const CgDevice *d, const char *name, int64_t *value)
{
    int i = find_named(&p->defines, name, strlen(name));
    if (i < 0) return false;
    Arena *arena = arena_new();
    *value = values_new(p, NULL, d, arena).defines[i];
    arena_free(arena);
    return true;
}

FdReals cg_plan_reals(const CgPlan *p)
{
    return strstr(p->options, CG_OPTION_PRECISE) ? FD_REALS_PRECISE
           : strstr(p->options, CG_OPTION_FAST)  ? FD_REALS_FAST
                                                 : FD_REALS_USUAL;
}

int cg_plan_flag(const CgPlan *p, const char *name)
{
    return find_named(&p->flags, name, strlen(name));
}

static CgArg bind_arg(const PlanArg *a, const Values *v)
{
    CgArg out = {.kind = a->kind, .index = a->index};
    if (a->kind == CG_ARG_BYTES) {
        ScalarValue x = {.i = 0};
        if (a->is_value)
            x = v->binding->slot_scalars[a->index];
        else
            x.i = value_of(a->expr, v);
        ScalarKind type = a->is_index && v->wide ? SC_LONG : a->type;
        if (type == SC_BOOL) type = SC_INT; /* as values have it in kernels */
        if (type == SC_HALF) type = SC_FLOAT;
        out.size = scalar_bytes(type);
        out.type = type;
        out.is_value = a->is_value;
        scalar_store(out.bytes, type, x);
    }
    return out;
}

static CgLaunch bind_run(const Step *s, const Values *v, Arena *arena)
{
    CgLaunch l = {.kernel = s->kernel, .dims = s->dims, .nargs = s->nargs};
    for (int d = 0; d < s->dims; d++) {
        int64_t global = value_of(s->global[d], v),
                local = s->local[0] ? value_of(s->local[d], v) : 0;
        l.global[d] = global > 0 ? (size_t)global : 0;
        l.local[d] = local > 0 ? (size_t)local : 0;
    }
    CgArg *args = arena_array(arena, CgArg, s->nargs ? s->nargs : 1);
    for (int i = 0; i < s->nargs; i++) args[i] = bind_arg(&s->args[i], v);
    l.args = args;
    l.quiet = s->quiet && value_of(s->quiet, v);
    return l;
}

/* NULL if one is negative. */
static size_t *sizes_of(int n, const PlanExpr *const *exprs, const Values *v, Arena *arena)
{
    size_t *sizes = arena_array(arena, size_t, n ? n : 1);
    for (int i = 0; i < n; i++) {
        int64_t bytes = value_of(exprs[i], v);
        if (bytes < 0) return NULL;
        sizes[i] = (size_t)bytes;
    }
    return sizes;
}

/* Bytes of temporaries that no launch takes are none: kernels that keep rows of them may stand in. */
static void drop_unused(CgSchedule *s, size_t *bytes)
{
    for (int k = 0; k < s->ntemps; k++) {
        bool used = false;
        for (int i = 0; i < s->nlaunches && !used; i++)
            for (int a = 0; a < s->launches[i].nargs && !used; a++)
                used =
                    s->launches[i].args[a].kind == CG_ARG_TEMP && s->launches[i].args[a].index == k;
        if (!used) bytes[k] = 0;
    }
}

bool cg_plan_bind(const CgPlan *p, const CgBinding *b, const CgDevice *d, Arena *arena,
                  CgSchedule *out)
{
    Values v = values_new(p, b, d, arena);
    int wide = find_named(&p->flags, "CS_WIDE", 7);
    *out = (CgSchedule){.variant = variant_of(p, &v), .ntemps = p->ntemps, .nouts = p->nouts};
    v.wide = wide >= 0 && (out->variant >> wide & 1);
    size_t *temp_bytes = sizes_of(p->ntemps, p->temps, &v, arena);
    out->temp_bytes = temp_bytes;
    out->outs = sizes_of(p->nouts, p->outs, &v, arena);
    if (!out->temp_bytes || !out->outs) return false;
    for (int i = 0; i < p->nouts; i++) out->out_bytes += out->outs[i];
    if (out->out_bytes == 0) return true;
    VEC(CgLaunch) launches = {0};
    int64_t *limits = numbers_of(arena, &p->lets), *steps = numbers_of(arena, &p->lets);
    int passed = 0; /* plans come from files: no endless loops */
    for (int i = 0; i < p->nsteps && passed < MAX_PASSED; i++, passed++) {
        const Step *s = &p->steps[i];
        if (s->kind == STEP_LOOP) {
            v.lets[s->let] = value_of(s->from, &v);
            limits[s->let] = value_of(s->to, &v);
            steps[s->let] = value_of(s->by, &v);
            bool enter = (!s->when || value_of(s->when, &v)) && steps[s->let] > 0 &&
                         v.lets[s->let] < limits[s->let];
            if (!enter) i = s->partner;
        } else if (s->kind == STEP_END) {
            int let = p->steps[s->partner].let;
            bool more = (uint64_t)limits[let] - (uint64_t)v.lets[let] > (uint64_t)steps[let];
            v.lets[let] += more ? steps[let] : 0;
            if (more) i = s->partner;
        } else if (!s->when || value_of(s->when, &v)) {
            CgLaunch l = bind_run(s, &v, arena);
            bool empty = false;
            for (int k = 0; k < l.dims; k++) empty |= l.global[k] == 0;
            if (!empty) vec_push(&launches, l);
        }
    }
    bool ended = passed < MAX_PASSED;
    out->nlaunches = (int)launches.len;
    out->launches = arena_copy(arena, launches.data, launches.len * sizeof *launches.data);
    vec_free(&launches);
    drop_unused(out, temp_bytes);
    return ended;
}

void cg_schedule_scalars(CgSchedule *s, const CgBinding *b)
{
    for (int i = 0; i < s->nlaunches; i++)
        for (int k = 0; k < s->launches[i].nargs; k++) {
            CgArg *a = &s->launches[i].args[k];
            if (a->is_value) scalar_store(a->bytes, a->type, b->slot_scalars[a->index]);
        }
}
