/* What native kernels take for granted of a processor: their macros are constants, so that a program
 * holds one form a level (codegen.h). The caches are those of small machines of the kind. */
#include <string.h>

#include "../codegen.h"

static const struct {
    const char *name, *cpu;
    int vector_bytes;
} levels[] = {[CG_NATIVE_V2] = {"v2", "x86-64-v2", 16},
              [CG_NATIVE_QUICK] = {"quick", "x86-64-v3", 32},
              [CG_NATIVE_V3] = {"v3", "x86-64-v3", 32},
              [CG_NATIVE_V4] = {"v4", "x86-64-v4", 64}};

CgDevice cg_native_device(CgNativeLevel level, int units)
{
    return (CgDevice){.family = CG_CPU,
                      .units = units,
                      .vector_bytes = levels[level].vector_bytes,
                      .l1 = 32 << 10,
                      .l2 = 1 << 20,
                      .l3 = 16 << 20,
                      .max_group = 1,
                      .local_bytes = 0,
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
    case CG_NATIVE_V4: return __builtin_cpu_supports("x86-64-v4");
    default: return false;
    }
#elif defined(__aarch64__)
    return level == CG_NATIVE_V2; /* vectors of 16 bytes, and no name of a processor */
#else
    (void)level;
    return false;
#endif
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
