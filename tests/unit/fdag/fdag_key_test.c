/* Keys of graphs: what they see, what they do not, the numbers that they give. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../suite.h"
#include "fdag_graph.h"

/* ---- keys ------------------------------------------------------------------------------- */

/* sum(i : lo..hi, A(i)) + sum(i : lo..hi, B(i)) with the parts given. */
static FdKey key_with(const char *v, const char *kind, const char *hi, const char *second,
                      const char *constant)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%%0 = slot 0 \"a\" : array int(int)\n%%1 = slot 1 \"b\" : array int(int)\n"
             "%%2 = var \"%s\" : int\n%%3 = const 0 : int\n%%4 = const %s : int\n"
             "%%5 = apply %%0 (%%2) : int\n%%6 = apply %s (%%2) : int\n"
             "%%7 = reduce @add (%%2 : %s %%3..%%4) %%5 : int\n"
             "%%8 = reduce @add (%%2 : %s %%3..%%4) %%6 : int\n"
             "%%9 = apply @add (%%7, %%8) : int\n%%10 = const %s : int\n"
             "%%11 = apply @mul (%%9, %%10) : int\nresult %%11\n",
             v, hi, second, kind, kind, constant);
    return key_of(text);
}

START_TEST(keys_see_structure_only)
{
    FdKey k = key_with("i", "given", "10", "%1", "3");
    ck_assert(same_key(k, key_with("zeta", "given", "10", "%1", "3"))); /* names */
    ck_assert(!same_key(k, key_with("i", "given", "999", "%1", "3")));  /* ranges */
    ck_assert(!same_key(k, key_with("i", "infer", "10", "%1", "3")));   /* checked reads */
    ck_assert(!same_key(k, key_with("i", "given", "10", "%0", "3")));   /* one leaf twice */
    ck_assert(!same_key(k, key_with("i", "given", "10", "%1", "4")));   /* constants */
    /* A variable of its own for each sum: alpha-equivalent. */
    ck_assert(same_key(key_of("%0 = slot 0 \"a\" : array int(int)\n"
                              "%1 = slot 1 \"b\" : array int(int)\n"
                              "%2 = var \"i\" : int\n%12 = var \"j\" : int\n"
                              "%3 = const 0 : int\n%4 = const 10 : int\n"
                              "%5 = apply %0 (%2) : int\n%6 = apply %1 (%12) : int\n"
                              "%7 = reduce @add (%2 : given %3..%4) %5 : int\n"
                              "%8 = reduce @add (%12 : given %3..%4) %6 : int\n"
                              "%9 = apply @add (%7, %8) : int\n%10 = const 3 : int\n"
                              "%11 = apply @mul (%9, %10) : int\nresult %11\n"),
                       k));
}
END_TEST

START_TEST(keys_leave_out_slot_numbers)
{
    ck_assert(same_key(key_of("%0 = slot 0 \"x\" : int\n%1 = slot 1 \"y\" : int\n"
                              "%2 = apply @sub (%0, %1) : int\nresult %2\n"),
                       key_of("%0 = slot 1 \"p\" : int\n%1 = slot 0 \"q\" : int\n"
                              "%3 = slot 2 \"unused\" : int\n"
                              "%2 = apply @sub (%0, %1) : int\nresult %2\n")));
    ck_assert(!same_key(key_of("%0 = slot 0 \"f\" : array int(int)\n%1 = const 1 : int\n"
                               "%2 = apply %0 (%1) : int\nresult %2\n"),
                        key_of("%0 = slot 0 \"f\" : int(int)\n%1 = const 1 : int\n"
                               "%2 = apply %0 (%1) : int\nresult %2\n")));
}
END_TEST

START_TEST(keys_see_user_bodies)
{
    static const char text[] = "user \"f\" : int(int) {\n"
                               "  %%0 = local \"x\" : int\n"
                               "  %%1 = const %d : int\n"
                               "  %%2 = apply @add (%%0, %%1) : int\n"
                               "  params (%%0)\n"
                               "  return %%2\n"
                               "}\n"
                               "%%0 = user \"f\" : int(int)\n%%1 = const 1 : int\n"
                               "%%2 = apply %%0 (%%1) : int\nresult %%2\n";
    char one[512], two[512];
    snprintf(one, sizeof one, text, 1);
    snprintf(two, sizeof two, text, 2);
    ck_assert(!same_key(key_of(one), key_of(two)));
    Fd *fd = fd_new(); /* asking again gives the same */
    FdGraph *g = read_graph(fd, one);
    FdKey first = fd_key(fd, g, NULL);
    ck_assert(same_key(first, fd_key(fd, g, NULL)));
    ck_assert(same_key(first, key_of(one)));
    fd_free(fd);
}
END_TEST

