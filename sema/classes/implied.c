/* What a class has though it is not written: constructors with their field initialisers and chains,
 * and of a final class ==, !=, ToString and GetHashCode. All are trees, checked like written ones;
 * they are declared always and checked when used.
 */
#include <string.h>

#include "../check/check.h"

/* ---- constructors --------------------------------------------------------------------------- */

static Ast *own_field(Sema *s, Loc loc, const Symbol *f)
{
    return tree_member(s, loc, ast_new(s->arena, AST_THIS, loc), f->name);
}

static bool is_own(const Class *c, const Symbol *f)
{
    return f->cls == c;
}

static Ast *initialiser(const Symbol *f)
{
    return f->decl->kind == AST_DECLARATOR ? f->decl->declarator.init : NULL;
}

/* this.f = e; for the fields with initialisers. */
static AstList initialisers(Sema *s, const Class *c)
{
    AstList stmts = {0};
    for (int i = 0; i < c->nfields; i++) {
        const Symbol *f = c->fields[i];
        if (!is_own(c, f) || !initialiser(f)) continue;
        Ast *value = ast_clone(s->arena, initialiser(f));
        stmts = ast_list_add(s->arena, stmts,
                             tree_assign(s, value->loc, own_field(s, value->loc, f), value));
    }
    return stmts;
}

/* base(); where nothing else is written and there is a base that somebody wrote. */
static Ast *implied_chain(Sema *s, const Class *c, Loc loc)
{
    if (!c->base || c->base == class_object(s)) return NULL;
    return tree_call(s, loc, ast_new(s->arena, AST_BASE, loc), 0);
}

Symbol *implied_constructor(Sema *s, Class *c, uint64_t mods, AstList params, AstList body)
{
    Loc loc = c->sym->loc;
    Ast *block = tree_block(s, loc, 0);
    block->block.stmts = body;
    Ast *func = tree_func(s, loc, mods, NULL, c->sym->name, params, block);
    Symbol *f = class_function(s, c, func, loc);
    f->is_ctor = f->implied = true;
    return f;
}

static void add_constructor(Sema *s, Class *c, Loc loc, uint64_t mods, AstList params, Ast *chain,
                            AstList body, Loc body_loc, bool plain)
{
    AstList stmts = {0};
    bool to_own = chain && chain->kind == AST_CALL && chain->call.callee->kind == AST_THIS;
    if (!to_own) stmts = initialisers(s, c);
    plain = plain && !stmts.len;
    if (!chain) chain = implied_chain(s, c, loc);
    if (chain) stmts = ast_list_add(s->arena, stmts, tree_stmt(s, chain));
    for (int i = 0; i < body.len; i++) stmts = ast_list_add(s->arena, stmts, body.data[i]);
    Ast *block = tree_block(s, body_loc, 0);
    block->block.stmts = stmts;
    Ast *func = tree_func(s, loc, mods, NULL, c->sym->name, params, block);
    Symbol *f = class_function(s, c, func, loc);
    f->is_ctor = true;
    f->is_plain = plain && !chain;
    Symbol **last = &c->ctors;
    while (*last) last = &(*last)->next;
    *last = f;
}

static const Symbol *field_named(const Class *c, const char *name)
{
    for (int i = 0; i < c->nfields; i++)
        if (is_own(c, c->fields[i]) && c->fields[i]->name == name) return c->fields[i];
    return NULL;
}

/* class C(int a, int b): a constructor with these parameters, which sets what they are. */
static void add_header(Sema *s, Class *c)
{
    const struct Ast_class_ *d = &c->decl->class_;
    AstList params = {0}, body = {0};
    Loc loc = c->sym->loc;
    bool final = class_is_final_value(c) && !class_is_struct(c);
    for (int i = 0; i < d->positional.len; i++) {
        Ast *p = d->positional.data[i];
        if (p->kind != AST_PARAM) continue;
        const Symbol *f = field_named(c, p->param.name);
        params = ast_list_add(s->arena, params, ast_clone(s->arena, p));
        if (!f || (!final && class_writes(c, f->name))) continue;
        Ast *value = tree_name(s, loc, p->param.name);
        body = ast_list_add(s->arena, body, tree_assign(s, loc, own_field(s, loc, f), value));
    }
    bool all = body.len == c->nfields && params.len == c->nfields;
    Ast *chain = d->chain ? ast_clone(s->arena, d->chain) : NULL;
    add_constructor(s, c, loc, AST_MOD_PUBLIC, params, chain, body, loc, all);
}

