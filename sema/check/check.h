/* Expressions and statements: what this folder offers the others, and all that they offer it. */
#ifndef CS_SEMA_CHECK_H
#define CS_SEMA_CHECK_H

#include "../call/call.h"
#include "../classes/class.h"
#include "../functional/functional.h"
#include "../names/names.h"
#include "state.h"

/* ---- reflect.c ------------------------------------------------------------------------------ */

void check_nameof(Sema *s, Ast **slot); /* leaves a string */
void check_typeof(Sema *s, Ast **slot); /* and an object of the library's Type */
/* `Enum.GetNames(typeof(T))` becomes `Enum.GetNames<T>()`; other calls stay as they are. */
void reflect_enum_call(Sema *s, Ast *n);

/* ---- tree.c: unchecked trees made by sema --------------------------------------------------- */

Ast *tree_name(Sema *s, Loc loc, const char *name);
Ast *tree_member(Sema *s, Loc loc, Ast *base, const char *name);
Ast *tree_call(Sema *s, Loc loc, Ast *callee, int n, ...);
Ast *tree_binary(Sema *s, Loc loc, AstOp op, Ast *left, Ast *right);
Ast *tree_cast(Sema *s, Loc loc, Ast *type, Ast *operand);
Ast *tree_is(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name); /* e is T name */
Ast *tree_int(Sema *s, Loc loc, uint64_t value);
Ast *tree_true(Sema *s, Loc loc);
Ast *tree_text(Sema *s, Loc loc, const char *text);
Ast *tree_stmt(Sema *s, Ast *expr);
Ast *tree_assign(Sema *s, Loc loc, Ast *target, Ast *value); /* a statement */
Ast *tree_return(Sema *s, Ast *value);                       /* of a THROW that itself */
/* type NULL: var; init may be NULL */
Ast *tree_local(Sema *s, Loc loc, Ast *type, const char *name, Ast *init);
Ast *tree_block(Sema *s, Loc loc, int n, ...);
Ast *tree_param(Sema *s, Loc loc, Ast *type, const char *name);
Ast *tree_binder(Sema *s, Loc loc, const Type *t, const char *name); /* of one variable */
Ast *tree_tuple(Sema *s, Loc loc, AstList items);                    /* of one item that */
Ast *tree_func(Sema *s, Loc loc, uint64_t mods, Ast *ret, const char *name, AstList params,
               Ast *body); /* ret NULL: void */

/* ---- stmt.c, flow.c --------------------------------------------------------------------- */

void check_stmt(Sema *s, Ast **slot);
void check_block(Sema *s, AstList *stmts); /* without a scope of its own */
/* out T x, out var x: `wanted` is the parameter's type, or NULL. */
void check_out_variable(Sema *s, Ast *n, const Type *wanted);
/* branch.c: switch, try, throw, using, foreach over collections */
void check_switch(Sema *s, Ast **slot);
void check_cond_access(Sema *s, Ast **slot, const Type *hint);
/* base?.rest ?? otherwise */
void check_cond_access_or(Sema *s, Ast **slot, const Type *hint);
bool cond_access_statement(Sema *s, Ast **slot); /* base?.f(); false: no such statement */
/* patterns/choose.c; a switch statement by patterns becomes others. */
void check_switch_expr(Sema *s, Ast **slot, const Type *hint);
void choose_statements(Sema *s, Ast **slot);

/* ---- statements/label.c ------------------------------------------------------------------------ */

/* The labels of a SWITCH, which become constants of its value's type t; reports. */
void label_check_all(Sema *s, const Ast *n, const Type *t);
void label_goto(Sema *s, Ast *n); /* finds the section that a GOTO leads to; reports */
/* Which sections of a SWITCH, unchecked, some goto leads to: gotos in it say `case number` then, a
 * section's place + 1. In the arena; reports. */
bool *label_targets(Sema *s, const Ast *n);
void check_try(Sema *s, Ast *n);
void check_throw(Sema *s, Ast *n);
/* A THROW in place of a value of this type, which nobody gets. */
const Type *check_thrown(Sema *s, Ast *n, const Type *type);
void check_using(Sema *s, Ast **slot);
bool is_collection(Sema *s, const Type *t); /* has Count and ElementAt */
/* Over an object with Count and ElementAt: becomes a loop over indices; with GetEnumerator: one over
 * what that gives. False if it is none. `seq`: an unchecked copy of what is visited. */
bool foreach_collection(Sema *s, Ast **slot, Ast *seq);
/* The library's `if (GC.Yields) ..`, which only programs with sequences of their own need: becomes what
 * follows, or nothing. */
bool only_for_lazy(Sema *s, Ast **slot);
bool is_for_lazy(Sema *s, const Ast *n, bool *needed);
/* Definite assignment, and the missing return of a function. `body` was checked without errors. */
void flow_check(Sema *s, Ast *owner, const AstList *params, AstList *stmts, const Type *ret,
                const char *name);

/* ---- expr.c, operator.c, array.c, call.c -------------------------------------------- */

