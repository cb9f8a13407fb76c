/* Functional expressions, bound variables and functions as values: what this folder offers the
 * others. */
#ifndef CS_SEMA_FUNCTIONAL_H
#define CS_SEMA_FUNCTIONAL_H

#include "../call/call.h"

/* ---- apply.c: functional values applied ------------------------------------------------------- */

/* n is f, which is named so (NULL: it has no name), applied to these: its type and what it is. */
void apply_function(Sema *s, Ast *n, const Type *f, const char *name, AstList args);
void check_index(Sema *s, Ast **slot);
void check_indexed(Sema *s, Ast *n); /* once its base is checked */
/* Converts an index of any integer type: a long range may index an array. */
bool convert_index(Sema *s, Ast **slot, const Type *param, const char *what);
/* The type of *slot, which becomes a function if its class derives from one. */
const Type *object_function(Sema *s, Ast **slot);

/* ---- reduce.c: reductions, definitions, let, lambda, ranges ----------------------------- */

void check_reduce(Sema *s, Ast *n);
/* totals.c: makes an int that sums or products of ints give a long, accumulated in one; false: it
 * is none. Notes one that may be known to overflow; tells of those that stayed ints and do. */
bool total_widens(Sema *s, Ast *n);
void totals_note(Sema *s, Ast *n);
void totals_check(Sema *s);
void check_call_reduce(Sema *s, Ast *n);
/* By its form: the callee's name and the arguments. */
bool call_is_reduction(Sema *s, const Ast *n);
bool is_combiner(const Symbol *f); /* a T(T, T): it can reduce */
/* Binds, checks the operand; its type after the checks that all reductions share, or the error
 * type. */
const Type *reduce_operand(Sema *s, Ast *n, const AstList *binders, Ast **operand,
                           const char *name);
void check_function_expr(Sema *s, Ast **slot, const Type *hint); /* LET, LAMBDA */
void check_define(Sema *s, Ast *n);
void check_range(Sema *s, Ast *n);

/* ---- recurrence.c: definitions that use themselves ---------------------------------------- */

bool is_recurrence(Ast *define); /* by its form */
/* Infers sym->type, whose parameters are bound; false after a report. */
bool recurrence_type(Sema *s, Ast *define, Symbol *sym);
void recurrence_uses(Sema *s, Ast *define); /* once checked: only applications to scalars */

/* ---- free.c, local.c: functions inside functions ------------------------------------------- */

typedef struct FreeName {
    const char *name;
    /* FREE_PARTS: members, which only those of structs and tuples are a part of the variable */
    enum { FREE_NOTHING, FREE_PARTS, FREE_ELEMENTS, FREE_ITSELF } writes;
    Loc written; /* where it writes */
} FreeName;

typedef VEC(FreeName) FreeNames;

/* Is it a value whose fields may be assigned, or an array of such? (class.c) */
bool class_has_parts(const Type *t);
/* The names that the unchecked tree of a function uses and does not declare. */
void free_names(Sema *s, Ast *func, FreeNames *out);

/* Declares the functions among the statements of a list, whose scope is open; local_close takes
 * what it gives. */
Locals *local_open(Sema *s, const AstList *stmts);
void local_close(Sema *s, Locals *outer);
/* The body of a function is checked: what it sees around itself, if it is a local one. */
void local_enter(Sema *s, const Symbol *func);
int local_captured(const Symbol *f); /* parameters that nobody wrote, the last ones */
/* Of a call whose callee names one; of such a name as a value. */
void local_call(Sema *s, Ast **slot, const Type *hint);
void local_value(Sema *s, Ast **slot);
/* The function of such a name if it captures nothing, or NULL. */
Symbol *local_plain(Sema *s, Symbol *name);
/* A call with these arguments of a function that is made of a block and named so: unchecked.
 * `result`: its type, or NULL: that of what it returns. NULL after a report. */
Ast *local_block(Sema *s, const char *name, Ast *block, AstList params, AstList args,
                 const Type *result);
