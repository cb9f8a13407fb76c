/* Every function of reals, on special values and on others in mixed lanes, with tails, against libm in double rounded to the
 * type: natively, levels in turn, and by OpenCL one by one and in vectors of 8, one kernel in four having its turn
 * (suite_draws), with MATH_WIDTHS=all in every width. MATH_TEST_DRIVER=1 prints the
 * errors, in units of the last place, of what generated kernels compute and of the driver's own
 * builtins, which says what the column `own` of fdag/ops.def is to hold for that driver.
 */
#include "../suite.h"
#include "codegen_run.h"

enum { WORST = 16 }; /* units in the last place, of functions that are not exact */
#ifdef CODEGEN_NATIVE
enum { TURNS = 1 };
#else
enum { TURNS = 4 };
#endif

static const double special[] = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 3,
                                 -3,
                                 0.5,
                                 -0.5,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 4,
                                 -5,
                                 10,
                                 -10,
                                 100,
                                 -8,
                                 27,
                                 1e-3,
                                 -1e-3,
                                 1e5,
                                 -1e5,
                                 0.99,
                                 -0.99,
                                 0.990,
                                 0.999999,
                                 1.000001,
                                 7,
                                 1e-40,
                                 -1e-40,
                                 1e-45,
                                 1e-310,
                                 -1e-310,
                                 5e-324,
                                 1e30,
                                 -1e30,
                                 1e300,
                                 -1e300,
                                 3.4e38,
                                 1.7e308,
                                 88,
                                 -88,
                                 89,
                                 709,
                                 -745,
                                 710,
                                 1.5707963267948966,
                                 3.141592653589793,
                                 0.1,
                                 1.0 / 3,
                                 1.5,
                                 2.5,
                                 -1.5,
                                 -2.5,
                                 1023,
                                 1024,
                                 -1074,
                                 -1075,
                                 127,
                                 128,
                                 -149,
                                 -150,
                                 33554432,
                                 1e22,
                                 11,
                                 0.25,
                                 1e10,
                                 8,
                                 9,
                                 16,
                                 64,
                                 1e-20,
                                 1e20,
                                 65504,
                                 6e-8,
                                 -6e-8,
                                 2049};
enum { NSPECIAL = sizeof special / sizeof *special };

static unsigned seed = 1;

static double next(void) /* in [0, 1) */
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) * 0x1p-24;
}

static double some_value(int i)
{
    switch (i % 5) {
    case 0: return ldexp(next() - 0.5, (int)(next() * 20) - 8);
    case 1: return ldexp(next() - 0.5, (int)(next() * 240) - 120);
    case 2: return 2 * next() - 1;
    case 3: return (double)((int)(next() * 41) - 20);
    default: return 60 * (next() - 0.5);
    }
}

/* Operands in random order, so that special ones lie beside ordinary ones: each special value, or
 * for two operands each pair, and as many others. */
static void operands(ScalarKind k, int arity, size_t n, double *a, double *b)
{
    size_t special_count = arity == 1 ? NSPECIAL : (size_t)NSPECIAL * NSPECIAL;
    for (size_t i = 0; i < n; i++) {
        bool is_special = i < special_count;
        a[i] = is_special ? special[arity == 1 ? i : i / NSPECIAL] : some_value((int)i);
        b[i] = is_special ? special[i % NSPECIAL] : some_value((int)(i / 5));
    }
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)(next() * (double)(i + 1));
        double x = a[i], y = b[i];
        a[i] = a[j], a[j] = x;
        b[i] = b[j], b[j] = y;
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = scalar_convert((ScalarValue){.f = a[i]}, SC_DOUBLE, k).f;
        b[i] = scalar_convert((ScalarValue){.f = b[i]}, SC_DOUBLE, k).f;
    }
}

/* |x - want| in units of want's last place; infinite for a wrong NaN, infinity or sign of an
 * infinity. The sign of a zero counts if `zeros`. */
static double ulps(ScalarKind k, double x, double want, bool zeros)
{
    int bits = k == SC_HALF ? 11 : k == SC_FLOAT ? 24 : 53;
    int least = k == SC_HALF ? -13 : k == SC_FLOAT ? -125 : -1021, e;
    if (isnan(x) || isnan(want)) return isnan(x) && isnan(want) ? 0 : INFINITY;
    if (x == want) return zeros && signbit(x) != signbit(want) ? INFINITY : 0;
    if (isinf(x) || isinf(want)) return INFINITY;
    frexp(want, &e);
    return fabs(x - want) / ldexp(1, (e < least ? least : e) - bits);
}

