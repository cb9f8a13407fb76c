/* Loops. A loop whose arrays are variables touched by element only is made twice: once with their
 * data, extents and strides in registers, entered when every array is at hand (csrt.h, host_state)
 * with a domain from 0; once as it is written, for all other cases. Both test what the source
 * tests.
 *
 *     while (c) body   ->   if (c) { if (ready) do fast-body while (c); else do body while (c); }
 */
#include "../value/value.h"

/* The body in its own scope, with what comes before it in each round. */
static void emit_round(HostFunc *f, const HostLoopCode *l, LLVMBasicBlockRef on_continue,
                       LLVMBasicBlockRef on_break)
{
    HostLoop here = {on_break, on_continue, f->scope.len, f->region, f->loop, NULL};
    f->loop = &here;
    if (f->m->options->stops) host_check_stack(f, l->body->loc); /* ^C ends it there */
    if (l->before) l->before(f, l->ctx);
    host_stmt(f, l->body);
    host_leave_scope(f, here.scope);
    f->loop = here.outer;
    host_jump(f, on_continue);
}

static void emit_test(HostFunc *f, const HostLoopCode *l, LLVMBasicBlockRef body,
                      LLVMBasicBlockRef end)
{
    if (l->cond)
        LLVMBuildCondBr(f->m->b, l->cond(f, l->ctx), body, end);
    else
        host_jump(f, body);
}

/* do { body; step; } while (cond), entered at the body. */
static void emit_rotated(HostFunc *f, const HostLoopCode *l, LLVMBasicBlockRef body,
                         LLVMBasicBlockRef end)
{
    LLVMBasicBlockRef step = host_block(f, "step");
    host_enter(f, body);
    emit_round(f, l, step, end);
    host_enter(f, step);
    if (l->step) l->step(f, l->ctx);
    emit_test(f, l, body, end);
}

static void emit_plain(HostFunc *f, const HostLoopCode *l)
{
    LLVMBasicBlockRef body = host_block(f, "body"), end = host_block(f, "end");
    if (l->test_last) {
        host_jump(f, body);
        emit_rotated(f, l, body, end);
    } else {
        LLVMBasicBlockRef test = host_block(f, "test"),
                          step = l->step ? host_block(f, "step") : test;
        host_jump(f, test);
        host_enter(f, test);
        emit_test(f, l, body, end);
        host_enter(f, body);
        emit_round(f, l, step, end);
        if (l->step) {
            host_enter(f, step);
            l->step(f, l->ctx);
            host_jump(f, test);
        }
    }
    host_enter(f, end);
}

/* ---- two versions ---------------------------------------------------------------------------- */

/* Leaves for `slow` unless the array's elements are at hand. */
static void make_ready(HostFunc *f, const HostFact *fact, LLVMBasicBlockRef slow)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef call = host_block(f, "prepare"), next = host_block(f, "ready");
    LLVMValueRef slot = fact->sym->host, array = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    host_branch_cold(f, host_array_not_at_hand(f, array, fact->write), call, next);
    host_enter(f, call);
    if (!f->shadow) f->shadow = host_alloca(f, m->ptr, "shadow");
    LLVMBuildStore(m->b, array, f->shadow);
    LLVMValueRef args[] = {f->shadow, host_int(m, fact->write)};
    LLVMValueRef done = host_call_runtime(f, ABI_cs_array_ready, args, 2, (Loc){0, 0, 0});
    if (fact->write) LLVMBuildStore(m->b, LLVMBuildLoad2(m->b, m->ptr, f->shadow, ""), slot);
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntNE, done, host_int(m, 0), ""), next, slow);
    host_enter(f, next);
}

