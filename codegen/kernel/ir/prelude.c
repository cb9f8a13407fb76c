/* The fixed OpenCL C text that generated kernels begin with: of a list of parts those whose names
 * the text uses. CS_WIDE, V4 and so on come from the plan's flags and definitions. */
#include "prelude.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "reals.h"
#include "shuffles.h"

/* Philox 4x32-10 (Salmon et al., SC11), as fdag/ops.c has it: one word, 24 bits, in [0, 1). Words are the
 * low halves of ulongs, whose products vectors have; what is above them is any. */
static const char random_text[] =
    "#define CS_RANDOM(N)\\\n"
    "  static inline float##N __attribute__((overloadable)) cs_random(long##N seed, long##N "
    "index)\\\n"
    "  {\\\n"
    "    ulong##N x = as_ulong##N(index), y = x >> 32, z = 0UL, w = 0UL;\\\n"
    "    ulong##N k0 = as_ulong##N(seed), k1 = k0 >> 32;\\\n"
    "    _Pragma(\"unroll\") for (int i = 0; i < 10; i++) {\\\n"
    "      ulong##N p = (x & 0xFFFFFFFFUL) * 0xD2511F53UL, q = (z & 0xFFFFFFFFUL) * "
    "0xCD9E8D57UL;\\\n"
    "      x = (q >> 32) ^ y ^ k0;\\\n"
    "      y = q;\\\n"
    "      z = (p >> 32) ^ w ^ k1;\\\n"
    "      w = p;\\\n"
    "      k0 += 0x9E3779B9UL;\\\n"
    "      k1 += 0xBB67AE85UL;\\\n"
    "    }\\\n"
    "    return convert_float##N(convert_int##N(x >> 8) & 0xFFFFFF) * 0x1p-24f;\\\n"
    "  }\n"
    "CS_RANDOM() CS_RANDOM(2) CS_RANDOM(4) CS_RANDOM(8) CS_RANDOM(16)\n";

/* x * y + z rounded once, where contraction is on and nothing is reordered. clang 15 lets calls of
 * fma be reordered all the same (their flags are the command line's), and contracts what a device
 * has an instruction for. */
static const char fma_text[] =
    "#if defined(__clang__) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))\n"
    "#define cs_fma(x, y, z) ((x) * (y) + (z))\n"
    "#else\n"
    "#define cs_fma fma\n"
    "#endif\n";

/* Memory that is read, or read and written, soon: what the device's own prefetchers do not foresee. A
 * hint; only where it is an instruction of the CPU, whose compiler has no function of OpenCL for it. */
static const char ahead_text[] =
    "#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))\n"
    "#define CS_AHEAD(p, i, ...)\\\n"
    "  __builtin_prefetch((const void *)((size_t)(p) + (i) * sizeof *(p)), __VA_ARGS__)\n"
    "#else\n"
    "#define CS_AHEAD(p, i, ...)\n"
    "#endif\n"
    "#define cs_ahead(p, i) CS_AHEAD(p, i, 0, 3)\n" /* to L1 */
    "#define cs_ahead_give(p, i) CS_AHEAD(p, i, 1, 3)\n"
    "#define cs_ahead_far(p, i) CS_AHEAD(p, i, 0, 2)\n"; /* to L2 */

