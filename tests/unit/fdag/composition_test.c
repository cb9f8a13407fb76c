/* Composition: what is captured twice is one slot or one graph, slots are numbered in the order of
 * the walk, and the result has the key of the same graph written as one.
 */
#include <check.h>
#include <stdlib.h>

#include "../../../base/vec.h"
#include "../../../fdag/compose/composition.h"
#include "../suite.h"

static const char *const scaled = "%0 = slot 0 \"a\" : array float(int)\n"
                                  "%1 = slot 1 \"s\" : float\n"
                                  "%2 = var \"i\" : int\n"
                                  "%3 = apply %0 (%2) : float\n"
                                  "%4 = apply @mul (%3, %1) : float\n"
                                  "%5 = let (%2 : full) %4 : float(int)\n"
                                  "result %5\n";
static const char *const three = "%0 = slot 0 \"f\" : float(int)\n"
                                 "%1 = slot 1 \"g\" : float(int)\n"
                                 "%2 = slot 2 \"h\" : float(int)\n"
                                 "%3 = var \"i\" : int\n"
                                 "%4 = apply %0 (%3) : float\n"
                                 "%5 = apply %1 (%3) : float\n"
                                 "%6 = apply %2 (%3) : float\n"
                                 "%7 = apply @add (%4, %5) : float\n"
                                 "%8 = apply @sub (%7, %6) : float\n"
                                 "%9 = let (%3 : full) %8 : float(int)\n"
                                 "result %9\n";

/* A value as the compiler and the runtime have them: an array, a host function, a graph. */
typedef struct Value Value;
struct Value {
    FdCaptureKind kind;
    FdGraph *graph;
    Value *captures[3];
    uint32_t visit, index;
};

typedef struct Met {
    FdCaptureKind kind;
    bool again;
    uint32_t index;
} Met;
typedef VEC(Met) Mets;

static Fd *fd, *other;

static void setup(void)
{
    fd = fd_new();
    other = fd_new();
}

static void teardown(void)
{
    fd_free(fd);
    fd_free(other);
}

static FdGraph *read_graph(Fd *in, const char *text)
{
    const char *why;
    FdGraph *g = fd_read(in, text, &why);
    ck_assert_msg(g != NULL, "%s", why);
    return g;
}

static FdCapture look(void *ctx, const void *captures, int slot)
{
    (void)ctx;
    Value *v = ((Value *const *)captures)[slot];
    return (FdCapture){.kind = v->kind,
                       .object = v,
                       .visit = &v->visit,
                       .index = &v->index,
                       .graph = v->graph,
                       .captures = v->graph ? v->captures : NULL};
}

static void meet(void *ctx, const FdCapture *c, const void *captures, int slot, bool again)
{
    Mets *mets = ctx;
    bool scalar = c->kind == FD_CAPTURE_SCALAR;
    if (!scalar) ck_assert_ptr_eq(c->object, ((Value *const *)captures)[slot]);
    vec_push(mets, ((Met){c->kind, again, scalar ? 0 : *c->index}));
}

static void check_met(const Mets *mets, size_t i, FdCaptureKind kind, bool again, uint32_t index)
{
    ck_assert_uint_lt(i, mets->len);
    ck_assert_int_eq((int)mets->data[i].kind, (int)kind);
    ck_assert_int_eq(mets->data[i].again, again);
    ck_assert_uint_eq(mets->data[i].index, index);
}

/* f = h = scaled(a, s), g = a */
START_TEST(what_is_shared_is_composed_once)
{
    Value a = {.kind = FD_CAPTURE_ARRAY}, s = {.kind = FD_CAPTURE_SCALAR};
    Value f = {.kind = FD_CAPTURE_GRAPH, .graph = read_graph(other, scaled), .captures = {&a, &s}};
    Value root = {.graph = read_graph(other, three), .captures = {&f, &a, &f}};
    Mets mets = {0}, again = {0};
    FdComposing c = {.ctx = &mets, .visit = 1, .look = look, .meet = meet};
    FdGraph g;
    FdKey key;
    FdOrder order;
    ck_assert(fd_compose(fd, &c, root.graph, fd_root(root.graph), root.captures, &g, &key, &order));
    ck_assert_int_eq(g.nslots, 2);
    ck_assert(g.slots[0].is_array && !g.slots[1].is_array);
    ck_assert_str_eq(g.slots[0].name, "a");
    ck_assert_str_eq(g.slots[1].name, "s");
    ck_assert_int_eq(order.nslots, 2);
    ck_assert_ptr_null(fd_verify(fd, &g));

    ck_assert_uint_eq(mets.len, 5);
    check_met(&mets, 0, FD_CAPTURE_GRAPH, false, 0);
    check_met(&mets, 1, FD_CAPTURE_ARRAY, false, 0);
    check_met(&mets, 2, FD_CAPTURE_SCALAR, false, 0);
    check_met(&mets, 3, FD_CAPTURE_ARRAY, true, 0);
    check_met(&mets, 4, FD_CAPTURE_GRAPH, true, 0);
    c = (FdComposing){.ctx = &again, .visit = 2, .look = look, .meet = meet};
    ck_assert(fd_compose_walk(&c, root.graph, root.captures));
    ck_assert_uint_eq(again.len, mets.len);
    for (size_t i = 0; i < mets.len; i++)
        check_met(&again, i, mets.data[i].kind, mets.data[i].again, mets.data[i].index);
    vec_free(&mets);
    vec_free(&again);

    const FdGraph *whole = read_graph(other, "%0 = slot 0 \"x\" : array float(int)\n"
                                             "%1 = slot 1 \"y\" : float\n"
                                             "%2 = var \"i\" : int\n"
                                             "%3 = apply %0 (%2) : float\n"
                                             "%4 = apply @mul (%3, %1) : float\n"
                                             "%5 = let (%2 : full) %4 : float(int)\n"
                                             "%6 = var \"j\" : int\n"
                                             "%7 = apply %5 (%6) : float\n"
                                             "%8 = apply %0 (%6) : float\n"
                                             "%9 = apply @add (%7, %8) : float\n"
                                             "%10 = apply @sub (%9, %7) : float\n"
                                             "%11 = let (%6 : full) %10 : float(int)\n"
                                             "result %11\n");
    FdKey expected = fd_key(other, whole, NULL);
    ck_assert(key.hi == expected.hi && key.lo == expected.lo);
}
END_TEST

