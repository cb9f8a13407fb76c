/* Random graphs with records, recurrences and folds: the text form reads back to the same key,
 * identity rewriting gives the same node, renaming keeps the key, and every pass keeps the values,
 * which the reference executor finds. FDAG_RANDOM=n and FDAG_SEED=first ask for other graphs. */
#include <check.h>
#include <stdlib.h>

#include "../../../runtime/reference/ref.h"
#include "../suite.h"

enum { ARRAYS = 4, SCALARS = 2, GIVEN = ARRAYS + SCALARS, GRAPHS = 1500, MAX_VARS = 24, N = 4 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* ---- random graphs ---------------------------------------------------------------------- */

/* All domains lie in [0, N), all indices too: what evaluates before a pass evaluates after it. */
typedef struct Maker {
    Fd *fd;
    uint32_t state;
    const FdType *pair;
    const FdNode *arrays[ARRAYS], *scalars[SCALARS], *functions[5], *twice, *padd, *shift;
    int nfunctions;
    const FdNode *vars[MAX_VARS]; /* in scope, in [0, N) */
    int nvars;
    const FdNode *pairs[MAX_VARS]; /* of type pair */
    int npairs;
    const FdNode *self, *first; /* the recurrence around and its first variable, or NULL */
} Maker;

static const FdNode *make_expr(Maker *k, int depth);
static const FdNode *make_pair(Maker *k, int depth);

static uint32_t below(Maker *k, uint32_t n)
{
    return next_random(&k->state) % n;
}

static const FdNode *op2(Maker *k, FdOp op, const FdNode *a, const FdNode *b)
{
    const FdNode *args[2] = {a, b};
    return fd_apply_op(k->fd, op, SC_INT, 2, args, (FdLoc){0});
}

static const FdNode *make_index(Maker *k, int depth)
{
    if (k->nvars && below(k, 2)) return k->vars[below(k, (uint32_t)k->nvars)];
    return op2(k, FD_OP_BITAND, make_expr(k, depth - 1), fd_int(k->fd, N - 1));
}

/* Functions with ranges get indices, others anything. */
static const FdNode *make_apply(Maker *k, const FdNode *fn, int depth)
{
    const FdNode *args[FD_MAX_RANK];
    bool user = fn->kind == FD_FUNC && fn->leaf == FD_LEAF_USER;
    for (int i = 0; i < fn->type->nparams; i++)
        args[i] = fn->type->params[i]->record ? make_pair(k, depth - 1)
                  : user                      ? make_expr(k, depth - 1)
                                              : make_index(k, depth);
    return fd_apply(k->fd, fn, fn->type->nparams, args, (FdLoc){0});
}

static const FdNode *make_select(Maker *k, const FdNode *a, const FdNode *b, int depth)
{
    const FdNode *less = op2(k, FD_OP_LT, make_expr(k, depth - 1), make_expr(k, depth - 1));
    const FdNode *args[3] = {less, a, b};
    return fd_apply_op(k->fd, FD_OP_SELECT, SC_INT, 3, args, (FdLoc){0});
}

static FdDom make_dom(Maker *k, bool full)
{
    const FdNode *args[2] = {k->arrays[below(k, ARRAYS)], fd_int(k->fd, 0)};
    FdDom d = {.kind = below(k, 2) ? FD_DOM_INFERRED : FD_DOM_GIVEN};
    if (below(k, 3) == 0) {
        d.lo = fd_int(k->fd, 0);
        d.hi = fd_int(k->fd, full ? N : below(k, N + 1));
        return d;
    }
    d.lo = fd_apply_op(k->fd, FD_OP_LOWER, SC_LONG, 2, args, (FdLoc){0});
    d.hi = fd_apply_op(k->fd, FD_OP_UPPER, SC_LONG, 2, args, (FdLoc){0});
    return d;
}

typedef enum Shape { LET, LET_PAIR, REDUCE, REDUCE_PAIR, FOLD, FOLD_PAIR } Shape;

static const FdNode *make_binder(Maker *k, Shape shape, int nvars, int depth)
{
    const FdNode *vars[FD_MAX_RANK], *body, *init = NULL, *fn = NULL;
    const FdType *t = fd_type_scalar(k->fd, SC_INT), *two[2] = {t, t};
    FdDom doms[FD_MAX_RANK];
    int outer = k->nvars;
    bool let = shape == LET || shape == LET_PAIR;
    if (shape == FOLD || shape == FOLD_PAIR) init = make_expr(k, depth - 1);
    for (int i = 0; i < nvars; i++) {
        vars[i] = fd_var(k->fd, t, let ? "i" : "l");
        doms[i] = make_dom(k, let);
        k->vars[k->nvars++] = vars[i];
    }
    bool pair = shape == LET_PAIR || shape == REDUCE_PAIR || shape == FOLD_PAIR;
    body = pair ? make_pair(k, depth - 1) : make_expr(k, depth - 1);
    k->nvars = outer;
    if (let) return fd_let(k->fd, nvars, vars, doms, body, (FdLoc){0});
    if (shape == REDUCE_PAIR) fn = k->padd;
    if (shape == FOLD_PAIR) fn = k->shift;
    if (!fn) fn = fd_op(k->fd, FD_OP_ADD, fd_type_func(k->fd, t, 2, two));
    return fd_fold(k->fd, fn, init, nvars, vars, doms, body, (FdLoc){1, 2});
}

/* A recurrence over [0, N) in each dimension, with uses of itself at smaller first indices. */
static const FdNode *make_recurrence(Maker *k, int nvars, int depth)
{
    const FdType *t = fd_type_scalar(k->fd, SC_INT), *params[2] = {t, t};
    const FdNode *vars[2], *outer = k->self, *first = k->first;
    FdDom doms[2];
    int nouter = k->nvars;
    for (int i = 0; i < nvars; i++) {
        vars[i] = fd_var(k->fd, t, "i");
        doms[i] = (FdDom){FD_DOM_GIVEN, fd_int(k->fd, 0), fd_int(k->fd, N)};
        k->vars[k->nvars++] = vars[i];
    }
    k->self = fd_var(k->fd, fd_type_func(k->fd, t, nvars, params), "s");
    k->first = vars[0];
    const FdNode *body = make_expr(k, depth - 1);
    const FdNode *rec = fd_recurrence(k->fd, k->self, NULL, nvars, vars, doms, body, (FdLoc){0});
    k->self = outer;
    k->first = first;
    k->nvars = nouter;
    return rec;
}

/* first > 0 ? self(first - 1, index) : otherwise */
static const FdNode *make_use(Maker *k, int depth)
{
    const FdNode *args[2] = {op2(k, FD_OP_SUB, k->first, fd_int(k->fd, 1))};
    if (k->self->type->nparams == 2) args[1] = make_index(k, depth);
    const FdNode *use = fd_apply(k->fd, k->self, k->self->type->nparams, args, (FdLoc){0});
    const FdNode *parts[3] = {op2(k, FD_OP_GT, k->first, fd_int(k->fd, 0)), use,
                              make_expr(k, depth - 1)};
    return fd_apply_op(k->fd, FD_OP_SELECT, SC_INT, 3, parts, (FdLoc){0});
}

/* let(pair p) .. applied to a pair. */
static const FdNode *make_pair_let(Maker *k, int depth)
{
    const FdNode *p = fd_var(k->fd, k->pair, "p"), *arg = make_pair(k, depth - 1);
    FdDom full = {.kind = FD_DOM_FULL};
    k->pairs[k->npairs++] = p;
    const FdNode *body = make_expr(k, depth - 1);
    k->npairs--;
    const FdNode *let = fd_let(k->fd, 1, &p, &full, body, (FdLoc){0});
    return fd_apply(k->fd, let, 1, &arg, (FdLoc){0});
}

static const FdNode *make_pair(Maker *k, int depth)
{
    uint32_t r = below(k, depth > 0 ? 9 : 3);
    const FdNode *fields[2];
    if (r == 0 && k->npairs) return k->pairs[below(k, (uint32_t)k->npairs)];
    if (r == 1) return make_apply(k, k->arrays[3], depth);
    if (r == 3) return make_select(k, make_pair(k, depth - 1), make_pair(k, depth - 1), depth);
    if (r == 4 && k->nvars < 6) return make_binder(k, REDUCE_PAIR, 1, depth);
    if (r == 5) return make_apply(k, k->padd, depth);
    for (int i = 0; i < 2; i++) fields[i] = make_expr(k, depth - 1);
    return fd_make(k->fd, k->pair, fields, (FdLoc){0});
}

static const FdNode *make_expr(Maker *k, int depth)
{
    static const FdOp ops[] = {FD_OP_ADD, FD_OP_SUB,    FD_OP_MUL, FD_OP_MIN,
                               FD_OP_MAX, FD_OP_BITXOR, FD_OP_SHL};
    uint32_t r = below(k, depth > 0 ? 18 : 4);
    if (r < 2 && k->nvars > 0) return k->vars[below(k, (uint32_t)k->nvars)];
    if (r == 2) return k->scalars[below(k, SCALARS)];
    if (r < 4) return fd_int(k->fd, (int64_t)below(k, 7) - 2);
    if (r == 4) return make_apply(k, k->arrays[below(k, 3)], depth);
    if (r == 5 && k->nfunctions) {
        const FdNode *f = make_apply(k, k->functions[below(k, (uint32_t)k->nfunctions)], depth);
        return f->type->record ? fd_field(k->fd, f, 1, (FdLoc){0}) : f;
    }
    if (r == 6 && k->nvars < 6) return make_binder(k, REDUCE, 1, depth);
    if (r == 7) return make_apply(k, k->twice, depth);
    if (r == 8) return make_select(k, make_expr(k, depth - 1), make_expr(k, depth - 1), depth);
    if (r == 9) return fd_field(k->fd, make_pair(k, depth - 1), (int)below(k, 2), (FdLoc){0});
    if (r == 10 && k->nvars < 6) return make_binder(k, below(k, 2) ? FOLD : FOLD_PAIR, 1, depth);
    if (r == 11) return make_pair_let(k, depth);
    if (r == 12 && k->nvars < 5) /* it can depend on variables around it */
        return make_apply(k, make_recurrence(k, 1 + (int)below(k, 2), depth), depth);
    if (r >= 13 && r < 15 && k->self) return make_use(k, depth);
    const FdNode *a = make_expr(k, depth - 1);
    return op2(k, ops[below(k, 7)], a, make_expr(k, depth - 1));
}

/* name(params) { return body; } */
static FdUser *make_user(Fd *fd, const char *name, const FdType *type, const FdNode *const *params,
                         const FdNode *body)
{
    FdUser *u = fd_user_declare(fd, name, type);
    FdStmt *s = arena_new_of(fd_arena(fd), FdStmt);
    for (int i = 0; i < type->nparams; i++) u->params[i] = params[i];
    s->kind = FD_STMT_RETURN;
    s->expr = body;
    u->body = s;
    return u;
}

static void make_users(Maker *k)
{
    Fd *fd = k->fd;
    const FdType *t = fd_type_scalar(fd, SC_INT), *two[2] = {k->pair, k->pair};
    const FdNode *x = fd_local(fd, t, "x"), *p[2], *f[2];
    k->twice = fd_user(
        fd, make_user(fd, "twice", fd_type_func(fd, t, 1, &t), &x, op2(k, FD_OP_ADD, x, x)));
    for (int i = 0; i < 2; i++) p[i] = fd_local(fd, k->pair, "p");
    for (int i = 0; i < 2; i++)
        f[i] = op2(k, i ? FD_OP_MAX : FD_OP_ADD, fd_field(fd, p[0], i, (FdLoc){0}),
                   fd_field(fd, p[1], i, (FdLoc){0}));
    FdUser *padd = make_user(fd, "padd", fd_type_func(fd, k->pair, 2, two), p,
                             fd_make(fd, k->pair, f, (FdLoc){0}));
    const FdNode *none[2] = {fd_int(fd, 0), fd_int(fd, -9)};
    padd->associative = padd->commutative = true;
    padd->identity = fd_make(fd, k->pair, none, (FdLoc){0});
    k->padd = fd_user(fd, padd);
    /* acc, pair -> acc * 3 + pair.b */
    const FdType *params[2] = {t, k->pair};
    const FdNode *both[2] = {x, p[0]};
    k->shift = fd_user(fd, make_user(fd, "shift", fd_type_func(fd, t, 2, params), both,
                                     op2(k, FD_OP_ADD, op2(k, FD_OP_MUL, x, fd_int(fd, 3)),
                                         fd_field(fd, p[0], 1, (FdLoc){0}))));
}

static FdGraph make_graph(Fd *fd, uint32_t seed)
{
    Maker k = {.fd = fd, .state = seed};
    const FdType *t = fd_type_scalar(fd, SC_INT), *two[2] = {t, t};
    const char *names[2] = {"a", "b"};
    k.pair = fd_type_record(fd, "pair", 2, two, names);
    FdGraph g = {.nslots = GIVEN};
    g.slots = arena_array(fd_arena(fd), FdSlot, g.nslots);
    for (int i = 0; i < ARRAYS; i++) {
        const FdType *a = fd_type_array_of(fd, i == 3 ? k.pair : t, i == 2 ? 2 : 1);
        g.slots[i] = (FdSlot){.type = a, .is_array = true, .name = "a"};
        k.arrays[i] = fd_slot(fd, i, a, "a");
    }
    for (int i = 0; i < SCALARS; i++) {
        g.slots[ARRAYS + i] = (FdSlot){.type = t, .name = "n"};
        k.scalars[i] = fd_slot(fd, ARRAYS + i, t, "n");
    }
    make_users(&k);
    int nfunctions = (int)below(&k, 5);
    for (int i = 0; i < nfunctions; i++) {
        int nvars = 1 + (int)below(&k, 2);
        uint32_t r = below(&k, 3);
        const FdNode *f = r == 0   ? make_recurrence(&k, nvars, 3)
                          : r == 1 ? make_binder(&k, LET_PAIR, nvars, 3)
                                   : make_binder(&k, LET, nvars, 3);
        k.functions[k.nfunctions++] = f;
    }
    uint32_t r = below(&k, 5);
    const FdNode *root = r == 0   ? make_recurrence(&k, 2, 4)
                         : r == 1 ? make_pair(&k, 5)
                         : r == 2 ? make_binder(&k, LET_PAIR, 2, 4)
                         : r == 3 ? make_binder(&k, LET, 2, 4)
                                  : make_expr(&k, 5);
    fd_set_root(fd, &g, root);
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
static int64_t sample(Fd *fd, const FdGraph *g)
{
    static int32_t elements[N * N], pairs[FD_PLANE_ALIGN / 4 + N];
    Array one = {.head = {.rank = 1, .data = elements, .dim = {{.n = N, .stride = 1}}}};
    Array two = {.head = {.rank = 2,
                          .data = elements,
                          .dim = {{.n = N, .stride = N}, {.n = N, .stride = 1}}}};
    Array records = {.head = {.rank = 1, .data = pairs, .dim = {{.n = N, .stride = 1}}}};
    RtLeaf leaves[64] = {{.array = &one},     {.array = &one}, {.array = &two},
                         {.array = &records}, {.scalar.i = 3}, {.scalar.i = -2}};
    for (int i = 0; i < N * N; i++) elements[i] = (i * 7 + 3) % 11 - 4;
    for (int i = 0; i < N; i++) {
        pairs[i] = i * i - 3;
        pairs[FD_PLANE_ALIGN / 4 + i] = 5 - 2 * i;
    }
    /* Temporaries are what they are defined as. */
    const FdNode **values = arena_array(fd_arena(fd), const FdNode *, g->nslots + 1);
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def) values[i] = fd_substitute(fd, g->slots[i].def, values, i);
    Ref *r = ref_new(fd, fd_substitute(fd, fd_root(g), values, g->nslots), NULL);
    int64_t hash = 0;
    for (int64_t i = 0; i < 3; i++) {
        ScalarValue at[2] = {{.i = i}, {.i = 2 - i}}, v[2] = {{0}};
        bool ok = fd_root(g)->type->result ? ref_point(r, leaves, NULL, at, v)
                                           : ref_scalar(r, leaves, NULL, v);
        ck_assert_msg(ok, "%s", rt_pending_message());
        for (int k = 0; k < 2; k++) hash = (hash * 31 + v[k].i) % 1000000007;
        if (!fd_root(g)->type->result) break;
    }
    ref_free(r);
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
    int temporaries = 0, recurrences = 0;
    FdPass passes[32] = {*fd_pass_find("recur")};
    for (int i = 0; fd_back_passes[i].name; i++) passes[i + 1] = fd_back_passes[i];
    const char *count = getenv("FDAG_RANDOM"), *from = getenv("FDAG_SEED");
    uint32_t graphs = count ? (uint32_t)atoi(count) : GRAPHS,
             first = from ? (uint32_t)atoi(from) : 1;
    for (uint32_t seed = first; seed < first + graphs; seed++) {
        Fd *fd = fd_new();
        FdGraph g = make_graph(fd, seed);
        const char *why = fd_verify(fd, &g);
        ck_assert_msg(!why, "seed %u: %s", seed, why);
        ck_assert_ptr_eq(fd_rewrite(fd, fd_root(&g), keep, NULL), fd_root(&g));
        ck_assert_ptr_eq(fd_substitute(fd, fd_root(&g), NULL, 0), fd_root(&g));
        check_text(fd, &g, seed);
        int64_t before = 0;
        for (const FdPass *p = passes; p->name; p++) {
            FdError error = {0};
            ck_assert_msg(p->run(fd, &g, &error), "seed %u: %s", seed, error.message);
            if (p == passes) before = sample(fd, &g);
            why = fd_verify(fd, &g);
            ck_assert_msg(!why, "seed %u after %s: %s", seed, p->name, why);
            int64_t after = sample(fd, &g);
            ck_assert_msg(before == after, "seed %u: %s changed the value", seed, p->name);
            check_text(fd, &g, seed);
        }
        temporaries += g.nslots - GIVEN;
        for (int i = GIVEN; i < g.nslots; i++) recurrences += g.slots[i].def->self != NULL;
        fd_free(fd);
    }
    ck_assert_int_gt(temporaries, (int)graphs / 10); /* or the passes were not tested */
    ck_assert_int_gt(recurrences, (int)graphs / 10);
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
    return run_suite(s);
}