START_TEST(order_numbers_slots_ranges_nodes)
{
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, matmul);
    FdError error;
    FdOrder o;
    ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL));
    fd_key(fd, g, &o);
    ck_assert_int_eq(o.nslots, 2);
    ck_assert_int_eq(o.slots[0], 0);
    ck_assert_int_eq(o.nranges, 3); /* j, k, l */
    ck_assert_ptr_eq(o.range_binder[0], fd_root(g));
    ck_assert_int_eq(o.range_index[1], 1);
    ck_assert_ptr_eq(o.range_binder[2], fd_root(g)->body);
    ck_assert_ptr_eq(o.nodes[0], fd_root(g));
    fd_free(fd);
}
END_TEST

START_TEST(order_goes_on_with_bodies)
{
    static const char text[] = "user \"half\" : int(int) {\n"
                               "  %0 = local \"x\" : int\n"
                               "  %1 = const 2 : int\n"
                               "  %2 = apply @div (%0, %1) : int @1:10\n"
                               "  params (%0)\n"
                               "  return %2\n"
                               "}\n"
                               "user \"f\" : int(int) {\n"
                               "  %0 = local \"x\" : int\n"
                               "  %1 = user \"half\" : int(int)\n"
                               "  %2 = apply %1 (%0) : int @2:10\n"
                               "  %3 = apply %1 (%2) : int @2:20\n"
                               "  params (%0)\n"
                               "  return %3\n"
                               "}\n"
                               "%0 = user \"f\" : int(int)\n%1 = const 1 : int\n"
                               "%2 = apply %0 (%1) : int @3:10\nresult %2\n";
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, text);
    FdOrder o;
    fd_key(fd, g, &o);
    ck_assert_int_eq(o.nnodes, 3); /* the call, f, 1 */
    int half = -1;
    for (int i = o.nnodes; i < o.nplaces; i++)
        if (o.nodes[i]->loc.line == 1) half = i;
    ck_assert_int_ge(half, 0);
    ck_assert_str_eq(fd_user_around(fd_root(g), o.nodes[half])->name, "half");
    ck_assert_str_eq(fd_user_around(fd_root(g), o.nodes[o.nnodes])->name, "f");
    ck_assert_ptr_null(fd_user_around(fd_root(g), fd_root(g)));
    const FdNode *n = o.nodes[half];
    const FdLoc *before = fd_number_places(fd, &o);
    ck_assert_int_eq(n->loc.line, half + 1);
    ck_assert_int_eq(before[half].line, 1);
    ck_assert_int_eq(before[half].col, 10);
    fd_free(fd);
}
END_TEST

START_TEST(keys_are_fast)
{
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, matmul);
    FdError error;
    ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL));
    enum { TIMES = 100000 };
    clock_t start = clock();
    for (int i = 0; i < TIMES; i++) fd_key(fd, g, NULL);
    double us = (double)(clock() - start) / CLOCKS_PER_SEC / TIMES * 1e6;
    ck_assert_msg(us < 50, "%g us a key", us); /* about 0.3; sanitizers and slow machines pass */
    if (getenv("CS_TEST_VERBOSE")) printf("fd_key: %.3f us\n", us);
    fd_free(fd);
}
END_TEST

/* Names of records do not count, the types of their fields do; nor does any name in a recurrence,
 * while its order does. */
START_TEST(keys_of_records_and_recurrences)
{
    const char *const record = "record %s (%s re, float im)\n"
                               "%%0 = slot 0 \"a\" : array %s(int)\n"
                               "%%1 = const 3 : int\n"
                               "%%2 = apply %%0 (%%1) : %s\n"
                               "%%3 = apply @field 1 (%%2) : float\n"
                               "result %%3\n";
    const char *const rec = "%%0 = var \"%s\" : int\n"
                            "%%1 = var \"s\" : int(int)\n"
                            "%%2 = const 1 : int\n"
                            "%%3 = apply @sub (%%0, %%2) : int\n"
                            "%%4 = apply %%1 (%%3) : int\n"
                            "%%5 = rec %%1 order %s (%%0 : given %%2..%%2) %%4 : int(int)\n"
                            "result %%5\n";
    char a[400], b[400], c[400];
    snprintf(a, sizeof a, record, "x", "float", "x", "x");
    snprintf(b, sizeof b, record, "y", "float", "y", "y");
    snprintf(c, sizeof c, record, "x", "int", "x", "x");
    ck_assert(same_key(key_of(a), key_of(b)));
    ck_assert(!same_key(key_of(a), key_of(c)));
    snprintf(a, sizeof a, rec, "i", "+0");
    snprintf(b, sizeof b, rec, "j", "+0");
    snprintf(c, sizeof c, rec, "i", "-0");
    ck_assert(same_key(key_of(a), key_of(b)));
    ck_assert(!same_key(key_of(a), key_of(c)));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("keys");
    TCase *c = tcase_create("keys");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, keys_see_structure_only);
    tcase_add_test(c, keys_leave_out_slot_numbers);
    tcase_add_test(c, keys_see_user_bodies);
    tcase_add_test(c, order_numbers_slots_ranges_nodes);
    tcase_add_test(c, order_goes_on_with_bodies);
    tcase_add_test(c, keys_are_fast);
    tcase_add_test(c, keys_of_records_and_recurrences);
    suite_add_tcase(s, c);
    return run_suite(s);
}
