/* Errors of every function of reals in kernels, in units in the last place, against MPFR: ours as
 * scalars and as vectors, with and without --precise. A value is any bits of the type, near what a
 * function makes of it, or whole. ULP_COUNT=n takes so many values of each, ULP_WIDTHS=1 every width
 * of vectors, otherwise one of three for each type has its turn (suite_draws), ULP_TABLE=1 prints what is found and where; ULP_EVERY=n compares each n-th float with
 * our own function of doubles, rounded (tests/long, make ulp).
 */
#include <float.h>
#include <mpfr.h>

#include "../../../codegen/kernel/ir/kir.h"
#include "../../../codegen/kernel/ir/prelude.h"
#include "../../../codegen/kernel/math/math.h"
#include "codegen_run.h"

typedef int One(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int Two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int log_gamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t round)
{
    int sign;
    return mpfr_lgamma(r, &sign, x, round);
}

/* most: what is allowed; with --precise ours give 1 */
static const struct {
    const char *name;
    One *one;
    Two *two;
    double most;
} rows[] = {
    {"sqrt", mpfr_sqrt, NULL, 0.51},  {"cbrt", mpfr_cbrt, NULL, 1},
    {"exp", mpfr_exp, NULL, 1.1},     {"exp2", mpfr_exp2, NULL, 1},
    {"expm1", mpfr_expm1, NULL, 2.5}, {"log", mpfr_log, NULL, 1},
    {"log2", mpfr_log2, NULL, 1.1},   {"log10", mpfr_log10, NULL, 1.1},
    {"log1p", mpfr_log1p, NULL, 1.1}, {"sin", mpfr_sin, NULL, 2},
    {"cos", mpfr_cos, NULL, 2},       {"tan", mpfr_tan, NULL, 3},
    {"asin", mpfr_asin, NULL, 3},     {"acos", mpfr_acos, NULL, 3},
    {"atan", mpfr_atan, NULL, 3},     {"sinh", mpfr_sinh, NULL, 3},
    {"cosh", mpfr_cosh, NULL, 3},     {"tanh", mpfr_tanh, NULL, 3},
    {"asinh", mpfr_asinh, NULL, 3},   {"acosh", mpfr_acosh, NULL, 3},
    {"atanh", mpfr_atanh, NULL, 3},   {"erf", mpfr_erf, NULL, 4},
    {"erfc", mpfr_erfc, NULL, 4},     {"tgamma", mpfr_gamma, NULL, 4},
    {"lgamma", log_gamma, NULL, 4},   {"pow", NULL, mpfr_pow, 1},
    {"atan2", NULL, mpfr_atan2, 3},   {"hypot", NULL, mpfr_hypot, 1},
    {"rem", NULL, mpfr_fmod, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static size_t option(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : otherwise;
}

/* ---- values ---------------------------------------------------------------------------------- */

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

static double near_integer(double x) /* or on it */
{
    return floor(x) + unit() * ldexp(1, -(int)(bits() % 60));
}

static double operand(ScalarKind k, bool two, size_t i, double other)
{
    uint64_t b;
    switch (i % 10) {
    case 0:
    case 1: return b = bits(), scalar_load(&b, k).f;
    case 2: return 2 * unit();
    case 3: return 100 * unit();
    case 4: return (k == SC_FLOAT ? 110 : 760) * unit();
    case 5: return 1 + unit() / 16;
    case 6: /* near multiples of pi/2, or near each other */
        return two ? other * (1 + unit() * 1e-3)
                   : floor(1000 * unit()) * 1.5707963267948966 * (1 + unit() * 0x1p-20);
    case 7: return near_integer((k == SC_FLOAT ? 20 : 40) * unit());
    case 8: return 20 * unit();
    default: return floor(64 * unit()) / 2;
    }
}

typedef struct Sample {
    ScalarKind kind;
    size_t count;
    unsigned char *data[3]; /* operands and results as the device has them */
    double *args[2];
    long double *want[ROWS]; /* what they make, rounded to 64 bits or more */
} Sample;

static long double reference(int row, mpfr_t r, mpfr_t a, mpfr_t b)
{
    if (rows[row].one)
        rows[row].one(r, a, MPFR_RNDN);
    else
        rows[row].two(r, a, b, MPFR_RNDN);
    return mpfr_get_ld(r, MPFR_RNDN);
}

static void sample_fill(Sample *s, ScalarKind k, size_t count)
{
    mpfr_t a, b, r;
    size_t bytes = scalar_bytes(k);
    s->kind = k;
    s->count = count;
    for (int i = 0; i < 3; i++) s->data[i] = calloc(count, bytes);
    for (int i = 0; i < 2; i++) s->args[i] = calloc(count, sizeof(double));
    mpfr_init2(a, 53), mpfr_init2(b, 53), mpfr_init2(r, LDBL_MANT_DIG);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < 2; j++) {
            double x = operand(k, j, j ? i / 10 + i : i, s->args[0][i]);
            s->args[j][i] = scalar_convert((ScalarValue){.f = x}, SC_DOUBLE, k).f;
            scalar_store(s->data[j] + i * bytes, k, (ScalarValue){.f = s->args[j][i]});
        }
    for (int row = 0; row < ROWS; row++) {
        s->want[row] = calloc(count, sizeof(long double));
        for (size_t i = 0; i < count; i++) {
            mpfr_set_d(a, s->args[0][i], MPFR_RNDN);
            mpfr_set_d(b, s->args[1][i], MPFR_RNDN);
            s->want[row][i] = reference(row, r, a, b);
        }
    }
    mpfr_clears(a, b, r, NULL);
}

static void sample_free(Sample *s)
{
    for (int i = 0; i < 3; i++) free(s->data[i]);
    for (int i = 0; i < 2; i++) free(s->args[i]);
    for (int row = 0; row < ROWS; row++) free(s->want[row]);
}

/* |x - want| in units of the last place of want as a value of kind k */
static double units(ScalarKind k, double x, long double want)
{
    int digits = k == SC_FLOAT ? 24 : 53, least = k == SC_FLOAT ? -125 : -1021, e;
    long double greatest = k == SC_FLOAT ? FLT_MAX : DBL_MAX;
    if (isnan(x) || isnan(want)) return isnan(x) && isnan(want) ? 0 : INFINITY;
    if (isinf(x) && isinf(want)) return (x > 0) == (want > 0) ? 0 : INFINITY;
    frexpl(want, &e);
    if (fabsl(want) > greatest) want = copysignl(ldexpl(1, e = -least + 3), want);
    long double had = isinf(x) ? copysignl(ldexpl(1, -least + 3), x) : x;
    return (double)(fabsl(had - want) / ldexpl(1, (e < least ? least : e) - digits));
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The function's name in kernels. */
static void call_name(Text *out, int row, ScalarKind k, int lanes)
{
    FdOp op = fd_op_from_text(rows[row].name);
    if (!opencl_own(out, op, kir_type((int)k, lanes))) text_add(out, rows[row].name);
}

static cl_program build(Text *kernels, bool precise)
{
    Text math = {0}, text = {0};
    const char *options = precise ? "-DCS_PRECISE" : "-cl-mad-enable";
    math_add(&math, 1, kernels, false, precise);
    prelude_add(&text, 2, (Text[]){math, *kernels});
    text_addn(&text, math.data, math.len);
    text_add(&text, kernels->data);
    const char *source = text.data;
    cl_program p = clCreateProgramWithSource(cl_ctx, 1, &source, NULL, NULL);
    ck_assert_int_eq(clBuildProgram(p, 1, &cl_device, options, NULL, NULL), CL_SUCCESS);
    text_free(&math);
    text_free(kernels);
    text_free(&text);
    return p;
}

/* A kernel an operation: out[i] = op(a[i], b[i]), on vectors. */
static cl_program samplers(ScalarKind k, int lanes, bool precise)
{
    Text kernels = {0};
    char type[16];
    snprintf(type, sizeof type, lanes == 1 ? "%s" : "%s%d", scalar_cl_name(k), lanes);
    for (int row = 0; row < ROWS; row++) {
        text_printf(&kernels,
                    "__kernel void test_%s(__global const %s *a, __global const %s *b, "
                    "__global %s *out) {\n  size_t i = get_global_id(0);\n  out[i] = ",
                    rows[row].name, type, type, type);
        call_name(&kernels, row, k, lanes);
        text_printf(&kernels, "(a[i]%s);\n}\n", rows[row].two ? ", b[i]" : "");
    }
    return build(&kernels, precise);
}

static void start(cl_program p, const char *name, size_t global, cl_uint n, cl_mem *m)
{
    cl_int code;
    size_t alone = 1;
    cl_kernel kernel = clCreateKernel(p, name, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    for (cl_uint i = 0; i < n; i++) clSetKernelArg(kernel, i, sizeof m[i], &m[i]);
    ck_assert_int_eq(
        clEnqueueNDRangeKernel(cl_queue, kernel, 1, NULL, &global, &alone, 0, NULL, NULL),
        CL_SUCCESS);
    clReleaseKernel(kernel);
}

/* ---- worst ones ------------------------------------------------------------------------------ */

typedef struct Worst {
    double units, got, args[2];
    int lanes;
} Worst;

static int judge(int row, ScalarKind k, bool precise, const Worst *w)
{
    bool own = fd_op_info(fd_op_from_text(rows[row].name))->own;
    double most = precise && own && rows[row].most > 1 ? 1 : rows[row].most;
    if (getenv("ULP_TABLE")) {
        printf("| %-6s | %-6s | %-7s | %.3f | %a", rows[row].name, scalar_name(k),
               precise ? "precise" : "", w->units, w->args[0]);
        printf(rows[row].two ? ", %a |\n" : " |\n", w->args[1]);
        fflush(stdout);
    }
    if (w->units <= most) return 0;
    fprintf(stderr, "%s of %s in %d lanes%s: %.3f units, (%a, %a) gives %a\n", rows[row].name,
            scalar_name(k), w->lanes, precise ? ", precise" : "", w->units, w->args[0], w->args[1],
            w->got);
    return 1;
}

/* Adds what one width gives to the worst ones. */
static void check_width(Sample *s, int lanes, bool precise, Worst *worst)
{
    cl_program p = samplers(s->kind, lanes, precise);
    size_t each = scalar_bytes(s->kind), bytes = s->count * each;
    cl_mem m[3];
    for (int i = 0; i < 3; i++) m[i] = buffer(s->data[i], bytes);
    for (int row = 0; row < ROWS; row++) {
        char name[32];
        snprintf(name, sizeof name, "test_%s", rows[row].name);
        start(p, name, s->count / (size_t)lanes, 3, m);
        clEnqueueReadBuffer(cl_queue, m[2], CL_TRUE, 0, bytes, s->data[2], 0, NULL, NULL);
        for (size_t i = 0; i < s->count; i++) {
            double x = scalar_load(s->data[2] + i * each, s->kind).f;
            double u = units(s->kind, x, s->want[row][i]);
            if (u <= worst[row].units) continue;
            worst[row] = (Worst){u, x, {s->args[0][i], s->args[1][i]}, lanes};
        }
    }
    for (int i = 0; i < 3; i++) clReleaseMemObject(m[i]);
    clReleaseProgram(p);
}

/* Scalars, the widest vectors, these with --precise. */
static bool is_due(ScalarKind k, int lanes, int widest, bool precise)
{
    if (lanes == 1) return !precise && suite_draws(k == SC_DOUBLE, 3);
    return lanes == widest && suite_draws(1u + precise + (k == SC_DOUBLE), 3);
}

static void check_sample(ScalarKind k)
{
    int failed = 0, widest = k == SC_FLOAT ? 16 : 8;
    bool all = getenv("ULP_WIDTHS") != NULL;
    Sample s;
    if (LDBL_MANT_DIG < 64) return; /* which is what the reference is kept in */
    cl_open();
    sample_fill(&s, k, option("ULP_COUNT", 1024) & ~(size_t)15);
    for (int precise = 0; precise < 2; precise++) {
        Worst worst[ROWS] = {0};
        for (int lanes = 1; lanes <= 16; lanes *= 2)
            if (all || is_due(k, lanes, widest, precise)) check_width(&s, lanes, precise, worst);
        for (int row = 0; row < ROWS; row++) failed += judge(row, k, precise, &worst[row]);
    }
    sample_free(&s);
    ck_assert_int_eq(failed, 0);
}

START_TEST(floats)
{
    check_sample(SC_FLOAT);
}
END_TEST

START_TEST(doubles)
{
    check_sample(SC_DOUBLE);
}
END_TEST

/* ---- every float ----------------------------------------------------------------------------- */

enum { SHARES = 4096 };

/* Of the floats first + step * i the worst one of each work-item. What is no number on one side only,
 * or infinite, is far off. */
static const char every_text[] =
    "__kernel void every_%s(__global double *worst, __global uint *at) {\n"
    "  size_t share = get_global_id(0);\n"
    "  double8 most = -1.0, greatest = 0x1p128;\n"
    "  ulong8 where = 0;\n"
    "  uint8 lane = (uint8)(0, 1, 2, 3, 4, 5, 6, 7) * STEP;\n"
    "  for (uint i = 0; i < 0x100000u; i += 8 * STEP) {\n"
    "    uint8 bits = (uint)share * 0x100000u + i + lane;\n"
    "    float8 x = as_float8(bits), got = ";

static const char every_rest[] =
    "(x);\n"
    "    double8 exact = %s(convert_double8(x)), want = clamp(exact, -greatest, greatest);\n"
    "    double8 had = clamp(convert_double8(got), -greatest, greatest);\n"
    "    ulong8 e = max(as_ulong8(want) >> 52 & 0x7FF, (ulong8)(1023 - 126));\n"
    "    e = min(e, (ulong8)(1023 + 127));\n"
    "    double8 off = fabs(had - want) * as_double8((2069 - e) << 52);\n"
    "    long8 none = isnan(exact), wrong = convert_long8(isnan(got)) ^ none;\n"
    "    off = select(select(off, (double8)(1e9), wrong), (double8)(0), none & ~wrong);\n"
    "    long8 more = off > most;\n"
    "    most = select(most, off, more);\n"
    "    where = select(where, convert_ulong8(bits), more);\n"
    "  }\n"
    "  double m[8];\n"
    "  ulong w[8];\n"
    "  vstore8(most, 0, m);\n"
    "  vstore8(where, 0, w);\n"
    "  int best = 0;\n"
    "  for (int l = 1; l < 8; l++) if (m[l] > m[best]) best = l;\n"
    "  worst[share] = m[best];\n"
    "  at[share] = (uint)w[best];\n"
    "}\n";

static Worst worst_float(int row, bool precise, size_t step)
{
    static double found[SHARES];
    static uint32_t at[SHARES];
    Text kernel = {0}, name = {0};
    char entry[32];
    cl_mem m[2] = {buffer(found, sizeof found), buffer(at, sizeof at)};
    Worst w = {.lanes = 8};
    text_printf(&kernel, "#define STEP %zuu\n", step);
    text_printf(&kernel, every_text, rows[row].name);
    call_name(&kernel, row, SC_FLOAT, 8);
    call_name(&name, row, SC_DOUBLE, 8);
    text_printf(&kernel, every_rest, name.data);
    cl_program p = build(&kernel, precise);
    snprintf(entry, sizeof entry, "every_%s", rows[row].name);
    start(p, entry, SHARES, 2, m);
    clEnqueueReadBuffer(cl_queue, m[0], CL_TRUE, 0, sizeof found, found, 0, NULL, NULL);
    clEnqueueReadBuffer(cl_queue, m[1], CL_TRUE, 0, sizeof at, at, 0, NULL, NULL);
    for (int i = 0; i < SHARES; i++)
        if (found[i] > w.units) {
            float x;
            memcpy(&x, &at[i], sizeof x);
            w = (Worst){found[i], NAN, {x, 0}, 8};
        }
    for (int i = 0; i < 2; i++) clReleaseMemObject(m[i]);
    clReleaseProgram(p);
    text_free(&name);
    return w;
}

START_TEST(every_float)
{
    size_t step = option("ULP_EVERY", 0);
    int failed = 0;
    if (!step) return;
    cl_open();
    for (int row = 0; row < ROWS; row++)
        for (int precise = 0; precise < 2 && rows[row].one; precise++) {
            Worst w = worst_float(row, precise, step);
            failed += judge(row, SC_FLOAT, precise, &w);
        }
    ck_assert_int_eq(failed, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ulp");
    TCase *c = tcase_create("ulp");
    tcase_set_timeout(c, 7200);
    tcase_add_test(c, floats);
    tcase_add_test(c, doubles);
    tcase_add_test(c, every_float);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
