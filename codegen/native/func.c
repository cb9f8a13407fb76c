/* Functions and kernels, their variables and blocks. A kernel is two functions: its body, with the
 * kernel's parameters, of which those that nobody else writes are known not to alias; and what the
 * runtime calls (CsKernelCode), which reads them from where the runtime has put them. */
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

void native_attributes(Native *n, LLVMValueRef fn)
{
    static const char *const widths[] = {
        [CG_NATIVE_V2] = "128", [CG_NATIVE_V3] = "256", [CG_NATIVE_V4] = "512"};
    add_word(n, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_text(n, fn, "target-cpu", cg_native_cpu(n->level));
    add_text(n, fn, "prefer-vector-width", widths[n->level]);
    add_text(n, fn, "min-legal-vector-width", widths[n->level]);
}

static LLVMTypeRef param_type(Native *n, const KirParam *p)
{
    return p->buffer ? n->ptr : native_type(n, p->type);
}

static Fn begin(Native *n, const KirFunc *of, LLVMTypeRef type, bool exact)
{
    Fn f = {.n = n, .exact = exact, .result = of->result};
    f.fn = LLVMAddFunction(n->mod, of->name, type);
    LLVMSetLinkage(f.fn, LLVMInternalLinkage);
    native_attributes(n, f.fn);
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
            LLVMValueRef place = fn_place(f, native_type(f->n, p->type));
            LLVMBuildStore(f->b, given, place);
            fn_declare(f, VAR_VALUE, p->name, p->type, place);
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
}

Function native_function(Native *n, const KirFunc *of, bool exact)
{
    LLVMTypeRef *params = arena_array(n->arena, LLVMTypeRef, of->nparams + 1);
    for (int i = 0; i < of->nparams; i++) params[i] = param_type(n, &of->params[i]);
    LLVMTypeRef type =
        LLVMFunctionType(native_type(n, of->result), params, (unsigned)of->nparams, false);
    Fn f = begin(n, of, type, exact);
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

/* The body: the kernel's parameters, then ids and sizes, then whether it streams. */
static Fn begin_body(Native *n, const KirFunc *of, LLVMTypeRef *type)
{
    LLVMTypeRef *params = arena_array(n->arena, LLVMTypeRef, of->nparams + 2);
    for (int i = 0; i < of->nparams; i++) params[i] = param_type(n, &of->params[i]);
    unsigned count = (unsigned)of->nparams;
    params[count] = n->ptr;
    params[count + 1] = n->i1;
    *type = LLVMFunctionType(n->nothing, params, count + 2, false);
    Fn f = begin(n, of, *type, false);
    add_word(n, f.fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline");
    take_params(&f, of);
    f.at = LLVMGetParam(f.fn, count);
    add_word(n, f.fn, count + 1, "noalias");
    add_word(n, f.fn, count + 1, "readonly");
    f.stream = LLVMGetParam(f.fn, count + 1);
    return f;
}

void native_kernel(Native *n, const KirFunc *of, const char *name)
{
    LLVMTypeRef body_type, params[] = {n->ptr, n->ptr};
    Fn body = begin_body(n, of, &body_type);
    fn_statements(&body, of->body);
    end(&body);
    /* void (const uint64_t *args, const CsKernelAt *at) */
    LLVMTypeRef type = LLVMFunctionType(n->nothing, params, 2, false);
    KirFunc outer = {.name = name, .kernel = true};
    Fn f = begin(n, &outer, type, true);
    LLVMValueRef given = LLVMGetParam(f.fn, 0), at = LLVMGetParam(f.fn, 1);
    LLVMValueRef *args = arena_array(n->arena, LLVMValueRef, of->nparams + 2);
    for (int i = 0; i < of->nparams; i++) {
        LLVMValueRef index = native_int(n->i64, i);
        LLVMValueRef place = LLVMBuildGEP2(f.b, n->i64, given, &index, 1, "");
        args[i] = LLVMBuildLoad2(f.b, param_type(n, &of->params[i]), place, "");
    }
    /* the variant, behind three ids and three sizes */
    LLVMValueRef six = native_int(n->i64, 6), place = LLVMBuildGEP2(f.b, n->i64, at, &six, 1, "");
    LLVMValueRef variant = LLVMBuildLoad2(f.b, n->i64, place, "");
    int bit = cg_plan_flag(n->plan, "CS_STREAM");
    LLVMValueRef streaming = LLVMConstInt(n->i1, 0, false);
    if (bit >= 0)
        streaming = LLVMBuildTrunc(f.b, LLVMBuildLShr(f.b, variant, native_int(n->i64, bit), ""),
                                   n->i1, "");
    args[of->nparams] = at;
    args[of->nparams + 1] = streaming;
    LLVMBuildCall2(f.b, body_type, body.fn, args, (unsigned)of->nparams + 2, "");
    if (bit >= 0 && streams(of->body)) { /* such stores are in no order with others */
        LLVMBasicBlockRef fence = fn_block(&f), after = fn_block(&f);
        LLVMBuildCondBr(f.b, streaming, fence, after);
        fn_at(&f, fence);
        LLVMBuildFence(f.b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
        fn_go(&f, after);
        fn_at(&f, after);
    }
    end(&f);
    LLVMSetLinkage(f.fn, LLVMExternalLinkage);
    LLVMSetVisibility(f.fn, LLVMHiddenVisibility);
}
