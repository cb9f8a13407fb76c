/* Several graphs as one (fdag/compose/several.c): what becomes of the parts, which do not fit, and when it
 * pays. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../fdag/fdag.h"
#include "../suite.h"

static const char *const plus_one = "%0 = slot 0 \"x\" : array float(int)\n"
                                    "%1 = const 0 : int\n"
                                    "%2 = apply @lower (%0, %1) : long\n"
                                    "%3 = apply @upper (%0, %1) : long\n"
                                    "%4 = var \"i\" : int\n"
                                    "%5 = apply %0 (%4) : float\n"
                                    "%6 = const 1 : float\n"
                                    "%7 = apply @add (%5, %6) : float\n"
                                    "%8 = let (%4 : infer %2..%3) %7 : float(int)\n"
                                    "result %8\n";

/* y(k + SHIFT) * 2 over y's range, or a given one. */
static const char *const twice = "%%0 = slot 0 \"y\" : array float(int)\n"
                                 "%%1 = const 0 : int\n"
                                 "%%2 = apply @lower (%%0, %%1) : long\n"
                                 "%%3 = apply @upper (%%0, %%1) : long\n"
                                 "%%9 = const %d : int\n"
                                 "%%4 = var \"k\" : int\n"
                                 "%%10 = apply @add (%%4, %%9) : int\n"
                                 "%%5 = apply %%0 (%s) : float\n"
                                 "%%6 = const 2 : float\n"
                                 "%%7 = apply @mul (%%5, %%6) : float\n"
                                 "%%8 = let (%%4 : %s) %%7 : float(int)\n"
                                 "agree %%0.0 %%0.0\n"
                                 "result %%8\n";

/* sum(v : 0..n, x(v) * f(p, v)), over slots x, f; or exp of x(v). */
static const char *const sum = "%0 = slot 0 \"x\" : array float(int)\n"
                               "%1 = const 0 : int\n"
                               "%2 = apply @lower (%0, %1) : long\n"
                               "%3 = apply @upper (%0, %1) : long\n"
                               "%4 = var \"p\" : int\n"
                               "%5 = var \"v\" : int\n"
                               "%6 = slot 1 \"y\" : array float(int)\n"
                               "%7 = apply %6 (%5) : float\n"
                               "%8 = apply %0 (%4) : float\n"
                               "%9 = apply %0 (%5) : float\n"
                               "%10 = apply @sub (%8, %9) : float\n"
                               "%11 = apply @exp (%10) : float\n"
                               "%12 = apply @mul (%7, %11) : float\n"
                               "%13 = reduce @add (%5 : given %2..%3) %12 : float\n"
                               "%14 = let (%4 : infer %2..%3) %13 : float(int)\n"
                               "result %14\n";

static const char *const total = "%0 = slot 0 \"x\" : array float(int)\n"
                                 "%1 = const 0 : int\n"
                                 "%2 = apply @lower (%0, %1) : long\n"
                                 "%3 = apply @upper (%0, %1) : long\n"
                                 "%5 = var \"v\" : int\n"
                                 "%9 = apply %0 (%5) : float\n"
                                 "%13 = reduce @add (%5 : given %2..%3) %9 : float\n"
                                 "result %13\n";

static FdGraph *read_graph(Fd *fd, const char *text)
{
    const char *why;
    FdGraph *g = fd_read(fd, text, &why);
    ck_assert_msg(g != NULL, "%s", why);
    return g;
}

static FdGraph *read_twice(Fd *fd, int shift, const char *index, const char *range)
{
    char text[1024];
    snprintf(text, sizeof text, twice, shift, index, range);
    return read_graph(fd, text);
}

/* Of two parts, whose first slots are slot 0; the second's is `second`. */
static FdGraph *two(Fd *fd, const FdGraph *a, const FdGraph *b, int second, int slots)
{
    const FdType *line = fd_type_array(fd, SC_FLOAT, 1);
    const FdSlot all[] = {{.type = line, .is_array = true, .name = "x"},
                          {.type = line, .is_array = true, .name = "y"},
                          {.type = line, .is_array = true, .name = "z"}};
    const int first_slots[] = {0, 1}, second_slots[] = {second, 2};
    const FdPart parts[] = {{.graph = a, .slots = first_slots},
                            {.graph = b, .slots = second_slots}};
    FdGraph *g = fd_several(fd, 2, parts, slots, all);
    if (!g) return NULL;
    const char *why = fd_verify(fd, g);
    ck_assert_msg(!why, "%s", why);
    /* as text it is the same */
    Text t = {0};
    fd_print(&t, g);
    Fd *other = fd_new();
    FdGraph *again = read_graph(other, t.data);
    FdKey x = fd_key(fd, g, NULL), y = fd_key(other, again, NULL);
    ck_assert(x.hi == y.hi && x.lo == y.lo && g->nresults == again->nresults);
    fd_free(other);
    text_free(&t);
    return g;
}

/* The results as one function of records. */
static const FdNode *beside(Fd *fd, FdGraph *g)
{
    FdError error;
    fd_pass_find("beside")->run(fd, g, &error);
    return fd_root(g);
}

static void expect(const FdNode *n, const char *text)
{
    Text t = {0};
    fd_print_expr(&t, n);
    ck_assert_str_eq(t.data, text);
    text_free(&t);
}

