/* The reference executor on graphs from text: records, recurrences, folds, functions of functions,
 * closures. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/evaluate/lazy/closure.h"
#include "../../../runtime/reference/ref.h"
#include "../suite.h"

/* An array over given elements, domain from 0. Its planes are the caller's to lay out. */
static Array array(void *data, int rank, int64_t n0, int64_t n1)
{
    Array a = {.head = {.rank = rank, .data = data, .dim = {{.n = n0}, {.n = n1}}}};
    a.head.dim[rank - 1].stride = 1;
    if (rank == 2) a.head.dim[0].stride = n1;
    return a;
}

/* A graph's root over leaves: one value (n == 0) or n floats of its domain from 0. */
static void run(const char *text, const RtLeaf *leaves, int64_t n0, int64_t n1, float *out)
{
    const char *why;
    Fd *fd = fd_new();
    FdGraph *g = fd_read(fd, text, &why);
    ck_assert_msg(g, "%s", why);
    FdError error = {0};
    ck_assert_msg(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL), "%s", error.message);
    Ref *r = ref_new(fd, fd_root(g), NULL);
    if (n0 == 0) {
        ScalarValue v[16];
        ck_assert(ref_scalar(r, leaves, NULL, v));
        for (int i = 0; i < fd_type_leaves(fd_root(g)->type); i++) out[i] = (float)v[i].f;
    } else {
        FdBox box = {.rank = fd_root(g)->type->nparams};
        box.dim[0].hi = n0;
        box.dim[1].hi = n1;
        ck_assert(ref_fill(r, leaves, NULL, &box, out));
    }
    ref_free(r);
    fd_free(fd);
}

static void expect(const float *got, int n, const float *want)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(got[i] == want[i], "element %d is %g, not %g", i, (double)got[i],
                      (double)want[i]);
}

#define COMPLEX "record complex (float re, float im)\n"
#define CADD                                                                                       \
    "user \"cadd\" : complex(complex, complex) associative identity (0, 1) {\n"                    \
    "  %0 = local \"x\" : complex\n"                                                               \
    "  %1 = local \"y\" : complex\n"                                                               \
    "  %2 = apply @field 0 (%0) : float\n"                                                         \
    "  %3 = apply @field 0 (%1) : float\n"                                                         \
    "  %4 = apply @add (%2, %3) : float\n"                                                         \
    "  %5 = apply @field 1 (%0) : float\n"                                                         \
    "  %6 = apply @field 1 (%1) : float\n"                                                         \
    "  %7 = apply @add (%5, %6) : float\n"                                                         \
    "  %8 = apply @make (%4, %7) : complex\n"                                                      \
    "  params (%0, %1)\n"                                                                          \
    "  return %8\n"                                                                                \
    "}\n"

/* The planes of 3 complex numbers: the second one begins at 64 bytes. */
static float planes[16 + 3] = {1, 2, 3, [16] = 10, 20, 30};

START_TEST(scan_upwards_and_downwards)
{
    float a[4] = {1, 2, 3, 4}, out[4];
    Array in = array(a, 1, 4, 0);
    RtLeaf leaf = {.array = &in};
    run("%0 = var \"i\" : int\n"
        "%1 = var \"s\" : float(int)\n"
        "%2 = slot 0 \"a\" : array float(int)\n"
        "%3 = apply %2 (%0) : float\n"
        "%4 = const 0 : int\n"
        "%5 = apply @gt (%0, %4) : bool\n"
        "%6 = const 1 : int\n"
        "%7 = apply @sub (%0, %6) : int\n"
        "%8 = apply %1 (%7) : float\n"
        "%9 = const 0 : float\n"
        "%10 = apply @select (%5, %8, %9) : float\n"
        "%11 = apply @add (%3, %10) : float\n"
        "%12 = rec %1 (%0 : open) %11 : float(int)\n"
        "result %12\n",
        &leaf, 4, 0, out);
    expect(out, 4, (float[]){1, 3, 6, 10});
    run("%0 = var \"i\" : int\n"
        "%1 = var \"s\" : float(int)\n"
        "%2 = slot 0 \"a\" : array float(int)\n"
        "%3 = apply %2 (%0) : float\n"
        "%4 = const 3 : int\n"
        "%5 = apply @lt (%0, %4) : bool\n"
        "%6 = const 1 : int\n"
        "%7 = apply @add (%0, %6) : int\n"
        "%8 = apply %1 (%7) : float\n"
        "%9 = const 0 : float\n"
        "%10 = apply @select (%5, %8, %9) : float\n"
        "%11 = apply @add (%3, %10) : float\n"
        "%12 = rec %1 (%0 : open) %11 : float(int)\n"
        "%13 = var \"k\" : int\n"
        "%14 = apply %12 (%13) : float\n"
        "%15 = apply @mul (%14, %14) : float\n"
        "%16 = let (%13 : open) %15 : float(int)\n"
        "result %16\n",
        &leaf, 4, 0, out);
    expect(out, 4, (float[]){100, 81, 49, 16});
}
END_TEST

