/* Native kernels of generated texts (codegen_run.h), compiled to object files, loaded as the runtime loads them
 * and run one work-item after the other. */
#ifndef TESTS_CODEGEN_NATIVE_H
#define TESTS_CODEGEN_NATIVE_H

#include <llvm-c/Core.h>

#include "../../../codegen/abi/csrt.h"
#include "../../../codegen/llvm/machine.h"
#include "../../../codegen/native/native.h"
#include "../../../runtime/device/memory.h"
#include "../../../runtime/native/guard.h"
#include "../../../runtime/native/load.h"
#include "../../../runtime/native/native.h"

static LLVMTargetMachineRef native_target;

typedef struct Backend {
    Native *native;
    Loaded parts[64];
    int nparts;
    CsKernelCode *kernels[64]; /* in the order of cg_plan_kernels */
    int nkernels;
} Backend;

static CgNativeLevel level_here(void)
{
    CgNativeLevel level = CG_NATIVE_LEVELS - 1;
    while (level > CG_NATIVE_V2 && !cg_native_level_runs(level)) level--;
    return level;
}

/* Not always the best one, so that all are run. */
static CgNativeLevel level_of_texts = CG_NATIVE_V3;

static void backend_open(void)
{
    if (!native_target) native_target = llvm_machine(2);
}

enum { backend_share = 1 };

static bool backend_has(CgFamily family)
{
    return family == CG_CPU;
}

static bool backend_draws(CgFamily family, const char *text, int configuration)
{
    (void)text;
    (void)configuration;
    return backend_has(family);
}

static CgDevice backend_device(CgFamily family)
{
    (void)family;
    level_of_texts = (CgNativeLevel)((level_of_texts + 1) % (level_here() + 1));
    return cg_native_device(level_of_texts, 2);
}

/* Its functions among those of the kernels become code. */
static void load_part(Backend *k, const NativeModule *part, const char *const *functions)
{
    const char *names[64];
    CsKernelCode *codes[64];
    ck_assert_int_lt(k->nparts, sizeof k->parts / sizeof *k->parts);
    for (int i = 0; i < k->nkernels; i++) {
        LLVMValueRef fn = functions[i] ? LLVMGetNamedFunction(part->mod, functions[i]) : NULL;
        names[i] = fn && !LLVMIsDeclaration(fn) ? functions[i] : NULL;
    }
    native_optimise(part->mod, native_target);
    llvm_machine_module(native_target, part->mod);
    LLVMMemoryBufferRef object = llvm_machine_code(native_target, part->mod, LLVMObjectFile);
    ck_assert(load_object(LLVMGetBufferStart(object), LLVMGetBufferSize(object), k->nkernels, names,
                          codes, &k->parts[k->nparts++]));
    for (int i = 0; i < k->nkernels; i++)
        if (names[i]) k->kernels[i] = codes[i];
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeModule(part->mod);
    LLVMContextDispose(part->context);
}

static void backend_take(void *backend, const CgCode *code)
{
    Backend *k = backend;
    const char *error;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    const char *const *names;
    k->nkernels = cg_plan_kernels(plan, &names);
    ck_assert_int_le(k->nkernels, 64);
    k->native = native_new(code, plan, NULL, &(NativeOptions){.level = level_of_texts});
    cg_plan_free(plan);
    ck_assert_msg(k->native != NULL, "no native form of\n%s", code->text);
    const char *const *functions = native_functions(k->native);
    if (getenv("CODEGEN_TEST_DUMP")) {
        Text t = {0};
        native_print(&t, k->native);
        fprintf(stderr, "%s\n%s", code->text, t.data);
        text_free(&t);
    }
    for (NativeModule part; native_take(k->native, &part);) load_part(k, &part, functions);
}

static void backend_free(Backend *k)
{
    for (int i = 0; i < k->nparts; i++) load_free(&k->parts[i]);
    native_free(k->native);
}

static void launch(const Backend *k, const Bound *b, const CgLaunch *l, const Memory *m)
{
    const char *const *names;
    uint64_t args[256];
    int which = 0, n = cg_plan_kernels(b->plan, &names);
    while (which < n && strcmp(names[which], l->kernel) != 0) which++;
    ck_assert_msg(which < n, "no kernel %s", l->kernel);
    ck_assert_int_le(l->nargs, 256);
    for (int i = 0; i < l->nargs; i++) {
        const CgArg *a = &l->args[i];
        const Block *block = a->kind == CG_ARG_SLOT   ? &m->slots[a->index]
                             : a->kind == CG_ARG_TEMP ? &m->temps[a->index]
                             : a->kind == CG_ARG_OUT  ? &m->out
                                                      : &m->error;
        args[i] = 0;
        if (a->kind == CG_ARG_BYTES)
            memcpy(&args[i], a->bytes, a->size);
        else
            memcpy(&args[i], &block->data, sizeof block->data);
    }
    CsKernelAt at = {.size = {1, 1, 1}, .variant = b->variant};
    for (int d = 0; d < l->dims; d++) at.size[d] = (int64_t)l->global[d];
    for (at.id[2] = 0; at.id[2] < at.size[2]; at.id[2]++)
        for (at.id[1] = 0; at.id[1] < at.size[1]; at.id[1]++)
            for (at.id[0] = 0; at.id[0] < at.size[0]; at.id[0]++) k->kernels[which](args, &at);
}

static void put_apart(Block *b, Guarded **copies, bool before)
{
    if (!b->bytes)
        b->data = memory_nothing();
    else if (b->data && !(b->data = guard_put(copies, b->data, b->bytes, before)))
        abort();
}

/* Between pages that nobody may touch: both ends of buffers are seen in turn. */
static void backend_run(Backend *k, const char *text, const Bound *b, const Memory *m)
{
    static unsigned runs;
    bool before = ++runs & 1;
    Memory guarded = *m;
    Guarded *copies = NULL;
    (void)text;
    for (int i = 0; i < MAX_SLOTS; i++) put_apart(&guarded.slots[i], &copies, before);
    for (int i = 0; i < b->schedule.ntemps; i++) put_apart(&guarded.temps[i], &copies, before);
    guarded.out.bytes = b->schedule.out_bytes;
    put_apart(&guarded.out, &copies, before);
    for (int i = 0; i < b->schedule.nlaunches; i++)
        launch(k, b, &b->schedule.launches[i], &guarded);
    guard_end(copies);
}

#endif
