/* Modules of native kernels: types, texts, passes (native.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "../llvm/machine.h"
#include "impl.h"

void native_bug(const char *what, const char *name)
{
    fprintf(stderr, "csc: internal error in native kernels: %s %s\n", what, name);
    abort();
}

/* ---- types ------------------------------------------------------------------------------------- */

bool native_is_real(int kind)
{
    return kind < SC_COUNT && scalar_is_real((ScalarKind)kind);
}

bool native_is_signed(int kind)
{
    return kind == KIR_IDX || kind == SC_BOOL || scalar_is_signed((ScalarKind)kind);
}

unsigned native_bytes(Native *n, int kind)
{
    (void)n;
    if (kind == KIR_IDX) return 8;
    if (kind == SC_BOOL || kind == SC_HALF) return 4;
    return (unsigned)scalar_bytes((ScalarKind)kind);
}

static LLVMTypeRef integer_type(Native *n, size_t bytes)
{
    return bytes == 1 ? n->i8 : bytes == 2 ? n->i16 : bytes == 4 ? n->i32 : n->i64;
}

LLVMTypeRef native_scalar_type(Native *n, int kind)
{
    if (kind == SC_DOUBLE) return n->f64;
    if (native_is_real(kind)) return n->f32;
    return integer_type(n, native_bytes(n, kind));
}

LLVMTypeRef native_storage_type(Native *n, int kind)
{
    if (kind == SC_HALF) return n->f16;
    if (kind == SC_BOOL) return n->i8;
    return native_scalar_type(n, kind);
}

LLVMTypeRef native_vector(LLVMTypeRef t, unsigned lanes)
{
    return lanes == 1 ? t : LLVMVectorType(t, lanes);
}

static LLVMTypeRef record_type(Native *n, const KirRecord *r)
{
    LLVMTypeRef *fields = arena_array(n->arena, LLVMTypeRef, r->nfields + 1);
    for (int i = 0; i < r->nfields; i++) fields[i] = native_type(n, r->types[i]);
    return LLVMStructTypeInContext(n->ctx, fields, (unsigned)r->nfields, false);
}

LLVMTypeRef native_type(Native *n, KirType t)
{
    if (t.kind == KIR_RECORD) return record_type(n, t.record);
    return native_vector(native_scalar_type(n, t.kind), native_lanes(n, t.lanes));
}

int64_t native_macro(Native *n, const char *name, bool *found)
{
    int64_t v = 0;
    *found = n->plan && cg_plan_macro(n->plan, &n->device, name, &v);
    return v;
}

/* V2, V4 and V8 are macros like others; functions that know no plan never have them. */
unsigned native_lanes(Native *n, int lanes)
{
    if (lanes > 0) return (unsigned)lanes;
    char name[16];
    bool found;
    snprintf(name, sizeof name, "V%d", -lanes);
    int64_t v = native_macro(n, name, &found);
    if (!found) native_bug("no macro", name);
    return (unsigned)v;
}

LLVMValueRef native_extern(Native *n, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(n->mod, name);
    if (fn) return fn;
    fn = LLVMAddFunction(n->mod, name, type);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(n->ctx, nounwind, 0));
    return fn;
}

/* ---- modules ----------------------------------------------------------------------------------- */

LLVMMetadataRef native_scope(Native *n, const char *name)
{
    LLVMMetadataRef both[] = {LLVMMDStringInContext2(n->ctx, name, strlen(name)), n->domain};
    return LLVMMDNodeInContext2(n->ctx, both, 2);
}

/* What is made from now on goes into a module of its own. */
static void begin_module(Native *n)
{
    LLVMContextRef ctx = n->ctx = LLVMContextCreate();
    n->mod = LLVMModuleCreateWithNameInContext("kernels", ctx);
    n->i1 = LLVMInt1TypeInContext(ctx);
    n->i8 = LLVMInt8TypeInContext(ctx);
    n->i16 = LLVMInt16TypeInContext(ctx);
    n->i32 = LLVMInt32TypeInContext(ctx);
    n->i64 = LLVMInt64TypeInContext(ctx);
    n->f16 = LLVMHalfTypeInContext(ctx);
    n->f32 = LLVMFloatTypeInContext(ctx);
    n->f64 = LLVMDoubleTypeInContext(ctx);
    n->ptr = LLVMPointerTypeInContext(ctx, 0);
    n->nothing = LLVMVoidTypeInContext(ctx);
    n->nontemporal = LLVMGetMDKindIDInContext(ctx, "nontemporal", 11);
    n->alias_scope = LLVMGetMDKindIDInContext(ctx, "alias.scope", 11);
    n->noalias = LLVMGetMDKindIDInContext(ctx, "noalias", 7);
    LLVMMetadataRef domain = LLVMMDStringInContext2(ctx, "kernels", 7);
    n->domain = LLVMMDNodeInContext2(ctx, &domain, 1);
    n->fixed = native_scope(n, "fixed");
    n->limit = n->options.stops ? LLVMAddGlobal(n->mod, n->i64, "cs_stack_limit") : NULL;
    n->math.len = n->functions.len = 0;
    vec_push(&n->parts, ((NativeModule){.mod = n->mod, .context = ctx}));
}

