/* Classes: descriptors (CsClass), static fields, objects and their fields, tests of classes, and
 * which function a call runs. A call is direct where no used class overrides the method; else it
 * goes through the object's table, of an interface through the runtime. Keeps: an object owns what
 * its fields refer to; a field of array type is NULL until it is first used, then empty. */
#include "../../abi/csrt.h"
#include <stdlib.h>
#include <string.h>

#include "value.h"

static bool is_interface(const Class *c)
{
    return c->decl->class_.mods & AST_MOD_INTERFACE;
}

/* ---- layouts and descriptors ----------------------------------------------------------------- */

static void set_layout(HostModule *m, const Class *c)
{
    HostClass *h = c->host;
    bool record = type_is_record(c->type);
    LLVMTypeRef *types = arena_array(m->arena, LLVMTypeRef, c->nfields + OBJECT_MEMBERS);
    unsigned n = 0;
    if (!record) {
        types[n++] = m->i64; /* CsHead */
        types[n++] = m->ptr;
    }
    for (int i = 0; i < c->nfields; i++) types[n++] = host_stored_type(m, c->fields[i]->type);
    LLVMStructSetBody(h->type, types, n, false);
}

/* The static field of the program's module. */
static void declare_static(HostModule *m, int i)
{
    Symbol *field = m->sema->statics[i];
    size_t len;
    m->statics[i] = field->host;
    field->host = LLVMAddGlobal(m->mod, host_stored_type(m, field->type),
                                LLVMGetValueName2(field->host, &len));
    host_show(field->host);
}

void host_declare_classes(HostModule *m)
{
    for (int i = 0; i < m->sema->nclasses; i++) {
        Class *c = m->classes[i];
        HostClass *program = m->unit_of ? c->host : NULL, *h = arena_new_of(m->arena, HostClass);
        c->host = h;
        h->program = program;
        h->type = LLVMStructCreateNamed(m->ctx, arena_printf(m->arena, "class.%s", c->mangled));
        if (type_is_record(c->type)) {
            h->record = program ? program->record : host_record_number(m, c);
            if (h->record >= m->nrecords) m->nrecords = h->record + 1;
        } else {
            size_t len;
            h->descriptor = LLVMAddGlobal(m->mod, m->structs[HOST_CLASS],
                                          program ? LLVMGetValueName2(program->descriptor, &len)
                                                  : arena_printf(m->arena, "class.%s", c->mangled));
            LLVMSetLinkage(h->descriptor,
                           m->options->session ? LLVMWeakAnyLinkage : LLVMPrivateLinkage);
            if (program) host_show(h->descriptor);
            LLVMSetGlobalConstant(h->descriptor, true);
        }
    }
    for (int i = 0; i < m->sema->nclasses; i++) set_layout(m, m->sema->classes[i]);
    if (m->options->session && !m->options->process) /* some are static fields for functions */
        host_session_declare(m, m->sema->unit->unit.stmts);
    m->statics = arena_array(m->arena, LLVMValueRef, m->sema->nstatics + 1);
    for (int i = 0; i < m->sema->nstatics; i++)
        if (m->unit_of)
            declare_static(m, i);
        else
            host_static(m, m->sema->statics[i]);
}

static LLVMValueRef function_of(HostModule *m, const Symbol *sym)
{
    return sym ? host_func_info(m, sym)->fn : host_null(m);
}

static LLVMValueRef methods(HostModule *m, const Class *c)
{
    LLVMValueRef *items = arena_array(m->arena, LLVMValueRef, c->nslots + 1);
    for (int i = 0; i < c->nslots; i++) items[i] = function_of(m, c->slots[i]);
    return host_table(m, "methods", m->ptr, items, (unsigned)c->nslots);
}

typedef struct Impl {
    int64_t selector;
    const Symbol *with;
} Impl;

static int by_selector(const void *a, const void *b)
{
    const Impl *x = a, *y = b;
    return (x->selector > y->selector) - (x->selector < y->selector);
}

/* Behind the first n: the same methods for the instances that those of the class stand for (vary.c). */
static unsigned add_varied(HostModule *m, const Class *c, Impl *all, unsigned n)
{
    for (int k = 0; k < m->sema->nclasses; k++) {
        const Class *other = m->sema->classes[k];
        for (int i = 0; i < c->nimpls && is_interface(other) && other->sym->instance; i++) {
            const struct ClassImpl *own = &c->impls[i];
            const Symbol *f =
                vary_stands(own->method->cls, other) ? vary_method(other, own->method) : NULL;
            if (!f) continue;
            Impl one = {host_selector(m, f), own->with};
            bool known = false;
            for (unsigned j = 0; j < n; j++) known = known || all[j].selector == one.selector;
            if (!known) all[n++] = one;
        }
    }
    return n;
}

