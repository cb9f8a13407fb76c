/* The actions of the grammar. What the grammar cannot tell apart with one token of lookahead
 * (arguments, parameters, bound variables) is decided here, and every node's depth is bounded here.
 */
#include "build.h"

#include <stddef.h>
#include <string.h>

/* ---- nodes ---- */

Loc build_span(Loc first, Loc last)
{
    return (Loc){first.file, first.begin, last.end};
}

static Ast *node(Parse *p, AstKind kind, Loc loc)
{
    return ast_new(p->arena, kind, loc);
}

static void max_depth(Ast **child, void *depth)
{
    uint32_t *max = depth;
    if ((*child)->depth > *max) *max = (*child)->depth;
}

/* Every node that has children passes here once they are set. */
static Ast *done(Parse *p, Ast *n)
{
    uint32_t depth = 0;
    ast_each_child(n, max_depth, &depth);
    n->depth = depth + 1;
    if (n->depth <= AST_MAX_DEPTH) return n;
    parse_too_deep(p, (Loc){n->loc.file, n->loc.begin, n->loc.begin});
    return build_bad(p, n->loc);
}

Ast *build_node(Parse *p, AstKind kind, Loc loc, const void *fields, size_t size)
{
    Ast *n = node(p, kind, loc);
    memcpy((char *)n + offsetof(Ast, unit), fields, size); /* a union: all begin there */
    return done(p, n);
}

Ast *build_leaf(Parse *p, AstKind kind, Loc loc)
{
    return node(p, kind, loc);
}

Ast *build_bad(Parse *p, Loc loc)
{
    return node(p, AST_BAD, loc);
}

AstList build_one(Parse *p, Ast *item)
{
    return ast_list_add(p->arena, (AstList){0}, item);
}

AstList build_add(Parse *p, AstList list, Ast *item)
{
    return ast_list_add(p->arena, list, item);
}

AstList build_join(Parse *p, AstList list, AstList tail)
{
    for (int i = 0; i < tail.len; i++) list = ast_list_add(p->arena, list, tail.data[i]);
    return list;
}

/* ---- after errors: sema runs on what was understood, not to find a mistake again -------------- */

static bool any_bad(AstList list)
{
    for (int i = 0; i < list.len; i++)
        if (list.data[i]->kind == AST_BAD) return true;
    return false;
}

/* What a repaired expression means is a guess: nothing more is said about it. */
static Ast *doubtful(Parse *p, Ast *expr)
{
    bool inside =
        p->errors > 0 && expr && p->last_error >= expr->loc.begin && p->last_error <= expr->loc.end;
    return inside ? build_bad(p, expr->loc) : expr;
}

/* Declares a name of which nothing else is known; as a constant where functions must see it. */
static Ast *lost(Parse *p, Loc loc, const char *name, bool is_const)
{
    Ast *init = build_bad(p, loc);
    return build_var(p, loc, is_const, build_leaf(p, AST_TYPE_VAR, loc),
                     build_one(p, build_declarator(p, loc, name, init)));
}

Ast *build_bad_stmt(Parse *p, Loc loc)
{
    const char *name = p->lost;
    p->lost = NULL;
    return name ? lost(p, loc, name, p->lost_function) : build_bad(p, loc);
}

/* ---- arguments, parameters, bound variables ---- */

static void want_bound_variable(Parse *p, Loc loc)
{
    parse_error(p, loc, DIAG_MISPLACED, "expected the name of a bound variable");
}

/* A bound variable without a constraint, or what is one already. */
static Ast *as_binder(Parse *p, Ast *arg)
{
    if (arg->kind == AST_BINDER || arg->kind == AST_BAD) return arg;
    if (arg->kind == AST_NAME_REF) return build_binder(p, arg->loc, NULL, build_one(p, arg), NULL);
    want_bound_variable(p, arg->loc);
    return build_bad(p, arg->loc);
}

static AstList as_binders(Parse *p, AstList args)
{
    for (int i = 0; i < args.len; i++) args.data[i] = as_binder(p, args.data[i]);
    return args;
}

