/* What can be assigned: variables, elements (also of arrays in arrays), fields, properties. A place
 * evaluates its objects and indices once; its address is found anew where it is used, because
 * evaluating a value may move elements (copy on write). An element of an array that a property
 * gives is changed in the array that `get` returned, which goes back through `set`. Keeps: a place
 * owns the reference in it. */
#include "value.h"

static HostElement place_element(HostFunc *f, HostPlace *p);

static HostPlace *new_place(HostFunc *f, HostPlaceKind kind, const Type *type, Loc loc)
{
    HostPlace *p = arena_new_of(f->m->arena, HostPlace);
    p->kind = kind;
    p->type = type;
    p->loc = loc;
    return p;
}

static HostPlace *variable(HostFunc *f, const Ast *n)
{
    HostPlace *p = new_place(f, PLACE_SLOT, n->sym->type, n->loc);
    p->slot = n->sym->host;
    if (!p->slot) host_bug(f->m, n, "a variable without a place");
    return p;
}

static HostPlace *element(HostFunc *f, Ast *n)
{
    HostPlace *p = new_place(f, PLACE_ELEMENT, n->type, n->loc);
    p->of = host_place(f, n->index.base);
    p->fact = host_fact(f, n->index.base, true);
    bool from_end = false;
    for (int i = 0; i < n->index.args.len; i++)
        from_end = from_end || host_index_tree(n->index.args.data[i]) != n->index.args.data[i];
    LLVMValueRef slot = from_end ? host_place_address(f, p->of) : NULL;
    host_index(f, n->index.args, slot, &p->index);
    return p;
}

static HostPlace *field(HostFunc *f, Ast *n)
{
    Ast *base = n->member.base;
    bool is_static = n->sym->mods & AST_MOD_STATIC;
    bool part = !is_static && type_is_record(base->type);
    HostPlace *p = new_place(f,
                             is_static ? PLACE_SLOT
                             : part    ? PLACE_PART
                                       : PLACE_FIELD,
                             n->sym->type, n->loc);
    p->sym = n->sym;
    p->base = base;
    if (is_static)
        p->slot = host_static(f->m, n->sym);
    else if (part)
        p->of = host_place(f, base);
    else
        p->object = host_value(f, base);
    return p;
}

/* obj.P, obj[i, ..] */
static HostPlace *property(HostFunc *f, Ast *n)
{
    HostPlace *p = new_place(f, PLACE_PROPERTY, n->sym->type, n->loc);
    const Symbol *accessor = n->sym->get ? n->sym->get : n->sym->set;
    Ast *base = n->kind == AST_INDEX ? n->index.base : n->member.base;
    AstList args = n->kind == AST_INDEX ? n->index.args : (AstList){0};
    p->type = n->type;
    p->sym = n->sym;
    p->args = args.data;
    p->nargs = args.len;
    Ast **all = arena_array(f->m->arena, Ast *, args.len + 1);
    LLVMValueRef *values = arena_array(f->m->arena, LLVMValueRef, args.len + 1);
    int count = 0;
    if (host_takes_self(accessor)) all[count++] = p->base = base;
    for (int i = 0; i < args.len; i++) all[count++] = args.data[i];
    host_values(f, all, count, values);
    p->object = p->base ? values[0] : NULL;
    p->values = p->base ? values + 1 : values;
    return p;
}

HostPlace *host_place(HostFunc *f, Ast *n)
{
    const Symbol *sym = n->sym;
    if (sym && sym->kind == SYM_PROPERTY) return property(f, n);
    if (n->kind == AST_NAME_REF || n->kind == AST_THIS) return variable(f, n);
    if (n->kind == AST_DECL_EXPR) {
        host_declare_local(f, n->sym);
        return variable(f, n);
    }
    if (n->kind == AST_MEMBER && sym && sym->kind == SYM_FIELD) return field(f, n);
    if (n->kind == AST_INDEX && n->index.base->type->kind == TY_ARRAY) return element(f, n);
    host_bug(f->m, n, "not something that can be assigned");
}

HostPlace *host_place_alone(HostFunc *f, Ast *n)
{
    Ast *base = n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD &&
                        !(n->sym->mods & AST_MOD_STATIC)
                    ? n->member.base
                    : NULL;
    bool shared = base && base->kind != AST_THIS && host_zero_struct(f, base->type);
    bool part = base && base->kind == AST_MEMBER && type_is_record(base->type);
    if (!shared && !part) return host_place(f, n);
    HostPlace *of = host_place_alone(f, base);
    if (part) {
        HostPlace *field = new_place(f, PLACE_PART, n->sym->type, n->loc);
        field->sym = n->sym;
        field->base = base;
        field->of = of;
        return field;
    }
    LLVMValueRef v = host_or_zero(f, host_place_load(f, of), base->type);
    host_place_store(f, of, host_call_runtime(f, ABI_cs_object_alone, &v, 1, n->loc));
    HostPlace *p = new_place(f, PLACE_FIELD, n->sym->type, n->loc);
    p->sym = n->sym;
    p->base = base;
    p->object = host_place_load(f, of);
    return p;
}

