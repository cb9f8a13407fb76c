/* How a library's functions and types are called and declared outside of C$. */
#include <ctype.h>
#include <string.h>

#include "../../../sema/describe.h"
#include "../value/value.h"
#include "library.h"

CsBorder host_border(const Type *t)
{
    if (t->kind == TY_VOID) return (CsBorder){.elem = CS_ELEM_NONE};
    if (t->kind == TY_STRING) return (CsBorder){.elem = CS_ELEM_REF};
    if (type_is_functional(t)) return (CsBorder){.elem = host_elem(t), .rank = t->nparams};
    if (type_is_record(t)) return (CsBorder){.elem = CS_ELEM_RECORD + host_class(t)->record};
    return (CsBorder){.elem = (int32_t)t->scalar};
}

CsBorder host_param_border(const Symbol *sym, int i)
{
    CsBorder b = host_border(sym->type->params[i]);
    AstOp mode = sym->decl->func.params.data[i]->param.mode;
    b.mode = mode == AST_OP_REF ? CS_BY_REF : mode == AST_OP_OUT ? CS_BY_OUT : CS_BY_VALUE;
    return b;
}

const char *host_library_name(const HostModule *m)
{
    return m->options->library;
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *host_c_name(const HostModule *m, const char *name, const char *suffix)
{
    char *whole = arena_printf(m->arena, "%s_%s%s", m->options->library, name, suffix);
    for (char *c = whole; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return whole;
}

static bool is_interface(const char *name)
{
    static const char *const names[] = {
#define INTERFACE(suffix, function, signature, library, declaration, help) #suffix,
#include "../../abi/library.def"
#undef INTERFACE
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Is it f, or f_on, of one before? */
static bool is_taken(const HostModule *m, const char *name, int function)
{
    if (is_interface(name)) return true;
    for (int i = 0; i < function; i++) {
        const char *other = host_export_name(m, i);
        size_t n = strlen(other);
        if (strncmp(name, other, n) == 0 && (!name[n] || strcmp(name + n, "_on") == 0)) return true;
    }
    return false;
}

const char *host_export_name(const HostModule *m, int function)
{
    return m->exported[function];
}

void host_name_exports(HostModule *m)
{
    const SemaResult *r = m->sema;
    m->exported = arena_array(m->arena, const char *, r->nexports + 1);
    for (int i = 0; i < r->nexports; i++) {
        const char *name = r->exports[i]->name, *now = name;
        for (int k = 2; is_taken(m, now, i); k++) now = arena_printf(m->arena, "%s_%d", name, k);
        m->exported[i] = now;
    }
}

const char *host_c_element(const HostModule *m, const Type *t)
{
    static const char *const names[] = {
#define SCALAR(id, name, ctype, clname, bytes, class, signed) #ctype,
#include "../../../base/scalar.def"
#undef SCALAR
    };
    if (type_is_functional(t)) t = t->result;
    if (t->kind == TY_STRING) return "char *const";
    if (type_is_record(t)) return host_c_name(m, t->decl->cls->mangled, "");
    return type_is_scalar(t, SC_BOOL) ? "bool" : names[t->scalar];
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct Walk {
    const HostModule *m;
    bool *seen; /* by number of the record */
    HostEachRecord *record;
    void *ctx;
} Walk;

static void walk(Walk *w, const Type *t)
{
    if (type_is_functional(t)) t = t->result;
    if (!type_is_record(t) || w->seen[host_class(t)->record]) return;
    w->seen[host_class(t)->record] = true;
    const Class *c = t->decl->cls;
    for (int i = 0; i < c->nfields; i++) walk(w, c->fields[i]->type);
    w->record(w->m, c, w->ctx);
}

void host_each_record(const HostModule *m, HostEachRecord *record, void *ctx)
{
    Walk w = {m, arena_array(m->arena, bool, m->nrecords + 1), record, ctx};
    for (int i = 0; i < m->sema->nexports; i++) {
        const Type *t = m->sema->exports[i]->type;
        for (int k = 0; k < t->nparams; k++) walk(&w, t->params[k]);
        walk(&w, t->result);
    }
}

/* ---- what stands in the source --------------------------------------------------------------- */

void host_print_declaration(Text *out, const Symbol *sym)
{
    type_print(out, sym->type->result);
    text_printf(out, " %s(", sym->name);
    for (int i = 0; i < sym->type->nparams; i++) {
        int32_t mode = host_param_border(sym, i).mode;
        if (i) text_add(out, ", ");
        if (mode) text_add(out, mode == CS_BY_REF ? "ref " : "out ");
        type_print(out, sym->type->params[i]);
        text_printf(out, " %s", sym->decl->func.params.data[i]->param.name);
    }
    text_add(out, ")");
}

const char *host_comment(const HostModule *m, const Symbol *sym)
{
    Text t = {0};
    sema_describe_comment(&t, m->sources, sym, "//");
    const char *text = arena_strndup(m->arena, t.data ? t.data : "", t.len ? t.len - 1 : 0);
    text_free(&t);
    return text;
}