/* any() of masks: POCL's takes a dozen instructions where AVX-512 has one. */
static const char any_text[] =
    "#if defined(__clang__) && defined(__AVX512F__) && defined(__AVX512VL__)\n"
    "typedef int cs_int8 __attribute__((vector_size(32)));\n"
    "typedef int cs_int16 __attribute__((vector_size(64)));\n"
    "static inline int __attribute__((overloadable)) cs_any(int2 x) { return any(x); }\n"
    "static inline int __attribute__((overloadable)) cs_any(int4 x) { return any(x); }\n"
    "static inline int __attribute__((overloadable)) cs_any(int8 x)\n"
    "{\n"
    "  cs_int8 v = __builtin_astype(x, cs_int8), zero = v ^ v;\n"
    "  return (uchar)__builtin_ia32_cmpd256_mask(v, zero, 4, (uchar)-1) != 0;\n"
    "}\n"
    "static inline int __attribute__((overloadable)) cs_any(int16 x)\n"
    "{\n"
    "  cs_int16 v = __builtin_astype(x, cs_int16), zero = v ^ v;\n"
    "  return (ushort)__builtin_ia32_cmpd512_mask(v, zero, 4, (ushort)-1) != 0;\n"
    "}\n"
    "#elif V1 > 16 || V2 > 16\n"
    "#define CS_ANY(N)\\\n"
    "  static inline int __attribute__((overloadable)) cs_any(int##N x) { return any(x); }\n"
    "CS_ANY(2)\n"
    "CS_ANY(4)\n"
    "CS_ANY(8)\n"
    "CS_ANY(16)\n"
    "#else\n"
    "#define cs_any any\n"
    "#endif\n"
    "#if V1 > 16 || V2 > 16\n"
    "static inline int __attribute__((overloadable)) cs_any(int32 x)\n"
    "{ return cs_any(x.lo | x.hi); }\n"
    "#endif\n"
    "#if V1 > 32\n"
    "static inline int __attribute__((overloadable)) cs_any(int64 x)\n"
    "{ return cs_any(x.lo | x.hi); }\n"
    "#endif\n";

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

/* Vectors in memory, aligned as their elements are: one load or store each, where vloadn and
 * vstoren of unaligned addresses are split into pieces by POCL 3.1. */
static const char memory_text[] =
    "#define CS_MEMORY(T) CS_MEMORY_OF(T, 2) CS_MEMORY_OF(T, 4) CS_MEMORY_OF(T, 8) CS_MEMORY_OF(T, "
    "16)\n"
    "#define CS_MEMORY_OF(T, N)\\\n"
    "  typedef T##N T##_lanes##N __attribute__((aligned(sizeof(T))));\\\n"
    "  CS_MEMORY_IN(T, N, __global) CS_MEMORY_IN(T, N, __local) CS_MEMORY_IN(T, N, __private)\n"
    "#define CS_MEMORY_IN(T, N, S)\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_load_##T##N(S const T *p)\\\n"
    "  { return *(S const T##_lanes##N *)p; }\\\n"
    "  static inline void __attribute__((overloadable)) cs_store_##T##N(T##N v, S T *p)\\\n"
    "  { *(S T##_lanes##N *)p = v; }\n";

/* Vectors of 32 and 64 lanes: beyond OpenCL's, but not its compilers'. */
static const char long_text[] =
    "#define CS_LONG_TYPE(T, N) typedef T T##N __attribute__((ext_vector_type(N)));\\\n"
    "  CS_MEMORY_OF(T, N)\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_lesser(T##N x, T##N y)\\\n"
    "  { return x < y ? x : y; }\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_greater(T##N x, T##N y)\\\n"
    "  { return x > y ? x : y; }\n"
    "#define CS_LONG_TYPES(N)\\\n"
    "  CS_LONG_TYPE(char, N) CS_LONG_TYPE(uchar, N) CS_LONG_TYPE(short, N)\\\n"
    "  CS_LONG_TYPE(ushort, N) CS_LONG_TYPE(int, N)\n";
static const char lesser_text[] =
    "#define CS_LESSER_OF(T, N)\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_lesser(T##N x, T##N y)\\\n"
    "  { return min(x, y); }\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_greater(T##N x, T##N y)\\\n"
    "  { return max(x, y); }\n"
    "#define CS_LESSER(T)\\\n"
    "  CS_LESSER_OF(T, 2) CS_LESSER_OF(T, 4) CS_LESSER_OF(T, 8) CS_LESSER_OF(T, 16)\n"
    "CS_LESSER(char) CS_LESSER(uchar) CS_LESSER(short) CS_LESSER(ushort)\n";

