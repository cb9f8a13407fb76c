/* Native kernels (codegen/native) in the program: tables of their functions, and the functions
 * themselves, which are modules of their own (codegen/llvm/objects.h). */
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include "impl.h"

/* Kernels with the same text share it. */
static LLVMValueRef declare(HostModule *m, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(m->mod, name);
    return fn ? fn : LLVMAddFunction(m->mod, name, type);
}

/* const CsCode[]: a form a level. */
LLVMValueRef host_code(HostModule *m, const HostKernel *k, int *count)
{
    LLVMValueRef forms[CG_NATIVE_LEVELS];
    LLVMTypeRef params[] = {m->ptr, m->ptr},
                type = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), params, 2, false);
    *count = 0;
    for (int level = 0; level < CG_NATIVE_LEVELS; level++) {
        const char *const *names = k->code[level];
        if (!names) continue;
        LLVMValueRef *functions = arena_array(m->arena, LLVMValueRef, k->nfunctions + 1);
        for (int i = 0; i < k->nfunctions; i++)
            functions[i] = names[i] ? declare(m, names[i], type) : host_null(m);
        LLVMValueRef members[CODE_MEMBERS];
        members[CODE_LEVEL] = host_int(m, level);
        members[CODE_KERNELS] = host_table(m, "code", m->ptr, functions, (unsigned)k->nfunctions);
        forms[(*count)++] = host_struct(m, HOST_CODE, members);
    }
    return *count ? host_table(m, "forms", m->structs[HOST_CODE], forms, (unsigned)*count)
                  : host_null(m);
}

void host_link_native(HostModule *m)
{
    Objects *o = m->options->objects;
    if (!o || objects_are_for(o) != OBJECTS_LINKED) return;
    for (size_t i = 0; i < objects_count(o); i++) {
        size_t size;
        const char *bytes = objects_bytes(o, i, &size);
        LLVMMemoryBufferRef bitcode =
            LLVMCreateMemoryBufferWithMemoryRange(bytes, size, "kernels", false);
        LLVMModuleRef kernels = NULL;
        if (LLVMParseBitcodeInContext2(m->ctx, bitcode, &kernels) ||
            LLVMLinkModules2(m->mod, kernels))
            host_bug(m, NULL, "native kernels do not link");
        LLVMDisposeMemoryBuffer(bitcode);
    }
}