void native_free(Native *n)
{
    if (!n) return;
    for (size_t i = n->taken; i < n->parts.len; i++) {
        if (!n->parts.data[i].mod) continue;
        LLVMDisposeModule(n->parts.data[i].mod);
        LLVMContextDispose(n->parts.data[i].context);
    }
    vec_free(&n->parts);
    vec_free(&n->math);
    vec_free(&n->functions);
    arena_free(n->arena);
}

void native_print(Text *out, const Native *n)
{
    for (size_t i = n->taken; i < n->parts.len; i++) {
        if (!n->parts.data[i].mod) continue;
        char *text = LLVMPrintModuleToString(n->parts.data[i].mod);
        text_add(out, text);
        LLVMDisposeMessage(text);
    }
}

size_t native_size(const Native *n)
{
    return n->size;
}

const char *const *native_functions(const Native *n)
{
    return n->kernels;
}

/* ---- texts ------------------------------------------------------------------------------------- */

static bool possible_value(const CgCode *code, const KirExpr *e)
{
    if (!e) return true;
    bool call = e->kind == KIR_CALL || e->kind == KIR_INTRINSIC;
    if (call && !native_knows(code, e)) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!possible_value(code, e->args[i])) return false;
    return true;
}

/* Work-items of a group that wait for each other, or share memory: no. */
bool native_can(const CgCode *code, const KirStmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == KIR_BARRIER || (s->kind == KIR_DECL && s->local)) return false;
        const KirExpr *const values[] = {s->target, s->expr, s->lo, s->hi, s->step};
        for (int i = 0; i < 5; i++)
            if (!possible_value(code, values[i])) return false;
        if (!native_can(code, s->body) || !native_can(code, s->other)) return false;
    }
    return true;
}

/* Macros are constants of the code: they must not depend on what is known at run time only. */
static bool is_fixed(const CgPlan *p, CgNativeLevel level)
{
    CgDevice one = cg_native_device(level, 1), many = cg_native_device(level, 64);
    many.cache = (size_t)1 << 30;
    char *a = cg_plan_build_options(p, &one, 0), *b = cg_plan_build_options(p, &many, 0);
    bool same = strcmp(a, b) == 0;
    mem_free(a);
    mem_free(b);
    return same;
}

enum { PART = 4096 }; /* of a module, in native_size's measure, until another begins: some 0.1 s */

/* The text's functions, of which passes keep what is called. */
static void add_functions(Native *n)
{
    const CgCode *code = n->code;
    size_t size = n->size;
    for (int i = 0; i < code->nfuncs; i++) {
        if (code->funcs[i].kernel) continue;
        Function made = native_function(n, &code->funcs[i], false);
        vec_push(&n->functions, made);
    }
    n->size = size; /* what calls them counts */
}

static const KirFunc *kernel_of(const CgCode *code, const char *name)
{
    for (int i = 0; i < code->nfuncs; i++)
        if (code->funcs[i].kernel && strcmp(name, code->funcs[i].name) == 0) return &code->funcs[i];
    return NULL;
}

static const XXH128_hash_t *function_content(Native *n, int i);

/* What a kernel takes from its text: values of macros, what functions do. */
static void tell(void *native, Text *to, const char *name)
{
    Native *n = native;
    bool found;
    int64_t v = native_macro(n, name, &found);
    if (found) text_addn(to, (const char *)&v, sizeof v);
    for (int i = 0; !found && i < n->code->nfuncs; i++) {
        if (n->code->funcs[i].kernel || strcmp(n->code->funcs[i].name, name) != 0) continue;
        text_addn(to, (const char *)function_content(n, i), sizeof(XXH128_hash_t));
        n->calls = true;
    }
}