/* A parameter a field without initialiser, in order. */
static void add_positional(Sema *s, Class *c)
{
    AstList params = {0}, body = {0};
    Loc loc = c->sym->loc;
    for (int i = 0; i < c->nfields; i++) {
        const Symbol *f = c->fields[i];
        if (!is_own(c, f) || initialiser(f)) continue;
        params = ast_list_add(s->arena, params,
                              tree_param(s, f->loc, type_node(s, f->loc, f->type), f->name));
        body = ast_list_add(s->arena, body,
                            tree_assign(s, loc, own_field(s, loc, f), tree_name(s, loc, f->name)));
    }
    if (params.len > MAX_PARAMS) {
        report(s, loc, NOT_SUPPORTED, "a final class of more than %d fields needs a constructor",
               MAX_PARAMS);
        return;
    }
    bool all = body.len == c->nfields;
    add_constructor(s, c, loc, AST_MOD_PUBLIC, params, NULL, body, loc, all);
}

/* A struct can be made of nothing, and `with` makes it of all its fields. */
static void add_struct(Sema *s, Class *c)
{
    AstList params = {0}, body = {0}, none = {0};
    Loc loc = c->sym->loc;
    bool empty = false;
    for (const Symbol *f = c->ctors; f; f = f->next) {
        empty = empty || !f->decl->func.params.len;
        if (f->is_plain) c->plain = (Symbol *)(uintptr_t)f;
    }
    if (!empty) add_constructor(s, c, loc, AST_MOD_PUBLIC, none, NULL, none, loc, false);
    if (c->plain || c->nfields > MAX_PARAMS) return;
    for (int i = 0; i < c->nfields; i++) {
        const Symbol *f = c->fields[i];
        Ast *type = type_node(s, loc, f->type);
        params = ast_list_add(s->arena, params, tree_param(s, loc, type, f->name));
        body = ast_list_add(s->arena, body,
                            tree_assign(s, loc, own_field(s, loc, f), tree_name(s, loc, f->name)));
    }
    c->plain = implied_constructor(s, c, AST_MOD_PUBLIC, params, body);
    c->plain->is_plain = true;
}

/* Only `this.f = p;` or `f = p;` for every field and parameter, in order? */
static bool is_plain_body(const Class *c, const Ast *ctor)
{
    const Ast *body = ctor->ctor.body;
    if (ctor->ctor.chain || ctor->ctor.params.len != c->nfields) return false;
    AstList one = {(Ast **)(uintptr_t)&ctor->ctor.body, 1};
    const AstList *stmts = body->kind == AST_BLOCK ? &body->block.stmts : &one;
    if (stmts->len != c->nfields) return false;
    for (int i = 0; i < stmts->len; i++) {
        const Ast *e = stmts->data[i], *p = ctor->ctor.params.data[i];
        if (e->kind != AST_EXPR_STMT || e->expr_stmt.expr->kind != AST_ASSIGN) return false;
        const Ast *t = e->expr_stmt.expr->assign.target, *v = e->expr_stmt.expr->assign.value;
        bool own = t->kind == AST_MEMBER && t->member.base->kind == AST_THIS &&
                   t->member.name == c->fields[i]->name;
        bool bare = t->kind == AST_NAME_REF && t->name_ref.name == c->fields[i]->name;
        if (e->expr_stmt.expr->assign.op != AST_OP_NONE || v->kind != AST_NAME_REF ||
            p->kind != AST_PARAM || v->name_ref.name != p->param.name ||
            p->param.mode > AST_OP_BY_VALUE)
            return false;
        if (!own && !(bare && t->name_ref.name != p->param.name)) return false;
        for (int k = 0; k < i; k++) /* a parameter with the name of a field hides it */
            if (bare && ctor->ctor.params.data[k]->param.name == t->name_ref.name) return false;
    }
    return true;
}

