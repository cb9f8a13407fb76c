/* Rows of keys in order side by side, a lane each, by a network of minima and maxima that is the same for all.
 *
 *   eights   of each lane 8 keys, in registers
 *   merges   of two blocks in order: key i of the first with key i from the end of the second, then what is half a
 *            block apart, a quarter, ..; the last three of these in registers
 *
 * A key behind the last one would be larger than all, so nothing is compared with it. */
#include "sort.h"

#define ORDER(p, q) (least = p < q ? p : q, q = p < q ? q : p, p = least)

/* Of keys U, L side by side; n is a multiple of 8. */
#define NETWORK(U, L)                                                                              \
    static inline __attribute__((always_inline)) void U##_eight(U *restrict x, bool merged)        \
    {                                                                                              \
        for (int l = 0; l < L; l++) {                                                              \
            U a = x[l], b = x[L + l], c = x[2 * L + l], d = x[3 * L + l], e = x[4 * L + l],        \
              f = x[5 * L + l], g = x[6 * L + l], h = x[7 * L + l], least;                         \
            if (!merged) {                                                                         \
                ORDER(a, b), ORDER(c, d), ORDER(e, f), ORDER(g, h);                                \
                ORDER(a, d), ORDER(b, c), ORDER(e, h), ORDER(f, g);                                \
                ORDER(a, b), ORDER(c, d), ORDER(e, f), ORDER(g, h);                                \
                ORDER(a, h), ORDER(b, g), ORDER(c, f), ORDER(d, e);                                \
            } else {                                                                               \
                ORDER(a, e), ORDER(b, f), ORDER(c, g), ORDER(d, h);                                \
            }                                                                                      \
            ORDER(a, c), ORDER(b, d), ORDER(e, g), ORDER(f, h);                                    \
            ORDER(a, b), ORDER(c, d), ORDER(e, f), ORDER(g, h);                                    \
            x[l] = a, x[L + l] = b, x[2 * L + l] = c, x[3 * L + l] = d;                            \
            x[4 * L + l] = e, x[5 * L + l] = f, x[6 * L + l] = g, x[7 * L + l] = h;                \
        }                                                                                          \
    }                                                                                              \
    static inline                                                                                  \
        __attribute__((always_inline)) void U##_pair(U *restrict x, U *restrict y, int64_t rows)   \
    {                                                                                              \
        for (int64_t l = 0; l < rows * L; l++) {                                                   \
            U p = x[l], q = y[l];                                                                  \
            x[l] = p < q ? p : q;                                                                  \
            y[l] = p < q ? q : p;                                                                  \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline)) void U##_sort(U *a, int64_t n)                    \
    {                                                                                              \
        for (int64_t i = 0; i < n; i += 8) U##_eight(a + i * L, false);                            \
        for (int64_t size = 16; size < 2 * n; size *= 2)                                           \
            for (int64_t at = 0; at + size / 2 < n; at += size) {                                  \
                int64_t end = at + size < n ? at + size : n, i;                                    \
                for (i = at + size / 2; i < end; i++)                                              \
                    U##_pair(a + (2 * at + size - 1 - i) * L, a + i * L, 1);                       \
                for (int64_t half = size / 4; half >= 8; half /= 2)                                \
                    for (i = at; i + half < end; i += 2 * half)                                    \
                        U##_pair(a + i * L, a + (i + half) * L,                                    \
                                 end - i - half < half ? end - i - half : half);                   \
                for (i = at; i < end; i += 8) U##_eight(a + i * L, true);                          \
            }                                                                                      \
    }
NETWORK(uint32_t, 16)
NETWORK(uint64_t, 8)

/* The same for what the processor has. */
#define LEVEL(NAME, TARGET)                                                                        \
    SORT_FAST TARGET static void NAME##_32(void *a, int64_t n)                                     \
    {                                                                                              \
        uint32_t_sort(a, n);                                                                       \
    }                                                                                              \
    SORT_FAST TARGET static void NAME##_64(void *a, int64_t n)                                     \
    {                                                                                              \
        uint64_t_sort(a, n);                                                                       \
    }
LEVEL(plain, )
#ifdef __x86_64__
LEVEL(v3, __attribute__((target("avx2"))))
LEVEL(v4, __attribute__((target("avx512f"))))
#endif

void sort_side_by_side(void *keys, int64_t n, bool wide)
{
    void (*narrow_sort)(void *, int64_t) = plain_32, (*wide_sort)(void *, int64_t) = plain_64;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        narrow_sort = v4_32, wide_sort = v4_64;
    else if (__builtin_cpu_supports("avx2"))
        narrow_sort = v3_32, wide_sort = v3_64;
#endif
    (wide ? wide_sort : narrow_sort)(keys, n);
}