void check_unknown(Sema *s, const Ast *n); /* a construct that is not supported yet */
/* Gives *slot its type, in the light of the type that is wanted (a hint, or NULL). */
const Type *check_expr(Sema *s, Ast **slot, const Type *hint);
/* The same, but a type or group name is an error. */
const Type *check_value(Sema *s, Ast **slot, const Type *hint);
/* The value of a place of this type (NULL: of any): checked in its light and converted, names of
 * functions to functional values. Gives the type of the place, or the error type. */
const Type *check_converted(Sema *s, Ast **slot, const Type *type, const char *what);
const Type *require_value(Sema *s, Ast *n);    /* after check_expr */
const Type *settle_value(Sema *s, Ast **slot); /* the same; a method with one overload is one */
void check_unary(Sema *s, Ast *n, const Type *hint);
/* array.c: of an array, a == null and a != null become   a is null   and   !(a is null): true. False of others. */
bool array_is_null(Sema *s, Ast *n);
void check_binary(Sema *s, Ast *n, const Type *hint);
void binary_checked(Sema *s, Ast *n); /* once its operands are */
void check_cond(Sema *s, Ast *n, const Type *hint);
/* cast.c */
void check_cast(Sema *s, Ast *n);
/* A number or enum as another, of the results of a function too. */
void cast_result(Sema *s, Ast **slot, const Type *to);
void check_call(Sema *s, Ast **slot, const Type *hint);
void check_user_call(Sema *s, Ast *n, Symbol *first);
void check_member_call(Sema *s, Ast **slot, const Type *hint);
void check_member_own(Sema *s, Ast **slot); /* the same without extension methods and hint */
/* assign.c */
void check_assign(Sema *s, Ast **slot);
void check_incdec(Sema *s, Ast **slot);
void check_target(Sema *s, Ast **slot, const char *verb); /* something that can be assigned */
/* A condition of a statement or of ?: in host code: reports a function. */
void check_condition(Sema *s, Ast **slot);
void check_collection(Sema *s, Ast **slot, const Type *hint); /* collection.c */
void check_with(Sema *s, Ast **slot, const Type *hint);       /* with.c */
void check_new_array(Sema *s, Ast *n, const Type *hint);
void check_init_list(Sema *s, Ast *n, const Type *type, int dim);

/* ---- attribute.c --------------------------------------------------------------------------- */

typedef enum AttrPlace {
    ATTR_DEFINITION = 1,
    ATTR_FUNCTION = 2,
    ATTR_REDUCTION = 4,
    ATTR_CLASS = 8,
    ATTR_LOOP = 16
} AttrPlace;

/* Checks a list; `func`: whose attributes they are, typed already, or NULL. Fills its associative,
 * commutative. */
void check_attrs(Sema *s, const AstList *attrs, AttrPlace place, Symbol *func);

/* ---- slice.c ------------------------------------------------------------------------------ */

bool is_slice(const Ast *n); /* an INDEX with `..` or `^` in the brackets */
void check_slice(Sema *s, Ast *n);
bool is_from_end(const Ast *a); /* ^a */

/* ---- counted.c: x[^n] and x[a..b] of objects with Count or Length --------------------------- */

/* An INDEX whose base is checked; `again` is an unchecked copy of that. False: none of these. */
bool check_counted(Sema *s, Ast **slot, const Ast *again);
const char *counted_name(Sema *s, const Type *t); /* "Count", "Length"; NULL: it has neither */
/* The same as a target: true if it is done, with a report; else its index is counted from 0. */
bool place_counted(Sema *s, Ast *n, const Ast *again);
/* An assignment to a place of an object that is no variable: has one in front. */
bool counted_statement(Sema *s, Ast **slot);

/* ---- overflow.c ---- */
/* An operation that is checked already, where what does not fit throws: it becomes a call of the library. */
void overflow_check(Sema *s, Ast **slot);
/* `a op= b`, ++ and --, unchecked, where what does not fit throws, and >>>=: written out. The node is BAD
 * after a report. */
void overflow_expand(Sema *s, Ast **slot);

/* ---- convert.c: conversions ------------------------------------------------------------- */

typedef enum Conv { /* worst first */
                    CONV_NONE,
                    CONV_USER,    /* of a class */
                    CONV_LITERAL, /* an unsuffixed real literal to float or half */
                    CONV_EVAL,    /* function to array, perhaps converting the elements */
                    CONV_WIDEN,   /* C#'s implicit numeric conversion, of results of functions too;
                                     constants */
                    CONV_GROUP,   /* one overload of a group */
                    CONV_FUNC,    /* array to function of the same type */
                    CONV_SAME
} Conv;

