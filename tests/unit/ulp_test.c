/* Errors of every function of reals in kernels, in units in the last place, against the C library
 * in long double: ours as scalars and as vectors, with and without --precise, and the driver's that
 * are left. ULP_TABLE=1 prints them all; ULP_COUNT=n takes so many values of each (tests/long). A
 * value is any bits of the type, near what a function makes of it, or whole.
 */
#include <float.h>

#include "../../codegen/kernel/ir/kir.h"
#include "../../codegen/kernel/ir/prelude.h"
#include "../../codegen/kernel/math/math.h"
#include "codegen_run.h"
#include "suite.h"

typedef long double Wide(long double);
typedef long double Wide2(long double, long double);

/* most: what is allowed, without and with --precise, which asks for 1 of what can give it */
static const struct {
    const char *name;
    Wide *one;
    Wide2 *two;
    double most[2];
} rows[] = {
    {"sqrt", sqrtl, NULL, {1, 0.51}},    {"cbrt", cbrtl, NULL, {1, 1}},
    {"exp", expl, NULL, {1.1, 1}},       {"exp2", exp2l, NULL, {1, 1}},
    {"expm1", expm1l, NULL, {2.5, 1.1}}, {"log", logl, NULL, {1, 1}},
    {"log2", log2l, NULL, {1.1, 1}},     {"log10", log10l, NULL, {1.1, 1}},
    {"log1p", log1pl, NULL, {1.1, 1}},   {"sin", sinl, NULL, {2, 1}},
    {"cos", cosl, NULL, {2, 1}},         {"tan", tanl, NULL, {4, 1.1}},
    {"asin", asinl, NULL, {3, 1}},       {"acos", acosl, NULL, {3, 1}},
    {"atan", atanl, NULL, {3, 1}},       {"sinh", sinhl, NULL, {3, 1}},
    {"cosh", coshl, NULL, {3, 1}},       {"tanh", tanhl, NULL, {3, 1}},
    {"asinh", asinhl, NULL, {3, 1}},     {"acosh", acoshl, NULL, {3, 1}},
    {"atanh", atanhl, NULL, {3, 1}},     {"erf", erfl, NULL, {4, 1}},
    {"erfc", erfcl, NULL, {4, 1}},       {"pow", NULL, powl, {1, 1}},
    {"atan2", NULL, atan2l, {3, 1}},     {"hypot", NULL, hypotl, {1, 1}},
    {"rem", NULL, fmodl, {0, 0}},
};
enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t state = 88172645463325252;

static uint64_t bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1D;
}

static double unit(void) /* in [-1, 1) */
{
    return (double)(bits() >> 11) * 0x1p-52 - 1;
}

static double any_bits(ScalarKind k)
{
    uint64_t b = bits();
    return scalar_load(&b, k).f;
}

static double operand(ScalarKind k, int row, size_t i, double other)
{
    switch (i % 8) {
    case 0:
    case 1: return any_bits(k);
    case 2: return 2 * unit();
    case 3: return 100 * unit();
    case 4: return (k == SC_FLOAT ? 110 : 760) * unit();
    case 5: return 1 + unit() / 16;
    case 6: /* near multiples of pi/2, or near each other */
        return rows[row].two && i % 16 == 6
                   ? other * (1 + unit() * 1e-3)
                   : floor(1000 * unit()) * 1.5707963267948966 * (1 + unit() * 0x1p-20);
    default: return floor(64 * unit()) / 2;
    }
}

/* |x| in units of the last place of want as a value of kind k */
static double units(ScalarKind k, double x, long double want)
{
    int digits = k == SC_FLOAT ? 24 : 53, least = k == SC_FLOAT ? -125 : -1021, e;
    long double greatest = k == SC_FLOAT ? FLT_MAX : DBL_MAX;
    if (isnan(x) || isnan(want)) return isnan(x) && isnan(want) ? 0 : INFINITY;
    if (isinf(x)) /* what is greater than half a unit above the greatest */
        return fabsl(want) >= greatest && (x > 0) == (want > 0) ? 0 : INFINITY;
    if (isinf(want)) return INFINITY;
    frexpl(want, &e);
    if (fabsl(want) > greatest) return fabs(x) == (double)greatest ? 1 : INFINITY;
    return (double)(fabsl((long double)x - want) / ldexpl(1, (e < least ? least : e) - digits));
}

/* A kernel an operation: out[i] = op(a[i], b[i]), on vectors. */
static Text program_text(ScalarKind k, int lanes, bool precise)
{
    Text kernels = {0}, math = {0}, text = {0};
    char type[16];
    snprintf(type, sizeof type, lanes == 1 ? "%s" : "%s%d", scalar_cl_name(k), lanes);
    for (int r = 0; r < ROWS; r++) {
        FdOp op = fd_op_from_text(rows[r].name);
        text_printf(&kernels,
                    "__kernel void test_%s(__global const %s *a, __global const %s *b, "
                    "__global %s *out) {\n  size_t i = get_global_id(0);\n  out[i] = ",
                    rows[r].name, type, type, type);
        if (!opencl_own(&kernels, op, kir_type((int)k, lanes))) text_add(&kernels, rows[r].name);
        text_printf(&kernels, "(a[i]%s);\n}\n", rows[r].two ? ", b[i]" : "");
    }
    math_add(&math, 1, &kernels, false, precise);
    prelude_add(&text, 2, (Text[]){math, kernels});
    text_add(&text, math.data);
    text_add(&text, kernels.data);
    text_free(&math);
    text_free(&kernels);
    return text;
}

