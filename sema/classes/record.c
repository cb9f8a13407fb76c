/* What C# writes for records and structs: Equals and GetHashCode by their fields, of records also == and
 * !=, ToString of what everybody sees, Deconstruct, and the copy of which `with` changes members. All
 * are trees, checked like written ones.
 *
 *     record B(int X);                    record D(int X, int Y) : B(X);
 *     bool @Same(B b) => X, .. equal      bool @Same(D b) => base.@Same(b) && Y, .. equal
 *     bool Equals(object o) => o is B b && b.@Kind() == @Kind() && @Same(b)
 *     B @Clone() => new B(this, ..)       B @Clone() => new D(this, ..)
 */
#include <string.h>

#include "../check/check.h"

static Ast *self(Sema *s, Loc loc)
{
    return ast_new(s->arena, AST_THIS, loc);
}

static AstList one_param(Sema *s, const Class *c, const Type *t, const char *name)
{
    Loc loc = c->sym->loc;
    return ast_list_add(s->arena, (AstList){0}, tree_param(s, loc, type_node(s, loc, t), name));
}

const char *class_stored(Sema *s, const Class *c, const Symbol *f)
{
    const Symbol *m = member_own(c->sym, f->name);
    return m && m->kind == SYM_PROPERTY ? arena_printf(s->arena, "$%s", f->name) : f->name;
}

static bool derives(const Class *c)
{
    return c->base && class_is_record(c->base);
}

static Ast *both(Sema *s, Loc loc, Ast *a, Ast *b)
{
    return a ? tree_binary(s, loc, AST_OP_LAND, a, b) : b;
}

/* A method of this name that the class writes, whose parameter is of this type (NULL: there is none). */
static bool writes(Sema *s, const Class *c, const char *name, const Type *param)
{
    const AstList *members = &c->decl->class_.members;
    for (int i = 0; i < members->len; i++) {
        const Ast *m = members->data[i];
        if (m->kind != AST_FUNC || strcmp(m->func.name, name) != 0) continue;
        const AstList *params = &m->func.params;
        if (!param && params->len == 0) return true;
        if (param && params->len == 1 && params->data[0]->kind == AST_PARAM &&
            decl_type(s, params->data[0]->param.ptype) == param)
            return true;
    }
    return false;
}

/* ---- equality ------------------------------------------------------------------------------- */

/* SameValue(this.f, other.f), which knows null and NaN. */
static Ast *same_field(Sema *s, const Class *c, const Symbol *f, const char *other)
{
    Loc loc = c->sym->loc;
    const char *name = class_stored(s, c, f);
    return tree_call(s, loc,
                     tree_name(s, loc, f->type->kind == TY_ARRAY ? "SameArray" : "SameValue"), 2,
                     tree_member(s, loc, self(s, loc), name),
                     tree_member(s, loc, tree_name(s, loc, other), name));
}

static bool is_compared(const Symbol *f)
{
    return f->type->kind != TY_FUNC && (f->type->kind != TY_ARRAY || f->type->nparams == 1);
}

static Ast *same_fields(Sema *s, const Class *c)
{
    Loc loc = c->sym->loc;
    Ast *all = NULL;
    if (derives(c)) {
        bool typed = writes(s, c->base, "Equals", c->base->type);
        Ast *base =
            tree_member(s, loc, ast_new(s->arena, AST_BASE, loc), typed ? "Equals" : "@Same");
        Ast *other = tree_name(s, loc, "$b");
        if (typed) other = tree_cast(s, loc, type_node(s, loc, c->base->type), other);
        all = tree_call(s, loc, base, 1, other);
    }
    for (int i = 0; i < c->nfields; i++)
        if (c->fields[i]->cls == c && is_compared(c->fields[i]))
            all = both(s, loc, all, same_field(s, c, c->fields[i], "$b"));
    if (all) return all;
    all = ast_new(s->arena, AST_BOOL_LIT, loc);
    all->bool_lit.value = true;
    return all;
}