typedef struct Report {
    double worst, at[2], got, want;
    int wrong;
} Report;

static void judge(Report *r, FdOp op, ScalarKind k, double a, double b, double got, bool zeros,
                  double most)
{
    ScalarValue args[] = {{.f = a}, {.f = b}}, want;
    fd_op_eval(op, k, k, args, &want);
    double u = ulps(k, got, want.f, zeros && op != FD_OP_TGAMMA);
    if (op == FD_OP_LGAMMA && fabs(want.f) < 1 && u < INFINITY) /* next to its zeros below 0 */
        u *= fabs(want.f) + (a > 0);
    if (u > most) r->wrong++;
    if (u <= r->worst) return;
    *r = (Report){u, {a, b}, got, want.f, r->wrong};
}

static bool verbose(void)
{
    return getenv("MATH_TEST_DRIVER") != NULL;
}

static bool is_function(FdOp op)
{
    const FdOpInfo *info = fd_op_info(op);
    if (info->arity > 2) return false;
    return info->rule == FD_RULE_REAL || op == FD_OP_REM || op == FD_OP_ABS || op == FD_OP_SIGN ||
           op == FD_OP_DIV;
}

static bool is_exact(FdOp op)
{
    return !(fd_op_info(op)->props & FD_EXPENSIVE) && op != FD_OP_DIV;
}

static void tell(const char *where, const char *name, ScalarKind k, int lanes, const Report *r)
{
    if (verbose())
        printf("%-9s %-6s %-6s x%-2d %8.3g ulp, %d wrong; (%g, %g) gives %g, not %g\n", where, name,
               scalar_name(k), lanes, r->worst, r->wrong, r->at[0], r->at[1], r->got, r->want);
}

/* ---- generated kernels ----------------------------------------------------------------- */

static const FdNode *read_slot(Fd *fd, int slot, ScalarKind k, const FdNode *i)
{
    const FdNode *a = fd_slot(fd, slot, fd_type_array(fd, k, 1), slot ? "b" : "a");
    return fd_apply(fd, a, 1, &i, (FdLoc){0});
}

/* (i) => record(op(a(i), b(i)), ..), a field an operation. */
static FdGraph all_of(Fd *fd, ScalarKind k, int n, const FdOp *ops)
{
    const FdType *types[FD_MAX_FIELDS];
    const char *names[FD_MAX_FIELDS];
    const FdNode *fields[FD_MAX_FIELDS], *i = fd_var(fd, fd_type_scalar(fd, SC_INT), "i");
    const FdNode *args[] = {read_slot(fd, 0, k, i), read_slot(fd, 1, k, i)};
    for (int f = 0; f < n; f++) {
        types[f] = fd_type_scalar(fd, k);
        names[f] = fd_op_info(ops[f])->text;
        fields[f] = fd_apply_op(fd, ops[f], k, fd_op_info(ops[f])->arity, args, (FdLoc){0});
    }
    const FdType *t = fd_type_record(fd, "Values", n, types, names);
    const FdNode *array = fd_slot(fd, 0, fd_type_array(fd, k, 1), "a"), *zero = fd_int(fd, 0);
    const FdNode *bound[] = {array, zero};
    FdDom dom = {FD_DOM_INFERRED, fd_apply_op(fd, FD_OP_LOWER, SC_LONG, 2, bound, (FdLoc){0}),
                 fd_apply_op(fd, FD_OP_UPPER, SC_LONG, 2, bound, (FdLoc){0})};
    FdGraph g = {.nslots = 2};
    fd_set_root(fd, &g, fd_let(fd, 1, &i, &dom, fd_make(fd, t, fields, (FdLoc){0}), (FdLoc){0}));
    g.slots = arena_array(fd_arena(fd), FdSlot, 2);
    for (int s = 0; s < 2; s++)
        g.slots[s] =
            (FdSlot){.type = fd_type_array(fd, k, 1), .is_array = true, .name = s ? "b" : "a"};
    return g;
}

