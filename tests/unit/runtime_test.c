/* The runtime below compiled programs: counts, copy on write, lazy values and their errors, the
 * reference executor against plain loops, the disk cache, long chains. Graphs are FDAG text, as csc
 * embeds it. Evaluation is interpreted here (CS_DEVICE=ref); tests/run compares devices with it. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/cache.h"
#include "../../runtime/compose.h"
#include "../../runtime/csrt.h"
#include "../../runtime/device.h"
#include "../../runtime/lazy.h"
#include "../../runtime/memory.h"
#include "../../runtime/select.h"
#include "../../runtime/state.h"

static const CsSite site = {"top level", "test.cs$", 7, 3};

static void call_twice(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    out->f = 2 * args[0].f;
}

static void call_bad(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    (void)args;
    out->f = 0;
    cs_throw_divide(&site);
}

static void call_halves(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    out->f = 0.5 * (double)args[0].i;
}

static int calls;

static void call_counted(const CsValue *env, const CsValue *args, CsValue *out)
{
    (void)env;
    calls++;
    out->f = args[0].f + 1;
}

static const CsNative counted = {"counted", "float(float)", call_counted, 1, NULL, NULL, NULL};
static const CsNative halves = {"halves", "float(int)", call_halves, 1, NULL, NULL, NULL};
static const CsNative twice = {"twice", "float(float)", call_twice, 1, NULL, NULL, NULL};
static const CsNative bad = {"bad", "float(float)", call_bad, 1, NULL, NULL, NULL};
static const CsNative *const natives[] = {&twice, &bad, &counted};
static const CsProgram program = {.name = "test", .nnatives = 3, .natives = natives};

static void setup(void)
{
    setenv("CS_DEVICE", "ref", 1);
    setenv("CS_CACHE_DIR", "", 1);
    cs_start(0, NULL, &program);
}

/* Everything made was released. */
static void teardown(void)
{
    ck_assert_int_eq(cs_pending, 0);
    ck_assert_int_eq(rt.value.live, 0);
    ck_assert_int_eq(cs_finish(), 0);
}

static void expect_error(const char *start)
{
    ck_assert_int_ne(cs_pending, 0);
    const char *m = rt_pending_message();
    ck_assert_msg(strncmp(m, start, strlen(start)) == 0, "%s", m);
    rt_catch();
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

static Array *floats(int rank, const int64_t *n, float first, float step)
{
    Array *a = cs_array_new(SC_FLOAT, rank, n, &site);
    float *p = rt_array_data(a, &site);
    for (int64_t i = 0, count = rt_array_count(a); i < count; i++)
        p[i] = first + step * (float)(i % 23);
    return a;
}

static Array *ints(int64_t n, int first, int step)
{
    Array *a = cs_array_new(SC_INT, 1, &n, &site);
    int32_t *p = rt_array_data(a, &site);
    for (int64_t i = 0; i < n; i++) p[i] = first + step * (int32_t)i;
    return a;
}

START_TEST(counts)
{
    void *s = cs_str("abc", 3);
    ck_assert_ptr_eq(cs_retain(s), s);
    cs_release(s);
    ck_assert_int_eq(rt.value.live, 1);
    cs_release(s);
    ck_assert_int_eq(rt.value.live, 0);
    cs_release(NULL);
    ck_assert_ptr_null(cs_retain(NULL));

    int64_t two = 2; /* an array owns its elements */
    void *strs = cs_array_new(CS_ELEM_REF, 1, &two, &site);
    void **p = cs_array_write(&strs, &site);
    p[0] = cs_str("x", 1);
    void *kept = cs_retain(p[0]);
    void *copy = cs_retain(strs);
    void **q = cs_array_write(&copy, &site);
    ck_assert_ptr_ne(p, q);
    ck_assert_ptr_eq(q[0], kept);
    cs_release(strs);
    cs_release(copy);
    ck_assert_int_eq(rt.value.live, 1);
    cs_release(kept);
}
END_TEST

START_TEST(arguments)
{
    static char name[] = "prog", one[] = "x y", two[] = "";
    char *argv[] = {name, one, two, NULL};
    void *none = cs_args();
    ck_assert_int_eq(cs_length(none, &site), 0);
    cs_release(none);
    cs_start(3, argv, &program);
    void *args = cs_args();
    ck_assert_int_eq(cs_length(args, &site), 2);
    Str **p = cs_array_read(args, &site);
    ck_assert_str_eq(p[0]->bytes, "x y");
    ck_assert_int_eq(p[1]->len, 0);
    cs_release(args);
}
END_TEST

START_TEST(copy_on_write)
{
    int64_t n[2] = {3, 4};
    void *a = floats(2, n, 0, 1), *b = cs_retain(a);
    float *pa = cs_array_read(a, &site);
    float *pb = cs_array_write(&b, &site);
    ck_assert_ptr_ne(a, b);
    pb[5] = 100;
    ck_assert(pa[5] == 5 && pb[4] == 4);
    ck_assert_int_eq(((CsArray *)b)->host_state, CS_HOST_READ | CS_HOST_WRITE);
    ck_assert_ptr_eq(cs_array_write(&b, &site), pb); /* unshared now */
    ck_assert_int_eq(cs_array_ready(&a, 1), 1);
    ck_assert_ptr_eq(((CsArray *)a)->data, pa);
    ck_assert_int_eq(((CsArray *)b)->stride[0], 4);
    cs_release(a);
    cs_release(b);
    void *e = cs_array_empty(SC_DOUBLE, 3);
    ck_assert_ptr_null(cs_array_read(e, &site));
    ck_assert_int_eq(cs_length(e, &site), 0);
    cs_release(e);
}
END_TEST

START_TEST(memory)
{
    int64_t huge[3] = {INT64_C(1) << 30, INT64_C(1) << 30, 16}, much = INT64_C(1) << 50, less = -1;
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 3, huge, &site));
    expect_error("OutOfMemoryException");
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 1, &much, &site));
    expect_error("OutOfMemoryException: no room");
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 1, &less, &site));
    expect_error("DomainException");
    huge[2] = 0; /* no elements, whatever the rest */
    void *none = cs_array_new(SC_FLOAT, 3, huge, &site);
    ck_assert_int_eq(cs_length(none, &site), 0);
    cs_release(none);

    int64_t n = 100000; /* blocks are used again, and are zero again */
    for (int i = 0; i < 50; i++) {
        void *a = cs_array_new(SC_INT, 1, &n, &site);
        int32_t *p = cs_array_read(a, &site);
        for (int64_t k = 0; k < n; k += 997) ck_assert_int_eq(p[k], 0);
        memset(p, 0xFF, (size_t)n * 4);
        cs_release(a);
    }
    ck_assert_uint_le(rt.memory.blocks, 2);
    ck_assert_uint_eq(rt.memory.used, 0);
}
END_TEST

