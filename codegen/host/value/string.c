/* Strings: printable values as text, interpolation, concatenation. Every text that is made is a
 * temporary of its statement. Objects have their ToString; of records and enums sema made calls.
 * Literals are part of the program. */
#include "value.h"

/* The format of a hole, NULL: none. */
static LLVMValueRef format_of(HostFunc *f, const Ast *hole)
{
    if (!hole) return host_null(f->m);
    if (hole->hole.style) return host_value(f, hole->hole.style);
    return hole->hole.format.len ? host_string(f, hole->hole.format) : host_null(f->m);
}

/* The text of n, by the format of the hole that it is in, if it is in one. */
static HostRef text_of(HostFunc *f, Ast *n, const Ast *hole)
{
    HostModule *m = f->m;
    const Type *t = n->type;
    if (t->kind == TY_STRING) return host_ref(f, n);
    bool hazard = hole && hole->hole.style && host_may_assign(hole->hole.style);
    LLVMValueRef v = host_keep(f, host_ref(f, n), t, hazard);
    if (t->kind == TY_OBJECT) { /* ToString is user code */
        v = host_or_zero(f, v, t);
        return (HostRef){host_call_runtime(f, ABI_cs_object_to_string, &v, 1, n->loc), true, false};
    }
    if (type_is_functional(t)) {
        LLVMValueRef args[] = {v, format_of(f, hole)};
        return (HostRef){host_call_runtime(f, ABI_cs_format_fn, args, 2, n->loc), true, false};
    }
    if (t->kind != TY_SCALAR) host_bug(m, n, "a value without a text");
    bool real = scalar_is_real(t->scalar);
    v = host_convert(f, v, t->scalar, real ? SC_DOUBLE : SC_LONG);
    LLVMValueRef args[] = {v, host_int(m, (int64_t)t->scalar), format_of(f, hole)};
    AbiId id = real ? ABI_cs_format_f : ABI_cs_format_i;
    return (HostRef){host_call_runtime(f, id, args, 3, n->loc), true, false};
}

HostRef host_text(HostFunc *f, Ast *n)
{
    return text_of(f, n, NULL);
}

/* The texts of all parts are there; joins them. */
static HostRef join(HostFunc *f, LLVMValueRef *texts, int n, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef buffer = host_buffer(f, n);
    for (int i = 0; i < n; i++) host_put(f, buffer, i, texts[i], type_string(m->sema->types));
    LLVMValueRef args[] = {host_int(m, n), buffer};
    return (HostRef){host_call_runtime(f, ABI_cs_str_concat, args, 2, loc), true, false};
}

static HostRef hole(HostFunc *f, const Ast *n)
{
    HostRef r = text_of(f, n->hole.expr, n);
    if (!n->hole.align) return r;
    const Type *t = n->hole.align->type;
    LLVMValueRef text = host_keep(f, r, type_string(f->m->sema->types), false);
    LLVMValueRef args[] = {text, host_to_abi(f, host_value(f, n->hole.align), t, 'i')};
    return (HostRef){host_call_runtime(f, ABI_cs_str_pad, args, 2, n->loc), true, false};
}

HostRef host_interpolate(HostFunc *f, Ast *n)
{
    AstList parts = n->interp.parts;
    const Type *string = type_string(f->m->sema->types);
    if (parts.len == 0) return (HostRef){host_string(f, (AstBytes){"", 0}), false, false};
    bool hazard = host_may_assign(n);
    LLVMValueRef *texts = arena_array(f->m->arena, LLVMValueRef, parts.len);
    for (int i = 0; i < parts.len; i++) {
        Ast *p = parts.data[i];
        HostRef r = p->kind == AST_HOLE
                        ? hole(f, p)
                        : (HostRef){host_string(f, p->string_lit.value), false, false};
        if (parts.len == 1) return r;
        texts[i] = host_keep(f, r, string, hazard);
    }
    return join(f, texts, parts.len, n->loc);
}

typedef VEC(Ast *) Operands;

static void flatten(Operands *out, Ast *n)
{
    if (n->kind == AST_BINARY && n->binary.op == AST_OP_ADD && n->type->kind == TY_STRING &&
        n->res == AST_RES_NONE) {
        flatten(out, n->binary.left);
        flatten(out, n->binary.right);
    } else {
        vec_push(out, n);
    }
}

HostRef host_concat(HostFunc *f, Ast *n)
{
    Operands list = {0};
    flatten(&list, n);
    int count = (int)list.len;
    bool hazard = host_may_assign(n);
    LLVMValueRef *texts = arena_array(f->m->arena, LLVMValueRef, count);
    for (int i = 0; i < count; i++)
        texts[i] = host_keep(f, host_text(f, list.data[i]), type_string(f->m->sema->types), hazard);
    vec_free(&list);
    return join(f, texts, count, n->loc);
}
