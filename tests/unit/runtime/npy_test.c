/* Npy.Load and Npy.Save: files that NumPy wrote (tests/npy), and round trips of every type and
 * shape. Run from the root of the project. */
#include "../suite.h"
#include "npy_files.h"

/* ---- NumPy's files ------------------------------------------------------------------------ */

static const struct {
    const char *file;
    ScalarKind kind;
} types[] = {{"i1", SC_SBYTE}, {"u1", SC_BYTE},  {"i2", SC_SHORT}, {"u2", SC_USHORT},
             {"i4", SC_INT},   {"u4", SC_UINT},  {"i8", SC_LONG},  {"u8", SC_ULONG},
             {"f2", SC_HALF},  {"f4", SC_FLOAT}, {"f8", SC_DOUBLE}};
enum { TYPES = sizeof types / sizeof *types };

/* Every type into every type: what C# converts implicitly, and nothing else. */
START_TEST(numpy_types)
{
    for (size_t t = 0; t < TYPES; t++)
        for (int k = 0; k < SC_COUNT; k++) {
            char file[64];
            snprintf(file, sizeof file, "tests/npy/%s.npy", types[t].file);
            Array *a = load(file, (ScalarKind)k, 2);
            if (!scalar_widens(types[t].kind, (ScalarKind)k)) {
                ck_assert_ptr_null(a);
                throws("IOException: tests/npy/", "do not convert implicitly to");
                continue;
            }
            has_shape(a, 2, (int64_t[]){4, 6});
            for (int i = 0; i < 24; i++) ck_assert(number(a, i) == i * 3 + 1);
            cs_release(a);
        }
}
END_TEST

START_TEST(numpy_orders)
{
    Array *a = numpy("big-f4", SC_FLOAT, 3), *b = numpy("big-f4", SC_DOUBLE, 3);
    has_shape(a, 3, (int64_t[]){2, 3, 4});
    for (int i = 0; i < 24; i++) ck_assert(number(a, i) == i / 4.0 && number(b, i) == i / 4.0);
    cs_release(a);
    cs_release(b);
    a = numpy("big-i8", SC_LONG, 1);
    for (int i = 0; i < 24; i++) ck_assert_int_eq(element(a, i).i, i * INT64_C(-1000000007));
    cs_release(a);
    a = numpy("fortran-f8", SC_DOUBLE, 3);
    has_shape(a, 3, (int64_t[]){2, 3, 4});
    for (int i = 0; i < 24; i++) ck_assert(number(a, i) == i / 8.0);
    cs_release(a);
    a = numpy("fortran-big-i2", SC_FLOAT, 2);
    has_shape(a, 2, (int64_t[]){6, 4});
    for (int i = 0; i < 24; i++) ck_assert(number(a, i) == i - 12);
    cs_release(a);
    a = numpy("fortran4-u1", SC_BYTE, 4);
    has_shape(a, 4, (int64_t[]){2, 3, 4, 5});
    for (int i = 0; i < 120; i++) ck_assert_int_eq(element(a, i).i, i);
    cs_release(a);
}
END_TEST

START_TEST(numpy_others)
{
    Array *a = numpy("v2-f4", SC_FLOAT, 1);
    ck_assert(number(a, 23) == 23);
    cs_release(a);
    a = numpy("v3-i4", SC_INT, 1);
    ck_assert(number(a, 23) == 23);
    cs_release(a);
    a = numpy("b1", SC_BOOL, 2);
    ck_assert(element(a, 0).i == 1 && element(a, 1).i == 0 && element(a, 3).i == 1);
    cs_release(a);
    a = numpy("chars", SC_CHAR, 2);
    ck_assert(element(a, 1).i == 0xE9 && element(a, 2).i == 0x6F22);
    cs_release(a);
    a = numpy("empty-f4", SC_FLOAT, 3);
    has_shape(a, 3, (int64_t[]){3, 0, 2});
    cs_release(a);
}
END_TEST