Conv convert_class(Sema *s, const Ast *e, const Type *to);
/* Converts *slot, reporting what cannot be. `what` names the place: "argument 2 of 'f'" or NULL. */
bool convert_to(Sema *s, Ast **slot, const Type *to, const char *what);
void convert_wrap(Sema *s, Ast **slot, const Type *to); /* a CONVERT node, no questions */
/* The text of a record, an enum or a function of enums: a call. False for other types. */
bool value_text(Sema *s, Ast **slot);
void convert_string(Sema *s, Ast **slot); /* anything printable */
/* Makes the result of *slot (the value itself if scalar) of type `to`. */
bool convert_result(Sema *s, Ast **slot, const Type *to, const char *what);
Conv convert_result_class(Sema *s, const Ast *e, const Type *to);
const Type *result_of(const Type *t); /* result of a functional type; the type itself otherwise */
bool literal_adapts(const Ast *e);    /* an unsuffixed real literal, perhaps under operators */
void literal_retype(Sema *s, Ast *e, const Type *to);
bool is_printable(const Type *t);
/* Of a type without text: reports, but in an instance of a generic its name is the text. */
bool unprintable(Sema *s, Ast **slot);
/* What arithmetic gives for operands of these types (C#'s promotion); NULL if nothing. */
const Type *common_numeric(Sema *s, const Type *a, const Type *b);

/* ---- constant.c: constant expressions --------------------------------------------------- */

void constant_fold(Ast *n); /* sets is_const and value if the operands are constant */
void constant_literal(Sema *s, Ast *n, bool negated);
/* The member that a name means by `using static X;`, X.NAME, unchecked; NULL: none. */
Ast *static_member(Sema *s, const Ast *n);
bool constant_text(Sema *s, const Ast *n, AstBytes *out);
/* Is it, checked, a decimal of literals and operators? */
bool constant_decimal(const Ast *n);
bool constant_builtin(int row, ScalarValue *out);
bool constant_fits(const Ast *e, ScalarKind to); /* an integer constant in the range of `to` */

/* ---- patterns/pattern.c ------------------------------------------------------------------------------ */

/* value is pattern: becomes a condition. */
void check_is(Sema *s, Ast **slot);
bool is_plain_constant(Sema *s, const Ast *pattern); /* it is a value, and so can be a label */
bool pattern_declares(const Ast *pattern);           /* a variable */
/* Is it asked of a value of this type, and not of what that has as a function at each point? */
bool pattern_takes_whole(const Ast *pattern, const Type *t);
/* parts.c. The n parts that value.Deconstruct(out ..) gives, as a tuple (one: as it is): an unchecked
 * call; NULL after a report. */
Ast *parts_by_method(Sema *s, Loc loc, const Type *t, Ast *value, int n);
/* whole.Deconstruct(out ..), an unchecked statement; parts: what is set. */
Ast *parts_call(Sema *s, Loc loc, const char *whole, const AstList *parts);
/* The method Deconstruct with n parameters that objects of a class have; NULL: there is none. */
const Symbol *parts_method(Sema *s, Class *c, int n);

/* ---- deconstruct.c: (a, b) = e; and var (a, b) = e; ------------------------------------------- */

bool is_deconstruction(const Ast *stmt);
/* The statements that do it, unchecked: declarations of variables, and one block. */
AstList deconstruct(Sema *s, Ast *stmt);

/* ---- alias.c: ref T r = ref a[i]; and what functions give by ref -------------------------------- */

bool alias_is(const Ast *stmt);
/* What the variable n is found by, as statements; it is put into the `count` statements behind. */
AstList alias_declared(Sema *s, Ast *n, Ast **rest, int count);
void ref_refused(Sema *s, Ast **slot); /* `ref e` where a value is wanted: reported, and e stays */
/* A call of a method that gives a place, checked, becomes that place: an INDEX with a property. */
void ref_place(Sema *s, Ast *n, bool changed); /* changed: read, too */
bool ref_is_place(Sema *s, const Ast *n);      /* unchecked: a call that gives a place */
bool ref_repeatable(const Ast *n); /* can such a call, or another place, be found twice? */
/* What `f(i) = e` was read as, a definition, becomes an assignment to what f gives by ref, if it does. */
void ref_no_definition(Sema *s, Ast *assign);
/* Sets what a call of another function gives: target op= value becomes a call. True if it is done or reported. */
bool ref_assign(Sema *s, Ast **slot, Ast *target, AstOp op, Ast *value);

/* ---- purity.c --------------------------------------------------------------------------- */

void pure_call(Sema *s, Symbol *callee, Loc loc); /* the current function calls it */
/* The same of a method or constructor; object: what the caller calls it on, or the NEW. */
void pure_method(Sema *s, Symbol *callee, const Ast *object, Loc loc);
void pure_write(Sema *s, const Ast *object, const char *member, Loc loc); /* writes its field */
void pure_override(Sema *s, Symbol *base, Symbol *with); /* a call of base may run it */
void pure_need(Sema *s, Symbol *func, Loc loc, const char *why);
/* The same of a name as a value: where statements are the host may call it, pure or not. */
void pure_value(Sema *s, Symbol *func, Ast *name, const Type *type);
void pure_impure(Sema *s, const char *what, Loc loc); /* the current function does this */
void pure_param(Sema *s, const char *name, Loc loc);  /* it writes to this ref or out parameter */
void pure_infer(Sema *s); /* over the call graph, then checks what was needed */

#endif
