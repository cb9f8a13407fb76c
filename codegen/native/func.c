/* Functions and kernels, their variables and blocks. A kernel is what the runtime calls (CsKernelCode): it
 * reads its parameters from where the runtime has put them. What memory nobody writes as long as it runs
 * is said of each load and store. */
#include <string.h>

#include "impl.h"

/* ---- variables --------------------------------------------------------------------------------- */

static unsigned bucket_of(const char *name)
{
    unsigned h = 5381;
    for (; *name; name++) h = h * 33 + (unsigned char)*name;
    return h % BUCKETS;
}

Var *fn_declare(Fn *f, VarKind kind, const char *name, KirType type, LLVMValueRef at)
{
    Var *v = arena_new_of(f->n->arena, Var);
    *v = (Var){.name = name, .kind = kind, .type = type, .at = at, .bucket = bucket_of(name)};
    v->next = f->buckets[v->bucket];
    f->buckets[v->bucket] = v;
    vec_push(&f->scope, v);
    return v;
}

Var *fn_find(Fn *f, const char *name)
{
    for (Var *v = f->buckets[bucket_of(name)]; v; v = v->next)
        if (v->name == name || strcmp(v->name, name) == 0) return v;
    return NULL;
}

/* Names of variables that are set, each once. */
typedef struct Name {
    const char *text;
    struct Name *next; /* in its bucket */
} Name;

bool fn_is_set(const Fn *f, const char *name)
{
    for (const Name *v = f->set[bucket_of(name)]; v; v = v->next)
        if (v->text == name || strcmp(v->text, name) == 0) return true;
    return false;
}

static void note_name(Fn *f, const char *name)
{
    if (fn_is_set(f, name)) return;
    Name *v = arena_new_of(f->n->arena, Name), **bucket = &f->set[bucket_of(name)];
    *v = (Name){name, *bucket};
    *bucket = v;
}

/* What the step of an endless loop sees of its body counts, too: a way there may not meet the declaration. */
static void note_set(Fn *f, const KirStmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == KIR_SET && s->target->kind == KIR_NAME) note_name(f, s->target->name);
        for (const KirStmt *in = s->kind == KIR_LOOP && s->other ? s->body : NULL; in;
             in = in->next)
            if (in->kind == KIR_DECL) note_name(f, in->name);
        note_set(f, s->body);
        note_set(f, s->other);
    }
}

Var *fn_declare_value(Fn *f, const char *name, KirType type, LLVMValueRef v)
{
    if (v && !fn_is_set(f, name)) return fn_declare(f, VAR_LET, name, type, v);
    LLVMValueRef place = fn_place(f, native_type(f->n, type));
    if (v) LLVMBuildStore(f->b, v, place);
    return fn_declare(f, VAR_VALUE, name, type, place);
}

LLVMValueRef fn_place(Fn *f, LLVMTypeRef t)
{
    return LLVMBuildAlloca(f->entry, t, "");
}

/* ---- blocks ------------------------------------------------------------------------------------ */

LLVMBasicBlockRef fn_block(Fn *f)
{
    return LLVMAppendBasicBlockInContext(f->n->ctx, f->fn, "");
}

void fn_at(Fn *f, LLVMBasicBlockRef b)
{
    LLVMPositionBuilderAtEnd(f->b, b);
}

void fn_go(Fn *f, LLVMBasicBlockRef to)
{
    if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b))) LLVMBuildBr(f->b, to);
}

void fn_return(Fn *f, LLVMValueRef v)
{
    if (f->leave)
        LLVMBuildBr(f->b, f->leave);
    else if (v)
        LLVMBuildRet(f->b, v);
    else
        LLVMBuildRetVoid(f->b);
}

/* ---- functions --------------------------------------------------------------------------------- */

static void add_word(Native *n, LLVMValueRef fn, unsigned at, const char *word)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(word, strlen(word));
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(n->ctx, kind, 0));
}