/* x(i) = b(i) - sum(j : 0..i, l(i, j) * x(j)); each row's own recurrence too: its table is filled
 * anew where what it depends on has changed. */
START_TEST(recurrences_with_reductions_and_outer_variables)
{
    float b[3] = {1, 2, 3}, l[9] = {0, 0, 0, 2, 0, 0, 3, 4, 0}, out[9];
    Array bs = array(b, 1, 3, 0), ls = array(l, 2, 3, 3);
    RtLeaf leaves[2] = {{.array = &bs}, {.array = &ls}};
    run("%0 = var \"i\" : int\n"
        "%1 = var \"x\" : float(int)\n"
        "%2 = slot 0 \"b\" : array float(int)\n"
        "%3 = slot 1 \"l\" : array float(int, int)\n"
        "%4 = var \"j\" : int\n"
        "%5 = const 0 : int\n"
        "%6 = apply %3 (%0, %4) : float\n"
        "%7 = apply %1 (%4) : float\n"
        "%8 = apply @mul (%6, %7) : float\n"
        "%9 = reduce @add (%4 : given %5..%0) %8 : float\n"
        "%10 = apply %2 (%0) : float\n"
        "%11 = apply @sub (%10, %9) : float\n"
        "%12 = rec %1 (%0 : open) %11 : float(int)\n"
        "result %12\n",
        leaves, 3, 0, out);
    expect(out, 3, (float[]){1, 0, 0});
    run("%0 = var \"i\" : int\n"
        "%1 = var \"k\" : int\n"
        "%2 = var \"j\" : int\n"
        "%3 = var \"s\" : float(int)\n"
        "%4 = slot 1 \"l\" : array float(int, int)\n"
        "%5 = const 0 : int\n"
        "%6 = const 1 : int\n"
        "%7 = const 3 : int\n"
        "%8 = apply %4 (%0, %1) : float\n"
        "%9 = apply @sub (%1, %6) : int\n"
        "%10 = apply %3 (%9) : float\n"
        "%11 = apply @gt (%1, %5) : bool\n"
        "%12 = const 1 : float\n"
        "%13 = apply @select (%11, %10, %12) : float\n"
        "%14 = apply @add (%13, %8) : float\n"
        "%15 = rec %3 (%1 : given %5..%7) %14 : float(int)\n"
        "%16 = apply %15 (%2) : float\n"
        "%17 = let (%0 : given %5..%7, %2 : given %5..%7) %16 : float(int, int)\n"
        "%18 = slot 0 \"b\" : array float(int)\n"
        "result %17\n",
        leaves, 3, 3, out);
    expect(out, 9, (float[]){1, 1, 1, 3, 3, 3, 4, 8, 8});
}
END_TEST

