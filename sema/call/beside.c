/* What the spaces of the library's table (builtins.def) have beside its rows: static members of classes
 * written in C$ (stdlib/Basics.cs$), of Math those of MathBeside, and of
 * MathOfDecimal where the program names decimals. Functions are overloads of the rows of
 * their name.
 */
#include <ctype.h>

#include "../check/check.h"

static Class *beside_class(Sema *s, LibSpace space)
{
    if (space >= SPACE_COUNT || !*library_spaces[space]) return NULL;
    const char *name = library_spaces[space];
    Symbol *sym = scope_library(
        s, SYM_TYPE, arena_printf(s->arena, "%c%sBeside", toupper((unsigned char)*name), name + 1));
    if (!sym) return NULL;
    class_type(s, sym);
    return sym->cls;
}

/* What every type of numbers has. */
static Symbol *number_member(Sema *s, LibSpace space, const char *name)
{
    if (space >= SPACE_COUNT || (int)space >= (int)SC_COUNT) return NULL;
    const Type *t = type_scalar(s->types, (ScalarKind)space);
    Symbol *g = scope_library(s, SYM_TYPE, "NumberOf");
    if (!g || !type_is_numeric(t)) return NULL;
    const Type *of = generic_with(s, g, t, g->loc);
    if (of == s->error) return NULL;
    class_ready(s, of->decl->cls);
    return member_own(of->decl, name);
}

Symbol *beside_member(Sema *s, LibSpace space, const char *name)
{
    Class *c = beside_class(s, space);
    if (c) class_ready(s, c);
    Symbol *m = c ? member_own(c->sym, name) : NULL;
    return m ? m : number_member(s, space, name);
}

static Candidates with_functions(Sema *s, Candidates rows, const Symbol *first)
{
    if (!first || first->kind != SYM_FUNC) return rows;
    Candidates all = {.name = rows.name};
    all.data = arena_array(s->arena, Candidate, rows.len + count_overloads(first));
    for (int i = 0; i < rows.len; i++) all.data[all.len++] = rows.data[i];
    for (const Symbol *f = first; f; f = f->next) candidates_add(&all, (Symbol *)(uintptr_t)f);
    return all;
}

Candidates beside_candidates(Sema *s, int row, Candidates rows)
{
    LibSpace space = builtins[row].space;
    rows = with_functions(s, rows, beside_member(s, space, rows.name));
    Symbol *of =
        scope_library(s, SYM_TYPE, arena_printf(s->arena, "%sOfDecimal", library_spaces[space]));
    if (!of) return rows; /* the program has no decimals */
    class_type(s, of);
    class_ready(s, of->cls);
    return with_functions(s, rows, member_own(of->cls->sym, rows.name));
}

void beside_call(Sema *s, Ast *n, const Candidate *c, Fit fit)
{
    Loc loc = n->call.callee->loc;
    resolve_apply(s, c, fit, n->call.args, n->loc);
    complete_arguments(s, c, &n->call.args, n->loc);
    call_static(s, n, c->sym, n->call.args);
    n->call.callee->loc = loc;
    if (fit != FIT_PROMOTED) return;
    n->res = AST_RES_PROMOTE;
    n->type = promoted_call(s, n->loc, c->result, c, NULL, n->call.args);
}
