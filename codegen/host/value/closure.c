/* Host functions for the runtime: descriptors (CsNative) with thunks that take CsValues, of user
 * functions, of functions with captured values, and of objects of classes with Invoke; and the
 * functional values that are made of them (cs_closure). A record is one CsValue a leaf. */
#include <string.h>

#include "value.h"

/* ---- thunks ---------------------------------------------------------------------------------- */

/* An internal function to be filled; come back with host_come_back. */
static HostFunc open_function(HostModule *m, const char *name, LLVMTypeRef result,
                              LLVMTypeRef *params, unsigned n)
{
    HostFunc f = {.m = m};
    f.fn = host_add_function(m, name, LLVMFunctionType(result, params, n, false));
    host_debug_none(m);
    return f;
}

static void give(HostFunc *f, LLVMValueRef v, const Type *t, LLVMValueRef out)
{
    if (t->kind != TY_VOID) host_put(f, out, 0, v, t);
    LLVMBuildRetVoid(f->m->b);
}

static bool is_by_ref(const HostFuncInfo *info, int i)
{
    AstOp mode = i < info->params.len ? info->params.data[i]->param.mode : AST_OP_BY_VALUE;
    return mode == AST_OP_REF || mode == AST_OP_OUT;
}

/* Arguments that sym takes as arrays may be any functions: what they are evaluated to is owned by
 * the thunk. Slots for these, which own nothing yet. */
typedef struct Arrays {
    LLVMValueRef *slots;
    int n;
    LLVMBasicBlockRef end; /* where the thunk gives them back */
} Arrays;

static bool takes_array(const Type *t)
{
    return t->kind == TY_ARRAY && !type_is_hosted(t);
}

static Arrays open_arrays(HostFunc *f, const Symbol *sym, int from)
{
    HostModule *m = f->m;
    Arrays a = {.slots = arena_array(m->arena, LLVMValueRef, sym->type->nparams + 1)};
    for (int i = from; i < sym->type->nparams; i++) {
        if (!takes_array(sym->type->params[i])) continue;
        a.slots[a.n] = LLVMBuildAlloca(m->b, m->ptr, "array");
        LLVMBuildStore(m->b, host_null(m), a.slots[a.n++]);
    }
    if (a.n) a.end = host_block(f, "end");
    return a;
}

static LLVMValueRef evaluate(HostFunc *f, const Arrays *a, int i, LLVMValueRef fn)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef made = host_block(f, "made");
    LLVMValueRef v = host_call_runtime(f, ABI_cs_array_of, &fn, 1, (Loc){0, 0, 0});
    LLVMBuildStore(m->b, v, a->slots[i]);
    host_branch_cold(f, LLVMBuildIsNull(m->b, v, ""), a->end, made);
    host_enter(f, made);
    return v;
}

static void close_arrays(HostFunc *f, const Arrays *a)
{
    HostModule *m = f->m;
    if (a->end) host_jump(f, a->end);
    if (a->end) host_enter(f, a->end);
    for (int i = 0; i < a->n; i++) {
        LLVMValueRef v = LLVMBuildLoad2(m->b, m->ptr, a->slots[i], "");
        host_call_runtime(f, ABI_cs_release, &v, 1, (Loc){0, 0, 0});
    }
    LLVMBuildRetVoid(m->b);
}