static void add_hash(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    Ast *hash = tree_int(s, loc, 17);
    if (derives(c))
        hash = tree_call(s, loc,
                         tree_member(s, loc, ast_new(s->arena, AST_BASE, loc), "GetHashCode"), 0);
    for (int i = 0; i < c->nfields; i++) {
        if (c->fields[i]->cls != c || !is_compared(c->fields[i])) continue;
        bool array = c->fields[i]->type->kind == TY_ARRAY;
        Ast *field = tree_member(s, loc, self(s, loc), class_stored(s, c, c->fields[i]));
        Ast *one = tree_call(s, loc, tree_name(s, loc, array ? "HashOfArray" : "HashOf"), 1, field);
        hash = tree_binary(s, loc, AST_OP_ADD,
                           tree_binary(s, loc, AST_OP_MUL, hash, tree_int(s, loc, 31)), one);
    }
    uint64_t mods = AST_MOD_PUBLIC | (c->type->kind == TY_OBJECT ? AST_MOD_OVERRIDE : 0);
    implied_add(s, c, mods, s->integer, "GetHashCode", (AstList){0}, hash);
}

static Ast *kind_of(Sema *s, Loc loc, Ast *object)
{
    return tree_call(s, loc, tree_member(s, loc, object, "@Kind"), 0);
}

/* $o is C $b && .. */
static void add_equals(Sema *s, Class *c, bool typed)
{
    Class *object = class_object(s);
    if (!object || c->type->kind != TY_OBJECT || writes(s, c, "Equals", object->type)) return;
    Loc loc = c->sym->loc;
    Ast *all = tree_is(s, loc, tree_name(s, loc, "$o"), c->type, "$b");
    Ast *same = tree_name(s, loc, typed ? "Equals" : "@Same");
    if (class_is_record(c) && !typed)
        all = both(s, loc, all,
                   tree_binary(s, loc, AST_OP_EQ, kind_of(s, loc, tree_name(s, loc, "$b")),
                               kind_of(s, loc, self(s, loc))));
    all = both(s, loc, all, tree_call(s, loc, same, 1, tree_name(s, loc, "$b")));
    implied_add(s, c, AST_MOD_PUBLIC | AST_MOD_OVERRIDE, s->boolean, "Equals",
                one_param(s, c, object->type, "$o"), all);
}

/* What a base writes, `virtual bool Equals(B b)`, asks the object. */
static void add_typed_equals(Sema *s, Class *c)
{
    Class *object = class_object(s);
    for (const Class *b = c->base; object && b && class_is_record(b); b = b->base) {
        if (!writes(s, b, "Equals", b->type) || writes(s, c, "Equals", b->type)) continue;
        const Symbol *f = member_own(b->sym, intern_cstr(s->names, "Equals"));
        while (f && !(f->kind == SYM_FUNC && f->type && f->type->nparams == 1 &&
                      f->type->params[0] == b->type))
            f = f->next;
        if (!f || !(f->mods & AST_MOD_VIRTUAL)) continue;
        Loc loc = c->sym->loc;
        Ast *other = tree_cast(s, loc, type_node(s, loc, object->type), tree_name(s, loc, "$b"));
        Ast *equals = tree_call(s, loc, tree_member(s, loc, self(s, loc), "Equals"), 1, other);
        implied_add(s, c, AST_MOD_PUBLIC | AST_MOD_OVERRIDE, s->boolean, "Equals",
                    one_param(s, c, b->type, "$b"), equals);
    }
}

/* == and != of a record: of two nulls, or by Equals. */
static void add_operators(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    uint64_t mods = AST_MOD_PUBLIC | AST_MOD_STATIC;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "operator!=" : "operator==";
        if (implied_has(c, s, name)) continue;
        AstList params = one_param(s, c, c->type, "$a");
        params =
            ast_list_add(s->arena, params, tree_param(s, loc, type_node(s, loc, c->type), "$b"));
        Ast *same = tree_call(s, loc, tree_name(s, loc, "SameValue"), 2, tree_name(s, loc, "$a"),
                              tree_name(s, loc, "$b"));
        Ast *value = same;
        if (k) {
            value = ast_new(s->arena, AST_UNARY, loc);
            value->unary.op = AST_OP_NOT;
            value->unary.operand = same;
        }
        implied_add(s, c, mods, s->boolean, name, params, value);
    }
}