/* Is every lane finite? */
static const char finite_text[] =
    "#define CS_FINITE(T, N)\\\n"
    "  static inline int __attribute__((overloadable)) cs_finite(T##N x)\\\n"
    "  { return all(isfinite(x)); }\n"
    "#define CS_FINITES(T)\\\n"
    "  static inline int __attribute__((overloadable)) cs_finite(T x) { return isfinite(x); }\\\n"
    "  CS_FINITE(T, 2) CS_FINITE(T, 4) CS_FINITE(T, 8) CS_FINITE(T, 16)\n"
    "CS_FINITES(float)\n"
    "#ifdef cl_khr_fp64\n"
    "CS_FINITES(double)\n"
    "#endif\n";

/* A store past the caches: what is written is not read first. Only of an aligned vector, and where
 * the plan's flag says that it pays. */
static const char stream_text[] =
    "#define CS_STREAMS(T) CS_STREAM_OF(T, 2) CS_STREAM_OF(T, 4) CS_STREAM_OF(T, 8) "
    "CS_STREAM_OF(T, "
    "16)\n"
    "#if CS_STREAM && defined __has_builtin\n"
    "#if __has_builtin(__builtin_nontemporal_store)\n"
    "#define CS_NONTEMPORAL 1\n"
    "#endif\n"
    "#endif\n"
    "#ifdef CS_NONTEMPORAL\n"
    "#define CS_STREAM_OF(T, N)\\\n"
    "  static inline void cs_stream_##T##N(T##N v, __global T *p)\\\n"
    "  {\\\n"
    "    if (((size_t)p & (sizeof v - 1)) == 0)\\\n"
    "      __builtin_nontemporal_store(v, (__global T##N *)p);\\\n"
    "    else\\\n"
    "      cs_store_##T##N(v, p);\\\n"
    "  }\n"
    "#else\n"
    "#define CS_STREAM_OF(T, N)\\\n"
    "  static inline void cs_stream_##T##N(T##N v, __global T *p) { cs_store_##T##N(v, p); }\n"
    "#endif\n";

/* Those of halves, which are floats as values, go by way of their bits: POCL takes the address of
 * vload_halfn and vstore_halfn for aligned, and dies of one that is not. */
static const char memory_half_text[] =
    "#define CS_MEMORY_HALF(N, S)\\\n"
    "  static inline float##N __attribute__((overloadable)) cs_load_half##N(S const half *p)\\\n"
    "  {\\\n"
    "    ushort##N bits = cs_load_ushort##N((S const ushort *)p);\\\n"
    "    return vload_half##N(0, (__private const half *)&bits);\\\n"
    "  }\\\n"
    "  static inline void __attribute__((overloadable)) cs_store_half##N(float##N v, S half *p)\\\n"
    "  {\\\n"
    "    ushort##N bits;\\\n"
    "    vstore_half##N(v, 0, (__private half *)&bits);\\\n"
    "    cs_store_ushort##N(bits, (S ushort *)p);\\\n"
    "  }\n"
    "#define CS_MEMORY_HALVES(S)\\\n"
    "  CS_MEMORY_HALF(2, S) CS_MEMORY_HALF(4, S) CS_MEMORY_HALF(8, S) CS_MEMORY_HALF(16, S)\n"
    "CS_MEMORY_HALVES(__global) CS_MEMORY_HALVES(__local) CS_MEMORY_HALVES(__private)\n";

