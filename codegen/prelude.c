/* The fixed OpenCL C text that generated kernels begin with. */
#include "kir.h"

/* CS_WIDE, VW and so on come from the plan's flags and definitions. */
static const char prelude[] = "#ifdef CS_PRECISE\n"
                              "#pragma OPENCL FP_CONTRACT OFF\n"
                              "#else\n"
                              "#pragma OPENCL FP_CONTRACT ON\n"
                              "#endif\n"
                              "#ifdef cl_khr_fp64\n"
                              "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                              "#endif\n"
                              "#ifndef VW\n"
                              "#define VW 8\n"
                              "#endif\n"
                              "#if CS_WIDE\n"
                              "typedef long idx_t;\n"
                              "#else\n"
                              "typedef int idx_t;\n"
                              "#endif\n"
                              "#define MIN(a, b) min((idx_t)(a), (idx_t)(b))\n"
                              "#define CAT2(a, b) a##b\n"
                              "#define CAT(a, b) CAT2(a, b)\n"
                              "#define CAT3(a, b, c) CAT(CAT(a, b), c)\n"
                              "#define VEC(t) CAT(t, VW)\n"
                              "#define VLOAD(p) CAT(vload, VW)(0, p)\n"
                              "#define VSTORE(v, p) CAT(vstore, VW)(v, 0, p)\n"
                              "#define CS_LOW2 .s01\n"
                              "#define CS_LOW4 .s0123\n"
                              "#define CS_LOW8 .s01234567\n"
                              "#define CS_LOW16\n"
                              "#ifdef CS_PRECISE\n"
                              "#define cs_min fmin\n"
                              "#define cs_max fmax\n"
                              "#else\n"
                              "#define cs_min min\n"
                              "#define cs_max max\n"
                              "#endif\n"
                              /* x / 0 is reported by the caller; MIN / -1 wraps */
                              "#define CS_DIVISION(T, U)\\\n"
                              "  static inline T cs_div_##T(T a, T b) { return b == 0 ? 0 : b == "
                              "(T)-1 && (T)-1 < 0 ? (T)-(U)a : a / b; }\\\n"
                              "  static inline T cs_rem_##T(T a, T b) { return b == 0 || (b == "
                              "(T)-1 && (T)-1 < 0) ? 0 : a % b; }\n"
                              "CS_DIVISION(int, uint)\n"
                              "CS_DIVISION(uint, uint)\n"
                              "CS_DIVISION(long, ulong)\n"
                              "CS_DIVISION(ulong, ulong)\n";

/* Reports and the checks that use them: printed when a text has an error buffer. The first report
 * stays. */
static const char checks[] =
    "static inline void cs_fail(__global int *error, int kind, int site, long index, long lo, long "
    "n)\n"
    "{\n"
    "  if (atomic_cmpxchg((volatile __global int *)error, 0, kind) == 0) {\n"
    "    error[1] = site;\n"
    "    error[2] = (int)index; error[3] = (int)(index >> 32);\n"
    "    error[4] = (int)lo; error[5] = (int)(lo >> 32);\n"
    "    error[6] = (int)n; error[7] = (int)(n >> 32);\n"
    "  }\n"
    "}\n"
    "#define CS_CHECKED(T)\\\n"
    "  static inline T cs_checked_div_##T(T a, T b, __global int *error, int site)\\\n"
    "  { if (b == 0) cs_fail(error, 2, site, 0, 0, 0); return cs_div_##T(a, b); }\\\n"
    "  static inline T cs_checked_rem_##T(T a, T b, __global int *error, int site)\\\n"
    "  { if (b == 0) cs_fail(error, 2, site, 0, 0, 0); return cs_rem_##T(a, b); }\n"
    "CS_CHECKED(int)\n"
    "CS_CHECKED(uint)\n"
    "CS_CHECKED(long)\n"
    "CS_CHECKED(ulong)\n"
    /* an index counted from 0, or 0 when it is outside [lo, lo + n): the read is then harmless */
    "static inline long cs_inside(long index, long lo, long n, __global int *error, int site)\n"
    "{\n"
    "  long at = index - lo;\n"
    "  if (at >= 0 && at < n) return at;\n"
    "  cs_fail(error, 1, site, index, lo, n);\n"
    "  return 0;\n"
    "}\n";

