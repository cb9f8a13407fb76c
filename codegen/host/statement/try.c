/* Exceptions. A pending exception makes code branch to a landing of its region, which releases what
 * the region's code may own and goes on to the region's handler: of a try that tests its catches,
 * of a function its end. What is `finally` is made once: whoever leaves the region says in `way`
 * where to go afterwards.
 *
 *     try { body } catch (C e) when (w) { .. } finally { last }
 *
 *     body, catches in the region of `last`: leave it normally  way = 0
 *                                            by a jump          way = 1 + number of the exit
 *                                            by an exception    way = -1, the exception set aside
 *     finally: last; switch (way) ...
 *
 * Keeps: slots of the frame made within a region are NULL whenever its code is not running. */
#include "../value/value.h"

/* ---- regions --------------------------------------------------------------------------------- */

static void enter_region(HostFunc *f, HostRegion *r)
{
    r->outer = f->region;
    r->first_slot = f->nslots;
    r->scope = f->scope.len;
    r->nspare = f->nspare;
    f->nspare = f->spare.len; /* the slots to reuse are not its own */
    f->region = r;
}

/* What the region's landings do once they have released its slots goes to `handler`. */
static void leave_region(HostFunc *f, LLVMBasicBlockRef handler)
{
    HostRegion *r = f->region;
    f->region = r->outer;
    f->nspare = r->nspare;
    host_emit_landings(f, r, handler);
    vec_free(&r->landings);
}

/* Each landing releases the slots that were made while it was the newest, then goes on to the one
 * before. */
void host_emit_landings(HostFunc *f, HostRegion *r, LLVMBasicBlockRef handler)
{
    HostModule *m = f->m;
    int end = f->nslots;
    for (size_t i = r->landings.len; i-- > 0;) {
        const HostLanding *l = &r->landings.data[i];
        host_enter(f, l->block);
        if (end > l->first_slot) host_release_slots(f, l->first_slot, end);
        end = l->first_slot;
        LLVMBuildBr(m->b, i > 0 ? r->landings.data[i - 1].block : handler);
    }
}

bool host_has_finally(const HostFunc *f)
{
    for (const HostRegion *r = f->region; r; r = r->outer)
        if (r->finally) return true;
    return false;
}

void host_jump_out(HostFunc *f, LLVMBasicBlockRef to, HostRegion *outer, size_t scope)
{
    HostModule *m = f->m;
    HostRegion *r = f->region;
    while (r && r != outer && !r->finally) r = r->outer;
    if (!r || r == outer) {
        host_release_scope(f, scope);
        host_jump(f, to);
        return;
    }
    host_release_scope(f, r->scope);
    HostExit exit = {host_block(f, "leave"), to, scope, outer};
    vec_push(&r->exits, exit);
    LLVMBuildStore(m->b, host_int(m, (int64_t)r->exits.len), r->way);
    host_jump(f, r->finally);
}

/* ---- catch ----------------------------------------------------------------------------------- */

/* The filter of a clause; an exception in it counts as false. */
static void emit_filter(HostFunc *f, Ast *filter, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    HostModule *m = f->m;
    HostRegion region = {0};
    LLVMBasicBlockRef failed = host_block(f, "failed");
    enter_region(f, &region);
    size_t mark = f->temps.len;
    LLVMValueRef holds = host_value(f, filter);
    host_release_temps(f, mark);
    LLVMBuildCondBr(m->b, holds, yes, no);
    leave_region(f, failed);
    host_enter(f, failed);
    LLVMValueRef dropped = host_call_runtime(f, ABI_cs_catch, NULL, 0, filter->loc);
    host_call_runtime(f, ABI_cs_release, &dropped, 1, filter->loc);
    host_jump(f, no);
}

/* One clause: its body if the pending exception is its, else `next`. */
static void emit_catch(HostFunc *f, Ast *n, LLVMBasicBlockRef next, LLVMBasicBlockRef end)
{
    HostModule *m = f->m;
    size_t mark = f->scope.len;
    const Ast *ctype = n->catch_.ctype;
    host_debug_at(f, n->loc);
    if (ctype && ctype->type->kind == TY_OBJECT) {
        LLVMBasicBlockRef take = host_block(f, "catch");
        LLVMValueRef class = host_class(ctype->type)->descriptor;
        LLVMValueRef is = host_call_runtime(f, ABI_cs_catch_is, &class, 1, n->loc);
        LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntNE, is, host_int(m, 0), ""), take, next);
        host_enter(f, take);
    }
    LLVMValueRef slot = host_slot(f, n->sym ? n->sym->name : "caught"), outer = f->caught;
    LLVMBuildStore(m->b, host_call_runtime(f, ABI_cs_catch, NULL, 0, n->loc), slot);
    f->caught = slot;
    if (n->sym) {
        n->sym->host = slot;
        host_debug_variable(f, slot, n->sym, 0);
    }
    if (n->catch_.filter) {
        LLVMBasicBlockRef yes = host_block(f, "handle"), no = host_block(f, "refuse");
        emit_filter(f, n->catch_.filter, yes, no);
        host_enter(f, no);
        LLVMValueRef v = LLVMBuildLoad2(m->b, m->ptr, slot, "");
        host_call_runtime(f, ABI_cs_rethrow, &v, 1, n->loc);
        LLVMBuildStore(m->b, host_null(m), slot);
        host_call_runtime(f, ABI_cs_release, &v, 1, n->loc);
        host_jump(f, next);
        host_enter(f, yes);
    }
    if (n->sym && n->sym->assigned_again) { /* `throw;` throws what was caught all the same */
        LLVMValueRef own = host_slot(f, n->sym->name), v = LLVMBuildLoad2(m->b, m->ptr, slot, "");
        LLVMBuildStore(m->b, host_call_runtime(f, ABI_cs_retain, &v, 1, n->loc), own);
        n->sym->host = own;
    }
    host_stmt(f, n->catch_.body);
    host_leave_scope(f, mark);
    host_jump(f, end);
    f->caught = outer;
}

