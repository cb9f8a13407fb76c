/* A library's functions for C (codegen/abi/library.h): of each exported one its description, and
 *     cs_error *NAME_f(cs_context *, parameters.., result *)    arrays as data and extents
 *     cs_error *NAME_f_on(..)                                   arrays as handles, if it takes some
 * which put their arguments into a row of CsValues for cs_embed_call; and those of library.def, which
 * call the runtime's. All else in the object is the library's own.
 */
#include "../value/value.h"
#include "library.h"

/* ---- descriptions ---------------------------------------------------------------------------- */

static LLVMValueRef native_call(HostModule *m, const Symbol *sym)
{
    LLVMValueRef native = LLVMGetInitializer(host_native(m, sym, 0));
    return LLVMGetOperand(native, NATIVE_CALL);
}

static LLVMValueRef describe(HostModule *m, const Symbol *sym)
{
    int n = sym->type->nparams;
    LLVMValueRef *params = arena_array(m->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) {
        CsBorder b = host_param_border(sym, i);
        LLVMValueRef members[BORDER_MEMBERS];
        members[BORDER_ELEM] = host_int(m, b.elem);
        members[BORDER_MODE] = host_int(m, b.mode);
        members[BORDER_RANK] = host_int(m, b.rank);
        params[i] = host_struct(m, HOST_BORDER, members);
    }
    CsBorder result = host_border(sym->type->result);
    LLVMValueRef members[EXPORT_MEMBERS];
    members[EXPORT_NAME] = host_c_string(m, sym->name);
    members[EXPORT_CALL] = native_call(m, sym);
    members[EXPORT_NPARAMS] = host_int(m, n);
    members[EXPORT_ELEM] = host_int(m, result.elem);
    members[EXPORT_RANK] = host_int(m, result.rank);
    members[EXPORT_PARAMS] = host_table(m, "params", m->structs[HOST_BORDER], params, (unsigned)n);
    return host_constant(m, "export", m->structs[HOST_EXPORT], host_struct(m, HOST_EXPORT, members),
                         false);
}

static LLVMValueRef describe_statics(HostModule *m)
{
    int n = m->sema->nstatics;
    LLVMValueRef *items = arena_array(m->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) {
        const Symbol *field = m->sema->statics[i];
        LLVMValueRef members[STATIC_MEMBERS];
        members[STATIC_AT] = host_static(m, field);
        members[STATIC_BYTES] = LLVMSizeOf(host_stored_type(m, field->type));
        items[i] = host_struct(m, HOST_STATIC, members);
    }
    return host_table(m, "statics", m->structs[HOST_STATIC], items, (unsigned)n);
}

/* ---- functions ------------------------------------------------------------------------------- */

static LLVMValueRef runtime_function(HostModule *m, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(m->mod, name);
    return fn ? fn : LLVMAddFunction(m->mod, name, type);
}

static HostFunc open_function(HostModule *m, const char *name, LLVMTypeRef type)
{
    HostFunc f = {.m = m};
    f.fn = host_add_function(m, name, type);
    LLVMSetLinkage(f.fn, LLVMExternalLinkage);
    host_debug_none(m);
    return f;
}

/* As C passes it: integers as wide as they are stored. */
static LLVMTypeRef passed_type(const HostModule *m, const Type *t)
{
    if (t->kind != TY_SCALAR) return m->ptr;
    if (type_is_scalar(t, SC_HALF)) return m->i16;
    return host_stored_type(m, t);
}

static LLVMValueRef from_passed(HostFunc *f, LLVMValueRef v, const Type *t)
{
    HostModule *m = f->m;
    if (type_is_scalar(t, SC_HALF)) return LLVMBuildBitCast(m->b, v, m->half, "");
    if (type_is_scalar(t, SC_BOOL))
        return LLVMBuildICmp(m->b, LLVMIntNE, v, LLVMConstNull(m->i8), "");
    return v;
}

