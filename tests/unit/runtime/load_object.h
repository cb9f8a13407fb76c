/* An object of kernels for load_test.c, and copies of it that are changed. */
#ifndef TESTS_LOAD_OBJECT_H
#define TESTS_LOAD_OBJECT_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/mem.h"
#include "../codegen/codegen_run.h"
#include "../file.h"
#include "../suite.h"

enum { MUTATIONS = 100000 };

/* y(i) = sin(x(p(i))) + 100 / p(i): angles that may be far, an index that may be outside, a divisor of zero. */
static const char source[] = "%0 = var \"i\" : int\n"
                             "%1 = const 0 : int\n"
                             "%2 = slot 0 \"n\" : int\n"
                             "%3 = slot 2 \"x\" : array float(int)\n"
                             "%4 = slot 1 \"p\" : array int(int)\n"
                             "%5 = apply %4 (%0) : int\n"
                             "%6 = apply %3 (%5) : float\n"
                             "%7 = apply @sin (%6) : float\n"
                             "%8 = const 100 : int\n"
                             "%9 = apply @div (%8, %5) : int\n"
                             "%10 = apply @convert (%9) : float\n"
                             "%11 = apply @add (%7, %10) : float\n"
                             "%12 = let (%0 : given %1..%2) %11 : float(int)\n"
                             "result %12\n";

/* The largest object of its kernels that calls something outside. */
static struct {
    char *bytes, name[128];
    size_t size;
} good;

static void keep_object(LLVMModuleRef mod, const char *name)
{
    native_optimise(mod, native_target);
    llvm_machine_module(native_target, mod);
    LLVMMemoryBufferRef object = llvm_machine_code(native_target, mod, LLVMObjectFile);
    const char *bytes = LLVMGetBufferStart(object);
    size_t size = LLVMGetBufferSize(object);
    if (name && size > good.size && memmem(bytes, size, "cs_kernel_fail", 15)) {
        good.size = size;
        good.bytes = mem_grow(good.bytes, size);
        memcpy(good.bytes, bytes, size);
        snprintf(good.name, sizeof good.name, "%s", name);
    }
    LLVMDisposeMemoryBuffer(object);
}

static void take(void *ctx, const CgCode *code)
{
    const char *error;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    const NativeOptions options = {.level = level_here()};
    Native *n = native_new(code, plan, NULL, &options);
    (void)ctx;
    for (NativeModule m; native_take(n, &m);) {
        keep_object(m.mod, m.kernel);
        LLVMDisposeModule(m.mod);
        LLVMContextDispose(m.context);
    }
    native_free(n);
    cg_plan_free(plan);
}

static void make_object(void)
{
    Fd *fd = fd_new();
    FdError error = {0};
    char *text = NULL;
    const char *why = NULL;
    const CgOptions options = {.family = CG_CPU};
    const CgAlso also = {.take = take};
    backend_open();
    FdGraph *g = fd_read(fd, source, &why);
    ck_assert_msg(g != NULL, "%s", why);
    ck_assert_int_eq(cg_lower_also(g, &options, &also, &text, &error), CG_OK);
    mem_free(text);
    fd_free(fd);
}

/* An exact copy, so that what reads behind it is seen. */
static bool loads(const char *bytes, size_t size, const char *name)
{
    char *copy = mem_alloc(size ? size : 1);
    CsKernelCode *code = NULL;
    Loaded l = {0};
    memcpy(copy, bytes, size);
    bool is = load_object(copy, size, 1, &name, &code, &l);
    mem_free(copy);
    ck_assert(is ? l.base != NULL : !l.base);
    load_free(&l);
    return is && code;
}

/* The sections of a copy of the object. */
typedef struct Changed {
    char *bytes;
    Elf64_Shdr *sections;
    int n;
} Changed;

static Changed begin_change(void)
{
    Changed c = {.bytes = mem_alloc(good.size)};
    memcpy(c.bytes, good.bytes, good.size);
    const Elf64_Ehdr *e = (const void *)c.bytes;
    c.sections = (void *)(c.bytes + e->e_shoff);
    c.n = e->e_shnum;
    return c;
}

static void end_change(Changed *c, const char *what)
{
    ck_assert_msg(!loads(c->bytes, good.size, good.name), "%s is loaded", what);
    mem_free(c->bytes);
}

static Elf64_Shdr *section(const Changed *c, uint32_t type, uint64_t flags)
{
    for (int i = 0; i < c->n; i++)
        if (c->sections[i].sh_type == type && (c->sections[i].sh_flags & flags) == flags)
            return &c->sections[i];
    ck_abort_msg("no section of type %u", type);
}

static Elf64_Rela *relocation(const Changed *c)
{
    return (void *)(c->bytes + section(c, SHT_RELA, 0)->sh_offset);
}

#endif
