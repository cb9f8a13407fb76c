/* The objects of a session (csc repl; codegen/abi/session.h). What is one in the whole process goes by
 * its name: numbers of records and of interfaces' methods, which are given out here once and for all;
 * descriptors of classes, static fields and variables, of which the first object has the definition.
 * Keeps: an object says nothing about classes that come later, so no call is bound to the only method
 * there is, and all functions may throw. */
#include <string.h>

#include "../value/value.h"

typedef struct Variable {
    HostVariable v;
    const char *symbol;
    const Symbol *of; /* in the module being made */
} Variable;

typedef VEC(Variable) Variables;
typedef VEC(const char *) Names;

struct HostSession {
    Arena *arena;
    Names records, methods;
    Variables kept, made;  /* made: by the newest module */
    VEC(HostVariable) all; /* what was given out last */
    int modules;
};

HostSession *host_session_new(void)
{
    Arena *arena = arena_new();
    HostSession *s = arena_new_of(arena, HostSession);
    *s = (HostSession){.arena = arena};
    return s;
}

void host_session_free(HostSession *s)
{
    vec_free(&s->records);
    vec_free(&s->methods);
    vec_free(&s->kept);
    vec_free(&s->made);
    vec_free(&s->all);
    arena_free(s->arena);
}

/* ---- variables of the session --------------------------------------------------------------- */

static Variable *find_kept(HostSession *s, const char *name)
{
    for (size_t i = 0; i < s->kept.len; i++)
        if (strcmp(s->kept.data[i].v.name, name) == 0) return &s->kept.data[i];
    return NULL;
}

int host_session_variables(const HostSession *s, const HostVariable **out)
{
    HostSession *all = (HostSession *)(uintptr_t)s;
    all->all.len = 0;
    for (size_t i = 0; i < s->kept.len; i++) vec_push(&all->all, s->kept.data[i].v);
    *out = all->all.data;
    return (int)all->all.len;
}

void host_session_keep(HostSession *s)
{
    for (size_t i = 0; i < s->made.len; i++) {
        Variable *old = find_kept(s, s->made.data[i].v.name);
        if (strcmp(s->made.data[i].v.name, CS_SHOWN) == 0) continue;
        if (old)
            *old = s->made.data[i];
        else
            vec_push(&s->kept, s->made.data[i]);
    }
    s->made.len = 0;
}

void host_session_forget(HostSession *s)
{
    s->made.len = 0;
}

void host_session_drop(HostSession *s, const char *type)
{
    size_t n = 0;
    for (size_t i = 0; i < s->kept.len; i++) {
        const char *of = s->kept.data[i].v.type;
        if (type && !text_mentions(of, strlen(of), type)) s->kept.data[n++] = s->kept.data[i];
    }
    s->kept.len = n;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static int number(HostSession *s, Names *names, const char *name)
{
    for (size_t i = 0; i < names->len; i++)
        if (strcmp(names->data[i], name) == 0) return (int)i;
    const char *kept = arena_strndup(s->arena, name, strlen(name));
    vec_push(names, kept);
    return (int)names->len - 1;
}

int host_record_number(HostModule *m, const Class *c)
{
    HostSession *s = m->options->session;
    return s ? number(s, &s->records, c->mangled) : m->nrecords;
}

int64_t host_selector(const HostModule *m, const Symbol *method)
{
    HostSession *s = m->options->session;
    if (!s) return method->slot;
    Text t = {0};
    text_printf(&t, "%s.%s:", class_first_alike(method->cls)->mangled, method->name);
    type_print(&t, method->type);
    int n = number(s, &s->methods, t.data);
    text_free(&t);
    return n;
}

/* ---- variables in code ---------------------------------------------------------------------- */

static LLVMValueRef global(HostModule *m, const char *symbol, const Type *type, bool defined)
{
    LLVMTypeRef t = host_stored_type(m, type);
    LLVMValueRef g = LLVMAddGlobal(m->mod, t, symbol);
    if (defined) LLVMSetInitializer(g, LLVMConstNull(t));
    return g;
}

static void carry(HostModule *m, Symbol *sym)
{
    Variable *v = find_kept(m->options->session, sym->name);
    if (!v) host_bug(m, sym->decl, "a variable that the session does not have");
    v->of = sym;
    sym->host = global(m, v->symbol, sym->type, false);
}

static void make(HostModule *m, Symbol *sym)
{
    HostSession *s = m->options->session;
    if (sym->name[0] == '$' && strcmp(sym->name, CS_SHOWN) != 0) return;
    const Ast *written = strcmp(sym->name, CS_SHOWN) == 0 ? sym->written : NULL;
    const char *type = type_text(m->arena, written ? written->type : sym->type);
    Variable v = {.of = sym};
    v.v.name = arena_strndup(s->arena, sym->name, strlen(sym->name));
    v.v.type = arena_strndup(s->arena, type, strlen(type));
    v.symbol = arena_printf(s->arena, "session.%d.%s", s->modules, sym->name);
    sym->host = global(m, v.symbol, sym->type, true);
    vec_push(&s->made, v);
}

/* `f(out int n);` */
static void visit_out(Ast **child, void *m)
{
    if (!*child) return;
    if ((*child)->kind == AST_DECL_EXPR && (*child)->sym) make(m, (*child)->sym);
    ast_each_child(*child, visit_out, m);
}

static void declare(HostModule *m, AstList stmts)
{
    for (int i = 0; i < stmts.len; i++) {
        Ast *n = stmts.data[i];
        bool simple = n->kind == AST_EXPR_STMT || n->kind == AST_VAR_DECL;
        if (simple) ast_each_child(n, visit_out, m);
        if (n->kind == AST_DEFINE) make(m, n->sym);
        if (n->kind != AST_VAR_DECL) continue;
        for (int k = 0; k < n->var_decl.vars.len; k++) {
            Symbol *sym = n->var_decl.vars.data[k]->sym;
            if (sym->kind == SYM_CONST) continue;
            if (n->var_decl.carried)
                carry(m, sym);
            else
                make(m, sym);
        }
    }
}

void host_session_declare(HostModule *m, AstList stmts)
{
    HostSession *s = m->options->session;
    s->modules++;
    s->made.len = 0;
    for (size_t i = 0; i < s->kept.len; i++) s->kept.data[i].of = NULL;
    declare(m, stmts);
}

LLVMValueRef host_session_variable(HostFunc *f, const Symbol *sym)
{
    const HostSession *s = f->m->options->session;
    for (size_t i = 0; s && !f->sym && i < s->made.len; i++)
        if (s->made.data[i].of == sym) return sym->host;
    return NULL;
}

/* ---- static fields -------------------------------------------------------------------------- */

static LLVMValueRef flag(HostModule *m, const Symbol *field)
{
    const char *name =
        arena_printf(m->arena, "made.%s.%s", field->cls ? field->cls->mangled : "", field->name);
    LLVMValueRef g = LLVMGetNamedGlobal(m->mod, name);
    if (g) return g;
    g = LLVMAddGlobal(m->mod, m->i8, name);
    LLVMSetInitializer(g, LLVMConstNull(m->i8));
    LLVMSetLinkage(g, LLVMWeakAnyLinkage);
    return g;
}

LLVMBasicBlockRef host_session_once(HostFunc *f, const Symbol *field)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef first = host_block(f, "first"), next = host_block(f, "made");
    LLVMValueRef made = LLVMBuildLoad2(m->b, m->i8, flag(m, field), "");
    LLVMBuildCondBr(m->b, LLVMBuildIsNull(m->b, made, ""), first, next);
    host_enter(f, first);
    return next;
}