START_TEST(memory_limit)
{
    setenv("CS_MEM_LIMIT", "1M", 1);
    int64_t n = 200000, more = 300000;
    void *a = cs_array_new(SC_FLOAT, 1, &n, &site);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 1, &more, &site));
    expect_error("OutOfMemoryException");
    cs_release(a);
    unsetenv("CS_MEM_LIMIT");
}
END_TEST

START_TEST(frames)
{
    CsSite inner = {"f", "test.cs$", 3, 5}, outer = {"top level", "test.cs$", 9, 1};
    int64_t index[2] = {5, -1}, n[2] = {3, 4};
    void *a = cs_array_new(SC_INT, 2, n, &site);
    cs_throw_index(a, 2, index, &inner);
    cs_throw_divide(&inner); /* the first stays */
    cs_frame(&inner);
    cs_frame(&outer);
    ck_assert_int_eq(rt.error.nframes, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    error_print(out);
    fclose(out);
    ck_assert_str_eq(text,
                     "Unhandled IndexOutOfRangeException: index (5, -1) is outside 0..3, 0..4\n"
                     "   at f (test.cs$:3:5)\n   at top level (test.cs$:9:1)\n");
    free(text);
    rt_catch();
    cs_release(a);
}
END_TEST

/* ---- graphs
 * ------------------------------------------------------------------------------------------ */

static CsGraph matmul = {
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
        "agree %2.1 %6.0 @4:14\nroot %17\n"};

/* v(i) = u(i-1) - 2 u(i) + u(i+1) on the interior; u any functional value */
static CsGraph laplace = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : float(int)\n%2 = const 0 : int\n"
        "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
        "%5 = const 1 : long\n%6 = apply @add (%3, %5) : long\n%7 = apply @sub (%4, %5) : long\n"
        "%8 = const 1 : int\n%9 = apply @sub (%0, %8) : int\n%10 = apply @add (%0, %8) : int\n"
        "%11 = apply %1 (%9) : float\n%12 = apply %1 (%0) : float\n%13 = apply %1 (%10) : float\n"
        "%14 = const 2 : float\n%15 = apply @mul (%14, %12) : float\n"
        "%16 = apply @sub (%11, %15) : float\n%17 = apply @add (%16, %13) : float\n"
        "%18 = let (%0 : infer %6..%7) %17 : float(int)\nroot %18\n"};

/* w(i) = u(i) + s */
static CsGraph shift = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : float(int)\n%2 = const 0 : int\n"
        "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
        "%5 = slot 1 \"s\" : float\n%6 = apply %1 (%0) : float\n%7 = apply @add (%6, %5) : float\n"
        "%8 = let (%0 : infer %3..%4) %7 : float(int)\nroot %8\n"};

/* g(i) = x(col(i)) */
static CsGraph gather = {
    .text = "%0 = var \"i\" : int\n%1 = slot 0 \"col\" : array int(int)\n%2 = const 0 : int\n"
            "%3 = apply @lower (%1, %2) : long\n%4 = apply @upper (%1, %2) : long\n"
            "%5 = slot 1 \"x\" : array float(int)\n%6 = apply %1 (%0) : int\n"
            "%7 = apply %5 (%6) : float @12:9\n"
            "%8 = let (%0 : infer %3..%4) %7 : float(int)\nroot %8\n"};

/* y(i) = sum(k : rowptr(i)..rowptr(i+1), val(k) * x(col(k))) */
static CsGraph csr = {
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
            "%20 = let (%0 : infer %3..%6) %19 : float(int)\nroot %20\n"};

/* min over a slot */
static CsGraph minimum = {
    .text =
        "%0 = slot 0 \"u\" : float(int)\n%1 = const 0 : int\n%2 = apply @lower (%0, %1) : long\n"
        "%3 = apply @upper (%0, %1) : long\n%4 = var \"i\" : int\n%5 = apply %0 (%4) : float\n"
        "%6 = reduce @min (%4 : infer %2..%3) %5 : float @5:2\nroot %6\n"};

/* q(i) = i == 0 ? 0 : a(i) / (i - d) for i in 0..10, int */
static CsGraph divide = {
    .text = "%0 = var \"i\" : int\n%1 = const 0 : int\n%2 = const 10 : int\n"
            "%3 = slot 0 \"a\" : array int(int)\n%4 = slot 1 \"d\" : int\n%5 = apply %3 (%0) : int "
            "@6:1\n"
            "%6 = apply @sub (%0, %4) : int\n%7 = apply @div (%5, %6) : int @6:8\n"
            "%8 = apply @eq (%0, %1) : bool\n%9 = apply @select (%8, %1, %7) : int\n"
            "%10 = let (%0 : given %1..%2) %9 : int(int)\nroot %10\n"};

/* f(g(x)) pointwise over a slot, f a function of float */
static CsGraph promote = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"f\" : float(float)\n%2 = slot 1 \"u\" : float(int)\n"
        "%3 = const 0 : int\n%4 = apply @lower (%2, %3) : long\n%5 = apply @upper (%2, %3) : long\n"
        "%6 = apply %2 (%0) : float\n%7 = apply %1 (%6) : float\n"
        "%8 = let (%0 : infer %4..%5) %7 : float(int)\nroot %8\n"};