void implied_constructors(Sema *s, Class *c)
{
    const struct Ast_class_ *d = &c->decl->class_;
    if (d->mods & AST_MOD_INTERFACE) return;
    bool some = false;
    for (int i = 0; i < d->members.len; i++) {
        Ast *m = d->members.data[i];
        if (m->kind != AST_CTOR) continue;
        if (m->ctor.name != d->name)
            report(s, m->loc, MEMBER_FORM, "the constructor of '%s' is called '%s'", d->name,
                   d->name);
        if (!m->ctor.body) continue;
        some = true;
        Loc loc = decl_name_loc(s, m->loc, m->loc.begin, m->ctor.name);
        AstList one = {&m->ctor.body, 1};
        AstList body = m->ctor.body->kind == AST_BLOCK ? m->ctor.body->block.stmts : one;
        if (m->ctor.body->kind == AST_RETURN && m->ctor.body->return_.value)
            body.data[0] = tree_stmt(s, m->ctor.body->return_.value);
        add_constructor(s, c, loc, m->ctor.mods, m->ctor.params, m->ctor.chain, body,
                        m->ctor.body->loc, is_plain_body(c, m));
    }
    AstList none = {0};
    bool value = class_is_final_value(c) && !class_is_struct(c);
    if (d->header)
        add_header(s, c);
    else if (!some && value)
        add_positional(s, c);
    else if (class_is_struct(c))
        ;
    else if (!some && !(d->mods & AST_MOD_STATIC))
        add_constructor(s, c, c->sym->loc, AST_MOD_PUBLIC, none, NULL, none, c->sym->loc, false);
    if (class_is_struct(c)) add_struct(s, c);
    if (class_is_record(c)) record_copies(s, c);
}

/* ---- members of final classes --------------------------------------------------------------- */

bool implied_has(const Class *c, const Sema *s, const char *name)
{
    const char *wanted = intern_cstr(s->names, name);
    for (int i = 0; i < c->sym->members->len; i++)
        if (c->sym->members->data[i]->name == wanted) return true;
    return false;
}

/* A method of this name without parameters? */
static bool has_plain(const Class *c, const Sema *s, const char *name)
{
    const char *wanted = intern_cstr(s->names, name);
    for (const Symbol *f = member_own(c->sym, wanted); f; f = f->next)
        if (f->kind != SYM_FUNC || f->decl->func.params.len == 0) return true;
    return false;
}

static bool is_comparable(const Type *t)
{
    const Class *c = class_of(t);
    return t->kind == TY_SCALAR || t->kind == TY_STRING || (c && class_is_final_value(c));
}

Symbol *implied_add(Sema *s, Class *c, uint64_t mods, const Type *ret, const char *name,
                    AstList params, Ast *body)
{
    Loc loc = c->sym->loc;
    if (body && body->kind != AST_BLOCK) body = tree_block(s, loc, 1, tree_return(s, body));
    Ast *func = tree_func(s, loc, mods, type_node(s, loc, ret), name, params, body);
    Symbol *f = class_function(s, c, func, loc);
    f->implied = true;
    member_add(s, c->sym, f);
    return f;
}

static AstList two_params(Sema *s, const Class *c)
{
    Loc loc = c->sym->loc;
    AstList params =
        ast_list_add(s->arena, (AstList){0}, tree_param(s, loc, type_node(s, loc, c->type), "$a"));
    return ast_list_add(s->arena, params, tree_param(s, loc, type_node(s, loc, c->type), "$b"));
}

/* Equal if all fields are. */
static void add_equality(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    Ast *all = NULL;
    for (int i = 0; i < c->nfields; i++) {
        Ast *a = tree_member(s, loc, tree_name(s, loc, "$a"), c->fields[i]->name);
        Ast *b = tree_member(s, loc, tree_name(s, loc, "$b"), c->fields[i]->name);
        Ast *same = tree_binary(s, loc, AST_OP_EQ, a, b);
        all = all ? tree_binary(s, loc, AST_OP_LAND, all, same) : same;
    }
    uint64_t mods = AST_MOD_PUBLIC | AST_MOD_STATIC;
    if (!implied_has(c, s, "operator==") && all)
        implied_add(s, c, mods, s->boolean, "operator==", two_params(s, c), all);
    if (implied_has(c, s, "operator!=") || !implied_has(c, s, "operator==")) return;
    Ast *not = ast_new(s->arena, AST_UNARY, loc);
    not ->unary.op = AST_OP_NOT;
    not ->unary.operand =
        tree_binary(s, loc, AST_OP_EQ, tree_name(s, loc, "$a"), tree_name(s, loc, "$b"));
    implied_add(s, c, mods, s->boolean, "operator!=", two_params(s, c), not );
}

