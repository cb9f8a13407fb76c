/* Symbols, members and rows of the library as text. */
#include "../describe.h"

#include <string.h>

#include "../../parser/embedded.h"
#include "../check/check.h"

/* ---- rows of builtins.def ------------------------------------------------------------------- */

static const char *letter_type(char letter, const char *space)
{
    static const char *const names[] = {
        ['v'] = "void",        ['b'] = "bool",     ['c'] = "char",       ['a'] = "sbyte",
        ['y'] = "byte",        ['w'] = "short",    ['W'] = "ushort",     ['i'] = "int",
        ['u'] = "uint",        ['l'] = "long",     ['U'] = "ulong",      ['h'] = "half",
        ['f'] = "float",       ['d'] = "double",   ['s'] = "string",     ['z'] = "string",
        ['F'] = "function",    ['A'] = "array",    ['*'] = "value",      ['T'] = "array",
        ['R'] = "float(long)", ['D'] = "int(int)", ['L'] = "long(long)", ['S'] = "string[]",
        ['G'] = "object",      ['C'] = "char[]",   ['I'] = "int[]",      ['B'] = "byte[]",
        ['E'] = "TextWriter"};
    if (letter == 'O') return space;
    const char *name = (size_t)letter < sizeof names / sizeof *names ? names[(int)letter] : NULL;
    return name ? name : "value";
}

/* The first parameter of a member of values is the value itself. */
static bool is_member(const Builtin *b)
{
    return b->space < SPACE_Math && b->space != SPACE_global;
}

static void add_row(Text *out, int row, int index, size_t *begin, size_t *end)
{
    const Builtin *b = &builtins[row];
    const char *space = library_spaces[b->space], *s = b->signature;
    bool fixed = *s == '=';
    s += fixed;
    text_printf(out, "%s ", letter_type(*s++, space));
    if (*space && (fixed || !is_member(b))) text_printf(out, "%s.", space);
    text_add(out, library_names[b->name]);
    if (s[strlen(s) - (*s != '\0')] == '.') return; /* a property */
    text_add(out, "(");
    bool instance = !fixed && (is_member(b) || *s == 'O');
    for (int i = 0, k = 0; s[i]; i++) {
        if (i == 0 && instance) continue;
        if (k) text_add(out, ", ");
        size_t at = out->len;
        text_add(out, s[i] == '&' ? "out " : "");
        text_add(out, s[i] == '&' ? space : letter_type(s[i], space));
        if (k++ != index) continue;
        *begin = at;
        *end = out->len;
    }
    text_add(out, ")");
}

void sema_describe_row(Text *out, int row)
{
    add_row(out, row, -1, NULL, NULL);
}

int sema_first_row(int row)
{
    const Builtin *b = &builtins[row];
    while (row > 0 && builtins[row - 1].space == b->space && builtins[row - 1].name == b->name)
        row--;
    return row;
}

/* ---- symbols -------------------------------------------------------------------------------- */

static void add_type(Text *out, const Type *t)
{
    if (t && t->kind != TY_GROUP)
        type_print(out, t);
    else
        text_add(out, "var");
}

/* As it is written, for a generic function, which has no type. */
static void add_written(Text *out, const Ast *t, const Type *type)
{
    if (type)
        type_print(out, type);
    else if (t && t->kind == AST_TYPE_NAME)
        text_add(out, t->type_name.name);
    else
        text_add(out, "var");
}

static const AstList *params_of(const Ast *decl)
{
    return !decl                    ? NULL
           : decl->kind == AST_FUNC ? &decl->func.params
           : decl->kind == AST_CTOR ? &decl->ctor.params
                                    : NULL;
}