static Ast *as_param(Parse *p, Ast *arg)
{
    const Ast *type = arg->kind == AST_PARAM    ? arg->param.ptype
                      : arg->kind == AST_BINDER ? arg->binder.vtype
                                                : NULL;
    if (type && type->kind == AST_TYPE_VAR) {
        parse_error(p, type->loc, DIAG_MISPLACED, "a parameter needs a type");
        return build_bad(p, arg->loc);
    }
    if (arg->kind == AST_PARAM || arg->kind == AST_BAD) return arg;
    if (arg->kind == AST_BINDER && arg->binder.vtype && !arg->binder.constraint)
        return BUILD(PARAM, param, arg->loc, .mode = AST_OP_BY_VALUE, .ptype = arg->binder.vtype,
                     .name = arg->binder.names.data[0]->name_ref.name);
    parse_error(p, arg->loc, DIAG_MISPLACED, "a parameter of a function is a type and a name");
    return build_bad(p, arg->loc);
}

static AstList as_params(Parse *p, AstList args)
{
    for (int i = 0; i < args.len; i++) args.data[i] = as_param(p, args.data[i]);
    return args;
}

/* Whether the parenthesis that ends here is followed by `=>`, which cannot be read: the mistake is
 * there. */
static bool before_arrow(const Parse *p)
{
    return p->next + 1 < p->tokens.list.len && p->tokens.list.data[p->next].kind == TOK_RPAREN &&
           p->tokens.list.data[p->next + 1].kind == TOK_ARROW;
}

/* What may be passed: in a call also binders, placeholders, ref and out. */
static Ast *as_expr(Parse *p, Ast *arg, bool in_call)
{
    bool by_reference =
        arg->kind == AST_UNARY && (arg->unary.op == AST_OP_REF || arg->unary.op == AST_OP_OUT);
    if (arg->kind == AST_BINDER && (arg->binder.vtype || !in_call)) {
        Loc name = arg->binder.names.data[0]->loc;
        if (before_arrow(p)) return build_bad(p, arg->loc);
        if (!arg->binder.vtype)
            parse_error(p, arg->loc, DIAG_MISPLACED,
                        "a bound variable belongs to a reduction, let or parameter list");
        else if (arg->binder.vtype->kind == AST_TYPE_NAME && !arg->binder.constraint)
            parse_error(p, name, DIAG_SYNTAX, "expected ',' or ')' before '%s'",
                        arg->binder.names.data[0]->name_ref.name);
        else
            parse_error(p, arg->loc, DIAG_MISPLACED,
                        "a parameter belongs to a lambda or a function");
    } else if (arg->kind == AST_PARAM && in_call && arg->param.mode == AST_OP_OUT) {
        Ast *var = BUILD(DECL_EXPR, decl_expr, arg->loc, .vtype = arg->param.ptype,
                         .name = arg->param.name);
        return build_unary(p, arg->loc, AST_OP_OUT, var);
    } else if (arg->kind == AST_PARAM) {
        parse_error(p, arg->loc, DIAG_MISPLACED,
                    in_call ? "a variable passed by ref is declared before the call"
                            : "a parameter belongs to a lambda or a function");
    } else if (arg->kind == AST_PLACEHOLDER && !in_call) {
        parse_error(p, arg->loc, DIAG_MISPLACED, "'_' stands for an argument of a call");
    } else if (by_reference && !in_call) {
        parse_error(p, arg->loc, DIAG_MISPLACED, "'%s' belongs to an argument of a call",
                    ast_op_text(arg->unary.op));
    } else {
        return arg;
    }
    return build_bad(p, arg->loc);
}

Ast *build_out(Parse *p, Loc loc, AstOp mode, Ast *type, const char *name)
{
    return as_expr(p, BUILD(PARAM, param, loc, .mode = mode, .ptype = type, .name = name), true);
}

static AstList as_exprs(Parse *p, AstList args, bool in_call)
{
    for (int i = 0; i < args.len; i++) args.data[i] = as_expr(p, args.data[i], in_call);
    return args;
}

Ast *build_plain(Parse *p, Ast *arg)
{
    if (arg->kind == AST_COND_ACCESS) arg->cond_access.closed = true;
    return as_expr(p, arg, false);
}

