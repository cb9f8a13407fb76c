/* Kernels as csc prints them for LLVM are not x86's alone: those of samples pass LLVM for aarch64, and what they need
 * of a linker there are the relocations that a loader would know. Of each SHARE-th sample, of all with
 * AARCH64_SHARE=1. Nothing is run. */
#include <elf.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include "../../../base/mem.h"
#include "../../../base/text.h"
#include "../../../codegen/llvm/machine.h"
#include "../../../codegen/native/native.h"
#include "../suite.h"

enum { SHARE = 12 };
static const char triple[] = "aarch64-unknown-linux-gnu", cpu[] = "neoverse-n1";

/* NULL: this LLVM has no such processor. */
static LLVMTargetMachineRef machine_of(void)
{
    LLVMTargetRef target;
    char *error = NULL;
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    bool none = LLVMGetTargetFromTriple(triple, &target, &error);
    LLVMDisposeMessage(error);
    return none ? NULL
                : LLVMCreateTargetMachine(target, triple, cpu, "", LLVMCodeGenLevelDefault,
                                          LLVMRelocPIC, LLVMCodeModelDefault);
}

static char *printed(const char *source)
{
    const char *csc = getenv("CSC");
    Text command = {0}, out = {0};
    char part[4096];
    text_printf(&command, "%s --emit=native --native=v2 '%s' 2>/dev/null", csc ? csc : "./csc",
                source);
    FILE *f = popen(command.data, "r");
    ck_assert(f != NULL);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) text_addn(&out, part, n);
    ck_assert_msg(pclose(f) == 0, "%s", command.data);
    text_free(&command);
    return text_take(&out);
}

static bool is_known(uint64_t type)
{
    return type == R_AARCH64_ADR_PREL_PG_HI21 || type == R_AARCH64_ADD_ABS_LO12_NC ||
           type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26 || type == R_AARCH64_PREL32 ||
           type == R_AARCH64_LDST8_ABS_LO12_NC || type == R_AARCH64_LDST16_ABS_LO12_NC ||
           type == R_AARCH64_LDST32_ABS_LO12_NC || type == R_AARCH64_LDST64_ABS_LO12_NC ||
           type == R_AARCH64_LDST128_ABS_LO12_NC;
}

static void look_at(const char *object, const char *source)
{
    const Elf64_Ehdr *e = (const void *)object;
    const Elf64_Shdr *s = (const void *)(object + e->e_shoff);
    ck_assert_int_eq(e->e_machine, EM_AARCH64);
    for (int i = 0; i < e->e_shnum; i++) {
        const Elf64_Rela *r = (const void *)(object + s[i].sh_offset);
        ck_assert_msg(!(s[i].sh_flags & SHF_ALLOC) || !(s[i].sh_flags & SHF_WRITE),
                      "%s: data that are written", source);
        for (size_t k = 0; s[i].sh_type == SHT_RELA && k < s[i].sh_size / sizeof *r; k++)
            ck_assert_msg(is_known(ELF64_R_TYPE(r[k].r_info)), "%s: relocation %u", source,
                          (unsigned)ELF64_R_TYPE(r[k].r_info));
    }
}

/* The functions' processor, and how wide its vectors are. */
static void retarget(LLVMModuleRef mod)
{
    static const char *const names[] = {"target-cpu", "prefer-vector-width",
                                        "min-legal-vector-width"};
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                             names[i], (unsigned)strlen(names[i]));
}

/* The number of modules. */
static int compile(LLVMTargetMachineRef machine, const char *source)
{
    static const char begin[] = "; ModuleID";
    char *text = printed(source), *error = NULL;
    int count = 0;
    for (char *at = strstr(text, begin), *next; at; at = next, count++) {
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef mod;
        next = strstr(at + 1, begin);
        size_t size = next ? (size_t)(next - at) : strlen(at);
        LLVMMemoryBufferRef in = LLVMCreateMemoryBufferWithMemoryRangeCopy(at, size, "kernels");
        ck_assert_msg(!LLVMParseIRInContext(ctx, in, &mod, &error), "%s: %s", source, error);
        retarget(mod);
        llvm_machine_module(machine, mod);
        native_optimise(mod, machine);
        LLVMMemoryBufferRef object = llvm_machine_code(machine, mod, LLVMObjectFile);
        look_at(LLVMGetBufferStart(object), source);
        LLVMDisposeMemoryBuffer(object);
        LLVMDisposeModule(mod);
        LLVMContextDispose(ctx);
    }
    mem_free(text);
    return count;
}

START_TEST(samples_compile)
{
    LLVMTargetMachineRef machine = machine_of();
    const char *asked = getenv("AARCH64_SHARE");
    size_t share = asked ? (size_t)atoi(asked) : SHARE;
    glob_t samples;
    int modules = 0;
    ck_assert_int_eq(glob("samples/*/*.cs$", 0, NULL, &samples), 0);
    for (size_t i = 0; machine && i < samples.gl_pathc; i += share)
        modules += compile(machine, samples.gl_pathv[i]);
    ck_assert(!machine || modules > 0);
    if (asked) printf("%zu samples, %d modules\n", samples.gl_pathc, modules);
    globfree(&samples);
    if (machine) LLVMDisposeTargetMachine(machine);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("aarch64");
    TCase *t = tcase_create("samples");
    tcase_add_test(t, samples_compile);
    tcase_set_timeout(t, 600);
    suite_add_tcase(s, t);
    return run_suite(s);
}
