/* Functional values beyond arrays and graphs: closures, slices, f ?? g, arrays of records. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../../codegen/abi/csrt.h"
#include "../../../runtime/evaluate/lazy/closure.h"
#include "../../../runtime/evaluate/lazy/restrict.h"
#include "../../../runtime/objects/record.h"
#include "../../../runtime/state.h"
#include "../suite.h"
#include "runtime_life.h"

static const CsSite site = {"top level", "test.cs$", 7, 3};

static const char *const fields[] = {"re", "im"};
static const int32_t kinds[] = {SC_DOUBLE, SC_DOUBLE};
static const char *const pair_fields[] = {"tag", "z"};
static const int32_t pair_kinds[] = {SC_INT, CS_ELEM_RECORD};
static const CsRecord records[] = {{"Complex", "Complex", 2, fields, kinds, NULL},
                                   {"Pair", "Pair", 2, pair_fields, pair_kinds, NULL}};
static const CsProgram program = {.name = "test", .nrecords = 2, .records = records};

static void setup(void)
{
    start(&program);
}

static void expect_text(void *fn, const char *text)
{
    Str *s = cs_format_fn(fn, NULL, &site);
    ck_assert_msg(s != NULL, "%s", rt_pending_message());
    ck_assert_str_eq(s->bytes, text);
    cs_release(s);
}

static Array *ints(int64_t n, int first, int step)
{
    Array *a = cs_array_new(SC_INT, 1, &n, &site);
    int32_t *p = rt_array_data(a, &site);
    for (int64_t i = 0; i < n; i++) p[i] = first + step * (int32_t)i;
    return a;
}

/* ---- closures ------------------------------------------------------------------------- */

static int calls;

static void call_scaled(const CsValue *env, const CsValue *args, CsValue *out)
{
    calls++;
    out->i = env[0].i * args[0].i;
}

static void call_joined(const CsValue *env, const CsValue *args, CsValue *out)
{
    void *both[2] = {env[0].ref, args[0].ref};
    out->ref = cs_str_concat(2, both);
}

static int32_t three(const CsValue *env, int32_t dim)
{
    (void)env;
    (void)dim;
    return 3;
}

static int32_t nine(const CsValue *env, int32_t dim)
{
    (void)env;
    (void)dim;
    return 9;
}

static void *scaled_block(const CsValue *env, void *const *indices)
{
    calls++;
    int64_t n = cs_length(indices[0], &site);
    void *out = cs_array_new(SC_INT, 1, &n, &site);
    int32_t *to = cs_array_read(out, &site);
    const int32_t *from = cs_array_read(indices[0], &site);
    for (int64_t i = 0; i < n; i++) to[i] = (int32_t)env[0].i * from[i];
    return out;
}

static const CsNative scaled = {"scaled", "int(int)", call_scaled, 1, 0, NULL, NULL, NULL};
static const CsNative column = {"column", "int(int)", call_scaled, 1, 1, three, nine, scaled_block};
static const CsNative joined = {"joined", NULL, call_joined, 1, 0, NULL, NULL, NULL};

START_TEST(closures)
{
    CsValue env = {.i = 5}, arg = {.i = 7}, out;
    void *f = cs_closure(&scaled, 1, &env, 0);
    cs_apply(f, &arg, &out, &site);
    ck_assert_int_eq(out.i, 35);
    ck_assert_int_eq(cs_apply_i(f, &arg, &site), 35);
    ck_assert_int_eq(cs_is_finite(f), 0);
    ck_assert_ptr_null(cs_force(f, &site));
    expect_error("DomainException: scaled has an infinite domain");
    expect_text(f, "int(int)");
    cs_release(f);

    env.ref = cs_str("a", 1);
    f = cs_closure(&joined, 1, &env, 1);
    cs_release(env.ref);
    arg.ref = cs_str("b", 1);
    cs_apply(f, &arg, &out, &site);
    ck_assert_str_eq(((Str *)out.ref)->bytes, "ab");
    cs_release(out.ref);
    cs_release(arg.ref);
    ck_assert_int_eq(cs_rank(f), 1);
    cs_release(f);
}
END_TEST

START_TEST(domains)
{
    CsValue env = {.i = 5}, arg = {.i = 2};
    void *f = cs_closure(&column, 1, &env, 0);
    ck_assert_int_eq(cs_is_finite(f), 1);
    ck_assert_int_eq(cs_get_lower(f, 0, &site), 3);
    ck_assert_int_eq(cs_get_upper(f, 0, &site), 9);
    cs_apply_i(f, &arg, &site);
    expect_error("IndexOutOfRangeException: index 2 is outside column's domain 3..10");
    calls = 0;
    Array *a = cs_force(f, &site);
    ck_assert_int_eq(calls, 1); /* a run at once */
    expect_text(a, "[15, 20, 25, 30, 35, 40, 45]");
    ck_assert_int_eq(a->head.dim[0].lo, 3);
    cs_release(a);
    cs_release(f);
}
END_TEST