START_TEST(multiply)
{
    int64_t na[2] = {9, 17}, nb[2] = {17, 5};
    CsValue c[2] = {{.ref = floats(2, na, -3, 0.25f)}, {.ref = floats(2, nb, 1, 0.5f)}};
    Array *r = cs_eval(&matmul, c, &site);
    ck_assert_ptr_nonnull(r);
    const float *p = cs_array_read(r, &site), *a = cs_array_read(c[0].ref, &site),
                *b = cs_array_read(c[1].ref, &site);
    for (int j = 0; j < 9; j++)
        for (int k = 0; k < 5; k++) {
            float s = 0;
            for (int l = 0; l < 17; l++) {
                float m = a[j * 17 + l] * b[l * 5 + k];
                s = s + m;
            }
            ck_assert(p[j * 5 + k] == s);
        }
    cs_release(r);
    cs_release(c[1].ref);
    nb[0] = 16; /* domains that differ */
    c[1].ref = floats(2, nb, 0, 1);
    ck_assert_ptr_null(cs_lazy(&matmul, c, &site));
    ck_assert_int_eq(rt.error.frames[0].line, 4);
    expect_error(
        "DomainException: domains differ: dimension 1 of a is 0..17, dimension 0 of b is 0..16");
    cs_release(c[0].ref);
    cs_release(c[1].ref);
    na[0] = 0; /* no elements */
    na[1] = nb[0];
    c[0].ref = floats(2, na, 0, 1);
    c[1].ref = floats(2, nb, 0, 1);
    r = cs_eval(&matmul, c, &site);
    ck_assert_int_eq(cs_length(r, &site), 0);
    ck_assert_int_eq(cs_get_length(r, 1, &site), 5);
    cs_release(r);
    cs_release(c[0].ref);
    cs_release(c[1].ref);
    na[0] = 2; /* nothing to sum over */
    na[1] = nb[0] = 0;
    c[0].ref = floats(2, na, 0, 1);
    c[1].ref = floats(2, nb, 0, 1);
    r = cs_eval(&matmul, c, &site);
    p = cs_array_read(r, &site);
    for (int i = 0; i < 10; i++) ck_assert(p[i] == 0);
    cs_release(r);
    cs_release(c[0].ref);
    cs_release(c[1].ref);
}
END_TEST

START_TEST(stencil)
{
    int64_t n = 40;
    CsValue c = {.ref = floats(1, &n, 1, 0.75f)};
    Lazy *v = cs_lazy(&laplace, &c, &site);
    ck_assert_int_eq(cs_get_lower(v, 0, &site), 1);
    ck_assert_int_eq(cs_get_upper(v, 0, &site), 38);
    CsValue cv = {.ref = v};
    Array *w = cs_eval(&laplace, &cv, &site); /* of the lazy one: composed */
    ck_assert_ptr_null(v->result);
    ck_assert_int_eq(w->head.lo[0], 2);
    ck_assert_int_eq(w->head.n[0], 36);
    const float *u = cs_array_read(c.ref, &site), *p = cs_array_read(w, &site);
    float at[40] = {0};
    for (int i = 1; i < 39; i++) at[i] = (u[i - 1] - 2 * u[i]) + u[i + 1];
    for (int i = 2; i < 38; i++) ck_assert(p[i - 2] == (at[i - 1] - 2 * at[i]) + at[i + 1]);
    CsValue i = {.i = 5}, out = {.i = 39};
    ck_assert(cs_apply_f(v, &i, &site) == (double)at[5]);
    ck_assert_ptr_null(v->result); /* cheap: one point */
    cs_apply_f(v, &out, &site);
    expect_error("IndexOutOfRangeException: index 39 is outside 1..39");
    ck_assert(cs_apply_f(w, &i, &site) == (double)p[3]);
    void *d = cs_get_domain(w, 0, &site);
    ck_assert_int_eq(cs_apply_i(d, &i, &site), 5);
    ck_assert_int_eq(cs_length(d, &site), 36);
    cs_release(d);
    cs_release(w);
    cs_release(v);
    cs_release(c.ref);
}
END_TEST

START_TEST(gathers)
{
    int64_t n = 6;
    CsValue c[2] = {{.ref = ints(4, 5, -1)}, {.ref = floats(1, &n, 0, 2)}};
    Array *g = cs_eval(&gather, c, &site);
    const float *p = cs_array_read(g, &site);
    for (int i = 0; i < 4; i++) ck_assert(p[i] == (float)(2 * (5 - i)));
    cs_release(g);
    cs_release(c[0].ref);
    c[0].ref = ints(4, 4, 1);
    ck_assert_ptr_null(cs_eval(&gather, c, &site));
    ck_assert_int_eq(rt.error.frames[0].line, 12);
    expect_error("IndexOutOfRangeException: index 6 is outside x's domain 0..6");
    cs_release(c[0].ref);
    cs_release(c[1].ref);
}
END_TEST

START_TEST(sparse)
{
    int64_t n = 6, rows = 4;
    void *ptr = cs_array_new(SC_INT, 1, &rows, &site);
    int32_t *p = cs_array_write(&ptr, &site);
    p[1] = 2;
    p[2] = 2;
    p[3] = 6;
    CsValue c[4] = {{.ref = ptr},
                    {.ref = floats(1, &n, 1, 1)},
                    {.ref = ints(6, 5, -1)},
                    {.ref = floats(1, &n, 1, 2)}};
    Array *y = cs_eval(&csr, c, &site);
    const float *q = cs_array_read(y, &site);
    ck_assert_int_eq(cs_length(y, &site), 3);
    float want[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = p[i]; k < p[i + 1]; k++) want[i] += (float)(k + 1) * (float)(1 + 2 * (5 - k));
    for (int i = 0; i < 3; i++) ck_assert(q[i] == want[i]);
    cs_release(y);
    for (int i = 0; i < 4; i++) cs_release(c[i].ref);
}
END_TEST

START_TEST(scalars)
{
    int64_t n = 9;
    CsValue c = {.ref = floats(1, &n, 5, -1)};
    ck_assert(cs_scalar_f(&minimum, &c, &site) == -3);
    cs_release(c.ref);
    c.ref = cs_array_empty(SC_FLOAT, 1);
    cs_scalar_f(&minimum, &c, &site);
    ck_assert_int_eq(rt.error.frames[0].line, 5);
    expect_error("DomainException: min of an empty domain");
    cs_release(c.ref);
}
END_TEST