START_TEST(parts_are_results)
{
    Fd *fd = fd_new();
    const FdGraph *a = read_graph(fd, plus_one), *b = read_twice(fd, 0, "%4", "infer %2..%3");
    FdGraph *g = two(fd, a, b, 1, 2);
    ck_assert_ptr_nonnull(g);
    ck_assert_int_eq(g->nresults, 2);
    expect(fd_root(g)->body, "x(i) + 1");
    expect(g->results[1].node->body, "y(i) * 2");
    ck_assert_int_eq(g->nagrees, 2); /* the second's own, and that the ranges are equal */
    ck_assert_int_eq(fd_root(g)->doms[0].kind, FD_DOM_INFERRED);
    ck_assert_int_eq(fd_several_pays(g), FD_PAYS_SMALL);
    expect(beside(fd, g)->body, "results_float_float(x(i) + 1, y(i) * 2)");
    ck_assert_int_eq(g->nresults, 1);
    fd_free(fd);
}
END_TEST

START_TEST(what_is_for_later_parts_alone_is_no_result)
{
    Fd *fd = fd_new();
    const FdType *line = fd_type_array(fd, SC_FLOAT, 1);
    const FdSlot all[] = {{.type = line, .is_array = true, .name = "x"}};
    const int first[] = {0}, second[] = {~0}, third[] = {~1};
    const FdGraph *a = read_graph(fd, plus_one);
    const FdPart parts[] = {{a, first, true}, {a, second, false}, {a, third, false}};
    FdGraph *g = fd_several(fd, 3, parts, 1, all);
    ck_assert_ptr_nonnull(g);
    ck_assert_int_eq(g->nresults, 2);
    expect(fd_root(g)->body, "x(i) + 1 + 1");
    expect(g->results[1].node->body, "x(i) + 1 + 1 + 1");
    ck_assert_int_eq(fd_several_pays(g), FD_PAYS); /* three go through memory in place of four */
    fd_free(fd);
}
END_TEST

START_TEST(reads_at_the_own_point_are_values)
{
    Fd *fd = fd_new();
    const FdGraph *a = read_graph(fd, plus_one);
    FdGraph *g = two(fd, a, read_twice(fd, 0, "%4", "infer %2..%3"), ~0, 1);
    ck_assert_ptr_nonnull(g);
    expect(g->results[1].node->body, "(x(i) + 1) * 2");
    ck_assert_ptr_null(two(fd, a, read_twice(fd, 1, "%10", "infer %2..%3"), ~0, 1));
    ck_assert_ptr_null(two(fd, a, read_twice(fd, 3, "%9", "infer %2..%3"), ~0, 1));
    ck_assert_ptr_nonnull(two(fd, a, read_twice(fd, 1, "%10", "infer %2..%3"), 0, 1));
    fd_free(fd);
}
END_TEST

START_TEST(ranges_are_what_all_parts_allow)
{
    Fd *fd = fd_new();
    const FdGraph *a = read_graph(fd, plus_one);
    FdGraph *g = two(fd, a, read_twice(fd, 9, "%4", "given %1..%9"), 1, 2);
    ck_assert_ptr_nonnull(g);
    ck_assert_int_eq(beside(fd, g)->doms[0].kind, FD_DOM_GIVEN); /* y(i) has to be checked */
    const FdGraph *nine = read_twice(fd, 9, "%4", "given %1..%9");
    const FdGraph *eight = read_twice(fd, 8, "%4", "given %1..%9");
    ck_assert_ptr_null(two(fd, nine, eight, 1, 2));
    ck_assert_ptr_null(two(fd, read_graph(fd, total), a, 0, 1)); /* scalars are behind arrays */
    fd_free(fd);
}
END_TEST

START_TEST(what_sums_share_pays)
{
    Fd *fd = fd_new();
    FdGraph *g = two(fd, read_graph(fd, sum), read_graph(fd, sum), 0, 3);
    ck_assert_ptr_nonnull(g);
    ck_assert_int_eq(fd_several_pays(g), FD_PAYS);
    const FdNode *body = beside(fd, g)->body;
    ck_assert_ptr_eq(body->args[0]->vars[0], body->args[1]->vars[0]);
    ck_assert_ptr_eq(body->args[0]->body->args[1], body->args[1]->body->args[1]); /* exp */
    g = two(fd, read_graph(fd, sum), read_graph(fd, sum), 1, 3);
    ck_assert_int_eq(fd_several_pays(g), FD_PAYS_NOT);
    fd_free(fd);
}
END_TEST

START_TEST(scalars_make_a_record)
{
    Fd *fd = fd_new();
    FdGraph *g = two(fd, read_graph(fd, total), read_graph(fd, total), 1, 2);
    ck_assert_ptr_nonnull(g);
    ck_assert(g->nresults == 1 && fd_root(g)->type->record);
    ck_assert_int_eq(fd_several_pays(g), FD_PAYS_NOT); /* parts are combined of one sum */
    fd_free(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("several");
    TCase *c = tcase_create("several");
    tcase_add_test(c, parts_are_results);
    tcase_add_test(c, what_is_for_later_parts_alone_is_no_result);
    tcase_add_test(c, reads_at_the_own_point_are_values);
    tcase_add_test(c, ranges_are_what_all_parts_allow);
    tcase_add_test(c, what_sums_share_pays);
    tcase_add_test(c, scalars_make_a_record);
    suite_add_tcase(s, c);
    return run_suite(s);
}