/* static void f(ptr env, ptr args, ptr out): sym, its first parameters from env. */
static LLVMValueRef call_thunk(HostModule *m, const Symbol *sym, int captures)
{
    const HostFuncInfo *info = host_func_info(m, sym);
    HostSpot spot = host_leave(m);
    LLVMTypeRef types[] = {m->ptr, m->ptr, m->ptr};
    HostFunc f =
        open_function(m, arena_printf(m->arena, "native.%s", sym->name), m->void_type, types, 3);
    int self = host_takes_self(sym), n = sym->type->nparams + self, at[2] = {0, 0}, array = 0;
    Arrays arrays = open_arrays(&f, sym, captures > self ? captures - self : 0);
    LLVMValueRef *args = arena_array(m->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) {
        const Type *t = i < self ? sym->self->type : sym->type->params[i - self];
        if (i >= self && is_by_ref(info, i - self))
            t = type_string(m->sema->types); /* an address */
        int from = i >= captures;
        args[i] = host_take(&f, LLVMGetParam(f.fn, (unsigned)from), at[from], t);
        at[from] += host_leaves(t);
        if (from && i >= self && takes_array(t)) args[i] = evaluate(&f, &arrays, array++, args[i]);
    }
    LLVMValueRef fn = host_dispatch(&f, sym, n ? args[0] : NULL, false);
    LLVMValueRef v = LLVMBuildCall2(m->b, info->type, fn, args, (unsigned)n, "");
    const Type *result = sym->is_ctor ? sym->cls->type : sym->type->result;
    if (result->kind != TY_VOID) host_put(&f, LLVMGetParam(f.fn, 2), 0, v, result);
    close_arrays(&f, &arrays);
    host_come_back(m, spot);
    return f.fn;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void graph_type(Text *out, const Type *t)
{
    if (t->kind == TY_FUNC || t->kind == TY_ARRAY) {
        graph_type(out, t->result);
        text_add(out, "(");
        for (int i = 0; i < t->nparams; i++) {
            if (i) text_add(out, ", ");
            if (t->kind == TY_ARRAY)
                text_add(out, "int");
            else
                graph_type(out, t->params[i]);
        }
        text_add(out, ")");
    } else if (type_is_record(t)) {
        text_add(out, t->decl->cls->mangled);
    } else {
        text_add(out, scalar_name(t->scalar));
    }
}

/* Arrays count as functions there. */
static bool graphs_know(const Type *t)
{
    if (!type_is_functional(t)) return type_is_value(t);
    if (!t->nparams) return false;
    for (int i = 0; i < t->nparams; i++)
        if (!graphs_know(t->params[i])) return false;
    return graphs_know(t->result);
}

/* The text of a type in graphs; null for functions of what graphs do not know. */
static LLVMValueRef type_constant(HostModule *m, const Type *t)
{
    if (!graphs_know(t)) return host_null(m);
    Text text = {0};
    graph_type(&text, t);
    const char *copy = arena_strndup(m->arena, text.data, text.len);
    text_free(&text);
    return host_c_string(m, copy);
}

static const Type *without_captures(const HostModule *m, const Symbol *sym, int captures)
{
    int skip = captures - host_takes_self(sym);
    const Type *t = sym->type;
    return skip > 0 ? type_func(m->sema->types, t->result, t->nparams - skip, t->params + skip) : t;
}

static LLVMValueRef add_native(HostModule *m, HostNativeEntry e, LLVMValueRef *members)
{
    e.descriptor = host_constant(m, "native", m->structs[HOST_NATIVE],
                                 host_struct(m, HOST_NATIVE, members), false);
    vec_push(&m->natives, e);
    return e.descriptor;
}

LLVMValueRef host_native(HostModule *m, const Symbol *sym, int captures)
{
    for (size_t i = 0; i < m->natives.len; i++)
        if (m->natives.data[i].sym == sym && m->natives.data[i].captures == captures)
            return m->natives.data[i].descriptor;
    const Type *type = without_captures(m, sym, captures);
    const FdUser *user = captures ? NULL : sym->fdag;
    LLVMValueRef members[NATIVE_MEMBERS];
    members[NATIVE_NAME] = host_c_string(m, user ? user->name : sym->name);
    members[NATIVE_TYPE] = type_constant(m, type);
    members[NATIVE_CALL] = call_thunk(m, sym, captures);
    members[NATIVE_NPARAMS] = host_int(m, type->nparams);
    members[NATIVE_IS_OBJECT] = host_int(m, 0);
    members[NATIVE_LOWER] = members[NATIVE_UPPER] = members[NATIVE_BLOCK] = host_null(m);
    return add_native(m, (HostNativeEntry){sym, captures, NULL, NULL}, members);
}

/* ---- objects as functions -------------------------------------------------------------------- */

/* Calls a method of the object in env; values hold what follows it. */
static LLVMValueRef call_method(HostFunc *f, const Symbol *sym, LLVMValueRef *values, int n)
{
    HostModule *m = f->m;
    values[0] = LLVMBuildLoad2(m->b, m->ptr, LLVMGetParam(f->fn, 0), "");
    LLVMValueRef fn = host_dispatch(f, sym, values[0], false);
    return LLVMBuildCall2(m->b, host_func_info(m, sym)->type, fn, values, (unsigned)n + 1, "");
}

static LLVMValueRef invoke_thunk(HostModule *m, const Class *c)
{
    LLVMTypeRef types[] = {m->ptr, m->ptr, m->ptr};
    HostFunc f =
        open_function(m, arena_printf(m->arena, "invoke.%s", c->mangled), m->void_type, types, 3);
    const Type *t = c->invoke->type;
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, t->nparams + 1);
    int at = 0;
    for (int i = 0; i < t->nparams; i++) {
        values[i + 1] = host_take(&f, LLVMGetParam(f.fn, 1), at, t->params[i]);
        at += host_leaves(t->params[i]);
    }
    LLVMValueRef v = call_method(&f, c->invoke, values, t->nparams);
    give(&f, v, t->result, LLVMGetParam(f.fn, 2));
    return f.fn;
}

/* int f(ptr env, int dim): GetLowerBound or GetUpperBound. */
static LLVMValueRef bound_thunk(HostModule *m, const Class *c, const Symbol *sym)
{
    if (!sym) return host_null(m);
    LLVMTypeRef types[] = {m->ptr, m->i32};
    HostFunc f = open_function(m, arena_printf(m->arena, "bound.%s", c->mangled), m->i32, types, 2);
    LLVMValueRef values[] = {NULL, LLVMGetParam(f.fn, 1)};
    LLVMBuildRet(m->b, call_method(&f, sym, values, 1));
    return f.fn;
}