START_TEST(reductions_over_records)
{
    float out[2];
    Array in = array(planes, 1, 3, 0), empty = array(planes, 1, 0, 0);
    RtLeaf leaf = {.array = &in}, none = {.array = &empty};
    const char *const sum = COMPLEX CADD "%0 = slot 0 \"a\" : array complex(int)\n"
                                         "%1 = var \"i\" : int\n"
                                         "%2 = apply %0 (%1) : complex\n"
                                         "%3 = user \"cadd\" : complex(complex, complex)\n"
                                         "%4 = reduce %3 (%1 : open) %2 : complex\n"
                                         "result %4\n";
    run(sum, &leaf, 0, 0, out);
    expect(out, 2, (float[]){6, 60});
    run(sum, &none, 0, 0, out);
    expect(out, 2, (float[]){0, 1});
    run(COMPLEX CADD "%0 = slot 0 \"a\" : array complex(int)\n"
                     "%1 = var \"i\" : int\n"
                     "%2 = apply %0 (%1) : complex\n"
                     "%3 = user \"cadd\" : complex(complex, complex)\n"
                     "%4 = const 100 : float\n"
                     "%5 = apply @make (%4, %4) : complex\n"
                     "%6 = reduce %3 (%1 : open) %2 from %5 : complex\n"
                     "result %6\n",
        &leaf, 0, 0, out);
    expect(out, 2, (float[]){106, 160});
}
END_TEST

/* An array of records from one: the other field first, and one of two records by a condition. The
 * result is stored plane after plane too. */
START_TEST(arrays_of_records)
{
    float out[16 + 3];
    Array in = array(planes, 1, 3, 0);
    RtLeaf leaf = {.array = &in};
    run(COMPLEX "%0 = slot 0 \"a\" : array complex(int)\n"
                "%1 = var \"i\" : int\n"
                "%2 = apply %0 (%1) : complex\n"
                "%3 = var \"z\" : complex\n"
                "%4 = apply @field 1 (%3) : float\n"
                "%5 = apply @field 0 (%3) : float\n"
                "%6 = apply @make (%4, %5) : complex\n"
                "%7 = let (%3 : full) %6 : complex(complex)\n"
                "%8 = apply %7 (%2) : complex\n"
                "%9 = const 1 : int\n"
                "%10 = apply @eq (%1, %9) : bool\n"
                "%11 = apply %7 (%8) : complex\n"
                "%12 = apply @select (%10, %11, %8) : complex\n"
                "%13 = const 0 : int\n"
                "%14 = const 3 : int\n"
                "%15 = let (%1 : given %13..%14) %12 : complex(int)\n"
                "result %15\n",
        &leaf, 3, 0, out);
    expect(out, 3, (float[]){10, 2, 30});
    expect(out + 16, 3, (float[]){1, 20, 3});
}
END_TEST

/* A local of record type that its own fields are assigned to, in a loop. */
START_TEST(records_in_statements)
{
    float out[1];
    RtLeaf none = {.scalar.f = 3};
    run(COMPLEX "user \"fib\" : float(float) {\n"
                "  %0 = local \"n\" : float\n"
                "  %1 = local \"z\" : complex\n"
                "  %2 = const 0 : float\n"
                "  %3 = const 1 : float\n"
                "  %4 = apply @make (%2, %3) : complex\n"
                "  %5 = apply @le (%0, %2) : bool\n"
                "  %6 = apply @field 0 (%1) : float\n"
                "  %7 = apply @field 1 (%1) : float\n"
                "  %8 = apply @add (%6, %7) : float\n"
                "  %9 = apply @make (%7, %8) : complex\n"
                "  %10 = apply @sub (%0, %3) : float\n"
                "  params (%0)\n"
                "  set %1 = %4\n"
                "  loop {\n"
                "    if %5 {\n"
                "      return %6\n"
                "    }\n"
                "    set %1 = %9\n"
                "    set %0 = %10\n"
                "  }\n"
                "}\n"
                "%0 = user \"fib\" : float(float)\n"
                "%1 = slot 0 \"n\" : float\n"
                "%2 = const 7 : float\n"
                "%3 = apply @add (%1, %2) : float\n"
                "%4 = apply %0 (%3) : float\n"
                "result %4\n",
        &none, 0, 0, out);
    expect(out, 1, (float[]){55});
}
END_TEST