static void emit_catches(HostFunc *f, Ast *n)
{
    AstList catches = n->try_.catches;
    if (!catches.len) {
        host_stmt(f, n->try_.body);
        return;
    }
    HostRegion region = {0};
    LLVMBasicBlockRef handler = host_block(f, "handler"), end = host_block(f, "end");
    enter_region(f, &region);
    host_stmt(f, n->try_.body);
    host_jump(f, end);
    leave_region(f, handler);
    host_enter(f, handler);
    for (int i = 0; i < catches.len; i++) {
        LLVMBasicBlockRef next = host_block(f, "next");
        emit_catch(f, catches.data[i], next, end);
        host_enter(f, next);
    }
    host_jump(f, host_unwind(f)); /* after a catch of everything nothing comes here */
    host_enter(f, end);
}

/* ---- finally --------------------------------------------------------------------------------- */

/* The jumps that waited: on from here, in the region around. */
static void emit_exits(HostFunc *f, HostRegion *r)
{
    for (size_t i = 0; i < r->exits.len; i++) {
        const HostExit *e = &r->exits.data[i];
        host_enter(f, e->from);
        host_jump_out(f, e->to, e->outer, e->scope);
    }
    vec_free(&r->exits);
}

static void emit_finally(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    HostRegion region = {0}, last = {0};
    LLVMBasicBlockRef handler = host_block(f, "handler"), again = host_block(f, "throw"),
                      replaced = host_block(f, "replaced"), end = host_block(f, "end");
    LLVMValueRef saved = host_alloca(f, m->ptr, "saved");
    region.way = host_alloca(f, m->i32, "way");
    region.finally = host_block(f, "finally");
    enter_region(f, &region);
    emit_catches(f, n);
    if (!host_ended(f)) {
        LLVMBuildStore(m->b, host_int(m, 0), region.way);
        host_jump(f, region.finally);
    }
    leave_region(f, handler);
    host_enter(f, handler);
    LLVMBuildStore(m->b, host_call_runtime(f, ABI_cs_save_exception, NULL, 0, n->loc), saved);
    LLVMBuildStore(m->b, host_int(m, -1), region.way);
    host_jump(f, region.finally);

    host_enter(f, region.finally);
    enter_region(f, &last);
    host_stmt(f, n->try_.finally_);
    host_debug_at(f, n->loc);
    if (!host_ended(f)) {
        LLVMValueRef way = LLVMBuildLoad2(m->b, m->i32, region.way, "");
        LLVMValueRef to = LLVMBuildSwitch(m->b, way, end, (unsigned)region.exits.len + 1);
        LLVMAddCase(to, host_int(m, -1), again);
        for (size_t i = 0; i < region.exits.len; i++)
            LLVMAddCase(to, host_int(m, (int64_t)i + 1), region.exits.data[i].from);
    }
    leave_region(f, replaced);
    /* an exception in `finally` replaces the one that waits */
    host_enter(f, replaced);
    LLVMBasicBlockRef drop = host_block(f, "drop"), out = host_block(f, "out");
    LLVMValueRef way = LLVMBuildLoad2(m->b, m->i32, region.way, "");
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntEQ, way, host_int(m, -1), ""), drop, out);
    host_enter(f, drop);
    LLVMValueRef v = LLVMBuildLoad2(m->b, m->ptr, saved, "");
    host_call_runtime(f, ABI_cs_restore_exception, &v, 1, n->loc);
    host_jump(f, out);
    host_enter(f, out);
    host_jump(f, host_unwind(f));

    host_enter(f, again);
    v = LLVMBuildLoad2(m->b, m->ptr, saved, "");
    host_call_runtime(f, ABI_cs_restore_exception, &v, 1, n->loc);
    host_jump(f, host_unwind(f));
    emit_exits(f, &region);
    host_enter(f, end);
}

void host_try(HostFunc *f, Ast *n)
{
    if (n->try_.finally_)
        emit_finally(f, n);
    else
        emit_catches(f, n);
}