/* Checks `n` operations of one arity on reals of kind k in vectors of `lanes`, 1: in the scalar
 * kernels of the gpu family, 0: in those of the device. */
static void check_kernel(ScalarKind k, int n, const FdOp *ops, int lanes, bool precise)
{
    enum { PAIRS = NSPECIAL * NSPECIAL + 4001 };
    static double a[PAIRS], b[PAIRS];
    int arity = fd_op_info(ops[0])->arity, failed = 0;
    size_t count = arity == 1 ? 4001 : PAIRS; /* odd: with a tail */
    Fd *fd = fd_new();
    FdGraph g = all_of(fd, k, n, ops);
    SlotValue slots[2] = {{.name = "a"}, {.name = "b"}};
    operands(k, arity, count, a, b);
    for (int s = 0; s < 2; s++) {
        slots[s].type = fd_type_scalar(fd, k);
        slots[s].rank = 1;
        slots[s].count = count;
        slots[s].box = (FdBox){.rank = 1, .dim[0] = {false, 0, (int64_t)count}};
        slots[s].data = calloc(count + 1, sizeof(double));
        for (size_t i = 0; i < count; i++)
            scalar_store(slots[s].data + i * scalar_bytes(k), k,
                         (ScalarValue){.f = s ? b[i] : a[i]});
    }
    Lowered l;
    uint32_t error[CG_ERROR_WORDS];
    size_t bytes;
    ck_assert(lower(fd, &g, lanes == 1 ? CG_GPU : CG_CPU, CG_TILE_AUTO, precise, &l));
    if (lanes) l.device.vector_bytes = lanes * (k == SC_DOUBLE ? 8 : 4);
    unsigned char *got = run(&l, slots, &bytes, error);
    for (int f = 0; f < n; f++) {
        Report r = {0};
        const unsigned char *plane =
            got + fd_plane_offset(fd_root(&g)->body->type, f, (int64_t)count);
        double most = is_exact(ops[f]) ? 0 : k == SC_HALF || ops[f] == FD_OP_DIV ? 1 : WORST;
        for (size_t i = 0; i < count; i++)
            judge(&r, ops[f], k, a[i], b[i], scalar_load(plane + i * scalar_bytes(k), k).f, precise,
                  most);
        tell(precise ? "precise" : "default", fd_op_info(ops[f])->text, k, lanes, &r);
        if (r.wrong && failed++ < 10)
            fprintf(stderr, "%s of %s in %d lanes%s: %d wrong, (%a, %a) gives %a, not %a\n",
                    fd_op_info(ops[f])->text, scalar_name(k), lanes, precise ? ", precise" : "",
                    r.wrong, r.at[0], r.at[1], r.got, r.want);
    }
    lowered_free(&l);
    slots_free(slots, 2);
    free(got);
    fd_free(fd);
    ck_assert_int_eq(failed, 0);
}

/* All functions in vectors of `lanes`. */
static void check_functions(ScalarKind k, int lanes, bool precise)
{
    for (int arity = 1; arity <= 2; arity++) {
        FdOp ops[FD_OP_COUNT];
        int n = 0;
        for (int op = 1; op < FD_OP_COUNT; op++)
            if (is_function((FdOp)op) && fd_op_info((FdOp)op)->arity == arity) ops[n++] = (FdOp)op;
        for (int at = 0; at < n; at += 8)
            if (suite_draws((unsigned)(lanes + precise + arity + at / 8), TURNS))
                check_kernel(k, n - at < 8 ? n - at : 8, ops + at, lanes, precise);
    }
}

static void check_kernels(ScalarKind k)
{
    backend_open();
#ifdef CODEGEN_NATIVE
    for (int precise = 0; precise < 2; precise++) check_functions(k, 0, precise);
#else
    for (int lanes = 1; lanes <= 16; lanes *= getenv("MATH_WIDTHS") ? 2 : 8)
        for (int precise = 0; precise <= (lanes == 8); precise++)
            check_functions(k, lanes, precise);
#endif
}

START_TEST(floats)
{
    check_kernels(SC_FLOAT);
}
END_TEST

START_TEST(doubles)
{
    check_kernels(SC_DOUBLE);
}
END_TEST

