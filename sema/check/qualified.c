/* Expressions with a dot: what stands before it, which member of a type, a value or the library is
 * meant; members without one, `this`, and what may be a place. */
#include <string.h>

#include "../../parser/foreign.h"
#include "check.h"

/* ---- reports -------------------------------------------------------------------------------- */

/* A member that C# has: says what to write; false if it is none. */
static bool report_foreign_member(Sema *s, const Ast *n, const char *of)
{
    const char *instead = foreign_word(FOREIGN_MEMBER, n->member.name);
    if (instead)
        report(s, n->loc, FOREIGN, "'%s' has no member '%s': %s", of, n->member.name, instead);
    return instead != NULL;
}

/* names: those that it could have meant. */
static void report_missing(Sema *s, const Ast *n, const char *of, size_t count,
                           const char *const *names)
{
    if (report_foreign_member(s, n, of)) return;
    report(s, n->loc, NO_MEMBER, "'%s' has no member '%s'", of, n->member.name);
    const char *near = diag_nearest(n->member.name, names, count);
    if (near) report_suggest_last(s, n->loc, n->member.name, near);
}

static void report_no_row(Sema *s, const Ast *n, LibSpace space, const char *of)
{
    VEC(const char *) names = {0};
    for (int i = 0; i < nbuiltins; i++)
        if (builtins[i].space == space) vec_push(&names, library_names[builtins[i].name]);
    report_missing(s, n, of, names.len, names.data);
    vec_free(&names);
}

static void report_no_member(Sema *s, const Ast *n, const Symbol *owner, const char *of)
{
    VEC(const char *) names = {0};
    const Class *c = owner->cls;
    for (const Symbol *o = owner; o; c = c ? c->base : NULL, o = c ? c->sym : NULL)
        for (int i = 0; i < o->members->len; i++)
            if (member_accessible(s, o->members->data[i]))
                vec_push(&names, o->members->data[i]->name);
    report_missing(s, n, of, names.len, names.data);
    vec_free(&names);
}

/* ---- what stands before the dot ------------------------------------------------------------- */

/* A type or namespace, or neither: then it is a value. */
typedef struct Base {
    const Type *type;
    const char *space;
} Base;

static bool is_row_property(int row)
{
    const char *sig = builtins[row].signature;
    return sig[strlen(sig) - 1] == '.';
}

/* A variable, field or property: not what shares its name with a type otherwise. */
static bool is_variable(const Symbol *sym)
{
    return sym && sym->kind != SYM_TYPE && sym->kind != SYM_SPACE && sym->kind != SYM_FUNC;
}

/* `Color Color;`: the name of a variable and of its type means the type before a static member. Of
 * methods some of which are static the call chooses. */
static bool means_type(Sema *s, const Symbol *value, Symbol *type, const char *member)
{
    if (!type || type->generic || decl_alias(s, type) != value->type) return false;
    if (type_is_enum(value->type)) return member_own(type, member) != NULL;
    class_settle(s);
    const Symbol *m = type->cls ? member_find(s, type->cls, member) : NULL;
    bool is_static = m && (m->kind == SYM_CONST || (m->mods & AST_MOD_STATIC));
    for (; is_static && m->kind == SYM_FUNC && m->next; m = m->next)
        is_static = m->next->mods & AST_MOD_STATIC;
    return is_static;
}

bool member_is_named_like_type(Sema *s, const Ast *n)
{
    const char *name = n->kind == AST_NAME_REF ? n->name_ref.name
                       : n->kind == AST_MEMBER ? n->member.name
                                               : NULL;
    Symbol *type = name ? scope_type(s, name) : NULL;
    return type && !type->generic && decl_alias(s, type) == n->type;
}

/* Box of Box.Make(3), where it is a Box<int>: to be written. Inside of it, it is itself. */
static const Type *generic_base(Sema *s, const char *name, Loc loc)
{
    Ast *type = ast_new(s->arena, AST_TYPE_NAME, loc);
    type->type_name.name = name;
    return decl_type(s, type);
}

