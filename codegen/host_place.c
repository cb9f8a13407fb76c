/* What can be assigned: variables and elements, also of arrays in arrays. A place evaluates its
 * indices once; its address is found anew where it is used, because evaluating a value may move
 * elements (copy on write). Keeps: a place owns the reference in it. */
#include "host_impl.h"

HostPlace *host_place(HostFunc *f, Ast *n)
{
    HostPlace *p = arena_new_of(f->m->arena, HostPlace);
    p->type = n->type;
    p->loc = n->loc;
    if (n->kind == AST_NAME_REF) {
        p->type = n->sym->type;
        p->slot = n->sym->host;
        if (!p->slot) host_bug(f->m, n, "a variable without a place");
        return p;
    }
    if (n->kind != AST_INDEX || n->index.base->type->kind != TY_ARRAY)
        host_bug(f->m, n, "not something that can be assigned");
    p->array = host_place(f, n->index.base);
    p->fact = host_fact(f, n->index.base, true);
    host_index(f, n->index.args, &p->index);
    return p;
}

/* The slot of an array in an array holds NULL until it is first set. */
static void fill_empty(HostFunc *f, LLVMValueRef slot, const Type *type, Loc loc)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef make = host_block(f, "empty"), next = host_block(f, "element");
    LLVMValueRef v = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    LLVMBuildCondBr(m->b, LLVMBuildIsNull(m->b, v, ""), make, next);
    host_enter(f, make);
    LLVMValueRef args[] = {host_int(m, host_elem(type)), host_int(m, type->nparams)};
    LLVMBuildStore(m->b, host_call_runtime(f, ABI_cs_array_empty, args, 2, loc), slot);
    host_jump(f, next);
    host_enter(f, next);
}

LLVMValueRef host_place_address(HostFunc *f, HostPlace *p)
{
    if (p->slot) return p->slot;
    const Type *type = p->array->type;
    LLVMValueRef slot = host_place_address(f, p->array);
    if (p->fact) {
        LLVMValueRef array = LLVMBuildLoad2(f->m->b, f->m->ptr, slot, "");
        return host_element_by_fact(f, p->fact, array, type, &p->index, p->loc);
    }
    if (!p->array->slot) fill_empty(f, slot, type, p->loc);
    return host_element(f, host_array_write(f, slot, p->loc), type, &p->index, p->loc);
}

LLVMValueRef host_place_load(HostFunc *f, HostPlace *p)
{
    if (p->slot || p->fact || !p->array->slot)
        return host_load(f, host_place_address(f, p), p->type);
    LLVMValueRef array = LLVMBuildLoad2(f->m->b, f->m->ptr, p->array->slot, "");
    host_array_read(f, array, p->loc);
    return host_load(f, host_element(f, array, p->array->type, &p->index, p->loc), p->type);
}

void host_place_store(HostFunc *f, HostPlace *p, LLVMValueRef value)
{
    HostModule *m = f->m;
    bool ref = type_is_ref(p->type);
    LLVMValueRef keep = NULL;
    if (ref && !p->slot) { /* finding the element may throw */
        host_temp(f, value);
        keep = vec_last(&f->temps);
    }
    LLVMValueRef at = host_place_address(f, p);
    if (!ref) {
        host_store(f, at, value, p->type);
        return;
    }
    if (keep) host_untemp(f, keep);
    LLVMValueRef old = LLVMBuildLoad2(m->b, m->ptr, at, "");
    LLVMBuildStore(m->b, value, at);
    host_call_runtime(f, ABI_cs_release, &old, 1, p->loc);
}

/* ---- assignments
 * -------------------------------------------------------------------------------------- */

/* target op= value for strings. */
static LLVMValueRef append(HostFunc *f, HostPlace *p, Ast *value)
{
    HostModule *m = f->m;
    LLVMValueRef left = host_place_load(f, p);
    if (host_may_assign(value) || !p->slot)
        left = host_temp(f, host_call_runtime(f, ABI_cs_retain, &left, 1, p->loc));
    HostRef right = host_text(f, value, NULL);
    if (right.owned) host_temp(f, right.v);
    LLVMValueRef buffer = host_buffer(f, 2);
    host_put(f, buffer, 2, 0, left, p->type);
    host_put(f, buffer, 2, 1, right.v, p->type);
    LLVMValueRef args[] = {host_int(m, 2), buffer};
    return host_call_runtime(f, ABI_cs_str_concat, args, 2, p->loc);
}

/* x op v, as a value of x's type: the operation takes place in C#'s common type. */
static LLVMValueRef combine(HostFunc *f, FdOp op, LLVMValueRef x, ScalarKind kx, LLVMValueRef v,
                            ScalarKind kv, Loc loc)
{
    bool is_shift = fd_op_info(op)->rule == FD_RULE_SHIFT;
    ScalarKind k = is_shift ? host_promote(kx, kx) : host_promote(kx, kv);
    LLVMValueRef left = host_convert(f, x, kx, k);
    LLVMValueRef right = is_shift ? v : host_convert(f, v, kv, k);
    return host_convert(f, host_operate(f, op, k, left, right, loc), k, kx);
}

static LLVMValueRef compound(HostFunc *f, const Ast *n, HostPlace *p, Ast *value)
{
    FdOp op = sema_op(n->assign.op);
    ScalarKind k = p->type->scalar;
    if (p->type->kind != TY_SCALAR || value->type->kind != TY_SCALAR)
        host_bug(f->m, n, "a compound assignment that is no number's");
    if (host_is_plain(value)) { /* then the place is found once */
        LLVMValueRef v = host_value(f, value), at = host_place_address(f, p);
        v = combine(f, op, host_load(f, at, p->type), k, v, value->type->scalar, n->loc);
        host_store(f, at, v, p->type);
        return v;
    }
    LLVMValueRef x = host_place_load(f, p), v = host_value(f, value);
    v = combine(f, op, x, k, v, value->type->scalar, n->loc);
    host_place_store(f, p, v);
    return v;
}

LLVMValueRef host_assign(HostFunc *f, Ast *n)
{
    if (n->kind == AST_INCDEC) {
        HostPlace *p = host_place(f, n->incdec.target);
        LLVMValueRef at = host_place_address(f, p), old = host_load(f, at, p->type);
        LLVMValueRef one = host_const(f->m, SC_INT, (ScalarValue){.i = 1});
        LLVMValueRef v =
            combine(f, sema_op(n->incdec.op), old, p->type->scalar, one, SC_INT, n->loc);
        host_store(f, at, v, p->type);
        return n->incdec.postfix ? old : v;
    }
    HostPlace *p = host_place(f, n->assign.target);
    Ast *value = n->assign.value;
    if (n->assign.op != AST_OP_NONE && p->type->kind != TY_STRING) return compound(f, n, p, value);
    LLVMValueRef v;
    if (n->assign.op != AST_OP_NONE)
        v = append(f, p, value);
    else
        v = type_is_ref(p->type) ? host_owned(f, value) : host_value(f, value);
    host_place_store(f, p, v);
    return v;
}
