/* Declarations: variables, functions, classes, types. */
#include "build.h"

#include <string.h>

bool build_is_outer(const Ast *n)
{
    return n->kind == AST_FUNC || n->kind == AST_TYPE_ALIAS || n->kind == AST_CLASS ||
           n->kind == AST_ENUM || n->kind == AST_USING_MODULE;
}

uint64_t build_mods(Parse *p, Loc loc, uint64_t mods, uint64_t mod)
{
    if (mods & mod) parse_error(p, loc, DIAG_MISPLACED, "'%s' is written twice", ast_mod_text(mod));
    return mods | mod;
}

/* The list of attributes of a declaration, or NULL. */
static AstList *attrs_of(Ast *n)
{
    switch (n->kind) {
    case AST_FUNC: return &n->func.attrs;
    case AST_CLASS: return &n->class_.attrs;
    case AST_PROPERTY: return &n->property.attrs;
    case AST_CTOR: return &n->ctor.attrs;
    case AST_ENUM: return &n->enum_.attrs;
    case AST_VAR_DECL: return &n->var_decl.attrs;
    case AST_DEFINE: return &n->define.attrs;
    default: return NULL;
    }
}

static uint64_t *mods_of(Ast *n)
{
    switch (n->kind) {
    case AST_FUNC: return &n->func.mods;
    case AST_CLASS: return &n->class_.mods;
    case AST_PROPERTY: return &n->property.mods;
    case AST_CTOR: return &n->ctor.mods;
    case AST_VAR_DECL: return &n->var_decl.mods;
    case AST_ENUM: return &n->enum_.mods;
    default: return NULL;
    }
}

Ast *build_member_of(Parse *p, Loc loc, AstList attrs, uint64_t mods, Ast *decl)
{
    if (decl->kind == AST_BAD) return decl;
    if (decl->kind == AST_TYPE_ALIAS) mods &= ~(uint64_t)AST_MOD_ACCESS; /* everybody sees it */
    AstList *own = attrs_of(decl);
    uint64_t *set = mods_of(decl);
    if (attrs.len > 0 && !own)
        parse_error(p, attrs.data[0]->loc, DIAG_MISPLACED,
                    "attributes belong to functions, definitions, variables, classes and enums");
    else if (attrs.len > 0)
        *own = attrs;
    if (mods && !set)
        parse_error(p, loc, DIAG_MISPLACED, "'%s' does not belong here", ast_mod_text(mods));
    else if (mods)
        *set |= mods;
    return build_done(p, decl);
}

Ast *build_declared(Parse *p, Loc loc, AstList attrs, uint64_t mods, Ast *decl)
{
    if (decl->kind == AST_FUNC) mods &= ~(uint64_t)AST_MOD_STATIC; /* as all outside classes are */
    uint64_t odd = mods & AST_MOD_REF ? mods & ~(uint64_t)(AST_MOD_REF | AST_MOD_READONLY) : mods;
    if (odd && (decl->kind == AST_FUNC || decl->kind == AST_VAR_DECL)) {
        parse_error(p, loc, DIAG_MISPLACED,
                    "'%s' belongs to a class or to a member of one: leave it out",
                    ast_mod_text(odd));
        mods &= AST_MOD_REF | AST_MOD_READONLY;
    }
    if (attrs.len > 0 && decl->kind == AST_VAR_DECL) {
        parse_error(p, attrs.data[0]->loc, DIAG_MISPLACED,
                    "attributes belong to a function or to a definition with parameters");
        attrs.len = 0;
    }
    return build_member_of(p, loc, attrs, mods, decl);
}

Ast *build_loop(AstList attrs, Ast *loop)
{
    if (ast_is_loop(loop)) *ast_loop_attrs(loop) = attrs; /* else a part that could not be read */
    return loop;
}

Ast *build_attr(Parse *p, Loc loc, const char *name, AstList args)
{
    return BUILD(ATTR, attr, loc, .name = name, .args = build_exprs(p, args, true));
}

Ast *build_var(Parse *p, Loc loc, bool is_const, Ast *vtype, AstList vars)
{
    return BUILD(VAR_DECL, var_decl, loc, .is_const = is_const, .vtype = vtype, .vars = vars);
}

Ast *build_declarator(Parse *p, Loc loc, const char *name, Ast *init)
{
    return BUILD(DECLARATOR, declarator, loc, .name = name, .init = build_doubtful(p, init));
}

Ast *build_head(Parse *p, Loc loc, Ast *ret, const char *name, AstList tparams, AstList args)
{
    return BUILD(FUNC, func, loc, .ret = ret, .name = name, .tparams = tparams, .params = args);
}