void host_session_made(HostFunc *f, const Symbol *field, LLVMBasicBlockRef next)
{
    HostModule *m = f->m;
    LLVMBuildStore(m->b, LLVMConstInt(m->i8, 1, false), flag(m, field));
    host_jump(f, next);
    host_enter(f, next);
}

/* ---- what the process is told --------------------------------------------------------------- */

static LLVMValueRef describe(HostModule *m, const Variables *all, const char *name, unsigned *n)
{
    LLVMValueRef *items = arena_array(m->arena, LLVMValueRef, all->len + 1);
    *n = 0;
    for (size_t i = 0; i < all->len; i++) {
        const Variable *v = &all->data[i];
        if (!v->of) continue;
        const Type *t = v->of->type;
        LLVMValueRef members[VARIABLE_MEMBERS];
        members[VARIABLE_NAME] = host_c_string(m, v->v.name);
        members[VARIABLE_TYPE] = host_c_string(m, v->v.type);
        members[VARIABLE_AT] = v->of->host;
        members[VARIABLE_BYTES] = LLVMSizeOf(host_stored_type(m, t));
        members[VARIABLE_ELEM] =
            host_int(m, type_is_ref(t)      ? CS_ELEM_REF
                        : type_is_record(t) ? CS_ELEM_RECORD + host_class(t)->record
                                            : (int)t->scalar);
        items[(*n)++] = host_struct(m, HOST_VARIABLE, members);
    }
    return host_table(m, name, m->structs[HOST_VARIABLE], items, *n);
}

void host_emit_entry(HostModule *m, LLVMValueRef description, LLVMValueRef program)
{
    const HostSession *s = m->options->session;
    unsigned ncarried, nmade;
    LLVMValueRef members[ENTRY_MEMBERS];
    members[ENTRY_PROGRAM] = description;
    members[ENTRY_RUN] = program;
    members[ENTRY_CARRIED] = describe(m, &s->kept, "carried", &ncarried);
    members[ENTRY_MADE] = describe(m, &s->made, "variables", &nmade);
    members[ENTRY_NCARRIED] = host_int(m, ncarried);
    members[ENTRY_NMADE] = host_int(m, nmade);
    LLVMValueRef g = LLVMAddGlobal(m->mod, m->structs[HOST_ENTRY], CS_ENTRY);
    LLVMSetInitializer(g, host_struct(m, HOST_ENTRY, members));
    LLVMSetGlobalConstant(g, true);
}
