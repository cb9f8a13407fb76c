/* Functions: declarations, prologue and epilogue, blocks, variables, and who owns which reference.
 * Keeps: the references that a function owns are in its frame, an array in the entry block whose
 * slots are NULL whenever they own nothing; blocks that exceptions reach release them. The frame
 * stays in memory (as values its slots would meet there, from every call), and each such block is
 * reached from few places: LLVM's passes take time in the square of that number. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"

enum { INLINE_BLOCKS = 40, LANDING_EDGES = 16 };

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
 * after the name keeps it apart from names of C. LLVM numbers what still clashes. */
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
        info->fn = LLVMAddFunction(m->mod, mangled(m, info->sym), info->type);
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

/* ---- blocks ---------------------------------------------------------------------------------- */

LLVMBasicBlockRef host_block(HostFunc *f, const char *name)
{
    return LLVMAppendBasicBlockInContext(f->m->ctx, f->fn, name);
}

void host_enter(HostFunc *f, LLVMBasicBlockRef block)
{
    /* Blocks are made before what comes between them: keep the printed order that of the code. */
    LLVMMoveBasicBlockAfter(block, LLVMGetLastBasicBlock(f->fn));
    LLVMPositionBuilderAtEnd(f->m->b, block);
}

bool host_ended(const HostFunc *f)
{
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->m->b)) != NULL;
}

void host_jump(HostFunc *f, LLVMBasicBlockRef to)
{
    if (!host_ended(f)) LLVMBuildBr(f->m->b, to);
}

void host_branch_cold(HostFunc *f, LLVMValueRef cond, LLVMBasicBlockRef cold,
                      LLVMBasicBlockRef next)
{
    HostModule *m = f->m;
    LLVMValueRef br = LLVMBuildCondBr(m->b, cond, cold, next);
    if (LLVMIsConstant(cond)) return;
    LLVMMetadataRef weights[] = {LLVMMDStringInContext2(m->ctx, "branch_weights", 14),
                                 LLVMValueAsMetadata(host_int(m, 1)),
                                 LLVMValueAsMetadata(host_int(m, 4000))};
    LLVMSetMetadata(br, LLVMGetMDKindIDInContext(m->ctx, "prof", 4),
                    LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, weights, 3)));
}

LLVMBasicBlockRef host_unwind(HostFunc *f)
{
    HostRegion *r = f->region;
    HostLanding *last = r->landings.len ? &vec_last(&r->landings) : NULL;
    if (!last || last->nedges == LANDING_EDGES) {
        HostLanding next = {host_block(f, "unwind"), last ? f->nslots : r->first_slot, 0};
        vec_push(&r->landings, next);
        last = &vec_last(&r->landings);
    }
    last->nedges++;
    return last->block;
}

/* ---- variables ------------------------------------------------------------------------------- */

LLVMValueRef host_alloca(HostFunc *f, LLVMTypeRef type, const char *name)
{
    return LLVMBuildAlloca(f->m->entry, type, name);
}

LLVMValueRef host_buffer(HostFunc *f, int n)
{
    if (n > HOST_MAX_ARGS) /* rare: a long interpolation */
        return host_alloca(f, LLVMArrayType(f->m->i64, (unsigned)n), "values");
    if (!f->buffers[n])
        f->buffers[n] = host_alloca(f, LLVMArrayType(f->m->i64, (unsigned)n), "values");
    return f->buffers[n];
}

static LLVMValueRef owning_slot(HostFunc *f, const char *name)
{
    LLVMValueRef index = host_int(f->m, f->nslots++);
    return LLVMBuildInBoundsGEP2(f->m->entry, f->m->ptr, f->frame, &index, 1, name);
}

LLVMValueRef host_slot(HostFunc *f, const char *name)
{
    LLVMValueRef slot = owning_slot(f, name);
    vec_push(&f->scope, slot);
    return slot;
}

LLVMValueRef host_variable(HostFunc *f, const Type *type, const char *name)
{
    if (!type_is_ref(type)) return host_alloca(f, host_stored_type(f->m, type), name);
    return host_slot(f, name);
}

static bool in_scope(const HostFunc *f, LLVMValueRef slot)
{
    for (size_t i = 0; i < f->scope.len; i++)
        if (f->scope.data[i] == slot) return true;
    return false;
}