/* A LAMBDA whose body is a BLOCK: becomes a call of a function with these statements, or BAD after
 * a report. `hint`: its type, or NULL. */
void lambda_statements(Sema *s, Ast *n, const Type *hint);
/* Does it change what is outside, call the variable that it is assigned to, or share a variable? */
bool lambda_acts(Sema *s, Ast *n);
void local_returned(Sema *s, Ast **value);
void local_free(Sema *s);

/* ---- yield.c ------------------------------------------------------------------------------- */

/* The body of a function with yield becomes one that gives a sequence; it is not checked yet. */
void yield_expand(Sema *s, Ast *func, const Type *result);
/* The same of the functions in its body, before it is asked what its lambdas share; of types that are written so. */
void yield_expand_local(Sema *s, Ast *func);

/* ---- kept/: lambdas that are kept, and what they share --------------------------------------- */

/* The names of the variables of a body that are to be shared with its lambdas, and which lambdas are used up; NULL:
 * none. params: those of its function, or NULL. */
const Shared *shared_collect(Sema *s, const AstList *params, const AstList *stmts);
bool shared_has(const Shared *shared, const char *name);
/* Also whether its elements or parts are, where the variable is an array, a struct or a tuple. */
bool shared_has_typed(const Shared *shared, const char *name, const Type *type);
bool shared_is_recursive(const Shared *shared, const char *name);
bool shared_is_written(const Shared *shared, const char *name); /* by a lambda */
/* Can the lambda, or the name of a function, be called when what it stands in is done? */
bool shared_is_kept(const Shared *shared, const Ast *function);
/* Such a variable, whose declarator is checked, becomes one that holds a cell. */
void cell_variable(Sema *s, Ast *declarator, Symbol *sym);
/* The same of a parameter: gives the statement that declares it, checked; NULL: it is none. */
Ast *cell_parameter(Sema *s, Symbol *param);
/* The same of a variable behind out, and of one that a pattern sets: the condition that makes its cell, or NULL. */
void cell_out(Sema *s, Ast *n, Symbol *sym);
Ast *cell_pattern(Sema *s, Symbol *sym, Loc loc);
typedef VEC(Ast *) FuncList;
/* Does who is called keep its i-th argument, if that is a function? around: functions of the body, or NULL. */
bool keeps_argument(Sema *s, const FuncList *around, const Ast *call, int i);
/* .. that by which an extension method is called? Does a function of the library change the i-th argument in place,
 * though it stands there without `ref`? */
bool keeps_receiver(Sema *s, const Ast *call);
bool keeps_changes(Sema *s, const Ast *call, int i);
/* May the call assign a field or property that the lambda among its arguments, or the function named there, reads? */
bool keeps_assigned(Sema *s, const Ast *call, const Ast *function);
void keeps_free(Sema *s);
/* By its form: is the value of the expression one of its operands'; does it look at its operands and no more; is it a
 * functional expression, which copies what it uses? */
bool keeps_operands(const Ast *n);
bool keeps_nothing(const Ast *n);
bool keeps_copies(const Ast *n);
/* Notes a kept lambda, or name of a function, that is checked as one for kernels. */
void late_note(Sema *s, Ast *function);
/* When all is checked: those whose values depend on when they are asked for become CLOSUREs. */
void late_close(Sema *s);

/* ---- called.c: functions that are only called ------------------------------------------- */

/* Is it the name of this symbol? */
bool called_is_name(const Ast *n, const Symbol *sym);
/* A function with a body that runs whatever the object. */
bool called_has_body(const Symbol *f);
/* The one that a call names, which is given its arguments in order; NULL: there is none. */
Symbol *called_function(const Ast *n);
/* Is all that f does with its i-th parameter to call it, or to hand it on to a function that does no more with it?
 * depth: 0, of calls that were followed. */
bool called_only(const Symbol *f, int i, int depth);
/* Lambdas and names of functions that statements give to such parameters become CLOSUREs. When all is checked. */
void called_close(Sema *s);