Ast *build_delegate(Parse *p, Loc loc, Ast *ret, const char *name, AstList tparams, AstList args)
{
    AstList params = build_params(p, args, false), types = {0};
    if (build_any_bad(params)) return build_bad(p, loc);
    for (int i = 0; i < params.len; i++) {
        const struct Ast_param *param = &params.data[i]->param;
        if (param->mode != AST_OP_BY_VALUE || param->init || param->rest)
            parse_error(p, params.data[i]->loc, DIAG_NOT_SUPPORTED,
                        "parameters of functional types are plain: no ref, out, params or default");
        types = build_add(p, types, param->ptype);
    }
    Ast *target = build_type_func(p, loc, ret, types);
    return BUILD(TYPE_ALIAS, type_alias, loc, .name = name, .tparams = tparams, .target = target);
}

AstList build_attributed(Parse *p, AstList attrs, AstList list)
{
    for (int i = 0; i < list.len; i++) {
        AstList own = {0};
        for (int k = 0; k < attrs.len; k++)
            own = build_add(p, own, i ? ast_clone(p->arena, attrs.data[k]) : attrs.data[k]);
        list.data[i] = build_declared(p, list.data[i]->loc, own, 0, list.data[i]);
    }
    return list;
}

/* `=> e` as the body of what returns nothing: a statement. */
static Ast *as_void(Parse *p, Ast *body)
{
    if (!body || body->kind != AST_RETURN || !body->return_.value) return body;
    return build_expr_stmt(p, body->return_.value->loc, body->return_.value);
}

static bool is_void(const Ast *t)
{
    return t->kind == AST_TYPE_NAME && strcmp(t->type_name.name, "void") == 0;
}

Ast *build_func(Parse *p, Ast *head, Ast *body)
{
    if (head->kind != AST_FUNC) return head;
    if (body && !is_void(head->func.ret) && build_has_range(&head->func.params))
        return build_by_statements(p, head, body);
    head->func.params = build_params(p, head->func.params, true);
    if (build_any_bad(head->func.params)) return build_lost(p, head->loc, head->func.name, true);
    head->func.body = is_void(head->func.ret) ? as_void(p, body) : body;
    return build_done(p, head);
}

/* ---- classes ---- */

Ast *build_header(Parse *p, Loc loc, Ast *class, AstList args)
{
    if (class->kind != AST_CLASS) return class;
    class->loc = loc;
    class->class_.header = true;
    AstList params = build_params(p, args, false);
    if (!build_any_bad(params)) class->class_.positional = params;
    return build_done(p, class);
}

Ast *build_where(Parse *p, Loc loc, const char *name, AstList limits)
{
    Ast *n = BUILD(WHERE, where, loc, .name = name);
    for (int i = 0; i < limits.len; i++) {
        Ast *limit = limits.data[i];
        if (limit->kind == AST_WHERE) {
            n->where.mods |= limit->where.mods;
            n->where.makes |= limit->where.makes;
        } else if (limit->kind == AST_TYPE_NAME && strcmp(limit->type_name.name, "notnull") != 0) {
            n->where.types = build_add(p, n->where.types, limit);
        }
    }
    return build_done(p, n);
}

Ast *build_wheres(Parse *p, Ast *func, AstList wheres)
{
    if (func->kind != AST_FUNC) return func;
    func->func.wheres = wheres;
    return build_done(p, func);
}

/* It is called I.f, which nobody can write: it is found by the interface only. */
Ast *build_of(Parse *p, Ast *member, Ast *of)
{
    if (of->kind != AST_TYPE_NAME || (member->kind != AST_FUNC && member->kind != AST_PROPERTY))
        return member;
    bool func = member->kind == AST_FUNC;
    if (func && member->func.tparams.len) { /* it is found by its name, as any other */
        member->func.mods |= AST_MOD_PUBLIC;
        return build_done(p, member);
    }
    const char **name = func ? &member->func.name : &member->property.name;
    const char *one = of->type_name.name; /* of several I<T> that one of these */
    if (of->type_name.args.len) one = arena_printf(p->arena, "%s<%u>", one, of->loc.begin);
    *name = intern_cstr(p->names, arena_printf(p->arena, "%s.%s", one, *name));
    *(func ? &member->func.of : &member->property.of) = of;
    return build_done(p, member);
}

static const char *type_name(const Ast *n)
{
    return n->kind == AST_CLASS        ? n->class_.name
           : n->kind == AST_TYPE_ALIAS ? n->type_alias.name
           : n->kind == AST_ENUM       ? n->enum_.name
                                       : "";
}