/* Of the interfaces that the program uses. */
static LLVMValueRef impls(HostModule *m, const Class *c, unsigned *count)
{
    Impl *sorted = arena_array(m->arena, Impl, c->nimpls * (m->sema->nclasses + 1) + 1);
    unsigned n = 0;
    for (int i = 0; i < c->nimpls; i++)
        if (class_is_asked(c->impls[i].method->cls))
            sorted[n++] = (Impl){host_selector(m, c->impls[i].method), c->impls[i].with};
    n = add_varied(m, c, sorted, n);
    qsort(sorted, n, sizeof *sorted, by_selector);
    LLVMValueRef *items = arena_array(m->arena, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef members[IMPL_MEMBERS];
        members[IMPL_SELECTOR] = host_long(m, sorted[i].selector);
        members[IMPL_METHOD] = function_of(m, sorted[i].with);
        items[i] = host_struct(m, HOST_IMPL, members);
    }
    *count = n;
    return host_table(m, "impls", m->structs[HOST_IMPL], items, n);
}

static void describe(HostModule *m, const Class *c)
{
    const HostClass *h = c->host;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m->mod);
    LLVMValueRef *refs = arena_array(m->arena, LLVMValueRef, c->nfields + 1);
    LLVMValueRef *interfaces = arena_array(m->arena, LLVMValueRef, m->sema->nclasses + 1);
    unsigned nrefs = 0, ninterfaces = 0, nimpls = 0;
    for (int i = 0; i < c->nfields; i++)
        if (type_is_ref(c->fields[i]->type))
            refs[nrefs++] = host_int(
                m, (int64_t)LLVMOffsetOfElement(layout, h->type, (unsigned)i + OBJECT_MEMBERS));
    for (int i = 0; i < m->sema->nclasses && c->ninterfaces; i++) {
        const Class *k = m->sema->classes[i];
        if (k != c &&
            (is_interface(k) ? class_is(c, k) : class_alike(c, k))) /* as a test finds it */
            interfaces[ninterfaces++] = host_class(k->type)->descriptor;
    }
    LLVMValueRef members[CLASS_MEMBERS];
    members[CLASS_NAME] = host_c_string(m, c->type->name);
    members[CLASS_BASE] = c->base ? host_class(c->base->type)->descriptor : host_null(m);
    members[CLASS_SIZE] = host_long(m, (int64_t)LLVMABISizeOfType(layout, h->type));
    members[CLASS_NREFS] = host_int(m, nrefs);
    members[CLASS_REFS] = host_table(m, "refs", m->i32, refs, nrefs);
    members[CLASS_NMETHODS] = host_int(m, c->nslots);
    members[CLASS_METHODS] = methods(m, c);
    members[CLASS_IMPLS] = impls(m, c, &nimpls);
    members[CLASS_NIMPLS] = host_int(m, nimpls);
    members[CLASS_NINTERFACES] = host_int(m, ninterfaces);
    members[CLASS_INTERFACES] = host_table(m, "interfaces", m->ptr, interfaces, ninterfaces);
    LLVMSetInitializer(h->descriptor, host_struct(m, HOST_CLASS, members));
}

void host_describe_classes(HostModule *m)
{
    for (int i = 0; i < m->sema->nclasses; i++)
        if (!type_is_record(m->sema->classes[i]->type)) describe(m, m->sema->classes[i]);
}

LLVMValueRef host_class_named(HostModule *m, const char *name)
{
    for (int i = 0; i < m->sema->nclasses; i++) {
        const Class *c = m->sema->classes[i];
        if (c->sym->library && !type_is_record(c->type) && strcmp(c->sym->name, name) == 0)
            return host_class(c->type)->descriptor;
    }
    return host_null(m);
}

/* ---- static fields --------------------------------------------------------------------------- */

LLVMValueRef host_static(HostModule *m, const Symbol *field)
{
    if (field->host) return field->host;
    bool shared = m->options->session;
    const char *name = arena_printf(m->arena, "%s%s.%s", shared ? "static." : "",
                                    field->cls ? field->cls->mangled : "", field->name);
    LLVMTypeRef t = host_stored_type(m, field->type);
    LLVMValueRef g = LLVMAddGlobal(m->mod, t, name);
    LLVMSetInitializer(g, LLVMConstNull(t));
    LLVMSetLinkage(g, shared ? LLVMWeakAnyLinkage : LLVMInternalLinkage);
    return ((Symbol *)field)->host = g;
}