/* ---- declarations ---- */

/* What is declared at the top level only. */
static bool is_outer(const Ast *n)
{
    return n->kind == AST_FUNC || n->kind == AST_TYPE_ALIAS || n->kind == AST_CLASS ||
           n->kind == AST_ENUM || n->kind == AST_USING_MODULE;
}

Ast *build_unit(Parse *p, AstList stmts)
{
    Ast *n = node(p, AST_UNIT, (Loc){p->file, 0, (uint32_t)p->source->len});
    for (int i = 0; i < stmts.len; i++) {
        Ast *s = stmts.data[i];
        bool is_decl = is_outer(s) || (s->kind == AST_VAR_DECL && s->var_decl.is_const);
        AstList *list = s->kind == AST_USING_MODULE ? &n->unit.usings
                        : is_decl                   ? &n->unit.decls
                                                    : &n->unit.stmts;
        *list = build_add(p, *list, s);
    }
    return done(p, n);
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
    AstList *own = attrs_of(decl);
    uint64_t *set = mods_of(decl);
    if (attrs.len > 0 && !own)
        parse_error(p, attrs.data[0]->loc, DIAG_MISPLACED,
                    "attributes belong to functions, definitions, variables and classes");
    else if (attrs.len > 0)
        *own = attrs;
    if (mods && !set)
        parse_error(p, loc, DIAG_MISPLACED, "'%s' does not belong here", ast_mod_text(mods));
    else if (mods)
        *set |= mods;
    return done(p, decl);
}

Ast *build_declared(Parse *p, Loc loc, AstList attrs, uint64_t mods, Ast *decl)
{
    if (mods && (decl->kind == AST_FUNC || decl->kind == AST_VAR_DECL)) {
        parse_error(p, loc, DIAG_MISPLACED, "'%s' belongs to a class or to a member of one",
                    ast_mod_text(mods));
        mods = 0;
    }
    if (attrs.len > 0 && decl->kind == AST_VAR_DECL) {
        parse_error(p, attrs.data[0]->loc, DIAG_MISPLACED,
                    "attributes belong to a function or to a definition with parameters");
        attrs.len = 0;
    }
    return build_member_of(p, loc, attrs, mods, decl);
}

Ast *build_attr(Parse *p, Loc loc, const char *name, AstList args)
{
    return BUILD(ATTR, attr, loc, .name = name, .args = as_exprs(p, args, true));
}

Ast *build_var(Parse *p, Loc loc, bool is_const, Ast *vtype, AstList vars)
{
    return BUILD(VAR_DECL, var_decl, loc, .is_const = is_const, .vtype = vtype, .vars = vars);
}

Ast *build_declarator(Parse *p, Loc loc, const char *name, Ast *init)
{
    return BUILD(DECLARATOR, declarator, loc, .name = name, .init = doubtful(p, init));
}

Ast *build_head(Parse *p, Loc loc, Ast *ret, const char *name, AstList tparams, AstList args)
{
    return BUILD(FUNC, func, loc, .ret = ret, .name = name, .tparams = tparams, .params = args);
}

Ast *build_define(Parse *p, Loc loc, Ast *head, Ast *value)
{
    if (head->kind != AST_FUNC) return head;
    AstList binders = as_binders(p, head->func.params);
    if (any_bad(binders)) return lost(p, loc, head->func.name, false);
    return BUILD(DEFINE, define, loc, .vtype = head->func.ret, .name = head->func.name,
                 .binders = binders, .value = doubtful(p, value));
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
    head->func.params = as_params(p, head->func.params);
    if (any_bad(head->func.params)) return lost(p, head->loc, head->func.name, true);
    head->func.body = is_void(head->func.ret) ? as_void(p, body) : body;
    return done(p, head);
}

/* ---- classes ---- */

Ast *build_header(Parse *p, Loc loc, Ast *class, AstList args)
{
    if (class->kind != AST_CLASS) return class;
    class->loc = loc;
    class->class_.header = true;
    AstList params = as_params(p, args);
    if (!any_bad(params)) class->class_.positional = params;
    return done(p, class);
}

