/* The actions of the grammar: BUILD makes a node of its fields; the functions sort out what the
 * grammar leaves open. */
#ifndef CS_PARSER_BUILD_H
#define CS_PARSER_BUILD_H

#include "../parse.h"

/* `BUILD(IF, if_, loc, .cond = c, .then = t)`; p is the Parse. A node too deep becomes BAD. */
#define BUILD(KIND, name, loc, ...)                                                                \
    build_node(p, AST_##KIND, (loc), &(struct Ast_##name){__VA_ARGS__}, sizeof(struct Ast_##name))
Ast *build_node(Parse *p, AstKind kind, Loc loc, const void *fields, size_t size);

Loc build_span(Loc first, Loc last);
Ast *build_leaf(Parse *p, AstKind kind, Loc loc);
Ast *build_bad(Parse *p, Loc loc);
Ast *build_bad_stmt(Parse *p, Loc loc); /* given up; declares p->lost if there is one */
AstList build_one(Parse *p, Ast *item);
AstList build_add(Parse *p, AstList list, Ast *item);
AstList build_join(Parse *p, AstList list, AstList tail);
/* A NAME that is a keyword at its place; false after an error. */
bool build_word(Parse *p, Loc loc, const char *word, const char *wanted);

/* declarations */
Ast *build_unit(Parse *p, AstList stmts);
uint64_t build_mods(Parse *p, Loc loc, uint64_t mods, uint64_t mod);
/* With the attributes before it. */
Ast *build_loop(AstList attrs, Ast *loop);
/* With what stands before it; loc is that of the modifiers. */
Ast *build_declared(Parse *p, Loc loc, AstList attrs, uint64_t mods, Ast *decl);
Ast *build_member_of(Parse *p, Loc loc, AstList attrs, uint64_t mods, Ast *decl);
Ast *build_attr(Parse *p, Loc loc, const char *name, AstList args);
Ast *build_var(Parse *p, Loc loc, bool is_const, Ast *vtype, AstList vars);
Ast *build_declarator(Parse *p, Loc loc, const char *name, Ast *init);
/* `T NAME(..)`: a FUNC whose params are the arguments as read, until it is known what follows. */
Ast *build_head(Parse *p, Loc loc, Ast *ret, const char *name, AstList tparams, AstList args);
/* delegate R NAME<tparams>(args); a name of a functional type */
Ast *build_delegate(Parse *p, Loc loc, Ast *ret, const char *name, AstList tparams, AstList args);
Ast *build_define(Parse *p, Loc loc, Ast *head, Ast *value);
bool build_has_range(const AstList *args); /* is one `i : range`? Then a head is no function's */
/* T name(i : a..b, ..) { statements }: what they return for each index, as = ((int i, ..) => { .. })(i, ..); or => e. */
Ast *build_by_statements(Parse *p, Ast *head, Ast *body);
/* `T a(i) = e, NAME(args) = value`: the list with one more definition, of the first one's type. */
AstList build_beside(Parse *p, AstList list, Loc loc, const char *name, AstList args, Ast *value);
/* The same of a plain variable. */
AstList build_variable_beside(Parse *p, AstList list, Ast *declarator);
AstList build_attributed(Parse *p, AstList attrs, AstList list); /* attrs belong to each */
Ast *build_func(Parse *p, Ast *head, Ast *body);

/* classes */
Ast *build_header(Parse *p, Loc loc, Ast *class, AstList args);
Ast *build_class(Parse *p, Ast *class, AstList bases, AstList wheres, AstList members);
/* where NAME : limits; each a type, or a WHERE of its own. */
Ast *build_where(Parse *p, Loc loc, const char *name, AstList limits);
Ast *build_wheres(Parse *p, Ast *func, AstList wheres);
Ast *build_of(Parse *p, Ast *member, Ast *of); /* the interface of `void I.f()` */
/* Accessors are gathered in a PROPERTY without type and name. */
Ast *build_accessor(Parse *p, Ast *property, Loc loc, uint64_t mods, const char *name, Ast *body);
Ast *build_getter(Parse *p, Loc loc, Ast *body);
Ast *build_property(Parse *p, Loc loc, Ast *ptype, const char *name, AstList args, Ast *accessors,
                    Ast *init);
Ast *build_ctor(Parse *p, Loc loc, const char *name, AstList args, Ast *chain, Ast *body);
const char *build_operator(Parse *p, const char *op); /* "operator+" */
const char *build_conversion(Parse *p, Loc loc, const char *word);

/* types */
Ast *build_type_name(Parse *p, Loc loc, const char *name, AstList args);
Ast *build_type_func(Parse *p, Loc loc, Ast *result, AstList params);
Ast *build_ranks(Parse *p, Loc loc, Ast *elem, AstList ranks); /* T[][,]: an array of T[,] */

/* statements */
Ast *build_block(Parse *p, Loc loc, AstList stmts);
Ast *build_embedded(Parse *p, Ast *stmt);
Ast *build_expr_stmt(Parse *p, Loc loc, Ast *expr);
AstList build_expr_stmts(Parse *p, AstList exprs);
Ast *build_return(Parse *p, Loc loc, Ast *value);
Ast *build_case(Parse *p, Loc loc, AstList labels, AstList stmts);
/* `var (a, b)`: every name in the tuple is a new variable. */
Ast *build_variables(Parse *p, Ast *tuple);
Ast *build_deconstruct(Parse *p, Loc loc, Ast *tuple, Ast *value);
Ast *build_discard(Parse *p, Loc loc, Ast *value); /* _ = value; */
Ast *build_foreach(Parse *p, Loc loc, Ast *tuple, Ast *seq, Ast *body);
Ast *build_try(Parse *p, Loc loc, Ast *body, AstList catches, Ast *finally);

/* expressions */
Ast *build_name(Parse *p, Loc loc, const char *name);
const char *build_unnamed(Parse *p); /* the name of what `_` stands for: nobody can write it */
Ast *build_literal(Parse *p, Loc loc, TokenKind kind, TokenValue value);
Ast *build_plain(Parse *p, Ast *arg); /* what stands in parentheses: an expression */
Ast *build_member(Parse *p, Loc loc, Ast *base, const char *name);
Ast *build_type_args(Parse *p, Ast *call, AstList targs);
/* base?.name, or base?[index] if there is none */
Ast *build_cond_access(Parse *p, Loc loc, Ast *base, const char *name, AstList index);
Ast *build_key(Parse *p, Loc loc, AstList index, Ast *value); /* [k] = v in an initialiser */
Ast *build_call(Parse *p, Loc loc, Ast *callee, AstList args);
Ast *build_left_out(Parse *p, Loc loc); /* x[i, _]: an error */
Ast *build_index(Parse *p, Loc loc, Ast *base, AstList args);
Ast *build_unary(Parse *p, Loc loc, AstOp op, Ast *operand);
Ast *build_binary(Parse *p, Loc loc, AstOp op, Ast *left, Ast *right);
Ast *build_incdec(Parse *p, Loc loc, AstOp op, bool postfix, Ast *target);
/* What is said of the operations in a tree, but for those of which it was said before. */
Ast *build_overflow(Ast *tree, AstOverflow what);
/* Of a tuple the last item is the operand, and the others are binders. */
Ast *build_reduce(Parse *p, Loc loc, AstOp op, Ast *operand);
Ast *build_binder(Parse *p, Loc loc, Ast *vtype, AstList names, Ast *constraint);
Ast *build_out(Parse *p, Loc loc, AstOp mode, Ast *type, const char *name); /* x : out T name */
Ast *build_constraint(Parse *p, Loc loc, Ast *names, Ast *constraint);      /* i : f, (i, j) : f */
Ast *build_rest(Parse *p, Loc loc, const char *word, Ast *type, const char *name); /* params */
Ast *build_tuple(Parse *p, Loc loc, AstList items);
Ast *build_let(Parse *p, Loc loc, AstKind kind, AstList args, Ast *body); /* LET or LAMBDA */
Ast *build_assign(Parse *p, Loc loc, AstOp op, Ast *target, Ast *value);
Ast *build_anonymous_method(Parse *p, Loc loc,
                            Ast *body); /* delegate { .. }: takes whatever is given */
Ast *build_static_lambda(Parse *p, Loc word, Ast *lambda); /* the lambda, BAD if it is none */
Ast *build_with(Parse *p, Loc loc, Ast *operand, Ast *init);
Ast *build_new(Parse *p, Loc loc, Ast *ntype, AstList args, Ast *init);
Ast *build_new_array(Parse *p, Loc loc, Ast *base, AstList sizes, uint64_t rank, AstList ranks,
                     Ast *init);
Ast *build_hole(Parse *p, Loc loc, Ast *expr, Ast *align, Ast *format);

/* build_scatter.c: the value where parameters p(i) of a definition are places of a permutation, which become binders */
Ast *build_scattered(Parse *p, AstList args, Ast *value);

/* build_ref.c */
Ast *build_ref(Parse *p, Loc loc, Ast *place); /* behind =, => and return */
/* The list with what sets the places that its functions and properties give by ref. */
AstList build_ref_setters(Parse *p, AstList list);
Ast *build_without_span(Ast *seq); /* a of a.AsSpan() */
Ast *build_foreach_ref(Parse *p, Loc loc, Ast *vtype, const char *name, Ast *seq, Ast *body);

/* build_anonymous.c: new { X = 1, a.Y } */
Ast *build_anonymous(Parse *p, Loc loc, Ast *init);

/* patterns */
Ast *build_var_pattern(Parse *p, Loc loc, const char *name); /* name NULL: `var _` */
Ast *build_var_patterns(Parse *p, Loc loc, AstList items);   /* var (a, b) */
/* A PATTERN_OF without type and name gets them; one pattern in parentheses alone is that pattern. */
Ast *build_shape(Parse *p, Loc loc, Ast *type, Ast *shape, const char *name);
/* A.B: pattern is A: { B: pattern }. */
Ast *build_field_pattern(Parse *p, Loc loc, AstList path, Ast *pattern);

/* ---- between the files build*.c ---- */

Ast *build_empty_node(Parse *p, AstKind kind, Loc loc); /* to be set, then handed to build_done */
/* Every node that has children passes here once they are set. */
Ast *build_done(Parse *p, Ast *n);
bool build_any_bad(AstList list); /* a BAD is among them */
/* What a repaired expression means is a guess: nothing more is said about it. */
Ast *build_doubtful(Parse *p, Ast *expr);
/* Declares a name of which nothing else is known; as a constant where functions must see it. */
Ast *build_lost(Parse *p, Loc loc, const char *name, bool is_const);
void build_want_bound(Parse *p, Loc loc); /* reports: a name was expected there */
/* What was read as arguments, as bound variables, as parameters, as expressions (in_call: binders of a
 * reduction stay); others are reported and become BAD. */
AstList build_binders(Parse *p, AstList args);

/* ---- build_query.c: queries as calls of the library's functions over sequences ---- */

Ast *build_query(Parse *p, Loc loc, const char *name, Ast *type,
                 Ast *source); /* from name in source */
Ast *build_query_from(Parse *p, Loc loc, Ast *query, const char *name, Ast *type, Ast *source);
Ast *build_query_let(Parse *p, Loc loc, Ast *query, const char *name, Ast *value);
Ast *build_query_where(Parse *p, Loc loc, Ast *query, Ast *cond);
/* into: the name of all that fit, or NULL: each */
Ast *build_query_join(Parse *p, Loc loc, Ast *query, const char *name, Ast *source, Ast *key,
                      Ast *other_key, const char *into);
Ast *build_query_order(Parse *p, Loc loc, Ast *query, const char *method, Ast *key);
Ast *build_query_select(Parse *p, Loc loc, Ast *query, Ast *value);
Ast *build_query_group(Parse *p, Loc loc, Ast *query, Ast *value, Ast *key);
AstList build_params(Parse *p, AstList args,
                     bool extending); /* extending: `this T x` may be the first */
AstList build_exprs(Parse *p, AstList args, bool in_call);
/* What is declared at the top level only. */
bool build_is_outer(const Ast *n);

#endif
