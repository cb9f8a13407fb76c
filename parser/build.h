/* The actions of the grammar: each makes one node, and sorts out what the grammar leaves open. */
#ifndef CS_PARSER_BUILD_H
#define CS_PARSER_BUILD_H

#include "parse.h"

Loc build_span(Loc first, Loc last);
Ast *build_leaf(Parse *p, AstKind kind, Loc loc);
Ast *build_bad(Parse *p, Loc loc);
Ast *build_bad_stmt(Parse *p, Loc loc); /* given up; declares p->lost if there is one */
AstList build_one(Parse *p, Ast *item);
AstList build_add(Parse *p, AstList list, Ast *item);
AstList build_join(Parse *p, AstList list, AstList tail);

/* declarations */
Ast *build_unit(Parse *p, AstList stmts);
Ast *build_using(Parse *p, Loc loc, const char *name);
Ast *build_alias(Parse *p, Loc loc, const char *name, Ast *target);
Ast *build_attributed(Parse *p, Loc loc, AstList attrs, Ast *decl);
Ast *build_attr(Parse *p, Loc loc, const char *name, AstList args);
Ast *build_var(Parse *p, Loc loc, bool is_const, Ast *vtype, AstList vars);
Ast *build_declarator(Parse *p, Loc loc, const char *name, Ast *init);
Ast *build_init_list(Parse *p, Loc loc, AstList items);
Ast *build_define(Parse *p, Loc loc, Ast *vtype, const char *name, AstList args, Ast *value);
Ast *build_func(Parse *p, Loc loc, Ast *ret, const char *name, AstList args, Ast *body);
Ast *build_param(Parse *p, Loc loc, AstOp mode, Ast *ptype, const char *name);

/* types */
Ast *build_type_name(Parse *p, Loc loc, const char *name);
Ast *build_type_func(Parse *p, Loc loc, Ast *result, AstList params);
Ast *build_rank(Parse *p, Loc loc, uint64_t rank);
Ast *build_ranks(Parse *p, Loc loc, Ast *elem, AstList ranks); /* T[][,]: an array of T[,] */

/* statements */
Ast *build_block(Parse *p, Loc loc, AstList stmts);
Ast *build_embedded(Parse *p, Ast *stmt);
Ast *build_expr_stmt(Parse *p, Loc loc, Ast *expr);
AstList build_expr_stmts(Parse *p, AstList exprs);
Ast *build_if(Parse *p, Loc loc, Ast *cond, Ast *then, Ast *other);
Ast *build_while(Parse *p, Loc loc, Ast *cond, Ast *body);
Ast *build_do(Parse *p, Loc loc, Ast *body, Ast *cond);
Ast *build_for(Parse *p, Loc loc, AstList init, Ast *cond, AstList step, Ast *body);
Ast *build_foreach(Parse *p, Loc loc, Ast *vtype, const char *name, Ast *seq, Ast *body);
Ast *build_return(Parse *p, Loc loc, Ast *value);

/* expressions */
Ast *build_name(Parse *p, Loc loc, const char *name);
Ast *build_bool(Parse *p, Loc loc, bool value);
Ast *build_literal(Parse *p, Loc loc, TokenKind kind, TokenValue value);
Ast *build_operator_name(Parse *p, Loc loc, const char *op);
Ast *build_plain(Parse *p, Ast *arg); /* what stands in parentheses: an expression */
Ast *build_member(Parse *p, Loc loc, Ast *base, const char *name);
Ast *build_call(Parse *p, Loc loc, Ast *callee, AstList args);
Ast *build_index(Parse *p, Loc loc, Ast *base, AstList args);
Ast *build_unary(Parse *p, Loc loc, AstOp op, Ast *operand);
Ast *build_binary(Parse *p, Loc loc, AstOp op, Ast *left, Ast *right);
Ast *build_range(Parse *p, Loc loc, Ast *lo, Ast *hi);
Ast *build_incdec(Parse *p, Loc loc, AstOp op, bool postfix, Ast *target);
Ast *build_cast(Parse *p, Loc loc, Ast *target, Ast *operand);
Ast *build_cond(Parse *p, Loc loc, Ast *cond, Ast *then, Ast *other);
Ast *build_assign(Parse *p, Loc loc, AstOp op, Ast *target, Ast *value);
/* Without an operand it is the last of args, and the others are binders. */
Ast *build_reduce(Parse *p, Loc loc, AstOp op, AstList args, Ast *operand);
Ast *build_binder(Parse *p, Loc loc, Ast *vtype, AstList names, Ast *constraint);
Ast *build_let(Parse *p, Loc loc, AstKind kind, AstList args, Ast *body); /* LET or LAMBDA */
Ast *build_new(Parse *p, Loc loc, Ast *ntype, AstList args);
Ast *build_new_array(Parse *p, Loc loc, Ast *base, AstList sizes, uint64_t rank, AstList ranks,
                     Ast *init);
Ast *build_interp(Parse *p, Loc loc, AstList parts);
Ast *build_hole(Parse *p, Loc loc, Ast *expr, Ast *align, Ast *format);

#endif