static Base base_of(Sema *s, Ast *base, const char *member)
{
    Base b = {0};
    if (base->kind == AST_TYPE_NAME && (!base->type_name.name || base->type_name.args.len)) {
        b.type = decl_type(s, base);
        return b;
    }
    if (base->kind != AST_TYPE_NAME && base->kind != AST_NAME_REF) return b;
    bool written = base->kind == AST_TYPE_NAME;
    const char *name = written ? base->type_name.name : base->name_ref.name;
    Symbol *type = scope_type(s, name), *sym = scope_user(s, name);
    if (written && !is_variable(sym)) sym = type;
    if (sym && sym->kind != SYM_TYPE) {
        if (!means_type(s, sym, type, member)) {
            if (written) {
                base->kind = AST_NAME_REF;
                base->name_ref.name = name;
            }
            return b;
        }
        sym = type;
    }
    if (sym) {
        Symbol *plain = sym->generic ? scope_type_of(s, name, 0) : NULL;
        if (plain && !plain->generic) sym = plain;
        b.type = sym->generic ? generic_base(s, name, base->loc) : decl_alias(s, sym);
        class_settle(s);
        LibSpace space = builtin_space(s, name); /* it may have some of a library class's members */
        bool row = sym->library && space < SPACE_COUNT && builtin_find(s, space, member, 0) >= 0;
        if (row && sym->cls && !member_find(s, sym->cls, member)) b = (Base){.space = name};
        return b;
    }
    ScalarKind k;
    bool scalar = scalar_from_name(name, strlen(name), &k);
    bool foreign = foreign_word(FOREIGN_NAME, name) && foreign_word(FOREIGN_MEMBER, member);
    if (scalar || written || foreign || is_space(s, name)) b.space = name;
    return b;
}

/* ---- members of the library's table --------------------------------------------------------- */

static void check_type_member(Sema *s, Ast *n, const Type *t);

static void check_row(Sema *s, Ast *n, const char *name)
{
    LibSpace space = builtin_space(s, name);
    int row = builtin_find(s, space, n->member.name, 0);
    n->type = s->error;
    n->member.base->type = s->error;
    const Symbol *beside = row < 0 ? beside_member(s, space, n->member.name) : NULL;
    if (beside) {
        check_type_member(s, n, beside->cls->type);
        return;
    }
    if (row < 0) {
        report_no_row(s, n, space, name);
        return;
    }
    n->sym = builtin_symbol(s, row);
    if (is_row_property(row) && builtins[row].signature[0] == '=') {
        Candidates set = candidates_of_library(s, row, false);
        n->type = set.data[0].result;
        n->is_const = constant_builtin(row, &n->value);
        if (!builtins[row].pure)
            pure_impure(s, arena_printf(s->arena, "reads %s.%s", name, n->member.name), n->loc);
    } else {
        n->type = type_group(s->types, arena_printf(s->arena, "%s.%s", name, n->member.name));
    }
}

/* Where the members of a value of this type are listed. */
static LibSpace member_space(const Sema *s, const Type *t)
{
    if (type_is_functional(t)) return SPACE_func;
    if (t->kind == TY_OBJECT) return builtin_space(s, intern_cstr(s->names, t->name));
    return t->kind == TY_STRING ? SPACE_string : SPACE_any;
}

static void check_value_row(Sema *s, Ast *n, const Type *t)
{
    LibSpace space = member_space(s, t);
    int row = builtin_find(s, space, n->member.name, 0);
    if (row < 0) row = builtin_find(s, SPACE_any, n->member.name, 0);
    if (row < 0) {
        if (class_of(t))
            report_no_member(s, n, t->decl, type_text(s->arena, t));
        else
            report_no_row(s, n, space, type_text(s->arena, t));
        return;
    }
    n->sym = builtin_symbol(s, row);
    if (!is_row_property(row)) {
        n->type = type_group(s->types, n->member.name);
        return;
    }
    n->type = candidates_of_library(s, row, true).data[0].result;
    if (builtin_is(&builtins[row], SPACE_func, LIB_Rank)) {
        n->is_const = true;
        n->value.i = t->nparams;
    }
}

/* ---- members of classes and enums ----------------------------------------------------------- */

static void set_const(Sema *s, Ast *n, Symbol *c)
{
    if (!c->type) decl_const(s, c);
    n->type = c->type;
    n->is_const = c->type->kind == TY_SCALAR;
    n->value = c->value;
    if (c->made) *n = *ast_clone(s->arena, c->made);
}

/* The member m of the type or value before the dot. */
static void set_member(Sema *s, Ast *n, Symbol *m, bool by_type)
{
    bool is_static = m->kind == SYM_CONST || (m->mods & AST_MOD_STATIC);
    n->sym = m;
    n->type = s->error;
    if (m->kind == SYM_FUNC) { /* which overload is meant is not known yet */
        n->type = type_group(s->types, m->name);
        return;
    }
    if (by_type && !is_static) {
        report(s, n->loc, STATIC, "'%s' belongs to each '%s': an object stands before the dot",
               m->name, m->cls->sym->name);
        return;
    }
    if (!by_type && is_static) {
        report(s, n->loc, STATIC, "'%s' is static: write %s.%s", m->name, m->cls->type->name,
               m->name);
        return;
    }
    if (m->kind == SYM_CONST) {
        set_const(s, n, m);
        return;
    }
    if (m->kind == SYM_FIELD && is_static) static_use(s, m);
    n->type = m->type ? m->type : s->error;
}

