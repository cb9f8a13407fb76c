/* Records: values of final classes of scalars. In registers and variables one is a structure; for
 * the runtime and in arrays it is taken apart into its leaves, the scalars that it and its inner
 * records hold, in order. Arrays keep a plane a leaf (fd_plane_offset): reading an element gathers,
 * writing one scatters, reading a field of an element touches one plane. */
#include "value.h"

enum { PLANE_ALIGN = FD_PLANE_ALIGN };

static LLVMValueRef record_get(HostFunc *f, LLVMValueRef record, const Symbol *field)
{
    HostModule *m = f->m;
    LLVMValueRef v = LLVMBuildExtractValue(m->b, record, (unsigned)field->field, "");
    return host_from_stored(f, v, field->type);
}

static LLVMValueRef with_field(HostFunc *f, LLVMValueRef record, const Symbol *field,
                               LLVMValueRef v)
{
    v = host_to_stored(f, v, field->type);
    return LLVMBuildInsertValue(f->m->b, record, v, (unsigned)field->field, "");
}

/* ---- leaves -------------------------------------------------------------------------------- */

int host_leaves(const Type *t)
{
    if (!type_is_record(t)) return 1;
    int n = 0;
    const Class *c = t->decl->cls;
    for (int i = 0; i < c->nfields; i++) n += host_leaves(c->fields[i]->type);
    return n;
}

const Type *host_leaf_type(const Type *t, int leaf)
{
    while (type_is_record(t)) {
        const Class *c = t->decl->cls;
        int i = 0;
        for (int n; leaf >= (n = host_leaves(c->fields[i]->type)); i++) leaf -= n;
        t = c->fields[i]->type;
    }
    return t;
}

/* The first leaf of a field. */
static int leaf_of(const Symbol *field)
{
    int n = 0;
    for (int i = 0; i < field->field; i++) n += host_leaves(field->cls->fields[i]->type);
    return n;
}

static LLVMValueRef *scatter(HostFunc *f, LLVMValueRef v, const Type *t, LLVMValueRef *out)
{
    if (!type_is_record(t)) {
        *out = v;
        return out + 1;
    }
    const Class *c = t->decl->cls;
    for (int i = 0; i < c->nfields; i++)
        out = scatter(f, record_get(f, v, c->fields[i]), c->fields[i]->type, out);
    return out;
}

LLVMValueRef *host_scatter(HostFunc *f, LLVMValueRef v, const Type *t)
{
    LLVMValueRef *leaves = arena_array(f->m->arena, LLVMValueRef, host_leaves(t) + 1);
    scatter(f, v, t, leaves);
    return leaves;
}

static LLVMValueRef gather(HostFunc *f, const Type *t, const LLVMValueRef **leaves)
{
    if (!type_is_record(t)) return *(*leaves)++;
    const Class *c = t->decl->cls;
    LLVMValueRef v = LLVMGetUndef(host_class(t)->type);
    for (int i = 0; i < c->nfields; i++)
        v = with_field(f, v, c->fields[i], gather(f, c->fields[i]->type, leaves));
    return v;
}

LLVMValueRef host_gather(HostFunc *f, const Type *t, const LLVMValueRef *leaves)
{
    return gather(f, t, &leaves);
}

/* ---- elements of arrays ---------------------------------------------------------------------- */

/* The bytes before the plane of a leaf: each plane begins at a multiple of PLANE_ALIGN. */
static LLVMValueRef plane(HostFunc *f, const HostElement *e, int leaf)
{
    HostModule *m = f->m;
    LLVMValueRef sum = host_long(m, 0);
    for (int i = 0; i < leaf; i++) {
        LLVMValueRef size = host_long(m, (int64_t)scalar_bytes(host_leaf_type(e->type, i)->scalar));
        LLVMValueRef bytes = LLVMBuildMul(m->b, e->count, size, "");
        bytes = LLVMBuildAdd(m->b, bytes, host_long(m, PLANE_ALIGN - 1), "");
        bytes = LLVMBuildAnd(m->b, bytes, host_long(m, -PLANE_ALIGN), "");
        sum = LLVMBuildAdd(m->b, sum, bytes, "");
    }
    return sum;
}

LLVMValueRef host_element_address(HostFunc *f, const HostElement *e, int leaf)
{
    HostModule *m = f->m;
    LLVMValueRef data = e->data, offset = e->offset;
    const Type *t = host_leaf_type(e->type, leaf);
    if (leaf) {
        LLVMValueRef before = plane(f, e, leaf);
        data = LLVMBuildInBoundsGEP2(m->b, m->i8, data, &before, 1, "");
    }
    return LLVMBuildInBoundsGEP2(m->b, host_stored_type(m, t), data, &offset, 1, "");
}