START_TEST(halves)
{
#ifndef CODEGEN_NATIVE /* at v2 they call libgcc, which programs are linked with */
    check_kernels(SC_HALF);
#endif
}
END_TEST

/* ---- powers by constants ---------------------------------------------------------------- */

/* Below the least normal number, which [Fast] takes for zero. */
static bool is_lost(ScalarKind k, double x)
{
    return fabs(x) < (k == SC_FLOAT ? FLT_MIN : DBL_MIN);
}

/* pow(a, y), which passes make products and roots of. */
static void check_power(ScalarKind k, double y, FdReals reals)
{
    bool precise = reals == FD_REALS_PRECISE, fast = reals == FD_REALS_FAST;
    enum { COUNT = 4001 };
    static double a[COUNT], b[COUNT];
    Fd *fd = fd_new();
    const FdNode *i = fd_var(fd, fd_type_scalar(fd, SC_INT), "i");
    const FdNode *args[] = {read_slot(fd, 0, k, i), fd_const(fd, k, (ScalarValue){.f = y})};
    const FdNode *bound[] = {fd_slot(fd, 0, fd_type_array(fd, k, 1), "a"), fd_int(fd, 0)};
    FdDom dom = {FD_DOM_INFERRED, fd_apply_op(fd, FD_OP_LOWER, SC_LONG, 2, bound, (FdLoc){0}),
                 fd_apply_op(fd, FD_OP_UPPER, SC_LONG, 2, bound, (FdLoc){0})};
    const FdNode *body = fd_apply_op(fd, FD_OP_POW, k, 2, args, (FdLoc){0});
    FdGraph g = {.nslots = 1};
    fd_set_root(fd, &g, fd_let(fd, 1, &i, &dom, body, (FdLoc){0}));
    if (fast) g.hints = "Fast";
    g.slots = &(FdSlot){.type = fd_type_array(fd, k, 1), .is_array = true, .name = "a"};
    SlotValue slot = {.name = "a", .type = fd_type_scalar(fd, k), .rank = 1, .count = COUNT};
    slot.box = (FdBox){.rank = 1, .dim[0] = {false, 0, COUNT}};
    slot.data = calloc(COUNT + 1, sizeof(double));
    operands(k, 1, COUNT, a, b);
    for (size_t e = 0; e < COUNT; e++)
        scalar_store(slot.data + e * scalar_bytes(k), k, (ScalarValue){.f = a[e]});
    Lowered l;
    uint32_t error[CG_ERROR_WORDS];
    size_t bytes;
    ck_assert(lower(fd, &g, CG_CPU, CG_TILE_AUTO, precise, &l));
    bool once = y == 1 || y == 2 || y == -1 || y == 0.5, small = fabs(y) <= 8 && y == floor(y);
    ck_assert_msg((once || (small && y != 0 && fast)) == !strstr(l.text, "cs_pow"),
                  "%g in\n%.3000s", y, l.text);
    unsigned char *got = run(&l, &slot, &bytes, error);
    Report r = {0};
    for (size_t e = 0; e < COUNT; e++) {
        if (fast && (is_lost(k, a[e]) || is_lost(k, pow(a[e], y)))) continue;
        judge(&r, FD_OP_POW, k, a[e], y, scalar_load(got + e * scalar_bytes(k), k).f, precise,
              k == SC_HALF        ? 1
              : !once || !precise ? WORST
              : k == SC_FLOAT     ? 0.51
                                  : 1);
    }
    tell("constant", "pow", k, (int)y, &r);
    ck_assert_msg(r.wrong == 0, "pow(%a, %g) of %s: %d wrong, %a, not %a", r.at[0], y,
                  scalar_name(k), r.wrong, r.got, r.want);
    lowered_free(&l);
    free(slot.data);
    free(got);
    fd_free(fd);
}

START_TEST(powers)
{
    static const double y[] = {-4, -2, -1, 0, 0.5, 1, 2, 3, 7, 8, 9, 2.5};
    static const ScalarKind kinds[] = {SC_FLOAT, SC_DOUBLE};
    backend_open();
    for (size_t i = 0; i < sizeof y / sizeof *y; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (!suite_draws((unsigned)(i + k), TURNS)) continue;
            check_power(kinds[k], y[i], FD_REALS_USUAL);
            check_power(kinds[k], y[i], FD_REALS_PRECISE);
            check_power(kinds[k], y[i], FD_REALS_FAST);
        }
#ifndef CODEGEN_NATIVE
    check_power(SC_HALF, 2, FD_REALS_USUAL);
    check_power(SC_HALF, 3, FD_REALS_FAST);
#endif
}
END_TEST