Ast *build_class(Parse *p, Ast *class, AstList bases, AstList members)
{
    if (class->kind != AST_CLASS) return class;
    class->class_.bases = bases;
    class->class_.members = members;
    return done(p, class);
}

Ast *build_accessor(Parse *p, Ast *property, Loc loc, uint64_t mods, const char *name, Ast *body)
{
    bool is_get = strcmp(name, "get") == 0;
    if (property->kind != AST_PROPERTY) return property;
    Ast **slot = is_get ? &property->property.get : &property->property.set;
    if (!is_get && !build_word(p, loc, name, "set")) return property;
    if (*slot) parse_error(p, loc, DIAG_REDECLARED, "the property has a '%s' already", name);
    *slot = BUILD(ACCESSOR, accessor, loc, .mods = mods, .body = is_get ? body : as_void(p, body));
    return done(p, property);
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
    AstList params = as_params(p, args);
    if (any_bad(params)) return build_bad(p, loc);
    return BUILD(PROPERTY, property, loc, .ptype = ptype, .name = intern_cstr(p->names, name),
                 .params = params, .get = accessors->property.get, .set = accessors->property.set,
                 .init = init);
}

Ast *build_ctor(Parse *p, Loc loc, const char *name, AstList args, Ast *chain, Ast *body)
{
    AstList params = as_params(p, args);
    if (any_bad(params)) return build_bad(p, loc);
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
    if (name[0] == '?' || any_bad(args)) return build_bad(p, loc);
    return BUILD(TYPE_NAME, type_name, loc, .name = name, .args = args);
}

Ast *build_type_func(Parse *p, Loc loc, Ast *result, AstList params)
{
    if (any_bad(params)) return build_bad(p, loc);
    return BUILD(TYPE_FUNC, type_func, loc, .result = result, .params = params);
}

Ast *build_ranks(Parse *p, Loc loc, Ast *elem, AstList ranks)
{
    for (int i = ranks.len - 1; i >= 0; i--) {
        Ast *n = ranks.data[i];
        n->loc = loc;
        n->type_array.elem = elem;
        elem = done(p, n);
    }
    return elem;
}

/* ---- statements ---- */

/* Functions, types and modules are declared outside of blocks. Told at the end: if a brace is
 * missing, that is the mistake. */
static void check_inner(Parse *p, Ast *stmt)
{
    if (is_outer(stmt) && stmt->kind != AST_FUNC) vec_push(&p->inner, stmt);
}

Ast *build_block(Parse *p, Loc loc, AstList stmts)
{
    for (int i = 0; i < stmts.len; i++) check_inner(p, stmts.data[i]);
    return BUILD(BLOCK, block, loc, .stmts = stmts);
}

Ast *build_embedded(Parse *p, Ast *stmt)
{
    if (is_outer(stmt)) vec_push(&p->inner, stmt);
    return stmt;
}

/* Whether an error was told on the same line before: what follows may be the rest of anything. */
static bool is_rest(const Parse *p, Loc loc)
{
    return p->errors > 0 && p->last_error <= loc.begin &&
           !memchr(p->source->text + p->last_error, '\n', loc.begin - p->last_error);
}

Ast *build_expr_stmt(Parse *p, Loc loc, Ast *expr)
{
    expr = doubtful(p, expr);
    const Ast *does = expr;
    while (does->kind == AST_COND_ACCESS) does = does->cond_access.rest;
    switch (does->kind) {
    case AST_CALL:
    case AST_ASSIGN:
    case AST_INCDEC:
    case AST_NEW:
    case AST_BAD: break;
    default:
        if (!is_rest(p, loc) &&
            parse_error(p, loc, DIAG_NOT_A_STATEMENT, "the value of this expression is not used") &&
            expr->kind == AST_BINARY && expr->binary.op == AST_OP_EQ)
            diag_note(p->diags, (Loc){0}, "an assignment is written with one '='");
    }
    return BUILD(EXPR_STMT, expr_stmt, loc, .expr = expr);
}

AstList build_expr_stmts(Parse *p, AstList exprs)
{
    for (int i = 0; i < exprs.len; i++)
        exprs.data[i] = build_expr_stmt(p, exprs.data[i]->loc, exprs.data[i]);
    return exprs;
}

