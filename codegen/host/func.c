/* Functions: declarations, prologue and epilogue, returns. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "value/value.h"

enum { INLINE_BLOCKS = 40 };

/* ---- declarations ---------------------------------------------------------------------------- */

static int by_symbol(const void *a, const void *b)
{
    const Symbol *x = ((const HostFuncInfo *)a)->sym, *y = ((const HostFuncInfo *)b)->sym;
    return (x > y) - (x < y);
}

const HostFuncInfo *host_find_func(const HostModule *m, const Symbol *sym)
{
    HostFuncInfo key = {.sym = (Symbol *)sym};
    return bsearch(&key, m->funcs, (size_t)m->nfuncs, sizeof *m->funcs, by_symbol);
}

const HostFuncInfo *host_func_info(const HostModule *m, const Symbol *sym)
{
    const HostFuncInfo *info = host_find_func(m, sym);
    if (!info) host_bug(m, sym->decl, "a function that sema does not list");
    return info;
}

/* "mul.float.int.int.float.int.int": assemblers take letters, digits and dots everywhere; the dot
 * after the name keeps it apart from names of C. */
static const char *mangled(HostModule *m, const Symbol *sym)
{
    Text t = {0};
    if (sym->cls) text_printf(&t, "%s.", sym->cls->mangled);
    text_printf(&t, "%s.", sym->is_ctor ? "new" : sym->name);
    size_t keep = sym->cls ? 1 : t.len;
    for (int i = 0; i < sym->type->nparams; i++) {
        if (i) text_add(&t, ",");
        type_print(&t, sym->type->params[i]);
    }
    for (size_t i = t.len; i-- > keep;)
        if (ispunct((unsigned char)t.data[i]) || t.data[i] == ' ') t.data[i] = '.';
    size_t len = keep;
    for (size_t i = keep; i < t.len; i++)
        if (t.data[i] != '.' || t.data[len - 1] != '.') t.data[len++] = t.data[i];
    if (len > keep && t.data[len - 1] == '.') len--;
    const char *name = arena_strndup(m->arena, t.data, len);
    text_free(&t);
    return name;
}

/* What clashes is numbered, but not by LLVM, which goes on counting over all of the program's names: units have these
 * names, too (unit.c). */
static const char *name_of(HostModule *m, const Symbol *sym)
{
    const char *name = mangled(m, sym), *free = name;
    for (int n = 2; LLVMGetNamedFunction(m->mod, free); n++)
        free = arena_printf(m->arena, "%s.%d", name, n);
    return free;
}

void host_declare_functions(HostModule *m)
{
    m->nfuncs = m->sema->nfuncs;
    m->funcs = arena_array(m->arena, HostFuncInfo, m->nfuncs + 1);
    for (int i = 0; i < m->nfuncs; i++) { /* in source order, for the printed module */
        HostFuncInfo *info = &m->funcs[i];
        info->sym = m->sema->funcs[i];
        info->params = info->sym->decl->func.params;
        info->body = info->sym->decl->func.body;
        info->type = host_func_type(m, info->sym, info->params);
        info->fn = host_null(m);
        if (!info->body) continue; /* abstract */
        info->unit = host_effort_unit(m, info->sym);
        info->fn = LLVMAddFunction(m->mod, name_of(m, info->sym), info->type);
        LLVMSetLinkage(info->fn, LLVMInternalLinkage);
        host_attribute(m, info->fn, "nounwind");
    }
    qsort(m->funcs, (size_t)m->nfuncs, sizeof *m->funcs, by_symbol);
}

LLVMValueRef host_add_function(HostModule *m, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMAddFunction(m->mod, name, type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    host_attribute(m, fn, "nounwind");
    LLVMPositionBuilderAtEnd(m->b, LLVMAppendBasicBlockInContext(m->ctx, fn, "entry"));
    return fn;
}

/* ---- functions ------------------------------------------------------------------------------- */

static LLVMBasicBlockRef begin(HostFunc *f, Loc loc)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(f->m->ctx, f->fn, "entry");
    LLVMBasicBlockRef start = host_block(f, "start");
    f->region = &f->body;
    LLVMPositionBuilderAtEnd(f->m->entry, entry);
    f->frame = LLVMBuildArrayAlloca(f->m->entry, f->m->ptr, host_int(f->m, 1), "frame");
    LLVMPositionBuilderAtEnd(f->m->b, start);
    host_debug_function(f, loc);
    host_debug_at(f, loc);
    return start;
}

/* Returns what the function gives when nothing says otherwise: after an exception, at the end of a
 * function without a result. A record's constructor gives `this`. */