/* Equals of a tuple with reals, for which NaN is its own equal; others' is ==. */
static void add_sameness(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    Ast *all = NULL;
    bool reals = false;
    for (int i = 0; i < c->nfields; i++) {
        const Type *t = c->fields[i]->type;
        reals = reals || (t->kind == TY_SCALAR && scalar_is_real(t->scalar)) ||
                (type_is_tuple(t) && implied_has(class_of(t), s, SAME_METHOD));
        Ast *a = tree_member(s, loc, tree_name(s, loc, "$a"), c->fields[i]->name);
        Ast *b = tree_member(s, loc, tree_name(s, loc, "$b"), c->fields[i]->name);
        Ast *same = tree_call(s, loc, tree_name(s, loc, "SameValue"), 2, a, b);
        all = all ? tree_binary(s, loc, AST_OP_LAND, all, same) : same;
    }
    if (reals)
        implied_add(s, c, AST_MOD_PUBLIC | AST_MOD_STATIC, s->boolean, SAME_METHOD,
                    two_params(s, c), all);
}

/* Name { x = 1, y = 2 }, each field as `of` makes a text of it; NULL: as it is printed. */
static Ast *fields_text(Sema *s, Class *c, const char *of)
{
    Loc loc = c->sym->loc;
    Ast *text = ast_new(s->arena, AST_INTERP, loc);
    const char *before = c->tuple ? "(" : arena_printf(s->arena, "%s { ", c->type->name);
    for (int i = 0; i < c->nfields; i++) {
        const char *lead =
            c->tuple ? before : arena_printf(s->arena, "%s%s = ", before, c->fields[i]->name);
        Ast *hole = ast_new(s->arena, AST_HOLE, loc), *field = own_field(s, loc, c->fields[i]);
        hole->hole.expr = of ? tree_call(s, loc, tree_name(s, loc, of), 1, field) : field;
        text->interp.parts = ast_list_add(s->arena, text->interp.parts, tree_text(s, loc, lead));
        text->interp.parts = ast_list_add(s->arena, text->interp.parts, hole);
        before = ", ";
    }
    text->interp.parts =
        ast_list_add(s->arena, text->interp.parts,
                     tree_text(s, loc,
                               c->tuple     ? ")"
                               : c->nfields ? " }"
                                            : arena_printf(s->arena, "%s}", before)));
    return text;
}

static void add_text(Sema *s, Class *c)
{
    bool record = c->type->kind == TY_RECORD;
    implied_add(s, c, AST_MOD_PUBLIC | (record ? 0 : AST_MOD_OVERRIDE), s->string, "ToString",
                (AstList){0}, fields_text(s, c, NULL));
    if (s->unit->unit.session && !record)
        implied_add(s, c, AST_MOD_PUBLIC, s->string, SHOWN_METHOD, (AstList){0},
                    fields_text(s, c, "ShownOf"));
}

/* f.GetHashCode(), 0 of a null string. */
static Ast *hash_of(Sema *s, Loc loc, const Symbol *f)
{
    Ast *one = tree_call(s, loc, tree_member(s, loc, own_field(s, loc, f), "GetHashCode"), 0);
    if (f->type->kind != TY_STRING) return one;
    Ast *cond = ast_new(s->arena, AST_COND, loc);
    cond->cond.cond =
        tree_binary(s, loc, AST_OP_EQ, own_field(s, loc, f), ast_new(s->arena, AST_NULL_LIT, loc));
    cond->cond.then = tree_int(s, loc, 0);
    cond->cond.other = one;
    return cond;
}

/* ((h0 * 31) + h1) * 31 ... */
static void add_hash(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    Ast *hash = tree_int(s, loc, 17);
    for (int i = 0; i < c->nfields; i++) {
        hash = tree_binary(s, loc, AST_OP_ADD,
                           tree_binary(s, loc, AST_OP_MUL, hash, tree_int(s, loc, 31)),
                           hash_of(s, loc, c->fields[i]));
    }
    bool overrides = c->base && member_find(s, c->base, intern_cstr(s->names, "GetHashCode"));
    implied_add(s, c, AST_MOD_PUBLIC | (overrides ? AST_MOD_OVERRIDE : 0), s->integer,
                "GetHashCode", (AstList){0}, hash);
}

bool implied_is_ordered(Sema *s, const Type *t)
{
    if (type_is_tuple(t)) return implied_has(class_of(t), s, "CompareTo");
    if (class_of(t)) {
        const char *name = intern_cstr(s->names, "CompareTo");
        for (const Class *c = class_of(t); c; c = c->base)
            if (class_writes(c, name)) return true;
        return false;
    }
    return type_is_numeric(t) || type_is_enum(t) || t->kind == TY_STRING || t == s->boolean;
}

