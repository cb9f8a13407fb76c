/* Parts of the prelude that load and store vectors: asked for ahead, past the caches, halves, gathers, reads that may lie
 * outside. */
#include "moves.h"

/* Memory that is read, or read and written, soon: what the device's own prefetchers do not foresee. A
 * hint; only where it is an instruction of the CPU, whose compiler has no function of OpenCL for it. */
const char prelude_ahead[] =
    "#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))\n"
    "#define CS_AHEAD(p, i, ...)\\\n"
    "  __builtin_prefetch((const void *)((size_t)(p) + (i) * sizeof *(p)), __VA_ARGS__)\n"
    "#else\n"
    "#define CS_AHEAD(p, i, ...)\n"
    "#endif\n"
    "#define cs_ahead(p, i) CS_AHEAD(p, i, 0, 3)\n" /* to L1 */
    "#define cs_ahead_give(p, i) CS_AHEAD(p, i, 1, 3)\n"
    "#define cs_ahead_far(p, i) CS_AHEAD(p, i, 0, 2)\n"; /* to L2 */

/* To the nearest half, even at ties: values of type half are floats. From a double by way of a
 * float that is odd where it is not exact, so that nothing is rounded twice. */
const char prelude_half[] =
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
const char prelude_memory[] =
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

/* Of local memory, aligned as the vector is: one load, where vloadn is one for each element. */
const char prelude_run[] =
    "#define CS_RUN(T) CS_RUN_OF(T, 2) CS_RUN_OF(T, 4)\n"
    "#define CS_RUN_OF(T, N)\\\n"
    "  static inline T##N cs_run_##T##N(__local const T *p) { return *(__local const T##N *)p; }\n";

/* A store past the caches: what is written is not read first. Only of an aligned vector, and where
 * the plan's flag says that it pays. */
const char prelude_stream[] =
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
const char prelude_memory_half[] =
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
const char prelude_gather[] =
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
const char prelude_pick[] =
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

const char prelude_gather_half[] =
    "#define CS_GATHER_HALF(N)\\\n"
    "  static inline float##N cs_gather_half##N(__global const half *p, int##N i)\\\n"
    "  {\\\n"
    "    ushort##N bits = cs_gather_ushort##N((__global const ushort *)p, i);\\\n"
    "    return vload_half##N(0, (__private const half *)&bits);\\\n"
    "  }\n"
    "CS_GATHER_HALF(2) CS_GATHER_HALF(4) CS_GATHER_HALF(8) CS_GATHER_HALF(16)\n";

/* Is an index (counted from 0) above the last one, or negative? The last one in its place. */
const char prelude_within[] =
    "#if CS_WIDE\n"
    "typedef ulong cs_uidx;\n"
    "#else\n"
    "typedef uint cs_uidx;\n"
    "#endif\n"
    "static inline int cs_beyond(idx_t at, idx_t last) { return (cs_uidx)at > (cs_uidx)last; }\n"
    "static inline idx_t cs_within(idx_t at, idx_t last)\n"
    "{ return (cs_uidx)at < (cs_uidx)last ? at : last; }\n";

const char prelude_withins[] =
    "#define CS_WITHIN(T, U, N)\\\n"
    "  static inline int##N __attribute__((overloadable)) cs_beyonds(T##N at, T##N last)\\\n"
    "  { return convert_int##N(as_##U##N(at) > as_##U##N(last)); }\\\n"
    "  static inline T##N __attribute__((overloadable)) cs_withins(T##N at, T##N last)\\\n"
    "  { return as_##T##N(min(as_##U##N(at), as_##U##N(last))); }\n"
    "#define CS_WITHINS(N) CS_WITHIN(int, uint, N) CS_WITHIN(long, ulong, N)\n"
    "CS_WITHINS(2) CS_WITHINS(4) CS_WITHINS(8) CS_WITHINS(16)\n";