START_TEST(division)
{
    CsValue c[2] = {{.ref = ints(10, 100, 1)}, {.i = 0}};
    Array *q = cs_eval(&divide, c, &site); /* i == 0 is not divided */
    const int32_t *p = cs_array_read(q, &site);
    for (int i = 1; i < 10; i++) ck_assert_int_eq(p[i], (100 + i) / i);
    cs_release(q);
    c[1].i = 4;
    ck_assert_ptr_null(cs_eval(&divide, c, &site));
    ck_assert_int_eq(rt.error.frames[0].col, 8);
    expect_error("DivideByZeroException");
    Lazy *l = cs_lazy(&divide, c, &site); /* single elements are fine */
    CsValue i = {.i = 3};
    for (int k = 0; k < 200; k++) ck_assert_int_eq(cs_apply_i(l, &i, &site), -103);
    i.i = 4;
    cs_apply_i(l, &i, &site);
    expect_error("DivideByZeroException");
    cs_release(l);
    cs_release(c[0].ref);
    c[0].ref = ints(5, 0, 1); /* too short for the given range */
    c[1].i = 0;
    ck_assert_ptr_null(cs_eval(&divide, c, &site));
    expect_error("IndexOutOfRangeException: index 5 is outside a's domain 0..5");
    cs_release(c[0].ref);
}
END_TEST

START_TEST(host_functions)
{
    int64_t n = 7;
    void *f = cs_native(&twice), *g = cs_native(&bad);
    CsValue c[2] = {{.ref = f}, {.ref = floats(1, &n, 1, 1)}}, x = {.f = 4};
    Lazy *l = cs_lazy(&promote, c, &site);
    Array *r = cs_force(l, &site);
    const float *p = cs_array_read(r, &site);
    for (int i = 0; i < 7; i++) ck_assert(p[i] == (float)(2 * (i + 1)));
    ck_assert_ptr_eq(l->result, r); /* kept */
    ck_assert(cs_apply_f(f, &x, &site) == 8);
    cs_force(f, &site);
    expect_error("DomainException: twice has an infinite domain");
    cs_length(f, &site);
    expect_error("DomainException");
    c[0].ref = g;
    ck_assert_ptr_null(cs_eval(&promote, c, &site));
    expect_error("DivideByZeroException");
    c[0].ref = f; /* f(f): all values */
    CsValue cc[2] = {{.ref = f}, {.ref = l}};
    Array *r2 = cs_eval(&promote, cc, &site);
    p = cs_array_read(r2, &site);
    ck_assert(p[6] == 28);
    cs_release(r2);
    cs_release(r);
    cs_release(l);
    cs_release(f);
    cs_release(g);
    cs_release(c[1].ref);
}
END_TEST

/* y(i) = ((x, p, q) => x ? p * p : q)(u(i) > 0, f(u(i)), g(u(i))) */
static CsGraph choice = {
    .text =
        "%0 = var \"i\" : int\n%1 = slot 0 \"f\" : float(float)\n%2 = slot 1 \"g\" : float(float)\n"
        "%3 = slot 2 \"u\" : array float(int)\n%4 = const 0 : int\n%5 = const 0 : float\n"
        "%6 = apply @lower (%3, %4) : long\n%7 = apply @upper (%3, %4) : long\n"
        "%8 = apply %3 (%0) : float\n%9 = apply @gt (%8, %5) : bool\n"
        "%10 = apply %1 (%8) : float @3:7\n%11 = apply %2 (%8) : float @3:9\n"
        "%12 = var \"x\" : bool\n%13 = var \"p\" : float\n%14 = var \"q\" : float\n"
        "%15 = apply @mul (%13, %13) : float\n%16 = apply @select (%12, %15, %14) : float\n"
        "%17 = let (%12 : full, %13 : full, %14 : full) %16 : float(bool, float, float)\n"
        "%18 = apply %17 (%9, %10, %11) : float\n"
        "%19 = let (%0 : infer %6..%7) %18 : float(int)\nroot %19\n"};

/* An argument of a let is evaluated when it is needed, and then once for an application. */
START_TEST(by_need)
{
    int64_t n = 7;
    void *f = cs_native(&counted), *g = cs_native(&bad);
    CsValue c[3] = {{.ref = f}, {.ref = g}, {.ref = floats(1, &n, 1, 1)}};
    calls = 0;
    Array *r = cs_eval(&choice, c, &site);
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(calls, 7);
    const float *p = cs_array_read(r, &site);
    for (int i = 0; i < 7; i++) ck_assert(p[i] == (float)((i + 2) * (i + 2)));
    cs_release(r);
    float *u = cs_array_write(&c[2].ref, &site);
    u[3] = -1;
    CsSite around = {"around", "test.cs$", 40, 1};
    ck_assert_ptr_null(cs_eval(&choice, c, &around));
    ck_assert_int_eq(rt.error.nframes, 2); /* the host function's, the evaluation's */
    ck_assert_int_eq(rt.error.frames[0].line, site.line);
    ck_assert_int_eq(rt.error.frames[1].line, 40);
    expect_error("DivideByZeroException");
    CsValue x = {.f = 1};
    cs_apply_f(g, &x, &around); /* the caller's site too */
    ck_assert_int_eq(rt.error.nframes, 2);
    expect_error("DivideByZeroException");
    cs_release(f);
    cs_release(g);
    cs_release(c[2].ref);
}
END_TEST

/* half(x) = ((z, w) => 10 z + w)(x / 2, x % 7)
 * twice(f, x) = f(f(x))
 * r(i) = half(half(a(i) / 3) / 5) + sum(k : 0..3, half(a(i) / (k + 1)))
 *        + twice(z => twice(half, z / 2), a(i) / 9) */
