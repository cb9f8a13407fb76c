/* Random graphs: the text form reads back to the same key, identity rewriting gives the same node,
 * renaming keeps the key, and every pass keeps the values, which a plain interpreter finds. */
#include <check.h>
#include <stdlib.h>

#include "../../fdag/fdag.h"

enum { ARRAYS = 3, SCALARS = 2, GRAPHS = 1500, MAX_VARS = 24 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* ---- an interpreter over integers ------------------------------------------------------- */

/* Arrays are functions of their index, on every index: what they are read at is what matters. */
typedef struct Frame {
    const FdNode *vars[MAX_VARS];
    int64_t values[MAX_VARS];
    int n;
} Frame;

typedef struct Machine {
    const FdGraph *graph;
    FdEnv env;
} Machine;

static int64_t wrap(int64_t x)
{
    return scalar_convert((ScalarValue){.i = x}, SC_LONG, SC_INT).i;
}

static int64_t value_of(const Machine *m, const FdNode *n, Frame f);

static int64_t call(const Machine *m, const FdNode *fn, int n, const int64_t *args, Frame f)
{
    if (fn->kind == FD_LET) {
        for (int i = 0; i < n; i++) {
            ck_assert_int_lt(f.n, MAX_VARS);
            f.vars[f.n] = fn->vars[i];
            f.values[f.n++] = args[i];
        }
        return value_of(m, fn->body, f);
    }
    if (fn->leaf == FD_LEAF_SLOT && m->graph->slots[fn->slot].def)
        return call(m, m->graph->slots[fn->slot].def, n, args, (Frame){.n = 0});
    if (fn->leaf == FD_LEAF_USER) {
        Frame inner = {.n = 0};
        for (int i = 0; i < n; i++) {
            inner.vars[inner.n] = fn->user->params[i];
            inner.values[inner.n++] = args[i];
        }
        return value_of(m, fn->user->body->expr, inner);
    }
    uint64_t h = (uint64_t)fn->slot + 1;
    for (int i = 0; i < n; i++) h = h * 31 + (uint64_t)args[i] * 7;
    return (int64_t)((h * 0x9E3779B97F4A7C15u) >> 60) - 8;
}

static int64_t reduce(const Machine *m, const FdNode *n, int k, Frame f)
{
    if (k == n->nvars) return value_of(m, n->body, f);
    int64_t sum = 0, lo = value_of(m, n->doms[k].lo, f), hi = value_of(m, n->doms[k].hi, f);
    ck_assert_int_lt(f.n, MAX_VARS);
    f.vars[f.n++] = n->vars[k];
    for (int64_t i = lo; i < hi; i++) {
        f.values[f.n - 1] = i;
        sum = wrap(sum + reduce(m, n, k + 1, f));
    }
    return sum;
}

static int64_t value_of(const Machine *m, const FdNode *n, Frame f)
{
    int64_t args[FD_MAX_RANK];
    ScalarValue in[FD_MAX_RANK], out;
    switch (n->kind) {
    case FD_SCALAR:
        if (n->leaf == FD_LEAF_CONST) return n->value.i;
        if (m->graph->slots[n->slot].def)
            return value_of(m, m->graph->slots[n->slot].def, (Frame){.n = 0});
        return m->env.scalars[n->slot].i;
    case FD_VAR:
        for (int i = f.n - 1; i >= 0; i--)
            if (f.vars[i] == n) return f.values[i];
        ck_abort_msg("a variable without a value");
    case FD_REDUCE: return reduce(m, n, 0, f);
    case FD_APPLY: break;
    default: ck_abort_msg("a function used as a value");
    }
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        int64_t bound;
        ck_assert_int_eq(fd_eval_bound(n, &m->env, &bound), FD_BOUND_OK);
        return bound;
    }
    if (op == FD_OP_SELECT) return value_of(m, n->args[value_of(m, n->args[0], f) ? 1 : 2], f);
    for (int i = 0; i < n->nargs; i++) {
        args[i] = value_of(m, n->args[i], f);
        in[i].i = args[i];
    }
    if (op == FD_OP_NONE) return call(m, n->fn, n->nargs, args, f);
    ck_assert_int_eq(fd_op_eval(op, n->args[0]->type->scalar, n->type->scalar, in, &out),
                     FD_EVAL_OK);
    return out.i;
}

/* ---- random graphs ---------------------------------------------------------------------- */

typedef struct Maker {
    Fd *fd;
    uint32_t state;
    const FdNode *arrays[ARRAYS], *scalars[SCALARS], *functions[4], *users[1];
    int nfunctions;
    const FdNode *vars[MAX_VARS];
    int nvars;
} Maker;

static const FdNode *make_expr(Maker *k, int depth);

static const FdNode *make_apply(Maker *k, const FdNode *fn, int depth)
{
    const FdNode *args[FD_MAX_RANK];
    for (int i = 0; i < fn->type->nparams; i++) args[i] = make_expr(k, depth - 1);
    return fd_apply(k->fd, fn, fn->type->nparams, args, (FdLoc){0});
}

