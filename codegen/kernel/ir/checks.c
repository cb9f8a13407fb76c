/* Parts of the prelude that notice what a program did wrong, and the divisions that stay defined. */
#include "checks.h"

/* Something may have failed in lanes: a kernel that checks does the work again. */
const char prelude_note[] = "static inline void cs_note(__global int *error)\n"
                            "{ atomic_cmpxchg((volatile __global int *)error, 0, 4); }\n";

/* Other work-items of the kernel that asks may be telling what failed. */
const char prelude_noted[] = "static inline bool cs_noted(__global int *error)\n"
                             "{ return atomic_or((volatile __global int *)error, 0) == 4; }\n";

/* x / 0 is reported by the caller; MIN / -1 wraps. Remainders by what is known in the kernel only are
 * those of Periodic, mostly. */
const char prelude_division[] = "#define CS_DIVISION(T, U)\\\n"
                                "  static inline T cs_div_##T(T a, T b) { return b == 0 ? 0 : b == "
                                "(T)-1 && (T)-1 < 0 ? (T)-(U)a : a / b; }\\\n"
                                "  static inline T cs_rem_##T(T a, T b)\\\n"
                                "  {\\\n"
                                "    if (a >= 0 && a < b) return a;\\\n"
                                "    return b == 0 || (b == (T)-1 && (T)-1 < 0) ? 0 : a % b;\\\n"
                                "  }\n";

const char prelude_divisions[] =
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
const char prelude_fail[] =
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

const char prelude_checked[] =
    "#define CS_CHECKED(T)\\\n"
    "  static inline T cs_checked_div_##T(T a, T b, __global int *error, int site)\\\n"
    "  { if (b == 0) cs_fail(error, 2, site, 0, 0, 0); return cs_div_##T(a, b); }\\\n"
    "  static inline T cs_checked_rem_##T(T a, T b, __global int *error, int site)\\\n"
    "  { if (b == 0) cs_fail(error, 2, site, 0, 0, 0); return cs_rem_##T(a, b); }\n";

const char prelude_inside[] =
    "static inline long cs_inside(long index, long lo, long n, __global int *error, int site)\n"
    "{\n"
    "  ulong at = (ulong)index - (ulong)lo;\n" /* below 0 is far above */
    "  if (at < (ulong)n) return (long)at;\n"
    "  cs_fail(error, 1, site, index, lo, n);\n"
    "  return 0;\n"
    "}\n";