static CsGraph scopes = {
    .text =
        "%0 = var \"x\" : int\n%1 = var \"z\" : int\n%2 = var \"w\" : int\n"
        "%3 = const 10 : int\n%4 = apply @mul (%1, %3) : int\n%5 = apply @add (%4, %2) : int\n"
        "%6 = let (%1 : full, %2 : full) %5 : int(int, int)\n"
        "%7 = const 2 : int\n%8 = const 7 : int\n%9 = apply @div (%0, %7) : int\n"
        "%10 = apply @rem (%0, %8) : int\n%11 = apply %6 (%9, %10) : int\n"
        "%12 = let (%0 : full) %11 : int(int)\n"
        "%13 = var \"f\" : int(int)\n%14 = var \"y\" : int\n%15 = apply %13 (%14) : int\n"
        "%16 = apply %13 (%15) : int\n%17 = let (%13 : full, %14 : full) %16 : int(int(int), int)\n"
        "%18 = var \"i\" : int\n%19 = slot 0 \"a\" : array int(int)\n%20 = const 0 : int\n"
        "%21 = apply @lower (%19, %20) : long\n%22 = apply @upper (%19, %20) : long\n"
        "%23 = apply %19 (%18) : int\n%24 = const 3 : int\n%25 = apply @div (%23, %24) : int\n"
        "%26 = apply %12 (%25) : int\n%27 = const 5 : int\n%28 = apply @div (%26, %27) : int\n"
        "%29 = apply %12 (%28) : int\n"
        "%30 = var \"k\" : int\n%31 = const 1 : int\n%32 = apply @add (%30, %31) : int\n"
        "%33 = apply @div (%23, %32) : int\n%34 = apply %12 (%33) : int\n"
        "%35 = reduce @add (%30 : given %20..%24) %34 : int\n"
        "%36 = var \"v\" : int\n%37 = apply @div (%36, %7) : int\n"
        "%38 = apply %17 (%12, %37) : int\n%39 = let (%36 : full) %38 : int(int)\n"
        "%40 = const 9 : int\n%41 = apply @div (%23, %40) : int\n"
        "%42 = apply %17 (%39, %41) : int\n"
        "%43 = apply @add (%29, %35) : int\n%44 = apply @add (%43, %42) : int\n"
        "%45 = let (%18 : infer %21..%22) %44 : int(int)\nroot %45\n"};

static int half(int x)
{
    return x / 2 * 10 + x % 7;
}

static int half_twice(int v)
{
    return half(half(v / 2));
}

/* Arguments are evaluated in the scope of their application, whatever is bound when they are read.
 */
START_TEST(nested_scopes)
{
    CsValue c = {.ref = ints(50, -100, 37)};
    Array *r = cs_eval(&scopes, &c, &site);
    ck_assert_msg(r != NULL, "%s", rt_pending_message());
    const int32_t *p = cs_array_read(r, &site);
    for (int i = 0; i < 50; i++) {
        int a = -100 + 37 * i, want = half(half(a / 3) / 5);
        for (int k = 0; k < 3; k++) want += half(a / (k + 1));
        want += half_twice(half_twice(a / 9));
        ck_assert_int_eq(p[i], want);
    }
    cs_release(r);
    cs_release(c.ref);
}
END_TEST

/* ---- laziness
 * ------------------------------------------------------------------------------------------- */

START_TEST(old_values)
{
    int64_t n = 8;
    void *a = floats(1, &n, 0, 1);
    CsValue c[2] = {{.ref = a}, {.f = 10}};
    Lazy *l = cs_lazy(&shift, c, &site);
    float *p = cs_array_write(&a, &site); /* does not reach the pending expression */
    p[3] = -1;
    Array *r = cs_force(l, &site);
    ck_assert(((float *)cs_array_read(r, &site))[3] == 13);
    cs_release(r);
    cs_release(l);
    cs_release(a);
}
END_TEST

/* u = u + 1 in a loop: linear time, no recursion. */
static double chain(int length, bool ask)
{
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    int64_t n = 3;
    void *u = floats(1, &n, 0, 1);
    for (int i = 0; i < length; i++) {
        CsValue c[2] = {{.ref = u}, {.f = 1}};
        void *next = cs_lazy(&shift, c, &site);
        cs_release(u);
        u = next;
    }
    if (ask) {
        Array *r = cs_force(u, &site);
        const float *p = cs_array_read(r, &site);
        ck_assert(p[2] == (float)(2 + length));
        cs_release(r);
    }
    cs_release(u);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
}

START_TEST(chains)
{
    chain(100, true);
    double small = chain(4000, true), large = chain(64000, true);
    ck_assert_msg(large < 64 * small + 1, "4000: %g s, 64000: %g s", small, large);
    chain(1000000, false); /* released in a loop */
}
END_TEST

/* f = f + 1 for functions of all values cannot be evaluated on the way: it ends in an exception. */
/* w(i) = u(i % m), everywhere: arguments by need, one below the other */
static CsGraph wrap = {.text = "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : float(int)\n"
                               "%2 = slot 1 \"m\" : int\n%3 = apply @rem (%0, %2) : int @9:4\n"
                               "%4 = apply %1 (%3) : float\n"
                               "%5 = let (%0 : full) %4 : float(int)\nroot %5\n"};

START_TEST(wrapped_chain)
{
    void *f = cs_native(&halves);
    for (int built = 0; built < 2000; built++) {
        CsValue c[2] = {{.ref = f}, {.i = built ? 5000 - built : 10}};
        void *next = cs_lazy(&wrap, c, &site);
        ck_assert_ptr_nonnull(next);
        cs_release(f);
        f = next;
    }
    CsValue x = {.i = 34567};
    int i = 34567;
    for (int built = 1999; built > 0; built--) i %= 5000 - built;
    ck_assert(cs_apply_f(f, &x, &site) == 0.5 * (i % 10));
    cs_release(f);
}
END_TEST

START_TEST(infinite_chain)
{
    void *f = cs_native(&halves);
    int built = 0;
    for (; built < 10000; built++) {
        CsValue c[2] = {{.ref = f}, {.f = 1}};
        void *next = cs_lazy(&shift, c, &site);
        if (!next) break;
        cs_release(f);
        f = next;
    }
    expect_error("DomainException: more than");
    CsValue x = {.i = 4};
    ck_assert(cs_apply_f(f, &x, &site) == 2 + built);
    cs_force(f, &site);
    expect_error("DomainException: a function that is to become an array has an infinite domain");
    cs_release(f);
}
END_TEST