void host_init_statics(HostFunc *f)
{
    for (int i = 0; i < f->m->sema->nstatics; i++) {
        const Symbol *s = f->m->sema->statics[i];
        Ast *init = s->decl && s->decl->kind == AST_DECLARATOR ? s->decl->declarator.init : NULL;
        if (!init) continue;
        host_debug_at(f, init->loc);
        LLVMBasicBlockRef next = f->m->options->session ? host_session_once(f, s) : NULL;
        LLVMValueRef v = type_is_ref(s->type) ? host_owned(f, init) : host_value(f, init);
        LLVMValueRef at = host_static(f->m, s), old = NULL;
        if (type_is_ref(s->type)) old = LLVMBuildLoad2(f->m->b, f->m->ptr, at, "");
        host_store(f, at, v, s->type);
        if (old) host_call_runtime(f, ABI_cs_release, &old, 1, init->loc);
        host_release_temps(f, 0);
        if (next) host_session_made(f, s, next);
    }
}

void host_release_statics(HostModule *m)
{
    HostFunc f = {.m = m};
    for (int i = 0; i < m->sema->nstatics; i++) {
        const Symbol *s = m->sema->statics[i];
        if (!type_is_ref(s->type)) continue;
        LLVMValueRef at = host_static(m, s), v = LLVMBuildLoad2(m->b, m->ptr, at, "");
        LLVMBuildStore(m->b, host_null(m), at);
        host_call_runtime(&f, ABI_cs_release, &v, 1, (Loc){0, 0, 0});
    }
}

/* ---- objects and fields ---------------------------------------------------------------------- */

static void check_null(HostFunc *f, LLVMValueRef v, Loc loc)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef null = host_block(f, "null"), next = host_block(f, "object");
    host_branch_cold(f, LLVMBuildIsNull(m->b, v, ""), null, next);
    host_enter(f, null);
    host_call_runtime(f, ABI_cs_throw_null, NULL, 0, loc);
    host_jump(f, host_unwind(f));
    host_enter(f, next);
}

void host_check_null(HostFunc *f, LLVMValueRef v, const Ast *n, Loc loc)
{
    if (host_may_be_null(n)) check_null(f, v, loc);
}

LLVMValueRef host_field_address(HostFunc *f, LLVMValueRef object, const Symbol *field)
{
    return LLVMBuildStructGEP2(f->m->b, host_class(field->cls->type)->type, object,
                               (unsigned)field->field + OBJECT_MEMBERS, "");
}

/* A slot of array type holds NULL until it is first used: then a null array, but in fields of the library, which
 * takes them for empty ones. */
static void fill_empty(HostFunc *f, LLVMValueRef slot, const Type *type, bool null, Loc loc)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef make = host_block(f, "empty"), next = host_block(f, "array");
    LLVMValueRef v = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    host_branch_cold(f, LLVMBuildIsNull(m->b, v, ""), make, next);
    host_enter(f, make);
    LLVMValueRef args[] = {host_int(m, host_elem(type)), host_int(m, type->nparams)};
    v = host_call_runtime(f, ABI_cs_array_empty, args, 2, loc);
    if (!null) {
        LLVMValueRef state = LLVMBuildStructGEP2(m->b, m->structs[HOST_ARRAY], v, ARRAY_STATE, "");
        LLVMBuildStore(m->b, host_int(m, 0), state);
    }
    LLVMBuildStore(m->b, v, slot);
    host_jump(f, next);
    host_enter(f, next);
}

/* A field that the library declares as an array, and not as what its type parameter is. */
static bool is_library_array(const Symbol *field)
{
    return field->library && field->written && field->written->kind == AST_TYPE_ARRAY;
}

void host_fill_empty(HostFunc *f, LLVMValueRef slot, const Type *type, Loc loc)
{
    fill_empty(f, slot, type, true, loc);
}

HostRef host_load_ref(HostFunc *f, LLVMValueRef at, const Type *type, Loc loc)
{
    if (type->kind == TY_ARRAY) fill_empty(f, at, type, true, loc);
    LLVMValueRef v = LLVMBuildLoad2(f->m->b, f->m->ptr, at, "");
    return (HostRef){v, false, true};
}

