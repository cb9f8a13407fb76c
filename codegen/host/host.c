/* The host back end's entry: makes a module from an annotated unit, optimises it, prints it, writes
 * assembly and objects. A module is for the machine's own target at its baseline, so a program runs
 * on every machine of the kind; only the code generator itself needs the target to be initialised.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "../llvm/machine.h"
#include "value/value.h"

void host_bug(const HostModule *m, const Ast *n, const char *what)
{
    fprintf(stderr, "csc: internal error in host code generation: %s", what);
    if (n) {
        int line, col;
        sources_position(m->sources, n->loc.file, n->loc.begin, &line, &col);
        fprintf(stderr, " (%s at %s:%d:%d)", ast_kind_name(n->kind),
                sources_get(m->sources, n->loc.file)->path, line, col);
    }
    fputc('\n', stderr);
    abort();
}

/* Stops with LLVM's own message. */
static void llvm_bug(const HostModule *m, const char *what, char *message)
{
    Text t = {0};
    text_printf(&t, "%s: %s", what, message ? message : "");
    host_bug(m, NULL, t.data);
}

void host_open(HostModule *m, const char *name)
{
    m->ctx = LLVMContextCreate();
    m->mod = LLVMModuleCreateWithNameInContext(name, m->ctx);
    m->b = LLVMCreateBuilderInContext(m->ctx);
    m->entry = LLVMCreateBuilderInContext(m->ctx);
    m->graphs = arena_array(m->arena, LLVMValueRef, m->sema->ngraphs + 1);
    host_types_init(m);
    llvm_machine_module(m->target, m->mod);
    LLVMMetadataRef two = LLVMValueAsMetadata(LLVMConstInt(m->i32, 2, false));
    LLVMAddModuleFlag(m->mod, LLVMModuleFlagBehaviorError, "PIC Level", 9, two);
    LLVMAddModuleFlag(m->mod, LLVMModuleFlagBehaviorError, "PIE Level", 9, two);
    host_abi_init(m);
}

void host_close(HostModule *m)
{
    vec_free(&m->texts);
    vec_free(&m->strings);
    vec_free(&m->natives);
    vec_free(&m->light);
    LLVMDisposeBuilder(m->b);
    LLVMDisposeBuilder(m->entry);
    arena_free(m->arena);
}

void host_verify(const HostModule *m)
{
    char *message = NULL;
    if (LLVMVerifyModule(m->mod, LLVMReturnStatusAction, &message))
        llvm_bug(m, "LLVM refuses the module", message);
    LLVMDisposeMessage(message);
}

/* What host code gets up to -O2: LLVM's own -O2 once through, without what repeats or seldom finds
 * anything in such code. Half the time, the same speed (docs/performance.md). */
static const char lean_passes[] =
    "function<eager-inv>(sroa,early-cse<memssa>,simplifycfg),"
    "cgscc(devirt<4>(inline,function-attrs,function<eager-inv>("
    "sroa,early-cse<memssa>,simplifycfg," LLVM_INSTCOMBINE ",tailcallelim))),globaldce,"
    "function<eager-inv>(loop-mssa(loop-rotate,licm,simple-loop-unswitch),gvn,loop(indvars)"
    "," LLVM_INSTCOMBINE ",dse,adce,loop-vectorize," LLVM_INSTCOMBINE ",loop-unroll,simplifycfg)";

/* What a light function gets; other functions get it too, which costs them little. */
static const char light_passes[] =
    "function(sroa,early-cse<memssa>,simplifycfg,loop-mssa(licm),adce)";

static void run_passes(LLVMModuleRef mod, LLVMTargetMachineRef target, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(mod, passes, target, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) llvm_bug(NULL, "LLVM's passes", LLVMGetErrorMessage(error));
}

/* What makes functions of coroutines. Their variables become registers first, or all would be in frames. */
static const char coroutine_passes[] =
    "coro-early,function(sroa,early-cse<memssa>,simplifycfg),cgscc(coro-split),coro-cleanup";

static void split_coroutines(LLVMModuleRef mod, LLVMTargetMachineRef target)
{
    if (host_has_coroutines(mod)) run_passes(mod, target, coroutine_passes);
}

