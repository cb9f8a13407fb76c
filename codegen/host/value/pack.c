/* Graphs in host code: what they capture is packed for the runtime, which makes an array, a function or a scalar. */
#include "value.h"

LLVMValueRef host_pack(HostFunc *f, Ast *const *list, const LLVMValueRef *values, int n)
{
    int total = 0, next = 0;
    for (int i = 0; i < n; i++) total += host_leaves(list[i]->type);
    if (!total) return host_null(f->m);
    LLVMValueRef buffer = host_buffer(f, total);
    for (int i = 0; i < n; i++) next = host_put(f, buffer, next, values[i], list[i]->type);
    return buffer;
}

/* How many references this statement has to the array of a slot besides its variable's, through which nobody looks. The
 * variable has its own still only if no capture runs code that might give it another array: else none is said. */
static int kept_besides(const AstList *captures, const bool *kept, int slot)
{
    int i = 0;
    for (int k = 0; k < captures->len; k++) {
        const Ast *c = captures->data[k];
        while (c->kind == AST_CONVERT && type_is_functional(c->type)) c = c->convert.operand;
        if (!host_is_chain(c) && !host_is_plain(c)) return 0;
    }
    for (int at = host_leaves(captures->data[0]->type); at <= slot; i++)
        at += host_leaves(captures->data[i + 1]->type);
    return kept[i];
}

/* A graph of scalars. */
static HostRef arithmetic(HostFunc *f, const Ast *n, const FdNode *root)
{
    AstList captures = n->graph.captures;
    int total = 0;
    for (int i = 0; i < captures.len; i++) total += host_leaves(captures.data[i]->type);
    LLVMValueRef *slots = arena_array(f->m->arena, LLVMValueRef, total + 1), *next = slots;
    for (int i = 0; i < captures.len; i++) {
        const Type *t = captures.data[i]->type;
        const LLVMValueRef *leaves = host_scatter(f, host_value(f, captures.data[i]), t);
        for (int k = 0; k < host_leaves(t); k++) *next++ = leaves[k];
    }
    return (HostRef){host_arithmetic(f, root, slots, n->type, n->loc), false, false};
}

/* Are all functions that it captures arrays? */
static bool captures_arrays(const Ast *n)
{
    for (int i = 0; i < n->graph.captures.len; i++) {
        const Type *t = n->graph.captures.data[i]->type;
        if (t->kind != TY_SCALAR && t->kind != TY_ARRAY) return false;
    }
    return true;
}

static AbiId scalar_abi(const Type *type)
{
    bool real = type->kind == TY_SCALAR && scalar_is_real(type->scalar);
    return real ? ABI_cs_scalar_f : ABI_cs_scalar_i;
}

/* A scalar, by an evaluation. */
static LLVMValueRef evaluated(HostFunc *f, const Ast *n, LLVMValueRef buffer, const Type *type)
{
    const AbiId id = scalar_abi(type);
    LLVMValueRef args[] = {host_graph(f->m, n->graph.graph), buffer};
    LLVMValueRef v = host_call_runtime(f, id, args, 2, n->loc);
    return host_from_abi(f, v, host_abi_signature(f->m, id)[0], type, n).v;
}

/* A scalar by a loop, where that is short. */
static LLVMValueRef reduced(HostFunc *f, const Ast *n, const LLVMValueRef *values, const Type *type)
{
    HostModule *m = f->m;
    const AstList captures = n->graph.captures;
    const Type **types = arena_array(m->arena, const Type *, captures.len + 1);
    LLVMBasicBlockRef evaluate = host_block(f, "evaluate"), end = host_block(f, "end"), from[2];
    LLVMValueRef made[2];
    for (int i = 0; i < captures.len; i++) types[i] = captures.data[i]->type;
    made[0] =
        host_reduction(f, &m->sema->graphs[n->graph.graph], values, types, evaluate, type, n->loc);
    from[0] = LLVMGetInsertBlock(m->b);
    host_jump(f, end);
    host_enter(f, evaluate);
    made[1] = evaluated(f, n, host_pack(f, captures.data, values, captures.len), type);
    from[1] = LLVMGetInsertBlock(m->b);
    host_jump(f, end);
    host_enter(f, end);
    LLVMValueRef phi = LLVMBuildPhi(m->b, LLVMTypeOf(made[0]), "");
    LLVMAddIncoming(phi, made, from, 2);
    return phi;
}

HostRef host_graph_value(HostFunc *f, Ast *n, const Type *type)
{
    HostModule *m = f->m;
    AstList captures = n->graph.captures;
    size_t mark = f->temps.len;
    const SemaGraph *graph = &m->sema->graphs[n->graph.graph];
    if (graph->arithmetic) return arithmetic(f, n, fd_root(graph->graph));
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, captures.len + 1);
    bool *kept = arena_array(m->arena, bool, captures.len + 1);
    host_keep_values(f, captures.data, captures.len, values, kept);
    for (int i = 0; i < captures.len; i++) /* graphs hold functions that exist */
        if (captures.data[i]->type->kind == TY_FUNC)
            host_check_null(f, values[i], captures.data[i], captures.data[i]->loc);
    if (graph->reduction && captures_arrays(n) && !m->options->debug) {
        LLVMValueRef v = reduced(f, n, values, type);
        host_release_temps(f, mark);
        return (HostRef){v, false, false};
    }
    LLVMValueRef buffer = host_pack(f, captures.data, values, captures.len);
    if (type_is_record(type)) {
        LLVMValueRef out = host_alloca(f, LLVMArrayType(m->i64, (unsigned)host_leaves(type)), "");
        LLVMValueRef args[] = {host_graph(m, n->graph.graph), buffer, out};
        host_call_runtime(f, ABI_cs_scalar_record, args, 3, n->loc);
        return (HostRef){host_take(f, out, 0, type), false, false};
    }
    Symbol *dead = n->sym; /* it has another array before anybody looks; debuggers do at any time */
    bool over = type->kind == TY_ARRAY && n->graph.over && (!dead || !f->m->options->debug);
    const int slot = (int)n->graph.over - 1;
    LLVMValueRef args[] = {host_graph(m, n->graph.graph), buffer, host_int(m, slot),
                           over ? host_int(m, kept_besides(&captures, kept, slot)) : NULL};
    AbiId id = over                     ? ABI_cs_eval_over
               : type->kind == TY_ARRAY ? ABI_cs_eval
               : type->kind == TY_FUNC  ? ABI_cs_lazy
                                        : scalar_abi(type);
    LLVMValueRef v = host_call_runtime(f, id, args, over ? 4 : 2, n->loc);
    host_release_temps(f, mark);
    if (over && dead && dead->host) host_release_slot(f, dead->host);
    return host_from_abi(f, v, host_abi_signature(f->m, id)[0], type, n);
}