/* Elements apart: a load each, which compilers make one instruction of where there is one. */
static const char gather_text[] =
    "#define CS_AT2 p[i.s0], p[i.s1]\n"
    "#define CS_AT4 CS_AT2, p[i.s2], p[i.s3]\n"
    "#define CS_AT8 CS_AT4, p[i.s4], p[i.s5], p[i.s6], p[i.s7]\n"
    "#define CS_AT16 CS_AT8, p[i.s8], p[i.s9], p[i.sa], p[i.sb], p[i.sc], p[i.sd], p[i.se], "
    "p[i.sf]\n"
    "#define CS_GATHER(T) CS_GATHER_OF(T, 2) CS_GATHER_OF(T, 4) CS_GATHER_OF(T, 8) CS_GATHER_OF(T, "
    "16)\n"
    "#define CS_GATHER_OF(T, N)\\\n"
    "  static inline T##N cs_gather_##T##N(__global const T *p, int##N i)\\\n"
    "  { return (T##N)(CS_AT##N); }\n";

/* Elements of local arrays, each lane's its own; of vectors (an element a lane) or, to read, of one
 * for all lanes. */
static const char pick_text[] =
    "#define CS_PICK_2(P) P(0), P(1)\n"
    "#define CS_PICK_4(P) CS_PICK_2(P), P(2), P(3)\n"
    "#define CS_PICK_8(P) CS_PICK_4(P), P(4), P(5), P(6), P(7)\n"
    "#define CS_PICK_16(P)\\\n"
    "  CS_PICK_8(P), P(8), P(9), P(a), P(b), P(c), P(d), P(e), P(f)\n"
    "#define CS_PICK_LANE(L) q[i.s##L * n + 0x##L]\n"
    "#define CS_PICK_ONE(L) p[i.s##L]\n"
    "#define CS_PICK(T, N)\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_pick(const T##N *p, int##N i)\\\n"
    "  { enum { n = N }; const T *q = (const T *)p; return (T##N)(CS_PICK_##N(CS_PICK_LANE)); }\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_pick(const T *p, int##N i)\\\n"
    "  { return (T##N)(CS_PICK_##N(CS_PICK_ONE)); }\n"
    "#define CS_PICKS(T) CS_PICK(T, 2) CS_PICK(T, 4) CS_PICK(T, 8) CS_PICK(T, 16)\n"
    "CS_PICKS(char) CS_PICKS(uchar) CS_PICKS(short) CS_PICKS(ushort) CS_PICKS(int) CS_PICKS(uint)\n"
    "CS_PICKS(long) CS_PICKS(ulong) CS_PICKS(float)\n"
    "#ifdef cl_khr_fp64\n"
    "CS_PICKS(double)\n"
    "#endif\n";

static const char gather_half_text[] =
    "#define CS_GATHER_HALF(N)\\\n"
    "  static inline float##N cs_gather_half##N(__global const half *p, int##N i)\\\n"
    "  {\\\n"
    "    ushort##N bits = cs_gather_ushort##N((__global const ushort *)p, i);\\\n"
    "    return vload_half##N(0, (__private const half *)&bits);\\\n"
    "  }\n"
    "CS_GATHER_HALF(2) CS_GATHER_HALF(4) CS_GATHER_HALF(8) CS_GATHER_HALF(16)\n";

/* Is an index (counted from 0) above the last one, or negative? The last one in its place. */
static const char within_text[] =
    "#if CS_WIDE\n"
    "typedef ulong cs_uidx;\n"
    "#else\n"
    "typedef uint cs_uidx;\n"
    "#endif\n"
    "static inline int cs_beyond(idx_t at, idx_t last) { return (cs_uidx)at > (cs_uidx)last; }\n"
    "static inline idx_t cs_within(idx_t at, idx_t last)\n"
    "{ return (cs_uidx)at < (cs_uidx)last ? at : last; }\n";
static const char withins_text[] =
    "#define CS_WITHIN(T, U, N)\\\n"
    "  static inline int##N __attribute__((overloadable)) cs_beyonds(T##N at, T##N last)\\\n"
    "  { return convert_int##N(as_##U##N(at) > as_##U##N(last)); }\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_withins(T##N at, T##N last)\\\n"
    "  { return as_##T##N(min(as_##U##N(at), as_##U##N(last))); }\n"
    "#define CS_WITHINS(N) CS_WITHIN(int, uint, N) CS_WITHIN(long, ulong, N)\n"
    "CS_WITHINS(2) CS_WITHINS(4) CS_WITHINS(8) CS_WITHINS(16)\n";

