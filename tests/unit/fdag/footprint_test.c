/* Footprints: boxes of stencils, clamps, periodic indices, choices and tables; what cannot fail; and random indices, each of
 * which an interpreter finds inside. */
#include <check.h>
#include <stdlib.h>

#include "../../../fdag/index/footprint/footprint.h"
#include "../suite.h"
#include "fdag_graph.h"

enum { N = 100 };

static FdFootprint prints[4];

static bool table_values(const void *ctx, int slot, const FdBox *box, FdSpans *out)
{
    (void)ctx;
    (void)box;
    FdSpans low = fd_spans(-1, -1), high = fd_spans(1, 2);
    *out = fd_spans_join(&low, &high);
    return slot == 1;
}

static bool never_fails, each_apart; /* is each read apart, by fd_reads_apart? */

/* Slot 0 is u, an array of N; slot 1 a table of 3; slot 2 a scalar, N. */
static void find(const char *body, int64_t lo, int64_t hi)
{
    Fd *fd = fd_new();
    Text t = {0};
    text_printf(&t, "%%0 = slot 0 \"u\" : array int(int)\n"
                    "%%1 = slot 1 \"t\" : array int(int)\n"
                    "%%2 = slot 2 \"n\" : int\n"
                    "%%3 = var \"i\" : int\n");
    for (int k = 0; k < 11; k++) text_printf(&t, "%%%d = const %d : int\n", 60 + k, k);
    text_add(&t, body);
    FdGraph *g = read_graph(fd, t.data);
    FdBox boxes[4] = {{1, {{false, 0, N}}}, {1, {{false, 0, 3}}}}, box = {1, {{false, lo, hi}}};
    ScalarValue scalars[4] = {{0}, {0}, {N}};
    FdEnv env = {boxes, scalars};
    fd_footprints(g, &env, &box, table_values, NULL, prints);
    never_fails = fd_cannot_fail(g, &env, table_values, NULL);
    each_apart = fd_reads_apart(g, 0, &env, &box);
    text_free(&t);
    fd_free(fd);
}

static void expect(int i, int64_t lo, int64_t hi)
{
    ck_assert_int_lt(i, prints[0].nboxes);
    const FdExtent *e = &prints[0].boxes[i].dim[0];
    ck_assert(!e->full);
    ck_assert_int_eq(e->lo, lo);
    ck_assert_int_eq(e->hi, hi);
}

static void expect_near(int i, int64_t from, int64_t to)
{
    const FdExtent *e = &prints[0].boxes[i].dim[0];
    ck_assert_int_eq(e->near, 1);
    ck_assert_int_eq(e->from, from);
    ck_assert_int_eq(e->to, to);
}

#define ROOT                                                                                       \
    "%50 = const 0 : long\n%51 = const 100 : long\n"                                               \
    "%90 = let (%3 : given %50 .. %51) %80 : int(int)\nresult %90\n"

START_TEST(stencils)
{
    find("%4 = apply @sub (%3, %61) : int\n"
         "%80 = apply %0 (%4) : int\n" ROOT,
         90, 100);
    ck_assert_int_eq(prints[0].nboxes, 1);
    expect(0, 89, 99);
    expect_near(0, -1, -1);
    ck_assert_int_eq(prints[1].nboxes, 0);
}
END_TEST

START_TEST(clamps)
{
    find("%4 = apply @sub (%3, %61) : int\n"
         "%5 = apply @max (%4, %60) : int\n"
         "%80 = apply %0 (%5) : int\n" ROOT,
         0, 10);
    expect(0, 0, 9);
    expect_near(0, -1, 0);
}
END_TEST

START_TEST(remainders)
{
    const char *next = "%4 = apply @add (%3, %61) : int\n"
                       "%5 = apply @rem (%4, %2) : int\n"
                       "%80 = apply %0 (%5) : int\n" ROOT;
    find(next, 90, 100);
    ck_assert_int_eq(prints[0].nboxes, 2);
    expect(0, 0, 1);
    expect(1, 91, 100);
    find(next, 20, 30);
    ck_assert_int_eq(prints[0].nboxes, 1);
    expect(0, 21, 31);
    expect_near(0, 1, 1);
}
END_TEST

