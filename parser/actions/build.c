/* The actions of the grammar. What the grammar cannot tell apart with one token of lookahead
 * (arguments, parameters, bound variables) is decided here, and every node's depth is bounded here.
 * Declarations, statements and expressions have files of their own.
 */
#include "build.h"

#include <stddef.h>
#include <string.h>

/* ---- nodes ---- */

Loc build_span(Loc first, Loc last)
{
    return (Loc){first.file, first.begin, last.end};
}

Ast *build_empty_node(Parse *p, AstKind kind, Loc loc)
{
    return ast_new(p->arena, kind, loc);
}

static void max_depth(Ast **child, void *depth)
{
    uint32_t *max = depth;
    if ((*child)->depth > *max) *max = (*child)->depth;
}

Ast *build_done(Parse *p, Ast *n)
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
    Ast *n = build_empty_node(p, kind, loc);
    memcpy((char *)n + offsetof(Ast, unit), fields, size); /* a union: all begin there */
    return build_done(p, n);
}

Ast *build_leaf(Parse *p, AstKind kind, Loc loc)
{
    return build_empty_node(p, kind, loc);
}

Ast *build_bad(Parse *p, Loc loc)
{
    return build_empty_node(p, AST_BAD, loc);
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

bool build_any_bad(AstList list)
{
    for (int i = 0; i < list.len; i++)
        if (list.data[i]->kind == AST_BAD) return true;
    return false;
}

Ast *build_doubtful(Parse *p, Ast *expr)
{
    bool inside =
        p->errors > 0 && expr && p->last_error >= expr->loc.begin && p->last_error <= expr->loc.end;
    return inside ? build_bad(p, expr->loc) : expr;
}

Ast *build_lost(Parse *p, Loc loc, const char *name, bool is_const)
{
    Ast *init = build_bad(p, loc);
    return build_var(p, loc, is_const, build_leaf(p, AST_TYPE_VAR, loc),
                     build_one(p, build_declarator(p, loc, name, init)));
}

Ast *build_bad_stmt(Parse *p, Loc loc)
{
    const char *name = p->lost;
    p->lost = NULL;
    return name ? build_lost(p, loc, name, p->lost_function) : build_bad(p, loc);
}

/* ---- arguments, parameters, bound variables ---- */

void build_want_bound(Parse *p, Loc loc)
{
    parse_error(p, loc, DIAG_MISPLACED, "expected the name of a bound variable");
}

/* A bound variable without a constraint, or what is one already. */
static Ast *as_binder(Parse *p, Ast *arg)
{
    if (arg->kind == AST_BINDER || arg->kind == AST_BAD) return arg;
    if (arg->kind == AST_NAME_REF) return build_binder(p, arg->loc, NULL, build_one(p, arg), NULL);
    build_want_bound(p, arg->loc);
    return build_bad(p, arg->loc);
}

AstList build_binders(Parse *p, AstList args)
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

AstList build_params(Parse *p, AstList args, bool extending)
{
    for (int i = 0; i < args.len; i++) {
        args.data[i] = as_param(p, args.data[i]);
        struct Ast_param *param = args.data[i]->kind == AST_PARAM ? &args.data[i]->param : NULL;
        if (!param || !param->extends || (extending && i == 0)) continue;
        parse_error(p, args.data[i]->loc, DIAG_MISPLACED,
                    "'this' stands before the first parameter of a function: of the type that it "
                    "extends");
        param->extends = false;
    }
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

AstList build_exprs(Parse *p, AstList args, bool in_call)
{
    for (int i = 0; i < args.len; i++) args.data[i] = as_expr(p, args.data[i], in_call);
    return args;
}

Ast *build_plain(Parse *p, Ast *arg)
{
    if (arg->kind == AST_COND_ACCESS) arg->cond_access.closed = true;
    return as_expr(p, arg, false);
}