/* A value that many read is computed few times: u(i-1), u(i), u(i+1) of 40 levels. */
START_TEST(towers)
{
    int64_t n = 200;
    void *u = floats(1, &n, 0, 1);
    double at[200];
    for (int i = 0; i < 200; i++) at[i] = i % 23;
    for (int level = 0; level < 40; level++) {
        CsValue c = {.ref = u};
        void *next = cs_lazy(&laplace, &c, &site);
        cs_release(u);
        u = next;
        double now[200] = {0};
        for (int i = level + 1; i < 199 - level; i++)
            now[i] = (double)((float)((float)(at[i - 1]) - (float)(2 * at[i])) + (float)at[i + 1]);
        memcpy(at, now, sizeof at);
    }
    Array *r = cs_force(u, &site);
    const float *p = cs_array_read(r, &site);
    ck_assert_int_eq(r->head.n[0], 120);
    for (int i = 40; i < 160; i++) ck_assert(p[i - 40] == (float)at[i]);
    cs_release(r);
    cs_release(u);
}
END_TEST

/* The second evaluation that would compute an expensive value again evaluates it on its own. */
START_TEST(expensive_once)
{
    int64_t n = 12, m[2] = {4, 4};
    CsValue c[2] = {{.ref = ints(12, 0, 1)}, {.ref = floats(1, &n, 0, 1)}};
    Lazy *g = cs_lazy(&gather, c, &site);
    CsValue s[2] = {{.ref = g}, {.f = 1}};
    cs_release(cs_eval(&shift, s, &site));
    ck_assert_ptr_null(g->result);
    cs_release(cs_eval(&shift, s, &site));
    ck_assert_ptr_nonnull(g->result);
    cs_release(g);
    cs_release(c[0].ref);
    cs_release(c[1].ref);

    CsValue ab[2] = {{.ref = floats(2, m, 0, 1)}, {.ref = floats(2, m, 0, 1)}};
    Lazy *p = cs_lazy(&matmul, ab, &site); /* a read of one element keeps all */
    CsValue at[2] = {{.i = 1}, {.i = 2}};
    cs_apply_f(p, at, &site);
    ck_assert_ptr_nonnull(p->result);
    ck_assert_int_eq(p->ncaptures, 0);
    cs_release(p);
    cs_release(ab[0].ref);
    cs_release(ab[1].ref);
}
END_TEST

/* The same array twice is one slot; the same graphs again are not composed again. */
START_TEST(compositions)
{
    int64_t m[2] = {5, 5};
    void *a = floats(2, m, 0, 1), *b = floats(2, m, 1, 1);
    CsValue aa[2] = {{.ref = a}, {.ref = a}}, ab[2] = {{.ref = a}, {.ref = b}};
    Evaluation e1, e2, e3;
    Graph *g = graph_of(&matmul);
    compose(&e1, g, g->fd->root, aa);
    compose(&e2, g, g->fd->root, ab);
    compose(&e3, g, g->fd->root, ab);
    ck_assert_uint_eq(e1.leaves.len, 1);
    ck_assert_uint_eq(e2.leaves.len, 2);
    ck_assert_ptr_ne(e1.composed, e2.composed);
    ck_assert_ptr_eq(e2.composed, e3.composed);
    ck_assert(e1.composed->key.lo != e2.composed->key.lo);
    compose_end(&e1);
    compose_end(&e2);
    compose_end(&e3);
    cs_release(a);
    cs_release(b);
}
END_TEST

START_TEST(speed)
{
    int64_t n[2] = {256, 256};
    CsValue c[2] = {{.ref = floats(2, n, 0, 1)}, {.ref = floats(2, n, 0, 1)}};
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    cs_release(cs_eval(&matmul, c, &site));
    clock_gettime(CLOCK_MONOTONIC, &t1);
    double s = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
    ck_assert_msg(s < 40, "a product of 256 took %g s", s);
    cs_release(c[0].ref);
    cs_release(c[1].ref);
}
END_TEST

/* ---- cache and devices
 * -------------------------------------------------------------------------------------- */

static void damage(const char *path, long at, int what)
{
    FILE *f = fopen(path, "r+b");
    ck_assert_ptr_nonnull(f);
    if (what < 0) {
        ck_assert_int_eq(ftruncate(fileno(f), at), 0);
    } else {
        fseek(f, at, what == 2 ? SEEK_END : SEEK_SET);
        fputc(0x5A ^ what, f);
    }
    fclose(f);
}

/* Flips a byte in the middle of every file of a folder; or removes it. Returns how many there were.
 */
static int each_file(const char *folder, bool erase)
{
    int count = 0;
    DIR *d = opendir(folder);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        count++;
        if (erase)
            unlink(path);
        else
            damage(path, (long)st.st_size / 2, 0);
    }
    closedir(d);
    return count;
}

