/* Functions with yield, which sema has given the form
 *
 *     void f(cursor, ..) { cursor.Frame = $Begin(); $Yield(); ..; $Yield(); .. }
 *
 * as coroutines of LLVM's: its passes make one function that begins, one that goes on where $Yield was, one
 * that gives up the frame. What lives across a $Yield is in the frame, which is part of an object of the
 * runtime's (runtime/objects/coroutine.c).
 *
 *     start:      make the object; begin the frame
 *     clear:      slots of references = NULL, which are told to the object
 *     ..          suspend, to go on or to be abandoned
 *     abandoned:  release all slots; no `finally` runs
 *     ended:      suspend for good; every end of the function comes here
 *     suspended:  back to who called
 */
#include <string.h>

#include "../value/value.h"

struct HostCoroutine {
    LLVMValueRef object, frame, id;
    LLVMBasicBlockRef clear, body, abandoned, ended, suspended;
};

static LLVMValueRef intrinsic(HostFunc *f, const char *name, LLVMTypeRef over, LLVMValueRef *args,
                              unsigned n)
{
    HostModule *m = f->m;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) host_bug(m, NULL, name);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(m->mod, id, &over, over ? 1 : 0);
    LLVMTypeRef type = LLVMIntrinsicGetType(m->ctx, id, &over, over ? 1 : 0);
    return LLVMBuildCall2(m->b, type, fn, args, n < LLVMCountParams(fn) ? n : LLVMCountParams(fn),
                          "");
}

static LLVMValueRef no_token(const HostModule *m)
{
    return LLVMConstNull(LLVMTokenTypeInContext(m->ctx));
}

static LLVMValueRef bit(const HostModule *m, bool v)
{
    return LLVMConstInt(m->i1, v, false);
}

void host_coroutine_begin(HostFunc *f, Loc loc)
{
    HostModule *m = f->m;
    HostCoroutine *c = f->coroutine = arena_new_of(m->arena, HostCoroutine);
    host_attribute(m, f->fn, "presplitcoroutine");
    c->clear = host_block(f, "clear");
    c->body = host_block(f, "body");
    c->abandoned = host_block(f, "abandoned");
    c->ended = host_block(f, "ended");
    c->suspended = host_block(f, "suspended");
    LLVMValueRef none = host_null(m), args[] = {host_int(m, 0), none, none, none};
    c->id = intrinsic(f, "llvm.coro.id", NULL, args, 4);
    LLVMValueRef size = intrinsic(f, "llvm.coro.size", m->i64, NULL, 0);
    c->object = host_call_runtime(f, ABI_cs_coroutine, &size, 1, loc);
    LLVMBasicBlockRef fails = host_block(f, "fails"), begins = host_block(f, "begins");
    host_branch_cold(f, LLVMBuildIsNull(m->b, c->object, ""), fails, begins);
    host_enter(f, fails);
    LLVMBuildRetVoid(m->b);
    host_enter(f, begins);
    LLVMValueRef room = host_call_runtime(f, ABI_cs_coroutine_frame, &c->object, 1, loc);
    LLVMValueRef begin[] = {c->id, room};
    c->frame = intrinsic(f, "llvm.coro.begin", NULL, begin, 2);
    LLVMBuildBr(m->b, c->clear);
    host_enter(f, c->clear);
    host_enter(f, c->body);
}

LLVMValueRef host_coroutine_object(HostFunc *f)
{
    return f->coroutine->object;
}

static void suspend(HostFunc *f, bool last, LLVMBasicBlockRef next)
{
    HostModule *m = f->m;
    HostCoroutine *c = f->coroutine;
    LLVMValueRef args[] = {no_token(m), bit(m, last)};
    LLVMValueRef way = intrinsic(f, "llvm.coro.suspend", NULL, args, 2);
    LLVMValueRef to = LLVMBuildSwitch(m->b, way, c->suspended, 2);
    LLVMAddCase(to, LLVMConstInt(m->i8, 0, false), next);
    LLVMAddCase(to, LLVMConstInt(m->i8, 1, false), last ? c->suspended : c->abandoned);
}

void host_yield(HostFunc *f)
{
    LLVMBasicBlockRef next = host_block(f, "goes_on");
    suspend(f, false, next);
    host_enter(f, next);
}

void host_coroutine_return(HostFunc *f)
{
    LLVMBuildBr(f->m->b, f->coroutine->ended);
}

void host_coroutine_finish(HostFunc *f)
{
    HostModule *m = f->m;
    HostCoroutine *c = f->coroutine;
    LLVMBasicBlockRef never = host_block(f, "never");
    host_enter(f, c->ended);
    suspend(f, true, never);
    host_enter(f, never);
    LLVMBuildUnreachable(m->b);
    host_enter(f, c->abandoned);
    if (f->nslots) host_release_slots(f, 0, f->nslots);
    LLVMBuildBr(m->b, c->suspended);
    host_enter(f, c->suspended);
    LLVMValueRef args[] = {c->frame, bit(m, false), no_token(m)};
    intrinsic(f, "llvm.coro.end", NULL, args, 3);
    LLVMBuildRetVoid(m->b);
    LLVMPositionBuilderAtEnd(m->b, c->clear);
    LLVMValueRef slots = host_null(m);
    if (f->nslots) {
        slots = f->frame;
        LLVMValueRef size = host_long(m, (int64_t)f->nslots * 8);
        LLVMBuildMemSet(m->b, slots, LLVMConstInt(m->i8, 0, false), size, 8);
    }
    LLVMValueRef told[] = {c->object, slots, host_long(m, f->nslots)};
    host_call_runtime(f, ABI_cs_coroutine_slots, told, 3, (Loc){0, 0, 0});
    LLVMBuildBr(m->b, c->body);
}

bool host_has_coroutines(LLVMModuleRef mod)
{
    return LLVMGetNamedFunction(mod, "llvm.coro.begin") != NULL;
}