/* Loads what the fact says; returns whether its domain is one that facts can describe. */
static LLVMValueRef load_fact(HostFunc *f, HostFact *fact)
{
    HostModule *m = f->m;
    LLVMValueRef array = LLVMBuildLoad2(m->b, m->ptr, fact->sym->host, ""), fits = NULL;
    fact->data = host_array_field(f, array, ARRAY_DATA, m->ptr);
    for (int d = 0; d < fact->sym->type->nparams; d++) {
        LLVMValueRef lo = host_array_dim(f, array, DIM_LO, d),
                     n = host_array_dim(f, array, DIM_N, d);
        fact->n[d] = LLVMBuildTrunc(m->b, n, m->i32, "");
        fact->stride[d] = host_array_dim(f, array, DIM_STRIDE, d);
        LLVMValueRef from0 = LLVMBuildICmp(m->b, LLVMIntEQ, lo, host_long(m, 0), "");
        LLVMValueRef small = LLVMBuildICmp(m->b, LLVMIntULE, n, host_long(m, INT32_MAX), "");
        LLVMValueRef both = LLVMBuildAnd(m->b, from0, small, "");
        fits = fits ? LLVMBuildAnd(m->b, fits, both, "") : both;
    }
    if (type_is_record(fact->sym->type->result))
        fact->count = host_array_count(f, array, fact->sym->type->nparams);
    return fits;
}

/* Are the variables that the loop leaves alone inside of the dimensions that they are indices of? Those that are asked
 * for stay in the fact; NULL: there are none. */
static LLVMValueRef ask_known(HostFunc *f, const HostLoopCode *l, HostFact *fact)
{
    HostModule *m = f->m;
    LLVMValueRef all = NULL;
    for (int d = 0; d < fact->sym->type->nparams; d++)
        for (int k = 0; k < HOST_MAX_KNOWN; k++) {
            const Symbol *v = fact->known[d][k];
            if (v && (l->before || !v->host || !LLVMIsAAllocaInst(v->host)))
                v = fact->known[d][k] = NULL; /* what comes before a round may set it */
            if (!v) continue;
            LLVMValueRef at = LLVMBuildLoad2(m->b, m->i32, v->host, "");
            LLVMValueRef inside = LLVMBuildICmp(m->b, LLVMIntULT, at, fact->n[d], "");
            all = all ? LLVMBuildAnd(m->b, all, inside, "") : inside;
        }
    return all;
}

static void emit_versions(HostFunc *f, const HostLoopCode *l, HostFacts *facts)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef enter = host_block(f, "enter"), end = host_block(f, "end");
    LLVMBasicBlockRef fast = host_block(f, "fast"), slow = host_block(f, "slow");
    if (l->test_last)
        host_jump(f, enter);
    else
        emit_test(f, l, enter, end);
    host_enter(f, enter);
    for (size_t i = 0; i < facts->len; i++) make_ready(f, &facts->data[i], slow);
    LLVMValueRef all = NULL;
    for (size_t i = 0; i < facts->len; i++) {
        LLVMValueRef fits = load_fact(f, &facts->data[i]);
        all = all ? LLVMBuildAnd(m->b, all, fits, "") : fits;
        LLVMValueRef inside = ask_known(f, l, &facts->data[i]);
        if (inside) all = LLVMBuildAnd(m->b, all, inside, "");
    }
    LLVMBuildCondBr(m->b, all, fast, slow);

    f->versioned = true;
    size_t mark = f->facts.len;
    for (size_t i = 0; i < facts->len; i++) vec_push(&f->facts, facts->data[i]);
    emit_rotated(f, l, fast, end);
    f->facts.len = mark;
    emit_rotated(f, l, slow, end);
    f->versioned = false;
    host_enter(f, end);
}

void host_emit_loop(HostFunc *f, const HostLoopCode *l)
{
    HostFacts facts = {0};
    bool two = !f->versioned && f->m->options->opt_level > 0;
    if (two) two = host_scan_loop(f->m, l->parts, l->nparts, l->hidden, &facts);
    for (size_t i = 0; i < facts.len; i++) two = two && facts.data[i].sym->host;
    if (two)
        emit_versions(f, l, &facts);
    else
        emit_plain(f, l);
    vec_free(&facts);
}
