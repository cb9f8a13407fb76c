/* Enums: scalar types of their own, whose members are constants; and the function that gives a
 * value its name. */
#include <stdlib.h>
#include <string.h>

#include "../check/check.h"

static Symbol *add_member(Sema *s, Ast *m, const Type *base, ScalarValue *next)
{
    Ast **init = &m->enum_member.value;
    if (*init && check_value(s, init, base) != s->error) {
        if (type_is_enum((*init)->type) && (*init)->is_const) /* another enum's member */
            convert_wrap(s, init, base);
        convert_to(s, init, base, NULL);
        if (!(*init)->is_const && (*init)->type != s->error)
            report(s, (*init)->loc, NOT_CONSTANT, "the value of '%s' is not a constant",
                   m->enum_member.name);
        if ((*init)->is_const) *next = (*init)->value;
    }
    Symbol *c = scope_symbol(s, SYM_CONST, m->enum_member.name, base, m->loc, m);
    c->mods = AST_MOD_PUBLIC | AST_MOD_STATIC;
    c->value = *next;
    if (*init) c->loc.end = c->loc.begin + (uint32_t)strlen(c->name);
    m->sym = c;
    next->i = scalar_convert((ScalarValue){.i = next->i + 1}, SC_LONG, base->scalar).i;
    return c;
}

const Type *enum_type(Sema *s, Symbol *sym)
{
    struct Ast_enum_ *d = &sym->decl->enum_;
    Context saved = context_enter(s, sym);
    const Type *base = d->base ? decl_type(s, d->base) : s->integer;
    if (base != s->error &&
        (base->kind != TY_SCALAR || base->decl || !scalar_is_integer(base->scalar))) {
        report(s, d->base->loc, UNKNOWN_TYPE, "an enum is of an integer type, not of '%s'",
               type_text(s->arena, base));
        base = s->error;
    }
    if (base == s->error) base = s->integer;
    sym->type = type_enum(s->types, sym->name, base->scalar, sym);
    sym->members = arena_new_of(s->arena, Members);
    ScalarValue next = {0};
    for (int i = 0; i < d->members.len; i++) {
        Ast *m = d->members.data[i];
        if (m->kind != AST_ENUM_MEMBER) continue;
        Symbol *c = add_member(s, m, base, &next);
        member_add(s, sym, c);
        scope_bind(s, c); /* later members may use it: a number until all are known */
    }
    context_leave(s, &saved);
    for (int i = 0; i < sym->members->len; i++) sym->members->data[i]->type = sym->type;
    return sym->type;
}

/* string E(E $v) { switch ($v) { case E.A: return "A"; ... default: return the number; } }, of
 * values with several names the first. */
Symbol *enum_text(Sema *s, const Type *t)
{
    Symbol *owner = t->decl, *f = member_own(owner, intern_cstr(s->names, "$text"));
    if (f) return f;
    Loc loc = owner->loc;
    Ast *sw = ast_new(s->arena, AST_SWITCH, loc);
    sw->switch_.value = tree_name(s, loc, "$v");
    const Members *m = owner->members;
    for (int i = 0; i < m->len; i++) {
        bool again = false;
        for (int k = 0; k < i; k++) again = again || m->data[k]->value.i == m->data[i]->value.i;
        if (again) continue;
        Ast *section = ast_new(s->arena, AST_CASE, loc);
        Ast *label = tree_member(s, loc, type_node(s, loc, t), m->data[i]->name);
        Ast *name = tree_text(s, loc, m->data[i]->name);
        section->case_.labels = ast_list_add(s->arena, section->case_.labels, label);
        section->case_.stmts = ast_list_add(s->arena, section->case_.stmts, tree_return(s, name));
        sw->switch_.sections = ast_list_add(s->arena, sw->switch_.sections, section);
    }
    Ast *number = ast_new(s->arena, AST_CAST, loc);
    number->cast.target = type_node(s, loc, type_scalar(s->types, t->scalar));
    number->cast.operand = tree_name(s, loc, "$v");
    Ast *text = tree_call(s, loc, tree_member(s, loc, number, "ToString"), 0);
    if (attr_find(&owner->decl->enum_.attrs, intern_cstr(s->names, "Flags")))
        text = tree_call(s, loc, tree_name(s, loc, "FlagsText"), 1, tree_name(s, loc, "$v"));
    AstList params =
        ast_list_add(s->arena, (AstList){0}, tree_param(s, loc, type_node(s, loc, t), "$v"));
    Ast *func = tree_func(s, loc, AST_MOD_STATIC, type_node(s, loc, s->string), owner->name, params,
                          tree_block(s, loc, 2, sw, tree_return(s, text)));
    f = scope_symbol(s, SYM_FUNC, intern_cstr(s->names, "$text"), NULL, loc, func);
    f->slot = -1;
    f->imported = owner->imported;
    f->library = owner->library;
    f->mods = AST_MOD_PUBLIC | AST_MOD_STATIC;
    f->implied = true;
    func->sym = f;
    decl_func(s, f, f);
    member_add(s, owner, f);
    return f;
}

/* ---- all members, for the library's Enum -------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const Symbol *x = *(Symbol *const *)a, *y = *(Symbol *const *)b;
    uint64_t i = (uint64_t)x->value.i, k = (uint64_t)y->value.i;
    if (i != k) return i < k ? -1 : 1;
    return (x->loc.begin > y->loc.begin) - (x->loc.begin < y->loc.begin);
}

bool enum_list(Sema *s, Ast *n, const Type *t)
{
    bool values = !strcmp(n->member.name, "EnumValues");
    if (!values && strcmp(n->member.name, "EnumNames") != 0) return false;
    const Members *m = t->decl->members;
    Symbol **sorted = arena_array(s->arena, Symbol *, m->len + 1);
    int count = 0;
    for (int i = 0; i < m->len; i++)
        if (m->data[i]->kind == SYM_CONST) sorted[count++] = m->data[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    Ast *list = ast_new(s->arena, AST_INIT_LIST, n->loc);
    Ast *all = ast_new(s->arena, AST_NEW_ARRAY, n->loc);
    for (int i = 0; i < count; i++) {
        Ast *item = values ? tree_member(s, n->loc, type_node(s, n->loc, t), sorted[i]->name)
                           : tree_text(s, n->loc, sorted[i]->name);
        list->init_list.items = ast_list_add(s->arena, list->init_list.items, item);
    }
    all->new_array.elem = type_node(s, n->loc, values ? t : s->string);
    all->new_array.rank = 1;
    all->new_array.init = list;
    check_expr(s, &all, NULL);
    *n = *all;
    return true;
}

/* By the library's EnumNames, which has an overload a rank. */
bool enum_array_text(Sema *s, Ast **slot)
{
    Loc loc = (*slot)->loc;
    AstList args = ast_list_add(s->arena, (AstList){0}, *slot);
    Candidates set = candidates_of_user(s, scope_library(s, SYM_FUNC, "EnumNames"));
    s->quiet++;
    int errors = s->quiet_errors;
    set = generic_candidates(s, set, args, loc);
    s->quiet_errors = errors;
    s->quiet--;
    if (!set.len || convert_class(s, *slot, set.data[0].params[0]) == CONV_NONE) return false;
    convert_to(s, &args.data[0], set.data[0].params[0], NULL);
    Ast *n = ast_new(s->arena, AST_CALL, loc);
    call_static(s, n, set.data[0].sym, args);
    *slot = n;
    return true;
}
