/* C$ types as LLVM types, constants, and the structures of csrt.h. A bool is an i1 in registers and
 * a byte of 0 or 1 in memory; a char is an i32; a record is a structure of its fields as they are
 * stored; every reference is an opaque pointer. Nothing here
 * depends on the target: structures have C's layout because they hold no odd members. */
#include <string.h>

#include "value/value.h"

typedef enum MemberType { I8, I16, I32, I64, PTR, DIMS } MemberType;

/* layouts.def: a row a member, then one with the structure's name. */
static const struct {
    const char *name;
    HostStruct id;
    MemberType type;
} layouts[] = {
#define STRUCT(id, name)
#define MEMBER(name, id, type, path) {NULL, HOST_NSTRUCTS, type},
#define END(id, name) {#name, HOST_##id, I8},
#include "../abi/layouts.def"
#undef STRUCT
#undef MEMBER
#undef END
};

static LLVMTypeRef member_type(const HostModule *m, MemberType type)
{
    switch (type) {
    case I8: return m->i8;
    case I16: return m->i16;
    case I32: return m->i32;
    case I64: return m->i64;
    case PTR: return m->ptr;
    default: return LLVMArrayType(m->structs[HOST_DIM], CS_MAX_RANK);
    }
}

static void structures(HostModule *m)
{
    LLVMTypeRef members[16];
    unsigned n = 0;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (!layouts[i].name) {
            members[n++] = member_type(m, layouts[i].type);
            continue;
        }
        LLVMTypeRef t = LLVMStructCreateNamed(m->ctx, layouts[i].name);
        LLVMStructSetBody(t, members, n, false);
        m->structs[layouts[i].id] = t;
        n = 0;
    }
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

    structures(m);
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
    if (type_is_record(t)) return CS_ELEM_RECORD + host_class(t)->record;
    return t->kind == TY_SCALAR ? (int32_t)t->scalar : CS_ELEM_REF;
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
