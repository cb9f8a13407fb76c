/* Settings, the choice of a device, and an OpenCL device if there is one. */
#include "runtime_test.h"

#include <ctype.h>
#include <unistd.h>

#include "../../../runtime/device/open/builtins.h"
#include "../../../runtime/device/open/driver.h"
#include "runtime_cache.h"

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
        .count = 3,
        .devices = {{LISTED_CPU, "pthread-x", "Portable Language", "OpenCL 3.0 PoCL 3.1"},
                    {LISTED_GPU, "Big GPU", "Big", "1.2"},
                    {LISTED_GPU, "Small", "Small", "2.0"}}};
    static const DeviceList none, idle = {.platforms = 1},
                                  sick = {.platforms = 1, .trouble = "platforms: bad (-5)"},
                                  short_of = {.trouble = "platforms: bad (-6)", .memory = true};
    static const struct {
        const char *wish;
        int want;
    } cases[] = {{"", 1},      {"cpu", 0},      {"gpu", 1},  {"#2", 2},
                 {"small", 2}, {"#3", -1},      {"#", -1},   {"pthread", 0},
                 {"#1x", -1},  {"nothing", -1}, {"pocl", 0}, {"portable", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CS_DEVICE", cases[i].wish, 1);
        ck_assert_int_eq(select_device(&list, &site), cases[i].want);
        if (cases[i].want < 0) expect_error("DeviceException: CS_DEVICE=");
    }
    ck_assert_int_eq(select_device(&none, &site), -1);
    expect_error(
        "DeviceException: no OpenCL device found: install pocl-opencl-icd or set CS_DEVICE=ref");
    ck_assert_int_eq(select_device(&idle, &site), -1);
    expect_error("DeviceException: OpenCL is installed but its driver offers no device: ");
    ck_assert_int_eq(select_device(&sick, &site), -1);
    expect_error("DeviceException: no OpenCL device: platforms: bad (-5)");
    ck_assert_int_eq(select_device(&short_of, &site), -1);
    expect_error("OutOfMemoryException: no OpenCL device: platforms: bad (-6)");
    setenv("CS_DEVICE", "ref", 1);
}
END_TEST

static void declares(const char *text, const char *const *want, int n, bool has_double)
{
    Text t = {0};
    builtins_declare(&t, text, has_double);
    const char *from = t.data ? t.data : "";
    for (int i = 0; i < n; i++) {
        size_t len = strcspn(from, "\n");
        ck_assert_msg(strlen(want[i]) == len && memcmp(from, want[i], len) == 0, "%.*s, not %s",
                      (int)len, from, want[i]);
        from += len + 1;
    }
    ck_assert_msg(!t.len || from == t.data + t.len, "and %s", from);
    text_free(&t);
}

/* What a text names is declared, with all overloads, and nothing else. */
START_TEST(builtins)
{
    static const char *const item[] = {
        "void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);",
        "size_t __attribute__((overloadable, const)) get_global_id(uint);"};
    static const char *const root[] = {
        "float __attribute__((overloadable, const)) sqrt(float);",
        "float2 __attribute__((overloadable, const)) sqrt(float2);",
        "float4 __attribute__((overloadable, const)) sqrt(float4);",
        "float8 __attribute__((overloadable, const)) sqrt(float8);",
        "float16 __attribute__((overloadable, const)) sqrt(float16);"};
    declares("x = get_global_ids(sqrtf(minx)) + 2sqrt;", NULL, 0, true);
    declares("i = get_global_id(0); barrier(CLK_LOCAL_MEM_FENCE);", item, 2, true);
    declares("CAT(sqrt, x)", root, 5, false);
    Text t = {0};
    builtins_declare(&t, "convert_int##N##_sat_rtz(x) vload##N(a, 0) convert_float4(y)", true);
    ck_assert_ptr_nonnull(strstr(t.data, " convert_int8_sat_rtz(double8);"));
    ck_assert_ptr_nonnull(strstr(t.data, " convert_float2(uchar2);"));
    ck_assert_ptr_nonnull(strstr(t.data, " vload16(size_t, const __private float *);"));
    ck_assert_ptr_null(strstr(t.data, "_rte"));
    ck_assert_ptr_null(strstr(t.data, "convert_float4_sat"));
    ck_assert_ptr_null(strstr(t.data, "vstore"));
    text_free(&t);
}
END_TEST