/* The leaves of a field (of type t) from `first` on. */
static LLVMValueRef load_leaves(HostFunc *f, const HostElement *e, int first, const Type *t)
{
    int n = host_leaves(t);
    LLVMValueRef *leaves = arena_array(f->m->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++)
        leaves[i] = host_load(f, host_element_address(f, e, first + i), host_leaf_type(t, i));
    return host_gather(f, t, leaves);
}

LLVMValueRef host_element_load(HostFunc *f, const HostElement *e)
{
    return load_leaves(f, e, 0, e->type);
}

void host_element_store(HostFunc *f, const HostElement *e, LLVMValueRef v)
{
    LLVMValueRef *leaves = host_scatter(f, v, e->type);
    int n = host_leaves(e->type);
    for (int i = 0; i < n; i++)
        host_store(f, host_element_address(f, e, i), leaves[i], host_leaf_type(e->type, i));
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool reads_element(const Ast *n)
{
    const Ast *base = n->kind == AST_INDEX  ? n->index.base
                      : n->kind == AST_CALL ? n->call.callee
                                            : NULL;
    return base && n->res == AST_RES_APPLY && base->type && base->type->kind == TY_ARRAY;
}

/* r.x, r.p.x: of an element of an array it reads only the planes that it needs. */
LLVMValueRef host_record_field(HostFunc *f, Ast *n)
{
    Ast *base = n;
    int first = 0;
    while (base->kind == AST_MEMBER && base->sym && base->sym->kind == SYM_FIELD &&
           base->member.base->type && type_is_record(base->member.base->type)) {
        first += leaf_of(base->sym);
        base = base->member.base;
    }
    if (!reads_element(base)) return record_get(f, host_value(f, n->member.base), n->sym);
    bool index = base->kind == AST_INDEX;
    HostElement e = host_find_element(f, index ? base->index.base : base->call.callee,
                                      index ? base->index.args : base->call.args, base->loc);
    return load_leaves(f, &e, first, n->type);
}

/* ---- for the runtime ------------------------------------------------------------------------- */

/* static ptr text(ptr fields): a record's ToString, from its leaves as CsValues. */
static LLVMValueRef text_function(HostModule *m, const Class *c)
{
    if (!c->nslots || !c->slots[0]) return host_null(m);
    const HostFuncInfo *info = host_func_info(m, c->slots[0]);
    HostSpot spot = host_leave(m);
    LLVMTypeRef type = LLVMFunctionType(m->ptr, &m->ptr, 1, false);
    HostFunc f = {.m = m};
    f.fn = host_add_function(m, arena_printf(m->arena, "text.%s", c->mangled), type);
    host_debug_none(m);
    LLVMValueRef v = host_take(&f, LLVMGetParam(f.fn, 0), 0, c->type);
    LLVMBuildRet(m->b, LLVMBuildCall2(m->b, info->type, info->fn, &v, 1, ""));
    host_come_back(m, spot);
    return f.fn;
}

static LLVMValueRef describe(HostModule *m, const Class *c)
{
    LLVMValueRef *names = arena_array(m->arena, LLVMValueRef, c->nfields + 1);
    LLVMValueRef *kinds = arena_array(m->arena, LLVMValueRef, c->nfields + 1);
    for (int i = 0; i < c->nfields; i++) {
        const Type *t = c->fields[i]->type;
        names[i] = host_c_string(m, c->fields[i]->name);
        kinds[i] = host_int(m, type_is_record(t) ? CS_ELEM_RECORD + host_class(t)->record
                                                 : (int)t->scalar);
    }
    LLVMValueRef members[RECORD_MEMBERS];
    members[RECORD_NAME] = host_c_string(m, c->mangled);
    members[RECORD_TITLE] = host_c_string(m, type_text(m->arena, c->type));
    members[RECORD_NFIELDS] = host_int(m, c->nfields);
    members[RECORD_NAMES] = host_table(m, "names", m->ptr, names, (unsigned)c->nfields);
    members[RECORD_KINDS] = host_table(m, "kinds", m->i32, kinds, (unsigned)c->nfields);
    members[RECORD_TO_STRING] = text_function(m, c);
    return host_struct(m, HOST_RECORD, members);
}

LLVMValueRef host_describe_records(HostModule *m)
{
    LLVMValueRef *items = arena_array(m->arena, LLVMValueRef, m->nrecords + 1);
    for (int i = 0; i < m->nrecords; i++) items[i] = LLVMConstNull(m->structs[HOST_RECORD]);
    for (int i = 0; i < m->sema->nclasses; i++) {
        const Class *c = m->sema->classes[i];
        if (type_is_record(c->type)) items[host_class(c->type)->record] = describe(m, c);
    }
    return host_table(m, "records", m->structs[HOST_RECORD], items, (unsigned)m->nrecords);
}
