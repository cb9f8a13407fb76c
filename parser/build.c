/* The actions of the grammar. What the grammar cannot tell apart with one token of lookahead
 * (arguments, parameters, bound variables) is decided here, and every node's depth is bounded here.
 */
#include "build.h"

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

/* ---- after errors: sema runs on what was understood, and is not to find the same mistake again
 * ---- */

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
    if (arg->kind == AST_PARAM || arg->kind == AST_BAD) return arg;
    if (arg->kind == AST_BINDER && arg->binder.vtype && !arg->binder.constraint)
        return build_param(p, arg->loc, AST_OP_BY_VALUE, arg->binder.vtype,
                           arg->binder.names.data[0]->name_ref.name);
    parse_error(p, arg->loc, DIAG_MISPLACED, "a parameter of a function is a type and a name");
    return build_bad(p, arg->loc);
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
    } else if (arg->kind == AST_PARAM) {
        parse_error(p, arg->loc, DIAG_NOT_YET, "declare the variable before the call");
        return arg; /* sema declares it */
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

static AstList as_exprs(Parse *p, AstList args, bool in_call)
{
    for (int i = 0; i < args.len; i++) args.data[i] = as_expr(p, args.data[i], in_call);
    return args;
}

Ast *build_plain(Parse *p, Ast *arg)
{
    return as_expr(p, arg, false);
}

/* ---- declarations ---- */

Ast *build_unit(Parse *p, AstList stmts)
{
    Ast *n = node(p, AST_UNIT, (Loc){p->file, 0, (uint32_t)p->source->len});
    for (int i = 0; i < stmts.len; i++) {
        Ast *s = stmts.data[i];
        if (s->kind == AST_USING_MODULE)
            n->unit.usings = build_add(p, n->unit.usings, s);
        else if (s->kind == AST_FUNC || s->kind == AST_TYPE_ALIAS ||
                 (s->kind == AST_VAR_DECL && s->var_decl.is_const))
            n->unit.decls = build_add(p, n->unit.decls, s);
        else
            n->unit.stmts = build_add(p, n->unit.stmts, s);
    }
    return done(p, n);
}

Ast *build_using(Parse *p, Loc loc, const char *name)
{
    Ast *n = node(p, AST_USING_MODULE, loc);
    n->using_module.name = name;
    return n;
}

Ast *build_alias(Parse *p, Loc loc, const char *name, Ast *target)
{
    Ast *n = node(p, AST_TYPE_ALIAS, loc);
    n->type_alias.name = name;
    n->type_alias.target = target;
    return done(p, n);
}

Ast *build_attributed(Parse *p, Loc loc, AstList attrs, Ast *decl)
{
    if (decl->kind == AST_FUNC)
        decl->func.attrs = attrs;
    else if (decl->kind == AST_DEFINE)
        decl->define.attrs = attrs;
    else
        parse_error(p, loc, DIAG_MISPLACED,
                    "attributes belong to a function or to a definition with parameters");
    return done(p, decl);
}

Ast *build_attr(Parse *p, Loc loc, const char *name, AstList args)
{
    Ast *n = node(p, AST_ATTR, loc);
    n->attr.name = name;
    n->attr.args = as_exprs(p, args, true);
    return done(p, n);
}

Ast *build_var(Parse *p, Loc loc, bool is_const, Ast *vtype, AstList vars)
{
    Ast *n = node(p, AST_VAR_DECL, loc);
    n->var_decl.is_const = is_const;
    n->var_decl.vtype = vtype;
    n->var_decl.vars = vars;
    return done(p, n);
}

Ast *build_declarator(Parse *p, Loc loc, const char *name, Ast *init)
{
    Ast *n = node(p, AST_DECLARATOR, loc);
    n->declarator.name = name;
    n->declarator.init = doubtful(p, init);
    return done(p, n);
}

Ast *build_init_list(Parse *p, Loc loc, AstList items)
{
    Ast *n = node(p, AST_INIT_LIST, loc);
    n->init_list.items = items;
    return done(p, n);
}

Ast *build_define(Parse *p, Loc loc, Ast *vtype, const char *name, AstList args, Ast *value)
{
    Ast *n = node(p, AST_DEFINE, loc);
    n->define.vtype = vtype;
    n->define.name = name;
    n->define.binders = as_binders(p, args);
    if (any_bad(args)) return lost(p, loc, name, false);
    n->define.value = doubtful(p, value);
    return done(p, n);
}

Ast *build_func(Parse *p, Loc loc, Ast *ret, const char *name, AstList args, Ast *body)
{
    Ast *n = node(p, AST_FUNC, loc);
    n->func.ret = ret;
    n->func.name = name;
    for (int i = 0; i < args.len; i++) args.data[i] = as_param(p, args.data[i]);
    if (any_bad(args)) return lost(p, loc, name, true);
    n->func.params = args;
    n->func.body = body;
    return done(p, n);
}

Ast *build_param(Parse *p, Loc loc, AstOp mode, Ast *ptype, const char *name)
{
    Ast *n = node(p, AST_PARAM, loc);
    n->param.mode = mode;
    n->param.ptype = ptype;
    n->param.name = name;
    return done(p, n);
}

/* ---- types ---- */

Ast *build_type_name(Parse *p, Loc loc, const char *name)
{
    if (name[0] == '?') return build_bad(p, loc);
    Ast *n = node(p, AST_TYPE_NAME, loc);
    n->type_name.name = name;
    return n;
}

Ast *build_type_func(Parse *p, Loc loc, Ast *result, AstList params)
{
    Ast *n = node(p, AST_TYPE_FUNC, loc);
    n->type_func.result = result;
    n->type_func.params = params;
    return any_bad(params) ? build_bad(p, loc) : done(p, n);
}

Ast *build_rank(Parse *p, Loc loc, uint64_t rank)
{
    Ast *n = node(p, AST_TYPE_ARRAY, loc);
    n->type_array.rank = rank;
    return n;
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
    if (stmt->kind == AST_FUNC || stmt->kind == AST_TYPE_ALIAS || stmt->kind == AST_USING_MODULE)
        vec_push(&p->inner, stmt);
}

Ast *build_block(Parse *p, Loc loc, AstList stmts)
{
    Ast *n = node(p, AST_BLOCK, loc);
    for (int i = 0; i < stmts.len; i++) check_inner(p, stmts.data[i]);
    n->block.stmts = stmts;
    return done(p, n);
}

Ast *build_embedded(Parse *p, Ast *stmt)
{
    check_inner(p, stmt);
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
    switch (expr->kind) {
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
    Ast *n = node(p, AST_EXPR_STMT, loc);
    n->expr_stmt.expr = expr;
    return done(p, n);
}

AstList build_expr_stmts(Parse *p, AstList exprs)
{
    for (int i = 0; i < exprs.len; i++)
        exprs.data[i] = build_expr_stmt(p, exprs.data[i]->loc, exprs.data[i]);
    return exprs;
}

Ast *build_if(Parse *p, Loc loc, Ast *cond, Ast *then, Ast *other)
{
    Ast *n = node(p, AST_IF, loc);
    n->if_.cond = cond;
    n->if_.then = then;
    n->if_.other = other;
    return done(p, n);
}

Ast *build_while(Parse *p, Loc loc, Ast *cond, Ast *body)
{
    Ast *n = node(p, AST_WHILE, loc);
    n->while_.cond = cond;
    n->while_.body = body;
    return done(p, n);
}

Ast *build_do(Parse *p, Loc loc, Ast *body, Ast *cond)
{
    Ast *n = node(p, AST_DO, loc);
    n->do_.body = body;
    n->do_.cond = cond;
    return done(p, n);
}

Ast *build_for(Parse *p, Loc loc, AstList init, Ast *cond, AstList step, Ast *body)
{
    Ast *n = node(p, AST_FOR, loc);
    n->for_.init = init;
    n->for_.cond = cond;
    n->for_.step = step;
    n->for_.body = body;
    return done(p, n);
}

Ast *build_foreach(Parse *p, Loc loc, Ast *vtype, const char *name, Ast *seq, Ast *body)
{
    Ast *n = node(p, AST_FOREACH, loc);
    n->foreach_.vtype = vtype;
    n->foreach_.name = name;
    n->foreach_.seq = seq;
    n->foreach_.body = body;
    return done(p, n);
}

Ast *build_return(Parse *p, Loc loc, Ast *value)
{
    Ast *n = node(p, AST_RETURN, loc);
    n->return_.value = doubtful(p, value);
    return done(p, n);
}

/* ---- expressions ---- */

Ast *build_name(Parse *p, Loc loc, const char *name)
{
    Ast *n = node(p, AST_NAME_REF, loc);
    n->name_ref.name = name;
    return n;
}

Ast *build_bool(Parse *p, Loc loc, bool value)
{
    Ast *n = node(p, AST_BOOL_LIT, loc);
    n->bool_lit.value = value;
    return n;
}

Ast *build_literal(Parse *p, Loc loc, TokenKind kind, TokenValue value)
{
    Ast *n;
    switch (kind) {
    case TOK_INT:
        n = node(p, AST_INT_LIT, loc);
        n->int_lit.value = value.integer;
        n->int_lit.suffix = value.text;
        return n;
    case TOK_REAL:
        n = node(p, AST_REAL_LIT, loc);
        n->real_lit.value = value.real;
        n->real_lit.suffix = value.text;
        return n;
    case TOK_CHAR:
        n = node(p, AST_CHAR_LIT, loc);
        n->char_lit.value = value.integer;
        return n;
    default: /* STRING, TEXT, FORMAT */
        n = node(p, AST_STRING_LIT, loc);
        n->string_lit.value = (AstBytes){value.text, value.len};
        return n;
    }
}

Ast *build_operator_name(Parse *p, Loc loc, const char *op)
{
    char name[16] = "operator";
    strncat(name, op, sizeof name - strlen(name) - 1);
    return build_name(p, loc, intern_cstr(p->names, name));
}

Ast *build_member(Parse *p, Loc loc, Ast *base, const char *name)
{
    if (name[0] == '?') return build_bad(p, loc);
    Ast *n = node(p, AST_MEMBER, loc);
    n->member.base = base;
    n->member.name = name;
    return done(p, n);
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
    Ast *n = node(p, AST_CALL, loc);
    n->call.callee = callee;
    n->call.args = as_exprs(p, args, true);
    return any_bad(args) ? build_bad(p, loc) : done(p, n);
}

Ast *build_index(Parse *p, Loc loc, Ast *base, AstList args)
{
    Ast *n = node(p, AST_INDEX, loc);
    n->index.base = base;
    n->index.args = args;
    return any_bad(args) ? build_bad(p, loc) : done(p, n);
}

Ast *build_unary(Parse *p, Loc loc, AstOp op, Ast *operand)
{
    Ast *n = node(p, AST_UNARY, loc);
    n->unary.op = op;
    n->unary.operand = operand;
    return done(p, n);
}

Ast *build_binary(Parse *p, Loc loc, AstOp op, Ast *left, Ast *right)
{
    Ast *n = node(p, AST_BINARY, loc);
    n->binary.op = op;
    n->binary.left = left;
    n->binary.right = right;
    return done(p, n);
}

Ast *build_range(Parse *p, Loc loc, Ast *lo, Ast *hi)
{
    Ast *n = node(p, AST_RANGE, loc);
    n->range.lo = lo;
    n->range.hi = hi;
    return done(p, n);
}

Ast *build_incdec(Parse *p, Loc loc, AstOp op, bool postfix, Ast *target)
{
    Ast *n = node(p, AST_INCDEC, loc);
    n->incdec.op = op;
    n->incdec.postfix = postfix;
    n->incdec.target = target;
    return done(p, n);
}

Ast *build_cast(Parse *p, Loc loc, Ast *target, Ast *operand)
{
    Ast *n = node(p, AST_CAST, loc);
    n->cast.target = target;
    n->cast.operand = operand;
    return done(p, n);
}

Ast *build_cond(Parse *p, Loc loc, Ast *cond, Ast *then, Ast *other)
{
    Ast *n = node(p, AST_COND, loc);
    n->cond.cond = cond;
    n->cond.then = then;
    n->cond.other = other;
    return done(p, n);
}

Ast *build_assign(Parse *p, Loc loc, AstOp op, Ast *target, Ast *value)
{
    Ast *n = node(p, AST_ASSIGN, loc);
    n->assign.op = op;
    n->assign.target = target;
    n->assign.value = value;
    return done(p, n);
}

Ast *build_reduce(Parse *p, Loc loc, AstOp op, AstList args, Ast *operand)
{
    Ast *n = node(p, AST_REDUCE, loc);
    n->reduce.op = op;
    if (!operand) operand = build_plain(p, args.data[--args.len]);
    n->reduce.binders = as_binders(p, args);
    n->reduce.operand = operand;
    return any_bad(args) ? build_bad(p, loc) : done(p, n);
}

Ast *build_binder(Parse *p, Loc loc, Ast *vtype, AstList names, Ast *constraint)
{
    Ast *n = node(p, AST_BINDER, loc);
    for (int i = 0; i < names.len; i++) {
        AstKind kind = names.data[i]->kind;
        if (kind != AST_NAME_REF && kind != AST_BAD) want_bound_variable(p, names.data[i]->loc);
        if (kind != AST_NAME_REF) return build_bad(p, loc);
    }
    n->binder.vtype = vtype;
    n->binder.names = names;
    n->binder.constraint = constraint;
    return done(p, n);
}

Ast *build_let(Parse *p, Loc loc, AstKind kind, AstList args, Ast *body)
{
    Ast *n = node(p, kind, loc);
    if (kind == AST_LET && args.len == 0) want_bound_variable(p, loc);
    args = as_binders(p, args);
    if (any_bad(args)) return build_bad(p, loc);
    if (kind == AST_LET) {
        n->let.binders = args;
        n->let.body = body;
    } else {
        n->lambda.binders = args;
        n->lambda.body = body;
    }
    return done(p, n);
}

Ast *build_new(Parse *p, Loc loc, Ast *ntype, AstList args)
{
    Ast *n = node(p, AST_NEW, loc);
    n->new_.ntype = ntype;
    n->new_.args = as_exprs(p, args, true);
    return any_bad(args) ? build_bad(p, loc) : done(p, n);
}

Ast *build_new_array(Parse *p, Loc loc, Ast *base, AstList sizes, uint64_t rank, AstList ranks,
                     Ast *init)
{
    Ast *n = node(p, AST_NEW_ARRAY, loc);
    if (any_bad(sizes)) return build_bad(p, loc);
    n->new_array.elem = build_ranks(p, base->loc, base, ranks);
    n->new_array.sizes = sizes;
    n->new_array.rank = sizes.len ? (uint64_t)sizes.len : rank;
    n->new_array.init = init;
    return done(p, n);
}

Ast *build_interp(Parse *p, Loc loc, AstList parts)
{
    Ast *n = node(p, AST_INTERP, loc);
    n->interp.parts = parts;
    return done(p, n);
}

Ast *build_hole(Parse *p, Loc loc, Ast *expr, Ast *align, Ast *format)
{
    Ast *n = node(p, AST_HOLE, loc);
    n->hole.expr = expr;
    n->hole.align = align;
    if (format) n->hole.format = format->string_lit.value;
    return done(p, n);
}
