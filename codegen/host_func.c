/* Functions: declarations, prologue and epilogue, blocks, variables, and who owns which reference.
 * Keeps: the references that a function owns are in its frame, an array in the entry block whose
 * slots are NULL whenever they own nothing; blocks that exceptions reach release them. The frame
 * stays in memory (as values its slots would meet there, from every call), and each such block is
 * reached from few places: LLVM's passes take time in the square of that number. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "host_impl.h"

enum { INLINE_BLOCKS = 40, LANDING_EDGES = 16 };

/* ---- declarations -------------------------------------------------------------------------------
 */

static int by_symbol(const void *a, const void *b)
{
    const Symbol *x = ((const HostFuncInfo *)a)->sym, *y = ((const HostFuncInfo *)b)->sym;
    return (x > y) - (x < y);
}

const HostFuncInfo *host_func_info(const HostModule *m, const Symbol *sym)
{
    HostFuncInfo key = {.sym = (Symbol *)sym};
    const HostFuncInfo *info =
        bsearch(&key, m->funcs, (size_t)m->nfuncs, sizeof *m->funcs, by_symbol);
    if (!info) host_bug(m, sym->decl, "a function that sema does not list");
    return info;
}

/* "mul.float.int.int.float.int.int": assemblers take letters, digits and dots everywhere; the dot
 * after the name keeps it apart from names of C. LLVM numbers what still clashes. */
static const char *mangled(HostModule *m, const Symbol *sym)
{
    Text t = {0};
    text_printf(&t, "%s.", sym->name);
    size_t keep = t.len;
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
        info->type = host_func_type(m, info->sym);
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

/* ---- blocks
 * --------------------------------------------------------------------------------------- */

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
    HostLanding *last = f->landings.len ? &vec_last(&f->landings) : NULL;
    if (!last || last->nedges == LANDING_EDGES) {
        HostLanding next = {host_block(f, "unwind"), last ? f->nslots : 0, 0};
        vec_push(&f->landings, next);
        last = &vec_last(&f->landings);
    }
    last->nedges++;
    return last->block;
}

/* ---- variables
 * ------------------------------------------------------------------------------------- */

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

LLVMValueRef host_variable(HostFunc *f, const Type *type, const char *name)
{
    if (!type_is_ref(type)) return host_alloca(f, host_stored_type(f->m, type), name);
    LLVMValueRef slot = owning_slot(f, name);
    vec_push(&f->scope, slot);
    return slot;
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
    if (f->spare.len) {
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

LLVMValueRef host_load(HostFunc *f, LLVMValueRef from, const Type *type)
{
    HostModule *m = f->m;
    LLVMValueRef v = LLVMBuildLoad2(m->b, host_stored_type(m, type), from, "");
    if (!type_is_scalar(type, SC_BOOL)) return v;
    return LLVMBuildICmp(m->b, LLVMIntNE, v, LLVMConstInt(m->i8, 0, false), "");
}

void host_store(HostFunc *f, LLVMValueRef to, LLVMValueRef value, const Type *type)
{
    HostModule *m = f->m;
    if (type_is_scalar(type, SC_BOOL)) value = LLVMBuildZExt(m->b, value, m->i8, "");
    LLVMBuildStore(m->b, value, to);
}

/* ---- functions
 * ------------------------------------------------------------------------------------- */

static LLVMBasicBlockRef begin(HostFunc *f, Loc loc)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(f->m->ctx, f->fn, "entry");
    LLVMBasicBlockRef start = host_block(f, "start");
    LLVMPositionBuilderAtEnd(f->m->entry, entry);
    f->frame = LLVMBuildArrayAlloca(f->m->entry, f->m->ptr, host_int(f->m, 1), "frame");
    LLVMPositionBuilderAtEnd(f->m->b, start);
    host_debug_function(f, loc);
    host_debug_at(f, loc);
    return start;
}

static LLVMValueRef zero(const HostFunc *f)
{
    LLVMTypeRef t = LLVMGetReturnType(LLVMGlobalGetValueType(f->fn));
    return t == f->m->void_type ? NULL : LLVMConstNull(t);
}

/* Each landing releases the slots that were made while it was the newest, then goes on to the one
 * before. */
static void emit_landings(HostFunc *f)
{
    HostModule *m = f->m;
    int end = f->nslots;
    for (size_t i = f->landings.len; i-- > 0;) {
        const HostLanding *l = &f->landings.data[i];
        host_enter(f, l->block);
        if (end > l->first_slot || i > 0) host_release_slots(f, l->first_slot, end);
        end = l->first_slot;
        if (i > 0) LLVMBuildBr(m->b, f->landings.data[i - 1].block);
    }
    if (!f->landings.len) return;
    LLVMValueRef v = zero(f);
    v ? LLVMBuildRet(m->b, v) : LLVMBuildRetVoid(m->b);
}

static void finish(HostFunc *f, LLVMBasicBlockRef start)
{
    HostModule *m = f->m;
    if (!host_ended(f)) {
        host_leave_scope(f, 0);
        LLVMValueRef v = zero(f);
        v ? LLVMBuildRet(m->b, v) : LLVMBuildRetVoid(m->b);
    }
    emit_landings(f);
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
    vec_free(&f->landings);
    host_debug_none(m);
}

static bool is_written(const HostFuncInfo *info, const Symbol *param)
{
    for (size_t i = 0; i < info->written.len; i++)
        if (info->written.data[i] == param) return true;
    return false;
}

/* Parameters by value are borrowed from the caller; one that the body assigns gets a reference of
 * its own, so that writing an element copies the array. */
static void bind_param(HostFunc *f, const HostFuncInfo *info, unsigned i)
{
    const Ast *p = info->sym->decl->func.params.data[i];
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

void host_emit_function(HostModule *m, const HostFuncInfo *info)
{
    const Ast *decl = info->sym->decl;
    HostFunc f = {.m = m, .fn = info->fn, .name = info->sym->name, .ret = info->sym->type->result};
    LLVMBasicBlockRef start = begin(&f, decl->loc);
    for (int i = 0; i < decl->func.params.len; i++) bind_param(&f, info, (unsigned)i);
    host_stmt(&f, decl->func.body);
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
    Loc loc = stmts.len ? stmts.data[0]->loc : m->sema->unit->loc;
    LLVMBasicBlockRef start = begin(&f, loc);
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