static void add_text(Native *n, LLVMValueRef fn, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(n->ctx, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

static void add_attributes(Native *n, LLVMValueRef fn)
{
    static const char *const widths[] = {[CG_NATIVE_V2] = "128",
                                         [CG_NATIVE_QUICK] = "256",
                                         [CG_NATIVE_V3] = "256",
                                         [CG_NATIVE_V4] = "512",
                                         [CG_NATIVE_ZEN4] = "512"};
    add_word(n, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
#if defined(__x86_64__) && !defined(CSC_TARGET) /* llvm/machine.c */
    add_text(n, fn, "target-cpu", cg_native_cpu(n->options.level));
#endif
    add_text(n, fn, "prefer-vector-width", widths[n->options.level]);
    add_text(n, fn, "min-legal-vector-width", widths[n->options.level]);
}

static LLVMTypeRef param_type(Native *n, const KirParam *p)
{
    return p->buffer ? n->ptr : native_type(n, p->type);
}

static Fn begin(Native *n, const KirFunc *of, const char *name, LLVMTypeRef type, bool exact)
{
    Fn f = {.n = n, .of = of, .exact = exact, .result = of->result};
    f.fn = LLVMAddFunction(n->mod, name, type);
    note_set(&f, of->body);
    LLVMSetLinkage(f.fn, LLVMInternalLinkage);
    add_attributes(n, f.fn);
    f.entry = LLVMCreateBuilderInContext(n->ctx);
    f.b = LLVMCreateBuilderInContext(n->ctx);
    LLVMBasicBlockRef entry = fn_block(&f), body = fn_block(&f);
    LLVMPositionBuilderAtEnd(f.entry, entry);
    LLVMPositionBuilder(f.entry, entry, LLVMBuildBr(f.entry, body));
    fn_at(&f, body);
    return f;
}

static void take_params(Fn *f, const KirFunc *of)
{
    for (int i = 0; i < of->nparams; i++) {
        const KirParam *p = &of->params[i];
        LLVMValueRef given = LLVMGetParam(f->fn, (unsigned)i);
        if (p->buffer) {
            fn_declare(f, VAR_POINTER, p->name, p->type, given);
            if (p->writable) continue;
            add_word(f->n, f->fn, (unsigned)i + 1, "noalias");
            add_word(f->n, f->fn, (unsigned)i + 1, "readonly");
        } else {
            fn_declare_value(f, p->name, p->type, given);
        }
    }
}

static void end(Fn *f)
{
    LLVMBasicBlockRef last = LLVMGetInsertBlock(f->b);
    if (!LLVMGetBasicBlockTerminator(last)) {
        LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
        if (result == f->n->nothing)
            LLVMBuildRetVoid(f->b);
        else
            LLVMBuildRet(f->b, LLVMGetUndef(result)); /* every way returns before */
    }
    LLVMDisposeBuilder(f->b);
    LLVMDisposeBuilder(f->entry);
    vec_free(&f->scope);
    vec_free(&f->alone);
}

Function native_function(Native *n, const KirFunc *of, bool exact)
{
    LLVMTypeRef *params = arena_array(n->arena, LLVMTypeRef, of->nparams + 1);
    for (int i = 0; i < of->nparams; i++) params[i] = param_type(n, &of->params[i]);
    LLVMTypeRef type =
        LLVMFunctionType(native_type(n, of->result), params, (unsigned)of->nparams, false);
    Fn f = begin(n, of, of->name, type, exact);
    take_params(&f, of);
    fn_statements(&f, of->body);
    end(&f);
    return (Function){of->name, f.fn, type, of};
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static bool streams(const KirStmt *s)
{
    for (; s; s = s->next)
        if ((s->kind == KIR_STORE && s->stream) || streams(s->body) || streams(s->other))
            return true;
    return false;
}

static LLVMValueRef number_of(Fn *f, LLVMTypeRef t, LLVMValueRef numbers, int i)
{
    LLVMValueRef index = llvm_int(f->n->i64, i);
    return LLVMBuildLoad2(f->b, t, LLVMBuildGEP2(f->b, f->n->i64, numbers, &index, 1, ""), "");
}

static LLVMMetadataRef scope_of(Fn *f, const KirParam *p)
{
    if (!p->writable) return f->n->fixed;
    if (!p->alone) return NULL;
    LLVMMetadataRef scope = native_scope(f->n, p->name);
    vec_push(&f->alone, scope);
    return scope;
}

/* The kernel's parameters, from where the runtime has put them. */
static void take_args(Fn *f, const KirFunc *of, LLVMValueRef args)
{
    for (int i = 0; i < of->nparams; i++) {
        const KirParam *p = &of->params[i];
        LLVMValueRef given = number_of(f, param_type(f->n, p), args, i);
        if (p->buffer)
            fn_declare(f, VAR_POINTER, p->name, p->type, given)->scope = scope_of(f, p);
        else
            fn_declare_value(f, p->name, p->type, given);
    }
}

/* Does this run store past the caches? The bit of the variant, which is behind three ids and three sizes. */
static LLVMValueRef streaming(Fn *f)
{
    int bit = cg_plan_flag(f->n->plan, "CS_STREAM");
    if (bit < 0) return NULL;
    LLVMValueRef variant = number_of(f, f->n->i64, f->at, 6);
    variant = LLVMBuildLShr(f->b, variant, llvm_int(f->n->i64, bit), "");
    return LLVMBuildTrunc(f->b, variant, f->n->i1, "");
}

void native_kernel(Native *n, const KirFunc *of, const char *name)
{
    /* void (const uint64_t *args, const CsKernelAt *at) */
    LLVMTypeRef params[] = {n->ptr, n->ptr}, type = LLVMFunctionType(n->nothing, params, 2, false);
    Fn f = begin(n, of, name, type, false);
    for (unsigned i = 1; i <= 2; i++) {
        add_word(n, f.fn, i, "noalias");
        add_word(n, f.fn, i, "readonly");
    }
    f.at = LLVMGetParam(f.fn, 1);
    f.leave = fn_block(&f);
    f.stream = streaming(&f);
    take_args(&f, of, LLVMGetParam(f.fn, 0));
    fn_statements(&f, of->body);
    fn_go(&f, f.leave);
    fn_at(&f, f.leave);
    f.leave = NULL;
    if (f.stream && streams(of->body)) { /* such stores are in no order with others */
        LLVMBasicBlockRef fence = fn_block(&f), after = fn_block(&f);
        LLVMBuildCondBr(f.b, f.stream, fence, after);
        fn_at(&f, fence);
        LLVMBuildFence(f.b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
        fn_go(&f, after);
        fn_at(&f, after);
    }
    end(&f);
    LLVMSetLinkage(f.fn, LLVMExternalLinkage);
    LLVMSetVisibility(f.fn, LLVMHiddenVisibility);
}