/* f(x)(y)(z), and f inside its own argument. */
START_TEST(functions_of_functions)
{
    float out[1];
    run("%0 = var \"x\" : float\n"
        "%1 = var \"y\" : float\n"
        "%2 = var \"z\" : float\n"
        "%3 = apply @mul (%0, %1) : float\n"
        "%4 = apply @sub (%3, %2) : float\n"
        "%5 = let (%2 : full) %4 : float(float)\n"
        "%6 = let (%1 : full) %5 : float(float)(float)\n"
        "%7 = let (%0 : full) %6 : float(float)(float)(float)\n"
        "%8 = const 2 : float\n"
        "%9 = const 5 : float\n"
        "%10 = apply %7 (%8) : float(float)(float)\n"
        "%11 = apply %10 (%9) : float(float)\n"
        "%12 = apply %11 (%8) : float\n"
        "%13 = apply %11 (%12) : float\n"
        "result %13\n",
        NULL, 0, 0, out);
    expect(out, 1, (float[]){2});
}
END_TEST

static void turn(const CsValue *env, const CsValue *args, CsValue *out)
{
    out[0].f = args[1].f + env[0].f;
    out[1].f = args[0].f;
}

/* A host function in a slot, with an environment; a record is flattened both ways. */
START_TEST(closures_in_slots)
{
    static const CsNative native = {"turn", "complex(complex)", turn, 1, 0, NULL, NULL, NULL};
    float out[2];
    union {
        Closure closure;
        char room[sizeof(Closure) + sizeof(CsValue)];
    } c = {.closure = {.head = {.refs = 1}, .native = &native, .nenv = 1}};
    c.closure.env[0].f = 0.5;
    RtLeaf leaf = {.closure = &c.closure};
    run(COMPLEX "%0 = slot 0 \"f\" : complex(complex)\n"
                "%1 = const 1 : float\n"
                "%2 = const 2 : float\n"
                "%3 = apply @make (%1, %2) : complex\n"
                "%4 = apply %0 (%3) : complex\n"
                "%5 = apply %0 (%4) : complex\n"
                "result %5\n",
        &leaf, 0, 0, out);
    expect(out, 2, (float[]){1.5, 2.5});
    closure_drop_rest(&c.closure);
}
END_TEST

/* An element outside gives an exception, and one that a wrong order has not computed yet. */
static void fails(const char *order, const char *exception)
{
    const char *why;
    Fd *fd = fd_new();
    Text t = {0};
    text_printf(&t,
                "%%0 = var \"i\" : int\n"
                "%%1 = var \"s\" : int(int)\n"
                "%%2 = const 1 : int\n"
                "%%3 = const 5 : int\n"
                "%%4 = apply @sub (%%0, %%2) : int\n"
                "%%5 = apply %%1 (%%4) : int @1:1\n"
                "%%6 = rec %%1 order %s (%%0 : given %%2..%%3) %%5 : int(int)\n"
                "%%7 = apply %%6 (%%2) : int\n"
                "result %%7\n",
                order);
    FdGraph *g = fd_read(fd, t.data, &why);
    ck_assert_msg(g, "%s", why);
    ScalarValue v;
    Ref *r = ref_new(fd, fd_root(g), NULL);
    ck_assert(!ref_scalar(r, NULL, NULL, &v));
    ck_assert_ptr_nonnull(strstr(rt_pending_message(), exception));
    rt_catch();
    ref_free(r);
    fd_free(fd);
    text_free(&t);
}

START_TEST(errors)
{
    fails("+0", "IndexOutOfRangeException");
    fails("-0", "before it is computed");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fdag_ref");
    TCase *c = tcase_create("ref");
    tcase_add_test(c, scan_upwards_and_downwards);
    tcase_add_test(c, recurrences_with_reductions_and_outer_variables);
    tcase_add_test(c, reductions_over_records);
    tcase_add_test(c, arrays_of_records);
    tcase_add_test(c, records_in_statements);
    tcase_add_test(c, functions_of_functions);
    tcase_add_test(c, closures_in_slots);
    tcase_add_test(c, errors);
    suite_add_tcase(s, c);
    return run_suite(s);
}