/* x.CompareTo($other.x); of what may be null the library's, for which null comes first. */
static Ast *order_of(Sema *s, Loc loc, const Symbol *f)
{
    Ast *other = tree_member(s, loc, tree_name(s, loc, "$other"), f->name);
    Ast *own = own_field(s, loc, f);
    if (type_is_nullable(f->type))
        return tree_call(s, loc, tree_name(s, loc, "NaturalOrder"), 2, own, other);
    return tree_call(s, loc, tree_member(s, loc, own, "CompareTo"), 1, other);
}

/* By the first elements that differ. */
static void add_order(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    Ast *body = tree_block(s, loc, 1, tree_local(s, loc, NULL, "$c", tree_int(s, loc, 0)));
    AstList *stmts = &body->block.stmts;
    for (int i = 0; i < c->nfields; i++) {
        Ast *order = order_of(s, loc, c->fields[i]);
        Ast *differ = ast_new(s->arena, AST_IF, loc);
        differ->if_.cond =
            tree_binary(s, loc, AST_OP_NE, tree_name(s, loc, "$c"), tree_int(s, loc, 0));
        differ->if_.then = tree_return(s, tree_name(s, loc, "$c"));
        *stmts =
            ast_list_add(s->arena, *stmts, tree_assign(s, loc, tree_name(s, loc, "$c"), order));
        *stmts = ast_list_add(s->arena, *stmts, differ);
    }
    *stmts = ast_list_add(s->arena, *stmts, tree_return(s, tree_int(s, loc, 0)));
    AstList params = ast_list_add(s->arena, (AstList){0},
                                  tree_param(s, loc, type_node(s, loc, c->type), "$other"));
    implied_add(s, c, AST_MOD_PUBLIC, s->integer, "CompareTo", params, body);
}

/* bool Equals(object $o) => $o is C $b && this == $b; of a final class that is no record in graphs. */
static void add_equals(Sema *s, Class *c)
{
    Class *object = class_object(s);
    if (!object || c->type->kind != TY_OBJECT || implied_has(c, s, "Equals")) return;
    Loc loc = c->sym->loc;
    Ast *is = tree_is(s, loc, tree_name(s, loc, "$o"), c->type, "$b");
    Ast *self = ast_new(s->arena, AST_THIS, loc);
    Ast *same =
        implied_has(c, s, SAME_METHOD)
            ? tree_call(s, loc, tree_name(s, loc, SAME_METHOD), 2, self, tree_name(s, loc, "$b"))
            : tree_binary(s, loc, AST_OP_EQ, self, tree_name(s, loc, "$b"));
    AstList params = ast_list_add(s->arena, (AstList){0},
                                  tree_param(s, loc, type_node(s, loc, object->type), "$o"));
    implied_add(s, c, AST_MOD_PUBLIC | AST_MOD_OVERRIDE, s->boolean, "Equals", params,
                tree_binary(s, loc, AST_OP_LAND, is, same));
}

/* == != ToString GetHashCode of a final class; tuples are ordered, too. */
static void final_members(Sema *s, Class *c)
{
    bool comparable = true, printable = true;
    bool ordered = c->tuple;
    for (int i = 0; i < c->nfields; i++) {
        ordered = ordered && implied_is_ordered(s, c->fields[i]->type);
        comparable = comparable && is_comparable(c->fields[i]->type);
        printable = printable && is_printable(c->fields[i]->type);
    }
    if (comparable) add_equality(s, c);
    if (comparable && c->tuple) add_sameness(s, c);
    if (implied_has(c, s, "operator==")) add_equals(s, c);
    if (printable && !has_plain(c, s, "ToString")) add_text(s, c);
    if (comparable && !has_plain(c, s, "GetHashCode")) add_hash(s, c);
    if (ordered) add_order(s, c);
}

/* A struct without a ToString has its name for text, as in C#. */
static void add_name(Sema *s, Class *c)
{
    if (c->type->kind != TY_RECORD || has_plain(c, s, "ToString")) return;
    implied_add(s, c, AST_MOD_PUBLIC, s->string, "ToString", (AstList){0},
                tree_text(s, c->sym->loc, c->type->name));
}

void implied_members(Sema *s, Class *c)
{
    uint64_t mods = c->decl->class_.mods;
    if (mods & AST_MOD_RECORD)
        record_members(s, c);
    else if (mods & AST_MOD_STRUCT)
        add_name(s, c);
    if (mods & (AST_MOD_RECORD | AST_MOD_STRUCT))
        record_equality(s, c);
    else
        final_members(s, c);
}