static AstList *tparams_of(Ast *n)
{
    return n->kind == AST_CLASS        ? &n->class_.tparams
           : n->kind == AST_TYPE_ALIAS ? &n->type_alias.tparams
                                       : NULL;
}

/* Has the class `inner` taken it out of itself? */
static bool is_within(const Ast *n, const Ast *inner)
{
    size_t len = strlen(type_name(inner));
    return strncmp(type_name(n), type_name(inner), len) == 0 && type_name(n)[len] == '.';
}

/* A class inside a class stands beside it, by a name that says so (lexer/nested.c); everybody sees it.
 * It has the type parameters of the class around. */
static void take_out(Parse *p, const Ast *outer, Ast *inner)
{
    uint64_t *mods = mods_of(inner);
    if (mods) *mods &= ~(uint64_t)(AST_MOD_PUBLIC | AST_MOD_PRIVATE | AST_MOD_PROTECTED);
    vec_push(&p->nested, inner);
    for (size_t i = 0; i < p->nested.len; i++) {
        Ast *n = p->nested.data[i];
        AstList *params = n == inner || is_within(n, inner) ? tparams_of(n) : NULL;
        if (params)
            *params = build_join(p, build_join(p, (AstList){0}, outer->class_.tparams), *params);
    }
}

/* static C() { .. }   is   static void @Static() { .. }   static bool @Begin() { @Static(); return true; }
 * static bool @ready = @Begin();   which comes after the other static fields */
static AstList build_static_ctor(Parse *p, AstList members, const Ast *ctor)
{
    Loc loc = ctor->loc;
    uint64_t mods = AST_MOD_STATIC | AST_MOD_PRIVATE;
    const char *run = intern_cstr(p->names, AST_STATIC_CTOR),
               *begin = intern_cstr(p->names, "@Begin");
    Ast *nothing = build_type_name(p, loc, intern_cstr(p->names, "void"), (AstList){0});
    Ast *yes = BUILD(BOOL_LIT, bool_lit, loc, .value = true);
    Ast *call = build_call(p, loc, build_name(p, loc, run), (AstList){0});
    AstList body = build_one(p, build_expr_stmt(p, loc, call));
    body = build_add(p, body, build_return(p, loc, yes));
    Ast *boolean = build_type_name(p, loc, intern_cstr(p->names, "bool"), (AstList){0});
    Ast *ready = build_declarator(p, loc, intern_cstr(p->names, AST_STATIC_READY),
                                  build_call(p, loc, build_name(p, loc, begin), (AstList){0}));
    Ast *field = build_var(p, loc, false, boolean, build_one(p, ready));
    field->var_decl.mods = mods;
    members = build_add(
        p, members,
        BUILD(FUNC, func, loc, .mods = mods, .ret = nothing, .name = run, .body = ctor->ctor.body));
    members = build_add(p, members,
                        BUILD(FUNC, func, loc, .mods = mods, .ret = boolean, .name = begin,
                              .body = build_block(p, loc, body)));
    return build_add(p, members, field);
}

/* Interfaces ask for events, and classes override them, as they do with properties. */
static AstList add_events(Parse *p, AstList members, const Ast *fields)
{
    for (int i = 0; i < fields->var_decl.vars.len; i++) {
        const Ast *v = fields->var_decl.vars.data[i];
        Ast *type = i ? ast_clone(p->arena, fields->var_decl.vtype) : fields->var_decl.vtype;
        if (v->kind != AST_DECLARATOR) continue;
        members = build_add(p, members,
                            BUILD(PROPERTY, property, v->loc, .attrs = fields->var_decl.attrs,
                                  .mods = fields->var_decl.mods, .ptype = type,
                                  .name = v->declarator.name, .init = v->declarator.init,
                                  .get = BUILD(ACCESSOR, accessor, v->loc, .body = NULL),
                                  .set = BUILD(ACCESSOR, accessor, v->loc, .body = NULL)));
    }
    return members;
}

static bool has_event_accessors(const Ast *m)
{
    const Ast *get = m->kind == AST_PROPERTY ? m->property.get : NULL,
              *set = m->kind == AST_PROPERTY ? m->property.set : NULL;
    return (get && (get->accessor.mods & AST_MOD_EVENT)) ||
           (set && (set->accessor.mods & AST_MOD_EVENT));
}

/* event T E { add { .. } remove { .. } }: void add_E(T value) { .. } and void remove_E(T value) { .. }, which
 * x.E += h and x.E -= h call (sema/check/assign.c). */
