/* Generated texts grow with their graphs and no faster, and nest no deeper: chains of every kind of
 * step, and random graphs whose values are used again and again. Nothing is built: codegen_test.c
 * and programs run texts. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/mem.h"
#include "../../../codegen/kernel/codegen.h"
#include "../../../codegen/kernel/ir/kir.h"
#include "../suite.h"

typedef struct Made {
    Fd *fd;
    const FdNode *a, *at, *i; /* an array of numbers, one of indices, the variable */
    const FdNode *ai;         /* a(i) */
    ScalarKind kind;
    FdUser *user;
    const FdType *record;
} Made;

static const FdNode *number(const Made *m, int v)
{
    ScalarValue x = {.i = v};
    if (scalar_is_real(m->kind)) x.f = v;
    return fd_const(m->fd, m->kind, x);
}

static const FdNode *op2(const Made *m, FdOp op, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {x, y};
    return fd_apply_op(m->fd, op, m->kind, 2, args, (FdLoc){0});
}

static const FdNode *op1(const Made *m, FdOp op, ScalarKind to, const FdNode *x)
{
    return fd_apply_op(m->fd, op, to, 1, &x, (FdLoc){0});
}

static const FdNode *choose(const Made *m, const FdNode *c, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {c, x, y};
    return fd_apply_op(m->fd, FD_OP_SELECT, m->kind, 3, args, (FdLoc){0});
}

static const FdNode *call(const Made *m, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {x, y};
    return fd_apply(m->fd, fd_user(m->fd, m->user), 2, args, (FdLoc){0});
}