static void emit_end(HostFunc *f)
{
    LLVMBuilderRef b = f->m->b;
    LLVMTypeRef t = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    if (f->coroutine)
        host_coroutine_return(f);
    else if (t == f->m->void_type)
        LLVMBuildRetVoid(b);
    else if (f->makes)
        LLVMBuildRet(b, host_load(f, f->self->host, f->self->type));
    else
        LLVMBuildRet(b, LLVMConstNull(t));
}

static void emit_result(HostFunc *f);

static void finish(HostFunc *f, LLVMBasicBlockRef start)
{
    HostModule *m = f->m;
    if (!host_ended(f)) {
        host_leave_scope(f, 0);
        emit_end(f);
    }
    if (f->on_return) {
        host_enter(f, f->on_return);
        emit_result(f);
    }
    if (f->body.landings.len) {
        LLVMBasicBlockRef last = host_block(f, "failed");
        host_emit_landings(f, &f->body, last);
        host_enter(f, last);
        emit_end(f);
    }
    if (f->coroutine) host_coroutine_finish(f);
    if (f->nslots) {
        LLVMSetOperand(f->frame, 0, host_int(m, f->nslots));
        LLVMValueRef size = host_long(m, (int64_t)f->nslots * 8);
        if (!f->coroutine)
            LLVMBuildMemSet(m->entry, f->frame, LLVMConstInt(m->i8, 0, false), size, 8);
    } else {
        LLVMInstructionEraseFromParent(f->frame);
    }
    LLVMBuildBr(m->entry, start);
    vec_free(&f->scope);
    vec_free(&f->temps);
    vec_free(&f->spare);
    vec_free(&f->facts);
    vec_free(&f->body.landings);
    host_debug_none(m);
}

/* ---- returns --------------------------------------------------------------------------------- */

/* A local variable that dies here hands its reference over. */
static LLVMValueRef moved(HostFunc *f, Ast *value)
{
    if (value->kind != AST_NAME_REF || !value->sym || host_has_finally(f)) return NULL;
    if (!host_in_scope(f, value->sym->host)) return NULL;
    LLVMValueRef v = LLVMBuildLoad2(f->m->b, f->m->ptr, value->sym->host, "");
    LLVMBuildStore(f->m->b, host_null(f->m), value->sym->host);
    return v;
}

/* What a return through `finally` left in f->result. */
static void emit_result(HostFunc *f)
{
    HostModule *m = f->m;
    LLVMTypeRef t = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    if (!f->result) {
        emit_end(f);
        return;
    }
    LLVMValueRef v = LLVMBuildLoad2(m->b, t, f->result, "");
    if (t == m->ptr) LLVMBuildStore(m->b, host_null(m), f->result);
    LLVMBuildRet(m->b, v);
}

/* The value waits while what is `finally` runs. */
static void return_later(HostFunc *f, LLVMValueRef v)
{
    HostModule *m = f->m;
    LLVMTypeRef t = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    if (!f->on_return) f->on_return = host_block(f, "return");
    if (v && !f->result)
        f->result = t == m->ptr ? host_frame_slot(f, "result") : host_alloca(f, t, "result");
    if (v) LLVMBuildStore(m->b, v, f->result);
    host_jump_out(f, f->on_return, NULL, 0);
}

