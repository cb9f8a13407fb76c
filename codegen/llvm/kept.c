/* Names of machine code in the disk cache (kept.h). */
#include "kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

#include "generator.h"

/* The library's version, which may be another than that of its headers. */
static void add_version(XXH3_state_t *to)
{
    unsigned version[3] = {LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR, LLVM_VERSION_PATCH};
#if LLVM_VERSION_MAJOR >= 16
    LLVMGetVersion(&version[0], &version[1], &version[2]);
#endif
    XXH3_128bits_update(to, version, sizeof version);
}

static KeptName name_of(const void *content, size_t size, const char *also)
{
    const unsigned sources[] = {CG_MACHINE, CG_GENERATOR}; /* passes and levels are in them */
    char *triple = LLVMGetDefaultTargetTriple();
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, sources, sizeof sources);
    add_version(&state);
    XXH3_128bits_update(&state, triple, strlen(triple) + 1);
    XXH3_128bits_update(&state, also, strlen(also) + 1);
    XXH3_128bits_update(&state, content, size);
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    LLVMDisposeMessage(triple);
    KeptName name;
    snprintf(name.text, sizeof name.text, "%016" PRIx64 "%016" PRIx64 ".o", hash.high64,
             hash.low64);
    return name;
}

KeptName kept_name(LLVMModuleRef mod, const char *also)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(mod);
    KeptName name = name_of(LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode), also);
    LLVMDisposeMemoryBuffer(bitcode);
    return name;
}

KeptName kept_name_of(const char *function, const char *also)
{
    return name_of(function, strlen(function), also);
}
