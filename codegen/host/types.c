/* C$ types as LLVM types, constants, and the structures of csrt.h. A bool is an i1 in registers and
 * a byte of 0 or 1 in memory; a char is an i32; a record is a structure of its fields as they are
 * stored; every reference is an opaque pointer. Nothing here
 * depends on the target: structures have C's layout because they hold no odd members. */
#include <string.h>

#include "impl.h"

static LLVMTypeRef structure(const HostModule *m, const char *name, LLVMTypeRef *members,
                             unsigned n)
{
    LLVMTypeRef t = LLVMStructCreateNamed(m->ctx, name);
    LLVMStructSetBody(t, members, n, false);
    return t;
}

void host_types_init(HostModule *m)
{
    LLVMContextRef c = m->ctx;
    m->void_type = LLVMVoidTypeInContext(c);
    m->i1 = LLVMInt1TypeInContext(c);
    m->i8 = LLVMInt8TypeInContext(c);
    m->i16 = LLVMInt16TypeInContext(c);
    m->i32 = LLVMInt32TypeInContext(c);
    m->i64 = LLVMInt64TypeInContext(c);
    m->half = LLVMHalfTypeInContext(c);
    m->f32 = LLVMFloatTypeInContext(c);
    m->f64 = LLVMDoubleTypeInContext(c);
    m->ptr = LLVMPointerTypeInContext(c, 0);

    LLVMTypeRef i32 = m->i32, i64 = m->i64, ptr = m->ptr;
    LLVMTypeRef dim[] = {i64, i64, i64};
    LLVMTypeRef dims = LLVMArrayType(structure(m, "CsDim", dim, 3), HOST_MAX_RANK);
    LLVMTypeRef site[] = {ptr, ptr, i32, i32};
    LLVMTypeRef array[] = {i32, i32, i32, i32, i32, i32, ptr, ptr, i32, dims};
    LLVMTypeRef graph[] = {ptr, ptr};
    LLVMTypeRef native[] = {ptr, ptr, ptr, i32, i32, ptr, ptr, ptr};
    LLVMTypeRef kernel[] = {i64, i64, ptr};
    LLVMTypeRef program[] = {ptr, i32, i32, i32, ptr, i32, ptr, i32, ptr, ptr, ptr};
    LLVMTypeRef record[] = {ptr, ptr, i32, ptr, ptr, ptr};
    LLVMTypeRef class[] = {ptr, ptr, i64, i32, ptr, i32, ptr, i32, ptr, i32, ptr};
    LLVMTypeRef impl[] = {i64, ptr}, object[] = {i64, ptr};
    m->structs[HOST_SITE] = structure(m, "CsSite", site, 4);
    m->structs[HOST_ARRAY] = structure(m, "CsArray", array, 10);
    m->structs[HOST_GRAPH] = structure(m, "CsGraph", graph, 2);
    m->structs[HOST_NATIVE] = structure(m, "CsNative", native, 8);
    m->structs[HOST_KERNEL] = structure(m, "CsKernel", kernel, 3);
    m->structs[HOST_PROGRAM] = structure(m, "CsProgram", program, 11);
    m->structs[HOST_RECORD] = structure(m, "CsRecord", record, 6);
    m->structs[HOST_CLASS] = structure(m, "CsClass", class, 11);
    m->structs[HOST_IMPL] = structure(m, "CsImpl", impl, 2);
    m->structs[HOST_OBJECT] = structure(m, "CsObject", object, 2);
}

LLVMTypeRef host_scalar_type(const HostModule *m, ScalarKind k)
{
    switch (k) {
    case SC_BOOL: return m->i1;
    case SC_HALF: return m->half;
    case SC_FLOAT: return m->f32;
    case SC_DOUBLE: return m->f64;
    default: return LLVMIntTypeInContext(m->ctx, (unsigned)scalar_bytes(k) * 8);
    }
}

LLVMTypeRef host_type(const HostModule *m, const Type *t)
{
    if (t->kind == TY_VOID) return m->void_type;
    if (type_is_record(t)) return host_class(t)->type;
    return t->kind == TY_SCALAR ? host_scalar_type(m, t->scalar) : m->ptr;
}

LLVMTypeRef host_stored_type(const HostModule *m, const Type *t)
{
    return type_is_scalar(t, SC_BOOL) ? m->i8 : host_type(m, t);
}

static LLVMTypeRef result_type(const HostModule *m, const Symbol *func)
{
    if (!func->is_ctor) return host_type(m, func->type->result);
    return type_is_record(func->cls->type) ? host_type(m, func->cls->type) : m->void_type;
}

/* `this` comes first; a record's constructor makes it instead. */
LLVMTypeRef host_func_type(const HostModule *m, const Symbol *func, AstList params)
{
    LLVMTypeRef *types = arena_array(m->arena, LLVMTypeRef, params.len + 1);
    unsigned n = 0;
    if (host_takes_self(func)) types[n++] = host_type(m, func->self->type);
    for (int i = 0; i < params.len; i++) {
        AstOp mode = params.data[i]->param.mode;
        bool by_ref = mode == AST_OP_REF || mode == AST_OP_OUT;
        types[n++] = by_ref ? m->ptr : host_type(m, func->type->params[i]);
    }
    return LLVMFunctionType(result_type(m, func), types, n, false);
}

bool host_takes_self(const Symbol *func)
{
    return func->self && !(func->is_ctor && type_is_record(func->cls->type));
}

void host_attribute(HostModule *m, LLVMValueRef fn, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (kind)
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(m->ctx, kind, 0));
}

void host_attribute_value(HostModule *m, LLVMValueRef fn, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(m->ctx, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

LLVMValueRef host_int(const HostModule *m, int64_t v)
{
    return LLVMConstInt(m->i32, (unsigned long long)v, true);
}

LLVMValueRef host_long(const HostModule *m, int64_t v)
{
    return LLVMConstInt(m->i64, (unsigned long long)v, true);
}

LLVMValueRef host_null(const HostModule *m)
{
    return LLVMConstNull(m->ptr);
}

LLVMValueRef host_const(const HostModule *m, ScalarKind k, ScalarValue v)
{
    LLVMTypeRef t = host_scalar_type(m, k);
    if (scalar_is_real(k)) return LLVMConstReal(t, v.f);
    return LLVMConstInt(t, (unsigned long long)v.i, scalar_is_signed(k));
}

int32_t host_elem(const Type *array)
{
    const Type *t = array->result;
    if (type_is_record(t)) return HOST_ELEM_RECORD + host_class(t)->record;
    return t->kind == TY_SCALAR ? (int32_t)t->scalar : HOST_ELEM_REF;
}

const HostClass *host_class(const Type *t)
{
    return t->decl->cls->host;
}

HostSpot host_leave(const HostModule *m)
{
    return (HostSpot){LLVMGetInsertBlock(m->b), LLVMGetInsertBlock(m->entry),
                      LLVMGetCurrentDebugLocation2(m->b)};
}

void host_come_back(HostModule *m, HostSpot spot)
{
    if (spot.block) LLVMPositionBuilderAtEnd(m->b, spot.block);
    if (spot.entry) LLVMPositionBuilderAtEnd(m->entry, spot.entry);
    LLVMSetCurrentDebugLocation2(m->b, spot.at);
}

const Type *host_type_of_kind(const HostModule *m, ScalarKind k)
{
    return type_scalar(m->sema->types, k);
}