static void emit_function(HostModule *m, const Symbol *sym, const char *name,
                          LLVMValueRef description, bool handles)
{
    const Type *t = sym->type;
    LLVMTypeRef types[2 + HOST_MAX_ARGS * (1 + CS_MAX_RANK)];
    unsigned n = 0;
    types[n++] = m->ptr;
    for (int i = 0; i < t->nparams; i++) {
        CsBorder b = host_param_border(sym, i);
        types[n++] = b.mode ? m->ptr : passed_type(m, t->params[i]);
        for (int d = b.rank; !handles && !b.mode && d > 0; d--) types[n++] = m->i64;
    }
    unsigned count = n - 1;
    if (t->result->kind != TY_VOID) types[n++] = m->ptr;
    HostFunc f = open_function(m, host_c_name(m, name, handles ? "_on" : ""),
                               LLVMFunctionType(m->ptr, types, n, false));
    LLVMValueRef args = LLVMBuildArrayAlloca(m->b, m->i64, host_int(m, (int64_t)count + 1), "");
    int at = 0;
    for (int i = 0; i < t->nparams; i++) {
        CsBorder b = host_param_border(sym, i);
        const Type *p = b.mode ? type_string(m->sema->types) : t->params[i];
        LLVMValueRef v = LLVMGetParam(f.fn, (unsigned)at + 1);
        const Type *as = p->kind == TY_SCALAR ? p : type_string(m->sema->types); /* an address */
        at = host_put(&f, args, at, from_passed(&f, v, p), as);
        for (int d = b.rank; !handles && !b.mode && d > 0; d--) {
            v = LLVMGetParam(f.fn, (unsigned)at + 1);
            at = host_put(&f, args, at, v, host_type_of_kind(m, SC_LONG));
        }
    }
    LLVMTypeRef call[] = {m->ptr, m->ptr, m->i32, m->ptr, m->ptr};
    LLVMTypeRef type = LLVMFunctionType(m->ptr, call, 5, false);
    LLVMValueRef all[] = {LLVMGetParam(f.fn, 0), description, host_int(m, handles), args,
                          n > count + 1 ? LLVMGetParam(f.fn, n - 1) : host_null(m)};
    LLVMValueRef fn = runtime_function(m, "cs_embed_call", type);
    LLVMBuildRet(m->b, LLVMBuildCall2(m->b, type, fn, all, 5, ""));
}

static LLVMTypeRef letter_type(const HostModule *m, char letter)
{
    return letter == 'i' ? m->i32 : letter == 'l' ? m->i64 : letter == 'v' ? m->void_type : m->ptr;
}

static void emit_interface(HostModule *m, const char *suffix, const char *function,
                           const char *signature, bool library, LLVMValueRef description)
{
    LLVMTypeRef types[16], result = letter_type(m, signature[0]);
    LLVMValueRef args[16];
    unsigned n = 0, skip = library;
    for (const char *s = signature + 1; *s; s++) types[n++] = letter_type(m, *s);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
    LLVMValueRef fn = runtime_function(m, function, type);
    HostFunc f = open_function(m, host_c_name(m, suffix, ""),
                               LLVMFunctionType(result, types + skip, n - skip, false));
    args[0] = description;
    for (unsigned i = skip; i < n; i++) args[i] = LLVMGetParam(f.fn, i - skip);
    LLVMValueRef v = LLVMBuildCall2(m->b, type, fn, args, n, "");
    if (signature[0] == 'v')
        LLVMBuildRetVoid(m->b);
    else
        LLVMBuildRet(m->b, v);
}

static LLVMValueRef emit_release(HostModule *m)
{
    LLVMTypeRef type = LLVMFunctionType(m->void_type, NULL, 0, false);
    LLVMValueRef fn = host_add_function(m, "release.statics", type);
    host_debug_none(m);
    host_release_statics(m);
    LLVMBuildRetVoid(m->b);
    return fn;
}

static bool takes_arrays(const Symbol *sym)
{
    for (int i = 0; i < sym->type->nparams; i++)
        if (host_param_border(sym, i).rank && !host_param_border(sym, i).mode) return true;
    return false;
}

void host_emit_library(HostModule *m, LLVMValueRef description, LLVMValueRef program)
{
    const SemaResult *r = m->sema;
    host_name_exports(m);
    LLVMValueRef members[LIBRARY_MEMBERS];
    members[LIBRARY_PROGRAM] = description;
    members[LIBRARY_INIT] = program;
    members[LIBRARY_RELEASE] = emit_release(m);
    members[LIBRARY_NSTATICS] = host_int(m, r->nstatics);
    members[LIBRARY_STATICS] = describe_statics(m);
    LLVMValueRef library = host_constant(m, "library", m->structs[HOST_LIBRARY],
                                         host_struct(m, HOST_LIBRARY, members), false);
    for (int i = 0; i < r->nexports; i++) {
        const Symbol *sym = r->exports[i];
        LLVMValueRef about = describe(m, sym);
        emit_function(m, sym, host_export_name(m, i), about, false);
        if (takes_arrays(sym)) emit_function(m, sym, host_export_name(m, i), about, true);
    }
#define INTERFACE(suffix, function, signature, library_, declaration, help)                        \
    emit_interface(m, #suffix, #function, signature, library_, library);
#include "../../abi/library.def"
#undef INTERFACE
}