Ast *build_return(Parse *p, Loc loc, Ast *value)
{
    return BUILD(RETURN, return_, loc, .value = doubtful(p, value));
}

Ast *build_case(Parse *p, Loc loc, AstList labels, AstList stmts)
{
    for (int i = 0; i < stmts.len; i++) check_inner(p, stmts.data[i]);
    return BUILD(CASE, case_, loc, .labels = labels, .stmts = stmts);
}

Ast *build_variables(Parse *p, Ast *n)
{
    if (n->kind == AST_NAME_REF)
        return build_binder(p, n->loc, build_leaf(p, AST_TYPE_VAR, n->loc), build_one(p, n), NULL);
    if (n->kind != AST_TUPLE) {
        if (n->kind != AST_PLACEHOLDER && n->kind != AST_BAD)
            parse_error(p, n->loc, DIAG_SYNTAX, "expected the name of a new variable");
        return n->kind == AST_PLACEHOLDER ? n : build_bad(p, n->loc);
    }
    for (int i = 0; i < n->tuple.items.len; i++)
        n->tuple.items.data[i] = build_variables(p, n->tuple.items.data[i]);
    return done(p, n);
}

Ast *build_deconstruct(Parse *p, Loc loc, Ast *tuple, Ast *value)
{
    return build_expr_stmt(
        p, loc, BUILD(ASSIGN, assign, loc, .op = AST_OP_NONE, .target = tuple, .value = value));
}

/* foreach (var (a, b) in e) body  =>  foreach (var $e in e) { var (a, b) = $e; body } */
Ast *build_foreach(Parse *p, Loc loc, Ast *tuple, Ast *seq, Ast *body)
{
    const char *name = intern_cstr(p->names, arena_printf(p->arena, "$element%d", ++p->unnamed));
    Ast *take = build_deconstruct(p, tuple->loc, tuple, build_name(p, tuple->loc, name));
    Ast *block = build_block(p, body->loc, build_add(p, build_one(p, take), body));
    return BUILD(FOREACH, foreach_, loc, .vtype = build_leaf(p, AST_TYPE_VAR, tuple->loc),
                 .name = name, .seq = seq, .body = block);
}

Ast *build_try(Parse *p, Loc loc, Ast *body, AstList catches, Ast *finally)
{
    if (catches.len == 0 && !finally) {
        parse_error(p, (Loc){loc.file, loc.end, loc.end}, DIAG_SYNTAX,
                    "expected 'catch' or 'finally' after the block of a try");
        return body;
    }
    return BUILD(TRY, try_, loc, .body = body, .catches = catches, .finally_ = finally);
}

/* ---- expressions ---- */

Ast *build_name(Parse *p, Loc loc, const char *name)
{
    return BUILD(NAME_REF, name_ref, loc, .name = name);
}

Ast *build_literal(Parse *p, Loc loc, TokenKind kind, TokenValue value)
{
    switch (kind) {
    case TOK_INT: return BUILD(INT_LIT, int_lit, loc, .value = value.integer, .suffix = value.text);
    case TOK_REAL: return BUILD(REAL_LIT, real_lit, loc, .value = value.real, .suffix = value.text);
    case TOK_CHAR: return BUILD(CHAR_LIT, char_lit, loc, .value = value.integer);
    default: /* STRING, TEXT, FORMAT */
        return BUILD(STRING_LIT, string_lit, loc, .value = {value.text, value.len});
    }
}

/* What is written behind `a?.b` goes on with b. */
static bool goes_on(const Ast *base)
{
    return base->kind == AST_COND_ACCESS && !base->cond_access.closed;
}

static Ast *with_rest(Parse *p, Loc loc, Ast *access, Ast *rest)
{
    access->cond_access.rest = rest;
    access->loc = loc;
    return done(p, access);
}