void host_return(HostFunc *f, Ast *n)
{
    Ast *value = n->return_.value;
    LLVMValueRef v = NULL;
    if (value && type_is_ref(value->type)) {
        v = moved(f, value);
        if (!v) v = host_owned(f, value);
    } else if (value) {
        v = host_value(f, value);
        if (value->type->kind == TY_VOID) v = NULL;
    }
    host_release_temps(f, 0);
    if (host_has_finally(f)) {
        return_later(f, v);
        return;
    }
    host_release_scope(f, 0);
    if (v)
        LLVMBuildRet(f->m->b, v);
    else
        emit_end(f);
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_written(const HostFuncInfo *info, const Symbol *param)
{
    for (size_t i = 0; i < info->written.len; i++)
        if (info->written.data[i] == param) return true;
    return false;
}

/* Parameters by value are borrowed from the caller; one that the body assigns gets a reference of
 * its own, so that writing an element copies the array. */
static void bind_param(HostFunc *f, const HostFuncInfo *info, const Ast *p, unsigned i)
{
    Symbol *sym = p->sym;
    LLVMValueRef v = LLVMGetParam(f->fn, i);
    LLVMSetValueName2(v, sym->name, strlen(sym->name));
    if (p->param.mode == AST_OP_REF || p->param.mode == AST_OP_OUT) {
        sym->host = v;
        return;
    }
    if (type_is_ref(sym->type) && is_written(info, sym)) {
        sym->host = host_variable(f, sym->type, sym->name);
        v = host_call_runtime(f, ABI_cs_retain, &v, 1, p->loc);
    } else {
        sym->host = host_alloca(f, host_stored_type(f->m, sym->type), sym->name);
    }
    host_store(f, sym->host, v, sym->type);
    host_debug_variable(f, sym->host, sym, (int)i + 1);
}

/* `this`: the first parameter, or the record that a constructor makes. */
static void bind_self(HostFunc *f, Symbol *self)
{
    HostModule *m = f->m;
    f->self = self;
    f->makes = !host_takes_self(f->sym);
    self->host = host_alloca(f, host_stored_type(m, self->type), "this");
    LLVMValueRef v = LLVMConstNull(host_stored_type(m, self->type));
    if (!f->makes) {
        v = LLVMGetParam(f->fn, 0);
        LLVMSetValueName2(v, "this", 4);
    }
    host_store(f, self->host, v, self->type);
    host_debug_variable(f, self->host, self, f->makes ? 0 : 1);
}

/* "Class.Method" */
static const char *display_name(const HostModule *m, const Symbol *sym)
{
    if (!sym->cls) return sym->name;
    const char *class = sym->cls->type->name ? sym->cls->type->name : sym->cls->sym->name;
    return arena_printf(m->arena, "%s.%s", class, sym->is_ctor ? "new" : sym->name);
}

void host_emit_function(HostModule *m, const HostFuncInfo *info)
{
    const Symbol *sym = info->sym;
    if (!info->body) return;
    HostFunc f = {.m = m, .fn = info->fn, .sym = sym, .name = display_name(m, sym)};
    f.ret = sym->type->result;
    host_forget_locals(info->body);
    host_lighten(&f);
    LLVMBasicBlockRef start = begin(&f, sym->decl->loc);
    if (info->yields) host_coroutine_begin(&f, sym->decl->loc);
    if (sym->self) bind_self(&f, sym->self);
    for (int i = 0; i < info->params.len; i++)
        bind_param(&f, info, info->params.data[i], (unsigned)(i + host_takes_self(sym)));
    if (info->recurs && !info->yields) host_check_stack(&f, sym->decl->loc);
    host_stmt(&f, info->body);
    if (f.body.landings.len && !info->throws)
        host_bug(m, sym->decl, "a function throws that callers take for one that does not");
    finish(&f, start);
    /* LLVM would inline what is called once whatever its size: the callers of many such functions
     * would grow without bound, and with them the time that optimising takes. */
    if (LLVMCountBasicBlocks(f.fn) > INLINE_BLOCKS) host_attribute(m, f.fn, "noinline");
}

static Symbol *find_main(const HostModule *m)
{
    for (int i = 0; i < m->sema->nfuncs; i++)
        if (strcmp(m->sema->funcs[i]->name, "Main") == 0) return m->sema->funcs[i];
    return NULL;
}

/* Instead of top-level statements: void or int Main(), or with string[] args. */
static void call_main(HostFunc *f, Symbol *sym)
{
    HostModule *m = f->m;
    const HostFuncInfo *info = host_func_info(m, sym);
    LLVMValueRef args = NULL;
    if (sym->type->nparams)
        args = host_temp(f, host_call_runtime(f, ABI_cs_args, NULL, 0, sym->loc));
    LLVMValueRef code = LLVMBuildCall2(m->b, info->type, info->fn, &args, args ? 1 : 0, "");
    host_release_temps(f, 0);
    if (type_is_scalar(sym->type->result, SC_INT)) LLVMBuildRet(m->b, code);
}

/* static int program(void): the top-level statements; the exit code. */
LLVMValueRef host_emit_program(HostModule *m)
{
    AstList stmts = m->sema->unit->unit.stmts;
    LLVMTypeRef type = LLVMFunctionType(m->i32, NULL, 0, false);
    HostFunc f = {.m = m, .name = "top level"};
    f.fn = LLVMAddFunction(m->mod, "program", type);
    LLVMSetLinkage(f.fn, LLVMInternalLinkage);
    host_attribute(m, f.fn, "nounwind");
    host_lighten(&f);
    Loc loc = stmts.len ? stmts.data[0]->loc : m->sema->unit->loc;
    LLVMBasicBlockRef start = begin(&f, loc);
    host_init_statics(&f);
    if (m->options->library) stmts = (AstList){0}; /* its static fields are all that is made */
    bool alone = !m->options->library && !m->options->session;
    Symbol *entry = stmts.len || !alone ? NULL : find_main(m);
    Symbol *args = host_scan_args(stmts);
    if (args) {
        args->host = host_variable(&f, args->type, args->name);
        host_store(&f, args->host, host_call_runtime(&f, ABI_cs_args, NULL, 0, loc), args->type);
    }
    if (entry)
        call_main(&f, entry);
    else
        host_stmts(&f, stmts);
    finish(&f, start);
    return f.fn;
}