/* Philox 4x32-10 (Salmon et al., SC11), as fdag/ops.c has it: one word, 24 bits, in [0, 1). */
static const char random_text[] =
    "static inline float cs_random(long seed, long index)\n"
    "{\n"
    "  uint4 c = (uint4)((uint)index, (uint)(index >> 32), 0u, 0u);\n"
    "  uint k0 = (uint)seed, k1 = (uint)(seed >> 32);\n"
    "  for (int i = 0; i < 10; i++) {\n"
    "    uint h0 = mul_hi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;\n"
    "    uint h1 = mul_hi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;\n"
    "    c = (uint4)(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);\n"
    "    k0 += 0x9E3779B9u;\n"
    "    k1 += 0xBB67AE85u;\n"
    "  }\n"
    "  return (float)(c.x >> 8) * 0x1p-24f;\n"
    "}\n";

/* Functions of vectors that the column `own` of fdag/ops.def names: where drivers are wrong for
 * some lanes beside others. Scalar builtins are right, so each lane is computed alone; but sin, cos
 * and tan of floats are right where all lanes are small, and those of doubles everywhere, as are
 * exp2 and log2. (A name is given beside the builtin, which may be a macro.) */
static const char lanes_text[] =
    "#define CS_WIDTHS(M, C, F, T)\\\n"
    "  M(C, F, T, 2) M(C, F, T, 4) M(C, F, T, 8) M(C, F, T, 16)\n"
    "#define CS_LANES(C, F, T, N)\\\n"
    "  static inline T##N __attribute__((overloadable)) C(T##N x, T##N y)\\\n"
    "  {\\\n"
    "    T a[N], b[N];\\\n"
    "    vstore##N(x, 0, a);\\\n"
    "    vstore##N(y, 0, b);\\\n"
    "    for (int i = 0; i < N; i++) a[i] = F(a[i], b[i]);\\\n"
    "    return vload##N(0, a);\\\n"
    "  }\n"
    /* in doubles, where nothing is lost; then C99's cases that the logarithm cannot tell */
    "#define CS_POWER(C, F, T, N)\\\n"
    "  static inline float##N __attribute__((overloadable)) C(float##N x, float##N y)\\\n"
    "  {\\\n"
    "    double##N e = convert_double##N(y) * log2(convert_double##N(fabs(x)));\\\n"
    "    float##N r = convert_float##N(exp2(e));\\\n"
    "    int##N whole = y == rint(y);\\\n"
    "    int##N odd = whole & (fabs(y) < 0x1p24f) & ((convert_int##N##_sat(y) & 1) != 0);\\\n"
    "    int##N none = (x < 0.0f) & (x > -INFINITY) & ~whole;\\\n"
    "    int##N one = (y == 0.0f) | (x == 1.0f) | ((x == -1.0f) & (fabs(y) == INFINITY));\\\n"
    "    r = select(r, -r, odd & (as_int##N(x) < 0));\\\n"
    "    r = select(r, (float##N)NAN, none);\\\n"
    "    return select(r, (float##N)1.0f, one);\\\n"
    "  }\n"
    "#define CS_SMALL(C, F, T, N)\\\n"
    "  static inline T##N __attribute__((overloadable)) C(T##N x)\\\n"
    "  {\\\n"
    "    if (all(fabs(x) < 100.0f)) return F(x);\\\n"
    "    CS_LARGE(F, N)\\\n"
    "  }\n"
    "#define CS_PLAIN(C, F, T, N)\\\n"
    "  static inline T##N __attribute__((overloadable)) C(T##N x) { return F(x); }\n"
    "#ifdef cl_khr_fp64\n"
    "#define CS_LARGE(F, N) return convert_float##N(F(convert_double##N(x)));\n"
    "#define CS_DOUBLE(M, C, F) CS_WIDTHS(M, C, F, double)\n"
    "#else\n"
    "#undef CS_POWER\n"
    "#define CS_POWER CS_LANES\n"
    "#define CS_LARGE(F, N)\\\n"
    "    float a[N];\\\n"
    "    vstore##N(x, 0, a);\\\n"
    "    for (int i = 0; i < N; i++) a[i] = F(a[i]);\\\n"
    "    return vload##N(0, a);\n"
    "#define CS_DOUBLE(M, C, F)\n"
    "#endif\n"
    "#define CS_BINARY(C, F) CS_WIDTHS(CS_LANES, C, F, float) CS_DOUBLE(CS_LANES, C, F)\n"
    "#define CS_POW(C, F) CS_WIDTHS(CS_POWER, C, F, float) CS_DOUBLE(CS_LANES, C, F)\n"
    "#define CS_ANGLE(C, F) CS_WIDTHS(CS_SMALL, C, F, float) CS_DOUBLE(CS_PLAIN, C, F)\n";

