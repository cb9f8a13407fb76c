/* Lazy values and their errors, the reference executor against plain loops, long chains. Graphs are
 * FDAG text, as csc embeds it. Evaluation is interpreted here (CS_DEVICE=ref); tests/run compares
 * devices with it. */
#include "runtime_test.h"

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
    ck_assert_int_eq(w->head.dim[0].lo, 2);
    ck_assert_int_eq(w->head.dim[0].n, 36);
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
        "%19 = let (%0 : infer %6..%7) %18 : float(int)\nresult %19\n"};

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
        "%45 = let (%18 : infer %21..%22) %44 : int(int)\nresult %45\n"};

static int half(int x)
{
    return x / 2 * 10 + x % 7;
}

static int half_twice(int v)
{
    return half(half(v / 2));
}

/* Arguments are evaluated where they are applied, whatever is bound when they are read. */
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

/* ---- laziness -------------------------------------------------------------------------------- */

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

/* w(i) = u(i % m), everywhere: arguments by need, one below the other */
static CsGraph wrap = {.text = "%0 = var \"i\" : int\n%1 = slot 0 \"u\" : float(int)\n"
                               "%2 = slot 1 \"m\" : int\n%3 = apply @rem (%0, %2) : int @9:4\n"
                               "%4 = apply %1 (%3) : float\n"
                               "%5 = let (%0 : full) %4 : float(int)\nresult %5\n"};

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

/* f = f + 1 for functions of all values cannot be evaluated on the way: it ends in an exception. */
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
    ck_assert_int_eq(r->head.dim[0].n, 120);
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
    Graph *g = graph_of(&matmul, NULL);
    compose(&e1, g, fd_root(g->fd), aa, NULL);
    compose(&e2, g, fd_root(g->fd), ab, NULL);
    compose(&e3, g, fd_root(g->fd), ab, NULL);
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

int main(void)
{
    const TTest *const tests[] = {
        multiply,       stencil, gathers,        sparse,       scalars, division,
        host_functions, by_need, nested_scopes,  old_values,   chains,  wrapped_chain,
        infinite_chain, towers,  expensive_once, compositions, speed};
    return run_tests("runtime eval", tests, (int)(sizeof tests / sizeof *tests));
}