/* Two graphs of one text are two: each has its own slots. */
START_TEST(equal_values_are_not_one)
{
    Value a = {.kind = FD_CAPTURE_ARRAY}, b = a, s = {.kind = FD_CAPTURE_SCALAR};
    Value host = {.kind = FD_CAPTURE_FUNCTION};
    FdGraph *text = read_graph(fd, scaled);
    Value f = {.kind = FD_CAPTURE_GRAPH, .graph = text, .captures = {&a, &s}};
    Value h = {.kind = FD_CAPTURE_GRAPH, .graph = text, .captures = {&b, &s}};
    Value root = {.graph = read_graph(fd, three), .captures = {&f, &host, &h}};
    FdComposing c = {.visit = 1, .look = look};
    FdGraph g;
    FdKey key;
    ck_assert(fd_compose(fd, &c, root.graph, fd_root(root.graph), root.captures, &g, &key, NULL));
    ck_assert_int_eq(g.nslots, 5); /* a, s, host, b, s */
    ck_assert(g.slots[0].is_array && !g.slots[2].is_array && g.slots[3].is_array);
    ck_assert_str_eq(g.slots[2].name, "g");
    ck_assert_uint_eq(h.index, 1);
    ck_assert_uint_eq(b.index, 3);
    ck_assert_uint_eq(host.index, 2);
}
END_TEST

START_TEST(nothing_unknown_is_composed)
{
    Value a = {.kind = FD_CAPTURE_ARRAY}, u = {.kind = FD_CAPTURE_UNKNOWN}, s = a;
    Value f = {.kind = FD_CAPTURE_GRAPH, .graph = read_graph(fd, scaled), .captures = {&u, &s}};
    Value root = {.graph = read_graph(fd, three), .captures = {&a, &f, &a}};
    FdComposing c = {.visit = 1, .look = look};
    FdGraph g;
    FdKey key;
    ck_assert(!fd_compose(fd, &c, root.graph, fd_root(root.graph), root.captures, &g, &key, NULL));
    c.visit++;
    ck_assert(!fd_compose_walk(&c, root.graph, root.captures));
}
END_TEST

/* A graph whose two arrays agree: their bounds are the first one's. */
START_TEST(bounds_of_equal_ranges_are_one)
{
    Value a = {.kind = FD_CAPTURE_ARRAY}, b = {.kind = FD_CAPTURE_ARRAY};
    const char *agreeing = "%0 = var \"i\" : int\n"
                           "%1 = slot 0 \"x\" : array float(int)\n"
                           "%2 = const 0 : int\n"
                           "%3 = slot 1 \"y\" : array float(int)\n"
                           "%4 = apply @lower (%3, %2) : long\n"
                           "%5 = apply @upper (%1, %2) : long\n"
                           "%6 = apply %1 (%0) : float\n"
                           "%7 = apply %3 (%0) : float\n"
                           "%8 = apply @add (%6, %7) : float\n"
                           "%9 = let (%0 : infer %4..%5) %8 : float(int)\n"
                           "agree %1.0 %3.0\n"
                           "result %9\n";
    Value root = {.graph = read_graph(other, agreeing), .captures = {&a, &b}};
    Value same = {.graph = root.graph, .captures = {&a, &a}};
    FdComposing c = {.visit = 1, .look = look};
    FdGraph g;
    FdKey key;
    ck_assert(fd_compose(fd, &c, root.graph, fd_root(root.graph), root.captures, &g, &key, NULL));
    const FdDom *d = &fd_root(&g)->doms[0];
    ck_assert_int_eq(d->lo->args[0]->slot, 0);
    ck_assert_int_eq(d->hi->args[0]->slot, 0);
    c.visit = 2;
    ck_assert(fd_compose(fd, &c, same.graph, fd_root(same.graph), same.captures, &g, &key, NULL));
    ck_assert_int_eq(g.nslots, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("composition");
    TCase *c = tcase_create("composition");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, what_is_shared_is_composed_once);
    tcase_add_test(c, equal_values_are_not_one);
    tcase_add_test(c, nothing_unknown_is_composed);
    tcase_add_test(c, bounds_of_equal_ranges_are_one);
    suite_add_tcase(s, c);
    return run_suite(s);
}