/* Something may have failed in lanes: a kernel that checks does the work again. */
static const char note_text[] = "static inline void cs_note(__global int *error)\n"
                                "{ atomic_cmpxchg((volatile __global int *)error, 0, 4); }\n";
/* Other work-items of the kernel that asks may be telling what failed. */
static const char noted_text[] = "static inline bool cs_noted(__global int *error)\n"
                                 "{ return atomic_or((volatile __global int *)error, 0) == 4; }\n";

/* x / 0 is reported by the caller; MIN / -1 wraps. */
static const char division_text[] =
    "#define CS_DIVISION(T, U)\\\n"
    "  static inline T cs_div_##T(T a, T b) { return b == 0 ? 0 : b == "
    "(T)-1 && (T)-1 < 0 ? (T)-(U)a : a / b; }\\\n"
    "  static inline T cs_rem_##T(T a, T b) { return b == 0 || (b == "
    "(T)-1 && (T)-1 < 0) ? 0 : a % b; }\n";

static const char divisions_text[] =
    "#define CS_DIVISIONS(T)\\\n"
    "  CS_DIVIDE(T, 2) CS_DIVIDE(T, 4) CS_DIVIDE(T, 8) CS_DIVIDE(T, 16)\n"
    "#define CS_DIVIDE(T, N)\\\n"
    "  CS_DIVIDE_BY(cs_div_##T, cs_divs_##T##N, T, N) CS_DIVIDE_BY(cs_rem_##T, cs_rems_##T##N, T, "
    "N)\n"
    "#define CS_DIVIDE_BY(F, FS, T, N)\\\n"
    "  static inline T##N FS(T##N a, T##N b)\\\n"
    "  {\\\n"
    "    T x[N], y[N];\\\n"
    "    vstore##N(a, 0, x);\\\n"
    "    vstore##N(b, 0, y);\\\n"
    "    for (int i = 0; i < N; i++) x[i] = F(x[i], y[i]);\\\n"
    "    return vload##N(0, x);\\\n"
    "  }\n";

/* Reports to the error buffer; the first one stays. */
static const char fail_text[] =
    "static inline void cs_fail(__global int *error, int kind, int site, long index, long lo, long "
    "n)\n"
    "{\n"
    "  volatile __global int *first = (volatile __global int *)error;\n"
    "  if (atomic_cmpxchg(first, 0, kind) == 0 || atomic_cmpxchg(first, 4, kind) == 4) {\n"
    "    error[1] = site;\n"
    "    error[2] = (int)index; error[3] = (int)(index >> 32);\n"
    "    error[4] = (int)lo; error[5] = (int)(lo >> 32);\n"
    "    error[6] = (int)n; error[7] = (int)(n >> 32);\n"
    "  }\n"
    "}\n";

static const char checked_text[] =
    "#define CS_CHECKED(T)\\\n"
    "  static inline T cs_checked_div_##T(T a, T b, __global int *error, int site)\\\n"
    "  { if (b == 0) cs_fail(error, 2, site, 0, 0, 0); return cs_div_##T(a, b); }\\\n"
    "  static inline T cs_checked_rem_##T(T a, T b, __global int *error, int site)\\\n"
    "  {\\\n"
    "    if (a >= 0 && a < b) return a;\\\n" /* of Periodic, mostly */
    "    if (b == 0) cs_fail(error, 2, site, 0, 0, 0);\\\n"
    "    return cs_rem_##T(a, b);\\\n"
    "  }\n";