void host_optimise_unit(LLVMModuleRef mod, LLVMTargetMachineRef target)
{
    split_coroutines(mod, target);
    run_passes(mod, target, lean_passes);
}

static void optimise(HostModule *m)
{
    split_coroutines(m->mod, m->target);
    if (m->options->opt_level == 0) return;
    if (m->light.len) run_passes(m->mod, m->target, light_passes);
    host_freeze(m);
    run_passes(m->mod, m->target, m->options->opt_level < 3 ? lean_passes : "default<O3>");
}

/* What decides about the object besides the module: levels, and the functions that are light. */
static const char *find_object(HostModule *m)
{
    Objects *o = m->options->objects;
    if (!o || objects_are_for(o) == OBJECTS_LINKED) return NULL;
    Text also = {0};
    text_printf(&also, "-O%d%s", m->options->opt_level, m->monstrous ? " monstrous" : "");
    for (size_t i = 0; i < m->light.len; i++) {
        size_t len;
        const char *name = LLVMGetValueName2(m->light.data[i], &len);
        text_printf(&also, " %s", name);
    }
    m->name = kept_name(m->mod, also.data);
    text_free(&also);
    return objects_find(o, &m->name, &m->size);
}

HostModule *host_build(const SemaResult *sema, const Sources *sources, const HostKernel *kernels,
                       int nkernels, const HostOptions *options)
{
    Arena *arena = arena_new();
    HostModule *m = arena_new_of(arena, HostModule);
    m->arena = arena;
    m->sema = sema;
    m->sources = sources;
    m->options = options;
    m->classes = sema->classes;
    host_measure(m);
    m->target = llvm_machine(m->monstrous ? 0 : options->opt_level);
    host_open(m, options->program);
    if (options->debug) host_debug_init(m);

    host_declare_classes(m);
    host_declare_functions(m);
    host_describe_classes(m);
    host_find_recursion(m);
    host_scan_functions(m);
    host_make_units(m);
    for (int i = 0; i < sema->nfuncs; i++) {
        const HostFuncInfo *info = host_func_info(m, sema->funcs[i]);
        if (!info->unit) host_emit_function(m, info);
    }
    LLVMValueRef program = host_emit_program(m);
    host_finish_module(m, kernels, nkernels, program);
    host_debug_finish(m);
    host_verify(m);
    m->object = find_object(m);
    const Objects *o = options->objects;
    if (!m->object && !(o && objects_are_for(o) == OBJECTS_STORE)) optimise(m);
    host_link_native(m);
    return m;
}

void host_free(HostModule *m)
{
    if (!m) return;
    for (int i = 0; i < m->nfuncs; i++) vec_free(&m->funcs[i].written);
    if (m->di) LLVMDisposeDIBuilder(m->di);
    LLVMDisposeTargetMachine(m->target);
    LLVMModuleRef mod = m->mod;
    LLVMContextRef ctx = m->ctx;
    host_close(m);
    LLVMDisposeModule(mod);
    LLVMContextDispose(ctx);
}

/* Without the data layout, which says nothing beyond the triple and changes with LLVM's version. */
void host_print_llvm(Text *out, const HostModule *m)
{
    char *text = LLVMPrintModuleToString(m->mod);
    const char *layout = strstr(text, "target datalayout"),
               *end = layout ? strchr(layout, '\n') : NULL;
    if (end) {
        text_addn(out, text, (size_t)(layout - text));
        text_add(out, end + 1);
    } else {
        text_add(out, text);
    }
    LLVMDisposeMessage(text);
}

static void generate(Text *out, HostModule *m, LLVMCodeGenFileType type)
{
    LLVMMemoryBufferRef bytes = llvm_machine_code(m->target, m->mod, type);
    text_addn(out, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    LLVMDisposeMemoryBuffer(bytes);
}

void host_print_asm(Text *out, HostModule *m)
{
    generate(out, m, LLVMAssemblyFile);
}

void host_print_object(Text *out, HostModule *m)
{
    Objects *o = m->options->objects;
    if (m->object) {
        text_addn(out, m->object, m->size);
        return;
    }
    generate(out, m, LLVMObjectFile);
    if (o) objects_keep(o, &m->name, out->data, out->len);
}