/* ---- closure.c: functions that only the host can run -------------------------------------- */

/* Both on checked trees. A LAMBDA becomes a CLOSURE of a function made of it; */
void closure_lambda(Sema *s, Ast **slot);
void closure_function(Sema *s, Ast **slot); /* so does the name of a function; */
/* and parts that take strings, objects or rows of arrays of arrays at the points of a functional
 * expression are applied as such. To be called while binder's variables are in scope: they get
 * ranges here too. */
void closure_parts(Sema *s, const Ast *binder, Ast **body);
/* Does it call a function of the library that only the host has, with what bound variables make? */
bool closure_calls_host(Ast *body);

/* ---- bound.c: bound variables ----------------------------------------------------------- */

/* Opens a scope with the variables of `binders` (BINDER nodes), then the implicit ones of *body if
 * asked; owner->bound lists them. `given`, if not NULL, are their types where not written.
 * scope_pop closes it. */
void bound_open(Sema *s, Ast *owner, Ast **binders, int nbinders, Ast **body, bool implicit,
                const Type *given);
bool mentions_bound(const Ast *n);
/* An error where n, over which `name` goes, begins with a range that is compared, shifted or the like: its end was meant. */
void bound_check_range(Sema *s, const Ast *n, const char *name);
typedef VEC(const char *) BoundNames;
bool bound_has(const BoundNames *v, const char *name);
void bound_hide(BoundNames *hidden, const AstList *binders); /* adds what they bind */
/* bound_types.c. Of those that have no type yet, by their uses in *body. */
void bound_types(Sema *s, Symbol **syms, int n, Ast **body);
/* Reports the integer variables of a definition, let or lambda that nothing can give a range: those
 * without a constraint that no argument of an application in its body uses. False if there are.
 * `wanted`: of a lambda whose parameters are those of a type that the place wants; such a variable
 * has all values. */
bool bound_ranges(Sema *s, Ast *owner, Ast **body, bool wanted);
/* The type that a copy of *n has, without any report; the error type if it has none. */
const Type *peek_type(Sema *s, const Ast *n);
/* A checked copy of it, if it is the name of several functions; or NULL. */
const Ast *peek_group(Sema *s, const Ast *n);
/* ---- lambda.c: lambdas that the compiler writes ------------------------------------------ */

Ast *type_node(Sema *s, Loc loc, const Type *t); /* a written type that means t */
bool is_operator_name(const Ast *n);             /* `operator+` as a value */
/* Is there an operation of that name with these parameters, whose result converts? Then
 * operator_value makes the lambda of it. */
bool operator_fits(Sema *s, const Ast *e, const Type *to);
bool operator_value(Sema *s, Ast **slot, const Type *to);
/* A method as a value of the functional type. */
bool method_value(Sema *s, Ast **slot, Symbol *method, const Type *to);
/* (x, y) => callee(x, y) with the parameters of `to`, unchecked. */
Ast *call_lambda(Sema *s, Ast *callee, const Type *to);
/* `delegate { .. }` gets the parameters of the function that is asked for. */
void lambda_take_any(Sema *s, Ast *n, const Type *to);
/* `operator+(a, b)` becomes a + b, f(a, _) a lambda: checked, true. False for other calls. */
bool operator_call(Sema *s, Ast **slot, const Type *hint);
bool partial_application(Sema *s, Ast **slot, const Type *hint);
/* Behind a report of a `_`, in a session: how the last value is written there. */
void note_last(Sema *s);

/* ---- promote.c: parameters of promoted operations ----------------------------------------- */

/* result(merged parameters of the functional ones among args). */
const Type *promoted_type(Sema *s, Loc loc, const Type *result, Ast *const *args, int n);

/* The same of a promoted call: of its instance, if it has one, and the arguments, but for those
 * that the overload takes as functions. */
const Type *promoted_call(Sema *s, Loc loc, const Type *result, const Candidate *c, Ast *instance,
                          AstList args);

#endif
