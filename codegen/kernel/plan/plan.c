/* Plans: the leading comment of a generated text, read. The grammar is described in docs/kernels.md. */
#include "plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "plan_read.h"

enum {
    MAX_FLAGS = 32, /* bits of a variant */
    DEEP_LETS = 400 /* that may stand behind each other */
};

/* The word is next, or the plan lacks it; the expression behind it. */
#define EXPECT(r, word)                                                                            \
    (plan_read_word((r), word " ") ? (void)0 : plan_read_fail((r), "plan lacks '" word "'"))
#define AFTER(r, word) (EXPECT(r, word), plan_read_expr(r))
/* A list as it was read, moved to the arena. */
#define KEPT(arena, list) moved((arena), (list).data, (list).len * sizeof *(list).data)

static void *moved(Arena *arena, void *data, size_t bytes)
{
    void *copy = arena_copy(arena, data, bytes);
    vec_release(data);
    return copy;
}

static void read_range(Reader *r, int *first, int *count)
{
    *first = plan_read_number(r, FD_MAX_RANK);
    *count = plan_read_number(r, FD_MAX_RANK + 1);
}

static void add_named(Reader *r, Names *list, Named n, size_t limit)
{
    if (list->len == limit)
        plan_read_fail(r, "plan defines too many names");
    else
        vec_push(list, n);
}

static void read_named(Reader *r, Names *list, size_t limit)
{
    const char *name = plan_read_name(r);
    Named n = {.name = name, .expr = AFTER(r, "=")};
    add_named(r, list, n, limit);
}

static void read_guess(Reader *r, int guess)
{
    const char *name = plan_read_name(r);
    int i = plan_find_named(&r->plan->lets, name, strlen(name));
    if (i < 0)
        plan_read_fail(r, "plan guesses what it does not define");
    else
        r->plan->lets.data[i].guess = guess;
}

static int read_dims(Reader *r, const PlanExpr *dims[3])
{
    int n = 0;
    do {
        dims[n++] = plan_read_expr(r);
    } while (n < 3 && plan_read_word(r, ","));
    return n;
}

static PlanArg read_arg(Reader *r)
{
    PlanArg a = {0};
    ScalarKind kind;
    if (plan_read_word(r, "slot ")) {
        a.kind = CG_ARG_SLOT;
        a.index = plan_read_number(r, r->plan->nslots);
    } else if (plan_read_word(r, "temp ")) {
        a.kind = CG_ARG_TEMP;
        a.index = plan_read_number(r, (int)r->temps.len);
    } else if (plan_read_word(r, "value ")) {
        a.kind = CG_ARG_BYTES;
        a.is_value = true;
        a.index = plan_read_number(r, r->plan->nslots);
        a.type = r->error ? SC_INT : r->slots.data[a.index];
    } else if (plan_read_word(r, "out")) {
        a.kind = CG_ARG_OUT;
        while (*r->at == ' ') r->at++;
        if (*r->at >= '0' && *r->at <= '9') a.index = plan_read_number(r, (int)r->outs.len);
    } else if (plan_read_word(r, "error")) {
        a.kind = CG_ARG_ERROR;
    } else {
        const char *type = plan_read_name(r);
        a.is_index = strcmp(type, "idx") == 0;
        if (a.is_index)
            kind = SC_INT;
        else if (!scalar_from_name(type, strlen(type), &kind) || !scalar_is_integer(kind))
            plan_read_fail(r, "plan has an unknown kind of argument");
        a.kind = CG_ARG_BYTES;
        a.type = r->error ? SC_INT : kind;
        a.expr = plan_read_expr(r);
    }
    return a;
}

/* out K, or temp T own, or temp T segments E of E bytes E each E [light] [plain] */
static PlanWrite read_write(Reader *r)
{
    PlanWrite w = {.kind = CG_ARG_OUT};
    if (plan_read_word(r, "out ")) {
        w.index = plan_read_number(r, FD_MAX_FIELDS);
        return w;
    }
    w.kind = CG_ARG_TEMP;
    EXPECT(r, "temp");
    w.index = plan_read_number(r, (int)r->temps.len);
    w.own = plan_read_word(r, "own");
    if (w.own) return w;
    w.segments = AFTER(r, "segments");
    w.entries = AFTER(r, "of");
    w.bytes = AFTER(r, "bytes");
    w.each = AFTER(r, "each");
    w.light = plan_read_word(r, "light");
    w.plain = plan_read_word(r, "plain");
    return w;
}

/* temp T rows FIRST COUNT of E from E to E [each] */
static PlanRead read_rows(Reader *r)
{
    PlanRead p = {0};
    EXPECT(r, "temp");
    p.temp = plan_read_number(r, (int)r->temps.len);
    EXPECT(r, "rows");
    read_range(r, &p.first, &p.count);
    p.n = AFTER(r, "of");
    p.low = AFTER(r, "from");
    p.high = AFTER(r, "to");
    p.each = plan_read_word(r, "each");
    return p;
}