#ifndef CODEGEN_NATIVE
/* ---- the driver's builtins, told only --------------------------------------------------- */

static const char *builtin_of(FdOp op)
{
    const char *cl = fd_op_info(op)->cl;
    return op == FD_OP_REM    ? "fmod"
           : op == FD_OP_ABS  ? "fabs"
           : op == FD_OP_SIGN ? "sign"
           : cl               ? cl
                              : "";
}

static void tell_builtin(FdOp op, ScalarKind k, int lanes)
{
    enum { COUNT = (NSPECIAL * NSPECIAL + 4000) / 16 * 16 };
    static double a[COUNT], b[COUNT];
    static unsigned char data[3][COUNT * sizeof(double)];
    char name[16], type[16], text[512], width[4];
    sscanf(builtin_of(op), "%15[a-z0-9]", name);
    snprintf(width, sizeof width, lanes == 1 ? "" : "%d", lanes);
    snprintf(type, sizeof type, "%s%s", scalar_cl_name(k), width);
    snprintf(text, sizeof text,
             "__kernel void f(__global const %s *a, __global const %s *b, __global %s *out) {\n"
             "size_t i = get_global_id(0); out[i] = %s(a[i]%s); }\n",
             type, type, type, name, fd_op_info(op)->arity == 2 ? ", b[i]" : "");
    operands(k, fd_op_info(op)->arity, COUNT, a, b);
    for (size_t i = 0; i < COUNT; i++) {
        scalar_store(data[0] + i * scalar_bytes(k), k, (ScalarValue){.f = a[i]});
        scalar_store(data[1] + i * scalar_bytes(k), k, (ScalarValue){.f = b[i]});
    }
    const char *source = text;
    cl_int code;
    cl_program p = clCreateProgramWithSource(cl_ctx, 1, &source, NULL, NULL);
    ck_assert_int_eq(clBuildProgram(p, 1, &cl_device, "-cl-mad-enable", NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(p, "f", &code);
    cl_mem m[3];
    size_t bytes = COUNT * scalar_bytes(k), global = COUNT / (size_t)lanes;
    for (cl_uint i = 0; i < 3; i++) {
        m[i] = buffer(data[i], bytes);
        clSetKernelArg(kernel, i, sizeof m[i], &m[i]);
    }
    clEnqueueNDRangeKernel(cl_queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(cl_queue, m[2], CL_TRUE, 0, bytes, data[2], 0, NULL, NULL);
    Report r = {0};
    for (size_t i = 0; i < COUNT; i++)
        judge(&r, op, k, a[i], b[i], scalar_load(data[2] + i * scalar_bytes(k), k).f, true, WORST);
    tell("driver", name, k, lanes, &r);
    for (int i = 0; i < 3; i++) clReleaseMemObject(m[i]);
    clReleaseKernel(kernel);
    clReleaseProgram(p);
}

/* Not fmod of vectors of doubles: POCL 3.1 does not come back from it. */
START_TEST(driver)
{
    if (!verbose()) return;
    cl_open();
    for (int op = 1; op < FD_OP_COUNT; op++)
        for (ScalarKind k = SC_FLOAT; k <= SC_DOUBLE; k++)
            for (int lanes = 1; lanes <= 16; lanes *= 2)
                if (is_function((FdOp)op) && op != FD_OP_DIV &&
                    !(op == FD_OP_REM && k == SC_DOUBLE && lanes > 4))
                    tell_builtin((FdOp)op, k, lanes);
}
END_TEST
#endif

int main(void)
{
    Suite *s = suite_create("math");
    TCase *c = tcase_create("math");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, floats);
    tcase_add_test(c, doubles);
    tcase_add_test(c, halves);
    tcase_add_test(c, powers);
#ifndef CODEGEN_NATIVE
    tcase_add_test(c, driver);
#endif
    suite_add_tcase(s, c);
    return run_suite(s);
}