/* Asked for often, and of what others are made: each once. */
static const XXH128_hash_t *function_content(Native *n, int i)
{
    if (!n->contents) n->contents = arena_array(n->arena, XXH128_hash_t *, n->code->nfuncs);
    if (!n->contents[i]) {
        Text content = {0};
        kir_content(&content, &n->code->funcs[i], tell, n);
        n->contents[i] = arena_new_of(n->arena, XXH128_hash_t);
        *n->contents[i] = XXH3_128bits(content.data, content.len);
        text_free(&content);
    }
    return n->contents[i];
}

static const char *name_kernel(Native *n, const KirFunc *f, CgNativeLevel level)
{
    Text content = {0};
    const char also[] = {(char)level, (char)n->options.stops, (char)n->code->options->precise,
                         (char)cg_plan_flag(n->plan, "CS_STREAM")};
    text_addn(&content, also, sizeof also);
    for (int bytes = 1; bytes <= 8; bytes *= 2) {
        char lanes[] = {'V', (char)('0' + bytes), '\0'};
        tell(n, &content, lanes);
        text_addn(&content, ";", 1);
    }
    kir_content(&content, f, tell, n);
    XXH128_hash_t h = XXH3_128bits(content.data, content.len);
    text_free(&content);
    int stem = (int)(strrchr(f->name, '_') - f->name); /* map_vector of map_vector_4 */
    return arena_printf(n->arena, "kernel.%.*s.%016" PRIx64 "%016" PRIx64, stem, f->name, h.high64,
                        h.low64);
}

/* Gathers and roots, which differ from level to level. */
static bool value_differs(const KirExpr *e)
{
    bool some = e && (e->kind == KIR_GATHER || (e->kind == KIR_OP && e->op == FD_OP_SQRT));
    for (int i = 0; e && !some && i < e->nargs; i++) some = value_differs(e->args[i]);
    return some;
}

static bool block_differs(const KirStmt *s)
{
    for (; s; s = s->next) {
        const KirExpr *const values[] = {s->target, s->expr, s->lo, s->hi, s->step};
        for (int i = 0; i < 5; i++)
            if (value_differs(values[i])) return true;
        if (block_differs(s->body) || block_differs(s->other)) return true;
    }
    return false;
}

/* The level that a kernel is named by. Most of zen4's code is v4's, and is kept as such. */
static CgNativeLevel level_of(const Native *n, const KirFunc *f)
{
    bool apart = n->options.level == CG_NATIVE_ZEN4 && block_differs(f->body);
    for (int i = 0; n->options.level == CG_NATIVE_ZEN4 && !apart && i < n->code->nfuncs; i++)
        apart = !n->code->funcs[i].kernel && block_differs(n->code->funcs[i].body);
    return n->options.level == CG_NATIVE_ZEN4 && !apart ? CG_NATIVE_V4 : n->options.level;
}

static bool is_quick(const Native *n)
{
    return n->options.level == CG_NATIVE_QUICK;
}

/* Kernels of a text may have one name, too. */
static NativeFound find(const Native *n, int nkernels, const char *name, size_t *size)
{
    for (int k = 0; k < nkernels; k++)
        if (n->kernels[k] && strcmp(n->kernels[k], name) == 0) return NATIVE_THERE;
    return n->options.find ? n->options.find(n->options.ctx, name, size) : NATIVE_NEW;
}

/* Kernels that call functions of the text are together, as LLVM then compiles these once; others are alone,
 * so that they are found whatever else their text has. Modules that are open come last. */
static void add_kernel(Native *n, const KirFunc *of, const char *name)
{
    size_t before = n->size;
    NativeModule *last = n->calls && n->parts.len ? &n->parts.data[n->parts.len - 1] : NULL;
    if (!last || last->kernel || last->size > PART) {
        begin_module(n);
        if (n->calls) add_functions(n);
        last = &n->parts.data[n->parts.len - 1];
        last->kernel = n->calls ? NULL : name;
        last->quick = is_quick(n);
    }
    native_kernel(n, of, name);
    last->size += n->size - before;
}

typedef struct Wanted {
    const KirFunc *of;
    const char *name;
    bool calls;
} Wanted;

/* Quick code has modules together, since they would be most of its time, and none of what is kept as v3. */
static NativeFound find_wanted(Native *n, int nkernels, Wanted *w, size_t *size)
{
    const char *full = NULL;
    if (is_quick(n) && n->options.kept) {
        full = name_kernel(n, w->of, CG_NATIVE_V3);
        NativeFound found = n->options.kept(n->options.ctx, full, size);
        if (found != NATIVE_NEW) return w->name = full, found;
    }
    return find(n, nkernels, w->name, size);
}