static AstList add_event_accessors(Parse *p, AstList members, const struct Ast_property *e, Loc loc)
{
    const Ast *both[] = {e->get, e->set};
    bool good = (e->mods & AST_MOD_EVENT) && e->get && e->set;
    for (int i = 0; i < 2; i++) good = good && (both[i]->accessor.mods & AST_MOD_EVENT);
    if (!good) {
        parse_error(p, loc, DIAG_MEMBER_FORM,
                    "an event has both add and remove, a property get and set");
        return members;
    }
    for (int i = 0; i < 2; i++) {
        const char *name = arena_printf(p->arena, "%s_%s", i ? "remove" : "add", e->name);
        Ast *param = BUILD(PARAM, param, loc, .mode = AST_OP_BY_VALUE,
                           .ptype = i ? ast_clone(p->arena, e->ptype) : e->ptype,
                           .name = intern_cstr(p->names, "value"));
        Ast *nothing = BUILD(TYPE_NAME, type_name, loc, .name = intern_cstr(p->names, "void"));
        members = build_add(p, members,
                            BUILD(FUNC, func, loc, .mods = e->mods & ~(uint64_t)AST_MOD_EVENT,
                                  .ret = nothing, .name = intern_cstr(p->names, name),
                                  .params = build_add(p, (AstList){0}, param),
                                  .body = both[i]->accessor.body));
    }
    return members;
}

Ast *build_class(Parse *p, Ast *class, AstList bases, AstList wheres, AstList members)
{
    if (class->kind != AST_CLASS) return class;
    AstList own = {0};
    members = build_ref_setters(p, members);
    for (int i = 0; i < members.len; i++) {
        Ast *m = members.data[i];
        if (m->kind == AST_TYPE_ALIAS && !strchr(m->type_alias.name, '.'))
            vec_push(&p->nested, m);
        else if (m->kind == AST_CLASS || m->kind == AST_ENUM || m->kind == AST_TYPE_ALIAS)
            take_out(p, class, m);
        else if (m->kind == AST_CTOR && (m->ctor.mods & AST_MOD_STATIC))
            own = build_static_ctor(p, own, m);
        else if (m->kind == AST_VAR_DECL && (m->var_decl.mods & AST_MOD_EVENT))
            own = add_events(p, own, m);
        else if (has_event_accessors(m))
            own = add_event_accessors(p, own, &m->property, m->loc);
        else if (m->kind == AST_DEFINE)
            parse_error(
                p, m->loc, DIAG_MISPLACED,
                "a class has fields, properties and methods: a parameter of a method is a type and "
                "a name, and '%s' has a range",
                m->define.name);
        else
            own = build_add(p, own, m);
    }
    for (int i = 0; i < bases.len; i++) {
        Ast *call = bases.data[i];
        if (call->kind != AST_CALL) continue;
        bases.data[i] = call->call.callee;
        class->class_.chain =
            build_call(p, call->loc, build_leaf(p, AST_BASE, call->loc), call->call.args);
    }
    class->class_.bases = bases;
    class->class_.wheres = wheres;
    class->class_.members = own;
    return build_done(p, class);
}

/* The parts of a partial class: what the others have joins the first. */
static bool join_part(Parse *p, const AstList *decls, const Ast *part)
{
    if (part->kind != AST_CLASS || !(part->class_.mods & AST_MOD_PARTIAL)) return false;
    for (int i = 0; i < decls->len; i++) {
        Ast *first = decls->data[i];
        if (first->kind != AST_CLASS || first->class_.name != part->class_.name ||
            !(first->class_.mods & AST_MOD_PARTIAL))
            continue;
        struct Ast_class_ *a = &first->class_;
        const struct Ast_class_ *b = &part->class_;
        a->mods |= b->mods;
        a->attrs = build_join(p, a->attrs, b->attrs);
        a->bases = build_join(p, a->bases, b->bases);
        a->members = build_join(p, a->members, b->members);
        if (b->chain) a->chain = b->chain;
        if (b->header) a->positional = b->positional;
        a->header |= b->header;
        build_done(p, first);
        return true;
    }
    return false;
}