/* An index counted from 0, or 0 when it is outside [lo, lo + n): the read is then harmless. */
/* Where a compiler lays out code: what is likely follows. */
static const char likely_text[] = "#ifdef __clang__\n"
                                  "#define cs_likely(c) __builtin_expect(c, 1)\n"
                                  "#else\n"
                                  "#define cs_likely(c) (c)\n"
                                  "#endif\n";

static const char inside_text[] =
    "static inline long cs_inside(long index, long lo, long n, __global int *error, int site)\n"
    "{\n"
    "  long at = index - lo;\n"
    "  if (at >= 0 && at < n) return at;\n"
    "  cs_fail(error, 1, site, index, lo, n);\n"
    "  return 0;\n"
    "}\n";

#define MEMORY(T)                                                                                  \
    {                                                                                              \
        "cs_load_" #T " cs_store_" #T " cs_stream_" #T, "CS_MEMORY(" #T ")\n"                      \
    }
#define STREAM(T)                                                                                  \
    {                                                                                              \
        "cs_stream_" #T, "CS_STREAMS(" #T ")\n"                                                    \
    }
#define SQUARE(T)                                                                                  \
    {                                                                                              \
        "cs_square_" #T, "CS_SQUARE(" #T ")\n"                                                     \
    }
#define PUT(T)                                                                                     \
    {                                                                                              \
        "cs_put_" #T, "CS_PUT(" #T ")\n"                                                           \
    }
#define GATHER(T)                                                                                  \
    {                                                                                              \
        "cs_gather_" #T, "CS_GATHER(" #T ")\n"                                                     \
    }
#define STEPS(T)                                                                                   \
    {                                                                                              \
        "cs_back_" #T " cs_step2_" #T " cs_step3_" #T " cs_step4_" #T,                             \
            "CS_STEPS(" #T ", cs_load_" #T ")\n"                                                   \
    }
#define DIVISIONS(T)                                                                               \
    {                                                                                              \
        "cs_divs_" #T " cs_rems_" #T, "CS_DIVISIONS(" #T ")\n"                                     \
    }
#define DIVISION(T, U)                                                                             \
    {                                                                                              \
        "cs_div_" #T " cs_rem_" #T " cs_checked_div_" #T " cs_checked_rem_" #T " cs_divs_" #T      \
        " cs_rems_" #T,                                                                            \
            "CS_DIVISION(" #T ", " #U ")\n"                                                        \
    }
#define CHECKED(T)                                                                                 \
    {                                                                                              \
        "cs_checked_div_" #T " cs_checked_rem_" #T, "CS_CHECKED(" #T ")\n"                         \
    }

#define TO(T)                                                                                      \
    {                                                                                              \
        "cs_to_" #T "_V1 cs_to_" #T "_V2", "#define cs_to_" #T "_V1(x) CS_TO(" #T ", V1, x)\n"     \
                                           "#define cs_to_" #T "_V2(x) CS_TO(" #T ", V2, x)\n"     \
    }

