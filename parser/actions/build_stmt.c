/* Statements. */
#include "build.h"

#include <string.h>

/* Functions, types and modules are declared outside of blocks. Told at the end: if a brace is
 * missing, that is the mistake. */
static void check_inner(Parse *p, Ast *stmt)
{
    if (build_is_outer(stmt) && stmt->kind != AST_FUNC) vec_push(&p->inner, stmt);
}

Ast *build_block(Parse *p, Loc loc, AstList stmts)
{
    for (int i = 0; i < stmts.len; i++) check_inner(p, stmts.data[i]);
    stmts = build_ref_setters(p, stmts);
    return BUILD(BLOCK, block, loc, .stmts = stmts);
}

Ast *build_embedded(Parse *p, Ast *stmt)
{
    if (build_is_outer(stmt)) vec_push(&p->inner, stmt);
    return stmt;
}

/* Whether an error was told on the same line before: what follows may be the rest of anything. */
static bool is_rest(const Parse *p, Loc loc)
{
    return p->errors > 0 && p->last_error <= loc.begin &&
           !memchr(p->source->text + p->last_error, '\n', loc.begin - p->last_error);
}

/* Of an entry of a session the value of the last statement. */
static bool is_shown(const Parse *p, Loc loc)
{
    const Token *t = p->tokens.list.data;
    size_t n = p->tokens.list.len;
    return p->tokens.shows && n >= 3 && t[n - 2].kind == TOK_SEMI && t[n - 3].end <= loc.end;
}

Ast *build_expr_stmt(Parse *p, Loc loc, Ast *expr)
{
    expr = build_doubtful(p, expr);
    if (expr->kind == AST_THROW) return expr;
    const Ast *does = expr;
    while (does->kind == AST_COND_ACCESS) does = does->cond_access.rest;
    switch (does->kind) {
    case AST_CALL:
    case AST_ASSIGN:
    case AST_INCDEC:
    case AST_NEW:
    case AST_BAD: break;
    default:
        if (!is_rest(p, loc) && !is_shown(p, loc) &&
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
    value = build_doubtful(p, value);
    if (value && value->kind == AST_THROW) return value;
    return BUILD(RETURN, return_, loc, .value = value);
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
    return build_done(p, n);
}

Ast *build_deconstruct(Parse *p, Loc loc, Ast *tuple, Ast *value)
{
    return build_expr_stmt(
        p, loc, BUILD(ASSIGN, assign, loc, .op = AST_OP_NONE, .target = tuple, .value = value));
}

/* _ = e;  =>  { var $_ = e; } */
Ast *build_discard(Parse *p, Loc loc, Ast *value)
{
    AstList var = build_one(p, build_declarator(p, loc, build_unnamed(p), value));
    return build_block(
        p, loc, build_one(p, build_var(p, loc, false, build_leaf(p, AST_TYPE_VAR, loc), var)));
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
