/* The fixed OpenCL C text that generated kernels begin with: of a list of parts those whose names
 * the text uses. CS_WIDE, V4 and so on come from the plan's flags and definitions. */
#include "prelude.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/internal.h"
#include "checks.h"
#include "moves.h"
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

/* An index counted from 0, or 0 when it is outside [lo, lo + n): the read is then harmless. */
/* Where a compiler lays out code: what is likely follows. */
static const char likely_text[] = "#ifdef __clang__\n"
                                  "#define cs_likely(c) __builtin_expect(c, 1)\n"
                                  "#else\n"
                                  "#define cs_likely(c) (c)\n"
                                  "#endif\n";

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
#define RUN(T)                                                                                     \
    {                                                                                              \
        "cs_run_" #T, "CS_RUN(" #T ")\n"                                                           \
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
         "#pragma OPENCL FP_CONTRACT OFF\n" PRELUDE_CONTRACT "#else\n"
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
    {"CS_MEMORY", prelude_memory},
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
    {"cs_atomic_add", "#define cs_atomic_add(place, v) atomic_add(&(place), v)\n"},
    {"cs_atomic_min", "#define cs_atomic_min(place, v) atomic_min(&(place), v)\n"},
    {"cs_atomic_max", "#define cs_atomic_max(place, v) atomic_max(&(place), v)\n"},
    {"cs_atomic_and", "#define cs_atomic_and(place, v) atomic_and(&(place), v)\n"},
    {"cs_atomic_or", "#define cs_atomic_or(place, v) atomic_or(&(place), v)\n"},
    {"cs_atomic_xor", "#define cs_atomic_xor(place, v) atomic_xor(&(place), v)\n"},
    {"cs_bit", "#define cs_bit(i) (1U << ((uint)(i) & 31U))\n"},
    {"cs_lowest", "#define cs_lowest(x) (31U - clz((x) & (0U - (x))))\n"},
    {"cs_higher", "#define cs_higher(x) ((x) & ((x) - 1U))\n"},
    {"cs_lesser cs_greater", lesser_text},
    TO(char),
    TO(uchar),
    TO(short),
    TO(ushort),
    TO(int),
    {"cs_load_half cs_store_half", prelude_memory_half},
    {"CS_GATHER", prelude_gather},
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
    {"cs_gather_half", prelude_gather_half},
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
    {"cs_pick", prelude_pick},
    {"cs_beyond cs_within", prelude_within},
    {"cs_beyonds cs_withins", prelude_withins},
    {"CS_STREAMS", prelude_stream},
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
    {"CS_RUN", prelude_run},
    RUN(char),
    RUN(uchar),
    RUN(short),
    RUN(ushort),
    RUN(int),
    RUN(uint),
    RUN(long),
    RUN(ulong),
    RUN(float),
    RUN(double),
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
    {"CS_DIVISION", prelude_division},
    DIVISION(int, uint),
    DIVISION(uint, uint),
    DIVISION(long, ulong),
    DIVISION(ulong, ulong),
    {"CS_DIVISIONS", prelude_divisions},
    DIVISIONS(int),
    DIVISIONS(uint),
    DIVISIONS(long),
    DIVISIONS(ulong),
    {"cs_fail", prelude_fail},
    {"cs_note", prelude_note},
    {"cs_noted", prelude_noted},
    {"CS_CHECKED", prelude_checked},
    CHECKED(int),
    CHECKED(uint),
    CHECKED(long),
    CHECKED(ulong),
    {"cs_inside", prelude_inside},
    {"cs_first cs_last", prelude_ends},
    {"CS_SHIFT cs_before1 cs_after1", prelude_shift},
    {"cs_wide_before1 cs_wide_after1", prelude_shift_wide},
    {"cs_turned cs_moved", prelude_turn},
    {"cs_low cs_high", prelude_halves},
    {"cs_third0", prelude_thirds},
    {"cs_finite", finite_text},
    {"cs_likely", likely_text},
    {"cs_random", random_text},
    {"cs_fma", fma_text},
    {"cs_any", any_text},
    {"cs_ahead cs_ahead_give cs_ahead_far", prelude_ahead},
    {"CS_EACH_LANE", prelude_each_lane},
    {"cs_far_high cs_far_low", prelude_far},
    {"cs_gamma_zero_high cs_gamma_zero_low", prelude_gamma_zeros_1},
    {"cs_gamma_zero_high cs_gamma_zero_low", prelude_gamma_zeros_2},
    {"cs_gamma_zero_high cs_gamma_zero_low", prelude_gamma_zero},
    {"cs_half", prelude_half},
};

enum { PARTS = sizeof parts / sizeof *parts };

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Which parts a word needs: chains of the names that share their length and last letter. */
enum { NAMES = 2 * PARTS, CHAINS = 256 };

typedef struct Index {
    struct {
        const char *at;
        size_t len;
        int part, next;
    } names[NAMES];
    int first[CHAINS]; /* -1: none */
} Index;

static int *chain(Index *x, const char *word, size_t len)
{
    return &x->first[(len * 8 + (unsigned char)word[len - 1]) % CHAINS];
}

static void make_index(Index *x)
{
    int count = 0;
    for (int i = 0; i < CHAINS; i++) x->first[i] = -1;
    for (int p = 0; p < PARTS; p++)
        for (const char *n = parts[p].names; *n; n += strspn(n, " ")) {
            size_t len = strcspn(n, " ");
            if (count == NAMES) internal_error("prelude", "parts of more than two names");
            int *head = chain(x, n, len);
            x->names[count].at = n;
            x->names[count].len = len;
            x->names[count].part = p;
            x->names[count].next = *head;
            *head = count++;
            n += len;
        }
}

/* Marks those of the first `count` parts that a text uses. */
static void mark(Index *x, const char *text, size_t len, int count, bool *used)
{
    for (size_t i = 0, end; i < len; i = end) {
        for (end = i; end < len && is_name(text[end]); end++) continue;
        for (int n = end > i ? *chain(x, text + i, end - i) : -1; n >= 0; n = x->names[n].next)
            if (x->names[n].part < count && x->names[n].len == end - i &&
                memcmp(x->names[n].at, text + i, end - i) == 0)
                used[x->names[n].part] = true;
        if (end == i) end++;
    }
}

void prelude_add(Text *out, int count, const Text *texts)
{
    bool used[PARTS] = {false};
    Index index;
    make_index(&index);
    for (int i = 0; i < count; i++)
        if (texts[i].len) mark(&index, texts[i].data, texts[i].len, PARTS, used);
    for (int p = PARTS; p-- > 0;) {
        used[p] = used[p] || !*parts[p].names;
        if (used[p]) mark(&index, parts[p].text, strlen(parts[p].text), p, used);
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