static void check_type_member(Sema *s, Ast *n, const Type *t)
{
    n->type = s->error;
    if (t == s->error) return;
    n->member.base = type_node(s, n->member.base->loc, t);
    Class *cls = class_of(t);
    Symbol *owner = cls || type_is_enum(t) ? t->decl : NULL;
    if (!owner) {
        ScalarKind k = t->kind == TY_SCALAR ? t->scalar : SC_INT;
        const char *space = t->kind == TY_SCALAR ? scalar_name(k) : type_text(s->arena, t);
        n->member.base->type_name.name = intern_cstr(s->names, space);
        check_row(s, n, n->member.base->type_name.name);
        return;
    }
    Symbol *m = cls ? member_find(s, cls, n->member.name) : member_own(owner, n->member.name);
    if (!m && !cls && enum_list(s, n, t)) return;
    if (!m) {
        report_no_member(s, n, owner, t->name);
        return;
    }
    if (cls) class_use(s, cls);
    if (m->kind != SYM_FUNC) member_check_access(s, m, n->loc);
    set_member(s, n, m, true);
}

/* A member of each value of a function of classes: promoted. */
static void promote_member(Sema *s, Ast *n, const Type *f)
{
    if (n->type == s->error || n->type->kind == TY_GROUP || n->sym->kind == SYM_CONST) return;
    n->res = AST_RES_PROMOTE;
    n->type = type_func(s->types, n->type, f->nparams, f->params);
}

static void check_value_member(Sema *s, Ast *n, const Type *t)
{
    Class *cls = class_of(t);
    if (type_is_functional(t) && class_of(t->result) &&
        builtin_find(s, SPACE_func, n->member.name, 0) < 0)
        cls = class_of(t->result);
    bool runtime = n->member.base->kind == AST_BASE && class_is_object(cls); /* the runtime's */
    Symbol *m = cls && !runtime ? member_find(s, cls, n->member.name) : NULL;
    if (!m && cls && cls->function && !type_is_functional(t)) { /* as a function: Length, Rank.. */
        convert_wrap(s, &n->member.base, cls->function);
        check_value_row(s, n, cls->function);
        return;
    }
    if (!m) {
        check_value_row(s, n, t);
        return;
    }
    class_use(s, cls);
    if (m->kind != SYM_FUNC) member_check_access(s, m, n->loc);
    set_member(s, n, m, false);
    if (type_is_functional(t)) promote_member(s, n, t);
}

/* Leaves a property as it is: it may be a target. */
static void check_member_place(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    Base base = base_of(s, n->member.base, n->member.name);
    n->type = s->error;
    if (base.space) {
        check_row(s, n, base.space);
        return;
    }
    if (base.type) {
        check_type_member(s, n, base.type);
        return;
    }
    const Type *t = n->member.base->kind == AST_BASE
                        ? (check_this(s, n->member.base), n->member.base->type)
                        : check_value(s, &n->member.base, NULL);
    n->type = s->error;
    if (t != s->error) check_value_member(s, n, t);
}

const Type *member_receiver(Sema *s, Ast *n)
{
    Ast **base = &n->member.base;
    if ((*base)->kind == AST_BASE) return NULL;
    Base b = base_of(s, *base, n->member.name);
    if (b.space || b.type) return NULL;
    const Type *t = check_value(s, base, NULL);
    (*base)->settled = true;
    return t == s->error ? NULL : t;
}

void check_member(Sema *s, Ast **slot)
{
    check_member_place(s, slot);
    place_value(s, *slot);
}

/* ---- this ----------------------------------------------------------------------------------- */

bool has_self(Sema *s)
{
    return s->func && (s->func->self || struct_self(s));
}

void check_this(Sema *s, Ast *n)
{
    bool base = n->kind == AST_BASE;
    n->type = s->error;
    if (!has_self(s)) {
        report(s, n->loc, STATIC, "there is no '%s' %s", base ? "base" : "this",
               s->cls ? "in a static member" : "outside of a class");
        return;
    }
    n->sym = s->func->self;
    Symbol *reference = struct_self(s);
    if (reference) {
        n->kind = AST_NAME_REF;
        n->name_ref.name = reference->name;
        n->sym = reference;
    }
    if (!base)
        n->type = s->cls->type;
    else if (s->cls->base || class_is_object(s->cls))
        n->type = s->cls->base ? s->cls->base->type : s->cls->type;
    else
        report(s, n->loc, STATIC, "'%s' has no base class", s->cls->sym->name);
}

