/* The inside of a function: blocks, variables, and who owns which reference.
 * Keeps: the references that a function owns are in its frame, an array in the entry block whose
 * slots are NULL whenever they own nothing; blocks that exceptions reach release them. The frame
 * stays in memory (as values its slots would meet there, from every call), and each such block is
 * reached from few places: LLVM's passes take time in the square of that number. */
#include "value/value.h"

enum { LANDING_EDGES = 16 };

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

LLVMValueRef host_frame_slot(HostFunc *f, const char *name)
{
    LLVMValueRef index = host_int(f->m, f->nslots++);
    return LLVMBuildInBoundsGEP2(f->m->entry, f->m->ptr, f->frame, &index, 1, name);
}

LLVMValueRef host_slot(HostFunc *f, const char *name)
{
    LLVMValueRef slot = host_frame_slot(f, name);
    vec_push(&f->scope, slot);
    return slot;
}

LLVMValueRef host_variable(HostFunc *f, const Type *type, const char *name)
{
    if (!type_is_ref(type)) return host_alloca(f, host_stored_type(f->m, type), name);
    return host_slot(f, name);
}

bool host_in_scope(const HostFunc *f, LLVMValueRef slot)
{
    for (size_t i = 0; i < f->scope.len; i++)
        if (f->scope.data[i] == slot) return true;
    return false;
}

/* A condition may be emitted several times, before and within its loop: one variable for all. */
void host_declare_local(HostFunc *f, Symbol *sym)
{
    if (host_session_variable(f, sym)) return;
    if (sym->host && (!type_is_ref(sym->type) || host_in_scope(f, sym->host))) return;
    sym->host = host_variable(f, sym->type, sym->name);
    host_debug_variable(f, sym->host, sym, 0);
}

void host_release_slot(HostFunc *f, LLVMValueRef slot)
{
    LLVMValueRef v = LLVMBuildLoad2(f->m->b, f->m->ptr, slot, "");
    host_call_runtime(f, ABI_cs_release, &v, 1, (Loc){0, 0, 0});
    LLVMBuildStore(f->m->b, host_null(f->m), slot);
}

void host_release_scope(HostFunc *f, size_t mark)
{
    if (host_ended(f)) return;
    for (size_t i = f->scope.len; i-- > mark;) host_release_slot(f, f->scope.data[i]);
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
        slot = host_frame_slot(f, "temp");
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
        if (!host_ended(f)) host_release_slot(f, slot);
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