Ast *build_cond_access(Parse *p, Loc loc, Ast *base, const char *name, AstList index)
{
    if (goes_on(base))
        return with_rest(p, loc, base,
                         build_cond_access(p, loc, base->cond_access.rest, name, index));
    const char *it = intern_cstr(p->names, arena_printf(p->arena, "$it%d", ++p->unnamed));
    Ast *use = build_name(p, base->loc, it);
    Ast *rest = name ? build_member(p, loc, use, name) : build_index(p, loc, use, index);
    return BUILD(COND_ACCESS, cond_access, loc, .base = base, .it = it, .rest = rest);
}

Ast *build_key(Parse *p, Loc loc, AstList index, Ast *value)
{
    if (any_bad(index)) return build_bad(p, loc);
    Ast *object = build_name(p, loc, intern_cstr(p->names, "$object"));
    Ast *target = BUILD(INDEX, index, loc, .base = object, .args = index);
    return BUILD(ASSIGN, assign, loc, .target = target, .value = value);
}

Ast *build_member(Parse *p, Loc loc, Ast *base, const char *name)
{
    if (name[0] == '?') return build_bad(p, loc);
    if (goes_on(base))
        return with_rest(p, loc, base, build_member(p, loc, base->cond_access.rest, name));
    return BUILD(MEMBER, member, loc, .base = base, .name = name);
}

/* `f(float x) {` read as a call: what comes after the parenthesis tells. */
static bool is_function_without_type(Parse *p, const Ast *callee, AstList args)
{
    bool typed = false;
    for (int i = 0; i < args.len; i++)
        typed = typed || args.data[i]->kind == AST_PARAM ||
                (args.data[i]->kind == AST_BINDER && args.data[i]->binder.vtype);
    size_t after = p->next + 1;
    if (!typed || callee->kind != AST_NAME_REF || after >= p->tokens.list.len) return false;
    Token *t = &p->tokens.list.data[after];
    if (t->kind != TOK_LBRACE && t->kind != TOK_ARROW) return false;
    parse_error(p, callee->loc, DIAG_SYNTAX, "expected the type of the function before '%s'",
                callee->name_ref.name);
    t->flags |= TOKEN_QUIET;
    return true;
}

Ast *build_call(Parse *p, Loc loc, Ast *callee, AstList args)
{
    if (is_function_without_type(p, callee, args)) return build_bad(p, loc);
    if (goes_on(callee))
        return with_rest(p, loc, callee, build_call(p, loc, callee->cond_access.rest, args));
    args = as_exprs(p, args, true);
    if (any_bad(args)) return build_bad(p, loc);
    return BUILD(CALL, call, loc, .callee = callee, .args = args);
}

Ast *build_type_args(Parse *p, Ast *call, AstList targs)
{
    Ast *n = call;
    while (n->kind == AST_COND_ACCESS) n = n->cond_access.rest;
    if (n->kind == AST_CALL) n->call.targs = targs;
    return n->kind == AST_CALL ? done(p, call) : call;
}

Ast *build_index(Parse *p, Loc loc, Ast *base, AstList args)
{
    if (any_bad(args)) return build_bad(p, loc);
    if (goes_on(base))
        return with_rest(p, loc, base, build_index(p, loc, base->cond_access.rest, args));
    return BUILD(INDEX, index, loc, .base = base, .args = args);
}

Ast *build_unary(Parse *p, Loc loc, AstOp op, Ast *operand)
{
    return BUILD(UNARY, unary, loc, .op = op, .operand = operand);
}

Ast *build_binary(Parse *p, Loc loc, AstOp op, Ast *left, Ast *right)
{
    return BUILD(BINARY, binary, loc, .op = op, .left = left, .right = right);
}

Ast *build_incdec(Parse *p, Loc loc, AstOp op, bool postfix, Ast *target)
{
    return BUILD(INCDEC, incdec, loc, .op = op, .postfix = postfix, .target = target);
}

Ast *build_is(Parse *p, Loc loc, Ast *operand, const char *word, Ast *target, const char *name)
{
    Ast *is = BUILD(IS, is_, loc, .operand = operand, .target = target, .name = name);
    if (!word) return is;
    return build_word(p, loc, word, "not") ? build_unary(p, loc, AST_OP_NOT, is)
                                           : build_bad(p, loc);
}