void record_equality(Sema *s, Class *c)
{
    bool class = class_is_record(c), typed = writes(s, c, "Equals", c->type);
    if (class) {
        uint64_t mods = derives(c) ? AST_MOD_OVERRIDE : AST_MOD_VIRTUAL;
        implied_add(s, c, AST_MOD_PUBLIC | mods, s->string, "@Kind", (AstList){0},
                    tree_text(s, c->sym->loc, c->mangled));
    }
    if (!typed)
        implied_add(s, c, AST_MOD_PUBLIC, s->boolean, class ? "@Same" : "Equals",
                    one_param(s, c, c->type, "$b"), same_fields(s, c));
    add_equals(s, c, typed || !class);
    if (class) add_typed_equals(s, c);
    if (c->decl->class_.mods & AST_MOD_RECORD) add_operators(s, c);
    if (!writes(s, c, "GetHashCode", NULL)) add_hash(s, c);
}

/* ---- text, parts ------------------------------------------------------------------------------ */

static const char *simple_name(const Class *c)
{
    const char *name = c->sym->name, *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static bool is_shown(const Symbol *m)
{
    bool value = m->kind == SYM_FIELD || (m->kind == SYM_PROPERTY && m->get && !m->next);
    return value && (m->mods & AST_MOD_PUBLIC) &&
           !(m->mods & (AST_MOD_STATIC | AST_MOD_OVERRIDE)) && m->type && is_printable(m->type) &&
           strcmp(m->name, "this") != 0;
}

/* The members that everybody sees, those of the base first; gives what stands before the next. */
static const char *add_members(Sema *s, Class *c, Ast *text, const char *before)
{
    Loc loc = text->loc;
    if (derives(c)) before = add_members(s, c->base, text, before);
    for (int i = 0; i < c->sym->members->len; i++) {
        const Symbol *m = c->sym->members->data[i];
        if (!is_shown(m)) continue;
        Ast *hole = ast_new(s->arena, AST_HOLE, loc);
        hole->hole.expr = tree_member(s, loc, self(s, loc), m->name);
        Ast *lead = tree_text(s, loc, arena_printf(s->arena, "%s%s = ", before, m->name));
        text->interp.parts = ast_list_add(s->arena, text->interp.parts, lead);
        text->interp.parts = ast_list_add(s->arena, text->interp.parts, hole);
        before = ", ";
    }
    return before;
}

static void add_text(Sema *s, Class *c)
{
    Loc loc = c->sym->loc;
    Ast *text = ast_new(s->arena, AST_INTERP, loc);
    const char *head = arena_printf(s->arena, "%s { ", simple_name(c));
    const char *before = add_members(s, c, text, head);
    Ast *end = tree_text(s, loc, before == head ? arena_printf(s->arena, "%s}", head) : " }");
    text->interp.parts = ast_list_add(s->arena, text->interp.parts, end);
    uint64_t mods = AST_MOD_PUBLIC | (c->type->kind == TY_OBJECT ? AST_MOD_OVERRIDE : 0);
    implied_add(s, c, mods, s->string, "ToString", (AstList){0}, text);
}

/* void Deconstruct(out T a, ..) { a = this.a; .. } */
static void add_parts(Sema *s, Class *c)
{
    const AstList *items = &c->decl->class_.positional;
    Loc loc = c->sym->loc;
    AstList params = {0};
    Ast *body = tree_block(s, loc, 0);
    for (int i = 0; i < items->len; i++) {
        if (items->data[i]->kind != AST_PARAM) return;
        Ast *p = tree_param(s, loc, ast_clone(s->arena, items->data[i]->param.ptype),
                            items->data[i]->param.name);
        p->param.mode = AST_OP_OUT;
        params = ast_list_add(s->arena, params, p);
        Ast *value = tree_member(s, loc, self(s, loc), p->param.name);
        body->block.stmts =
            ast_list_add(s->arena, body->block.stmts,
                         tree_assign(s, loc, tree_name(s, loc, p->param.name), value));
    }
    if (params.len) implied_add(s, c, AST_MOD_PUBLIC, s->voids, "Deconstruct", params, body);
}

/* ---- copies ------------------------------------------------------------------------------------ */

/* C(C $original, CopyOf $mark) : base($original, $mark), if that is a record, { this.f = $original.f; .. } */
void record_copies(Sema *s, Class *c)
{
    Symbol *mark = scope_library(s, SYM_TYPE, "CopyOf");
    if (!mark) return;
    const Type *marked = decl_alias(s, mark);
    Loc loc = c->sym->loc;
    AstList params = one_param(s, c, c->type, "$original"), body = {0};
    params = ast_list_add(s->arena, params, tree_param(s, loc, type_node(s, loc, marked), "$mark"));
    if (derives(c)) {
        Ast *chain = tree_call(s, loc, ast_new(s->arena, AST_BASE, loc), 2,
                               tree_name(s, loc, "$original"), tree_name(s, loc, "$mark"));
        body = ast_list_add(s->arena, body, tree_stmt(s, chain));
    }
    for (int i = 0; i < c->nfields; i++) {
        if (c->fields[i]->cls != c) continue;
        const char *name = class_stored(s, c, c->fields[i]);
        Ast *value = tree_member(s, loc, tree_name(s, loc, "$original"), name);
        body = ast_list_add(s->arena, body,
                            tree_assign(s, loc, tree_member(s, loc, self(s, loc), name), value));
    }
    Symbol *f = implied_constructor(s, c, AST_MOD_PROTECTED, params, body);
    Symbol **last = &c->ctors;
    while (*last) last = &(*last)->next;
    *last = f;
}

/* Is there a constructor C(C other) that is written? */
static bool copies_itself(Sema *s, const Class *c)
{
    const AstList *members = &c->decl->class_.members;
    for (int i = 0; i < members->len; i++) {
        const Ast *m = members->data[i];
        if (m->kind == AST_CTOR && m->ctor.params.len == 1 &&
            m->ctor.params.data[0]->kind == AST_PARAM &&
            decl_type(s, m->ctor.params.data[0]->param.ptype) == c->type)
            return true;
    }
    return false;
}

static void add_clone(Sema *s, Class *c)
{
    const Class *root = c;
    Loc loc = c->sym->loc;
    Symbol *mark = scope_library(s, SYM_TYPE, "CopyOf");
    while (derives(root)) root = root->base;
    bool abstract = c->decl->class_.mods & AST_MOD_ABSTRACT;
    uint64_t mods = AST_MOD_PUBLIC | (derives(c) ? AST_MOD_OVERRIDE : 0);
    if (!mark) return;
    if (!derives(c)) mods |= abstract ? AST_MOD_ABSTRACT : AST_MOD_VIRTUAL;
    if (abstract && derives(c)) return;
    Ast *make = NULL;
    if (!abstract) {
        make = ast_new(s->arena, AST_NEW, loc);
        make->new_.ntype = type_node(s, loc, c->type);
        make->new_.filled = true;
        make->new_.args = ast_list_add(s->arena, make->new_.args, self(s, loc));
        Ast *original = tree_member(s, loc, type_node(s, loc, decl_alias(s, mark)), "Original");
        if (!copies_itself(s, c))
            make->new_.args = ast_list_add(s->arena, make->new_.args, original);
    }
    implied_add(s, c, mods, root->type, "@Clone", (AstList){0}, make);
}

void record_members(Sema *s, Class *c)
{
    if (!writes(s, c, "ToString", NULL)) add_text(s, c);
    if (c->decl->class_.header && !implied_has(c, s, "Deconstruct")) add_parts(s, c);
    if (class_is_record(c)) add_clone(s, c);
}

/* { var $object = (C) p.@Clone(); $object.X = 1; .. return $object; } */
Ast *record_with(Sema *s, Ast *n, const Class *c)
{
    Loc loc = n->loc;
    Ast *copy = ast_new(s->arena, AST_CAST, loc), *type = type_node(s, loc, c->type);
    copy->cast.target = type;
    copy->cast.operand = tree_call(s, loc, tree_member(s, loc, n->with_.operand, "@Clone"), 0);
    Ast *block =
        tree_block(s, loc, 1, tree_local(s, loc, type_node(s, loc, c->type), "$object", copy));
    for (int i = 0; i < n->with_.fields.len; i++) {
        const Ast *item = n->with_.fields.data[i];
        Ast *target =
            tree_member(s, item->loc, tree_name(s, item->loc, "$object"), item->field.name);
        block->block.stmts = ast_list_add(s->arena, block->block.stmts,
                                          tree_assign(s, item->loc, target, item->field.value));
    }
    block->block.stmts =
        ast_list_add(s->arena, block->block.stmts, tree_return(s, tree_name(s, loc, "$object")));
    return local_block(s, "with", block, (AstList){0}, (AstList){0}, c->type);
}