START_TEST(numpy_refused)
{
    static const struct {
        const char *file, *message;
    } bad[] = {
        {"rank0", "holds one float64 value, not an array: save it in NumPy with a.reshape(1)"},
        {"rank5", "holds an array of 5 dimensions, and C$ arrays have at most 4"},
        {"complex", "it holds complex numbers ('<c8')"},
        {"strings", "it holds strings ('<U2')"},
        {"records", "it holds records with named fields"},
        {"times", "it holds times ('<M8[s]')"},
        {"archive", "it is an archive (.npz)"},
        {"f8",
         "holds float64 values, which do not convert implicitly to float: load into double[,]"},
        {"u8", "holds uint64 values, which do not convert implicitly"},
        {"f4", NULL},
        {"v2-f4", "holds a 1-dimensional array, of shape (24,), not a 2-dimensional one: load into "
                  "float[]"},
        {"fortran-f8", "holds a 3-dimensional array, of shape (2, 3, 4), not a 2-dimensional one: "
                       "load into double[,,]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char file[64];
        snprintf(file, sizeof file, "tests/npy/%s.npy", bad[i].file);
        ScalarKind k = strcmp(bad[i].file, "u8") == 0 ? SC_LONG : SC_FLOAT;
        Array *a = load(file, k, 2);
        if (bad[i].message)
            throws("IOException: ", bad[i].message);
        else
            ck_assert_ptr_nonnull(a);
        cs_release(a);
    }
}
END_TEST

/* ---- round trips -------------------------------------------------------------------------- */

START_TEST(round_trips)
{
    static const int64_t shapes[][4] = {{5}, {3, 4}, {2, 3, 5},   {2, 3, 2, 3},
                                        {0}, {4, 0}, {1, 1, 0, 1}};
    static const int ranks[] = {1, 2, 3, 4, 1, 2, 4};
    for (int k = 0; k < SC_COUNT; k++)
        for (size_t s = 0; s < 7; s++) {
            Array *a = sample((ScalarKind)k, ranks[s], shapes[s]);
            save(path("a.npy"), a);
            ck_assert_msg(!cs_pending, "%s", rt_pending_message());
            Array *b = load(path("a.npy"), (ScalarKind)k, ranks[s]);
            ck_assert_msg(b != NULL, "%s", rt_pending_message());
            has_shape(b, ranks[s], shapes[s]);
            size_t bytes = (size_t)rt_array_count(a) * scalar_bytes((ScalarKind)k);
            if (bytes) ck_assert_mem_eq(rt_array_data(a, &site), rt_array_data(b, &site), bytes);
            cs_release(a);
            cs_release(b);
        }
}
END_TEST

/* The bytes are those that NumPy would have written. */
START_TEST(same_bytes)
{
    for (size_t t = 0; t < TYPES; t++) {
        char file[64], command[256];
        snprintf(file, sizeof file, "tests/npy/%s.npy", types[t].file);
        Array *a = load(file, types[t].kind, 2);
        save(path("same.npy"), a);
        snprintf(command, sizeof command, "cmp %s %s", file, path("same.npy"));
        ck_assert_int_eq(system(command), 0);
        cs_release(a);
    }
}
END_TEST

/* Larger than every buffer on the way, in both orders, widened and not. */
START_TEST(large)
{
    enum { ROWS = 1500, COLUMNS = 1100 };
    Array *a = rt_array_new(SC_INT, 2, NULL, (int64_t[]){COLUMNS, ROWS}, false, &site);
    int32_t *p = rt_array_data(a, &site);
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++) p[j * ROWS + i] = i * COLUMNS + j;
    save(path("t.npy"), a);
    cs_release(a);
    /* The same bytes with another header are the transposed array in Fortran order. */
    int fd = open(path("t.npy"), O_RDWR);
    char header[129] = "";
    ck_assert_int_eq(pread(fd, header, 128, 0), 128);
    char *order = strstr(header + 10, "False"), *shape = strstr(header + 10, "(1100, 1500)");
    ck_assert(order && shape);
    memcpy(order, "True ", 5);
    memcpy(shape, "(1500, 1100)", 12);
    ck_assert_int_eq(pwrite(fd, header, 128, 0), 128);
    close(fd);
    static const ScalarKind kinds[] = {SC_INT, SC_LONG, SC_DOUBLE};
    for (size_t k = 0; k < 3; k++) {
        Array *b = load(path("t.npy"), kinds[k], 2);
        has_shape(b, 2, (int64_t[]){ROWS, COLUMNS});
        for (int i = 0; i < ROWS * COLUMNS; i += 977) ck_assert(number(b, i) == i);
        save(path("c.npy"), b);
        Array *c = load(path("c.npy"), k == 0 ? SC_DOUBLE : kinds[k], 2);
        for (int i = 0; i < ROWS * COLUMNS; i += 977) ck_assert(number(c, i) == i);
        cs_release(b);
        cs_release(c);
    }
}
END_TEST

/* A functional value is evaluated first; when that fails, no file appears. */
START_TEST(lazy_values)
{
#define FUNCTION(OP, A)                                                                            \
    "%0 = var \"i\" : int\n%1 = const 0 : int\n%2 = const 5 : int\n%3 = const 60 : int\n"          \
    "%4 = apply " OP " (" A ", %0) : int\n%5 = let (%0 : given %1..%2) %4 : int(int)\nresult %5\n"
    static CsGraph squares = {.text = FUNCTION("@mul", "%0")},
                   quotients = {.text = FUNCTION("@div", "%3")};
    static const CsProgram program = {.name = "test"};
    setenv("CS_DEVICE", "ref", 1);
    cs_start(0, NULL, &program);
    void *f = cs_lazy(&squares, NULL, &site);
    save(path("lazy.npy"), f);
    ck_assert_msg(!cs_pending, "%s", rt_pending_message());
    Array *a = load(path("lazy.npy"), SC_INT, 1);
    has_shape(a, 1, (int64_t[]){5});
    for (int i = 0; i < 5; i++) ck_assert_int_eq(element(a, i).i, i * i);
    cs_release(a);
    cs_release(f);
    f = cs_lazy(&quotients, NULL, &site);
    save(path("none.npy"), f);
    throws("DivideByZeroException: ", "");
    ck_assert_int_ne(access(path("none.npy"), F_OK), 0);
    cs_release(f);
    static const CsNative native = {"f", "float(float, int)", NULL, 2, 0, NULL, NULL, NULL};
    f = cs_native(&native);
    save(path("none.npy"), f);
    throws("DomainException: Npy.Save needs a finite domain, and this float(float, int) has none",
           "");
    cs_release(f);
    cs_finish();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("npy");
    TCase *t = tcase_create("npy");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, numpy_types);
    tcase_add_test(t, numpy_orders);
    tcase_add_test(t, numpy_others);
    tcase_add_test(t, numpy_refused);
    tcase_add_test(t, round_trips);
    tcase_add_test(t, same_bytes);
    tcase_add_test(t, large);
    tcase_add_test(t, lazy_values);
    suite_add_tcase(s, t);
    return run_suite(s);
}