/* So is each function that an operation is written as: without its row a driver reads all builtins, which takes
 * long, and nobody would notice. */
START_TEST(builtins_of_operations)
{
    for (int op = 1; op < FD_OP_COUNT; op++) {
        const char *cl = fd_op_info((FdOp)op)->cl;
        if (!cl || !islower((unsigned char)*cl)) continue;
        Text t = {0};
        builtins_declare(&t, cl, true);
        ck_assert_msg(t.len > 0, "%.*s is not in runtime/device/open/builtins.c",
                      (int)strcspn(cl, "("), cl);
        text_free(&t);
    }
}
END_TEST

/* Part of the heap is in huge pages then, where the system has any. */
START_TEST(room)
{
    FILE *f =
        access("/sys/kernel/mm/transparent_hugepage", F_OK) ? NULL : fopen("/proc/self/smaps", "r");
#ifdef __SANITIZE_ADDRESS__
    if (f) fclose(f);
    f = NULL;
#endif
    if (!f) return;
    driver_room();
    char line[512];
    bool heap = false, huge = false;
    while (fgets(line, sizeof line, f)) {
        unsigned long a, b;
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2) heap = strstr(line, "[heap]") != NULL;
        if (heap && strncmp(line, "VmFlags:", 8) == 0) huge = huge || strstr(line, " hg") != NULL;
    }
    fclose(f);
    ck_assert(huge);
}
END_TEST

/* ---- an OpenCL device, if there is one ------------------------------------------------------- */

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

/* A small array moves when a device touches it: its elements go along, and what the host knew of it
 * stays readable. */
START_TEST(small_moves)
{
    if (no_device()) return;
    for (int64_t n = 1; n < 128; n = 2 * n + 1) {
        memory_trim(); /* what was on a device would not move */
        void *a = floats(1, &n, 5, 1);
        const float *old = cs_array_read(a, &place);
        for (int i = 0; i < 3; i++) {
            CsValue c[2] = {{.ref = a}, {.f = 1}};
            Array *b = cs_eval(&shift, c, &place);
            ck_assert_msg(b != NULL, "%s", rt_pending_message());
            const float *q = cs_array_read(b, &place);
            ck_assert(q[n - 1] == 6 + (float)((n - 1) % 23) + 10 * (float)i);
            ck_assert(old[n - 1] == 5 + (float)((n - 1) % 23));
            float *p = cs_array_write(&a, &place);
            ck_assert(p[n - 1] == q[n - 1] - 1);
            p[n - 1] += 10;
            ck_assert(((const float *)cs_array_read(a, &place))[n - 1] == q[n - 1] + 9);
            cs_release(b);
        }
        cs_release(a);
    }
}
END_TEST

/* Many small results: few keep an OpenCL object, and a buffer that lost its own gets another. */
START_TEST(many_small)
{
    enum { N = 10000 };
    static Array *all[N];
    if (no_device()) return;
    int64_t n = 3;
    void *a = floats(1, &n, 0, 1);
    for (int i = 0; i < N; i++) {
        CsValue c[2] = {{.ref = i % 2 ? (void *)all[i / 2] : a}, {.f = i}};
        all[i] = cs_eval(&shift, c, &place);
        ck_assert_msg(all[i] != NULL, "%s", rt_pending_message());
    }
    int sides = 0;
    for (int i = 0; i < N; i++) {
        sides += all[i]->head.buffer->device != NULL;
        const float *p = cs_array_read(all[i], &place);
        float want = (float)i;
        for (int k = i; k % 2; k /= 2) want += (float)(k / 2);
        ck_assert_msg(p[2] == want + 2, "%d: %g", i, (double)p[2]);
    }
    ck_assert_int_le(sides, 4097);
    for (int i = 0; i < N; i++) cs_release(all[i]);
    cs_release(a);
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
    setenv("CS_CACHE_BINARIES", "1", 1);
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
    const TTest *const tests[] = {bad_settings,
                                  selection,
                                  builtins,
                                  builtins_of_operations,
                                  room,
                                  on_device,
                                  no_errors_to_read,
                                  small_moves,
                                  many_small,
                                  to_and_fro,
                                  disk};
    return run_tests("runtime device", tests, (int)(sizeof tests / sizeof *tests));
}