/* The object of a value whose fields are zero; nobody counts it. */
static LLVMValueRef zero_object(HostModule *m, const Class *c)
{
    const char *name = arena_printf(m->arena, "zero.%s", c->mangled);
    LLVMValueRef zero = LLVMGetNamedGlobal(m->mod, name);
    if (zero) return zero;
    LLVMTypeRef t = host_class(c->type)->type;
    unsigned n = LLVMCountStructElementTypes(t);
    LLVMValueRef *fields = arena_array(m->arena, LLVMValueRef, n);
    for (unsigned i = 0; i < n; i++) fields[i] = LLVMConstNull(LLVMStructGetTypeAtIndex(t, i));
    uint64_t head = UINT32_MAX | (uint64_t)CS_OBJECT << 32; /* CsHead: refs -1 */
    fields[OBJECT_HEAD] = LLVMConstInt(m->i64, head, false);
    fields[OBJECT_CLASS] = host_class(c->type)->descriptor;
    zero = LLVMAddGlobal(m->mod, t, name);
    LLVMSetInitializer(zero, LLVMConstNamedStruct(t, fields, n));
    LLVMSetLinkage(zero, LLVMInternalLinkage);
    return zero;
}

bool host_is_value_class(const Class *c)
{
    uint64_t mods = c->decl->class_.mods;
    return (mods & AST_MOD_STRUCT) || ((mods & AST_MOD_FINAL) && !(mods & AST_MOD_MUTABLE));
}

/* A struct, tuple or final class that is kept as an object: its zero is a null reference. */
static bool is_value_object(const Type *t)
{
    return t->kind == TY_OBJECT && t->decl && t->decl->cls && host_is_value_class(t->decl->cls);
}

LLVMValueRef host_zero_struct(HostFunc *f, const Type *t)
{
    return is_value_object(t) ? zero_object(f->m, t->decl->cls) : NULL;
}

LLVMValueRef host_or_zero(HostFunc *f, LLVMValueRef object, const Type *t)
{
    LLVMValueRef zero = host_zero_struct(f, t);
    if (!zero) return object;
    return LLVMBuildSelect(f->m->b, LLVMBuildIsNull(f->m->b, object, ""), zero, object, "");
}

HostRef host_field(HostFunc *f, Ast *n)
{
    const Symbol *field = n->sym;
    LLVMValueRef at;
    if (field->mods & AST_MOD_STATIC) {
        at = host_static(f->m, field);
    } else {
        Ast *base = n->member.base;
        if (type_is_record(base->type)) return (HostRef){host_record_field(f, n), false, false};
        LLVMValueRef object = host_peek(f, base);
        if (is_value_object(base->type))
            object = host_or_zero(f, object, base->type);
        else
            host_check_null(f, object, base, n->loc);
        at = host_field_address(f, object, field);
    }
    if (field->type->kind == TY_ARRAY) {
        fill_empty(f, at, field->type, !is_library_array(field), n->loc);
        return (HostRef){LLVMBuildLoad2(f->m->b, f->m->ptr, at, ""), false, true};
    }
    if (type_is_ref(field->type)) return host_load_ref(f, at, field->type, n->loc);
    return (HostRef){host_load(f, at, field->type), false, false};
}

HostRef host_new(HostFunc *f, Ast *n)
{
    if (type_is_record(n->type)) return host_call_on(f, n, n->sym, NULL, n->new_.args);
    LLVMValueRef class = host_class(n->type)->descriptor;
    LLVMValueRef object = host_call_runtime(f, ABI_cs_object_new, &class, 1, n->loc);
    host_temp(f, object);
    LLVMValueRef slot = vec_last(&f->temps);
    if (n->sym) host_call_on(f, n, n->sym, object, n->new_.args);
    AstList items = n->new_.init ? n->new_.init->init_list.items : (AstList){0};
    for (int i = 0; i < items.len; i++) {
        size_t mark = f->temps.len;
        Ast *call = items.data[i];
        host_call_on(f, call, call->sym ? call->sym : call->call.callee->sym, object,
                     call->call.args);
        host_release_temps(f, mark);
    }
    host_untemp(f, slot);
    return (HostRef){object, true, false};
}

/* ---- tests and casts ------------------------------------------------------------------------- */

static LLVMValueRef is_class(HostFunc *f, LLVMValueRef v, const Type *from, const Type *to, Loc loc)
{
    HostModule *m = f->m;
    bool up = from->kind == TY_OBJECT && from->decl && to->decl &&
              class_is(from->decl->cls, to->decl->cls);
    if (up) return LLVMBuildIsNotNull(m->b, v, "");
    LLVMValueRef args[] = {v, host_class(to)->descriptor};
    LLVMValueRef r = host_call_runtime(f, ABI_cs_is, args, 2, loc);
    return LLVMBuildICmp(m->b, LLVMIntNE, r, host_int(m, 0), "");
}