/* (r = (i - 1) % n) < 0 ? r + n : r */
START_TEST(periodic)
{
    find("%4 = apply @sub (%3, %61) : int\n"
         "%5 = apply @rem (%4, %2) : int\n"
         "%6 = apply @lt (%5, %60) : bool\n"
         "%7 = apply @add (%5, %2) : int\n"
         "%8 = apply @select (%6, %7, %5) : int\n"
         "%80 = apply %0 (%8) : int\n" ROOT,
         0, 10);
    ck_assert_int_eq(prints[0].nboxes, 2);
    expect(0, 0, 9);
    expect(1, 99, 100);
}
END_TEST

START_TEST(choices)
{
    const char *inside = "%4 = apply @gt (%3, %60) : bool\n"
                         "%5 = apply @sub (%3, %61) : int\n"
                         "%6 = apply %0 (%5) : int\n"
                         "%80 = apply @select (%4, %6, %67) : int\n" ROOT;
    find(inside, 0, 10);
    ck_assert_int_eq(prints[0].nboxes, 1);
    expect(0, 0, 9);
    find(inside, 0, 1);
    ck_assert_int_eq(prints[0].nboxes, 0);
    find("%4 = apply @add (%3, %62) : int\n"
         "%5 = apply @le (%2, %4) : bool\n"
         "%6 = apply @lt (%3, %63) : bool\n"
         "%7 = apply @lor (%5, %6) : bool\n"
         "%8 = apply %0 (%4) : int\n"
         "%80 = apply @select (%7, %67, %8) : int\n" ROOT,
         0, 100);
    expect(0, 5, 100);
}
END_TEST

START_TEST(tables)
{
    find("%4 = apply %1 (%3) : int\n"
         "%5 = apply @add (%3, %4) : int\n"
         "%80 = apply %0 (%5) : int\n" ROOT,
         0, 3);
    expect_near(0, -1, 2);
    expect(0, -1, 5);
    find("%4 = apply %0 (%3) : int\n"
         "%80 = apply %0 (%4) : int\n" ROOT,
         0, 3);
    ck_assert(prints[0].boxes[0].dim[0].full || prints[0].boxes[1].dim[0].full);
}
END_TEST

START_TEST(apart)
{
    FdBox box = {1, {{false, 10, 20}}};
    find("%80 = apply %0 (%3) : int\n" ROOT, 10, 20);
    ck_assert(fd_footprint_apart(&prints[0], &box));
    ck_assert(each_apart);
    find("%4 = apply @add (%3, %70) : int\n"
         "%80 = apply %0 (%4) : int\n" ROOT,
         10, 20);
    ck_assert(fd_footprint_apart(&prints[0], &box));
    find("%4 = apply @add (%3, %61) : int\n"
         "%80 = apply %0 (%4) : int\n" ROOT,
         10, 20);
    ck_assert(!fd_footprint_apart(&prints[0], &box));
    ck_assert(!each_apart);
}
END_TEST