/* What a property is now: owned by a temporary. */
static LLVMValueRef get_property(HostFunc *f, HostPlace *p)
{
    HostRef r = host_call_accessor(f, p, p->sym->get, NULL);
    return host_keep(f, r, p->type, false);
}

LLVMValueRef host_place_address(HostFunc *f, HostPlace *p)
{
    switch (p->kind) {
    case PLACE_SLOT: return p->slot;
    case PLACE_PROPERTY:
        if (!p->slot) {
            LLVMValueRef v = get_property(f, p);
            if (type_is_ref(p->type)) {
                p->slot = vec_last(&f->temps);
            } else {
                p->slot = host_alloca(f, host_stored_type(f->m, p->type), "property");
                host_store(f, p->slot, v, p->type);
            }
        }
        return p->slot;
    case PLACE_FIELD:
        host_check_null(f, p->object, p->base, p->loc);
        return host_field_address(f, p->object, p->sym);
    case PLACE_PART: {
        LLVMValueRef record = host_place_address(f, p->of);
        return LLVMBuildStructGEP2(f->m->b, host_class(p->of->type)->type, record,
                                   (unsigned)p->sym->field, "");
    }
    default: break;
    }
    if (type_is_record(p->type)) host_bug(f->m, p->base, "the address of a record in an array");
    HostElement e = place_element(f, p);
    return host_element_address(f, &e, 0);
}

/* Of PLACE_ELEMENT, for writing. */
static HostElement place_element(HostFunc *f, HostPlace *p)
{
    const Type *type = p->of->type;
    LLVMValueRef slot = host_place_address(f, p->of);
    if (p->fact) {
        LLVMValueRef array = LLVMBuildLoad2(f->m->b, f->m->ptr, slot, "");
        return host_element_by_fact(f, p->fact, array, type, &p->index, p->loc);
    }
    if (p->of->kind != PLACE_SLOT || p->of->sym) host_fill_empty(f, slot, type, p->loc);
    return host_element_write(f, slot, type, &p->index, p->loc);
}

LLVMValueRef host_place_load(HostFunc *f, HostPlace *p)
{
    if (p->kind == PLACE_PROPERTY) return get_property(f, p);
    if (p->kind != PLACE_ELEMENT) return host_load(f, host_place_address(f, p), p->type);
    HostElement e;
    if (p->fact || p->of->kind != PLACE_SLOT || p->of->sym) {
        e = place_element(f, p);
    } else {
        LLVMValueRef array = LLVMBuildLoad2(f->m->b, f->m->ptr, p->of->slot, "");
        e = host_element_read(f, array, p->of->type, &p->index, p->loc);
    }
    if (!type_is_ref(p->type)) return host_element_load(f, &e);
    return host_load(f, host_element_address(f, &e, 0), p->type);
}

void host_place_changed(HostFunc *f, HostPlace *p)
{
    while (p && p->kind != PLACE_PROPERTY) p = p->of;
    if (!p || !p->sym->set) return;
    host_call_accessor(f, p, p->sym->set, host_load(f, p->slot, p->type));
}