Ast *build_unit(Parse *p, AstList stmts)
{
    Ast *n = build_empty_node(p, AST_UNIT, (Loc){p->file, 0, (uint32_t)p->source->len});
    stmts = build_ref_setters(p, stmts);
    for (int i = 0; i < stmts.len; i++) {
        Ast *s = stmts.data[i];
        bool is_decl = build_is_outer(s) || (s->kind == AST_VAR_DECL && s->var_decl.is_const);
        AstList *list = s->kind == AST_USING_MODULE ? &n->unit.usings
                        : is_decl                   ? &n->unit.decls
                                                    : &n->unit.stmts;
        if (!join_part(p, &n->unit.decls, s)) *list = build_add(p, *list, s);
    }
    for (size_t i = 0; i < p->nested.len; i++)
        if (!join_part(p, &n->unit.decls, p->nested.data[i]))
            n->unit.decls = build_add(p, n->unit.decls, p->nested.data[i]);
    return build_done(p, n);
}

Ast *build_accessor(Parse *p, Ast *property, Loc loc, uint64_t mods, const char *name, Ast *body)
{
    bool is_get = strcmp(name, "get") == 0;
    if (property->kind != AST_PROPERTY) return property;
    Ast **slot = is_get ? &property->property.get : &property->property.set;
    bool init = strcmp(name, "init") == 0;
    bool adds = strcmp(name, "add") == 0;
    if (adds || strcmp(name, "remove") == 0) { /* of an event: build_class makes methods of them */
        slot = adds ? &property->property.get : &property->property.set;
        if (!body) parse_error(p, loc, DIAG_MEMBER_FORM, "'%s' of an event needs a body", name);
        *slot = BUILD(ACCESSOR, accessor, loc, .mods = AST_MOD_EVENT,
                      .body = as_void(p, body ? body : build_block(p, loc, (AstList){0})));
        return build_done(p, property);
    }
    if (!is_get && !init && !build_word(p, loc, name, "set")) return property;
    if (init) mods |= AST_MOD_INIT;
    if (*slot) parse_error(p, loc, DIAG_REDECLARED, "the property has a '%s' already", name);
    *slot = BUILD(ACCESSOR, accessor, loc, .mods = mods, .body = is_get ? body : as_void(p, body));
    return build_done(p, property);
}

Ast *build_getter(Parse *p, Loc loc, Ast *body)
{
    Ast *get = BUILD(ACCESSOR, accessor, loc, .body = body);
    return BUILD(PROPERTY, property, loc, .get = get);
}

Ast *build_property(Parse *p, Loc loc, Ast *ptype, const char *name, AstList args, Ast *accessors,
                    Ast *init)
{
    if (accessors->kind != AST_PROPERTY) return accessors;
    AstList params = build_params(p, args, false);
    if (build_any_bad(params)) return build_bad(p, loc);
    return BUILD(PROPERTY, property, loc, .ptype = ptype, .name = intern_cstr(p->names, name),
                 .params = params, .get = accessors->property.get, .set = accessors->property.set,
                 .init = init);
}

Ast *build_ctor(Parse *p, Loc loc, const char *name, AstList args, Ast *chain, Ast *body)
{
    AstList params = build_params(p, args, false);
    if (build_any_bad(params)) return build_bad(p, loc);
    return BUILD(CTOR, ctor, loc, .name = name, .params = params, .chain = chain,
                 .body = as_void(p, body));
}

bool build_word(Parse *p, Loc loc, const char *word, const char *wanted)
{
    if (strcmp(word, wanted) == 0) return true;
    parse_error(p, loc, DIAG_SYNTAX, "expected '%s' instead of '%s'", wanted, word);
    return false;
}

const char *build_operator(Parse *p, const char *op)
{
    char name[16] = "operator";
    strncat(name, op, sizeof name - strlen(name) - 1);
    return intern_cstr(p->names, name);
}

const char *build_conversion(Parse *p, Loc loc, const char *word)
{
    if (strcmp(word, "implicit") != 0) build_word(p, loc, word, "explicit");
    return word;
}

/* ---- types ---- */

Ast *build_type_name(Parse *p, Loc loc, const char *name, AstList args)
{
    if (name[0] == '?' || build_any_bad(args)) return build_bad(p, loc);
    return BUILD(TYPE_NAME, type_name, loc, .name = name, .args = args);
}

Ast *build_type_func(Parse *p, Loc loc, Ast *result, AstList params)
{
    if (build_any_bad(params)) return build_bad(p, loc);
    return BUILD(TYPE_FUNC, type_func, loc, .result = result, .params = params);
}

Ast *build_ranks(Parse *p, Loc loc, Ast *elem, AstList ranks)
{
    for (int i = ranks.len - 1; i >= 0; i--) {
        Ast *n = ranks.data[i];
        n->loc = loc;
        n->type_array.elem = elem;
        elem = build_done(p, n);
    }
    return elem;
}