/* Of a part of a function, f(i - lo), by the reads alone. */
START_TEST(apart_of_parts)
{
    static const struct {
        const char *reads;
        bool apart;
    } cases[] = {
        {"%6 = apply @add (%5, %70) : int\n%7 = apply %0 (%6) : int\n", true}, /* u(j + 10) */
        {"%6 = apply @add (%5, %69) : int\n%7 = apply %0 (%6) : int\n", false},
        {"%7 = apply %0 (%5) : int\n", false},
        {"%7 = apply %0 (%69) : int\n", true}, /* u(9), before it */
        {"%7 = apply %0 (%70) : int\n", false},
        {"%6 = apply @sub (%2, %61) : int\n%7 = apply %0 (%6) : int\n", true}, /* u(n - 1) */
        {"%6 = apply %1 (%60) : int\n%7 = apply %0 (%6) : int\n", false},
        {"%6 = apply @mul (%5, %62) : int\n%7 = apply %0 (%6) : int\n", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Text t = {0};
        text_add(&t, "%5 = var \"j\" : int\n");
        text_add(&t, cases[k].reads);
        text_add(&t, "%8 = let (%5 : given %60 .. %70) %7 : int(int)\n"
                     "%9 = apply @sub (%3, %70) : int\n%80 = apply %8 (%9) : int\n" ROOT);
        find(t.data, 10, 20);
        ck_assert_msg(each_apart == cases[k].apart, "%s", cases[k].reads);
        text_free(&t);
    }
}
END_TEST

/* All of the root, over 0..100. */
static bool is_safe(const char *body)
{
    find(body, 0, N);
    return never_fails;
}

/* s(j) = j == 0 ? u(0) : s(j - 1) + u(j), of which only s(n - 1) is asked for. */
START_TEST(recurrence)
{
    find("%4 = var \"j\" : int\n"
         "%5 = var \"s\" : int(int)\n"
         "%6 = apply @eq (%4, %60) : bool\n"
         "%7 = apply %0 (%60) : int\n"
         "%8 = apply @sub (%4, %61) : int\n"
         "%9 = apply %5 (%8) : int\n"
         "%10 = apply %0 (%4) : int\n"
         "%11 = apply @add (%9, %10) : int\n"
         "%12 = apply @select (%6, %7, %11) : int\n"
         "%13 = rec %5 (%4 : given %60..%2) %12 : int(int)\n"
         "%14 = apply @sub (%2, %61) : int\n"
         "%15 = apply %13 (%14) : int\n"
         "%16 = apply @add (%15, %3) : int\n"
         "%17 = let (%3 : given %60..%2) %16 : int(int)\n"
         "result %17\n",
         0, 2);
    FdBox all = fd_footprint_hull(&prints[0]);
    ck_assert(!all.dim[0].full && all.dim[0].lo == 0 && all.dim[0].hi == N);
}
END_TEST

START_TEST(failing)
{
    const char *less = "%4 = apply @sub (%3, %61) : int\n%5 = apply %0 (%4) : int\n";
    Text t = {0};
    ck_assert(is_safe("%80 = apply %0 (%3) : int\n" ROOT));
    ck_assert(!is_safe("%4 = apply @sub (%3, %61) : int\n%80 = apply %0 (%4) : int\n" ROOT));
    text_printf(
        &t, "%s%%6 = apply @eq (%%3, %%60) : bool\n%%80 = apply @select (%%6, %%60, %%5) : int\n%s",
        less, ROOT);
    ck_assert(is_safe(t.data)); /* i == 0 ? 0 : u(i - 1) */
    text_free(&t);
    t = (Text){0};
    text_printf(
        &t, "%s%%6 = apply @eq (%%3, %%61) : bool\n%%80 = apply @select (%%6, %%60, %%5) : int\n%s",
        less, ROOT);
    ck_assert(!is_safe(t.data)); /* i == 1 ? 0 : u(i - 1) */
    text_free(&t);
    /* what is read is guarded as a whole: i % 3 + t(i % 3) of 3 */
    const char *sum = "%4 = apply @rem (%3, %63) : int\n%5 = apply %1 (%4) : int\n"
                      "%6 = apply @add (%4, %5) : int\n%7 = apply %1 (%6) : int\n";
    t = (Text){0};
    text_printf(&t,
                "%s%%8 = apply @ge (%%6, %%60) : bool\n%%9 = apply @lt (%%6, %%63) : bool\n"
                "%%10 = apply @land (%%8, %%9) : bool\n"
                "%%80 = apply @select (%%10, %%7, %%60) : int\n%s",
                sum, ROOT);
    ck_assert(is_safe(t.data));
    text_free(&t);
    t = (Text){0};
    text_printf(&t,
                "%s%%8 = apply @ge (%%6, %%60) : bool\n"
                "%%80 = apply @select (%%8, %%7, %%60) : int\n%s",
                sum, ROOT);
    ck_assert(!is_safe(t.data));
    text_free(&t);
    ck_assert(is_safe("%4 = apply @add (%3, %61) : int\n%80 = apply @div (%70, %4) : int\n" ROOT));
    ck_assert(!is_safe("%80 = apply @div (%70, %3) : int\n" ROOT));
    /* functions inside of their ranges and not */
#define INNER                                                                                      \
    "%20 = var \"k\" : int\n%21 = const 0 : long\n%22 = const 100 : long\n"                        \
    "%23 = let (%20 : given %21 .. %22) %20 : int(int)\n"
    ck_assert(is_safe(INNER "%80 = apply %23 (%3) : int\n" ROOT));
    ck_assert(!is_safe(INNER "%4 = apply @add (%3, %61) : int\n%80 = apply %23 (%4) : int\n" ROOT));
}
END_TEST

/* ---- random indices ----------------------------------------------------------------------------- */

enum { VARS = 2, DEPTH = 5, GRAPHS = 4000 };

typedef struct Random {
    Fd *fd;
    uint32_t state;
    const FdNode *vars[VARS], *array, *table;
} Random;

static uint32_t below(Random *r, uint32_t n)
{
    r->state = r->state * 1664525u + 1013904223u;
    return (r->state >> 8) % n;
}

static const FdNode *op(Fd *fd, FdOp o, int n, const FdNode *const *args)
{
    return fd_apply_op(fd, o, fd_op_compares(o) ? SC_BOOL : SC_INT, n, args, (FdLoc){0});
}

static const FdNode *make(Random *r, int depth);

static const FdNode *make_condition(Random *r, int depth)
{
    static const FdOp compare[] = {FD_OP_LT, FD_OP_LE, FD_OP_GT, FD_OP_GE, FD_OP_EQ, FD_OP_NE};
    const FdNode *args[2];
    if (depth > 1 && below(r, 4) == 0) {
        args[0] = make_condition(r, depth - 1);
        args[1] = make_condition(r, depth - 1);
        return op(r->fd, below(r, 2) ? FD_OP_LAND : FD_OP_LOR, 2, args);
    }
    args[0] = make(r, depth - 1);
    args[1] = below(r, 2) ? make(r, depth - 1) : fd_int(r->fd, (int64_t)below(r, 24) - 8);
    return op(r->fd, compare[below(r, 6)], 2, args);
}

static const FdNode *make(Random *r, int depth)
{
    static const FdOp plain[] = {FD_OP_ADD, FD_OP_SUB, FD_OP_MUL, FD_OP_MIN, FD_OP_MAX};
    const FdNode *args[3];
    uint32_t what = depth > 0 ? below(r, 12) : 0;
    if (what < 3) return r->vars[below(r, VARS)];
    if (what == 3) return fd_int(r->fd, (int64_t)below(r, 24) - 8);
    if (what == 4) {
        args[0] = make_condition(r, depth);
        args[1] = make(r, depth - 1);
        args[2] = make(r, depth - 1);
        return op(r->fd, FD_OP_SELECT, 3, args);
    }
    args[0] = make(r, depth - 1);
    if (what == 5) return fd_apply(r->fd, r->table, 1, args, (FdLoc){0});
    if (what == 6) return op(r->fd, below(r, 2) ? FD_OP_NEG : FD_OP_ABS, 1, args);
    args[1] = what > 8 ? make(r, depth - 1) : fd_int(r->fd, 1 + below(r, 12));
    FdOp o = what > 8 ? plain[below(r, 5)]
                      : (FdOp[]){FD_OP_DIV, FD_OP_REM, FD_OP_BITAND, FD_OP_SHR}[below(r, 4)];
    if (o == FD_OP_SHR) args[1] = fd_int(r->fd, below(r, 3));
    return op(r->fd, o, 2, args);
}

typedef struct Run {
    int64_t vars[VARS];
    const FdNode *const *names;
    int misses;
} Run;

/* The table's element at i: two runs of numbers, any index is good. */
static int64_t element(int64_t i)
{
    return i % 3 ? 1 + (i & 1) : -1;
}

static int64_t run(Run *r, const FdNode *n)
{
    for (int i = 0; i < VARS; i++)
        if (n == r->names[i]) return r->vars[i];
    if (n->kind == FD_SCALAR) return n->value.i;
    FdOp o = fd_op_of(n);
    int64_t a = run(r, n->args[0]);
    if (o == FD_OP_SELECT) return run(r, n->args[a ? 1 : 2]);
    if (o == FD_OP_LAND || o == FD_OP_LOR)
        return (a != 0) == (o == FD_OP_LOR) ? a : run(r, n->args[1]);
    if (o != FD_OP_NONE) {
        ScalarValue v[2] = {{a}, {n->nargs > 1 ? run(r, n->args[1]) : 0}}, out;
        ck_assert(fd_op_eval(o, n->args[0]->type->scalar, n->type->scalar, v, &out) == FD_EVAL_OK);
        return out.i;
    }
    if (n->fn->slot == 1) return element(a);
    const FdFootprint *f = &prints[0];
    bool in = false;
    for (int i = 0; i < f->nboxes; i++) {
        const FdExtent *e = &f->boxes[i].dim[0];
        bool here = e->full || (e->lo <= a && a < e->hi);
        if (e->near) {
            int64_t by = a - r->vars[e->near - 1];
            here = here && e->from <= by && by <= e->to;
        }
        in = in || here;
    }
    r->misses += !in;
    return 0;
}

static bool random_graph(uint32_t seed)
{
    Fd *fd = fd_new();
    const FdType *t = fd_type_scalar(fd, SC_INT);
    Random r = {.fd = fd, .state = seed * 2654435761u + 1};
    r.array = fd_slot(fd, 0, fd_type_array(fd, SC_INT, 1), "u");
    r.table = fd_slot(fd, 1, fd_type_array(fd, SC_INT, 1), "t");
    FdDom doms[VARS];
    int64_t lo[VARS], hi[VARS];
    for (int i = 0; i < VARS; i++) {
        r.vars[i] = fd_var(fd, t, "i");
        lo[i] = (int64_t)below(&r, 20) - 6;
        hi[i] = lo[i] + 1 + below(&r, 8);
        doms[i] = (FdDom){FD_DOM_GIVEN, fd_long(fd, lo[i]), fd_long(fd, hi[i])};
    }
    const FdNode *reads[2];
    for (int i = 0; i < 2; i++) {
        const FdNode *index = make(&r, DEPTH);
        reads[i] = fd_apply(fd, r.array, 1, &index, (FdLoc){0});
    }
    const FdNode *args[] = {make_condition(&r, DEPTH), reads[0], reads[1]};
    const FdNode *body = op(fd, FD_OP_SELECT, 3, args);
    FdSlot slots[2] = {{.type = r.array->type, .is_array = true},
                       {.type = r.table->type, .is_array = true}};
    FdGraph g = {.nslots = 2};
    fd_set_root(fd, &g, fd_let(fd, VARS, r.vars, doms, body, (FdLoc){0}));
    g.slots = slots;
    FdBox boxes[2] = {{1, {{true, 0, 0}}}, {1, {{true, 0, 0}}}};
    ScalarValue scalars[2] = {{0}};
    fd_footprints(&g, &(FdEnv){boxes, scalars}, NULL, table_values, NULL, prints);
    Run now = {.names = r.vars};
    for (now.vars[0] = lo[0]; now.vars[0] < hi[0]; now.vars[0]++)
        for (now.vars[1] = lo[1]; now.vars[1] < hi[1]; now.vars[1]++) run(&now, body);
    fd_free(fd);
    return now.misses == 0;
}

/* ---- steps of a loop ----------------------------------------------------------------------------- */

/* Slot 0 is u, an array of 1000, of which `steps` times the neighbours are added; slot 1 says for how many of these
 * the middle one of three stands, if `turns`. moved: each reads the one before it through a function that is not stored, which
 * moves it up by one. */
static void find_steps(int steps, int64_t turns, bool moved, int64_t lo, int64_t hi)
{
    Fd *fd = fd_new();
    Text t = {0};
    int from = 0, n = 10;
    text_add(
        &t, "%0 = slot 0 \"u\" : array int(int)\n%1 = slot 1 \"turns\" : long\n%2 = const 1 : int\n"
            "%3 = const 0 : long\n%4 = const 1000 : long\n");
    for (int k = 0; k < steps; k++, n += 9) {
        text_printf(&t, "%%%d = var \"i\" : int\n%%%d = apply @sub (%%%d, %%2) : int\n", n, n + 1,
                    n);
        text_printf(&t, "%%%d = apply @add (%%%d, %%2) : int\n", n + 2, n);
        for (int i = 0; i < 3; i++)
            text_printf(&t, "%%%d = apply %%%d (%%%d) : int\n", n + 3 + i, from, n + i);
        text_printf(&t, "%%%d = apply @add (%%%d, %%%d) : int\n", n + 6, n + 3, n + 4);
        text_printf(&t, "%%%d = apply @add (%%%d, %%%d) : int\n", n + 7, n + 6, n + 5);
        text_printf(&t, "%%%d = let (%%%d : %s %%3..%%4) %%%d : int(int)\n", n + 8, n,
                    k + 1 < steps ? "array" : "given", n + 7);
        from = n + 8;
        if (!moved || k + 1 == steps) continue;
        text_printf(&t, "%%%d = var \"k\" : int\n%%%d = apply @sub (%%%d, %%2) : int\n", n + 9,
                    n + 10, n + 9);
        text_printf(&t, "%%%d = apply %%%d (%%%d) : int\n", n + 11, from, n + 10);
        text_printf(&t, "%%%d = let (%%%d : full) %%%d : int(int)\n", n + 12, n + 9, n + 11);
        from = n + 12;
        n += 4;
    }
    if (turns) text_add(&t, "hints \"Steps\"\nturns %1\n");
    text_printf(&t, "result %%%d\n", from);
    FdGraph *g = read_graph(fd, t.data);
    FdBox boxes[2] = {{1, {{false, 0, 1000}}}}, box = {1, {{false, lo, hi}}};
    ScalarValue scalars[2] = {{0}, {turns}};
    FdEnv env = {boxes, scalars};
    FdShare share = {.box = &box};
    fd_footprints_of(g, &env, &share, NULL, NULL, prints);
    text_free(&t);
    fd_free(fd);
}

static void expect_all(int64_t lo, int64_t hi)
{
    FdBox all = fd_footprint_hull(&prints[0]);
    ck_assert(!all.dim[0].full);
    ck_assert_int_eq(all.dim[0].lo, lo);
    ck_assert_int_eq(all.dim[0].hi, hi);
}

START_TEST(many_steps)
{
    find_steps(4, 0, false, 500, 510);
    expect_all(496, 514);
    find_steps(16, 0, false, 500, 510); /* 3^16 reads, if each were followed */
    expect_all(484, 526);
    find_steps(16, 0, false, 0, 10);
    expect_all(-1, 26);
}
END_TEST

START_TEST(turns)
{
    find_steps(3, 1, false, 500, 510);
    expect_all(497, 513);
    find_steps(3, 5, false, 500, 510);
    expect_all(493, 517);
    find_steps(3, 1, true, 500, 510);
    expect_all(495, 511);
    find_steps(3, 5, true, 500, 510);
    expect_all(487, 511);
    find_steps(3, 1000, false, 500, 510); /* too many to be followed */
    ck_assert(fd_footprint_hull(&prints[0]).dim[0].full);
}
END_TEST

START_TEST(random_indices)
{
    const char *first = getenv("FDAG_SEED"), *graphs = getenv("FDAG_RANDOM");
    uint32_t from = first ? (uint32_t)atoi(first) : 1, n = graphs ? (uint32_t)atoi(graphs) : GRAPHS;
    for (uint32_t seed = from; seed < from + n; seed++)
        ck_assert_msg(random_graph(seed), "graph %u: a read outside", seed);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("footprint");
    TCase *t = tcase_create("footprint");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, stencils);
    tcase_add_test(t, clamps);
    tcase_add_test(t, remainders);
    tcase_add_test(t, periodic);
    tcase_add_test(t, choices);
    tcase_add_test(t, tables);
    tcase_add_test(t, apart);
    tcase_add_test(t, apart_of_parts);
    tcase_add_test(t, recurrence);
    tcase_add_test(t, failing);
    tcase_add_test(t, many_steps);
    tcase_add_test(t, turns);
    tcase_add_test(t, random_indices);
    suite_add_tcase(s, t);
    return run_suite(s);
}