static void add_function(Text *out, const Symbol *f, int index, size_t *begin, size_t *end)
{
    const AstList *params = params_of(f->decl);
    if (f->is_ctor) {
        text_add(out, f->cls ? f->cls->sym->name : f->name);
    } else {
        add_written(out, f->decl && f->decl->kind == AST_FUNC ? f->decl->func.ret : NULL,
                    f->type ? f->type->result : NULL);
        text_add(out, " ");
        if (f->cls) text_printf(out, "%s.", f->cls->sym->name);
        text_add(out, f->name);
    }
    text_add(out, "(");
    for (int i = 0; params && i < params->len; i++) {
        const Ast *p = params->data[i];
        if (i) text_add(out, ", ");
        size_t at = out->len;
        if (p->param.mode == AST_OP_REF || p->param.mode == AST_OP_OUT)
            text_printf(out, "%s ", p->param.mode == AST_OP_REF ? "ref" : "out");
        if (p->param.rest) text_add(out, "params ");
        add_written(out, p->param.ptype,
                    f->type && i < f->type->nparams ? f->type->params[i] : NULL);
        text_printf(out, " %s", p->param.name);
        if (p->param.init) text_add(out, " = ..");
        if (i != index) continue;
        *begin = at;
        *end = out->len;
    }
    text_add(out, ")");
}

static void add_type_symbol(Text *out, const Symbol *sym)
{
    const Class *c = sym->cls;
    uint64_t mods = c && c->decl ? c->decl->class_.mods : 0;
    if (!c) {
        text_printf(out, "%s %s", sym->decl && sym->decl->kind == AST_ENUM ? "enum" : "type",
                    sym->name);
        return;
    }
    text_printf(out, "%s%s %s", mods & AST_MOD_FINAL ? "final " : "",
                mods & AST_MOD_INTERFACE ? "interface" : "class",
                c->type ? c->type->name : sym->name);
    if (c->base && c->base->sym) text_printf(out, " : %s", c->base->sym->name);
    if (c->type && c->type->kind != TY_RECORD) return;
    text_add(out, " {");
    for (int i = 0; i < c->nfields; i++) {
        text_add(out, i ? "; " : " ");
        add_type(out, c->fields[i]->type);
        text_printf(out, " %s", c->fields[i]->name);
    }
    text_add(out, c->nfields ? " }" : "}");
}

static void add_const(Text *out, const Symbol *sym)
{
    text_add(out, "const ");
    add_type(out, sym->type);
    text_printf(out, " %s", sym->name);
    if (sym->type && sym->type->kind == TY_SCALAR && !type_is_enum(sym->type)) {
        text_add(out, " = ");
        if (scalar_is_real(sym->type->scalar))
            text_add_double(out, sym->value.f);
        else
            text_printf(out, "%lld", (long long)sym->value.i);
    }
}

static void describe(Text *out, const Symbol *sym, int index, size_t *begin, size_t *end)
{
    switch (sym->kind) {
    case SYM_FUNC: add_function(out, sym, index, begin, end); return;
    case SYM_BUILTIN: add_row(out, sym->builtin, index, begin, end); return;
    case SYM_TYPE: add_type_symbol(out, sym); return;
    case SYM_CONST: add_const(out, sym); return;
    case SYM_SPACE: text_printf(out, "class %s", sym->name); return;
    case SYM_FIELD:
    case SYM_PROPERTY:
        add_type(out, sym->type);
        text_printf(out, " %s%s%s", sym->cls ? sym->cls->sym->name : "", sym->cls ? "." : "",
                    sym->name);
        if (sym->kind == SYM_PROPERTY)
            text_printf(out, " {%s%s }", sym->get || sym->storage ? " get;" : "",
                        sym->set ? " set;" : "");
        return;
    default: add_type(out, sym->type); text_printf(out, " %s", sym->name);
    }
}

void sema_describe(Text *out, const Symbol *sym)
{
    describe(out, sym, -1, NULL, NULL);
}