static Ast *implied_base(Sema *s, const Symbol *m, Loc loc)
{
    if (m->kind == SYM_CONST || (m->mods & AST_MOD_STATIC)) return type_node(s, loc, m->cls->type);
    return ast_new(s->arena, AST_THIS, loc);
}

/* Has what stands before the dot, a class, an enum or a space of the library, a static member of this name? */
static bool has_static(Sema *s, const char *of, const char *name)
{
    Symbol *type = scope_type(s, of);
    if (type && type->kind == SYM_TYPE && !type->generic) {
        const Type *t = decl_alias(s, type);
        Class *c = class_of(t);
        if (c) class_ready(s, c);
        const Symbol *m = c                 ? member_find(s, c, name)
                          : type_is_enum(t) ? member_own(type, name)
                                            : NULL;
        return m && (m->kind == SYM_CONST || (m->mods & AST_MOD_STATIC));
    }
    if (!is_space(s, of)) return false;
    LibSpace space = builtin_space(s, of);
    return builtin_find(s, space, name, 0) >= 0 || beside_member(s, space, name);
}

Ast *static_member(Sema *s, const Ast *n)
{
    const AstList *usings = &s->unit->unit.usings;
    if (n->kind != AST_NAME_REF) return NULL;
    for (int i = 0; i < usings->len; i++) {
        const struct Ast_using_module *u = &usings->data[i]->using_module;
        if (!u->members || !has_static(s, u->name, n->name_ref.name)) continue;
        Symbol *type = scope_type(s, u->name);
        Ast *base =
            type ? type_node(s, n->loc, decl_alias(s, type)) : tree_name(s, n->loc, u->name);
        return tree_member(s, n->loc, base, n->name_ref.name);
    }
    return NULL;
}

/* A value that is named like a class inside one: Kind, which the lexer takes for Outer.Kind. */
static void mean_value(Sema *s, Ast *n)
{
    const char *dot = n->kind == AST_NAME_REF ? strrchr(n->name_ref.name, '.') : NULL;
    if (!dot || !dot[1]) return;
    const char *name = intern_cstr(s->names, dot + 1);
    if (is_variable(scope_user(s, name))) n->name_ref.name = name;
}

bool member_unqualified(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    mean_value(s, n);
    Symbol *m = n->kind == AST_NAME_REF ? scope_lookup(s, n->name_ref.name) : NULL;
    Ast *named = m ? NULL : static_member(s, n);
    if (named) {
        *slot = named;
        return true;
    }
    if (m && m->cell) {
        *slot = tree_member(s, n->loc, tree_name(s, n->loc, m->cell->name), "Value");
        return true;
    }
    bool member = m && m->cls &&
                  (m->kind == SYM_FIELD || m->kind == SYM_PROPERTY || m->kind == SYM_CONST ||
                   m->kind == SYM_FUNC);
    if (!member) return false;
    if (program_is_variable(s, m) && (s->cls || !m->type)) {
        report_undeclared(s, n->loc, m->name, false);
        n->type = s->error;
        *slot = tree_member(s, n->loc, type_node(s, n->loc, s->error), m->name);
        return true;
    }
    Ast *base = implied_base(s, m, n->loc);
    if (base->kind == AST_THIS && m->kind != SYM_FUNC && !has_self(s)) {
        report(s, n->loc, STATIC, "'%s' belongs to each '%s': a static member has no object",
               m->name, m->cls->sym->name);
        n->type = s->error;
        base = type_node(s, n->loc, s->error);
    }
    *slot = tree_member(s, n->loc, base, n->name_ref.name);
    return true;
}

/* ---- places --------------------------------------------------------------------------------- */

void place_check(Sema *s, Ast **slot)
{
    member_unqualified(s, slot);
    Ast *n = *slot;
    n->type = s->error;
    if (n->kind == AST_MEMBER) {
        check_member_place(s, slot);
    } else if (n->kind == AST_INDEX) {
        const Ast *again = index_copy(s, n);
        place_check(s, &n->index.base);
        n->type = s->error;
        if (n->index.base->type != s->error && !type_is_functional(n->index.base->type))
            place_value(s, n->index.base);
        if (again) index_places(s, n, again);
        if (again && place_counted(s, n, again)) return;
        check_indexed(s, n);
    } else {
        check_expr(s, slot, NULL);
    }
}