static int judge(int row, ScalarKind k, int lanes, bool precise, size_t n, const double *a,
                 const double *b, const unsigned char *out)
{
    double worst = 0, most = rows[row].most[precise], got = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        double x = scalar_load(out + i * scalar_bytes(k), k).f;
        long double want = rows[row].two ? rows[row].two(a[i], b[i]) : rows[row].one(a[i]);
        double u = units(k, x, want);
        if (u <= worst) continue;
        worst = u, at = i, got = x;
    }
    if (getenv("ULP_TABLE"))
        printf("%-6s %-6s x%-2d %-8s %6.3f\n", rows[row].name, scalar_name(k), lanes,
               precise ? "precise" : "", worst);
    if (worst <= most) return 0;
    fprintf(stderr, "%s of %s in %d lanes%s: %.3f units, (%a, %a) gives %a\n", rows[row].name,
            scalar_name(k), lanes, precise ? ", precise" : "", worst, a[at], b[at], got);
    return 1;
}

static int check_functions(ScalarKind k, int lanes, bool precise)
{
    size_t n = getenv("ULP_COUNT") ? strtoul(getenv("ULP_COUNT"), NULL, 10) & ~(size_t)15 : 1 << 14;
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    unsigned char *data[3];
    cl_mem m[3];
    Text text = program_text(k, lanes, precise);
    const char *source = text.data,
               *options = precise ? "-DCS_PRECISE" : "-cl-mad-enable -cl-unsafe-math-optimizations";
    size_t bytes = n * scalar_bytes(k), global = n / (size_t)lanes;
    int failed = 0;
    cl_int code;
    for (int i = 0; i < 3; i++) data[i] = calloc(n, sizeof(double));
    cl_program p = clCreateProgramWithSource(cl_ctx, 1, &source, NULL, NULL);
    ck_assert_int_eq(clBuildProgram(p, 1, &cl_device, options, NULL, NULL), CL_SUCCESS);
    for (int row = 0; row < ROWS; row++) {
        char name[32];
        for (size_t i = 0; i < n; i++) {
            a[i] = scalar_convert((ScalarValue){.f = operand(k, row, i, 1)}, SC_DOUBLE, k).f;
            b[i] =
                scalar_convert((ScalarValue){.f = operand(k, row, i / 8 + i, a[i])}, SC_DOUBLE, k)
                    .f;
            scalar_store(data[0] + i * scalar_bytes(k), k, (ScalarValue){.f = a[i]});
            scalar_store(data[1] + i * scalar_bytes(k), k, (ScalarValue){.f = b[i]});
        }
        snprintf(name, sizeof name, "test_%s", rows[row].name);
        cl_kernel kernel = clCreateKernel(p, name, &code);
        ck_assert_int_eq(code, CL_SUCCESS);
        for (cl_uint i = 0; i < 3; i++) {
            m[i] = buffer(data[i], bytes);
            clSetKernelArg(kernel, i, sizeof m[i], &m[i]);
        }
        clEnqueueNDRangeKernel(cl_queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
        clEnqueueReadBuffer(cl_queue, m[2], CL_TRUE, 0, bytes, data[2], 0, NULL, NULL);
        failed += judge(row, k, lanes, precise, n, a, b, data[2]);
        for (int i = 0; i < 3; i++) clReleaseMemObject(m[i]);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(p);
    for (int i = 0; i < 3; i++) free(data[i]);
    free(a);
    free(b);
    text_free(&text);
    return failed;
}

START_TEST(floats)
{
    cl_open();
    int failed = check_functions(SC_FLOAT, 1, false);
    failed += check_functions(SC_FLOAT, 16, false);
    ck_assert_int_eq(failed + check_functions(SC_FLOAT, 16, true), 0);
}
END_TEST

/* Where long double is no wider there is nothing to compare with. */
START_TEST(doubles)
{
    cl_open();
    if (LDBL_MANT_DIG < 64) return;
    int failed = check_functions(SC_DOUBLE, 1, false);
    failed += check_functions(SC_DOUBLE, 8, false);
    ck_assert_int_eq(failed + check_functions(SC_DOUBLE, 8, true), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ulp");
    TCase *c = tcase_create("ulp");
    tcase_set_timeout(c, 3600);
    tcase_add_test(c, floats);
    tcase_add_test(c, doubles);
    suite_add_tcase(s, c);
    return run_suite(s);
}
