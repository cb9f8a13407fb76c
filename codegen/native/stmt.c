/* Statements. */
#include <llvm-c/DebugInfo.h>

#include "impl.h"

enum { MAX_TURNS = 256 }; /* of a loop that is written out */

static size_t enter(const Fn *f)
{
    return f->scope.len;
}

static void leave(Fn *f, size_t scope)
{
    while (f->scope.len > scope) {
        Var *v = f->scope.data[--f->scope.len];
        f->buckets[v->bucket] = v->next;
    }
}

static void block(Fn *f, const KirStmt *s)
{
    size_t scope = enter(f);
    fn_statements(f, s);
    leave(f, scope);
}

/* What follows can only be reached from elsewhere. */
static void dead(Fn *f)
{
    fn_at(f, fn_block(f));
}

static void declare(Fn *f, const KirStmt *s)
{
    Native *n = f->n;
    LLVMTypeRef t = native_type(n, s->type);
    if (!s->ndims) {
        LLVMValueRef v = s->expr ? fn_value_as(f, s->expr, s->type) : NULL;
        fn_declare_value(f, s->name, s->type, v);
        return;
    }
    int64_t dims[3] = {1, 1, 1};
    for (int i = 0; i < s->ndims; i++)
        if (!fn_number(f, s->dims[i], &dims[i])) native_bug("no constant size of", s->name);
    LLVMTypeRef array = t;
    for (int i = s->ndims; i-- > 0;) array = LLVMArrayType(array, (unsigned)dims[i]);
    LLVMValueRef place = fn_place(f, array);
    LLVMSetAlignment(place, 64);
    Var *v = fn_declare(f, VAR_ARRAY, s->name, s->type, place);
    v->ndims = s->ndims;
    for (int i = 0; i < s->ndims; i++) v->dims[i] = dims[i];
}

static void plane(Fn *f, const KirStmt *s)
{
    Var *of = fn_find(f, s->of);
    if (!of || of->kind != VAR_POINTER) native_bug("no buffer", s->of);
    LLVMValueRef offset = fn_value_as(f, s->expr, kir_type(KIR_IDX, 1));
    Var *v = fn_declare(f, VAR_POINTER, s->name, s->type,
                        LLVMBuildGEP2(f->b, f->n->i8, of->at, &offset, 1, ""));
    v->scope = of->scope;
    v->plane = true;
}

static void set(Fn *f, const KirStmt *s)
{
    KirType t = s->target->type;
    LLVMValueRef place;
    if (s->target->kind == KIR_ELEM) {
        place = fn_element(f, s->target, &t);
    } else {
        Var *v = s->target->kind == KIR_NAME ? fn_find(f, s->target->name) : NULL;
        if (!v || v->kind != VAR_VALUE) native_bug("cannot set", v ? v->name : "");
        place = v->at;
        t = v->type;
    }
    LLVMBuildStore(f->b, fn_value_as(f, s->expr, t), place);
}

/* The statements of a loop, up to where the next turn is begun. */
static void inside(Fn *f, const Loop *loop, const KirStmt *body)
{
    const Loop *around = f->loop;
    f->loop = loop;
    fn_statements(f, body);
    f->loop = around;
    fn_go(f, loop->again);
    fn_at(f, loop->again);
}

/* One turn of a loop whose number is known. */
static void turn(Fn *f, const KirStmt *s, int64_t i, LLVMBasicBlockRef out)
{
    size_t scope = enter(f);
    Loop loop = {.leave = out, .again = fn_block(f)};
    fn_declare(f, VAR_NUMBER, s->name, kir_type(KIR_IDX, 1), NULL)->number = i;
    inside(f, &loop, s->body);
    leave(f, scope);
}

static bool written_out(Fn *f, const KirStmt *s)
{
    int64_t lo, hi, step;
    if (!s->unroll || !fn_number(f, s->lo, &lo) || !fn_number(f, s->hi, &hi) ||
        !fn_number(f, s->step, &step) || step <= 0 || (hi - lo) / step > MAX_TURNS)
        return false;
    LLVMBasicBlockRef out = fn_block(f);
    for (int64_t i = lo; i < hi; i += step) turn(f, s, i, out);
    fn_go(f, out);
    fn_at(f, out);
    return true;
}

/* Says to LLVM of the loop that this branch goes back in whether it is unrolled. */
static void tell_unroll(Native *n, LLVMValueRef back, const char *word)
{
    LLVMMetadataRef name = LLVMMDStringInContext2(n->ctx, word, strlen(word));
    LLVMMetadataRef of[] = {NULL, LLVMMDNodeInContext2(n->ctx, &name, 1)};
    of[0] = LLVMTemporaryMDNode(n->ctx, NULL, 0); /* a node that has itself: each loop its own */
    LLVMMetadataRef loop = LLVMMDNodeInContext2(n->ctx, of, 2);
    LLVMMetadataReplaceAllUsesWith(of[0], loop);
    unsigned kind = LLVMGetMDKindIDInContext(n->ctx, "llvm.loop", 9);
    LLVMSetMetadata(back, kind, LLVMMetadataAsValue(n->ctx, loop));
}

/* Leaves the loop if the session is interrupted. */
static void look_for_interrupt(Fn *f, const Loop *loop)
{
    if (!f->n->limit) return;
    LLVMBasicBlockRef go_on = fn_block(f);
    LLVMValueRef limit = LLVMBuildLoad2(f->b, f->n->i64, f->n->limit, "");
    LLVMSetVolatile(limit, true);
    LLVMValueRef ends = LLVMBuildICmp(f->b, LLVMIntEQ, limit, llvm_int(f->n->i64, -1), "");
    LLVMBuildCondBr(f->b, ends, loop->leave, go_on);
    fn_at(f, go_on);
}