/* A part uses only parts before it. No names: always printed. */
static const struct {
    const char *names, *text;
} parts[] = {
    {"", "#ifdef CS_PRECISE\n"
         "#pragma OPENCL FP_CONTRACT OFF\n"
         "#elif defined __clang__\n"
         "#pragma clang fp contract(fast)\n"
         "#else\n"
         "#pragma OPENCL FP_CONTRACT ON\n"
         "#endif\n"},
    {"double", "#ifdef cl_khr_fp64\n"
               "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
               "#endif\n"},
    {"idx_t", "#if CS_WIDE\n"
              "typedef long idx_t;\n"
              "#else\n"
              "typedef int idx_t;\n"
              "#endif\n"},
    {"MIN", "#define MIN(a, b) min((idx_t)(a), (idx_t)(b))\n"},
    {"MAX", "#define MAX(a, b) max((idx_t)(a), (idx_t)(b))\n"},
    {"RING", "#define RING(i, n) ((i) & ((n) - 1))\n"}, /* n: a power of two */
    {"CAT CAT3 VEC", "#define CAT2(a, b) a##b\n"
                     "#define CAT(a, b) CAT2(a, b)\n"},
    {"CAT3", "#define CAT3(a, b, c) CAT(CAT(a, b), c)\n"},
    {"VEC", "#define VEC(t, n) CAT(t, n)\n"},
    {"CS_LOW", "#define CS_LOW2 .s01\n"
               "#define CS_LOW4 .s0123\n"
               "#define CS_LOW8 .s01234567\n"
               "#define CS_LOW16\n"},
    {"CS_MEMORY", memory_text},
    MEMORY(char),
    MEMORY(uchar),
    MEMORY(short),
    MEMORY(ushort),
    MEMORY(int),
    MEMORY(uint),
    MEMORY(long),
    MEMORY(ulong),
    MEMORY(float),
    MEMORY(double),
    {"CS_LONG_TYPES", long_text},
    {"V1 V2", "#if V1 > 16 || V2 > 16\n"
              "CS_LONG_TYPES(32)\n"
              "#endif\n"
              "#if V1 > 32\n"
              "CS_LONG_TYPES(64)\n"
              "#endif\n"
              "#define CS_TO(T, N, x) __builtin_convertvector((x), VEC(T, N))\n"},
    {"cs_lesser cs_greater", lesser_text},
    TO(char),
    TO(uchar),
    TO(short),
    TO(ushort),
    TO(int),
    {"cs_load_half cs_store_half", memory_half_text},
    {"CS_GATHER", gather_text},
    GATHER(char),
    GATHER(uchar),
    GATHER(short),
    GATHER(ushort),
    GATHER(int),
    GATHER(uint),
    GATHER(long),
    GATHER(ulong),
    GATHER(float),
    GATHER(double),
    {"cs_gather_half", gather_half_text},
    {"CS_STEPS", prelude_steps},
    STEPS(char),
    STEPS(uchar),
    STEPS(short),
    STEPS(ushort),
    STEPS(int),
    STEPS(uint),
    STEPS(long),
    STEPS(ulong),
    STEPS(float),
    STEPS(double),
    {"cs_pick", pick_text},
    {"cs_beyond cs_within", within_text},
    {"cs_beyonds cs_withins", withins_text},
    {"CS_STREAMS", stream_text},
    {"CS_RARE", "#ifdef __clang__\n"
                "#define CS_RARE\\\n"
                "  _Pragma(\"clang loop vectorize(disable) interleave(disable) unroll(disable)\")\n"
                "#else\n"
                "#define CS_RARE\n"
                "#endif\n"},
    {"CS_SKEW",
     "#if CS_STREAM\n"
     "#define CS_SKEW(p, at, n) ((idx_t)((size_t)((p) + (at)) / sizeof *(p)) & ((n) - 1))\n"
     "#else\n"
     "#define CS_SKEW(p, at, n) ((idx_t)0)\n"
     "#endif\n"},
    STREAM(char),
    STREAM(uchar),
    STREAM(short),
    STREAM(ushort),
    STREAM(int),
    STREAM(uint),
    STREAM(long),
    STREAM(ulong),
    STREAM(float),
    STREAM(double),
    {"V1 V2", "#ifdef CS_STREAM_OF\n"
              "#define CS_LONG_STREAMS(N) CS_STREAM_OF(char, N) CS_STREAM_OF(uchar, N)\\\n"
              "  CS_STREAM_OF(short, N) CS_STREAM_OF(ushort, N)\n"
              "#if V1 > 16 || V2 > 16\n"
              "CS_LONG_STREAMS(32)\n"
              "#endif\n"
              "#if V1 > 32\n"
              "CS_LONG_STREAMS(64)\n"
              "#endif\n"
              "#endif\n"},
    {"CS_SQUARE", prelude_square},
    SQUARE(char),
    SQUARE(uchar),
    SQUARE(short),
    SQUARE(ushort),
    SQUARE(int),
    SQUARE(uint),
    SQUARE(long),
    SQUARE(ulong),
    SQUARE(float),
    SQUARE(double),
    {"CS_PUT", prelude_put},
    PUT(char),
    PUT(uchar),
    PUT(short),
    PUT(ushort),
    PUT(int),
    PUT(uint),
    PUT(long),
    PUT(ulong),
    PUT(float),
    PUT(double),
    {"cs_min cs_max", "#ifdef CS_PRECISE\n"
                      "#define cs_min fmin\n"
                      "#define cs_max fmax\n"
                      "#else\n"
                      "#define cs_min min\n"
                      "#define cs_max max\n"
                      "#endif\n"},
    {"CS_DIVISION", division_text},
    DIVISION(int, uint),
    DIVISION(uint, uint),
    DIVISION(long, ulong),
    DIVISION(ulong, ulong),
    {"CS_DIVISIONS", divisions_text},
    DIVISIONS(int),
    DIVISIONS(uint),
    DIVISIONS(long),
    DIVISIONS(ulong),
    {"cs_fail", fail_text},
    {"cs_note", note_text},
    {"cs_noted", noted_text},
    {"CS_CHECKED", checked_text},
    CHECKED(int),
    CHECKED(uint),
    CHECKED(long),
    CHECKED(ulong),
    {"cs_inside", inside_text},
    {"cs_first cs_last cs_before1 cs_after1", prelude_shift},
    {"cs_turned cs_moved", prelude_turn},
    {"cs_low cs_high", prelude_halves},
    {"cs_finite", finite_text},
    {"cs_likely", likely_text},
    {"cs_random", random_text},
    {"cs_fma", fma_text},
    {"cs_any", any_text},
    {"cs_ahead cs_ahead_give cs_ahead_far", ahead_text},
    {"CS_EACH_LANE", prelude_each_lane},
    {"cs_far_high cs_far_low", prelude_far},
    {"cs_gamma_zero_high cs_gamma_zero_low", prelude_gamma_zeros_1},
    {"cs_gamma_zero_high cs_gamma_zero_low", prelude_gamma_zeros_2},
    {"cs_gamma_zero_high cs_gamma_zero_low", prelude_gamma_zero},
    {"cs_half", half_text},
};