/* w(i) = u(i - 1) + u(i + 1) for i in 10..20 */
static CsGraph around = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : int(int)\n%2 = const 10 : int\n"
            "%3 = const 20 : int\n%4 = const 1 : int\n%5 = apply @sub (%0, %4) : int\n"
            "%6 = apply @add (%0, %4) : int\n%7 = apply %1 (%5) : int\n%8 = apply %1 (%6) : int\n"
            "%9 = apply @add (%7, %8) : int\n"
            "%10 = let (%0 : given %2..%3) %9 : int(int)\nresult %10\n"};

/* w(i) = u(i) + s over u's domain */
static CsGraph shift = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : int(int)\n%2 = const 0 : int\n"
            "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
            "%5 = slot 1 \"s\" : int\n%6 = apply %1 (%0) : int\n%7 = apply @add (%6, %5) : int\n"
            "%8 = let (%0 : infer %3..%4) %7 : int(int)\nresult %8\n"};

/* w(i) = u(col(i)) over col's domain */
static CsGraph gather = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : int(int)\n%2 = slot 1 \"col\" : int(int)\n"
            "%3 = const 0 : int\n%4 = apply @lower (%2, %3) : long\n"
            "%5 = apply @upper (%2, %3) : long\n%6 = apply %2 (%0) : int\n"
            "%7 = apply %1 (%6) : int\n%8 = let (%0 : infer %4..%5) %7 : int(int)\nresult %8\n"};

/* sum of i in 4..7 of u(i) */
static CsGraph total = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : int(int)\n%2 = const 4 : int\n"
            "%3 = const 7 : int\n%4 = apply %1 (%0) : int\n"
            "%5 = reduce @add (%0 : given %2..%3) %4 : int\nresult %5\n"};

START_TEST(needed)
{
    CsValue env = {.i = 5}, c[2];
    void *f = cs_closure(&scaled, 1, &env, 0), *g = cs_closure(&column, 1, &env, 0);
    c[0].ref = f;
    calls = 0;
    Array *a = cs_eval(&around, c, &site);
    expect_text(a, "[100, 110, 120, 130, 140, 150, 160, 170, 180, 190]");
    ck_assert_int_eq(calls, 12); /* 9..21, each once */
    cs_release(a);
    calls = 0;
    ck_assert_int_eq(cs_scalar_i(&total, c, &site), 75);
    ck_assert_int_eq(calls, 3);
    c[0].ref = g;
    calls = 0;
    ck_assert_int_eq(cs_scalar_i(&total, c, &site), 75);
    ck_assert_int_eq(calls, 1);
    c[1].i = 1;
    calls = 0;
    a = cs_eval(&shift, c, &site); /* its domain is the function's */
    expect_text(a, "[16, 21, 26, 31, 36, 41, 46]");
    ck_assert_int_eq(a->head.dim[0].lo, 3);
    ck_assert_int_eq(calls, 1);
    cs_release(a);
    c[1].ref = ints(3, 3, 2);
    calls = 0;
    a = cs_eval(&gather, c, &site); /* all of it */
    expect_text(a, "[15, 25, 35]");
    ck_assert_int_eq(calls, 1);
    cs_release(a);
    c[0].ref = f; /* an infinite one that is no object is called where it is read */
    a = cs_eval(&gather, c, &site);
    expect_text(a, "[15, 25, 35]");
    cs_release(a);
    cs_release(c[1].ref);
    CsValue at = {.i = 12};
    void *w = cs_lazy(&around, c, &site); /* one element: its own reads */
    calls = 0;
    ck_assert_int_eq(cs_apply_i(w, &at, &site), 120);
    ck_assert_int_eq(calls, 2);
    cs_release(w);
    cs_release(f);
    cs_release(g);
}
END_TEST

/* ---- restrictions, ??, slices --------------------------------------------------------- */

START_TEST(coalesce)
{
    CsValue env = {.i = 2};
    void *full = cs_closure(&scaled, 1, &env, 0);
    Array *a = ints(3, 100, 1), *b = ints(5, 0, 1);
    void *f = cs_coalesce(a, full, &site); /* a, else 2 i everywhere */
    ck_assert_int_eq(cs_is_finite(f), 0);
    CsValue at = {.i = 2};
    ck_assert_int_eq(cs_apply_i(f, &at, &site), 102);
    at.i = 3;
    ck_assert_int_eq(cs_apply_i(f, &at, &site), 6);
    cs_release(f);
    f = cs_coalesce(a, b, &site);
    expect_text(f, "[100, 101, 102, 3, 4]");
    cs_release(f);
    f = cs_coalesce(b, a, &site);
    ck_assert_ptr_eq(f, b);
    cs_release(f);
    FdBox far = {.rank = 1, .dim = {{.lo = 7, .hi = 9}}},
          near = {.rank = 1, .dim = {{.lo = 3, .hi = 5}}};
    Lazy *part = restrict_to(full, &far, &site);
    ck_assert_ptr_null(cs_coalesce(a, part, &site));
    expect_error("DomainException: the domains of the operands of ?? are no box together: 0..3 "
                 "and 7..9");
    cs_release(part);
    part = restrict_to(full, &near, &site);
    f = cs_coalesce(a, part, &site);
    expect_text(f, "[100, 101, 102, 6, 8]");
    cs_release(f);
    cs_release(part);
    cs_release(a);
    cs_release(b);
    cs_release(full);
}
END_TEST