/* A condition may be emitted several times, before and within its loop: one variable for all. */
void host_declare_local(HostFunc *f, Symbol *sym)
{
    if (sym->host && (!type_is_ref(sym->type) || in_scope(f, sym->host))) return;
    sym->host = host_variable(f, sym->type, sym->name);
    host_debug_variable(f, sym->host, sym, 0);
}

static void release_slot(HostFunc *f, LLVMValueRef slot)
{
    LLVMValueRef v = LLVMBuildLoad2(f->m->b, f->m->ptr, slot, "");
    host_call_runtime(f, ABI_cs_release, &v, 1, (Loc){0, 0, 0});
    LLVMBuildStore(f->m->b, host_null(f->m), slot);
}

void host_release_scope(HostFunc *f, size_t mark)
{
    if (host_ended(f)) return;
    for (size_t i = f->scope.len; i-- > mark;) release_slot(f, f->scope.data[i]);
}

void host_leave_scope(HostFunc *f, size_t mark)
{
    host_release_scope(f, mark);
    f->scope.len = mark;
}

bool host_is_local(const HostFunc *f, LLVMValueRef slot)
{
    return LLVMIsAAllocaInst(slot) ||
           (LLVMIsAGetElementPtrInst(slot) && LLVMGetOperand(slot, 0) == f->frame);
}

LLVMValueRef host_temp(HostFunc *f, LLVMValueRef ref)
{
    LLVMValueRef slot;
    if (f->spare.len > f->nspare) {
        slot = vec_last(&f->spare);
        f->spare.len--;
    } else {
        slot = owning_slot(f, "temp");
    }
    LLVMBuildStore(f->m->b, ref, slot);
    vec_push(&f->temps, slot);
    return ref;
}

void host_untemp(HostFunc *f, LLVMValueRef slot)
{
    LLVMBuildStore(f->m->b, host_null(f->m), slot);
    for (size_t i = f->temps.len; i-- > 0;)
        if (f->temps.data[i] == slot) {
            f->temps.data[i] = vec_last(&f->temps);
            f->temps.len--;
            vec_push(&f->spare, slot);
            return;
        }
}

void host_release_temps(HostFunc *f, size_t mark)
{
    while (f->temps.len > mark) {
        LLVMValueRef slot = vec_last(&f->temps);
        f->temps.len--;
        if (!host_ended(f)) release_slot(f, slot);
        vec_push(&f->spare, slot);
    }
}

LLVMValueRef host_from_stored(HostFunc *f, LLVMValueRef v, const Type *type)
{
    HostModule *m = f->m;
    if (!type_is_scalar(type, SC_BOOL)) return v;
    return LLVMBuildICmp(m->b, LLVMIntNE, v, LLVMConstInt(m->i8, 0, false), "");
}

LLVMValueRef host_to_stored(HostFunc *f, LLVMValueRef v, const Type *type)
{
    return type_is_scalar(type, SC_BOOL) ? LLVMBuildZExt(f->m->b, v, f->m->i8, "") : v;
}

LLVMValueRef host_load(HostFunc *f, LLVMValueRef from, const Type *type)
{
    LLVMValueRef v = LLVMBuildLoad2(f->m->b, host_stored_type(f->m, type), from, "");
    return host_from_stored(f, v, type);
}

void host_store(HostFunc *f, LLVMValueRef to, LLVMValueRef value, const Type *type)
{
    LLVMBuildStore(f->m->b, host_to_stored(f, value, type), to);
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
    if (t == f->m->void_type)
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
    if (f->nslots) {
        LLVMSetOperand(f->frame, 0, host_int(m, f->nslots));
        LLVMValueRef size = host_long(m, (int64_t)f->nslots * 8);
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
    if (!in_scope(f, value->sym->host)) return NULL;
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
        f->result = t == m->ptr ? owning_slot(f, "result") : host_alloca(f, t, "result");
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
    host_lighten(&f);
    LLVMBasicBlockRef start = begin(&f, sym->decl->loc);
    if (sym->self) bind_self(&f, sym->self);
    for (int i = 0; i < info->params.len; i++)
        bind_param(&f, info, info->params.data[i], (unsigned)(i + host_takes_self(sym)));
    if (info->recurs) host_check_stack(&f, sym->decl->loc);
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
    Symbol *entry = stmts.len ? NULL : find_main(m);
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