static void add_kernels(Native *n, const CgPlan *plan, const bool *runs)
{
    const char *const *names;
    int nkernels = cg_plan_kernels(plan, &names);
    Wanted *wanted = arena_array(n->arena, Wanted, nkernels + 1);
    n->plan = plan;
    n->device = cg_native_device(n->options.level, 1);
    n->kernels = arena_array(n->arena, const char *, nkernels + 1);
    for (int k = 0; k < nkernels; k++) {
        Wanted *w = &wanted[k];
        w->of = runs && !runs[k] ? NULL : kernel_of(n->code, names[k]);
        if (!w->of) continue;
        n->calls = false;
        w->name = name_kernel(n, w->of, level_of(n, w->of));
        w->calls = n->calls || is_quick(n);
    }
    for (int calls = 0; calls < 2; calls++)
        for (int k = 0; k < nkernels; k++) {
            Wanted *w = &wanted[k];
            if (!w->of || w->calls != calls) continue;
            size_t size = 0;
            NativeFound found = find_wanted(n, nkernels, w, &size);
            n->kernels[k] = w->name;
            n->size += size;
            n->calls = calls;
            if (found == NATIVE_KEPT)
                vec_push(&n->parts, ((NativeModule){.kernel = w->name, .size = size}));
            else if (found == NATIVE_NEW)
                add_kernel(n, w->of, w->name);
        }
}

Native *native_new(const CgCode *code, const CgPlan *plan, const bool *runs,
                   const NativeOptions *options)
{
    bool good = code->options->family == CG_CPU;
    for (int i = 0; good && i < code->nfuncs; i++) good = native_can(code, code->funcs[i].body);
    if (!good || !is_fixed(plan, options->level)) return NULL;
    Arena *arena = arena_new();
    Native *n = arena_new_of(arena, Native);
    *n = (Native){.arena = arena, .options = *options, .code = code};
    add_kernels(n, plan, runs);
    n->plan = NULL;
    n->code = NULL;
    return n;
}

bool native_take(Native *n, NativeModule *out)
{
    if (n->taken == n->parts.len) return false;
    *out = n->parts.data[n->taken++];
    return true;
}

/* ---- passes ------------------------------------------------------------------------------------ */

/* Kernels come with vectors and tiles made and written out: what is left is to get variables into
 * registers and addresses out of loops. Each has been looked at (docs/performance.md): instructions are
 * combined before loops are changed, and once. */
static const char usual_first[] =
    "globaldce,function<eager-inv>(sroa,early-cse,simplifycfg)," /* before functions are inlined */
    "cgscc(inline),globaldce,function<eager-inv>(sroa,early-cse)";
static const char usual_passes[] =
    "function<eager-inv>(" LLVM_INSTCOMBINE
    ",loop-mssa(loop-rotate,licm),loop(indvars,loop-unroll-full),sroa,early-cse<memssa>,"
    "loop-mssa(licm),adce,simplifycfg)";
/* Of quick code: without these the fast selection of instructions has several times as many. */
static const char quick_first[] =
    "globaldce,cgscc(inline),globaldce,function<eager-inv>(sroa,early-cse,simplifycfg)";
static const char quick_passes[] = "function<eager-inv>(early-cse,loop-mssa(licm),adce)";

/* Passes follow the order in which values are used first. Let it be that of a reader of the module's text, so that
 * module and text give the same code. */
static void order_uses(LLVMModuleRef mod)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef x = LLVMGetFirstInstruction(b); x; x = LLVMGetNextInstruction(x))
                for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(x); i < n; i++)
                    LLVMSetOperand(x, i, LLVMGetOperand(x, i)); /* the newest use */
}

static void run_passes(LLVMModuleRef mod, const char *passes, LLVMTargetMachineRef target)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(mod, passes, target, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) native_bug("LLVM's passes:", LLVMGetErrorMessage(error));
}

/* Variables have to be values before products are contracted. */
static void optimise(LLVMModuleRef mod, const char *first, const char *then,
                     LLVMTargetMachineRef target)
{
    order_uses(mod);
    run_passes(mod, first, target);
    native_muladd(mod);
    run_passes(mod, then, target);
}

void native_optimise(LLVMModuleRef mod, LLVMTargetMachineRef target)
{
    optimise(mod, usual_first, usual_passes, target);
}

void native_optimise_quickly(LLVMModuleRef mod, LLVMTargetMachineRef target)
{
    optimise(mod, quick_first, quick_passes, target);
}
