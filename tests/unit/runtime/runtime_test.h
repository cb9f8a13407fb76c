/* What the tests of the runtime share: a program, its host functions, values and graphs. */
#ifndef CS_TESTS_RUNTIME_TEST_H
#define CS_TESTS_RUNTIME_TEST_H

#include <check.h>

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../codegen/abi/csrt.h"
#include "../../../runtime/device/cache.h"
#include "../../../runtime/device/device.h"
#include "../../../runtime/device/memory.h"
#include "../../../runtime/device/open/select.h"
#include "../../../runtime/evaluate/compose/compose.h"
#include "../../../runtime/evaluate/lazy/lazy.h"
#include "../../../runtime/state.h"
#include "../suite.h"
#include "runtime_life.h"

SHARED const CsSite site = {"top level", "test.cs$", 7, 3};

SHARED void call_twice(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    out->f = 2 * args[0].f;
}

SHARED void call_bad(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    (void)args;
    out->f = 0;
    cs_throw_divide(&site);
}

SHARED void call_halves(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    out->f = 0.5 * (double)args[0].i;
}

SHARED int calls;

SHARED void call_counted(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    calls++;
    out->f = args[0].f + 1;
}

SHARED const CsNative counted = {"counted", "float(float)", call_counted, 1, 0, NULL, NULL, NULL};
SHARED const CsNative halves = {"halves", "float(int)", call_halves, 1, 0, NULL, NULL, NULL};
SHARED const CsNative twice = {"twice", "float(float)", call_twice, 1, 0, NULL, NULL, NULL};
SHARED const CsNative bad = {"bad", "float(float)", call_bad, 1, 0, NULL, NULL, NULL};
SHARED const CsNative *const natives[] = {&twice, &bad, &counted};
SHARED const CsProgram program = {.name = "test", .nnatives = 3, .natives = natives};

SHARED void setup(void)
{
    start(&program);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

SHARED Array *floats(int rank, const int64_t *n, float first, float step)
{
    Array *a = cs_array_new(SC_FLOAT, rank, n, &site);
    float *p = rt_array_data(a, &site);
    for (int64_t i = 0, count = rt_array_count(a); i < count; i++)
        p[i] = first + step * (float)(i % 23);
    return a;
}

SHARED Array *ints(int64_t n, int first, int step)
{
    Array *a = cs_array_new(SC_INT, 1, &n, &site);
    int32_t *p = rt_array_data(a, &site);
    for (int64_t i = 0; i < n; i++) p[i] = first + step * (int32_t)i;
    return a;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

SHARED CsGraph matmul = {
    .text =
        "%0 = var \"j\" : int\n%1 = var \"k\" : int\n%2 = slot 0 \"a\" : array float(int, int)\n"
        "%3 = const 0 : int\n%4 = apply @lower (%2, %3) : long\n%5 = apply @upper (%2, %3) : long\n"
        "%6 = slot 1 \"b\" : array float(int, int)\n%7 = const 1 : int\n"
        "%8 = apply @lower (%6, %7) : long\n%9 = apply @upper (%6, %7) : long\n"
        "%10 = var \"l\" : int\n%11 = apply @lower (%2, %7) : long\n"
        "%12 = apply @upper (%2, %7) : long\n%13 = apply %2 (%0, %10) : float @4:16\n"
        "%14 = apply %6 (%10, %1) : float @4:26\n%15 = apply @mul (%13, %14) : float @4:20\n"
        "%16 = reduce @add (%10 : infer %11..%12) %15 : float @4:14\n"
        "%17 = let (%0 : infer %4..%5, %1 : infer %8..%9) %16 : float(int, int) @4:5\n"
        "agree %2.1 %6.0 @4:14\nresult %17\n"};

/* v(i) = u(i-1) - 2 u(i) + u(i+1) on the interior; u any functional value */
SHARED CsGraph laplace = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : float(int)\n%2 = const 0 : int\n"
        "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
        "%5 = const 1 : long\n%6 = apply @add (%3, %5) : long\n%7 = apply @sub (%4, %5) : long\n"
        "%8 = const 1 : int\n%9 = apply @sub (%0, %8) : int\n%10 = apply @add (%0, %8) : int\n"
        "%11 = apply %1 (%9) : float\n%12 = apply %1 (%0) : float\n%13 = apply %1 (%10) : float\n"
        "%14 = const 2 : float\n%15 = apply @mul (%14, %12) : float\n"
        "%16 = apply @sub (%11, %15) : float\n%17 = apply @add (%16, %13) : float\n"
        "%18 = let (%0 : infer %6..%7) %17 : float(int)\nresult %18\n"};

/* w(i) = u(i) + s */
SHARED CsGraph shift = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : float(int)\n%2 = const 0 : int\n"
        "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
        "%5 = slot 1 \"s\" : float\n%6 = apply %1 (%0) : float\n%7 = apply @add (%6, %5) : float\n"
        "%8 = let (%0 : infer %3..%4) %7 : float(int)\nresult %8\n"};