static void read_all_rows(Reader *r, PlanCut *c)
{
    VEC(PlanRead) reads = {0};
    if (!plan_read_word(r, "reads ")) return;
    do {
        vec_push(&reads, read_rows(r));
    } while (!r->error && plan_read_word(r, ","));
    c->nreads = (int)reads.len;
    c->reads = KEPT(r->plan->arena, reads);
}

/* turn E diagonal|columns|rows FIRST COUNT by E of E from E back N [down] */
static void read_turns(Reader *r, PlanCut *c)
{
    static const char *const words[] = {[CG_TURNS_DIAGONAL] = "diagonal ",
                                        [CG_TURNS_COLUMNS] = "columns ",
                                        [CG_TURNS_ROWS] = "rows "};
    if (!plan_read_word(r, "turn ")) return;
    c->turns.turn = plan_read_expr(r);
    for (CgTurnsKind k = CG_TURNS_DIAGONAL; k <= CG_TURNS_ROWS && !c->turns.kind; k++)
        if (plan_read_word(r, words[k])) c->turns.kind = k;
    if (!c->turns.kind) plan_read_fail(r, "plan has an unknown kind of turns");
    read_range(r, &c->turns.first, &c->turns.count);
    c->turns.step = AFTER(r, "by");
    c->turns.n = AFTER(r, "of");
    c->turns.from = AFTER(r, "from");
    EXPECT(r, "back");
    c->turns.back = plan_read_number(r, CG_TURNS_BACK);
    c->turns.down = plan_read_word(r, "down");
}

/* cut DIM by E of E [from E] rows FIRST COUNT [turn ..]|inner FIRST COUNT|sum [FIRST] [finite TEMP BYTES] writes W, .. [reads R, ..] */
static PlanCut read_cut(Reader *r)
{
    PlanCut c = {.dim = plan_read_number(r, 3)};
    c.step = AFTER(r, "by");
    c.n = AFTER(r, "of");
    if (plan_read_word(r, "from ")) c.from = plan_read_expr(r);
    c.inner = plan_read_word(r, "inner ");
    if (c.inner || plan_read_word(r, "rows ")) {
        read_range(r, &c.first, &c.count);
        read_turns(r, &c);
    } else if (!plan_read_word(r, "sum ")) {
        plan_read_fail(r, "plan does not say what is divided");
    } else if (isdigit((unsigned char)*r->at)) {
        c.first = plan_read_number(r, FD_MAX_RANK);
    }
    if (plan_read_word(r, "finite ")) {
        c.finite = 1 + plan_read_number(r, (int)r->temps.len);
        c.finite_bytes = plan_read_number(r, (int)sizeof(double) + 1);
    }
    VEC(PlanWrite) writes = {0};
    EXPECT(r, "writes");
    do {
        vec_push(&writes, read_write(r));
    } while (!r->error && plan_read_word(r, ","));
    c.nwrites = (int)writes.len;
    c.writes = KEPT(r->plan->arena, writes);
    read_all_rows(r, &c);
    return c;
}

static void read_cuts(Reader *r, Step *s)
{
    VEC(PlanCut) cuts = {0};
    while (!r->error && plan_read_word(r, "cut ")) vec_push(&cuts, read_cut(r));
    s->ncuts = (int)cuts.len;
    s->cuts = KEPT(r->plan->arena, cuts);
}

/* run NAME [when E] [quiet E] [over] [again] global E, .. [local E, ..] args A, .. [cut ..] .. */
static void read_run(Reader *r)
{
    Step s = {.kind = STEP_RUN, .kernel = plan_read_name(r)};
    if (plan_read_word(r, "when ")) s.when = plan_read_expr(r);
    if (plan_read_word(r, "quiet ")) s.quiet = plan_read_expr(r);
    s.over = plan_read_word(r, "over ");
    s.again = plan_read_word(r, "again ");
    EXPECT(r, "global");
    s.dims = read_dims(r, s.global);
    if (plan_read_word(r, "local ") && read_dims(r, s.local) != s.dims)
        plan_read_fail(r, "plan's local size differs in rank");
    VEC(PlanArg) args = {0};
    if (plan_read_word(r, "args ")) {
        do {
            vec_push(&args, read_arg(r));
        } while (!r->error && plan_read_word(r, ","));
    }
    s.nargs = (int)args.len;
    s.args = KEPT(r->plan->arena, args);
    read_cuts(r, &s);
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
    Named var = {.name = plan_read_name(r)};
    s.from = AFTER(r, "=");
    s.to = AFTER(r, "to");
    s.by = AFTER(r, "step");
    if (plan_read_word(r, "when ")) s.when = plan_read_expr(r);
    if (r->error) return;
    add_named(r, &p->lets, var, MAX_NAMES);
    vec_push(&r->open, (int)r->steps.len);
    vec_push(&r->steps, s);
}

