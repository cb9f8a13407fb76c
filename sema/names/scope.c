/* Names: one table from a name to its innermost meaning, undone scope by scope; then the library.
 * User declarations shadow the library's. Did-you-mean lives here too.
 */
#include <ctype.h>
#include <string.h>

#include "../../parser/embedded.h"
#include "../../parser/foreign.h"
#include "../check/check.h"

struct Binding {
    const char *name;
    Symbol *sym;
    Binding *outer;  /* what the name meant before */
    Binding *older;  /* declared before this one */
    Binding *bucket; /* the same place of the table */
    int depth;
};

/* Library that is not there yet: the names get a message of their own. */
static const char *const future[] = {"Device"};

bool is_future(const char *name)
{
    for (size_t i = 0; i < sizeof future / sizeof *future; i++)
        if (!strcmp(future[i], name)) return true;
    return false;
}

LibSpace builtin_space(const Sema *s, const char *name)
{
    int space = 0;
    while (space < SPACE_COUNT && s->spaces[space] != name) space++;
    return (LibSpace)space;
}

/* A namespace or static class; NULL: none, or what holds members of values. */
static Symbol *space_symbol(const Sema *s, const char *name)
{
    LibSpace space = builtin_space(s, name);
    return space < SPACE_COUNT ? s->space_syms[space] : NULL;
}

bool is_space(const Sema *s, const char *name)
{
    return space_symbol(s, name) != NULL;
}

void scope_init(Sema *s)
{
    s->table_size = 256;
    s->table = arena_array(s->arena, Binding *, s->table_size);
    s->bsym = arena_array(s->arena, Symbol *, nbuiltins);
    s->spaces = arena_array(s->arena, const char *, SPACE_COUNT);
    s->space_syms = arena_array(s->arena, Symbol *, SPACE_COUNT);
    s->library = arena_array(s->arena, const char *, LIB_COUNT);
    for (int i = 0; i < LIB_COUNT; i++) s->library[i] = intern_cstr(s->names, library_names[i]);
    for (int i = 0; i < SPACE_COUNT; i++) {
        s->spaces[i] = intern_cstr(s->names, library_spaces[i]);
        bool members = i < (int)SC_COUNT || i == SPACE_global || i == SPACE_string ||
                       i == SPACE_func || i == SPACE_any;
        if (!members)
            s->space_syms[i] = scope_symbol(s, SYM_SPACE, s->spaces[i], s->error, NOWHERE, NULL);
    }
}

Symbol *scope_symbol(Sema *s, SymKind kind, const char *name, const Type *type, Loc loc, Ast *decl)
{
    Symbol *sym = arena_new_of(s->arena, Symbol);
    sym->kind = kind;
    sym->name = name;
    sym->type = type;
    sym->loc = loc;
    sym->decl = decl;
    sym->builtin = -1;
    return sym;
}

static size_t place(const Sema *s, const char *name)
{
    return (size_t)(((uintptr_t)name >> 4) * 0x9E3779B97F4A7C15u >> 40) & (s->table_size - 1);
}

static Binding *find(const Sema *s, const char *name)
{
    Binding *b = s->table[place(s, name)];
    while (b && b->name != name) b = b->bucket;
    return b;
}

/* The newest binding of a name stands in its bucket; the outer ones hang behind it. */
static void unlink_binding(Sema *s, Binding *b)
{
    Binding **at = &s->table[place(s, b->name)];
    while (*at != b) at = &(*at)->bucket;
    *at = b->bucket;
    s->table_used--;
}

static void link_binding(Sema *s, Binding *b);

/* Twice as many buckets. */
static void grow_table(Sema *s)
{
    Binding **old = s->table;
    size_t n = s->table_size;
    s->table_size = 2 * n;
    s->table = arena_array(s->arena, Binding *, s->table_size);
    s->table_used = 0;
    for (size_t i = 0; i < n; i++) {
        for (Binding *b = old[i], *next; b; b = next) {
            next = b->bucket;
            link_binding(s, b);
        }
    }
}

static void link_binding(Sema *s, Binding *b)
{
    if (s->table_used == s->table_size) grow_table(s);
    s->table_used++;
    Binding **at = &s->table[place(s, b->name)];
    b->bucket = *at;
    *at = b;
}

void scope_push(Sema *s)
{
    s->depth++;
}

void scope_pop(Sema *s)
{
    while (s->newest && s->newest->depth == s->depth) {
        Binding *b = s->newest;
        s->newest = b->older;
        unlink_binding(s, b);
        if (b->outer) link_binding(s, b->outer);
    }
    s->depth--;
}