static FdDom make_dom(Maker *k)
{
    const FdNode *args[2] = {k->arrays[next_random(&k->state) % ARRAYS], fd_int(k->fd, 0)};
    FdDom d = {.kind = next_random(&k->state) % 2 ? FD_DOM_INFERRED : FD_DOM_GIVEN};
    if (next_random(&k->state) % 3 == 0) {
        d.lo = fd_int(k->fd, 0);
        d.hi = fd_int(k->fd, next_random(&k->state) % 4);
        return d;
    }
    d.lo = fd_apply_op(k->fd, FD_OP_LOWER, SC_LONG, 2, args, (FdLoc){0});
    d.hi = fd_apply_op(k->fd, FD_OP_UPPER, SC_LONG, 2, args, (FdLoc){0});
    return d;
}

static const FdNode *make_binder(Maker *k, bool let, int nvars, int depth)
{
    const FdNode *vars[FD_MAX_RANK], *body;
    const FdType *t = fd_type_scalar(k->fd, SC_INT), *two[2] = {t, t};
    FdDom doms[FD_MAX_RANK];
    int outer = k->nvars;
    for (int i = 0; i < nvars; i++) {
        vars[i] = fd_var(k->fd, t, let ? "i" : "l");
        doms[i] = make_dom(k);
        k->vars[k->nvars++] = vars[i];
    }
    body = make_expr(k, depth - 1);
    k->nvars = outer;
    if (let) return fd_let(k->fd, nvars, vars, doms, body, (FdLoc){0});
    const FdNode *add = fd_op(k->fd, FD_OP_ADD, fd_type_func(k->fd, t, 2, two));
    return fd_reduce(k->fd, add, nvars, vars, doms, body, (FdLoc){1, 2});
}

static const FdNode *make_expr(Maker *k, int depth)
{
    static const FdOp ops[] = {FD_OP_ADD, FD_OP_SUB,    FD_OP_MUL, FD_OP_MIN,
                               FD_OP_MAX, FD_OP_BITXOR, FD_OP_SHL};
    uint32_t r = next_random(&k->state) % (depth > 0 ? 12 : 4);
    const FdNode *args[3];
    if (r < 2 && k->nvars > 0) return k->vars[next_random(&k->state) % (uint32_t)k->nvars];
    if (r == 2) return k->scalars[next_random(&k->state) % SCALARS];
    if (r < 4) return fd_int(k->fd, (int64_t)(next_random(&k->state) % 7) - 2);
    if (r == 4) return make_apply(k, k->arrays[next_random(&k->state) % ARRAYS], depth);
    if (r == 5 && k->nfunctions)
        return make_apply(k, k->functions[next_random(&k->state) % (uint32_t)k->nfunctions], depth);
    if (r == 6 && k->nvars < 6) return make_binder(k, false, 1, depth);
    if (r == 7) return make_apply(k, k->users[0], depth);
    if (r == 8) {
        for (int i = 0; i < 2; i++) args[i] = make_expr(k, depth - 1);
        args[0] = fd_apply_op(k->fd, FD_OP_LT, SC_INT, 2, args, (FdLoc){0});
        args[2] = make_expr(k, depth - 1);
        return fd_apply_op(k->fd, FD_OP_SELECT, SC_INT, 3, args, (FdLoc){0});
    }
    for (int i = 0; i < 2; i++) args[i] = make_expr(k, depth - 1);
    return fd_apply_op(k->fd, ops[next_random(&k->state) % 7], SC_INT, 2, args, (FdLoc){0});
}

static FdGraph make_graph(Fd *fd, uint32_t seed)
{
    Maker k = {.fd = fd, .state = seed};
    const FdType *t = fd_type_scalar(fd, SC_INT);
    FdGraph g = {.nslots = ARRAYS + SCALARS};
    g.slots = arena_array(fd_arena(fd), FdSlot, g.nslots);
    for (int i = 0; i < ARRAYS; i++) {
        const FdType *a = fd_type_array(fd, SC_INT, i == 2 ? 2 : 1);
        g.slots[i] = (FdSlot){.type = a, .is_array = true, .name = "a"};
        k.arrays[i] = fd_slot(fd, i, a, "a");
    }
    for (int i = 0; i < SCALARS; i++) {
        g.slots[ARRAYS + i] = (FdSlot){.type = t, .name = "n"};
        k.scalars[i] = fd_slot(fd, ARRAYS + i, t, "n");
    }
    FdUser *u = fd_user_declare(fd, "twice", fd_type_func(fd, t, 1, &t));
    if (!u->body) {
        FdStmt *s = arena_new_of(fd_arena(fd), FdStmt);
        const FdNode *x = fd_local(fd, t, "x"), *both[2] = {x, x};
        u->params[0] = x;
        s->kind = FD_STMT_RETURN;
        s->expr = fd_apply_op(fd, FD_OP_ADD, SC_INT, 2, both, (FdLoc){0});
        u->body = s;
    }
    k.users[0] = fd_user(fd, u);
    int nfunctions = (int)(next_random(&k.state) % 4);
    for (int i = 0; i < nfunctions; i++) {
        const FdNode *f = make_binder(&k, true, 1 + (int)(next_random(&k.state) % 2), 3);
        k.functions[k.nfunctions++] = f;
    }
    g.root = next_random(&k.state) % 2 ? make_binder(&k, true, 2, 4) : make_expr(&k, 5);
    return g;
}