/* To the nearest half, even at ties: values of type half are floats. From a double by way of a
 * float that is odd where it is not exact, so that nothing is rounded twice. */
static const char half_text[] =
    "#define CS_HALF(N)\\\n"
    "  static inline float##N __attribute__((overloadable)) cs_half(float##N x)\\\n"
    "  {\\\n"
    "    uint##N u = as_uint##N(x), sign = u & 0x80000000u, a = u ^ sign;\\\n"
    "    uint##N r = (a + 0xFFFu + ((a >> 13) & 1u)) & 0xFFFFE000u;\\\n"
    "    int##N units = convert_int##N##_sat_rte(as_float##N(a) * 0x1p24f);\\\n"
    "    r = select(r, as_uint##N(convert_float##N(units) * 0x1p-24f), a < 0x38800000u);\\\n"
    "    r = select(r, (uint##N)(0x7F800000u), a >= 0x477FF000u);\\\n"
    "    r = select(r, a, a > 0x7F800000u);\\\n"
    "    return as_float##N(r | sign);\\\n"
    "  }\n"
    "#define CS_HALF_DOUBLE(N)\\\n"
    "  static inline float##N __attribute__((overloadable)) cs_half(double##N x)\\\n"
    "  {\\\n"
    "    float##N f = convert_float##N##_rtz(x);\\\n"
    "    int##N rest = convert_int##N(convert_double##N(f) != x) & 1;\\\n"
    "    return cs_half(as_float##N(as_int##N(f) | rest));\\\n"
    "  }\n"
    "CS_HALF() CS_HALF(2) CS_HALF(4) CS_HALF(8) CS_HALF(16)\n"
    "#ifdef cl_khr_fp64\n"
    "CS_HALF_DOUBLE() CS_HALF_DOUBLE(2) CS_HALF_DOUBLE(4) CS_HALF_DOUBLE(8) CS_HALF_DOUBLE(16)\n"
    "#endif\n";

static const struct {
    FdOp op;
    const char *text;
} lanes_functions[] = {{FD_OP_POW, "CS_POW(cs_pow, pow)\n"},
                       {FD_OP_REM, "CS_BINARY(cs_fmod, fmod)\n"},
                       {FD_OP_SIN, "CS_ANGLE(cs_sin, sin)\n"},
                       {FD_OP_COS, "CS_ANGLE(cs_cos, cos)\n"},
                       {FD_OP_TAN, "CS_ANGLE(cs_tan, tan)\n"}};

static void add_lanes(Text *out, const bool *own)
{
    bool begun = false;
    for (size_t i = 0; i < sizeof lanes_functions / sizeof *lanes_functions; i++) {
        if (!own[lanes_functions[i].op]) continue;
        if (!begun) text_add(out, lanes_text);
        begun = true;
        text_add(out, lanes_functions[i].text);
    }
}

void opencl_prelude(Text *out, unsigned features, const bool *own)
{
    text_add(out, prelude);
    if (features & OPENCL_CHECKS) text_add(out, checks);
    if (features & OPENCL_RANDOM) text_add(out, random_text);
    if (features & OPENCL_HALF) text_add(out, half_text);
    add_lanes(out, own);
}