void scope_bind(Sema *s, Symbol *sym)
{
    Binding *b = arena_new_of(s->arena, Binding);
    b->name = sym->name;
    b->sym = sym;
    b->depth = s->depth;
    b->outer = find(s, sym->name);
    if (b->outer) unlink_binding(s, b->outer);
    link_binding(s, b);
    b->older = s->newest;
    s->newest = b;
}

static bool visible(const Sema *s, const Binding *b)
{
    return b->depth <= s->globals || b->depth > s->floor;
}

/* What the name means here, members of the class aside. */
static const Binding *seen(const Sema *s, const char *name)
{
    const Binding *b = find(s, name);
    while (b && !visible(s, b)) b = b->outer;
    return b;
}

void scope_declare(Sema *s, Symbol *sym)
{
    const Binding *b = seen(s, sym->name);
    if (b && b->depth >= s->func_depth && b->sym->type != s->error) {
        report(s, sym->loc, REDECLARED, "'%s' is already declared in this function", sym->name);
        if (b->sym->decl || b->sym->loc.end)
            report_note(s, b->sym->loc, "the other declaration of '%s'", sym->name);
        sym->type = s->error;
    }
    scope_bind(s, sym);
}

Symbol *scope_user(Sema *s, const char *name)
{
    const Binding *b = seen(s, name);
    if (s->cls && (!b || b->depth <= s->class_depth)) {
        Symbol *member = member_find(s, s->cls, name);
        if (member) return member;
        for (Class *c = class_outer(s, s->cls); c; c = class_outer(s, c)) {
            member = member_find(s, c, name);
            if (member && (member->kind == SYM_CONST || (member->mods & AST_MOD_STATIC)))
                return member;
        }
    }
    return b ? b->sym : NULL;
}

bool scope_is_inner(const Sema *s, const Symbol *sym)
{
    const Binding *b = seen(s, sym->name);
    return b && b->sym == sym && b->depth > s->globals;
}

Symbol *scope_type_of(const Sema *s, const char *name, int nargs)
{
    Symbol *found = NULL;
    for (const Binding *b = seen(s, name); b && !found; b = b->outer)
        if (visible(s, b) && b->sym->kind == SYM_TYPE) found = b->sym;
    for (Symbol *o = found; o; o = o->other)
        if ((o->generic ? generic_nparams(o) : 0) == nargs) return o;
    return found;
}

Symbol *scope_type(const Sema *s, const char *name)
{
    return scope_type_of(s, name, 0);
}

int builtin_find(const Sema *s, LibSpace space, const char *name, int row)
{
    for (; row < nbuiltins; row++)
        if (builtins[row].space == space && s->library[builtins[row].name] == name) return row;
    return -1;
}

Symbol *builtin_symbol(Sema *s, int row)
{
    if (!s->bsym[row]) {
        s->bsym[row] =
            scope_symbol(s, SYM_BUILTIN, s->library[builtins[row].name], NULL, NOWHERE, NULL);
        s->bsym[row]->builtin = row;
    }
    return s->bsym[row];
}

Symbol *scope_lookup(Sema *s, const char *name)
{
    Symbol *sym = scope_user(s, name);
    if (sym) return sym;
    int row = builtin_find(s, SPACE_global, name, 0);
    if (row >= 0) return builtin_symbol(s, row);
    return space_symbol(s, name);
}

/* A variable with a value that takes no arguments hides no function from calls, as what cannot be invoked
 * hides no method in C#. */
Symbol *scope_callee(Sema *s, const char *name)
{
    Symbol *sym = scope_lookup(s, name);
    bool variable =
        sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM || program_is_variable(s, sym));
    const Class *c = variable ? class_of(sym->type) : NULL;
    if (!variable || !sym->type || sym->type == s->error || type_is_functional(sym->type) ||
        (c && c->function))
        return sym;
    for (const Binding *b = seen(s, name); b; b = b->outer)
        if (visible(s, b) && b->sym->kind == SYM_FUNC) return b->sym;
    int row = builtin_find(s, SPACE_global, name, 0);
    return row >= 0 ? builtin_symbol(s, row) : sym;
}

Symbol *scope_library(Sema *s, SymKind kind, const char *name)
{
    for (const Binding *b = find(s, intern_cstr(s->names, name)); b; b = b->outer)
        if (b->sym->library && b->sym->kind == kind) return b->sym;
    return NULL;
}

/* ---- did you mean ----------------------------------------------------------------------- */