/* ---- checks ----------------------------------------------------------------------------- */

static bool same_key(FdKey a, FdKey b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static const FdNode *keep(void *ctx, Fd *fd, const FdNode *n)
{
    (void)ctx;
    (void)fd;
    (void)n;
    return NULL;
}

/* A number for a graph's values: of a function, at a few points. */
static int64_t sample(const FdGraph *g)
{
    FdBox boxes[64] = {{0}};
    ScalarValue scalars[64] = {{0}};
    for (int i = 0; i < ARRAYS; i++) {
        boxes[i].rank = i == 2 ? 2 : 1;
        for (int d = 0; d < boxes[i].rank; d++) boxes[i].dim[d].hi = 2 + i;
    }
    scalars[ARRAYS].i = 3;
    scalars[ARRAYS + 1].i = -2;
    Machine m = {.graph = g, .env = {.boxes = boxes, .scalars = scalars}};
    if (g->root->kind != FD_LET) return value_of(&m, g->root, (Frame){.n = 0});
    int64_t hash = 0;
    for (int64_t i = 0; i < 3; i++) {
        int64_t at[2] = {i, 2 - i};
        hash = (hash * 31 + call(&m, g->root, 2, at, (Frame){.n = 0})) % 1000000007;
    }
    return hash;
}

static void check_text(Fd *fd, const FdGraph *g, uint32_t seed)
{
    Text a = {0}, b = {0};
    const char *why;
    Fd *other = fd_new();
    fd_print(&a, g);
    FdGraph *read = fd_read(other, a.data, &why);
    ck_assert_msg(read, "seed %u: %s\n%s", seed, why, a.data);
    fd_print(&b, read);
    ck_assert_str_eq(a.data, b.data);
    ck_assert_msg(same_key(fd_key(fd, g, NULL), fd_key(other, read, NULL)), "seed %u\n%s", seed,
                  a.data);
    FdGraph *copy = fd_graph_copy(other, g);
    ck_assert(same_key(fd_key(fd, g, NULL), fd_key(other, copy, NULL)));
    fd_free(other);
    text_free(&a);
    text_free(&b);
}

START_TEST(random_graphs)
{
    int temporaries = 0;
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
        Fd *fd = fd_new();
        FdGraph g = make_graph(fd, seed);
        const char *why = fd_verify(fd, &g);
        ck_assert_msg(!why, "seed %u: %s", seed, why);
        ck_assert_ptr_eq(fd_rewrite(fd, g.root, keep, NULL), g.root);
        ck_assert_ptr_eq(fd_substitute(fd, g.root, NULL, 0), g.root);
        check_text(fd, &g, seed);
        int64_t before = sample(&g);
        for (const FdPass *p = fd_back_passes; p->name; p++) {
            FdError error = {0};
            ck_assert(p->run(fd, &g, &error));
            why = fd_verify(fd, &g);
            ck_assert_msg(!why, "seed %u after %s: %s", seed, p->name, why);
            int64_t after = sample(&g);
            ck_assert_msg(before == after, "seed %u: %s changed the value", seed, p->name);
            check_text(fd, &g, seed);
        }
        temporaries += g.nslots - ARRAYS - SCALARS;
        fd_free(fd);
    }
    ck_assert_int_gt(temporaries, GRAPHS / 10); /* or the passes were not tested */
}
END_TEST

/* Damaged text gives a message or a graph, never a crash. */
START_TEST(damaged_text)
{
    uint32_t state = 99;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        Fd *fd = fd_new();
        FdGraph g = make_graph(fd, seed);
        Text t = {0};
        fd_print(&t, &g);
        for (int i = 0; i < 10; i++) {
            static const char bytes[] = "%@().,:= 0123456789\nabcl\"{}";
            Fd *other = fd_new();
            const char *why;
            size_t at = next_random(&state) % t.len;
            t.data[at] = bytes[next_random(&state) % (sizeof bytes - 1)];
            if (!fd_read(other, t.data, &why)) ck_assert_ptr_nonnull(why);
            fd_free(other);
        }
        text_free(&t);
        fd_free(fd);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fdag_random");
    TCase *c = tcase_create("graphs");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, random_graphs);
    tcase_add_test(c, damaged_text);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