void host_place_store(HostFunc *f, HostPlace *p, LLVMValueRef value)
{
    HostModule *m = f->m;
    bool ref = type_is_ref(p->type);
    LLVMValueRef keep = NULL;
    if (ref && p->kind != PLACE_SLOT) { /* finding the place may throw */
        host_temp(f, value);
        keep = vec_last(&f->temps);
    }
    if (p->kind == PLACE_PROPERTY) {
        host_call_accessor(f, p, p->sym->set, value);
        return;
    }
    if (p->kind == PLACE_ELEMENT && !ref) {
        HostElement e = place_element(f, p);
        host_element_store(f, &e, value);
        host_place_changed(f, p->of);
        return;
    }
    LLVMValueRef at = host_place_address(f, p);
    if (ref) {
        if (keep) host_untemp(f, keep);
        LLVMValueRef old = LLVMBuildLoad2(m->b, m->ptr, at, "");
        LLVMBuildStore(m->b, value, at);
        host_call_runtime(f, ABI_cs_release, &old, 1, p->loc);
    } else {
        host_store(f, at, value, p->type);
    }
    host_place_changed(f, p->of);
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* target op= value for strings. */
static LLVMValueRef append(HostFunc *f, HostPlace *p, Ast *value)
{
    HostModule *m = f->m;
    LLVMValueRef left = host_place_load(f, p);
    if (host_may_assign(value) || p->kind != PLACE_SLOT || p->sym)
        left = host_temp(f, host_call_runtime(f, ABI_cs_retain, &left, 1, p->loc));
    HostRef right = host_text(f, value);
    host_keep(f, right, p->type, false);
    LLVMValueRef buffer = host_buffer(f, 2);
    host_put(f, buffer, 0, left, p->type);
    host_put(f, buffer, 1, right.v, p->type);
    LLVMValueRef args[] = {host_int(m, 2), buffer};
    return host_call_runtime(f, ABI_cs_str_concat, args, 2, p->loc);
}

/* x op v, as a value of x's type: the operation takes place in C#'s common type. */
static LLVMValueRef combine(HostFunc *f, FdOp op, LLVMValueRef x, ScalarKind kx, LLVMValueRef v,
                            ScalarKind kv, Loc loc)
{
    bool is_shift = fd_op_info(op)->rule == FD_RULE_SHIFT;
    ScalarKind k = is_shift ? host_promote(kx, kx) : host_promote(kx, kv);
    LLVMValueRef args[] = {host_convert(f, x, kx, k), is_shift ? v : host_convert(f, v, kv, k)};
    return host_convert(f, host_operate(f, op, k, args, loc), k, kx);
}

static bool through_property(const HostPlace *p)
{
    while (p->of) p = p->of;
    return p->kind == PLACE_PROPERTY;
}

static LLVMValueRef compound(HostFunc *f, const Ast *n, HostPlace *p, Ast *value)
{
    FdOp op = sema_op(n->assign.op);
    ScalarKind k = p->type->scalar;
    if (p->type->kind != TY_SCALAR || value->type->kind != TY_SCALAR)
        host_bug(f->m, n, "a compound assignment that is no number's");
    if (host_is_plain(value) && !through_property(p)) { /* then the place is found once */
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

/* What the place holds, still there once it holds something else. */
static LLVMValueRef held(HostFunc *f, HostPlace *p)
{
    LLVMValueRef v = host_place_load(f, p);
    if (!type_is_ref(p->type)) return v;
    return host_temp(f, host_call_runtime(f, ABI_cs_retain, &v, 1, p->loc));
}

/* x += v by a user's operator. */
static LLVMValueRef user_compound(HostFunc *f, const Ast *n, HostPlace *p, Ast *value)
{
    LLVMValueRef left = held(f, p);
    LLVMValueRef args[] = {left, host_value(f, value)};
    HostRef r = host_call_static(f, n->sym, args, 2, n->loc);
    host_place_store(f, p, r.v);
    return r.v;
}

/* x ??= v: v is evaluated only if x is null. */
static LLVMValueRef set_if_null(HostFunc *f, HostPlace *p, Ast *value)
{
    HostModule *m = f->m;
    LLVMValueRef old = host_place_load(f, p);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(m->b);
    LLVMBasicBlockRef set = host_block(f, "null"), end = host_block(f, "end");
    LLVMBuildCondBr(m->b, host_is_null(f, old, p->type), set, end);
    host_enter(f, set);
    LLVMValueRef v = host_owned(f, value);
    host_place_store(f, p, v);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(m->b);
    host_jump(f, end);
    host_enter(f, end);
    LLVMValueRef phi = LLVMBuildPhi(m->b, m->ptr, ""), values[] = {old, v};
    LLVMBasicBlockRef blocks[] = {from, last};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

/* x++ by a user's operator. */
static LLVMValueRef user_step(HostFunc *f, const Ast *n, HostPlace *p)
{
    LLVMValueRef old = held(f, p);
    HostRef r = host_call_static(f, n->sym, &old, 1, n->loc);
    host_place_store(f, p, r.v);
    return n->incdec.postfix ? old : r.v;
}

static LLVMValueRef step(HostFunc *f, const Ast *n)
{
    HostPlace *p = host_place(f, n->incdec.target);
    if (n->sym && n->sym->kind == SYM_FUNC) return user_step(f, n, p);
    bool once = !through_property(p); /* then the place is found once */
    LLVMValueRef at = once ? host_place_address(f, p) : NULL;
    LLVMValueRef old = once ? host_load(f, at, p->type) : host_place_load(f, p);
    LLVMValueRef one = host_const(f->m, SC_INT, (ScalarValue){.i = 1});
    LLVMValueRef v = combine(f, sema_op(n->incdec.op), old, p->type->scalar, one, SC_INT, n->loc);
    if (once)
        host_store(f, at, v, p->type);
    else
        host_place_store(f, p, v);
    return n->incdec.postfix ? old : v;
}

LLVMValueRef host_assign(HostFunc *f, Ast *n, bool used)
{
    if (n->kind == AST_INCDEC) return step(f, n);
    if (sema_is_part(n->assign.target)) return host_assign_slice(f, n, used);
    HostPlace *p = host_place(f, n->assign.target);
    Ast *value = n->assign.value;
    AstOp op = n->assign.op;
    if (op == AST_OP_COALESCE) return set_if_null(f, p, value);
    if (op != AST_OP_NONE && n->sym && n->sym->kind == SYM_FUNC)
        return user_compound(f, n, p, value);
    if (op != AST_OP_NONE && p->type->kind != TY_STRING) return compound(f, n, p, value);
    LLVMValueRef v;
    if (op != AST_OP_NONE)
        v = append(f, p, value);
    else
        v = type_is_ref(p->type) ? host_owned(f, value) : host_value(f, value);
    host_place_store(f, p, v);
    return v;
}