bool sema_describe_param(const Symbol *sym, int index, size_t *begin, size_t *end)
{
    Text text = {0};
    *begin = *end = 0;
    describe(&text, sym, index, begin, end);
    text_free(&text);
    return *end > 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Of overloads the last, whose types are the widest. */
static void each_row(LibSpace space, bool fixed, SemaVisit *visit, void *ctx)
{
    for (int row = 0; row < nbuiltins; row++) {
        const Builtin *b = &builtins[row], *next = row + 1 < nbuiltins ? b + 1 : NULL;
        if (b->space != space || (b->signature[0] == '=') != fixed) continue;
        if (next && next->space == space && next->name == b->name) continue;
        const char *name = library_names[b->name];
        if (name[0] != '$') visit(ctx, &(SemaName){name, SYM_BUILTIN, NULL, row});
    }
}

static LibSpace space_of(const char *name)
{
    int space = 0;
    while (space < SPACE_COUNT && strcmp(library_spaces[space], name) != 0) space++;
    return (LibSpace)space;
}

void sema_each_row(const char *name, SemaVisit *visit, void *ctx)
{
    LibSpace space = space_of(name);
    if (space == SPACE_COUNT) return;
    each_row(space, false, visit, ctx);
    each_row(space, true, visit, ctx);
}

void sema_each_space(SemaVisit *visit, void *ctx)
{
    for (int i = SPACE_Math; i < SPACE_COUNT; i++)
        visit(ctx, &(SemaName){library_spaces[i], SYM_SPACE, NULL, -1});
    for (const EmbeddedModule *m = embedded_modules; m->name; m++)
        for (const char *const *type = m->types; *type; type++)
            visit(ctx, &(SemaName){*type, SYM_TYPE, NULL, -1});
}

/* Accessors are reached through their properties, operators and indexers without names. */
static bool is_nameable(const Members *m, const Symbol *s)
{
    if (s->name[0] == '$' || s->is_ctor || !strcmp(s->name, "this")) return false;
    if (!strncmp(s->name, "operator", 8) || !strcmp(s->name, "implicit")) return false;
    for (int i = 0; i < m->len; i++) {
        const Symbol *p = m->data[i];
        if (p->kind == SYM_PROPERTY && (p->get == s || p->set == s)) return false;
    }
    return strcmp(s->name, "explicit") != 0;
}

static void own_members(const Symbol *owner, bool by_type, SemaVisit *visit, void *ctx)
{
    const Members *m = owner->members;
    for (int i = 0; m && i < m->len; i++) {
        const Symbol *s = m->data[i];
        bool fixed = s->kind == SYM_CONST || (s->mods & AST_MOD_STATIC);
        if (fixed == by_type && is_nameable(m, s)) visit(ctx, &(SemaName){s->name, s->kind, s, -1});
    }
}

void sema_each_member(const Type *t, bool by_type, SemaVisit *visit, void *ctx)
{
    const Symbol *owner = t->decl;
    for (const Class *c = owner ? owner->cls : NULL; c; c = c->base)
        own_members(c->sym, by_type, visit, ctx);
    for (int i = 0; owner && owner->cls && i < owner->cls->ninterfaces; i++)
        own_members(owner->cls->interfaces[i]->sym, by_type, visit, ctx);
    if (owner && !owner->cls) own_members(owner, by_type, visit, ctx);
    if (by_type) {
        if (t->kind == TY_SCALAR && !owner) each_row((LibSpace)t->scalar, true, visit, ctx);
        return;
    }
    if (type_is_functional(t)) {
        if (t->result->decl && t->result->decl->cls) sema_each_member(t->result, false, visit, ctx);
        each_row(SPACE_func, false, visit, ctx);
    }
    if (t->kind == TY_STRING) each_row(SPACE_string, false, visit, ctx);
    if (t->kind == TY_OBJECT) {
        LibSpace space = space_of(t->name);
        if (space < SPACE_COUNT) each_row(space, false, visit, ctx);
    }
    each_row(SPACE_any, false, visit, ctx);
}