Ast *build_reduce(Parse *p, Loc loc, AstOp op, Ast *operand)
{
    AstList args = {0};
    if (operand->kind == AST_TUPLE) {
        args = operand->tuple.items;
        operand = build_plain(p, args.data[--args.len]);
    }
    AstList binders = as_binders(p, args);
    if (any_bad(binders)) return build_bad(p, loc);
    return BUILD(REDUCE, reduce, loc, .op = op, .binders = binders, .operand = operand);
}

Ast *build_binder(Parse *p, Loc loc, Ast *vtype, AstList names, Ast *constraint)
{
    for (int i = 0; i < names.len; i++) {
        AstKind kind = names.data[i]->kind;
        if (kind != AST_NAME_REF && kind != AST_BAD) want_bound_variable(p, names.data[i]->loc);
        if (kind != AST_NAME_REF) return build_bad(p, loc);
    }
    return BUILD(BINDER, binder, loc, .vtype = vtype, .names = names, .constraint = constraint);
}

Ast *build_constraint(Parse *p, Loc loc, Ast *names, Ast *constraint)
{
    bool several = names->kind == AST_TUPLE;
    return build_binder(p, loc, NULL, several ? names->tuple.items : build_one(p, names),
                        constraint);
}

/* `and` binds tighter than `or`. */
Ast *build_pattern(Parse *p, Loc loc, Ast *left, Loc word_loc, const char *word, Ast *right)
{
    bool and = strcmp(word, "and") == 0;
    if (!and&&!build_word(p, word_loc, word, "or")) return build_bad(p, loc);
    if (and&&left->kind == AST_PATTERN && left->pattern.op == AST_OP_LOR) {
        right = build_pattern(p, build_span(left->pattern.right->loc, loc), left->pattern.right,
                              word_loc, word, right);
        left = left->pattern.left;
        and = false;
    }
    return BUILD(PATTERN, pattern, loc, .op = and? AST_OP_LAND : AST_OP_LOR, .left = left,
                 .right = right);
}

Ast *build_rest(Parse *p, Loc loc, const char *word, Ast *type, const char *name)
{
    Loc begin = {loc.file, loc.begin, loc.begin + (uint32_t)strlen(word)};
    if (!build_word(p, begin, word, "params")) return build_bad(p, loc);
    return BUILD(PARAM, param, loc, .mode = AST_OP_BY_VALUE, .ptype = type, .name = name,
                 .rest = true);
}

Ast *build_tuple(Parse *p, Loc loc, AstList items)
{
    for (int i = 0; i < items.len; i++)
        if (items.data[i]->kind == AST_PARAM) items.data[i] = build_plain(p, items.data[i]);
    return BUILD(TUPLE, tuple, loc, .items = items);
}

Ast *build_let(Parse *p, Loc loc, AstKind kind, AstList args, Ast *body)
{
    if (kind == AST_LET && args.len == 0) want_bound_variable(p, loc);
    args = as_binders(p, args);
    if (any_bad(args)) return build_bad(p, loc);
    return kind == AST_LET ? BUILD(LET, let, loc, .binders = args, .body = body)
                           : BUILD(LAMBDA, lambda, loc, .binders = args, .body = body);
}

Ast *build_new(Parse *p, Loc loc, Ast *ntype, AstList args, Ast *init)
{
    args = as_exprs(p, args, true);
    if (any_bad(args)) return build_bad(p, loc);
    return BUILD(NEW, new_, loc, .ntype = ntype, .args = args, .init = init);
}

Ast *build_new_array(Parse *p, Loc loc, Ast *base, AstList sizes, uint64_t rank, AstList ranks,
                     Ast *init)
{
    if (any_bad(sizes)) return build_bad(p, loc);
    return BUILD(NEW_ARRAY, new_array, loc, .elem = build_ranks(p, base->loc, base, ranks),
                 .sizes = sizes, .rank = sizes.len ? (uint64_t)sizes.len : rank, .init = init);
}

Ast *build_hole(Parse *p, Loc loc, Ast *expr, Ast *align, Ast *format)
{
    return BUILD(HOLE, hole, loc, .expr = expr, .align = align,
                 .format = format ? format->string_lit.value : (AstBytes){0});
}