/* e is T name: the variable is set where the test holds. */
static void bind_pattern(HostFunc *f, const Ast *n, LLVMValueRef test, LLVMValueRef v)
{
    HostModule *m = f->m;
    host_declare_local(f, n->sym);
    LLVMBasicBlockRef set = host_block(f, "bind"), end = host_block(f, "end");
    LLVMBuildCondBr(m->b, test, set, end);
    host_enter(f, set);
    if (type_is_ref(n->sym->type)) {
        LLVMValueRef old = LLVMBuildLoad2(m->b, m->ptr, n->sym->host, "");
        LLVMBuildStore(m->b, host_call_runtime(f, ABI_cs_retain, &v, 1, n->loc), n->sym->host);
        host_call_runtime(f, ABI_cs_release, &old, 1, n->loc);
    } else {
        host_store(f, n->sym->host, v, n->sym->type);
    }
    host_jump(f, end);
    host_enter(f, end);
}

HostRef host_is(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    if (n->kind == AST_AS) {
        Ast *operand = n->as_.operand;
        LLVMValueRef v = host_value(f, operand);
        LLVMValueRef test = is_class(f, v, operand->type, n->type, n->loc);
        return (HostRef){LLVMBuildSelect(m->b, test, v, host_null(m), ""), false, false};
    }
    Ast *operand = n->is_.operand, *target = n->is_.target;
    LLVMValueRef v = host_peek(f, operand);
    if (target->kind == AST_NULL_LIT)
        return (HostRef){host_is_null(f, v, operand->type), false, false};
    LLVMValueRef test;
    if (target->kind == AST_TYPE_VAR)
        test = host_const(m, SC_BOOL, (ScalarValue){.i = 1});
    else if (target->type->kind == TY_OBJECT)
        test = is_class(f, v, operand->type, target->type, n->loc);
    else
        test = LLVMBuildIsNotNull(m->b, v, "");
    if (n->sym) bind_pattern(f, n, test, v);
    return (HostRef){test, false, false};
}

HostRef host_class_cast(HostFunc *f, Ast *n)
{
    HostRef r = host_ref(f, n->cast.operand);
    LLVMValueRef v = host_keep(f, r, n->cast.operand->type, false);
    LLVMValueRef args[] = {v, host_class(n->type)->descriptor};
    host_call_runtime(f, ABI_cs_cast, args, 2, n->loc);
    return (HostRef){v, false, false};
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool has_selector(const Symbol *sym)
{
    return sym->selected || is_interface(sym->cls);
}

/* The only function that calls of a virtual method can run; NULL if there are several or none, or
 * later entries of a session may bring some. */
static const Symbol *only_target(const HostModule *m, const Symbol *sym)
{
    const Symbol *found = NULL;
    if (m->options->session) return NULL;
    for (int i = 0; i < m->sema->nclasses; i++) {
        const Class *c = m->sema->classes[i];
        if (c->nslots <= sym->slot || !class_is(c, sym->cls) || is_interface(c)) continue;
        const Symbol *s = c->slots[sym->slot];
        if (!s || s == found) continue;
        if (found) return NULL;
        found = s;
    }
    return found;
}

const Symbol *host_target(const HostModule *m, const Symbol *sym, bool direct)
{
    bool is_virtual = sym->slot >= 0 && sym->self && !type_is_record(sym->cls->type);
    if (direct || sym->is_ctor || !is_virtual) return sym;
    return has_selector(sym) ? NULL : only_target(m, sym);
}

LLVMValueRef host_dispatch(HostFunc *f, const Symbol *sym, LLVMValueRef self, bool direct)
{
    HostModule *m = f->m;
    LLVMBuilderRef b = m->b;
    const Symbol *target = host_target(m, sym, direct);
    if (target) return host_func_info(m, target)->fn;
    if (has_selector(sym)) {
        LLVMValueRef args[] = {self, host_long(m, host_selector(m, sym))};
        return host_call_runtime(f, ABI_cs_find_method, args, 2, (Loc){0, 0, 0});
    }
    LLVMValueRef at = LLVMBuildStructGEP2(b, m->structs[HOST_OBJECT], self, OBJECT_CLASS, "");
    LLVMValueRef class = LLVMBuildLoad2(b, m->ptr, at, "class");
    at = LLVMBuildStructGEP2(b, m->structs[HOST_CLASS], class, CLASS_METHODS, "");
    LLVMValueRef table = LLVMBuildLoad2(b, m->ptr, at, "methods"), slot = host_int(m, sym->slot);
    at = LLVMBuildInBoundsGEP2(b, m->ptr, table, &slot, 1, "");
    return LLVMBuildLoad2(b, m->ptr, at, sym->name);
}