static void for_loop(Fn *f, const KirStmt *s)
{
    const KirType idx = kir_type(KIR_IDX, 1);
    if (written_out(f, s)) return;
    size_t scope = enter(f);
    LLVMTypeRef i64 = f->n->i64;
    bool set = fn_is_set(f, s->name);
    LLVMValueRef lo = fn_value_as(f, s->lo, idx), i = NULL;
    Var *v = set ? fn_declare_value(f, s->name, idx, lo) : NULL;
    LLVMBasicBlockRef head = fn_block(f), body = fn_block(f);
    Loop loop = {.leave = fn_block(f), .again = fn_block(f)};
    look_for_interrupt(f, &loop);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    fn_go(f, head);
    fn_at(f, head);
    if (set) {
        i = LLVMBuildLoad2(f->b, i64, v->at, "");
    } else {
        i = LLVMBuildPhi(f->b, i64, "");
        LLVMAddIncoming(i, &lo, &before, 1);
        v = fn_declare(f, VAR_LET, s->name, idx, i);
    }
    LLVMValueRef more = LLVMBuildICmp(f->b, LLVMIntSLT, i, fn_value_as(f, s->hi, idx), "");
    LLVMBuildCondBr(f->b, more, body, loop.leave);
    fn_at(f, body);
    inside(f, &loop, s->body);
    LLVMValueRef next = set ? LLVMBuildLoad2(f->b, i64, v->at, "") : i;
    next = LLVMBuildNSWAdd(f->b, next, fn_value_as(f, s->step, idx), "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(f->b);
    if (set)
        LLVMBuildStore(f->b, next, v->at);
    else
        LLVMAddIncoming(i, &next, &last, 1);
    LLVMValueRef back = LLVMBuildBr(f->b, head);
    if (s->rare) tell_unroll(f->n, back, "llvm.loop.unroll.disable");
    fn_at(f, loop.leave);
    leave(f, scope);
}

static bool is_set(const KirStmt *s, const char *name)
{
    while (s && !(s->kind == KIR_SET && s->target->kind == KIR_NAME && s->target->name == name))
        s = s->next;
    return s != NULL;
}

/* Is there a branch on what the step sets, besides the one that leaves? In turns that are written out each has
 * one side. Without it they are only more code, and LLVM's time. */
static bool turns_differ(const KirStmt *body, const KirStmt *step)
{
    for (const KirStmt *s = body; s; s = s->next) {
        const KirExpr *e = s->kind == KIR_IF ? s->expr : NULL;
        for (int i = 0; e && s->body && s->body->kind != KIR_BREAK && i < e->nargs; i++)
            if (e->args[i]->kind == KIR_NAME && is_set(step, e->args[i]->name)) return true;
        if (s->kind == KIR_IF && (turns_differ(s->body, step) || turns_differ(s->other, step)))
            return true;
    }
    return false;
}

static void endless_loop(Fn *f, const KirStmt *s)
{
    LLVMBasicBlockRef head = fn_block(f);
    Loop loop = {.leave = fn_block(f), .again = fn_block(f)};
    fn_go(f, head);
    fn_at(f, head);
    look_for_interrupt(f, &loop);
    size_t scope = enter(f);
    inside(f, &loop, s->body);
    fn_statements(f, s->other); /* sees the body's variables */
    leave(f, scope);
    LLVMValueRef back = LLVMBuildBr(f->b, head);
    if (s->unroll && turns_differ(s->body, s->other))
        tell_unroll(f->n, back, "llvm.loop.unroll.full");
    fn_at(f, loop.leave);
}

static void branch(Fn *f, const KirStmt *s)
{
    if (!s->expr) {
        block(f, s->body);
        return;
    }
    LLVMValueRef cond = fn_truth(f, s->expr);
    if (LLVMIsAConstantInt(cond)) { /* what sizes of tiles decide */
        block(f, LLVMConstIntGetZExtValue(cond) ? s->body : s->other);
        return;
    }
    LLVMBasicBlockRef then = fn_block(f), other = s->other ? fn_block(f) : NULL,
                      after = fn_block(f);
    LLVMBuildCondBr(f->b, cond, then, other ? other : after);
    fn_at(f, then);
    block(f, s->body);
    fn_go(f, after);
    if (other) {
        fn_at(f, other);
        block(f, s->other);
        fn_go(f, after);
    }
    fn_at(f, after);
}

static void statement(Fn *f, const KirStmt *s)
{
    switch (s->kind) {
    case KIR_DECL: declare(f, s); break;
    case KIR_PLANE: plane(f, s); break;
    case KIR_SET: set(f, s); break;
    case KIR_STORE: fn_store(f, s); break;
    case KIR_FOR: for_loop(f, s); break;
    case KIR_LOOP: endless_loop(f, s); break;
    case KIR_IF: branch(f, s); break;
    case KIR_BREAK:
        LLVMBuildBr(f->b, f->loop->leave);
        dead(f);
        break;
    case KIR_CONTINUE:
        LLVMBuildBr(f->b, f->loop->again);
        dead(f);
        break;
    case KIR_RETURN:
        fn_return(f, s->expr ? fn_value_as(f, s->expr, f->result) : NULL);
        dead(f);
        break;
    case KIR_EVAL: fn_value(f, s->expr); break;
    case KIR_BARRIER: native_bug("a barrier", ""); /* native_add has looked */
    }
}

void fn_statements(Fn *f, const KirStmt *s)
{
    for (; s; s = s->next) {
        f->n->size++;
        statement(f, s);
    }
}