enum { PARTS = sizeof parts / sizeof *parts };

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is this word in a list of words? */
static bool listed(const char *names, const char *word, size_t len)
{
    for (const char *n = names; *n; n += strspn(n, " ")) {
        size_t l = strcspn(n, " ");
        if (l == len && memcmp(n, word, len) == 0) return true;
        n += l;
    }
    return false;
}

/* Marks the first `count` parts that a text uses. */
static void mark(const char *text, size_t len, int count, bool *used)
{
    for (size_t i = 0, end; i < len; i = end) {
        for (end = i; end < len && is_name(text[end]); end++) continue;
        for (int p = 0; p < count && end > i; p++)
            used[p] = used[p] || listed(parts[p].names, text + i, end - i);
        if (end == i) end++;
    }
}

void prelude_add(Text *out, int count, const Text *texts)
{
    bool used[PARTS] = {false};
    for (int i = 0; i < count; i++)
        if (texts[i].len) mark(texts[i].data, texts[i].len, PARTS, used);
    for (int p = PARTS; p-- > 0;) {
        used[p] = used[p] || !*parts[p].names;
        if (used[p]) mark(parts[p].text, strlen(parts[p].text), p, used);
    }
    for (int p = 0; p < PARTS; p++)
        if (used[p]) text_add(out, parts[p].text);
}

const char *prelude_skip(const char *text)
{
    for (int p = 0; p < PARTS; p++) {
        size_t n = strlen(parts[p].text);
        if (strncmp(text, parts[p].text, n) == 0) text += n;
    }
    return text;
}