static const FdNode *positive(const Made *m, const FdNode *x)
{
    return op2(m, FD_OP_GT, x, number(m, 0));
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef const FdNode *Step(const Made *m, const FdNode *f, int k);

static const FdNode *step_add(const Made *m, const FdNode *f, int k)
{
    (void)k;
    return op2(m, FD_OP_ADD, f, m->ai);
}

static const FdNode *step_twice(const Made *m, const FdNode *f, int k)
{
    (void)k;
    return op2(m, FD_OP_ADD, f, f);
}

static const FdNode *step_cast(const Made *m, const FdNode *f, int k)
{
    Made d = *m;
    d.kind = SC_DOUBLE;
    ScalarValue half = {.f = 0.5};
    (void)k;
    const FdNode *real = op1(m, FD_OP_CONVERT, SC_DOUBLE, f);
    real = op2(&d, FD_OP_MUL, real, fd_const(m->fd, SC_DOUBLE, half));
    return op2(m, FD_OP_ADD, op1(m, FD_OP_CONVERT, m->kind, real), m->ai);
}

static const FdNode *step_sign(const Made *m, const FdNode *f, int k)
{
    (void)k;
    return op2(m, FD_OP_ADD, op1(m, FD_OP_SIGN, m->kind, f), op1(m, FD_OP_ABS, m->kind, f));
}

static const FdNode *step_limits(const Made *m, const FdNode *f, int k)
{
    (void)k;
    return op2(m, FD_OP_MAX, op2(m, FD_OP_MIN, op2(m, FD_OP_MUL, f, m->ai), number(m, 9)), f);
}

static const FdNode *step_select(const Made *m, const FdNode *f, int k)
{
    (void)k;
    return choose(m, op2(m, FD_OP_GT, f, m->ai), op2(m, FD_OP_SUB, f, m->ai),
                  op2(m, FD_OP_ADD, f, number(m, 1)));
}

static const FdNode *step_divide(const Made *m, const FdNode *f, int k)
{
    (void)k;
    return choose(m, positive(m, f), op2(m, FD_OP_DIV, m->ai, f), op2(m, FD_OP_ADD, f, m->ai));
}

static const FdNode *step_call(const Made *m, const FdNode *f, int k)
{
    return call(m, f, number(m, k % 7));
}

/* Used in a branch alone: branches inside branches. */
static const FdNode *step_guard(const Made *m, const FdNode *f, int k)
{
    return choose(m, op2(m, FD_OP_GT, m->ai, number(m, k)), call(m, f, m->ai), number(m, k));
}

static const FdNode *step_both(const Made *m, const FdNode *f, int k)
{
    return choose(m, op2(m, FD_OP_GT, m->ai, number(m, k)), call(m, f, number(m, 1)),
                  call(m, f, number(m, 2)));
}

static const FdNode *step_several(const Made *m, const FdNode *f, int k)
{
    const FdNode *x =
        choose(m, op2(m, FD_OP_GT, m->ai, number(m, k)), call(m, f, number(m, 1)), number(m, 0));
    const FdNode *y = choose(m, op2(m, FD_OP_LT, m->ai, number(m, k + 9)), call(m, f, number(m, 2)),
                             number(m, 0));
    return op2(m, FD_OP_ADD, x, y);
}

static const FdNode *step_inside(const Made *m, const FdNode *f, int k)
{
    return op2(m, FD_OP_ADD, step_guard(m, f, k), f);
}

static const FdNode *step_gather(const Made *m, const FdNode *f, int k)
{
    const FdNode *index = op1(m, FD_OP_CONVERT, SC_INT, f);
    (void)k;
    return op2(m, FD_OP_ADD, fd_apply(m->fd, m->a, 1, &index, (FdLoc){0}), m->ai);
}

static const FdNode *step_record(const Made *m, const FdNode *f, int k)
{
    const FdNode *fields[] = {op2(m, FD_OP_ADD, f, m->ai), f};
    const FdNode *r = fd_make(m->fd, m->record, fields, (FdLoc){0});
    const FdNode *other[] = {f, number(m, k)};
    const FdNode *args[] = {positive(m, f), r, fd_make(m->fd, m->record, other, (FdLoc){0})};
    r = fd_apply_op(m->fd, FD_OP_SELECT, m->kind, 3, args, (FdLoc){0});
    return op2(m, FD_OP_ADD, fd_field(m->fd, r, 0, (FdLoc){0}), fd_field(m->fd, r, 1, (FdLoc){0}));
}

static const struct {
    const char *name;
    ScalarKind kind;
    Step *step;
} steps[] = {{"add", SC_INT, step_add},         {"add reals", SC_FLOAT, step_add},
             {"twice", SC_INT, step_twice},     {"cast", SC_INT, step_cast},
             {"sign", SC_INT, step_sign},       {"sign of reals", SC_FLOAT, step_sign},
             {"limits", SC_FLOAT, step_limits}, {"select", SC_INT, step_select},
             {"divide", SC_INT, step_divide},   {"call", SC_INT, step_call},
             {"guard", SC_INT, step_guard},     {"both", SC_INT, step_both},
             {"several", SC_INT, step_several}, {"inside", SC_INT, step_inside},
             {"gather", SC_INT, step_gather},   {"record", SC_FLOAT, step_record}};

enum { STEPS = sizeof steps / sizeof *steps };

/* ---- graphs ---------------------------------------------------------------------------------- */

static Made begin(ScalarKind kind)
{
    Made m = {.fd = fd_new(), .kind = kind};
    const FdType *t = fd_type_scalar(m.fd, kind);
    m.a = fd_slot(m.fd, 0, fd_type_array(m.fd, kind, 1), "a");
    m.i = fd_var(m.fd, fd_type_scalar(m.fd, SC_INT), "i");
    m.ai = fd_apply(m.fd, m.a, 1, &m.i, (FdLoc){0});
    const FdType *fields[] = {t, t};
    static const char *const names[] = {"x", "y"};
    m.record = fd_type_record(m.fd, "pair", 2, fields, names);
    m.user = fd_user_declare(m.fd, "step", fd_type_func(m.fd, t, 2, fields));
    const FdNode *x = fd_local(m.fd, t, "x"), *y = fd_local(m.fd, t, "y");
    m.user->params[0] = x;
    m.user->params[1] = y;
    FdStmt *s = arena_array(fd_arena(m.fd), FdStmt, 2);
    s[0] = (FdStmt){.kind = FD_STMT_SET, .var = x, .expr = op2(&m, FD_OP_ADD, x, y), .next = s + 1};
    s[1] = (FdStmt){.kind = FD_STMT_RETURN, .expr = op2(&m, FD_OP_MUL, x, x)};
    m.user->body = s;
    return m;
}

static FdGraph graph_of(const Made *m, const FdNode *body)
{
    FdSlot *slot = arena_new_of(fd_arena(m->fd), FdSlot);
    *slot = (FdSlot){.type = m->a->type, .is_array = true, .name = "a"};
    const FdNode *dim[] = {m->a, fd_int(m->fd, 0)};
    FdDom d = {.kind = FD_DOM_INFERRED};
    d.lo = fd_apply_op(m->fd, FD_OP_LOWER, SC_INT, 2, dim, (FdLoc){0});
    d.hi = fd_apply_op(m->fd, FD_OP_UPPER, SC_INT, 2, dim, (FdLoc){0});
    FdGraph g = {.nslots = 1, .slots = slot};
    fd_set_root(m->fd, &g, fd_let(m->fd, 1, &m->i, &d, body, (FdLoc){0}));
    return g;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static int deepest_bracket(const char *text)
{
    int depth = 0, most = 0;
    for (; *text; text++) {
        depth += (strchr("([{", *text) != NULL) - (strchr(")]}", *text) != NULL);
        if (depth > most) most = depth;
    }
    return most;
}

enum { LEAST = 20000, PER_NODE = 1600, DEEPEST = 200 };

static void check(const FdGraph *g, Fd *fd, const char *name, int depth)
{
    FdOrder order;
    fd_key(fd, g, &order);
    for (int family = 0; family < 2; family++) {
        CgOptions o = {.family = family ? CG_GPU : CG_CPU};
        FdError error = {0};
        const char *why = NULL;
        char *text = NULL;
        CgStatus status = cg_lower(g, &o, &text, &error);
        ck_assert_msg(status == CG_OK, "%s %d: status %d", name, depth, (int)status);
        size_t most = LEAST + PER_NODE * (size_t)order.nnodes;
        int deep = deepest_bracket(text);
        if (getenv("TEXT_SIZES"))
            printf("%s %d: %d nodes, %zu bytes, brackets %d\n", name, depth, order.nnodes,
                   strlen(text), deep);
        ck_assert_msg(strlen(text) <= most, "%s %d: %zu bytes for %d nodes", name, depth,
                      strlen(text), order.nnodes);
        ck_assert_msg(deep <= DEEPEST, "%s %d: brackets are %d deep", name, depth, deep);
        CgPlan *plan = cg_plan_parse(text, &why);
        ck_assert_msg(plan != NULL, "%s %d: %s", name, depth, why);
        cg_plan_free(plan);
        mem_free(text);
    }
}

START_TEST(chains)
{
    static const int depths[] = {10, 64, 200, 500};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        Made m = begin(steps[_i].kind);
        const FdNode *f = m.ai;
        for (int k = 0; k < depths[d]; k++) f = steps[_i].step(&m, f, k);
        FdGraph g = graph_of(&m, f);
        check(&g, m.fd, steps[_i].name, depths[d]);
        fd_free(m.fd);
    }
}
END_TEST

/* Steps of all kinds, each of one of the last values. */
START_TEST(random_graphs)
{
    enum { RECENT = 6 };
    for (uint32_t seed = 1; seed <= 20; seed++) {
        Made m = begin(SC_INT);
        const FdNode *last[RECENT];
        uint32_t state = seed * 2654435761u;
        for (int k = 0; k < RECENT; k++) last[k] = op2(&m, FD_OP_ADD, m.ai, number(&m, k));
        for (int k = 0; k < 300; k++) {
            state = state * 1664525u + 1013904223u;
            const FdNode *x = last[(state >> 8) % RECENT], *y = last[(state >> 12) % RECENT];
            FdOp op = (state >> 16) % 2 ? FD_OP_ADD : FD_OP_MUL;
            const FdNode *n = (state >> 20) % 3 ? op2(&m, op, x, y) : step_sign(&m, x, k);
            if ((state >> 24) % 3 == 0) n = step_divide(&m, n, k);
            if ((state >> 26) % 5 == 0) n = step_both(&m, n, k);
            last[k % RECENT] = n;
        }
        const FdNode *all = last[0];
        for (int k = 1; k < RECENT; k++) all = op2(&m, FD_OP_BITXOR, all, last[k]);
        FdGraph g = graph_of(&m, all);
        check(&g, m.fd, "random", (int)seed);
        fd_free(m.fd);
    }
}
END_TEST

/* ---- functions that do the same under other names ------------------------------------------------- */

typedef struct Names {
    const char *buffer, *other, *counter, *sum, *macro;
    int64_t step;
    bool unroll;
} Names;

/* for (counter = 0; counter < macro; counter += step) sum += buffer[counter];  other[0] = sum */
static KirFunc total(Arena *a, const Names *n)
{
    KirType real = kir_type(SC_FLOAT, 1);
    KirParam *params = arena_array(a, KirParam, 2);
    params[0] = (KirParam){.name = n->buffer, .type = real, .buffer = true};
    params[1] = (KirParam){.name = n->other, .type = real, .buffer = true, .writable = true};
    KirBlock body = {0}, turn = {0};
    const KirExpr *sum = kir_name(a, real, n->sum),
                  *at = kir_name(a, kir_type(KIR_IDX, 1), n->counter),
                  *end = kir_name(a, kir_type(KIR_IDX, 1), n->macro),
                  *args[] = {sum, kir_load(a, real, n->buffer, at)};
    kir_decl(a, &body, real, n->sum, kir_const(a, SC_FLOAT, (ScalarValue){.f = 0}));
    kir_set(a, &turn, sum, kir_op(a, FD_OP_ADD, real, 2, args));
    kir_for(a, &body, n->counter, kir_int(a, 0), end, kir_int(a, n->step), n->unroll, turn);
    kir_store(a, &body, n->other, kir_int(a, 0), sum);
    return (KirFunc){
        .name = n->buffer, .kernel = true, .nparams = 2, .params = params, .body = body.first};
}

static bool do_the_same(const KirFunc *f, const KirFunc *g)
{
    Text a = {0}, b = {0};
    kir_content(&a, f, NULL, NULL);
    kir_content(&b, g, NULL, NULL);
    bool same = a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
    text_free(&a);
    text_free(&b);
    return same;
}

START_TEST(alike)
{
    Arena *a = arena_new();
    const Names first = {"a0", "out", "i_1", "s_2", "V4", 1, false};
    const Names same[] = {{"a1", "t0", "k_7", "acc_8", "V4", 1, false},
                          {"out", "a0", "s_2", "i_1", "V4", 1, false}}, /* turned around */
        not [] = {{"a1", "t0", "k_7", "acc_8", "V8", 1, false},
                  {"a1", "t0", "k_7", "acc_8", "V4", 2, false},
                  {"a1", "t0", "k_7", "acc_8", "V4", 1, true},
                  {"a1", "a1", "k_7", "acc_8", "V4", 1, false}};
    KirFunc f = total(a, &first);
    for (int i = 0; i < 2; i++) {
        KirFunc g = total(a, &same[i]);
        ck_assert(do_the_same(&f, &g));
    }
    for (int i = 0; i < 4; i++) {
        KirFunc g = total(a, &not [i]);
        ck_assert_msg(!do_the_same(&f, &g), "%d", i);
    }
    arena_free(a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen text");
    TCase *t = tcase_create("text");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, chains, 0, STEPS);
    tcase_add_test(t, random_graphs);
    tcase_add_test(t, alike);
    suite_add_tcase(s, t);
    return run_suite_here(s);
}