/* g(i) = x(col(i)) */
SHARED CsGraph gather = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"col\" : array int(int)\n%2 = const 0 : int\n"
            "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
            "%5 = slot 1 \"x\" : array float(int)\n%6 = apply %1 (%0) : int\n"
            "%7 = apply %5 (%6) : float @12:9\n"
            "%8 = let (%0 : infer %3..%4) %7 : float(int)\nresult %8\n"};

/* y(i) = sum(k : rowptr(i)..rowptr(i+1), val(k) * x(col(k))) */
SHARED CsGraph csr = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"rowptr\" : array int(int)\n%2 = const 0 : int\n"
            "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
            "%5 = const 1 : long\n%6 = apply @sub (%4, %5) : long\n%7 = const 1 : int\n"
            "%8 = apply @add (%0, %7) : int\n%9 = apply %1 (%0) : int\n%10 = apply %1 (%8) : int\n"
            "%11 = var \"k\" : int\n%12 = slot 1 \"val\" : array float(int)\n"
            "%13 = slot 2 \"col\" : array int(int)\n%14 = slot 3 \"x\" : array float(int)\n"
            "%15 = apply %12 (%11) : float\n%16 = apply %13 (%11) : int\n%17 = apply %14 (%16) : "
            "float\n"
            "%18 = apply @mul (%15, %17) : float\n"
            "%19 = reduce @add (%11 : given %9..%10) %18 : float\n"
            "%20 = let (%0 : infer %3..%6) %19 : float(int)\nresult %20\n"};

/* min over a slot */
SHARED CsGraph minimum = {
    .text =
        "%0 = slot 0 \"u\" : float(int)\n%1 = const 0 : int\n%2 = apply @lower (%0, %1) : long\n"
        "%3 = apply @upper (%0, %1) : long\n%4 = var \"i\" : int\n%5 = apply %0 (%4) : float\n"
        "%6 = reduce @min (%4 : infer %2..%3) %5 : float @5:2\nresult %6\n"};

/* q(i) = i == 0 ? 0 : a(i) / (i - d) for i in 0..10, int */
SHARED CsGraph divide = {
    .text = "%0 = var \"i\" : int\n%1 = const 0 : int\n%2 = const 10 : int\n"
            "%3 = slot 0 \"a\" : array int(int)\n%4 = slot 1 \"d\" : int\n%5 = apply %3 (%0) : int "
            "@6:1\n"
            "%6 = apply @sub (%0, %4) : int\n%7 = apply @div (%5, %6) : int @6:8\n"
            "%8 = apply @eq (%0, %1) : bool\n%9 = apply @select (%8, %1, %7) : int\n"
            "%10 = let (%0 : given %1..%2) %9 : int(int)\nresult %10\n"};

/* f(g(x)) pointwise over a slot, f a function of float */
SHARED CsGraph promote = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"f\" : float(float)\n%2 = slot 1 \"u\" : float(int)\n"
        "%3 = const 0 : int\n%4 = apply @lower (%2, %3) : long\n%5 = apply @upper (%2, %3) : long\n"
        "%6 = apply %2 (%0) : float\n%7 = apply %1 (%6) : float\n"
        "%8 = let (%0 : infer %4..%5) %7 : float(int)\nresult %8\n"};

/* Runs the tests of a file; its exit code. */
SHARED int run_tests(const char *name, const TTest *const *tests, int n)
{
    Suite *s = suite_create(name);
    TCase *c = tcase_create(name);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    for (int i = 0; i < n; i++) tcase_add_test(c, tests[i]);
    suite_add_tcase(s, c);
    return run_suite(s);
}

#endif
