/* What native kernels take for granted of a processor: their macros are constants, so that a program
 * holds one form a level (codegen.h). The caches are those of small machines of the kind. */
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../codegen.h"

static const struct {
    const char *name, *cpu;
    int vector_bytes, multiplies;
    CgDivider divider[2]; /* measured one beside the other (docs/performance.md) */
    bool gathers; /* AVX2's are slower than loads, AMD's are some 80 operations for 16 elements */
} levels[] = {[CG_NATIVE_V2] = {"v2", "x86-64-v2", 16, 2, {{0}}, false},
              [CG_NATIVE_QUICK] = {"quick", "x86-64-v3", 32, 2, {{0}}, false},
              [CG_NATIVE_V3] = {"v3", "x86-64-v3", 32, 2, {{0}}, false},
              [CG_NATIVE_V4] = {"v4", "x86-64-v4", 64, 2, {{0}}, true},
              [CG_NATIVE_ZEN4] = {"zen4", "x86-64-v4", 64, 1, {{6, 9, 10}, {9, 15, 14}}, false}};

CgDevice cg_native_device(CgNativeLevel level, int units)
{
    const CgDivider *d = levels[level].divider;
    return (CgDevice){.family = CG_CPU,
                      .units = units,
                      .vector_bytes = levels[level].vector_bytes,
                      .l1 = 32 << 10,
                      .l2 = 1 << 20,
                      .l3 = 16 << 20,
                      .max_group = 1,
                      .local_bytes = 0,
                      .multiplies = levels[level].multiplies,
                      .divider = {d[0], d[1]},
                      .gathers = levels[level].gathers,
                      .has_double = true};
}

const char *cg_native_cpu(CgNativeLevel level)
{
    return levels[level].cpu;
}

bool cg_native_level_runs(CgNativeLevel level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (level) {
    case CG_NATIVE_V2: return __builtin_cpu_supports("x86-64-v2");
    case CG_NATIVE_QUICK:
    case CG_NATIVE_V3: return __builtin_cpu_supports("x86-64-v3");
    case CG_NATIVE_V4:
    case CG_NATIVE_ZEN4: return __builtin_cpu_supports("x86-64-v4");
    default: return false;
    }
#elif defined(__aarch64__)
    return level == CG_NATIVE_V2; /* vectors of 16 bytes, and no name of a processor */
#else
    (void)level;
    return false;
#endif
}

bool cg_gathers(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return cg_native_level_runs(CG_NATIVE_V4) && !__builtin_cpu_is("amd");
#else
    return false;
#endif
}

size_t cg_close_cache(void)
{
    size_t bytes = 0;
#if defined(__x86_64__)
    /* AMD's manual, volume 3, E.4.15. Zen: a Jacobi step of 8 MB takes what one in L2 takes. sysconf has the sum of all. */
    unsigned type, lines, sets, more;
    __builtin_cpu_init();
    for (unsigned i = 0; __builtin_cpu_is("amd") && i < 8 && !bytes &&
                         __get_cpuid_count(0x8000001d, i, &type, &lines, &sets, &more) && type & 31;
         i++)
        if ((type >> 5 & 7) == 3)
            bytes = (size_t)((lines >> 22) + 1) * ((lines >> 12 & 0x3ff) + 1) *
                    ((lines & 0xfff) + 1) * ((size_t)sets + 1);
#endif
    return bytes;
}

/* The two of AVX-512 take each other's place. */
static CgNativeLevel by_rank(int rank)
{
    if (rank < CG_NATIVE_V4 || !cg_gathers()) return (CgNativeLevel)rank;
    return rank == CG_NATIVE_V4 ? CG_NATIVE_ZEN4 : CG_NATIVE_V4;
}

int cg_native_best(unsigned among)
{
    for (int rank = CG_NATIVE_LEVELS - 1; rank >= 0; rank--) {
        CgNativeLevel level = by_rank(rank);
        if (among >> level & 1 && cg_native_level_runs(level)) return (int)level;
    }
    return -1;
}

bool cg_native_is_full(CgNativeLevel level)
{
    int best = cg_native_best(CG_NATIVE_ALL);
    return level == CG_NATIVE_QUICK ? best == CG_NATIVE_V3
                                    : levels[level].vector_bytes == levels[best].vector_bytes;
}

bool cg_native_level_from_text(const char *text, size_t len, CgNativeLevel *out)
{
    for (int i = 0; i < CG_NATIVE_LEVELS; i++)
        if (strlen(levels[i].name) == len && memcmp(levels[i].name, text, len) == 0) {
            *out = (CgNativeLevel)i;
            return true;
        }
    return false;
}