START_TEST(cache)
{
    char folder[] = "/tmp/csrt-test-XXXXXX", path[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deep/er", folder);
    setenv("CS_CACHE_DIR", path, 1);
    size_t size = 0;
    ck_assert_ptr_null(cache_load("k.cl", &size));
    for (int round = 0; round < 5; round++) {
        cache_store("k.cl", "some text", 9);
        char *text = cache_load("k.cl", &size);
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(size, 9);
        ck_assert_str_eq(text, "some text");
        free(text);
        snprintf(path, sizeof path, "%s/deep/er/k.cl", folder);
        switch (round) {
        case 0: damage(path, 20, -1); break; /* cut off in the header */
        case 1: damage(path, 27, -1); break; /* and in the payload */
        case 2: damage(path, 25, 0); break;  /* a byte flipped */
        case 3: damage(path, 0, 2); break;   /* longer than it says */
        case 4: damage(path, 9, 0); break;   /* a wrong size */
        }
        ck_assert_ptr_null(cache_load("k.cl", &size));
    }
    char other[160]; /* under a wrong name */
    cache_store("k.cl", "some text", 9);
    snprintf(other, sizeof other, "%s/deep/er/j.cl", folder);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_ptr_null(cache_load("j.cl", &size));
    unlink(other);
    setenv("CS_CACHE_DIR", "", 1); /* none */
    cache_store("k.cl", "x", 1);
    ck_assert_ptr_null(cache_load("k.cl", &size));
    setenv("CS_CACHE_DIR", "/dev/null/x", 1); /* unwritable */
    cache_store("k.cl", "x", 1);
    ck_assert_ptr_null(cache_load("k.cl", &size));
    snprintf(path, sizeof path, "%s/deep/er", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/deep", folder);
    rmdir(path);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* A name of an entry. */
static void entry_name(int k, char name[64])
{
    snprintf(name, 64, "%032x.bin", k);
}

static bool is_cached(int k)
{
    char name[64];
    size_t size;
    entry_name(k, name);
    char *payload = cache_load(name, &size);
    free(payload);
    return payload != NULL;
}

/* The least recently used entries go when the folder is full; files of others stay. */
START_TEST(cache_limit)
{
    char folder[] = "/tmp/csrt-test-XXXXXX", name[64], path[128];
    static char payload[10000];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("CS_CACHE_DIR", folder, 1);
    setenv("CS_CACHE_LIMIT", "100K", 1);
    snprintf(path, sizeof path, "%s/note.txt", folder);
    FILE *note = fopen(path, "w");
    ck_assert_ptr_nonnull(note);
    fclose(note);
    for (int k = 0; k < 10; k++) { /* all fit; older the lower k is */
        entry_name(k, name);
        cache_store(name, payload, sizeof payload);
        char entry[200];
        snprintf(entry, sizeof entry, "%s/%s", folder, name);
        struct timespec long_ago[2] = {{.tv_sec = 1000000 + k}, {.tv_sec = 1000000 + k}};
        ck_assert_int_eq(utimensat(AT_FDCWD, entry, long_ago, 0), 0);
    }
    ck_assert(is_cached(0)); /* used again */
    for (int k = 10; k < 12; k++) {
        entry_name(k, name);
        cache_store(name, payload, sizeof payload);
    }
    ck_assert(is_cached(0));
    ck_assert(!is_cached(1));
    ck_assert(!is_cached(2));
    ck_assert(is_cached(9));
    ck_assert(is_cached(10));
    ck_assert(is_cached(11));
    rt.cached = 0; /* another program: it looks at the folder when it writes first */
    setenv("CS_CACHE_LIMIT", "20K", 1);
    cache_store(name, payload, sizeof payload);
    ck_assert(!is_cached(9));
    ck_assert(is_cached(11));
    ck_assert_int_eq(access(path, F_OK), 0);
    unsetenv("CS_CACHE_LIMIT");
    each_file(folder, true);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(bad_settings)
{
    static const char *const dumps[] = {"fdagg", "plan,x", "opencl plan"}, *const sizes[] = {
                                                                               "x", "1Q",  "-1",
                                                                               "0", "1MB", "nan"};
    int64_t n = 3;
    void *a = floats(1, &n, 1, 1);
    CsValue c[2] = {{.ref = a}, {.f = 1}};
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        setenv("CS_DUMP", dumps[i], 1);
        rt.dumps = 0;
        ck_assert_ptr_null(cs_eval(&shift, c, &site));
        expect_error("DeviceException: CS_DUMP=");
    }
    setenv("CS_DUMP", ",", 1);
    rt.dumps = 0;
    cs_release(cs_eval(&shift, c, &site));
    unsetenv("CS_DUMP");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        setenv("CS_MEM_LIMIT", sizes[i], 1);
        size_t limit = rt.memory.limit;
        rt.memory.limit = 0;
        ck_assert_ptr_null(cs_array_new(SC_INT, 1, &n, &site));
        rt.memory.limit = limit;
        expect_error("DeviceException: CS_MEM_LIMIT=");
    }
    size_t size;
    setenv("CS_MEM_LIMIT", "1.5k", 1);
    ck_assert_int_eq(memory_size_from("CS_MEM_LIMIT", &size, &site), 1);
    ck_assert_uint_eq(size, 1536);
    unsetenv("CS_MEM_LIMIT");
    ck_assert_int_eq(memory_size_from("CS_MEM_LIMIT", &size, &site), 0);
    setenv("CS_FAMILY", "tpu", 1);
    unsetenv("CS_DEVICE");
    ck_assert(!device_open(&site));
    expect_error("DeviceException: "); /* or there is no device */
    unsetenv("CS_FAMILY");
    setenv("CS_DEVICE", "ref", 1);
    cs_release(a);
}
END_TEST

START_TEST(selection)
{
    static const DeviceList list = {
        3, {{LISTED_CPU, "pthread-x"}, {LISTED_GPU, "Big GPU"}, {LISTED_GPU, "Small"}}};
    static const DeviceList none;
    static const struct {
        const char *wish;
        int want;
    } cases[] = {{"", 1},    {"cpu", 0}, {"gpu", 1},     {"#2", 2},   {"small", 2},
                 {"#3", -1}, {"#", -1},  {"pthread", 0}, {"#1x", -1}, {"nothing", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CS_DEVICE", cases[i].wish, 1);
        ck_assert_int_eq(select_device(&list, &site), cases[i].want);
        if (cases[i].want < 0) expect_error("DeviceException: CS_DEVICE=");
    }
    ck_assert_int_eq(select_device(&none, &site), -1);
    expect_error(
        "DeviceException: no OpenCL device found: install pocl-opencl-icd or set CS_DEVICE=ref");
    setenv("CS_DEVICE", "ref", 1);
}
END_TEST

/* ---- an OpenCL device, if there is one
 * ----------------------------------------------------------------- */

static const CsSite place = {"f", "test.cs$", 1, 1};

/* Evaluates on the device and by interpretation; both have to agree to the rounding of sums. */
static void compare(CsGraph *g, const CsValue *c)
{
    setenv("CS_DEVICE", "ref", 1);
    Array *want = cs_eval(g, c, &place);
    unsetenv("CS_DEVICE");
    for (int round = 0; round < 3; round++) {
        Array *got = cs_eval(g, c, &place);
        ck_assert_msg(got != NULL, "%s", rt_pending_message());
        const float *p = cs_array_read(want, &place), *q = cs_array_read(got, &place);
        int64_t n = rt_array_count(want);
        ck_assert_int_eq(rt_array_count(got), n);
        for (int64_t i = 0; i < n; i++)
            ck_assert_msg(fabsf(p[i] - q[i]) <= 1e-4f * (1 + fabsf(p[i])), "element %d: %g, %g",
                          (int)i, (double)p[i], (double)q[i]);
        cs_release(got);
    }
    cs_release(want);
}

static bool no_device(void)
{
    unsetenv("CS_DEVICE");
    if (device_open(&place)) return false;
    rt_catch();
    setenv("CS_DEVICE", "ref", 1);
    return true;
}

START_TEST(on_device)
{
    if (no_device()) return;
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {16, 16, 16}, {65, 33, 70}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t na[2] = {sizes[s][0], sizes[s][1]}, nb[2] = {sizes[s][1], sizes[s][2]};
        CsValue c[2] = {{.ref = floats(2, na, -3, 0.25f)}, {.ref = floats(2, nb, 1, 0.5f)}};
        compare(&matmul, c);
        cs_release(c[0].ref);
        cs_release(c[1].ref);
    }
    int64_t n = 1000, few = 50;
    CsValue u = {.ref = floats(1, &n, 1, 0.75f)};
    CsValue v = {.ref = cs_lazy(&laplace, &u, &place)};
    compare(&laplace, &u);
    compare(&laplace, &v);
    ck_assert(cs_scalar_f(&minimum, &u, &place) == 1);
    CsValue c[2] = {{.ref = ints(50, 49, -1)}, {.ref = floats(1, &few, 0, 2)}};
    compare(&gather, c);
    CsValue d[2] = {{.ref = c[0].ref}, {.i = 60}};
    cs_release(cs_eval(&divide, d, &place));
    d[1].i = 4;
    ck_assert_ptr_null(cs_eval(&divide, d, &place));
    ck_assert_int_eq(rt.error.frames[0].line, 6);
    expect_error("DivideByZeroException");
    int32_t *p = cs_array_write(&c[0].ref, &place);
    p[7] = 50;
    ck_assert_ptr_null(cs_eval(&gather, c, &place));
    ck_assert_int_eq(rt.error.frames[0].line, 12);
    expect_error("IndexOutOfRangeException: index 50 is outside x's domain 0..50");
    void *f = cs_native(&twice); /* on the host though there is a device */
    CsValue h[2] = {{.ref = f}, {.ref = u.ref}};
    compare(&promote, h);
    cs_release(f);
    cs_release(c[0].ref);
    cs_release(c[1].ref);
    cs_release(v.ref);
    cs_release(u.ref);
}
END_TEST

/* A kernel that can fail on other numbers does not need the error buffer on these. */
START_TEST(no_errors_to_read)
{
    if (no_device()) return;
    int64_t n = 100;
    CsValue c[2] = {{.ref = floats(1, &n, 1, 1)}, {.f = 1}};
    cs_release(cs_eval(&shift, c, &place));
    size_t used = rt.memory.used;
    ck_assert(cs_scalar_f(&minimum, c, &place) == 1);
    ck_assert_uint_eq(rt.memory.used, used);
    CsValue d[2] = {{.ref = ints(10, 1, 1)}, {.i = 60}};
    cs_release(cs_eval(&divide, d, &place));
    ck_assert_uint_gt(rt.memory.used, used); /* it stays */
    cs_release(d[0].ref);
    cs_release(c[0].ref);
}
END_TEST

/* Writes by the host between launches reach the device, and the other way round. */
START_TEST(to_and_fro)
{
    if (no_device()) return;
    int64_t n = 5000;
    void *a = floats(1, &n, 0, 0);
    for (int i = 0; i < 100; i++) {
        CsValue c[2] = {{.ref = a}, {.f = 1}};
        Array *b = cs_eval(&shift, c, &place);
        ck_assert_ptr_nonnull(b);
        ck_assert_int_eq(((CsArray *)a)->host_state & CS_HOST_WRITE, 0);
        float *p = cs_array_write(&a, &place); /* while the launch may be reading a */
        p[i] = -1000;
        const float *q = cs_array_read(b, &place);
        ck_assert(q[i] == (float)(i + 1));
        ck_assert(q[n - 1] == (float)(i + 1));
        for (int64_t k = 0; k < n; k++) p[k] = q[k];
        cs_release(b);
    }
    ck_assert_uint_le(rt.memory.blocks, 6);
    cs_release(a);
}
END_TEST

/* One evaluation by a program of its own, as far as the runtime can tell. */
static void program_run(void)
{
    cs_start(0, NULL, &program);
    unsetenv("CS_DEVICE");
    int64_t n = 100;
    CsValue c[2] = {{.ref = floats(1, &n, 0, 1)}, {.f = 1}};
    Array *r = cs_eval(&shift, c, &place);
    ck_assert_msg(r != NULL, "%s", rt_pending_message());
    ck_assert(((float *)cs_array_read(r, &place))[5] == 6);
    cs_release(r);
    cs_release(c[0].ref);
    ck_assert_int_eq(cs_finish(), 0);
}

/* Kernels and binaries come from the disk; damaged ones are made again. */
START_TEST(disk)
{
    if (no_device()) return;
    cs_finish();
    char folder[] = "/tmp/csrt-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("CS_CACHE_DIR", folder, 1);
    program_run();
    program_run();
    ck_assert_int_eq(each_file(folder, false), 2); /* text and binary */
    program_run();
    ck_assert_int_eq(each_file(folder, true), 2);
    program_run();
    ck_assert_int_eq(each_file(folder, true), 2);
    ck_assert_int_eq(rmdir(folder), 0);
    cs_start(0, NULL, &program);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("runtime");
    TCase *c = tcase_create("runtime");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, counts);
    tcase_add_test(c, arguments);
    tcase_add_test(c, copy_on_write);
    tcase_add_test(c, memory);
    tcase_add_test(c, memory_limit);
    tcase_add_test(c, frames);
    tcase_add_test(c, multiply);
    tcase_add_test(c, stencil);
    tcase_add_test(c, gathers);
    tcase_add_test(c, sparse);
    tcase_add_test(c, scalars);
    tcase_add_test(c, division);
    tcase_add_test(c, host_functions);
    tcase_add_test(c, by_need);
    tcase_add_test(c, nested_scopes);
    tcase_add_test(c, old_values);
    tcase_add_test(c, chains);
    tcase_add_test(c, infinite_chain);
    tcase_add_test(c, wrapped_chain);
    tcase_add_test(c, towers);
    tcase_add_test(c, expensive_once);
    tcase_add_test(c, compositions);
    tcase_add_test(c, speed);
    tcase_add_test(c, cache);
    tcase_add_test(c, cache_limit);
    tcase_add_test(c, bad_settings);
    tcase_add_test(c, selection);
    tcase_add_test(c, on_device);
    tcase_add_test(c, no_errors_to_read);
    tcase_add_test(c, to_and_fro);
    tcase_add_test(c, disk);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