/* ptr f(ptr env, ptr indices): Invoke of arrays. */
static LLVMValueRef block_thunk(HostModule *m, const Class *c)
{
    if (!c->block) return host_null(m);
    LLVMTypeRef types[] = {m->ptr, m->ptr};
    HostFunc f = open_function(m, arena_printf(m->arena, "block.%s", c->mangled), m->ptr, types, 2);
    int n = c->block->type->nparams;
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) {
        LLVMValueRef index = host_int(m, i);
        LLVMValueRef at = LLVMBuildInBoundsGEP2(m->b, m->ptr, LLVMGetParam(f.fn, 1), &index, 1, "");
        values[i + 1] = LLVMBuildLoad2(m->b, m->ptr, at, "");
    }
    LLVMBuildRet(m->b, call_method(&f, c->block, values, n));
    return f.fn;
}

static LLVMValueRef class_native(HostModule *m, const Class *c)
{
    for (size_t i = 0; i < m->natives.len; i++)
        if (m->natives.data[i].cls == c) return m->natives.data[i].descriptor;
    HostSpot spot = host_leave(m);
    LLVMValueRef members[NATIVE_MEMBERS];
    members[NATIVE_NAME] = host_c_string(m, c->mangled);
    members[NATIVE_TYPE] = type_constant(m, c->function);
    members[NATIVE_CALL] = invoke_thunk(m, c);
    members[NATIVE_NPARAMS] = host_int(m, c->function->nparams);
    members[NATIVE_IS_OBJECT] = host_int(m, 1);
    members[NATIVE_LOWER] = bound_thunk(m, c, c->lower);
    members[NATIVE_UPPER] = bound_thunk(m, c, c->upper);
    members[NATIVE_BLOCK] = block_thunk(m, c);
    host_come_back(m, spot);
    return add_native(m, (HostNativeEntry){NULL, 0, c, NULL}, members);
}

static bool says_more(const Class *c, const Class *base)
{
    return !c->lower != !base->lower || !c->upper != !base->upper || !c->block != !base->block;
}

/* The descriptor for an object of static class c: of a derived class where that defines more. */
static LLVMValueRef native_of(HostFunc *f, LLVMValueRef object, const Class *c)
{
    HostModule *m = f->m;
    LLVMValueRef native = class_native(m, c);
    for (int i = 0; i < m->sema->nclasses; i++) { /* bases before derived ones */
        const Class *d = m->sema->classes[i];
        if (d == c || !class_is(d, c) || !says_more(d, c)) continue;
        LLVMValueRef args[] = {object, host_class(d->type)->descriptor};
        LLVMValueRef is = host_call_runtime(f, ABI_cs_is, args, 2, (Loc){0, 0, 0});
        is = LLVMBuildICmp(m->b, LLVMIntNE, is, host_int(m, 0), "");
        native = LLVMBuildSelect(m->b, is, class_native(m, d), native, "");
    }
    return native;
}

HostRef host_object_function(HostFunc *f, const Ast *n, Ast *object)
{
    HostModule *m = f->m;
    LLVMValueRef v = host_peek(f, object);
    host_check_null(f, v, object, n->loc);
    LLVMValueRef native = native_of(f, v, object->type->decl->cls), buffer = host_buffer(f, 1);
    host_put(f, buffer, 0, v, object->type);
    LLVMValueRef args[] = {native, host_int(m, 1), buffer, host_long(m, 1)};
    return (HostRef){host_call_runtime(f, ABI_cs_closure, args, 4, n->loc), true, false};
}

/* ---- functions as values --------------------------------------------------------------------- */

HostRef host_closure(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    AstList captures = n->kind == AST_CLOSURE ? n->closure.captures : (AstList){0};
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, captures.len + 1);
    host_values(f, captures.data, captures.len, values);
    int nenv = 0;
    uint64_t refs = 0;
    for (int i = 0; i < captures.len; i++) {
        if (type_is_ref(captures.data[i]->type)) refs |= UINT64_C(1) << (nenv & 63);
        nenv += host_leaves(captures.data[i]->type);
    }
    if (nenv > 64) host_bug(m, n, "too many captured values");
    bool bound = captures.len && host_takes_self(n->sym);
    if (bound && !type_is_record(captures.data[0]->type))
        host_check_null(f, values[0], captures.data[0], n->loc);
    LLVMValueRef args[] = {host_native(m, n->sym, captures.len), host_int(m, nenv),
                           host_pack(f, captures.data, values, captures.len),
                           host_long(m, (int64_t)refs)};
    return (HostRef){host_call_runtime(f, ABI_cs_closure, args, 4, n->loc), true, false};
}