void host_raise(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    if (n->throw_.value) {
        LLVMValueRef v = host_value(f, n->throw_.value);
        host_call_runtime(f, ABI_cs_throw, &v, 1, n->loc);
    } else {
        if (!f->caught) host_bug(m, n, "nothing to throw again");
        LLVMValueRef v = LLVMBuildLoad2(m->b, m->ptr, f->caught, "");
        host_call_runtime(f, ABI_cs_rethrow, &v, 1, n->loc);
    }
    host_jump(f, host_unwind(f));
}

void host_throw(HostFunc *f, Ast *n)
{
    host_raise(f, n);
    host_release_temps(f, 0);
}

/* ---- switch ---------------------------------------------------------------------------------- */

static Ast *constant_of(Ast *label)
{
    while (label->kind == AST_CONVERT && !label->is_const) label = label->convert.operand;
    return label;
}

/* Numbers: one jump table. */
static void select_number(HostFunc *f, LLVMValueRef v, const Ast *n,
                          const LLVMBasicBlockRef *bodies, LLVMBasicBlockRef other)
{
    HostModule *m = f->m;
    const Type *t = n->switch_.value->type;
    LLVMValueRef to = LLVMBuildSwitch(m->b, v, other, (unsigned)n->switch_.sections.len);
    for (int i = 0; i < n->switch_.sections.len; i++) {
        AstList labels = n->switch_.sections.data[i]->case_.labels;
        for (int k = 0; k < labels.len; k++)
            if (labels.data[k]->kind != AST_DEFAULT_LABEL)
                LLVMAddCase(to, host_const(m, t->scalar, labels.data[k]->value), bodies[i]);
    }
}

/* Strings, reals, references: one test after the other. */
static void select_other(HostFunc *f, LLVMValueRef v, const Ast *n, const LLVMBasicBlockRef *bodies,
                         LLVMBasicBlockRef other)
{
    HostModule *m = f->m;
    const Type *t = n->switch_.value->type;
    for (int i = 0; i < n->switch_.sections.len; i++) {
        AstList labels = n->switch_.sections.data[i]->case_.labels;
        for (int k = 0; k < labels.len; k++) {
            Ast *label = constant_of(labels.data[k]);
            LLVMValueRef test;
            if (label->kind == AST_DEFAULT_LABEL) continue;
            if (label->kind == AST_NULL_LIT) {
                test = LLVMBuildIsNull(m->b, v, "");
            } else if (t->kind == TY_STRING) {
                LLVMValueRef args[] = {v, host_value(f, label)};
                LLVMValueRef order = host_call_runtime(f, ABI_cs_str_compare, args, 2, label->loc);
                test = LLVMBuildICmp(m->b, LLVMIntEQ, order, host_int(m, 0), "");
            } else {
                LLVMValueRef args[] = {v, host_value(f, label)};
                test = host_operate(f, FD_OP_EQ, t->scalar, args, label->loc);
            }
            LLVMBasicBlockRef next = host_block(f, "test");
            LLVMBuildCondBr(m->b, test, bodies[i], next);
            host_enter(f, next);
        }
    }
    host_jump(f, other);
}

void host_switch(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    AstList sections = n->switch_.sections;
    const Type *t = n->switch_.value->type;
    size_t mark = f->scope.len;
    LLVMBasicBlockRef end = host_block(f, "end"), other = end;
    LLVMBasicBlockRef *bodies = arena_array(m->arena, LLVMBasicBlockRef, sections.len + 1);
    for (int i = 0; i < sections.len; i++) {
        bodies[i] = host_block(f, "case");
        AstList labels = sections.data[i]->case_.labels;
        for (int k = 0; k < labels.len; k++)
            if (labels.data[k]->kind == AST_DEFAULT_LABEL) other = bodies[i];
    }
    LLVMValueRef v = host_value(f, n->switch_.value);
    if (t->kind == TY_SCALAR && !scalar_is_real(t->scalar)) {
        host_release_temps(f, 0);
        select_number(f, v, n, bodies, other);
    } else {
        if (type_is_ref(t)) { /* held while the sections run: the value's temporaries end here */
            LLVMValueRef slot = host_variable(f, t, "switch");
            LLVMBuildStore(m->b, host_call_runtime(f, ABI_cs_retain, &v, 1, n->loc), slot);
            mark = f->scope.len - 1;
        }
        host_release_temps(f, 0);
        select_other(f, v, n, bodies, other);
    }
    HostLoop here = {end, NULL, f->scope.len, f->region, f->loop, bodies};
    f->loop = &here;
    for (int i = 0; i < sections.len; i++) {
        host_enter(f, bodies[i]);
        host_stmts(f, sections.data[i]->case_.stmts);
        if (!host_ended(f)) host_jump_out(f, end, f->region, here.scope);
    }
    f->loop = here.outer;
    f->scope.len = here.scope;
    host_enter(f, end);
    host_leave_scope(f, mark);
}