static void read_end(Reader *r)
{
    if (r->open.len == 0) {
        plan_read_fail(r, "plan has an 'end' without a loop");
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
    if (plan_read_number(r, r->plan->nslots) != (int)r->slots.len)
        plan_read_fail(r, "plan's slots are out of order");
    bool array = plan_read_word(r, "array ");
    const char *type = plan_read_name(r);
    ScalarKind k = SC_INT;
    bool record = array && strcmp(type, "record") == 0;
    if (!record && !scalar_from_name(type, strlen(type), &k))
        plan_read_fail(r, "plan has an unknown type");
    if (array) plan_read_number(r, FD_MAX_RANK + 1);
    vec_push(&r->slots, k);
}

static void read_line(Reader *r)
{
    CgPlan *p = r->plan;
    if (plan_read_word(r, "slots ")) {
        p->nslots = plan_read_number(r, 1 << 16);
        p->asked = arena_array(p->arena, unsigned char, p->nslots + 1);
        memset(p->asked, 0, (size_t)p->nslots + 1);
    } else if (plan_read_word(r, "slot ")) {
        read_slot(r);
    } else if (plan_read_word(r, "define ")) {
        read_named(r, &p->defines, MAX_NAMES);
    } else if (plan_read_word(r, "let ")) {
        read_named(r, &p->lets, MAX_NAMES);
    } else if (plan_read_word(r, "usual ")) {
        read_guess(r, 1);
    } else if (plan_read_word(r, "seldom ")) {
        read_guess(r, -1);
    } else if (plan_read_word(r, "flag ")) {
        read_named(r, &p->flags, MAX_FLAGS);
    } else if (plan_read_word(r, "temp ")) {
        if (plan_read_number(r, 1 << 16) != (int)r->temps.len)
            plan_read_fail(r, "plan's temporaries are out of order");
        vec_push(&r->temps, AFTER(r, "bytes"));
    } else if (plan_read_word(r, "out ")) { /* of several with its number */
        bool one = plan_read_word(r, "bytes ");
        if ((one ? 0 : plan_read_number(r, FD_MAX_FIELDS)) != (int)r->outs.len)
            plan_read_fail(r, "plan's results are out of order");
        vec_push(&r->outs, one ? plan_read_expr(r) : AFTER(r, "bytes"));
    } else if (plan_read_word(r, "options ")) {
        p->options = arena_strndup(p->arena, r->at, strlen(r->at));
        p->reals = strstr(p->options, CG_OPTION_PRECISE) ? FD_REALS_PRECISE
                   : strstr(p->options, CG_OPTION_FAST)  ? FD_REALS_FAST
                                                         : FD_REALS_USUAL;
        r->at += strlen(r->at);
    } else if (plan_read_word(r, "run ")) {
        read_run(r);
    } else if (plan_read_word(r, "loop ")) {
        read_loop(r);
    } else if (plan_read_word(r, "end")) {
        read_end(r);
    } else {
        plan_read_fail(r, "plan has an unknown line");
    }
    while (*r->at == ' ') r->at++;
    if (*r->at) plan_read_fail(r, "plan has more on a line than it should");
}

static Names names_done(Arena *arena, Names *read)
{
    return (Names){.len = read->len, .data = KEPT(arena, *read)};
}

size_t cg_plan_bytes(const char *text)
{
    const char *end = strstr(text, "\n */");
    return end ? (size_t)(end - text) : strlen(text);
}

CgPlan *cg_plan_parse(const char *text, const char **error)
{
    static const char head[] = "/* C$ plan\n";
    Arena *arena = arena_new();
    CgPlan *p = arena_new_of(arena, CgPlan);
    p->arena = arena;
    p->exprs = plan_exprs_new(arena);
    p->options = "";
    Reader r = {.plan = p};
    if (strncmp(text, head, sizeof head - 1) != 0)
        plan_read_fail(&r, "text does not begin with a plan");
    const char *line = text + sizeof head - 1;
    while (!r.error && strncmp(line, " */", 3) != 0) {
        const char *end = strchr(line, '\n');
        if (!end || strncmp(line, " * ", 3) != 0) {
            plan_read_fail(&r, "plan is cut off");
            break;
        }
        r.at = arena_strndup(arena, line + 3, (size_t)(end - line - 3));
        read_line(&r);
        line = end + 1;
    }
    if (r.open.len) plan_read_fail(&r, "plan has a loop without 'end'");
    if (!r.outs.len || (int)r.slots.len != p->nslots) plan_read_fail(&r, "plan is incomplete");
    p->ntemps = (int)r.temps.len;
    p->nouts = (int)r.outs.len;
    p->nsteps = (int)r.steps.len;
    p->nkernels = (int)r.kernels.len;
    p->defines = names_done(arena, &p->defines);
    p->lets = names_done(arena, &p->lets);
    p->flags = names_done(arena, &p->flags);
    p->slot_types = KEPT(arena, r.slots);
    p->temps = KEPT(arena, r.temps);
    p->outs = KEPT(arena, r.outs);
    p->steps = KEPT(arena, r.steps);
    p->kernels = KEPT(arena, r.kernels);
    p->deep = p->lets.len > DEEP_LETS;
    p->wide = plan_find_named(&p->flags, "CS_WIDE", 7);
    plan_exprs_done(p->exprs);
    vec_free(&r.open);
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