/* Types of the library, which are taken in where they are named. */
#define PUSH_LIBRARY(names)                                                                        \
    for (const EmbeddedModule *m = embedded_modules; m->name; m++)                                 \
        for (const char *const *type = m->types; *type; type++) vec_push(names, *type)

const char *scope_nearest(Sema *s, const char *name)
{
    VEC(const char *) names = {0};
    for (const Binding *b = s->newest; b; b = b->older)
        if (visible(s, b) && b->sym->type != s->error) vec_push(&names, b->name);
    for (const Class *c = s->cls; c; c = c->base)
        for (int i = 0; i < c->sym->members->len; i++)
            vec_push(&names, c->sym->members->data[i]->name);
    for (int i = 0; i < nbuiltins; i++)
        if (builtins[i].space == SPACE_global) vec_push(&names, library_names[builtins[i].name]);
    for (int i = 0; i < SPACE_COUNT; i++)
        if (s->space_syms[i]) vec_push(&names, library_spaces[i]);
    PUSH_LIBRARY(&names);
    const char *best = diag_nearest(name, names.data, names.len);
    vec_free(&names);
    return best;
}

const char *scope_nearest_type(const Sema *s, const char *name)
{
    VEC(const char *) names = {0};
    for (const Binding *b = s->newest; b; b = b->older)
        if (visible(s, b) && b->sym->kind == SYM_TYPE) vec_push(&names, b->name);
    for (int k = 0; k < SC_COUNT; k++) vec_push(&names, scalar_name((ScalarKind)k));
    vec_push(&names, "string");
    PUSH_LIBRARY(&names);
    const char *best = diag_nearest(name, names.data, names.len);
    vec_free(&names);
    return best;
}

/* One letter more, less or changed. */
static bool differs_by_letter(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > lb) {
        const char *t = a;
        a = b;
        b = t;
        size_t l = la;
        la = lb;
        lb = l;
    }
    if (lb - la > 1 || la < 2 || lb < 3) return false;
    size_t i = 0;
    while (i < la && a[i] == b[i]) i++;
    bool letter = isalpha((unsigned char)b[i]) && (la < lb || isalpha((unsigned char)a[i]));
    return letter && !strcmp(a + i + (la == lb), b + i + 1);
}

const char *scope_one_letter(Sema *s, const char *name)
{
    if (strlen(name) < 2) return NULL; /* too short to be a mistake */
    for (const Binding *b = s->newest; b; b = b->older)
        if (visible(s, b) && b->sym->kind != SYM_FUNC && !b->sym->imported && b->name != name &&
            differs_by_letter(b->name, name))
            return b->name;
    return NULL;
}

/* sqrt or Sqrt of other languages: Math.Sqrt; NULL: Math has none. */
static const char *of_math(Sema *s, const char *name)
{
    char *capital = arena_printf(s->arena, "%s", name);
    capital[0] = (char)toupper((unsigned char)*capital);
    const char *known = intern_cstr(s->names, capital);
    return builtin_find(s, SPACE_Math, known, 0) >= 0 ? known : NULL;
}

void report_undeclared(Sema *s, Loc loc, const char *name, bool callee)
{
    const char *instead = foreign_word(FOREIGN_NAME, name);
    if (!instead) instead = foreign_word(FOREIGN_TYPE, name); /* decimal.MaxValue */
    if (is_future(name))
        report(s, loc, NOT_SUPPORTED, "'%s' is not supported yet", name);
    else if (instead)
        report(s, loc, FOREIGN, "%s: C$ has none; %s", name, instead);
    else {
        report(s, loc, UNDECLARED, "'%s' is not declared", name);
        const char *near = scope_nearest(s, name), *math = callee ? of_math(s, name) : NULL;
        if (s->resolving && decl_is_top_variable(s, name))
            report_note(s, NOWHERE,
                        "a constant is made of literals and constants, not of variables");
        else if (s->cls && decl_is_top_variable(s, name))
            report_note(s, NOWHERE,
                        "classes do not see the variables of top-level statements: pass '%s' as "
                        "an argument, or make it const",
                        name);
        else if (math)
            report_suggest(s, loc, name, arena_printf(s->arena, "Math.%s", math));
        else if (near)
            report_suggest(s, loc, name, near);
        if (callee && s->func && s->unit->unit.session)
            report_note(s, NOWHERE,
                        "functions that call each other are one entry: write both on one line, or "
                        "in a file for :load");
    }
    if (s->quiet || s->depth <= s->unit_depth) return;
    scope_bind(s, scope_symbol(s, SYM_LOCAL, name, s->error, loc, NULL)); /* once is enough */
}