START_TEST(slices)
{
    int64_t n[2] = {3, 4}, lo[2] = {1, 1}, hi[2] = {3, 3};
    void *m = cs_array_new(SC_INT, 2, n, &site), *kept = cs_retain(m);
    CsValue one = {.i = 1};
    cs_slice_fill(&m, lo, hi, 0, &one, &site);
    expect_text(m, "[[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]");
    expect_text(kept, "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]");
    cs_release(kept);
    Array *row = ints(2, 7, 1);
    hi[0] = 2; /* m[1, 1..3] = row */
    cs_slice_set(&m, lo, hi, 1, row, &site);
    expect_text(m, "[[0, 0, 0, 0], [0, 7, 8, 0], [0, 1, 1, 0]]");
    lo[0] = 0, hi[0] = 2, hi[1] = 2; /* m[0..2, 1] = row */
    cs_slice_set(&m, lo, hi, 2, row, &site);
    expect_text(m, "[[0, 7, 0, 0], [0, 8, 8, 0], [0, 1, 1, 0]]");
    CsValue env = {.i = 3};
    void *full = cs_closure(&scaled, 1, &env, 0);
    cs_slice_set(&m, lo, hi, 2, full, &site);
    expect_text(m, "[[0, 0, 0, 0], [0, 3, 8, 0], [0, 1, 1, 0]]");
    cs_release(full);
    hi[0] = 3;
    cs_slice_set(&m, lo, hi, 2, row, &site);
    expect_error("DomainException: a function is assigned to a slice");
    hi[0] = 4;
    cs_slice_fill(&m, lo, hi, 0, &one, &site);
    expect_error("ArgumentOutOfRangeException: the slice 0..4 is outside dimension 0, 0..3");
    cs_release(row);
    cs_release(m);
    int64_t two = 2, from = 0, to = 2; /* references are counted */
    void *strs = cs_array_new(CS_ELEM_REF, 1, &two, &site);
    CsValue s = {.ref = cs_str("x", 1)};
    cs_slice_fill(&strs, &from, &to, 0, &s, &site);
    cs_slice_set(&strs, &from, &to, 0, strs, &site);
    cs_release(s.ref);
    expect_text(strs, "[x, x]");
    cs_release(strs);
}
END_TEST

/* ---- records -------------------------------------------------------------------------- */

START_TEST(planes)
{
    int64_t n = 3, lo = 1, hi = 3;
    void *a = cs_array_new(CS_ELEM_RECORD + 1, 1, &n, &site);
    expect_text(a, "[Pair(0, Complex(0, 0)), Pair(0, Complex(0, 0)), Pair(0, Complex(0, 0))]");
    CsValue v[3] = {{.i = 7}, {.f = 1.5}, {.f = -2}}, out[3], at = {.i = 2};
    cs_slice_fill(&a, &lo, &hi, 0, v, &site);
    cs_apply(a, &at, out, &site);
    ck_assert_int_eq(out[0].i, 7);
    ck_assert(out[1].f == 1.5 && out[2].f == -2);
    const char *data = cs_array_read(a, &site);
    int32_t tags[3];
    memcpy(tags, data, sizeof tags);
    ck_assert_int_eq(tags[1], 7);
    double im; /* of the last, in the third plane */
    memcpy(&im, data + 128 + 16, sizeof im);
    ck_assert(im == -2);
    void *b = cs_retain(a); /* copy on write copies all planes */
    v[0].i = 8;
    cs_slice_fill(&b, &lo, &hi, 0, v, &site);
    cs_apply(a, &at, out, &site);
    ck_assert_int_eq(out[0].i, 7);
    cs_release(b);
    Str *path = (Str *)cs_str("none.npy", 8);
    cs_npy_save(path, a, &site);
    expect_error("IOException: an .npy file holds numbers, so an array of Pair");
    cs_release(path);
    cs_release(a);
    at.i = 9;
    a = cs_array_empty(CS_ELEM_RECORD, 2);
    expect_text(a, "[]");
    cs_release(a);
}
END_TEST

START_TEST(jagged)
{
    int64_t two = 2;
    void *rows = cs_array_new(CS_ELEM_REF, 1, &two, &site);
    void **p = cs_array_write(&rows, &site);
    p[0] = ints(2, 1, 1);
    p[1] = ints(3, 5, 5);
    expect_text(rows, "[[1, 2], [5, 10, 15]]");
    cs_release(rows);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("functions");
    TCase *t = tcase_create("functions");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, closures);
    tcase_add_test(t, domains);
    tcase_add_test(t, needed);
    tcase_add_test(t, coalesce);
    tcase_add_test(t, slices);
    tcase_add_test(t, planes);
    tcase_add_test(t, jagged);
    suite_add_tcase(s, t);
    return run_suite(s);
}
